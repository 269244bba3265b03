//! What programs that nobody knows may read.

use tollgate_model::{Certainty, EffectKind, Zone};

use crate::catalogue;
use crate::commands::Run;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// A program of which nothing is known and that is given a file of secrets to work on may show it, also as the
/// value of an option: `-f`, `-iL` and `--input` name what is worked on. `--key server.key` and `--env-file .env`
/// are how secrets are used without being shown.
pub(in crate::commands) fn unknown(run: &mut Run) {
    let looks = catalogue::is(run.program, Tag::LooksAtFiles);
    let mut option: Option<String> = None;
    for word in run.args {
        let text = word.text.prefix();
        let name = text.starts_with('-').then(|| text.trim_start_matches('-').to_owned());
        let (file, option_of_it) = match &name {
            None => (Some(word.clone()), option.take()),
            Some(name) => match name.split_once('=') {
                Some((name, _)) => (Some(word.after('=')), Some(name.to_owned())),
                None => (None, None),
            },
        };
        let reads = match &option_of_it {
            _ if looks => lists_files(run.program, option_of_it.as_deref()),
            Some(name) => !uses(run, name, file.as_ref().unwrap_or(word)),
            None => true,
        };
        if let Some(file) = file.filter(|_| reads) {
            suspect_read(run, &file);
        }
        option = name.filter(|name| !name.contains('='));
    }
}

/// A file of secrets that a program may show.
fn suspect_read(run: &mut Run, word: &Word) {
    if !word.literal().is_some_and(|text| text.contains(['.', '/'])) {
        return;
    }
    for (place, _) in run.analyst.places(word, run.shell) {
        if place.zone == Zone::Secret {
            run.analyst.push(EffectKind::Read { place, recursive: false }, word.span, Certainty::Possible);
        }
    }
}

/// Is the option one that takes a secret to use it? Said by the names that programs agree on.
fn uses(run: &Run, option: &str, file: &Word) -> bool {
    let lower = option.to_ascii_lowercase();
    let parts = [
        "env", "key", "cert", "conf", "ident", "cred", "pass", "secret", "token", "auth", "pem", "ssl",
        "tls", "netrc", "vault", "login", "cookie", "account", "profile", "settings", "store", "db", "var",
        "state", "sign",
    ];
    let letters = ["e", "c", "k", "p", "s", "K", "ks"];
    // `-i` names an identity where somebody logs in, and otherwise what is worked on.
    let logs_in = || {
        catalogue::is(run.program, Tag::IdentityFile)
            || run.args.iter().any(|word| word.shown().contains('@'))
    };
    letters.contains(&option)
        || option == "i" && is_key(file) && logs_in()
        || parts.iter().any(|part| lower.contains(part))
        || matches!(option, "f" | "file") && run.program.contains("env")
}

/// A file that holds one key.
fn is_key(file: &Word) -> bool {
    let shown = file.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    name.starts_with("id_") || [".pem", ".key", ".ppk", ".p8"].iter().any(|end| name.ends_with(end))
}

/// Options of programs that only look at names: a file that holds the names is read, and they are shown.
fn lists_files(program: &str, option: Option<&str>) -> bool {
    matches!(
        (program, option),
        ("file", Some("f" | "files-from")) | ("du", Some("files0-from" | "X" | "exclude-from"))
    )
}
