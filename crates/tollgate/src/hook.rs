//! The way of one event: payload in, answer out. The page to read first.
//!
//! Downwards only: no step calls an earlier one, and any failure ends in one place, `adapter.fault`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tollgate_agents::capability::Ask;
use tollgate_agents::install::rivals;
use tollgate_agents::install::setup::{Roots, Setup};
use tollgate_agents::{Adapter, Payload};
use tollgate_lastword::{self as lastword, Deadline};
use tollgate_middleware::StageResult;
use tollgate_model::json::Value;
use tollgate_model::{
    Case, Certainty, Decision, Effect, Event, Fault, FaultKind, Finding, Hit, OnFault, Phase, Record, Reply,
    Span, Times, Verdict,
};
use tollgate_pipeline::{Judgement, Used};
use tollgate_policy::{Audit, Budget, Loaded, Policy, Redact};
use tollgate_store::{Log, SessionProject, redact};
use tollgate_workflow::Index;

use crate::alive;
use crate::dirs::{self, Dirs};
use crate::exceptions;
use crate::flows::Places;
use crate::guard::{self, Guard};
use crate::guide::{self, Afterwards, Courier, Guide, Once};
use crate::patience::{DEADLINE, Patience};
use crate::pin;
use crate::saving::{self, Saving};
use crate::secrets::Secrets;
use crate::session::Session;
use crate::stdin;
use crate::watcher;
use crate::world::Machine;
use tollgate_model::is_canary;

/// How long the record of a failure may take.
const TO_RECORD: Duration = Duration::from_secs(20);

/// The refusal of a call whose answer cannot be written to standard output.
const UNHEARD: &str = "Tollgate could not write its answer to standard output, so this call is refused\n";

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// More memory than any payload within the limits can need.
const MEMORY: u64 = 512 << 20;

/// Answers one event and ends the process.
pub fn run(args: &[String]) -> ! {
    lastword::settle();
    let (reply, after) = match Hook::new(args) {
        Ok(hook) => match &hook.failed {
            None => hook.answer(args),
            Some(cause) => (hook.record_failure(cause), Afterwards::default()),
        },
        Err(message) => {
            let reply = Reply { stderr: message, exit: 2, expressed: Verdict::Deny, ..Reply::default() };
            (reply, Afterwards::default())
        }
    };
    if !reply.expressed.refuses() {
        // Nobody may hear what would be allowed anyway.
        lastword::prepare_unheard("");
    }
    if !after.is_empty() && lastword::say(&reply.stdout, &reply.stderr) {
        after.run();
    }
    lastword::speak(&reply.stdout, &reply.stderr, reply.exit)
}

struct Hook {
    adapter: &'static dyn Adapter,
    event: Option<String>,
    config: PathBuf,
    state: PathBuf,
    /// The folder of a policy that `tollgate build` wrote.
    built: Option<PathBuf>,
    /// An earlier process failed over this event, for this cause; this one only records it.
    failed: Option<String>,
}

