//! The heap of one event, used as the standard library uses an allocator.

#![expect(clippy::undocumented_unsafe_blocks, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout};

use tollgate_lastword::{Heap, settle};

/// Blocks of all sizes, grown, shrunk and given back in any order, by this thread and by others, keep what was
/// written into them and never overlap.
#[test]
fn blocks_keep_what_is_in_them() {
    settle();
    let mut seed = 7_u64;
    let mut next = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut blocks: Vec<(*mut u8, Layout, u8)> = Vec::new();
    for round in 0..200_000_u32 {
        let mark = round as u8;
        if blocks.len() < 100 || next(5) < 2 && blocks.len() < 3000 {
            let layout = Layout::from_size_align(1 + next(1500) as usize, 1 << next(7)).unwrap();
            let block = unsafe { Heap.alloc(layout) };
            assert!(!block.is_null() && (block as usize).is_multiple_of(layout.align()));
            unsafe { block.write_bytes(mark, layout.size()) };
            blocks.push((block, layout, mark));
            continue;
        }
        let (mut block, mut layout, mark) = blocks.swap_remove(next(blocks.len() as u64) as usize);
        if next(2) == 0 {
            let size = 1 + next(1500) as usize;
            block = unsafe { Heap.realloc(block, layout, size) };
            let kept = unsafe { std::slice::from_raw_parts(block, layout.size().min(size)) };
            assert!(kept.iter().all(|byte| *byte == mark));
            layout = Layout::from_size_align(size, layout.align()).unwrap();
        }
        let kept = unsafe { std::slice::from_raw_parts(block, 1) };
        assert_eq!(kept[0], mark);
        if next(50) == 0 {
            let address = block as usize;
            std::thread::spawn(move || unsafe { Heap.dealloc(address as *mut u8, layout) }).join().unwrap();
        } else {
            unsafe { Heap.dealloc(block, layout) };
        }
    }
}
