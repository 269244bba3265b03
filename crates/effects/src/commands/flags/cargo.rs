//! Cargo: programs that its settings name.

use tollgate_shell::value::Value;

use super::given;
use crate::commands::strangers::possibly;
use crate::commands::{Run, interpreters, loads, variables};
use crate::word::Word;

/// `cargo watch -s text`, `cargo watch -- command`, and programs named by `--config`.
pub(super) fn cargo(run: &mut Run) {
    for setting in given(run, "config=") {
        cargo_setting(run, &setting);
    }
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

/// `key = value` as TOML has it, or a file of such lines. Some keys name a program.
fn cargo_setting(run: &mut Run, setting: &Word) {
    let shown = setting.shown();
    let Some((key, value)) = shown.split_once('=') else { return loads::load(run, setting) };
    let texts = toml_texts(value);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let name = key.trim().rsplit('.').next().unwrap_or_default();
    let names_program = matches!(
        name,
        "rustc" | "rustdoc" | "rustc-wrapper" | "rustc-workspace-wrapper" | "runner" | "linker" | "browser"
    ) || name.starts_with("credential-")
        || key.trim().starts_with("credential-");
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
    } else if names_program {
        run.inner(&words);
        if let [line] = texts.as_slice() {
            // Cargo parts such a text at its blanks; whoever wrote quotes into it meant a shell.
            let line = Value::text(line);
            possibly(run, |run| drop(interpreters::code(run, &line, setting.span)));
        }
        loads::tool(run, key.trim(), &Value::text(texts.first().copied().unwrap_or_default()));
    }
}

/// The strings of a value as TOML writes them: `"…"` with escapes, `'…'` without.
fn toml_texts(value: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = value.chars();
    while let Some(quote) = chars.by_ref().find(|c| matches!(c, '"' | '\'')) {
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != quote) {
            match c {
                '\\' if quote == '"' => text.extend(chars.next()),
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            texts.push(text);
        }
    }
    texts
}
