//! Dies in the way its argument says, after preparing its last words.

#![allow(clippy::panic, reason = "it dies as asked")]

use std::time::Duration;

fn main() {
    tollgate_lastword::prepare("{\"refused\":true}", "last words\n", 0);
    tollgate_lastword::arm(Duration::from_millis(300), 256 << 20);
    match std::env::args().nth(1).as_deref() {
        Some("panic") => panic!("as asked"),
        Some("overflow") => println!("{}", overflow(1)),
        Some("abort") => std::process::abort(),
        Some("memory") => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(vec![1; 16 << 20]);
            }
        }
        Some("deadline") => std::thread::sleep(Duration::from_secs(20)),
        Some("loop") => loop {
            std::hint::black_box(0);
        },
        Some("thread") => {
            let _ = std::thread::spawn(|| panic!("in a thread")).join();
        }
        Some("term") => {
            println!("ready");
            std::thread::sleep(Duration::from_secs(20));
        }
        // More than a pipe holds.
        Some("much") => tollgate_lastword::speak(&"x".repeat(1 << 20), "", 0),
        Some("twice") => {
            tollgate_lastword::say("{\"fine\":true}", "");
            tollgate_lastword::speak("{\"fine\":true}", "", 0)
        }
        _ => tollgate_lastword::speak("{\"fine\":true}", "", 0),
    }
}

#[allow(unconditional_recursion, reason = "that is the point")]
fn overflow(depth: u64) -> u64 {
    let space = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + space.iter().sum::<u64>()
}
