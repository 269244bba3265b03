//! Programs that write over a file before they let go of it, so that nothing brings it back.

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};

use super::super::Run;
use crate::catalogue;
use crate::options::{Options, Order, read};
use crate::word::Word;

/// `shred notes`, with its name or without it; of a folder only some of them take everything.
pub(in crate::commands) fn shred(run: &mut Run) -> Outcome {
    let spec = catalogue::find(run.program).and_then(|known| known.options).unwrap_or_default();
    let options = read(run.args, spec, Order::Anywhere);
    // These only say something, or fill what nothing uses.
    if run.program == "sfill" || options.has("help") || options.has("version") || is_trial(run, &options) {
        return run.derived();
    }
    if options.has("autonuke") {
        let all = Word::literal_at("/dev/sd*", run.call.span);
        run.analyst.write(&all, WriteMode::Overwrite, None, run.shell);
    }
    let recursive = options.has("r") && run.program != "scrub";
    options.operands.iter().for_each(|word| overwritten(run, word, recursive || options.unsure));
    Outcome::silent(Status::Either)
}

fn is_trial(run: &Run, options: &Options) -> bool {
    run.program == "scrub" && (options.has("n") || options.has("X"))
}

/// Writes over a file and lets go of it: one after the other, of the same word, is how the rules know it.
pub(super) fn overwritten(run: &mut Run, word: &Word, recursive: bool) {
    run.analyst.write(word, WriteMode::Overwrite, None, run.shell);
    run.analyst.remove(word, recursive, run.shell);
}
