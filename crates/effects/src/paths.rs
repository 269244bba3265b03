//! Paths: from what is known of a word to places with zones.

mod asked;
mod pattern;
mod places;
mod zones;

use std::collections::BTreeMap;

use tollgate_model::{FileKind, Place, World, Zone};
use tollgate_shell::value::{Piece, Text};

pub(crate) use self::asked::{asked, finds, is_public};
pub use self::places::{Places, is_project, protected_places};
pub(crate) use self::zones::agent_settings;
use crate::links::Links;
use pattern::Component;

/// The place a path stands for, links followed. `text` is absolute (resolved against the working directory),
/// or starts with something unknown; `shown` is what stood in the source.
pub(crate) fn place(text: &Text, shown: &str, world: &dyn World, links: &Links) -> Place {
    at(&links.follow(text), shown, world)
}

/// Finds the place of a path in which the call's own links are followed: `at`, or what remembers its answers.
pub(crate) type Locate<'l> = dyn Fn(&Text, &str) -> Place + 'l;

/// The place of a name itself: when it is a link, that link.
pub(crate) fn name(text: &Text, shown: &str, world: &dyn World, links: &Links, at: &Locate<'_>) -> Place {
    let split = text.as_literal().and_then(|path| path.rsplit_once('/'));
    let Some((folder, name)) = split.filter(|(_, name)| !matches!(*name, "" | "." | "..")) else {
        return at(&links.follow(text), shown);
    };
    let folder = at(&links.follow(&Text::literal(&format!("{folder}/"))), shown);
    let path = format!("{}/{name}", folder.path.trim_end_matches('/'));
    let is_link = links.is_link(&path) || world.real(&path).is_some_and(|real| real != path);
    if folder.pattern || !is_link {
        return at(&links.follow(text), shown);
    }
    let parts = literal_components(&path);
    let (zone, root) = (zones::of(&parts, world), zones::is_root(&parts, world));
    Place { path, shown: shown.to_owned(), zone, pattern: false, root }
}

/// Where a path leads when each `..` goes up from where the links before it lead, as the system reads it. `None` where
/// that is what it says.
pub(crate) fn physical(text: &Text, links: &Links, world: &dyn World) -> Option<Text> {
    let first = text.prefix();
    if !first.starts_with('/') || !first.contains("/..") {
        return None;
    }
    // Before a pattern, the last name goes on.
    let (known, open) = match text.pieces.len() {
        1 => (first, None),
        _ => first.rsplit_once('/').map(|(known, open)| (known, Some(open)))?,
    };
    let mut path = String::new();
    // Above what the links were followed of, there is none left.
    let mut followed = 0;
    // What `name/..` led back to needs no second look.
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for name in known.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                if path.len() > followed {
                    let found = seen
                        .entry(path)
                        .or_insert_with_key(|path| place(&Text::literal(path), "", world, links).path);
                    path = found.clone();
                }
                path.truncate(path.rfind('/').unwrap_or(0));
                followed = path.len();
            }
            name => {
                path.push('/');
                path.push_str(name);
            }
        }
    }
    if path == normal(known).trim_end_matches('/') {
        return None;
    }
    match open {
        Some(open) => path.extend(["/", open]),
        None if path.is_empty() => path.push('/'),
        None => {}
    }
    let mut whole = Text::literal(&path);
    text.pieces.iter().skip(1).for_each(|piece| whole.push(piece.clone()));
    Some(whole)
}

/// The place of a text in which the call's own links are followed.
pub(crate) fn at(text: &Text, shown: &str, world: &dyn World) -> Place {
    // The system reads a path up to its first NUL.
    if let Some((start, _)) = text.prefix().split_once('\0') {
        return at(&Text::literal(start), shown, world);
    }
    let Some(parts) = components(text) else {
        return Place {
            path: String::new(),
            shown: shown.to_owned(),
            zone: Zone::Unknown,
            pattern: true,
            root: false,
        };
    };
    let parts = follow_folder(unalias(parts, world), world);
    if let Some(path) = descriptor(&parts) {
        let zone = zones::of(&literal_components(&path), world);
        return Place { path, shown: shown.to_owned(), zone, pattern: false, root: false };
    }
    let path = join(&parts);
    let pattern = parts.iter().any(|part| !part.is_literal());
    let mut zone = zones::of(&parts, world);
    let mut root = zones::is_root(&parts, world);
    let mut real_path = path;
    if !pattern && let Some(real) = world.real(&real_path).filter(|real| *real != real_path) {
        let real_parts = literal_components(&real);
        zone = real_zone(zone, zones::of(&real_parts, world));
        root |= zones::is_root(&real_parts, world);
        real_path = real;
    }
    if let Some((path, twin)) = zones::twin(&real_path, world).filter(|(_, twin)| !pattern && *twin > zone) {
        (real_path, zone) = (path, twin);
    }
    Place { path: real_path, shown: shown.to_owned(), zone, pattern, root }
}

