//! `tollgate rules`: the catalogue, in the same words as `docs/rules/`.

use std::io::IsTerminal;

use anyhow::bail;
use serde_json::json;
use tollgate_model::{Card, Rule};
use tollgate_policy::Custom;

use crate::dirs::applying;
use crate::exit::ExitCode;
use crate::listing::Output;
use crate::paint::{COLUMNS, Paint, plain, width, wrap};
use crate::{markdown, out, table};

/// Arguments of `tollgate rules`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only rules whose id, summary or explanation has this text
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    #[command(flatten)]
    output: Output,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Explain one rule, with examples
    Show {
        /// Rule id
        id: String,
    },
}

/// Lists rules, or shows one.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let wanted = Wanted(args.search.as_deref().unwrap_or_default().to_lowercase());
    let cards: Vec<&Card> = cards().filter(|card| wanted.has_card(card)).collect();
    let mut own = own();
    own.retain(|rule| wanted.has_own(rule));
    match &args.command {
        None if !args.output.is_text() => {
            let values = cards.iter().map(|card| value(card)).chain(own.iter().map(own_value));
            args.output.print(&values.collect::<Vec<_>>());
        }
        None if cards.is_empty() && own.is_empty() => {
            out::line(&format!("No rule mentions `{}`. To list all rules, run: tollgate rules", wanted.0));
        }
        None => list(&cards, &own),
        Some(Command::Show { id }) => show(id, args.output.json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A text that rules are searched for, in lower case.
struct Wanted(String);

impl Wanted {
    fn is_in(&self, texts: &[&str]) -> bool {
        texts.iter().any(|text| text.to_lowercase().contains(&self.0))
    }

    fn has_card(&self, card: &Card) -> bool {
        self.is_in(&[card.id, card.pack.name(), card.summary(), &card.why()])
    }

    fn has_own(&self, rule: &Custom) -> bool {
        self.is_in(&[&rule.id, "custom", &rule.reason, &rule.when])
    }
}

/// The rules by pack, one line each.
fn list(cards: &[&Card], own: &[Custom]) {
    let longest = cards.iter().map(|card| card.id.len()).max().unwrap_or(0);
    let mut pack = None;
    for card in cards {
        if pack.replace(card.pack) != Some(card.pack) {
            out::line(&format!("{}:", card.pack.name()));
        }
        lines(card, longest).iter().for_each(|line| out::line(line));
    }
    if !own.is_empty() {
        out::line("custom:");
    }
    for rule in own {
        let head = format!("  {:<longest$}  {:<4}  ", rule.id, rule.level.name());
        head_lines(&head, &rule.reason).iter().for_each(|line| out::line(line));
    }
}

fn lines(card: &Card, longest: usize) -> Vec<String> {
    head_lines(&format!("  {:<longest$}  {:<4}  ", card.id, card.level.name()), card.summary())
}

/// A text in lines beside what leads the first.
fn head_lines(head: &str, text: &str) -> Vec<String> {
    let indent = " ".repeat(width(head));
    let parts = wrap(&plain(text), COLUMNS.saturating_sub(indent.len()).max(20));
    let lead = std::iter::once(head).chain(std::iter::repeat(indent.as_str()));
    lead.zip(parts).map(|(lead, part)| format!("{lead}{part}")).collect()
}

fn show(id: &str, as_json: bool) -> anyhow::Result<()> {
    if let Some(rule) = own().iter().find(|rule| rule.id == id) {
        if as_json {
            out::line(&own_value(rule).to_string());
        } else {
            print_page(&own_page(rule));
        }
        return Ok(());
    }
    let Some(card) = cards().find(|card| card.id == id) else {
        let hint = tollgate_policy::nearest(id, cards().map(|card| card.id));
        let hint = hint.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        bail!("unknown rule `{id}`{hint} (`tollgate rules` lists them all)");
    };
    if as_json {
        out::line(&value(card).to_string());
    } else {
        print_page(&tollgate_rules::page(card));
    }
    Ok(())
}

/// Markdown as it is for a file, and rendered for a terminal.
fn print_page(page: &str) {
    if std::io::stdout().is_terminal() {
        let lines = markdown::lines(page, table::width().min(100), Paint::for_stdout());
        lines.iter().for_each(|line| out::line(line));
    } else {
        out::text(page);
    }
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

/// The rules of the policy files that apply here.
fn own() -> Vec<Custom> {
    applying().map(|loaded| loaded.policy.custom).unwrap_or_default()
}

fn own_value(rule: &Custom) -> serde_json::Value {
    let examples: Vec<_> = rule
        .examples
        .iter()
        .map(|sample| json!({"hit": sample.hit, "tool": sample.tool, "input": sample.input}))
        .collect();
    json!({
        "id": rule.id, "pack": "custom", "level": rule.level.name(), "summary": rule.reason, "when": rule.when,
        "on": rule.on, "instead": rule.instead, "file": rule.file, "line": rule.place.0, "layer": rule.layer,
        "examples": examples,
    })
}

fn own_page(rule: &Custom) -> String {
    let mut page = format!("# {}\n\n{}\n\n", rule.id, rule.reason);
    page.push_str(&format!(
        "Level {}, a rule of {} ({}:{}).\n\n",
        rule.level.name(),
        rule.whose(),
        rule.file,
        rule.place.0
    ));
    page.push_str(&format!("```cel\n{}\n```\n", rule.when.trim()));
    if !rule.instead.is_empty() {
        page.push_str(&format!("\n## Instead\n\n{}\n", rule.instead));
    }
    for (title, hit) in [("Seen", true), ("Passes", false)] {
        let samples: Vec<_> = rule.examples.iter().filter(|sample| sample.hit == hit).collect();
        if !samples.is_empty() {
            page.push_str(&format!("\n## {title}\n\n"));
            samples.iter().for_each(|sample| page.push_str(&format!("- `{}`\n", sample.shown())));
        }
    }
    page
}

fn cards() -> impl Iterator<Item = &'static Card> {
    tollgate_rules::all().map(Rule::card)
}
