//! The workflows that come with Tollgate. Each is a file in the language, and nothing else.

/// A workflow that comes with Tollgate.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub text: &'static str,
}

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        /// Every preset.
        pub const PRESETS: &[Preset] =
            &[$(Preset { name: $name, text: include_str!(concat!("../presets/", $name, ".yaml")) }),*];
    };
}

presets![
    "explore",
    "research",
    "plan",
    "code",
    "code-review",
    "implement",
    "handoff",
    "session-context",
    "compact-recovery",
    "subagent-context",
    "docs-reminder",
    "notify",
];

/// The preset of that name.
#[must_use]
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Names the texts of all presets: another program has others.
pub const FINGERPRINT: u64 = fingerprint();

const fn fingerprint() -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut rest = PRESETS;
    while let [first, others @ ..] = rest {
        let mut bytes = first.text.as_bytes();
        while let [byte, more @ ..] = bytes {
            hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
            bytes = more;
        }
        rest = others;
    }
    hash
}
