//! The keys of a policy file: a YAML tree → what it sets, and everything that is wrong with it.

mod builtins;
mod contain;
mod custom;
mod hooks;
mod sinks;
mod trust;
mod undo;

pub use contain::CONTAIN_KEYS;
pub use custom::{ALLOW_KEYS, CUSTOM_KEYS, EXAMPLE_KEYS, EXAMPLES_KEYS, lawful};
pub use trust::TRUST_KEYS;
pub use undo::UNDO_KEYS;

pub use hooks::{
    LONGEST, MATCH_KEYS, META_KEYS, OVERRIDE_KEYS, PIPELINE_KEYS, PROVIDERS, STAGE_KEYS, json as to_json,
};

use std::path::Path;

use tollgate_model::{Approve, Card, Catalogue, Level, Mode, OnFault, Pack, Span};

use crate::custom::Custom;
use crate::glob;
use crate::layer::Layer;
use crate::layers::{Marked, Part, RuleSetting, Settings, merge};
use crate::nearest::{hint, nearest};
use crate::policy::{Audit, Redact};
use crate::problem::{At, Problem, Severity, shown, shown_path};
use crate::undo::Undo;
use crate::workflows::WorkflowUse;
use crate::yaml::{self, Node, Value};

/// Bigger files are not read at all.
pub(crate) const BIGGEST: usize = 1 << 20;

/// Enough for anybody to mend at once; keeps the cost of hints bounded.
const MOST_PROBLEMS: usize = 100;

/// In one file, with their braces written out.
const MOST_PATTERNS: usize = 1000;

/// The keys of a policy file.
pub const KEYS: [&str; 17] = [
    "version",
    "mode",
    "on_fault",
    "approve",
    "audit",
    "redact",
    "undo",
    "contain",
    "packs",
    "rules",
    "custom",
    "allow",
    "workflows",
    "hooks",
    "sinks",
    "include",
    "trust",
];
/// The keys of a rule under `rules`.
pub const RULE_KEYS: [&str; 2] = ["level", "except"];

/// Everything that is wrong with a policy file, in the order of its lines.
#[must_use]
pub fn check(path: &Path, text: &str, layer: Layer, catalogue: &dyn Catalogue) -> Vec<Problem> {
    let cards = catalogue.cards();
    let base = path.parent().and_then(Path::to_str).unwrap_or_default().to_owned();
    let path = shown_path(path);
    let (settings, mut problems) = read(&path, text, &cards);
    let part = Part { layer, settings: &settings, path: &path, bases: &[base] };
    problems.extend(merge(&[part], &cards).1);
    problems.sort_by_key(|problem| problem.at);
    problems
}

/// Everything that is wrong with a hook file, in the order of its lines.
#[must_use]
pub fn check_hook(path: &Path, text: &str) -> Vec<Problem> {
    read_hook(&shown_path(path), text).1
}

/// The rules that a policy file makes of its own.
#[must_use]
pub fn own_rules(path: &Path, text: &str, catalogue: &dyn Catalogue) -> Vec<Custom> {
    let (settings, _) = read(&shown_path(path), text, &catalogue.cards());
    settings.custom.into_iter().map(|(rule, _)| rule).collect()
}

/// The workflows that a policy file switches on.
#[must_use]
pub fn own_workflows(path: &Path, text: &str, layer: Layer, catalogue: &dyn Catalogue) -> Vec<WorkflowUse> {
    let cards = catalogue.cards();
    let base = path.parent().and_then(Path::to_str).unwrap_or_default().to_owned();
    let path = shown_path(path);
    let (settings, _) = read(&path, text, &cards);
    let part = Part { layer, settings: &settings, path: &path, bases: &[base] };
    merge(&[part], &cards).0.workflows.to_vec()
}

