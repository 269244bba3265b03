//! What a desktop, a shell or the system starts in place of something else: settings that name a program.

use tollgate_model::{Lasting, WriteMode};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::super::Run;
use super::persist;
use crate::word::Word;

/// `--install link name path` makes or replaces the link, `--set name path` lets it lead elsewhere.
pub(in crate::commands) fn alternatives(run: &mut Run) -> Outcome {
    let after = |flag: &str, at: usize| run.args.iter().skip_while(|word| !word.is(flag)).nth(at).cloned();
    if let Some(link) = after("--install", 1) {
        run.analyst.write(&link, WriteMode::Overwrite, None, run.shell);
    }
    let program = after("--install", 3).or_else(|| after("--set", 2));
    match program.filter(|program| !is_installed(program)) {
        Some(program) => {
            persist(run, Lasting::StartupFile, format!("`{}`, which replaces a program", program.shown()))
        }
        None => run.derived(),
    }
}

/// Does a path lie where the system's packages put programs?
fn is_installed(program: &Word) -> bool {
    let folders = ["/bin/", "/sbin/", "/usr/", "/opt/", "/lib/", "/snap/", "/nix/store/"];
    folders.iter().any(|folder| program.text.prefix().starts_with(folder))
}

/// Settings of a desktop that name a command: keys, and programs in place of others.
pub(in crate::commands) fn desktop(run: &mut Run) -> Outcome {
    let words: Vec<String> =
        run.args.iter().map(Word::shown).filter(|word| !word.starts_with("--")).collect();
    let names_command = |text: &str| {
        ["custom-keybinding", "autostart", "startup", "terminal exec", "calculator exec", "/exec", "command"]
            .iter()
            .any(|part| text.contains(part))
    };
    let changes = match (run.program, words.first().map(String::as_str).unwrap_or_default()) {
        ("gsettings", "set") | ("dconf", "write" | "load") | ("xfconf-query", _) => {
            names_command(&words.join(" "))
        }
        ("kwriteconfig5" | "kwriteconfig6", _) => {
            let all: Vec<String> = run.args.iter().map(Word::shown).collect();
            all.iter().any(|word| word.contains("kglobalshortcutsrc") || word.contains("autostart"))
        }
        ("xdg-mime", "default") => true,
        _ => false,
    };
    if changes {
        let verb = words.first().map_or("", String::as_str);
        let what = format!("the desktop's settings (`{} {verb}`)", run.program);
        return persist(run, Lasting::StartupFile, what);
    }
    run.derived()
}

/// What a script for fish leaves for every later session: universal variables, saved functions and aliases.
pub(in crate::commands) fn fish(run: &mut Run, code: &Value) {
    let Some(text) = code.as_literal() else { return };
    for line in text.split(['\n', ';', '|', '&']).map(str::trim) {
        let words: Vec<&str> = line
            .split_whitespace()
            .skip_while(|word| matches!(*word, "and" | "or" | "begin" | "builtin"))
            .collect();
        let flag = |letter: char, long: &str| {
            words.iter().skip(1).any(|word| {
                *word == long || word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
            })
        };
        let saved = match words.first() {
            Some(&"set") => flag('U', "--universal"),
            Some(&"alias" | &"abbr") => flag('s', "--save") || flag('U', "--universal"),
            Some(&"funcsave" | &"fish_add_path") => words.len() > 1,
            Some(&"fish_config") => words.contains(&"save"),
            _ => false,
        };
        if saved {
            let verb = words.first().copied().unwrap_or_default();
            persist(run, Lasting::StartupFile, format!("fish's own settings (`{verb}`)"));
        }
    }
}
