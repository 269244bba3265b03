//! The environment and the stores of secrets: what prints them.

use tollgate_model::phrase::{PRINTED, STORE};
use tollgate_model::{Certainty, CodeSource, Effect, EffectKind};
use tollgate_shell::eval::{Call, Outcome, Status, Stream};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::{Commands, Run};
use crate::analyst::{Analyst, taint};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("printenv", printenv),
    ("export", declare),
    ("declare", declare),
    ("typeset", declare),
    ("readonly", declare),
    ("set", set),
    ("security", security),
    ("secret-tool", secret_tool),
    ("pass", pass),
    ("gopass", pass),
    ("keyring", keyring),
    ("kwallet-query", kwallet),
    ("lpass", lpass),
    ("ssh-keygen", ssh_keygen),
];

/// What programs do besides what their own family says.
pub(super) const ASIDE: Commands = &[("gpg", gpg), ("gpg2", gpg)];

/// Does a variable of this name hold a secret? Tells `GITHUB_TOKEN` from `MAX_TOKENS` and `TOKEN_FILE`.
pub(crate) fn is_secret_name(name: &str) -> bool {
    if !name.bytes().any(|byte| byte.is_ascii_uppercase())
        || name.bytes().any(|byte| byte.is_ascii_lowercase())
    {
        return false;
    }
    let words: Vec<&str> = name.split('_').collect();
    let about = [
        "FILE",
        "PATH",
        "DIR",
        "NAME",
        "URL",
        "URI",
        "LIMIT",
        "COUNT",
        "TYPE",
        "ID",
        "LENGTH",
        "TTL",
        "EXPIRY",
        "ENDPOINT",
        "PARALLELISM",
        "HELPER",
        "STORE",
        "POLICY",
        "REGEX",
        "PROMPT",
        "ALGORITHM",
        "PREFIX",
        "HEADER",
        "REQUIRED",
        "ENABLED",
    ];
    let plain = [
        "TOKEN",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "APIKEY",
        "PAT",
    ];
    let before_key = [
        "API",
        "ACCESS",
        "PRIVATE",
        "SIGNING",
        "ENCRYPTION",
        "MASTER",
        "SECRET",
        "DEPLOY",
        "AUTH",
        "ADMIN",
        "SERVICE",
    ];
    let keyed = words.windows(2).any(|pair| matches!(pair, [kind, "KEY"] if before_key.contains(kind)));
    let ends = words.last().is_some_and(|last| about.contains(last));
    !ends && (keyed || words.iter().any(|word| plain.contains(word)))
}

/// Looks at every command before it runs: does it print a secret variable, or filter a dump of the environment?
pub(super) fn watch(analyst: &mut Analyst, call: &Call) {
    let Some(program) = call.name().map(|name| name.rsplit('/').next().unwrap_or(name)) else { return };
    let shows = call.stdout == Stream::Outer && !call.piped_to;
    if matches!(program, "echo" | "printf" | "print") && shows {
        call.args().for_each(|field| printed(analyst, &field.value, call));
    }
    let copies = [
        "cat", "tee", "base64", "base32", "xxd", "od", "hexdump", "rev", "tac", "fold", "head", "tail", "nl",
        "tr", "sed", "cut", "awk", "bat", "less", "more",
    ];
    if shows
        && copies.contains(&program)
        && let Some(input) = &call.stdin.value
    {
        printed(analyst, input, call);
    }
    if call.stdin.stream == Stream::Pipe && is_filter(program, call) {
        retract_dump(analyst);
    }
}

/// Looks at what a command has printed, whatever made it: code in other languages, a file that is a pipe.
pub(super) fn shown(analyst: &mut Analyst, call: &Call, outcome: &Outcome) {
    if call.stdout == Stream::Outer && !call.piped_to {
        printed(analyst, &outcome.stdout, call);
    }
}

fn printed(analyst: &mut Analyst, value: &Value, call: &Call) {
    let pieces = value.any.iter().take(16).flat_map(|text| &text.pieces);
    for piece in pieces {
        if let Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) = piece
            && is_secret_name(name)
        {
            let names = vec![format!("{PRINTED}{name}")];
            analyst.push(EffectKind::EnvRead { names }, call.span, Certainty::Certain);
        }
    }
}

/// Programs that pass a dump on, and are not yet the end of it.
const PASSES: &[&str] = &["sort", "uniq", "cat", "head", "tail", "tr", "column", "tac", "sed"];

/// A dump that only goes through a filter is no dump any more.
fn retract_dump(analyst: &mut Analyst) {
    let found = analyst.found();
    let is_dump = |effect: &Effect| matches!(&effect.kind, EffectKind::EnvRead { names } if names.is_empty());
    let Some(at) = found.iter().rposition(is_dump) else { return };
    let passed = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, source: CodeSource::Literal, .. } => PASSES.contains(&program.as_str()),
        _ => false,
    };
    if found.iter().skip(at + 1).all(passed)
        && let Some(dump) = found.get(at).cloned()
    {
        analyst.retract(|effect| *effect == dump);
    }
}

