//! The store under load, at its limits and beside a clean-up.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod support;

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use support::{picture, scratch};
use tollgate_undo::{After, Depth, Fault, Head, Keep, Limits, Origin, Saved, Store, Unsaved, Wanted};

fn save(store: &Store, paths: &[&Path]) -> Saved {
    save_in(store, "one", paths)
}

fn save_in(store: &Store, session: &str, paths: &[&Path]) -> Saved {
    let wanted: Vec<Wanted> = paths.iter().map(|path| Wanted::tree(*path)).collect();
    let origin = Origin { session: session.to_owned(), call_id: "c1".to_owned(), ..Origin::default() };
    store.save(&origin, &wanted, &Limits::NONE).unwrap().unwrap()
}

fn restore(store: &Store, id: &str) -> usize {
    let plan = store.plan(id, &[]).unwrap();
    assert_eq!(plan.conflicts().count(), 0, "{:?}", plan.steps);
    let restored = store.restore(&plan, &Origin::default()).unwrap();
    assert!(restored.failed.is_empty(), "{:?}", restored.failed);
    restored.done
}

const NOBODY: &dyn Fn(&Head) -> bool = &|_| false;

#[test]
fn nothing_to_lose_makes_no_store() {
    let scratch = scratch();
    let store = Store::at(scratch.path());
    let wanted = [Wanted::tree(scratch.path().join("nothing/here"))];
    assert_eq!(store.save(&Origin::default(), &wanted, &Limits::default()), Ok(None));
    assert!(!store.path().exists() && store.list().unwrap().is_empty());
    assert!(!store.end_call("claude-code", "s", "c").unwrap());
}

#[test]
fn the_store_is_only_ours() {
    let scratch = scratch();
    let file = scratch.path().join("a");
    fs::write(&file, "secret").unwrap();
    let store = Store::at(scratch.path());
    save(&store, &[&file]);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(store.path()), 0o700);
    for entry in fs::read_dir(store.path().join("snapshots")).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
    // Whoever opens it up finds it closed again.
    fs::set_permissions(store.path(), fs::Permissions::from_mode(0o755)).unwrap();
    save(&store, &[&file]);
    assert_eq!(mode(store.path()), 0o700);
}

#[test]
fn what_exceeds_the_budget_is_not_saved_at_all() {
    let scratch = scratch();
    let folder = scratch.path().join("work");
    fs::create_dir(&folder).unwrap();
    for number in 0..20 {
        fs::write(folder.join(number.to_string()), vec![number; 50_000]).unwrap();
    }
    let store = Store::at(scratch.path());
    let limits = [
        (Limits { bytes: 900_000, ..Limits::NONE }, Unsaved::Bytes(900_000)),
        (Limits { files: 20, ..Limits::NONE }, Unsaved::Files(20)),
        (Limits { time: Duration::ZERO, ..Limits::NONE }, Unsaved::Time(Duration::ZERO)),
    ];
    for (limits, why) in limits {
        let saved = store.save(&Origin::default(), &[Wanted::tree(&folder)], &limits);
        assert_eq!(saved, Err(why));
        assert!(store.list().unwrap().is_empty());
    }
    let keep = Keep { age: Keep::AGE, bytes: u64::MAX, is_running: NOBODY };
    store.clean(&keep).unwrap();
    assert_eq!(fs::read_dir(store.path().join("new")).unwrap().count(), 0);
}

#[test]
fn what_no_copy_brings_back_is_not_saved() {
    let scratch = scratch();
    let folder = scratch.path().join("work");
    fs::create_dir(&folder).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s")).unwrap();
    let store = Store::at(scratch.path());
    let saved = store.save(&Origin::default(), &[Wanted::tree(&folder)], &Limits::NONE);
    assert_eq!(saved, Err(Unsaved::Kind(folder.join("s"), "a socket")));
    // A store cannot hold itself.
    fs::write(scratch.path().join("a"), "a").unwrap();
    save(&store, &[&scratch.path().join("a")]);
    let saved = store.save(&Origin::default(), &[Wanted::tree(scratch.path())], &Limits::NONE);
    assert!(matches!(saved, Err(Unsaved::OwnStore(_) | Unsaved::Kind(..))), "{saved:?}");
}

#[test]
fn a_store_that_cannot_be_written_saves_nothing() {
    let scratch = scratch();
    let file = scratch.path().join("a");
    fs::write(&file, "a").unwrap();
    // Root may write everywhere, so that a file stands where the folder would be.
    fs::write(scratch.path().join("undo"), "no folder").unwrap();
    let store = Store::at(scratch.path());
    let saved = store.save(&Origin::default(), &[Wanted::tree(&file)], &Limits::NONE);
    assert!(matches!(saved, Err(Unsaved::Io(_))), "{saved:?}");
}

