//! The index is asked first, so it must never keep an event from whoever has a say in it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeMap;

use tollgate_model::json::Value;
use tollgate_model::{
    Actor, Agent, Attended, Certainty, CodeSource, Effect, EffectKind, Event, Kind, Place, SearchScope, Span,
    ToolCall, ToolUse, Trace, Zone,
};
use tollgate_workflow::{Flow, Index, Interest, On, PRESETS, Watch, read};

fn flow(text: &str) -> Flow {
    let (flow, problems) = read("f.yaml", text, "x", &BTreeMap::new());
    assert_eq!(problems, [], "{text}");
    flow
}

fn calls() -> Vec<ToolCall> {
    let text = |text: &str| text.to_owned();
    vec![
        ToolCall::shell(text("ls")),
        ToolCall::Read { paths: vec![text("a")] },
        ToolCall::Write { path: text("a"), content: text("x") },
        ToolCall::Edit { path: text("a"), edits: Vec::new() },
        ToolCall::Delete { path: text("a") },
        ToolCall::Patch { text: text("x") },
        ToolCall::Search { pattern: text("x"), path: text(""), glob: None, scope: SearchScope::Contents },
        ToolCall::Fetch { url: text("https://a.b") },
        ToolCall::WebSearch { query: text("x") },
        ToolCall::Spawn { agent: text("code-reviewer"), prompt: text("x") },
        ToolCall::Command { name: text("plan"), args: text("") },
        ToolCall::Mcp { server: text("a"), tool: text("b") },
        ToolCall::Other,
    ]
}

fn kinds() -> Vec<Kind> {
    let tool = |call: ToolCall| ToolUse { id: "t".into(), name: "Bash".into(), call, input: Value::Null };
    let message = || "Use the research-agent subagent to".to_owned();
    let mut kinds = vec![
        Kind::SessionStart { source: "startup".into() },
        Kind::SessionEnd { reason: "clear".into() },
        Kind::PreCompact { trigger: "auto".into() },
        Kind::Notification { topic: "idle_prompt".into(), message: message() },
        Kind::Prompt { text: "hello".into() },
        Kind::Prompt { text: "/plan it".into() },
        Kind::Expand { command: "code".into(), args: String::new(), text: "x".into() },
        Kind::Stop { again: None, message: message() },
        Kind::SubagentStart,
        Kind::SubagentStop { again: Some(true), message: message() },
    ];
    for call in calls() {
        kinds.push(Kind::PreTool(tool(call.clone())));
        kinds.push(Kind::PermissionDenied { tool: tool(call.clone()), reason: String::new() });
        kinds.push(Kind::PostTool { tool: tool(call.clone()), response: Value::Null });
        kinds.push(Kind::PostToolFail { tool: tool(call), error: String::new() });
    }
    kinds
}

fn effects() -> Vec<Vec<Effect>> {
    let place = |path: &str| Place {
        path: path.into(),
        shown: path.into(),
        zone: Zone::Workspace,
        pattern: false,
        root: false,
    };
    let one = |kind: EffectKind| vec![Effect { kind, span: Span::default(), certainty: Certainty::Certain }];
    let exec = |words: &[&str]| EffectKind::Exec {
        program: words[0].into(),
        argv: words.iter().map(|word| (*word).to_owned()).collect(),
        source: CodeSource::Literal,
    };
    vec![
        Vec::new(),
        one(EffectKind::Delete { place: place("/p/a"), recursive: false, moved: false }),
        one(EffectKind::Alter { place: place("/p/a"), folder: false }),
        one(exec(&["git", "commit"])),
        one(exec(&["pytest", "-q"])),
    ]
}

fn event(kind: Kind) -> Event {
    Event {
        agent: Agent::ClaudeCode,
        name: String::new(),
        session: "s".into(),
        actor: Actor::Main,
        cwd: "/p".into(),
        project: None,
        transcript: None,
        permission_mode: String::new(),
        attended: Attended::default(),
        trace: Trace::default(),
        kind,
    }
}

/// Sets of workflows: every preset alone, all of them, and one workflow for each moment, class of tool and program.
fn sets() -> Vec<Vec<Flow>> {
    let presets: Vec<Flow> = PRESETS.iter().map(|preset| flow(preset.text)).collect();
    let mut sets: Vec<Vec<Flow>> = presets.iter().map(|one| vec![one.clone()]).collect();
    sets.push(presets);
    for (name, _) in On::ALL {
        for start in ["always: true", "commands: [go]"] {
            for only in ["", "    tools: [Bash]\n", "    tools: [read, mcp]\n", "    programs: [git]\n"] {
                let text = format!(
                    "version: 1\nname: one\nabout: a\nstart: {{ {start} }}\ngates:\n  - on: {name}\n{only}    message: No.\n"
                );
                sets.push(vec![flow(&text)]);
            }
        }
    }
    sets
}

#[test]
fn whoever_has_a_say_is_asked() {
    let (mut asked, mut spared) = (0, 0);
    for flows in sets() {
        let watch = Watch::of(&flows);
        let index = Index::of(&watch);
        for kind in kinds() {
            for effects in effects() {
                let event = event(kind.clone());
                let waits = matches!(event.kind, Kind::PreTool(_));
                let effects = if waits || watch.wants_effects(&event) { effects } else { Vec::new() };
                // What a call did that has run is known only to whoever is asked.
                let known = if waits { effects.as_slice() } else { &[] };
                let (all, none) =
                    (index.is_asked(&event, known, |_| true), index.is_asked(&event, known, |_| false));
                match watch.interest(&event, &effects) {
                    Interest::Anyway => assert!(none, "{event:?} {effects:?} {flows:?}"),
                    Interest::Active(names) => {
                        assert!(all, "{event:?} {effects:?} {flows:?}");
                        let named = index.is_asked(&event, known, |name| names.contains(&name));
                        assert!(named, "{names:?} {event:?} {effects:?}");
                    }
                    Interest::Nobody => {}
                }
                asked += usize::from(all);
                spared += usize::from(!all);
            }
        }
    }
    assert!(asked > 100 && spared > asked, "it spares most: {asked} {spared}");
}

#[test]
fn what_another_program_made_is_not_believed() {
    let kept = Index::of(&Watch::of(&[flow(PRESETS[0].text)])).into_bytes();
    assert!(Index::is_own(&kept) && !Index::from_bytes(kept.clone()).is_empty());
    assert!(!Index::is_own(&[]) && !Index::is_own(&kept[1..]));
    let none = Index::of(&Watch::of(&[])).into_bytes();
    assert!(Index::is_own(&none) && Index::from_bytes(none).is_empty());
    for length in 0..kept.len() {
        // Whatever is cut off, nothing breaks.
        let cut = Index::from_bytes(kept[..length].to_vec());
        let asked =
            kinds().into_iter().filter(|kind| cut.is_asked(&event(kind.clone()), &[], |_| true)).count();
        assert!(asked <= kinds().len());
    }
}
