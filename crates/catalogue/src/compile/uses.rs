//! Reads a `[[use]]` of a program: which calls are meant, which of their words, and what these are.

use strsim::damerau_levenshtein;
use toml::{Spanned, Value};

use super::file::UsePart;
use super::quoted;

/// The keys that say which calls are meant and how they are read.
const KEYS: &[&str] = &["call", "begins", "with", "without", "options", "flags", "until"];

/// The keys that say more about a role.
const DETAILS: &[&str] = &["address", "by-default", "forge", "locally"];

/// The roles of words: the key in the files, and the variant of `Role`. Its value names the words.
const ROLES: &[(&str, &str)] = &[
    ("reads", "Reads"),
    ("deletes", "Deletes"),
    ("edits", "Edits"),
    ("writes", "Writes"),
    ("may-write", "MayWrite"),
    ("loads-environment", "LoadsEnvironment"),
    ("compiles", "Compiles"),
    ("builds-in", "BuildsIn"),
    ("empties", "Empties"),
    ("serves", "Serves"),
    ("fetches-tree", "FetchesTree"),
    ("runs-remotely", "RunsRemotely"),
    ("uploads", "Uploads"),
    ("copies", "Copies"),
    ("looks-up", "LooksUp"),
    ("traces", "Traces"),
    ("listens", "Listens"),
];

/// The roles of whole calls. Their value is `true`.
const CALLS: &[(&str, &str)] = &[("opens-tunnel", "OpensTunnel"), ("prints-setup", "PrintsSetup")];

/// The roles of code. Their value is a language.
const CODE: &[(&str, &str)] = &[("runs-code", "RunsCode"), ("runs-source", "RunsSource")];

/// What is wrong with a use, and at which bytes of the file.
pub type Wrong = (std::ops::Range<usize>, String);

/// A use as an expression of Rust.
///
/// # Errors
/// The first thing that is wrong.
pub fn rust(part: &UsePart) -> Result<String, Wrong> {
    let mut fields = Vec::new();
    let mut role = None;
    for (key, value) in part {
        let name = key.get_ref().as_str();
        if KEYS.contains(&name) {
            fields.push(field(name, text(value)?));
        } else if !DETAILS.contains(&name) {
            let said = read_role(part, key, value)?;
            if role.replace(said).is_some() {
                return Err((key.span(), format!("`{name}` is a second role: write a `[[use]]` of its own")));
            }
        }
    }
    let span = part.keys().next().map(Spanned::span).unwrap_or_default();
    fields.push(role.ok_or((span, "this `[[use]]` has no role".to_owned()))?);
    Ok(format!("Use {{ {}, ..Use::ANY }}", fields.join(", ")))
}

fn text(value: &Spanned<Value>) -> Result<&str, Wrong> {
    value.get_ref().as_str().ok_or((value.span(), "must be a text".to_owned()))
}

fn field(name: &str, text: &str) -> String {
    match name {
        "call" => {
            let words: Vec<String> = text.split_whitespace().map(|word| list(word.split('|'))).collect();
            format!("call: &[{}]", words.join(", "))
        }
        "options" => format!("options: {}", quoted(text)),
        _ => format!("{name}: {}", list(text.split_whitespace())),
    }
}

fn list<'t>(words: impl Iterator<Item = &'t str>) -> String {
    format!("&{:?}", words.collect::<Vec<_>>())
}

