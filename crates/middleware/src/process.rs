//! Programs: one JSON object in, lines out, a time limit, and the whole process group ended when it is over.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};
use tollgate_model::json::{Value, object, parse, write};
use tollgate_policy::Stage;

use crate::native;
use crate::result::{Said, StageResult};

/// The most that one middleware may print.
const MOST: u64 = 1 << 20;

/// A program that is running.
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

/// What came next from a program.
pub(crate) enum Next {
    /// A line.
    Line(String),
    /// It has closed its output.
    End,
    /// Nothing, in time.
    Late,
}

impl Running {
    /// Starts a program in a group of its own and gives it its input.
    pub(crate) fn start(mut command: Command, input: &Value) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let spawned = with_own_memory_limit(|| command.spawn());
        let mut child = spawned.map_err(|error| format!("`{name}` cannot be started ({error})"))?;
        let mut text = String::new();
        write(input, &mut text);
        if let Some(mut stdin) = child.stdin.take() {
            // A program may answer without reading all of it, and must not hold us up by reading none.
            thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
        }
        let lines = child.stdout.take().map(lines).ok_or("no output")?;
        let complaints = child.stderr.take().map(whole).ok_or("no output")?;
        Ok(Self { child, lines, complaints })
    }

    /// The next line, if one comes in time.
    pub(crate) fn next(&self, limit: Duration) -> Next {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Next::Line(line),
            Err(RecvTimeoutError::Disconnected) => Next::End,
            Err(RecvTimeoutError::Timeout) => Next::Late,
        }
    }

    /// Ends it, with everything it started, and says how it went.
    pub(crate) fn end(mut self, limit: Duration) -> (Option<i32>, String) {
        let start = Instant::now();
        let mut status = None;
        while status.is_none() && start.elapsed() < limit {
            status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                thread::sleep(Duration::from_micros(200));
            }
        }
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have left something behind even when it ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = status.or_else(|| self.child.wait().ok());
        let complaint = self.complaints.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
        (status.and_then(|status| status.code()), complaint)
    }
}

/// A program of its own: exit 0 and a JSON object or nothing, exit 2 and a reason, anything else is a fault.
pub(crate) fn program(
    words: &[String],
    stage: &Stage,
    input: &Value,
    earlier: &[StageResult],
) -> StageResult {
    let Some((name, args)) = words.split_first() else {
        return StageResult::failed(stage, "it runs nothing");
    };
    let mut command = Command::new(name);
    command.args(args);
    let limit = Duration::from_millis(u64::from(stage.timeout));
    let start = Instant::now();
    let request = if stage.native { native::request(input) } else { request(stage, input, earlier) };
    let running = match Running::start(command, &request) {
        Ok(running) => running,
        Err(why) => return StageResult::failed(stage, why),
    };
    let mut text = String::new();
    loop {
        match running.next(limit.saturating_sub(start.elapsed())) {
            Next::Line(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Next::End => break,
            Next::Late => {
                running.end(Duration::ZERO);
                return StageResult::failed(stage, format!("it took longer than {} ms", stage.timeout));
            }
        }
    }
    let (exit, complaint) = running.end(limit.saturating_sub(start.elapsed()));
    if stage.native {
        return native::answered(stage, input, exit, &complaint, text.trim());
    }
    answered(stage, exit, &last_line(&complaint), text.trim())
}

fn answered(stage: &Stage, exit: Option<i32>, complaint: &str, text: &str) -> StageResult {
    let none = || Value::Map(Vec::new());
    match (exit, parse(text.as_bytes())) {
        (Some(0), _) if text.is_empty() => StageResult::said(stage, Said::Continue, "", none()),
        (Some(0 | 2), Ok(answer)) if answer.as_map().is_some() => StageResult::read(stage, &answer),
        (Some(2), _) => StageResult::said(stage, Said::Block, complaint, none()),
        (Some(0), _) => StageResult::failed(stage, "what it printed is not one JSON object"),
        (Some(code), _) => StageResult::failed(stage, format!("it ended with exit code {code}: {complaint}")),
        (None, _) => StageResult::failed(stage, "it was ended by a signal"),
    }
}

/// The event, with what belongs to this middleware.
pub(crate) fn request(stage: &Stage, input: &Value, earlier: &[StageResult]) -> Value {
    let mut request = input.clone();
    if let Value::Map(members) = &mut request {
        let config = parse(stage.config.as_bytes()).unwrap_or(Value::Map(Vec::new()));
        members.push(("config".to_owned(), config));
        members.push((
            "previous_results".to_owned(),
            Value::List(earlier.iter().map(StageResult::value).collect()),
        ));
        members.push(("middleware".to_owned(), object([("id", stage.id.as_str().into())])));
    }
    request
}

/// Our own limit on memory is not for programs that others write.
fn with_own_memory_limit<T>(act: impl FnOnce() -> T) -> T {
    let own = getrlimit(Resource::As);
    let _ = setrlimit(Resource::As, Rlimit { current: own.maximum, maximum: own.maximum });
    let done = act();
    let _ = setrlimit(Resource::As, own);
    done
}

fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(pipe.take(MOST));
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

fn whole(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error still counts.
        let _ = pipe.take(MOST).read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receiver
}

pub(crate) fn last_line(text: &str) -> String {
    text.trim().lines().last().unwrap_or_default().chars().take(300).collect()
}
