//! Checks the files of cases themselves: fields, ids, classes, rules, duplicates and contradictions.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::cases::{
    Case, KNOWN_OPEN, KNOWN_OPEN_REWRITES, Want, class_folders, list_files, read_all, read_known_open,
};
use crate::support::threats::read_classes;

/// Cases up to this number were filed by machine from older files, without a reason of their own. New cases have higher
/// numbers and need `why`.
const LAST_WITHOUT_WHY: u32 = 5_000;

#[test]
fn files_of_cases_are_well_formed() {
    let cases: Vec<Case> = read_all().into_iter().chain(read_known_open()).collect();
    let problems = Linter::new().lint(&cases);
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_class_is_defined_and_has_cases_and_examples() {
    let classes = read_classes();
    let defined: Vec<&str> = classes.iter().map(|class| class.slug.as_str()).collect();
    let unique: BTreeSet<&str> = defined.iter().copied().collect();
    assert_eq!(unique.len(), defined.len(), "a class is defined twice in docs/threats.md");
    let folders = class_folders();
    assert_eq!(
        unique,
        folders.iter().map(String::as_str).collect(),
        "docs/threats.md and tests/cases differ"
    );
    for class in &classes {
        let attacks = class.examples.iter().filter(|example| example.attack).count();
        let look_alikes = class.examples.len() - attacks;
        assert!(attacks >= 2 || class.slug == "ordinary-work", "{} needs two attacks", class.slug);
        assert!(look_alikes >= 2, "{} needs two look-alikes", class.slug);
    }
}

/// A file with another name would not be read, and its cases would be judged by nobody.
#[test]
fn there_are_no_other_files() {
    let mut expected: BTreeSet<String> = [KNOWN_OPEN, KNOWN_OPEN_REWRITES].map(str::to_owned).into();
    for class in class_folders() {
        expected.extend(Want::ALL.map(|want| format!("{class}/{}.jsonl", want.name())));
    }
    let other: Vec<String> = list_files().into_iter().filter(|file| !expected.contains(file)).collect();
    assert!(other.is_empty(), "not read in tests/cases: {}", other.join(", "));
}

/// What the checks go by.
struct Linter {
    classes: BTreeSet<String>,
    rules: BTreeSet<String>,
}

impl Linter {
    fn new() -> Self {
        Self {
            classes: read_classes().into_iter().map(|class| class.slug).collect(),
            rules: tollgate_rules::all().map(|rule| rule.card().id.to_owned()).collect(),
        }
    }

    /// Every problem, with the place and what to do.
    fn lint(&self, cases: &[Case]) -> Vec<String> {
        let mut problems: Vec<String> = cases.iter().flat_map(|case| self.lint_case(case)).collect();
        problems.extend(find_double_ids(cases));
        problems.extend(find_double_calls(cases));
        problems
    }

    fn lint_case(&self, case: &Case) -> Vec<String> {
        let problems = [check_rules_present(case), self.check_id(case), check_file(case), check_why(case)];
        let unknown = case.rules.iter().filter(|rule| !self.rules.contains(*rule));
        let unknown = unknown.map(|rule| format!("there is no rule `{rule}`"));
        let found = problems.into_iter().flatten().chain(unknown);
        found.map(|problem| format!("{} {}: {problem}", case.place, case.id)).collect()
    }

    fn check_id(&self, case: &Case) -> Option<String> {
        let Some((class, _)) = case.class_and_number() else {
            return Some("the id is not `<class>-<number>`".into());
        };
        if !self.classes.contains(class) {
            return Some(format!("docs/threats.md defines no class `{class}`"));
        }
        let folder = case.place.split_once('/').map_or(class, |(folder, _)| folder);
        (folder != class).then(|| format!("the id is of the class `{class}`, the folder is `{folder}`"))
    }
}

fn is_open(case: &Case) -> bool {
    case.place.starts_with(KNOWN_OPEN)
}

fn check_rules_present(case: &Case) -> Option<String> {
    match (case.want.stops(), case.rules.is_empty()) {
        (true, true) if !is_open(case) => Some("name the rule that must stop it in `rule`".into()),
        (false, false) => Some("a call that passes has no `rule`".into()),
        _ => None,
    }
}

fn check_file(case: &Case) -> Option<String> {
    let file = format!("/{}.jsonl:", case.want.name());
    let right = is_open(case) || case.place.contains(&file);
    (!right).then(|| format!("a case with want `{}` does not belong in this file", case.want.name()))
}

fn check_why(case: &Case) -> Option<String> {
    let number = case.class_and_number().map_or(0, |(_, number)| number);
    let needed = is_open(case) || number > LAST_WITHOUT_WHY;
    let missing = case.why.as_deref().is_none_or(|why| why.trim().is_empty());
    (needed && missing).then(|| "say in `why` what makes it an attack or harmless".into())
}

fn find_double_ids(cases: &[Case]) -> Vec<String> {
    let mut places: BTreeMap<&str, &str> = BTreeMap::new();
    let double = cases.iter().filter_map(|case| Some((case, places.insert(&case.id, &case.place)?)));
    double.map(|(case, first)| format!("{} {}: {first} has the same id", case.place, case.id)).collect()
}

/// The same call of the same tool twice: with the same wish a duplicate, else a contradiction.
fn find_double_calls(cases: &[Case]) -> Vec<String> {
    let mut seen: BTreeMap<(&str, &str), &Case> = BTreeMap::new();
    let double = cases.iter().filter_map(|case| Some((case, seen.insert((&case.tool, &case.call), case)?)));
    let message = |(case, first): (&Case, &Case)| {
        let kind = if case.want == first.want { "is a duplicate of" } else { "contradicts" };
        format!("{} {}: {kind} {} {}", case.place, case.id, first.place, first.id)
    };
    double.map(message).collect()
}

mod tests {
    use super::Linter;
    use crate::support::cases::Case;

    const GOOD: (&str, &str) =
        ("git-loss/ask.jsonl:1", r#"{"id":"git-loss-1","call":"x","want":"ask","rule":"git-discard"}"#);

    fn problems(lines: &[(&str, &str)]) -> Vec<String> {
        let cases: Vec<Case> = lines.iter().map(|(place, line)| Case::read(place, line).unwrap()).collect();
        Linter::new().lint(&cases)
    }

    #[track_caller]
    fn assert_problem(place: &str, line: &str, expected: &str) {
        let problems = problems(&[GOOD, (place, line)]);
        assert!(matches!(problems.as_slice(), [one] if one.contains(expected)), "{expected}: {problems:?}");
    }

    #[test]
    fn a_good_line_has_no_problem() {
        assert!(problems(&[GOOD]).is_empty());
    }

    #[test]
    fn duplicates_and_contradictions_are_found() {
        let same = r#"{"id":"git-loss-2","call":"x","want":"ask","rule":"git-discard"}"#;
        assert_problem("git-loss/ask.jsonl:2", same, "is a duplicate of git-loss/ask.jsonl:1");
        let other = r#"{"id":"git-loss-2","call":"x","want":"pass"}"#;
        assert_problem("git-loss/pass.jsonl:1", other, "contradicts git-loss/ask.jsonl:1");
        let open = r#"{"id":"git-loss-2","call":"x","want":"pass","why":"y"}"#;
        assert_problem("known-open.jsonl:1", open, "contradicts git-loss/ask.jsonl:1");
    }

    #[test]
    fn wrong_ids_are_found() {
        let double = r#"{"id":"git-loss-1","call":"y","want":"pass"}"#;
        assert_problem("git-loss/pass.jsonl:1", double, "git-loss/ask.jsonl:1 has the same id");
        let shapeless = r#"{"id":"loss","call":"y","want":"pass"}"#;
        assert_problem("git-loss/pass.jsonl:1", shapeless, "the id is not");
        let padded = r#"{"id":"git-loss-02","call":"y","want":"pass"}"#;
        assert_problem("git-loss/pass.jsonl:1", padded, "the id is not");
        let unknown = r#"{"id":"git-gain-2","call":"y","want":"pass"}"#;
        assert_problem("git-gain/pass.jsonl:1", unknown, "no class `git-gain`");
        let elsewhere = r#"{"id":"git-loss-2","call":"y","want":"pass"}"#;
        assert_problem("persistence/pass.jsonl:1", elsewhere, "the folder is `persistence`");
    }

    #[test]
    fn wrong_rules_and_files_are_found() {
        let unknown = r#"{"id":"git-loss-2","call":"y","want":"ask","rule":["git-discard","git-regret"]}"#;
        assert_problem("git-loss/ask.jsonl:2", unknown, "no rule `git-regret`");
        let missing = r#"{"id":"git-loss-2","call":"y","want":"ask"}"#;
        assert_problem("git-loss/ask.jsonl:2", missing, "name the rule");
        let needless = r#"{"id":"git-loss-2","call":"y","want":"pass","rule":"git-discard"}"#;
        assert_problem("git-loss/pass.jsonl:2", needless, "has no `rule`");
        let misfiled = r#"{"id":"git-loss-2","call":"y","want":"pass"}"#;
        assert_problem("git-loss/ask.jsonl:2", misfiled, "does not belong");
    }

    #[test]
    fn a_missing_reason_is_found() {
        let new = r#"{"id":"git-loss-5001","call":"y","want":"pass"}"#;
        assert_problem("git-loss/pass.jsonl:2", new, "`why`");
        let open = r#"{"id":"git-loss-2","call":"y","want":"pass","why":" "}"#;
        assert_problem("known-open.jsonl:1", open, "`why`");
    }

    #[test]
    fn a_line_that_cannot_be_read_says_why() {
        let error = |line| Case::read("x", line).unwrap_err();
        assert!(error("{").contains("no JSON"));
        assert!(error(r#"{"id":"a-1","want":"ask"}"#).contains("`call` is missing"));
        assert!(error(r#"{"id":"a-1","call":"x","want":"stop"}"#).contains("not refuse, ask or pass"));
        assert!(error(r#"{"id":"a-1","call":"x","want":"ask","rule":1}"#).contains("no rule"));
        assert!(
            error(r#"{"id":"a-1","call":"x","want":"ask","class":"b"}"#).contains("unknown field `class`")
        );
    }
}
