//! Programs that make this machine reachable from outside.

use tollgate_model::{EffectKind, NetDirection, phrase};

use super::super::Run;
use crate::word::Word;

/// Programs, and the verbs with which they open a way in; none means that any run does.
const TUNNELS: &[(&str, &[&str])] = &[
    ("ngrok", &["http", "https", "tcp", "tls", "udp", "start", "tunnel", "ssh-reverse-tunnel", "service"]),
    ("cloudflared", &["tunnel"]),
    ("frpc", &[]),
    ("frps", &[]),
    ("lt", &[]),
    ("localtunnel", &[]),
    ("bore", &["local", "server"]),
    ("chisel", &["client", "server"]),
    ("zrok", &["share", "reserve"]),
    ("loophole", &["http", "path", "webdav"]),
    ("pinggy", &[]),
    ("telebit", &["http", "tcp", "ssh"]),
    ("inlets", &["client", "server", "http", "tcp"]),
    ("inletsctl", &["create"]),
    ("playit", &[]),
    ("loclx", &["tunnel"]),
    ("expose", &["share"]),
    ("devtunnel", &["host"]),
    ("tunnelto", &[]),
    ("rathole", &[]),
    ("gs-netcat", &[]),
    ("gsocket", &[]),
    ("iodine", &[]),
    ("dnscat", &[]),
    ("dnscat2", &[]),
    ("ptunnel", &[]),
    ("ligolo-agent", &[]),
    ("revsocks", &[]),
    ("tmate", &[]),
    ("upterm", &["host"]),
    ("ttyd", &[]),
    ("gotty", &[]),
    ("tailscale", &["funnel"]),
    ("code", &["tunnel"]),
    ("code-insiders", &["tunnel"]),
    ("code-tunnel", &[]),
    ("cursor", &["tunnel"]),
    ("windsurf", &["tunnel"]),
    ("codium", &["tunnel"]),
    ("untun", &["tunnel"]),
    ("wstunnel", &["client", "server"]),
    ("gost", &[]),
    ("sshd", &[]),
    ("dropbear", &[]),
    ("in.telnetd", &[]),
    ("zerotier-cli", &["join"]),
    ("netbird", &["up"]),
    ("nebula", &[]),
    ("sish", &[]),
    ("boringproxy", &["client", "server", "tunnel"]),
    ("teleconsole", &[]),
    ("sshx", &[]),
    ("wetty", &[]),
    ("shellinaboxd", &[]),
];

/// Verbs behind the first that only show, set up or take down.
const HARMLESS: &[&str] = &[
    "list",
    "ls",
    "info",
    "show",
    "status",
    "off",
    "reset",
    "login",
    "create",
    "delete",
    "route",
    "cleanup",
    "token",
    "ingress",
    "vnet",
    "diag",
    "ready",
    "user",
    "rename",
    "unregister",
    "kill",
    "prune",
    "help",
    "verify",
    "logout",
    "uninstall",
];

/// Takes a tunnel down, when the command opens one.
pub(super) fn opened(run: &mut Run) {
    if run.program == "websocat" {
        return wired_program(run);
    }
    let Some((_, verbs)) = TUNNELS.iter().find(|(name, _)| *name == run.program) else { return };
    let shown: Vec<String> = run.args.iter().map(Word::shown).collect();
    let only_asks = |word: &String| {
        matches!(word.as_str(), "-h" | "--help" | "help" | "version" | "--version" | "-V" | "-v")
            || (run.program == "sshd" && matches!(word.as_str(), "-t" | "-T" | "-G"))
    };
    let mut operands = shown.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
    let opens = match operands.next() {
        Some("up" | "set") if run.program == "tailscale" => {
            shown.iter().any(|word| word.starts_with("--ssh"))
        }
        Some("serve") if run.program == "tailscale" => shown.iter().any(|word| word == "--funnel"),
        Some(verb) if verbs.contains(&verb) => !operands.next().is_some_and(|next| HARMLESS.contains(&next)),
        Some(verb) => verbs.is_empty() && !HARMLESS.contains(&verb),
        None => verbs.is_empty(),
    };
    if !opens || shown.iter().any(only_asks) {
        return;
    }
    let carries = vec![format!("{}`{}`", phrase::TUNNEL, run.program)];
    run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
}

/// `websocat` joins a connection to a program that one of its addresses names.
fn wired_program(run: &mut Run) {
    let program = run.args.iter().find_map(|word| {
        let shown = word.shown();
        ["cmd:", "exec:", "sh-c:"]
            .iter()
            .find_map(|start| shown.split_once(start).map(|(_, rest)| rest.to_owned()))
    });
    if let Some(program) = program {
        let carries = vec![format!("{}`websocat {program}`", phrase::TUNNEL)];
        run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
    }
}
