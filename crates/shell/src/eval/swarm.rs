//! Loops without end that start one job after the other and wait for none.

use crate::ast::{Command, CommandKind, Item, Part, Script, Word};

/// Does each pass start a job, and nothing in it take time or leave?
pub(super) fn starts_jobs(body: &Script) -> bool {
    starts(body) && body.items.iter().all(is_quick)
}

/// Is the condition the same in every pass, whatever happens? It is when it is made of known words, and only
/// commands that look at nothing else.
pub(super) fn is_fixed(condition: &Script) -> bool {
    let [Item { first, rest, background: false, .. }] = condition.items.as_slice() else { return false };
    let [stage] = first.stages.as_slice() else { return false };
    if !rest.is_empty() || !stage.command.redirects.is_empty() {
        return false;
    }
    match &stage.command.kind {
        CommandKind::Simple(simple) => {
            let looks_at_nothing = |name: &str| matches!(name, ":" | "true" | "false" | "[" | "test");
            let files =
                |word: &Word| literal(word).is_some_and(|text| text.len() == 2 && text.starts_with('-'));
            simple.words.first().and_then(literal).is_some_and(|name| looks_at_nothing(&name))
                && simple.words.iter().all(|word| literal(word).is_some() && !files(word))
        }
        CommandKind::Arith(arith) => {
            literal(&arith.word).is_some_and(|text| text.chars().all(|c| !c.is_alphabetic() && c != '_'))
        }
        CommandKind::Test(words) => {
            words.len() == 1 && words.first().is_some_and(|word| literal(word).is_some())
        }
        _ => false,
    }
}

fn starts(body: &Script) -> bool {
    body.items.iter().any(|item| {
        item.background || item.first.stages.iter().any(|stage| inner(&stage.command).is_some_and(starts))
    })
}

/// Something that takes no time: a job, a word to the terminal, a sum.
fn is_quick(item: &Item) -> bool {
    item.background
        || item.rest.is_empty()
            && item.first.stages.iter().all(|stage| match (&stage.command.kind, inner(&stage.command)) {
                (_, Some(body)) => body.items.iter().all(is_quick),
                (CommandKind::Simple(simple), _) => match simple.words.first() {
                    None => true,
                    Some(word) => literal(word).is_some_and(|name| QUICK.contains(&name.as_str())),
                },
                (kind, _) => matches!(kind, CommandKind::Arith(_) | CommandKind::Test(_)),
            })
}

const QUICK: &[&str] =
    &[":", "true", "false", "echo", "printf", "let", "export", "disown", "bg", "set", "shift"];

/// The body of a group, a subshell or a loop over words.
fn inner(command: &Command) -> Option<&Script> {
    match &command.kind {
        CommandKind::Group(body) | CommandKind::Subshell(body) | CommandKind::For { body, .. } => Some(body),
        _ => None,
    }
}

fn literal(word: &Word) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    word.parts.iter().map(text).collect()
}
