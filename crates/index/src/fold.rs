//! Records, one after another, into sums. A call begins with its first event and ends with its result, with a
//! refusal, or with its turn.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use tollgate_store::NO_RESULT;

use crate::fact::{Fact, Outcome};
use crate::histogram::bucket;

pub(crate) const HOUR: i64 = 3_600_000_000;
/// A call whose turn ended without a result is remembered for that long, should the result still come.
const LATE: i64 = 24 * HOUR;

/// By numbers of our own, which nobody can choose so that they collide.
pub(crate) type Numbered<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// Multiplies and turns: a fraction of what a hash costs that must stand up to people.
#[derive(Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, number: i64) {
        self.write_u64(number.cast_unsigned());
    }
}

/// A text by its number in this run.
pub(crate) type Name = u32;

/// Texts that come again and again.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<Box<str>, Name>,
    texts: Vec<Box<str>>,
}

impl Names {
    fn of(&mut self, text: &str) -> Name {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.texts.len() as Name;
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        number
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        self.texts.get(name as usize).map_or("", |text| text)
    }
}

/// A sum of calls: hour, agent, subagent type, tool, verdict, outcome.
pub(crate) type CallKey = (i64, Name, Name, Name, Name, i64);

#[derive(Clone, Copy, Default)]
pub(crate) struct CallSum {
    pub(crate) calls: i64,
    pub(crate) bytes: i64,
    pub(crate) took: i64,
}

/// How a rule fared: noted, asked, denied, approved, declined, overridden, retried.
pub(crate) type RuleSum = [i64; 7];

const NOTED: usize = 0;
const ASKED: usize = 1;
const DENIED: usize = 2;
const APPROVED: usize = 3;
const DECLINED: usize = 4;
const OVERRIDDEN: usize = 5;
const RETRIED: usize = 6;

/// The rule that says "again": it tells about the others.
const REPEATED: &str = "repeated-call";

/// A call without a result.
#[derive(Clone, Debug)]
pub(crate) struct Open {
    pub(crate) seq: u64,
    pub(crate) at: i64,
    pub(crate) actor: String,
    pub(crate) actor_type: String,
    pub(crate) agent: String,
    pub(crate) tool: String,
    pub(crate) verdict: String,
    pub(crate) asked: Vec<String>,
    pub(crate) tests: bool,
    /// Its turn has ended.
    pub(crate) late: bool,
}

/// A call as one row.
pub(crate) struct Call {
    pub(crate) seq: u64,
    pub(crate) at: i64,
    pub(crate) session: i64,
    pub(crate) actor: Name,
    pub(crate) tool: Name,
    pub(crate) verdict: Name,
    pub(crate) outcome: Outcome,
    pub(crate) bytes: u64,
    pub(crate) took: Option<u64>,
    pub(crate) gate: u64,
}

/// What came in for a session.
#[derive(Default)]
pub(crate) struct SessionSum {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) cwd: String,
    pub(crate) project: String,
    pub(crate) transcript: String,
    pub(crate) events: i64,
    pub(crate) prompts: i64,
    pub(crate) calls: i64,
    pub(crate) asked: i64,
    pub(crate) denied: i64,
}

/// Sums since the last time they were written down.
#[derive(Default)]
pub(crate) struct Fold {
    pub(crate) names: Names,
    pub(crate) calls: Numbered<CallKey, CallSum>,
    pub(crate) events: Numbered<(i64, Name, Name), i64>,
    pub(crate) latency: Numbered<(i64, Name, Name, u32), i64>,
    pub(crate) rules: Numbered<(i64, Name, Name), RuleSum>,
    pub(crate) tests: Numbered<(i64, Name), [i64; 2]>,
    pub(crate) faults: Numbered<(i64, Name, Name), i64>,
    pub(crate) sessions: Numbered<i64, SessionSum>,
    /// The kind of an agent's tool. Tools of no kind of their own are not in it.
    pub(crate) kinds: HashMap<(Name, Name), Name>,
    pub(crate) rows: Vec<Call>,
    /// Results of calls whose row was written before: number, outcome, bytes, duration.
    pub(crate) late: Vec<(u64, Outcome, u64, Option<u64>)>,
    /// By session and call id. Stays.
    pub(crate) open: HashMap<i64, HashMap<String, Open>>,
}

