//! Task runners: `make`, `npm run`, `just` and their like run lines that stand in a file of the project.

pub(crate) mod just;
pub(crate) mod makefile;
pub(super) mod others;
mod taskfile;

use tollgate_model::{EffectKind, EnvUse, Protection, json};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Piece, Value};

use super::configs::members::{self, Set};
use super::strangers::possibly;
use super::{Run, alter, interpreters};
use crate::TEXT_LIMIT;
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::word::Word;
use crate::yaml;
pub(crate) use just::justfile_lines;
use makefile::Makefile;
pub(super) use others::ninja;
pub(crate) use others::{m4_commands, ninja_commands, with_members};

/// How many recipes one call follows.
const RECIPES: usize = 64;

/// How tasks are called that write into the project: `gen`, `api:generate`, `fmt`, `lint-fix`.
const WRITING: &[&str] = &[
    "gen",
    "generate",
    "codegen",
    "regen",
    "regenerate",
    "fmt",
    "format",
    "fix",
    "autofix",
    "scaffold",
    "bump",
    "update",
    "upgrade",
    "sync",
    "vendor",
    "migrate",
    "snapshot",
    "snapshots",
    "bless",
    "accept",
];

/// A task that is not known may write, by its name. No rule minds; a way of working that binds writes does.
fn unknown(run: &mut Run, goals: &[impl AsRef<str>]) {
    let mut parts = goals.iter().flat_map(|goal| goal.as_ref().split([':', '-', '_', '.', '/']));
    if parts.any(|part| WRITING.contains(&part)) {
        alter::perhaps(run, &Word::literal_at(".", run.call.span));
    }
}

/// Runs the lines of these tasks.
fn run_task(run: &mut Run, folder: Option<&Word>, goals: &[impl AsRef<str>], lines: &[String]) {
    if lines.is_empty() {
        unknown(run, goals);
    }
    run_lines(run, folder, lines);
}

/// Runs lines as shell text, each in a shell of its own, in a folder.
fn run_lines(run: &mut Run, folder: Option<&Word>, lines: &[String]) {
    let before = run.shell.cwd().clone();
    if let Some(folder) = folder {
        run.shell.set_cwd(&folder.value());
    }
    for line in lines.iter().take(RECIPES * 8) {
        interpreters::code(run, &Value::text(line), run.call.span);
    }
    run.shell.set_cwd(&before);
}

/// The text of the first of these files in a folder.
fn text_of(run: &mut Run, folder: Option<&Word>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let path = match folder {
            Some(folder) => folder.value().concat(&Value::text(&format!("/{name}"))),
            None => Value::text(name),
        };
        let word =
            Word { text: path.single()?.clone(), span: run.call.span, splits: false, taint: path.taint };
        tasks_in(run, &word)
    })
}

/// The text of a file of tasks; of one that the call has added to, what was there and what is known to be added.
fn tasks_in(run: &mut Run, file: &Word) -> Option<String> {
    run.analyst.recall_tasks(file, run.shell);
    let text = run.analyst.script(file, run.shell)?;
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, file.span);
    }
    if let Some(text) = text.as_literal() {
        return Some(text.to_owned());
    }
    let places = run.analyst.places(file, run.shell);
    let before = places.first().and_then(|(place, _)| run.analyst.world.read(&place.path, TEXT_LIMIT));
    let mut whole = before.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    for piece in text.any.iter().take(8).flat_map(|text| &text.pieces) {
        if let Piece::Text(added) = piece {
            whole.push('\n');
            whole.push_str(added);
        }
    }
    Some(whole)
}

pub(super) fn make(run: &mut Run) -> Outcome {
    run.in_files(follow_makefile)
}

