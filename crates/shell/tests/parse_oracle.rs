//! Real bash as the judge: what `bash -n` accepts we read without a problem, what it rejects we report.
//!
//! The same for dash and its grammar. The scripts are those of the machine the test runs on; each test is
//! skipped where bash or its texts are missing.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "tests"
)]

mod parse_machine;

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use parse_machine::{Dice, bash, scripts};
use tollgate_shell::ast::{Dialect, ProblemKind, Script};
use tollgate_shell::{Limits, parse};

#[test]
fn scripts_of_this_machine() {
    let scripts = scripts();
    if scripts.is_empty() || bash().is_none() {
        return;
    }
    let tally = judge(&scripts);
    tally.report("scripts");
    assert_eq!(tally.wrongly_reported, Vec::<String>::new(), "bash accepts these");
    assert!(tally.missed.len() * 20 <= tally.rejected, "bash rejects these: {:?}", tally.missed);
}

#[test]
fn scripts_that_dash_accepts() {
    let dash = Path::new("/bin/dash");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("script");
    for script in scripts().into_iter().filter(|_| dash.exists()) {
        std::fs::write(&path, &script).expect("a script");
        let output = Command::new(dash).arg("-n").arg(&path).output().expect("dash");
        if output.status.success() {
            let wide = Limits { text: 1 << 24, nodes: 1 << 24, depth: 64 };
            let problems = wide.parse(&script, Dialect::Posix).problems;
            assert!(problems.is_empty(), "{problems:?} in {script}");
        }
    }
}

#[test]
fn broken_scripts() {
    // bash looks into these only when it runs them.
    let deferred = |script: &String| ["`", "$((", "<<"].iter().any(|token| script.contains(token));
    let scripts: Vec<String> =
        scripts().into_iter().filter(|script| script.len() < 6_000 && !deferred(script)).collect();
    if scripts.is_empty() || bash().is_none() {
        return;
    }
    let mut dice = Dice(0x5eed_0001);
    let mutants: Vec<String> = (0..1_000)
        .map(|_| {
            let script: &String = dice.pick(&scripts);
            mutate(script, &mut dice)
        })
        .collect();
    let tally = judge(&mutants);
    tally.report("mutants");
    assert!(tally.rejected > 400, "too few mutants are broken: {}", tally.rejected);
    assert_eq!(tally.wrongly_reported, Vec::<String>::new(), "bash accepts these");
    assert!(tally.missed.len() * 50 <= tally.rejected, "bash rejects these: {:#?}", tally.missed);
}

/// What random scripts are made of.
const SOUP: &[&str] = &[
    "a",
    "b",
    "x=1",
    "a[1]=2",
    "$x",
    "${x:-y}",
    "$(a)",
    "\"q\"",
    "'s'",
    ";",
    ";",
    "\n",
    "\n",
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
    "((1))",
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "while",
    "until",
    "case",
    "esac",
    ";;",
    ";&",
    "function",
    "f()",
    "time",
    "select",
    "<f",
    ">f",
    "2>&1",
    "<<<w",
    "declare",
    "#c",
    "$((1))",
    "@(a|b)",
    "<(a)",
    "==",
    "=~",
    "-n",
    "<",
    ">",
    "a)",
    "(a",
    "\\\n",
    "<<E\nh\nE\n",
    "[",
    "]",
    "{a,b}",
    "1",
    "2>",
    "for x in a; do",
    "if a; then",
    "case x in",
    "while a; do",
    "{ a;",
    "fi",
    "done",
    "esac",
    "]]",
    "[[ a",
    "[[ -f x",
];

#[test]
fn random_tokens() {
    if bash().is_none() {
        return;
    }
    let mut dice = Dice(0x5eed_0006);
    let soups: Vec<String> = (0..800).map(|_| soup(SOUP, &mut dice)).collect();
    let tally = judge(&soups);
    tally.report("token soups");
    let wrong = [tally.wrongly_reported, tally.missed].concat();
    assert!(wrong.len() * 200 <= soups.len(), "{wrong:#?}");
}

fn soup(tokens: &[&str], dice: &mut Dice) -> String {
    (0..2 + dice.roll(10)).map(|_| format!("{} ", dice.pick::<&str>(tokens))).collect()
}

