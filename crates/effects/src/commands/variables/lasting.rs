//! Variables for every program that is started later.

use tollgate_shell::eval::Outcome;

use super::variable;
use crate::commands::Run;
use crate::word::Word;

/// `NAME=value` words that every program which is started later sees.
pub(in crate::commands) fn lasting(run: &mut Run, words: &[Word]) -> Outcome {
    for word in words {
        let text = word.text.prefix();
        let Some((name, _)) = text.split_once('=') else { continue };
        let (name, value) = (name.to_owned(), word.after('=').value());
        variable(run.analyst, &name, &value, run.call, run.shell);
    }
    run.derived()
}
