//! Words to fields: tilde, parameters, substitutions, splitting, patterns and quote removal.

use std::rc::Rc;

use tollgate_model::{Span, work};

use super::brace::{self, Piece as Braced};
use super::draft::{Draft, Drafts};
use super::globs;
use super::state::List;
use super::substituted::{Substituted, is_substitution};
use super::{Field, Host, Limit, Shell};
use crate::ast::{Dialect, Part, Word};
use crate::value::{Builder, HoleSource, Piece, Text, Value};

/// What a part of a word comes to.
pub(super) enum Expanded<'a> {
    /// One value, which may be split when unquoted unless it is `whole`.
    One { value: Value, whole: bool },
    /// `$@`, `$*`, `${a[@]}`: one of several lists.
    Many { lists: Vec<List>, star: bool },
    /// The value when it is set, or else this operand of `${x:-…}`.
    Choice { value: Option<Value>, word: &'a Word },
}

/// What a number of a long range looks like.
pub(super) const NUMBER: &str = "[0-9]*";

/// What a word is expanded to when it is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Text.
    Plain,
    /// Text with tildes after `=` and `:`.
    Assignment,
    /// A pattern: what was unquoted is `Glob`.
    Pattern,
}

impl Shell {
    /// The lists of fields that words may become; one list unless splitting is not certain.
    pub(super) fn expand_words(&mut self, words: &[Word], host: &mut dyn Host) -> Vec<Vec<Field>> {
        let mut lists = vec![Vec::with_capacity(words.len())];
        for word in words {
            let fields = self.expand_word(word, host);
            self.extend_lists(&mut lists, fields, word.span, host);
        }
        lists
    }

    /// Adds what one word may become to each list.
    pub(super) fn extend_lists(
        &mut self,
        lists: &mut Vec<Vec<Field>>,
        fields: Fields,
        span: Span,
        host: &mut dyn Host,
    ) {
        /// Lists that are told apart.
        const LISTS: usize = 64;
        let mut options = match fields {
            Fields::One(field) => return push_each(lists, field),
            Fields::Any(options) => options,
        };
        // One word for one word costs nothing; what expansion adds does.
        let words: usize = options.iter().map(Vec::len).sum();
        self.step(words / 4, span, host);
        if options.len() > 1 {
            work::charge(lists.iter().map(Vec::len).sum::<usize>() * options.len() / 2);
        }
        if !self.spend_words(words.saturating_sub(1), span, host) {
            options = vec![vec![self.too_many(span)]];
        }
        if lists.len() * options.len() > LISTS {
            options = vec![vec![self.too_many(span)]];
        }
        if let [only] = options.as_slice() {
            return lists.iter_mut().for_each(|list| list.extend(only.iter().cloned()));
        }
        let each = |list: &Vec<Field>| -> Vec<Vec<Field>> {
            options.iter().map(|option| list.iter().chain(option).cloned().collect()).collect()
        };
        *lists = lists.iter().flat_map(each).collect();
    }

    /// Stands for more words than there may be.
    pub(super) fn too_many(&self, span: Span) -> Field {
        Field { value: Value::unknown(HoleSource::Budget), span: self.at(span), splits: true }
    }

    /// The fields that one word may become.
    pub(super) fn expand_word(&mut self, word: &Word, host: &mut dyn Host) -> Fields {
        let span = self.at(word.span);
        if let [Part::Text { text, quoted }] = word.parts.as_slice()
            && (*quoted || is_inert(text) && !(self.dialect == Dialect::Zsh && text.starts_with('=')))
            && !self.context.patched
        {
            return Fields::One(Field::new(Text::literal(text).into(), span));
        }
        self.step(word.parts.len(), word.span, host);
        if self.dialect == Dialect::Zsh
            && let [Part::Text { text, quoted: false }] = word.parts.as_slice()
            && let Some(name) = text.strip_prefix('=')
            && !name.is_empty()
        {
            // `=name` is the path of a program: told by its name.
            return Fields::One(Field::new(Text::literal(name).into(), span));
        }
        if self.dialect == Dialect::Zsh {
            self.run_qualifiers(word, host);
        }
        let limit = self.budget.words as usize;
        let Some(words) = brace::expand(&word.parts, limit) else {
            let pieces: Vec<Braced<'_>> = word.parts.iter().map(Braced::Part).collect();
            return self.expand_pieces(&pieces, span, None, host).finish();
        };
        work::charge(words.iter().map(|pieces| 2 + pieces.len()).sum::<usize>() * 2);
        let mut substituted = Substituted::default();
        let mut lists = vec![Vec::new()];
        if words.iter().flatten().any(|piece| matches!(piece, Braced::TooMany)) {
            self.exhausted(Limit::Words, word.span, host);
        }
        for pieces in words {
            if !self.step(1, word.span, host) {
                break;
            }
            let fields = self.expand_pieces(&pieces, span, Some(&mut substituted), host).finish();
            self.extend_lists(&mut lists, fields, word.span, host);
        }
        if self.dialect == Dialect::Posix {
            // Bash as `sh` expands braces, other shells leave them alone.
            let pieces: Vec<Braced<'_>> = word.parts.iter().map(Braced::Part).collect();
            let plain = self.expand_pieces(&pieces, span, Some(&mut substituted), host).finish();
            if let Fields::Any(plain) = plain {
                lists.extend(plain);
            }
        }
        Fields::Any(lists)
    }

