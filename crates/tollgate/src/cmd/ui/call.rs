//! One call of the log, judged again for its effects and their places in the source.

use serde_json::{Value, json};
use tollgate_model::json::{self as written, Value as Json};
use tollgate_model::{Case, Certainty, Effect, Event, Finding, Span, ToolCall};

use crate::cmd::replay::{Still, Written};

/// The longest source that is sent.
const LONGEST: usize = 256 << 10;

/// `source`, `language`, `effects` and `findings`. What was found then is told; where it stands is computed.
pub fn explain(still: &Still, line: &str) -> Value {
    let record = written::parse(line.as_bytes()).unwrap_or(Json::Null);
    let call = Written::Line(line.to_owned());
    let event = record.get("input").and_then(|_| call.event());
    let (source, language) = source(event.as_ref(), &record);
    let (effects, now) = event.map(|event| judge(still, &event)).unwrap_or_default();
    let offsets = Offsets::of(&source, language == "shell");
    json!({
        "language": language,
        "effects": effects.iter().map(|one| effect(one, &offsets)).collect::<Vec<_>>(),
        "findings": findings(&record, &now, &offsets),
        "source": source,
    })
}

/// The text that spans point into; for other calls than commands what their input says.
fn source(event: Option<&Event>, record: &Json) -> (String, &'static str) {
    match event.and_then(Event::pending).map(|tool| &tool.call) {
        Some(ToolCall::Shell { command, .. }) => (cut(command), "shell"),
        Some(_) => {
            let mut text = String::new();
            if let Some(input) = record.get("input") {
                written::write(input, &mut text);
            }
            (cut(&text), "json")
        }
        None => (cut(&tollgate_index::subject(record)), "text"),
    }
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}

fn judge(still: &Still, event: &Event) -> (Vec<Effect>, Vec<Finding>) {
    let world = still.world(event);
    let effects = tollgate_effects::analyse(event, &world);
    let case = Case { event, effects: &effects, world: &world };
    let policy = tollgate_policy::Policy::builtin();
    let found =
        tollgate_pipeline::opinions(&case, &policy).into_iter().filter_map(|one| one.finding).collect();
    (effects, found)
}

fn effect(effect: &Effect, offsets: &Offsets) -> Value {
    let certainty = match effect.certainty {
        Certainty::Certain => "certain",
        Certainty::Possible => "possible",
        Certainty::Budget => "budget",
    };
    json!({
        "kind": effect.kind.name(), "what": effect.told(), "certainty": certainty,
        "span": offsets.span(effect.span),
    })
}

fn findings(record: &Json, now: &[Finding], offsets: &Offsets) -> Vec<Value> {
    let then = record.get("findings").and_then(Json::as_list).unwrap_or_default();
    let value = |finding: &Json| {
        let text = |key| finding.text(key).unwrap_or_default();
        let again = now.iter().find(|one| one.rule == text("rule"));
        json!({
            "rule": text("rule"), "verdict": text("verdict"), "what": text("what"),
            "instead": again.map_or("", |one| one.hit.instead.as_str()),
            "span": again.and_then(|one| offsets.span(one.hit.span)),
        })
    };
    then.iter().map(value).collect()
}

/// From bytes to UTF-16 code units, which is how a browser counts.
struct Offsets<'s> {
    source: &'s str,
    fits: bool,
}

impl<'s> Offsets<'s> {
    fn of(source: &'s str, fits: bool) -> Self {
        Self { source, fits }
    }

    fn span(&self, span: Span) -> Option<Value> {
        let units = |end: u32| Some(self.source.get(..end as usize)?.encode_utf16().count());
        let (start, end) = (units(span.start)?, units(span.end)?);
        (self.fits && end > start).then(|| json!({ "start": start, "end": end }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_count_as_browsers_do() {
        let offsets = Offsets::of("é😀 rm x", true);
        assert_eq!(offsets.span(Span::new(7, 9)), Some(json!({ "start": 4, "end": 6 })));
        assert_eq!(offsets.span(Span::new(1, 3)), None, "inside a letter");
        assert_eq!(offsets.span(Span::new(3, 99)), None);
        assert_eq!(offsets.span(Span::new(0, 0)), None);
    }
}
