//! Questions that the index answers.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Row as SqlRow, params_from_iter, types::Value};

use crate::db::{DAY, Index, IndexFault};
use crate::fact::Outcome;
use crate::fold::HOUR;
use crate::histogram::Histogram;

/// Which part of the past is asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Microseconds since 1970, rounded down to the hour.
    pub from: Option<i64>,
    /// Microseconds since 1970, rounded up to the hour; not included.
    pub to: Option<i64>,
    /// Only this agent.
    pub agent: Option<String>,
}

/// What calls are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Hours since 1970, as a number.
    Hour,
    /// Days since 1970, as a number.
    Day,
    /// Agents.
    Agent,
    /// Tools, by the agents' own names.
    Tool,
    /// Kinds of tools across agents; a tool of no kind of its own (`mcp`, `other`) goes by its name.
    Kind,
    /// Folders of projects.
    Project,
    /// Types of subagents; the main agent has an empty name.
    Actor,
}

/// Calls with something in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What they have in common.
    pub name: String,
    /// How many.
    pub calls: u64,
    /// Of them: a rule had something to say, but let them run.
    pub noted: u64,
    /// A person was asked.
    pub asked: u64,
    /// Refused.
    pub denied: u64,
    /// Ran and failed.
    pub failed: u64,
    /// Ended without a result.
    pub none: u64,
    /// The size of all results.
    pub bytes: u64,
    /// How long they ran in all, in microseconds.
    pub took: u64,
}

/// Everything in a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Events of every kind.
    pub events: u64,
    /// Sessions in which something happened.
    pub sessions: u64,
    /// Prompts of persons.
    pub prompts: u64,
    /// The calls.
    pub calls: Row,
    /// Events that could not be decided.
    pub faults: u64,
    /// The first and the last hour, in microseconds since 1970.
    pub span: Option<(i64, i64)>,
}

/// How a rule fared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleRow {
    /// Its id.
    pub rule: String,
    /// It found something, whatever it said.
    pub fires: u64,
    /// It asked.
    pub asked: u64,
    /// It refused.
    pub denied: u64,
    /// A person said yes when it asked.
    pub approved: u64,
    /// A person said no, or the call came to nothing.
    pub declined: u64,
    /// A person let a refused call pass.
    pub overridden: u64,
    /// The agent tried the same again after a refusal.
    pub retried: u64,
}

impl RuleRow {
    /// The share of its questions and refusals that no person set aside; `None` when it stopped nothing.
    #[must_use]
    pub fn precision(&self) -> Option<f64> {
        let stopped = self.asked + self.denied + self.overridden;
        (stopped > 0).then(|| 1.0 - (self.approved + self.overridden) as f64 / stopped as f64)
    }
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its name says; times in microseconds since 1970")]
pub struct SessionRow {
    pub id: i64,
    pub agent: String,
    pub session: String,
    pub first: i64,
    pub last: i64,
    pub cwd: String,
    pub project: String,
    pub transcript: String,
    pub events: u64,
    pub prompts: u64,
    pub calls: u64,
    pub asked: u64,
    pub denied: u64,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what its name says; times in microseconds")]
pub struct CallRow {
    pub seq: u64,
    pub at: i64,
    pub actor: String,
    pub tool: String,
    pub verdict: String,
    pub outcome: Outcome,
    pub bytes: u64,
    pub took: Option<u64>,
    pub gate: u64,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What became of it.
    pub outcome: Outcome,
    /// The size of its result.
    pub bytes: u64,
    /// How long it ran, in microseconds.
    pub took: Option<u64>,
}

/// Subagents and turns: routing and handoffs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Actors {
    /// Subagents that were started.
    pub started: u64,
    /// Subagents that handed back.
    pub stopped: u64,
    /// Turns that ended.
    pub turns: u64,
    /// Compactions.
    pub compactions: u64,
}

/// Runs of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    /// Green.
    pub passed: u64,
    /// Red.
    pub failed: u64,
}

/// Answers about one part of the past.
pub struct Figures<'i> {
    index: &'i Index,
    scope: Scope,
}

