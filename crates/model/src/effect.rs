use crate::{Mark, Span};

/// One thing a call would do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// What.
    pub kind: EffectKind,
    /// The words it comes from.
    pub span: Span,
    /// How certain it is.
    pub certainty: Certainty,
}

/// How certain an effect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// The analysis stopped here.
    Budget,
    /// Depends on a value not known before it runs.
    Possible,
    /// It will happen if the command runs.
    Certain,
}

/// A path with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Absolute, lexically normal, links on disk followed. Holds `*` where a pattern or a hole is.
    pub path: String,
    /// As it stood in the source.
    pub shown: String,
    /// What kind of place it is.
    pub zone: Zone,
    /// It holds a pattern or an unknown part: stands for any path that matches.
    pub pattern: bool,
    /// It is, or holds, something that nothing brings back: the root, a home, the workspace itself, `.git`.
    pub root: bool,
}

/// Kinds of places. Ordered: where several fit, the most protected wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Zone {
    /// Nothing is known about the path.
    Unknown,
    /// Temporary directories and caches.
    Temp,
    /// The session's project.
    Workspace,
    /// Another repository or folder of the user.
    OtherProject,
    /// The home directory itself and what lies in it.
    Home,
    /// The root, `/etc`, `/usr`, devices, other users' homes.
    System,
    /// Settings of a coding agent.
    AgentConfig,
    /// Keys, credentials, environment files.
    Secret,
}

impl Zone {
    /// Its name in the log and in explanations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Temp => "temp",
            Self::Workspace => "workspace",
            Self::OtherProject => "other-project",
            Self::Home => "home",
            Self::System => "system",
            Self::AgentConfig => "agent-config",
            Self::Secret => "secret",
        }
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteMode {
    /// Made, or replaced.
    Overwrite,
    /// Made where there is none; one that is there stays as it is.
    Create,
    /// Added to.
    Append,
    /// Changed in place.
    Edit,
}

/// Where code that runs comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeSource {
    /// It stands in the call.
    Literal,
    /// A file on disk.
    File,
    /// The network.
    Downloaded,
    /// Decoded from something unreadable.
    Decoded,
    /// A value not known before it runs.
    Variable,
}

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetDirection {
    /// Fetched.
    In,
    /// Sent.
    Out,
}

/// What kind of work is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// Files, or changes in them, that are not committed.
    Files,
    /// Commits that nothing else names.
    Commits,
    /// Entries of the stash.
    Stash,
    /// A work tree with what is not committed in it.
    WorkTree,
}

/// How history is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rewrite {
    /// A branch of a remote is replaced, whatever is on it.
    Forced,
    /// A branch of a remote is replaced if it is as it was last seen.
    Leased,
    /// A branch of a remote is deleted.
    Deleted,
    /// The history of this repository is changed, or what keeps old commits is dropped.
    Local,
}

/// What stays after the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lasting {
    /// A file that a shell, a session or a program reads whenever it starts.
    StartupFile,
    /// A file that lets somebody in or gives rights: keys for logins, sudo rules, preloaded code.
    AccessFile,
    /// Something that a timer or a service manager starts.
    Job,
    /// A file of a project that runs without being asked for.
    AutoRunFile,
    /// A script or recipe that does something grave when it runs.
    Script,
    /// A text with characters that nobody sees.
    HiddenText,
    /// Instructions for agents that turn them against their person.
    Instructions,
    /// The same, in the prompt for another agent.
    AgentPrompt,
    /// A setting of git for every repository of the user.
    GlobalGitSetting,
    /// A setting of git for one repository.
    GitSetting,
    /// A process that goes on after the call.
    Process,
}

/// What protects, and is weakened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protection {
    /// Rights and checks of the machine.
    Machine,
    /// The machine's checks of certificates: programs believe every server.
    Certificates,
    /// The machine's firewall.
    Firewall,
    /// Where packages come from.
    PackageIndex,
    /// Settings of a coding agent that do not decide what it may do.
    AgentSettings,
    /// The approvals of a coding agent that is started.
    AgentApprovals,
    /// The sandbox around the call itself.
    AgentSandbox,
    /// The hooks of a repository.
    GitHooks,
    /// Git's checks of certificates.
    GitCertificates,
    /// Something that no rule tells apart.
    Other,
}

/// What is tampered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tampered {
    /// What decides over a coding agent: hooks, permissions, environment, servers, transcripts.
    AgentControl,
    /// The gate itself.
    Gate,
}

/// What is read of the environment, or of what keeps secrets like it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EnvUse {
    /// All variables are printed.
    All,
    /// The values of these are used.
    Used(Vec<String>),
    /// These, which hold secrets, are printed.
    Printed(Vec<String>),
    /// A store of secrets is read.
    Store(String),
}

