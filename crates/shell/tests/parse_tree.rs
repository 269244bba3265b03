//! Sources and the trees they give: `fixtures/parse/*.txt` holds blocks between `%%` lines, each with its
//! tree after `=>`. What a text file cannot show well stands in the tables below.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod parse_support;

use parse_support::dump;
use tollgate_shell::ast::{Dialect, Problem, ProblemKind};
use tollgate_shell::{Limits, parse};

#[test]
fn words() {
    check_fixture("words", Dialect::Bash);
}

#[test]
fn commands() {
    check_fixture("commands", Dialect::Bash);
}

#[test]
fn heredocs() {
    check_fixture("heredocs", Dialect::Bash);
}

#[test]
fn recovery() {
    check_fixture("recovery", Dialect::Bash);
}

#[test]
fn zsh() {
    check_fixture("zsh", Dialect::Zsh);
}

#[test]
fn strange_bytes() {
    check("echo a\r\nb\r", "[echo a\\r]; [b\\r]");
    check("echo a\rb\r\nc # d\r\n", "[echo a\\rb\\r]; [c] !StrangeByte");
    check("a # b\rc\nd", "[a]; [d] !StrangeByte");
    check("echo 'a\r' \"b\r\"", "[echo 'a\\r' 'b\\r']");
    check("cat <<E\na\r\nE\n", "[cat <<'a\\r\\n']");
    check("cat <<E\na\nE\r\nb", "[cat <<'a\\nE\\r\\nb'] !Unclosed");
    check("echo a\0b", "[echo a\\u{0}b] !StrangeByte");
    check("echo '\0'", "[echo '\\u{0}'] !StrangeByte");
}

/// Read as they stand, and told of.
#[test]
fn deceptive_characters() {
    check("a\u{a0}b\u{2003}c", "[a\u{a0}b\u{2003}c] !Deceptive('\\u{a0}')");
    check("a\u{b}b\u{c}c", "[a\\u{b}b\\u{c}c] !Deceptive('\\u{b}')");
    check("\u{feff}a 'b\u{200b}' \"c\u{a0}\"", "[\u{feff}a 'b\u{200b}' 'c\u{a0}'] !Deceptive('\\u{feff}')");
    check("a 'b\u{202e}c'", "[a 'b\u{202e}c'] !Deceptive('\\u{202e}')");
    check("a # \u{202e}b\u{200b}", "[a] !Deceptive('\\u{202e}')");
    check("a # \u{200b}é", "[a]");
    check("a # \u{1b}[2K", "[a] !Deceptive('\\u{1b}')");
    check("a <<'E'\n\u{202e}\u{200b}\nE\n", "[a <<!'\u{202e}\u{200b}\\n']");
    check("a <<E\n\u{202e}\nE\n", "[a <<'\u{202e}\\n'] !Deceptive('\\u{202e}')");
    check("a é 日本　語 👩\u{200d}💻", "[a é 日本　語 👩\u{200d}💻]");
    check("сat x; \"сat\" y; a сat", "[сat x]; ['сat' y]; [a сat] !Deceptive('с') !Deceptive('с')");
}

#[test]
fn posix() {
    check_fixture("posix", Dialect::Posix);
}

#[test]
fn limits_stop_the_reading_and_keep_what_was_read() {
    let tight = Limits { text: 6, nodes: 100, depth: 64 };
    let cut = tight.parse("a; b; c; d", Dialect::Bash);
    assert_eq!(dump(&cut), "[a]; [b] !Budget");
    assert_eq!(cut.problems, [problem(6, 10)]);

    let few = Limits { nodes: 6, ..Limits::default() };
    assert_eq!(dump(&few.parse("a; b; c; d; e; f; g", Dialect::Bash)), "[a]; [b]; [c] !Budget");

    let flat = Limits { depth: 2, ..Limits::default() };
    assert_eq!(dump(&flat.parse("a; $(b $(c)); d", Dialect::Bash)), "[a]; [$([b $()])] !Budget");
    assert_eq!(dump(&flat.parse("a; $(b); d", Dialect::Bash)), "[a]; [$([b])]; [d]");
}

#[test]
fn text_is_cut_between_characters() {
    let tight = Limits { text: 2, ..Limits::default() };
    assert_eq!(dump(&tight.parse("aéb", Dialect::Bash)), "[a] !Budget");
}

#[test]
fn problems_say_where() {
    let at = |source: &str| parse(source, Dialect::Bash).problems.first().map(|problem| problem.span);
    let spans = [
        ("foo ); b", 4, 5),
        ("a 'b", 2, 4),
        ("a $(b", 2, 5),
        ("if a", 0, 4),
        ("a; done; b", 3, 7),
        ("cat <<E\nb\n", 6, 10),
    ];
    for (source, start, end) in spans {
        assert_eq!(at(source), Some(tollgate_model::Span::new(start, end)), "{source:?}");
    }
}

fn problem(start: usize, end: usize) -> Problem {
    Problem { span: tollgate_model::Span::new(start, end), kind: ProblemKind::Budget }
}

fn check(source: &str, expected: &str) {
    assert_eq!(dump(&parse(source, Dialect::Bash)), expected, "{source:?}");
}

fn check_fixture(name: &str, dialect: Dialect) {
    let path = format!("{}/tests/fixtures/parse/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let blocks = std::fs::read_to_string(&path).expect(&path);
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in blocks.trim_end_matches('\n').split("\n%%\n") {
        let (source, expected) = block.rsplit_once("\n=> ").expect(block);
        let found = dump(&parse(source, dialect));
        count += 1;
        if found != expected {
            wrong.push(format!("{source}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 5, "{path} holds only {count} blocks");
}