#[test]
fn a_store_on_another_file_system_restores_as_well() {
    if !Path::new("/dev/shm").is_dir() {
        eprintln!("left out: no /dev/shm");
        return;
    }
    let state = tempfile::tempdir_in("/dev/shm").unwrap();
    let scratch = scratch();
    let file = scratch.path().join("a");
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    let store = Store::at(state.path());
    let before = picture(scratch.path());
    let saved = save(&store, &[&file]);
    fs::remove_file(&file).unwrap();
    assert_eq!(restore(&store, &saved.id), 1);
    assert_eq!(picture(scratch.path()), before);
}

#[test]
fn ten_sparse_gigabytes_are_saved_as_what_they_hold() {
    let scratch = scratch();
    let path = scratch.path().join("disk.img");
    let file = fs::File::create(&path).unwrap();
    file.set_len(10 << 30).unwrap();
    file.write_all_at(b"island", 7 << 30).unwrap();
    drop(file);
    let store = Store::at(scratch.path());
    let saved = store.save(&Origin::default(), &[Wanted::tree(&path)], &Limits::default()).unwrap().unwrap();
    assert!(saved.bytes < 1 << 20, "{saved:?}");
    fs::remove_file(&path).unwrap();
    restore(&store, &saved.id);
    let metadata = path.metadata().unwrap();
    assert!(metadata.len() == 10 << 30 && metadata.blocks() * 512 < 1 << 20, "{metadata:?}");
    let mut island = [0; 6];
    fs::File::open(&path).unwrap().read_exact_at(&mut island, 7 << 30).unwrap();
    assert_eq!(&island, b"island");
}

#[test]
fn a_damaged_copy_is_not_restored() {
    let scratch = scratch();
    let path = scratch.path().join("large");
    fs::write(&path, vec![1; 1 << 20]).unwrap();
    let store = Store::at(scratch.path());
    let saved = save(&store, &[&path]);
    fs::remove_file(&path).unwrap();
    let group = fs::read_dir(store.path().join("objects")).unwrap().next().unwrap().unwrap().path();
    let object = fs::read_dir(group).unwrap().next().unwrap().unwrap().path();
    fs::OpenOptions::new().write(true).open(&object).unwrap().write_all_at(b"x", 77).unwrap();
    let plan = store.plan(&saved.id, &[]).unwrap();
    let restored = store.restore(&plan, &Origin::default()).unwrap();
    assert!(matches!(restored.failed.as_slice(), [(_, Fault::Damaged(_))]), "{restored:?}");
    assert!(!path.exists());
}

