//! Moments and spans of time: as CEL writes them, and their parts. All in nanoseconds; there is no clock here.

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;
/// From the year 1 to the year 9999, as CEL has it.
const FIRST: i128 = -62_135_596_800 * SECOND;
const LAST: i128 = 253_402_300_800 * SECOND - 1;
/// Ten thousand years either way, likewise.
const LONGEST: i128 = 315_576_000_000 * SECOND;

/// The parts of a date in the calendar.
struct Date {
    year: i64,
    month: i64,
    day: i64,
}

/// A moment, in nanoseconds since 1970, from `2026-01-31T12:00:00.5+02:00`.
pub(super) fn read_moment(text: &str) -> Option<i128> {
    let (date, rest) = text.split_once(['T', 't'])?;
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let zone = rest.find(['Z', 'z', '+', '-'])?;
    let (time, zone) = rest.split_at_checked(zone)?;
    let (time, part) = time.split_once('.').map_or((time, None), |(time, part)| (time, Some(part)));
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    if !(1..=12).contains(&month)
        || day < 1
        || day > days_in(year, month)
        || hour > 23
        || minute > 59
        || second > 59
    {
        return None;
    }
    let seconds =
        i128::from(days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset(zone)?);
    in_calendar(seconds * SECOND + part.map_or(Some(0), fraction)?)
}

/// A span, in nanoseconds, from `1h30m`, `-1.5s`, `20ms`.
pub(super) fn read_span(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i128 = 0;
    while !rest.is_empty() || total == 0 {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|end| *end > 0)?;
        let (number, more) = rest.split_at_checked(end)?;
        let end = more.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(more.len());
        let (unit, more) = more.split_at_checked(end)?;
        let (_, size) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part = if part.is_empty() { 0 } else { fraction(part)? };
        total = total.checked_add(whole.checked_mul(*size)?)?.checked_add(part * size / SECOND)?;
        rest = more;
        if rest.is_empty() {
            break;
        }
    }
    in_bounds(total * sign)
}

/// Is it a moment that the calendar has?
pub(super) fn in_calendar(moment: i128) -> Option<i128> {
    (FIRST..=LAST).contains(&moment).then_some(moment)
}

/// Is it a span that is not too long?
pub(super) fn in_bounds(span: i128) -> Option<i128> {
    (-LONGEST..=LONGEST).contains(&span).then_some(span)
}

/// A moment as it is written.
pub(super) fn show_moment(moment: i128) -> String {
    let date = date(moment.div_euclid(DAY));
    let second = whole(moment.rem_euclid(DAY) / SECOND);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let Date { year, month, day } = date;
    let part = part(moment.rem_euclid(SECOND));
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{part}Z")
}

/// A span as it is written: in seconds.
pub(super) fn show_span(span: i128) -> String {
    let sign = if span < 0 { "-" } else { "" };
    format!("{sign}{}{}s", span.abs() / SECOND, part(span.abs() % SECOND))
}

/// Whole seconds since 1970.
pub(super) fn seconds(moment: i128) -> i64 {
    whole(moment.div_euclid(SECOND))
}

/// A part of a moment, by the name of the function that gives it.
pub(super) fn part_of_moment(name: &str, moment: i128) -> Option<i64> {
    let day = moment.div_euclid(DAY);
    let Date { year, month, day: of_month } = date(day);
    let in_day = whole(moment.rem_euclid(DAY) / SECOND);
    Some(match name {
        "getFullYear" => year,
        "getMonth" => month - 1,
        "getDate" => of_month,
        "getDayOfMonth" => of_month - 1,
        "getDayOfYear" => whole(day) - days(year, 1, 1),
        // The first of January 1970 was a Thursday.
        "getDayOfWeek" => (whole(day) + 4).rem_euclid(7),
        "getHours" => in_day / 3600,
        "getMinutes" => in_day / 60 % 60,
        "getSeconds" => in_day % 60,
        "getMilliseconds" => whole(moment.rem_euclid(SECOND) / 1_000_000),
        _ => return None,
    })
}

