//! PostgreSQL, a server, and what tests ask them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tollgate_fleet::postgres::Postgres;
use tollgate_fleet::simulate::Simulated;
use tollgate_fleet_protocol::{Bundle, SignedBundle};

pub struct World {
    pub server: Server,
    pub postgres: Postgres,
    pub folder: TempDir,
    /// Signs bundles.
    pub signer: minisign::KeyPair,
    /// A token of the API with the role `admin`.
    pub admin: String,
    number: u32,
}

/// A server process, which ends with this value.
pub struct Server {
    process: Child,
    pub url: String,
}

/// An open transaction.
pub struct Held {
    client: tokio_postgres::Client,
    runtime: tokio::runtime::Runtime,
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.runtime.block_on(self.client.batch_execute("ROLLBACK"));
    }
}

pub struct Answer {
    pub status: u16,
    pub headers: ureq::http::HeaderMap,
    pub text: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("{} {}", self.status, self.text))
    }
}

impl World {
    pub fn start() -> Self {
        let postgres = Postgres::start(false).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&postgres.url(), folder.path(), "");
        let signer = minisign::KeyPair::generate_unencrypted_keypair().unwrap();
        let mut world = Self { server, postgres, folder, signer, admin: String::new(), number: 0 };
        world.admin = world.command(&["create-api-token", "tests", "--role", "admin"], "").unwrap();
        let key = world.signer.pk.to_base64();
        world.command(&["add-policy-key", &key], "").unwrap();
        world
    }

    pub fn restart(&mut self) {
        self.server = Server::start(&self.postgres.url(), self.folder.path(), "");
    }

    /// Runs `tollgate-server admin`.
    pub fn command(&self, words: &[&str], input: &str) -> Result<String, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate-server"));
        command.env_clear().arg("admin").args(words).arg("--database").arg(self.postgres.url());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
        if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
    }

    pub fn token(&self, group: &str) -> String {
        self.command(&["create-token", "--group", group], "").unwrap()
    }

    /// A new machine that has joined.
    pub fn machine(&mut self, group: &str) -> Simulated {
        self.number += 1;
        let machine = Simulated::new(&self.server.url, &format!("host-{}", self.number)).unwrap();
        machine.enrol(&self.token(group)).unwrap();
        machine
    }

    /// A folder for a machine's log.
    pub fn state(&mut self) -> std::path::PathBuf {
        self.number += 1;
        self.folder.path().join(format!("state {}", self.number))
    }

    pub fn get(&self, path: &str, token: &str) -> Answer {
        call(&self.server.url, "GET", path, &[("authorization", &format!("Bearer {token}"))], "")
    }

    pub fn post(&self, path: &str, token: &str, body: &Value) -> Answer {
        let headers =
            [("authorization", format!("Bearer {token}")), ("content-type", "application/json".into())];
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        call(&self.server.url, "POST", path, &headers, &body.to_string())
    }

    /// Kinds of the open incidents of a machine, in order.
    pub fn incidents(&self, machine: &Simulated) -> Vec<String> {
        let all = self.get("/api/incidents", &self.admin).json();
        let of = |one: &&Value| one["machine"] == machine.id();
        let mut kinds: Vec<String> = all["incidents"]
            .as_array()
            .unwrap()
            .iter()
            .filter(of)
            .map(|one| one["kind"].as_str().unwrap().into())
            .collect();
        kinds.sort();
        kinds
    }

    /// The first column of a query.
    pub fn query(&self, sql: &str) -> Result<Vec<String>, String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.postgres.url(), tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            let rows = client.simple_query(sql).await.map_err(|error| format!("{error:?}"))?;
            let first = |message: &tokio_postgres::SimpleQueryMessage| match message {
                tokio_postgres::SimpleQueryMessage::Row(row) => {
                    Some(row.get(0).unwrap_or_default().to_owned())
                }
                _ => None,
            };
            Ok(rows.iter().filter_map(first).collect())
        })
    }

    /// Begins a transaction with a statement, and holds it until the value is dropped.
    pub fn hold(&self, sql: &str) -> Held {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let client = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.postgres.url(), tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.batch_execute(&format!("BEGIN; {sql}")).await.unwrap();
            client
        });
        Held { client, runtime }
    }

    /// Numbers of the stored records of a machine, in order, each as often as it is stored.
    pub fn stored(&self, machine: &Simulated) -> Vec<u64> {
        let sql = format!(
            "SELECT e.seq FROM events e JOIN chains c ON c.id = e.chain WHERE c.machine = '{}' ORDER BY e.chain, e.seq",
            machine.id()
        );
        self.query(&sql).unwrap().iter().map(|seq| seq.parse().unwrap()).collect()
    }

    pub fn bundle(&self, group: &str, version: u64) -> Bundle {
        let now = tollgate_fleet::app::now();
        serde_json::from_value(json!({
            "format": 1, "fleet": "fleet", "groups": [group], "version": version, "min_previous": 0, "created": now,
            "expires": now + 3600, "files": { "tollgate.yaml": "version: 1\n" },
        }))
        .unwrap()
    }

    pub fn sign(&self, bundle: &Bundle) -> SignedBundle {
        let text = bundle.to_text();
        let signature =
            minisign::sign(None, &self.signer.sk, text.as_bytes(), None, None).unwrap().into_string();
        SignedBundle { bundle: text, signature }
    }

    /// Uploads a bundle and begins its rollout. Returns the bundle's digest and the rollout's number.
    pub fn roll_out(&self, bundle: &Bundle) -> (String, i64) {
        let signed = self.sign(bundle);
        let answer = self.post("/api/bundles", &self.admin, &serde_json::to_value(&signed).unwrap());
        assert_eq!(answer.status, 200, "{}", answer.text);
        let wanted = json!({ "group": bundle.groups[0], "digest": signed.digest() });
        let begun = self.post("/api/rollouts", &self.admin, &wanted);
        assert_eq!(begun.status, 200, "{}", begun.text);
        (signed.digest(), begun.json()["id"].as_i64().unwrap())
    }
}

