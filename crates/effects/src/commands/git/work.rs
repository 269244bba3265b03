//! What has become of uncommitted work earlier in the same call: `git stash -u && git reset --hard` loses
//! nothing. Kept as a file that no script can name, so that it follows every way through the script.

use tollgate_model::{Certainty, Effect, EffectKind, FileKind, WriteMode, Zone};
use tollgate_shell::eval::{Shell, Status};
use tollgate_shell::value::Value;

use super::Git;
use super::site::{Site, lies_within};
use crate::word::Word;

/// A script cannot write a name with a zero in it.
const WORK: &str = "/\0git-work";
const FRESH: &str = "/\0git-fresh";
/// A folder that is not known, as no path is written.
const UNKNOWN: &str = "\0";
const SOURCE: &str = "/\0git-source";
/// Files put into the index by their names: one file each, below this folder.
const STAGED: &str = "/\0git-staged";
/// A list of those that are committed since.
const KEPT: &str = "/\0git-kept";
/// The most files that a commit is remembered to have kept by their names.
const MOST_KEPT: usize = 64;
/// Branches with the names that they had before.
const RENAMED: &str = "/\0git-renamed";

/// Where work is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Where it was when the call came.
    Own,
    /// In the index.
    Index,
    /// Committed or stashed.
    Safe,
}

/// Where each kind of work is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub staged: Where,
    pub modified: Where,
    pub untracked: Where,
    pub ignored: Where,
    /// The call made an entry in the stash.
    pub stashed: bool,
}

impl Default for Work {
    fn default() -> Self {
        Self {
            staged: Where::Own,
            modified: Where::Own,
            untracked: Where::Own,
            ignored: Where::Own,
            stashed: false,
        }
    }
}

impl Work {
    /// As this call has left it in a work tree.
    pub(super) fn load(shell: &Shell, root: &str) -> Self {
        let written = shell.file(&Value::text(WORK)).filter(|written| written.certain);
        let parsed = written.and_then(|written| Self::parse(written.value.as_literal()?, root));
        parsed.unwrap_or_default()
    }

    /// Remembers it for what follows.
    pub(super) fn store(self, shell: &mut Shell, root: &str) {
        let letter = |at: Where| match at {
            Where::Own => 'o',
            Where::Index => 'i',
            Where::Safe => 's',
        };
        let mut text: String =
            [self.staged, self.modified, self.untracked, self.ignored].map(letter).iter().collect();
        text.push(if self.stashed { 's' } else { 'o' });
        shell.write_file(&Value::text(WORK), &Value::text(&format!("{text}{root}")), false);
    }

    fn parse(text: &str, root: &str) -> Option<Self> {
        let mut letters = text.chars().map(|c| match c {
            'i' => Where::Index,
            's' => Where::Safe,
            _ => Where::Own,
        });
        let mut next = || letters.next().unwrap_or(Where::Own);
        let work = Self {
            staged: next(),
            modified: next(),
            untracked: next(),
            ignored: next(),
            stashed: next() == Where::Safe,
        };
        (text.get(5..) == Some(root)).then_some(work)
    }

    /// A commit keeps what is in the index.
    fn commit(&mut self) {
        self.staged = Where::Safe;
        for kind in [&mut self.modified, &mut self.untracked, &mut self.ignored] {
            if *kind == Where::Index {
                *kind = Where::Safe;
            }
        }
    }
}

/// After a command that failed, nothing that was to be kept is taken for kept.
pub(in crate::commands) fn settle(shell: &mut Shell) {
    if shell.last() == Status::Failure {
        failed(shell);
    }
}

/// What a failed command was to keep is not kept.
pub(in crate::commands) fn failed(shell: &mut Shell) {
    for name in [WORK, KEPT] {
        if shell.file(&Value::text(name)).is_some() {
            shell.forget_file(&Value::text(name));
        }
    }
    shell.forget_below(STAGED);
}

