//! Programs of other kinds with a slot for code: consoles of frameworks and databases, and applications that are
//! scripted. What else they do, their own families say.

use tollgate_catalogue::{Role, Use};
use tollgate_shell::value::Value;

use super::languages::{from_file, inline};
use crate::catalogue;
use crate::commands::frameworks::VALUED;
use crate::commands::{Run, interpreters};
use crate::languages::Language;
use crate::options::{Order, read};
use crate::word::Word;

/// Takes down what code in such a slot does.
pub(in crate::commands) fn notice(run: &mut Run) {
    let (name, words) = tool(run);
    let language = |way: &'static Use| match way.role {
        Role::RunsCode(language) => Some((way, Language::named(language)?)),
        _ => None,
    };
    let mut slots = catalogue::uses(name).iter().filter_map(language).peekable();
    if slots.peek().is_none() {
        return;
    }
    // The long options of exiftool have one dash.
    let long = |word: &Word| match name == "exiftool" && word.shown() == "-if" {
        true => Word::literal_at("--if", word.span),
        false => word.clone(),
    };
    let words: Vec<Word> = words.iter().map(long).collect();
    for (way, language) in slots {
        slot(run, name, way, language, &words);
    }
    if name == "exiftool" {
        conditions(run, &words);
    }
}

/// `exiftool -if expression`, any number of times: Perl, by which it picks files.
fn conditions(run: &mut Run, words: &[Word]) {
    for pair in words.windows(2) {
        if let [option, code] = pair
            && option
                .literal()
                .is_some_and(|text| text.trim_end_matches(|c: char| c.is_ascii_digit()) == "-if")
        {
            code_of(run, Language::Perl, code);
        }
    }
}

/// The tool that is meant: `python manage.py shell` means `manage.py`.
fn tool<'r>(run: &Run<'r, '_>) -> (&'r str, &'r [Word]) {
    let script = || run.args.first().filter(|_| Language::of(run.program).is_some())?.literal();
    match script().unwrap_or_default().rsplit('/').next() {
        Some(name @ ("manage.py" | "artisan" | "rails" | "wp" | "drush")) => {
            (name, run.args.get(1..).unwrap_or_default())
        }
        _ => (run.program, run.args),
    }
}

fn slot(run: &mut Run, name: &str, way: &Use, language: Language, words: &[Word]) {
    let verbs = way.call.first().copied().unwrap_or_default();
    let is_operand = |word: &&Word| !word.text.prefix().starts_with('-');
    let verb = words.iter().find(is_operand).map(Word::shown).unwrap_or_default();
    if !verbs.is_empty() && !verbs.contains(&verb.as_str()) {
        return;
    }
    let skip = usize::from(!verbs.is_empty());
    if way.options.is_empty() {
        let valued = if matches!(name, "rails" | "wp" | "drush") { VALUED } else { "" };
        let skip = skip + usize::from(name == "dotnet");
        if let Some(code) = read(words, valued, Order::Anywhere).operands.get(skip).cloned() {
            code_of(run, language, &code);
        }
        return;
    }
    let options = read(words, way.options, Order::Anywhere);
    for code in options.values("e").chain(options.operands.first().filter(|_| options.has("e"))) {
        code_of(run, language, &code.clone());
    }
    for file in options.values("f").cloned().collect::<Vec<_>>() {
        if file.is("-") {
            if let Some(text) = run.stdin().cloned() {
                inline(run, language, &text, &file, &[]);
            }
        } else if is_path(&file) {
            from_file(run, language, &file, &[]);
        }
    }
}

fn is_path(word: &Word) -> bool {
    word.shown().contains(['/', '.'])
}

/// Code in a language, or lines that a console gives to a shell: `!command`.
fn code_of(run: &mut Run, language: Language, code: &Word) {
    for line in bang_lines(&code.shown()) {
        interpreters::code(run, &Value::text(&line), code.span);
    }
    inline(run, language, &code.value(), code, &[]);
}

/// The lines that begin with `!`, as consoles write a command of the shell.
pub(super) fn bang_lines(text: &str) -> Vec<String> {
    let lines = text.lines().flat_map(|line| line.split("; ")).map(str::trim);
    let bang =
        |line: &str| line.strip_prefix(":!").or(line.strip_prefix('!')).map(|rest| rest.trim().to_owned());
    lines.filter_map(bang).filter(|line| !line.is_empty()).take(64).collect()
}
