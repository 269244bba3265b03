//! What the plain roles of the catalogue mean: files that a program reads or deletes because its words name them.

use tollgate_catalogue::Role;

use super::Run;
use super::uses::words_of;
use crate::catalogue;
use crate::word::Word;

/// Takes down the files that a program's words make it read or delete.
pub(super) fn notice(run: &mut Run) {
    for way in catalogue::uses(run.program) {
        let act: fn(&mut Run, &Word) = match way.role {
            Role::Reads => |run, word| drop(run.read(word, true)),
            Role::Deletes => |run, word| run.analyst.delete(word, true, run.shell),
            _ => continue,
        };
        words_of(way, run.args).iter().flatten().for_each(|word| act(run, word));
    }
}
