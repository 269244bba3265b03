//! Everything that a call would lose, or why a snapshot of it would not be whole.
//!
//! A rule at level `save` lets a call run only after such a snapshot. So whatever is not known for sure (a path, a
//! repository, when it happens) is a reason not to take one, where an ordinary snapshot takes what it can.

use std::path::{Path, PathBuf};

use tollgate_model::git::Repo;
use tollgate_model::json::Value;
use tollgate_model::{
    Certainty, Effect, EffectKind, FileKind, Place, Rewrite, ToolCall, ToolUse, World, WriteMode, Zone,
};
use tollgate_undo::{After, Depth, Wanted};

use super::git::GitLosses;
use super::{LISTED, Saving};

/// The most folders that are searched for symlinks.
const FOLDERS: usize = 2_000;

/// Programs that run something later or for long: other files may be there by then.
const WAITING: [&str; 14] = [
    "sleep",
    "watch",
    "at",
    "batch",
    "crontab",
    "entr",
    "inotifywait",
    "nohup",
    "setsid",
    "systemd-run",
    "screen",
    "tmux",
    "disown",
    "daemonize",
];

/// What a whole snapshot holds.
#[derive(Default)]
pub struct Whole {
    pub files: Vec<Wanted>,
    pub git: GitLosses,
}

