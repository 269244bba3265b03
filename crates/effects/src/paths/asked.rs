//! What a search below a folder asks for by a pattern of names: `rg -g`, `grep --include`, `find -path`, the search tools of
//! agents.

use tollgate_model::git::stands_for;
use tollgate_model::{FileKind, World};

use super::pattern::Component;
use super::{literal_components, zones};

/// The most ways in which braces are written out.
const WAYS: usize = 64;

/// The secret that a search in `folder` is meant to find by a pattern of names or of paths: of one, its path, of a kind, the
/// pattern below the folder. A pattern that only may find one, as `*.json`, asks for none.
pub(crate) fn asked(folder: &str, glob: &str, world: &dyn World) -> Option<String> {
    if glob.starts_with('!') {
        return None;
    }
    spelled(glob).iter().find_map(|glob| one(folder, glob, world))
}

fn one(folder: &str, glob: &str, world: &dyn World) -> Option<String> {
    let names: Vec<Component> = glob
        .split('/')
        .filter(|name| !matches!(*name, "" | "." | "**"))
        .map(|name| match name.contains(['*', '?', '[']) {
            true => {
                let mut part = Component::default();
                part.push_glob(name);
                part
            }
            false => Component::literal(name),
        })
        .collect();
    let last = names.last()?;
    if names.iter().all(Component::could_be_anything) || last.ends_with(".pub") {
        return None;
    }
    let folders = literal_components(folder);
    let whole: Vec<Component> = folders.iter().chain(&names).cloned().collect();
    let there = |path: &str| world.kind(path) != FileKind::Missing;
    if zones::means_secret(&whole, world) {
        let folder = folder.trim_end_matches('/');
        if let [name] = names.as_slice()
            && glob.contains(['*', '?', '['])
            && let Some(there) = first_of_kind(folder, name, world)
        {
            return there;
        }
        // What it is named for may be there by that very name.
        let plain =
            format!("{folder}/{}", glob.rsplit('/').next().unwrap_or_default().replace(['*', '?'], ""));
        if there(&plain) && zones::means_secret(&literal_components(&plain), world) {
            return Some(plain);
        }
        return Some(format!("{folder}/{}", glob.trim_start_matches("**/").trim_start_matches('/')));
    }
    zones::home_secrets(world).find(|entry| {
        let path = entry.trim_end_matches("/**");
        let rest = path.strip_prefix(folder.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| {
            is_end(&names, rest, entry.ends_with("/**"), || is_telling(rest) || there(path))
        })
    })
}

/// The most folders that are looked into for names that fit a pattern, and the most names in each.
const FOLDERS: usize = 64;
const NAMES: usize = 512;

/// The first secret in a folder or near below it whose name fits, or none of all that fit; `None` where nothing fits, or
/// there is more than is looked at.
#[expect(clippy::option_option, reason = "that nothing secret fits is an answer, no answer is none")]
fn first_of_kind(folder: &str, name: &Component, world: &dyn World) -> Option<Option<String>> {
    let (mut fits, mut folders, mut at) = (false, vec![folder.to_owned()], 0);
    while let Some(folder) = folders.get(at).cloned() {
        at += 1;
        let entries = world.list(&folder, NAMES);
        for entry in &entries {
            let path = format!("{folder}/{entry}");
            let kind = if name.could_be(entry) || !entry.contains('.') {
                world.kind(&path)
            } else {
                FileKind::Missing
            };
            if kind == FileKind::File && name.could_be(entry) {
                fits = true;
                if zones::means_secret(&literal_components(&path), world) {
                    return Some(Some(path));
                }
            }
            if kind == FileKind::Dir && entry != "node_modules" {
                folders.push(path);
            }
        }
        if entries.len() >= NAMES || folders.len() > FOLDERS {
            return None;
        }
    }
    fits.then_some(None)
}

/// Are all files that fit a pattern of names in one folder known to hold no secrets? One at least has to be there.
pub(crate) fn is_public(pattern: &str, world: &dyn World) -> bool {
    let Some((folder, name)) = pattern.rsplit_once('/') else { return false };
    if folder.contains(['*', '?', '[']) {
        return false;
    }
    let mut glob = Component::default();
    glob.push_glob(name);
    let entries = world.list(folder, NAMES);
    let mut fitting = entries.iter().filter(|entry| glob.could_be(entry)).peekable();
    let is_secret =
        |entry: &String| zones::means_secret(&literal_components(&format!("{folder}/{entry}")), world);
    entries.len() < NAMES && fitting.peek().is_some() && !fitting.any(is_secret)
}

