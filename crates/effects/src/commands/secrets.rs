//! The environment and the stores of secrets: what prints them.

mod filters;
pub(super) mod loaded;

use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, EnvUse, Span, WriteMode, Zone};
use tollgate_shell::eval::{Call, Field, Open, Outcome, Status, Stream};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use crate::secret_names::is_secret_name;
use filters::{is_filter, is_told, keeps_all, picks_secret, shows_database};

use super::readers::told;
use super::{Run, databases, system};
use crate::analyst::{Analyst, taint};
use crate::catalogue;
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// Looks at every command before it runs: does it print a secret variable, or filter a dump of the environment?
pub(super) fn watch(analyst: &mut Analyst, call: &Call) {
    let Some(program) = program_of(call) else { return };
    let shows = is_seen(call) || program == "tee" && call.args().any(|field| is_terminal(&field.value));
    trace(analyst, program, call);
    if analyst.traced || matches!(program, "echo" | "printf" | "print") && shows {
        for field in call.args() {
            printed(analyst, &field.value, call);
            repeated(analyst, &field.value, call);
        }
    }
    if program == "export" {
        load(analyst, call);
    }
    let marks = call.stdin.value.as_ref().map(|input| input.taint).unwrap_or_default();
    let grave = taint::has(marks, taint::ENVIRONMENT) || taint::has(marks, taint::SECRET);
    let from_file = matches!(call.stdin.stream, Stream::File(_)) && is_told(call);
    let arrives = call.stdin.stream == Stream::Pipe || from_file;
    if taint::has(marks, taint::ENVIRONMENT)
        && arrives
        && analyst.searched().iter().any(shows_database)
        && (picks_secret(program, call) || keeps_all(program, analyst.found()))
    {
        analyst.push(EffectKind::EnvRead { what: EnvUse::All }, call.span, Certainty::Certain);
    }
    let picked = |field: &Field| field.value.as_literal().is_some_and(|word| analyst.picks_loaded(word));
    let spared = grave && arrives && is_filter(program, call) && !call.args().any(picked) && {
        let grep: &[&str] = if is_told(call) { &["grep"] } else { &[] };
        retract_shown(analyst, marks, grep)
    };
    if shows
        && !spared
        && copies(program, call)
        && let Some(input) = &call.stdin.value
    {
        printed(analyst, input, call);
        repeated(analyst, input, call);
    }
}

/// `set -x`, `bash -x`: from here on every command is printed before it runs; with `-v` as it is written.
fn trace(analyst: &mut Analyst, program: &str, call: &Call) {
    if !matches!(program, "set" | "bash" | "sh" | "zsh" | "dash" | "ksh" | "setopt") {
        return;
    }
    let words: Vec<&str> = call.args().map_while(|field| field.value.as_literal()).collect();
    let given = |sign: char, letter: char, name: &str| {
        words.iter().enumerate().any(|(at, word)| {
            let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
            let long =
                before.starts_with(sign) && before.ends_with('o') || program == "setopt" && sign == '-';
            let named = *word == name && long || word.strip_prefix("--") == Some(name) && sign == '-';
            let letters =
                word.strip_prefix(sign).filter(|rest| rest.chars().all(|c| c.is_ascii_alphabetic()));
            named || letters.is_some_and(|letters| letters.contains(letter))
        })
    };
    if program == "set" && given('+', 'x', "xtrace") {
        analyst.traced = false;
    } else if given('-', 'x', "xtrace") {
        analyst.traced = true;
    }
    if program == "set" && given('+', 'v', "verbose") {
        analyst.verbose = false;
    } else if given('-', 'v', "verbose") {
        analyst.verbose = true;
    }
}

fn copies(program: &str, call: &Call) -> bool {
    let encodes = |verb: &str| matches!(verb, "enc" | "base64");
    catalogue::is(program, Tag::PrintsInput)
        || program == "openssl"
            && call.args().next().and_then(|verb| verb.value.as_literal()).is_some_and(encodes)
}

/// The mark of what a program makes of a secret variable that comes in.
pub(super) fn passed(run: &mut Run) -> Taint {
    let secret = || run.stdin().is_some_and(holds_secret);
    let own = if copies(run.program, run.call) && secret() { taint::SECRET } else { Taint::NONE };
    own.union(system::endless(run)).union(databases::dumped(run))
}

/// Is a secret variable a part of it?
fn holds_secret(value: &Value) -> bool {
    let is_secret = |piece: &Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if is_secret_name(name));
    value.any.iter().take(16).flat_map(|text| &text.pieces).any(is_secret)
}

