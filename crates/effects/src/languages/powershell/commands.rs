//! PowerShell's commands: what they do. A catalogue.

use std::rc::Rc;

use tollgate_model::{Certainty, EffectKind, Lasting, ProcessAction, Protection, WriteMode};
use tollgate_shell::value::Value;

use super::super::machine::Machine;
use super::super::ops::{Known, Op};
use super::super::pure::{self, Pure};
use super::super::token::{Scan, is_name};
use super::super::value::{Args, Val};
use super::dotnet::{self, short_type};
use super::quotes::blanks;
use super::web::{fetch, mail};
use super::{block, operand};
use crate::analyst::taint;
use crate::commands::is_command;

/// Parameters that take no value.
const SWITCHES: &[&str] = &[
    "recurse",
    "force",
    "whatif",
    "confirm",
    "verbose",
    "passthru",
    "append",
    "noclobber",
    "raw",
    "asjob",
    "wait",
    "nonewline",
    "usebasicparsing",
    "debug",
    "nonewwindow",
    "file",
    "directory",
    "hidden",
    "asbytestream",
    "skipcertificatecheck",
    "unique",
    "descending",
    "quiet",
    "asplaintext",
    "compress",
    "notypeinformation",
    "useculture",
    "stream",
];

/// What `Get-Process` yields when it is given nothing.
const PROCESSES: &str = "all processes";

/// What a command was given.
pub(super) struct Given {
    named: Vec<(String, Option<Val>)>,
    list: Vec<Val>,
    /// All words, for programs.
    words: Vec<Val>,
}

impl Given {
    /// The value of a parameter, whose name may be cut short.
    pub fn get(&self, name: &str) -> Option<&Val> {
        self.named
            .iter()
            .find(|(given, _)| name.starts_with(given.as_str()))
            .and_then(|(_, value)| value.as_ref())
    }

    fn has(&self, name: &str) -> bool {
        self.named.iter().any(|(given, _)| name.starts_with(given.as_str()))
    }

    /// The value of a parameter, or the first word without one.
    pub fn or_first(&self, names: &[&str]) -> Val {
        let named = names.iter().find_map(|name| self.get(name));
        named.or(self.list.first()).cloned().unwrap_or_else(Val::unknown)
    }
}

/// Runs a command: its words follow.
pub(super) fn run(m: &mut Machine, name: &Val, scan: &mut Scan, piped: Option<&Val>) -> Val {
    let known = name.literal().map(|name| name.to_lowercase());
    let given = given(m, scan, piped);
    let Some(known) = known else {
        if let Val::Text(text) = name {
            let words: Vec<Val> = std::iter::once(Val::Text(text.clone())).chain(given.words).collect();
            return m.run_spawn(&Args::of(vec![Val::list(words)]));
        }
        m.opaque("a command in its code is known only at run time");
        return Val::unknown();
    };
    if given.has("whatif") {
        return Val::unknown();
    }
    cmdlet(m, &known, &given, piped).unwrap_or_else(|| native(m, &known, &given, piped))
}

fn given(m: &mut Machine, scan: &mut Scan, piped: Option<&Val>) -> Given {
    let mut given = Given { named: Vec::new(), list: Vec::new(), words: Vec::new() };
    loop {
        blanks(scan);
        if matches!(scan.peek(), None | Some('\n' | ';' | '|' | '}' | ')')) || scan.sees("&&") || !m.burn(4) {
            return given;
        }
        if scan.eat(">>") || scan.eat(">") || scan.sees("2>") {
            redirect(m, scan, piped);
            continue;
        }
        if scan.sees("{") {
            block(m, scan, piped);
            continue;
        }
        if scan.sees("@") && scan.second().is_some_and(is_name) {
            splat(m, scan, &mut given);
            continue;
        }
        let before = scan.at;
        if scan.sees("-") && scan.second().is_some_and(|c| c.is_alphabetic()) {
            parameter(m, scan, &mut given);
        } else if let Some(value) = values(m, scan) {
            given.words.push(value.clone());
            given.list.push(value);
        }
        if scan.at == before {
            scan.next();
        }
    }
}

