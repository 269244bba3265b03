//! A settings file as text with a shape: what is where, to the byte. Comments and trailing commas are read,
//! because people write them; anything looser is an error.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use std::ops::Range;
use tollgate_model::json::Value;

/// Why a settings file cannot be edited, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct EditError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and what to do.
    pub what: String,
}

/// A parsed settings file. Offsets count bytes after a byte order mark, which `bom` keeps.
pub struct Doc<'a> {
    /// The byte order mark, or nothing.
    pub bom: &'a str,
    /// The text after it.
    pub body: &'a str,
    /// The value; none in an empty file.
    pub root: Option<ast::Value<'a>>,
    /// Every token and comment, in order.
    pub pieces: Vec<Piece>,
}

/// One token or comment.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is, as far as edits care.
    pub kind: PieceKind,
    /// Where it is.
    pub range: Range<usize>,
}

/// The kinds of pieces that edits tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// `,`
    Comma,
    /// `// …`, without its line end.
    LineComment,
    /// `/* … */`
    BlockComment,
    /// Any other token.
    Token,
}

impl PieceKind {
    /// Is it a comment?
    #[must_use]
    pub fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }
}

impl<'a> Doc<'a> {
    /// Reads a settings file.
    ///
    /// # Errors
    /// When it is not JSON, comments and trailing commas aside.
    pub fn parse(text: &'a str) -> Result<Self, EditError> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let bom = text.strip_suffix(body).unwrap_or("");
        let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(body, &collect, &options()).map_err(|error| {
            place(body, error.range().start, format!("not valid JSON: {}", lower(&error.kind().to_string())))
        })?;
        let pieces = parsed.tokens.unwrap_or_default().iter().map(|t| Piece::of(&t.token, t)).collect();
        let doc = Self { bom, body, root: parsed.value, pieces };
        match doc.loose_part() {
            Some(at) => Err(doc.error(at, "not valid JSON: unexpected character")),
            None => Ok(doc),
        }
    }

    /// The value, as JavaScript would see it: of equal keys the last counts.
    #[must_use]
    pub fn value(&self) -> Value {
        self.root.as_ref().map_or(Value::Null, to_value)
    }

    /// An error at an offset.
    #[must_use]
    pub fn error(&self, offset: usize, what: impl Into<String>) -> EditError {
        place(self.body, offset, what.into())
    }

    /// The first thing that plain JSON does not have: a comment or a trailing comma.
    #[must_use]
    pub fn beyond_json(&self) -> Option<EditError> {
        self.pieces.iter().enumerate().find_map(|(at, piece)| {
            let what = match piece.kind {
                kind if kind.is_comment() => "a comment",
                PieceKind::Comma if self.closes(at + 1) => "a trailing comma",
                _ => return None,
            };
            Some(self.error(piece.range.start, what))
        })
    }

    /// The text of a range.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> &'a str {
        self.body.get(range).unwrap_or("")
    }

    /// The last piece that ends at or before an offset.
    #[must_use]
    pub fn before(&self, offset: usize) -> Option<&Piece> {
        self.pieces.iter().rev().find(|piece| piece.range.end <= offset)
    }

    /// The nearest piece before an offset that is no comment.
    #[must_use]
    pub fn token_before(&self, offset: usize) -> Option<&Piece> {
        self.pieces.iter().rev().find(|piece| piece.range.end <= offset && !piece.kind.is_comment())
    }

    /// The nearest piece from an offset on that is no comment.
    #[must_use]
    pub fn token_after(&self, offset: usize) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.range.start >= offset && !piece.kind.is_comment())
    }

    /// The white space that the line around an offset starts with.
    #[must_use]
    pub fn indent_at(&self, offset: usize) -> &'a str {
        let before = self.slice(0..offset);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.slice(start..self.body.len());
        let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
        self.slice(start..start + blank)
    }

    /// The line end in use.
    #[must_use]
    pub fn newline(&self) -> &'static str {
        match self.body.find('\n') {
            Some(at) if self.slice(0..at).ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// One step of indentation: the first member's, where it has a line of its own.
    #[must_use]
    pub fn indent_unit(&self) -> &'a str {
        let first = match &self.root {
            Some(ast::Value::Object(root)) => {
                root.properties.first().map(|prop| (root.range.start, prop.range.start))
            }
            _ => None,
        };
        let Some((open, child)) = first else { return "  " };
        match self.indent_at(child) {
            unit if !unit.is_empty() && self.slice(open..child).contains('\n') => unit,
            _ => "  ",
        }
    }

    /// Where the parser was more generous than JSON: odd white space, line ends in strings, odd numbers.
    fn loose_part(&self) -> Option<usize> {
        let mut end = 0;
        for piece in &self.pieces {
            let gap = self.slice(end..piece.range.start);
            if let Some(at) = gap.find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')) {
                return Some(end + at);
            }
            let text = self.slice(piece.range.clone());
            let is_value = piece.kind == PieceKind::Token && !matches!(text, "{" | "}" | "[" | "]" | ":");
            if is_value && tollgate_model::json::parse(text.as_bytes()).is_err() {
                return Some(piece.range.start);
            }
            end = piece.range.end;
        }
        self.slice(end..self.body.len()).find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n')).map(|at| end + at)
    }

    fn closes(&self, at: usize) -> bool {
        let next = self.pieces.get(at..).unwrap_or_default().iter().find(|piece| !piece.kind.is_comment());
        next.is_some_and(|piece| matches!(self.slice(piece.range.clone()), "}" | "]"))
    }
}

impl Piece {
    fn of(token: &Token, ranged: &impl Ranged) -> Self {
        let kind = match token {
            Token::Comma => PieceKind::Comma,
            Token::CommentLine(_) => PieceKind::LineComment,
            Token::CommentBlock(_) => PieceKind::BlockComment,
            _ => PieceKind::Token,
        };
        Self { kind, range: ranged.start()..ranged.end() }
    }
}

/// A value without its places.
pub(super) fn to_value(value: &ast::Value) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::String(text.value.to_string()),
        ast::Value::NumberLit(number) => Value::Number(number.value.to_owned()),
        ast::Value::BooleanLit(truth) => Value::Bool(truth.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(list) => Value::List(list.elements.iter().map(to_value).collect()),
        ast::Value::Object(map) => {
            let mut members: Vec<(String, Value)> = Vec::with_capacity(map.properties.len());
            for prop in &map.properties {
                let (name, value) = (prop.name.as_str(), to_value(&prop.value));
                match members.iter_mut().find(|(other, _)| other == name) {
                    Some((_, other)) => *other = value,
                    None => members.push((name.to_owned(), value)),
                }
            }
            Value::Map(members)
        }
    }
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn place(body: &str, offset: usize, what: impl Into<String>) -> EditError {
    let before = body.get(..offset).unwrap_or(body);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    EditError { line, column, what: what.into() }
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
