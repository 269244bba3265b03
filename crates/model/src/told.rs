//! Effects in plain words, for people: "deletes `/home/me/x` and everything in it".

use std::borrow::Cow;

use crate::{
    Audience, Carried, Certainty, CodeSource, Effect, EffectKind, EnvUse, InfraTool, Lasting, Loss, Mark,
    NetDirection, Place, PrivateData, ProcessAction, Protection, Rewrite, Tampered, WriteMode, Zone,
};

impl Effect {
    /// What would happen, as a sentence without a subject or a full stop.
    #[must_use]
    pub fn told(&self) -> String {
        let text = self.kind.told();
        match self.certainty {
            Certainty::Possible if matches!(self.kind, EffectKind::Opaque { .. }) => text,
            Certainty::Certain => text,
            Certainty::Possible => format!("possibly {text}"),
            Certainty::Budget => format!("{text} (the analysis stopped here)"),
        }
    }
}

impl EffectKind {
    /// What would happen, as a sentence without a subject or a full stop.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Read { place, recursive } => {
                format!("reads {}{}", path(place), at(place, *recursive))
            }
            Self::Write { place, mode, .. } => format!("{} {}{}", writing(*mode), path(place), zone(place)),
            Self::Delete { place, recursive, .. } => {
                format!("deletes {}{}", path(place), at(place, *recursive))
            }
            Self::Permission { place, to, recursive } => {
                let with = if *recursive { " and everything in it" } else { "" };
                format!("sets the permissions or owner of {}{with} to `{to}`{}", path(place), zone(place))
            }
            Self::Alter { place, folder: true } => format!("makes the folder {}{}", path(place), zone(place)),
            Self::Alter { place, .. } => format!("changes {}{}", path(place), zone(place)),
            Self::Device { place } => format!("writes directly to the device {}", path(place)),
            Self::Exec { program, source, .. } => running(program, *source),
            Self::Net { host, direction, carries } => network(host, *direction, carries),
            Self::WorkLoss { operation, kind, lost, .. } => losing(operation, *kind, lost),
            Self::HistoryRewrite { operation, how, remote, branch } => {
                rewriting(operation, *how, remote, branch)
            }
            Self::Publish { target: Audience::ForeignRemote(address) } => {
                format!("pushes to `{address}`, which is not a remote of the repository")
            }
            Self::Publish { target } => format!("publishes to {}", target.told()),
            Self::Install { manager, package, .. } => installing(manager, package),
            Self::Infra { tool, operation, target } => {
                format!("changes infrastructure: {}", spaced(&[tool.name(), operation, target]))
            }
            Self::Database { operation, object } if operation == Self::DATABASE_USE => {
                format!("uses a database: {object}")
            }
            Self::Database { operation, object } => {
                format!("changes a database: {}", spaced(&[operation, object]))
            }
            Self::Process { action, target } => signalling(action, target),
            Self::Privilege { how } => format!("gains rights: {how}"),
            Self::Persist { .. } => format!("stays after the session: {}", self.what().unwrap_or_default()),
            Self::Tamper { .. } => format!("tampers with {}", self.what().unwrap_or_default()),
            Self::Weaken { .. } => format!("weakens {}", self.what().unwrap_or_default()),
            Self::EnvRead { what } => reading_environment(what),
            Self::Spawn { agent } if agent.is_empty() => "starts another agent".to_owned(),
            Self::Spawn { agent } => format!("starts another agent: {agent}"),
            Self::Private { what, shown } => {
                format!("sends to the model: {}", spaced(&[&what.told(), shown]))
            }
            Self::Leaves { place, mark } => format!("leaves {}{}", path(place), left(mark)),
            Self::Recalls { place, mark } => {
                format!("runs {}, left by an earlier call{}", path(place), left(mark))
            }
            Self::Opaque { why } => format!("cannot be understood: {why}"),
        }
    }
}

