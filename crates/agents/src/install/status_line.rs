//! The status line in Claude Code's settings: ours in it, with somebody's own line before it.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

/// The member of the settings.
const NAME: &str = "statusLine";
/// What follows our program.
const VERB: &str = " statusline";
/// What leads to the command that was there before.
const THEN: &str = " --after ";

/// The settings with our status line, which runs the command that was there before and shows its output, too. `None`:
/// it is there already. `program` is how a shell finds ours.
///
/// # Errors
/// When the settings are no JSON object, or the status line in them is no command.
pub fn add_status_line(text: &str, program: &str) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let settings = root.object_value_or_create().ok_or("the settings are no JSON object")?;
    let command = format!("{}{VERB}", quote(program));
    let Some(line) = settings.get(NAME) else {
        let members = [("type", "command"), ("command", &command)];
        let members = members.map(|(name, value)| (name.to_owned(), CstInputValue::String(value.to_owned())));
        settings.append(NAME, CstInputValue::Object(members.into()));
        return Ok(Some(root.to_string()));
    };
    let line = line.object_value().ok_or("`statusLine` is no object")?;
    let before = command_of(&line).ok_or("`statusLine` has no command")?;
    if is_ours(&before) {
        return Ok(None);
    }
    set(&line, &format!("{command}{THEN}{}", quote(&before)));
    Ok(Some(root.to_string()))
}

/// The settings without our status line, with the command that was there before. `None`: ours is not there.
///
/// # Errors
/// When the settings are no JSON.
pub fn remove_status_line(text: &str) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let Some(settings) = root.object_value() else { return Ok(None) };
    let Some(member) = settings.get(NAME) else { return Ok(None) };
    let Some(line) = member.object_value() else { return Ok(None) };
    let Some(command) = command_of(&line).filter(|command| is_ours(command)) else { return Ok(None) };
    match command.split_once(THEN).and_then(|(_, before)| unquote(before)) {
        Some(before) => set(&line, &before),
        None => member.remove(),
    }
    Ok(Some(root.to_string()))
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| error.to_string())
}

fn command_of(line: &CstObject) -> Option<String> {
    line.get("command")?.value()?.as_string_lit()?.decoded_value().ok()
}

fn set(line: &CstObject, command: &str) {
    if let Some(member) = line.get("command") {
        member.set_value(CstInputValue::String(command.to_owned()));
    }
}

/// A program of ours by its file name, followed by the verb.
fn is_ours(command: &str) -> bool {
    let Some((program, rest)) = command.split_once(VERB) else { return false };
    let name = program.trim_matches('\'').rsplit('/').next().unwrap_or_default();
    name == "tollgate" && (rest.is_empty() || rest.starts_with(THEN))
}

/// One word for a POSIX shell.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The text that was quoted.
fn unquote(text: &str) -> Option<String> {
    match text.strip_prefix('\'') {
        Some(inner) => Some(inner.strip_suffix('\'')?.replace(r"'\''", "'")),
        None => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_is_kept_and_comes_back() {
        for before in [
            "{\n  \"model\": \"opus\"\n}\n",
            "{\n  \"statusLine\": {\n    \"type\": \"command\",\n    \"command\": \"~/.claude/line.sh\",\n    \"padding\": 0\n  }\n}\n",
            r#"{"statusLine":{"type":"command","command":"jq -r '.model.display_name + \" it''s\"'"},"x":1}"#,
        ] {
            let after = add_status_line(before, "/home/k/.local/bin/tollgate").unwrap().unwrap();
            assert!(after.contains("tollgate statusline"), "{after}");
            assert_eq!(add_status_line(&after, "/home/k/.local/bin/tollgate").unwrap(), None, "{after}");
            let value = |text: &str| tollgate_model::json::parse(text.as_bytes()).unwrap();
            let back = remove_status_line(&after).unwrap().unwrap();
            assert_eq!(value(&back), value(before), "{after}\n{back}");
            assert_eq!(remove_status_line(before).unwrap(), None);
        }
    }

    #[test]
    fn a_program_in_a_folder_with_spaces_is_one_word() {
        let after = add_status_line("", "/home/k k/it's/tollgate").unwrap().unwrap();
        assert!(after.contains(r"'/home/k k/it'\\''s/tollgate' statusline"), "{after}");
        assert!(!remove_status_line(&after).unwrap().unwrap().contains("statusLine"));
    }

    #[test]
    fn what_is_not_understood_is_left_alone() {
        for text in ["[]", "{", r#"{"statusLine":"x"}"#, r#"{"statusLine":{"type":"command"}}"#] {
            assert!(add_status_line(text, "tollgate").is_err(), "{text}");
        }
    }
}
