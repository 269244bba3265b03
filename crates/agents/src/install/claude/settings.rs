//! Claude Code's settings: where the layers are, and what in them touches the gate.

use super::super::doc::{Doc, EditError};
use super::super::file::read_any;
use super::Version;
use super::validity::{DROPS_ENTRIES_SINCE, Loss, Problem, problems};
use std::path::{Path, PathBuf};
use tollgate_model::json::Value;

/// Whose settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// `~/.claude/settings.json`: every project of this user.
    User,
    /// `.claude/settings.json`: everyone who works on this project.
    Project,
    /// `.claude/settings.local.json`: this user in this project.
    Local,
    /// The machine's, which nobody else overrides.
    Managed,
}

impl Scope {
    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::Managed => "managed",
        }
    }
}

/// Where Claude Code looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `CLAUDE_CONFIG_DIR`, by default `~/.claude`.
    pub user: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
    /// The machine's directories.
    pub managed: Vec<PathBuf>,
}

impl Places {
    /// The usual places for this home, project and value of `CLAUDE_CONFIG_DIR`.
    #[must_use]
    pub fn new(home: &Path, project: &Path, config_dir: Option<PathBuf>) -> Self {
        let moved = config_dir.filter(|path| path.is_absolute());
        Self {
            user: moved.unwrap_or_else(|| home.join(".claude")),
            project: project.to_owned(),
            managed: MANAGED.iter().map(PathBuf::from).collect(),
        }
    }

    /// The settings file of a scope; for the machine, the main one.
    #[must_use]
    pub fn file(&self, scope: Scope) -> PathBuf {
        match scope {
            Scope::User => self.user.join("settings.json"),
            Scope::Project => self.project.join(".claude/settings.json"),
            Scope::Local => self.project.join(".claude/settings.local.json"),
            Scope::Managed => self.managed.first().cloned().unwrap_or_default().join("managed-settings.json"),
        }
    }

    /// Every settings file that is there, read.
    #[must_use]
    pub fn layers(&self) -> Vec<Layer> {
        let own = [Scope::User, Scope::Project, Scope::Local].map(|scope| (scope, self.file(scope)));
        let managed =
            self.managed.iter().flat_map(|dir| managed_files(dir)).map(|path| (Scope::Managed, path));
        let mut seen: Vec<PathBuf> = Vec::new();
        let mut layers = Vec::new();
        for (scope, path) in own.into_iter().chain(managed) {
            if !seen.contains(&path) {
                layers.extend(Layer::read(scope, &path));
                seen.push(path);
            }
        }
        layers
    }
}

/// A settings file as Claude Code finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Whose.
    pub scope: Scope,
    /// Where.
    pub path: PathBuf,
    /// Its text; empty when it cannot be read.
    pub text: String,
    /// What it says; nothing when it cannot be read.
    pub value: Value,
    /// Why Claude Code skips the whole file, if it does.
    pub ignored: Option<String>,
    /// The entries that Claude Code drops, although it reads the rest of the file.
    pub dropped: Vec<Problem>,
}

impl Layer {
    /// Reads a settings file; none if there is none.
    #[must_use]
    pub fn read(scope: Scope, path: &Path) -> Option<Self> {
        let unread = |why: String| Self {
            scope,
            path: path.to_owned(),
            text: String::new(),
            value: Value::Null,
            ignored: Some(why),
            dropped: Vec::new(),
        };
        let bytes = match read_any(path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return None,
            Err(error) => return Some(unread(format!("{}: {error}", path.display()))),
        };
        let Ok(text) = String::from_utf8(bytes) else {
            return Some(unread(format!("{}: not UTF-8", path.display())));
        };
        Some(match Doc::parse(&text) {
            Err(error) => unread(format!("{}:{error}", path.display())),
            Ok(doc) => Self::parsed(scope, path, &doc),
        })
    }

