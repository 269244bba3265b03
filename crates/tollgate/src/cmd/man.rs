//! `tollgate man`: manual pages, made from the command line's own definition.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap_mangen::Man;

use crate::exit::ExitCode;
use crate::out;

/// Arguments of `tollgate man`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Write one page per command into this folder
    #[arg(long)]
    dir: Option<PathBuf>,
}

/// What the footer of each page names.
const SOURCE: &str = concat!("tollgate ", env!("CARGO_PKG_VERSION"));

/// Prints the main page, or writes all of them.
pub fn run(args: &Args, command: clap::Command) -> anyhow::Result<ExitCode> {
    let Some(folder) = &args.dir else {
        out::text(&String::from_utf8(render(command)?)?);
        return Ok(ExitCode::SUCCESS);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    for (name, page) in pages(command)? {
        let path = folder.join(format!("{name}.1"));
        fs::write(&path, page).with_context(|| format!("cannot write `{}`", path.display()))?;
        out::line(&path.display().to_string());
    }
    Ok(ExitCode::SUCCESS)
}

/// The pages of a command and everything below it, named as `git` names its own: `tollgate-rules-show`.
fn pages(mut command: clap::Command) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    // Every subcommand gets a `help` of its own otherwise, and each of those a page.
    command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    let mut waiting = vec![command];
    while let Some(command) = waiting.pop() {
        waiting.extend(command.get_subcommands().cloned());
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        pages.push((name, render(command)?));
    }
    pages.sort();
    Ok(pages)
}

fn render(command: clap::Command) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    // The page has no date: it would differ between two builds of the same source.
    Man::new(command).source(SOURCE).manual("Tollgate manual").render(&mut page)?;
    Ok(page)
}