impl Hook {
    fn answer(&self, args: &[String]) -> (Reply, Afterwards) {
        self.prepare_last_words(OnFault::default());
        keep_recorder(args);
        watcher::split_where_needed();
        let start = Instant::now();
        let hinted = self.patience(self.event.as_deref().unwrap_or_default(), start);
        lastword::arm(hinted.deadline(DEADLINE), MEMORY);
        let bytes: &'static [u8] = match stdin::read() {
            Ok(bytes) => bytes.leak(),
            Err(fault) => return (self.fault(&[], None, &fault, OnFault::default()), Afterwards::default()),
        };
        lastword::keep_payload(bytes);
        let event = match self.adapter.read(&self.payload(bytes)) {
            Ok(event) => event,
            Err(fault) => {
                return (self.fault(bytes, None, &fault, OnFault::default()), Afterwards::default());
            }
        };
        let read = micros(start);
        self.decide(&event, bytes, start, read)
    }

    /// Writes the record that the failed process could not write. Nobody hears the answer: that one is out.
    fn record_failure(&self, cause: &str) -> Reply {
        lastword::arm(Deadline::after(TO_RECORD), MEMORY);
        let bytes = stdin::read().unwrap_or_default();
        let event = self.adapter.read(&self.payload(&bytes)).ok();
        let (kind, message) = match cause {
            "deadline" => (FaultKind::Deadline, "Tollgate took too long over this event".to_owned()),
            "stalled" => (FaultKind::Deadline, "a file system did not answer in time".to_owned()),
            cause => (FaultKind::Panic, format!("the hook ended early ({cause})")),
        };
        self.fault(&bytes, event.as_ref(), &Fault::new(kind, message), OnFault::default())
    }

    /// The agent is the one that the gate is registered with; another that reads its settings waits as long or longer.
    fn patience(&self, event: &str, start: Instant) -> Patience {
        Patience::of(self.adapter.agent().name(), event, start)
    }

    fn decide(&self, event: &Event, native: &[u8], start: Instant, read: u64) -> (Reply, Afterwards) {
        let patience = self.patience(&event.name, start);
        let known = self.project(event);
        let project = known.path.clone();
        let loaded = self.policy(event, &project);
        self.prepare_other_last_words(loaded.policy.on_fault);
        let policy = micros(start) - read;
        let world = Machine::new(&project, &self.config, &self.state, &loaded.sources);
        let world = world.in_session(&self.state, event.agent.name(), &event.session);
        let Judgement { effects, mut decision } = tollgate_pipeline::judge(event, &world, &loaded.policy);
        let excepted = self.except(&Case { event, effects: &effects, world: &world }, &loaded, &mut decision);
        let secrets = Secrets::of(event, &self.state);
        let refusal = self.prepare_refusal(event, &secrets, &mut decision);
        let saving = Saving::new(event, &effects, &world, &self.state, &loaded.policy);
        let saved_first = self.save_first(&saving, &mut decision);
        let index = Index::from_bytes(loaded.beside.clone());
        let ended = if index.is_empty() { None } else { guide::stand_in(event, self.adapter) };
        let guide = Guide {
            index: &index,
            session: &known,
            places: self.places(&project),
            policy: &loaded.policy,
            event: ended.as_ref().unwrap_or(event),
            adapter: self.adapter,
            world: &world,
            state: &self.state,
            patience,
            once: Once::default(),
        };
        let outcome = guide.judge(&effects, &mut decision);
        tell(event, &loaded, &self.state, &mut decision);
        let guard = Guard {
            adapter: self.adapter,
            event,
            native,
            policy: &loaded.policy,
            world: &world,
            state: &self.state,
        };
        let results = guard.run(&effects, &mut decision, patience);
        let session = Session { event, effects: &effects, world: &world, state: &self.state };
        session.weigh(&mut decision);
        let after = guide.keep(&effects, outcome, &mut decision);
        let saved = saved_first.unwrap_or_else(|| self.save(&saving, &decision));
        decision.alone = decision.verdict == Verdict::Ask && self.is_alone(event, &project);
        secrets.hide(&mut decision);
        let reply = self.reply(&session, &guard, &results, &mut decision);
        let kept = Kept {
            event,
            project: &project,
            effects: &effects,
            results: &results,
            excepted: &excepted,
            times: Times { read, policy, judge: micros(start) - read - policy },
            workflows: guide.record().collect(),
            loaded: &loaded,
            refusal,
            saved: &saved,
        };
        let (reply, seq) = self.record(&kept, decision, reply);
        (reply, self.and_later(after, &loaded, seq, &saved))
    }

    /// A call that is refused only for losses may run once all of them are saved. Everything after this sees the call as
    /// one that runs. If this process dies before, the refusal stands.
    fn save_first(&self, saving: &Saving, decision: &mut Decision) -> Option<saving::Outcome> {
        if !decision.is_savable() {
            return None;
        }
        if saving.event.phase() != Phase::PreTool {
            // The agent's own question about the same call; it was saved before that was asked.
            let saved_before = self.adapter.profile().events.iter().any(|row| row.phase == Phase::PreTool);
            if saved_before {
                decision.settle_saved();
            }
            return None;
        }
        if decision.verdict_if_saved() >= Verdict::Deny {
            return None;
        }
        match saving.save_whole() {
            Ok(saved) => {
                decision.settle_saved();
                let notice = saved.notice().map(|notice| format!("tollgate: {notice}"));
                decision.context.extend(notice.clone());
                decision.notices.extend(notice);
                Some(saved)
            }
            Err(why) => {
                decision.unsaved = why;
                None
            }
        }
    }

    /// Keeps what a call that may run deletes or overwrites; a call that is refused loses nothing.
    fn save(&self, saving: &Saving, decision: &Decision) -> saving::Outcome {
        saving::end(saving.event, &self.state);
        match decision.verdict < Verdict::Deny {
            true => saving.save(),
            false => saving::Outcome::Nothing,
        }
    }

    /// The answer, once the session remembers what it is and the observers are set on it. What those tell goes into it.
    fn reply(
        &self,
        session: &Session,
        guard: &Guard,
        results: &[StageResult],
        decision: &mut Decision,
    ) -> Reply {
        let reply = self.adapter.reply(session.event, decision);
        let told = decision.notices.len();
        session.remember(decision, reply.expressed);
        guard.watch(session.effects, results, decision);
        if decision.notices.len() > told { self.adapter.reply(session.event, decision) } else { reply }
    }

    /// Does no other hook decide about the call? Only for agents where a question could undo another's refusal.
    fn is_alone(&self, event: &Event, project: &str) -> bool {
        let setup = Setup::of(event.agent.name()).filter(|_| self.adapter.row(event).ask == Ask::Alone);
        let (Some(setup), Some(home)) = (setup, dirs::home()) else { return false };
        let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
        rivals::alone(setup, &Roots { home: &home, project: Path::new(project), env: &env })
    }

    fn places<'a>(&'a self, project: &'a str) -> Places<'a> {
        Places { config: &self.config, state: &self.state, project }
    }

    /// Puts the decision on disk before the agent hears of it, or says that it is not.
    fn record(&self, kept: &Kept, mut decision: Decision, reply: Reply) -> (Reply, Option<u64>) {
        if lastword::has_passed() {
            return (self.record_deadline(kept), None);
        }
        let mut record = Record::of(kept.event, kept.effects, &decision, reply.expressed, kept.times)
            .made_by(VERSION, &kept.loaded.digest);
        record.fields.extend(guard::record(kept.results));
        record.fields.extend(exceptions::record(kept.excepted));
        record.fields.extend(kept.place());
        record.fields.extend(kept.saved.record());
        record.fields.extend(kept.workflows.clone());
        let log = Log::at(&self.state)
            .personal(kept.loaded.policy.redact == Redact::Personal)
            .durable(kept.loaded.policy.audit == Audit::Durable);
        let fault = match log.append(&record, SystemTime::now()) {
            Ok(appended) => {
                if ends_turn(kept.event) {
                    // What cannot be closed here is closed by whoever counts.
                    let _ = log.close_turn(&appended, SystemTime::now());
                }
                if lastword::has_passed() {
                    return (self.record_deadline(kept), Some(appended.seq));
                }
                return (reply, Some(appended.seq));
            }
            Err(fault) => fault,
        };
        decision
            .notices
            .push(format!("tollgate: this event could not be recorded: {fault}; see `tollgate doctor`"));
        if kept.loaded.policy.audit >= Audit::Required && kept.event.pending().is_some() {
            decision.add(unrecorded(&fault.to_string()));
        }
        (self.adapter.reply(kept.event, &decision), None)
    }

    /// The deadline has answered meanwhile: that answer is what goes into the log.
    fn record_deadline(&self, kept: &Kept) -> Reply {
        let fault = Fault::new(FaultKind::Deadline, "Tollgate took too long over this event");
        let Some(refusal) = &kept.refusal else {
            return self.fault(&[], Some(kept.event), &fault, kept.loaded.policy.on_fault);
        };
        self.record_fault(Some(kept.event), &fault, refusal.expressed);
        refusal.clone()
    }

    /// What is done after the answer: what workflows want, and what the record and the snapshot bring with them.
    fn and_later(
        &self,
        after: Afterwards,
        loaded: &Loaded,
        seq: Option<u64>,
        saved: &saving::Outcome,
    ) -> Afterwards {
        let policy = &loaded.policy;
        let after = after.and(self.delivery(policy, seq)).and_clean(self.clean_up(saved, policy));
        after.and_fleet(self.fleet(loaded))
    }

    /// The folders for the courier of a machine that has joined a fleet, unless one is under way. No other machine looks.
    fn fleet(&self, loaded: &Loaded) -> Option<(&Path, &Path)> {
        let idle = loaded.has_fleet() && !tollgate_courier::is_running(&self.state);
        idle.then_some((self.config.as_path(), self.state.as_path()))
    }

    /// Whoever brings the record to the sinks, unless somebody is on the way already.
    fn delivery(&self, policy: &Policy, seq: Option<u64>) -> Option<Courier> {
        let from = seq.filter(|_| !policy.sinks.is_empty() && !tollgate_sinks::is_running(&self.state))?;
        Some(Courier { config: self.config.clone(), state: self.state.clone(), from })
    }

    /// The state directory, when old snapshots are to be looked for in it.
    fn clean_up(&self, saved: &saving::Outcome, policy: &Policy) -> Option<(&Path, Budget)> {
        let due = matches!(saved, saving::Outcome::Saved(_)) && saving::clean::is_due(&self.state);
        due.then_some((self.state.as_path(), policy.budget))
    }

    /// The one place where a failure becomes an answer.
    fn fault(&self, bytes: &[u8], event: Option<&Event>, fault: &Fault, on_fault: OnFault) -> Reply {
        let fault = Fault::new(fault.kind, redact(&fault.message));
        let reply = self.adapter.fault(&self.payload(bytes), event, &fault, on_fault);
        self.record_fault(event, &fault, reply.expressed);
        reply
    }

    fn record_fault(&self, event: Option<&Event>, fault: &Fault, expressed: Verdict) {
        let record =
            Record::of_fault(event, self.adapter.agent().name(), fault, expressed).made_by(VERSION, "");
        // A fault that cannot be recorded is still answered, and the answer tells the fault itself.
        if Log::at(&self.state).append(&record, SystemTime::now()).is_ok() {
            lastword::recorded();
        }
    }

    /// The same, where the policy says something else than what was prepared first.
    fn prepare_other_last_words(&self, on_fault: OnFault) {
        if on_fault != OnFault::default() {
            self.prepare_last_words(on_fault);
        }
    }

    /// The refusal that goes out if this process dies.
    fn prepare_last_words(&self, on_fault: OnFault) {
        let fault = Fault::new(FaultKind::Panic, "Tollgate itself failed or took too long over this event");
        let reply = self.adapter.fault(&self.payload(&[]), None, &fault, on_fault);
        lastword::prepare(&reply.stdout, &reply.stderr, reply.exit);
        lastword::prepare_unheard(if reply.expressed.refuses() { UNHEARD } else { "" });
    }

    fn except(&self, case: &Case, loaded: &Loaded, decision: &mut Decision) -> Vec<Used> {
        exceptions::apply(decision, case, &loaded.policy, &self.state)
    }

    /// What the rules refuse stays refused, with its reason, if this process dies or runs out of time later: while
    /// workflows or middleware run, or while it is recorded.
    fn prepare_refusal(&self, event: &Event, secrets: &Secrets, decision: &mut Decision) -> Option<Reply> {
        if decision.verdict < Verdict::Deny {
            return None;
        }
        secrets.hide(decision);
        let reply = self.adapter.reply(event, decision);
        lastword::prepare(&reply.stdout, &reply.stderr, reply.exit);
        Some(reply)
    }

    fn payload<'a>(&'a self, bytes: &'a [u8]) -> Payload<'a> {
        Payload { bytes, hint: self.event.as_deref(), env: &|name| std::env::var(name).ok() }
    }

    /// The project is fixed at the session's first event.
    fn project(&self, event: &Event) -> SessionProject {
        let first = || first_project(event);
        tollgate_store::session_project(&self.state, event.agent.name(), &event.session, first)
    }

    fn policy(&self, event: &Event, project: &str) -> Loaded {
        let request = tollgate_policy::Request {
            managed_dir: Path::new(dirs::MANAGED),
            config_dir: &self.config,
            state_dir: &self.state,
            project: (!project.is_empty()).then(|| Path::new(project)),
            built: self.built.as_deref(),
            cwd: Path::new(&event.cwd),
        };
        // A canary's answer is read by no person: what is told once must wait for one.
        let lasting = !is_canary(Some(&event.session));
        tollgate_policy::load_beside(&request, &tollgate_rules::Rules, &self.places(project), lasting)
    }
}

