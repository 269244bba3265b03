//! Owner commands inside tmux and its kind, really run there: by their PIN, or not at all.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod install_support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use install_support::{Home, Ran, TOLLGATE, finish};

const PIN: &str = "zebra-42";

#[track_caller]
fn check(ran: &Ran, exit: i32, says: &[&str]) {
    assert_eq!(ran.exit, exit, "{}", ran.out);
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    says.iter().for_each(|text| assert!(words.contains(text), "`{text}` is not in: {}", ran.out));
}

/// A command in a terminal of its own, with what is typed into it.
fn typed(home: &Home, args: &str, input: &str) -> Ran {
    let line = format!("exec {TOLLGATE} {args}");
    finish(&mut home.command(Path::new("script"), &["-qec", &line, "/dev/null"]), input.as_bytes())
}

/// With a policy of a project that waits for trust, and perhaps a PIN.
fn home(pin: bool) -> Home {
    let home = Home::with("{}");
    home.write("p/tollgate.yaml", "version: 1\n");
    if pin {
        let set = typed(&home, "init --pin --yes", &format!("{PIN}\n{PIN}\n"));
        check(&set, 0, &["The PIN is set"]);
    } else {
        check(&home.run(&["init", "--yes"]), 0, &[]);
    }
    home
}

/// A tmux of a test's own, started in a terminal as a person starts it: its first client is also its starter.
struct Tmux<'a> {
    home: &'a Home,
    person: Child,
}

impl<'a> Tmux<'a> {
    /// None where there is no tmux.
    fn start(home: &'a Home) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            return None;
        }
        let line = format!("tmux -S {} -f /dev/null new-session sh", home.path("socket").display());
        let mut command = home.command(Path::new("script"), &["-qec", &line, "/dev/null"]);
        command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let person = command.spawn().unwrap();
        let tmux = Self { home, person };
        wait(|| tmux.run(&["has-session"]), "tmux starts");
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> bool {
        let mut command = self.home.command(Path::new("tmux"), &["-S"]);
        command.arg(self.home.path("socket")).args(args).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().success()
    }

