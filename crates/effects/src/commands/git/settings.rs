//! Settings for one run: `-c`, `--config-env`, the environment, and what earlier commands of the call set.
//! Many of git's settings are commands that it runs.

use tollgate_model::git::Config;
use tollgate_model::{Certainty, EffectKind, FileKind, Protection};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Taint, Value};

use super::{Git, exported, variable};
use crate::commands::{interpreters, loads, screens};
use crate::options::Options;
use crate::word::Word;

/// Where settings that the call itself made are kept.
const CONFIG: &str = "/\0git-config";

/// What a setting does when git uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Git runs it as a command.
    Command,
    /// Git runs it as a command when it starts with `!` or `/`.
    Helper,
    /// Git runs the hooks in it.
    Hooks,
    /// Git copies hooks from it into new repositories.
    Template,
    /// Git reads more settings from it.
    Include,
    /// Turns the check of certificates off when it is false.
    Tls,
    /// Lets git run commands for addresses.
    Transports,
}

/// What a key means, written `section.subsection.name`, section and name in lower case.
pub(super) fn use_of(key: &str) -> Option<Use> {
    let (section, rest) = key.split_once('.')?;
    let (sub, name) = rest.rsplit_once('.').map_or((None, rest), |(sub, name)| (Some(sub), name));
    let found = match (section, sub.is_some(), name) {
        (
            "core",
            false,
            "pager" | "editor" | "sshcommand" | "askpass" | "gitproxy" | "alternaterefscommand" | "fsmonitor",
        )
        | ("sequence", false, "editor")
        | ("interactive", false, "difffilter")
        | ("diff", false, "external")
        | ("diff", true, "command" | "textconv")
        | ("merge", true, "driver")
        | ("filter", true, "clean" | "smudge" | "process")
        | ("difftool" | "mergetool" | "browser" | "man" | "guitool", true, "cmd" | "path")
        | ("gpg", _, "program" | "defaultkeycommand")
        | ("pager", _, _)
        | ("uploadpack", false, "packobjectshook")
        | ("remote", true, "uploadpack" | "receivepack" | "vcs")
        | ("sendemail", _, "sendmailcmd" | "tocmd" | "cccmd" | "headercmd")
        | ("trailer", true, "command" | "cmd")
        | ("tar", true, "command")
        | ("instaweb", false, "httpd" | "browser")
        | ("lfs", true, "path")
        | ("imap", _, "tunnel") => Use::Command,
        ("credential", _, "helper") | ("submodule", true, "update") | ("sendemail", _, "smtpserver") => {
            Use::Helper
        }
        ("core", false, "hookspath") => Use::Hooks,
        ("init", false, "templatedir") => Use::Template,
        ("include" | "includeif", _, "path") => Use::Include,
        ("http", _, "sslverify" | "proxysslverify") => Use::Tls,
        ("protocol", _, "allow") => Use::Transports,
        _ => return None,
    };
    Some(found)
}

/// Programs that a setting may name without being suspect: editors, pagers, and what git is set up with.
const ORDINARY: &[&str] = &[
    "",
    "true",
    "false",
    ":",
    "cat",
    "less",
    "more",
    "most",
    "delta",
    "bat",
    "diff-so-fancy",
    "difft",
    "vim",
    "vi",
    "nvim",
    "nano",
    "pico",
    "emacs",
    "emacsclient",
    "code",
    "code-insiders",
    "cursor",
    "codium",
    "subl",
    "micro",
    "hx",
    "kak",
    "zed",
    "idea",
    "ed",
    "ssh",
    "gpg",
    "gpg2",
    "git-lfs",
    "vimdiff",
    "nvimdiff",
    "meld",
    "opendiff",
    "kdiff3",
];

/// Is the value the name of a well-known program with plain arguments?
pub(super) fn is_ordinary(value: &Word) -> bool {
    let Some(text) = value.literal() else { return false };
    let lower = text.to_ascii_lowercase();
    let first = text.split_whitespace().next().unwrap_or_default();
    let folders = ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];
    let name = folders.iter().find_map(|folder| first.strip_prefix(folder)).unwrap_or(first);
    let forwards = |word: &str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        letters.starts_with(['R', 'L', 'D', 'w', 'W', 'F', 'N', 'f'])
    };
    let told = |name: &str| matches!(name, "vim" | "vi" | "nvim" | "emacs") && !screens::is_plain(text);
    ORDINARY.contains(&name)
        && !told(name)
        && !(name == "ssh" && (lower.contains("forward") || text.split_whitespace().any(forwards)))
        && !text.contains([';', '|', '&', '$', '`', '>', '<', '!', '(', '\n'])
        && !["proxycommand", "localcommand", "knownhostscommand"].iter().any(|word| lower.contains(word))
}

