//! `tollgate doctor` and `tollgate canary`: every way in which a gate can be out of force.

#![allow(clippy::unwrap_used, reason = "tests")]

mod install_support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use install_support::{Home, SESSION_CALL, TOLLGATE};

const SETTINGS: &str = ".claude/settings.json";
const POLICY: &str = ".config/tollgate/tollgate.yaml";
const LOG: &str = ".local/state/tollgate/events.jsonl";

type Spoil<'a> = &'a dyn Fn(&Home);

#[test]
fn a_fresh_installation_is_in_force_but_unproven() {
    let home = Home::installed();
    let ran = home.run(&["doctor"]);
    assert_eq!(ran.exit, 0, "{}", ran.out);
    for says in [
        "ok    registered for 29 events",
        "`rm -rf ~` is refused",
        "newly installed; the first session will show here",
        "sandbox is off",
        "not anchored",
        "unbroken chain",
    ] {
        assert!(ran.out.contains(says), "{says}:\n{}", ran.out);
    }
    assert!(!ran.out.contains('\x1b'), "no colour without a terminal");
}

#[test]
fn the_machines_powers_are_shown() {
    let out = Home::installed().run(&["doctor"]).out;
    let machine = out.split("This machine").nth(1).unwrap_or_default();
    let limits =
        ["`tollgate run` can contain commands (Landlock ABI ", "`tollgate run` cannot contain commands: "];
    assert!(limits.iter().any(|says| machine.contains(says)), "{out}");
    let clones = ["share their blocks with the originals", "this file system has no reflinks"];
    assert!(clones.iter().any(|says| machine.contains(says)), "{out}");
    assert!(machine.contains("Claude Code: run calls as middleware rewrote them"), "{out}");
}

