//! A long session's older memory, kept small without forgetting: where there are too many files, their folder stands for
//! them. That is stricter, never looser. Dropping the oldest instead would let an agent push out what it must not be
//! asked about with calls that are all allowed.

use std::collections::HashSet;

use rustix::fs::{FlockOperation, flock};
use tollgate_model::{Entry, Mark};

use super::ledger::{NAME, read_whole};
use crate::LogFault;
use crate::files::{Dir, How};

/// The older memory.
const PAST: &str = "past";
/// The ledger that is being folded into it. Only there meanwhile, or after a crash.
const FOLDING: &str = "ledger.folding";
const LOCK: &str = "past.lock";
/// A ledger of this size is folded into the past.
pub(super) const FULL: u64 = 256 << 10;
/// The most that the past may take.
const MOST: usize = 128 << 10;
/// Of things that no folder can stand for: the longest detail, and how many of each kind are kept.
const DETAIL: usize = 256;
const SECRETS: usize = 200;
const REFUSALS: usize = 500;
const SINGLE: usize = 200;

/// All that is remembered of older calls.
pub(super) fn read(dir: &Dir) -> Result<String, LogFault> {
    Ok(read_whole(dir, PAST)? + &read_whole(dir, FOLDING)?)
}

/// Folds the ledger into the past. Another process that does so already is left to it.
///
/// A ledger is renamed before it is read, so that whoever appends to it meanwhile sees that it is another, and appends
/// again.
pub(super) fn fold(dir: &Dir) -> Result<(), LogFault> {
    let Some(lock) = dir.file(LOCK, How::Edit)? else { return Ok(()) };
    if flock(&lock.fd, FlockOperation::NonBlockingLockExclusive).is_err() {
        return Ok(());
    }
    if !dir.exists(FOLDING) {
        dir.rename_new(NAME, FOLDING).map_err(|errno| dir.fault(errno, NAME))?;
    }
    let entries = read(dir)?.lines().filter_map(Entry::parse).collect();
    let text: String = compact(entries).iter().map(Entry::line).collect();
    dir.put(PAST, text.as_bytes(), true)?;
    dir.remove(FOLDING);
    Ok(())
}

/// The same things in less room.
fn compact(entries: Vec<Entry>) -> Vec<Entry> {
    let mut entries = without_past(entries);
    let mut depth = entries.iter().filter_map(path_of).map(depth_of).max().unwrap_or(0);
    while size_of(&entries) > MOST {
        entries = coarsen(entries, depth);
        if depth == 0 {
            break;
        }
        depth -= 1;
    }
    entries
}

/// Without what was said again later, or is over: replaced files, refusals of earlier turns.
fn without_past(entries: Vec<Entry>) -> Vec<Entry> {
    let (mut seen, mut replaced) = (HashSet::new(), HashSet::new());
    let (mut turn, mut refusals, mut kept) = (false, 0, Vec::new());
    for entry in entries.into_iter().rev() {
        let keep = match &entry {
            Entry::File { path, .. } => !replaced.contains(path) && seen.insert(entry.line()),
            Entry::Replaced { path } => replaced.insert(path.clone()),
            Entry::Turn => !std::mem::replace(&mut turn, true),
            Entry::Refused(_) => {
                refusals += 1;
                !turn && refusals <= REFUSALS
            }
            Entry::Gone { .. } | Entry::SecretRead { .. } => seen.insert(entry.line()),
        };
        if keep {
            kept.push(entry);
        }
    }
    kept.reverse();
    kept
}

