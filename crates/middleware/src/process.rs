//! Programs: one JSON object in, lines out, a time limit, and the whole process group ended when it is over.
//!
//! One thread does it all by waiting on the three pipes: on a crowded machine a thread is one more thing that may not be
//! had, and a hook that cannot start one must not refuse for that.

use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process_group, setrlimit};
use tollgate_model::json::{Value, object, parse, write};
use tollgate_policy::Stage;

use crate::Way;
use crate::answer;
use crate::result::StageResult;
use crate::search::SearchPath;

/// The most that one middleware may print.
const MOST: usize = 1 << 20;
/// How long a process that cannot be had now is tried for again.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that is running.
pub(crate) struct Running {
    child: Child,
    input: Option<(ChildStdin, Vec<u8>)>,
    /// More input may follow: its pipe stays open when everything is written.
    more_input: bool,
    output: Option<ChildStdout>,
    complaints: Option<ChildStderr>,
    /// What was read of its output and not taken yet.
    printed: Vec<u8>,
    /// How much was read in all.
    total: usize,
    complaint: Vec<u8>,
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
    /// Starts a program in a group of its own, with its input.
    pub(crate) fn start(mut command: Command, input: &Value, path: &SearchPath) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.env("PATH", path.value());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let spawned = with_own_memory_limit(|| patiently(|| command.spawn()));
        let mut child = spawned.map_err(|error| format!("`{name}` cannot be started ({error})"))?;
        let input = child.stdin.take().map(|pipe| (pipe, line_of(input)));
        let (output, complaints) = (child.stdout.take(), child.stderr.take());
        let pipes = [
            input.as_ref().map(|(pipe, _)| pipe.as_fd()),
            output.as_ref().map(AsFd::as_fd),
            complaints.as_ref().map(AsFd::as_fd),
        ];
        for pipe in pipes.into_iter().flatten() {
            let set = fcntl_getfl(pipe).and_then(|flags| fcntl_setfl(pipe, flags | OFlags::NONBLOCK));
            set.map_err(|error| format!("`{name}` cannot be spoken to ({error})"))?;
        }
        let (printed, complaint) = (Vec::new(), Vec::new());
        Ok(Self { child, input, more_input: false, output, complaints, printed, total: 0, complaint })
    }

    /// Keeps its input open for what is sent later.
    pub(crate) fn expecting_more(self) -> Self {
        Self { more_input: true, ..self }
    }

    /// One more line of input, if it expects more. Whether it still reads is noticed when its answer is waited for.
    pub(crate) fn send(&mut self, value: &Value) {
        if let Some((_, rest)) = self.input.as_mut().filter(|_| self.more_input) {
            rest.extend(line_of(value));
        }
    }

    /// The next line, if one comes in time.
    pub(crate) fn next(&mut self, limit: Duration) -> Next {
        let start = Instant::now();
        loop {
            if let Some(line) = self.line() {
                return Next::Line(line);
            }
            if self.output.is_none() {
                return Next::End;
            }
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Next::Late;
            }
            self.exchange(left);
        }
    }

    /// Ends it, with everything it started, and says how it went.
    pub(crate) fn end(mut self, limit: Duration) -> (Option<i32>, String) {
        let start = Instant::now();
        let mut status = self.child.try_wait().ok().flatten();
        while status.is_none() && start.elapsed() < limit {
            self.exchange(Duration::from_millis(1));
            thread::sleep(Duration::from_micros(200));
            status = self.child.try_wait().ok().flatten();
        }
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have left something behind even when it ended by itself.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let status = status.or_else(|| self.child.wait().ok());
        self.output = None;
        let start = Instant::now();
        while self.complaints.is_some() && start.elapsed() < Duration::from_millis(100) {
            self.exchange(Duration::from_millis(20));
        }
        (status.and_then(|status| status.code()), String::from_utf8_lossy(&self.complaint).into_owned())
    }

    /// A whole line of what was printed, or the rest of it once there is no more.
    fn line(&mut self) -> Option<String> {
        let end = self.printed.iter().position(|byte| *byte == b'\n');
        let size = match end {
            Some(end) => end + 1,
            None if self.output.is_none() && !self.printed.is_empty() => self.printed.len(),
            None => return None,
        };
        let line: Vec<u8> = self.printed.drain(..size).collect();
        Some(String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned())
    }

    /// Waits until it reads or writes something, and carries that over.
    fn exchange(&mut self, limit: Duration) {
        let mut pipes = Vec::with_capacity(3);
        pipes.extend(self.output.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        pipes.extend(self.complaints.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let unsent = self.input.as_ref().filter(|(_, rest)| !rest.is_empty());
        pipes.extend(unsent.map(|(pipe, _)| PollFd::new(pipe, PollFlags::OUT)));
        // An interrupted wait is followed by another one.
        let _ = poll(&mut pipes, Timespec::try_from(limit).ok().as_ref());
        drop(pipes);
        self.give();
        let room = MOST.saturating_sub(self.total);
        let before = self.printed.len();
        if self.output.as_ref().is_some_and(|pipe| drained(pipe, &mut self.printed, room)) {
            self.output = None;
        }
        self.total += self.printed.len() - before;
        let room = MOST.saturating_sub(self.complaint.len());
        if self.complaints.as_ref().is_some_and(|pipe| drained(pipe, &mut self.complaint, room)) {
            self.complaints = None;
        }
    }

    /// As much of its input as it takes. It may answer without reading all of it.
    fn give(&mut self) {
        let Some((pipe, rest)) = &mut self.input else { return };
        if rest.is_empty() && self.more_input {
            return;
        }
        match rustix::io::write(&*pipe, rest) {
            Ok(count) => drop(rest.drain(..count)),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => {
                rest.clear();
                self.more_input = false;
            }
        }
        if rest.is_empty() && !self.more_input {
            self.input = None;
        }
    }
}

fn line_of(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    write(value, &mut text);
    text.push('\n');
    text.into_bytes()
}

/// Reads what is there. True when there will be no more, or no more is wanted.
fn drained(pipe: impl AsFd, into: &mut Vec<u8>, room: usize) -> bool {
    let mut piece = [0; 8192];
    let mut left = room;
    loop {
        let size = piece.len().min(left);
        let Some(part) = piece.get_mut(..size).filter(|part| !part.is_empty()) else { return true };
        match rustix::io::read(&pipe, part) {
            Ok(0) => return true,
            Ok(count) => {
                into.extend(piece.iter().take(count));
                left -= count;
            }
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return false,
            Err(_) => return true,
        }
    }
}

/// Tries again while the machine has no process left to give.
fn patiently<T>(mut start: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    let begun = Instant::now();
    loop {
        let error = match start() {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        let scarce =
            matches!(error.raw_os_error().map(Errno::from_raw_os_error), Some(Errno::AGAIN | Errno::NOMEM));
        if !scarce || begun.elapsed() > PATIENCE {
            return Err(error);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// A program of its own. One that was written as an agent's own hook reads that agent's payload.
pub(crate) fn program(
    words: &[String],
    stage: &Stage,
    input: &Value,
    earlier: &[StageResult],
    way: Way,
) -> StageResult {
    let Some((name, args)) = words.split_first() else {
        return StageResult::failed(stage, "it runs nothing");
    };
    let mut command = Command::new(name);
    command.args(args);
    started(command, stage, input, earlier, way)
}

/// Runs a command as a middleware: the event in, an answer out.
pub(crate) fn started(
    command: Command,
    stage: &Stage,
    input: &Value,
    earlier: &[StageResult],
    way: Way,
) -> StageResult {
    let limit = way.within(Duration::from_millis(u64::from(stage.timeout)));
    let start = Instant::now();
    let request = if stage.native { payload(input) } else { request(stage, input, earlier) };
    let mut running = match Running::start(command, &request, way.path) {
        Ok(running) => running,
        Err(why) => return StageResult::failed(stage, why),
    };
    let mut text = String::new();
    loop {
        match way.next(&mut running, limit.saturating_sub(start.elapsed())) {
            Next::Line(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Next::End => break,
            Next::Late => {
                running.end(Duration::ZERO);
                return StageResult::late(stage, limit);
            }
        }
    }
    let (exit, complaint) = running.end(limit.saturating_sub(start.elapsed()));
    answer::of_program(stage, input, exit, &complaint, &text)
}

/// The event, with what belongs to this middleware.
pub(crate) fn request(stage: &Stage, input: &Value, earlier: &[StageResult]) -> Value {
    let mut request = input.clone();
    if let Value::Map(members) = &mut request {
        tell_once(members);
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

/// Takes out of the agent's payload what the event itself says with the same words, and always the name of the event:
/// shell scripts look for `"hook_event_name":"…"` by its text and must find one. An agent's own name of the event, where
/// it is another one, is `native_event`.
fn tell_once(members: &mut Vec<(String, Value)>) {
    const NAME: &str = "hook_event_name";
    let Some(at) = members.iter().position(|(key, _)| key == "native") else { return };
    let Value::Map(native) = members.remove(at).1 else { return };
    let known = |key: &str| members.iter().find(|(name, _)| name == key).map(|(_, value)| value);
    let own_name = native.iter().find(|(key, value)| key == NAME && known(NAME) != Some(value)).cloned();
    let rest: Vec<_> =
        native.into_iter().filter(|(key, value)| key != NAME && known(key) != Some(value)).collect();
    members.extend(own_name.map(|(_, name)| ("native_event".to_owned(), name)));
    members.push(("native".to_owned(), Value::Map(rest)));
}

/// Our own limit on memory is not for programs that others write.
fn with_own_memory_limit<T>(act: impl FnOnce() -> T) -> T {
    let own = getrlimit(Resource::As);
    let _ = setrlimit(Resource::As, Rlimit { current: own.maximum, maximum: own.maximum });
    let done = act();
    let _ = setrlimit(Resource::As, own);
    done
}

/// The agent's payload as it is.
fn payload(input: &Value) -> Value {
    input.get("native").cloned().unwrap_or(Value::Null)
}

pub(crate) use crate::answer::last_line;
