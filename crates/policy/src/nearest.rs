//! The valid name that a misspelt one was probably meant to be.

/// Longer names are not compared: nobody mistypes them, and comparing costs their product.
const LONGEST: usize = 64;

/// The nearest of `names`, when one is near enough to be worth a hint.
#[must_use]
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong: Vec<char> = wrong.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    if wrong.is_empty() || wrong.len() > LONGEST {
        return None;
    }
    let worst = (wrong.len() / 3).clamp(1, 3);
    let scored = names.into_iter().map(|name| (distance(&wrong, &name.chars().collect::<Vec<_>>()), name));
    scored.filter(|(far, _)| *far <= worst).min().map(|(_, name)| name)
}

/// A hint for a wrong name: the nearest one, else all of them.
#[must_use]
pub fn hint(wrong: &str, names: &[&str]) -> String {
    match nearest(wrong, names.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("valid: {}", names.join(", ")),
    }
}

/// How many letters to add, drop, change or swap with their neighbour (each swap once).
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    let mut last = None;
    for (done, &letter) in from.iter().enumerate() {
        let next = next_row(&row, &before, done, (letter, last), to);
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

/// `letters` are the present letter of the one word and the letter before it.
fn next_row(
    row: &[usize],
    before: &[usize],
    done: usize,
    letters: (char, Option<char>),
    to: &[char],
) -> Vec<usize> {
    let at = |cells: &[usize], index: usize| cells.get(index).copied().unwrap_or(usize::MAX / 2);
    let mut next = vec![done + 1];
    let mut last = None;
    for (index, &other) in to.iter().enumerate() {
        let changed = at(row, index) + usize::from(letters.0 != other);
        let mut best = changed.min(at(row, index + 1) + 1).min(at(&next, index) + 1);
        if index > 0 && letters.1 == Some(other) && last == Some(letters.0) {
            best = best.min(at(before, index - 1) + 1);
        }
        next.push(best);
        last = Some(other);
    }
    next
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        let names = ["enforce", "observe", "git-force-push", "git-reset-hard", "off", "note", "ask", "deny"];
        for (wrong, meant) in [
            ("git-forcepush", Some("git-force-push")),
            ("git-force-psuh", Some("git-force-push")),
            ("GIT-FORCE-PUSH", Some("git-force-push")),
            ("enforced", Some("enforce")),
            ("Off", Some("off")),
            ("of", Some("off")),
            ("dney", Some("deny")),
            ("no", None),
            ("", None),
            ("kubernetes", None),
        ] {
            assert_eq!(nearest(wrong, names), meant, "{wrong}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }
}
