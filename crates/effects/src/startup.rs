//! Files that something reads or runs by itself: at login, at start, on a timer. A catalogue.

mod places;

use tollgate_model::{CodeSource, Effect, EffectKind, FileKind, Lasting, Mark, Place, World, Zone};

use places::{HOME_JOBS, HOME_STARTUP, HOME_WAYS_IN, SYSTEM_JOBS, SYSTEM_STARTUP, SYSTEM_WAYS_IN};

use crate::catalogue;
use crate::content;
use crate::paths::{glob_could_be, normal, within};
use tollgate_catalogue::Tag;

/// What a write to this place leaves behind, if something will run or read it by itself.
pub(crate) fn left(place: &Place, texts: &[String], world: &dyn World) -> Option<EffectKind> {
    if place.pattern {
        return loose(place).or_else(|| spelled(place, world));
    }
    let path = place.path.as_str();
    let shown = format!("`{}`", if place.shown.is_empty() { path } else { &place.shown });
    let start = if let Some(rest) = below_home(path, world) {
        in_home(rest)
    } else {
        in_system(path.trim_start_matches('/'))
    };
    let start = start.or_else(|| anywhere(path, texts, world))?;
    Some(EffectKind::Persist { kind: start, what: shown })
}

/// In a folder that is only known when it runs, a name may still say what the file is for.
fn loose(place: &Place) -> Option<EffectKind> {
    let path = if place.path.is_empty() { &place.shown } else { &place.path };
    let name = path.rsplit('/').next().unwrap_or_default();
    let starts = name.ends_with(".pth") || matches!(name, "sitecustomize.py" | "usercustomize.py");
    starts.then(|| EffectKind::Persist { kind: Lasting::StartupFile, what: format!("`{name}`") })
}

/// A pattern that says most of a name: `~/.bashr?`.
fn spelled(place: &Place, world: &dyn World) -> Option<EffectKind> {
    let rest = below_home(&place.path, world)?;
    let known = rest.chars().filter(|c| c.is_alphanumeric()).count();
    let tables = [
        (HOME_WAYS_IN, Lasting::AccessFile),
        (HOME_JOBS, Lasting::Job),
        (HOME_STARTUP, Lasting::StartupFile),
    ];
    let could_be = |entry: &&str| known > 3 && rest.starts_with('.') && glob_could_be(rest, entry);
    let (_, kind) = tables.into_iter().find(|(entries, _)| entries.iter().any(could_be))?;
    Some(EffectKind::Persist { kind, what: format!("`{}`", place.shown) })
}

fn in_home(rest: &str) -> Option<Lasting> {
    if any(HOME_WAYS_IN, rest) {
        return Some(Lasting::AccessFile);
    }
    if any(HOME_JOBS, rest) {
        return Some(Lasting::Job);
    }
    any(HOME_STARTUP, rest).then_some(Lasting::StartupFile)
}

fn in_system(rest: &str) -> Option<Lasting> {
    if any(SYSTEM_WAYS_IN, rest) {
        return Some(Lasting::AccessFile);
    }
    if any(SYSTEM_JOBS, rest) {
        return Some(Lasting::Job);
    }
    any(SYSTEM_STARTUP, rest).then_some(Lasting::StartupFile)
}

/// Files that are run by themselves wherever they lie: hooks of repositories, what Python loads at every
/// start, and what editors run when a folder is opened.
fn anywhere(path: &str, texts: &[String], world: &dyn World) -> Option<Lasting> {
    let parts: Vec<&str> = path.split('/').collect();
    let says = |text: &str| texts.iter().any(|content| content.contains(text));
    match parts.as_slice() {
        [.., "site-packages" | "dist-packages", name] if runs_in_python(name, texts) => {
            Some(Lasting::StartupFile)
        }
        [.., "sitecustomize.py" | "usercustomize.py"] => Some(Lasting::StartupFile),
        [.., ".git", "hooks", name] if !name.ends_with(".sample") => Some(Lasting::AutoRunFile),
        [folder @ .., "hooks", name]
            if is_git_hook(name) && !folder.is_empty() && is_git_folder(&folder.join("/"), world) =>
        {
            Some(Lasting::AutoRunFile)
        }
        [.., ".husky", name]
            if is_git_hook(name) && !all(texts, starts_tasks) && !only_checks(texts, world) =>
        {
            Some(Lasting::AutoRunFile)
        }
        [.., ".envrc"] if !all(texts, sets_up) => Some(Lasting::AutoRunFile),
        [.., ".vscode", "tasks.json"] if says("folderOpen") => Some(Lasting::AutoRunFile),
        [folder @ .., ".yarnrc.yml"]
            if texts.iter().any(|text| runs_from_elsewhere(&folder.join("/"), text)) =>
        {
            Some(Lasting::AutoRunFile)
        }
        [folder @ .., ".git"] if texts.iter().any(|text| leads_elsewhere(&folder.join("/"), text, world)) => {
            Some(Lasting::AutoRunFile)
        }
        [.., ".npmrc"] if ["script-shell", "node-options", "git="].into_iter().any(says) => {
            Some(Lasting::AutoRunFile)
        }
        _ => None,
    }
}

