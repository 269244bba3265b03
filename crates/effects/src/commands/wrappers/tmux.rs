//! tmux: what runs in its windows, now or at an event.

use tollgate_model::{EffectKind, Lasting, WriteMode};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::super::strangers::{either, possibly};
use super::super::{Run, interpreters, loads};
use crate::options::{Order, read};
use crate::word::Word;

pub(in crate::commands) fn tmux(run: &mut Run) -> Outcome {
    let spec = "2 C D l N u v V c= f= L= S= T=";
    let options = read(run.args, spec, Order::First);
    if let Some(code) = options.value("c").cloned() {
        return interpreters::code(run, &code.value(), code.span);
    }
    let mut outcome = run.derived();
    for words in split_commands(&options.operands) {
        outcome = one_command(run, &words);
    }
    outcome
}

/// `tmux ls \; send-keys x`: a word `;`, or one that ends so, ends a command of tmux. A text with spaces that ends so stays
/// one, because it may be meant for a shell.
fn split_commands(words: &[Word]) -> Vec<Vec<Word>> {
    let mut commands = vec![Vec::new()];
    for word in words {
        let before = word.literal().and_then(|text| text.strip_suffix(';'));
        let before = before.filter(|before| !before.ends_with('\\') && !before.contains(' '));
        let kept = match before {
            Some("") => None,
            Some(before) => Some(Word::literal_at(before, word.span)),
            None => Some(word.clone()),
        };
        if let Some(command) = commands.last_mut() {
            command.extend(kept);
        }
        if before.is_some() {
            commands.push(Vec::new());
        }
    }
    commands
}

fn one_command(run: &mut Run, words: &[Word]) -> Outcome {
    let Some((verb, rest)) = words.split_first() else { return run.derived() };
    let verb = verb.shown();
    let spec = "A d D E P X a= b h v f Z c= e= F= n= s= t= x= y= k S p= l= R";
    let inner = read(rest, spec, Order::First);
    if verb.starts_with("set-hook") || verb.starts_with("bind") {
        tmux_later(run, &verb, &inner.operands);
    }
    match verb.as_str() {
        "source-file" | "source" => inner.operands.iter().for_each(|file| loads::load(run, file)),
        "save-buffer" | "saveb" => {
            let options = read(rest, "a b=", Order::Anywhere);
            for file in options.operands.iter().filter(|file| !file.is("-")) {
                run.analyst.write(file, WriteMode::Overwrite, None, run.shell);
            }
        }
        "set" | "set-option" | "setw" => settings(run, rest),
        "set-environment" | "setenv" => {
            let words = read(rest, "F h g r u t=", Order::First).operands;
            if let [name, value, ..] = words.as_slice() {
                let pair = format!("{}={}", name.shown(), value.shown());
                super::super::variables::lasting(run, &[Word::literal_at(&pair, name.span)]);
            }
        }
        _ => {}
    }
    if verb.starts_with("if") {
        return branches(run, &inner.operands);
    }
    let starts = ["new", "neww", "split", "respawn", "run", "popup", "display-popup", "pipe"];
    if starts.iter().any(|start| verb.starts_with(start)) && !inner.operands.is_empty() {
        return interpreters::joined(run, &inner.operands);
    }
    if verb.starts_with("send") && !inner.operands.is_empty() {
        let keys: Vec<Word> = inner
            .operands
            .iter()
            .filter(|word| !matches!(word.shown().as_str(), "Enter" | "C-m" | "KPEnter"))
            .cloned()
            .collect();
        return interpreters::joined(run, &keys);
    }
    run.derived()
}

/// `set -g default-command 'command'`: what every new window runs.
fn settings(run: &mut Run, words: &[Word]) {
    let options = read(words, "a F g o p q s u U w t=", Order::Anywhere);
    if let [name, value, ..] = options.operands.as_slice()
        && ["default-command", "default-shell", "lock-command", "copy-command", "editor"]
            .iter()
            .any(|known| name.is(known))
    {
        interpreters::code(run, &value.value(), value.span);
    }
}

/// Commands of tmux that run later: at an event, for every session of its server, or when a key is pressed.
fn tmux_later(run: &mut Run, verb: &str, operands: &[Word]) {
    for text in operands.iter().filter(|word| word.shown().contains(' ')).cloned().collect::<Vec<_>>() {
        let runs = ["run", "if", "new", "neww", "split", "respawn", "popup", "display-popup", "pipe"];
        let told = text.shown();
        let first = told.split_whitespace().next().unwrap_or_default();
        if verb.starts_with("set-hook") && runs.iter().any(|start| first.starts_with(start)) {
            run.push(EffectKind::Persist { kind: Lasting::Job, what: "a hook of tmux".into() });
        }
        possibly(run, |run| either(run, &text));
        let line = Value::text("tmux ").concat(&text.value());
        possibly(run, |run| drop(interpreters::code(run, &line, text.span)));
    }
}

/// `tmux if-shell condition command command`: the first is for the shell, the others are for tmux.
fn branches(run: &mut Run, operands: &[Word]) -> Outcome {
    for (at, word) in operands.iter().enumerate() {
        let tmux = Value::text("tmux ");
        let text = if at == 0 { word.value() } else { tmux.concat(&word.value()) };
        interpreters::code(run, &text, word.span);
    }
    run.derived()
}
