//! The explanation as a page for people.

use std::collections::BTreeMap;

use tollgate_middleware::StageResult;
use tollgate_model::{Effect, Level, Span, ToolCall, Verdict};
use tollgate_pipeline::Opinion;

use super::snippet::{self, Mark};
use super::{Explanation, OwnRule, Times};
use crate::out;
use crate::paint::{COLUMNS, Paint, plain, width, wrap};

/// Prints everything.
pub fn print(told: &Explanation, all: bool) {
    let paint = Paint::for_stdout();
    let mut lines = effects(told, paint);
    lines.push(String::new());
    lines.extend(told.own.iter().flat_map(|own| own_rule(own, all, paint)));
    lines.extend(rules(&told.opinions, all, paint));
    lines.extend(told.middleware.iter().flat_map(|result| middleware(result, paint)));
    lines.push(String::new());
    lines.extend(verdict(told, paint));
    lines.push(String::new());
    lines.push(format!("  {}", paint.dim(&times(told.times))));
    lines.iter().for_each(|line| out::line(line));
}

fn effects(told: &Explanation, paint: Paint) -> Vec<String> {
    let source = told.source();
    let (placed, loose): (Vec<&Effect>, Vec<&Effect>) =
        told.effects.iter().partition(|effect| snippet::has_place(effect.span, source));
    let mut lines = match told.call() {
        Some(ToolCall::Shell { .. }) => snippet::draw(source, &marks(&placed, told), paint),
        _ => indented(&plain(&told.title()), 2, "  "),
    };
    for effect in loose {
        lines.extend(indented(&plain(&short(effect, told)), 4, "  - "));
    }
    if told.effects.is_empty() {
        lines.push("  does nothing that Tollgate knows of".to_owned());
    }
    lines
}

/// One mark for every part of the source that does something, wider parts first.
fn marks(effects: &[&Effect], told: &Explanation) -> Vec<Mark> {
    let mut parts: BTreeMap<(u32, u32), Mark> = BTreeMap::new();
    for effect in effects {
        let Span { start, end } = effect.span;
        let mark = parts.entry((start, u32::MAX - end)).or_insert_with(|| Mark {
            span: effect.span,
            labels: Vec::new(),
            verdict: told.verdict_at(effect.span),
        });
        let label = short(effect, told);
        if !mark.labels.contains(&label) {
            mark.labels.push(label);
        }
    }
    parts.into_values().collect()
}

/// An effect with its paths as people write them: from the project, else from home.
fn short(effect: &Effect, told: &Explanation) -> String {
    let from = |folder: &str| if folder.is_empty() { "\0".to_owned() } else { format!("`{folder}/") };
    effect.told().replace(&from(&told.project), "`").replace(&from(&told.home), "`~/")
}

/// What each rule says: first those with something to say.
fn rules(opinions: &[Opinion], all: bool, paint: Paint) -> Vec<String> {
    let mut heard: Vec<&Opinion> = opinions.iter().filter(|opinion| opinion.has_seen()).collect();
    heard.sort_by_key(|opinion| std::cmp::Reverse(opinion.finding.as_ref().map(|found| found.verdict)));
    let mut lines: Vec<String> = heard.iter().flat_map(|opinion| said(opinion, paint)).collect();
    let silent: Vec<&Opinion> = opinions.iter().filter(|opinion| !opinion.has_seen()).collect();
    if all {
        lines.extend(silent.iter().map(|opinion| silence(opinion, paint)));
        return lines;
    }
    let count = silent.len();
    let other = if heard.is_empty() { "" } else { "other " };
    let text = match count {
        1 => format!("1 {other}rule does not apply"),
        _ => format!("{count} {other}rules do not apply"),
    };
    lines.push(format!("  {:<5} {}", "-", paint.dim(&format!("{text} (--all lists them)"))));
    lines
}

/// A rule that saw something: its verdict, what it saw, and why its level does not hold in full.
fn said(opinion: &Opinion, paint: Paint) -> Vec<String> {
    let (word, verdict, what) = match (&opinion.finding, &opinion.unheard) {
        (Some(found), _) => (found.verdict.name(), found.verdict, found.hit.what.as_str()),
        (None, Some(hit)) => ("off", Verdict::Allow, hit.what.as_str()),
        (None, None) => return Vec::new(),
    };
    let why = opinion.lowered().map(|why| format!(" ({why})")).unwrap_or_default();
    let text = plain(&format!("{}: {what}{why}", opinion.card.id));
    said_as(&text, &paint.verdict(verdict, &format!("{word:<5}")))
}

