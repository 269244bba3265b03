//! Options of harmless programs that run or load something else.

use tollgate_shell::eval::Outcome;

use super::{Commands, Run, interpreters};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("man", man),
    ("go", go),
    ("info", harmless),
    ("ctags", ctags),
    ("zipgrep", harmless),
    ("ctest", harmless),
];

fn harmless(run: &mut Run) -> Outcome {
    run.derived()
}

fn man(run: &mut Run) -> Outcome {
    values(run, &["-P", "--pager", "-H", "--html", "-X", "--gxditview"]);
    run.derived()
}

fn go(run: &mut Run) -> Outcome {
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    if matches!(verb.as_str(), "test" | "run" | "build" | "vet" | "generate" | "install") {
        values(run, &["-exec", "--exec", "-toolexec", "--toolexec", "-vettool", "--vettool"]);
    }
    run.derived()
}

fn ctags(run: &mut Run) -> Outcome {
    values(run, &["--etags-program"]);
    run.derived()
}

/// The values of options that name a command: `-P cmd`, `-Pcmd`, `--pager cmd`, `--pager=cmd`.
pub(super) fn values(run: &mut Run, names: &[&str]) {
    let mut code: Vec<Word> = Vec::new();
    for (at, word) in run.args.iter().enumerate() {
        let prefix = word.text.prefix();
        for name in names {
            if word.is(name) {
                code.extend(run.args.get(at + 1).cloned());
            } else if prefix.starts_with(&format!("{name}=")) {
                code.push(word.after('='));
            } else if name.len() == 2 && prefix.starts_with(name) && prefix.len() > 2 {
                code.push(word.from(2));
            }
        }
    }
    for word in code {
        interpreters::code(run, &word.value(), word.span);
    }
}
