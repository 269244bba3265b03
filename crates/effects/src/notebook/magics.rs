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

/// Is a variable set that puts code into every program?
pub(super) fn loads(rest: &str) -> bool {
    let name = rest.split(['=', ' ']).next().unwrap_or_default();
    matches!(name, "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" | "BASH_ENV" | "PYTHONSTARTUP")
}
