//! Programs that make this machine reachable from outside.

use std::slice;

use tollgate_model::{EffectKind, NetDirection, phrase};

use super::super::Run;
use crate::names::{Names, index};
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
    ("inlets-pro", &["tcp", "http", "uplink"]),
    ("ligolo-ng", &[]),
    ("ligolo-proxy", &[]),
    ("teleport", &["start"]),
    ("x11vnc", &[]),
    ("vncserver", &[]),
    ("tigervncserver", &[]),
    ("x0vncserver", &[]),
    ("Xvnc", &[]),
    ("wayvnc", &[]),
    ("tailscaled", &[]),
    ("openvscode-server", &[]),
    ("code-server", &[]),
    ("gdbserver", &[]),
    ("xpra", &["start", "shadow"]),
];

/// Programs that let whoever reaches them run code, and the options that say where they listen. They are for this
/// machine only unless told otherwise.
const CONTROLS: &[(&str, &[&str])] = &[
    ("jupyter", &["--ip", "--ServerApp.ip", "--NotebookApp.ip"]),
    ("jupyter-lab", &["--ip", "--ServerApp.ip"]),
    ("jupyter-notebook", &["--ip", "--NotebookApp.ip"]),
    ("node", &["--inspect", "--inspect-brk", "--inspect-port"]),
    ("deno", &["--inspect", "--inspect-brk", "--inspect-wait"]),
    ("bun", &["--inspect", "--inspect-brk", "--inspect-wait"]),
    ("debugpy", &["--listen"]),
    ("dlv", &["--listen", "-l"]),
    ("kubectl", &["--address"]),
    ("dockerd", &["-H", "--host"]),
    ("code", &["--host"]),
    ("rclone", &["--rc-addr"]),
];

/// Does a program that gives control over the machine listen for others than this machine?
fn is_exposed(program: &str, words: &[String]) -> bool {
    let Some((_, options)) = CONTROLS.iter().find(|(name, _)| *name == program) else { return false };
    let valued = words.iter().enumerate().filter_map(|(at, word)| match word.split_once('=') {
        Some((name, value)) => Some((name, value)),
        None => Some((word.as_str(), words.get(at + 1)?.as_str())),
    });
    let verbs_fit = match program {
        "kubectl" => words.iter().any(|word| word == "proxy" || word == "port-forward"),
        "rclone" => words.iter().any(|word| word == "--rc-no-auth"),
        "code" => words.iter().any(|word| word == "serve-web"),
        _ => true,
    };
    verbs_fit && valued.into_iter().any(|(name, value)| options.contains(&name) && is_wide(value))
}

/// An address that others can reach: `0.0.0.0:9229`, `*`, `tcp://203.0.113.1`, `:2345`.
fn is_wide(address: &str) -> bool {
    let address = address.trim_start_matches("tcp://");
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host).trim_matches(['[', ']']);
    let is_address = |host: &str| host.parse::<core::net::IpAddr>().is_ok_and(|ip| !ip.is_loopback());
    matches!(host, "*" | "::" | "0") || address.starts_with(':') || is_address(host) || is_address(address)
}

/// Is an image, by its name, made to open a way in?
pub(in super::super) fn opened_by_image(run: &mut Run, image: &str, words: &[Word]) {
    let name = image.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
    let name = if name == "tailscale" { "tailscaled" } else { name };
    let Some((name, verbs)) = TUNNELS.iter().find(|(known, _)| *known == name) else { return };
    if verbs.is_empty() || words.iter().any(|word| word.literal().is_some_and(|word| verbs.contains(&word))) {
        push(run, name);
    }
}

fn push(run: &mut Run, program: &str) {
    let carries = vec![format!("{}`{program}`", phrase::TUNNEL)];
    run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
}

static OPENING: Names<256> = index!(TUNNELS, (name, _) => slice::from_ref(name));
static CONTROLLING: Names<64> = index!(CONTROLS, (name, _) => slice::from_ref(name));

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
    match run.program {
        "websocat" => return wired_program(run),
        "xterm" | "rxvt" | "urxvt" | "uxterm" | "aterm" | "konsole" | "gnome-terminal" => {
            return shown_elsewhere(run);
        }
        // A socket that zsh opens is a number, which anything may be wired to.
        "ztcp" if run.args.iter().any(|word| !word.text.prefix().starts_with('-')) => {
            return push(run, "ztcp");
        }
        _ => {}
    }
    let listed = OPENING.rows(TUNNELS, run.program, |(name, _)| slice::from_ref(name)).next();
    let module = run.program.starts_with("python") && run.args.first().is_some_and(|word| word.is("-m"));
    let controls =
        CONTROLLING.rows(CONTROLS, run.program, |(name, _)| slice::from_ref(name)).next().is_some();
    if listed.is_none() && !module && !controls {
        return;
    }
    let shown: Vec<String> = run.args.iter().map(Word::shown).collect();
    let program = if module { shown.get(1).cloned().unwrap_or_default() } else { run.program.to_owned() };
    if is_exposed(&program, &shown) {
        return push(run, &program);
    }
    let Some((_, verbs)) = listed else { return };
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
    let local = |word: &String| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        value.starts_with("127.0.0.1") || value.starts_with("localhost") || value.starts_with("[::1]")
    };
    // A server of an editor may be told to stay on this machine.
    let near = matches!(run.program, "code-server" | "openvscode-server" | "gdbserver" | "vncserver")
        && shown.iter().any(|word| local(word) || word == "-localhost" || word == "-kill");
    if opens && !near && !shown.iter().any(only_asks) {
        let program = run.program.to_owned();
        push(run, &program);
    }
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

/// A terminal on another machine's screen is a shell for whoever sits there.
fn shown_elsewhere(run: &mut Run) {
    let words: Vec<String> = run.args.iter().map(Word::shown).collect();
    let given = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--display=") {
        Some(screen) => Some(screen.to_owned()),
        None if matches!(word.as_str(), "-display" | "--display") => words.get(at + 1).cloned(),
        None => None,
    });
    let set = || run.variable("DISPLAY").and_then(|value| value.as_literal().map(str::to_owned));
    let screen = given.or_else(set).unwrap_or_default();
    let host = screen.rsplit_once(':').map_or("", |(host, _)| host).trim_end_matches(':');
    if !matches!(host, "" | "unix") && !crate::url::is_this_machine(host) {
        let program = run.program.to_owned();
        push(run, &program);
    }
}
