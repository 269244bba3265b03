//! Runs a script in the real bash and compares what ran with what the evaluator says may run.
#![expect(clippy::unwrap_used, reason = "a helper of tests, where a failure should be loud")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::pattern::Pattern;
use tollgate_shell::eval::{Call, Code, Field, Host, Kind, Note, Open, Outcome, Scope, Shell, Status};
use tollgate_shell::value::{Piece, Taint, Text, Value};

/// How long a script may take, on a machine that is busy with other things.
const LIMIT: Duration = Duration::from_secs(10);

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A directory with stub programs and a fresh directory for each script.
pub struct Bench {
    root: PathBuf,
}

impl Bench {
    pub fn new(name: &str) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(root.join("bin")).unwrap();
        let bench = Self { root };
        let record = bench.root.join("record");
        let record = record.to_str().unwrap();
        for (stub, prints, status) in
            [("run", false, 0), ("tool", false, 0), ("wipe", false, 0), ("bad", false, 1), ("say", true, 0)]
        {
            let echo = if prints { "echo \"$*\"" } else { ":" };
            let text = format!(
                "#!/bin/sh\nprintf '%s\\0' \"${{0##*/}}\" \"$@\" \"$(printf '\\1')\" >> '{record}'\n{echo}\nexit {status}\n"
            );
            bench.program(stub, &text);
        }
        // A shell that a script starts may start another, but not without end.
        let guard = "#!/bin/bash\nexport DEPTH=$((DEPTH + 1))\n[ $DEPTH -lt 4 ] && exec /bin/bash \"$@\"\n";
        bench.program("bash", guard);
        bench
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.root.join("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// What the real shell runs: one list of words per call.
    pub fn really_runs(&self, script: &str, dialect: Dialect) -> Vec<Vec<String>> {
        let directory = self.root.join("work");
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        let record = self.root.join("record");
        fs::write(&record, "").unwrap();
        let shell = if dialect == Dialect::Posix { "/bin/sh" } else { "/bin/bash" };
        // A script that does not end is stopped by the system, whatever becomes of this test.
        let mut child = Command::new("/bin/sh")
            .args(["-c", "ulimit -t 3; exec \"$1\" -c \"$2\"", "sh", shell, script])
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", "/home/u")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&directory)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > LIMIT {
                // The whole group, so that nothing a script started stays behind. What it ran so far counts.
                let group = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
                let _ = kill_process_group(group, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        // Jobs in the background may still be writing.
        if script.contains('&') || script.contains(">(") {
            std::thread::sleep(Duration::from_millis(60));
        }
        let bytes = fs::read(&record).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let calls = text.split_terminator("\u{1}\0");
        calls.map(|call| call.split_terminator('\0').map(str::to_owned).collect()).collect()
    }

    /// A description of what bash ran and we did not expect.
    pub fn missed(&self, script: &str, dialect: Dialect) -> Option<String> {
        let mut said =
            Said { calls: Vec::new(), bash: self.root.join("bin/bash").to_string_lossy().into_owned() };
        let directory = self.root.join("work");
        Shell::new(dialect, directory.to_str()).run(script, &mut said);
        let mut real = self.really_runs(script, dialect);
        real.retain(|argv| !said.calls.iter().any(|call| matches(&call.argv, argv)));
        (!real.is_empty()).then(|| {
            let calls: Vec<String> = said.calls.iter().map(show).collect();
            format!("{script}\n   really ran {real:?}\n   we said    {calls:?}")
        })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn show(call: &Call) -> String {
    let words =
        call.argv.iter().map(|field| format!("{}{}", field.value, if field.splits { "…" } else { "" }));
    words.collect::<Vec<_>>().join("·")
}

/// Whether a real list of words is one that the fields allow.
fn matches(fields: &[Field], words: &[String]) -> bool {
    let Some((field, rest)) = fields.split_first() else { return words.is_empty() };
    let globs = field.value.any.iter().any(Text::has_globs);
    // Unknown unquoted text is any number of words, and so is a pattern.
    let counts = if field.splits || globs { 0..=words.len() } else { 1..=1.min(words.len()) };
    for count in counts {
        let Some((taken, others)) = words.split_at_checked(count) else { continue };
        let is_one = |word: &String| field.value.any.iter().any(|text| text_matches(text, word));
        let split =
            || field.splits && field.value.any.iter().any(|text| text_matches(text, &taken.join(" ")));
        if (taken.iter().all(is_one) || split()) && matches(rest, others) {
            return true;
        }
    }
    false
}

fn text_matches(text: &Text, word: &str) -> bool {
    if text.to_string() == word {
        return true;
    }
    let stars = text.pieces.iter().map(|piece| match piece {
        Piece::Hole(hole) if hole.nonempty => Piece::Glob("?*".into()),
        Piece::Hole(_) => Piece::Glob("*".into()),
        piece => piece.clone(),
    });
    Pattern::new(&Text { pieces: stars.collect() }).matches(word) == Some(true)
}

/// A host that knows what the stubs do.
struct Said {
    calls: Vec<Call>,
    bash: String,
}

impl Host for Said {
    fn command(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        match call.kind {
            Kind::Source => {
                let file = call.argv.get(1).and_then(|field| shell.file(&field.value));
                let args: Vec<Field> = call.argv.iter().skip(2).cloned().collect();
                let args = (!args.is_empty()).then_some(args);
                return match file {
                    Some(file) => self.run(file.value, Scope::Sourced, None, args, call, shell),
                    None => Outcome::silent(Status::Either),
                };
            }
            Kind::External | Kind::Unresolved => self.calls.push(call.clone()),
            _ => return Outcome::silent(Status::Either),
        }
        match call.name() {
            Some("bash") => self.interpreter(call, shell),
            Some("run" | "tool" | "wipe" | "bad") => Outcome::silent(Status::Either),
            _ => Outcome::unknown(Taint::NONE),
        }
    }

    fn open(&mut self, _open: &Open, _shell: &mut Shell) -> Option<Value> {
        None
    }

    fn note(&mut self, _note: Note) {}

    fn is_dir(&self, _path: &str) -> Option<bool> {
        None
    }

    fn environment(&self, name: &str) -> Option<String> {
        match name {
            "HOME" => Some("/home/u".to_owned()),
            "PATH" => Some(self.bash.trim_end_matches("/bash").to_owned()),
            _ => None,
        }
    }

    fn home_of(&self, _user: &str) -> Option<String> {
        None
    }
}

impl Said {
    /// bash with its options: `-c`, `-s`, those with an operand, and others that do not matter here.
    fn interpreter(&mut self, call: &Call, shell: &mut Shell) -> Outcome {
        let words: Vec<Field> = call.args().cloned().collect();
        let (mut rest, mut command, mut input) = (words.as_slice(), false, false);
        while let [first, others @ ..] = rest {
            let Some(word) = first.value.as_literal().filter(|word| word.starts_with(['-', '+'])) else {
                break;
            };
            rest = others;
            let short = !word.starts_with("--");
            command |= short && word.contains('c');
            input |= short && word.contains('s');
            if short && word.ends_with(['o', 'O']) {
                rest = rest.get(1..).unwrap_or_default();
            }
            if word == "--" {
                break;
            }
        }
        let text = match rest.split_first() {
            Some((text, others)) if command => {
                rest = others.get(1..).unwrap_or_default();
                Some((text.value.clone(), others.first().map(|field| field.value.clone())))
            }
            Some((file, others)) if !input => {
                rest = others;
                shell.file(&file.value).map(|written| (written.value, Some(file.value.clone())))
            }
            _ => call.stdin.value.clone().map(|text| (text, None)),
        };
        match text {
            Some((text, name)) => self.run(text, Scope::Child, name, Some(rest.to_vec()), call, shell),
            None => Outcome::unknown(Taint::NONE),
        }
    }

    fn run(
        &mut self,
        text: Value,
        scope: Scope,
        name: Option<Value>,
        args: Option<Vec<Field>>,
        call: &Call,
        shell: &mut Shell,
    ) -> Outcome {
        let code = Code { text, scope, dialect: Dialect::Bash, name, args, span: call.span };
        shell.run_text(&code, self)
    }
}