/// A span in a unit, by the name of the function that gives it.
pub(super) fn part_of_span(name: &str, span: i128) -> Option<i64> {
    let unit = match name {
        "getHours" => 3600 * SECOND,
        "getMinutes" => 60 * SECOND,
        "getSeconds" => SECOND,
        "getMilliseconds" => return Some(whole(span % SECOND / 1_000_000)),
        _ => return None,
    };
    Some(whole(span / unit))
}

const UNITS: [(&str, i128); 7] = [
    ("h", 3600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1000),
    ("µs", 1000),
    ("ns", 1),
];

/// Numbers of fixed widths between separators.
fn numbers(text: &str, between: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(between);
    let mut out = [0; 3];
    for (width, number) in widths.into_iter().zip(&mut out) {
        let part =
            parts.next().filter(|part| part.len() == width && part.bytes().all(|c| c.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(out)
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let [hours, minutes] = [hours, minutes].map(|part| {
        let digits = part.len() == 2 && part.bytes().all(|c| c.is_ascii_digit());
        digits.then(|| part.parse::<i64>().ok()).flatten()
    });
    let (hours, minutes) = (hours.filter(|hours| *hours < 24)?, minutes.filter(|minutes| *minutes < 60)?);
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    Some(sign * (hours * 3600 + minutes * 60))
}

/// Digits after a point, in nanoseconds of a second. What is finer is left out.
fn fraction(digits: &str) -> Option<i128> {
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
    nine.parse().ok()
}

fn part(nanoseconds: i128) -> String {
    if nanoseconds == 0 {
        String::new()
    } else {
        format!(".{nanoseconds:09}").trim_end_matches('0').to_owned()
    }
}

fn whole(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first of January 1970. Years begin in March here, so that the odd day is a year's last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// The date of a day, counted from 1970.
fn date(day: i128) -> Date {
    let day = whole(day);
    // No later than it is: years have 365 days at least and 366 at most.
    let mut year = 1970 + if day < 0 { day.div_euclid(365) } else { day / 366 };
    while days(year + 1, 1, 1) <= day {
        year += 1;
    }
    let month = (1..=12).rev().find(|month| days(year, *month, 1) <= day).unwrap_or(1);
    Date { year, month, day: day - days(year, month, 1) + 1 }
}

#[cfg(test)]
mod tests {
    use super::{date, days, read_moment, read_span, show_moment, show_span};

    #[test]
    fn every_day_of_the_calendar_is_found_again() {
        for day in (-719_162..2_932_896).step_by(17).chain([-719_162, -1, 0, 59, 60, 2_932_895]) {
            let found = date(i128::from(day));
            assert_eq!(days(found.year, found.month, found.day), day);
        }
    }

    #[test]
    fn moments_and_spans_are_written_as_they_are_read() {
        for text in [
            "1970-01-01T00:00:00Z",
            "0001-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "2024-02-29T12:30:05.25Z",
        ] {
            assert_eq!(show_moment(read_moment(text).unwrap()), text);
        }
        assert_eq!(read_moment("2026-01-01T02:00:00+02:00"), read_moment("2026-01-01T00:00:00Z"));
        for (text, shown) in [
            ("1h30m", "5400s"),
            ("-1.5s", "-1.5s"),
            ("20ms", "0.02s"),
            ("0", "0s"),
            ("1h0m0s", "3600s"),
            (".5m", "30s"),
        ] {
            assert_eq!(show_span(read_span(text).unwrap()), shown, "{text}");
        }
        for text in [
            "",
            "2026-13-01T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00.Z",
            "0000-01-01T00:00:00Z",
            "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:00+2:00",
            "2026-01-01T00:00:00é",
        ] {
            assert_eq!(read_moment(text), None, "{text}");
        }
        for text in ["", "1", "h", "1x", "1h-1m", "1.2.3s", "--1s", "99999999999999h", "."] {
            assert_eq!(read_span(text), None, "{text}");
        }
    }
}
