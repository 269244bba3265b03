//! Disks that are full, read-only or closed to us.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tollgate_store::LogFault;

use crate::support::*;

/// A limit on file sizes gives short writes first and errors after that, like a disk that fills up.
#[test]
fn f02_f04_no_room_for_the_whole_record() {
    let scene = Scene::new();
    for limit in [1, 2, 3, 4] {
        let limits = format!("trap '' XFSZ; ulimit -f {limit}");
        let lines = said(limited(&limits, "append", &scene.state, "16000000").spawn().unwrap());
        let (fault, kept) = lines.split_last().unwrap();
        assert!(fault.starts_with("fault Full"), "{lines:?}");
        assert!(!kept.is_empty(), "{lines:?}");
        let text = String::from_utf8(scene.current()).unwrap();
        assert!(text.ends_with("\"}\n"), "nothing of the record stays: {text}");
        let seen = scene.verify();
        assert_eq!((seen.is_sound(), seen.count), (true, 0), "{}", told(&seen));
    }
    let records = scene.verify().records;
    assert_eq!(scene.append("room again").unwrap().seq, records + 1);
    scene.assert_sound(records + 1);
}

/// Not even the head fits.
#[test]
fn f02_no_room_at_all() {
    let scene = Scene::new();
    let lines =
        said(limited("trap '' XFSZ; ulimit -f 0", "append", &scene.state, "16000000").spawn().unwrap());
    assert!(lines[0].starts_with("fault Full"), "{lines:?}");
    assert_eq!(scene.append("room again").unwrap().seq, 1);
    scene.assert_sound(1);
}

#[test]
fn f02_a_full_file_system() {
    let scene = Scene::new();
    let Some(_mount) = Mount::new(&scene.state, "size=64k,mode=0700") else { return };
    scene.fill(3);
    let filler = scene.path("filler");
    std::fs::write(&filler, vec![0; 1 << 20]).unwrap_err();
    // Parts of a page are left; the log ends somewhere in there.
    let fault = (0..200).find_map(|_| scene.append(&"x".repeat(700)).err()).unwrap();
    assert!(matches!(fault, LogFault::Full { .. }), "{fault}");
    let seen = scene.verify();
    assert!(seen.is_sound(), "{}", told(&seen));
    std::fs::remove_file(filler).unwrap();
    scene.append("room again").unwrap();
    scene.assert_sound(seen.records + 1);
}

#[test]
fn f03_a_read_only_file_system() {
    let scene = Scene::new();
    let Some(mount) = Mount::new(&scene.state, "size=64k,mode=0700") else { return };
    scene.fill(1);
    mount.remount("ro");
    let fault = scene.append("x").unwrap_err();
    assert!(matches!(fault, LogFault::ReadOnly { .. }), "{fault}");
    mount.remount("rw");
    scene.append("y").unwrap();
    scene.assert_sound(2);
}

#[test]
fn f03_a_directory_that_is_not_ours_to_write() {
    let scene = Scene::new();
    std::fs::write(scene.root.path().join("file"), "x").unwrap();
    let below_a_file = tollgate_store::Log::at(&scene.root.path().join("file/state"));
    assert!(matches!(below_a_file.append(&record("x"), now()), Err(LogFault::Unsafe { .. })));

    let closed = scene.root.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).unwrap();
    let state = closed.join("state");
    if rustix::process::geteuid().is_root() {
        // Root may write anywhere, so another user tries. Its copy of this binary must be within its reach.
        let program = scene.root.path().join("program");
        std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        std::fs::set_permissions(scene.root.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--clear-groups"]).arg(program);
        dress(&mut command, "once", &state, "16000000");
        let lines = said(command.spawn().unwrap());
        assert!(lines[0].starts_with("fault Denied"), "{lines:?}");
    } else {
        let fault = tollgate_store::Log::at(&state).append(&record("x"), now()).unwrap_err();
        assert!(matches!(fault, LogFault::Denied { .. }), "{fault}");
    }
}

/// A small file system of its own, where we may mount one.
struct Mount<'p>(&'p Path);

impl<'p> Mount<'p> {
    fn new(at: &'p Path, options: &str) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at);
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(at))
    }

    fn remount(&self, option: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{option}")]).arg(self.0).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}
