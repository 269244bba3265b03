//! Programs that talk to the network: what they fetch, what they carry away, and what they let in.

pub(super) mod activators;
mod address;
mod cargo;
pub(super) mod curl;
pub(super) mod fetchers;
mod forge;
mod forwards;
pub(super) mod measure;
pub(super) mod names;
pub(super) mod remote;
mod request;
mod sites;
pub(super) mod sockets;
pub(super) mod stores;
mod there;
mod tunnels;

use tollgate_shell::eval::Outcome;

use super::Run;
use crate::word::Word;

pub(super) use activators::serve;
pub(crate) use address::{look_up, name_of};
pub(crate) use cargo::{Cargo, is_given_away, is_strange};
pub(super) use request::is_near;
pub(crate) use sockets::{s_client, socket_host};
pub(super) use there::there;

/// What every command is looked at for, whatever else is known of it: wires to a network path, tunnels,
/// uploads by tools whose other verbs belong to other families.
pub(super) fn watch(run: &mut Run, outcome: &Outcome) {
    sockets::wired(run, outcome);
    names::asked(run);
    tunnels::opened(run);
    stores::sent(run);
    if run.program.ends_with("awk") {
        sockets::inet(run);
    }
}

/// Takes a tunnel down that an image opens.
pub(super) fn opened_by_image(run: &mut Run, image: &str, words: &[Word]) {
    tunnels::opened_by_image(run, image, words);
}

/// Is it standard output by another name?
fn is_stdout(file: &Word) -> bool {
    let Some(name) = file.literal() else { return false };
    let name = if name.starts_with('/') { crate::paths::normal(name) } else { name.to_owned() };
    matches!(name.as_str(), "-" | "/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1")
}

/// The name a download gets when none is given.
fn remote_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.split_once("://").map_or(path, |(_, rest)| rest).rsplit('/').next().unwrap_or_default();
    if name.is_empty() || !path.contains('/') { "index.html" } else { name }
}
