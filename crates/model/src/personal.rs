//! What tells who a person is: addresses of mail, numbers of cards, of social security and of telephones.

use crate::{PrivateData, Span};

/// Something personal in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personal {
    /// What it is.
    pub what: PrivateData,
    /// Its kind, in one word.
    pub kind: &'static str,
    /// Where it stands.
    pub span: Span,
    /// How it may be shown.
    pub shown: String,
}

/// Everything personal in a text, kind by kind.
#[must_use]
pub fn personal(text: &str) -> Vec<Personal> {
    let mut found = Vec::new();
    for &(what, kind, search) in KINDS {
        let all = search(text).into_iter();
        found.extend(all.map(|Private { span, shown }| Personal { what, kind, span, shown }));
    }
    found
}

/// A kind of private thing, and what finds it.
type Search = fn(&str) -> Vec<Private>;

const KINDS: &[(PrivateData, &str, Search)] = &[
    (PrivateData::Email, "email", emails),
    (PrivateData::Card, "card", cards),
    (PrivateData::SocialSecurity, "social-security", social_numbers),
    (PrivateData::Phone, "phone", phones),
];

/// Where a private thing stands, and how it may be shown.
struct Private {
    span: Span,
    shown: String,
}

fn emails(text: &str) -> Vec<Private> {
    text.match_indices('@').filter_map(|(at, _)| email(text, at)).collect()
}

fn email(text: &str, at: usize) -> Option<Private> {
    let is_local = |c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c);
    let is_domain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    let (before, after) = (text.get(..at)?, text.get(at + 1..)?);
    let start = before.rfind(|c| !is_local(c)).map_or(0, |found| {
        found + before.get(found..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    });
    let local = before.get(start..)?.trim_start_matches(['.', '-', '%', '+']);
    let length = after.find(|c| !is_domain(c)).unwrap_or(after.len());
    let domain = after.get(..length)?.trim_end_matches(['.', '-']).to_ascii_lowercase();
    // `git@host:path` and `ssh://user@host` name machines.
    let path_follows = after.get(length..).is_some_and(|rest| {
        rest.starts_with(':') && rest.chars().nth(1).is_some_and(|next| !next.is_whitespace())
    });
    let in_address = before.get(..start)?.trim_end_matches(is_local).ends_with("://");
    if local.is_empty() || path_follows || in_address || is_login(before.get(..start)?) {
        return None;
    }
    if !is_somebodys(local, &domain) {
        return None;
    }
    let shown = format!("{}…@…", local.chars().next()?);
    Some(Private { span: Span::new(start, at + 1 + length), shown })
}

/// A program that logs in somewhere stands before it.
fn is_login(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    words.any(|word| {
        matches!(word.trim_matches('`'), "ssh" | "scp" | "sftp" | "rsync" | "mosh" | "ssh-copy-id")
    })
}

/// An address that a person may have, and not one of documentation, of machines, or of a package with its
/// version.
fn is_somebodys(local: &str, domain: &str) -> bool {
    let Some((name, top)) = domain.rsplit_once('.') else { return false };
    let documented = ["example.com", "example.org", "example.net", "example.edu", "users.noreply.github.com"];
    let reserved = ["test", "example", "invalid", "localhost", "local", "internal", "lan", "arpa"];
    let files = [
        "png", "jpg", "jpeg", "gif", "webp", "svg", "js", "ts", "py", "md", "json", "tgz", "zip", "html",
        "css",
    ];
    let local = local.to_ascii_lowercase();
    let is_machine = ["noreply", "no-reply", "donotreply", "git"].contains(&local.as_str());
    top.len() >= 2
        && top.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !name.is_empty()
        && !name.split('.').any(str::is_empty)
        && !is_machine
        && !reserved.contains(&top)
        && !files.contains(&top)
        && !documented.iter().any(|known| domain == *known || domain.ends_with(&format!(".{known}")))
}

/// A run of digits with single separators in it.
struct Run<'t> {
    start: usize,
    text: &'t str,
    digits: String,
}

