//! Programs that were written as an agent's own hooks: they get the agent's payload as it is, and answer as that agent
//! would have it. The words of all agents are read, since none of them means different things to two.

use tollgate_model::json::{Value, parse};
use tollgate_policy::Stage;

use crate::result::{Said, StageResult};

/// What such a program reads: the agent's payload.
pub(crate) fn request(input: &Value) -> Value {
    input.get("native").cloned().unwrap_or(Value::Null)
}

/// What such a program said: exit 0 and an object, or a text for the model where the event takes one; exit 2 refuses;
/// anything else is a fault.
pub(crate) fn answered(
    stage: &Stage,
    input: &Value,
    exit: Option<i32>,
    complaint: &str,
    text: &str,
) -> StageResult {
    let none = || Value::Map(Vec::new());
    match (exit, parse(text.as_bytes())) {
        (Some(0), Ok(answer)) if answer.as_map().is_some() => read(stage, &answer),
        (Some(0), _) => {
            let takes_text =
                matches!(input.text("hook_event_name"), Some("UserPromptSubmit" | "SessionStart"))
                    && !input.text("agent").is_some_and(|agent| READ_NO_TEXT.contains(&agent));
            let context = if takes_text { text.to_owned() } else { String::new() };
            StageResult { context, ..StageResult::said(stage, Said::Continue, "", none()) }
        }
        (Some(2), _) => StageResult::said(stage, Said::Block, complaint.trim(), none()),
        (Some(code), _) => {
            StageResult::failed(stage, format!("it ended with exit code {code}: {}", complaint.trim()))
        }
        (None, _) => StageResult::failed(stage, "it was ended by a signal"),
    }
}

/// Where a reason stands. Of two, the one for the model.
const REASONS: [&str; 8] = [
    "permissionDecisionReason",
    "reason",
    "stopReason",
    "agent_message",
    "agentMessage",
    "user_message",
    "userMessage",
    "message",
];

/// The agents that show the model nothing of what a hook prints unless it is an object.
const READ_NO_TEXT: [&str; 3] = ["cursor", "copilot-cli", "windsurf"];

fn read(stage: &Stage, answer: &Value) -> StageResult {
    let own = answer.get("hookSpecificOutput");
    let asked = own.and_then(|own| own.get("decision"));
    let text = |key: &str| own.and_then(|own| own.text(key)).or_else(|| answer.text(key));
    let of_request = |key: &str| asked.and_then(|asked| asked.text(key));
    let word = ["permissionDecision", "decision", "permission", "behavior"].iter().find_map(|key| text(key));
    // What is to be said to an agent that wants to stop keeps it from stopping.
    let goes_on = answer.text("followup_message").filter(|message| !message.is_empty());
    let word = of_request("behavior").or(word).or(goes_on.map(|_| "block"));
    let stops = answer.get("continue").and_then(Value::as_bool) == Some(false);
    let said = if stops { Some(Said::Block) } else { word.map_or(Some(Said::Continue), Said::parse) };
    let Some(said) = said else {
        let word: String = word.unwrap_or_default().chars().take(40).collect();
        return StageResult::failed(stage, format!("its decision `{word}` is unknown"));
    };
    let reason = of_request("message").or_else(|| REASONS.iter().find_map(|key| text(key))).or(goes_on);
    let inputs = ["updatedInput", "tool_input"];
    let rewrite = inputs.iter().find_map(|key| own?.get(key).or_else(|| asked?.get(key)));
    let rewrite =
        rewrite.or_else(|| ["updated_input", "modifiedArgs"].iter().find_map(|key| answer.get(key)));
    let context = text("additionalContext").or_else(|| text("additional_context"));
    StageResult {
        approves: said == Said::Allow,
        context: context.unwrap_or_default().to_owned(),
        notice: text("systemMessage").unwrap_or_default().to_owned(),
        rewrite: rewrite.filter(|input| **input != Value::Null).cloned(),
        ..StageResult::said(stage, said, reason.unwrap_or_default(), Value::Map(Vec::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::answered;
    use crate::result::Said;
    use tollgate_model::json::object;
    use tollgate_policy::{Program, Stage};

    #[test]
    fn the_words_of_hooks_are_read() {
        let stage = Stage { native: true, ..Stage::new("x", Program::Run(Vec::new())) };
        let input = object([("hook_event_name", "PreToolUse".into())]);
        for (text, said, reason) in [
            ("", Said::Continue, ""),
            ("chatter", Said::Continue, ""),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
                Said::Block,
                "r",
            ),
            (
                r#"{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"r"}}"#,
                Said::Ask,
                "r",
            ),
            (r#"{"hookSpecificOutput":{"permissionDecision":"allow"}}"#, Said::Allow, ""),
            (r#"{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"r"}}}"#, Said::Block, "r"),
            (r#"{"decision":"block","reason":"r"}"#, Said::Block, "r"),
            (r#"{"decision":"approve"}"#, Said::Allow, ""),
            (r#"{"continue":false,"stopReason":"r"}"#, Said::Block, "r"),
            (r#"{"permission":"deny","userMessage":"r"}"#, Said::Block, "r"),
            (r#"{"suppressOutput":true}"#, Said::Continue, ""),
            (r#"{"permission":"ask","user_message":"u","agent_message":"r"}"#, Said::Ask, "r"),
            (r#"{"permissionDecision":"deny","permissionDecisionReason":"r"}"#, Said::Block, "r"),
            (r#"{"behavior":"deny","message":"r"}"#, Said::Block, "r"),
            (r#"{"behavior":"allow"}"#, Said::Allow, ""),
            (r#"{"followup_message":"r"}"#, Said::Block, "r"),
            (r#"{"followup_message":""}"#, Said::Continue, ""),
        ] {
            let result = answered(&stage, &input, Some(0), "", text);
            assert_eq!((result.said, result.reason.as_str(), result.fault), (said, reason, None), "{text}");
        }
        let refused = answered(&stage, &input, Some(2), "two\nlines\n", "");
        assert_eq!((refused.said, refused.reason.as_str()), (Said::Block, "two\nlines"));
        assert!(answered(&stage, &input, Some(1), "oops", "").fault.unwrap().contains("exit code 1: oops"));
        let rewritten = answered(
            &stage,
            &input,
            Some(0),
            "",
            r#"{"hookSpecificOutput":{"updatedInput":{"a":1},"additionalContext":"c"},"systemMessage":"m"}"#,
        );
        assert!(rewritten.rewrite.is_some() && rewritten.context == "c" && rewritten.notice == "m");
        for text in
            [r#"{"updated_input":{"a":1}}"#, r#"{"permissionDecision":"allow","modifiedArgs":{"a":1}}"#]
        {
            assert!(answered(&stage, &input, Some(0), "", text).rewrite.is_some(), "{text}");
        }
        let same = answered(&stage, &input, Some(0), "", r#"{"modifiedArgs":null,"additional_context":"c"}"#);
        assert!(same.rewrite.is_none() && same.context == "c");
        let deaf = object([("hook_event_name", "SessionStart".into()), ("agent", "cursor".into())]);
        assert_eq!(answered(&stage, &deaf, Some(0), "", "a text").context, "");
        let prompt = object([("hook_event_name", "UserPromptSubmit".into())]);
        assert_eq!(answered(&stage, &prompt, Some(0), "", "a text").context, "a text");
    }
}
