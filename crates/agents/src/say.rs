//! A decision in the strongest form that an agent honours for the event. What cannot be said becomes stricter,
//! never looser. Here it is worked out what to say; each adapter's `write` puts it into the agent's words.

use tollgate_model::json::{Value, write};
use tollgate_model::{Decision, Event, Phase, Reply, Verdict};

use crate::Adapter;
use crate::capability::{Allow, Ask, Context, Deny, EventCapability, Halt, Message, Rewrite};
use crate::text::{cut, visible};

/// Hosts cut or spill longer context and messages at 10,000 characters.
pub(crate) const LONGEST_TEXT: usize = 9_500;
const LONGEST_REASON: usize = 4_000;

/// Says a decision.
pub(crate) fn decision<A: Adapter + ?Sized>(adapter: &A, event: &Event, decision: &Decision) -> Reply {
    let row = adapter.row(event);
    let mut verdict = decision.verdict;
    let mut reasons = vec![decision.reason()];
    if let Some(why) = decision.rewrite.as_ref().and_then(|input| unrewritable(adapter, &row, input)) {
        verdict = verdict.max(Verdict::Deny);
        reasons.push(why);
    }
    let saying = Saying {
        row,
        can_ask: adapter.can_ask(event.attended, &event.permission_mode),
        alone: decision.alone,
        verdict,
        reason: join(&reasons, "\n"),
        code: &decision.code,
        context: join(&decision.context, "\n\n"),
        message: join(&decision.notices, "\n"),
        rewrite: decision.rewrite.as_ref(),
        approve: decision.approve,
        metrics: &decision.metrics,
        output: decision.output.as_ref(),
    };
    saying.reply(adapter)
}

/// Why a rewritten input cannot be handed over: the call as it stands must then not run.
fn unrewritable<A: Adapter + ?Sized>(adapter: &A, row: &EventCapability, input: &Value) -> Option<String> {
    if row.rewrite == Rewrite::None {
        let title = adapter.profile().title;
        let waits = row.phase == Phase::PreTool;
        return waits
            .then(|| format!("Tollgate: the input must be changed, but {title} does not support that"));
    }
    input.as_map().is_none().then(|| "Tollgate: the rewritten input is not an object".to_owned())
}

/// Everything that may go into an answer.
pub(crate) struct Saying<'a> {
    pub(crate) row: EventCapability,
    pub(crate) can_ask: bool,
    pub(crate) alone: bool,
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) code: &'a str,
    pub(crate) context: String,
    pub(crate) message: String,
    pub(crate) rewrite: Option<&'a Value>,
    pub(crate) approve: bool,
    pub(crate) metrics: &'a [(String, Value)],
    pub(crate) output: Option<&'a Value>,
}

/// What the answer will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Nothing stands in the way.
    Pass,
    /// A person is asked.
    Ask,
    /// What is refused does not happen, as far as the row says so.
    Deny,
    /// The same, and the turn ends.
    Halt,
}

/// What is to be said, to the last text: whatever is here must reach the agent.
#[derive(Debug)]
pub struct Said<'a> {
    /// What the event honours.
    pub row: EventCapability,
    /// What the answer is to do.
    pub act: Act,
    /// Why; never empty when something is refused or asked.
    pub reason: String,
    /// Text for the model, or nothing.
    pub context: String,
    /// Text for the person, or nothing.
    pub message: String,
    /// A whole new input.
    pub rewrite: Option<&'a Value>,
    /// The agent's own prompt is to be skipped.
    pub approve: bool,
    /// What each middleware measured, by its id, for hosts that tolerate members they do not know.
    pub metrics: &'a [(String, Value)],
    /// Another output of a call that ran.
    pub output: Option<&'a Value>,
}

impl Said<'_> {
    /// Nothing is to be said.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.act == Act::Pass
            && self.context.is_empty()
            && self.message.is_empty()
            && self.rewrite.is_none()
            && !self.approve
    }

    /// Text for the model; where a refusal comes too late, its reason first.
    #[must_use]
    pub fn feedback(&self) -> String {
        let late = self.refuses() && self.row.deny == Deny::Feedback;
        join(&[if late { self.reason.clone() } else { String::new() }, self.context.clone()], "\n\n")
    }

    /// The call or the turn is refused.
    #[must_use]
    pub fn refuses(&self) -> bool {
        matches!(self.act, Act::Deny | Act::Halt)
    }

    /// Whether a refusal is said as well: not where ending the turn stands alone, since it would keep the agent going.
    pub(crate) fn says_deny(&self) -> bool {
        self.act != Act::Halt || self.row.halt != Halt::Alone
    }
}