/// What goes out over the network.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Carried {
    /// Data from a place of secrets, or the value of a secret variable.
    Secret,
    /// All environment variables.
    Environment,
    /// What looks like a credential, of this kind.
    Credential(String),
    /// What is in files, without their names.
    FileData,
    /// The same, as a part of the address.
    FileInAddress,
    /// What a command printed.
    Output,
    /// The value of an unknown variable.
    Variable,
    /// A part of an address that looks like encoded data.
    Encoded(String),
    /// Something that is a part of the host name.
    InHostName(Box<Carried>),
    /// A shell whose input and output are the connection.
    Shell,
    /// A way for others into this machine, by this program.
    Tunnel(String),
    /// A file by its name, or something else in words.
    Named(String),
}

impl Carried {
    /// Something that is a part of the host name.
    #[must_use]
    pub fn in_host_name(self) -> Self {
        Self::InHostName(Box::new(self))
    }
}

impl From<String> for Carried {
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// Who can see what is made public.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Audience {
    /// Whoever uses a registry of packages: `npm`.
    Registry(String),
    /// Whoever reads an address that is no remote of the repository; empty when it is not known.
    ForeignRemote(String),
    /// Others, in words.
    Other(String),
}

/// What infrastructure is changed with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InfraTool {
    /// A command that runs on another machine.
    RemoteShell,
    /// A request to a service.
    WebRequest,
    /// A program or a server of tools, by its name.
    Named(String),
}

/// What is done to processes or to the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ProcessAction {
    /// A signal, or what sends it.
    Signal(String),
    /// The machine is shut down or restarted.
    Power,
    /// Processes are started without end.
    ForkBomb,
    /// A file is written without end.
    FillDisk,
    /// Looks into a process, or holds it up.
    Trace,
}

impl ProcessAction {
    /// A signal by its name.
    #[must_use]
    pub fn signal(name: &str) -> Self {
        Self::Signal(name.to_owned())
    }

    /// In conditions of policies: the signal, or `power`, `fork-bomb`, `fill`, `trace`.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Signal(name) => name,
            Self::Power => "power",
            Self::ForkBomb => "fork-bomb",
            Self::FillDisk => "fill",
            Self::Trace => "trace",
        }
    }
}

/// Something private that a prompt holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrivateData {
    /// An address of mail.
    Email,
    /// The number of a payment card.
    Card,
    /// A number of the United States' social security.
    SocialSecurity,
    /// A number that a person is called by.
    Phone,
    /// Something that looks like a credential, of this kind.
    Credential(&'static str),
}

