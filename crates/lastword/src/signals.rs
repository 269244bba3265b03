//! Signals: every one that can be caught and would end or stop the process is answered instead.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering};

use libc::{
    SIGABRT, SIGALRM, SIGBUS, SIGCHLD, SIGCONT, SIGFPE, SIGILL, SIGKILL, SIGPIPE, SIGSEGV, SIGSTOP, SIGSYS,
};
use libc::{SIGTRAP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGXFSZ};

/// The handlers need a stack of their own: after a stack overflow there is no other. It costs nothing unused.
struct Stack(UnsafeCell<[u8; SIZE]>);
// SAFETY: only the kernel writes to it, while a handler runs.
unsafe impl Sync for Stack {}
static STACK: Stack = Stack(UnsafeCell::new([0; SIZE]));
const SIZE: usize = 32 * 1024;

static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Are the handlers there?
pub(crate) fn are_installed() -> bool {
    INSTALLED.load(Ordering::SeqCst)
}

/// The highest number of an ordinary signal on Linux; elsewhere there are fewer, and the call fails for the rest.
const LAST: i32 = 31;

/// Does this signal mean that the process cannot go on?
pub(crate) fn is_crash(signal: i32) -> bool {
    matches!(signal, SIGSEGV | SIGBUS | SIGABRT | SIGILL | SIGFPE | SIGSYS | SIGTRAP)
}

/// Does this signal stop a process? Then it is only taken note of: a stopped hook never answers.
pub(crate) fn is_stop(signal: i32) -> bool {
    matches!(signal, SIGTSTP | SIGTTIN | SIGTTOU)
}

/// Installs the handler for everything that ends or stops a process, whatever was inherited.
///
/// Whoever starts the hook may have blocked or ignored signals. A blocked `SIGALRM` would be no deadline, an ignored
/// `SIGCHLD` would hide how a program ended.
pub(crate) fn install(handler: extern "C" fn(i32)) {
    INSTALLED.store(true, Ordering::SeqCst);
    let alternate = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: SIZE };
    // SAFETY: the stack is static.
    unsafe { libc::sigaltstack(&raw const alternate, std::ptr::null_mut()) };
    for signal in 1..=LAST {
        match signal {
            SIGKILL | SIGSTOP => {}
            SIGCHLD | SIGCONT | SIGURG | SIGWINCH => set(signal, libc::SIG_DFL),
            // Both become an error of the write, which is answered like any other.
            SIGPIPE | SIGXFSZ => set(signal, libc::SIG_IGN),
            _ => set(signal, handler as usize),
        }
    }
    block_real_time();
}

fn set(signal: i32, handler: usize) {
    // SAFETY: a zeroed `sigaction` is a valid value; the handler only writes, starts a process and exits.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut());
    }
}

/// Lets the ordinary signals through and holds the real-time ones back, which would end the process: one call instead of a
/// handler for each. glibc keeps the first two of them to itself, so the kernel is told without it. What this process starts
/// gets an empty mask.
fn block_real_time() {
    #[cfg(target_os = "linux")]
    {
        let mask: u64 = !0 << LAST;
        let how = libc::SIG_SETMASK;
        // SAFETY: the mask is only read; 8 is the size of the kernel's.
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const mask, 0_usize, size_of::<u64>()) };
    }
    #[cfg(not(target_os = "linux"))]
    unblock();
}

/// Lets every signal through: a mask is inherited, and a handler's own mask goes to what it starts.
pub(crate) fn unblock() {
    // SAFETY: the set is filled before it is read; all three calls may be made in a signal handler.
    unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// The name of a cause of death, for the record.
pub(crate) fn cause(signal: i32) -> &'static std::ffi::CStr {
    match signal {
        SIGALRM => c"deadline",
        SIGABRT => c"abort",
        SIGSEGV | SIGBUS => c"memory",
        SIGILL | SIGFPE | SIGSYS | SIGTRAP => c"crash",
        _ => c"signal",
    }
}
