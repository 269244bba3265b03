//! What the models' answers cost, from the agents' transcripts.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use tollgate_agents::transcript::{Told, Usage};
use tollgate_store::micros_of;

use crate::table::Bar;
use crate::transcripts::{self, Transcript};

/// Dollars per million tokens.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Price {
    input: f64,
    output: f64,
    #[serde(default)]
    cached: f64,
    #[serde(default)]
    cache_writes: f64,
    /// What it was checked against; without it, it is as remembered from a public list.
    #[serde(default)]
    checked: Option<String>,
}

/// Prices by the beginning of a model's name; the longest that fits counts.
pub struct Prices {
    prices: BTreeMap<String, Price>,
    /// Somebody's own table needs no checking.
    own: bool,
}

impl Prices {
    /// The prices in a JSON file, or those that were published when this was built.
    pub fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let text = match file {
            Some(file) => {
                std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?
            }
            None => include_str!("prices.json").to_owned(),
        };
        let prices = serde_json::from_str(&text).with_context(|| match file {
            Some(file) => format!("`{}` is no table of prices; it must look like {EXAMPLE}", file.display()),
            None => "the table of prices that came with this program is broken".to_owned(),
        })?;
        Ok(Self { prices, own: file.is_some() })
    }

    fn of(&self, model: &str) -> Option<&Price> {
        let fits = self.prices.iter().filter(|(name, _)| model.starts_with(name.as_str()));
        fits.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
    }
}

const EXAMPLE: &str = r#"{"model": {"input": 3, "output": 15, "cached": 0.3, "cache_writes": 3.75}}"#;

/// Tokens of one session with one model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spent {
    pub agent: String,
    pub session: String,
    pub model: String,
    pub answers: u64,
    pub input: u64,
    pub cached: u64,
    pub cache_writes: u64,
    pub output: u64,
    /// `None`: nobody knows the model's price.
    pub dollars: Option<f64>,
    /// The price was compared with what somebody was really charged.
    pub checked: bool,
}

impl Spent {
    /// The cost for people; a price that was not checked is in doubt.
    pub fn cost(&self) -> String {
        let doubt = if self.checked { "" } else { "?" };
        self.dollars.map_or("–".to_owned(), |dollars| format!("${dollars:.2}{doubt}"))
    }
}

/// What is counted.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// From then on, in microseconds since 1970.
    pub since: Option<i64>,
    /// Until then.
    pub until: Option<i64>,
    /// Only this agent.
    pub agent: Option<&'a str>,
    /// Only this session.
    pub session: Option<&'a str>,
}

impl Wanted<'_> {
    fn takes(&self, usage: &Usage) -> bool {
        let at = micros_of(&usage.time);
        self.since.is_none_or(|since| at.is_none_or(|at| at >= since))
            && self.until.is_none_or(|until| at.is_none_or(|at| at < until))
            && self.session.is_none_or(|session| session == usage.session)
    }
}

/// Adds up what was spent, the dearest first.
pub fn spent(transcripts: &[Transcript], wanted: &Wanted, prices: &Prices) -> Vec<Spent> {
    let mut answers: HashMap<(String, String), (String, Usage)> = HashMap::new();
    let mut bar = Bar::new("reading transcripts");
    for (at, transcript) in transcripts.iter().enumerate() {
        bar.at(at as u64, transcripts.len() as u64);
        let other = wanted.agent.is_some_and(|agent| agent != transcript.agent.name());
        if other || wanted.since.is_some_and(|since| transcript.changed < since) {
            continue;
        }
        // One that cannot be read costs nothing here; `audit` tells of it.
        let _ = transcripts::read(transcript, |told| {
            if let Told::Usage(usage) = told
                && wanted.takes(&usage)
            {
                let key = (usage.session.clone(), usage.answer.clone());
                answers.insert(key, (transcript.agent.name().to_owned(), usage));
            }
        });
    }
    let mut sums: BTreeMap<(String, String, String), Spent> = BTreeMap::new();
    for (agent, usage) in answers.into_values() {
        let key = (agent.clone(), usage.session.clone(), usage.model.clone());
        let sum = sums.entry(key).or_insert_with(|| Spent {
            agent,
            session: usage.session.clone(),
            model: usage.model.clone(),
            ..Spent::default()
        });
        sum.answers += 1;
        sum.input += usage.input;
        sum.cached += usage.cached;
        sum.cache_writes += usage.cache_writes;
        sum.output += usage.output;
    }
    let mut sums: Vec<Spent> = sums.into_values().collect();
    for sum in &mut sums {
        let Some(price) = prices.of(&sum.model) else { continue };
        sum.dollars = Some(cost(sum, price));
        sum.checked = prices.own || price.checked.is_some();
    }
    sums.sort_by(|one, other| other.dollars.partial_cmp(&one.dollars).unwrap_or(std::cmp::Ordering::Equal));
    sums
}

fn cost(sum: &Spent, price: &Price) -> f64 {
    let each = [
        (sum.input, price.input),
        (sum.cached, price.cached),
        (sum.cache_writes, price.cache_writes),
        (sum.output, price.output),
    ];
    each.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_that_fits_has_the_price() {
        let prices = Prices::read(None).unwrap();
        assert!(prices.of("claude-opus-5-5").unwrap().output < prices.of("claude-opus-4-1").unwrap().output);
        assert!(prices.of("mock-model").is_none());
        let sum = Spent { input: 500, output: 100, ..Spent::default() };
        // What Claude Code 2.1.325 itself says these tokens cost.
        assert!((cost(&sum, prices.of("claude-opus-5-5").unwrap()) - 0.004).abs() < 1e-9);
    }
}