impl Saving<'_> {
    /// Everything that the call would lose, or why that is not known for sure.
    pub(super) fn whole(&self, tool: &ToolUse) -> Result<Whole, String> {
        if is_in_background(tool) {
            return Err("it runs in the background, and its files may change until then".to_owned());
        }
        if self.world.homes().iter().any(|home| is_below(home, self.world.workspace())) {
            return Err("the project is a whole home directory".to_owned());
        }
        let mut files = Vec::new();
        for effect in self.effects {
            files.extend(self.needed(effect)?);
        }
        let mut git = self.whole_git_losses()?;
        files.append(&mut git.files);
        match files.iter().find(|file| !is_text(&file.path)) {
            Some(file) => Err(format!("the name `{}` is not UTF-8", file.path.display())),
            None => Ok(Whole { files, git }),
        }
    }

    /// The paths that must be saved for one effect.
    fn needed(&self, effect: &Effect) -> Result<Vec<Wanted>, String> {
        match &effect.kind {
            EffectKind::Opaque { why } => Err(format!("part of it cannot be understood ({why})")),
            EffectKind::Exec { program, argv, .. } => self.check_program(program, argv),
            EffectKind::HistoryRewrite { how: Rewrite::Local, operation, .. } => {
                Err(format!("`{operation}` permanently rewrites history"))
            }
            EffectKind::Device { place } => Err(format!("`{}` is a device", place.shown)),
            EffectKind::Delete { place, recursive, .. } => {
                let depth = if *recursive { Depth::Tree } else { Depth::Node };
                let mut all = self.places(place, depth, effect)?;
                all.extend(self.link(place));
                Ok(all)
            }
            EffectKind::Write { place, mode, .. } if *mode != WriteMode::Create => {
                // What is written into a folder may replace anything in it.
                let whole = place.pattern || self.is_folder(&place.path);
                self.places(place, if whole { Depth::Tree } else { Depth::Node }, effect)
            }
            EffectKind::Alter { place, folder: false } if self.is_file(place) => {
                self.places(place, Depth::Node, effect)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn check_program(&self, program: &str, argv: &[String]) -> Result<Vec<Wanted>, String> {
        let follows = program == "find" && argv.iter().any(|word| matches!(word.as_str(), "-L" | "-follow"));
        if follows {
            return Err("`find` follows symlinks".to_owned());
        }
        if WAITING.contains(&program) {
            return Err(format!("`{program}` runs it later, and its files may change until then"));
        }
        Ok(Vec::new())
    }

    /// Every path that a place stands for.
    fn places(&self, place: &Place, depth: Depth, effect: &Effect) -> Result<Vec<Wanted>, String> {
        if self.is_temporary(place) {
            return Ok(Vec::new());
        }
        if !place.path.starts_with('/') || place.pattern && effect.certainty != Certainty::Certain {
            return Err(format!("`{}` is known only at run time", place.shown));
        }
        self.check_place(place)?;
        if self.is_moved_later(place) {
            return Err(format!("an earlier call that has not run yet moves work to `{}`", place.shown));
        }
        let wanted = |path: PathBuf, depth| Wanted { path, depth, after: After::Unknown };
        if !place.pattern {
            let kind = &effect.kind;
            let gone = matches!(kind, EffectKind::Delete { .. }) && effect.certainty == Certainty::Certain;
            let after = if gone { After::Gone } else { After::Unknown };
            return Ok(vec![Wanted { after, ..wanted(PathBuf::from(&place.path), depth) }]);
        }
        let (paths, deeper) = expand(&place.path)?;
        if deeper && paths.iter().any(|path| has_links(path)) {
            return Err(format!("`{}` may lead through a symlink", place.shown));
        }
        let depth = if deeper { Depth::Tree } else { depth };
        Ok(paths.into_iter().map(|path| wanted(path, depth)).collect())
    }

    /// What is temporary needs no copy, unless an earlier call has moved something there.
    fn is_temporary(&self, place: &Place) -> bool {
        let folder = place.path.split('*').next().unwrap_or_default().trim_end_matches('/');
        place.zone == Zone::Temp && !place.root && self.world.memory().moved_below(folder).is_empty()
    }

    /// Does an earlier call, sent at the same time, still have to move something there?
    fn is_moved_later(&self, place: &Place) -> bool {
        let folder = place.path.split('*').next().unwrap_or_default().trim_end_matches('/');
        let moved = self.world.memory().moved_below(folder);
        moved.iter().any(|(path, _)| self.world.kind(path) == FileKind::Missing)
    }

    /// Only what belongs to a project is let go: no home as a whole, no secret, nothing of the system or of the gate.
    fn check_place(&self, place: &Place) -> Result<(), String> {
        let shown = if place.shown.is_empty() { &place.path } else { &place.shown };
        if place.root {
            return Err(format!("`{shown}` contains too much"));
        }
        match place.zone {
            Zone::Workspace => Ok(()),
            Zone::Temp => Err(format!("an earlier call has moved work to `{shown}`")),
            Zone::OtherProject | Zone::Home if self.is_in_repository(&place.path) => Ok(()),
            _ => Err(format!("`{shown}` belongs to no project")),
        }
    }

    /// Does a path lie in the work tree of a repository that is no home, and not in its history?
    fn is_in_repository(&self, path: &str) -> bool {
        let known = path.split('*').next().unwrap_or_default();
        let folder = known.rsplit_once('/').map_or("/", |(folder, _)| folder);
        let root = Repo::find(folder, self.world).and_then(|repo| repo.root);
        root.is_some_and(|root| {
            !self.world.homes().iter().any(|home| is_below(home, &root))
                && is_below(path, &root)
                && path != root
                && !path.contains("/.git/")
        })
    }

    /// Is what stands at a path a folder?
    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.world.kind(path) == FileKind::Dir
    }
}

/// Is a path what it was before it was taken for text? Other bytes have become one of these characters.
fn is_text(path: &Path) -> bool {
    let is_stand_in = |letter: char| matches!(letter, '\u{fffd}' | '\u{f700}'..='\u{f7ff}');
    path.to_str().is_none_or(|text| !text.contains(is_stand_in))
}

fn is_below(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Does the call go on after the host has been told that it ended? Any `&` that may send something to the background
/// counts.
fn is_in_background(tool: &ToolUse) -> bool {
    let asked = tool.input.as_map().into_iter().flatten().any(|(key, value)| {
        let key = key.to_ascii_lowercase();
        (key.contains("background") || key.contains("async"))
            && !matches!(value, Value::Bool(false) | Value::Null)
    });
    let ToolCall::Shell { command, .. } = &tool.call else { return asked };
    let known = ["&&", ">&", "&>", "<&", "|&"];
    asked || known.iter().fold(command.clone(), |text, known| text.replace(known, " ")).contains('&')
}

/// The paths directly below the known part of a pattern that it may stand for or lead through, and whether it goes on
/// below these.
fn expand(pattern: &str) -> Result<(Vec<PathBuf>, bool), String> {
    let at = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let (known, rest) = pattern.split_at_checked(at).unwrap_or((pattern, ""));
    let (folder, start) = known.rsplit_once('/').unwrap_or_default();
    if folder.is_empty() {
        return Err(format!("`{pattern}` can match files anywhere"));
    }
    let deeper = rest.contains('/') || rest.contains("**");
    let mut paths = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok((paths, deeper)) };
    for (count, entry) in entries.enumerate() {
        let entry = entry.map_err(|error| format!("`{folder}` cannot be read: {error}"))?;
        if count >= LISTED {
            return Err(format!("`{folder}` has too many names"));
        }
        if entry.file_name().as_encoded_bytes().starts_with(start.as_bytes()) {
            paths.push(entry.path());
        }
    }
    Ok((paths, deeper))
}

/// Is a path a symlink, or is there one below it? What is too big to be searched counts as well.
fn has_links(path: &Path) -> bool {
    let mut waiting = vec![path.to_owned()];
    for _ in 0..FOLDERS {
        let Some(path) = waiting.pop() else { return false };
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if metadata.is_symlink() {
            return true;
        }
        if metadata.is_dir() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let inner = entries.filter(|entry| entry.file_type().map_or(true, |kind| !kind.is_file()));
            waiting.extend(inner.map(|entry| entry.path()));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(command: &str, input: &str) -> ToolUse {
        let input = tollgate_model::json::parse(input.as_bytes()).unwrap();
        let call = ToolCall::Shell {
            command: command.to_owned(),
            dialect: tollgate_model::Dialect::Posix,
            cwd: None,
            sandbox_off: false,
        };
        ToolUse { id: String::new(), name: "Bash".to_owned(), input, call }
    }

    #[test]
    fn what_may_run_later_is_told() {
        for command in ["rm -rf a && ls", "rm a >&2", "rm a &> log", "rm a 2>&1", "rm a |& cat"] {
            assert!(!is_in_background(&call(command, "{}")), "{command}");
        }
        for command in ["rm -rf a &", "(sleep 1; rm a) & ls", "a&b"] {
            assert!(is_in_background(&call(command, "{}")), "{command}");
        }
        assert!(is_in_background(&call("rm a", r#"{"run_in_background": true}"#)));
        assert!(!is_in_background(&call("rm a", r#"{"run_in_background": false}"#)));
    }

    #[test]
    fn patterns_are_expanded_by_an_upper_bound() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("sub/deep")).unwrap();
        std::fs::write(at("sun.txt"), "").unwrap();
        std::fs::write(at("moon.txt"), "").unwrap();
        let shown = |pattern: &str| {
            let (mut paths, deeper) = expand(&format!("{}/{pattern}", folder.path().display())).unwrap();
            paths.sort();
            (paths, deeper)
        };
        assert_eq!(shown("su*"), (vec![at("sub"), at("sun.txt")], false));
        assert_eq!(shown("su*/x"), (vec![at("sub"), at("sun.txt")], true));
        assert_eq!(shown("none/*"), (Vec::new(), false));
        assert!(expand("/*").is_err());
        assert!(!has_links(&at("sub")));
        std::os::unix::fs::symlink("/", at("sub/deep/link")).unwrap();
        assert!(has_links(&at("sub")));
    }
}
