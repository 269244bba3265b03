//! Commands that overwrite or delete files of the work tree. What would be lost is asked of the repository.

use tollgate_model::git::{GitAsk, GitStatus};
use tollgate_model::{
    Certainty, EffectKind, FileKind, Loss, WriteMode, Zone, is_ignored_output, is_rebuildable,
};
use tollgate_shell::eval::{Outcome, Status, Stream};
use tollgate_shell::value::{Hole, HoleSource, Piece};

use super::site::Site;
use super::work::{self, Where, Work};
use super::{Git, Verb, holds};
use crate::options::Options;
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[
    ("reset", reset),
    ("checkout", checkout),
    ("restore", restore),
    ("switch", switch),
    ("clean", clean),
    ("rm", rm),
    ("mv", mv),
    ("checkout-index", checkout_index),
    ("read-tree", read_tree),
];

/// The most losses that one effect lists.
const LISTED: usize = 50;

/// What a command would overwrite or delete.
pub(super) struct Doomed {
    /// The command, for people.
    pub operation: String,
    /// What kind of work it is.
    pub kind: Loss,
    /// What is in the index.
    pub staged: bool,
    /// Changes in the work tree.
    pub modified: bool,
    /// Files that git does not know.
    pub untracked: bool,
    /// Files that git ignores.
    pub ignored: bool,
    /// Whole folders that git does not know are deleted as well.
    pub folders: bool,
    /// Where; nothing means everywhere.
    pub paths: Vec<Word>,
    /// Names that are left alone.
    pub excluded: Vec<String>,
    /// It will happen, as far as the words say.
    pub certain: bool,
}

impl Doomed {
    pub(super) fn new(operation: impl Into<String>) -> Self {
        Self {
            operation: operation.into(),
            kind: Loss::Files,
            staged: false,
            modified: false,
            untracked: false,
            ignored: false,
            folders: true,
            paths: Vec::new(),
            excluded: Vec::new(),
            certain: true,
        }
    }

    /// Everything that git tracks.
    pub(super) fn tracked(operation: impl Into<String>) -> Self {
        Self { staged: true, modified: true, ..Self::new(operation) }
    }
}

