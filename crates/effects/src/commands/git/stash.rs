//! The stash: where work is put aside, and where it can be lost.

use tollgate_model::{Certainty, EffectKind, Loss};
use tollgate_shell::eval::{Outcome, Status};

use super::work::{Where, Work};
use super::{Git, Verb};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[("stash", stash), ("commit", commit)];

/// Verbs of the stash; anything else is an option of `push`.
const STASH_VERBS: &[&str] = &[
    "push", "save", "pop", "apply", "drop", "clear", "list", "show", "branch", "create", "store", "export",
    "import",
];

fn stash(git: &mut Git) -> Outcome {
    let verb = git.args.first().map(Word::shown).unwrap_or_default();
    let rest = git.args.get(1..).unwrap_or_default().to_vec();
    match verb.as_str() {
        "drop" | "clear" => drop_stash(git, &verb, &rest),
        "pop" | "apply" | "branch" => {
            git.remember(|work| *work = Work { stashed: work.stashed, ..Work::default() })
        }
        "show" => {
            git.args = rest;
            return git.shown_stash();
        }
        "push" | "save" => {
            // What the agent's settings were before the stash is what they are again.
            let paths: Vec<Word> =
                rest.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
            if verb == "push" {
                git.replaces_settings(&paths);
            }
            push_stash(git, &rest, verb == "save");
        }
        other if STASH_VERBS.contains(&other) => {}
        _ => {
            let args = git.args.clone();
            push_stash(git, &args, false);
        }
    }
    Outcome::silent(Status::Either)
}

fn push_stash(git: &mut Git, args: &[Word], save: bool) {
    let spec = "p,patch S,staged k,keep-index no-keep-index u,include-untracked a,all q,quiet m,message= \
        pathspec-from-file= pathspec-file-nul";
    let options = read(args, spec, Order::Anywhere);
    let all = options.has("a");
    let untracked = all || options.has("u");
    let partly = options.has("p")
        || options.has("S")
        || options.has("pathspec-from-file")
        || !save && !options.operands.is_empty();
    git.doubt_folders(untracked);
    git.remember(|work| {
        work.stashed = true;
        if partly {
            return;
        }
        work.staged = Where::Safe;
        work.modified = Where::Safe;
        if untracked || work.untracked == Where::Index {
            work.untracked = Where::Safe;
        }
        if all || work.ignored == Where::Index {
            work.ignored = Where::Safe;
        }
    });
}

fn drop_stash(git: &mut Git, verb: &str, rest: &[Word]) {
    let world = git.run.analyst.world;
    let all = verb == "clear";
    for site in git.sites().into_iter().filter(|site| !site.new_history) {
        let operation = format!("git stash {verb}");
        let Some(repo) = site.repo else {
            git.push(
                EffectKind::WorkLoss { operation, kind: Loss::Stash, lost: Vec::new(), root: String::new() },
                Certainty::Possible,
            );
            continue;
        };
        let made = repo.root.as_deref().is_some_and(|root| Work::load(git.run.shell, root).stashed);
        let mut lost = repo.stashes(world);
        if made {
            lost.insert(0, "what this call put aside".to_owned());
        }
        let named =
            rest.iter().find(|word| !word.shown().starts_with('-')).and_then(|word| position(&word.shown()));
        if !all {
            let at = named.unwrap_or_default();
            lost = lost.into_iter().skip(at).take(1).collect();
        }
        lost.truncate(50);
        if !lost.is_empty() {
            let root = repo.root.clone().unwrap_or_else(|| repo.git_dir.clone());
            git.push(EffectKind::WorkLoss { operation, kind: Loss::Stash, lost, root }, Certainty::Certain);
        }
    }
}

/// `stash@{2}` or `2`.
fn position(name: &str) -> Option<usize> {
    name.trim_start_matches("stash@{").trim_end_matches('}').parse().ok()
}

fn commit(git: &mut Git) -> Outcome {
    let spec = "q,quiet v,verbose F,file= author= date= m,message= c,reedit-message= C,reuse-message= fixup= squash= \
        reset-author trailer= s,signoff t,template= e,edit no-edit cleanup= status no-status S,gpg-sign? no-gpg-sign a,all \
        i,include interactive p,patch o,only n,no-verify verify dry-run short branch ahead-behind porcelain long z,null \
        amend no-post-rewrite post-rewrite u,untracked-files? pathspec-from-file= pathspec-file-nul allow-empty allow-empty-message";
    let options = git.options(spec);
    if options.has("n") || git.hooks_are_off() {
        git.skips_hooks();
    }
    for file in ["F", "t"].into_iter().flat_map(|name| options.values(name)).filter(|file| !file.is("-")) {
        git.run.read(file, false);
    }
    let partly = options.has("interactive") || options.has("p") || options.has("dry-run");
    let only_paths = !options.operands.is_empty() || git.args_after().is_some_and(|paths| !paths.is_empty());
    if !partly && !only_paths {
        git.remember_commit(options.has("a"));
    }
    Outcome::silent(Status::Either)
}

impl Git<'_, '_, '_> {
    /// Variables by which the usual managers of hooks are told to do nothing.
    pub(super) fn hooks_are_off(&self) -> bool {
        let is =
            |name: &str, value: &str| super::variable(self.run, name).is_some_and(|given| given.is(value));
        is("HUSKY", "0")
            || is("HUSKY_SKIP_HOOKS", "1")
            || is("LEFTHOOK", "0")
            || is("PRE_COMMIT", "0")
            || super::variable(self.run, "SKIP").is_some_and(|given| !given.is(""))
    }
}
