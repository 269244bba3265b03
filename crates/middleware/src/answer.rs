//! Reads what a middleware answered.
//!
//! Hosts and hook frameworks have many answer forms, and no key means two different things to two of them. So every
//! form is read from every kind of middleware, without a protocol being named. Of several decisions in one answer the
//! strictest counts. An answer in no known form is a fault: a guard that cannot be understood has not agreed.

use tollgate_model::json::{Value, parse, write};
use tollgate_policy::{Stage, StageKind};

use crate::result::{Said, StageResult};

/// Keys whose value is a decision in a word, at the top, in `hookSpecificOutput` or in a `decision` object.
const WORDS: [&str; 5] = ["permissionDecision", "decision", "permission", "behavior", "action"];

/// Decisions by their words: those of all hosts, and `fail`, `warn`, `continue` of hook frameworks.
const MEANINGS: [(&[&str], Said); 6] = [
    (&["continue", "skip", "none", ""], Said::Continue),
    (&["allow", "approve", "approved", "accept", "pass", "ok", "proceed", "modify"], Said::Allow),
    (&["warn", "warning"], Said::Warn),
    (&["ask", "defer", "confirm"], Said::Ask),
    (&["block", "deny", "denied", "reject", "reject-and-continue", "decline", "cancel"], Said::Block),
    (&["fail", "halt", "stop", "abort"], Said::Halt),
];

/// The words with which a host's own hook skips the host's permission prompt. A plain `decision: allow` means only
/// that the call proceeds normally.
const APPROVALS: [(&str, &str); 3] =
    [("permissionDecision", "allow"), ("behavior", "allow"), ("decision", "approve")];

/// Keys whose value is true or false, and what each value decides.
const FLAGS: [(&str, Option<Said>, Option<Said>); 4] = [
    ("safe", Some(Said::Allow), Some(Said::Block)),
    ("continue", None, Some(Said::Halt)),
    ("cancel", Some(Said::Block), None),
    ("interrupt", Some(Said::Halt), None),
];

/// Where a reason stands. Of two, the one for the model.
const REASONS: [&str; 11] = [
    "permissionDecisionReason",
    "reason",
    "stopReason",
    "agent_message",
    "agentMessage",
    "errorMessage",
    "user_message",
    "userMessage",
    "message",
    "followup_message",
    "error",
];

/// Texts for the model.
const CONTEXTS: [&str; 4] = ["additionalContext", "additional_context", "contextModification", "context"];

/// Another input for the call, in a host's own form.
const REWRITES: [&str; 4] = ["updatedInput", "updated_input", "modifiedArgs", "overrideInput"];

/// Another output of a call that ran.
const OUTPUTS: [&str; 3] = ["updatedToolOutput", "updatedMCPToolOutput", "modifiedResult"];

/// Keys of documented answers that decide nothing.
const BESIDE: [&str; 24] = [
    "suppressOutput",
    "systemMessage",
    "stopReason",
    "terminalSequence",
    "async",
    "asyncTimeout",
    "additionalContext",
    "additional_context",
    "contextModification",
    "followup_message",
    "updatedToolOutput",
    "updatedMCPToolOutput",
    "modifiedResult",
    "modifiedResponse",
    "classifierContext",
    "sessionTitle",
    "initialUserMessage",
    "suppressOriginalPrompt",
    "watchPaths",
    "reloadSkills",
    "retry",
    "env",
    "clearContext",
    "toolConfig",
];

/// The agents that show the model nothing of what a hook prints unless it is an object.
const READ_NO_TEXT: [&str; 3] = ["cursor", "copilot-cli", "windsurf"];

/// The events at which a host takes plain text as context for the model.
const TAKE_TEXT: [&str; 5] =
    ["UserPromptSubmit", "UserPromptExpansion", "SessionStart", "PostModelSwitch", "PreCompact"];

