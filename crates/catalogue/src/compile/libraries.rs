//! Compiles `catalogue/libraries/LANGUAGE.toml` into tables of Rust.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{Fault, Faults};

/// What stands behind a role, or behind a word that says more about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The place of an argument.
    At,
    /// `true`
    True,
    /// A word.
    Text,
}

/// A role: the word in the files, the variant of `Role`, what stands behind it, and which words may say more.
struct RoleRow(&'static str, &'static str, Form, &'static [&'static str]);

/// All roles.
const ROLES: &[RoleRow] = &[
    RoleRow("runs-shell", "RunsShell", Form::At, &["output"]),
    RoleRow("runs", "Runs", Form::At, &[]),
    RoleRow("runs-words", "RunsWords", Form::At, &[]),
    RoleRow("runs-program", "RunsProgram", Form::At, &["list", "rest"]),
    RoleRow("runs-named", "RunsNamed", Form::True, &[]),
    RoleRow("spawns", "Spawns", Form::At, &[]),
    RoleRow("forks-script", "ForksScript", Form::At, &[]),
    RoleRow("evaluates", "Evaluates", Form::At, &[]),
    RoleRow("makes-function", "MakesFunction", Form::True, &[]),
    RoleRow("evaluates-file", "EvaluatesFile", Form::At, &[]),
    RoleRow("unpacks", "Unpacks", Form::At, &["unless"]),
    RoleRow("imports", "Imports", Form::At, &[]),
    RoleRow("brings-in", "BringsIn", Form::At, &[]),
    RoleRow("searches", "Searches", Form::At, &[]),
    RoleRow("reloads", "Reloads", Form::True, &[]),
    RoleRow("loads-variables", "LoadsVariables", Form::At, &["yields"]),
    RoleRow("magic", "Magic", Form::Text, &[]),
    RoleRow("opens", "Opens", Form::At, &["mode"]),
    RoleRow("opens-for", "OpensFor", Form::At, &["usually"]),
    RoleRow("creates", "Creates", Form::At, &[]),
    RoleRow("archives", "Archives", Form::At, &[]),
    RoleRow("temporary", "Temporary", Form::True, &["pair"]),
    RoleRow("deletes", "Deletes", Form::At, &["tree", "option"]),
    RoleRow("moves", "Moves", Form::At, &["to"]),
    RoleRow("copies", "Copies", Form::At, &["to", "tree"]),
    RoleRow("links", "Links", Form::At, &["to"]),
    RoleRow("reads", "Reads", Form::At, &["otherwise"]),
    RoleRow("reads-folder", "ReadsFolder", Form::At, &[]),
    RoleRow("walks", "Walks", Form::At, &[]),
    RoleRow("finds", "Finds", Form::At, &[]),
    RoleRow("lists", "Lists", Form::At, &["pattern", "deep"]),
    RoleRow("writes", "Writes", Form::At, &["content"]),
    RoleRow("appends", "Appends", Form::At, &["content"]),
    RoleRow("truncates", "Truncates", Form::At, &[]),
    RoleRow("touches", "Touches", Form::At, &[]),
    RoleRow("makes-folder", "MakesFolder", Form::At, &[]),
    RoleRow("changes-mode", "ChangesMode", Form::At, &["mode"]),
    RoleRow("extracts", "Extracts", Form::At, &["to"]),
    RoleRow("changes-folder", "ChangesFolder", Form::At, &[]),
    RoleRow("dumps", "Dumps", Form::At, &["to"]),
    RoleRow("puts", "Puts", Form::At, &["content"]),
    RoleRow("fetches", "Fetches", Form::At, &[]),
    RoleRow("requests", "Requests", Form::At, &["method"]),
    RoleRow("posts", "Posts", Form::At, &[]),
    RoleRow("downloads", "Downloads", Form::At, &["to"]),
    RoleRow("connects", "Connects", Form::At, &[]),
    RoleRow("sends", "Sends", Form::At, &[]),
    RoleRow("resolves", "Resolves", Form::At, &[]),
    RoleRow("reads-variable", "ReadsVariable", Form::At, &[]),
    RoleRow("reads-environment", "ReadsEnvironment", Form::True, &[]),
    RoleRow("sets-variables", "SetsVariables", Form::At, &[]),
    RoleRow("known", "Known", Form::Text, &[]),
    RoleRow("constant", "Constant", Form::Text, &[]),
    RoleRow("stands-for", "StandsFor", Form::Text, &[]),
    RoleRow("prints", "Prints", Form::True, &["line"]),
    RoleRow("tells", "Tells", Form::True, &[]),
    RoleRow("kills", "Kills", Form::At, &["signal"]),
    RoleRow("kills-itself", "KillsItself", Form::True, &[]),
    RoleRow("forks", "Forks", Form::True, &[]),
    RoleRow("powers-off", "PowersOff", Form::True, &[]),
    RoleRow("waits", "Waits", Form::True, &[]),
    RoleRow("lists-processes", "ListsProcesses", Form::True, &[]),
    RoleRow("asks-process", "AsksProcess", Form::True, &[]),
    RoleRow("hides", "Hides", Form::True, &[]),
    RoleRow("duplicates", "Duplicates", Form::True, &[]),
    RoleRow("calls", "Calls", Form::Text, &[]),
    RoleRow("curries", "Curries", Form::Text, &[]),
    RoleRow("makes", "Makes", Form::Text, &[]),
    RoleRow("pipes", "Pipes", Form::Text, &[]),
    RoleRow("stubs", "Stubs", Form::Text, &[]),
    RoleRow("proxies", "Proxies", Form::True, &[]),
    RoleRow("works-off", "WorksOff", Form::At, &[]),
];

