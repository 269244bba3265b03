//! `tollgate init` and `tollgate uninstall`, as a person runs them.

#![allow(clippy::unwrap_used, reason = "tests")]

mod install_support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use install_support::{Home, Ran, TOLLGATE, finish};

const SETTINGS: &str = ".claude/settings.json";
const POLICY: &str = ".config/tollgate/tollgate.yaml";

fn check(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    for words in says {
        assert!(ran.out.contains(words), "`{words}` is not in:\n{}", ran.out);
    }
}

#[test]
fn init_proves_itself_and_uninstall_leaves_no_trace() {
    for before in [None, Some(""), Some("{}"), Some("{\n\t\"model\": \"opus\",\r\n\t\"hooks\": {}\n}")] {
        let home = Home::new();
        before.iter().for_each(|text| home.write(SETTINGS, text));
        let says = ["registered for 29 events", "`rm -rf ~` is refused", "`ls` passes", "Tollgate is active"];
        check(&home.run(&["init", "--yes"]), 0, &says);
        let after = home.settings();
        assert_eq!(after.matches(TOLLGATE).count(), 29);
        assert!(home.read(POLICY).contains("\nmode: enforce\n"));
        check(&home.run(&["init"]), 0, &["as it should be", "stays as it is", "`ls` passes"]);
        assert_eq!(home.settings(), after);
        check(&home.run(&["uninstall", "--yes"]), 0, &["The gate is off"]);
        assert_eq!(fs::read_to_string(home.path(SETTINGS)).ok().as_deref(), before);
        check(&home.run(&["uninstall", "--yes"]), 0, &["nothing to take out"]);
    }
}

#[test]
fn nothing_changes_without_a_yes() {
    let home = Home::with("{}");
    check(&home.run(&["init"]), 2, &["no terminal to ask on", "--yes"]);
    check(
        &home.run(&["init", "--dry-run"]),
        0,
        &["PreToolUse", "(edited)", "(new file, mode: enforce)", "nothing was changed"],
    );
    assert_eq!(home.settings(), "{}");
    assert!(!home.path(POLICY).exists() && !home.path(".local").exists());
    let home = Home::installed();
    let after = home.settings();
    check(&home.run(&["uninstall"]), 2, &["no terminal to ask on"]);
    check(&home.run(&["uninstall", "--dry-run"]), 0, &["gets its old bytes back", "nothing was changed"]);
    assert_eq!(home.settings(), after);
}

#[test]
fn a_person_is_asked_on_the_terminal() {
    for (answer, exit, installed) in [("n\n", 1, false), ("\n", 1, false), ("y\n", 0, true)] {
        let home = Home::with("{}");
        let words = format!("exec {TOLLGATE} init");
        let mut terminal = home.command(Path::new("script"), &["-qec", &words, "/dev/null"]);
        check(&finish(&mut terminal, answer.as_bytes()), exit, &["Go ahead? [y/N]"]);
        assert_eq!(home.settings().contains(TOLLGATE), installed, "{answer:?}");
    }
}

#[test]
fn f42_agents_cannot_run_owner_commands() {
    let marks =
        ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE", "CODEX_SANDBOX"];
    let home = Home::with("{}");
    for mark in marks {
        for verb in ["init", "uninstall"] {
            check(
                &home.run_with(&[verb, "--yes"], mark, "1"),
                2,
                &["is for people", mark, "terminal of your own"],
            );
        }
    }
    fs::copy("/bin/sh", home.path("bin/claude")).unwrap();
    let script = format!("{TOLLGATE} init --yes; exit $?");
    check(
        &finish(&mut home.command(&home.path("bin/claude"), &["-c", &script]), b""),
        2,
        &["`claude` is running it"],
    );
    let nested = format!("sh -c 'setsid --wait {TOLLGATE} init --yes; exit $?'; exit $?");
    check(
        &finish(&mut home.command(&home.path("bin/claude"), &["-c", &nested]), b""),
        2,
        &["`claude` is running it"],
    );
    assert_eq!(home.settings(), "{}");
}

