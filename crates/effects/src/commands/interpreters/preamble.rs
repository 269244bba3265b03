//! What the options of an interpreter put before the program or around it, in the words of its language; and the folders
//! that modules are looked for in.

use tollgate_shell::value::Value;

use super::given::Given;
use crate::commands::Run;
use crate::word::Word;

/// `ruby -I folder -r library`
pub(super) fn ruby(given: &Given) -> Value {
    let folders = literals(given, "I").map(|folder| format!("$LOAD_PATH.unshift(\"{folder}\");"));
    let libraries = literals(given, "r").map(|library| format!("require \"{library}\";"));
    Value::text(&folders.chain(libraries).collect::<String>())
}

/// `perl -I folder -M module=names -n`
pub(super) fn perl(given: &Given) -> Value {
    let folders = literals(given, "I").map(|folder| format!("use lib \"{folder}\";"));
    let modules = given.values("M").chain(given.values("m")).filter_map(Word::literal).map(used);
    // Each line that comes in is given to the program; those of files are not known.
    let lines = (given.has("n") || given.has("p")) && given.rest.is_empty();
    let line = lines.then(|| "$_=<STDIN>;".to_owned());
    Value::text(&folders.chain(modules).chain(line).collect::<String>())
}

/// `-MName=a,b` brings in names; any other text stands behind `use`, or `no`, as it is.
fn used(text: &str) -> String {
    let (verb, text) = text.strip_prefix('-').map_or(("use", text), |rest| ("no", rest));
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
    match text.split_once('=') {
        Some((name, names)) if is_name(name) && names.contains(['{', '}', '\\']) => format!("{verb} {name};"),
        Some((name, names)) if is_name(name) => format!("{verb} {name} split(/,/,q{{{names}}});"),
        _ => format!("{verb} {text};"),
    }
}

fn literals<'g>(given: &'g Given, name: &'g str) -> impl Iterator<Item = &'g str> {
    given.values(name).filter_map(Word::literal).filter(|text| !text.contains(['"', '\\', '#', '$', '@']))
}

/// The folders that a variable of the environment names, each with a slash behind it.
pub(super) fn folders(run: &Run, name: &str) -> Vec<String> {
    let assigns = &run.call.assigns;
    let set = assigns.iter().rev().find(|(set, _)| **set == *name).map(|(_, value)| value.clone());
    let exported = || run.shell.exported().find(|(set, _)| *set == name).map(|(_, value)| value);
    let value = set.or_else(exported).unwrap_or_else(Value::empty);
    let folders = value.literals().flat_map(|text| text.split(':')).filter(|folder| !folder.is_empty());
    folders.take(16).map(|folder| format!("{}/", folder.trim_end_matches('/'))).collect()
}

/// Code whose value is printed, or not.
pub(super) fn printing(code: &Value, prints: bool) -> Value {
    match prints {
        true => Value::text("console.log(").concat(code).concat(&Value::text("\n)")),
        false => code.clone(),
    }
}