impl EffectKind {
    /// What lasts, is tampered with or is weakened, in words; nothing for other effects. Conditions of policies read it.
    #[must_use]
    pub fn what(&self) -> Option<String> {
        Some(match self {
            Self::Persist { kind, what } => spaced(&[kind.told(), what]),
            Self::Tamper { target, what } => spaced(&[target.told(), what]),
            Self::Weaken { protection, how } => spaced(&[protection.told(), how]),
            _ => return None,
        })
    }
}

impl Audience {
    /// Who it is, in words.
    #[must_use]
    pub fn told(&self) -> Cow<'_, str> {
        match self {
            Self::Registry(name) => Cow::Owned(format!("the {name} registry")),
            Self::ForeignRemote(address) => Cow::Owned(format!("git push to {address}")),
            Self::Other(who) => Cow::Borrowed(who),
        }
    }
}

impl Carried {
    /// What it is, in words.
    #[must_use]
    pub fn told(&self) -> Cow<'_, str> {
        let plain = match self {
            Self::Secret => "secret data",
            Self::Environment => "the environment",
            Self::FileData => "the content of files",
            Self::FileInAddress => "the content of files, in the address",
            Self::Output => "the output of a command",
            Self::Variable => "the value of a variable",
            Self::Shell => "control of a shell",
            Self::Named(name) => name,
            Self::Credential(kind) => return Cow::Owned(format!("a credential: {kind}")),
            Self::Encoded(value) => return Cow::Owned(format!("in the address, encoded: {value}")),
            Self::InHostName(what) => return Cow::Owned(format!("in the host name: {}", what.told())),
            Self::Tunnel(program) => return Cow::Owned(format!("a way into this machine: {program}")),
        };
        Cow::Borrowed(plain)
    }
}

impl InfraTool {
    /// Its name, or what stands for it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::RemoteShell => "a remote shell",
            Self::WebRequest => "a web request",
            Self::Named(name) => name,
        }
    }
}

impl PrivateData {
    /// What it is, in words.
    #[must_use]
    pub fn told(self) -> Cow<'static, str> {
        match self {
            Self::Email => Cow::Borrowed("an e-mail address"),
            Self::Card => Cow::Borrowed("a card number"),
            Self::SocialSecurity => Cow::Borrowed("a social security number"),
            Self::Phone => Cow::Borrowed("a phone number"),
            Self::Credential(kind) => Cow::Owned(format!("a credential: {kind}")),
        }
    }
}

impl Lasting {
    /// What kind of thing it is, before its name.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::StartupFile => "the start-up file",
            Self::AccessFile => "the access file",
            Self::Job => "a job of",
            Self::AutoRunFile => "the automatically run file",
            Self::Script => "the script",
            Self::HiddenText => "the hidden text in",
            Self::Instructions => "the instructions in",
            Self::AgentPrompt => "the instructions in the prompt for another agent,",
            Self::GlobalGitSetting => "git config --global",
            Self::GitSetting => "git config",
            Self::Process => "a process started by",
        }
    }
}

impl Protection {
    /// What protects, before how it is weakened.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::Machine | Self::Certificates => "this machine:",
            Self::Firewall => "the firewall",
            Self::PackageIndex => "the package index",
            Self::AgentSettings => "the settings of a coding agent:",
            Self::AgentApprovals => "the approvals of a coding agent:",
            Self::AgentSandbox => "the agent's sandbox, for this call",
            Self::GitHooks => "the repository's git hooks",
            Self::GitCertificates => "git's check of TLS certificates",
            Self::Other => "",
        }
    }
}

impl Tampered {
    /// Whose part it is, before the part; the gate's parts say so themselves.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::AgentControl => "the controls of a coding agent:",
            Self::Gate => "",
        }
    }
}

impl Zone {
    /// What kind of place it is, in plain words.
    #[must_use]
    pub fn told(self) -> &'static str {
        match self {
            Self::Unknown => "unknown place",
            Self::Temp => "temporary",
            Self::Workspace => "project",
            Self::OtherProject => "outside the project",
            Self::Home => "your home",
            Self::System => "system",
            Self::AgentConfig => "a coding agent's settings",
            Self::Secret => "secret",
        }
    }
}

