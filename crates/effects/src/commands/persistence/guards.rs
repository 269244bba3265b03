//! What guards a machine: firewalls, checks of programs, authorities that are believed.

use tollgate_shell::eval::Outcome;

use super::weaken;
use crate::commands::Run;
use crate::word::Word;

pub(in crate::commands) fn ufw(run: &mut Run) -> Outcome {
    let off = |word: &Word| matches!(word.shown().as_str(), "disable" | "reset");
    if run.args.iter().any(off) { weaken(run, "turns its firewall off") } else { run.derived() }
}

/// The rules that `nft -f` reads.
fn rules_given(run: &mut Run) -> String {
    if run.args.iter().any(|word| word.is("-c") || word.is("--check")) {
        return String::new();
    }
    let named =
        run.args.windows(2).find(|pair| matches!(pair, [flag, _] if flag.is("-f") || flag.is("--file")));
    let Some(file) = named.and_then(|pair| pair.get(1)).cloned().filter(|_| run.program == "nft") else {
        return String::new();
    };
    let text = if file.is("-") { run.stdin().cloned() } else { run.analyst.script(&file, run.shell) };
    text.and_then(|text| text.as_literal().map(str::to_owned)).unwrap_or_default()
}

pub(in crate::commands) fn firewall(run: &mut Run) -> Outcome {
    let mut words: Vec<String> = run.args.iter().map(Word::shown).collect();
    words.extend(rules_given(run).split_whitespace().map(|word| word.trim_end_matches(';').to_owned()));
    let flushes = words.iter().any(|word| matches!(word.as_str(), "-F" | "--flush" | "-X"))
        || words.windows(2).any(|pair| matches!(pair, [verb, what] if verb == "flush" && what == "ruleset"));
    if flushes { weaken(run, "empties its firewall") } else { run.derived() }
}

/// `mkcert -install`: whoever gets its key is believed to be any site.
pub(in crate::commands) fn root_certificate(run: &mut Run) -> Outcome {
    let installs = run.args.iter().any(|word| word.is("-install") || word.is("--install"));
    if installs { weaken(run, "trusts a new certificate authority for every site") } else { run.derived() }
}

pub(in crate::commands) fn gatekeeper(run: &mut Run) -> Outcome {
    let off =
        |word: &Word| matches!(word.shown().as_str(), "--master-disable" | "--global-disable" | "disable");
    if run.args.iter().any(off) { weaken(run, "turns its checks of programs off") } else { run.derived() }
}
