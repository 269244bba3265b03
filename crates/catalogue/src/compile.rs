//! Reads the files of the catalogue, checks them, and writes them as tables of Rust.

mod fault;
mod file;
pub mod libraries;
mod uses;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use toml::Spanned;

pub use fault::{Fault, Faults};
use file::{CommandFile, PackagesPart, SharedFile, VerbsPart};

/// What the value of an option can be: the word in the files, and what it means.
pub const ROLES: &[(&str, &str)] = &[
    ("runs-shell", "a command line"),
    ("sets-command", "`name=command`"),
    ("loads-code", "a file or folder of code"),
];

/// What an operand can be.
pub const OPERANDS: &[(&str, &str)] = &[
    ("ignored", "nothing that matters"),
    ("runs", "a command with its words"),
    ("loads-code", "a file of code"),
];

/// The kinds of programs: the word in the files, and the variant of `Tag`.
pub const TAGS: &[(&str, &str)] = &[
    ("response-files", "ResponseFiles"),
    ("output-option", "OutputOption"),
    ("fetches-addresses", "FetchesAddresses"),
    ("passes-whole", "PassesWhole"),
    ("shell", "Shell"),
    ("looks-at-files", "LooksAtFiles"),
    ("identity-file", "IdentityFile"),
    ("reads-kubeconfig", "ReadsKubeconfig"),
    ("dumps-database", "DumpsDatabase"),
    ("mounts", "Mounts"),
    ("prints-input", "PrintsInput"),
    ("passes-lines", "PassesLines"),
    ("shows-words", "ShowsWords"),
    ("lists-operands", "ListsOperands"),
    ("keeps-input", "KeepsInput"),
    ("streams-input", "StreamsInput"),
    ("package-manager", "PackageManager"),
    ("starts-tasks", "StartsTasks"),
    ("only-looks", "OnlyLooks"),
];

/// A file as it was read.
struct Parsed<T> {
    path: PathBuf,
    text: String,
    value: T,
}

impl<T> Parsed<T> {
    fn fault<V>(&self, at: &Spanned<V>, what: impl Into<String>) -> Fault {
        Fault::at(&self.path, &self.text, at.span(), what)
    }
}

/// The catalogue as Rust, for two modules.
#[derive(Debug)]
pub struct Compiled {
    /// `PROGRAMS` and `NAMES`: what is known of each program.
    pub tables: String,
    /// `HANDLERS`: the functions of each program, named relative to the parent of the module that includes this.
    pub handlers: String,
}

/// Compiles the catalogue in a folder.
///
/// # Errors
/// Everything that is wrong in its files.
pub fn compile(folder: &Path) -> Result<Compiled, Faults> {
    let mut faults = Vec::new();
    let shared: Vec<Parsed<SharedFile>> = read_all(&folder.join("shared"), &mut faults);
    let commands: Vec<Parsed<CommandFile>> = read_all(&folder.join("commands"), &mut faults);
    check_names(&commands, &mut faults);
    let all = Files { shared, commands };
    for file in &all.commands {
        check(file, &all, &mut faults);
    }
    for file in &all.shared {
        check_verbs(file, &file.value.verbs, &mut faults);
    }
    if faults.is_empty() {
        Ok(Compiled { tables: write_tables(&all), handlers: write_handlers(&all) })
    } else {
        Err(Faults(faults))
    }
}

/// All files of the catalogue.
struct Files {
    shared: Vec<Parsed<SharedFile>>,
    commands: Vec<Parsed<CommandFile>>,
}

impl Files {
    /// The verbs that a program shares with others: those of a family, or of another program.
    fn extended(&self, file: &CommandFile) -> Option<&VerbsPart> {
        let name = file.extends.as_ref()?.get_ref();
        let is_named = |path: &Path| path.file_stem().is_some_and(|stem| stem == name.as_str());
        let family = self.shared.iter().find(|file| is_named(&file.path)).map(|file| &file.value.verbs);
        family.or_else(|| self.commands.iter().find(|file| is_named(&file.path))?.value.verbs.as_ref())
    }
}

/// All TOML files of a folder, by name.
fn read_all<T: serde::de::DeserializeOwned>(folder: &Path, faults: &mut Vec<Fault>) -> Vec<Parsed<T>> {
    let listed = fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut paths: Vec<PathBuf> = listed.unwrap_or_default();
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    if paths.is_empty() {
        faults.push(Fault::at(folder, "", 0..0, "no files are there"));
    }
    paths.into_iter().filter_map(|path| read(path, faults)).collect()
}

fn read<T: serde::de::DeserializeOwned>(path: PathBuf, faults: &mut Vec<Fault>) -> Option<Parsed<T>> {
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            faults.push(Fault::at(&path, "", 0..0, error.to_string()));
            return None;
        }
    };
    match toml::from_str(&text) {
        Ok(value) => Some(Parsed { path, text, value }),
        Err(error) => {
            let span = error.span().unwrap_or_default();
            faults.push(Fault::at(&path, &text, span, error.message()));
            None
        }
    }
}