/// What a file sets, as far as it can be read, and everything that is wrong with it.
pub(crate) fn read(path: &str, text: &str, cards: &[&'static Card]) -> (Settings, Vec<Problem>) {
    let mut reader = Reader::new(path, text, cards);
    if text.len() > BIGGEST {
        reader.error(At::of(text, Span::new(0, 0)), "too big: a policy file has at most 1 MiB", "");
        return (reader.settings, reader.problems);
    }
    let document = yaml::read(text);
    for (at, message) in &document.problems {
        reader.error(*at, message, "");
    }
    if let Some(root) = &document.root {
        reader.root(root, document.cut);
    }
    reader.problems.sort_by_key(|problem| problem.at);
    (reader.settings, reader.problems)
}

/// The pipeline of a hook file, and everything that is wrong with it.
pub(crate) fn read_hook(path: &str, text: &str) -> (Settings, Vec<Problem>) {
    let mut reader = Reader::new(path, text, &[]);
    let document = yaml::read(text);
    for (at, message) in &document.problems {
        reader.error(*at, message, "");
    }
    match &document.root {
        Some(root) => reader.meta(root),
        None => reader.error(At::of(text, Span::new(0, 0)), "an empty hook file", "start with `id:`"),
    }
    reader.problems.sort_by_key(|problem| problem.at);
    (reader.settings, reader.problems)
}

struct Reader<'a> {
    path: &'a str,
    /// The file's text.
    source: &'a str,
    cards: &'a [&'static Card],
    problems: Vec<Problem>,
    settings: Settings,
    /// How many patterns were read.
    patterns: usize,
}

