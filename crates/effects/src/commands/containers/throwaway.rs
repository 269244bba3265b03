//! Databases that a call starts for itself, in a container that goes with all that is in it.

use tollgate_model::EffectKind;

use super::options::{GLOBAL, RUN};
use crate::commands::Run;
use crate::options::{Order, read};
use crate::url;
use crate::word::Word;

/// Images of databases, with the port that each serves.
const IMAGES: &[(&str, &str)] = &[
    ("postgres", "5432"),
    ("postgis/postgis", "5432"),
    ("pgvector/pgvector", "5432"),
    ("timescale/timescaledb", "5432"),
    ("mysql", "3306"),
    ("mariadb", "3306"),
    ("redis", "6379"),
    ("valkey/valkey", "6379"),
];

/// Programs that put something else behind a port of this machine.
const TUNNELS: &[&str] = &[
    "ssh",
    "autossh",
    "socat",
    "kubectl",
    "oc",
    "nc",
    "ncat",
    "netcat",
    "iptables",
    "nft",
    "cloud-sql-proxy",
    "ngrok",
];

/// Is the port of this machine that of a database which this call has started to throw away? Its usual port is not
/// taken for it, for another one may be there already; nor is any when a tunnel is made.
pub(in crate::commands) fn serves(run: &Run, host: &str, port: &str) -> bool {
    let started = run.analyst.found().iter().filter_map(|effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } => Some((program.as_str(), argv)),
        _ => None,
    });
    let started: Vec<_> = started.collect();
    url::is_this_machine(host)
        && !started.iter().any(|(program, _)| TUNNELS.contains(program))
        && started.iter().any(|(program, argv)| {
            matches!(*program, "docker" | "podman" | "nerdctl") && is_throwaway(argv, port)
        })
}

fn is_throwaway(argv: &[String], port: &str) -> bool {
    let words: Vec<Word> =
        argv.iter().skip(1).map(|word| Word::literal_at(word, Default::default())).collect();
    let global = read(&words, GLOBAL, Order::First);
    let Some((verb, rest)) = global.operands.split_first().filter(|_| !global.has("H") && !global.has("c"))
    else {
        return false;
    };
    let options = read(rest, RUN, Order::First);
    // What keeps data, shares the network or runs something else is no database of its own.
    let keeps = ["v", "mount", "volumes-from", "network", "entrypoint", "link", "privileged"];
    let [image] = options.operands.as_slice() else { return false };
    verb.is("run")
        && options.has("rm")
        && options.has("d")
        && !keeps.iter().any(|name| options.has(name))
        && served(&image.shown()).is_some_and(|inside| {
            inside != port && options.values("p").any(|published| publishes(&published.shown(), port, inside))
        })
}

/// `55432:5432`, `127.0.0.1:55432:5432/tcp`
fn publishes(published: &str, port: &str, inside: &str) -> bool {
    let published = published.trim_end_matches("/tcp");
    let mut parts = published.rsplit(':');
    parts.next() == Some(inside) && parts.next() == Some(port)
}

/// The port of a database's image.
fn served(image: &str) -> Option<&'static str> {
    let name = image.split('@').next().unwrap_or_default();
    let name = name.strip_prefix("docker.io/").unwrap_or(name);
    let name = name.strip_prefix("library/").unwrap_or(name);
    let name = name.split(':').next().unwrap_or_default();
    IMAGES.iter().find(|(known, _)| *known == name).map(|(_, port)| *port)
}
