//! How long the agent waits for an answer, and so how long everything on the way to it may take together.

use std::time::{Duration, Instant};

use tollgate_lastword::{self as lastword, Deadline};

/// Our own deadline without middleware: far below the time-outs that `init` registers.
pub const DEADLINE: Duration = Duration::from_millis(4500);

/// An agent that waits for one answer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    last_words: Instant,
    /// When a program must be done.
    until: Instant,
    /// How long the record may take once the deadline has answered.
    grace: Duration,
}

impl Patience {
    /// Of an agent, by its name and the event's, since `start`.
    pub fn of(agent: &str, event: &str, start: Instant) -> Self {
        let limit = tollgate_agents::install::patience(agent, event);
        let margin = (limit / MARGIN).min(LARGEST_MARGIN);
        let last_words = start + limit - margin;
        let to_answer = (limit / TO_ANSWER).clamp(SHORTEST_TO_ANSWER, LARGEST_MARGIN);
        let until = last_words.checked_sub(to_answer).unwrap_or(last_words);
        Self { last_words, until, grace: margin / 2 }
    }

    /// When a program must be done, so that what it says or why it did not can still be told.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// How long a program may take that would like to take so long.
    pub fn within(&self, work: Duration) -> Duration {
        work.min(self.until.saturating_duration_since(Instant::now()))
    }

    /// Moves our own deadline for work that takes so long, but never beyond the agent's.
    pub fn extend(&self, work: Duration) {
        lastword::extend(self.deadline(work));
    }

    /// The deadline for work of so long: its own time, but by the clock never beyond the agent's.
    pub fn deadline(&self, work: Duration) -> Deadline {
        let left = self.last_words.saturating_duration_since(Instant::now());
        // Never nothing, which would be no deadline at all.
        let latest = left.max(Duration::from_millis(1));
        Deadline { own: work.min(latest), latest, grace: self.grace }
    }
}

/// The part of the agent's time that is left for its own work around ours: a process has to be started and ended.
const MARGIN: u32 = 6;
const LARGEST_MARGIN: Duration = Duration::from_secs(10);

/// The part of the agent's time that is left for writing the record and the answer, and the least that is.
const TO_ANSWER: u32 = 20;
const SHORTEST_TO_ANSWER: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_hears_the_last_words_before_it_gives_up() {
        let start = Instant::now();
        for adapter in tollgate_agents::ADAPTERS {
            let agent = adapter.agent().name();
            for row in adapter.profile().events {
                let limit = tollgate_agents::install::patience(agent, row.name);
                let patience = Patience::of(agent, row.name, start);
                let last = patience.last_words - start;
                assert!(limit - last >= LARGEST_MARGIN.min(limit / 7), "{agent} {}", row.name);
                assert!(
                    patience.deadline(Duration::from_secs(999_999)).latest <= last,
                    "{agent} {}",
                    row.name
                );
                assert!(last + patience.grace < limit, "{agent} {}", row.name);
                assert!(patience.until() < patience.last_words, "{agent} {}", row.name);
            }
        }
    }

    #[test]
    fn known_limits() {
        for (agent, event, seconds) in [
            ("claude-code", "PreToolUse", 50),
            ("claude-code", "Stop", 590),
            ("codex", "PreToolUse", 86_390),
            ("codex", "Stop", 590),
            ("gemini-cli", "BeforeTool", 86_390),
            ("qwen-code", "PreToolUse", 50),
            ("qwen-code", "Stop", 50),
            ("copilot-cli", "preToolUse", 86_390),
            ("copilot-cli", "PreToolUse", 25),
            ("opencode", "tool.execute.before", 50),
            ("cline", "PreToolUse", 110),
            ("windsurf", "pre_run_command", 25),
            ("generic", "pre-tool", 25),
        ] {
            let start = Instant::now();
            let patience = Patience::of(agent, event, start);
            assert_eq!(patience.last_words - start, Duration::from_secs(seconds), "{agent} {event}");
        }
    }

    #[test]
    fn a_deadline_that_has_passed_is_still_one() {
        let long_ago = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        let patience = Patience::of("qwen-code", "PreToolUse", long_ago);
        assert_eq!(patience.within(Duration::from_secs(5)), Duration::ZERO);
        assert_eq!(patience.deadline(Duration::from_secs(5)).own, Duration::from_millis(1));
    }
}
