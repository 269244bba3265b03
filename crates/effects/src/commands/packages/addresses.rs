//! Packages, plugins and templates that come from an address instead of a registry, whatever the manager: an address
//! among the words of a verb that brings code in, and one that an option or a variable names as the place to get it from.

use tollgate_model::hosts::on_forge;
use tollgate_shell::value::Value;

use super::indexes::index;
use super::install;
use crate::commands::Run;
use crate::indexes::is_usual_host;
use crate::names::{Names, index};
use crate::url;
use crate::word::Word;

/// Managers, and the verbs with which they bring in code that is run; none means that every run does.
const MANAGERS: &[(&[&str], &str)] = &[
    (
        &["npm", "pnpm", "yarn", "bun"],
        "create init plugin set install i add ci dlx exec x update up upgrade global",
    ),
    (&["corepack"], "prepare use install up"),
    (&["deno"], "install test bench compile serve add"),
    (&["uv"], "add run tool sync lock"),
    (&["conda", "mamba", "micromamba", "pixi"], "install create update env add global"),
    (&["easy_install"], ""),
    (&["cargo"], "build b check c run r test t bench install add fetch update clippy doc"),
    (&["bundle", "bundler"], "add install update"),
    (&["composer"], "create-project require install update"),
    (&["gradle", "gradlew"], "wrapper"),
    (&["dotnet"], "tool new add restore workload"),
    (&["nuget"], "install restore"),
    (&["nix-env", "nix-shell", "nix-build", "nix-channel"], ""),
    (&["nix"], "build run shell develop profile"),
    (&["yum-config-manager"], ""),
    (&["dnf", "yum"], "config-manager install"),
    (&["apk"], "add"),
    (&["zypper"], "ar addrepo in install"),
    (&["luarocks"], "install build"),
    (&["cpanm", "cpan"], ""),
    (&["cabal"], "install"),
    (&["stack"], "build install setup new exec run test"),
    (&["mix"], "archive.install escript.install local.hex local.rebar"),
    (&["conan"], "remote install"),
    (&["opam"], "pin install repository repo"),
    (&["asdf"], "plugin plugin-add"),
    (&["mise", "rtx"], "plugin plugins"),
    (&["helm"], "plugin"),
    (&["ansible-galaxy"], "install role collection"),
    (&["pre-commit"], "try-repo"),
    (&["cookiecutter", "copier", "cruft"], ""),
    (&["task", "go-task"], ""),
    (&["clojure", "clj"], ""),
    (&["kubectl-krew"], "install"),
    (&["kubectl"], "krew"),
    (&["vcpkg"], "install add"),
    (&["dart", "flutter"], "pub"),
];

static PROGRAMS: Names<256> = index!(MANAGERS, (programs, _) => programs);

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

/// Options whose address is not a place to get code from.
const OTHERS: &[&str] = &[
    "proxy",
    "https-proxy",
    "http-proxy",
    "noproxy",
    "data",
    "d",
    "homepage",
    "description",
    "message",
    "m",
    "author-url",
    "init-author-url",
    "license",
    "api-key",
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
    let Some((_, verbs)) = PROGRAMS.rows(MANAGERS, program, |(names, _)| names).next() else { return };
    let brings = |word: &Word| verbs.split(' ').any(|verb| word.is(verb));
    if !verbs.is_empty() && !run.args.iter().any(brings)
        || run.args.iter().any(|word| word.is("--dry-run") || word.is("--help"))
    {
        return;
    }
    // What stands behind the dashes is for the program that is built or made.
    let words: Vec<Word> = run.args.iter().take_while(|word| !word.is("--")).cloned().collect();
    for (at, word) in words.iter().enumerate().filter(|(_, word)| word.text.prefix().contains("://")) {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map(Word::shown).unwrap_or_default();
        source(run, word, &before);
    }
}

/// One word with an address: a package of its own, or the value of an option.
fn source(run: &mut Run, word: &Word, before: &str) {
    let text = word.shown();
    let is_option = |text: &str| text.len() > 1 && text.starts_with('-');
    let name = match text.split_once('=').filter(|_| is_option(&text)) {
        Some((name, _)) => Some(name),
        None => Some(before).filter(|before| is_option(before) && !before.contains('=')),
    };
    // An answer to a question of a template.
    let head = text.split("://").next().unwrap_or_default();
    let answers = matches!(run.program, "cookiecutter" | "copier" | "cruft");
    if answers && !is_option(&text) && head.contains('=') {
        return;
    }
    match name.map(|name| name.trim_start_matches('-')) {
        Some(name) if OTHERS.contains(&name) => {}
        Some(_) => addresses(&text).iter().for_each(|address| named(run, address)),
        // A setting (`npm pkg set homepage=…`), or a note for a list of tasks.
        None if head.contains('=') || run.program == "task" => {}
        None if addresses(&text).iter().all(|address| is_usual(address)) => {}
        None => {
            let manager = run.program.to_owned();
            install(run, &manager, word);
        }
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