/// What goes into the record beside the decision.
struct Kept<'a> {
    event: &'a Event,
    project: &'a str,
    effects: &'a [Effect],
    results: &'a [StageResult],
    excepted: &'a [Used],
    times: Times,
    workflows: Vec<(String, Value)>,
    loaded: &'a Loaded,
    /// The refusal that the deadline answers with.
    refusal: Option<Reply>,
    saved: &'a saving::Outcome,
}

impl Kept<'_> {
    /// The session's project, where that is another folder than the working directory.
    fn place(&self) -> Option<(String, Value)> {
        let elsewhere = !self.project.is_empty() && self.project != self.event.cwd;
        elsewhere.then(|| ("project".to_owned(), self.project.into()))
    }
}

impl Hook {
    fn new(args: &[String]) -> Result<Self, String> {
        let mut words = args.iter();
        let mut names = Vec::new();
        let (mut config, mut state, mut built, mut failed) = (None, None, None, None);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--config" => config = words.next().map(PathBuf::from),
                "--state" => state = words.next().map(PathBuf::from),
                "--policy" => built = words.next().map(PathBuf::from),
                "--failed" => failed = words.next().cloned(),
                other => names.push(other),
            }
        }
        let mut names = names.into_iter();
        let agent = names.next().unwrap_or_default();
        let Some(adapter) = tollgate_agents::adapter(agent) else {
            return Err(format!(
                "tollgate: unknown agent `{agent}` in the hook's command; run `tollgate doctor`\n"
            ));
        };
        let event = names.next().map(str::to_owned);
        let absolute = |dir: Option<PathBuf>| dir.filter(|dir| dir.is_absolute());
        if let (Some(config), Some(state)) = (absolute(config), absolute(state)) {
            return Ok(Self { adapter, event, config, state, built, failed });
        }
        let Some(dirs) = Dirs::find() else {
            return Err(
                "tollgate: no home directory, and the hook's command names no --config and --state\n"
                    .to_owned(),
            );
        };
        Ok(Self { adapter, event, config: dirs.config, state: dirs.state, built, failed })
    }
}

