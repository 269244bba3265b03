//! The agents' own tools: files, searches, the web, other agents.

use tollgate_model::{
    Certainty, Dialect, Effect, EffectKind, NetDirection, SearchScope, Span, ToolCall, ToolUse, World,
    WriteMode,
};

use crate::analyst::{Analyst, own_at};
use crate::paths;

/// What a tool call would do.
pub(crate) fn effects(tool: &ToolUse, cwd: &str, world: &dyn World) -> Vec<Effect> {
    let mut found = Found { effects: Vec::new(), cwd, world };
    match &tool.call {
        ToolCall::Shell { command, dialect: Dialect::Posix, cwd: own, sandbox_off } => {
            if *sandbox_off {
                found.push(EffectKind::Weaken { what: "the agent's sandbox, for this call".into() });
            }
            let cwd = own.as_deref().unwrap_or(cwd);
            found.effects.extend(Analyst::new(world, cwd).shell(command));
        }
        ToolCall::Shell { .. } => found.push(EffectKind::Opaque { why: "PowerShell is not read yet".into() }),
        ToolCall::Read { paths } => paths.iter().for_each(|path| found.read(path, false)),
        ToolCall::Write { path, content } => found.write(path, WriteMode::Overwrite, content),
        ToolCall::Edit { path, edits } => {
            let new: Vec<&str> = edits.iter().map(|edit| edit.new.as_str()).collect();
            found.write(path, WriteMode::Edit, &new.join("\n"));
        }
        ToolCall::Delete { path } => found.delete(path),
        ToolCall::Search { path, glob, scope: SearchScope::Contents, .. } => {
            found.read(if path.is_empty() { "." } else { path }, true);
            if let Some(glob) = glob {
                found.read(glob, false);
            }
        }
        ToolCall::Fetch { url } => found.fetch(url),
        ToolCall::Spawn { agent, .. } => found.push(EffectKind::Spawn { agent: agent.clone() }),
        ToolCall::Search { .. }
        | ToolCall::Patch { .. }
        | ToolCall::WebSearch { .. }
        | ToolCall::Command { .. }
        | ToolCall::Mcp { .. }
        | ToolCall::Other => {}
    }
    found.effects
}

struct Found<'a> {
    effects: Vec<Effect>,
    cwd: &'a str,
    world: &'a dyn World,
}

impl Found<'_> {
    fn push(&mut self, kind: EffectKind) {
        self.effects.push(Effect { kind, span: Span::default(), certainty: Certainty::Certain });
    }

    fn read(&mut self, path: &str, recursive: bool) {
        let place = paths::literal_place(path, self.cwd, self.world);
        self.push(EffectKind::Read { place, recursive });
    }

    fn write(&mut self, path: &str, mode: WriteMode, content: &str) {
        let place = paths::literal_place(path, self.cwd, self.world);
        if let Some(what) = own_at(&place, false, self.world) {
            self.push(EffectKind::Tamper { what });
        }
        self.push(EffectKind::Write { place, mode, content: Some(content.to_owned()) });
    }

    fn delete(&mut self, path: &str) {
        let place = paths::literal_place(path, self.cwd, self.world);
        if let Some(what) = own_at(&place, true, self.world) {
            self.push(EffectKind::Tamper { what });
        }
        self.push(EffectKind::Delete { place, recursive: true });
    }

    fn fetch(&mut self, url: &str) {
        if let Some(path) = url.strip_prefix("file://") {
            self.read(path, false);
            return;
        }
        let host = url.split("//").nth(1).unwrap_or(url).split(['/', '?', '#']).next().unwrap_or_default();
        let host = host.rsplit('@').next().unwrap_or_default().to_owned();
        self.push(EffectKind::Net { host, direction: NetDirection::In, carries: Vec::new() });
    }
}
