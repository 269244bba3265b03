//! Commands that zsh's modules and functions bring along.

use tollgate_model::WriteMode;
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::Run;
use crate::word::Word;

/// `sysopen [-arw] [-o option,…] -u fd file`
pub(super) fn sysopen(run: &mut Run) -> Outcome {
    let mut letters = String::new();
    let mut truncates = false;
    let mut file = None;
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        let shown = word.shown();
        match shown.strip_prefix('-') {
            Some("o") => truncates |= rest.next().is_some_and(|value| value.shown().contains("trunc")),
            Some("u" | "m") => drop(rest.next()),
            Some(options) => letters.push_str(options),
            None => file = Some(word.clone()),
        }
    }
    let Some(file) = file else { return run.derived() };
    if letters.contains('w') || letters.contains('a') {
        let mode = if truncates { WriteMode::Overwrite } else { WriteMode::Append };
        run.analyst.write(&file, mode, None, run.shell);
    }
    if letters.contains('r') || !letters.contains(['w', 'a']) {
        run.read(&file, false);
    }
    run.derived()
}

/// `zargs [options] -- args… -- command…`
pub(super) fn zargs(run: &mut Run) -> Outcome {
    let mut parts = run.args.split(|word| word.is("--"));
    let (Some(before), Some(given)) = (parts.next(), parts.next()) else { return run.derived() };
    let options = before.iter().all(|word| word.text.prefix().starts_with('-'));
    let (given, command) = match (options, parts.next()) {
        (true, Some(command)) => (given, command),
        _ => (before, given),
    };
    let words: Vec<Word> = command.iter().chain(given).cloned().collect();
    if command.is_empty() { run.derived() } else { run.inner(&words) }
}

/// With `zsh/mapfile` the elements of `mapfile` are the files of these names.
pub(super) fn mapped(run: &mut Run, text: &Word) {
    let code = text.shown();
    if !code.contains("zsh/mapfile") {
        return;
    }
    let mut before = "";
    for part in code.split("mapfile[") {
        let Some((path, after)) = part.split_once(']').filter(|_| !before.is_empty()) else {
            before = part;
            continue;
        };
        let path = path.trim_matches(['\'', '"']);
        let home = run.analyst.world.home().to_owned();
        let below = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| path.strip_prefix(start));
        let path = below.map_or_else(|| path.to_owned(), |rest| format!("{home}/{rest}"));
        let file = Word::literal_at(&path, text.span);
        if before.trim_end_matches(['"', '\'']).ends_with("unset ") {
            run.analyst.delete(&file, false, run.shell);
        } else if after.starts_with('=') || after.starts_with("+=") {
            let nothing = matches!(after.trim_start_matches('=').get(..2), Some("\"\"" | "''"));
            let mode = if after.starts_with('+') { WriteMode::Append } else { WriteMode::Overwrite };
            run.analyst.write(&file, mode, nothing.then(Value::empty).as_ref(), run.shell);
        } else {
            run.read(&file, false);
        }
        before = part;
    }
}
