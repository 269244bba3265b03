//! Commands that a dump of the environment goes through: what they let through, and what they pick out of it.

use tollgate_model::{Effect, EffectKind};
use tollgate_shell::eval::Call;

use super::super::readers::told;
use crate::word::{Word, ways};

/// Does the command let only lines through that name no secret?
pub(super) fn is_filter(program: &str, call: &Call) -> bool {
    let words: Vec<String> =
        call.args().map(|field| field.value.as_literal().unwrap_or("*").to_owned()).collect();
    match program {
        _ if is_told(call) => true,
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            let inverts = words.iter().any(|word| {
                word == "--invert-match"
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains('v'))
            });
            let counts = words.iter().any(|word| {
                matches!(word.as_str(), "--count" | "--quiet")
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains(['c', 'q']))
            });
            let patterns = patterns_of(&words);
            let around = words.iter().any(|word| shows_around(word));
            counts
                || !inverts
                    && !around
                    && !patterns.is_empty()
                    && patterns.iter().all(|pattern| is_narrow(pattern))
        }
        _ => false,
    }
}

fn patterns_of(words: &[String]) -> Vec<&String> {
    words.iter().filter(|word| !word.starts_with('-')).collect()
}

/// `-A1`, `-C 3`, `-2`: the lines beside a match are shown as well.
fn shows_around(word: &str) -> bool {
    let Some(option) = word.strip_prefix('-') else { return false };
    let long = ["-after-context", "-before-context", "-context"];
    long.iter().any(|name| option.starts_with(name))
        || !option.starts_with('-') && option.contains(|c: char| c.is_ascii_digit() || "ABC".contains(c))
}

/// `make -p` prints all that it knows: rules, and the environment among them.
pub(super) fn shows_database(effect: &Effect) -> bool {
    let asks = |word: &String| {
        word == "--print-data-base" || word.starts_with('-') && !word.starts_with("--") && word.contains('p')
    };
    matches!(&effect.kind, EffectKind::Exec { program, argv, .. }
        if matches!(program.as_str(), "make" | "gmake") && argv.iter().any(asks))
}

/// A secret is picked out of what holds the whole environment among other things.
pub(super) fn picks_secret(program: &str, call: &Call) -> bool {
    let words: Vec<String> =
        call.args().filter_map(|field| field.value.as_literal().map(str::to_owned)).collect();
    let named = |pattern: &&String| {
        let upper = pattern.to_ascii_uppercase();
        SECRET_WORDS.iter().any(|word| upper.contains(word))
    };
    let picks = matches!(program, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "awk" | "gawk" | "sed")
        && patterns_of(&words).iter().any(named);
    picks && !is_told(call)
}

/// Does the command show or keep all of what comes straight from such a dump?
pub(super) fn keeps_all(program: &str, found: &[Effect]) -> bool {
    // What lies between may leave something out. Whatever else ran made words, or lets all of it through.
    let ran = |effect: &&Effect| match &effect.kind {
        EffectKind::Exec { program: other, .. } => {
            CUTTING.contains(&other.as_str()) || shows_database(effect)
        }
        _ => false,
    };
    matches!(program, "cat" | "tac" | "tee" | "less" | "more" | "bat" | "nl")
        && found.iter().rev().find(ran).is_some_and(shows_database)
}

/// Programs that let only a part of what they read through.
const CUTTING: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "ag", "ack", "awk", "gawk", "mawk", "sed", "head", "tail", "cut", "wc",
    "jq", "uniq", "comm", "join", "column", "python3", "python", "perl", "ruby", "node",
];

/// Words of the names of secrets.
const SECRET_WORDS: &[&str] =
    &["TOKEN", "SECRET", "KEY", "PASS", "CRED", "AUTH", "PWD", "AWS", "API", "GITHUB", "DATABASE"];

/// Does the command tell no more of what it reads than names and numbers?
pub(super) fn is_told(call: &Call) -> bool {
    let program = call.name().map(|name| name.rsplit('/').next().unwrap_or(name)).unwrap_or_default();
    let tells = |words: &Vec<Word>| words.get(1..).is_some_and(|words| told::told(program, words).is_some());
    ways(&call.argv).iter().all(tells)
}

/// A pattern that names something, and no secret.
fn is_narrow(pattern: &str) -> bool {
    let upper = pattern.to_ascii_uppercase();
    let named = upper.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= 2);
    named && !SECRET_WORDS.iter().any(|word| upper.contains(word)) && !upper.contains(".*")
}