    /// `substituted` holds what substitutions of the same word came to for the words before this one.
    fn expand_pieces<'a>(
        &mut self,
        pieces: &[Braced<'a>],
        span: Span,
        mut substituted: Option<&mut Substituted<'a>>,
        host: &mut dyn Host,
    ) -> Drafts {
        let mut drafts = Drafts::new(span, self.separators(host));
        drafts.globbing = !self.state.local.options.noglob;
        let mut rest = pieces;
        if let Some((tilde, used)) = self.leading_tilde(pieces, host) {
            drafts.quoted(&tilde);
            if let Some((Braced::Raw(_) | Braced::Part(Part::Text { .. }), others)) = pieces.split_first() {
                let first = pieces.first().and_then(raw_text).unwrap_or_default();
                self.add_raw(&mut drafts, first.get(used..).unwrap_or_default(), false);
                rest = others;
            }
        }
        for piece in rest {
            match piece {
                Braced::Raw(text) => self.add_raw(&mut drafts, text, false),
                Braced::Number => drafts.quoted(&Text { pieces: Piece::Glob(NUMBER.into()).into() }.into()),
                Braced::TooMany => drafts.quoted(&Value::something(HoleSource::Budget)),
                Braced::Part(part) => match &mut substituted {
                    Some(known) if is_substitution(part) => {
                        let (quoted, value) = self.substitute_once(part, known, host);
                        let expanded = Expanded::One { value, whole: false };
                        self.add_expanded(&mut drafts, expanded, quoted, false, host);
                    }
                    _ => self.add_part(&mut drafts, part, false, host),
                },
            }
        }
        drafts
    }

    /// Adds a part of a word; `inner` for the operand of an unquoted `${x:-…}`, whose text is split too.
    fn add_part(&mut self, drafts: &mut Drafts, part: &Part, inner: bool, host: &mut dyn Host) {
        if let Part::Text { text, quoted } = part {
            return match quoted {
                true => {
                    let value = self.literal(text);
                    drafts.quoted(&value);
                }
                false => self.add_raw(drafts, text, inner),
            };
        }
        let (quoted, expanded) = self.expand_part(part, host);
        self.add_expanded(drafts, expanded, quoted, matches!(part, Part::Param { .. }), host);
    }

    fn add_expanded(
        &mut self,
        drafts: &mut Drafts,
        expanded: Expanded<'_>,
        quoted: bool,
        parameter: bool,
        host: &mut dyn Host,
    ) {
        // zsh does not split what parameters expand to, unless it is told to.
        let zsh = parameter && self.dialect == Dialect::Zsh;
        if zsh
            && self.state.local.options.word_split
            && !quoted
            && let Expanded::One { value, .. } = &expanded
        {
            let mut split = drafts.clone();
            split.unquoted(value, false);
            drafts.unquoted(value, true);
            return drafts.merge(split);
        }
        match expanded {
            Expanded::One { value, .. } if quoted => drafts.quoted(&value),
            Expanded::One { value, whole } => {
                self.budget.charge_letters(&value);
                drafts.unquoted(&value, whole || zsh);
            }
            Expanded::Many { lists, star: true } if quoted => {
                let value = self.joined_lists(&lists, true, host);
                self.budget.charge_letters(&value);
                drafts.quoted(&value);
            }
            Expanded::Many { lists, .. } => {
                if !quoted {
                    let items = lists.iter().flat_map(|list| list.items.iter().chain(&list.others));
                    items.for_each(|value| self.budget.charge_letters(value));
                }
                drafts.lists(&lists, quoted || zsh);
            }
            Expanded::Choice { value, word } if quoted => {
                let operand = self.expand_value(word, Mode::Plain, host);
                drafts.quoted(&value.map_or(operand.clone(), |value| value.union(&operand)));
            }
            Expanded::Choice { value, word } => {
                let mut other = drafts.clone();
                for part in &word.parts {
                    self.add_part(&mut other, part, true, host);
                }
                match value {
                    Some(value) => {
                        drafts.unquoted(&value, zsh);
                        drafts.merge(other);
                    }
                    None => *drafts = other,
                }
            }
        }
    }