impl Git<'_, '_, '_> {
    /// Takes down what would be lost, in every place where this run may work.
    pub(super) fn lose(&mut self, doomed: &Doomed) {
        for site in self.sites() {
            self.lose_at(&site, doomed);
        }
        if doomed.staged {
            self.doubt_folders(false);
        }
    }

    pub(super) fn lose_at(&mut self, site: &Site, doomed: &Doomed) {
        if site.fresh {
            return self.lose_adopted(site.folder.as_deref(), doomed);
        }
        if !site.elsewhere && self.is_temporary(site) {
            return;
        }
        let Some(repo) = &site.repo else { return self.loss(doomed, "", Vec::new(), Certainty::Possible) };
        let Some(root) = repo.root.clone() else { return };
        if site.elsewhere {
            return self.lose_elsewhere(&root, doomed);
        }
        let work = Work::load(self.run.shell, &root);
        let (paths, sure) = self.asked(&doomed.paths);
        let ask = GitAsk {
            paths,
            untracked: doomed.untracked || work.untracked == Where::Index,
            ignored: doomed.ignored,
            modules: false,
        };
        let Some(status) = self.run.analyst.world.git_status(&root, &ask) else {
            return self.loss(doomed, &root, Vec::new(), Certainty::Possible);
        };
        let lost = self.lost(&status, doomed, work, &root);
        let certain = if sure && doomed.certain { Certainty::Certain } else { Certainty::Possible };
        if !lost.is_empty() {
            self.loss(doomed, &root, lost, certain);
        } else if status.cut {
            self.loss(doomed, &root, lost, Certainty::Possible);
        }
    }

    /// Does all of the work tree lie where everything may be deleted? A copy of a project is cleaned there.
    fn is_temporary(&self, site: &Site) -> bool {
        let folder = match &site.repo {
            Some(repo) => repo.root.clone(),
            None => site.folder.clone(),
        };
        let Some(folder) = folder.filter(|_| self.git_dir.is_none()) else { return false };
        let places = self.run.analyst.places(&Word::literal_at(&folder, self.run.call.span), self.run.shell);
        !places.is_empty() && places.iter().all(|(place, _)| place.zone == Zone::Temp && !place.root)
    }

    pub(super) fn loss(&mut self, doomed: &Doomed, root: &str, mut lost: Vec<String>, certainty: Certainty) {
        lost.truncate(LISTED);
        let (operation, root) = (doomed.operation.clone(), root.to_owned());
        let kind = EffectKind::WorkLoss { operation, kind: doomed.kind, lost, root };
        self.push(kind, certainty);
    }

    /// Files that are not the repository's own are overwritten: nothing is known of what they hold.
    fn lose_elsewhere(&mut self, root: &str, doomed: &Doomed) {
        let word = Word::literal_at(root, self.run.call.span);
        if doomed.untracked || doomed.ignored {
            self.run.analyst.delete(&word, true, self.run.shell);
        }
        let lost = vec![format!("files in {root}")];
        let far = self
            .run
            .analyst
            .places(&word, self.run.shell)
            .iter()
            .any(|(place, _)| place.zone >= Zone::OtherProject);
        self.loss(doomed, "", lost, if far { Certainty::Certain } else { Certainty::Possible });
    }

    /// The paths to ask about, and whether they are known for sure.
    fn asked(&self, words: &[Word]) -> (Vec<String>, bool) {
        let mut paths = Vec::new();
        let mut sure = true;
        for word in words.iter().filter_map(|word| self.pathspec(word)) {
            for (place, certainty) in self.run.analyst.places(&word, self.run.shell) {
                sure &= certainty == Certainty::Certain;
                if place.path.is_empty() {
                    return (Vec::new(), false);
                }
                // What a walk finds may lie directly in its folder; `*` stands for slashes as well.
                paths.push(place.path.replace("/*/", "/*"));
            }
        }
        (paths, sure)
    }

    fn lost(&self, status: &GitStatus, doomed: &Doomed, work: Work, root: &str) -> Vec<String> {
        let world = self.run.analyst.world;
        let goes = |at: Where, own: bool| match at {
            Where::Own => own,
            Where::Index => doomed.staged,
            Where::Safe => false,
        };
        let is_work = |path: &&String| !is_rebuildable(&format!("{root}/{path}"), root, world);
        let stays = |path: &&String| {
            !doomed.folders && path.ends_with('/') || doomed.excluded.iter().any(|name| is_named(path, name))
        };
        let strangers = |list: &[String]| -> Vec<String> {
            list.iter().filter(is_work).filter(|path| !stays(path)).cloned().collect()
        };
        let mut lost: Vec<String> = Vec::new();
        if goes(work.staged, doomed.staged) {
            lost.extend(status.staged.iter().cloned());
        }
        if goes(work.modified, doomed.modified) {
            lost.extend(status.modified.iter().cloned());
        }
        if goes(work.untracked, doomed.untracked) {
            lost.extend(strangers(&status.untracked));
        }
        if goes(work.ignored, doomed.ignored) {
            let made = |path: &String| !is_ignored_output(path, root, world);
            lost.extend(strangers(&status.ignored).into_iter().filter(made));
        }
        let mut seen = std::collections::BTreeSet::new();
        let kept = |path: &String| work::is_kept(self.run.shell, &format!("{root}/{path}"));
        lost.retain(|path| seen.insert(path.clone()) && !kept(path));
        lost
    }
}

/// Does a pattern of `--exclude` name the path or a folder on it?
fn is_named(path: &str, pattern: &str) -> bool {
    let pattern = pattern.trim_matches('/');
    path == pattern || path.split('/').any(|part| crate::paths::glob_could_be(pattern, part))
}

/// The options of `git reset`.
pub(super) const RESET: &str = "q,quiet hard soft mixed merge keep N,intent-to-add p,patch recurse-submodules? no-recurse-submodules \
    pathspec-from-file= pathspec-file-nul refresh no-refresh U,unified= inter-hunk-context=";