#[test]
fn canaries_do_not_count_as_sessions_but_events_do() {
    let home = Home::installed();
    home.run(&["canary"]);
    assert!(home.run(&["doctor"]).out.contains("newly installed"));
    home.event(SESSION_CALL);
    let out = home.run(&["doctor"]).out;
    assert!(out.contains("last asked by a session just now; half of the last 1 calls took under"), "{out}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn every_way_to_be_out_of_force_has_a_light_and_a_cure() {
    let cases: &[(&str, Spoil, i32, &str, &str)] = &[
        (
            "not registered",
            &|home| home.write(SETTINGS, "{}"),
            1,
            "FAIL  Tollgate is not registered",
            "tollgate init",
        ),
        (
            "f33 binary gone",
            &|home| home.edit(SETTINGS, TOLLGATE, "/no/such/tollgate"),
            1,
            "FAIL  `/no/such/tollgate` is not there",
            "tollgate init",
        ),
        (
            "f33 another program in its place",
            &|home| {
                home.program("tollgate", "echo tollgate 9.9.9");
                home.edit(SETTINGS, TOLLGATE, home.path("bin/tollgate").to_str().unwrap());
            },
            1,
            "FAIL  `",
            "does not answer as a gate",
        ),
        (
            "f34 another version",
            &|home| {
                home.program(
                    "tollgate",
                    &format!("[ \"$1\" = --version ] && echo tollgate 9.9.9 || exec {TOLLGATE} \"$@\""),
                );
                home.edit(SETTINGS, TOLLGATE, home.path("bin/tollgate").to_str().unwrap());
            },
            0,
            "warn  the registered gate is version 9.9.9",
            "tollgate init",
        ),
        (
            "a gate that lets all pass",
            &|home| {
                home.program("tollgate", "echo tollgate 0.1.0 >&2; cat > /dev/null");
                home.edit(SETTINGS, TOLLGATE, home.path("bin/tollgate").to_str().unwrap());
            },
            1,
            "FAIL  the gate lets everything pass",
            "tollgate check",
        ),
        (
            "a comment",
            &|home| home.edit(SETTINGS, "{\n", "{ // hi\n"),
            1,
            "a comment, and Claude Code ignores",
            "take it out of the file",
        ),
        (
            "all hooks off",
            &|home| home.edit(SETTINGS, "{\n", "{ \"disableAllHooks\": true,\n"),
            1,
            "FAIL  `disableAllHooks`",
            "take `disableAllHooks` out",
        ),
        (
            "hooks off in the project",
            &|home| home.write("p/.claude/settings.local.json", "{\"disableAllHooks\": true}"),
            1,
            "p/.claude/settings.local.json switches the gate off",
            "take",
        ),
        (
            "a narrower matcher",
            &|home| {
                home.edit(
                    SETTINGS,
                    "\"PreToolUse\": [{ \"matcher\": \"*\"",
                    "\"PreToolUse\": [{ \"matcher\": \"Bash\"",
                )
            },
            1,
            "leaves tools out",
            "tollgate init --scope user",
        ),
        (
            "async",
            &|home| {
                home.edit(
                    SETTINGS,
                    "\"timeout\": 60, \"onFailure\"",
                    "\"timeout\": 60, \"async\": true, \"onFailure\"",
                )
            },
            1,
            "`async` in the gate's entry",
            "tollgate init",
        ),
        (
            "no onFailure",
            &|home| home.edit(SETTINGS, ", \"onFailure\": \"block\"", ""),
            0,
            "warn  2 entries in ~/.claude/settings.json are not as this version writes them",
            "tollgate init",
        ),
        (
            "an event missing",
            &|home| home.edit(SETTINGS, "\"Stop\"", "\"NoSuchEvent\""),
            0,
            "1 events are not registered in ~/.claude/settings.json: Stop",
            "tollgate init",
        ),
        (
            "f28 a preloaded library",
            &|home| home.edit(SETTINGS, "{\n", "{ \"env\": {\"LD_PRELOAD\": \"x\"},\n"),
            1,
            "FAIL  the `env` block",
            "LD_PRELOAD",
        ),
        (
            "f28 another search path",
            &|home| home.write("p/.claude/settings.json", "{\"env\": {\"PATH\": \"x\"}}"),
            0,
            "warn  the `env` block in ~/p/.claude/settings.json reaches the gate: PATH",
            "take these names out",
        ),
        (
            "f24 a policy that anyone can write",
            &|home| fs::set_permissions(home.path(POLICY), fs::Permissions::from_mode(0o666)).unwrap(),
            1,
            "FAIL  policy file",
            "-> chmod go-w",
        ),
        (
            "f06 a broken policy",
            &|home| home.write(POLICY, "version: 1\nmode: sometimes\n"),
            1,
            "FAIL  policy file is broken",
            "tollgate check",
        ),
        (
            "observe mode",
            &|home| home.write(POLICY, "version: 1\nmode: observe\n"),
            0,
            "warn  mode: observe",
            "set `mode: enforce`",
        ),
        (
            "a state directory open to others",
            &|home| {
                fs::set_permissions(home.path(".local/state/tollgate"), fs::Permissions::from_mode(0o755))
                    .unwrap()
            },
            0,
            "open to others",
            "chmod 700",
        ),
        (
            "f39 a log that was edited",
            &|home| home.edit(LOG, "\"verdict\":\"deny\"", "\"verdict\":\"allow\""),
            0,
            "changed behind the gate's back",
            "look at",
        ),
        (
            "bypass mode",
            &|home| {
                home.edit(SETTINGS, "{\n", "{ \"permissions\": {\"defaultMode\": \"bypassPermissions\"},\n")
            },
            0,
            "sessions start in bypass mode",
            "permissions.defaultMode",
        ),
        (
            "an old client",
            &|home| home.program("claude", "echo 2.1.100"),
            1,
            "FAIL  Claude Code 2.1.100 is too old",
            "claude update",
        ),
    ];
    for (name, spoil, exit, says, cure) in cases {
        let home = Home::installed();
        spoil(&home);
        let ran = home.run(&["doctor"]);
        assert_eq!(ran.exit, *exit, "{name}:\n{}", ran.out);
        assert!(ran.out.contains(says) && ran.out.contains(cure), "{name}:\n{}", ran.out);
    }
}

#[test]
fn a_sandbox_that_is_on_is_not_mentioned() {
    let home = Home::installed();
    home.edit(SETTINGS, "\"hooks\": {", "\"sandbox\": {\"enabled\": true}, \"hooks\": {");
    assert!(!home.run(&["doctor"]).out.contains("sandbox"));
}

#[test]
fn a_machine_without_claude_is_no_failure() {
    let ran = Home::empty().run(&["doctor"]);
    assert_eq!(ran.exit, 0, "{}", ran.out);
    assert!(ran.out.contains("Claude Code was not found"), "{}", ran.out);
}

#[test]
fn a_pipe_in_place_of_settings_is_not_waited_for() {
    let home = Home::installed();
    fs::create_dir(home.path("p/.claude")).unwrap();
    let made =
        std::process::Command::new("mkfifo").arg(home.path("p/.claude/settings.json")).status().unwrap();
    assert!(made.success());
    assert_eq!(home.run(&["doctor"]).exit, 0);
}

#[test]
fn json_has_every_line() {
    let home = Home::installed();
    home.write("p/.claude/settings.json", "{\"disableAllHooks\": true}");
    let ran = home.run(&["doctor", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (ran.exit, value["light"].as_str(), value["active"].as_bool()),
        (1, Some("fail"), Some(false))
    );
    let lines = value["lines"].as_array().unwrap();
    let fail = lines.iter().find(|line| line["light"] == "fail").unwrap();
    assert_eq!(fail["fix"], "take `disableAllHooks` out of that file");
    assert!(lines.iter().filter(|line| line["light"] != "ok").all(|line| line["fix"].is_string()));
}

#[test]
fn doctor_changes_no_file_but_the_log() {
    let home = Home::installed();
    let before = (home.settings(), home.read(POLICY));
    home.run(&["doctor"]);
    assert_eq!((home.settings(), home.read(POLICY)), before);
}