/// What an answer object says.
pub(crate) fn read(stage: &Stage, answer: &Value) -> StageResult {
    let Some(members) = answer.as_map() else {
        return StageResult::failed(stage, format!("its answer is {}, not an object", answer.type_name()));
    };
    let parts = Parts::of(answer);
    let said = match parts.decision() {
        Ok(Some(said)) => said,
        Ok(None) if members.is_empty() || stage.kind == StageKind::Observability => Said::Continue,
        Ok(None) if parts.is_known() || parts.rewrite(stage.kind).is_some() => Said::Continue,
        Ok(None) => return StageResult::failed(stage, parts.unknown_form()),
        Err(why) => return StageResult::failed(stage, why),
    };
    let context = CONTEXTS.iter().find_map(|key| parts.text(key)).unwrap_or_default();
    StageResult {
        approves: said == Said::Allow && parts.approves(),
        context: context.to_owned(),
        error: parts.error_beside(said),
        notice: parts.text("systemMessage").unwrap_or_default().to_owned(),
        rewrite: parts.rewrite(stage.kind).cloned(),
        output: OUTPUTS.iter().find_map(|key| parts.all.iter().find_map(|part| part.get(key))).cloned(),
        ..StageResult::said(stage, said, parts.reason(said), parts.metrics())
    }
}

/// What a program said by its exit code and what it printed. Exit 0 is an answer object, nothing, or a text for the
/// model where the event takes one; exit 2 refuses whatever was printed; anything else is a fault, unless the answer
/// refuses or asks.
pub(crate) fn of_program(
    stage: &Stage,
    input: &Value,
    exit: Option<i32>,
    complaint: &str,
    text: &str,
) -> StageResult {
    let (complaint, text) = (complaint.trim(), text.trim());
    let Some(code) = exit else { return StageResult::failed(stage, "it was ended by a signal") };
    let answers = documents(text);
    let read = answers.iter().map(|answer| read(stage, answer)).reduce(strictest);
    match (code, read) {
        (0, Some(result)) => result,
        (0, None) => plain(stage, input, text),
        (2, _) if is_missing_script(input, complaint, text) => {
            StageResult::failed(stage, last_line(complaint))
        }
        (2, read) => refused(stage, read, complaint, text),
        (3, _) if stage.native && input.text("agent") == Some("droid") => {
            StageResult::said(stage, Said::Halt, complaint, none())
        }
        (_, Some(result)) if result.fault.is_none() && result.said >= Said::Ask => result,
        (code, _) => {
            StageResult::failed(stage, format!("it ended with exit code {code}: {}", last_line(complaint)))
        }
    }
}

/// The last line of a text, cut.
pub(crate) fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or_default().chars().take(300).collect()
}

/// The objects that may hold a decision: the answer, its `hookSpecificOutput`, and a `decision` that is an object.
struct Parts<'a> {
    answer: &'a Value,
    all: Vec<&'a Value>,
}

impl<'a> Parts<'a> {
    fn of(answer: &'a Value) -> Self {
        let is_map = |value: &&Value| value.as_map().is_some();
        let own = answer.get("hookSpecificOutput").filter(is_map);
        let inner = own.into_iter().chain([answer]).filter_map(|part| part.get("decision").filter(is_map));
        // The innermost first: its texts are the most particular.
        let all = inner.chain(own).chain([answer]).collect();
        Self { answer, all }
    }

    /// The strictest decision; none when there is none. A word that nobody knows is an error, unless another refuses.
    fn decision(&self) -> Result<Option<Said>, String> {
        let mut strictest = None;
        let mut unknown = None;
        for part in &self.all {
            for found in WORDS.iter().filter_map(|key| word(key, part.get(key)?)) {
                match found {
                    Ok(said) => strictest = strictest.max(Some(said)),
                    Err(why) => unknown = Some(why),
                }
            }
            for (key, yes, no) in FLAGS {
                match part.get(key) {
                    None => {}
                    Some(Value::Bool(true)) => strictest = strictest.max(yes),
                    Some(Value::Bool(false)) => strictest = strictest.max(no),
                    Some(other) => {
                        unknown = Some(format!("its `{key}` is {}, not true or false", other.type_name()))
                    }
                }
            }
        }
        let goes_on = self.answer.text("followup_message").is_some_and(|message| !message.is_empty());
        strictest = strictest.max(goes_on.then_some(Said::Block));
        let unknown = unknown.or_else(|| self.misplaced().filter(|_| strictest.is_none()));
        match unknown {
            Some(why) if strictest < Some(Said::Block) => Err(why),
            _ => Ok(strictest),
        }
    }

    /// A refusal under a key that nobody knows, where no known key decides: most likely a misspelt one.
    fn misplaced(&self) -> Option<String> {
        let mut members = self.all.iter().filter_map(|part| part.as_map()).flatten();
        let refuses = |value: &Value| value.as_str().and_then(Said::parse) == Some(Said::Block);
        let texts = |key: &str| REASONS.contains(&key) || CONTEXTS.contains(&key) || BESIDE.contains(&key);
        let (key, _) = members.find(|(key, value)| !texts(key) && refuses(value))?;
        let key: String = key.chars().take(40).collect();
        Some(format!("its decision stands under the unknown key `{key}`"))
    }

