//! One event, seen by every workflow that is on: what is refused, what the model is told, what is remembered.

mod bounds;
mod recovery;
mod start;

use std::cell::RefCell;

use tollgate_model::json::Value;
use tollgate_model::{Actor, Certainty, Change, Finding, Hit, Mode, Place, Span, Verdict};
use tollgate_policy::glob;

use crate::asking::{Asking, stands};
use crate::case::{Case, is_one};
use crate::condition::{TESTS, judge, value};
use crate::counts::Run;
use crate::flow::{Act, Active, Channel, Flow, Gate, On, Refusal, Scope, Seen, Who};
use crate::{code, runners, template, words};

/// Room for the mark of a text that was cut, and for what stands between two texts.
const CUT: usize = 20;
/// Less of a text than this says nothing.
const SHORTEST: usize = 100;

/// What workflows make of an event.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// What is refused.
    pub findings: Vec<Finding>,
    /// What the model is told.
    pub context: Vec<String>,
    /// What the person is told.
    pub notices: Vec<String>,
    /// What of that is about gates that let pass what they are there to refuse.
    pub waived: Vec<String>,
    /// What is remembered when the event is let through.
    pub changes: Vec<(Scope, Change)>,
    /// What is remembered in any case.
    pub counts: Vec<(Scope, Change)>,
    /// Files for people: path below the project, text.
    pub mirrors: Vec<(String, String)>,
    /// What is done once the answer is out.
    pub after: Vec<After>,
}

/// What is done once the answer is out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum After {
    /// Something is forgotten.
    Forget(Scope, Change),
    /// A file for people is taken away.
    Delete(String),
    /// A person elsewhere is told something.
    Notify(Channel, String),
}

/// What workflows make of an event.
#[must_use]
pub fn evaluate(flows: &[Flow], case: &Case, mode: Mode) -> Outcome {
    evaluate_at(flows, case, mode, &case.moments())
}

/// The same at other moments than the event's own: a call that was refused.
#[must_use]
pub fn evaluate_at(flows: &[Flow], case: &Case, mode: Mode, moments: &[On]) -> Outcome {
    let mut evaluator = Evaluator { flows, case, mode, moments, out: Outcome::default(), said: Vec::new() };
    evaluator.note_run();
    for flow in flows {
        evaluator.flow(flow);
    }
    evaluator.finish()
}

/// What is remembered of a workflow that begins.
#[must_use]
pub fn beginning(flow: &Flow, session: &str, now: u64) -> Vec<Change> {
    let space = || flow.name.clone();
    let set = |key: &str, value: Value| Change::Set { space: space(), key: key.to_owned(), value };
    let mut changes = vec![
        Change::Clear { space: space() },
        set("is_active", true.into()),
        set("session_id", session.into()),
        set("started", template::date(now, "%FT%H:%M:%SZ").into()),
    ];
    changes.extend(flow.phases.first().map(|phase| set("phase", phase.as_str().into())));
    changes
}

struct Evaluator<'a, 'c> {
    flows: &'a [Flow],
    case: &'a Case<'c>,
    mode: Mode,
    moments: &'a [On],
    out: Outcome,
    /// Context with its importance: the smaller the more important.
    said: Vec<(u8, String)>,
}

