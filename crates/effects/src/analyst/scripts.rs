//! Scripts on disk, or written earlier in the call: what is read of them.

use tollgate_model::{Certainty, EffectKind, FileKind, Place, Span, Zone, is_rebuildable};
use tollgate_shell::eval::Shell;
use tollgate_shell::value::Value;

use super::Analyst;
use crate::paths;
use crate::word::Word;

/// How much of a script file is read, and how many of them are in one call.
const SCRIPT_LIMIT: usize = 1024 * 1024;
const MOST_SCRIPTS: u32 = 64;

impl Analyst<'_> {
    /// What is in a script file, written earlier in the call or on disk.
    pub(crate) fn script(&mut self, word: &Word, shell: &Shell) -> Option<Value> {
        let written = shell.file(&word.value()).map(|written| written.value);
        if let Some(text) = written.or_else(|| self.shape_of(word, shell)) {
            self.follows_written(word, shell);
            return Some(match text.has_file() {
                true => text.filled(|path| self.whole_text(path, shell)),
                false => text,
            });
        }
        self.scripts += 1;
        let (place, _) = self.places(word, shell).into_iter().next()?;
        if let Some(written) = shell.file(&Value::text(&place.path)).filter(|_| !place.pattern) {
            self.follows_written(word, shell);
            return Some(written.value);
        }
        if place.pattern || self.world.kind(&place.path) != FileKind::File {
            return None;
        }
        if self.scripts > MOST_SCRIPTS {
            self.unread = true;
            return None;
        }
        let bytes = self.world.read(&place.path, SCRIPT_LIMIT)?;
        let cut = bytes.len() >= SCRIPT_LIMIT;
        let text = text_of(&bytes)?;
        self.unread |= cut;
        self.follows(&place.path);
        Some(Value::text(&text))
    }

    /// The same for a program that runs: what is not read of it is told. What a build or an installation made is not
    /// this call's to answer for.
    pub(crate) fn program_text(&mut self, word: &Word, shell: &Shell) -> Option<Value> {
        self.unread = false;
        let text = self.script(word, shell);
        if text.is_none() && self.is_no_regular_file(word, shell) {
            let why = format!("`{}` is no file that can be read before it runs", word.shown());
            self.push(EffectKind::Opaque { why }, word.span, Certainty::Certain);
        }
        let made =
            |(place, _): &(Place, Certainty)| is_rebuildable(&place.path, self.world.workspace(), self.world);
        if std::mem::take(&mut self.unread) && !self.places(word, shell).iter().all(made) {
            let why = format!("`{}` is not read to its end", word.shown());
            self.push(EffectKind::Opaque { why }, word.span, Certainty::Budget);
        }
        text
    }

    /// Is it a pipe, a socket or a device, or a file that may not be read? Standard input has a name of this kind, too, and
    /// what comes through it is known where it comes from.
    fn is_no_regular_file(&self, word: &Word, shell: &Shell) -> bool {
        self.places(word, shell).iter().any(|(place, _)| {
            let inherited = ["/dev", "/proc"].iter().any(|folder| paths::within(&place.path, folder));
            let unread = |path| match self.world.kind(path) {
                FileKind::Other | FileKind::Device => true,
                FileKind::File => self.world.read(path, 1).is_none(),
                FileKind::Missing | FileKind::Dir => false,
            };
            !place.pattern
                && !inherited
                && place.zone != Zone::System
                && self.elsewhere.is_none()
                && unread(&place.path)
        })
    }

    /// The text of a file that stands in another.
    pub(super) fn whole_text(&mut self, path: &str, shell: &Shell) -> Option<String> {
        let word = Word::literal_at(path, Span::default());
        self.recall(&word, shell);
        self.scripts += 1;
        if self.scripts > MOST_SCRIPTS || self.world.kind(path) != FileKind::File {
            return None;
        }
        // A part of a text would pass for the whole.
        let bytes = self.world.read(path, SCRIPT_LIMIT).filter(|bytes| bytes.len() < SCRIPT_LIMIT)?;
        let text = text_of(&bytes)?;
        self.follows(path);
        Some(text)
    }

    /// Is the file a copy of another that this session made?
    pub(crate) fn is_copy(&self, word: &Word, shell: &Shell) -> bool {
        let resolved = shell.resolve(&word.value());
        resolved.as_literal().is_some_and(|path| self.original(path).is_some())
    }
}

/// The text of a file as a shell takes it: what has a NUL in its first line is no text, others further on are passed
/// over, and bytes of other encodings stand in its words like any.
fn text_of(bytes: &[u8]) -> Option<String> {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let text = String::from_utf8_lossy(bytes);
    (!first.contains(&0))
        .then(|| if text.contains('\0') { text.replace('\0', "") } else { text.into_owned() })
}
