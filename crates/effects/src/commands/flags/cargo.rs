//! Cargo: programs that its settings name.

use tollgate_shell::value::Value;

use super::given;
use crate::cargo::{names_program, toml_texts};
use crate::commands::strangers::possibly;
use crate::commands::{Run, interpreters, loads, variables};
use crate::word::Word;

/// `cargo watch -s text`, `cargo watch -- command`, and programs named by `--config`.
pub(super) fn cargo(run: &mut Run) {
    for setting in given(run, "config=") {
        cargo_setting(run, &setting);
    }
    written(run);
    if !run.args.iter().take(2).any(|word| word.is("watch")) {
        return;
    }
    for text in given(run, "s,shell=") {
        interpreters::code(run, &text.value(), text.span);
    }
    if let Some(at) = run.args.iter().position(|word| word.is("--")) {
        run.inner(run.args.get(at + 1..).unwrap_or_default());
    }
}

/// The key and the value. A key may hold a condition in quotes: `target.'cfg(target_os = "linux")'.runner`.
fn parted(setting: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let at = setting.char_indices().find_map(|(at, c)| {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            None if c == '=' => return Some(at),
            _ => {}
        }
        None
    })?;
    Some((setting.get(..at)?, setting.get(at + 1..)?))
}

/// Settings that this call has written, which cargo finds by itself.
fn written(run: &mut Run) {
    for name in [".cargo/config.toml", ".cargo/config"] {
        let file = Word::literal_at(name, run.call.span);
        run.with_written(&file, settings);
    }
}

fn settings(run: &mut Run, text: &str) {
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
        } else if line.contains('=') && !line.starts_with('#') {
            cargo_setting(run, &Word::literal_at(&format!("{section}{line}"), run.call.span));
        }
    }
}

/// `key = value` as TOML has it, or a file of such lines. Some keys name a program.
fn cargo_setting(run: &mut Run, setting: &Word) {
    let shown = setting.shown();
    let Some((key, value)) = parted(&shown) else { return loads::load(run, setting) };
    let texts = toml_texts(value);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    // A list of words is a command; so is a text that is split at its blanks.
    let words: Vec<Word> = match texts.as_slice() {
        [] => return,
        [text] => text.split_whitespace().map(|word| Word::literal_at(word, setting.span)).collect(),
        texts => texts.iter().map(|word| Word::literal_at(word, setting.span)).collect(),
    };
    if key.trim().starts_with("alias.") {
        let mut command = vec![Word::literal_at("cargo", setting.span)];
        command.extend(words);
        run.inner(&command);
    } else if let Some(variable) = key.trim().strip_prefix("env.") {
        let value = Value::text(texts.first().copied().unwrap_or_default());
        variables::variable(run.analyst, variable, &value, run.call, run.shell);
    } else if names_program(key.trim()) {
        run.inner(&words);
        if let [line] = texts.as_slice() {
            // Cargo parts such a text at its blanks; whoever wrote quotes into it meant a shell.
            let line = Value::text(line);
            possibly(run, |run| drop(interpreters::code(run, &line, setting.span)));
        }
        loads::tool(run, key.trim(), &Value::text(texts.first().copied().unwrap_or_default()));
    }
}
