//! The middlewares that are part of Tollgate, under the names that hand-written hooks give them.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::net::UdpSocket;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use regex_lite::RegexBuilder;
use tollgate_model::json::{Value, object, parse, write};
use tollgate_model::{CREDENTIALS_WITHIN, Effect, EffectKind, holds_credentials, may_hold_credentials};
use tollgate_policy::{Stage, path_matches, read_start};
use tollgate_store::{redact, rfc3339};

use crate::result::{Said, StageResult};

/// A pattern that needs more than this is refused.
const PATTERN_LIMIT: usize = 1 << 20;

/// Runs a built-in.
pub(crate) fn run(
    name: &str,
    stage: &Stage,
    input: &Value,
    earlier: &[StageResult],
    effects: &[Effect],
) -> StageResult {
    let config = parse(stage.config.as_bytes()).unwrap_or(Value::Map(Vec::new()));
    let call = Call { stage, input, config: &config, earlier };
    match name {
        "block-dangerous-commands" => call.dangerous_commands(),
        "protect-sensitive-files" => call.sensitive_files(effects),
        "validate-tool-inputs" => call.inputs(),
        "log-operations" => call.log("~/.claude/logs/operations.jsonl", "log_file", call.operation()),
        "emit-metrics" => call.metrics(),
        "track-token-usage" => call.log("~/.claude/logs/token-usage.jsonl", "log_file", call.tokens()),
        "debug-tracer" => call.log("~/.claude/logs/trace.jsonl", "trace_file", call.trace()),
        other => StageResult::failed(stage, format!("there is no built-in `{other}`")),
    }
}

struct Call<'a> {
    stage: &'a Stage,
    input: &'a Value,
    config: &'a Value,
    earlier: &'a [StageResult],
}