/// The paths in one of the lists; empty where it is not sure.
fn listed(shell: &Shell, list: &str) -> String {
    let written = shell.file(&Value::text(list)).filter(|written| written.certain);
    written.and_then(|written| written.value.as_literal().map(str::to_owned)).unwrap_or_default()
}

/// Has this call committed the file by its name?
pub(super) fn is_kept(shell: &Shell, path: &str) -> bool {
    listed(shell, KEPT).lines().any(|kept| crate::paths::within(path, kept))
}

/// The files that this call has put into the index by their names.
pub(super) fn staged(shell: &Shell) -> Vec<String> {
    staged_files(shell).collect()
}

fn staged_files(shell: &Shell) -> impl Iterator<Item = String> {
    let certain = shell.files_below(STAGED).filter(|(_, written)| written.certain);
    certain.filter_map(|(path, _)| path.as_literal()?.strip_prefix(STAGED).map(str::to_owned))
}

/// Remembers that a branch has another name from now on.
pub(super) fn renamed(shell: &mut Shell, old: &str, new: &str) {
    let text = format!("{}{old} {new}\n", listed(shell, RENAMED));
    shell.write_file(&Value::text(RENAMED), &Value::text(&text), false);
}

/// The name that a branch had when the call came, if that was another.
pub(super) fn former(shell: &Shell, name: &str) -> Option<String> {
    let list = listed(shell, RENAMED);
    let renamings = list.lines().rev().filter_map(|line| line.split_once(' '));
    let first = renamings.fold(name, |name, (old, new)| if new == name { old } else { name });
    (first != name).then(|| first.to_owned())
}

/// Where a work tree that this call makes has its branches, its stash and its logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum History {
    /// In a repository that this call makes as well.
    Own,
    /// In the folder of a repository that was there before.
    Of(String),
    /// That is not known.
    Unknown,
}

/// Remembers a work tree that this call makes.
pub(super) fn make_fresh(shell: &mut Shell, folder: &str, history: &History) {
    let kept = match history {
        History::Own => Value::empty(),
        History::Of(common) => Value::text(common),
        History::Unknown => Value::text(UNKNOWN),
    };
    shell.write_file(&Value::text(&format!("{FRESH}{folder}")), &kept, false);
}

/// Does a folder lie in a work tree that this call makes?
pub(super) fn is_fresh(shell: &Shell, folder: &str) -> bool {
    fresh_root(shell, folder).is_some()
}

/// Does a folder lie in a repository that this call makes with all it has?
pub(super) fn is_new(shell: &Shell, folder: &str) -> bool {
    is_fresh(shell, folder) && shared(shell, folder).is_none()
}

/// The folder of the repository to which a work tree of this call's own belongs.
pub(super) fn shared(shell: &Shell, folder: &str) -> Option<String> {
    let root = fresh_root(shell, folder)?;
    let kept = shell.file(&Value::text(&format!("{FRESH}{root}")))?.value;
    let common = kept.as_literal().unwrap_or(UNKNOWN);
    (!common.is_empty()).then(|| common.to_owned())
}

/// The top of the repository that this call makes, in which a folder lies.
pub(in crate::commands) fn fresh_root<'f>(shell: &Shell, folder: &'f str) -> Option<&'f str> {
    let mut above = std::iter::successors(Some(folder), |at| at.rfind('/').and_then(|end| at.get(..end)));
    above.find(|at| lies_within(folder, at) && shell.file(&Value::text(&format!("{FRESH}{at}"))).is_some())
}

/// Remembers from where on this machine this call clones a repository.
pub(super) fn cloned(shell: &mut Shell, folder: &str, from: &str) {
    shell.write_file(&Value::text(&format!("{SOURCE}{folder}")), &Value::text(from), false);
}

/// From where this call cloned the repository in which a folder lies.
pub(super) fn cloned_from(shell: &Shell, folder: &str) -> Option<String> {
    let mut above = std::iter::successors(Some(folder), |at| at.rfind('/').and_then(|end| at.get(..end)));
    let source = above.find_map(|at| shell.file(&Value::text(&format!("{SOURCE}{at}"))))?;
    source.value.as_literal().map(str::to_owned)
}

