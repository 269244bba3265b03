//! Hooks of other people's in a settings file that the gate can run in the agent's place, in its own pipeline. What the
//! gate could not run in the same way stays where it is.

use std::path::{Path, PathBuf};

use super::codex;
use super::doc::{Doc, EditError};
use super::edit::{Entry, HOOKS, groups, insert, is_from, refill};
use super::registration::quoted;
use super::status::handlers;
use super::strip::{Groups, clear};
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
    /// What else the agent does in its own way.
    pub ways: Ways,
}

/// How an agent treats its hooks, where that is not as with most.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Members of a handler that it knows beside the usual ones.
    pub members: &'static [&'static str],
    /// Names by which a matcher finds a tool, and the tool's own.
    pub aliases: &'static [(&'static str, &'static str)],
    /// The events at which a hook that fails refuses.
    pub strict: &'static [&'static str],
    /// It starts hooks in the folder of their file.
    pub in_folder: bool,
    /// It runs a hook only when its configuration, which is this text, trusts it where it stands. So the groups stay.
    pub trust: Option<String>,
    /// The events whose matchers it does not look at.
    pub unmatched: &'static [&'static str],
    /// A matcher that is more than a list of names is a regular expression that may match anywhere in a name.
    pub unanchored: bool,
    /// The hooks are those of this project: in another one they do nothing.
    pub project: Option<PathBuf>,
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
    /// When it fails, the call is refused.
    pub strict: bool,
}

/// The hooks in a settings file that are not the gate's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adoption {
    /// Those that the gate can run, in the order in which they stand.
    pub taken: Vec<Adopted>,
    /// Those that stay, each with the reason.
    pub left: Vec<String>,
    groups: Groups,
}

