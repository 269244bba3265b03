//! Modules of a project's own that are run by their names.

use tollgate_shell::eval::Outcome;

use super::given::read;
use super::languages::from_file;
use super::preamble;
use crate::commands::Run;
use crate::languages::Language;
use crate::word::Word;

/// Modules of Python's own that are run by their names; nobody calls one of a project like that.
const LIBRARY: &[&str] = &[
    "ast",
    "asyncio",
    "base64",
    "calendar",
    "cProfile",
    "compileall",
    "dis",
    "doctest",
    "ensurepip",
    "gzip",
    "http",
    "inspect",
    "json",
    "pdb",
    "pip",
    "platform",
    "profile",
    "pstats",
    "py_compile",
    "pydoc",
    "site",
    "sqlite3",
    "sysconfig",
    "tarfile",
    "timeit",
    "tokenize",
    "trace",
    "unittest",
    "uuid",
    "venv",
    "webbrowser",
    "zipapp",
    "zipfile",
];

/// A module of the project's own is a file, or the main program of a package.
pub(super) fn own_module(run: &mut Run, module: &Word, rest: &[Word]) -> Outcome {
    let base = module.shown().replace('.', "/");
    let given = preamble::folders(run, "PYTHONPATH");
    for folder in std::iter::once(String::new()).chain(given) {
        for end in [".py", "/__main__.py"] {
            let file = Word::literal_at(&format!("{folder}{base}{end}"), module.span);
            if run.analyst.script(&file, run.shell).is_some() {
                packages(run, &format!("{folder}{base}{end}"), folder.len(), &file, rest);
                return from_file(run, Language::Python, &file, rest);
            }
            // It may be one that an earlier call fetches, and that is not there yet.
            if !LIBRARY.contains(&module.shown().split('.').next().unwrap_or_default()) {
                run.analyst.recall(&file, run.shell);
            }
        }
    }
    run.derived()
}

/// The packages that a module is in are run before it, the outermost first.
fn packages(run: &mut Run, path: &str, from: usize, file: &Word, rest: &[Word]) {
    let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > from);
    for end in ends.take(PACKAGES) {
        let package = path.get(..end).unwrap_or_default();
        let init = Word::literal_at(&format!("{package}/__init__.py"), file.span);
        if run.analyst.script(&init, run.shell).is_some() {
            from_file(run, Language::Python, &init, rest);
        }
    }
}

/// The most packages in one another that are run.
const PACKAGES: usize = 8;

/// `python -m zipapp folder -o file`: running the file runs the folder's main module.
pub(super) fn zipped(run: &mut Run, words: &[Word]) {
    let given = read(words, "o= output= p= python= m= main= c compress info", &[]);
    let Some(folder) = given.rest.first().cloned() else { return };
    let target = given.value(&["o", "output"]).cloned().unwrap_or_else(|| {
        let mut text = folder.text.clone();
        text.push_str(".pyz");
        Word { text, ..folder.clone() }
    });
    let mut text = folder.text.clone();
    text.push_str("/__main__.py");
    let main = run.analyst.script(&Word { text, ..folder }, run.shell);
    run.analyst.write(&target, tollgate_model::WriteMode::Overwrite, main.as_ref(), run.shell);
}

/// `python -m venv folder`
pub(super) fn makes_environment(run: &mut Run, operands: &[Word]) {
    let places: Vec<_> = operands.iter().flat_map(|word| run.analyst.places(word, run.shell)).collect();
    run.analyst.environments.extend(places.into_iter().map(|(place, _)| place.path));
}
