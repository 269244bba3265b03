//! Programs that talk to the network: what they fetch, what they carry away, and what they let in.

mod activators;
mod address;
mod cargo;
mod curl;
mod fetchers;
mod forge;
mod forwards;
mod measure;
mod names;
mod remote;
mod request;
mod sites;
mod sockets;
mod stores;
mod there;
mod tunnels;

use tollgate_shell::eval::Outcome;

use super::{Commands, Run};
use crate::word::Word;

pub(super) use activators::serve;
pub(crate) use address::{look_up, name_of};
pub(crate) use cargo::{Cargo, is_given_away, is_strange};
pub(super) use request::is_near;
pub(crate) use sockets::{s_client, socket_host};
pub(super) use there::there;

pub(super) const COMMANDS: Commands = &[
    ("curl", curl::curl),
    ("curlie", fetchers::httpie),
    ("wget", fetchers::wget),
    ("wget2", fetchers::wget),
    ("aria2c", fetchers::aria2),
    ("axel", fetchers::browser),
    ("fetch", fetchers::browser),
    ("http", fetchers::httpie),
    ("https", fetchers::httpie),
    ("xh", fetchers::httpie),
    ("xhs", fetchers::httpie),
    ("lynx", fetchers::browser),
    ("links", fetchers::browser),
    ("links2", fetchers::browser),
    ("elinks", fetchers::browser),
    ("w3m", fetchers::browser),
    ("ftp", fetchers::ftp),
    ("lftp", fetchers::ftp),
    ("ncftp", fetchers::ftp),
    ("sftp", fetchers::ftp),
    ("tftp", fetchers::ftp),
    ("smbclient", fetchers::ftp),
    ("open", fetchers::shown),
    ("xdg-open", fetchers::shown),
    ("sensible-browser", fetchers::shown),
    ("firefox", fetchers::shown),
    ("google-chrome", fetchers::shown),
    ("chromium", fetchers::shown),
    ("mosquitto_pub", fetchers::publish),
    ("ab", measure::measure),
    ("hey", measure::measure),
    ("oha", measure::measure),
    ("h2load", measure::measure),
    ("bombardier", measure::measure),
    ("vegeta", measure::measure),
    ("dig", names::dig),
    ("drill", names::dig),
    ("kdig", names::dig),
    ("delv", names::dig),
    ("doggo", names::dig),
    ("dog", names::dig),
    ("resolvectl", names::resolve),
    ("systemd-resolve", names::resolve),
    ("avahi-resolve", names::knock),
    ("dscacheutil", names::resolve),
    ("dnsx", names::resolve),
    ("dnslookup", names::knock),
    ("nslookup", names::knock),
    ("host", names::knock),
    ("ping", names::knock),
    ("ping6", names::knock),
    ("fping", names::knock),
    ("hping3", names::knock),
    ("nping", names::knock),
    ("arping", names::knock),
    ("mtr", names::knock),
    ("traceroute", names::knock),
    ("traceroute6", names::knock),
    ("tracepath", names::knock),
    ("whois", names::whois),
    ("nc", sockets::netcat),
    ("ncat", sockets::netcat),
    ("netcat", sockets::netcat),
    ("nc.traditional", sockets::netcat),
    ("nc.openbsd", sockets::netcat),
    ("pwncat", sockets::netcat),
    ("socat", sockets::socat),
    ("websocat", sockets::websocat),
    ("wscat", sockets::websocat),
    ("telnet", sockets::telnet),
    ("systemd-socket-activate", activators::activator),
    ("tcpserver", activators::activator),
    ("sslserver", activators::activator),
    ("tcpsvd", activators::activator),
    ("udpsvd", activators::activator),
    ("sslsvd", activators::activator),
    ("ipsvd-tcp", activators::activator),
    ("s6-tcpserver", activators::activator),
    ("s6-tcpserver4", activators::activator),
    ("s6-tcpserver6", activators::activator),
    ("s6-tlsserver", activators::activator),
    ("faucet", activators::activator),
    ("hose", activators::activator),
    ("websocketd", activators::activator),
    ("inetd", activators::inetd),
    ("xinetd", activators::inetd),
    ("rlinetd", activators::inetd),
    ("openbsd-inetd", activators::inetd),
    ("telnetd", activators::telnetd),
    ("ssh", remote::ssh),
    ("autossh", remote::ssh),
    ("sshpass", remote::sshpass),
    ("mosh", remote::mosh),
    ("scp", remote::scp),
    ("rsync", remote::rsync),
    ("mail", stores::mail),
    ("mailx", stores::mail),
    ("s-nail", stores::mail),
    ("mutt", stores::mail),
    ("neomutt", stores::mail),
    ("sendmail", stores::mail),
    ("msmtp", stores::mail),
    ("ssmtp", stores::mail),
    ("swaks", stores::mail),
    ("pastebinit", stores::paste),
];

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
