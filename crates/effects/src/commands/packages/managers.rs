//! Managers of packages, plugins and templates, and which of their words say where code comes from. A catalogue of their
//! documented interfaces.

use crate::names::{Names, index};

/// A manager, or several with the same words.
pub(super) struct Manager {
    pub programs: &'static [&'static str],
    /// Verbs with which it brings in code that is run; none means that every run does.
    pub brings: &'static str,
    /// Those behind which it runs something: what follows the first operand belongs to that. `tool/run` is of two words.
    pub runs: &'static str,
    /// Options that name a place to get code from.
    pub sources: &'static str,
    /// Options whose value is something else. One that is a switch with another verb may take the next word from it.
    pub values: &'static str,
    /// Those of them whose value is an address.
    pub addresses: &'static str,
    /// Words that stand before the verb, and how many follow them.
    pub leads: &'static [(&'static str, usize)],
    /// Every operand is a verb.
    pub tasks: bool,
    /// Options with two values.
    pub pairs: &'static str,
    /// Options behind which nothing is the manager's own.
    pub ends: &'static str,
    /// An address among its operands is a package.
    pub takes_addresses: bool,
}

const NONE: Manager = Manager {
    programs: &[],
    brings: "",
    runs: "",
    sources: "",
    values: "",
    addresses: "",
    leads: &[],
    tasks: false,
    pairs: "",
    ends: "",
    takes_addresses: true,
};

/// Options of npm that take a value. Those of the other managers of Node's packages are their own.
pub(super) const NPM: &str = "C prefix w workspace registry package p disturl dist-url node-mirror template \
    replace-registry-host tag access otp userconfig globalconfig location loglevel script-shell c call config cache scope before \
    omit include cafile init-author-name init-author-email init-author-url init.author.url init-license init-module \
    init-version proxy https-proxy http-proxy noproxy user-agent node-options fetch-retries fetch-timeout install-strategy";
pub(super) const PNPM: &str = "C dir prefix filter F filter-prod registry config.registry package tag access otp loglevel reporter \
    store-dir modules-dir virtual-store-dir lockfile-dir script-shell c shell-mode config allow-build resume-from \
    workspace-concurrency network-concurrency node-options userconfig cafile proxy https-proxy http-proxy noproxy user-agent";
pub(super) const YARN: &str = "cwd registry package p template modules-folder cache-folder preferred-cache-folder global-folder \
    link-folder use-yarnrc mutex network-timeout network-concurrency otp access tag new-version mode proxy https-proxy \
    prefix userconfig loglevel cafile include exclude from";
pub(super) const BUN: &str = "cwd c config registry package p backend cache-dir filter F cafile ca tag access otp auth-type \
    network-concurrency concurrent-scripts omit loglevel";

const NODE: Manager = Manager {
    brings: "create init innit plugin set policies install i in ins isntall add ci dlx exec x update up upgrade link",
    runs: "create init innit dlx exec x",
    sources: "registry config.registry package p disturl dist-url node-mirror template replace-registry-host",
    addresses: "proxy https-proxy http-proxy noproxy user-agent init-author-url init.author.url",
    ..NONE
};

