//! Does a condition hold, and if not, what was looked for and where?

use tollgate_model::State;
use tollgate_model::json::Value;
use tollgate_policy::glob;

use crate::asking::Asking;
use crate::case::{Case, CommandRun, Ran, Seen as Expression, plain};
use crate::flow::{Cond, Seen};
use crate::{counts, files, registry, runners, text, words};

/// The namespace of what was seen of the tests.
pub const TESTS: &str = "tests";

/// How many characters of a command a refusal shows.
const LONGEST_COMMAND: usize = 80;

/// How a shell ends that was to run what is no program, or none that there is.
const NOT_A_PROGRAM: i32 = 126;
const NO_PROGRAM: i32 = 127;

/// An answer: none when it cannot be told; and why it does not hold.
pub struct Answer {
    /// Does it hold?
    pub holds: Option<bool>,
    /// What was looked for and not found.
    pub why: Vec<String>,
}

impl Answer {
    fn yes() -> Self {
        Self { holds: Some(true), why: Vec::new() }
    }

    /// A command that nobody has named says nothing, so what it would have to say does not hold.
    fn no_command() -> Self {
        Self { holds: Some(false), why: Vec::new() }
    }

    fn of(holds: bool, why: impl FnOnce() -> String) -> Self {
        Self { holds: Some(holds), why: if holds { Vec::new() } else { vec![why()] } }
    }
}

impl Asking<'_, '_> {
    /// Does a condition hold?
    pub fn ask(&self, cond: &Cond) -> Answer {
        match cond {
            Cond::All(all) => self.all(all),
            Cond::Any(any) => self.any(any),
            Cond::Not(inner) => self.not(inner),
            Cond::Exists(file) => self.exists(file),
            Cond::Frontmatter { file, has } => self.frontmatter(file, has),
            Cond::Contains { file, all, any } => self.contains(file, all, any),
            Cond::MinChars { file, n } => self.min_chars(file, *n),
            Cond::Committed(path) => self.committed(path),
            Cond::CommittedFiles { folder, .. } if self.has_folder(folder) => self.committed(folder),
            Cond::CommittedFiles { inside, except, .. } => self.committed_files(inside, except),
            Cond::Tests { run, pass, timeout } => self.tests(run, *pass, *timeout),
            Cond::Command { run, exit, timeout } => self.command(run, *exit, *timeout),
            Cond::State(values) => self.state(values),
            Cond::Phase(phase) => Answer::of(self.phase == phase, || {
                format!(
                    "the phase is `{}`, not `{phase}`",
                    if self.phase.is_empty() { "none" } else { self.phase }
                )
            }),
            Cond::Output { contains, matches } => self.output(contains, matches),
            Cond::Observed(seen) => self.observed(*seen),
            Cond::Registered { name, also } => self.registered(name, also),
            Cond::Expr(expr) => {
                Answer::of(expr.holds(&Expression(self.case)), || "the expression does not hold".into())
            }
        }
    }

    fn all(&self, all: &[Cond]) -> Answer {
        let mut holds = Some(true);
        for cond in all {
            let answer = self.ask(cond);
            match answer.holds {
                Some(false) => return answer,
                None => holds = None,
                Some(true) => {}
            }
        }
        Answer { holds, why: Vec::new() }
    }

    fn any(&self, any: &[Cond]) -> Answer {
        let (mut holds, mut why, mut about_state) = (Some(false), Vec::new(), Vec::new());
        for cond in any {
            let answer = self.ask(cond);
            match answer.holds {
                Some(true) => return answer,
                None => holds = None,
                Some(false) if matches!(cond, Cond::State(_)) => about_state.extend(answer.why),
                Some(false) => why.extend(answer.why),
            }
        }
        // What a workflow remembers helps nobody who can do something about the rest.
        Answer { holds, why: if why.is_empty() { about_state } else { why } }
    }

    fn not(&self, inner: &Cond) -> Answer {
        let answer = self.ask(inner);
        Answer { holds: answer.holds.map(|holds| !holds), why: vec![describe(inner)] }
    }