impl Adoption {
    /// Looks at settings without entries of the gate's own. `file` is where they are.
    #[must_use]
    pub fn of(settings: &Value, reading: &Reading, file: &Path) -> Self {
        let by_place = reading.ways.trust.is_some();
        let mut adoption =
            Self { groups: if by_place { Groups::Stay } else { Groups::Go }, ..Self::default() };
        for (event, _) in settings.get(HOOKS).and_then(Value::as_map).unwrap_or_default() {
            for (at, group) in groups(settings, event).iter().enumerate() {
                let reader = Reader { settings, reading, file, event, at, group };
                let all = handlers(group).iter().enumerate();
                let all: Vec<_> =
                    all.map(|(place, handler)| (handler, reader.read(place, handler))).collect();
                let whole = !by_place || all.iter().all(|(_, result)| result.is_ok());
                for (handler, result) in all {
                    let beside = || "stands beside one that stays".to_owned();
                    match result.and_then(|adopted| whole.then_some(adopted).ok_or_else(beside)) {
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
        clear(text, &|handler| self.holds(handler), self.groups)
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
        let all: Vec<&Value> = all.flat_map(handlers).collect();
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
    let is_there = |entry: &Entry| groups(&settings, &entry.event).iter().any(|group| is_from(entry, group));
    let gone: Vec<Entry> = entries.iter().filter(|entry| !is_there(entry)).cloned().collect();
    let mut back = text.to_owned();
    for (place, entry) in gone.iter().enumerate() {
        let before = gone.get(..place).unwrap_or_default();
        back = match refill(&back, entry, before)? {
            Some(filled) => filled,
            None => insert(&back, std::slice::from_ref(entry))?.text,
        };
    }
    Ok(back)
}

impl Adopted {
    /// The command as it stood in the settings, for people.
    #[must_use]
    pub fn command(&self) -> String {
        self.handler().map(shown).unwrap_or_default()
    }

    fn handler(&self) -> Option<&Value> {
        handlers(&self.entry.group).first()
    }
}

/// One group of handlers, or one handler where the agent has no groups, and where it stands.
struct Reader<'a> {
    settings: &'a Value,
    reading: &'a Reading,
    file: &'a Path,
    event: &'a str,
    at: usize,
    group: &'a Value,
}

impl Reader<'_> {
    fn read(&self, place: usize, handler: &Value) -> Result<Adopted, String> {
        if !self.reading.events.contains(&self.event) {
            return Err("is for an event at which the gate runs nothing".to_owned());
        }
        if !matches!(handler.text("type"), Some("command") | None) {
            return Err("is no command".to_owned());
        }
        if is_off(self.settings, handler) {
            return Err("is switched off".to_owned());
        }
        if let Some(config) = &self.reading.ways.trust
            && !codex::is_trusted(config, self.file, (self.event, self.at, place), self.group, handler)
        {
            return Err("is not trusted by the agent, which skips it".to_owned());
        }
        if let Some(member) = self.unknown_member(handler) {
            return Err(format!("has `{member}`"));
        }
        let keep = |(name, value): &(String, Value)| {
            (name.clone(), if name == HOOKS { Value::List(vec![handler.clone()]) } else { value.clone() })
        };
        let group = Value::Map(self.group.as_map().unwrap_or_default().iter().map(keep).collect());
        let closed = handler.get("failClosed").and_then(Value::as_bool) == Some(true);
        Ok(Adopted {
            entry: Entry { event: self.event.to_owned(), group },
            words: self.words(handler)?,
            timeout: self.timeout(handler)?,
            tools: self.tools()?,
            strict: closed || self.reading.ways.strict.contains(&self.event),
        })
    }

    /// What the gate would not do as the agent does.
    fn unknown_member<'v>(&self, handler: &'v Value) -> Option<&'v str> {
        let set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let known = |name: &str| MEMBERS.contains(&name) || self.reading.ways.members.contains(&name);
        let members = handler.as_map().unwrap_or_default().iter();
        members.filter(|(_, value)| set(value)).map(|(name, _)| name.as_str()).find(|name| !known(name))
    }

    fn timeout(&self, handler: &Value) -> Result<u64, String> {
        let timeout = match ["timeout", "timeoutSec"].iter().find_map(|key| handler.get(key)) {
            Some(Value::Number(number)) => {
                let given: f64 = number.parse().map_err(|_| "has a time-out that is no number".to_owned())?;
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
                let given = (given * if self.reading.millis { 1.0 } else { 1000.0 }).clamp(1.0, 1e9) as u64;
                given
            }
            _ => LONGEST,
        };
        if timeout > LONGEST {
            return Err(format!("may take {} seconds, longer than the gate itself may", timeout / 1000));
        }
        Ok(timeout)
    }

    /// What a handler starts.
    fn words(&self, handler: &Value) -> Result<Vec<String>, String> {
        let line = ["bash", "command"].iter().find_map(|key| handler.text(key));
        let line = line.filter(|line| !line.trim().is_empty()).ok_or("starts nothing")?;
        if let Some(args) = handler.get("args").and_then(Value::as_list) {
            let is_relative = line.contains('/') && !line.starts_with('/');
            if is_relative && self.reading.ways.project.is_none() {
                return Err("is started by a path that is not absolute".to_owned());
            }
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            let words = std::iter::once(line.to_owned()).chain(args);
            return Ok(match self.only_in_project() {
                Some(only) => {
                    let enter = if is_relative { self.entering_project() } else { String::new() };
                    let start = format!("{only}{enter}exec \"$@\"");
                    let around = ["/bin/sh", "-c", &start, "sh"].map(str::to_owned);
                    around.into_iter().chain(words).collect()
                }
                None => words.collect(),
            });
        }
        let shell = match handler.text("shell") {
            None if handler.get("bash").is_none() => "/bin/sh",
            None | Some("bash") => "/bin/bash",
            Some(other) => return Err(format!("wants the shell `{other}`")),
        };
        let only = self.only_in_project().unwrap_or_default();
        let enter = self.entering(handler)?;
        let enter =
            if enter.is_empty() && self.is_in_project(line) { self.entering_project() } else { enter };
        let line = format!("{only}{enter}{line}");
        let mut words = environment(handler)?;
        words.extend([shell, "-c", &line].map(str::to_owned));
        Ok(words)
    }

    /// The start of a shell line that ends at once in another project. A session belongs to a project when it runs below
    /// it or the agent says so; either is enough, so that a guard rather runs once too often.
    fn only_in_project(&self) -> Option<String> {
        let project = self.reading.ways.project.as_ref()?.display().to_string();
        let project = quoted(project.trim_end_matches('/'));
        Some(format!(
            "case \"$(pwd -P)/:$CLAUDE_PROJECT_DIR/\" in {project}/*|*:{project}/*) ;; *) exit 0 ;; esac; "
        ))
    }

    /// Does a command name a file by its path in the project? An agent that works in a subfolder would not find it.
    fn is_in_project(&self, line: &str) -> bool {
        let Some(project) = &self.reading.ways.project else { return false };
        let words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'', ';', '(', ')']));
        words.enumerate().any(|(place, word)| {
            let is_plain = !word.is_empty() && !word.starts_with(['/', '~', '$', '-', '`']);
            let is_started = place == 0 && word.contains('/');
            let is_there = || (place > 0 || word.contains('/')) && project.join(word).is_file();
            is_plain && (is_started || word.starts_with("./") || word.starts_with("../") || is_there())
        })
    }

    /// The start of a shell line that goes to the project's root.
    fn entering_project(&self) -> String {
        let project = self.reading.ways.project.as_ref().map(|project| project.display().to_string());
        project.map(|project| format!("cd {} || exit 1; ", quoted(&project))).unwrap_or_default()
    }

    /// How a shell gets to where the agent starts it.
    fn entering(&self, handler: &Value) -> Result<String, String> {
        let named = ["cwd", "working_directory"].iter().find_map(|key| handler.text(key));
        let folder = match named.filter(|folder| !matches!(*folder, "" | "." | "./")) {
            Some(folder) if folder.starts_with('/') => folder.to_owned(),
            Some(folder) => return Err(format!("is started in `{folder}`, which is not absolute")),
            None if named.is_none() && self.reading.ways.in_folder => {
                self.file.parent().map(|folder| folder.display().to_string()).unwrap_or_default()
            }
            None => return Ok(String::new()),
        };
        Ok(format!("cd {} || exit 1; ", quoted(&folder)))
    }

    /// Its matcher as patterns of tools.
    fn tools(&self) -> Result<Vec<String>, String> {
        let matcher = match self.group.get("matcher") {
            None => "",
            Some(Value::String(matcher)) => matcher.as_str(),
            Some(other) => return Err(format!("has a matcher that is no string, but {}", other.type_name())),
        };
        if matches!(matcher, "" | "*" | ".*") || self.reading.ways.unmatched.contains(&self.event) {
            return Ok(Vec::new());
        }
        if !self.reading.tools.contains(&self.event) {
            return Err(format!("has the matcher `{matcher}`, which is not about tools"));
        }
        let all: Option<Vec<String>> = if self.reading.ways.unanchored {
            unanchored(matcher)
        } else {
            matcher.split('|').map(|part| pattern(part.trim())).collect()
        };
        let mut all =
            all.ok_or_else(|| format!("has the matcher `{matcher}`, which the gate does not read"))?;
        for (alias, tool) in self.reading.ways.aliases {
            if all.iter().any(|pattern| pattern == alias) && all.iter().all(|pattern| pattern != tool) {
                all.push((*tool).to_owned());
            }
        }
        Ok(all)
    }
}

