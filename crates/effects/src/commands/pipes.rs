//! Named pipes. What runs one as a script runs whatever is written into it later, which no call shows beforehand.

use tollgate_model::{Certainty, EffectKind, Mark};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use super::Run;
use crate::options::{Order, read};
use crate::word::Word;

const SPEC: &str = "m,mode= Z context?";

pub(super) fn make_pipes(run: &mut Run) -> Outcome {
    for word in read(run.args, SPEC, Order::Anywhere).operands {
        make_pipe(run, &word);
    }
    Outcome::silent(Status::Either)
}

/// `mknod NAME p` makes a pipe; other types are devices.
pub(super) fn make_node(run: &mut Run) -> Outcome {
    let options = read(run.args, SPEC, Order::Anywhere);
    if let [name, kind, ..] = options.operands.as_slice()
        && kind.is("p")
    {
        make_pipe(run, &name.clone());
    }
    Outcome::silent(Status::Either)
}

/// Remembers the pipe: in this call its content is unknown, and later calls of the session may not run it unasked.
fn make_pipe(run: &mut Run, word: &Word) {
    run.shell.write_file(&word.value(), &Value::output(Taint::NONE), false);
    let mark = || Mark::Dangerous("runs what is written into it later".to_owned());
    for (place, certainty) in run.analyst.places(word, run.shell) {
        if certainty == Certainty::Certain && !place.pattern {
            run.analyst.push(EffectKind::Leaves { place, mark: mark() }, word.span, certainty);
        }
    }
}
