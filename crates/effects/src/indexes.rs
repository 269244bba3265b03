//! Settings of a project that say where its packages come from: whoever runs that place decides what is installed.

use std::borrow::Cow;

use tollgate_model::{EffectKind, Place, Protection, World};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::Value;

use crate::TEXT_LIMIT;
use crate::url::{Url, is_this_machine};
use crate::word::show;

/// Files that name an index, and how the keys begin that do so.
const FILES: &[(&str, &[&str])] = &[
    (".npmrc", &["registry", "@", "proxy", "https-proxy", "http-proxy"]),
    (".yarnrc", &["registry", "\"@"]),
    (".yarnrc.yml", &["npmRegistryServer", "npmRegistries"]),
    ("bunfig.toml", &["registry"]),
    (".pnpmrc", &["registry", "@"]),
    ("pip.conf", &["index-url", "extra-index-url", "index_url", "find-links"]),
    ("pip.ini", &["index-url", "extra-index-url", "index_url", "find-links"]),
    ("uv.toml", &["index-url", "extra-index-url", "url"]),
    ("requirements.txt", &["-i ", "--index-url", "--extra-index-url", "--find-links"]),
    ("gradle-wrapper.properties", &["distributionUrl"]),
    ("maven-wrapper.properties", &["distributionUrl", "wrapperUrl"]),
    ("Gemfile", &["source"]),
    (".cargo/config.toml", &["registry", "index"]),
    ("NuGet.config", &["<add "]),
    ("nuget.config", &["<add "]),
];

/// Files in which only what stands in certain sections names an index.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Pipfile", &["source"]),
    ("pyproject.toml", &["tool.poetry.source", "tool.uv", "tool.uv.index", "tool.pdm.source", "tool.uv.pip"]),
];

/// Builds that take packages from wherever they are told: of note where nothing proves who answers.
const REPOSITORIES: &[&str] =
    &["pom.xml", "settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts", "build.sbt"];

/// Lists of what was installed, and from where: installing takes it from there again.
const LOCKS: &[&str] = &["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"];

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
    let name = if is_requirements(&place.path, name) { "requirements.txt" } else { name };
    let short = || texts.iter().filter(|text| text.len() <= TEXT_LIMIT);
    let old = || world.read(&place.path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    let index = |address: &str| EffectKind::Weaken {
        protection: Protection::PackageIndex,
        how: format!("(`{address}` in `{}`)", place.shown),
    };
    if LOCKS.contains(&name) {
        let new: Vec<String> = short().flat_map(|text| taken_from(text)).collect();
        // A lock names a place once for each package.
        let known: Vec<String> = match new.is_empty() {
            true => return None,
            false => old().iter().flat_map(|old| taken_from(old)).map(|one| Url::parse(&one).host).collect(),
        };
        return new.iter().find(|address| !known.contains(&Url::parse(address).host)).map(|one| index(one));
    }
    let address = match FILES.iter().find(|(file, _)| *file == name) {
        Some((_, keys)) => in_lines(place, keys, texts, shell),
        None => short().find_map(|text| elsewhere(name, text)),
    }?;
    (!old().is_some_and(|old| old.contains(&address))).then(|| index(&address))
}

/// The unusual addresses that a lock says its packages were taken from.
fn taken_from(text: &str) -> Vec<String> {
    let text = &unescaped(text);
    let behind = ["resolved", "tarball", "resolution"].into_iter().flat_map(|key| text.split(key).skip(1));
    let value = |rest: &str| {
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '}');
        let rest =
            rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':' | '{'));
        let from = rest.split(ends).next()?.replace("\\/", "/");
        // Repositories are fetched by other protocols, too.
        let told = ["git+ssh://", "ssh://", "git://"].iter().find_map(|start| from.strip_prefix(start));
        address(&told.map_or(from.clone(), |rest| format!("https://{}", rest.trim_start_matches("git@"))))
    };
    let mut taken: Vec<String> = behind.filter_map(value).filter(|address| !is_usual(address)).collect();
    taken.dedup_by_key(|address| Url::parse(address).host);
    taken
}

/// A text with the letters that JSON can write by their numbers.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u00") {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\\u00");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let letter = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match letter {
            Some(letter) => {
                out.push(char::from(letter));
                out.push_str(part.get(2..).unwrap_or_default());
            }
            None => out.push_str(part),
        }
    }
    Cow::Owned(out)
}

/// What stands in the `repositories` of a build: in their braces, or between their tags.
fn repositories(text: &str) -> Vec<&str> {
    let mut parts = text.split("repositories");
    let mut before = parts.next().unwrap_or_default();
    let mut inside = Vec::new();
    for part in parts {
        let closes = before.ends_with("</");
        before = part;
        let braced = part.trim_start().starts_with('{').then(|| braces(part));
        match braced {
            Some(braced) => inside.push(braced),
            None if part.starts_with('>') && !closes => inside.push(part),
            None if !closes => inside.extend(part.lines().next()),
            None => {}
        }
    }
    inside
}

