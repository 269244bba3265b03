//! `logrotate`: files that say which logs are emptied, and what runs when they are.

use tollgate_model::WriteMode;
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters, loads};
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

/// The sections whose lines a shell runs.
const SCRIPTS: &[&str] = &["prerotate", "postrotate", "firstaction", "lastaction", "preremove"];

pub(in crate::commands) fn logrotate(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "d,debug f,force m,mail= s,state= skip-state-lock v,verbose l,log= version",
        Order::Anywhere,
    );
    for file in ["s", "l"].iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
    for file in &options.operands {
        loads::load(run, file);
        let text = run.analyst.script(file, run.shell).unwrap_or_else(Value::empty);
        let text = text.literals().collect::<Vec<_>>().join("\n");
        if !options.has("d") {
            rotated(run, &text, file);
        }
    }
    run.derived()
}

/// `/path/*.log "/other" { rotate 0 … }`
fn rotated(run: &mut Run, text: &str, file: &Word) {
    let mut script: Option<String> = None;
    let mut names: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')).take(512) {
        if let Some(code) = &mut script {
            if line == "endscript" {
                let code = Value::text(&script.take().unwrap_or_default());
                interpreters::code(run, &code, file.span);
            } else {
                code.push_str(line);
                code.push('\n');
            }
        } else if SCRIPTS.contains(&line) {
            script = Some(String::new());
        } else if line.starts_with(['/', '"', '~']) {
            names.extend(
                line.split_whitespace().filter(|word| *word != "{").map(|word| word.replace('"', "")),
            );
        }
    }
    let dense: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let keeps_none = dense.contains("rotate 0") || !dense.contains("rotate ");
    for name in names {
        let word = Word { text: paths::globbed(&name), ..file.clone() };
        run.analyst.write(&word, WriteMode::Edit, None, run.shell);
        if keeps_none {
            run.analyst.delete(&word, false, run.shell);
        }
    }
}
