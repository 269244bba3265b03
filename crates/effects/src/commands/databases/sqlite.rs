//! Databases in a file: SQLite and its like.

use tollgate_model::Zone;
use tollgate_shell::eval::Outcome;

use super::given::Given;
use super::statements;
use crate::commands::Run;
use crate::sql::Flavour;
use crate::word::Word;

/// `sqlite3 [options] file [sql…]`; its options have one dash.
pub(in crate::commands) fn sqlite(run: &mut Run) -> Outcome {
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
        kept(run, file, &texts);
    }
    let other = others(run, &texts).into_iter().find(|file| !is_passing(run, file));
    let file = other.or(file);
    if file.as_ref().is_none_or(|file| is_passing(run, file)) {
        // Nothing is lost with a database in memory; the client may still run programs.
        return client_only(run, &texts, files);
    }
    let target = file.iter().map(Word::shown).collect();
    let stdin = texts.iter().all(|text| text.shown().starts_with('.')) && files.is_empty();
    let (hosts, flavour) = (Vec::new(), Flavour::Sqlite);
    statements(run, &Given { texts, files, target, hosts, flavour, stdin, program: "sqlite3" })
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
        hosts: Vec::new(),
        flavour: Flavour::Sqlite,
        stdin: texts.is_empty(),
        program: "sqlite3",
    };
    statements(run, &given)
}

/// Files of databases that the client opens besides: `.open file`, `attach 'file' as x`.
fn others(run: &Run, texts: &[Word]) -> Vec<Word> {
    let mut files = Vec::new();
    let shown = texts.iter().map(Word::shown);
    let given = run.stdin().and_then(|text| text.as_literal().map(str::to_owned));
    for text in shown.chain(given).filter(|text| text.len() < 1 << 20) {
        for line in text.lines() {
            let opened = line.trim_start().strip_prefix(".open ");
            let named = opened.and_then(|rest| rest.split_whitespace().find(|word| !word.starts_with('-')));
            let lower = line.to_ascii_lowercase();
            let attached = lower.find("attach ").and_then(|at| line.get(at..)?.split(['\'', '"']).nth(1));
            files.extend(named.into_iter().chain(attached).map(|file| {
                named_by_address(&Word::literal_at(file.trim_matches(['\'', '"']), run.call.span))
            }));
        }
    }
    files
}

/// A database that the gate, an agent or the system keeps is changed as a file is.
fn kept(run: &mut Run, file: &Word, texts: &[Word]) {
    let changes = |text: &str| {
        let lower = text.to_ascii_lowercase();
        let verbs = [
            "insert", "update", "delete", "replace", "drop", "create", "alter", "vacuum", ".restore",
            ".import",
        ];
        verbs.iter().any(|verb| lower.split([';', '\n']).any(|part| part.trim_start().starts_with(verb)))
    };
    let given = run.stdin().and_then(|text| text.as_literal().map(str::to_owned));
    let changed = texts.iter().any(|text| changes(&text.shown())) || given.is_some_and(|text| changes(&text));
    let world = run.analyst.world;
    let own = |place: &tollgate_model::Place| {
        matches!(place.zone, Zone::AgentConfig | Zone::Secret | Zone::System)
            || crate::analyst::own_at(place, false, world).is_some()
    };
    if changed && run.analyst.places(file, run.shell).iter().any(|(place, _)| own(place)) {
        run.analyst.write(file, tollgate_model::WriteMode::Overwrite, None, run.shell);
    }
}

/// Is there a database already that the client works on?
pub(super) fn is_there(run: &Run, given: &Given) -> bool {
    given.target.iter().any(|file| {
        let word = Word::literal_at(file, run.call.span);
        let places = run.analyst.places(&word, run.shell);
        places.iter().any(|(place, _)| run.analyst.world.kind(&place.path) == tollgate_model::FileKind::File)
    })
}