/// A text up to the brace that closes its first one.
fn braces(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return text.get(..at).unwrap_or(text),
            '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// `requirements-dev.txt`, `requirements/dev.txt`, `constraints.txt`.
pub(crate) fn is_requirements(path: &str, name: &str) -> bool {
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    let named = ["requirements", "constraints"].iter().any(|start| name.starts_with(start));
    let starts = named || name.ends_with("requirements.txt") || folder == "requirements";
    starts && [".txt", ".in"].iter().any(|end| name.ends_with(end))
}

/// An unusual address in the lines that begin with one of the keys.
fn in_lines(place: &Place, keys: &[&str], texts: &[String], shell: &Shell) -> Option<String> {
    let lines = texts.iter().filter(|text| text.len() <= TEXT_LIMIT).flat_map(|text| text.lines());
    let begins = |line: &&str| keys.iter().any(|key| line.trim_start().starts_with(key));
    // Of a text that is not known as a whole, a key may stand behind what is not.
    let known = shell.file(&Value::text(&place.path)).filter(|_| texts.is_empty());
    let part =
        known.iter().flat_map(|file| file.value.any.iter().take(8)).map(show).collect::<Vec<_>>().join("\n");
    let holds = |line: &&str| keys.iter().any(|key| key.len() > 3 && line.contains(key));
    let lines = lines.filter(begins).chain(part.lines().filter(holds));
    lines.filter_map(address).find(|address| !is_usual(address))
}

/// An unusual address in the sections of a file that name indexes, in its repositories, or behind its packages.
fn elsewhere(name: &str, text: &str) -> Option<String> {
    if REPOSITORIES.contains(&name) {
        let open = repositories(text).into_iter().flat_map(|rest| rest.split("http://").skip(1));
        let mut open = open.filter_map(|rest| address(&format!("http://{rest}")));
        return open.find(|address| is_repository(address) && !is_usual(address));
    }
    let (_, sections) = SECTIONS.iter().find(|(file, _)| *file == name)?;
    let (mut inside, mut listed) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            let section = line.trim_matches(['[', ']']);
            inside = sections.contains(&section);
            // The settings of a tool name indexes by other keys than the entries of a list of them.
            listed = !matches!(section, "tool.uv" | "tool.uv.pip");
        } else if inside
            && (listed && line.starts_with("url")
                || ["index-url", "extra-index-url", "find-links", "index"]
                    .iter()
                    .any(|key| line.starts_with(key)))
            && let Some(address) = address(line).filter(|address| !is_usual(address))
        {
            return Some(address);
        }
    }
    None
}

/// The names of formats are addresses, too.
fn is_repository(address: &str) -> bool {
    !["maven.apache.org/POM", "www.w3.org", "maven.apache.org/xsd"].iter().any(|name| address.contains(name))
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
        EffectKind::Weaken {
            protection: Protection::Machine,
            how: format!("turns off certificate checks in `{}`", place.shown),
        }
    })
}

/// The first address in a line. Properties have their colons escaped.
fn address(line: &str) -> Option<String> {
    let line = line.replace("\\:", ":");
    let start = line.find("http://").or_else(|| line.find("https://"))?;
    let rest = line.get(start..)?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '>' | '<' | '\\');
    rest.split(ends).next().map(str::to_owned)
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

/// Indexes that a great many projects use by their own documentation.
pub(crate) fn is_known_index(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    let known = [
        "pypi.org",
        "files.pythonhosted.org",
        "test.pypi.org",
        "download.pytorch.org",
        "pypi.nvidia.com",
        "pypi.ngc.nvidia.com",
        "data.pyg.org",
        "wheels.vllm.ai",
        "storage.googleapis.com",
        "registry.npmjs.org",
        "registry.yarnpkg.com",
        "npm.pkg.github.com",
        "rubygems.org",
        "index.crates.io",
        "rsproxy.cn",
        "mirrors.ustc.edu.cn",
        "astral-sh.github.io",
        "abetlen.github.io",
        "pypi.anaconda.org",
        "registry.npmmirror.com",
        "pypi.tuna.tsinghua.edu.cn",
        "mirrors.aliyun.com",
        "services.gradle.org",
        "repo.maven.apache.org",
        "repo1.maven.org",
        "downloads.gradle.org",
        "dlcdn.apache.org",
        "archive.apache.org",
        "mirrors.cloud.tencent.com",
        "pypi.python.org",
    ];
    known.contains(&host)
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
            assert_eq!(address(line).as_deref(), Some(found), "{line}");
            assert_eq!(is_usual(found), usual, "{line}");
        }
    }
}
