//! What runners of tests print: how many passed and failed, and which.

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// How many passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
    /// The names of those that failed.
    pub failing: Vec<String>,
    /// The names of those that passed, where the runner tells.
    pub passing: Vec<String>,
    /// The words that the runner was given.
    pub given: Vec<String>,
}

/// Names beyond these are not kept.
const MOST_NAMES: usize = 50;

/// Lines in which a runner says that it ran nothing, in whatever case.
const NOTHING: [&str; 6] = [
    "no tests found",
    "no test files found",
    "no tests ran",
    "no tests executed",
    "no test is available",
    "no test matches the given",
];

/// What a run came to; none when its output and its status do not agree, or no test ran.
#[must_use]
pub fn observed(status: i32, output: &str) -> Option<Run> {
    let run = read(output);
    let agrees = if status == 0 { run.failed == 0 && run.passed > 0 } else { run.failed > 0 };
    agrees.then_some(run)
}

/// Would a part of this text, printed, look like the counts of a runner?
#[must_use]
pub fn tells_counts(text: &str) -> bool {
    let parts = text.split(['"', '\'', '\n', ';', '&', '|', '`', '\\']);
    let printed = parts.map(|part| {
        let part = part.trim();
        ["echo ", "printf "].iter().find_map(|print| part.strip_prefix(print)).unwrap_or(part)
    });
    printed.into_iter().any(|part| {
        let run = read(part);
        run.passed + run.failed > 0
    })
}

/// What the output of a run says.
#[must_use]
pub fn read(output: &str) -> Run {
    count(&plain(output))
}

/// Without the colours of a terminal.
fn plain(output: &str) -> String {
    let mut text = String::with_capacity(output.len());
    let mut letters = output.chars();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            let _ = letters.by_ref().find(|c| c.is_ascii_alphabetic());
        } else if letter != '\r' {
            text.push(letter);
        }
    }
    text
}

fn count(output: &str) -> Run {
    let mut run = Run::default();
    let mut loose = (0, 0);
    for line in output.lines() {
        names(line.trim(), &mut run);
        if ran_nothing(line) {
            // What was counted before was not this runner's.
            (run.passed, loose.0) = (0, 0);
            run.passing.clear();
        } else if let Some((passed, failed)) = summary(line.trim()) {
            run.passed += passed;
            run.failed += failed;
        } else if let Some((passed, failed)) = tally(line.trim()) {
            loose = (loose.0 + passed, loose.1 + failed);
        }
    }
    if run.passed + run.failed == 0 {
        (run.passed, run.failed) = loose;
    }
    if run.failing.is_empty() {
        run.failing = output.lines().filter_map(|line| unloadable_file(line.trim())).collect();
        run.failing.sort_unstable();
        run.failing.dedup();
    }
    run.failed = run.failed.max(run.failing.len() as u64);
    if output.lines().any(|line| line.starts_with("Ran ")) {
        // Python's own runner counts those that failed or were skipped among those that it ran.
        run.passed = run.passed.saturating_sub(run.failed + skipped(output));
    }
    run.failing.truncate(MOST_NAMES);
    run
}

/// The file of tests that a runner could not load or compile, because what it tests does not exist yet: the usual first
/// red of test-driven work. Runners then name the file and no test.
fn unloadable_file(line: &str) -> Option<String> {
    let file = if let Some(rest) = line.strip_prefix("FAIL ") {
        // vitest and jest name the file.
        rest.split_whitespace().next()?
    } else if let Some(rest) = line.strip_prefix("An error occurred while loading ") {
        rest.trim_end_matches('.')
    } else if line.contains("_test.go:") {
        // The compiler's place: `./calc_test.go:6:7: undefined: Add`.
        line.trim_start_matches("vet: ").split(':').next()?
    } else {
        let target = line.strip_prefix("error: could not compile ")?.split_once("(test \"")?.1;
        return Some(format!("tests/{}.rs", target.split('"').next()?));
    };
    let file = file.trim_start_matches("./");
    let is_file = file.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && is_extension(end));
    is_file.then(|| file.to_owned())
}

fn is_extension(text: &str) -> bool {
    !text.is_empty() && text.len() < 6 && text.chars().all(|letter| letter.is_ascii_alphanumeric())
}

