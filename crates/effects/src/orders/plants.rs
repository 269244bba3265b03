//! Orders that are judged as the commands they stand for, and orders that leave something behind.

use tollgate_model::World;

use crate::content;
use crate::instructions::Sentence;
use crate::url::{Url, is_this_machine};

/// Paths that a sentence wants to have deleted, right behind its verb: judged as the command that deletes them.
pub(super) fn paths_gone(rest: &str, world: &dyn World) -> Option<String> {
    let small = ["and", "the", "all", "of", "everything", "in", "under", "contents", "folder", "folders"];
    let plain = |word: &'static str| move |part: &&str| *part != word;
    let parts = rest.split_whitespace().map(|part| part.trim_end_matches([',', '.', ';', '!', '/']));
    let paths: Vec<&str> = parts
        .filter(|part| small.iter().all(|word| plain(word)(part)))
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
    let ordered = gets.iter().any(|get| words.starts_with(get)) && runs.iter().any(|run| words.contains(run));
    (ordered && away).then(|| "to run what an address gives".to_owned())
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
    let adds = ["append ", "add ", "put ", "insert ", "write ", "copy ", "echo ", "install "];
    let adds = adds.iter().any(|verb| text.starts_with(verb));
    if adds && any(&["to ~/.ssh/authorized_keys", "into ~/.ssh/authorized_keys", "in ~/.ssh/authorized_keys"])
    {
        return Some("to let somebody in");
    }
    let starts = ["~/.bashrc", "~/.zshrc", "~/.profile", "~/.bash_profile", "~/.zprofile", "crontab"];
    if adds && any(&starts) && any(&["curl ", "wget ", "base64", "| sh", "| bash", "/dev/tcp"]) {
        return Some("to leave what runs at each start");
    }
    let takes = [
        "edit ", "remove ", "delete ", "empty ", "clear ", "disable ", "open ", "change ", "modify ",
        "update ",
    ];
    let settings =
        any(&[".claude/settings", ".codex/config", ".cursor/hooks", ".gemini/settings", ".config/tollgate"]);
    let guards = any(&["hook", "permission", "deny", "policy"])
        && any(&["remove", "delete", "disable", "empty", "clear"]);
    (takes.iter().any(|verb| text.starts_with(verb)) && settings && guards)
        .then_some("to switch its guard off")
}
