//! When no decision could be made: no call runs unless the policy says so, and nothing else is held up.

use tollgate_agents::claude_code::{ClaudeCode, capabilities};
use tollgate_agents::{Adapter, Payload};
use tollgate_model::{Event, Fault, FaultKind, OnFault, Reply, Verdict};

use crate::fixtures::{all, fault, read, source};
use crate::host::{self, Outcome};

const ON_FAULT: [OnFault; 3] = [OnFault::Allow, OnFault::Ask, OnFault::Deny];

fn broken() -> Fault {
    Fault::new(FaultKind::Analysis, "the parser \u{1b}[31mstopped")
}

/// What the answer does, and that it says what it does.
fn taken(event: &str, reply: &Reply) -> Outcome {
    let seen = host::take(event, "", reply).unwrap_or_else(|error| panic!("{event}: {error}: {reply:?}"));
    let carried = match reply.expressed {
        Verdict::Allow | Verdict::Note | Verdict::Save => !seen.blocked && !seen.turn_ends,
        Verdict::Ask => seen.asked,
        Verdict::Deny | Verdict::Halt => seen.blocked,
    };
    assert!(carried || event == "PermissionRequest" && reply.exit == 2, "{event}: {reply:?}");
    assert!(!seen.approved);
    seen
}

#[test]
fn f08_a_payload_cut_at_any_byte_is_never_let_through() {
    for name in ["PreToolUse-Bash", "PreToolUse-mcp__stub__echo", "PermissionRequest-Bash"] {
        let fixtures = all();
        let whole = &fixtures.iter().find(|fixture| fixture.name == name).unwrap().bytes;
        let event = name.split('-').next().unwrap();
        let length = whole.trim_ascii_end().len();
        for end in 0..length {
            let bytes = &whole[..end];
            for hint in [None, Some(event)] {
                let payload = Payload { bytes, hint, env: &|_| None };
                let error = ClaudeCode.read(&payload).unwrap_err();
                assert_eq!(error.kind, FaultKind::Input, "{end}");
                let ask = taken(event, &fault(bytes, hint, "1", &error, OnFault::Ask));
                assert!(ask.asked || ask.blocked, "{end}");
                let deny = taken(event, &fault(bytes, hint, "0", &error, OnFault::Ask));
                assert!(deny.blocked || hint.is_none() && deny.asked, "{end}");
                let deny = taken(event, &fault(bytes, hint, "1", &error, OnFault::Deny));
                assert!(deny.blocked || hint.is_none() && deny.asked, "{end}");
            }
        }
    }
}

#[test]
fn f11_a_payload_with_any_byte_changed_is_read_or_refused() {
    let fixtures = all();
    let whole = &fixtures.iter().find(|fixture| fixture.name == "PreToolUse-Bash").unwrap().bytes;
    for at in 0..whole.len() {
        for byte in [b'"', b'{', b'}', b'\\', 0, 0xff, b'1'] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            let payload = Payload { bytes: &bytes, hint: Some("PreToolUse"), env: &|_| None };
            if let Err(error) = ClaudeCode.read(&payload) {
                let reply = fault(&bytes, payload.hint, "1", &error, OnFault::Deny);
                assert!(taken("PreToolUse", &reply).blocked, "{at} {byte}");
            }
        }
    }
}

#[test]
fn last_words_need_only_the_name_of_the_event() {
    for row in capabilities() {
        for on_fault in ON_FAULT {
            for attended in ["0", "1", ""] {
                let reply = fault(b"", Some(row.name), attended, &broken(), on_fault);
                let seen = taken(row.name, &reply);
                let safety = matches!(row.name, "PreToolUse" | "PermissionRequest");
                let refuse =
                    safety && (on_fault == OnFault::Deny || on_fault == OnFault::Ask && attended == "0");
                assert_eq!(seen.blocked, refuse, "{} {on_fault:?} {attended}", row.name);
                let ask = safety && on_fault == OnFault::Ask && attended != "0";
                assert!(!ask || seen.asked, "{} {on_fault:?} {attended}", row.name);
                let stops = row.name == "PreToolUse" && refuse;
                assert_eq!(reply.exit, if stops { 2 } else { 0 });
                assert!(!safety || reply.stdout.contains("tollgate doctor"), "{reply:?}");
            }
        }
    }
}

