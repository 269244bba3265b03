//! The program's first instructions, for a hook: glibc's own start without its questions about the processor.
//!
//! A static glibc asks the processor some forty times what it is, to pick the fastest of several `memcpy`. In a
//! virtual machine, where most agents work, each question takes longer than reading a file: together a third of the
//! time in which an empty program comes and goes. A hook copies a few kilobytes. So it starts as glibc does in
//! `csu/libc-start.c`, call for call, and leaves that part out: every choice falls on what each x86-64 can do.
//!
//! Built only where `xtask` finds a glibc whose start is known to be this one; everything but an unprivileged
//! `tollgate hook` starts through glibc's own `_start`.

use std::ffi::{c_char, c_int, c_void};

std::arch::global_asm!(
    ".globl tollgate_start",
    "tollgate_start:",
    "xor ebp, ebp",
    "mov r12, rsp",
    "mov r13, rdx",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {begin}",
    // It came back: not a hook.
    "mov rsp, r12",
    "mov rdx, r13",
    "jmp _start",
    begin = sym begin,
);

/// Where `size` reaches it, glibc's `memcpy` goes around the caches. It is zero before glibc's start sets it; this is
/// what that sets where nothing is known about the caches.
const NON_TEMPORAL: i64 = 0xc_0000;

/// What the kernel tells about the process, besides arguments and environment.
#[repr(C)]
struct Note {
    kind: usize,
    value: usize,
}

/// An address that a function chooses.
#[repr(C)]
struct Chosen {
    place: *mut usize,
    kind: usize,
    choose: extern "C" fn() -> usize,
}

type Prepare = extern "C" fn(c_int, *const *const c_char, *const *const c_char);

unsafe extern "C" {
    static mut __environ: *const *const c_char;
    static mut __libc_stack_end: *const c_void;
    static mut __x86_shared_non_temporal_threshold: i64;
    static _dl_random: *const usize;
    static __rela_iplt_start: Chosen;
    static __rela_iplt_end: Chosen;
    static __init_array_start: Prepare;
    static __init_array_end: Prepare;
    fn _dl_aux_init(notes: *const Note);
    fn __libc_setup_tls();
    fn __libc_early_init(first: bool);
    fn _init();
    fn __libc_init_first(count: c_int, args: *const *const c_char, environment: *const *const c_char);
    fn main(count: c_int, args: *const *const c_char) -> c_int;
}

/// Becomes the hook, if the process is to be one. Until the choices are made nothing here may need `memcpy` and its
/// like, so all is read in single words.
///
/// # Safety
/// To be called once, as the first function of the process, with the stack as the kernel left it.
unsafe extern "C" fn begin(stack: *const usize) {
    // SAFETY: the kernel puts there: the number of arguments, these, null, the environment, null, the notes, null.
    unsafe {
        let count = *stack;
        let args: *const *const c_char = stack.add(1).cast();
        let environment = args.add(count + 1);
        let mut end = environment;
        while !(*end).is_null() {
            end = end.add(1);
        }
        let notes: *const Note = end.add(1).cast();
        if count < 2 || !is_hook(*args.add(1)) || is_privileged(notes) {
            return;
        }
        __environ = environment;
        __libc_stack_end = stack.cast();
        _dl_aux_init(notes);
        __x86_shared_non_temporal_threshold = NON_TEMPORAL;
        choose();
        __libc_setup_tls();
        guard();
        let count = count as c_int;
        __libc_early_init(true);
        __libc_init_first(count, args, environment);
        prepare(count, args, environment);
        libc::exit(main(count, args))
    }
}

/// # Safety
/// The word ends in NUL.
unsafe fn is_hook(word: *const c_char) -> bool {
    // SAFETY: no byte is read after the first that differs; the NUL of a shorter word does.
    c"hook"
        .to_bytes_with_nul()
        .iter()
        .enumerate()
        .all(|(at, byte)| unsafe { word.add(at).cast::<u8>().read_volatile() == *byte })
}

/// Does the program run with rights that its caller has not? Then glibc mistrusts the environment.
///
/// # Safety
/// The notes end with one of kind null.
unsafe fn is_privileged(mut note: *const Note) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        while (*note).kind != 0 {
            if (*note).kind == libc::AT_SECURE as usize {
                return (*note).value != 0;
            }
            note = note.add(1);
        }
    }
    true
}

/// Lets each function of several versions choose its own.
///
/// # Safety
/// Before any of these functions is called.
unsafe fn choose() {
    let mut chosen = &raw const __rela_iplt_start;
    // SAFETY: the linker puts the table between its two names, and each entry's place may be written.
    unsafe {
        while chosen < &raw const __rela_iplt_end {
            *(*chosen).place = ((*chosen).choose)();
            chosen = chosen.add(1);
        }
    }
}

/// Sets what guards stacks (for the compiler) and kept addresses (for glibc) to what the kernel threw for it.
///
/// # Safety
/// The thread's own block is there, and none of the two is in use.
unsafe fn guard() {
    // SAFETY: `_dl_random` points to sixteen bytes; the lowest byte of a guard is zero, so that no text runs over it.
    unsafe {
        let (stack, pointer) = (*_dl_random & !0xff, *_dl_random.add(1));
        std::arch::asm!("mov fs:[0x28], {}", "mov fs:[0x30], {}", in(reg) stack, in(reg) pointer);
    }
}

/// Runs what has to run before `main`; Rust's standard library takes its arguments there.
///
/// # Safety
/// Everything else is ready.
unsafe fn prepare(count: c_int, args: *const *const c_char, environment: *const *const c_char) {
    let mut step = &raw const __init_array_start;
    // SAFETY: the linker puts the table between its two names.
    unsafe {
        _init();
        while step < &raw const __init_array_end {
            (*step)(count, args, environment);
            step = step.add(1);
        }
    }
}