fn reset(git: &mut Git) -> Outcome {
    let options = git.options(RESET);
    if options.has("hard") {
        git.lose(&Doomed::tracked("git reset --hard"));
    } else if options.unsure && !options.has("soft") && !options.operands.iter().all(names_revision) {
        git.lose(&Doomed { certain: false, ..Doomed::tracked("git reset --hard") });
    } else if options.has("merge") {
        git.lose(&Doomed { staged: true, ..Doomed::new("git reset --merge") });
        // What this call has put into the index by name goes with it.
        let span = git.run.call.span;
        let named = work::staged(git.run.shell);
        let paths: Vec<Word> = named.iter().map(|path| Word::literal_at(path, span)).collect();
        if !paths.is_empty() {
            git.lose(&Doomed { modified: true, untracked: true, paths, ..Doomed::new("git reset --merge") });
        }
    } else if !options.has("soft") && !options.has("keep") {
        git.remember(|work| {
            for kind in [&mut work.staged, &mut work.modified, &mut work.untracked, &mut work.ignored] {
                if *kind == Where::Index {
                    *kind = Where::Own;
                }
            }
        });
    }
    Outcome::silent(Status::Either)
}

/// A word that may be several, and by the name of its variable holds options.
fn names_options(word: &Word) -> bool {
    word.splits && has_name(word, &["FLAG", "OPT", "ARG", "MODE", "PARAM", "SWITCH", "EXTRA"])
}

/// A word that is one, or by the name of its variable a commit.
fn names_revision(word: &Word) -> bool {
    let names = ["COMMIT", "BRANCH", "REF", "SHA", "TAG", "REV", "HASH", "BASE", "HEAD", "TARGET", "VERSION"];
    !word.splits || (has_name(word, &names) && !names_options(word))
}

/// Is the whole word a variable whose name has one of these parts?
fn has_name(word: &Word, parts: &[&str]) -> bool {
    match word.text.pieces.as_slice() {
        [Piece::Hole(Hole { source: HoleSource::Variable(name), .. })] => {
            let name = name.to_ascii_uppercase();
            parts.iter().any(|part| name.contains(part))
        }
        _ => false,
    }
}

/// The options of `git checkout`.
pub(super) const CHECKOUT: &str = "q,quiet progress no-progress f,force ours theirs b= B= t,track? guess no-guess l d,detach orphan= \
    ignore-skip-worktree-bits m,merge conflict= p,patch ignore-other-worktrees recurse-submodules? \
    no-recurse-submodules overlay no-overlay pathspec-from-file= pathspec-file-nul overwrite-ignore \
    no-overwrite-ignore 2 3 U,unified= inter-hunk-context=";

fn checkout(git: &mut Git) -> Outcome {
    let options = git.options(CHECKOUT);
    let (tree, paths) = git.tree_and_paths(&options);
    if tree {
        git.replaces_settings(&paths);
    }
    let listed = options.has("pathspec-from-file");
    if ["ours", "theirs", "2", "3"].iter().any(|name| options.has(name)) && git.is_merging() {
        return Outcome::silent(Status::Either);
    }
    if options.has("p") && git.asks() {
        return Outcome::silent(Status::Either);
    }
    if !paths.is_empty() || listed || options.has("p") {
        let certain = !listed && !options.has("p");
        let doomed = Doomed { modified: true, staged: tree, paths, certain, ..Doomed::new("git checkout") };
        git.lose(&doomed);
    } else if options.has("f") {
        git.lose(&Doomed::tracked("git checkout --force"));
    }
    if options.operands.iter().any(names_options) {
        git.lose(&Doomed { certain: false, ..Doomed::tracked("git checkout --force") });
    }
    if let Some(branch) = options.value("B").cloned() {
        git.overwrite_branch("git checkout -B", &branch, &options.operands);
    }
    Outcome::silent(Status::Either)
}