impl Git<'_, '_, '_> {
    /// Changes what is remembered of every work tree this run may be in.
    pub(super) fn remember(&mut self, change: impl Fn(&mut Work)) {
        let sites = self.sites();
        let [site] = sites.as_slice() else { return };
        let Some(root) = self.root_of(site) else { return };
        let mut work = Work::load(self.run.shell, &root);
        change(&mut work);
        work.store(self.run.shell, &root);
    }

    /// The top of a work tree, be it there or made by this call.
    fn root_of(&self, site: &Site) -> Option<String> {
        if !site.fresh {
            return site.repo.as_ref()?.root.clone();
        }
        fresh_root(self.run.shell, site.folder.as_deref()?).map(str::to_owned)
    }

    /// A repository that this call makes in a folder with files knows none of them: `git init ~ && git clean -fd`.
    pub(super) fn lose_adopted(&mut self, folder: Option<&str>, doomed: &super::lose::Doomed) {
        let Some(folder) = folder.map(str::to_owned) else { return };
        let world = self.run.analyst.world;
        if world.kind(&folder) != FileKind::Dir {
            return;
        }
        let root = fresh_root(self.run.shell, &folder).unwrap_or(&folder);
        let work = Work::load(self.run.shell, root);
        let ignores = world.kind(&format!("{root}/.gitignore")) == FileKind::File;
        if doomed.untracked && work.untracked == Where::Own {
            let word = Word::literal_at(&folder, self.run.call.span);
            self.run.analyst.delete(&word, true, self.run.shell);
        } else if doomed.ignored && work.ignored == Where::Own && ignores {
            self.loss(doomed, "", vec!["what .gitignore names".to_owned()], Certainty::Possible);
        }
    }

    /// A folder that this call has made goes with the files in it that git takes away: those in the index, and with
    /// `untracked` all.
    pub(super) fn doubt_folders(&mut self, untracked: bool) {
        let roots: Vec<String> = self.sites().iter().filter_map(|site| self.root_of(site)).collect();
        for root in roots {
            let indexed = Work::load(self.run.shell, &root).untracked == Where::Index;
            if untracked || indexed || staged_files(self.run.shell).next().is_some() {
                self.run.shell.doubt_folders(&Value::text(&root));
            }
        }
    }

    /// Remembers files that go into the index by their names.
    fn stage_named(&mut self, before: &[Word]) {
        let words = before.iter().chain(self.args_after().unwrap_or_default());
        let paths: Vec<String> = words.filter_map(|word| self.path(word)).collect();
        for path in paths {
            self.run.shell.write_file(&Value::text(&format!("{STAGED}{path}")), &Value::empty(), false);
        }
        // A list that differs by the way here says nothing, and would differ more with every commit.
        if listed(self.run.shell, KEPT).is_empty() {
            self.run.shell.forget_file(&Value::text(KEPT));
        }
    }

    pub(super) fn remember_commit(&mut self, all: bool) {
        let staged: Vec<String> = staged_files(self.run.shell).take(MOST_KEPT + 1).collect();
        if !staged.is_empty() {
            let kept = listed(self.run.shell, KEPT);
            let new = staged.iter().filter(|path| !kept.lines().any(|line| line == *path));
            let all: Vec<&str> = kept.lines().chain(new.map(String::as_str)).take(MOST_KEPT).collect();
            self.run.shell.write_file(&Value::text(KEPT), &Value::text(&all.join("\n")), false);
        }
        self.remember(|work| {
            if all && work.modified == Where::Own {
                work.modified = Where::Index;
            }
            work.commit();
        });
    }
}

/// Verbs without effects of their own that still move work: `add` puts it into the index.
pub(super) fn harmless(git: &mut Git) {
    if matches!(git.verb.as_str(), "add" | "stage") {
        add(git);
    }
    // What a note says is taken from a file.
    if git.verb == "notes" {
        let options =
            git.options("f,force ref= m,message= F,file= C,reuse-message= c,reedit-message= v,verbose");
        for file in options.values("F").filter(|file| !file.is("-")).cloned().collect::<Vec<_>>() {
            git.run.read(&file, false);
        }
    }
}

