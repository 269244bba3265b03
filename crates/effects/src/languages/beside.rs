//! Files that lie beside a program: the modules it brings along.

use tollgate_shell::value::Value;

use super::machine::Machine;
use super::pure;
use super::value::Val;
use crate::word::Word;

impl Machine<'_, '_, '_> {
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
        path.single().is_some_and(|text| {
            let word = self.word(text, path.taint);
            self.run.analyst.script(&word, self.run.shell).is_some()
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
