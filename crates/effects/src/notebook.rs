//! Notebooks: cells of Python with lines for the shell among them.

mod magics;

use tollgate_model::json;

use crate::content::Piece;
use crate::languages::Language;
use magics::{loads, measured, written};

/// The most cells of a notebook that are read.
const CELLS: usize = 200;

/// The code in a notebook; a text that is no notebook is one cell.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let notebook = json::parse(text.as_bytes()).ok();
    let Some(cells) = notebook.as_ref().and_then(|value| value.get("cells")?.as_list()) else {
        return cell(text);
    };
    let code = cells.iter().filter(|cell| cell.text("cell_type") != Some("markdown")).take(CELLS);
    code.flat_map(|value| cell(&source(value.get("source")))).collect()
}

/// Is the text a notebook, and no cell of one?
pub(crate) fn is_whole(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && json::parse(text.as_bytes()).is_ok_and(|value| value.get("cells").is_some())
}

/// A cell's source is a text, or a list of lines.
fn source(value: Option<&json::Value>) -> String {
    match value {
        Some(json::Value::String(text)) => text.clone(),
        Some(json::Value::List(lines)) => lines.iter().filter_map(json::Value::as_str).collect(),
        _ => String::new(),
    }
}

/// The code of one cell: `%%bash` makes all of it shell text, `!` a line.
pub(crate) fn cell(text: &str) -> Vec<Piece> {
    let start = text.trim_start();
    if let Some(rest) = start.strip_prefix("%%") {
        let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
        return magic_cell(head, body);
    }
    let mut pieces = Vec::new();
    let mut python = String::new();
    let mut folder = String::new();
    let mut quote = None;
    let aliases = magics::aliases(text);
    for line in joined(text) {
        let within = quote.is_some();
        quote = long_string(&line, quote);
        // Lines of a long string are no commands.
        if within {
            python.push_str(&line);
            python.push('\n');
            continue;
        }
        let line = magics::unaliased(&line, &aliases).unwrap_or(line);
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or_default();
        if let Some(path) = line.trim_start().strip_prefix("%cd ") {
            folder = format!("cd {} && ", path.trim());
            python.push_str(&format!("{indent}import os; os.chdir(os.path.expanduser({:?}))\n", path.trim()));
            continue;
        }
        match shell_line(&line) {
            Some(command) => {
                let bound = interpolated(&command, &python);
                let name = assigned(&line);
                // What a line prints is a value, and what it is given may be one.
                if bound.is_some() || name.is_some() {
                    let code = bound.clone().unwrap_or_else(|| quoted(&format!("{folder}{command}")));
                    let name = name.map(|name| format!("{name} = ")).unwrap_or_default();
                    python.push_str(&format!("{indent}{name}__import__('subprocess').getoutput({code})\n"));
                }
                if bound.is_none() {
                    pieces.push(Piece::Shell(format!("{folder}{command}")));
                    // It finds what the lines before it have written.
                    if name.is_none() && magics::writes(&python) {
                        python.push_str(&format!("{indent}__import__('os').system({})\n", quoted(&command)));
                    }
                }
            }
            None => {
                python.push_str(&plain_line(&line));
                python.push('\n');
            }
        }
    }
    if !python.trim().is_empty() {
        pieces.push(Piece::Language(Language::Python, shown_last(&python)));
    }
    pieces
}

/// The value of a cell's last line is shown below it.
fn shown_last(python: &str) -> String {
    let kept = python.trim_end();
    let (before, last) = kept.rsplit_once('\n').map_or(("", kept), |(before, last)| (before, last));
    let word = last.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    let keyword =
        ["import", "from", "return", "raise", "pass", "del", "assert", "break", "continue", "print"];
    let value = last.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !last.contains(['=', ':', '#', ';', ' '])
        && (!last.contains('(') || last.contains("environ"))
        && !keyword.contains(&word);
    if value { format!("{before}\nprint({last})\n") } else { python.to_owned() }
}

