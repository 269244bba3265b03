//! Libraries of Git. Whatever they are called, what they are asked to lose is named alike: a reset that is hard, a
//! checkout or a push that is forced, a clean, a branch or a stash that is deleted. It is judged as Git's own command, in
//! the repositories that the program has opened.

use std::rc::Rc;

use tollgate_shell::value::Value;

use super::losses::plain;
use super::machine::Machine;
use super::value::{Args, Val};

/// How the names of what they make begin, up to a dot.
const LIBRARIES: &[&str] = &[
    "dulwich",
    "pygit2",
    "simple-git",
    "simple-git/promise",
    "isomorphic-git",
    "nodegit",
    "Rugged",
    "Git",
    "git2",
    "gix",
    "org.eclipse.jgit",
    "LibGit2Sharp",
];

/// Parts of libraries that are called plainly `git` or not at all.
const PARTS: &[&str] = &[
    "git.Repo",
    "git.Git",
    "git.cmd.Git",
    "git.repo",
    "git.Head",
    "git.Remote",
    "git.IndexFile",
    "git.Plain",
    "git.Open",
    "git.Clone",
    "Repository.open",
    "Repository.discover",
    "Repository.init",
    "Repository.clone",
];

/// The most repositories of a program that are kept, and how deep its arguments are read.
const REPOSITORIES: usize = 4;
const DEPTH: usize = 4;