/// What earlier commands of the call set.
pub(super) fn inherited(shell: &Shell) -> Config {
    let mut config = Config::default();
    let written = shell.file(&Value::text(CONFIG));
    for line in written.iter().flat_map(|written| written.value.literals()).flat_map(|text| text.split('\0'))
    {
        if let Some((key, value)) = line.split_once('\n') {
            config.add(key, value);
        }
    }
    config
}

/// Remembers a setting for later commands of the call.
pub(super) fn remember(shell: &mut Shell, key: &str, value: &str) {
    let path = Value::text(CONFIG);
    let before = shell
        .file(&path)
        .and_then(|written| written.value.as_literal().map(str::to_owned))
        .unwrap_or_default();
    shell.write_file(&path, &Value::text(&format!("{before}{key}\n{value}\0")), false);
}

/// Values that mean no, as git reads them.
pub(super) fn is_false(value: &str) -> bool {
    ["false", "no", "off", "0", ""].iter().any(|no| value.eq_ignore_ascii_case(no))
}

impl Git<'_, '_, '_> {
    /// Settings on the command line.
    pub(super) fn given(&mut self, options: &Options) {
        let settings: Vec<Word> = options.values("c").cloned().collect();
        settings.iter().for_each(|word| self.assigned(word));
        let named: Vec<Word> = options.values("config-env").cloned().collect();
        for word in named {
            let (key, name) = split(&word);
            let unknown = || Word { text: Value::output(Taint::NONE).any.remove(0), ..word.clone() };
            let value = name.and_then(|name| variable(self.run, &name.shown())).unwrap_or_else(unknown);
            self.setting(&key, &value);
        }
        if let Some(folder) = options.value("exec-path").filter(|folder| !folder.is("")).cloned() {
            self.foreign_commands(&folder);
        }
    }

    /// `name=value`, as `-c` and `clone --config` take it.
    pub(super) fn assigned(&mut self, word: &Word) {
        match split(word) {
            (key, Some(value)) => self.setting(&key, &value),
            (key, None) if word.literal().is_some() => {
                self.setting(&key, &Word::literal_at("true", word.span))
            }
            _ => self.run.analyst.opaque("a git setting is known only at run time", word.span),
        }
    }

    /// Settings that the call itself has written into the file of the repository.
    pub(super) fn written_here(&mut self) {
        let span = self.run.call.span;
        let named = self.git_dir.clone().unwrap_or_else(|| Word::literal_at(".git", span));
        let mut file = named;
        file.text.push_str("/config");
        let written = self.run.shell.file(&file.value());
        if written.is_some_and(|written| written.value.any.iter().any(|text| text.bytes() > 0)) {
            self.include(&file);
        }
    }

    /// Settings in the environment.
    pub(super) fn environment(&mut self) {
        if variable(self.run, "GIT_SSL_NO_VERIFY").is_some_and(|value| !is_false(&value.shown())) {
            self.push(
                EffectKind::Weaken { protection: Protection::GitCertificates, how: String::new() },
                Certainty::Certain,
            );
        }
        if let Some(folder) = variable(self.run, "GIT_EXEC_PATH").filter(|folder| !folder.is("")) {
            self.foreign_commands(&folder);
        }
        if let Some(folder) = variable(self.run, "GIT_TEMPLATE_DIR") {
            self.setting("init.templatedir", &folder);
        }
        for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
            if let Some(file) = variable(self.run, name) {
                self.setting("include.path", &file);
            }
        }
        if variable(self.run, "GIT_CONFIG_PARAMETERS").is_some_and(|value| !value.is("")) {
            self.run.analyst.opaque("`GIT_CONFIG_PARAMETERS` gives git other settings", self.run.call.span);
        }
        let count = exported(self.run.shell, "GIT_CONFIG_COUNT")
            .and_then(|count| count.as_literal()?.parse::<u32>().ok());
        for at in 0..count.unwrap_or_default().min(64) {
            let key = variable(self.run, &format!("GIT_CONFIG_KEY_{at}"));
            let value = variable(self.run, &format!("GIT_CONFIG_VALUE_{at}"));
            if let (Some(key), Some(value)) = (key, value) {
                self.setting(&key.shown(), &value);
            }
        }
    }

    /// A setting in force for this run: what it runs is run.
    pub(super) fn setting(&mut self, key: &str, value: &Word) {
        let mut config = Config::default();
        config.add(key, &value.shown());
        let key = config.iter().next().map(|(key, _)| key.to_owned()).unwrap_or_default();
        if key.starts_with("alias.") && value.literal().is_none() {
            self.run.analyst.dynamic_code(value.taint, value.span);
        }
        self.settings.add(&key, &value.shown());
        match use_of(&key) {
            Some(Use::Command) if !is_ordinary(value) => {
                let mut code = value.clone();
                if key == "core.sshcommand" && value.text.prefix().starts_with("ssh") {
                    // Git puts the host behind it.
                    code.text.push_str(" git.host");
                }
                self.code(&code);
                loads::tool(self.run, &key, &value.value());
            }
            Some(Use::Helper) => self.helper(value),
            Some(Use::Hooks) => self.hooks_in(value, ""),
            Some(Use::Template) => {
                loads::load(self.run, value);
                self.hooks_in(value, "/hooks");
            }
            Some(Use::Include) => self.include(value),
            Some(Use::Tls) if is_false(&value.shown()) => {
                self.push(
                    EffectKind::Weaken { protection: Protection::GitCertificates, how: String::new() },
                    Certainty::Certain,
                );
            }
            Some(Use::Transports) if value.is("always") => {
                let how = "git's ban on addresses that are commands".into();
                self.push(EffectKind::Weaken { protection: Protection::Other, how }, Certainty::Certain);
            }
            _ => {}
        }
    }

    fn helper(&mut self, value: &Word) {
        match value.text.prefix().chars().next() {
            Some('!') => drop(self.code(&value.from(1))),
            Some('/') => {
                self.code(value);
                loads::tool(self.run, "credential.helper", &value.value());
            }
            None if value.literal().is_none() => self.run.analyst.dynamic_code(value.taint, value.span),
            _ => {}
        }
    }

    /// Hooks in a folder are run as far as they can be read. A folder without any keeps the repository's own
    /// from running.
    pub(super) fn hooks_in(&mut self, folder: &Word, below: &str) {
        if matches!(folder.literal(), Some("" | "/dev/null")) && below.is_empty() {
            // Fetching, say, runs none that check anything.
            if CHECKED.contains(&self.verb.as_str()) {
                self.skips_hooks();
            }
            return;
        }
        for name in HOOKS {
            let mut file = folder.clone();
            file.text.push_str(&format!("{below}/{name}"));
            if self.exists(&file) {
                interpreters::file(self.run, &file, &[]);
            }
        }
    }

    /// Is there such a file, on disk or made by this call?
    pub(super) fn exists(&self, file: &Word) -> bool {
        self.run.shell.file(&file.value()).is_some()
            || self.path(file).is_some_and(|path| self.run.analyst.world.kind(&path) == FileKind::File)
    }

    fn include(&mut self, file: &Word) {
        let Some(text) = self.run.analyst.script(file, self.run.shell) else {
            return loads::load(self.run, file);
        };
        let mut config = Config::default();
        match text.as_literal() {
            Some(text) => config.parse(text),
            None => self.run.analyst.opaque("git settings are known only at run time", file.span),
        }
        for (key, value) in config.iter() {
            if use_of(key) != Some(Use::Include) {
                self.setting(key, &Word::literal_at(value, file.span));
            }
        }
    }

    fn foreign_commands(&mut self, folder: &Word) {
        let why = format!("git would run its commands from `{}`", folder.shown());
        self.run.analyst.opaque(why, folder.span);
    }
}

/// Verbs that a hook may refuse.
const CHECKED: &[&str] = &["commit", "push", "merge", "rebase", "am", "cherry-pick", "revert", "pull"];

/// Hooks that a client runs.
const HOOKS: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-merge-commit",
    "post-merge",
    "pre-rebase",
    "post-rewrite",
    "post-checkout",
    "pre-push",
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "reference-transaction",
    "post-index-change",
    "fsmonitor-watchman",
    "pre-auto-gc",
    "push-to-checkout",
];

/// `name=value`: the name, and the value if there is one.
fn split(word: &Word) -> (String, Option<Word>) {
    let prefix = word.text.prefix();
    // The name may hold `=` only in its subsection, which git cannot tell either: the first one counts.
    match prefix.split_once('=') {
        Some((key, _)) => (key.to_owned(), Some(word.after('='))),
        None => (prefix.to_owned(), None),
    }
}