/// Members of a handler that the gate knows, or that change nothing.
const MEMBERS: [&str; 9] =
    ["type", "command", "args", "timeout", "shell", "name", "description", "statusMessage", "matcher"];

/// A part of a matcher as a pattern with one `*`; none when it is more than that.
fn pattern(part: &str) -> Option<String> {
    let plain = part.replacen(".*", "*", 1);
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
    (plain.matches('*').count() <= 1 && plain.chars().all(known) && !part.starts_with('*')).then_some(plain)
}

/// A matcher of Claude Code's as patterns: names as they are, and of regular expressions those that are names with
/// `.*` in them. One that may match anywhere in a name has a `*` at its ends.
fn unanchored(matcher: &str) -> Option<Vec<String>> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if matcher.chars().all(|c| is_name(c) || matches!(c, '|' | ',' | ' ')) {
        let names = matcher.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
        return Some(names.map(str::to_owned).collect());
    }
    let whole = matcher.strip_prefix("^(").and_then(|rest| rest.strip_suffix(")$"));
    let alternatives = whole.unwrap_or(matcher).split('|');
    let pattern = |part: &str| {
        let (start, part) = match part.strip_prefix('^') {
            Some(rest) => ("", rest),
            None => (if whole.is_some() { "" } else { "*" }, part),
        };
        let (part, end) = match part.strip_suffix('$') {
            Some(rest) => (rest, ""),
            None => (part, if whole.is_some() { "" } else { "*" }),
        };
        let plain = format!("{start}{}{end}", part.replace(".*", "*")).replace("**", "*");
        plain.chars().all(|c| is_name(c) || c == '*').then_some(plain)
    };
    alternatives.map(pattern).collect()
}

