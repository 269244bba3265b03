//! Scripts that Redis runs: the commands that they call.

/// How many calls of a script are looked at.
const CALLS: usize = 256;

/// Does a script empty a database? Words that it is given may be the commands it calls.
pub(crate) fn flushes(code: &str, given: &[String]) -> bool {
    let code = without_comments(code);
    let is_flush = |text: &str| {
        matches!(text.trim().to_ascii_lowercase().as_str(), "flushall" | "flushdb" | "swapdb" | "shutdown")
    };
    let starts = ["redis.call", "redis.pcall", "server.call", "server.pcall"];
    let calls = starts
        .iter()
        .flat_map(|start| code.match_indices(start).take(CALLS).map(|(at, start)| at + start.len()));
    let told = says_flush(&code) || given.iter().any(|word| is_flush(word));
    let mut whole = false;
    for at in calls {
        let rest = start_of(code.get(at..).unwrap_or_default());
        match first_argument(rest) {
            Some(verb) if is_flush(&verb) => return true,
            // Whatever there is, one by one.
            Some(verb) if verb.eq_ignore_ascii_case("keys") => {
                whole |= rest.split(['\'', '"']).nth(3) == Some("*");
            }
            Some(_) => {}
            None if told => return true,
            None => {}
        }
    }
    let deletes = ["del", "unlink"].iter().any(|verb| {
        let lower = code.to_ascii_lowercase();
        lower.contains(&format!("'{verb}'")) || lower.contains(&format!("\"{verb}\""))
    });
    whole && deletes
}

/// As much of a text as the beginning of a call needs.
fn start_of(text: &str) -> &str {
    let end = text.char_indices().nth(200).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

fn says_flush(code: &str) -> bool {
    let lower = code.to_ascii_lowercase();
    let dense: String = lower.chars().filter(|c| c.is_ascii_alphabetic()).collect();
    dense.contains("flushall") || dense.contains("flushdb")
}

/// The first argument of a call, when it is put together of texts alone: `('FLUSH'..'ALL'`.
fn first_argument(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('(').unwrap_or(rest).trim_start();
    let argument = rest.split([',', ')']).next().unwrap_or_default();
    let parts = argument.split("..").map(|part| {
        let part = part.trim();
        let quote = part.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        part.strip_prefix(quote)?.strip_suffix(quote)
    });
    parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
}

/// Comments begin with two dashes, where no text is open.
fn without_comments(code: &str) -> String {
    let mut out = String::new();
    for line in code.lines() {
        let mut quote = None;
        let mut previous = ' ';
        let mut end = line.len();
        for (at, c) in line.char_indices() {
            match quote {
                Some(open) if c == open && previous != '\\' => quote = None,
                None if matches!(c, '"' | '\'') => quote = Some(c),
                None if c == '-'
                    && previous == '-'
                    && !line.get(at..).is_some_and(|rest| rest.starts_with("-[[")) =>
                {
                    end = at - 1;
                    break;
                }
                _ => {}
            }
            previous = c;
        }
        out.push_str(line.get(..end).unwrap_or_default());
        out.push('\n');
    }
    out
}
