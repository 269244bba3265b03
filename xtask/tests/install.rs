//! `cargo xtask install` on machines where nothing is prepared: no agent, no terminal, and homes of every kind. The binary is one
//! that is already built; what is tested is everything behind the build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

struct Machine {
    folder: PathBuf,
}

impl Machine {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("tollgate-install-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder }
    }

    /// `cargo xtask install`, by a shell with that umask.
    fn install(&self, home: &Path, umask: &str, settings: &[(&str, &Path)]) -> Output {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("umask {umask}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_xtask")]);
        command.args(["install", "--binary"]).arg(tollgate());
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home);
        command.envs(settings.iter().copied()).stdin(Stdio::null()).output().unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The binary under test, as the other tests of the workspace have it.
fn tollgate() -> PathBuf {
    if let Some(binary) = std::env::var_os("TOLLGATE_BIN") {
        return binary.into();
    }
    let built = Path::new(env!("CARGO_BIN_EXE_xtask")).with_file_name("tollgate");
    if !built.exists() {
        let status = Command::new("cargo").args(["build", "--locked", "-p", "tollgate"]).status().unwrap();
        assert!(status.success());
    }
    built
}

/// Everything is said that a newcomer needs, and the installed binary works.
fn check(output: &Output, bin: &Path) {
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for words in
        ["installed ", "No coding agent found", "tollgate init --agent", "tollgate demo", "tollgate explain"]
    {
        assert!(said.contains(words), "`{words}` is missing in:\n{said}");
    }
    let version = Command::new(bin.join("tollgate")).arg("--version").env_clear().output().unwrap();
    assert!(version.status.success());
}

#[test]
fn an_empty_home_is_enough() {
    let machine = Machine::new("empty");
    let output = machine.install(&machine.folder, "022", &[]);
    check(&output, &machine.folder.join(".cargo/bin"));
    let left: Vec<_> =
        fs::read_dir(&machine.folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".cargo"], "nothing but the binary is left in the home");
}

#[test]
fn a_home_with_spaces_and_a_strict_umask() {
    let machine = Machine::new("spaces");
    let home = machine.folder.join("my home, ünusual");
    fs::create_dir(&home).unwrap();
    check(&machine.install(&home, "077", &[]), &home.join(".cargo/bin"));
}

#[test]
fn a_home_behind_a_symlink_on_a_ci_machine() {
    let machine = Machine::new("link");
    let (home, link) = (machine.folder.join("real"), machine.folder.join("link"));
    fs::create_dir(&home).unwrap();
    std::os::unix::fs::symlink(&home, &link).unwrap();
    check(&machine.install(&link, "000", &[("CI", Path::new("true"))]), &home.join(".cargo/bin"));
}

#[test]
fn cargo_says_where_programs_go() {
    let machine = Machine::new("root");
    let (home, root) = (machine.folder.join("home"), machine.folder.join("installed"));
    fs::create_dir(&home).unwrap();
    check(&machine.install(&home, "022", &[("CARGO_INSTALL_ROOT", &root)]), &root.join("bin"));
    assert_eq!(fs::read_dir(&home).unwrap().count(), 0);
}