/// `@name`: the parameters that a table holds, or the words of a list.
fn splat(m: &mut Machine, scan: &mut Scan, given: &mut Given) {
    scan.next();
    let name = scan.take(is_name).to_lowercase();
    match m.scope.get(&name).cloned() {
        Some(Val::Table(table)) => {
            let entries = table.entries.iter().filter(|(_, value)| !matches!(value, Val::Name(_)));
            given.named.extend(entries.map(|(name, value)| (name.to_string(), Some(value.clone()))));
        }
        Some(value) => {
            given.words.extend(value.items_or_self());
            given.list.extend(value.items_or_self());
        }
        None => {}
    }
}

/// A value, or several with commas between them.
fn values(m: &mut Machine, scan: &mut Scan) -> Option<Val> {
    let first = operand(m, scan)?;
    let mut items = vec![first];
    blanks(scan);
    while scan.eat(",") && m.burn(4) {
        scan.take(char::is_whitespace);
        items.push(operand(m, scan).unwrap_or_else(Val::unknown));
        blanks(scan);
    }
    if items.len() == 1 { items.pop() } else { Some(Val::list(items)) }
}

pub(super) fn redirect(m: &mut Machine, scan: &mut Scan, piped: Option<&Val>) {
    if scan.eat("2>") {
        scan.take(|c| matches!(c, '>' | '&' | '1'));
    }
    blanks(scan);
    if let Some(path) = operand(m, scan)
        && path.literal().is_none_or(|path| !matches!(path.as_str(), "null" | "/dev/null"))
        && !matches!(path, Val::Name(_))
    {
        let content = piped.map(Val::as_text);
        m.write(&path, WriteMode::Overwrite, content.as_ref());
    }
}

fn parameter(m: &mut Machine, scan: &mut Scan, given: &mut Given) {
    let start = scan.at;
    scan.next();
    let name = scan.take(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).to_lowercase();
    given.words.push(Val::text(scan.text.get(start..scan.at).unwrap_or_default()));
    let attached = scan.eat(":");
    blanks(scan);
    let switch = SWITCHES.iter().any(|switch| switch.starts_with(name.as_str()));
    let more = scan.peek().is_some_and(|c| !matches!(c, '\n' | ';' | '|' | '}' | ')' | '-'));
    let value = if attached || (!switch && more && !scan.sees("{")) { values(m, scan) } else { None };
    given.words.extend(value.clone());
    given.named.push((name, value));
}

