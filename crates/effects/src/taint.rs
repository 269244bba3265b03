//! Marks on data.

use tollgate_shell::value::Taint;

/// Came from the network.
pub(crate) const NET: Taint = Taint(1);
/// Was decoded from something unreadable.
pub(crate) const DECODED: Taint = Taint(2);
/// Is, or was made from, a secret.
pub(crate) const SECRET: Taint = Taint(4);
/// Came from a file that could not be read.
pub(crate) const FILE: Taint = Taint(8);
/// Is shell code that a known tool prints for the shell to run.
pub(crate) const SETUP: Taint = Taint(1 << 41);
/// Is the difference between the work tree and what git keeps.
pub(crate) const WORK: Taint = Taint(1 << 44);
/// Is the same difference the other way round: it takes the work back.
pub(crate) const UNDONE: Taint = Taint(1 << 48);
/// Is an archive of what git has committed, laid out like the work tree.
pub(crate) const COMMITTED: Taint = Taint(1 << 45);
/// Never ends.
pub(crate) const ENDLESS: Taint = Taint(1 << 43);
/// Are names of files in the present directory.
pub(crate) const NAMES: Taint = Taint(1 << 42);
/// Is the whole environment.
pub(crate) const ENVIRONMENT: Taint = Taint(1 << 40);

/// Is a table of processes that nothing was picked from.
pub(crate) const TABLE: Taint = Taint(1 << 46);
/// Is the numbers of such processes.
pub(crate) const PROCESSES: Taint = Taint(1 << 47);

/// Are names of files that nothing was picked from: all of a folder, or all that a program was given.
pub(crate) const LISTED: Taint = Taint(1 << 49);
/// Are the containers or images of this machine, that nothing was picked from.
pub(crate) const CONTAINERS: Taint = Taint(1 << 50);

/// Are, or were picked from, names of files that this call has found.
pub(crate) const FOUND: Taint = Taint(1 << 51);

/// Are, or were picked from, names of files of the project that this call has found.
pub(crate) const WALKED: Taint = Taint(1 << 52);
/// Were picked from these by holding one list against another.
pub(crate) const COMPARED: Taint = Taint(1 << 53);
/// Names the devices of this machine, among other things.
pub(crate) const DEVICES: Taint = Taint(1 << 54);

/// Marks of lists.
const LISTS: u64 =
    TABLE.0 | PROCESSES.0 | LISTED.0 | CONTAINERS.0 | FOUND.0 | WALKED.0 | COMPARED.0 | DEVICES.0;

/// The marks that say where data comes from; that it is names of files, or never ends, says nothing about code.
pub(crate) fn sources(taint: Taint) -> Taint {
    Taint(taint.0 & !(NAMES.0 | ENDLESS.0 | WORK.0 | UNDONE.0 | COMMITTED.0 | LISTS | Taint::ORIGINS.0))
}

/// The mark of the data of one file, of the first that are read.
pub(crate) fn origin(index: usize) -> Taint {
    let bit = u32::try_from(index).ok().and_then(|index| 0x100_u64.checked_shl(index)).unwrap_or_default();
    Taint(bit & Taint::ORIGINS.0)
}

/// Does it carry the mark?
pub(crate) fn has(taint: Taint, mark: Taint) -> bool {
    taint.0 & mark.0 != 0
}
