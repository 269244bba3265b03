//! What a git command loses: files that are not committed, and what names commits.

use std::collections::BTreeSet;
use std::path::Path;

use tollgate_model::git::{GitAsk, Repo};
use tollgate_model::{EffectKind, Loss, Rewrite, ToolCall, World};
use tollgate_undo::git::Repository;
use tollgate_undo::{After, Depth, Wanted};

use super::Saving;

/// As many losses as an effect lists: there may be more.
const LISTED: usize = 50;

/// The most folders that are looked at for empty ones.
const FOLDERS: usize = 5_000;

/// What is saved of repositories.
#[derive(Default)]
pub struct GitLosses {
    /// Files of the work trees.
    pub files: Vec<Wanted>,
    /// Repositories whose refs, HEAD and index are saved.
    pub repositories: Vec<Repository>,
    /// Commits may lose their last name, and so may these objects, which only the index names.
    pub pinned: Option<Vec<String>>,
}

impl Saving<'_> {
    /// What the call loses in repositories, or why that cannot be told.
    pub(super) fn git_losses(&self) -> Result<GitLosses, String> {
        let mut losses = GitLosses::default();
        for effect in self.effects {
            match &effect.kind {
                EffectKind::WorkLoss { operation, kind, lost, root } if operation.starts_with("git ") => {
                    self.add_loss(&mut losses, *kind, lost, root)?;
                    if operation.starts_with("git clean") {
                        losses
                            .files
                            .extend(self.git_root().iter().flat_map(|root| empty_folders(Path::new(root))));
                    }
                }
                EffectKind::HistoryRewrite { how: Rewrite::Local, .. } => {
                    self.add_loss(&mut losses, Loss::Commits, &[], "")?;
                }
                _ => {}
            }
        }
        Ok(losses)
    }

    /// Everything that the call loses in repositories, or why that is not known for sure.
    pub(super) fn whole_git_losses(&self) -> Result<GitLosses, String> {
        let commands = self.git_commands()?;
        let mut losses = GitLosses::default();
        for effect in self.effects {
            let EffectKind::WorkLoss { operation, kind, lost, root } = &effect.kind else { continue };
            if root.is_empty() || !self.is_project(root) {
                return Err(format!("the repository of `{operation}` is not known"));
            }
            self.add_loss(&mut losses, *kind, lost, root)?;
            let root = Path::new(root);
            if *kind == Loss::WorkTree {
                losses.files.push(Wanted::tree(root));
            }
            losses.files.extend(self.changed_by(&commands, root)?);
        }
        Ok(losses)
    }

    /// The git commands of the call, each of a kind whose losses are known.
    fn git_commands(&self) -> Result<Vec<Doing>, String> {
        let mut all = Vec::new();
        for effect in self.effects {
            if let EffectKind::Exec { program, argv, .. } = &effect.kind
                && program == "git"
            {
                let shown = || argv.iter().take(4).cloned().collect::<Vec<_>>().join(" ");
                all.push(doing(argv).ok_or_else(|| format!("`{}` may change more than is saved", shown()))?);
            }
        }
        let moves = all.iter().filter(|one| matches!(one, Doing::Moves(_))).count();
        if moves > 1 || moves == 1 && all.contains(&Doing::Adds) {
            return Err("which files change depends on an earlier git command".to_owned());
        }
        Ok(all)
    }

    /// What the commands change in a work tree besides what the effects name.
    fn changed_by(&self, commands: &[Doing], root: &Path) -> Result<Vec<Wanted>, String> {
        let text = root.to_string_lossy();
        let wanted = |path: String| Wanted {
            path: root.join(path.trim_end_matches('/')),
            depth: Depth::Tree,
            after: After::Unknown,
        };
        let mut files = Vec::new();
        for command in commands {
            match command {
                Doing::Moves(revision) => {
                    let names = self.world.changed_since(&text, revision);
                    let names = names.ok_or_else(|| format!("git could not compare with `{revision}`"))?;
                    files.extend(names.into_iter().map(wanted));
                }
                Doing::Cleans { ignored } => {
                    let ignored = *ignored || self.changes_ignore_rules(&text);
                    let ask = GitAsk { untracked: true, ignored, ..GitAsk::default() };
                    let status = self.world.git_status(&text, &ask).filter(|status| !status.cut);
                    let status = status.ok_or("git could not list all files")?;
                    files.extend(status.untracked.into_iter().chain(status.ignored).map(wanted));
                    files.extend(empty_folders(root));
                }
                Doing::Reads | Doing::Adds | Doing::Restores => {}
            }
        }
        Ok(files)
    }

    /// Does this call, or an earlier one that may not have run yet, change what git ignores in a work tree?
    fn changes_ignore_rules(&self, root: &str) -> bool {
        let is_rule = |path: &str| {
            let name = Path::new(path).strip_prefix(root).ok().filter(|name| !name.as_os_str().is_empty());
            name.is_some_and(|name| {
                name.ends_with(".gitignore")
                    || name.ends_with("info/exclude")
                    || name.ends_with(".git/config")
            })
        };
        let changes = |kind: &EffectKind| match kind {
            EffectKind::Write { place, .. }
            | EffectKind::Delete { place, .. }
            | EffectKind::Alter { place, .. } => place.pattern || is_rule(&place.path),
            _ => false,
        };
        self.world.memory().stated().any(is_rule) || self.effects.iter().any(|effect| changes(&effect.kind))
    }

    /// Is a work tree or a repository no home, and nothing around one?
    fn is_project(&self, root: &str) -> bool {
        let holds = |home: &String| Path::new(home).starts_with(root);
        !self.world.homes().iter().any(holds) && self.is_folder(root)
    }

    fn add_loss(
        &self,
        losses: &mut GitLosses,
        kind: Loss,
        lost: &[String],
        root: &str,
    ) -> Result<(), String> {
        let root = match root {
            "" => self.git_root().ok_or("the repository is not known")?,
            root => root.to_owned(),
        };
        let repository = Repository::find(Path::new(&root)).ok_or("the repository is not known")?;
        if !losses.repositories.contains(&repository) {
            losses.repositories.push(repository);
        }
        let staged = self.world.staged_objects(&root).ok_or("git could not read the repository")?;
        if kind != Loss::Files || !staged.is_empty() {
            losses.pinned.get_or_insert_default().extend(staged);
        }
        if kind == Loss::Files {
            losses.files.extend(self.uncommitted(&root, lost)?);
        }
        Ok(())
    }

    /// The work tree that git commands of the call work in, as far as all of them work in one.
    fn git_root(&self) -> Option<String> {
        let cwd = match self.event.pending().map(|tool| &tool.call) {
            Some(ToolCall::Shell { cwd: Some(cwd), .. }) => cwd.as_str(),
            _ => self.event.cwd.as_str(),
        };
        let folders = self.effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Exec { program, argv, .. } if program == "git" => Some(folder(argv, cwd)),
            _ => None,
        });
        let mut roots: Vec<String> =
            folders.map(|folder| Repo::find(&folder, self.world)?.root).collect::<Option<_>>()?;
        roots.sort();
        roots.dedup();
        match roots.as_slice() {
            [] => Repo::find(cwd, self.world)?.root,
            [root] => Some(root.clone()),
            _ => None,
        }
    }

    /// Files with changes that are in no commit. The effect names what is lost, up to a number; what it names must be
    /// there, or another repository is meant.
    fn uncommitted(&self, root: &str, lost: &[String]) -> Result<Vec<Wanted>, String> {
        let all = lost.is_empty() || lost.len() >= LISTED;
        let ask = GitAsk { untracked: true, ignored: all, ..GitAsk::default() };
        let status = self.world.git_status(root, &ask).ok_or("git could not read the repository")?;
        if status.cut {
            return Err("there are too many uncommitted files to list".to_owned());
        }
        let known = |path: &String| {
            status.deleted.contains(path) || Path::new(root).join(path).symlink_metadata().is_ok()
        };
        if !lost.iter().all(known) {
            return Err("the repository is not known".to_owned());
        }
        let mut paths: Vec<&String> = status.modified.iter().chain(&status.staged).chain(lost).collect();
        if all {
            paths.extend(status.untracked.iter().chain(&status.ignored));
        }
        let wanted = |path: &String| Wanted {
            path: Path::new(root).join(path.trim_end_matches('/')),
            depth: Depth::Tree,
            after: After::Unknown,
        };
        Ok(paths.into_iter().chain(&status.deleted).map(wanted).collect())
    }
}

