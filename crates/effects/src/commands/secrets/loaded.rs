//! Files of variables that a program puts into an environment: from then on, the variables in them that hold secrets
//! are secrets by whatever name. Loading shows none of them; printing one does.

use tollgate_catalogue::{Role, Slot, Use};
use tollgate_model::{FileKind, Place, Zone};
use tollgate_shell::eval::Shell;

use crate::analyst::Analyst;
use crate::catalogue;
use crate::commands::Run;
use crate::secret_names::is_secret_name;
use crate::secrets_scan;
use crate::word::Word;

/// The most of a file that is read, and the most variables that are kept.
const SIZE: usize = 64 * 1024;
const KEPT: usize = 256;

/// Loads the files of variables that a program's options name.
pub(in crate::commands) fn notice(run: &mut Run) {
    let loads = |way: &'static Use| match (way.role, way.slot) {
        (Role::LoadsEnvironment { by_default }, Slot::Options(options)) => Some((options, by_default)),
        (Role::LoadsEnvironment { by_default }, _) => Some((&[] as &[&str], by_default)),
        _ => None,
    };
    let Some((options, usual)) = catalogue::uses(run.program).iter().find_map(loads) else { return };
    let mut files = Vec::new();
    for (at, word) in run.args.iter().enumerate() {
        let text = word.text.prefix();
        match text.split_once('=') {
            Some((name, _)) if options.contains(&name) => files.push(word.after('=')),
            _ if word.literal().is_some_and(|text| options.contains(&text)) => {
                files.extend(run.args.get(at + 1).cloned());
            }
            // `deno --env` means the usual one.
            _ if run.program == "deno" && matches!(text, "--env" | "--env-file") => {
                files.push(Word::literal_at(".env", word.span));
            }
            _ => {}
        }
    }
    if files.is_empty() && usual {
        files.push(Word::literal_at(".env", run.call.span));
    }
    for file in files.iter().take(8) {
        run.analyst.load_variables(file, run.shell);
    }
}

impl Analyst<'_> {
    /// A file of variables is put into an environment.
    pub(crate) fn load_variables(&mut self, file: &Word, shell: &Shell) {
        self.places(file, shell).iter().for_each(|(place, _)| self.load_place(place));
    }

    pub(super) fn load_place(&mut self, place: &Place) {
        let there =
            !place.pattern && place.zone == Zone::Secret && self.world.kind(&place.path) == FileKind::File;
        let Some(text) = there.then(|| self.world.read(&place.path, SIZE)).flatten() else { return };
        let text = String::from_utf8_lossy(&text).into_owned();
        let room = KEPT.saturating_sub(self.loaded.len());
        let names = text.lines().filter_map(secret_of).filter(|name| !self.loaded.contains(name));
        let names: Vec<String> = names.take(room).collect();
        self.loaded.extend(names);
    }

    /// Does a variable of this name hold a secret, by its name or because a file says so?
    pub(crate) fn is_secret_variable(&self, name: &str) -> bool {
        is_secret_name(name) || self.loaded.iter().any(|loaded| loaded == name)
    }

    /// Does a word name a secret that was loaded, or a part of one?
    pub(super) fn picks_loaded(&self, word: &str) -> bool {
        let word = word.trim_matches(['^', '=', '.', '*', '$']).to_ascii_uppercase();
        word.len() > 2 && self.loaded.iter().any(|name| name.to_ascii_uppercase().contains(&word))
    }
}

/// The name of the variable that a line sets to a secret.
fn secret_of(line: &str) -> Option<String> {
    let line = line.trim_start();
    let (name, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
    let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let secret = || is_secret_name(name) && !value.trim().is_empty();
    (named && (secret() || !secrets_scan::told_credentials(line).is_empty())).then(|| name.to_owned())
}
