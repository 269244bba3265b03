//! Proof of life: every call in the agents' own transcripts, against the calls that the gate has recorded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};
use tollgate_agents::transcript::{Call, Told, is_hookable};
use tollgate_index::subject;
use tollgate_model::Agent;
use tollgate_model::json::Value as Json;
use tollgate_store::{Log, Redactor, micros_of};

use crate::report::shown;
use crate::table::{Bar, Table, counted, cut, number, width, wrap};
use crate::transcripts::{self, Transcript};
use crate::{out, when};

/// The way a call took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The gate judged it.
    Passed,
    /// This agent runs such calls without asking any hook, or turned it down itself.
    NotHookable,
    /// It was made before the gate's first record of this agent.
    Before,
    /// It never passed the gate.
    Around,
}

/// The calls of one session and one of its agents.
#[derive(Clone, Debug, Default)]
pub struct Group {
    counts: [u64; 4],
    passed_at: Option<i64>,
    around: Vec<Call>,
}

/// What the transcripts tell.
pub struct Life {
    /// The transcripts that were read.
    pub transcripts: Vec<Transcript>,
    /// By agent, session and subagent.
    groups: BTreeMap<(String, String, String), Group>,
    unreadable: Vec<String>,
}

impl Life {
    /// Reads the transcripts below a home directory and compares.
    pub fn examine(state: &Path, home: &Path, since: Option<i64>, session: Option<&str>) -> Self {
        let mut transcripts = transcripts::find(home);
        transcripts.retain(|transcript| since.is_none_or(|since| transcript.changed >= since));
        let mut life = Self { transcripts, groups: BTreeMap::new(), unreadable: Vec::new() };
        let wanted = |call: &Call| {
            let late = since.is_none_or(|since| micros_of(&call.time).is_none_or(|at| at >= since));
            late && session.is_none_or(|session| call.session.starts_with(session))
        };
        let calls = life.read(wanted);
        if !calls.is_empty() {
            let mut gate = Gate::of(state, &calls);
            for (agent, call, unrun) in calls {
                let way = gate.way(agent, &call, unrun);
                life.add(agent, call, way);
            }
        }
        life
    }

    /// How many calls took a way.
    pub fn count(&self, way: Way) -> u64 {
        self.groups.values().filter_map(|group| group.counts.get(way as usize)).sum()
    }

    /// Is there nothing to compare?
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// One line: "37 calls, 35 passed the gate, 2 did not".
    pub fn line(&self) -> String {
        let [passed, free, before, around] =
            [Way::Passed, Way::NotHookable, Way::Before, Way::Around].map(|way| self.count(way));
        let all = passed + free + before + around;
        if all == 0 {
            return "nothing to compare: no transcript of an agent holds a call".to_owned();
        }
        let mut line = format!("{} in transcripts, {} passed the gate", counted(all, "call"), number(passed));
        for (count, what) in [(free, "not hookable"), (before, "before installation")] {
            if count > 0 {
                line.push_str(&format!(", {} {what}", number(count)));
            }
        }
        line.push_str(&format!(", {} went around", number(around)));
        line
    }

    /// For a person.
    pub fn print(&self, most: usize) {
        out::line(&format!("Proof of life: {}", self.line()));
        for unreadable in &self.unreadable {
            out::line(&format!("  cannot be read: {}", shown(unreadable)));
        }
        let bad = || self.groups.iter().filter(|(_, group)| !group.around.is_empty());
        if bad().next().is_none() {
            return;
        }
        let mut table = Table::new(&["session", "agent", "subagent", "passed", "around"]);
        for ((agent, session, subagent), group) in bad() {
            let counts =
                [Way::Passed, Way::Around].map(|way| group.counts.get(way as usize).copied().unwrap_or(0));
            let [passed, around] = counts.map(number);
            let who = if subagent.is_empty() { "(main)".to_owned() } else { subagent.clone() };
            table.row([session.clone(), agent.clone(), who, passed, around]);
        }
        table.lines(width()).iter().for_each(|line| out::line(line));
        for ((_, session, _), group) in bad() {
            let cause = format!("{}: {}", shown(&cut(session, 36)), group.cause());
            wrap(&cause, width().saturating_sub(4)).iter().for_each(|line| out::line(&format!("  {line}")));
        }
        let redactor = Redactor::default();
        for call in bad().flat_map(|(_, group)| &group.around).take(most) {
            let about = subject(&record(call));
            let text = format!("  {}  {:<10} {}", call.time, call.tool, redactor.text(&about));
            out::line(&cut(&shown(&text), width().max(80)));
        }
    }

    /// For programs.
    pub fn value(&self) -> Value {
        let redactor = Redactor::default();
        let groups: Vec<Value> = self
            .groups
            .iter()
            .map(|((agent, session, subagent), group)| {
                let [passed, free, before, around] = group.counts;
                let calls: Vec<Value> = group
                    .around
                    .iter()
                    .map(|c| json!({"id": c.id, "time": c.time, "tool": c.tool, "text": redactor.text(&subject(&record(c)))}))
                    .collect();
                let cause = (around > 0).then(|| group.cause());
                json!({
                    "agent": agent, "session": session, "subagent": subagent, "passed": passed, "not_hookable": free,
                    "before_installation": before, "went_around": around, "cause": cause, "calls": calls,
                })
            })
            .collect();
        json!({"line": self.line(), "transcripts": self.transcripts.len(), "unreadable": self.unreadable, "groups": groups})
    }

