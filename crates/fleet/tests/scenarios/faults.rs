//! What breaks while it runs.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tollgate_fleet::simulate::{Simulated, write_log};
use tollgate_fleet_protocol::ErrorCode;

use crate::world::{Server, World, call};

pub fn more_batches_than_can_be_taken_wait(world: &mut World) {
    let narrow = Server::start(&world.postgres.url(), world.folder.path(), "batches = 1\n");
    let machine = Simulated::new(&narrow.url, "narrow").unwrap();
    machine.enrol(&world.token("lab")).unwrap();
    let log = write_log(&world.state(), 0, 3).unwrap();
    let lines: Vec<String> = log.records().map(|entry| entry.line).collect();
    let other = Simulated::new(&narrow.url, "other").unwrap();
    other.enrol(&world.token("lab")).unwrap();
    // Somebody holds the first machine's row, so that its batch takes the only place for as long.
    let lock = world.hold(&format!("SELECT 1 FROM machines WHERE id = '{}' FOR UPDATE", machine.id()));
    std::thread::scope(|scope| {
        let first = scope.spawn(|| machine.send(&lines, None).unwrap().status);
        let waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        let end = Instant::now() + Duration::from_secs(10);
        while world.query(waits).unwrap().is_empty() {
            assert!(Instant::now() < end, "the batch does not wait");
            std::thread::sleep(Duration::from_millis(5));
        }
        let refused = other.send(&lines, None).unwrap();
        assert_eq!((refused.status, refused.error()), (429, Some(ErrorCode::Busy)));
        assert!(refused.retry_after.is_some_and(|seconds| (1..=5).contains(&seconds)));
        drop(lock);
        assert_eq!(first.join().unwrap(), 200);
    });
    assert_eq!(other.send(&lines, None).unwrap().status, 200);
    assert_eq!(world.stored(&machine), [1, 2, 3]);
    let metrics = call(&narrow.url, "GET", "/metrics", &[], "").text;
    assert!(metrics.contains("tollgate_server_busy_answers_total 1\n"), "{metrics}");
    assert!(metrics.contains("tollgate_server_records_total 6\n"), "{metrics}");
}

/// Sends a log in small batches from a thread, while something is done to the server; then the rest.
fn send_while(world: &mut World, break_it: impl FnOnce(&mut World)) {
    let machine = world.machine("lab");
    let log = write_log(&world.state(), 0, 2000).unwrap();
    let lines: Vec<String> = log.records().map(|entry| entry.line).collect();
    let (machine, acknowledged) = std::thread::scope(|scope| {
        let (first, begun) = std::sync::mpsc::channel();
        let lines = &lines;
        let sending = scope.spawn(move || {
            let mut acknowledged = 0;
            for (number, part) in lines.chunks(20).enumerate() {
                match machine.send(part, None) {
                    Ok(reply) if reply.status == 200 => acknowledged += part.len(),
                    _ => break,
                }
                if number == 5 {
                    first.send(()).unwrap();
                }
            }
            (machine, acknowledged)
        });
        begun.recv_timeout(Duration::from_secs(20)).unwrap();
        break_it(world);
        sending.join().unwrap()
    });
    assert!(acknowledged >= 100);
    let stored = world.stored(&machine);
    assert!(stored.len() >= acknowledged, "{} of {acknowledged} are there", stored.len());
    assert_eq!(stored, (1..=stored.len() as u64).collect::<Vec<_>>(), "once, in order, and nothing half");
    assert!(acknowledged < lines.len(), "it was over before anything broke");
    let mut again = Simulated::new(&world.server.url, "again").unwrap();
    (again.key, again.system) = (machine.key, machine.system);
    again.sync(&log).unwrap();
    assert_eq!(world.stored(&again), (1..=2000).collect::<Vec<_>>());
    assert!(world.incidents(&again).is_empty());
}

pub fn a_killed_server_loses_nothing(world: &mut World) {
    send_while(world, |world| {
        world.server.kill();
        world.restart();
    });
}

pub fn a_crash_of_the_database_loses_nothing(world: &mut World) {
    send_while(world, |world| {
        world.postgres.crash_and_restart().unwrap();
        assert_eq!(call(&world.server.url, "GET", "/api/health", &[], "").status, 200, "it connects again");
    });
}

pub fn a_server_that_is_asked_to_end_ends(world: &mut World) {
    let mut server = Server::start(&world.postgres.url(), world.folder.path(), "");
    assert_eq!(call(&server.url, "GET", "/api/health", &[], "").status, 200);
    assert!(server.terminate());
    assert!(TcpStream::connect(server.url.trim_start_matches("http://")).is_err());
}

pub fn the_demonstration_shows_machines_and_leaves_nothing(_: &mut World) {
    let temporary = tempfile::Builder::new().prefix("demo ").tempdir_in("/tmp").unwrap();
    // PostgreSQL runs as another user.
    std::fs::set_permissions(temporary.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut demo = Command::new("setpriv");
    demo.args(["--pdeathsig", "KILL", env!("CARGO_BIN_EXE_tollgate-server"), "demo"]);
    demo.arg("--listen").arg(format!("127.0.0.1:{port}")).env_clear().env("PATH", "/usr/bin:/bin");
    let mut demo =
        demo.env("TMPDIR", temporary.path()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let url = lines.next().unwrap().unwrap().trim_end_matches("/waiting").to_owned();
    let password = lines.by_ref().map(Result::unwrap).find(|line| line.contains("password")).unwrap();
    let body = format!("name=demo&password={}", password.split_whitespace().last().unwrap());
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let end = Instant::now() + Duration::from_secs(20);
    while TcpStream::connect(("127.0.0.1", port)).is_err() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let answer = call(&url, "POST", "/login", &form, &body);
    let cookie = answer.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let shown = |path: &str| call(&url, "GET", path, &[("cookie", &cookie)], "").text;
    while !(shown("/waiting").contains("Let it pass once") && shown("/machines").contains("3 machines")) {
        assert!(Instant::now() < end, "no calls of three machines");
        std::thread::sleep(Duration::from_millis(50));
    }
    let id = rustix::process::Pid::from_child(&demo);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert!(demo.wait().unwrap().success());
    let left: Vec<_> =
        std::fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
