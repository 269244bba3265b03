//! The gate's own half: its policy, its log, and whether it was ever asked.

use std::collections::{HashMap, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tollgate_agents::install::Backups;
use tollgate_agents::install::claude::canary::Command;
use tollgate_model::Mode;
use tollgate_model::json::Value;
use tollgate_policy::{Health, Loaded, Request};
use tollgate_sinks::{Route, Sink};
use tollgate_store::{Log, Verification};

use crate::cmd::audit::{self, Life, Way};
use crate::cmd::canary::Stage;
use crate::cmd::deliver::configured;
use crate::dirs::MANAGED;
use crate::failed_hooks;
use crate::report::{Line, tilde};
use crate::when;
use tollgate_model::is_canary;

/// The gate as registered, or as it would be.
pub struct Gate<'a> {
    stage: &'a Stage,
    registered: bool,
    pub state: PathBuf,
    loaded: Loaded,
    chain: Verification,
    deliveries: Vec<Route>,
    /// What the log tells about the sessions of each agent.
    seen: HashMap<String, Seen>,
}

/// What the log tells about real sessions.
#[derive(Default)]
struct Seen {
    last: Option<String>,
    /// By event, the times of the last ones that were judged, in microseconds.
    times: HashMap<String, VecDeque<u64>>,
}

impl<'a> Gate<'a> {
    /// Reads policy and log of the gate that is registered. Before any canary sings, so that what it changes
    /// does not show.
    pub fn of(stage: &'a Stage, command: Option<&Command>) -> Self {
        let option = |name: &str| command.and_then(|command| command.option(name)).map(PathBuf::from);
        let config = option("--config").unwrap_or_else(|| stage.dirs.config.clone());
        let state = option("--state").unwrap_or_else(|| stage.dirs.state.clone());
        let request = Request {
            managed_dir: Path::new(MANAGED),
            config_dir: &config,
            state_dir: &state,
            project: Some(&stage.places.project),
            built: None,
            cwd: &stage.cwd,
        };
        let loaded = tollgate_policy::look(&request, &tollgate_rules::Rules);
        let log = Log::at(&state);
        let deliveries = configured(&config, &state);
        let (chain, seen) = (log.verify(), Seen::read(&log));
        Self { stage, registered: command.is_some(), loaded, chain, state, deliveries, seen }
    }

    /// Where its log and its saved files are.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Which policy is in force.
    pub fn policy(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = self.loaded.notices.iter().map(|notice| self.notice(notice)).collect();
        lines.push(Line::green(format!("{}: {}", self.sources(), self.summary())));
        if self.loaded.policy.mode == Mode::Observe {
            let what = "mode: observe: calls are judged and logged, but none is refused";
            lines.push(Line::yellow(what, "set `mode: enforce` in the policy file"));
        }
        lines
    }

    fn notice(&self, notice: &str) -> Line {
        let faulty = self.loaded.sources.iter().filter(|source| source.health == Health::Faulty);
        match faulty.map(|source| source.path.display().to_string()).find(|path| notice.contains(path)) {
            Some(path) if notice.contains("chmod go-w") => Line::red(notice, format!("chmod go-w {path}")),
            Some(_) => Line::red(notice, "tollgate check"),
            None => Line::yellow(notice, "tollgate check"),
        }
    }

    fn sources(&self) -> String {
        let good = self.loaded.sources.iter().filter(|source| source.health == Health::Good);
        let files: Vec<String> = good.map(|source| tilde(&source.path, &self.stage.dirs.home)).collect();
        if files.is_empty() { "no policy file".to_owned() } else { files.join(", ") }
    }

    fn summary(&self) -> String {
        const MOST: usize = 8;
        let mut parts = tollgate_policy::describe(&self.loaded.policy);
        let more = parts.len().saturating_sub(MOST);
        parts.truncate(MOST);
        if more > 0 {
            parts.push(format!("and {more} more"));
        }
        parts.join(", ")
    }

    /// Hooks of the policy that do not run as they should.
    pub fn failed_hooks(&self) -> Vec<Line> {
        failed_hooks::doctor_lines(&self.loaded.policy, &self.state)
    }

