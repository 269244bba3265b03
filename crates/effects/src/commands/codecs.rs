//! Decoders: known text is decoded, so that what is hidden in it is seen; unknown text is marked.

use tollgate_model::WriteMode;
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Piece, Text, Value};

use super::Run;
use crate::analyst::taint;
use crate::encodings::{from_base32, from_base64, from_hex};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) fn base64(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "d,D,decode i,ignore-garbage w,wrap= o,output= b,break= input=", Order::Anywhere);
    decode(run, &options.operands, options.has("d"), from_base64)
}

pub(super) fn base32(run: &mut Run) -> Outcome {
    let options = read(run.args, "d,decode i,ignore-garbage w,wrap=", Order::Anywhere);
    decode(run, &options.operands, options.has("d"), from_base32)
}

pub(super) fn xxd(run: &mut Run) -> Outcome {
    let spec = "a,autoskip b,bits c,cols= C,capitalize e E,EBCDIC g,groupsize= h i,include l,len= n,name= o= p,ps,postscript,plain r,revert s,seek= u,uppercase d R=";
    let args: Vec<Word> = run
        .args
        .iter()
        .map(|word| if word.is("-ps") { Word::literal_at("-p", word.span) } else { word.clone() })
        .collect();
    let options = read(&args, spec, Order::Anywhere);
    let plain = options.has("p");
    decode(run, &options.operands, options.has("r"), move |text| if plain { from_hex(text) } else { None })
}

pub(super) fn openssl(run: &mut Run) -> Outcome {
    let has = |flag: &str| run.args.iter().any(|word| word.is(flag));
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    if verb == "s_client" {
        return super::network::s_client(run);
    }
    let base64 = verb == "base64" || (verb == "enc" && (has("-a") || has("-base64")));
    let files: Vec<Word> = if shows_public(&verb, has) { Vec::new() } else { after(run.args, "-in") };
    let undo = has("-d");
    written(run, &["-out", "-keyout"]);
    // A key that is made here is nobody's yet.
    if matches!(verb.as_str(), "genpkey" | "genrsa" | "ecparam" | "req" | "gendsa") {
        for key in ["-out", "-keyout"].iter().flat_map(|flag| after(run.args, flag)).collect::<Vec<_>>() {
            run.analyst.make_file(&key, run.shell);
        }
    }
    let keyed = has("-k") || has("-K") || has("-pass");
    let outcome =
        decode(run, &files, undo, move |text| if base64 && !keyed { from_base64(text) } else { None });
    for output in after(run.args, "-out") {
        run.analyst.write(&output, WriteMode::Overwrite, Some(&outcome.stdout), run.shell);
    }
    outcome
}

/// Does the verb show no more of a file than what is public: of certificates and requests for them all, of a key its
/// public half, or nothing?
fn shows_public(verb: &str, has: impl Fn(&str) -> bool) -> bool {
    match verb {
        "x509" | "req" | "verify" | "crl" | "ocsp" => true,
        "rsa" | "ec" | "dsa" | "pkey" => has("-pubout") || has("-noout") && !has("-text"),
        _ => false,
    }
}

fn after(args: &[Word], flag: &str) -> Vec<Word> {
    args.windows(2)
        .filter_map(|pair| match pair {
            [name, value] if name.is(flag) => Some(value.clone()),
            _ => None,
        })
        .collect()
}

/// The files that these options name.
fn written(run: &mut Run, flags: &[&str]) {
    for file in flags.iter().flat_map(|flag| after(run.args, flag)).collect::<Vec<_>>() {
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
}

pub(super) fn unpack(run: &mut Run) -> Outcome {
    if matches!(run.program, "gpg" | "age" | "zstd" | "unzstd" | "uudecode") {
        written(run, &["-o", "--output", "--output-file"]);
    }
    let files: Vec<Word> = run.args.iter().filter(|word| !word.shown().starts_with('-')).cloned().collect();
    decode(run, &files, true, |_| None)
}

/// Decodes what is in the files, or on standard input.
fn decode(run: &mut Run, files: &[Word], undo: bool, how: impl Fn(&str) -> Option<Vec<u8>>) -> Outcome {
    let mut input = run.stdin().cloned().unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE));
    for word in files.iter().filter(|word| !word.is("-")) {
        input = run.read(word, false);
    }
    if !undo {
        return Outcome::unknown(input.taint);
    }
    let decoded = input.as_literal().and_then(how).and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded {
        Some(text) => Outcome { stdout: Value::text(&text).with_taint(input.taint), status: Status::Either },
        None => Outcome::unknown(input.taint.union(taint::DECODED)),
    }
}

