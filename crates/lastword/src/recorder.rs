//! Records a call over which the gate failed. A dying process cannot write a record itself: its heap may be damaged,
//! its locks taken, its file system gone. So it starts this program once more, with the payload as standard input.

use std::ffi::{CStr, CString, c_char};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use crate::{Words, signals};

/// The arguments, the last one but the final null still open for the cause.
static ARGS: AtomicPtr<Vec<*const c_char>> = AtomicPtr::new(std::ptr::null_mut());
static PAYLOAD: Words = Words::none();
/// A file in memory with the payload, where another process reads it.
static SHARED: AtomicI32 = AtomicI32::new(-1);
static RECORDED: AtomicBool = AtomicBool::new(false);

/// Says with which arguments this program records a failure. Its cause is added as the last one.
pub fn keep_recorder(args: &[String]) {
    let words = std::iter::once("tollgate").chain(args.iter().map(String::as_str));
    let words: Option<Vec<CString>> = words.map(|word| CString::new(word).ok()).collect();
    let Some(words) = words else { return };
    let mut pointers: Vec<*const c_char> =
        words.into_iter().map(|word| word.into_raw().cast_const()).collect();
    pointers.extend([null(), null()]);
    ARGS.store(Box::into_raw(Box::new(pointers)), Ordering::SeqCst);
}

/// Keeps the payload for the record, until the process ends.
pub fn keep_payload(bytes: &'static [u8]) {
    PAYLOAD.set_static(bytes);
    if let Some(file) = shared() {
        write_payload(file, bytes);
    }
}

/// The failure is in the log already.
pub fn recorded() {
    RECORDED.store(true, Ordering::SeqCst);
}

/// The payload will be read by another process, which has the other end of this file.
pub(crate) fn share(file: i32) {
    SHARED.store(file, Ordering::SeqCst);
}

fn shared() -> Option<BorrowedFd<'static>> {
    let file = SHARED.load(Ordering::SeqCst);
    // SAFETY: the file is never closed.
    (file >= 0).then(|| unsafe { BorrowedFd::borrow_raw(file) })
}

/// Starts the program that writes the record, unless it is written. Called by signal handlers: no allocation, no locks.
pub(crate) fn start(cause: &'static CStr) {
    let args = ARGS.load(Ordering::SeqCst);
    if args.is_null() || RECORDED.swap(true, Ordering::SeqCst) {
        return;
    }
    // SAFETY: the arguments are leaked, and only this call, of which there is one, changes them.
    let args = unsafe { &mut *args };
    let open = args.len().saturating_sub(2);
    if let Some(last) = args.get_mut(open) {
        *last = cause.as_ptr();
    }
    let input = input();
    // SAFETY: the child only makes system calls until it becomes another program or ends.
    unsafe {
        if fork() == 0 {
            become_recorder(input, args.as_ptr());
        }
    }
}

/// A file with the payload, at its beginning; below zero where there is none.
fn input() -> i32 {
    if let Some(file) = shared() {
        return file.as_raw_fd();
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::IntoRawFd;
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let Ok(file) = rustix::fs::memfd_create(c"payload", flags) else { return -1 };
        write_payload(std::os::fd::AsFd::as_fd(&file), PAYLOAD.get());
        file.into_raw_fd()
    }
    #[cfg(not(target_os = "linux"))]
    -1
}

fn write_payload(file: BorrowedFd, bytes: &[u8]) {
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match rustix::io::pwrite(file, rest, at as u64) {
            Ok(count) if count > 0 => at += count,
            _ => return,
        }
    }
}

/// A plain copy of this process: glibc's own `fork` takes locks that may be held.
///
/// # Safety
/// The child may only make system calls.
unsafe fn fork() -> i64 {
    #[cfg(target_os = "linux")]
    // SAFETY: as the caller says.
    return unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    #[cfg(not(target_os = "linux"))]
    // SAFETY: as the caller says.
    return i64::from(unsafe { libc::fork() });
}

/// Nothing of it may hold up the host: it leaves the host's streams and session.
///
/// # Safety
/// In a child that does nothing else; the arguments end with null.
unsafe fn become_recorder(input: i32, args: *const *const c_char) -> ! {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    signals::unblock();
    // SAFETY: only system calls; the paths are literals that end in NUL.
    unsafe {
        libc::setsid();
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        for stream in 0..=2 {
            libc::dup2(nothing, stream);
        }
        if input >= 0 {
            libc::lseek(input, 0, libc::SEEK_SET);
            libc::dup2(input, 0);
        }
        libc::execve(c"/proc/self/exe".as_ptr(), args, environ);
        libc::_exit(127)
    }
}
