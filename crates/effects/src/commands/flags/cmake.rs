//! CMake's variables: most are switches, numbers and places, and any of the rest may be a command that a build runs.

use tollgate_model::FileKind;

use crate::commands::Run;
use crate::word::Word;

/// What stands in the names of variables that lead to a program or a script, whatever their value looks like.
const SAYS: &[&str] = &[
    "LAUNCHER",
    "COMPILER",
    "TOOLCHAIN",
    "INCLUDE",
    "PROGRAM",
    "COMMAND",
    "EXECUTABLE",
    "LINKER",
    "EMULATOR",
    "RULE",
    "MAKE_",
    "TOOL",
    "MODULE_PATH",
];

/// Values of CMake's own switches and of `CMAKE_BUILD_TYPE`.
const SWITCHES: &[&str] = &[
    "ON",
    "OFF",
    "YES",
    "NO",
    "TRUE",
    "FALSE",
    "Y",
    "N",
    "DEBUG",
    "RELEASE",
    "RELWITHDEBINFO",
    "MINSIZEREL",
    "NONE",
];

/// May the value of `-DNAME:TYPE=value` be run? Its form says so, and where that is not known its name.
pub(super) fn is_code(run: &Run, setting: &Word) -> bool {
    let shown = setting.shown();
    let name = shown.split(['=', ':']).next().unwrap_or_default();
    // Every one of them begins with the tool's own name.
    let name = name.strip_prefix("CMAKE_").unwrap_or(name);
    let value = setting.after('=');
    let says = || SAYS.iter().any(|word| name.contains(word));
    match value.literal() {
        Some(text) => says() && !is_plain(text) || is_command(run, &value, text),
        None => says() || value.text.prefix().contains([' ', ';']),
    }
}

/// The value as a command. Options alone are handed to a compiler.
pub(super) fn command(setting: &Word) -> Word {
    let value = setting.after('=');
    match value.literal() {
        Some(flags) if flags.starts_with('-') => Word::literal_at(&format!("cc {flags}"), value.span),
        _ => value,
    }
}

/// A switch, a number or a version.
fn is_plain(text: &str) -> bool {
    SWITCHES.iter().any(|switch| switch.eq_ignore_ascii_case(text))
        || text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// A place is a command only if there is a file; a list of places is none.
fn is_command(run: &Run, value: &Word, text: &str) -> bool {
    let is_place = |part: &str| part.starts_with(['/', '.', '~']) && !part.contains(char::is_whitespace);
    let is_file = |part: &str| {
        let word = Word::literal_at(part, value.span);
        let places = run.analyst.places(&word, run.shell);
        run.shell.file(&word.value()).is_some()
            || places.iter().any(|(place, _)| run.analyst.world.kind(&place.path) == FileKind::File)
    };
    !is_plain(text) && !text.split(';').all(|part| is_place(part) && !is_file(part))
}