fn ran_nothing(line: &str) -> bool {
    let line = line.trim_matches([' ', '=', '!', '.']).to_ascii_lowercase();
    NOTHING.iter().any(|start| line.starts_with(start))
}

/// `OK (skipped=2)`, `FAILED (failures=1, skipped=2)`.
fn skipped(output: &str) -> u64 {
    let told = output.lines().filter(|line| line.starts_with("OK (") || line.starts_with("FAILED ("));
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    told.filter_map(|line| digits(line.split_once("skipped=")?.1).parse::<u64>().ok()).sum()
}

/// The line in which a runner counts: passed, failed.
fn summary(line: &str) -> Option<(u64, u64)> {
    let lower = line.to_ascii_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let before = |names: &[&str]| {
        let pairs = words.windows(2).filter_map(|pair| match pair {
            [number, name] if names.contains(name) => number.parse::<u64>().ok(),
            _ => None,
        });
        pairs.fold(None, |sum, number| Some(sum.unwrap_or(0) + number))
    };
    let behind = |names: &[&str]| {
        words.windows(2).find_map(|pair| match pair {
            [name, number] if names.contains(name) => number.parse::<u64>().ok(),
            _ => None,
        })
    };
    if lower.starts_with("test files") || lower.starts_with("test suites") {
        return None;
    }
    if let Some(examples) = before(&["example", "examples"]) {
        let failed = before(&["failure", "failures"]).unwrap_or(0);
        return Some((examples.saturating_sub(failed), failed));
    }
    // Maven counts each class, with its time, and then all of them.
    if let Some(run) = behind(&["run"]).filter(|_| lower.contains("tests run:")) {
        let failed = behind(&["failures"]).unwrap_or(0) + behind(&["errors"]).unwrap_or(0);
        let left = failed + behind(&["skipped"]).unwrap_or(0);
        return (!lower.contains("time elapsed")).then(|| (run.saturating_sub(left), failed));
    }
    // ExUnit and Swift: `5 tests, 1 failure`, `Executed 5 tests, with 1 failure`.
    if let Some(failed) = before(&["failure", "failures"]).filter(|_| lower.contains(" test")) {
        let all = before(&["test", "tests"])?;
        return Some((all.saturating_sub(failed), failed));
    }
    if lower.starts_with("ok (") {
        return Some((before(&["test", "tests"])?, 0));
    }
    if lower.starts_with("tests:") && lower.contains("assertions") {
        let failed = behind(&["failures"]).unwrap_or(0) + behind(&["errors"]).unwrap_or(0);
        return Some((behind(&["tests"])?.saturating_sub(failed), failed));
    }
    if lower.starts_with("failed!") || lower.starts_with("passed!") {
        return Some((behind(&["passed"])?, behind(&["failed"])?));
    }
    let counted = lower.starts_with("test result")
        || lower.starts_with("tests")
        || lower.starts_with("summary [")
        || lower.starts_with("ok |")
        || lower.starts_with("failed |")
        || lower.contains(" in ")
        || lower.starts_with('=');
    let (passed, failed) = (before(&["passed"]), before(&["failed", "error", "errors"]));
    (counted && (passed.is_some() || failed.is_some())).then(|| (passed.unwrap_or(0), failed.unwrap_or(0)))
}

/// Counts that stand in lines of their own, or in no line at all.
fn tally(line: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        ["#" | "ℹ", "pass", number] => Some((number.parse().ok()?, 0)),
        ["#" | "ℹ", "fail", number] => Some((0, number.parse().ok()?)),
        [number, "passing", ..] | [number, "pass"] => Some((number.parse().ok()?, 0)),
        [number, "failing", ..] | [number, "fail"] => Some((0, number.parse().ok()?)),
        ["Ran", number, "test" | "tests", "in", ..] => Some((number.parse().ok()?, 0)),
        ["ok", .., "to", "run]"] => None,
        [number, "test" | "tests", "passed"] => Some((number.parse().ok()?, 0)),
        [number, "test" | "tests", "failed"] => Some((0, number.parse().ok()?)),
        ["ok", package, ..] if package.contains(['/', '.']) || words.len() == 3 && line.contains('\t') => {
            Some((1, 0))
        }
        _ => None,
    }
}

