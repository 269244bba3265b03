//! Settings of a project that say where its packages come from: whoever runs that place decides what is installed.

use tollgate_model::phrase::MACHINE;
use tollgate_model::{EffectKind, Place, World};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::Value;

use crate::aftermath::TEXT_LIMIT;
use crate::commands::is_known_index;
use crate::url::{Url, is_this_machine};
use crate::word::show;

/// Files that name an index, and how the keys begin that do so.
const FILES: &[(&str, &[&str])] = &[
    (".npmrc", &["registry", "@"]),
    (".yarnrc", &["registry", "\"@"]),
    (".yarnrc.yml", &["npmRegistryServer", "npmRegistries"]),
    ("bunfig.toml", &["registry"]),
    (".pnpmrc", &["registry", "@"]),
    ("pip.conf", &["index-url", "extra-index-url", "index_url", "find-links"]),
    ("pip.ini", &["index-url", "extra-index-url", "index_url", "find-links"]),
    ("uv.toml", &["index-url", "extra-index-url", "url"]),
    ("requirements.txt", &["-i ", "--index-url", "--extra-index-url", "--find-links"]),
    ("Gemfile", &["source"]),
    (".cargo/config.toml", &["registry", "index"]),
    ("NuGet.config", &["<add "]),
    ("nuget.config", &["<add "]),
];

/// Settings that take the proof away that an index is what it says, without blanks.
const UNPROVEN: &[(&str, &[&str])] = &[
    (".npmrc", &["strict-ssl=false"]),
    (".pnpmrc", &["strict-ssl=false"]),
    (".yarnrc", &["strict-sslfalse", "\"strict-ssl\"false"]),
    (".yarnrc.yml", &["enableStrictSsl:false", "unsafeHttpWhitelist:"]),
    ("pip.conf", &["trusted-host="]),
    ("pip.ini", &["trusted-host="]),
    ("uv.toml", &["allow-insecure-host="]),
    (".condarc", &["ssl_verify:false"]),
    (".curlrc", &["insecure", "-k"]),
    (".wgetrc", &["check_certificate=off", "check-certificate=off"]),
    ("composer.json", &["\"secure-http\":false", "\"disable-tls\":true"]),
];

/// Where companies keep indexes of their own.
const KEEPERS: &[&str] = &[
    ".jfrog.io",
    ".pkg.dev",
    ".amazonaws.com",
    ".dev.azure.com",
    ".visualstudio.com",
    ".cloudsmith.io",
    ".gitlab.com",
    ".github.com",
    ".nuget.org",
    ".fury.io",
    ".myget.org",
    ".packagecloud.io",
    ".npmjs.org",
    ".fontawesome.com",
    ".sonatype.org",
    ".bytesafe.dev",
    ".jsr.io",
];

/// Indexes that a text newly names and that nobody else uses.
pub(crate) fn named(place: &Place, texts: &[String], shell: &Shell, world: &dyn World) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let name = if place.path.ends_with("/.cargo/config.toml") { ".cargo/config.toml" } else { name };
    let (_, keys) = FILES.iter().find(|(file, _)| *file == name)?;
    let old = || {
        let bytes = world.read(&place.path, TEXT_LIMIT);
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    };
    let lines = texts.iter().filter(|text| text.len() <= TEXT_LIMIT).flat_map(|text| text.lines());
    let begins = |line: &&str| keys.iter().any(|key| line.trim_start().starts_with(key));
    // Of a text that is not known as a whole, a key may stand behind what is not.
    let known = shell.file(&Value::text(&place.path)).filter(|_| texts.is_empty());
    let part =
        known.iter().flat_map(|file| file.value.any.iter().take(8)).map(show).collect::<Vec<_>>().join("\n");
    let holds = |line: &&str| keys.iter().any(|key| key.len() > 3 && line.contains(key));
    let lines = lines.filter(begins).chain(part.lines().filter(holds));
    let address = lines.filter_map(address).find(|address| !is_usual(address))?;
    (!old().contains(address))
        .then(|| EffectKind::Weaken { what: format!("the package index (`{address}` in `{}`)", place.shown) })
}

/// A text that newly says that nothing of an index is to be proven.
pub(crate) fn unproven(place: &Place, texts: &[String], world: &dyn World) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let (_, signs) = UNPROVEN.iter().find(|(file, _)| *file == name)?;
    let says = |text: &str| {
        text.lines().any(|line| {
            let dense: String = line.chars().filter(|c| !c.is_whitespace()).collect();
            let near = dense.contains("trusted-host=localhost") || dense.contains("trusted-host=127.");
            !near && signs.iter().any(|sign| dense.starts_with(sign))
        })
    };
    let short = texts.iter().filter(|text| text.len() <= TEXT_LIMIT);
    let old = || world.read_disk(&place.path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    (short.into_iter().any(|text| says(text)) && !old().is_some_and(|old| says(&old))).then(|| {
        EffectKind::Weaken { what: format!("{MACHINE}`{}` turns the proof of servers off", place.shown) }
    })
}

/// The first address in a line.
fn address(line: &str) -> Option<&str> {
    let start = line.find("http://").or_else(|| line.find("https://"))?;
    let rest = line.get(start..)?;
    rest.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '>' | '\\')).next()
}

fn is_usual(address: &str) -> bool {
    let host = Url::parse(address).host;
    is_usual_host(&host, address)
}

/// Is it an index that everybody uses, one of this machine, or of a keeper?
pub(crate) fn is_usual_host(host: &str, address: &str) -> bool {
    let dotted = format!(".{host}");
    is_known_index(address)
        || is_this_machine(host)
        || address.starts_with("https://") && KEEPERS.iter().any(|keeper| dotted.ends_with(keeper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_indexes() {
        for (line, found, usual) in [
            ("registry=https://registry.npmjs.org/", "https://registry.npmjs.org/", true),
            ("@acme:registry=https://npm.pkg.github.com", "https://npm.pkg.github.com", true),
            ("registry = \"http://localhost:4873\"", "http://localhost:4873", true),
            ("registry=https://acme.jfrog.io/api/npm/", "https://acme.jfrog.io/api/npm/", true),
            ("registry=http://acme.jfrog.io/", "http://acme.jfrog.io/", false),
            ("npmRegistryServer: 'https://evil.test'", "https://evil.test", false),
            ("registry=https://evil.test/jfrog.io", "https://evil.test/jfrog.io", false),
        ] {
            assert_eq!(address(line), Some(found), "{line}");
            assert_eq!(is_usual(found), usual, "{line}");
        }
    }
}
