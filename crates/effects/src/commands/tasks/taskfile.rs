//! Taskfiles: the commands of tasks, with the variables in their places.

use super::unquoted;
use crate::yaml;

/// The most tasks that are followed, and how often variables name each other.
const TASKS: usize = 32;
const ROUNDS: usize = 4;

/// A command of which nothing is known, for what is not read here.
const UNREAD: &str = "eval \"$a_task_that_is_not_read\"";

/// The commands of these tasks and of those that they need, or of all when one is not found.
pub(super) fn commands(text: &str, goals: &[String]) -> Vec<String> {
    let variables = variables(text);
    let mut wanted: Vec<String> = if goals.is_empty() { vec!["default".to_owned()] } else { goals.to_vec() };
    let (mut lines, mut at) = (Vec::new(), 0);
    while let Some(goal) = wanted.get(at).cloned() {
        at += 1;
        if at > TASKS {
            lines.push(UNREAD.to_owned());
            break;
        }
        let Some(section) = section(text, &goal) else {
            lines.extend(yaml::commands(text));
            lines.extend(is_in_braces(text, "tasks").then(|| UNREAD.to_owned()));
            break;
        };
        lines.extend(is_in_braces(&section, &goal).then(|| UNREAD.to_owned()));
        let section = spelled_out(&section);
        let needed = needed(&section).into_iter().filter(|name| !wanted.contains(name)).collect::<Vec<_>>();
        wanted.extend(needed);
        let folder = value_of(&section, "dir");
        lines.extend(yaml::commands(&section).into_iter().map(|line| match &folder {
            Some(folder) => format!("cd \"{folder}\" && {line}"),
            None => line,
        }));
    }
    lines.iter().map(|line| filled(line, &variables)).collect()
}

/// The lines of a task: what is set in further than its name, which is the first below `tasks` or set in as far as that.
fn section(text: &str, goal: &str) -> Option<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let below = text.lines().skip_while(|line| indent(line) > 0 || key_of(line) != "tasks").skip(1);
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut tasks = below.filter(is_text).take_while(|line| indent(line) > 0).peekable();
    let column = indent(tasks.peek()?);
    let is_name = |line: &str| indent(line) == column;
    let name = tasks.find(|line| is_name(line) && key_of(line) == goal)?;
    let body = tasks.take_while(|line| !is_name(line));
    Some(std::iter::once(name).chain(body).map(|line| format!("{line}\n")).collect())
}

/// Does the value of a key begin with a brace on its own line?
fn is_in_braces(text: &str, key: &str) -> bool {
    let value = text.lines().find(|line| key_of(line) == key).and_then(|line| line.split_once(':'));
    value.is_some_and(|(_, value)| value.trim_start().starts_with('{'))
}

/// `clean: rm -r out` and `clean: [a, b]` are short for a task with these `cmds`, and so is a list right below the name.
fn spelled_out(section: &str) -> String {
    let (name, body) = section.split_once('\n').unwrap_or((section, ""));
    let (before, value) = name.split_once(':').unwrap_or((name, ""));
    let column = before.len() - before.trim_start().len();
    match !value.trim().is_empty() || body.trim_start().starts_with('-') {
        true => format!("{}cmds:{value}\n{body}", " ".repeat(column)),
        false => section.to_owned(),
    }
}

fn key_of(line: &str) -> &str {
    line.trim().trim_start_matches("- ").split(':').next().unwrap_or_default().trim_matches(['"', '\'', ' '])
}

fn value_of(section: &str, key: &str) -> Option<String> {
    let line = section.lines().find(|line| key_of(line) == key)?;
    line.split_once(':').map(|(_, value)| unquoted(value)).filter(|value| !value.is_empty())
}

/// `deps: [a, b]`, the list below `deps:`, and `- task: c`.
fn needed(section: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut listed = false;
    for line in section.lines() {
        let (key, value) =
            (key_of(line), line.split_once(':').map(|(_, value)| value.trim()).unwrap_or_default());
        match key {
            "deps" => {
                let inline = value.trim_matches(['[', ']']).split(',').map(unquoted);
                names.extend(inline.filter(|name| !name.is_empty()));
                listed = value.is_empty();
            }
            "task" => names.push(unquoted(value)),
            _ if listed && line.trim_start().starts_with("- ") => names.push(unquoted(key)),
            _ => listed = false,
        }
    }
    names
}

/// The variables of the file, as they are written.
fn variables(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with([' ', '#']) && !line.trim().is_empty() {
            inside = matches!(key_of(line), "vars" | "env");
        } else if inside && let Some((_, value)) = line.split_once(':') {
            let value = value.trim();
            let printed = value.strip_prefix("{").and_then(|rest| rest.trim().strip_prefix("sh:"));
            let value = printed
                .map_or_else(|| unquoted(value), |sh| format!("$({})", unquoted(sh.trim_end_matches('}'))));
            found.push((key_of(line).to_owned(), value));
        }
    }
    found
}

/// A line with values for `{{.NAME}}`; what the file does not say comes from the environment.
fn filled(line: &str, variables: &[(String, String)]) -> String {
    let mut line = line.to_owned();
    for _ in 0..ROUNDS {
        let mut parts = line.split("{{");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (inner, rest) = part.split_once("}}").unwrap_or((part, ""));
            let name = inner.split('|').next().unwrap_or_default().trim().trim_start_matches('.');
            let plain =
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let known = variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            out.push_str(
                &known
                    .unwrap_or_else(|| if plain { format!("${{{name}}}") } else { "$TASK_VALUE".to_owned() }),
            );
            out.push_str(rest);
        }
        let done = !out.contains("{{") || out == line;
        line = out;
        if done {
            break;
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn tasks_with_what_they_need() {
        let text = "version: '3'\nvars:\n  DIR: \"{{.HOME}}/out\"\n  REV: {sh: git rev-parse HEAD}\ntasks:\n  clean:\n    \
            deps: [stop]\n    dir: web\n    cmds:\n      - rm -rf {{.DIR}}\n      - task: log\n  stop:\n    cmds:\n      - \
            kill {{.PID | default 1}}\n  log:\n    cmd: echo {{.REV}}\n  other:\n    cmds:\n      - rm -rf /\n";
        let expected = ["cd \"web\" && rm -rf ${HOME}/out", "kill ${PID}", "echo $(git rev-parse HEAD)"]
            .map(str::to_owned);
        assert_eq!(commands(text, &["clean".to_owned()]), expected);
    }
}
