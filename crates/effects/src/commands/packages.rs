//! Package managers: what they install and from where, what they publish, what they remove.

pub(super) mod addresses;
mod backend;
mod essential;
mod files;
pub(super) mod indexes;
mod managers;
mod node;
mod told;

use tollgate_model::{Certainty, EffectKind, WriteMode};

use super::Run;
use super::verbs::{Deed, Line, SECRET, Tool};
use crate::word::Word;
pub(super) use essential::is_essential;
use indexes::index;
pub(crate) use indexes::is_known_index;
pub(super) use told::operands;

/// Changes where packages come from.
pub(super) const INDEX: Deed = Deed::Weaken("the package index");

/// Lets packages run code while they are installed, although somebody has forbidden that.
const SCRIPTS: Deed = Deed::Weaken("this machine: scripts of packages run again");

/// Removes packages of the system.
const REMOVE: Deed = Deed::Infra("remove-package");

/// Servers are believed whatever they show, from now on.
const UNVERIFIED: Deed = Deed::Weaken("this machine: packages come from servers that nobody checks");

pub(super) const TOOLS: &[Tool] = &[
    Tool { names: &["npm"], values: managers::NPM, one_dash: false, deeds: node::DEEDS },
    Tool { names: &["pnpm"], values: managers::PNPM, one_dash: false, deeds: node::DEEDS },
    Tool { names: &["yarn"], values: managers::YARN, one_dash: false, deeds: node::DEEDS },
    Tool { names: &["bun"], values: managers::BUN, one_dash: false, deeds: node::DEEDS },
    Tool {
        names: &["lerna", "changeset", "semantic-release", "np", "release-it"],
        values: "",
        one_dash: false,
        deeds: &[("** -d,--dry-run", Deed::Safe), ("publish", Deed::Publish("npm"))],
    },
    Tool {
        names: &["vsce", "ovsx"],
        values: "p pat t target i packagePath",
        one_dash: false,
        deeds: &[("publish", Deed::Publish("extension")), ("unpublish", Deed::Publish("extension"))],
    },
    Tool {
        names: &["pip", "pip3"],
        values: "python log proxy retries timeout cache-dir",
        one_dash: false,
        deeds: &[("config set *index-url|*extra-index-url|*trusted-host|*find-links *", INDEX)],
    },
    Tool {
        names: &["twine"],
        values: "r repository repository-url u p config-file",
        one_dash: false,
        deeds: &[("upload|register", Deed::Publish("PyPI"))],
    },
    Tool {
        names: &["uv"],
        values: "directory project token publish-url index-url index python p config-file cache-dir",
        one_dash: false,
        deeds: &[("publish !--dry-run", Deed::Publish("PyPI"))],
    },
    Tool {
        names: &["poetry", "hatch", "flit", "pdm", "rye", "maturin"],
        values: "C directory P project r repository u p username password",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("publish|upload", Deed::Publish("PyPI")),
            ("source add", INDEX),
            ("config repositories.*", INDEX),
            ("config certificates.* false", INDEX),
            ("config *verify_ssl false|False|0", UNVERIFIED),
        ],
    },
    Tool {
        names: &["cargo"],
        values: "color config Z C manifest-path p package target-dir index registry token F features target j jobs",
        one_dash: false,
        deeds: &[
            ("** -n,--dry-run", Deed::Safe),
            ("sqlx|diesel database|db drop|reset", Deed::Database("reset")),
            ("publish", Deed::Publish("crates.io")),
            ("yank", Deed::Publish("crates.io")),
            ("owner -a,--add", Deed::Publish("crates.io")),
            ("owner -r,--remove", Deed::Publish("crates.io")),
            ("release --execute", Deed::Publish("crates.io")),
            ("release -x", Deed::Publish("crates.io")),
        ],
    },
    Tool {
        names: &["gem"],
        values: "k key host otp v version p http-proxy s source",
        one_dash: false,
        deeds: &[
            ("push|yank", Deed::Publish("RubyGems")),
            ("owner -a,--add", Deed::Publish("RubyGems")),
            ("owner -r,--remove", Deed::Publish("RubyGems")),
            ("sources -a,--add", INDEX),
            ("sources -r,--remove", INDEX),
        ],
    },
    Tool {
        names: &["bundle", "bundler"],
        values: "",
        one_dash: false,
        deeds: &[
            ("config ** ssl_verify_mode 0", UNVERIFIED),
            ("config ** mirror.*", INDEX),
            ("exec rake release", Deed::Publish("RubyGems")),
        ],
    },
    Tool {
        names: &["composer"],
        values: "d working-dir",
        one_dash: false,
        deeds: &[
            ("config ** disable-tls true|1", UNVERIFIED),
            ("global config disable-tls true|1", UNVERIFIED),
            ("config **  repositories.*|repo.*|repositories|secure-http", INDEX),
            ("global config repositories.*|secure-http", INDEX),
        ],
    },
    Tool {
        names: &["mvn", "mvnw"],
        values: "f file s settings P pl D",
        one_dash: false,
        deeds: &[
            ("** -D=altDeploymentRepository=*file:*", Deed::Safe),
            ("** help:effective-settings|*:effective-settings -D=showPasswords=true", SECRET),
            ("** flyway:clean|liquibase:dropAll|*:flyway-maven-plugin:*:clean", Deed::Database("reset")),
            ("** deploy|deploy:*|release:perform", Deed::Publish("Maven")),
        ],
    },
    Tool {
        names: &["gradle", "gradlew"],
        values: "p project-dir b I",
        one_dash: false,
        deeds: &[
            ("** -m,--dry-run", Deed::Safe),
            ("** flywayClean|*:flywayClean|dropAll|*:dropAll", Deed::Database("reset")),
            (
                "** publish|publishPlugins|*:publish|publishToSonatype|publishAllPublications*|publishToMavenCentral",
                Deed::Publish("Maven"),
            ),
        ],
    },
    Tool {
        names: &["dotnet", "nuget"],
        values: "s source k api-key",
        one_dash: false,
        deeds: &[
            ("ef database drop !--dry-run", Deed::Database("drop-database")),
            ("ef database update 0", Deed::Database("reset")),
            ("nuget push|delete", Deed::Publish("NuGet")),
            ("push|delete", Deed::Publish("NuGet")),
            ("user-secrets list", SECRET),
            ("nuget add|update source", INDEX),
            ("sources add|update", INDEX),
        ],
    },
    Tool {
        names: &["goreleaser"],
        values: "f config",
        one_dash: false,
        deeds: &[
            ("release --snapshot", Deed::Safe),
            ("release --skip=publish", Deed::Safe),
            ("release", Deed::Publish("release")),
        ],
    },
    Tool {
        names: &["pod"],
        values: "",
        one_dash: false,
        deeds: &[("trunk push|deprecate|delete", Deed::Publish("CocoaPods"))],
    },
    Tool {
        names: &["dart", "flutter"],
        values: "",
        one_dash: false,
        deeds: &[("** --dry-run", Deed::Safe), ("pub publish", Deed::Publish("pub.dev"))],
    },
    Tool {
        names: &["jsr"],
        values: "",
        one_dash: false,
        deeds: &[("** --dry-run", Deed::Safe), ("publish", Deed::Publish("JSR"))],
    },
    Tool {
        names: &["deno"],
        values: "",
        one_dash: false,
        deeds: &[("publish !--dry-run", Deed::Publish("JSR"))],
    },
    // An application's own folder in the home goes with it.
    Tool {
        names: &["flatpak"],
        values: "arch installation",
        one_dash: false,
        deeds: &[("uninstall|remove --delete-data", Deed::Infra("delete-data"))],
    },
    Tool {
        names: &["snapcraft", "charmcraft"],
        values: "",
        one_dash: false,
        deeds: &[("upload|push|release", Deed::Publish("snap"))],
    },
    Tool {
        names: &["crane", "skopeo", "oras", "regctl", "cosign"],
        values: "",
        one_dash: false,
        deeds: &[
            ("copy * docker://*", Deed::Publish("container")),
            ("push", Deed::Publish("container")),
            ("delete", Deed::Infra("delete")),
        ],
    },
    Tool {
        names: &["huggingface-cli", "hf"],
        values: "",
        one_dash: false,
        deeds: &[
            ("upload|upload-large-folder", Deed::Publish("Hugging Face")),
            ("repo delete", Deed::Infra("destroy")),
            ("auth token", SECRET),
        ],
    },
    Tool {
        names: &["go"],
        values: "C mod modfile overlay p",
        one_dash: true,
        deeds: &[("env ** GOPROXY=*|GONOSUMDB=*|GONOSUMCHECK=*|GOSUMDB=*|GOINSECURE=*|GOFLAGS=* --w", INDEX)],
    },
    Tool {
        names: &["conda", "mamba", "micromamba"],
        values: "n name p prefix f file",
        one_dash: false,
        deeds: &[
            ("config ** *://*", INDEX),
            ("config false|False|no|off --set=ssl_verify", UNVERIFIED),
            ("config set ssl_verify false|False|no|off", UNVERIFIED),
            ("config ** ssl_verify false|False|no|off", UNVERIFIED),
        ],
    },
    Tool {
        names: &["apt", "apt-get", "aptitude"],
        values: "o t c a option target-release config-file",
        one_dash: false,
        deeds: &[
            ("** -s,--simulate,--dry-run,--just-print,--no-act,--recon", Deed::Safe),
            ("remove|purge|autoremove|autopurge ** @essential", REMOVE),
            ("install --allow-unauthenticated", INDEX),
            ("update --allow-insecure-repositories", INDEX),
            ("** -o,--option=*AllowInsecure*|*AllowUnauthenticated*|*Verify-Peer=false", INDEX),
        ],
    },
    Tool {
        names: &["dnf", "yum", "microdnf", "zypper", "apk", "xbps-remove", "emerge"],
        values: "c config X repository R root",
        one_dash: false,
        deeds: &[
            ("** -s,--simulate,--dry-run,--assumeno,-p,--pretend", Deed::Safe),
            ("remove|autoremove|erase|del|rm ** @essential", REMOVE),
            ("** @essential -C,--unmerge", REMOVE),
            ("** --nogpgcheck", INDEX),
            ("** --allow-untrusted", INDEX),
        ],
    },
    Tool {
        names: &["pacman", "yay", "paru"],
        values: "r root config b dbpath",
        one_dash: false,
        deeds: &[("** -p,--print", Deed::Safe), ("** @essential -R,--remove", REMOVE)],
    },
    Tool {
        names: &["dpkg", "rpm"],
        values: "root admindir",
        one_dash: false,
        deeds: &[
            ("** --dry-run,--no-act,--test,--simulate", Deed::Safe),
            ("** --nosignature,--nodigest,--noverify", INDEX),
            ("** @essential -r,--remove,-P,--purge,-e,--erase", REMOVE),
        ],
    },
    Tool {
        names: &["add-apt-repository", "apt-add-repository"],
        values: "k keyserver",
        one_dash: false,
        deeds: &[
            ("** -r,--remove", Deed::Safe),
            ("** -L,--list", Deed::Safe),
            ("main|universe|restricted|multiverse", Deed::Safe),
            ("*", INDEX),
        ],
    },
];

