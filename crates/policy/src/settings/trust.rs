//! The key `trust`: projects whose hooks may run, each by its folder and the hash of all that is copied of it.

use super::{Reader, shown};
use crate::layers::{Marked, TrustEntry};
use crate::yaml::{Node, Value};

/// The keys of an entry of `trust`.
pub const TRUST_KEYS: [&str; 2] = ["path", "hash"];
const HINT: &str = "`tollgate trust --print` in the project prints the entry";

impl Reader<'_> {
    pub(super) fn trust(&mut self, node: &Node) {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ if node.is_null() => &[],
            _ => {
                return self.error(node.at, &format!("`trust` must be a list, not {}", node.kind()), HINT);
            }
        };
        for item in items {
            if let Some(entry) = self.trust_entry(item) {
                self.settings.trust.push(Marked { value: entry, at: item.at });
            }
        }
    }

    fn trust_entry(&mut self, node: &Node) -> Option<TrustEntry> {
        let Value::Map(entries) = &node.value else {
            self.error(node.at, &format!("an entry of `trust` must be a map, not {}", node.kind()), HINT);
            return None;
        };
        let mut entry = TrustEntry::default();
        for (key, at, value) in self.entries(entries) {
            match key {
                "path" => entry.path = self.text(key, value)?.into(),
                "hash" => entry.hash = self.text(key, value)?,
                other => self.unknown("an entry of `trust`", other, at, &TRUST_KEYS),
            }
        }
        let is_hash =
            |text: &str| text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
        if !entry.path.is_absolute() {
            let path = entry.path.to_string_lossy().into_owned();
            self.error(
                node.at,
                &format!("`path` of a trusted project must be absolute, not `{}`", shown(&path)),
                HINT,
            );
            return None;
        }
        if !is_hash(&entry.hash) {
            self.error(
                node.at,
                &format!("`hash` of a trusted project has 64 hex digits, not `{}`", shown(&entry.hash)),
                HINT,
            );
            return None;
        }
        Some(entry)
    }
}
