//! Commands that talk to other repositories, and the addresses they take: some addresses are commands.

use tollgate_model::{
    Carried, Certainty, EffectKind, FileKind, Lasting, Mark, NetDirection, Place, WriteMode, Zone,
};
use tollgate_shell::eval::{Outcome, Status};

use super::{Git, Verb, holds, settings, work};
use crate::analyst::taint;
use crate::commands::network::is_given_away;
use crate::commands::trees;
use crate::options::Options;
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[
    ("clone", clone),
    ("init", init),
    ("init-db", init),
    ("fetch", fetch),
    ("pull", fetch),
    ("fetch-pack", fetch),
    ("ls-remote", fetch),
    ("remote", remote),
    ("remote-ext", remote_ext),
];

/// The place on the network that an address names, without who asks and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::commands) struct Address {
    pub host: String,
    pub path: String,
}

impl Address {
    /// The address without who asks: a password may stand there.
    fn plain(&self) -> String {
        format!("https://{}/{}", self.host, self.path)
    }
}

/// Reads an address; `None` for a path on this machine, and for a plain name.
pub(in crate::commands) fn address(text: &str) -> Option<Address> {
    let (authority, path) = match text.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.split_once('/').unwrap_or((rest, "")),
        None => {
            let (authority, path) = text.split_once(':')?;
            if authority.contains('/') || path.starts_with(':') {
                return None;
            }
            (authority, path)
        }
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git").trim_end_matches('/').to_owned();
    Some(Address { host, path })
}

impl Git<'_, '_, '_> {
    /// `ext::command` is a command; other `helper::address` forms run a program of git's.
    pub(super) fn run_address(&mut self, word: &Word) {
        let Some((helper, _)) =
            word.text.prefix().split_once("::").filter(|(helper, _)| !helper.contains('/'))
        else {
            return;
        };
        if helper != "ext" {
            let program = Word::literal_at(&format!("git-remote-{helper}"), word.span);
            self.run.inner(&[program, word.clone()]);
            return;
        }
        let rest = word.from("ext::".len());
        let words: Vec<Word> = match rest.literal() {
            Some(text) => ext_words(text).iter().map(|text| Word::literal_at(text, word.span)).collect(),
            None => return self.run.analyst.dynamic_code(word.taint, word.span),
        };
        self.run.inner(&words);
    }

    /// Something comes from an address.
    pub(super) fn fetches(&mut self, word: &Word) {
        self.run_address(word);
        if let Some(address) = address(&word.shown()).filter(|_| !word.text.prefix().starts_with("ext::")) {
            let certainty = if word.literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            if is_given_away(word, &address.host) {
                let carries = vec![Carried::Secret];
                let host = address.host.clone();
                let kind = EffectKind::Net { host, direction: NetDirection::Out, carries };
                self.run.analyst.push(kind, word.span, Certainty::Possible);
            }
            let kind =
                EffectKind::Net { host: address.host, direction: NetDirection::In, carries: Vec::new() };
            self.run.analyst.push(kind, word.span, certainty);
        }
    }

    /// A folder that git fills. New files in it are ordinary, unless an agent or a program takes its settings
    /// from there.
    pub(super) fn target_folder(&mut self, folder: &Word, history: &work::History) {
        let places = self.run.analyst.places(folder, self.run.shell);
        let is_kept = |place: &Place| {
            matches!(place.zone, Zone::AgentConfig | Zone::Secret) || crate::settings::filled(place).is_some()
        };
        if places.iter().any(|(place, _)| is_kept(place)) {
            self.run.analyst.write(folder, WriteMode::Overwrite, None, self.run.shell);
        }
        if let [(place, _)] = places.as_slice() {
            let path = place.path.clone();
            if self.run.analyst.world.kind(&path) != FileKind::Dir {
                work::make_fresh(self.run.shell, &path, history);
                self.run.analyst.make_copy_dir(folder, self.run.shell);
            }
        }
    }

    /// `+source:branch`, or any with `--force`, puts a branch of this repository elsewhere.
    fn fetched_over(&mut self, options: &Options) {
        let specs: Vec<Word> = options.operands.iter().skip(1).cloned().collect();
        for word in specs {
            let Some((forced, branch)) = word.literal().and_then(local_branch) else { continue };
            if forced && branch.contains('*') {
                self.every_branch("git fetch --force");
            } else if forced || options.has("f") {
                let branch = Word::literal_at(branch, word.span);
                self.overwrite_branch("git fetch --force", &branch, std::slice::from_ref(&word));
            }
        }
    }

    fn other_end(&mut self, options: &Options) {
        for command in options.values("upload-pack").cloned().collect::<Vec<_>>() {
            self.code(&command);
        }
    }
}