#[test]
fn scopes_are_different_files() {
    let home = Home::new();
    fs::create_dir(home.path("p/.git")).unwrap();
    fs::create_dir(home.path("p/src")).unwrap();
    let files = [
        ("user", SETTINGS),
        ("project", "p/.claude/settings.json"),
        ("local", "p/.claude/settings.local.json"),
    ];
    for (scope, file) in files {
        let mut init = home.command(Path::new(TOLLGATE), &["init", "--yes", "--scope", scope]);
        check(&finish(init.current_dir(home.path("p/src")), b""), 0, &["`ls` passes"]);
        assert!(home.read(file).contains("\"PreToolUse\""), "{scope}");
    }
    check(&home.run(&["uninstall", "--yes", "--scope", "local"]), 0, &["settings.local.json is gone"]);
    // From anywhere: the backups know where.
    let mut uninstall = home.command(Path::new(TOLLGATE), &["uninstall", "--yes"]);
    check(
        &finish(uninstall.current_dir("/"), b""),
        0,
        &["~/.claude/settings.json is gone", "p/.claude/settings.json is gone"],
    );
    assert!(files.iter().all(|(_, file)| !home.path(file).exists()) && home.path(".claude").exists());
}

#[test]
fn a_moved_settings_directory_is_honoured() {
    let home = Home::empty();
    let moved = home.path("elsewhere");
    fs::create_dir(&moved).unwrap();
    check(
        &home.run_with(&["init", "--yes"], "CLAUDE_CONFIG_DIR", moved.to_str().unwrap()),
        0,
        &["elsewhere/settings.json"],
    );
    assert!(home.read("elsewhere/settings.json").contains(TOLLGATE) && !home.path(".claude").exists());
}

#[test]
fn an_agent_must_be_there_or_be_named() {
    let home = Home::empty();
    check(
        &home.run(&["init", "--yes"]),
        2,
        &["no coding agent was found", "tollgate init --agent claude-code"],
    );
    assert!(!home.path(".claude").exists());
    assert_eq!(home.run(&["init", "--detect"]).out, "");
    check(&home.run(&["init", "--yes", "--agent", "claude-code"]), 0, &["`ls` passes"]);
    assert_eq!(home.run(&["init", "--detect"]).out, "claude-code\n");
    check(&home.run(&["init", "--agent", "emacs"]), 2, &["claude-code"]);
    home.program("codex", "exit 0");
    check(
        &home.run(&["init", "--yes"]),
        0,
        &["registered for 12 events in ~/.codex/hooks.json", "the hooks are trusted"],
    );
}

#[test]
fn the_version_of_claude_matters() {
    let home = Home::new();
    home.program("claude", "echo '2.1.138 (Claude Code)'");
    check(&home.run(&["init", "--yes"]), 2, &["2.1.138 is too old", "claude update"]);
    assert!(!home.path(SETTINGS).exists());
    home.program("claude", "echo '2.1.200 (Claude Code)'");
    check(&home.run(&["init", "--yes"]), 0, &["Claude Code 2.1.200", "lets a call pass when a hook crashes"]);
    home.program("claude", "echo '2.1.325 (Claude Code)'");
    let ran = home.run(&["init", "--yes"]);
    check(&ran, 0, &["Claude Code 2.1.325"]);
    assert!(!ran.out.contains("warn"), "{}", ran.out);
}

#[test]
fn observe_mode_is_written_once_and_never_over_a_file() {
    let home = Home::new();
    check(&home.run(&["init", "--yes", "--mode", "observe"]), 0, &["mode: observe", "Tollgate is active"]);
    assert!(home.read(POLICY).contains("\nmode: observe\n"));
    check(&home.run(&["init", "--yes", "--mode", "enforce"]), 0, &["set `mode: enforce` in it yourself"]);
    assert!(home.read(POLICY).contains("\nmode: observe\n"));
}

/// With nothing of the gate's in the home directory, observe mode lets even that go. Not the gate itself.
#[test]
fn a_policy_that_lets_the_first_canary_pass_is_proved_by_the_second() {
    let home = Home::new();
    let away = Home::empty();
    let mut init = home.command(Path::new(TOLLGATE), &["init", "--yes", "--mode", "observe"]);
    for (name, dir) in [("XDG_CONFIG_HOME", "c"), ("XDG_STATE_HOME", "s"), ("CLAUDE_CONFIG_DIR", "p")] {
        init.env(name, away.path(dir));
    }
    fs::remove_dir(home.path(".claude")).unwrap();
    let says = "your policy lets `rm -rf ~` pass; `tollgate uninstall --yes` is refused";
    check(&finish(&mut init, b""), 0, &[says, "tollgate explain 'rm -rf ~'"]);
}

