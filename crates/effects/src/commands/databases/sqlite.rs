//! Databases in a file: SQLite and its like.

use tollgate_model::Zone;
use tollgate_shell::eval::Outcome;

use super::{Given, statements};
use crate::commands::Run;
use crate::sql::Flavour;
use crate::word::Word;

/// `sqlite3 [options] file [sql…]`; its options have one dash.
pub(super) fn sqlite(run: &mut Run) -> Outcome {
    let takes = [
        "cmd",
        "init",
        "separator",
        "newline",
        "nullvalue",
        "mmap",
        "lookaside",
        "pagecache",
        "heap",
        "maxsize",
        "vfs",
        "c",
        "s",
        "f",
    ];
    let mut texts = Vec::new();
    let mut files = Vec::new();
    let mut operands = Vec::new();
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        let shown = word.shown();
        let name = shown.trim_start_matches('-');
        if name.len() == shown.len() || !operands.is_empty() {
            operands.push(word.clone());
        } else if takes.contains(&name) {
            let value = rest.next().cloned();
            match name {
                "cmd" | "c" | "s" => texts.extend(value),
                "init" | "f" => files.extend(value),
                _ => {}
            }
        } else if name == "version" || name == "help" {
            return run.derived();
        }
    }
    let file = operands.first().map(named_by_address);
    texts.extend(operands.into_iter().skip(1));
    if let Some(file) = &file {
        run.read(file, false);
    }
    if file.as_ref().is_none_or(|file| is_passing(run, file)) {
        // Nothing is lost with a database in memory; the client may still run programs.
        return client_only(run, &texts, files);
    }
    let target = file.iter().map(Word::shown).collect();
    let stdin = texts.iter().all(|text| text.shown().starts_with('.')) && files.is_empty();
    statements(run, &Given { texts, files, target, flavour: Flavour::Sqlite, stdin, program: "sqlite3" })
}

/// `file:path?mode=ro` is an address of the file.
fn named_by_address(word: &Word) -> Word {
    if !word.text.prefix().starts_with("file:") {
        return word.clone();
    }
    let path = word.from("file:".len());
    match path.literal().and_then(|text| text.split_once('?')) {
        Some((path, _)) => Word::literal_at(path.strip_prefix("//").unwrap_or(path), word.span),
        None => path,
    }
}

/// Is it a database in memory, or one in a temporary directory?
fn is_passing(run: &Run, file: &Word) -> bool {
    let shown = file.shown();
    shown.is_empty()
        || shown.contains(":memory:")
        || run.analyst.places(file, run.shell).iter().all(|(place, _)| place.zone == Zone::Temp)
}

fn client_only(run: &mut Run, texts: &[Word], files: Vec<Word>) -> Outcome {
    let target = vec![":memory:".to_owned()];
    let given = Given {
        texts: texts.to_vec(),
        files,
        target,
        flavour: Flavour::Sqlite,
        stdin: texts.is_empty(),
        program: "sqlite3",
    };
    statements(run, &given)
}
