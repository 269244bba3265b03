//! A policy file's text with one change in it. Comments, order and everything else stay as they are.

use tollgate_model::json::{self, Value as Json};
use tollgate_model::{Exemption, Level};
use tollgate_policy::yaml::{self, Node, Value};

use super::Change;

/// The text with a change made; `None` where the file is written in a way that this does not know.
pub fn made(text: &str, change: &Change) -> Option<String> {
    match change {
        Change::Level { rule, to, .. } => level(text, rule, *to),
        Change::Allow { exceptions, .. } => {
            exceptions.iter().try_fold(text.to_owned(), |text, one| exception(&text, one))
        }
        Change::ReadOnly => {
            let document = yaml::read(text);
            match document.root.as_deref().and_then(|root| member(root, "approve")) {
                Some(node) => replaced(text, node, "read-only"),
                None => Some(appended(text, &["approve: read-only"])),
            }
        }
    }
}

fn level(text: &str, rule: &str, to: Level) -> Option<String> {
    let document = yaml::read(text);
    let root = document.root.as_deref();
    if let Some(own) = root.and_then(|root| own_rule(root, rule)) {
        return replaced(text, member(own, "level")?, to.name());
    }
    let new = format!("{rule}: {}", to.name());
    let Some(rules) = root.and_then(|root| member(root, "rules")) else {
        return Some(appended(text, &["rules:", &format!("  {new}")]));
    };
    match member(rules, rule) {
        Some(node) if matches!(node.value, Value::Map(_)) => match member(node, "level") {
            Some(level) => replaced(text, level, to.name()),
            None => put_first(text, node, &format!("level: {}", to.name())),
        },
        Some(node) => replaced(text, node, to.name()),
        None => put_first(text, rules, &new),
    }
}

/// The entry of a rule of the file's own.
fn own_rule<'n>(root: &'n Node, id: &str) -> Option<&'n Node> {
    let Value::List(rules) = &member(root, "custom")?.value else { return None };
    let is = |rule: &Node| member(rule, "id").is_some_and(|node| is_text(node, id));
    rules.iter().map(|rule| &**rule).find(|rule| is(rule))
}

fn exception(text: &str, one: &Exemption) -> Option<String> {
    let document = yaml::read(text);
    let entry = format!("- {}", flow(one));
    match document.root.as_deref().and_then(|root| member(root, "allow")) {
        None => Some(appended(text, &["allow:", &format!("  {entry}")])),
        Some(node) if node.is_null() => None,
        Some(node) => match &node.value {
            Value::List(_) if starts_with(text, node, '[') => {
                inserted(text, start(node) + 1, &format!("{}, ", flow(one)))
            }
            Value::List(items) => before_line(text, items.first()?, &entry),
            _ => None,
        },
    }
}

/// An exception on one line. JSON's strings are YAML's, too.
fn flow(one: &Exemption) -> String {
    let command = one.command.join(" ");
    let fields = [
        ("rule", &one.rule),
        ("command", &command),
        ("path", &one.path),
        ("project", &one.project),
        ("reason", &one.reason),
    ];
    let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
    let fields: Vec<String> = fields.map(|(key, text)| format!("{key}: {}", scalar(text))).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// Words that YAML takes for something else than a text.
const MEANS_SOMETHING: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];

fn scalar(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ' '));
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    if plain
        && is_word
        && !text.ends_with(' ')
        && !MEANS_SOMETHING.contains(&text.to_ascii_lowercase().as_str())
    {
        return text.to_owned();
    }
    let mut quoted = String::new();
    json::write(&Json::String(text.to_owned()), &mut quoted);
    quoted
}

fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Value::Map(entries) = &node.value else { return None };
    entries.iter().find(|(key, _)| is_text(key, name)).map(|(_, value)| &**value)
}

fn is_text(node: &Node, wanted: &str) -> bool {
    matches!(&node.value, Value::Scalar { text, .. } if text == wanted)
}

fn start(node: &Node) -> usize {
    node.at.span.start as usize
}

fn starts_with(text: &str, node: &Node, c: char) -> bool {
    text.get(start(node)..).is_some_and(|rest| rest.starts_with(c))
}

/// Another value in a scalar's place. One that stands nowhere, or is an anchor's, is left alone.
fn replaced(text: &str, node: &Node, with: &str) -> Option<String> {
    let Value::Scalar { .. } = node.value else { return None };
    let (before, rest) = text.split_at_checked(start(node))?;
    let after = rest.get((node.at.span.end as usize).checked_sub(start(node))?..)?;
    let stands = node.at.span.end > node.at.span.start && !rest.starts_with(['*', '&', '!']);
    stands.then(|| format!("{before}{with}{after}"))
}

/// A new entry before the others of a map.
fn put_first(text: &str, map: &Node, entry: &str) -> Option<String> {
    let Value::Map(entries) = &map.value else { return None };
    if starts_with(text, map, '{') {
        let comma = if entries.is_empty() { " " } else { "," };
        return inserted(text, start(map) + 1, &format!(" {entry}{comma}"));
    }
    before_line(text, &entries.first()?.0, entry)
}

/// A line of its own before the one that a node begins, as far in as that. A list's `-` belongs to the line.
fn before_line(text: &str, node: &Node, line: &str) -> Option<String> {
    let before = text.get(..start(node))?;
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    let lead = before.get(begin..)?;
    let indent: String = lead.chars().take_while(|c| *c == ' ').collect();
    let rest = lead.trim_start_matches(' ');
    let own_line = rest.is_empty() || (line.starts_with("- ") && rest.trim_end() == "-");
    own_line.then(|| inserted(text, begin, &format!("{indent}{line}{}", end_of(text))))?
}