const MANAGERS: &[Manager] = &[
    Manager { programs: &["npm"], values: NPM, ..NODE },
    Manager { programs: &["pnpm"], values: PNPM, leads: &[("recursive", 0), ("multi", 0), ("m", 0)], ..NODE },
    Manager {
        programs: &["yarn"],
        values: YARN,
        leads: &[("workspace", 1), ("workspaces", 1), ("global", 0)],
        ..NODE
    },
    Manager { programs: &["bun"], values: BUN, ..NODE },
    Manager { programs: &["corepack"], brings: "prepare use install up", ..NONE },
    Manager {
        programs: &["deno"],
        brings: "install i test bench compile serve add",
        runs: "compile serve",
        sources: "import-map c config preload import",
        values: "location seed port host o output target v8-flags env-file cert lock ext filter include exclude icon n name \
            root L log-level coverage junit-path reporter",
        addresses: "location",
        ..NONE
    },
    Manager {
        programs: &["uv"],
        brings: "add run tool sync lock pip",
        runs: "run tool/run",
        sources: "index default-index index-url i extra-index-url find-links f with w with-editable with-requirements from git \
            mirror pypy-mirror r requirements c constraint constraints b build-constraints override overrides",
        values: "extra no-extra group no-group only-group env-file package p python P upgrade-package reinstall-package \
            refresh-package no-build-package no-binary-package no-build-isolation-package index-strategy keyring-provider \
            resolution prerelease fork-strategy C config-setting config-settings-package exclude-newer \
            exclude-newer-package link-mode no-sources-package cache-dir color directory project config-file \
            allow-insecure-host trusted-host python-platform python-version target prefix rev tag branch optional marker \
            bounds script torch-backend",
        ..NONE
    },
    Manager {
        programs: &["conda", "mamba", "micromamba", "pixi"],
        brings: "install create update env add global",
        sources: "c channel f file git url",
        values: "n name p prefix solver experimental-solver revision clone branch tag rev platform feature subdir r root-prefix \
            manifest-path e environment expose with s host w spec",
        ..NONE
    },
    Manager {
        programs: &["easy_install"],
        sources: "i index-url f find-links",
        values: "d install-dir s script-dir b build-directory H allow-hosts prefix",
        ..NONE
    },
    Manager {
        programs: &["cargo"],
        brings: "build b check c run r test t bench install add fetch update clippy doc",
        runs: "run r",
        sources: "git index registry config",
        values: "color Z C manifest-path p package target-dir token F features target j jobs bin example test bench profile \
            message-format root version branch tag rev path rename exclude lockfile-path",
        takes_addresses: false,
        leads: &[("+", 0)],
        ..NONE
    },
    Manager {
        programs: &["bundle", "bundler"],
        brings: "add install update",
        sources: "s source git",
        values: "v version g group r require path branch ref glob github gemfile jobs j retry without with",
        ..NONE
    },
    Manager {
        programs: &["composer"],
        brings: "create-project require install update",
        sources: "repository repository-url",
        values: "d working-dir s stability prefer-install ignore-platform-req",
        leads: &[("global", 0)],
        ..NONE
    },
    Manager {
        programs: &["gradle", "gradlew"],
        brings: "wrapper",
        sources: "gradle-distribution-url I init-script",
        values: "p project-dir b build-file c settings-file g gradle-user-home gradle-version distribution-type \
            gradle-distribution-sha256-sum x exclude-task P D project-prop system-prop",
        tasks: true,
        ..NONE
    },
    Manager {
        programs: &["dotnet"],
        brings: "tool new add restore workload",
        sources: "add-source s source nuget-source i install",
        values: "version framework f r runtime configfile n name o output lang language tool-path tool-manifest v verbosity \
            package-directory temp-dir",
        ..NONE
    },
    Manager {
        programs: &["nuget"],
        brings: "install restore",
        sources: "source fallbacksource",
        values: "outputdirectory version configfile packagesdirectory verbosity framework",
        ..NONE
    },
    Manager {
        programs: &["nix-env", "nix-shell", "nix-build", "nix-channel"],
        sources: "f file I include option E expr p packages substituters extra-substituters arg argstr",
        values: "run command j max-jobs cores o out-link profile A attr keep argv0",
        pairs: "option arg argstr",
        ..NONE
    },
    Manager {
        programs: &["nix"],
        brings: "build run shell develop profile",
        runs: "run",
        sources: "option override-input I include f file E expr inputs-from substituters extra-substituters arg argstr \
            reference-lock-file",
        values: "o out-link j max-jobs cores profile A attr u unset keep phase log-format store eval-store",
        pairs: "option override-input arg argstr",
        ends: "c command",
        addresses: "store eval-store",
        ..NONE
    },
    Manager {
        programs: &["yum-config-manager"],
        sources: "add-repo setopt",
        values: "enable disable",
        ..NONE
    },
    Manager {
        programs: &["dnf", "yum"],
        brings: "config-manager install",
        sources: "add-repo from-repofile set setopt repofrompath",
        values: "x exclude enablerepo disablerepo repo repoid c config releasever installroot forcearch id",
        ..NONE
    },
    Manager {
        programs: &["apk"],
        brings: "add",
        sources: "X repository",
        values: "p root arch keys-dir repositories-file cache-dir t virtual wait timeout",
        ..NONE
    },
    Manager {
        programs: &["zypper"],
        brings: "ar addrepo in install",
        sources: "p plus-repo r repo from",
        values: "t type n name R root c config C capability",
        ..NONE
    },
    Manager {
        programs: &["luarocks"],
        brings: "install build",
        sources: "server from only-server only-from only-sources",
        values: "tree lua-version lua-dir timeout project-tree",
        ..NONE
    },
    Manager {
        programs: &["cpanm", "cpan"],
        sources: "mirror M from mirror-index",
        values: "l local-lib L local-lib-contained configure-timeout build-timeout save-dists",
        ..NONE
    },
    Manager {
        programs: &["cabal"],
        brings: "install",
        sources: "remote-repo",
        values: "w with-compiler installdir",
        ..NONE
    },
    Manager {
        programs: &["stack"],
        brings: "build install setup new exec run test",
        runs: "exec run",
        sources: "resolver snapshot setup-info-yaml ghc-bindist stack-yaml",
        values: "work-dir stack-root package ghc-options flag compiler cwd local-bin-path p param",
        ..NONE
    },
    Manager {
        programs: &["mix"],
        brings: "archive.install escript.install local.hex local.rebar",
        values: "sha512 branch tag ref submodules organization repo timeout",
        ..NONE
    },
    Manager {
        programs: &["conan"],
        brings: "remote install config",
        values: "r remote pr profile s settings o options of output-folder build",
        ..NONE
    },
    Manager {
        programs: &["opam"],
        brings: "pin install repository repo",
        sources: "repos repositories",
        values: "k kind switch jobs j rank root",
        ..NONE
    },
    Manager { programs: &["asdf"], brings: "plugin plugin-add", ..NONE },
    Manager { programs: &["mise", "rtx"], brings: "plugin plugins", values: "C cd j jobs E env", ..NONE },
    Manager {
        programs: &["helm"],
        brings: "plugin",
        values: "n namespace kube-context kubeconfig version",
        ..NONE
    },
    Manager {
        programs: &["ansible-galaxy"],
        brings: "install role collection",
        sources: "s server r role-file requirements-file",
        values: "p roles-path collections-path token api-key timeout",
        ..NONE
    },
    Manager { programs: &["pre-commit"], brings: "try-repo", values: "ref rev c config color files", ..NONE },
    Manager {
        programs: &["cookiecutter", "copier", "cruft"],
        values: "d data data-file c checkout vcs-ref r directory o output-dir config-file a answers-file x exclude s skip \
            replay-file extra-context",
        ..NONE
    },
    Manager {
        programs: &["task", "go-task"],
        sources: "t taskfile",
        values: "d dir o output C concurrency I interval x",
        takes_addresses: false,
        ..NONE
    },
    Manager {
        programs: &["clojure", "clj"],
        sources: "Sdeps",
        values: "e eval Scp J",
        takes_addresses: false,
        ..NONE
    },
    Manager {
        programs: &["kubectl-krew"],
        brings: "install index",
        sources: "manifest-url manifest",
        values: "archive",
        ..NONE
    },
    Manager {
        programs: &["kubectl"],
        brings: "krew",
        sources: "manifest-url manifest",
        values: "archive n namespace context kubeconfig s server cluster user token as",
        addresses: "s server",
        ..NONE
    },
    Manager {
        programs: &["vcpkg"],
        brings: "install add",
        sources: "overlay-ports overlay-triplets binarysource x-binarysource x-asset-sources",
        values: "triplet host-triplet vcpkg-root x-install-root",
        ..NONE
    },
    Manager {
        programs: &["dart", "flutter"],
        brings: "pub",
        runs: "pub/run pub/global/run",
        sources: "hosted-url git-url hosted u",
        values: "git-ref git-path path s source C directory",
        ..NONE
    },
];

static PROGRAMS: Names<256> = index!(MANAGERS, manager => manager.programs);

/// The manager of this name.
pub(super) fn find(program: &str) -> Option<&'static Manager> {
    PROGRAMS.rows(MANAGERS, program, |manager| manager.programs).next()
}
