//! What the built-in middlewares can be told, so that a misspelt pattern is found when the file is read.

use super::{Reader, hint, shown};
use crate::pipeline::{GUARDS, Program, Stage, StageKind};
use crate::yaml::{Node, Value};

/// What a setting of a built-in takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Text,
    Number,
    Texts,
    Patterns,
}

/// The settings of each built-in.
const SETTINGS: [(&str, &[(&str, Takes)]); 7] = [
    ("block-dangerous-commands", &[("dangerous_patterns", Takes::Patterns)]),
    ("protect-sensitive-files", &[("protected_patterns", Takes::Texts)]),
    ("validate-tool-inputs", &[("max_command_length", Takes::Number)]),
    ("log-operations", &[("log_file", Takes::Text)]),
    (
        "emit-metrics",
        &[("statsd_host", Takes::Text), ("statsd_port", Takes::Number), ("prefix", Takes::Text)],
    ),
    ("track-token-usage", &[("log_file", Takes::Text)]),
    ("debug-tracer", &[("trace_file", Takes::Text)]),
];

impl Reader<'_> {
    /// Is a stage that is a built-in of ours told what it understands?
    pub(super) fn built_in_settings(&mut self, stage: &Stage, node: &Node) {
        let Program::BuiltIn(name) = &stage.program else { return };
        if stage.kind == StageKind::Observability && GUARDS.contains(&name.as_str()) {
            let message = format!("`{name}` as `observability` refuses nothing");
            self.error(node.at, &message, "write `type: safety`, or set `mode: observe` to try it out");
        }
        let Some(config) = node.member("config") else { return };
        let Value::Map(entries) = &config.value else { return };
        let known =
            SETTINGS.iter().find(|(built_in, _)| built_in == name).map_or(&[][..], |(_, known)| *known);
        for (key, at, value) in self.entries(entries) {
            match known.iter().find(|(known, _)| *known == key) {
                Some((_, takes)) => self.built_in_setting(key, *takes, value),
                None => {
                    let names: Vec<&str> = known.iter().map(|(known, _)| *known).collect();
                    let message = format!("`{name}` has no setting `{}`", shown(key));
                    self.error(at, &message, &hint(key, &names));
                }
            }
        }
    }

    fn built_in_setting(&mut self, key: &str, takes: Takes, node: &Node) {
        match (takes, &node.value) {
            (Takes::Text, Value::Scalar { .. }) if !node.is_null() => {}
            (Takes::Number, Value::Scalar { text, .. }) if text.parse::<u32>().is_ok() => {}
            (Takes::Text, _) => drop(self.text(key, node)),
            (Takes::Number, _) => self.error(node.at, &format!("`{key}` must be a number"), ""),
            (Takes::Texts | Takes::Patterns, Value::List(items)) => {
                for item in items {
                    let text = self.text(key, item);
                    let regex =
                        text.filter(|_| takes == Takes::Patterns).map(|text| regex_lite::Regex::new(&text));
                    if let Some(Err(error)) = regex {
                        self.error(item.at, "this pattern never works", &error.to_string());
                    }
                }
            }
            (Takes::Texts | Takes::Patterns, _) => {
                let message = format!("`{key}` must be a list, not {}", node.kind());
                self.error(node.at, &message, &format!("write `{key}: [\"…\"]`"));
            }
        }
    }
}
