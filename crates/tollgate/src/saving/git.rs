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
                EffectKind::WorkLoss { operation, kind, lost } if operation.starts_with("git ") => {
                    self.add_loss(&mut losses, *kind, lost)?;
                    if operation.starts_with("git clean") {
                        losses
                            .files
                            .extend(self.git_root().iter().flat_map(|root| empty_folders(Path::new(root))));
                    }
                }
                EffectKind::HistoryRewrite { how: Rewrite::Local, .. } => {
                    self.add_loss(&mut losses, Loss::Commits, &[])?;
                }
                _ => {}
            }
        }
        Ok(losses)
    }

    fn add_loss(&self, losses: &mut GitLosses, kind: Loss, lost: &[String]) -> Result<(), String> {
        let root = self.git_root().ok_or("the repository is not known")?;
        let repository = Repository::find(Path::new(&root)).ok_or("the repository is not known")?;
        if !losses.repositories.contains(&repository) {
            losses.repositories.push(repository);
        }
        let staged = self.world.staged_objects(&root).ok_or("the repository could not be asked")?;
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
        let status = self.world.git_status(root, &ask).ok_or("the repository could not be asked")?;
        if status.cut {
            return Err("more files are not committed than can be listed".to_owned());
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
