//! Guards for files, as the documents write them, against calls over several files: a patch, and a read of many paths.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

/// Refuses the files whose names end in `.lock`, by the field that Write and Edit have.
const GUARD: &str = r#"
def process(hook_input, config, previous_results):
    path = hook_input["tool_input"]["file_path"]
    with open(config["seen"], "a") as seen:
        seen.write(hook_input["tool_name"] + " " + path + "\n")
    if path.endswith(".lock"):
        return {"decision": "block", "reason": "Protected file: " + path}
    return {"decision": "allow"}
"#;

fn machine(matches: &str, more: &str) -> Scratch {
    let scratch = Scratch::new();
    let seen = scratch.home().join("seen");
    scratch.policy(&format!(
        "version: 1\nhooks:\n  pre-tool-use:\n    {more}\n    middleware:\n      - {{id: files, type: safety, path: guard.py, {matches} config: {{seen: {seen:?}}}}}\n"
    ));
    fs::write(scratch.config().join("guard.py"), GUARD).unwrap();
    scratch
}

fn seen(scratch: &Scratch) -> Vec<String> {
    let file = scratch.home().join("seen");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let _ = fs::remove_file(file);
    let project = format!("{}/", scratch.project().display());
    text.lines().map(|line| line.replace(&project, "")).collect()
}

fn hook(scratch: &Scratch, agent: &str, event: &str, payload: &Value) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["hook", agent, event, "--config"]).arg(scratch.config());
    command.arg("--state").arg(scratch.state());
    scratch.clean(&mut command);
    answer(&mut command, payload.to_string().as_bytes())
}

fn patch(scratch: &Scratch, text: &str) -> Answer {
    let payload = json!({
        "session_id": format!("s{}", text.len()), "transcript_path": null, "cwd": scratch.project(),
        "hook_event_name": "PreToolUse", "model": "m", "turn_id": "t", "permission_mode": "default",
        "tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": "c1",
    });
    hook(scratch, "codex", "PreToolUse", &payload)
}

const GOOD: &str = "*** Begin Patch\n*** Add File: src/a.txt\n+one\n*** Update File: README.md\n@@\n-# readme\n+# new\n*** End Patch\n";

#[test]
fn a_patch_does_not_pass_a_guard_for_write_and_edit() {
    let scratch = machine("match: {tools: [Write, Edit]},", "execution: pipeline");
    let good = patch(&scratch, GOOD);
    assert_eq!(good.decision(), "none", "{} {}", good.stdout, good.stderr);
    assert_eq!(seen(&scratch), ["Write src/a.txt", "Edit README.md"]);
    for bad in [
        "*** Begin Patch\n*** Add File: src/a.txt\n+one\n*** Add File: b/../Cargo.lock\n+x\n*** End Patch\n",
        "*** Begin Patch\n*** Update File: README.md\n*** Move to: x.lock\n@@\n-# readme\n+# new\n*** End Patch\n",
        "*** Begin Patch\n*** Add File: src/a.txt\n+one\n*** Delete File: y.lock\n*** End Patch\n",
        "--- a/z.lock\n+++ b/z.lock\n@@ -1 +1 @@\n-a\n+b\n",
    ] {
        fs::write(scratch.project().join("y.lock"), "y\n").unwrap();
        let refused = patch(&scratch, bad);
        assert!(refused.says("Protected file: "), "{bad}: {} {}", refused.stdout, refused.stderr);
        assert!(refused.says(".lock"), "{}", refused.stdout);
        seen(&scratch);
    }
    let record = scratch.log().pop().unwrap();
    assert_eq!(record["middleware"].as_array().unwrap().len(), 1, "one line per guard: {record}");
}

#[test]
fn a_pipeline_that_blocks_by_default_needs_every_file_allowed() {
    let scratch = machine("match: {tools: [Write, Edit]},", "default_decision: block");
    let good = patch(&scratch, GOOD);
    assert_eq!(good.decision(), "none", "{} {}", good.stdout, good.stderr);
    let scratch = machine("match: {tools: [Write]},", "default_decision: block");
    let refused = patch(&scratch, GOOD);
    assert!(refused.says("default decision is to block"), "{} {}", refused.stdout, refused.stderr);
}

#[test]
fn a_patch_over_more_files_than_guards_are_shown_is_a_fault() {
    let scratch = machine("match: {tools: [Write]}, on_error: deny,", "execution: pipeline");
    let files: String = (0..60).map(|n| format!("*** Add File: src/f{n}.txt\n+x\n")).collect();
    let refused = patch(&scratch, &format!("*** Begin Patch\n{files}*** End Patch\n"));
    assert!(refused.says("60 files"), "{} {}", refused.stdout, refused.stderr);
}

#[test]
fn each_path_of_a_read_of_several_is_guarded() {
    let scratch = machine("match: {tools: [Read]},", "execution: pipeline");
    for (paths, refused) in [(["README.md", "src/a.txt"], false), (["README.md", "b.lock"], true)] {
        let payload = json!({
            "session_id": format!("r{refused}"), "transcript_path": "/x", "cwd": scratch.project(),
            "hook_event_name": "BeforeTool", "timestamp": "2026-11-18T00:00:00Z",
            "tool_name": "read_many_files", "tool_input": {"include": paths},
        });
        let answer = hook(&scratch, "gemini-cli", "BeforeTool", &payload);
        assert_eq!(answer.says("Protected file: "), refused, "{} {}", answer.stdout, answer.stderr);
    }
}
