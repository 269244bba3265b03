//! Findings about an installation, as lines that people read: a light, what is so, and what to type.

use std::io::IsTerminal;

use serde_json::json;

use crate::out;

/// How things stand. Ordered: the worst light of a report decides its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Light {
    /// As it should be.
    Green,
    /// It works, but something is missing or unproven.
    Yellow,
    /// It does not work.
    Red,
}

impl Light {
    /// Its name in JSON and where there is no colour.
    pub fn name(self) -> &'static str {
        match self {
            Self::Green => "ok",
            Self::Yellow => "warn",
            Self::Red => "FAIL",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Self::Green => "\x1b[32m",
            Self::Yellow => "\x1b[33m",
            Self::Red => "\x1b[31m",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How bad.
    pub light: Light,
    /// What is so.
    pub what: String,
    /// What to type or do about it; empty on green.
    pub fix: String,
}

impl Line {
    /// All is well.
    pub fn green(what: impl Into<String>) -> Self {
        Self { light: Light::Green, what: what.into(), fix: String::new() }
    }

    /// A warning.
    pub fn yellow(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { light: Light::Yellow, what: what.into(), fix: fix.into() }
    }

    /// A problem.
    pub fn red(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { light: Light::Red, what: what.into(), fix: fix.into() }
    }

    /// Prints it for a person.
    pub fn print(&self) {
        let plain = !std::io::stdout().is_terminal();
        let what = without_numbers(&shown(&self.what));
        if plain {
            out::line(&format!("  {:<4}  {what}", self.light.name()));
        } else {
            out::line(&format!("  {}●\x1b[0m {what}", self.light.colour()));
        }
        if !self.fix.is_empty() {
            let lead = if plain { "        -> " } else { "    → " };
            out::line(&format!("{lead}{}", shown(&self.fix)));
        }
    }

    /// As JSON.
    pub fn value(&self, about: &str) -> serde_json::Value {
        let fix = Some(self.fix.as_str()).filter(|fix| !fix.is_empty());
        json!({ "about": about, "light": self.light.name().to_lowercase(), "what": self.what, "fix": fix })
    }
}

/// A message without the numbers that the system gives its errors: ` (os error 2)` tells nobody anything.
pub fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (os error ") {
        let number =
            after.split_once(')').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
        out.push_str(before);
        rest = match number {
            Some((_, after)) => after,
            None => {
                out.push_str(" (os error ");
                after
            }
        };
    }
    out + rest
}

/// A heading, bold on a terminal.
pub fn heading(text: &str) {
    let text = shown(text);
    out::line(&if std::io::stdout().is_terminal() { format!("\x1b[1m{text}\x1b[0m") } else { text });
}

/// Text on one line without what a terminal obeys or nobody sees: settings files, answers and calls may hold anything.
pub fn shown(text: &str) -> String {
    text.chars().map(|c| if is_invisible(c) { ' ' } else { c }).collect()
}

/// The same, with each such character written out (`\n`, `\u{202e}`): for text that a person decides about.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match is_invisible(character) {
            true => out.extend(character.escape_default()),
            false => out.push(character),
        }
    }
    out
}

/// A control, bidirectional or zero-width character: it moves the cursor, reorders text or is not seen at all.
fn is_invisible(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}'
    );
    hidden || c.is_control()
}

/// A path as people write it.
pub fn tilde(path: &std::path::Path, home: &std::path::Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if !rest.as_os_str().is_empty() => format!("~/{}", rest.display()),
        _ => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn errors_have_no_numbers() {
        for (text, expected) in [
            (
                "cannot read `x`: No such file or directory (os error 2)",
                "cannot read `x`: No such file or directory",
            ),
            ("a (os error 13): b (os error 2); c", "a: b; c"),
            ("a (os error x)", "a (os error x)"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_numbers(text), expected);
        }
    }
}
