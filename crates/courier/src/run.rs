//! The courier's loop: greets once a minute, sends what the log has, and waits for approvals beside that.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};
use tollgate_fleet_protocol::{ErrorCode, Head, Hello, MAX_RECORDS, Policy, Welcome};
use tollgate_store::Log;

use crate::backoff;
use crate::bundles::{Keeper, Trust};
use crate::client::{Client, Failure, is_wrong_clock};
use crate::clock::now;
use crate::files::{Error, FOLDER, Files};
use crate::grants;
use crate::machine::Machine;
use crate::member::Member;
use crate::records::Sender;
use crate::status::Status;

const LOCK: &str = "courier.lock";
/// How often the log is looked at.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a courier stays after the last record: as long as an approval waits for its call.
const LINGER: Duration = Duration::from_secs(15 * 60);
/// How long a courier lives at most. The next event starts another one.
const LIFE: Duration = Duration::from_secs(12 * 3600);
/// Between two greetings, unless the server says another time.
const GREETING: u64 = 60;
/// So many seconds after joining, no hook from before is left.
const SETTLED: u64 = 600;
/// How long records are collected before they are sent, unless one of them waits for somebody.
const COLLECT: Duration = Duration::from_secs(3);
/// How long the end of another courier is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whoever works for the fleet on this machine.
pub struct Courier<'a> {
    /// The state directory.
    pub state: &'a Path,
    /// The rest of the product.
    pub machine: &'a dyn Machine,
}

/// Is a courier under way? It looks at the log once more after it let go of the lock, so that a record that was
/// written before this was asked is not left behind.
#[must_use]
pub fn is_running(state: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let path = state.join(FOLDER).join(LOCK);
    let Ok(file) = openat(CWD, path, flags, Mode::empty()) else { return false };
    flock(&file, FlockOperation::NonBlockingLockShared).is_err()
}

/// Waits until no courier is under way, for a moment.
pub(crate) fn wait_for_end(state: &Path) {
    let begun = Instant::now();
    while is_running(state) && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(20));
    }
}

impl Courier<'_> {
    /// Works until nothing has come for a while. Another courier's work is left to that one.
    ///
    /// # Errors
    /// When the machine is in no fleet, or its files cannot be used.
    pub fn run(&self) -> Result<(), Error> {
        Member::of(self.state)?.ok_or(Error::NotJoined)?;
        let begun = Instant::now();
        let mut watches = false;
        loop {
            let Some(lock) = self.lock() else { return Ok(()) };
            let mut work = Work::new(self)?;
            if !watches {
                work.watch_grants();
                watches = true;
            }
            let reached = work.rounds(begun);
            drop(lock);
            let end = Log::at(self.state).head().map_or(0, |head| head.seq);
            if end <= reached || begun.elapsed() > LIFE || !work.is_member() {
                return Ok(());
            }
        }
    }

    /// Greets, sends everything that the log has, fetches approvals, and ends. `None` when another courier is at it.
    ///
    /// # Errors
    /// When the machine is in no fleet, or the server does not answer.
    pub fn sync(&self) -> Result<Option<Status>, Error> {
        Member::of(self.state)?.ok_or(Error::NotJoined)?;
        let Some(_lock) = self.lock() else { return Ok(None) };
        let mut work = Work::new(self)?;
        match work.whole() {
            Ok(()) => Ok(Some(work.status)),
            Err(error) => {
                if let Error::Request(failure) = &error {
                    work.fail(failure);
                }
                Err(error)
            }
        }
    }

    /// The lock, unless another courier has it. A hook that asks who has it holds it for a moment.
    fn lock(&self) -> Option<OwnedFd> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let path = self.state.join(FOLDER).join(LOCK);
        let file = openat(CWD, path, flags, Mode::RUSR | Mode::WUSR).ok()?;
        for _ in 0..20 {
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Some(file);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

/// A courier at work.
struct Work<'a> {
    machine: &'a dyn Machine,
    files: Files,
    member: Member,
    client: Client,
    sender: Sender,
    status: Status,
    next_greeting: u64,
    greeted: bool,
    /// Records that are collected: the last that was looked at, and since when.
    collected: Option<(u64, Instant)>,
}

