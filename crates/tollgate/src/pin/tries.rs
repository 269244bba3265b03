//! Wrong PINs, counted across all processes: each one makes the next try wait longer, however many terminals there are.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tollgate_store::{LogFault, change_note, read_note, rfc3339};

const FILE: &str = "owner.tries";
/// So many may be mistyped without a wait.
const FREE: u32 = 3;
/// The longest wait.
const LONGEST: Duration = Duration::from_hours(1);
const DAYS: u64 = 7;

/// The wrong PINs since the last right one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// How many.
    pub count: u32,
    /// Seconds since 1970 of the last one.
    last: u64,
}

impl Tries {
    /// How long nobody may try. A clock that was put back makes that no longer than the longest wait.
    pub fn wait(self, now: u64) -> Duration {
        let Some(doublings) = self.count.checked_sub(FREE) else { return Duration::ZERO };
        let whole = Duration::from_secs(2_u64.saturating_pow(doublings.saturating_add(1))).min(LONGEST);
        let since = Duration::from_secs(now.saturating_sub(self.last));
        whole.saturating_sub(since)
    }

    /// What the owner should know, as long as it is news.
    fn told(self, now: u64) -> Option<String> {
        let recent = now.saturating_sub(self.last) < DAYS * 24 * 3600;
        let at = rfc3339(UNIX_EPOCH + Duration::from_secs(self.last));
        let pins = if self.count == 1 { "wrong PIN was" } else { "wrong PINs were" };
        (self.count > 0 && recent)
            .then(|| format!("{} {pins} given for owner commands, the last one at {at}", self.count))
    }

    /// A file that cannot be understood counts as many wrong ones, not as none.
    fn read(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::default();
        }
        let parse = || {
            let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
            let (count, last) = text.split_once(' ')?;
            Some(Self { count: count.parse().ok()?, last: last.parse().ok()? })
        };
        parse().unwrap_or(Self { count: FREE + 4, last: now() })
    }

    fn write(self) -> Vec<u8> {
        format!("{} {}\n", self.count, self.last).into_bytes()
    }
}

/// How long nobody may try, and how many were wrong.
pub fn wait(state: &Path) -> Result<(Duration, u32), LogFault> {
    let tries = kept(state)?;
    Ok((tries.wait(now()), tries.count))
}

/// Tries a PIN, one at a time on this machine. It counts as wrong before it is looked at, so that a process that is
/// killed meanwhile has used up its try. `None`: nobody may try yet.
pub fn attempt(state: &Path, is_right: impl FnOnce() -> bool) -> Result<Option<bool>, LogFault> {
    let counted = change_note(state, FILE, |bytes| {
        let tries = Tries::read(bytes);
        if !tries.wait(now()).is_zero() {
            return (None, false);
        }
        let wrong = Tries { count: tries.count.saturating_add(1), last: now() };
        (Some(wrong.write()), true)
    })?;
    if !counted {
        return Ok(None);
    }
    let right = is_right();
    if right {
        change_note(state, FILE, |_| (Some(Vec::new()), ()))?;
    }
    Ok(Some(right))
}

/// What the owner should know of wrong PINs.
pub fn told(state: &Path) -> Option<String> {
    kept(state).ok()?.told(now())
}

fn kept(state: &Path) -> Result<Tries, LogFault> {
    Ok(Tries::read(&read_note(state, FILE, 256)?.unwrap_or_default()))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f49_the_wait_doubles_and_ends() {
        let wait = |count| Tries { count, last: 1000 }.wait(1000).as_secs();
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 13, 14, 40, u32::MAX].map(wait),
            [0, 0, 0, 2, 4, 8, 2048, 3600, 3600, 3600]
        );
        assert_eq!(Tries { count: 4, last: 1000 }.wait(1003).as_secs(), 1);
        assert_eq!(Tries { count: 4, last: 9_000_000 }.wait(1000).as_secs(), 4, "a clock that was put back");
    }

    #[test]
    fn what_cannot_be_read_is_not_none() {
        for bytes in [&b"x"[..], b"3", b"-1 5\n", b"\xff\n"] {
            assert!(Tries::read(bytes).wait(now()) > Duration::from_secs(10));
        }
        assert_eq!(Tries::read(b""), Tries::default());
        let some = Tries { count: 5, last: 77 };
        assert_eq!(Tries::read(&some.write()), some);
    }
}
