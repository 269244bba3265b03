//! What a report says, before it is written in any form.

use anyhow::bail;
use serde_json::{Value, json};
use tollgate_index::{By, Histogram, Index, Outcome, Row, RuleRow, Scope, SessionRow};

use super::observed::Observed;
use super::stopped::Stopped;
use crate::cmd::stats;
use crate::usage::Spent;
use crate::when;

/// A figure that is worth comparing.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// How it is written.
    pub unit: Unit,
    /// What it was, in what it is compared with.
    pub before: Option<f64>,
    /// It says more about the one before it, and needs no place of its own.
    pub detail: bool,
    /// Something is missing in it: it is that much or more.
    pub least: bool,
}

impl Figure {
    /// Neither now nor then was there any.
    pub fn is_nothing(&self) -> bool {
        !self.least && self.value == 0.0 && self.before.is_none_or(|before| before == 0.0)
    }

    /// What it is called beside the figure that it is a detail of: `p95`, `of all`.
    pub fn short(&self) -> &str {
        self.name.rsplit_once(", ").map_or(self.name.as_str(), |(_, short)| short)
    }
}

/// How a figure is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A count.
    Count,
    /// A share of one.
    Share,
    /// Microseconds.
    Time,
    /// Bytes.
    Bytes,
    /// Dollars.
    Dollars,
}

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// From when to when, in microseconds.
    pub span: Option<(i64, i64)>,
    /// What it is compared with.
    pub against: Option<String>,
    /// The figures at the top.
    pub headline: Vec<Figure>,
    /// Calls over time.
    pub timeline: Vec<Row>,
    /// Calls by kind of tool.
    pub tools: stats::Tools,
    /// How long each tool ran.
    pub ran: Vec<(String, Histogram)>,
    /// Calls by project.
    pub projects: Vec<Row>,
    /// Calls by agent.
    pub agents: Vec<Row>,
    /// Calls by subagent type: routing.
    pub actors: Vec<Row>,
    /// How the rules fared.
    pub rules: Vec<RuleRow>,
    /// How long the gate took.
    pub gate: Histogram,
    /// The calls that were asked about, refused, approved or saved.
    pub stopped: Vec<Stopped>,
    /// The sessions of a period.
    pub sessions: Vec<SessionRow>,
    /// Tokens and what they cost, by session and model.
    pub spent: Vec<Spent>,
    /// What would have been refused, had the policy not only observed.
    pub observed: Observed,
}

impl Report {
    /// Everything in a period.
    pub fn of_period(index: &Index, scope: Scope) -> anyhow::Result<Self> {
        let figures = index.figures(scope.clone());
        let totals = figures.totals()?;
        let (tests, actors) = (figures.tests()?, figures.actors()?);
        let gate = figures.latency("")?;
        let tools = stats::Tools::read(&figures)?;
        let rules = figures.rules()?;
        let mut headline = calls(&totals.calls, &gate);
        headline.extend([
            count("sessions", totals.sessions),
            count("prompts", totals.prompts),
            count("turns ended", actors.turns),
            count("subagents started", actors.started),
            count("handed back", actors.stopped),
            count("compactions", actors.compactions),
            count("test runs passed", tests.passed),
            part("test runs passed, of all", tests.passed, tests.passed + tests.failed),
            count("test runs failed", tests.failed),
            count("stopped by workflows", by_workflows(&rules)),
            count("faults of the gate", totals.faults),
        ]);
        let ran = tools.rows.iter().take(12);
        let ran = ran
            .map(|row| Ok((tools.shown(&row.name), figures.ran(&row.name)?)))
            .collect::<anyhow::Result<_>>()?;
        let mut projects = figures.calls(By::Project)?;
        projects.iter_mut().for_each(|row| row.name = stats::name_of(By::Project, &row.name));
        let mut actor_rows = figures.calls(By::Actor)?;
        for row in &mut actor_rows {
            row.name = stats::name_of(By::Actor, &row.name);
        }
        let who = scope.agent.as_ref().map_or(String::new(), |agent| format!(" of {agent}"));
        Ok(Self {
            title: format!("Tollgate: tool calls{who}"),
            span: totals.span.map(|(from, to)| (scope.from.unwrap_or(from), end(&scope, to))),
            headline,
            timeline: stats::timeline(&figures)?,
            ran,
            tools,
            projects,
            agents: figures.calls(By::Agent)?,
            actors: actor_rows,
            rules,
            gate,
            sessions: figures.sessions(20)?,
            ..Self::default()
        })
    }

