//! Payloads from documentation: what is read in them, and that the answers are what the documentation takes. No proof of
//! the clients, which stay unverified.

use std::path::Path;

use tollgate_agents::adapter;
use tollgate_model::Verdict;

use crate::fixtures::{Fixture, decisions};
use crate::hosts;
use crate::snapshots::{answers, shown, snapshot};

/// The folder, and the adapter that reads it.
const HOSTS: &[(&str, &str)] = &[("cursor", "cursor"), ("vscode", "copilot-cli")];

fn fixtures(host: &str, agent: &str) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("documented").join(host);
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let fixture = |path: &std::path::PathBuf| Fixture {
        adapter: adapter(agent).unwrap(),
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        bytes: std::fs::read(path).unwrap(),
    };
    paths.iter().map(fixture).collect()
}

#[test]
fn what_is_documented_is_read_and_answered_as_reviewed() {
    for (host, agent) in HOSTS {
        let all = fixtures(host, agent);
        snapshot(&format!("{host}-documented-read"), &all.iter().map(shown).collect::<String>());
        let mut events = all.iter().map(Fixture::event).collect::<Vec<_>>();
        events.dedup_by(|a, b| a.name == b.name);
        let said: String = events.iter().map(|event| answers(adapter(agent).unwrap(), event)).collect();
        snapshot(&format!("{host}-documented-answers"), &said);
    }
}

#[test]
fn every_answer_is_one_that_the_documentation_takes() {
    for (host, agent) in HOSTS {
        for fixture in fixtures(host, agent) {
            let event = fixture.event();
            for (name, decision) in decisions() {
                let reply = fixture.adapter.reply(&event, &decision);
                let about = format!("{host} {} {name}: {reply:?}", fixture.name);
                let seen =
                    hosts::take(host, &event.name, &reply).unwrap_or_else(|error| panic!("{error}: {about}"));
                match reply.expressed {
                    Verdict::Deny => assert!(seen.blocked, "{about}"),
                    Verdict::Ask => assert!(seen.asked || event.name == "preToolUse", "{about}"),
                    Verdict::Halt => {}
                    _ => assert!(!seen.blocked && !seen.asked, "{about}"),
                }
                if event.pending().is_some() && decision.verdict >= Verdict::Deny {
                    assert!(seen.blocked, "{about}");
                }
            }
        }
    }
}
