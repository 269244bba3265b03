//! Tools with a verb that runs a command on another machine: virtual machines, clouds, devices.

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::json::{self, Value as Json};
use tollgate_shell::value::Value;

use super::Run;
use super::network::there;
use super::uses;
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

/// Takes down what a command that runs on another machine destroys there.
pub(super) fn notice(run: &mut Run) {
    for way in catalogue::uses(run.program).iter().filter(|way| way.role == Role::RunsRemotely) {
        let words = behind_globals(run.args, way);
        let is_operand = |word: &&Word| !word.text.prefix().starts_with('-');
        let operands: Vec<&Word> =
            words.iter().take_while(|word| !word.is("--")).filter(is_operand).collect();
        let fits = |(verbs, word): (&&[&str], &&Word)| verbs.iter().any(|verb| *verb == "*" || word.is(verb));
        if operands.len() < way.call.len() || !way.call.iter().zip(&operands).all(fits) {
            continue;
        }
        let host = operands.get(way.call.len()).map(|word| word.shown()).unwrap_or_default();
        for text in commands(run.args, words, way) {
            there(run, &unwrapped(text), &host);
        }
    }
}

/// The commands that a call may hand on.
fn commands(all: &[Word], words: &[Word], way: &Use) -> Vec<Value> {
    match way.slot {
        // What stands first are its own options.
        Slot::Command => joined(&read(all, way.options, Order::First).operands).into_iter().collect(),
        Slot::CommandAfterDashes => joined(after(words).unwrap_or_default()).into_iter().collect(),
        Slot::CommandFrom(skip) => {
            let count = way.call.len() + skip;
            let open = (0..=loose(words, count)).map(|more| behind(words, count + more));
            let all: Vec<&[Word]> = after(words).map_or_else(|| open.collect(), |words| vec![words]);
            all.into_iter().filter_map(joined).collect()
        }
        _ => read(words, way.options, Order::Anywhere).values("c").map(Word::value).collect(),
    }
}

/// The words from the first on that is no option before the verb.
fn behind_globals<'a>(words: &'a [Word], way: &Use) -> &'a [Word] {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.prefix().starts_with('-')) {
        at += 1 + usize::from(!way.call.is_empty() && uses::takes_next(word, way));
    }
    words.get(at..).unwrap_or_default()
}

/// What stands behind `--`.
fn after(words: &[Word]) -> Option<&[Word]> {
    words.iter().position(|word| word.is("--")).and_then(|at| words.get(at + 1..))
}

/// How many options before the command may have a value that is a word of its own.
fn loose(words: &[Word], count: usize) -> usize {
    let before = words.len() - behind(words, count).len();
    let takes = |word: &&Word| word.text.prefix().starts_with('-') && !word.text.prefix().contains('=');
    words.iter().take(before).filter(takes).count().min(3)
}

/// What follows this many words that are no options.
fn behind(words: &[Word], count: usize) -> &[Word] {
    let mut seen = 0;
    for (at, word) in words.iter().enumerate() {
        if seen == count && !word.text.prefix().starts_with('-') {
            return words.get(at..).unwrap_or_default();
        }
        seen += usize::from(!word.text.prefix().starts_with('-'));
    }
    &[]
}

fn joined(words: &[Word]) -> Option<Value> {
    let blank = Value::text(" ");
    words.iter().map(Word::value).reduce(|left, right| left.concat(&blank).concat(&right))
}

/// `commands=["…"]` of a parameter is the text in it.
fn unwrapped(text: Value) -> Value {
    let known = text.as_literal().unwrap_or_default();
    if let Ok(value) = json::parse(known.as_bytes())
        && let Some(Json::List(lines)) = value.get("commands").or_else(|| value.get("command"))
    {
        return Value::text(&lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"));
    }
    match known.strip_prefix("commands=").or_else(|| known.strip_prefix("command=")) {
        Some(inner) => Value::text(&inner.trim_matches(['[', ']', '"', '\'']).replace("\",\"", "\n")),
        None => text,
    }
}
