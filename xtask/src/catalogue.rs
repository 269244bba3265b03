//! `cargo xtask catalogue`: what is known of a program, and whether that is what the program itself says.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xtask::sh;

/// `show NAME` prints the file of a program, and the file whose verbs it shares; `check` compares the options that are known
/// with those that the programs of this machine print.
pub fn run(args: &[String]) -> Result<()> {
    match args {
        [verb, name] if verb == "show" => show(name),
        [verb] if verb == "check" => sh::run(&[
            "cargo",
            "test",
            "--quiet",
            "-p",
            "tollgate-effects",
            "--lib",
            "printed_help",
            "--",
            "--ignored",
        ]),
        _ => bail!("usage: cargo xtask catalogue show NAME | check"),
    }
}

fn show(name: &str) -> Result<()> {
    let folder = Path::new("catalogue/commands");
    let Some((path, text)) = find(folder, name)? else {
        bail!(
            "no file in {} names `{name}`; to add the program, write {}",
            folder.display(),
            file(folder, name).display()
        );
    };
    println!("# {}\n{text}", path.display());
    let extended = text.lines().find_map(|line| line.strip_prefix("extends = "));
    if let Some(name) = extended.map(|name| name.trim_matches('"')) {
        let places = ["catalogue/shared", "catalogue/commands"].map(|folder| file(Path::new(folder), name));
        let path = places.iter().find(|path| path.exists()).context("the file that it extends is missing")?;
        println!("# {}\n{}", path.display(), fs::read_to_string(path)?);
    }
    Ok(())
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.toml"))
}

/// The file that names a program: usually the one that is called like it.
fn find(folder: &Path, name: &str) -> Result<Option<(PathBuf, String)>> {
    let quoted = format!("\"{name}\"");
    let names = |text: &str| text.lines().next().is_some_and(|line| line.contains(&quoted));
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let text = fs::read_to_string(&path)?;
        if names(&text) {
            return Ok(Some((path, text)));
        }
    }
    Ok(None)
}
