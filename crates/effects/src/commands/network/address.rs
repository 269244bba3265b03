//! From a word to an address: where its unknown parts stand, and the connection it makes.

use tollgate_model::{Carried, Certainty, EffectKind, NetDirection, hosts};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text};

use super::super::Run;
use super::cargo::{Cargo, is_secret_name};
use crate::analyst::taint;
use crate::url::{Url, label_holds_data, looks_encoded};
use crate::word::Word;

/// A text in which every hole is one character of its own, so that it can be split like any other.
struct Laid {
    text: String,
    holes: Vec<HoleSource>,
}

/// The first of the characters that stand for holes: a private one, which addresses do not hold.
const FIRST: u32 = 0xE000;
const LAST: u32 = 0xF8FF;

impl Laid {
    fn of(text: &Text) -> Self {
        let mut laid = Self { text: String::new(), holes: Vec::new() };
        for piece in &text.pieces {
            match piece {
                Piece::Text(known) | Piece::Glob(known) => {
                    laid.text.extend(known.chars().map(|c| if is_mark(c) { '\u{FFFD}' } else { c }));
                }
                Piece::Hole(Hole { source, .. }) => {
                    let index = u32::try_from(laid.holes.len()).unwrap_or(0).min(LAST - FIRST);
                    laid.text.push(char::from_u32(FIRST + index).unwrap_or('*'));
                    laid.holes.push(source.clone());
                }
            }
        }
        laid
    }

    fn hole(&self, mark: char) -> Option<&HoleSource> {
        let index = u32::from(mark).checked_sub(FIRST)?;
        self.holes.get(usize::try_from(index).ok()?)
    }
}

fn is_mark(c: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(c))
}

fn shown(text: &str) -> String {
    text.chars().map(|c| if is_mark(c) { '*' } else { c }).collect()
}

/// The hosts that an address may lead to: curl and its like expand braces by themselves.
pub(super) fn host_of(word: &Word) -> String {
    shown(&Url::parse(&Laid::of(&word.text).text).host)
}

/// Connects to the host of an address and sends the cargo, with what the address itself carries. A `file:`
/// address is read instead: true when it was one.
pub(super) fn connect(run: &mut Run, word: &Word, cargo: &Cargo, sends: bool) -> bool {
    let laid = Laid::of(&word.text);
    let mut was_file = false;
    for text in unbraced(&laid.text) {
        let url = Url::parse(&text);
        if let Some(path) = url.file() {
            run.read(&Word { text: restored(&path, &laid), ..word.clone() }, false);
            was_file = true;
            continue;
        }
        if url.strange {
            run.analyst.opaque("programs interpret the address differently", word.span);
        }
        let mut cargo = cargo.clone();
        in_path(&mut cargo, word, &url);
        in_name(&mut cargo, word, &url, &laid, Use::Request);
        send(run, word, &shown(&url.host), cargo, sends);
    }
    was_file
}

/// Looks a name up, or knocks at a host, which tells its name servers what the name says.
pub(crate) fn look_up(run: &mut Run, word: &Word) {
    let laid = Laid::of(&word.text);
    let url = Url::parse(&laid.text);
    let mut cargo = Cargo::default();
    in_name(&mut cargo, word, &url, &laid, Use::LookUp);
    send(run, word, &shown(&url.host), cargo, false);
}

/// The host of an address, and what its name carries.
pub(crate) fn name_of(word: &Word) -> (String, Cargo) {
    let laid = Laid::of(&word.text);
    let url = Url::parse(&laid.text);
    let mut cargo = Cargo::default();
    in_name(&mut cargo, word, &url, &laid, Use::Request);
    (shown(&url.host), cargo)
}

/// What a host name is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Somebody there shall answer.
    Request,
    /// Only the name is asked for.
    LookUp,
}

/// Takes the connection down.
pub(super) fn send(run: &mut Run, word: &Word, host: &str, cargo: Cargo, sends: bool) {
    let direction = if sends || !cargo.is_empty() { NetDirection::Out } else { NetDirection::In };
    let host = host.to_owned();
    if !cargo.maybe.is_empty() {
        let kind = EffectKind::Net { host: host.clone(), direction, carries: cargo.maybe };
        run.analyst.push(kind, word.span, Certainty::Possible);
    }
    run.analyst.push(EffectKind::Net { host, direction, carries: cargo.sure }, word.span, Certainty::Certain);
}

