//! Programs that run code: shells, and the interpreters of other languages; and programs on disk.

mod applescript;
pub(super) mod editors;
mod given;
pub(super) mod hosts;
pub(super) mod languages;
mod modules;
mod preamble;
pub(super) mod tail;

use tollgate_model::{Certainty, CodeSource, EffectKind, EnvUse, FileKind, Place, Span, Zone};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Code, Field, Outcome, Scope, Status, Stream};
use tollgate_shell::value::{Piece, Text, Value};

use super::{Run, persistence, sources};
use crate::analyst::taint;
use crate::languages::Language;
use crate::options::{Order, read};
use crate::word::Word;

/// A shell with options, a script, or its script on standard input.
pub(super) fn shell(run: &mut Run) -> Outcome {
    let spec = "c s i l,login r,restricted D o= O= a b e f h k m n p t u v x B C E H P T init-file,rcfile= norc noprofile \
        posix verbose version help dump-strings dump-po-strings noediting debugger pretty-print N d G X";
    let args: Vec<Word> = run.args.iter().filter(|word| !word.shown().starts_with('+')).cloned().collect();
    let options = read(&args, spec, Order::First);
    if options.has("version") || options.has("help") {
        return run.derived();
    }
    if let Some(file) = options.value("init-file").cloned() {
        self::file(run, &file, &[]);
    }
    if run.program == "fish" {
        let told = read(run.args, "c,command= C,init-command= o= d= D= f= p=", Order::First);
        for text in told.values("C").cloned().collect::<Vec<_>>() {
            code(run, &text.value(), text.span);
        }
    }
    let checks = options.has("n") || options.values("o").any(|name| name.is("noexec"));
    if checks && run.program != "nu" {
        // It shows what it reads.
        if let Some(script) = options.operands.first().filter(|_| options.has("v") || options.has("verbose"))
        {
            run.read(script, false);
        }
        return run.derived();
    }
    if options.has("c") {
        let Some((text, rest)) = options.operands.split_first() else { return run.derived() };
        match run.program {
            "fish" => persistence::fish(run, &text.value()),
            "zsh" => super::zsh::mapped(run, text),
            _ => {}
        }
        if shows_environment(run.program, &text.shown()) {
            run.push(EffectKind::EnvRead { what: EnvUse::All });
        }
        return text_with_args(run, text, rest);
    }
    match options.operands.split_first() {
        Some((script, rest)) if !options.has("s") && !script.is("-") => file(run, script, rest),
        _ => {
            let rest = options.operands.iter().map(Word::field).collect();
            stdin_with(run, Some(rest).filter(|_| options.has("s")))
        }
    }
}

/// How shells other than bash show all their variables.
fn shows_environment(program: &str, text: &str) -> bool {
    let commands = || text.split([';', '\n', '|', '&']).map(str::trim);
    match program {
        "fish" => commands().any(|command| {
            let mut words = command.split_whitespace();
            words.next() == Some("set")
                && words.all(|word| word.starts_with('-') && !word.contains(['n', 'e', 'h', 'q', 'S']))
        }),
        "zsh" => ["(kv)parameters", "(@kv)parameters", "(v)parameters", "(kv)environ"]
            .iter()
            .any(|all| text.contains(all)),
        "nu" => commands().any(|command| command.trim_end() == "$env" || command == "env"),
        _ => false,
    }
}

fn text_with_args(run: &mut Run, text: &Word, rest: &[Word]) -> Outcome {
    let value = text.value();
    warn_of_source(run, &value, text.span);
    let code = Code {
        text: value,
        scope: Scope::Child,
        dialect: dialect(run.program),
        name: rest.first().map(Word::value),
        args: Some(rest.iter().skip(1).map(Word::field).collect()),
        span: text.span,
    };
    run.shell.run_text(&code, run.analyst)
}

/// Shell text as a child process runs it.
pub(crate) fn code(run: &mut Run, text: &Value, span: Span) -> Outcome {
    code_with(run, text, None, span)
}

fn code_with(run: &mut Run, text: &Value, args: Option<Vec<Field>>, span: Span) -> Outcome {
    warn_of_source(run, text, span);
    let code = Code {
        text: text.clone(),
        scope: Scope::Child,
        dialect: dialect(run.program),
        name: None,
        args,
        span,
    };
    run.shell.run_text(&code, run.analyst)
}

/// Words that a program joins with blanks and gives to a shell.
pub(super) fn joined(run: &mut Run, words: &[Word]) -> Outcome {
    let blank = Value::text(" ");
    let text = words.iter().map(Word::value).reduce(|left, right| left.concat(&blank).concat(&right));
    match text {
        Some(text) => code(run, &text, run.call.span),
        None => run.derived(),
    }
}