fn path(place: &Place) -> String {
    match place.path.as_str() {
        "" => "an unknown place".to_owned(),
        path => format!("`{path}`"),
    }
}

fn zone(place: &Place) -> String {
    if place.path.is_empty() { String::new() } else { format!(" ({})", place.zone.told()) }
}

fn at(place: &Place, recursive: bool) -> String {
    let with = if recursive { " and everything in it" } else { "" };
    format!("{with}{}", zone(place))
}

fn writing(mode: WriteMode) -> &'static str {
    match mode {
        WriteMode::Overwrite | WriteMode::Create => "writes",
        WriteMode::Append => "adds to",
        WriteMode::Edit => "changes",
    }
}

fn running(program: &str, source: CodeSource) -> String {
    match source {
        CodeSource::Literal => format!("runs `{program}`"),
        CodeSource::File if program == "code" => "runs code from a file".to_owned(),
        CodeSource::File => format!("runs the file `{program}`"),
        CodeSource::Downloaded => "runs code from the network".to_owned(),
        CodeSource::Decoded => "runs decoded code".to_owned(),
        CodeSource::Variable => "runs code that is known only at run time".to_owned(),
    }
}

fn network(host: &str, direction: NetDirection, carries: &[Carried]) -> String {
    let host = if host.is_empty() { "an unknown host".to_owned() } else { format!("`{host}`") };
    match direction {
        NetDirection::In => format!("fetches from {host}"),
        NetDirection::Out if carries.is_empty() => format!("talks to {host}"),
        NetDirection::Out => {
            // Only the first few are shown.
            let told: Vec<String> = carries.iter().map(|what| what.told().into_owned()).collect();
            format!("sends to {host}: {}", some(&told))
        }
    }
}

fn losing(operation: &str, kind: Loss, lost: &[String]) -> String {
    let what = match kind {
        Loss::Files => "uncommitted changes",
        Loss::Commits => "commits without another reference",
        Loss::Stash => "stashed work",
        Loss::WorkTree => "a worktree with uncommitted work",
    };
    let list = if lost.is_empty() { String::new() } else { format!(": {}", some(lost)) };
    format!("loses {what} (`{operation}`){list}")
}

fn rewriting(operation: &str, how: Rewrite, remote: &str, branch: &str) -> String {
    let branch = match branch {
        "" => "an unknown branch".to_owned(),
        "*" => "every branch".to_owned(),
        name => format!("`{name}`"),
    };
    let remote = if remote.is_empty() { String::new() } else { format!(" at `{remote}`") };
    match how {
        Rewrite::Forced => format!("overwrites {branch}{remote} (`{operation}`)"),
        Rewrite::Leased => format!("overwrites {branch}{remote} unless others have pushed (`{operation}`)"),
        Rewrite::Deleted => format!("deletes {branch}{remote} (`{operation}`)"),
        Rewrite::Local => format!("rewrites the history of this repository (`{operation}`)"),
    }
}

fn installing(manager: &str, package: &str) -> String {
    match package {
        "" => format!("installs the dependencies of the project with `{manager}`"),
        package => format!("installs `{package}` with `{manager}`"),
    }
}

fn signalling(action: &ProcessAction, target: &str) -> String {
    match action {
        ProcessAction::Power => "shuts down or restarts the machine".to_owned(),
        ProcessAction::ForkBomb => format!("starts `{target}` without end"),
        ProcessAction::FillDisk => format!("fills the disk with `{target}`"),
        ProcessAction::Signal(_) | ProcessAction::Trace => {
            format!("signals processes: {}", spaced(&[action.name(), target]))
        }
    }
}

