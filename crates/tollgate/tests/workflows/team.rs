//! A project with workflows that are on, and one session of Claude Code in it, event by event.

use serde_json::{Value, json};

use crate::support::{Answer, Scratch};

pub const PLACE: &str = "project/M1:login";

/// A project with a milestone and workflows that are on, and one session in it.
pub struct Team {
    pub scratch: Scratch,
    pub session: String,
}

impl Team {
    pub fn with(workflows: &str) -> Self {
        let team = Self { scratch: Scratch::new(), session: "2ebc1fa1-9668".to_owned() };
        team.scratch.policy(&format!("version: 1\nworkflows: {workflows}\n"));
        team.write("project/status.json", r#"{"current_milestone":"M1","milestone_description":"login"}"#);
        team
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.scratch.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn git(&self, args: &[&str]) {
        self.scratch.git(args);
    }

    pub fn send(&self, event: &str, fields: Value) -> Answer {
        self.scratch.hook(event, self.payload(event, &fields).to_string().as_bytes())
    }

    /// What Claude Code sends at an event of this session: as it was recorded, with these fields.
    pub fn payload(&self, event: &str, fields: &Value) -> Value {
        let mut payload = recorded(event, fields);
        payload["session_id"] = json!(self.session);
        payload["cwd"] = json!(self.scratch.project());
        payload["hook_event_name"] = json!(event);
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        payload
    }

    pub fn prompt(&self, text: &str) -> Answer {
        self.send("UserPromptSubmit", json!({"prompt": text}))
    }

    pub fn spawn(&self, agent: &str) -> Answer {
        let input = json!({"description": "d", "prompt": format!("work as {agent}"), "subagent_type": agent});
        self.send("PreToolUse", json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": "toolu_1"}))
    }

    pub fn done(&self, agent: &str) -> Answer {
        self.done_saying(agent, "done")
    }

    pub fn done_saying(&self, agent: &str, message: &str) -> Answer {
        self.ends(agent, message, false)
    }

    /// The end of a subagent that went on because its end was refused.
    pub fn done_again(&self, agent: &str, message: &str) -> Answer {
        self.ends(agent, message, true)
    }

    fn ends(&self, agent: &str, message: &str, again: bool) -> Answer {
        self.send(
            "SubagentStop",
            json!({"agent_id": "a1", "agent_type": agent, "stop_hook_active": again, "last_assistant_message": message}),
        )
    }

    pub fn stop(&self) -> Answer {
        self.send("Stop", json!({"stop_hook_active": false, "last_assistant_message": "end"}))
    }

    pub fn tool(&self, name: &str, input: Value) -> Answer {
        self.send("PreToolUse", json!({"tool_name": name, "tool_input": input, "tool_use_id": "toolu_2"}))
    }

    pub fn file(&self, path: &str, text: &str) -> Answer {
        self.tool("Write", json!({"file_path": self.scratch.project().join(path), "content": text}))
    }

    /// A command that has run, with what it printed.
    pub fn ran(&self, command: &str, code: i32, output: &str) -> Answer {
        let tool = json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_3"});
        let mut fields = tool.as_object().unwrap().clone();
        if code == 0 {
            let response = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
            fields.insert("tool_response".into(), response);
            return self.send("PostToolUse", Value::Object(fields));
        }
        fields.insert("error".into(), json!(format!("Exit code {code}\n{output}")));
        self.send("PostToolUseFailure", Value::Object(fields))
    }

    pub fn session_starts(&self, source: &str) -> Answer {
        self.send("SessionStart", json!({"source": source}))
    }

    pub fn report(&self) -> String {
        format!("{PLACE}/research/research_{}_1116.md", self.session)
    }

    pub fn plan(&self) -> String {
        format!("{PLACE}/plans/plan_{}_1116.md", self.session)
    }
}

/// A payload that the real client sent at this event, of the same tool or source where there is one.
fn recorded(event: &str, fields: &Value) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/payloads/claude-code");
    let of = ["tool_name", "source", "trigger"].iter().find_map(|key| fields[*key].as_str());
    let named = of.map(|of| format!("{folder}/2.1.325-{event}-{of}.json"));
    let alone = format!("{folder}/2.1.325-{event}.json");
    let like = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut like: Vec<_> =
        like.filter(|path| path.to_string_lossy().contains(&format!("/2.1.325-{event}-"))).collect();
    like.sort();
    let files = named.into_iter().chain([alone]).map(Into::into).chain(like);
    let text = files.into_iter().find_map(|file: std::path::PathBuf| std::fs::read_to_string(file).ok());
    serde_json::from_str(&text.unwrap_or_else(|| panic!("{event} was never recorded"))).unwrap()
}

#[track_caller]
pub fn blocked(answer: &Answer, message: &str) {
    assert!(matches!(answer.code, Some(0 | 2)), "{}", answer.stderr);
    let value: Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|_| panic!("not refused: {message}"));
    let output = &value["hookSpecificOutput"];
    let refused = value["decision"] == "block" || output["permissionDecision"] == "deny";
    assert!(refused && answer.says(message), "{message}: {}", answer.stdout);
}

/// Refused with this message, or let through without it.
#[track_caller]
pub fn blocked_if(refused: bool, answer: &Answer, message: &str, what: &str) {
    assert_eq!(answer.says(message), refused, "{what}: {}", answer.stdout);
    if refused { blocked(answer, message) } else { passes(answer) }
}

#[track_caller]
pub fn passes(answer: &Answer) {
    assert_eq!(answer.code, Some(0));
    let refused = answer.stdout.contains("\"block\"") || answer.stdout.contains("\"deny\"");
    assert!(!refused && !answer.stdout.contains("\"ask\""), "{}", answer.stdout);
}
