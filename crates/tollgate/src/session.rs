//! What a session's past makes of a decision: approvals by a person, and calls that are refused again and again.

use std::path::Path;
use std::time::SystemTime;

use tollgate_model::{
    Certainty, Decision, Effect, Entry, Event, Finding, Hit, Phase, Refusal, Repeats, Span, ToolUse, Verdict,
    World,
};

use crate::world::Machine;

/// The same call is told off once more, and then ends the turn.
const SAME: usize = 2;
/// Other words for the same thing get further, but not for ever.
const ALIKE: usize = 4;

/// A decision's session.
pub struct Session<'a> {
    pub event: &'a Event,
    pub effects: &'a [Effect],
    pub world: &'a Machine,
    pub state: &'a Path,
}

impl Session<'_> {
    /// Takes into account what a person has approved and what was refused before.
    pub fn weigh(&self, decision: &mut Decision) {
        let Some(tool) = self.event.pending().filter(|_| decision.verdict.refuses()) else { return };
        decision.digest = self.digest(tool);
        decision.code = short(&decision.digest);
        if self.is_approved(decision) {
            approve(decision);
        } else if decision.verdict == Verdict::Deny {
            self.weigh_repeats(tool, decision);
        }
    }

    /// Keeps what later calls are judged by: what this one leaves if it runs, or that it was refused.
    ///
    /// A memory that cannot be written changes no answer; it is told like a record that cannot be written.
    pub fn remember(&self, decision: &mut Decision, expressed: Verdict) {
        let entries = match (self.event.phase(), self.event.pending()) {
            (Phase::PreTool, Some(tool)) if expressed >= Verdict::Deny => {
                self.refused(self.refusal(tool, decision))
            }
            (Phase::PreTool, Some(_)) if !self.effects.is_empty() => {
                tollgate_effects::entries(self.effects, || self.world.memory())
            }
            (Phase::Prompt, _) if self.world.memory().refused_in_turn() => vec![Entry::Turn],
            _ => return,
        };
        let (agent, session) = (self.event.agent.name(), &self.event.session);
        let kept = match entries.as_slice() {
            [] => Ok(()),
            entries => tollgate_store::remember(self.state, agent, session, entries, self.world.memory()),
        };
        let faults = kept.err().into_iter().map(|fault| fault.to_string());
        let faults = faults.chain(self.world.memory_faults());
        decision.notices.extend(
            faults.map(|fault| format!("tollgate: the memory of this session could not be written: {fault}")),
        );
    }

    /// A refusal that is known, or one of very many, is not written down again: the memory stays small.
    fn refused(&self, refusal: Refusal) -> Vec<Entry> {
        let memory = self.world.memory();
        let many = memory.repeats(&refusal).alike > ALIKE;
        let entry = Entry::Refused(refusal);
        if many || memory.holds(&entry) { Vec::new() } else { vec![entry] }
    }

    /// Identifies a call: the same words with other effects are another call.
    fn digest(&self, tool: &ToolUse) -> String {
        let mut input = String::new();
        tollgate_model::json::write(&tool.input, &mut input);
        let effects = format!("{:?}", self.effects);
        digest(&[&self.event.session, &tool.name, &input, &self.event.cwd, &effects])
    }

    /// The way in which a call was refused, in whatever words it was asked for.
    fn refusal(&self, tool: &ToolUse, decision: &Decision) -> Refusal {
        let refusing = decision.findings.iter().filter(|finding| finding.verdict >= Verdict::Ask);
        let own = refusing.filter(|finding| finding.rule != REPEATED);
        let meaning: Vec<String> =
            own.map(|finding| format!("{}: {}", finding.rule, finding.hit.what)).collect();
        let mut meaning: Vec<&str> = meaning.iter().map(String::as_str).collect();
        // A workflow or a middleware says the same to calls that have nothing else in common.
        if meaning.iter().all(|text| text.starts_with("workflow/") || text.starts_with("middleware/")) {
            meaning.push(&decision.code);
        }
        Refusal { call: tool.id.clone(), code: decision.code.clone(), meaning: short(&digest(&meaning)) }
    }

    fn is_approved(&self, decision: &mut Decision) -> bool {
        if self.event.phase() != Phase::PreTool {
            return false;
        }
        match tollgate_store::take_grant(self.state, &decision.digest, SystemTime::now()) {
            Ok(approved) => approved,
            Err(fault) => {
                decision.notices.push(format!("tollgate: an approval could not be read: {fault}"));
                false
            }
        }
    }

    fn weigh_repeats(&self, tool: &ToolUse, decision: &mut Decision) {
        if self.event.phase() != Phase::PreTool {
            return;
        }
        let Repeats { same, alike } = self.world.memory().repeats(&self.refusal(tool, decision));
        let verdict = if same >= SAME || alike >= ALIKE { Verdict::Halt } else { Verdict::Deny };
        let (what, instead) = match (same, verdict) {
            _ if alike == 0 => return,
            (_, Verdict::Halt) => (
                format!("repeats a call that was refused {alike} times in this turn; the turn ends here"),
                "ask the person how to continue",
            ),
            (0, _) => (
                "does the same as a call that was just refused, in other words".to_owned(),
                "do not look for another way to do it. Do something else, or tell the person why it is needed",
            ),
            _ => (
                "repeats a call that was just refused; it will be refused each time".to_owned(),
                "do not repeat it. Do something else, or tell the person why it is needed",
            ),
        };
        decision.add(Finding {
            rule: REPEATED.to_owned(),
            verdict,
            savable: false,
            hit: Hit {
                what,
                instead: instead.to_owned(),
                span: Span::default(),
                certainty: Certainty::Certain,
            },
        });
    }
}

const REPEATED: &str = "repeated-call";

/// A person has let this one call pass: what was found is still recorded.
fn approve(decision: &mut Decision) {
    decision.notices.push(format!("tollgate: call {} is allowed once, as approved", decision.code));
    decision.verdict = Verdict::Note;
    for finding in &mut decision.findings {
        finding.verdict = finding.verdict.min(Verdict::Note);
    }
}

/// The part of a digest that people read and type. It is too short to prove anything.
fn short(digest: &str) -> String {
    digest.chars().take(8).collect()
}

/// A hash in hex over texts that cannot run into each other.
fn digest(texts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
