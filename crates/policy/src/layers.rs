//! How the layers add up. Managed and user files set; each may only tighten what stands above it; a project
//! file only tightens. What would loosen is left out, with a warning that names its place.

use std::collections::{BTreeMap, BTreeSet};

use tollgate_model::{Approve, Card, Exemption, Level, Mode, OnFault, Pack};

use crate::contain::Contain;
use crate::custom::Custom;
use crate::layer::Layer;
use crate::pipeline::Pipeline;
use crate::policy::{Audit, Exception, PackSet, Policy, Rank, Redact, Setting};
use crate::policy::{approve_name, audit_name, mode_name, on_fault_name, redact_name, undo_name};
use crate::problem::{At, Problem, Severity};
use crate::sinks::SinkUse;
use crate::undo::{Budget, Undo};
use crate::workflows::Chosen;

mod custom;
mod sinks;
mod workflows;

/// What one file sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub mode: Option<Marked<Mode>>,
    pub on_fault: Option<Marked<OnFault>>,
    pub approve: Option<Marked<Approve>>,
    pub audit: Option<Marked<Audit>>,
    pub redact: Option<Marked<Redact>>,
    pub undo: Option<Marked<Undo>>,
    pub budget: Option<Marked<Budget>>,
    pub contain: ContainSetting,
    /// True where the pack is on.
    pub packs: BTreeMap<Pack, Marked<bool>>,
    pub rules: BTreeMap<&'static str, Marked<RuleSetting>>,
    /// Middleware, with paths as they are written.
    pub pipelines: Vec<Pipeline>,
    /// Patterns of hook files, relative to the file.
    pub include: Vec<String>,
    pub workflows: Vec<Chosen>,
    pub sinks: Vec<(SinkUse, At)>,
    pub custom: Vec<(Custom, At)>,
    pub allow: Vec<(Exemption, At)>,
    /// Projects whose hooks may run.
    pub trust: Vec<Marked<TrustEntry>>,
}

/// What one file sets under `contain`. A switch is true where it allows.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContainSetting {
    pub write: Option<Marked<Vec<String>>>,
    pub read: Option<Marked<Vec<String>>>,
    pub hide: Option<Marked<Vec<String>>>,
    pub network: Option<Marked<bool>>,
    pub sockets: Option<Marked<bool>>,
}

/// A project and the hash of what of it is trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TrustEntry {
    pub path: std::path::PathBuf,
    pub hash: String,
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marked<T> {
    pub value: T,
    pub at: At,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSetting {
    pub level: Option<Level>,
    /// Patterns, with their braces written out.
    pub except: Option<Vec<String>>,
}

/// One file's settings, with what is needed to place them.
#[derive(Clone, Debug)]
pub(crate) struct Part<'a> {
    pub layer: Layer,
    pub settings: &'a Settings,
    /// The file, for messages.
    pub path: &'a str,
    /// The directories that a relative pattern is relative to.
    pub bases: &'a [String],
}

/// The policy that the parts come to, topmost first, and a warning for each thing left out.
pub(crate) fn merge(parts: &[Part], cards: &[&'static Card]) -> (Policy, Vec<Problem>) {
    let (workflows, mut ignored) = workflows::merge(parts);
    let (sinks, not_here) = sinks::merge(parts);
    ignored.extend(not_here);
    let (custom, more) = custom::merge(parts);
    ignored.extend(more);
    let mut merger = Merger { parts, ignored };
    merger.own_trust();
    let mut policy = Policy {
        mode: merger.switch("mode", mode_name, |settings| settings.mode),
        on_fault: merger.switch("on_fault", on_fault_name, |settings| settings.on_fault),
        approve: merger.switch("approve", approve_name, |settings| settings.approve),
        audit: merger.switch("audit", audit_name, |settings| settings.audit),
        redact: merger.switch("redact", redact_name, |settings| settings.redact),
        undo: merger.switch("undo", undo_name, |settings| settings.undo),
        budget: merger.budget(),
        contain: merger.contain(),
        packs_off: merger.packs_off(),
        rules: BTreeMap::new(),
        pipelines: Vec::new(),
        workflows: workflows.into(),
        sinks,
        custom,
        allow: merger.allowed(),
    };
    for card in cards {
        let rule = merger.rule(card);
        // Only what differs is kept, so that equal policies are equal however they are written.
        if rule.level != policy.level(card) || !rule.except.is_empty() {
            let rank = Rank { least: rule.level, or_default: false };
            let setting = Setting { pack: PackSet::of(card.pack), rank, except: rule.except };
            policy.rules.insert(card.id.to_owned(), setting);
        }
    }
    (policy, merger.ignored)
}

struct Merger<'a> {
    parts: &'a [Part<'a>],
    ignored: Vec<Problem>,
}

