//! Last words: a refusal, prepared before anything can go wrong, that reaches the agent's host when this
//! process is about to die: panic, stack overflow, abort, memory exhaustion, `SIGTERM`, deadline.
//!
//! Invariant: exactly one answer leaves the process. Whoever takes `SPOKEN` first writes; nobody else does.

mod deadline;
mod heap;
#[cfg(quick_start)]
mod start;

use std::cell::UnsafeCell;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use deadline::Rung;
pub use deadline::{Deadline, has_passed};
pub use heap::{Heap, settle};

static SPOKEN: AtomicBool = AtomicBool::new(false);
static STDOUT: Words = Words::none();
static STDERR: Words = Words::none();
static EXIT: AtomicI32 = AtomicI32::new(2);
/// The answer could not be written whole.
static CUT: AtomicBool = AtomicBool::new(false);

/// The handlers need a stack of their own: after a stack overflow there is no other. It costs nothing unused.
struct Stack(UnsafeCell<[u8; 32 * 1024]>);
// SAFETY: only the kernel writes to it, while a handler runs.
unsafe impl Sync for Stack {}
static STACK: Stack = Stack(UnsafeCell::new([0; 32 * 1024]));

/// Defines the program's `main` without the runtime's set-up, a tenth of the time an empty program takes.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn main(_: i32, _: *const *const u8) -> i32 {
            $crate::keep_standard_streams();
            $main()
        }
    };
}

/// Prepares the answer. May be called again to replace the words.
pub fn prepare(stdout: &str, stderr: &str, exit: u8) {
    STDOUT.set(stdout);
    STDERR.set(stderr);
    EXIT.store(i32::from(exit), Ordering::SeqCst);
}

/// Installs the handlers, the deadline, the memory limit and the panic hook.
pub fn arm(deadline: Deadline, memory: u64) {
    std::panic::set_hook(Box::new(|_| last_words()));
    install_handlers();
    deadline::set(deadline, false);
    limit_memory(memory);
}

/// Moves the deadline: from now on, this long.
pub fn extend(deadline: Deadline) {
    deadline::set(deadline, true);
}

/// Gives the real answer and goes on, for what is done once it is out. False when nobody took it.
pub fn say(stdout: impl AsRef<[u8]>, stderr: impl AsRef<[u8]>) -> bool {
    if SPOKEN.swap(true, Ordering::SeqCst) {
        return false;
    }
    write_all(2, stderr.as_ref());
    let whole = write_all(1, stdout.as_ref());
    CUT.store(!whole, Ordering::SeqCst);
    whole
}

/// Gives the real answer, unless it or the last words are already out, and ends the process. Half an answer is a
/// failure: with a good exit code some hosts would take it for consent.
pub fn speak(stdout: &str, stderr: &str, exit: u8) -> ! {
    say(stdout, stderr);
    if has_passed() {
        // The prepared answer is out, and its exit code belongs to it.
        end_as_prepared();
    }
    let cut = exit == 0 && CUT.load(Ordering::SeqCst);
    // SAFETY: `_exit` only ends the process.
    unsafe { libc::_exit(if cut { 1 } else { i32::from(exit) }) }
}