#[test]
fn what_keeps_the_gate_from_working_is_said() {
    let cases = [
        (
            "{\n  // mine\n  \"model\": \"opus\",\n}\n",
            "settings.json:2:3: a comment, and Claude Code ignores",
        ),
        ("{\"disableAllHooks\": true}", "`disableAllHooks` in"),
    ];
    for (before, says) in cases {
        let home = Home::with(before);
        check(&home.run(&["init", "--yes"]), 1, &["`ls` passes", says, "Tollgate is NOT active"]);
        assert!(home.settings().contains(TOLLGATE));
        check(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
        assert_eq!(home.settings(), before);
    }
}

#[test]
fn files_that_cannot_be_edited_stay_as_they_are() {
    let cases = [
        (
            "{\n  \"a\": 1\n  \"b\": 2\n}",
            "settings.json:2:9: not valid JSON: expected comma; nothing was changed",
        ),
        ("{\"hooks\": [1]}", "`hooks` must be an object"),
    ];
    for (before, says) in cases {
        let home = Home::with(before);
        check(&home.run(&["init", "--yes"]), 2, &[says]);
        assert_eq!(home.settings(), before);
        assert!(!home.path(".local").exists() && !home.path(POLICY).exists());
    }
}

#[test]
fn somebody_elses_broken_file_does_not_keep_ours_in() {
    let home = Home::installed();
    home.write("p/.claude/settings.json", "{ broken");
    check(&home.run(&["uninstall", "--yes"]), 0, &["byte for byte"]);
    home.write("p/.claude/settings.json", "{ \"tollgate hook\" broken");
    check(&home.run(&["uninstall", "--yes"]), 2, &["settings.json:1:"]);
}

#[test]
fn changes_made_since_survive() {
    let home = Home::with("{\n  \"model\": \"opus\"\n}\n");
    check(&home.run(&["init", "--yes"]), 0, &[]);
    home.edit(SETTINGS, "\"opus\"", "\"sonnet\"");
    check(&home.run(&["uninstall", "--yes"]), 0, &["only Tollgate's 29 entries go", "is without Tollgate"]);
    assert_eq!(home.settings(), "{\n  \"model\": \"sonnet\"\n}\n");
}

#[test]
fn a_directory_that_cannot_be_written_is_told() {
    let home = Home::with("{}");
    let owner = rustix::process::geteuid().as_raw();
    // Root may write anywhere, so the command runs as another user.
    let user = if owner == 0 { 65534 } else { owner };
    // That user may not be able to reach the checkout.
    let program = home.path("bin/tollgate");
    fs::copy(TOLLGATE, &program).unwrap();
    give(&home.path(""), user);
    fs::set_permissions(home.path(".claude"), fs::Permissions::from_mode(0o555)).unwrap();
    let mut init = home.command(&program, &["init", "--yes"]);
    if owner == 0 {
        init.uid(user).gid(user);
    }
    check(&finish(&mut init, b""), 2, &["cannot write in", ".claude"]);
    assert_eq!(home.settings(), "{}");
    fs::set_permissions(home.path(".claude"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_linked_settings_file_stays_linked() {
    let home = Home::new();
    home.write("dotfiles/claude.json", "{ \"a\": 1 }\n");
    symlink("../dotfiles/claude.json", home.path(SETTINGS)).unwrap();
    check(&home.run(&["init", "--yes"]), 0, &["~/.claude/settings.json -> ~/dotfiles/claude.json"]);
    assert!(home.path(SETTINGS).is_symlink() && home.read("dotfiles/claude.json").contains(TOLLGATE));
    check(&home.run(&["uninstall", "--yes"]), 0, &[]);
    assert!(home.path(SETTINGS).is_symlink());
    assert_eq!(home.read("dotfiles/claude.json"), "{ \"a\": 1 }\n");
}

/// A stand-in for the client: says its version, and makes the call that its prompt asks for.
const OBEDIENT: &str = r#"
[ "$1" = --version ] && { echo '2.1.325 (Claude Code)'; exit; }
printf '{"session_id":"live","transcript_path":"","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t"}' \
  "$PWD" "${2##*happens: }" | GATE hook claude-code PreToolUse --config "$HOME/.config/tollgate" --state "$HOME/.local/state/tollgate"
"#;

#[test]
fn a_live_canary_looks_for_the_call_in_the_log() {
    let idle = OBEDIENT.replace("${2##*happens: }", "ls");
    let deaf = "[ \"$1\" = --version ] && echo '2.1.325 (Claude Code)' || echo 'I will not.'";
    let cases = [
        (OBEDIENT, 0, "Claude Code asked the gate, and the call was refused"),
        (idle.as_str(), 0, "hooks fire, but the model did not make the call"),
        (deaf, 1, "ran without asking the gate; it said: I will not."),
    ];
    for (script, exit, says) in cases {
        let home = Home::new();
        home.program("claude", &script.replace("GATE", TOLLGATE));
        check(&home.run(&["init", "--yes", "--live"]), exit, &[says]);
    }
}

fn give(path: &Path, user: u32) {
    std::os::unix::fs::chown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), user));
    }
}
