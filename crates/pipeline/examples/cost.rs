//! Looks for calls that are expensive to judge: judges generated inputs in another process, and prints how long each
//! took on the processor. `cost [--rounds N] [--seed N] [--only PART] [--limit MS] [--calibrate]`. With `--calibrate` the
//! work is counted and not limited, to find what costs more than it is charged.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a tool for developers"
)]

#[path = "../tests/cost/inputs.rs"]
mod inputs;
#[path = "../tests/support/mod.rs"]
mod support;

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use inputs::Input;
use rustix::time::{ClockId, clock_gettime};
use tollgate_model::{Case, work};
use tollgate_pipeline::{decide, judge};
use tollgate_policy::Policy;

/// More work than any input takes before it is ended.
const PLENTY: u64 = 1 << 60;

/// The hook's own deadline: what takes longer is ended.
const DEADLINE: Duration = Duration::from_millis(4_500);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option =
        |name: &str| arguments.iter().position(|word| word == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, default: usize| option(name).map_or(default, |text| text.parse().expect(name));
    if let Some(file) = option("--compare") {
        return compare(file);
    }
    let all = all(number("--rounds", 4_000), number("--seed", 1));
    if arguments.iter().any(|word| word == "--worker") {
        return judge_all(&all, arguments.iter().any(|word| word == "--calibrate"));
    }
    if let Some(name) = option("--show") {
        return all.iter().filter(|input| &input.name == name).for_each(|input| println!("{}", input.text));
    }
    let only = option("--only").map(String::as_str);
    let limit = number("--limit", 150) as u128 * 1_000;
    let mut worker = Worker::start(&arguments);
    let mut slow: Vec<(u128, String, &Input)> = Vec::new();
    let mut judged = 0;
    for (index, input) in
        all.iter().enumerate().filter(|(_, input)| only.is_none_or(|only| input.name.contains(only)))
    {
        judged += 1;
        let (micros, verdict) = match worker.judge(index) {
            Some(answer) => answer,
            None => {
                worker = Worker::start(&arguments);
                (DEADLINE.as_micros(), "no answer".to_owned())
            }
        };
        if micros > limit {
            let shown: String = input.text.chars().take(100).collect();
            println!(
                "{:>6} ms  {verdict:<60} {:>6} bytes  {}  {shown:?}",
                micros / 1000,
                input.text.len(),
                input.name
            );
            slow.push((micros, verdict, input));
        }
    }
    let over = |limit: u128| slow.iter().filter(|(micros, ..)| *micros > limit * 1000).count();
    println!(
        "{judged} inputs, over {} ms: {}, over 1 s: {}, no answer: {}",
        limit / 1000,
        slow.len(),
        over(1000),
        slow.iter().filter(|(_, verdict, _)| verdict == "no answer").count()
    );
}

fn all(rounds: usize, seed: usize) -> Vec<Input> {
    let cases = support::cases::read_all().into_iter();
    let commands = cases.filter(|case| !matches!(case.tool.as_str(), "Mcp" | "Other"));
    let commands: Vec<(String, String)> = commands.map(|case| (case.tool, case.call)).collect();
    let mut all = inputs::known();
    all.extend(inputs::chains());
    all.extend(inputs::nests());
    all.extend(inputs::repeats());
    all.extend(inputs::code());
    all.extend(inputs::mutated(&commands, rounds, seed as u64));
    all
}

/// Judges the inputs whose numbers it is told, one a line.
fn judge_all(all: &[Input], calibrate: bool) {
    for line in std::io::stdin().lines() {
        let input = &all[line.unwrap().parse::<usize>().unwrap()];
        let mut world = support::world_for(&input.tool);
        input.furnish(&mut world);
        let event = support::case(&input.tool, &input.text);
        let start = now();
        let rules = Cell::new(Duration::ZERO);
        let judged = || {
            let effects = tollgate_effects::analyse(&event, &world);
            let start = now();
            let decision =
                decide(&Case { event: &event, effects: &effects, world: &world }, &Policy::builtin());
            rules.set(now() - start);
            (effects, decision)
        };
        let ((effects, decision), units) = match calibrate {
            true => work::limited(PLENTY, judged),
            false => (judged(), PLENTY),
        };
        let time = now() - start;
        let units = PLENTY - units;
        let price = time.as_nanos() / u128::from(units.max(1));
        let rules = rules.get().as_millis();
        let shown = format!(
            "{:?} {} effects, rules {rules} ms, {units} units of {price} ns",
            decision.verdict,
            effects.len()
        );
        println!("{} {shown}", time.as_micros());
        std::io::stdout().flush().unwrap();
    }
}

/// Judges real commands (JSON lines with `command`) with and without the limit, and prints those that are judged
/// differently, and those that take more than a tenth of the budget.
fn compare(file: &str) {
    let text = std::fs::read_to_string(file).unwrap();
    let (mut count, mut most) = (0, 0);
    for line in text.lines() {
        let case = tollgate_model::json::parse(line.as_bytes()).unwrap();
        let (tool, command) =
            (case.text("tool").unwrap_or("Shell"), case.text("command").unwrap_or_default());
        let event = support::case(tool, command);
        let world = support::world_for(tool);
        let limited = judge(&event, &world, &Policy::builtin()).decision.verdict;
        let start = now();
        let (judged, left) = work::limited(PLENTY, || judge(&event, &world, &Policy::builtin()));
        let time = (now() - start).as_millis();
        let (unlimited, units) = (judged.decision.verdict, PLENTY - left);
        (count, most) = (count + 1, units.max(most));
        if limited != unlimited || units > 250_000 {
            let shown: String = command.chars().take(100).collect();
            println!("{limited:?} {unlimited:?} {units} units  {time} ms  {} bytes {shown:?}", command.len());
        }
    }
    println!("{count} commands, at most {most} units");
}

/// The thread's own time on the processor: how busy the machine is makes no difference.
fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// A process that judges, so that one input which never ends does not end the search.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    answers: mpsc::Receiver<String>,
}

impl Worker {
    fn start(arguments: &[String]) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(arguments)
            .arg("--worker")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { stdin: child.stdin.take().unwrap(), child, answers }
    }

    /// The microseconds and the verdict; `None` when there is no answer in time, or the process died.
    fn judge(&mut self, index: usize) -> Option<(u128, String)> {
        let line =
            writeln!(self.stdin, "{index}").ok().and_then(|()| self.answers.recv_timeout(DEADLINE * 2).ok());
        let Some(line) = line else {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
            return None;
        };
        let (micros, verdict) = line.split_once(' ')?;
        Some((micros.parse().ok()?, verdict.to_owned()))
    }
}