/// A `.git` that is a file leads to the folder of a repository, whose settings and hooks git obeys. Those that git
/// writes itself lead to a working tree's or a submodule's part of another repository, or to a folder beside them: there
/// it must be, and nobody may have put anything of his own into it.
fn leads_elsewhere(folder: &str, text: &str, world: &dyn World) -> bool {
    let Some(target) = git_folder(folder, text) else { return false };
    let open =
        ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|temp| within(&target, temp) && !within(folder, temp));
    if open {
        return true;
    }
    if is_beside(&target, folder) {
        return !is_untouched(&target, world);
    }
    let parts: Vec<&str> = target.split('/').collect();
    // The folder of the repository that it is a part of.
    let whole = (0..parts.len()).find_map(|at| match parts.get(at..) {
        Some([repository, "worktrees" | "modules", _, ..]) => {
            let known = repository.ends_with(".git") || *repository == ".bare";
            known.then(|| (*repository, parts.get(..=at).unwrap_or_default().join("/")))
        }
        _ => None,
    });
    // What is written to a `.git` is looked at wherever it lies.
    whole.is_none_or(|(name, path)| name != ".git" && !is_untouched(&path, world))
}

/// The folder that a `.git` which is a file leads to.
fn git_folder(folder: &str, text: &str) -> Option<String> {
    let target = text.trim().strip_prefix("gitdir:").map(str::trim)?;
    Some(if target.starts_with('/') { normal(target) } else { normal(&format!("{folder}/{target}")) })
}

fn is_beside(target: &str, folder: &str) -> bool {
    target.rsplit_once('/').is_some_and(|(above, _)| above == folder.trim_end_matches('/'))
}

/// The folder beside it that a `.git` which is a file leads to.
pub(crate) fn git_folder_beside(path: &str, text: &str) -> Option<String> {
    let folder = path.strip_suffix("/.git")?;
    git_folder(folder, text).filter(|target| is_beside(target, folder))
}

/// Is it a repository of which the session has made nothing itself? One that it has cloned has settings of git's own.
fn is_untouched(folder: &str, world: &dyn World) -> bool {
    let memory = world.memory();
    let own = ["HEAD", "config", "config.worktree", "commondir", "hooks"];
    let is_strange = |name: &&str| {
        let path = format!("{folder}/{name}");
        memory.touches(&path) || memory.marks(&path).iter().any(|mark| !matches!(mark, Mark::Cloned))
    };
    is_git_folder(folder, world) && !own.iter().any(is_strange)
}

/// The program and the plugins that Yarn loads, where one lies outside of the project or is only known when it runs.
fn runs_from_elsewhere(folder: &str, text: &str) -> bool {
    let value = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let key = key.trim().trim_start_matches("- ").trim_matches(['"', '\'', ' ']);
        matches!(key, "yarnPath" | "path").then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    };
    text.lines().filter_map(value).any(|path| {
        // A block, an anchor or a variable: its text stands elsewhere.
        path.is_empty()
            || path.starts_with(['>', '|', '*', '&', '!'])
            || path.contains(['$', '\\'])
            || path.starts_with('/') && !within(&normal(&path), folder)
            || !within(&normal(&format!("{folder}/{path}")), folder)
    })
}

/// Is every text known, with nothing in it but such lines?
fn all(texts: &[String], plain: fn(&str) -> bool) -> bool {
    let is_plain = |line: &str| line.is_empty() || line.starts_with('#') || plain(line);
    !texts.is_empty() && texts.iter().all(|text| text.lines().all(|line| is_plain(line.trim())))
}

