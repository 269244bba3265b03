//! Packages, plugins and templates that come from an address instead of a registry, whatever the manager: an address
//! among the words of a verb that brings code in, and one that an option or a variable names as the place to get it from.

use tollgate_model::hosts::on_forge;
use tollgate_shell::value::Value;

use super::indexes::index;
use super::install;
use super::told::{Part, find};
use crate::commands::Run;
use crate::indexes::is_usual_host;
use crate::url;
use crate::word::Word;

/// Interpreters whose own code installs packages, and how it says so.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("R", &["install.packages", "install_url", "install_git", "::install_", "BiocManager"]),
    ("Rscript", &["install.packages", "install_url", "install_git", "::install_", "BiocManager"]),
    ("julia", &["Pkg.add", "Pkg.develop", "PackageSpec"]),
];

/// Variables that say where programs are fetched from.
const VARIABLES: &[&str] = &[
    "RUSTUP_DIST_SERVER",
    "RUSTUP_UPDATE_ROOT",
    "NVM_NODEJS_ORG_MIRROR",
    "FNM_NODE_DIST_MIRROR",
    "N_NODE_MIRROR",
    "UV_INDEX",
    "UV_PYTHON_INSTALL_MIRROR",
    "COREPACK_NPM_REGISTRY",
    "HOMEBREW_BOTTLE_DOMAIN",
    "HOMEBREW_ARTIFACT_DOMAIN",
    "HOMEBREW_BREW_GIT_REMOTE",
    "HOMEBREW_CORE_GIT_REMOTE",
    "PLAYWRIGHT_DOWNLOAD_HOST",
    "PUPPETEER_DOWNLOAD_BASE_URL",
    "ELECTRON_MIRROR",
    "HEX_MIRROR",
    "HEX_MIRROR_URL",
    "CONDA_CHANNELS",
    "PUB_HOSTED_URL",
];

/// Hosts of the managers themselves, and of those that everybody's manuals name.
const HOSTS: &[&str] = &[
    "anaconda.com",
    "anaconda.org",
    "bioconductor.org",
    "cachix.org",
    "clojars.org",
    "conan.io",
    "cpan.org",
    "crates.io",
    "deno.land",
    "determinate.systems",
    "docker.com",
    "drupal.org",
    "esm.sh",
    "flakehub.com",
    "githubusercontent.com",
    "github.com",
    "golang.org",
    "goproxy.cn",
    "goproxy.io",
    "gradle.org",
    "hackage.haskell.org",
    "hex.pm",
    "hashicorp.com",
    "jsdelivr.net",
    "jsr.io",
    "julialang.org",
    "kubernetes.io",
    "k8s.io",
    "luarocks.org",
    "maven.org",
    "metacpan.org",
    "microsoft.com",
    "nixos.org",
    "nodejs.org",
    "nodesource.com",
    "npmjs.com",
    "npmjs.org",
    "npmmirror.com",
    "nuget.org",
    "nvidia.com",
    "ocaml.org",
    "packagist.org",
    "postgresql.org",
    "posit.co",
    "pub.dev",
    "python.org",
    "r-universe.dev",
    "remirepo.net",
    "rubygems.org",
    "rust-lang.org",
    "stackage.org",
    "tuna.tsinghua.edu.cn",
    "unpkg.com",
    "ustc.edu.cn",
    "wpackagist.org",
    "yarnpkg.com",
];

/// Distributions, whose packages carry a signature of their own, and R's archives, which manuals name without
/// encryption: how they come matters less.
const SIGNED: &[&str] = &[
    "alpinelinux.org",
    "archlinux.org",
    "debian.org",
    "fedoraproject.org",
    "opensuse.org",
    "ubuntu.com",
    "r-project.org",
    "rstudio.com",
];

