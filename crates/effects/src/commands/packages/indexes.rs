//! Where packages come from.

use crate::indexes::is_known_index;
use crate::word::Word;
use tollgate_model::{EffectKind, Protection};

use crate::commands::Run;
use crate::commands::verbs::Line;

/// The indexes that package managers use when nobody has told them anything.
const OFFICIAL: &[&str] = &["registry.npmjs.org", "registry.yarnpkg.com", "pypi.org", "proxy.golang.org"];

/// Does a setting only name the index that is used anyway, or nothing that has to do with one?
pub(in crate::commands) fn keeps(program: &str, line: &Line) -> bool {
    let words: Option<Vec<&str>> = line.operands.iter().map(Word::literal).collect();
    let words = words.unwrap_or_default();
    match (program, words.as_slice()) {
        ("go", ["env", settings @ ..]) => settings.iter().all(|setting| keeps_module_source(setting)),
        ("pip" | "pip3", ["config", "set", key, address]) => {
            key.ends_with("index-url") && is_official(address)
        }
        ("npm" | "pnpm" | "yarn", ["config" | "c", "set", rest @ ..] | ["set", rest @ ..]) => {
            let (key, address) = match rest {
                [key, address] => (*key, *address),
                [setting] => setting.split_once('=').unwrap_or_default(),
                _ => return false,
            };
            matches!(key, "registry" | "npmRegistryServer") && is_official(address)
        }
        _ => false,
    }
}

fn is_official(address: &str) -> bool {
    let host = address.strip_prefix("https://").and_then(|rest| rest.split('/').next());
    host.is_some_and(|host| OFFICIAL.contains(&host))
}

/// `GOPROXY` with Go's own proxy and the modules' own hosts, and `GOFLAGS` that name no program and no other files.
fn keeps_module_source(setting: &str) -> bool {
    const FLAGS: &[&str] =
        &["-mod=mod", "-mod=readonly", "-mod=vendor", "-trimpath", "-race", "-v", "-x", "-modcacherw"];
    const VALUES: &[&str] = &["-buildvcs=", "-tags=", "-p=", "-count=", "-timeout=", "-parallel="];
    match setting.split_once('=') {
        Some(("GOPROXY", value)) => {
            value.split([',', '|']).all(|from| matches!(from, "direct" | "off") || is_official(from))
        }
        Some(("GOSUMDB", value)) => value == "sum.golang.org",
        Some(("GOFLAGS", value)) => value
            .split_whitespace()
            .all(|flag| FLAGS.contains(&flag) || VALUES.iter().any(|start| flag.starts_with(start))),
        Some((name, _)) => !matches!(name, "GONOSUMDB" | "GONOSUMCHECK" | "GOINSECURE"),
        None => true,
    }
}

/// Packages come from another index than usual.
pub(super) fn index(run: &mut Run, from: &str) {
    let shown: String = from.chars().filter(|letter| !letter.is_control()).take(100).collect();
    run.push(EffectKind::Weaken { protection: Protection::PackageIndex, how: format!("(`{shown}`)") });
}

/// A channel of conda that is an address, and not one by name.
pub(super) fn channel(run: &mut Run) {
    let texts: Vec<String> = run.args.iter().map(|word| word.text.prefix().to_owned()).collect();
    let behind = texts.iter().zip(texts.iter().skip(1));
    let behind = behind
        .filter(|(option, _)| matches!(option.as_str(), "-c" | "--channel"))
        .map(|(_, value)| value.as_str());
    let joined = texts.iter().filter_map(|text| text.strip_prefix("--channel="));
    let is_other = |from: &&str| {
        let host = crate::url::host(from);
        let own = host == "conda.anaconda.org" || host == "repo.anaconda.com" || host == "repo.prefix.dev";
        from.contains("://") && !own && !is_known_index(from)
    };
    let other = behind.chain(joined).find(is_other).map(str::to_owned);
    if let Some(from) = other {
        index(run, &from);
    }
}

/// `go run host/path@version` and `go install` of the same fetch a module from its host and build it.
pub(super) fn go_module(run: &mut Run) {
    if !run.args.first().is_some_and(|verb| verb.is("run") || verb.is("install")) {
        return;
    }
    let is_module = |word: &&Word| {
        let text = word.text.prefix();
        let host = text.split('/').next().unwrap_or_default();
        !text.starts_with(['-', '.', '/'])
            && text.contains('@')
            && host.contains('.')
            && !is_known_module(host)
    };
    if let Some(module) = run.args.iter().skip(1).find(is_module).cloned() {
        let address = Word::literal_at(&format!("https://{}", module.shown()), module.span);
        super::install(run, "go", &address);
    }
}

/// Hosts that Go's own tools, and those that most projects use, come from; forges are known besides.
fn is_known_module(host: &str) -> bool {
    let known = [
        "golang.org",
        "gopkg.in",
        "uber.org",
        "k8s.io",
        "honnef.co",
        "mvdan.cc",
        "gotest.tools",
        "gorm.io",
        "entgo.io",
        "cloud.google.com",
        "rsc.io",
        "goa.design",
        "buf.build",
        "connectrpc.com",
        "cuelang.org",
        "dagger.io",
        "opentelemetry.io",
        "etcd.io",
        "mongodb.org",
        "modernc.org",
        "filippo.io",
        "helm.sh",
        "istio.io",
        "knative.dev",
        "tailscale.com",
        "gvisor.dev",
        "encore.dev",
        "temporal.io",
        "zgo.at",
        "lukechampine.com",
        "pgregory.net",
        "nhooyr.io",
        "xorm.io",
        "sigstore.dev",
        "bou.ke",
        "elastic.co",
    ];
    known
        .iter()
        .any(|known| host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.')))
}
