//! `contain:` of a policy: what a command can reach that `tollgate run` limits.

use serde::{Deserialize, Serialize};

/// What a contained command can reach besides what every one can: the workspace, temporary files and caches.
///
/// Paths are absolute or begin with `~/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contain {
    /// Files and folders that it may write.
    pub write: Vec<String>,
    /// Secrets and settings that it may read.
    pub read: Vec<String>,
    /// More files and folders that it may not read.
    pub hide: Vec<String>,
    /// Does it have no network?
    pub without_network: bool,
    /// May it connect to Unix sockets, as those of Docker and the SSH agent?
    pub with_sockets: bool,
}

impl Contain {
    /// The strictest of two.
    pub(crate) fn strictest(&self, other: &Self) -> Self {
        let common = |a: &[String], b: &[String]| a.iter().filter(|path| b.contains(path)).cloned().collect();
        let added = other.hide.iter().filter(|path| !self.hide.contains(path));
        Self {
            write: common(&self.write, &other.write),
            read: common(&self.read, &other.read),
            hide: self.hide.iter().chain(added).cloned().collect(),
            without_network: self.without_network || other.without_network,
            with_sockets: self.with_sockets && other.with_sockets,
        }
    }

    /// Is it as strict as another, or stricter?
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self.write.iter().all(|path| other.write.contains(path))
            && self.read.iter().all(|path| other.read.contains(path))
            && other.hide.iter().all(|path| self.hide.contains(path))
            && self.without_network >= other.without_network
            && self.with_sockets <= other.with_sockets
    }

    /// For people: what differs between two policies.
    pub(crate) fn words(&self) -> String {
        let list = |name: &str, paths: &[String]| match paths {
            [] => String::new(),
            _ => format!("{name} {}; ", paths.join(", ")),
        };
        let Self { write, read, hide, without_network, with_sockets } = self;
        let word = |is_allowed: bool| if is_allowed { "allow" } else { "deny" };
        let lists = [list("write", write), list("read", read), list("hide", hide)].concat();
        format!("{lists}network {}, sockets {}", word(!without_network), word(*with_sockets))
    }
}