/// What managers install and from where.
pub(super) fn notice(run: &mut Run) {
    addresses::notice(run);
    match run.program {
        "pip" | "pip3" | "pipx" => python(run, run.args, "pip"),
        "uv" => uv(run),
        "npm" | "pnpm" | "yarn" | "bun" => node::notice(run),
        "poetry" | "pdm" | "rye" => {
            plain(run, &["add"], "C directory P project G group E extras source python")
        }
        "cargo" => cargo(run),
        "go" => {
            plain(run, &["install", "get"], "C mod modfile overlay p");
            indexes::go_module(run);
        }
        "gem" => gem(run),
        "composer" => plain(run, &["require"], "d working-dir"),
        "brew" if run.args.first().is_some_and(|verb| verb.is("tap")) => {
            if let Some(address) = run.args.get(2).cloned() {
                install(run, "brew", &address);
            }
        }
        "brew" | "apt" | "apt-get" | "dnf" | "yum" | "apk" | "snap" | "flatpak" | "zypper" => {
            plain(run, &["install", "add", "in"], "o t c X repository");
        }
        "dpkg" | "rpm" | "pacman" | "yay" | "paru" | "installer" => files::install_files(run),
        "conda" | "mamba" | "micromamba" => {
            plain(run, &["install", "create"], "n name p prefix c channel f file");
            indexes::channel(run);
        }
        program => {
            let version = program
                .strip_prefix("pip")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            if version {
                python(run, run.args, "pip");
            }
        }
    }
}

