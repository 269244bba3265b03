//! Frameworks and mappers that reset databases: rails, django, prisma and their like. A catalogue of verbs.

use super::verbs::{find, judge};
use super::{Run, interpreters};
use crate::languages::{self, Language, Program};
use crate::options::{Order, read};
use crate::word::Word;
use tollgate_shell::eval::Outcome;

/// `python manage.py flush`, `php artisan migrate:fresh`, `ruby bin/rails db:drop`: what the interpreter is told
/// to run is such a tool. The script itself is followed as any other.
pub(super) fn notice_script(run: &mut Run) {
    if run.program == "prisma" {
        super::databases::prisma(run);
    }
    shell_code(run, run.program, run.args);
    let interpreter = run.program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    if !matches!(interpreter, "python" | "pypy" | "php" | "ruby" | "node" | "tsx") {
        return;
    }
    let Some(at) = run.args.iter().position(|word| !word.shown().starts_with('-')) else { return };
    let Some(script) = run.args.get(at).map(|word| word.shown()) else { return };
    let name = script.rsplit('/').next().unwrap_or_default();
    let known =
        ["manage.py", "artisan", "console", "rails", "rake", "wp", "drush", "prisma", "ace", "yii", "cake"];
    let known = known.contains(&name);
    let rest = run.args.get(at + 1..).unwrap_or_default().to_vec();
    if let Some(tool) = find(name).filter(|_| known) {
        judge(run, tool, &rest);
    }
    super::databases::carried::told(run, name, &rest);
    shell_code(run, name, &rest);
}

/// It takes its code from standard input only.
const NONE: &[&str] = &[""];

/// Code that a framework runs within the application, from the command line or standard input: `manage.py shell -c`, `rails runner`, `artisan tinker`.
const SHELLS: &[(&str, &str, &[&str], Language)] = &[
    ("manage.py", "shell", &["-c", "--command"], Language::Python),
    ("manage.py", "shell_plus", &["-c", "--command"], Language::Python),
    ("django-admin", "shell", &["-c", "--command"], Language::Python),
    ("flask", "shell", NONE, Language::Python),
    ("rails", "console", NONE, Language::Ruby),
    ("rails", "c", NONE, Language::Ruby),
    ("rails", "runner", &[], Language::Ruby),
    ("rails", "r", &[], Language::Ruby),
    ("artisan", "tinker", &["--execute"], Language::Php),
    ("wp", "eval", &[], Language::Php),
    ("terraform", "console", NONE, Language::Hashed),
    ("tofu", "console", NONE, Language::Hashed),
    ("drush", "php:eval", &[], Language::Php),
    ("drush", "ev", &[], Language::Php),
];

/// Options of these that take a value: the environment of rails, the folder and the site of the others.
pub(super) const VALUED: &str = "e,environment= path= url= user= r,root= l,uri=";

fn shell_code(run: &mut Run, tool: &str, words: &[Word]) {
    let Some((verb, rest)) = words.split_first() else { return };
    let consoles = match tool {
        "rails" => ["dbconsole", "db"],
        "manage.py" | "django-admin" => ["dbshell", "dbshell"],
        _ => ["", ""],
    };
    if consoles.iter().any(|known| verb.is(known)) {
        super::databases::carried::client(run, rest);
    }
    let queries = ["dbal:run-sql", "doctrine:query:sql", "doctrine:query:dql"];
    if matches!(tool, "console" | "symfony") && queries.iter().any(|known| verb.is(known)) {
        let texts = rest.iter().filter(|word| !word.text.prefix().starts_with('-')).take(1).cloned();
        super::databases::console(run, texts.collect());
    }
    let known = SHELLS.iter().find(|(name, known, ..)| *name == tool && verb.is(known));
    let Some((_, _, options, language)) = known else { return };
    let code = match options {
        [] => read(rest, VALUED, Order::Anywhere).operands.first().cloned(),
        _ => rest.iter().enumerate().find_map(|(at, word)| {
            let text = word.text.prefix();
            let attached =
                options.iter().any(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
            if attached {
                return Some(word.after('='));
            }
            options.contains(&text).then(|| rest.get(at + 1).cloned()).flatten()
        }),
    };
    let span = code.as_ref().map_or(run.call.span, |code| code.span);
    let from_input = code.is_none();
    let typed = || run.stdin().filter(|_| !options.is_empty()).cloned();
    if let Some(code) = code.as_ref().map(Word::value).or_else(typed) {
        let program = Program { code, span, file: None, from_input, args: Vec::new() };
        languages::run(run, *language, &program);
    }
}

pub(super) fn project_script(run: &mut Run) -> Outcome {
    interpreters::program(run).unwrap_or_else(|| run.derived())
}
