//! The policy that is in force, value by value, and where each value comes from.

use std::fmt::Display;

use tollgate_model::{Catalogue, Level};

use crate::layer::Layer;
use crate::layers::Settings;
use crate::load::Loaded;
use crate::policy::{
    Policy, approve_name, audit_name, mode_name, on_fault_name, redact_name, switches, undo_name,
};
use crate::problem::At;
use crate::settings;
use crate::source::Health;

/// The longest policy file that is read.
const BIGGEST: usize = 1 << 20;

/// A value that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// What it is about: `mode`, `rules.git-push`, `packs.cloud`, `custom.no-prod`.
    pub key: String,
    /// What holds.
    pub value: String,
    /// The file that says so; none where no file says anything.
    pub file: Option<String>,
    /// Line and column there.
    pub place: Option<(u32, u32)>,
    /// Whose file it is: `managed`, `user` or `project`.
    pub layer: Option<&'static str>,
}

/// A file and what it sets.
struct File {
    path: String,
    layer: Layer,
    settings: Settings,
}

/// Every value that a file sets, and with `all` those of the rules that no file mentions.
#[must_use]
pub fn origins(loaded: &Loaded, all: bool, catalogue: &dyn Catalogue) -> Vec<Origin> {
    let cards = catalogue.cards();
    let good = loaded.sources.iter().filter(|source| source.health == Health::Good);
    let files: Vec<File> = good
        .filter_map(|source| {
            let text = crate::file::read_text(&source.path, BIGGEST).ok()?;
            let path = source.path.display().to_string();
            let settings = settings::read(&path, &text, &cards).0;
            Some(File { path, layer: source.layer, settings })
        })
        .collect();
    let policy = &loaded.policy;
    let mut found = switch_origins(policy, &files);
    found.extend(pack_origins(policy, &files));
    for card in &cards {
        let level = policy.level(card);
        let origin = rule_origin(card.id, level, &files);
        if all || origin.file.is_some() || level != card.level {
            found.push(origin);
        }
    }
    found.extend(list_origins(policy, &files));
    found
}

/// The topmost file that sets this value. A lower one may only say the same or less.
fn first(
    key: impl Display,
    value: &str,
    files: &[File],
    says: impl Fn(&Settings) -> Option<(String, At)>,
) -> Origin {
    let told = files.iter().find_map(|file| {
        let (said, at) = says(&file.settings)?;
        (said == value).then_some((file, at))
    });
    Origin {
        key: key.to_string(),
        value: value.to_owned(),
        file: told.map(|(file, _)| file.path.clone()),
        place: told.map(|(_, at)| (at.line, at.column)),
        layer: told.map(|(file, _)| file.layer.name()),
    }
}

fn switch_origins(policy: &Policy, files: &[File]) -> Vec<Origin> {
    let said = |settings: &Settings, key: &str| -> Option<(String, At)> {
        let (name, at) = match key {
            "mode" => settings.mode.map(|one| (mode_name(one.value), one.at))?,
            "on_fault" => settings.on_fault.map(|one| (on_fault_name(one.value), one.at))?,
            "approve" => settings.approve.map(|one| (approve_name(one.value), one.at))?,
            "audit" => settings.audit.map(|one| (audit_name(one.value), one.at))?,
            "redact" => settings.redact.map(|one| (redact_name(one.value), one.at))?,
            _ => settings.undo.map(|one| (undo_name(one.value), one.at))?,
        };
        Some((name.to_owned(), at))
    };
    let of = |(key, value, _): (&'static str, &'static str, u8)| {
        first(key, value, files, |settings| said(settings, key))
    };
    switches(policy).into_iter().map(of).collect()
}

fn pack_origins(policy: &Policy, files: &[File]) -> Vec<Origin> {
    let off = tollgate_model::Pack::ALL.into_iter().filter(|pack| policy.is_off(*pack));
    off.map(|pack| {
        let said = |settings: &Settings| {
            let given = settings.packs.get(&pack)?;
            Some((if given.value { "on" } else { "off" }.to_owned(), given.at))
        };
        first(format_args!("packs.{}", pack.name()), "off", files, said)
    })
    .collect()
}

fn rule_origin(rule: &str, level: Level, files: &[File]) -> Origin {
    let said = |settings: &Settings| {
        let given = settings.rules.get(rule)?;
        Some((given.value.level?.name().to_owned(), given.at))
    };
    first(format_args!("rules.{rule}"), level.name(), files, said)
}

/// What files list: their own rules, exceptions, workflows, middleware and sinks.
fn list_origins(policy: &Policy, files: &[File]) -> Vec<Origin> {
    let mut found: Vec<Origin> = Vec::new();
    for rule in &policy.custom {
        let value = format!("{}: {}", rule.level.name(), rule.reason);
        found.push(first(format_args!("custom.{}", rule.id), &value, files, |settings| {
            let (_, at) = settings.custom.iter().find(|(one, _)| one.id == rule.id)?;
            Some((value.clone(), *at))
        }));
    }
    for one in &policy.allow {
        let value = one.told();
        found.push(first("allow", &value, files, |settings| {
            let (_, at) = settings.allow.iter().find(|(other, _)| other.told() == value)?;
            Some((value.clone(), *at))
        }));
    }
    for one in policy.workflows.iter() {
        found.push(first(format_args!("workflows.{}", one.name), "on", files, |settings| {
            let chosen = settings.workflows.iter().find(|other| other.name == one.name)?;
            Some(("on".to_owned(), chosen.at))
        }));
    }
    for sink in &policy.sinks {
        found.push(first("sinks", sink.uses.name(), files, |settings| {
            let (_, at) = settings.sinks.iter().find(|(other, _)| other == sink)?;
            Some((sink.uses.name().to_owned(), *at))
        }));
    }
    for pipeline in &policy.pipelines {
        found.push(Origin {
            key: format!("hooks.{}", pipeline.id),
            value: pipeline.event.clone(),
            file: Some(pipeline.source.clone()),
            place: None,
            layer: None,
        });
    }
    found
}
