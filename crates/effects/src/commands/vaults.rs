//! Programs that show environments and secrets besides what they are for: processes, sessions, containers,
//! decryption, helpers that keep credentials.

use tollgate_model::{EffectKind, EnvUse, InfraTool};
use tollgate_shell::eval::Outcome;

use super::{Handler, Run, interpreters, network};
use crate::analyst::taint;
use crate::options::{Order, read};
use crate::word::Word;

/// `vault policy write name file`: a policy for every path, or with the right to everything.
pub(super) fn vault(run: &mut Run) -> Outcome {
    let words: Vec<Word> = run
        .args
        .iter()
        .filter(|word| word.is("-") || !word.text.prefix().starts_with('-'))
        .cloned()
        .collect();
    let [policy, write, name, file, ..] = words.as_slice() else { return run.derived() };
    if !policy.is("policy") || !write.is("write") {
        return run.derived();
    }
    let text = if file.is("-") { run.stdin().cloned() } else { run.analyst.script(file, run.shell) };
    let dense: String = text
        .iter()
        .filter_map(|text| text.as_literal())
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect();
    if dense.contains("path\"*\"") || dense.contains("\"sudo\"") {
        let (tool, operation) = (run.program.to_owned(), "grant-admin".to_owned());
        run.push(EffectKind::Infra {
            tool: InfraTool::Named(tool),
            operation,
            target: format!("vault policy write {}", name.shown()),
        });
    }
    run.derived()
}

/// `docker-credential-desktop get`, `git-credential-osxkeychain get`.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    let keeps = ["docker-credential-", "git-credential-"].iter().any(|start| program.starts_with(start));
    keeps.then_some(helper as Handler)
}

fn store(run: &mut Run, what: &str) -> Outcome {
    run.push(EffectKind::EnvRead { what: EnvUse::Store(what.to_owned()) });
    Outcome::unknown(taint::SECRET)
}

fn dump(run: &mut Run) -> Outcome {
    run.push(EffectKind::EnvRead { what: EnvUse::All });
    Outcome::unknown(taint::ENVIRONMENT)
}

fn helper(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("get") || word.is("list")) {
        return store(run, "the keeper of credentials");
    }
    run.derived()
}

/// `--cookies-from-browser` takes the person's sessions; with `--cookies file` it writes all of them down.
pub(super) fn cookies(run: &mut Run) -> Outcome {
    let says = |name: &str| run.args.iter().any(|word| word.text.prefix().split('=').next() == Some(name));
    super::readers::unknown(run);
    if says("--cookies-from-browser") && (says("--cookies") || says("--cookies-export")) {
        return store(run, "the browser's cookies");
    }
    run.derived()
}

/// What the person has copied last is theirs: a password as often as not.
pub(super) fn clipboard(run: &mut Run) -> Outcome {
    let asks = |word: &Word| matches!(word.shown().as_str(), "-o" | "-out" | "--output" | "-bo" | "-ob");
    let reads = !matches!(run.program, "xclip" | "xsel") || run.args.iter().any(asks);
    if reads {
        return store(run, "the clipboard");
    }
    super::readers::unknown(run);
    run.derived()
}

/// Without a dash, `e` among the letters asks for the environment of each process.
pub(super) fn ps(run: &mut Run) -> Outcome {
    let letters = "aceEfghHjklLmnNoOpqrSsTtuUvVwxXZ";
    let bare = |text: String| text.contains('e') && text.chars().all(|letter| letters.contains(letter));
    // What stands behind a format, or another option with a value, is that value.
    let takes = |word: &Word| {
        let text = word.shown();
        text.starts_with('-')
            && text.ends_with(['o', 'O', 'p', 'u', 'U', 'C', 't', 'g', 'G', 'k', 's', 'q', 'N'])
    };
    let first = run.args.first().is_some_and(|word| bare(word.shown()));
    let later = |pair: &[Word]| matches!(pair, [before, word] if !takes(before) && bare(word.shown()));
    let shows = first || run.args.windows(2).any(later);
    // On a Mac it is a letter behind a dash.
    let shows = shows
        || run.args.iter().any(|word| {
            let text = word.shown();
            text.starts_with('-') && !text.starts_with("--") && text.len() < 6 && text.contains('E')
        });
    if shows { dump(run) } else { run.derived() }
}

/// Looks things up: passwords in one table, hosts in another.
pub(super) fn getent(run: &mut Run) -> Outcome {
    let options = read(run.args, "s= i A,no-addrconfig", Order::Anywhere);
    match options.operands.first().map(Word::shown).as_deref() {
        Some("shadow" | "gshadow") => {
            run.read(&Word::literal_at("/etc/shadow", run.call.span), false);
        }
        Some("hosts" | "ahosts" | "ahostsv4" | "ahostsv6") => {
            options.operands.iter().skip(1).for_each(|name| network::look_up(run, name));
        }
        _ => {}
    }
    run.derived()
}

pub(super) fn age(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "e,encrypt d,decrypt o,output= a,armor p,passphrase r= R= i= j=", Order::Anywhere);
    if options.has("d") && !options.has("o") {
        store(run, "a file that `age` keeps closed")
    } else {
        run.derived()
    }
}

pub(super) fn keepass(run: &mut Run) -> Outcome {
    let shows =
        |word: &Word| matches!(word.shown().as_str(), "show" | "clip" | "export" | "attachment-export");
    if run.args.iter().any(shows) { store(run, "the password manager") } else { run.derived() }
}

/// The environment that sessions and services are given.
pub(super) fn session(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(Word::shown).collect();
    let Some(at) = words.iter().position(|word| {
        matches!(word.as_str(), "show-environment" | "showenv" | "getenv") || word.starts_with("show-env")
    }) else {
        return run.derived();
    };
    let mut names = words.iter().skip(at + 1).filter(|word| !word.starts_with('-')).peekable();
    if names.peek().is_none() {
        return dump(run);
    }
    let secret: Vec<String> =
        names.filter(|name| crate::secret_names::is_secret_name(name)).cloned().collect();
    if !secret.is_empty() {
        run.push(EffectKind::EnvRead { what: EnvUse::Printed(secret) });
    }
    run.derived()
}

/// `docker inspect --format '{{.Config.Env}}'`.
pub(super) fn container(run: &mut Run) -> Outcome {
    let inspects = run.args.iter().any(|word| word.is("inspect"));
    let environment = |word: &Word| word.shown().contains("{{") && word.shown().contains("Env");
    if inspects && run.args.iter().any(environment) {
        return dump(run);
    }
    run.derived()
}

/// `sops exec-env file command` runs the command with the secrets of the file.
pub(super) fn sops(run: &mut Run) -> Outcome {
    let options = read(run.args, "user= background pristine same-process filename= no-fifo", Order::Anywhere);
    if let [verb, _, command] = options.operands.as_slice()
        && (verb.is("exec-env") || verb.is("exec-file"))
    {
        return interpreters::code(run, &command.value(), command.span);
    }
    run.derived()
}
