//! Proxies that are set for good: whatever a program sends from then on goes through them.

use tollgate_model::{EffectKind, Protection};

use super::Run;
use super::network::is_near;
use crate::url;
use crate::word::Word;

/// `npm config set https-proxy address`, `pip config set global.proxy address`, `gsettings set …system.proxy.http host name`.
pub(super) fn notice(run: &mut Run) {
    if !matches!(run.program, "npm" | "pnpm" | "yarn" | "pip" | "pip3" | "gsettings" | "conda" | "gcloud") {
        return;
    }
    let words: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with("--")).cloned().collect();
    let sets = words.iter().take(3).any(|word| word.is("set") || word.is("--set"));
    let names = |word: &Word| {
        let text = word.text.prefix();
        let key = text.split('=').next().unwrap_or_default().to_ascii_lowercase();
        key.ends_with("proxy")
            || key.starts_with("org.gnome.system.proxy")
            || key.starts_with("proxy/address")
    };
    let Some(at) = words.iter().position(names).filter(|_| sets) else { return };
    let behind =
        words.get(at + 1..).unwrap_or_default().iter().rfind(|word| !word.text.prefix().starts_with('-'));
    let attached = words.get(at).filter(|word| word.text.prefix().contains('=')).map(|word| word.after('='));
    if let Some(address) = attached.or_else(|| behind.cloned()) {
        set(run, &address);
    }
}

/// Takes down that all goes through this address from now on, unless it is near.
pub(super) fn set(run: &mut Run, address: &Word) {
    let Some(text) = address.literal() else { return };
    let host = url::host(text);
    let office = [".corp", ".lan", ".intranet", ".home.arpa"].iter().any(|end| host.ends_with(end));
    if host.contains(['.', ':']) && !is_near(&host) && !office {
        let how = format!("sends all traffic of `{}` through `{host}`", run.program);
        run.push(EffectKind::Weaken { protection: Protection::Machine, how });
    }
}
