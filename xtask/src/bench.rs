//! The hook against an empty program, interleaved in one run, so that the machine's noise hits both alike.
//!
//! The calls lie in `xtask/bench`: commands, written files and calls of other tools, as developers' agents make them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use xtask::sh;

use crate::{build, corpus};

/// Rounds for each call; the median of them is its time.
const ROUNDS: usize = 15;
const WARM_UP: usize = 2;
const EMPTY_ROUNDS: usize = 600;
const AT_ONCE: usize = 100;
const SLOWEST: usize = 8;

/// One call of the folder, as the hook reads it.
struct Payload {
    kind: &'static str,
    name: String,
    text: String,
}

/// What one call took.
struct Measured {
    kind: &'static str,
    name: String,
    hook: Duration,
    empty: Duration,
    /// None without valgrind.
    instructions: Option<u64>,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.hook.as_secs_f64() / self.empty.as_secs_f64()
    }
}

/// Prints the tables.
pub fn run() -> Result<()> {
    let hook = build::release()?;
    let scratch = sh::target_dir().join("bench");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(scratch.join("home/project"))?;
    let noop = empty_program(&scratch, "noop", &[])?;
    let noop_static = empty_program(
        &scratch,
        "noop-static",
        &["-C", "target-feature=+crt-static", "-C", "relocation-model=static"],
    )?;
    let bench = Bench { hook, scratch };
    let payloads = payloads(&sh::root().join("xtask/bench"), &bench.scratch)?;
    bench.calls(&noop, &payloads)?;
    let (empty, statically) = bench.two(&noop, &noop_static)?;
    println!(
        "empty program, dynamic: {:.2} ms; static: {:.2} of it",
        ms(median(&empty)),
        ratio(&statically, &empty, 50)
    );
    if let Some(first) = payloads.first() {
        bench.at_once(&noop, &first.text)?;
    }
    println!("\njudging alone, in a warm process:");
    corpus::speed()
}

/// Judges generated texts of growing size; fails when the time for one grows faster than the text.
pub fn scale(args: &[String]) -> Result<()> {
    let words =
        ["cargo", "run", "--quiet", "--release", "-p", "tollgate-pipeline", "--example", "scale", "--"];
    sh::check(sh::command(&words).args(args))
}

struct Bench {
    hook: PathBuf,
    scratch: PathBuf,
}

impl Bench {
    /// Measures every call and prints how the times are distributed.
    fn calls(&self, noop: &Path, payloads: &[Payload]) -> Result<()> {
        let mut all = Vec::new();
        for payload in payloads {
            let (empty, hook) = self.interleaved(noop, &payload.text)?;
            all.push(Measured {
                kind: payload.kind,
                name: payload.name.clone(),
                hook: median(&hook),
                empty: median(&empty),
                instructions: self.instructions(&payload.text).ok(),
            });
        }
        println!("{:<24} {:>5} {:>24} {:>24} {:>24} {:>24}", "calls", "", "p50", "p90", "p99", "worst");
        row("all", &all.iter().collect::<Vec<_>>());
        for kind in KINDS {
            row(kind, &all.iter().filter(|call| call.kind == *kind).collect::<Vec<_>>());
        }
        all.sort_by(|one, two| two.ratio().total_cmp(&one.ratio()));
        println!("\nslowest:");
        for call in all.iter().take(SLOWEST) {
            println!("  {:>6.2} ms {:>5.2}  {}: {}", ms(call.hook), call.ratio(), call.kind, call.name);
        }
        Ok(())
    }

    fn interleaved(&self, noop: &Path, payload: &str) -> Result<(Vec<Duration>, Vec<Duration>)> {
        let (mut empty, mut hook) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS + WARM_UP {
            let first = time(&mut Command::new(noop), payload)?;
            let second = time(&mut self.command(), payload)?;
            if round >= WARM_UP {
                empty.push(first);
                hook.push(second);
            }
        }
        Ok((empty, hook))
    }

    fn two(&self, left: &Path, right: &Path) -> Result<(Vec<Duration>, Vec<Duration>)> {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..EMPTY_ROUNDS {
            a.push(time(&mut Command::new(left), "")?);
            b.push(time(&mut Command::new(right), "")?);
        }
        Ok((a, b))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.hook);
        self.arguments(&mut command);
        command
    }

    fn arguments(&self, command: &mut Command) {
        let home = self.scratch.join("home");
        command.args(["hook", "claude-code", "PreToolUse", "--config"]).arg(home.join("config"));
        command.arg("--state").arg(home.join("state"));
        command.env_clear().env("HOME", &home).env("CLAUDE_PROJECT_DIR", home.join("project"));
        command
            .env("PATH", "/usr/bin:/bin")
            .env("CLAUDE_CODE_SESSION_ATTENDED", "1")
            .current_dir(home.join("project"));
    }

    fn instructions(&self, payload: &str) -> Result<u64> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.hook);
        self.arguments(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        feed(&mut child, payload)?;
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line =
            text.lines().find(|line| line.contains("Collected")).context("valgrind counted nothing")?;
        line.rsplit(':').next().unwrap_or_default().trim().parse().context("valgrind counted nothing")
    }

    fn at_once(&self, noop: &Path, payload: &str) -> Result<()> {
        let empty = crowd(|| Command::new(noop), payload)?;
        let hook = crowd(|| self.command(), payload)?;
        println!(
            "{AT_ONCE} at once, p50 of completion: empty {} ms, hook {} ms ({:.2})",
            median(&empty).as_millis(),
            median(&hook).as_millis(),
            ratio(&hook, &empty, 50)
        );
        Ok(())
    }
}

