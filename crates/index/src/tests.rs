use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_model::Record;
use tollgate_model::json::{self, Value};
use tollgate_store::Log;

use crate::{By, Index, Only, Outcome, RuleRow, Scope};

/// Appends a record at a second: its fields as JSON members, `id` naming the call.
fn put(state: &Path, second: u64, fields: &str) {
    let value = json::parse(format!("{{{fields}}}").as_bytes()).unwrap();
    let mut members = value.as_map().unwrap().to_vec();
    let call = match members.iter().position(|(name, _)| name == "call") {
        Some(at) => members.remove(at).1.as_str().unwrap().to_owned(),
        None => String::new(),
    };
    let mut fields =
        vec![("agent".to_owned(), Value::from("claude-code")), ("session".to_owned(), "s1".into())];
    fields.extend(members);
    let at = UNIX_EPOCH + Duration::from_secs(1_790_000_000 + second);
    Log::at(state).append(&Record { call, fields }, at).unwrap();
}

fn pre(state: &Path, second: u64, call: &str, verdict: &str, more: &str) {
    put(
        state,
        second,
        &format!(
            r#""phase":"pre-tool","tool":"Bash","call":"{call}","verdict":"{verdict}"{more},"us":{{"read":3,"judge":97}}"#
        ),
    );
}

fn caught_up(state: &Path) -> Index {
    let mut index = Index::open(state).unwrap();
    index.catch_up(|_| {}).unwrap();
    index
}

fn outcomes(index: &Index) -> Vec<(String, Outcome)> {
    let figures = index.figures(Scope::default());
    let session = figures.sessions(10).unwrap().into_iter().find(|row| row.session == "s1").unwrap();
    index.calls_of(session.id).unwrap().into_iter().map(|call| (call.verdict, call.outcome)).collect()
}

