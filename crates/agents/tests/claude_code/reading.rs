//! Payloads that are strange, old, wrong or unknown.

use tollgate_model::{Actor, FaultKind, Kind, ToolCall};

use crate::fixtures::read;

/// The call that a `PreToolUse` of this tool is read as, or the end of the fault's message.
fn check(tool: &str, input: &str, expected: &str) {
    let text = format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#);
    let seen = match read(&text, None) {
        Ok(event) => match event.kind {
            Kind::PreTool(tool) => format!("{:?}", tool.call),
            other => format!("{other:?}"),
        },
        Err(fault) => {
            assert_eq!(fault.kind, FaultKind::Payload);
            fault.message.rsplit(": ").next().unwrap().to_owned()
        }
    };
    assert_eq!(seen, expected, "{tool} {input}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn tools_become_calls() {
    check(
        "Bash",
        r#"{"command":"ls"}"#,
        r#"Shell { command: "ls", dialect: Posix, cwd: None, sandbox_off: false }"#,
    );
    check(
        "Bash",
        r#"{"command":"ls","dangerouslyDisableSandbox":true}"#,
        r#"Shell { command: "ls", dialect: Posix, cwd: None, sandbox_off: true }"#,
    );
    check(
        "Bash",
        r#"{"command":"ls","dangerouslyDisableSandbox":"yes"}"#,
        r#"Shell { command: "ls", dialect: Posix, cwd: None, sandbox_off: true }"#,
    );
    check(
        "PowerShell",
        r#"{"command":"dir"}"#,
        r#"Shell { command: "dir", dialect: PowerShell, cwd: None, sandbox_off: false }"#,
    );
    check(
        "Monitor",
        r#"{"command":"tail -f x","ws":{"url":"wss://h/"}}"#,
        r#"Shell { command: "tail -f x", dialect: Posix, cwd: None, sandbox_off: false }"#,
    );
    check("Monitor", r#"{"ws":{"url":"wss://h/"}}"#, r#"Fetch { url: "wss://h/" }"#);
    check("Read", r#"{"file_path":"a/b"}"#, r#"Read { paths: ["a/b"] }"#);
    check("NotebookRead", r#"{"notebook_path":"/n"}"#, r#"Read { paths: ["/n"] }"#);
    check("Write", r#"{"file_path":"/a","content":"x"}"#, r#"Write { path: "/a", content: "x" }"#);
    check(
        "Edit",
        r#"{"file_path":"/a","old_string":"o","new_string":"n","replace_all":true}"#,
        r#"Edit { path: "/a", edits: [Replacement { old: "o", new: "n" }] }"#,
    );
    check(
        "MultiEdit",
        r#"{"file_path":"/a","edits":[{"old_string":"o","new_string":"n"},{"new_string":"m"}]}"#,
        r#"Edit { path: "/a", edits: [Replacement { old: "o", new: "n" }, Replacement { old: "", new: "m" }] }"#,
    );
    check(
        "NotebookEdit",
        r#"{"notebook_path":"/n","new_source":"s","edit_mode":"insert"}"#,
        r#"Edit { path: "/n", edits: [Replacement { old: "", new: "s" }] }"#,
    );
    check(
        "Grep",
        r#"{"pattern":"p","path":"d","glob":"*.rs","-A":3}"#,
        r#"Search { pattern: "p", path: "d", glob: Some("*.rs"), scope: Contents }"#,
    );
    check("Glob", r#"{"pattern":"**"}"#, r#"Search { pattern: "**", path: "", glob: None, scope: Names }"#);
    check("LS", r#"{"path":"/etc"}"#, r#"Search { pattern: "*", path: "/etc", glob: None, scope: Names }"#);
    check("WebFetch", r#"{"url":"http://h/","prompt":"p"}"#, r#"Fetch { url: "http://h/" }"#);
    check("WebSearch", r#"{"query":"q"}"#, r#"WebSearch { query: "q" }"#);
    check(
        "Agent",
        r#"{"prompt":"p","subagent_type":"Explore"}"#,
        r#"Spawn { agent: "Explore", prompt: "p" }"#,
    );
    check("Task", r#"{"prompt":"p"}"#, r#"Spawn { agent: "", prompt: "p" }"#);
    check("Skill", r#"{"skill":"greet","args":"w"}"#, r#"Command { name: "greet", args: "w" }"#);
    check(
        "SlashCommand",
        r#"{"command":"/hello  big world"}"#,
        r#"Command { name: "hello", args: "big world" }"#,
    );
    for tool in ["LSP", "KillShell", "KillBash", "TaskStop", "TodoWrite", "CronCreate", "Brandnew"] {
        check(tool, r#"{"command":"ls","file_path":"/a"}"#, "Other");
    }
}

#[test]
fn mcp_tools_belong_to_their_server() {
    let check = |tool: &str, server: &str, expected: (&str, &str)| {
        let text =
            format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{}}{server}}}"#);
        let event = read(&text, None).unwrap();
        let (server, tool) = (expected.0.to_owned(), expected.1.to_owned());
        assert_eq!(event.pending().unwrap().call, ToolCall::Mcp { server, tool });
    };
    check("mcp__stub__echo", "", ("stub", "echo"));
    check("mcp__stub__a__b", "", ("stub", "a__b"));
    check("mcp__stub", "", ("stub", ""));
    check("mcp__my__srv__a__b", r#","mcp_server":{"name":"my__srv","source":"user"}"#, ("my__srv", "a__b"));
    check("mcp__plugin_x_y__t", r#","mcp_server":{"name":"plugin:x:y"}"#, ("plugin:x:y", "t"));
    check("mcp__other__t", r#","mcp_server":{"name":"renamed"}"#, ("renamed", "t"));
}

#[test]
fn f13_a_key_that_is_missing_does_nothing_and_a_wrong_one_is_a_fault() {
    for tool in
        ["Bash", "PowerShell", "Monitor", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob"]
    {
        check(tool, "{}", "Other");
    }
    for tool in
        ["Grep", "WebFetch", "WebSearch", "Agent", "Task", "Skill", "SlashCommand", "LS", "NotebookRead"]
    {
        check(tool, r#"{"description":5}"#, "Other");
    }
    check("Bash", r#"{"command":5}"#, "`tool_input.command` is a number, not a string");
    check("Bash", r#"{"command":null}"#, "`tool_input.command` is null, not a string");
    check("Bash", r#"{"command":["ls"]}"#, "`tool_input.command` is a list, not a string");
    check("Monitor", r#"{"ws":"wss://h/"}"#, "`tool_input.ws` is a string, not an object");
    check("Monitor", r#"{"ws":{"url":{}}}"#, "`tool_input.ws.url` is an object, not a string");
    check("Read", r#"{"file_path":{}}"#, "`tool_input.file_path` is an object, not a string");
    check("Write", r#"{"file_path":"/a","content":1}"#, "`tool_input.content` is a number, not a string");
    check("Edit", r#"{"file_path":"/a","new_string":[]}"#, "`tool_input.new_string` is a list, not a string");
    check("MultiEdit", r#"{"file_path":"/a","edits":{}}"#, "`tool_input.edits` is an object, not a list");
    check(
        "MultiEdit",
        r#"{"file_path":"/a","edits":[1]}"#,
        "an element of `tool_input.edits` is a number, not an object",
    );
    check(
        "Grep",
        r#"{"pattern":"x","path":null}"#,
        r#"Search { pattern: "x", path: "", glob: None, scope: Contents }"#,
    );
    check("Grep", r#"{"pattern":"x","path":7}"#, "`tool_input.path` is a number, not a string");
    for input in ["5", "null", "[]", "\"ls\""] {
        let kind = match input {
            "5" => "a number",
            "null" => "null",
            "[]" => "a list",
            _ => "a string",
        };
        check("Bash", input, &format!("`tool_input` is {kind}, not an object"));
        check("Brandnew", input, &format!("`tool_input` is {kind}, not an object"));
    }
}

#[test]
fn f13_fields_of_the_wrong_type_fault_only_where_a_call_waits() {
    let check = |event: &str, field: &str, fault: bool| {
        let text = format!(r#"{{"hook_event_name":"{event}","tool_name":"Bash","tool_input":{{}},{field}}}"#);
        assert_eq!(read(&text, None).is_err(), fault, "{text}");
    };
    for field in
        ["session_id", "cwd", "agent_id", "agent_type", "permission_mode", "transcript_path", "tool_use_id"]
    {
        check("PreToolUse", &format!(r#""{field}":1"#), true);
        check("PermissionRequest", &format!(r#""{field}":{{}}"#), true);
        check("PreToolUse", &format!(r#""{field}":null"#), false);
        check("PostToolUse", &format!(r#""{field}":1"#), false);
        check("Stop", &format!(r#""{field}":1"#), false);
    }
    let text = r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":5}}"#;
    assert_eq!(read(text, None).unwrap().tool().unwrap().call, ToolCall::Other);
}

#[test]
fn what_is_no_payload_is_a_fault() {
    let check = |text: &str, kind: FaultKind| assert_eq!(read(text, None).unwrap_err().kind, kind, "{text}");
    check("", FaultKind::Input);
    check(" \n", FaultKind::Input);
    check(r#"{"hook_event_name":"PreToolUse""#, FaultKind::Input);
    check("[]", FaultKind::Payload);
    check("{}", FaultKind::Payload);
    check(r#"{"hook_event_name":""}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":null}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":7}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":"PreToolUse","tool_input":{}}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":"PreToolUse","tool_name":null,"tool_input":{}}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":"PostToolUse","tool_name":3}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":"PostToolBatch","tool_calls":{}}"#, FaultKind::Payload);
    check(r#"{"hook_event_name":"PostToolBatch","tool_calls":[1]}"#, FaultKind::Payload);
    check(
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","command":"rm"}}"#,
        FaultKind::Payload,
    );
    check("\u{feff}{\"hook_event_name\":\"Stop\"}", FaultKind::Payload);
}

#[test]
fn the_command_line_may_name_the_event_but_not_another_one() {
    let check = |text: &str, hint: Option<&str>, expected: Option<&str>| {
        assert_eq!(read(text, hint).ok().map(|event| event.name).as_deref(), expected, "{text} {hint:?}");
    };
    check("{}", Some("Stop"), Some("Stop"));
    check(r#"{"hook_event_name":"Stop"}"#, Some("Stop"), Some("Stop"));
    check(r#"{"hook_event_name":"Stop"}"#, None, Some("Stop"));
    check(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"), None);
    check(r#"{"hook_event_name":""}"#, Some("PreToolUse"), None);
}

#[test]
fn what_is_new_is_let_be() {
    let event =
        read(r#"{"hook_event_name":"Brandnew","x":{"y":[1]},"session_id":"s","cwd":"/w"}"#, None).unwrap();
    assert_eq!((event.kind, event.name.as_str(), event.session.as_str()), (Kind::Other, "Brandnew", "s"));
    let event = read(
        r#"{"new":1,"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a","new":{}}}"#,
        None,
    );
    let event = event.unwrap();
    assert_eq!(event.pending().unwrap().call, ToolCall::Read { paths: vec!["a".into()] });
    assert_eq!((event.session.as_str(), event.cwd.as_str(), event.actor), ("", "", Actor::Main));
}

#[test]
fn a_type_without_an_id_is_the_main_agent() {
    let check = |fields: &str, expected: Actor| {
        let event = read(&format!(r#"{{"hook_event_name":"SessionStart",{fields}}}"#), None).unwrap();
        assert_eq!(event.actor, expected);
    };
    check(r#""agent_type":"reviewer""#, Actor::Main);
    check(r#""agent_id":"a1""#, Actor::Subagent { id: "a1".into(), kind: String::new() });
    check(r#""agent_id":"a1","agent_type":"x""#, Actor::Subagent { id: "a1".into(), kind: "x".into() });
}
