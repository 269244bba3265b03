//! Code that is made to break its reader: it must end, soon, and never silently.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use proptest::prelude::*;

use crate::{effects, shown};

/// Interpreters with a way to give them code.
const INTERPRETERS: &[&str] = &[
    "python3 -",
    "node -",
    "ruby -",
    "perl -",
    "php",
    "lua -",
    "Rscript -",
    "awk -f /dev/stdin",
    "sed -f /dev/stdin x",
    "pwsh -c -",
    "tclsh",
    "emacs --script /dev/stdin",
    "groovy -",
    "ex -s x",
];

fn piped(interpreter: &str, code: &str) -> String {
    format!("{interpreter} <<'END_OF_CODE'\n{code}\nEND_OF_CODE")
}

/// Pieces that nest, or that are left open, or that grow.
const SHAPES: &[(&str, &str, &str)] = &[
    ("(", "x", ")"),
    ("[", "1", "]"),
    ("{", "", "}"),
    ("f(", "x", ")"),
    ("a.b(", "", ")"),
    ("((", "", ""),
    ("\"", "", ""),
    ("'", "", ""),
    ("`", "", ""),
    ("${", "", ""),
    ("#{", "", ""),
    ("f\"{", "x", "}\""),
    ("`${", "x", "}`"),
    ("if x:\n ", "y", ""),
    ("if (x) {", "", "}"),
    ("if x then ", "", " end"),
    ("do ", "", " end\n"),
    ("def f(x)\n", "", "\nend\n"),
    ("function f(x){", "", "}"),
    ("x => ", "1", ""),
    ("f(x -> ", "1", ")"),
    ("f(fn, ", "1", ")"),
    ("a.each { ", "", " }"),
    ("a.then { ", "", " }"),
    ("for (a b ", "", ""),
    ("$x =~ s/a/aa/g; ", "$x = 'aa'; ", ""),
    ("$x =~ tr/a-z/b-y/; ", "", ""),
    ("@{ a = ", "1", " }"),
    ("(dolist (a ", "b", ")"),
    ("a.os.", "b", ""),
    ("lambda x: ", "1", ""),
    ("-", "1", ""),
    ("not ", "x", ""),
    ("x = ", "1", ""),
    ("x ? y : ", "1", ""),
    ("a + ", "1", ""),
    ("a.", "b", ""),
    ("eval(\"", "", "\")"),
    ("<<A\n", "", "A\n"),
    ("s/", "", "/"),
    ("x[", "0", "]"),
    ("x = x + x\n", "x = 'ab'", ""),
    ("a, ", "b", ""),
    ("}", "", ""),
    ("\\", "", ""),
    ("$", "", ""),
    ("%", "", ""),
    ("@", "", ""),
    ("\n", "", ""),
    ("\t\n  ", "", ""),
    ("/*", "", ""),
    ("=begin\n", "", ""),
    ("qq{", "", "}"),
    ("%w(", "", ")"),
    ("print(1)\n", "", ""),
    ("os.remove('a')\n", "", ""),
    ("x1 = 'a' + 'b'; ", "", ""),
    ("| iex ", "", ""),
    ("[exec ", "", "]"),
    ("for x in y: ", "z", ""),
    ("[x for x in ", "y", "]"),
];

fn bomb(shape: &(&str, &str, &str), bytes: usize) -> String {
    let (open, middle, close) = shape;
    let count = bytes / (open.len() + close.len()).max(1);
    format!("{}{middle}{}", open.repeat(count), close.repeat(count))
}

/// The thread's own time on the processor: how busy the machine is makes no difference.
fn time(command: &str) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let start = now();
    effects(command);
    now().saturating_sub(start)
}

