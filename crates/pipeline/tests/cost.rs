//! No call is expensive to judge: whatever the input, the work budget ends in a question within a bounded time of the
//! processor, and a refusal that was found before stays a refusal.
//!
//! `cargo run -p tollgate-pipeline --example cost` searches further, with all inputs and many mutated commands.

#![allow(clippy::panic, reason = "tests")]

#[path = "cost/inputs.rs"]
mod inputs;
mod support;

use std::time::Duration;

use inputs::Input;
use rustix::time::{ClockId, clock_gettime};
use support::{case, world_for};
use tollgate_model::Verdict;
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

/// Far below the deadline of the hook, 4.5 s, although tests are compiled with little optimisation.
const LONGEST: Duration = Duration::from_millis(1_500);

/// The thread's own time on the processor: how busy the machine is makes no difference.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn judged(input: &Input) -> (Verdict, Duration) {
    let mut world = world_for(&input.tool);
    input.furnish(&mut world);
    let event = case(&input.tool, &input.text);
    let start = now();
    let verdict = judge(&event, &world, &Policy::builtin()).decision.verdict;
    (verdict, now() - start)
}

fn slow(inputs: &[Input]) -> Vec<String> {
    let time = |input: &Input| judged(input).1;
    let slow = |input: &&Input| time(input) > LONGEST && time(input) > LONGEST;
    inputs.iter().filter(slow).map(|input| input.name.clone()).collect()
}

/// Every so many-th input, so that the test is quick; the example judges all.
fn sample(inputs: Vec<Input>, step: usize) -> Vec<Input> {
    inputs.into_iter().step_by(step).collect()
}

#[test]
fn f45_known_expensive_inputs_are_bounded() {
    let slow = slow(&inputs::known());
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn f45_generated_inputs_are_bounded() {
    let mut all = sample(inputs::chains(), 13);
    all.extend(sample(inputs::nests(), 29));
    all.extend(sample(inputs::repeats(), 61));
    all.extend(sample(inputs::code(), 17));
    let slow = slow(&all);
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn f45_mutated_commands_are_bounded() {
    let cases = support::cases::read_all().into_iter();
    let commands = cases.filter(|case| !matches!(case.tool.as_str(), "Mcp" | "Other"));
    let commands: Vec<(String, String)> = commands.map(|case| (case.tool, case.call)).collect();
    let slow = slow(&inputs::mutated(&commands, 60, 7));
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn f45_what_comes_after_an_expensive_input_is_not_allowed() {
    for input in inputs::known().into_iter().filter(|input| input.text.ends_with("rm -rf ~")) {
        let (verdict, _) = judged(&input);
        assert!(verdict >= Verdict::Ask, "{}: {verdict:?}", input.name);
    }
}

#[test]
fn f45_a_refusal_before_an_expensive_input_stays() {
    for input in inputs::known() {
        let text = format!("rm -rf ~; {}", input.text);
        let (verdict, _) = judged(&Input { text, ..input.clone() });
        assert!(verdict >= Verdict::Deny, "{}: {verdict:?}", input.name);
    }
}
