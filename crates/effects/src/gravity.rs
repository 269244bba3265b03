//! How grave it is what a written file would do when it runs. What a person calls a script for is no surprise: a script
//! that is named for taking something down may do so, a build may not.

use tollgate_model::stage::{is_for_tests, is_production, is_protected_branch, place_of};
use tollgate_model::{
    Certainty, Effect, EffectKind, InfraTool, Loss, Place, Protection, Rewrite, Zone, work,
};

use crate::carriers::Runs;
use crate::search::searched;

/// What the name of a script, recipe or task says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// It runs with everyday work: a build, a test, a hook, a file that a tool reads.
    Everyday,
    /// Nothing.
    Plain,
    /// It makes a machine or a project ready.
    Setup,
    /// It takes something away, and is called for that.
    Removal,
}

const REMOVAL: &[&str] = &[
    "destroy",
    "teardown",
    "tear",
    "down",
    "clean",
    "cleanup",
    "clear",
    "reset",
    "nuke",
    "purge",
    "wipe",
    "remove",
    "rm",
    "delete",
    "del",
    "uninstall",
    "drop",
    "decommission",
    "undeploy",
    "rollback",
    "prune",
    "erase",
    "recreate",
    "reinit",
    "fresh",
    "scrub",
    "terminate",
    "deprovision",
    "gc",
    "expire",
    "disable",
    "shutdown",
    "retire",
    "unprovision",
    "flush",
    "truncate",
    "rewrite",
    "restore",
];

const SETUP: &[&str] = &[
    "setup",
    "bootstrap",
    "provision",
    "provisioning",
    "init",
    "initialize",
    "seed",
    "migrate",
    "migration",
    "migrations",
    "install",
    "installer",
    "cloud",
    "userdata",
    "kickstart",
    "prepare",
    "onboard",
    "k8s",
    "kubernetes",
    "kubeadm",
    "createdb",
    "db",
    "database",
    "schema",
];

const EVERYDAY: &[&str] = &[
    "build",
    "test",
    "tests",
    "lint",
    "format",
    "fmt",
    "start",
    "dev",
    "develop",
    "serve",
    "check",
    "ci",
    "compile",
    "bundle",
    "run",
    "watch",
    "all",
    "default",
    "typecheck",
    "coverage",
    "docs",
    "generate",
    "package",
    "precommit",
    "pretest",
    "posttest",
    "prebuild",
    "postbuild",
    "preinstall",
    "postinstall",
    "prestart",
    "poststart",
    "prepublish",
    "commit",
    "push",
    "unit",
    "verify",
    "validate",
    "entrypoint",
    "version",
    "main",
];

/// Environments that are made to be thrown away.
const PASSING: &[&str] = &[
    "preview",
    "previews",
    "staging",
    "stage",
    "stg",
    "ephemeral",
    "sandbox",
    "e2e",
    "test",
    "tests",
    "testing",
    "dev",
    "devel",
    "development",
    "review",
    "pr",
    "local",
    "localhost",
    "demo",
    "scratch",
    "tmp",
    "temp",
    "ci",
    "integration",
    "qa",
    "uat",
    "kind",
    "minikube",
    "localstack",
    "playground",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "nightly",
    "canary",
    "bench",
    "benchmark",
    "loadtest",
];

impl Purpose {
    /// By the name; what has none runs with something else.
    pub fn of(name: &str) -> Self {
        let words = words(name);
        let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        if any(REMOVAL) {
            Self::Removal
        } else if words.is_empty() || any(EVERYDAY) {
            Self::Everyday
        } else if any(SETUP) {
            Self::Setup
        } else {
            Self::Plain
        }
    }
}

/// What a piece of code stands in.
pub(crate) struct Setting<'t> {
    pub runs: Runs,
    pub purpose: Purpose,
    /// A test runner finds it.
    pub is_test: bool,
    /// It is no shell text: what calls its functions is not in it.
    pub is_program: bool,
    /// Its file and its own name.
    pub name: &'t str,
    /// The code itself.
    pub text: &'t str,
    /// All of the file.
    pub whole: &'t str,
}