impl Call<'_> {
    fn dangerous_commands(&self) -> StageResult {
        let command = self.tool_input().and_then(|input| input.text("command")).unwrap_or_default();
        if self.input.text("tool_name") != Some("Bash") {
            return self.passes(object([("skipped", true.into())]));
        }
        let patterns = match self.texts("dangerous_patterns", &DANGEROUS) {
            Ok(patterns) => patterns,
            Err(why) => return StageResult::failed(self.stage, why),
        };
        for pattern in &patterns {
            let regex = RegexBuilder::new(pattern).case_insensitive(true).size_limit(PATTERN_LIMIT).build();
            match regex {
                Ok(regex) if regex.is_match(command) => {
                    let metrics = object([("blocked", true.into()), ("pattern", pattern.as_str().into())]);
                    let reason = format!("Dangerous command pattern detected: {pattern}");
                    return StageResult::said(self.stage, Said::Block, reason, metrics);
                }
                Ok(_) => {}
                Err(error) => {
                    return StageResult::failed(
                        self.stage,
                        format!("pattern `{pattern}` cannot be used ({error})"),
                    );
                }
            }
        }
        self.passes(object([("checked_patterns", (patterns.len() as u64).into())]))
    }

    /// Any door: what the call names, and what it would read, write or delete by whatever program.
    fn sensitive_files(&self, effects: &[Effect]) -> StageResult {
        let patterns = match self.texts("protected_patterns", &SENSITIVE) {
            Ok(patterns) => patterns,
            Err(why) => return StageResult::failed(self.stage, why),
        };
        let named = ["file_path", "path", "notebook_path"];
        let named = named.iter().filter_map(|key| self.tool_input()?.text(key));
        let touched = effects.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Read { place, .. }
            | EffectKind::Write { place, .. }
            | EffectKind::Delete { place, .. } => Some(place.path.as_str()),
            _ => None,
        });
        for path in named.chain(touched) {
            let name = path.rsplit('/').next().unwrap_or(path);
            let hit = |pattern: &&String| path_matches(pattern, name) || path_matches(pattern, path);
            if let Some(pattern) = patterns.iter().find(hit) {
                let metrics = object([("blocked", true.into()), ("pattern", pattern.as_str().into())]);
                let reason = format!("`{path}` is a protected file ({pattern})");
                return StageResult::said(self.stage, Said::Block, reason, metrics);
            }
            // Files that hold credentials only sometimes are looked into, unless there are patterns of one's own.
            if self.config.get("protected_patterns").is_none() && self.holds_credentials(path) {
                let metrics = object([("blocked", true.into()), ("pattern", "credentials".into())]);
                let reason = format!("`{path}` is a protected file (it holds credentials)");
                return StageResult::said(self.stage, Said::Block, reason, metrics);
            }
        }
        self.passes(object([("checked_patterns", (patterns.len() as u64).into())]))
    }

    fn holds_credentials(&self, path: &str) -> bool {
        let whole = Path::new(self.input.text("cwd").unwrap_or_default()).join(path);
        let read = || read_start(&whole, CREDENTIALS_WITHIN).ok();
        may_hold_credentials(path)
            && read().is_some_and(|bytes| holds_credentials(path, &String::from_utf8_lossy(&bytes)))
    }

    /// The fields that a tool cannot do without, and limits.
    fn inputs(&self) -> StageResult {
        let tool = self.input.text("tool_name").unwrap_or_default();
        let needs: &[&str] = match tool {
            "Bash" => &["command"],
            "Read" | "Edit" => &["file_path"],
            "Write" => &["file_path", "content"],
            "Grep" | "Glob" => &["pattern"],
            "WebFetch" => &["url"],
            _ => &[],
        };
        let blocked = |reason: String| {
            StageResult::said(self.stage, Said::Block, reason, object([("blocked", true.into())]))
        };
        for field in needs {
            match self.tool_input().and_then(|input| input.get(field)).map(Value::as_str) {
                Some(Some(text)) if !text.is_empty() || *field == "content" => {}
                Some(None) => return blocked(format!("`{field}` of {tool} must be text")),
                _ => return blocked(format!("{tool} needs `{field}`")),
            }
        }
        let limit = self.config.get("max_command_length").and_then(number);
        let length = self.tool_input().and_then(|input| input.text("command")).map_or(0, str::len);
        if limit.is_some_and(|limit| length > limit) {
            return blocked(format!("the command has {length} bytes, more than `max_command_length`"));
        }
        self.passes(object([("checked", true.into())]))
    }

    fn operation(&self) -> Value {
        let get = |key: &str| self.input.get(key).cloned().unwrap_or(Value::Null);
        object([
            ("timestamp", rfc3339(SystemTime::now()).as_str().into()),
            ("session_id", get("session_id")),
            ("tool_name", get("tool_name")),
            ("tool_input", get("tool_input")),
            ("blocked", self.blocked().into()),
        ])
    }

    fn trace(&self) -> Value {
        object([
            ("timestamp", rfc3339(SystemTime::now()).as_str().into()),
            ("event", self.input.clone()),
            ("results", Value::List(self.earlier.iter().map(StageResult::value).collect())),
        ])
    }

    /// What the last answer in the transcript says it used.
    fn tokens(&self) -> Value {
        let path = self.input.text("transcript_path").unwrap_or_default();
        let end = end_of(Path::new(path)).unwrap_or_default();
        let lines = end.rsplit(|byte| *byte == b'\n');
        let usage = lines.take(200).find_map(|line| parse(line).ok()?.get("message")?.get("usage").cloned());
        object([
            ("timestamp", rfc3339(SystemTime::now()).as_str().into()),
            ("session_id", self.input.get("session_id").cloned().unwrap_or(Value::Null)),
            ("usage", usage.unwrap_or(Value::Null)),
        ])
    }

    /// Appends a line without secrets to a file that nobody else can have put in its place.
    fn log(&self, default: &str, key: &str, entry: Value) -> StageResult {
        let path = at_home(self.config.text(key).unwrap_or(default));
        let mut line = String::new();
        write(&entry, &mut line);
        let line = redact(&line) + "\n";
        let folder = path
            .parent()
            .map(|folder| DirBuilder::new().recursive(true).mode(0o700).create(folder))
            .transpose();
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let kept = folder.and_then(|_| {
            let mut file = OpenOptions::new();
            file.append(true).create(true).mode(0o600).custom_flags(flags.bits().cast_signed());
            file.open(&path)?.write_all(line.as_bytes())
        });
        let metrics = |logged: bool| {
            object([("logged", logged.into()), ("log_file", path.to_string_lossy().as_ref().into())])
        };
        match kept {
            Ok(()) => StageResult::said(self.stage, Said::Continue, "Logged successfully", metrics(true)),
            Err(error) => StageResult::said(
                self.stage,
                Said::Continue,
                format!("Logging failed: {error}"),
                metrics(false),
            ),
        }
    }

    /// Counters by UDP: nobody waits for anybody.
    fn metrics(&self) -> StageResult {
        let host = self.config.text("statsd_host").unwrap_or("localhost");
        let port = self.config.get("statsd_port").and_then(number).and_then(|port| u16::try_from(port).ok());
        let prefix = self.config.text("prefix").unwrap_or("tollgate");
        let tool = self.input.text("tool_name").unwrap_or("none");
        let tool: String = tool.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let decision = if self.blocked() { "block" } else { "allow" };
        let lines = format!("{prefix}.tool.{tool}:1|c\n{prefix}.decision.{decision}:1|c");
        let sent = UdpSocket::bind(("0.0.0.0", 0))
            .and_then(|socket| socket.send_to(lines.as_bytes(), (host, port.unwrap_or(8125))));
        match sent {
            Ok(_) => StageResult::said(self.stage, Said::Continue, "", object([("sent", true.into())])),
            Err(error) => StageResult::failed(self.stage, error.to_string()),
        }
    }

    fn passes(&self, metrics: Value) -> StageResult {
        StageResult::said(self.stage, Said::Allow, "", metrics)
    }

    fn blocked(&self) -> bool {
        self.earlier.iter().any(|result| result.said.refuses())
    }

    fn tool_input(&self) -> Option<&Value> {
        self.input.get("tool_input")
    }

    /// The texts of a setting. One that is not a list of texts is a fault: nothing would be checked.
    fn texts(&self, key: &str, default: &[&str]) -> Result<Vec<String>, String> {
        let Some(value) = self.config.get(key) else {
            return Ok(default.iter().map(|text| (*text).to_owned()).collect());
        };
        let texts = value.as_list().map(|list| list.iter().map(|text| text.as_str().map(str::to_owned)));
        let texts: Option<Vec<String>> = texts.and_then(Iterator::collect);
        texts.ok_or_else(|| format!("its setting `{key}` is not a list of texts"))
    }
}

/// What is dangerous, and what is sensitive, to a built-in that is told nothing else.
const DANGEROUS: [&str; 8] = [
    r"\brm\s+-(rf|fr)\b",
    r"\bsudo\s+rm\b",
    r"\bdd\s+if=",
    r">\s*/dev/(sd[a-z]|nvme)",
    r"\bmkfs\b",
    r"\.\./\.\./\.\.",
    r#"\bsystem\s*\(\s*["']"#,
    r"\bexec\s*\(",
];
const SENSITIVE: [&str; 3] = [".env*", "*.key", "*.pem"];

/// The last bytes of a file; a transcript grows large, and what is no file has no end.
fn end_of(path: &Path) -> std::io::Result<Vec<u8>> {
    const ENOUGH: u64 = 1 << 20;
    if !path.metadata()?.is_file() {
        return Ok(Vec::new());
    }
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(ENOUGH)))?;
    let mut end = Vec::new();
    file.take(ENOUGH).read_to_end(&mut end)?;
    Ok(end)
}

fn number(value: &Value) -> Option<usize> {
    let mut text = String::new();
    write(value, &mut text);
    text.parse().ok()
}

fn at_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(path),
    }
}
