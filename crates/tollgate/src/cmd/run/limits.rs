//! What a contained command can reach: from the policy, the catalogue of protected places, and the command line.

use std::os::fd::AsFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tollgate_contain::Profile;
use tollgate_effects::{Places, is_project, protected_places};
use tollgate_model::World;
use tollgate_policy::Contain;

use crate::dirs::{Dirs, applying_in, repository};
use crate::out;
use crate::report::{heading, tilde};
use crate::world::Machine;

/// The limits of one command.
pub struct Limits {
    home: PathBuf,
    /// The folder around the working directory that may be written, unless that would be a home or the system.
    workspace: Option<PathBuf>,
    /// What the command line and the policy add.
    added: Vec<PathBuf>,
    places: Places,
    /// The terminal of the person.
    terminals: Vec<PathBuf>,
    network: bool,
    sockets: bool,
}

impl Limits {
    /// What holds in this folder. `write` and `no_net` are the command line's.
    pub fn find(dirs: &Dirs, cwd: &Path, write: &[PathBuf], no_net: bool) -> anyhow::Result<Self> {
        let loaded = applying_in(dirs, cwd);
        let project = repository(cwd).to_string_lossy().into_owned();
        let world = Machine::new(&project, &dirs.config, &dirs.state, &loaded.sources);
        let contain = &loaded.policy.contain;
        let workspace = world.workspace();
        let mut added = write.iter().map(|path| named(cwd, path)).collect::<anyhow::Result<Vec<_>>>()?;
        added.extend(given(&contain.write, &dirs.home));
        added.extend(shared_repository(Path::new(workspace)));
        Ok(Self {
            workspace: is_project(workspace, &world).then(|| PathBuf::from(workspace)),
            added,
            places: places(&world, contain, &dirs.home),
            terminals: terminals(),
            network: !no_net && !contain.without_network,
            sockets: contain.with_sockets,
            home: dirs.home.clone(),
        })
    }

    /// What the kernel is to hold.
    pub fn profile(&self) -> Profile {
        let paths = |all: &[String]| all.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut writable = paths(&self.places.writable);
        writable.extend(self.workspace.clone());
        writable.extend(self.added.iter().cloned());
        let mut hidden = paths(&self.places.hidden);
        // What is a device is named, or stays closed: raw disks hold every file.
        hidden.push(PathBuf::from("/dev"));
        let (mut devices, writable): (Vec<_>, _) =
            writable.into_iter().partition(|path| path.starts_with("/dev"));
        devices.extend(paths(&self.places.devices));
        devices.extend(self.terminals.iter().cloned());
        Profile {
            writable,
            devices,
            hidden,
            readable: paths(&self.places.readable),
            network: self.network,
            sockets: self.sockets,
        }
    }

    /// What a person should know who runs a command here.
    pub fn note(&self) -> Option<&'static str> {
        let is_noted = self.workspace.is_none() && self.added.is_empty();
        is_noted
            .then_some("this folder is no project, so nothing in it can be written; to allow it: --write .")
    }

    /// Shows what is open and what is closed.
    pub fn print(&self) {
        let list = |title: &str, paths: &[PathBuf]| {
            heading(title);
            paths.iter().for_each(|path| out::line(&format!("  {}", tilde(path, &self.home))));
        };
        let profile = self.profile();
        list("May be written", &[profile.writable, profile.devices].concat());
        let closed: Vec<PathBuf> =
            profile.hidden.into_iter().filter(|path| path != Path::new("/dev")).collect();
        list("Cannot be read", &closed);
        heading("Connections");
        out::line(if self.network { "  network: allowed" } else { "  network: none" });
        out::line(match self.sockets {
            true => "  Unix sockets: allowed (Docker, systemd and the SSH agent run without limits)",
            false => "  Unix sockets: none",
        });
        heading("Kernel");
        let holds = tollgate_contain::probe();
        match holds.is_enough() {
            true => out::line(&format!("  Landlock ABI {}, system calls are filtered", holds.abi)),
            false => out::line("  cannot limit files; `tollgate run` runs nothing here"),
        }
        holds.gaps().for_each(|gap| out::line(&format!("  does not limit {gap}")));
    }
}

/// The catalogue's places, with what the policy hides and opens.
fn places(world: &Machine, contain: &Contain, home: &Path) -> Places {
    let mut homes = world.homes();
    if rustix::process::geteuid().is_root() {
        // Root reads the secrets of everybody.
        homes.extend(world.list("/home", 1000).into_iter().map(|name| format!("/home/{name}")));
    }
    homes.sort();
    homes.dedup();
    let mut places = protected_places(world, &homes);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    places.hidden.extend(given(&contain.hide, home).map(text));
    places.readable.extend(given(&contain.read, home).map(text));
    places
}

/// The paths of a policy that exist.
fn given<'p>(paths: &'p [String], home: &'p Path) -> impl Iterator<Item = PathBuf> + 'p {
    paths.iter().filter_map(move |path| match path.strip_prefix('~') {
        Some(rest) => home.join(rest.trim_start_matches('/')).canonicalize().ok(),
        None => Path::new(path).canonicalize().ok(),
    })
}

fn named(cwd: &Path, path: &Path) -> anyhow::Result<PathBuf> {
    cwd.join(path).canonicalize().with_context(|| format!("--write {}", path.display()))
}

/// The repository that a work tree of `git worktree add` belongs to, where commits are kept. What a `.git` file says is
/// believed only if the repository names the work tree as well: anybody can write such a file.
fn shared_repository(workspace: &Path) -> Option<PathBuf> {
    let link = workspace.join(".git");
    let text = |path: &Path| String::from_utf8(tollgate_policy::read_start(path, 4096).ok()?).ok();
    let named = text(&link)?;
    let own = workspace.join(named.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = own.join(text(&own.join("gitdir"))?.trim()).canonicalize().ok()?;
    let shared = own.join(text(&own.join("commondir"))?.trim()).canonicalize().ok()?;
    let is_its_own = back == link && own.parent() == Some(&shared.join("worktrees"));
    (is_its_own && shared.join("HEAD").is_file() && shared.join("objects").is_dir()).then_some(shared)
}

/// The terminals that the standard streams are.
fn terminals() -> Vec<PathBuf> {
    let (stdin, stdout, stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let mut names: Vec<PathBuf> = [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()]
        .into_iter()
        .filter_map(|stream| rustix::termios::ttyname(stream, Vec::new()).ok())
        .map(|name| PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes())))
        .collect();
    names.dedup();
    names
}
