//! Programs that make or change files of their own accord: formatters, editors, compressors, generators. No rule
//! minds them; a way of working that binds writes does. What a build leaves behind is none of them.

mod database;
mod rows;

use rows::{ROWS, Row, Target, tree};
use tollgate_model::{Certainty, EffectKind};

use super::Run;
use crate::names::{Sieve, sieve};
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

static PROGRAMS: Sieve = sieve!(ROWS, row => row.programs);

/// Takes down what a program makes or changes of its own accord.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    if run.args.iter().any(|word| word.is("--help") || word.is("--version")) {
        return;
    }
    let rows = || PROGRAMS.sift(ROWS, program).iter().filter(|row| row.programs.contains(&program));
    if rows().next().is_some() {
        for words in rows().filter_map(|row| row.targets(run.args)) {
            words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
        }
    } else {
        in_place(run);
    }
    installs(run);
    if matches!(program, "sqlite3" | "sqlite" | "duckdb") {
        database::notice(run);
    }
    if program.starts_with("create-") {
        let words = tree(&[], &[]).targets(run.args).unwrap_or_default();
        words.iter().for_each(|word| run.analyst.alter(word, false, run.shell));
    }
}

/// May be what an option says of a program that nobody knows.
fn in_place(run: &mut Run) {
    if run.args.iter().any(|word| IN_PLACE.iter().any(|flag| word.is(flag))) {
        let words = tree(&[], &[]).targets(run.args).unwrap_or_default();
        words.iter().for_each(|word| perhaps(run, word));
    }
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

impl Row {
    /// The places that the words name; none when this row is not about them.
    fn targets(&self, args: &[Word]) -> Option<Vec<Word>> {
        let operands = operands(args, self.valued);
        let fits = |(verb, word): (&&str, &&Word)| match verb.strip_suffix('*') {
            Some(start) => word.text.prefix().starts_with(start),
            None => word.is(verb),
        };
        let named = operands.len() >= self.verb.len() && self.verb.iter().zip(&operands).all(fits);
        let has = |flags: &[&str]| args.iter().any(|word| flags.iter().any(|flag| is_flag(word, flag)));
        if !named || has(self.unless) || !self.only.is_empty() && !has(self.only) {
            return None;
        }
        let operands = || operands.iter().skip(self.verb.len()).map(|word| (*word).clone());
        Some(match self.target {
            Target::Operands(from) => operands().skip(from).collect(),
            Target::Tree if operands().next().is_some() => operands().collect(),
            Target::Tree | Target::Here => vec![here(args)],
            Target::Last => operands().skip(1).last().or_else(|| last_behind(args)).into_iter().collect(),
            Target::Options(names) => named_by(args, names).collect(),
            Target::Compiled(names) => named_by(args, names).filter(|word| !is_product(word)).collect(),
            Target::Built([]) => operands().take(1).filter(|word| !is_for_builds(word)).collect(),
            Target::Built(names) => named_by(args, names).filter(|word| !is_for_builds(word)).collect(),
            Target::Ending(end) => args.iter().filter_map(|word| ending(word, end)).collect(),
        })
    }
}

fn named_by<'w>(args: &'w [Word], names: &'w [&str]) -> impl Iterator<Item = Word> + use<'w> {
    names.iter().flat_map(|name| values(args, name))
}

/// `--go_out=paths=source_relative:src` names the folder behind its settings.
fn ending(word: &Word, end: &str) -> Option<Word> {
    let text = word.literal()?;
    let (name, value) = text.split_once('=')?;
    let place = value.rsplit_once(':').map_or(value, |(_, place)| place);
    name.ends_with(end).then(|| Word::literal_at(place, word.span))
}

fn last_part(word: &Word) -> String {
    let shown = word.shown();
    shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
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

/// The last word, where an option before it names what is read.
fn last_behind(args: &[Word]) -> Option<Word> {
    let (last, before) = args.split_last()?;
    (!before.is_empty() && !last.text.prefix().starts_with('-')).then(|| last.clone())
}

fn here(args: &[Word]) -> Word {
    Word::literal_at(".", args.first().map(|word| word.span).unwrap_or_default())
}

/// The words that are no options and no values of them.
fn operands<'w>(args: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
    let mut operands = Vec::new();
    let mut rest = args.iter();
    let mut ended = false;
    while let Some(word) = rest.next() {
        if ended || !word.text.prefix().starts_with('-') {
            operands.push(word);
        } else if word.is("--") {
            ended = true;
        } else if valued.iter().any(|name| word.is(name)) {
            rest.next();
        }
    }
    operands
}

/// The values of an option: the next word, what follows `=`, or what is attached to a letter.
fn values(args: &[Word], name: &str) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let rest = word.text.prefix().strip_prefix(name).map(str::to_owned);
        match rest.as_deref() {
            Some("") if word.is(name) => values.extend(args.get(at + 1).cloned()),
            Some(rest) if rest.starts_with('=') => values.push(word.after('=')),
            Some(_) if name.len() == 2 => values.push(word.from(2)),
            _ => {}
        }
    }
    values
}

/// Is a word this option, alone, with a value, or as a letter among others?
pub(super) fn is_flag(word: &Word, flag: &str) -> bool {
    let text = word.text.prefix();
    let letters = || {
        let own = flag.strip_prefix('-').filter(|letter| letter.len() == 1);
        let among = text.strip_prefix('-').filter(|rest| rest.len() < 5);
        own.zip(among).is_some_and(|(letter, among)| {
            among.contains(letter) && among.chars().all(|c| c.is_ascii_alphanumeric())
        })
    };
    word.is(flag) || text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('=')) || letters()
}
