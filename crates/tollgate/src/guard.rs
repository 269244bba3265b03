//! The middleware of an event: what it says is taken into the decision, beside the rules.

use std::path::Path;
use std::time::Instant;

use tollgate_agents::{Adapter, Payload};
use tollgate_middleware::{Admission, Guarded, Observed, Request, Said, SearchPath, StageResult, Watch};
use tollgate_model::json::{Value, parse, write};
use tollgate_model::{
    Agent, Certainty, Decision, Effect, Event, Finding, Hit, Mode, OnFault, Span, Verdict, World,
};
use tollgate_policy::{OnError, Policy};

use crate::failed_hooks;
use crate::patience::{DEADLINE, Patience};

/// An event with what its middleware needs.
pub struct Guard<'a> {
    pub adapter: &'a dyn Adapter,
    pub event: &'a Event,
    pub native: &'a [u8],
    pub policy: &'a Policy,
    pub world: &'a dyn World,
    pub state: &'a Path,
}

impl Guard<'_> {
    /// Runs the guards, unless the call is refused already, and takes in what they say.
    pub fn run(&self, effects: &[Effect], decision: &mut Decision, patience: Patience) -> Vec<StageResult> {
        if self.policy.pipelines.is_empty() || decision.verdict >= Verdict::Deny {
            return Vec::new();
        }
        let path = SearchPath::new(self.state);
        let longest = tollgate_middleware::longest(&self.policy.pipelines, &self.request(effects, &path));
        if !longest.is_zero() {
            patience.extend(DEADLINE + longest);
        }
        let results = self.weigh(effects, decision, Some(patience.until()));
        let run = failed_hooks::Run {
            event: self.event,
            row: self.adapter.row(self.event),
            project: self.world.workspace(),
            policy: self.policy,
            state: self.state,
        };
        let reported = results.iter().map(|result| (result, self.on_fault(result)));
        decision.notices.extend(run.report(reported));
        results
    }

    /// The same with nobody waiting.
    pub fn judge(&self, effects: &[Effect], decision: &mut Decision) -> Vec<StageResult> {
        self.weigh(effects, decision, None)
    }

    fn request<'a>(&'a self, effects: &'a [Effect], path: &'a SearchPath) -> Request<'a> {
        Request { event: self.event, native: self.native, effects, until: None, admission: None, path }
    }

    fn weigh(&self, effects: &[Effect], decision: &mut Decision, until: Option<Instant>) -> Vec<StageResult> {
        let path = SearchPath::new(self.state);
        // Nobody waits for an explanation: it takes no turn of a hook.
        let admission = until.map(|until| Admission::new(self.state, "guards", Some(until)));
        let request = Request { until, admission: admission.as_ref(), ..self.request(effects, &path) };
        let Guarded { results, rewrite } = tollgate_middleware::guard(&self.policy.pipelines, &request);
        for finding in results.iter().filter_map(|result| self.finding(result)) {
            match self.policy.mode {
                Mode::Observe => decision.observe(finding),
                Mode::Enforce => decision.add(finding),
            }
        }
        decision.context.extend(results.iter().filter_map(remark));
        let told = |texts: fn(&StageResult) -> &String| {
            results.iter().map(texts).filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>()
        };
        decision.context.extend(told(|result| &result.context));
        decision.notices.extend(told(|result| &result.notice));
        decision.metrics.extend(metrics(&results));
        self.new_output(&results, decision);
        if let Some(input) = rewrite.filter(|_| !decision.verdict.refuses()) {
            self.rewrite(input, decision);
        }
        decision.approve |= results.iter().any(|result| result.approves) && !decision.verdict.refuses();
        results
    }

    /// Another output of a call that ran, which only Claude Code takes. Elsewhere the person is told.
    fn new_output(&self, results: &[StageResult], decision: &mut Decision) {
        let Some(result) = results.iter().rev().find(|result| result.output.is_some()) else { return };
        if self.event.agent == Agent::ClaudeCode {
            decision.output.clone_from(&result.output);
        } else {
            let title = self.adapter.profile().title;
            let notice = format!(
                "tollgate: middleware `{}` changes the output, but {title} does not support that",
                result.id
            );
            decision.notices.push(notice);
        }
    }

    /// Starts the observers. That they cannot be started changes nothing but is told.
    pub fn watch(&self, effects: &[Effect], results: &[StageResult], decision: &mut Decision) {
        if self.policy.pipelines.is_empty() {
            return;
        }
        let path = SearchPath::new(self.state);
        let request = self.request(effects, &path);
        let watch = Watch { request, results, blocked: decision.verdict >= Verdict::Deny };
        let started = std::env::current_exe().and_then(|program| {
            tollgate_middleware::watch(&self.policy.pipelines, &watch, self.state, &program)
        });
        if let Err(error) = started {
            decision.notices.push(format!("tollgate: the observers could not be started: {error}"));
        }
    }

    fn finding(&self, result: &StageResult) -> Option<Finding> {
        let (verdict, what) = match (&result.fault, result.said) {
            (Some(fault), _) => (
                self.on_fault(result),
                format!("middleware `{}` could not check this call: {fault}", result.id),
            ),
            (None, Said::Halt) => (Verdict::Halt, blocked(result)),
            (None, Said::Block) => (Verdict::Deny, blocked(result)),
            (None, Said::Ask) => (Verdict::Ask, blocked(result)),
            (None, Said::Warn) => (Verdict::Note, blocked(result)),
            (None, Said::Allow | Said::Continue) => return None,
        };
        let hit = Hit { what, instead: String::new(), span: Span::default(), certainty: Certainty::Certain };
        Some(Finding { rule: format!("middleware/{}", result.id), verdict, savable: false, hit })
    }

    /// What follows from a middleware that failed. Nothing but a call that waits is ever held up by one.
    fn on_fault(&self, result: &StageResult) -> Verdict {
        if !self.event.phase().is_safety() {
            return Verdict::Note;
        }
        match (result.on_error, self.policy.on_fault) {
            (OnError::Allow, _) => Verdict::Note,
            (OnError::Deny, _) => Verdict::Deny,
            (OnError::Ask, _) => Verdict::Ask,
            (OnError::OnFault | OnError::Retry, OnFault::Allow) => Verdict::Note,
            (OnError::OnFault | OnError::Retry, OnFault::Ask) => Verdict::Ask,
            (OnError::OnFault | OnError::Retry, OnFault::Deny) => Verdict::Deny,
        }
    }

    /// The rewritten call is judged like any other before it takes the place of the first.
    fn rewrite(&self, input: Value, decision: &mut Decision) {
        match self.rewritten(&input) {
            Ok(event) => {
                let again = tollgate_pipeline::judge(&event, self.world, self.policy);
                again.decision.findings.into_iter().for_each(|finding| decision.add(finding));
                decision.would.extend(again.decision.would);
                decision.approve &= again.decision.approve;
                decision.rewrite = Some(input);
            }
            Err(why) => decision.add(Finding {
                rule: "middleware/transform".to_owned(),
                verdict: Verdict::Ask,
                savable: false,
                hit: Hit {
                    what: format!("middleware changes this call, and {why}"),
                    instead: String::new(),
                    span: Span::default(),
                    certainty: Certainty::Certain,
                },
            }),
        }
    }

    fn rewritten(&self, input: &Value) -> Result<Event, String> {
        let Ok(Value::Map(mut members)) = parse(self.native) else {
            return Err("the payload of the agent cannot be changed".into());
        };
        let Some((_, old)) = members.iter_mut().find(|(key, _)| key == "tool_input") else {
            return Err("the calls of this agent cannot be changed".into());
        };
        *old = input.clone();
        let mut text = String::new();
        write(&Value::Map(members), &mut text);
        let payload = Payload {
            bytes: text.as_bytes(),
            hint: Some(&self.event.name),
            env: &|name| std::env::var(name).ok(),
        };
        self.adapter
            .read(&payload)
            .map_err(|fault| format!("the new call cannot be read ({})", fault.message))
    }
}