impl<'a> Reader<'a> {
    fn new(path: &'a str, source: &'a str, cards: &'a [&'static Card]) -> Self {
        Self { path, source, cards, problems: Vec::new(), settings: Settings::default(), patterns: 0 }
    }

    fn root(&mut self, root: &Node, cut: bool) {
        let Value::Map(entries) = &root.value else {
            self.error(
                root.at,
                &format!("a policy file is a map of keys, not {}", root.kind()),
                "start with `version: 1`",
            );
            return;
        };
        let mut has_version = false;
        for (key, at, value) in self.entries(entries) {
            has_version |= key == "version";
            self.key(key, at, value);
        }
        self.lawful();
        if !has_version && !cut {
            let at = entries.first().map_or(root.at, |(key, _)| key.at);
            self.error(at, "no `version`", "start the file with `version: 1`");
        }
    }

    fn key(&mut self, key: &str, at: At, value: &Node) {
        match key {
            "version" => self.version(value),
            "mode" => self.settings.mode = self.choice(key, value, &MODES),
            "on_fault" => self.settings.on_fault = self.choice(key, value, &ON_FAULTS),
            "approve" => self.settings.approve = self.choice(key, value, &APPROVES),
            "audit" => self.settings.audit = self.choice(key, value, &AUDITS),
            "redact" => self.settings.redact = self.choice(key, value, &REDACTS),
            "undo" => self.undo(value),
            "contain" => self.contain(value),
            "packs" => self.packs(value),
            "rules" => self.rules(value),
            "custom" => self.custom(value),
            "allow" => self.allow(value),
            "hooks" => self.hooks(value),
            "sinks" => self.sinks(value),
            "include" => self.settings.include = self.words(key, value),
            "workflows" => self.workflows(value),
            "trust" => self.trust(value),
            unknown => {
                let is_rule = self.card(unknown).is_some();
                let hint = if is_rule { "rules go under `rules`".to_owned() } else { hint(unknown, &KEYS) };
                self.error(at, &format!("unknown key `{}`", shown(unknown)), &hint);
            }
        }
    }

    fn version(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar { text, plain: true } if text == "1" => {}
            Value::Scalar { text, .. } if text == "1" => {
                self.error(node.at, "`version` must be a number, not a text", "write `version: 1`");
            }
            Value::Scalar { text, .. } if !node.is_null() => {
                self.error(
                    node.at,
                    &format!("unknown version `{}`", shown(text)),
                    "this Tollgate reads version 1",
                );
            }
            _ => self.error(node.at, &format!("`version` must be 1, not {}", node.kind()), ""),
        }
    }

    fn choice<T: Copy>(&mut self, key: &str, node: &Node, choices: &[(&str, T)]) -> Option<Marked<T>> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let Value::Scalar { text, .. } = &node.value else {
            self.error(
                node.at,
                &format!("`{key}` must be a word, not {}", node.kind()),
                &format!("valid: {}", names.join(", ")),
            );
            return None;
        };
        if node.is_null() {
            self.error(node.at, &format!("`{key}` has no value"), &format!("valid: {}", names.join(", ")));
            return None;
        }
        let found = choices
            .iter()
            .find(|(name, _)| name == text)
            .map(|(_, value)| Marked { value: *value, at: node.at });
        if found.is_none() {
            self.error(node.at, &format!("unknown value `{}` for `{key}`", shown(text)), &hint(text, &names));
        }
        found
    }

    fn packs(&mut self, node: &Node) {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                return self.error(
                    node.at,
                    &format!("`packs` must be a list, not {}", node.kind()),
                    "write `packs: [-cloud]`",
                );
            }
        };
        for item in items {
            match &item.value {
                Value::Scalar { text, .. } if !item.is_null() => self.pack(text, item.at),
                _ => self.error(item.at, &format!("a pack must be a name, not {}", item.kind()), ""),
            }
        }
    }

    fn pack(&mut self, text: &str, at: At) {
        let (name, on) = text.strip_prefix('-').map_or((text, true), |name| (name, false));
        let Some(pack) = Pack::ALL.into_iter().find(|pack| pack.name() == name) else {
            return self.unknown_pack(name, at);
        };
        if pack == Pack::SelfProtection && !on {
            return self.error(
                at,
                "`self-protection` cannot be taken out",
                "it keeps the gate itself from being switched off",
            );
        }
        if self.settings.packs.insert(pack, Marked { value: on, at }).is_some() {
            self.error(at, &format!("pack `{name}` is named twice"), "");
        }
    }

    fn unknown_pack(&mut self, name: &str, at: At) {
        let names = Pack::ALL.map(Pack::name);
        let is_rule = self.card(name).is_some();
        let hint =
            if is_rule { "that is a rule; rules go under `rules`".to_owned() } else { hint(name, &names) };
        self.error(at, &format!("unknown pack `{}`", shown(name)), &hint);
    }

    fn workflows(&mut self, node: &Node) {
        let (chosen, wrong) = crate::workflows::read(node);
        wrong.iter().for_each(|(at, message, hint)| self.error(*at, message, hint));
        self.settings.workflows = chosen;
    }

    fn rules(&mut self, node: &Node) {
        let entries = match &node.value {
            Value::Map(entries) => entries.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                return self.error(
                    node.at,
                    &format!("`rules` must be a map, not {}", node.kind()),
                    "write `rule: level` below it",
                );
            }
        };
        for (id, at, value) in self.entries(entries) {
            let Some(card) = self.card(id) else {
                self.unknown_rule(id, at);
                continue;
            };
            let setting = self.rule(card, value);
            self.guard(card, &setting, at);
            self.settings.rules.insert(card.id, Marked { value: setting, at });
        }
    }

    fn unknown_rule(&mut self, id: &str, at: At) {
        // Comparing with every rule is the dear part, so it stops with the problems.
        if self.problems.len() > MOST_PROBLEMS {
            return;
        }
        let hint = match nearest(id, self.cards.iter().map(|card| card.id)) {
            _ if Pack::ALL.iter().any(|pack| pack.name() == id) => {
                "that is a pack; packs go under `packs`".to_owned()
            }
            Some(name) => format!("did you mean `{name}`?"),
            None => "`tollgate rules` lists them".to_owned(),
        };
        self.error(at, &format!("unknown rule `{}`", shown(id)), &hint);
    }

    fn rule(&mut self, card: &Card, node: &Node) -> RuleSetting {
        // Only what a snapshot brings back may be saved instead.
        let levels: Vec<(&str, Level)> =
            LEVELS.into_iter().filter(|(_, level)| *level != Level::Save || card.is_restorable()).collect();
        let Value::Map(entries) = &node.value else {
            let level = self.choice(card.id, node, &levels).map(|level| level.value);
            return RuleSetting { level, except: None };
        };
        let mut setting = RuleSetting::default();
        if entries.is_empty() {
            self.error(node.at, &format!("`{}` says nothing", card.id), "give it a `level` or `except`");
        }
        for (key, at, value) in self.entries(entries) {
            match key {
                "level" => setting.level = self.choice(key, value, &levels).map(|level| level.value),
                "except" => setting.except = self.except(value),
                unknown => {
                    let message = format!("unknown key `{}` of a rule", shown(unknown));
                    self.error(at, &message, &hint(unknown, &RULE_KEYS));
                }
            }
        }
        setting
    }

    fn except(&mut self, node: &Node) -> Option<Vec<String>> {
        let Value::List(items) = &node.value else {
            self.error(
                node.at,
                &format!("`except` must be a list, not {}", node.kind()),
                "write `except: [\"tests/**\"]`",
            );
            return None;
        };
        let mut all = Vec::new();
        for item in items {
            let Value::Scalar { text, .. } = &item.value else {
                self.error(item.at, &format!("a pattern must be text, not {}", item.kind()), "");
                continue;
            };
            match glob::expand(text) {
                Ok(patterns) if self.patterns + patterns.len() > MOST_PATTERNS => {
                    self.error(
                        item.at,
                        "too many patterns",
                        "a file may have 1000, with their braces written out",
                    );
                    break;
                }
                Ok(patterns) => {
                    self.patterns += patterns.len();
                    all.extend(patterns);
                }
                Err(why) => self.error(item.at, &format!("pattern `{}` never works", shown(text)), why),
            }
        }
        Some(all)
    }

    /// Self-protection may be raised, never lowered.
    fn guard(&mut self, card: &Card, setting: &RuleSetting, at: At) {
        if card.pack != Pack::SelfProtection {
            return;
        }
        if setting.level.is_some_and(|level| level < card.level) {
            self.error(
                at,
                &format!("`{}` protects the gate itself and stays at `{}`", card.id, card.level.name()),
                "",
            );
        }
        if setting.except.as_ref().is_some_and(|except| !except.is_empty()) {
            self.error(at, &format!("`{}` protects the gate itself and has no exceptions", card.id), "");
        }
    }

    /// The entries of a map by name; keys that are no names, or come twice, are problems.
    fn entries<'n>(
        &mut self,
        entries: &'n [(std::rc::Rc<Node>, std::rc::Rc<Node>)],
    ) -> Vec<(&'n str, At, &'n Node)> {
        let mut seen = std::collections::HashMap::new();
        let mut named = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let Value::Scalar { text, .. } = &key.value else {
                self.error(key.at, &format!("a key must be a name, not {}", key.kind()), "");
                continue;
            };
            if let Some(line) = seen.insert(text.as_str(), key.at.line) {
                self.error(
                    key.at,
                    &format!("`{}` is set twice", shown(text)),
                    &format!("first on line {line}"),
                );
                continue;
            }
            named.push((text.as_str(), key.at, &**value));
        }
        named
    }

    fn card(&self, id: &str) -> Option<&'static Card> {
        self.cards.iter().find(|card| card.id == id).copied()
    }

    fn error(&mut self, at: At, message: &str, hint: &str) {
        let (message, hint) = match self.problems.len() {
            0..MOST_PROBLEMS => (message, hint),
            MOST_PROBLEMS => ("more problems than are shown", "mend these first"),
            _ => return,
        };
        let severity = Severity::Error;
        self.problems.push(Problem {
            path: self.path.to_owned(),
            severity,
            message: message.into(),
            hint: hint.into(),
            at,
        });
    }
}

/// Values of `mode`.
pub(crate) const MODES: [(&str, Mode); 2] = [("enforce", Mode::Enforce), ("observe", Mode::Observe)];
pub(crate) const ON_FAULTS: [(&str, OnFault); 3] =
    [("ask", OnFault::Ask), ("deny", OnFault::Deny), ("allow", OnFault::Allow)];
pub(crate) const APPROVES: [(&str, Approve); 2] = [("none", Approve::None), ("read-only", Approve::ReadOnly)];
pub(crate) const AUDITS: [(&str, Audit); 3] =
    [("optional", Audit::Optional), ("required", Audit::Required), ("durable", Audit::Durable)];
pub(crate) const REDACTS: [(&str, Redact); 2] =
    [("secrets", Redact::Secrets), ("personal", Redact::Personal)];
pub(crate) const UNDOS: [(&str, Undo); 2] = [("off", Undo::Off), ("save", Undo::Save)];
pub(crate) const LEVELS: [(&str, Level); 5] = [
    ("off", Level::Off),
    ("note", Level::Note),
    ("save", Level::Save),
    ("ask", Level::Ask),
    ("deny", Level::Deny),
];
