//! The gate's answer, read as Claude Code reads it.

use serde_json::Value;

use crate::program::Ran;

/// What the agent's client makes of an answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The call runs.
    Allowed,
    /// The call runs, because what it loses was saved first; the agent reads this text.
    Saved(String),
    /// The person is asked, with this text.
    Asked(String),
    /// The call does not run; the agent reads this text.
    Denied(String),
    /// Not an answer that the client understands.
    Broken(String),
}

/// How the notice of a saved call begins.
const SAVED: &str = "tollgate: saved ";

impl Answer {
    /// The snapshot that was taken, if one was.
    pub fn snapshot(&self) -> Option<&str> {
        let Self::Saved(notice) = self else { return None };
        notice.rsplit(' ').next()
    }

    /// Reads exit code, standard output and standard error of a hook.
    pub fn read(ran: &Ran) -> Self {
        match (ran.exit, ran.stdout.trim(), ran.stderr.trim()) {
            (Some(0), "", _) => Self::Allowed,
            (Some(0), text, _) => serde_json::from_str(text)
                .map_or_else(|_| Self::Broken(format!("not JSON: {text}")), |value| Self::from_value(&value)),
            (Some(2), _, reason) if !reason.is_empty() => Self::Denied(reason.to_owned()),
            (Some(code), _, stderr) => Self::Broken(format!("exit code {code}: {stderr}")),
            (None, ..) => Self::Broken("the hook was killed by a signal".to_owned()),
        }
    }

    fn from_value(value: &Value) -> Self {
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        if text(value, "decision").as_deref() == Some("block") {
            return Self::Denied(text(value, "reason").unwrap_or_default());
        }
        let output = value.get("hookSpecificOutput").unwrap_or(&Value::Null);
        let reason = text(output, "permissionDecisionReason").unwrap_or_default();
        match text(output, "permissionDecision").as_deref() {
            None | Some("allow") => match text(output, "additionalContext") {
                Some(told) if told.starts_with(SAVED) => Self::Saved(told),
                _ => Self::Allowed,
            },
            Some("ask") => Self::Asked(reason),
            Some("deny") => Self::Denied(reason),
            Some(other) => Self::Broken(format!("unknown decision `{other}`")),
        }
    }

    /// The text that comes with it.
    pub fn reason(&self) -> &str {
        match self {
            Self::Allowed => "",
            Self::Saved(reason) | Self::Asked(reason) | Self::Denied(reason) | Self::Broken(reason) => reason,
        }
    }

    /// For a message.
    pub fn shown(&self) -> String {
        match self {
            Self::Allowed => "allow".to_owned(),
            Self::Saved(notice) => format!("save: {notice}"),
            Self::Asked(reason) => format!("ask: {reason}"),
            Self::Denied(reason) => format!("deny: {reason}"),
            Self::Broken(why) => format!("broken: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn read(exit: Option<i32>, stdout: &str, stderr: &str) -> Answer {
        let ran = Ran { exit, stdout: stdout.into(), stderr: stderr.into(), took: Duration::ZERO };
        Answer::read(&ran)
    }

    #[test]
    fn answers_are_read_as_the_client_reads_them() {
        let pre = |decision: &str| {
            format!(
                r#"{{"hookSpecificOutput":{{"permissionDecision":"{decision}","permissionDecisionReason":"r"}}}}"#
            )
        };
        assert_eq!(read(Some(0), "", ""), Answer::Allowed);
        assert_eq!(read(Some(0), r#"{"systemMessage":"m"}"#, ""), Answer::Allowed);
        assert_eq!(read(Some(0), &pre("ask"), ""), Answer::Asked("r".into()));
        assert_eq!(read(Some(0), &pre("deny"), ""), Answer::Denied("r".into()));
        assert_eq!(read(Some(0), r#"{"decision":"block","reason":"r"}"#, ""), Answer::Denied("r".into()));
        assert_eq!(read(Some(2), "", "r\n"), Answer::Denied("r".into()));
    }

    #[test]
    fn an_answer_that_the_client_does_not_understand_is_broken() {
        for (exit, stdout) in
            [(None, ""), (Some(1), ""), (Some(2), ""), (Some(0), "{"), (Some(0), "plain text")]
        {
            assert!(matches!(read(exit, stdout, ""), Answer::Broken(_)), "{exit:?} {stdout}");
        }
    }
}