/// The long string that is open after a line.
fn long_string(line: &str, open: Option<&'static str>) -> Option<&'static str> {
    let mut open = open;
    let mut rest = line;
    if open.is_none() && shell_line(line).is_some() {
        return None;
    }
    while !rest.is_empty() {
        let passed = match open {
            Some(quote) if rest.starts_with(quote) => {
                open = None;
                3
            }
            None if rest.starts_with('#') => break,
            None => match ["\"\"\"", "'''"].into_iter().find(|quote| rest.starts_with(quote)) {
                Some(quote) => {
                    open = Some(quote);
                    3
                }
                None => short_string(rest),
            },
            Some(_) => rest.chars().next().map_or(1, char::len_utf8),
        };
        rest = rest.get(passed..).unwrap_or_default();
    }
    open
}

/// How long the string is that stands here; one character where none does.
fn short_string(text: &str) -> usize {
    let mut characters = text.char_indices();
    let first = characters.next().map(|(_, c)| c);
    let Some(quote) = first.filter(|c| matches!(c, '"' | '\'')) else {
        return first.map_or(1, char::len_utf8);
    };
    let mut escaped = false;
    for (at, c) in characters {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The variable that what a line prints is put into.
fn assigned(line: &str) -> Option<&str> {
    let (name, value) = line.split_once('=')?;
    let value = value.trim_start();
    let magic = value.starts_with(['!', '%']) || value.starts_with("get_ipython()");
    (magic && !line.trim_start().starts_with(['!', '%'])).then(|| name.trim())
}

/// Lines, with those that go on behind a backslash.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match lines.last_mut().filter(|_| open) {
            Some(last) => {
                last.push('\n');
                last.push_str(line);
            }
            None => lines.push(line.to_owned()),
        }
        let first = lines.last().map(|line| line.trim_start()).unwrap_or_default();
        open = first.starts_with(['!', '%']) && line.ends_with('\\');
    }
    lines
}

/// A command that is given values of the cell, as an expression: `rm -rf {path}` and `cat $name`.
fn interpolated(command: &str, python: &str) -> Option<String> {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let binds = |name: &str| {
        is_name(name)
            && [format!("{name} ="), format!("{name}="), format!("for {name} in"), format!("as {name}")]
                .iter()
                .any(|bound| python.contains(bound))
    };
    let mut parts = Vec::new();
    let mut plain = String::new();
    let mut rest = command;
    let mut found = false;
    while let Some(at) = rest.find(['{', '$']) {
        let (before, after) = rest.split_at(at);
        plain.push_str(before);
        let braced = after.starts_with('{');
        let (name, next) = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}').unwrap_or(("", inner)),
            None => {
                let inner = after.get(1..).unwrap_or_default();
                let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inner.len());
                inner.split_at(end)
            }
        };
        // An expression begins with a value of the cell, or with a text.
        let begins = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let expression =
            braced && (name.starts_with(['"', '\'']) || binds(begins)) && name.contains(['[', '(', '.']);
        if binds(name) || expression {
            found = true;
            parts.push(quoted(&std::mem::take(&mut plain)));
            parts.push(format!("str({name})"));
            rest = next;
        } else {
            plain.extend(after.chars().next());
            rest = after.get(1..).unwrap_or_default();
        }
    }
    plain.push_str(rest);
    parts.push(quoted(&plain));
    found.then(|| parts.join(" + "))
}

/// A text as Python writes it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

fn magic_cell(head: &str, body: &str) -> Vec<Piece> {
    let mut words = head.split_whitespace();
    let name = words.next().unwrap_or_default();
    let given: Vec<&str> = words.clone().skip_while(|word| word.starts_with('-')).collect();
    let program = if name == "script" { given.first().copied().unwrap_or_default() } else { name };
    let first = given.first().copied().unwrap_or_default();
    match program.rsplit('/').next().unwrap_or_default() {
        "bash" | "sh" | "zsh" | "system" | "sx" | "!" => vec![Piece::Shell(body.to_owned())],
        "writefile" | "file" => {
            let adds = if words.any(|word| matches!(word, "-a" | "--append")) { ">>" } else { ">" };
            vec![Piece::Shell(format!("cat {adds} {first} <<'TOLLGATE_CELL'\n{body}\nTOLLGATE_CELL\n"))]
        }
        "sql" | "sparksql" | "bigquery" | "read_sql" => vec![statements(first, body)],
        "markdown" | "html" | "latex" | "svg" | "mermaid" | "dot" | "css" => Vec::new(),
        other => match Language::of(other) {
            Some(language) => vec![Piece::Language(language, body.to_owned())],
            // Any program may be given the cell; any other magic runs it in its own way.
            None if name == "script" => {
                let line = given.join(" ");
                vec![Piece::Shell(format!("{line} <<'TOLLGATE_CELL'\n{body}\nTOLLGATE_CELL\n"))]
            }
            None => cell(body),
        },
    }
}

