//! `tollgate suggest`: what the past says about the policy, as a diff. Changes nothing.

mod diff;

use std::path::Path;

use anyhow::Context;
use serde_json::json;
use tollgate_index::{RuleRow, Scope};
use tollgate_model::json::Value;
use tollgate_model::{Level, Pack, Rule};
use tollgate_policy::{FILE_NAME, Layer, Severity, TEMPLATE};
use tollgate_rules::Rules;
use tollgate_store::Log;

use super::figures;
use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::out;

/// Fewer answers than this say nothing.
const ENOUGH: u64 = 5;

/// Arguments of `tollgate suggest`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    past: figures::Past,
    /// One JSON object per suggestion
    #[arg(long)]
    json: bool,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Suggestion {
    /// The rule, or `approve`.
    key: String,
    to: &'static str,
    why: String,
}

/// Suggests. Exit 1 when there is something to suggest.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let index = args.past.index()?;
    let mut found: Vec<Suggestion> =
        index.figures(args.past.scope()?).rules()?.iter().filter_map(about_rule).collect();
    found.extend(about_approval(&Log::at(&args.past.state()?), &args.past.scope()?));
    if found.is_empty() {
        out::line("Nothing to suggest: no rule was set aside often enough to say so.");
        return Ok(ExitCode::SUCCESS);
    }
    if args.json {
        found.iter().for_each(|s| out::line(&json!({"key": s.key, "to": s.to, "why": s.why}).to_string()));
        return Ok(ExitCode::from(1));
    }
    let file = Dirs::find().context("no home directory: set HOME")?.config.join(FILE_NAME);
    let before = std::fs::read_to_string(&file).unwrap_or_else(|_| TEMPLATE.to_owned());
    let after = found.iter().fold(before.clone(), |text, suggestion| edited(&text, suggestion));
    found.iter().for_each(|suggestion| out::line(&format!("# {}: {}", suggestion.key, suggestion.why)));
    if is_valid(&file, &after) {
        out::text(&diff::unified(&file.to_string_lossy(), &before, &after));
    } else {
        out::line(&format!(
            "# The file `{}` is not one that could be edited by itself; write:",
            file.display()
        ));
        found.iter().for_each(|s| out::line(&format!("#   {}: {}", s.key, s.to)));
    }
    Ok(ExitCode::from(1))
}

/// A rule whose questions are always answered with yes need not ask; one whose refusals people set aside may ask.
fn about_rule(row: &RuleRow) -> Option<Suggestion> {
    let card = tollgate_rules::all().map(Rule::card).find(|card| card.id == row.rule)?;
    if card.pack == Pack::SelfProtection {
        return None;
    }
    let (to, why) = if row.approved >= ENOUGH && row.declined == 0 && row.denied == 0 {
        ("note", format!("asked {} times, and a person always said yes", row.asked))
    } else if row.overridden >= ENOUGH && row.overridden >= row.denied.saturating_sub(row.overridden) {
        (
            "ask",
            format!("refused {} times, and {} of them were let pass by a person", row.denied, row.overridden),
        )
    } else {
        return None;
    };
    (card.level > if to == "note" { Level::Note } else { Level::Ask }).then(|| Suggestion {
        key: row.rule.clone(),
        to,
        why,
    })
}

/// The agent's own questions about calls that only read.
fn about_approval(log: &Log, scope: &Scope) -> Option<Suggestion> {
    let late = |record: &Value| {
        let at = record.text("ts").and_then(tollgate_store::micros_of).unwrap_or_default();
        scope.from.is_none_or(|from| at >= from) && scope.to.is_none_or(|to| at < to)
    };
    let asked = log.records().filter(|entry| entry.line.contains(r#""phase":"permission""#));
    let saved =
        asked.filter_map(|entry| entry.value()).filter(|record| late(record) && only_reads(record)).count();
    (saved as u64 >= ENOUGH).then(|| Suggestion {
        key: "approve".to_owned(),
        to: "read-only",
        why: format!("the agent asked a person {saved} times about calls that only read"),
    })
}

fn only_reads(record: &Value) -> bool {
    let effects = record.get("effects").and_then(Value::as_list).unwrap_or_default();
    let reads = effects.iter().all(|effect| effect.text("kind") == Some("read"));
    record.text("verdict") == Some("allow") && reads && !effects.is_empty()
}

/// The policy's text with one change. A key that stands there is changed, another is put in.
fn edited(text: &str, suggestion: &Suggestion) -> String {
    let Suggestion { key, to, .. } = suggestion;
    let is_rule = key != "approve";
    let indent = if is_rule { "  " } else { "" };
    let new = format!("{indent}{key}: {to}");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let stands = lines.iter().position(|line| line.starts_with(&format!("{indent}{key}:")));
    let rules = lines.iter().position(|line| line.trim_end() == "rules:");
    match (stands, rules) {
        (Some(at), _) => lines.splice(at..=at, [new]).for_each(drop),
        (None, Some(at)) if is_rule => lines.insert(at + 1, new),
        (None, _) if is_rule => lines.extend(["rules:".to_owned(), new]),
        _ => lines.push(new),
    }
    lines.join("\n") + "\n"
}

fn is_valid(file: &Path, text: &str) -> bool {
    let problems = tollgate_policy::check(file, text, Layer::User, &Rules);
    !problems.iter().any(|problem| problem.severity == Severity::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(id: &str, approved: u64, declined: u64, denied: u64, overridden: u64) -> RuleRow {
        let asked = approved + declined;
        RuleRow { rule: id.into(), asked, approved, declined, denied, overridden, ..RuleRow::default() }
    }

    #[test]
    fn only_what_people_always_set_aside_is_suggested() {
        let cards = || tollgate_rules::all().map(Rule::card);
        let asks =
            cards().find(|card| card.level == Level::Ask && card.pack != Pack::SelfProtection).unwrap().id;
        let denies =
            cards().find(|card| card.level == Level::Deny && card.pack != Pack::SelfProtection).unwrap().id;
        let own = cards().find(|card| card.pack == Pack::SelfProtection).unwrap().id;
        let to = |row: RuleRow| about_rule(&row).map(|suggestion| suggestion.to);
        assert_eq!(to(rule(asks, 9, 0, 0, 0)), Some("note"));
        assert_eq!(to(rule(asks, 9, 1, 0, 0)), None);
        assert_eq!(to(rule(asks, 4, 0, 0, 0)), None);
        assert_eq!(to(rule(denies, 0, 0, 8, 7)), Some("ask"));
        assert_eq!(to(rule(denies, 0, 0, 80, 7)), None);
        assert_eq!(to(rule(own, 99, 0, 99, 99)), None);
        for text in [TEMPLATE, "version: 1\n", &format!("version: 1\nrules:\n  {asks}: ask\n")] {
            let suggestion = Suggestion { key: asks.to_owned(), to: "note", why: String::new() };
            let after = edited(text, &suggestion);
            let approve = Suggestion { key: "approve".to_owned(), to: "read-only", why: String::new() };
            let after = edited(&after, &approve);
            assert!(is_valid(Path::new("/x/tollgate.yaml"), &after), "{after}");
            assert!(
                after.contains(&format!("\n  {asks}: note\n"))
                    && !after.lines().any(|line| line == format!("  {asks}: ask")),
                "{after}"
            );
        }
    }
}