fn names(line: &str, run: &mut Run) {
    let mut failed = |name: &str| {
        let name = name.trim();
        if !name.is_empty() && !run.failing.iter().any(|known| known == name) {
            run.failing.push(name.to_owned());
        }
    };
    if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
        let name = rest.split(" - ").next().unwrap_or(rest);
        if name.contains("::") || name.ends_with(".py") {
            failed(name);
        }
    } else if let Some(rest) = line.strip_prefix("test ") {
        match rest.rsplit_once(" ... ") {
            Some((name, "FAILED")) => failed(name),
            Some((name, "ok")) => run.passing.push(name.to_owned()),
            _ => {}
        }
    } else if let Some(rest) = line.strip_prefix("--- FAIL: ") {
        failed(rest.split(" (").next().unwrap_or(rest));
    } else if let Some(rest) = line.strip_prefix("--- PASS: ") {
        run.passing.push(rest.split(" (").next().unwrap_or(rest).to_owned());
    } else if let Some((_, name)) = bracketed(line, "FAIL [") {
        failed(name);
    } else if let Some((_, name)) = bracketed(line, "PASS [") {
        run.passing.push(name.to_owned());
    } else if let Some(rest) = line.strip_prefix("FAIL ").filter(|rest| rest.contains(" > ")) {
        failed(rest);
    } else if let Some(rest) = line.strip_prefix("● ").filter(|rest| rest.contains(" › ")) {
        failed(rest);
    } else if let Some(rest) = line.strip_prefix("not ok ").and_then(|rest| rest.split_once(" - ")) {
        failed(rest.1);
    } else if let Some(rest) = line.strip_prefix("✖ ").or_else(|| line.strip_prefix("(fail) ")) {
        failed(rest.split(" (").next().unwrap_or(rest).split(" [").next().unwrap_or(rest));
    } else if let Some(rest) = line.strip_prefix("rspec ./") {
        failed(rest.split(" # ").next().unwrap_or(rest));
    } else if let Some(rest) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
        failed(rest.split(" (").next().unwrap_or(rest));
    } else if let Some((number, name)) = line.split_once(") ")
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
        && name.contains("::")
    {
        failed(name);
    }
}

