//! Which words of a call a `[[use]]` of the catalogue is about.

use tollgate_catalogue::{Slot, Use};
use tollgate_model::Span;

use crate::word::Word;

/// The words that a use is for; none when it is not about this call.
pub(super) fn words_of(way: &Use, args: &[Word]) -> Option<Vec<Word>> {
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
        Slot::Paths(paths) => paths.iter().map(|path| Word::literal_at(path, span_of(args))).collect(),
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

pub(super) fn last_part(word: &Word) -> String {
    let shown = word.shown();
    shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

/// The last word, where an option before it names what is read.
fn last_behind(args: &[Word]) -> Option<Word> {
    let (last, before) = args.split_last()?;
    (!before.is_empty() && !last.text.prefix().starts_with('-')).then(|| last.clone())
}

pub(super) fn here(args: &[Word]) -> Word {
    Word::literal_at(".", span_of(args))
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

fn span_of(args: &[Word]) -> Span {
    args.first().map(|word| word.span).unwrap_or_default()
}
