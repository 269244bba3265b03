//! How the time to judge an ordinary text grows with its size: `scale [SHAPE [BYTES]] [--limit RATIO]`. Time per byte at the
//! largest size must be at most `RATIO` times that at 4 KiB, and no text may come near the hook's deadline; the exit code says
//! whether that is so.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a tool for developers"
)]

#[path = "../tests/cost/shapes.rs"]
mod shapes;
#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use shapes::Shape;
use tollgate_model::Verdict;
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

/// Half of the hook's deadline, 4.5 s: other machines are slower.
const LONGEST: Duration = Duration::from_millis(2_250);

/// The sizes of the texts.
const SIZES: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [name, size] = arguments.as_slice()
        && let Ok(bytes) = size.parse()
    {
        return one(name, bytes);
    }
    let limit = arguments.iter().position(|word| word == "--limit").and_then(|at| arguments.get(at + 1));
    let limit: f64 = limit.map_or(1.5, |text| text.parse().expect("a number after --limit"));
    let only = arguments.first().filter(|word| !word.starts_with("--"));
    println!(
        "{:<20} {:>9} {:>9} {:>9} {:>9} {:>9}  {:>6}",
        "shape, ms", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "growth"
    );
    let shapes = shapes::all();
    let chosen = shapes.iter().filter(|shape| only.is_none_or(|only| shape.name.contains(only.as_str())));
    let failed = chosen.filter(|shape| !row(shape, limit)).count();
    println!("{failed} shapes are not linear, too slow or not judged to the end");
    ExitCode::from(u8::from(failed > 0))
}

/// Judges one shape at one size, for a profiler.
fn one(name: &str, bytes: usize) -> ExitCode {
    for shape in shapes::all().iter().filter(|shape| shape.name == name) {
        let (event, world) =
            (support::case(shape.tool, &shape.of_size(bytes)), support::world_for(shape.tool));
        // Not `now`: valgrind has no clock of the thread's own.
        let start = Instant::now();
        let verdict = judge(&event, &world, &Policy::builtin()).decision.verdict;
        println!("{:?} {verdict:?}", start.elapsed());
    }
    ExitCode::SUCCESS
}

/// Prints one shape. Is it linear, and judged at every size as at the smallest?
fn row(shape: &Shape, limit: f64) -> bool {
    let judged: Vec<(Duration, Verdict)> =
        SIZES.iter().map(|size| measure(&shape.of_size(*size), shape.tool)).collect();
    let per_byte = |at: usize| judged[at].0.as_secs_f64() / SIZES[at] as f64;
    let growth = per_byte(4) / per_byte(0);
    let answer = judged[0].1;
    let differs = judged.iter().any(|(_, verdict)| *verdict != answer);
    let times: String =
        judged.iter().map(|(time, _)| format!(" {:>9.2}", time.as_secs_f64() * 1e3)).collect();
    let verdicts: Vec<String> = judged.iter().map(|(_, verdict)| format!("{verdict:?}")).collect();
    let note = if differs { verdicts.join(" ") } else { format!("{answer:?}") };
    println!("{:<20}{times}  {growth:>6.2}  {note}", shape.name);
    growth <= limit && !differs && judged.iter().all(|(time, _)| *time <= LONGEST)
}

/// The shortest of a few judgements.
fn measure(text: &str, tool: &str) -> (Duration, Verdict) {
    let (event, world) = (support::case(tool, text), support::world_for(tool));
    let rounds = if text.len() > 100_000 { 2 } else { 9 };
    let judged = (0..rounds).map(|_| {
        let start = now();
        let verdict = judge(&event, &world, &Policy::builtin()).decision.verdict;
        (now() - start, verdict)
    });
    judged.min().expect("at least one round")
}

/// The thread's own time on the processor: how busy the machine is makes no difference.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
