//! Programs to look at files with, which are told on their command line what to do first.

use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters};
use crate::word::Word;

/// `less '+!command'`: what a pager is told to do first.
pub(super) fn pager(run: &mut Run) {
    for word in run.args.iter().filter(|word| word.text.prefix().starts_with('+')) {
        let text = word.shown();
        let command = text.split_once('!').map(|(_, command)| command).or_else(|| {
            let rest = text.split_once('|').map(|(_, rest)| rest)?;
            rest.char_indices().nth(1).and_then(|(at, _)| rest.get(at..))
        });
        if let Some(command) = command {
            interpreters::code(run, &Value::text(command), word.span);
        }
    }
}

/// `ranger --cmd='shell command'`, `lf -command '!command'`, `vifm -c '!command'`: what a file manager is told to do.
pub(super) fn manager(run: &mut Run) {
    let told = |word: &Word| {
        let text = word.shown();
        let command =
            text.split_once('=').filter(|_| text.starts_with("--")).map_or(text.as_str(), |(_, value)| value);
        let shell = command.strip_prefix("shell ").map(|rest| rest.trim_start_matches('-').to_owned());
        shell.or_else(|| command.strip_prefix(['!', '$', '%', '&']).map(str::to_owned))
    };
    for (command, span) in
        run.args.iter().filter_map(|word| Some((told(word)?, word.span))).collect::<Vec<_>>()
    {
        interpreters::code(run, &Value::text(&command), span);
    }
}
