//! Notebooks: cells of Python with lines for the shell among them.

use tollgate_model::json;

use crate::content::Piece;
use crate::languages::Language;

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
    for line in text.lines() {
        if let Some(path) = line.trim_start().strip_prefix("%cd ") {
            folder = format!("cd {} && ", path.trim());
            python.push_str(&format!("import os; os.chdir(os.path.expanduser({:?}))\n", path.trim()));
            continue;
        }
        match shell_line(line) {
            Some(command) => pieces.push(Piece::Shell(format!("{folder}{command}"))),
            None if line.trim_start().starts_with('%') => {
                python.push_str(timed(line));
                python.push('\n');
            }
            None => {
                python.push_str(line);
                python.push('\n');
            }
        }
    }
    if !python.trim().is_empty() {
        pieces.push(Piece::Language(Language::Python, python));
    }
    pieces
}

fn magic_cell(head: &str, body: &str) -> Vec<Piece> {
    let mut words = head.split_whitespace();
    let name = words.next().unwrap_or_default();
    let program =
        if name == "script" { words.find(|word| !word.starts_with('-')).unwrap_or_default() } else { name };
    match program.rsplit('/').next().unwrap_or_default() {
        "bash" | "sh" | "zsh" | "system" | "sx" | "!" => vec![Piece::Shell(body.to_owned())],
        "capture" | "time" | "timeit" | "prun" => cell(body),
        "writefile" | "file" => {
            let path = words.find(|word| !word.starts_with('-')).unwrap_or_default();
            vec![Piece::Shell(format!("cat > {path} <<'TOLLGATE_CELL'\n{body}\nTOLLGATE_CELL\n"))]
        }
        "markdown" | "html" | "latex" | "svg" => Vec::new(),
        other => match Language::of(other) {
            Some(language) => vec![Piece::Language(language, body.to_owned())],
            None => Vec::new(),
        },
    }
}

/// The command of a line for the shell: `!cmd`, `x = !cmd`, `%system cmd`, `%run file`.
fn shell_line(line: &str) -> Option<String> {
    let line = line.trim_start();
    if let Some(command) = line.strip_prefix("!!").or_else(|| line.strip_prefix('!')) {
        return Some(command.to_owned());
    }
    for (magic, program) in
        [("%system ", ""), ("%sx ", ""), ("%run ", "python "), ("%pip ", "pip "), ("%conda ", "conda ")]
    {
        if let Some(command) = line.strip_prefix(magic) {
            return Some(format!("{program}{command}"));
        }
    }
    if let Some(alias) = line.strip_prefix("%alias ") {
        return alias.trim_start().split_once(' ').map(|(_, command)| command.to_owned());
    }
    if let Some(command) = by_call(line) {
        return Some(command);
    }
    let (name, command) = line.split_once('=')?;
    let is_name = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ',' | ' '))
    };
    let command = command.trim_start();
    ["!", "%sx ", "%system "]
        .iter()
        .find_map(|mark| command.strip_prefix(mark))
        .filter(|rest| is_name(name.trim()) && !rest.starts_with('='))
        .map(str::to_owned)
}

/// The code that a line measures: `%timeit f(x)`.
fn timed(line: &str) -> &str {
    let line = line.trim_start();
    ["%timeit ", "%time ", "%prun "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or_default()
}

/// The magic written as a call: `get_ipython().system('ls')`.
fn by_call(line: &str) -> Option<String> {
    let (_, call) = line.split_once("get_ipython().")?;
    let start = ["system(", "getoutput(", "run_line_magic('sx',", "run_line_magic(\"sx\","];
    let text = start.iter().find_map(|start| call.strip_prefix(start))?.trim_start();
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let inside = text.strip_prefix(quote)?;
    Some(inside.get(..inside.rfind(quote)?)?.to_owned())
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
            ("files = !ls -a", vec!["sh:ls -a"]),
            ("if a != b: pass", vec!["Python:if a != b: pass"]),
            ("%%bash\nrm x", vec!["sh:rm x"]),
            ("%%script sh -e\nrm x", vec!["sh:rm x"]),
            ("%run job.py", vec!["sh:python job.py"]),
            ("x = get_ipython().system('ls -a')", vec!["sh:ls -a"]),
            ("%matplotlib inline", vec![]),
            ("%%writefile a.py\nx", vec!["sh:cat > a.py <<'TOLLGATE_CELL'\nx\nTOLLGATE_CELL"]),
            ("%cd ~\n!ls", vec!["sh:cd ~ && ls", "Python:import os; os.chdir(os.path.expanduser(\"~\"))"]),
            ("%timeit f(x)", vec!["Python:f(x)"]),
            ("%alias x rm y", vec!["sh:rm y"]),
            ("x = %sx ls", vec!["sh:ls"]),
            (
                r#"{"cells":[{"cell_type":"markdown","source":["!ls"]},{"cell_type":"code","source":["!pwd\n","y"]}]}"#,
                vec!["sh:pwd", "Python:y"],
            ),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
