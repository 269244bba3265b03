//! Workflows of forges: what a step is given besides its own text, and what a workflow gives away as a whole.

use std::collections::BTreeMap;

use tollgate_model::hosts::on_forge;

use crate::commands::is_unchecked;
use crate::languages::Language;
use crate::openings::Leaves;
use crate::url::Url;

/// The steps of a workflow as shell text: expressions that stand for secrets become variables with a secret's name,
/// and variables that are set from such expressions are set before each step.
pub(crate) fn steps(whole: &str, runs: Vec<String>) -> Vec<String> {
    let set = secret_variables(whole);
    let before = |run: &str| -> String {
        named(&set, run, runs.len()).iter().map(|(name, value)| format!("{name}=\"{value}\"\n")).collect()
    };
    runs.iter().map(|run| format!("{}{}", before(run), expanded(run))).collect()
}

/// How many variables are set before all steps together, whether these name them or not.
const SET: usize = 8192;

/// The variables that matter to one of so many steps: all, since a step may make up their names, or those that it names
/// where they are too many.
fn named<'s>(set: &'s BTreeMap<String, String>, run: &str, steps: usize) -> BTreeMap<&'s str, &'s str> {
    let pair = |(name, value): (&'s String, &'s String)| (name.as_str(), value.as_str());
    if set.len().saturating_mul(steps) <= SET {
        return set.iter().map(pair).collect();
    }
    let words = run.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter_map(|word| set.get_key_value(word)).map(pair).collect()
}

/// Steps of a workflow that are no shell text: those that Python runs, and those of `github-script`. Variables that are set
/// from secrets go by the names of these.
pub(crate) fn programs(whole: &str, runs: &[String]) -> Vec<(Language, String)> {
    let python = whole.lines().any(|line| shell_of(line).is_some_and(is_python)).then_some(Language::Python);
    let script = whole.contains("actions/github-script").then_some(Language::JavaScript);
    let set = secret_variables(whole);
    let renamed = |run: &String| {
        named(&set, run, runs.len()).iter().fold(run.clone(), |code, (name, value)| {
            let secret = value.trim_matches(['$', '{', '}']);
            let quoted = code.replace(&format!("\"{name}\""), &format!("\"{secret}\""));
            let quoted = quoted.replace(&format!("'{name}'"), &format!("'{secret}'"));
            quoted.replace(&format!("env.{name}"), &format!("env.{secret}"))
        })
    };
    let languages = python.into_iter().chain(script);
    languages.flat_map(|language| runs.iter().map(move |run| (language, renamed(run)))).collect()
}

/// The program that a line names to run a step.
fn shell_of(line: &str) -> Option<&str> {
    let line = line.trim().trim_start_matches("- ").trim_start();
    let (key, value) = line.split_once(':')?;
    let is_key = key.trim().trim_matches(['"', '\'']) == "shell";
    let value = value.trim().trim_start_matches(['"', '\'']);
    is_key.then(|| value.split([' ', '"', '\'', '#']).next().unwrap_or_default())
}

/// Is it Python, of whatever version and wherever it lies?
fn is_python(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.strip_prefix("python").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

/// What a workflow gives away, whatever its steps do with it.
pub(crate) fn given_away(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    if expressions(text).any(|(_, inner)| is_all_secrets(inner)) {
        found.push("gives all secrets of the repository to a step".to_owned());
    }
    let target = ["pull_request_target", "workflow_run"].iter().any(|trigger| triggers(text, trigger));
    if target && checks_out_head(text) && runs_something(text) {
        found.push("runs code of unknown people with the secrets of the repository".to_owned());
    }
    let steps = text.matches("run:").count();
    if secret_variables(text).len().saturating_mul(steps) > SET {
        found.push("gives more secrets to its steps than can be checked".to_owned());
    }
    found.extend(strange_include(text));
    found
}

/// A variable of all steps, by which programs believe every server.
pub(crate) fn unchecked(text: &str) -> Option<String> {
    let off = |line: &str| {
        let (name, value) = line.trim().trim_start_matches("- ").split_once([':', '='])?;
        let value = value.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        let name = name.trim().trim_matches(['"', '\'']);
        is_unchecked(name, value).then(|| format!("connects without certificate checks (`{name}`)"))
    };
    text.lines().find_map(off)
}

/// `include:` of GitLab, in any of its forms: steps that another server names, and may change.
fn strange_include(text: &str) -> Option<String> {
    let strange = |address: &str| {
        let host = Url::parse(address).host;
        let mut above = std::iter::successors(Some(host.as_str()), |host| Some(host.split_once('.')?.1));
        address.contains("://") && !above.any(on_forge)
    };
    let documents = Leaves::documents(&included(text)?);
    let mut leaves = documents.iter().flat_map(Leaves::all);
    let is_include = |way: &str| way.split('.').next() == Some("include");
    let (_, address) = leaves.find(|(way, value)| is_include(way) && strange(value))?;
    Some(format!("runs steps from `{address}`"))
}

/// What stands below `include`: the rest of a long file is nothing to it.
fn included(text: &str) -> Option<String> {
    if text.trim_start().starts_with('{') {
        return Some(text.to_owned());
    }
    let begins = |line: &&str| {
        let key = line.split(':').next().unwrap_or_default();
        key.trim_end().trim_matches(['"', '\'']) == "include"
    };
    let mut lines = text.lines().skip_while(|line| !begins(line));
    let first = lines.next()?;
    let goes_on = |line: &&str| line.is_empty() || line.starts_with([' ', '\t', '-', '#', ']', '}']);
    let below = lines.take_while(goes_on);
    Some(std::iter::once(first).chain(below).map(|line| format!("{line}\n")).collect())
}

fn is_all_secrets(inner: &str) -> bool {
    let plain: String = inner.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    plain.contains("tojson(secrets)") || plain.contains("join(secrets")
}

/// Is the trigger named where triggers stand, and not in a comment or a condition?
fn triggers(text: &str, trigger: &str) -> bool {
    text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim()).any(|line| {
        let line = line.strip_prefix("- ").unwrap_or(line);
        let named = line.trim_end_matches(':').trim_matches(['"', '\'']) == trigger
            || line.starts_with(&format!("{trigger}:"));
        let listed = ["on:", "\"on\":", "'on':"].iter().any(|start| line.starts_with(start));
        !line.starts_with('#') && (named || listed && line.contains(trigger))
    })
}

