//! What a tool gives to others: credentials in texts, files, and data in the names of hosts.

use tollgate_model::{Carried, EffectKind, FileKind, NetDirection, Zone};

use super::Given;
use super::fields::Field;
use super::names::{Tool, split};
use crate::secrets_scan::{credentials, told_credentials};
use crate::tools::Hands;
use crate::url::{Url, is_this_machine, label_holds_data};

/// Names that are looked up reach whoever owns the domain, and so does the data in them.
pub(super) fn names(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let asks =
        ["dns", "nslookup", "dig", "resolve", "resolver", "ping", "whois", "traceroute", "mtr", "domain"]
            .iter()
            .any(|word| tool.has(word));
    let is_host = |key: &str| {
        let key: String =
            key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        matches!(
            key.as_str(),
            "host" | "hostname" | "domain" | "domainname" | "fqdn" | "hosts" | "domains" | "server"
        ) || asks
            && matches!(key.as_str(), "name" | "names" | "query" | "target" | "address" | "q" | "record")
    };
    for given in texts.iter().filter(|given| is_host(given.key)) {
        let host = given.text.trim();
        if host.contains('.') && !host.contains(char::is_whitespace) && label_holds_data(host) {
            let carries = vec![Carried::Encoded(host.to_owned()).in_host_name()];
            hands.push(EffectKind::Net { host: host.to_owned(), direction: NetDirection::Out, carries });
        }
    }
}

/// Files of this machine, from outside the project, that a tool brings to a service.
pub(super) fn files(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let brings =
        ["upload", "attach", "attachment", "send", "share", "import", "publish", "post", "gist", "paste"]
            .iter()
            .any(|word| tool.has(word));
    if !tool.is_remote && !tool.has("upload") || !brings {
        return;
    }
    let is_file = |given: &&Given| {
        matches!(given.field, Field::Path | Field::Source)
            || given.key.to_ascii_lowercase().contains("attach")
    };
    let is_here = |given: &&Given| given.text.starts_with(['/', '~']) && !given.text.contains('\n');
    for given in texts.iter().filter(is_file).filter(is_here) {
        let word = hands.word(given.text);
        for (place, _) in hands.analyst.places(&word, &hands.shell) {
            let private = match place.zone {
                Zone::Unknown | Zone::Temp | Zone::Workspace => false,
                // A path of the service itself begins with a slash as well.
                Zone::System => hands.analyst.world.kind(&place.path) != FileKind::Missing,
                _ => true,
            };
            if private {
                let (host, shown) = (format!("{}:", tool.server), place.shown.clone());
                hands.analyst.read(&word, true, &hands.shell);
                hands.push(EffectKind::Net {
                    host,
                    direction: NetDirection::Out,
                    carries: vec![shown.into()],
                });
            }
        }
    }
}

/// Servers that keep to this machine, or keep secrets, as they are named.
const LOCAL: &[&str] = &[
    "filesystem",
    "fs",
    "file",
    "files",
    "git",
    "editor",
    "ide",
    "vscode",
    "jetbrains",
    "intellij",
    "serena",
    "memory",
    "desktop",
    "commander",
    "terminal",
    "shell",
    "bash",
    "tmux",
    "process",
    "docker",
    "podman",
    "python",
    "jupyter",
    "notebook",
    "repl",
    "sandbox",
    "code",
    "local",
    "thinking",
    "sequential",
    "xcode",
    "nvim",
    "vim",
    "neovim",
    "emacs",
    "obsidian",
    "vault",
    "keychain",
    "keyring",
    "onepassword",
    "1password",
    "bitwarden",
    "doppler",
    "infisical",
    "system",
    "os",
    "env",
    "test",
    "tests",
    "regex",
    "json",
    "crypto",
    "jwt",
    "clipboard",
    "computer",
];

/// Tools that take credentials to keep or to use them.
const TAKES: &[&str] = &[
    "env",
    "environment",
    "secret",
    "secrets",
    "variable",
    "variables",
    "vars",
    "credential",
    "credentials",
    "auth",
    "authenticate",
    "login",
    "connect",
    "connection",
    "token",
    "tokens",
    "configure",
    "config",
    "decode",
    "verify",
    "validate",
    "revoke",
    "rotate",
    "scan",
];

/// Credentials in what goes to a service, or to an address that the call names.
pub(super) fn sent(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let named = texts
        .iter()
        .filter(|given| given.field == Field::Address && given.text.contains("://"))
        .map(|given| Url::parse(given.text).host)
        .find(|host| !is_this_machine(host));
    let known = named.or_else(|| tool.is_remote.then(|| tool.server.clone()));
    let mut carries: Vec<Carried> = Vec::new();
    let kinds: Vec<&'static str> = if known.is_some() {
        texts.iter().flat_map(|given| told_credentials(given.text)).collect()
    } else if is_elsewhere(tool, texts) {
        // What a call proves itself with is for whom it asks.
        texts.iter().filter(|given| !proves(given.key)).flat_map(|given| credentials(given.text)).collect()
    } else {
        return;
    };
    for kind in kinds {
        let what = Carried::Credential(kind.to_owned());
        if !carries.contains(&what) {
            carries.push(what);
        }
    }
    if !carries.is_empty() {
        let host = known.unwrap_or_else(|| tool.server.clone());
        hands.push(EffectKind::Net { host, direction: NetDirection::Out, carries });
    }
}

/// Does the server keep to this machine? Its tools' own names say nothing of that: `upload_file`.
pub(super) fn is_local(tool: &Tool) -> bool {
    tool.words.iter().take(tool.server_words).any(|word| LOCAL.contains(&word.as_str()))
}

/// Does a server hand its texts to somebody else? Most do.
fn is_elsewhere(tool: &Tool, texts: &[Given]) -> bool {
    let any = |words: &[&str]| words.iter().any(|word| tool.has(word));
    let asks = tool.fetches || any(&["http", "https", "request", "rest", "curl"]);
    let addresses = texts.iter().filter(|given| asks && given.field == Field::Address);
    let hosts = addresses.filter(|given| given.text.contains("://")).map(|given| Url::parse(given.text).host);
    let mut hosts = hosts.filter(|host| !host.is_empty()).peekable();
    let here = hosts.peek().is_some() && hosts.all(|host| is_this_machine(&host));
    !tool.server.is_empty()
        && !here
        && !is_local(tool)
        && !any(TAKES)
        && !tool.is_database
        && !tool.is_browser
        && !tool.is_terminal
}

/// Arguments for whoever asks who is there.
fn proves(key: &str) -> bool {
    let names = [
        "token",
        "apikey",
        "key",
        "password",
        "secret",
        "auth",
        "authorization",
        "credential",
        "pat",
        "dsn",
        "bearer",
    ];
    split(key).iter().any(|word| names.contains(&word.as_str()))
}
