//! Scripts made to exhaust the evaluator: they end soon, and say so where something was left out.

mod eval_support;

use std::time::Duration;

use eval_support::{Recorder, run, show};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rustix::time::{ClockId, clock_gettime};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Limit, Note};

/// Of a debug build; a release build takes a tenth of it.
const SOON: Duration = Duration::from_millis(3_000);

/// An eighth of what a process has, in a debug build.
const STACK: usize = 1024 * 1024;

/// What was told, and the processor time it took; how busy the machine is makes no difference.
fn timed(source: &str, dialect: Dialect) -> (Recorder, Duration) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let start = now();
    let found = run(source, dialect);
    (found, now().saturating_sub(start))
}

fn soon(source: &str) -> Recorder {
    let (found, took) = timed(source, Dialect::Bash);
    let head: String = source.chars().take(60).collect();
    assert!(took < SOON, "{took:?} for {head}");
    found
}

fn limits(found: &Recorder) -> Vec<Limit> {
    let limit = |note: &Note| if let Note::Budget { limit, .. } = note { Some(*limit) } else { None };
    found.notes.iter().filter_map(limit).collect()
}

#[test]
fn endless_loops_end() {
    for source in [
        "while :; do :; done",
        "while true; do x=a$x; done",
        "until false; do x=$((x+1)); done",
        "for ((;;)); do run; done",
        "for ((i=0;;i++)); do run $i; done",
        "while :; do x=$x$x; done",
        "x=a; while c; do x=$x$x; y+=$x; done",
        "while :; do echo line; done | while read x; do run $x; done",
        "while :; do a+=(x); done",
        "while :; do a+=(x y \"${a[@]:1:2} ${#a[@]}\"); done",
        "while c; do cd x; done",
        "while c; do echo x >> f; done",
        "while c; do set -- \"$@\" x$1; done",
        "while c; do x=$(echo $x y); done; run $x",
    ] {
        soon(source);
    }
}

#[test]
fn recursion_ends() {
    let notes = |source: &str| soon(source).notes;
    for source in [
        ":(){ :|:& };:",
        "bomb() { bomb | bomb & }; bomb",
        "f() { f; f; }; f",
        "f() { f $1a; f $1b; }; f x",
        "a() { b x$1; b y$1; }; b() { a x$1; a y$1; }; a",
        "f() { x=$x.; f & f & }; f",
        "f() { eval f $1$1; }; f a",
        "f() { $(f x$1) $(f y$1); }; f",
        "f() { f $* w* \"$*\"; }; f 1 '2 3'",
        "f() { f \"$@\" \"$@\"; }; f 1 2",
        "f() { { f $x ${a[@]:1}; } | { unset -f f; }; ( shopt -s lastpipe; f ${z-y} $x ); }; f 1",
        "f() { a+=(\"${a[@]}\"); f; }; a=(1 2); f",
        "f() { x+=$x; y=($x $x); f; }; x='a b'; f",
    ] {
        assert!(notes(source).iter().any(|note| matches!(note, Note::Recursion { .. })), "{source}");
    }
}

#[test]
fn big_braces_end() {
    for source in [
        "run {1..9999999}",
        "run {-9..99999}",
        "run {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}",
    ] {
        let found = soon(source);
        assert!(show(&found.calls[0]).contains('‹'), "{source}");
    }
    soon(&format!("run {}", "{a,b}".repeat(40)));
    soon(&format!("run {}", "{a,".repeat(400)));
    soon(&format!("run {}", "{".repeat(20_000)));
    soon(&format!("run {}x", "{a,{b,c}}".repeat(100)));
    soon("for i in {1..9999}; do for j in {1..9999}; do run $i $j; done; done");
    soon("run {1..5000}{1..5000} {a..z}{a..z}{a..z}");
}

#[test]
fn many_commands_end() {
    let found = soon(&format!("{} last", "run x; ".repeat(5_000)));
    assert_eq!(found.calls.last().map(show), Some("last".to_owned()));
    let found = soon(&format!("{}last", "run x\n".repeat(100_000)));
    assert_eq!(found.calls.last().map(show), Some("last".to_owned()));
    // Shorter words than any script has, and too many to read: the parser says so.
    let found = soon(&"x\n".repeat(500_000));
    assert!(!found.notes.is_empty());
    let found = soon(&format!(
        "for i in {{1..200}}; do for j in {{1..200}}; do {} done; done; last",
        "run $i $j; ".repeat(40)
    ));
    assert!(found.calls.iter().any(|call| show(call) == "last") || limits(&found).contains(&Limit::Steps));
}

