//! Who is at work, who waits for a person, and why.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;
use tollgate_model::json::Value;
use tollgate_store::micros_of;

use crate::row::{Ending, Outcome, Row};

/// A session without an event for that long is idle, whatever it said last; one with a call under way may take longer.
const SILENCE: i64 = 15 * MINUTE;
const LONG_SILENCE: i64 = 120 * MINUTE;
const MINUTE: i64 = 60_000_000;
/// Sessions and calls under way that are remembered.
const MOST: usize = 2_000;

/// How a session stands. Ordered by what a person should look at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a person's answer.
    Waiting,
    /// Its last call was refused.
    Refused,
    /// It is at work.
    Working,
    /// Nothing is under way.
    Idle,
}

impl State {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Refused => "refused",
            Self::Working => "working",
            Self::Idle => "idle",
        }
    }
}

/// One session on the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "crates/ui/openapi.yaml describes each")]
pub struct Card {
    pub id: String,
    pub agent: String,
    pub session: String,
    pub project: String,
    pub cwd: String,
    pub state: State,
    pub why: String,
    pub since: String,
    pub seq: u64,
    pub last: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    pub calls: u64,
    pub asked: u64,
    pub refused: u64,
    pub actors: usize,
}

/// All sessions that were met.
#[derive(Debug, Default)]
pub struct Board {
    sessions: HashMap<String, Session>,
}

#[derive(Debug)]
struct Session {
    card: Card,
    /// Calls under way, by id.
    open: BTreeMap<String, Row>,
    actors: HashSet<String>,
    /// The last call of the main agent was refused, and nothing was tried since.
    refused: bool,
    /// The host shows a question of its own.
    asks: Option<Why>,
    /// What was last begun or ended.
    last: Why,
    ended: bool,
}

/// A state's reason and where it is from.
#[derive(Clone, Debug, Default)]
struct Why {
    text: String,
    since: String,
    seq: u64,
    code: String,
}

impl Board {
    /// Takes in a record that is no result.
    pub fn add(&mut self, row: &Row, call: &str) {
        if row.session.starts_with("tollgate-canary-") || row.agent == "tollgate" || row.session.is_empty() {
            return;
        }
        self.make_room();
        let session = self.sessions.entry(row.session_id.clone()).or_insert_with(|| Session::of(row));
        session.add(row, call);
    }

    /// Takes in the result of a call.
    pub fn end(&mut self, record: &Value) {
        let part = |key: &str| record.text(key).unwrap_or_default();
        let id = crate::row::session_id(part("agent"), part("session"));
        let Some(session) = self.sessions.get_mut(&id) else { return };
        part("ts").clone_into(&mut session.card.last);
        if let Some((call, ending)) = Ending::of(record)
            && let Some(row) = session.open.remove(&call)
        {
            session.asks = None;
            let what = if ending.outcome == Outcome::None { "Declined" } else { "Last" };
            session.last = Why {
                text: format!("{what}: {}", row.title()),
                since: ending.at,
                seq: ending.seq,
                code: String::new(),
            };
        }
    }

    /// The cards, those that wait first, then the latest.
    #[must_use]
    pub fn cards(&self, now: i64) -> Vec<Card> {
        let mut cards: Vec<Card> = self.sessions.values().map(|session| session.card(now)).collect();
        cards.sort_by(|one, other| one.state.cmp(&other.state).then_with(|| other.last.cmp(&one.last)));
        cards
    }

    /// Forgets the sessions that were silent the longest.
    fn make_room(&mut self) {
        if self.sessions.len() < MOST {
            return;
        }
        let mut last: Vec<String> = self.sessions.values().map(|one| one.card.last.clone()).collect();
        last.sort_unstable();
        let Some(border) = last.get(MOST / 2).cloned() else { return };
        self.sessions.retain(|_, session| session.card.last > border);
    }
}