/// Are the names the end of a path, or of the folder that everything below is kept in?
fn is_end(names: &[Component], path: &str, deep: bool, counts: impl Fn() -> bool) -> bool {
    let path: Vec<&str> = path.split('/').collect();
    let most = if deep { names.len().saturating_sub(1) } else { names.len() };
    let least = if deep { 1 } else { names.len() };
    (least..=most).any(|count| {
        let Some(end) = path.len().checked_sub(count).and_then(|at| path.get(at..)) else { return false };
        let pairs = || names.iter().zip(end);
        let could = pairs().all(|(name, wanted)| name.could_be_anything() || name.could_be(wanted));
        could && pairs().any(|(name, wanted)| name.likely(wanted)) && (count > 1 || deep || counts())
    })
}

/// A name that says what is kept there, wherever it lies.
fn is_telling(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    !path.contains('/')
        || ["credential", "cred", "auth", "token", "secret", "password"]
            .iter()
            .any(|word| name.contains(word))
}

/// Does a pattern, as ripgrep and git read it, fit a path that is told from where they stand? One without folders fits
/// the name of a file, or of a folder on its way.
pub(crate) fn finds(glob: &str, path: &str) -> bool {
    let fits = |glob: &String| {
        let bare = glob.trim_end_matches('/');
        match bare.trim_start_matches("**/").contains('/') {
            // A star stands for slashes as well: rather too many fit than too few.
            true => {
                let flat = bare.trim_start_matches('/').replace("**", "*");
                stands_for(&flat, path) || stands_for(&format!("{flat}/*"), path)
            }
            false => {
                let name = bare.trim_start_matches("**/");
                let has_set = name.contains('[');
                let is_it = |part: &str| match has_set {
                    true => super::glob_could_be(name, part),
                    false => stands_for(name, part),
                };
                path.split('/').any(is_it)
            }
        }
    };
    spelled(glob).iter().any(fits)
}

/// A pattern with its braces written out.
fn spelled(glob: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut left = vec![glob.to_owned()];
    while let Some(next) = left.pop() {
        match braces(&next) {
            Some((before, ways, after)) if done.len() + left.len() < WAYS => {
                left.extend(ways.iter().map(|way| format!("{before}{way}{after}")));
            }
            _ => done.push(next),
        }
    }
    done
}

/// The first braces without others in them: what stands before, what in them, what behind.
fn braces(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let close = glob.find('}')?;
    let open = glob.get(..close)?.rfind('{')?;
    Some((glob.get(..open)?, glob.get(open + 1..close)?.split(',').collect(), glob.get(close + 1..)?))
}

#[cfg(test)]
mod tests {
    use tollgate_model::StillWorld;

    use super::*;

    #[test]
    fn patterns_that_ask_for_secrets() {
        let world = StillWorld {
            home: "/home/user".into(),
            workspace: "/home/user/project".into(),
            ..StillWorld::default()
        };
        for (folder, glob, expected) in [
            ("/home/user", ".[np]*[cs]", true),
            ("/home/user", "{.netrc,.pgpass,.aws/credentials}", true),
            ("/home/user", "{{.x,.y},.aws/credentials}", true),
            ("/home/user", "credentials", true),
            ("/home/user", "*/.ss?/id_*", true),
            ("/home/user", "**/.ssh/*", true),
            ("/home/user", ".ssh/*.pub", false),
            ("/home/user", "config.json", false),
            ("/home/user/.config", "gh/*.yml", true),
            ("/home/user/project", ".env*", true),
            ("/home/user/project", ".env.ex*", false),
            ("/home/user/project", "**/*.{pem,key}", true),
            ("/home/user/project", "*.{ts,tsx}", false),
            ("/home/user/project", "*.json", false),
            ("/home/user/project", "*", false),
            ("/home/user/project", "!.env", false),
            ("/home/user/project", "config/*.yml", false),
            ("/etc", "shad*", true),
        ] {
            assert_eq!(asked(folder, glob, &world).is_some(), expected, "{folder} {glob}");
        }
    }

    #[test]
    fn braces_end() {
        let many = "{a,b}".repeat(40);
        assert!(spelled(&many).len() <= 2 * WAYS);
    }
}