impl Fold {
    /// Takes a record in. `session` is its session's number in the index.
    pub(crate) fn add(&mut self, fact: &Fact, session: i64) {
        let hour = fact.at.div_euclid(HOUR);
        let agent = self.names.of(&fact.agent);
        let phase = self.names.of(&fact.phase);
        *self.events.entry((hour, agent, phase)).or_default() += 1;
        self.session(fact, session);
        if !fact.fault.is_empty() {
            let fault = self.names.of(&fact.fault);
            *self.faults.entry((hour, agent, fault)).or_default() += 1;
        }
        if fact.gate > 0 {
            let gate = self.names.of("");
            *self.latency.entry((hour, agent, gate, bucket(fact.gate))).or_default() += 1;
        }
        match fact.phase.as_str() {
            "pre-tool" => self.begin(fact, session, hour),
            "permission" if self.find(session, &fact.call).is_none() => self.begin(fact, session, hour),
            "post-tool" => self.end(session, &fact.call, Outcome::Ran, fact),
            "post-tool-fail" => self.end(session, &fact.call, Outcome::Failed, fact),
            "permission-denied" => self.end(session, &fact.call, Outcome::None, fact),
            NO_RESULT => self.leave(session, |call, _| call == fact.call),
            "stop" | "stop-error" | "subagent-stop" => self.end_turn(session, &fact.actor),
            "session-end" => self.end_session(session),
            _ => {}
        }
    }

    /// Forgets what was written down.
    pub(crate) fn written(&mut self, now: i64) {
        let open = std::mem::take(&mut self.open);
        *self = Self { open, ..Self::default() };
        for calls in self.open.values_mut() {
            calls.retain(|_, open| now - open.at < LATE);
        }
        self.open.retain(|_, calls| !calls.is_empty());
    }

    fn session(&mut self, fact: &Fact, session: i64) {
        let sum = self.sessions.entry(session).or_insert_with(|| SessionSum {
            first: fact.at,
            last: fact.at,
            ..SessionSum::default()
        });
        sum.first = sum.first.min(fact.at);
        sum.last = sum.last.max(fact.at);
        sum.events += 1;
        sum.prompts += i64::from(fact.phase == "prompt");
        if sum.cwd.is_empty() {
            sum.cwd.clone_from(&fact.cwd);
        }
        if sum.project.is_empty() {
            fact.project().clone_into(&mut sum.project);
        }
        if sum.transcript.is_empty() {
            sum.transcript.clone_from(&fact.transcript);
        }
    }

    fn find(&self, session: i64, call: &str) -> Option<&Open> {
        self.open.get(&session)?.get(call)
    }

    fn begin(&mut self, fact: &Fact, session: i64, hour: i64) {
        let refused = matches!(fact.verdict.as_str(), "deny" | "halt");
        let outcome = if refused { Outcome::Refused } else { Outcome::Open };
        let sum = self.sessions.entry(session).or_default();
        sum.calls += 1;
        sum.asked += i64::from(fact.verdict == "ask");
        sum.denied += i64::from(refused);
        if !matches!(fact.kind.as_str(), "" | "mcp" | "other") {
            let names = &mut self.names;
            self.kinds.insert((names.of(&fact.agent), names.of(&fact.tool)), names.of(&fact.kind));
        }
        let open = Open {
            seq: fact.seq,
            at: fact.at,
            actor: fact.actor.clone(),
            actor_type: fact.actor_type.clone(),
            agent: fact.agent.clone(),
            tool: fact.tool.clone(),
            verdict: fact.verdict.clone(),
            asked: self.rules(fact, hour),
            tests: fact.tests,
            late: false,
        };
        self.count(&open, outcome, 1);
        let row = Call {
            seq: fact.seq,
            at: fact.at,
            session,
            actor: self.names.of(&fact.actor_type),
            tool: self.names.of(&fact.tool),
            verdict: self.names.of(&fact.verdict),
            outcome,
            bytes: 0,
            took: None,
            gate: fact.gate,
        };
        self.rows.push(row);
        if !refused {
            self.open.entry(session).or_default().insert(fact.call.clone(), open);
        }
    }

    /// Counts what each rule said, and returns those that asked.
    fn rules(&mut self, fact: &Fact, hour: i64) -> Vec<String> {
        let retried = fact.findings.iter().any(|(rule, _)| rule == REPEATED);
        let overridden = !fact.code.is_empty() && fact.verdict == "note";
        let agent = self.names.of(&fact.agent);
        let mut asked = Vec::new();
        for (rule, verdict) in &fact.findings {
            let name = self.names.of(rule);
            let sum = self.rules.entry((hour, agent, name)).or_default();
            let what = match verdict.as_str() {
                "ask" => ASKED,
                "deny" | "halt" => DENIED,
                _ => NOTED,
            };
            let steps = [
                (what, true),
                (OVERRIDDEN, overridden || fact.excepted.contains(rule)),
                (RETRIED, retried && rule != REPEATED && what == DENIED),
            ];
            for (step, _) in steps.into_iter().filter(|(_, counts)| *counts) {
                add(sum, step);
            }
            if what == ASKED && fact.verdict == "ask" {
                asked.push(rule.clone());
            }
        }
        asked
    }

