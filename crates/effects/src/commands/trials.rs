//! Runners of tests and targets: what this session wrote runs with them, though no word of the command names it.

use tollgate_model::{CodeSource, Effect, EffectKind, Zone};
use tollgate_shell::value::Value;

use super::Run;
use super::strangers::supposing;
use crate::carriers::is_test;
use crate::languages::{self, Language, Program};
use crate::word::Word;

/// How many files are followed.
const MOST: usize = 16;

/// What the files do that this session wrote and that the command runs.
pub(super) fn notice(run: &mut Run) {
    let verb =
        run.args.iter().map(Word::shown).find(|word| !word.starts_with(['-', '+'])).unwrap_or_default();
    match run.program {
        "cargo" => cargo(run, &verb),
        "go" if verb == "test" => tests(run, &[".go"], Language::Slashed),
        "pytest" | "py.test" => {
            plugins(run);
            tests(run, &[".py"], Language::Python);
        }
        "vitest" | "jest" | "mocha" | "ava" => {
            tests(run, &[".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx"], Language::JavaScript);
        }
        _ => {}
    }
}

fn cargo(run: &mut Run, verb: &str) {
    let builds =
        ["run", "r", "test", "t", "bench", "build", "b", "check", "c", "clippy", "nextest", "install", "doc"];
    if !builds.contains(&verb) {
        return;
    }
    let span = run.call.span;
    let usual: &[&str] = match verb {
        "run" | "r" | "install" => &["build.rs", "src/main.rs", "src/lib.rs"],
        "test" | "t" | "bench" | "nextest" => &["build.rs", "src/lib.rs"],
        _ => &["build.rs"],
    };
    let named = usual.iter().map(|name| (*name).to_owned()).chain(super::sources::targets(run));
    let programs = matches!(verb, "run" | "r" | "install");
    for file in named.map(|name| Word::literal_at(&name, span)).collect::<Vec<_>>() {
        if programs {
            super::sources::written(run, &file);
        }
        ran(run, &file, Language::Slashed);
    }
    if matches!(verb, "test" | "t" | "nextest") {
        tests(run, &[".rs"], Language::Slashed);
    }
}

/// The tests that this session wrote, all of them or those that are named.
fn tests(run: &mut Run, ends: &[&str], language: Language) {
    let named: Vec<String> = run.args.iter().map(Word::shown).filter(|word| !word.starts_with('-')).collect();
    let asked = |path: &str| {
        let files: Vec<&str> = named.iter().map(|word| word.split("::").next().unwrap_or_default()).collect();
        let mut files = files.iter().filter(|word| ends.iter().any(|end| word.ends_with(end))).peekable();
        files.peek().is_none() || files.any(|word| path.ends_with(word.trim_start_matches("./")))
    };
    let wanted = |path: &String| {
        (is_test(path) || path.ends_with("/conftest.py"))
            && ends.iter().any(|end| path.ends_with(end))
            && asked(path)
    };
    let files: Vec<String> = written(run).into_iter().filter(wanted).take(MOST).collect();
    for path in files {
        ran(run, &Word::literal_at(&path, run.call.span), language);
    }
}

/// The files that this call and the earlier ones of the session wrote.
fn written(run: &Run) -> Vec<String> {
    let own = run.analyst.searched().iter().filter_map(|effect| match &effect.kind {
        EffectKind::Write { place, .. } if !place.pattern => Some(place.path.clone()),
        _ => None,
    });
    let mut paths: Vec<String> = own.chain(run.analyst.world.memory().stated().map(str::to_owned)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// `pytest -p module`, and the same in its settings.
fn plugins(run: &mut Run) {
    let mut words: Vec<String> = run.args.iter().map(Word::shown).collect();
    for name in ["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"] {
        let file = Word::literal_at(name, run.call.span);
        let text = run.analyst.script(&file, run.shell);
        let text = text.as_ref().and_then(Value::as_literal).unwrap_or_default();
        let lines = text.lines().skip_while(|line| !line.trim_start().starts_with("addopts")).take(8);
        words.extend(
            lines.flat_map(|line| line.split([' ', '"', '\'', ',', '[', ']', '='])).map(str::to_owned),
        );
    }
    words.retain(|word| !word.is_empty());
    let behind = words.windows(2).filter_map(|pair| match pair {
        [flag, module] if flag == "-p" => Some(module.clone()),
        _ => None,
    });
    let attached = words.iter().filter_map(|word| word.strip_prefix("-p")).map(str::to_owned);
    let modules = behind.chain(attached).filter(|module| !module.is_empty() && !module.starts_with("no:"));
    for module in modules.take(MOST).collect::<Vec<_>>() {
        plugin(run, &module);
    }
}

/// A module that is loaded with the tests: one of the project, unless a package is called so.
pub(super) fn plugin(run: &mut Run, module: &str) {
    let file = Word::literal_at(&format!("{}.py", module.replace('.', "/")), run.call.span);
    run.analyst.recall_package(&file, run.shell);
    ran(run, &file, Language::Python);
}

/// What a file does that this session wrote, as far as it is grave. What tests do to folders of their own is theirs.
fn ran(run: &mut Run, file: &Word, language: Language) {
    let Some(written) = run.analyst.own_text(file, run.shell) else { return };
    let Some(text) = written.as_literal() else { return };
    let own = ["chdir", "tmp_path", "tmpdir", "TempDir", "mkdtemp", "tempdir"]
        .iter()
        .any(|word| text.contains(word));
    let keep = |effect: &Effect| match &effect.kind {
        EffectKind::Read { place, .. } => place.zone == Zone::Secret && !own,
        EffectKind::Exec { source, .. } => *source == CodeSource::Downloaded,
        EffectKind::Delete { place, recursive, .. } => *recursive && !own && place.zone >= Zone::OtherProject,
        EffectKind::Tamper { .. } => true,
        _ => false,
    };
    let program = Program {
        code: written.clone(),
        span: file.span,
        file: Some(file.clone()),
        from_input: false,
        args: Vec::new(),
    };
    supposing(run, keep, |run| drop(languages::run(run, language, &program)));
}