/// What a git command does to a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// Nothing.
    Reads,
    /// Makes commits or fetches them: what other commands are told may mean something else afterwards.
    Adds,
    /// Puts back what is committed or staged, or loses refs.
    Restores,
    /// Deletes files that git does not know.
    Cleans {
        /// Those that it ignores, too.
        ignored: bool,
    },
    /// Puts the files of another commit there.
    Moves(String),
}

/// What a git command does; `None` where that is not known.
fn doing(argv: &[String]) -> Option<Doing> {
    let (verb, args) = verb(argv)?;
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(arg));
    let revisions = args.iter().filter(|arg| !arg.starts_with('-')).count();
    match verb {
        "status" | "log" | "diff" | "show" | "rev-parse" | "ls-files" | "describe" | "blame" | "grep"
        | "shortlog" | "cat-file" | "reflog" | "rev-list" | "version" | "--version" => Some(Doing::Reads),
        "add" | "commit" | "fetch" => Some(Doing::Adds),
        "branch" => Some(Doing::Restores),
        "stash" => has(&["drop", "clear", "list", "show"]).then_some(Doing::Restores),
        "worktree" => has(&["remove", "list"]).then_some(Doing::Restores),
        "clean" => {
            let ignores =
                |arg: &&str| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['x', 'X']);
            Some(Doing::Cleans { ignored: args.iter().any(ignores) })
        }
        "restore" => {
            let source = args.iter().any(|arg| arg.starts_with("-s") || arg.starts_with("--so"));
            (!source && is_plain(&args)).then_some(Doing::Restores)
        }
        "reset" if revisions == 0 || has(&["HEAD", "@"]) && revisions == 1 => Some(Doing::Restores),
        "reset" if has(&["--hard"]) && revisions == 1 => moves(&args),
        "checkout" => match args.iter().position(|arg| *arg == "--") {
            Some(0) => Some(Doing::Restores),
            Some(_) => moves(args.split(|arg| *arg == "--").next()?),
            // A path or a commit: only `.` is surely none.
            None if has(&["."]) && revisions == 1 => Some(Doing::Restores),
            None if revisions == 1 && has(&["-f", "--force"]) => moves(&args),
            None => None,
        },
        "switch" if revisions == 1 && has(&["-f", "--force", "--discard-changes"]) => moves(&args),
        _ => None,
    }
}

