//! Generated trees, destroyed by real programs: after restoring, everything is as it was.
//!
//! `UNDO_TREES=2000` tries more of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Random, grow, picture, scratch, trees};
use tollgate_undo::{Limits, Origin, Store, Wanted};

/// A program that destroys something: what it is called with, and which paths that concerns.
struct Call {
    words: Vec<PathBuf>,
    concerns: Vec<PathBuf>,
}

fn call(words: &[&Path], concerns: &[&Path]) -> Call {
    let own = |paths: &[&Path]| paths.iter().map(|path| path.to_path_buf()).collect();
    Call { words: own(words), concerns: own(concerns) }
}

/// One of the ways to lose something.
fn destroy(root: &Path, files: &[PathBuf], folders: &[PathBuf], random: &mut Random) -> Call {
    let file = random.pick(files).as_path();
    let other = random.pick(files).as_path();
    let folder = random.pick(folders).as_path();
    let new = root.join("moved here");
    let p = Path::new;
    let shell = |script: &'static str, of: &[&Path], concerns: &[&Path]| {
        let mut words = vec![p("sh"), p("-c"), p(script), p("sh")];
        words.extend(of);
        call(&words, concerns)
    };
    match random.below(12) {
        0 => call(&[p("rm"), p("-rf"), p("--"), folder], &[folder]),
        1 => shell(": > \"$1\"", &[file], &[file]),
        2 => call(&[p("sed"), p("-i"), p("-e"), p("s/line/LINE/"), p("--"), file], &[file]),
        3 if file != other => call(&[p("mv"), p("-f"), p("--"), file, other], &[file, other]),
        4 => call(&[p("mv"), p("--"), file, &new], &[file, &new]),
        5 => {
            let script = "import shutil, sys; shutil.rmtree(sys.argv[1])";
            call(&[p("python3"), p("-c"), p(script), folder], &[folder])
        }
        6 => call(&[p("find"), folder, p("-type"), p("f"), p("-delete")], &[folder]),
        7 => shell("rm -rf -- \"$1\" && echo file > \"$1\"", &[folder], &[folder]),
        8 => shell("rm -f -- \"$1\" && mkdir -- \"$1\" && echo x > \"$1/x\"", &[file], &[file]),
        9 => shell("chmod 777 -- \"$1\" && touch -- \"$1\" && echo more >> \"$1\"", &[file], &[file]),
        10 => {
            let script = "import os, sys; os.truncate(sys.argv[1], 3); os.utime(sys.argv[1], (1, 1))";
            call(&[p("python3"), p("-c"), p(script), file], &[file])
        }
        _ => shell(
            "mkdir \"$2\" && tar -C \"$1\" -cf \"$2/t\" . && rm -rf -- \"$1\" && mkdir \"$1\" && tar -C \"$1\" -xmf \"$2/t\"",
            &[folder, &new],
            &[folder, &new],
        ),
    }
}

fn run(words: &[PathBuf], cwd: &Path) {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(cwd).stdin(Stdio::null()).stderr(Stdio::null());
    command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C");
    // Some of them find nothing to do, or fail halfway: both may happen to an agent.
    command.status().unwrap();
}

#[test]
fn a_destroyed_tree_is_restored_to_the_last_bit() {
    let mut changed = 0;
    let count = trees(120);
    for seed in 0..count {
        let scratch = scratch();
        let root = scratch.path().join("work");
        fs::create_dir(&root).unwrap();
        let mut random = Random::new(seed);
        let (files, folders) = grow(&root, &mut random);
        let store = Store::at(scratch.path());
        let before = picture(&root);
        // The root itself is never what goes: the folder around it would have to be compared, too.
        let below: Vec<PathBuf> = folders.iter().filter(|folder| **folder != root).cloned().collect();
        let call = destroy(&root, &files, if below.is_empty() { &files } else { &below }, &mut random);
        // Names of one file are restored as such within the set only.
        let twins = support::names_of_shared_files(&root);
        let wanted: Vec<Wanted> = call.concerns.iter().chain(&twins).map(Wanted::tree).collect();
        let origin = Origin { call: format!("{:?}", call.words), ..Origin::default() };
        let saved = store.save(&origin, &wanted, &Limits::NONE).unwrap().unwrap();
        run(&call.words, &root);
        let after = picture(&root);
        changed += u64::from(before != after);

        let plan = store.plan(&saved.id, &[]).unwrap();
        let restored = store.restore(&plan, &Origin::default()).unwrap();
        assert!(restored.failed.is_empty(), "{seed}: {:?} {:?}", call.words, restored.failed);
        assert_same(&before, &picture(&root), seed, &call.words);

        // Restoring is taken back in the same way.
        if let Some(taken) = restored.saved {
            let plan = store.plan(&taken.id, &[]).unwrap();
            let again = store.restore(&plan, &Origin::default()).unwrap();
            assert!(again.failed.is_empty(), "{seed}: {:?}", again.failed);
            assert_same(&after, &picture(&root), seed, &call.words);
        }
    }
    eprintln!("{count} trees, {changed} of them changed by the call");
    assert!(changed > count * 8 / 10, "only {changed} of {count} calls changed something");
}

type Picture = std::collections::BTreeMap<std::ffi::OsString, String>;

fn assert_same(expected: &Picture, found: &Picture, seed: u64, words: &[PathBuf]) {
    let paths: std::collections::BTreeSet<_> = expected.keys().chain(found.keys()).collect();
    let differ: Vec<_> = paths
        .into_iter()
        .map(|path| (path, expected.get(path), found.get(path)))
        .filter(|(_, expected, found)| expected != found)
        .collect();
    assert!(differ.is_empty(), "tree {seed}: {words:?}\n{differ:#?}");
}