/// Words that say more about a role, and what stands behind them.
const MORE: &[(&str, Form)] = &[
    ("output", Form::True),
    ("list", Form::At),
    ("rest", Form::True),
    ("unless", Form::Text),
    ("yields", Form::True),
    ("mode", Form::At),
    ("usually", Form::Text),
    ("pair", Form::True),
    ("tree", Form::True),
    ("option", Form::Text),
    ("to", Form::At),
    ("otherwise", Form::Text),
    ("pattern", Form::At),
    ("deep", Form::True),
    ("content", Form::At),
    ("method", Form::At),
    ("line", Form::True),
    ("signal", Form::At),
];

/// What `makes` may make.
const MAKES: &[&str] = &[
    "same",
    "copy",
    "copy-whole",
    "itself",
    "trim",
    "dedent",
    "lower",
    "upper",
    "reverse",
    "chars",
    "code",
    "join-spaced",
    "join-with",
    "join-by",
    "replace",
    "split",
    "lines",
    "braces",
    "base64",
    "hex",
    "codec",
    "percent",
    "unpacked",
    "concat",
    "list",
    "int",
    "to-list",
    "join-paths",
    "expand-user",
    "resolve",
    "parent",
    "parents",
    "address",
    "base",
    "suffix",
    "ends",
    "stem",
    "relative",
    "shell-words",
    "shell-quote",
    "merge",
    "keys",
    "values",
    "table",
    "entries",
    "last",
    "first",
    "range",
    "repeat",
    "slice",
    "zip",
    "pick",
    "fragments",
    "json",
    "with-name",
    "with-suffix",
    "partition",
    "without-start",
    "buffer",
    "part",
    "parts-of",
    "item-of",
    "call-of",
    "names",
    "literal",
    "count",
    "nothing",
    "encoded",
    "memory",
    "record",
    "get",
    "starts-with",
    "ends-with",
    "fits",
    "request-option",
    "endless",
    "append",
    "extend",
    "insert",
    "pop",
    "clear",
    "update",
    "set-default",
    "remove",
    "turn",
    "mix",
    "mix-in",
    "set-item",
    "remove-item",
    "set-part",
    "forming",
    "option-parser",
];

/// How `calls` may call.
const CALLS: &[&str] = &["apply", "thread", "bind", "map", "filter", "each", "fold", "then", "later", "seek"];

/// What may be `known`.
const KNOWN: &[&str] = &[
    "program",
    "arguments",
    "interpreted",
    "environment",
    "home",
    "folder",
    "temp",
    "temp-file",
    "executable",
    "file",
    "file-folder",
    "input",
    "slash",
    "newline",
    "parent",
];

/// What may be done with an open file.
const FILE: &[&str] =
    &["write", "write-lines", "read", "lines", "path", "same", "empty", "delete", "hand-over"];

/// What may be done with a program that was started.
const PROCESS: &[&str] = &["communicate", "write", "wait", "output", "status", "same"];

