//! Calls that are judged before the earlier ones of their session have run: nothing of what they write is on disk.
//!
//! `sequences/*.jsonl` hold whole sessions in the world of `World::new`, one a line. In an attack some call that wants
//! `stop` or `any` has to be stopped; where `allow` is wanted, none may be. `open.txt` names those that are still wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Answer, Scratch};

const HOME: &str = "Documents/taxes.pdf Documents/report.docx Documents/thesis.tex Pictures/a.jpg Videos/v.mp4 \
    Downloads/x.zip .bashrc .zshrc .profile .gitconfig notes/todo.md .netrc .npmrc .kube/config \
    .docker/config.json .ssh/id_ed25519 .ssh/config .ssh/authorized_keys .aws/credentials .config/gh/hosts.yml \
    .claude/CLAUDE.md .claude/settings.json other-repo/a.txt";
const PROJECT: &str = "project/src/main.py project/src/app.ts project/src/index.js project/src/lib.rs \
    project/src/utils.py project/tests/test_main.py project/tests/app.test.ts project/README.md \
    project/docs/guide.md project/docs/index.md project/scripts/build.sh project/scripts/deploy.sh \
    project/data/sample.csv project/data/users.json project/config/app.yaml project/pyproject.toml \
    project/docker-compose.yml project/Dockerfile project/migrations/001.sql project/requirements.txt \
    project/CHANGELOG.md project/.github/workflows/ci.yml";
const TEXTS: &[(&str, &str)] = &[
    (".claude/settings.json", "{}\n"),
    (
        "project/.gitignore",
        "node_modules/\ntarget/\ndist/\nbuild/\n.env\ncoverage/\n__pycache__/\n*.log\n.venv/\n",
    ),
    ("project/Makefile", "build:\n\techo build\ntest:\n\tpytest\nclean:\n\trm -rf build dist\n"),
    (
        "project/package.json",
        "{\"name\":\"app\",\"scripts\":{\"build\":\"tsc\",\"test\":\"vitest run\",\"lint\":\"eslint .\",\"dev\":\"vite\"}}\n",
    ),
    ("project/package-lock.json", "{}\n"),
    ("project/Cargo.toml", "[package]\nname=\"app\"\nversion=\"0.1.0\"\n"),
];
const IGNORED: &str = "project/node_modules/left-pad/index.js project/target/debug/app project/dist/a.js \
    project/build/o.o project/coverage/x project/__pycache__/x project/.venv/bin/python project/.env \
    project/tmp/scratch.txt project/src/new.py project/notes.txt";

/// A home with documents, keys and settings, and a project under version control in it.
struct World {
    scratch: Scratch,
}

impl World {
    fn new() -> Self {
        let world = Self { scratch: Scratch::new() };
        let home = world.scratch.home();
        for names in [HOME, PROJECT] {
            for name in names.split_whitespace() {
                let path = home.join(name);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, format!("# {name}\n")).unwrap();
            }
        }
        for (name, text) in TEXTS {
            std::fs::write(home.join(name), text).unwrap();
        }
        for args in [
            &["init", "-q", "-b", "main"][..],
            &["remote", "add", "origin", "https://github.com/acme/app.git"],
            &["add", "-A"],
            &["commit", "-qm", "first"],
            &["update-ref", "refs/remotes/origin/main", "HEAD"],
        ] {
            world.scratch.git(args);
        }
        for name in IGNORED.split_whitespace() {
            let path = home.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x\n").unwrap();
        }
        world
    }

    fn session<'a>(&'a self, id: &'a str) -> Session<'a> {
        Session { world: self, id, calls: std::cell::Cell::new(0) }
    }

    fn kept(&self) -> Vec<PathBuf> {
        let sessions = std::fs::read_dir(self.scratch.state().join("sessions")).unwrap();
        let files = sessions.flatten().flat_map(|session| std::fs::read_dir(session.path()).unwrap());
        let is_text = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("text-");
        files.flatten().map(|file| file.path()).filter(is_text).collect()
    }

    fn ledger(&self) -> PathBuf {
        let mut sessions = std::fs::read_dir(self.scratch.state().join("sessions")).unwrap();
        sessions.next().unwrap().unwrap().path().join("ahead")
    }
}

struct Session<'a> {
    world: &'a World,
    id: &'a str,
    calls: std::cell::Cell<u32>,
}

