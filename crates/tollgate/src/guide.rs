//! What workflows make of an event: asked after the rules, and remembered before the answer is out.

use std::cell::{OnceCell, RefCell};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_agents::Adapter;
use tollgate_model::json::Value;
use tollgate_model::{
    Actor, Change, Decision, Effect, EffectKind, Event, Kind, Mode, Phase, ToolCall, Verdict, World,
};
use tollgate_policy::{Budget, Policy};
use tollgate_store::{
    Held, LogFault, STATE_PATIENCE, SessionProject, Whose, change_state, read_state, under_way,
};
use tollgate_workflow::{
    After, Case, Channel, CommandRun, Flow, Ground, Index, Interest, On, Outcome, Ran, Run, Scope, States,
    Watch, evaluate, evaluate_at, is_like_a_run,
};

use crate::flows::Places;
use crate::patience::Patience;
use crate::runs::{self, NOT_ITS_STATUS};
use crate::world::Machine;
use crate::{notify, program};

/// A set of workflows looking at one event.
pub struct Guide<'a> {
    /// Which events they listen to.
    pub index: &'a Index,
    /// What the session knows of itself, the workflows under way among it.
    pub session: &'a SessionProject,
    /// Where they are.
    pub places: Places<'a>,
    pub policy: &'a Policy,
    pub event: &'a Event,
    pub adapter: &'static dyn Adapter,
    pub world: &'a Machine,
    pub state: &'a Path,
    pub patience: Patience,
    pub once: Once,
}

/// What is read once, and not before somebody asks.
#[derive(Default)]
pub struct Once {
    /// What the workflows have to be asked: when one listens.
    watch: OnceCell<Watch>,
    /// The workflows themselves: when one has a say.
    flows: OnceCell<Vec<Flow>>,
    /// What is remembered.
    known: RefCell<Option<States>>,
    /// What a gate let pass that it is there to refuse.
    waived: RefCell<Vec<String>>,
    /// What commands did that a gate asked for.
    ran: RefCell<Vec<(String, CommandRun)>>,
}

/// The end of the call that started a subagent, for agents whose subagents stop without an event of their own.
pub fn stand_in(event: &Event, adapter: &dyn Adapter) -> Option<Event> {
    let Kind::PostTool { tool, response } = &event.kind else { return None };
    let ToolCall::Spawn { agent, .. } = &tool.call else { return None };
    let told = adapter.profile().events.iter().any(|row| row.phase == Phase::SubagentStop);
    let message = tollgate_workflow::said(response);
    (!told).then(|| Event {
        actor: Actor::Subagent { id: tool.id.clone(), kind: agent.clone() },
        kind: Kind::SubagentStop { again: None, message },
        ..event.clone()
    })
}

/// What is done once the answer is out.
#[derive(Debug, Default)]
pub struct Afterwards(Vec<Later>);

/// Whoever brings records to the sinks.
#[derive(Debug)]
pub struct Courier {
    pub config: std::path::PathBuf,
    pub state: std::path::PathBuf,
    /// The record that it is started for.
    pub from: u64,
}

#[derive(Debug)]
enum Later {
    Forget {
        state: std::path::PathBuf,
        agent: &'static str,
        session: String,
        project: String,
        scope: Scope,
        change: Change,
    },
    Delete {
        project: String,
        path: String,
    },
    Notify {
        project: String,
        channel: Channel,
        text: String,
    },
    Deliver(Courier),
    Fleet {
        config: std::path::PathBuf,
        state: std::path::PathBuf,
    },
    Clean(std::path::PathBuf, Budget),
}

