use std::collections::{BTreeMap, HashMap};

use tollgate_model::git::{GitAsk, GitStatus, Repo, stands_for};
use tollgate_model::stage::is_test_database;
use tollgate_model::{
    Card, Case, Certainty, Effect, EffectKind, FileKind, Hit, Place, Rule, Span, World, WriteMode, Zone,
    is_ignored_output, is_rebuildable,
};

use crate::kit::{listed, rule, shown};

rule! {
    /// Asks before deleting project files that cannot be restored: files matched by a glob, several files at once, or a local database.
    ///
    /// Deleting one file by its name is allowed, unless it is overwritten first (`shred`). Committed files, test databases, files that
    /// this session has written and files that a tool makes again are allowed, too.
    ///
    /// ## Instead
    /// Commit or stash them first, or move them.
    pub struct WorkFileDelete;
    id: "work-file-delete", pack: Core, level: Save, otherwise: Ask,
    instead: ["git stash -u", "mv data/local.db data/local.old.db"],
    examples: [
        hit Shell("rm data/local.db"),
        hit Shell("truncate -s 0 data/local.db"),
        hit Shell("cp /dev/null data/local.db"),
        hit Shell("cp migrations/001.sql data/local.db"),
        hit Shell("rm data/*"),
        hit Shell("for f in data/*.db; do rm \"$f\"; done"),
        hit Shell("rm notes.txt data/local.db"),
        hit Shell("shred -u notes.txt"),
        hit Shell("python3 -c 'import glob, os; [os.remove(f) for f in glob.glob(\"data/*\")]'"),
        pass Shell("rm notes.txt"),
        pass Shell("rm docs/*.md"),
        pass Shell("shred -u docs/guide.md"),
        pass Shell("shred -u /tmp/key"),
        pass Shell("rm *.log"),
        pass Shell("rm web/dist/*"),
        pass Shell("rm data/test.db"),
        pass Shell("cp data/local.db data/copy.db"),
        pass Shell("mv data/*.db /tmp/"),
    ],
}

impl Rule for WorkFileDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let mut trees: BTreeMap<Option<String>, Vec<File>> = BTreeMap::new();
        for file in files(case) {
            trees.entry(repository(&file.path, case.world)).or_default().push(file);
        }
        trees.iter().find_map(|(root, files)| in_tree(root.as_deref(), files, case.world))
    }
}

fn in_tree(root: Option<&str>, files: &[File], world: &dyn World) -> Option<Hit> {
    let status = root.and_then(|root| status(root, files, world));
    let lost: Vec<&File> = files.iter().filter(|file| is_lost(file, root, &status)).collect();
    let found = lost.iter().find(|file| !file.named || is_database(&file.path, world));
    let foreign = |file: &&&File| world.memory().state_of(&file.path).is_none();
    let several = root.is_some() && lost.iter().filter(|file| file.named).filter(foreign).count() > 1;
    let first = found.or(lost.first().filter(|_| several))?;
    let base = world.workspace();
    let names: Vec<String> = lost.iter().map(|file| within(&file.path, base).to_owned()).collect();
    Some(Hit {
        what: format!("deletes or empties {} with uncommitted work: {}", shown(first.place), listed(&names)),
        instead: "commit or stash the work first (`git stash -u`), or move it".to_owned(),
        span: first.span,
        certainty: first.certainty,
    })
}

/// A file that is there and goes.
struct File<'a> {
    path: String,
    place: &'a Place,
    span: Span,
    certainty: Certainty,
    /// It was called by its own name, not by a pattern, and only let go of.
    named: bool,
}

/// The most files that are looked at.
const MOST: usize = 500;

fn files<'a>(case: &Case<'a>) -> Vec<File<'a>> {
    let mut files: Vec<File> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (at, effect) in case.effects.iter().enumerate() {
        let Some((place, walks)) = target(&effect.kind, case.world) else { continue };
        if place.pattern && (walks || effect.certainty != Certainty::Certain) {
            continue;
        }
        let paths = if place.pattern { expanded(&place.path, case.world) } else { vec![place.path.clone()] };
        for path in paths {
            // Who shreds a file wants it beyond recovery; what the session made is its own.
            let foreign = case.world.memory().state_of(&path).is_none();
            let shredded = foreign && is_shredded(case.effects, at);
            if let Some(file) = known.get(&path).and_then(|at| files.get_mut(*at)) {
                file.named &= !shredded;
            } else if files.len() < MOST && is_work(&path, case.world) {
                let (span, certainty) = (effect.span, effect.certainty);
                known.insert(path.clone(), files.len());
                files.push(File { path, place, span, certainty, named: !place.pattern && !shredded });
            }
        }
    }
    let named = files.iter().filter(|file| file.named).count();
    files.retain(|file| !file.named || named > 1 || is_database(&file.path, case.world));
    files
}

