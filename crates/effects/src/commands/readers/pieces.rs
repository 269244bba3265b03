//! `split` and `csplit`: the files that a text is cut into, which may be run from there.

use tollgate_model::WriteMode;
use tollgate_shell::value::Value;

use crate::commands::Run;
use crate::options::Options;
use crate::word::Word;

/// How many pieces are followed.
const MOST: usize = 1024;

/// Writes the pieces of a text, each under its own name.
pub(super) fn written(run: &mut Run, options: &Options, whole: &Value) {
    if options.has("filter") {
        return;
    }
    let names = names(run.program, options);
    let pieces = match run.program {
        // It cuts at patterns: any piece may hold any part.
        "csplit" => Some(vec![whole.clone(); cuts(options, whole).clamp(1, MOST) + 1]),
        _ => whole.as_literal().and_then(|text| pieces(options, text)),
    };
    // Where it is cut is not known: any piece may begin as the whole does.
    let pieces = pieces.unwrap_or_else(|| vec![whole.clone(), whole.clone()]);
    let pieces = run.first(pieces, MOST, "pieces of the text");
    for (number, piece) in pieces.iter().enumerate() {
        if let Some(name) = names.of(number) {
            let file = Word::literal_at(&name, run.call.span);
            run.analyst.write(&file, WriteMode::Overwrite, Some(piece), run.shell);
        }
    }
}

/// The pieces of a known text; `None` for what counts in ways that are not followed.
fn pieces(options: &Options, text: &str) -> Option<Vec<Value>> {
    if options.has("C") || options.has("n") || options.has("t") {
        return None;
    }
    let number = |name: &str| {
        options.value(name).map(|word| word.literal().and_then(|text| text.parse::<usize>().ok()))
    };
    match (number("b"), number("l")) {
        // More than the text holds, in units that it does not come near to.
        (Some(None), _) if text.len() < 512 => Some(vec![Value::text(text)]),
        (Some(None), _) | (_, Some(None)) => None,
        (Some(Some(bytes)), _) => {
            let letters: Vec<char> = text.chars().collect();
            Some(
                letters
                    .chunks(bytes.max(1))
                    .map(|piece| Value::text(&piece.iter().collect::<String>()))
                    .collect(),
            )
        }
        (None, lines) => {
            let lines = lines.flatten().unwrap_or(1000).max(1);
            let all: Vec<&str> = text.split_inclusive('\n').collect();
            Some(all.chunks(lines).map(|piece| Value::text(&piece.concat())).collect())
        }
    }
}

/// How often `csplit` cuts at most: once for each pattern, and as often again as the number in braces behind it says.
fn cuts(options: &Options, whole: &Value) -> usize {
    let lines = whole.as_literal().map_or(0, |text| text.lines().count());
    let of = |word: &Word| {
        let shown = word.shown();
        match shown.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(count) => count.parse().unwrap_or(lines),
            None => 1,
        }
    };
    options.operands.iter().skip(1).fold(0, |sum: usize, word| sum.saturating_add(of(word)))
}

/// How pieces are called: a beginning, letters or a number, and an end.
struct Names {
    start: String,
    end: String,
    length: usize,
    digits: &'static [u8],
    first: usize,
    /// A number grows longer where it has to; letters do not.
    bare: bool,
}

fn names(program: &str, options: &Options) -> Names {
    let text = |name: &str| options.value(name).map(Word::shown);
    let number = |name: &str| text(name).and_then(|text| text.parse::<usize>().ok());
    if program == "csplit" {
        let start = text("f").unwrap_or_else(|| "xx".to_owned());
        return match text("b").as_deref().and_then(format) {
            Some((before, length, digits, end)) => {
                let start = format!("{start}{before}");
                Names { start, end: end.to_owned(), length, digits, first: 0, bare: true }
            }
            None => {
                let (length, digits) = (number("n").unwrap_or(2), DECIMAL);
                Names { start, end: String::new(), length, digits, first: 0, bare: true }
            }
        };
    }
    let hex = options.has("x") || options.has("hex-suffixes");
    let counted = hex || options.has("d") || options.has("numeric-suffixes");
    Names {
        start: options.operands.get(1).map_or_else(|| "x".to_owned(), Word::shown),
        end: text("additional-suffix").unwrap_or_default(),
        length: number("a").unwrap_or(2),
        digits: if hex {
            b"0123456789abcdef"
        } else if counted {
            DECIMAL
        } else {
            b"abcdefghijklmnopqrstuvwxyz"
        },
        first: number("numeric-suffixes").or_else(|| number("hex-suffixes")).unwrap_or(0),
        bare: false,
    }
}

const DECIMAL: &[u8] = b"0123456789";

/// What stands before and behind the number in a format of `printf`, the least length of the number, and its digits.
fn format(text: &str) -> Option<(&str, usize, &'static [u8], &str)> {
    let (before, rest) = text.split_once('%')?;
    let at = rest.find(|c: char| c.is_ascii_alphabetic())?;
    let (flags, rest) = rest.split_at_checked(at)?;
    let (digits, end) = match rest.split_at_checked(1)? {
        ("d" | "i" | "u", end) => (DECIMAL, end),
        ("x", end) => (b"0123456789abcdef".as_slice(), end),
        ("X", end) => (b"0123456789ABCDEF".as_slice(), end),
        ("o", end) => (b"01234567".as_slice(), end),
        _ => return None,
    };
    let width = flags.trim_start_matches(['-', '+', ' ', '#', '0', '\'', '.']);
    Some((before, width.parse().unwrap_or(1), digits, end))
}

impl Names {
    /// The name of the piece with this number.
    fn of(&self, number: usize) -> Option<String> {
        let (mut rest, mut letters) = (self.first + number, Vec::new());
        for _ in 0..self.length.clamp(1, 16) {
            letters.push(char::from(*self.digits.get(rest % self.digits.len())?));
            rest /= self.digits.len();
        }
        while self.bare && rest > 0 {
            letters.push(char::from(*self.digits.get(rest % self.digits.len())?));
            rest /= self.digits.len();
        }
        let letters: String = letters.iter().rev().collect();
        Some(format!("{}{letters}{}", self.start, self.end))
    }
}