fn read_role(part: &UsePart, key: &Spanned<String>, value: &Spanned<Value>) -> Result<String, Wrong> {
    let name = key.get_ref().as_str();
    let variant =
        |roles: &[(&str, &'static str)]| roles.iter().find(|(known, _)| *known == name).map(|found| found.1);
    if let Some(variant) = variant(ROLES) {
        let slot = slot(text(value)?).map_err(|why| (value.span(), why))?;
        return Ok(format!("slot: Slot::{slot}, role: Role::{variant}{}", details(part, variant)));
    }
    if name == "cleans" {
        return Ok(format!("role: Role::Cleans({})", list(text(value)?.split_whitespace())));
    }
    if let Some(variant) = variant(CALLS) {
        return Ok(format!("role: Role::{variant}"));
    }
    if let Some(variant) = variant(CODE) {
        return Ok(format!("role: Role::{variant}({:?})", text(value)?));
    }
    if name == "sql" {
        return sql(value);
    }
    let known = ROLES
        .iter()
        .chain(CALLS)
        .chain(CODE)
        .map(|(known, _)| *known)
        .chain(["cleans", "sql"])
        .chain(KEYS.iter().copied());
    let nearest = known.min_by_key(|known| damerau_levenshtein(known, name)).unwrap_or_default();
    Err((key.span(), format!("`{name}` is no role; the nearest is `{nearest}`")))
}

/// What a role says besides its words.
fn details(part: &UsePart, variant: &str) -> String {
    let find =
        |wanted: &str| part.iter().find(|(key, _)| key.get_ref() == wanted).map(|(_, value)| value.get_ref());
    let is_set = |name| find(name).and_then(Value::as_bool).unwrap_or_default();
    match variant {
        "Serves" => {
            let address = find("address").and_then(Value::as_str).unwrap_or_default();
            format!(" {{ address: {address:?}, locally: {} }}", is_set("locally"))
        }
        "LoadsEnvironment" => format!(" {{ by_default: {} }}", is_set("by-default")),
        "FetchesTree" => format!(" {{ forge: {} }}", is_set("forge")),
        _ => String::new(),
    }
}

/// `{ texts = "c command", files = "f", operand = true, stdin = true }`.
fn sql(value: &Spanned<Value>) -> Result<String, Wrong> {
    let wrong = || (value.span(), "must be a table of `texts`, `files`, `operand` and `stdin`".to_owned());
    let table = value.get_ref().as_table().ok_or_else(wrong)?;
    if table.keys().any(|key| !["texts", "files", "operand", "stdin"].contains(&key.as_str())) {
        return Err(wrong());
    }
    let names =
        |key: &str| list(table.get(key).and_then(Value::as_str).unwrap_or_default().split_whitespace());
    let is_set = |key: &str| table.get(key).and_then(Value::as_bool).unwrap_or_default();
    Ok(format!(
        "role: Role::Sql {{ texts: {}, files: {}, operand: {}, stdin: {} }}",
        names("texts"),
        names("files"),
        is_set("operand"),
        is_set("stdin")
    ))
}

/// The words that a role is for, as a variant of `Slot`.
fn slot(text: &str) -> Result<String, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |text: &str| text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let found = match words.as_slice() {
        ["operands"] => Some("Operands(0)".to_owned()),
        ["operands", "or", "."] => Some("OperandsOrHere".to_owned()),
        ["operands", from] => {
            from.strip_suffix("..").and_then(number).map(|from| format!("Operands({from})"))
        }
        ["operand", at] => number(at).map(|at| format!("Operand({at})")),
        ["last", "operand"] => Some("LastOperand".to_owned()),
        ["."] => Some("Here".to_owned()),
        paths
            if paths.iter().all(|path| path.starts_with("~/") || path.starts_with('/'))
                && !paths.is_empty() =>
        {
            Some(format!("Paths({})", list(paths.iter().copied())))
        }
        ["last", "word"] => Some("LastWord".to_owned()),
        ["first", "and", "last", "word"] => Some("FirstAndLastWord".to_owned()),
        ["word", "after", word] => Some(format!("WordAfter({word:?})")),
        ["conversions"] => Some("Conversions".to_owned()),
        ["command"] => Some("Command".to_owned()),
        ["command", "from", at] => number(at).map(|at| format!("CommandFrom({at})")),
        ["command", "after", "--"] => Some("CommandAfterDashes".to_owned()),
        [] => Some("None".to_owned()),
        [option] if option.starts_with("--*") => {
            Some(format!("OptionsEnding({:?})", option.trim_start_matches("--*")))
        }
        options if options.iter().all(|word| word.starts_with('-')) => {
            Some(format!("Options({})", list(options.iter().copied())))
        }
        _ => None,
    };
    found.ok_or_else(|| {
        format!("`{text}` names no words of a call: write `operands`, `operand 2`, `last operand`, `-o --output` or another slot of `Slot`")
    })
}
