//! The key `contain`: a map of paths and switches.

use super::{Reader, shown};
use crate::layers::{ContainSetting, Marked};
use crate::yaml::{Node, Value};

/// The keys of `contain`.
pub const CONTAIN_KEYS: [&str; 5] = ["write", "read", "hide", "network", "sockets"];

/// The words of its switches. True for what allows.
const SWITCH: [(&str, bool); 2] = [("allow", true), ("deny", false)];

impl Reader<'_> {
    pub(super) fn contain(&mut self, node: &Node) {
        let Value::Map(entries) = &node.value else {
            let message = format!("`contain` must be a map of keys, not {}", node.kind());
            return self.error(node.at, &message, "write `contain: { network: deny }`");
        };
        let mut setting = ContainSetting::default();
        for (key, at, value) in self.entries(entries) {
            match key {
                "write" => setting.write = self.places(key, value),
                "read" => setting.read = self.places(key, value),
                "hide" => setting.hide = self.places(key, value),
                "network" => setting.network = self.choice(key, value, &SWITCH),
                "sockets" => setting.sockets = self.choice(key, value, &SWITCH),
                unknown => self.unknown("`contain`", unknown, at, &CONTAIN_KEYS),
            }
        }
        self.settings.contain = setting;
    }

    fn places(&mut self, key: &str, node: &Node) -> Option<Marked<Vec<String>>> {
        let paths = self.words(key, node);
        let is_place = |path: &&String| {
            let rooted = path.starts_with('/') || path.starts_with("~/") || *path == "~";
            rooted && !path.contains(['*', '?', '[', '\0']) && !path.split('/').any(|name| name == "..")
        };
        for wrong in paths.iter().filter(|path| !is_place(path)) {
            let message = format!("`{}` is no path for `{key}`", shown(wrong));
            self.error(node.at, &message, "write an absolute path or `~/…`, without patterns and `..`");
        }
        let value = paths.into_iter().filter(|path| is_place(&path)).collect();
        Some(Marked { value, at: node.at })
    }
}
