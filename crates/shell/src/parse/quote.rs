//! Quoted and bracketed text: `'…'`, `"…"`, `$'…'`, backticks, operands of `${…}`, arithmetic, heredocs.

use super::ansi::decode;
use super::word::Parts;
use super::{Closers, Parser};
use crate::ast::{Dialect, Part};
use crate::lexer::ByteSet;

/// How expansions behave where they stand.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// As in double quotes: no splitting, no globbing.
    pub(super) quoted: bool,
    /// `$'…'` and `$"…"` are quotes here.
    pub(super) dollar_quotes: bool,
    /// In the body of a heredoc, where `"` is text.
    pub(super) here: bool,
}

/// Outside of quotes.
pub(super) const PLAIN: Context = Context { quoted: false, dollar_quotes: true, here: false };
const QUOTED: Context = Context { quoted: true, dollar_quotes: false, here: false };
const HERE: Context = Context { quoted: true, dollar_quotes: false, here: true };
const QUOTED_OPERAND: Context = Context { quoted: true, dollar_quotes: true, here: false };

/// What `'` means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Single {
    /// Text.
    Text,
    /// A quote.
    Quote,
    /// Text, but what ends the enclosing text does not end it up to the next `'`.
    Shield,
}

/// How a piece of enclosed text is read.
pub(super) struct Rules {
    /// Every byte that needs a look.
    special: ByteSet,
    /// Bytes that end it outside of nested brackets; `}` ends it anywhere.
    ends: &'static [u8],
    /// Brackets that nest.
    nest: Option<(u8, u8)>,
    /// What a backslash escapes; empty means everything.
    escapable: &'static [u8],
    single: Single,
    context: Context,
}

/// `"…"`, from after the opening quote.
static DOUBLE: Rules = Rules {
    special: ByteSet::of(b"\\$`\""),
    ends: b"\"",
    nest: None,
    escapable: b"$`\"\\",
    single: Single::Text,
    context: QUOTED,
};

/// The body of a heredoc whose delimiter is not quoted.
pub(super) static HEREDOC: Rules = Rules {
    special: ByteSet::of(b"\\$`"),
    ends: b"",
    nest: None,
    escapable: b"$`\\",
    single: Single::Text,
    context: HERE,
};

/// The operand of an operator in `${…}` outside of quotes, and any pattern.
static OPERAND: Rules = Rules {
    special: ByteSet::of(b"\\$`\"'}<>"),
    ends: b"}",
    nest: None,
    escapable: b"",
    single: Single::Quote,
    context: PLAIN,
};

/// The pattern of a replacement.
pub(super) static REPLACED: Rules = Rules {
    special: ByteSet::of(b"\\$`\"'}<>/"),
    ends: b"}/",
    nest: None,
    escapable: b"",
    single: Single::Quote,
    context: PLAIN,
};

/// The replacement in a quoted `${…}`.
static REPLACEMENT_QUOTED: Rules = Rules {
    special: ByteSet::of(b"\\$`\"'}"),
    ends: b"}",
    nest: None,
    escapable: b"$`\"\\}",
    single: Single::Quote,
    context: QUOTED_OPERAND,
};

/// The operand of `-`, `=`, `?` or `+` in a quoted `${…}`.
static OPERAND_QUOTED: Rules = Rules { single: Single::Text, ..operand_quoted() };

/// The same in bash, where `'` hides a `}` yet stays text.
static OPERAND_SHIELDED: Rules = Rules { single: Single::Shield, ..operand_quoted() };

const fn operand_quoted() -> Rules {
    Rules {
        special: ByteSet::of(b"\\$`\"'}"),
        ends: b"}",
        nest: None,
        escapable: b"$`\"\\}",
        single: Single::Text,
        context: QUOTED_OPERAND,
    }
}

/// `(( … ))`, from after the opening.
pub(super) static ARITH: Rules = Rules { ends: b")", ..arith_rules() };

/// One of the expressions of `for ((…))`.
pub(super) static ARITH_HEADER: Rules = Rules { ends: b");", ..arith_rules() };

