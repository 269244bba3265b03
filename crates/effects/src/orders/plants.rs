//! Orders that are judged as the commands they stand for, and orders that leave something behind.

use tollgate_model::World;

use crate::content;
use crate::instructions::Sentence;
use crate::url::{Url, is_this_machine};

/// Paths that a sentence wants to have deleted, right behind its verb: judged as the command that deletes them.
pub(super) fn paths_gone(rest: &str, world: &dyn World) -> Option<String> {
    let small = ["and", "the", "all", "of", "everything", "in", "under", "contents", "folder", "folders"];
    let parts = rest.split_whitespace().map(|part| part.trim_end_matches([',', '.', ';', '!', '/']));
    let paths: Vec<&str> = parts
        .filter(|part| !small.contains(part))
        .take_while(|part| part.starts_with("~/") || part.starts_with('/'))
        .filter(|path| path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"~/._-".contains(&byte)))
        .collect();
    let command = format!("rm -rf {}", paths.join(" "));
    let does = (!paths.is_empty()).then(|| content::everyday_dangers(&command, world))?.into_iter().next()?;
    Some(format!("to delete what it {does}"))
}

/// What an address gives is to be run, or obeyed.
pub(super) fn obeys(sentence: &Sentence) -> Option<String> {
    let words = sentence.words.trim_start_matches(|c: char| " -*>.)".contains(c) || c.is_ascii_digit());
    let gets = ["download ", "fetch ", "get ", "curl ", "load ", "read ", "open "];
    let runs = [
        "and run it",
        "and execute it",
        "do exactly what it says",
        "do what it says",
        "do whatever it says",
        "and obey",
        "and bash it",
    ];
    let away = words.split_whitespace().any(|word| {
        (word.starts_with("http://") || word.starts_with("https://"))
            && !is_this_machine(&Url::parse(word).host)
    });
    // `and run it through the tests` is something else.
    let goes_on = ["with ", "using ", "as ", "now", "right ", "immediately", "locally", "then ", "and "];
    let ends = |rest: &str| {
        let rest = rest.trim_start();
        !rest.starts_with(char::is_alphanumeric) || goes_on.iter().any(|word| rest.starts_with(word))
    };
    let told = |run: &&str| words.split_once(*run).is_some_and(|(_, rest)| ends(rest));
    let ordered = gets.iter().any(|get| words.starts_with(get)) && runs.iter().any(told);
    (ordered && away).then(|| "to run what a URL returns".to_owned())
}

/// A way in, a line that runs at each start, or an agent without its guards.
pub(super) fn plants(sentence: &Sentence) -> Option<&'static str> {
    if sentence.forbids {
        return None;
    }
    let text = format!("{} {}", sentence.words.trim(), sentence.code.join(" ").to_lowercase());
    let text = text.trim_start_matches(|c: char| " -*>.)`".contains(c) || c.is_ascii_digit());
    let text = ["please ", "then ", "now ", "also "]
        .iter()
        .fold(text, |text, lead| text.strip_prefix(lead).unwrap_or(text));
    let any = |list: &[&str]| list.iter().any(|part| text.contains(part));
    // What is written about a place is not put there.
    let meant = |places: &[&str]| {
        let before = places.iter().filter_map(|place| text.split_once(place)).map(|(before, _)| before);
        before.min_by_key(|before| before.len()).is_some_and(|before| !is_about(before))
    };
    let adds = ["append ", "add ", "put ", "insert ", "write ", "copy ", "echo ", "install "];
    let adds = adds.iter().any(|verb| text.starts_with(verb));
    let keys = ["to ~/.ssh/authorized_keys", "into ~/.ssh/authorized_keys", "in ~/.ssh/authorized_keys"];
    if adds && meant(&keys) {
        return Some("to give somebody access");
    }
    let starts = ["~/.bashrc", "~/.zshrc", "~/.profile", "~/.bash_profile", "~/.zprofile", "crontab"];
    if adds && meant(&starts) && any(&["curl ", "wget ", "base64", "| sh", "| bash", "/dev/tcp"]) {
        return Some("to install something that runs at every start");
    }
    let takes = [
        "edit ", "remove ", "delete ", "empty ", "clear ", "disable ", "open ", "change ", "modify ",
        "update ",
    ];
    let settings =
        [".claude/settings", ".codex/config", ".cursor/hooks", ".gemini/settings", ".config/tollgate"];
    let guards = any(&["hook", "permission", "deny", "policy"])
        && any(&["remove", "delete", "disable", "empty", "clear"]);
    (takes.iter().any(|verb| text.starts_with(verb)) && meant(&settings) && guards)
        .then_some("to turn off its guard")
}

/// Does it speak of a text about something?
fn is_about(before: &str) -> bool {
    let texts = [
        "docs",
        "doc",
        "documentation",
        "readme",
        "note",
        "guide",
        "section",
        "page",
        "chapter",
        "article",
        "example",
        "how",
        "about",
        "that",
        "which",
        "describe",
        "mention",
        "test",
        "tests",
        "changelog",
    ];
    before.split(|c: char| !c.is_alphanumeric()).any(|word| texts.contains(&word))
}