/// Takes down the addresses that a manager brings code in from.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    // Most calls name no address.
    if !run.args.iter().any(|word| word.text.prefix().contains("://")) {
        return;
    }
    if let Some((_, marks)) = INTERPRETERS.iter().find(|(name, _)| *name == program) {
        for word in run.args {
            let text = word.shown();
            if marks.iter().any(|mark| text.contains(mark)) {
                addresses(&text).iter().for_each(|address| named(run, address));
            }
        }
        return;
    }
    let Some(manager) = find(program) else { return };
    let Some(told) = manager.own(run.args).filter(|told| !told.looks_only()) else { return };
    for part in &told.parts {
        match part {
            Part::Source(_, word) => addresses(&word.shown()).iter().for_each(|address| named(run, address)),
            Part::Operand(word) if manager.0.takes_addresses => package(run, word),
            Part::Operand(_) | Part::Other(_) => {}
        }
    }
}

/// An operand with an address is a package of its own.
fn package(run: &mut Run, word: &Word) {
    let text = word.shown();
    let found = addresses(&text);
    // A setting (`npm pkg set homepage=…`), or an answer to a question of a template.
    let is_setting = text.split("://").next().unwrap_or_default().contains('=');
    if !is_setting && found.iter().any(|address| !is_usual(address)) {
        let manager = run.program.to_owned();
        install(run, &manager, word);
    }
}

/// Takes an index down that nobody else uses.
fn named(run: &mut Run, address: &str) {
    if !is_usual(address) {
        index(run, address);
    }
}

/// What a variable says about where programs come from.
pub(in crate::commands) fn variable(run: &mut Run, name: &str, value: &Value) {
    let mirror = name.starts_with("BUNDLE_MIRROR__")
        || name.starts_with("CARGO_REGISTRIES_") && name.ends_with("_INDEX")
        || name.starts_with("CARGO_SOURCE_") && name.ends_with("_REGISTRY");
    if mirror || VARIABLES.contains(&name) {
        for text in value.literals() {
            addresses(text).iter().for_each(|address| named(run, address));
        }
    }
}

/// The addresses in a text: `sparse+https://host/`, `{:git/url "https://host/x"}`.
fn addresses(text: &str) -> Vec<String> {
    let scheme = |before: &str| {
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '+').map_or(0, |at| at + 1);
        before.get(start..).unwrap_or_default().rsplit('+').next().unwrap_or_default().to_owned()
    };
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ')' | '}' | '>' | ';');
    let found = text.match_indices("://").take(16).filter_map(|(at, _)| {
        let rest = text.get(at..)?.split(ends).next()?;
        Some(format!("{}{rest}", scheme(text.get(..at)?)))
    });
    found.collect()
}

/// Is it a file, a place of this machine, a forge, or an index that everybody uses?
fn is_usual(address: &str) -> bool {
    let host = url::host(address);
    let one_of = |known: &[&str]| {
        known.iter().any(|one| host == *one || host.strip_suffix(one).is_some_and(|rest| rest.ends_with('.')))
    };
    let forge = || on_forge(address.split_once("://").map_or("", |(_, rest)| rest));
    // What is not known stands for whatever it was set to.
    let unknown = host.is_empty() || host.contains('*');
    unknown
        || address.starts_with("file:")
        || is_usual_host(&host, address)
        || one_of(SIGNED)
        || !address.starts_with("http:") && (forge() || one_of(HOSTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_texts() {
        for (text, found, usual) in [
            ("git+https://evil.test/x", "https://evil.test/x", false),
            ("source.evil.registry=\"sparse+https://evil.test/\"", "https://evil.test/", false),
            ("{:git/url \"https://evil.test/x\" :git/sha \"a\"}", "https://evil.test/x", false),
            ("https://conda.anaconda.org/conda-forge", "https://conda.anaconda.org/conda-forge", true),
            ("https://github.com/a/b", "https://github.com/a/b", true),
            ("http://localhost:4873/x", "http://localhost:4873/x", true),
            ("file:///srv/x", "file:///srv/x", true),
        ] {
            assert_eq!(addresses(text), [found], "{text}");
            assert_eq!(is_usual(found), usual, "{text}");
        }
    }
}
