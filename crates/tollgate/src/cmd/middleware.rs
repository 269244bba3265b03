//! `tollgate middleware init`: a middleware to start from, with a unit test that runs without the gate.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::exit::ExitCode;
use crate::out;

/// Arguments of `tollgate middleware`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand, Debug)]
enum Action {
    /// Create a middleware with a unit test
    Init {
        /// Name, such as `no-production`
        name: String,
        /// Language
        #[arg(long, value_enum, default_value_t)]
        language: Language,
        /// Folder to create [default: the name]
        #[arg(long)]
        dir: Option<PathBuf>,
    },
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Language {
    #[default]
    #[value(alias = "py")]
    Python,
    #[value(alias = "js")]
    Javascript,
    /// Rust, compiled to WebAssembly
    #[value(alias = "wasm")]
    Rust,
}

/// What a language needs: its files, what the policy names, and the commands to type.
struct Template {
    files: &'static [(&'static str, &'static str)],
    path: &'static str,
    test: &'static str,
    build: Option<&'static str>,
}

impl Language {
    fn template(self) -> Template {
        match self {
            Self::Python => Template {
                files: &[
                    ("@STEM@.py", include_str!("middleware/guard.py")),
                    ("test_@STEM@.py", include_str!("middleware/test_guard.py")),
                    ("middleware_base.py", tollgate_middleware::PYTHON_BASE),
                ],
                path: "@STEM@.py",
                test: "python3 -m unittest",
                build: None,
            },
            Self::Javascript => Template {
                files: &[
                    ("@STEM@.mjs", include_str!("middleware/guard.mjs")),
                    ("@STEM@.test.mjs", include_str!("middleware/guard.test.mjs")),
                ],
                path: "@STEM@.mjs",
                test: "node --test",
                build: None,
            },
            Self::Rust => Template {
                files: &[
                    ("Cargo.toml", include_str!("middleware/Cargo.toml.txt")),
                    ("src/lib.rs", include_str!("middleware/lib.rs.txt")),
                ],
                path: "target/wasm32-unknown-unknown/release/@STEM@.wasm",
                test: "cargo test",
                build: Some("cargo build --release --target wasm32-unknown-unknown"),
            },
        }
    }
}

/// Runs `tollgate middleware`.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Action::Init { name, language, dir } = &args.action;
    check_name(name)?;
    let folder = std::env::current_dir()
        .context("the working directory is gone")?
        .join(dir.as_deref().unwrap_or(Path::new(name)));
    let template = language.template();
    let fill = |text: &str| text.replace("@NAME@", name).replace("@STEM@", &stem(name));
    let files: Vec<(PathBuf, String)> =
        template.files.iter().map(|(file, text)| (folder.join(fill(file)), fill(text))).collect();
    if let Some((taken, _)) = files.iter().find(|(file, _)| file.symlink_metadata().is_ok()) {
        bail!("`{}` exists already; choose another name or --dir", taken.display());
    }
    for (file, text) in &files {
        write_new(file, text)?;
        out::line(&format!("wrote {}", file.display()));
    }
    explain(name, &folder, &template, &fill);
    Ok(ExitCode::SUCCESS)
}

/// The next steps: test, build, register, try.
fn explain(name: &str, folder: &Path, template: &Template, fill: &impl Fn(&str) -> String) {
    let test = format!("Test it without the gate:\n  cd {} && {}", quoted(folder), template.test);
    let build = template.build.map(|build| format!("\nBuild it:\n  cd {} && {build}", quoted(folder)));
    let path = folder.join(fill(template.path));
    let path = serde_json::Value::from(path.to_string_lossy().as_ref());
    out::line(&format!(
        "\n{test}{build}\n\nRegister it in ~/.config/tollgate/tollgate.yaml:\n\n\
         version: 1\n\
         hooks:\n  \
           pre-tool-use:\n    \
             middleware:\n      \
               - id: {name}\n        \
                 type: safety\n        \
                 path: {path}\n        \
                 config: {{ words: [production] }}\n\n\
         Then check the policy and try it:\n  \
           tollgate check\n  \
           tollgate explain 'deploy production'",
        build = build.unwrap_or_default(),
    ));
}

fn check_name(name: &str) -> anyhow::Result<()> {
    let good = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let starts = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    // These would take the place of our own files or of modules that the tests import.
    let taken = ["middleware-base", "unittest", "test", "json", "re", "os", "sys"];
    if !starts || !name.chars().all(good) || name.len() > 64 || taken.contains(&name) {
        bail!(
            "`{name}` cannot be a name here: use small letters, digits and dashes, such as `no-production`"
        );
    }
    Ok(())
}

/// The name as a module has it.
fn stem(name: &str) -> String {
    name.replace('-', "_")
}

fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-".contains(letter);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Writes a file that is not there yet.
fn write_new(file: &Path, text: &str) -> anyhow::Result<()> {
    let shown = || format!("cannot write {}", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).with_context(shown)?;
    let mut opened = OpenOptions::new().write(true).create_new(true).open(file).with_context(shown)?;
    opened.write_all(text.as_bytes()).with_context(shown)
}
