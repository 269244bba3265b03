//! Names with their values, whatever they were written in. A name is the way to it: `spec.ingress.#3.from`, in small
//! letters and digits only, so that `PolicyArn`, `policy_arn` and `policy-arn` are one.

use tollgate_model::json::{self, Value as Json};

/// Values by their names, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Leaves(Vec<(String, String)>);

/// More than any description that is written by hand.
const LIMIT: usize = 4096;
/// Texts in texts, and brackets in brackets.
const DEPTH: usize = 32;

impl Leaves {
    /// The documents of a text: JSON, or YAML as far as it matters.
    pub fn documents(text: &str) -> Vec<Self> {
        if let Ok(value) = json::parse(text.trim().as_bytes()) {
            let mut leaves = Self::default();
            leaves.json("", &value, 0);
            return vec![leaves];
        }
        let mut documents = vec![Vec::new()];
        for line in text.lines() {
            match line.starts_with("---") {
                true => documents.push(Vec::new()),
                false => documents.last_mut().into_iter().for_each(|lines| lines.push(line)),
            }
        }
        documents.iter().map(|lines| Self::block(lines)).collect()
    }

    /// What a request says, in JSON or as a form; every line of it may be one.
    pub fn body(text: &str) -> Self {
        let mut leaves = Self::default();
        for text in std::iter::once(text).chain(text.lines().filter(|_| text.contains('\n'))) {
            match json::parse(text.trim().as_bytes()) {
                Ok(value) => leaves.json("", &value, 0),
                Err(_) => text.split(['&', '\n']).for_each(|pair| leaves.pair(pair)),
            }
        }
        leaves
    }

    /// The value of an option: JSON, or the short form of it, `A=x,B=[{C=y}]`.
    pub fn option(&mut self, name: &str, value: &str) {
        match json::parse(value.trim().as_bytes()) {
            Ok(value) => self.json(&normal(name), &value, 0),
            Err(_) => {
                self.add(&normal(name), value);
                value.split([',', '{', '}', '[', ']', ' ']).for_each(|pair| self.pair(pair));
            }
        }
    }

    /// `name=value`, with the marks that clients put between them.
    pub fn pair(&mut self, pair: &str) {
        if let Some((name, value)) = pair.split_once('=') {
            self.add(&normal(name.trim().trim_end_matches(':')), value.trim().trim_matches(['"', '\'']));
        }
    }

    /// Adds a value; a text that is JSON is what it holds.
    pub fn add(&mut self, path: &str, value: &str) {
        self.text(path, value, 0);
    }

    /// The values whose names end so, with the way to the whole that they are of.
    pub fn ending<'l>(&'l self, name: &'l str) -> impl Iterator<Item = (&'l str, &'l str)> {
        self.0.iter().filter_map(move |(path, value)| Some((whole(path, name)?, value.as_str())))
    }

    /// Does a name that ends so have one of these values? Letters count alike.
    pub fn has(&self, name: &str, values: &[&str]) -> bool {
        self.ending(name).any(|(_, value)| values.iter().any(|known| known.eq_ignore_ascii_case(value)))
    }

    /// The part of it below a way.
    pub fn below(&self, way: &str) -> Self {
        Self(
            self.0
                .iter()
                .filter_map(|(path, value)| Some((path.strip_prefix(way)?.to_owned(), value.clone())))
                .collect(),
        )
    }

    /// Is there as much in it as arguments ever hold?
    pub fn is_full(&self) -> bool {
        self.0.len() >= 256
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts all of another below a way.
    pub fn join(&mut self, way: &str, other: &Self) {
        for (path, value) in &other.0 {
            self.push(below(way, path), value.clone());
        }
    }

    /// Every name with its value.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, value)| (path.as_str(), value.as_str()))
    }

    fn push(&mut self, path: String, value: String) {
        if self.0.len() < LIMIT {
            self.0.push((path, value));
        }
    }

    fn text(&mut self, path: &str, text: &str, depth: usize) {
        let holds = text.trim_start().starts_with(['{', '[']) && depth < 4;
        match json::parse(text.trim().as_bytes()).ok().filter(|_| holds) {
            Some(value) => self.json(path, &value, depth + 1),
            None => self.push(path.to_owned(), text.to_owned()),
        }
    }

    fn json(&mut self, path: &str, value: &Json, depth: usize) {
        match value {
            Json::Map(members) if members.is_empty() => self.push(path.to_owned(), "{}".to_owned()),
            Json::Map(members) => {
                members.iter().for_each(|(key, value)| self.json(&below(path, &normal(key)), value, depth));
            }
            Json::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.json(&below(path, &format!("#{at}")), item, depth);
                }
            }
            Json::String(text) => self.text(path, text, depth),
            Json::Number(text) => self.push(path.to_owned(), text.clone()),
            Json::Bool(on) => self.push(path.to_owned(), on.to_string()),
            Json::Null => self.push(path.to_owned(), "null".to_owned()),
        }
    }

    /// YAML by its lines.
    fn block(lines: &[&str]) -> Self {
        let mut leaves = Self::default();
        let mut ways: Vec<Way> = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let plain = without_comment(line);
            let mut content = plain.trim();
            let mut column = plain.len() - plain.trim_start().len();
            at += 1;
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            while let Some(item) =
                content.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with(' '))
            {
                ways.retain(|way| way.column < column || way.column == column && !way.item);
                let path = below(path_of(&ways), &format!("#{at}_{column}"));
                ways.push(Way { column, path, item: true });
                let rest = item.trim_start();
                column += content.len() - rest.len();
                content = rest;
            }
            let deeper =
                |line: &&&str| line.trim().is_empty() || line.len() - line.trim_start().len() > column;
            let Some((key, value)) = keyed(content) else {
                leaves.flow(path_of(&ways), content);
                continue;
            };
            ways.retain(|way| way.column < column);
            let path = below(path_of(&ways), &normal(key));
            if value.starts_with(['|', '>']) {
                at += lines.get(at..).unwrap_or_default().iter().take_while(deeper).count();
            } else if value.starts_with(['{', '[']) {
                let more = lines.get(at..).unwrap_or_default();
                let (whole, taken) = balanced(value, more);
                at += taken;
                leaves.flow(&path, &whole);
            } else if value.is_empty() {
                ways.push(Way { column, path, item: false });
            } else {
                leaves.flow(&path, value);
            }
        }
        leaves
    }

    /// A scalar, or lists and maps in brackets.
    fn flow(&mut self, path: &str, text: &str) {
        let mut rest = text.trim();
        self.flowing(path, &mut rest, 0);
    }

    fn flowing(&mut self, path: &str, rest: &mut &str, depth: usize) {
        *rest = rest.trim_start();
        let Some(close) = match rest.chars().next() {
            Some('{') => Some('}'),
            Some('[') => Some(']'),
            _ => None,
        }
        .filter(|_| depth < DEPTH) else {
            let value = scalar(rest, depth > 0);
            return self.push(path.to_owned(), value);
        };
        *rest = rest.get(1..).unwrap_or_default();
        let mut number = 0;
        loop {
            *rest = rest.trim_start_matches([' ', ',', '\t', '\n']);
            if rest.is_empty() || rest.starts_with(close) {
                *rest = rest.get(1..).unwrap_or_default();
                break;
            }
            let before = rest.len();
            if close == '}' {
                let key = scalar_until(rest, &[':', '}']);
                *rest = rest.trim_start().strip_prefix(':').unwrap_or(rest);
                self.flowing(&below(path, &normal(&key)), rest, depth + 1);
            } else {
                self.flowing(&below(path, &format!("#{number}")), rest, depth + 1);
            }
            number += 1;
            if rest.len() == before {
                break;
            }
        }
        if number == 0 && close == '}' {
            self.push(path.to_owned(), "{}".to_owned());
        }
    }
}

