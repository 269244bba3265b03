//! Every documented answer form, from every kind of middleware, through the real hook: those of the hosts and those of
//! hook frameworks. An answer in no known form is a fault.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

/// What an answer must come to before a tool call of Claude Code.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Proceeds,
    /// The host's own prompt is skipped.
    Approved,
    Asked(&'static str),
    Denied(&'static str),
    /// Refused, and the turn ends.
    Ended(&'static str),
    /// It proceeds, and the model reads this.
    Told(&'static str),
    /// It proceeds, and the person reads this.
    Shown(&'static str),
    /// It proceeds with another command.
    Rewritten(&'static str),
    /// No answer: what the policy says about faults.
    Fault(&'static str),
}

use Outcome::{Approved, Asked, Denied, Ended, Fault, Proceeds, Rewritten, Shown, Told};

/// Answer forms that are the same from every kind of middleware.
const FORMS: &[(&str, Outcome)] = &[
    // Hook frameworks: handlers, validators, middlewares, collective hooks.
    (r#"{"decision": "allow"}"#, Proceeds),
    (r#"{"decision": "allow", "reason": null}"#, Proceeds),
    (r#"{"decision": "allow", "error": "no such validator"}"#, Shown("no such validator")),
    (r#"{"decision": "continue", "reason": "Logged successfully", "metrics": {}}"#, Proceeds),
    (r#"{"decision": "block", "reason": "R1"}"#, Denied("R1")),
    (r#"{"decision": "warn", "message": "R2"}"#, Told("R2")),
    (r#"{"decision": "fail", "error": "E1"}"#, Ended("E1")),
    (r#"{"action": "allow", "metadata": {"n": 1}}"#, Proceeds),
    (r#"{"action": "block", "reason": "R3"}"#, Denied("R3")),
    (r#"{"action": "fail", "error": "E2"}"#, Ended("E2")),
    (r#"{"safe": true}"#, Proceeds),
    (r#"{"safe": false, "reason": "R4", "metadata": null}"#, Denied("R4")),
    (
        r#"{"decision": "block", "reason": "R5", "hookSpecificOutput": {"hookEventName": "PreToolUse", "metrics": {}}}"#,
        Denied("R5"),
    ),
    // Claude Code, Qwen Code, Droid, Auggie, Codex.
    (
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "Security Policy Violation"}}"#,
        Denied("Security Policy Violation"),
    ),
    (
        r#"{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "R6"}}"#,
        Asked("R6"),
    ),
    (
        r#"{"hookSpecificOutput": {"permissionDecision": "defer", "permissionDecisionReason": "R7"}}"#,
        Asked("R7"),
    ),
    (r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#, Approved),
    (r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "C1"}}"#, Told("C1")),
    (
        r#"{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "echo new"}}}"#,
        Rewritten("echo new"),
    ),
    (r#"{"hookSpecificOutput": {"updatedInput": {"command": "echo new"}}}"#, Rewritten("echo new")),
    (r#"{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "R8"}}}"#, Denied("R8")),
    (
        r#"{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "R9", "interrupt": true}}}"#,
        Ended("R9"),
    ),
    (r#"{"hookSpecificOutput": {"decision": "block", "reason": "R10"}}"#, Denied("R10")),
    (r#"{"decision": "approve"}"#, Approved),
    (r#"{"continue": false, "stopReason": "S1"}"#, Ended("S1")),
    (r#"{"continue": false, "stopReason": "S2", "decision": "approve"}"#, Ended("S2")),
    (r#"{"continue": true}"#, Proceeds),
    (r#"{"continue": true, "suppressOutput": true}"#, Proceeds),
    (r#"{"suppressOutput": true}"#, Proceeds),
    (r#"{"systemMessage": "M1"}"#, Shown("M1")),
    (
        r#"{"decision": "block", "reason": "R11", "hookSpecificOutput": {"permissionDecision": "allow"}}"#,
        Denied("R11"),
    ),
    // Gemini CLI.
    (r#"{"decision": "deny", "reason": "R12"}"#, Denied("R12")),
    (r#"{"decision": "ask", "reason": "R13"}"#, Asked("R13")),
    (
        r#"{"decision": "allow", "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {"command": "echo new"}}}"#,
        Rewritten("echo new"),
    ),
    // Copilot CLI.
    (r#"{"permissionDecision": "deny", "permissionDecisionReason": "R14"}"#, Denied("R14")),
    (r#"{"permissionDecision": "allow", "modifiedArgs": {"command": "echo new"}}"#, Rewritten("echo new")),
    (r#"{"behavior": "deny", "message": "R15", "interrupt": false}"#, Denied("R15")),
    (r#"{"additionalContext": "C2"}"#, Told("C2")),
    // Cursor.
    (r#"{"permission": "allow"}"#, Proceeds),
    (r#"{"permission": "deny", "user_message": "U", "agent_message": "R16"}"#, Denied("R16")),
    (r#"{"permission": "ask", "userMessage": "R17"}"#, Asked("R17")),
    (r#"{"permission": "allow", "updated_input": {"command": "echo new"}}"#, Rewritten("echo new")),
    (r#"{"additional_context": "C3"}"#, Told("C3")),
    // Cline and Amp.
    (r#"{"cancel": true, "errorMessage": "R18"}"#, Denied("R18")),
    (r#"{"cancel": false, "contextModification": "C4"}"#, Told("C4")),
    (r#"{"overrideInput": {"command": "echo new"}}"#, Rewritten("echo new")),
    (r#"{"action": "reject-and-continue", "message": "R19"}"#, Denied("R19")),
    (r#"{"action": "modify", "input": {"command": "echo new"}}"#, Rewritten("echo new")),
    // Nothing at all.
    ("{}", Proceeds),
    // No known form.
    (r#"{"decison": "block", "reason": "x"}"#, Fault("`decison`")),
    (r#"{"verdict": "block", "suppressOutput": true}"#, Fault("`verdict`")),
    (r#"{"decision": "perhaps"}"#, Fault("`perhaps`")),
    (r#"{"decision": true}"#, Fault("decision")),
    (r#"{"decision": 1}"#, Fault("`1`")),
    (r#"{"safe": "false"}"#, Fault("`safe`")),
    (r#"{"safe": null, "reason": "x"}"#, Fault("`safe`")),
    (r#"{"continue": "false"}"#, Fault("`continue`")),
    (
        r#"{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecison": "deny"}}"#,
        Fault("permissionDecison"),
    ),
    (r#"{"hookSpecificOutput": "deny"}"#, Fault("hookSpecificOutput")),
    (r#"{"reason": "x"}"#, Fault("`reason`")),
    (r#"{"error": "boom"}"#, Fault("boom")),
    (r#"{"metrics": {"n": 1}}"#, Fault("`metrics`")),
    (r#"{"status": "ok"}"#, Fault("`status`")),
    ("[1]", Fault("")),
];

/// What only programs can say: exit codes and several lines.
const PRINTED: &[(i32, &str, &str, Outcome)] = &[
    (0, "", "", Proceeds),
    (0, "", "a remark for the log", Proceeds),
    (0, "chatter", "", Fault("not one JSON object")),
    (0, r#"{"decision": "block""#, "", Fault("not one JSON object")),
    (0, "checking\n{\"decision\": \"block\", \"reason\": \"L1\"}", "", Denied("L1")),
    (0, "checking\n{\n  \"decision\": \"block\",\n  \"reason\": \"L2\"\n}", "", Denied("L2")),
    (0, "{\"suppressOutput\": true}\n{\"decision\": \"block\", \"reason\": \"L3\"}", "", Denied("L3")),
    (0, "{\"decision\": \"block\", \"reason\": \"L4\"}\n{\"decision\": \"approve\"}", "", Denied("L4")),
    (0, "HOOK_CONTROL\t{\"cancel\": true, \"errorMessage\": \"L5\"}", "", Denied("L5")),
    (2, "", "two\nlines", Denied("two\\nlines")),
    (2, r#"{"decision": "block", "reason": "J1"}"#, "", Denied("J1")),
    (2, r#"{"decision": "block", "reason": "J2"}"#, "noise", Denied("J2")),
    (2, r#"{"decision": "allow"}"#, "E3", Denied("E3")),
    (
        2,
        r#"{"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "echo new"}}}"#,
        "E4",
        Denied("E4"),
    ),
    (2, r#"{"continue": false, "stopReason": "J3"}"#, "", Ended("J3")),
    (2, "plain reason", "", Denied("plain reason")),
    (2, "", "", Denied("it gave no reason")),
    (1, r#"{"decision": "block", "reason": "J4"}"#, "", Denied("J4")),
    (1, r#"{"decision": "allow"}"#, "crash", Fault("exit code 1: crash")),
    (1, "", "Traceback\nNameError: yaml", Fault("exit code 1: NameError: yaml")),
    (127, "", "not found", Fault("exit code 127")),
];

struct Machine {
    scratch: Scratch,
    calls: std::cell::Cell<u32>,
}

impl Machine {
    /// A policy with one hook at an event, and files beside it.
    fn new(event: &str, stage: &str, files: &[(&str, &str)]) -> Self {
        let scratch = Scratch::new();
        scratch.policy(&format!(
            "version: 1\non_fault: deny\nhooks:\n  {event}:\n    middleware:\n      - {{id: guard, type: safety, {stage}}}\n"
        ));
        for (name, text) in files {
            let path = scratch.config().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let machine = Self { scratch, calls: std::cell::Cell::new(0) };
        // A new policy is told once.
        machine.event("Notification", json!({"message": "", "notification_type": "idle_prompt"}));
        machine
    }

    fn give(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.scratch.config().join(name), bytes).unwrap();
    }

    /// An event in a session of its own, so that no call is judged by what came before.
    fn event(&self, event: &str, more: Value) -> Answer {
        self.calls.set(self.calls.get() + 1);
        let mut payload = json!({
            "session_id": format!("5122a393-{}", self.calls.get()), "transcript_path": "/x/t.jsonl",
            "cwd": self.scratch.project(), "permission_mode": "default", "hook_event_name": event,
        });
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.scratch.hook(event, payload.to_string().as_bytes())
    }

    fn bash(&self) -> Answer {
        self.event(
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": {"command": "echo old"}, "tool_use_id": "t1"}),
        )
    }
}

/// Is the answer of the hook what was wanted, as Claude Code reads it?
#[track_caller]
fn comes_to(answer: &Answer, wanted: Outcome, what: &str) {
    let shown =
        format!("{what} must be {wanted:?}: {:?} {:?} {:?}", answer.code, answer.stdout, answer.stderr);
    let said: Value = if answer.stdout.is_empty() {
        json!({})
    } else {
        serde_json::from_str(&answer.stdout).expect(&shown)
    };
    let own = &said["hookSpecificOutput"];
    let has = |text: &str| answer.says(text);
    match wanted {
        Proceeds => {
            // What a middleware measured is said too; Claude Code ignores it.
            let mut rest = said.clone();
            if let Some(own) = rest["hookSpecificOutput"].as_object_mut() {
                own.remove("metrics");
            }
            let nothing = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse"}});
            let is_silent = answer.stdout.is_empty() || (rest == nothing && !own["metrics"].is_null());
            assert!(is_silent && answer.code == Some(0), "{shown}");
        }
        Approved => assert_eq!(own["permissionDecision"], "allow", "{shown}"),
        Asked(reason) => assert!(answer.decision() == "ask" && has(reason), "{shown}"),
        Denied(reason) => {
            assert!(answer.decision() == "deny" && has(reason) && said["continue"] != false, "{shown}")
        }
        Ended(reason) => {
            assert_eq!(said["continue"], false, "{shown}");
            assert!(
                said["stopReason"].as_str().unwrap().contains(reason) && answer.decision() == "deny",
                "{shown}"
            );
        }
        Told(text) => {
            assert!(own["additionalContext"].as_str().unwrap_or_default().contains(text), "{shown}");
            assert_eq!(answer.decision(), "none", "{shown}");
        }
        Shown(text) => {
            assert!(said["systemMessage"].as_str().unwrap_or_default().contains(text), "{shown}");
            assert_eq!(answer.decision(), "none", "{shown}");
        }
        Rewritten(command) => {
            assert_eq!(own["updatedInput"]["command"], command, "{shown}");
            assert_ne!(own["permissionDecision"], "deny", "{shown}");
        }
        Fault(why) => {
            assert!(answer.decision() == "deny" && has("could not check this call") && has(why), "{shown}");
        }
    }
}

#[test]
fn every_form_works_from_a_program() {
    let program = "#!/bin/sh\ncat >/dev/null\ncat \"${0%/*}/answer\"\n";
    let machine = Machine::new("pre-tool-use", "run: [./guard.sh]", &[("guard.sh", program)]);
    for (form, wanted) in FORMS {
        machine.give("answer", form);
        comes_to(&machine.bash(), *wanted, form);
    }
}

#[test]
fn every_form_works_from_python() {
    let module = "import json, os\ndef process(hook_input, config, previous_results):\n    return json.load(open(os.path.join(os.path.dirname(__file__), 'answer')))\n";
    let machine = Machine::new("pre-tool-use", "path: guard.py", &[("guard.py", module)]);
    // Interpreters take their time: one reader reads all, and programs and modules go through the whole table.
    for (form, wanted) in FORMS.iter().step_by(3) {
        machine.give("answer", form);
        comes_to(&machine.bash(), *wanted, form);
    }
    for (module, wanted) in [
        ("def process(hook_input, config, previous_results):\n    return None\n", Proceeds),
        ("def process(hook_input, config, previous_results):\n    return 'block'\n", Fault("")),
        ("def process(hook_input, config, previous_results):\n    return False\n", Fault("")),
    ] {
        machine.give("guard.py", module);
        comes_to(&machine.bash(), wanted, module);
    }
}

#[test]
fn every_form_works_from_javascript() {
    let module = "import { readFileSync } from 'node:fs';\nexport const process = () => JSON.parse(readFileSync(new URL('answer', import.meta.url)));\n";
    let machine = Machine::new("pre-tool-use", "path: guard.mjs", &[("guard.mjs", module)]);
    for (form, wanted) in FORMS.iter().skip(1).step_by(3) {
        machine.give("answer", form);
        comes_to(&machine.bash(), *wanted, form);
    }
    for (module, wanted) in [
        ("export const process = () => undefined;\n", Proceeds),
        ("export const process = () => 'block';\n", Fault("")),
        ("export const process = () => false;\n", Fault("")),
    ] {
        machine.give("guard.mjs", module);
        comes_to(&machine.bash(), wanted, module);
    }
}

#[test]
fn every_form_works_from_webassembly() {
    let machine = Machine::new("pre-tool-use", "path: guard.wasm", &[]);
    for (form, wanted) in FORMS {
        machine.give("guard.wasm", answering_module(form));
        comes_to(&machine.bash(), *wanted, form);
    }
    machine.give("guard.wasm", answering_module(""));
    comes_to(&machine.bash(), Proceeds, "nothing");
}

#[test]
fn exit_codes_and_printed_lines_are_answers_of_programs() {
    let program = "#!/bin/sh\ncat >/dev/null\ncat \"${0%/*}/answer\"\ncat \"${0%/*}/complaint\" >&2\nread -r code < \"${0%/*}/code\"\nexit \"$code\"\n";
    let machine = Machine::new("pre-tool-use", "run: [./guard.sh]", &[("guard.sh", program)]);
    for (code, printed, complaint, wanted) in PRINTED {
        machine.give("answer", printed);
        machine.give("complaint", complaint);
        machine.give("code", format!("{code}\n"));
        comes_to(&machine.bash(), *wanted, &format!("exit {code} {printed} {complaint}"));
    }
}

/// A program at any event of Claude Code, with what it prints and its exit code.
fn program_at(hook: &str, event: &str, more: Value, printed: &str, code: i32) -> Value {
    let program = format!("#!/bin/sh\ncat >/dev/null\ncat \"${{0%/*}}/answer\"\nexit {code}\n");
    let machine = Machine::new(hook, "run: [./guard.sh]", &[("guard.sh", &program)]);
    machine.give("answer", printed);
    let answer = machine.event(event, more);
    match answer.stdout.as_str() {
        "" => json!({"code": answer.code, "stderr": answer.stderr}),
        text => serde_json::from_str(text).unwrap_or_else(|_| json!({ "text": text })),
    }
}

#[test]
fn ending_the_turn_ends_it_at_every_event() {
    let stop = json!({"stop_hook_active": false, "last_assistant_message": "done"});
    let subagent = json!({"stop_hook_active": false, "agent_id": "a1", "agent_type": "Explore", "last_assistant_message": "done"});
    let after = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": {}});
    for printed in
        [r#"{"continue": false, "stopReason": "enough"}"#, r#"{"decision": "fail", "error": "enough"}"#]
    {
        for (hook, event, more) in [
            ("stop", "Stop", &stop),
            ("subagent-stop", "SubagentStop", &subagent),
            ("post-tool-use", "PostToolUse", &after),
        ] {
            let said = program_at(hook, event, more.clone(), printed, 0);
            assert_eq!(said["continue"], false, "{event} {printed}: {said}");
            assert!(said["stopReason"].as_str().unwrap().contains("enough"), "{event} {printed}: {said}");
            let goes_on = event != "PostToolUse" && said["decision"] == "block";
            assert!(!goes_on, "a refused stop would keep the agent going: {said}");
        }
        let said = program_at("user-prompt-submit", "UserPromptSubmit", json!({"prompt": "hi"}), printed, 0);
        assert_eq!(said["decision"], "block", "{said}");
        assert!(said["reason"].as_str().unwrap().contains("enough"), "{said}");
    }
    // Where a host cannot end a turn, an agent that is about to stop is let go.
    let machine = Machine::new(
        "stop",
        "run: [./guard.sh]",
        &[("guard.sh", "#!/bin/sh\necho '{\"continue\": false}'\n")],
    );
    let mut hook = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    hook.args(["hook", "cursor", "stop", "--config"]).arg(machine.scratch.config());
    hook.arg("--state").arg(machine.scratch.state());
    machine.scratch.clean(&mut hook);
    let payload = json!({
        "conversation_id": "c1", "generation_id": "g1", "hook_event_name": "stop", "cursor_version": "1.0",
        "workspace_roots": [machine.scratch.project()], "status": "completed", "loop_count": 0,
    });
    let told = answer(&mut hook, payload.to_string().as_bytes());
    assert!(!told.stdout.contains("followup_message"), "{} {}", told.stdout, told.stderr);
    assert_eq!(machine.scratch.log().pop().unwrap()["middleware"][0]["decision"], "fail");
}

#[test]
fn other_events_take_blocks_context_and_texts() {
    let stop = json!({"stop_hook_active": false, "agent_id": "a1", "agent_type": "Explore"});
    let said = program_at(
        "subagent-stop",
        "SubagentStop",
        stop.clone(),
        r#"{"decision": "block", "reason": "Plan not created."}"#,
        0,
    );
    assert_eq!(said["decision"], "block", "{said}");
    assert!(said["reason"].as_str().unwrap().contains("Plan not created."), "{said}");
    let said = program_at(
        "subagent-stop",
        "SubagentStop",
        stop.clone(),
        r#"{"hookSpecificOutput": {"hookEventName": "SubagentStop", "additionalContext": "run the tests"}}"#,
        0,
    );
    assert_eq!(said["decision"], "block", "context keeps an agent going: {said}");
    assert!(said["reason"].as_str().unwrap().contains("run the tests"), "{said}");
    let said = program_at("subagent-stop", "SubagentStop", stop, r#"{"decision": "allow"}"#, 0);
    assert_eq!(said["code"], 0, "{said}");
    for printed in [
        "Session initialized with ID: abc-123",
        r#"{"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "Session initialized with ID: abc-123"}}"#,
    ] {
        let said = program_at("session-start", "SessionStart", json!({"source": "startup"}), printed, 0);
        let context = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        assert!(context.contains("abc-123"), "{printed}: {said}");
    }
    let said =
        program_at("user-prompt-submit", "UserPromptSubmit", json!({"prompt": "/plan"}), "Planning Phase", 0);
    assert!(
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("Planning Phase"),
        "{said}"
    );
    let read = json!({"tool_name": "Read", "tool_input": {"file_path": "/w/a"}, "tool_use_id": "t1", "tool_response": {}});
    let printed = r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "[redacted]", "additionalContext": "1 secret removed"}}"#;
    let said = program_at("post-tool-use", "PostToolUse", read, printed, 0);
    assert_eq!(said["hookSpecificOutput"]["updatedToolOutput"], "[redacted]", "{said}");
    assert!(
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().contains("1 secret removed"),
        "{said}"
    );
    let asked = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}});
    let printed = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "deny", "message": "no", "interrupt": true}}}"#;
    let said = program_at("permission-request", "PermissionRequest", asked.clone(), printed, 0);
    let decision = &said["hookSpecificOutput"]["decision"];
    assert_eq!((&decision["behavior"], &decision["interrupt"]), (&json!("deny"), &json!(true)), "{said}");
    let printed = r#"{"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}"#;
    let said = program_at("permission-request", "PermissionRequest", asked, printed, 0);
    assert_eq!(said["hookSpecificOutput"]["decision"]["behavior"], "allow", "{said}");
}

#[test]
fn a_hook_of_the_agents_own_keeps_the_agents_prompts() {
    let program = "#!/bin/sh\ncat >/dev/null\ncat \"${0%/*}/answer\"\n";
    let machine =
        Machine::new("pre-tool-use", "run: [./guard.sh], protocol: agent", &[("guard.sh", program)]);
    for (form, wanted) in FORMS {
        machine.give("answer", form);
        comes_to(&machine.bash(), *wanted, form);
    }
    machine.give("answer", "checked 3 patterns");
    comes_to(&machine.bash(), Proceeds, "a text for the host's log");
}

#[test]
fn later_guards_judge_a_rewritten_call() {
    let rewriter = "#!/bin/sh\ncat >/dev/null\necho '{\"hookSpecificOutput\": {\"updatedInput\": {\"command\": \"echo hidden\"}}}'\n";
    let python = "def process(hook_input, config, previous_results):\n    command = hook_input['tool_input']['command']\n    return {'decision': 'block' if 'hidden' in command else 'allow', 'reason': 'it is hidden'}\n";
    let rewriting = "def process(hook_input, config, previous_results):\n    return {'hookSpecificOutput': {'updatedInput': {'command': 'echo hidden'}}}\n";
    for (execution, first) in [
        ("pipeline", "run: [./rewrite.sh]"),
        ("pipeline", "path: rewrite.py"),
        ("parallel", "run: [./rewrite.sh]"),
    ] {
        let machine = Machine::new(
            "stop",
            "run: [/bin/true]",
            &[("rewrite.sh", rewriter), ("rewrite.py", rewriting), ("guard.py", python)],
        );
        machine.scratch.policy(&format!(
            "version: 1\nhooks:\n  pre-tool-use:\n    execution: {execution}\n    middleware:\n      - {{id: one, type: safety, {first}}}\n      - {{id: two, type: safety, path: guard.py}}\n"
        ));
        let refused = machine.bash();
        assert!(
            refused.decision() == "deny" && refused.says("it is hidden"),
            "{execution} {first}: {}",
            refused.stdout
        );
    }
}

/// The orchestrator of the middleware document as it stands. It uses `yaml` without importing it, so that is put where
/// every module finds it.
#[test]
fn the_documents_orchestrator_gives_its_reason() {
    let document = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/documents/orchestrator/impl.python.py"
    ))
    .unwrap();
    let start = "import builtins, json, pathlib, runpy, types\nbuiltins.yaml = types.SimpleNamespace(safe_load=lambda path: json.loads(path.read_text()))\nruntime = pathlib.Path(__file__).with_name('impl.python.py')\nrunpy.run_path(str(runtime), run_name='__main__')\n";
    let meta = r#"{"event": "PreToolUse", "middleware": [{"id": "block-dangerous-commands", "type": "safety", "enabled": true, "path": "guard.py", "config": {"dangerous_patterns": ["forbidden"]}}]}"#;
    let middleware = fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/documents/pipeline/middleware/safety/block-dangerous-commands.py"
    ))
    .unwrap();
    let base = "from dataclasses import dataclass\n@dataclass\nclass MiddlewareResult:\n    decision: str\n    reason: str\n    metrics: dict\n";
    let files: &[(&str, &str)] = &[
        ("impl.python.py", &document),
        ("start.py", start),
        ("hook.meta.yaml", meta),
        ("guard.py", &middleware),
        ("middleware_base.py", base),
    ];
    for stage in ["run: [python3, ./start.py]", "run: python3 start.py", "path: start.py"] {
        let machine = Machine::new("pre-tool-use", stage, files);
        let call = |command: &str| {
            machine.event(
                "PreToolUse",
                json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1"}),
            )
        };
        let refused = call("echo forbidden");
        assert_eq!(refused.decision(), "deny", "{stage}: {}", refused.stdout);
        assert!(refused.says("Dangerous command pattern detected: forbidden"), "{stage}: {}", refused.stdout);
        assert!(!refused.says("it gave no reason"));
        let record = machine.scratch.log().pop().unwrap();
        assert_eq!(
            record["middleware"][0]["metrics"]["block-dangerous-commands"]["blocked"], true,
            "{record}"
        );
        comes_to(&call("ls"), Proceeds, stage);
    }
}

/// A module that answers with a text: `memory`, `alloc` and `process`, written byte by byte.
fn answering_module(text: &str) -> Vec<u8> {
    fn leb(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let byte = (value & 0x7f) as u8;
            value >>= 7;
            // A number whose sign bit is set needs one more byte.
            if value == 0 && byte & 0x40 == 0 {
                bytes.push(byte);
                return bytes;
            }
            bytes.push(byte | 0x80);
        }
    }
    fn section(id: u8, body: &[u8]) -> Vec<u8> {
        [&[id][..], &leb(body.len() as u64), body].concat()
    }
    fn body(code: &[u8]) -> Vec<u8> {
        [&leb(code.len() as u64 + 2)[..], &[0], code, &[0x0b]].concat()
    }
    let export =
        |name: &str, kind: u8, index: u8| [&[name.len() as u8], name.as_bytes(), &[kind, index]].concat();
    let packed = if text.is_empty() { 0 } else { (1024_u64 << 32) | text.len() as u64 };
    let alloc = [&[0x41][..], &leb(65536)].concat();
    let process = [&[0x42][..], &leb(packed)].concat();
    let data = [&[1, 0, 0x41][..], &leb(1024), &[0x0b], &leb(text.len() as u64), text.as_bytes()].concat();
    [
        b"\0asm\x01\0\0\0".to_vec(),
        section(1, &[2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 2, 0x7f, 0x7f, 1, 0x7e]),
        section(3, &[2, 0, 1]),
        section(5, &[1, 0, 2]),
        section(
            7,
            &[&[3][..], &export("memory", 2, 0), &export("alloc", 0, 0), &export("process", 0, 1)].concat(),
        ),
        section(10, &[&[2][..], &body(&alloc), &body(&process)].concat()),
        section(11, &data),
    ]
    .concat()
}

#[test]
fn metrics_are_said_where_claude_code_takes_them() {
    let program = "#!/bin/sh\ncat >/dev/null\necho '{\"decision\": \"allow\", \"systemMessage\": \"M\", \"metrics\": {\"n\": 1}}'\n";
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1", "tool_response": {}});
    for (hook, event, more, taken) in [
        ("pre-tool-use", "PreToolUse", call.clone(), true),
        ("post-tool-use", "PostToolUse", call.clone(), true),
        ("user-prompt-submit", "UserPromptSubmit", json!({"prompt": "hi"}), true),
        // An answer whose `hookSpecificOutput` lacks its decision, or is not known at all, is invalid as a whole.
        ("permission-request", "PermissionRequest", call, false),
        ("pre-compact", "PreCompact", json!({"trigger": "auto"}), false),
    ] {
        let machine = Machine::new(hook, "run: [./guard.sh]", &[("guard.sh", program)]);
        let answer = machine.event(event, more);
        let said: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
        assert_eq!(
            said["hookSpecificOutput"]["metrics"]["guard"]["n"] == 1,
            taken,
            "{event}: {}",
            answer.stdout
        );
        assert_eq!(said["hookSpecificOutput"].is_object(), taken, "{event}: {}", answer.stdout);
    }
    let alone = program.replace(r#""systemMessage": "M", "#, "");
    let machine = Machine::new("pre-tool-use", "run: [./guard.sh]", &[("guard.sh", &alone)]);
    let answer = machine.bash();
    let expected =
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "metrics": {"guard": {"n": 1}}}});
    assert_eq!(serde_json::from_str::<Value>(&answer.stdout).unwrap(), expected, "{}", answer.stdout);
}