/// Statements for the database that the cell is connected to.
fn statements(connection: &str, body: &str) -> Piece {
    let address = if connection.contains("://") { quoted(connection) } else { String::new() };
    Piece::Shell(format!("psql {address} <<'TOLLGATE_CELL'\n{body}\nTOLLGATE_CELL\n"))
}

/// Magics that stand for a program.
const PROGRAMS: &[(&str, &str)] = &[
    ("system", ""),
    ("sx", ""),
    ("run", "python "),
    ("pip", "pip "),
    ("conda", "conda "),
    ("mamba", "mamba "),
    ("micromamba", "micromamba "),
    ("uv", "uv "),
    ("cat", "cat "),
    ("cp", "cp "),
    ("mv", "mv "),
    ("rm", "rm "),
    ("rmdir", "rmdir "),
    ("mkdir", "mkdir "),
    ("ls", "ls "),
    ("ll", "ls -l "),
    ("more", "more "),
    ("less", "less "),
    ("pycat", "cat "),
    ("load", "cat "),
    ("loadpy", "cat "),
];

/// Names that are commands without a mark, too.
const PLAIN: &[&str] = &["cat", "cp", "mv", "rm", "rmdir", "mkdir", "ls", "ll", "more", "less"];

/// The command of a line for the shell: `!cmd`, `x = !cmd`, `%system cmd`, `%run file`.
fn shell_line(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(command) = line.strip_prefix("!!").or_else(|| line.strip_prefix('!')) {
        return Some(command.to_owned());
    }
    if let Some(magic) = line.strip_prefix('%') {
        let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
        return by_magic(name, rest.trim());
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    // `rm = 1` and `ls (x)` are Python.
    let operator = rest.trim_start().starts_with(|c: char| "=+*<>%|&,:)([.".contains(c));
    if PLAIN.contains(&word) && !rest.is_empty() && (!operator || is_path_like(rest)) {
        return by_magic(word, rest);
    }
    if let Some(command) = by_call(line) {
        return Some(command);
    }
    let (name, command) = line.split_once('=')?;
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' '))
    };
    let command = command.trim_start();
    if !is_name(name.trim()) || command.starts_with('=') {
        return None;
    }
    match command.strip_prefix('!') {
        Some(rest) => Some(rest.to_owned()).filter(|rest| !rest.starts_with('=')),
        None => {
            let magic = command.strip_prefix('%')?;
            let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
            by_magic(name, rest.trim())
        }
    }
}

fn is_path_like(rest: &str) -> bool {
    let rest = rest.trim_start();
    ["./", "../", ".env", "*."].iter().any(|start| rest.starts_with(start))
}

/// The command that a magic stands for.
fn by_magic(name: &str, rest: &str) -> Option<String> {
    match name {
        "env" if rest.is_empty() => return Some("env".to_owned()),
        "env" if !rest.contains(['=', ' ']) => return Some(format!("printenv {rest}")),
        "alias" => return rest.split_once(' ').map(|(_, command)| command.to_owned()),
        "save" | "store" => return written(name, rest),
        "env" | "set_env" if loads(rest) => return Some(format!("export {}", rest.replacen(' ', "=", 1))),
        "sc" => return rest.split_once('=').map(|(_, command)| command.trim().to_owned()),
        "time" | "timeit" | "prun" | "capture" => {
            return rest.strip_prefix('!').map(str::to_owned);
        }
        "sql" => {
            let (connection, statement) = match rest.split_once(char::is_whitespace) {
                Some((address, statement)) if address.contains("://") => (address, statement),
                _ => ("", rest),
            };
            return match statements(connection, statement) {
                Piece::Shell(text) => Some(text),
                _ => None,
            };
        }
        _ => {}
    }
    let (_, program) = PROGRAMS.iter().find(|(magic, _)| *magic == name)?;
    Some(format!("{program}{rest}"))
}