/// Do the settings say that a hook is not to run? Some name it, some switch all of them off.
fn is_off(settings: &Value, handler: &Value) -> bool {
    let list = settings.get("hooksConfig").and_then(|config| config.get("disabled")).and_then(Value::as_list);
    let names = ["name", "command"].map(|key| handler.text(key));
    let named = |off: &Value| off.as_str().is_some_and(|off| names.contains(&Some(off)));
    let all = settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true);
    all || list.unwrap_or_default().iter().any(named)
}

/// The words that set a handler's variables.
fn environment(handler: &Value) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for (name, value) in handler.get("env").and_then(Value::as_map).unwrap_or_default() {
        let value = value.as_str().filter(|value| !value.contains('$') && !name.contains('='));
        let value = value.ok_or_else(|| format!("sets `{name}` to what only the agent works out"))?;
        words.push(format!("{name}={value}"));
    }
    if !words.is_empty() {
        words.insert(0, "/usr/bin/env".to_owned());
    }
    Ok(words)
}

fn shown(handler: &Value) -> String {
    let keys = ["command", "bash", "powershell", "prompt", "url"];
    let text = keys.iter().find_map(|key| handler.text(key)).unwrap_or_default();
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Adoption {
        read(text, Ways::default())
    }

    fn read(text: &str, ways: Ways) -> Adoption {
        let events = vec!["PreToolUse", "Stop"];
        let reading = Reading { millis: false, events, tools: &["PreToolUse"], ways };
        Adoption::of(&Doc::parse(text).unwrap().value(), &reading, Path::new("/h/.agent/hooks.json"))
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
            ("Stop", "", r#""type": "command", "command": "a", "cwd": "/x""#, "`cwd`"),
            ("Stop", "", r#""type": "command", "powershell": "a""#, "`powershell`"),
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
    #[test]
    fn handlers_without_groups_are_read_too() {
        let ways = || Ways {
            members: &["failClosed", "cwd", "env", "bash", "powershell", "timeoutSec"],
            in_folder: true,
            strict: &["Stop"],
            ..Ways::default()
        };
        for (event, handler, words, strict) in [
            ("PreToolUse", r#""command": "./a""#, "/bin/sh -c cd /h/.agent || exit 1; ./a", false),
            (
                "PreToolUse",
                r#""command": "a", "failClosed": true, "cwd": "/o p""#,
                "/bin/sh -c cd '/o p' || exit 1; a",
                true,
            ),
            ("PreToolUse", r#""bash": "a", "powershell": "b", "cwd": ".""#, "/bin/bash -c a", false),
            (
                "Stop",
                r#""bash": "a", "cwd": ".", "env": {"B": "c d"}, "timeoutSec": 9"#,
                "/usr/bin/env B=c d /bin/bash -c a",
                true,
            ),
        ] {
            let text =
                format!(r#"{{"version": 1, "hooks": {{"{event}": [{{{handler}}}, {{"type": "prompt"}}]}}}}"#);
            let adoption = read(&text, ways());
            let [taken] = adoption.taken.as_slice() else { panic!("{adoption:?}") };
            assert_eq!((taken.words.join(" ").as_str(), taken.strict), (words, strict));
            let bare = adoption.strip(&text).unwrap();
            assert!(!bare.contains("\"a\"") && bare.contains("prompt"), "{bare}");
            let back = put_back(&bare, std::slice::from_ref(&taken.entry)).unwrap();
            assert_eq!(read(&back, ways()).taken, adoption.taken);
        }
        for (handler, says) in [
            (r#""bash": "a", "cwd": "scripts""#, "not absolute"),
            (r#""bash": "a", "env": {"A": "${B}"}"#, "only the agent works out"),
            (r#""command": "a", "loop_limit": 3"#, "`loop_limit`"),
            (r#""powershell": "a""#, "starts nothing"),
        ] {
            let adoption = read(&format!(r#"{{"hooks": {{"Stop": [{{{handler}}}]}}}}"#), ways());
            assert!(adoption.taken.is_empty() && adoption.left.concat().contains(says), "{adoption:?}");
        }
    }

    #[test]
    fn what_is_switched_off_stays_off() {
        let hooks =
            r#""hooks": {"PreToolUse": [{"hooks": [{"type": "command", "name": "n", "command": "a"}]}]}"#;
        for off in [
            r#""disableAllHooks": true"#,
            r#""hooksConfig": {"disabled": ["n"]}"#,
            r#""hooksConfig": {"disabled": ["a"]}"#,
        ] {
            assert!(of(&format!("{{{off}, {hooks}}}")).taken.is_empty(), "{off}");
        }
        assert_eq!(of(&format!(r#"{{"hooksConfig": {{"disabled": ["b"]}}, {hooks}}}"#)).taken.len(), 1);
    }

    #[test]
    fn a_matcher_may_know_a_tool_by_another_name() {
        let ways =
            || Ways { aliases: &[("Edit", "apply_patch"), ("Write", "apply_patch")], ..Ways::default() };
        let of = |matcher: &str| {
            let text = format!(
                r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"command": "a"}}]}}]}}}}"#
            );
            read(&text, ways()).taken.remove(0).tools.join(" ")
        };
        assert_eq!(of("Edit|Write"), "Edit Write apply_patch");
        assert_eq!(of("Bash"), "Bash");
    }

    /// The agent knows its hooks by their places, so what stays must not move.
    #[test]
    fn where_places_count_groups_stay_and_are_taken_whole() {
        let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "a"}, {"command": "b"}]},
            {"hooks": [{"command": "c"}, {"command": "d", "async": true}]}, {"hooks": [{"command": "e"}]}]}}"#;
        let file = Path::new("/h/.agent/hooks.json");
        let trusts = |places: &[(usize, usize)]| {
            let settings = Doc::parse(text).unwrap().value();
            let all = groups(&settings, "PreToolUse");
            let table = |(at, place): &(usize, usize)| {
                let group = all.get(*at).unwrap();
                let handler = handlers(group).get(*place).unwrap();
                codex::table(file, ("PreToolUse", *at, *place), group, handler)
            };
            let lines = places
                .iter()
                .map(table)
                .map(|table| format!("{}\n{} = {:?}\n", table.header, table.key, table.value));
            Ways { trust: Some(lines.collect()), ..Ways::default() }
        };
        let all = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)];
        let adoption = read(text, trusts(&all));
        assert_eq!((adoption.taken.len(), adoption.left.len()), (3, 2), "{adoption:?}");
        let bare = Doc::parse(&adoption.strip(text).unwrap()).unwrap().value();
        let sizes: Vec<usize> =
            groups(&bare, "PreToolUse").iter().map(|group| handlers(group).len()).collect();
        assert_eq!(sizes, [0, 2, 0]);
        let entries: Vec<Entry> = adoption.taken.iter().map(|taken| taken.entry.clone()).collect();
        let back = Doc::parse(&put_back(&adoption.strip(text).unwrap(), &entries).unwrap()).unwrap().value();
        assert_eq!(back, Doc::parse(text).unwrap().value(), "and all come back to their places");
        let some = read(text, trusts(&[(0, 0), (2, 0)]));
        assert_eq!(
            (some.taken.len(), some.left.len()),
            (1, 4),
            "one that is not trusted holds its group: {some:?}"
        );
    }

    #[test]
    fn a_matcher_of_claude_code_is_read_as_it_reads_it() {
        for (matcher, tools) in [
            (r#""Bash""#, Some("Bash")),
            (r#""Read, Grep""#, Some("Read Grep")),
            (r#""Bash|mcp__.*""#, Some("*Bash* *mcp__*")),
            (r#""^Bash$""#, Some("Bash")),
            (r#""^(Edit|Write)$""#, Some("Edit Write")),
            (r#""^mcp__.*__write$""#, Some("mcp__*__write")),
            (r#"".*""#, Some("")),
            (r#""Ba[st]h""#, None),
            (r#"{"toolName": "Bash"}"#, None),
            ("7", None),
        ] {
            let text = format!(
                r#"{{"hooks":{{"PreToolUse":[{{"matcher":{matcher},"hooks":[{{"type":"command","command":"a"}}]}}]}}}}"#
            );
            let adoption = read(&text, Ways { unanchored: true, ..Ways::default() });
            let found = adoption.taken.first().map(|taken| taken.tools.join(" "));
            assert_eq!(found.as_deref(), tools, "{matcher}: {:?}", adoption.left);
            assert_eq!(adoption.left.len(), usize::from(tools.is_none()), "{matcher}");
        }
    }

    #[test]
    fn an_object_is_never_every_tool() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":{"toolName":"Bash"},"hooks":[{"type":"command","command":"a"}]}]}}"#;
        let adoption = of(text);
        assert!(adoption.taken.is_empty(), "{adoption:?}");
        assert!(adoption.left.concat().contains("has a matcher that is no string"), "{adoption:?}");
    }

    #[test]
    fn hooks_of_a_project_run_only_there() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a b"},
            {"type":"command","command":"/c","args":["d e"]}]}]}}"#;
        let adoption = read(text, Ways { project: Some("/my p".into()), ..Ways::default() });
        let only =
            r#"case "$(pwd -P)/:$CLAUDE_PROJECT_DIR/" in '/my p'/*|*:'/my p'/*) ;; *) exit 0 ;; esac; "#;
        let words: Vec<_> = adoption.taken.iter().map(|taken| taken.words.clone()).collect();
        let [first, second] = words.as_slice() else { panic!("{adoption:?}") };
        assert_eq!(first.as_slice(), ["/bin/sh", "-c", &format!("{only}a b")]);
        assert_eq!(second.as_slice(), ["/bin/sh", "-c", &format!("{only}exec \"$@\""), "sh", "/c", "d e"]);
    }

    #[test]
    fn relative_commands_of_a_project_start_in_its_root() {
        for (command, enters) in [
            (".claude/hooks/x.sh", true),
            ("./hooks/x.py --fast", true),
            ("python3 ./hooks/x.py", true),
            ("bash '../x.sh'", true),
            ("/opt/x.sh", false),
            ("$CLAUDE_PROJECT_DIR/.claude/hooks/x.sh", false),
            ("~/x.sh", false),
            ("guard --config a/b", false),
        ] {
            let text = json_of(command);
            let ways = Ways { project: Some("/my p".into()), ..Ways::default() };
            let adoption = read(&text, ways);
            let line = adoption.taken.first().map(|taken| taken.words.join(" ")).unwrap_or_default();
            assert_eq!(line.contains("cd '/my p' || exit 1; "), enters, "{line}");
            let user = read(&text, Ways::default());
            let words = user.taken.first().map(|taken| taken.words.join(" "));
            assert_eq!(words, Some(format!("/bin/sh -c {command}")), "a user's own runs where the agent is");
        }
    }

    fn json_of(command: &str) -> String {
        format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{command}"}}]}}]}}}}"#)
    }
}
