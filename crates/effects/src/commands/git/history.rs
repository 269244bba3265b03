//! Refs and history: commands after which commits have no name left, or old ones are no longer kept.

use tollgate_model::git::Config;
use tollgate_model::{Certainty, EffectKind, Loss, Rewrite};
use tollgate_shell::eval::{Outcome, Status};

use super::{Git, Verb, holds, work};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[
    ("branch", branch),
    ("tag", tag),
    ("update-ref", update_ref),
    ("reflog", reflog),
    ("gc", gc),
    ("prune", prune),
    ("filter-branch", filter_branch),
    ("filter-repo", filter_repo),
    ("lfs", lfs),
    ("submodule", submodule),
];

impl Git<'_, '_, '_> {
    fn rewrites_here(&mut self, operation: &str, branch: &str, certainty: Certainty) {
        // A copy that this call makes is nobody's history.
        let sites = self.sites();
        if !sites.is_empty() && sites.iter().all(|site| site.new_history) {
            return;
        }
        let kind = EffectKind::HistoryRewrite {
            operation: operation.to_owned(),
            how: Rewrite::Local,
            remote: String::new(),
            branch: branch.to_owned(),
        };
        self.push(kind, certainty);
    }

    /// A branch is made anew where one may stand. With no start it becomes what is checked out.
    pub(super) fn overwrite_branch(&mut self, operation: &str, branch: &Word, start: &[Word]) {
        let world = self.run.analyst.world;
        let Some(repo) = self.sites().into_iter().find_map(|site| site.repo) else { return };
        if start.is_empty() && branch.literal().is_some() && repo.branch(world).as_deref() == branch.literal()
        {
            return;
        }
        self.lose_refs(operation, "refs/heads/", std::slice::from_ref(branch));
    }

    /// Remembers what a branch was called. With one name it is the one that is checked out.
    fn rename_branch(&mut self, names: &[Word]) {
        let world = self.run.analyst.world;
        let current = || self.sites().into_iter().find_map(|site| site.repo?.branch(world));
        let (old, new) = match names {
            [new] => (current(), new),
            [old, new] => (old.literal().map(str::to_owned), new),
            _ => return,
        };
        if let (Some(old), Some(new)) = (old, new.literal().map(str::to_owned)) {
            work::renamed(self.run.shell, &old, &new);
        }
    }

    /// Any branch may be made anew: which, and what was on it, is only known when it runs.
    pub(super) fn every_branch(&mut self, operation: &str) {
        let (operation, root) = (operation.to_owned(), String::new());
        let kind = EffectKind::WorkLoss { operation, kind: Loss::Commits, lost: Vec::new(), root };
        self.push(kind, Certainty::Possible);
    }

    /// Names go away: are there commits that have no other?
    fn lose_refs(&mut self, operation: &str, folder: &str, names: &[Word]) {
        let world = self.run.analyst.world;
        for site in self.sites() {
            if site.new_history {
                continue;
            }
            let unknown = names.iter().any(|name| name.literal().is_none());
            let facts = site.repo.as_ref().filter(|_| !unknown).map(|repo| {
                let plain = |name: &Word| name.shown().trim_start_matches("refs/heads/").to_owned();
                let former = |name: String| work::former(self.run.shell, &name).unwrap_or(name);
                let refs = names.iter().map(|name| format!("{folder}{}", former(plain(name))));
                let refs: Vec<String> = refs.filter(|name| repo.has_ref(name, world)).collect();
                let at = repo.root.clone().unwrap_or_else(|| repo.git_dir.clone());
                let lone = if refs.is_empty() { Some(0) } else { world.git_lone_commits(&at, &refs) };
                (lone, refs)
            });
            let (lost, certainty) = match facts {
                Some((Some(0), _)) => continue,
                Some((Some(count), refs)) => (vec![lone(count, &refs)], Certainty::Certain),
                _ => (Vec::new(), Certainty::Possible),
            };
            let repo = site.repo.as_ref();
            let root = repo.map(|repo| repo.root.clone().unwrap_or_else(|| repo.git_dir.clone()));
            let (operation, root) = (operation.to_owned(), root.unwrap_or_default());
            self.push(EffectKind::WorkLoss { operation, kind: Loss::Commits, lost, root }, certainty);
        }
    }
}

impl Git<'_, '_, '_> {
    /// Is it the whole name of a branch that nobody works on here, and not the one that all others go from?
    fn is_other_branch(&mut self, name: &Word) -> bool {
        let world = self.run.analyst.world;
        let Some(branch) = name.literal().and_then(|name| name.strip_prefix("refs/heads/")) else {
            return false;
        };
        let branch = branch.to_owned();
        let checked_out = |site: &super::site::Site| {
            site.repo.as_ref().is_none_or(|repo| repo.branch(world).is_none_or(|own| own == branch))
        };
        !matches!(branch.as_str(), "main" | "master" | "trunk" | "develop")
            && !self.sites().iter().any(checked_out)
    }
}