#[test]
fn later_changes_are_conflicts() {
    let scratch = scratch();
    let folder = scratch.path().join("work");
    fs::create_dir(&folder).unwrap();
    let (edited, gone) = (folder.join("edited"), folder.join("gone"));
    fs::write(&edited, "one").unwrap();
    fs::write(&gone, "one").unwrap();
    let store = Store::at(scratch.path());
    let wanted =
        [Wanted::tree(&edited), Wanted { path: gone.clone(), depth: Depth::Tree, after: After::Gone }];
    let origin = Origin { call_id: "c1".to_owned(), ..Origin::default() };
    let saved = store.save(&origin, &wanted, &Limits::NONE).unwrap().unwrap();
    fs::write(&edited, "the call").unwrap();
    fs::remove_file(&gone).unwrap();
    assert_eq!(store.plan(&saved.id, &[]).unwrap().conflicts().count(), 0);
    // Without word from the host, what the call deletes and is there again was made by somebody else.
    fs::write(&gone, "a person").unwrap();
    let conflicts = |store: &Store| {
        let plan = store.plan(&saved.id, &[]).unwrap();
        plan.conflicts().map(|step| step.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(conflicts(&store), [gone.as_path()]);
    fs::remove_file(&gone).unwrap();
    // With it, every later change is known.
    assert!(store.end_call("", "", "c1").unwrap());
    assert_eq!(conflicts(&store), [] as [&Path; 0]);
    fs::write(&edited, "a person").unwrap();
    assert_eq!(conflicts(&store), [edited.as_path()]);
    let other = save_in(&store, "other", &[&edited]);
    let plan = store.plan(&saved.id, &[]).unwrap();
    let told = plan.conflicts().next().unwrap().conflict.clone().unwrap();
    assert!(told.contains(&other.id), "{told}");
    // Only the path without a conflict.
    let plan = store.plan(&saved.id, std::slice::from_ref(&gone)).unwrap();
    assert!(store.restore(&plan, &Origin::default()).unwrap().failed.is_empty());
    assert_eq!(fs::read_to_string(&gone).unwrap(), "one");
    assert_eq!(fs::read_to_string(&edited).unwrap(), "a person");
}

#[test]
fn nothing_is_restored_through_a_symlink() {
    let scratch = scratch();
    let (folder, elsewhere) = (scratch.path().join("work"), scratch.path().join("elsewhere"));
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    fs::write(folder.join("sub/keys"), "old").unwrap();
    let store = Store::at(scratch.path());
    let saved = save(&store, &[&folder.join("sub/keys")]);
    fs::remove_dir_all(folder.join("sub")).unwrap();
    symlink(&elsewhere, folder.join("sub")).unwrap();
    let plan = store.plan(&saved.id, &[]);
    assert!(matches!(plan, Err(Fault::Link(_))), "{plan:?}");
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn what_is_old_goes_and_what_is_named_stays() {
    let scratch = scratch();
    let (first, second) = (scratch.path().join("first"), scratch.path().join("second"));
    fs::write(&first, vec![1; 300_000]).unwrap();
    fs::write(&second, vec![2; 300_000]).unwrap();
    let store = Store::at(scratch.path());
    let old = save_in(&store, "old", &[&first, &second]);
    let new = save_in(&store, "new", &[&second]);
    let objects = || support::files_below(&store.path().join("objects"));
    assert_eq!(objects(), 2);
    let keep = |age, bytes, is_running| Keep { age, bytes, is_running };
    // Nothing is old, nothing too large.
    let kept = store.clean(&keep(Keep::AGE, u64::MAX, NOBODY)).unwrap();
    assert_eq!((kept.removed, kept.objects, kept.snapshots), (0, 0, 2));
    // Too large: the oldest goes, unless its session runs.
    let kept = store.clean(&keep(Keep::AGE, 400_000, &|head: &Head| head.session == "old")).unwrap();
    assert_eq!((kept.removed, kept.snapshots), (1, 1));
    assert!(store.find(&old.id).is_ok() && store.find(&new.id).is_err());
    let new = save_in(&store, "new", &[&second]);
    let kept = store.clean(&keep(Keep::AGE, 400_000, NOBODY)).unwrap();
    assert_eq!((kept.removed, kept.objects, objects()), (1, 1, 1));
    assert!(store.find(&old.id).is_err());
    fs::remove_file(&second).unwrap();
    restore(&store, &new.id);
    assert_eq!(fs::read(&second).unwrap(), vec![2; 300_000]);
    // Everything is too old.
    let kept = store.clean(&keep(Duration::ZERO, u64::MAX, NOBODY)).unwrap();
    assert_eq!((kept.snapshots, objects()), (0, 0));
}

/// Saves, clean-ups and reads at once: whatever was saved can be restored.
#[test]
fn a_hundred_saves_beside_clean_ups() {
    let scratch = scratch();
    let store = Store::at(scratch.path());
    let folder = |number: usize| scratch.path().join(format!("work{number}"));
    for number in 0..100 {
        fs::create_dir(folder(number)).unwrap();
        // Some contents are the same for all, some only for one.
        fs::write(folder(number).join("same"), vec![9; 200_000]).unwrap();
        fs::write(folder(number).join("own"), format!("{number}").repeat(60_000)).unwrap();
    }
    let done = std::sync::atomic::AtomicBool::new(false);
    let saved: Vec<Saved> = std::thread::scope(|scope| {
        let saves: Vec<_> = (0..100)
            .map(|number| {
                scope.spawn({
                    let store = &store;
                    let folder = folder(number);
                    move || save(store, &[&folder])
                })
            })
            .collect();
        let cleaner = scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::SeqCst) {
                // One that cannot get the lock in time is tried again.
                let _ = store.clean(&Keep { age: Keep::AGE, bytes: u64::MAX, is_running: NOBODY });
            }
        });
        let saved = saves.into_iter().map(|save| save.join().unwrap()).collect();
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        cleaner.join().unwrap();
        saved
    });
    assert_eq!(store.list().unwrap().len(), 100);
    for (number, saved) in saved.iter().enumerate() {
        let before = picture(&folder(number));
        fs::remove_dir_all(folder(number)).unwrap();
        restore(&store, &saved.id);
        assert_eq!(picture(&folder(number)), before, "{number}");
    }
}

/// `UNDO_FULL=1`: as many files as a large `node_modules`.
#[test]
fn a_hundred_thousand_small_files() {
    let count = if std::env::var_os("UNDO_FULL").is_some() { 100_000 } else { 2_000 };
    let scratch = scratch();
    let folder = scratch.path().join("many");
    for number in 0..count {
        let inside = folder.join(format!("{}", number / 500));
        fs::create_dir_all(&inside).unwrap();
        fs::write(inside.join(number.to_string()), number.to_string()).unwrap();
    }
    let store = Store::at(scratch.path());
    let start = std::time::Instant::now();
    let saved = save(&store, &[&folder]);
    eprintln!("{} files saved in {:?}", saved.files, start.elapsed());
    let before = picture(&folder);
    fs::remove_dir_all(&folder).unwrap();
    let start = std::time::Instant::now();
    restore(&store, &saved.id);
    eprintln!("restored in {:?}", start.elapsed());
    assert_eq!(picture(&folder), before);
}