/// A rule as the layers so far leave it.
struct Resolved {
    level: Level,
    except: BTreeSet<Exception>,
}

/// What a file says about a rule, by its name or by its pack.
struct Given {
    at: At,
    level: Option<Level>,
    except: Option<BTreeSet<Exception>>,
    /// The level is the pack's, not the rule's own: a loosening of it is told once, for the pack.
    by_pack: bool,
}

impl Merger<'_> {
    /// No project trusts itself.
    fn own_trust(&mut self) {
        for part in self.parts.iter().filter(|part| !part.layer.is_trusted()) {
            let entry = part.settings.trust.first();
            self.ignored
                .extend(entry.map(|entry| part.ignored(entry.at, "`trust` in a project's file".to_owned())));
        }
    }

    /// The exceptions of files that may loosen.
    fn allowed(&mut self) -> Vec<Exemption> {
        let mut all = Vec::new();
        for part in self.parts {
            for (exemption, at) in &part.settings.allow {
                match part.layer {
                    Layer::Project => {
                        let message =
                            format!("`allow` of {} is looser than what is in force", exemption.told());
                        self.ignored.push(part.ignored(*at, message));
                    }
                    _ => all.push(exemption.clone()),
                }
            }
        }
        all
    }

    fn switch<T: Ord + Copy + Default>(
        &mut self,
        key: &str,
        name: fn(T) -> &'static str,
        pick: impl Fn(&Settings) -> Option<Marked<T>>,
    ) -> T {
        let mut value = T::default();
        let mut is_set = false;
        for part in self.parts {
            let Some(given) = pick(part.settings) else { continue };
            let free = part.layer.is_trusted() && !is_set;
            if free || given.value >= value {
                value = given.value;
            } else {
                let (told, stands) = (name(given.value), name(value));
                self.ignored.push(part.ignored(
                    given.at,
                    format!("`{key}: {told}` is looser than `{stands}`, which is in force"),
                ));
            }
            is_set |= part.layer.is_trusted();
        }
        value
    }

    /// How much may be saved is said by the topmost file that is trusted: more of it lets more calls run, less of it
    /// loses more.
    fn budget(&mut self) -> Budget {
        let mut budget = None;
        for part in self.parts {
            let Some(given) = part.settings.budget else { continue };
            if part.layer.is_trusted() && budget.is_none() {
                budget = Some(given.value);
            } else if budget.unwrap_or_default() != given.value {
                self.ignored.push(part.ignored(given.at, "`undo` with other budgets".to_owned()));
            }
        }
        budget.unwrap_or_default()
    }

    /// The topmost trusted file that has a key sets it; every other may only tighten it.
    fn contain(&mut self) -> Contain {
        Contain {
            write: self.opened("write", |contain| contain.write.as_ref()),
            read: self.opened("read", |contain| contain.read.as_ref()),
            hide: self.hidden(),
            without_network: !self.contain_switch("network", true, |contain| contain.network),
            with_sockets: self.contain_switch("sockets", false, |contain| contain.sockets),
        }
    }

    /// Paths that may be reached: a file below those that set them can only take some away.
    fn opened(
        &mut self,
        key: &str,
        pick: impl Fn(&ContainSetting) -> Option<&Marked<Vec<String>>>,
    ) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        let mut is_set = false;
        for part in self.parts {
            let Some(given) = pick(&part.settings.contain) else { continue };
            if part.layer.is_trusted() && !is_set {
                paths.clone_from(&given.value);
                is_set = true;
                continue;
            }
            if let Some(more) = given.value.iter().find(|path| !paths.contains(path)) {
                let message = format!("`contain: {key}: {more}` is looser than what is in force");
                self.ignored.push(part.ignored(given.at, message));
            } else {
                paths.clone_from(&given.value);
            }
        }
        paths
    }

    /// Every file may hide more.
    fn hidden(&mut self) -> Vec<String> {
        let given = self.parts.iter().filter_map(|part| part.settings.contain.hide.as_ref());
        let all: BTreeSet<&String> = given.flat_map(|given| &given.value).collect();
        all.into_iter().cloned().collect()
    }

    fn contain_switch(
        &mut self,
        key: &str,
        usual: bool,
        pick: impl Fn(&ContainSetting) -> Option<Marked<bool>>,
    ) -> bool {
        let mut is_allowed = usual;
        let mut is_set = false;
        for part in self.parts {
            let Some(given) = pick(&part.settings.contain) else { continue };
            let free = part.layer.is_trusted() && !is_set;
            if free || given.value <= is_allowed {
                is_allowed = given.value;
            } else {
                let message = format!("`contain: {key}: allow` is looser than `deny`, which is in force");
                self.ignored.push(part.ignored(given.at, message));
            }
            is_set |= part.layer.is_trusted();
        }
        is_allowed
    }

    fn packs_off(&mut self) -> PackSet {
        let mut off = PackSet::default();
        for pack in Pack::ALL.into_iter().filter(|pack| *pack != Pack::SelfProtection) {
            let (mut is_on, mut is_set) = (true, false);
            for part in self.parts {
                let Some(given) = part.settings.packs.get(&pack) else { continue };
                let free = part.layer.is_trusted() && !is_set;
                if free || given.value >= is_on {
                    is_on = given.value;
                } else {
                    let message = format!("`-{}` takes out a pack that is in force", pack.name());
                    self.ignored.push(part.ignored(given.at, message));
                }
                is_set |= part.layer.is_trusted();
            }
            off.0 |= if is_on { 0 } else { PackSet::of(pack).0 };
        }
        off
    }

    fn rule(&mut self, card: &'static Card) -> Resolved {
        let mut rule = Resolved { level: card.level, except: BTreeSet::new() };
        let mut is_set = false;
        for part in self.parts {
            let Some(given) = part.given(card) else { continue };
            if part.layer.is_trusted() && !is_set {
                rule.level = given.level.unwrap_or(card.level);
                rule.except = given.except.unwrap_or_default();
            } else {
                self.tighten(&mut rule, given, part, card.id);
            }
            is_set |= part.layer.is_trusted();
        }
        if card.pack == Pack::SelfProtection {
            rule = Resolved { level: rule.level.max(card.level), except: BTreeSet::new() };
        }
        rule
    }

    fn tighten(&mut self, rule: &mut Resolved, given: Given, part: &Part, id: &str) {
        if let Some(level) = given.level {
            if level < rule.level && !given.by_pack {
                let (told, stands) = (level.name(), rule.level.name());
                self.ignored.push(part.ignored(
                    given.at,
                    format!("`{id}: {told}` is looser than `{stands}`, which is in force"),
                ));
            }
            rule.level = rule.level.max(level);
        }
        match given.except {
            Some(except) if except.is_subset(&rule.except) => rule.except = except,
            Some(_) => {
                self.ignored.push(
                    part.ignored(given.at, format!("`except` of `{id}` is looser than what is in force")),
                );
            }
            None => {}
        }
    }
}