impl Guide<'_> {
    /// Adds what the workflows say to a decision, and gives back what is to be remembered.
    pub fn judge(&self, effects: &[Effect], decision: &mut Decision) -> Outcome {
        let may_be = |name: &str| self.session.may_be_under_way(name);
        if !self.index.is_asked(self.event, effects, may_be) {
            return Outcome::default();
        }
        let done = self.effects_done();
        let effects = if effects.is_empty() { done.as_slice() } else { effects };
        let interest = self.watch().interest(self.event, effects);
        if interest == Interest::Nobody {
            return Outcome::default();
        }
        let states = self.states(decision);
        if !interest.holds(&states) {
            return Outcome::default();
        }
        let (run, uncounted) = self.run(effects);
        let case = Case { uncounted, run: run.as_ref(), ..self.case(effects, &states) };
        // Judged as if it were enforced, so that what is only observed is known for what it is.
        let outcome = evaluate(self.flows(), &case, Mode::Enforce);
        for finding in outcome.findings.iter().cloned() {
            match self.policy.mode {
                Mode::Observe => decision.observe(finding),
                Mode::Enforce => decision.add(finding),
            }
        }
        decision.context.extend(outcome.context.iter().cloned());
        decision.notices.extend(outcome.notices.iter().map(|notice| format!("tollgate: {notice}")));
        self.once.waived.borrow_mut().extend(outcome.waived.iter().cloned());
        outcome
    }

    /// Remembers what follows from the decision as it stands. What could not be kept is told.
    pub fn keep(&self, effects: &[Effect], outcome: Outcome, decision: &mut Decision) -> Afterwards {
        let refused = decision.verdict >= Verdict::Deny;
        let mut changes = outcome.counts;
        let mut after = Vec::new();
        if !refused {
            changes.extend(outcome.changes);
            after = outcome.after;
            for (path, text) in &outcome.mirrors {
                if let Err(fault) =
                    tollgate_store::write_mirror(Path::new(self.world.workspace()), path, text)
                {
                    decision.notices.push(format!("tollgate: {fault}"));
                }
            }
        } else if self.event.pending().is_some() && self.index.wants_refused() {
            let states = self.states(decision);
            let case = self.case(effects, &states);
            let refusal = evaluate_at(self.flows(), &case, self.policy.mode, &[On::Refused]);
            changes.extend(refusal.changes);
            after = refusal.after;
        }
        if !self.store(&changes, decision) {
            self.give_in(decision);
        }
        Afterwards(after.into_iter().map(|one| self.later(one)).collect())
    }

    /// What the record of the event says of workflows: those under way, and what a gate let pass that it is there to
    /// refuse.
    pub fn record(&self) -> impl Iterator<Item = (String, Value)> + use<> {
        let waived: Vec<Value> = self.once.waived.take().into_iter().map(Value::from).collect();
        let waived = (!waived.is_empty()).then(|| ("waived".to_owned(), Value::List(waived)));
        self.under_way().into_iter().chain(waived)
    }

    /// The workflows that are under way, each with its phase: as they are after the event, or as the session has it if
    /// nobody has asked.
    fn under_way(&self) -> Option<(String, Value)> {
        let named = match &*self.once.known.borrow() {
            Some(states) => match (under_way(&states.session), under_way(&states.project)) {
                (Some(Value::List(mut own)), Some(Value::List(all))) => {
                    own.extend(all);
                    Some(Value::List(own))
                }
                (own, all) => own.or(all),
            },
            None => self.session.workflows.clone().filter(|_| !self.index.is_empty()),
        };
        named.map(|named| ("workflow".to_owned(), named))
    }

    fn watch(&self) -> &Watch {
        self.once.watch.get_or_init(|| self.places.watch(self.policy))
    }

    fn flows(&self) -> &[Flow] {
        self.once.flows.get_or_init(|| self.places.load(self.policy).flows)
    }

    fn case<'c>(&'c self, effects: &'c [Effect], states: &'c States) -> Case<'c> {
        Case {
            event: self.event,
            effects,
            world: self.world,
            states,
            run: None,
            uncounted: None,
            budget: self.adapter.longest_context().saturating_sub(MARGIN),
            ground: self,
            now: now(),
            milestone: OnceCell::new(),
        }
    }

    /// What a call did that has already run, where a workflow wants to know.
    fn effects_done(&self) -> Vec<Effect> {
        let tool = match &self.event.kind {
            Kind::PostTool { tool, .. } | Kind::PostToolFail { tool, .. } => tool,
            _ => return Vec::new(),
        };
        if !self.watch().wants_effects(self.event) {
            return Vec::new();
        }
        tollgate_effects::analyse_call(tool, &self.event.cwd, self.world)
    }

    /// The run of tests that the event tells of: the runner itself decided the call's status, and what it printed
    /// agrees with that. Else, why a run does not count.
    fn run(&self, effects: &[Effect]) -> (Option<Run>, Option<&'static str>) {
        let Some(ToolCall::Shell { command, .. }) = self.event.tool().map(|tool| &tool.call) else {
            return (None, None);
        };
        if !self.watch().may_be_run(self.event) || !effects.iter().any(is_like_a_run) {
            return (None, None);
        }
        match self.seen(command, effects) {
            Ok(run) => (Some(run), None),
            Err(why) => (None, Some(why)),
        }
    }

    fn seen(&self, command: &str, effects: &[Effect]) -> Result<Run, &'static str> {
        let decides = tollgate_effects::status_of(command).ok_or(NOT_ITS_STATUS)?;
        let span = decides.span;
        let words = runs::followed(command, decides, &self.event.cwd, self.world)?;
        let given = tollgate_workflow::given(&words, self.world.workspace()).ok_or(NOT_ITS_STATUS)?;
        let within = |effect: &&Effect| {
            span.start <= effect.span.start && effect.span.end <= span.end && is_run(effect)
        };
        effects.iter().find(within).ok_or(NOT_ITS_STATUS)?;
        let (status, output) = self.adapter.ended(self.event).ok_or(NOT_TOLD)?;
        let run = tollgate_workflow::observed(status, &output).ok_or(NO_COUNTS)?;
        Ok(Run { given, ..run })
    }

    fn states(&self, decision: &mut Decision) -> States {
        if let Some(states) = &*self.once.known.borrow() {
            return states.clone();
        }
        let session = self.load(Scope::Session, decision);
        let shared = self.watch().is_shared();
        let project = if shared { self.load(Scope::Project, decision) } else { Default::default() };
        let mut states = States { session, project };
        states.session.expire(now(), |name| self.watch().life(name));
        states.project.expire(now(), |name| self.watch().life(name));
        self.once.known.replace(Some(states.clone()));
        states
    }

    fn load(&self, scope: Scope, decision: &mut Decision) -> tollgate_model::State {
        self.told(read_state(self.state, self.whose(scope)), decision).state
    }

    /// A refusal to stop that cannot be counted has no end, unless the agent says that it is the first.
    fn give_in(&self, decision: &mut Decision) {
        let (Kind::Stop { again, .. } | Kind::SubagentStop { again, .. }) = &self.event.kind else { return };
        if *again == Some(false) || !decision.verdict.refuses() {
            return;
        }
        decision.verdict = Verdict::Allow;
        for mut finding in std::mem::take(&mut decision.findings) {
            if finding.rule.starts_with("workflow/") && finding.verdict.refuses() {
                let told = format!("allowed, because it cannot be counted: {}", finding.hit.what);
                decision.notices.push(format!("tollgate: {told}"));
                self.once.waived.borrow_mut().push(told);
                finding.verdict = Verdict::Note;
            }
            decision.add(finding);
        }
    }

    /// Keeps changes. Were all of them kept?
    fn store(&self, changes: &[(Scope, Change)], decision: &mut Decision) -> bool {
        let mut kept = true;
        for scope in [Scope::Session, Scope::Project] {
            let own: Vec<Change> = changes
                .iter()
                .filter(|(other, _)| *other == scope)
                .map(|(_, change)| change.clone())
                .collect();
            if !own.is_empty() {
                // Waiting for others is no reason to be ended.
                self.patience.extend(STATE_PATIENCE + Duration::from_secs(2));
                let held = change_state(self.state, self.whose(scope), &own);
                // A session without an id has no memory.
                kept &= held.is_ok() && (scope == Scope::Project || !self.event.session.is_empty());
                let state = self.told(held, decision).state;
                if let Some(states) = self.once.known.borrow_mut().as_mut() {
                    match scope {
                        Scope::Session => states.session = state,
                        Scope::Project => states.project = state,
                    }
                }
            }
        }
        kept
    }

    fn told(&self, held: Result<Held, LogFault>, decision: &mut Decision) -> Held {
        let (held, told) = match held {
            Ok(held) => (held.clone(), held.told),
            Err(fault) => {
                (Held::default(), Some(format!("the state of workflows could not be written: {fault}")))
            }
        };
        decision.notices.extend(told.map(|told| format!("tollgate: {told}")));
        held
    }

    fn whose(&self, scope: Scope) -> Whose<'_> {
        match scope {
            Scope::Session => Whose::Session { agent: self.event.agent.name(), session: &self.event.session },
            Scope::Project => Whose::Project(self.world.workspace()),
        }
    }

    fn later(&self, after: After) -> Later {
        let project = self.world.workspace().to_owned();
        match after {
            After::Forget(scope, change) => Later::Forget {
                state: self.state.to_owned(),
                agent: self.event.agent.name(),
                session: self.event.session.clone(),
                project,
                scope,
                change,
            },
            After::Delete(path) => Later::Delete { project, path },
            After::Notify(channel, text) => Later::Notify { project, channel, text },
        }
    }
}

