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
        let names = self.names(base);
        for entry in entries.all {
            let path = entry.strip_suffix("/**").unwrap_or(entry);
            let first = path.split('/').next().unwrap_or_default();
            let is_open = first.contains('*') || base.is_empty() && matches!(first, "proc" | "dev");
            // Most are not there, and looking for each of them takes longer than one look at the folder.
            if !is_open && names.as_ref().is_none_or(|names| names.contains(first)) {
                self.walk(base.to_owned(), path);
            }
        }
    }

    /// All names in a folder; `None` where these are too many.
    fn names(&self, folder: &str) -> Option<BTreeSet<String>> {
        let names = self.world.list(&format!("{folder}/"), LISTED);
        (names.len() < LISTED).then(|| names.into_iter().collect())
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

#[cfg(test)]
mod tests {
    use tollgate_model::{StillFile, StillWorld};

    use super::{is_project, protected_places};

    fn world(files: &[&str]) -> StillWorld {
        let home = "/home/user".to_owned();
        let file = |path: &&str| match path.split_once(" -> ") {
            Some((link, target)) => (link.to_owned(), StillFile::Link(target.to_owned())),
            None => ((*path).to_owned(), StillFile::File(Vec::new())),
        };
        StillWorld {
            home,
            workspace: "/home/user/project".into(),
            temp: vec!["/tmp".into()],
            own: vec!["/home/user/.config/tollgate".into(), "/usr/bin/tollgate".into()],
            files: files.iter().map(file).collect(),
            ..StillWorld::default()
        }
    }

    #[test]
    fn what_is_there_is_found_once_and_where_it_really_lies() {
        let world = world(&[
            "/home/user/.ssh -> /home/user/dotfiles/ssh",
            "/home/user/dotfiles/ssh/id_rsa",
            "/home/user/dotfiles/ssh/id_rsa.pub",
            "/home/user/.aws/credentials",
            "/home/user/.config/Bitwarden CLI/data.json",
            "/home/user/.config/app.conf",
            "/home/user/.config/tollgate/tollgate.yaml",
            "/home/user/.claude/settings.json",
            "/home/user/server.key",
            "/home/user/.cache/x",
            "/etc/shadow",
            "/proc/1/environ",
            "/usr/bin/tollgate",
            "/tmp/x",
            "/dev/null",
        ]);
        let places = protected_places(&world, &["/home/user".to_owned()]);
        let hidden = [
            "/etc/shadow",
            "/home/user/.aws/credentials",
            "/home/user/.claude/settings.json",
            "/home/user/.config/Bitwarden CLI",
            "/home/user/.config/tollgate",
            "/home/user/dotfiles/ssh",
            "/home/user/server.key",
        ];
        assert_eq!(places.hidden, hidden);
        assert_eq!(places.readable, ["/home/user/dotfiles/ssh/id_rsa.pub"]);
        assert_eq!(places.writable, ["/home/user/.cache", "/tmp"]);
        assert_eq!(places.devices, ["/dev/null"]);
    }

    #[test]
    fn homes_and_the_system_are_no_projects() {
        let world = world(&[]);
        for folder in ["/", "", "/home", "/home/user", "/home/user/", "/etc", "/usr/"] {
            assert!(!is_project(folder, &world), "{folder}");
        }
        for folder in ["/app", "/home/user/project", "/srv/www", "/home/user2"] {
            assert!(is_project(folder, &world), "{folder}");
        }
    }
}