fn lone(count: usize, refs: &[String]) -> String {
    let short =
        |name: &String| name.rsplit_once("refs/heads/").map_or(name.clone(), |(_, short)| short.to_owned());
    let names: Vec<String> = refs.iter().map(short).collect();
    format!("{count} commit{} on {}", if count == 1 { "" } else { "s" }, names.join(", "))
}

/// The options of `git branch`.
pub(super) const BRANCH: &str = "v,verbose q,quiet t,track? no-track u,set-upstream-to= unset-upstream color? no-color r,remotes contains= \
    no-contains= abbrev? no-abbrev a,all d,delete D m,move M c,copy C l,list show-current create-reflog \
    edit-description f,force merged= no-merged= column? no-column sort= points-at= i,ignore-case \
    recurse-submodules format= omit-empty";

fn branch(git: &mut Git) -> Outcome {
    let options = git.options(BRANCH);
    let forced = options.has("f");
    if let Some(upstream) = options.value("u").cloned() {
        git.set_upstream(options.operands.first(), &upstream.shown());
    }
    let mut names = options.operands.clone();
    names.extend(git.args_after().unwrap_or_default().iter().cloned());
    if options.has("D") || options.has("d") && forced {
        if !options.has("r") {
            git.lose_refs("git branch -D", "refs/heads/", &names);
        }
    } else if options.has("M") || options.has("C") || forced && (options.has("m") || options.has("c")) {
        // With one name the branch that is checked out is renamed to it.
        if let Some(target) = names.last() {
            git.overwrite_branch("git branch -M", target, &[]);
        }
    } else if let Some((name, start)) = names.split_first().filter(|_| forced) {
        git.overwrite_branch("git branch -f", name, start);
    }
    if options.has("m") || options.has("M") {
        git.rename_branch(&options.operands);
    }
    git.printed_refs().unwrap_or_else(|| git.run.derived())
}

fn tag(git: &mut Git) -> Outcome {
    let spec = "l,list n? d,delete v,verify a,annotate m,message= F,file= trailer= e,edit s,sign no-sign cleanup= \
        u,local-user= f,force create-reflog column? no-column contains= no-contains= merged= no-merged= sort= points-at= \
        format= color? i,ignore-case omit-empty";
    let options = git.options(spec);
    for file in options.values("F").filter(|file| !file.is("-")) {
        git.run.read(file, false);
    }
    if options.has("d") {
        git.lose_refs("git tag -d", "refs/tags/", &options.operands);
    } else if options.has("f")
        && let Some(name) = options.operands.first()
    {
        git.lose_refs("git tag -f", "refs/tags/", std::slice::from_ref(name));
    }
    git.run.derived()
}

fn update_ref(git: &mut Git) -> Outcome {
    let options = git.options("d no-deref deref stdin z create-reflog m= 0 batch-updates");
    if options.has("d") {
        let name = options.operands.first().cloned();
        match name.filter(|name| git.is_other_branch(name)) {
            // A branch that is not checked out goes as it does with `git branch -D`.
            Some(name) => git.lose_refs("git update-ref -d", "refs/heads/", &[name]),
            None => {
                let name = options.operands.first().map(Word::shown).unwrap_or_default();
                git.rewrites_here("git update-ref -d", &name, Certainty::Certain);
            }
        }
    } else if options.has("stdin") {
        match git.run.stdin().map(|input| input.as_literal().map(|text| text.contains("delete"))) {
            Some(Some(false)) => {}
            Some(Some(true)) => git.rewrites_here("git update-ref --stdin", "", Certainty::Certain),
            _ => git.rewrites_here("git update-ref --stdin", "", Certainty::Possible),
        }
    } else if let Some(name) =
        options.operands.first().filter(|name| name.text.prefix().starts_with("refs/heads/"))
    {
        git.overwrite_branch(
            "git update-ref",
            &name.from("refs/heads/".len()),
            options.operands.get(1..).unwrap_or_default(),
        );
    }
    Outcome::silent(Status::Either)
}

fn reflog(git: &mut Git) -> Outcome {
    let spec =
        "all n,dry-run rewrite updateref verbose stale-fix expire= expire-unreachable= single-worktree";
    let options = git.options(spec);
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let expires = options.has("expire") || options.has("expire-unreachable") || git.gc_drops_all();
    let drops = matches!(verb.as_str(), "delete" | "drop") || verb == "expire" && expires;
    if drops && !holds(&options, "n", "dry-run") {
        git.rewrites_here(&format!("git reflog {verb}"), "", Certainty::Certain);
    }
    git.run.derived()
}

/// The options of `git gc`.
pub(super) const GC: &str = "q,quiet prune? no-prune cruft no-cruft max-cruft-size= expire-to= aggressive auto detach no-detach force \
    keep-largest-pack";

fn gc(git: &mut Git) -> Outcome {
    let options = git.options(GC);
    let now = options.value("prune").is_some_and(|when| matches!(when.shown().as_str(), "now" | "all"));
    if now || git.gc_drops_all() {
        git.rewrites_here("git gc --prune=now", "", Certainty::Certain);
    }
    Outcome::silent(Status::Either)
}

