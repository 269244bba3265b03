//! What an agent writes down of itself: its calls, how they ended, and the tokens that they cost. Read from the
//! agents' own transcripts, line by line; a line that says nothing of the kind is nothing.

use tollgate_model::Agent;
use tollgate_model::json::{Value, parse};

/// Something that a transcript tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A tool call.
    Call(Call),
    /// A call of that id was turned down by the agent itself, before any hook and before it ran.
    Unrun(String),
    /// What one answer of the model cost.
    Usage(Usage),
}

/// A tool call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The agent's id of the call.
    pub id: String,
    /// The session.
    pub session: String,
    /// The subagent's id; empty for the main agent.
    pub subagent: String,
    /// The tool, by the transcript's name.
    pub tool: String,
    /// Its input.
    pub input: Value,
    /// When, in RFC 3339.
    pub time: String,
    /// The working directory, where it is told.
    pub cwd: String,
}

/// Tokens of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Names the answer; told more than once, the last counts.
    pub answer: String,
    /// The session.
    pub session: String,
    /// The model.
    pub model: String,
    /// When, in RFC 3339.
    pub time: String,
    /// Read anew.
    pub input: u64,
    /// Read from the cache.
    pub cached: u64,
    /// Written to the cache.
    pub cache_writes: u64,
    /// Written by the model, thoughts included.
    pub output: u64,
}

/// Reads one transcript from its first line to its last.
#[derive(Clone, Debug)]
pub struct Reader {
    agent: Agent,
    session: String,
    cwd: String,
    model: String,
}

/// Agents whose transcripts are read.
pub const AGENTS: [Agent; 4] = [Agent::ClaudeCode, Agent::Codex, Agent::GeminiCli, Agent::QwenCode];

/// Tools that this agent runs without asking any hook, as observed: what they stand for is hooked by itself, or
/// they do nothing outside the conversation.
#[must_use]
pub fn is_hookable(agent: Agent, tool: &str) -> bool {
    match agent {
        // `exec` is a program whose own calls are hooked one by one; `write_stdin` feeds a command that was.
        Agent::Codex => !matches!(tool, "exec" | "write_stdin" | "update_plan" | "request_user_input"),
        _ => true,
    }
}

impl Reader {
    /// A reader for a transcript of this agent.
    #[must_use]
    pub fn new(agent: Agent) -> Self {
        Self { agent, session: String::new(), cwd: String::new(), model: String::new() }
    }

    /// What a line tells.
    pub fn line(&mut self, line: &[u8]) -> Vec<Told> {
        let Ok(value) = parse(line) else { return Vec::new() };
        match self.agent {
            Agent::ClaudeCode => self.claude(&value),
            Agent::Codex => self.codex(&value),
            Agent::GeminiCli => self.gemini(&value),
            Agent::QwenCode => self.qwen(&value),
            _ => Vec::new(),
        }
    }

    fn claude(&self, line: &Value) -> Vec<Told> {
        let Some(message) = line.get("message") else { return Vec::new() };
        let content = message.get("content").and_then(Value::as_list).unwrap_or_default();
        let mut told: Vec<Told> = content.iter().filter_map(|block| claude_block(line, block)).collect();
        if let Some(usage) = message.get("usage").filter(|_| line.text("type") == Some("assistant")) {
            told.push(Told::Usage(Usage {
                answer: text(message, "id"),
                session: text(line, "sessionId"),
                model: text(message, "model"),
                time: text(line, "timestamp"),
                input: number(usage, "input_tokens"),
                cached: number(usage, "cache_read_input_tokens"),
                cache_writes: number(usage, "cache_creation_input_tokens"),
                output: number(usage, "output_tokens"),
            }));
        }
        told
    }