/// A rule of a policy file: what it says, and with `--all` also that it says nothing, and why.
fn own_rule(own: &OwnRule, all: bool, paint: Paint) -> Vec<String> {
    let (word, verdict, text) = match (&own.finding, &own.why) {
        (Some(found), _) => (found.verdict.name(), found.verdict, found.hit.what.clone()),
        (None, Some(why)) if all => ("-", Verdict::Allow, format!("its condition has no value: {why}")),
        (None, None) if all => ("-", Verdict::Allow, own.reason.clone()),
        _ => return Vec::new(),
    };
    let text = plain(&format!("{}: {text} ({})", own.id, own.place));
    said_as(&text, &paint.verdict(verdict, &format!("{word:<5}")))
}

/// A text after a verdict.
fn said_as(text: &str, verdict: &str) -> Vec<String> {
    let mut lines = indented(text, 8, "");
    if let Some(first) = lines.first_mut() {
        let rest = first.trim_start().to_owned();
        *first = format!("  {verdict} {rest}");
    }
    lines
}

/// What a middleware said and what it cost.
fn middleware(result: &StageResult, paint: Paint) -> Vec<String> {
    let said = match &result.fault {
        Some(fault) => format!("failed: {fault}"),
        None if result.reason.is_empty() => format!("says {}", result.said.name()),
        None => format!("says {}: {}", result.said.name(), result.reason),
    };
    let took = result.took.as_secs_f64() * 1000.0;
    let text = format!("middleware {} ({}, {took:.1} ms) {said}", result.id, result.kind.name());
    let mut lines = indented(&plain(&text), 8, "");
    if let Some(first) = lines.first_mut() {
        let rest = first.trim_start().to_owned();
        *first = format!("  {} {rest}", paint.dim(&format!("{:<5}", "ran")));
    }
    lines
}

fn silence(opinion: &Opinion, paint: Paint) -> String {
    let card = opinion.card;
    let level = if opinion.level == Level::Off { "off" } else { "-" };
    let text = format!("{:<26}", card.id);
    let about = plain(card.summary());
    let room = COLUMNS - 8 - width(&text);
    let about = if width(&about) <= room {
        about
    } else {
        let first = wrap(&about, room.saturating_sub(1)).into_iter().next().unwrap_or_default();
        format!("{first}…")
    };
    format!("  {level:<5} {text}{}", paint.dim(&about))
}

fn verdict(told: &Explanation, paint: Paint) -> Vec<String> {
    let verdict = told.decision.verdict;
    let follows = match verdict {
        Verdict::Allow => "it runs, and the agent hears nothing",
        Verdict::Note => "it runs, and is remembered",
        Verdict::Save => "it runs, and what it loses is saved first",
        Verdict::Ask => "a person is asked, and reads",
        Verdict::Deny => "it does not run, and the agent reads",
        Verdict::Halt => "it does not run, the agent's turn ends, and it reads",
    };
    let colon = if verdict.refuses() { ":" } else { "" };
    let mut lines =
        vec![format!("  {} {follows}{colon}", paint.verdict(verdict, &format!("{}:", verdict.name())))];
    if told.decision.is_savable() && !told.decision.verdict_if_saved().refuses() {
        let saved =
            "unless everything that it would lose can be saved first: then it runs (level `save`). The text:";
        lines.extend(indented(saved, 4, "    "));
    }
    for paragraph in told.decision.reason().lines() {
        lines.extend(indented(&plain(paragraph), 4, "    "));
    }
    let excepted: Vec<String> = told.excepted.iter().map(crate::exceptions::told).collect();
    for notice in told.notices.iter().chain(&excepted) {
        lines.extend(indented(&plain(notice), 4, "  ! "));
    }
    lines
}

fn times(times: Times) -> String {
    let Times { read, policy, effects, rules } = times;
    format!("read {read} µs, policy {policy} µs, effects {effects} µs, rules {rules} µs")
}

/// A text in lines, each with so many spaces before it, but for what leads the first.
fn indented(text: &str, indent: usize, lead: &str) -> Vec<String> {
    let parts = wrap(text, COLUMNS - indent);
    let line = |(number, part): (usize, &String)| match number {
        0 if !lead.is_empty() => format!("{lead}{part}"),
        _ => format!("{}{part}", " ".repeat(indent)),
    };
    parts.iter().enumerate().map(line).collect()
}

/// How an opinion reads.
trait Told {
    fn has_seen(&self) -> bool;
    fn lowered(&self) -> Option<String>;
}

impl Told for Opinion {
    fn has_seen(&self) -> bool {
        self.finding.is_some() || self.unheard.is_some()
    }

    /// Why what it says counts for less than its level.
    fn lowered(&self) -> Option<String> {
        let Some(found) = &self.finding else {
            return Some(match self.level {
                Level::Off => "switched off by the policy".to_owned(),
                _ => "excepted by the policy".to_owned(),
            });
        };
        (found.verdict < self.level.verdict()).then(|| match found.verdict {
            Verdict::Note => format!("{} by its level, but the policy only observes", self.level.name()),
            _ => format!("{} where it is certain", self.level.name()),
        })
    }
}