fn story(state: &Path) {
    put(state, 0, r#""phase":"prompt","prompt":"go""#);
    pre(state, 1, "a", "allow", r#","input":{"command":"cargo test"}"#);
    put(state, 4, r#""phase":"post-tool","tool":"Bash","call":"a","result_bytes":120"#);
    pre(state, 5, "b", "ask", r#","findings":[{"rule":"git-push","verdict":"ask"}]"#);
    put(state, 6, r#""phase":"post-tool-fail","tool":"Bash","call":"b","error":"no","took_ms":250"#);
    pre(state, 7, "c", "ask", r#","findings":[{"rule":"git-push","verdict":"ask"}]"#);
    pre(state, 8, "d", "deny", r#","findings":[{"rule":"rm","verdict":"deny"}],"code":"12345678""#);
    pre(
        state,
        9,
        "e",
        "deny",
        r#","findings":[{"rule":"rm","verdict":"deny"},{"rule":"repeated-call","verdict":"deny"}]"#,
    );
    pre(state, 10, "f", "note", r#","findings":[{"rule":"rm","verdict":"note"}],"code":"12345678""#);
    put(state, 11, r#""phase":"post-tool","tool":"Bash","call":"f","result_bytes":1"#);
    put(state, 12, r#""phase":"stop""#);
}

const ENDS: [(&str, Outcome); 6] = [
    ("allow", Outcome::Ran),
    ("ask", Outcome::Failed),
    ("ask", Outcome::None),
    ("deny", Outcome::Refused),
    ("deny", Outcome::Refused),
    ("note", Outcome::Ran),
];

fn ends() -> Vec<(String, Outcome)> {
    ENDS.map(|(verdict, outcome)| (verdict.to_owned(), outcome)).into()
}

#[test]
fn a_result_joins_its_call_and_a_turn_closes_what_has_none() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    let index = caught_up(state.path());
    assert_eq!(outcomes(&index), ends());
    let figures = index.figures(Scope::default());
    let totals = figures.totals().unwrap();
    assert_eq!((totals.events, totals.sessions, totals.prompts), (11, 1, 1));
    let calls = totals.calls;
    assert_eq!(
        (calls.calls, calls.asked, calls.denied, calls.failed, calls.none, calls.bytes),
        (6, 2, 2, 1, 1, 121)
    );
    assert_eq!(calls.took, 3_000_000 + 250_000 + 1_000_000);
    let tests = figures.tests().unwrap();
    assert_eq!((tests.passed, tests.failed), (1, 0));
    assert_eq!(figures.latency("").unwrap().percentile(0.5), Some(100));
}

#[test]
fn a_rule_is_judged_by_what_people_did_with_it() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    let rules = caught_up(state.path()).figures(Scope::default()).rules().unwrap();
    let rm =
        RuleRow { rule: "rm".into(), fires: 3, denied: 2, overridden: 1, retried: 1, ..RuleRow::default() };
    let push = RuleRow {
        rule: "git-push".into(),
        fires: 2,
        asked: 2,
        approved: 1,
        declined: 1,
        ..RuleRow::default()
    };
    let again = RuleRow { rule: "repeated-call".into(), fires: 1, denied: 1, ..RuleRow::default() };
    assert_eq!(rules, [rm.clone(), push.clone(), again]);
    assert_eq!((rm.precision(), push.precision()), (Some(1.0 - 1.0 / 3.0), Some(0.5)));
}

#[test]
fn catching_up_record_by_record_comes_to_the_same() {
    let (whole, pieces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    story(whole.path());
    for entry in Log::at(whole.path()).records() {
        let value = entry.value().unwrap();
        let members = value.as_map().unwrap();
        let kept = ["v", "seq", "ts", "id", "prev", "hash"];
        let fields = members.iter().filter(|(name, _)| !kept.contains(&name.as_str())).cloned().collect();
        let micros = tollgate_store::micros_of(value.text("ts").unwrap()).unwrap();
        let at: SystemTime = UNIX_EPOCH + Duration::from_micros(micros.unsigned_abs());
        let call = value.text("id").filter(|id| !id.starts_with('e')).unwrap_or_default().to_owned();
        let call = if value.get("tool").is_some() { value.text("id").unwrap().to_owned() } else { call };
        Log::at(pieces.path()).append(&Record { call, fields }, at).unwrap();
        caught_up(pieces.path());
    }
    let (whole, pieces) = (caught_up(whole.path()), caught_up(pieces.path()));
    assert_eq!(outcomes(&pieces), outcomes(&whole));
    for by in [By::Hour, By::Day, By::Agent, By::Tool, By::Actor] {
        let rows = |index: &Index| index.figures(Scope::default()).calls(by).unwrap();
        assert_eq!(rows(&pieces), rows(&whole));
    }
    let rules = |index: &Index| index.figures(Scope::default()).rules().unwrap();
    assert_eq!(rules(&pieces), rules(&whole));
}

#[test]
fn a_result_that_comes_after_the_turn_still_counts() {
    let state = tempfile::tempdir().unwrap();
    pre(state.path(), 1, "a", "ask", r#","findings":[{"rule":"git-push","verdict":"ask"}]"#);
    put(state.path(), 2, r#""phase":"stop""#);
    assert_eq!(outcomes(&caught_up(state.path())), [("ask".into(), Outcome::None)]);
    put(state.path(), 3, r#""phase":"post-tool","tool":"Bash","call":"a","result_bytes":7"#);
    let index = caught_up(state.path());
    assert_eq!(outcomes(&index), [("ask".into(), Outcome::Ran)]);
    let rules = index.figures(Scope::default()).rules().unwrap();
    assert_eq!((rules[0].approved, rules[0].declined), (1, 0));
    let calls = index.figures(Scope::default()).totals().unwrap().calls;
    assert_eq!((calls.calls, calls.none, calls.bytes), (1, 0, 7));
}

#[test]
fn a_turn_closes_only_the_calls_of_its_own_agent() {
    let state = tempfile::tempdir().unwrap();
    pre(state.path(), 1, "a", "allow", r#","subagent":{"id":"x","type":"Explore"}"#);
    pre(state.path(), 2, "b", "allow", "");
    put(state.path(), 3, r#""phase":"stop""#);
    let found = outcomes(&caught_up(state.path()));
    assert_eq!(found, [("allow".into(), Outcome::Open), ("allow".into(), Outcome::None)]);
    put(state.path(), 4, r#""phase":"session-end""#);
    let index = caught_up(state.path());
    assert!(outcomes(&index).iter().all(|(_, outcome)| *outcome == Outcome::None));
    let actors = index.figures(Scope::default()).calls(By::Actor).unwrap();
    assert_eq!(actors.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["", "Explore"]);
}

#[test]
fn canaries_are_nobodys_work() {
    let state = tempfile::tempdir().unwrap();
    let fields = vec![
        ("agent".to_owned(), Value::from("claude-code")),
        ("session".to_owned(), "tollgate-canary-1".into()),
        ("phase".to_owned(), "pre-tool".into()),
        ("tool".to_owned(), "Bash".into()),
    ];
    Log::at(state.path()).append(&Record { call: "c".into(), fields }, UNIX_EPOCH).unwrap();
    assert_eq!(caught_up(state.path()).figures(Scope::default()).totals().unwrap().events, 0);
    let mut all = Index::of_some(state.path(), Only { canaries: true, ..Only::default() }).unwrap();
    all.catch_up(|_| ()).unwrap();
    assert_eq!(all.figures(Scope::default()).totals().unwrap().events, 1, "unless they are asked for");
}

#[test]
fn tools_count_by_kind_and_calls_by_project() {
    let state = tempfile::tempdir().unwrap();
    let call = |second: u64, id: &str, agent: &str, tool: &str, class: &str, place: &str| {
        let fields = format!(
            r#""phase":"pre-tool","call":"{id}","agent":"{agent}","session":"{id}","tool":"{tool}","class":"{class}",{place},"verdict":"allow""#
        );
        let value = json::parse(format!("{{{fields}}}").as_bytes()).unwrap();
        let at = UNIX_EPOCH + Duration::from_secs(1_790_000_000 + second);
        Log::at(state.path())
            .append(&Record { call: id.into(), fields: value.as_map().unwrap().to_vec() }, at)
            .unwrap();
    };
    call(1, "a", "claude-code", "Bash", "shell", r#""cwd":"/p/src","project":"/p""#);
    call(2, "b", "codex", "exec_command", "shell", r#""cwd":"/p""#);
    call(3, "c", "codex", "mcp__x__y", "mcp", r#""cwd":"/q""#);
    let index = caught_up(state.path());
    let figures = index.figures(Scope::default());
    let rows = |by| -> Vec<(String, u64)> {
        figures.calls(by).unwrap().into_iter().map(|row| (row.name, row.calls)).collect()
    };
    let named = |all: &[(&str, u64)]| -> Vec<(String, u64)> {
        all.iter().map(|(name, calls)| ((*name).to_owned(), *calls)).collect()
    };
    assert_eq!(rows(By::Kind), named(&[("shell", 2), ("mcp__x__y", 1)]));
    assert_eq!(rows(By::Project), named(&[("/p", 2), ("/q", 1)]));
    assert_eq!(figures.tools_of_kinds().unwrap()["shell"], ["Bash", "exec_command"]);
    let mut some =
        Index::of_some(state.path(), Only { project: Some("/q".into()), ..Only::default() }).unwrap();
    some.catch_up(|_| ()).unwrap();
    assert_eq!(some.figures(Scope::default()).totals().unwrap().calls.calls, 1);
}

#[test]
fn f05_a_damaged_index_is_built_anew() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    let path = state.path().join("index.db");
    let expected = outcomes(&caught_up(state.path()));
    let whole = std::fs::read(&path).unwrap();
    let damages: Vec<Vec<u8>> = vec![
        b"no database at all".to_vec(),
        whole[..whole.len() / 2].to_vec(),
        whole[..7].to_vec(),
        whole.iter().enumerate().map(|(at, byte)| if at % 512 < 100 { !byte } else { *byte }).collect(),
        Vec::new(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(state.path().join(format!("index.db{end}")));
        }
        std::fs::write(&path, damage).unwrap();
        let again = outcomes(&caught_up(state.path()));
        assert_eq!(again, expected, "damage {number}");
    }
}

#[test]
fn f34_an_index_of_another_version_is_built_anew() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    let expected = outcomes(&caught_up(state.path()));
    let index = Index::open(state.path()).unwrap();
    index.db.execute_batch("DELETE FROM calls; PRAGMA user_version = 99").unwrap();
    drop(index);
    let index = caught_up(state.path());
    assert!(index.rebuilt.is_some());
    assert_eq!(outcomes(&index), expected);
}

#[test]
fn another_log_in_the_same_place_is_noticed() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    caught_up(state.path());
    std::fs::remove_file(state.path().join("events.jsonl")).unwrap();
    std::fs::remove_file(state.path().join("head")).unwrap();
    pre(state.path(), 1, "z", "allow", "");
    let index = caught_up(state.path());
    assert_eq!(outcomes(&index), [("allow".into(), Outcome::Open)]);
}

#[test]
fn f21_a_link_in_place_of_the_index_is_left_alone() {
    let state = tempfile::tempdir().unwrap();
    let target = state.path().join("precious");
    std::fs::write(&target, "years of work").unwrap();
    std::os::unix::fs::symlink(&target, state.path().join("index.db")).unwrap();
    assert!(Index::open(state.path()).is_err());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "years of work");
}

#[test]
fn whole_days_and_single_hours_add_up_to_the_same() {
    let state = tempfile::tempdir().unwrap();
    for step in 0..60 {
        pre(state.path(), step * 3000, &format!("c{step}"), if step % 7 == 0 { "deny" } else { "allow" }, "");
    }
    let index = caught_up(state.path());
    let hour = 3_600_000_000;
    let by_day = index.figures(Scope::default());
    // An hour that is no midnight makes it count by the hour.
    let by_hour = index.figures(Scope { from: Some(hour), ..Scope::default() });
    for by in [By::Hour, By::Day, By::Agent, By::Tool, By::Actor] {
        assert_eq!(by_day.calls(by).unwrap(), by_hour.calls(by).unwrap(), "{by:?}");
    }
    assert_eq!(by_day.totals().unwrap(), by_hour.totals().unwrap());
    assert_eq!(by_day.latency("").unwrap(), by_hour.latency("").unwrap());
    let days = by_day.calls(By::Day).unwrap();
    let second: i64 = days[1].name.parse().unwrap();
    let one = index.figures(Scope {
        from: Some(second * 24 * hour),
        to: Some((second + 1) * 24 * hour),
        agent: None,
    });
    assert_eq!(one.totals().unwrap().calls.calls, days[1].calls);
}

#[test]
fn many_who_ask_at_once_count_everything_once() {
    let state = tempfile::tempdir().unwrap();
    story(state.path());
    let one = caught_up(state.path()).figures(Scope::default()).totals().unwrap();
    for _ in 0..5 {
        let _ = std::fs::remove_file(state.path().join("index.db"));
        for end in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(state.path().join(format!("index.db{end}")));
        }
        let start = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    assert_eq!(caught_up(state.path()).figures(Scope::default()).totals().unwrap(), one);
                });
            }
        });
    }
}
