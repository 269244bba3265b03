//! Programs that print or copy what is in files, and filters.

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
    ("uniq", filter),
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

/// Options of the readers above that take a value, so that the value is not taken for a file.
const VALUES: &str = "n,lines= c,bytes= s w= k= d= f= b= t= T= j= A= N= S= F= o= e= L= \
    delimiter= fields= characters= width= key= field-separator= output= separator= max-count= suffix-length= \
    from-code= to-code= label= unchanged-line-format= line-number language= theme= style= color?";

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
    let options = read(run.args, VALUES, Order::Anywhere);
    let whole = contents(run, &options.operands);
    // A part of known text is not the whole of it, but all of it may be there.
    Outcome { stdout: whole, status: Status::Either }
}

fn filter(run: &mut Run) -> Outcome {
    let options = read(run.args, VALUES, Order::Anywhere);
    let whole = contents(run, &options.operands);
    if run.program == "sort" {
        if let Some(output) = options.value("o") {
            run.analyst.write(output, WriteMode::Overwrite, Some(&whole), run.shell);
        }
        super::flags::values(run, &["--compress-program"]);
    }
    Outcome::unknown(whole.taint)
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

fn pattern_first(run: &mut Run) -> Outcome {
    let spec = "f,from-file= L= arg= argjson= slurpfile= rawfile= indent= tab o= p= i,inplace I= C M r,raw-output s,slurp n,null-input";
    let options = read(run.args, spec, Order::Anywhere);
    let skip = usize::from(!options.has("f"));
    let files: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let whole = contents(run, &files);
    Outcome::unknown(whole.taint)
}

fn grep(run: &mut Run) -> Outcome {
    let spec = "e,regexp= f,file= r,recursive R,dereference-recursive i,ignore-case v,invert-match A,after-context= \
        B,before-context= C,context= m,max-count= g,glob= t,type= T,type-not= j,threads= M,max-columns= include= \
        exclude= exclude-dir= exclude-from= label= d,directories= D,devices= color? colour? iglob= max-depth= \
        hidden no-ignore u,unrestricted n,line-number l,files-with-matches c,count o,only-matching w,word-regexp \
        x,line-regexp q,quiet s,no-messages h,no-filename H,with-filename E F G P a z L";
    let options = read(run.args, spec, Order::Anywhere);
    if run.program == "rg" {
        super::flags::values(run, &["--pre", "--hostname-bin"]);
    }
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let walks = options.has("r") || options.has("R") || matches!(run.program, "rg" | "ag" | "ack");
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