/// Before a pattern, the links of the folder it lies in are followed: `link/*` is in what the link leads to.
fn follow_folder(parts: Vec<Component>, world: &dyn World) -> Vec<Component> {
    let known = parts.iter().take_while(|part| part.is_literal()).count();
    let (folder, rest) = parts.split_at(known);
    if rest.is_empty() || folder.is_empty() {
        return parts;
    }
    let path = join(folder);
    match world.real(&path).filter(|real| *real != path) {
        Some(real) => literal_components(&real).into_iter().chain(rest.iter().cloned()).collect(),
        None => parts,
    }
}

/// The most names of a folder that are looked at for links.
const LISTED: usize = 2000;
/// The most links that one pattern is followed through.
const LED: usize = 64;

/// Where a pattern leads through links on disk, or that the call made, whose names fit it: `home*/x` lies in a home if `homelink` leads there.
/// The last name is only followed where `whole` says so.
pub(crate) fn led(text: &Text, whole: bool, made: &[(String, String)], world: &dyn World) -> Vec<Text> {
    if text.as_literal().is_some() {
        return Vec::new();
    }
    let Some(parts) = components(text) else { return Vec::new() };
    let parts = follow_folder(unalias(parts, world), world);
    let known = parts.iter().take_while(|part| part.is_literal()).count();
    let (folder, rest) = parts.split_at(known);
    let Some((pattern, rest)) = rest.split_first().filter(|(_, rest)| whole || !rest.is_empty()) else {
        return Vec::new();
    };
    // Whatever lies in a folder is meant by a bare star, not one link of it.
    if rest.is_empty() && !pattern.says_something() {
        return Vec::new();
    }
    let folder = join(folder);
    let made = made.iter().filter_map(|(link, target)| {
        let name = link.strip_prefix(folder.as_str())?.strip_prefix('/')?;
        (!name.contains('/') && pattern.expands_to(name)).then(|| target.clone())
    });
    let links = world.links(&folder, LISTED).into_iter().filter(|name| pattern.expands_to(name));
    let real = |name: String| world.real(&normal(&format!("{folder}/{name}")));
    let whole = made.chain(links.filter_map(real)).map(|real| normal(&format!("{real}{}", join(rest))));
    // A pattern is expanded to what is there.
    let known = rest.iter().all(Component::is_literal);
    let there = whole.filter(|path| !known || world.kind(path) != FileKind::Missing);
    there.take(LED).map(|path| globbed(&path)).collect()
}

/// Is the zone certain although the path holds globs? It is when the folder before the first glob lies in the
/// same zone already: `~/.ssh/*` is as secret as `~/.ssh`, while `.e*` only may be `.env`.
pub(crate) fn is_certain(text: &Text, world: &dyn World) -> bool {
    if text.has_holes() {
        return false;
    }
    let Some(parts) = components(text) else { return false };
    let literal = parts.iter().take_while(|part| part.is_literal()).count();
    let folder = parts.get(..literal).unwrap_or_default();
    // What a pattern surely matches is there: a home, the workspace, a folder of the system.
    literal == parts.len() || zones::is_root(&parts, world) || {
        let outer = zones::of(folder, world);
        let inner = zones::of(&parts, world);
        outer == inner || (inner == Zone::Workspace && zones::is_root(folder, world))
    }
}

/// Without `.`, `..` and doubled slashes.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    format!("/{}", parts.join("/"))
}

/// True when `path` is `folder` or lies below it.
pub(crate) fn within(path: &str, folder: &str) -> bool {
    let folder = folder.trim_end_matches('/');
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path and the folders above it, the root as an empty text: `folder` without slashes at its end is one of them where the
/// path is `within` it.
pub(crate) fn with_parents(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(folder, _)| folder))
}

/// May a path with patterns in it lie below `folder`? Its first two names must be known: what may be anywhere is not
/// meant for one folder.
pub(crate) fn could_be_within(path: &str, folder: &str) -> bool {
    let mut names = path.split('/').skip(1);
    let mut literal = 0;
    let fits = folder.split('/').skip(1).all(|wanted| {
        names.next().is_some_and(|name| {
            literal += usize::from(name == wanted);
            name == wanted || name.contains(['*', '?', '[']) && (name == "*" || glob_could_be(name, wanted))
        })
    });
    fits && literal >= 3 && names.next().is_some()
}

