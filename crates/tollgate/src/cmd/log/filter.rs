//! Which records are wanted.

use tollgate_index::Query;

use crate::cmd::figures;
use crate::when;

/// The filters of `tollgate log`. All given ones must fit.
#[derive(clap::Args, Debug, Default)]
pub struct Wanted {
    /// Only events since: `24h`, `7d`, `today`, a date or time
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only events until
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only this session: its id or the start of it
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// Only this agent
    #[arg(long, value_parser = figures::agents(), hide_possible_values = true)]
    pub agent: Option<String>,
    /// Only this subagent: its type or id
    #[arg(long, value_name = "NAME")]
    pub subagent: Option<String>,
    /// Only this tool
    #[arg(long)]
    pub tool: Option<String>,
    /// Only calls that this rule matched
    #[arg(long)]
    pub rule: Option<String>,
    /// Only this verdict
    #[arg(long, value_parser = ["allow", "note", "save", "ask", "deny", "halt"])]
    pub verdict: Option<String>,
    /// Only this event or phase
    #[arg(long)]
    pub event: Option<String>,
    /// Only calls that touch this path, or a part of it
    #[arg(long)]
    pub path: Option<String>,
    /// Show canary calls, too
    #[arg(long)]
    pub canaries: bool,
    /// Only records that contain this text
    #[arg(long)]
    pub text: Option<String>,
}

impl Wanted {
    /// The filter that they say.
    pub fn filter(&self) -> anyhow::Result<Query> {
        let (since, until) = when::period(self.since.as_deref(), self.until.as_deref())?;
        let query = Query {
            since,
            until,
            session: self.session.clone(),
            agent: self.agent.clone(),
            subagent: self.subagent.clone(),
            tool: self.tool.clone(),
            rule: self.rule.clone(),
            verdict: self.verdict.clone(),
            event: self.event.clone(),
            path: self.path.clone(),
            canaries: self.canaries,
            texts: self.text.iter().cloned().collect(),
            ..Query::default()
        };
        Ok(query.ready())
    }
}
