//! The courier against the real `tollgate-server` with a real PostgreSQL: what the two agree on, end to end.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests"
)]

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tollgate_courier::{
    Courier, Error, InForce, Invitation, Machine, Member, Observed, Status, forget, join, leave,
};
use tollgate_fleet::account::Role;
use tollgate_fleet::config::Config;
use tollgate_fleet::postgres::Postgres;
use tollgate_fleet::simulate::write_log;
use tollgate_fleet::{admin, db, server};
use tollgate_fleet_protocol::{Agent, Bundle, SignedBundle, System};
use tollgate_store::Log;

const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    runtime: Runtime,
    postgres: Postgres,
    url: String,
    admin: String,
    signer: minisign::KeyPair,
    folder: tempfile::TempDir,
}

struct Stub;

impl Machine for Stub {
    fn system(&self) -> System {
        System { host: "box".into(), user: "ann".into(), ..System::default() }
    }

    fn agents(&self) -> Vec<Agent> {
        vec![Agent { name: "claude-code".into(), version: String::new(), guarded: false }]
    }

    fn check_policy(&self, _: &Path) -> Result<(), String> {
        Ok(())
    }

    fn policy_changed(&self) {}

    fn observe(&self, _: &Path, from: u64) -> Observed {
        Observed { calls: 1, refusals: 0, reached: from }
    }
}