/// Every name stands in one file, which is called like its first one.
fn check_names(commands: &[Parsed<CommandFile>], faults: &mut Vec<Fault>) {
    let mut known: BTreeMap<&str, &Path> = BTreeMap::new();
    for file in commands {
        for name in file.value.name.get_ref() {
            if let Some(other) = known.insert(name.get_ref(), &file.path) {
                let what = format!("`{}` is in {} too", name.get_ref(), other.display());
                faults.push(file.fault(name, what));
            }
        }
        let first = file.value.name.get_ref().first().map(|name| name.get_ref().as_str());
        let stem = file.path.file_stem().and_then(|stem| stem.to_str());
        if first.is_none() || first != stem {
            faults.push(file.fault(&file.value.name, "the first name is not the file's"));
        }
    }
}

fn check(file: &Parsed<CommandFile>, all: &Files, faults: &mut Vec<Fault>) {
    let value = &file.value;
    for (group, role) in &value.roles {
        check_option(file, group, group.get_ref(), faults);
        check_word(file, role, ROLES, faults);
    }
    if let Some(options) = &value.options {
        options.get_ref().split_whitespace().for_each(|group| check_option(file, options, group, faults));
    }
    value.operands.iter().for_each(|operand| check_word(file, operand, OPERANDS, faults));
    value.tags.iter().for_each(|tag| check_word(file, tag, TAGS, faults));
    for function in value.handler.iter().chain(&value.also) {
        let is_path = function.get_ref().split("::").all(is_identifier);
        if !is_path {
            faults.push(file.fault(function, format!("`{}` is no function", function.get_ref())));
        }
    }
    if let Some(name) = value.extends.as_ref().filter(|_| all.extended(value).is_none()) {
        let what = format!(
            "neither catalogue/shared nor catalogue/commands has a `{}.toml` with verbs",
            name.get_ref()
        );
        faults.push(file.fault(name, what));
    }
    value.verbs.iter().for_each(|verbs| check_verbs(file, verbs, faults));
    for example in value.example.iter().filter(|part| part.call.get_ref().is_empty() || part.want.is_empty())
    {
        faults.push(
            file.fault(&example.call, "an example needs a `call` and a `want`: `pass` or the id of a rule"),
        );
    }
    for (span, what) in value.uses.iter().filter_map(|part| uses::rust(part).err()) {
        faults.push(Fault::at(&file.path, &file.text, span, what));
    }
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// An option is a group of names, parted by commas, with `=` or `?` behind them.
fn check_option<V>(file: &Parsed<CommandFile>, at: &Spanned<V>, group: &str, faults: &mut Vec<Fault>) {
    let names = group.strip_suffix(['=', '?']).unwrap_or(group);
    let is_name = |name: &str| !name.is_empty() && !name.contains(['=', ' ', '"']) && !name.starts_with('-');
    if !names.split(',').all(is_name) {
        faults.push(
            file.fault(at, format!("`{group}` is no option: write names without dashes, as in `o,output=`")),
        );
    }
}

fn check_word(
    file: &Parsed<CommandFile>,
    word: &Spanned<String>,
    known: &[(&str, &str)],
    faults: &mut Vec<Fault>,
) {
    let given = word.get_ref();
    if known.iter().any(|(name, _)| name == given) {
        return;
    }
    let nearest = known.iter().min_by_key(|(name, _)| strsim::damerau_levenshtein(name, given));
    let hint = nearest.map_or("", |(name, _)| name);
    faults.push(file.fault(word, format!("`{given}` is not known; the nearest is `{hint}`")));
}

/// Which of the right words was meant.
fn nearest<'w>(given: &str, known: impl Iterator<Item = &'w str>) -> String {
    let nearest = known.min_by_key(|name| strsim::damerau_levenshtein(name, given));
    nearest.map_or_else(String::new, |name| format!("; the nearest is `{name}`"))
}

fn check_verbs<T>(file: &Parsed<T>, verbs: &VerbsPart, faults: &mut Vec<Fault>) {
    for deed in &verbs.does {
        if deed.get_ref().rust().is_none() || deed.get_ref().call.is_empty() {
            let what = "say in `call` which verbs, and exactly one of infrastructure, publishes, database, weakens, power, safe";
            faults.push(file.fault(deed, what));
        }
    }
}

/// `PROGRAMS` in the order of their files, and `NAMES` with each one's place.
fn write_tables(all: &Files) -> String {
    let commands = &all.commands;
    let mut out = String::from(
        "use tollgate_catalogue::{Deed, Operands, Packages, Program, Role, Slot, Tag, Use, Verbs};\n",
    );
    let _ = writeln!(out, "static PROGRAMS: [Program; {}] = [", commands.len());
    commands.iter().for_each(|file| program(&mut out, &file.value, all.extended(&file.value)));
    let mut names = phf_codegen::Map::new();
    names.phf_path("tollgate_catalogue::phf");
    for (at, file) in commands.iter().enumerate() {
        for name in file.value.name.get_ref() {
            names.entry(name.get_ref().as_str(), at.to_string());
        }
    }
    let _ = writeln!(
        out,
        "];\nstatic NAMES: tollgate_catalogue::phf::Map<&'static str, u16> = {};",
        names.build()
    );
    out
}

