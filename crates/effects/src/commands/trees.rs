//! Programs that fill a folder from the network: what is run from there later is as unread as a download.

use tollgate_model::Mark;
use tollgate_model::hosts::on_forge;

use super::Run;
use super::git::{address, clone_name};
use super::verbs::Line;
use crate::names::{Names, index};
use crate::word::Word;

/// One way to fetch a tree: the programs, the verbs, the options that take a value, and whether a source without
/// a host is one of a forge (`owner/name`).
struct Fetcher {
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    values: &'static str,
    forge: bool,
}

const FETCHERS: &[Fetcher] = &[
    Fetcher {
        names: &["gh", "glab"],
        verbs: &["repo", "clone"],
        values: "u upstream-remote-name",
        forge: true,
    },
    Fetcher { names: &["svn"], verbs: &["checkout"], values: SVN, forge: false },
    Fetcher { names: &["svn"], verbs: &["co"], values: SVN, forge: false },
    Fetcher { names: &["svn"], verbs: &["export"], values: SVN, forge: false },
    Fetcher {
        names: &["hg", "chg"],
        verbs: &["clone"],
        values: "u r b e ssh config rev branch",
        forge: false,
    },
    Fetcher { names: &["jj"], verbs: &["git", "clone"], values: "remote depth R config", forge: false },
    Fetcher { names: &["bzr", "brz"], verbs: &["branch"], values: "r revision", forge: false },
    Fetcher { names: &["fossil"], verbs: &["clone"], values: "A u B", forge: false },
    Fetcher { names: &["degit", "tiged", "giget"], verbs: &[], values: "m mode", forge: true },
];

const SVN: &str = "r revision depth username password config-dir config-option";

static PROGRAMS: Names<128> = index!(FETCHERS, fetcher => fetcher.names);

/// Takes down the folder that such a program fills.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    for fetcher in PROGRAMS.rows(FETCHERS, program, |fetcher| fetcher.names) {
        let line = Line::read(run.args, fetcher.values, false);
        let told = fetcher.verbs.iter().enumerate().all(|(at, verb)| line.verb(at) == *verb);
        let Some(source) = line.operands.get(fetcher.verbs.len()).filter(|_| told) else { continue };
        let shown = source.shown();
        let host = match address(&shown) {
            Some(address) => address.host,
            None if fetcher.forge => "github.com".to_owned(),
            None => continue,
        };
        let folder = line.operands.get(fetcher.verbs.len() + 1).cloned();
        let folder = folder.unwrap_or_else(|| Word::literal_at(&clone_name(source), source.span));
        fetched(run, &host, &folder);
    }
}

/// A folder is filled from a host.
pub(super) fn fetched(run: &mut Run, host: &str, folder: &Word) {
    let mark = if on_forge(host) { Mark::Cloned } else { Mark::Downloaded };
    run.analyst.fetch_tree(folder, None, &mark, run.shell);
}
