//! Files without a function to call: implementation scripts that read the event from standard input and print their
//! answer. They are told from modules by their text, since running a script to find out would already be running it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use regex_lite::Regex;
use tollgate_policy::{Program, Stage};

use crate::search::SearchPath;

/// More than any middleware has.
const LONGEST: u64 = 4 << 20;

/// Runs a Python script as `python3 FILE` would, but deaf to the environment and the working directory's modules.
const PYTHON: &str = "import os, runpy, sys
path, folder = sys.argv[1:3]
os.chdir(folder)
sys.argv = [path]
sys.path.insert(0, os.path.dirname(path))
def report(kind, error, trace):
    import traceback
    traceback.print_exception(kind, error, trace)
    frames = [f for f in traceback.extract_tb(trace) if f.filename.startswith(os.path.dirname(path) + os.sep)]
    if frames and not isinstance(error, SyntaxError):
        where = ' (%s, line %d)' % (os.path.basename(frames[-1].filename), frames[-1].lineno)
        print('%s: %s%s' % (kind.__name__, str(error).replace(chr(10), ' '), where), file=sys.stderr)
    elif isinstance(error, SyntaxError):
        where = (os.path.basename(error.filename or path), error.lineno or 0)
        print('%s: %s (%s, line %d)' % ((kind.__name__, error.msg) + where), file=sys.stderr)
sys.excepthook = report
runpy.run_path(path, run_name='__main__')
";

/// Does a Python module have a function that the gate can call?
const PYTHON_FUNCTION: &str = r"(?m)^(?:async\s+)?def\s+(?:process|validate)\b|^(?:process|validate)\s*[:=]|^\s*from\s+\S+\s+import\s+(?:\*|[^#\n]*\b(?:process|validate)\b)|\bglobals\(\)";
/// Does a Python file do something when it is run?
const PYTHON_SCRIPT: &str =
    r"__main__|\bstdin\b|\bfileinput\b|\binput\(|open\(0\b|^main\(\)|^asyncio\.run\(|^sys\.exit\(";
/// Does a JavaScript or TypeScript module export anything?
const SCRIPT_EXPORT: &str = r"(?m)^\s*export\b|\bmodule\.exports\b|\bexports\.";
/// Does a JavaScript or TypeScript file read standard input?
const SCRIPT_READS: &str = r"\bstdin\b|readFileSync\(\s*0\b";

/// How many of the first stages go together, out of those that share an interpreter: a script runs on its own.
pub(crate) fn alone(stages: &[Stage], size: usize) -> usize {
    let is_script = |stage: &Stage| matches!(&stage.program, Program::File(file) if kind(file).is_some());
    stages.iter().take(size).position(is_script).map_or(size, |at| at.max(1))
}

/// What starts a file as a script; none where it is a module with a function to call, or no file at all.
pub(crate) fn command(file: &str, programs: &SearchPath) -> Option<Command> {
    let path = Path::new(file);
    let folder = path.parent().unwrap_or(path);
    match kind(file)? {
        Language::Python => {
            let has_project = folder.join("pyproject.toml").is_file() && programs.has("uv");
            let mut command = Command::new(if has_project { "uv" } else { "python3" });
            if has_project {
                command.args(["run", "--quiet", "--no-progress", "python"]).current_dir(folder);
            }
            let here = std::env::current_dir().unwrap_or_else(|_| folder.to_owned());
            command.args(["-I", "-c", PYTHON]).arg(file).arg(here);
            Some(command)
        }
        Language::JavaScript => {
            let mut command = Command::new("node");
            command.arg("--no-warnings").arg(file);
            Some(command)
        }
        Language::TypeScript => {
            let runners: [&[&str]; 3] =
                [&["bun", "run"], &["deno", "run", "--quiet", "--no-config", "--no-lock", "-A"], &["tsx"]];
            let there = |words: &&[&str]| words.first().is_some_and(|name| programs.has(name));
            let words = runners.into_iter().find(there).unwrap_or(&["node", "--no-warnings"]);
            let mut command = Command::new(words.first().copied().unwrap_or("node"));
            // In its own folder, so that no file of the agent's project configures the runtime.
            command.args(words.iter().skip(1)).arg(file).current_dir(folder);
            Some(command)
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Python,
    JavaScript,
    TypeScript,
}

/// The language of a script; none for a module.
fn kind(file: &str) -> Option<Language> {
    let language = match Path::new(file).extension()?.to_str()? {
        "py" => Language::Python,
        "js" | "mjs" | "cjs" => Language::JavaScript,
        "ts" | "mts" | "cts" => Language::TypeScript,
        _ => return None,
    };
    let mut text = Vec::new();
    File::open(file).ok()?.take(LONGEST).read_to_end(&mut text).ok()?;
    is_script(language, &String::from_utf8_lossy(&text)).then_some(language)
}

fn is_script(language: Language, text: &str) -> bool {
    let has = |pattern: &str| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text));
    match language {
        Language::Python => !has(PYTHON_FUNCTION) && has(&format!("(?m){PYTHON_SCRIPT}")),
        Language::JavaScript | Language::TypeScript => !has(SCRIPT_EXPORT) && has(SCRIPT_READS),
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, is_script};

    #[test]
    fn scripts_are_told_from_modules() {
        for (language, text, expected) in [
            (
                Language::Python,
                "def validate(tool_input, context=None):\n    pass\nif __name__ == '__main__':\n    pass\n",
                false,
            ),
            (Language::Python, "async def process(a, b, c):\n    pass\n", false),
            (Language::Python, "from guard import process\n", false),
            (Language::Python, "process = make()\n", false),
            (Language::Python, "import json, sys\nevent = json.load(sys.stdin)\n", true),
            (Language::Python, "def main():\n    pass\nif __name__ == \"__main__\":\n    main()\n", true),
            (Language::Python, "class A:\n    def process(self):\n        pass\nA(sys.stdin)\n", true),
            (Language::Python, "def validate_bash_command(command):\n    return {}\n", false),
            (Language::JavaScript, "export function process(e) {}\n", false),
            (Language::JavaScript, "module.exports = (e) => ({})\n", false),
            (Language::JavaScript, "process.stdin.on('data', d => {})\n", true),
            (Language::JavaScript, "const e = JSON.parse(require('fs').readFileSync(0))\n", true),
            (Language::JavaScript, "console.log('x')\n", false),
            (Language::TypeScript, "const e = await Bun.stdin.json()\n", true),
        ] {
            assert_eq!(is_script(language, text), expected, "{text}");
        }
    }
}
