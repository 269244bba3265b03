//! The policy in force, and the join of two: the strictest of both in everything.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};
use tollgate_model::{Approve, Card, Exemption, Level, Mode, OnFault, Pack};

use crate::contain::Contain;
use crate::custom::{self, Custom};
use crate::glob;
use crate::pipeline::Pipeline;
use crate::sinks::SinkUse;
use crate::undo::{Budget, Undo};
use crate::workflows::{WorkflowUse, Workflows};

/// Whether a call may run that cannot be recorded. Ordered: the later is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Audit {
    /// It may.
    #[default]
    Optional,
    /// A person is asked.
    Required,
    /// A person is asked, and a record counts once it is on the disk: a power cut loses none whose answer was heard.
    Durable,
}

/// What is taken out of records before they are kept. Ordered: the later is the stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Redact {
    /// Secrets.
    #[default]
    Secrets,
    /// Also what tells who a person is: addresses, numbers of cards and telephones.
    Personal,
}

/// Checked configuration: how firmly each rule is held to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Whether refusals are carried out.
    pub mode: Mode,
    /// The answer when the gate itself cannot decide.
    pub on_fault: OnFault,
    /// Whether harmless calls skip the agent's prompt.
    pub approve: Approve,
    /// Whether a call may run that cannot be recorded.
    pub audit: Audit,
    /// What is taken out of records before they are kept.
    pub redact: Redact,
    /// Whether a call's losses are saved before it runs.
    pub undo: Undo,
    /// How much may be saved.
    pub budget: Budget,
    /// What a command can reach that `tollgate run` limits.
    pub contain: Contain,
    pub(crate) packs_off: PackSet,
    pub(crate) rules: BTreeMap<String, Setting>,
    /// What runs at which event, topmost layer first.
    pub pipelines: Vec<Pipeline>,
    /// The workflows that are on.
    pub workflows: Workflows,
    /// Where records go after the answer.
    pub sinks: Vec<SinkUse>,
    /// Rules of the policy files themselves, topmost layer first.
    pub custom: Vec<Custom>,
    /// Exceptions that a person has written into a policy file.
    pub allow: Vec<Exemption>,
}

impl Policy {
    /// What holds when no file says anything: every rule at its own level.
    #[must_use]
    pub fn builtin() -> Self {
        Self::default()
    }

    /// How bad a certain hit of a rule is. Self-protection is never below its own level.
    #[must_use]
    pub fn level(&self, card: &Card) -> Level {
        let level = self.rank(card.id, PackSet::of(card.pack)).level(card.level);
        if card.pack == Pack::SelfProtection { level.max(card.level) } else { level }
    }

    /// Does the policy except any place from a rule?
    #[must_use]
    pub fn has_exceptions(&self, rule: &str) -> bool {
        self.rules.get(rule).is_some_and(|setting| !setting.except.is_empty())
    }

    /// Does a rule not hold for this path? `path` is absolute and lexically normal; one with a `*` in it stands
    /// for paths nobody knows, so it is never excepted.
    #[must_use]
    pub fn excepted(&self, rule: &str, path: &str) -> bool {
        let Some(setting) = self.rules.get(rule) else { return false };
        let unknown =
            !path.starts_with('/') || path.contains('*') || path.split('/').any(|name| name == "..");
        !unknown
            && setting.pack != PackSet::of(Pack::SelfProtection)
            && setting.except.iter().any(|exception| exception.holds_for(path))
    }

    /// The same with a rule at another level.
    #[must_use]
    pub fn with_level(mut self, card: &Card, level: Level) -> Self {
        let except = self.rules.remove(card.id).map(|setting| setting.except).unwrap_or_default();
        let rank = Rank { least: level, or_default: false };
        self.rules.insert(card.id.to_owned(), Setting { pack: PackSet::of(card.pack), rank, except });
        self
    }

    /// Name and value of each setting that is one word.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, &'static str)> {
        switches(self).into_iter().map(|(name, value, _)| (name, value)).collect()
    }

    /// Is a pack taken out?
    #[must_use]
    pub fn is_off(&self, pack: Pack) -> bool {
        pack != Pack::SelfProtection && self.packs_off.has(PackSet::of(pack))
    }

    /// A short hash that names this policy.
    #[must_use]
    pub fn digest(&self) -> String {
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        blake3::hash(&bytes).to_hex().chars().take(12).collect()
    }

    /// How a rule of a pack is ranked, whether it is named or not.
    fn rank(&self, rule: &str, pack: PackSet) -> Rank {
        match self.rules.get(rule) {
            Some(setting) => setting.rank,
            None if self.packs_off.has(pack) => Rank { least: Level::Off, or_default: false },
            None => Rank { least: Level::Off, or_default: true },
        }
    }
}