/// This program with the same arguments records what this process fails over.
fn keep_recorder(args: &[String]) {
    let hook = ["hook".to_owned()];
    let failed = ["--failed".to_owned()];
    let words: Vec<String> = hook.iter().chain(args).chain(&failed).cloned().collect();
    lastword::keep_recorder(&words);
}

/// The agent's own project folder, else the outermost repository above the working directory, else that.
fn first_project(event: &Event) -> String {
    let named = event.project.as_deref().filter(|project| Path::new(project).is_absolute());
    if let Some(project) = named {
        return project.trim_end_matches('/').to_owned();
    }
    dirs::repository(Path::new(&event.cwd)).to_string_lossy().into_owned()
}

/// A turn's end also ends the calls that have no result.
fn ends_turn(event: &Event) -> bool {
    use tollgate_model::Phase::{SessionEnd, Stop, StopError, SubagentStop};
    matches!(event.phase(), Stop | StopError | SubagentStop | SessionEnd)
}

/// What a person must know about the policy, at the start of a session and with every refusal, and about the days before.
fn tell(event: &Event, loaded: &Loaded, state: &Path, decision: &mut Decision) {
    use tollgate_model::Phase;
    if event.phase() == Phase::SessionStart || decision.verdict.refuses() || loaded.rebuilt {
        decision.notices.extend(loaded.notices.iter().map(|notice| format!("tollgate: {notice}")));
    }
    decision.notices.extend(alive::told(event, state).into_iter().chain(wrong_pins(event, state)));
}

/// Wrong PINs are told to whoever begins a session.
fn wrong_pins(event: &Event, state: &Path) -> Option<String> {
    let begins = event.phase() == tollgate_model::Phase::SessionStart && !is_canary(Some(&event.session));
    let told = begins.then(|| pin::wrong_tries(state))??;
    Some(format!("tollgate: {told}; if that was not you, see `tollgate doctor`"))
}

fn unrecorded(why: &str) -> Finding {
    let hit = Hit {
        what: format!("cannot be recorded ({why}), and the policy says `audit: required`"),
        instead: "ask the person to run: tollgate doctor".to_owned(),
        span: Span::default(),
        certainty: Certainty::Certain,
    };
    Finding { rule: "audit-required".to_owned(), verdict: Verdict::Ask, savable: false, hit }
}

fn micros(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX)
}