/// Does a hook do nothing but start tasks of the project, look at what is about to be committed, and say what it saw?
fn only_checks(texts: &[String], world: &dyn World) -> bool {
    const GIT: &[&str] =
        &["diff", "diff-index", "log", "ls-files", "rev-parse", "show", "status", "symbolic-ref"];
    let is_known = |program: &str, argv: &[String]| match program {
        "git" => argv.get(1).is_some_and(|verb| GIT.contains(&verb.as_str())),
        program => catalogue::is(program, Tag::StartsTasks) || catalogue::is(program, Tag::OnlyLooks),
    };
    let checks = |effect: Effect| match effect.kind {
        EffectKind::Exec { program, argv, source: CodeSource::Literal } => is_known(&program, &argv),
        EffectKind::Read { place, .. } => place.zone == Zone::Workspace,
        EffectKind::Write { place, .. } => place.path == "/dev/null",
        // What the tasks themselves change, they change whenever they run.
        EffectKind::Alter { .. } => true,
        _ => false,
    };
    // A variable may put another program in a task's place.
    let sets = |word: &str| word.split_once('=').is_some_and(|(name, _)| is_variable(name));
    !texts.is_empty()
        && !texts.iter().any(|text| text.split_whitespace().any(sets))
        && texts.iter().all(|text| content::shell_effects(text, world).into_iter().all(checks))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A line of a hook that starts a task of the project by its name: nothing in it is of the hook's own.
fn starts_tasks(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let loader = line.starts_with(". \"$(dirname") && line.ends_with("/_/husky.sh\"");
    let plain = !line.contains([';', '|', '>', '<', '`', '(']) && !line.replace("&&", "").contains('&');
    // The wrapper of Gradle lies in the project.
    let starts = |first: &str| first == "./gradlew" || catalogue::is(first, Tag::StartsTasks);
    let each = line.split("&&").all(|part| part.split_whitespace().next().is_some_and(starts));
    loader || plain && each && !first.is_empty()
}

/// A line of an `.envrc` that sets variables, or calls one of direnv's own functions that load no other code.
fn sets_up(line: &str) -> bool {
    const FUNCTIONS: &[&str] = &[
        "PATH_add",
        "MANPATH_add",
        "path_add",
        "use",
        "layout",
        "dotenv",
        "dotenv_if_exists",
        "watch_file",
        "watch_dir",
        "strict_env",
        "unset",
        "log_status",
        "expand_path",
    ];
    const CODE: &[&str] = &[
        "PATH=",
        "LD_",
        "DYLD_",
        "BASH_ENV=",
        "ENV=",
        "PROMPT_COMMAND=",
        "NODE_OPTIONS=",
        "PYTHONSTARTUP=",
        "GIT_",
        "EDITOR=",
        "PAGER=",
        "VISUAL=",
        "BROWSER=",
        "ANTHROPIC_BASE_URL=",
        "OPENAI_BASE_URL=",
        "TOLLGATE_",
    ];
    if line.contains(['`', ';', '|', '&', '<', '>'])
        || line.contains("$(")
        || line.contains("://") && line.starts_with("use ")
    {
        return false;
    }
    let set = line.strip_prefix("export ").unwrap_or(line);
    let name = set.split_once('=').map(|(name, _)| name);
    let sets = name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
        && !CODE.iter().any(|code| set.starts_with(code));
    sets || line.split_whitespace().next().is_some_and(|first| FUNCTIONS.contains(&first))
}

/// A `.pth` file runs the lines that begin with `import`.
fn runs_in_python(name: &str, texts: &[String]) -> bool {
    let imports = |text: &String| text.lines().any(|line| line.trim_start().starts_with("import"));
    name.ends_with(".pth") && (texts.is_empty() || texts.iter().any(imports))
}

/// Does git take the folder for that of a repository?
pub(crate) fn is_git_folder(folder: &str, world: &dyn World) -> bool {
    world.kind(&format!("{folder}/HEAD")) == FileKind::File
        && ["objects", "commondir"]
            .iter()
            .any(|name| world.kind(&format!("{folder}/{name}")) != FileKind::Missing)
}

fn is_git_hook(name: &str) -> bool {
    ["pre-", "post-", "commit-msg", "prepare-commit-msg", "update", "applypatch-msg"]
        .iter()
        .any(|start| name.starts_with(start) && !name.contains('.'))
}

/// What follows a home directory: this user's, root's or another's.
pub(crate) fn below_home<'p>(path: &'p str, world: &dyn World) -> Option<&'p str> {
    for home in world.homes() {
        if within(path, &home) {
            return path.get(home.len()..).map(|rest| rest.trim_start_matches('/'));
        }
    }
    if let Some(rest) = path.strip_prefix("/root/") {
        return Some(rest);
    }
    let others = ["/home/", "/Users/"].iter().find_map(|folder| path.strip_prefix(folder))?;
    others.split_once('/').map(|(_, rest)| rest)
}

fn any(entries: &[&str], rest: &str) -> bool {
    entries.iter().any(|entry| fits(entry, rest))
}

fn fits(entry: &str, rest: &str) -> bool {
    if let Some(folder) = entry.strip_suffix("/**") {
        return within(rest, folder) && rest.len() > folder.len();
    }
    // Nearly all differ in their first letters.
    let differs = |(entry, rest): (u8, u8)| entry != rest;
    if !entry.starts_with('*') && entry.bytes().zip(rest.bytes()).take(2).any(differs) {
        return false;
    }
    let mut names = rest.split('/');
    entry.split('/').all(|part| {
        names.next().is_some_and(|name| {
            part == name || part.strip_prefix('*').is_some_and(|end| name.ends_with(end) && !name.is_empty())
        })
    }) && names.next().is_none()
}
