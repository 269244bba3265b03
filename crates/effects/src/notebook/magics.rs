//! Magics that measure code, write files or set variables.

/// The code that is measured, without the options before it: `-n1 -r1 f(x)`, `-n 1 f(x)`.
pub(super) fn measured(rest: &str) -> &str {
    let mut rest = rest.trim_start();
    while let Some(option) =
        rest.strip_prefix('-').filter(|option| option.starts_with(|c: char| c.is_ascii_alphabetic()))
    {
        let (word, after) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
        rest = after.trim_start();
        // Its value may stand apart.
        if matches!(word, "n" | "r" | "p" | "l" | "s" | "T" | "D") {
            rest = rest.split_once(char::is_whitespace).map_or("", |(_, after)| after.trim_start());
        }
    }
    rest
}

/// What a magic writes into a file: `%save -f name 1-5`, `%store x > name`.
pub(super) fn written(name: &str, rest: &str) -> Option<String> {
    if name == "store" {
        let (_, file) = rest.split_once('>')?;
        let (sign, file) = file.strip_prefix('>').map_or((">", file), |file| (">>", file));
        return Some(format!("ipython {sign} {}", file.trim()));
    }
    let mut words = rest.split_whitespace();
    let sign = if words.clone().any(|word| word == "-a") { ">>" } else { ">" };
    let file = words.find(|word| !word.starts_with('-'))?;
    Some(format!("ipython {sign} {file}"))
}

/// Does code write files?
pub(super) fn writes(python: &str) -> bool {
    ["write", "open(", "dump", "copy", "rename", "symlink", "save"].iter().any(|word| python.contains(word))
}

/// Names that a cell gives to commands: `%alias name command`.
pub(super) fn aliases(text: &str) -> Vec<(&str, &str)> {
    let given = text.lines().filter_map(|line| line.trim_start().strip_prefix("%alias "));
    given.filter_map(|given| given.trim_start().split_once(' ')).take(16).collect()
}

/// A line that runs a command by such a name, as the shell is given it.
pub(super) fn unaliased(line: &str, aliases: &[(&str, &str)]) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let called = line.trim_start();
    let called = called.strip_prefix('%').unwrap_or(called);
    let (name, rest) = called.split_once(char::is_whitespace).unwrap_or((called, ""));
    let (_, command) = aliases.iter().find(|(known, _)| *known == name)?;
    let blank = line.get(..indent).unwrap_or_default();
    let mut words = rest.split_whitespace();
    if !command.contains("%s") {
        return Some(format!("{blank}!{} {rest}", command.replace("%l", rest)));
    }
    let filled = command.split("%s").fold(String::new(), |text, part| match text.is_empty() {
        true => part.to_owned(),
        false => format!("{text}{}{part}", words.next().unwrap_or_default()),
    });
    Some(format!("{blank}!{filled}"))
}

/// Is a variable set that puts code into every program?
pub(super) fn loads(rest: &str) -> bool {
    let name = rest.split(['=', ' ']).next().unwrap_or_default();
    matches!(name, "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" | "BASH_ENV" | "PYTHONSTARTUP")
}
