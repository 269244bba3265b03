//! `git config`: settings that stay, some of which are code.

use tollgate_model::git::Config;
use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, Lasting, Protection, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::settings::{self, Use, is_false, is_ordinary, use_of};
use super::{Git, Verb};
use crate::commands::{Run, interpreters, is_command, proxies};
use crate::options::Options;
use crate::word::Word;

pub(super) const VERBS: &[(&str, Verb)] = &[("config", config)];

fn config(git: &mut Git) -> Outcome {
    let spec = "global system local worktree f,file= blob= get get-all get-regexp get-urlmatch replace-all add unset unset-all \
        rename-section remove-section l,list fixed-value e,edit get-color get-colorbool t,type= no-type bool int \
        bool-or-int bool-or-str path expiry-date z,null name-only show-names includes no-includes show-origin show-scope \
        default= comment= all regexp= value= append url=";
    let mut options = git.options(spec);
    options.operands.extend(git.args_after().unwrap_or_default().iter().cloned());
    let Some((key, value)) = written(&options) else { return read_only(git, &options) };
    if !key.text.prefix().contains('.') {
        git.run.analyst.opaque("the git setting is known only at run time", key.span);
        return git.run.derived();
    }
    if let Some(file) = options.value("f").cloned() {
        git.run.analyst.write(&file, WriteMode::Edit, None, git.run.shell);
    }
    persist(git, &key.shown(), &value, is_everywhere(git, &options));
    Outcome::silent(Status::Either)
}

fn read_only(git: &mut Git, options: &Options) -> Outcome {
    match options.value("f").or(options.value("blob")).cloned() {
        Some(file) => Outcome::unknown(git.run.read(&file, false).taint),
        None => git.run.derived(),
    }
}

/// The key and the value that are written, in the old and the new form of the command.
fn written(options: &Options) -> Option<(Word, Word)> {
    let looks = [
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "l",
        "unset",
        "unset-all",
        "remove-section",
        "get-color",
        "get-colorbool",
    ];
    if looks.iter().any(|name| options.has(name)) {
        return None;
    }
    let words = match options.operands.split_first() {
        Some((verb, rest)) if verb.is("set") => rest,
        Some((verb, _))
            if ["get", "list", "unset", "edit", "remove-section", "rename-section"]
                .iter()
                .any(|look| verb.is(look)) =>
        {
            return None;
        }
        _ => &options.operands,
    };
    match words {
        [key, value, ..] => Some((key.clone(), value.clone())),
        _ => None,
    }
}

/// Is it the user's or the machine's configuration that is changed?
fn is_everywhere(git: &Git, options: &Options) -> bool {
    let home = git.run.analyst.world.home();
    let own =
        [format!("{home}/.gitconfig"), format!("{home}/.config/git/config"), "/etc/gitconfig".to_owned()];
    let file = options.value("f").and_then(|file| git.path(file));
    options.has("global") || options.has("system") || file.is_some_and(|file| own.contains(&file))
}

/// A setting that stays is remembered for what follows in the call; one that is code is taken down.
fn persist(git: &mut Git, name: &str, value: &Word, everywhere: bool) {
    let mut one = Config::default();
    one.add(name, &value.shown());
    let key = one.iter().next().map(|(key, _)| key.to_owned()).unwrap_or_default();
    settings::remember(git.run.shell, &key, &value.shown());
    let remote = key
        .strip_prefix("remote.")
        .and_then(|rest| rest.strip_suffix(".url").or(rest.strip_suffix(".pushurl")));
    if let Some(remote) = remote {
        git.new_remote(remote, value, false);
        return;
    }
    if key.ends_with(".proxy") {
        proxies::set(git.run, value);
    }
    if key.starts_with("alias.") && only_looks(git, value) {
        return;
    }
    if key == "safe.directory" && value.is("*") && everywhere {
        let how = "lets git run the settings and hooks of other users' repositories".to_owned();
        git.push(EffectKind::Weaken { protection: Protection::Machine, how }, Certainty::Certain);
    }
    match use_of(&key) {
        Some(Use::Hooks) if matches!(value.literal(), Some("" | "/dev/null")) => {
            git.push(
                EffectKind::Weaken { protection: Protection::GitHooks, how: String::new() },
                Certainty::Certain,
            );
        }
        Some(Use::Tls) if is_false(&value.shown()) => {
            git.push(
                EffectKind::Weaken { protection: Protection::GitCertificates, how: String::new() },
                Certainty::Certain,
            );
        }
        found if stays_as_code(&key, found, value) => {
            let kind = if everywhere { Lasting::GlobalGitSetting } else { Lasting::GitSetting };
            git.push(EffectKind::Persist { kind, what: key }, Certainty::Certain);
        }
        _ => {}
    }
}

/// Does the code of an alias nothing but look?
fn only_looks(git: &mut Git, value: &Word) -> bool {
    let Some(code) = value.literal().and_then(|text| text.strip_prefix('!')).map(Value::text) else {
        return false;
    };
    let mark = git.run.analyst.mark();
    let Run { analyst, shell, call, path, program, args } = &mut *git.run;
    shell.supposed(|shell| {
        let mut run = Run { analyst, shell, call, path, program, args };
        interpreters::code(&mut run, &code, value.span);
    });
    let harmless = git.run.analyst.since(mark).iter().all(looks_only);
    git.run.analyst.sift(mark, |_| false);
    harmless
}

pub(super) fn looks_only(effect: &Effect) -> bool {
    match &effect.kind {
        EffectKind::Exec { source, program, .. } => *source == CodeSource::Literal && is_command(program),
        EffectKind::Read { place, .. } => place.zone != Zone::Secret,
        _ => false,
    }
}

pub(super) fn stays_as_code(key: &str, found: Option<Use>, value: &Word) -> bool {
    let starts = |marks: &[char]| {
        value.text.prefix().starts_with(marks) || value.text.prefix().is_empty() && value.literal().is_none()
    };
    match found {
        Some(Use::Command) => !is_ordinary(value),
        Some(Use::Helper) => starts(&['!', '/']),
        Some(Use::Hooks | Use::Template | Use::Include) => true,
        Some(Use::Transports) => value.is("always"),
        Some(Use::Tls) => false,
        None if key.starts_with("alias.") => starts(&['!']),
        None => {
            key.starts_with("url.")
                && (key.ends_with(".insteadof") || key.ends_with(".pushinsteadof"))
                && leads_away(key, value)
        }
    }
}

/// Does a rewritten address lead to another host? Between the ways of asking one host it is everyday work.
fn leads_away(key: &str, value: &Word) -> bool {
    let base = key.trim_start_matches("url.").rsplit_once('.').map_or("", |(base, _)| base);
    let host = |text: &str| super::remotes::address(text).map(|address| address.host);
    host(base) != host(&value.shown())
}