/// A key or an item that deeper lines belong to.
struct Way {
    column: usize,
    path: String,
    item: bool,
}

fn path_of(ways: &[Way]) -> &str {
    ways.last().map_or("", |way| &way.path)
}

fn below(path: &str, name: &str) -> String {
    match (path, name) {
        ("", _) => name.to_owned(),
        (_, "") => path.to_owned(),
        _ => format!("{path}.{name}"),
    }
}

/// Small letters and digits of a name.
pub(crate) fn normal(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The way to what has a name of these parts, whatever places in lists stand between them.
fn whole<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    let mut rest = path;
    for part in name.rsplit('.') {
        rest = without_places(rest.trim_end_matches('.')).strip_suffix(part)?;
        if !rest.is_empty() && !rest.ends_with('.') {
            return None;
        }
    }
    Some(rest)
}

/// A way without the places in lists at its end: `verbs.#0` is one of `verbs`.
fn without_places(path: &str) -> &str {
    let mut path = path;
    while path.rsplit('.').next().is_some_and(|last| last.starts_with('#')) {
        path = path.rsplit_once('.').map_or("", |(before, _)| before);
    }
    path
}

/// `key: value`; a key may be quoted.
fn keyed(content: &str) -> Option<(&str, &str)> {
    if content.starts_with(['{', '[']) {
        return None;
    }
    let (key, value) = match content.split_once(": ") {
        Some(parts) => parts,
        None => (content.strip_suffix(':')?, ""),
    };
    Some((key.trim().trim_matches(['"', '\'']), value.trim()))
}

fn without_comment(line: &str) -> &str {
    match line.find(" #") {
        Some(at) if !line.get(..at).unwrap_or_default().contains(['"', '\'']) => {
            line.get(..at).unwrap_or(line)
        }
        _ => line,
    }
}

/// A value in brackets with the lines that it goes on in.
fn balanced(value: &str, more: &[&str]) -> (String, usize) {
    let mut whole = value.to_owned();
    let mut taken = 0;
    let depth = |text: &str| {
        let count = |marks: [char; 2]| text.matches(marks).count();
        count(['{', '[']).saturating_sub(count(['}', ']']))
    };
    while depth(&whole) > 0
        && taken < 256
        && let Some(line) = more.get(taken)
    {
        whole.push(' ');
        whole.push_str(line.trim());
        taken += 1;
    }
    (whole, taken)
}

/// A scalar, up to a comma or a bracket when it stands in brackets.
fn scalar(rest: &mut &str, within: bool) -> String {
    scalar_until(rest, if within { &[',', '}', ']'] } else { &[] })
}

fn scalar_until(rest: &mut &str, marks: &[char]) -> String {
    *rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let inner = rest.get(1..).unwrap_or_default();
        let end = inner.find(quote).unwrap_or(inner.len());
        *rest = inner.get(end + 1..).unwrap_or_default();
        return inner.get(..end).unwrap_or_default().to_owned();
    }
    let end = rest.find(marks).unwrap_or(rest.len());
    let text = rest.get(..end).unwrap_or_default().trim().to_owned();
    *rest = rest.get(end..).unwrap_or_default();
    text
}