/// A file of `catalogue/libraries`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct LibraryFile {
    #[serde(default)]
    modules: Vec<String>,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    fillers: Vec<String>,
    #[serde(default)]
    through: Vec<String>,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    risky: Vec<String>,
    #[serde(default)]
    keeps_output: bool,
    /// Pairs, in the order in which they are tried.
    #[serde(default)]
    aliases: Vec<[String; 2]>,
    #[serde(default)]
    functions: Entries,
    #[serde(default)]
    methods: Entries,
    #[serde(default)]
    native: Native,
    #[serde(default)]
    clients: Clients,
    #[serde(default)]
    file: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    process: BTreeMap<String, Spanned<String>>,
}

/// Names with what they mean.
type Entries = BTreeMap<Spanned<String>, Entry>;

/// What a name means: a role, and words that say more.
type Entry = BTreeMap<Spanned<String>, Spanned<toml::Value>>;

/// Functions of C's library.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Native {
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    functions: Entries,
}

/// What has a function for each method of HTTP.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Clients {
    #[serde(default)]
    names: Vec<Spanned<String>>,
    #[serde(default)]
    methods: Entries,
}

/// A file that is being compiled.
struct Compiler<'f> {
    path: &'f Path,
    text: &'f str,
    faults: Vec<Fault>,
}

/// Compiles the libraries of a language into the expression of a `Library`.
///
/// # Errors
/// Everything that is wrong in the file.
pub fn compile(path: &Path) -> Result<String, Faults> {
    let text = fs::read_to_string(path)
        .map_err(|error| Faults(vec![Fault::at(path, "", 0..0, error.to_string())]))?;
    let file: LibraryFile = toml::from_str(&text).map_err(|error| {
        Faults(vec![Fault::at(path, &text, error.span().unwrap_or_default(), error.message())])
    })?;
    let mut compiler = Compiler { path, text: &text, faults: Vec::new() };
    let written = compiler.library(&file);
    if compiler.faults.is_empty() { Ok(written) } else { Err(Faults(compiler.faults)) }
}