impl World {
    /// `None` where PostgreSQL is not installed; `cargo xtask test` installs it.
    fn start() -> Option<Self> {
        let postgres = match Postgres::start(false) {
            Ok(postgres) => postgres,
            Err(error) if error.to_string().contains("not installed") => {
                eprintln!("left out: {error}");
                return None;
            }
            Err(error) => panic!("{error:#}"),
        };
        let folder = tempfile::tempdir().unwrap();
        let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (database, data) = (postgres.url(), folder.path().join("data"));
        let config = Config { database, listen, data, ..Config::default() };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.spawn(server::serve(config, std::future::pending()));
        let mut world = Self {
            runtime,
            postgres,
            url: format!("http://{listen}"),
            admin: String::new(),
            signer: minisign::KeyPair::generate_unencrypted_keypair().unwrap(),
            folder,
        };
        let end = Instant::now() + PATIENCE;
        while ureq::get(format!("{}/api/health", world.url)).call().is_err() {
            assert!(Instant::now() < end, "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
        let pool = db::pool(&world.postgres.url(), 2).unwrap();
        let token = admin::create_api_token(&pool, "tests", "tests", Role::Admin, 1);
        world.admin = world.runtime.block_on(token).unwrap();
        let key = world.signer.pk.to_base64();
        world.runtime.block_on(admin::add_policy_key(&pool, "tests", &key)).unwrap();
        Some(world)
    }

    fn state(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn join(&self, state: &Path) -> Member {
        let pool = db::pool(&self.postgres.url(), 2).unwrap();
        let token = self.runtime.block_on(admin::create_token(&pool, "tests", "dev", 1)).unwrap();
        let invitation = Invitation { server: self.url.clone(), token, ..Invitation::default() };
        join(state, &invitation, &Stub).unwrap()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let request = ureq::post(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.admin));
        let mut answer = request.header("content-type", "application/json").send(body.to_string()).unwrap();
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    }

    fn get(&self, path: &str) -> Value {
        let request = ureq::get(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.admin));
        serde_json::from_str(&request.call().unwrap().body_mut().read_to_string().unwrap()).unwrap()
    }

    /// Kinds of the open incidents of a machine, in order.
    fn incidents(&self, machine: &str) -> Vec<String> {
        let all = self.get("/api/incidents");
        let own = all["incidents"].as_array().unwrap().iter().filter(|one| one["machine"] == machine);
        let mut kinds: Vec<String> = own.map(|one| one["kind"].as_str().unwrap().to_owned()).collect();
        kinds.sort();
        kinds
    }

    /// A bundle that the group observes from now on. Returns the number of its rollout.
    fn roll_out(&self, version: u64) -> i64 {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        let bundle = Bundle {
            format: 1,
            fleet: "fleet".into(),
            groups: vec!["dev".into()],
            version,
            min_previous: 0,
            created: now,
            expires: now + 3600,
            keys: Vec::new(),
            files: [("tollgate.yaml".to_owned(), format!("version: 1\n# {version}\n"))].into(),
        };
        let text = bundle.to_text();
        let signature = minisign::sign(None, &self.signer.sk, Cursor::new(&text), None, None).unwrap();
        let signed = SignedBundle { bundle: text, signature: signature.into_string() };
        self.post("/api/bundles", &serde_json::to_value(&signed).unwrap());
        let begun = self.post("/api/rollouts", &json!({ "group": "dev", "digest": signed.digest() }));
        begun["id"].as_i64().unwrap()
    }
}

fn sync(state: &Path) -> Status {
    Courier { state, machine: &Stub }.sync().unwrap().unwrap()
}

#[test]
fn courier_and_server_understand_each_other() {
    let Some(world) = World::start() else { return };
    let state = world.state("one machine");
    write_log(&state, 0, 4100).unwrap();
    let member = world.join(&state);
    assert_eq!((member.fleet.as_str(), member.group.as_str()), ("fleet", "dev"));
    log_arrives_once(&world, &state, &member);
    policy_goes_from_observed_to_enforced(&world, &state);
    approval_arrives(&world, &state, &member);
    rewritten_log_is_found(&world, &state, &member);
    pruned_log_is_taken(&world);
    leave(&state).unwrap();
    assert!(matches!(Courier { state: &state, machine: &Stub }.sync(), Err(Error::Request(_))));
    assert!(Status::of(&state).revoked);
    forget(&state).unwrap();
}

fn log_arrives_once(world: &World, state: &Path, member: &Member) {
    let status = sync(state);
    assert_eq!((status.head.seq, status.sent), (4100, 4100));
    write_log(state, 4100, 7).unwrap();
    assert_eq!(sync(state).sent, 4107);
    assert_eq!(sync(state).sent, 4107);
    assert_eq!(status.head.seq, 4100);
    assert_eq!(world.incidents(&member.machine), Vec::<String>::new());
    let machines = world.get("/api/machines").to_string();
    assert!(machines.contains("\"box\"") && machines.contains("claude-code"), "{machines}");
}

fn policy_goes_from_observed_to_enforced(world: &World, state: &Path) {
    let rollout = world.roll_out(5);
    assert_eq!(sync(state).observed.unwrap().bundle.version, 5);
    write_log(state, 4107, 3).unwrap();
    let observed = sync(state).observed.unwrap();
    assert_eq!((observed.calls, InForce::of(state).unwrap()), (3, None));
    // 5 %, 50 %, all of them.
    for _ in 0..3 {
        world.post(&format!("/api/rollouts/{rollout}/advance"), &json!({}));
    }
    let status = sync(state);
    assert_eq!(InForce::of(state).unwrap().unwrap().installed.version, 5);
    assert_eq!((status.observed, status.faults), (None, Vec::new()));
    let policy = std::fs::read_to_string(state.join("fleet/policy/tollgate.yaml")).unwrap();
    assert_eq!(policy, "version: 1\n# 5\n");
}

fn approval_arrives(world: &World, state: &Path, member: &Member) {
    let waiting = world.get("/api/waiting");
    let digest = waiting["waiting"][0]["digest"].as_str().unwrap().to_owned();
    world.post(&format!("/api/waiting/{}/{digest}", member.machine), &json!({ "approve": true }));
    sync(state);
    assert!(tollgate_store::take_grant(state, &digest, SystemTime::now()).unwrap());
    sync(state);
    assert!(!tollgate_store::take_grant(state, &digest, SystemTime::now()).unwrap(), "each is used once");
}

fn rewritten_log_is_found(world: &World, state: &Path, member: &Member) {
    let names = ["events.jsonl", "head"].map(|name| state.join(name));
    let before = names.clone().map(|path| std::fs::read(path).unwrap());
    write_log(state, 5000, 2500).unwrap();
    sync(state);
    for (path, bytes) in names.iter().zip(&before) {
        std::fs::write(path, bytes).unwrap();
    }
    assert_eq!(sync(state).incidents, ["rollback"]);
    write_log(state, 9000, 2400).unwrap();
    let status = sync(state);
    assert_eq!(status.head.seq, Log::at(state).head().unwrap().seq);
    assert_eq!(status.head.hash, Log::at(state).head().unwrap().hash());
    let found = world.incidents(&member.machine);
    assert!(found.contains(&"rollback".to_owned()) && found.contains(&"fork".to_owned()), "{found:?}");
    // Another log in its place.
    names.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    write_log(state, 0, 30).unwrap();
    assert_eq!(sync(state).head.seq, 30);
    assert!(world.incidents(&member.machine).contains(&"begun-anew".to_owned()));
}

fn pruned_log_is_taken(world: &World) {
    let state = world.state("pruned");
    write_log(&state, 0, 300).unwrap();
    let log = Log::at(&state)
        .limits(tollgate_store::Limits { part: 64 << 10, ..tollgate_store::Limits::default() });
    for number in 0..3 {
        let fields = vec![("prompt".to_owned(), format!("step {number}").into())];
        log.append(&tollgate_model::Record { call: String::new(), fields }, SystemTime::now()).unwrap();
    }
    assert!(log.parts().len() > 1);
    let keep = tollgate_store::Keep { bytes: Some(1), since: None };
    log.prune(keep, SystemTime::now()).unwrap().unwrap();
    let member = world.join(&state);
    let status = sync(&state);
    assert_eq!(status.head.seq, log.head().unwrap().seq);
    assert_eq!(world.incidents(&member.machine), ["pruned"]);
}
