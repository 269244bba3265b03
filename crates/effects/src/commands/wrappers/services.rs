//! Commands that run as services, or in another folder.

use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters};
use crate::options::Options;
use crate::word::Word;

/// Where a wrapper that goes to another folder works: one that it is told, or that of a service.
pub(super) fn started_in(run: &Run, options: &Options) -> Option<Value> {
    if matches!(run.program, "unshare" | "nsenter" | "proot") {
        let named = options.value("w").or(options.value("W")).or(options.value("cwd"));
        return named.map(Word::value);
    }
    if run.program != "systemd-run" || options.has("scope") || options.has("d") {
        return None;
    }
    let property = options.values("p").find(|word| word.text.prefix().starts_with("WorkingDirectory="));
    let named = options.value("working-directory").cloned().or(property.map(|word| word.after('=')));
    let home = if options.has("user") { run.analyst.world.home() } else { "/" };
    Some(named.map_or_else(|| Value::text(home), |word| word.value()))
}

/// What a service is told to run besides its command, or instead of it.
pub(super) fn services(run: &mut Run, options: &Options) {
    for property in
        options.values("p").filter(|word| word.text.prefix().starts_with("Exec")).cloned().collect::<Vec<_>>()
    {
        let command = property.after('=');
        let marks = command.text.prefix().len()
            - command.text.prefix().trim_start_matches(['-', '+', '!', '@', ':']).len();
        let command = command.from(marks);
        interpreters::code(run, &command.value(), command.span);
    }
    if options.has("S") && options.operands.is_empty() {
        interpreters::stdin_code(run);
    }
}