/// Does the command let only lines through that name no secret?
fn is_filter(program: &str, call: &Call) -> bool {
    let words: Vec<String> =
        call.args().map(|field| field.value.as_literal().unwrap_or("*").to_owned()).collect();
    match program {
        "wc" => true,
        "cut" => {
            words.iter().any(|word| word == "-f1" || word == "-f")
                && words.iter().any(|word| word.starts_with("-d"))
        }
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            let inverts = words.iter().any(|word| {
                word == "--invert-match"
                    || (word.starts_with('-') && !word.starts_with("--") && word.contains('v'))
            });
            let patterns: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
            !inverts && !patterns.is_empty() && patterns.iter().all(|pattern| is_narrow(pattern))
        }
        _ => false,
    }
}

/// A pattern that names something, and no secret.
fn is_narrow(pattern: &str) -> bool {
    let upper = pattern.to_ascii_uppercase();
    let secret =
        ["TOKEN", "SECRET", "KEY", "PASS", "CRED", "AUTH", "PWD", "AWS", "API", "GITHUB", "DATABASE"];
    let named = upper.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word.len() >= 2);
    named && !secret.iter().any(|word| upper.contains(word)) && !upper.contains(".*")
}

fn printenv(run: &mut Run) -> Outcome {
    let names: Vec<String> = run.args.iter().map(Word::shown).filter(|name| !name.starts_with('-')).collect();
    if names.is_empty() {
        run.push(EffectKind::EnvRead { names });
        return Outcome::unknown(taint::ENVIRONMENT);
    }
    let values: Vec<Piece> =
        names.iter().map(|name| Piece::Hole(Hole::new(HoleSource::Variable(name.as_str().into())))).collect();
    if run.call.stdout == Stream::Outer
        && !run.call.piped_to
        && !names.iter().any(|name| is_secret_name(name))
    {
        run.push(EffectKind::EnvRead { names });
    }
    Outcome { stdout: Text { pieces: values }.into(), status: Status::Either }
}

/// `export -p`, `declare -p`, and each without a name print every variable.
fn declare(run: &mut Run) -> Outcome {
    let flags: Vec<String> =
        run.args.iter().map(Word::shown).take_while(|word| word.starts_with(['-', '+'])).collect();
    let names: Vec<String> = run.args.iter().skip(flags.len()).map(Word::shown).collect();
    let functions = flags.iter().any(|flag| flag.contains(['f', 'F']));
    let prints = flags.iter().any(|flag| flag.contains('p'));
    if names.is_empty() && !functions {
        run.push(EffectKind::EnvRead { names: Vec::new() });
    } else if prints {
        let secret: Vec<String> =
            names.iter().filter(|name| is_secret_name(name)).map(|name| format!("{PRINTED}{name}")).collect();
        if !secret.is_empty() {
            run.push(EffectKind::EnvRead { names: secret });
        }
    }
    for word in run.args {
        let prefix = word.text.prefix().to_owned();
        if let Some((name, _)) = prefix.split_once('=') {
            super::persistence::variable(run.analyst, name, &word.after('=').value(), run.call);
        }
    }
    run.derived()
}

/// `set` alone prints every variable.
fn set(run: &mut Run) -> Outcome {
    if run.args.is_empty() {
        run.push(EffectKind::EnvRead { names: Vec::new() });
    }
    run.derived()
}

fn store(run: &mut Run, what: &str) -> Outcome {
    run.push(EffectKind::EnvRead { names: vec![format!("{STORE}{what}")] });
    Outcome::unknown(taint::SECRET)
}

fn security(run: &mut Run) -> Outcome {
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

fn secret_tool(run: &mut Run) -> Outcome {
    match run.args.first().map(Word::shown).as_deref() {
        Some("lookup" | "search") => store(run, "the desktop's keyring"),
        _ => run.derived(),
    }
}

fn pass(run: &mut Run) -> Outcome {
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    match verb.as_str() {
        "" | "ls" | "list" | "find" | "search" | "insert" | "add" | "generate" | "edit" | "rm" | "remove"
        | "delete" | "mv" | "rename" | "cp" | "copy" | "git" | "help" | "version" | "init" | "--help"
        | "--version" | "-h" => run.derived(),
        "show" if run.args.len() < 2 => run.derived(),
        _ => store(run, "the password store"),
    }
}

fn keyring(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("get")) { store(run, "the keyring") } else { run.derived() }
}

fn kwallet(run: &mut Run) -> Outcome {
    let reads =
        run.args.iter().any(|word| word.text.prefix().starts_with("-r") || word.is("--read-password"));
    if reads { store(run, "the wallet") } else { run.derived() }
}

fn lpass(run: &mut Run) -> Outcome {
    match run.args.first().map(Word::shown).as_deref() {
        Some("show" | "export") => store(run, "the password manager"),
        _ => run.derived(),
    }
}

fn gpg(run: &mut Run) -> Outcome {
    let exports = |word: &Word| {
        let text = word.shown();
        ["--export-secret-keys", "--export-secret-subkeys", "--export-secret-ssh-key"]
            .iter()
            .any(|flag| text == *flag)
    };
    if run.args.iter().any(exports) { store(run, "the secret keys of gpg") } else { run.derived() }
}

/// `-y` prints the public half of a private key, which it has to read.
fn ssh_keygen(run: &mut Run) -> Outcome {
    let spec = "A B D= E= e F= f= g H h I= i K k L l M= m= N= n= O= o P= p Q q R= r= s= t= U u V= v W= w= X Y= y Z= a= b= C= c";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("y")
        && let Some(key) = options.value("f").cloned()
    {
        run.read(&key, false);
    }
    run.derived()
}