impl Setting<'_> {
    /// What an effect would do, when it takes away what others rely on.
    pub fn takes(&self, effect: &Effect, all: &[Effect]) -> Option<String> {
        let certain = effect.certainty == Certainty::Certain;
        let called = self.is_program && self.unasked();
        if !certain && !called || self.runs == Runs::InImage {
            return None;
        }
        match &effect.kind {
            EffectKind::Infra { tool, operation, target } => self.infra(effect, all, tool, operation, target),
            EffectKind::Database { operation, object } => self.database(operation, object, certain),
            EffectKind::HistoryRewrite { operation, how, remote, branch } => {
                self.history(operation, *how, remote, branch)
            }
            EffectKind::WorkLoss { operation, kind: Loss::Files, .. }
                if self.unasked() && self.here() && !self.is_test =>
            {
                Some(format!("loses uncommitted work (`{operation}`)"))
            }
            EffectKind::Permission { place, recursive, .. }
                if self.here() && is_everything(place, *recursive) =>
            {
                Some(format!("changes the permissions of everything in `{}`", shown(place)))
            }
            EffectKind::Weaken { protection, how } if self.here() => self.weakens(*protection, how),
            // What is built there is what others get.
            EffectKind::Weaken {
                protection: Protection::GitCertificates | Protection::Certificates, ..
            } => Some("connects without certificate checks".to_owned()),
            EffectKind::Privilege { how } if self.here() && self.unasked() && how.contains("set-user-ID") => {
                Some(format!("lets everybody run a program with the rights of its owner ({how})"))
            }
            _ => None,
        }
    }

    fn here(&self) -> bool {
        self.runs != Runs::InPipeline
    }

    fn unasked(&self) -> bool {
        self.purpose == Purpose::Everyday
    }

    fn infra(
        &self,
        effect: &Effect,
        all: &[Effect],
        tool: &InfraTool,
        operation: &str,
        target: &str,
    ) -> Option<String> {
        let said = || format!("destroys `{target}`");
        let removes = self.purpose == Purpose::Removal;
        match operation {
            "destroy" if !removes && !self.passes(effect, all) => Some(said()),
            "destroy-storage" if !removes && self.here() => Some(format!("destroys storage (`{target}`)")),
            "delete" if !removes && self.unasked() && is_production(target) => Some(said()),
            "delete-data" if self.unasked() && self.here() && target.contains("every") => {
                Some(format!("deletes {target}"))
            }
            "delete-user" | "change-login" | "remove-package" | "move-money" | "grant-admin"
                if self.unasked() && self.here() =>
            {
                Some(format!("runs `{target}`"))
            }
            deletes
                if self.unasked()
                    && *tool == InfraTool::RemoteShell
                    && !self.is_test
                    && deletes.starts_with("deletes") =>
            {
                Some(format!("{deletes} on `{target}`"))
            }
            _ => None,
        }
    }

    /// An environment that is thrown away, or one that the caller names.
    fn passes(&self, effect: &Effect, all: &[Effect]) -> bool {
        let program = |effect: &Effect| match &effect.kind {
            EffectKind::Infra { tool, .. } => tool.name().to_owned(),
            _ => String::new(),
        };
        let tool = program(effect);
        let related = searched(all).iter().filter_map(|other| match &other.kind {
            EffectKind::Exec { program, argv, .. }
                if other.span == effect.span
                    || *program == tool
                    || matches!(program.as_str(), "cd" | "pushd" | "export") =>
            {
                Some(argv.join(" "))
            }
            _ => None,
        });
        // That of a test says no more of what it works on than that of a build.
        let own = Some(self.name.to_owned()).filter(|_| !self.unasked() || self.is_test);
        let said: String = related.chain(own).collect::<Vec<_>>().join(" ");
        // Each destruction is compared with every other command of the script.
        if !work::charge(all.len() + said.len()) || is_production(&said) {
            return false;
        }
        let manual = ["workflow_dispatch", "when: manual", "pull_request", "merge_request", "schedule"];
        let pipeline = self.runs == Runs::InPipeline || self.whole.contains("self-hosted");
        let asks =
            ["read -p", "read -r", "getopts", "select ", "input("].iter().any(|ask| self.text.contains(ask));
        let given = said.contains(['*', '$']) || self.text.contains("$1") || self.text.contains("${1");
        is_passing(&said)
            || pipeline && (is_passing(self.whole) || manual.iter().any(|word| self.whole.contains(word)))
            || self.purpose != Purpose::Everyday && (asks || given)
    }

    fn database(&self, operation: &str, object: &str, certain: bool) -> Option<String> {
        if is_for_tests(operation, object) || self.purpose == Purpose::Removal {
            return None;
        }
        let place = place_of(object);
        let loses = ["drop", "truncate", "delete-all", "drop-column", "reset"].contains(&operation);
        if is_production(place) && (loses || operation == "drop-database") {
            return Some(format!("deletes data in production: {object}"));
        }
        if operation != "drop-database" || !self.here() {
            return None;
        }
        let counts = match self.purpose {
            Purpose::Everyday if is_unknown(object) => !self.names_test_database(),
            Purpose::Everyday if certain && !self.is_test => true,
            _ => is_elsewhere(place),
        };
        counts.then(|| format!("deletes a whole database: {object}"))
    }

    /// The code says that the database it is given is one for tests, or lets the tests' own settings say which it is.
    fn names_test_database(&self) -> bool {
        let text = self.whole.to_ascii_lowercase();
        let named =
            ["test_database", "test_db", "testdb", "database_url_test", "db_test", "_test", ".env.test"];
        let own = [
            "\".env\"",
            "'.env'",
            "load_dotenv()",
            "dotenv/config",
            "dotenv.config()",
            "source .env",
            ". .env",
            ". ./.env",
        ];
        named.iter().any(|name| text.contains(name))
            || self.is_test && !own.iter().any(|own| text.contains(own))
    }

    fn history(&self, operation: &str, how: Rewrite, remote: &str, branch: &str) -> Option<String> {
        let said = Some(format!("rewrites history (`{operation}`)"));
        if self.purpose == Purpose::Removal || self.is_test {
            return None;
        }
        match how {
            Rewrite::Local if self.unasked() && self.here() => said,
            Rewrite::Forced | Rewrite::Deleted => {
                // What has just been made has no history, and a platform is deployed to by force.
                let own = self.text.contains("git init") || !is_shared(remote);
                let known = !branch.is_empty() && branch != "*";
                let protected = is_protected_branch(branch) && (known || self.unasked() && self.here());
                said.filter(|_| protected && !own)
            }
            _ => None,
        }
    }

    fn weakens(&self, protection: Protection, how: &str) -> Option<String> {
        if self.purpose == Purpose::Removal {
            return None;
        }
        let always = ["firewall", "second root"];
        let off = ["SELinux", "confinement", "a security service", "checks of programs"];
        let counts = protection == Protection::Firewall
            || always.iter().any(|word| how.contains(word))
            || self.purpose != Purpose::Setup && off.iter().any(|word| how.contains(word));
        let what = if protection == Protection::Firewall { "the firewall " } else { "" };
        counts.then(|| format!("weakens security ({what}{how})"))
    }
}