/// The branch of this repository that a refspec writes, and whether it is written whatever is on it.
fn local_branch(refspec: &str) -> Option<(bool, &str)> {
    let (forced, rest) = refspec.strip_prefix('+').map_or((false, refspec), |rest| (true, rest));
    let (_, target) = rest.split_once(':')?;
    let branch = target.strip_prefix("refs/heads/").unwrap_or(target);
    (!branch.is_empty() && !branch.starts_with("refs/")).then_some((forced, branch))
}

/// The words of an `ext::` address: blanks part them, `%` escapes.
fn ext_words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == ' ' {
            words.push(String::new());
            continue;
        }
        let Some(word) = words.last_mut() else { break };
        if c != '%' {
            word.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ (' ' | '%')) => word.push(c),
            // `%S` and its like stand for the service's name, or set how it is asked for.
            Some('s') => word.push_str("upload-pack"),
            Some('S') => word.push_str("git-upload-pack"),
            _ => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn clone(git: &mut Git) -> Outcome {
    let spec = "v,verbose q,quiet progress no-progress reject-shallow no-reject-shallow n,no-checkout checkout bare mirror \
        l,local no-local no-hardlinks s,shared recurse-submodules,recursive? j,jobs= template= reference= \
        reference-if-able= dissociate o,origin= b,branch= revision= u,upload-pack= depth= shallow-since= \
        shallow-exclude= single-branch no-single-branch tags no-tags shallow-submodules no-shallow-submodules \
        separate-git-dir= ref-format= c,config= server-option= 4,ipv4 6,ipv6 filter= also-filter-submodules \
        remote-submodules sparse bundle-uri= hardlinks";
    let mut options = git.options(spec);
    options.operands.extend(git.args_after().unwrap_or_default().iter().cloned());
    for setting in options.values("c").cloned().collect::<Vec<_>>() {
        git.assigned(&setting);
    }
    if let Some(template) = options.value("template").cloned() {
        git.setting("init.templatedir", &template);
    }
    for command in options.values("u").cloned().collect::<Vec<_>>() {
        git.code(&command);
    }
    let Some(source) = options.operands.first().cloned() else { return git.run.derived() };
    git.fetches(&source);
    let target = options
        .operands
        .get(1)
        .cloned()
        .unwrap_or_else(|| Word::literal_at(&clone_name(&source), source.span));
    git.target_folder(&target, &work::History::Own);
    if let Some(from) = address(&source.shown()) {
        // The network may stand in the way.
        git.run.shell.remove_folder(&target.value());
        trees::fetched(git.run, &from.host, &target);
    } else if let (Some(from), Some(folder)) = (git.path(&source), git.path(&target)) {
        work::cloned(git.run.shell, &folder, &from);
    }
    Outcome::silent(Status::Either)
}

/// The folder that `clone` makes when none is named.
pub(in crate::commands) fn clone_name(source: &Word) -> String {
    let shown = source.shown();
    let path = shown.trim_end_matches('/').trim_end_matches("/.git");
    let name = path.rsplit(['/', ':']).next().unwrap_or_default();
    name.trim_end_matches(".git").trim_end_matches(".bundle").to_owned()
}

