//! Real bash as the judge of what a text means, not only whether it is sound.
//!
//! A function that bash lists (`declare -f`) must give the tree of the text it was defined by, and a word
//! without expansions must have the value bash gives it. bash is restricted, without a `PATH` and in an empty
//! folder, so that nothing but `declare` and `printf` can run.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod parse_canonical;
mod parse_generate;
mod parse_machine;
mod parse_support;

use std::process::Stdio;

use parse_canonical::{canonical, first_words, read};
use parse_machine::{Dice, bash, one_liners, scripts};
use tollgate_shell::ast::*;

/// Stands between the answers of bash.
const MARK: char = '\u{1}';

#[test]
fn functions_as_bash_lists_them() {
    let mut texts = scripts();
    texts.extend(one_liners().into_iter().step_by(4));
    if !texts.is_empty() && bash().is_some() {
        let functions: Vec<String> = texts.iter().filter_map(|text| as_function(text)).collect();
        assert!(functions.len() * 100 > texts.len() * 97, "few of the texts are sound");
        compare(&functions);
    }
}

/// Without heredocs, which bash does not always list in the right place.
#[test]
fn random_functions_as_bash_lists_them() {
    if bash().is_some() {
        compare(&random_functions(0x5eed_0003, false, 600));
    }
}

#[test]
fn random_scripts_with_heredocs_are_sound() {
    random_functions(0x5eed_0004, true, 600);
}

#[test]
fn heredocs_as_bash_reads_them() {
    if bash().is_none() {
        return;
    }
    let mut dice = Dice(0x5eed_0005);
    let heredocs: Vec<String> = (0..2_000).map(|_| random_heredoc(&mut dice)).collect();
    let files: Vec<(String, String)> = heredocs
        .iter()
        .enumerate()
        .map(|(index, heredoc)| (format!("case{index}"), format!("IFS= read -r -d '' v {heredoc}\n")))
        .collect();
    let each = "for ((i = 0; i < 2000; i++)); do v=; source case$i; printf '\\1%s' \"$v\"; done";
    let answers = ask_bash_with(each, &files);
    assert_eq!(answers.len(), heredocs.len(), "bash reads every heredoc");
    let mut compared = 0;
    for (heredoc, answer) in heredocs.iter().zip(answers) {
        // A stray `$` may have become a variable, whose value is another matter.
        if let Some(value) = heredoc_value(heredoc) {
            assert_eq!(value, answer, "{heredoc}");
            compared += 1;
        }
    }
    assert!(compared > 1_500, "{compared}");
}

fn random_functions(seed: u64, heredocs: bool, count: usize) -> Vec<String> {
    let mut dice = Dice(seed);
    let texts: Vec<String> = (0..count).map(|_| parse_generate::script(&mut dice, heredocs)).collect();
    let functions: Vec<String> = texts.iter().filter_map(|text| as_function(text)).collect();
    assert_eq!(functions.len(), texts.len(), "every text is sound");
    functions
}