fn follow_makefile(run: &mut Run) -> Outcome {
    let spec = "C,directory= f,file,makefile= j,jobs? k,keep-going n,just-print,dry-run,recon s,silent,quiet i,ignore-errors \
        B,always-make e,environment-overrides I,include-dir= o,old-file,assume-old= W,what-if,new-file,assume-new= \
        p,print-data-base q,question r,no-builtin-rules R,no-builtin-variables S,no-keep-going,stop t,touch v,version \
        w,print-directory no-print-directory l,load-average,max-load? no-silent check-symlink-times O,output-sync? d debug? trace eval= E= V= L b m h,help \
        warn-undefined-variables shuffle? jobserver-auth?";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("p") {
        return makefile::database(run, &options);
    }
    if ["v", "h"].into_iter().any(|name| options.has(name)) {
        return run.derived();
    }
    // Recipes are only shown then, but a makefile runs things while it is read.
    let dry = ["n", "q", "t"].into_iter().any(|name| options.has(name));
    let folder = options.value("C").cloned();
    let file = options.value("f").cloned();
    let text = match &file {
        Some(file) if file.is("-") => {
            let text = run.stdin().cloned().unwrap_or_else(Value::empty);
            if taint::has(text.taint, taint::NET) {
                run.analyst.dynamic_code(text.taint, run.call.span);
            }
            text.as_literal().map(str::to_owned)
        }
        Some(file) if file.literal().is_none() => tasks_in(run, file),
        Some(file) => {
            let name = file.shown();
            let absolute = name.starts_with('/');
            text_of(run, folder.as_ref().filter(|_| !absolute), &[&name])
        }
        None => text_of(run, folder.as_ref(), &["GNUmakefile", "makefile", "Makefile"]),
    };
    let text = makefile::brought(run) + &text.unwrap_or_default();
    let mut text = makefile::included(run, folder.as_ref(), &text, 0);
    for more in options.values("eval").chain(options.values("E")).filter_map(Word::literal) {
        text = format!("{text}\n{more}\n");
    }
    let given = options.operands.iter().filter_map(Word::literal);
    let (sets, goals): (Vec<&str>, Vec<&str>) = given.partition(|word| word.contains('='));
    let lines = Makefile::read(&text, &sets).lines(&goals, dry);
    match dry {
        true => run_lines(run, folder.as_ref(), &lines),
        false => run_task(run, folder.as_ref(), &goals, &lines),
    }
    // `bmake -V '${:!command!}'` shows what the command prints.
    let shown = options.values("V").flat_map(|word| makefile::asked(&word.shown())).collect::<Vec<_>>();
    for command in sets.iter().flat_map(|set| makefile::shells(set)).chain(shown) {
        possibly(run, |run| drop(interpreters::code(run, &Value::text(&command), run.call.span)));
    }
    given_tools(run, &sets, dry);
    run.derived()
}

/// The words that stand before every line of a recipe: behind `-c` there may be a command of their own.
fn is_shell_flags(name: &str) -> bool {
    name.trim_end_matches([':', '?', '+']) == ".SHELLFLAGS"
}

/// Tools and shells that variables on the line name.
fn given_tools(run: &mut Run, sets: &[&str], dry: bool) {
    for (name, value) in sets.iter().filter_map(|set| set.split_once('=')) {
        if super::variables::names_tool(name.trim_end_matches([':', '?', '+'])) {
            super::loads::tool(run, name, &Value::text(value));
        }
    }
    for (_, flags) in
        sets.iter().filter_map(|set| set.split_once('=')).filter(|(name, _)| is_shell_flags(name))
    {
        possibly(run, |run| {
            drop(interpreters::code(run, &Value::text(&format!("sh {flags}")), run.call.span))
        });
    }
    // A tool or a shell that is given on the line.
    for (_, value) in
        sets.iter().filter_map(|set| set.split_once('=')).filter(|(_, value)| value.contains(' ') && !dry)
    {
        possibly(run, |run| drop(interpreters::code(run, &Value::text(value), run.call.span)));
    }
}

pub(super) fn task(run: &mut Run) -> Outcome {
    run.in_files(follow_taskfile)
}

fn follow_taskfile(run: &mut Run) -> Outcome {
    let spec = "t,taskfile= d,dir= l,list a,list-all n,dry s,silent f,force p,parallel w,watch y,yes summary status init v,verbose \
        h,help version g,global x,exit-code o,output= c,color C,concurrency= I,interval=";
    let options = read(run.args, spec, Order::Anywhere);
    if ["l", "a", "n", "summary", "status", "init", "h", "version"].into_iter().any(|name| options.has(name))
    {
        return run.derived();
    }
    let folder = options.value("d").cloned();
    let name = options.value("t").map(Word::shown);
    let names: Vec<&str> = match &name {
        Some(name) => vec![name],
        None => vec!["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml"],
    };
    let text = text_of(run, folder.as_ref(), &names).unwrap_or_default();
    let goals: Vec<String> =
        options.operands.iter().map(Word::shown).filter(|word| !word.contains('=')).collect();
    let lines = taskfile::commands(&text, &goals);
    run_task(run, folder.as_ref(), &goals, &lines);
    run.derived()
}

fn unquoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    inner
        .or_else(|| text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')))
        .unwrap_or(text)
        .to_owned()
}

