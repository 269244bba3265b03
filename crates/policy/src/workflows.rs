//! The key `workflows`: which workflows are on, with their options. What a name means is the `workflow` crate's
//! to know.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::layers::{Layer, Part};
use crate::problem::{At, Problem, Severity, shown};
use crate::yaml::{Node, Value};

/// A workflow that is switched on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkflowUse {
    /// Its name, or the path of its file relative to the policy file.
    pub name: String,
    /// Its options, by name.
    pub options: BTreeMap<String, Vec<String>>,
    /// The policy file that names it, for messages.
    pub file: String,
    /// Line and column there.
    pub place: (u32, u32),
    /// The folder of that file.
    pub folder: String,
    /// A person's own file names it: its commands may run.
    pub trusted: bool,
}

/// A workflow as a policy file names it.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub name: String,
    pub options: BTreeMap<String, Vec<String>>,
    pub at: At,
}

/// What is wrong, where, and what to do.
pub(crate) type Wrong = (At, String, &'static str);

/// Reads the list.
pub(crate) fn read(node: &Node) -> (Vec<Chosen>, Vec<Wrong>) {
    const LIST: &str = "write `workflows: [plan, code]`";
    let (mut chosen, mut wrong): (Vec<Chosen>, Vec<Wrong>) = (Vec::new(), Vec::new());
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        _ if node.is_null() => &[],
        _ => {
            wrong.push((node.at, format!("`workflows` must be a list, not {}", node.kind()), LIST));
            &[]
        }
    };
    for item in items {
        match &item.value {
            Value::Scalar { text, .. } if !item.is_null() => {
                chosen.push(Chosen { name: text.clone(), options: BTreeMap::new(), at: item.at });
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    let name = text_of(key, &mut wrong);
                    chosen.push(Chosen { name, options: options(value, &mut wrong), at: key.at });
                }
            }
            _ => wrong.push((item.at, format!("a workflow must be a name, not {}", item.kind()), LIST)),
        }
    }
    for (index, one) in chosen.iter().enumerate() {
        if chosen.iter().take(index).any(|other| other.name == one.name) {
            wrong.push((one.at, format!("workflow `{}` is named twice", shown(&one.name)), ""));
        }
    }
    (chosen, wrong)
}

/// Every layer's workflows, topmost first. A lower layer cannot change what a higher one named.
pub(crate) fn merge(parts: &[Part]) -> (Vec<WorkflowUse>, Vec<Problem>) {
    let (mut all, mut ignored): (Vec<WorkflowUse>, Vec<Problem>) = (Vec::new(), Vec::new());
    for part in parts {
        for chosen in &part.settings.workflows {
            let known = all.iter().find(|other| other.name == chosen.name);
            match known {
                Some(known) if known.options == chosen.options => {}
                Some(known) => ignored.push(Problem {
                    path: part.path.to_owned(),
                    severity: Severity::Warning,
                    message: format!(
                        "other options for workflow `{}`, which {} switches on",
                        shown(&chosen.name),
                        known.file
                    ),
                    hint: "ignored: the file above decides".to_owned(),
                    at: chosen.at,
                }),
                None => all.push(WorkflowUse {
                    name: chosen.name.clone(),
                    options: chosen.options.clone(),
                    file: part.path.to_owned(),
                    place: (chosen.at.line, chosen.at.column),
                    folder: part.bases.first().cloned().unwrap_or_default(),
                    trusted: part.layer != Layer::Project,
                }),
            }
        }
    }
    (all, ignored)
}

fn options(node: &Node, wrong: &mut Vec<Wrong>) -> BTreeMap<String, Vec<String>> {
    match &node.value {
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| (text_of(key, wrong), texts(value, wrong))).collect()
        }
        _ if node.is_null() => BTreeMap::new(),
        _ => {
            wrong.push((
                node.at,
                format!("a workflow's options must be a map, not {}", node.kind()),
                "write `{ session-context: { files: [RULES.md] } }`",
            ));
            BTreeMap::new()
        }
    }
}

fn texts(node: &Node, wrong: &mut Vec<Wrong>) -> Vec<String> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| text_of(item, wrong)).collect(),
        _ => vec![text_of(node, wrong)],
    }
}

fn text_of(node: &Node, wrong: &mut Vec<Wrong>) -> String {
    match &node.value {
        Value::Scalar { text, .. } => text.clone(),
        _ => {
            wrong.push((node.at, format!("must be text, not {}", node.kind()), ""));
            String::new()
        }
    }
}
