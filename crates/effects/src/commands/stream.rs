//! Sed and awk: filters with a language of their own.

mod framed;

use tollgate_model::{Certainty, CodeSource, EffectKind, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Text, Value};

use super::readers::{contents, known};
use super::{Run, interpreters};
use crate::analyst::taint;
use crate::languages::edits;
use crate::languages::sed::{SedAct, acts};
use crate::languages::{self, Language, Program};
use crate::options::{Options, Order, read};
use crate::word::{Word, show};

/// What an option that may be given on the command line or in a file holds: the texts of the program.
fn scripts(run: &mut Run, options: &Options, inline: &str, file: &str) -> Vec<(Value, Word)> {
    let mut texts: Vec<(Value, Word)> =
        options.values(inline).map(|word| (word.value(), word.clone())).collect();
    for word in options.values(file) {
        texts.extend(script_file(run, word).map(|text| (text, word.clone())));
    }
    if !options.has(inline) && !options.has(file) {
        texts.extend(options.operands.first().map(|word| (word.value(), word.clone())));
    }
    texts
}

/// What is in a script file; one that cannot be read is only run.
fn script_file(run: &mut Run, word: &Word) -> Option<Value> {
    let content = run.read(word, false);
    let content = if word.is("-") { run.stdin().cloned().unwrap_or(content) } else { content };
    let text = run.analyst.script(word, run.shell).or(word.is("-").then_some(content));
    let marks = text.as_ref().map(|text| text.taint).unwrap_or_default();
    if taint::has(marks, taint::NET) {
        run.analyst.dynamic_code(marks, word.span);
    }
    if text.is_none() {
        let kind = EffectKind::Exec { program: word.shown(), argv: Vec::new(), source: CodeSource::File };
        run.analyst.push(kind, word.span, Certainty::Certain);
    }
    text
}

pub(super) fn sed(run: &mut Run) -> Outcome {
    let spec = "n,quiet,silent debug e,expression= f,file= E,r,regexp-extended i,in-place? I? l,line-length= \
        s,separate posix u,unbuffered z,null-data sandbox follow-symlinks b,binary a";
    let options = read(run.args, spec, Order::Anywhere);
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let whole = contents(run, &files);
    let whole = known(run, whole);
    let scripts = scripts(run, &options, "e", "f");
    let known: Option<Vec<String>> =
        scripts.iter().map(|(script, _)| script.as_literal().map(str::to_owned)).collect();
    let edits = |text: &str| {
        let known = known.as_ref().filter(|_| !options.has("z"))?;
        edits::edited(known, text, options.has("E"), options.has("n"))
    };
    let made = whole.as_literal().and_then(edits);
    // Then it neither runs nor writes anything.
    let shut = options.has("sandbox");
    let mut brought: Vec<String> = Vec::new();
    for (script, word) in scripts.iter().filter(|_| !shut) {
        for text in script.any.iter().take(16) {
            // What is not known in a script stands for itself: it is a pattern or a text nearly always.
            for act in acts(&show(text)) {
                if let SedAct::Read(name) = &act
                    && options.has("i")
                    && let Some(text) =
                        run.analyst.script(&Word { text: Text::literal(name), ..word.clone() }, run.shell)
                {
                    brought
                        .extend(text.as_literal().map(|text| format!("{}\n", text.trim_end_matches('\n'))));
                }
                self::act(run, act, word, &whole, made.is_some());
            }
        }
    }
    for line in made.iter().filter(|_| !shut).flat_map(|made| &made.ran).take(RAN) {
        interpreters::code(run, &Value::text(line).with_taint(whole.taint), run.call.span);
    }
    if options.has("i") || options.has("I") {
        let empties = known.as_ref().is_some_and(|scripts| leaves_nothing(scripts, options.has("n")));
        let nothing = Value::empty();
        let mut added = edits::added(known.as_deref().unwrap_or_default());
        added.extend(brought);
        for word in &files {
            if empties {
                run.analyst.write(word, WriteMode::Overwrite, Some(&nothing), run.shell);
            } else {
                in_place(run, word, &edits, &added);
            }
        }
    }
    let made = made.filter(|made| made.ran.is_empty() && !options.has("i"));
    printed(&options, &whole, made.map(|made| made.text), known.as_deref())
}

/// What is left of the lines: what they come to, or what is put around those that are known in part.
fn printed(options: &Options, whole: &Value, made: Option<String>, scripts: Option<&[String]>) -> Outcome {
    let plain = !["n", "i", "z"].iter().any(|name| options.has(name));
    let framed = || scripts.filter(|_| plain).and_then(|scripts| framed::lines(scripts, whole));
    match made.map(|text| Value::text(&text).with_taint(whole.taint)).or_else(framed) {
        Some(stdout) => Outcome { stdout, status: Status::Either },
        None => Outcome::unknown(whole.taint),
    }
}

/// Do the scripts delete every line, or print none where only what they print is left?
fn leaves_nothing(scripts: &[String], quiet: bool) -> bool {
    let deletes = |text: &String| matches!(text.trim(), "d" | "D" | "1,$d" | "0,$d" | "1,$ d");
    let prints = |text: &String| text.contains(['p', 'P', '=', 'l', 'i', 'a', 'c', 'r', 'R']);
    scripts.iter().any(deletes) || quiet && !scripts.iter().any(prints)
}

