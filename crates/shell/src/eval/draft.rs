//! Fields under construction: quoting, splitting and empty words.

use std::rc::Rc;

use tollgate_model::{Span, work};

use super::Field;
use super::globs;
use super::state::List;
use crate::value::{Builder, HoleSource, Piece, Taint, Text, Value};

/// Fields of one word; beyond it those so far become a hole.
const FIELDS: usize = 10_000;

/// Ways to split one word that are told apart.
const WAYS: usize = 64;

/// All the ways one word may come out, so far.
#[derive(Clone)]
pub(super) struct Drafts {
    pub any: Vec<Draft>,
    pub globbing: bool,
    /// What `IFS` may be; nothing when it is not known.
    separators: Vec<Rc<str>>,
}

/// One way: finished fields, and the one being put together.
#[derive(Clone)]
pub(super) struct Draft {
    done: Vec<Field>,
    now: Option<Now>,
    span: Span,
}

/// What one class of values of an unquoted expansion does to a word.
enum Change {
    Split(Text),
    /// Added as it is, and whether it may be several words.
    Add(Value, bool),
    Nothing,
}

/// Where splitting is in a run of separators.
#[derive(Clone, Copy)]
enum Gap {
    Outside,
    White { after_field: bool },
    Hard,
}

#[derive(Clone)]
struct Now {
    value: Builder,
    splits: bool,
    /// Stays even when it turns out empty.
    solid: bool,
    /// The last of a list, and may come to nothing: what follows then belongs to the field before.
    edge: bool,
}

impl Drafts {
    /// `separators` are the values `IFS` may have, none when that is not known.
    pub fn new(span: Span, separators: Vec<Rc<str>>) -> Self {
        Self { any: vec![Draft { done: Vec::new(), now: None, span }], globbing: true, separators }
    }

    /// Adds quoted text.
    pub fn quoted(&mut self, value: &Value) {
        self.fork_edges();
        self.any.iter_mut().for_each(|draft| draft.add(value, false, true));
    }

    /// Adds unquoted literal text.
    pub fn raw(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = Text::literal(text);
        let value: Value = if self.globbing { globs::activate(&text) } else { text }.into();
        self.quoted(&value);
    }

    /// Adds a ready field.
    pub fn field(&mut self, value: &Value, splits: bool) {
        let solid = !splits || !value.maybe_empty();
        self.any.iter_mut().for_each(|draft| draft.add(value, splits, solid));
    }

    /// Adds what an unquoted expansion came to; `whole` values are not split.
    pub fn unquoted(&mut self, value: &Value, whole: bool) {
        if self.separators.len() < 2 || whole {
            return self.unquoted_one(value, whole);
        }
        let mut ways = Vec::new();
        for separators in &self.separators {
            let mut drafts = Self { separators: vec![Rc::clone(separators)], ..self.clone() };
            drafts.unquoted_one(value, whole);
            ways.extend(drafts.any);
        }
        self.replace(ways);
    }

    fn unquoted_one(&mut self, value: &Value, whole: bool) {
        self.fork_edges();
        let (empty, filled): (Vec<&Text>, Vec<&Text>) = value.any.iter().partition(|text| text.is_empty());
        let (split, plain): (Vec<&Text>, Vec<&Text>) =
            filled.into_iter().partition(|text| !whole && self.is_split(text));
        // Text with holes may be several words or none, which must not be said of what is known.
        let (open, known): (Vec<&Text>, Vec<&Text>) =
            plain.into_iter().partition(|text| !whole && text.has_holes() || text.maybe_empty());
        let loose = !whole && self.separators.is_empty();
        let together = |texts: &[&Text]| Value {
            any: texts.iter().map(|text| self.active(text)).collect(),
            taint: value.taint,
        };
        let (open, known) = (together(&open), together(&known));
        let mut changes: Vec<Change> = split.iter().map(|text| Change::Split(self.active(text))).collect();
        for (group, splits) in [(known, loose), (open, true)] {
            changes.extend((!group.any.is_empty()).then_some(Change::Add(group, splits)));
        }
        changes.extend((!empty.is_empty()).then_some(Change::Nothing));
        self.apply(&changes, value.taint);
    }

    /// Each way with each change; the only change is made in place.
    fn apply(&mut self, changes: &[Change], taint: Taint) {
        let Some((last, others)) = changes.split_last() else { return };
        let separators = self.separators.first().cloned().unwrap_or_else(|| Rc::from(""));
        let mut ways = Vec::with_capacity(self.any.len() * changes.len());
        for mut draft in std::mem::take(&mut self.any) {
            for change in others {
                let mut draft = draft.clone();
                draft.change(change, taint, &separators);
                ways.push(draft);
            }
            draft.change(last, taint, &separators);
            ways.push(draft);
        }
        self.replace(ways);
    }

    /// Adds the elements of a list: each a field of its own, the first and last joined to what is around.
    pub fn lists(&mut self, lists: &[List], quoted: bool) {
        let mut ways = Vec::new();
        for list in lists {
            let mut drafts = self.clone();
            for (index, item) in list.items.iter().enumerate() {
                if index > 0 {
                    drafts.any.iter_mut().for_each(Draft::end);
                }
                if quoted { drafts.quoted(item) } else { drafts.unquoted(item, false) }
            }
            for (index, (value, splits)) in list.rest().iter().enumerate() {
                if index > 0 || !list.items.is_empty() {
                    drafts.any.iter_mut().for_each(Draft::end);
                }
                match splits {
                    true => drafts.any.iter_mut().for_each(|draft| draft.add_open(value)),
                    false if quoted => drafts.quoted(value),
                    false => drafts.unquoted(value, false),
                }
            }
            ways.extend(drafts.any);
        }
        self.replace(ways);
    }