    /// A person types it, each further line once it is asked for.
    fn answer(&mut self, command: &str, answers: &[(&str, &str)]) -> Ran {
        for name in ["seen", "exit"] {
            let _ = fs::remove_file(self.home.path(name));
        }
        let [seen, exit] = ["seen", "exit"].map(|name| self.home.path(name));
        // The questions are on the terminal, so that it is copied to a file.
        assert!(self.run(&["pipe-pane", &format!("cat > {}", seen.display())]));
        let line = format!("{command}; echo $? > {}.new; mv {0}.new {0}\n", exit.display());
        self.person.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        let shown = || String::from_utf8_lossy(&fs::read(&seen).unwrap_or_default()).into_owned();
        for (question, answer) in answers {
            wait(|| shown().contains(question), question);
            self.person.stdin.as_mut().unwrap().write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
        wait(|| exit.exists(), command);
        let exit = self.home.read("exit").trim().parse().unwrap();
        wait(|| shown().lines().count() > 1, "the screen is copied");
        Ran { exit, out: shown() }
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
        let _ = self.person.kill();
        let _ = self.person.wait();
    }
}

#[track_caller]
fn wait(done: impl Fn() -> bool, what: &str) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn f56_an_owner_with_a_pin_is_heard_in_an_ordinary_tmux() {
    let home = home(true);
    let Some(mut tmux) = Tmux::start(&home) else { return };
    let trust = format!("{TOLLGATE} trust");
    let heard = tmux.answer(&trust, &[("PIN: ", PIN), ("[y/N]", "y")]);
    check(&heard, 0, &["Trusted."]);
    assert!(!heard.out.contains(PIN), "{}", heard.out);
    // Somebody who types into it and brings a PIN of their own.
    let own = home.path("own");
    fs::create_dir_all(own.join("tollgate")).unwrap();
    fs::copy(home.path(".local/state/tollgate/owner.pin"), own.join("tollgate/owner.pin")).unwrap();
    let moved = format!("XDG_STATE_HOME={} {TOLLGATE} uninstall --yes", own.display());
    check(&tmux.answer(&moved, &[]), 2, &["`XDG_STATE_HOME` is not what it was when tmux started"]);
    assert!(home.settings().contains(TOLLGATE));
}

#[test]
fn f56_without_a_pin_nobody_is_heard_in_tmux() {
    let home = home(false);
    let before = home.settings();
    let Some(mut tmux) = Tmux::start(&home) else { return };
    let says = ["needs a PIN inside tmux, and none is set", "type `tollgate init --pin`"];
    let ways = ["trust", "init --pin", "uninstall --yes", "approve 0a1b2c3d", "allow git-force-push"];
    for args in ways {
        check(
            &tmux.answer(&format!("{TOLLGATE} {args} 2>&1 | tr -s '\\r\\n' ' ' | tee out; false"), &[]),
            1,
            &[],
        );
        let out = home.read("p/out");
        says.iter().for_each(|text| assert!(out.contains(text), "{args}: {out}"));
    }
    // The variables that tmux sets can be taken away; the processes above cannot.
    let hidden = format!("env -u TMUX -u TMUX_PANE setsid -w {TOLLGATE} uninstall --yes > out 2>&1");
    check(&tmux.answer(&hidden, &[]), 2, &[]);
    assert!(home.read("p/out").contains(says[0]), "{}", home.read("p/out"));
    assert_eq!(home.settings(), before);
    assert!(!home.path(".local/state/tollgate/owner.pin").exists());
}

#[test]
fn f56_the_marks_of_a_multiplexer_are_enough() {
    let (without, with) = (home(false), home(true));
    for (mark, name) in [("TMUX", "tmux"), ("STY", "screen"), ("ZELLIJ", "zellij")] {
        let says = format!("needs a PIN inside {name}, and none is set");
        check(&without.run_with(&["uninstall", "--yes"], mark, "1"), 2, &[&says]);
        let mut trust =
            with.command(Path::new("script"), &["-qec", &format!("exec {TOLLGATE} trust"), "/dev/null"]);
        check(&finish(trust.env(mark, "1"), format!("{PIN}\ny\n").as_bytes()), 0, &["Trusted."]);
    }
    check(&without.run_with(&["uninstall", "--yes"], "TMUX", ""), 0, &[]);
}

/// Somebody who lives in tmux can install; whoever comes after cannot.
#[test]
fn f56_the_first_init_needs_no_pin_in_a_multiplexer() {
    if is_used_here() {
        eprintln!("left out: whoever runs the tests uses Tollgate, so that no init is their first");
        return;
    }
    let home = Home::with("{}");
    check(&home.run_with(&["init", "--yes"], "TMUX", "1"), 0, &["No PIN is set for owner commands"]);
    assert!(home.settings().contains(TOLLGATE));
    let refused = ["needs a PIN inside tmux, and none is set"];
    check(&home.run_with(&["init", "--yes"], "TMUX", "1"), 2, &refused);
    // Settings that were moved away or emptied do not make it the first time again.
    fs::write(home.path(".claude/settings.json"), "{}").unwrap();
    check(&home.run_with(&["init", "--yes"], "TMUX", "1"), 2, &refused);
}

/// Does the user who runs the tests use Tollgate? The user database says where, and no variable changes that.
fn is_used_here() -> bool {
    let user = Command::new("id").arg("-u").output().unwrap();
    let user = String::from_utf8(user.stdout).unwrap();
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let mut fields = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let own = fields.find(|fields| fields.get(2) == Some(&user.trim()));
    own.is_some_and(|fields| Path::new(fields[5]).join(".local/state/tollgate").exists())
}

/// Other multiplexers are known by their process.
#[test]
fn f56_what_runs_below_a_multiplexer_is_inside_it() {
    let home = home(false);
    for name in ["screen", "SCREEN", "zellij", "dtach"] {
        let program = home.path("bin").join(name);
        fs::copy("/bin/sh", &program).unwrap();
        let script = format!("{TOLLGATE} uninstall --yes; exit $?");
        let ran = finish(&mut home.command(&program, &["-c", &script]), b"");
        check(&ran, 2, &[&format!("needs a PIN inside {}", name.to_lowercase())]);
    }
    assert!(home.settings().contains(TOLLGATE));
}

#[test]
fn init_offers_a_pin() {
    let pin = ".local/state/tollgate/owner.pin";
    let skipped = Home::with("{}");
    check(
        &typed(&skipped, "init", "y\n\n"),
        0,
        &["New PIN (empty for none)", "No PIN is set: whatever can type"],
    );
    assert!(!skipped.path(pin).exists() && skipped.settings().contains(TOLLGATE));
    check(&typed(&skipped, "init", "12\n12\n"), 2, &["at least 4"]);
    check(&typed(&skipped, "init", &format!("{PIN}\n{PIN}\n")), 0, &["The PIN is set"]);
    assert!(skipped.read(pin).starts_with("$argon2id$"));
    let again = typed(&skipped, "init", &format!("{PIN}\n"));
    check(&again, 0, &["PIN: "]);
    assert!(!again.out.contains("New PIN") && !again.out.contains("No PIN"), "{}", again.out);

    let unlike = Home::with("{}");
    check(&typed(&unlike, "init", "y\n1234\n1235\n"), 2, &["not the same; nothing was changed"]);
    assert_eq!(unlike.settings(), "{}");

    let how =
        "No PIN is set for owner commands. To set one, type in a terminal of your own: tollgate init --pin";
    let quiet = Home::with("{}");
    for ran in [quiet.run(&["init", "--yes"]), typed(&quiet, "init --yes", "1234\n1234\n")] {
        check(&ran, 0, &[how]);
        assert!(!ran.out.contains("New PIN"), "{}", ran.out);
    }
    assert!(!quiet.path(pin).exists());
}
