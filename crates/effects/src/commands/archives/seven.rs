//! Archives of 7-Zip and RAR: a verb, the archive, then files.

use tollgate_model::WriteMode;
use tollgate_shell::eval::Outcome;

use super::{here, lighten, source, unpack};
use crate::commands::{Run, find};
use crate::word::Word;

pub(in crate::commands) fn seven_zip(run: &mut Run) -> Outcome {
    let (switches, operands): (Vec<Word>, Vec<Word>) =
        run.args.iter().cloned().partition(|word| word.text.prefix().starts_with('-'));
    let [verb, archive, sources @ ..] = operands.as_slice() else { return run.derived() };
    let switch = |name: &str| switches.iter().find(|word| word.text.prefix().starts_with(name));
    match verb.shown().as_str() {
        "x" | "e" => {
            let marks = source(run, Some(archive));
            if switch("-so").is_none() {
                let folder = switch("-o").map_or_else(|| here(run), |word| word.from(2));
                unpack(run, Some(archive), marks, &folder);
            }
        }
        "a" | "u" => {
            for word in &seven_sources(run, sources) {
                run.read(word, true);
                if switch("-sdel").is_some() {
                    run.analyst.delete(word, true, run.shell);
                }
            }
            run.analyst.write(archive, WriteMode::Overwrite, None, run.shell);
        }
        "d" => lighten(run, archive),
        _ => {}
    }
    run.derived()
}

/// `@list` stands for the names in a file.
fn seven_sources(run: &mut Run, words: &[Word]) -> Vec<Word> {
    let mut sources = Vec::new();
    for word in words {
        match word.text.prefix().starts_with('@') {
            true => sources.extend(find::listed(run, Some(&word.from(1)))),
            false => sources.push(word.clone()),
        }
    }
    sources
}

pub(in crate::commands) fn unrar(run: &mut Run) -> Outcome {
    let operands: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    let [verb, archive, rest @ ..] = operands.as_slice() else { return run.derived() };
    match verb.shown().as_str() {
        "x" | "e" => {
            let marks = source(run, Some(archive));
            let folder = rest.last().filter(|word| word.text.suffix().ends_with('/')).cloned();
            unpack(run, Some(archive), marks, &folder.unwrap_or_else(|| here(run)));
        }
        "a" | "m" => {
            for word in rest {
                run.read(word, true);
                if verb.is("m") || run.args.iter().any(|word| word.is("-df") || word.is("-dw")) {
                    run.analyst.delete(word, true, run.shell);
                }
            }
            run.analyst.write(archive, WriteMode::Overwrite, None, run.shell);
        }
        _ => {}
    }
    run.derived()
}
