//! Commands that run tests: which they are, and which tests they are told to run.

/// Programs that are runners of tests themselves. What runs the tasks of a file (`make`, `tox`, `nx`) is none.
const RUNNERS: [&str; 9] =
    ["pytest", "py.test", "vitest", "jest", "phpunit", "pest", "rspec", "mocha", "ava"];

/// Options by which runners leave tests out.
const SELECTING: [&str; 33] = [
    "-k",
    "-m",
    "-t",
    "-g",
    "-f",
    "-E",
    "-run",
    "-skip",
    "-R",
    "--run",
    "--grep",
    "--fgrep",
    "--filter",
    "--filter-expr",
    "--testNamePattern",
    "--testPathPattern",
    "--testPathPatterns",
    "--test-name-pattern",
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "--lf",
    "--last-failed",
    "--sw",
    "--stepwise",
    "--shard",
    "--exclude",
    "--example",
    "--tag",
    "--lib",
    "--bin",
    "--doc",
    "--onlyChanged",
];

/// Options that take the next word and leave no test out.
const VALUED: [&str; 24] = [
    "--tb",
    "-n",
    "-p",
    "-c",
    "-j",
    "-W",
    "-r",
    "-o",
    "--maxfail",
    "--reporter",
    "--reporters",
    "--config",
    "--durations",
    "--jobs",
    "--test-threads",
    "--timeout",
    "--testTimeout",
    "--cov",
    "--cov-report",
    "--color",
    "--maxWorkers",
    "--package",
    "--features",
    "--rootdir",
];

/// Words that mean every test there is.
const ALL: [&str; 5] = [".", "./", "./...", "...", "run"];

/// Is this command a runner of tests, by its name? `argv` are the words of a program that would run.
#[must_use]
pub fn is_runner(argv: &[String]) -> bool {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    behind(&words, 0).is_some()
}

/// The words that a runner of tests is given; none when the command is no runner, or one from a temporary folder
/// outside the project, where anybody may have put it.
#[must_use]
pub fn given(argv: &[String], project: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    let rest = behind(&words, 0)?;
    let programs = words.get(..words.len() - rest.len())?;
    let is_foreign = |word: &&str| is_temporary(word) && !is_below(word, project);
    (!programs.iter().any(is_foreign)).then(|| rest.iter().map(|word| (*word).to_owned()).collect())
}

fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|top| path.starts_with(top))
}

fn is_below(path: &str, folder: &str) -> bool {
    let climbs = path.split('/').any(|part| part == "..");
    !climbs && path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Does a run with these words have all those tests in it? One that leaves something out may not.
#[must_use]
pub fn covers(given: &[String], tests: &[&str]) -> bool {
    let mut operands: Vec<&str> = Vec::new();
    let mut words = given.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        if SELECTING.contains(&name) || word.is_empty() {
            return false;
        } else if VALUED.contains(&word) {
            words.next();
        } else if !word.starts_with('-') && !ALL.contains(&word) {
            operands.push(word.trim_start_matches("./").trim_end_matches('/'));
        }
    }
    operands.is_empty() || tests.iter().all(|test| operands.iter().any(|operand| test.contains(operand)))
}

/// The script of a package that a command runs: the folder that the command names, the script's name, whether there may
/// be none of that name, and what is added to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script<'w> {
    /// The folder, where the command names one.
    pub folder: Option<&'w str>,
    /// Its name.
    pub name: &'w str,
    /// Without such a script the name means a program.
    pub perhaps: bool,
    /// What the script is given besides its own words.
    pub more: &'w [String],
}

/// The script of a package that a command runs, which may be anything.
#[must_use]
pub fn script(argv: &[String]) -> Option<Script<'_>> {
    let (program, rest) = argv.split_first()?;
    let manager = program.rsplit('/').next().unwrap_or(program);
    if !matches!(manager, "npm" | "pnpm" | "yarn" | "bun") {
        return None;
    }
    let mut folder = None;
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        let names_folder = matches!(name, "--prefix" | "-C" | "--dir" | "--cwd");
        if names_folder && value.is_empty() {
            at += 1;
            folder = rest.get(at).map(String::as_str);
        } else if names_folder {
            folder = Some(value);
        }
        at += 1;
    }
    let verb = rest.get(at)?.as_str();
    let (name, perhaps, from) = match verb {
        "run" | "run-script" => (rest.get(at + 1)?.as_str(), false, at + 2),
        "test" | "t" | "tst" if manager != "bun" => ("test", false, at + 1),
        "exec" | "dlx" | "x" | "test" => return None,
        _ if manager == "npm" => return None,
        other => (other, true, at + 1),
    };
    Some(Script { folder, name, perhaps, more: rest.get(from..).unwrap_or_default() })
}

