//! Commands in YAML texts: what stands under the keys by which pipelines, hooks and tasks name them. Read by
//! lines, so that a part of a file is read as well as the whole.

/// Keys whose values are commands: a scalar, a block or a list.
const KEYS: &[&str] = &[
    "run",
    "script",
    "before_script",
    "after_script",
    "after_success",
    "after_failure",
    "before_deploy",
    "after_deploy",
    "on_success",
    "on_failure",
    "on_finish",
    "args",
    "before_install",
    "install",
    "command",
    "commands",
    "cmd",
    "cmds",
    "defer",
    "bash",
    "sh",
    "pwsh",
    "powershell",
    "entry",
    "entrypoint",
    "before",
    "init",
    "inlineScript",
    "test",
    "healthcheck",
];

/// The commands of a text, each as shell text.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        found.extend(in_braces(line));
        let Some((column, value)) = keyed(line) else { continue };
        let rest = lines.get(at..).unwrap_or_default();
        let taken = taken(value, column, rest, &mut found);
        at += taken;
    }
    found
}

/// The column and the value of a line with one of the keys.
fn keyed(line: &str) -> Option<(usize, &str)> {
    let mut entry = line.trim_start();
    while let Some(rest) = entry.strip_prefix("- ") {
        entry = rest.trim_start();
    }
    let column = line.len() - entry.len();
    let (key, value) = entry.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let plain = value.is_empty() || value.starts_with([' ', '\t']);
    // `build_script` and its like name a stage.
    (plain && (KEYS.contains(&key) || key.ends_with("_script"))).then(|| (column, value.trim()))
}

/// Adds the commands of a value; how many of the next lines belong to it.
fn taken(value: &str, column: usize, rest: &[&str], found: &mut Vec<String>) -> usize {
    let value = without_tag(value);
    if is_block(value) {
        let (block, count) = block(column, rest, value.starts_with('>'));
        found.push(block);
        return count;
    }
    if value.is_empty() {
        return listed(column, rest, found);
    }
    if let Some(items) = value.strip_prefix('[') {
        let words = flow_items(items);
        found.push(words.join(" "));
        found.extend(words);
        return 0;
    }
    let (more, count) = continued(column, value, rest);
    found.push(unquoted(&more));
    count
}

/// `!reference`, `!!str` and anchors say nothing of the command.
fn without_tag(value: &str) -> &str {
    let mut value = value;
    while value.starts_with(['!', '&']) {
        value = value.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
    }
    value
}

/// `|`, `>-`, `|2+`, with a comment or without.
fn is_block(value: &str) -> bool {
    let head = value.split('#').next().unwrap_or_default().trim_end();
    head.starts_with(['|', '>'])
        && head.len() <= 3
        && head.chars().skip(1).all(|c| c.is_ascii_digit() || matches!(c, '+' | '-'))
}

/// The lines that are deeper than a column, without what all of them are set in by. Folded, they are one line, but for
/// those that are set in further.
fn block(column: usize, rest: &[&str], folded: bool) -> (String, usize) {
    let count = rest.iter().take_while(|line| line.trim().is_empty() || indent(line) > column).count();
    let lines = rest.get(..count).unwrap_or_default();
    let margin = lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min();
    let mut text = String::new();
    for line in lines {
        let line = line.get(margin.unwrap_or_default()..).unwrap_or_default();
        let joins = folded && !line.is_empty() && !line.starts_with([' ', '\t']) && !text.ends_with('\n');
        if !text.is_empty() {
            text.push(if joins { ' ' } else { '\n' });
        }
        text.push_str(line);
    }
    (text, count)
}

