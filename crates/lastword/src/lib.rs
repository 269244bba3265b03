//! Last words: a refusal, prepared before anything can go wrong, that reaches the agent's host when this
//! process is about to die: panic, stack overflow, abort, memory exhaustion, `SIGTERM`, deadline.
//!
//! Invariant: exactly one answer leaves the process. Whoever takes `SPOKEN` first writes; nobody else does.

mod clock;
mod deadline;
mod heap;
mod mounts;
mod program;
mod recorder;
mod signals;
mod worker;

use std::ffi::CStr;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use deadline::Rung;
pub use deadline::{Deadline, has_passed};
pub use heap::{Heap, settle};
pub use mounts::{Mount, mounts};
pub use program::{become_program, close_all_on_exec, close_on_exec};
pub use recorder::{keep_payload, keep_recorder, recorded};
pub use worker::{Role, Worker, split};

static SPOKEN: AtomicBool = AtomicBool::new(false);
static STDOUT: Words = Words::none();
static STDERR: Words =
    Words::of("Tollgate failed at its start, so this call is refused. It could not be recorded.\n");
static EXIT: AtomicI32 = AtomicI32::new(2);
/// The answer could not be written whole.
static CUT: AtomicBool = AtomicBool::new(false);
/// The answer was written, whole or not.
static WRITTEN: AtomicBool = AtomicBool::new(false);
/// Standard output was closed when the process started: whoever started it hears nothing.
static CLOSED: AtomicBool = AtomicBool::new(false);
/// What standard error gets when the answer cannot be written.
static UNHEARD: Words = Words::none();

/// Defines the program's `main` without the runtime's set-up, a tenth of the time an empty program takes.
#[macro_export]
macro_rules! entry {
    ($main:path) => {
        #[unsafe(no_mangle)]
        extern "C" fn main(count: i32, args: *const *const std::ffi::c_char) -> i32 {
            $crate::keep_standard_streams();
            // SAFETY: the system hands these over, `count` of them, each ending in NUL.
            unsafe { $crate::answer_early(count, args) };
            $main()
        }
    };
}

/// From the first instruction on, a hook that dies refuses: before anything is prepared, with exit code 2, which fits every
/// event and agent best. Other commands die as programs do.
///
/// # Safety
/// `args` points to `count` texts that end in NUL.
pub unsafe fn answer_early(count: i32, args: *const *const std::ffi::c_char) {
    // SAFETY: as the caller says.
    let is_hook = count > 1 && unsafe { CStr::from_ptr(*args.add(1)) } == c"hook";
    if is_hook {
        signals::install(on_signal);
    }
}

/// Prepares the answer. May be called again to replace the words.
pub fn prepare(stdout: &str, stderr: &str, exit: u8) {
    STDOUT.set(stdout);
    STDERR.set(stderr);
    EXIT.store(i32::from(exit), Ordering::SeqCst);
    worker::write_answer();
}

/// Says what happens when an answer with exit code 0 cannot be written. With a text, that goes to standard error and the
/// exit code is 2, which hosts take for a refusal. Without one the exit code is 1.
pub fn prepare_unheard(stderr: &str) {
    UNHEARD.set(stderr);
}

/// Installs the handlers, the deadline, the memory limit and the panic hook.
pub fn arm(deadline: Deadline, memory: u64) {
    std::panic::set_hook(Box::new(|_| last_words(c"panic")));
    if !signals::are_installed() {
        signals::install(on_signal);
    }
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
    answer(stdout.as_ref(), stderr.as_ref(), write_all)
}

/// Gives the real answer, unless it or the last words are already out, and ends the process. Half an answer is a
/// failure: with a good exit code some hosts would take it for consent.
pub fn speak(stdout: &str, stderr: &str, exit: u8) -> ! {
    say(stdout, stderr);
    if has_passed() {
        // The prepared answer is out, and its exit code belongs to it.
        end_as_prepared();
    }
    end(i32::from(exit))
}

fn answer(stdout: &[u8], stderr: &[u8], write: fn(i32, &[u8]) -> bool) -> bool {
    write(2, stderr);
    let whole = stdout.is_empty() || (!CLOSED.load(Ordering::SeqCst) && write(1, stdout));
    CUT.store(!whole, Ordering::SeqCst);
    WRITTEN.store(true, Ordering::SeqCst);
    whole
}