/// A request without a machine's signature. Redirects are not followed.
pub fn call(url: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0);
    let agent = config.timeout_global(Some(Duration::from_secs(20))).build().new_agent();
    let url = format!("{url}{path}");
    let mut response = if method == "GET" {
        let request =
            headers.iter().fold(agent.get(&url), |request, (name, value)| request.header(*name, *value));
        request.call().unwrap()
    } else {
        let request =
            headers.iter().fold(agent.post(&url), |request, (name, value)| request.header(*name, *value));
        request.send(body).unwrap()
    };
    let text = response.body_mut().read_to_string().unwrap();
    Answer { status: response.status().as_u16(), headers: response.headers().clone(), text }
}

impl Server {
    /// Starts a server with lines of configuration, and waits until it listens.
    pub fn start(database: &str, folder: &Path, config: &str) -> Self {
        let file = folder.join("server.toml");
        std::fs::write(&file, config).unwrap();
        // Ends with the thread that started it.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", env!("CARGO_BIN_EXE_tollgate-server"), "serve"]);
        command.args(["--listen", "127.0.0.1:0", "--database", database, "--config"]).arg(file);
        command.arg("--data").arg(folder.join("data")).env_clear().env("PATH", "/usr/bin:/bin");
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let end = Instant::now() + Duration::from_secs(20);
        let mut told = String::new();
        let address = loop {
            assert!(Instant::now() < end, "{told}");
            let line = lines.next().unwrap_or_else(|| panic!("the server ended: {told}")).unwrap();
            let event: Value = serde_json::from_str(&line).unwrap_or_default();
            if event["message"] == "listening" {
                break event["address"].as_str().unwrap().to_owned();
            }
            told.push_str(&line);
        };
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, url: format!("http://{address}") }
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks it to end. Did it, in time and well?
    pub fn terminate(&mut self) -> bool {
        let id = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        while Instant::now() < end {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