/// A list of commands below a key. What is a map instead is read by its own keys.
fn listed(column: usize, rest: &[&str], found: &mut Vec<String>) -> usize {
    let mut at = 0;
    while let Some(line) = rest.get(at) {
        let plain = line.trim_start();
        if plain.is_empty() || plain.starts_with('#') {
            at += 1;
            continue;
        }
        let item = plain.strip_prefix('-').filter(|item| item.is_empty() || item.starts_with(' '));
        if indent(line) < column || indent(line) == column && item.is_none() {
            break;
        }
        at += 1;
        let next = rest.get(at..).unwrap_or_default();
        let mut braced = in_braces(line).peekable();
        if let Some((column, value)) = keyed(line) {
            at += taken(value, column, next, found);
        } else if braced.peek().is_some() {
            found.extend(braced);
        } else if let Some(item) = item.filter(|item| !is_other_key(item)) {
            at += taken(item.trim(), indent(line), next, found);
        }
    }
    at
}

/// `name: x` in an item: one word that says what follows, and is no command.
fn is_other_key(item: &str) -> bool {
    let key = item.trim_start().split_once(": ").map(|(key, _)| key);
    key.is_some_and(|key| {
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// A plain or quoted text that goes on in deeper lines.
fn continued(column: usize, value: &str, rest: &[&str]) -> (String, usize) {
    let goes_on = |line: &&&str| !line.trim().is_empty() && indent(line) > column;
    let count = rest.iter().take_while(goes_on).count();
    let lines = rest.get(..count).unwrap_or_default();
    let all = std::iter::once(value).chain(lines.iter().map(|line| line.trim()));
    (all.collect::<Vec<_>>().join(" "), count)
}

/// Commands of maps that stand in braces on one line: `steps: [checkout, {run: npm ci}]`.
fn in_braces(line: &str) -> impl Iterator<Item = String> {
    let inner = line.split_once('{').into_iter().flat_map(|(_, inner)| inner.split(['{', ',', '}']));
    // The text of a command may hold the same marks, so it is taken up to the end of the line when it is quoted.
    inner.filter_map(move |part| {
        let (key, value) = part.split_once(':')?;
        let key = key.trim().trim_matches(['"', '\'']);
        if !KEYS.contains(&key) {
            return None;
        }
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
        let Some(quote) = quote else { return Some(value.trim().to_owned()) };
        let start = line.find(part)? + part.find(value)? + 1;
        let rest = line.get(start..)?;
        let end = rest.rfind(quote)?;
        rest.get(..end).map(str::to_owned)
    })
}

/// The texts of a list in brackets.
fn flow_items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match (quote, c) {
            (None, ']') => break,
            (None, ',') => items.push(String::new()),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => items.last_mut().into_iter().for_each(|item| item.push(c)),
        }
    }
    items.into_iter().map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

/// A scalar without its quotes.
fn unquoted(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return inner.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    }
    match text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_however_they_are_written() {
        for (text, expected) in [
            ("a:\n  - run: x y", vec!["x y"]),
            ("run: |\n  a\n  b\nname: c", vec!["a\nb"]),
            ("- run: >-\n    a\n      b\n- run: c", vec!["a\n  b", "c"]),
            ("script:\n  - a\n  - \"b c\"\nx: y", vec!["a", "b c"]),
            ("script:\n- a\n- |\n  b\n  c\n", vec!["a", "b\nc"]),
            ("command: [\"sh\", \"-c\", \"a b\"]", vec!["sh -c a b", "sh", "-c", "a b"]),
            ("steps: [checkout, {run: npm ci}]", vec!["npm ci"]),
            ("- { name: x, run: 'a, b' }", vec!["a, b"]),
            ("run: 'it''s'", vec!["it's"]),
            ("\"run\": \"a \\\"b\\\"\"", vec!["a \"b\""]),
            ("run: a\n  b\nother: c", vec!["a b"]),
            ("run:\n  name: x\n  command: y", vec!["y"]),
            ("description: run: x", vec![]),
            ("commands:\n  lint:\n    run: a", vec!["a"]),
            ("cmds:\n  - cmd: a\n  - b\n  - task: c\n  - defer: d", vec!["a", "b", "d"]),
            ("cmd: echo {{.X}}", vec!["echo {{.X}}"]),
            ("commands:\n  - name: x\n    command: a\n  - b", vec!["a", "b"]),
        ] {
            assert_eq!(commands(text), expected, "{text}");
        }
    }
}