impl Index {
    /// Figures about a part of the past.
    #[must_use]
    pub fn figures(&self, scope: Scope) -> Figures<'_> {
        Figures { index: self, scope }
    }

    /// The calls of a session, oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn calls_of(&self, session: i64) -> Result<Vec<CallRow>, IndexFault> {
        let sql = "SELECT seq, at, actor, tool, verdict, outcome, bytes, took, gate FROM calls WHERE session = ?1 ORDER BY seq";
        self.rows(sql, vec![session.into()], |row| {
            Ok(CallRow {
                seq: row.get(0)?,
                at: row.get(1)?,
                actor: row.get(2)?,
                tool: row.get(3)?,
                verdict: row.get(4)?,
                outcome: outcome(row.get(5)?),
                bytes: row.get(6)?,
                took: row.get(7)?,
                gate: row.get(8)?,
            })
        })
    }

    /// What became of calls, by the number of their first record.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn outcomes(&self, calls: &[u64]) -> Result<HashMap<u64, Ended>, IndexFault> {
        let list = calls.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
        let sql = format!("SELECT seq, outcome, bytes, took FROM calls WHERE seq IN ({list})");
        let each = |row: &SqlRow| {
            let ended = Ended { outcome: outcome(row.get(1)?), bytes: row.get(2)?, took: row.get(3)? };
            Ok((row.get(0)?, ended))
        };
        Ok(self.rows(&sql, Vec::new(), each)?.into_iter().collect())
    }

    /// A session by its agent and the agent's id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn session_of(&self, agent: &str, session: &str) -> Result<Option<SessionRow>, IndexFault> {
        let sql = format!("SELECT {SESSION} FROM sessions WHERE agent = ?1 AND session = ?2");
        let with = vec![agent.to_owned().into(), session.to_owned().into()];
        Ok(self.rows(&sql, with, session_row)?.pop())
    }

    /// The last record that was taken in.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.reached().0
    }

    fn rows<T>(
        &self,
        sql: &str,
        with: Vec<Value>,
        each: impl FnMut(&SqlRow) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, IndexFault> {
        let all = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.db.prepare_cached(sql)?;
            let rows = statement.query_map(params_from_iter(with), each)?;
            rows.collect()
        };
        all().map_err(|error| self.fault(error))
    }
}

const CALLS: &str = "sum(calls), sum(iif(verdict = 'note', calls, 0)), sum(iif(verdict = 'ask', calls, 0)),
  sum(iif(outcome = 4, calls, 0)), sum(iif(outcome = 2, calls, 0)), sum(iif(outcome = 3, calls, 0)), sum(bytes), sum(took)";