    fn end(&mut self, session: i64, call: &str, outcome: Outcome, fact: &Fact) {
        let Some(open) = self.open.get_mut(&session).and_then(|calls| calls.remove(call)) else { return };
        let took = fact.took.or_else(|| u64::try_from(fact.at - open.at).ok().filter(|_| !open.late));
        let before = if open.late { Outcome::None } else { Outcome::Open };
        self.close(&open, before, outcome, took, fact.bytes);
        self.asked(&open, outcome != Outcome::None, if open.late { -1 } else { 0 });
    }

    fn end_turn(&mut self, session: i64, actor: &str) {
        self.leave(session, |_, open| open.actor == actor);
    }

    fn end_session(&mut self, session: i64) {
        self.leave(session, |_, _| true);
        self.open.remove(&session);
    }

    /// Calls that came to nothing, as far as is known: a result may still come.
    fn leave(&mut self, session: i64, which: impl Fn(&str, &Open) -> bool) {
        let Some(calls) = self.open.get_mut(&session) else { return };
        let ended: Vec<Open> = calls
            .iter_mut()
            .filter(|(call, open)| !open.late && which(call, open))
            .map(|(_, open)| {
                open.late = true;
                open.clone()
            })
            .collect();
        for open in ended {
            self.close(&open, Outcome::Open, Outcome::None, None, 0);
            self.asked(&open, false, 0);
        }
    }

    /// Moves a call from one outcome to another.
    fn close(&mut self, open: &Open, before: Outcome, after: Outcome, took: Option<u64>, bytes: u64) {
        self.count(open, before, -1);
        self.count(open, after, 1);
        let hour = open.at.div_euclid(HOUR);
        let agent = self.names.of(&open.agent);
        let key = self.key(open, after);
        let sum = self.calls.entry(key).or_default();
        sum.bytes = sum.bytes.saturating_add(i64::try_from(bytes).unwrap_or(i64::MAX));
        sum.took = sum.took.saturating_add(i64::try_from(took.unwrap_or(0)).unwrap_or(i64::MAX));
        if let Some(took) = took.filter(|_| matches!(after, Outcome::Ran | Outcome::Failed)) {
            let tool = self.names.of(&open.tool);
            *self.latency.entry((hour, agent, tool, bucket(took))).or_default() += 1;
        }
        if open.tests && matches!(after, Outcome::Ran | Outcome::Failed) {
            let [passed, failed] = self.tests.entry((hour, agent)).or_default();
            *if after == Outcome::Ran { passed } else { failed } += 1;
        }
        // One that is not where its number says, in a log that was tampered with, is found by the database.
        let at = self.rows.binary_search_by_key(&open.seq, |row| row.seq).ok();
        match at.and_then(|at| self.rows.get_mut(at)) {
            Some(row) => (row.outcome, row.bytes, row.took) = (after, bytes, took),
            None => self.late.push((open.seq, after, bytes, took)),
        }
    }

    /// A question that was answered by running the call was answered with yes.
    fn asked(&mut self, open: &Open, yes: bool, taken_back: i64) {
        let hour = open.at.div_euclid(HOUR);
        let agent = self.names.of(&open.agent);
        for rule in &open.asked {
            let rule = self.names.of(rule);
            let sum = self.rules.entry((hour, agent, rule)).or_default();
            add(sum, if yes { APPROVED } else { DECLINED });
            if let Some(declined) = sum.get_mut(DECLINED) {
                *declined += taken_back;
            }
        }
    }

    fn count(&mut self, open: &Open, outcome: Outcome, step: i64) {
        let key = self.key(open, outcome);
        self.calls.entry(key).or_default().calls += step;
    }

    fn key(&mut self, open: &Open, outcome: Outcome) -> CallKey {
        let names = &mut self.names;
        let hour = open.at.div_euclid(HOUR);
        let (agent, actor) = (names.of(&open.agent), names.of(&open.actor_type));
        (hour, agent, actor, names.of(&open.tool), names.of(&open.verdict), outcome.number())
    }
}

fn add(sum: &mut RuleSum, step: usize) {
    if let Some(count) = sum.get_mut(step) {
        *count += 1;
    }
}