/// Four times the code may take four times as long, or a good deal more on a busy machine, but not sixteen times.
#[test]
fn bombs_take_linear_time() {
    let mut slow = Vec::new();
    for interpreter in INTERPRETERS {
        for shape in SHAPES {
            let (small, large) = (bomb(shape, 2 << 10), bomb(shape, 8 << 10));
            let grows = || {
                let (first, second) = (time(&piped(interpreter, &small)), time(&piped(interpreter, &large)));
                (second > first * 10 + Duration::from_millis(100)).then_some((first, second))
            };
            // Another process may have taken the time once, hardly three times.
            if let (Some(times), Some(_), Some(_)) = (grows(), grows(), grows()) {
                slow.push(format!("{interpreter} {shape:?} {times:?}"));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

#[test]
fn what_is_too_deep_is_said() {
    for (open, close) in [("(", ")"), ("[", "]"), ("f(", ")")] {
        let code =
            format!("{}__import__('os').remove('/etc/hosts'){}", open.repeat(5000), close.repeat(5000));
        let found: Vec<String> = effects(&piped("python3 -", &code)).iter().map(shown).collect();
        assert!(
            found.iter().any(|effect| effect == "opaque" || effect == "delete /etc/hosts"),
            "{open}: {found:?}"
        );
    }
}

#[test]
fn a_mebibyte_is_read_to_its_end_or_said_not_to_be() {
    let filler = "x = compute(1, 'two', [3, 4])\n".repeat((1 << 20) / 32);
    let found: Vec<String> =
        effects(&piped("python3 -", &format!("import os\n{filler}os.remove('/etc/hosts')")))
            .iter()
            .map(shown)
            .collect();
    assert!(found.iter().any(|effect| effect == "opaque" || effect == "delete /etc/hosts"), "{found:?}");
}

#[test]
fn many_effects_are_said_to_be_too_many() {
    let code: String = (0..20_000).map(|index| format!("os.remove('/tmp/{index}')\n")).collect();
    let found: Vec<String> =
        effects(&piped("python3 -", &format!("import os\n{code}"))).iter().map(shown).collect();
    assert!(found.iter().any(|effect| effect == "opaque"));
}

#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn pieces() -> impl Strategy<Value = String> {
    let words = [
        "import os",
        "os.system(",
        "'rm -rf /'",
        "\"",
        "'",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ";",
        "\n",
        "\n  ",
        "=",
        "+",
        ".",
        ",",
        "if",
        "else",
        "end",
        "def f(x)",
        "function",
        "=>",
        "->",
        "lambda x:",
        "for x in",
        "while 1",
        "do |x|",
        "class A",
        "#",
        "//",
        "/*",
        "*/",
        "--",
        "$x",
        "@x",
        "%x",
        "$",
        "${",
        "#{",
        "<<EOF",
        "EOF",
        "s/a/b/e",
        "qw(",
        "%w[",
        "f\"{x}\"",
        "r'",
        "b\"",
        "eval",
        "exec",
        "require('fs')",
        "fs.rmSync",
        "\\",
        "\u{e000}",
        "é",
        "\u{1F980}",
        "0x1f",
        "1.5e3",
        "x",
        "y",
        "print",
        "|",
        "&&",
        "||",
        "?",
        "!",
        "~",
        "<",
        ">",
        "::",
        "...",
        "**",
        "match x:",
        "case 1:",
        "try",
        "except",
        "rescue",
        "unless",
        "then",
        "[::-1]",
        "iex",
        "-Recurse",
        "@\"",
        "\"@",
        "<?php",
        "?>",
        "getline",
        "system",
        "BEGIN",
        "1e rm",
        "w /x",
        "async",
        "await",
    ];
    let mixed =
        prop::collection::vec(prop::sample::select(words.to_vec()), 0..60).prop_map(|words| words.join(" "));
    let random = any::<String>().prop_map(|text| text.replace('\0', ""));
    prop_oneof![mixed, random].prop_filter("the mark ends the code", |code| !code.contains("END_OF_CODE"))
}

/// Whether the reading ends, and soon; a thread of its own, for one that does not end cannot be stopped.
fn ends(command: String) -> bool {
    let (done, ended) = mpsc::channel();
    thread::spawn(move || done.send(time(&command)));
    ended.recv_timeout(Duration::from_secs(120)).is_ok_and(|time| time < Duration::from_secs(3))
}

/// A member that nothing follows, at each place where one may stand.
#[test]
fn a_member_without_a_name_ends() {
    for interpreter in INTERPRETERS {
        for before in
            ["x", "if x\nend", "if (x) {}", "begin\nend", "(x)", "[x]", "f(x) { }", "do |x| end", "'x'"]
        {
            for member in [".", "::", "->", "&.", "?.", ":", "->{", ".(", "::\\", "[", "++", "..", ". ."] {
                let code = format!("{before} {member}");
                assert!(ends(piped(interpreter, &code)), "{interpreter} is read for too long: {code:?}");
            }
        }
    }
}

/// A pattern that may be an interpreter, which reads the same pattern again.
#[test]
fn patterns_that_run_each_other_end() {
    for pattern in ["a*", "*sh", "*", "[a-z]*", "?*", "{a,b,s}*"] {
        let line = format!("{pattern} x | {pattern} & {pattern}");
        for code in
            [piped(pattern, &line), piped("sh", &piped(pattern, &piped("sh", &line))), line.repeat(400)]
        {
            assert!(ends(code), "{pattern} is tried for too long");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_it_panic(code in pieces()) {
        for interpreter in INTERPRETERS {
            prop_assert!(ends(piped(interpreter, &code)), "{interpreter} is read for too long: {code:?}");
        }
    }

    #[test]
    fn the_same_code_does_the_same(code in pieces()) {
        for interpreter in ["python3 -", "node -", "ruby -", "perl -"] {
            prop_assert_eq!(effects(&piped(interpreter, &code)), effects(&piped(interpreter, &code)));
        }
    }
}