fn cmdlet(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Option<Val> {
    let value = file_cmdlet(m, name, given, piped)
        .or_else(|| running_cmdlet(m, name, given, piped))
        .or_else(|| plain_cmdlet(m, name, given, piped));
    if value.is_some() {
        return value;
    }
    let target = m.scope.get(&format!("alias:{name}")).and_then(Val::literal);
    match target {
        // An alias may lead to itself.
        Some(target) if m.enter() => {
            let value = cmdlet(m, &target.to_lowercase(), given, piped);
            m.leave();
            value
        }
        // Other commands of PowerShell do not touch files.
        _ if is_cmdlet(name) && !is_command(name) => {
            Some(Val::Unknown(piped.map(Val::taint).unwrap_or_default()))
        }
        _ => None,
    }
}

/// The path that a command was given, or what comes down the pipeline.
fn path_of(m: &Machine, given: &Given, piped: Option<&Val>) -> Val {
    let path = given.or_first(&["path", "literalpath", "filepath", "fullname"]);
    let path = if matches!(path, Val::Unknown(_)) { piped.cloned().unwrap_or(path) } else { path };
    match path {
        Val::Text(text) => Val::Text(pure::expand_user(&text, m.run.analyst.world.home())),
        other => other,
    }
}

/// Commands for files.
fn file_cmdlet(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Option<Val> {
    let path = path_of(m, given, piped);
    let one = |path: Val| Args::of(vec![path]);
    Some(match name {
        // With the options of the program of that name it is that program.
        "rm" | "rmdir" if given.words.iter().filter_map(Val::literal).any(|word| is_native_option(&word)) => {
            return None;
        }
        "remove-item" | "ri" | "del" | "erase" | "rd" | "rm" | "rmdir" => {
            let target = globbed(m, &path);
            m.files(if given.has("recurse") { Op::DeleteTree } else { Op::Delete }, &one(target))
        }
        "clear-content" | "clc" | "clear-item" => m.files(Op::Truncate, &one(path)),
        "move-item" | "mi" | "move" | "rename-item" | "ren" | "rni" => {
            m.files(Op::Move, &Args::of(vec![path, destination(given)]))
        }
        "copy-item" | "cpi" | "copy" => m.files(Op::CopyTree, &Args::of(vec![path, destination(given)])),
        "get-content" | "gc" | "type" | "cat" => {
            let source = globbed(m, &path);
            Val::Text(m.read(&source))
        }
        "select-string" | "sls" => {
            let file = given.get("path").or(given.list.get(1)).cloned();
            file.map_or_else(|| piped.cloned().unwrap_or_default(), |file| Val::Text(m.read(&file)))
        }
        "set-content" | "sc" | "out-file" | "add-content" | "ac" | "tee-object" | "tee" | "export-csv"
        | "export-clixml" => written(m, name, given, piped),
        "new-item" | "ni" => {
            let kind = given.get("itemtype").and_then(Val::literal).unwrap_or_default().to_lowercase();
            if !kind.starts_with('d') {
                m.write(&path, WriteMode::Overwrite, given.get("value").map(Val::as_text).as_ref());
            }
            Val::unknown()
        }
        "get-childitem" | "gci" | "dir" | "ls" | "get-item" | "gi" => listing(m, given, &path),
        "set-location" | "cd" | "sl" | "chdir" | "push-location" | "pushd" => {
            m.files(Op::ChangeDir, &one(path))
        }
        "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" => {
            m.write(&Val::text("/dev/disk"), WriteMode::Overwrite, None);
            Val::unknown()
        }
        "resolve-path" | "convert-path" | "split-path" => path,
        "join-path" => {
            let named = [given.get("path"), given.get("childpath")].into_iter().flatten();
            pure::apply(Pure::JoinPaths, &Args::of(named.chain(&given.list).cloned().collect()))
        }
        _ => return None,
    })
}

fn is_native_option(word: &str) -> bool {
    matches!(word, "-rf" | "-fr" | "-f" | "--")
}

/// Commands that run something, or talk to others.
fn running_cmdlet(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Option<Val> {
    Some(match name {
        "invoke-expression" | "iex" => {
            let code = given.get("command").or(given.list.first()).or(piped).cloned();
            evaluate(m, &code.unwrap_or_else(Val::unknown))
        }
        "invoke-webrequest" | "iwr" | "invoke-restmethod" | "irm" | "start-bitstransfer" => fetch(m, given),
        "resolve-dnsname" => m.network(Op::Resolve, &Args::of(vec![given.or_first(&["name"])])),
        "test-connection" | "test-netconnection" | "tnc" => {
            m.network(Op::Resolve, &Args::of(vec![given.or_first(&["computername", "targetname"])]))
        }
        "send-mailmessage" => mail(m, given),
        "start-process" | "saps" | "start" => {
            let program = given.or_first(&["filepath"]);
            let list = given.get("argumentlist").or(given.list.get(1)).map(Val::items_or_self);
            let list = list.unwrap_or_default();
            // The arguments are one text in the end, with whatever quotes are in them.
            let several = list.iter().filter_map(Val::literal).any(|text| text.contains(' '));
            let words: Vec<Val> = std::iter::once(program).chain(list).collect();
            if several {
                m.perform(Op::StartText, name, &Args::of(words.clone()));
            }
            m.run_spawn(&Args::of(vec![Val::list(words)]))
        }
        "stop-computer" | "restart-computer" => m.perform(Op::Power, name, &Args::default()),
        "stop-process" | "spps" | "kill" => {
            let all = matches!(piped, Some(Val::Object(object)) if &*object.class == PROCESSES);
            let unknown = if all { "-1" } else { "?" };
            let target = given.or_first(&["id", "name"]).literal().unwrap_or_else(|| unknown.to_owned());
            m.push(
                EffectKind::Process { action: ProcessAction::signal("stop-process"), target },
                Certainty::Certain,
            );
            Val::unknown()
        }
        "invoke-sqlcmd" | "invoke-sqlcmd2" | "invoke-dbaquery" => {
            m.asked_of_service("", "query", &Args::of(vec![given.or_first(&["query"])]));
            Val::unknown()
        }
        "register-scheduledtask" | "register-scheduledjob" | "new-service" => {
            m.push(EffectKind::Persist { kind: Lasting::Job, what: name.to_owned() }, Certainty::Certain);
            Val::unknown()
        }
        "set-executionpolicy" => {
            let how = "the execution policy for scripts".into();
            m.push(EffectKind::Weaken { protection: Protection::Other, how }, Certainty::Certain);
            Val::unknown()
        }
        "new-object" => {
            let class = short_type(&given.or_first(&["typename"]).literal().unwrap_or_default());
            Val::object(&class, Args::of(given.list.iter().skip(1).cloned().collect()))
        }
        _ => return None,
    })
}

/// Commands that print, hand on, or do nothing that matters.
fn plain_cmdlet(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Option<Val> {
    Some(match name {
        "write-output" | "write-host" | "echo" | "write" | "out-host" | "out-string" | "out-default" => {
            let value = given.list.first().or(piped).cloned().unwrap_or_else(Val::unknown);
            let value = m.exposed(&value);
            if name != "out-string" {
                m.print(&value.as_text().concat(&Value::text("\n")));
            }
            value
        }
        "get-location" | "gl" => m.known(Known::Folder),
        "set-alias" | "sal" | "new-alias" | "nal" => {
            if let [alias, target, ..] = given.list.as_slice() {
                let alias = alias.literal().unwrap_or_default().to_lowercase();
                m.scope.set(&format!("alias:{alias}"), target.clone());
            }
            Val::unknown()
        }
        "get-process" | "gps" | "ps" if given.list.is_empty() && given.named.is_empty() => {
            Val::object(PROCESSES, Args::default())
        }
        // Some of them are left.
        "where-object" | "?" | "where" => match piped {
            Some(Val::Object(_)) | None => Val::unknown(),
            Some(list) => list.clone(),
        },
        // `% Delete` calls the method of that name.
        "foreach-object" | "%" if given.list.first().is_some_and(|name| name.literal().is_some()) => {
            let name = given.list.first().and_then(Val::literal).unwrap_or_default().to_lowercase();
            let items = piped.cloned().unwrap_or_else(Val::unknown);
            let item = if matches!(items, Val::List(_)) { items.item() } else { items };
            dotnet::method(m, &item, &name, Args::of(given.list.iter().skip(1).cloned().collect()))
        }
        "foreach-object" | "%" | "sort-object" | "select-object" | "select" | "sort" | "measure-object"
        | "format-table" | "ft" | "format-list" | "fl" | "convertfrom-json" | "convertto-json"
        | "group-object" => piped.cloned().unwrap_or_else(Val::unknown),
        "import-module" | "ipmo" if given.list.first().is_some_and(is_file) => {
            let file = given.list.first().cloned().unwrap_or_else(Val::unknown);
            for text in m.file_texts(&file) {
                super::program(m, &text);
            }
            Val::unknown()
        }
        "test-path" | "get-command" | "gcm" | "get-process" | "get-service" | "get-date" | "start-sleep"
        | "import-module" | "function" | "using" | "start-job" | "invoke-command" | "icm" | "get-help"
        | "get-module" | "set-strictmode" | "set-variable" | "out-null" => Val::unknown(),
        _ => return None,
    })
}

/// A module that is named by its file.
fn is_file(name: &Val) -> bool {
    name.literal().is_some_and(|name| name.contains('/') || name.ends_with(".psm1") || name.ends_with(".ps1"))
}

/// `Verb-Noun`
fn is_cmdlet(name: &str) -> bool {
    let verbs = [
        "get",
        "set",
        "new",
        "add",
        "write",
        "read",
        "out",
        "convertto",
        "convertfrom",
        "import",
        "export",
        "test",
        "update",
        "enable",
        "disable",
        "register",
        "wait",
        "receive",
        "measure",
        "compare",
        "group",
        "show",
        "find",
        "install",
        "uninstall",
        "invoke",
    ];
    name.split_once('-').is_some_and(|(verb, noun)| verbs.contains(&verb) && !noun.is_empty())
}

fn destination(given: &Given) -> Val {
    let named = given.get("destination").or(given.get("newname"));
    named.or(given.list.get(1)).cloned().unwrap_or_else(Val::unknown)
}

/// Wild cards in a path are wild cards.
fn globbed(m: &mut Machine, path: &Val) -> Val {
    match path {
        Val::Text(text) if text.literals().any(|text| text.contains(['*', '?'])) => {
            m.files(Op::Glob, &Args::of(vec![path.clone()]))
        }
        other => other.clone(),
    }
}

fn written(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Val {
    let path = given.or_first(&["path", "literalpath", "filepath"]);
    let value = given.get("value").or(given.get("inputobject")).or(piped).or(given.list.get(1)).cloned();
    let appends = matches!(name, "add-content" | "ac") || given.has("append");
    let mode = if appends { WriteMode::Append } else { WriteMode::Overwrite };
    let content = value.map(|value| m.exposed(&value).as_text());
    m.write(&path, mode, content.as_ref());
    Val::unknown()
}

fn listing(m: &mut Machine, given: &Given, path: &Val) -> Val {
    let shown = path.literal().unwrap_or_default().to_lowercase();
    if shown.starts_with("env:") {
        let value = m.environment(true, "", &Args::default());
        m.leaks(value.taint());
        return value;
    }
    let deep = given.has("recurse");
    let pattern = given.get("filter").or(given.get("include")).cloned().unwrap_or_else(|| Val::text("*"));
    let folder =
        if given.list.is_empty() && given.get("path").is_none() { Val::text(".") } else { path.clone() };
    m.files(if deep { Op::GlobDeep } else { Op::GlobBelow }, &Args::of(vec![folder, pattern]))
}

/// Runs text as PowerShell.
pub(super) fn evaluate(m: &mut Machine, code: &Val) -> Val {
    let marks = code.taint();
    if taint::has(marks, taint::NET) {
        m.dynamic(marks);
    }
    match code.literal() {
        Some(text) => super::program(m, &text),
        None if taint::has(marks, taint::NET) => Val::Unknown(marks),
        None => {
            m.dynamic(marks);
            Val::Unknown(marks)
        }
    }
}

/// A program that is no command of PowerShell.
fn native(m: &mut Machine, name: &str, given: &Given, piped: Option<&Val>) -> Val {
    // PowerShell itself puts the home for a tilde.
    let home = m.run.analyst.world.home();
    let at_home = |word: &Val| match word {
        Val::Text(text) => Val::Text(pure::expand_user(text, home)),
        other => other.clone(),
    };
    let words: Vec<Val> = std::iter::once(Val::text(name)).chain(given.words.iter().map(at_home)).collect();
    let mut args = Args::of(vec![Val::list(words)]);
    args.named.extend(piped.cloned().map(|value| (Rc::from("input"), value)));
    m.run_spawn(&args)
}