fn inserted(text: &str, at: usize, what: &str) -> Option<String> {
    let (before, after) = text.split_at_checked(at)?;
    Some(format!("{before}{what}{after}"))
}

/// Lines at the end.
fn appended(text: &str, lines: &[&str]) -> String {
    let end = end_of(text);
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
    let lines: String = lines.iter().map(|line| format!("{line}{end}")).collect();
    format!("{text}{gap}{lines}")
}

/// How lines end in this file.
fn end_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tollgate_policy::{Layer, Severity, TEMPLATE};
    use tollgate_rules::Rules;

    use super::*;

    fn valid(text: &str) -> bool {
        let problems = tollgate_policy::check(Path::new("/x/tollgate.yaml"), text, Layer::User, &Rules);
        !problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    #[test]
    fn a_level_is_set_however_the_file_is_written() {
        for (before, after) in [
            ("version: 1\n", "version: 1\nrules:\n  git-force-push: ask\n"),
            ("version: 1", "version: 1\nrules:\n  git-force-push: ask\n"),
            (
                "version: 1\r\nmode: enforce\r\n",
                "version: 1\r\nmode: enforce\r\nrules:\r\n  git-force-push: ask\r\n",
            ),
            (
                "version: 1\nrules:   # mine\n    package-publish: deny\n",
                "version: 1\nrules:   # mine\n    git-force-push: ask\n    package-publish: deny\n",
            ),
            (
                "version: 1\nrules:\n  git-force-push: deny   # never\n",
                "version: 1\nrules:\n  git-force-push: ask   # never\n",
            ),
            (
                "version: 1\nrules:\n  git-force-push: \"deny\"\n",
                "version: 1\nrules:\n  git-force-push: ask\n",
            ),
            (
                "version: 1\nrules: { git-force-push: deny, package-publish: deny }\n",
                "version: 1\nrules: { git-force-push: ask, package-publish: deny }\n",
            ),
            (
                "version: 1\nrules: {package-publish: deny}\n",
                "version: 1\nrules: { git-force-push: ask,package-publish: deny}\n",
            ),
            (
                "version: 1\nrules:\n  git-force-push: { except: [\"a/**\"], level: deny }\n",
                "version: 1\nrules:\n  git-force-push: { except: [\"a/**\"], level: ask }\n",
            ),
            (
                "version: 1\nrules:\n  git-force-push:\n    except: [\"a/**\"]\n",
                "version: 1\nrules:\n  git-force-push:\n    level: ask\n    except: [\"a/**\"]\n",
            ),
            (
                "version: 1\ncustom:\n  - id: git-force-push-x\n    level: deny\n    when: call.tool == \"x\"\n    reason: r\n",
                "version: 1\ncustom:\n  - id: git-force-push-x\n    level: ask\n    when: call.tool == \"x\"\n    reason: r\n",
            ),
        ] {
            let rule =
                if before.contains("git-force-push-x") { "git-force-push-x" } else { "git-force-push" };
            let change = Change::Level { rule: rule.to_owned(), from: Level::Deny, to: Level::Ask };
            assert_eq!(made(before, &change).as_deref(), Some(after));
            assert!(valid(after), "{after}");
        }
    }

    #[test]
    fn exceptions_and_approval_are_added_however_the_file_is_written() {
        let one = Exemption {
            rule: "git-force-push".into(),
            command: ["git", "push", "-f", "it's:\"x\""].map(str::to_owned).into(),
            project: "/home/me/pro ject".into(),
            ..Exemption::default()
        };
        let entry =
            r#"{ rule: git-force-push, command: "git push -f it's:\"x\"", project: /home/me/pro ject }"#;
        let change = Change::Allow { rule: one.rule.clone(), exceptions: vec![one] };
        for (before, after) in [
            ("version: 1\n", format!("version: 1\nallow:\n  - {entry}\n")),
            (
                "version: 1\nallow:\n- rule: package-publish\n  path: /x\n",
                format!("version: 1\nallow:\n- {entry}\n- rule: package-publish\n  path: /x\n"),
            ),
            (
                "version: 1\nallow: [{ rule: package-publish, path: /x }]\n",
                format!("version: 1\nallow: [{entry}, {{ rule: package-publish, path: /x }}]\n"),
            ),
        ] {
            assert_eq!(made(before, &change).as_deref(), Some(after.as_str()));
            assert!(valid(&after), "{after}");
        }
        for (before, after) in [
            ("version: 1\n", "version: 1\napprove: read-only\n"),
            ("version: 1\napprove: none # yet\n", "version: 1\napprove: read-only # yet\n"),
        ] {
            assert_eq!(made(before, &Change::ReadOnly).as_deref(), Some(after));
        }
        let whole = made(&made(TEMPLATE, &change).unwrap(), &Change::ReadOnly).unwrap();
        assert!(whole.starts_with(TEMPLATE) && valid(&whole), "{whole}");
    }

    #[test]
    fn what_stands_elsewhere_is_left_alone() {
        for text in [
            "version: 1\nx: &l deny\nrules: { git-force-push: *l }\n",
            "version: 1\nrules: [a]\n",
            "version: 1\nrules:\n",
        ] {
            let change = Change::Level { rule: "git-force-push".into(), from: Level::Deny, to: Level::Ask };
            assert!(made(text, &change).is_none_or(|after| !valid(&after)), "{text}");
        }
    }
}