/// `pre-commit run` runs the hooks of the configuration.
pub(super) fn pre_commit(run: &mut Run) -> Outcome {
    if run.args.first().is_some_and(|verb| verb.is("run"))
        && let Some(text) = text_of(run, None, &[".pre-commit-config.yaml"])
    {
        run_lines(run, None, &hooks(&text));
    }
    run.derived()
}

/// What the hooks of a configuration run. Where the language is a search or a refusal, the entry is a pattern or a text.
fn hooks(text: &str) -> Vec<String> {
    let mut hooks: Vec<String> = vec![String::new()];
    for line in text.lines().filter(|line| !line.trim_start().starts_with("args:")) {
        if line.trim_start().starts_with("- ") {
            hooks.push(String::new());
        }
        if let Some(hook) = hooks.last_mut() {
            hook.push_str(line);
            hook.push('\n');
        }
    }
    let runs = |hook: &&String| {
        let language = hook.lines().find_map(|line| line.trim().strip_prefix("language:"));
        !matches!(language.map(str::trim), Some("pygrep" | "fail"))
    };
    hooks.iter().filter(runs).flat_map(|hook| yaml::commands(hook)).collect()
}

/// Verbs of package managers that run scripts of the same name.
const LIFECYCLE: &[(&str, &[&str])] = &[
    ("test", &["pretest", "test", "posttest"]),
    ("t", &["pretest", "test", "posttest"]),
    ("tst", &["pretest", "test", "posttest"]),
    ("start", &["prestart", "start", "poststart"]),
    ("stop", &["prestop", "stop", "poststop"]),
    ("restart", &["prerestart", "restart", "postrestart"]),
    ("install", &["preinstall", "install", "postinstall", "prepare"]),
    ("i", &["preinstall", "install", "postinstall", "prepare"]),
    ("ci", &["preinstall", "install", "postinstall", "prepare"]),
    ("publish", &["prepublishOnly", "prepare", "prepublish", "publish", "postpublish"]),
    ("pack", &["prepack", "prepare", "postpack"]),
    ("version", &["preversion", "version", "postversion"]),
];

pub(super) fn package(run: &mut Run) -> Outcome {
    run.in_files(follow_scripts)
}

fn follow_scripts(run: &mut Run) -> Outcome {
    let spec = "C,prefix,cwd,dir= w,workspace= ws,workspaces F,filter= s,silent if-present ignore-scripts loglevel= registry= \
        userconfig= script-shell= r,recursive g,global D,save-dev dry-run parallel stream";
    let options = read(run.args, spec, Order::Anywhere);
    let Some((verb, rest)) = options.operands.split_first() else { return run.derived() };
    if options.has("ignore-scripts") {
        return run.derived();
    }
    let verb = verb.shown();
    if verb == "config" || verb == "set" {
        weak_config(run, rest);
        return run.derived();
    }
    sets_scripts(run, &verb, rest);
    if verb == "explore"
        && let Some(at) = run.args.iter().position(|word| word.is("--"))
    {
        return run.inner(run.args.get(at + 1..).unwrap_or_default());
    }
    let folder = options.value("C").cloned();
    let names = script_names(run.program, &verb, rest, &options);
    if names.is_empty() {
        return run.derived();
    }
    let text = text_of(run, folder.as_ref(), &["package.json"]).unwrap_or_default();
    let lines: Vec<String> = scripts(&text, &names);
    // A script of this name that nobody wrote prints the environment.
    if lines.is_empty() && names.iter().any(|name| name == "env") {
        run.push(tollgate_model::EffectKind::EnvRead { what: EnvUse::All });
        return Outcome::unknown(crate::analyst::taint::ENVIRONMENT);
    }
    if lines.is_empty() && rest.first().is_some_and(|name| names.contains(&name.shown())) {
        unknown(run, &names);
    }
    run_lines(run, folder.as_ref(), &lines);
    run.derived()
}

/// `npm pkg set scripts.test=line`, `npm set-script test line`.
fn sets_scripts(run: &mut Run, verb: &str, rest: &[Word]) {
    let package = Word::literal_at("package.json", run.call.span);
    let mut sets = Vec::new();
    match (verb, rest) {
        ("set-script", [name, line]) => {
            sets.extend(line.literal().map(|line| Set::text(&format!("scripts.{}", name.shown()), line)));
        }
        ("pkg", [set, pairs @ ..]) if set.is("set") => {
            for pair in pairs.iter().filter(|word| word.text.prefix().contains('=')) {
                let line = pair.after('=');
                if pair.text.prefix().starts_with("scripts.") {
                    possibly(run, |run| drop(interpreters::code(run, &line.value(), line.span)));
                }
                let name = pair.text.prefix().split('=').next().unwrap_or_default();
                sets.extend(line.literal().map(|line| Set::text(name, line)));
            }
        }
        _ => {}
    }
    if !sets.is_empty() {
        members::edit(run, &package, &sets);
    }
}

