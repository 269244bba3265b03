//! What we read in each recorded payload and what we answer for each verdict, one snapshot a payload.

use std::fmt::Write;

use tollgate_agents::Adapter;
use tollgate_agents::claude_code::{ClaudeCode, capabilities};
use tollgate_model::json::object;
use tollgate_model::{Attended, Decision, Event, Kind, Reply, ToolUse, Verdict};

use crate::fixtures::{all, decision, json, with};

#[test]
fn every_payload_reads_and_answers_as_reviewed() {
    settings().bind(|| {
        for fixture in all() {
            let event = fixture.event();
            insta::assert_snapshot!(fixture.name.as_str(), format!("{}{}", shown(&event), answers(&event)));
        }
    });
}

#[test]
fn the_table_says_in_words_what_each_event_honours() {
    let mut table = String::from("| event | deny | ask | halt | context | rewrite | message |\n");
    table.push_str("|---|---|---|---|---|---|---|\n");
    for row in capabilities() {
        writeln!(table, "| {} | {} |", row.name, row.words().join(" | ")).unwrap();
    }
    settings().bind(|| insta::assert_snapshot!("capabilities", table));
}

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

fn shown(event: &Event) -> String {
    let mut out = format!("{} {:?} session={}\n", event.name, event.actor, event.session);
    let project = event.project.as_deref().unwrap_or("-");
    let transcript = event.transcript.as_deref().unwrap_or("-");
    writeln!(out, "cwd={} project={project} mode={:?}", event.cwd, event.permission_mode).unwrap();
    writeln!(out, "attended={:?} transcript={transcript}", event.attended).unwrap();
    match &event.kind {
        Kind::PostTool { response, .. } => writeln!(out, "response={}", json(response)).unwrap(),
        Kind::PostToolFail { error, .. } => writeln!(out, "error={error:?}").unwrap(),
        Kind::PermissionDenied { reason, .. } => writeln!(out, "reason={reason:?}").unwrap(),
        Kind::PostBatch(calls) => calls.iter().for_each(|call| out.push_str(&tool(call))),
        Kind::PreTool(_) | Kind::Permission(_) => {}
        other => writeln!(out, "{other:?}").unwrap(),
    }
    out + &event.tool().map(tool).unwrap_or_default()
}

fn tool(tool: &ToolUse) -> String {
    format!("{} {}\n  {:?}\n  {}\n", tool.name, tool.id, tool.call, json(&tool.input))
}

fn answers(event: &Event) -> String {
    let mut out = String::from("\n");
    for verdict in Verdict::ALL {
        let said = |attended| ClaudeCode.reply(&with(event, attended), &decision(verdict));
        let (yes, no) = (said(Attended::Yes), said(Attended::No));
        out.push_str(&line(verdict.name(), &yes));
        if no != yes {
            out.push_str(&line(&format!("{} unattended", verdict.name()), &no));
        }
    }
    let texts =
        Decision { context: vec!["CONTEXT".into()], notices: vec!["NOTICE".into()], ..Decision::default() };
    let rewrite = Some(object([("command", "true".into())]));
    let extras = [
        ("texts", texts),
        ("approve", Decision { approve: true, ..Decision::default() }),
        ("rewrite", Decision { rewrite, ..Decision::default() }),
    ];
    for (name, decision) in extras {
        let reply = ClaudeCode.reply(event, &decision);
        if reply != Reply::default() {
            out.push_str(&line(name, &reply));
        }
    }
    out
}

fn line(name: &str, reply: &Reply) -> String {
    let silent = reply.stdout.is_empty() && reply.stderr.is_empty() && reply.exit == 0;
    if silent {
        return format!("{name} -> {}: silence\n", reply.expressed.name());
    }
    let exit = match reply.exit {
        0 => {
            assert_eq!(reply.stderr, "");
            String::new()
        }
        exit => format!(", exit {exit}: {}", reply.stderr.trim_end().escape_debug()),
    };
    format!("{name} -> {}: {}{exit}\n", reply.expressed.name(), reply.stdout)
}
