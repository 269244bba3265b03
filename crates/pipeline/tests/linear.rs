//! Judging is linear in the text: what a byte of an ordinary text costs does not grow with how many there are.
//!
//! `cargo xtask bench --scale` measures the same shapes from 4 KiB to 1 MiB in an optimised build.

#![allow(clippy::panic, reason = "tests")]

#[path = "cost/shapes.rs"]
mod shapes;
mod support;

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use shapes::Shape;
use support::{case, world_for};
use tollgate_model::{Case, Verdict, work};
use tollgate_pipeline::decide;
use tollgate_policy::Policy;

const SMALL: usize = 4 << 10;
const LARGE: usize = 64 << 10;

/// How much more work a byte of the large text may take than one of the small. Work is counted: it is the same in every run.
const MORE_WORK: f64 = 1.5;
/// The same for time, which is not: a square would be 16.
const MORE_TIME: f64 = 4.0;
/// Times below this one say nothing.
const SHORTEST: Duration = Duration::from_millis(2);
/// More work than any text takes.
const UNLIMITED: u64 = 1 << 60;

/// Code in other languages is evaluated over tokens, as long as `effects/src/languages` does it.
const NOT_YET: &[&str] = &["python heredoc"];

struct Cost {
    work: u64,
    time: Duration,
    verdict: Verdict,
}

fn judged(shape: &Shape, bytes: usize) -> Cost {
    let text = shape.of_size(bytes);
    let (event, world) = (case(shape.tool, &text), world_for(shape.tool));
    let start = now();
    let (effects, left) = work::limited(UNLIMITED, || tollgate_effects::analyse(&event, &world));
    let case = Case { event: &event, effects: &effects, world: &world };
    let verdict = decide(&case, &Policy::builtin()).verdict;
    Cost { work: UNLIMITED - left, time: now() - start, verdict }
}

/// The thread's own time on the processor: how busy the machine is makes little difference.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn shapes() -> Vec<Shape> {
    shapes::all().into_iter().filter(|shape| !NOT_YET.contains(&shape.name)).collect()
}

fn growth(small: f64, large: f64) -> f64 {
    large / LARGE as f64 / (small / SMALL as f64)
}

#[test]
fn f45_work_grows_as_the_text_does() {
    let mut told = Vec::new();
    for shape in shapes() {
        let (small, large) = (judged(&shape, SMALL), judged(&shape, LARGE));
        let more = growth(small.work as f64, large.work as f64);
        if more > MORE_WORK {
            told.push(format!("{}: {more:.2} times the work for a byte", shape.name));
        }
        if small.verdict != large.verdict {
            told.push(format!(
                "{}: {:?}, and {:?} when it is long",
                shape.name, small.verdict, large.verdict
            ));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn f45_time_grows_as_the_text_does() {
    let slow = |shape: &Shape| {
        let (small, large) = (judged(shape, SMALL).time.max(SHORTEST), judged(shape, LARGE).time);
        growth(small.as_secs_f64(), large.as_secs_f64()) > MORE_TIME
    };
    // What was slow because of something else is quick the next time.
    let slow = |shape: &&Shape| (0..3).all(|_| slow(shape));
    let shapes = shapes();
    let told: Vec<&str> = shapes.iter().filter(slow).map(|shape| shape.name).collect();
    assert!(told.is_empty(), "{}", told.join(", "));
}
