//! Becoming another program, with everything as it was handed to this one.

use std::ffi::{CString, OsString};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// What a broken pipe did to this process before it was ignored.
static BROKEN_PIPE: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
/// A bit for each standard stream that was closed and got something harmless.
static FILLED: AtomicI32 = AtomicI32::new(0);

pub(crate) fn note_broken_pipe(before: libc::sighandler_t) {
    if before != libc::SIG_ERR {
        BROKEN_PIPE.store(before, Ordering::SeqCst);
    }
}

pub(crate) fn note_filled(stream: i32) {
    FILLED.fetch_or(1 << stream, Ordering::SeqCst);
}

/// Closes a file descriptor when this process becomes another program.
pub fn close_on_exec(descriptor: i32) {
    // SAFETY: only a flag of the descriptor is set; one that is not open is an error that changes nothing.
    unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
}

/// The same for all but the standard streams.
pub fn close_all_on_exec() {
    // SAFETY: as above.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 4_u32)
    };
}

/// Becomes this program: the same process, terminal, signals, mask and environment. Standard streams that were closed are
/// closed again. Unlike `CommandExt::exec`, it leaves the mask and an ignored `SIGPIPE` as they were handed down.
///
/// Returns only when that failed.
#[must_use]
pub fn become_program(command: &[OsString]) -> io::Error {
    let words: Result<Vec<CString>, _> =
        command.iter().map(|word| CString::new(word.clone().into_vec())).collect();
    let Ok(words) = words else { return io::ErrorKind::InvalidInput.into() };
    let mut pointers: Vec<*const libc::c_char> = words.iter().map(|word| word.as_ptr()).collect();
    pointers.push(std::ptr::null());
    let Some(program) = words.first() else { return io::ErrorKind::InvalidInput.into() };
    let filled = FILLED.load(Ordering::SeqCst);
    (0..3).filter(|stream| filled & (1 << stream) != 0).for_each(close_on_exec);
    // SAFETY: every pointer is to a text that ends in NUL, the last is null, and all of them outlive the call.
    unsafe {
        libc::signal(libc::SIGPIPE, BROKEN_PIPE.load(Ordering::SeqCst));
        libc::execvp(program.as_ptr(), pointers.as_ptr());
    }
    io::Error::last_os_error()
}