    /// Adds unquoted literal text, with the stand-ins of text that was run as code.
    fn add_raw(&mut self, drafts: &mut Drafts, text: &str, inner: bool) {
        let add = |drafts: &mut Drafts, text: &str| {
            if inner { drafts.unquoted(&Value::text(text), false) } else { drafts.raw(text) }
        };
        if !self.context.patched {
            return add(drafts, text);
        }
        for (literal, placeholder) in self.segments(text) {
            add(drafts, literal);
            if let Some(field) = placeholder {
                drafts.field(&field.value, field.splits);
            }
        }
    }

    /// A word as one value.
    pub(super) fn expand_value(&mut self, word: &Word, mode: Mode, host: &mut dyn Host) -> Value {
        if let [Part::Text { text, quoted }] = word.parts.as_slice()
            && !self.context.patched
            && (*quoted || !text.contains('~') && mode != Mode::Pattern)
        {
            return Value::text(text);
        }
        let mut value = Builder::default();
        for (index, part) in word.parts.iter().enumerate() {
            match part {
                Part::Text { text, quoted: true } if !self.context.patched => value.push_str(text),
                part => {
                    let more = self.part_value(part, index == 0, word, mode, host);
                    value.push(&more);
                }
            }
        }
        let value = value.finish();
        self.step(word.parts.len(), word.span, host);
        self.budget.charge(&value);
        value
    }

    fn part_value(
        &mut self,
        part: &Part,
        first: bool,
        word: &Word,
        mode: Mode,
        host: &mut dyn Host,
    ) -> Value {
        if let Part::Text { text, quoted } = part {
            return match (*quoted, mode) {
                (true, _) => self.literal(text),
                (false, Mode::Pattern) => self.literal(text).map(globs::activate),
                (false, Mode::Assignment) => self.tildes(text, first, host),
                (false, Mode::Plain) if first && text.starts_with('~') => {
                    let pieces: Vec<Braced<'_>> = word.parts.iter().map(Braced::Part).collect();
                    let (tilde, used) = self.leading_tilde(&pieces, host).unwrap_or((Value::empty(), 0));
                    tilde.concat(&self.literal(text.get(used..).unwrap_or_default()))
                }
                (false, Mode::Plain) => self.literal(text),
            };
        }
        let (quoted, expanded) = self.expand_part(part, host);
        let value = self.expanded_value(expanded, mode, host);
        if mode == Mode::Pattern && !quoted { value.map(globs::activate) } else { value }
    }

    pub(super) fn expanded_value(
        &mut self,
        expanded: Expanded<'_>,
        mode: Mode,
        host: &mut dyn Host,
    ) -> Value {
        match expanded {
            Expanded::One { value, .. } => value,
            Expanded::Many { lists, star } => self.joined_lists(&lists, star, host),
            Expanded::Choice { value, word } => {
                let operand = self.expand_value(word, mode, host);
                value.map_or(operand.clone(), |value| value.union(&operand))
            }
        }
    }

    /// The elements with a space between, or for `*` the first character of `IFS`.
    pub(super) fn joined_lists(&self, lists: &[List], star: bool, host: &dyn Host) -> Value {
        let ifs = if star { self.lookup("IFS", host).scalar() } else { None };
        let separator = ifs.as_ref().map_or(Some(" "), Value::as_literal).unwrap_or(" ");
        let first = separator.chars().next().map(String::from).unwrap_or_default();
        lists
            .iter()
            .map(|list| list.joined(&first))
            .reduce(|left, right| left.union(&right))
            .unwrap_or_else(Value::empty)
    }

