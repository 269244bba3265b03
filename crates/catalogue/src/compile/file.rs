//! What may stand in a file of the catalogue.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A file in `catalogue/commands`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CommandFile {
    /// The program's names, its file's name first.
    pub name: Spanned<Vec<Spanned<String>>>,
    /// Whose verbs it shares: a file in `catalogue/shared`.
    pub extends: Option<Spanned<String>>,
    /// What kind of program it is.
    #[serde(default)]
    pub tags: Vec<Spanned<String>>,
    /// The function in `crates/effects/src/commands` for what data cannot say.
    pub handler: Option<Spanned<String>>,
    /// A second one, called before the first. What it says of the output does not count.
    pub also: Option<Spanned<String>>,
    /// All its options, where its manual was read as a whole.
    pub options: Option<Spanned<String>>,
    /// What operands are, the last for all that follow.
    #[serde(default)]
    pub operands: Vec<Spanned<String>>,
    /// The verbs that must stand before the operands.
    #[serde(default)]
    pub operands_after: Vec<String>,
    /// Options with a meaning, and which.
    #[serde(default)]
    pub roles: BTreeMap<Spanned<String>, Spanned<String>>,
    #[serde(default)]
    pub transport: bool,
    #[serde(default)]
    pub wrapper: bool,
    #[serde(default)]
    pub versioned: bool,
    #[serde(default)]
    pub one_dash: bool,
    /// Its own verbs.
    pub verbs: Option<VerbsPart>,
    /// Which of its words are files, hosts or code.
    #[serde(default, rename = "use")]
    pub uses: Vec<UsePart>,
    /// Where its words say that code comes from.
    pub packages: Option<PackagesPart>,
    /// Calls and how they must be judged. `crates/pipeline/tests/catalogue.rs` judges them.
    #[serde(default)]
    pub example: Vec<ExamplePart>,
}

/// An `[[example]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExamplePart {
    /// A command line.
    pub call: Spanned<String>,
    /// `pass`, or the rule that must stop it.
    pub want: String,
}

/// A `[[use]]`: which calls, and one role. `uses.rs` reads it.
pub type UsePart = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

/// The words of a manager of packages: see `Packages`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PackagesPart {
    #[serde(default)]
    pub brings: String,
    #[serde(default)]
    pub runs: String,
    #[serde(default)]
    pub sources: String,
    /// Those of the verbs, if it says none.
    pub values: Option<String>,
    #[serde(default)]
    pub addresses: String,
    #[serde(default)]
    pub leads: BTreeMap<String, usize>,
    #[serde(default)]
    pub tasks: bool,
    #[serde(default)]
    pub pairs: String,
    #[serde(default)]
    pub ends: String,
    #[serde(default)]
    pub no_addresses: bool,
}

/// A file in `catalogue/shared`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedFile {
    pub verbs: VerbsPart,
}

/// The verbs of a tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VerbsPart {
    /// Options that take the next word, without dashes.
    #[serde(default)]
    pub values: String,
    #[serde(default)]
    pub one_dash: bool,
    #[serde(default)]
    pub only_losses: bool,
    /// In their order: the first that fits counts. Those that the program shares with others come behind them.
    #[serde(default)]
    pub does: Vec<Spanned<DeedPart>>,
}

/// What a call with these verbs does: exactly one of the keys besides `call`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeedPart {
    pub call: String,
    pub infrastructure: Option<String>,
    pub publishes: Option<String>,
    pub database: Option<String>,
    #[serde(default, rename = "weakens-firewall")]
    pub weakens_firewall: bool,
    #[serde(default, rename = "changes-package-index")]
    pub changes_package_index: bool,
    #[serde(rename = "weakens-machine")]
    pub weakens_machine: Option<String>,
    #[serde(default)]
    pub power: bool,
    #[serde(default)]
    pub safe: bool,
}

impl DeedPart {
    /// The deed as an expression of Rust; none unless exactly one is said.
    pub fn rust(&self) -> Option<String> {
        let told =
            |kind: &str, text: &Option<String>| text.as_ref().map(|text| format!("Deed::{kind}({text:?})"));
        let all = [
            told("Infra", &self.infrastructure),
            told("Publish", &self.publishes),
            told("Database", &self.database),
            self.weakens_firewall.then(|| "Deed::WeakensFirewall".to_owned()),
            self.changes_package_index.then(|| "Deed::ChangesPackageIndex".to_owned()),
            told("WeakensMachine", &self.weakens_machine),
            self.power.then(|| "Deed::Power".to_owned()),
            self.safe.then(|| "Deed::Safe".to_owned()),
        ];
        let mut said = all.into_iter().flatten();
        said.next().filter(|_| said.next().is_none())
    }
}
