use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Scratch, answer, binary, done, make};

/// A small program that stands for the binary, so that packing it takes no time.
fn stand_in(scratch: &Scratch) -> std::path::PathBuf {
    let path = scratch.path().join("tollgate");
    fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary().display())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path
}

fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    files.map(|file| (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())).collect()
}

#[test]
fn packages_depend_on_neither_folder_nor_umask_nor_time_zone() {
    let scratch = Scratch::new();
    let binary = stand_in(&scratch);
    let (first, second) = (scratch.path().join("first"), scratch.path().join("the second"));
    make(&binary, &first, |command| command);
    let mut shell = Command::new("sh");
    let script = r#"umask 077; exec "$@""#;
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_packaging"), "--binary"]).arg(&binary);
    shell.arg("--out").arg(&second).current_dir(scratch.path());
    shell.env("SOURCE_DATE_EPOCH", "1700000000").env("TZ", "Pacific/Auckland").env("LC_ALL", "C");
    done(&mut shell);
    let (first, second) = (content(&first), content(&second));
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

#[test]
fn the_time_of_the_release_is_in_the_packages() {
    let scratch = Scratch::new();
    let binary = stand_in(&scratch);
    let (first, second) = (scratch.path().join("first"), scratch.path().join("second"));
    make(&binary, &first, |command| command);
    make(&binary, &second, |command| command.env("SOURCE_DATE_EPOCH", "1600000000"));
    let (first, second) = (content(&first), content(&second));
    let same: Vec<&String> =
        first.iter().filter(|(name, bytes)| second[*name] == **bytes).map(|(name, _)| name).collect();
    assert!(same.is_empty(), "{same:?}");
}

#[test]
fn a_binary_for_another_machine_gets_packages_of_its_own() {
    let scratch = Scratch::new();
    let binary = stand_in(&scratch);
    let out = scratch.path().join("out");
    let host = std::env::consts::ARCH;
    let other = if host == "x86_64" { "aarch64" } else { "x86_64" };
    let cross = format!("{other}-unknown-linux-gnu={}", binary.display());
    make(&binary, &out, |command| command.arg("--cross").arg(&cross));
    let names: Vec<String> = content(&out).into_keys().collect();
    for part in ["_arm64.deb", "_amd64.deb", "linux-arm64", "linux-x64", "_aarch64.whl", "_x86_64.whl"] {
        assert!(names.iter().any(|name| name.contains(part)), "{part}: {names:?}");
    }
    let formula = fs::read_to_string(out.join("tollgate.rb")).unwrap();
    assert!(formula.contains("on_arm do") && formula.contains("on_intel do"), "{formula}");
}

#[test]
fn a_folder_of_somebody_else_is_not_replaced() {
    let scratch = Scratch::new();
    let binary = stand_in(&scratch);
    let out = scratch.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.txt"), "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_packaging"));
    command.arg("--binary").arg(&binary).arg("--out").arg(&out).env("SOURCE_DATE_EPOCH", "1700000000");
    let answer = answer(&mut command, b"");
    assert!(answer.code == Some(1) && answer.stderr.contains("name another one"), "{answer:?}");
    assert!(out.join("thesis.txt").is_file());
}
