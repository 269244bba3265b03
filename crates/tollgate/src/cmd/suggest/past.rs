//! What people did with what the gate said.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use tollgate_index::subject;
use tollgate_index::{Index, RuleRow, Scope};
use tollgate_model::json::Value;
use tollgate_model::{Approve, Case, EffectKind, Event, Exemption, Level, Pack, Rule, StillWorld};
use tollgate_pipeline::Judgement;
use tollgate_policy::Policy;
use tollgate_store::{Log, micros_of};

use super::{Change, Suggestion};
use crate::cmd::replay::{Still, Written, exceptions_of};
use crate::report::shown;
use tollgate_model::is_canary;

/// Fewer answers than this say nothing.
pub const ENOUGH: u64 = 5;
/// More commands than this are no exceptions, but the rule.
const FEW: usize = 3;
/// How many calls are shown with a suggestion.
const SHOWN: usize = 3;

/// The part of the past that is asked about, and the policy that is in force.
pub struct Past<'a> {
    pub index: &'a Index,
    pub scope: Scope,
    pub state: &'a Path,
    pub policy: &'a Policy,
}

impl Past<'_> {
    /// What it says, that which spares most first.
    pub fn suggestions(&self, still: &Still) -> anyhow::Result<Vec<Suggestion>> {
        let mut stories: BTreeMap<String, Story> = self
            .index
            .figures(self.scope.clone())
            .rules()?
            .into_iter()
            .filter_map(|row| Some((row.rule.clone(), Story::of(row, self.policy)?)))
            .collect();
        let mut prompts = Prompts::default();
        for entry in Log::at(self.state).records().filter(|entry| is_about_people(&entry.line)) {
            if is_result(&entry.line) && stories.values().all(|story| story.waiting.is_empty()) {
                continue;
            }
            let Some(record) = entry.value().filter(|record| self.holds(record)) else { continue };
            let call = Call { written: Written::Line(entry.line), record, still, policy: self.policy };
            match call.record.text("phase") {
                Some("permission") => prompts.take(&call),
                Some("pre-tool") => stories.values_mut().for_each(|story| story.take(&call)),
                _ => stories.values_mut().for_each(|story| story.ran(&call.name())),
            }
        }
        let mut found: Vec<Suggestion> = stories.into_values().filter_map(Story::suggestion).collect();
        found.extend(prompts.suggestion(self.policy));
        found.sort_by_key(|one| std::cmp::Reverse(one.spares));
        Ok(found)
    }

    /// From when to when there is something.
    pub fn span(&self) -> anyhow::Result<Option<(i64, i64)>> {
        Ok(self.index.figures(self.scope.clone()).totals()?.span)
    }

    fn holds(&self, record: &Value) -> bool {
        let at = record.text("ts").and_then(micros_of).unwrap_or_default();
        let canary = is_canary(record.text("session"));
        let Scope { from, to, agent } = &self.scope;
        !canary
            && from.is_none_or(|from| at >= from)
            && to.is_none_or(|to| at < to)
            && agent.as_ref().is_none_or(|agent| record.text("agent") == Some(agent))
    }
}

/// The level of a rule, built in or of a policy file.
pub fn level(policy: &Policy, rule: &str) -> Option<Level> {
    let card = tollgate_rules::all().map(Rule::card).find(|card| card.id == rule);
    match card {
        Some(card) => Some(policy.level(card)),
        None => policy.custom.iter().find(|own| own.id == rule).map(|own| own.level),
    }
}

