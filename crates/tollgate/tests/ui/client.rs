//! A server in a scratch home, and requests to it, byte by byte where that matters.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Scratch, in_terminal};

pub const PIN: &str = "zebra-42";

pub struct Server {
    child: Child,
    pub port: u16,
    pub token: String,
}

pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Server {
    pub fn start(scratch: &Scratch) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
        command.args(["ui", "--no-open", "--print-url"]);
        scratch.clean(&mut command);
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CLAUDE_CODE_SESSION_ATTENDED");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{line:?}"));
        let (port, token) = rest.split_once("/#").unwrap();
        let server = Self { child, port: port.parse().unwrap(), token: token.to_owned() };
        server.wait();
        server
    }

    fn wait(&self) {
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(25));
        }
        panic!("the server does not answer");
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends bytes and reads the whole answer.
    pub fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may have answered and closed before it read everything.
        let _ = stream.write_all(request);
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunked(body) } else { body.to_owned() };
        Reply { status, head: head.to_owned(), body }
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        if !body.is_empty() || method == "POST" {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    pub fn get(&self, path: &str) -> Reply {
        let mut reply =
            self.request("GET", path, &[("Host", &self.host()), ("Authorization", &self.bearer())], "");
        // The index is being built.
        for _ in 0..100 {
            if reply.status != 429 {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
            reply =
                self.request("GET", path, &[("Host", &self.host()), ("Authorization", &self.bearer())], "");
        }
        reply
    }

    /// As the page sends it.
    pub fn post(&self, path: &str, body: &Value) -> Reply {
        let origin = format!("http://{}", self.host());
        let headers = [
            ("Host", self.host()),
            ("Authorization", self.bearer()),
            ("Origin", origin),
            ("Sec-Fetch-Site", "same-origin".to_owned()),
            ("Content-Type", "application/json".to_owned()),
        ];
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.request("POST", path, &headers, &body.to_string())
    }

    #[track_caller]
    pub fn value(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.json()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unchunked(text: &str) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        out.push_str(after.get(..size).unwrap_or(after));
        rest = after.get(size + 2..).unwrap_or_default();
    }
    out
}

/// One event of Claude Code, written by the real hook.
pub fn event(scratch: &Scratch, session: &str, name: &str, more: Value) {
    let mut payload = json!({
        "session_id": session, "transcript_path": "/x/t.jsonl", "cwd": scratch.project(),
        "permission_mode": "default", "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.hook(name, payload.to_string().as_bytes());
}

pub fn call(scratch: &Scratch, session: &str, id: &str, tool: &str, input: Value) {
    event(scratch, session, "PreToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}));
}

pub fn done(scratch: &Scratch, session: &str, id: &str, tool: &str, input: Value) {
    let more =
        json!({"tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": {"stdout": "ok"}});
    event(scratch, session, "PostToolUse", more);
}

/// A deletion outside the project, which is refused.
pub fn bad(scratch: &Scratch) -> String {
    format!("rm -r {}", scratch.home().join("other").display())
}

/// A home with two sessions: one that works, one that was refused.
pub fn busy() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home().join("other/deep")).unwrap();
    std::fs::write(scratch.home().join("other/deep/notes"), "x").unwrap();
    event(&scratch, "s-work", "UserPromptSubmit", json!({"prompt": "Fix the total"}));
    call(&scratch, "s-work", "t1", "Bash", json!({"command": "ls src"}));
    done(&scratch, "s-work", "t1", "Bash", json!({"command": "ls src"}));
    let edit = json!({"file_path": scratch.project().join("README.md"), "old_string": "# readme", "new_string": "# read me"});
    call(&scratch, "s-work", "t2", "Edit", edit.clone());
    done(&scratch, "s-work", "t2", "Edit", edit);
    call(&scratch, "s-work", "t3", "Bash", json!({"command": "make"}));
    event(&scratch, "s-bad", "UserPromptSubmit", json!({"prompt": "Clean up"}));
    call(&scratch, "s-bad", "b1", "Bash", json!({"command": bad(&scratch)}));
    scratch
}

/// Sets the owner's PIN as a person does.
pub fn set_pin(scratch: &Scratch) {
    std::fs::create_dir_all(scratch.home().join(".claude")).unwrap();
    let set = in_terminal(scratch, "init --pin --yes --agent claude-code", &format!("{PIN}\n{PIN}\n"));
    assert!(set.says("The PIN is set"), "{}", set.stdout);
}
