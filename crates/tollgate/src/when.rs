//! Points in time as people type and read them. All times are UTC, as in the log.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use tollgate_store::{micros_of, rfc3339};

/// Microseconds of a day.
pub const DAY: i64 = 86_400_000_000;

/// Microseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Reads `90m`, `24h`, `7d`, `4w` (ago), `today`, `yesterday`, a date, or an RFC 3339 time in UTC.
pub fn parse(text: &str) -> anyhow::Result<i64> {
    let now = now();
    let midnight = now - now.rem_euclid(DAY);
    match text {
        "now" => return Ok(now),
        "today" => return Ok(midnight),
        "yesterday" => return Ok(midnight - DAY),
        _ => {}
    }
    if let Some(length) = length(text) {
        return Ok(now.saturating_sub(length));
    }
    match micros_of(text) {
        Some(micros) => Ok(micros),
        None => {
            bail!("`{text}` is no time; write `24h`, `7d`, `today`, `2026-01-31` or `2026-01-31T12:00:00Z`")
        }
    }
}

/// Reads the two ends of a period, each of which may be open.
pub fn period(since: Option<&str>, until: Option<&str>) -> anyhow::Result<(Option<i64>, Option<i64>)> {
    let (from, to) = (since.map(parse).transpose()?, until.map(parse).transpose()?);
    if let (Some(from), Some(to)) = (from, to)
        && from >= to
    {
        bail!("the time ends ({}) before it begins ({})", minute(to), minute(from));
    }
    Ok((from, to))
}

/// Reads a length of time: `90s`, `90m`, `24h`, `7d`, `4w`.
pub fn length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
    let micros = match unit {
        's' => 1_000_000,
        'm' => 60_000_000,
        'h' => 3_600_000_000,
        'd' => DAY,
        'w' => 7 * DAY,
        _ => return None,
    };
    (number >= 0).then(|| number.saturating_mul(micros))
}

/// As RFC 3339.
pub fn stamp(micros: i64) -> String {
    let distance = std::time::Duration::from_micros(micros.unsigned_abs());
    rfc3339(if micros < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance })
}

/// The date: `2026-01-31`.
pub fn date(micros: i64) -> String {
    stamp(micros).chars().take(10).collect()
}

/// Date and time to the minute: `2026-01-31 12:00`.
pub fn minute(micros: i64) -> String {
    stamp(micros).chars().take(16).collect::<String>().replace('T', " ")
}

/// In this machine's time zone, without the date where that is today's: `22:49:30`, `18 Nov 22:49:30`.
pub fn local(micros: i64) -> String {
    let zone = jiff::tz::TimeZone::system();
    let Ok(time) = jiff::Timestamp::from_microsecond(micros) else { return stamp(micros) };
    let (time, today) = (time.to_zoned(zone.clone()), jiff::Timestamp::now().to_zoned(zone));
    let format = if time.date() == today.date() { "%H:%M:%S" } else { "%-d %b %H:%M:%S" };
    time.strftime(format).to_string()
}

/// A duration in microseconds, in three digits or so: `870 µs`, `1.2 ms`, `3.4 s`, `12 min`, `3.1 h`.
pub fn duration(micros: u64) -> String {
    let value = micros as f64;
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{} ms", short(value / 1e3)),
        1_000_000..120_000_000 => format!("{} s", short(value / 1e6)),
        120_000_000..7_200_000_000 => format!("{} min", short(value / 6e7)),
        _ => format!("{} h", short(value / 3.6e9)),
    }
}

fn short(value: f64) -> String {
    if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_lengths_are_read() {
        let ago = |text: &str| (now() - parse(text).unwrap()) / 1_000_000;
        assert!((3599..3660).contains(&ago("1h")) && (604_799..604_860).contains(&ago("7d")));
        assert_eq!(parse("1970-01-02").unwrap(), DAY);
        assert_eq!(parse("today").unwrap() % DAY, 0);
        assert!(["", "soon", "-3h", "3y", "2026-99-01"].iter().all(|text| parse(text).is_err()));
    }

    #[test]
    fn durations_are_short() {
        let shown = [5, 1_200, 34_000, 3_400_000, 720_000_000, 11_160_000_000].map(duration);
        assert_eq!(shown, ["5 µs", "1.2 ms", "34 ms", "3.4 s", "12 min", "3.1 h"]);
    }
}