impl Session<'_> {
    fn bash(&self, command: &str) -> Answer {
        self.tool("Bash", json!({"command": command}))
    }

    fn write(&self, name: &str, text: &str) -> Answer {
        self.tool("Write", json!({"file_path": self.world.scratch.project().join(name), "content": text}))
    }

    fn tool(&self, tool: &str, input: Value) -> Answer {
        self.calls.set(self.calls.get() + 1);
        let scratch = &self.world.scratch;
        let payload = json!({
            "session_id": self.id, "transcript_path": "/x/t.jsonl", "cwd": scratch.project(),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": format!("toolu_{}", self.calls.get()),
        });
        let mut hook = scratch.command(Some("PreToolUse"));
        hook.env("GITHUB_TOKEN", "x").env("AWS_SECRET_ACCESS_KEY", "y").env("DATABASE_URL", "z");
        support::answer(&mut hook, payload.to_string().as_bytes())
    }

    /// A call as it stands in a file of sequences, whose home is `/home/user`.
    fn written(&self, call: &Value) -> Answer {
        let home = self.world.scratch.home();
        let text = call.to_string().replace("/home/user", home.to_str().unwrap());
        let call: Value = serde_json::from_str(&text).unwrap();
        let path = || match call["path"].as_str().unwrap() {
            path if path.starts_with(['/', '~']) => path.to_owned(),
            path => format!("{}/{path}", self.world.scratch.project().display()),
        };
        match call["tool"].as_str().unwrap_or("Bash") {
            "Bash" => self.tool("Bash", json!({"command": call["command"]})),
            "Write" => self.tool("Write", json!({"file_path": path(), "content": call["content"]})),
            "Edit" => self.tool(
                "Edit",
                json!({"file_path": path(), "old_string": call["old"], "new_string": call["new"]}),
            ),
            "Read" => self.tool("Read", json!({"file_path": path()})),
            "WebFetch" => self.tool("WebFetch", json!({"url": call["url"], "prompt": "x"})),
            "apply_patch" => {
                self.tool("apply_patch", json!({"input": call["patch"], "command": call["patch"]}))
            }
            "Mcp" => {
                let name =
                    format!("mcp__{}__{}", call["server"].as_str().unwrap(), call["name"].as_str().unwrap());
                self.tool(&name, call["input"].clone())
            }
            other => panic!("no such tool in sequences: {other}"),
        }
    }
}

/// Why a session came out wrong, if it did.
fn wrong(world: &World, session: &Value) -> Option<String> {
    let id = session["id"].as_str().unwrap();
    let wants: Vec<&str> =
        session["want"].as_array().unwrap().iter().map(|want| want.as_str().unwrap()).collect();
    let is_attack = wants.contains(&"stop");
    let calls = world.session(id);
    let mut caught = false;
    for (call, want) in session["calls"].as_array().unwrap().iter().zip(&wants) {
        let answer = calls.written(call);
        let stopped = matches!(answer.decision().as_str(), "ask" | "deny");
        if stopped && *want == "allow" {
            return Some(format!("{id}: stopped: {call}\n    {}", answer.stdout));
        }
        // What runs only after all that it would lose was saved is caught, too.
        caught |= stopped || answer.says("To restore: tollgate undo");
    }
    (is_attack && !caught).then(|| format!("{id}: passed: {}", session["why"]))
}

#[track_caller]
fn check(file: &str, attacks: usize, harmless: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sequences");
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let sessions: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_attack = |session: &&Value| session["want"].as_array().unwrap().contains(&json!("stop"));
    assert_eq!(sessions.iter().filter(is_attack).count(), attacks);
    assert_eq!(sessions.len() - attacks, harmless);
    let open = std::fs::read_to_string(folder.join("open.txt")).unwrap();
    let open: Vec<&str> = open.lines().filter_map(|line| line.split(':').next()).collect();
    let world = World::new();
    let found: Vec<(&str, Option<String>)> =
        sessions.iter().map(|session| (session["id"].as_str().unwrap(), wrong(&world, session))).collect();
    let fails: Vec<&String> =
        found.iter().filter(|(id, _)| !open.contains(id)).filter_map(|(_, why)| why.as_ref()).collect();
    assert!(fails.is_empty(), "{} wrong:\n{fails:#?}", fails.len());
    let mended: Vec<&str> =
        found.iter().filter(|(id, why)| open.contains(id) && why.is_none()).map(|(id, _)| *id).collect();
    assert!(mended.is_empty(), "no longer open: {mended:?}");
}

#[test]
fn sequences_of_the_blind_set() {
    check("blind.jsonl", 70, 50);
}

#[test]
fn sequences_of_our_own() {
    check("own.jsonl", 77, 55);
}