    /// The files that a template means, or why there can be none.
    fn files(&self, file: &str) -> Result<(String, Vec<String>), String> {
        let Some(pattern) = self.case.pattern(self.flow, file) else {
            let template = self.flow.templates(file).first().copied().unwrap_or(file);
            return Err(format!("the path `{template}` is unknown{}", self.no_milestone(template)));
        };
        let world = self.case.world;
        let found = files::matching(world, world.workspace(), &pattern);
        Ok((pattern, found))
    }

    fn no_milestone(&self, template: &str) -> &'static str {
        let missing = template.contains("{milestone}") && self.case.milestone().is_none();
        if missing { "; `project/status.json` has no `current_milestone`" } else { "" }
    }

    fn exists(&self, file: &str) -> Answer {
        match self.files(file) {
            Ok((pattern, found)) => Answer::of(!found.is_empty(), || self.looked(&pattern)),
            Err(why) => Answer::of(false, || why),
        }
    }

    fn looked(&self, pattern: &str) -> String {
        format!("no file `{pattern}` in {}", self.case.world.workspace())
    }

    /// Holds when one of the files does.
    fn some_file(&self, file: &str, test: impl Fn(&str) -> bool, why: impl Fn(&str) -> String) -> Answer {
        let (pattern, found) = match self.files(file) {
            Ok(found) => found,
            Err(why) => return Answer::of(false, || why),
        };
        let holds = |path: &String| files::text(self.case.world, path).is_some_and(|text| test(&text));
        let last = found.last().map(|path| self.case.below(path).unwrap_or(path));
        Answer::of(found.iter().any(holds), || match last {
            Some(path) => format!("`{path}` {}", why(path)),
            None => self.looked(&pattern),
        })
    }

    fn frontmatter(&self, file: &str, has: &[(String, String)]) -> Answer {
        let test = |text: &str| has.iter().all(|(key, value)| text::frontmatter(text, key).contains(value));
        let wanted: Vec<String> = has.iter().map(|(key, value)| format!("`{key}: {value}`")).collect();
        self.some_file(file, test, |_| format!("has no {} in the frontmatter at its top", wanted.join(", ")))
    }

    fn contains(&self, file: &str, all: &[String], any: &[String]) -> Answer {
        let has = |text: &str, part: &String| text.to_lowercase().contains(&part.to_lowercase());
        let test = |text: &str| {
            all.iter().all(|part| has(text, part))
                && (any.is_empty() || any.iter().any(|part| has(text, part)))
        };
        let wanted: Vec<String> = all.iter().chain(any).map(|part| format!("`{part}`")).collect();
        self.some_file(file, test, |_| format!("must hold {}", wanted.join(", ")))
    }

    fn min_chars(&self, file: &str, n: usize) -> Answer {
        self.some_file(file, |text| text.chars().count() >= n, |_| format!("has fewer than {n} characters"))
    }

    fn committed(&self, path: &str) -> Answer {
        let world = self.case.world;
        let is_pattern =
            self.flow.artifacts.iter().any(|(name, _)| name == path) || path.contains(['*', '?']);
        let paths = if is_pattern {
            match self.files(path) {
                Ok((pattern, found)) if found.is_empty() => {
                    return Answer::of(false, || self.looked(&pattern));
                }
                Ok((_, found)) => found,
                Err(why) => return Answer::of(false, || why),
            }
        } else {
            let path = self.case.pattern(self.flow, path).unwrap_or_else(|| path.to_owned());
            vec![format!("{}/{}", world.workspace(), path.trim_end_matches('/'))]
        };
        let mut open = Vec::new();
        for path in &paths {
            match files::uncommitted(world, path) {
                Some(some) => open.extend(some),
                None => return self.untold(format!("git could not read `{path}`")),
            }
        }
        Answer::of(open.is_empty(), || format!("not committed: {}", listed(&open)))
    }

    fn has_folder(&self, folder: &str) -> bool {
        let path = format!("{}/{}", self.case.world.workspace(), folder.trim_end_matches('/'));
        !folder.is_empty() && !self.case.world.list(&path, 1).is_empty()
    }

    fn committed_files(&self, inside: &[String], except: &[String]) -> Answer {
        let (world, flow) = (self.case.world, self.flow);
        let patterns = |templates: &[String]| -> Vec<String> {
            let filled = templates.iter().filter_map(|template| self.case.pattern(flow, template));
            filled.flat_map(|pattern| glob::expand(&pattern).unwrap_or_default()).collect()
        };
        let (inside, except) = (patterns(inside), patterns(except));
        let is_in = |path: &str, places: &[String]| places.iter().any(|place| glob::matches(place, path));
        let wanted = |path: &str| is_in(path, &inside) && !is_in(path, &except);
        match files::uncommitted_below(world, world.workspace(), wanted) {
            Some(open) => Answer::of(open.is_empty(), || format!("not committed: {}", listed(&open))),
            None => self.untold("git could not read the project".to_owned()),
        }
    }

    fn tests(&self, run: &str, pass: bool, timeout: u32) -> Answer {
        if run.is_empty() {
            return Answer::no_command();
        }
        let ran = match self.run(run, timeout) {
            Ok(ran) => ran,
            Err(answer) => return answer,
        };
        let seen = counts::read(&ran.output);
        let argv: Vec<String> = run.split_whitespace().map(str::to_owned).collect();
        let known = runners::is_runner(&argv);
        let holds = match (pass, ran.exit) {
            (true, Some(0)) => seen.failed == 0 && (seen.passed > 0 || !known),
            (true, _) | (_, Some(0 | NOT_A_PROGRAM | NO_PROGRAM)) => false,
            (false, Some(_)) => seen.failed > 0 || !known,
            (false, None) => false,
        };
        let failing = seen.failing;
        if !failing.is_empty() {
            self.captures.borrow_mut().push(("failing".into(), listed(&failing)));
        }
        Answer::of(holds, || {
            let wanted = if pass { "must pass" } else { "must fail" };
            let code = ran.exit.map_or("a signal".to_owned(), |code| format!("code {code}"));
            let tests = if failing.is_empty() { words::tail(&ran.output) } else { listed(&failing) };
            let none =
                if known && seen.passed + seen.failed == 0 { ", but the output shows no test" } else { "" };
            let run = words::cut(run, LONGEST_COMMAND);
            format!("`{run}` {wanted}, and ended with {code}{none}: {tests}")
        })
    }

    fn command(&self, run: &str, exit: i32, timeout: u32) -> Answer {
        if run.is_empty() {
            return Answer::no_command();
        }
        let ran = match self.run(run, timeout) {
            Ok(ran) => ran,
            Err(answer) => return answer,
        };
        Answer::of(ran.exit == Some(exit), || {
            let code = ran.exit.map_or("a signal".to_owned(), |code| format!("code {code}"));
            let run = words::cut(run, LONGEST_COMMAND);
            format!("`{run}` ended with {code}: {}", words::tail(&ran.output))
        })
    }

    /// Runs a command. One that does not end in time counts as failed: a test that hangs must not open a gate.
    fn run(&self, run: &str, timeout: u32) -> Result<Ran, Answer> {
        let not_run = || self.untold(format!("`{run}` could not be run"));
        // A command of a file that nobody trusts does not run.
        let Some(command) = words::fill(self, run).filter(|_| self.flow.trusted) else {
            return Err(not_run());
        };
        match self.case.ground.run(&command, timeout) {
            CommandRun::Ended(ran) => Ok(ran),
            CommandRun::NotRun => Err(not_run()),
            CommandRun::TimedOut { seconds, agent_limit } => Err(Answer::of(false, || {
                let run = words::cut(run, LONGEST_COMMAND);
                let way_out = if agent_limit {
                    "the agent does not wait longer for a hook, so use a quicker command"
                } else {
                    "if it needs longer, raise its `timeout:`"
                };
                format!("`{run}` did not end within {seconds} s and counts as failed; {way_out}")
            })),
        }
    }

    fn state(&self, values: &[(String, String, String)]) -> Answer {
        let states = self.case.states;
        let get = |space: &str, key: &str| states.session.get(space, key).or(states.project.get(space, key));
        for (space, key, wanted) in values {
            let value = get(space, key).map(plain).unwrap_or_default();
            let absent = value.is_empty() && wanted == "false";
            if value != *wanted && !absent {
                return Answer::of(false, || format!("`{space}.{key}` is `{value}`, not `{wanted}`"));
            }
        }
        Answer::yes()
    }

    fn output(&self, contains: &[String], matches: &[String]) -> Answer {
        let output = self.case.output();
        if contains.iter().any(|part| text::contains(&output, part)) {
            return Answer::yes();
        }
        match matches.iter().find_map(|pattern| text::find(pattern, &output)) {
            Some(found) => {
                self.captures.borrow_mut().extend(found);
                Answer::yes()
            }
            None => Answer::of(false, || {
                let wanted: Vec<String> =
                    contains.iter().chain(matches).map(|part| format!("`{part}`")).collect();
                format!("the last message has no {}", wanted.join(" or "))
            }),
        }
    }

    fn observed(&self, wanted: Seen) -> Answer {
        let state = &self.case.states.session;
        match (wanted, self.seen_now()) {
            (Seen::Red, Some(Seen::Red)) | (Seen::Green, Some(Seen::Green)) => Answer::yes(),
            (Seen::Red, _) => Answer::of(false, || {
                "no run in the agent's shell named a failing test that is on disk; `|| true` or a pipe hides the exit code"
                    .into()
            }),
            (Seen::Green, _) => Answer::of(false, || {
                let red = state.texts(TESTS, "red");
                let red = match red.is_empty() {
                    true => String::new(),
                    false => format!(", the failing ones included: {}", red.join(", ")),
                };
                format!(
                    "no run of all tests in the agent's shell passed{red}; `|| true` or a pipe hides the exit code"
                )
            }),
        }
    }

    /// What the tests are known to be, this event included.
    fn seen_now(&self) -> Option<Seen> {
        let state = &self.case.states.session;
        if let Some(run) = self.case.run
            && let Some(seen) = judge(run, state, self.case)
        {
            return Some(seen);
        }
        match state.text(TESTS, "last") {
            "red" => Some(Seen::Red),
            "green" => Some(Seen::Green),
            _ => None,
        }
    }

    fn registered(&self, name: &str, also: &[String]) -> Answer {
        let Some(name) = words::fill(self, name) else {
            return Answer::of(false, || "no agent is named".into());
        };
        let names = registry::agents(self.case.world);
        let known = names.iter().chain(also).any(|known| known.eq_ignore_ascii_case(&name));
        let all = names.iter().chain(also).map(String::as_str);
        if let Some(near) = tollgate_policy::nearest(&name, all).filter(|_| !known) {
            self.captures.borrow_mut().push(("nearest".into(), near.to_owned()));
        }
        Answer::of(known, || format!("no agent `{name}` is known"))
    }

    fn untold(&self, why: String) -> Answer {
        self.unsure.borrow_mut().push(why);
        Answer { holds: None, why: Vec::new() }
    }
}

