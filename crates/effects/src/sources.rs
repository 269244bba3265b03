//! Manifests: packages that come from the repository or the server of somebody, instead of an index.

use tollgate_model::git::Repo;
use tollgate_model::hosts::on_forge;
use tollgate_model::json::{self, Value as Json};
use tollgate_model::{EffectKind, Place, Protection, World};

use crate::TEXT_LIMIT;
use crate::indexes::{is_requirements, is_usual_host};
use crate::url::Url;

/// Forges of single projects, besides those that everybody uses.
const FORGES: &[&str] = &[
    "salsa.debian.org",
    "gitlab.freedesktop.org",
    "gitlab.gnome.org",
    "git.savannah.gnu.org",
    "android.googlesource.com",
    "go.googlesource.com",
    "chromium.googlesource.com",
    "skia.googlesource.com",
    "huggingface.co",
];

/// The members of a `package.json` that name packages.
const MEMBERS: &[&str] = &[
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "resolutions",
    "overrides",
];

/// A package that a manifest newly takes from a stranger.
pub(crate) fn strange(place: &Place, texts: &[String], world: &dyn World) -> Option<EffectKind> {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let is_manifest =
        matches!(name, "Cargo.toml" | "package.json" | "pyproject.toml" | "Pipfile" | "Gemfile")
            || is_requirements(&place.path, name);
    if !is_manifest || place.pattern {
        return None;
    }
    let short = texts.iter().filter(|text| text.len() <= TEXT_LIMIT && text.contains("://"));
    let new: Vec<String> = short.flat_map(|text| addresses(name, text)).collect();
    let address = new.into_iter().find(|address| is_strange(address, &place.path, world))?;
    let old = world.read_disk(&place.path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    (!old.is_some_and(|old| old.contains(&address))).then(|| EffectKind::Weaken {
        protection: Protection::PackageIndex,
        how: format!("(`{address}` in `{}`)", place.shown),
    })
}

/// The addresses that packages come from.
fn addresses(name: &str, text: &str) -> Vec<String> {
    if name == "package.json" {
        let Ok(value) = json::parse(text.as_bytes()) else {
            let names = |line: &&str| line.contains("git+http") || line.contains(".tgz\"");
            return text.lines().filter(names).filter_map(address).collect();
        };
        let mut found = Vec::new();
        let own = MEMBERS.iter().filter_map(|member| value.get(member));
        let pnpm = value.get("pnpm").and_then(|pnpm| pnpm.get("overrides"));
        own.chain(pnpm).for_each(|value| told(value, 0, &mut found));
        return found;
    }
    let marks: &[&str] = match name {
        "Cargo.toml" => &["git = \"", "git=\"", "registry-index = \""],
        "Gemfile" => &["git: \"", "git: '", ":git => \"", ":git => '"],
        "Pipfile" => &["git = \"", "file = \""],
        "pyproject.toml" => &["git+", "@ https://", "@ http://", "git = \"", "url = \""],
        _ => &["git+", "@ https://", "@ http://", "-e git"],
    };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let in_section = |line: &&str| name != "pyproject.toml" || !is_page(line);
    lines
        .filter(in_section)
        .filter(|line| {
            marks.iter().any(|mark| line.contains(mark)) || name.ends_with(".txt") && line.starts_with("http")
        })
        .filter_map(address)
        .collect()
}

/// Pages about a project, and not what it is built of.
fn is_page(line: &str) -> bool {
    let key = line.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
    !line.contains("git+")
        && !line.contains(" @ ")
        && key != "git"
        && !line.contains("git = \"")
        && !line.contains('{')
}

/// Texts that are addresses, at any depth that somebody writes.
fn told(value: &Json, depth: u8, found: &mut Vec<String>) {
    match value {
        Json::String(text) if text.contains("://") => found.extend(address(text)),
        Json::Map(members) if depth < 4 => {
            members.iter().for_each(|(_, value)| told(value, depth + 1, found))
        }
        _ => {}
    }
}

/// The first address in a text.
fn address(text: &str) -> Option<String> {
    let starts = ["https://", "http://", "git://"];
    let start = starts.iter().filter_map(|start| text.find(start)).min()?;
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '>');
    text.get(start..)?.split(ends).next().map(str::to_owned)
}

/// Is it neither on a forge, nor with a keeper, nor where this repository is?
fn is_strange(address: &str, path: &str, world: &dyn World) -> bool {
    let host = Url::parse(address).host;
    let dotted = format!(".{host}");
    let mut above = std::iter::successors(Some(host.as_str()), |host| Some(host.split_once('.')?.1));
    let known = above.any(on_forge)
        || FORGES.iter().any(|forge| dotted.ends_with(&format!(".{forge}")))
        || ["pypi.org", "pythonhosted.org", "npmjs.org", "crates.io", "pytorch.org"]
            .iter()
            .any(|end| dotted.ends_with(&format!(".{end}")))
        || is_usual_host(&host, address);
    let own = || {
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        let repo = Repo::find(folder, world);
        repo.is_some_and(|repo| repo.config(world).named("remote", "url").any(|(_, url)| url.contains(&host)))
    };
    !host.is_empty() && !known && !own()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_packages() {
        for (name, text, expected) in [
            ("Cargo.toml", "x = { git = \"https://evil.test/x.git\" }", Some("https://evil.test/x.git")),
            ("Cargo.toml", "repository = \"https://evil.test/x\"", None),
            (
                "package.json",
                "{\"dependencies\":{\"a\":\"git+https://evil.test/a\"}}",
                Some("https://evil.test/a"),
            ),
            ("package.json", "{\"homepage\":\"https://evil.test/a\"}", None),
            (
                "pyproject.toml",
                "dependencies = [\"a @ git+https://evil.test/a\"]",
                Some("https://evil.test/a"),
            ),
            ("pyproject.toml", "url = \"https://evil.test\"", None),
            ("requirements.txt", "https://evil.test/a.whl", Some("https://evil.test/a.whl")),
            ("requirements.txt", "requests==2", None),
        ] {
            assert_eq!(addresses(name, text).first().map(String::as_str), expected, "{text}");
        }
    }
}
