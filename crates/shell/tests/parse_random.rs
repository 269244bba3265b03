//! Whatever the text: no panic, an end, spans that fit, and words that read the same on their own.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod parse_support;
mod parse_walk;

use parse_support::dump;
use parse_walk::Walk;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tollgate_shell::ast::*;
use tollgate_shell::{Limits, parse};

/// What shell texts are made of.
const TOKENS: &[&str] = &[
    "a",
    "b ",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "||",
    "|&",
    "!",
    "(",
    ")",
    "{",
    "}",
    "{ ",
    " }",
    "[[ ",
    " ]]",
    "[",
    "]",
    "((",
    "))",
    "$(",
    "$((",
    "${",
    "${x",
    "${#x}",
    "${x:-",
    "${x/",
    "$x",
    "$",
    "`",
    "\\`",
    "\"",
    "'",
    "$'",
    "$\"",
    "\\",
    "\\\n",
    "#",
    " #",
    "<",
    ">",
    "<<",
    "<<E",
    "<<-E",
    "<<'E'",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "=(",
    "2>",
    "&>",
    ">&",
    "{fd}>",
    "=",
    "x=",
    "x+=",
    "a[",
    "]=",
    "if ",
    "then ",
    "elif ",
    "else ",
    "fi ",
    "for ",
    "in ",
    "do ",
    "done ",
    "while ",
    "case ",
    "esac ",
    ";;",
    ";&",
    ";;&",
    "function ",
    "f() ",
    "time ",
    "coproc ",
    "select ",
    "declare ",
    "~",
    "*",
    "?",
    "@(",
    "!(",
    "é",
    "\r",
    "\0",
    "\t",
    "1",
    "-n ",
    "=~ ",
    "== ",
    "/",
    ":",
    "%",
    "^",
    ",",
    "@Q",
    "repeat ",
    "always ",
    "foreach ",
    "end ",
    ";|",
    "\u{a0}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soup_of_tokens(pieces in prop::collection::vec(prop::sample::select(TOKENS), 0..40)) {
        check(&pieces.concat());
    }

    #[test]
    fn any_characters(text in "\\PC{0,60}") {
        check(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn tight_limits(pieces in prop::collection::vec(prop::sample::select(TOKENS), 0..60), text in 0..80_usize, nodes in 0..30_usize, depth in 0..6_usize) {
        let source = pieces.concat();
        let script = Limits { text, nodes, depth }.parse(&source, Dialect::Bash);
        check_spans(&source, &script);
    }
}

fn check(source: &str) {
    for dialect in [Dialect::Bash, Dialect::Posix, Dialect::Zsh] {
        let script = parse(source, dialect);
        let words = check_spans(source, &script);
        if dialect == Dialect::Bash && script.problems.is_empty() {
            words.iter().for_each(|word| check_word(source, word));
        }
    }
}

/// Spans lie in the source, on characters, and inside of the spans around them.
fn check_spans(source: &str, script: &Script) -> Vec<Word> {
    let whole = tollgate_model::Span::new(0, source.len());
    let mut walk = Walk::default();
    walk.script(script, whole);
    let problems = script.problems.iter().map(|problem| (problem.span, whole));
    for (inner, outer) in walk.nested.iter().copied().chain(problems) {
        assert!(inner.start <= inner.end, "{source:?} {inner:?}");
        assert!(outer.start <= inner.start && inner.end <= outer.end, "{source:?} {inner:?} in {outer:?}");
        assert!(source.is_char_boundary(inner.start as usize), "{source:?} {inner:?}");
        assert!(source.is_char_boundary(inner.end as usize), "{source:?} {inner:?}");
    }
    walk.words
}

/// The source of a word, read as an argument, is the same word.
fn check_word(source: &str, word: &Word) {
    let alone = format!("declare {}", word.span.of(source));
    let again = parse(&alone, Dialect::Bash);
    let found = match again.items.first().map(|item| item.first.stages.as_slice()) {
        Some([Stage { command: Command { kind: CommandKind::Simple(simple), .. }, .. }]) => {
            simple.words.get(1)
        }
        _ => None,
    };
    let text = |word: Option<&Word>| word.map(|word| dump(&as_script(word)));
    assert_eq!(text(found), text(Some(word)), "{source:?} {:?}", word.span.of(source));
}

fn as_script(word: &Word) -> Script {
    let simple = Simple { assigns: Vec::new(), words: vec![word.clone()] };
    let command = Command { kind: CommandKind::Simple(simple), redirects: Vec::new(), span: word.span };
    let stages = vec![Stage { command, stderr_too: false }];
    let first = Pipeline { negated: false, stages, span: word.span };
    let items = vec![Item { first, rest: Vec::new(), background: false, span: word.span }];
    Script { items, problems: Vec::new(), span: word.span }
}
