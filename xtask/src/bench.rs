//! The hook against an empty program, interleaved in one run, so that the machine's noise hits both alike.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use xtask::sh;

use crate::{build, corpus};

const ROUNDS: usize = 600;
const AT_ONCE: usize = 100;

/// Prints the table.
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
    println!(
        "{:<28} {:>8} {:>8} {:>8} {:>8} {:>14}",
        "payload", "p50 µs", "ratio", "p95 µs", "ratio", "instructions"
    );
    for (name, payload) in payloads(&bench.scratch) {
        let (empty, hook) = bench.interleaved(&noop, &payload)?;
        bench.row(name, &empty, &hook, &payload)?;
    }
    let (empty, statically) = bench.two(&noop, &noop_static)?;
    println!("{:<28} {:>8} {:>8.2}", "empty program, dynamic", median(&empty).as_micros(), 1.0);
    println!(
        "{:<28} {:>8} {:>8.2}",
        "empty program, static",
        median(&statically).as_micros(),
        ratio(&statically, &empty, 50)
    );
    bench.at_once(&noop)?;
    println!("\njudging alone, in a warm process:");
    corpus::speed()
}

struct Bench {
    hook: PathBuf,
    scratch: PathBuf,
}

impl Bench {
    fn interleaved(&self, noop: &Path, payload: &str) -> Result<(Vec<Duration>, Vec<Duration>)> {
        let (mut empty, mut hook) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS + 50 {
            let first = time(&mut Command::new(noop), payload)?;
            let second = time(&mut self.command(), payload)?;
            if round >= 50 {
                empty.push(first);
                hook.push(second);
            }
        }
        Ok((empty, hook))
    }

    fn two(&self, left: &Path, right: &Path) -> Result<(Vec<Duration>, Vec<Duration>)> {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            a.push(time(&mut Command::new(left), "")?);
            b.push(time(&mut Command::new(right), "")?);
        }
        Ok((a, b))
    }

    fn row(&self, name: &str, empty: &[Duration], hook: &[Duration], payload: &str) -> Result<()> {
        println!(
            "{name:<28} {:>8} {:>8.2} {:>8} {:>8.2} {:>14}",
            median(hook).as_micros(),
            ratio(hook, empty, 50),
            percentile(hook, 95).as_micros(),
            ratio(hook, empty, 95),
            self.instructions(payload).unwrap_or_else(|_| "no valgrind".to_owned()),
        );
        Ok(())
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

    fn instructions(&self, payload: &str) -> Result<String> {
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(&self.hook);
        self.arguments(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        feed(&mut child, payload)?;
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line =
            text.lines().find(|line| line.contains("Collected")).context("valgrind counted nothing")?;
        Ok(line.rsplit(':').next().unwrap_or_default().trim().to_owned())
    }

    fn at_once(&self, noop: &Path) -> Result<()> {
        let payload =
            payloads(&self.scratch).into_iter().next().map(|(_, payload)| payload).unwrap_or_default();
        let empty = crowd(|| Command::new(noop), &payload)?;
        let hook = crowd(|| self.command(), &payload)?;
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
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
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

/// Four calls: short, refused, a long pipe, a file by heredoc.
fn payloads(scratch: &Path) -> Vec<(&'static str, String)> {
    let pipe = "git log --oneline --since='2 weeks ago' --author=\"$(git config user.name)\" -- src tests docs | grep -v -i 'merge' \
        | awk '{print $1, $2, $3}' | sort | uniq -c | sort -rn | head -20 | while read -r count hash rest; do echo \"$count $hash $rest\"; done \
        > /tmp/summary.txt && wc -l /tmp/summary.txt && cat /tmp/summary.txt";
    let heredoc = format!(
        "cat > notes.md <<'EOF'\n{}EOF\n",
        "A line of ordinary text in a file that an agent writes.\n".repeat(72)
    );
    [
        ("short command", "git status".to_owned()),
        ("refused command", "rm -rf ~".to_owned()),
        ("300-character pipe", pipe.to_owned()),
        ("4 KB heredoc", heredoc),
    ]
    .into_iter()
    .map(|(name, command)| (name, payload(&command, scratch)))
    .collect()
}

fn payload(command: &str, scratch: &Path) -> String {
    let escaped = command.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let project = scratch.join("home/project").display().to_string();
    format!(
        "{{\"session_id\":\"99ef3877-42fc-4732-829d-6acdf0d83e0b\",\"transcript_path\":\"{project}/t.jsonl\",\"cwd\":\"{project}\",\
         \"prompt_id\":\"97210721-6331-4fe9-8081-b83fa05f1fb3\",\"permission_mode\":\"default\",\"effort\":{{\"level\":\"medium\"}},\
         \"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{escaped}\",\"description\":\"run\"}},\
         \"tool_use_id\":\"toolu_627cc9da42684991b5107f\"}}\n"
    )
}