fn init(git: &mut Git) -> Outcome {
    let spec =
        "template= bare shared? q,quiet separate-git-dir= b,initial-branch= object-format= ref-format=";
    let options = git.options(spec);
    if let Some(template) = options.value("template").cloned() {
        git.setting("init.templatedir", &template);
    }
    let here = Word::literal_at(".", git.run.call.span);
    let folder = options.operands.first().cloned().unwrap_or(here);
    let world = git.run.analyst.world;
    // What the repository is kept in may lie elsewhere, and be there.
    let apart = options.value("separate-git-dir").or(git.git_dir.as_ref());
    let kept = apart.map(|apart| git.path(apart));
    let free = |path: &String| world.kind(path) == FileKind::Missing;
    // In a folder that has a repository, `init` leaves it as it is.
    if let Some(path) = git
        .path(&folder)
        .filter(|path| [".git", "HEAD"].iter().all(|name| free(&format!("{path}/{name}"))))
        .filter(|_| kept.is_none_or(|kept| kept.as_ref().is_some_and(free)))
    {
        work::make_fresh(git.run.shell, &path, &work::History::Own);
        git.run.analyst.make_copy_dir(&folder, git.run.shell);
    }
    Outcome::silent(Status::Either)
}

/// `fetch`, `pull` and their like.
const FETCH: &str = "j,jobs= v,verbose q,quiet all a,append atomic set-upstream upload-pack,exec= f,force m,multiple t,tags n p,prune \
    P,prune-tags recurse-submodules? no-recurse-submodules dry-run porcelain write-fetch-head no-write-fetch-head k,keep \
    u,update-head-ok progress no-progress depth= shallow-since= shallow-exclude= deepen= unshallow refetch \
    update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= negotiate-only filter= auto-maintenance \
    no-auto-maintenance auto-gc no-auto-gc show-forced-updates no-show-forced-updates write-commit-graph stdin \
    r,rebase? no-rebase no-commit commit no-edit edit cleanup= ff ff-only no-ff verify no-verify s,strategy= \
    X,strategy-option= S,gpg-sign? autostash no-autostash squash stat allow-unrelated-histories no-tags h,heads refs prefetch log? signoff? verify-signatures \
    b,branches get-url sort= symref exit-code";

/// `pull` takes the number of jobs only attached.
const PULL: &str = "j,jobs? v,verbose q,quiet all a,append atomic set-upstream upload-pack,exec= f,force m,multiple t,tags n p,prune \
    P,prune-tags recurse-submodules? no-recurse-submodules dry-run porcelain write-fetch-head no-write-fetch-head k,keep \
    u,update-head-ok progress no-progress depth= shallow-since= shallow-exclude= deepen= unshallow refetch \
    update-shallow refmap= o,server-option= 4,ipv4 6,ipv6 negotiation-tip= negotiate-only filter= auto-maintenance \
    no-auto-maintenance auto-gc no-auto-gc show-forced-updates no-show-forced-updates write-commit-graph stdin \
    r,rebase? no-rebase no-commit commit no-edit edit cleanup= ff ff-only no-ff verify no-verify s,strategy= \
    X,strategy-option= S,gpg-sign? autostash no-autostash squash stat allow-unrelated-histories no-tags h,heads refs prefetch log? signoff? verify-signatures \
    b,branches get-url sort= symref exit-code";

fn fetch(git: &mut Git) -> Outcome {
    let spec = if git.verb == "pull" { PULL } else { FETCH };
    let options = git.options(spec);
    git.other_end(&options);
    if options.has("no-verify") {
        git.skips_hooks();
    }
    if let Some(source) = options.operands.first().cloned() {
        git.fetches(&source);
    }
    if git.verb == "fetch" && !holds(&options, "dry-run", "dry-run") {
        git.fetched_over(&options);
    }
    Outcome::unknown(if git.verb == "ls-remote" { taint::NET } else { tollgate_shell::value::Taint::NONE })
}

