//! `tollgate rules`: the catalogue, in the same words as `docs/rules/`.

use anyhow::bail;
use serde_json::json;
use tollgate_model::{Card, Rule};

use crate::exit::ExitCode;
use crate::out;
use crate::paint::{COLUMNS, plain, width, wrap};

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
    match &args.command {
        None if args.json => cards().for_each(|card| out::line(&value(card).to_string())),
        None => list(),
        Some(Command::Show { id }) => show(id, args.json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The rules by pack, one line each.
fn list() {
    let longest = cards().map(|card| card.id.len()).max().unwrap_or(0);
    let mut pack = None;
    for card in cards() {
        if pack.replace(card.pack) != Some(card.pack) {
            out::line(&format!("{}:", card.pack.name()));
        }
        lines(card, longest).iter().for_each(|line| out::line(line));
    }
}

fn lines(card: &Card, longest: usize) -> Vec<String> {
    let head = format!("  {:<longest$}  {:<4}  ", card.id, card.level.name());
    let indent = " ".repeat(width(&head));
    let parts = wrap(&plain(card.summary()), COLUMNS.saturating_sub(indent.len()).max(20));
    let lead = std::iter::once(&head).chain(std::iter::repeat(&indent));
    lead.zip(parts).map(|(lead, part)| format!("{lead}{part}")).collect()
}

fn show(id: &str, as_json: bool) -> anyhow::Result<()> {
    let Some(card) = cards().find(|card| card.id == id) else {
        let hint = tollgate_policy::nearest(id, cards().map(|card| card.id));
        let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        bail!("unknown rule `{id}`{hint} (`tollgate rules` lists them all)");
    };
    if as_json {
        out::line(&value(card).to_string());
    } else {
        out::text(&tollgate_rules::page(card));
    }
    Ok(())
}

fn value(card: &Card) -> serde_json::Value {
    let examples: Vec<_> =
        card.examples.iter().map(|e| json!({"hit": e.hit, "tool": e.tool, "text": e.text})).collect();
    json!({
        "id": card.id, "pack": card.pack.name(), "level": card.level.name(), "unsure": card.unsure.name(),
        "summary": card.summary(), "doc": card.why(), "advice": card.advice(), "instead": card.instead,
        "person": Some(card.person).filter(|why| !why.is_empty()), "examples": examples,
    })
}

fn cards() -> impl Iterator<Item = &'static Card> {
    tollgate_rules::all().map(Rule::card)
}
