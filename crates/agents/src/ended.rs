//! How a command ended, where an agent only tells it in the text for its model. What the command itself printed
//! stands before, so that texts are read from their end.

use tollgate_model::json::Value;
use tollgate_model::{Event, Kind};

/// The text of a tool's answer under one of these keys, or of its failure.
pub(crate) fn answer<'e>(event: &'e Event, keys: &[&str]) -> Option<&'e str> {
    match &event.kind {
        Kind::PostTool { response, .. } => keys.iter().find_map(|key| response.text(key)),
        Kind::PostToolFail { error, .. } => Some(error),
        _ => None,
    }
}

/// `Output: …` and after it lines such as `Exit Code: 1`. `silent` is what a missing code means.
pub(crate) fn labelled(text: &str, silent: Option<i32>) -> Option<(i32, String)> {
    let text = text.trim_end().trim_end_matches("</untrusted_context>").trim_end();
    let (_, told) = text.split_once("Output: ")?;
    let mut output = told;
    let mut code = None;
    let mut ended = false;
    while let Some((before, last)) = output.rsplit_once('\n') {
        let Some((name, value)) = last.split_once(": ") else { break };
        match name {
            "Exit Code" => code = Some(value.trim().parse().ok()?),
            "Process Group PGID" => ended = true,
            "Error" if value == "(none)" => {}
            "Signal" if value == "(none)" => {}
            "Signal" | "Background PIDs" => return None,
            _ => break,
        }
        output = before;
        if name == "Error" {
            break;
        }
    }
    let code = code.or_else(|| silent.filter(|_| ended))?;
    Some((code, if output == "(empty)" { String::new() } else { output.to_owned() }))
}

/// `…<shellId: 0 completed with exit code 1>`, or the same in square brackets.
pub(crate) fn signed(text: &str) -> Option<(i32, String)> {
    let (output, last) = text.trim_end().rsplit_once(['<', '['])?;
    let (_, code) = last.strip_suffix(['>', ']'])?.split_once("with exit code ")?;
    Some((code.trim().parse().ok()?, output.to_owned()))
}

/// A code and an output that stand in members of their own.
pub(crate) fn members(event: &Event, code: &str, output: &str) -> Option<(i32, String)> {
    let Kind::PostTool { response, .. } = &event.kind else { return None };
    let number = match response.get(code)? {
        Value::Number(text) => text.parse().ok()?,
        _ => return None,
    };
    Some((number, response.text(output)?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{labelled, signed};

    #[test]
    fn the_end_of_a_text_says_how_it_ended() {
        let qwen = |output: &str, code: &str| {
            format!(
                "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\nSignal: (none)\nProcess Group PGID: (none)"
            )
        };
        let gemini = |rest: &str| format!("<untrusted_context>\nOutput: {rest}\n</untrusted_context>");
        let some = |code: i32, text: &str| Some((code, text.to_owned()));
        for (text, silent, expected) in [
            (qwen("2 passed in 1s", "0"), None, some(0, "2 passed in 1s")),
            (qwen("1 failed\nExit Code: 0", "1"), None, some(1, "1 failed\nExit Code: 0")),
            (qwen("(empty)", "3"), None, some(3, "")),
            (qwen("x", "(none)"), None, None),
            (gemini("ok\nProcess Group PGID: 12"), Some(0), some(0, "ok")),
            (gemini("bad\nExit Code: 1\nProcess Group PGID: 12"), Some(0), some(1, "bad")),
            (
                gemini("Exit Code: 0\nbad\nExit Code: 1\nProcess Group PGID: 12"),
                Some(0),
                some(1, "Exit Code: 0\nbad"),
            ),
            (gemini("x\nBackground PIDs: 4\nProcess Group PGID: 12"), Some(0), None),
            (gemini("x\nSignal: 9\nProcess Group PGID: 12"), Some(0), None),
            (gemini("x"), Some(0), None),
            ("nothing of the kind".to_owned(), Some(0), None),
        ] {
            assert_eq!(labelled(&text, silent), expected, "{text}");
        }
        for (text, expected) in [
            ("RAN\n<shellId: 0 completed with exit code 0>", some(0, "RAN\n")),
            (
                "<shellId: 0 completed with exit code 0>\nx\n<shellId: 1 completed with exit code 1>",
                some(1, "<shellId: 0 completed with exit code 0>\nx\n"),
            ),
            ("with exit code 0", None),
            ("<shellId: 0 is still running>", None),
        ] {
            assert_eq!(signed(text), expected, "{text}");
        }
    }
}