/// Only questions, refusals, what was let pass and results are looked at whole.
fn is_about_people(line: &str) -> bool {
    line.contains(r#""phase":"permission""#)
        || is_result(line)
        || line.contains(r#""phase":"pre-tool""#) && line.contains(r#""findings":["#)
}

fn is_result(line: &str) -> bool {
    line.contains(r#""phase":"post-tool"#)
}

/// What people make of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// It asks, and they say yes.
    Yes,
    /// It refuses, and they let the call pass.
    Override,
}

/// A rule that people set aside, as far as is known.
struct Story {
    row: RuleRow,
    level: Level,
    habit: Habit,
    /// Refused calls that nobody has let pass.
    held: HashSet<String>,
    /// Calls that were asked about and have not run yet.
    waiting: HashMap<(String, String), (String, Needed)>,
    passed: u64,
    /// What is known of calls that are alike.
    known: HashMap<[u8; 32], Needed>,
    /// What exceptions would have to be made; `None` when they are too many, or cannot be told.
    exceptions: Option<BTreeSet<Exemption>>,
    examples: Vec<String>,
}

impl Story {
    /// `None` when the figures already say that there is no story. What protects the gate itself is not up for it.
    fn of(row: RuleRow, policy: &Policy) -> Option<Self> {
        let card = tollgate_rules::all().map(Rule::card).find(|card| card.id == row.rule);
        if card.is_some_and(|card| card.pack == Pack::SelfProtection) {
            return None;
        }
        let habit = habit(&row)?;
        let level = level(policy, &row.rule).filter(|level| *level > Level::Note)?;
        Some(Self {
            row,
            level,
            habit,
            held: HashSet::new(),
            waiting: HashMap::new(),
            passed: 0,
            known: HashMap::new(),
            exceptions: Some(BTreeSet::new()),
            examples: Vec::new(),
        })
    }

    fn take(&mut self, call: &Call) {
        let Some(said) = call.said(&self.row.rule) else { return };
        let code = call.record.text("code").unwrap_or_default();
        match said {
            "deny" | "halt" => {
                self.held.insert(code.to_owned());
            }
            "ask" if self.habit == Habit::Yes => {
                let needed = self.needed(call);
                self.waiting.insert(call.name(), (subject(&call.record), needed));
            }
            "ask" => {}
            _ => {
                self.held.remove(code);
                if !code.is_empty() || call.is_excepted(&self.row.rule) {
                    let needed = self.needed(call);
                    self.set_aside(subject(&call.record), needed);
                }
            }
        }
    }

    /// A question that was followed by a result was answered with yes.
    fn ran(&mut self, name: &(String, String)) {
        if let Some((text, needed)) = self.waiting.remove(name) {
            self.set_aside(text, needed);
        }
    }

    fn needed(&mut self, call: &Call) -> Needed {
        let Some(glance) = call.written.glance(None) else { return Needed::Unknown };
        let needed = self.known.entry(*glance.key.as_bytes());
        needed.or_insert_with(|| call.exception(&self.row.rule)).clone()
    }

    fn set_aside(&mut self, text: String, needed: Needed) {
        let mut exceptions = self.exceptions.take();
        match needed {
            Needed::Nothing => {
                self.exceptions = exceptions;
                return;
            }
            Needed::This(one) => drop(exceptions.as_mut().map(|all| all.insert(one))),
            Needed::Unknown => exceptions = None,
        }
        self.exceptions = exceptions.filter(|all| all.len() <= FEW);
        self.passed += 1;
        if self.examples.len() < SHOWN && !self.examples.contains(&text) {
            self.examples.push(text);
        }
    }

    /// A few commands are exceptions; many are another level, and never two levels at once.
    fn suggestion(self) -> Option<Suggestion> {
        if !self.held.is_empty() || self.passed < ENOUGH {
            return None;
        }
        let (passed, why) = (self.passed, self.why());
        let Self { row: RuleRow { rule, .. }, level: from, examples, .. } = self;
        let change = match (self.exceptions, self.habit, from) {
            (Some(few), ..) if few.is_empty() => return None,
            (Some(few), ..) => {
                let reason = format!("let pass {passed} times");
                let exceptions =
                    few.into_iter().map(|one| Exemption { reason: reason.clone(), ..one }).collect();
                Change::Allow { rule, exceptions }
            }
            (None, Habit::Yes, Level::Ask) => Change::Level { rule, from, to: Level::Note },
            (None, Habit::Override, Level::Deny) => Change::Level { rule, from, to: Level::Ask },
            _ => return None,
        };
        Some(Suggestion { change, spares: passed, refused: self.habit == Habit::Override, why, examples })
    }

    fn why(&self) -> String {
        match self.habit {
            Habit::Yes => format!("It asked {} times, and a person always said yes:", self.passed),
            Habit::Override => format!(
                "It refused {} times, and a person let every call of them pass, {} in all:",
                self.row.denied, self.passed
            ),
        }
    }
}

/// What the figures say: always yes, or overridden again and again.
fn habit(row: &RuleRow) -> Option<Habit> {
    if row.approved >= ENOUGH && row.declined == 0 && row.denied == 0 {
        return Some(Habit::Yes);
    }
    (row.overridden >= ENOUGH && row.declined == 0).then_some(Habit::Override)
}

/// A call of the past.
struct Call<'a> {
    written: Written,
    record: Value,
    still: &'a Still,
    policy: &'a Policy,
}

/// What would have to be excepted for a call to pass.
#[derive(Clone)]
enum Needed {
    /// It passes today.
    Nothing,
    /// This.
    This(Exemption),
    /// Something that cannot be told from the record.
    Unknown,
}

impl Call<'_> {
    /// Its session and id.
    fn name(&self) -> (String, String) {
        let text = |key: &str| self.record.text(key).unwrap_or_default().to_owned();
        (text("session"), text("id"))
    }

    /// What a rule said about it, as far as the agent could be told.
    fn said(&self, rule: &str) -> Option<&str> {
        let findings = self.record.get("findings").and_then(Value::as_list).unwrap_or_default();
        let said = findings.iter().find(|one| one.text("rule") == Some(rule))?.text("verdict")?;
        let refused = matches!(self.record.text("expressed"), Some("deny" | "halt"));
        Some(if said == "ask" && refused { "deny" } else { said })
    }

    fn is_excepted(&self, rule: &str) -> bool {
        let all = self.record.get("excepted").and_then(Value::as_list).unwrap_or_default();
        all.iter().any(|one| one.text("rule") == Some(rule))
    }

    /// The exception that lets it pass: its command, or the file that it is about, in its project.
    fn exception(&self, rule: &str) -> Needed {
        let Some(event) = self.written.event() else { return Needed::Unknown };
        let world = self.still.world(&event);
        let Judgement { effects, mut decision } = tollgate_pipeline::judge(&event, &world, self.policy);
        let case = Case { event: &event, effects: &effects, world: &world };
        if !refuses(&decision, rule) {
            return Needed::Unknown;
        }
        let made = exceptions_of(self.policy, &world, &event);
        tollgate_pipeline::exempt(&mut decision, &case, self.policy, &made);
        if !refuses(&decision, rule) {
            return Needed::Nothing;
        }
        let fits = |one: &Exemption| {
            let mut decision = decision.clone();
            tollgate_pipeline::exempt(&mut decision, &case, self.policy, std::slice::from_ref(one));
            !refuses(&decision, rule)
        };
        candidates(&case, rule, &world).find(fits).map_or(Needed::Unknown, Needed::This)
    }
}

