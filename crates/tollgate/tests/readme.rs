//! The README shows what the program says: every `$ tollgate …` line of its console blocks is run.
//!
//! In the README the scratch home is `/home/you`; times and the number of rules are `[…]`. Where lines break depends on the length of
//! the home's path, so white space is compared as such and not counted. `$ cat FILE` puts the text that follows it
//! into that file of the project, for the rest of its block.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;

use support::{Scratch, answer};

#[test]
fn every_transcript_is_what_the_program_says() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let mut ran = 0;
    for block in readme.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        let scratch = Scratch::new();
        for step in block.split("$ ").skip(1) {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            let words = words(command);
            match words[0].as_str() {
                "cat" => std::fs::write(scratch.project().join(&words[1]), shown).unwrap(),
                "tollgate" => {
                    ran += 1;
                    assert_eq!(
                        normal(&said(&scratch, &words[1..]), &scratch),
                        normal(shown, &scratch),
                        "{command}"
                    );
                }
                _ => {}
            }
        }
    }
    assert!(ran >= 3, "the README shows {ran} commands");
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
    let text = text.replace(&scratch.home().display().to_string(), "/home/you");
    let words: Vec<&str> = text.split_whitespace().filter(|word| *word != "╰").collect();
    let counts =
        |at: usize| words.get(at + 1).is_some_and(|next| ["µs", "µs,", "rules", "other"].contains(next));
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let steady = |(at, word): (usize, &&str)| {
        if counts(at) && is_number(word) { "[…]".to_owned() } else { (*word).to_owned() }
    };
    words.iter().enumerate().map(steady).collect::<Vec<_>>().join(" ")
}
