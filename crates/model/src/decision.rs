use crate::json::Value;
use crate::{Certainty, Span, Verdict};

/// What a rule saw, and what to do instead. Says nothing about how bad it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// What would happen, as a sentence without a full stop: "deletes your home directory `~`".
    pub what: String,
    /// What to do instead.
    pub instead: String,
    /// The words it comes from.
    pub span: Span,
    /// How sure the rule is.
    pub certainty: Certainty,
}

/// A hit, with the rule that saw it and the verdict the policy gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's id.
    pub rule: String,
    /// What the policy makes of it.
    pub verdict: Verdict,
    /// The verdict becomes `save` once everything that the call would lose is saved.
    pub savable: bool,
    /// What was seen.
    pub hit: Hit,
}

/// The answer of the gate, in no agent's terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The strictest verdict of all findings.
    pub verdict: Verdict,
    /// What the rules saw, strictest first.
    pub findings: Vec<Finding>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the person in front of the agent.
    pub notices: Vec<String>,
    /// A whole new tool input.
    pub rewrite: Option<Value>,
    /// The call is understood to be harmless and the policy wants its prompt skipped.
    pub approve: bool,
    /// Names the call for a person: the start of `digest`, shown where an `ask` had to become a `deny`.
    pub code: String,
    /// Why the losses of the call could not be saved, where that would have made the verdict milder.
    pub unsaved: String,
    /// Hash of the whole call and its effects, in hex. An approval is bound to this, never to the short `code`.
    pub digest: String,
    /// What the policy only observes: rule, and what it would have said.
    pub would: Vec<(String, Verdict)>,
    /// No other hook of the agent decides about the same call. Looked up only where it matters.
    pub alone: bool,
    /// Another output of a call that ran.
    pub output: Option<Value>,
    /// What each middleware measured, by its id.
    pub metrics: Vec<(String, Value)>,
}

impl Decision {
    /// Takes a finding in. The only place where verdicts meet.
    pub fn add(&mut self, finding: Finding) {
        self.verdict = self.verdict.max(finding.verdict);
        let place = self.findings.partition_point(|other| other.verdict >= finding.verdict);
        self.findings.insert(place, finding);
    }

    /// The strictest verdict, if everything that the call would lose were saved.
    #[must_use]
    pub fn verdict_if_saved(&self) -> Verdict {
        self.findings.iter().map(Finding::verdict_if_saved).max().unwrap_or(self.verdict)
    }

    /// Would saving what the call loses make the verdict milder?
    #[must_use]
    pub fn is_savable(&self) -> bool {
        self.findings.iter().any(|finding| finding.savable && finding.verdict.refuses())
    }

    /// Everything that the call would lose is saved: what was refused only for that may run.
    pub fn settle_saved(&mut self) {
        for finding in &mut self.findings {
            finding.verdict = finding.verdict_if_saved();
        }
        self.findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
        self.verdict = self.findings.iter().map(|finding| finding.verdict).max().unwrap_or_default();
    }

    /// Takes in what a policy says that only observes: remembered, and never a refusal.
    pub fn observe(&mut self, mut finding: Finding) {
        if finding.verdict.refuses() {
            self.would.push((finding.rule.clone(), finding.verdict));
            finding.verdict = Verdict::Note;
        }
        self.add(finding);
    }

    /// Why, for the model: one paragraph per finding that refuses (at most three), each naming its rule.
    #[must_use]
    pub fn reason(&self) -> String {
        let refusing: Vec<&Finding> = self.findings.iter().filter(|f| f.verdict.refuses()).collect();
        let mut lines: Vec<String> = refusing.iter().take(3).map(|f| f.sentence()).collect();
        if refusing.len() > 3 {
            let more = refusing.len() - 3;
            lines.push(format!("{more} more {}", if more == 1 { "finding" } else { "findings" }));
        }
        if !self.unsaved.is_empty() && refusing.iter().any(|finding| finding.savable) {
            lines.push(format!("Tollgate could not save the files first: {}", self.unsaved));
        }
        lines.join("\n")
    }
}

impl Finding {
    /// Its verdict, if everything that the call would lose were saved.
    #[must_use]
    pub fn verdict_if_saved(&self) -> Verdict {
        if self.savable { self.verdict.min(Verdict::Save) } else { self.verdict }
    }

    /// What would happen, what to do instead, and which rule says so.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Hit { what, instead, certainty, .. } = &self.hit;
        // A workflow writes whole sentences itself.
        if self.rule.starts_with("workflow/") {
            return format!("Tollgate: {what} [{}] {instead}", self.rule).trim_end().to_owned();
        }
        // "possibly cannot tell" would say the opposite.
        let is_sure = *certainty == Certainty::Certain || what.starts_with("cannot ");
        let hedge = if is_sure { "" } else { "possibly " };
        let text = format!("Tollgate: {hedge}{what} [{}]", self.rule);
        if instead.is_empty() { text } else { format!("{text}. {}", as_sentence(instead)) }
    }
}

/// With a capital letter and a full stop. Text in backticks stays as it is.
fn as_sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(letters).collect();
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// Bytes and exit code for the agent's host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code.
    pub exit: u8,
    /// The verdict that this agent, version and mode will really carry out.
    pub expressed: Verdict,
}

/// No decision could be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which step failed.
    pub kind: FaultKind,
    /// What happened, for people.
    pub message: String,
}

impl Fault {
    /// A fault of this kind.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// Where a decision failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The payload could not be read whole.
    Input,
    /// The payload could not be understood.
    Payload,
    /// No policy could be loaded.
    Policy,
    /// The analysis failed.
    Analysis,
    /// The gate's own deadline passed.
    Deadline,
    /// A panic.
    Panic,
}

impl FaultKind {
    /// Its name in the log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Payload => "payload",
            Self::Policy => "policy",
            Self::Analysis => "analysis",
            Self::Deadline => "deadline",
            Self::Panic => "panic",
        }
    }
}