/// Puts something harmless where a standard stream is closed, and makes a pipe that nobody reads an error.
pub fn keep_standard_streams() {
    let mut fds = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the array outlives the call; the path is a literal that ends in NUL.
    unsafe {
        libc::poll(fds.as_mut_ptr(), 3, 0);
        for _ in fds.iter().filter(|stream| stream.revents & libc::POLLNVAL != 0) {
            libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
        }
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
}

fn last_words() -> ! {
    say(STDOUT.get(), STDERR.get());
    end_as_prepared()
}

fn end_as_prepared() -> ! {
    // SAFETY: `_exit` only ends the process, and may be called from a signal handler.
    unsafe { libc::_exit(EXIT.load(Ordering::SeqCst)) }
}

extern "C" fn on_signal(signal: i32) {
    if signal == libc::SIGALRM {
        return keeping_errno(on_timer);
    }
    // A signal that is not a crash, while the answer is being written, lets the writing go on.
    let crash = matches!(signal, libc::SIGSEGV | libc::SIGBUS | libc::SIGABRT | libc::SIGILL | libc::SIGFPE);
    if crash || !SPOKEN.load(Ordering::SeqCst) {
        last_words();
    }
}

fn on_timer() {
    if SPOKEN.load(Ordering::SeqCst) && !has_passed() {
        // The real answer is being written.
        return;
    }
    match deadline::rung() {
        Rung::TooEarly => {}
        // The process goes on and writes its record; it has nothing more to say.
        Rung::Now { grace: true } => drop(say(STDOUT.get(), STDERR.get())),
        Rung::Now { grace: false } | Rung::Over => last_words(),
    }
}

/// A handler that returns must leave the interrupted code's error number as it was.
fn keeping_errno(act: fn()) {
    #[cfg(target_os = "linux")]
    // SAFETY: the address of this thread's error number is always valid.
    let place = unsafe { libc::__errno_location() };
    #[cfg(not(target_os = "linux"))]
    // SAFETY: the address of this thread's error number is always valid.
    let place = unsafe { libc::__error() };
    // SAFETY: as above.
    let before = unsafe { *place };
    act();
    // SAFETY: as above.
    unsafe { *place = before };
}

fn install_handlers() {
    use libc::{SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGSEGV, SIGSYS, SIGTERM, SIGXCPU};
    let size = 32 * 1024;
    let alternate = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: size };
    // SAFETY: the stack is static; a zeroed `sigaction` is a valid value; the handler only writes and exits.
    unsafe {
        libc::sigaltstack(&raw const alternate, std::ptr::null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(i32) as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGSYS];
        for signal in crashes.into_iter().chain([SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGXCPU]) {
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
        // Becomes an error of the write, which is answered like any other.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

fn limit_memory(bytes: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the struct is fully initialised, written by the first call and read by the second.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_cur.min(bytes);
            libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
        }
    }
}

fn write_all(descriptor: i32, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: pointer and length come from one slice.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match (usize::try_from(written), std::io::Error::last_os_error().kind()) {
            (Ok(count), _) if count > 0 => bytes = bytes.get(count..).unwrap_or_default(),
            (_, ErrorKind::Interrupted) => {}
            // A host may hand over a pipe that does not wait for its reader.
            (_, ErrorKind::WouldBlock) => {
                let mut pipe = libc::pollfd { fd: descriptor, events: libc::POLLOUT, revents: 0 };
                // SAFETY: the struct outlives the call.
                unsafe { libc::poll(&raw mut pipe, 1, 1000) };
            }
            _ => return false,
        }
    }
    true
}

/// Leaked text that a signal handler may read at any moment.
struct Words {
    text: AtomicPtr<u8>,
    length: AtomicUsize,
}

impl Words {
    const fn none() -> Self {
        Self { text: AtomicPtr::new(std::ptr::null_mut()), length: AtomicUsize::new(0) }
    }

    fn set(&self, text: &str) {
        let leaked = Box::leak(text.as_bytes().to_vec().into_boxed_slice());
        self.length.store(0, Ordering::SeqCst);
        self.text.store(leaked.as_mut_ptr(), Ordering::SeqCst);
        self.length.store(leaked.len(), Ordering::SeqCst);
    }

    fn get(&self) -> &'static [u8] {
        let length = self.length.load(Ordering::SeqCst);
        let text = self.text.load(Ordering::SeqCst);
        if text.is_null() {
            return &[];
        }
        // SAFETY: `set` leaks the text and stores its length last, zeroed while the pointer changes.
        unsafe { std::slice::from_raw_parts(text, length) }
    }
}