pub(super) fn install(run: &mut Run, manager: &str, package: &Word) {
    bring(run, manager, package, false);
}

/// A package that is fetched to be run at once.
pub(super) fn start(run: &mut Run, manager: &str, package: &Word) {
    bring(run, manager, package, true);
}

fn bring(run: &mut Run, manager: &str, package: &Word, runs: bool) {
    let certainty = if package.literal().is_some() { Certainty::Certain } else { Certainty::Possible };
    let kind = EffectKind::Install { manager: manager.to_owned(), package: package.shown(), runs };
    run.analyst.push(kind, package.span, certainty);
    if files::names_file(&package.shown()) {
        run.analyst.recall_package(package, run.shell);
    }
}

const PIP_VALUES: &str = "python r requirement c constraint e editable t target platform python-version implementation abi \
    root prefix src upgrade-strategy C config-settings global-option no-binary only-binary progress-bar root-user-action report \
    group i index-url extra-index-url f find-links trusted-host log proxy retries timeout exists-action cert client-cert \
    cache-dir index default-index p spec";

fn python(run: &mut Run, words: &[Word], manager: &str) {
    let line = Line::read(words, PIP_VALUES, false);
    for list in line.values(&["r", "requirement"]).cloned().collect::<Vec<_>>() {
        if list.text.prefix().contains("://") {
            install(run, manager, &list);
        } else {
            files::required(run, manager, &list);
        }
    }
    // `pipx run --spec address tool`.
    for package in line.values(&["spec"]).cloned().collect::<Vec<_>>() {
        start(run, manager, &package);
    }
    if !matches!(line.verb(0).as_str(), "install" | "download" | "wheel" | "inject") || line.has("dry-run") {
        return;
    }
    for from in
        line.values(&["i", "index-url", "extra-index-url", "index", "default-index", "f", "find-links"])
    {
        let from = from.shown();
        if !is_known_index(&from) && from.contains("://") {
            index(run, &from);
        }
    }
    for host in line.values(&["trusted-host"]).map(Word::shown) {
        index(run, &format!("--trusted-host {host}"));
    }
    let editable = || line.values(&["e", "editable"]);
    for package in line.operands.iter().skip(1).chain(editable().filter(|word| word.shown().contains("://")))
    {
        install(run, manager, package);
    }
    for folder in line.operands.iter().skip(1).chain(editable()).cloned().collect::<Vec<_>>() {
        backend::built(run, &folder);
    }
}

