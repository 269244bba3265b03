//! The keys `custom` and `allow` of a policy file: YAML → rules and exceptions, and all that is wrong with them.

use tollgate_model::json::{self, object};
use tollgate_model::{Exemption, Pack, Phase, Span};

use super::hooks::json as json_of;
use super::{LEVELS, Reader, shown};
use crate::cel::{Condition, Wrong};
use crate::custom::{Custom, Sample};
use crate::problem::At;
use crate::yaml::{Node, Value};

/// The keys of a custom rule.
pub const CUSTOM_KEYS: [&str; 7] = ["id", "level", "on", "when", "reason", "instead", "examples"];
/// The keys of its examples.
pub const EXAMPLES_KEYS: [&str; 2] = ["hit", "pass"];
/// The keys of an example that is no command.
pub const EXAMPLE_KEYS: [&str; 3] = ["tool", "input", "prompt"];
/// The keys of an exception.
pub const ALLOW_KEYS: [&str; 6] = ["rule", "command", "path", "project", "until", "reason"];

/// What an agent reads of a rule is short.
const LONGEST_REASON: usize = 400;
/// Each is asked about every call.
const MOST: usize = 200;

impl Reader<'_> {
    /// `custom:`, a list of rules.
    pub(super) fn custom(&mut self, node: &Node) {
        for item in self.list("custom", node, "write `- id: NAME` below it") {
            let Some(rule) = self.custom_rule(item) else { continue };
            if self.settings.custom.iter().any(|(other, _)| other.id == rule.id) {
                self.error(item.at, &format!("a second rule `{}`", shown(&rule.id)), "give it another id");
                continue;
            }
            if self.settings.custom.len() == MOST {
                return self.error(item.at, "more than 200 rules", "each is asked about every call");
            }
            self.settings.custom.push((rule, item.at));
        }
    }

    fn custom_rule(&mut self, node: &Node) -> Option<Custom> {
        let entries = self.map("a rule", node, "write `id:`, `level:`, `when:` and `reason:`")?;
        let (mut id, mut level, mut when, mut reason) = (None, None, None, None);
        let (mut on, mut instead, mut examples) = (Vec::new(), String::new(), Vec::new());
        let known = self.problems.len();
        let entries = self.entries(entries);
        for (key, at, value) in &entries {
            match *key {
                "id" => id = self.custom_id(value),
                "level" => level = self.choice(key, value, &LEVELS).map(|level| level.value),
                "on" => on = self.phases(value),
                "when" => when = self.condition(value),
                "reason" => reason = self.sentence(key, value),
                "instead" => instead = self.sentence(key, value).unwrap_or_default(),
                "examples" => examples = self.samples(value),
                unknown => self.unknown("a rule", unknown, *at, &CUSTOM_KEYS),
            }
        }
        for (key, hint) in REQUIRED {
            if !entries.iter().any(|(name, ..)| *name == key) {
                self.error(node.at, &format!("a rule without `{key}`"), hint);
            }
        }
        if self.problems.len() > known {
            return None;
        }
        let (when, condition) = when?;
        let on = if on.is_empty() { vec![Phase::PreTool.name().to_owned()] } else { on };
        let (layer, file, place) = (String::new(), self.path.to_owned(), (node.at.line, node.at.column));
        Some(Custom {
            id: id?,
            level: level?,
            on,
            when,
            condition,
            reason: reason?,
            instead,
            examples,
            layer,
            file,
            place,
        })
    }

    fn custom_id(&mut self, node: &Node) -> Option<String> {
        let id = self.text("id", node)?;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if id.is_empty() || id.len() > 64 || !id.bytes().all(plain) {
            self.error(
                node.at,
                &format!("`{}` is no id", shown(&id)),
                "small letters, digits and `-`: `no-prod-psql`",
            );
            return None;
        }
        if self.card(&id).is_some() {
            self.error(
                node.at,
                &format!("`{id}` is a rule of Tollgate"),
                "give yours another id, or set that one under `rules`",
            );
            return None;
        }
        Some(id)
    }

    fn phases(&mut self, node: &Node) -> Vec<String> {
        let names = self.words("on", node);
        names.iter().filter_map(|name| self.event(name, node.at)).collect()
    }

    fn condition(&mut self, node: &Node) -> Option<(String, Condition)> {
        let text = self.text("when", node)?;
        match Condition::compile(&text) {
            Ok(condition) => Some((text, condition)),
            Err(all) => {
                for Wrong { bytes, message, hint } in all {
                    let at = self.inside(node, &text, bytes);
                    self.error(at, &message, &hint);
                }
                None
            }
        }
    }

    fn sentence(&mut self, key: &str, node: &Node) -> Option<String> {
        let text = self.text(key, node)?;
        let text = text.trim();
        if text.is_empty()
            || text.chars().count() > LONGEST_REASON
            || text.contains(|c: char| c.is_control() && c != '\n')
        {
            self.error(node.at, &format!("`{key}` must be a sentence or two"), "at most 400 letters");
            return None;
        }
        Some(text.replace('\n', " "))
    }

    fn samples(&mut self, node: &Node) -> Vec<Sample> {
        let Some(entries) = self.map("examples", node, "write `hit: [\"a command\"]` below it") else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for (key, at, value) in self.entries(entries) {
            if !EXAMPLES_KEYS.contains(&key) {
                self.unknown("`examples`", key, at, &EXAMPLES_KEYS);
                continue;
            }
            for item in self.list(key, value, "write `[\"a command\"]`") {
                all.extend(self.sample(item, key == "hit"));
            }
        }
        all
    }

    /// A command, or `{tool, input}`, or `{prompt}`.
    fn sample(&mut self, node: &Node, hit: bool) -> Option<Sample> {
        let place = (node.at.line, node.at.column);
        let bash = |command: &str| {
            let mut input = String::new();
            json::write(&object([("command", command.into())]), &mut input);
            Sample { hit, tool: "Bash".to_owned(), input, place }
        };
        let Value::Map(entries) = &node.value else {
            return self.text("an example", node).map(|text| bash(&text));
        };
        let (mut tool, mut input, mut prompt) = (None, None, None);
        for (key, at, value) in self.entries(entries) {
            match key {
                "tool" => tool = self.text(key, value),
                "input" => input = Some(json_of(value)),
                "prompt" => prompt = self.text(key, value),
                unknown => self.unknown("an example", unknown, at, &EXAMPLE_KEYS),
            }
        }
        match (tool, input, prompt) {
            (None, None, Some(input)) => Some(Sample { hit, tool: String::new(), input, place }),
            (Some(tool), Some(value), None) => {
                let mut input = String::new();
                json::write(&value, &mut input);
                Some(Sample { hit, tool, input, place })
            }
            _ => {
                self.error(
                    node.at,
                    "an example is a command, a tool with its input, or a prompt",
                    "write `{tool: Read, input: {file_path: x}}`",
                );
                None
            }
        }
    }

    /// `allow:`, a list of exceptions.
    pub(super) fn allow(&mut self, node: &Node) {
        for item in self.list("allow", node, "write `- rule: NAME` below it") {
            let exemption = self.exemption(item);
            self.settings.allow.extend(exemption.map(|exemption| (exemption, item.at)));
        }
    }

    fn exemption(&mut self, node: &Node) -> Option<Exemption> {
        let entries = self.map("an exception", node, "write `rule:`, `command:` or `path:`")?;
        let mut one = Exemption::default();
        let known = self.problems.len();
        for (key, at, value) in self.entries(entries) {
            let text = self.text(key, value).unwrap_or_default();
            match key {
                "rule" => one.rule = text,
                "command" => one.command = text.split_whitespace().map(str::to_owned).collect(),
                "path" => one.path = text,
                "project" => one.project = text,
                "reason" => one.reason = text,
                "until" => one.until = self.until(&text, value.at).unwrap_or_default(),
                unknown => self.unknown("an exception", unknown, at, &ALLOW_KEYS),
            }
        }
        (self.problems.len() == known).then_some(one)
    }

    /// Leaves out the exceptions that may not be made. Asked once the file's own rules are known.
    pub(super) fn lawful(&mut self) {
        for (one, at) in std::mem::take(&mut self.settings.allow) {
            let own =
                |id: &str| self.settings.custom.iter().any(|(rule, _)| rule.id == id).then_some(Pack::Core);
            match lawful(&one, |id| self.card(id).map(|card| card.pack).or_else(|| own(id))) {
                Ok(()) => self.settings.allow.push((one, at)),
                Err((message, hint)) => self.error(at, &message, &hint),
            }
        }
    }

    fn until(&mut self, text: &str, at: At) -> Option<u64> {
        let end = day(text);
        if end.is_none() {
            self.error(at, &format!("`{}` is no date", shown(text)), "write `until: 2026-12-31`");
        }
        end
    }

    /// Where bytes of a scalar's text stand in the file: exact where they stand there as they are.
    fn inside(&self, node: &Node, text: &str, bytes: (usize, usize)) -> At {
        let Span { start, end } = node.at.span;
        let raw = self.source.get(start as usize..end as usize).unwrap_or_default();
        let line_start = text.get(..bytes.0).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let line = text.get(line_start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let Some(offset) = raw.find(text).map(|at| at + line_start).or_else(|| raw.find(line)) else {
            return node.at;
        };
        let first = start as usize + offset + (bytes.0 - line_start);
        let last = first
            + bytes.1.saturating_sub(bytes.0).min(line.len().saturating_sub(bytes.0 - line_start)).max(1);
        At::of(self.source, Span::new(first, last.min(self.source.len())))
    }

    fn list<'n>(&mut self, key: &str, node: &'n Node, hint: &str) -> &'n [std::rc::Rc<Node>] {
        match &node.value {
            Value::List(items) => items,
            _ if node.is_null() => &[],
            _ => {
                self.error(node.at, &format!("`{key}` must be a list, not {}", node.kind()), hint);
                &[]
            }
        }
    }
}

