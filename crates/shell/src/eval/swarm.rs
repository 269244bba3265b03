//! Loops without end that start one job after the other, or fill the disk or the memory, and wait for nothing.

use crate::ast::{
    Assign, AssignValue, Command, CommandKind, Item, Part, Redirect, RedirectKind, Script, Simple, Word,
};

/// Does each pass start a job, and nothing in it take time or leave?
pub(super) fn starts_jobs(body: &Script) -> bool {
    starts(body) && body.items.iter().all(is_quick)
}

/// Does each pass take more room, on the disk or in memory, and nothing in it take time or leave?
pub(super) fn fills(body: &Script) -> bool {
    let mut pass = Pass::default();
    body.items.iter().all(|item| pass.take(item))
        && pass.commands.iter().all(|(simple, _)| is_named(simple, QUICK) || is_named(simple, MAKERS))
        && pass.commands.iter().any(|(simple, redirects)| pass.grows(simple, redirects))
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

/// Programs that are done at once, and leave a file where there was none.
const MAKERS: &[&str] =
    &["cp", "dd", "fallocate", "head", "install", "ln", "mkdir", "mktemp", "touch", "truncate", "split"];

/// Variables of the shell that are something else each time.
const CHANGING: &[&str] = &["RANDOM", "SRANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME"];

/// The simple commands of one pass, with where they write to.
#[derive(Default)]
struct Pass<'s> {
    commands: Vec<(&'s Simple, &'s [Redirect])>,
    /// It counts, so that any variable may be something else next time.
    counts: bool,
}

impl<'s> Pass<'s> {
    /// Takes the commands of an item in; false when there is anything else in it.
    fn take(&mut self, item: &'s Item) -> bool {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, pipeline)| pipeline));
        pipelines.flat_map(|pipeline| &pipeline.stages).all(|stage| {
            match (&stage.command.kind, inner(&stage.command)) {
                (_, Some(body)) => body.items.iter().all(|item| self.take(item)),
                (CommandKind::Simple(simple), _) => {
                    self.counts |= is_named(simple, &["let"]) && !simple.words.is_empty();
                    self.commands.push((simple, &stage.command.redirects));
                    true
                }
                (CommandKind::Arith(_), _) => {
                    self.counts = true;
                    true
                }
                _ => false,
            }
        })
    }

    /// Does the command leave more behind each time: a longer file, a file of another name, a longer text?
    fn grows(&self, simple: &Simple, redirects: &[Redirect]) -> bool {
        let longer = |redirect: &Redirect| match &redirect.kind {
            RedirectKind::Append(file) | RedirectKind::AppendBoth(file) => {
                literal(file).is_some_and(|file| !file.starts_with("/dev/")) || self.varies(file)
            }
            RedirectKind::Write(file) | RedirectKind::Clobber(file) | RedirectKind::WriteBoth(file) => {
                self.varies(file)
            }
            _ => false,
        };
        let makes = !simple.words.is_empty() && is_named(simple, MAKERS);
        let another = is_named(simple, &["mktemp"]) || simple.words.iter().any(|word| self.varies(word));
        simple.assigns.iter().any(doubles) || redirects.iter().any(longer) || makes && another
    }

    /// Is the word another one each time?
    fn varies(&self, word: &Word) -> bool {
        let assigned = |name: &str| {
            self.commands.iter().flat_map(|(simple, _)| &simple.assigns).any(|assign| assign.name == name)
        };
        word.parts.iter().any(|part| match part {
            Part::Command { .. } | Part::Arith { .. } => true,
            Part::Param { expansion, .. } => {
                let name = expansion.name.as_str();
                self.counts || CHANGING.contains(&name) || assigned(name)
            }
            _ => false,
        })
    }
}

fn is_named(simple: &Simple, names: &[&str]) -> bool {
    simple.words.first().is_none_or(|word| literal(word).is_some_and(|name| names.contains(&name.as_str())))
}

/// `a=$a$a`: a text that holds itself more than once is soon longer than the memory.
fn doubles(assign: &Assign) -> bool {
    let AssignValue::Scalar(value) = &assign.value else { return false };
    let is_own =
        |part: &&Part| matches!(part, Part::Param { expansion, .. } if expansion.name == assign.name);
    value.parts.iter().filter(is_own).count() > usize::from(!assign.append)
}

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
