//! Data that leaves, code and people that come in by the network.

mod data_in_address;
mod data_in_hostname;
mod file_upload;
mod metadata_address;
mod remote_destruction;
mod reverse_shell;
mod secret_upload;
mod send_after_secret;
mod tunnel;

use tollgate_model::{Carried, EffectKind, NetDirection, Rule};

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &secret_upload::SecretUpload,
    &send_after_secret::SendAfterSecret,
    &data_in_hostname::DataInHostname,
    &data_in_address::DataInAddress,
    &file_upload::FileUpload,
    &reverse_shell::ReverseShell,
    &tunnel::Tunnel,
    &metadata_address::MetadataAddress,
    &remote_destruction::RemoteDestruction,
];

/// The host that something is sent to, and what.
fn sent(kind: &EffectKind) -> Option<(&str, &[Carried])> {
    match kind {
        EffectKind::Net { host, direction: NetDirection::Out, carries } => Some((host, carries)),
        _ => None,
    }
}

/// What is sent, for people: names of files stand in backticks.
fn shown(what: &Carried) -> String {
    let told = what.told();
    if told.contains(' ') { told.into_owned() } else { format!("`{told}`") }
}

/// This machine, private networks, and names that only a development network knows.
fn is_near(host: &str) -> bool {
    if let Ok(v4) = host.parse::<core::net::Ipv4Addr>() {
        return v4.is_loopback() || v4.is_private() || v4.is_unspecified();
    }
    if let Ok(v6) = host.parse::<core::net::Ipv6Addr>() {
        return v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local();
    }
    let ends = [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".svc"];
    let is_name = !host.contains(['.', '*', ':', '/', ' ']);
    (is_name && !host.is_empty() && !SERVICES.contains(&host)) || ends.iter().any(|end| host.ends_with(end))
}

/// Names of services that stand where a host would.
const SERVICES: &[&str] = &["aws", "azure storage", "croc", "wormhole", "ffsend", "transfer"];

/// The host in backticks, or that it is not known.
fn named(host: &str) -> String {
    if host.is_empty() || host == "*" {
        "a host that is known only at run time".to_owned()
    } else {
        format!("`{host}`")
    }
}