    /// One session, by its id or the beginning of it.
    pub fn of_session(index: &Index, id: &str) -> anyhow::Result<Self> {
        let all = index.figures(Scope::default()).sessions(usize::MAX >> 1)?;
        let mut found = all.into_iter().filter(|row| row.session.starts_with(id));
        let Some(session) = found.next() else {
            bail!("no session's id begins with `{id}`; `tollgate stats --by session` lists them");
        };
        if session.session != id && found.next().is_some() {
            bail!("more than one session's id begins with `{id}`; write more of it");
        }
        let of_agent = Scope { agent: Some(session.agent.clone()), ..Scope::default() };
        let names = index.figures(of_agent).tools_of_kinds()?;
        let kinds =
            names.iter().flat_map(|(kind, tools)| tools.iter().map(|tool| (tool.clone(), kind.clone())));
        let mut sum = Sum { kinds: kinds.collect(), ..Sum::default() };
        for call in index.calls_of(session.id)? {
            sum.add(&call);
        }
        let mut headline = calls(&sum.all, &sum.gate());
        headline.extend([count("prompts", session.prompts), count("events", session.events)]);
        Ok(Self {
            title: format!("Session {} of {}", session.session, session.agent),
            span: Some((session.first, session.last)),
            headline,
            ran: sum.ran(),
            tools: stats::Tools { rows: sum.rows(|sum| &sum.tools), names },
            actors: sum.rows(|sum| &sum.actors),
            gate: sum.gate(),
            sessions: vec![session],
            ..Self::default()
        })
    }

    /// Adds what the models' answers cost, as far as transcripts tell.
    pub fn spend(&mut self, spent: Vec<Spent>) {
        if spent.is_empty() {
            return;
        }
        let sum = |of: fn(&Spent) -> u64| spent.iter().map(of).sum::<u64>();
        let dollars: f64 = spent.iter().filter_map(|one| one.dollars).sum();
        self.headline.extend([
            count("tokens in", sum(|one| one.input + one.cache_writes)),
            count("tokens from the cache", sum(|one| one.cached)),
            count("tokens out", sum(|one| one.output)),
        ]);
        let unpriced: u64 = spent.iter().filter(|one| one.dollars.is_none()).map(|one| one.answers).sum();
        self.headline.push(Figure { least: unpriced > 0, ..figure("cost", dollars, Unit::Dollars) });
        let without = Figure { detail: true, ..count("answers without a price", unpriced) };
        self.headline.extend((unpriced > 0).then_some(without));
        self.spent = spent;
    }

    /// Puts beside each figure what it was.
    pub fn compare(&mut self, label: &str, before: &[Figure]) {
        self.against = Some(label.to_owned());
        for figure in &mut self.headline {
            figure.before = before.iter().find(|other| other.name == figure.name).map(|other| other.value);
        }
    }

    /// For programs, and to be kept.
    pub fn value(&self) -> Value {
        let headline: Vec<Value> = self
            .headline
            .iter()
            .map(|f| json!({"name": f.name, "value": f.value, "unit": f.unit.name(), "before": f.before}))
            .collect();
        let rows = |name: &str, rows: &[Row]| -> Vec<Value> {
            rows.iter().map(|row| stats::call_value(name, row)).collect()
        };
        let ran: Vec<Value> = self
            .ran
            .iter()
            .map(|(tool, ran)| json!({"tool": tool, "ran": stats::percentiles(ran)}))
            .collect();
        json!({
            "title": self.title, "from": self.span.map(|(from, _)| when::stamp(from)),
            "to": self.span.map(|(_, to)| when::stamp(to)), "against": self.against, "figures": headline,
            "timeline": rows("time", &self.timeline), "performance": ran,
            "tools": self.tools.rows.iter().map(|row| self.tools.value(row)).collect::<Vec<_>>(),
            "projects": rows("project", &self.projects), "agents": rows("agent", &self.agents), "subagents": rows("subagent", &self.actors),
            "rules": self.rules.iter().map(stats::rule_value).collect::<Vec<_>>(),
            "gate": stats::percentiles(&self.gate),
            "sessions": self.sessions.iter().map(stats::session_value).collect::<Vec<_>>(),
            "tokens": self.spent.iter().map(stats::token_value).collect::<Vec<_>>(),
            "stopped": self.stopped.iter().map(Stopped::value).collect::<Vec<_>>(),
            "observed": self.observed.value(),
        })
    }
}

