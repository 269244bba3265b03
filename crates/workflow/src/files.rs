//! Files below the project: which match a pattern, what they hold, and what git says about them.

use tollgate_model::git::{GitAsk, Repo};
use tollgate_model::{FileKind, World};
use tollgate_policy::glob;

/// The most entries that one search looks at.
const MOST: usize = 4000;
const DEEPEST: usize = 12;
/// The most of a file that is read.
pub const LONGEST: usize = 1 << 20;

/// Folders of other people's code and of what was built.
const SKIPPED: [&str; 11] = [
    ".git",
    "node_modules",
    "target",
    "vendor",
    "dist",
    "build",
    ".venv",
    "venv",
    "__pycache__",
    ".next",
    ".cache",
];

/// The files below a folder that match a pattern relative to it, sorted.
pub fn matching(world: &dyn World, root: &str, pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    for one in glob::expand(pattern).unwrap_or_default() {
        let names: Vec<&str> = one.split('/').collect();
        let mut left = MOST;
        walk(world, root, &names, &mut found, &mut left);
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn walk(world: &dyn World, folder: &str, names: &[&str], found: &mut Vec<String>, left: &mut usize) {
    let Some((name, rest)) = names.split_first() else { return };
    if *name == "**" {
        let below: Vec<String> = subfolders(world, folder, left);
        if rest.is_empty() {
            take_all(world, folder, found, left);
        } else {
            walk(world, folder, rest, found, left);
        }
        if folder.split('/').count() < DEEPEST + 20 {
            below.iter().for_each(|sub| walk(world, sub, names, found, left));
        }
        return;
    }
    let entries = if is_plain(name) { vec![(*name).to_owned()] } else { world.list(folder, MOST) };
    for entry in entries.into_iter().filter(|entry| glob::matches(name, entry)) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let path = format!("{folder}/{entry}");
        match (world.kind(&path), rest.is_empty()) {
            (FileKind::File, true) => found.push(path),
            (FileKind::Dir, false) => walk(world, &path, rest, found, left),
            _ => {}
        }
    }
}

fn subfolders(world: &dyn World, folder: &str, left: &mut usize) -> Vec<String> {
    let mut all = Vec::new();
    for name in world.list(folder, MOST) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        let path = format!("{folder}/{name}");
        if !SKIPPED.contains(&name.as_str()) && world.kind(&path) == FileKind::Dir {
            all.push(path);
        }
    }
    all
}

fn take_all(world: &dyn World, folder: &str, found: &mut Vec<String>, left: &mut usize) {
    for name in world.list(folder, MOST) {
        let path = format!("{folder}/{name}");
        if *left > 0 && world.kind(&path) == FileKind::File {
            *left -= 1;
            found.push(path);
        }
    }
}

fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', '\\'])
}