#[test]
fn a_fault_after_reading_answers_the_event() {
    for fixture in all() {
        let event = fixture.event();
        for on_fault in ON_FAULT {
            let payload = Payload { bytes: b"", hint: None, env: &|_| None };
            let reply = ClaudeCode.fault(&payload, Some(&event), &broken(), on_fault);
            let seen = host::take(&event.name, source(&event), &reply).unwrap();
            let refuse = event.pending().is_some() && on_fault > OnFault::Allow;
            assert_eq!(
                seen.blocked || reply.expressed == Verdict::Ask,
                refuse,
                "{} {on_fault:?}",
                fixture.name
            );
            assert!(!seen.turn_ends && !seen.approved);
        }
    }
}

#[test]
fn asks_only_where_somebody_would_be_asked() {
    let text =
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{},"permission_mode":"dontAsk"}"#;
    let event = read(text, None).unwrap();
    let payload = Payload { bytes: text.as_bytes(), hint: None, env: &|_| None };
    let expressed =
        |event: &Event| ClaudeCode.fault(&payload, Some(event), &broken(), OnFault::Ask).expressed;
    assert_eq!(expressed(&event), Verdict::Deny);
    assert_eq!(expressed(&Event { permission_mode: "auto".into(), ..event }), Verdict::Ask);
}

#[test]
fn finds_the_event_in_a_broken_payload() {
    let check = |text: &str, hint: Option<&str>, found: bool, expressed: Verdict| {
        let reply = fault(text.as_bytes(), hint, "1", &broken(), OnFault::Deny);
        // What fits every event is said by the exit code alone.
        let blind = reply.exit == 2 && reply.stdout.is_empty();
        assert_eq!((!blind, reply.expressed), (found, expressed), "{text} {hint:?} {reply:?}");
    };
    let (allow, deny) = (Verdict::Allow, Verdict::Deny);
    check("", None, false, deny);
    check("\u{0}garbage", None, false, deny);
    check(r#"{"hook_event_name":"PreToolU"#, None, false, deny);
    check(r#"{"hook_event_name":"PreToolUse""#, None, true, deny);
    check(r#"{"a":1, "hook_event_name" : "PreToolUse","tool_input":{"com"#, None, true, deny);
    check(r#"{"hook_event_name":"Stop","x":"#, None, true, allow);
    check("\u{feff}{\"hook_event_name\":\"Stop\"}", None, true, allow);
    check(r#"{"hook_event_name":"Brandnew","x":"#, None, false, deny);
    check(r#"{"hook_event_name":7}"#, None, false, deny);
    check("", Some("Brandnew"), false, deny);
    check("", Some("Stop"), true, allow);
    check(r#"{"hook_event_name":"PreToolUse"}"#, Some("Stop"), false, deny);
    check(r#"{"hook_event_name":"Stop"}"#, Some("PreToolUse"), false, deny);
    check(r#"{"hook_event_name":"PreToolUse","hook_event_name":"Stop"}"#, None, false, deny);
    check(r#"{"tool_input":{"hook_event_name":"Stop","x":"#, None, false, deny);
    check(
        r#"{"tool_input":{"x":"\",\"hook_event_name\":\"Stop"},"hook_event_name":"PreToolUse""#,
        None,
        true,
        deny,
    );
    check(r#"{"cwd":"a\"b","hook_event_name":"PreToolUse""#, None, true, deny);
    check(r#"{"cwd":"\\","hook_event_name":"PreToolUse""#, None, true, deny);
    check(r#"{"cwd":"hook_event_name":"Stop","#, None, true, allow);
}

#[test]
fn a_fault_that_is_let_pass_is_told() {
    let reply = fault(b"", Some("PreToolUse"), "1", &broken(), OnFault::Allow);
    let seen = taken("PreToolUse", &reply);
    assert!(seen.person.contains("let this call run unchecked: the analysis failed"), "{reply:?}");
    assert!(seen.person.contains(r"\u{1b}[31mstopped"), "{reply:?}");
    let blind = fault(b"", None, "1", &broken(), OnFault::Allow);
    assert!(taken("PreToolUse", &blind).person.contains("the analysis failed"), "{blind:?}");
    let long = Fault::new(FaultKind::Panic, "x".repeat(100_000));
    for on_fault in ON_FAULT {
        taken("PreToolUse", &fault(b"", Some("PreToolUse"), "1", &long, on_fault));
        taken("PreToolUse", &fault(b"", None, "1", &long, on_fault));
    }
}
