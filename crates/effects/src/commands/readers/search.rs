//! `grep` and its like: lines that fit a pattern, or the names of files that hold one.

use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use super::{known, lines_of, names, specs};
use crate::analyst::taint;
use crate::commands::{Run, find, flags};
use crate::languages::edits;
use crate::options::{Options, Order, read};
use crate::word::Word;

/// The options that `ag` and `ack` have in common with `grep`.
const AG: &str = "e,regexp= f,file= r,recursive R,dereference-recursive i,ignore-case v,invert-match A,after-context= \
        B,before-context= C,context= m,max-count= g,glob= t,type= T,type-not= j,threads= M,max-columns= include= \
        exclude= exclude-dir= exclude-from= label= d,directories= D,devices= color? colour? iglob= max-depth= \
        hidden no-ignore u,unrestricted n,line-number l,files-with-matches c,count o,only-matching w,word-regexp \
        x,line-regexp q,quiet s,no-messages h,no-filename H,with-filename E F G P a z L U,skip-vcs-ignores";

/// What is looked for.
pub(super) struct Search<'o> {
    pub options: &'o Options,
    pub patterns: Vec<Word>,
    /// The files and folders that are named.
    pub files: Vec<Word>,
    /// It goes through folders.
    pub walks: bool,
    /// GNU's, or one that reads its words as that does.
    pub own: bool,
}

pub(in crate::commands) fn grep(run: &mut Run) -> Outcome {
    let spec = match run.program {
        "rg" => specs::RIPGREP,
        "ag" | "ack" => AG,
        _ => specs::GREP,
    };
    let options = read(run.args, spec, Order::Anywhere);
    let lists_all = run.program == "rg" && options.has("files");
    let skip = usize::from(!options.has("e") && !options.has("f") && !lists_all);
    if run.program == "rg" {
        preprocessed(run, &options);
    }
    let own = !matches!(run.program, "rg" | "ag" | "ack");
    let mut patterns: Vec<Word> = options.values("e").cloned().collect();
    patterns.extend(options.operands.first().filter(|_| skip == 1).cloned());
    let mut search = Search {
        options: &options,
        patterns,
        files: options.operands.iter().skip(skip).cloned().collect(),
        walks: !own || options.has("r") || options.has("R"),
        own,
    };
    let (whole, marks) = searched(run, &search);
    names::named_files(run, &options, search.walks, skip);
    if let Some(pattern) = search.patterns.first().filter(|_| search.walks) {
        let folders = search.files.iter();
        folders.for_each(|folder| names::secrets_in_home(run.analyst, &pattern.shown(), folder, run.shell));
    }
    // Without a place it walks where it is; of the script that a shell is reading there may be nothing left to search.
    let fed = run.stdin().is_some_and(|input| !run.analyst.typed.contains(input));
    if search.walks && search.files.is_empty() && !fed {
        search.files.push(Word::literal_at(".", run.call.span));
    }
    if lists(&search) && !search.files.is_empty() {
        return listing(run, &search, lists_all);
    }
    picked(run, &search, whole, marks)
}

/// Every file that ripgrep searches is handed to the command.
fn preprocessed(run: &mut Run, options: &Options) {
    flags::values(run, &["--pre", "--hostname-bin"]);
    if let Some(command) = options.value("pre").cloned() {
        let roots = options.operands.iter().skip(1).map(find::somewhere_below);
        let words: Vec<Word> = std::iter::once(command).chain(roots).collect();
        run.inner(&words);
    }
}

/// The text that is searched, where it is one, and the marks of all.
fn searched(run: &mut Run, search: &Search) -> (Option<Value>, Taint) {
    let mut marks = run.stdin().map(|value| value.taint).unwrap_or_default();
    for list in search.options.values("f") {
        marks = marks.union(run.read(list, search.walks).taint);
    }
    let mut whole = run.stdin().cloned().filter(|_| search.files.is_empty());
    for word in &search.files {
        let content = run.read(word, search.walks);
        marks = marks.union(content.taint);
        whole = (search.files.len() == 1).then_some(content);
    }
    (whole, marks)
}