/// What code in another language has printed, where that is known.
pub(crate) fn printed_by_code(analyst: &mut Analyst, call: &Call, text: &Value) {
    if is_seen(call) {
        repeated(analyst, text, call);
    }
}

/// What code in another language says where errors go: seen, unless that is nowhere.
pub(crate) fn told_aside(analyst: &mut Analyst, call: &Call, value: &Value) {
    let nowhere = |open: &Open| open.fd == 2 && open.path.value.as_literal() == Some("/dev/null");
    if !call.redirects.iter().any(nowhere) {
        told(analyst, value, call.span);
        repeated(analyst, value, call);
    }
}

/// Does what the command prints reach the one who asked for it?
fn is_seen(call: &Call) -> bool {
    match &call.stdout {
        Stream::Outer => !call.piped_to,
        Stream::File(path) => is_terminal(path),
        _ => false,
    }
}

/// Is it a file that what is written to is seen at once?
fn is_terminal(path: &Value) -> bool {
    let names = [
        "/dev/stdout",
        "/dev/stderr",
        "/dev/tty",
        "/dev/fd/1",
        "/dev/fd/2",
        "/proc/self/fd/1",
        "/proc/self/fd/2",
    ];
    path.as_literal()
        .is_some_and(|path| path.starts_with("/") && names.contains(&paths::normal(path).as_str()))
}

/// Looks at what a command has printed, whatever made it: code in other languages, a file that is a pipe.
pub(super) fn shown(analyst: &mut Analyst, call: &Call, outcome: &Outcome) {
    if is_seen(call) {
        printed(analyst, &outcome.stdout, call);
        if matches!(program_of(call), Some("cat" | "head" | "tail" | "tac" | "paste" | "nl")) {
            repeated(analyst, &outcome.stdout, call);
        }
    }
}

fn program_of(call: &Call) -> Option<&str> {
    call.name().map(|name| name.rsplit('/').next().unwrap_or(name))
}

/// A secret that another command gave out is said aloud.
fn repeated(analyst: &mut Analyst, value: &Value, call: &Call) {
    // A file of secrets has been noted where it was read.
    let file = |effect: &Effect| matches!(&effect.kind, EffectKind::Read { place, .. } if place.zone == Zone::Secret);
    if taint::has(value.taint, taint::SECRET) && !analyst.searched().iter().any(file) {
        let what = EnvUse::Store("a keeper of secrets, and prints it".to_owned());
        analyst.push(EffectKind::EnvRead { what }, call.span, Certainty::Certain);
    }
}

/// Looks at what the shell itself prints.
pub(crate) fn told(analyst: &mut Analyst, value: &Value, span: Span) {
    for piece in value.any.iter().take(16).flat_map(|text| &text.pieces) {
        if let Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) = piece
            && analyst.is_secret_variable(name)
        {
            analyst.told_loaded |= analyst.loaded.iter().any(|loaded| **loaded == **name);
            let what = EnvUse::Printed(vec![name.to_string()]);
            analyst.push(EffectKind::EnvRead { what }, span, Certainty::Certain);
        }
    }
}

fn printed(analyst: &mut Analyst, value: &Value, call: &Call) {
    let pieces = value.any.iter().take(16).flat_map(|text| &text.pieces);
    for piece in pieces {
        if let Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) = piece
            && name.starts_with('!')
            && analyst.searched().iter().any(lists_variables)
        {
            analyst.push(EffectKind::EnvRead { what: EnvUse::All }, call.span, Certainty::Certain);
        }
    }
    told(analyst, value, call.span);
}

/// `compgen -v` names all variables; `${!name}` then shows each of them.
fn lists_variables(effect: &Effect) -> bool {
    let lists = |word: &String| matches!(word.as_str(), "-v" | "-e" | "variable" | "export");
    matches!(&effect.kind, EffectKind::Exec { program, argv, .. } if program == "compgen" && argv.iter().any(lists))
}

/// `export $(grep -v '^#' .env | xargs)` loads a file of variables and shows none of them.
fn load(analyst: &mut Analyst, call: &Call) {
    if call.args().any(|field| field.value.as_literal().is_some_and(|word| word.starts_with('-'))) {
        return;
    }
    for field in call.args().filter(|field| taint::has(field.value.taint, taint::SECRET)) {
        retract_shown(analyst, field.value.taint, LOADERS);
    }
}

/// Programs that make words for a command of what a file of variables holds.
const LOADERS: &[&str] = &["grep", "egrep", "xargs", "echo", "env"];

/// The same, where a wrapper sets the variables for the command it runs.
pub(super) fn loaded(run: &mut Run, marks: Taint) {
    retract_shown(run.analyst, marks, LOADERS);
}