#[test]
fn deep_nesting_ends() {
    for source in [
        format!("{}run{}", "$(".repeat(300), ")".repeat(300)),
        format!("{}run{}", "( ".repeat(300), " )".repeat(300)),
        format!("{}run{}", "{ ".repeat(300), "; }".repeat(300)),
        format!("{}run{}", "if c; then ".repeat(200), "; fi".repeat(200)),
        format!("run {}1{}", "$((".repeat(200), "))".repeat(200)),
        format!("run $(({}1{}))", "(".repeat(3_000), ")".repeat(3_000)),
        format!("run $(({}1))", "-".repeat(3_000)),
        format!("run {}x{}", "${a:-".repeat(200), "}".repeat(200)),
        format!("{}run", "eval ".repeat(300)),
        (0..120).map(|i| format!("f{i}() {{ f{}; }}\n", i + 1)).collect::<String>() + "f0",
        format!("[[ {} x {} ]]", "( ".repeat(300), " )".repeat(300)),
        format!("{} x", "! ".repeat(3_000)),
    ] {
        soon(&source);
    }
}

/// Every level through a function, a child shell, a substitution and a loop, on a small stack.
#[test]
fn deep_calls_fit_a_small_stack() {
    let sources = [
        "f() { x=x$x; bash -c f; }; export -f f; export x; f",
        "f() { x=x$x; for i in 1; do if true; then { eval 'y=$(f)'; }; fi; done; }; f",
        "f() { x=x$x; case a in a) ( run \"${z:-$(f)}\" );; esac; }; f",
        "f() { x=x$x; while [[ -n $x ]]; do run <(f) | run; break; done; }; f",
        "f() { x=x$x; a=($(f)); declare b=(`f`); run $((c[$(f)])); }; f",
    ];
    for source in sources {
        let small = std::thread::Builder::new().stack_size(STACK);
        let thread = small.spawn(move || run(source, Dialect::Bash).notes.len()).expect("a thread");
        assert!(thread.join().expect("no overflow") > 0, "{source}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the text, in whatever shell: no panic and no long wait.
    #[test]
    fn any_text_is_survived(
        source in "([ -~\n\té\u{f0000}]|\\$\\(|\\$\\(\\(|\\$\\{|<<E\n|E\n|;;|&&|if |then |fi;|for i in |do |done;|case x in|esac;|eval |\\$x|x=|f\\(\\) \\{|f;|\\[\\[ | ]]|read x;|cd |printf ){0,60}",
        dialect in prop::sample::select(vec![Dialect::Bash, Dialect::Posix, Dialect::Zsh]),
    ) {
        let (_, took) = timed(&source, dialect);
        prop_assert!(took < SOON, "{:?}", took);
    }
}

#[test]
fn values_stay_bounded() {
    // Each test doubles the ways a variable may come out.
    let doubling: String = (0..40).map(|i| format!("c && x=$x{i};")).collect();
    soon(&format!("{doubling} run $x"));
    let splitting: String = (0..40).map(|i| format!("c && x{i}='a b' || x{i}=c;")).collect();
    let words: String = (0..40).map(|i| format!("$x{i} ")).collect();
    soon(&format!("{splitting} run {words}"));
    let arrays: String = (0..40).map(|i| format!("c && a+=({i});")).collect();
    soon(&format!("{arrays} run \"${{a[@]}}\""));
    let shifting = "c && shift; c && set -- \"$@\" x;".repeat(30);
    soon(&format!("set -- {{1..50}}; {shifting} run \"$@\""));
    let outputs = "c && echo x;".repeat(40);
    soon(&format!("run \"$({outputs})\""));
    let commands: String = (0..200).map(|i| format!("c && p=tool{i};")).collect();
    soon(&format!("{commands} $p; $p; $p; $p"));
    soon(&format!("x={}; run ${{x//a/{}}}", "a".repeat(50_000), "b".repeat(1_000)));
    soon(&format!("x={}; run ${{x##*a*a*a*a*a*a*b}}", "a".repeat(50_000)));
    soon("shopt -s extglob; x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; run ${x/+(+(a))b/}");
    soon("printf -v x '%9999s' a; printf -v y \"$x%s\" {1..900}; run \"$y\"");
    soon(&format!("run {}", "$x".repeat(5_000)));
    soon(&format!("run {}", "\"$x$y\"".repeat(2_000)));
    soon(&format!("x='{}'; run $x", "a ".repeat(20_000)));
}

#[test]
fn a_budget_is_told() {
    assert!(limits(&soon("run {-9999..-1}")).contains(&Limit::Words));
    assert!(limits(&soon("run {1..999999}; run {1..9999}")).is_empty());
    assert!(limits(&soon("eval 'run'")).is_empty());
    let functions = (0..120).map(|i| format!("f{i}() {{ f{}; }}\n", i + 1)).collect::<String>() + "f0";
    assert!(limits(&soon(&functions)).contains(&Limit::Depth));
    assert!(
        limits(&soon("f() { f $1a; f $1b; }; f x"))
            .iter()
            .any(|limit| matches!(limit, Limit::Recursion | Limit::Depth))
    );
}
