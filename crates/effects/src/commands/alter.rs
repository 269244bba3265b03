//! Programs that make or change files of their own accord: formatters, editors, compressors, generators. No rule
//! minds them; a way of working that binds writes does. What a build leaves behind is none of them.

mod database;

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::{Certainty, EffectKind, FileKind, WriteMode};

use super::uses::{here, is_flag, last_part, words_of};
use super::{Run, find};
use crate::catalogue;
use crate::word::Word;

/// Options by which programs agree to change what they look at.
const IN_PLACE: &[&str] =
    &["--fix", "--write", "--in-place", "--inplace", "--autofix", "--auto-fix", "--overwrite"];

/// How the names of what compilers make end.
const PRODUCTS: &[&str] = &[
    "o", "a", "so", "dylib", "exe", "out", "obj", "lib", "dll", "elf", "bin", "wasm", "d", "class", "jar",
    "rlib", "rmeta", "hi", "map", "hex", "pdb", "bc", "ll", "s", "cmo", "cmi", "cmx", "gch", "pcm", "test",
];

/// How the names of folders for builds begin.
const FOLDERS: &[&str] = &["build", "_build", ".build", "cmake-build", "out", "obj", "bin", "target"];

/// Whatever a program is called with: its operands, or the current folder.
const TREE: Use = Use { slot: Slot::OperandsOrHere, ..Use::ANY };

/// Takes down what a program makes or changes of its own accord.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    if long(run.args).any(|word| word.is("--help") || word.is("--version")) {
        return;
    }
    let mut uses = catalogue::uses(program).iter().filter(|way| is_edit(way.role)).peekable();
    if uses.peek().is_some() {
        for words in uses.filter_map(|way| changed(way, run.args)) {
            let files = words.iter().filter(|word| !is_address(word));
            files.for_each(|word| run.analyst.alter(word, false, run.shell));
        }
    } else {
        in_place(run);
    }
    makes(run);
    installs(run);
    if matches!(program, "sqlite3" | "sqlite" | "duckdb") {
        database::notice(run);
    }
    if program.starts_with("create-") {
        let words = words_of(&TREE, run.args).unwrap_or_default();
        words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
    }
}

fn is_edit(role: Role) -> bool {
    matches!(role, Role::Edits | Role::Compiles | Role::BuildsIn)
}

/// What a use makes or changes besides what builds are for.
fn changed(way: &Use, args: &[Word]) -> Option<Vec<Word>> {
    let mut words = words_of(way, args)?;
    match way.role {
        Role::Compiles => words.retain(|word| !is_product(word)),
        Role::BuildsIn => words.retain(|word| !is_for_builds(word)),
        _ => {}
    }
    Some(words)
}

/// Takes down the files that a program writes over, whatever they held.
fn makes(run: &mut Run) {
    let uses = catalogue::uses(run.program).iter().filter(|way| way.role == Role::Writes);
    for word in uses.filter_map(|way| words_of(way, run.args)).flatten().filter_map(|word| file_of(&word)) {
        let word = if is_walked(run, &word) { find::all_below(&word) } else { word };
        run.analyst.write(&word, WriteMode::Overwrite, None, run.shell);
    }
}

/// `png:out.png` names the file behind its format; `-`, `null:` and `info:` name none.
fn file_of(word: &Word) -> Option<Word> {
    let format = word.text.prefix().split_once(':').map(|(format, _)| format);
    let is_format =
        |format: &str| format.len() > 1 && format.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let file = if format.is_some_and(is_format) { word.after(':') } else { word.clone() };
    (!file.text.is_empty() && !file.is("-") && !is_address(word)).then_some(file)
}

/// `tcp://host:9000` is no file.
fn is_address(word: &Word) -> bool {
    word.text.prefix().contains("://")
}

/// Is it a folder whose files are gone through?
fn is_walked(run: &Run, word: &Word) -> bool {
    let told = || run.args.iter().any(|word| is_flag(word, "-r") || is_flag(word, "--recursive"));
    run.analyst.places(word, run.shell).iter().any(|(place, _)| match run.analyst.world.kind(&place.path) {
        FileKind::Dir => true,
        FileKind::Missing => !place.pattern && told(),
        _ => false,
    })
}

/// May be what an option says of a program that nobody knows.
fn in_place(run: &mut Run) {
    if long(run.args).any(|word| IN_PLACE.iter().any(|flag| word.is(flag))) {
        let words = words_of(&TREE, run.args).unwrap_or_default();
        words.iter().for_each(|word| perhaps(run, word));
    }
}

/// The options with two dashes.
fn long(args: &[Word]) -> impl Iterator<Item = &Word> {
    args.iter().filter(|word| word.text.prefix().starts_with("--"))
}

/// Takes down what may be made or changed.
pub(super) fn perhaps(run: &mut Run, word: &Word) {
    for (place, certainty) in run.analyst.places(word, run.shell) {
        let certainty = certainty.min(Certainty::Possible);
        run.analyst.push(EffectKind::Alter { place, folder: false }, word.span, certainty);
    }
}

/// A package that is named goes into the project's list of them. What is only fetched anew changes nothing.
fn installs(run: &mut Run) {
    let manager = matches!(run.program, "npm" | "pnpm" | "bun");
    let verb = run.args.first().and_then(Word::literal).unwrap_or_default();
    let global = run.args.iter().any(|word| word.is("-g") || word.is("--global") || word.is("--no-save"));
    let named = run.args.iter().skip(1).any(|word| !word.text.prefix().starts_with('-'));
    if manager && matches!(verb, "install" | "i") && named && !global {
        run.analyst.alter(&here(run.args), false, run.shell);
    }
}

/// Is it called like what compilers make?
fn is_product(word: &Word) -> bool {
    let name = last_part(word);
    name.rsplit_once('.').is_none_or(|(_, end)| PRODUCTS.contains(&end))
}

fn is_for_builds(word: &Word) -> bool {
    let name = last_part(word);
    FOLDERS.iter().any(|start| name.starts_with(start))
}