/// `FAIL [   0.005s] crate module::name`.
fn bracketed<'l>(line: &'l str, start: &str) -> Option<(&'l str, &'l str)> {
    let (_, rest) = line.strip_prefix(start)?.split_once(']')?;
    let rest = rest.trim();
    Some(rest.split_once(' ').unwrap_or(("", rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn outputs_are_read() {
        for (status, output, expected) in [
            (
                1,
                "FAILED tests/test_a.py::test_x - assert 1\n1 failed, 2 passed in 0.12s",
                Some((2, 1, "tests/test_a.py::test_x")),
            ),
            (0, "...\n3 passed in 0.01s", Some((3, 0, ""))),
            (0, "===== 3 passed, 1 warning in 0.01s =====", Some((3, 0, ""))),
            (1, "E   x\n==== 2 errors in 0.1s ====", Some((0, 2, ""))),
            (0, "no tests ran in 0.00s", None),
            (0, "1 failed, 2 passed in 0.12s", None),
            (1, "3 passed in 0.01s", None),
            (
                101,
                "test a::b ... ok\ntest a::c ... FAILED\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored",
                Some((1, 1, "a::c")),
            ),
            (
                0,
                "test a ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\ntest result: ok. 4 passed; 0 failed",
                Some((5, 0, "")),
            ),
            (
                100,
                "        FAIL [   0.005s] tollgate-store state::tests::x\n     Summary [   0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped",
                Some((2, 1, "state::tests::x")),
            ),
            (
                1,
                " FAIL  src/a.test.ts > sum > adds\n Test Files  1 failed (1)\n      Tests  1 failed | 2 passed (3)",
                Some((2, 1, "src/a.test.ts > sum > adds")),
            ),
            (
                1,
                "  ● sum › adds\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total",
                Some((2, 1, "sum › adds")),
            ),
            (1, "--- FAIL: TestX (0.00s)\nFAIL\nFAIL\texample.com/m\t0.002s", Some((0, 1, "TestX"))),
            (0, "ok  \texample.com/m\t0.002s", Some((1, 0, ""))),
            (
                1,
                "1) App\\FooTest::testBar\nFAILURES!\nTests: 3, Assertions: 4, Failures: 1.",
                Some((2, 1, "App\\FooTest::testBar")),
            ),
            (0, "OK (3 tests, 5 assertions)", Some((3, 0, ""))),
            (1, "3 examples, 1 failure\nrspec ./spec/a_spec.rb:5 # adds", Some((2, 1, "spec/a_spec.rb:5"))),
            (1, "not ok 1 - adds\n# pass 2\n# fail 1", Some((2, 1, "adds"))),
            (1, "\u{1b}[31m✖ adds (0.5ms)\u{1b}[0m\nℹ pass 2\nℹ fail 1", Some((2, 1, "adds"))),
            (
                1,
                "FAIL: test_x (t.T.test_x)\nRan 2 tests in 0.001s\n\nFAILED (failures=1)",
                Some((1, 1, "test_x")),
            ),
            (0, "Ran 2 tests in 0.001s\n\nOK", Some((2, 0, ""))),
            (0, " 2 pass\n 0 fail", Some((2, 0, ""))),
            (0, "ok  \texample.com/m\t0.002s [no tests to run]", None),
            (0, "ok  \ta.b/m\t0.1s\nok  \ta.b/n\t0.1s [no tests to run]", Some((1, 0, ""))),
            (0, "No tests found, exiting with code 0", None),
            (0, "5 passed in 1s\nNo tests found, exiting with code 0", None),
            (0, "Tests: 5 passed, 5 total\nNo test files found, exiting with code 0", None),
            (0, "3 skipped in 0.01s", None),
            (0, "0 passing (1ms)", None),
            (0, "0 examples, 0 failures", None),
            (0, "No tests executed!", None),
            (0, "Ran 2 tests in 0.001s\n\nOK (skipped=2)", None),
            (0, "Ran 3 tests in 0.001s\n\nOK (skipped=2)", Some((1, 0, ""))),
            (0, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored", None),
            (0, "# tests 0\n# pass 0\n# fail 0", None),
            (
                0,
                "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.1 s\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1",
                Some((2, 0, "")),
            ),
            (0, "3 tests, 0 failures", Some((3, 0, ""))),
            (0, "  3 tests passed", Some((3, 0, ""))),
            (
                1,
                "FAIL tests/sum.test.js\n  ● Test suite failed to run\n\n    Cannot find module '../sum'\nTest Suites: 1 failed, 1 total\nTests:       0 total",
                Some((0, 1, "tests/sum.test.js")),
            ),
            (
                1,
                " FAIL  src/sum.test.ts [ src/sum.test.ts ]\nError: Failed to resolve import\n Test Files  1 failed (1)\n      Tests  no tests",
                Some((0, 1, "src/sum.test.ts")),
            ),
            (
                2,
                "ERROR test_calc.py - ModuleNotFoundError: No module named 'calc'\n!!! Interrupted: 1 error during collection !!!\n1 error in 0.06s",
                Some((0, 1, "test_calc.py")),
            ),
            (
                1,
                "# m [m.test]\n./calc_test.go:6:7: undefined: Add\nFAIL\tm [build failed]\nFAIL",
                Some((0, 1, "calc_test.go")),
            ),
            (
                101,
                "error[E0432]: unresolved import `m::add`\nerror: could not compile `m` (test \"calc\") due to 1 previous error",
                Some((0, 1, "tests/calc.rs")),
            ),
            (
                1,
                "An error occurred while loading ./spec/calc_spec.rb.\n0 examples, 0 failures, 1 error occurred outside of examples",
                Some((0, 1, "spec/calc_spec.rb")),
            ),
            (101, "error: could not compile `m` (lib) due to 1 previous error", None),
            (0, "everything is fine", None),
            (1, "error: could not compile", None),
        ] {
            let run = observed(status, output);
            let seen = run.as_ref().map(|run| {
                (run.passed, run.failed, run.failing.first().map(String::as_str).unwrap_or_default())
            });
            assert_eq!(seen, expected, "{output}");
        }
    }
}
