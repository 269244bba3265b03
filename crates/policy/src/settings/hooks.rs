//! The keys `hooks` of a policy file and of a `hook.meta.yaml`: YAML → pipelines, and all that is wrong with them.

use tollgate_model::{EffectKind, Phase};

use super::{Reader, hint, nearest, shown};
use crate::pipeline::{BUILT_IN, OnError, Override, Pipeline, Program, Stage, StageKind, TIMEOUT};
use crate::problem::At;
use crate::yaml::{Node, Value};

/// The keys of a hook.
pub const PIPELINE_KEYS: [&str; 4] = ["execution", "middleware", "providers", "default_decision"];
/// The keys of a hook file.
pub const META_KEYS: [&str; 9] = [
    "id",
    "kind",
    "category",
    "event",
    "summary",
    "execution",
    "middleware",
    "providers",
    "default_decision",
];
/// The keys of a middleware.
pub const STAGE_KEYS: [&str; 12] = [
    "id",
    "type",
    "path",
    "uses",
    "run",
    "protocol",
    "enabled",
    "config",
    "timeout",
    "on_error",
    "providers",
    "match",
];
/// The keys of a provider.
pub const OVERRIDE_KEYS: [&str; 3] = ["enabled", "timeout", "config"];
/// The keys of `match`.
pub const MATCH_KEYS: [&str; 4] = ["tools", "agents", "effects", "events"];

/// Events as agents write them, beside the names of phases.
const EVENTS: [&str; 4] = ["pre-tool-use", "post-tool-use", "user-prompt-submit", "permission-request"];

/// The agents' names, and the providers' names of some of them.
pub const PROVIDERS: [(&str, &str); 21] = [
    ("claude", "claude-code"),
    ("openai", "codex"),
    ("gemini", "gemini-cli"),
    ("qwen", "qwen-code"),
    ("copilot", "copilot-cli"),
    ("claude-code", "claude-code"),
    ("codex", "codex"),
    ("gemini-cli", "gemini-cli"),
    ("cursor", "cursor"),
    ("copilot-cli", "copilot-cli"),
    ("opencode", "opencode"),
    ("qwen-code", "qwen-code"),
    ("droid", "droid"),
    ("auggie", "auggie"),
    ("windsurf", "windsurf"),
    ("kiro", "kiro"),
    ("cline", "cline"),
    ("kilo", "kilo"),
    ("amp", "amp"),
    ("generic", "generic"),
    ("tollgate", "tollgate"),
];

/// The longest time that a middleware may ask for, in seconds. Guards are ended before an agent stops waiting, which may
/// be sooner.
pub const LONGEST: u32 = 600;

/// The endings of files that have a function to call.
const ENDINGS: [&str; 8] = ["py", "js", "mjs", "cjs", "ts", "mts", "cts", "wasm"];