/// Lets bash list the functions and reads what it lists.
fn compare(functions: &[String]) {
    let mut wrong = Vec::new();
    for chunk in functions.chunks(100) {
        let script: String =
            chunk.iter().map(|function| format!("{function}\nprintf '\\1'\ndeclare -f listed\n")).collect();
        let listed = ask_bash(&script);
        assert_eq!(listed.len(), chunk.len(), "bash defines every function");
        for (function, listing) in chunk.iter().zip(listed) {
            let (ours, theirs) = (canonical(function), canonical(listing.trim_end_matches('\n')));
            if ours != theirs {
                wrong.push(format!("{function}\n{}", difference(&ours, &theirs)));
            }
        }
    }
    println!("{} functions compared, {} differ", functions.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_as_bash_expands_them() {
    if bash().is_none() {
        return;
    }
    let mut dice = Dice(0x5eed_0002);
    let words: Vec<String> = (0..4_000).map(|_| random_word(&mut dice)).collect();
    for chunk in words.chunks(1_000) {
        let script: String = chunk.iter().map(|word| format!("printf '\\1%s' {word}\n")).collect();
        let answers = ask_bash(&format!("set +B -f; unset u; IFS=\n{script}"));
        assert_eq!(answers.len(), chunk.len(), "bash expands every word to one");
        for (word, answer) in chunk.iter().zip(answers) {
            assert_eq!(value(word).as_deref(), Some(answer.as_str()), "{word}");
        }
    }
}

/// Where two dumps part.
fn difference(ours: &str, theirs: &str) -> String {
    let same = ours.chars().zip(theirs.chars()).take_while(|(one, other)| one == other).count();
    let part = |text: &str| text.chars().skip(same.saturating_sub(60)).take(140).collect::<String>();
    format!("ours {}\nbash {}\n", part(ours), part(theirs))
}

/// The text as the body of a function, when it is sound and the function is all there is.
fn as_function(text: &str) -> Option<String> {
    let function = format!("listed() {{\n{text}\n}}");
    let script = read(&function);
    let alone = matches!(script.items.as_slice(), [item] if is_function(item));
    (alone && script.problems.is_empty() && !text.contains(MARK)).then_some(function)
}

fn is_function(item: &Item) -> bool {
    let whole = item.rest.is_empty() && !item.background;
    whole
        && matches!(item.first.stages.as_slice(), [Stage { command, .. }] if matches!(command.kind, CommandKind::Function { .. }))
}

fn ask_bash(script: &str) -> Vec<String> {
    ask_bash_with(script, &[])
}

fn ask_bash_with(script: &str, files: &[(String, String)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect(name);
    }
    let path = folder.path().join("script");
    std::fs::write(&path, script).expect("a script");
    let output = std::process::Command::new(bash().expect("a bash"))
        .args(["--norc", "-r", "-O", "extglob"])
        .arg(&path)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("bash");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    stdout.split(MARK).skip(1).map(str::to_owned).collect()
}

/// The value of a word in which the only expansions are `${u:-…}` with `u` unset.
fn value(source: &str) -> Option<String> {
    let script = read(&format!("x {source}"));
    let words = script.items.first().map(first_words)?;
    match (words.as_slice(), script.problems.as_slice()) {
        ([_, word], []) => word_value(word),
        _ => None,
    }
}

fn word_value(word: &Word) -> Option<String> {
    let parts = word.parts.iter().map(|part| match part {
        Part::Text { text, .. } => Some(text.clone()),
        Part::Param { expansion, .. } => match &expansion.op {
            ParamOp::Default { kind: '-', word, .. } => word_value(word),
            _ => None,
        },
        _ => None,
    });
    parts.collect()
}

/// The body of the heredoc that the first command has; what follows it may be anything.
fn heredoc_value(source: &str) -> Option<String> {
    let script = read(&format!("x {source}"));
    let stage = script.items.first().and_then(|item| item.first.stages.first())?;
    match stage.command.redirects.as_slice() {
        [Redirect { kind: RedirectKind::Heredoc { body, .. }, .. }] => word_value(body),
        _ => None,
    }
}

fn random_heredoc(dice: &mut Dice) -> String {
    const OPENINGS: &[&str] =
        &["<<E", "<<-E", "<<'E'", "<<-\"E\"", "<<\\E", "<< E", "<<-'E'", "<<\"\"E", "<<-\\\nE"];
    const PIECES: &[&str] = &[
        "a",
        "\t",
        " ",
        "E",
        "\\",
        "\\\\",
        "\\$",
        "\\`",
        "\\\"",
        "\"",
        "'",
        "${u:-b}",
        "${u:-\"c d\"}",
        "$%",
        "\n",
        "\n",
        "\\\n",
        "é",
        "#",
        "\\E",
        "(",
        ")",
        "<<E",
    ];
    let body: String = (0..dice.roll(14)).map(|_| *dice.pick::<&str>(PIECES)).collect();
    let indent: &str = dice.pick::<&str>(&["", "", "\t"]);
    let opening: &str = dice.pick::<&str>(OPENINGS);
    let indent = if opening.contains('-') { indent } else { "" };
    // The line before the last one may end in a backslash, which joins them.
    format!("{opening}\n{body}\nx\n{indent}E")
}

/// A word of quotes and escapes; what could expand in it is always escaped.
fn random_word(dice: &mut Dice) -> String {
    (0..=dice.roll(4)).map(|_| random_piece(dice)).collect()
}

fn random_piece(dice: &mut Dice) -> String {
    const PLAIN: &[&str] = &[
        "a", "b", "é", "=", "x#", "{", "}", "%", "\\\n", "\\ ", "\\$", "\\é", "\\\\", "\\'", "\\\"", "\\;",
        "^", "-", "/",
    ];
    const SINGLE: &[&str] =
        &["a", "\\", "\"", "$", "`", " ", "\n", ";", "(", "|", "\\\n", "é", "}", "#", "&", ">"];
    const DOUBLE: &[&str] = &[
        "a", "\\\\", "\\\"", "\\$", "\\`", "\\\n", "\\a", "\\ ", " ", "\n", ";", "(", "'b'", "}", "é", "#",
        "|", "$ ", "<",
    ];
    const OPERAND: &[&str] = &[
        "a", " ", "\\}", "\\$", "\\\\", "\\a", "'b}'", "'c'", "\"d e\"", "\"}\"", "(", ";", "é", "$'\\x41'",
        "\\\n",
    ];
    let many = |pieces: &[&str], dice: &mut Dice| -> String {
        (0..dice.roll(6)).map(|_| (*dice.pick(pieces)).to_owned()).collect()
    };
    match dice.roll(5) {
        0 => format!("{}a", many(PLAIN, dice)),
        1 => format!("'{}'", many(SINGLE, dice)),
        2 => format!("\"{}\"", many(DOUBLE, dice)),
        3 => format!("$'{}'", (0..dice.roll(5)).map(|_| random_escape(dice)).collect::<String>()),
        _ => format!("\"a${{u:-{}}}\"", many(OPERAND, dice)),
    }
}

/// One escape of `$'…'`, or plain text. Bytes above ASCII only where they are UTF-8 together.
fn random_escape(dice: &mut Dice) -> String {
    const ESCAPES: &[&str] = &[
        "\\a",
        "\\b",
        "\\e",
        "\\E",
        "\\f",
        "\\n",
        "\\r",
        "\\t",
        "\\v",
        "\\\\",
        "\\'",
        "\\\"",
        "\\?",
        "\\q",
        "\\8",
        "\\x",
        "\\xg",
        "\\u",
        "\\cB",
        "\\c?",
        "\\cz",
        "\\c[",
        "\\c\\\\",
        "\\x{41}",
        "\\x{42",
        "\\xc3\\xa9",
        "\\303\\251",
        "\\0",
        "\\x00",
        "a",
        " ",
        "$",
        "`",
        "\"",
        "\n",
        "\\\n",
        "é",
        "\\é",
    ];
    match dice.roll(6) {
        0 => format!("\\x{:x}", 2 + dice.roll(126)),
        1 => format!("\\{:o}", 2 + dice.roll(126)),
        2 => format!("\\u{:x}", 2 + dice.roll(0xd7fd)),
        3 => format!("\\U{:08x}", 0xe000 + dice.roll(0x10_0000)),
        _ => (*dice.pick(ESCAPES)).to_owned(),
    }
}
