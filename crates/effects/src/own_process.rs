//! Signals for the gate's own process, however it is picked: by name, by pattern, by what it has open.

use regex_lite::{Regex, RegexBuilder};
use tollgate_model::{Effect, EffectKind, Tampered};

use crate::search::searched;

/// Finds out whether a signal may reach Tollgate.
pub(crate) fn ends_gate(target: &str, signal: &str, all: &[Effect]) -> Option<EffectKind> {
    let unknown = target.contains('*') || target.contains("unknown");
    let ends = names_gate(target)
        || picks_by_pattern(target, signal, all)
        || unknown
            && searched(all)
                .iter()
                .any(|effect| command_of(effect).is_some_and(|words| looks_gate_up(&words)));
    ends.then(|| EffectKind::Tamper { target: Tampered::Gate, what: "Tollgate's process".into() })
}

fn names_gate(text: &str) -> bool {
    text.to_ascii_lowercase().contains("tollgate")
}

/// A command that runs: its program, and its words behind that.
struct Command<'a> {
    program: &'a str,
    args: &'a [String],
}

fn command_of(effect: &Effect) -> Option<Command<'_>> {
    match &effect.kind {
        EffectKind::Exec { program, argv, .. } => {
            Some(Command { program, args: argv.get(1..).unwrap_or_default() })
        }
        _ => None,
    }
}

impl Command<'_> {
    /// Is a flag of one letter, or its long name, among the words? Letters may stand together.
    fn has_flag(&self, letter: char, long: &str) -> bool {
        let is_group = |word: &&String| word.starts_with('-') && !word.starts_with("--");
        self.args.iter().any(|word| word == long)
            || self.args.iter().filter(is_group).any(|word| word.contains(letter))
    }
}

/// `pkill` and `killall -r` take patterns.
fn picks_by_pattern(target: &str, signal: &str, all: &[Effect]) -> bool {
    let killers = searched(all).iter().filter_map(command_of).filter(|command| command.program == signal);
    let mut killers = killers.filter(|command| command.args.iter().any(|word| word == target));
    match signal {
        "pkill" => killers.any(|command| fits_process(target, &command)),
        "killall" => killers.any(|command| command.has_flag('r', "--regexp") && fits_name(target, false)),
        _ => false,
    }
}

/// Does a command before the signal look for Tollgate's process?
fn looks_gate_up(command: &Command) -> bool {
    const FILTERS: &[&str] =
        &["grep", "egrep", "fgrep", "rg", "awk", "gawk", "mawk", "sed", "jq", "[", "test"];
    const LOOKUPS: &[&str] =
        &["pidof", "ps", "lsof", "fuser", "which", "command", "type", "whereis", "realpath"];
    match command.program {
        "pgrep" => command.args.iter().any(|word| names_gate(word) || fits_process(word, command)),
        name if FILTERS.contains(&name) => {
            command.args.iter().any(|word| names_gate(word) || finds_gate(word))
        }
        name => LOOKUPS.contains(&name) && command.args.iter().any(|word| names_gate(word)),
    }
}

/// Does a pattern of `pkill` or `pgrep` pick Tollgate, by its name or, with `-f`, by its command line?
fn fits_process(pattern: &str, command: &Command) -> bool {
    if pattern.starts_with('-') || pattern.is_empty() {
        return false;
    }
    let ignores_case = command.has_flag('i', "--ignore-case");
    if command.has_flag('x', "--exact") {
        return fits_name(&format!("^(?:{pattern})$"), ignores_case);
    }
    let whole = command.has_flag('f', "--full");
    if whole { fits_command_line(pattern, ignores_case) } else { fits_name(pattern, ignores_case) }
}

fn fits_name(pattern: &str, ignores_case: bool) -> bool {
    compile(pattern, ignores_case)
        .map_or("tollgate".contains(pattern), |pattern| pattern.is_match("tollgate"))
}

