//! Programs that fill a folder from the network: what is run from there later is as unread as a download.

use tollgate_model::Mark;
use tollgate_model::hosts::on_forge;

use tollgate_catalogue::Role;

use super::Run;
use super::git::{address, clone_name};
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

/// Takes down the folder that such a program fills.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    for way in catalogue::uses(program) {
        let Role::FetchesTree { forge } = way.role else { continue };
        let operands = read(run.args, way.options, Order::Anywhere).operands;
        let is_verb = |(verbs, word): (&&[&str], &Word)| verbs.iter().any(|verb| word.is(verb));
        let told = operands.len() >= way.call.len() && way.call.iter().zip(&operands).all(is_verb);
        let Some(source) = operands.get(way.call.len()).filter(|_| told) else { continue };
        let shown = source.shown();
        let host = match address(&shown) {
            Some(address) => address.host,
            None if forge => "github.com".to_owned(),
            None => continue,
        };
        let folder = operands.get(way.call.len() + 1).cloned();
        let folder = folder.unwrap_or_else(|| Word::literal_at(&clone_name(source), source.span));
        fetched(run, &host, &folder);
    }
}

/// A folder is filled from a host.
pub(super) fn fetched(run: &mut Run, host: &str, folder: &Word) {
    let mark = if on_forge(host) { Mark::Cloned } else { Mark::Downloaded };
    run.analyst.fetch_tree(folder, None, &mark, run.shell);
}