/// Standard input as a script.
pub(super) fn stdin_code(run: &mut Run) -> Outcome {
    stdin_with(run, None)
}

/// The same, with arguments.
fn stdin_with(run: &mut Run, args: Option<Vec<Field>>) -> Outcome {
    let span = run.call.span;
    match run.stdin().cloned() {
        Some(text) => {
            let unread = taint::sources(text.taint) == taint::FILE;
            let text = script_of(run, text);
            // What is not there cannot be opened, and nothing runs.
            if unread && is_missing(run) {
                return run.derived();
            }
            // A shell in a script that comes the same way reads what is left of it, until one of the two ends.
            if run.analyst.typed.contains(&text) {
                run.analyst.dynamic_code(text.taint, span);
                return run.derived();
            }
            run.analyst.typed.push(text.clone());
            let outcome = code_with(run, &text, args, span);
            run.analyst.typed.pop();
            outcome
        }
        None if run.call.stdin.stream == Stream::Pipe => {
            run.analyst.dynamic_code(tollgate_shell::value::Taint::NONE, span);
            run.derived()
        }
        None => run.derived(),
    }
}

fn is_missing(run: &Run) -> bool {
    let Stream::File(path) = &run.call.stdin.stream else { return false };
    let is_pipe = |path: &str| path.starts_with("/dev/") || path.starts_with("/proc/");
    path.single().filter(|_| !path.as_literal().is_none_or(is_pipe)).is_some_and(|path| {
        let word = Word {
            text: path.clone(),
            span: run.call.span,
            splits: false,
            taint: tollgate_shell::value::Taint::NONE,
        };
        run.analyst.is_missing(&word, run.shell)
    })
}

/// `bash < file`: the file on disk is the script, or what those before have left of it.
pub(super) fn script_of(run: &mut Run, text: Value) -> Value {
    let Stream::File(path) = &run.call.stdin.stream else { return text };
    let Some(only) = path.single() else { return text };
    let word = Word { text: only.clone(), span: run.call.span, splits: false, taint: text.taint };
    run.analyst.recall(&word, run.shell);
    let Some(script) = run.analyst.program_text(&word, run.shell) else { return text };
    let is_left =
        |text: &&Text| !matches!(text.pieces.as_slice(), [Piece::Hole(hole)] if hole.source.is_output());
    let left: Vec<Text> = text.any.iter().filter(is_left).cloned().collect();
    if left.is_empty() { script } else { script.union(&Value::of(left, text.taint)) }
}

/// A script file, as a child process runs it.
pub(super) fn file(run: &mut Run, script: &Word, args: &[Word]) -> Outcome {
    run_file(run, script, args, Scope::Script)
}

pub(super) fn source(run: &mut Run) -> Outcome {
    match run.args.split_first() {
        Some((file, _)) if is_settings(file) => settings(run, file),
        Some((script, args)) => run_file(run, script, args, Scope::Sourced),
        None => run.derived(),
    }
}

/// A file of variables: `.env`, `.env.local`, `app.env`.
fn is_settings(file: &Word) -> bool {
    let shown = file.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    name == ".env" || name.starts_with(".env.") || name.ends_with(".env")
}

/// `source .env` shows nothing of what it loads. Code in the file runs; its values stay unknown, so that they are
/// seen where they go and never written down.
fn settings(run: &mut Run, file: &Word) -> Outcome {
    run.analyst.recall(file, run.shell);
    // Unless every line is printed as it is read or run.
    if run.analyst.traced || run.analyst.verbose {
        run.read(file, false);
    }
    if let Some(text) = run.analyst.script(file, run.shell) {
        warn_of_source(run, &text, file.span);
        let code = Code {
            text,
            scope: Scope::Sourced,
            dialect: dialect(run.program),
            name: None,
            args: None,
            span: file.span,
        };
        let analyst = &mut *run.analyst;
        run.shell.supposed(|shell| shell.run_text(&code, analyst));
    }
    run.analyst.load_variables(file, run.shell);
    run.shell.doubt_variables();
    Outcome::silent(Status::Either)
}

fn run_file(run: &mut Run, script: &Word, args: &[Word], scope: Scope) -> Outcome {
    // What is read into this shell finds the call's own functions there.
    if scope == Scope::Sourced {
        return follow_file(run, script, args, scope);
    }
    run.in_files(|run| follow_file(run, script, args, scope))
}

