//! Further places where programs take a command, a file or options of their own from: a verb's words, a setting, a
//! variable that nobody typed behind the program.

use tollgate_model::WriteMode;
use tollgate_shell::value::Value;

use crate::commands::network::there;
use crate::commands::strangers::possibly;
use crate::commands::{Run, archives, handler, interpreters};
use crate::options::{Order, read};
use crate::word::Word;

/// Takes down what such a place says.
pub(super) fn notice(run: &mut Run) {
    match run.program {
        "npm" => script(run, &["set-script"], ""),
        "composer" => {
            script(run, &["config"], "scripts.");
            script(run, &["config"], "scripts-dev.");
            executed(run);
        }
        "aws" => script(run, &["configure", "set"], "credential_process"),
        "xdotool" | "ydotool" | "wtype" => typed(run),
        "kitty" | "kitten" | "wezterm" | "zellij" => {
            let sends =
                |word: &Word| ["send-text", "send-key", "write-chars"].iter().any(|verb| word.is(verb));
            if run.args.iter().any(sends) {
                typed(run);
            }
        }
        "yq" => loaded(run),
        "zip" => optioned(run, "ZIPOPT"),
        "tar" | "gtar" | "bsdtar" => taped(run),
        "ansible-console" => consoled(run),
        _ => {}
    }
}

/// `verb… key command`: the text behind a key that begins so is kept as a command.
fn script(run: &mut Run, verbs: &[&str], key: &str) {
    let words: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    let fits = verbs.iter().enumerate().all(|(at, verb)| words.get(at).is_some_and(|word| word.is(verb)));
    let Some([name, text, ..]) = words.get(verbs.len()..).filter(|_| fits) else { return };
    let name = name.shown();
    // `profile.name.key` is a key of a profile.
    if name.starts_with(key) || name.rsplit('.').next() == Some(key) {
        possibly(run, |run| drop(interpreters::code(run, &text.value(), text.span)));
    }
}

/// `composer exec [options] [--] program words`.
fn executed(run: &mut Run) {
    if run.args.first().is_some_and(|verb| verb.is("exec")) {
        let is_own = |word: &&Word| word.text.prefix().starts_with('-');
        let words: Vec<Word> = run.args.iter().skip(1).skip_while(is_own).cloned().collect();
        if !words.is_empty() {
            run.inner(&words);
        }
    }
}

/// What is typed into whatever window is in front may be a shell's.
fn typed(run: &mut Run) {
    let texts: Vec<Word> =
        run.args.iter().filter(|word| super::super::strangers::is_text(word)).cloned().collect();
    for text in texts {
        possibly(run, |run| drop(interpreters::code(run, &text.value(), text.span)));
    }
}

/// `load("file")`, `load_str("file")` and their like in an expression.
fn loaded(run: &mut Run) {
    for word in run.args {
        let text = word.shown();
        for (at, _) in text.match_indices('(') {
            let Some((before, rest)) = text.split_at_checked(at) else { continue };
            let name =
                before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
            let quoted = rest.get(1..).and_then(|rest| rest.trim_start().strip_prefix('"'));
            let known = ["load", "load_str", "load_xml", "load_props", "load_base64", "strload"];
            let file = quoted.and_then(|rest| rest.split('"').next()).filter(|_| known.contains(&name));
            if let Some(file) = file {
                run.read(&Word::literal_at(file, word.span), false);
            }
        }
    }
}

/// Options that the program takes from a variable as if they stood on its command line.
fn optioned(run: &mut Run, name: &str) {
    let Some(text) = run.variable(name).and_then(|value| value.as_literal().map(str::to_owned)) else {
        return;
    };
    let more = text.split_whitespace().map(|word| Word::literal_at(word, run.call.span));
    let words: Vec<Word> = more.chain(run.args.iter().cloned()).collect();
    let Run { analyst, shell, call, path, program, .. } = run;
    if let Some(handler) = handler(program) {
        handler(&mut Run { analyst, shell, call, path, program, args: &words });
    }
}

/// Where tar puts an archive for which it was given no file.
fn taped(run: &mut Run) {
    let options = read(&archives::dashed(run.args), archives::TAR, Order::Anywhere);
    if !["c", "r", "u"].iter().any(|name| options.has(name)) || options.has("f") {
        return;
    }
    let tape = run.variable("TAPE").and_then(|value| value.as_literal().map(str::to_owned));
    if let Some(tape) = tape.filter(|tape| !tape.is_empty() && tape != "-") {
        let file = Word::literal_at(&tape, run.call.span);
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
}

/// Each line that is typed there runs on every host.
fn consoled(run: &mut Run) {
    let Some(text) = run.stdin().and_then(|text| text.as_literal().map(str::to_owned)) else { return };
    let hosts = run.args.iter().map(Word::shown).find(|word| !word.starts_with('-')).unwrap_or_default();
    there(run, &Value::text(&text), &hosts);
}