impl Git<'_, '_, '_> {
    /// Settings of an agent that come out of another tree are settings that nobody has read.
    pub(super) fn replaces_settings(&mut self, paths: &[Word]) {
        for word in paths.iter().filter_map(|word| self.pathspec(word)).collect::<Vec<_>>() {
            let places = self.run.analyst.places(&word, self.run.shell);
            let holds = |place: &tollgate_model::Place| {
                place.zone == Zone::AgentConfig || crate::settings::filled(place).is_some()
            };
            if places.iter().any(|(place, _)| holds(place)) {
                self.run.analyst.write(&word, WriteMode::Overwrite, None, self.run.shell);
            }
        }
    }

    /// Is something half done whose conflicts a side may be picked for?
    fn is_merging(&self) -> bool {
        let marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
        let world = self.run.analyst.world;
        let half =
            |dir: &str| marks.iter().any(|mark| world.kind(&format!("{dir}/{mark}")) != FileKind::Missing);
        self.sites().iter().any(|site| site.repo.as_ref().is_some_and(|repo| half(&repo.git_dir)))
    }

    /// Does a person answer what it asks?
    fn asks(&self) -> bool {
        self.run.call.stdin.stream == Stream::Outer
    }

    /// Is a tree named, and which paths follow?
    fn tree_and_paths(&self, options: &Options) -> (bool, Vec<Word>) {
        if let Some(after) = self.args_after() {
            return (!options.operands.is_empty(), after.to_vec());
        }
        match options.operands.split_first() {
            Some((first, rest)) if self.names_rev(first) => (true, rest.to_vec()),
            Some(_) => (false, options.operands.clone()),
            None => (false, Vec::new()),
        }
    }
}

/// The options of `git restore`.
pub(super) const RESTORE: &str = "s,source= S,staged W,worktree p,patch q,quiet progress no-progress ours theirs m,merge conflict= \
    ignore-unmerged ignore-skip-worktree-bits recurse-submodules? no-recurse-submodules overlay no-overlay \
    pathspec-from-file= pathspec-file-nul U,unified= inter-hunk-context= 2 3";

fn restore(git: &mut Git) -> Outcome {
    let options = git.options(RESTORE);
    let staged = holds(&options, "S", "staged");
    let sides = ["ours", "theirs", "2", "3"].iter().any(|name| options.has(name));
    if staged && !options.has("W") || sides && git.is_merging() {
        return Outcome::silent(Status::Either);
    }
    let mut paths = options.operands.clone();
    paths.extend(git.args_after().unwrap_or_default().iter().cloned());
    if options.has("s") {
        git.replaces_settings(&paths);
    }
    let certain = !options.has("p") && !options.has("pathspec-from-file");
    if options.has("p") && git.asks() {
        return Outcome::silent(Status::Either);
    }
    if !paths.is_empty() || !certain {
        git.lose(&Doomed { modified: true, staged, paths, certain, ..Doomed::new("git restore") });
    }
    Outcome::silent(Status::Either)
}

fn switch(git: &mut Git) -> Outcome {
    let spec = "c,create= C,force-create= guess no-guess d,detach f,force discard-changes m,merge conflict= q,quiet \
        progress no-progress t,track? orphan= ignore-other-worktrees recurse-submodules? no-recurse-submodules \
        overwrite-ignore no-overwrite-ignore";
    let options = git.options(spec);
    if options.has("f") || options.has("discard-changes") {
        git.lose(&Doomed::tracked("git switch --discard-changes"));
    }
    if let Some(branch) = options.value("C").cloned() {
        git.overwrite_branch("git switch -C", &branch, &options.operands);
    }
    Outcome::silent(Status::Either)
}

/// The options of `git clean`.
pub(super) const CLEAN: &str = "d f,force i,interactive n,dry-run q,quiet e,exclude= x X";

fn clean(git: &mut Git) -> Outcome {
    let options = git.options(CLEAN);
    let required =
        git.setting_here("clean.requireforce").is_none_or(|value| !super::settings::is_false(&value));
    let asks = options.has("i") && git.asks();
    let forced = options.has("f") || options.has("i") || options.unsure;
    if holds(&options, "n", "dry-run") || asks || required && !forced {
        return git.run.derived();
    }
    let mut paths = options.operands.clone();
    paths.extend(git.args_after().unwrap_or_default().iter().cloned());
    let doomed = Doomed {
        untracked: !options.has("X"),
        ignored: options.has("x") || options.has("X"),
        folders: options.has("d") || !paths.is_empty(),
        // Without paths it cleans from where it stands.
        paths: if paths.is_empty() { vec![Word::literal_at(".", git.run.call.span)] } else { paths },
        excluded: options.values("e").map(Word::shown).collect(),
        certain: !options.has("i") && !options.unsure,
        ..Doomed::new("git clean")
    };
    git.lose(&doomed);
    for path in &doomed.paths {
        git.run.shell.doubt_folders(&path.value());
        git.run.analyst.lets_go_of(path, git.run.shell);
    }
    Outcome::silent(Status::Either)
}

