//! The key `sinks` of a policy file.

use super::{Reader, hint, shown};
use crate::problem::At;
use crate::sinks::{SinkKind, SinkUse};
use crate::yaml::{Node, Value};

const EXAMPLE: &str = "write `sinks: [{ uses: jsonl, path: /var/log/tollgate.jsonl }]`";

impl Reader<'_> {
    pub(super) fn sinks(&mut self, node: &Node) {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                return self.error(node.at, &format!("`sinks` must be a list, not {}", node.kind()), EXAMPLE);
            }
        };
        for item in items {
            if let Some(sink) = self.sink(item) {
                self.settings.sinks.push((sink, item.at));
            }
        }
    }

    fn sink(&mut self, node: &Node) -> Option<SinkUse> {
        let Value::Map(entries) = &node.value else {
            self.error(node.at, &format!("a sink must be a map, not {}", node.kind()), EXAMPLE);
            return None;
        };
        let entries = self.entries(entries);
        let Some((_, _, uses)) = entries.iter().find(|(key, ..)| *key == "uses") else {
            self.error(node.at, "a sink without `uses`", EXAMPLE);
            return None;
        };
        let uses = self.choice("uses", uses, &SinkKind::ALL)?.value;
        let (known, needed) = uses.keys();
        let mut sink = SinkUse {
            uses,
            path: String::new(),
            address: String::new(),
            prefix: String::new(),
            url: String::new(),
            headers: Vec::new(),
            ca: String::new(),
            run: Vec::new(),
            canaries: false,
        };
        for (key, at, value) in entries.iter().filter(|(key, ..)| *key != "uses") {
            if known.contains(key) {
                self.sink_key(key, value, &mut sink);
            } else {
                self.error(*at, &format!("unknown key `{}` of this sink", shown(key)), &hint(key, known));
            }
        }
        if let Some(needed) = needed.filter(|needed| !entries.iter().any(|(key, ..)| key == needed)) {
            self.error(node.at, &format!("this sink has no `{needed}`"), EXAMPLE);
            return None;
        }
        Some(sink)
    }

    fn sink_key(&mut self, key: &str, node: &Node, sink: &mut SinkUse) {
        match key {
            "run" => {
                sink.run = self.words(key, node);
                if sink.run.is_empty() {
                    self.error(node.at, "`run` names no program", "write `run: [./check.sh]`");
                }
            }
            "headers" => sink.headers = self.headers(node),
            "canaries" => sink.canaries = self.flag(key, node).unwrap_or_default(),
            _ => {
                let text = self.text(key, node).unwrap_or_default();
                self.sink_text(key, &text, node.at);
                match key {
                    "path" => sink.path = text,
                    "address" => sink.address = text,
                    "prefix" => sink.prefix = text,
                    "ca" => sink.ca = text,
                    _ => sink.url = text,
                }
            }
        }
    }

    /// What can be seen to be wrong before anything is sent.
    fn sink_text(&mut self, key: &str, text: &str, at: At) {
        let web = text.starts_with("https://") || text.starts_with("http://");
        let port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let absolute = text.starts_with('/') || text.starts_with("~/");
        let wrong = match key {
            "url" if !web => Some("write `https://host/path`"),
            "address" if !port => Some("write `host:port`"),
            "ca" if !absolute => Some("write a path from `/` or `~/`"),
            "path" if text.split('/').any(|name| name == "..") => Some("write it without `..`"),
            _ => None,
        };
        if let Some(hint) = wrong.filter(|_| !text.is_empty()) {
            self.error(at, &format!("`{}` is no `{key}` of a sink", shown(text)), hint);
        }
    }

    fn headers(&mut self, node: &Node) -> Vec<(String, String)> {
        let Value::Map(entries) = &node.value else {
            let message = format!("`headers` must be a map, not {}", node.kind());
            self.error(node.at, &message, "write `headers: { Authorization: \"Bearer ${KEY}\" }`");
            return Vec::new();
        };
        let entries = self.entries(entries);
        entries
            .into_iter()
            .filter_map(|(name, _, value)| Some((name.to_owned(), self.text(name, value)?)))
            .collect()
    }
}
