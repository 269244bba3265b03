//! Two texts as a unified diff, which `patch -p1` and `git apply` take.

/// Lines around a change.
const AROUND: usize = 3;

enum Step<'t> {
    Both(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// The diff of a file, or of one that is new; empty when nothing differs. Lines keep their ends.
pub fn unified(name: &str, before: Option<&str>, after: &str) -> String {
    let old: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let steps = steps(&old, &new);
    let changed: Vec<usize> = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| !matches!(step, Step::Both(_)))
        .map(|(at, _)| at)
        .collect();
    let Some(first) = changed.first() else { return String::new() };
    let from = before.map_or("/dev/null".to_owned(), |_| format!("a/{name}"));
    let mut out = format!("--- {from}\n+++ b/{name}\n");
    let (mut from, mut to) = (*first, *first);
    for at in changed.into_iter().skip(1) {
        if at > to + 2 * AROUND {
            out.push_str(&hunk(&steps, from, to));
            from = at;
        }
        to = at;
    }
    out.push_str(&hunk(&steps, from, to));
    out
}

fn hunk(steps: &[Step], from: usize, to: usize) -> String {
    let from = from.saturating_sub(AROUND);
    let to = (to + AROUND + 1).min(steps.len());
    let count = |range: &[Step]| {
        let old = range.iter().filter(|step| !matches!(step, Step::New(_))).count();
        let new = range.iter().filter(|step| !matches!(step, Step::Old(_))).count();
        (old, new)
    };
    let (old_before, new_before) = count(steps.get(..from).unwrap_or_default());
    let range = steps.get(from..to).unwrap_or_default();
    let (old, new) = count(range);
    let lines: String = range
        .iter()
        .map(|step| match step {
            Step::Both(line) => marked(' ', line),
            Step::Old(line) => marked('-', line),
            Step::New(line) => marked('+', line),
        })
        .collect();
    format!(
        "@@ -{},{old} +{},{new} @@\n{lines}",
        old_before + usize::from(old > 0),
        new_before + usize::from(new > 0)
    )
}

fn marked(mark: char, line: &str) -> String {
    let open = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
    format!("{mark}{line}{open}")
}

/// By the longest common lines.
fn steps<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Step<'t>> {
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], i: usize, j: usize| common.get(i * width + j).copied().unwrap_or(0);
    for (i, line) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            let best = if line == other {
                at(&common, i + 1, j + 1) + 1
            } else {
                at(&common, i + 1, j).max(at(&common, i, j + 1))
            };
            if let Some(cell) = common.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut steps = Vec::new();
    loop {
        match (old.get(i), new.get(j)) {
            (Some(line), Some(other)) if line == other => {
                steps.push(Step::Both(line));
                (i, j) = (i + 1, j + 1);
            }
            (Some(line), other) if other.is_none() || at(&common, i + 1, j) >= at(&common, i, j + 1) => {
                steps.push(Step::Old(line));
                i += 1;
            }
            (_, Some(other)) => {
                steps.push(Step::New(other));
                j += 1;
            }
            _ => return steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_what_diff_says() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n";
        let after = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\n";
        let expected =
            "--- a/p\n+++ b/p\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -10,3 +10,4 @@\n j\n k\n l\n+m\n";
        assert_eq!(unified("p", Some(before), after), expected);
        assert_eq!(unified("p", Some(before), before), "");
        assert_eq!(unified("p", None, "x\n"), "--- /dev/null\n+++ b/p\n@@ -0,0 +1,1 @@\n+x\n");
        assert_eq!(
            unified("p", Some("a"), "a\r\nb"),
            "--- a/p\n+++ b/p\n@@ -1,1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\r\n+b\n\\ No newline at end of file\n"
        );
    }
}