impl Git<'_, '_, '_> {
    /// Settings of this run by which `gc` keeps nothing.
    fn gc_drops_all(&self) -> bool {
        let now = |key: &str| self.settings.get(key).is_some_and(|when| matches!(when, "now" | "all" | "0"));
        ["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"].iter().any(|key| now(key))
    }
}

fn prune(git: &mut Git) -> Outcome {
    let options = git.options("n,dry-run v,verbose progress no-progress expire= exclude-promisor-objects");
    if !holds(&options, "n", "dry-run") {
        git.rewrites_here("git prune", "", Certainty::Certain);
    }
    Outcome::silent(Status::Either)
}

fn filter_branch(git: &mut Git) -> Outcome {
    let spec = "setup= subdirectory-filter= env-filter= tree-filter= index-filter= parent-filter= remap-to-ancestor \
        msg-filter= commit-filter= tag-name-filter= prune-empty original= d= f,force state-branch=";
    let options = git.options(spec);
    git.rewrites_here("git filter-branch", "*", Certainty::Certain);
    let filters = [
        "setup",
        "env-filter",
        "tree-filter",
        "index-filter",
        "parent-filter",
        "msg-filter",
        "commit-filter",
        "tag-name-filter",
    ];
    let codes: Vec<Word> = filters.into_iter().flat_map(|name| options.values(name)).cloned().collect();
    let folder = git.run.shell.cwd().clone();
    // Filters run in a checkout of their own.
    git.run.shell.set_cwd(&tollgate_shell::value::Value::text(".git-rewrite/t"));
    for code in codes {
        git.code(&code);
    }
    git.run.shell.set_cwd(&folder);
    git.run.derived()
}

fn filter_repo(git: &mut Git) -> Outcome {
    let looks = |word: &Word| {
        matches!(word.shown().as_str(), "--analyze" | "--dry-run" | "--version" | "--help" | "-h")
    };
    if !git.args.iter().any(looks) {
        git.rewrites_here("git filter-repo", "*", Certainty::Certain);
    }
    git.run.derived()
}

fn lfs(git: &mut Git) -> Outcome {
    let verb = git.args.first().map(Word::shown).unwrap_or_default();
    let sub = git.args.get(1).map(Word::shown).unwrap_or_default();
    if verb == "migrate" && matches!(sub.as_str(), "import" | "export") {
        git.rewrites_here("git lfs migrate", "*", Certainty::Certain);
    }
    git.run.derived()
}

fn submodule(git: &mut Git) -> Outcome {
    let at = git.args.iter().position(|word| !word.shown().starts_with('-')).unwrap_or(git.args.len());
    let (Some(verb), Some(rest)) = (git.args.get(at).map(Word::shown), git.args.get(at + 1..)) else {
        return git.run.derived();
    };
    let rest = rest.to_vec();
    match verb.as_str() {
        "foreach" => submodule_foreach(git, &rest),
        "deinit" | "update" => submodule_discard(git, &verb, &rest),
        "add" => {
            let options = read(&rest, "b,branch= f,force name= reference= depth= q,quiet", Order::Anywhere);
            if let Some(address) = options.operands.first() {
                git.fetches(address);
            }
        }
        _ => {}
    }
    git.run.derived()
}

fn submodule_foreach(git: &mut Git, rest: &[Word]) {
    let options = read(rest, "recursive q,quiet", Order::First);
    let folder = git.run.shell.cwd().clone();
    git.enter_unknown_folder();
    crate::commands::interpreters::joined(git.run, &options.operands);
    git.run.shell.set_cwd(&folder);
}

/// `deinit -f` and `update -f` overwrite what is changed in a submodule.
fn submodule_discard(git: &mut Git, verb: &str, rest: &[Word]) {
    let spec = "f,force all init remote N,no-fetch checkout merge rebase recursive reference= depth= j,jobs= \
        recommend-shallow no-recommend-shallow single-branch no-single-branch progress filter= q,quiet";
    let options = read(rest, spec, Order::Anywhere);
    if !options.has("f") {
        return;
    }
    let operation = format!("git submodule {verb} --force");
    let folders = if options.operands.is_empty() { git.submodules() } else { options.operands.clone() };
    for folder in folders.iter().take(16) {
        git.lose_work_tree(&operation, folder, Loss::Files);
    }
}

impl Git<'_, '_, '_> {
    /// The folders that `.gitmodules` names.
    fn submodules(&self) -> Vec<Word> {
        let world = self.run.analyst.world;
        let span = self.run.call.span;
        let Some(root) = self.sites().into_iter().find_map(|site| site.repo?.root) else { return Vec::new() };
        let mut config = Config::default();
        config.read(&format!("{root}/.gitmodules"), world);
        config
            .named("submodule", "path")
            .map(|(_, path)| Word::literal_at(&format!("{root}/{path}"), span))
            .collect()
    }
}