/// Options that only say how a commit is come to, with the one commit that is named.
fn moves(args: &[&str]) -> Option<Doing> {
    let known = ["-f", "--force", "--discard-changes", "--hard", "-q", "--quiet", "--detach", "-d"];
    let options = args.iter().filter(|arg| arg.starts_with('-')).all(|arg| known.contains(arg));
    let revisions: Vec<&&str> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let [revision] = revisions.as_slice() else { return None };
    (options && !revision.contains(['*', '?', '$'])).then(|| Doing::Moves((**revision).to_owned()))
}

/// No list of paths in a file, and nothing that a person picks.
fn is_plain(args: &[&str]) -> bool {
    !args.iter().any(|arg| arg.starts_with("--pathspec") || matches!(*arg, "-p" | "--patch"))
}

/// The verb of a git command and what follows it; `None` where another repository is named in a way of its own.
fn verb(argv: &[String]) -> Option<(&str, Vec<&str>)> {
    let mut words = argv.iter().skip(1).map(String::as_str);
    loop {
        match words.next()? {
            "-C" | "-c" => drop(words.next()?),
            "--no-pager" | "-P" => {}
            option if option.starts_with('-') && option != "--version" => return None,
            verb => return Some((verb, words.collect())),
        }
    }
}

/// Folders without any file, which git does not list and still removes.
fn empty_folders(root: &Path) -> Vec<Wanted> {
    let mut waiting = vec![root.to_owned()];
    let mut empty = BTreeSet::new();
    for _ in 0..FOLDERS {
        let Some(folder) = waiting.pop() else { break };
        let mut entries = std::fs::read_dir(&folder).into_iter().flatten().flatten().peekable();
        if entries.peek().is_none() {
            empty.extend(folder.ancestors().take_while(|above| *above != root).map(Path::to_owned));
        }
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.filter(|entry| entry.file_name() != ".git").map(|entry| entry.path()));
    }
    empty.into_iter().map(|path| Wanted { path, depth: Depth::Node, after: After::Unknown }).collect()
}

/// Where `git -C FOLDER …` works.
fn folder(argv: &[String], cwd: &str) -> String {
    let mut at = Path::new(cwd).to_owned();
    let mut words = argv.iter().skip(1);
    while let Some(word) = words.next().filter(|word| word.starts_with('-')) {
        match word.as_str() {
            "-C" => at = at.join(words.next().map_or("", String::as_str)),
            "-c" => drop(words.next()),
            _ => {}
        }
    }
    at.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Doing> {
        doing(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn git_commands_are_known_or_not() {
        let moves = |name: &str| Some(Doing::Moves(name.to_owned()));
        let table = [
            ("git status", Some(Doing::Reads)),
            ("git -C sub reset --hard", Some(Doing::Restores)),
            ("git reset -q --hard HEAD", Some(Doing::Restores)),
            ("git reset --hard HEAD~3", moves("HEAD~3")),
            ("git checkout -- a.txt", Some(Doing::Restores)),
            ("git checkout .", Some(Doing::Restores)),
            ("git checkout main -- a.txt", moves("main")),
            ("git checkout -f main", moves("main")),
            ("git switch --discard-changes main", moves("main")),
            ("git restore --staged --worktree a.txt", Some(Doing::Restores)),
            ("git clean -fd", Some(Doing::Cleans { ignored: false })),
            ("git clean -fdx", Some(Doing::Cleans { ignored: true })),
            ("git clean -f --exclude=x", Some(Doing::Cleans { ignored: false })),
            ("git commit -m x", Some(Doing::Adds)),
            ("git checkout main", None),
            ("git checkout main src", None),
            ("git checkout -p main -- x", None),
            ("git restore -s main a.txt", None),
            ("git restore --source=main a.txt", None),
            ("git stash pop", None),
            ("git stash", None),
            ("git pull", None),
            ("git --git-dir=/x reset --hard", None),
            ("git rebase main", None),
        ];
        for (line, expected) in table {
            assert_eq!(of(line), expected, "{line}");
        }
    }
}
