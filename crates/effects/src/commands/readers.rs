//! Programs that print or copy what is in files, and filters.

pub(super) mod names;
mod pieces;
pub(super) mod search;
mod specs;
pub(super) mod told;
mod unknown;

use tollgate_model::{EffectKind, EnvUse, WriteMode, json};
use tollgate_shell::eval::{Host, Outcome, Status, Stream};
use tollgate_shell::value::{Taint, Text, Value};

pub(crate) use self::names::secrets_in_home;
pub(super) use self::names::{is_file, named_like};
pub(super) use self::unknown::unknown;
use super::Run;
use super::configs::members;
use crate::options::{Options, Order, read};
use crate::word::Word;

/// `cat`: what is in the files, one after the other.
pub(super) fn cat(run: &mut Run) -> Outcome {
    let spec = "A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting \
        p,plain l,language= style= paging= theme= color= decorations= r,line-range= H,highlight-line=";
    let options = read(run.args, spec, Order::Anywhere);
    let stdout = contents(run, &options.operands);
    Outcome { stdout, status: Status::Either }
}

/// Programs that print what they read, more or less of it.
pub(super) fn copies(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of(run.program), Order::Anywhere);
    let whole = contents(run, &options.operands);
    let logs = ["o", "O", "log-file", "LOG-FILE"].into_iter().flat_map(|name| options.values(name));
    for log in logs.filter(|_| run.program == "less") {
        run.analyst.write(log, WriteMode::Overwrite, Some(&whole), run.shell);
    }
    // A part of known text is not the whole of it, but all of it may be there.
    Outcome { stdout: whole, status: Status::Either }
}

pub(super) fn filter(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of(run.program), Order::Anywhere);
    let listed = options.value("files0-from").cloned().map(|list| super::find::listed(run, Some(&list)));
    let read = match run.program {
        // Behind the file stand the beginning of the names, or patterns.
        "split" | "csplit" => options.operands.get(..1).unwrap_or(&options.operands),
        _ => listed.as_ref().unwrap_or(&options.operands),
    };
    let whole = contents(run, read);
    let named = ["from-file", "to-file"].into_iter().flat_map(|name| options.values(name));
    for list in named.cloned().collect::<Vec<_>>() {
        run.read(&list, false);
    }
    if matches!(run.program, "sort" | "shuf" | "iconv" | "sdiff") {
        for output in options.values("o") {
            run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell);
        }
    }
    match run.program {
        "sort" => super::flags::values(run, &["--compress-program"]),
        "split" => {
            filter_pieces(run, &options);
            pieces::written(run, &options, &whole);
        }
        "csplit" => pieces::written(run, &options, &whole),
        "sdiff" => super::flags::values(run, &["--diff-program"]),
        _ => {}
    }
    if matches!(run.program, "sort" | "shuf") { lines_of(whole) } else { Outcome::unknown(whole.taint) }
}

/// Lines of one of two lists, or of both.
pub(super) fn comm(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of("comm"), Order::Anywhere);
    let mut each: Vec<Value> =
        options.operands.iter().map(|file| contents(run, std::slice::from_ref(file))).collect();
    let marks = each.iter().fold(Taint::NONE, |marks, list| marks.union(list.taint));
    // What stands in one list alone, and what in both, can be left out.
    match (options.has("1"), options.has("2"), options.has("3")) {
        (true, false, true) => drop(each.drain(..each.len().min(1))),
        (false, true, true) => each.truncate(1),
        _ => {}
    }
    match Value::any_of(&each) {
        Some(lines) => lines_of(lines.with_taint(marks)),
        None => run.derived(),
    }
}

/// Some of the lines, or all of them in another order: a list of paths of which only the beginning is known still begins
/// so, and what fits a pattern still does.
fn lines_of(whole: Value) -> Outcome {
    let begins = |text: &Text| match text.as_literal() {
        // One line alone is left as it is.
        Some(line) => !line.trim_end().is_empty() && !line.trim_end().contains('\n'),
        None => text.has_globs() || text.has_holes() && text.prefix().starts_with(['/', '.']),
    };
    match whole.any.iter().all(begins) {
        true => Outcome { stdout: whole, status: Status::Either },
        false => Outcome::unknown(whole.taint),
    }
}