impl Reader<'_> {
    /// `hooks:` of a policy file: a map of events.
    pub(super) fn hooks(&mut self, node: &Node) {
        let Some(entries) = self.map("hooks", node, "write `pre-tool-use:` below it") else { return };
        for (name, at, value) in self.entries(entries) {
            let Some(event) = self.event(name, at) else { continue };
            let Some(keys) = self.map(name, value, "write `middleware:` below it") else { continue };
            let mut pipeline = self.pipeline(name, &event);
            for (key, at, value) in self.entries(keys) {
                if !self.pipeline_key(key, value, &mut pipeline) {
                    self.unknown("a hook", key, at, &PIPELINE_KEYS);
                }
            }
            self.settings.pipelines.push(pipeline);
        }
    }

    /// A whole `hook.meta.yaml`.
    pub(super) fn meta(&mut self, root: &Node) {
        let Some(entries) = self.map("a hook file", root, "start with `id:`") else { return };
        let mut pipeline = self.pipeline("", "");
        let mut named = false;
        for (key, at, value) in self.entries(entries) {
            match key {
                "id" => pipeline.id = self.text(key, value).unwrap_or_default(),
                "event" => {
                    named = true;
                    let name = self.text(key, value);
                    pipeline.event = name.and_then(|name| self.event(&name, value.at)).unwrap_or_default();
                }
                "kind" => drop(self.choice(key, value, &[("hook", ())])),
                "category" | "summary" => drop(self.text(key, value)),
                other if self.pipeline_key(other, value, &mut pipeline) => {}
                other => self.unknown("a hook file", other, at, &META_KEYS),
            }
        }
        if !named {
            self.error(root.at, "no `event`", "name the event: `event: PreToolUse`");
        }
        if !pipeline.event.is_empty() {
            self.settings.pipelines.push(pipeline);
        }
    }

    fn pipeline(&self, id: &str, event: &str) -> Pipeline {
        Pipeline {
            id: id.to_owned(),
            event: event.to_owned(),
            parallel: false,
            deny_by_default: false,
            stages: Vec::new(),
            overrides: Vec::new(),
            folder: String::new(),
            source: self.path.to_owned(),
        }
    }

    fn pipeline_key(&mut self, key: &str, value: &Node, pipeline: &mut Pipeline) -> bool {
        match key {
            "execution" => {
                let choice = self.choice(key, value, &[("pipeline", false), ("parallel", true)]);
                pipeline.parallel = choice.is_some_and(|choice| choice.value);
            }
            "default_decision" => {
                let choices = [("allow", false), ("continue", false), ("block", true), ("deny", true)];
                pipeline.deny_by_default =
                    self.choice(key, value, &choices).is_some_and(|choice| choice.value);
            }
            "providers" => pipeline.overrides = self.overrides(value),
            "middleware" => pipeline.stages = self.stages(value),
            _ => return false,
        }
        true
    }

    fn stages(&mut self, node: &Node) -> Vec<Stage> {
        let Value::List(items) = &node.value else {
            let message = format!("`middleware` must be a list, not {}", node.kind());
            self.error(node.at, &message, "write `- id: NAME` below it");
            return Vec::new();
        };
        let mut stages: Vec<Stage> = Vec::new();
        for item in items {
            let Some(stage) = self.stage(item) else { continue };
            if stages.iter().any(|other| other.id == stage.id) {
                self.error(
                    item.at,
                    &format!("a second middleware `{}`", shown(&stage.id)),
                    "give it another id",
                );
            }
            stages.push(stage);
        }
        stages
    }

    fn stage(&mut self, node: &Node) -> Option<Stage> {
        let entries = self.map("a middleware", node, "write `id:`, `type:` and `path:`")?;
        let mut stage = Stage::new("", Program::BuiltIn(String::new()));
        let mut programs = Vec::new();
        let mut has_type = false;
        for (key, at, value) in self.entries(entries) {
            has_type |= key == "type";
            match key {
                "path" => programs.extend(self.file(value)),
                "uses" => programs.extend(self.built_in(value)),
                "run" => programs.extend(self.command(value)),
                other if self.stage_key(other, value, &mut stage) => {}
                other => self.unknown("a middleware", other, at, &STAGE_KEYS),
            }
        }
        let stage = self.whole(node.at, &mut stage, programs, has_type)?;
        self.built_in_settings(&stage, node);
        Some(stage)
    }

    /// A middleware needs a name, a type and one program.
    fn whole(
        &mut self,
        at: At,
        stage: &mut Stage,
        mut programs: Vec<Program>,
        has_type: bool,
    ) -> Option<Stage> {
        if stage.id.is_empty() {
            self.error(at, "a middleware without `id`", "name it: `id: NAME`");
        }
        if !has_type {
            let kinds = StageKind::ALL.map(StageKind::name).join(", ");
            self.error(at, "a middleware without `type`", &format!("one of {kinds}"));
        }
        if programs.len() > 1 {
            self.error(at, "a middleware with more than one of `path`, `uses` and `run`", "keep one");
        }
        if programs.is_empty() && BUILT_IN.contains(&stage.id.as_str()) {
            programs.push(Program::BuiltIn(stage.id.clone()));
        }
        let Some(program) = programs.pop() else {
            self.error(at, "a middleware that runs nothing", "add `path:`, `uses:` or `run:`");
            return None;
        };
        if stage.native && !matches!(program, Program::Run(_)) {
            self.error(at, "`protocol: agent` is for programs", "use it with `run:`");
        }
        stage.program = program;
        Some(stage.clone())
    }

    fn stage_key(&mut self, key: &str, value: &Node, stage: &mut Stage) -> bool {
        match key {
            "id" => stage.id = self.text(key, value).unwrap_or_default(),
            "type" => {
                let named = StageKind::ALL.map(|kind| (kind.name(), kind));
                let kinds: Vec<_> = named.into_iter().chain(StageKind::ALIASES).collect();
                stage.kind = self.choice(key, value, &kinds).map_or(stage.kind, |kind| kind.value);
            }
            "enabled" => stage.enabled = self.flag(key, value).unwrap_or(true),
            "protocol" => {
                let choice = self.choice(key, value, &[("tollgate", false), ("agent", true)]);
                stage.native = choice.is_some_and(|choice| choice.value);
            }
            "config" => stage.config = self.config(value),
            "timeout" => stage.timeout = self.seconds(value).unwrap_or(TIMEOUT),
            "on_error" => {
                let choices = [
                    ("allow", OnError::Allow),
                    ("ask", OnError::Ask),
                    ("deny", OnError::Deny),
                    ("block", OnError::Deny),
                    ("retry", OnError::Retry),
                ];
                stage.on_error =
                    self.choice(key, value, &choices).map_or(stage.on_error, |choice| choice.value);
            }
            "providers" => stage.overrides = self.overrides(value),
            "match" => self.matches(value, stage),
            _ => return false,
        }
        true
    }

    fn matches(&mut self, node: &Node, stage: &mut Stage) {
        let Some(entries) = self.map("match", node, "write `tools: [Bash]` below it") else { return };
        for (key, at, value) in self.entries(entries) {
            match key {
                "tools" => stage.tools = self.words(key, value),
                "effects" => {
                    stage.effects = self.words(key, value);
                    for name in
                        stage.effects.iter().filter(|name| !EffectKind::NAMES.contains(&name.as_str()))
                    {
                        let message = format!("unknown effect `{}`", shown(name));
                        self.error(value.at, &message, &hint(name, &EffectKind::NAMES));
                    }
                }
                // Agents' own names of events are of no list.
                "events" => stage.events = self.words(key, value),
                "agents" => {
                    let names = self.words(key, value);
                    stage.agents = names.iter().filter_map(|name| self.agent(name, value.at)).collect();
                }
                other => self.unknown("`match`", other, at, &MATCH_KEYS),
            }
        }
    }

    fn overrides(&mut self, node: &Node) -> Vec<Override> {
        let Some(entries) = self.map("providers", node, "write `claude: {timeout: 60}`") else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (name, at, value) in self.entries(entries) {
            let Some(agent) = self.agent(name, at) else { continue };
            let Some(keys) = self.map(name, value, "write `timeout:` or `enabled:` below it") else {
                continue;
            };
            let mut other = Override { agent, enabled: None, timeout: None, config: None };
            for (key, at, value) in self.entries(keys) {
                match key {
                    "enabled" => other.enabled = self.flag(key, value),
                    "timeout" => other.timeout = self.seconds(value),
                    "config" => other.config = Some(self.config(value)),
                    unknown => self.unknown("a provider", unknown, at, &OVERRIDE_KEYS),
                }
            }
            all.push(other);
        }
        all
    }

    pub(super) fn event(&mut self, name: &str, at: At) -> Option<String> {
        let phase = Phase::named(name);
        if phase.is_none() {
            let names = Phase::ALL.iter().map(|phase| phase.name()).chain(EVENTS);
            let hint = match nearest(name, names.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("valid: {}", names.take(Phase::ALL.len()).collect::<Vec<_>>().join(", ")),
            };
            self.error(at, &format!("unknown event `{}`", shown(name)), &hint);
        }
        phase.map(|phase| phase.name().to_owned())
    }

    fn agent(&mut self, name: &str, at: At) -> Option<String> {
        let found = PROVIDERS.iter().find(|(provider, _)| *provider == name).map(|(_, agent)| *agent);
        if found.is_none() {
            let names = PROVIDERS.map(|(provider, _)| provider);
            self.error(at, &format!("unknown agent `{}`", shown(name)), &hint(name, &names));
        }
        found.map(str::to_owned)
    }

    fn built_in(&mut self, node: &Node) -> Option<Program> {
        let name = self.text("uses", node)?;
        if BUILT_IN.contains(&name.as_str()) {
            return Some(Program::BuiltIn(name));
        }
        self.error(node.at, &format!("unknown built-in `{}`", shown(&name)), &hint(&name, &BUILT_IN));
        None
    }

    /// A file with a function in a language that is known.
    fn file(&mut self, node: &Node) -> Option<Program> {
        let path = self.text("path", node)?;
        let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
        if ending.is_none_or(|ending| !ENDINGS.contains(&ending)) {
            let message =
                format!("`{}` is neither Python, JavaScript, TypeScript nor WebAssembly", shown(&path));
            self.error(node.at, &message, "a program of its own is started with `run: [PROGRAM]`");
        }
        Some(Program::File(path))
    }

    /// A program and its arguments, as a list or as words.
    fn command(&mut self, node: &Node) -> Option<Program> {
        let words = match &node.value {
            Value::Scalar { text, .. } => text.split_whitespace().map(str::to_owned).collect(),
            _ => self.words("run", node),
        };
        if words.is_empty() {
            self.error(node.at, "`run` names no program", "write `run: [./check.sh]`");
            return None;
        }
        Some(Program::Run(words))
    }

    /// Seconds: `60`, `0.5`.
    fn seconds(&mut self, node: &Node) -> Option<u32> {
        let seconds = match &node.value {
            Value::Scalar { text, .. } => text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0),
            _ => None,
        };
        let Some(seconds) = seconds else {
            self.error(node.at, "a time-out is a number of seconds", "write `timeout: 5`");
            return None;
        };
        if seconds > f64::from(LONGEST) {
            self.error(node.at, &format!("a time-out is at most {LONGEST} seconds"), "");
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and capped")]
        let milliseconds = (seconds * 1000.0).max(1.0) as u32;
        Some(milliseconds)
    }

    pub(super) fn flag(&mut self, key: &str, node: &Node) -> Option<bool> {
        self.choice(key, node, &[("true", true), ("false", false)]).map(|choice| choice.value)
    }

    pub(super) fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Scalar { text, .. } if !node.is_null() => Some(text.clone()),
            _ => {
                self.error(node.at, &format!("`{key}` must be text, not {}", node.kind()), "");
                None
            }
        }
    }

    /// One word or a list of words.
    pub(super) fn words(&mut self, key: &str, node: &Node) -> Vec<String> {
        match &node.value {
            Value::List(items) => items.iter().filter_map(|item| self.text(key, item)).collect(),
            _ => self.text(key, node).into_iter().collect(),
        }
    }

    fn config(&mut self, node: &Node) -> String {
        if node.is_null() {
            return "{}".to_owned();
        }
        if !matches!(node.value, Value::Map(_)) {
            self.error(node.at, &format!("`config` must be a map, not {}", node.kind()), "");
            return "{}".to_owned();
        }
        let mut out = String::new();
        tollgate_model::json::write(&json(node), &mut out);
        out
    }

    pub(super) fn map<'n>(
        &mut self,
        what: &str,
        node: &'n Node,
        hint: &str,
    ) -> Option<&'n [(std::rc::Rc<Node>, std::rc::Rc<Node>)]> {
        match &node.value {
            Value::Map(entries) => Some(entries),
            _ => {
                self.error(node.at, &format!("`{what}` must be a map, not {}", node.kind()), hint);
                None
            }
        }
    }

    pub(super) fn unknown(&mut self, of: &str, key: &str, at: At, known: &[&str]) {
        self.error(at, &format!("unknown key `{}` of {of}", shown(key)), &hint(key, known));
    }
}

/// YAML as JSON: plain words are numbers, truth values and null where they look like it.
#[must_use]
pub fn json(node: &Node) -> tollgate_model::json::Value {
    use tollgate_model::json::{Value as Json, parse};
    match &node.value {
        _ if node.is_null() => Json::Null,
        Value::Scalar { text, plain: true } if is_json_word(text) => {
            parse(text.as_bytes()).unwrap_or_else(|_| text.as_str().into())
        }
        Value::Scalar { text, .. } => text.as_str().into(),
        Value::List(items) => Json::List(items.iter().map(|item| json(item)).collect()),
        Value::Map(entries) => Json::Map(
            entries
                .iter()
                .filter_map(|(key, value)| match &key.value {
                    Value::Scalar { text, .. } => Some((text.clone(), json(value))),
                    _ => None,
                })
                .collect(),
        ),
    }
}

fn is_json_word(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse::<f64>().is_ok_and(f64::is_finite)
}
