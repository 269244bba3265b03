//! Nothing that a contained command starts or asks for gets out.
//!
//! Every attempt runs twice: without limits it must succeed, or the test proves nothing; with limits it must not. What needs
//! something of this machine (a kernel option, a right of root's) is left out where it does not succeed without limits, and says so.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod support;

use std::fs;
use std::io::Read;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::{Child, Command, Stdio};

use support::contain::{is_impossible, output, run, text};
use support::{Scratch, is_missing};

/// An attempt succeeds when it prints `ESCAPED` or the secret, writes `~/escaped`, or changes `~/kept`.
struct Attempt {
    name: &'static str,
    options: &'static [&'static str],
    script: Script,
    /// Does it succeed without limits on every machine?
    always: bool,
}

enum Script {
    Shell(&'static str),
    Python(&'static str),
}
use Script::{Python, Shell};

const fn attempt(name: &'static str, script: Script) -> Attempt {
    Attempt { name, options: &[], script, always: true }
}

const fn where_possible(name: &'static str, script: Script) -> Attempt {
    Attempt { name, options: &[], script, always: false }
}

const fn without_network(name: &'static str, script: Script) -> Attempt {
    Attempt { name, options: &["--no-net"], script, always: true }
}

const FILES: [Attempt; 18] = [
    attempt("write", Shell(r#"echo x > "$HOME/escaped""#)),
    attempt("truncate", Shell(r#"truncate -s 0 "$HOME/kept""#)),
    attempt("truncate by path", Python("os.truncate(home + '/kept', 0)")),
    attempt("truncate while reading", Python("os.open(home + '/kept', os.O_RDONLY | os.O_TRUNC)")),
    attempt("delete", Shell(r#"rm -f "$HOME/kept""#)),
    attempt("move away", Shell(r#"mv "$HOME/kept" ./taken"#)),
    attempt("move over", Shell(r#"echo x > new; mv new "$HOME/kept""#)),
    attempt("read a secret", Shell(r#"cat "$HOME/.ssh/id_rsa""#)),
    attempt(
        "a symlink made inside",
        Shell(r#"ln -s "$HOME" link; cat link/.ssh/id_rsa; echo x > link/escaped"#),
    ),
    attempt("a symlink made before", Shell("cat before/.ssh/id_rsa; echo x > before/escaped")),
    attempt("a hard link to a secret", Shell(r#"ln "$HOME/.ssh/id_rsa" key; cat key"#)),
    attempt("a hard link to a file", Shell(r#"ln "$HOME/kept" twin; echo x > twin"#)),
    attempt("take the folder of secrets", Shell(r#"mv "$HOME/.ssh" taken; cat taken/id_rsa"#)),
    attempt("copy it", Shell(r#"cp -r "$HOME/.ssh" taken; cat taken/id_rsa"#)),
    attempt("own root", Shell(r#"cat "/proc/self/root$HOME/.ssh/id_rsa""#)),
    attempt("own working directory", Shell(r#"cd "$HOME"; echo x > /proc/self/cwd/escaped"#)),
    attempt("a renamed shell", Shell(r#"cp /bin/sh ./tool; ./tool -c 'echo x > "$HOME/escaped"'"#)),
    attempt("a program in memory", Python(MEMORY)),
];

const MEMORY: &str = r##"
memory = os.memfd_create("x", 0)
os.write(memory, b"#!/bin/sh\necho x > \"$HOME/escaped\"\n")
os.execv(f"/proc/self/fd/{memory}", ["x"])
"##;

const PROCESSES: [Attempt; 16] = [
    attempt("another session", Shell(r#"setsid -w sh -c 'echo x > "$HOME/escaped"'"#)),
    attempt("a process without parent", Python(ORPHAN)),
    attempt("another process's root", Shell(r#"cat "/proc/$OUTSIDE/root$HOME/.ssh/id_rsa""#)),
    attempt("another process's working directory", Shell(r#"echo x > "/proc/$OUTSIDE/cwd/escaped""#)),
    attempt("another process's open file", Shell(r#"cat "/proc/$OUTSIDE/fd/0""#)),
    attempt(
        "another process's environment",
        Shell(r#"grep -aq OUTSIDE_SECRET "/proc/$OUTSIDE/environ" && echo ESCAPED"#),
    ),
    attempt("another process's memory", Python("open(f'/proc/{outside}/mem', 'rb'); escaped()")),
    where_possible("trace another process", Python("call(101, 0x4206, outside, 0, 0)")),
    where_possible("take a file descriptor", Python("call(438, os.pidfd_open(outside), 0, 0)")),
    attempt("a signal", Shell("kill -0 $OUTSIDE && echo ESCAPED")),
    where_possible(
        "limits of another process",
        Python("resource.prlimit(outside, resource.RLIMIT_CPU, (9999, 9999)); escaped()"),
    ),
    attempt("nested run", Shell(r#""$TOLLGATE" run --write "$HOME/kept" -- sh -c 'echo x > "$HOME/kept"'"#)),
    attempt("the gate's state", Shell(r#"mkdir -p "$HOME/.local/state/tollgate/made" && echo ESCAPED"#)),
    where_possible(
        "mounts",
        Shell("mkdir m; unshare -rm sh -c 'mount --bind \"$HOME\" m && echo x > m/escaped'"),
    ),
    where_possible("a user namespace", Shell("unshare -r true && echo ESCAPED")),
    where_possible("a device", Shell("mknod disk b 1 0 && echo ESCAPED")),
];

const ORPHAN: &str = r##"
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        try:
            open(home + '/escaped', 'w')
        finally:
            os._exit(0)
    os._exit(0)
os.close(writing)
os.read(reading, 1)
"##;

const CONNECTIONS: [Attempt; 15] = [
    attempt(
        "a Unix socket, as of Docker",
        Python("socket.socket(socket.AF_UNIX).connect(sockets + '/s'); escaped()"),
    ),
    attempt(
        "an abstract socket",
        Python("socket.socket(socket.AF_UNIX).connect(b'\\0' + sockets.encode()); escaped()"),
    ),
    attempt(
        "a pair led elsewhere",
        Python("a, b = socket.socketpair(type=socket.SOCK_DGRAM); a.connect(sockets + '/d'); escaped()"),
    ),
    attempt(
        "a pair that sends elsewhere",
        Python("a, b = socket.socketpair(type=socket.SOCK_DGRAM); a.sendto(b'x', sockets + '/d'); escaped()"),
    ),
    where_possible("io_uring", Python("call(425, 1, bytes(120))")),
    where_possible("bpf", Python("call(321, 0, struct.pack('IIIII', 2, 4, 4, 1, 0) + bytes(80), 100)")),
    where_possible("perf", Python("call(298, struct.pack('IIQ', 1, 112, 0) + bytes(104), 0, -1, -1, 0)")),
    where_possible("userfaultfd", Python("call(323, 1)")),
    where_possible("keys", Python("call(250, 0, -3, 1)")),
    where_possible("raw packets", Python("socket.socket(socket.AF_PACKET, socket.SOCK_RAW); escaped()")),
    where_possible("mount interface", Python("call(430, b'tmpfs\\0', 0)")),
    without_network("TCP", Python("socket.create_connection(('127.0.0.1', int(port))); escaped()")),
    without_network(
        "UDP",
        Python("socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9)); escaped()"),
    ),
    without_network("a server", Python("socket.create_server(('127.0.0.1', 0)); escaped()")),
    without_network(
        "a nested run",
        Shell(
            r#""$TOLLGATE" run -- python3 -c "import socket; socket.create_connection(('127.0.0.1', $PORT)); print('ESCAPED')""#,
        ),
    ),
];

/// Before every attempt in Python. System calls are those of x86-64.
const PRELUDE: &str = r##"
import ctypes, os, platform, resource, socket, struct
home, port, outside, sockets = os.environ['HOME'], os.environ['PORT'], int(os.environ['OUTSIDE']), os.environ['SOCKETS']
def escaped():
    print('ESCAPED')
def call(number, *words):
    assert platform.machine() == 'x86_64'
    if ctypes.CDLL(None).syscall(number, *words) >= 0:
        escaped()
"##;

/// What lies and listens outside of the limits.
struct Outside {
    scratch: Scratch,
    process: Child,
    tcp: std::net::TcpListener,
    /// The paths of sockets are short, and that of the scratch folder need not be.
    sockets: tempfile::TempDir,
    _listening: (UnixListener, UnixListener, UnixDatagram),
}

impl Outside {
    fn new() -> Self {
        let scratch = Scratch::new();
        let home = scratch.home();
        fs::write(home.join("kept"), "kept").unwrap();
        std::os::unix::fs::symlink(&home, scratch.project().join("before")).unwrap();
        let secret = fs::File::open(home.join(".ssh/id_rsa")).unwrap();
        let process = Command::new("sleep")
            .arg("60")
            .env("OUTSIDE_SECRET", "1")
            .current_dir(&home)
            .stdin(secret)
            .spawn()
            .unwrap();
        let sockets = tempfile::tempdir().unwrap();
        let address = SocketAddr::from_abstract_name(sockets.path().as_os_str().as_bytes()).unwrap();
        let listening = (
            UnixListener::bind(sockets.path().join("s")).unwrap(),
            UnixListener::bind_addr(&address).unwrap(),
            UnixDatagram::bind(sockets.path().join("d")).unwrap(),
        );
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self { scratch, process, tcp, sockets, _listening: listening }
    }

    /// Does an attempt succeed?
    fn is_left(&self, attempt: &Attempt, is_contained: bool) -> bool {
        let mut command = match is_contained {
            true => run(&self.scratch, attempt.options),
            false => {
                let mut plain = Command::new("env");
                self.scratch.clean(&mut plain);
                plain
            }
        };
        match attempt.script {
            Shell(script) => command.args(["sh", "-c", script]),
            Python(script) => command.args(["python3", "-c", &format!("{PRELUDE}{script}")]),
        };
        command.env("TOLLGATE", env!("CARGO_BIN_EXE_tollgate"));
        command.env("OUTSIDE", self.process.id().to_string()).env("SOCKETS", self.sockets.path());
        command.env("PORT", self.tcp.local_addr().unwrap().port().to_string());
        let output = output(&mut command);
        assert_ne!(output.status.code(), Some(125), "{}: {}", attempt.name, text(&output.stderr));
        let printed = text(&output.stdout);
        let home = self.scratch.home();
        printed.contains("ESCAPED")
            || printed.contains("PRIVATE-KEY")
            || home.join("escaped").exists()
            || fs::read_to_string(home.join("kept")).ok().as_deref() != Some("kept")
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn try_all(attempts: &[Attempt]) {
    if is_impossible(&Scratch::new()) || is_missing("python3") {
        return;
    }
    let mut wrong = Vec::new();
    for attempt in attempts {
        let proven = Outside::new().is_left(attempt, false);
        if !proven && !attempt.always {
            eprintln!("left out: `{}` does not succeed on this machine without limits either", attempt.name);
        } else if !proven {
            wrong.push(format!("{}: does not succeed without limits", attempt.name));
        }
        if Outside::new().is_left(attempt, true) {
            wrong.push(format!("{}: gets out", attempt.name));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn no_way_to_files_leads_out() {
    try_all(&FILES);
}

#[test]
fn no_process_gets_out() {
    try_all(&PROCESSES);
}

#[test]
fn no_connection_leads_out() {
    try_all(&CONNECTIONS);
}

/// Files, folders and sockets that the parent has open are not handed on.
#[test]
fn open_files_of_the_parent_are_closed() {
    let outside = Outside::new();
    if is_impossible(&outside.scratch) || is_missing("python3") {
        return;
    }
    let inherited = r#"
import os, socket, subprocess, sys
home = os.environ['HOME']
folder = os.open(home, os.O_RDONLY)
secret = os.open(home + '/.ssh/id_rsa', os.O_RDONLY)
writable = os.open(home + '/kept', os.O_WRONLY)
agent = socket.socket(socket.AF_UNIX); agent.connect(os.environ['SOCKETS'] + '/s')
inner = f'''
import os
for work in (lambda: os.open('escaped', os.O_CREAT | os.O_WRONLY, dir_fd={folder}), lambda: print(os.read({secret}, 99)),
        lambda: os.write({writable}, b'x'), lambda: print('ESCAPED', os.write({agent.fileno()}, b'x'))):
    try: work()
    except OSError as error: pass
'''
subprocess.run(sys.argv[1:] + ['python3', '-c', inner], close_fds=False, pass_fds=(folder, secret, writable, agent.fileno()))
"#;
    let attempt = |prefix: &[&str]| {
        let mut command = Command::new("python3");
        outside.scratch.clean(&mut command);
        command.env("SOCKETS", outside.sockets.path());
        let printed = text(&output(command.args(["-c", inherited]).args(prefix)).stdout);
        (printed, fs::read_to_string(outside.scratch.home().join("kept")).unwrap())
    };
    let contained = attempt(&[env!("CARGO_BIN_EXE_tollgate"), "run", "--"]);
    assert_eq!(contained, (String::new(), "kept".to_owned()));
    assert!(!outside.scratch.home().join("escaped").exists());
    let (printed, kept) = attempt(&["env"]);
    assert!(printed.contains("PRIVATE-KEY") && printed.contains("ESCAPED") && kept.starts_with('x'));
}

/// Typing into the terminal would run commands in the person's shell, outside of the limits.
#[test]
fn nothing_is_typed_into_the_terminal() {
    let scratch = Scratch::new();
    if is_impossible(&scratch) || is_missing("python3") || is_missing("script") {
        return;
    }
    let typing = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x'); print('ESC' + 'APED')";
    fs::write(scratch.project().join("type.py"), typing).unwrap();
    let attempt = |prefix: &str| {
        let mut script = Command::new("script");
        scratch.clean(&mut script);
        script.args(["-qec", &format!("{prefix} python3 type.py"), "/dev/null"]).stdin(Stdio::null());
        let mut child = script.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut printed = String::new();
        child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        child.wait().unwrap();
        printed
    };
    if !attempt("").contains("ESCAPED") {
        eprintln!("left out: this kernel lets nobody type into a terminal");
    }
    let printed = attempt(&format!("'{}' run --", env!("CARGO_BIN_EXE_tollgate")));
    assert!(printed.contains("not permitted") && !printed.contains("ESCAPED"), "{printed}");
}
