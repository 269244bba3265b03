//! Files that a program brings in: by their path, or as modules that lie beside it or where it looks for them. What a
//! module defines is known under its name, and stays known for its functions.

use std::rc::Rc;

use tollgate_model::FileKind;
use tollgate_shell::value::{Text, Value};

use super::machine::Machine;
use super::ops::Op;
use super::pure;
use super::scope::{Changes, Declared, OUTER, bare};
use super::value::{Args, Val};
use crate::analyst::taint;
use crate::word::Word;

/// The most folders that modules are looked for in.
const FOLDERS: usize = 16;

/// The most names that are kept of a module.
const NAMES: usize = 512;

/// What a module of JavaScript gives out, as a whole and name by name.
const EXPORTS: &str = "module.exports";

/// A file that was brought in, and what it held then.
#[derive(Debug)]
pub(super) struct Brought {
    path: String,
    content: Option<Value>,
}

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
        self.scope.open();
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
        let changes = self.scope.close();
        self.module_of(changes)
    }

    /// The texts that a file may hold, as code of a language that is not read by tokens.
    pub fn file_texts(&mut self, path: &Val) -> Vec<String> {
        self.read(path);
        let mut texts = Vec::new();
        for text in path.as_text().any.iter().take(4) {
            let word = self.word(text, path.taint());
            self.run.analyst.recall(&word, self.run.shell);
            let content = self.run.analyst.script(&word, self.run.shell);
            texts.extend(content.iter().flat_map(Value::literals).take(4).map(str::to_owned));
        }
        texts
    }

    /// What a file has defined, by its names. All of it but what it gives out stays known to its functions, under names
    /// that are those of the file alone where it is a module.
    fn module_of(&mut self, changes: Changes) -> Val {
        let mut changes: Vec<(Rc<str>, Val)> =
            changes.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        changes.sort_unstable_by(|left, right| left.0.cmp(&right.0));
        let mut entries = Vec::new();
        let mut given = Vec::new();
        let mut whole = None;
        let space = self.scope.space();
        for (name, value) in changes {
            let known = bare(&name);
            let part = known.strip_prefix(EXPORTS).or_else(|| known.strip_prefix("exports"));
            match part.map(|part| part.strip_prefix('.')) {
                Some(None) if known == EXPORTS => whole = Some(value),
                Some(Some(part)) if !part.contains('.') => given.push((Rc::from(part), value)),
                _ => {
                    let own = name.strip_suffix(known) == Some(&space);
                    if own && !known.contains(['.', OUTER, '#']) && entries.len() < NAMES {
                        entries.push((Rc::from(known), value.clone()));
                    }
                    self.scope.set_whole(name, value);
                }
            }
        }
        match whole {
            Some(Val::Table(table)) => given.extend(table.entries.iter().cloned()),
            Some(other) => return other,
            None => {}
        }
        entries.extend(given);
        if entries.is_empty() { Val::unknown() } else { Val::table(entries) }
    }

    /// A path beside the program, or beside the file of it that is being brought in.
    pub fn beside(&self, path: &str) -> Value {
        let folder = self.around.file.as_ref().map(|file| pure::parent(&self.run.shell.resolve(file)));
        match folder {
            Some(folder) => pure::join_paths(&[folder, Value::text(path)]),
            None => Value::text(path),
        }
    }

    /// Is the file there, or was it written?
    fn is_there(&self, path: &Value) -> bool {
        path.any.iter().take(4).any(|text| {
            let word = self.word(text, path.taint);
            let resolved = self.run.shell.resolve(&word.value());
            let on_disk = |path: &str| self.run.analyst.world.kind(path) == FileKind::File;
            self.run.shell.file(&word.value()).is_some()
                || self.run.analyst.shape_of(&word, self.run.shell).is_some()
                || resolved.literals().any(on_disk)
        })
    }

    /// The first of some names that a file beside the program has.
    pub fn first_beside(&self, names: &[String]) -> Option<Value> {
        names.iter().map(|name| self.beside(name)).find(|path| self.is_there(path))
    }

    /// The first of some names that a file has in the folders where modules are looked for.
    pub fn searched(&self, names: &[String]) -> Option<Value> {
        for folder in self.all_folders() {
            for name in names {
                let path = match folder.is_empty() {
                    true => Value::text(name),
                    false => pure::join_paths(&[folder.clone(), Value::text(name)]),
                };
                if self.is_there(&path) {
                    return Some(path);
                }
            }
        }
        None
    }

    /// The first of some names, seen from where the program runs, of a file that this session wrote or changed.
    pub fn own_package(&self, names: &[String]) -> Option<Value> {
        let is_own = |name: &&String| {
            let word = Word::literal_at(name, self.around.span);
            self.run.analyst.own_text(&word, self.run.shell).is_some()
        };
        names.iter().find(is_own).map(|name| Value::text(name))
    }

    /// The folders that the program has put into the list itself, in its order, and those that were given.
    fn all_folders(&self) -> Vec<Value> {
        let listed = ["sys.path", "$LOAD_PATH", "$:", "@INC"];
        let own = listed.iter().filter_map(|name| self.scope.get(name)).flat_map(Val::items_or_self);
        let own = own.filter(|folder| matches!(folder, Val::Text(_))).map(|folder| folder.as_text());
        let first = self.own.folders_first.iter().cloned();
        first.chain(own).chain(self.folders.iter().cloned()).take(FOLDERS).collect()
    }

    /// Brings a module in by its file, or says where to look for them.
    pub fn module_op(&mut self, op: Op, args: &Args) -> Val {
        match op {
            Op::ModuleAt(at) => self.bring(&args.at(at, &["location", "path"]).as_text()),
            // A place in the list is given before the folder: `sys.path.insert(0, …)`.
            Op::SearchIn if matches!(args.get(0), Some(Val::Int(_))) => self.search_first(args),
            Op::SearchIn => self.search_in(args),
            Op::ModulesAgain => {
                self.bring_again();
                args.at(0, &[])
            }
            _ => match args.literal(0) {
                Some(name) if !name.starts_with('/') => self.module(&format!("./{name}")),
                Some(name) => self.module(&name),
                None => Val::unknown(),
            },
        }
    }

    /// Modules are looked for in these folders, too.
    pub fn search_in(&mut self, args: &Args) -> Val {
        for folder in args.list.iter().flat_map(Val::items_or_self) {
            if matches!(folder, Val::Text(_)) && self.folders.len() < FOLDERS {
                self.folders.push(folder.as_text());
            }
        }
        Val::unknown()
    }

    /// Modules are looked for in these folders before all others.
    pub fn search_first(&mut self, args: &Args) -> Val {
        let folders = args.list.iter().flat_map(Val::items_or_self);
        let folders: Vec<Value> =
            folders.filter(|folder| matches!(folder, Val::Text(_))).map(|folder| folder.as_text()).collect();
        self.own.folders_first.splice(0..0, folders);
        self.own.folders_first.truncate(FOLDERS);
        Val::unknown()
    }

    /// The folders that a variable of the environment names.
    pub fn search_in_variable(&mut self, name: &str) {
        let Some(value) = self.set_variable(name) else { return };
        let folders = value.literals().flat_map(|text| text.split(':')).filter(|folder| !folder.is_empty());
        let folders: Vec<Val> = folders.map(Val::text).collect();
        self.search_in(&Args::of(folders));
    }

    /// Brings a module in, once; and again where its file holds something else by then.
    pub fn bring(&mut self, path: &Value) -> Val {
        let key = path.as_literal().unwrap_or_default().to_owned();
        let content = self.content_of(path);
        let same = |known: &Brought| known.path == key && known.content == content;
        if let Some((_, module)) = self.imported.iter().find(|(known, _)| same(known)) {
            return module.clone();
        }
        let at = self.imported.len();
        self.imported.push((Brought { path: key, content }, Val::unknown()));
        let outer = self.around.file.replace(path.clone());
        let space = self.scope.begin_space();
        self.scope.enter_frame(true);
        let module = self.module_file(path);
        let declared = self.scope.leave_frame();
        self.scope.swap_space(space);
        self.give_out(&module, &declared);
        self.around.file = outer;
        if let Some((_, known)) = self.imported.get_mut(at) {
            *known = module.clone();
        }
        module
    }

    fn content_of(&mut self, path: &Value) -> Option<Value> {
        let word = path.as_literal().map(|path| Word::literal_at(path, self.around.span))?;
        self.run.analyst.script(&word, self.run.shell)
    }

    /// Modules are brought in anew where something else was written to their files.
    fn bring_again(&mut self) {
        let paths: Vec<String> = self.imported.iter().map(|(brought, _)| brought.path.clone()).collect();
        for path in paths.iter().take(FOLDERS) {
            self.bring(&Value::text(path));
        }
    }

    /// Functions, classes and constants of a file are known to all files in some languages; in others only by the name
    /// of the module.
    fn give_out(&mut self, module: &Val, declared: &Declared) {
        let (true, Val::Table(table)) = (self.syntax.bare_calls, module) else { return };
        for (name, value) in &table.entries {
            let is_declared = declared.iter().any(|(own, _)| bare(own) == &**name);
            let is_code = matches!(value, Val::Function(_) | Val::Class(_) | Val::Any(_) | Val::Partial(_));
            let shared = match self.syntax.symbolic {
                true => !is_declared,
                false => is_code || name.starts_with(|c: char| c.is_uppercase() || matches!(c, '$' | '@')),
            };
            if shared {
                self.scope.set(name, value.clone());
            }
        }
    }

    /// Files of the modules that a program brings along.
    pub fn module_file(&mut self, path: &Value) -> Val {
        if let Some(path) = path.as_literal() {
            let word = Word::literal_at(path, self.around.span);
            self.run.analyst.recall(&word, self.run.shell);
        }
        if self.active.len() >= 4 {
            return Val::unknown();
        }
        let module = self.run_file(&Val::Text(path.clone()));
        // Code that it runs is not what it sends.
        self.files.retain(|file| path.as_literal() != Some(file));
        module
    }
}