/// The scripts that a verb runs, with what runs before and after them.
fn script_names(program: &str, verb: &str, rest: &[Word], options: &Options) -> Vec<String> {
    let around = |name: &str| vec![format!("pre{name}"), name.to_owned(), format!("post{name}")];
    if matches!(verb, "run" | "run-script" | "rum" | "urn") {
        return rest.first().map(|name| around(&name.shown())).unwrap_or_default();
    }
    // An install of named packages runs their scripts, not the project's.
    let names_packages = matches!(verb, "install" | "i") && !rest.is_empty() || options.has("g");
    if let Some((_, names)) = LIFECYCLE.iter().find(|(name, _)| *name == verb).filter(|_| !names_packages) {
        return names.iter().map(|name| (*name).to_owned()).collect();
    }
    let own = [
        "add", "remove", "init", "create", "exec", "dlx", "x", "why", "list", "ls", "outdated", "audit",
        "up", "upgrade", "info", "view", "link", "cache", "config",
    ];
    if matches!(program, "yarn" | "pnpm" | "bun") && !own.contains(&verb) { around(verb) } else { Vec::new() }
}

/// The lines of these scripts of a `package.json`.
fn scripts(text: &str, names: &[String]) -> Vec<String> {
    let Ok(value) = json::parse(text.as_bytes()) else { return Vec::new() };
    let Some(scripts) = value.get("scripts") else { return Vec::new() };
    names.iter().filter_map(|name| scripts.text(name)).map(|line| with_members(&value, line)).collect()
}

/// `npm config set strict-ssl false`.
fn weak_config(run: &mut Run, rest: &[Word]) {
    let words = rest.iter().map(Word::shown).collect::<Vec<_>>().join(" ").replace('=', " ");
    let code = ["script-shell", "shell", "editor", "viewer", "git"];
    let mut parts = words.split_whitespace().skip_while(|word| matches!(*word, "set" | "-g" | "--global"));
    if parts.next().is_some_and(|key| code.contains(&key)) {
        let value = Value::text(&parts.collect::<Vec<_>>().join(" "));
        possibly(run, |run| drop(interpreters::code(run, &value, run.call.span)));
        super::loads::tool(run, "npm config", &value);
    }
    if words.contains("strict-ssl false") {
        let how = format!("{} connects without certificate checks", run.program);
        run.push(EffectKind::Weaken { protection: Protection::Certificates, how });
    }
}

/// The commands of a CMake script, as shell text.
pub(crate) fn cmake_commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for (call, start) in [("execute_process", "COMMAND"), ("file", "REMOVE_RECURSE")] {
        for rest in text.split(&format!("{call}(")).skip(1) {
            let Some((_, words)) = rest.split(')').next().unwrap_or_default().split_once(start) else {
                continue;
            };
            let words = words.trim().replace("$ENV{", "${");
            commands.push(if call == "file" { format!("rm -rf {words}") } else { words });
        }
    }
    // What is downloaded is run by a later command.
    for rest in text.split("file(").skip(1).filter_map(|rest| rest.trim_start().strip_prefix("DOWNLOAD")) {
        let mut words = rest.split(')').next().unwrap_or_default().split_whitespace();
        if let (Some(url), Some(file)) = (words.next(), words.next()) {
            let whole = format!("curl -o {file} {url}\n{}", commands.join("\n"));
            commands.push(whole);
        }
    }
    for call in ["add_custom_command(", "add_custom_target(", "ExternalProject_Add("] {
        for rest in text.split(call).skip(1).take(256) {
            let body = rest.split("\n)").next().unwrap_or_default();
            let body = body.split("add_custom_").next().unwrap_or_default().trim_end().trim_end_matches(')');
            commands.extend(body.split("COMMAND").skip(1).map(cmake_words));
        }
    }
    commands
}

/// The words of a command up to the next keyword.
fn cmake_words(text: &str) -> String {
    let keywords = [
        "WORKING_DIRECTORY",
        "DEPENDS",
        "COMMENT",
        "VERBATIM",
        "BYPRODUCTS",
        "USES_TERMINAL",
        "MAIN_DEPENDENCY",
    ];
    let end = keywords.iter().filter_map(|word| text.find(word)).min().unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim().replace("$ENV{", "${")
}
