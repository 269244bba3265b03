//! What no recorded payload shows: other shapes of the same tools, broken payloads, the unverified agents.

use tollgate_agents::{Payload, Version, adapter};
use tollgate_model::{FaultKind, ToolCall, Verdict};

use crate::fixtures::{decisions, read};

/// The call that the event of a payload asks about.
fn call(agent: &str, hint: Option<&str>, payload: &str) -> ToolCall {
    let event = read(adapter(agent).unwrap(), payload.as_bytes(), hint);
    let event = event.unwrap_or_else(|fault| panic!("{agent} {payload}: {fault:?}"));
    event.pending().unwrap_or_else(|| panic!("{agent} {payload}: no call")).call.clone()
}

fn check(agent: &str, hint: &str, payload: &str, expected: &str) {
    assert_eq!(format!("{:?}", call(agent, Some(hint), payload)), expected, "{agent} {payload}");
}

const LS: &str = "Shell { command: \"ls\", dialect: Posix, cwd: None, sandbox_off: false }";

/// A call in Claude Code's shape, with the cwd that all cases share.
fn claude_like(event: &str, tool: &str, input: &str) -> String {
    let about = format!(r#""session_id":"s","cwd":"/w","hook_event_name":"{event}""#);
    format!(r#"{{{about},"tool_name":"{tool}","tool_input":{input}}}"#)
}

const PATCH: &str = r#"Patch { text: "*** Begin Patch" }"#;

/// Agent, event, tool, input, and the call that is understood.
const CALLS: &[(&str, &str, &str, &str, &str)] = &[
    ("codex", "PreToolUse", "apply_patch", r#""*** Begin Patch""#, PATCH),
    ("droid", "PreToolUse", "Execute", r#"{"command":"ls"}"#, LS),
    (
        "droid",
        "PreToolUse",
        "Create",
        r#"{"file_path":"a","content":"b"}"#,
        r#"Write { path: "a", content: "b" }"#,
    ),
    (
        "qwen-code",
        "PreToolUse",
        "notebook_edit",
        r#"{"notebook_path":"n","new_source":"1"}"#,
        r#"Edit { path: "n", edits: [Replacement { old: "", new: "1" }] }"#,
    ),
    ("kiro", "preToolUse", "execute_bash", r#"{"command":"ls"}"#, LS),
    ("kiro", "preToolUse", "@git/status", "{}", r#"Mcp { server: "git", tool: "status" }"#),
    (
        "kiro",
        "preToolUse",
        "fs_read",
        r#"{"operations":[{"mode":"Line","path":"/a"},{"path":"/b"}]}"#,
        r#"Read { paths: ["/a", "/b"] }"#,
    ),
    (
        "gemini-cli",
        "BeforeTool",
        "web_fetch",
        r#"{"prompt":"sum up <https://a.b/c?d=e>, please"}"#,
        r#"Fetch { url: "https://a.b/c?d=e" }"#,
    ),
    (
        "gemini-cli",
        "BeforeTool",
        "read_many_files",
        r#"{"include":["a","b"]}"#,
        r#"Read { paths: ["a", "b"] }"#,
    ),
];

#[test]
fn tools_are_known_in_every_agent() {
    for (agent, event, tool, input, expected) in CALLS {
        check(agent, event, &claude_like(event, tool, input), expected);
    }
}

#[test]
fn calls_in_shapes_of_their_own_are_known() {
    check(
        "auggie",
        "PreToolUse",
        r#"{"hook_event_name":"PreToolUse","conversation_id":"c","workspace_roots":["/w"],"tool_name":"launch-process","tool_input":{"command":"ls"},"is_mcp_tool":false}"#,
        LS,
    );
    check(
        "windsurf",
        "pre_run_command",
        r#"{"agent_action_name":"pre_run_command","trajectory_id":"t","tool_info":{"command_line":"ls","cwd":"/w"}}"#,
        r#"Shell { command: "ls", dialect: Posix, cwd: Some("/w"), sandbox_off: false }"#,
    );
    check(
        "windsurf",
        "pre_mcp_tool_use",
        r#"{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"s","mcp_tool_name":"t","mcp_tool_arguments":{"a":"b"}}}"#,
        r#"Mcp { server: "s", tool: "t" }"#,
    );
}

/// The version is read where the agent tells it, and decides what can be said.
#[test]
fn the_version_is_known_where_it_is_told() {
    let told = |agent: &str, hint: &str, payload: &str, env: (&str, &str)| {
        let env = |name: &str| (name == env.0).then(|| env.1.to_owned());
        let payload = Payload { bytes: payload.as_bytes(), hint: Some(hint), env: &env };
        adapter(agent).unwrap().read(&payload).unwrap()
    };
    let copilot = r#"{"sessionId":"s","cwd":"/w","toolName":"bash","toolArgs":{"command":"ls"}}"#;
    let ask = decisions().swap_remove(2).1;
    for (version, expressed) in [
        ("1.0.102", Verdict::Ask),
        ("1.0.97", Verdict::Ask),
        ("2.0.0", Verdict::Ask),
        ("", Verdict::Ask),
        ("1.0.96", Verdict::Deny),
        ("0.9.100", Verdict::Deny),
    ] {
        let event = told("copilot-cli", "preToolUse", copilot, ("COPILOT_CLI_BINARY_VERSION", version));
        assert_eq!(event.trace.version, version);
        assert_eq!(adapter("copilot-cli").unwrap().reply(&event, &ask).expressed, expressed, "{version}");
    }
    let qwen = claude_like("PreToolUse", "run_shell_command", r#"{"command":"ls"}"#);
    let event = told("qwen-code", "PreToolUse", &qwen, ("QWEN_CODE_STARTUP_VERSION", "0.24.4"));
    assert_eq!(event.trace.version, "0.24.4");
    let cursor = r#"{"hook_event_name":"preToolUse","cursor_version":"3.1","tool_name":"Shell","tool_input":{"command":"ls"}}"#;
    assert_eq!(told("cursor", "preToolUse", cursor, ("", "")).trace.version, "3.1");
    let cline =
        r#"{"clineVersion":"3.0.65","taskId":"t","tool_call":{"id":"1","name":"run_commands","input":"ls"}}"#;
    assert_eq!(told("cline", "PreToolUse", cline, ("", "")).trace.version, "3.0.65");
}

/// What is not the observed version is known as such, with what is known of it.
#[test]
fn versions_that_were_not_observed_are_known() {
    let copilot = adapter("copilot-cli").unwrap().profile();
    let changes = |version| copilot.changes_after(version).count();
    assert!(copilot.observed(Version(1, 0, 102)) && !copilot.observed(Version(1, 0, 103)));
    assert_eq!(
        (changes(Version(1, 0, 102)), changes(Version(1, 0, 60)), changes(Version(1, 0, 1))),
        (0, 2, 4)
    );
    assert!(!adapter("droid").unwrap().profile().observed(Version(0, 225, 0)), "unverified");
    let read = |text: &str, expected| assert_eq!(Version::read(text), expected, "{text}");
    read("codex-cli 0.166.0\n", Some(Version(0, 166, 0)));
    read("GitHub Copilot CLI 1.0.102.\nCommit: abc", Some(Version(1, 0, 102)));
    read("v1.2.3-beta.4", Some(Version(1, 2, 3)));
    read("1.2", None);
    read("no version", None);
    read("", None);
}

#[test]
fn copilot_gives_arguments_in_three_shapes() {
    let native = |tool: &str, args: &str| {
        format!(r#"{{"sessionId":"s","cwd":"/w","toolName":"{tool}","toolArgs":{args}}}"#)
    };
    check("copilot-cli", "preToolUse", &native("bash", r#"{"command":"ls"}"#), LS);
    check("copilot-cli", "preToolUse", &native("bash", r#""{\"command\":\"ls\"}""#), LS);
    check(
        "copilot-cli",
        "preToolUse",
        &native("apply_patch", r#""*** Begin Patch""#),
        r#"Patch { text: "*** Begin Patch" }"#,
    );
    check(
        "copilot-cli",
        "preToolUse",
        &native("str_replace_editor", r#"{"command":"create","path":"a","file_text":"b"}"#),
        r#"Write { path: "a", content: "b" }"#,
    );
    let vscode = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"run_in_terminal","tool_input":{"command":"ls"},"tool_use_id":"t"}"#;
    check("copilot-cli", "PreToolUse", vscode, LS);
}

#[test]
fn vs_code_is_answered_in_both_shapes() {
    let copilot = adapter("copilot-cli").unwrap();
    let payload = br#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let event = read(copilot, payload, None).unwrap();
    let (_, deny) = decisions().swap_remove(3);
    let reply = copilot.reply(&event, &deny);
    let answer: serde_json::Value = serde_json::from_str(&reply.stdout).unwrap();
    assert_eq!(answer["permissionDecision"], "deny");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PreToolUse");
}

#[test]
fn cline_takes_commands_in_many_shapes() {
    let payload = |input: &str| {
        format!(
            r#"{{"clineVersion":"3","hookName":"tool_call","taskId":"t","workspaceRoots":["/w"],"tool_call":{{"id":"1","name":"run_commands","input":{input}}}}}"#
        )
    };
    for input in [r#"{"commands":["ls"]}"#, r#"["ls"]"#, r#""ls""#, r#"{"command":"ls"}"#, r#"{"cmd":"ls"}"#]
    {
        check("cline", "PreToolUse", &payload(input), LS);
    }
    let ToolCall::Shell { command, .. } = call(
        "cline",
        Some("PreToolUse"),
        &payload(r#"{"commands":["a",{"command":"rm","args":["x y","it's"]}]}"#),
    ) else {
        panic!("no shell")
    };
    assert_eq!(command, "a\nrm 'x y' 'it'\\''s'");
}

#[test]
fn cursor_asks_once_for_a_shell_call() {
    let cursor = adapter("cursor").unwrap();
    let ask = || decisions().swap_remove(2).1;
    let answer = |payload: &str| {
        let event = read(cursor, payload.as_bytes(), None).unwrap();
        cursor.reply(&event, &ask())
    };
    let tool = |tool: &str| {
        format!(
            r#"{{"hook_event_name":"preToolUse","cursor_version":"3","workspace_roots":["/w"],"tool_name":"{tool}","tool_input":{{"command":"ls"}},"tool_use_id":"t"}}"#
        )
    };
    assert_eq!(answer(&tool("Shell")).stdout, r#"{"permission":"allow"}"#);
    assert_eq!(answer(&tool("MCP:query")).expressed, Verdict::Deny);
    let shell = r#"{"hook_event_name":"beforeShellExecution","cursor_version":"3","command":"ls","cwd":"/w","sandbox":false}"#;
    let reply = answer(shell);
    assert_eq!(reply.expressed, Verdict::Ask);
    assert!(reply.stdout.starts_with(r#"{"permission":"ask","user_message":"Tollgate: "#), "{reply:?}");
    check("cursor", "beforeShellExecution", shell, LS);
    check(
        "cursor",
        "beforeMCPExecution",
        r#"{"hook_event_name":"beforeMCPExecution","tool_name":"query","tool_input":"{\"sql\":\"select 1\"}","mcp_server_name":"db"}"#,
        r#"Mcp { server: "db", tool: "query" }"#,
    );
    check(
        "cursor",
        "beforeReadFile",
        r#"{"hook_event_name":"beforeReadFile","file_path":"/a","content":"x"}"#,
        r#"Read { paths: ["/a"] }"#,
    );
}

/// Cursor runs the hooks of Claude Code's settings too.
#[test]
fn claude_codes_hook_answers_cursor_in_its_words() {
    let claude = adapter("claude-code").unwrap();
    let payload = br#"{"hook_event_name":"preToolUse","cursor_version":"3","workspace_roots":["/w"],"tool_name":"Shell","tool_input":{"command":"ls"},"tool_use_id":"t"}"#;
    let event = read(claude, payload, Some("PreToolUse")).unwrap();
    let reply = claude.reply(&event, &decisions().swap_remove(3).1);
    assert!(reply.stdout.starts_with(r#"{"permission":"deny""#), "{reply:?}");
}

#[test]
fn exit_codes_speak_where_nothing_else_is_heard() {
    let cases = [
        (
            "droid",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"Execute","tool_input":{"command":"ls"}}"#,
        ),
        (
            "windsurf",
            "pre_run_command",
            r#"{"agent_action_name":"pre_run_command","tool_info":{"command_line":"ls"}}"#,
        ),
        (
            "kiro",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"shell","tool_input":{"command":"ls"}}"#,
        ),
        (
            "auggie",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"launch-process","tool_input":{"command":"ls"}}"#,
        ),
    ];
    for (agent, hint, payload) in cases {
        let adapter = adapter(agent).unwrap();
        let event = read(adapter, payload.as_bytes(), Some(hint)).unwrap();
        for (name, decision) in decisions() {
            let reply = adapter.reply(&event, &decision);
            assert_eq!(reply.exit == 2, reply.expressed.refuses(), "{agent} {name}: {reply:?}");
            assert_eq!(reply.exit == 2, reply.stderr.contains("Tollgate"), "{agent} {name}: {reply:?}");
            assert!(!decision.verdict.refuses() || reply.exit == 2, "{agent} {name}: {reply:?}");
        }
    }
}

#[test]
fn the_generic_protocol_names_kinds_of_tools() {
    let payload = |kind: &str, input: &str| {
        format!(
            r#"{{"event":"pre-tool","session":"s","cwd":"/w","tool":{{"name":"x","kind":"{kind}","input":{input}}}}}"#
        )
    };
    let check = |kind: &str, input: &str, expected: &str| {
        let call = call("generic", None, &payload(kind, input));
        assert_eq!(format!("{call:?}"), expected, "{kind}");
    };
    check("shell", r#"{"command":"ls"}"#, LS);
    check("read", r#"{"paths":["a"],"path":"b"}"#, r#"Read { paths: ["a", "b"] }"#);
    check(
        "edit",
        r#"{"path":"a","edits":[{"old":"b","new":"c"}]}"#,
        r#"Edit { path: "a", edits: [Replacement { old: "b", new: "c" }] }"#,
    );
    check("delete", r#"{"path":"a"}"#, r#"Delete { path: "a" }"#);
    check("", r#"{"command":"ls"}"#, "Other");
    let generic = adapter("generic").unwrap();
    let error = read(generic, payload("shel", "{}").as_bytes(), None).unwrap_err();
    assert_eq!(error.kind, FaultKind::Payload);
    let event = read(generic, payload("shell", r#"{"command":"ls"}"#).as_bytes(), None).unwrap();
    let verdicts: Vec<String> = decisions()
        .iter()
        .map(|(_, decision)| {
            let answer: serde_json::Value =
                serde_json::from_str(&generic.reply(&event, decision).stdout).unwrap();
            answer["verdict"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(verdicts[..5], ["allow", "allow", "ask", "deny", "halt"]);
    assert_eq!(verdicts[8], "approve");
}

/// Where a call waits, a member of the wrong type is a fault and not a guess.
#[test]
fn a_member_of_the_wrong_type_is_a_fault() {
    let cases = [
        (
            "codex",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["rm"]}}"#,
        ),
        ("codex", "PreToolUse", r#"{"hook_event_name":"PreToolUse","tool_name":7,"tool_input":{}}"#),
        (
            "gemini-cli",
            "BeforeTool",
            r#"{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":"ls"}"#,
        ),
        (
            "gemini-cli",
            "BeforeTool",
            r#"{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{}}"#,
        ),
        (
            "qwen-code",
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"edit","tool_input":{"file_path":1}}"#,
        ),
        ("copilot-cli", "preToolUse", r#"{"sessionId":"s","toolName":"bash","toolArgs":7}"#),
        ("opencode", "tool.execute.before", r#"{"input":{"tool":"bash"},"output":{"args":{"command":7}}}"#),
        ("generic", "pre-tool", r#"{"event":"pre-tool","tool":{"name":"x","input":[]}}"#),
        ("cline", "PreToolUse", r#"{"taskId":"t"}"#),
        (
            "windsurf",
            "pre_run_command",
            r#"{"agent_action_name":"pre_run_command","tool_info":{"command_line":7}}"#,
        ),
    ];
    for (agent, hint, payload) in cases {
        let fault = read(adapter(agent).unwrap(), payload.as_bytes(), Some(hint)).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Payload, "{agent} {payload}");
    }
}