impl Figures<'_> {
    /// Everything at once.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn totals(&self) -> Result<Totals, IndexFault> {
        let calls = self.index.rows(
            &format!("SELECT '', {CALLS} FROM {} WHERE {}", self.sums("hours", "days"), self.place()),
            self.with(),
            call_row,
        )?;
        let (events, prompts, first, last) = self.one(
            "SELECT sum(n), sum(iif(phase = 'prompt', n, 0)), min(hour), max(hour) FROM events",
            |row| {
                Ok((
                    count(row, 0)?,
                    count(row, 1)?,
                    row.get::<_, Option<i64>>(2)?,
                    row.get::<_, Option<i64>>(3)?,
                ))
            },
        )?;
        let faults = self.one("SELECT sum(n) FROM faults", |row| count(row, 0))?;
        Ok(Totals {
            events,
            prompts,
            faults,
            sessions: self.session_count()?,
            calls: calls.into_iter().next().unwrap_or_default(),
            span: first.zip(last).map(|(first, last)| (first * HOUR, (last + 1) * HOUR)),
        })
    }

    /// Calls by something, most calls first; by time, oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn calls(&self, by: By) -> Result<Vec<Row>, IndexFault> {
        let (key, order) = match by {
            By::Hour => ("cast(hour AS TEXT)", "hour"),
            By::Day => ("cast(hour / 24 AS TEXT)", "hour / 24"),
            By::Agent => ("agent", "2 DESC, 1"),
            By::Tool => ("tool", "2 DESC, 1"),
            By::Kind => (KIND, "2 DESC, 1"),
            By::Project => return self.calls_by_project(),
            By::Actor => ("actor", "2 DESC, 1"),
        };
        let table = if by == By::Hour { "hours" } else { self.sums("hours", "days") };
        let sql = format!(
            "SELECT {key}, {CALLS} FROM {table} AS s WHERE {} GROUP BY 1 ORDER BY {order}",
            self.place()
        );
        self.index.rows(&sql, self.with(), call_row)
    }

    /// A session stays in one project, so that no sum is kept for each.
    fn calls_by_project(&self) -> Result<Vec<Row>, IndexFault> {
        let sql = "SELECT sessions.project, count(*), sum(c.verdict = 'note'), sum(c.verdict = 'ask'), sum(outcome = 4),
               sum(outcome = 2), sum(outcome = 3), sum(bytes), sum(took)
             FROM calls c JOIN sessions ON sessions.id = c.session
             WHERE c.at >= ?1 AND c.at < ?2 AND (?3 = '' OR agent = ?3) GROUP BY 1 ORDER BY 2 DESC, 1";
        let hour = |time: &Value| match time {
            Value::Integer(hour) => Value::Integer(hour.saturating_mul(HOUR)),
            other => other.clone(),
        };
        let with = self.with().iter().map(hour).collect();
        self.index.rows(sql, with, call_row)
    }

    /// What agents call the tools of each kind. Tools that go by their own name are not in it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tools_of_kinds(&self) -> Result<BTreeMap<String, Vec<String>>, IndexFault> {
        let sql = "SELECT DISTINCT kind, tool FROM tools WHERE ?1 = '' OR agent = ?1 ORDER BY 1, 2";
        let agent = self.scope.agent.clone().unwrap_or_default();
        let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (kind, tool) in self.index.rows(sql, vec![agent.into()], |row| Ok((row.get(0)?, row.get(1)?)))? {
            kinds.entry(kind).or_default().push(tool);
        }
        Ok(kinds)
    }

    /// How long the tools of a kind ran.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn ran(&self, kind: &str) -> Result<Histogram, IndexFault> {
        let sql = format!(
            "SELECT bucket, sum(n) FROM {} AS s WHERE {} AND tool != '' AND {KIND} = ?4 GROUP BY bucket ORDER BY bucket",
            self.sums("latency", "latency_days"),
            self.place()
        );
        let mut with = self.with();
        with.push(Value::Text(kind.to_owned()));
        let counts = self.index.rows(&sql, with, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Histogram { counts })
    }

    /// How long the gate took; with a tool, how long that ran.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn latency(&self, tool: &str) -> Result<Histogram, IndexFault> {
        let sql = format!(
            "SELECT bucket, sum(n) FROM {} WHERE {} AND tool = ?4 GROUP BY bucket ORDER BY bucket",
            self.sums("latency", "latency_days"),
            self.place()
        );
        let mut with = self.with();
        with.push(Value::Text(tool.to_owned()));
        let counts = self.index.rows(&sql, with, |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(Histogram { counts })
    }

    /// How the rules fared, those that fired most first. One that never fired has no row.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn rules(&self) -> Result<Vec<RuleRow>, IndexFault> {
        let sql = format!(
            "SELECT rule, sum(noted + asked + denied), sum(asked), sum(denied), sum(approved), sum(declined),
               sum(overridden), sum(retried) FROM rules WHERE {} GROUP BY rule ORDER BY 2 DESC, 1",
            self.place()
        );
        self.index.rows(&sql, self.with(), |row| {
            let [fires, asked, denied, approved, declined, overridden, retried] = counts(row, 1)?;
            Ok(RuleRow { rule: row.get(0)?, fires, asked, denied, approved, declined, overridden, retried })
        })
    }

    /// The sessions in which something happened, the latest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions(&self, limit: usize) -> Result<Vec<SessionRow>, IndexFault> {
        let sql =
            format!("SELECT {SESSION} FROM sessions WHERE {SESSION_PLACE} ORDER BY last DESC LIMIT {limit}");
        self.index.rows(&sql, self.session_with(), session_row)
    }

    /// Subagents, turns, compactions.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn actors(&self) -> Result<Actors, IndexFault> {
        self.one(
            "SELECT sum(iif(phase = 'subagent-start', n, 0)), sum(iif(phase = 'subagent-stop', n, 0)),
               sum(iif(phase = 'stop', n, 0)), sum(iif(phase = 'pre-compact', n, 0)) FROM events",
            |row| {
                let [started, stopped, turns, compactions] = counts(row, 0)?;
                Ok(Actors { started, stopped, turns, compactions })
            },
        )
    }

    /// Runs of tests.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn tests(&self) -> Result<Tests, IndexFault> {
        self.one("SELECT sum(passed), sum(failed) FROM tests", |row| {
            Ok(Tests { passed: count(row, 0)?, failed: count(row, 1)? })
        })
    }

    fn session_count(&self) -> Result<u64, IndexFault> {
        let sql = format!("SELECT count(*) FROM sessions WHERE {SESSION_PLACE}");
        let rows = self.index.rows(&sql, self.session_with(), |row| count(row, 0))?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    fn one<T: Default>(
        &self,
        sql: &str,
        each: impl FnMut(&SqlRow) -> rusqlite::Result<T>,
    ) -> Result<T, IndexFault> {
        let rows = self.index.rows(&format!("{sql} WHERE {}", self.place()), self.with(), each)?;
        Ok(rows.into_iter().next().unwrap_or_default())
    }

    /// Where nothing is asked about a part of a day, the sums by day say the same in a twentieth of the rows.
    fn sums(&self, hours: &'static str, days: &'static str) -> &'static str {
        let whole = |time: Option<i64>| time.is_none_or(|time| time.rem_euclid(HOUR * DAY) == 0);
        if whole(self.scope.from) && whole(self.scope.to) { days } else { hours }
    }

    fn place(&self) -> &'static str {
        "hour >= ?1 AND hour < ?2 AND (?3 = '' OR agent = ?3)"
    }

    fn with(&self) -> Vec<Value> {
        let from = self.scope.from.map_or(i64::MIN, |from| from.div_euclid(HOUR));
        let to =
            self.scope.to.map_or(i64::MAX, |to| to.div_euclid(HOUR) + i64::from(to.rem_euclid(HOUR) > 0));
        vec![from.into(), to.into(), self.scope.agent.clone().unwrap_or_default().into()]
    }

    fn session_with(&self) -> Vec<Value> {
        let (from, to) = (self.scope.from.unwrap_or(i64::MIN), self.scope.to.unwrap_or(i64::MAX));
        vec![from.into(), to.into(), self.scope.agent.clone().unwrap_or_default().into()]
    }
}