/// The offset in `${x:offset:length}`.
pub(super) static OFFSET: Rules = Rules { ends: b"}:", ..arith_rules() };

/// The length in `${x:offset:length}`.
pub(super) static LENGTH: Rules = Rules { ends: b"}", ..arith_rules() };

const fn arith_rules() -> Rules {
    Rules {
        special: ByteSet::of(b"\\$`\"'();:}"),
        ends: b"",
        nest: Some((b'(', b')')),
        escapable: b"$`\"\\",
        single: Single::Shield,
        context: QUOTED_OPERAND,
    }
}

/// A subscript in `${…}`, which a `}` ends in any case.
pub(super) static SUBSCRIPT: Rules = Rules { ends: b"]}", ..subscript_rules() };

/// A subscript of an assignment, and `$[ … ]`.
pub(super) static BRACKETS: Rules = Rules { ends: b"]", ..subscript_rules() };

const fn subscript_rules() -> Rules {
    Rules {
        special: ByteSet::of(b"\\$`\"'[]}"),
        ends: b"",
        nest: Some((b'[', b']')),
        escapable: b"",
        single: Single::Quote,
        context: QUOTED_OPERAND,
    }
}

impl Rules {
    fn ends_at(&self, byte: u8, depth: usize) -> bool {
        (depth == 0 || byte == b'}') && self.ends.contains(&byte)
    }

    fn opens_double(&self) -> bool {
        !self.context.here && !self.ends.contains(&b'"')
    }
}

/// How the operand of `-`, `=`, `?`, `+` is read; also the rest of a form that is not known.
pub(super) fn operand_rules(context: Context, dialect: Dialect) -> &'static Rules {
    match (context.quoted, dialect) {
        (false, _) => &OPERAND,
        (true, Dialect::Bash) => &OPERAND_SHIELDED,
        (true, _) => &OPERAND_QUOTED,
    }
}

/// How a pattern is read: its glob characters are active even when the expansion is quoted.
pub(super) fn pattern_rules() -> &'static Rules {
    &OPERAND
}

/// How the replacement of `${x/pattern/replacement}` is read.
pub(super) fn replacement_rules(context: Context) -> &'static Rules {
    if context.quoted { &REPLACEMENT_QUOTED } else { &OPERAND }
}

