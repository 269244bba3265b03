//! A file of settings that is written as a text: `.git/config`, `~/.gitconfig` and their kin. What `git config` is asked
//! about is asked about here, too.

use tollgate_model::git::{Config, Repo};
use tollgate_model::{EffectKind, Lasting, Place, Protection, Span, World, Zone};

use super::config::{looks_only, stays_as_code};
use super::remotes::address;
use super::settings::{Use, is_false, use_of};
use crate::TEXT_LIMIT;
use crate::content;
use crate::startup::{below_home, is_git_folder};
use crate::word::Word;

/// What the settings mean that a text brings and the file on disk has not.
pub(crate) fn written_settings(place: &Place, texts: &[String], world: &dyn World) -> Vec<EffectKind> {
    let known = !place.pattern && place.zone != Zone::Temp;
    let Some(everywhere) = scope(&place.path, world).filter(|_| known) else { return Vec::new() };
    let mut old = Config::default();
    if let Some(text) = world.read_disk(&place.path, TEXT_LIMIT) {
        old.parse(&String::from_utf8_lossy(&text));
    }
    let mut kinds = Vec::new();
    for text in texts.iter().filter(|text| text.len() <= TEXT_LIMIT) {
        let mut new = Config::default();
        new.parse(text);
        let fresh = new.iter().filter(|setting| !old.iter().any(|known| known == *setting));
        kinds.extend(fresh.filter_map(|(key, value)| one(key, value, place, everywhere, world)));
    }
    kinds
}

/// Is it a file of settings, and one for every repository of the user?
fn scope(path: &str, world: &dyn World) -> Option<bool> {
    let (folder, name) = path.rsplit_once('/')?;
    match name {
        ".gitconfig" => Some(true),
        "config" if below_home(path, world) == Some(".config/git/config") => Some(true),
        "gitconfig" if folder == "/etc" => Some(true),
        "config" | "config.worktree"
            if folder.ends_with("/.git") || folder.contains("/.git/") || is_git_folder(folder, world) =>
        {
            Some(false)
        }
        _ => None,
    }
}

fn one(key: &str, value: &str, place: &Place, everywhere: bool, world: &dyn World) -> Option<EffectKind> {
    let word = Word::literal_at(value, Span::default());
    let kind = if everywhere { Lasting::GlobalGitSetting } else { Lasting::GitSetting };
    let stays = || EffectKind::Persist { kind, what: key.to_owned() };
    if key.starts_with("remote.") && (key.ends_with(".url") || key.ends_with(".pushurl")) {
        return is_far(value, place, world).then(stays);
    }
    if key.starts_with("alias.") {
        let code = value.strip_prefix('!')?;
        return (!content::shell_effects(code, world).iter().all(looks_only)).then(stays);
    }
    match use_of(key) {
        Some(Use::Hooks) if matches!(value, "" | "/dev/null") => {
            Some(EffectKind::Weaken { protection: Protection::GitHooks, how: String::new() })
        }
        Some(Use::Tls) if is_false(value) => {
            Some(EffectKind::Weaken { protection: Protection::GitCertificates, how: String::new() })
        }
        found => stays_as_code(key, found, &word).then(stays),
    }
}

/// Does a remote lie with another host than those that the repository has?
fn is_far(url: &str, place: &Place, world: &dyn World) -> bool {
    let folder = place.path.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let Some(repo) = Repo::find(folder, world).or_else(|| Repo::at(folder, world)) else { return false };
    let config = repo.config(world);
    let mut known = config.named("remote", "url").filter_map(|(_, url)| address(url)).peekable();
    let Some(new) = address(url) else { return false };
    known.peek().is_some() && !known.any(|remote| remote.host == new.host)
}
