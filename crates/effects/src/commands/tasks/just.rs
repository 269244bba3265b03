//! Justfiles: recipes, the values that they name, and the commands that make those values.

use tollgate_shell::eval::Outcome;

use super::makefile::plain_recipe;
use super::{RECIPES, run_task, text_of};
use crate::commands::{Run, interpreters};
use crate::options::{Order, read};
use crate::word::Word;

pub(in crate::commands) fn just(run: &mut Run) -> Outcome {
    run.in_files(follow_justfile)
}

fn follow_justfile(run: &mut Run) -> Outcome {
    let spec = "f,justfile= d,working-directory= l,list n,dry-run summary show= evaluate set q,quiet v,verbose u,unsorted \
        choose fmt check init dump e,edit color= shell= shell-arg= dotenv-path= E= one yes h,help V,version";
    // `--command program words`: everything behind it is the command.
    let at = run.args.iter().position(|word| word.is("-c") || word.is("--command"));
    let before = |at: &usize| {
        let own = run.args.get(..*at).unwrap_or_default();
        read(own, spec, Order::First).operands.is_empty()
    };
    if let Some(at) = at.filter(before) {
        return interpreters::joined(run, run.args.get(at + 1..).unwrap_or_default());
    }
    let options = read(run.args, spec, Order::First);
    if ["l", "n", "summary", "show", "fmt", "dump", "h", "V", "init"]
        .into_iter()
        .any(|name| options.has(name))
    {
        return run.derived();
    }
    let folder = options.value("d").cloned();
    let name = options.value("f").map(Word::shown);
    let names: Vec<&str> = match &name {
        Some(name) => vec![name],
        None => vec!["justfile", "Justfile", ".justfile"],
    };
    let text = text_of(run, folder.as_ref(), &names).unwrap_or_default();
    let goals: Vec<String> =
        options.operands.iter().filter(|word| !word.shown().contains('=')).map(Word::shown).collect();
    let file = Justfile::read(&text);
    let lines = if options.has("evaluate") { file.made } else { file.lines(&goals) };
    run_task(run, folder.as_ref(), &goals, &lines);
    run.derived()
}

/// All recipe lines of a justfile, with the names of their recipes.
pub(crate) fn justfile_lines(text: &str) -> Vec<(String, String)> {
    let file = Justfile::read(text);
    let named = |recipe: Recipe| {
        let Recipe { name, lines, .. } = recipe;
        lines.into_iter().map(move |line| (name.clone(), line))
    };
    let made = file.made.into_iter().map(|line| (String::new(), line));
    made.chain(file.recipes.into_iter().flat_map(named)).collect()
}

#[derive(Default)]
struct Justfile {
    recipes: Vec<Recipe>,
    /// Commands whose output is a value: they run whatever is asked for.
    made: Vec<String>,
}

struct Recipe {
    name: String,
    needs: Vec<String>,
    lines: Vec<String>,
}

impl Justfile {
    fn read(text: &str) -> Self {
        let mut file = Self::default();
        let mut values: Vec<(String, String)> = Vec::new();
        let settings = text.lines().filter(|line| !line.starts_with([' ', '\t', '#']));
        for (name, value) in settings.filter_map(|line| line.split_once(":=")).take(RECIPES) {
            let name = name.split_whitespace().next_back().unwrap_or_default().to_owned();
            file.made.extend(backticks(value));
            let value = evaluated(value, &values);
            values.push((name, value));
        }
        for line in text.lines() {
            if line.starts_with([' ', '\t']) {
                if let Some(recipe) = file.recipes.last_mut() {
                    recipe.lines.push(filled(plain_recipe(line), &values));
                }
                continue;
            }
            let head = line.trim_start_matches('@');
            if let Some((name, needs)) = head.split_once(':').filter(|(_, rest)| !rest.starts_with('=')) {
                let name = name.split_whitespace().next().unwrap_or_default().to_owned();
                let needs = needs.split_whitespace().map(|need| need.trim_matches(['(', ')']).to_owned());
                file.recipes.push(Recipe { name, needs: needs.collect(), lines: Vec::new() });
            }
        }
        // A recipe with a first line of its own is one script.
        for recipe in &mut file.recipes {
            if recipe.lines.first().is_some_and(|line| line.starts_with("#!")) {
                recipe.lines = vec![recipe.lines.join("\n")];
            }
        }
        file
    }

    /// What runs for these goals, with what they need.
    fn lines(&self, goals: &[String]) -> Vec<String> {
        let first = self.recipes.first().map(|recipe| recipe.name.clone());
        let mut todo: Vec<String> =
            if goals.is_empty() { first.into_iter().collect() } else { goals.to_vec() };
        let mut done: Vec<String> = Vec::new();
        let mut lines = self.made.clone();
        while let Some(goal) = todo.pop() {
            if done.contains(&goal) || done.len() >= RECIPES {
                continue;
            }
            for recipe in self.recipes.iter().filter(|recipe| recipe.name == goal) {
                todo.extend(recipe.needs.iter().cloned());
                lines.extend(recipe.lines.iter().cloned());
            }
            done.push(goal);
        }
        lines
    }
}

/// A line with the values in their places.
fn filled(line: &str, values: &[(String, String)]) -> String {
    let mut whole = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        whole.push_str(before);
        // Four of them are two that are meant.
        if let Some(after) = after.strip_prefix("{{") {
            whole.push_str("{{");
            rest = after;
            continue;
        }
        let (expression, next) = after.split_once("}}").unwrap_or((after, ""));
        whole.push_str(&evaluated(expression, values));
        rest = next;
    }
    whole.push_str(rest);
    whole
}

/// An expression as a shell would write it; what is not known is a variable that nobody has set.
fn evaluated(expression: &str, values: &[(String, String)]) -> String {
    expression.split('+').map(|part| operand(part.trim(), values)).collect()
}

fn operand(part: &str, values: &[(String, String)]) -> String {
    for quote in ["'''", "\"\"\"", "'", "\""] {
        let inner = part.strip_prefix(quote).and_then(|part| part.strip_suffix(quote));
        if let Some(text) = inner.filter(|text| !text.contains(quote)) {
            return text.to_owned();
        }
    }
    if let Some(code) = part.strip_prefix('`').and_then(|part| part.strip_suffix('`')) {
        return format!("$({code})");
    }
    let variable =
        |call: &str| Some(part.strip_prefix(call)?.strip_suffix(')')?.trim().trim_matches(['\'', '"']));
    if let Some(name) = variable("env_var(").or_else(|| variable("env(")) {
        return format!("${{{name}}}");
    }
    if matches!(part, "justfile_directory()" | "invocation_directory()" | "source_directory()") {
        return ".".to_owned();
    }
    let known = values.iter().rev().find(|(name, _)| name == part).map(|(_, value)| value.clone());
    known.unwrap_or_else(|| {
        let name: String = part.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        format!("${{{name}}}")
    })
}

/// The commands between backticks.
fn backticks(value: &str) -> Vec<String> {
    value.split('`').skip(1).step_by(2).map(str::to_owned).filter(|code| !code.trim().is_empty()).collect()
}
