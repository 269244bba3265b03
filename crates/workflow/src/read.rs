//! A workflow file → a checked workflow, and everything that is wrong with it.

pub(crate) mod conditions;
pub(crate) mod gates;
mod nodes;
mod refer;

use std::collections::BTreeMap;

use tollgate_model::Span;
use tollgate_policy::{At, Problem, Severity, hint, yaml};

use crate::flow::{Flow, Scope, Start};
use nodes::Entries;

pub use conditions::KEYS as CONDITIONS;
pub use gates::ACTS;

/// Longer files are not read.
const BIGGEST: usize = 1 << 18;
const MOST_PROBLEMS: usize = 50;
/// A week.
const EXPIRES: u64 = 7 * 86_400;

/// The keys of a workflow.
pub const KEYS: [&str; 10] =
    ["version", "name", "about", "scope", "expires", "options", "start", "artifacts", "phases", "gates"];
/// The keys of `start`.
pub const START_KEYS: [&str; 5] = ["always", "commands", "ends", "say", "need"];

/// Options as a policy gives them.
pub type Options = BTreeMap<String, Vec<String>>;

/// Reads a workflow. `path` is for messages, `name` is what it must be called when it does not say.
#[must_use]
pub fn read(path: &str, text: &str, name: &str, options: &Options) -> (Flow, Vec<Problem>) {
    let mut reader = Reader { path, text, problems: Vec::new(), options: BTreeMap::new(), given: options };
    let mut flow = Flow { name: name.to_owned(), expires: EXPIRES, file: path.to_owned(), ..Flow::default() };
    if text.len() > BIGGEST {
        reader.error(At::default(), "too big: a workflow file has at most 256 KiB", "");
        return (flow, reader.problems);
    }
    let document = yaml::read(text);
    for (at, message) in &document.problems {
        reader.error(*at, message, "");
    }
    match &document.root {
        Some(root) => reader.flow(root, &mut flow),
        None => reader.error(At::default(), "an empty workflow", "`tollgate workflow eject plan` shows one"),
    }
    refer::check(&mut reader, &flow);
    reader.problems.sort_by_key(|problem| problem.at);
    (flow, reader.problems)
}

/// The options that a workflow file declares, with their values.
#[must_use]
pub fn options(text: &str) -> Options {
    let given = Options::new();
    let mut reader = Reader { path: "", text, problems: Vec::new(), options: Options::new(), given: &given };
    let document = yaml::read(text);
    let root = document.root.as_ref();
    if let Some((root, entries)) = root.and_then(|root| Some((root, reader.entries(root, "a workflow")?))) {
        reader.read_options(&entries, root.at);
    }
    reader.options
}

struct Reader<'a> {
    path: &'a str,
    text: &'a str,
    problems: Vec<Problem>,
    /// The options that the file declares, with their values.
    options: Options,
    /// What the policy says.
    given: &'a Options,
}

impl Reader<'_> {
    fn flow(&mut self, root: &yaml::Node, flow: &mut Flow) {
        let Some(entries) = self.entries(root, "a workflow") else { return };
        self.read_options(&entries, root.at);
        for (key, at, node) in &entries {
            match *key {
                "version" | "options" => {}
                "name" => self.name(node, flow),
                "about" => flow.about = self.text(node, key),
                "scope" => {
                    let scopes = [("session", Scope::Session), ("project", Scope::Project)];
                    flow.scope = self.choice(node, key, &scopes).unwrap_or_default();
                }
                "expires" => flow.expires = self.duration(node, key).unwrap_or(EXPIRES),
                "start" => flow.start = self.start(node),
                "artifacts" => {
                    let entries = self.entries(node, key).unwrap_or_default();
                    let named =
                        entries.into_iter().map(|(name, _, node)| (name.to_owned(), self.paths(node, name)));
                    flow.artifacts = named.collect();
                }
                "phases" => flow.phases = self.texts(node, key),
                "gates" => flow.gates = self.gates(node),
                unknown => {
                    self.error(*at, &format!("unknown key `{unknown}` of a workflow"), &hint(unknown, &KEYS));
                }
            }
        }
    }

    fn name(&mut self, node: &yaml::Node, flow: &mut Flow) {
        let name = self.text(node, "name");
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(plain) {
            self.error(node.at, &format!("`{name}` is no name"), "letters, digits, `-` and `_`");
        } else {
            flow.name = name;
        }
    }

    fn read_options(&mut self, entries: &Entries, root: At) {
        let declared = entries.iter().find(|(key, ..)| *key == "options");
        if let Some((key, _, node)) = declared {
            for (name, _, value) in self.entries(node, key).unwrap_or_default() {
                let texts = self.texts(value, name);
                self.options.insert(name.to_owned(), texts);
            }
        }
        for (name, values) in self.given {
            if self.options.contains_key(name) {
                self.options.insert(name.clone(), values.clone());
            } else {
                let names: Vec<&str> = self.options.keys().map(String::as_str).collect();
                let hint = if names.is_empty() { "it has none".to_owned() } else { hint(name, &names) };
                self.error(root, &format!("the workflow has no option `{name}`"), &hint);
            }
        }
    }

    fn start(&mut self, node: &yaml::Node) -> Start {
        let mut start = Start::default();
        for (key, at, node) in self.entries(node, "start").unwrap_or_default() {
            match key {
                "always" => start.always = self.switch(node, key),
                "commands" => {
                    let names = self.texts(node, key);
                    start.commands =
                        names.iter().map(|name| name.trim_start_matches('/').to_owned()).collect();
                }
                "ends" => start.ends = self.texts(node, key),
                "say" => start.say = self.lines(node, key),
                "need" => start.need = self.needs(node),
                unknown => {
                    let message = format!("unknown key `{unknown}` of `start`");
                    self.error(at, &message, &hint(unknown, &START_KEYS));
                }
            }
        }
        start
    }

    /// Where a name stands that is only known to be wrong when all is read: its last mention as a value.
    fn place_of(&self, name: &str) -> At {
        let place = self.text.rfind(name).unwrap_or_default();
        At::of(self.text, Span::new(place, place + name.len()))
    }

    fn error(&mut self, at: At, message: &str, hint: &str) {
        if self.problems.len() >= MOST_PROBLEMS {
            return;
        }
        self.problems.push(Problem {
            path: self.path.to_owned(),
            severity: Severity::Error,
            message: message.to_owned(),
            hint: hint.to_owned(),
            at,
        });
    }
}
