//! Modules that a program brings in.

use std::rc::Rc;

use tollgate_shell::value::Value;

use super::Machine;
use super::scope::Unit;
use super::texts;
use super::value::{Args, Val};
use crate::holes::Source;
use crate::tree::{Import, ImportId};

/// The most modules of a program that lie beside it.
const MODULES: usize = 64;

impl Machine<'_> {
    pub(super) fn import(&mut self, unit: &Rc<Unit>, id: ImportId) {
        let Some(import) = unit.tree.import(id) else { return };
        let name = self.absolute(import);
        let module = self.module(&name);
        if import.star && self.stars.len() < 16 {
            match &module {
                Val::Module(frame) => {
                    for (symbol, cell) in self.scopes.all(*frame) {
                        self.scopes.declare(self.frame, symbol, cell);
                    }
                }
                _ => self.stars.push(Rc::from(name.as_str())),
            }
        }
        if let Some(symbol) = import.whole.and_then(|whole| unit.symbol(whole)) {
            let top = name.split('.').next().unwrap_or_default();
            let value = match &module {
                Val::Module(_) if import.top && top != name => self.package(top, &name, &module),
                _ if import.top => self.named(top),
                _ => module.clone(),
            };
            let value = if top == name { module.clone() } else { value };
            let cell = self.place(symbol);
            self.store.set_val(cell, value);
        }
        for (own, taker) in &import.names {
            let part = unit.tree.name(*own);
            let value = match self.submodule(&name, part) {
                Some(module) => module,
                None => self.attribute(&module, part),
            };
            if let Some(symbol) = unit.symbol(*taker) {
                let cell = self.place(symbol);
                self.store.set_val(cell, value);
            }
        }
    }

    /// `import a.b` of a program's own: `a` has a part `b`.
    fn package(&mut self, top: &str, name: &str, module: &Val) -> Val {
        let frame = self.scopes.open(None, false);
        let rest = name.strip_prefix(top).unwrap_or_default().trim_start_matches('.');
        let value = Val::Module(frame);
        let part = rest.split('.').next().unwrap_or_default();
        self.set_attribute(&value, part, module);
        value
    }

    /// The whole name of a module that is named from within a package: one level is that package, each further one the one
    /// around it.
    fn absolute(&self, import: &Import) -> String {
        let package = self.unit.package.split('.').filter(|part| !part.is_empty());
        let mut parts: Vec<&str> = if import.level > 0 { package.collect() } else { Vec::new() };
        let up = usize::try_from(import.level.saturating_sub(1)).unwrap_or_default();
        parts.truncate(parts.len().saturating_sub(up));
        parts.extend(Some(&*import.module).filter(|module| !module.is_empty()));
        parts.join(".")
    }

    fn is_known(&self, name: &str) -> bool {
        self.library.modules.contains(name.split('.').next().unwrap_or_default())
    }

    /// A module by its name; one that lies beside the program is run, after the packages it is in.
    pub(super) fn module(&mut self, name: &str) -> Val {
        if name.is_empty() {
            return Val::unknown();
        }
        if !self.is_known(name) {
            for (at, _) in name.match_indices('.') {
                let package = name.get(..at).unwrap_or_default();
                self.bring_in(&format!("{}/__init__.py", package.replace('.', "/")), package);
            }
            let base = name.replace('.', "/");
            let outer = name.rsplit_once('.').map_or("", |(outer, _)| outer);
            let found = self
                .bring_in(&format!("{base}/__init__.py"), name)
                .or_else(|| self.bring_in(&format!("{base}.py"), outer));
            if let Some(found) = found {
                return found;
            }
        } else if !name.contains('.') {
            // A file beside the program comes before the library's module of that name.
            self.bring_in(&format!("{name}.py"), "");
        }
        self.named(name)
    }

    /// A name that is taken from a package may be a module in it.
    fn submodule(&mut self, package: &str, name: &str) -> Option<Val> {
        let full = if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
        if self.is_known(&full) {
            return None;
        }
        let base = full.replace('.', "/");
        self.bring_in(&format!("{base}.py"), package)
            .or_else(|| self.bring_in(&format!("{base}/__init__.py"), &full))
    }

    /// Runs a file of a module, once, if it is there.
    fn bring_in(&mut self, file: &str, package: &str) -> Option<Val> {
        for folder in self.folders.clone() {
            let path = texts::join_paths(&[folder, Value::text(file)]);
            if let Some(module) = self.module_at(&path, package) {
                return Some(module);
            }
        }
        None
    }

    /// The module that is in a file.
    pub(super) fn module_at(&mut self, path: &Value, package: &str) -> Option<Val> {
        // Where it is not sure which file it is, each is looked for.
        if path.any.len() > 1 {
            let ways = path.any.iter().take(4).map(|text| Value::of([text.clone()], path.taint));
            let ways: Vec<Value> = ways.collect();
            return ways.iter().find_map(|path| self.module_at(path, package));
        }
        let key: Rc<str> = Rc::from(path.as_literal()?);
        if let Some(recording) = self.recordings.last_mut() {
            recording.depends = true;
            return None;
        }
        let text = self.host.module(path)?;
        let known = self.modules.iter().find(|(known, before, _)| *known == key && *before == text);
        if let Some((.., known)) = known {
            return Some(known.clone());
        }
        if self.modules.len() >= MODULES {
            return None;
        }
        let frame = self.scopes.open(None, false);
        let module = Val::Module(frame);
        self.modules.push((key, text.clone(), module.clone()));
        let before = Rc::clone(&self.unit);
        for one in text.any.iter().take(4) {
            let source = Source::new(one, text.taint);
            self.package_text(source, path, package, frame);
        }
        self.unit = before;
        Some(module)
    }

    fn package_text(&mut self, source: Source, path: &Value, package: &str, frame: super::scope::FrameId) {
        let plain = crate::tree::Builder::new(self.unit.tree.dialect).finish_empty();
        let package = Rc::from(package);
        let outer = Unit {
            tree: plain,
            source: Source::default(),
            symbols: Vec::new(),
            file: None,
            package,
            watched: false,
        };
        let before = std::mem::replace(&mut self.unit, Rc::new(outer));
        self.text(source, Some(path.clone()), frame);
        self.unit = before;
    }

    /// Runs the file of a module once more, which may have been written since.
    pub(super) fn reload(&mut self, module: &Val) -> Val {
        let Val::Module(frame) = module else { return module.clone() };
        let known =
            self.modules.iter().find(|(.., known)| known.is_same(module)).map(|(path, ..)| Value::text(path));
        let text = known.as_ref().and_then(|path| Some((path, self.host.module(path)?)));
        if let Some((path, text)) = text {
            for one in text.any.iter().take(4) {
                self.package_text(Source::new(one, text.taint), path, "", *frame);
            }
        }
        module.clone()
    }

    /// `importlib.import_module(name)`
    pub(super) fn import_by(&mut self, args: &Args) -> Val {
        let Some(name) = args.literal(0) else {
            if let Some(name) = args.get(0) {
                self.looks_at(&name.clone());
            }
            let taint = args.taint();
            if !taint.is_empty() {
                self.dynamic(taint);
            }
            return Val::name("?");
        };
        if name.starts_with("http://") || name.starts_with("https://") {
            let address = Value::text(&name);
            let data = crate::facts::Arguments::default();
            let code = self.note(crate::facts::Act::Request { method: None, sends: false, address, data });
            self.dynamic(code.taint);
            return Val::unknown();
        }
        self.module(&name)
    }
}
