//! What wrappers print and write themselves, beside what the program they run does.

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Hole, HoleSource, Taint, Text, Value};

use super::super::{Run, interpreters};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(in crate::commands) fn which(run: &mut Run) -> Outcome {
    located(&read(run.args, "a,all s i,read-alias", Order::Anywhere).operands)
}

/// `type -P name` of bash tells where a program lies; without the letter it tells what a name stands for.
pub(in crate::commands) fn kind(run: &mut Run) -> Outcome {
    let options = read(run.args, "a f t p P", Order::Anywhere);
    if options.has("p") || options.has("P") { located(&options.operands) } else { run.derived() }
}

/// Where programs lie: in some folder, under their names.
pub(in crate::commands) fn located(names: &[Word]) -> Outcome {
    let path = |name: &Word| {
        let mut text = Text::hole(Hole::nonempty(HoleSource::Output));
        text.push_str(&format!("/{}", name.shown()));
        text
    };
    let paths: Vec<Text> = names.iter().filter(|name| name.literal().is_some()).map(path).collect();
    if paths.len() != names.len() || paths.is_empty() {
        return Outcome::unknown(Taint::NONE);
    }
    // A program that is not there has no path.
    let stdout = Value::of(paths.into_iter().chain([Text::default()]), Taint::NONE);
    Outcome { stdout, status: Status::Either }
}

/// Options by which wrappers write what they saw into a file.
const REPORTS: &[(&str, &[&str])] = &[
    ("time", &["o"]),
    ("strace", &["o"]),
    ("ltrace", &["o"]),
    ("perf", &["o"]),
    ("valgrind", &["log-file", "xml-file", "callgrind-out-file"]),
    ("xvfb-run", &["e"]),
];

/// `strace -o '|command'` runs it.
pub(super) fn reports(run: &mut Run, options: &Options) {
    let Some((_, names)) = REPORTS.iter().find(|(name, _)| *name == run.program) else { return };
    for file in names.iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        if run.program == "strace" && file.text.prefix().starts_with(['|', '!']) {
            // With `-v` every environment that a program is given is in the trace.
            let trace = Value::text(if options.has("v") { "printenv | " } else { "" });
            interpreters::code(run, &trace.concat(&file.from(1).value()), file.span);
        } else {
            run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
        }
    }
}

/// `screen -X stuff 'text'` types into another terminal, `exec` runs there.
pub(super) fn keys(run: &mut Run, words: &[Word]) -> Outcome {
    match words.split_first() {
        Some((verb, rest)) if verb.is("stuff") || verb.is("exec") || verb.is("screen") => {
            interpreters::joined(run, rest)
        }
        _ => run.derived(),
    }
}

/// `ip netns exec NAME command`, `ip vrf exec NAME command`.
pub(in crate::commands) fn ip(run: &mut Run) -> Outcome {
    // A line that is no command is shown.
    for pair in run.args.windows(2).filter(|pair| {
        pair.first().is_some_and(|flag| matches!(flag.shown().as_str(), "-b" | "-batch" | "--batch"))
    }) {
        pair.get(1)
            .filter(|file| !file.is("-"))
            .into_iter()
            .for_each(|file| drop(run.analyst.read(file, false, run.shell)));
    }
    let exec = run.args.iter().position(|word| word.is("exec"));
    match exec.and_then(|at| run.args.get(at + 2..)) {
        Some(command) if !command.is_empty() => run.inner(command),
        _ => run.derived(),
    }
}