    /// Was it asked by a real session of an agent, and how long did it take?
    pub fn fired(&self, agent: &str, decides: &str) -> Vec<Line> {
        let nothing = Seen::default();
        let seen = self.seen.get(agent).unwrap_or(&nothing);
        let Some(last) = &seen.last else {
            if self.waits(agent) {
                return vec![Line::green("newly installed; the first session will show here")];
            }
            return vec![Line::yellow(
                "not yet seen firing: no real session is in the log",
                "start a new session and give it one prompt, or type `tollgate canary --live`",
            )];
        };
        let mut line = format!("last asked by a session {}", ago(last));
        let times = seen.times.get(decides);
        if let Some((times, median)) = times.and_then(|times| Some((times, median(times)?))) {
            line.push_str(&format!(
                "; half of the last {} calls took under {:.1} ms",
                times.len(),
                median as f64 / 1000.0
            ));
        }
        vec![Line::green(line)]
    }

    /// Was the agent's hook installed within the last day, and no session begun since? There is nothing to warn of.
    pub fn waits(&self, agent: &str) -> bool {
        if self.seen.contains_key(agent) {
            return false;
        }
        let installed = Backups::in_state(&self.state).all().into_iter();
        let last = installed.filter(|manifest| manifest.agent == agent).map(|manifest| manifest.time).max();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        last.is_some_and(|time| now.saturating_sub(time) < 86_400)
    }

    /// Is the record whole and safe?
    pub fn log(&self) -> Vec<Line> {
        let mut lines = self.state_dir();
        if self.chain.is_sound() {
            lines.push(Line::green(format!("{} records, unbroken chain", self.chain.records)));
        } else {
            let first = self.chain.troubles.iter().find(|trouble| trouble.breach.is_alarm());
            let place = first
                .map_or(String::new(), |trouble| format!(", first in {}:{}", trouble.part, trouble.line));
            let what =
                format!("the log was changed behind the gate's back: {} breaches{place}", self.chain.alarms);
            lines.push(Line::yellow(
                what,
                format!("look at {}; it goes on growing", tilde(&self.state, &self.stage.dirs.home)),
            ));
        }
        lines.extend(
            audit::witnessed(&self.state).map(|told| Line::yellow(told, "`tollgate audit` tells the rest")),
        );
        lines.push(self.anchor());
        lines.extend(self.sinks());
        lines
    }

    /// Does somebody else know the chain's head?
    fn anchor(&self) -> Line {
        let accounts = tollgate_sinks::accounts(&self.state);
        let anchors = self.deliveries.iter().map(|route| &route.sink).filter(|sink| sink.is_anchor());
        let noted = anchors.filter_map(|sink| Some((sink.name(), accounts.get(&sink.name())?)));
        match noted.filter(|(_, account)| account.sent > 0).max_by_key(|(_, account)| account.seq) {
            Some((name, account)) => Line::green(format!("anchored: `{name}` knows record {}", account.seq)),
            None => Line::yellow(
                "not anchored: nothing outside this log knows its head, so a log rewritten whole would not show",
                "add `sinks: [{ uses: syslog }]` to the policy file",
            ),
        }
    }

    /// Do the sinks get what they should?
    fn sinks(&self) -> Vec<Line> {
        let accounts = tollgate_sinks::accounts(&self.state);
        let line = |sink: &Sink| {
            let Some(account) = accounts.get(&sink.name()) else {
                return Line::green(format!("{}: nothing sent yet", sink.name()));
            };
            let what = format!("{}: {} sent, {} dropped", sink.name(), account.sent, account.dropped);
            match (account.why.as_str(), account.dropped) {
                ("", 0) => Line::green(what),
                ("", _) => {
                    Line::yellow(what, "it takes records again; the dropped ones are still in the log")
                }
                (why, _) => {
                    Line::yellow(format!("{what}; {why}"), "mend that; until then the log keeps them")
                }
            }
        };
        self.deliveries.iter().map(|route| line(&route.sink)).collect()
    }

