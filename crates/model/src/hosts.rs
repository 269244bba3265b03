//! Hosts that hand on whatever they are given. A catalogue.

/// Pages that anybody can read, or that only collect what is sent to them.
const PAGES: &[&str] = &[
    "0x0.st",
    "anonfiles.com",
    "bashupload.com",
    "bpa.st",
    "catbox.moe",
    "clbin.com",
    "controlc.com",
    "dpaste.com",
    "dpaste.org",
    "envs.sh",
    "file.io",
    "gist.github.com",
    "gofile.io",
    "hastebin.com",
    "ix.io",
    "keep.sh",
    "oshi.at",
    "p.teknik.io",
    "paste.c-net.org",
    "paste.debian.net",
    "paste.ee",
    "paste.mozilla.org",
    "paste.rs",
    "pastebin.com",
    "pixeldrain.com",
    "privatebin.net",
    "rentry.co",
    "rentry.org",
    "sprunge.us",
    "temp.sh",
    "termbin.com",
    "tmpfiles.org",
    "transfer.sh",
    "uguu.se",
    "wetransfer.com",
    "x0.at",
];

/// Places made to see what arrives at them.
const CATCHERS: &[&str] = &[
    "beeceptor.com",
    "burpcollaborator.net",
    "canarytokens.com",
    "canarytokens.org",
    "dnslog.cn",
    "hookbin.com",
    "hookdeck.com",
    "interact.sh",
    "interactsh.com",
    "mockbin.org",
    "oast.fun",
    "oast.live",
    "oast.me",
    "oast.online",
    "oast.pro",
    "oast.site",
    "oastify.com",
    "pipedream.net",
    "postb.in",
    "ptsv2.com",
    "ptsv3.com",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "requestrepo.com",
    "smee.io",
    "typedwebhook.tools",
    "webhook-test.com",
    "webhook.cool",
    "webhook.site",
];

/// Names under which anybody's machine is reachable for a while.
const TUNNELS: &[&str] = &[
    "bore.pub",
    "devtunnels.ms",
    "localhost.run",
    "lhr.life",
    "loca.lt",
    "localtunnel.me",
    "loophole.site",
    "ngrok-free.app",
    "ngrok-free.dev",
    "ngrok.app",
    "ngrok.dev",
    "ngrok.io",
    "pagekite.me",
    "pinggy.io",
    "pinggy.link",
    "playit.gg",
    "serveo.net",
    "telebit.io",
    "trycloudflare.com",
    "tunnelmole.net",
    "zrok.io",
];

/// Does the host put on a public page what it is given, or only collect it?
#[must_use]
pub fn is_public_page(host: &str) -> bool {
    is_one(PAGES, host) || is_catcher(host) || is_one(TUNNELS, host)
}

/// Is the host made to show what arrives at it?
#[must_use]
pub fn is_catcher(host: &str) -> bool {
    is_one(CATCHERS, host)
}

fn is_one(hosts: &[&str], host: &str) -> bool {
    hosts
        .iter()
        .any(|known| host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.')))
}

/// Forges and registries that are reached by https and say who wrote what.
const FORGES: &[&str] = &[
    "github.com",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "git.sr.ht",
    "codeload.github.com",
    "objects.githubusercontent.com",
    "files.pythonhosted.org",
    "download.pytorch.org",
    "registry.npmjs.org",
    "storage.googleapis.com",
];

/// Does an address without its scheme name one of the well-known forges?
#[must_use]
pub fn on_forge(address: &str) -> bool {
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    FORGES.contains(&host)
}