fn lists(search: &Search) -> bool {
    let has = |name: &str| search.options.has(name);
    let lists = ["l", "L", "files", "files-without-match"].into_iter().any(has);
    // `-L` of ripgrep follows links.
    lists && (search.own || !has("L") || has("l") || has("files"))
}

/// The names of files that fit: those that are named, or some or all of those below. Secrets that the search comes upon
/// are named with them.
fn listing(run: &Run, search: &Search, lists_all: bool) -> Outcome {
    let every = lists_all || search.patterns.first().is_some_and(|pattern| is_everything(&pattern.shown()));
    let texts = search.files.iter().map(|file| match search.walks {
        true if every => find::all_below(file),
        true => find::somewhere_below(file),
        false => file.clone(),
    });
    let secrets = names::held(run, search);
    let found = texts.chain(secrets).map(|word| word.text).collect::<Vec<_>>();
    Outcome { stdout: Value::of(found, Taint::NONE), status: Status::Either }
}

/// A pattern that every line fits, or every line with something in it.
fn is_everything(pattern: &str) -> bool {
    matches!(pattern, "" | "." | ".*" | "^" | "$" | ".+")
}

/// The lines that are printed, as far as they are known.
fn picked(run: &mut Run, search: &Search, whole: Option<Value>, marks: Taint) -> Outcome {
    let has = |name: &str| search.options.has(name);
    let whole = whole.map(|whole| known(run, whole));
    let text = whole.as_ref().and_then(Value::as_literal);
    if let Some(lines) = text.and_then(|text| exactly(run.program, search, text)) {
        return Outcome { stdout: Value::text(&lines).with_taint(marks), status: Status::Either };
    }
    let inverts = has("v") || has("L");
    match search.patterns.first().filter(|_| taint::has(marks, taint::NAMES) && !inverts) {
        Some(pattern) => names::picked(run, pattern, marks),
        None if has("v") && search.own && !has("c") => {
            lines_of(whole.unwrap_or_else(|| Value::output(marks)).with_taint(marks))
        }
        None => Outcome::unknown(marks),
    }
}

/// The lines of a known text that `grep` prints, with nothing but the lines themselves.
fn exactly(program: &str, search: &Search, text: &str) -> Option<String> {
    const OTHERS: &[&str] = &[
        "f", "c", "o", "n", "b", "m", "A", "B", "C", "H", "l", "L", "q", "w", "x", "z", "P", "color",
        "colour",
    ];
    let [pattern] = search.patterns.as_slice() else { return None };
    if !search.own || OTHERS.iter().any(|name| search.options.has(name)) {
        return None;
    }
    fitting(program, search, pattern.literal()?, text)
}

/// The lines of a text that fit a pattern, or those that do not.
fn fitting(program: &str, search: &Search, pattern: &str, text: &str) -> Option<String> {
    let has = |name: &str| search.options.has(name);
    let fits = edits::Fits {
        extended: has("E") || matches!(program, "egrep" | "rg" | "ag" | "ack"),
        folds: has("i"),
        inverted: has("v"),
    };
    match has("F") || program == "fgrep" {
        true => fits.lines(&edits::quoted(pattern, fits.extended), text),
        false => fits.lines(pattern, text),
    }
}

/// May a text hold what is looked for? What cannot be told may be.
pub(super) fn may_hold(program: &str, search: &Search, text: &str) -> bool {
    let ways = search.patterns.iter().flat_map(|pattern| {
        let shown = pattern.literal().map(str::to_owned);
        let parts =
            shown.map(|text| text.replace("\\|", "|").split('|').map(str::to_owned).collect::<Vec<_>>());
        parts.unwrap_or_else(|| vec![String::new()])
    });
    let mut ways = ways.peekable();
    ways.peek().is_none()
        || ways.any(|way| {
            way.is_empty() || fitting(program, search, &way, text).is_none_or(|lines| !lines.is_empty())
        })
}
