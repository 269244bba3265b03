//! The cases in `tests/cases/<class>/{refuse,ask,pass}.jsonl`, and those in `known-open.jsonl` that are still judged wrongly.
//! `docs/threats.md` defines the classes and the fields of a line.

use std::fs;
use std::path::{Path, PathBuf};

use tollgate_model::Verdict;
use tollgate_model::json::{Value, parse};

/// Holds the cases that are still judged wrongly, of all classes.
pub const KNOWN_OPEN: &str = "known-open.jsonl";

/// Lists the rewrites of cases that still make the verdict milder.
pub const KNOWN_OPEN_REWRITES: &str = "known-open-rewrites.jsonl";

const FIELDS: [&str; 6] = ["id", "tool", "call", "want", "rule", "why"];

/// The verdict that a case asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// The call is refused.
    Refuse,
    /// The call does not run unasked: it is asked about or refused.
    Ask,
    /// The call runs silently.
    Pass,
}

impl Want {
    pub const ALL: [Self; 3] = [Self::Refuse, Self::Ask, Self::Pass];

    /// The word in the field `want`, and the name of the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Ask => "ask",
            Self::Pass => "pass",
        }
    }

    /// Whether a verdict, or that of one finding, is strict enough to stop the call.
    pub fn is_stopped_by(self, verdict: Verdict) -> bool {
        match self {
            Self::Refuse => verdict >= Verdict::Deny,
            Self::Ask | Self::Pass => verdict >= Verdict::Ask,
        }
    }

    /// Whether the call must be stopped.
    pub fn stops(self) -> bool {
        self != Self::Pass
    }
}

/// One line of a file of cases.
#[derive(Debug, Clone)]
pub struct Case {
    /// `git-loss/ask.jsonl:12`.
    pub place: String,
    pub id: String,
    /// As in the rules' examples; `Shell` where the line names none.
    pub tool: String,
    pub call: String,
    pub want: Want,
    /// The rules that must stop the call, each of them.
    pub rules: Vec<String>,
    pub why: Option<String>,
}

impl Case {
    /// Reads one line; the error says what is wrong with it.
    pub fn read(place: &str, line: &str) -> Result<Self, String> {
        let value = parse(line.as_bytes()).map_err(|error| format!("no JSON: {error:?}"))?;
        let Value::Map(fields) = &value else { return Err("no JSON object".into()) };
        if let Some((name, _)) = fields.iter().find(|(name, _)| !FIELDS.contains(&name.as_str())) {
            return Err(format!("unknown field `{name}`; there are {}", FIELDS.join(", ")));
        }
        let text = |name: &str| value.text(name).map(str::to_owned);
        let needed = |name: &str| text(name).ok_or_else(|| format!("`{name}` is missing"));
        let want = needed("want")?;
        let known = Want::ALL.into_iter().find(|known| known.name() == want);
        Ok(Self {
            place: place.to_owned(),
            id: needed("id")?,
            tool: text("tool").unwrap_or_else(|| "Shell".to_owned()),
            call: needed("call")?,
            want: known.ok_or_else(|| format!("`want` is `{want}`, not refuse, ask or pass"))?,
            rules: read_rules(&value)?,
            why: text("why"),
        })
    }

    /// The class in the id, and the number.
    pub fn class_and_number(&self) -> Option<(&str, u32)> {
        let (class, number) = self.id.rsplit_once('-')?;
        Some((class, number.parse().ok().filter(|_| !number.starts_with(['0', '+']))?))
    }
}

/// `rule` is one rule or a list of them.
fn read_rules(case: &Value) -> Result<Vec<String>, String> {
    let one = |value: &Value| match value {
        Value::String(rule) => Ok(rule.clone()),
        _ => Err("`rule` is no rule and no list of rules".to_owned()),
    };
    match case.get("rule") {
        None => Ok(Vec::new()),
        Some(Value::List(rules)) => rules.iter().map(one).collect(),
        Some(rule) => Ok(vec![one(rule)?]),
    }
}

/// Every case that is judged as it says.
pub fn read_all() -> Vec<Case> {
    let cases: Vec<Case> = class_folders().iter().flat_map(|class| read_class(class)).collect();
    assert!(!cases.is_empty(), "there are no cases");
    cases
}

/// The cases of one class.
pub fn read_class(class: &str) -> Vec<Case> {
    let file = |want: Want| format!("{class}/{}.jsonl", want.name());
    Want::ALL.into_iter().flat_map(|want| read_file(&file(want))).collect()
}

/// The cases that are still judged wrongly.
pub fn read_known_open() -> Vec<Case> {
    read_file(KNOWN_OPEN)
}

/// The names of the folders with cases.
pub fn class_folders() -> Vec<String> {
    list_names(&folder()).into_iter().filter(|name| folder().join(name).is_dir()).collect()
}

/// Everything in the folder of cases and in those of the classes, without the latter.
pub fn list_files() -> Vec<String> {
    let classes = class_folders();
    let beside = list_names(&folder()).into_iter().filter(|name| !classes.contains(name));
    let inside = classes.iter().flat_map(|class| {
        list_names(&folder().join(class)).into_iter().map(move |name| format!("{class}/{name}"))
    });
    beside.chain(inside).collect()
}

/// The lines of a file in the folder of cases, with their places. A class need not have all files.
pub fn read_lines(file: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(folder().join(file)).unwrap_or_default();
    let place = |number: usize| format!("{file}:{}", number + 1);
    text.lines().enumerate().map(|(number, line)| (place(number), line.to_owned())).collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn list_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

fn read_file(file: &str) -> Vec<Case> {
    let read = |(place, line): (String, String)| {
        Case::read(&place, &line).unwrap_or_else(|error| panic!("{place}: {error}"))
    };
    read_lines(file).into_iter().map(read).collect()
}