/// A whole machine or a home, or one of the folders that a system consists of.
fn is_everything(place: &Place, recursive: bool) -> bool {
    let whole = ["/etc", "/usr", "/bin", "/sbin", "/lib", "/lib64", "/boot", "/var", "/home", "/root"];
    let root = place.root && (recursive || place.pattern) && place.zone >= Zone::Home;
    let part = recursive && whole.contains(&place.path.as_str());
    root || part
        || place.pattern
            && (place.path.starts_with("/*")
                || whole
                    .iter()
                    .any(|folder| place.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("/*"))))
}

/// A remote that others build on, and no platform.
fn is_shared(remote: &str) -> bool {
    let platforms = ["heroku", "dokku", "piku", "gigalixir", "deploy", "pages", "live", "mirror", "backup"];
    !platforms.iter().any(|name| remote.contains(name))
}

/// Does nothing say which database it is?
fn is_unknown(object: &str) -> bool {
    let place = place_of(object);
    place.contains('*') || !object.contains(" in ") && object.contains("public")
}

/// A database on another machine.
fn is_elsewhere(place: &str) -> bool {
    let place = place.rsplit_once(" on ").map_or(place, |(_, host)| host);
    let host = place.split_once("://").map_or(place, |(_, rest)| rest);
    let host = host
        .rsplit_once('@')
        .map_or(host, |(_, host)| host)
        .split(['/', ':', ' '])
        .next()
        .unwrap_or_default();
    host.contains('.')
        && !host.contains('*')
        && !host.starts_with("127.")
        && !host.ends_with(".local")
        && !host.ends_with(".db")
        && !host.ends_with(".sqlite3")
}

fn is_passing(text: &str) -> bool {
    words(text).iter().any(|word| PASSING.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit())))
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && small {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn shown(place: &Place) -> &str {
    if place.shown.is_empty() { &place.path } else { &place.shown }
}