/// The text of a file; none when there is none.
pub fn text(world: &dyn World, path: &str) -> Option<String> {
    world.read(path, LONGEST).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// What keeps a path from being committed; empty when nothing does. None: git could not be asked.
pub fn uncommitted(world: &dyn World, path: &str) -> Option<Vec<String>> {
    let real = world.real(path).unwrap_or_else(|| path.to_owned());
    let kind = world.kind(&real);
    let shown = || vec![path.to_owned()];
    if kind == FileKind::Missing && !path.ends_with('/') && is_file_name(path) {
        return Some(shown());
    }
    let folder =
        if kind == FileKind::Dir { real.as_str() } else { real.rsplit_once('/').map_or("/", |(up, _)| up) };
    let Some(root) = Repo::find(folder, world).and_then(|repo| repo.root) else {
        let empty = kind == FileKind::Missing || kind == FileKind::Dir && world.list(&real, 1).is_empty();
        return Some(if empty { Vec::new() } else { vec![format!("{path} (in no git repository)")] });
    };
    let modules = modules(world, &root, &real);
    let ask = GitAsk { paths: vec![real.clone()], untracked: true, ignored: true, modules: true };
    let status = world.git_status(&root, &ask)?;
    // An ignored file among others is nobody's work; where the whole path is ignored, nothing of it is committed.
    let covers = |entry: &&String| {
        let whole = format!("{root}/{}", entry.trim_end_matches('/'));
        real.strip_prefix(&whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let lists = [&status.staged, &status.modified, &status.untracked, &status.deleted];
    let ignored = status.ignored.iter().filter(covers);
    let mut all: Vec<String> = lists.into_iter().flatten().chain(ignored).cloned().collect();
    if status.cut && all.is_empty() {
        return None;
    }
    for module in modules {
        all.extend(uncommitted(world, &module)?);
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// The files below a folder that are wanted and not committed, relative to it. None: git could not be asked.
pub fn uncommitted_below(
    world: &dyn World,
    folder: &str,
    wanted: impl Fn(&str) -> bool,
) -> Option<Vec<String>> {
    let real = world.real(folder).unwrap_or_else(|| folder.to_owned());
    let below = |path: &str| path.strip_prefix(&real)?.strip_prefix('/').map(str::to_owned);
    let Some(root) = Repo::find(&real, world).and_then(|repo| repo.root) else {
        let all = matching(world, &real, "**");
        let found = all.iter().filter_map(|path| below(path)).filter(|path| wanted(path));
        return Some(found.map(|path| format!("{path} (in no git repository)")).collect());
    };
    let ask = GitAsk { paths: vec![real.clone()], untracked: true, ignored: false, modules: true };
    let status = world.git_status(&root, &ask)?;
    let lists = [&status.staged, &status.modified, &status.untracked, &status.deleted];
    let mut open = Vec::new();
    for entry in lists.into_iter().flatten() {
        let path = format!("{root}/{entry}");
        // A folder of which git knows nothing stands for all that is in it.
        let files = match path.strip_suffix('/') {
            Some(folder) => matching(world, folder, "**"),
            None => vec![path],
        };
        open.extend(files.iter().filter_map(|path| below(path)).filter(|path| wanted(path)));
    }
    open.sort_unstable();
    open.dedup();
    (!open.is_empty() || !status.cut).then_some(open)
}

/// The submodules at or below a path that are checked out: git says nothing of what is in them.
fn modules(world: &dyn World, root: &str, path: &str) -> Vec<String> {
    let list = text(world, &format!("{root}/.gitmodules")).unwrap_or_default();
    let paths =
        list.lines().filter_map(|line| line.trim().strip_prefix("path")?.trim_start().strip_prefix('='));
    let whole = paths.map(|module| format!("{root}/{}", module.trim()));
    let below = |module: &String| module.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    whole
        .filter(|module| below(module) && world.kind(&format!("{module}/.git")) != FileKind::Missing)
        .collect()
}

fn is_file_name(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.contains('.'))
}

/// Is there a test of this name in the project? Runners name tests by path, by function or by description.
pub fn has_test(world: &dyn World, root: &str, name: &str) -> bool {
    let (file, rest) = name.split_once("::").filter(|(file, _)| file.contains('.')).unwrap_or(("", name));
    let leaf = ["::", " > ", " › "].iter().fold(rest, |text, part| text.rsplit(part).next().unwrap_or(text));
    let leaf = leaf.split('[').next().unwrap_or(leaf).trim();
    let by_line = name.split_once(':').map(|(file, _)| file).unwrap_or_default();
    for direct in [file, by_line, name.split(" > ").next().unwrap_or_default()] {
        let path = format!("{root}/{direct}");
        if !direct.is_empty() && world.kind(&path) == FileKind::File {
            return direct == by_line
                || direct == name
                || text(world, &path).is_some_and(|text| text.contains(leaf));
        }
    }
    // Python's own runner names a module that it could not load.
    let module = leaf.rsplit('.').next().unwrap_or(leaf);
    let mut left = MOST;
    mentions(world, root, &Sought { text: leaf, module }, &mut left, 0)
}

/// What is looked for in files of code: a text, or a file of this name.
struct Sought<'a> {
    text: &'a str,
    module: &'a str,
}

fn mentions(world: &dyn World, folder: &str, sought: &Sought, left: &mut usize, depth: usize) -> bool {
    if depth > DEEPEST || sought.text.is_empty() {
        return false;
    }
    let mut below = Vec::new();
    for name in world.list(folder, MOST) {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let path = format!("{folder}/{name}");
        match world.kind(&path) {
            FileKind::Dir if !SKIPPED.contains(&name.as_str()) => below.push(path),
            FileKind::File if is_code(&name) => {
                let is_module = name.strip_suffix(".py") == Some(sought.module);
                if is_module || text(world, &path).is_some_and(|text| text.contains(sought.text)) {
                    return true;
                }
            }
            _ => {}
        }
    }
    below.iter().any(|sub| mentions(world, sub, sought, left, depth + 1))
}

fn is_code(name: &str) -> bool {
    const ENDS: [&str; 24] = [
        "rs", "py", "js", "ts", "jsx", "tsx", "mjs", "cjs", "mts", "go", "php", "rb", "java", "kt", "cs",
        "swift", "ex", "exs", "scala", "c", "cc", "cpp", "vue", "svelte",
    ];
    name.rsplit_once('.').is_some_and(|(_, end)| ENDS.contains(&end))
}
