use std::collections::BTreeMap;

use tollgate_model::git::{Config, GitAsk, GitStatus, Repo, stands_for};
use tollgate_model::{
    Card, Case, Certainty, EffectKind, FileKind, Hit, Place, Rule, Span, World, Zone, is_ignored_output,
    is_rebuildable,
};

use crate::kit::{listed, rule, shown};

rule! {
    /// Asks before deleting a folder that contains uncommitted work.
    ///
    /// Changed files, untracked files and ignored files count as work. Committed files do not, nor do files that a tool makes again:
    /// `target/` next to `Cargo.toml` or ignored by git, `node_modules/` next to `package.json`, and caches.
    ///
    /// ## Instead
    /// Commit or stash the work first, move it, or name the files to delete.
    pub struct WorkDelete;
    id: "work-delete", pack: Core, level: Save, otherwise: Ask,
    instead: ["git stash -u"],
    examples: [
        hit Shell("rm -rf src"),
        hit Shell("rm -rf data"),
        hit Shell("find src -type f -delete"),
        hit Shell("find data -name '*.db' -exec rm {} ';'"),
        hit Shell("rm -rf s*c"),
        hit Shell("mv src /dev/null"),
        pass Shell("rm -rf docs"),
        pass Shell("rm -rf node_modules"),
        pass Shell("rm -rf web/dist"),
        pass Shell("rm -rf nothing-here"),
        pass Shell("rm -rf notes.txt"),
        pass Shell("rm notes.txt"),
        pass Shell("mv src lib"),
        pass Shell("find . -name '*.pyc' -delete"),
    ],
}

impl Rule for WorkDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        if let Some(hit) = moved_there(case) {
            return Some(hit);
        }
        let targets = targets(case);
        let mut trees: BTreeMap<Option<String>, Vec<&Target>> = BTreeMap::new();
        for target in &targets {
            trees.entry(tree(target, case.world)).or_default().push(target);
        }
        trees.iter().find_map(|(root, targets)| match root {
            Some(root) => in_tree(root, targets, case.world),
            None => targets.iter().find_map(|target| outside(target, case.world)),
        })
    }
}

/// Work that an earlier call has moved into something that may go, and that goes with it.
fn moved_there(case: &Case) -> Option<Hit> {
    let world = case.world;
    // Moved already, or about to be: what is at neither end is gone.
    let is_there =
        |(path, from): &(&str, &str)| [path, from].iter().any(|at| world.kind(at) != FileKind::Missing);
    case.effects.iter().find_map(|effect| {
        let EffectKind::Delete { place, recursive: true, moved: false } = &effect.kind else { return None };
        let folder = place.path.split('*').next().filter(|_| place.pattern).unwrap_or(&place.path);
        let folder = folder.trim_end_matches('/');
        let moved: Vec<String> = world
            .memory()
            .moved_below(folder)
            .into_iter()
            .filter(is_there)
            .map(|(_, from)| from.to_owned())
            .collect();
        let target = Target { place, span: effect.span, certainty: effect.certainty };
        let why = format!(" with work that was moved there: {}", listed(&moved));
        (!moved.is_empty()).then(|| hit(&target, &why, target.certainty))
    })
}

/// A folder that a call deletes, or a pattern of what it deletes.
struct Target<'a> {
    place: &'a Place,
    span: Span,
    certainty: Certainty,
}

fn targets<'a>(case: &Case<'a>) -> Vec<Target<'a>> {
    let deletes = case.effects.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Delete { place, recursive: true, moved: false }
            if place.zone == Zone::Workspace && !place.root =>
        {
            Some(Target { place, span: effect.span, certainty: effect.certainty })
        }
        _ => None,
    });
    deletes.filter(|target| matters(target, case)).collect()
}

/// A file by its name, what is not there and what is made again is no loss.
fn matters(target: &Target, case: &Case) -> bool {
    let Place { path, pattern, .. } = target.place;
    (*pattern || case.world.kind(path) == FileKind::Dir)
        && !is_rebuildable(path, case.world.workspace(), case.world)
}

/// The work tree that a target lies in.
fn tree(target: &Target, world: &dyn World) -> Option<String> {
    let path = target.place.path.split('*').next().unwrap_or_default();
    let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    Repo::find(folder, world)?.root
}

