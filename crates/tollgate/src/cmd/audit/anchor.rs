//! Heads that were noted elsewhere: in the system's log, at a collector, on paper. The log must still hold every one.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;
use tollgate_store::Log;

use crate::report::shown;

/// What became of the heads.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// How many records were noted.
    pub heads: u64,
    /// The last of them.
    pub last: u64,
    /// Records that are not the ones that were noted.
    pub broken: Vec<u64>,
    /// Those before the log's first record: the chain itself shows whether that was pruned.
    pub gone: u64,
}

/// Hashes that were noted, by record.
type Heads = BTreeMap<u64, Vec<String>>;

impl Anchor {
    /// Compares the log with a head, or with a file of them; `-` is standard input.
    pub fn check(log: &Log, named: &str) -> anyhow::Result<Self> {
        let mut heads = Heads::new();
        for (seq, hash) in read(named)?.lines().filter_map(head) {
            heads.entry(seq).or_default().push(hash);
        }
        if heads.is_empty() {
            bail!("no head is noted there; a line says `SEQ:HASH`, or is a record of the log");
        }
        Ok(Self::compare(log, heads))
    }

    /// Compares the log with what the index, the sinks and the fleet's server have taken in: a log that was cut, or put back to an older
    /// copy, does not hold that any more, whatever its own head says.
    pub fn witnessed(log: &Log, state: &Path) -> Self {
        let mut heads = Heads::new();
        let sent = tollgate_sinks::accounts(state).into_values().map(|account| (account.seq, account.hash));
        let fleet = tollgate_courier::Status::of(state).head;
        let fleet = (fleet.seq > 0).then_some((fleet.seq, fleet.hash));
        for (seq, hash) in tollgate_index::reached(state).into_iter().chain(sent).chain(fleet) {
            if !hash.is_empty() {
                heads.entry(seq).or_default().push(hash);
            }
        }
        Self::compare(log, heads)
    }

    /// Does the log hold all of them?
    pub fn holds(&self) -> bool {
        self.broken.is_empty()
    }

    /// For people.
    pub fn line(&self) -> String {
        match self.broken.as_slice() {
            [] => {
                let gone =
                    if self.gone > 0 { format!(", {} of them pruned", self.gone) } else { String::new() };
                format!("  anchored: {} noted up to record {}, and all hold{gone}", self.heads, self.last)
            }
            [first] => format!("  ANCHOR BROKEN: record {first} is not the one that was noted"),
            [first, more @ ..] => format!(
                "  ANCHOR BROKEN: record {first} is not the one that was noted, and {} more",
                more.len()
            ),
        }
    }

    /// For people, about witnesses; `None` when there is nothing to tell.
    pub fn testimony(&self) -> Option<String> {
        let first = self.broken.first()?;
        Some(format!(
            "record {first} was taken in by the index, a sink or the fleet's server, and the log does not hold it any more: the log was \
             cut, or put back to an older copy"
        ))
    }

    fn compare(log: &Log, mut heads: Heads) -> Self {
        let first = heads.keys().next().copied().unwrap_or_default();
        let last = heads.keys().next_back().copied().unwrap_or_default();
        let mut anchor = Self { heads: heads.len() as u64, last, ..Self::default() };
        if heads.is_empty() {
            return anchor;
        }
        let oldest = log.records().next().map(|entry| entry.seq);
        for entry in log.records_from(first) {
            let Some(hashes) = heads.remove(&entry.seq) else { continue };
            if hashes.iter().any(|hash| !entry.line.ends_with(&format!(r#","hash":"{hash}"}}"#))) {
                anchor.broken.push(entry.seq);
            }
            if heads.is_empty() {
                break;
            }
        }
        for seq in heads.into_keys() {
            if oldest.is_some_and(|oldest| seq < oldest) {
                anchor.gone += 1;
            } else {
                anchor.broken.push(seq);
            }
        }
        anchor
    }
}

fn read(named: &str) -> anyhow::Result<String> {
    if named == "-" {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    if head(named).is_some() {
        return Ok(named.to_owned());
    }
    std::fs::read_to_string(named).with_context(|| {
        let hint = "write `SEQ:HASH`, what the `head` file says, or a file";
        format!("`{}` is no head and cannot be read as a file; {hint}", shown(named))
    })
}

/// The head that a line notes: a record, what the `head` file says, or `… SEQ:HASH`.
fn head(line: &str) -> Option<(u64, String)> {
    let line = line.trim();
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(line) {
        let hash = value.get("hash").and_then(Value::as_str)?;
        return Some((value.get("seq").and_then(Value::as_u64)?, hash.to_owned()));
    }
    let (seq, hash) = line.rsplit(char::is_whitespace).next()?.split_once(':')?;
    let is_hash = hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| Some((seq.parse().ok()?, hash.to_owned())))?
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn heads_are_known_in_every_form() {
        let hash = "0123456789abcdef0123456789abcdef";
        for line in [
            format!("7:{hash}"),
            format!("head 7:{hash}"),
            format!("Nov 16 03:00:00 host tollgate[12]: head 7:{hash}"),
            format!(r#"{{"v":1,"seq":7,"hash":"{hash}"}}"#),
        ] {
            assert_eq!(head(&line), Some((7, hash.to_owned())), "{line}");
        }
        for line in ["", "7", "/var/log/heads", "12:30:00", "7:abc", "{}", r#"{"seq":7}"#] {
            assert_eq!(head(line), None, "{line}");
        }
    }
}