impl Part<'_> {
    fn given(&self, card: &'static Card) -> Option<Given> {
        let pack = self
            .settings
            .packs
            .get(&card.pack)
            .map(|on| (on.at, if on.value { card.level } else { Level::Off }));
        let rule = self.settings.rules.get(card.id);
        let at = rule.map(|rule| rule.at).or(pack.map(|(at, _)| at))?;
        let own = rule.and_then(|rule| rule.value.level);
        let except =
            rule.and_then(|rule| rule.value.except.as_ref()).map(|patterns| self.exceptions(patterns));
        Some(Given { at, level: own.or(pack.map(|(_, level)| level)), except, by_pack: own.is_none() })
    }

    fn exceptions(&self, patterns: &[String]) -> BTreeSet<Exception> {
        let mut all = BTreeSet::new();
        for pattern in patterns {
            match pattern.strip_prefix('/') {
                Some(absolute) => {
                    all.insert(Exception { base: String::new(), pattern: absolute.to_owned() });
                }
                None => all.extend(
                    self.bases.iter().map(|base| Exception { base: base.clone(), pattern: pattern.clone() }),
                ),
            }
        }
        all
    }

    fn ignored(&self, at: At, message: String) -> Problem {
        let hint = match self.layer {
            Layer::Project => "ignored: a project file may only tighten",
            _ => "ignored: the managed policy may only be tightened",
        };
        Problem {
            path: self.path.to_owned(),
            severity: Severity::Warning,
            message,
            hint: hint.to_owned(),
            at,
        }
    }
}
