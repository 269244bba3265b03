//! The live view in a real terminal (tmux): what is on the screen, and an approval from it.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod support;

use std::process::Command;
use std::time::{Duration, Instant};

use support::{Scratch, in_terminal, is_missing};

const PIN: &str = "zebra-42";

struct Tmux<'s> {
    scratch: &'s Scratch,
}

impl Tmux<'_> {
    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.scratch.home().join("socket")).args(args);
        self.scratch.clean(&mut command);
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    fn keys(&self, keys: &str) {
        self.run(&["send-keys", keys]);
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        let start = Instant::now();
        while !self.screen().contains(text) {
            assert!(start.elapsed() < Duration::from_secs(30), "never `{text}`:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

#[test]
fn a_person_sees_what_happens_and_approves_a_call() {
    if is_missing("tmux") || is_missing("script") {
        return;
    }
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home().join("other")).unwrap();
    std::fs::create_dir_all(scratch.home().join(".claude")).unwrap();
    let set = in_terminal(&scratch, "init --pin --yes --agent claude-code", &format!("{PIN}\n{PIN}\n"));
    assert!(set.says("The PIN is set"), "{}", set.stdout);
    scratch.bash("ls src");
    let tmux = Tmux { scratch: &scratch };
    let line = format!("{} watch; echo ended", env!("CARGO_BIN_EXE_tollgate"));
    tmux.run(&["-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "40", "/bin/sh"]);
    tmux.run(&["send-keys", &line, "Enter"]);
    tmux.shows("Bash ls src");
    // It follows, and hostile text does nothing to the screen.
    scratch.tool("Grep", serde_json::json!({"pattern": "\u{1b}[2J\u{202e}hostile"}));
    tmux.shows("hostile");
    let delete = format!("rm -r {}", scratch.home().join("other").display());
    scratch.bash(&delete).denied();
    tmux.shows("REFUSED");
    tmux.shows("1 need you");
    // The newest row is the one that is chosen.
    tmux.keys("Enter");
    tmux.shows("outside-delete");
    tmux.keys("a");
    tmux.shows("Approve this call, once");
    tmux.run(&["send-keys", "guess", "Enter"]);
    tmux.shows("that was not the PIN");
    tmux.keys("a");
    tmux.shows("PIN: ");
    tmux.run(&["send-keys", PIN, "Enter"]);
    tmux.shows("Approved: this call may run once");
    assert!(!tmux.screen().contains(PIN));
    assert!(scratch.bash(&delete).says("is allowed once, as approved"));
    tmux.keys("Escape");
    tmux.shows("q quit");
    tmux.keys("q");
    tmux.shows("ended");
}