/// What only goes through a filter, or into variables, is not shown: a dump of the environment, a file of variables.
/// The marks are those of the data that arrives, and what stands between is known to pass it on.
fn retract_shown(analyst: &mut Analyst, marks: Taint, between: &[&str]) -> bool {
    let world = analyst.world;
    let is_dump = |effect: &Effect| match &effect.kind {
        EffectKind::EnvRead { what: EnvUse::All } => taint::has(marks, taint::ENVIRONMENT),
        EffectKind::Read { place, .. } => {
            place.zone == Zone::Secret
                && taint::has(marks, taint::SECRET)
                && told::is_list_of_variables(place, world)
        }
        _ => false,
    };
    let found = analyst.searched();
    let Some(at) = found.iter().rposition(is_dump) else { return false };
    let passed = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, source: CodeSource::Literal, .. } => {
            let name = program.as_str();
            catalogue::is(name, Tag::PassesLines) || between.contains(&name)
        }
        _ => false,
    };
    let Some(dump) = found.get(at).filter(|_| found.iter().skip(at + 1).all(passed)).cloned() else {
        return false;
    };
    if analyst.is_repeated(&dump) {
        return false;
    }
    if let EffectKind::Read { place, .. } = &dump.kind {
        analyst.load_place(place);
    }
    analyst.retract(|effect| *effect == dump);
    true
}

pub(super) fn printenv(run: &mut Run) -> Outcome {
    let names: Vec<String> = run.args.iter().map(Word::shown).filter(|name| !name.starts_with('-')).collect();
    if names.is_empty() {
        run.push(EffectKind::EnvRead { what: EnvUse::All });
        return Outcome::unknown(taint::ENVIRONMENT);
    }
    let values: Vec<Piece> =
        names.iter().map(|name| Piece::Hole(Hole::new(HoleSource::Variable(name.as_str().into())))).collect();
    if run.call.stdout == Stream::Outer
        && !run.call.piped_to
        && !names.iter().any(|name| run.analyst.is_secret_variable(name))
    {
        run.push(EffectKind::EnvRead { what: EnvUse::Used(names) });
    }
    Outcome { stdout: Text { pieces: values.into() }.into(), status: Status::Either }
}

/// `export -p`, `declare -p`, and each without a name print every variable.
pub(super) fn declare(run: &mut Run) -> Outcome {
    let flags: Vec<String> =
        run.args.iter().map(Word::shown).take_while(|word| word.starts_with(['-', '+'])).collect();
    let names: Vec<String> = run.args.iter().skip(flags.len()).map(Word::shown).collect();
    let functions = flags.iter().any(|flag| flag.contains(['f', 'F']));
    let prints = flags.iter().any(|flag| flag.contains('p'));
    if names.is_empty() && !functions {
        run.push(EffectKind::EnvRead { what: EnvUse::All });
        return Outcome::unknown(taint::ENVIRONMENT);
    }
    if prints {
        let secret: Vec<String> = names.iter().filter(|name| is_secret_name(name)).cloned().collect();
        if !secret.is_empty() {
            run.push(EffectKind::EnvRead { what: EnvUse::Printed(secret) });
        }
    }
    for word in run.args {
        let prefix = word.text.prefix().to_owned();
        if let Some((name, _)) = prefix.split_once('=') {
            super::persistence::variable(run.analyst, name, &word.after('=').value(), run.call);
        }
    }
    if prints { run.derived() } else { Outcome::silent(Status::Either) }
}

/// `set` alone prints every variable.
pub(super) fn set(run: &mut Run) -> Outcome {
    let shows_all = |word: &Word| matches!(word.literal(), Some("--show" | "-S" | "--long" | "-L"));
    if run.args.iter().all(shows_all) {
        // A long script of the project that puts them into its log is not asked about; what sends them still is.
        if !run.shell.is_skimming() || run.call.stdout == Stream::Outer {
            run.push(EffectKind::EnvRead { what: EnvUse::All });
        }
        return Outcome::unknown(taint::ENVIRONMENT);
    }
    Outcome::silent(Status::Either)
}

fn store(run: &mut Run, what: &str) -> Outcome {
    run.push(EffectKind::EnvRead { what: EnvUse::Store(what.to_owned()) });
    Outcome::unknown(taint::SECRET)
}

pub(super) fn security(run: &mut Run) -> Outcome {
    let has = |flag: char| {
        run.args.iter().any(|word| {
            let text = word.shown();
            text.starts_with('-') && !text.starts_with("--") && text.contains(flag)
        })
    };
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    match verb.as_str() {
        "find-generic-password" | "find-internet-password" if has('w') || has('g') => {
            store(run, "the keychain")
        }
        "dump-keychain" if has('d') => store(run, "the keychain"),
        "export" => store(run, "the keychain"),
        _ => run.derived(),
    }
}