impl Git<'_, '_, '_> {
    /// A file of secrets that git was told to ignore, and takes in by force, goes wherever the history goes.
    fn commits_secrets(&mut self, files: &[Word]) {
        for word in files {
            for (place, _) in self.run.analyst.places(word, self.run.shell) {
                if place.zone == Zone::Secret {
                    let kind = EffectKind::Read { place, recursive: false };
                    self.run.analyst.push(kind, word.span, Certainty::Possible);
                }
            }
        }
    }
}

impl Git<'_, '_, '_> {
    /// Has this call, or this session, taken the environment file out of what git ignores?
    fn ignores_less(&self) -> bool {
        let Some(root) = self.sites().iter().find_map(|site| self.root_of(site)) else { return false };
        let world = self.run.analyst.world;
        let path = format!("{root}/.gitignore");
        let read = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let before = read(world.read_disk(&path, IGNORED)).is_some_and(|text| text.contains(".env"));
        let replaced = |effect: &Effect| matches!(&effect.kind, EffectKind::Write { place, mode, .. } if place.path == path && *mode != WriteMode::Append);
        match self.run.shell.file(&Value::text(&path)) {
            Some(_)
                if !(self.run.analyst.may_have_written(&path)
                    && self.run.analyst.searched().iter().any(replaced)) =>
            {
                false
            }
            Some(now) => before && !now.value.any.iter().any(|text| crate::word::show(text).contains(".env")),
            None => {
                !world.memory().marks(&path).is_empty()
                    && !read(world.read(&path, IGNORED)).unwrap_or_default().contains(".env")
            }
        }
    }
}

/// The most of a list of ignored names that is read.
const IGNORED: usize = 64 * 1024;

fn add(git: &mut Git) {
    let spec = "n,dry-run v,verbose i,interactive p,patch e,edit f,force u,update renormalize N,intent-to-add A,all \
        no-all,ignore-removal refresh ignore-errors ignore-missing sparse chmod= pathspec-from-file= pathspec-file-nul";
    let options = git.options(spec);
    if (options.has("f") || git.ignores_less()) && !options.has("n") {
        git.commits_secrets(&options.operands);
        let usual = Word::literal_at(".env", git.run.call.span);
        let places = git.run.analyst.places(&usual, git.run.shell);
        let there = places.iter().any(|(place, _)| git.run.analyst.world.kind(&place.path) == FileKind::File);
        if there && (options.has("A") || git.names_everything(&options.operands)) {
            git.commits_secrets(&[usual]);
        }
    }
    let partly =
        ["n", "i", "p", "e", "N", "refresh", "pathspec-from-file"].iter().any(|name| options.has(name));
    if partly {
        return;
    }
    if !git.names_everything(&options.operands) {
        return git.stage_named(&options.operands);
    }
    let (update, ignored) = (options.has("u"), options.has("f"));
    if options.operands.is_empty() && git.args_after().is_none() && !update && !options.has("A") {
        return;
    }
    git.remember(|work| {
        let into_index = |kind: &mut Where| {
            if *kind == Where::Own {
                *kind = Where::Index;
            }
        };
        into_index(&mut work.modified);
        if !update {
            into_index(&mut work.untracked);
        }
        if ignored {
            into_index(&mut work.ignored);
        }
    });
}

impl Git<'_, '_, '_> {
    /// Do these pathspecs, or their absence, stand for the whole work tree?
    fn names_everything(&self, before: &[crate::word::Word]) -> bool {
        let mut words = before.to_vec();
        words.extend(self.args_after().unwrap_or_default().iter().cloned());
        if words.is_empty() {
            return true;
        }
        let root = self.sites().iter().find_map(|site| self.root_of(site));
        words.iter().any(|word| word.is(":/") || root.is_some() && self.path(word) == root)
    }
}
