//! Hooks of other people's in a settings file that the gate can run in the agent's place, in its own pipeline. What the
//! gate could not run in the same way stays where it is.

use super::doc::{Doc, EditError};
use super::edit::{Entry, HOOKS, groups, insert};
use super::strip::strip;
use tollgate_model::json::Value;

/// The longest that a hook may take in the pipeline, in milliseconds: below what the gate itself may take.
pub const LONGEST: u64 = 50_000;

/// How an agent's hooks are read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its time-outs are in milliseconds, not in seconds.
    pub millis: bool,
    /// The events at which the gate runs a pipeline of its own.
    pub events: Vec<&'static str>,
    /// Those of them whose matchers are names of tools.
    pub tools: &'static [&'static str],
}

/// A hook that the gate can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// Where it was: its event, with a group of its own.
    pub entry: Entry,
    /// What is started.
    pub words: Vec<String>,
    /// In milliseconds.
    pub timeout: u64,
    /// The tools it is for; empty for all.
    pub tools: Vec<String>,
}

/// The hooks in a settings file that are not the gate's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Those that the gate can run, in the order in which they stand.
    pub taken: Vec<Adopted>,
    /// Those that stay, each with the reason.
    pub left: Vec<String>,
}

impl Adoption {
    /// Looks at settings without entries of the gate's own.
    #[must_use]
    pub fn of(settings: &Value, reading: &Reading) -> Self {
        let mut adoption = Self::default();
        for (event, _) in settings.get(HOOKS).and_then(Value::as_map).unwrap_or_default() {
            for group in groups(settings, event) {
                for handler in group.get(HOOKS).and_then(Value::as_list).unwrap_or_default() {
                    match adopted(event, group, handler, reading) {
                        Ok(adopted) => adoption.taken.push(adopted),
                        Err(why) => adoption.left.push(format!("{event}: `{}` {why}", shown(handler))),
                    }
                }
            }
        }
        adoption.part_twins(settings);
        adoption
    }

    /// The text without the hooks that are taken.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn strip(&self, text: &str) -> Result<String, EditError> {
        if self.taken.is_empty() {
            return Ok(text.to_owned());
        }
        strip(text, &|handler| self.holds(handler), Some(&[]))
    }

    /// Is one of them in this text?
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.strip(text).is_ok_and(|without| without != text)
    }

    fn holds(&self, handler: &Value) -> bool {
        self.taken.iter().any(|adopted| adopted.handler() == Some(handler))
    }

    /// A handler is told by what it says. One that also stands in a place where it must stay, stays in all.
    fn part_twins(&mut self, settings: &Value) {
        let all = settings.get(HOOKS).and_then(Value::as_map).unwrap_or_default().iter();
        let all = all.flat_map(|(event, _)| groups(settings, event));
        let all: Vec<&Value> =
            all.flat_map(|group| group.get(HOOKS).and_then(Value::as_list).unwrap_or_default()).collect();
        let taken = std::mem::take(&mut self.taken);
        let count =
            |adopted: &Adopted| taken.iter().filter(|other| other.handler() == adopted.handler()).count();
        let places =
            |adopted: &Adopted| all.iter().filter(|handler| adopted.handler() == Some(handler)).count();
        let (stay, go): (Vec<_>, Vec<_>) =
            taken.iter().cloned().partition(|adopted| count(adopted) < places(adopted));
        self.taken = go;
        let line = |adopted: &Adopted| {
            let what = adopted.handler().map(shown).unwrap_or_default();
            format!("{}: `{what}` also stands where it must stay", adopted.entry.event)
        };
        self.left.extend(stay.iter().map(line));
    }
}

/// Puts hooks back that were taken, but for those that somebody put back already.
///
/// # Errors
/// When the text is not JSON.
pub(super) fn put_back(text: &str, entries: &[Entry]) -> Result<String, EditError> {
    let settings = Doc::parse(text)?.value();
    let mut back = text.to_owned();
    for entry in entries.iter().filter(|entry| !groups(&settings, &entry.event).contains(&entry.group)) {
        back = insert(&back, std::slice::from_ref(entry))?.text;
    }
    Ok(back)
}

impl Adopted {
    fn handler(&self) -> Option<&Value> {
        self.entry.group.get(HOOKS).and_then(Value::as_list)?.first()
    }
}

fn adopted(event: &str, group: &Value, handler: &Value, reading: &Reading) -> Result<Adopted, String> {
    if !reading.events.contains(&event) {
        return Err("is for an event at which the gate runs nothing".to_owned());
    }
    if handler.text("type") != Some("command") {
        return Err("is no command".to_owned());
    }
    let set = |key: &&str| !matches!(handler.get(key), None | Some(Value::Bool(false)));
    if let Some(key) = ["async", "asyncRewake", "if", "once"].iter().find(|key| set(key)) {
        return Err(format!("has `{key}`"));
    }
    let tools = tools(group.text("matcher").unwrap_or_default(), reading.tools.contains(&event))?;
    let timeout = match handler.get("timeout") {
        Some(Value::Number(number)) => {
            let given: f64 = number.parse().map_err(|_| "has a time-out that is no number".to_owned())?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let given = (given * if reading.millis { 1.0 } else { 1000.0 }).clamp(1.0, 1e9) as u64;
            given
        }
        _ => LONGEST,
    };
    if timeout > LONGEST {
        return Err(format!("may take {} seconds, longer than the gate itself may", timeout / 1000));
    }
    let keep = |(name, value): &(String, Value)| {
        (name.clone(), if name == HOOKS { Value::List(vec![handler.clone()]) } else { value.clone() })
    };
    let group = Value::Map(group.as_map().unwrap_or_default().iter().map(keep).collect());
    let entry = Entry { event: event.to_owned(), group };
    Ok(Adopted { entry, words: words(handler)?, timeout, tools })
}