fn in_tree(root: &str, targets: &[&Target], world: &dyn World) -> Option<Hit> {
    let (nested, plain): (Vec<&Target>, Vec<&Target>) =
        targets.iter().partition(|target| is_repository(target, world));
    if let Some(target) = nested.iter().find(|target| !is_elsewhere(&target.place.path, world)) {
        return Some(hit(
            target,
            ", a repository with work or commits that exist nowhere else",
            target.certainty,
        ));
    }
    let first = plain.first()?;
    let paths: Vec<String> = plain.iter().map(|target| anywhere(&target.place.path)).collect();
    let modules = modules(root, &paths, world);
    let ask = GitAsk { paths, untracked: true, ignored: true, ..GitAsk::default() };
    let Some(status) = world.git_status(root, &ask) else {
        return Some(hit(first, "; git could not list the work in it", Certainty::Possible));
    };
    let mut lost = work(&status, root, world);
    lost.extend(modules);
    if lost.is_empty() && !status.cut {
        return None;
    }
    let certainty = if lost.is_empty() {
        Some(Certainty::Possible)
    } else {
        plain.iter().map(|target| target.certainty).max()
    };
    let why = format!(" with uncommitted work: {}", listed(&lost));
    Some(hit(first, &why, certainty.unwrap_or(Certainty::Possible)))
}

/// A pattern as git reads it: a star stands for any text, slashes and nothing at all among it.
fn anywhere(path: &str) -> String {
    path.replace("/**/", "/*").replace("/*/", "/*")
}

fn work(status: &GitStatus, root: &str, world: &dyn World) -> Vec<String> {
    let ignored = status.ignored.iter().filter(|path| !is_ignored_output(path, root, world));
    let all = status.modified.iter().chain(&status.untracked).chain(ignored);
    all.filter(|path| !is_rebuildable(&format!("{root}/{path}"), root, world)).cloned().collect()
}

/// A repository of its own goes with its history.
fn is_repository(target: &Target, world: &dyn World) -> bool {
    !target.place.pattern && world.kind(&format!("{}/.git", target.place.path)) == FileKind::Dir
}

/// Is everything in a repository committed, and every commit at a remote?
fn is_elsewhere(path: &str, world: &dyn World) -> bool {
    let ask = GitAsk { untracked: true, ignored: true, ..GitAsk::default() };
    let status = world.git_status(path, &ask).filter(|status| !status.cut && status.staged.is_empty());
    status.is_some_and(|status| work(&status, path, world).is_empty())
        && world.git_unpushed_commits(path) == Some(0)
}

/// Submodules below the paths with something in them that is not committed. Their commits are kept in the
/// outer repository.
fn modules(root: &str, paths: &[String], world: &dyn World) -> Vec<String> {
    let mut config = Config::default();
    config.read(&format!("{root}/.gitmodules"), world);
    let ask = GitAsk { untracked: true, ..GitAsk::default() };
    let is_below = |module: &String, path: &String| {
        module.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let modules = config.named("submodule", "path").map(|(_, path)| format!("{root}/{path}"));
    let below = modules.filter(|module| paths.iter().any(|path| is_below(module, path)));
    below
        .take(16)
        .filter(|module| world.git_status(module, &ask).is_some_and(|status| !status.is_empty()))
        .collect()
}

fn outside(target: &Target, world: &dyn World) -> Option<Hit> {
    let Place { path, pattern, .. } = target.place;
    let has_files = if *pattern { may_match(path, world) } else { !world.list(path, 1).is_empty() };
    has_files.then(|| hit(target, " and everything in it; no repository has a copy", target.certainty))
}

/// Is there a name that the first unknown part of a path may be?
fn may_match(path: &str, world: &dyn World) -> bool {
    let Some((before, _)) = path.split_once('*') else { return true };
    let (folder, start) = before.rsplit_once('/').unwrap_or(("", before));
    let name = path.get(folder.len() + 1..).and_then(|rest| rest.split('/').next()).unwrap_or(start);
    world.list(folder, 1000).iter().any(|entry| name.contains(['?', '[']) || stands_for(name, entry))
}

fn hit(target: &Target, why: &str, certainty: Certainty) -> Hit {
    Hit {
        what: format!("deletes {}{why}", shown(target.place)),
        instead: "commit or stash the work first (`git stash -u`), move it, or name the files to delete"
            .to_owned(),
        span: target.span,
        certainty,
    }
}
