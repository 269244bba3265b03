//! Versions of agents: the one that was observed, and what older ones are known to do otherwise.

/// Three numbers, as agents count their versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// What every version before one does otherwise, by the agent's own changelog or by what was seen of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The first version that does as the adapter says.
    pub since: Version,
    /// What those before it do.
    pub before: &'static str,
    /// A call can pass the gate unseen there.
    pub opens: bool,
}

impl Version {
    /// The first word that is a version: of `2.1.325 (Claude Code)`, of `codex-cli 0.166.0`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        text.split_whitespace().find_map(Self::word)
    }

    /// A tail that is no number, as of `1.2.3-beta.1`, does not count.
    fn word(word: &str) -> Option<Self> {
        let mut parts = word.trim_start_matches('v').splitn(3, '.');
        let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let last = parts.next()?;
        let digits = last.find(|c: char| !c.is_ascii_digit()).unwrap_or(last.len());
        Some(Self(major, minor, last.get(..digits)?.parse().ok()?))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}