/// The strictest of two policies in everything: levels, switches; only exceptions that both make.
#[must_use]
pub fn strictest(a: &Policy, b: &Policy) -> Policy {
    let names: BTreeMap<&String, &Setting> = a.rules.iter().chain(&b.rules).collect();
    let joined = names.into_iter().map(|(name, setting)| {
        let rank = a.rank(name, setting.pack).join(b.rank(name, setting.pack));
        (
            name.clone(),
            Setting { pack: setting.pack, rank, except: common(a.rules.get(name), b.rules.get(name)) },
        )
    });
    Policy {
        mode: a.mode.max(b.mode),
        on_fault: a.on_fault.max(b.on_fault),
        approve: a.approve.max(b.approve),
        audit: a.audit.max(b.audit),
        redact: a.redact.max(b.redact),
        undo: a.undo.max(b.undo),
        budget: a.budget.strictest(b.budget),
        contain: a.contain.strictest(&b.contain),
        packs_off: PackSet(a.packs_off.0 & b.packs_off.0),
        rules: joined.collect(),
        pipelines: a
            .pipelines
            .iter()
            .chain(b.pipelines.iter().filter(|p| !a.pipelines.contains(p)))
            .cloned()
            .collect(),
        workflows: both(&a.workflows, &b.workflows).into(),
        sinks: a.sinks.iter().chain(b.sinks.iter().filter(|sink| !a.sinks.contains(sink))).cloned().collect(),
        custom: custom::both(&a.custom, &b.custom),
        allow: a.allow.iter().filter(|one| b.allow.contains(one)).cloned().collect(),
    }
}

/// A workflow that one of two policies switches on is on; where both do, the first says how.
fn both(a: &[WorkflowUse], b: &[WorkflowUse]) -> Vec<WorkflowUse> {
    let more = b.iter().filter(|one| a.iter().all(|other| other.name != one.name));
    a.iter().chain(more).cloned().collect()
}

/// The policy in lines for people: only what differs from the built-in one, after the switches.
#[must_use]
pub fn describe(policy: &Policy) -> Vec<String> {
    let usual = |key: &str, value: &str| matches!((key, value), ("redact", "secrets") | ("undo", "save"));
    let mut lines: Vec<String> = switches(policy)
        .iter()
        .filter(|(key, value, _)| !usual(key, value))
        .map(|(key, value, _)| format!("{key}: {value}"))
        .collect();
    if policy.budget != Budget::default() {
        lines.push(format!("undo: {}", policy.budget.words()));
    }
    if policy.contain != Contain::default() {
        lines.push(format!("contain: {}", policy.contain.words()));
    }
    let off: Vec<&str> = Pack::ALL.into_iter().filter(|pack| policy.is_off(*pack)).map(Pack::name).collect();
    if !off.is_empty() {
        lines.push(format!("packs taken out: {}", off.join(", ")));
    }
    if !policy.workflows.is_empty() {
        lines.push(format!("workflows: {}", workflow_names(policy)));
    }
    if !policy.sinks.is_empty() {
        let kinds: Vec<&str> = policy.sinks.iter().map(|sink| sink.uses.name()).collect();
        lines.push(format!("sinks: {}", kinds.join(", ")));
    }
    for (rule, setting) in &policy.rules {
        let least = if setting.rank.or_default { "at least " } else { "" };
        let mut line = format!("{rule}: {least}{}", setting.rank.least.name());
        if !setting.except.is_empty() {
            line.push_str(", except ");
            line.push_str(&listed(&setting.except));
        }
        lines.push(line);
    }
    let level = |rule: &Custom| format!("{}: {}, a rule of {}", rule.id, rule.level.name(), rule.whose());
    lines.extend(policy.custom.iter().map(level));
    lines.extend(policy.allow.iter().map(|one| format!("allowed: {}", one.told())));
    lines
}

/// One thing that is different in a new policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What: a rule, or a key of the policy file.
    pub what: String,
    /// As it was.
    pub old: String,
    /// As it is.
    pub new: String,
    /// The new is looser.
    pub looser: bool,
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let looser = if self.looser { " (looser)" } else { "" };
        write!(out, "{}: {} → {}{looser}", self.what, self.old, self.new)
    }
}

/// What is different between two policies, for the rules there are.
pub(crate) fn changes(old: &Policy, new: &Policy, cards: &[&'static Card]) -> Vec<Change> {
    let mut changes = Vec::new();
    for ((key, before, was), (_, after, is)) in switches(old).into_iter().zip(switches(new)) {
        note(&mut changes, key.to_owned(), before.to_owned(), after.to_owned(), is < was);
    }
    let looser = old.budget.strictest(new.budget) != new.budget;
    note(&mut changes, "undo".to_owned(), old.budget.words(), new.budget.words(), looser);
    let looser = !new.contain.covers(&old.contain);
    note(&mut changes, "contain".to_owned(), old.contain.words(), new.contain.words(), looser);
    let missing = |name: &str| new.workflows.iter().all(|one| one.name != name);
    let looser = old.workflows.iter().any(|one| missing(&one.name));
    note(&mut changes, "workflows".to_owned(), workflow_names(old), workflow_names(new), looser);
    custom_changes(&mut changes, old, new);
    for card in cards {
        let (was, is) = (old.level(card), new.level(card));
        note(&mut changes, card.id.to_owned(), was.name().to_owned(), is.name().to_owned(), is < was);
        let none = BTreeSet::new();
        let except = |policy: &'_ Policy| {
            policy.rules.get(card.id).map_or(none.clone(), |setting| setting.except.clone())
        };
        let (was, is) = (except(old), except(new));
        note(&mut changes, format!("{} except", card.id), listed(&was), listed(&is), !is.is_subset(&was));
    }
    changes
}

