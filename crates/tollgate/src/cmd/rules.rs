//! `tollgate rules`: the catalogue.

use crate::exit::ExitCode;

use anyhow::bail;
use serde_json::json;
use tollgate_model::{Card, Rule};

use crate::out;

/// Arguments of `tollgate rules`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// One JSON object per rule
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// One rule: what it protects against, what to do instead, examples
    Show {
        /// The rule's id
        id: String,
    },
}

/// Lists rules, or shows one.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let cards: Vec<&'static Card> = tollgate_rules::all().map(Rule::card).collect();
    match &args.command {
        None => cards.iter().for_each(|card| list(card, args.json)),
        Some(Command::Show { id }) => match cards.iter().find(|card| card.id == id) {
            Some(card) => show(card, args.json),
            None => bail!("unknown rule `{id}`{}; `tollgate rules` lists them all", nearest(id, &cards)),
        },
    }
    Ok(ExitCode::SUCCESS)
}

fn list(card: &Card, as_json: bool) {
    if as_json {
        return out::line(&value(card).to_string());
    }
    let summary = card.doc.lines().next().unwrap_or_default().trim();
    out::line(&format!("{:<24} {:<16} {:<5} {summary}", card.id, card.pack.name(), card.level.name()));
}

fn show(card: &Card, as_json: bool) {
    if as_json {
        return out::line(&value(card).to_string());
    }
    out::line(&format!("{} ({} pack, {})\n", card.id, card.pack.name(), card.level.name()));
    card.doc.lines().for_each(|line| out::line(line.trim()));
    out::line("");
    for example in card.examples {
        let mark = if example.hit { "caught" } else { "free  " };
        out::line(&format!("  {mark}  {}: {}", example.tool, example.text));
    }
}

fn value(card: &Card) -> serde_json::Value {
    let examples: Vec<_> =
        card.examples.iter().map(|e| json!({"hit": e.hit, "tool": e.tool, "text": e.text})).collect();
    json!({
        "id": card.id, "pack": card.pack.name(), "level": card.level.name(), "unsure": card.unsure.name(),
        "doc": card.doc, "examples": examples,
    })
}

fn nearest(id: &str, cards: &[&Card]) -> String {
    let shared = |other: &str| other.split('-').filter(|part| id.contains(part)).count();
    match cards.iter().max_by_key(|card| shared(card.id)).filter(|card| shared(card.id) > 0) {
        Some(card) => format!("; did you mean `{}`?", card.id),
        None => String::new(),
    }
}