    fn parsed(scope: Scope, path: &Path, doc: &Doc) -> Self {
        let value = doc.value();
        // An empty file is read as one without settings.
        let found = if doc.root.is_some() { problems(&value) } else { Vec::new() };
        let (skips, dropped): (Vec<Problem>, Vec<Problem>) =
            found.into_iter().partition(|problem| problem.loss == Loss::File);
        let not_plain = not_plain(doc).map(|error| format!("{}:{error}", path.display()));
        let ignored = not_plain.or_else(|| skips.first().map(|problem| skipped(path, problem)));
        let text = format!("{}{}", doc.bom, doc.body);
        Self { scope, path: path.to_owned(), text, value, ignored, dropped }
    }

    /// Why this version of Claude Code skips the whole file, if it does. Without a version: the newest known.
    #[must_use]
    pub fn skipped_by(&self, version: Option<Version>) -> Option<String> {
        let old = version.is_some_and(|version| version < DROPS_ENTRIES_SINCE);
        let dropped = self.dropped.first().filter(|problem| old && is_broken_hook(problem));
        self.ignored.clone().or_else(|| dropped.map(|problem| skipped(&self.path, problem)))
    }

    /// The setting in this layer that switches our hooks off, if any.
    #[must_use]
    pub fn switches_off(&self) -> Option<&'static str> {
        let on = |key: &str| self.value.get(key).and_then(Value::as_bool) == Some(true);
        if on("disableAllHooks") {
            return Some("disableAllHooks");
        }
        (self.scope == Scope::Managed && on("allowManagedHooksOnly")).then_some("allowManagedHooksOnly")
    }

    /// Variables in the `env` block that reach the gate's own process and could bend it.
    #[must_use]
    pub fn risky_env(&self) -> Vec<&str> {
        let names = self.value.get("env").and_then(Value::as_map).unwrap_or_default();
        names.iter().map(|(name, _)| name.as_str()).filter(|name| is_risky(name)).collect()
    }

    /// Is Claude Code's own sandbox switched on or off here?
    #[must_use]
    pub fn sandbox(&self) -> Option<bool> {
        self.value.get("sandbox").and_then(|sandbox| sandbox.get("enabled")).and_then(Value::as_bool)
    }

    /// Does this layer start sessions without permission prompts?
    #[must_use]
    pub fn bypasses(&self) -> bool {
        let mode = self.value.get("permissions").and_then(|permissions| permissions.text("defaultMode"));
        mode == Some("bypassPermissions")
    }
}

fn skipped(path: &Path, problem: &Problem) -> String {
    format!("{}: {problem}, and Claude Code skips the whole file for it", path.display())
}

/// In an event's list; unknown events and lists that are none were dropped alone even before.
fn is_broken_hook(problem: &Problem) -> bool {
    problem.place.split('.').count() > 2
}

/// What Claude Code rejects although people write it. It reads strict JSON: observed with 2.1.139 and 2.1.325,
/// one comment or trailing comma and the whole file counts for nothing.
#[must_use]
pub fn not_plain(doc: &Doc) -> Option<EditError> {
    doc.beyond_json().map(|error| {
        let what =
            format!("{}, and Claude Code ignores a whole settings file that is not strict JSON", error.what);
        EditError { what, ..error }
    })
}

const MANAGED: &[&str] = if cfg!(target_os = "macos") {
    &["/Library/Application Support/ClaudeCode"]
} else {
    &["/etc/claude-code"]
};

fn managed_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = vec![dir.join("managed-settings.json")];
    let parts = std::fs::read_dir(dir.join("managed-settings.d")).into_iter().flatten().flatten();
    let mut parts: Vec<PathBuf> = parts.map(|entry| entry.path()).filter(|path| is_json(path)).collect();
    parts.sort();
    files.extend(parts);
    files
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn is_risky(name: &str) -> bool {
    const PREFIXES: &[&str] = &["TOLLGATE_", "LD_", "DYLD_", "RUST_", "XDG_", "GIT_", "GLIBC_"];
    const NAMES: &[&str] =
        &["PATH", "HOME", "TMPDIR", "ANALYTICS_PATH", "CLAUDE_PROJECT_DIR", "CLAUDE_CODE_SESSION_ATTENDED"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name)
}