    fn read(&mut self, wanted: impl Fn(&Call) -> bool) -> Vec<(Agent, Call, bool)> {
        let mut calls: Vec<(Agent, Call, bool)> = Vec::new();
        let (mut seen, mut unrun) = (HashSet::new(), HashSet::new());
        let mut bar = Bar::new("reading transcripts");
        for (at, transcript) in self.transcripts.iter().enumerate() {
            bar.at(at as u64, self.transcripts.len() as u64);
            let outcome = transcripts::read(transcript, |told| match told {
                Told::Call(call) if wanted(&call) && seen.insert((transcript.agent, call.id.clone())) => {
                    calls.push((transcript.agent, call, false));
                }
                Told::Unrun(id) => {
                    unrun.insert((transcript.agent, id));
                }
                _ => {}
            });
            if let Err(error) = outcome {
                self.unreadable.push(format!("{}: {error}", transcript.path.display()));
            }
        }
        for (agent, call, turned_down) in &mut calls {
            *turned_down = unrun.contains(&(*agent, call.id.clone()));
        }
        calls
    }

    fn add(&mut self, agent: Agent, call: Call, way: Way) {
        let key = (agent.name().to_owned(), call.session.clone(), call.subagent.clone());
        let group = self.groups.entry(key).or_default();
        if let Some(count) = group.counts.get_mut(way as usize) {
            *count += 1;
        }
        match way {
            Way::Passed => group.passed_at = group.passed_at.max(micros_of(&call.time)),
            Way::Around => group.around.push(call),
            _ => {}
        }
    }
}

impl Group {
    /// Why the calls most likely went around.
    fn cause(&self) -> String {
        let first = self.around.iter().filter_map(|call| micros_of(&call.time)).min();
        match (self.passed_at, first) {
            (None, _) => "no call of it passed: hooks were off in this session, or not trusted by the agent; run \
                          `tollgate doctor`"
                .to_owned(),
            (Some(passed), Some(first)) if first > passed => format!(
                "the hook stopped firing after {}: taken out of the agent's settings, or its program is gone",
                when::minute(passed)
            ),
            _ => "some calls passed and some did not: the hook timed out, was killed, or does not match these tools"
                .to_owned(),
        }
    }
}

/// What the gate has recorded.
struct Gate {
    ids: HashSet<(Agent, String)>,
    /// Calls without an id of the agent's, by what they are about; how often.
    texts: HashMap<(String, String), u64>,
    first: HashMap<Agent, i64>,
    /// As texts are kept: without secrets, and without what is personal where the policy says so.
    redactors: [Redactor; 2],
}

impl Gate {
    fn of(state: &Path, calls: &[(Agent, Call, bool)]) -> Self {
        let agents: HashSet<Agent> = calls.iter().map(|(agent, ..)| *agent).collect();
        let ids: HashSet<&str> = calls.iter().map(|(_, call, _)| call.id.as_str()).collect();
        let mut gate = Self {
            ids: HashSet::new(),
            texts: HashMap::new(),
            first: HashMap::new(),
            redactors: [false, true].map(|personal| Redactor::at(state).personal(personal)),
        };
        let log = Log::at(state);
        let last = log.head().map_or(0, |head| head.seq);
        let mut bar = Bar::new("reading the log");
        for entry in log.records() {
            bar.at(entry.seq, last);
            let Some(record) = entry.value() else { continue };
            let name = record.text("agent").unwrap_or_default();
            let Some(agent) = agents.iter().find(|agent| agent.name() == name) else { continue };
            let at = record.text("ts").and_then(micros_of).unwrap_or_default();
            gate.first.entry(*agent).and_modify(|first| *first = at.min(*first)).or_insert(at);
            let judged = matches!(record.text("phase"), Some("pre-tool" | "permission"));
            match record.text("id").filter(|_| judged) {
                Some(id) if ids.contains(id) => {
                    gate.ids.insert((*agent, id.to_owned()));
                }
                Some(_) => {
                    let session = record.text("session").unwrap_or_default().to_owned();
                    *gate.texts.entry((session, subject(&record))).or_default() += 1;
                }
                None => {}
            }
        }
        gate
    }

    fn way(&mut self, agent: Agent, call: &Call, unrun: bool) -> Way {
        if self.ids.contains(&(agent, call.id.clone())) {
            return Way::Passed;
        }
        // An agent that gives its hooks no id, or another one, is recognised by what the call is about.
        let about = subject(&record(call));
        for redactor in &self.redactors {
            let key = (call.session.clone(), redactor.text(&about).into_owned());
            if let Some(left) = self.texts.get_mut(&key).filter(|left| **left > 0) {
                *left -= 1;
                return Way::Passed;
            }
        }
        if unrun || !is_hookable(agent, &call.tool) {
            return Way::NotHookable;
        }
        match self.first.get(&agent) {
            Some(first) if micros_of(&call.time).is_some_and(|at| at >= *first) => Way::Around,
            _ => Way::Before,
        }
    }
}

fn record(call: &Call) -> Json {
    Json::Map(vec![("input".to_owned(), call.input.clone())])
}
