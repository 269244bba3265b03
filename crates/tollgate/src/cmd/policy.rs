//! `tollgate policy`: which policy holds here, and who says so.

use std::path::Path;

use anyhow::Context;
use serde_json::json;
use tollgate_policy::{Origin, origins};
use tollgate_rules::Rules;

use crate::exit::ExitCode;
use crate::listing::Output;
use crate::report::tilde;
use crate::table::{Table, room};
use crate::{dirs, out};

/// Arguments of `tollgate policy`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(clap::Subcommand, Debug)]
enum Verb {
    /// Show every value in force here, and the file that sets it
    Show {
        /// Also list the rules that no file mentions
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        output: Output,
    },
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.verb {
        Verb::Show { all, output } => show(*all, *output),
    }
}

fn show(all: bool, output: Output) -> anyhow::Result<ExitCode> {
    let loaded = dirs::applying().context("no home directory: set HOME")?;
    let found = origins(&loaded, all, &Rules);
    if output.is_text() {
        print(&found);
        if !all {
            out::line(
                "\nAll other rules are at their own level. To list them, run: tollgate policy show --all",
            );
        }
    } else {
        output.print(&found.iter().map(row).collect::<Vec<_>>());
    }
    loaded.notices.iter().for_each(|notice| out::error(&format!("tollgate: {notice}")));
    Ok(ExitCode::SUCCESS)
}

fn row(origin: &Origin) -> serde_json::Value {
    json!({
        "key": origin.key, "value": origin.value, "layer": origin.layer, "file": origin.file,
        "line": origin.place.map(|(line, _)| line), "column": origin.place.map(|(_, column)| column),
    })
}

fn print(found: &[Origin]) {
    let mut table = Table::new(&["key", "value", "from"]);
    table.whole = true;
    for origin in found {
        table.row([origin.key.clone(), origin.value.clone(), told(origin)]);
    }
    table.lines(room()).iter().for_each(|line| out::line(line));
}

/// `~/.config/tollgate/tollgate.yaml:3 (user)`, or `built in`.
fn told(origin: &Origin) -> String {
    let Some(file) = &origin.file else { return "built in".to_owned() };
    let file = dirs::home().map_or_else(|| file.clone(), |home| tilde(Path::new(file), &home));
    let line = origin.place.map(|(line, _)| format!(":{line}")).unwrap_or_default();
    let layer = origin.layer.map(|layer| format!(" ({layer})")).unwrap_or_default();
    format!("{file}{line}{layer}")
}
