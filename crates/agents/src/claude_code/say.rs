//! A decision in the strongest form that Claude Code honours for the event. What cannot be said becomes
//! stricter, never looser.
//!
//! Invariant: standard output is empty, or one JSON object, or (where the table says so) plain text that does not
//! look like one. Anything else would be taken for no answer, and the call would run.

use tollgate_model::json::{Value, object, write};
use tollgate_model::{Decision, Event, Kind, Reply, Verdict};

use super::can_ask;
use super::capability::{Ask, Context, Deny, EventCapability, Halt, Message, Rewrite, capability};
use crate::text::{cut, visible};

/// Longer context and messages are replaced by a preview at 10,000 characters.
const LONGEST_TEXT: usize = 9_500;
const LONGEST_REASON: usize = 4_000;

/// Says a decision.
pub(super) fn decision(event: &Event, decision: &Decision) -> Reply {
    let row = row(event);
    let mut verdict = decision.verdict;
    let mut reasons = vec![decision.reason()];
    if row.rewrite != Rewrite::None && decision.rewrite.as_ref().is_some_and(|input| input.as_map().is_none())
    {
        verdict = verdict.max(Verdict::Deny);
        reasons.push("Tollgate: the rewritten input is not an object".to_owned());
    }
    let saying = Saying {
        row,
        can_ask: can_ask(event.attended, &event.permission_mode),
        verdict,
        reason: join(&reasons, "\n"),
        code: &decision.code,
        context: join(&decision.context, "\n\n"),
        message: join(&decision.notices, "\n"),
        rewrite: decision.rewrite.as_ref(),
        approve: decision.approve,
    };
    saying.reply()
}

/// What the event honours. A change of the managed settings is announced, but cannot be blocked.
pub(super) fn row(event: &Event) -> EventCapability {
    let row = capability(&event.name).copied().unwrap_or(EventCapability::UNKNOWN);
    match &event.kind {
        Kind::ConfigChange { source, .. } if source == "policy_settings" => {
            EventCapability { deny: Deny::Never, ..row }
        }
        _ => row,
    }
}

/// Everything that may go into an answer.
pub(super) struct Saying<'a> {
    pub(super) row: EventCapability,
    pub(super) can_ask: bool,
    pub(super) verdict: Verdict,
    pub(super) reason: String,
    pub(super) code: &'a str,
    pub(super) context: String,
    pub(super) message: String,
    pub(super) rewrite: Option<&'a Value>,
    pub(super) approve: bool,
}

/// What the answer will do.
#[derive(Clone, Copy, PartialEq)]
enum Act {
    Pass,
    Ask,
    Deny,
    Halt,
}