fn blocked(result: &StageResult) -> String {
    let reason = if result.reason.is_empty() { "it gave no reason" } else { &result.reason };
    let reason: String = reason.chars().take(1000).collect();
    match result.said {
        Said::Warn => format!("middleware `{}` warns: {reason}", result.id),
        Said::Ask => format!("middleware `{}` asks: {reason}", result.id),

        _ => format!("middleware `{}` refuses this call: {reason}", result.id),
    }
}

/// What the model is told although the call passes.
fn remark(result: &StageResult) -> Option<String> {
    (result.said == Said::Warn && result.fault.is_none()).then(|| format!("{}: {}", result.id, result.reason))
}

/// What is kept of the middlewares' results.
pub fn record(results: &[StageResult]) -> Option<(String, Value)> {
    let value = |result: &StageResult| {
        let mut members = vec![
            ("id".to_owned(), result.id.as_str().into()),
            ("type".to_owned(), result.kind.name().into()),
            ("decision".to_owned(), result.said.name().into()),
            ("us".to_owned(), u64::try_from(result.took.as_micros()).unwrap_or(u64::MAX).into()),
            ("metrics".to_owned(), result.metrics.clone()),
        ];
        members.extend(result.fault.as_ref().map(|fault| ("fault".to_owned(), fault.as_str().into())));
        Value::Map(members)
    };
    (!results.is_empty()).then(|| ("middleware".to_owned(), Value::List(results.iter().map(value).collect())))
}

/// What is kept of observers: what each did at which event. One that failed makes it a fault.
pub fn observer_runs(observed: &Observed) -> Option<tollgate_model::Record> {
    let runs = record(&observed.results)?;
    let failed = observed.results.iter().any(|result| result.fault.is_some());
    let (event, verdict) = if failed { ("observer-fault", "note") } else { ("observers", "allow") };
    Some(tollgate_model::Record {
        call: String::new(),
        fields: vec![
            ("agent".to_owned(), "tollgate".into()),
            ("event".to_owned(), event.into()),
            ("verdict".to_owned(), verdict.into()),
            ("of".to_owned(), observed.event.clone()),
            runs,
        ],
    })
}

/// What each middleware measured, by its id.
fn metrics(results: &[StageResult]) -> Vec<(String, Value)> {
    let measured = results.iter().filter(|result| result.metrics.as_map().is_some_and(|all| !all.is_empty()));
    measured.map(|result| (result.id.clone(), result.metrics.clone())).collect()
}