/// The words behind the runner.
fn behind<'a, 'w>(words: &'a [&'w str], depth: usize) -> Option<&'a [&'w str]> {
    let (program, rest) = words.split_first().filter(|_| depth < 4)?;
    let name = program_name(program)?;
    let first = rest.iter().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
    let inner = |words| behind(words, depth + 1);
    match name {
        _ if RUNNERS.contains(&name) => Some(rest),
        "cargo" => {
            let verb = rest.iter().find(|word| !word.starts_with(['-', '+'])).copied()?;
            matches!(verb, "test" | "t" | "nextest").then(|| after(rest, verb))
        }
        "go" | "deno" | "bun" | "dotnet" | "mvn" | "mvnw" | "gradle" | "gradlew" | "swift" | "mix"
            if first == "test" =>
        {
            Some(after(rest, "test"))
        }
        "react-scripts" | "craco" | "ng" | "vue-cli-service" => {
            first.starts_with("test").then(|| after(rest, first))
        }
        "node" => rest.contains(&"--test").then(|| after(rest, "--test")),
        "env" | "cross-env" => {
            let is_set = |word: &&str| !word.contains('=') && !word.starts_with('-');
            let kept = !rest.iter().any(|word| word.starts_with("PATH="));
            inner(from(rest, is_set)).filter(|_| kept)
        }
        "time" | "nohup" | "command" | "xvfb-run" | "stdbuf" | "npx" | "bunx" | "php" => {
            inner(options_off(rest))
        }
        "timeout" | "nice" | "ionice" => {
            let is_program =
                |word: &&str| !word.starts_with('-') && !word.starts_with(|c: char| c.is_ascii_digit());
            inner(from(rest, is_program))
        }
        "npm" | "pnpm" | "yarn" if matches!(first, "test" | "t" | "tst") => Some(after(rest, first)),
        "npm" | "pnpm" | "yarn" | "bun" if first == "run" => {
            let (task, more) = after(rest, "run").split_first()?;
            task.starts_with("test").then_some(more)
        }
        "pnpm" | "yarn" | "npm" | "bundle" | "poetry" | "uv" | "pipenv" | "hatch" | "pdm" | "rye" => {
            match first {
                "exec" | "dlx" | "x" | "run" => inner(options_off(after(rest, first))),
                _ => inner(options_off(rest)),
            }
        }
        _ if name.starts_with("python") => {
            let (module, more) = after(rest, "-m").split_first()?;
            matches!(*module, "pytest" | "unittest" | "nose2").then_some(more)
        }
        _ => None,
    }
}

/// The name of a program. A file is one only where programs are put: `./pytest` may be anything.
fn program_name(program: &str) -> Option<&str> {
    let Some((folder, name)) = program.rsplit_once('/') else { return Some(program) };
    let put = matches!(folder.rsplit('/').next(), Some("bin" | ".bin"));
    let wrapper = matches!(name, "mvnw" | "gradlew");
    (put || wrapper).then_some(name)
}

fn after<'a, 'w>(words: &'a [&'w str], word: &str) -> &'a [&'w str] {
    let place = words.iter().position(|other| *other == word).map_or(words.len(), |place| place + 1);
    words.get(place..).unwrap_or_default()
}

fn options_off<'a, 'w>(words: &'a [&'w str]) -> &'a [&'w str] {
    let start = words.iter().position(|word| !word.starts_with('-')).unwrap_or(words.len());
    words.get(start..).unwrap_or_default()
}

fn from<'a, 'w>(words: &'a [&'w str], starts: impl Fn(&&str) -> bool) -> &'a [&'w str] {
    let start = words.iter().position(starts).unwrap_or(words.len());
    words.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runners_are_known() {
        for (command, expected) in [
            ("pytest -q", true),
            (".venv/bin/pytest", true),
            ("python3 -m pytest tests", true),
            ("python -m unittest", true),
            ("uv run pytest -q", true),
            ("cargo test --workspace", true),
            ("cargo +nightly nextest run", true),
            ("npx vitest run", true),
            ("npx --yes jest", true),
            ("npm test", true),
            ("npm run test:unit", true),
            ("pnpm exec vitest", true),
            ("yarn jest", true),
            ("go test ./...", true),
            ("vendor/bin/phpunit", true),
            ("php vendor/bin/phpunit", true),
            ("bundle exec rspec", true),
            ("node --test", true),
            ("bun test", true),
            ("cargo build", false),
            ("echo pytest", false),
            ("python3 test.py", false),
            ("npm run build", false),
            ("env CI=1 pytest", true),
            ("env PATH=. pytest", false),
            ("timeout 60s cargo test", true),
            ("timeout -k 5 60 pytest -q", true),
            ("npx react-scripts test", true),
            ("make test", false),
            ("true", false),
            ("go vet", false),
        ] {
            let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert_eq!(is_runner(&argv), expected, "{command}");
        }
    }

    #[test]
    fn a_runner_in_a_temporary_folder_counts_only_inside_the_project() {
        for (command, project, expected) in [
            ("/tmp/bin/pytest", "/home/a/p", false),
            ("timeout 60 /tmp/bin/pytest -q", "/home/a/p", false),
            ("/tmp/p/venv/bin/pytest", "/tmp/p", true),
            ("/tmp/p/../bin/pytest", "/tmp/p", false),
            ("/tmp/pq/bin/pytest", "/tmp/p", false),
            ("pytest /tmp/p/tests", "/home/a/p", true),
        ] {
            let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
            assert!(is_runner(&argv), "{command}");
            assert_eq!(given(&argv, project).is_some(), expected, "{command} in {project}");
        }
    }
}
