//! What a tool gives to others: credentials in texts, files, and data in the names of hosts.

use tollgate_model::phrase::{self, CREDENTIAL};
use tollgate_model::{EffectKind, FileKind, NetDirection, Zone};

use super::Given;
use super::names::{Field, Tool};
use crate::secrets_scan::told_credentials;
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
            let carries = vec![format!("{}{}{host}", phrase::IN_NAME, phrase::IN_ADDRESS)];
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
                hands.push(EffectKind::Net { host, direction: NetDirection::Out, carries: vec![shown] });
            }
        }
    }
}

/// Credentials in what goes to a service, or to an address that the call names.
pub(super) fn sent(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    let named = texts
        .iter()
        .filter(|given| given.field == Field::Address && given.text.contains("://"))
        .map(|given| Url::parse(given.text).host)
        .find(|host| !is_this_machine(host));
    let host = match named {
        Some(host) => host,
        None if tool.is_remote => tool.server.clone(),
        None => return,
    };
    let mut carries: Vec<String> = Vec::new();
    for kind in texts.iter().flat_map(|given| told_credentials(given.text)) {
        let what = format!("{CREDENTIAL}{kind}");
        if !carries.contains(&what) {
            carries.push(what);
        }
    }
    if !carries.is_empty() {
        hands.push(EffectKind::Net { host, direction: NetDirection::Out, carries });
    }
}
