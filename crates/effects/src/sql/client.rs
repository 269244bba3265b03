//! Lines for the clients of databases themselves: some run programs, read files, or go on in another database.

use super::{Deed, Flavour, Statement};

/// What a line for the client does.
pub(super) fn client(line: &str, flavour: Flavour) -> Option<Statement> {
    let one =
        |deed, object: &str| Some(Statement::new(deed, object.trim().trim_matches(['\'', '"']).to_owned()));
    let line = line.trim_end_matches(';');
    if let Some(code) = line.strip_prefix("\\!") {
        return one(Deed::Run, code);
    }
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let piped = piped(verb, rest);
    match (verb, piped.as_deref()) {
        (".read", Some(code)) => one(Deed::IncludeOutput, code),
        ("\\o" | "\\out" | "\\g" | "\\gx" | "\\w" | ".output" | ".once" | ".import", Some(code)) => {
            Some(Statement::new(Deed::Run, code.trim().to_owned()))
        }
        (".shell" | ".system" | "system", _) => one(Deed::Run, rest),
        // MySQL's pager is given all that a query yields.
        ("pager" | "\\P", _) if flavour == Flavour::MySql => one(Deed::Run, rest),
        ("\\setenv", _) => paged(rest).and_then(|code| one(Deed::Run, code)),
        ("tee" | "\\T", _) if flavour == Flavour::MySql && is_path(rest) => one(Deed::WriteFile, rest),
        ("\\copy", _) => copied(rest),
        ("\\c" | "\\connect" | "\\u", _) => connected(rest).and_then(|name| one(Deed::Use, name)),
        ("\\r", _) if flavour == Flavour::MySql => connected(rest).and_then(|name| one(Deed::Use, name)),
        ("\\i" | "\\ir" | "\\include" | ".read" | "source" | "\\.", _) => one(Deed::Include, rest),
        (
            "\\o" | "\\out" | "\\w" | ".output" | ".once" | ".save" | ".backup" | ".dump" | ".log" | ".clone"
            | ".trace",
            _,
        ) if is_path(rest) => one(Deed::WriteFile, rest),
        (".restore", _) if flavour == Flavour::Sqlite => {
            one(Deed::Replace, rest.split_whitespace().last().unwrap_or_default())
        }
        (".import", _) if flavour == Flavour::Sqlite => {
            let file = rest.split_whitespace().find(|word| !word.starts_with('-')).unwrap_or_default();
            one(Deed::ReadFile, file)
        }
        _ => None,
    }
}

/// The database that `\c name user host` goes on in; `-` stands for the one it is in.
fn connected(rest: &str) -> Option<&str> {
    let rest = rest.trim();
    let quoted = ['\'', '"'].iter().find_map(|quote| rest.strip_prefix(*quote)?.split(*quote).next());
    let named = quoted.or_else(|| match rest.contains('=') {
        true => Some(rest),
        false => rest.split_whitespace().next(),
    });
    named.filter(|name| !matches!(*name, "" | "-"))
}

/// The command behind a `|`, which may stand in quotes; further words of `.import` are not its own.
fn piped(verb: &str, rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '\'' | '"')) {
        return unquoted(rest, quote).strip_prefix('|').map(str::to_owned);
    }
    let code = rest.strip_prefix('|')?;
    let code = if verb == ".import" { code.split_whitespace().next()? } else { code };
    Some(code.to_owned())
}

/// What stands in quotes, as a client reads it: up to the quote that closes it, which stands for itself when it is doubled
/// or follows a backslash.
fn unquoted(text: &str, quote: char) -> String {
    let mut inner = String::new();
    let mut rest = text.chars().skip(1).peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if rest.peek() == Some(&quote) || rest.peek() == Some(&'\\') => inner.extend(rest.next()),
            c if c == quote && rest.peek() == Some(&quote) => inner.extend(rest.next()),
            c if c == quote => break,
            other => inner.push(other),
        }
    }
    inner
}

/// What `\setenv name value` has psql run: the pager, or an editor.
fn paged(rest: &str) -> Option<&str> {
    let (name, value) = rest.trim_start().split_once(char::is_whitespace)?;
    (name.ends_with("PAGER") || name.ends_with("EDITOR") || name == "VISUAL").then_some(value)
}

fn is_path(text: &str) -> bool {
    !matches!(text.trim(), "" | "stdout" | "stderr" | "off" | "on")
}

/// `\copy t to program 'cmd'`, `\copy t from 'file'`.
fn copied(rest: &str) -> Option<Statement> {
    let quoted = rest.split('\'').nth(1).map(str::to_owned);
    let lower = rest.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let deed = if words.contains(&"program") {
        Deed::Run
    } else if words.contains(&"to") {
        Deed::WriteFile
    } else {
        Deed::ReadFile
    };
    let last = || {
        rest.split_whitespace()
            .skip_while(|word| !word.eq_ignore_ascii_case("to") && !word.eq_ignore_ascii_case("from"))
            .nth(1)
    };
    let object = quoted.or_else(|| last().map(str::to_owned))?;
    (!matches!(object.to_lowercase().as_str(), "stdin" | "stdout" | "pstdin" | "pstdout"))
        .then_some(Statement::new(deed, object))
}