/// What a run means, given what was red before. Red must name a test that exists; green must have those in it
/// that were red.
pub fn judge(run: &counts::Run, state: &State, case: &Case) -> Option<Seen> {
    if run.failed > 0 {
        let root = case.world.workspace();
        let exists = |name: &String| files::has_test(case.world, root, name);
        return run.failing.iter().any(exists).then_some(Seen::Red);
    }
    let red = state.texts(TESTS, "red");
    let listed = !run.passing.is_empty();
    let has = |name: &&str| run.passing.iter().any(|passed| passed == name);
    let same = || !run.given.is_empty() && run.given == state.texts(TESTS, "given");
    let enough = || run.passed >= state.count(TESTS, "total");
    let all = if listed {
        red.iter().all(has)
    } else {
        enough() && (red.is_empty() || same() || runners::covers(&run.given, &red))
    };
    all.then_some(Seen::Green)
}

/// The value of a state key as JSON wants it: `true` and `false` are truths.
pub fn value(text: String) -> Value {
    match text.as_str() {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => Value::String(text),
    }
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    if names.len() > MOST {
        shown.push(format!("and {} more", names.len() - MOST));
    }
    shown.join(", ")
}

fn describe(cond: &Cond) -> String {
    match cond {
        Cond::State(values) => {
            let pairs: Vec<String> =
                values.iter().map(|(space, key, value)| format!("`{space}.{key}` is `{value}`")).collect();
            pairs.join(", ")
        }
        Cond::Phase(phase) => format!("the phase is `{phase}`"),
        Cond::Exists(file) => format!("`{file}` exists"),
        _ => "what must not hold does".to_owned(),
    }
}
