//! `git push`: what it publishes where, and what it rewrites there.

use tollgate_model::git::Config;
use tollgate_model::{Audience, Carried, Certainty, EffectKind, Mark, NetDirection, Rewrite};
use tollgate_shell::eval::{Outcome, Status};

use super::remotes::{Address, address, remote_file};
use super::{Git, Verb, holds, work};
use crate::options::Options;
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] =
    &[("push", push), ("send-pack", push), ("subtree", subtree), ("svn", svn)];

pub(super) const PUSH: &str = "v,verbose q,quiet repo= all branches mirror d,delete tags n,dry-run porcelain f,force force-with-lease? \
    force-if-includes no-force-if-includes recurse-submodules= no-recurse-submodules thin no-thin receive-pack,exec= \
    u,set-upstream progress no-progress prune no-verify verify follow-tags no-follow-tags signed? no-signed atomic \
    no-atomic o,push-option= 4,ipv4 6,ipv6 stdin stateless-rpc helper-status remote=";

fn push(git: &mut Git) -> Outcome {
    let options = git.options(PUSH);
    let mut operands = options.operands.clone();
    operands.extend(git.args_after().unwrap_or_default().iter().cloned());
    let named = if operands.is_empty() { options.value("repo").cloned() } else { Some(operands.remove(0)) };
    for command in options.values("receive-pack").cloned().collect::<Vec<_>>() {
        git.code(&command);
    }
    if let Some(named) = &named {
        git.run_address(named);
    }
    if holds(&options, "n", "dry-run") {
        return git.run.derived();
    }
    if options.has("no-verify") || git.hooks_are_off() {
        git.skips_hooks();
    }
    let to = git.destination(named.as_ref());
    if git.is_made_here(&to) {
        return Outcome::silent(Status::Either);
    }
    git.publish(&to);
    let push = Push { forced: options.has("f"), leased: options.has("force-with-lease"), remote: to.shown() };
    git.rewrites(&push, &options, &operands);
    Outcome::silent(Status::Either)
}

/// How everything in one push is done.
struct Push {
    forced: bool,
    leased: bool,
    remote: String,
}

/// Where a push goes.
struct Destination {
    /// The remote's name, or the address that was given.
    name: String,
    /// The address it really goes to, with what this call set; `None` when it is not known.
    address: Option<Word>,
    /// The repository's configuration has this remote, and nothing in the call leads it elsewhere.
    known: bool,
}

impl Destination {
    /// Its name without what an address may say about who is asking.
    fn shown(&self) -> String {
        let address = self.name.split_once("://").filter(|(scheme, _)| scheme.starts_with("http"));
        let Some((scheme, rest)) = address else { return self.name.clone() };
        let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
        format!("{scheme}://{place}")
    }
}

