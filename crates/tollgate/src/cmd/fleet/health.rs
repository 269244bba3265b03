//! How this machine stands in its fleet: for `tollgate fleet status`, `doctor` and `audit`.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tollgate_courier::{InForce, Member, Status};
use tollgate_store::Log;

use crate::report::{Light, Line, heading};
use crate::table::{counted, number};
use crate::{out, when};

/// After so many seconds without an answer somebody should look.
const SILENT: u64 = 24 * 3600;
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Everything that is known without asking the server.
pub struct Report {
    state: PathBuf,
    member: Option<Member>,
    status: Status,
    in_force: Option<InForce>,
    /// The last record of the log.
    end: u64,
    now: u64,
}

impl Report {
    /// Looks at the files of a state directory.
    pub fn of(state: &Path) -> anyhow::Result<Self> {
        let member = Member::of(state)?;
        let in_force = if member.is_some() { InForce::of(state)? } else { None };
        Ok(Self {
            state: state.to_owned(),
            status: Status::of(state),
            member,
            in_force,
            end: Log::at(state).head().map_or(0, |head| head.seq),
            now: u64::try_from(when::now() / 1_000_000).unwrap_or_default(),
        })
    }

    /// The same for a report that has other subjects as well: nothing on a machine without a fleet.
    pub fn lines_of(state: &Path) -> Vec<Line> {
        match Self::of(state) {
            Ok(report) if report.member.is_some() => report.lines(),
            Ok(_) => Vec::new(),
            Err(error) => {
                let fix = "tollgate fleet leave --offline, then join again";
                vec![Line::red(format!("what this machine knows of its fleet cannot be read: {error}"), fix)]
            }
        }
    }

    /// What `audit` has to say: what the server found in the log, or that it has nothing of it.
    pub fn testimony(&self) -> Option<String> {
        self.member.as_ref()?;
        let incidents = &self.status.incidents;
        (!incidents.is_empty())
            .then(|| format!("the fleet's server found the log changed: {}", incidents.join(", ")))
    }

    /// What `audit` tells: what the server says of the log, and what does not work.
    pub fn audit_lines(&self) -> Vec<String> {
        let lines = if self.member.is_some() { self.lines() } else { Vec::new() };
        lines
            .into_iter()
            .filter(|line| line.light > Light::Green)
            .map(|line| format!("fleet: {}", line.what))
            .collect()
    }

    /// Does the server have any of the log?
    pub fn is_anchored(&self) -> bool {
        self.member.is_some() && self.status.head.seq > 0
    }

    /// How many records the server has not got yet.
    fn behind(&self) -> u64 {
        self.end.saturating_sub(self.status.head.seq)
    }

    /// Everything that is so, each with what to do.
    pub fn lines(&self) -> Vec<Line> {
        let Some(member) = &self.member else {
            let fix = "to join one: tollgate fleet join URL --token TOKEN";
            return vec![Line::yellow("this machine has not joined a fleet", fix)];
        };
        let mut lines = vec![Line::green(format!(
            "joined the fleet `{}` at {} {}, as machine {} of group `{}`",
            member.fleet,
            member.server,
            self.ago(member.joined),
            member.machine,
            member.group
        ))];
        lines.push(self.contact());
        lines.push(self.log());
        lines.push(self.policy());
        lines.extend(self.observed());
        lines.extend(self.status.faults.iter().map(|fault| fault_line(&fault.kind, &fault.text)));
        lines.extend(
            self.testimony()
                .map(|told| Line::red(told, "compare with the server's incidents, then: tollgate audit")),
        );
        lines
    }

    fn contact(&self) -> Line {
        let error = &self.status.error;
        if self.status.revoked {
            let fix =
                "ask the administrator; with a new token: tollgate fleet leave --offline, then join again";
            return Line::red(
                "the server no longer takes this machine's key; the policy stays, nothing is sent",
                fix,
            );
        }
        let last = match self.status.contact {
            0 => "the server was never reached".to_owned(),
            contact => format!("last contact {}", self.ago(contact)),
        };
        let why = if error.is_empty() { String::new() } else { format!("; then: {error}") };
        let silent = self.now.saturating_sub(self.status.contact) > SILENT;
        match (silent, error.is_empty()) {
            (true, _) => {
                Line::yellow(format!("{last}{why}"), "check network and server, then: tollgate fleet sync")
            }
            (false, false) => {
                Line::yellow(format!("{last}{why}"), format!("nothing: it is tried again {}", self.next()))
            }
            (false, true) => Line::green(last),
        }
    }

