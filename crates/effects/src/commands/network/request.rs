//! Requests that delete something at a service.

use tollgate_model::stage::is_production;
use tollgate_model::{Certainty, EffectKind, InfraTool};

use super::super::{Run, openings};
use super::address::host_of;
use crate::sql;
use crate::url;
use crate::word::Word;

/// A request to a service.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// Empty when none was named.
    pub method: String,
    /// The method that a header puts in its place.
    pub instead: Option<String>,
    /// It proves who asks.
    pub proven: bool,
    /// The socket it goes through instead of the network.
    pub socket: Option<String>,
    /// What it says.
    pub body: String,
}

/// Takes it down when it deletes something that is not of this machine.
pub(super) fn judge(run: &mut Run, address: &Word, request: &Request) {
    let method = overridden(address, request).unwrap_or_else(|| request.method.to_ascii_uppercase());
    let host = host_of(address);
    openings::request(run, &method, &address.shown(), &request.body);
    if let Some(operation) = index_loss(&address.shown(), &method) {
        let object = format!("`{}`", address.shown());
        let kind = EffectKind::Database { operation: operation.to_owned(), object };
        return run.analyst.push(kind, address.span, Certainty::Certain);
    }
    if address.shown().contains(":8123") {
        let query = address.shown().replace("%20", " ").replace('+', " ");
        let query = query.split_once("query=").map(|(_, query)| query.to_owned()).unwrap_or_default();
        for statement in sql::scan(&query).into_iter().chain(sql::scan(&request.body)) {
            if let Some(operation) = statement.deed.operation() {
                let object = format!("`{}`", statement.object);
                let kind = EffectKind::Database { operation: operation.to_owned(), object };
                run.analyst.push(kind, address.span, Certainty::Certain);
            }
        }
    }
    if method == "DELETE" && is_cluster(&address.shown()) {
        let (tool, operation) = (InfraTool::WebRequest, "DELETE".to_owned());
        let kind = EffectKind::Infra { tool, operation, target: address.shown() };
        return run.analyst.push(kind, address.span, Certainty::Certain);
    }
    let manages = request.socket.as_deref().is_some_and(is_engine);
    let operation = if manages && matches!(method.as_str(), "DELETE" | "POST" | "PUT") {
        format!("{method} to a container engine")
    } else if request.socket.is_some() || is_near(&host) && !is_production(&host) {
        return;
    } else if method == "DELETE" && (request.proven || is_service(&host)) {
        "DELETE".to_owned()
    } else if request.proven && is_deleting_mutation(&request.body) {
        "a mutation that deletes".to_owned()
    } else {
        return;
    };
    let kind = EffectKind::Infra { tool: InfraTool::WebRequest, operation, target: address.shown() };
    run.analyst.push(kind, address.span, Certainty::Certain);
}

/// Frameworks take another method from a header, or from `_method` in the address or the form.
fn overridden(address: &Word, request: &Request) -> Option<String> {
    let shown = address.shown();
    let query = shown.split_once('?').map_or("", |(_, query)| query);
    let named = |text: &str| {
        text.split(['&', '\n'])
            .find_map(|pair| pair.trim().strip_prefix("_method=").map(str::to_ascii_uppercase))
    };
    let header = request.instead.as_ref().map(|method| method.trim().to_ascii_uppercase());
    header.or_else(|| named(query)).or_else(|| named(&request.body))
}

/// Whether a header is one of those that name another method.
pub(super) fn is_override(name: &str) -> bool {
    ["x-http-method-override", "x-http-method", "x-method-override"]
        .contains(&name.trim().to_ascii_lowercase().as_str())
}

/// Elasticsearch, CouchDB, Qdrant, Typesense and Meilisearch are databases spoken to in requests, by their usual port: a
/// deleted index is gone.
fn index_loss(address: &str, method: &str) -> Option<&'static str> {
    const PORTS: &[(u16, &str)] =
        &[(9200, ""), (5984, ""), (6333, "collections"), (8108, "collections"), (7700, "indexes")];
    let asked = url::port(address)?;
    let (_, noun) = PORTS.iter().find(|(port, _)| *port == asked)?;
    let path = url::Url::parse(address).path;
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let whole = (noun.is_empty() || parts.next() == Some(*noun)) && parts.count() == 1;
    if path.contains("_delete_by_query") {
        Some("delete-all")
    } else {
        (method == "DELETE" && whole).then_some("drop")
    }
}

/// Objects of a cluster by the paths of its interface, also where a proxy of this machine leads to it.
fn is_cluster(address: &str) -> bool {
    let path = address
        .split_once("://")
        .map_or(address, |(_, rest)| rest)
        .split_once('/')
        .map_or("", |(_, path)| path);
    let own = path.starts_with("api/v1/") || path.starts_with("apis/");
    own && (path.contains("/namespaces") || path.contains("/nodes") || path.contains("/persistentvolumes"))
}

fn is_engine(socket: &str) -> bool {
    ["docker.sock", "containerd.sock", "podman.sock", "crio.sock"].iter().any(|name| socket.ends_with(name))
}

/// A GraphQL mutation whose field is named for a deletion.
fn is_deleting_mutation(body: &str) -> bool {
    let lower = body.to_ascii_lowercase();
    let Some((_, mutation)) = lower.split_once("mutation") else { return false };
    let names = mutation.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    names.filter(|name| name.len() > 5).any(|name| {
        ["delete", "destroy", "remove", "purge", "wipe", "terminate"]
            .iter()
            .any(|verb| name.starts_with(verb) || name.ends_with(verb))
    })
}

/// Development servers: this machine, its private networks, names without a domain.
pub(in super::super) fn is_near(host: &str) -> bool {
    let private = host.parse::<core::net::Ipv4Addr>().is_ok_and(|v4| v4.is_private());
    let private_v6 = host
        .parse::<core::net::Ipv6Addr>()
        .is_ok_and(|v6| v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local());
    url::is_this_machine(host)
        || private
        || private_v6
        || !host.contains(['.', ':'])
        || host.ends_with(".local")
        || host.ends_with(".internal")
}

/// Hosts that are known to manage something.
fn is_service(host: &str) -> bool {
    let ends = [
        "api.github.com",
        "api.cloudflare.com",
        "management.azure.com",
        "googleapis.com",
        "amazonaws.com",
        "api.digitalocean.com",
        "api.heroku.com",
        "api.vercel.com",
        "api.netlify.com",
        "api.linode.com",
        "api.hetzner.cloud",
        "api.fly.io",
        "gitlab.com",
        "api.stripe.com",
        "railway.app",
        "railway.com",
        "supabase.com",
        "supabase.co",
    ];
    ends.iter().any(|end| host == *end || host.strip_suffix(end).is_some_and(|rest| rest.ends_with('.')))
}
