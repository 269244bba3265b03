use crate::{Effect, Event, Hit, Level, World};

/// A group of rules that a policy may take out together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the pack of the same name")]
pub enum Pack {
    Core,
    Git,
    Secrets,
    Exfiltration,
    Persistence,
    SelfProtection,
    SupplyChain,
    Cloud,
    Containers,
    Database,
    Prompt,
}

impl Pack {
    /// Every pack.
    pub const ALL: [Self; 11] = [
        Self::Core,
        Self::Git,
        Self::Secrets,
        Self::Exfiltration,
        Self::Persistence,
        Self::SelfProtection,
        Self::SupplyChain,
        Self::Cloud,
        Self::Containers,
        Self::Database,
        Self::Prompt,
    ];

    /// Its name in a policy file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Git => "git",
            Self::Secrets => "secrets",
            Self::Exfiltration => "exfiltration",
            Self::Persistence => "persistence",
            Self::SelfProtection => "self-protection",
            Self::SupplyChain => "supply-chain",
            Self::Cloud => "cloud",
            Self::Containers => "containers",
            Self::Database => "database",
            Self::Prompt => "prompt",
        }
    }
}

/// All that a rule may see.
pub struct Case<'a> {
    /// What happened.
    pub event: &'a Event,
    /// What the call would do.
    pub effects: &'a [Effect],
    /// The machine.
    pub world: &'a dyn World,
}

/// A pure judgement about a case. Says what it saw, never how bad that is.
pub trait Rule: Sync {
    /// Who it is.
    fn card(&self) -> &'static Card;
    /// What it sees.
    fn check(&self, case: &Case) -> Option<Hit>;
}

/// Everything about a rule but its matcher.
#[derive(Debug)]
pub struct Card {
    /// Named for what it catches: `git-force-push`.
    pub id: &'static str,
    /// Its pack.
    pub pack: Pack,
    /// How bad a certain hit is unless a policy says otherwise. At `save`, `otherwise` says how bad it is where the loss
    /// cannot be saved.
    pub level: Level,
    /// How bad a certain hit is that saving does not help against; the same as `level`, unless that is `save`.
    pub otherwise: Level,
    /// The most a hit that is only possible may lead to.
    pub unsure: Level,
    /// What it protects against and what to do instead, as Markdown.
    pub doc: &'static str,
    /// Commands to type instead. Each passes the gate.
    pub instead: &'static [&'static str],
    /// Why only a person can do it, as a sentence. Only where there is no such command.
    pub person: &'static str,
    /// Its tests and its documentation.
    pub examples: &'static [Example],
}

impl Card {
    /// Are its hits losses that a snapshot brings back? Only such a rule may be set to `save`.
    #[must_use]
    pub fn is_restorable(&self) -> bool {
        self.level == Level::Save
    }

    /// What it does, in one sentence: the first line of its documentation.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.doc.lines().next().unwrap_or_default().trim()
    }

    /// What it is for, without what to do instead.
    #[must_use]
    pub fn why(&self) -> String {
        let before = self.doc.split("## Instead").next().unwrap_or_default();
        lines(before)
    }

    /// What to do instead, in words.
    #[must_use]
    pub fn advice(&self) -> String {
        lines(self.doc.split_once("## Instead").map_or("", |(_, after)| after))
    }
}

fn lines(doc: &str) -> String {
    let lines: Vec<&str> = doc.lines().map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}

/// One example of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// True when the rule must see it.
    pub hit: bool,
    /// The tool class: `Shell`, `Read`, `Write`, …
    pub tool: &'static str,
    /// The command, path or address.
    pub text: &'static str,
}

/// The rules that exist, as far as a policy needs to know them.
pub trait Catalogue {
    /// Every rule's card.
    fn cards(&self) -> Vec<&'static Card>;
}