/// The kind of a tool of a row `s`.
const KIND: &str =
    "coalesce((SELECT kind FROM tools WHERE tools.agent = s.agent AND tools.tool = s.tool), s.tool)";

const SESSION_PLACE: &str = "last >= ?1 AND first < ?2 AND (?3 = '' OR agent = ?3)";

const SESSION: &str =
    "id, agent, session, first, last, cwd, project, transcript, events, prompts, calls, asked, denied";

fn session_row(row: &SqlRow) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        agent: row.get(1)?,
        session: row.get(2)?,
        first: row.get(3)?,
        last: row.get(4)?,
        cwd: row.get(5)?,
        project: row.get(6)?,
        transcript: row.get(7)?,
        events: row.get(8)?,
        prompts: row.get(9)?,
        calls: row.get(10)?,
        asked: row.get(11)?,
        denied: row.get(12)?,
    })
}

fn call_row(row: &SqlRow) -> rusqlite::Result<Row> {
    let [calls, noted, asked, denied, failed, none, bytes, took] = counts(row, 1)?;
    Ok(Row { name: row.get(0)?, calls, noted, asked, denied, failed, none, bytes, took })
}

/// Sums in columns that stand side by side.
fn counts<const N: usize>(row: &SqlRow, first: usize) -> rusqlite::Result<[u64; N]> {
    let mut all = [0; N];
    for (column, sum) in all.iter_mut().enumerate() {
        *sum = count(row, first + column)?;
    }
    Ok(all)
}

/// A sum, which is null over nothing.
fn count(row: &SqlRow, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, Option<i64>>(column)?.unwrap_or_default().max(0).unsigned_abs())
}

fn outcome(number: i64) -> Outcome {
    let all = [Outcome::Open, Outcome::Ran, Outcome::Failed, Outcome::None, Outcome::Refused];
    all.into_iter().find(|outcome| outcome.number() == number).unwrap_or_default()
}
