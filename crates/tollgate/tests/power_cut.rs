//! F55: the power is cut at every step of a hook, and what a file system with a journal may have kept is looked at: an
//! allowed loss can be restored, a durable record is there, and the next hook decides as ever.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

#[path = "power/disk.rs"]
mod disk;
mod support;

use std::process::Command;

use disk::{Step, Tree};
use serde_json::{Value, json};
use support::{Answer, Scratch, answer, is_missing};

const README: &str = "# a project\n\nThis text is to be lost and found again.\n";
/// Ways in which the same cut may end.
const WAYS: usize = 3;

/// The call of a hook, and what must survive it.
struct Case {
    command: &'static str,
    durable: bool,
    /// It is allowed because its loss is saved.
    saves: bool,
}

#[test]
fn f55_a_durable_record_survives_a_power_cut() {
    cut_everywhere(&Case { command: "ls src", durable: true, saves: false });
}

#[test]
fn f55_a_durable_refusal_survives_a_power_cut() {
    cut_everywhere(&Case { command: "rm -rf ~", durable: true, saves: false });
}

#[test]
fn f55_an_allowed_loss_can_be_restored_after_a_power_cut() {
    cut_everywhere(&Case { command: "rm README.md", durable: false, saves: true });
}

#[test]
fn f55_an_allowed_loss_and_its_durable_record_survive_a_power_cut() {
    cut_everywhere(&Case { command: "rm README.md", durable: true, saves: true });
}

/// Cuts the power after every step of a hook.
fn cut_everywhere(case: &Case) {
    if is_missing("strace") {
        return;
    }
    let Some(traced) = Traced::run(case) else {
        eprintln!("left out: nothing can be traced here (ptrace is not permitted)");
        return;
    };
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for end in 0..=traced.steps.len() {
        for way in 0..WAYS {
            let left = disk::after_power_cut(&traced.before, &traced.steps, end, |below| numbers.next(below));
            traced.check(case, &left, end).unwrap_or_else(|why| {
                panic!("cut after step {end} of {:#?}, way {way}: {why}", brief(&traced.steps))
            });
        }
    }
}

/// One hook, with what was there before it.
struct Traced {
    scratch: Scratch,
    before: Tree,
    steps: Vec<Step>,
    answered: usize,
}

impl Traced {
    /// `None` where nothing can be traced.
    fn run(case: &Case) -> Option<Self> {
        let scratch = Scratch::new();
        std::fs::write(scratch.project().join("README.md"), README).unwrap();
        if case.durable {
            scratch.policy("version: 1\naudit: durable\n");
        }
        // The first answers tell of the policy and make the folders.
        for _ in 0..2 {
            scratch.bash("ls");
        }
        let before = disk::read(&scratch.state());
        hook(&scratch, case.command, true);
        let trace = std::fs::read_to_string(scratch.home().join("trace")).unwrap_or_default();
        if !trace.contains("exit_group") {
            return None;
        }
        let steps = disk::steps(&trace, &scratch.state());
        let after = disk::read(&scratch.state());
        assert_eq!(disk::in_the_end(&before, &steps), after, "the model missed a step");
        let answered = steps.iter().position(|step| *step == Step::Answer).unwrap();
        Some(Self { scratch, before, steps, answered })
    }

    fn check(&self, case: &Case, left: &Tree, end: usize) -> Result<(), String> {
        let scratch = &self.scratch;
        disk::write(&scratch.state(), left);
        let answered = end > self.answered;
        let records = whole_records(scratch);
        if records < 2 + usize::from(answered) && case.durable {
            return Err(format!("{records} records are left"));
        }
        if case.saves && answered {
            restore(scratch)?;
        }
        let refused = hook(scratch, "rm -rf ~", false).decision();
        let allowed = hook(scratch, "ls", false).decision();
        if (refused.as_str(), allowed.as_str()) != ("deny", "none") {
            return Err(format!("the next calls were answered {refused} and {allowed}"));
        }
        let listed = command(scratch, &["undo", "list", "--json"]);
        (listed.code == Some(0)).then_some(()).ok_or_else(|| format!("undo list: {}", listed.stderr))
    }
}

/// The call has run, and what it lost is taken back.
fn restore(scratch: &Scratch) -> Result<(), String> {
    let file = scratch.project().join("README.md");
    let _ = std::fs::remove_file(&file);
    let listed = command(scratch, &["undo", "list", "--json"]);
    let newest: Value =
        listed.stdout.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let id = newest["id"].as_str().ok_or("no snapshot is left")?;
    let restored = command(scratch, &["undo", "restore", id]);
    match std::fs::read_to_string(&file) {
        Ok(text) if text == README && restored.code == Some(0) => Ok(()),
        _ => Err(format!("not restored: {} {}", restored.stdout, restored.stderr)),
    }
}

fn whole_records(scratch: &Scratch) -> usize {
    let text = std::fs::read(scratch.state().join("events.jsonl")).unwrap_or_default();
    text.split(|byte| *byte == b'\n').filter(|line| serde_json::from_slice::<Value>(line).is_ok()).count()
}

fn command(scratch: &Scratch, words: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(words);
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
    answer(&mut command, b"")
}

fn hook(scratch: &Scratch, text: &str, traced: bool) -> Answer {
    let hook = scratch.command(Some("PreToolUse"));
    let mut command = Command::new(if traced { "strace".as_ref() } else { hook.get_program() });
    if traced {
        command.args(["-f", "-y", "-xx", "-s", "10000000", "-qq", "-e", disk::TRACED, "-o"]);
        command.arg(scratch.home().join("trace")).arg("--").arg(hook.get_program());
    }
    command.args(hook.get_args());
    scratch.clean(&mut command);
    answer(&mut command, &scratch.payload("Bash", json!({ "command": text })))
}

/// The steps without what was written.
fn brief(steps: &[Step]) -> Vec<String> {
    let cut = |step: &Step| match step {
        Step::Write(path, offset, bytes) => {
            format!("write {} at {offset:?}: {} bytes", path.display(), bytes.len())
        }
        other => format!("{other:?}"),
    };
    steps.iter().map(cut).collect()
}

/// Numbers that are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap()
    }
}