/// All runs of digits that stand by themselves: no letter, point or dash of a longer name touches them.
fn runs<'t>(text: &'t str, separators: &[char]) -> Vec<Run<'t>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text.get(rest..).and_then(|tail| tail.find(|c: char| c.is_ascii_digit())) {
        let start = rest + start;
        let tail = text.get(start..).unwrap_or_default();
        let mut end = 0;
        let mut before = ' ';
        for (at, c) in tail.char_indices() {
            let goes_on = c.is_ascii_digit() || (separators.contains(&c) && before.is_ascii_digit());
            if !goes_on {
                break;
            }
            if c.is_ascii_digit() {
                end = at + 1;
            }
            before = c;
        }
        let run = tail.get(..end).unwrap_or_default();
        let touches =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '=' | '#'));
        let near = text.get(..start).and_then(|head| head.chars().next_back());
        let mut behind = tail.get(end..).unwrap_or_default().chars();
        let next = behind.next();
        let joined =
            matches!(next, Some('.' | '-' | ':')) && behind.next().is_some_and(char::is_alphanumeric);
        let leads = matches!(near, Some('.' | '-' | ':' | '$' | '@'));
        if !touches(near) && !leads && !touches(next) && !joined {
            let digits = run.chars().filter(char::is_ascii_digit).collect();
            found.push(Run { start, text: run, digits });
        }
        rest = start + end.max(1);
    }
    found
}

impl Run<'_> {
    fn private(&self, shown: String) -> Private {
        Private { span: Span::new(self.start, self.start + self.text.len()), shown }
    }

    /// How many digits stand between the separators.
    fn groups(&self, separator: char) -> Vec<usize> {
        self.text.split(separator).map(str::len).collect()
    }
}

fn cards(text: &str) -> Vec<Private> {
    let mut all = runs(text, &[' ', '-']);
    all.retain(|run| !text.get(..run.start).is_some_and(|before| before.ends_with('+')));
    let shown = |run: &Run| {
        let last: String = run.digits.chars().skip(run.digits.len().saturating_sub(4)).collect();
        run.private(format!("…{last}"))
    };
    all.iter().filter(|run| is_grouped(run) && is_card(&run.digits)).map(shown).collect()
}

/// As cards are written: in one piece, in fours, or as American Express and Diners do.
fn is_grouped(run: &Run) -> bool {
    let separator = if run.text.contains('-') { '-' } else { ' ' };
    match run.groups(separator).as_slice() {
        [_] => !run.text.contains([' ', '-']),
        [4, 4, 4, 1..=4] | [4, 4, 4, 4, 1..=3] | [4, 6, 4 | 5] => true,
        _ => false,
    }
}

