//! What the present policy makes of a recorded call.
//!
//! A finding that the log has is a fact: what it saw of files, git and the session then is gone by now. So recorded findings
//! stay, at the present level of their rule. What is judged in a still world only adds what a rule sees in the call's text.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use tollgate_model::{Level, Rule, Verdict};
use tollgate_policy::{Policy, Request};
use tollgate_rules::Rules;

use super::judge::{Found, Said};
use crate::dirs::{Dirs, MANAGED};

/// A call as the log has it.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub said: Said,
    /// The digest of the policy that it was judged by.
    pub policy: String,
    /// The folder of its project.
    pub project: String,
}

/// What the present policy makes of a recorded call.
pub enum Now {
    /// This, as far as the record tells.
    Said(Said),
    /// A rule might see something now, but only the files of then could tell.
    Unknown(Said),
}

/// Judges recorded calls by their facts.
pub struct Facts<'p> {
    policy: &'p Policy,
    digests: Digests<'p>,
}

impl<'p> Facts<'p> {
    pub fn new(policy: &'p Policy, dirs: &'p Dirs, state: &'p Path) -> Self {
        Self { policy, digests: Digests { dirs, state, known: Mutex::default() } }
    }

    /// `still` is what the present policy says to the call in a world that stands still.
    pub fn weigh(&self, then: &Recorded, still: &Said) -> Now {
        if !then.policy.is_empty() && self.digests.of(&then.project) == then.policy {
            return Now::Said(then.said.clone());
        }
        let kept: Vec<Found> = then.said.found.iter().filter_map(|found| self.kept(found, still)).collect();
        let fresh = still.found.iter().filter(|new| then.said.found.iter().all(|old| old.rule != new.rule));
        let (sure, unsure): (Vec<&Found>, Vec<&Found>) = fresh.partition(|new| new.is_sure);
        let all: Vec<Found> = kept.into_iter().chain(sure.into_iter().cloned()).collect();
        let said = match all == then.said.found {
            // The same findings: what a person or the mode made of them then would be made of them now.
            true => then.said.clone(),
            false => Said {
                verdict: all.iter().map(|found| found.verdict).max().unwrap_or_default(),
                found: all,
                ..Said::default()
            },
        };
        match unsure.iter().any(|found| found.verdict > said.verdict) {
            true => Now::Unknown(said),
            false => Now::Said(said),
        }
    }

    /// A recorded finding at the present level of its rule; none where the rule is off or an exception lets the call pass.
    fn kept(&self, found: &Found, still: &Said) -> Option<Found> {
        let Some(card) = tollgate_rules::all().map(Rule::card).find(|card| card.id == found.rule) else {
            // A workflow, a middleware or a rule of a policy file.
            return Some(found.clone());
        };
        let level = self.policy.level(card);
        if level == Level::Off || still.excepted.contains(&found.rule) {
            return None;
        }
        let judged = still.found.iter().find(|new| new.rule == found.rule && new.is_sure);
        let verdict = match (level == card.level, judged) {
            (true, _) => found.verdict,
            (false, Some(judged)) => judged.verdict,
            (false, None) => level_verdict(level),
        };
        Some(Found { verdict, ..found.clone() })
    }
}

fn level_verdict(level: Level) -> Verdict {
    match level {
        Level::Off => Verdict::Allow,
        Level::Note => Verdict::Note,
        Level::Save => Verdict::Save,
        Level::Ask => Verdict::Ask,
        Level::Deny => Verdict::Deny,
    }
}

/// The present policy's digest in each project.
struct Digests<'p> {
    dirs: &'p Dirs,
    state: &'p Path,
    known: Mutex<HashMap<String, String>>,
}

impl Digests<'_> {
    fn of(&self, project: &str) -> String {
        let Ok(mut known) = self.known.lock() else { return String::new() };
        known.entry(project.to_owned()).or_insert_with(|| self.look(project)).clone()
    }

    fn look(&self, project: &str) -> String {
        let request = Request {
            managed_dir: Path::new(MANAGED),
            config_dir: &self.dirs.config,
            state_dir: self.state,
            project: (!project.is_empty()).then(|| Path::new(project)),
            built: None,
            cwd: Path::new(if project.is_empty() { "/" } else { project }),
        };
        tollgate_policy::look(&request, &Rules).digest
    }
}
