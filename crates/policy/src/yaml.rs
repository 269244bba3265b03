//! YAML text → a tree with a place for every node. Total and bounded: gives what could be read and the problems.

use std::collections::HashMap;
use std::rc::Rc;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use tollgate_model::Span;

use crate::problem::{At, count};

/// A policy file has a few hundred nodes. Aliases count as what they stand for, so a bomb ends here too.
const MOST_NODES: usize = 20_000;
const DEEPEST: usize = 32;

/// One node of the tree. Shared where an alias stands for it.
#[derive(Debug)]
pub struct Node {
    /// Where it stands.
    pub at: At,
    /// What it is.
    pub value: Value,
    /// How many nodes it stands for, aliases written out.
    weight: usize,
}

/// The kinds of nodes.
#[derive(Debug)]
pub enum Value {
    /// A single value.
    Scalar {
        /// Its text.
        text: String,
        /// Written without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Rc<Node>>),
    /// Keys and values in their order.
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}

impl Node {
    /// No value is given: `key:`, `~` or `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The value of a key, where it is a map with that key.
    pub(crate) fn member(&self, name: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        let is = |key: &Self| matches!(&key.value, Value::Scalar { text, .. } if text == name);
        entries.iter().find(|(key, _)| is(key)).map(|(_, value)| &**value)
    }

    /// What kind of thing it is, for messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { .. } => "a value",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        }
    }
}

/// What was read of a text.
#[derive(Debug, Default)]
pub struct Document {
    /// The root, or what could be read of it; none when the text says nothing.
    pub root: Option<Rc<Node>>,
    /// What is wrong, and where.
    pub problems: Vec<(At, String)>,
    /// Reading stopped before the end.
    pub cut: bool,
}

/// Reads a text.
#[must_use]
pub fn read(text: &str) -> Document {
    let mut options = granit_parser::Options::default();
    options.flow_nesting_limit = DEEPEST;
    options.block_nesting_limit = DEEPEST;
    options.emit_comments = false;
    let mut builder = Builder { text, ..Builder::default() };
    for step in Parser::new_from_str_with_options(text, options) {
        let taken = match step {
            Ok((event, span)) => builder.take(event, at(&span)),
            Err(error) => Err(scan_problem(text, &error)),
        };
        if let Err(problem) = taken {
            builder.document.problems.push(problem);
            builder.document.cut = true;
            break;
        }
    }
    builder.finish()
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    document: Document,
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    nodes: usize,
}

/// A collection whose end has not come yet.
struct Open {
    at: At,
    anchor: usize,
    is_map: bool,
    children: Vec<Rc<Node>>,
}

type Step = Result<(), (At, String)>;

impl Builder<'_> {
    fn take(&mut self, event: Event, at: At) -> Step {
        match event {
            Event::DocumentStart(..) if self.document.root.is_some() => {
                Err((at, "a second document; a policy file holds one".into()))
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.refuse_tag(at, tag.as_deref());
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.add(Node { at, value, weight: 1 }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => self.start(at, anchor, tag.as_deref(), false),
            Event::MappingStart(_, anchor, tag) => self.start(at, anchor, tag.as_deref(), true),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(node) => self.place(node, at),
                None => Err((at, format!("{} stands inside of what it stands for", at.span.of(self.text)))),
            },
            _ => Ok(()),
        }
    }

    fn start(&mut self, at: At, anchor: usize, tag: Option<&Tag>, is_map: bool) -> Step {
        self.refuse_tag(at, tag);
        if self.open.len() >= DEEPEST {
            return Err((at, "nested too deep".into()));
        }
        self.open.push(Open { at, anchor, is_map, children: Vec::new() });
        Ok(())
    }

    fn end(&mut self) -> Step {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let weight = open.children.iter().map(|child| child.weight).sum::<usize>() + 1;
        let value = if open.is_map { Value::Map(pairs(open.children)) } else { Value::List(open.children) };
        self.add(Node { at: open.at, value, weight }, open.anchor)
    }

    fn add(&mut self, node: Node, anchor: usize) -> Step {
        let (at, node) = (node.at, Rc::new(node));
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.place(node, at)
    }

    fn place(&mut self, node: Rc<Node>, at: At) -> Step {
        // A collection's children were counted when they were placed; an alias counts whole.
        let is_alias = node.at != at;
        self.nodes = self.nodes.saturating_add(if is_alias { node.weight } else { 1 });
        if self.nodes > MOST_NODES {
            return Err((at, format!("too big: more than {MOST_NODES} values")));
        }
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.document.root = Some(node),
        }
        Ok(())
    }

    fn refuse_tag(&mut self, at: At, tag: Option<&Tag>) {
        if tag.is_some() {
            self.document.problems.push((at, "tags (`!…`) have no meaning here".into()));
        }
    }

    /// Closes what a cut left open, so that what was read before it counts.
    fn finish(mut self) -> Document {
        while !self.open.is_empty() && self.end().is_ok() {}
        if self.document.root.as_ref().is_some_and(|root| root.is_null()) {
            self.document.root = None;
        }
        self.document
    }
}

/// A key without a value, where reading was cut, is dropped.
fn pairs(children: Vec<Rc<Node>>) -> Vec<(Rc<Node>, Rc<Node>)> {
    let mut children = children.into_iter();
    std::iter::from_fn(|| Some((children.next()?, children.next()?))).collect()
}

fn at(span: &granit_parser::Span) -> At {
    let bytes = span.byte_range().unwrap_or_default();
    At {
        line: count(span.start.line()),
        column: count(span.start.col() + 1),
        span: Span::new(bytes.start, bytes.end),
    }
}

fn scan_problem(text: &str, error: &ScanError) -> (At, String) {
    let start = error.marker().byte_offset().unwrap_or_default().min(text.len());
    let letter = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let (line, column) = (count(error.marker().line()), count(error.marker().col() + 1));
    (At { line, column, span: Span::new(start, start + letter) }, format!("not valid YAML: {}", error.info()))
}
