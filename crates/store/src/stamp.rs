//! Points in time as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// RFC 3339 in UTC with microseconds: `2026-01-31T23:59:59.000001Z`. A clock outside the years 0000 to 9999 is
/// set to the nearest end, because the order of records is that of `seq`, never of time.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let micros = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_micros()).unwrap_or(LAST),
        Err(before) => -i128::try_from(before.duration().as_micros()).unwrap_or(-FIRST),
    }
    .clamp(FIRST, LAST);
    let days = micros.div_euclid(DAY);
    let rest = micros.rem_euclid(DAY);
    let (year, month, day) = civil(days as i64);
    let (seconds, micros) = (rest / 1_000_000, rest % 1_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z")
}

/// Seconds since 1970; 0 before.
pub(crate) fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(since).unwrap_or(i64::MAX)
}

/// The microseconds since 1970 of a time that `rfc3339` wrote, or of any RFC 3339 time in UTC; a date alone is its
/// midnight. `None` for anything else.
#[must_use]
pub fn micros_of(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, time.strip_suffix('Z').unwrap_or(time)),
        None => (text, "00:00:00"),
    };
    let mut parts = date.split('-').map(digits);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let mut parts = clock.split(':').map(digits);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    let fits =
        (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second < 61;
    let fraction: String = fraction.chars().chain("000000".chars()).take(6).collect();
    let seconds = days_of(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    fits.then_some(seconds * 1_000_000 + digits(&fraction)?)
}

fn digits(text: &str) -> Option<i64> {
    let plain = !text.is_empty() && text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok())?
}

/// The inverse of `civil`.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

const DAY: i128 = 86_400_000_000;
/// 0000-01-01T00:00:00Z.
const FIRST: i128 = -719_528 * DAY;
/// 9999-12-31T23:59:59.999999Z.
const LAST: i128 = 2_932_897 * DAY - 1;

/// Year, month and day of a day counted from 1970-01-01. Years are counted from March within eras of 400, so
/// that the leap day is the last of its year and of its era.
fn civil(days: i64) -> (i64, i64, i64) {
    let since_era_zero = days + 719_468;
    let era = since_era_zero.div_euclid(146_097);
    let day_of_era = since_era_zero.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn check(seconds: i64, micros: u32, expected: &str) {
        let distance = Duration::from_secs(seconds.unsigned_abs());
        let whole = if seconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance };
        assert_eq!(rfc3339(whole + Duration::from_micros(micros.into())), expected);
        if (-62_167_219_200..253_402_300_800).contains(&seconds) {
            assert_eq!(micros_of(expected), Some(seconds * 1_000_000 + i64::from(micros)), "{expected}");
        }
    }

    #[test]
    fn f16_every_clock_has_a_date() {
        check(0, 0, "1970-01-01T00:00:00.000000Z");
        check(951_782_400, 7, "2000-02-29T00:00:00.000007Z");
        check(1_709_251_199, 999_999, "2024-02-29T23:59:59.999999Z");
        check(1_709_251_200, 0, "2024-03-01T00:00:00.000000Z");
        check(4_107_542_400, 0, "2100-03-01T00:00:00.000000Z");
        check(-1, 500_000, "1969-12-31T23:59:59.500000Z");
        check(-2_208_988_800, 0, "1900-01-01T00:00:00.000000Z");
        check(253_402_300_799, 0, "9999-12-31T23:59:59.000000Z");
        check(253_402_300_800, 0, "9999-12-31T23:59:59.999999Z");
        check(i64::MAX / 4, 0, "9999-12-31T23:59:59.999999Z");
        check(-62_167_219_200, 0, "0000-01-01T00:00:00.000000Z");
        check(-99_999_999_999, 0, "0000-01-01T00:00:00.000000Z");
    }

    #[test]
    fn times_of_others_are_read_and_other_texts_are_not() {
        assert_eq!(micros_of("1970-01-02"), Some(86_400_000_000));
        assert_eq!(micros_of("1970-01-01T00:01Z"), Some(60_000_000));
        assert_eq!(micros_of("1970-01-01 00:00:01.5Z"), Some(1_500_000));
        for other in ["", "now", "1970-13-01", "1970-01-01T25:00:00Z", "1970-01-01T00:00:00+02:00", "12"] {
            assert_eq!(micros_of(other), None, "{other}");
        }
    }
}
