//! Programs that print or copy what is in files, and filters.

mod specs;

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{Commands, Run};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("cat", cat),
    ("tac", copies),
    ("bat", cat),
    ("batcat", cat),
    ("nl", filter),
    ("rev", rev),
    ("head", copies),
    ("tail", copies),
    ("less", copies),
    ("more", copies),
    ("most", copies),
    ("od", filter),
    ("hexdump", filter),
    ("hd", filter),
    ("strings", filter),
    ("wc", filter),
    ("cut", filter),
    ("paste", filter),
    ("sort", filter),
    ("uniq", uniq),
    ("fold", filter),
    ("fmt", filter),
    ("pr", filter),
    ("expand", filter),
    ("unexpand", filter),
    ("column", filter),
    ("shuf", filter),
    ("split", filter),
    ("csplit", filter),
    ("diff", filter),
    ("colordiff", filter),
    ("sdiff", filter),
    ("cmp", filter),
    ("comm", filter),
    ("join", filter),
    ("md5sum", filter),
    ("sha1sum", filter),
    ("sha224sum", filter),
    ("sha256sum", filter),
    ("sha384sum", filter),
    ("sha512sum", filter),
    ("b2sum", filter),
    ("cksum", filter),
    ("sum", filter),
    ("iconv", filter),
    ("dos2unix", filter),
    ("nano", filter),
    ("jq", pattern_first),
    ("yq", pattern_first),
    ("xq", pattern_first),
    ("grep", grep),
    ("egrep", grep),
    ("fgrep", grep),
    ("zgrep", grep),
    ("rg", grep),
    ("ag", grep),
    ("ack", grep),
];

/// `cat`: what is in the files, one after the other.
fn cat(run: &mut Run) -> Outcome {
    let spec = "A,show-all b,number-nonblank e E,show-ends n,number s,squeeze-blank t T,show-tabs u v,show-nonprinting \
        p,plain l,language= style= paging= theme= color= decorations= r,line-range= H,highlight-line=";
    let options = read(run.args, spec, Order::Anywhere);
    let stdout = contents(run, &options.operands);
    Outcome { stdout, status: Status::Either }
}

/// Programs that print what they read, more or less of it.
fn copies(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of(run.program), Order::Anywhere);
    let whole = contents(run, &options.operands);
    let logs = ["o", "O", "log-file", "LOG-FILE"].into_iter().flat_map(|name| options.values(name));
    for log in logs.filter(|_| run.program == "less") {
        run.analyst.write(log, WriteMode::Overwrite, Some(&whole), run.shell);
    }
    // A part of known text is not the whole of it, but all of it may be there.
    Outcome { stdout: whole, status: Status::Either }
}

fn filter(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of(run.program), Order::Anywhere);
    let whole = contents(run, &options.operands);
    if matches!(run.program, "sort" | "shuf" | "iconv" | "sdiff") {
        for output in options.values("o") {
            run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell);
        }
    }
    match run.program {
        "sort" => super::flags::values(run, &["--compress-program"]),
        "split" => super::flags::values(run, &["--filter"]),
        "sdiff" => super::flags::values(run, &["--diff-program"]),
        _ => {}
    }
    Outcome::unknown(whole.taint)
}

/// `uniq input output`.
fn uniq(run: &mut Run) -> Outcome {
    let options = read(run.args, specs::of("uniq"), Order::Anywhere);
    let whole = contents(run, options.operands.get(..1).unwrap_or_default());
    match options.operands.get(1) {
        Some(output) => run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell),
        None => return Outcome::unknown(whole.taint),
    }
    Outcome::silent(Status::Either)
}

fn rev(run: &mut Run) -> Outcome {
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
fn pattern_first(run: &mut Run) -> Outcome {
    let spec = "f,from-file= L= indent= tab o= p= i,inplace I= C,color-output M,monochrome-output r,raw-output s,slurp \
        n,null-input R,raw-input S,sort-keys c,compact-output e,exit-status a,ascii-output j,join-output args jsonargs \
        seq stream stream-errors unbuffered raw-output0";
    let mut args: Vec<Word> = Vec::new();
    let mut marks = tollgate_shell::value::Taint::NONE;
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        match word.literal() {
            Some("--arg" | "--argjson") => drop((rest.next(), rest.next())),
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
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let whole = contents(run, &files);
    Outcome::unknown(whole.taint.union(marks))
}

/// The options that `ag` and `ack` have in common with `grep`.
const AG: &str = "e,regexp= f,file= r,recursive R,dereference-recursive i,ignore-case v,invert-match A,after-context= \
        B,before-context= C,context= m,max-count= g,glob= t,type= T,type-not= j,threads= M,max-columns= include= \
        exclude= exclude-dir= exclude-from= label= d,directories= D,devices= color? colour? iglob= max-depth= \
        hidden no-ignore u,unrestricted n,line-number l,files-with-matches c,count o,only-matching w,word-regexp \
        x,line-regexp q,quiet s,no-messages h,no-filename H,with-filename E F G P a z L";

fn grep(run: &mut Run) -> Outcome {
    let spec = match run.program {
        "rg" => specs::RIPGREP,
        "ag" | "ack" => AG,
        _ => specs::GREP,
    };
    let options = read(run.args, spec, Order::Anywhere);
    if run.program == "rg" {
        super::flags::values(run, &["--pre", "--hostname-bin"]);
    }
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let own = !matches!(run.program, "rg" | "ag" | "ack");
    let walks = own && (options.has("r") || options.has("R")) || matches!(run.program, "rg" | "ag" | "ack");
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let mut marks = run.stdin().map(|value| value.taint).unwrap_or_default();
    for word in options.values("f").chain(&files) {
        marks = marks.union(run.read(word, walks).taint);
    }
    Outcome::unknown(marks)
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
    whole.or(input).unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE))
}
