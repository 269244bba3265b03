//! `tollgate run`: the command cannot tell it from a plain start, and the limits are those of the policy.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use support::contain::{is_impossible, output, run, text};
use support::{Scratch, answer, is_missing};

fn shell(scratch: &Scratch, options: &[&str], script: &str) -> std::process::Output {
    output(run(scratch, options).args(["sh", "-c", script]))
}

#[test]
fn exit_codes_and_signals_are_the_commands_own() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    for code in [0, 1, 7, 125, 255] {
        assert_eq!(shell(&scratch, &[], &format!("exit {code}")).status.code(), Some(code));
    }
    for signal in [6, 9, 13, 15] {
        assert_eq!(shell(&scratch, &[], &format!("kill -{signal} $$")).status.signal(), Some(signal));
    }
    assert_eq!(output(run(&scratch, &[]).arg("no-such-command")).status.code(), Some(127));
    assert_eq!(output(run(&scratch, &[]).arg("./README.md")).status.code(), Some(126));
    assert_eq!(output(run(&scratch, &["--write", "missing"]).arg("true")).status.code(), Some(125));
}

#[test]
fn words_streams_and_environment_pass_through() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    let odd = OsStr::from_bytes(b"a\xff b\n");
    let words = output(run(&scratch, &[]).args(["printf", "[%s]", "", "--no-net", "$HOME"]).arg(odd));
    assert_eq!(words.stdout, b"[][--no-net][$HOME][a\xff b\n]");
    assert_eq!(text(&words.stderr), "");
    let echoed = answer(run(&scratch, &[]).args(["sh", "-c", "cat; echo two >&2"]), b"one\0");
    assert_eq!((echoed.stdout.as_str(), echoed.stderr.as_str()), ("one\0", "two\n"));
    let seen = output(run(&scratch, &[]).env("SOME", "thing").args(["sh", "-c", "echo $SOME; pwd"]));
    assert_eq!(text(&seen.stdout), format!("thing\n{}\n", scratch.project().display()));
}

/// The kernel takes 16 limits on top of each other.
#[test]
fn f59_without_limits_nothing_is_run() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    let nested = |depth: usize| {
        let mut command = run(&scratch, &[]);
        (1..depth).for_each(|_| {
            command.args([env!("CARGO_BIN_EXE_tollgate"), "run", "--"]);
        });
        output(command.args(["sh", "-c", "echo ran; touch made"]))
    };
    let inner = nested(2);
    assert_eq!((text(&inner.stdout).as_str(), text(&inner.stderr).as_str()), ("ran\n", ""));
    fs::remove_file(scratch.project().join("made")).unwrap();
    let refused = nested(20);
    let told = text(&refused.stderr);
    assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(125), String::new()), "{told}");
    assert!(told.contains("cannot set the limits") && told.contains("Nothing was run"), "{told}");
    assert!(!scratch.project().join("made").exists());
}

/// What a process is started with, by `/proc`.
#[test]
fn signals_streams_and_the_process_itself_are_handed_on() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    let script = r#"
        set -e
        cd "$HOME/project"
        see() { "$@" grep -E '^(Sig|Shd)(Blk|Ign|Cgt)' /proc/self/status; }
        for way in --ignore-signal=PIPE,HUP --block-signal=USR1,TERM --default-signal=PIPE; do
            [ "$(see env $way)" = "$(see env $way "$TOLLGATE" run --)" ] || echo "differs: $way"
        done
        closed=$("$TOLLGATE" run -- sh -c 'ls -l /proc/$$/fd' 0<&- | grep -c ' 0 ->') || true
        [ "$closed" = 0 ] || echo "standard input is open"
        one=$(sh -c 'echo $$; exec "$TOLLGATE" run -- sh -c "echo \$\$"' | uniq | wc -l)
        [ "$one" = 1 ] || echo "another process"
        bash -c '"$TOLLGATE" run -- cat <(echo from a pipe)'
    "#;
    let mut command = Command::new("bash");
    scratch.clean(&mut command);
    let output = output(command.env("TOLLGATE", env!("CARGO_BIN_EXE_tollgate")).args(["-c", script]));
    assert_eq!((text(&output.stdout).as_str(), text(&output.stderr).as_str()), ("from a pipe\n", ""));
}

#[test]
fn a_terminal_stays_one() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) || is_missing("script") {
        return;
    }
    let inner = "test -t 0 && test -t 1 && echo typed > /dev/tty && read line && echo \"[$line]\" > $(tty)";
    let command = format!("'{}' run -- sh -c '{inner}'", env!("CARGO_BIN_EXE_tollgate"));
    let mut script = Command::new("script");
    scratch.clean(&mut script);
    let seen = answer(script.args(["-qec", &command, "/dev/null"]), b"a line\n");
    assert!(seen.stdout.contains("typed") && seen.stdout.contains("[a line]"), "{}", seen.stdout);
}

