//! `dd`: a part of one file into a part of another.

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::super::Run;
use crate::word::Word;

pub(in crate::commands) fn dd(run: &mut Run) -> Outcome {
    let source = run.args.iter().rfind(|word| names(word, "if=")).map(|word| word.after('='));
    let content = content(run, source.as_ref());
    let over = run.args.iter().any(|word| word.shown().contains("notrunc"));
    // What comes from these is as good as nothing to whoever wants the file.
    let noise = ["/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
    let none = |word: &Word| word.is("count=0") && !over;
    let worthless = source.is_some_and(|source| noise.iter().any(|device| source.is(device)))
        || run.args.iter().any(none);
    let written = if worthless { Some(Value::empty()) } else { content.clone() };
    let targets: Vec<Word> =
        run.args.iter().filter(|word| names(word, "of=")).map(|word| word.after('=')).collect();
    let placed = given(run, &["seek=", "oseek=", "oflag="]);
    for target in &targets {
        let held = run.shell.file(&target.value()).filter(|_| over || placed);
        run.analyst.write(target, WriteMode::Overwrite, written.as_ref(), run.shell);
        // Noise over what is there, and no more than that: nobody makes a new file so.
        if over && worthless && !target.text.prefix().starts_with("/dev/") {
            super::beyond::overwritten(run, target, false);
            continue;
        }
        let (Some(held), Some(written)) = (held, &written) else { continue };
        run.shell.write_file(&target.value(), &held.value, false);
        if placed {
            // Somewhere in the file, or behind it: nobody knows what the two come to.
            let either = held.value.union(&Value::output(held.value.taint.union(written.taint)));
            run.shell.write_file(&target.value(), &either.union(written), false);
        } else {
            run.shell.write_over(&target.value(), written);
        }
    }
    match content {
        Some(stdout) if targets.is_empty() => Outcome { stdout, status: Status::Either },
        _ => Outcome::silent(Status::Either),
    }
}

/// What it reads. A part of the input, or the input in other letters, is not known.
fn content(run: &mut Run, source: Option<&Word>) -> Option<Value> {
    let content = match source {
        Some(source) => Some(run.read(source, false)),
        None => run.stdin().cloned(),
    }?;
    let changed = |word: &Word| names(word, "conv=") && !keeps_letters(&word.after('='));
    let partly = given(run, &["skip=", "iskip=", "count=", "cbs="]) || run.args.iter().any(changed);
    let unknown = Value::output(content.taint);
    Some(if partly && !content.is_empty() { content.union(&unknown) } else { content })
}

fn given(run: &Run, operands: &[&str]) -> bool {
    run.args.iter().any(|word| operands.iter().any(|operand| names(word, operand)))
}

fn names(word: &Word, operand: &str) -> bool {
    word.text.prefix().starts_with(operand)
}

/// Does `conv=` leave every letter as it is?
fn keeps_letters(how: &Word) -> bool {
    let plain = ["notrunc", "fsync", "fdatasync", "excl", "nocreat", "noerror", "sparse"];
    how.literal().is_some_and(|how| how.split(',').all(|name| plain.contains(&name)))
}