    fn approves(&self) -> bool {
        self.all.iter().any(|part| {
            APPROVALS
                .iter()
                .any(|(key, word)| part.text(key).is_some_and(|said| said.eq_ignore_ascii_case(word)))
        })
    }

    /// Has it a key of a documented form, although it decides nothing?
    fn is_known(&self) -> bool {
        let keys = || self.all.iter().filter_map(|part| part.as_map()).flatten().map(|(key, _)| key.as_str());
        let flag = |key: &str| FLAGS.iter().any(|(flag, _, _)| *flag == key);
        let says = |key: &str| BESIDE.contains(&key) || flag(key);
        let names_its_event = keys().all(|key| matches!(key, "hookSpecificOutput" | "hookEventName"));
        names_its_event || keys().any(says)
    }

    fn unknown_form(&self) -> String {
        if let Some(error) = self.text("error") {
            return format!("it failed: {}", error.chars().take(300).collect::<String>());
        }
        let names = self.answer.as_map().unwrap_or_default().iter().map(|(key, _)| format!("`{key}`"));
        let names: Vec<String> = names.take(6).collect();
        let names: String = names.join(", ").chars().take(200).collect();
        format!(
            "its answer has no decision in a known form, only {names}; say nothing to let the call proceed"
        )
    }

    /// Why, as far as it says. A failure tells its error, the end of a turn what it was ended for.
    fn reason(&self, said: Said) -> String {
        let stops = self.answer.get("continue") == Some(&Value::Bool(false));
        let first = match said {
            Said::Halt if stops => "stopReason",
            Said::Halt => "error",
            Said::Warn => "message",
            _ => "permissionDecisionReason",
        };
        let find = |key: &str| self.all.iter().find_map(|part| part.get(key).and_then(shown));
        std::iter::once(first).chain(REASONS).find_map(find).unwrap_or_default()
    }

    /// The error that an answer reports although it decides to let the event pass.
    fn error_beside(&self, said: Said) -> String {
        let passes = matches!(said, Said::Allow | Said::Continue);
        let find = || self.all.iter().find_map(|part| part.get("error").and_then(shown));
        find().filter(|_| passes).unwrap_or_default()
    }

    fn metrics(&self) -> Value {
        let is_map = |value: &&Value| value.as_map().is_some();
        let find = |key: &str| self.all.iter().rev().find_map(|part| part.get(key).filter(is_map));
        ["metrics", "metadata"].into_iter().find_map(find).cloned().unwrap_or_else(none)
    }

    /// Another input. A plain `tool_input` is one only from a transform: other middlewares echo the event.
    fn rewrite(&self, kind: StageKind) -> Option<&'a Value> {
        let found = REWRITES.iter().find_map(|key| {
            let nested = self.all.iter().filter(|part| !std::ptr::eq(**part, self.answer));
            nested.filter_map(|part| part.get(key)).next().or_else(|| self.answer.get(key))
        });
        let own = self.answer.get("hookSpecificOutput").and_then(|own| own.get("tool_input"));
        let plain = || self.answer.get("tool_input").filter(|_| kind == StageKind::Transform);
        let modified = || {
            let modifies = self.answer.text("action") == Some("modify");
            self.answer.get("input").filter(|_| modifies)
        };
        found.or(own).or_else(plain).or_else(modified).filter(|input| **input != Value::Null)
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.all.iter().find_map(|part| part.text(key))
    }
}

impl Said {
    /// A decision by its word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let word = word.trim().to_ascii_lowercase();
        MEANINGS.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, said)| *said)
    }
}

/// What a deciding key says. An object is looked at on its own, and null says nothing.
fn word(key: &str, value: &Value) -> Option<Result<Said, String>> {
    match value {
        Value::Null | Value::Map(_) => None,
        _ => Some(value.as_str().and_then(Said::parse).ok_or_else(|| {
            let word = shown(value).unwrap_or_default();
            let word: String = word.chars().take(40).collect();
            format!("its {key} `{word}` is none of allow, block, ask, continue, warn, fail")
        })),
    }
}