/// What path and query carry. The output of a command alone is everyday there: versions, platforms, commits.
fn in_path(cargo: &mut Cargo, word: &Word, url: &Url) {
    cargo.address(word, &url.host);
    let is_open = |text: &str| text.contains(is_mark);
    if is_open(&url.path) || is_open(&url.query) {
        let mut own = Cargo::default();
        own.word(word, &url.host);
        if !hosts::is_public_page(&url.host) {
            own.sure.retain(|what| *what != Carried::Output);
        }
        for what in own.sure {
            cargo.add(if what == Carried::FileData { Carried::FileInAddress } else { what });
        }
        cargo.maybe.extend(own.maybe);
    } else if let Some(value) = looks_encoded(url) {
        cargo.add(Carried::Encoded(value));
    }
}

/// What the host name carries below a domain that is fixed. A name that is unknown as a whole is only a name.
fn in_name(cargo: &mut Cargo, word: &Word, url: &Url, laid: &Laid, how: Use) {
    let host = url.host.as_str();
    let Some(last) = host.rfind(is_mark) else {
        if label_holds_data(&url.written) {
            cargo.add(Carried::Encoded(host.to_owned()).in_host_name());
        }
        return;
    };
    let domain = host.get(last..).unwrap_or_default().trim_start_matches(is_mark);
    let is_fixed =
        domain.trim_start_matches('.').contains('.') && domain.contains(|c: char| c.is_ascii_alphabetic());
    let is_near =
        [".local", ".localhost", ".internal", ".svc", ".lan"].iter().any(|end| domain.ends_with(end));
    if !is_fixed || is_near {
        return;
    }
    let sources: Vec<&HoleSource> = host.chars().filter_map(|c| laid.hole(c)).collect();
    let secret = |source: &&&HoleSource| matches!(source, HoleSource::Variable(name) if is_secret_name(name));
    let what = if taint::has(word.taint, taint::SECRET) || sources.iter().any(|source| secret(&source)) {
        Carried::Secret
    } else if sources.iter().any(|source| source.is_output()) {
        Carried::Output
    } else if how == Use::Request && sources.iter().all(|source| names_a_place(source)) {
        return;
    } else {
        cargo.maybe.push(Carried::Variable.in_host_name());
        return;
    };
    cargo.add(what.in_host_name());
}

/// A variable that is named for one of the places a service has: `https://$REGION.example.test`.
fn names_a_place(source: &HoleSource) -> bool {
    let HoleSource::Variable(name) = source else { return false };
    let places = [
        "REGION",
        "ZONE",
        "ACCOUNT",
        "PROJECT",
        "TENANT",
        "SUBDOMAIN",
        "DOMAIN",
        "ENV",
        "ENVIRONMENT",
        "STAGE",
        "ORG",
        "ORGANIZATION",
        "BUCKET",
        "WORKSPACE",
        "CLUSTER",
        "NAMESPACE",
        "SITE",
        "SHOP",
        "STORE",
        "APP",
        "SERVICE",
        "INSTANCE",
        "TEAM",
        "REGISTRY",
        "MIRROR",
        "LANG",
        "LOCALE",
        "SLUG",
        "REF",
    ];
    let upper = name.to_ascii_uppercase();
    let mut words = upper.split('_').rev().filter(|word| !matches!(*word, "NAME" | "ID" | "PREFIX" | "CODE"));
    words.next().is_some_and(|word| places.contains(&word))
}

/// The alternatives of braces, as curl reads them; at most a few.
fn unbraced(text: &str) -> Vec<String> {
    const LIMIT: usize = 16;
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(next) = open.pop() {
        let parts = next.split_once('{').and_then(|(before, rest)| {
            let (inside, after) = rest.split_once('}')?;
            Some((before.to_owned(), inside.to_owned(), after.to_owned()))
        });
        match parts {
            Some((before, inside, after)) if done.len() + open.len() < LIMIT => {
                let ways = inside.split(',').take(LIMIT);
                open.extend(ways.map(|way| format!("{before}{way}{after}")));
            }
            _ => done.push(next),
        }
    }
    done
}

/// The text with its holes again.
fn restored(text: &str, laid: &Laid) -> Text {
    let mut out = Text::default();
    for character in text.chars() {
        match laid.hole(character) {
            Some(source) => out.push(Piece::Hole(Hole::new(source.clone()))),
            None => out.push_str(character.encode_utf8(&mut [0; 4])),
        }
    }
    out
}