    fn next(&self) -> String {
        match self.status.retry_at.saturating_sub(self.now) {
            0 => "at the next event of an agent".to_owned(),
            seconds => format!("in {seconds} s"),
        }
    }

    fn log(&self) -> Line {
        let head = number(self.status.head.seq);
        match self.behind() {
            0 if self.status.head.seq == 0 => Line::green("the log is empty; nothing to send"),
            0 => Line::green(format!("the server has the log up to record {head}, which is all of it")),
            behind => {
                let behind = counted(behind, "record");
                Line::green(format!("the server has the log up to record {head}; {behind} to send"))
            }
        }
    }

    fn policy(&self) -> Line {
        match &self.in_force {
            None => Line::green("no policy of the fleet yet; the machine's and the user's own are in force"),
            Some(policy) => {
                let ends = match policy.expires.saturating_sub(self.now) {
                    0 => "expired".to_owned(),
                    left => format!("expires in {}", span(left)),
                };
                let digest: String = policy.installed.digest.chars().take(12).collect();
                let version = policy.installed.version;
                Line::green(format!("policy version {version} ({digest}) is in force; {ends}"))
            }
        }
    }

    fn observed(&self) -> Option<Line> {
        let observed = self.status.observed.as_ref()?;
        let version = observed.bundle.version;
        let (calls, refusals) = (counted(observed.calls, "call"), number(observed.refusals));
        Some(Line::green(format!(
            "policy version {version} is observed: {calls} judged, {refusals} would be refused that pass now"
        )))
    }

    /// How long ago, from seconds since 1970.
    fn ago(&self, then: u64) -> String {
        match self.now.saturating_sub(then) {
            0..MINUTE => "just now".to_owned(),
            passed => format!("{} ago", span(passed)),
        }
    }

    /// Prints it for a person.
    pub fn print(&self) {
        heading("Fleet");
        self.lines().iter().for_each(Line::print);
        let courier = if tollgate_courier::is_running(&self.state) { "running" } else { "not running" };
        if self.member.is_some() {
            out::line(&format!(
                "\n  Courier: {courier}. Hooks start it; to synchronise now: tollgate fleet sync"
            ));
        }
    }

    /// As JSON.
    pub fn value(&self) -> Value {
        let Some(member) = &self.member else { return json!({ "joined": false }) };
        let enforced = self.in_force.as_ref().map(|policy| {
            json!({ "version": policy.installed.version, "digest": policy.installed.digest, "expires": policy.expires })
        });
        let observed = self.status.observed.as_ref().map(|one| {
            json!({
                "version": one.bundle.version, "digest": one.bundle.digest,
                "calls": one.calls, "refusals": one.refusals,
            })
        });
        let error = Some(&self.status.error).filter(|error| !error.is_empty());
        json!({
            "joined": true, "server": member.server, "fleet": member.fleet, "machine": member.machine,
            "group": member.group, "since": member.joined, "contact": self.status.contact,
            "head": { "seq": self.status.head.seq, "hash": self.status.head.hash },
            "behind": self.behind(), "sent": self.status.sent, "enforced": enforced, "observed": observed,
            "revoked": self.status.revoked, "error": error, "retry_at": self.status.retry_at,
            "faults": self.status.faults, "incidents": self.status.incidents,
            "running": tollgate_courier::is_running(&self.state),
        })
    }
}

/// A fault as it was told to the server.
fn fault_line(kind: &str, text: &str) -> Line {
    match kind {
        "bundle-expired" => {
            Line::red(text, "ask the administrator for a new bundle, then: tollgate fleet sync")
        }
        "bundle-refused" => Line::red(
            format!("a policy bundle was refused: {text}"),
            "the last valid one stays in force; ask the administrator for another",
        ),
        "group-changed" => {
            Line::yellow(text, "to accept it: tollgate fleet leave, then join with a token of that group")
        }
        "clock" => Line::yellow(text, "set the clock; until then approvals of the server do not work here"),
        kind => Line::yellow(format!("{kind}: {text}"), "tollgate fleet sync"),
    }
}

fn span(seconds: u64) -> String {
    match seconds {
        0..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..172_800 => format!("{} h", seconds / HOUR),
        _ => format!("{} days", seconds / DAY),
    }
}
