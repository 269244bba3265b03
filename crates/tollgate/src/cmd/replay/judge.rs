//! Judging on all cores. Sessions repeat themselves, so that each core remembers what it has judged.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use tollgate_model::{Case, Certainty, Event, Exemption, StillFile, StillWorld, Verdict};
use tollgate_pipeline::Judgement;
use tollgate_policy::Policy;

use super::past::{Source, Written};
use super::recorded::{Facts, Now};
use super::tally::Tally;
use crate::dirs::{Dirs, MANAGED};
use crate::exceptions;
use crate::table::Bar;

/// Verdicts that a core remembers.
const MOST_KNOWN: usize = 100_000;

/// What the new verdict is compared with.
pub enum Baseline {
    /// What the gate said then, and the facts that it recorded.
    Recorded,
    /// What this policy would say in the same still world.
    Policy(Box<Policy>),
}

/// Everything that a judgement needs.
pub struct Judges<'d> {
    pub policy: Policy,
    pub baseline: Baseline,
    pub still: Still,
    pub dirs: &'d Dirs,
    pub state: &'d Path,
}

/// Where the calls of the past are judged: a world of which little is known, so that it is the same tomorrow.
pub struct Still {
    home: String,
    own: Vec<String>,
}

impl Still {
    /// That of a user, whose own files are protected in it, too.
    pub fn of(dirs: &Dirs, state: &Path) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Self { home: text(&dirs.home), own: [&dirs.config, state, Path::new(MANAGED)].map(text).into() }
    }

    /// A home, the call's project and the temporary folders; nothing else is known.
    pub fn world(&self, event: &Event) -> StillWorld {
        let project = event.project.as_deref().unwrap_or(&event.cwd);
        let mut world = StillWorld {
            home: self.home.clone(),
            workspace: project.to_owned(),
            temp: vec!["/tmp".into(), "/var/tmp".into(), "/dev/shm".into()],
            own: self.own.clone(),
            ..StillWorld::default()
        };
        for folder in [self.home.as_str(), project, &event.cwd, "/tmp"] {
            world.files.insert(folder.to_owned(), StillFile::Dir);
        }
        world
    }
}

/// A verdict and the findings behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub verdict: Verdict,
    pub found: Vec<Found>,
    /// The rules that found something which an exception of the policy lets pass.
    pub excepted: Vec<String>,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: String,
    pub verdict: Verdict,
    /// It hangs on the text of the call alone, and on no file.
    pub is_sure: bool,
}

impl Said {
    /// The rule that decides: the first of those with the strictest verdict.
    pub fn decider(&self) -> Option<&str> {
        let strictest = self.found.iter().map(|found| found.verdict).max()?;
        self.found.iter().find(|found| found.verdict == strictest).map(|found| found.rule.as_str())
    }
}

impl Judges<'_> {
    /// Judges everything that a source has.
    pub fn run(&self, source: Source, since: Option<i64>, examples: usize) -> anyhow::Result<Tally> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (batches_in, batches_out) = sync_channel::<Vec<Written>>(cores * 2);
        let batches_out = Mutex::new(batches_out);
        let mut whole = Tally::new(examples);
        let start = std::time::Instant::now();
        let facts = Facts::new(&self.policy, self.dirs, self.state);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..cores)
                .map(|_| scope.spawn(|| self.work(&batches_out, &facts, since, examples)))
                .collect();
            let mut bar = Bar::new("judging");
            source.read(|batch, done, of| {
                bar.at(done, of);
                batches_in.send(batch).is_ok()
            });
            drop(batches_in);
            for worker in workers {
                match worker.join() {
                    Ok(tally) => whole.join(tally),
                    Err(_) => anyhow::bail!("a call of the past could not be judged"),
                }
            }
            Ok(())
        })?;
        whole.took = start.elapsed();
        Ok(whole)
    }

    fn work(
        &self,
        batches: &Mutex<std::sync::mpsc::Receiver<Vec<Written>>>,
        facts: &Facts,
        since: Option<i64>,
        examples: usize,
    ) -> Tally {
        let mut tally = Tally::new(examples);
        let mut known: HashMap<blake3::Hash, Option<(Said, Option<Said>)>> = HashMap::new();
        loop {
            let Ok(batch) = batches.lock().map_err(|_| ()).and_then(|batches| batches.recv().map_err(|_| ()))
            else {
                return tally;
            };
            for (written, glance) in batch.iter().filter_map(|one| Some((one, one.glance(since)?))) {
                // Bounded, whatever the past holds.
                if known.len() > MOST_KNOWN {
                    known.clear();
                }
                let judged = || written.event().map(|event| self.both(&event));
                let Some((still, other)) = known.entry(glance.key).or_insert_with(judged) else { continue };
                let about = || about(written);
                match (other, &glance.recorded) {
                    (Some(other), _) => tally.add(other, still, about),
                    (None, None) => tally.add(&Said::default(), still, about),
                    (None, Some(recorded)) => match facts.weigh(recorded, still) {
                        Now::Said(now) => tally.add(&recorded.said, &now, about),
                        Now::Unknown(now) => {
                            tally.unknown += 1;
                            tally.add(&recorded.said, &now, about);
                        }
                    },
                }
            }
        }
    }

    /// What the policy says to a call, and what the other one says that it is compared with.
    pub fn both(&self, event: &Event) -> (Said, Option<Said>) {
        let world = self.still.world(event);
        let other = match &self.baseline {
            Baseline::Recorded => None,
            Baseline::Policy(policy) => Some(said(event, &world, policy)),
        };
        (said(event, &world, &self.policy), other)
    }
}

fn said(event: &Event, world: &StillWorld, policy: &Policy) -> Said {
    let Judgement { effects, mut decision } = tollgate_pipeline::judge(event, world, policy);
    let before: Vec<String> = decision.findings.iter().map(|finding| finding.rule.clone()).collect();
    if decision.verdict.refuses() && !policy.allow.is_empty() {
        let case = Case { event, effects: &effects, world };
        tollgate_pipeline::exempt(&mut decision, &case, policy, &exceptions_of(policy, world, event));
    }
    let found: Vec<Found> = decision
        .findings
        .into_iter()
        .map(|finding| Found {
            is_sure: finding.hit.certainty == Certainty::Certain && !finding.savable,
            verdict: finding.verdict,
            rule: finding.rule,
        })
        .collect();
    let excepted = before.into_iter().filter(|rule| found.iter().all(|left| left.rule != *rule)).collect();
    Said { verdict: decision.verdict, found, excepted }
}

/// The policy's own exceptions that count for a call. Those that a person made for a while are not of the policy.
pub fn exceptions_of(policy: &Policy, world: &StillWorld, event: &Event) -> Vec<Exemption> {
    let now = exceptions::now();
    let counts = |one: &&Exemption| one.is_alive(now) && one.is_for(&world.workspace, &event.session);
    policy.allow.iter().filter(counts).cloned().collect()
}

/// What a call is about, without secrets.
fn about(written: &Written) -> String {
    let event = written.event();
    let Some(tool) = event.as_ref().and_then(Event::pending) else { return String::new() };
    let record = tollgate_model::json::object([("input", tool.input.clone())]);
    let text = tollgate_index::subject(&record);
    format!("{} {}", tool.name, tollgate_store::redact(&text))
}