impl Saying<'_> {
    /// The answer, as bytes.
    pub(super) fn reply(&self) -> Reply {
        let act = self.act();
        let mut answer = Answer::default();
        match act {
            Act::Pass => self.say_approval(&mut answer),
            Act::Ask => self.say_question(&mut answer),
            Act::Deny | Act::Halt => self.say_refusal(act, &mut answer),
        }
        self.say_rewrite(act, &mut answer);
        self.say_texts(act, &mut answer);
        Reply { stdout: answer.stdout(self.row.name), expressed: self.expressed(act), ..Reply::default() }
    }

    fn act(&self) -> Act {
        match (self.verdict, self.row.ask, self.row.halt) {
            (Verdict::Allow | Verdict::Note, ..) => Act::Pass,
            (Verdict::Ask, Ask::Decision, _) if self.can_ask => Act::Ask,
            (Verdict::Ask, Ask::Silence, _) if self.can_ask => Act::Pass,
            (Verdict::Ask | Verdict::Deny, ..) | (Verdict::Halt, _, Halt::AsDeny) => Act::Deny,
            (Verdict::Halt, ..) => Act::Halt,
        }
    }

    fn expressed(&self, act: Act) -> Verdict {
        match (act, self.row.deny) {
            (Act::Pass, _) => self.verdict,
            (Act::Ask, _) => Verdict::Ask,
            (Act::Halt, _) | (Act::Deny, Deny::EndsTurn) => Verdict::Halt,
            (Act::Deny, Deny::Decision | Deny::Behaviour | Deny::Block) => Verdict::Deny,
            (Act::Deny, Deny::Feedback | Deny::Never) => Verdict::Note,
        }
    }

    fn say_approval(&self, answer: &mut Answer) {
        if !self.approve || self.verdict.refuses() || !self.row.phase.is_safety() {
            return;
        }
        match self.row.deny {
            Deny::Decision => answer.specific("permissionDecision", "allow"),
            Deny::Behaviour => answer.behaviour.push(("behavior".to_owned(), "allow".into())),
            _ => {}
        }
    }

    fn say_question(&self, answer: &mut Answer) {
        answer.specific("permissionDecision", "ask");
        answer.specific("permissionDecisionReason", self.why(""));
    }

    fn say_refusal(&self, act: Act, answer: &mut Answer) {
        let reason = self.why(&self.way_out());
        if act == Act::Halt && matches!(self.row.halt, Halt::BesideDeny | Halt::Alone) {
            answer.top("continue", false);
            answer.top("stopReason", reason.as_str());
        }
        if act == Act::Halt && self.row.halt == Halt::Alone {
            return;
        }
        match self.row.deny {
            Deny::Decision => {
                answer.specific("permissionDecision", "deny");
                answer.specific("permissionDecisionReason", reason);
            }
            Deny::Behaviour => {
                answer.behaviour.push(("behavior".to_owned(), "deny".into()));
                answer.behaviour.push(("message".to_owned(), reason.into()));
                if act == Act::Halt {
                    answer.behaviour.push(("interrupt".to_owned(), true.into()));
                }
            }
            Deny::Block | Deny::Feedback | Deny::EndsTurn => {
                answer.top("decision", "block");
                answer.top("reason", reason);
            }
            Deny::Never => {}
        }
    }

    fn say_rewrite(&self, act: Act, answer: &mut Answer) {
        let Some(input) = self.rewrite else { return };
        match self.row.rewrite {
            Rewrite::UnlessDenied if matches!(act, Act::Pass | Act::Ask) => {
                answer.specific("updatedInput", input.clone());
            }
            Rewrite::WithAllow if act == Act::Pass && !answer.behaviour.is_empty() => {
                answer.behaviour.push(("updatedInput".to_owned(), input.clone()));
            }
            _ => {}
        }
    }

    fn say_texts(&self, act: Act, answer: &mut Answer) {
        let context = cut(visible(&self.context), LONGEST_TEXT);
        let message = cut(visible(&self.told(act)), LONGEST_TEXT);
        match self.row.context {
            _ if context.is_empty() => {}
            Context::Added => answer.specific("additionalContext", context),
            Context::BesideDeny if act == Act::Deny => answer.specific("additionalContext", context),
            Context::Instructions if act == Act::Pass => answer.plain = context,
            _ => {}
        }
        match self.row.message {
            _ if message.is_empty() => {}
            Message::Shown | Message::Unseen | Message::ToModel => answer.top("systemMessage", message),
            Message::Plain => answer.plain = message,
            Message::None => {}
        }
    }

    /// What the person reads. Where a refusal cannot be carried out, that there should have been one.
    fn told(&self, act: Act) -> String {
        let refused = matches!(act, Act::Deny | Act::Halt) && self.row.deny == Deny::Never;
        if refused { join(&[self.why(""), self.message.clone()], "\n") } else { self.message.clone() }
    }

    /// Why, never empty and never too long, with its end kept whole.
    fn why(&self, end: &str) -> String {
        let reason =
            if self.reason.is_empty() { "Tollgate: the policy does not let this pass" } else { &self.reason };
        let mut text = cut(visible(reason), LONGEST_REASON.saturating_sub(end.encode_utf16().count()));
        text.push_str(end);
        text
    }

    /// What a person can do about a question that nobody was asked.
    fn way_out(&self) -> String {
        let stopped = matches!(self.row.deny, Deny::Decision | Deny::Behaviour | Deny::Block);
        if self.verdict != Verdict::Ask || !stopped {
            return String::new();
        }
        let why = if self.can_ask { "this cannot be asked here" } else { "nobody is here to be asked" };
        match self.code {
            "" => format!("\n{why}"),
            code => format!("\n{why}; a person can decide about call {}", cut(visible(code), 100)),
        }
    }
}

/// The parts of an answer, in the order in which they are written.
#[derive(Default)]
struct Answer {
    plain: String,
    top: Vec<(String, Value)>,
    specific: Vec<(String, Value)>,
    behaviour: Vec<(String, Value)>,
}

impl Answer {
    fn top(&mut self, key: &str, value: impl Into<Value>) {
        self.top.push((key.to_owned(), value.into()));
    }

    fn specific(&mut self, key: &str, value: impl Into<Value>) {
        self.specific.push((key.to_owned(), value.into()));
    }

    fn stdout(mut self, event: &str) -> String {
        if !self.behaviour.is_empty() {
            self.specific.push(("decision".to_owned(), Value::Map(self.behaviour)));
        }
        if !self.specific.is_empty() {
            self.specific.insert(0, ("hookEventName".to_owned(), event.into()));
            self.top.push(("hookSpecificOutput".to_owned(), Value::Map(self.specific)));
        }
        if self.top.is_empty() {
            return plain(&self.plain);
        }
        json(&Value::Map(self.top))
    }
}

/// A message that every event takes, for when the event is not known.
pub(super) fn message_only(text: &str) -> String {
    json(&object([("systemMessage", cut(visible(text), LONGEST_TEXT).into())]))
}

fn json(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Plain text, never beginning like JSON.
fn plain(text: &str) -> String {
    if text.is_empty() || text.starts_with("Tollgate") {
        text.to_owned()
    } else {
        format!("Tollgate: {text}")
    }
}

fn join(parts: &[String], between: &str) -> String {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(between)
}