fn reading_environment(what: &EnvUse) -> String {
    let each = |does: &str, names: &[String]| {
        let told: Vec<String> = names.iter().map(|name| format!("{does} `{name}`")).collect();
        told.join(", ")
    };
    match what {
        EnvUse::All => "prints every environment variable".to_owned(),
        EnvUse::Used(names) => each("reads the variable", names),
        EnvUse::Printed(names) => each("prints the secret variable", names),
        EnvUse::Store(store) => format!("reads secrets from {store}"),
    }
}

fn left(mark: &Mark) -> String {
    match mark {
        Mark::Downloaded => ", which came from the network".to_owned(),
        Mark::Cloned => ", which was cloned from a forge".to_owned(),
        Mark::Decoded => ", which was decoded from unreadable data".to_owned(),
        Mark::Secret => ", which was made from a secret".to_owned(),
        Mark::Claim => ", which marks a folder as build output".to_owned(),
        Mark::Remote(_) => ", a remote that this session has added".to_owned(),
        Mark::Known => ", which is known to be harmless".to_owned(),
        Mark::Dangerous(what) => format!(", which {what} when it runs"),
        Mark::Text(_) => " with known content".to_owned(),
        Mark::Shape(_) => " with partly known content".to_owned(),
        Mark::Link(target) => format!(", a link to `{target}`"),
        Mark::Copy(program) => format!(", a copy of `{program}`"),
        Mark::Moved(from) => format!(", work that was moved from `{from}`"),
        Mark::Edited => ", with unknown changes".to_owned(),
        Mark::Gone => " with unknown content".to_owned(),
    }
}

fn spaced(words: &[&str]) -> String {
    let words: Vec<&str> = words.iter().copied().filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn some(names: &[String]) -> String {
    const MOST: usize = 4;
    let first: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    match names.len().saturating_sub(MOST) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Audience, EffectKind, EnvUse, Loss, NetDirection, ProcessAction, Rewrite};

    #[test]
    fn effects_read_as_sentences() {
        let text = |text: &str| text.to_owned();
        let loss = |lost: &[&str]| EffectKind::WorkLoss {
            operation: text("git reset --hard"),
            kind: Loss::Files,
            lost: lost.iter().map(|name| text(name)).collect(),
            root: String::new(),
        };
        let push = |branch: &str, how| EffectKind::HistoryRewrite {
            operation: text("git push"),
            how,
            remote: text("origin"),
            branch: text(branch),
        };
        let net =
            |host: &str, direction| EffectKind::Net { host: text(host), direction, carries: Vec::new() };
        for (kind, told) in [
            (loss(&[]), "loses uncommitted changes (`git reset --hard`)"),
            (
                loss(&["a", "b", "c", "d", "e"]),
                "loses uncommitted changes (`git reset --hard`): a, b, c, d and 1 more",
            ),
            (push("main", Rewrite::Forced), "overwrites `main` at `origin` (`git push`)"),
            (push("*", Rewrite::Deleted), "deletes every branch at `origin` (`git push`)"),
            (net("", NetDirection::In), "fetches from an unknown host"),
            (net("a.test", NetDirection::Out), "talks to `a.test`"),
            (EffectKind::EnvRead { what: EnvUse::All }, "prints every environment variable"),
            (
                EffectKind::EnvRead { what: EnvUse::Printed(vec![text("TOKEN")]) },
                "prints the secret variable `TOKEN`",
            ),
            (EffectKind::EnvRead { what: EnvUse::Used(vec![text("HOME")]) }, "reads the variable `HOME`"),
            (
                EffectKind::Process { action: ProcessAction::signal("-9"), target: text("1") },
                "signals processes: -9 1",
            ),
            (
                EffectKind::Install { manager: text("npm"), package: String::new(), runs: false },
                "installs the dependencies of the project with `npm`",
            ),
            (
                EffectKind::Publish { target: Audience::ForeignRemote(text("a.test")) },
                "pushes to `a.test`, which is not a remote of the repository",
            ),
        ] {
            assert_eq!(kind.told(), told);
        }
    }
}