/// `tr SET1 SET2` over known text: a simple cipher is a decoder.
pub(super) fn tr(run: &mut Run) -> Outcome {
    let options = read(run.args, "c,C,complement d,delete s,squeeze-repeats t,truncate-set1", Order::First);
    let input = run.stdin().cloned().unwrap_or_else(|| Value::output(tollgate_shell::value::Taint::NONE));
    let sets: Vec<Option<Vec<char>>> = options.operands.iter().map(|word| word.literal().map(set)).collect();
    if let [Some(from), Some(to)] = sets.as_slice()
        && !["c", "s", "d"].iter().any(|name| options.has(name))
        && input.as_literal().is_none()
        && from.iter().all(|c| matches!(c, '\n' | '\0' | ' ' | '\t'))
    {
        return Outcome { stdout: input.map(|text| reparted(text, from, to)), status: Status::Either };
    }
    let changed = match (input.as_literal(), sets.as_slice()) {
        _ if options.has("c") || options.has("s") => None,
        (Some(text), [Some(from)]) if options.has("d") => {
            Some(text.chars().filter(|c| !from.contains(c)).collect())
        }
        (Some(text), [Some(from), Some(to)]) => {
            Some(text.chars().map(|c| translate(c, from, to)).collect::<String>())
        }
        _ => None,
    };
    match changed {
        Some(text) => Outcome { stdout: Value::text(&text).with_taint(input.taint), status: Status::Success },
        None => Outcome::unknown(input.taint),
    }
}

/// A list with another sign between its entries: what is not known of an entry holds none.
fn reparted(text: &Text, from: &[char], to: &[char]) -> Text {
    let mut out = Text::default();
    for piece in &text.pieces {
        match piece {
            Piece::Text(known) => {
                out.push_str(&known.chars().map(|c| translate(c, from, to)).collect::<String>());
            }
            other => out.push(other.clone()),
        }
    }
    out
}

fn translate(character: char, from: &[char], to: &[char]) -> char {
    let Some(at) = from.iter().position(|c| *c == character) else { return character };
    to.get(at).or(to.last()).copied().unwrap_or(character)
}

/// The characters of a `tr` set: ranges, classes and escapes.
fn set(text: &str) -> Vec<char> {
    let text = text
        .replace("[:upper:]", "A-Z")
        .replace("[:lower:]", "a-z")
        .replace("[:digit:]", "0-9")
        .replace("[:alpha:]", "A-Za-z")
        .replace("[:alnum:]", "A-Za-z0-9")
        .replace("[:space:]", " \t\n\r")
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\000", "\0")
        .replace("\\0", "\0");
    let characters: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&first) = characters.get(at) {
        match (characters.get(at + 1), characters.get(at + 2)) {
            (Some('-'), Some(&last)) if first <= last => {
                out.extend((first..=last).take(512));
                at += 3;
            }
            _ => {
                out.push(first);
                at += 1;
            }
        }
    }
    out
}

/// `/bin/echo`, or `echo` behind a wrapper, where the shell's own is not used.
pub(super) fn echo(run: &mut Run) -> Outcome {
    let words: Vec<&Word> =
        run.args.iter().skip_while(|word| matches!(word.shown().as_str(), "-n" | "-e" | "-E")).collect();
    let blank = Value::text(" ");
    let text = words.into_iter().map(Word::value).reduce(|left, right| left.concat(&blank).concat(&right));
    let stdout = text.unwrap_or_else(Value::empty).concat(&Value::text("\n"));
    Outcome { stdout, status: Status::Success }
}