fn uv(run: &mut Run) {
    let line = Line::read(run.args, PIP_VALUES, false);
    match line.verb(0).as_str() {
        "pip" => {
            let at = run.args.iter().position(|word| word.is("pip")).map_or(0, |at| at + 1);
            python(run, run.args.get(at..).unwrap_or_default(), "uv");
        }
        "add" => line.operands.iter().skip(1).for_each(|package| install(run, "uv", package)),
        "tool" if line.verb(1) == "install" => {
            line.operands.iter().skip(2).for_each(|package| install(run, "uv", package));
        }
        _ => {}
    }
}

fn plain(run: &mut Run, verbs: &[&str], values: &str) {
    let line = Line::read(run.args, values, false);
    if !verbs.contains(&line.verb(0).as_str()) || line.has("dry-run") || line.has("s") {
        return;
    }
    let manager = run.program.to_owned();
    line.operands.iter().skip(1).for_each(|package| install(run, &manager, package));
}

fn cargo(run: &mut Run) {
    let values = "git branch tag rev path root registry index version vers target-dir F features target j jobs profile bin example";
    let toolchain = run.args.first().is_some_and(|word| word.text.prefix().starts_with('+'));
    let line = Line::read(run.args.get(usize::from(toolchain)..).unwrap_or_default(), values, false);
    if !matches!(line.verb(0).as_str(), "install" | "add") {
        return;
    }
    for url in line.values(&["git"]) {
        let word = Word { text: prefixed("git+", url), ..url.clone() };
        install(run, "cargo", &word);
    }
    for from in line.values(&["index"]).map(Word::shown) {
        index(run, &from);
    }
    line.operands.iter().skip(1).for_each(|package| install(run, "cargo", package));
    let folders: Vec<Word> = line.values(&["path"]).cloned().collect();
    if line.verb(0) == "install" && folders.iter().any(|folder| files::makes_gate(run, folder)) {
        let file = Word::literal_at(
            &format!("{}/.cargo/bin/{}", run.analyst.world.home(), files::GATE),
            run.call.span,
        );
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
}

fn prefixed(prefix: &str, word: &Word) -> tollgate_shell::value::Text {
    let mut text = tollgate_shell::value::Text::literal(prefix);
    text.append(&word.text);
    text
}

fn gem(run: &mut Run) {
    let values = "v version s source i install-dir n bindir P trust-policy p http-proxy platform";
    let line = Line::read(run.args, values, false);
    if !matches!(line.verb(0).as_str(), "install" | "i") {
        return;
    }
    for from in line.values(&["s", "source"]).map(Word::shown) {
        if !is_known_index(from.trim_end_matches('/')) {
            index(run, &from);
        }
    }
    line.operands.iter().skip(1).for_each(|package| install(run, "gem", package));
}
