//! Rules and costs.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};
use tollgate_index::{RuleRow, Scope, SessionRow};
use tollgate_model::{Card, Level, Rule, Verdict};
use tollgate_policy::{Custom, Policy};
use tollgate_ui::{Code, Refusal, session_id};

use super::desk::Product;
use crate::cmd::replay::{Baseline, Judges, Source, Still, present};
use crate::dirs::repository;
use crate::usage::{self, Prices, Spent, Wanted};
use crate::{transcripts, when};

/// Calls of the past that are judged again.
const REPLAYED: u64 = 200_000;
/// Examples of a comparison.
const EXAMPLES: usize = 20;
/// Sessions whose costs are named.
const SESSIONS: usize = 20_000;

/// `Rules`.
pub fn rules(desk: &Product) -> Result<Value, Refusal> {
    let fared = fared(desk)?;
    let policy = present(&desk.dirs, desk.state());
    let cards = tollgate_rules::all().map(Rule::card);
    let mut rules: Vec<Value> = cards.map(|card| row(card, &policy, &fared)).collect();
    rules.extend(policy.custom.iter().map(|rule| own_row(rule, &fared)));
    Ok(json!({ "rules": rules }))
}

/// `RuleDetail` without `recent`.
pub fn rule(desk: &Product, id: &str) -> Result<Value, Refusal> {
    let fared = fared(desk)?;
    let policy = present(&desk.dirs, desk.state());
    if let Some(card) = card(id) {
        let examples: Vec<Value> = card
            .examples
            .iter()
            .map(|one| json!({ "hit": one.hit, "tool": one.tool, "text": one.text }))
            .collect();
        return Ok(json!({
            "rule": row(card, &policy, &fared), "doc": card.why(), "advice": card.advice(), "examples": examples,
        }));
    }
    let own = policy.custom.iter().find(|rule| rule.id == id).ok_or_else(unknown)?;
    let examples: Vec<Value> = own
        .examples
        .iter()
        .map(|one| json!({ "hit": one.hit, "tool": one.tool, "text": one.shown() }))
        .collect();
    Ok(json!({
        "rule": own_row(own, &fared), "doc": own.reason, "advice": own.instead, "examples": examples,
    }))
}

fn unknown() -> Refusal {
    Refusal::new(Code::NotFound, "there is no such rule")
}

fn card(id: &str) -> Option<&'static Card> {
    tollgate_rules::all().map(Rule::card).find(|card| card.id == id)
}

fn fared(desk: &Product) -> Result<HashMap<String, RuleRow>, Refusal> {
    let rows = desk.index()?.figures(Scope::default()).rules().map_err(Refusal::failed)?;
    Ok(rows.into_iter().map(|row| (row.rule.clone(), row)).collect())
}

fn row(card: &Card, policy: &Policy, fared: &HashMap<String, RuleRow>) -> Value {
    let (level, own) = (policy.level(card).name(), card.level.name());
    value((card.id, card.pack.name()), (level, own), card.summary(), fared)
}

fn own_row(rule: &Custom, fared: &HashMap<String, RuleRow>) -> Value {
    value((&rule.id, "custom"), (rule.level.name(), rule.level.name()), &rule.reason, fared)
}

fn value(
    (id, pack): (&str, &str),
    (level, own): (&str, &str),
    summary: &str,
    fared: &HashMap<String, RuleRow>,
) -> Value {
    let none = RuleRow::default();
    let row = fared.get(id).unwrap_or(&none);
    json!({
        "id": id, "pack": pack, "level": level, "default_level": own, "summary": summary, "fires": row.fires,
        "asked": row.asked, "denied": row.denied, "approved": row.approved, "declined": row.declined,
        "overridden": row.overridden, "retried": row.retried, "precision": row.precision(),
    })
}

/// `Replay`: the present policy against itself with this rule at another level, in a world that stands still.
pub fn replay(desk: &Product, id: &str, level: &str) -> Result<Value, Refusal> {
    let card = card(id).ok_or_else(|| {
        unknown().hint("Rules of a policy file are replayed with: tollgate replay --policy FILE")
    })?;
    let levels = [Level::Off, Level::Note, Level::Save, Level::Ask, Level::Deny];
    let level = levels
        .into_iter()
        .find(|known| known.name() == level)
        .ok_or_else(|| Refusal::new(Code::BadRequest, "`level` is off, note, save, ask or deny"))?;
    let present = present(&desk.dirs, desk.state());
    let judges = Judges {
        policy: present.clone().with_level(card, level),
        baseline: Baseline::Policy(Box::new(present)),
        still: Still::of(&desk.dirs, desk.state()),
        dirs: &desk.dirs,
        state: desk.state(),
    };
    let (source, partial) = Source::recent(desk.state(), REPLAYED);
    let tally = judges.run(source, None, EXAMPLES).map_err(Refusal::failed)?.value();
    let verdicts = tally.get("verdicts").and_then(Value::as_array).cloned().unwrap_or_default();
    let rank = |value: &Value| Verdict::ALL.iter().position(|verdict| Some(verdict.name()) == value.as_str());
    let sum = |fits: &dyn Fn(&Value) -> bool| -> u64 {
        verdicts.iter().filter(|one| fits(one)).filter_map(|one| one["calls"].as_u64()).sum()
    };
    let examples: Vec<Value> = tally
        .get("rules")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .flat_map(|rule| rule["examples"].as_array().cloned().unwrap_or_default())
        .take(EXAMPLES)
        .collect();
    Ok(json!({
        "rule": id, "level": level.name(), "calls": tally.get("calls"), "changed": tally.get("changed"),
        "stricter": sum(&|one| rank(&one["to"]) > rank(&one["from"])),
        "looser": sum(&|one| rank(&one["to"]) < rank(&one["from"])),
        "verdicts": verdicts, "examples": examples, "partial": partial,
    }))
}