fn rm(git: &mut Git) -> Outcome {
    let spec =
        "n,dry-run q,quiet cached f,force r ignore-unmatch sparse pathspec-from-file= pathspec-file-nul";
    let options = git.options(spec);
    if holds(&options, "n", "dry-run") || holds(&options, "cached", "cached") {
        return Outcome::silent(Status::Either);
    }
    let mut paths = options.operands.clone();
    paths.extend(git.args_after().unwrap_or_default().iter().cloned());
    for path in git.protected(&paths) {
        // Git keeps what it takes away, or says no; what is taken by force is told above.
        git.run.analyst.move_away(&path, options.has("r"), &[], git.run.shell);
    }
    if options.has("f") {
        let certain = !options.has("pathspec-from-file");
        git.lose(&Doomed { paths, certain, ..Doomed::tracked("git rm --force") });
    }
    Outcome::silent(Status::Either)
}

fn mv(git: &mut Git) -> Outcome {
    let options = git.options("f,force k n,dry-run v,verbose sparse");
    let mut paths = options.operands.clone();
    paths.extend(git.args_after().unwrap_or_default().iter().cloned());
    if holds(&options, "n", "dry-run") {
        return Outcome::silent(Status::Either);
    }
    for path in git.protected(&paths) {
        git.run.analyst.write(&path, WriteMode::Overwrite, None, git.run.shell);
    }
    let mut words = paths.clone();
    words.insert(0, Word::literal_at("mv", git.run.call.span));
    // Git can take it back; what lies where is to be known all the same.
    let mark = git.run.analyst.mark();
    git.run.inner(&words);
    git.run.analyst.sift(mark, |_| false);
    if let Some(target) = paths.pop().filter(|_| options.has("f")) {
        git.lose(&Doomed { paths: vec![target], ..Doomed::tracked("git mv --force") });
    }
    Outcome::silent(Status::Either)
}

fn checkout_index(git: &mut Git) -> Outcome {
    let spec = "u,index q,quiet f,force a,all n,no-create create prefix= stage= temp ignore-skip-worktree-bits z stdin";
    let options = git.options(spec);
    if let Some(prefix) = options.value("prefix").filter(|prefix| !prefix.is("")).cloned() {
        // What stands there under the same names goes only with force.
        if options.has("f") && !options.has("n") {
            crate::commands::archives::extract(git.run, &prefix);
        } else {
            git.run.analyst.write(&prefix, WriteMode::Create, None, git.run.shell);
        }
        return Outcome::silent(Status::Either);
    }
    if options.has("f") && !options.has("n") && !options.has("temp") {
        let mut paths = options.operands.clone();
        paths.extend(git.args_after().unwrap_or_default().iter().cloned());
        let certain = !options.has("stdin");
        git.lose(&Doomed { modified: true, paths, certain, ..Doomed::new("git checkout-index --force") });
    }
    Outcome::silent(Status::Either)
}

fn read_tree(git: &mut Git) -> Outcome {
    let spec = "m reset i n,dry-run v,verbose u aggressive prefix= trivial exclude-per-directory= index-output= \
        sparse-checkout no-sparse-checkout recurse-submodules? no-recurse-submodules q,quiet empty debug-unpack";
    let options = git.options(spec);
    if let Some(index) = options.value("index-output").cloned() {
        git.run.analyst.write(&index, WriteMode::Overwrite, None, git.run.shell);
    }
    if options.has("reset") && options.has("u") && !holds(&options, "n", "dry-run") {
        git.lose(&Doomed::tracked("git read-tree --reset -u"));
    }
    Outcome::silent(Status::Either)
}

impl Git<'_, '_, '_> {
    /// A setting, of this run or of the repository.
    pub(super) fn setting_here(&self, key: &str) -> Option<String> {
        if let Some(own) = self.settings.get(key) {
            return Some(own.to_owned());
        }
        let world = self.run.analyst.world;
        let repo = self.sites().into_iter().find_map(|site| site.repo)?;
        repo.config(world).get(key).map(str::to_owned)
    }
}
