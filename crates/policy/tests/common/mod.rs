//! A machine in a directory: managed, user, state and project, and a small catalogue of rules.
#![allow(dead_code, reason = "each test file uses its part")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tollgate_model::{Card, Catalogue, Level, Pack};
use tollgate_policy::{Loaded, Request, load};

pub struct Rules;

pub static CARDS: [Card; 5] = [
    card("git-force-push", Pack::Git, Level::Deny),
    card("git-push", Pack::Git, Level::Note),
    card("secret-file-read", Pack::Secrets, Level::Ask),
    card("cloud-delete", Pack::Cloud, Level::Deny),
    card("gate-tamper", Pack::SelfProtection, Level::Deny),
];

const fn card(id: &'static str, pack: Pack, level: Level) -> Card {
    Card {
        id,
        pack,
        level,
        otherwise: level,
        unsure: Level::Ask,
        doc: "",
        instead: &[],
        person: "",
        examples: &[],
    }
}

impl Catalogue for Rules {
    fn cards(&self) -> Vec<&'static Card> {
        CARDS.iter().collect()
    }
}

pub struct Machine {
    pub dir: TempDir,
    pub root: PathBuf,
}

impl Machine {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["etc", "config", "project"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        Self { dir, root }
    }

    /// A machine with policy files: `etc`, `config`, `project`, or a directory below, and the text after the
    /// version.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let machine = Self::new();
        for (at, text) in files {
            machine.set(at, text);
        }
        machine
    }

    pub fn file(&self, at: &str) -> PathBuf {
        self.root.join(at).join("tollgate.yaml")
    }

    /// Writes a policy file with these settings.
    pub fn set(&self, at: &str, settings: &str) {
        self.write(at, format!("version: 1\n{settings}\n"));
    }

    /// Writes a policy file with this text.
    pub fn write(&self, at: &str, text: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.root.join(at)).unwrap();
        std::fs::write(self.file(at), text).unwrap();
        self.mode(at, 0o644);
    }

    pub fn mode(&self, at: &str, mode: u32) {
        std::fs::set_permissions(self.file(at), PermissionsExt::from_mode(mode)).unwrap();
    }

    pub fn load(&self) -> Loaded {
        self.load_in("project")
    }

    pub fn load_in(&self, cwd: &str) -> Loaded {
        self.load_at(&self.root.join(cwd))
    }

    pub fn load_at(&self, cwd: &Path) -> Loaded {
        let (managed, config) = (self.root.join("etc"), self.root.join("config"));
        let (state, project) = (self.root.join("state"), self.root.join("project"));
        load(
            &Request {
                managed_dir: &managed,
                config_dir: &config,
                state_dir: &state,
                project: Some(&project),
                built: None,
                cwd,
            },
            &Rules,
        )
    }

    /// The files the gate keeps, by the end of their names.
    pub fn kept(&self, end: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.root.join("state/snapshots")).into_iter().flatten();
        let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        all.retain(|path| path.to_string_lossy().ends_with(end));
        all
    }
}

/// Long enough for a file's times to tell the next change.
pub fn wait_until_old() {
    std::thread::sleep(Duration::from_millis(150));
}

pub fn level(loaded: &Loaded, rule: &str) -> &'static str {
    loaded.policy.level(CARDS.iter().find(|card| card.id == rule).unwrap()).name()
}

pub fn told(loaded: &Loaded, text: &str) -> bool {
    loaded.notices.iter().any(|notice| notice.contains(text))
}
