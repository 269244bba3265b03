//! Conditions.

use tollgate_policy::yaml::{Node, Value};
use tollgate_policy::{hint, shown};

use super::Reader;
use crate::expr::Expr;
use crate::flow::{Cond, Seen};

/// The names of all conditions.
pub const KEYS: [&str; 16] = [
    "all",
    "any",
    "not",
    "exists",
    "frontmatter",
    "contains",
    "min_chars",
    "committed",
    "tests",
    "command",
    "state",
    "phase",
    "output",
    "observed",
    "registered",
    "expr",
];

impl Reader<'_> {
    /// Conditions with their messages: a list of maps with `message` beside the condition.
    pub(super) fn needs(&mut self, node: &Node) -> Vec<(Cond, String)> {
        let items: Vec<&Node> = match &node.value {
            Value::List(items) => items.iter().map(|item| &**item).collect(),
            _ => vec![node],
        };
        let mut needs = Vec::new();
        for item in items {
            let entries = self.entries(item, "need").unwrap_or_default();
            let message = entries.iter().find(|(key, ..)| *key == "message");
            let message = message.map(|(key, _, node)| self.text(node, key)).unwrap_or_default();
            let rest = entries.iter().filter(|(key, ..)| *key != "message");
            let conditions: Vec<Cond> =
                rest.filter_map(|(key, at, node)| self.condition_of(key, *at, node)).collect();
            if message.is_empty() {
                self.error(item.at, "a need without a `message`", "say what is missing and what to do");
            }
            needs.push((one(conditions), message));
        }
        needs
    }

    /// One condition; several keys of a map must all hold.
    pub(super) fn condition(&mut self, node: &Node) -> Cond {
        if let Value::List(items) = &node.value {
            return one(items.iter().map(|item| self.condition(item)).collect());
        }
        let entries = self.entries(node, "a condition").unwrap_or_default();
        if entries.is_empty() {
            self.error(node.at, "a condition that says nothing", "");
        }
        one(entries.into_iter().filter_map(|(key, at, node)| self.condition_of(key, at, node)).collect())
    }

    fn condition_of(&mut self, key: &str, at: tollgate_policy::At, node: &Node) -> Option<Cond> {
        Some(match key {
            "all" => Cond::All(self.conditions(node)),
            "any" => Cond::Any(self.conditions(node)),
            "not" => Cond::Not(Box::new(self.condition(node))),
            "exists" => Cond::Exists(self.text(node, key)),
            "committed" => self.committed(node),
            "phase" => Cond::Any(self.texts(node, key).into_iter().map(Cond::Phase).collect()),
            "registered" => self.registered(node),
            "observed" => {
                Cond::Observed(self.choice(node, key, &[("red", Seen::Red), ("green", Seen::Green)])?)
            }
            "frontmatter" => self.frontmatter(node),
            "contains" => self.contains(node),
            "min_chars" => self.min_chars(node),
            "tests" => self.tests(node),
            "command" => self.command(node),
            "state" => self.state(node),
            "output" => self.output(node),
            "expr" => self.expr(node)?,
            unknown => {
                self.error(at, &format!("unknown condition `{}`", shown(unknown)), &hint(unknown, &KEYS));
                return None;
            }
        })
    }

    fn conditions(&mut self, node: &Node) -> Vec<Cond> {
        match &node.value {
            Value::List(items) => items.iter().map(|item| self.condition(item)).collect(),
            _ => vec![self.condition(node)],
        }
    }

    fn frontmatter(&mut self, node: &Node) -> Cond {
        let (mut file, mut has) = (String::new(), Vec::new());
        for (key, at, value) in self.entries(node, "frontmatter").unwrap_or_default() {
            match key {
                "file" => file = self.text(value, key),
                "has" => {
                    let pairs = self.entries(value, key).unwrap_or_default();
                    has = pairs
                        .into_iter()
                        .map(|(key, _, value)| (key.to_owned(), self.text(value, key)))
                        .collect();
                }
                unknown => self.unknown(unknown, at, "frontmatter", &["file", "has"]),
            }
        }
        Cond::Frontmatter { file, has }
    }

    /// A path, or places of which no file may be uncommitted.
    fn committed(&mut self, node: &Node) -> Cond {
        if !matches!(node.value, Value::Map(_)) {
            return Cond::Committed(self.text(node, "committed"));
        }
        let (mut folder, mut inside, mut except) = (String::new(), Vec::new(), Vec::new());
        for (key, at, value) in self.entries(node, "committed").unwrap_or_default() {
            match key {
                "folder" => folder = self.path(value, key),
                "inside" => inside = self.paths(value, key),
                "except" => except = self.paths(value, key),
                unknown => self.unknown(unknown, at, "committed", &["folder", "inside", "except"]),
            }
        }
        Cond::CommittedFiles { folder, inside, except }
    }

    fn contains(&mut self, node: &Node) -> Cond {
        let (mut file, mut all, mut any) = (String::new(), Vec::new(), Vec::new());
        for (key, at, value) in self.entries(node, "contains").unwrap_or_default() {
            match key {
                "file" => file = self.text(value, key),
                "all" => all = self.texts(value, key),
                "any" => any = self.texts(value, key),
                unknown => self.unknown(unknown, at, "contains", &["file", "all", "any"]),
            }
        }
        Cond::Contains { file, all, any }
    }

    fn min_chars(&mut self, node: &Node) -> Cond {
        let (mut file, mut n) = (String::new(), 0);
        for (key, at, value) in self.entries(node, "min_chars").unwrap_or_default() {
            match key {
                "file" => file = self.text(value, key),
                "n" => n = self.number(value, key).unwrap_or_default() as usize,
                unknown => self.unknown(unknown, at, "min_chars", &["file", "n"]),
            }
        }
        Cond::MinChars { file, n }
    }

    fn tests(&mut self, node: &Node) -> Cond {
        let (mut run, mut pass, mut timeout) = (String::new(), true, 120);
        for (key, at, value) in self.entries(node, "tests").unwrap_or_default() {
            match key {
                "run" => run = self.text(value, key),
                "expect" => {
                    pass = self.choice(value, key, &[("pass", true), ("fail", false)]).unwrap_or(true)
                }
                "timeout" => timeout = self.timeout(value),
                unknown => self.unknown(unknown, at, "tests", &["run", "expect", "timeout"]),
            }
        }
        Cond::Tests { run, pass, timeout }
    }

    fn command(&mut self, node: &Node) -> Cond {
        let (mut run, mut exit, mut timeout) = (String::new(), 0, 120);
        for (key, at, value) in self.entries(node, "command").unwrap_or_default() {
            match key {
                "run" => run = self.text(value, key),
                "exit" => {
                    exit = self.number(value, key).and_then(|code| i32::try_from(code).ok()).unwrap_or(0)
                }
                "timeout" => timeout = self.timeout(value),
                unknown => self.unknown(unknown, at, "command", &["run", "exit", "timeout"]),
            }
        }
        Cond::Command { run, exit, timeout }
    }

    fn state(&mut self, node: &Node) -> Cond {
        let mut values = Vec::new();
        for (key, at, value) in self.entries(node, "state").unwrap_or_default() {
            match key.split_once('.') {
                Some((space, name)) if !space.is_empty() && !name.is_empty() => {
                    values.push((space.to_owned(), name.to_owned(), self.text(value, key)));
                }
                _ => {
                    self.error(at, &format!("`{}` names no value", shown(key)), "write `workflow.key: value`")
                }
            }
        }
        Cond::State(values)
    }

    fn output(&mut self, node: &Node) -> Cond {
        let (mut contains, mut matches) = (Vec::new(), Vec::new());
        for (key, at, value) in self.entries(node, "output").unwrap_or_default() {
            match key {
                "contains" => contains = self.texts(value, key),
                "matches" => matches = self.texts(value, key),
                unknown => self.unknown(unknown, at, "output", &["contains", "matches"]),
            }
        }
        Cond::Output { contains, matches }
    }

    fn registered(&mut self, node: &Node) -> Cond {
        let (mut name, mut also) = (String::new(), Vec::new());
        for (key, at, value) in self.entries(node, "registered").unwrap_or_default() {
            match key {
                "name" => name = self.text(value, key),
                "also" => also = self.texts(value, key),
                unknown => self.unknown(unknown, at, "registered", &["name", "also"]),
            }
        }
        Cond::Registered { name, also }
    }

    fn expr(&mut self, node: &Node) -> Option<Cond> {
        let text = self.text(node, "expr");
        match Expr::parse(&text) {
            Ok(expr) => Some(Cond::Expr(expr)),
            Err((why, at)) => {
                self.error(node.at, &format!("expression, character {}: {why}", at + 1), "");
                None
            }
        }
    }

    fn timeout(&mut self, node: &Node) -> u32 {
        let seconds = self.duration(node, "timeout").unwrap_or(120);
        u32::try_from(seconds.min(600)).unwrap_or(600)
    }

    pub(super) fn unknown(&mut self, key: &str, at: tollgate_policy::At, of: &str, valid: &[&str]) {
        self.error(at, &format!("unknown key `{}` of `{of}`", shown(key)), &hint(key, valid));
    }
}

fn one(mut conditions: Vec<Cond>) -> Cond {
    match (conditions.pop(), conditions.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            conditions.push(last);
            Cond::All(conditions)
        }
        (None, _) => Cond::All(Vec::new()),
    }
}