/// The command lines that hosts start the hook with. A pattern that finds only the agent's name in one means the agent.
fn fits_command_line(pattern: &str, ignores_case: bool) -> bool {
    const AGENTS: &[&str] =
        &["claude-code", "codex", "gemini-cli", "qwen-code", "copilot-cli", "opencode", "cursor"];
    const EVENTS: &[&str] = &["PreToolUse", "BeforeTool", "preToolUse", "tool.execute.before", "PostToolUse"];
    let Some(pattern) = compile(pattern, ignores_case) else { return false };
    let fits = |agent: &str, event: &str| {
        let start = "tollgate hook ";
        let line = format!("{start}{agent} {event}");
        let agent = start.len()..start.len() + agent.len();
        pattern.find(&line).is_some_and(|found| found.start() < agent.start || found.end() > agent.end)
    };
    AGENTS.iter().any(|agent| EVENTS.iter().any(|event| fits(agent, event)))
}

/// Does a filter over a list of processes leave Tollgate in, and leave others out? Words of other kinds, as awk's programs
/// are, are taken apart at slashes.
fn finds_gate(word: &str) -> bool {
    const LEAST: usize = 3;
    let parts = std::iter::once(word).chain(word.split('/'));
    parts.filter(|part| part.len() >= LEAST).any(|part| {
        let pattern = compile(part, false);
        pattern.is_some_and(|pattern| pattern.is_match("tollgate") && !pattern.is_match("0 systemd --user"))
    })
}

/// Patterns that are no regular expressions, or too large ones, fit nothing.
fn compile(pattern: &str, ignores_case: bool) -> Option<Regex> {
    const LONGEST: usize = 256;
    const SIZE: usize = 1 << 16;
    if pattern.len() > LONGEST {
        return None;
    }
    RegexBuilder::new(pattern).case_insensitive(ignores_case).size_limit(SIZE).build().ok()
}

#[cfg(test)]
mod tests {
    use tollgate_model::{Certainty, CodeSource, Span};

    use super::*;

    fn exec(line: &str) -> Effect {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let program = argv.first().cloned().unwrap_or_default();
        let kind = EffectKind::Exec { program, argv, source: CodeSource::Literal };
        Effect { kind, span: Span::default(), certainty: Certainty::Certain }
    }

    #[test]
    fn killers_by_pattern_reach_the_gate() {
        for (line, target, expected) in [
            ("pkill toll", "toll", true),
            ("pkill ^to", "^to", true),
            ("pkill -x gate", "gate", false),
            ("pkill gate", "gate", true),
            ("pkill -9 -f PreToolUse", "PreToolUse", true),
            ("pkill -f toll.ate", "toll.ate", true),
            ("pkill -f .*claude.*Pre", ".*claude.*Pre", true),
            ("pkill -f claude", "claude", false),
            ("pkill PreToolUse", "PreToolUse", false),
            ("pkill -if TOLLG", "TOLLG", true),
            ("pkill -f vite", "vite", false),
            ("pkill node", "node", false),
            ("killall -r ^t.*e$", "^t.*e$", true),
            ("killall -r node|vite", "node|vite", false),
            ("killall toll", "toll", false),
        ] {
            let signal = line.split(' ').next().unwrap_or_default();
            assert_eq!(ends_gate(target, signal, &[exec(line)]).is_some(), expected, "{line}");
        }
    }

    #[test]
    fn numbers_that_were_looked_up_reach_the_gate() {
        for (line, expected) in [
            ("pgrep toll", true),
            ("pgrep -f hook", true),
            ("pgrep -f webpack", false),
            ("grep [t]ollgate", true),
            ("grep node", false),
            ("grep -v grep", false),
            ("grep .", false),
            ("awk /tollg/{print$2}", true),
            ("awk {print$2}", false),
            ("lsof -t /home/u/.local/state/tollgate", true),
            ("lsof -t -i:3000", false),
            ("which tollgate", true),
        ] {
            assert_eq!(ends_gate("unknown", "TERM", &[exec(line)]).is_some(), expected, "{line}");
        }
    }
}