fn refuses(decision: &tollgate_model::Decision, rule: &str) -> bool {
    decision.findings.iter().any(|found| found.rule == rule && found.verdict.refuses())
}

/// The call's commands and files, each as an exception. What a policy file cannot write as it is, is none.
fn candidates<'a>(
    case: &'a Case,
    rule: &'a str,
    world: &'a StillWorld,
) -> impl Iterator<Item = Exemption> + 'a {
    let plain = |word: &str| {
        let odd = word.contains(['*', '‹']) || word.contains(char::is_whitespace);
        !word.is_empty() && !odd && shown(word) == word
    };
    let blank =
        move || Exemption { rule: rule.to_owned(), project: world.workspace.clone(), ..Exemption::default() };
    let commands = case.effects.iter().filter_map(move |effect| match &effect.kind {
        EffectKind::Exec { argv, .. } if !argv.is_empty() && argv.iter().all(|word| plain(word)) => {
            Some(Exemption { command: argv.clone(), ..blank() })
        }
        _ => None,
    });
    let files = case.effects.iter().filter_map(move |effect| match &effect.kind {
        EffectKind::Read { place, .. }
        | EffectKind::Write { place, .. }
        | EffectKind::Delete { place, .. }
            if !place.pattern && plain(&place.path) =>
        {
            Some(Exemption { path: place.path.clone(), ..blank() })
        }
        _ => None,
    });
    commands.chain(files)
}

/// The agent's own questions about calls that only read.
#[derive(Default)]
struct Prompts {
    judged: HashMap<[u8; 32], bool>,
    spared: u64,
    examples: Vec<String>,
}

impl Prompts {
    fn take(&mut self, call: &Call) {
        let Some(glance) = call.written.glance(None) else { return };
        let judged = || call.written.event().is_some_and(|event| call.is_spared(&event));
        if !*self.judged.entry(*glance.key.as_bytes()).or_insert_with(judged) {
            return;
        }
        self.spared += 1;
        let text = format!("{} {}", call.record.text("tool").unwrap_or_default(), subject(&call.record));
        if self.examples.len() < SHOWN && !self.examples.contains(&text) {
            self.examples.push(text);
        }
    }

    fn suggestion(self, policy: &Policy) -> Option<Suggestion> {
        (self.spared >= ENOUGH && policy.approve == Approve::None).then(|| Suggestion {
            change: Change::ReadOnly,
            spares: self.spared,
            refused: false,
            why: format!(
                "The agent asked a person {} times about calls that only read, and only in the project:",
                self.spared
            ),
            examples: self.examples,
        })
    }
}

impl Call<'_> {
    /// Would it have needed no question with `approve: read-only`?
    fn is_spared(&self, event: &Event) -> bool {
        let mut policy = self.policy.clone();
        policy.approve = Approve::ReadOnly;
        tollgate_pipeline::judge(event, &self.still.world(event), &policy).decision.approve
    }
}
