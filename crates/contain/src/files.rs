//! Files, signals and TCP, by Landlock. It knows only what is allowed: around a hidden path, everything beside it is
//! allowed by name, so what is created there later is not.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{Access as FileAccess, CWD, Dir, FileType, Mode, OFlags, access, fstat, openat, stat};
use rustix::process::geteuid;
use rustix::thread::capabilities;

use crate::{Fault, Profile, landlock_words};

/// The newest interface whose limits are tested here.
const NEWEST: ABI = ABI::V7;

/// Limits this thread, and returns the version of the kernel's interface.
pub fn restrict(profile: &Profile) -> Result<u32, Fault> {
    let closed_to_us = ClosedToUs::find();
    let hidden = profile.hidden.iter().filter(|path| !closed_to_us.contains(path));
    let mut grants = Grants { ruleset: handle(profile.network)?, hidden: Tree::of(hidden) };
    // Names are no secret: a folder that cannot be listed breaks too much.
    grants.allow(Path::new("/"), AccessFs::ReadDir.into());
    grants.split(Path::new("/"), read());
    for path in &profile.readable {
        grants.allow(path, read());
    }
    for path in &profile.writable {
        if grants.hidden.hides(path) {
            return Err(Fault::Hidden(path.display().to_string()));
        }
        grants.split(path, read() | write());
    }
    for path in &profile.devices {
        grants.allow(path, read() | write() | AccessFs::IoctlDev);
    }
    let status = grants.ruleset.restrict_self().map_err(limit)?;
    match version(status.landlock) {
        0 => Err(Fault::Kernel(landlock_words(0))),
        abi => Ok(abi),
    }
}

/// The version of the kernel's interface, found out by limiting this thread. 0 without Landlock.
pub fn try_out() -> u32 {
    let status = handle(true).ok().and_then(|ruleset| ruleset.restrict_self().ok());
    status.map_or(0, |status| version(status.landlock))
}

fn handle(network: bool) -> Result<RulesetCreated, Fault> {
    let mut ruleset = Ruleset::default();
    ruleset = ruleset.handle_access(AccessFs::from_all(NEWEST)).map_err(limit)?;
    ruleset = ruleset.scope(Scope::from_all(NEWEST)).map_err(limit)?;
    if !network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST)).map_err(limit)?;
    }
    ruleset.create().map_err(limit)
}

fn version(status: LandlockStatus) -> u32 {
    match status {
        LandlockStatus::Available { kernel_abi: Some(newer), .. } => u32::try_from(newer).unwrap_or(0),
        LandlockStatus::Available { effective_abi, .. } => effective_abi.to_string().parse().unwrap_or(0),
        _ => 0,
    }
}

fn limit(error: RulesetError) -> Fault {
    Fault::Limit(error.to_string())
}

fn read() -> BitFlags<AccessFs> {
    AccessFs::from_read(NEWEST)
}

/// Nobody makes a device: it would be a second name of the disk.
fn write() -> BitFlags<AccessFs> {
    AccessFs::from_write(NEWEST) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
}

struct Grants {
    ruleset: RulesetCreated,
    hidden: Tree,
}

impl Grants {
    /// Allows one path with all that is in it.
    fn allow(&mut self, path: &Path, access: BitFlags<AccessFs>) {
        if let Ok(file) = openat(CWD, path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
        {
            self.add(file, access);
        }
    }

    /// Allows a path with all that is in it but what is hidden.
    fn split(&mut self, path: &Path, access: BitFlags<AccessFs>) {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let Ok(file) = openat(CWD, path, flags, Mode::empty()) else { return };
        // Taken out while it is walked: the walk changes the ruleset beside it.
        let hidden = std::mem::take(&mut self.hidden);
        match hidden.find(path) {
            Some(part) => self.around(file, part, access),
            None => self.add(file, access),
        }
        self.hidden = hidden;
    }

    /// Allows everything in a folder but what is hidden. No symlink is followed.
    fn around(&mut self, file: OwnedFd, hidden: &Tree, access: BitFlags<AccessFs>) {
        if hidden.is_end {
            return;
        }
        if hidden.below.is_empty() {
            return self.add(file, access);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = openat(&file, ".", flags, Mode::empty()).and_then(Dir::new) else { return };
        for entry in folder.flatten() {
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") || entry.file_type() == FileType::Symlink {
                continue;
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let Ok(inner) = openat(&file, entry.file_name(), flags, Mode::empty()) else { continue };
            match hidden.below.get(&OsString::from_vec(name.to_vec())) {
                Some(part) => self.around(inner, part, access),
                None if entry.file_type() == FileType::Unknown => self.add(inner, access),
                None => self.add_kind(inner, entry.file_type(), access),
            }
        }
    }

    fn add(&mut self, file: OwnedFd, access: BitFlags<AccessFs>) {
        if let Ok(status) = fstat(&file) {
            self.add_kind(file, FileType::from_raw_mode(status.st_mode), access);
        }
    }

    /// What the kernel does not take (a file of an internal file system) is not allowed.
    fn add_kind(&mut self, file: OwnedFd, kind: FileType, access: BitFlags<AccessFs>) {
        let access = match kind {
            FileType::Directory => access,
            FileType::Symlink => return,
            _ => access & AccessFs::from_file(NEWEST),
        };
        if !access.is_empty() {
            let _ = (&mut self.ruleset).add_rule(PathBeneath::new(file, access));
        }
    }
}

/// Whether the system keeps a path from this user anyway, as it does with `/etc/shadow`. Going around such a path would cost
/// a rule for everything beside it.
struct ClosedToUs {
    /// None for who has rights beyond the modes of files.
    user: Option<u32>,
}

impl ClosedToUs {
    fn find() -> Self {
        let plain = capabilities(None).is_ok_and(|own| own.permitted.is_empty());
        Self { user: plain.then(|| geteuid().as_raw()) }
    }

    fn contains(&self, path: &Path) -> bool {
        let is_refused = |how| matches!(access(path, how), Err(rustix::io::Errno::ACCESS));
        // An owner could open it by changing its mode.
        let is_anothers = |user| stat(path).is_ok_and(|found| found.st_uid != user);
        self.user.is_some_and(is_anothers)
            && [FileAccess::READ_OK, FileAccess::WRITE_OK, FileAccess::EXEC_OK].into_iter().all(is_refused)
    }
}

/// Paths by their components.
#[derive(Default)]
struct Tree {
    /// A path ends here: it is hidden, with all that is in it.
    is_end: bool,
    below: BTreeMap<OsString, Tree>,
}

impl Tree {
    fn of<'p>(paths: impl Iterator<Item = &'p PathBuf>) -> Self {
        let mut tree = Self::default();
        for path in paths {
            let names = names(path);
            // The root as a whole is a mistake of the caller's that would allow nothing.
            let last = names.fold(&mut tree, |part, name| part.below.entry(name).or_default());
            last.is_end = true;
        }
        tree
    }

    /// The part at a path; one that is an end where a folder above is hidden. `None` where nothing in it is.
    fn find(&self, path: &Path) -> Option<&Self> {
        let mut part = self;
        for name in names(path) {
            if part.is_end {
                return Some(part);
            }
            part = part.below.get(&name)?;
        }
        Some(part)
    }

    fn hides(&self, path: &Path) -> bool {
        self.find(path).is_some_and(|part| part.is_end)
    }
}

fn names(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(OsString::from_vec(name.as_bytes().to_vec())),
        _ => None,
    })
}
