//! Against the real bash: every command it really runs must be among those we say may run.
//!
//! Scripts run with nothing but stub programs on the path, in a directory of their own.

mod bash_scripts;
mod bash_support;

use bash_support::Bench;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tollgate_shell::ast::Dialect;

#[test]
fn hand_written_scripts() {
    let bench = Bench::new("hand");
    let scripts = bash_scripts::SCRIPTS.iter().chain(bash_scripts::HIDDEN);
    let wrong: Vec<String> = scripts.filter_map(|script| bench.missed(script, Dialect::Bash)).collect();
    assert!(wrong.is_empty(), "{} scripts\n{}", wrong.len(), wrong.join("\n"));
}

/// The same scripts in `/bin/sh`, which understands fewer of them.
#[test]
fn hand_written_scripts_in_sh() {
    let bench = Bench::new("sh");
    // Forms that `sh` reads as something else, and harmless: what bash makes of them is what we follow.
    let foreign = [
        "$\"",
        "$'",
        "+=",
        "$[",
        "$(<",
        "%q",
        "\\x",
        "declare",
        "let ",
        "((",
        "printf -v",
        "$_",
        "a=~",
        "-ne",
    ];
    let common =
        bash_scripts::SCRIPTS.iter().filter(|script| !foreign.iter().any(|form| script.contains(form)));
    let wrong: Vec<String> = common.filter_map(|script| bench.missed(script, Dialect::Posix)).collect();
    assert!(wrong.is_empty(), "{} scripts\n{}", wrong.len(), wrong.join("\n"));
}

/// The stubs do record, so the test above can fail.
#[test]
fn stubs_record() {
    let bench = Bench::new("stubs");
    let real = bench.really_runs("run a 'b c' ''; say x | tool; bad || wipe *", Dialect::Bash);
    let expected: [&[&str]; 5] =
        [&["run", "a", "b c", ""], &["say", "x"], &["tool"], &["bad"], &["wipe", "*"]];
    for argv in expected {
        assert!(real.iter().any(|call| call == argv), "{argv:?} in {real:?}");
    }
    assert_eq!(real.len(), expected.len());
}

fn atom() -> impl Strategy<Value = String> {
    prop::sample::select(bash_scripts::WORDS.to_vec()).prop_map(str::to_owned)
}

fn call() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["run", "tool", "bad", "f", "say", "$c", "g"]);
    (name, prop::collection::vec(atom(), 0..4))
        .prop_map(|(name, words)| format!("{name} {}", words.join(" ")))
}

fn effect() -> impl Strategy<Value = String> {
    let assignment =
        (prop::sample::select(vec!["x", "y", "z", "c"]), atom()).prop_map(|(name, word)| match name {
            "c" => "c=tool".to_owned(),
            name => format!("{name}={word}"),
        });
    prop_oneof![
        assignment,
        prop::sample::select(bash_scripts::EFFECTS.to_vec()).prop_map(str::to_owned),
        call()
    ]
}

fn script() -> impl Strategy<Value = String> {
    let leaf = effect();
    let tree = leaf.prop_recursive(3, 16, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(|items| items.join("\n"));
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}\n{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ {a}\n}} && {{ {b}\n}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ {a}\n}} || {{ {b}\n}}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ {a}\n}} | {{ {b}\n}}")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("if {a}\nthen {b}\nelse {c}\nfi")),
            (atom(), inner.clone())
                .prop_map(|(word, body)| format!("for i in 1 {word}; do {body}\nrun $i\ndone")),
            // A counter of its own, so that the loops end.
            (0..10_000_u32, inner.clone(), inner.clone()).prop_map(|(k, a, b)| {
                format!("k{k}=0; while [ $k{k} -lt 2 ]; do k{k}=$((k{k}+1)); {a}\n{b}\ndone")
            }),
            (atom(), inner.clone(), inner.clone())
                .prop_map(|(word, a, b)| format!("case {word} in a|b*) {a}\n;; *) {b}\n;; esac")),
            list.clone().prop_map(|body| format!("( {body}\n)")),
            list.clone().prop_map(|body| format!("x=$( {body}\n); run \"$x\"")),
            list.clone().prop_map(|body| format!("f() {{ {body}\n}}\nf 1 '2 3'")),
            list.prop_map(|body| format!("{{ {body}\n}} > out; read x < out; run $x")),
        ]
    });
    prop::collection::vec(tree, 1..5).prop_map(|items| items.join("\n"))
}

/// The scripts are the same at each run, unless `PROPTEST_CASES` asks for that many new ones.
fn config() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok());
    let rng_seed = if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(1) };
    ProptestConfig {
        cases: asked.unwrap_or(150),
        rng_seed,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn made_scripts(source in script()) {
        let bench = Bench::new("made");
        // A function may call itself; bash then stops it, at a depth of its own.
        let source = format!("export FUNCNEST=6\n{source}");
        prop_assert_eq!(bench.missed(&source, Dialect::Bash), None);
    }
}