/// A link may lead into a more protected place, and never out of one: what the link is called still counts,
/// unless it only was the home or an unknown corner of it.
fn real_zone(named: Zone, real: Zone) -> Zone {
    match named {
        Zone::Secret | Zone::AgentConfig => named.max(real),
        _ => real,
    }
}

fn components(text: &Text) -> Option<Vec<Component>> {
    match text.pieces.first() {
        Some(Piece::Text(first)) if first.starts_with('/') => {}
        _ => return None,
    }
    let mut parts = vec![Component::default()];
    for piece in &text.pieces {
        match piece {
            Piece::Text(literal) => {
                for (index, segment) in literal.split('/').enumerate() {
                    if index > 0 {
                        parts.push(Component::default());
                    }
                    last(&mut parts).push_literal(segment);
                }
            }
            Piece::Glob(glob) => last(&mut parts).push_glob(glob),
            Piece::Hole(_) => last(&mut parts).push_hole(),
        }
    }
    Some(tidy(parts))
}

fn literal_components(path: &str) -> Vec<Component> {
    tidy(path.split('/').map(Component::literal).collect())
}

fn last(parts: &mut Vec<Component>) -> &mut Component {
    if parts.is_empty() {
        parts.push(Component::default());
    }
    let end = parts.len() - 1;
    #[expect(clippy::indexing_slicing, reason = "the vector was just made non-empty")]
    &mut parts[end]
}

fn tidy(parts: Vec<Component>) -> Vec<Component> {
    let mut kept: Vec<Component> = Vec::with_capacity(parts.len());
    for part in parts {
        match part.as_literal() {
            Some("" | ".") => {}
            Some("..") => {
                kept.pop();
            }
            _ => kept.push(part),
        }
    }
    kept
}

/// `/proc/self/root` is `/`, `/proc/self/cwd` is the working directory of whoever reads it.
fn unalias(parts: Vec<Component>, world: &dyn World) -> Vec<Component> {
    let names: Vec<Option<&str>> = parts.iter().take(3).map(Component::as_literal).collect();
    let [Some("proc"), process, Some(link)] = names.as_slice() else { return parts };
    let is_process = process.is_none_or(|name| {
        matches!(name, "self" | "thread-self") || name.bytes().all(|byte| byte.is_ascii_digit())
    });
    let mut base = match *link {
        "root" if is_process => Vec::new(),
        "cwd" if is_process => literal_components(world.workspace()),
        _ => return parts,
    };
    base.extend(parts.into_iter().skip(3));
    base
}

/// An open file of the process that runs, by its number: not one of ours, where its name would lead.
fn descriptor(parts: &[Component]) -> Option<String> {
    let names: Option<Vec<&str>> = parts.iter().take(5).map(Component::as_literal).collect();
    let number = match names?.as_slice() {
        ["dev", stream @ ("stdin" | "stdout" | "stderr")] => return Some(format!("/dev/{stream}")),
        ["dev", "fd", number] | ["proc", "self" | "thread-self", "fd", number] => *number,
        _ => return None,
    };
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("/dev/fd/{number}"))
}

fn join(parts: &[Component]) -> String {
    let mut path = String::new();
    for part in parts {
        path.push('/');
        part.show(&mut path);
    }
    if path.is_empty() {
        path.push('/');
    }
    path
}

/// Is it a device whose content is somebody's data?
pub(crate) fn is_device(place: &Place, world: &dyn World) -> bool {
    let raw = [
        "/dev/sd",
        "/dev/hd",
        "/dev/vd",
        "/dev/xvd",
        "/dev/nvme",
        "/dev/mmcblk",
        "/dev/disk",
        "/dev/mapper/",
    ];
    let more = ["/dev/dm-", "/dev/md", "/dev/loop", "/dev/rdisk", "/dev/mem", "/dev/kmem", "/dev/port"];
    place.zone != Zone::Temp
        && place.path.starts_with("/dev/")
        && (raw.iter().chain(&more).any(|prefix| place.path.starts_with(prefix))
            || (!place.pattern && world.kind(&place.path) == FileKind::Device))
}

/// A path whose names may be patterns.
pub(crate) fn globbed(path: &str) -> Text {
    let mut text = Text::default();
    for part in path.split_inclusive('/') {
        let (name, slash) = part.strip_suffix('/').map_or((part, ""), |name| (name, "/"));
        if name.contains(['*', '?', '[']) {
            text.push(Piece::Glob(name.into()));
        } else {
            text.push_str(name);
        }
        text.push_str(slash);
    }
    text
}

/// Could a glob be this name?
pub(crate) fn glob_could_be(glob: &str, name: &str) -> bool {
    let mut component = Component::default();
    component.push_glob(glob);
    component.could_be(name)
}