#[test]
fn the_workspace_temporary_files_and_caches_may_be_written() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    let home = scratch.home();
    fs::create_dir_all(home.join(".cache")).unwrap();
    fs::write(home.join("notes"), "kept").unwrap();
    let script = r#"
        set -e
        echo x > new; mkdir -p a/b; mv new a/b/new; ln -s a link; ln a/b/new twin; rm -r src
        echo x > "$HOME/.cache/x"
        t=$(mktemp); mv "$t" moved
        echo x > /dev/null; ls / "$HOME" > listed; cat "$HOME/notes"
        echo x > "$HOME/notes" && echo ESCAPED; rm "$HOME/notes" && echo ESCAPED; mkdir "$HOME/n" && echo ESCAPED
        true
    "#;
    let inside = shell(&scratch, &[], &script.replace("set -e\n", ""));
    assert_eq!(text(&inside.stdout), "kept");
    assert_eq!(text(&inside.stderr).matches("denied").count(), 3, "{}", text(&inside.stderr));
    assert!(scratch.project().join("moved").exists() && scratch.project().join("twin").exists());
    assert_eq!(fs::read_to_string(home.join("notes")).unwrap(), "kept");
    let allowed = shell(&scratch, &["--write", "../notes", "--write", ".."], r#"echo new > "$HOME/notes""#);
    assert_eq!(text(&allowed.stderr), "");
    assert_eq!(fs::read_to_string(home.join("notes")).unwrap(), "new\n");
}

#[test]
fn secrets_settings_and_the_gates_own_files_stay_closed() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    scratch.policy("version: 1\ncontain: { hide: [~/private], read: [~/.npmrc], network: allow }\n");
    let home = scratch.home();
    let secret = |path: &str| {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "SECRET").unwrap();
    };
    let hidden = [
        ".aws/credentials",
        ".config/gh/hosts.yml",
        ".claude/settings.json",
        ".claude.json",
        ".env",
        "private/diary",
        ".local/state/tollgate/events.jsonl",
    ];
    hidden.into_iter().for_each(secret);
    ["open", ".config/gh/config.yml", ".npmrc", ".ssh/known_hosts"].into_iter().for_each(secret);
    for path in hidden.into_iter().chain([".ssh/id_rsa", ".config/tollgate/tollgate.yaml"]) {
        let read = shell(&scratch, &["--write", ".."], &format!("cat \"$HOME/{path}\""));
        assert_eq!(text(&read.stdout), "", "{path}");
        let write = shell(&scratch, &["--write", ".."], &format!("echo x >> \"$HOME/{path}\""));
        assert!(text(&write.stderr).contains("denied"), "{path}");
    }
    for path in ["open", ".config/gh/config.yml", ".npmrc", ".ssh/known_hosts"] {
        assert_eq!(text(&shell(&scratch, &[], &format!("cat \"$HOME/{path}\"")).stdout), "SECRET", "{path}");
    }
    for hidden in ["../.ssh", "../.ssh/id_rsa", "../private"] {
        let refused = shell(&scratch, &["--write", hidden], "echo ran");
        assert_eq!((refused.status.code(), text(&refused.stdout)), (Some(125), String::new()));
        assert!(text(&refused.stderr).contains("place of secrets"), "{}", text(&refused.stderr));
    }
}

#[test]
fn a_project_may_only_tighten() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) || is_missing("python3") {
        return;
    }
    fs::create_dir(scratch.home().join("out")).unwrap();
    let project = |text: &str| fs::write(scratch.project().join("tollgate.yaml"), text).unwrap();
    let writes = || shell(&scratch, &[], "echo x > \"$HOME/out/x\"").status.success();
    let connects = |family: &str| {
        let script = format!("import socket; socket.socket(socket.{family})");
        output(run(&scratch, &[]).args(["python3", "-c", &script])).status.success()
    };
    project("version: 1\ncontain: { write: [~/out], sockets: allow }\n");
    assert!(!writes() && !connects("AF_UNIX") && connects("AF_INET"));
    scratch.policy("version: 1\ncontain: { write: [~/out], sockets: allow }\n");
    assert!(writes() && connects("AF_UNIX"));
    project("version: 1\ncontain: { write: [], sockets: deny, network: deny, hide: [~/out] }\n");
    assert!(!writes() && !connects("AF_UNIX") && !connects("AF_INET"));
    let mut check = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut check);
    project("version: 1\ncontain: { network: maybe, write: [../x], what: 1 }\n");
    let told = text(&output(check.arg("check")).stdout);
    for part in ["unknown value `maybe`", "`../x` is no path", "unknown key `what` of `contain`"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn a_home_is_no_workspace() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    let refused = output(run(&scratch, &[]).current_dir(scratch.home()).args(["touch", "x"]));
    let told = text(&refused.stderr);
    assert!(told.contains("this folder is no project") && told.contains("denied"), "{told}");
    let limits = output(
        Command::new(env!("CARGO_BIN_EXE_tollgate"))
            .env_clear()
            .env("HOME", scratch.home())
            .current_dir(scratch.project())
            .args(["run", "--limits", "--no-net"]),
    );
    let told = text(&limits.stdout);
    for part in ["  ~/project\n", "  ~/.ssh\n", "  network: none\n", "  Unix sockets: none\n"] {
        assert!(told.contains(part), "{part:?}: {told}");
    }
}

#[test]
fn commits_in_a_work_tree_reach_its_repository() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) {
        return;
    }
    scratch.git(&["init", "-q"]);
    scratch.git(&["add", "README.md"]);
    scratch.git(&["commit", "-qm", "first"]);
    scratch.git(&["worktree", "add", "-q", "../tree"]);
    let tree = scratch.home().join("tree");
    let commit =
        ["git", "-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-qm", "two", "--allow-empty"];
    let done = output(run(&scratch, &[]).current_dir(&tree).args(commit));
    assert_eq!(text(&done.stderr), "");
    // A file that only claims to belong to a repository opens nothing.
    let forged = scratch.home().join("forged");
    fs::create_dir(&forged).unwrap();
    fs::copy(tree.join(".git"), forged.join(".git")).unwrap();
    let refused = output(run(&scratch, &[]).current_dir(&forged).args(["touch", "../project/.git/forged"]));
    assert!(!refused.status.success());
}