impl Session {
    fn of(row: &Row) -> Self {
        let card = Card {
            id: row.session_id.clone(),
            agent: row.agent.clone(),
            session: row.session.clone(),
            project: row.project.clone(),
            cwd: row.cwd.clone(),
            state: State::Idle,
            why: String::new(),
            since: row.at.clone(),
            seq: row.seq,
            last: row.at.clone(),
            code: String::new(),
            calls: 0,
            asked: 0,
            refused: 0,
            actors: 0,
        };
        Self {
            card,
            open: BTreeMap::new(),
            actors: HashSet::new(),
            refused: false,
            asks: None,
            last: Why::default(),
            ended: true,
        }
    }

    fn add(&mut self, row: &Row, call: &str) {
        self.card.last.clone_from(&row.at);
        if !row.project.is_empty() {
            self.card.project.clone_from(&row.project);
        }
        let why = |text: String| Why { text, since: row.at.clone(), seq: row.seq, code: row.code.clone() };
        match row.phase.as_str() {
            "pre-tool" => self.begin(row, call),
            "permission" => self.asks = Some(why(format!("Asks for permission: {}", row.title()))),
            "notification" if row.subject.contains("permission") || row.subject.contains("elicitation") => {
                self.asks = Some(why(row.subject.clone()));
            }
            "notification" => {}
            "prompt" | "session-start" => {
                (self.asks, self.refused, self.ended) = (None, false, row.phase != "prompt");
                let text =
                    if row.phase == "prompt" { row.subject.clone() } else { "Session started".to_owned() };
                self.last = why(text);
            }
            "stop" | "stop-error" | "session-end" => self.end_turn(row),
            "subagent-start" => {
                self.actors.extend(row.actor.as_ref().map(|actor| actor.id.clone()));
            }
            "subagent-stop" => {
                if let Some(actor) = &row.actor {
                    self.actors.remove(&actor.id);
                    self.open.retain(|_, open| open.actor.as_ref() != Some(actor));
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, row: &Row, call: &str) {
        self.card.calls += 1;
        (self.asks, self.ended) = (None, false);
        let mut why = Why { text: row.title(), since: row.at.clone(), seq: row.seq, code: String::new() };
        self.refused = row.outcome == Outcome::Refused;
        if self.refused {
            self.card.refused += 1;
            why.text = format!("{} [{}]", row.reason, row.rules.join(" "));
            why.code.clone_from(&row.code);
        } else {
            self.card.asked += u64::from(row.verdict == "ask");
            if self.open.len() < MOST {
                self.open.insert(call.to_owned(), row.clone());
            }
        }
        self.last = why;
    }

    fn end_turn(&mut self, row: &Row) {
        self.open.retain(|_, open| row.phase != "session-end" && open.actor.is_some());
        (self.asks, self.ended) = (None, true);
        if self.refused && row.phase != "session-end" {
            return;
        }
        self.refused = false;
        let text = match row.phase.as_str() {
            "session-end" => "Session ended",
            "stop-error" => "Its turn ended with an error",
            _ => "Its turn ended",
        };
        self.last = Why { text: text.to_owned(), since: row.at.clone(), seq: row.seq, code: String::new() };
    }

    fn card(&self, now: i64) -> Card {
        let silent = now - micros_of(&self.card.last).unwrap_or(now);
        let asked = self.open.values().filter(|row| row.verdict == "ask").min_by_key(|row| row.seq);
        let asked = asked.map(|row| Why {
            text: format!("Waits for your answer: {}", row.title()),
            since: row.at.clone(),
            seq: row.seq,
            code: row.code.clone(),
        });
        let running = self.open.values().max_by_key(|row| row.seq).map(|row| Why {
            text: row.title(),
            since: row.at.clone(),
            seq: row.seq,
            code: String::new(),
        });
        let patience = if self.open.is_empty() { SILENCE } else { LONG_SILENCE };
        let (state, why) = match (asked.or_else(|| self.asks.clone()), running) {
            (Some(why), _) => (State::Waiting, why),
            (None, _) if self.refused => (State::Refused, self.last.clone()),
            (None, Some(why)) if silent < patience => (State::Working, why),
            (None, None) if !self.ended && silent < patience => (State::Working, self.last.clone()),
            _ => (State::Idle, self.last.clone()),
        };
        let mut card = self.card.clone();
        (card.state, card.why, card.since, card.seq, card.code) =
            (state, why.text, why.since, why.seq, why.code);
        if card.since.is_empty() {
            card.since.clone_from(&card.last);
        }
        card.actors = self.actors.len();
        card
    }
}

#[cfg(test)]
mod tests {
    use tollgate_model::json;

    use super::*;

    fn told(lines: &[&str]) -> Card {
        let mut board = Board::default();
        for (seq, line) in lines.iter().enumerate() {
            let line = format!(
                r#"{{"seq":{},"ts":"2026-01-31T12:00:{seq:02}.000000Z","agent":"codex","session":"s","cwd":"/p",{line}}}"#,
                seq + 1
            );
            let record = json::parse(line.as_bytes()).unwrap();
            match Row::of(&record) {
                Some(row) => board.add(&row, record.text("id").unwrap_or_default()),
                None => board.end(&record),
            }
        }
        let now = micros_of("2026-01-31T12:01:00Z").unwrap();
        board.cards(now).remove(0)
    }

    const PROMPT: &str = r#""phase":"prompt","prompt":"fix it""#;
    const CALL: &str =
        r#""id":"1","phase":"pre-tool","tool":"Bash","input":{"command":"make"},"verdict":"allow""#;
    const DONE: &str = r#""id":"1","phase":"post-tool","tool":"Bash""#;
    const ASK: &str = r#""id":"2","phase":"pre-tool","tool":"Bash","input":{"command":"push"},"verdict":"ask","code":"c0de","findings":[{"rule":"r","verdict":"ask","what":"pushes"}]"#;
    const DENY: &str = r#""id":"3","phase":"pre-tool","tool":"Bash","input":{"command":"push"},"verdict":"deny","code":"c0de","findings":[{"rule":"r","verdict":"deny","what":"pushes"}]"#;
    const STOP: &str = r#""phase":"stop""#;

    #[test]
    fn a_card_says_who_waits_and_why() {
        for (lines, state, why) in [
            (&[PROMPT][..], State::Working, "fix it"),
            (&[PROMPT, CALL], State::Working, "Bash make"),
            (&[PROMPT, CALL, DONE], State::Working, "Last: Bash make"),
            (&[PROMPT, CALL, DONE, STOP], State::Idle, "Its turn ended"),
            (&[PROMPT, ASK], State::Waiting, "Waits for your answer: Bash push"),
            (&[PROMPT, ASK, CALL, DONE], State::Waiting, "Waits for your answer: Bash push"),
            (&[PROMPT, DENY], State::Refused, "pushes [r]"),
            (&[PROMPT, DENY, STOP], State::Refused, "pushes [r]"),
            (&[PROMPT, DENY, CALL], State::Working, "Bash make"),
            (&[PROMPT, DENY, STOP, PROMPT], State::Working, "fix it"),
            (&[PROMPT, ASK, STOP], State::Idle, "Its turn ended"),
            (
                &[
                    PROMPT,
                    r#""phase":"notification","topic":"permission_prompt","text":"needs your permission""#,
                ],
                State::Waiting,
                "needs your permission",
            ),
            (&[PROMPT, CALL, r#""phase":"session-end""#], State::Idle, "Session ended"),
        ] {
            let card = told(lines);
            assert_eq!((card.state, card.why.as_str()), (state, why), "{lines:?}");
        }
        assert_eq!(told(&[PROMPT, DENY]).code, "c0de");
    }

    #[test]
    fn silence_is_idle() {
        let mut board = Board::default();
        let record = json::parse(
            br#"{"seq":1,"ts":"2026-01-31T12:00:00.000000Z","agent":"codex","session":"s","phase":"prompt","prompt":"x"}"#,
        )
        .unwrap();
        board.add(&Row::of(&record).unwrap(), "");
        let at = micros_of("2026-01-31T12:00:00Z").unwrap();
        assert_eq!(board.cards(at + MINUTE)[0].state, State::Working);
        assert_eq!(board.cards(at + 20 * MINUTE)[0].state, State::Idle);
    }
}