impl<'a> Work<'a> {
    fn new(courier: &Courier<'a>) -> Result<Self, Error> {
        let files = Files::of(courier.state);
        let member = Member::read(&files)?.ok_or(Error::NotJoined)?;
        let status = Status::read(&files);
        let client = member.client(&files, status.skew)?;
        let sender = Sender::new(Log::at(courier.state));
        let machine = courier.machine;
        let (next_greeting, greeted, collected) = (0, false, None);
        Ok(Self { machine, files, member, client, sender, status, next_greeting, greeted, collected })
    }

    /// Is this still the machine that joined?
    fn is_member(&self) -> bool {
        Member::read(&self.files).is_ok_and(|member| member.as_ref() == Some(&self.member))
    }

    /// Goes round until it has been quiet for a while. Returns the last record that was seen.
    fn rounds(&mut self, begun: Instant) -> u64 {
        let log = Log::at(&self.files.state);
        let (mut quiet, mut reached) = (Instant::now(), 0);
        loop {
            let end = log.head().map_or(0, |head| head.seq);
            if end != reached {
                (quiet, reached) = (Instant::now(), end);
            }
            let pause = match self.round() {
                Ok(true) => Duration::ZERO,
                Ok(false) => PAUSE,
                Err(Error::Request(failure)) => self.fail(&failure),
                // A file of ours cannot be used: a full disk, say. That may pass.
                Err(error) => {
                    self.status.error = error.to_string();
                    let _ = self.status.keep(&self.files);
                    Duration::from_secs(30)
                }
            };
            let over = quiet.elapsed() > LINGER || begun.elapsed() > LIFE;
            if over || !self.rest(pause) {
                return reached;
            }
        }
    }

    /// One greeting if it is time, and one batch. Is there more to send?
    fn round(&mut self) -> Result<bool, Error> {
        if now() >= self.next_greeting || self.next_greeting > now() + 2 * GREETING {
            self.greet()?;
        }
        let sent = self.is_due() && self.send()?;
        Ok(self.judge() || sent)
    }

    /// Is it time to send? At once when a call waits for an approval, or a batch is full.
    fn is_due(&mut self) -> bool {
        let log = Log::at(&self.files.state);
        let (end, head) = (log.head().map_or(0, |head| head.seq), self.sender.head.seq);
        let (seen, since) = self.collected.unwrap_or((head, Instant::now()));
        let is_full = end.saturating_sub(head) >= MAX_RECORDS as u64;
        // A log that is shorter than what was sent is for the sender.
        let due = end <= head || is_full || since.elapsed() >= COLLECT || waits_for_somebody(&log, seen);
        self.collected = if due { None } else { Some((end, since)) };
        due
    }

    fn whole(&mut self) -> Result<(), Error> {
        self.greet()?;
        while self.send()? {}
        while self.judge() {}
        grants::fetch(&self.client, &self.files, &self.member, false)?;
        // Once more, so that the server knows what came of its bundles.
        self.greet()
    }

    fn greet(&mut self) -> Result<(), Error> {
        let welcome: Welcome = self.client.post("/v1/hello", &self.hello()?)?;
        self.greeted = true;
        self.next_greeting = now() + welcome.again_s.clamp(1, 2 * GREETING);
        if welcome.again_s == 0 {
            self.next_greeting = now() + GREETING;
        }
        self.answered();
        self.status.revoked = false;
        self.status.head = welcome.head.clone();
        self.sender.begin_at(welcome.head.clone());
        self.status.checked = self.sender.check(&welcome.check);
        self.settle();
        let skew = self.client.skew();
        let clock = format!("the clock is {} s from the server's", skew.unsigned_abs());
        self.status.set_fault("clock", is_wrong_clock(skew).then_some(clock));
        let keeper = Keeper { files: &self.files, member: &self.member, machine: self.machine };
        let followed = keeper.follow(&self.client, &welcome, &mut self.status);
        self.status.keep(&self.files)?;
        followed
    }

    /// A hook that read the policy while the machine joined may have been killed right after it wrote that down. Once none
    /// of them can be left, what was written down goes once more.
    fn settle(&mut self) {
        if !self.status.settled && now() >= self.member.joined + SETTLED {
            self.machine.policy_changed();
            self.status.settled = true;
        }
    }