/// What was spent, by session and model. For one session only its own transcripts are read.
pub fn spent(
    desk: &Product,
    since: Option<i64>,
    session: Option<(&str, &str)>,
) -> Result<Vec<Value>, Refusal> {
    let spent = read(desk, since, session)?;
    let rows = rows(desk);
    Ok(spent.iter().map(|one| spent_value(one, &rows)).collect())
}

fn read(desk: &Product, since: Option<i64>, session: Option<(&str, &str)>) -> Result<Vec<Spent>, Refusal> {
    let mut found = transcripts::find(&desk.dirs.home);
    if let Some((_, session)) = session {
        // Agents name a transcript by the session, or by its beginning.
        let start: String = session.chars().take(8).collect();
        found.retain(|one| one.path.to_string_lossy().contains(&start));
    }
    let wanted = Wanted {
        since,
        until: None,
        agent: session.map(|(agent, _)| agent),
        session: session.map(|(_, session)| session),
    };
    Ok(usage::spent(&found, &wanted, &Prices::read(None).map_err(Refusal::failed)?))
}

/// Sessions by the name that the API gives them.
type Sessions = HashMap<String, SessionRow>;

fn rows(desk: &Product) -> Sessions {
    let rows = desk
        .index()
        .and_then(|index| index.figures(Scope::default()).sessions(SESSIONS).map_err(Refusal::failed));
    rows.unwrap_or_default().into_iter().map(|row| (session_id(&row.agent, &row.session), row)).collect()
}

fn spent_value(spent: &Spent, sessions: &Sessions) -> Value {
    let id = session_id(&spent.agent, &spent.session);
    let row = sessions.get(&id);
    json!({
        "agent": spent.agent, "session": spent.session, "session_id": id, "model": spent.model,
        "project": row.map_or_else(String::new, project), "day": row.map_or_else(String::new, |row| when::date(row.last)),
        "answers": spent.answers, "input": spent.input, "cached": spent.cached,
        "cache_writes": spent.cache_writes, "output": spent.output, "dollars": spent.dollars,
        "checked": spent.checked,
    })
}

fn project(row: &SessionRow) -> String {
    repository(std::path::Path::new(&row.cwd)).to_string_lossy().into_owned()
}

/// `Cost`.
pub fn cost(desk: &Product, since: i64) -> Result<Value, Refusal> {
    let spent = read(desk, Some(since), None)?;
    let rows = rows(desk);
    let values: Vec<Value> = spent.iter().map(|one| spent_value(one, &rows)).collect();
    let by = |key: &dyn Fn(&Value) -> String| {
        let mut sums: BTreeMap<String, Spent> = BTreeMap::new();
        for (one, value) in spent.iter().zip(&values) {
            add(sums.entry(key(value)).or_default(), one);
        }
        sums
    };
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let dearest = |sums: BTreeMap<String, Spent>| {
        let mut sums: Vec<(String, Spent)> = sums.into_iter().collect();
        let dollars = |one: &Spent| one.dollars.unwrap_or_default();
        sums.sort_by(|(_, one), (_, other)| dollars(other).total_cmp(&dollars(one)));
        sums.iter().map(|(name, sum)| sum_value(name, sum)).collect::<Vec<_>>()
    };
    let days = by(&|value| text(value, "day"));
    let mut total = Spent::default();
    spent.iter().for_each(|one| add(&mut total, one));
    Ok(json!({
        "since": when::stamp(since), "by_model": dearest(by(&|value| text(value, "model"))),
        "by_project": dearest(by(&|value| text(value, "project"))),
        "by_day": days.iter().map(|(name, sum)| sum_value(name, sum)).collect::<Vec<_>>(),
        "total": sum_value("", &total), "notes": usage::notes(&spent), "spent": values,
    }))
}

fn add(sum: &mut Spent, one: &Spent) {
    sum.answers += one.answers;
    sum.input += one.input;
    sum.cached += one.cached;
    sum.cache_writes += one.cache_writes;
    sum.output += one.output;
    if let Some(dollars) = one.dollars {
        *sum.dollars.get_or_insert(0.0) += dollars;
    }
}

fn sum_value(name: &str, sum: &Spent) -> Value {
    json!({
        "name": name, "answers": sum.answers, "input": sum.input, "cached": sum.cached,
        "cache_writes": sum.cache_writes, "output": sum.output, "dollars": sum.dollars,
    })
}