impl Ground for Guide<'_> {
    /// Two gates that ask for the same command at one event have it run once.
    fn run(&self, command: &str, timeout: u32) -> CommandRun {
        if let Some((_, ran)) = self.once.ran.borrow().iter().find(|(known, _)| known == command) {
            return ran.clone();
        }
        let ran = self.run_now(command, timeout);
        self.once.ran.borrow_mut().push((command.to_owned(), ran.clone()));
        ran
    }
}

impl Guide<'_> {
    fn run_now(&self, command: &str, timeout: u32) -> CommandRun {
        let wanted = Duration::from_secs(u64::from(timeout));
        self.patience.extend(wanted + Duration::from_secs(5));
        let limit = self.patience.within(wanted);
        let mut shell = notify::shell(command);
        match program::run(shell.current_dir(self.world.workspace()), b"", limit) {
            Ok(Some(ran)) => {
                CommandRun::Ended(Ran { exit: ran.exit, output: format!("{}\n{}", ran.stdout, ran.stderr) })
            }
            Ok(None) => CommandRun::TimedOut { seconds: limit.as_secs(), agent_limit: limit < wanted },
            Err(_) => CommandRun::NotRun,
        }
    }
}

impl Afterwards {
    /// The same, and a delivery.
    pub fn and(mut self, courier: Option<Courier>) -> Self {
        self.0.extend(courier.map(Later::Deliver));
        self
    }