/// `split --filter=command file` gives the command what is in the file, piece by piece.
fn filter_pieces(run: &mut Run, options: &Options) {
    let input = options.operands.first().filter(|file| !file.is("-"));
    for filter in options.values("filter").cloned().collect::<Vec<_>>() {
        let code = match input {
            Some(file) => {
                let quoted = Value::text("cat -- '").concat(&file.value()).concat(&Value::text("' | {\n"));
                quoted.concat(&filter.value()).concat(&Value::text("\n}"))
            }
            None => filter.value(),
        };
        super::interpreters::code(run, &code, filter.span);
    }
}

/// `date -f list`, `file -f list`: what is in the list is shown, if only in complaints.
pub(super) fn from_list(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "f,file,files-from= d,date= r,reference= s,set= m,magic-file= F,separator= e= P=",
        Order::Anywhere,
    );
    // It complains of lines that it does not understand, and shows them.
    for list in options.values("f").chain(options.values("m")).cloned().collect::<Vec<_>>() {
        run.read(&list, false);
    }
    run.derived()
}

/// `uniq input output`.
pub(super) fn uniq(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of("uniq"), Order::Anywhere);
    let whole = contents(run, options.operands.get(..1).unwrap_or_default());
    match options.operands.get(1) {
        Some(output) => run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell),
        None if options.has("c") => return Outcome::unknown(whole.taint),
        None => return lines_of(whole),
    }
    Outcome::silent(Status::Either)
}

pub(super) fn rev(run: &mut Run) -> Outcome {
    let whole = contents(run, run.args);
    match whole.as_literal() {
        Some(text) => {
            let lines: Vec<String> = text.split('\n').map(|line| line.chars().rev().collect()).collect();
            Outcome {
                stdout: Value::text(&lines.join("\n")).with_taint(whole.taint),
                status: Status::Success,
            }
        }
        None => Outcome::unknown(whole.taint),
    }
}

/// `jq filter file…`. Some options take a name and a value: of a file, when it is one.
pub(super) fn pattern_first(run: &mut Run) -> Outcome {
    let spec = "f,from-file= L= indent= tab o= p= i,inplace,in-place I= C,color-output M,monochrome-output r,raw-output s,slurp \
        n,null-input R,raw-input S,sort-keys c,compact-output e,exit-status a,ascii-output j,join-output args jsonargs \
        seq stream stream-errors unbuffered raw-output0";
    let mut args: Vec<Word> = Vec::new();
    let mut marks = Taint::NONE;
    let mut given: Vec<(String, json::Value)> = Vec::new();
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        match word.literal() {
            Some(kind @ ("--arg" | "--argjson")) => {
                given.extend(variable_of_jq(kind, rest.next(), rest.next()));
            }
            Some("--rawfile" | "--slurpfile" | "--argfile") => {
                if let Some(file) = rest.nth(1) {
                    marks = marks.union(run.analyst.read(file, false, run.shell).taint);
                }
            }
            _ => args.push(word.clone()),
        }
    }
    let options = read(&args, spec, Order::Anywhere);
    let skip = usize::from(!options.has("f"));
    // What is not its language it shows in its complaint.
    for file in options.values("f").filter(|_| is_jq(run.program)).cloned().collect::<Vec<_>>() {
        run.read(&file, false);
    }
    if let Some(program) = options.operands.first().filter(|_| skip == 1).cloned() {
        environment_of_jq(run, &program);
        if is_jq(run.program) {
            scripts_of_jq(run, &program, &given);
        }
    }
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let whole = contents(run, &files);
    let program = options.operands.first().filter(|_| skip == 1).and_then(Word::literal);
    let sets = program.and_then(|program| members::sets(program, &given)).unwrap_or_default();
    if !is_jq(run.program) && options.has("i") {
        files.iter().for_each(|file| members::edit(run, file, &sets));
    }
    let made = document(run, &files, &whole).and_then(|text| members::applied(&text, &sets));
    match made.filter(|_| !sets.is_empty()) {
        Some(text) => Outcome { stdout: Value::text(&text).with_taint(whole.taint), status: Status::Either },
        None => Outcome::unknown(whole.taint.union(marks)),
    }
}