/// What a handler starts.
fn words(handler: &Value) -> Result<Vec<String>, String> {
    let command =
        handler.text("command").filter(|command| !command.trim().is_empty()).ok_or("starts nothing")?;
    if let Some(args) = handler.get("args").and_then(Value::as_list) {
        if command.contains('/') && !command.starts_with('/') {
            return Err("is started by a path that is not absolute".to_owned());
        }
        let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
        return Ok(std::iter::once(command.to_owned()).chain(args).collect());
    }
    let shell = match handler.text("shell") {
        None => "/bin/sh",
        Some("bash") => "/bin/bash",
        Some(other) => return Err(format!("wants the shell `{other}`")),
    };
    Ok([shell, "-c", command].map(str::to_owned).to_vec())
}

/// A matcher as patterns of tools.
fn tools(matcher: &str, of_tools: bool) -> Result<Vec<String>, String> {
    if matches!(matcher, "" | "*" | ".*") {
        return Ok(Vec::new());
    }
    if !of_tools {
        return Err(format!("has the matcher `{matcher}`, which is not about tools"));
    }
    let pattern = |part: &str| {
        let plain = part.replacen(".*", "*", 1);
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
        (plain.matches('*').count() <= 1 && plain.chars().all(known) && !part.starts_with('*'))
            .then_some(plain)
    };
    let all: Option<Vec<String>> = matcher.split('|').map(|part| pattern(part.trim())).collect();
    all.ok_or_else(|| format!("has the matcher `{matcher}`, which the gate does not read"))
}

fn shown(handler: &Value) -> String {
    let text = ["command", "prompt", "url"].iter().find_map(|key| handler.text(key)).unwrap_or_default();
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Adoption {
        let reading = Reading { millis: false, events: vec!["PreToolUse", "Stop"], tools: &["PreToolUse"] };
        Adoption::of(&Doc::parse(text).unwrap().value(), &reading)
    }

    #[test]
    fn what_the_gate_can_run_is_taken_in_order() {
        let text = r#"{ "hooks": { "PreToolUse": [
            { "matcher": "Bash|mcp__.*", "hooks": [{ "type": "command", "command": "a x", "timeout": 5 },
                                                    { "type": "command", "command": "/b", "args": ["y"] }] },
            { "hooks": [{ "type": "command", "command": "c", "shell": "bash" }] }] } }"#;
        let adoption = of(text);
        let words: Vec<String> = adoption.taken.iter().map(|taken| taken.words.join(" ")).collect();
        assert_eq!(words, ["/bin/sh -c a x", "/b y", "/bin/bash -c c"]);
        let first = adoption.taken.first().unwrap();
        assert_eq!((first.timeout, first.tools.join(" ")), (5000, "Bash mcp__*".to_owned()));
        assert_eq!(adoption.taken.get(1).unwrap().timeout, LONGEST);
        let bare = adoption.strip(text).unwrap();
        assert!(!bare.contains("command") && adoption.is_in(text) && !adoption.is_in(&bare));
        let entries: Vec<Entry> = adoption.taken.iter().map(|taken| taken.entry.clone()).collect();
        let back = put_back(&bare, &entries).unwrap();
        assert_eq!(of(&back), adoption, "all of them are back");
        assert_eq!(put_back(&back, &entries).unwrap(), back, "and not twice");
    }

    #[test]
    fn what_it_cannot_run_stays() {
        for (event, matcher, handler, says) in [
            ("FileChanged", "", r#""type": "command", "command": "a""#, "runs nothing"),
            ("PreToolUse", "", r#""type": "prompt", "prompt": "a""#, "no command"),
            ("PreToolUse", "", r#""type": "command", "command": "a", "async": true"#, "`async`"),
            ("PreToolUse", "", r#""type": "command", "command": "a", "timeout": 51"#, "51 seconds"),
            ("PreToolUse", "^Ba", r#""type": "command", "command": "a""#, "does not read"),
            ("PreToolUse", ".*a.*", r#""type": "command", "command": "a""#, "does not read"),
            ("Stop", "", r#""type": "command", "command": "./a", "args": []"#, "not absolute"),
            ("Stop", "x", r#""type": "command", "command": "a""#, "not about tools"),
            ("Stop", "", r#""type": "command", "command": "a", "shell": "powershell""#, "powershell"),
        ] {
            let text = format!(
                r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": [{{{handler}}}]}}]}}}}"#
            );
            let adoption = of(&text);
            assert!(adoption.taken.is_empty() && adoption.left.concat().contains(says), "{adoption:?}");
        }
        let twins = r#"{"hooks": {"PreToolUse": [{"matcher": "^x", "hooks": [{"type": "command", "command": "a"}]},
            {"hooks": [{"type": "command", "command": "a"}]}]}}"#;
        assert_eq!((of(twins).taken.len(), of(twins).left.len()), (0, 2));
    }
}