    fn hello(&self) -> Result<Hello, Error> {
        let observed = self.status.observed.as_ref();
        let policy = Policy {
            enforced: Trust::read(&self.files)?.map(|trust| trust.installed),
            observed: observed.map(|one| one.bundle.clone()),
            observed_calls: observed.map_or(0, |one| one.calls),
            observed_refusals: observed.map_or(0, |one| one.refusals),
        };
        let head = Log::at(&self.files.state).head();
        Ok(Hello {
            system: self.machine.system(),
            agents: self.machine.agents(),
            policy,
            faults: self.status.faults.clone(),
            head: head.map(|head| Head { seq: head.seq, hash: head.hash() }),
            checked: self.status.checked.clone(),
        })
    }

    /// Sends one batch. Is there more?
    fn send(&mut self) -> Result<bool, Error> {
        if !self.greeted {
            return Ok(false);
        }
        let Some(sent) = self.sender.send(&self.client)? else { return Ok(false) };
        self.answered();
        self.status.sent += sent.new;
        self.status.head = self.sender.head.clone();
        for kind in sent.incidents {
            if !self.status.incidents.contains(&kind) {
                self.status.incidents.push(kind);
            }
        }
        self.status.keep(&self.files)?;
        Ok(true)
    }

    /// Judges some records by the bundle that is observed. Are there more?
    fn judge(&mut self) -> bool {
        let Some(observed) = &mut self.status.observed else { return false };
        let end = Log::at(&self.files.state).head().map_or(0, |head| head.seq);
        if observed.reached >= end {
            return false;
        }
        let folder = self.files.folder.join("bundles").join(&observed.bundle.digest);
        let found = self.machine.observe(&folder, observed.reached + 1);
        observed.calls += found.calls;
        observed.refusals += found.refusals;
        let went_on = found.reached > observed.reached;
        observed.reached = if went_on { found.reached } else { end };
        went_on && self.status.keep(&self.files).is_ok()
    }

    /// The server answered.
    fn answered(&mut self) {
        let (contact, skew) = (now(), self.client.skew());
        (self.status.contact, self.status.skew) = (contact, skew);
        (self.status.failures, self.status.retry_at) = (0, 0);
        self.status.error.clear();
    }

    /// Remembers a failure. How long to wait.
    fn fail(&mut self, failure: &Failure) -> Duration {
        self.status.failures = self.status.failures.saturating_add(1);
        let pause = backoff::pause(self.status.failures, failure);
        self.status.retry_at = now() + pause.as_secs();
        self.status.error = failure.to_string();
        let refused = matches!(failure.code(), Some(ErrorCode::Revoked | ErrorCode::UnknownMachine));
        self.status.revoked |= refused;
        self.status.skew = self.client.skew();
        // What cannot be kept is only not shown.
        let _ = self.status.keep(&self.files);
        pause
    }

    /// Waits, unless the machine leaves the fleet meanwhile.
    fn rest(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            if !self.is_member() {
                return false;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(Duration::from_secs(1)));
        }
    }

    /// Fetches approvals for as long as this process lives: the server holds each request until there is one. The thread
    /// ends with the process, or when the machine leaves the fleet.
    fn watch_grants(&self) {
        let (client, files, member) = (self.client.clone(), self.files.clone(), self.member.clone());
        let watch = move || {
            let mut failures = 0;
            while Member::read(&files).is_ok_and(|found| found.as_ref() == Some(&member)) {
                let begun = Instant::now();
                let pause = match grants::fetch(&client, &files, &member, true) {
                    // A server that does not wait is not asked all the time.
                    Ok(_) => {
                        failures = 0;
                        Duration::from_secs(1).saturating_sub(begun.elapsed())
                    }
                    Err(Error::Request(failure)) => {
                        failures += 1;
                        backoff::pause(failures, &failure)
                    }
                    Err(_) => Duration::from_secs(30),
                };
                std::thread::sleep(pause);
            }
        };
        // Without the thread approvals wait for the next `tollgate fleet sync`.
        let _ = std::thread::Builder::new().name("grants".to_owned()).spawn(watch);
    }
}

/// Is there a call after a record that was refused, and that somebody may approve? Such a record has a code.
fn waits_for_somebody(log: &Log, seen: u64) -> bool {
    const CODE: &str = r#","code":""#;
    let has_code = |line: &str| {
        let code = line.split_once(CODE).and_then(|(_, rest)| rest.chars().next());
        code.is_some_and(|first| first != '"')
    };
    log.records_from(seen + 1).any(|entry| has_code(&entry.line))
}
