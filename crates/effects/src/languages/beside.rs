//! Files that a program brings in: by their path, or as modules that lie beside it.

use tollgate_model::FileKind;
use tollgate_shell::value::{Text, Value};

use super::machine::Machine;
use super::pure;
use super::value::Val;
use crate::analyst::taint;
use crate::word::Word;

impl Machine<'_, '_, '_> {
    /// A file as code of this language.
    pub fn run_file(&mut self, path: &Val) -> Val {
        let remote = |text: &Text| {
            ["http://", "https://", "ftp://"].iter().any(|start| text.prefix().starts_with(start))
        };
        if taint::has(path.taint(), taint::NET) || path.as_text().any.iter().any(remote) {
            self.dynamic(taint::NET);
            return Val::Unknown(taint::NET);
        }
        if path.literal().is_some() {
            self.read(path);
        }
        for text in path.as_text().any.iter().take(4) {
            let word = self.word(text, path.taint());
            let content = self.run.analyst.script(&word, self.run.shell);
            if let Some(content) = content {
                if taint::has(content.taint, taint::NET) {
                    self.run.analyst.dynamic_code(content.taint, word.span);
                }
                // Where it is not sure which file it is, each is followed that is known.
                let known =
                    content.any.iter().filter(|text| content.any.len() == 1 || text.as_literal().is_some());
                for code in known.take(4) {
                    let code = self.with_stand_ins(code, content.taint);
                    self.source(&code);
                }
            }
        }
        Val::unknown()
    }

    /// A path beside the program.
    fn beside(&self, path: &str) -> Value {
        let folder = self.around.file.as_ref().map(|file| pure::parent(&self.run.shell.resolve(file)));
        match folder {
            Some(folder) => pure::join_paths(&[folder, Value::text(path)]),
            None => Value::text(path),
        }
    }

    /// Does a file lie beside the program, or was it written there?
    pub fn has_beside(&mut self, path: &str) -> bool {
        let path = self.beside(path);
        path.any.iter().take(4).any(|text| {
            let word = self.word(text, path.taint);
            let resolved = self.run.shell.resolve(&word.value());
            let on_disk = |path: &str| self.run.analyst.world.kind(path) == FileKind::File;
            self.run.shell.file(&word.value()).is_some()
                || self.run.analyst.shape_of(&word, self.run.shell).is_some()
                || resolved.literals().any(on_disk)
        })
    }

    /// Files of the modules that a program brings along.
    pub fn module_file(&mut self, path: &str) {
        let path = self.beside(path);
        if let Some(path) = path.as_literal() {
            let word = Word::literal_at(path, self.around.span);
            self.run.analyst.recall(&word, self.run.shell);
        }
        if self.active.len() < 4 {
            self.run_file(&Val::Text(path.clone()));
            // Code that it runs is not what it sends.
            self.files.retain(|file| path.as_literal() != Some(file));
        }
    }
}
