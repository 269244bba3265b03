//! What an agent is told to start.

use tollgate_model::json::Value;

/// The gate as every agent starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The gate's program, absolute.
    pub command: String,
    /// The policy's directory, absolute.
    pub config: String,
    /// The directory of log and state, absolute.
    pub state: String,
}

impl Registration {
    /// For files that are committed: the program is found by its name, its directories are those of whoever runs it,
    /// and the policy lies beside the files.
    #[must_use]
    pub fn built() -> Self {
        Self { command: "tollgate".to_owned(), config: String::new(), state: String::new() }
    }

    /// The arguments for an event of an agent.
    #[must_use]
    pub fn args(&self, agent: &str, event: &str) -> Vec<String> {
        if self.config.is_empty() && self.state.is_empty() {
            let policy = format!("{}/{agent}/{POLICY}", BUILD);
            return ["hook", agent, event, "--policy", &policy].map(str::to_owned).to_vec();
        }
        let words = ["hook", agent, event, "--config", &self.config, "--state", &self.state];
        words.map(str::to_owned).to_vec()
    }

    /// The same as one line for a shell.
    #[must_use]
    pub fn line(&self, agent: &str, event: &str) -> String {
        let words = std::iter::once(self.command.clone()).chain(self.args(agent, event));
        words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    }
}

/// The folder of what is built, in the project.
pub const BUILD: &str = "build";
/// The folder of the policy in what is built for an agent.
pub const POLICY: &str = "policy";

impl Registration {
    /// The line for an event at which a call waits. A gate that is gone, killed or broken, or that says something that
    /// is no answer, would let the call run, so a shell of our own stands around it, which then refuses as the gate
    /// would. It starts no process beside the gate, and it does not matter which shell the agent itself uses.
    #[must_use]
    pub fn closed_line(&self, agent: &str, event: &str) -> String {
        format!("{SHELL} -c '{GUARD}' tollgate {}", self.line(agent, event))
    }

    /// The words for an agent that starts programs without a shell; `closed` as above.
    pub(super) fn words(&self, agent: &str, event: &str, closed: bool) -> Vec<String> {
        let around = [SHELL, "-c", GUARD, "tollgate"].map(str::to_owned);
        let around = if closed { around.to_vec() } else { Vec::new() };
        [around, vec![self.command.clone()], self.args(agent, event)].concat()
    }
}

const SHELL: &str = "/bin/sh";
/// An answer is nothing or one object with exit 0, or exit 2 with the reason on standard error. In the latter case some
/// agents obey what is on standard output, so that is kept back, and some let the call run when standard error is empty,
/// so that it never is.
const GUARD: &str = r#"out=$("$@"); s=$?; case $s:$out in 0:|0:"{"*"}") printf %s "$out"; exit 0;; 2:*) echo "(refused by Tollgate; the user can find out more with: tollgate doctor)" >&2;; *) echo "Tollgate gave no answer, so this call does not run; the user can find out more with: tollgate doctor" >&2;; esac; exit 2"#;
/// As earlier versions wrote it.
const OLD_GUARD: &str = r#""$@" || { echo "Tollgate gave no answer, so this call does not run; the user can find out more with: tollgate doctor" >&2; exit 2; }"#;

/// The words that a handler starts, if it starts the gate. Also in the forms that people write by hand.
#[must_use]
pub fn gate_words(handler: &Value) -> Option<Vec<String>> {
    let line = ["command", "bash"].iter().find_map(|key| handler.text(key))?;
    let words = match handler.get("args").and_then(Value::as_list) {
        Some(args) => {
            let args = args.iter().filter_map(Value::as_str).map(str::to_owned);
            std::iter::once(line.to_owned()).chain(args).collect()
        }
        None => words(line),
    };
    let words = unguarded(words);
    is_gate_line(&words).then_some(words)
}

/// The gate's own words, without the shell around them.
fn unguarded(words: Vec<String>) -> Vec<String> {
    let first: Vec<&str> = words.iter().take(4).map(String::as_str).collect();
    let guarded = [GUARD, OLD_GUARD].iter().any(|guard| first == [SHELL, "-c", guard, "tollgate"]);
    words.into_iter().skip(if guarded { 4 } else { 0 }).collect()
}

/// Does this handler start the gate?
#[must_use]
pub fn runs_gate(handler: &Value) -> bool {
    gate_words(handler).is_some()
}

/// Do these words start the gate's hook?
#[must_use]
pub(super) fn is_gate_line(words: &[String]) -> bool {
    words.first().is_some_and(|program| is_gate(program)) && words.get(1).is_some_and(|word| word == "hook")
}

pub(super) fn is_gate(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name == "tollgate" || name == "tollgate.exe"
}

/// A word that every shell reads as it is.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words of a simple shell command: enough to know our own, quoted or not.
#[must_use]
pub fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '\\') => push(&mut words, characters.next()),
            (None, ' ' | '\t') => words.push(String::new()),
            (_, c) => push(&mut words, Some(c)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn push(words: &mut [String], c: Option<char>) {
    if let (Some(word), Some(c)) = (words.last_mut(), c) {
        word.push(c);
    }
}