impl<'a> Saying<'a> {
    /// The answer, as bytes.
    pub(crate) fn reply<A: Adapter + ?Sized>(&self, adapter: &A) -> Reply {
        let act = self.act();
        Reply { expressed: self.expressed(act), ..adapter.write(&self.said(act)) }
    }

    fn said(&self, act: Act) -> Said<'a> {
        let approve = act == Act::Pass
            && self.approve
            && !self.verdict.refuses()
            && self.row.phase.is_safety()
            && self.row.allow == Allow::SkipsPrompt;
        let rewrite = self.rewrite.filter(|_| match self.row.rewrite {
            Rewrite::UnlessDenied => matches!(act, Act::Pass | Act::Ask),
            Rewrite::WithAllow => approve,
            Rewrite::None => false,
        });
        let reason = match act {
            Act::Pass => String::new(),
            Act::Ask => self.why(&format!("{}{}", self.if_unheard(), self.notices())),
            Act::Deny | Act::Halt => self.why(&format!("{}{}", self.way_out(), self.notices())),
        };
        Said {
            row: self.row,
            act,
            reason,
            context: self.context(act),
            message: cut(visible(&self.told(act)), LONGEST_TEXT),
            rewrite,
            approve,
            metrics: self.metrics,
            output: self.output,
        }
    }

    fn act(&self) -> Act {
        match (self.verdict, self.row.ask, self.row.halt) {
            (Verdict::Allow | Verdict::Note | Verdict::Save, ..) => Act::Pass,
            (Verdict::Ask, Ask::Decision, _) if self.can_ask => Act::Ask,
            (Verdict::Ask, Ask::Alone, _) if self.can_ask && self.alone => Act::Ask,
            (Verdict::Ask, Ask::Silence, _) if self.can_ask => Act::Pass,
            // Refusing the end of a turn would keep the agent going, which is the opposite of ending it.
            (Verdict::Halt, _, Halt::AsDeny) if self.at_end() => Act::Pass,
            (Verdict::Ask | Verdict::Deny, ..) | (Verdict::Halt, _, Halt::AsDeny) => Act::Deny,
            (Verdict::Halt, ..) => Act::Halt,
        }
    }

    /// Is an agent or a subagent about to stop?
    fn at_end(&self) -> bool {
        matches!(self.row.phase, Phase::Stop | Phase::SubagentStop)
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

    fn context(&self, act: Act) -> String {
        let heard = match self.row.context {
            Context::Added => true,
            Context::BesideDeny => act == Act::Deny,
            Context::Instructions => act == Act::Pass,
            Context::None => false,
        };
        let notices =
            if self.row.message == Message::WithReason && act == Act::Pass { &self.message } else { "" };
        let text =
            if heard { join(&[self.context.clone(), notices.to_owned()], "\n\n") } else { String::new() };
        cut(visible(&text), LONGEST_TEXT)
    }

    /// What the person reads. Where a refusal cannot be carried out, that there should have been one.
    fn told(&self, act: Act) -> String {
        if matches!(self.row.message, Message::None | Message::WithReason) {
            return String::new();
        }
        let refused = matches!(act, Act::Deny | Act::Halt) && self.row.deny == Deny::Never;
        let refused = refused || (act == Act::Pass && self.verdict == Verdict::Halt);
        if refused { join(&[self.why(""), self.message.clone()], "\n") } else { self.message.clone() }
    }

    /// Why, never empty and never too long, with its end kept whole.
    fn why(&self, end: &str) -> String {
        let reason =
            if self.reason.is_empty() { "Tollgate: the policy refuses this call" } else { &self.reason };
        let mut text = cut(visible(reason), LONGEST_REASON.saturating_sub(end.encode_utf16().count()));
        text.push_str(end);
        text
    }

    /// Messages for the person, where they have no way of their own.
    fn notices(&self) -> String {
        if self.row.message != Message::WithReason || self.message.is_empty() {
            return String::new();
        }
        format!("\n{}", cut(visible(&self.message), LONGEST_REASON / 2))
    }

    /// An agent that asks nobody refuses by itself, with the same words: they name the call for that case.
    fn if_unheard(&self) -> String {
        match self.row.ask {
            Ask::Alone if !self.code.is_empty() => format!("\nIf nobody is asked: {}", self.approval()),
            _ => String::new(),
        }
    }

    /// What a person can do about a call that was refused, or about a question that nobody was asked.
    fn way_out(&self) -> String {
        if !matches!(self.row.deny, Deny::Decision | Deny::Behaviour | Deny::Block) {
            return String::new();
        }
        let why = match (self.verdict, self.row.ask) {
            (Verdict::Deny, _) if self.row.phase == Phase::PreTool && !self.code.is_empty() => {
                return format!("\n{}", self.approval());
            }
            (Verdict::Ask, _) if !self.can_ask => "Nobody is there to answer a question",
            (Verdict::Ask, Ask::Alone) => {
                "Another hook decides as well, and a question could override its refusal"
            }
            (Verdict::Ask, _) => "A question is not possible here",
            _ => return String::new(),
        };
        match self.code {
            "" => format!("\n{why}."),
            _ => format!("\n{why}. {}", self.approval()),
        }
    }

    /// How a person lets this call pass.
    fn approval(&self) -> String {
        format!("To allow it once, a person can run: tollgate approve {}", cut(visible(self.code), 100))
    }
}

