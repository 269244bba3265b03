//! The heap of one event: small blocks from a fixed store, kept in lists by size, without a lock.
//!
//! A hook lives for some hundred microseconds and asks for a few thousand small blocks; the system's allocator takes
//! a third of its instructions. Only the thread that calls `settle` takes from the store; when that is used up, and
//! for everybody else, the system's allocator serves.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// The allocator of the program.
pub struct Heap;

/// From now on this thread takes small blocks from the store. Only the first thread of a process that asks does.
pub fn settle() {
    if !TAKEN.swap(true, Ordering::SeqCst) {
        SETTLED.set(true);
    }
}

static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    static SETTLED: Cell<bool> = const { Cell::new(false) };
}

const STORE: usize = 1 << 20;
const GRAIN: usize = 16;
/// Blocks of one to that many grains.
const SIZES: usize = 64;

/// A block that was given back: where the next one of its size is.
struct Free {
    next: *mut Free,
}

#[repr(align(4096))]
struct Store {
    blocks: UnsafeCell<[MaybeUninit<u8>; STORE]>,
    used: Cell<usize>,
    free: [Cell<*mut Free>; SIZES],
}

// SAFETY: all but the address of `blocks` is touched only by the one thread that is settled.
unsafe impl Sync for Store {}

static HEAP: Store = Store {
    blocks: UnsafeCell::new([MaybeUninit::uninit(); STORE]),
    used: Cell::new(0),
    free: [const { Cell::new(std::ptr::null_mut()) }; SIZES],
};

impl Store {
    fn holds(&self, block: *mut u8) -> bool {
        (block as usize).wrapping_sub(self.blocks.get() as usize) < STORE
    }

    /// A block of that many grains, if there is one left.
    fn take(&self, grains: usize) -> Option<*mut u8> {
        let list = self.free.get(grains - 1)?;
        let first = list.get();
        if !first.is_null() {
            // SAFETY: a block in the list was written by `give`, and nobody else has it.
            list.set(unsafe { (*first).next });
            return Some(first.cast());
        }
        let used = self.used.get();
        if used + grains * GRAIN > STORE {
            return None;
        }
        self.used.set(used + grains * GRAIN);
        // SAFETY: it lies within the store, as was just seen.
        Some(unsafe { self.blocks.get().cast::<u8>().add(used) })
    }

    /// Takes a block of that many grains back.
    fn give(&self, block: *mut u8, grains: usize) {
        let Some(list) = self.free.get(grains - 1) else { return };
        let block = block.cast::<Free>();
        // SAFETY: the block is ours, as large as a grain at least, aligned to one, and no longer used.
        unsafe { block.write(Free { next: list.get() }) };
        list.set(block);
    }
}

fn grains(size: usize) -> usize {
    size.div_ceil(GRAIN).max(1)
}

// SAFETY: a block is from the store or from the system, told apart by its address, and goes back to where it is from.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let grains = grains(layout.size());
        let ours = grains <= SIZES && layout.align() <= GRAIN && SETTLED.get();
        let block = if ours { HEAP.take(grains) } else { None };
        // SAFETY: the caller's promise is passed on.
        block.unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !HEAP.holds(block) {
            // SAFETY: the caller's promise is passed on.
            unsafe { System.dealloc(block, layout) };
        } else if SETTLED.get() {
            // Another thread lets it lie: the lists are not its own.
            HEAP.give(block, grains(layout.size()));
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !HEAP.holds(block) {
            // SAFETY: the caller's promise is passed on.
            return unsafe { System.realloc(block, layout, size) };
        }
        if grains(size) == grains(layout.size()) {
            return block;
        }
        // SAFETY: the caller vouches for the layout, and for `size` with the same alignment.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}