impl<'a> Evaluator<'a, '_> {
    /// Keeps what a run of the tests was seen to be, and says why one does not count.
    fn note_run(&mut self) {
        if let Some(why) = self.case.uncounted.filter(|_| self.waits_for_runs()) {
            self.said.push((3, format!("This run of the tests does not count: {why}.")));
        }
        let Some(run) = self.case.run.filter(|_| self.moments.contains(&On::TestRun)) else { return };
        let Some(seen) = judge(run, &self.case.states.session, self.case) else { return };
        match seen {
            Seen::Red => self.note_red(run),
            Seen::Green => {
                self.test("last", "green".into());
                self.test("red", Value::List(Vec::new()));
            }
        }
    }

    /// What was red stays red until a run that has it in it says otherwise.
    fn note_red(&mut self, run: &Run) {
        let state = &self.case.states.session;
        let earlier = state.texts(TESTS, "red");
        let same = run.given == state.texts(TESTS, "given");
        let left_out = !earlier.is_empty() && !same && !runners::covers(&run.given, &earlier);
        let mut names: Vec<&str> = run.failing.iter().map(String::as_str).collect();
        let mut total = run.passed + run.failed;
        let mut given = run.given.as_slice();
        if left_out {
            names.extend(earlier);
            names.sort_unstable();
            names.dedup();
            total = total.max(state.count(TESTS, "total"));
            given = &[];
        }
        let list = |texts: Vec<&str>| Value::List(texts.into_iter().map(Value::from).collect());
        let (red, given) = (list(names), list(given.iter().map(String::as_str).collect()));
        self.test("last", "red".into());
        self.test("red", red);
        self.test("total", total.into());
        self.test("given", given);
    }

    /// Is a workflow active that goes on when tests are run?
    fn waits_for_runs(&self) -> bool {
        let waits = |flow: &&Flow| flow.gates.iter().any(|gate| gate.on.contains(&On::TestRun));
        self.flows.iter().filter(waits).any(|flow| self.is_active(flow))
    }

    fn is_active(&self, flow: &Flow) -> bool {
        flow.is_active(self.case.states.of(flow.scope))
    }

    fn test(&mut self, key: &str, value: Value) {
        let change = Change::Set { space: TESTS.into(), key: key.into(), value };
        self.out.counts.push((Scope::Session, change));
    }

    fn flow(&mut self, flow: &'a Flow) {
        let state = self.case.states.of(flow.scope);
        let active = flow.is_active(state);
        let asking = Asking {
            flow,
            phase: if active { state.text(&flow.name, "phase") } else { "" },
            case: self.case,
            captures: RefCell::default(),
            unsure: RefCell::default(),
        };
        let starts = self.moments.contains(&On::Command)
            && !active
            && is_one(self.case.command(), &flow.start.commands);
        let asked = if starts { self.start(&asking) } else { !flow.is_stopped(state) };
        self.note_session(flow);
        if asked {
            self.gates(active, &asking);
        }
        let unsure = asking.unsure.take();
        for what in unsure {
            self.waive(format!("workflow `{}`: {what}, so its gate allows this", flow.name));
        }
    }

    /// From the start of a session on its id is in the state of each workflow.
    fn note_session(&mut self, flow: &Flow) {
        let session = &self.case.event.session;
        let known = self.case.states.session.text(&flow.name, "session_id") == session;
        if self.moments.contains(&On::SessionStart) && flow.scope == Scope::Session && !known {
            self.set(flow, "session_id", session.as_str().into());
        }
    }

    /// Asks the gates in their order. Once one has refused, the others that may refuse are not asked: their tests and
    /// commands would only repeat, at a cost, that something is missing.
    fn gates(&mut self, active: bool, asking: &Asking) {
        let mut refused = false;
        for (index, gate) in asking.flow.gates.iter().enumerate() {
            asking.captures.borrow_mut().clear();
            let skipped = refused && !gate.message.is_empty();
            if !skipped && self.concerns(gate, active, asking) {
                let before = self.out.findings.len();
                self.gate(gate, index, asking);
                let found = self.out.findings.get(before..).unwrap_or_default();
                refused |= found.iter().any(|finding| finding.verdict >= Verdict::Deny);
            }
        }
    }

    /// Is a gate asked about this event?
    fn concerns(&self, gate: &Gate, active: bool, asking: &Asking) -> bool {
        let case = self.case;
        // What has nothing of the call's own in it is minded only where places are bound.
        let minded = |on: &On| *on != On::Write || !gate.outside.is_empty() || case.writes().next().is_some();
        let on = |on: &On| self.moments.contains(on) && minded(on);
        let is_active = match gate.active {
            Active::Yes => active,
            Active::No => !active,
            Active::Any => true,
        };
        let actor = match gate.actor {
            Who::Main => case.event.actor == Actor::Main,
            Who::Subagent => case.event.actor != Actor::Main,
            Who::Anybody => true,
        };
        gate.on.iter().any(on)
            && is_active
            && actor
            && (gate.phases.is_empty() || gate.phases.iter().any(|phase| phase == asking.phase))
            && (gate.agents.is_empty() || is_one(case.agent(), &gate.agents))
            && (gate.other_than.is_empty() || !is_one(case.agent(), &gate.other_than))
            && (gate.commands.is_empty() || is_one(case.command(), &gate.commands))
            && (gate.tools.is_empty() || self.is_tool(&gate.tools))
            && (gate.programs.is_empty()
                || case.programs().any(|program| gate.programs.iter().any(|known| known == program)))
            && (gate.sources.is_empty()
                || words::fill(asking, "{source}").is_some_and(|source| gate.sources.contains(&source)))
            && !(gate.once
                && case.states.of(asking.flow.scope).is(&asking.flow.name, &done(asking.flow, gate)))
    }

    fn is_tool(&self, tools: &[String]) -> bool {
        let tool = self.case.event.tool();
        tool.is_none_or(|tool| tools.iter().any(|name| *name == tool.name || name == tool.call.class()))
    }

    fn gate(&mut self, gate: &Gate, index: usize, asking: &Asking) {
        let written = self.written(gate, asking);
        let by_place = !gate.inside.is_empty() || !gate.outside.is_empty();
        if by_place && written.is_empty() {
            return;
        }
        if gate.when.as_ref().is_some_and(|cond| asking.ask(cond).holds != Some(true)) {
            return;
        }
        let answer = gate.need.as_ref().map(|cond| asking.ask(cond));
        let holds = match &answer {
            Some(answer) => answer.holds.unwrap_or(true),
            None => gate.message.is_empty(),
        };
        let key = format!("blocked.{index}");
        if holds {
            self.settle(gate, &key, asking);
            return self.act(gate, asking);
        }
        let mut why = answer.map(|answer| answer.why).unwrap_or_default();
        why.extend(written.iter().map(|(shown, _)| format!("this call writes `{shown}`")));
        let message = with_why(&words::message(asking, &gate.message), &why);
        let unsure = written.iter().all(|(_, certain)| !certain) && by_place;
        self.bounded(gate, &key, message, unsure, asking);
    }

    /// The places that a gate is about, and whether they are certain.
    fn written(&self, gate: &Gate, asking: &Asking) -> Vec<(String, bool)> {
        let inside = self.patterns(&gate.inside, asking.flow);
        let except = self.patterns(&gate.except, asking.flow);
        let outside = if gate.outside.is_empty() { Vec::new() } else { self.free_places() };
        let concerned = |place: &Place, content: Option<&str>| {
            let path = self.case.below(&place.path);
            // What goes up again from a folder that is not known may go anywhere.
            let lost = place.pattern && place.path.split('/').any(|part| part == "..");
            let within = |patterns: &[String]| !lost && path.is_some_and(|path| is_in(path, patterns));
            // A file with another name elsewhere is written there, too.
            let own = || self.case.world.identity(&place.path).is_none();
            let excepted = content.is_some_and(|text| code::has_any(&place.path, text, &gate.unless_content));
            !excepted
                && !within(&except)
                && (gate.inside.is_empty() || within(&inside))
                && (gate.outside.is_empty() || !(within(&outside) && own()))
        };
        let written = self.case.writes().filter(|(place, content)| concerned(place, *content));
        let altered = self.case.alters().filter(|altered| {
            !gate.outside.is_empty()
                && concerned(altered.place, None)
                && !(altered.folder && self.may_reach(altered.place, &outside))
        });
        let certain =
            |place: &Place| !place.pattern || !gate.outside.is_empty() && !self.may_reach(place, &outside);
        let places = written.map(|(place, _)| (place, true));
        let places = places.chain(altered.map(|altered| (altered.place, altered.certain)));
        let shown = |place: &Place| self.case.below(&place.path).unwrap_or(&place.path).to_owned();
        let mut all: Vec<(String, bool)> =
            places.map(|(place, sure)| (shown(place), sure && certain(place))).collect();
        all.dedup();
        all.truncate(5);
        all
    }

    /// May a place be, hold, or lie in one that a pattern names? What is not known of it may be anything.
    fn may_reach(&self, place: &Place, patterns: &[String]) -> bool {
        let known = place.path.split('*').next().unwrap_or_default();
        let workspace = self.case.world.workspace();
        let Some(below) = self.case.below(&place.path) else {
            return !place.path.starts_with('/') || place.pattern && workspace.starts_with(known);
        };
        let parts = || below.split('/').take_while(|part| !part.contains('*'));
        let fits = |pattern: &String| {
            let mut wanted = pattern.split('/');
            parts()
                .zip(&mut wanted)
                .take_while(|(_, wanted)| *wanted != "**")
                .all(|(part, wanted)| glob::matches(wanted, part))
        };
        patterns.iter().any(fits)
    }

    /// Where any active workflow that binds writes lets them go: a mode does not forbid what another asks for.
    fn free_places(&self) -> Vec<String> {
        let of = |flow: &'a Flow| {
            let gates = flow.gates.iter().filter(|gate| gate.on.contains(&On::Write));
            gates.flat_map(move |gate| self.patterns(&gate.outside, flow))
        };
        self.flows.iter().filter(|flow| self.is_active(flow)).flat_map(of).collect()
    }

    fn patterns(&self, templates: &[String], flow: &Flow) -> Vec<String> {
        let filled = templates.iter().filter_map(|template| self.case.pattern(flow, template));
        filled.flat_map(|pattern| glob::expand(&pattern).unwrap_or_default()).collect()
    }

    fn act(&mut self, gate: &Gate, asking: &Asking) {
        let flow = asking.flow;
        if gate.once && !gate.then.is_empty() {
            self.set(flow, &done(flow, gate), true.into());
        }
        for act in &gate.then {
            self.one_act(act, asking);
        }
    }

    fn one_act(&mut self, act: &Act, asking: &Asking) {
        let flow = asking.flow;
        let space = || flow.name.clone();
        match act {
            Act::Phase(phase) => {
                let from = self.case.states.of(flow.scope).get(&flow.name, "phase").cloned();
                self.change(
                    flow,
                    Change::Move { space: space(), key: "phase".into(), from, to: phase.as_str().into() },
                );
            }
            Act::End => {
                self.set(flow, "is_active", false.into());
                self.set(flow, "completed", true.into());
            }
            Act::Start(name) => {
                let other = self.flows.iter().find(|other| other.name == *name);
                if let Some(other) =
                    other.filter(|other| !self.case.states.of(other.scope).is(name, "is_active"))
                {
                    self.begin(other);
                }
            }
            Act::Set(key, text) => {
                if let Some(text) = words::fill(asking, text) {
                    self.set(flow, key, value(text));
                }
            }
            Act::Count(key) => self.change(flow, Change::Add { space: space(), key: key.clone(), by: 1 }),
            Act::Remember { key, value, most } => {
                if let Some(text) = words::fill(asking, value) {
                    let value = words::cut(&text, 500).into();
                    self.change(flow, Change::Push { space: space(), key: key.clone(), value, most: *most });
                }
            }
            Act::Forget(keys) => {
                for key in keys {
                    self.change(flow, Change::Remove { space: space(), key: key.clone() });
                }
            }
            Act::Say(text) => self.said.extend(words::fill(asking, text).map(|text| (3, text))),
            Act::Read(files) => {
                for file in files {
                    let text = stands(self.case, file).map(|text| format!("# {file}\n{}", text.trim_end()));
                    self.said.extend(text.map(|text| (4, text)));
                }
            }
            Act::Tell(text) => self.out.notices.extend(words::fill(asking, text)),
            Act::Save { to, file, fields } => self.save(to, file, fields, asking),
            Act::Recover { from, file } => self.recover(from, file, asking),
            Act::Notify { channel, text } => {
                if flow.trusted && *channel != Channel::Run(String::new()) {
                    self.out.after.push(After::Notify(channel.clone(), words::summary(asking, text)));
                }
            }
        }
    }

    /// Tells that a gate lets pass what it is there to refuse.
    fn waive(&mut self, what: String) {
        self.out.notices.push(what.clone());
        self.out.waived.push(what);
    }

    fn set(&mut self, flow: &Flow, key: &str, value: Value) {
        self.change(flow, Change::Set { space: flow.name.clone(), key: key.to_owned(), value });
    }

    fn change(&mut self, flow: &Flow, change: Change) {
        self.out.changes.push((flow.scope, change));
    }

    /// Refuses with a message. `instead` tells the way out.
    fn refuse(&mut self, flow: &Flow, level: Refusal, message: String, instead: String) {
        let verdict = match level {
            _ if self.mode == Mode::Observe => Verdict::Note,
            Refusal::Level(level) => level.verdict(),
            Refusal::Fail => Verdict::Halt,
        };
        let hit = Hit { what: message, instead, span: Span::default(), certainty: Certainty::Certain };
        self.out.findings.push(Finding {
            rule: format!("workflow/{}", flow.name),
            verdict,
            savable: false,
            hit,
        });
    }

    /// The most important first, nothing twice, and no more than agents take.
    fn finish(mut self) -> Outcome {
        self.said.sort_by_key(|(importance, _)| *importance);
        let lines = words::once(self.said.into_iter().map(|(_, line)| line).collect());
        let mut left = self.case.budget;
        for line in lines {
            if left < CUT + SHORTEST {
                self.out.context.push("… (more was to be said, but there is no room for it)".to_owned());
                break;
            }
            let line = if line.chars().count() + CUT > left { words::cut(&line, left - CUT) } else { line };
            left = left.saturating_sub(line.chars().count() + 1);
            self.out.context.push(line);
        }
        self.out
    }
}

fn done(flow: &Flow, gate: &Gate) -> String {
    let index = flow.gates.iter().position(|other| std::ptr::eq(other, gate)).unwrap_or_default();
    format!("done.{index}")
}

fn with_why(message: &str, why: &[String]) -> String {
    if why.is_empty() { message.to_owned() } else { format!("{message} ({})", why.join("; ")) }
}

fn is_in(path: &str, patterns: &[String]) -> bool {
    !path.contains('*') && patterns.iter().any(|pattern| glob::matches(pattern, path))
}
