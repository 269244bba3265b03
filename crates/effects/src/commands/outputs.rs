//! Options and operands that name a file to be written, of programs whose own families are about something else,
//! and of those that nobody knows. What lies in the project or a temporary folder is theirs to write.

use tollgate_model::{FileKind, WriteMode};

use super::strangers::possibly;
use super::{Run, alter};
use crate::catalogue;
use crate::word::Word;
use tollgate_catalogue::{Role, Slot, Tag, Use};

/// Names of options that programs agree on.
const NAMES: &[&str] =
    &["-o", "--output", "--out", "--outfile", "--out-file", "--output-file", "-out", "--outdir"];

/// Names of options for a folder that programs agree on.
const FOLDERS: &[&str] = &[
    "--out-dir",
    "--output-dir",
    "--outDir",
    "--output-path",
    "--output-directory",
    "--dest",
    "--destination",
];

/// A program deletes what it has made. That is nothing to tell, unless something else was moved there.
pub(super) fn cleaned(run: &mut Run) {
    let told = |way: &Use| run.args.iter().any(|word| way.with.iter().any(|verb| word.is(verb)));
    let folders = catalogue::uses(run.program).iter().filter_map(|way| match way.role {
        Role::Cleans(folders) if told(way) => Some(folders),
        _ => None,
    });
    for folder in folders.flatten() {
        let word = Word::literal_at(folder, run.call.span);
        let brought = run.analyst.places(&word, run.shell).iter().any(|(place, _)| {
            !run.analyst.links.origins(&place.path).is_empty()
                || !run.analyst.world.memory().moved_below(&place.path).is_empty()
        });
        if brought {
            run.analyst.delete(&word, true, run.shell);
        }
    }
}

/// Takes down the files that a program is told to write. `known` is one whose other options mean something else.
pub(super) fn notice(run: &mut Run, known: bool) {
    let program = run.program;
    // Of a test `-o` is a word between two.
    if matches!(program, "[" | "test" | "expr") {
        return;
    }
    let mut files: Vec<Word> = Vec::new();
    if !known || catalogue::is(program, Tag::OutputOption) {
        files.extend(values(run.args, NAMES));
    }
    for way in catalogue::uses(program).iter().filter(|way| way.role == Role::MayWrite) {
        if let Slot::Options(names) = way.slot {
            files.extend(values(run.args, names));
        }
    }
    if !known {
        // No rule minds what a stranger makes in the project; a way of working that binds writes does.
        let folders = values(run.args, FOLDERS);
        let named: Vec<Word> = files
            .iter()
            .filter(|file| is_path(file) || is_there(run, file))
            .chain(&folders)
            .cloned()
            .collect();
        named.iter().for_each(|file| alter::perhaps(run, file));
    }
    for file in files {
        // A place that is looked up may be that of the gate.
        if matches!(file.shown().as_str(), "*" | "*/tollgate") {
            run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
            continue;
        }
        possibly(run, |run| run.analyst.write(&file, WriteMode::Overwrite, None, run.shell));
    }
}

/// A bare word may as well be a format: `--output json`.
fn is_path(word: &Word) -> bool {
    word.text.prefix().contains(['/', '.'])
}

/// A bare word that a folder or a file of the project is called by.
fn is_there(run: &Run, word: &Word) -> bool {
    let there = |path: &str| run.analyst.world.kind(path) != FileKind::Missing;
    run.analyst.places(word, run.shell).iter().any(|(place, _)| !place.pattern && there(&place.path))
}

fn values(words: &[Word], names: &[&str]) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.text.prefix();
        if names.iter().any(|name| word.is(name)) {
            values.extend(words.get(at + 1).cloned());
        } else if let Some((name, _)) = text.split_once('=')
            && names.contains(&name)
        {
            values.push(word.after('='));
        }
    }
    values
}
