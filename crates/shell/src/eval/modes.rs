//! Options of the shell.

/// Shell options that change what is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// Certainly off.
    pub noglob: bool,
    /// Perhaps on.
    pub lastpipe: bool,
    /// Perhaps on.
    pub pipefail: bool,
    /// Perhaps on: patterns match whatever the case.
    pub nocase: bool,
    /// Perhaps on: `echo` decodes escapes.
    pub xpg_echo: bool,
    /// Perhaps on.
    pub posix: bool,
    /// Perhaps on: zsh splits unquoted parameters.
    pub word_split: bool,
    /// Perhaps on: `cd` follows links.
    pub physical: bool,
    /// Perhaps on: a command that fails ends the shell, or a variable that is not set.
    pub fragile: bool,
    /// Certainly on: a command that fails ends the shell.
    pub errexit: bool,
    /// Every variable that is set is exported.
    pub all_export: bool,
}