    fn codex(&mut self, line: &Value) -> Vec<Told> {
        let Some(payload) = line.get("payload") else { return Vec::new() };
        match (line.text("type"), payload.text("type")) {
            (Some("session_meta"), _) => {
                (self.session, self.cwd) = (text(payload, "id"), text(payload, "cwd"));
                Vec::new()
            }
            (Some("turn_context"), _) => {
                (self.model, self.cwd) = (text(payload, "model"), text(payload, "cwd"));
                Vec::new()
            }
            (Some("response_item"), Some("function_call" | "custom_tool_call")) => {
                vec![Told::Call(self.codex_call(line, payload))]
            }
            (Some("token_usage_record"), _) => payload
                .get("usage")
                .map(|usage| {
                    let cached = number(usage, "cached_input_tokens");
                    Told::Usage(Usage {
                        answer: text(payload, "response_id"),
                        session: self.session.clone(),
                        model: self.model.clone(),
                        time: text(line, "timestamp"),
                        input: number(usage, "input_tokens").saturating_sub(cached),
                        cached,
                        cache_writes: number(usage, "cache_write_input_tokens"),
                        output: number(usage, "output_tokens"),
                    })
                })
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The arguments are JSON in a text, or, of a custom tool, the text itself. Hooks see a command as `command`.
    fn codex_call(&self, line: &Value, payload: &Value) -> Call {
        let raw = payload.text("arguments").or_else(|| payload.text("input")).unwrap_or_default();
        let input = parse(raw.as_bytes())
            .ok()
            .filter(|value| value.as_map().is_some())
            .unwrap_or_else(|| Value::Map(vec![("command".to_owned(), raw.into())]));
        Call {
            id: text(payload, "call_id"),
            session: self.session.clone(),
            tool: text(payload, "name"),
            input,
            time: text(line, "timestamp"),
            cwd: self.cwd.clone(),
            ..Call::default()
        }
    }

    fn gemini(&mut self, line: &Value) -> Vec<Told> {
        if let Some(session) = line.text("sessionId") {
            session.clone_into(&mut self.session);
        }
        let mut told = Vec::new();
        for call in line.get("toolCalls").and_then(Value::as_list).unwrap_or_default() {
            told.push(Told::Call(Call {
                id: text(call, "id"),
                session: self.session.clone(),
                tool: text(call, "name"),
                input: call.get("args").cloned().unwrap_or_default(),
                time: text(call, "timestamp"),
                ..Call::default()
            }));
        }
        if let Some(tokens) = line.get("tokens") {
            let cached = number(tokens, "cached");
            told.push(Told::Usage(Usage {
                answer: text(line, "id"),
                session: self.session.clone(),
                model: text(line, "model"),
                time: text(line, "timestamp"),
                input: number(tokens, "input").saturating_sub(cached),
                cached,
                cache_writes: 0,
                output: number(tokens, "output") + number(tokens, "thoughts"),
            }));
        }
        told
    }

    fn qwen(&self, line: &Value) -> Vec<Told> {
        let parts = line.get("message").and_then(|message| message.get("parts")).and_then(Value::as_list);
        let calls = parts.unwrap_or_default().iter().filter_map(|part| part.get("functionCall"));
        let mut told: Vec<Told> = calls
            .map(|call| {
                Told::Call(Call {
                    id: text(call, "id"),
                    session: text(line, "sessionId"),
                    subagent: text(line, "agentId"),
                    tool: text(call, "name"),
                    input: call.get("args").cloned().unwrap_or_default(),
                    time: text(line, "timestamp"),
                    cwd: text(line, "cwd"),
                })
            })
            .collect();
        if let Some(usage) = line.get("usageMetadata") {
            let cached = number(usage, "cachedContentTokenCount");
            told.push(Told::Usage(Usage {
                answer: text(line, "uuid"),
                session: text(line, "sessionId"),
                model: text(line, "model"),
                time: text(line, "timestamp"),
                input: number(usage, "promptTokenCount").saturating_sub(cached),
                cached,
                cache_writes: 0,
                output: number(usage, "candidatesTokenCount") + number(usage, "thoughtsTokenCount"),
            }));
        }
        told
    }
}

fn claude_block(line: &Value, block: &Value) -> Option<Told> {
    match block.text("type")? {
        "tool_use" => Some(Told::Call(Call {
            id: text(block, "id"),
            session: text(line, "sessionId"),
            subagent: text(line, "agentId"),
            tool: text(block, "name"),
            input: block.get("input").cloned().unwrap_or_default(),
            time: text(line, "timestamp"),
            cwd: text(line, "cwd"),
        })),
        "tool_result" if block.get("is_error").and_then(Value::as_bool) == Some(true) => {
            let said = block.text("content").unwrap_or_default();
            said.starts_with("<tool_use_error>").then(|| Told::Unrun(text(block, "tool_use_id")))
        }
        _ => None,
    }
}

fn text(value: &Value, key: &str) -> String {
    value.text(key).unwrap_or_default().to_owned()
}

fn number(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        Some(Value::Number(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tools called, answers and their tokens in a recorded transcript.
    fn check(agent: Agent, recorded: &str, calls: &[&str], answers: usize, unrun: usize) {
        let mut reader = Reader::new(agent);
        let told: Vec<Told> = recorded.lines().flat_map(|line| reader.line(line.as_bytes())).collect();
        let mut found: Vec<&Call> = Vec::new();
        let mut costs: Vec<&Usage> = Vec::new();
        let mut turned_down = 0;
        for one in &told {
            match one {
                Told::Call(call) => found.push(call),
                Told::Usage(usage) => {
                    costs.retain(|other| other.answer != usage.answer);
                    costs.push(usage);
                }
                Told::Unrun(_) => turned_down += 1,
            }
        }
        let tools: Vec<&str> = found.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(tools, calls, "{agent:?}");
        assert!(
            found.iter().all(|call| !call.id.is_empty() && call.session.len() == 36 && call.time.len() == 24)
        );
        assert_eq!((costs.len(), turned_down), (answers, unrun), "{agent:?}");
        assert!(
            costs.iter().all(|usage| (usage.input, usage.output) == (100, 20) && !usage.model.is_empty())
        );
    }

    #[test]
    fn recorded_transcripts_are_understood() {
        let claude = include_str!("../transcripts/claude-code-2.1.325.jsonl");
        check(Agent::ClaudeCode, claude, &["Bash", "Read", "Agent"], 5, 0);
        check(Agent::Codex, include_str!("../transcripts/codex-0.166.0.jsonl"), &["exec_command"], 2, 0);
        check(
            Agent::GeminiCli,
            include_str!("../transcripts/gemini-cli-0.61.0.jsonl"),
            &["run_shell_command"],
            2,
            0,
        );
        check(
            Agent::QwenCode,
            include_str!("../transcripts/qwen-code-0.24.4.jsonl"),
            &["run_shell_command"],
            2,
            0,
        );
    }

    #[test]
    fn what_the_agent_turned_down_itself_never_ran() {
        let line = br#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"<tool_use_error>InputValidationError: x"}]}}"#;
        assert_eq!(Reader::new(Agent::ClaudeCode).line(line), [Told::Unrun("t".into())]);
    }
}