/// Is a file written over and let go of by the same word?
fn is_shredded(effects: &[Effect], at: usize) -> bool {
    let (Some(gone), Some(before)) = (effects.get(at), at.checked_sub(1).and_then(|at| effects.get(at)))
    else {
        return false;
    };
    match (&before.kind, &gone.kind) {
        (
            EffectKind::Write { place: over, mode: WriteMode::Overwrite, content: None },
            EffectKind::Delete { place, moved: false, .. },
        ) => over.path == place.path && before.span == gone.span,
        _ => false,
    }
}

/// What goes in the workspace, and whether with all below it.
fn target<'a>(kind: &'a EffectKind, world: &dyn World) -> Option<(&'a Place, bool)> {
    let (place, walks) = match kind {
        EffectKind::Delete { place, recursive, moved: false } => (place, *recursive),
        EffectKind::Write { place, mode: WriteMode::Overwrite, content: Some(text) } if text.is_empty() => {
            (place, false)
        }
        // Another file in its place is no edit of a database.
        EffectKind::Write { place, mode: WriteMode::Overwrite, .. } if is_database(&place.path, world) => {
            (place, false)
        }
        _ => return None,
    };
    (place.zone == Zone::Workspace && !place.root).then_some((place, walks))
}

fn is_work(path: &str, world: &dyn World) -> bool {
    world.kind(path) == FileKind::File && !is_rebuildable(path, world.workspace(), world)
}

fn is_database(path: &str, world: &dyn World) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    let endings = [".db", ".sqlite", ".sqlite3", ".db3", ".duckdb", ".mdb", ".accdb", ".realm"];
    let called = || endings.iter().any(|ending| name.ends_with(ending));
    let holds = || world.read(path, 16).is_some_and(|start| start == b"SQLite format 3\0");
    !is_test_database(&name) && !name.contains("cache") && (called() || holds())
}

fn repository(path: &str, world: &dyn World) -> Option<String> {
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    Repo::find(folder, world)?.root
}

/// What is not committed of these files, without what is made again.
fn status(root: &str, files: &[File], world: &dyn World) -> Option<GitStatus> {
    let paths = files.iter().map(|file| file.path.clone()).collect();
    let ask = GitAsk { paths, untracked: true, ignored: true, ..GitAsk::default() };
    let mut status = world.git_status(root, &ask)?;
    status.ignored.retain(|entry| !is_ignored_output(entry, root, world));
    Some(status)
}

/// Does nothing hold what is in the file? Changes of a committed file count only where nobody named it: whoever changes
/// a file and then deletes it by its name means both.
fn is_lost(file: &File, root: Option<&str>, status: &Option<GitStatus>) -> bool {
    let (Some(root), Some(status)) = (root, status) else { return true };
    let path = within(&file.path, root);
    let holds = |entry: &String| entry == path || entry.ends_with('/') && path.starts_with(entry.as_str());
    status.untracked.iter().chain(&status.ignored).any(holds)
        || !file.named && status.modified.iter().any(holds)
}

fn within<'a>(path: &'a str, root: &str) -> &'a str {
    path.strip_prefix(root).map_or(path, |rest| rest.trim_start_matches('/'))
}

/// The paths that are there and that a pattern stands for.
fn expanded(pattern: &str, world: &dyn World) -> Vec<String> {
    let mut paths = vec![String::new()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        paths = match part.contains(['*', '?', '[']) {
            false => paths.into_iter().map(|path| format!("{path}/{part}")).collect(),
            true => paths.iter().flat_map(|path| entries(path, part, world)).take(MOST).collect(),
        };
    }
    paths
}

fn entries(folder: &str, part: &str, world: &dyn World) -> Vec<String> {
    let pattern = without_sets(part);
    let hidden = pattern.starts_with('.');
    let names = world.list(folder, 2000).into_iter();
    let matching = names.filter(|name| (hidden || !name.starts_with('.')) && stands_for(&pattern, name));
    matching.map(|name| format!("{folder}/{name}")).collect()
}

/// A set of letters (`[a-z]`) stands for some letter.
fn without_sets(part: &str) -> String {
    let mut text = String::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('[') {
        let Some(end) = behind.char_indices().skip(1).find(|(_, letter)| *letter == ']') else { break };
        text.push_str(before);
        text.push('?');
        rest = behind.get(end.0 + 1..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}