    /// Tells apart whether the last word of a list came to nothing, now that something follows it.
    fn fork_edges(&mut self) {
        let emptied: Vec<Draft> = self.any.iter().filter_map(Draft::without_edge).collect();
        if emptied.is_empty() {
            return;
        }
        let mut ways = std::mem::take(&mut self.any);
        ways.iter_mut().filter_map(|draft| draft.now.as_mut()).for_each(|now| now.edge = false);
        ways.extend(emptied);
        self.replace(ways);
    }

    /// Either these ways or those.
    pub fn merge(&mut self, other: Self) {
        let mut ways = std::mem::take(&mut self.any);
        ways.extend(other.any);
        self.replace(ways);
    }

    fn replace(&mut self, mut ways: Vec<Draft>) {
        let paid = work::charge(ways.iter().map(|draft| draft.done.len() + 1).sum());
        if (!paid || ways.len() > WAYS)
            && let Some(first) = ways.first()
        {
            let mut draft = Draft { done: Vec::new(), now: None, span: first.span };
            draft.add(&Value::unknown(HoleSource::Budget), true, false);
            ways = vec![draft];
        }
        self.any = ways;
    }

    fn is_split(&self, text: &Text) -> bool {
        let Some(separators) = self.separators.first() else { return false };
        text.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(text) if text.contains(|c| separators.contains(c))))
    }

    fn active(&self, text: &Text) -> Text {
        if self.globbing { globs::activate(text) } else { text.clone() }
    }
}

impl Draft {
    /// The fields, patterns told from text.
    pub fn finish(mut self) -> Vec<Field> {
        self.end();
        self.done
    }

    fn change(&mut self, change: &Change, taint: Taint, separators: &str) {
        match change {
            Change::Split(text) => self.split(text, taint, separators),
            Change::Add(value, splits) => self.add(value, *splits, !value.maybe_empty()),
            Change::Nothing => {}
        }
    }

    fn add(&mut self, value: &Value, splits: bool, solid: bool) {
        match &mut self.now {
            Some(now) => {
                now.value.push(value);
                now.splits |= splits;
                now.solid |= solid;
            }
            None => self.now = Some(Now { value: Builder::from(value), splits, solid, edge: false }),
        }
    }

    /// Adds a word of a list that may be any number of words.
    fn add_open(&mut self, value: &Value) {
        let edge = self.now.is_none() && !self.done.is_empty() && value.maybe_empty();
        self.add(value, true, false);
        if let Some(now) = &mut self.now {
            now.edge = edge;
        }
    }

    /// The same when the open word at its edge came to nothing.
    fn without_edge(&self) -> Option<Self> {
        if !self.now.as_ref().is_some_and(|now| now.edge) {
            return None;
        }
        let (last, done) = self.done.split_last()?;
        let value = Builder::from(&last.value);
        let now = Now { value, splits: last.splits, solid: true, edge: false };
        Some(Self { done: done.to_vec(), now: Some(now), span: self.span })
    }

    /// Ends the field being put together, if there is one.
    fn end(&mut self) {
        let Some(now) = self.now.take() else { return };
        if !now.solid && !now.splits && now.value.is_empty() {
            return;
        }
        if self.done.len() >= FIELDS {
            let value = Value::unknown(HoleSource::Budget);
            self.done = vec![Field { value, span: self.span, splits: true }];
        }
        let value = now.value.finish();
        let value = Value { any: value.any.into_iter().map(globs::settle).collect(), taint: value.taint };
        self.done.push(Field { value, span: self.span, splits: now.splits });
    }

    /// Adds text, ending a field at each separator.
    fn split(&mut self, text: &Text, taint: Taint, separators: &str) {
        let mut gap = Gap::Outside;
        for piece in &text.pieces {
            let (known, active) = match piece {
                Piece::Text(text) => (text, false),
                Piece::Glob(text) => (text, true),
                Piece::Hole(_) => {
                    gap = Gap::Outside;
                    self.add(
                        &Value::from(Text { pieces: piece.clone().into() }).with_taint(taint),
                        true,
                        false,
                    );
                    continue;
                }
            };
            let mut run = String::new();
            for c in known.chars() {
                if separators.contains(c) {
                    self.add_run(&mut run, active, taint);
                    gap = self.separator(gap, !matches!(c, ' ' | '\t' | '\n'));
                } else {
                    gap = Gap::Outside;
                    run.push(c);
                }
            }
            self.add_run(&mut run, active, taint);
        }
    }

    /// White space around a hard separator belongs to it; two hard ones have an empty field between.
    fn separator(&mut self, gap: Gap, hard: bool) -> Gap {
        match gap {
            Gap::White { after_field: true } if hard => return Gap::Hard,
            Gap::White { .. } | Gap::Hard if !hard => return gap,
            _ => {}
        }
        let after_field = self.now.is_some();
        if hard && !after_field {
            self.add(&Value::empty(), false, true);
        }
        self.end();
        if hard { Gap::Hard } else { Gap::White { after_field } }
    }

    fn add_run(&mut self, run: &mut String, active: bool, taint: Taint) {
        if run.is_empty() {
            return;
        }
        let piece = if active { Piece::Glob(run.as_str().into()) } else { Piece::text(run) };
        self.add(&Value::from(Text { pieces: piece.into() }).with_taint(taint), false, true);
        run.clear();
    }
}
