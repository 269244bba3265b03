//! When to try again: exponentially later, with jitter, so that a fleet does not come back all at once.

use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use tollgate_fleet_protocol::ErrorCode;

use crate::client::Failure;

/// The longest pause between two tries.
const LONGEST: u64 = 300;
/// The longest pause that a server may ask for.
const LONGEST_ASKED: u64 = 3600;
/// How long a machine that was revoked waits before it asks again.
const REVOKED: u64 = 3600;

/// How long to wait after so many failures in a row, of which this is the last.
pub(crate) fn pause(failures: u32, failure: &Failure) -> Duration {
    let asked = failure.retry_after_s().map(|seconds| seconds.clamp(1, LONGEST_ASKED));
    let seconds = match failure.code() {
        Some(ErrorCode::Revoked | ErrorCode::UnknownMachine) => REVOKED,
        _ => asked.unwrap_or(LONGEST.min(1 << failures.saturating_sub(1).min(20))),
    };
    // Never sooner than was asked; otherwise half to one and a half of the time.
    let least = if asked.is_some() { 1.0 } else { 0.5 };
    Duration::from_secs_f64(seconds as f64 * (least + jitter()))
}

/// A number from 0 to 1 (or a half for a pause that was asked for); a half where there is no randomness.
fn jitter() -> f64 {
    let mut byte = [128];
    let _ = SystemRandom::new().fill(&mut byte);
    f64::from(byte[0]) / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(failures: u32, failure: &Failure) -> f64 {
        pause(failures, failure).as_secs_f64()
    }

    #[test]
    fn pauses_grow_to_five_minutes_and_never_undercut_the_server() {
        let offline = Failure::Offline(String::new());
        for (failures, least, most) in [(1, 0.5, 1.5), (4, 4.0, 12.0), (60, 150.0, 450.0)] {
            let pause = seconds(failures, &offline);
            assert!((least..=most).contains(&pause), "{failures}: {pause}");
        }
        let busy = Failure::refused(ErrorCode::Busy, Some(7));
        assert!((7.0..=14.0).contains(&seconds(1, &busy)));
        let mad = Failure::refused(ErrorCode::Busy, Some(u64::MAX));
        assert!(seconds(1, &mad) <= 7200.0);
        assert!(seconds(1, &Failure::refused(ErrorCode::Revoked, None)) >= 1800.0);
    }
}