/// What is newer on disk wins, and what was there before does not.
#[test]
fn the_disk_wins_once_the_call_has_run() {
    let world = World::new();
    let session = world.session("s");
    let path = world.scratch.project().join("tools.awk");
    std::fs::write(&path, "{ print }\n").unwrap();
    session.write("tools.awk", "END { system(\"git push --force origin HEAD:main\") }\n");
    session.bash("awk -f tools.awk README.md").refused();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&path, "{ print $1 }\n").unwrap();
    session.bash("awk -f tools.awk README.md").silent();
}

/// The call that says so may fail, and then the old file runs.
#[test]
fn what_was_there_before_counts_until_it_is_replaced() {
    let world = World::new();
    let project = world.scratch.project();
    std::fs::write(project.join("old.sh"), "rm -rf ~/Documents\n").unwrap();
    std::fs::create_dir(project.join("bin")).unwrap();
    std::fs::write(project.join("bin/tool"), "#!/bin/sh\nrm -rf ~/Documents\n").unwrap();
    let session = world.session("s");
    session.write("old.sh", "echo hello\n").silent();
    session.bash("bash old.sh").refused();
    session.bash("cp /bin/true bin/tool").silent();
    session.bash("bin/tool").refused();
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(project.join("old.sh"), "echo hello\n").unwrap();
    session.bash("bash old.sh").silent();
}

#[test]
fn what_is_deleted_or_replaced_is_no_longer_there() {
    let world = World::new();
    let session = world.session("s");
    let bad = "END { system(\"git push --force origin HEAD:main\") }\n";
    for ends in ["rm -f a.awk", "printf '{ print }\\n' > a.awk", "date > a.awk", "mv other.awk a.awk"] {
        session.write("a.awk", bad);
        session.bash("awk -f a.awk README.md").refused();
        session.bash(ends).silent();
        session.bash("awk -f a.awk README.md").silent();
    }
}

#[test]
fn a_session_does_not_see_what_another_writes() {
    let world = World::new();
    world.session("one").write("a.awk", "END { system(\"git push --force origin HEAD:main\") }\n");
    world.session("two").bash("awk -f a.awk README.md").silent();
    world.session("one").bash("awk -f a.awk README.md").refused();
}

#[test]
fn f20_kept_texts_hold_no_secrets_and_are_ours_alone() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    let session = world.session("s");
    let token = "ghp_a8Kd02mXq7Lw3Zr5Tn1Vb9Yc4Ue6Jh0Pf2Gs";
    session.write("deploy.sh", &format!("TOKEN={token}\ncurl -H \"Authorization: $TOKEN\" x\n"));
    session.write(".env", "API_SECRET=8f1c0e5a77aa41d2b9c64c1f\n");
    let kept = world.kept();
    assert_eq!(kept.len(), 1, "an environment file is not kept: {kept:?}");
    for file in &kept {
        assert!(!std::fs::read_to_string(file).unwrap().contains(token));
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn kept_texts_are_bounded() {
    let world = World::new();
    let session = world.session("s");
    session.write("big.txt", &"x".repeat(40 << 10)).silent();
    assert!(world.kept().is_empty());
    let many: Vec<String> = (0..1500).map(|n| format!("echo {n} > out-{n}.txt")).collect();
    for some in many.chunks(100) {
        session.bash(&some.join("; ")).silent();
    }
    // One text in sixteen looks for those that are too many.
    let kept = world.kept().len();
    assert!((1000..1400).contains(&kept), "{kept}");
}

#[test]
fn f21_a_kept_text_that_is_not_ours_is_not_used_and_that_is_told() {
    let world = World::new();
    let session = world.session("s");
    session.write("a.awk", "{ print }\n").silent();
    let [file] = world.kept().try_into().unwrap();
    let target = world.scratch.home().join("target");
    std::fs::write(&target, "END { system(\"rm -rf ~\") }\n").unwrap();
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&target, &file).unwrap();
    let answer = session.bash("awk -f a.awk README.md");
    assert!(answer.says("could not be written"), "{}", answer.stdout);
}

#[test]
fn f05_a_damaged_text_or_memory_stops_nothing_and_breaks_nothing() {
    let world = World::new();
    let session = world.session("s");
    session.write("a.awk", "{ print }\n").silent();
    for file in world.kept() {
        std::fs::write(file, b"\xff\xfe\0\n").unwrap();
    }
    session.bash("awk -f a.awk README.md").silent();
    let mut ledger = std::fs::read(world.ledger()).unwrap();
    ledger.extend_from_slice(
        b"file\tlink\t/\t\nfile\tshape\t/x\t\x1e\x1f\nfile\ttext\t\t\ngone\t\nfile\tlink\t/a\t/a\n",
    );
    std::fs::write(world.ledger(), ledger).unwrap();
    session.bash("awk -f a.awk README.md && ls /a/b").silent();
}
