//! What the models' answers cost, from the agents' transcripts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use tollgate_agents::transcript::{Told, Usage};
use tollgate_store::micros_of;

use crate::table::{self, Bar};
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
    /// The public list that it was read from, and when.
    #[serde(default)]
    source: Option<String>,
    /// What somebody was really charged that it was compared with, and when.
    #[serde(default)]
    checked: Option<String>,
}

/// Prices by name. In a table of somebody's own a name may be the beginning of many, and the longest that fits counts;
/// in ours it is one model's, with or without a date.
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
        let is = |name: &str| {
            model.strip_prefix(name).is_some_and(|rest| self.own || rest.is_empty() || is_date(rest))
        };
        let fits = self.prices.iter().filter(|(name, _)| is(name));
        fits.max_by_key(|(name, _)| name.len()).map(|(_, price)| price)
    }
}

/// `-20251101`, `-2025-11-01` or `-latest`. Anything else behind a name makes it another model, at another price.
fn is_date(rest: &str) -> bool {
    let digits: String = rest.chars().filter(|c| *c != '-').collect();
    rest == "-latest"
        || rest.starts_with('-') && digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_digit())
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
    /// Where the price was read, and when.
    pub source: Option<String>,
}

impl Spent {
    /// The cost for people; a price that was not checked is in doubt.
    pub fn cost(&self) -> String {
        let doubt = if self.checked { "" } else { "?" };
        self.dollars.map_or("–".to_owned(), |dollars| format!("{}{doubt}", dollars_shown(dollars)))
    }
}

/// Dollars for people: what is less than a cent is not nothing.
pub fn dollars_shown(dollars: f64) -> String {
    if dollars > 0.0 && dollars < 0.01 { "<$0.01".to_owned() } else { format!("${dollars:.2}") }
}

/// What all of it cost, and for how many answers nobody knows.
pub fn total(found: &[Spent]) -> String {
    let dollars: f64 = found.iter().filter_map(|one| one.dollars).sum();
    match found.iter().filter(|one| one.dollars.is_none()).map(|one| one.answers).sum() {
        0 => dollars_shown(dollars),
        answers => {
            format!("≥ {}; {} without a price", dollars_shown(dollars), table::counted(answers, "answer"))
        }
    }
}

/// What a reader of costs must know: prices that nobody has checked, and models without one.
pub fn notes(found: &[Spent]) -> Vec<String> {
    let unchecked: BTreeSet<&str> = found
        .iter()
        .filter(|one| one.dollars.is_some() && !one.checked)
        .map(|one| one.source.as_deref().unwrap_or("nobody knows where"))
        .collect();
    let unpriced = || found.iter().filter(|one| one.dollars.is_none());
    let models: BTreeSet<&str> = unpriced().map(|one| one.model.as_str()).collect();
    let listed = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    let mut notes = Vec::new();
    if !unchecked.is_empty() {
        notes.push(format!("?: unchecked; the price is that of {}", listed(unchecked)));
    }
    if !models.is_empty() {
        let answers: u64 = unpriced().map(|one| one.answers).sum();
        notes.push(format!("–: no price is known for {}; {answers} answers are in no sum", listed(models)));
    }
    if !notes.is_empty() {
        notes.push("`--prices FILE` takes a table of your own".to_owned());
    }
    notes
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
        sum.source.clone_from(&price.source);
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
    fn a_price_is_that_of_the_model_and_no_other() {
        let prices = Prices::read(None).unwrap();
        let output = |model: &str| prices.of(model).map(|price| price.output);
        assert_eq!(output("claude-opus-4-5-20251101"), output("claude-opus-4-5"));
        assert_eq!(output("gpt-5-2025-08-07"), output("gpt-5"));
        assert!(output("gpt-5-pro") > output("gpt-5"));
        for unknown in ["mock-model", "gpt-5.99", "gpt-5-unheard-of", "claude-opus-4-5-2", "claude-opus", ""]
        {
            assert_eq!(output(unknown), None, "{unknown}");
        }
        let sum = Spent { input: 500, output: 100, ..Spent::default() };
        // What Claude Code 2.1.325 itself says these tokens cost.
        assert!((cost(&sum, prices.of("claude-opus-5-5").unwrap()) - 0.004).abs() < 1e-9);
        let own = Prices { prices: prices.prices.clone(), own: true };
        assert_eq!(own.of("gpt-5-unheard-of"), prices.of("gpt-5"));
    }

    #[test]
    fn every_price_of_ours_says_where_it_is_from() {
        let prices = Prices::read(None).unwrap().prices;
        assert!(prices.len() > 20);
        for (model, price) in &prices {
            let dated = |text: &Option<String>| text.as_ref().is_some_and(|text| text.contains("20"));
            assert!(dated(&price.source), "{model}");
            assert!(price.checked.is_none() || dated(&price.checked), "{model}");
            assert!(price.input > 0.0 && price.output > price.input && price.cached > 0.0, "{model}");
        }
    }

    #[test]
    fn what_is_in_doubt_or_missing_is_told() {
        let spent = |model: &str, dollars, checked| Spent {
            model: model.into(),
            dollars,
            checked,
            answers: 2,
            source: Some("a list".into()),
            ..Spent::default()
        };
        assert_eq!(notes(&[spent("a", Some(1.0), true)]), Vec::<String>::new());
        let told = notes(&[spent("a", Some(1.0), false), spent("b", None, false), spent("c", None, false)]);
        assert_eq!(told.len(), 3);
        assert_eq!(total(&[spent("a", Some(1.0), true)]), "$1.00");
        assert_eq!(
            total(&[spent("a", Some(5.37), true), spent("b", None, false)]),
            "≥ $5.37; 2 answers without a price"
        );
        assert!(told[0].contains("unchecked") && told[0].contains("a list"), "{told:?}");
        assert!(told[1].contains("b, c") && told[1].contains("4 answers"), "{told:?}");
    }
}