#[test]
fn one_liners() {
    let commands = parse_machine::one_liners();
    if commands.is_empty() || bash().is_none() {
        return;
    }
    assert!(commands.len() > 1_000);
    // Most are sound; bash reads many of those in one go, and only the rest one by one.
    let (suspect, sound): (Vec<_>, Vec<_>) =
        commands.into_iter().partition(|command| has_problem(&read(command)));
    let batches: Vec<String> = sound.chunks(50).map(wrap_all).collect();
    let refused: Vec<usize> = bash_verdicts(&batches)
        .iter()
        .enumerate()
        .filter(|(_, accepted)| !**accepted)
        .map(|(at, _)| at)
        .collect();
    let again: Vec<String> =
        refused.iter().flat_map(|&at| sound.chunks(50).nth(at).unwrap_or_default()).cloned().collect();
    let tally = judge(&[suspect, again].concat());
    tally.report("one-liners looked at closely");
    assert_eq!(tally.wrongly_reported, Vec::<String>::new(), "bash accepts these");
    assert_eq!(tally.missed, Vec::<String>::new(), "bash rejects these");
}

/// What came of comparing us with bash.
#[derive(Default)]
struct Tally {
    total: usize,
    rejected: usize,
    wrongly_reported: Vec<String>,
    missed: Vec<String>,
}

impl Tally {
    fn report(&self, what: &str) {
        println!(
            "{what}: {} of {} rejected by bash; we missed {} and reported {} without cause",
            self.rejected,
            self.total,
            self.missed.len(),
            self.wrongly_reported.len()
        );
    }
}

fn judge(texts: &[String]) -> Tally {
    let mut tally = Tally { total: texts.len(), ..Tally::default() };
    for (text, accepted) in texts.iter().zip(bash_verdicts(texts)) {
        let problem = has_problem(&read(text));
        tally.rejected += usize::from(!accepted);
        match (accepted, problem) {
            (true, true) => tally.wrongly_reported.push(text.clone()),
            (false, false) => tally.missed.push(text.clone()),
            _ => {}
        }
    }
    tally
}

fn read(text: &str) -> Script {
    if text.len() > 100_000 {
        let wide = Limits { text: 1 << 24, nodes: 1 << 24, depth: 64 };
        return wide.parse(text, Dialect::Bash);
    }
    parse(text, Dialect::Bash)
}

/// bash takes a carriage return for a letter; that we name it is not a dispute about syntax.
fn has_problem(script: &Script) -> bool {
    script
        .problems
        .iter()
        .any(|problem| !matches!(problem.kind, ProblemKind::StrangeByte | ProblemKind::Deceptive(_)))
}

/// Whether bash accepts each text without a word. Two workers, one process per text.
fn bash_verdicts(texts: &[String]) -> Vec<bool> {
    let bash = bash().expect("a bash");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let verdicts = Arc::new(Mutex::new(vec![false; texts.len()]));
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (next, verdicts, folder) = (&next, Arc::clone(&verdicts), folder.path());
            scope.spawn(move || {
                let path = folder.join(format!("script-{worker}"));
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(text) = texts.get(index) else { return };
                    let accepted = bash_accepts(bash, text, &path);
                    verdicts.lock().unwrap()[index] = accepted;
                }
            });
        }
    });
    Arc::into_inner(verdicts).and_then(|verdicts| verdicts.into_inner().ok()).unwrap_or_default()
}

/// `-n` reads and runs nothing. A mistake in `[[ … ]]` shows only in what bash says.
fn bash_accepts(bash: &str, text: &str, path: &Path) -> bool {
    std::fs::write(path, text).expect("a script");
    let output =
        Command::new(bash).args(["-O", "extglob", "-n"]).arg(path).env_clear().output().expect("bash");
    output.status.success() && output.stderr.is_empty()
}

fn wrap_all(commands: &[String]) -> String {
    commands.iter().map(|command| format!("wrapped() {{\n{command}\n}}\n")).collect()
}

/// Takes a token out of the script or puts one in.
fn mutate(script: &str, dice: &mut Dice) -> String {
    const TOKENS: &[&str] = &[
        "(", ")", "{", "}", "fi", "done", "then", "do", "esac", ";;", "\"", "'", "`", "&&", "|", "$(",
        "${x:-", "[[", "]]", "if", "case", "<<", ">", ";", "((", "))",
    ];
    let token = dice.pick(TOKENS);
    let places: Vec<usize> = script.match_indices(token).map(|(at, _)| at).collect();
    if dice.roll(2) == 0 && !places.is_empty() {
        let at = *dice.pick(&places);
        return format!("{}{}", &script[..at], &script[at + token.len()..]);
    }
    let breaks: Vec<usize> = script.match_indices([' ', '\n']).map(|(at, _)| at).collect();
    if breaks.is_empty() {
        return format!("{script} {token}");
    }
    let at = *dice.pick(&breaks);
    format!("{} {token} {}", &script[..at], &script[at..])
}
