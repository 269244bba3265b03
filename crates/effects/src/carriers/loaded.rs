//! Code of any name: modules, settings, plugins. What loads a file runs what stands outside of its functions.

use super::{Carrier, Part, Runs, language_of};
use crate::content::{Extent, Piece};
use crate::languages::Language;

/// How code reaches other machines, or takes whole folders away.
const REACHES: &[&str] = &[
    "://",
    "http",
    "curl",
    "wget",
    "ocket",
    "/dev/tcp",
    "nc ",
    "base64",
    "atob",
    "fromhex",
    "rm -",
    "rmtree",
    "rmSync",
    "rm_r",
    "rmdir",
    "remove_tree",
];

/// How code runs texts, or comes to the keys, the variables and the folder of a person.
const TAKES: &[&str] = &[
    "exec",
    "spawn",
    "system",
    "popen",
    "Popen",
    "subprocess",
    "eval",
    "shell",
    "`",
    "run(",
    ".ssh",
    ".aws",
    "environ",
    "process.env",
    "home",
    "HOME",
    "import(",
    "compile(",
    "loads(",
    "load(",
    "_post(",
    "open(",
    "expanduser",
    "~/",
];

/// The longest text that is read.
const LIMIT: usize = 256 * 1024;

/// The code of a file in a language whose files are run when they are loaded.
pub(super) fn read(extension: &str, text: &str, extent: Extent) -> Option<Carrier> {
    let language = Language::of(extension).or_else(|| extra(extension)).or_else(|| language_of(extension))?;
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // Of a part nobody knows whether it stands in a function. Most files hold nothing of the kind.
    if extent == Extent::Part
        || language == Language::Slashed
        || text.len() > LIMIT
        || !says(REACHES)
        || !says(TAKES)
    {
        return None;
    }
    let part = Part { name: String::new(), piece: Piece::Language(language, text.to_owned()) };
    Some(Carrier { runs: Runs::OnLoad, pieces: vec![part] })
}

/// Extensions that are not names of their interpreters too.
fn extra(extension: &str) -> Option<Language> {
    Some(match extension {
        "R" => Language::Hashed,
        "exs" => Language::Hashed,
        "jl" => Language::Julia,
        "el" => Language::Lisp,
        _ => return None,
    })
}