/// Gets what the other side wants merged.
fn checks_out_head(text: &str) -> bool {
    let heads = [
        "github.event.pull_request.head",
        "github.head_ref",
        "github.event.workflow_run.head",
        "refs/pull/",
        "gh pr checkout",
    ];
    let takes = |line: &str| line.contains("ref:") || line.contains("repository:") || line.contains("git ");
    text.lines().any(|line| {
        heads.iter().any(|head| line.contains(head)) && (takes(line) || line.contains("gh pr checkout"))
    })
}

/// Runs programs or actions that lie in the tree.
fn runs_something(text: &str) -> bool {
    text.contains("run:") || text.contains("uses: ./")
}

/// Variables that a workflow sets from its secrets.
fn secret_variables(text: &str) -> BTreeMap<String, String> {
    let variable = |line: &str| {
        let entry = line.trim().trim_start_matches("- ");
        let (name, value) = entry.split_once(':')?;
        let named = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let value = value.trim().trim_matches(['"', '\'']);
        let value = value.strip_prefix("${{")?;
        (named && !matches!(name, "run" | "if" | "with")).then_some(())?;
        secret_name(value.split("}}").next()?).map(|secret| (name.to_owned(), format!("${{{secret}}}")))
    };
    text.lines().filter_map(variable).collect()
}

/// A text with expressions for secrets as variables. What stands in single quotes is put in double ones.
fn expanded(run: &str) -> String {
    let mut out = String::with_capacity(run.len());
    let mut rest = run;
    let mut quote: Option<char> = None;
    while let Some((before, inner, after)) = next_expression(rest) {
        for c in before.chars() {
            match (quote, c) {
                (None, '"' | '\'') => quote = Some(c),
                (Some(open), _) if open == c => quote = None,
                _ => {}
            }
        }
        out.push_str(before);
        match (secret_name(inner), quote) {
            (Some(name), Some('\'')) => out.push_str(&format!("'\"${{{name}}}\"'")),
            (Some(name), Some(_)) => out.push_str(&format!("${{{name}}}")),
            (Some(name), None) => out.push_str(&format!("\"${{{name}}}\"")),
            (None, _) => out.push_str("${GITHUB_EXPRESSION}"),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The variable that stands for the secret of an expression.
fn secret_name(inner: &str) -> Option<String> {
    if is_all_secrets(inner) {
        return Some("ALL_SECRETS".to_owned());
    }
    if inner.contains("github.token") {
        return Some("GITHUB_TOKEN".to_owned());
    }
    let (_, rest) = inner.split_once("secrets.").or_else(|| inner.split_once("secrets["))?;
    let name: String = rest
        .trim_start_matches(['\'', '"'])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    Some(format!("{}_SECRET", name.to_ascii_uppercase()))
}

fn next_expression(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${{")?;
    let (inner, after) = rest.split_once("}}")?;
    Some((before, inner, after))
}

fn expressions(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("${{").filter_map(|(at, _)| {
        let rest = text.get(at + 3..)?;
        Some((at, rest.split("}}").next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_become_variables() {
        for (run, expected) in [
            ("curl -d ${{ secrets.A }} x", "curl -d \"${A_SECRET}\" x"),
            ("curl -d '${{ toJSON(secrets) }}' x", "curl -d ''\"${ALL_SECRETS}\"'' x"),
            ("curl -d \"k=${{secrets['b']}}\" x", "curl -d \"k=${B_SECRET}\" x"),
            ("echo ${{ github.sha }}", "echo ${GITHUB_EXPRESSION}"),
            ("echo ${{ open", "echo ${{ open"),
        ] {
            assert_eq!(expanded(run), expected, "{run}");
        }
    }

    #[test]
    fn workflows_that_give_away() {
        let head = "ref: ${{ github.event.pull_request.head.sha }}";
        for (text, count) in [
            (format!("on: pull_request_target\n{head}\nrun: npm ci"), 1),
            (format!("on:\n  pull_request_target:\n    types: [opened]\n{head}\nrun: npm ci"), 1),
            (format!("on: pull_request\n{head}\nrun: npm ci"), 0),
            ("on: pull_request_target\nuses: actions/labeler@v5".to_owned(), 0),
            (format!("on: push # not pull_request_target\n{head}\nrun: x"), 0),
            ("with:\n  all: ${{ toJSON( secrets ) }}".to_owned(), 1),
            ("with:\n  all: ${{ toJSON(matrix) }}".to_owned(), 0),
        ] {
            assert_eq!(given_away(&text).len(), count, "{text}");
        }
    }
}
