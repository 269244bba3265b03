//! Dies in the way its argument says, after preparing its last words.

#![allow(clippy::panic, reason = "it dies as asked")]

use std::time::Duration;

use tollgate_lastword::Deadline;

fn main() {
    tollgate_lastword::prepare("{\"refused\":true}", "last words\n", 0);
    let how = std::env::args().nth(1);
    let mut deadline = Deadline::after(Duration::from_millis(300));
    if how.as_deref() == Some("work") {
        deadline.latest = Duration::from_secs(30);
    }
    if matches!(how.as_deref(), Some("record" | "stuck")) {
        deadline.grace = Duration::from_millis(500);
    }
    tollgate_lastword::arm(deadline, 256 << 20);
    match how.as_deref() {
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
        // Notices that the deadline has answered, and does what is left to do.
        Some("record") => {
            while !tollgate_lastword::has_passed() {
                std::thread::sleep(Duration::from_millis(10));
            }
            eprintln!("recorded");
            tollgate_lastword::speak("{\"fine\":true}", "", 7)
        }
        // Works for 60 ms of its own time, whatever that takes by the clock.
        Some("work") => {
            while own_time() < Duration::from_millis(60) {
                std::hint::black_box((0..10_000).fold(0_u64, |sum, number| sum ^ number));
            }
            tollgate_lastword::speak("{\"fine\":true}", "", 0)
        }
        Some("stuck") => std::thread::sleep(Duration::from_secs(20)),
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

fn own_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(u64::MAX))
}

#[allow(unconditional_recursion, reason = "that is the point")]
fn overflow(depth: u64) -> u64 {
    let space = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + space.iter().sum::<u64>()
}