impl Parser<'_> {
    /// Reads enclosed text up to what ends it, which is given and not consumed; nothing at the end of the text.
    pub(super) fn enclosed(&mut self, rules: &Rules, parts: &mut Parts) -> Option<u8> {
        let quoted = rules.context.quoted;
        let mut depth = 0_usize;
        let mut shielded = false;
        loop {
            parts.text(self.at.run(&rules.special), quoted);
            self.bound(parts);
            let byte = self.at.peek()?;
            match byte {
                b'\\' if rules.escapable.is_empty() => self.escape(parts),
                b'\\' => self.limited_escape(rules, parts),
                b'$' => self.dollar(rules.context, parts),
                b'`' => self.backtick(rules.context, parts),
                b'\'' if rules.single == Single::Quote => self.single_quoted(parts),
                b'\'' => {
                    shielded = rules.single == Single::Shield && !shielded;
                    parts.text(self.at.bump(), quoted);
                }
                _ if shielded => parts.text(self.at.bump(), quoted),
                b'"' if rules.opens_double() => self.double_quoted(parts),
                b'<' | b'>' if self.at.after(self.at.pos) == Some(b'(') => self.process(parts),
                _ if rules.ends_at(byte, depth) => return Some(byte),
                _ => {
                    depth = nested_depth(rules, byte, depth);
                    parts.text(self.at.bump(), quoted);
                }
            }
        }
    }

    /// A backslash where only the bytes of `escapable` can be escaped; elsewhere it is text.
    fn limited_escape(&mut self, rules: &Rules, parts: &mut Parts) {
        self.at.pos += 1;
        match self.at.peek() {
            Some(b'\n') => self.at.pos += 1,
            Some(byte) if rules.escapable.contains(&byte) => parts.quoted(self.at.bump()),
            _ => parts.text("\\", rules.context.quoted),
        }
    }

    /// `'…'`
    pub(super) fn single_quoted(&mut self, parts: &mut Parts) {
        let start = self.at.pos;
        self.at.pos += 1;
        parts.quoted(self.at.run_to(b'\''));
        self.close_quote(start);
    }

    /// `"…"`
    pub(super) fn double_quoted(&mut self, parts: &mut Parts) {
        let start = self.at.pos;
        self.at.pos += 1;
        let before = parts.size();
        self.enclosed(&DOUBLE, parts);
        if parts.size() == before {
            parts.quoted("");
        }
        self.close_quote(start);
    }

    /// `$'…'`, with `start` at its opening quote.
    pub(super) fn ansi_quoted(&mut self, start: usize, parts: &mut Parts) {
        self.at.pos = start + 1;
        loop {
            self.at.run(&ANSI_SPECIAL);
            if self.at.peek() != Some(b'\\') {
                break;
            }
            self.at.pos += 1;
            self.at.bump();
        }
        let raw = self.at.slice(start + 1, self.at.pos);
        parts.quoted(&decode(raw, self.is_zsh()));
        self.close_quote(start);
    }

    /// Consumes the closing quote, or records that there is none.
    fn close_quote(&mut self, start: usize) {
        if self.at.peek().is_some() {
            self.at.pos += 1;
        } else {
            self.unclosed(start);
        }
    }

    /// `` `…` ``. Its text is unescaped before it is read.
    pub(super) fn backtick(&mut self, context: Context, parts: &mut Parts) {
        let start = self.at.pos;
        let content = start + 1;
        let escapable: &[u8] = if context.quoted && !context.here { b"$`\\\"" } else { b"$`\\" };
        let (close, escaped) = self.backtick_end(content, escapable);
        let raw = self.at.slice(content, close);
        let span = self.span(start, (close + 1).min(self.at.text.len()));
        let joins = self.dialect == Dialect::Bash && joins_matter(raw);
        let script = if escaped || joins {
            let text = unescape_backtick(raw, escapable, joins);
            self.elsewhere(&text, span, |inner| inner.substituted(Closers::NONE))
        } else {
            self.within(content, close, |parser| parser.substituted(Closers::NONE))
        };
        if close < self.at.text.len() {
            self.resume(close + 1);
        } else {
            self.resume(close);
            self.unclosed(start);
        }
        parts.push(Part::Command { script, quoted: context.quoted, span });
    }

    /// Where the closing backtick is, and whether anything before it is escaped.
    fn backtick_end(&self, from: usize, escapable: &[u8]) -> (usize, bool) {
        let mut look = self.at;
        let mut escaped = false;
        look.pos = from;
        loop {
            look.run(&BACKTICK_SPECIAL);
            if look.peek() != Some(b'\\') {
                return (look.pos, escaped);
            }
            look.pos += 1;
            escaped |= look.peek().is_some_and(|byte| escapable.contains(&byte));
            look.bump();
        }
    }
}

/// What to look at in `$'…'`.
pub(super) static ANSI_SPECIAL: ByteSet = ByteSet::of(b"\\'");
/// What to look at in backticks.
pub(super) static BACKTICK_SPECIAL: ByteSet = ByteSet::of(b"\\`");

/// bash joins lines in backticks before it looks for quotes and comments, in which they would not be joined.
fn joins_matter(raw: &str) -> bool {
    raw.contains("\\\n") && raw.contains(['\'', '#', '<'])
}

fn unescape_backtick(raw: &str, escapable: &[u8], joins: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('\n') if joins => {}
            Some(next) if next.is_ascii() && escapable.contains(&(next as u8)) => text.push(next),
            next => {
                text.push('\\');
                text.extend(next);
            }
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    text
}

fn nested_depth(rules: &Rules, byte: u8, depth: usize) -> usize {
    match rules.nest {
        Some((open, _)) if byte == open => depth + 1,
        Some((_, close)) if byte == close => depth.saturating_sub(1),
        _ => depth,
    }
}