/// The kinds of effects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EffectKind {
    /// Reads a file or a directory tree.
    Read {
        /// Which.
        place: Place,
        /// With everything below it.
        recursive: bool,
    },
    /// Writes a file.
    Write {
        /// Which.
        place: Place,
        /// How.
        mode: WriteMode,
        /// What goes in, when known.
        content: Option<String>,
    },
    /// Deletes.
    Delete {
        /// What.
        place: Place,
        /// With everything below it.
        recursive: bool,
        /// Only the name goes: what it held lies somewhere else.
        moved: bool,
    },
    /// Changes permissions or owner.
    Permission {
        /// Whose.
        place: Place,
        /// Mode or owner as written.
        to: String,
        /// With everything below it.
        recursive: bool,
    },
    /// Makes or changes a file or a folder, with nothing of the call's own in it. No rule minds that, but a way of
    /// working may.
    Alter {
        /// Which; with all below it when it is a folder that stands already.
        place: Place,
        /// Only a folder is made or taken away.
        folder: bool,
    },
    /// Writes to a device or makes a file system.
    Device {
        /// Which.
        place: Place,
    },
    /// Runs a program.
    Exec {
        /// Its name, without directory.
        program: String,
        /// All its words, as far as known.
        argv: Vec<String>,
        /// Where its code comes from.
        source: CodeSource,
    },
    /// Talks to the network.
    Net {
        /// To whom; empty when not known.
        host: String,
        /// Which way.
        direction: NetDirection,
        /// What it sends.
        carries: Vec<Carried>,
    },
    /// Loses work under version control.
    WorkLoss {
        /// The operation: `git reset --hard`.
        operation: String,
        /// What kind of work.
        kind: Loss,
        /// What is lost; empty when that could not be told.
        lost: Vec<String>,
        /// The top of the work tree, or the git directory of a repository without one; empty when not known.
        root: String,
    },
    /// Rewrites history, here or at a remote.
    HistoryRewrite {
        /// The operation: `git push --force`.
        operation: String,
        /// How.
        how: Rewrite,
        /// Where; empty for this repository.
        remote: String,
        /// Which branch or other ref; empty when not known, `*` for all of them.
        branch: String,
    },
    /// Makes something public.
    Publish {
        /// Where.
        target: Audience,
    },
    /// Installs software.
    Install {
        /// By which manager.
        manager: String,
        /// What.
        package: String,
        /// Its code is run at once, as `npx` does.
        runs: bool,
    },
    /// Changes infrastructure.
    Infra {
        /// The tool.
        tool: InfraTool,
        /// What it does.
        operation: String,
        /// To what.
        target: String,
    },
    /// Changes a database.
    Database {
        /// `drop`, `delete`, `truncate`, …
        operation: String,
        /// What.
        object: String,
    },
    /// Signals processes or the machine.
    Process {
        /// What is done.
        action: ProcessAction,
        /// Whom.
        target: String,
    },
    /// Gains rights.
    Privilege {
        /// How.
        how: String,
    },
    /// Stays after the session.
    Persist {
        /// What kind of thing.
        kind: Lasting,
        /// Which.
        what: String,
    },
    /// Touches the gate or the agent's own settings.
    Tamper {
        /// With the gate, or with what decides over an agent.
        target: Tampered,
        /// What of it.
        what: String,
    },
    /// Weakens protection.
    Weaken {
        /// Which protection.
        protection: Protection,
        /// How.
        how: String,
    },
    /// Reads environment variables, or a store of secrets.
    EnvRead {
        /// Which, and how.
        what: EnvUse,
    },
    /// Starts another agent.
    Spawn {
        /// Its type.
        agent: String,
    },
    /// Tells the agent something private, in a prompt.
    Private {
        /// What kind of thing.
        what: PrivateData,
        /// A masked form of it; never the value.
        shown: String,
    },
    /// Leaves a file that the session has to remember.
    Leaves {
        /// Which.
        place: Place,
        /// What is known about it.
        mark: Mark,
    },
    /// Runs a file that an earlier call of the session left.
    Recalls {
        /// Which.
        place: Place,
        /// What is known about it.
        mark: Mark,
    },
    /// Could not be understood.
    Opaque {
        /// Why.
        why: String,
    },
}

impl EffectKind {
    /// As the target of a signal: the process that started the agent's shell, which is the agent.
    pub const PARENT: &'static str = "$PPID";

    /// As the operation on a database: what a client does that is told nothing that changes anything.
    pub const DATABASE_USE: &'static str = "use";

    /// Every name that an effect may have.
    pub const NAMES: [&'static str; 25] = [
        "read",
        "write",
        "delete",
        "permission",
        "alter",
        "device",
        "exec",
        "net",
        "work-loss",
        "history-rewrite",
        "publish",
        "install",
        "infra",
        "database",
        "process",
        "privilege",
        "persist",
        "tamper",
        "weaken",
        "env-read",
        "spawn",
        "private",
        "leaves",
        "recalls",
        "opaque",
    ];

    /// Its name in the log, in explanations and in policy conditions.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Read { .. } => "read",
            Self::Write { .. } => "write",
            Self::Delete { .. } => "delete",
            Self::Permission { .. } => "permission",
            Self::Alter { .. } => "alter",
            Self::Device { .. } => "device",
            Self::Exec { .. } => "exec",
            Self::Net { .. } => "net",
            Self::WorkLoss { .. } => "work-loss",
            Self::HistoryRewrite { .. } => "history-rewrite",
            Self::Publish { .. } => "publish",
            Self::Install { .. } => "install",
            Self::Infra { .. } => "infra",
            Self::Database { .. } => "database",
            Self::Process { .. } => "process",
            Self::Privilege { .. } => "privilege",
            Self::Persist { .. } => "persist",
            Self::Tamper { .. } => "tamper",
            Self::Weaken { .. } => "weaken",
            Self::EnvRead { .. } => "env-read",
            Self::Spawn { .. } => "spawn",
            Self::Private { .. } => "private",
            Self::Leaves { .. } => "leaves",
            Self::Recalls { .. } => "recalls",
            Self::Opaque { .. } => "opaque",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EffectKind;

    #[test]
    fn every_name_is_listed() {
        let source = include_str!("effect.rs");
        let named: Vec<&str> = source
            .lines()
            .filter_map(|line| {
                line.trim().strip_prefix("Self::")?.split_once(" { .. } => \"")?.1.strip_suffix("\",")
            })
            .collect();
        assert_eq!(named, EffectKind::NAMES);
    }
}
