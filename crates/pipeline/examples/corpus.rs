//! Judges a file of commands (JSON lines with `command`) in a still world and shows what is not simply allowed.
//! `cargo xtask corpus FILE [RULE]`; with a rule or a verdict, each command that it is given to is shown. `--speed`
//! shows what judging costs in a warm process.

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::time::Instant;

use tollgate_model::json::{self, Value};
use tollgate_model::{
    Agent, Certainty, Effect, EffectKind, Event, Kind, StillFile, StillWorld, ToolCall, ToolUse, Verdict,
    Zone,
};
use tollgate_pipeline::{Judgement, judge};
use tollgate_policy::Policy;

fn main() {
    let mut args = std::env::args().skip(1);
    let Some(file) = args.next() else {
        println!("usage: corpus FILE [RULE] | --speed");
        return;
    };
    if file == "--speed" {
        return speed();
    }
    let wanted = args.next();
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut slowest = (0, String::new());
    let (mut refused, mut savable) = (0, 0);
    for line in text.lines() {
        let Ok(value) = json::parse(line.as_bytes()) else { continue };
        let Some(command) = value.text("command") else { continue };
        let start = Instant::now();
        let judgement = judge(&event(command), &world(), &Policy::builtin());
        let micros = start.elapsed().as_micros();
        if micros > slowest.0 {
            slowest = (micros, command.to_owned());
        }
        *counts.entry(judgement.decision.verdict.name()).or_default() += 1;
        refused += usize::from(judgement.decision.verdict.refuses());
        savable += usize::from(may_be_saved(&judgement));
        let refusing = judgement.decision.findings.iter().filter(|finding| finding.verdict >= Verdict::Ask);
        for finding in refusing {
            *rules.entry(format!("{} {}", finding.verdict.name(), finding.rule)).or_default() += 1;
            if wanted
                .as_ref()
                .is_some_and(|wanted| finding.rule == *wanted || finding.verdict.name() == wanted)
            {
                println!("{}\t{}\t{}", finding.verdict.name(), finding.hit.what, command.replace('\n', "⏎"));
            }
        }
    }
    println!("{counts:?}");
    println!("{refused} are asked about or refused; {savable} of these run once their losses are saved");
    rules.iter().for_each(|(rule, count)| println!("{count:>6} {rule}"));
    println!("slowest: {} µs: {}", slowest.0, slowest.1.chars().take(200).collect::<String>());
}

/// Is a call stopped only for losses of plain paths in the project? Whether these can be saved shows the disk.
fn may_be_saved(judgement: &Judgement) -> bool {
    let is_plain = |effect: &Effect| match &effect.kind {
        EffectKind::Delete { place, .. } | EffectKind::Write { place, .. } => {
            matches!(place.zone, Zone::Workspace | Zone::Temp)
                && !place.root
                && (!place.pattern || effect.certainty == Certainty::Certain)
        }
        EffectKind::Opaque { .. } => false,
        _ => true,
    };
    let decision = &judgement.decision;
    decision.is_savable() && !decision.verdict_if_saved().refuses() && judgement.effects.iter().all(is_plain)
}

/// The median time to judge texts of three sizes.
fn speed() {
    let line = "A line of ordinary text in a file that an agent writes.\n";
    let heredoc = |size: usize| format!("cat > notes.md <<'EOF'\n{}EOF\n", line.repeat(size / line.len()));
    let texts = [
        ("60-character command", "cargo test --workspace --all-features 2>&1 | tail -n 20".to_owned(), 2000),
        ("4 KiB heredoc", heredoc(4 << 10), 1000),
        ("256 KiB of text", heredoc(256 << 10), 20),
        ("1 MiB of text", heredoc(1 << 20), 10),
        ("1 MiB of commands", "echo one two three | sort > out.txt\n".repeat((1 << 20) / 36), 3),
    ];
    for (name, text, rounds) in texts {
        let (event, world, policy) = (event(&text), world(), Policy::builtin());
        let mut times: Vec<_> = (0..rounds)
            .map(|_| {
                let start = Instant::now();
                std::hint::black_box(judge(&event, &world, &policy));
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        println!("{name:<28} {:>8} µs", times.get(rounds / 2).copied().unwrap_or_default().as_micros());
    }
}

fn world() -> StillWorld {
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into(), "/var/tmp".into()],
        own: vec!["/home/user/.config/tollgate".into()],
        files: [("/home/user/project/README.md".to_owned(), StillFile::File(Vec::new()))].into(),
        ..StillWorld::default()
    }
}

fn event(command: &str) -> Event {
    let call = ToolCall::shell(command);
    Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse { id: String::new(), name: "Bash".into(), call, input: Value::Null }),
    )
}
