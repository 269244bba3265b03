//! `cargo xtask install` on machines where nothing is prepared: no agent, no terminal, and checkouts and homes of every kind. The
//! binary is one that is already built; what is tested is everything around that build.

use std::fs;
use std::os::unix::fs::symlink;
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

    /// `cargo xtask install`, by a shell with that umask and without a terminal.
    fn install(&self, home: &Path, umask: &str, settings: &[(&str, &Path)]) -> Output {
        self.install_with(home, umask, settings, &[])
    }

    fn install_with(&self, home: &Path, umask: &str, settings: &[(&str, &Path)], args: &[&str]) -> Output {
        let mut command = Command::new("setsid");
        command.args(["--wait", "sh", "-c", &format!("umask {umask}; exec \"$@\""), "sh"]);
        command.arg(env!("CARGO_BIN_EXE_xtask")).args(["install", "--binary"]).arg(tollgate()).args(args);
        command.env_clear().env("PATH", self.programs()).env("HOME", home);
        command.envs(settings.iter().copied()).stdin(Stdio::null()).output().unwrap()
    }

    /// What somebody types after it.
    fn shell(&self, home: &Path, line: &str) -> Output {
        let mut command = Command::new("setsid");
        command.args(["--wait", "sh", "-c", line]).env_clear().env("PATH", self.programs()).env("HOME", home);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// A folder with what an installation starts. Agents of whoever runs the tests are not in it.
    fn programs(&self) -> PathBuf {
        let folder = self.folder.join("programs");
        fs::create_dir_all(&folder).unwrap();
        for name in ["git", "setsid", "sh"] {
            let found = ["/usr/bin", "/bin", "/usr/local/bin"].map(|dir| Path::new(dir).join(name));
            let program = found.into_iter().find(|path| path.exists()).unwrap();
            let _ = symlink(program, folder.join(name));
        }
        folder
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

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Everything is said that a newcomer needs, and the installed binary works.
fn check(output: &Output, bin: &Path) {
    let said = text(output);
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
    let home = machine.folder.join("home");
    fs::create_dir(&home).unwrap();
    let output = machine.install(&home, "022", &[]);
    check(&output, &home.join(".cargo/bin"));
    let left: Vec<_> = fs::read_dir(&home).unwrap().map(|entry| entry.unwrap().file_name()).collect();
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
    symlink(&home, &link).unwrap();
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

#[test]
fn an_agent_is_registered_only_by_someone_who_agrees() {
    let machine = Machine::new("agent");
    let home = machine.folder.join("the user's home");
    let settings = home.join(".claude/settings.json");
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::write(&settings, "{}").unwrap();

    let unasked = machine.install(&home, "022", &[]);
    let said = text(&unasked);
    assert_eq!(unasked.status.code(), Some(0), "{said}");
    assert!(said.contains("claude-code") && said.contains("Not guarded yet"), "{said}");
    assert_eq!(fs::read_to_string(&settings).unwrap(), "{}");
    // What it says to type works as it is printed.
    let typed = said.lines().find_map(|line| line.trim().strip_prefix("guard them:")).unwrap();
    let guarded = machine.shell(&home, typed);
    assert_eq!(guarded.status.code(), Some(0), "{}", text(&guarded));
    assert!(fs::read_to_string(&settings).unwrap().contains("tollgate"));
}

#[test]
fn an_agent_is_registered_without_a_question_on_request() {
    let machine = Machine::new("agreed");
    let home = machine.folder.join("home");
    let settings = home.join(".claude/settings.json");
    fs::create_dir_all(home.join(".claude")).unwrap();

    let agreed = machine.install_with(&home, "022", &[], &["--yes"]);
    assert_eq!(agreed.status.code(), Some(0), "{}", text(&agreed));
    assert!(fs::read_to_string(&settings).unwrap().contains("tollgate"));
}

/// A copy of the checkout whose path has a space, entered by a symlink, with an empty environment.
#[test]
fn any_checkout_will_do() {
    let machine = Machine::new("checkout");
    let (checkout, link) = (machine.folder.join("a new checkout"), machine.folder.join("link to it"));
    let home = machine.folder.join("home");
    fs::create_dir(&home).unwrap();
    copy(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap(), &checkout);
    symlink(&checkout, &link).unwrap();

    let cargo = PathBuf::from(std::env::var_os("CARGO").unwrap());
    let toolchain = cargo.parent().unwrap().display().to_string();
    let mut command = Command::new("setsid");
    command.args(["--wait", "sh", "-c", "umask 077; exec \"$@\"", "sh"]).arg(&cargo);
    command.args(["xtask", "install", "--binary"]).arg(tollgate()).current_dir(&link).stdin(Stdio::null());
    command.env_clear().env("HOME", &home).env("PATH", format!("{toolchain}:/usr/bin:/bin"));
    // What the registries have is on this machine already: the tests were built with it.
    command.env("CARGO_NET_OFFLINE", "true").env("CARGO_HOME", cargo_home());
    command.env("CARGO_INSTALL_ROOT", home.join("installed"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let version = Command::new(home.join("installed/bin/tollgate")).arg("--version").output().unwrap();
    assert!(version.status.success());
}

fn cargo_home() -> PathBuf {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"))
}

/// Copies a checkout without what was built in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, kind) = (entry.path(), entry.file_type().unwrap());
        if kind.is_dir() && entry.file_name() != "target" && entry.file_name() != ".git" {
            copy(&path, &to.join(entry.file_name()));
        } else if kind.is_file() {
            fs::copy(&path, to.join(entry.file_name())).unwrap();
        }
    }
}