impl Unit {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Share => "share",
            Self::Time => "us",
            Self::Bytes => "bytes",
            Self::Dollars => "dollars",
        }
    }

    /// By its name.
    pub fn named(name: &str) -> Self {
        [Self::Share, Self::Time, Self::Bytes, Self::Dollars]
            .into_iter()
            .find(|unit| unit.name() == name)
            .unwrap_or(Self::Count)
    }
}

/// The end of a period: one that was given a beginning goes on until now.
pub fn end(scope: &Scope, last: i64) -> i64 {
    scope.to.unwrap_or(if scope.from.is_some() { when::now().max(last) } else { last })
}

fn calls(row: &Row, gate: &Histogram) -> Vec<Figure> {
    let time =
        |name: &str, share| figure(name, gate.percentile(share).unwrap_or_default() as f64, Unit::Time);
    vec![
        count("calls", row.calls),
        count("refused", row.denied),
        part("refused, of all", row.denied, row.calls),
        count("asked", row.asked),
        part("asked, of all", row.asked, row.calls),
        count("failed", row.failed),
        count("no result", row.none),
        figure("results", row.bytes as f64, Unit::Bytes),
        figure("tools ran for", row.took as f64, Unit::Time),
        time("gate took, p50", 0.5),
        Figure { detail: true, ..time("gate took, p95", 0.95) },
        Figure { detail: true, ..time("gate took, p99", 0.99) },
    ]
}

/// How often a workflow's gate asked or refused.
fn by_workflows(rules: &[RuleRow]) -> u64 {
    let own = rules.iter().filter(|row| row.rule.starts_with("workflow/"));
    own.map(|row| row.asked + row.denied).sum()
}

fn part(name: &str, of: u64, all: u64) -> Figure {
    Figure { detail: true, ..figure(name, of as f64 / all.max(1) as f64, Unit::Share) }
}

fn count(name: &str, value: u64) -> Figure {
    figure(name, value as f64, Unit::Count)
}

fn figure(name: &str, value: f64, unit: Unit) -> Figure {
    Figure { name: name.to_owned(), value, unit, before: None, detail: false, least: false }
}

/// The calls of a session, added up.
#[derive(Default)]
struct Sum {
    all: Row,
    tools: std::collections::BTreeMap<String, Row>,
    /// The kind of each tool that has one.
    kinds: std::collections::BTreeMap<String, String>,
    actors: std::collections::BTreeMap<String, Row>,
    ran: std::collections::BTreeMap<String, Vec<u64>>,
    gate: Vec<u64>,
}

impl Sum {
    fn add(&mut self, call: &tollgate_index::CallRow) {
        let actor = stats::name_of(By::Actor, &call.actor);
        let tool = self.kinds.get(&call.tool).unwrap_or(&call.tool).clone();
        let rows = [
            &mut self.all,
            self.tools.entry(tool.clone()).or_default(),
            self.actors.entry(actor).or_default(),
        ];
        for row in rows {
            row.calls += 1;
            row.noted += u64::from(call.verdict == "note");
            row.asked += u64::from(call.verdict == "ask");
            row.denied += u64::from(call.outcome == Outcome::Refused);
            row.failed += u64::from(call.outcome == Outcome::Failed);
            row.none += u64::from(call.outcome == Outcome::None);
            row.bytes += call.bytes;
            row.took += call.took.unwrap_or_default();
        }
        self.gate.push(call.gate);
        self.ran.entry(tool).or_default().extend(call.took);
    }

    fn rows(&self, of: impl Fn(&Self) -> &std::collections::BTreeMap<String, Row>) -> Vec<Row> {
        let mut rows: Vec<Row> =
            of(self).iter().map(|(name, row)| Row { name: name.clone(), ..row.clone() }).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.calls));
        rows
    }

    fn gate(&self) -> Histogram {
        histogram(&self.gate)
    }

    fn ran(&self) -> Vec<(String, Histogram)> {
        self.ran.iter().map(|(tool, times)| (tool.clone(), histogram(times))).collect()
    }
}

fn histogram(times: &[u64]) -> Histogram {
    let mut counts = std::collections::BTreeMap::new();
    for time in times {
        *counts.entry(tollgate_index::bucket(*time)).or_insert(0) += 1;
    }
    Histogram { counts: counts.into_iter().collect() }
}
