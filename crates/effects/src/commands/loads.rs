//! Files and folders that programs take code from because an option names them: settings, plugins, start-up files.
//! Those of the project are its own. One in a place where anybody may write is read, and when it cannot be, it is
//! asked about.

use tollgate_catalogue::{Operands, Program};
use tollgate_model::Zone;
use tollgate_shell::value::Value;

use super::flags::given;
use super::interpreters::{self, languages};
use super::strangers::{self, either, possibly};
use super::{Run, clusters};
use crate::analyst::taint;
use crate::catalogue;
use crate::languages::Language;
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

/// Files of code that a program takes by itself where it runs.
const USUAL: &[(&[&str], &[&str])] = &[(
    &["gradle", "gradlew"],
    &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"],
)];

/// Takes down what the files do that a program's options name as code.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    let known = catalogue::find(program);
    for value in given(run, known.map_or("", |known| known.loads_code)) {
        load(run, &value);
    }
    clusters::settings(run);
    for (_, files) in USUAL.iter().filter(|(names, _)| names.contains(&program)) {
        for file in files.iter().map(|name| Word::literal_at(name, run.call.span)) {
            if run.analyst.own_text(&file, run.shell).is_some() {
                load(run, &file);
            }
        }
    }
    if program == "cmake" {
        let options = read(run.args, "C= P= toolchain= D= G= B= S= W= U= T= A= E=", Order::Anywhere);
        for file in ["C", "P", "toolchain"].iter().flat_map(|name| options.values(name)) {
            load(run, file);
        }
    }
    if program.starts_with("php") {
        // `-d auto_prepend_file=x`: any of its settings may name a file of code.
        for setting in given(run, "d,define=") {
            load(run, &setting.after('='));
        }
    }
    if let Some(Program { operands: Operands::LoadsCode(verbs), options, .. }) = known {
        let operands = read(run.args, options.unwrap_or_default(), Order::Anywhere).operands;
        let told =
            verbs.iter().enumerate().all(|(at, verb)| operands.get(at).is_some_and(|word| word.is(verb)));
        for file in operands.iter().skip(verbs.len()).filter(|_| told) {
            load(run, file);
        }
    }
}

/// A file or folder that a program takes code from.
pub(super) fn load(run: &mut Run, file: &Word) {
    // A name without a slash is one of a package.
    let written = run.analyst.own_text(file, run.shell).is_some();
    run.analyst.recall(file, run.shell);
    if !written && !file.shown().contains('/') {
        return;
    }
    if !written && !is_open(run, file) {
        return;
    }
    let Some(text) = run.analyst.script(file, run.shell) else {
        let why = format!("`{}` runs code from `{}`, which cannot be read", run.program, file.shown());
        return run.analyst.opaque(why, file.span);
    };
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, file.span);
    }
    code(run, file, &text);
}

/// A program that a setting names: one where anybody may write is read, and asked about when it cannot be.
pub(super) fn tool(run: &mut Run, setting: &str, value: &Value) {
    let first = value.as_literal().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    if !first.contains('/') {
        return;
    }
    let word = Word::literal_at(first, run.call.span);
    if is_open(run, &word) && run.analyst.script(&word, run.shell).is_none() {
        run.analyst.opaque(format!("`{setting}` runs `{first}`, which cannot be read"), run.call.span);
    }
}

/// A program that only a setting or a variable starts, and that cannot be read, is not let through.
pub(super) fn unread(run: &mut Run, name: &str, value: &Value) {
    let first = value.as_literal().and_then(|text| text.split_whitespace().next()).unwrap_or_default();
    if !first.contains('/') || first.contains('%') {
        return;
    }
    let word = Word::literal_at(first, run.call.span);
    let near = |zone: Zone| matches!(zone, Zone::Temp | Zone::Workspace);
    let here = run.analyst.places(&word, run.shell).iter().any(|(place, _)| near(place.zone));
    if here && run.analyst.script(&word, run.shell).is_none() {
        run.analyst.opaque(format!("`{name}` runs `{first}`, which cannot be read"), run.call.span);
    }
}

/// Is it in a place where anybody may write?
pub(super) fn is_open(run: &Run, word: &Word) -> bool {
    const OPEN: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];
    let world = run.analyst.world;
    let roots = || OPEN.iter().copied().chain(world.temp_dirs().iter().map(String::as_str));
    run.analyst.places(word, run.shell).iter().any(|(place, _)| {
        place.zone != Zone::Workspace
            && place.path != world.workspace()
            && roots().any(|root| paths::within(&place.path, root))
    })
}

/// Code in the language that the file's name tells, and else the commands that may be in it.
fn code(run: &mut Run, file: &Word, text: &Value) {
    let name = file.shown();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let language = match extension {
        "js" | "cjs" | "mjs" | "ts" | "cts" | "mts" => Some(Language::JavaScript),
        "py" => Some(Language::Python),
        "rb" => Some(Language::Ruby),
        "pl" | "pm" => Some(Language::Perl),
        "php" => Some(Language::Php),
        "lua" => Some(Language::Lua),
        "el" => Some(Language::Lisp),
        "gradle" | "groovy" | "kts" => Some(Language::Slashed),
        _ => None,
    };
    let known = text.as_literal().map(str::to_owned);
    match (language, known) {
        (Some(Language::Slashed), Some(text)) => {
            languages::from_file(run, Language::Slashed, file, &[]);
            strangers::run_quoted(run, &Word::literal_at(&text, file.span));
        }
        (Some(language), _) => drop(languages::from_file(run, language, file, &[])),
        (None, Some(text)) => {
            if run.program == "ansible-playbook" {
                super::ansible::playbook(run, file, &text);
            }
            possibly(run, |run| {
                for command in commands(&text) {
                    interpreters::code(run, &Value::text(command), file.span);
                }
            });
            let whole = Word::literal_at(&text, file.span);
            possibly(run, |run| either(run, &whole));
        }
        (None, None) => {}
    }
}

/// What may be a command in lines of settings: each line, and what follows its first word, `=`, `:` or `!`.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let behind = |line: &'_ str, marks: &[char]| line.find(marks).map(|at| at + 1);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES).flat_map(move |line| {
        let marks: [&[char]; 3] = [&[' ', '\t'], &['=', ':'], &['!']];
        let rests = marks.map(|marks| behind(line, marks).and_then(|at| line.get(at..)).map(unquoted));
        std::iter::once(line).chain(rests.into_iter().flatten()).filter(|text| text.contains(' '))
    })
}

/// How many lines of settings are looked at.
const LINES: usize = 512;

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

/// The text of the file that a variable names, where this call has written it.
pub(super) fn written(run: &Run, value: &Value) -> Option<String> {
    run.shell.file(value)?.value.as_literal().map(str::to_owned)
}

/// What a shell reads first, where this call has written it: it is run as what it says.
pub(super) fn is_followed(run: &mut Run, value: &Value) -> bool {
    let Some(text) = written(run, value) else { return false };
    interpreters::code(run, &Value::text(&text), run.call.span);
    true
}

/// Options that load nothing.
pub(super) fn is_plain_option(value: &Value) -> bool {
    let loads = ["-r", "-I", "-M", "-m", "-d", "-e", "--require"];
    value.as_literal().is_some_and(|text| {
        text.split_whitespace()
            .all(|word| word.starts_with('-') && !loads.iter().any(|flag| word.starts_with(flag)))
    })
}
