//! The README and the tutorial show what the program says: every `$ tollgate …` line of its console blocks is run.
//!
//! There the scratch home is `/home/you`; times, the number of rules and the demo's folder are `[…]`. A line `[…]` stands
//! for lines that are left out. Where lines break depends on the length of the home's path, so white space is compared as
//! such and not counted. `$ cat FILE` puts the text that follows it into that file of the project, for the rest of its block.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

mod support;

use std::process::Command;

use support::{Scratch, answer, steady};

#[test]
fn every_transcript_is_what_the_program_says() {
    for (page, least) in [("README.md", 2), ("docs/tutorial.md", 4)] {
        let text = concat!(env!("CARGO_MANIFEST_DIR"), "/../../").to_owned() + page;
        let ran = replay(&std::fs::read_to_string(text).unwrap());
        assert!(ran >= least, "{page} shows {ran} commands");
    }
}

/// Runs the transcripts of a page; how many commands that were.
fn replay(page: &str) -> usize {
    let mut ran = 0;
    for block in page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        let scratch = Scratch::new();
        for (command, shown) in steps(block) {
            let words = words(command);
            match words[0].as_str() {
                "cat" => std::fs::write(scratch.project().join(&words[1]), &shown).unwrap(),
                "tollgate" => {
                    ran += 1;
                    compare(command, &said(&scratch, &words[1..]), &shown, &scratch);
                }
                _ => {}
            }
        }
    }
    ran
}

/// The commands of a block, each with the text that follows it. A `$` within a line belongs to that text.
fn steps(block: &str) -> Vec<(&str, String)> {
    let mut steps: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command, String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    steps
}

/// The parts between the lines that are left out come one after the other, the first at the start, the last at the end.
#[track_caller]
fn compare(command: &str, said: &str, shown: &str, scratch: &Scratch) {
    let said = normal(said, scratch);
    let shown = format!("\n{shown}");
    let parts: Vec<String> = shown.split("\n[…]\n").map(|part| normal(part, scratch)).collect();
    if let [only] = parts.as_slice() {
        return assert_eq!(&said, only, "{command}");
    }
    assert!(said.starts_with(&parts[0]) && said.ends_with(&parts[parts.len() - 1]), "{command}: {said}");
    let mut rest = said.as_str();
    for part in &parts {
        rest =
            rest.split_once(part.as_str()).unwrap_or_else(|| panic!("{command}: no `{part}` in `{rest}`")).1;
    }
}

fn said(scratch: &Scratch, args: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(args);
    scratch.clean(&mut command);
    let answer = answer(&mut command, b"");
    answer.stdout + &answer.stderr
}

/// The words of a command line. No shell reads them: what is shown may be dangerous.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.trim().split('\'').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn normal(text: &str, scratch: &Scratch) -> String {
    let text = steady(&text.replace(&scratch.home().display().to_string(), "/home/you"));
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "╰").collect();
    let counts =
        |at: usize| words.get(at + 1).is_some_and(|next| ["µs", "µs,", "rules", "other"].contains(next));
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let steady = |(at, word): (usize, &&str)| {
        if counts(at) && is_number(word) { "[…]".to_owned() } else { (*word).to_owned() }
    };
    words.iter().enumerate().map(steady).collect::<Vec<_>>().join(" ")
}