    /// Did the calls of the last days pass the gate, as the agents' own transcripts tell them?
    pub fn life(&self) -> Line {
        let since = when::now() - 7 * when::DAY;
        let life = Life::examine(&self.state, &self.stage.dirs.home, Some(since), None);
        if life.count(Way::Around) == 0 {
            return Line::green(format!("last 7 days: {}", life.line()));
        }
        Line::yellow(format!("last 7 days: {}", life.line()), "tollgate audit --since 7d")
    }

    /// What happened that should not have.
    pub fn incidents(&self) -> Vec<Line> {
        super::incidents::lines(&self.state)
    }

    fn state_dir(&self) -> Vec<Line> {
        let shown = tilde(&self.state, &self.stage.dirs.home);
        match self.state.symlink_metadata() {
            Err(_) if !self.registered => Vec::new(),
            Err(error) => vec![Line::yellow(
                format!("{shown} cannot be read: {error}"),
                format!("mkdir -m 700 -p {shown}"),
            )],
            Ok(meta) if !meta.is_dir() => {
                vec![Line::yellow(
                    format!("{shown} is not a directory, so nothing is recorded"),
                    format!("mv {shown} {shown}.old"),
                )]
            }
            Ok(meta) if meta.mode() & 0o077 != 0 || meta.uid() != rustix::process::geteuid().as_raw() => {
                vec![Line::yellow(format!("{shown} is open to others"), format!("chmod 700 {shown}"))]
            }
            Ok(_) => match rustix::fs::access(&self.state, rustix::fs::Access::WRITE_OK) {
                Ok(()) => Vec::new(),
                Err(error) => vec![Line::yellow(
                    format!("{shown} cannot be written: {error}"),
                    format!("chmod 700 {shown}"),
                )],
            },
        }
    }
}

impl Seen {
    /// Of every agent, in one reading.
    fn read(log: &Log) -> HashMap<String, Self> {
        let mut all: HashMap<String, Self> = HashMap::new();
        for entry in log.records() {
            let Some(record) = entry.value().filter(|record| !is_canary(record.text("session"))) else {
                continue;
            };
            let seen = all.entry(record.text("agent").unwrap_or_default().to_owned()).or_default();
            seen.last = record.text("ts").map(str::to_owned);
            seen.push(&record);
        }
        all
    }

    fn push(&mut self, record: &Value) {
        let Some(us) = record.get("us").and_then(Value::as_map) else { return };
        let number = |value: &Value| match value {
            Value::Number(number) => number.parse::<u64>().ok(),
            _ => None,
        };
        let times = self.times.entry(record.text("event").unwrap_or_default().to_owned()).or_default();
        times.push_back(us.iter().filter_map(|(_, value)| number(value)).sum());
        if times.len() > RECENT {
            times.pop_front();
        }
    }
}

fn median(times: &VecDeque<u64>) -> Option<u64> {
    let mut times: Vec<u64> = times.iter().copied().collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied()
}

const RECENT: usize = 200;

/// How long ago, from a time as the log writes it.
fn ago(stamp: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let Some(then) = seconds(stamp) else { return format!("at {stamp}") };
    match now.saturating_sub(then) {
        0..60 => "just now".to_owned(),
        s @ 60..3600 => format!("{} min ago", s / 60),
        s @ 3600..172_800 => format!("{} h ago", s / 3600),
        s => format!("{} days ago", s / 86_400),
    }
}

/// Seconds since 1970 of `YYYY-MM-DDThh:mm:ss…Z`.
fn seconds(stamp: &str) -> Option<u64> {
    let number = |range: std::ops::Range<usize>| stamp.get(range)?.parse::<u64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    // Days since 1 March of year 0, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day;
    Some(days.checked_sub(719_469)? * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn stamps_are_seconds() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-02-29T12:00:00.5Z", Some(951_825_600)),
            ("2026-08-01T10:20:30.123456Z", Some(1_785_579_630)),
            ("2026", None),
            ("yesterday, about noon", None),
        ];
        for (stamp, expected) in cases {
            assert_eq!(seconds(stamp), expected, "{stamp}");
        }
    }
}
