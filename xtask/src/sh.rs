//! Running programs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

/// The workspace's root.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default()
}

/// The folder where cargo keeps its programs and the sources that it downloads.
pub fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))
}

/// Where cargo puts what it builds. Shell commands in the tests name what lies there, so a checkout whose path would have to
/// be quoted builds below the home, or in the folder for temporary files.
pub fn target_dir() -> PathBuf {
    if let Some(named) = std::env::var_os("CARGO_TARGET_DIR") {
        return PathBuf::from(named);
    }
    let root = root();
    if is_plain(&root) {
        return root.join("target");
    }
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    let home =
        std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute() && is_plain(home));
    // Not below `.cache`: `tollgate init` copies a program from there before it registers it.
    let above = home.map_or_else(std::env::temp_dir, |home| home.join(".local/share"));
    above.join(format!("tollgate-build-{:08x}", hasher.finish() as u32))
}

/// Does a path need no quotes in a shell?
pub fn is_plain(path: &Path) -> bool {
    path.to_string_lossy().chars().all(|c| c.is_ascii_alphanumeric() || "/._-+".contains(c))
}

/// What every command is told: where to build, where the clients of the end-to-end tests are, which authorities Node trusts.
fn settings() -> Vec<(&'static str, PathBuf)> {
    let target = target_dir();
    let moved = target != root().join("target");
    let clients = (moved && std::env::var_os("TOLLGATE_E2E_CLIENTS").is_none())
        .then(|| ("TOLLGATE_E2E_CLIENTS", target.join("e2e-clients")));
    let target = moved.then_some(("CARGO_TARGET_DIR", target));
    target.into_iter().chain(clients).chain(node_certificates()).collect()
}

/// A command in the workspace's root.
pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(words.first().copied().unwrap_or_default());
    command.args(words.get(1..).unwrap_or_default()).current_dir(root()).envs(settings());
    command
}

/// Node.js brings its own list of certificate authorities and ignores the machine's, which breaks npm behind a proxy that has
/// an authority of its own.
fn node_certificates() -> Option<(&'static str, PathBuf)> {
    const NAME: &str = "NODE_EXTRA_CA_CERTS";
    const BUNDLE: &str = "/etc/ssl/certs/ca-certificates.crt";
    (std::env::var_os(NAME).is_none() && Path::new(BUNDLE).exists()).then(|| (NAME, PathBuf::from(BUNDLE)))
}

/// Variables that a test run keeps: where the tools are, and what people set to steer the tests.
const KEPT: &[&str] = &[
    "PATH",
    "TMPDIR",
    "USER",
    "CARGO_TARGET_DIR",
    "RUSTUP_TOOLCHAIN",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CI",
];
const KEPT_PREFIXES: &[&str] =
    &["TOLLGATE_", "PROPTEST_", "FUZZ_", "NEXTEST_", "RUST", "npm_config_", "PIP_", "UV_"];

/// Gives a command the environment of a machine where nothing is prepared: an empty home, no settings of git or of any other
/// program, no terminal. A test that is green in it does not depend on who runs it.
pub fn clean(command: &mut Command, home: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(home);
    std::fs::create_dir_all(home).with_context(|| format!("cannot make {}", home.display()))?;
    let own = |name: &str, folder: &str| {
        let given = std::env::var_os(name).map(PathBuf::from);
        given.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(folder)))
    };
    let (cargo, rustup) = (own("CARGO_HOME", ".cargo"), own("RUSTUP_HOME", ".rustup"));
    let is_kept = |name: &str| {
        let proxy = name.to_ascii_lowercase().ends_with("_proxy");
        proxy || KEPT.contains(&name) || KEPT_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let kept = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept));
    command.env_clear().envs(kept).envs(settings()).env("HOME", home).env("LANG", "C.UTF-8");
    command.envs(cargo.map(|path| ("CARGO_HOME", path))).envs(rustup.map(|path| ("RUSTUP_HOME", path)));
    command.stdin(Stdio::null());
    Ok(())
}

/// Runs and shows it; fails when it fails.
pub fn run(words: &[&str]) -> Result<()> {
    check(&mut command(words))
}

/// Runs a prepared command and shows it.
pub fn check(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("+ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// A command that goes on while others run. What it prints is kept until somebody waits for it.
pub struct Background {
    child: Child,
    shown: String,
    log: PathBuf,
}

impl Background {
    /// Starts a command, with its output in a file.
    pub fn start(command: &mut Command, log: PathBuf) -> Result<Self> {
        let output =
            std::fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let shown = show(command);
        println!("+ {shown} &");
        let child = command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).spawn();
        Ok(Self { child: child.with_context(|| format!("cannot start `{shown}`"))?, shown, log })
    }

    /// Waits for it, and shows what it printed.
    pub fn wait(mut self) -> Result<()> {
        let status = self.child.wait()?;
        println!("{}", std::fs::read_to_string(&self.log).unwrap_or_default().trim_end());
        if !status.success() {
            bail!("`{}` failed ({status})", self.shown);
        }
        Ok(())
    }
}

/// What a command prints.
pub fn output(words: &[&str]) -> Result<String> {
    let output = command(words)
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{}`", words.join(" ")))?;
    if !output.status.success() {
        bail!("`{}` failed", words.join(" "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does the program exist and answer?
pub fn exists(words: &[&str]) -> bool {
    command(words).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