fn crowd(make: impl Fn() -> Command, payload: &str) -> Result<Vec<Duration>> {
    let start = Instant::now();
    let mut children = Vec::new();
    for _ in 0..AT_ONCE {
        let mut child = spawn(&mut make())?;
        feed(&mut child, payload)?;
        children.push(child);
    }
    let mut times = Vec::new();
    for mut child in children {
        child.wait()?;
        times.push(start.elapsed());
    }
    Ok(times)
}

fn time(command: &mut Command, payload: &str) -> Result<Duration> {
    let start = Instant::now();
    let mut child = spawn(command)?;
    feed(&mut child, payload)?;
    let output = child.wait_with_output()?;
    std::hint::black_box(&output);
    Ok(start.elapsed())
}

fn spawn(command: &mut Command) -> Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().context("cannot start")
}

fn feed(child: &mut Child, payload: &str) -> Result<()> {
    if let Some(mut stdin) = child.stdin.take() {
        // The empty program may be gone before it is written to.
        let _ = stdin.write_all(payload.as_bytes());
    }
    Ok(())
}

fn median(times: &[Duration]) -> Duration {
    percentile(times, 50)
}

fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).copied().unwrap_or_default()
}

fn ratio(times: &[Duration], base: &[Duration], percent: usize) -> f64 {
    percentile(times, percent).as_secs_f64() / percentile(base, percent).as_secs_f64()
}

fn empty_program(folder: &Path, name: &str, flags: &[&str]) -> Result<PathBuf> {
    let source = folder.join("noop.rs");
    std::fs::write(&source, "fn main() {}\n")?;
    let program = folder.join(name);
    let mut command = Command::new("rustc");
    command.args(["-O", "--edition", "2024", "-o"]).arg(&program).args(flags).arg(&source);
    sh::check(&mut command)?;
    Ok(program)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Prints how the times of some calls are distributed: milliseconds, ratio to an empty program, instructions.
fn row(name: &str, calls: &[&Measured]) {
    let mut ratios: Vec<f64> = calls.iter().map(|call| call.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    let times: Vec<Duration> = calls.iter().map(|call| call.hook).collect();
    let mut counts: Vec<u64> = calls.iter().filter_map(|call| call.instructions).collect();
    counts.sort_unstable();
    let mut line = format!("{name:<24} {:>5}", calls.len());
    for percent in [50, 90, 99, 100] {
        let at = |length: usize| (length * percent / 100).min(length.saturating_sub(1));
        let ratio = ratios.get(at(ratios.len())).copied().unwrap_or_default();
        let count = counts
            .get(at(counts.len()))
            .map_or("-".to_owned(), |count| format!("{:.2} M", *count as f64 / 1e6));
        let _ = write!(line, " {:>7.2} ms {ratio:>5.2} {count:>8}", ms(percentile(&times, percent)));
    }
    println!("{line}");
}

const KINDS: &[&str] = &["command", "written file", "other tool"];

/// The calls of the folder: blocks of `commands.txt`, the files below `sources`, the lines of `calls.jsonl`.
fn payloads(folder: &Path, scratch: &Path) -> Result<Vec<Payload>> {
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| path.display().to_string());
    let project = scratch.join("home/project").display().to_string();
    let payload =
        |kind, name: &str, call: &str| Payload { kind, name: first_line(name), text: event(&project, call) };
    let mut all = Vec::new();
    for command in read(&folder.join("commands.txt"))?.split("\n%%\n") {
        let command = command.trim_end();
        let call = format!("\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":{}}}", json(command));
        all.push(payload("command", command, &call));
    }
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder.join("sources"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    sources.sort();
    for source in sources {
        let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = json(&format!("{project}/src/{name}"));
        let content = json(&read(&source)?);
        let call =
            format!("\"tool_name\":\"Write\",\"tool_input\":{{\"file_path\":{path},\"content\":{content}}}");
        all.push(payload("written file", &name, &call));
    }
    for line in read(&folder.join("calls.jsonl"))?.lines() {
        let call =
            line.trim().trim_start_matches('{').strip_suffix('}').context("calls.jsonl: not an object")?;
        all.push(payload("other tool", line, call));
    }
    Ok(all)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(90).collect()
}

fn event(project: &str, call: &str) -> String {
    format!(
        "{{\"session_id\":\"99ef3877-42fc-4732-829d-6acdf0d83e0b\",\"transcript_path\":\"{project}/t.jsonl\",\"cwd\":\"{project}\",\
         \"prompt_id\":\"97210721-6331-4fe9-8081-b83fa05f1fb3\",\"permission_mode\":\"default\",\"effort\":{{\"level\":\"medium\"}},\
         \"hook_event_name\":\"PreToolUse\",{call},\"tool_use_id\":\"toolu_627cc9da42684991b5107f\"}}\n"
    )
}

/// A text as JSON. `xtask` is built before everything else and has no parser for it.
fn json(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_holds_two_hundred_calls_of_all_kinds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench");
        let all = payloads(&folder, Path::new("/tmp/bench")).expect("the folder is read");
        let of_kind = |kind: &str| all.iter().filter(|payload| payload.kind == kind).count();
        assert!(all.len() >= 200 && KINDS.iter().all(|kind| of_kind(kind) >= 20), "{} calls", all.len());
        let languages: std::collections::BTreeSet<&str> = all
            .iter()
            .filter(|payload| payload.kind == "written file")
            .filter_map(|payload| payload.name.rsplit_once('.'))
            .map(|ends| ends.1)
            .collect();
        assert!(languages.len() >= 10, "{languages:?}");
    }

    #[test]
    fn text_is_quoted_for_json() {
        assert_eq!(json("a \"b\"\\\n\u{1}"), r#""a \"b\"\\\n\u0001""#);
    }
}
