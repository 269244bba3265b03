//! Nodes of the YAML tree as the values they should be.

use std::collections::HashMap;

use tollgate_policy::yaml::{Node, Value};
use tollgate_policy::{At, glob, hint, shown};

use super::Reader;
use crate::template::{self, Piece};

/// A map's entries: name, its place, value.
pub(super) type Entries<'n> = Vec<(&'n str, At, &'n Node)>;

impl Reader<'_> {
    /// The entries of a map, each once.
    pub(super) fn entries<'n>(&mut self, node: &'n Node, what: &str) -> Option<Entries<'n>> {
        let Value::Map(pairs) = &node.value else {
            self.error(node.at, &format!("{} must be a map, not {}", named(what), node.kind()), "");
            return None;
        };
        let mut seen = HashMap::new();
        let mut entries = Vec::new();
        for (key, value) in pairs {
            let Value::Scalar { text, .. } = &key.value else {
                self.error(key.at, &format!("a key must be a name, not {}", key.kind()), "");
                continue;
            };
            match seen.insert(text.as_str(), key.at.line) {
                Some(line) => {
                    let first = format!("first on line {line}");
                    self.error(key.at, &format!("`{}` is set twice", shown(text)), &first);
                }
                None => entries.push((text.as_str(), key.at, &**value)),
            }
        }
        Some(entries)
    }

    /// A text, with options filled in.
    pub(super) fn text(&mut self, node: &Node, what: &str) -> String {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => self.fill_options(text),
            _ => {
                self.error(node.at, &format!("{} must be text, not {}", named(what), node.kind()), "");
                String::new()
            }
        }
    }

    /// One text or a list of them; an item that is only an option stands for all its values.
    pub(super) fn texts(&mut self, node: &Node, what: &str) -> Vec<String> {
        let single = std::slice::from_ref(node);
        match &node.value {
            Value::List(items) => items.iter().flat_map(|item| self.spliced(item, what)).collect(),
            _ if node.is_null() => Vec::new(),
            _ => single.iter().flat_map(|item| self.spliced(item, what)).collect(),
        }
    }

    /// A text as lines, or a list of lines.
    pub(super) fn lines(&mut self, node: &Node, what: &str) -> Vec<String> {
        let texts = self.texts(node, what);
        texts.iter().flat_map(|text| text.lines().map(str::to_owned)).collect()
    }

    /// A path template.
    pub(super) fn path(&mut self, node: &Node, what: &str) -> String {
        let path = self.text(node, what);
        self.check_path(&path, node.at);
        path
    }

    /// Path templates.
    pub(super) fn paths(&mut self, node: &Node, what: &str) -> Vec<String> {
        let paths = self.texts(node, what);
        paths.iter().for_each(|path| self.check_path(path, node.at));
        paths
    }

    pub(super) fn switch(&mut self, node: &Node, what: &str) -> bool {
        self.choice(node, what, &[("true", true), ("false", false)]).unwrap_or_default()
    }

    pub(super) fn number(&mut self, node: &Node, what: &str) -> Option<u32> {
        let text = self.text(node, what);
        let number = text.parse().ok();
        if number.is_none() && !text.is_empty() {
            self.error(node.at, &format!("`{}` is no number for {}", shown(&text), named(what)), "");
        }
        number
    }

    /// `90`, `90s`, `15m`, `8h`, `7d`, in seconds.
    pub(super) fn duration(&mut self, node: &Node, what: &str) -> Option<u64> {
        let text = self.text(node, what);
        let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let unit = match unit {
            "" | "s" => Some(1),
            "m" => Some(60),
            "h" => Some(3600),
            "d" => Some(86_400),
            _ => None,
        };
        let seconds = unit.and_then(|unit: u64| number.parse::<u64>().ok()?.checked_mul(unit));
        if seconds.is_none() {
            self.error(
                node.at,
                &format!("`{}` is no time", shown(&text)),
                "write `90s`, `15m`, `8h` or `7d`",
            );
        }
        seconds
    }

    pub(super) fn choice<T: Copy>(&mut self, node: &Node, what: &str, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text(node, what);
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() && !text.is_empty() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let message = format!("unknown value `{}` for {}", shown(&text), named(what));
            self.error(node.at, &message, &hint(&text, &names));
        }
        found
    }

    fn check_path(&mut self, path: &str, at: At) {
        let (pattern, _) = template::fill(path, |_, _| Some("x".to_owned()), |_| String::new());
        if let Err(why) = glob::expand(&pattern) {
            self.error(at, &format!("path `{}` never works", shown(path)), why);
        } else if pattern.starts_with('/') {
            self.error(at, &format!("path `{}` is absolute", shown(path)), "paths are below the project");
        }
    }

    fn spliced(&mut self, item: &Node, what: &str) -> Vec<String> {
        if let Value::Scalar { text, .. } = &item.value
            && let [Piece::Name(name, "")] = template::pieces(text).as_slice()
            && let Some(values) = self.options.get(*name)
        {
            return values.clone();
        }
        vec![self.text(item, what)]
    }

    fn fill_options(&self, text: &str) -> String {
        if self.options.is_empty() || !text.contains('{') {
            return text.to_owned();
        }
        let mut filled = text.to_owned();
        for (name, values) in &self.options {
            filled = filled.replace(&format!("{{{name}}}"), &values.join(", "));
        }
        filled
    }
}

fn named(what: &str) -> String {
    if what.contains(' ') { what.to_owned() } else { format!("`{what}`") }
}