pub(super) fn secret_tool(run: &mut Run) -> Outcome {
    match run.args.first().map(Word::shown).as_deref() {
        Some("lookup" | "search") => store(run, "the desktop's keyring"),
        _ => run.derived(),
    }
}

pub(super) fn pass(run: &mut Run) -> Outcome {
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    match verb.as_str() {
        "rm" | "remove" | "delete" => {
            removed(run);
            run.derived()
        }
        "" | "ls" | "list" | "find" | "search" | "insert" | "add" | "generate" | "edit" | "mv" | "rename"
        | "cp" | "copy" | "git" | "help" | "version" | "init" | "--help" | "--version" | "-h" => {
            run.derived()
        }
        "show" if run.args.len() < 2 => run.derived(),
        _ => store(run, "the password store"),
    }
}

/// Passwords that are taken out of the store are files below its folder.
fn removed(run: &mut Run) {
    let options = read(run.args, "r,recursive f,force", Order::Anywhere);
    for name in options.operands.iter().skip(1) {
        let mut text = Text::literal(&format!("{}/.password-store/", run.analyst.world.home()));
        text.append(&name.text);
        let place = Word { text, ..name.clone() };
        run.analyst.delete(&place, options.has("r"), run.shell);
    }
}

pub(super) fn keyring(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("get")) { store(run, "the keyring") } else { run.derived() }
}

pub(super) fn kwallet(run: &mut Run) -> Outcome {
    let reads =
        run.args.iter().any(|word| word.text.prefix().starts_with("-r") || word.is("--read-password"));
    if reads { store(run, "the wallet") } else { run.derived() }
}

pub(super) fn lpass(run: &mut Run) -> Outcome {
    match run.args.first().map(Word::shown).as_deref() {
        Some("show" | "export") => store(run, "the password manager"),
        _ => run.derived(),
    }
}

pub(super) fn gpg(run: &mut Run) -> Outcome {
    let exports = |word: &Word| {
        // It takes the beginning of an option, where that is the beginning of no other.
        word.shown().starts_with("--export-se")
    };
    let decrypts = |word: &Word| matches!(word.shown().as_str(), "-d" | "--decrypt" | "-dq" | "-qd");
    let to_file = |word: &Word| word.is("--output") || word.text.prefix().starts_with("-o");
    if run.args.iter().any(exports) {
        return store(run, "the secret keys of gpg");
    }
    if run.args.iter().any(|word| word.text.prefix().starts_with("--delete-secret")) {
        delete_keys(run);
    }
    if run.args.iter().any(decrypts) && !run.args.iter().any(to_file) {
        return store(run, "a file that gpg keeps closed");
    }
    run.derived()
}

/// The private keys lie in a folder of their own, below the one that gpg was given.
fn delete_keys(run: &mut Run) {
    let given = read(run.args, "homedir=", Order::Anywhere).value("homedir").cloned();
    let set = || run.variable("GNUPGHOME").and_then(|value| value.single().cloned());
    let home = given.map(|word| word.text).or_else(set);
    let mut text = home.unwrap_or_else(|| Text::literal(&format!("{}/.gnupg", run.analyst.world.home())));
    text.push_str("/private-keys-v1.d");
    let keys = Word { text, ..Word::literal_at("", run.call.span) };
    run.analyst.delete(&keys, true, run.shell);
}

/// `-y` prints the public half of a private key, which it has to read.
pub(super) fn ssh_keygen(run: &mut Run) -> Outcome {
    super::flags::loads(run);
    let spec = "A B D= E= e F= f= g H h I= i K k L l M= m= N= n= O= o P= p Q q R= r= s= t= U u V= v W= w= X Y= y Z= a= b= C= c";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("y")
        && let Some(key) = options.value("f").cloned()
    {
        run.read(&key, false);
    }
    if options.has("p")
        && let Some(key) = options.value("f").cloned()
    {
        run.analyst.write(&key, WriteMode::Edit, None, run.shell);
    }
    // Without any of these it makes a new key, in place of the one that is there if it is told yes.
    let else_does =
        "A B D e F H I i K k L l M O Q R r s U u Y y Z c p".split(' ').any(|name| options.has(name));
    if let Some(key) = options.value("f").filter(|_| !else_does).cloned() {
        run.analyst.write(&key, WriteMode::Overwrite, None, run.shell);
    }
    run.derived()
}