/// Ends the process. An answer that nobody could read must not look like consent.
fn end(exit: i32) -> ! {
    let mut exit = exit;
    if exit == 0 && CUT.load(Ordering::SeqCst) {
        let refusal = UNHEARD.get();
        write_in_time(2, refusal);
        exit = if refusal.is_empty() { 1 } else { 2 };
    }
    // SAFETY: `_exit` only ends the process, and may be called from a signal handler.
    unsafe { libc::_exit(exit) }
}

/// Puts something harmless where a standard stream is closed, and makes a pipe that nobody reads an error.
pub fn keep_standard_streams() {
    let mut fds = [0, 1, 2].map(|fd| libc::pollfd { fd, events: 0, revents: 0 });
    // SAFETY: the array outlives the call; the path is a literal that ends in NUL.
    unsafe {
        libc::poll(fds.as_mut_ptr(), 3, 0);
        for stream in fds.iter().filter(|stream| stream.revents & libc::POLLNVAL != 0) {
            CLOSED.fetch_or(stream.fd == 1, Ordering::SeqCst);
            libc::open(c"/dev/null".as_ptr(), libc::O_RDWR);
            program::note_filled(stream.fd);
        }
        program::note_broken_pipe(libc::signal(libc::SIGPIPE, libc::SIG_IGN));
    }
}

/// The prepared answer, the record of the failure, and the end of the process.
fn last_words(cause: &'static CStr) -> ! {
    say_prepared();
    recorder::start(cause);
    end_as_prepared()
}

fn say_prepared() {
    if !SPOKEN.swap(true, Ordering::SeqCst) {
        answer(STDOUT.get(), STDERR.get(), write_in_time);
    }
}

/// Ends a watcher whose worker did not answer in time, or died.
pub fn give_up(worker: &Worker, cause: &'static CStr) -> ! {
    worker.adopt_answer();
    last_words(cause)
}

fn end_as_prepared() -> ! {
    end(EXIT.load(Ordering::SeqCst))
}

extern "C" fn on_signal(signal: i32) {
    if signal == libc::SIGALRM {
        return keeping_errno(on_timer);
    }
    // A signal that is not a crash, while the answer is being written, lets the writing go on.
    let goes_on = signals::is_stop(signal) || SPOKEN.load(Ordering::SeqCst);
    if signals::is_crash(signal) || !goes_on {
        last_words(signals::cause(signal));
    }
}

fn on_timer() {
    let speaking = SPOKEN.load(Ordering::SeqCst) && !has_passed();
    if speaking && WRITTEN.load(Ordering::SeqCst) {
        // The real answer is out.
        return;
    }
    match deadline::rung() {
        Rung::TooEarly => {}
        // The real answer is being written, and nobody reads it.
        Rung::Now { .. } | Rung::Over if speaking => {
            CUT.store(true, Ordering::SeqCst);
            end(0)
        }
        // The process goes on and writes its record; it has nothing more to say.
        Rung::Now { grace: true } => say_prepared(),
        Rung::Now { grace: false } | Rung::Over => last_words(c"deadline"),
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

/// The same, where nothing would end a write for which there is no reader: pieces that a pipe has room for or not.
fn write_in_time(descriptor: i32, bytes: &[u8]) -> bool {
    bytes.chunks(libc::PIPE_BUF).all(|piece| {
        let mut pipe = libc::pollfd { fd: descriptor, events: libc::POLLOUT, revents: 0 };
        // SAFETY: the struct outlives the call, which may be made in a signal handler.
        let ready = unsafe { libc::poll(&raw mut pipe, 1, 1000) };
        ready > 0 && write_all(descriptor, piece)
    })
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

    const fn of(text: &'static str) -> Self {
        Self { text: AtomicPtr::new(text.as_ptr().cast_mut()), length: AtomicUsize::new(text.len()) }
    }

    fn set(&self, text: &str) {
        self.set_static(Box::leak(text.as_bytes().to_vec().into_boxed_slice()));
    }

    fn set_static(&self, text: &'static [u8]) {
        self.length.store(0, Ordering::SeqCst);
        self.text.store(text.as_ptr().cast_mut(), Ordering::SeqCst);
        self.length.store(text.len(), Ordering::SeqCst);
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