    /// The same, and a courier for the fleet, with the folders of policy and state.
    pub fn and_fleet(mut self, folders: Option<(&Path, &Path)>) -> Self {
        let fleet = |(config, state): (&Path, &Path)| Later::Fleet {
            config: config.to_owned(),
            state: state.to_owned(),
        };
        self.0.extend(folders.map(fleet));
        self
    }

    /// The same, and a look for snapshots that are too old.
    pub fn and_clean(mut self, due: Option<(&Path, Budget)>) -> Self {
        self.0.extend(due.map(|(state, budget)| Later::Clean(state.to_owned(), budget)));
        self
    }

    /// Is there nothing to do?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Does it. The answer is out, so nothing here can change it, and a failure only means that it stays undone.
    pub fn run(self) {
        for later in self.0 {
            match later {
                Later::Forget { state, agent, session, project, scope, change } => {
                    let whose = match scope {
                        Scope::Session => Whose::Session { agent, session: &session },
                        Scope::Project => Whose::Project(&project),
                    };
                    let _ = change_state(&state, whose, &[change]);
                }
                Later::Delete { project, path } => tollgate_store::remove_mirror(Path::new(&project), &path),
                Later::Notify { project, channel, text } => notify::send(&channel, &text, &project),
                Later::Deliver(courier) => courier.start(),
                Later::Fleet { config, state } => start_fleet(&config, &state),
                Later::Clean(state, budget) => crate::saving::clean::start(&state, &budget),
            }
        }
    }
}

/// Starts the process that works for the fleet, which outlives this one. One that cannot be started leaves the records to
/// the next.
fn start_fleet(config: &Path, state: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.arg("fleet-courier").arg("--config").arg(config).arg("--state").arg(state);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let _ = command.spawn();
}

impl Courier {
    /// Starts a process that outlives this one. One that cannot be started leaves the records to the next.
    fn start(self) {
        let Ok(program) = std::env::current_exe() else { return };
        let mut command = Command::new(program);
        command.arg("deliver").arg("--config").arg(self.config).arg("--state").arg(self.state);
        command.arg("--from").arg(self.from.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let _ = command.spawn();
    }
}

/// Room in the context for what rules and middleware say beside the workflows.
const MARGIN: usize = 500;

const NOT_TOLD: &str = "this agent does not report the exit code of a command";
const NO_COUNTS: &str = "the output does not show that a test ran, or contradicts the exit code";

fn is_run(effect: &Effect) -> bool {
    let script = |argv: &[String]| tollgate_workflow::script(argv).is_some_and(|script| !script.perhaps);
    is_like_a_run(effect) && matches!(&effect.kind, EffectKind::Exec { argv, .. } if !script(argv))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