impl Git<'_, '_, '_> {
    fn repo_config(&self) -> Option<Config> {
        let world = self.run.analyst.world;
        self.sites().into_iter().find_map(|site| site.repo).map(|repo| repo.config(world))
    }

    fn branch_here(&self) -> Option<String> {
        let world = self.run.analyst.world;
        self.sites().into_iter().find_map(|site| site.repo).and_then(|repo| repo.branch(world))
    }

    fn destination(&self, named: Option<&Word>) -> Destination {
        let config = self.repo_config().unwrap_or_default();
        let span = self.run.call.span;
        let word = named.cloned().unwrap_or_else(|| Word::literal_at(&self.default_remote(&config), span));
        let name = word.shown();
        let from = |config: &Config| {
            let push =
                config.get(&format!("remote.{name}.pushurl")).or(config.get(&format!("remote.{name}.url")));
            push.map(str::to_owned)
        };
        let (own, set) = (from(&config), from(&self.settings));
        let added = self.added(&name);
        let plain = set.clone().or_else(|| added.clone()).or_else(|| own.clone());
        let given = plain.clone().unwrap_or_else(|| name.clone());
        let real = redirected(&self.settings, &given);
        let known = own.is_some() && set.is_none() && real == given && added.is_none();
        let address = match (plain, known) {
            (None, _) if word.literal().is_none() => Some(word),
            (None, _) if address(&real).is_none() => {
                elsewhere(&self.settings).map(|base| Word::literal_at(base, word.span))
            }
            _ => Some(Word::literal_at(&real, word.span)),
        };
        Destination { name, address, known }
    }

    /// Does this call make the repository it goes to? Then nobody else has anything in it.
    fn is_made_here(&self, to: &Destination) -> bool {
        let shell = &*self.run.shell;
        let set = self.settings.get(&format!("remote.{}.url", to.name)).map(str::to_owned);
        let here = || shell.cwd().as_literal().and_then(|folder| work::cloned_from(shell, folder));
        let path = if to.name.contains('/') { Some(to.name.clone()) } else { set.or_else(here) };
        let path = path.and_then(|path| self.path(&Word::literal_at(&path, self.run.call.span)));
        path.is_some_and(|path| work::is_new(shell, &path))
    }

    /// The address of a remote that an earlier call of this session has added.
    fn added(&self, name: &str) -> Option<String> {
        let world = self.run.analyst.world;
        let repo = self.sites().into_iter().find_map(|site| site.repo)?;
        let marks = world.memory().marks(&remote_file(&repo.common_dir, name));
        marks.into_iter().rev().find_map(|mark| match mark {
            Mark::Remote(address) => Some(address.clone()),
            _ => None,
        })
    }

    fn default_remote(&self, config: &Config) -> String {
        let branch = self.branch_here().unwrap_or_default();
        let own = ["pushremote", "remote"].map(|name| config.get(&format!("branch.{branch}.{name}")));
        let [push, fetch] = own;
        push.or(config.get("remote.pushdefault")).or(fetch).unwrap_or("origin").to_owned()
    }

    fn publish(&mut self, to: &Destination) {
        let config = self.repo_config().unwrap_or_default();
        let target = to.address.as_ref().filter(|_| !to.known);
        let foreign =
            target.and_then(|word| Some((word, foreign(word, &config, |name| self.added(name).is_some())?)));
        let Some((word, (address, certainty))) = foreign else {
            return self
                .push(EffectKind::Publish { target: Audience::Other(to.shown()) }, Certainty::Certain);
        };
        let shown = if address.path.is_empty() {
            address.host.clone()
        } else {
            // Before an `@` may stand a password, wherever git or the host would see the end of the name.
            format!("{}/{}", address.host, address.path.rsplit('@').next().unwrap_or_default())
        };
        self.run.analyst.push(
            EffectKind::Publish { target: Audience::ForeignRemote(shown) },
            word.span,
            certainty,
        );
        let carries = vec![Carried::Named("the commits of this repository".to_owned())];
        let kind = EffectKind::Net { host: address.host, direction: NetDirection::Out, carries };
        self.run.analyst.push(kind, word.span, certainty);
    }

    /// What the refspecs replace or delete.
    fn rewrites(&mut self, push: &Push, options: &Options, refspecs: &[Word]) {
        let config = self.repo_config().unwrap_or_default();
        let mirror = options.has("mirror")
            || [&self.settings, &config].into_iter().any(|config| {
                let set = config.get(&format!("remote.{}.mirror", push.remote));
                set.is_some_and(|value| !super::settings::is_false(value))
            });
        if mirror {
            self.rewrite(push, Some(Rewrite::Forced), "*", Certainty::Certain);
            return self.rewrite(push, Some(Rewrite::Deleted), "*", Certainty::Certain);
        }
        if options.has("prune") {
            self.rewrite(push, Some(Rewrite::Deleted), "*", Certainty::Certain);
        }
        if options.has("all") || options.has("branches") {
            return self.rewrite(push, push.how(false), "*", Certainty::Certain);
        }
        let span = self.run.call.span;
        let mut words = refspecs.to_vec();
        if words.is_empty() && options.has("tags") {
            words.push(Word::literal_at("refs/tags/*", span));
        }
        if words.is_empty() {
            let key = format!("remote.{}.push", push.remote);
            let set = self.settings.iter().chain(config.iter()).filter(|(name, _)| *name == key);
            words.extend(set.map(|(_, value)| Word::literal_at(value, span)));
        }
        if words.is_empty() {
            words.push(Word::literal_at("HEAD", span));
        }
        self.refspecs(push, options.has("d"), &words);
    }

    fn refspecs(&mut self, push: &Push, delete: bool, words: &[Word]) {
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut text = word.shown();
            // Where it goes to is what counts, not what goes there.
            let known = word.literal().is_some() || word.text.suffix().contains(':');
            let mut certainty = if known { Certainty::Certain } else { Certainty::Possible };
            if text == "tag"
                && let Some(name) = rest.next()
            {
                text = format!("refs/tags/{}", name.shown());
                certainty = if name.literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            }
            if text.starts_with('^') {
                continue;
            }
            let spec = Refspec::parse(&text);
            let how = if delete || spec.source == Some("") {
                Some(Rewrite::Deleted)
            } else {
                push.how(spec.forced)
            };
            let branch = self.branch_named(spec.target);
            self.rewrite(push, how, &branch, certainty);
        }
    }

    /// A target as a branch's short name; other refs keep their whole name.
    fn branch_named(&self, target: &str) -> String {
        match target {
            "HEAD" | "@" => self.pushed_branch(),
            "" => "*".to_owned(),
            other => {
                other.strip_prefix("refs/heads/").or(other.strip_prefix("heads/")).unwrap_or(other).to_owned()
            }
        }
    }

    /// The branch of the remote that a push without words goes to.
    fn pushed_branch(&self) -> String {
        let Some(branch) = self.branch_here() else { return String::new() };
        let config = self.repo_config().unwrap_or_default();
        let set = |key: &str| self.settings.get(key).or(config.get(key));
        let upstream = set("push.default").is_some_and(|value| matches!(value, "upstream" | "tracking"));
        let merge = set(&format!("branch.{branch}.merge")).filter(|_| upstream);
        merge.map_or(branch.clone(), |merge| merge.trim_start_matches("refs/heads/").to_owned())
    }

    /// `git branch --set-upstream-to=origin/main` decides where a later push of the call may go.
    pub(super) fn set_upstream(&mut self, branch: Option<&Word>, upstream: &str) {
        let branch = branch.map(Word::shown).or_else(|| self.branch_here());
        if let (Some(branch), Some((remote, merge))) = (branch, upstream.split_once('/')) {
            let shell = &mut *self.run.shell;
            super::settings::remember(
                shell,
                &format!("branch.{branch}.merge"),
                &format!("refs/heads/{merge}"),
            );
            super::settings::remember(shell, &format!("branch.{branch}.remote"), remote);
        }
    }

    fn rewrite(&mut self, push: &Push, how: Option<Rewrite>, branch: &str, certainty: Certainty) {
        let Some(how) = how else { return };
        let operation = match how {
            Rewrite::Leased => "git push --force-with-lease",
            Rewrite::Deleted => "git push --delete",
            _ => "git push --force",
        };
        let (operation, remote, branch) = (operation.to_owned(), push.remote.clone(), branch.to_owned());
        self.push(EffectKind::HistoryRewrite { operation, how, remote, branch }, certainty);
    }
}

