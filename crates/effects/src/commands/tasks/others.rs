//! Runners of tasks with little to say about them: `ninja`, `composer`.

use tollgate_model::json::{self, Value as Json};
use tollgate_shell::eval::Outcome;

use super::{RECIPES, run_lines, text_of};
use crate::commands::Run;
use crate::options::{Order, read};
use crate::word::Word;

/// `ninja` runs the commands of its rules, which a generator wrote, or this call.
pub(in crate::commands) fn ninja(run: &mut Run) {
    let options = read(run.args, "C= f= j= k= l= n t= d= w= v verbose quiet h version", Order::Anywhere);
    if options.has("t") || options.has("n") {
        return;
    }
    let folder = options.value("C").cloned();
    let name = options.value("f").map_or_else(|| "build.ninja".to_owned(), Word::shown);
    let Some(text) = text_of(run, folder.as_ref().filter(|_| !name.starts_with('/')), &[&name]) else {
        return;
    };
    run_lines(run, folder.as_ref(), &ninja_commands(&text));
}

/// The commands of the rules in a file of ninja's.
pub(crate) fn ninja_commands(text: &str) -> Vec<String> {
    let commands = text.lines().filter_map(|line| line.trim().strip_prefix("command"));
    let commands = commands.filter_map(|rest| rest.trim_start().strip_prefix('='));
    commands.take(RECIPES * 4).map(|line| line.trim().replace("$$", "$")).collect()
}

pub(in crate::commands) fn composer(run: &mut Run) -> Outcome {
    let options = read(run.args, "d,working-dir= n q v no-scripts dev timeout=", Order::Anywhere);
    let words: Vec<String> = options.operands.iter().map(Word::shown).collect();
    let names: Vec<&str> = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["run" | "run-script", name, ..] => vec![name],
        ["install" | "i", ..] => [&["pre-install-cmd", "post-install-cmd"], DUMP].concat(),
        ["update" | "u" | "require" | "remove", ..] => {
            [&["pre-update-cmd", "post-update-cmd"], DUMP].concat()
        }
        ["dump-autoload" | "dumpautoload", ..] => DUMP.to_vec(),
        [name, ..] => vec![name],
        [] => return run.derived(),
    };
    let folder = options.value("d").cloned();
    let text = text_of(run, folder.as_ref(), &["composer.json"]).filter(|_| !options.has("no-scripts"));
    if let Some(value) = text.and_then(|text| json::parse(text.as_bytes()).ok())
        && let Some(scripts) = value.get("scripts")
    {
        let lines: Vec<String> = names.iter().flat_map(|name| composer_lines(scripts, name, 3)).collect();
        run_lines(run, folder.as_ref(), &lines);
    }
    run.derived()
}

/// What runs whenever the list of classes is made anew.
const DUMP: &[&str] = &["pre-autoload-dump", "post-autoload-dump"];

/// The commands of a script; one may name another, or a program by a name of composer's own.
fn composer_lines(scripts: &Json, name: &str, depth: usize) -> Vec<String> {
    let lines: Vec<&str> = match scripts.get(name) {
        Some(Json::String(line)) => vec![line],
        Some(Json::List(lines)) => lines.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let followed = lines.into_iter().flat_map(|line| match line.strip_prefix('@') {
        Some(rest) if ["php ", "composer "].iter().any(|own| rest.starts_with(own)) => vec![rest.to_owned()],
        Some(rest) => match rest.strip_prefix("putenv ") {
            Some(pair) => vec![format!("export {pair}")],
            None if depth > 0 => composer_lines(scripts, rest, depth - 1),
            None => Vec::new(),
        },
        // A method of a class of the project.
        None if line.contains("::") => Vec::new(),
        None => vec![line.to_owned()],
    });
    followed.take(RECIPES).collect()
}

/// A script of a `package.json` with the members of that file which it names: `$npm_package_config_port`.
pub(crate) fn with_members(manifest: &Json, line: &str) -> String {
    let mut parts = line.split("$npm_package_").flat_map(|part| part.split("${npm_package_"));
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let rest = part.get(name.len()..).unwrap_or_default();
        let value = match name.split_once('_') {
            Some((parent, name)) => manifest.get(parent).and_then(|members| members.text(name)),
            None => manifest.text(&name),
        };
        filled.push_str(value.unwrap_or_default());
        filled.push_str(rest.strip_prefix('}').unwrap_or(rest));
    }
    filled
}

/// The commands of `syscmd` and `esyscmd` in a text of the macro processor.
pub(crate) fn m4_commands(text: &str) -> Vec<String> {
    let calls = text.split("syscmd(").skip(1).take(256);
    let commands = calls.map(|rest| rest.split(')').next().unwrap_or_default().trim());
    commands.map(|command| command.trim_matches(['`', '\'', '[', ']', '"']).to_owned()).collect()
}