/// `HANDLERS`, in the same order.
fn write_handlers(all: &Files) -> String {
    let mut out = format!("static HANDLERS: [Handlers; {}] = [\n", all.commands.len());
    for file in &all.commands {
        let function = |name: &Option<Spanned<String>>| {
            name.as_ref().map_or_else(|| "None".to_owned(), |name| format!("Some(super::{})", name.get_ref()))
        };
        let (handler, also) = (function(&file.value.handler), function(&file.value.also));
        let _ = writeln!(out, "    Handlers {{ handler: {handler}, also: {also} }},");
    }
    out.push_str("];\n");
    out
}

fn program(out: &mut String, file: &CommandFile, extended: Option<&VerbsPart>) {
    let with_role = |role: &str| {
        let groups = file.roles.iter().filter(|(_, given)| given.get_ref() == role);
        groups.map(|(group, _)| group.get_ref().as_str()).collect::<Vec<_>>().join(" ")
    };
    let names: Vec<&str> = file.name.get_ref().iter().map(|name| name.get_ref().as_str()).collect();
    let tag = |word: &Spanned<String>| {
        TAGS.iter().find(|(name, _)| name == word.get_ref()).map(|(_, tag)| format!("Tag::{tag}"))
    };
    let tags = file.tags.iter().filter_map(tag).collect::<Vec<_>>().join(", ");
    let all_verbs = [file.verbs.as_ref(), extended];
    let _ = writeln!(
        out,
        "    Program {{ names: &{names:?}, tags: &[{tags}], options: {:?}, runs_shell: {:?}, sets_command: {:?}, loads_code: {:?}, \
         operands: {}, is_transport: {}, is_wrapper: {}, is_versioned: {}, one_dash: {}, verbs: {}, uses: &[{}], packages: {} }},",
        file.options.as_ref().map(|options| normal(options.get_ref())),
        with_role("runs-shell"),
        with_role("sets-command"),
        with_role("loads-code"),
        operands(file),
        file.transport,
        file.wrapper,
        file.versioned,
        file.one_dash,
        verbs(&all_verbs.into_iter().flatten().collect::<Vec<_>>()),
        file.uses.iter().filter_map(|part| uses::rust(part).ok()).collect::<Vec<_>>().join(", "),
        file.packages.as_ref().map_or_else(|| "None".to_owned(), |part| packages(part, file.verbs.as_ref())),
    );
}

fn packages(part: &PackagesPart, verbs: Option<&VerbsPart>) -> String {
    let values = part.values.as_deref().or(verbs.map(|verbs| verbs.values.as_str())).unwrap_or_default();
    let leads: Vec<(&String, &usize)> = part.leads.iter().collect();
    format!(
        "Some(&Packages {{ brings: {}, runs: {}, sources: {}, values: {}, addresses: {}, leads: &{leads:?}, tasks: {}, \
         pairs: {}, ends: {}, takes_addresses: {} }})",
        quoted(&part.brings),
        quoted(&part.runs),
        quoted(&part.sources),
        quoted(values),
        quoted(&part.addresses),
        part.tasks,
        quoted(&part.pairs),
        quoted(&part.ends),
        !part.no_addresses,
    )
}

/// A text as a literal of Rust, however the file wraps it.
fn quoted(text: &str) -> String {
    format!("{:?}", normal(text))
}

fn operands(file: &CommandFile) -> String {
    match file.operands.last().map(|last| last.get_ref().as_str()) {
        Some("runs") => format!("Operands::Runs({})", file.operands.len() - 1),
        Some("loads-code") => format!("Operands::LoadsCode(&{:?})", file.operands_after),
        _ => "Operands::Unsaid".to_owned(),
    }
}

/// The verbs of a program: its own, and behind them those that it shares with others.
fn verbs(parts: &[&VerbsPart]) -> String {
    if parts.is_empty() {
        return "None".to_owned();
    }
    let deed = |deed: &Spanned<file::DeedPart>| {
        format!("({}, {})", quoted(&deed.get_ref().call), deed.get_ref().rust().unwrap_or_default())
    };
    let deeds: Vec<String> = parts.iter().flat_map(|part| &part.does).map(deed).collect();
    let values: Vec<&str> = parts.iter().map(|part| part.values.as_str()).collect();
    format!(
        "Some(&Verbs {{ values: {}, one_dash: {}, only_losses: {}, deeds: &[{}] }})",
        quoted(&values.join(" ")),
        parts.iter().any(|part| part.one_dash),
        parts.iter().any(|part| part.only_losses),
        deeds.join(", ")
    )
}

/// Words parted by single blanks, however the file wraps them.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
