//! Limits for a command that nobody can judge beforehand: which files it can read and write, and whom it can reach.
//!
//! The limits hold for the process that applies them and for everything that it starts, and nobody can take them off again.
//! They need neither root nor namespaces.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod inherited;
#[cfg(target_os = "linux")]
mod privileges;

use std::path::PathBuf;

/// What a command may reach. All paths are absolute, with symlinks resolved; those that do not exist count for nothing.
///
/// Everything else may be read and nothing else written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Folders, with all that is in them, and files that may be written.
    pub writable: Vec<PathBuf>,
    /// Devices, and folders of `/dev`, that may be read, written and controlled, whether they are hidden or not.
    pub devices: Vec<PathBuf>,
    /// Folders and files whose contents may be neither read nor written. Wins over `writable`.
    pub hidden: Vec<PathBuf>,
    /// What may be read inside `hidden`.
    pub readable: Vec<PathBuf>,
    /// IP sockets may be made.
    pub network: bool,
    /// Unix sockets may be made. Whoever answers one runs without limits: Docker, systemd, the SSH agent.
    pub sockets: bool,
}

/// What this kernel can limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holds {
    /// The version of Landlock's interface, 0 without Landlock.
    pub abi: u32,
    /// System calls can be filtered.
    pub calls: bool,
}

/// Since when Landlock can limit something, and what happens without.
const GAPS: [(u32, &str); 2] =
    [(5, "ioctl on devices that it may open"), (6, "signals to processes of yours outside")];

/// Before this version a file could be emptied without the right to write it.
const LEAST_ABI: u32 = 3;

impl Holds {
    /// Can files be limited, and the ways around that be closed?
    #[must_use]
    pub fn is_enough(&self) -> bool {
        self.abi >= LEAST_ABI && self.calls
    }

    /// What a contained command could do that newer kernels prevent.
    pub fn gaps(&self) -> impl Iterator<Item = &'static str> {
        let abi = self.abi;
        GAPS.into_iter().filter(move |(since, _)| abi < *since).map(|(_, gap)| gap)
    }
}

/// Why a command cannot be contained.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Another operating system.
    #[error("commands can be contained on Linux only")]
    System,
    /// Landlock is off, missing or too old.
    #[error("this kernel cannot limit files: {0}; it takes Linux 6.2 with Landlock switched on")]
    Kernel(String),
    /// Something failed on the way.
    #[error("cannot set the limits: {0}")]
    Limit(String),
    /// What was asked to be writable holds secrets.
    #[error("`{0}` is a place of secrets or settings, which no contained command may write")]
    Hidden(String),
}

/// Applies the limits to this process, for good. It must have one thread.
///
/// # Errors
/// Nothing may be run after an error: the limits are in place only in part.
#[cfg(target_os = "linux")]
pub fn apply(profile: &Profile) -> Result<Holds, Fault> {
    let abi = files::restrict(profile)?;
    if abi < LEAST_ABI {
        return Err(Fault::Kernel(landlock_words(abi)));
    }
    inherited::close();
    privileges::drop_most(profile.network).map_err(|error| Fault::Limit(error.to_string()))?;
    calls::restrict(profile.network, profile.sockets)?;
    Ok(Holds { abi, calls: true })
}

/// Applies the limits to this process.
///
/// # Errors
/// Always, on this system.
#[cfg(not(target_os = "linux"))]
pub fn apply(_: &Profile) -> Result<Holds, Fault> {
    Err(Fault::System)
}

/// What this kernel can limit, tried in a thread that ends.
#[must_use]
pub fn probe() -> Holds {
    #[cfg(target_os = "linux")]
    {
        let attempt = || Holds { abi: files::try_out(), calls: calls::restrict(true, true).is_ok() };
        std::thread::spawn(attempt).join().unwrap_or(Holds { abi: 0, calls: false })
    }
    #[cfg(not(target_os = "linux"))]
    Holds { abi: 0, calls: false }
}

#[cfg(target_os = "linux")]
fn landlock_words(abi: u32) -> String {
    if abi == 0 { "no Landlock".to_owned() } else { format!("Landlock ABI {abi}") }
}