/// How many lines are followed that a script runs.
const RAN: usize = 256;

/// Changes a file: what is in it afterwards is known when what was in it is. Where it is not, what the script is known
/// to put in is there, besides what was.
pub(super) fn in_place(
    run: &mut Run,
    word: &Word,
    edits: &dyn Fn(&str) -> Option<edits::Edited>,
    added: &[String],
) {
    let before = run.analyst.script(word, run.shell);
    let before = before.as_ref().and_then(|text| text.as_literal());
    let made = before.and_then(edits).map(|made| made.text);
    let grown = || {
        let before = before.filter(|_| !added.is_empty())?;
        Some(format!("{}\n{}", before.trim_end_matches('\n'), added.concat()))
    };
    let text = made.or_else(grown);
    run.analyst.write(word, WriteMode::Edit, None, run.shell);
    if let Some(text) = text {
        run.shell.write_file(&word.value(), &Value::text(&text), false);
    }
}

/// Lines that are run are followed one by one where the text is known.
fn act(run: &mut Run, act: SedAct, word: &Word, whole: &Value, followed: bool) {
    let marks = whole.taint;
    let named = |name: &str| Word { text: Text::literal(name), ..word.clone() };
    match act {
        SedAct::RunLine | SedAct::Replaced(_) if followed => {}
        SedAct::Run(text) | SedAct::Replaced(text) => {
            let text = Value::of([text], marks);
            interpreters::code(run, &text, word.span);
        }
        SedAct::RunLine => run.analyst.dynamic_code(marks, word.span),
        SedAct::Read(name) => {
            run.read(&named(&name), false);
        }
        SedAct::Write(name) => run.analyst.write(&named(&name), WriteMode::Overwrite, Some(whole), run.shell),
    }
}

pub(super) fn awk(run: &mut Run) -> Outcome {
    let spec = "F,field-separator= v,assign= f,file= i,include= e,source= l,load= E,exec= b c C d? D? o? p? P r s t S O n N M \
        version V h";
    let options = read(run.args, spec, Order::First);
    let skip = usize::from(!options.has("f") && !options.has("e") && !options.has("E"));
    let is_file = |word: &&Word| !word.text.prefix().split('/').next().unwrap_or_default().contains('=');
    let files: Vec<Word> = options.operands.iter().skip(skip).filter(is_file).cloned().collect();
    let whole = contents(run, &files);
    if options.values("i").any(|library| library.is("inplace")) {
        let prints = scripts_print(&options, skip);
        for file in &files {
            rewritten(run, file, prints);
        }
    }
    let mut texts = scripts(run, &options, "e", "f");
    for word in options.values("E").cloned().collect::<Vec<_>>() {
        texts.extend(script_file(run, &word).map(|text| (text, word)));
    }
    let inplace = options.values("i").any(|library| library.is("inplace"));
    let inline: Vec<String> = texts
        .iter()
        .filter(|_| inplace)
        .filter_map(|(code, _)| code.as_literal().map(str::to_owned))
        .collect();
    let mut printed = Value::output(whole.taint);
    for (code, word) in texts {
        let assigns = options.values("v").map(assignment).collect::<Vec<_>>();
        let mut code = code;
        for (name, value) in assigns.into_iter().flatten() {
            code = Value::text(&format!("BEGIN {{ {name} = \"{value}\" }}\n")).concat(&code);
        }
        let program = Program { code, span: word.span, file: None, from_input: false, args: files.clone() };
        let outcome = languages::run_with(run, Language::Awk, &program, Some(&whole));
        let known = outcome.stdout;
        printed = printed.with_taint(known.taint).union(&known);
    }
    if inplace {
        let mut added: Vec<String> =
            printed.literals().map(|text| format!("{}\n", text.trim_end_matches('\n'))).collect();
        added.extend(interpreters::languages::quoted(&inline));
        files.iter().for_each(|file| in_place(run, file, &|_| None, &added));
    }
    Outcome { stdout: printed, status: Status::Either }
}

/// `-v name=value`, where the value is known.
fn assignment(word: &Word) -> Option<(String, String)> {
    let (name, value) = word.literal()?.split_once('=')?;
    let plain =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !value.contains(['"', '\\', '\n']);
    plain.then(|| (name.to_owned(), value.to_owned()))
}

/// A file that a program rewrites in place: of one that prints nothing, nothing is left.
pub(super) fn rewritten(run: &mut Run, file: &Word, prints: bool) {
    match prints {
        true => run.analyst.write(file, WriteMode::Edit, None, run.shell),
        false => run.analyst.write(file, WriteMode::Overwrite, Some(&Value::empty()), run.shell),
    }
}

/// Can the program print? A pattern without an action prints the lines that fit it; `0` and an empty text fit none.
fn scripts_print(options: &Options, first: usize) -> bool {
    let given = options.values("e").chain(options.operands.iter().take(first));
    let texts: Vec<String> = given.map(Word::shown).collect();
    let silent = |text: &String| {
        let text = text.trim();
        matches!(text, "" | "0" | "\"\"")
            || text.starts_with('{') && !text.contains("print") && !text.contains("getline")
    };
    texts.is_empty() || !texts.iter().all(silent)
}