fn follow_file(run: &mut Run, script: &Word, args: &[Word], scope: Scope) -> Outcome {
    run.read(script, false);
    run.analyst.recall(script, run.shell);
    let Some(text) = run.analyst.program_text(script, run.shell) else {
        let kind = EffectKind::Exec { program: script.shown(), argv: Vec::new(), source: CodeSource::File };
        run.analyst.push(kind, script.span, Certainty::Certain);
        if scope == Scope::Sourced {
            run.shell.doubt_variables();
        }
        return run.derived();
    };
    warn_of_source(run, &text, script.span);
    let args = if scope == Scope::Sourced && args.is_empty() {
        None
    } else {
        Some(args.iter().map(Word::field).collect())
    };
    let code = Code {
        text,
        scope,
        dialect: dialect(run.program),
        name: Some(script.value()),
        args,
        span: script.span,
    };
    run.shell.run_text(&code, run.analyst)
}

/// Code that came from the network is run, whether or not what it says is known.
fn warn_of_source(run: &mut Run, text: &Value, span: Span) {
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, span);
    }
}

fn dialect(program: &str) -> Dialect {
    match program {
        "zsh" => Dialect::Zsh,
        "sh" | "dash" | "ash" => Dialect::Posix,
        _ => Dialect::Bash,
    }
}

/// A program that is not there yet, after an archive from the network was unpacked, is one of its files.
fn fresh(run: &mut Run, word: &Word) {
    let missing = |(place, _): &(Place, Certainty)| run.analyst.world.kind(&place.path) == FileKind::Missing;
    if run.analyst.unpacked && run.analyst.places(word, run.shell).iter().any(missing) {
        run.analyst.dynamic_code(taint::NET, word.span);
    }
}

/// Has this call itself written the program?
pub(super) fn is_made_here(run: &Run) -> bool {
    run.path.contains('/') && run.shell.file(&Value::text(run.path)).is_some()
}

/// A script that this very call wrote does what it says, whatever it is called.
pub(super) fn stand_in(run: &mut Run) -> Option<Outcome> {
    if !run.path.contains('/') {
        return None;
    }
    let written = run.shell.file(&Value::text(run.path))?;
    let says = written.value.as_literal().is_some_and(|text| text.starts_with("#!"));
    if written.certain && says { program(run) } else { None }
}

/// A program that is called like a known one but lies where this session may have put it.
pub(super) fn brought(run: &mut Run) {
    if !run.path.contains('/') || run.path.starts_with("/usr/") || run.path.starts_with("/bin/") {
        return;
    }
    let word = Word::literal_at(run.path, run.call.argv.first().map_or(run.call.span, |field| field.span));
    let places = run.analyst.places(&word, run.shell);
    if places.iter().any(|(place, _)| place.zone != Zone::System) {
        run.analyst.recall(&word, run.shell);
    }
}

/// A program that no family knows: a script on disk is followed; `None` for anything else, which is only run.
pub(super) fn program(run: &mut Run) -> Option<Outcome> {
    if !run.path.contains('/') {
        return None;
    }
    run.in_files(follow_program)
}

fn follow_program(run: &mut Run) -> Option<Outcome> {
    let word = Word::literal_at(run.path, run.call.argv.first().map_or(run.call.span, |field| field.span));
    run.analyst.recall(&word, run.shell);
    let Some(text) = run.analyst.program_text(&word, run.shell) else {
        fresh(run, &word);
        return None;
    };
    // What was only copied is as unknown as before.
    if !text.is_known() && run.analyst.is_copy(&word, run.shell) && !taint::has(text.taint, taint::NET) {
        return None;
    }
    let first = text.any.first().map(|text| text.prefix().to_owned()).unwrap_or_default();
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, word.span);
        return Some(run.derived());
    }
    let shebang = first.strip_prefix("#!").map(|rest| rest.lines().next().unwrap_or_default());
    let names = || shebang.unwrap_or_default().split([' ', '/', '\t']);
    if shebang == Some(sources::LINKED) {
        return Some(sources::linked_program(run, &word));
    }
    if let Some(language) = names().find_map(Language::of) {
        return Some(languages::from_file(run, language, &word, run.args));
    }
    let is_shell = |part: &str| matches!(part, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash");
    if shebang.is_some() && !names().any(is_shell) {
        return None;
    }
    let code = Code {
        text,
        scope: Scope::Script,
        dialect: names().rfind(|part| is_shell(part)).map_or(Dialect::Bash, dialect),
        name: Some(word.value()),
        args: Some(run.args.iter().map(Word::field).collect()),
        span: word.span,
    };
    Some(run.shell.run_text(&code, run.analyst))
}