/// The members of an answer, in the order in which they are written.
#[derive(Default)]
pub(crate) struct Answer {
    /// Plain text, where there are no members.
    pub(crate) plain: String,
    top: Vec<(String, Value)>,
    specific: Vec<(String, Value)>,
}

impl Answer {
    pub(crate) fn top(&mut self, key: &str, value: impl Into<Value>) {
        self.top.push((key.to_owned(), value.into()));
    }

    /// Is there something to say?
    pub(crate) fn speaks(&self) -> bool {
        !(self.top.is_empty() && self.specific.is_empty())
    }

    /// What the middlewares measured.
    pub(crate) fn measured(&mut self, metrics: &[(String, Value)]) {
        if !metrics.is_empty() {
            self.specific("metrics", Value::Map(metrics.to_vec()));
        }
    }

    /// A text, unless there is none.
    pub(crate) fn text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.top(key, text);
        }
    }

    /// A member of `hookSpecificOutput`.
    pub(crate) fn specific(&mut self, key: &str, value: impl Into<Value>) {
        self.specific.push((key.to_owned(), value.into()));
    }

    /// A text in `hookSpecificOutput`, unless there is none.
    pub(crate) fn specific_text(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.specific(key, text);
        }
    }

    /// One JSON object, or plain text, or nothing. `event` names the event in `hookSpecificOutput`.
    pub(crate) fn stdout(mut self, event: &str) -> String {
        if !self.specific.is_empty() {
            self.specific.insert(0, ("hookEventName".to_owned(), event.into()));
            self.top.push(("hookSpecificOutput".to_owned(), Value::Map(self.specific)));
        }
        if self.top.is_empty() {
            return plain(&self.plain);
        }
        json(&Value::Map(self.top))
    }

    /// What goes beside every decision, as most agents have taken it over from Claude Code: the new input under the
    /// agent's own name for it, context and message.
    pub(crate) fn beside(mut self, said: &Said, input_key: &str) -> Reply {
        if let Some(input) = said.rewrite {
            self.specific(input_key, input.clone());
        }
        self.specific_text("additionalContext", &said.context);
        self.text("systemMessage", &said.message);
        self.reply(said.row.name)
    }

    /// The answer on standard output, exit 0.
    pub(crate) fn reply(self, event: &str) -> Reply {
        Reply { stdout: self.stdout(event), ..Reply::default() }
    }
}

/// A refusal by exit code, for agents that listen to nothing else. The reason is never empty.
pub(crate) fn exit_two(reason: &str) -> Reply {
    Reply { stderr: format!("{}\n", reason.trim_end()), exit: 2, ..Reply::default() }
}

/// JSON on one line.
pub(crate) fn json(value: &Value) -> String {
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
