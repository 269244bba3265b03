//! Which versions of the agents are installed. An agent takes up to a second to say its version, so that all are asked at
//! once and the answers are kept for a day.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tollgate_agents::install::claude::Version;

use crate::{program, when};

/// The answers, in the state directory: a line each, program, its file's marks, time and version, with tabs between.
const NAME: &str = "agent-versions";
/// How long one agent may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The version of each program that says one.
pub type Versions = HashMap<PathBuf, Version>;

/// Asks all programs at once, except those that answered within a day and have not changed since.
pub fn read(programs: &[PathBuf], state: &Path) -> Versions {
    let kept = std::fs::read_to_string(state.join(NAME)).unwrap_or_default();
    let known = |program: &Path| kept.lines().find_map(|line| kept_version(line, program, when::now()));
    let (mut found, mut lines) = (Versions::new(), Vec::new());
    let mut unknown = Vec::new();
    for program in programs {
        match known(program) {
            Some((line, version)) => {
                found.insert(program.clone(), version);
                lines.push(line);
            }
            None => unknown.push(program.clone()),
        }
    }
    let asked: Vec<_> =
        unknown.into_iter().map(|program| thread::spawn(move || (ask(&program), program))).collect();
    for (version, program) in asked.into_iter().filter_map(|one| one.join().ok()) {
        let Some((version, said)) = version else { continue };
        lines.extend(marks(&program).map(|marks| format!("{marks}\t{}\t{said}", when::now())));
        found.insert(program, version);
    }
    keep(state, &lines);
    found
}

/// The version of one program. None when it does not say.
fn ask(program: &Path) -> Option<(Version, String)> {
    let ran = program::run(std::process::Command::new(program).arg("--version"), b"", LIMIT).ok()??;
    let said: String = ran.stdout.lines().next()?.chars().filter(|c| !c.is_control()).take(100).collect();
    Some((Version::read(&ran.stdout)?, said))
}

/// The answer in a line, when it is the program's, not a day old, and the file is the same.
fn kept_version(line: &str, program: &Path, now: i64) -> Option<(String, Version)> {
    let (rest, said) = line.rsplit_once('\t')?;
    let (of, time) = rest.rsplit_once('\t')?;
    let age = now - time.parse::<i64>().ok()?;
    let is_fresh = (0..when::DAY).contains(&age) && marks(program).as_deref() == Some(of);
    is_fresh.then_some(())?;
    Some((line.to_owned(), Version::read(said)?))
}

/// What changes when the program's file does.
fn marks(program: &Path) -> Option<String> {
    let meta = program.metadata().ok()?;
    let path = program.to_str().filter(|path| !path.contains(['\t', '\n']))?;
    Some(format!("{path}\t{}\t{}\t{}.{}", meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec()))
}

/// Without a state directory, or where it cannot be written, the agents are asked again next time.
fn keep(state: &Path, lines: &[String]) {
    let fresh = state.join(format!(".{NAME}-{}", std::process::id()));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if !state.is_dir() || std::fs::read_to_string(state.join(NAME)).is_ok_and(|kept| kept == text) {
        return;
    }
    if std::fs::write(&fresh, text).and_then(|()| std::fs::rename(&fresh, state.join(NAME))).is_err() {
        let _ = std::fs::remove_file(&fresh);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    use super::*;

    fn agent(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn agents_are_asked_at_once_and_not_again() {
        let folder = tempfile::tempdir().unwrap();
        let count = folder.path().join("asked");
        let slow = format!("sleep 0.3; echo x >>{}; echo agent 1.2.3", count.display());
        let programs: Vec<PathBuf> =
            (0..5).map(|number| agent(folder.path(), &format!("agent-{number}"), &slow)).collect();
        let start = Instant::now();
        let first = read(&programs, folder.path());
        assert_eq!(first.len(), 5);
        assert!(start.elapsed() < Duration::from_millis(1400), "one after the other takes 1.5 s");
        assert_eq!(read(&programs, folder.path()), first);
        assert_eq!(std::fs::read_to_string(&count).unwrap().lines().count(), 5, "asked once each");
        let changed = agent(folder.path(), "agent-0", "echo agent 1.3.0 by somebody else");
        let second = read(&programs, folder.path());
        assert_ne!(second[&changed], first[&changed]);
        assert_eq!(second.len(), 5);
    }

    #[test]
    fn an_answer_is_kept_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let program = agent(folder.path(), "agent", "echo 1.0.0");
        let line = format!("{}\t{}\tagent 1.2.3", marks(&program).unwrap(), 1_000);
        assert!(kept_version(&line, &program, 2_000).is_some());
        for now in [1_000 + when::DAY, 500] {
            assert!(kept_version(&line, &program, now).is_none(), "{now}");
        }
    }
}
