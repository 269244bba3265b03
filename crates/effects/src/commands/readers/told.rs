//! Commands that tell about a file without showing what is in it: how long it is, whether a variable is set in it,
//! which ones are.

use tollgate_model::{EffectKind, Place, World, Zone};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Piece, Taint};

use super::super::Run;
use super::specs;
use crate::analyst::taint;
use crate::options::{Order, read};
use crate::word::Word;

/// How much a command tells of what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// A number or a sum over all of it.
    Size,
    /// The names of variables, or whether one is there.
    Names,
}

/// The largest file of variables that is looked into.
const LIMIT: usize = 64 * 1024;

/// How much a command tells, if it is less than what is in the file.
pub(crate) fn told(program: &str, words: &[Word]) -> Option<Told> {
    let tells = match program {
        "wc" => is_size(program, words, &["files0-from"]),
        "md5sum" | "sha1sum" | "sha224sum" | "sha256sum" | "sha384sum" | "sha512sum" | "b2sum" | "shasum"
        | "cksum" | "sum" => is_size(program, words, &["c", "check"]),
        "diff" => read(words, specs::of(program), Order::Anywhere).has("q").then_some(Told::Size),
        "cmp" => read(words, specs::of(program), Order::Anywhere).has("s").then_some(Told::Size),
        "cut" => cuts(words).then_some(Told::Names),
        "grep" | "egrep" | "fgrep" | "rg" => greps(program, words).then_some(Told::Names),
        "awk" | "gawk" | "mawk" | "nawk" => prints_first(words).then_some(Told::Names),
        "sed" | "gsed" => drops_values(words).then_some(Told::Names),
        _ => None,
    };
    tells.filter(|_| words.iter().all(|word| !word.splits || word.literal().is_some()))
}

/// Takes back what a command was taken to show, where it only tells about it.
pub(crate) fn spare(run: &mut Run, mark: usize, outcome: Outcome) -> Outcome {
    let world = run.analyst.world;
    let secret = |effect: &tollgate_model::Effect| matches!(&effect.kind, EffectKind::Read { place, .. } if place.zone == Zone::Secret);
    if !run.analyst.since(mark).iter().any(secret) {
        return outcome;
    }
    let Some(told) = told(run.program, run.args) else { return outcome };
    let spared = |place: &Place| told == Told::Size || is_list_of_variables(place, world);
    run.analyst.sift(mark, |effect| match &effect.kind {
        EffectKind::Read { place, recursive: false } if place.zone == Zone::Secret => !spared(place),
        _ => true,
    });
    if run.analyst.since(mark).iter().any(secret) {
        return outcome;
    }
    // The names of files, which say nothing of what is in them, stay known.
    match taint::has(outcome.stdout.taint, taint::SECRET) {
        true => Outcome { stdout: Outcome::unknown(Taint::NONE).stdout, ..outcome },
        false => outcome,
    }
}

/// Is it a file of variables in which every line is one? A value over several lines would be shown by what takes
/// the names.
pub(crate) fn is_list_of_variables(place: &Place, world: &dyn World) -> bool {
    let name = place.path.rsplit('/').next().unwrap_or_default();
    let is_plain = |line: &str| line.trim().is_empty() || line.starts_with('#') || line.contains('=');
    !place.pattern
        && (name.starts_with(".env") || name.ends_with(".env") || is_environment(&place.path))
        && world.read(&place.path, LIMIT).is_none_or(|bytes| {
            bytes.len() < LIMIT && String::from_utf8(bytes).is_ok_and(|text| text.lines().all(is_plain))
        })
}

/// The environment of a process, as the kernel shows it.
fn is_environment(path: &str) -> bool {
    path.starts_with("/proc/") && path.ends_with("/environ")
}

fn is_size(program: &str, words: &[Word], unless: &[&str]) -> Option<Told> {
    let options = read(words, specs::of(program), Order::Anywhere);
    (!unless.iter().any(|name| options.has(name))).then_some(Told::Size)
}

/// `cut -d= -f1`.
fn cuts(words: &[Word]) -> bool {
    let options = read(words, specs::of("cut"), Order::Anywhere);
    let only =
        |name: &str, wanted: &str| options.values(name).all(|value| value.is(wanted)) && options.has(name);
    only("d", "=") && only("f", "1") && !["complement", "b", "c"].iter().any(|name| options.has(name))
}

/// `grep -q '^NAME=' file`, `grep -c NAME file`, `grep -o '^[A-Z_]*' file`.
fn greps(program: &str, words: &[Word]) -> bool {
    let spec = if program == "rg" { specs::RIPGREP } else { specs::GREP };
    let options = read(words, spec, Order::Anywhere);
    let quiet =
        ["q", "c", "l", "L", "quiet", "count", "files-with-matches"].iter().any(|name| options.has(name));
    let plain = !["v", "f", "r", "R", "A", "B", "C", "passthru", "pre"].iter().any(|name| options.has(name));
    let mut patterns: Vec<&Word> = options.values("e").collect();
    if patterns.is_empty() {
        patterns.extend(options.operands.first());
    }
    let only = options.has("o") && plain && patterns.len() == 1;
    (quiet && !options.has("f") && patterns.iter().all(|pattern| names_variable(pattern)))
        || (only && patterns.iter().all(|pattern| pattern.literal().is_some_and(takes_names)))
}