fn is_card(digits: &str) -> bool {
    let start = |count: usize| digits.get(..count).and_then(|start| start.parse::<u32>().ok()).unwrap_or(0);
    let issued = match digits.len() {
        13 | 19 => start(1) == 4,
        14 => matches!(start(2), 36 | 38) || matches!(start(3), 300..=305),
        15 => matches!(start(2), 34 | 37),
        16 => {
            start(1) == 4
                || matches!(start(2), 51..=55 | 65)
                || matches!(start(3), 644..=649)
                || matches!(start(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        _ => false,
    };
    issued && luhn(digits)
}

/// The check digit that every card number ends in.
fn luhn(digits: &str) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digits = digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate();
    let sum: u32 = digits.map(|(index, digit)| if index % 2 == 1 { double(digit) } else { digit }).sum();
    sum.is_multiple_of(10)
}

fn social_numbers(text: &str) -> Vec<Private> {
    let all = runs(text, &['-']);
    all.iter().filter(|run| is_social(run)).map(|run| run.private("…".to_owned())).collect()
}

/// As the Social Security Administration issues them; two that stood in advertisements are nobody's.
fn is_social(run: &Run) -> bool {
    let parts: Vec<&str> = run.text.split('-').collect();
    let [area, group, serial] = parts.as_slice() else { return false };
    run.groups('-') == [3, 2, 4]
        && !matches!(*area, "000" | "666")
        && !area.starts_with('9')
        && *group != "00"
        && *serial != "0000"
        && !matches!(run.text, "078-05-1120" | "219-09-9999")
}

fn phones(text: &str) -> Vec<Private> {
    let mut found: Vec<Private> = text.match_indices('(').filter_map(|(at, _)| bracketed(text, at)).collect();
    for run in runs(text, &[' ', '-', '.']) {
        let before = text.get(..run.start).unwrap_or_default();
        let country = before.strip_suffix('+').is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
        if (country && is_international(&run)) || is_american(&run) {
            found.push(run.private(tail(&run.digits)));
        }
    }
    found
}

/// `(415) 555-2671`.
fn bracketed(text: &str, at: usize) -> Option<Private> {
    let (area, rest) = text.get(at + 1..)?.split_once(')')?;
    let number = rest.trim_start_matches([' ', '-']).get(..8)?;
    let parts: Vec<&str> = number.split(['-', '.', ' ']).collect();
    let digits: String = area.chars().chain(number.chars()).filter(char::is_ascii_digit).collect();
    let shaped = matches!(parts.as_slice(), [exchange, line] if exchange.len() == 3 && line.len() == 4);
    let end = at + 1 + area.len() + 1 + (rest.len() - rest.trim_start_matches([' ', '-']).len()) + 8;
    let goes_on = text.get(end..)?.starts_with(|c: char| c.is_alphanumeric());
    (area.len() == 3 && digits.len() == 10 && shaped && !goes_on && is_plan(&digits))
        .then(|| Private { span: Span::new(at, end), shown: tail(&digits) })
}

/// The last two digits, which tell a person which number it was and nobody else what it is.
fn tail(digits: &str) -> String {
    let last: String = digits.chars().skip(digits.len().saturating_sub(2)).collect();
    format!("…{last}")
}

fn is_international(run: &Run) -> bool {
    (9..=15).contains(&run.digits.len()) && !run.digits.starts_with('0') && !is_fictional(&run.digits)
}

/// `415-555-2671`, `415.555.2671`; ten digits in one piece may be anything.
fn is_american(run: &Run) -> bool {
    ['-', '.'].into_iter().any(|separator| run.groups(separator) == [3, 3, 4]) && is_plan(&run.digits)
}

/// Area and exchange of the North American plan.
fn is_plan(digits: &str) -> bool {
    let at = |index: usize| digits.as_bytes().get(index).copied().unwrap_or(b'0');
    at(0) >= b'2' && at(3) >= b'2' && !is_fictional(digits)
}

/// `555-0100` to `555-0199` are kept for stories.
fn is_fictional(digits: &str) -> bool {
    let last: String = digits.chars().skip(digits.len().saturating_sub(7)).collect();
    last.starts_with("55501")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        personal(text).into_iter().map(|one| format!("{} {}", one.what.told(), one.shown)).collect()
    }

    #[test]
    fn private_things_are_found_and_masked() {
        for (text, expected) in [
            ("mail jane.doe@corp.io now", "an e-mail address j…@…"),
            ("<bob+x@mail.company.co.uk>", "an e-mail address b…@…"),
            ("card 4111 1111 1111 1111.", "a card number …1111"),
            ("5555555555554444", "a card number …4444"),
            ("amex 3782-822463-10005", "a card number …0005"),
            ("ssn: 123-45-6789", "a social security number …"),
            ("call (415) 867-5309 please", "a phone number …09"),
            ("call 415-867-5309", "a phone number …09"),
            ("+44 20 7946 0958", "a phone number …58"),
            ("+4915112345678", "a phone number …78"),
        ] {
            assert_eq!(kinds(text), [expected], "{text}");
        }
    }

    #[test]
    fn look_alikes_are_left_alone() {
        for text in [
            "npm i react@18.2.0 lodash@latest @types/node@20.1.0",
            "git@github.com:me/x.git and ssh://git@host.io/x",
            "ssh deploy@web1.corp.io uptime",
            "me@example.com root@localhost bot@x.test noreply@github.com",
            "logo@2x.png and @app.route",
            "192.168.100.200 and 10.0.0.1:8080, v1.22.333.4444",
            "order 4111 1111 1111 1112",
            "commit 4111111111111111aabbccddeeff00112233445566",
            "550e8400-e29b-41d4-a716-446655440000",
            "1700000000000 1700000000 20240131120000",
            "000-00-0000 and 666-12-3456 and 987-65-4321 and 078-05-1120",
            "2024-01-31 12:30:45 -0700",
            "415-555-0123 and +1 415 555 0100",
            "the range 100-200-3000, port 5432",
            "int x = 4111111111111111_u64; id=4111111111111111",
        ] {
            assert_eq!(kinds(text), Vec::<String>::new(), "{text}");
        }
    }
}
