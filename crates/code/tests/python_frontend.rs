//! What the Python frontend makes of texts, whatever they are.

#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use tollgate_code::frontends::Frontend;
use tollgate_code::frontends::python::Python;
use tollgate_code::holes::Source;
use tollgate_code::tree::{Kind, Node, Tree};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text};

fn parse(text: &str) -> Tree {
    Python.parse(text)
}

/// Everything that has to hold of any tree of any text.
fn check(text: &str) -> Tree {
    let tree = parse(text);
    let inside = |node: &Node| node.range.start <= node.range.end && node.range.end as usize <= text.len();
    assert!(tree.nodes().all(inside), "a range outside of {text:?}");
    assert!(tree.faults().iter().all(|fault| fault.end as usize <= text.len()));
    tree
}

fn count(tree: &Tree, wanted: impl Fn(&Kind) -> bool) -> usize {
    tree.nodes().filter(|node| wanted(&node.kind)).count()
}

#[test]
fn statements_are_what_they_are() {
    let tree = check(
        "import os, sys as s\nfrom a.b import c as d\ndef f(x, *rest, y=1, **named):\n    with open(x) as g:\n        \
         return [i for i in g if i]\nclass C(B):\n    field: str\n    def m(self): ...\nfor a, (b, *c) in d: pass\n\
         try:\n    x += 1\nexcept E as e:\n    raise\nfinally:\n    del x\nwhile True: break\n",
    );
    assert!(tree.faults().is_empty(), "{:?}", tree.faults());
    for (wanted, name) in [
        (count(&tree, |kind| matches!(kind, Kind::Import(_))), "imports"),
        (count(&tree, |kind| matches!(kind, Kind::Function(_))) + 1, "functions"),
    ] {
        assert_eq!(wanted, 3, "{name}");
    }
    assert_eq!(count(&tree, |kind| matches!(kind, Kind::Loop(_))), 2);
    let locals: Vec<&str> = tree.locals().iter().map(|name| tree.name(*name)).collect();
    assert_eq!(locals, ["os", "s", "d", "f", "C", "a", "b", "c", "x", "e"]);
    let inner: Vec<&str> = tree.functions()[0].locals.iter().map(|name| tree.name(*name)).collect();
    assert_eq!(inner, ["x", "rest", "y", "named", "g"]);
}

#[test]
fn a_global_name_is_not_the_functions_own() {
    let tree = check("def f():\n    global g\n    g = 1\n    h = 2\n");
    let locals: Vec<&str> = tree.functions()[0].locals.iter().map(|name| tree.name(*name)).collect();
    assert_eq!(locals, ["h"]);
}

#[test]
fn what_cannot_be_read_is_said_and_the_rest_is_read() {
    let tree = check("a = f(1)\nb = = 2\nc = g(3)\n");
    assert!(!tree.faults().is_empty());
    assert_eq!(count(&tree, |kind| matches!(kind, Kind::Call { .. })), 2);
    assert!(count(&tree, |kind| matches!(kind, Kind::Unknown(_))) > 0);
}

#[test]
fn statements_of_python_two_are_calls() {
    let tree = check("exec \"import os\"\nprint \"hello\"\n");
    assert_eq!(count(&tree, |kind| matches!(kind, Kind::Call { .. })), 2);
}

#[test]
fn code_in_strings_is_read() {
    let tree = check("f\"a{g(1)!r:>{h(2)}}b{{\"\n");
    let calls = count(&tree, |kind| matches!(kind, Kind::Call { .. }));
    assert_eq!(calls, 4, "g, h, repr and format");
}

#[test]
fn holes_of_the_shell_are_holes_of_the_tree() {
    let mut text = Text::literal("rm('/a/");
    let hole = Piece::Hole(Hole::new(HoleSource::Variable("x".into())));
    text.push(hole.clone());
    text.push_str("', ");
    text.push(hole);
    text.push_str(")");
    let source = Source::new(&text, Taint::NONE);
    let tree = check(&source.code);
    assert!(tree.faults().is_empty());
    assert_eq!(count(&tree, |kind| matches!(kind, Kind::Hole(0))), 1);
    let texts = tree.nodes().filter_map(|node| match node.kind {
        Kind::Text(text) => Some(source.text(tree.text(text)).to_string()),
        _ => None,
    });
    assert_eq!(texts.collect::<Vec<_>>(), ["/a/‹x›"]);
}

#[test]
fn what_is_too_deep_is_cut_and_said() {
    let deep: [String; 9] = [
        "[".repeat(1_000_000),
        "(".repeat(200_000) + &")".repeat(200_000),
        "f(".repeat(5_000) + &")".repeat(5_000),
        "not ".repeat(100_000) + "x",
        "-".repeat(300_000) + "1",
        format!("x{}", ".a".repeat(100_000)),
        format!("x{}", "()".repeat(100_000)),
        "lambda: ".repeat(50_000) + "1",
        format!("f\"{}\"", "{(".repeat(3_000)),
    ];
    for text in deep {
        let tree = check(&format!("before()\n{text}\nafter()\n"));
        assert!(!tree.faults().is_empty(), "{}", &text[..40]);
        assert!(tree.len() < 60_000);
    }
    let blocks: String = (0..600).map(|depth| " ".repeat(depth) + "if x:\n").collect();
    assert!(!check(&blocks).faults().is_empty());
}

#[test]
fn what_stands_around_a_statement_that_is_too_deep_is_read() {
    let tree = check(&format!("before()\nx = {}\nafter()\n", "[".repeat(500) + &"]".repeat(500)));
    assert_eq!(count(&tree, |kind| matches!(kind, Kind::Call { .. })), 2);
}

#[test]
fn long_is_not_deep() {
    let sum = format!("x = {}\n", vec!["'part'"; 900].join(" + "));
    let list = format!("x = [{}]\n", vec!["f(1)"; 5_000].join(", "));
    let table = format!(
        "x = {{{}}}\n",
        (0..5_000).map(|at| format!("'{at}': [{at}]")).collect::<Vec<_>>().join(",\n")
    );
    let calls = "f(a, b)['c'].d = e\n".repeat(5_000);
    let smileys = "x = ':(' + \"[[[\" # ((((\n".repeat(500);
    let branches = "if a: b()\n".to_owned() + &"elif a: b()\n".repeat(3_000);
    for text in [sum, list, table, calls, smileys, branches] {
        assert!(check(&text).faults().is_empty(), "{}", &text[..60]);
    }
}

#[test]
fn the_tree_grows_with_the_text() {
    let line = "value = function(name, [1, 2], key='text')  # comment\n";
    let (small, large) = (check(&line.repeat(10)), check(&line.repeat(1_000)));
    assert!(large.len() <= small.len() * 100 + 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_has_a_tree(text in ".{0,400}") {
        check(&text);
    }

    #[test]
    fn any_tokens_have_a_tree(tokens in prop::collection::vec(
        prop::sample::select(vec![
            "if", "else", "for", "in", "def", "class", "lambda", "match", "case", "with", "as", "try", "except", "x", "1", "(", ")",
            "[", "]", "{", "}", ":", ",", ".", "=", "+", "*", "**", "f'", "'", "\"\"\"", "\n", "\n    ", "\n        ", "{x}", "\\", "#", "not",
            "await", "yield", "import", "from", "\u{A66E}0\u{A66E}", "é", "@", ":=", "global", "print", "exec", "b'", "r\"",
        ]), 0..120)) {
        check(&tokens.join(" "));
        check(&tokens.concat());
    }
}