/// Lets folders at a depth stand for all below them.
fn coarsen(entries: Vec<Entry>, depth: usize) -> Vec<Entry> {
    let (mut seen, mut secrets, mut single) = (HashSet::new(), 0, 0);
    let coarse = entries.into_iter().filter_map(|entry| match entry {
        Entry::File { path, mark } => {
            let mark = shortened(mark);
            let entry = Entry::File { path: folder_at(&path, depth), mark: mark.clone() };
            let known = !seen.insert(entry.line());
            let has_detail = matches!(mark, Mark::Remote(_) | Mark::Moved(_) | Mark::Dangerous(_));
            single += usize::from(has_detail && !known);
            (!known && (!has_detail || single <= SINGLE)).then_some(entry)
        }
        // What was replaced lies in a folder that counts as a whole now.
        Entry::Replaced { .. } | Entry::Gone { .. } => None,
        Entry::SecretRead { shown } => {
            secrets += 1;
            let shown = shown.chars().take(DETAIL).collect();
            (secrets <= SECRETS).then_some(Entry::SecretRead { shown })
        }
        other => Some(other),
    });
    coarse.collect()
}

/// What a thing does may be told in fewer words; where it leads may not.
fn shortened(mark: Mark) -> Mark {
    match mark {
        Mark::Dangerous(detail) => Mark::Dangerous(detail.chars().take(DETAIL).collect()),
        mark => mark,
    }
}

/// The folder of so many names that a path lies in, with a `/` at its end; a path of fewer names as it is.
fn folder_at(path: &str, depth: usize) -> String {
    if depth_of(path) <= depth {
        return path.to_owned();
    }
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).take(depth).collect();
    let mut folder = String::from("/");
    for name in names {
        folder.push_str(name);
        folder.push('/');
    }
    folder
}

/// How many names a path has.
fn depth_of(path: &str) -> usize {
    path.split('/').filter(|name| !name.is_empty()).count()
}

fn path_of(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::File { path, .. } => Some(path),
        _ => None,
    }
}

fn size_of(entries: &[Entry]) -> usize {
    entries.iter().map(|entry| entry.line().len()).sum()
}

#[cfg(test)]
mod tests {
    use tollgate_model::Memory;

    use super::*;

    fn file(path: &str, mark: Mark) -> Entry {
        Entry::File { path: path.to_owned(), mark }
    }

    #[test]
    fn f53_nothing_is_forgotten_however_much_comes_after() {
        let mut entries = vec![
            file("/home/u/p/t.sh", Mark::Downloaded),
            file("/home/u/p/secret.txt", Mark::Secret),
            Entry::SecretRead { shown: "~/.ssh/id_rsa".into() },
            file("/home/u/p/d.sh", Mark::Dangerous("x".repeat(5_000))),
        ];
        entries.extend(
            (0..20_000).map(|n| file(&format!("/home/u/p/{}/{n}", "d".repeat(100)), Mark::Downloaded)),
        );
        let small = compact(entries);
        assert!(size_of(&small) <= MOST, "{}", size_of(&small));
        let memory = Memory::of(small);
        assert!(memory.marks("/home/u/p/t.sh").contains(&&Mark::Downloaded));
        assert!(memory.marks("/home/u/p/secret.txt").contains(&&Mark::Secret));
        assert!(memory.marks(&format!("/home/u/p/{}/777", "d".repeat(100))).contains(&&Mark::Downloaded));
        assert!(memory.marks("/home/u/p/d.sh").iter().any(|mark| matches!(mark, Mark::Dangerous(_))));
        assert_eq!(memory.secrets().collect::<Vec<_>>(), ["~/.ssh/id_rsa"]);
    }

    #[test]
    fn files_at_the_root_and_long_names_end_in_one_line() {
        let many = (0..50_000).map(|n| file(&format!("/{n}-{}", "x".repeat(200)), Mark::Decoded)).collect();
        let small = compact(many);
        assert!(Memory::of(small.clone()).marks("/anything").contains(&&Mark::Decoded));
        assert_eq!(small.len(), 1);
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let entries = vec![
            file("/p/a", Mark::Downloaded),
            Entry::Replaced { path: "/p/a".into() },
            file("/p/b", Mark::Secret),
            Entry::Turn,
        ];
        let kept = compact(entries.clone());
        assert_eq!(kept, entries[1..], "only what is over is left out");
        assert!(Memory::of(kept).marks("/p/a").is_empty());
    }
}