impl Push {
    /// `--force` and `+` do away with a lease.
    fn how(&self, plus: bool) -> Option<Rewrite> {
        if self.forced || plus { Some(Rewrite::Forced) } else { self.leased.then_some(Rewrite::Leased) }
    }
}

/// `+source:target`.
struct Refspec<'t> {
    forced: bool,
    /// `None` when there is no colon.
    source: Option<&'t str>,
    target: &'t str,
}

impl<'t> Refspec<'t> {
    fn parse(text: &'t str) -> Self {
        let (forced, text) = text.strip_prefix('+').map_or((false, text), |rest| (true, rest));
        match text.split_once(':') {
            // A colon alone stands for every branch that both sides have.
            Some(("", "")) => Self { forced, source: None, target: "" },
            Some((source, target)) => {
                let plus = target.strip_prefix('+');
                Self {
                    forced: forced || plus.is_some(),
                    source: Some(source),
                    target: plus.unwrap_or(target),
                }
            }
            None => Self { forced, source: None, target: text },
        }
    }
}

/// Is an address none of the repository's remotes? Known hosts make that less sure than unknown ones.
fn foreign(word: &Word, config: &Config, added: impl Fn(&str) -> bool) -> Option<(Address, Certainty)> {
    let given = address(&word.shown()).or_else(|| word.literal().is_none().then(Address::default))?;
    let remotes: Vec<Address> = ["url", "pushurl"]
        .into_iter()
        .flat_map(|name| config.named("remote", name))
        .filter(|(name, _)| !added(name))
        .filter_map(|(_, url)| address(&redirected(config, url)))
        .collect();
    if remotes.contains(&given) {
        return None;
    }
    let sure = word.literal().is_some()
        && !remotes.is_empty()
        && !remotes.iter().any(|remote| remote.host == given.host);
    Some((given, if sure { Certainty::Certain } else { Certainty::Possible }))
}

/// `url.BASE.insteadOf` leads an address elsewhere; the longest match wins.
fn redirected(config: &Config, url: &str) -> String {
    let rules = ["pushinsteadof", "insteadof"].into_iter().flat_map(|name| config.named("url", name));
    let fits =
        rules.filter_map(|(base, start)| Some((start.len(), format!("{base}{}", url.strip_prefix(start)?))));
    fits.max_by_key(|(length, _)| *length).map_or_else(|| url.to_owned(), |(_, to)| to)
}

/// Where a rewritten address leads when it goes to another host. It may be that of a remote that nobody knows.
fn elsewhere(config: &Config) -> Option<&str> {
    let host = |text: &str| address(text).map(|address| address.host);
    let mut rules = ["pushinsteadof", "insteadof"].into_iter().flat_map(|name| config.named("url", name));
    rules.find(|(base, start)| host(base) != host(start)).map(|(base, _)| base)
}

fn subtree(git: &mut Git) -> Outcome {
    let options = git.options("P,prefix= q,quiet d,debug b,branch= annotate= onto= rejoin squash m,message=");
    let (verb, rest) = match options.operands.split_first() {
        Some((verb, rest)) => (verb.shown(), rest),
        None => return git.run.derived(),
    };
    let Some(address) = rest.first() else { return git.run.derived() };
    git.run_address(address);
    match verb.as_str() {
        "push" => {
            let to = git.destination(Some(address));
            git.publish(&to);
        }
        "add" | "pull" => git.fetches(address),
        _ => {}
    }
    git.run.derived()
}

fn svn(git: &mut Git) -> Outcome {
    if git.args.first().is_some_and(|word| word.is("dcommit")) {
        git.push(
            EffectKind::Publish { target: Audience::Other("the Subversion server".into()) },
            Certainty::Certain,
        );
    }
    git.run.derived()
}