/// A line of Python: variables that a magic sets, and the code that one measures: `%timeit f(x)`.
fn plain_line(line: &str) -> String {
    let Some(magic) = line.trim_start().strip_prefix('%') else { return line.to_owned() };
    let (name, rest) = magic.split_once(char::is_whitespace).unwrap_or((magic, ""));
    let rest = rest.trim();
    match name {
        "timeit" | "time" | "prun" | "memit" => measured(rest).to_owned(),
        "env" | "set_env" => match rest.split_once('=').or_else(|| rest.split_once(' ')) {
            Some((name, value)) => {
                format!("import os; os.environ[{}] = {}", quoted(name.trim()), quoted(value.trim()))
            }
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// The magic written as a call: `get_ipython().system('ls')`, `get_ipython().run_line_magic('env', '')`.
fn by_call(line: &str) -> Option<String> {
    let (_, call) = line.split_once("get_ipython().")?;
    let (name, given) = call.split_once('(')?;
    // A text of several lines is read with the rest of the cell.
    if given.contains("\'\'\'") || given.contains("\"\"\"") {
        return None;
    }
    let texts = texts_in(given);
    let text = |at: usize| texts.get(at).map(String::as_str);
    match name.trim() {
        "system" | "getoutput" | "getoutput_pexpect" | "system_raw" | "system_piped" => {
            text(0).map(str::to_owned)
        }
        "run_line_magic" => by_magic(text(0)?, text(1).unwrap_or_default()),
        "magic" => {
            let line = text(0)?.trim_start_matches('%');
            let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
            by_magic(name, rest)
        }
        "run_cell_magic" => {
            match magic_cell(&format!("{} {}", text(0)?, text(1)?), text(2)?).into_iter().next()? {
                Piece::Shell(text) => Some(text),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The texts in quotes of a call, with what is written with a backslash.
fn texts_in(given: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = given.chars();
    while let Some(quote) = chars.find(|c| matches!(c, '\'' | '"' | ')')) {
        if quote == ')' {
            break;
        }
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != quote) {
            match c {
                '\\' => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        texts.push(text);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |piece: Piece| match piece {
            Piece::Shell(text) => format!("sh:{}", text.trim()),
            Piece::Language(language, text) => format!("{language:?}:{}", text.trim()),
            Piece::Quoted(text) => format!("quoted:{}", text.trim()),
        };
        pieces(text).into_iter().map(show).collect()
    }

    #[test]
    fn cells_are_told_apart() {
        for (text, expected) in [
            ("!ls\nx = 1", vec!["sh:ls", "Python:x = 1"]),
            (
                "files = !ls -a",
                vec!["sh:ls -a", "Python:files = __import__('subprocess').getoutput('ls -a')"],
            ),
            ("if a != b: pass", vec!["Python:if a != b: pass"]),
            ("%%bash\nrm x", vec!["sh:rm x"]),
            ("%%script sh -e\nrm x", vec!["sh:rm x"]),
            ("%run job.py", vec!["sh:python job.py"]),
            (
                "x = get_ipython().system('ls -a')",
                vec!["sh:ls -a", "Python:x = __import__('subprocess').getoutput('ls -a')"],
            ),
            ("%matplotlib inline", vec![]),
            ("%%writefile a.py\nx", vec!["sh:cat > a.py <<'TOLLGATE_CELL'\nx\nTOLLGATE_CELL"]),
            ("%cd ~\n!ls", vec!["sh:cd ~ && ls", "Python:import os; os.chdir(os.path.expanduser(\"~\"))"]),
            ("%timeit f(x)", vec!["Python:f(x)"]),
            ("%alias x rm y", vec!["sh:rm y"]),
            ("x = %sx ls", vec!["sh:ls", "Python:x = __import__('subprocess').getoutput('ls')"]),
            ("%env", vec!["sh:env"]),
            ("%env A=b", vec!["Python:import os; os.environ['A'] = 'b'"]),
            ("rm -rf x", vec!["sh:rm -rf x"]),
            ("ls = 1", vec!["Python:ls = 1"]),
            (
                "p = '/'\n!rm -rf {p}x",
                vec!["Python:p = '/'\n__import__('subprocess').getoutput('rm -rf ' + str(p) + 'x')"],
            ),
            ("%%script psql -q\nselect 1", vec!["sh:psql -q <<'TOLLGATE_CELL'\nselect 1\nTOLLGATE_CELL"]),
            (
                r#"{"cells":[{"cell_type":"markdown","source":["!ls"]},{"cell_type":"code","source":["!pwd\n","y"]}]}"#,
                vec!["sh:pwd", "Python:print(y)"],
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
