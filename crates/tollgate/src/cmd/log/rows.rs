//! A call and what became of it, as one row.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use tollgate_index::{Fact, Outcome, Query};
use tollgate_store::{Entry, Log, NO_RESULT};

/// A record that is shown, with the end of the call that it begins.
pub struct Row {
    pub entry: Entry,
    pub end: Option<End>,
}

impl Row {
    /// A record as it stands, without what became of its call.
    pub fn of_record(entry: Entry) -> Self {
        Self { entry, end: None }
    }
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub outcome: Outcome,
    /// When, in microseconds since 1970.
    pub at: i64,
    /// How long it ran, where the agent says so.
    pub took: Option<u64>,
}

/// What a record is in the life of a call.
enum Part {
    /// It begins the call that the number stands for.
    Begins(u64),
    /// It asks again about a call.
    Asks(u64),
    /// It ends the call.
    Ends(u64, End),
    /// It is about no call.
    None,
}

impl Part {
    fn of(entry: &Entry) -> Self {
        const PHASES: [&str; 6] = [
            "\"phase\":\"pre-tool\"",
            "\"phase\":\"permission\"",
            "\"phase\":\"post-tool\"",
            "\"phase\":\"post-tool-fail\"",
            "\"phase\":\"permission-denied\"",
            "\"phase\":\"no-result\"",
        ];
        // Most lines need not be understood.
        if !PHASES.iter().any(|phase| entry.line.contains(phase)) {
            return Self::None;
        }
        let Some(fact) = Fact::of(entry.line.as_bytes()) else { return Self::None };
        let mut hasher = DefaultHasher::new();
        (&fact.agent, &fact.session, &fact.call).hash(&mut hasher);
        let key = hasher.finish();
        let end = |outcome| Self::Ends(key, End { outcome, at: fact.at, took: fact.took });
        match fact.phase.as_str() {
            "pre-tool" => Self::Begins(key),
            "permission" => Self::Asks(key),
            "post-tool" => end(Outcome::Ran),
            "post-tool-fail" => end(Outcome::Failed),
            "permission-denied" | NO_RESULT => end(Outcome::None),
            _ => Self::None,
        }
    }
}

/// How calls ended, by what stands for them.
#[derive(Default)]
struct Ends(HashMap<u64, End>);

impl Ends {
    /// The first result counts: a turn that ends later changes nothing about it.
    fn add(&mut self, key: u64, end: End) {
        self.0
            .entry(key)
            .and_modify(|known| {
                if known.outcome == Outcome::None {
                    *known = end
                }
            })
            .or_insert(end);
    }
}

/// The last rows of the log that fit, oldest first. Reads the newest parts first, and no more than it must.
pub fn newest(log: &Log, filter: &Query, limit: usize) -> Vec<Row> {
    let mut found: Vec<(Entry, Part)> = Vec::new();
    let (mut ends, mut begun, mut whole) = (Ends::default(), 0, true);
    for part in log.parts().iter().rev() {
        if begun >= limit {
            whole = false;
            break;
        }
        let mut of_part: Vec<(Entry, Part)> = Vec::new();
        let mut newest = i64::MIN;
        for entry in log.records_of(part) {
            newest = newest.max(filter.time_of(&entry));
            let part = Part::of(&entry);
            if let Part::Ends(key, end) = part {
                ends.add(key, end);
            }
            if filter.matches(&entry) {
                begun += usize::from(matches!(part, Part::Begins(_) | Part::None));
                of_part.push((entry, part));
            }
        }
        of_part.append(&mut found);
        found = of_part;
        if filter.ends_before(newest) {
            break;
        }
    }
    let mut rows = merged(found, &ends, whole);
    rows.drain(..rows.len().saturating_sub(limit));
    rows
}

/// All rows of the log that fit, oldest first.
pub fn all<'l>(log: &'l Log, filter: &'l Query) -> impl Iterator<Item = Row> + 'l {
    let mut ends = Ends::default();
    for entry in log.records() {
        if let Part::Ends(key, end) = Part::of(&entry) {
            ends.add(key, end);
        }
    }
    let mut begun = HashSet::new();
    let wanted = log.records().filter(|entry| filter.matches(entry));
    wanted.filter_map(move |entry| {
        let part = Part::of(&entry);
        row(entry, &part, &ends, &mut begun, true)
    })
}

/// A new record while somebody follows the log: a result has a row of its own where it tells more than that the call ran.
pub fn is_news(entry: &Entry) -> bool {
    !matches!(Part::of(entry), Part::Ends(_, End { outcome: Outcome::Ran, .. }))
}

fn merged(found: Vec<(Entry, Part)>, ends: &Ends, whole: bool) -> Vec<Row> {
    let mut begun = HashSet::new();
    found.into_iter().filter_map(|(entry, part)| row(entry, &part, ends, &mut begun, whole)).collect()
}

/// The row of a record; `None` when it belongs to a row before. Where not the `whole` log was read, that row may be older.
fn row(entry: Entry, part: &Part, ends: &Ends, begun: &mut HashSet<u64>, whole: bool) -> Option<Row> {
    match part {
        Part::Begins(key) => {
            begun.insert(*key);
            Some(Row { entry, end: ends.0.get(key).copied() })
        }
        Part::Asks(key) | Part::Ends(key, _) if begun.contains(key) || !whole => None,
        Part::Ends(_, end) => Some(Row { entry, end: Some(*end) }),
        Part::Asks(key) => Some(Row { entry, end: ends.0.get(key).copied() }),
        Part::None => Some(Row { entry, end: None }),
    }
}
