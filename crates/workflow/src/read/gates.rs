//! Gates and what happens when they hold.

use tollgate_model::Level;
use tollgate_policy::yaml::{Node, Value};
use tollgate_policy::{At, hint, shown};

use super::Reader;
use crate::flow::{Act, Active, Channel, Gate, On, Refusal, Who};

/// The keys of a gate.
pub const KEYS: [&str; 21] = [
    "on",
    "agents",
    "other_than",
    "commands",
    "tools",
    "programs",
    "sources",
    "inside",
    "outside",
    "except",
    "unless_content",
    "phase",
    "active",
    "actor",
    "if",
    "need",
    "message",
    "level",
    "limit",
    "once",
    "then",
];

/// The names of all acts.
pub const ACTS: [&str; 13] = [
    "phase", "end", "start", "set", "count", "remember", "forget", "say", "read", "tell", "save", "recover",
    "notify",
];

/// How often in a row an agent is kept from stopping, unless a gate says otherwise. Agents that count end at eight.
const STOPS: u32 = 7;

impl Reader<'_> {
    pub(super) fn gates(&mut self, node: &Node) -> Vec<Gate> {
        let Value::List(items) = &node.value else {
            self.error(node.at, &format!("`gates` must be a list, not {}", node.kind()), "");
            return Vec::new();
        };
        items.iter().map(|item| self.gate(item)).collect()
    }

    fn gate(&mut self, node: &Node) -> Gate {
        let mut gate = Gate::default();
        let mut limit = None;
        for (key, at, node) in self.entries(node, "a gate").unwrap_or_default() {
            match key {
                "on" => gate.on = self.events(node),
                "agents" => gate.agents = self.texts(node, key),
                "other_than" => gate.other_than = self.texts(node, key),
                "commands" => gate.commands = self.texts(node, key),
                "tools" => gate.tools = self.texts(node, key),
                "programs" => gate.programs = self.texts(node, key),
                "sources" => gate.sources = self.texts(node, key),
                "inside" => gate.inside = self.paths(node, key),
                "outside" => gate.outside = self.paths(node, key),
                "except" => gate.except = self.paths(node, key),
                "unless_content" => gate.unless_content = self.texts(node, key),
                "phase" => gate.phases = self.texts(node, key),
                "active" => {
                    let choices = [("true", Active::Yes), ("false", Active::No), ("any", Active::Any)];
                    gate.active = self.choice(node, key, &choices).unwrap_or_default();
                }
                "actor" => {
                    let choices = [("main", Who::Main), ("subagent", Who::Subagent), ("any", Who::Anybody)];
                    gate.actor = self.choice(node, key, &choices).unwrap_or_default();
                }
                "if" => gate.when = Some(self.condition(node)),
                "need" => gate.need = Some(self.condition(node)),
                "message" => gate.message = self.text(node, key),
                "level" => gate.level = self.level(node),
                "limit" => limit = self.number(node, key),
                "once" => gate.once = self.switch(node, key),
                "then" => gate.then = self.acts(node),
                unknown => {
                    self.error(
                        at,
                        &format!("unknown key `{}` of a gate", shown(unknown)),
                        &hint(unknown, &KEYS),
                    );
                }
            }
        }
        gate.limit = limit.unwrap_or_else(|| default_limit(&gate.on));
        self.check_gate(&gate, node.at);
        gate
    }

    fn check_gate(&mut self, gate: &Gate, at: At) {
        if gate.on.is_empty() {
            let names: Vec<&str> = On::ALL.iter().map(|(name, _)| *name).collect();
            self.error(at, "a gate without `on`", &format!("valid: {}", names.join(", ")));
        }
        let refuses = !gate.message.is_empty();
        if gate.need.is_some() && !refuses {
            self.error(at, "a gate with a `need` but no `message`", "say what is missing and what to do");
        }
        if !refuses && gate.then.is_empty() {
            self.error(at, "a gate that does nothing", "give it a `message` or a `then`");
        }
    }

    fn events(&mut self, node: &Node) -> Vec<On> {
        let mut events = Vec::new();
        for name in self.texts(node, "on") {
            match On::ALL.iter().find(|(known, _)| *known == name) {
                Some((_, on)) => events.push(*on),
                None => {
                    let names: Vec<&str> = On::ALL.iter().map(|(name, _)| *name).collect();
                    self.error(node.at, &format!("unknown event `{}`", shown(&name)), &hint(&name, &names));
                }
            }
        }
        events
    }

    fn level(&mut self, node: &Node) -> Refusal {
        let choices = [
            ("warn", Refusal::Level(Level::Note)),
            ("ask", Refusal::Level(Level::Ask)),
            ("block", Refusal::Level(Level::Deny)),
            ("fail", Refusal::Fail),
        ];
        self.choice(node, "level", &choices).unwrap_or_default()
    }

    fn acts(&mut self, node: &Node) -> Vec<Act> {
        match &node.value {
            Value::List(items) => items.iter().flat_map(|item| self.acts(item)).collect(),
            _ => {
                let entries = self.entries(node, "then").unwrap_or_default();
                entries.into_iter().flat_map(|(key, at, node)| self.act(key, at, node)).collect()
            }
        }
    }

    fn act(&mut self, key: &str, at: At, node: &Node) -> Vec<Act> {
        match key {
            "phase" => vec![Act::Phase(self.text(node, key))],
            "end" => {
                if self.switch(node, key) {
                    vec![Act::End]
                } else {
                    Vec::new()
                }
            }
            "start" => self.texts(node, key).into_iter().map(Act::Start).collect(),
            "set" => {
                let pairs = self.entries(node, key).unwrap_or_default();
                pairs
                    .into_iter()
                    .map(|(key, _, node)| Act::Set(key.to_owned(), self.text(node, key)))
                    .collect()
            }
            "count" => self.texts(node, key).into_iter().map(Act::Count).collect(),
            "forget" => vec![Act::Forget(self.texts(node, key))],
            "say" => self.lines(node, key).into_iter().map(Act::Say).collect(),
            "read" => vec![Act::Read(self.paths(node, key))],
            "tell" => vec![Act::Tell(self.text(node, key))],
            "remember" => vec![self.remember(node)],
            "save" => vec![self.save(node)],
            "recover" => vec![self.recover(node)],
            "notify" => self.notify(node),
            unknown => {
                self.error(at, &format!("unknown act `{}`", shown(unknown)), &hint(unknown, &ACTS));
                Vec::new()
            }
        }
    }

    fn remember(&mut self, node: &Node) -> Act {
        let (mut name, mut value, mut most) = (String::new(), String::new(), 10);
        for (key, at, node) in self.entries(node, "remember").unwrap_or_default() {
            match key {
                "key" => name = self.text(node, key),
                "value" => value = self.text(node, key),
                "most" => most = self.number(node, key).unwrap_or(10).min(1000) as usize,
                unknown => self.unknown(unknown, at, "remember", &["key", "value", "most"]),
            }
        }
        Act::Remember { key: name, value, most }
    }

    fn save(&mut self, node: &Node) -> Act {
        let (mut to, mut file, mut fields) = (String::new(), String::new(), Vec::new());
        for (key, at, node) in self.entries(node, "save").unwrap_or_default() {
            match key {
                "to" => to = self.text(node, key),
                "file" => file = self.path(node, key),
                "fields" => {
                    let pairs = self.entries(node, key).unwrap_or_default();
                    fields = pairs
                        .into_iter()
                        .map(|(key, _, node)| (key.to_owned(), self.text(node, key)))
                        .collect();
                }
                unknown => self.unknown(unknown, at, "save", &["to", "file", "fields"]),
            }
        }
        Act::Save { to, file, fields }
    }

    fn recover(&mut self, node: &Node) -> Act {
        let (mut from, mut file) = (String::new(), String::new());
        for (key, at, node) in self.entries(node, "recover").unwrap_or_default() {
            match key {
                "from" => from = self.text(node, key),
                "file" => file = self.path(node, key),
                unknown => self.unknown(unknown, at, "recover", &["from", "file"]),
            }
        }
        Act::Recover { from, file }
    }

    fn notify(&mut self, node: &Node) -> Vec<Act> {
        let (mut channels, mut text) = (Vec::new(), String::new());
        for (key, at, node) in self.entries(node, "notify").unwrap_or_default() {
            match key {
                "run" => channels.extend(self.texts(node, key).into_iter().map(Channel::Run)),
                "ntfy" => channels.extend(self.addresses(node, key).into_iter().map(Channel::Ntfy)),
                "desktop" => channels.extend(self.switch(node, key).then_some(Channel::Desktop)),
                "text" => text = self.text(node, key),
                unknown => self.unknown(unknown, at, "notify", &["run", "ntfy", "desktop", "text"]),
            }
        }
        channels.into_iter().map(|channel| Act::Notify { channel, text: text.clone() }).collect()
    }

    fn addresses(&mut self, node: &Node, key: &str) -> Vec<String> {
        let mut all = self.texts(node, key);
        all.retain(|address| !address.is_empty());
        for address in &all {
            if !["https://", "http://"].iter().any(|start| address.starts_with(start)) {
                let message = format!("`{}` is no address", shown(address));
                self.error(node.at, &message, "write `https://ntfy.sh/your-topic`");
            }
        }
        all
    }
}

fn default_limit(on: &[On]) -> u32 {
    if on.iter().any(|on| matches!(on, On::Stop | On::SubagentStop)) { STOPS } else { 0 }
}
