//! What is read in each recorded payload, and what it is answered for every verdict, one snapshot of each for an agent.

use std::fmt::Write;

use tollgate_agents::{ADAPTERS, Adapter};
use tollgate_model::json::Value;
use tollgate_model::{Event, Kind, Reply, ToolUse};

use crate::fixtures::{Fixture, decisions, of, recorded};

#[test]
fn every_payload_reads_as_reviewed() {
    for adapter in recorded() {
        let read: String = of(adapter).iter().map(shown).collect();
        snapshot(&format!("{}-read", adapter.agent().name()), &read);
    }
}

#[test]
fn every_payload_is_answered_as_reviewed() {
    for adapter in recorded() {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        for fixture in of(adapter) {
            let said = answers(adapter, &fixture.event());
            match all.iter_mut().find(|(other, _)| *other == said) {
                Some((_, names)) => names.push(fixture.name),
                None => all.push((said, vec![fixture.name])),
            }
        }
        let block = |(said, names): &(String, Vec<String>)| format!("{said}  so for {}\n", names.join(", "));
        let all: String = all.iter().map(block).collect();
        snapshot(&format!("{}-answers", adapter.agent().name()), &all);
    }
}

#[test]
fn the_tables_say_in_words_what_each_event_honours() {
    for adapter in ADAPTERS.iter().filter(|adapter| adapter.agent().name() != "claude-code") {
        snapshot(&format!("{}-table", adapter.agent().name()), &adapter.profile().table());
    }
}

pub fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

pub fn shown(fixture: &Fixture) -> String {
    let event = fixture.event();
    let mut out = format!("{}: {} {:?} session={}\n", fixture.name, event.name, event.actor, event.session);
    let transcript = event.transcript.as_deref().unwrap_or("-");
    writeln!(out, "  cwd={} mode={:?} transcript={transcript}", event.cwd, event.permission_mode).unwrap();
    match &event.kind {
        Kind::PostTool { response, .. } => writeln!(out, "  response={}", short(&json(response))).unwrap(),
        Kind::PostToolFail { error, .. } => writeln!(out, "  failed: {}", short(error)).unwrap(),
        Kind::PostBatch(calls) => calls.iter().for_each(|call| out.push_str(&tool(call))),
        Kind::PreTool(_) | Kind::Permission(_) => {}
        other => writeln!(out, "  {}", short(&format!("{other:?}"))).unwrap(),
    }
    out + &event.tool().map(tool).unwrap_or_default()
}

fn tool(tool: &ToolUse) -> String {
    format!("  {} {}\n    {:?}\n    {}\n", tool.name, tool.id, tool.call, short(&json(&tool.input)))
}

pub fn answers(adapter: &dyn Adapter, event: &Event) -> String {
    let mut out = format!("{}\n", event.name);
    for (name, decision) in decisions().into_iter().filter(|(name, _)| *name != "a long reason") {
        out.push_str(&line(name, &adapter.reply(event, &decision)));
    }
    out
}

fn line(name: &str, reply: &Reply) -> String {
    let said = match (reply.stdout.as_str(), reply.stderr.as_str(), reply.exit) {
        ("", "", 0) => "silence".to_owned(),
        (stdout, "", 0) => stdout.to_owned(),
        (stdout, stderr, exit) => format!("exit {exit}, stdout {stdout:?}, stderr {stderr:?}"),
    };
    format!("  {name} -> {}: {said}\n", reply.expressed.name())
}

fn json(value: &Value) -> String {
    let mut out = String::new();
    tollgate_model::json::write(value, &mut out);
    out
}

fn short(text: &str) -> String {
    let text = text.replace('\n', "\\n");
    let mut cut: String = text.chars().take(200).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
