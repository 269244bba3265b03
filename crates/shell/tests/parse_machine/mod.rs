//! What the machine has to offer as a judge: bash, its scripts, a corpus of one-liners, and dice.
#![allow(dead_code, reason = "each test file uses its part")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A bash to ask: one of the fifth version, whose grammar is the one we read.
pub fn bash() -> Option<&'static str> {
    ["/bin/bash", "/usr/bin/bash"].into_iter().find(|path| {
        let output = Command::new(path).arg("--version").output();
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("version 5.2"))
    })
}

/// The shell scripts in the usual places.
pub fn scripts() -> Vec<String> {
    let mut found = Vec::new();
    for place in ["/usr/bin", "/usr/sbin", "/etc", "/var/lib/dpkg/info", "/usr/lib/git-core", "/usr/share"] {
        collect(Path::new(place), 0, &mut found);
    }
    found.sort();
    found.dedup();
    found.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && depth < 4 {
            collect(&path, depth + 1, found);
        } else if kind.is_file() && is_script(&path) {
            found.push(path);
        }
    }
}

fn is_script(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if name.starts_with("/usr/share") {
        return name.ends_with(".sh") || name.contains("/bash-completion/completions/");
    }
    let mut start = [0; 32];
    let Ok(length) = std::fs::File::open(path).and_then(|mut file| file.read(&mut start)) else {
        return false;
    };
    let first = String::from_utf8_lossy(&start[..length]);
    let line = first.lines().next().unwrap_or_default();
    ["#!/bin/sh", "#! /bin/sh", "#!/bin/bash", "#! /bin/bash", "#!/usr/bin/env bash", "#!/usr/bin/bash"]
        .iter()
        .any(|shebang| line.starts_with(shebang))
}

/// The one-liners of the development corpus, where it is at hand.
pub fn one_liners() -> Vec<String> {
    let corpus = Path::new("/work/shared/corpus/benign-dev.jsonl");
    let lines = std::fs::read_to_string(corpus).unwrap_or_default();
    lines.lines().filter_map(command_of).collect()
}

fn command_of(line: &str) -> Option<String> {
    let rest = line.strip_prefix("{\"command\": \"")?;
    let mut command = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some(command),
            '\\' => match chars.next()? {
                'n' => command.push('\n'),
                't' => command.push('\t'),
                'r' => command.push('\r'),
                'u' => {
                    let code: String = chars.by_ref().take(4).collect();
                    command.push(char::from_u32(u32::from_str_radix(&code, 16).ok()?)?);
                }
                other => command.push(other),
            },
            other => command.push(other),
        }
    }
}

/// A small deterministic source of numbers.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % sides
    }

    /// One of these.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        let at = self.roll(from.len());
        &from[at]
    }
}