/// `--arg name text`, `--argjson name value`.
fn variable_of_jq(kind: &str, name: Option<&Word>, value: Option<&Word>) -> Option<(String, json::Value)> {
    let text = value?.literal()?;
    let value = match kind {
        "--arg" => json::Value::String(text.to_owned()),
        _ => json::parse(text.as_bytes()).ok()?,
    };
    Some((name?.literal()?.to_owned(), value))
}

/// The one document that is read, where what is made of it goes on.
fn document(run: &mut Run, files: &[Word], whole: &Value) -> Option<String> {
    if !matches!(run.call.stdout, Stream::File(_) | Stream::Pipe) {
        return None;
    }
    match files {
        [] => whole.as_literal().map(str::to_owned),
        [file] => run.analyst.script(file, run.shell)?.as_literal().map(str::to_owned),
        _ => None,
    }
}

fn is_jq(program: &str) -> bool {
    matches!(program, "jq" | "gojq" | "jaq")
}

/// `.scripts.test = "command"` makes a command of the text, for whoever runs the task.
fn scripts_of_jq(run: &mut Run, program: &Word, given: &[(String, json::Value)]) {
    let Some(text) = program.literal().filter(|text| text.contains("scripts")) else { return };
    let given = given.iter().filter_map(|(_, value)| value.as_str());
    for command in text.split('"').skip(1).step_by(2).chain(given).filter(|command| command.contains(' ')) {
        let command = Value::text(command);
        super::strangers::possibly(run, |run| drop(super::interpreters::code(run, &command, program.span)));
    }
}

/// `env` and `$ENV` of jq are the whole environment, `env.NAME` and `$ENV.NAME` one variable of it.
fn environment_of_jq(run: &mut Run, program: &Word) {
    let Some(text) = program.literal() else { return };
    let starts = text.match_indices("env").chain(text.match_indices("ENV"));
    for (at, found) in starts {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let rest = text.get(at + found.len()..).unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let whole = !rest.starts_with(is_name);
        let stands_alone = !before.is_some_and(|c| is_name(c) || matches!(c, '.' | '"' | '$' | '\''));
        let is_environment = whole && if found == "ENV" { before == Some('$') } else { stands_alone };
        // `{env: 1}` and `{env}` name a member.
        let opens = text.get(..at).unwrap_or_default().trim_end().ends_with(['{', ',']);
        let closes = rest.trim_start().starts_with(['}', ',', ':']);
        if !is_environment || (opens && closes) {
            continue;
        }
        let name: String =
            rest.trim_start_matches(['.', '[', '"', '(']).chars().take_while(|c| is_name(*c)).collect();
        let what = match (
            rest.starts_with(['.', '[', '(']) && !name.is_empty(),
            crate::secret_names::is_secret_name(&name),
        ) {
            (true, true) => EnvUse::Printed(vec![name]),
            (true, false) => continue,
            (false, _) => EnvUse::All,
        };
        run.push(EffectKind::EnvRead { what });
    }
}

/// What a filter is given, read where it is code or settings that somebody may run or load behind it.
pub(super) fn known(run: &mut Run, whole: Value) -> Value {
    const CODE: &[&str] = &[".sh", ".bash", ".zsh"];
    let is_code = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        CODE.iter().any(|end| name.ends_with(end)) || name.starts_with(".env.")
    };
    match run.call.stdout {
        // What is put into another file may be run from there.
        Stream::File(_) => whole.filled(|path| run.analyst.content(path, run.shell)),
        Stream::Pipe => {
            whole.filled(|path| is_code(path).then(|| run.analyst.content(path, run.shell)).flatten())
        }
        _ => whole,
    }
}

/// What is in these files, or on standard input when there are none.
pub(super) fn contents(run: &mut Run, files: &[Word]) -> Value {
    let input = run.stdin().cloned();
    let mut whole: Option<Value> = None;
    for word in files {
        let content =
            if word.is("-") { input.clone().unwrap_or_else(Value::empty) } else { run.read(word, false) };
        whole = Some(match whole {
            Some(before) => before.concat(&content),
            None => content,
        });
    }
    whole.or(input).unwrap_or_else(|| Value::output(Taint::NONE))
}
