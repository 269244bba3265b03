//! Two processes for one event, where a file system may never answer: a worker that touches foreign paths, and a watcher
//! that owns the host's streams and the deadline. A process that waits for a dead file system can neither handle a signal
//! nor end; the host would wait for it until its own time-out, and then let the tool run.

use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use std::time::Duration;

use crate::{EXIT, STDERR, STDOUT, recorder};

/// A file in memory in which the worker keeps its deadline and its prepared answer for the watcher.
static NOTES: AtomicI32 = AtomicI32::new(-1);

/// Which of the two a process is.
#[derive(Debug)]
pub enum Role {
    /// Does the work. Its standard output and error go to the watcher.
    Worker,
    /// Waits for the worker.
    Watcher(Worker),
}

/// The worker, as its watcher sees it.
#[derive(Debug)]
pub struct Worker {
    /// Its process.
    pub process: i32,
    /// What it writes to standard output.
    pub stdout: OwnedFd,
    /// What it writes to standard error.
    pub stderr: OwnedFd,
    notes: OwnedFd,
}

/// Where things lie in the notes: the deadline; place, lengths and exit code of the last answer; the texts of all answers.
const DEADLINE: u64 = 0;
const HEADER: u64 = 8;
/// Where the next text goes. A text is never written over, so that the header always points to a whole one.
static FREE: AtomicU32 = AtomicU32::new(64);

/// Starts a worker. Must be called before the deadline is set, in a process with one thread.
///
/// # Errors
/// When the system has no room for another process; then there is only this one.
pub fn split() -> std::io::Result<Role> {
    use rustix::pipe::{PipeFlags, pipe_with};
    let (stdout, to_stdout) = pipe_with(PipeFlags::CLOEXEC)?;
    let (stderr, to_stderr) = pipe_with(PipeFlags::CLOEXEC)?;
    let (notes, payload) = (memory()?, memory()?);
    recorder::share(payload.into_raw_fd());
    if !crate::signals::are_installed() {
        crate::signals::install(crate::on_signal);
    }
    // SAFETY: there is one thread, so that the child may do whatever this process may.
    let process = unsafe { libc::fork() };
    match process {
        0 => {
            NOTES.store(notes.into_raw_fd(), Ordering::SeqCst);
            // SAFETY: the streams are open; `dup2` replaces them at once.
            unsafe {
                libc::dup2(to_stdout.as_raw_fd(), 1);
                libc::dup2(to_stderr.as_raw_fd(), 2);
            }
            crate::CLOSED.store(false, Ordering::SeqCst);
            write_answer();
            Ok(Role::Worker)
        }
        1.. => Ok(Role::Watcher(Worker { process, stdout, stderr, notes })),
        _ => Err(std::io::Error::last_os_error()),
    }
}

impl Worker {
    /// How long the worker has left. None before it has set a deadline.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let mut bytes = [0; 8];
        let known = rustix::io::pread(&self.notes, &mut bytes, DEADLINE) == Ok(bytes.len());
        let deadline = u64::from_le_bytes(bytes);
        let left = deadline.saturating_sub(crate::clock::now());
        (known && deadline > 0).then(|| Duration::from_nanos(left))
    }

    /// Makes the answer that the worker has prepared last the prepared answer of this process.
    pub fn adopt_answer(&self) {
        let mut header = [0_u8; 16];
        if rustix::io::pread(&self.notes, &mut header, HEADER) != Ok(16) {
            return;
        }
        let mut numbers = header.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number));
        let mut next = || numbers.next().unwrap_or(0);
        let (place, out, err, exit) = (next(), next() as usize, next() as usize, next());
        let mut text = vec![0; out.saturating_add(err)];
        let whole = rustix::io::pread(&self.notes, &mut text, u64::from(place))
            .is_ok_and(|count| count == text.len());
        let (Some((out, err)), true) = (text.split_at_checked(out), whole) else { return };
        if let (Ok(out), Ok(err), Ok(exit)) =
            (std::str::from_utf8(out), std::str::from_utf8(err), u8::try_from(exit))
        {
            crate::prepare(out, err, exit);
        }
    }
}

/// Tells the watcher when to stop waiting. Also called by the signal handler.
pub(crate) fn write_deadline(at: u64) {
    if let Some(notes) = notes() {
        let _ = rustix::io::pwrite(notes, &at.to_le_bytes(), DEADLINE);
    }
}

/// Tells the watcher what to answer if this process does not.
pub(crate) fn write_answer() {
    let Some(notes) = notes() else { return };
    let (out, err) = (STDOUT.get(), STDERR.get());
    let exit = EXIT.load(Ordering::SeqCst);
    let text = [out, err].concat();
    let place = FREE.fetch_add(text.len() as u32, Ordering::SeqCst);
    let header = [place, out.len() as u32, err.len() as u32, exit as u32].map(u32::to_le_bytes);
    if rustix::io::pwrite(notes, &text, u64::from(place)) == Ok(text.len()) {
        let _ = rustix::io::pwrite(notes, header.as_flattened(), HEADER);
    }
}

fn notes() -> Option<BorrowedFd<'static>> {
    let file = NOTES.load(Ordering::SeqCst);
    // SAFETY: the file is never closed.
    (file >= 0).then(|| unsafe { BorrowedFd::borrow_raw(file) })
}

#[cfg(target_os = "linux")]
fn memory() -> std::io::Result<OwnedFd> {
    Ok(rustix::fs::memfd_create(c"tollgate", rustix::fs::MemfdFlags::CLOEXEC)?)
}

#[cfg(not(target_os = "linux"))]
fn memory() -> std::io::Result<OwnedFd> {
    Err(std::io::ErrorKind::Unsupported.into())
}
