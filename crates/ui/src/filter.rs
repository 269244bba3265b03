//! What somebody types into the search field: words and `name:value` filters.

use tollgate_index::Query;

use crate::refusal::{Code, Refusal};
use crate::row::Outcome;

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// What the log answers.
    pub query: Query,
    /// What became of the call.
    pub outcome: Option<Outcome>,
    /// The agent's whole session id: a query knows beginnings.
    pub session: Option<String>,
}

impl Wanted {
    /// Reads a filter. `time` reads a point in time as people type it.
    ///
    /// # Errors
    /// When a filter or a time is unknown, or a quote is not closed.
    pub fn read(text: &str, time: &dyn Fn(&str) -> Result<i64, String>) -> Result<Self, Refusal> {
        let mut query = Query { fold: true, ..Query::default() };
        let mut outcome = None;
        for word in words(text)? {
            match word {
                Word::Text(text) => query.texts.push(text),
                Word::Filter(name, value) => {
                    let place = match name.as_str() {
                        "rule" => &mut query.rule,
                        "agent" => &mut query.agent,
                        "verdict" => &mut query.verdict,
                        "path" => &mut query.path,
                        "project" => &mut query.project,
                        "session" => &mut query.session,
                        "tool" => &mut query.tool,
                        "subagent" => &mut query.subagent,
                        "event" => &mut query.event,
                        "outcome" => {
                            outcome = Some(outcome_named(&value)?);
                            continue;
                        }
                        "since" => {
                            query.since = Some(time(&value).map_err(bad)?);
                            continue;
                        }
                        "until" => {
                            query.until = Some(time(&value).map_err(bad)?);
                            continue;
                        }
                        _ => {
                            return Err(bad(format!("there is no filter `{name}:`")).hint(format!(
                                "Filters: {}. Put quotes around a text with a colon.",
                                NAMES.join(" ")
                            )));
                        }
                    };
                    *place = Some(value);
                }
            }
        }
        Ok(Self { query: query.ready(), outcome, session: None })
    }
}

const NAMES: [&str; 12] = [
    "rule:",
    "agent:",
    "verdict:",
    "path:",
    "project:",
    "session:",
    "tool:",
    "subagent:",
    "event:",
    "outcome:",
    "since:",
    "until:",
];

fn bad(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::BadRequest, message)
}

fn outcome_named(name: &str) -> Result<Outcome, Refusal> {
    match name {
        "open" => Ok(Outcome::Open),
        "ran" => Ok(Outcome::Ran),
        "failed" => Ok(Outcome::Failed),
        "none" => Ok(Outcome::None),
        "refused" => Ok(Outcome::Refused),
        _ => Err(bad(format!("`{name}` is no outcome; write open, ran, failed, none or refused"))),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Word {
    Text(String),
    Filter(String, String),
}

/// Words, of which quotes make one. A name is what stands before the first colon outside quotes.
fn words(text: &str) -> Result<Vec<Word>, Refusal> {
    let mut words = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(first) = letters.peek() {
        if first.is_whitespace() {
            letters.next();
            continue;
        }
        let (mut name, mut word, mut quoted) = (None, String::new(), false);
        while let Some(letter) = letters.next_if(|letter| quoted || !letter.is_whitespace()) {
            match letter {
                '"' => quoted = !quoted,
                ':' if !quoted && name.is_none() && is_name(&word) => name = Some(std::mem::take(&mut word)),
                letter => word.push(letter),
            }
        }
        if quoted {
            return Err(bad("a quote is not closed"));
        }
        match name {
            // A name that is still being typed filters nothing.
            Some(_) if word.is_empty() => {}
            Some(name) => words.push(Word::Filter(name, word)),
            None => words.push(Word::Text(word)),
        }
    }
    Ok(words)
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Wanted, Refusal> {
        Wanted::read(text, &|text| text.parse().map_err(|_| format!("`{text}` is no time")))
    }

    #[test]
    fn words_and_filters_are_told_apart() {
        let wanted = read(r#"agent:codex push "a:b c" path:"x y" outcome:failed since:7 rule:"#).unwrap();
        let query = wanted.query;
        assert_eq!(query.agent.as_deref(), Some("codex"));
        assert_eq!(query.path.as_deref(), Some("x y"));
        assert_eq!(query.texts, ["push", "a:b c"]);
        assert_eq!((query.since, query.rule), (Some(7), None));
        assert_eq!(wanted.outcome, Some(Outcome::Failed));
        assert_eq!(read("/a:b C:\\x").unwrap().query.texts, ["/a:b", "c:\\x"]);
    }

    #[test]
    fn what_is_not_understood_is_said() {
        for text in ["http://x", "outcome:fine", "since:x", "\"open"] {
            assert_eq!(read(text).unwrap_err().code, Code::BadRequest, "{text}");
        }
    }
}
