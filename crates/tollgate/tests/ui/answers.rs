//! What the pages read.

use serde_json::json;

use crate::client::{Server, bad, busy, call, event};

#[test]
fn the_board_says_who_works_and_who_was_refused() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let now = server.value("/api/now");
    let cards = now["cards"].as_array().unwrap();
    let of = |session: &str| cards.iter().find(|card| card["session"] == session).unwrap();
    assert_eq!(of("s-work")["state"], "working", "{now}");
    assert_eq!(of("s-work")["why"], "Bash make");
    assert_eq!(of("s-bad")["state"], "refused");
    assert!(of("s-bad")["code"].as_str().unwrap().len() >= 8);
    assert_eq!(cards[0]["session"], "s-bad", "what needs a person comes first");
    assert_eq!(now["today"]["calls"], 4);
    assert_eq!(now["today"]["refused"], 1);
}

#[test]
fn events_are_found_by_words_and_filters() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let found = |filter: &str| {
        let page = server.value(&format!("/api/events?filter={filter}"));
        let rows = page["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["subject"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let readme = scratch.project().join("README.md").display().to_string();
    assert_eq!(found(""), [bad(&scratch), "make".into(), readme.clone(), "ls src".into()]);
    assert_eq!(found("verdict:deny"), [bad(&scratch)]);
    assert_eq!(found("tool:Edit"), std::slice::from_ref(&readme));
    assert_eq!(found("path:README"), [readme]);
    assert_eq!(found("MAKE"), ["make"], "whatever the case");
    assert_eq!(found("outcome:ran").len(), 2);
    assert_eq!(found("outcome:open"), ["make"]);
    assert_eq!(found("session:s-bad").len(), 1);
    assert_eq!(found("agent:codex"), [""; 0]);
    assert_eq!(found("since:1h").len(), 4);
    assert_eq!(server.get("/api/events?filter=nonsense:x").code(), "bad_request");
    let prompts = server.value("/api/events?kind=all&filter=event:prompt");
    assert_eq!(prompts["rows"].as_array().unwrap().len(), 2);
    // Page by page, nothing twice and nothing left out.
    let (mut next, mut all) = (None, Vec::new());
    loop {
        let before = next.map_or(String::new(), |next: u64| format!("&before={next}"));
        let page = server.value(&format!("/api/events?limit=1{before}"));
        all.extend(page["rows"].as_array().unwrap().iter().map(|row| row["seq"].as_u64().unwrap()));
        next = page["next"].as_u64();
        if next.is_none() {
            break;
        }
    }
    assert_eq!(all.len(), 4, "{all:?}");
    assert!(all.is_sorted_by(|one, other| one > other), "{all:?}");
}

#[test]
fn one_call_shows_effects_in_its_source_and_its_diff() {
    let scratch = busy();
    let server = Server::start(&scratch);
    let rows = server.value("/api/events")["rows"].clone();
    let seq = |at: usize| rows[at]["seq"].as_u64().unwrap();
    let refused = server.value(&format!("/api/events/{}", seq(0)));
    let source: Vec<u16> = refused["source"].as_str().unwrap().encode_utf16().collect();
    let deletes = refused["effects"].as_array().unwrap().iter().find(|one| one["kind"] == "delete").unwrap();
    let place = |key: &str| deletes["span"][key].as_u64().unwrap() as usize;
    let marked = String::from_utf16(&source[place("start")..place("end")]).unwrap();
    assert!(marked.ends_with("/other"), "{marked}");
    assert!(!refused["findings"][0]["what"].as_str().unwrap().is_empty());
    assert!(refused["findings"][0]["span"].is_object(), "{refused}");
    assert_eq!(refused["waiting"]["seq"], refused["row"]["seq"]);
    assert_eq!(refused["result"], json!(null));
    let edit = server.value(&format!("/api/events/{}", seq(2)));
    let lines: Vec<&str> = edit["diff"][0]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["op"].as_str().unwrap())
        .collect();
    assert_eq!(lines, ["-", "+"]);
    assert_eq!(edit["result"]["outcome"], "ran");
    assert!(edit["snapshot"].is_string(), "the edit was saved first: {edit}");
    for path in ["/api/events/999999", "/api/events/x", "/api/events/-1"] {
        assert!(matches!(server.get(path).status, 400 | 404), "{path}");
    }
}

#[test]
fn a_session_is_a_story_and_a_file() {
    let scratch = busy();
    call(&scratch, "s-work", "t9", "Bash", json!({"command": "echo '<script>alert(1)</script>'"}));
    event(&scratch, "s-work", "Stop", json!({"stop_hook_active": false}));
    let server = Server::start(&scratch);
    let sessions = server.value("/api/sessions");
    assert_eq!(sessions["total"], 2, "{sessions}");
    assert_eq!(server.value("/api/sessions?filter=s-bad")["total"], 1);
    let story = server.value("/api/sessions/claude-code:s-work");
    let rows = story["rows"].as_array().unwrap();
    assert_eq!(rows[0]["phase"], "prompt");
    assert_eq!(rows.last().unwrap()["phase"], "stop");
    assert_eq!(story["lanes"][0]["calls"], 4);
    assert_eq!(story["next"], json!(null));
    let export = server.get("/api/sessions/claude-code:s-work/export");
    assert_eq!(export.status, 200);
    assert!(export.header("content-disposition").unwrap().contains("attachment"));
    assert!(export.body.contains("Fix the total") && export.body.contains("&lt;script&gt;"));
    assert!(
        !export.body.contains("<script") && !export.body.contains("http:") && !export.body.contains("https:"),
        "nothing is loaded"
    );
    for path in
        ["/api/sessions/claude-code:none", "/api/sessions/none", "/api/sessions/%00", "/api/sessions/..%2f.."]
    {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn rules_policy_cost_and_doctor_answer() {
    let scratch = busy();
    scratch.policy("version: 1\nrules:\n  git-force-push: deny\n  no-such-rule: deny\n");
    let server = Server::start(&scratch);
    let rules = server.value("/api/rules");
    let fired: Vec<&str> = rules["rules"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|rule| rule["fires"].as_u64() > Some(0))
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert!(!fired.is_empty(), "{rules}");
    let rule = server.value(&format!("/api/rules/{}", fired[0]));
    assert!(!rule["recent"].as_array().unwrap().is_empty());
    let replay = server.value(&format!("/api/rules/{}/replay?level=off", fired[0]));
    assert_eq!(replay["calls"], 4, "{replay}");
    assert_eq!(server.get(&format!("/api/rules/{}/replay?level=never", fired[0])).status, 400);
    assert_eq!(server.get("/api/rules/no-such-rule").status, 404);
    let policy = server.value("/api/policy");
    assert!(policy["problems"][0]["shown"].as_str().unwrap().contains('^'), "{}", policy["problems"]);
    let named = scratch.project().display().to_string();
    assert_eq!(server.value(&format!("/api/policy?project={named}"))["project"], named);
    assert_eq!(server.get("/api/policy?project=/etc").status, 404, "only what the log knows is looked at");
    assert_eq!(server.value("/api/cost")["total"]["answers"], 0);
    assert!(server.value("/api/doctor")["lines"].as_array().unwrap().len() > 2);
    assert_eq!(server.value("/api/about")["pin_set"], false);
}
