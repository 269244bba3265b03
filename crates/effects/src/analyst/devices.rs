//! Devices whose names a call reads from this machine.

use tollgate_model::{Certainty, EffectKind};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::{Piece, Taint};

use super::{Analyst, taint};
use crate::word::Word;

/// Files that name the devices of this machine, by their folder: a process has some of them, too.
const TABLES: &[(&str, &[&str])] =
    &[("/etc/", &["fstab", "mtab"]), ("/proc/", &["mounts", "mountinfo", "partitions", "swaps"])];

impl Analyst<'_> {
    /// The mark of what a file holds that names devices.
    pub(super) fn device_marks(path: &str) -> Taint {
        let name = path.rsplit('/').next().unwrap_or_default();
        let table = TABLES.iter().any(|(folder, names)| path.starts_with(folder) && names.contains(&name));
        if table { taint::DEVICES } else { Taint::NONE }
    }

    /// What is written to by a name that was picked from those of devices, and by nothing else, is one.
    pub(super) fn writes_device(&mut self, word: &Word, shell: &Shell) {
        let picked = |piece: &Piece| match piece {
            Piece::Hole(_) => true,
            Piece::Text(known) => &**known == "/dev/",
            Piece::Glob(_) => false,
        };
        if !taint::has(word.taint, taint::DEVICES)
            || word.literal().is_some()
            || !word.text.pieces.iter().all(picked)
        {
            return;
        }
        for (place, _) in self.places(word, shell).into_iter().take(1) {
            self.push(EffectKind::Device { place }, word.span, Certainty::Possible);
        }
    }
}
