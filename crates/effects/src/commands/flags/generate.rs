//! `go generate`: commands in the comments of source files.

use tollgate_model::EffectKind;
use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters};
use crate::word::Word;

/// How such a comment begins.
const MARK: &str = "//go:generate ";

/// Runs the commands of the files that are named, were written by this call, or lie here.
pub(super) fn generate(run: &mut Run) {
    let named = run.args.iter().skip(1).map(Word::shown);
    let written = run.analyst.searched().iter().filter_map(|effect| match &effect.kind {
        EffectKind::Write { place, .. } => Some(place.path.clone()),
        _ => None,
    });
    let here = run.shell.cwd().as_literal().unwrap_or_default().to_owned();
    let listed = run.analyst.world.list(&here, 64).into_iter().map(|name| format!("{here}/{name}"));
    let mut files: Vec<String> =
        named.chain(written).chain(listed).filter(|name| name.ends_with(".go")).collect();
    files.sort_unstable();
    files.dedup();
    for file in files.iter().take(12) {
        let text = run.analyst.script(&Word::literal_at(file, run.call.span), run.shell);
        let text = text.as_ref().and_then(Value::as_literal).unwrap_or_default().to_owned();
        for command in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
            interpreters::code(run, &Value::text(command), run.call.span);
        }
    }
}