/// Is it a part of a library of Git, or made with one?
pub(super) fn is_git(class: &str) -> bool {
    PARTS.iter().any(|part| class.starts_with(part))
        || LIBRARIES.iter().any(|library| {
            class.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
}

impl Machine<'_, '_, '_> {
    /// A repository that is opened, made or fetched: what follows may be done to it.
    pub fn note_repository(&mut self, name: &str, args: &Args) {
        if !is_git(name) || self.repositories.len() >= REPOSITORIES {
            return;
        }
        let last = plain(name.rsplit('.').next().unwrap_or_default());
        let at = match last.as_str() {
            "repo"
            | "repository"
            | "git"
            | "open"
            | "plainopen"
            | "plainopenwithoptions"
            | "plaininit"
            | "init"
            | "plainclone"
            | "initrepository"
            | "simplegit"
            | "simple-git"
            | "simple-git/promise"
            | "new" => 0,
            "clonefrom" | "clone" | "clonerepository" => 1,
            _ => return,
        };
        let folder = args.get(at).and_then(folder_of);
        let named = ["dir", "baseDir", "path", "to_path", "working_dir"].iter();
        let folder = folder.or_else(|| named.filter_map(|name| args.option(name)).find_map(folder_of));
        // What is in a repository that the program itself has made, nobody has lost.
        let fetched = args.get(0).filter(|_| at == 1).and_then(folder_of);
        let words: Vec<Val> = match (&folder, fetched) {
            (Some(folder), Some(address)) => vec![Val::text("clone"), address, folder.clone()],
            (Some(folder), None) if last.contains("init") => vec![Val::text("init"), folder.clone()],
            _ => Vec::new(),
        };
        if !words.is_empty() {
            let words = std::iter::once(Val::text("git")).chain(words).collect();
            self.run_spawn(&Args::of(vec![Val::list(words)]));
        }
        self.repositories.push(folder.unwrap_or_else(|| Val::text(".")));
    }

    /// Is it a temporary folder of the program's own, whose name is only made up when it runs?
    fn is_made_up(&self, folder: &Val) -> bool {
        let folders = self.run.analyst.world.temp_dirs();
        let text = folder.as_text();
        text.as_literal().is_none()
            && text.any.iter().all(|text| {
                let known = text.prefix();
                folders.iter().any(|folder| crate::paths::within(known, folder)) && !known.contains("..")
            })
    }

    /// What a library of Git is asked, where something may be lost by it.
    pub fn git_call(&mut self, class: &str, name: &str, args: &Args) -> Option<Val> {
        if !is_git(class) {
            return None;
        }
        let command = deed(class, name, args).or_else(|| said(class, name, args))?;
        let own = args.option("dir").or(args.get(0).filter(|_| class.starts_with("dulwich")));
        let mut folders = match own.and_then(folder_of) {
            Some(folder) => vec![folder],
            None if self.repositories.is_empty() => vec![Val::text(".")],
            None => self.repositories.clone(),
        };
        folders.retain(|folder| !self.is_made_up(folder));
        let mut printed = None;
        for folder in folders {
            let start = [Val::text("git"), Val::text("-C"), folder];
            let words = start.into_iter().chain(command.iter().cloned()).collect();
            printed = Some(self.run_spawn(&Args::of(vec![Val::list(words)])));
        }
        // What tells something is looked at; all else is followed by the next thing to do.
        match printed.filter(|_| tells(name)) {
            Some(printed) => Some(printed),
            None => Some(Val::object(class, args.clone())),
        }
    }
}

/// Is what the command prints looked at?
fn tells(name: &str) -> bool {
    matches!(name, "show" | "log" | "diff" | "raw" | "execute" | "cat_file" | "catFile" | "grep" | "config")
}

/// The words of a command that a library hands on to Git as they are.
fn said(class: &str, name: &str, args: &Args) -> Option<Vec<Val>> {
    let flat = || args.list.iter().flat_map(Val::items_or_self);
    let bare = matches!(class, "git.Git" | "git.cmd.Git");
    if bare || class.starts_with("git.") && class.ends_with(".git") {
        return Some(if name == "execute" { flat().skip(1).collect() } else { git_command(name, args) });
    }
    if class.starts_with("git.Repo") && class.contains(".remote") {
        let force = is_set(args, "force").then(|| Val::text("--force"));
        let verb = std::iter::once(Val::text(name)).chain(force).chain([Val::text("origin")]);
        return Some(verb.chain(args.list.clone()).collect());
    }
    class.starts_with("simple-git").then(|| {
        let verb = (name != "raw").then(|| Val::text(name));
        let keys = args.list.iter().flat_map(keys_of);
        verb.into_iter().chain(flat().filter(|word| matches!(word, Val::Text(_)))).chain(keys).collect()
    })
}

/// The options of `{"--force": null}`.
fn keys_of(value: &Val) -> Vec<Val> {
    let Val::Table(table) = value else { return Vec::new() };
    table.entries.iter().filter(|(key, _)| key.starts_with('-')).map(|(key, _)| Val::text(key)).collect()
}

/// `repo.git.reset("HEAD", hard=True)` as a command: what has a name is an option.
fn git_command(name: &str, args: &Args) -> Vec<Val> {
    let option = |(name, value): &(Rc<str>, Val)| {
        let dashes = if name.len() == 1 { "-" } else { "--" };
        let flag = format!("{dashes}{}", name.replace('_', "-"));
        match value {
            Val::Text(text) => Some(Val::Text(Value::text(&format!("{flag}=")).concat(text))),
            value => value.is_true().then(|| Val::text(&flag)),
        }
    };
    let verb = std::iter::once(Val::text(&name.replace('_', "-")));
    verb.chain(args.named.iter().filter_map(option)).chain(args.list.clone()).collect()
}

/// The words of Git's command for a method that may lose something.
fn deed(class: &str, name: &str, args: &Args) -> Option<Vec<Val>> {
    let words = |words: &[&str]| words.iter().map(|word| Val::text(word)).collect::<Vec<Val>>();
    let owner = plain(class.rsplit('.').next().unwrap_or_default());
    let forced = || args.all().any(|value| says(value, "force", DEPTH)) || is_set(args, "force");
    match plain(name).as_str() {
        "resethard" => Some(words(&["reset", "--hard"])),
        "reset" if is_set(args, "working_tree") || args.all().any(|value| says(value, "hard", DEPTH)) => {
            Some(words(&["reset", "--hard"]))
        }
        // `git.reset().setMode(ResetType.HARD)`
        "setmode" if owner == "reset" && args.all().any(|value| says(value, "hard", DEPTH)) => {
            Some(words(&["reset", "--hard"]))
        }
        "clean" if !class.ends_with(".git") && !["dryrun", "n"].iter().any(|word| asks(args, word)) => {
            Some(words(&["clean", "-fd"]))
        }
        "checkout" | "checkouthead" | "checkoutindex" | "checkouttree" | "head" | "tree" | "index"
            if (owner == "checkout" || plain(name).starts_with("checkout"))
                && !class.ends_with(".git")
                && (forced() || is_open_strategy(args)) =>
        {
            Some(words(&["checkout", "-f", "HEAD", "--", "."]))
        }
        "setforce" | "setforced" | "force" if owner == "checkout" => {
            Some(words(&["checkout", "-f", "HEAD", "--", "."]))
        }
        "setforce" if owner == "push" && args.get(0).is_none_or(Val::is_true) => {
            Some(words(&["push", "--force", "origin"]))
        }
        "push" if !class.ends_with(".git") && forced() => {
            let names = args.list.iter().filter(|value| value.literal().is_some_and(|text| is_ref(&text)));
            let refs = names.filter(|value| value.literal().as_deref() != Some("origin")).cloned();
            Some(words(&["push", "--force", "origin"]).into_iter().chain(refs).collect())
        }
        "deletehead" | "branchdelete" | "deletebranch" | "deletelocalbranch" | "deletelocalbranches" => {
            branch_delete(args, Some("branch"))
        }
        "delete" if ["head", "branch"].contains(&owner.as_str()) || class.contains("branches") => {
            let named = (owner != "branches").then(|| class.rsplit('.').next().unwrap_or_default());
            branch_delete(args, named)
        }
        "stashdrop" | "stashclear" => Some(words(&["stash", "drop"])),
        _ => None,
    }
}

/// `git branch -D name`: libraries ask nobody whether it is merged.
fn branch_delete(args: &Args, named: Option<&str>) -> Option<Vec<Val>> {
    let name = args.list.iter().flat_map(Val::items_or_self).filter_map(|value| value.literal());
    let name = name.filter(|name| name != ".").last();
    let name = name.or_else(|| args.option("ref").and_then(Val::literal)).or(named.map(str::to_owned))?;
    Some(vec![Val::text("branch"), Val::text("-D"), Val::text(&name)])
}

/// A name of a branch, or a pair of them; no address and no option.
fn is_ref(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(['-', '.', '/']) && !text.contains("://") && !text.contains('@')
}

/// The folder that a value names: a text, or something made of one, as `new File(".")`.
fn folder_of(value: &Val) -> Option<Val> {
    match value {
        Val::Text(_) => Some(value.clone()),
        Val::Object(object) => object.args.list.iter().find(|value| matches!(value, Val::Text(_))).cloned(),
        _ => None,
    }
}

/// Does an option say yes, by itself or as a word among the arguments?
fn is_set(args: &Args, name: &str) -> bool {
    args.option(name).is_some_and(Val::is_true)
}

fn asks(args: &Args, word: &str) -> bool {
    args.all().any(|value| says(value, word, DEPTH))
        || args.named.iter().any(|(name, value)| plain(name) == word && value.is_true())
}

/// How to check out is said by numbers that are added up, which are not known here.
fn is_open_strategy(args: &Args) -> bool {
    let open = |value: &Val| !matches!(value, Val::Name(_) | Val::Int(_) | Val::Table(_));
    ["strategy", "checkoutStrategy"].iter().any(|name| args.option(name).is_some_and(open))
}

/// Is the word said in a value: as a text, as the name of a constant, as a key that is set?
fn says(value: &Val, word: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Val::Text(_) => value.literal().is_some_and(|text| {
            text.strip_prefix('+').is_some_and(|_| word == "force")
                || plain(text.trim_start_matches('-')) == word
        }),
        // `FORCE | REMOVE_UNTRACKED` is a name of both.
        Val::Name(name) => {
            name.split('|').any(|name| plain(name.rsplit('.').next().unwrap_or_default()).contains(word))
        }
        Val::Object(object) => {
            object.class.to_ascii_lowercase().split('.').any(|part| part == word)
                || object.args.all().any(|value| says(value, word, depth))
        }
        Val::List(list) => list.items.iter().take(16).any(|item| says(item, word, depth)),
        Val::Table(table) => table.entries.iter().take(32).any(|(key, value)| {
            let null = matches!(value, Val::Name(name) if matches!(&**name, "null" | "nil" | "None"));
            let meant = value.is_true() || null && key.starts_with('-');
            plain(key.trim_start_matches('-')) == word && meant || says(value, word, depth)
        }),
        _ => false,
    }
}
