//! Every recorded payload of every client, answered with everything that can be said: the client takes it as it was
//! meant, nothing that is refused runs, and nothing is loosened.

use tollgate_agents::{ADAPTERS, Payload, Proof};
use tollgate_model::{Attended, Event, Fault, FaultKind, OnFault, Reply, Verdict};

use crate::fixtures::{all, decisions, read};
use crate::hosts::{self, Outcome};

fn taken(agent: &str, event: &Event, reply: &Reply) -> Outcome {
    let seen = hosts::take(agent, &event.name, reply);
    seen.unwrap_or_else(|error| panic!("{agent} {}: {error}: {reply:?}", event.name))
}

#[test]
fn every_answer_is_taken_as_it_was_meant() {
    for fixture in all() {
        let agent = fixture.adapter.agent().name();
        for attended in [Attended::Yes, Attended::No, Attended::Unknown] {
            let event = Event { attended, ..fixture.event() };
            for (name, decision) in decisions() {
                let reply = fixture.adapter.reply(&event, &decision);
                let seen = taken(agent, &event, &reply);
                let about = format!("{agent} {} {name}: {reply:?}", fixture.name);
                match reply.expressed {
                    Verdict::Allow | Verdict::Note | Verdict::Save => {
                        assert!(!seen.blocked && !seen.asked, "{about}")
                    }
                    Verdict::Ask => assert!(seen.asked || event.name.contains("ermission"), "{about}"),
                    Verdict::Deny => assert!(seen.blocked, "{about}"),
                    Verdict::Halt => {}
                }
                assert!(!seen.approved || decision.approve, "approved without being told to: {about}");
                if event.pending().is_none() {
                    continue;
                }
                let stops = decision.verdict.refuses() || name == "a rewrite that is no object";
                let permission = event.phase() == tollgate_model::Phase::Permission;
                let stopped = seen.blocked || seen.asked || permission && decision.verdict == Verdict::Ask;
                assert!(!stops || stopped || permission && !decision.verdict.refuses(), "{about}");
                assert!(!seen.blocked || seen.model.contains("Tollgate"), "the model reads why: {about}");
                let asks = decision.rewrite.is_some() && !permission;
                assert!(!asks || seen.rewritten || seen.blocked, "runs as it was: {about}");
            }
        }
    }
}

/// A question that nobody is asked is a refusal with a code.
#[test]
fn an_ask_that_nobody_hears_is_refused_with_its_code() {
    for fixture in all() {
        let event = Event { attended: Attended::No, ..fixture.event() };
        let (_, ask) = decisions().swap_remove(2);
        let reply = fixture.adapter.reply(&event, &ask);
        if event.phase() == tollgate_model::Phase::PreTool {
            assert_eq!(reply.expressed, Verdict::Deny, "{}", fixture.name);
            assert!(format!("{}{}", reply.stdout, reply.stderr).contains("k7f2"), "{}", fixture.name);
        }
    }
}

/// A question that could undo another hook's refusal is said only where no other hook is.
#[test]
fn qwen_is_asked_only_when_the_gate_is_alone() {
    let ask = |name: &str| decisions().into_iter().find(|(about, _)| *about == name).unwrap().1;
    for fixture in all().iter().filter(|fixture| fixture.name.starts_with("PreToolUse-run_shell")) {
        let (event, adapter) = (fixture.event(), fixture.adapter);
        if adapter.agent().name() == "qwen-code" {
            let asked = adapter.reply(&event, &ask("ask, alone"));
            assert_eq!(asked.expressed, Verdict::Ask);
            assert!(asked.stdout.contains("k7f2"), "a run without a person needs the code: {asked:?}");
            let refused = adapter.reply(&event, &ask("ask"));
            assert_eq!(refused.expressed, Verdict::Deny);
            assert!(refused.stdout.contains("Another hook decides as well"), "{refused:?}");
        }
    }
}

const ON_FAULT: [OnFault; 3] = [OnFault::Allow, OnFault::Ask, OnFault::Deny];

#[test]
fn f08_a_payload_cut_anywhere_is_never_let_through() {
    let fault = Fault::new(FaultKind::Input, "cut");
    for fixture in all().iter().filter(|fixture| fixture.event().pending().is_some()) {
        let agent = fixture.adapter.agent().name();
        let length = fixture.bytes.trim_ascii_end().len();
        for end in (0..length).step_by(7) {
            let bytes = &fixture.bytes[..end];
            assert!(read(fixture.adapter, bytes, Some(fixture.hint())).is_err(), "{agent} {end}");
            let payload = Payload { bytes, hint: Some(fixture.hint()), env: &|_| None };
            for on_fault in [OnFault::Ask, OnFault::Deny] {
                let reply = fixture.adapter.fault(&payload, None, &fault, on_fault);
                let seen = taken(agent, &fixture.event(), &reply);
                let silent = on_fault == OnFault::Ask && fixture.event().name.contains("ermission");
                assert!(seen.blocked || seen.asked || silent, "{agent} {end}: {reply:?}");
            }
        }
    }
}

#[test]
fn last_words_need_only_the_name_of_the_event() {
    let fault = Fault::new(FaultKind::Panic, "\u{1b}[2Jgone");
    for fixture in all() {
        let (agent, event) = (fixture.adapter.agent().name(), fixture.event());
        for on_fault in ON_FAULT {
            let payload = Payload { bytes: b"", hint: Some(fixture.hint()), env: &|_| None };
            let reply = fixture.adapter.fault(&payload, None, &fault, on_fault);
            let seen = taken(agent, &event, &reply);
            assert!(!seen.approved, "{agent} {reply:?}");
            let waits = event.phase() == tollgate_model::Phase::PreTool && on_fault != OnFault::Allow;
            assert_eq!(
                seen.blocked || seen.asked,
                waits || seen.blocked && on_fault == OnFault::Deny,
                "{agent}"
            );
        }
    }
}

/// Without any event the answer is one that every event takes, and it refuses.
#[test]
fn an_unknown_event_is_refused_blindly() {
    let fault = Fault::new(FaultKind::Payload, "what is this");
    for adapter in ADAPTERS {
        let payload = Payload { bytes: b"{}", hint: None, env: &|_| None };
        let reply = adapter.fault(&payload, None, &fault, OnFault::Deny);
        assert_eq!(reply.expressed, Verdict::Deny);
        let said = format!("{}{}", reply.stdout, reply.stderr);
        assert!(said.contains("what is this"), "{:?}", reply);
        assert!(reply.exit == 2 || reply.stdout.starts_with('{'), "{reply:?}");
    }
}

/// What is counted as proven has payloads of the real client, and every event of theirs is in its table.
#[test]
fn what_is_counted_as_proven_is_recorded() {
    for adapter in ADAPTERS.iter().filter(|adapter| adapter.agent().name() != "claude-code") {
        let fixtures: Vec<_> = all().into_iter().filter(|f| f.adapter.agent() == adapter.agent()).collect();
        let proven = adapter.profile().proof == Proof::EndToEnd;
        assert_eq!(proven, !fixtures.is_empty(), "{}", adapter.agent().name());
    }
}

#[test]
fn every_name_of_the_manual_is_spoken() {
    let names = "claude-code codex gemini-cli cursor copilot-cli opencode qwen-code droid auggie windsurf kiro cline \
                 kilo amp generic";
    for name in names.split_whitespace() {
        assert!(tollgate_agents::adapter(name).is_some(), "{name}");
    }
    assert_eq!(ADAPTERS.len(), names.split_whitespace().count());
}
