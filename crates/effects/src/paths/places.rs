//! The catalogue of zones as a list of places on this machine, for who limits a command by paths.

use std::collections::BTreeSet;

use tollgate_model::{FileKind, World, Zone};

use super::pattern::matches;
use super::{literal_components, zones};

/// Places on this machine. Absolute, with symlinks resolved; only what exists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Secrets, settings of agents, and the gate's own folders.
    pub hidden: Vec<String>,
    /// What lies in those and is no secret.
    pub readable: Vec<String>,
    /// Temporary files and caches.
    pub writable: Vec<String>,
    /// Devices that swallow or make up data.
    pub devices: Vec<String>,
}

/// How many names of a folder are looked at.
const LISTED: usize = 1000;

/// Where secrets, settings, caches and temporary files lie on this machine. `homes` are all whose secrets this user could
/// read. A secret that only its name tells is found directly in a home, and nowhere else.
#[must_use]
pub fn protected_places(world: &dyn World, homes: &[String]) -> Places {
    let mut finder = Finder { world, found: BTreeSet::new() };
    for home in homes {
        finder.entries(home, zones::HOME_SECRETS);
        finder.entries(home, zones::AGENT_SETTINGS);
        finder.named(home);
    }
    finder.entries("", zones::SYSTEM_SECRETS);
    finder.entries("", zones::SYSTEM_AGENT_SETTINGS);
    for own in world.own_places().iter().filter(|own| world.kind(own) == FileKind::Dir) {
        finder.add(own);
    }
    let hidden = finder.take();
    for home in homes {
        finder.entries(home, zones::HOME_PUBLIC);
    }
    let readable = finder.take();
    for home in homes {
        finder.entries(home, zones::HOME_CACHES);
    }
    world.temp_dirs().iter().for_each(|folder| finder.add(folder));
    let writable = finder.take();
    zones::SHARED_DEVICES.iter().for_each(|name| finder.add(&format!("/dev/{name}")));
    Places { hidden, readable, writable, devices: finder.take() }
}

/// Can this folder be a project? The root, the folders directly below it that hold a system together, and whatever holds
/// a home are none.
#[must_use]
pub fn is_project(folder: &str, world: &dyn World) -> bool {
    let folder = folder.trim_end_matches('/');
    let is_top = zones::TOP.iter().any(|name| folder.strip_prefix('/') == Some(name));
    let holds = |home: &String| {
        home.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    !folder.is_empty() && !is_top && !world.homes().iter().any(holds)
}

struct Finder<'w> {
    world: &'w dyn World,
    found: BTreeSet<String>,
}

impl Finder<'_> {
    /// What is there of a list of entries below a folder. What lies in `/proc` is the system's to protect, and an entry
    /// that begins with a pattern would take a look at everything.
    fn entries(&mut self, base: &str, entries: zones::Entries) {
        let mut first_known: Option<(&str, bool)> = None;
        for entry in entries.all {
            let path = entry.strip_suffix("/**").unwrap_or(entry);
            let first = path.split('/').next().unwrap_or_default();
            if first.contains('*') || base.is_empty() && matches!(first, "proc" | "dev") {
                continue;
            }
            let is_there = match first_known {
                Some((name, is_there)) if name == first => is_there,
                _ => self.world.kind(&format!("{base}/{first}")) != FileKind::Missing,
            };
            first_known = Some((first, is_there));
            if is_there {
                self.walk(base.to_owned(), path);
            }
        }
    }

    /// Adds everything that a path with patterns is.
    fn walk(&mut self, at: String, rest: &str) {
        let Some((name, rest)) = rest.split_once('/').or((!rest.is_empty()).then_some((rest, ""))) else {
            return self.add(&at);
        };
        if !name.contains('*') {
            return self.walk(format!("{at}/{name}"), rest);
        }
        for found in self.world.list(&at, LISTED).into_iter().filter(|found| matches(name, found)) {
            self.walk(format!("{at}/{found}"), rest);
        }
    }

    /// Secrets directly in a home, by their names.
    fn named(&mut self, home: &str) {
        for name in self.world.list(home, LISTED) {
            let path = format!("{home}/{name}");
            if zones::of(&literal_components(&path), self.world) == Zone::Secret {
                self.add(&path);
            }
        }
    }

    fn add(&mut self, path: &str) {
        if self.world.kind(path) != FileKind::Missing {
            let real = self.world.real(path);
            self.found.insert(real.unwrap_or_else(|| path.to_owned()));
        }
    }

    fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found).into_iter().collect()
    }
}