/// A value as a text; none when there is nothing to read.
fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null | Value::Bool(_) => return None,
        Value::Map(members) if members.is_empty() => return None,
        Value::List(items) if items.is_empty() => return None,
        other => other.as_str().map(str::to_owned).unwrap_or_else(|| {
            let mut text = String::new();
            write(other, &mut text);
            text
        }),
    };
    (!text.is_empty()).then_some(text)
}

/// The answers in what a program printed. Most print one object; some print a line for people before it, or one
/// object for each of their checks.
fn documents(text: &str) -> Vec<Value> {
    match parse(text.as_bytes()) {
        Ok(Value::String(inner)) => return parse(inner.as_bytes()).into_iter().filter(is_object).collect(),
        Ok(value) if text.starts_with(['{', '[']) => return vec![value],
        _ => {}
    }
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, later) = rest.split_once('\n').unwrap_or((rest, ""));
        let line = line.trim();
        let line = line.strip_prefix("HOOK_CONTROL").map_or(line, str::trim);
        if line.starts_with('{') {
            if let Ok(value) = parse(line.as_bytes()) {
                found.push(value);
            } else if let Ok(value) = parse(rest.trim().as_bytes()) {
                found.push(value);
                return found;
            }
        }
        rest = later;
    }
    found
}

fn is_object(value: &Value) -> bool {
    value.as_map().is_some()
}

/// Of two answers of one program the stricter, with the texts of both.
fn strictest(one: StageResult, other: StageResult) -> StageResult {
    let refuses = |result: &StageResult| result.fault.is_none() && result.said.refuses();
    let (mut first, second) = match (refuses(&one), refuses(&other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ if one.fault.is_some() => (one, other),
        _ if other.fault.is_some() || other.said > one.said => (other, one),
        _ => (one, other),
    };
    let join = |one: &mut String, other: String| {
        if !one.is_empty() && !other.is_empty() {
            one.push('\n');
        }
        one.push_str(&other);
    };
    join(&mut first.context, second.context);
    join(&mut first.notice, second.notice);
    first.approves &= second.said <= Said::Allow;
    first.rewrite = second.rewrite.or(first.rewrite);
    first
}

/// Exit 0 and no object: nothing, or a text for the model where the event takes one. A hook of a host's own may print
/// for its log, as that host lets it; anything that begins like an object was meant as an answer.
fn plain(stage: &Stage, input: &Value, text: &str) -> StageResult {
    let deaf = input.text("agent").is_some_and(|agent| READ_NO_TEXT.contains(&agent));
    let takes_text = input.text("hook_event_name").is_some_and(|event| TAKE_TEXT.contains(&event));
    let passes = |context: &str| StageResult {
        context: context.to_owned(),
        ..StageResult::said(stage, Said::Continue, "", none())
    };
    match text {
        "" => passes(""),
        _ if text.starts_with(['{', '[']) => {
            StageResult::failed(stage, "what it printed is not one JSON object")
        }
        _ if takes_text && !deaf => passes(text),
        _ if takes_text || stage.native || stage.kind == StageKind::Observability => passes(""),
        _ => StageResult::failed(stage, "what it printed is not one JSON object"),
    }
}

/// Exit 2. The reason is the answer's if that refuses, else what it complained, else whatever it printed.
fn refused(stage: &Stage, read: Option<StageResult>, complaint: &str, text: &str) -> StageResult {
    let Some(result) = read else {
        let reason = if complaint.is_empty() { text } else { complaint };
        return StageResult::said(stage, Said::Block, reason, none());
    };
    let refuses = result.fault.is_none() && result.said.refuses();
    let own = refuses || complaint.is_empty();
    StageResult {
        said: result.said.max(Said::Block),
        reason: if own && !result.reason.is_empty() { result.reason } else { complaint.to_owned() },
        rewrite: None,
        approves: false,
        fault: None,
        ..result
    }
}

/// An interpreter that cannot open its script also ends with 2. At the end of a turn that must not keep the agent
/// going for ever, as hosts have it, too.
fn is_missing_script(input: &Value, complaint: &str, text: &str) -> bool {
    let complaint = complaint.to_ascii_lowercase();
    let missing = complaint.contains("no such file") || complaint.contains("can't open");
    text.is_empty() && missing && matches!(input.text("hook_event_name"), Some("Stop" | "SubagentStop"))
}

fn none() -> Value {
    Value::Map(Vec::new())
}