impl Compiler<'_> {
    fn fault<V>(&mut self, at: &Spanned<V>, what: impl Into<String>) {
        self.faults.push(Fault::at(self.path, self.text, at.span(), what));
    }

    fn library(&mut self, file: &LibraryFile) -> String {
        let mut functions = self.meanings(&file.functions);
        for client in &file.clients.names {
            for (method, meaning) in self.meanings(&file.clients.methods) {
                let name = format!("{}.{method}", client.get_ref());
                if functions.insert(name.clone(), meaning).is_some() {
                    self.fault(client, format!("`{name}` is among the functions too"));
                }
            }
        }
        let methods = self.meanings(&file.methods);
        let native = self.meanings(&file.native.functions);
        let file_deeds = self.deeds(&file.file, FILE, "FileDeed");
        let process_deeds = self.deeds(&file.process, PROCESS, "ProcessDeed");
        let mut modules = phf_codegen::Set::new();
        modules.phf_path("tollgate_catalogue::phf");
        for module in &file.modules {
            modules.entry(module.as_str());
        }
        let mut out = String::from("Library {\n");
        for (field, map) in [
            ("functions", table(&functions)),
            ("methods", table(&methods)),
            ("native", table(&native)),
            ("file", table(&file_deeds)),
            ("process", table(&process_deeds)),
            ("modules", modules.build().to_string()),
        ] {
            let _ = writeln!(out, "    {field}: &{map},");
        }
        for (field, list) in [
            ("prefixes", &file.prefixes),
            ("fillers", &file.fillers),
            ("through", &file.through),
            ("programs", &file.programs),
            ("risky", &file.risky),
            ("native_prefixes", &file.native.prefixes),
        ] {
            let _ = writeln!(out, "    {field}: &{list:?},");
        }
        let aliases: Vec<(&str, &str)> =
            file.aliases.iter().map(|[from, to]| (from.as_str(), to.as_str())).collect();
        let _ = write!(out, "    aliases: &{aliases:?},\n    keeps_output: {},\n}}", file.keeps_output);
        out
    }

    fn deeds(
        &mut self,
        all: &BTreeMap<String, Spanned<String>>,
        known: &[&str],
        variants: &str,
    ) -> BTreeMap<String, String> {
        let mut written = BTreeMap::new();
        for (name, deed) in all {
            if self.is_known(deed, deed.get_ref(), known) {
                written.insert(name.clone(), format!("{variants}::{}", variant(deed.get_ref())));
            }
        }
        written
    }

    fn meanings(&mut self, entries: &Entries) -> BTreeMap<String, String> {
        let mut written = BTreeMap::new();
        for (name, entry) in entries {
            if let Some(meaning) = self.meaning(name, entry) {
                written.insert(name.get_ref().clone(), meaning);
            }
        }
        written
    }

    /// One entry, as the expression of a `Meaning`.
    fn meaning(&mut self, name: &Spanned<String>, entry: &Entry) -> Option<String> {
        let row = |key: &str| ROLES.iter().find(|RoleRow(role, ..)| *role == key);
        let mut roles = entry.iter().filter(|(key, _)| row(key.get_ref()).is_some());
        let Some((role, value)) = roles.next() else {
            let given = entry.keys().next();
            let what = match given {
                Some(key) => format!(
                    "`{}` is no role{}",
                    key.get_ref(),
                    super::nearest(key.get_ref(), ROLES.iter().map(|row| row.0))
                ),
                None => "an entry needs a role".to_owned(),
            };
            self.fault(given.unwrap_or(name), what);
            return None;
        };
        if let Some((second, _)) = roles.next() {
            self.fault(second, format!("`{}` is a second role", second.get_ref()));
            return None;
        }
        let RoleRow(_, variant_name, form, more) = row(role.get_ref())?;
        let mut meaning = Written::default();
        meaning.take(*form, value.get_ref(), true).or_else(|| self.wrong(value, *form))?;
        for (key, value) in entry.iter().filter(|(key, _)| key.get_ref() != role.get_ref()) {
            let form = MORE.iter().find(|(word, _)| more.contains(word) && word == key.get_ref());
            let Some((_, form)) = form else {
                let near = super::nearest(key.get_ref(), more.iter().copied());
                self.fault(key, format!("`{}` says nothing about `{}`{near}", key.get_ref(), role.get_ref()));
                return None;
            };
            meaning.take(*form, value.get_ref(), false).or_else(|| self.wrong(value, *form))?;
        }
        let word = std::mem::take(&mut meaning.first);
        let role = match *variant_name {
            "Makes" | "Calls" | "Known" => {
                let (known, of) = match *variant_name {
                    "Makes" => (MAKES, "Make"),
                    "Calls" => (CALLS, "How"),
                    _ => (KNOWN, "Known"),
                };
                if !self.is_known(value, &word, known) {
                    return None;
                }
                format!("{variant_name}({of}::{})", variant(&word))
            }
            plain => {
                if !word.is_empty() {
                    meaning.text = word;
                }
                plain.to_owned()
            }
        };
        let Written { at, with, flag, text, .. } = meaning;
        Some(format!(
            "Meaning {{ role: Role::{role}, at: {at}, with: {with:?}, flag: {flag}, text: {text:?} }}"
        ))
    }

    fn is_known<V>(&mut self, at: &Spanned<V>, word: &str, known: &[&str]) -> bool {
        let found = known.contains(&word);
        if !found {
            self.fault(at, format!("`{word}` is not known{}", super::nearest(word, known.iter().copied())));
        }
        found
    }

    fn wrong<T>(&mut self, value: &Spanned<toml::Value>, form: Form) -> Option<T> {
        let wanted = match form {
            Form::At => "the place of an argument, from 0",
            Form::True => "`true`",
            Form::Text => "a word",
        };
        self.fault(value, format!("this has to be {wanted}"));
        None
    }
}

/// A meaning as it is written down.
#[derive(Default)]
struct Written {
    at: u8,
    with: Option<u8>,
    flag: bool,
    first: String,
    text: String,
}

impl Written {
    /// Takes what stands behind a word; `None` where that is something else.
    fn take(&mut self, form: Form, value: &toml::Value, is_role: bool) -> Option<()> {
        match (form, value) {
            (Form::At, toml::Value::Integer(place)) => {
                let place = u8::try_from(*place).ok()?;
                if is_role { self.at = place } else { self.with = Some(place) }
            }
            (Form::True, toml::Value::Boolean(true)) => self.flag |= !is_role,
            (Form::Text, toml::Value::String(text)) if is_role => self.first.clone_from(text),
            (Form::Text, toml::Value::String(text)) => self.text.clone_from(text),
            _ => return None,
        }
        Some(())
    }
}

fn table(entries: &BTreeMap<String, String>) -> String {
    let mut map = phf_codegen::Map::new();
    map.phf_path("tollgate_catalogue::phf");
    for (name, value) in entries {
        map.entry(name.as_str(), value.as_str());
    }
    map.build().to_string()
}

/// `join-with` as a variant.
fn variant(word: &str) -> String {
    let parts = word.split('-').map(|part| {
        let mut letters = part.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    parts.collect()
}
