//! Programs that make this machine reachable from outside.

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::{Carried, EffectKind, NetDirection};

use super::super::Run;
use crate::catalogue;
use crate::word::Word;

/// How a program opens a way in: with its verbs, or with any call.
fn opening(program: &str) -> Option<&'static Use> {
    catalogue::uses(program).iter().find(|way| way.role == Role::OpensTunnel)
}

/// Which options of a program say where it lets others run code. It listens for this machine only unless told otherwise.
fn control(program: &str) -> Option<&'static Use> {
    catalogue::uses(program).iter().find(|way| way.role == Role::Listens)
}

/// Does a program that gives control over the machine listen for others than this machine?
fn is_exposed(program: &str, words: &[String]) -> bool {
    let Some(way) = control(program) else { return false };
    let Slot::Options(options) = way.slot else { return false };
    let valued = words.iter().enumerate().filter_map(|(at, word)| match word.split_once('=') {
        Some((name, value)) => Some((name, value)),
        None => Some((word.as_str(), words.get(at + 1)?.as_str())),
    });
    let fits = way.with.is_empty() || words.iter().any(|word| way.with.contains(&word.as_str()));
    fits && valued.into_iter().any(|(name, value)| options.contains(&name) && is_wide(value))
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
    let Some(way) = opening(name) else { return };
    let verbs = way.call.first().copied().unwrap_or_default();
    if verbs.is_empty() || words.iter().any(|word| word.literal().is_some_and(|word| verbs.contains(&word))) {
        push(run, name);
    }
}

fn push(run: &mut Run, program: &str) {
    let carries = vec![Carried::Tunnel(format!("`{program}`"))];
    run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
}

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
    let listed = opening(run.program);
    let module = run.program.starts_with("python") && run.args.first().is_some_and(|word| word.is("-m"));
    if listed.is_none() && !module && control(run.program).is_none() {
        return;
    }
    let shown: Vec<String> = run.args.iter().map(Word::shown).collect();
    let program = if module { shown.get(1).cloned().unwrap_or_default() } else { run.program.to_owned() };
    if is_exposed(&program, &shown) {
        return push(run, &program);
    }
    let Some(way) = listed else { return };
    let verbs = way.call.first().copied().unwrap_or_default();
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
        let carries = vec![Carried::Tunnel(format!("`websocat {program}`"))];
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
