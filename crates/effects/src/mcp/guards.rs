//! Tools that change what guards an agent, or what it will read as its own memory.

use tollgate_model::WriteMode;
use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, Lasting, Tampered};

use super::Given;
use super::names::{Tool, Verb, split};
use crate::instructions;
use crate::tools::Hands;

/// Settings that a tool changes: of an editor, or of a server that runs commands.
pub(super) fn set(hands: &mut Hands, tool: &Tool, input: &Value) {
    let any = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let settings = ["setting", "settings", "config", "configuration", "preference", "preferences"];
    if !any(&settings) || !any(&["set", "update", "write", "change", "modify", "put", "edit"]) {
        return;
    }
    let Some(key) = ["key", "setting", "name", "id"].iter().find_map(|key| input.text(key)) else { return };
    if any(&["vscode", "code", "cursor", "windsurf", "ide"]) {
        let value = input.get("value").cloned().unwrap_or(Value::Null);
        let mut text = String::new();
        json::write(&Value::Map(vec![(key.to_owned(), value)]), &mut text);
        hands.write(".vscode/settings.json", WriteMode::Edit, Some(&text));
        return;
    }
    let limits =
        ["blocked", "allowed", "denied", "allowlist", "denylist", "whitelist", "blacklist", "approval"];
    if split(key).iter().any(|word| limits.contains(&word.as_str()))
        && any(&["commander", "shell", "terminal"])
    {
        hands.push(EffectKind::Tamper {
            target: Tampered::AgentControl,
            what: format!("`{key}` of `{}`", tool.server),
        });
    }
}

/// What is kept for later sessions, and read by them as their own words.
pub(super) fn remembered(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let any = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let keeps = any(&["memory", "memories", "remember", "observation", "observations", "mem0"]);
    if !keeps || !(tool.verb == Verb::Write || any(&["add", "remember", "store", "set", "record"])) {
        return;
    }
    let world = hands.analyst.world;
    let poisons = texts.iter().filter(|given| given.text.contains(' '));
    if let Some(poison) = poisons.filter_map(|given| instructions::told_in(given.text, world)).next() {
        let what = format!("the agent's memory (`{}`), which tell it {poison}", tool.server);
        hands.push(EffectKind::Persist { kind: Lasting::Instructions, what });
    }
}
