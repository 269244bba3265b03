//! Every example of every rule, through the whole of analysis and judgement.

#![allow(clippy::panic, reason = "tests")]

use tollgate_model::json::{Value, object};
use tollgate_model::{
    Actor, Agent, Attended, Dialect, Event, Example, Kind, Rule, StillFile, StillWorld, ToolCall, ToolUse,
};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

fn world() -> StillWorld {
    let files = [
        ("/home/user/.ssh/id_rsa", "key"),
        ("/home/user/.ssh/id_rsa.pub", "key"),
        ("/home/user/.claude/settings.json", "{}"),
        ("/home/user/notes.txt", "notes"),
        ("/home/user/project/.env", "A=1"),
        ("/home/user/project/README.md", "# readme"),
        ("/home/user/project/src/old.rs", ""),
        ("/home/user/project/payload.b64", "xx"),
    ];
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        own: vec!["/home/user/.config/tollgate".into(), "/home/user/.local/state/tollgate".into()],
        files: files
            .iter()
            .map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())))
            .collect(),
        ..StillWorld::default()
    }
}

fn call(example: &Example) -> ToolCall {
    let text = example.text.to_owned();
    match example.tool {
        "Shell" => ToolCall::Shell { command: text, dialect: Dialect::Posix, cwd: None, sandbox_off: false },
        "Read" => ToolCall::Read { paths: vec![text] },
        "Write" => ToolCall::Write { path: text, content: "x".into() },
        other => panic!("no such tool in examples: {other}"),
    }
}

fn event(call: ToolCall) -> Event {
    Event {
        agent: Agent::ClaudeCode,
        name: "PreToolUse".into(),
        session: "s".into(),
        actor: Actor::Main,
        cwd: "/home/user/project".into(),
        project: None,
        transcript: None,
        permission_mode: String::new(),
        attended: Attended::Yes,
        kind: Kind::PreTool(ToolUse {
            id: "1".into(),
            name: "Bash".into(),
            call,
            input: object([("x", Value::Null)]),
        }),
    }
}

#[test]
fn every_example_is_judged_as_it_says() {
    let mut wrong = Vec::new();
    for card in tollgate_rules::all().map(Rule::card) {
        assert!(
            card.examples.iter().any(|e| e.hit) && card.examples.iter().any(|e| !e.hit),
            "{} needs both kinds",
            card.id
        );
        for example in card.examples {
            let judgement = judge(&event(call(example)), &world(), &Policy::builtin());
            let found = judgement.decision.findings.iter().find(|finding| finding.rule == card.id);
            let right = found.is_some_and(|finding| finding.verdict.refuses()) == example.hit;
            if !right {
                let kind = if example.hit { "must be caught" } else { "must be free" };
                wrong.push(format!(
                    "{}: {} {:?} {kind}; effects {:#?}",
                    card.id, example.tool, example.text, judgement.effects
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
