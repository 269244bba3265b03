//! Hostile texts: every one is read in a time that grows no faster than its length, on an ordinary stack.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]
#![cfg(unix)]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tollgate_shell::ast::{Dialect, ProblemKind};
use tollgate_shell::{Limits, parse};

/// Repeated as they are. Nothing ever closes, or closes all the time.
const REPEATED: &[&str] = &[
    "$(",
    "$( ",
    "((",
    "$((",
    "(",
    "`",
    "` x",
    "`\\`",
    "\\`",
    "\"$(",
    "${x:-",
    "${x[",
    "${",
    "${#",
    "${x/",
    "${ ",
    "{a,b}",
    "{ ",
    "{ a;",
    "{a ",
    "{",
    "if ",
    "if a; then ",
    "while ",
    "while a; do ",
    "case x in a) ",
    "case x in ",
    "for x in a; do ",
    "for ((",
    "cat <<A\nx $y\nA\n",
    "cat <<A\n$(",
    "cat <<A;",
    "cat <<-A\n\t$(",
    "\\\n",
    "\\\n\\\na ",
    "i\\\nf\\\n ",
    ") ",
    "; ",
    "done ",
    "a &&",
    "a|",
    "! ",
    "time ",
    "coproc ",
    "f() ",
    "function f ",
    "[[ ",
    "[[ ( ",
    "@(",
    "a[",
    "a=(",
    "a=([",
    "'",
    "\"",
    "\"a",
    "$'",
    "<(",
    "<",
    "< ",
    "$[",
    "((a)) ; ",
    "$((a) ",
    "((a) ) ;",
    "((' ",
    "((\" ",
    "(( # ' \n ) ) \n",
    "((a # \" \n ) ) \n",
    "((x);`((y);`)\n",
    "\"${x:-'",
    "\r",
    "\0",
    "#\n",
    "1",
    "1 ",
    "1>",
    "{a}<",
    "é",
    "\\é",
    "a'b'",
    "$x",
    "\"$x\"",
    "\\a",
    "a ",
    "a\n",
    "a;",
    "() ",
    "=(",
    "repeat 1 ",
    "{ } always ",
    "foreach x (a) ",
];

/// An opening, a piece that is repeated, and a closing.
const ENCLOSED: &[(&str, &str, &str)] = &[
    ("cat", " <<A", "\nx\nA\n"),
    ("cat <<A\n", "x\n", ""),
    ("cat <<A\n", "\\\n", "A\n"),
    ("cat <<'A'\n", "A \n", "A\n"),
    ("cat <<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", "aaaaaaaaaaaaaaaa\n", ""),
    ("a", "\\\n", "b"),
    ("\"", "a b ", "\""),
    ("`", "\\\\", "`"),
    ("`", "\\` ", "`"),
    ("[[ ", "( ", "]]"),
    ("[[ ", "! ", "a ]]"),
    ("[[ a ", "&& a ", "]]"),
    ("[[ a =~ ", "(", " ]]"),
    ("a=(", "[x] ", ")"),
    ("a=(", "[x]=y ", ")"),
    ("a=(", "[", ")"),
    ("a[", "[", "]=1"),
    ("${x:", "?", ":::}"),
    ("${x:", "?:", "}"),
    ("${x/", "/", "}"),
    ("((", "(", "))"),
    ("$((", "( ", " ))"),
    ("$((", "(a)", "))"),
    ("echo ", "@(", ")"),
    ("if a; then b; ", "elif a; then b; ", "fi"),
    ("case a in ", "a) b;; ", "esac"),
    ("case a in ", "a|", "b) c;; esac"),
    ("for x in ", "a ", "; do b; done"),
    ("f() { ", "a; ", "}"),
    ("x", " <a >b 2>&1", ""),
    ("", "a && ", "a"),
    ("", "a | ", "a"),
    ("$'", "\\x41", "'"),
    ("$'\\x{", "4", "}'"),
];

#[test]
fn time_grows_with_the_length() {
    // After a large block was freed, glibc gives no memory back: otherwise only the longer text would pay for fresh pages, in
    // every try.
    drop(std::hint::black_box(vec![1_u8; 31 << 20]));
    let bombs = REPEATED.iter().map(|piece| ("", *piece, "")).chain(ENCLOSED.iter().copied());
    let slow: Vec<String> = bombs.filter_map(superlinear).collect();
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn default_limits_hold_for_every_bomb() {
    for piece in REPEATED {
        for dialect in [Dialect::Bash, Dialect::Zsh] {
            let script = parse(&piece.repeat(10_000), dialect);
            assert!(script.problems.len() <= Limits::default().nodes + 1, "{piece:?}");
        }
    }
}

#[test]
fn nesting_is_cut_and_reported() {
    let deep = [
        "$(",
        "`echo $(",
        "{ ",
        "( ",
        "\"$(",
        "${x:-",
        "if ",
        "while ",
        "case x in a) ",
        "<(",
        "$((1+",
        "f() { ",
    ];
    for piece in deep {
        let script = parse(&piece.repeat(1_000), Dialect::Bash);
        let kinds: Vec<ProblemKind> = script.problems.iter().map(|problem| problem.kind).collect();
        assert!(
            kinds.contains(&ProblemKind::Budget) || kinds.contains(&ProblemKind::Unclosed),
            "{piece:?} {kinds:?}"
        );
    }
    let fits = format!("{}a{}", "$(".repeat(60), ")".repeat(60));
    assert!(parse(&fits, Dialect::Bash).problems.is_empty());
    let exceeds = format!("{}a{}", "$(".repeat(70), ")".repeat(70));
    assert_eq!(
        parse(&exceeds, Dialect::Bash).problems.first().map(|problem| problem.kind),
        Some(ProblemKind::Budget)
    );
}

#[test]
fn a_mebibyte_is_read() {
    let limit = Limits::default().text;
    for text in [
        "a".repeat(limit),
        format!("'{}'", "a".repeat(limit - 2)),
        format!("cat <<'E'\n{}", "a b\n".repeat(limit / 5)),
    ] {
        let budget =
            parse(&text, Dialect::Bash).problems.iter().any(|problem| problem.kind == ProblemKind::Budget);
        assert!(!budget, "{}", &text[..20]);
    }
}

/// Tells when four times the text takes much more than four times the time (2.6 for each doubling), and does
/// so whenever it is tried.
fn superlinear((before, piece, after): (&str, &str, &str)) -> Option<String> {
    let make = |count: usize| format!("{before}{}{after}", piece.repeat(count));
    let count = (8_000 / piece.len()).max(1);
    let (short, long) = (make(count), make(4 * count));
    let mut worst = None;
    for _ in 0..8 {
        let (once, fourfold) = (fastest(&short), fastest(&long));
        let floor = Duration::from_micros(500);
        if fourfold < floor || fourfold.as_secs_f64() <= 6.8 * once.as_secs_f64() {
            return None;
        }
        worst = Some(format!(
            "{before:?} {piece:?}: {once:?} for {} bytes, {fourfold:?} for {}",
            short.len(),
            long.len()
        ));
    }
    worst
}

/// The limits are wide, so that the time is that of reading and not of giving up.
fn fastest(text: &str) -> Duration {
    let wide = Limits { text: usize::MAX, nodes: usize::MAX, depth: 64 };
    let once = || {
        let start = processor_time();
        drop(wide.parse(text, Dialect::Bash));
        processor_time().saturating_sub(start)
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

/// What this thread has used; the time others take on a busy machine is not counted.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
