//! An image that the call, or the session, has described itself: what it starts, and the files that were put into it.

use tollgate_model::EffectKind;
use tollgate_model::json::{self, Value as Json};
use tollgate_shell::value::{Text, Value};

use super::super::Run;
use crate::elsewhere::Elsewhere;
use crate::options::Options;
use crate::word::Word;

/// The names that a description goes by.
const NAMES: [&str; 2] = ["Dockerfile", "Containerfile"];

/// What a container starts: what is named, else what an image of ours does.
pub(super) fn entered(
    run: &mut Run,
    options: &Options,
    command: Vec<Word>,
    there: &mut Elsewhere,
) -> Vec<Word> {
    if command.is_empty() { own_command(run, there) } else { super::reach::entered(options, command) }
}

/// What an image of ours starts when nothing else is named.
fn own_command(run: &mut Run, there: &mut Elsewhere) -> Vec<Word> {
    let Some(text) = description(run) else { return Vec::new() };
    let joined = text.replace("\\\n", " ");
    let lines = || joined.lines().map(str::trim);
    for line in lines().filter_map(|line| line.strip_prefix("COPY ")) {
        copied(run, line, there);
    }
    let last = |key: &str| lines().filter_map(|line| line.strip_prefix(key)).next_back().map(words);
    let parts = [last("ENTRYPOINT "), last("CMD ")].into_iter().flatten().flatten();
    parts.map(|word| Word::literal_at(&word, run.call.span)).collect()
}

/// The description: one that this session wrote, or any where this call builds.
fn description(run: &mut Run) -> Option<String> {
    let builds = |kind: &EffectKind| matches!(kind, EffectKind::Exec { argv, .. } if argv.iter().any(|word| word == "build"));
    let builds = run.analyst.found().iter().any(|effect| builds(&effect.kind));
    NAMES.iter().find_map(|name| {
        let file = Word::literal_at(name, run.call.span);
        let own = run.analyst.own_text(&file, run.shell);
        let text = own.or_else(|| if builds { run.analyst.script(&file, run.shell) } else { None });
        text.as_ref().and_then(Value::as_literal).map(str::to_owned)
    })
}

/// `COPY here there`: the file is there, too.
fn copied(run: &Run, line: &str, there: &mut Elsewhere) {
    let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with("--")).collect();
    if let [from, to] = words.as_slice() {
        let from = run.shell.resolve(&Value::text(from));
        let target = if to.starts_with('/') { (*to).to_owned() } else { format!("/{to}") };
        if let Some(from) = from.as_literal() {
            there.mount(&target, Text::literal(from), true);
        }
    }
}

/// `["sh", "-c", "x"]`, or a line for the shell.
fn words(text: &str) -> Vec<String> {
    match json::parse(text.trim().as_bytes()) {
        Ok(Json::List(list)) => list.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => ["sh", "-c", text.trim()].map(str::to_owned).to_vec(),
    }
}
