//! The mounted file systems. The kernel tells the kind of one in half a microsecond; to print its table of all takes three
//! times as long as to ask for each.

use std::ffi::c_long;

/// More mounts than this are not asked about.
const MOST: usize = 256;

/// The kernel's numbers of the two calls, the same on every machine that Tollgate is built for.
const STATMOUNT: c_long = 457;
const LISTMOUNT: c_long = 458;

/// The kernel's `struct mnt_id_req` in its first form.
#[repr(C)]
struct Request {
    size: u32,
    spare: u32,
    mount: u64,
    param: u64,
}

const ALL_BELOW_ROOT: u64 = u64::MAX;
/// What is asked about a mount: the file system, or where it is mounted.
const SUPER_BLOCK: u64 = 0x01;
const PLACE: u64 = 0x10;

/// Where the kernel's `struct statmount` has the number of a file system's kind, and the offset of a mount's place in the texts
/// behind it.
const MAGIC_AT: usize = 24;
const PLACE_AT: usize = 108;
const TEXTS_AT: usize = 512;
/// A longer place is not told.
const LONGEST_PLACE: usize = 512;

/// A mounted file system.
#[derive(Clone, Copy, Debug)]
pub struct Mount {
    id: u64,
    /// The number that says of which kind it is.
    pub kind: u64,
}

/// The mounts that this process sees. None where the kernel cannot tell (before Linux 6.8), may not, or where there are
/// very many.
#[must_use]
pub fn mounts() -> Option<Vec<Mount>> {
    let mut ids = [0_u64; MOST];
    let request = Request::new(ALL_BELOW_ROOT, 0);
    // SAFETY: the kernel reads the request and writes at most `MOST` numbers.
    let count = unsafe { libc::syscall(LISTMOUNT, &raw const request, ids.as_mut_ptr(), MOST, 0) };
    let ids = ids.get(..usize::try_from(count).ok()?).filter(|ids| !ids.is_empty() && ids.len() < MOST)?;
    let mount = |id: &u64| {
        let told: [u8; TEXTS_AT] = Request::new(*id, SUPER_BLOCK).ask()?;
        let kind = told.get(MAGIC_AT..)?.first_chunk().copied().map(u64::from_ne_bytes)?;
        Some(Mount { id: *id, kind })
    };
    ids.iter().map(mount).collect()
}

impl Mount {
    /// Does it lie at or below one of these folders?
    #[must_use]
    pub fn is_below(&self, folders: &[&str]) -> bool {
        let Some(told) = Request::new(self.id, PLACE).ask::<{ TEXTS_AT + LONGEST_PLACE }>() else {
            return false;
        };
        let offset =
            told.get(PLACE_AT..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_ne_bytes);
        let place = offset.and_then(|offset| told.get(TEXTS_AT + usize::try_from(offset).ok()?..));
        place.is_some_and(|place| folders.iter().any(|folder| place.starts_with(folder.as_bytes())))
    }
}

impl Request {
    fn new(mount: u64, param: u64) -> Self {
        Self { size: size_of::<Self>() as u32, spare: 0, mount, param }
    }

    /// What the kernel says about a mount.
    fn ask<const SIZE: usize>(&self) -> Option<[u8; SIZE]> {
        let mut told = [0_u8; SIZE];
        // SAFETY: the kernel reads the request and writes at most `SIZE` bytes.
        let done = unsafe { libc::syscall(STATMOUNT, &raw const *self, told.as_mut_ptr(), SIZE, 0) };
        (done == 0).then_some(told)
    }
}
