//! What a middleware said, whichever way it said it.

use std::time::Duration;

use tollgate_model::json::{Value, object};
use tollgate_policy::{OnError, Stage, StageKind};

/// What a middleware said.
#[derive(Clone, Debug, PartialEq)]
pub struct StageResult {
    /// Which.
    pub id: String,
    /// Of which kind.
    pub kind: StageKind,
    /// Its decision.
    pub said: Said,
    /// Why.
    pub reason: String,
    /// What it counted.
    pub metrics: Value,
    /// Another input for the call.
    pub rewrite: Option<Value>,
    /// Another output of the call, after it ran.
    pub output: Option<Value>,
    /// A text for the model.
    pub context: String,
    /// A text for the person.
    pub notice: String,
    /// The agent need not ask for its own permission: an answer in a host's own form says so.
    pub approves: bool,
    /// An error that it reports although it lets the event pass.
    pub error: String,
    /// Names its stage among those of all hooks; empty for one that is run alone.
    pub key: String,
    /// Why it could not say anything.
    pub fault: Option<String>,
    /// What follows from a fault.
    pub on_error: OnError,
    /// How long it took.
    pub took: Duration,
}

/// A decision, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Said {
    /// Nothing.
    Continue,
    /// It may.
    Allow,
    /// It may, with a remark.
    Warn,
    /// A person is to be asked.
    Ask,
    /// It may not.
    Block,
    /// It may not, and the agent's turn ends.
    Halt,
}

impl Said {
    /// Does it end the pipeline?
    #[must_use]
    pub fn refuses(self) -> bool {
        self >= Self::Block
    }

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Continue => "continue",
            Self::Warn => "warn",
            Self::Ask => "ask",
            Self::Block => "block",
            Self::Halt => "fail",
        }
    }
}

impl StageResult {
    /// It said this.
    pub(crate) fn said(stage: &Stage, said: Said, reason: impl Into<String>, metrics: Value) -> Self {
        Self {
            id: stage.id.clone(),
            kind: stage.kind,
            said,
            reason: reason.into(),
            metrics,
            rewrite: None,
            output: None,
            context: String::new(),
            notice: String::new(),
            approves: false,
            error: String::new(),
            key: String::new(),
            fault: None,
            on_error: stage.on_error,
            took: Duration::ZERO,
        }
    }

    /// It could not say anything.
    pub(crate) fn failed(stage: &Stage, why: impl Into<String>) -> Self {
        let none = Value::Map(Vec::new());
        Self { fault: Some(why.into()), ..Self::said(stage, Said::Continue, "", none) }
    }

    /// It did not answer within a limit, its own or what the agent leaves it.
    pub(crate) fn late(stage: &Stage, limit: Duration) -> Self {
        let own = limit.as_millis() >= u128::from(stage.timeout);
        let why = if own { "" } else { ", and the agent waits no longer" };
        Self::failed(stage, format!("it took longer than {} ms{why}", limit.as_millis()))
    }

    /// Nothing in a pipeline allowed the call, and its `default_decision` is to refuse.
    pub(crate) fn by_default(pipeline: &str) -> Self {
        Self {
            id: pipeline.to_owned(),
            kind: StageKind::Authorization,
            said: Said::Block,
            reason: "nothing in this pipeline allows it, and its default decision is to block".to_owned(),
            metrics: Value::Map(Vec::new()),
            rewrite: None,
            output: None,
            context: String::new(),
            notice: String::new(),
            approves: false,
            error: String::new(),
            key: String::new(),
            fault: None,
            on_error: OnError::OnFault,
            took: Duration::ZERO,
        }
    }

    /// Is it the same as what is known of the stage, or nothing at all?
    pub(crate) fn adds_nothing_to(&self, known: &Self) -> bool {
        let passes = matches!(self.said, Said::Continue | Said::Allow) && self.fault.is_none();
        let is_quiet = self.error.is_empty() && self.context.is_empty() && self.notice.is_empty();
        let is_same = self.fault == known.fault && self.said == known.said && self.reason == known.reason;
        (passes || is_same) && is_quiet
    }

    /// As later middlewares see it. They know `block` as the word of every refusal.
    pub(crate) fn value(&self) -> Value {
        let decision = if self.said.refuses() { Said::Block } else { self.said };
        object([
            ("id", self.id.as_str().into()),
            ("type", self.kind.name().into()),
            ("decision", decision.name().into()),
            ("reason", self.reason.as_str().into()),
            ("metrics", self.metrics.clone()),
        ])
    }
}