fn remote(git: &mut Git) -> Outcome {
    let options = git.options("v,verbose t= m= f tags no-tags mirror? push add delete all n,dry-run p,prune");
    let words: Vec<Word> = options.operands.clone();
    let verb = words.first().map(Word::shown).unwrap_or_default();
    if let ("add" | "set-url", Some(name), Some(address)) = (verb.as_str(), words.get(1), words.get(2)) {
        git.new_remote(&name.shown(), address, verb == "add");
        if options.has("f") {
            git.fetches(address);
        }
    }
    git.run.derived()
}

/// Public forges, where most projects' upstreams are.
const FORGES: &[&str] =
    &["github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "git.sr.ht", "salsa.debian.org"];

impl Git<'_, '_, '_> {
    /// A remote at a host that this repository never talked to is something to know; where there was none,
    /// at the same host, or a further one at a forge that everybody fetches from, it is everyday work.
    pub(super) fn new_remote(&mut self, name: &str, word: &Word, further: bool) {
        self.run_address(word);
        let world = self.run.analyst.world;
        settings::remember(self.run.shell, &format!("remote.{name}.url"), &word.shown());
        let Some(repo) = self.sites().into_iter().find_map(|site| site.repo) else { return };
        let config = repo.config(world);
        let known: Vec<Address> = config.named("remote", "url").filter_map(|(_, url)| address(url)).collect();
        let Some(new) = address(&word.shown()) else { return };
        if !known.contains(&new) && !known.is_empty() {
            let path = remote_file(&repo.common_dir, name);
            let place =
                Place { path, shown: name.to_owned(), zone: Zone::Workspace, pattern: false, root: false };
            self.push(EffectKind::Leaves { place, mark: Mark::Remote(new.plain()) }, Certainty::Certain);
        }
        if further
            && FORGES.contains(&new.host.as_str())
            && !config.named("remote", "url").any(|(known, _)| known == name)
        {
            return;
        }
        if !known.is_empty() && !known.iter().any(|remote| remote.host == new.host) {
            let what = format!("remote.{name}.url");
            self.push(EffectKind::Persist { kind: Lasting::GitSetting, what }, Certainty::Certain);
        }
    }
}

/// Where the session remembers a remote that it has added.
pub(super) fn remote_file(git_dir: &str, name: &str) -> String {
    format!("{git_dir}/remotes/{name}")
}

fn remote_ext(git: &mut Git) -> Outcome {
    if let Some(command) = git.args.get(1).cloned() {
        let mut text = tollgate_shell::value::Text::literal("ext::");
        text.append(&command.text);
        git.run_address(&Word { text, ..command });
    }
    git.run.derived()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_compared_by_host_and_path() {
        let check = |text: &str, expected: Option<(&str, &str)>| {
            let found = address(text);
            assert_eq!(found.as_ref().map(|a| (a.host.as_str(), a.path.as_str())), expected, "{text}");
        };
        for text in [
            "git@example.test:a/b.git",
            "ssh://git@example.test:22/a/b",
            "https://user:token@Example.test/a/b.git/",
            "https://example.test/a/b",
        ] {
            check(text, Some(("example.test", "a/b")));
        }
        for text in
            ["origin", "../backup.git", "/srv/git/a.git", "file:///srv/a.git", "./a:b", "ext::sh -c x"]
        {
            check(text, None);
        }
    }

    #[test]
    fn ext_addresses_are_split_as_git_splits_them() {
        assert_eq!(ext_words("sh -c rm% -rf% /"), ["sh", "-c", "rm -rf /"]);
        assert_eq!(ext_words("ssh host %S a%%b"), ["ssh", "host", "git-upload-pack", "a%b"]);
    }
}