    pub(super) fn expand_part<'a>(&mut self, part: &'a Part, host: &mut dyn Host) -> (bool, Expanded<'a>) {
        match part {
            Part::Text { text, quoted } => {
                (*quoted, Expanded::One { value: self.literal(text), whole: true })
            }
            Part::Param { expansion, quoted, span } => (*quoted, self.expand_param(expansion, *span, host)),
            Part::Command { script, quoted, span } => {
                let value = self.substitute(script, *span, host);
                (*quoted, Expanded::One { value, whole: false })
            }
            Part::Arith { expression, quoted, span } => {
                let text = self.expand_value(&expression.word, Mode::Plain, host);
                let value = self.arithmetic(&text, *span, host);
                (*quoted, Expanded::One { value, whole: true })
            }
            Part::Process { script, output, span } => {
                let value = self.process(script, *output, *span, host);
                (true, Expanded::One { value, whole: true })
            }
            Part::Array(items) => {
                let elements = self.array_elements(items, "", host);
                let list =
                    List::ordered(elements.known.into_values().collect(), elements.others, elements.tail);
                (true, Expanded::Many { lists: vec![list], star: true })
            }
        }
    }

    /// The sets of characters that may split unquoted expansions; none when they are not known.
    fn separators(&self, host: &dyn Host) -> Vec<Rc<str>> {
        const DEFAULT: &str = " \t\n";
        if !self.state.local.vars.contains_key("IFS") {
            return vec![Rc::from(DEFAULT)];
        }
        let variable = self.lookup("IFS", host);
        let Some(value) = variable.scalar() else { return vec![Rc::from(DEFAULT)] };
        if !value.is_known() || value.any.len() > 4 {
            return Vec::new();
        }
        let mut sets: Vec<Rc<str>> = value.literals().map(Rc::from).collect();
        if variable.maybe_unset && !sets.iter().any(|set| &**set == DEFAULT) {
            sets.push(Rc::from(DEFAULT));
        }
        sets
    }

    /// A home directory at the start of a word, and how many bytes of text it takes.
    fn leading_tilde(&mut self, pieces: &[Braced<'_>], host: &mut dyn Host) -> Option<(Value, usize)> {
        let text = pieces.first().and_then(raw_text)?;
        // `name=~/x` is expanded in arguments too.
        let start = match text.split_once('=') {
            Some((name, rest)) if rest.starts_with('~') && super::vars::is_name(name) => name.len() + 1,
            _ => 0,
        };
        let name = text.get(start..)?.strip_prefix('~')?;
        let user = name.split('/').next().unwrap_or_default();
        if user.len() == name.len() && pieces.len() > 1 {
            return None;
        }
        let home = self.home(user, host);
        let before = Value::text(text.get(..start).unwrap_or_default());
        Some((before.concat(&home), start + 1 + user.len()))
    }

    /// Tildes at the start of an assigned value and after each colon.
    fn tildes(&mut self, text: &str, first: bool, host: &mut dyn Host) -> Value {
        if !text.contains('~') {
            return self.literal(text);
        }
        let mut value = Value::empty();
        for (index, part) in text.split(':').enumerate() {
            if index > 0 {
                value = value.concat(&Value::text(":"));
            }
            let tilde = part.strip_prefix('~').filter(|_| first || index > 0);
            let more = match tilde {
                Some(name) => {
                    let user = name.split('/').next().unwrap_or_default();
                    let rest = self.literal(name.get(user.len()..).unwrap_or_default());
                    self.home(user, host).concat(&rest)
                }
                None => self.literal(part),
            };
            value = value.concat(&more);
        }
        value
    }

    fn home(&mut self, user: &str, host: &mut dyn Host) -> Value {
        let variable = |shell: &Self, name: &str, host: &dyn Host| shell.lookup(name, host).scalar();
        let known = match user {
            "" => variable(self, "HOME", host),
            "+" => variable(self, "PWD", host),
            "-" => variable(self, "OLDPWD", host),
            user => host.home_of(user).map(|home| Value::text(&home)),
        };
        known.unwrap_or_else(|| {
            let name = format!("~{user}");
            let hole = Value::something(HoleSource::Variable(Rc::from(name.as_str())));
            if user.is_empty() { hole } else { Value::text(&name).union(&hole) }
        })
    }

    /// Literal text, with the stand-ins of text that was run as code.
    pub(super) fn literal(&self, text: &str) -> Value {
        if !self.context.patched {
            return Value::text(text);
        }
        let mut value = Value::empty();
        for (literal, placeholder) in self.segments(text) {
            value = value.concat(&Value::text(literal));
            if let Some(field) = placeholder {
                value = value.concat(&field.value);
            }
        }
        value
    }
}

/// The fields that a word may become.
pub(super) enum Fields {
    One(Field),
    Any(Vec<Vec<Field>>),
}

impl Drafts {
    fn finish(self) -> Fields {
        Fields::Any(self.any.into_iter().map(Draft::finish).collect())
    }
}

fn push_each(lists: &mut [Vec<Field>], field: Field) {
    if let [only] = lists {
        return only.push(field);
    }
    lists.iter_mut().for_each(|list| list.push(field.clone()));
}

fn raw_text<'a>(piece: &'a Braced<'_>) -> Option<&'a str> {
    match piece {
        Braced::Raw(text) => Some(text),
        Braced::Part(Part::Text { text, quoted: false }) => Some(text),
        _ => None,
    }
}

/// Unquoted text that stands for itself wherever it is.
fn is_inert(text: &str) -> bool {
    !text.is_empty() && !text.bytes().any(|byte| matches!(byte, b'{' | b'~' | b'*' | b'?' | b'[' | b'('))
}
