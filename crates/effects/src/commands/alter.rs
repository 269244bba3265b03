//! Programs that make or change files of their own accord: formatters, editors, compressors, generators. No rule
//! minds them; a way of working that binds writes does. What a build leaves behind is none of them.

mod database;

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::{Certainty, EffectKind, FileKind, WriteMode};

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

/// The words that a use is for; none when it is not about this call.
fn words_of(way: &Use, args: &[Word]) -> Option<Vec<Word>> {
    let operands = operands(args, way);
    if !fits(way, args, &operands) {
        return None;
    }
    let operands = || operands.iter().skip(way.call.len()).map(|word| (*word).clone());
    let is_end = |word: &Word| way.until.iter().any(|end| word.is(end));
    Some(match way.slot {
        Slot::Operands(from) => operands().skip(from).collect(),
        Slot::OperandsOrHere if operands().next().is_some() => operands().collect(),
        Slot::OperandsOrHere | Slot::Here => vec![here(args)],
        Slot::LastOperand if way.until.is_empty() => {
            operands().skip(1).last().or_else(|| last_behind(args)).into_iter().collect()
        }
        Slot::LastOperand => operands().take_while(|word| !is_end(word)).skip(1).last().into_iter().collect(),
        Slot::Options(names) => named_by(args, names).collect(),
        Slot::OptionsEnding(end) => args.iter().filter_map(|word| ending(word, end)).collect(),
        Slot::Operand(at) => operands().nth(at).into_iter().collect(),
        Slot::LastWord => args.last().filter(|word| is_operand(word)).cloned().into_iter().collect(),
        Slot::FirstAndLastWord => {
            let ends = [args.first(), args.last()].into_iter().flatten();
            ends.filter(|word| is_operand(word)).cloned().collect()
        }
        Slot::WordAfter(mark) => {
            args.iter().skip_while(|word| !word.is(mark)).nth(1).cloned().into_iter().collect()
        }
        Slot::Conversions => converted(args),
        Slot::None | Slot::Command | Slot::CommandFrom(_) | Slot::CommandAfterDashes => Vec::new(),
    })
}

/// Is a use about a call with these words?
fn fits(way: &Use, args: &[Word], operands: &[&Word]) -> bool {
    let is_verb = |(verbs, word): (&&[&str], &&Word)| {
        verbs.iter().any(|verb| match verb.strip_suffix('*') {
            Some(start) => word.text.prefix().starts_with(start),
            None => word.is(verb),
        })
    };
    let has = |flags: &[&str]| args.iter().any(|word| flags.iter().any(|flag| is_flag(word, flag)));
    operands.len() >= way.call.len()
        && way.call.iter().zip(operands).all(is_verb)
        && !has(way.without)
        && (way.with.is_empty() || has(way.with))
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

fn is_operand(word: &Word) -> bool {
    !word.text.prefix().starts_with('-')
}

/// `--convert-to pdf:filter --outdir folder report.odt` makes `folder/report.pdf`.
fn converted(args: &[Word]) -> Vec<Word> {
    let Some(format) = values(args, "--convert-to").pop() else { return Vec::new() };
    let shown = format.shown();
    let end = shown.split(':').next().unwrap_or_default();
    let folder = values(args, "--outdir").pop().unwrap_or_else(|| here(args));
    let made = |source: &&Word| {
        let name = last_part(source);
        let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        let mut made = folder.clone();
        made.text.push_str(&format!("/{stem}.{end}"));
        made
    };
    let way = Use { options: "convert-to= outdir= infilter=", ..Use::ANY };
    operands(args, &way).iter().map(made).collect()
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
fn operands<'w>(args: &'w [Word], way: &Use) -> Vec<&'w Word> {
    let mut operands = Vec::new();
    let mut rest = args.iter();
    let mut ended = false;
    let signs: &[char] = if way.flags.is_empty() { &['-'] } else { &['-', '+'] };
    while let Some(word) = rest.next() {
        if ended || !word.text.prefix().starts_with(signs) {
            operands.push(word);
        } else if word.is("--") && way.flags.is_empty() {
            ended = true;
        } else if takes_next(word, way) {
            rest.next();
        }
    }
    operands
}

/// Is the word behind this option its value?
pub(super) fn takes_next(option: &Word, way: &Use) -> bool {
    if !way.flags.is_empty() {
        return !way.flags.iter().any(|flag| option.is(flag));
    }
    let Some(text) = option.literal() else { return false };
    let name = text.trim_start_matches('-');
    let mut valued = way.options.split_ascii_whitespace().filter_map(|known| known.strip_suffix('='));
    valued.any(|names| names.split(',').any(|known| known == name))
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