fn custom_changes(changes: &mut Vec<Change>, old: &Policy, new: &Policy) {
    let ids: BTreeSet<&str> = old.custom.iter().chain(&new.custom).map(|rule| rule.id.as_str()).collect();
    for id in ids {
        let find = |policy: &'_ Policy| policy.custom.iter().find(|rule| rule.id == id).cloned();
        let told = |rule: &Option<Custom>| match rule {
            Some(rule) => format!("{} when {}", rule.level.name(), rule.when.trim()),
            None => "none".to_owned(),
        };
        let level = |rule: &Option<Custom>| rule.as_ref().map_or(Level::Off, |rule| rule.level);
        let (was, is) = (find(old), find(new));
        note(changes, id.to_owned(), told(&was), told(&is), level(&is) < level(&was));
    }
    let told = |policy: &'_ Policy| {
        let all: Vec<String> = policy.allow.iter().map(Exemption::told).collect();
        if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
    };
    let looser = new.allow.iter().any(|one| !old.allow.contains(one));
    note(changes, "allow".to_owned(), told(old), told(new), looser);
}

/// A rule's place in a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Setting {
    /// The pack it belongs to, so that a join knows what a policy says that does not name the rule.
    pub pack: PackSet,
    pub rank: Rank,
    pub except: BTreeSet<Exception>,
}

/// A level, or the rule's own level where that is stricter. The second is what a join with a policy that does not
/// name the rule comes to, without knowing the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rank {
    pub least: Level,
    pub or_default: bool,
}

impl Rank {
    fn level(self, default: Level) -> Level {
        if self.or_default { self.least.max(default) } else { self.least }
    }

    fn join(self, other: Self) -> Self {
        Self { least: self.least.max(other.least), or_default: self.or_default || other.or_default }
    }
}

/// Paths below a directory where a rule does not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Exception {
    /// The directory, without a `/` at its end.
    pub base: String,
    pub pattern: String,
}

impl Exception {
    fn holds_for(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.base.as_str()).and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|rest| glob::matches(&self.pattern, rest))
    }
}

/// A set of packs, by their place in `Pack::ALL`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PackSet(pub u32);

impl PackSet {
    pub(crate) fn of(pack: Pack) -> Self {
        Self(Pack::ALL.iter().position(|one| *one == pack).map_or(0, |place| 1 << place))
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

fn common(a: Option<&Setting>, b: Option<&Setting>) -> BTreeSet<Exception> {
    match (a, b) {
        (Some(a), Some(b)) => a.except.intersection(&b.except).cloned().collect(),
        _ => BTreeSet::new(),
    }
}

/// Key, value and strictness of the switches.
pub(crate) fn switches(policy: &Policy) -> [(&'static str, &'static str, u8); 6] {
    [
        ("mode", mode_name(policy.mode), policy.mode as u8),
        ("on_fault", on_fault_name(policy.on_fault), policy.on_fault as u8),
        ("approve", approve_name(policy.approve), policy.approve as u8),
        ("audit", audit_name(policy.audit), policy.audit as u8),
        ("redact", redact_name(policy.redact), policy.redact as u8),
        ("undo", undo_name(policy.undo), policy.undo as u8),
    ]
}

pub(crate) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Observe => "observe",
        Mode::Enforce => "enforce",
    }
}

pub(crate) fn on_fault_name(on_fault: OnFault) -> &'static str {
    match on_fault {
        OnFault::Allow => "allow",
        OnFault::Ask => "ask",
        OnFault::Deny => "deny",
    }
}

pub(crate) fn approve_name(approve: Approve) -> &'static str {
    match approve {
        Approve::ReadOnly => "read-only",
        Approve::None => "none",
    }
}

pub(crate) fn audit_name(audit: Audit) -> &'static str {
    match audit {
        Audit::Optional => "optional",
        Audit::Required => "required",
        Audit::Durable => "durable",
    }
}

pub(crate) fn redact_name(redact: Redact) -> &'static str {
    match redact {
        Redact::Secrets => "secrets",
        Redact::Personal => "personal",
    }
}

pub(crate) fn undo_name(undo: Undo) -> &'static str {
    match undo {
        Undo::Off => "off",
        Undo::Save => "save",
    }
}

fn note(changes: &mut Vec<Change>, what: String, old: String, new: String, looser: bool) {
    if old != new {
        changes.push(Change { what, old, new, looser });
    }
}

fn workflow_names(policy: &Policy) -> String {
    let names: Vec<&str> = policy.workflows.iter().map(|one| one.name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn listed(except: &BTreeSet<Exception>) -> String {
    let all: Vec<String> = except.iter().map(|one| format!("{}/{}", one.base, one.pattern)).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests;
