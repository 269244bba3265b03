//! A short run of the fuzz targets, the same each time: seeds are changed at random, and nothing may panic.
//!
//! `fuzz/` runs the same targets with libFuzzer, for as long as one likes. With `--release` the targets' bound of time is held.

#![allow(clippy::indexing_slicing, reason = "tests")]

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::fs;
use std::path::Path;

/// What is put into seeds, besides pieces of other seeds.
const TOKENS: &[&str] = &[
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "\\",
    "${x:-",
    "}",
    "((",
    "))",
    "<<E\n",
    "\nE\n",
    "<(",
    "|",
    "&&",
    ";",
    "\n",
    "*",
    "[",
    "]",
    "{1..9}",
    "$x",
    "$@",
    "x=",
    "f() {",
    "for i in ",
    "while ",
    "do ",
    "done",
    "if ",
    "fi",
    "eval ",
    "/..",
    "~",
    "%2e",
    "://",
    "@",
    "--",
    "/*",
    "*/",
    "\0",
    "\r",
    "\u{202e}",
    "\u{f0000}",
    "{\"",
    "\":",
    "[[",
    "]]",
    "-1",
    "99999999999999999999",
    "0x",
    "#",
    "!",
    "=(",
    "+=",
    "repeat 9 ",
    "exec 3<&0",
];

#[test]
fn parse() {
    run("parse", targets::parse);
}

#[test]
fn commands() {
    run("commands", targets::commands);
}

#[test]
fn evaluate() {
    run("evaluate", targets::evaluate);
}

#[test]
fn paths() {
    run("paths", targets::paths);
}

#[test]
fn urls() {
    run("urls", targets::urls);
}

#[test]
fn sql() {
    run("sql", targets::sql);
}

#[test]
fn written() {
    run("written", targets::written);
}

#[test]
fn payload() {
    run("payload", targets::payload);
}

/// `FUZZ_ROUNDS` asks for another number of rounds, which are then others.
fn run(name: &str, target: fn(&[u8])) {
    let asked = std::env::var("FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    let rounds: u64 = asked.unwrap_or(2_000);
    let seeds = seeds(name);
    assert!(seeds.len() > 4, "{name} has only {} seeds", seeds.len());
    seeds.iter().for_each(|seed| target(seed));
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ rounds);
    for _ in 0..rounds {
        let mut data = random.pick(&seeds).clone();
        for _ in 0..=random.below(4) {
            random.change(&mut data, &seeds);
        }
        data.truncate(4096);
        target(&data);
    }
}

/// Each file is a seed.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(name);
    let mut files: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| fs::read(file).ok()).collect()
}

/// A small generator of numbers, so that every run is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A place in the data and one after it, not far away.
    fn range(&mut self, data: &[u8]) -> (usize, usize) {
        let start = self.below(data.len() + 1);
        (start, (start + self.below(32)).min(data.len()))
    }

    fn change(&mut self, data: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let (start, end) = self.range(data);
        match self.below(6) {
            0 => drop(data.splice(start..start, self.pick(TOKENS).bytes())),
            1 => drop(data.drain(start..end)),
            2 => {
                let again = data[start..end].to_vec();
                drop(data.splice(end..end, again));
            }
            3 => {
                if let Some(byte) = data.get_mut(start) {
                    *byte ^= 1 << self.below(8);
                }
            }
            4 => {
                let other = self.pick(seeds).clone();
                let (from, to) = self.range(&other);
                drop(data.splice(start..end, other[from..to].iter().copied()));
            }
            _ => data.truncate(end),
        }
    }
}