const REQUIRED: [(&str, &str); 4] = [
    ("id", "name it: `id: no-prod-psql`"),
    ("level", "one of note, ask, deny"),
    ("when", "write a condition: `when: effect.kind == \"database\"`"),
    ("reason", "say why: the agent reads it"),
];

/// Is this an exception that may be made? The error is what is wrong and what to do.
///
/// # Errors
/// When it excepts nothing, an unknown rule, or what protects the gate itself.
pub fn lawful(one: &Exemption, pack_of: impl Fn(&str) -> Option<Pack>) -> Result<(), (String, String)> {
    let wrong = |message: String, hint: &str| Err((message, hint.to_owned()));
    if one.rule.is_empty() && one.command.is_empty() && one.path.is_empty() {
        return wrong("an exception from everything".to_owned(), "name a rule, a command or a path");
    }
    if !one.command.is_empty() && !one.path.is_empty() {
        return wrong("an exception for a command and for a path".to_owned(), "make two of it");
    }
    match (one.rule.as_str(), pack_of(&one.rule)) {
        ("", _) => {}
        (rule, None) => {
            return wrong(format!("unknown rule `{}`", shown(rule)), "`tollgate rules` lists them");
        }
        (rule, Some(Pack::SelfProtection)) => {
            return wrong(
                format!("`{rule}` protects the gate itself and has no exceptions"),
                "`tollgate approve` lets one call pass",
            );
        }
        _ => {}
    }
    let early = one.command.iter().rev().skip(1).any(|word| word == "**");
    if early || one.command.first().is_some_and(|word| word.contains('*')) {
        return wrong(
            format!("`{}` is no shape of a command", shown(&one.command.join(" "))),
            "begin with the program; `**` only stands at the end",
        );
    }
    match crate::glob::expand(&one.path) {
        _ if one.path.is_empty() => Ok(()),
        Ok(_) if one.path.starts_with('/') => Ok(()),
        Ok(_) => wrong(format!("`{}` is not absolute", shown(&one.path)), "write the whole path"),
        Err(why) => wrong(format!("pattern `{}` never works", shown(&one.path)), why),
    }
}

/// The end of a day, in seconds since 1970.
fn day(text: &str) -> Option<u64> {
    let mut parts = text.split('-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    if parts.next().is_some()
        || !(1970..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
    {
        return None;
    }
    // Days from civil: years begin in March, so that the odd day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
    u64::try_from((days + 1) * 86_400).ok()
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days() {
        for (text, end) in [
            ("1970-01-01", Some(86_400)),
            ("2026-11-16", Some(1_794_873_600)),
            ("2024-02-29", Some(1_709_251_200)),
            ("2024-13-01", None),
            ("2024-02", None),
            ("tomorrow", None),
        ] {
            assert_eq!(day(text), end, "{text}");
        }
    }
}