/// A pattern that says nothing about a value, so that no value can be guessed with it.
fn names_variable(pattern: &Word) -> bool {
    let text: String = pattern.text.pieces.iter().map(shape).collect();
    let (name, value) = text.split_once('=').unwrap_or((&text, ""));
    let anchored = text.starts_with('^') && text.contains('=');
    let bare = name.trim_start_matches(['^', '\\', 'b', '(']);
    let is_name =
        |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '_' | '|' | '\\' | ')' | '$');
    value.chars().all(|c| matches!(c, '.' | '*' | '+' | '\\' | '$' | '?'))
        && (anchored || bare.chars().all(is_name) || !text.contains(|c: char| c.is_alphanumeric()))
}

/// What is not known stands for a letter.
fn shape(piece: &Piece) -> String {
    match piece {
        Piece::Text(known) | Piece::Glob(known) => known.to_string(),
        Piece::Hole(_) => "x".to_owned(),
    }
}

/// `^[A-Z_]*`, `^[^=]+`, `^\w+`: the start of a line, up to its `=` at most.
fn takes_names(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else { return false };
    let rest = rest.strip_suffix('=').unwrap_or(rest);
    let mut rest = rest;
    while !rest.is_empty() {
        let Some(after) = one_of_name(rest) else { return false };
        rest = after.trim_start_matches(['*', '+', '?']);
        rest = rest.strip_prefix("\\+").unwrap_or(rest);
    }
    true
}

/// What follows one part of such a pattern that matches no `=`.
fn one_of_name(pattern: &str) -> Option<&str> {
    if let Some(rest) = pattern.strip_prefix("[^") {
        let (class, rest) = rest.split_once(']')?;
        return class.contains('=').then_some(rest);
    }
    if let Some(rest) = pattern.strip_prefix('[') {
        let (class, rest) = rest.split_once(']')?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        return class.chars().all(is_plain).then_some(rest);
    }
    if let Some(rest) = pattern.strip_prefix("\\w") {
        return Some(rest);
    }
    let mut letters = pattern.chars();
    letters.next().filter(|c| c.is_ascii_alphanumeric() || *c == '_').map(|_| letters.as_str())
}

/// `awk -F= '{print $1}'`.
fn prints_first(words: &[Word]) -> bool {
    let options = read(words, "F= v= f= e=", Order::First);
    let program = options.operands.first().and_then(Word::literal).unwrap_or_default();
    let dense: String = program.chars().filter(|c| !c.is_whitespace()).collect();
    let separated = options.value("F").is_some_and(|value| value.is("="));
    let alone = !["v", "f", "e"].iter().any(|name| options.has(name));
    separated && alone && names_only(after_pattern(&dense))
}

/// What an awk program does with the lines that its pattern picks.
fn after_pattern(program: &str) -> &str {
    let program = program.strip_prefix("NF").unwrap_or(program);
    match program.strip_prefix('!').unwrap_or(program).strip_prefix('/') {
        Some(pattern) => pattern.split_once('/').map_or("", |(_, rest)| rest),
        None => program,
    }
}

/// `{print$1}`, or `printf` of the first field and of lengths.
fn names_only(action: &str) -> bool {
    let Some(body) = action.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else { return false };
    let Some(shown) = body.strip_prefix("printf").or_else(|| body.strip_prefix("print")) else {
        return false;
    };
    // Texts between quotes are the program's own.
    let own: String = shown.split('"').step_by(2).collect();
    let plain = own.replace("length($0)", "1").replace("length($1)", "1").replace("length($2)", "1");
    let plain = plain.replace("$1", "1").replace("NR", "1");
    !plain.is_empty() && plain.chars().all(|c| c.is_ascii_digit() || ",+-()".contains(c))
}

/// `sed 's/=.*/=/'`.
fn drops_values(words: &[Word]) -> bool {
    let options = read(words, "e,expression= f,file= n,quiet E r i? s", Order::Anywhere);
    let scripts: Vec<&Word> = match options.values("e").collect::<Vec<_>>() {
        none if none.is_empty() => options.operands.iter().take(1).collect(),
        given => given,
    };
    let drops = |script: &&Word| {
        let text = script.literal().unwrap_or_default();
        let parts: Vec<&str> = text.split('/').collect();
        matches!(parts.as_slice(), ["s", "=.*" | "=.*$", put, "" | "g"] if !put.contains(['&', '\\']))
    };
    let others = ["f", "n", "i"].iter().any(|name| options.has(name));
    scripts.len() == 1 && scripts.iter().all(drops) && !others
}
