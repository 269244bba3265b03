//! Names and what they stand for: one frame for each module, class body and call, each in another one.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use tollgate_shell::value::Value;

use super::store::Cell;
use crate::holes::Source;
use crate::tree::{Name, Tree};

/// A frame by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameId(u32);

/// A name by its number, the same in all texts of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

/// The names that are known at a place.
#[derive(Debug)]
struct Frame {
    variables: BTreeMap<Symbol, Cell>,
    outer: Option<FrameId>,
    /// It is the body of a class, whose names its functions do not know.
    class: bool,
    /// What a name belongs to that the text says is no function's own.
    module: FrameId,
}

/// One text of a program, with its tree.
#[derive(Debug)]
pub(super) struct Unit {
    pub tree: Tree,
    pub source: Source,
    /// The numbers of the tree's names.
    pub symbols: Vec<Symbol>,
    /// The file it is in.
    pub file: Option<Value>,
    /// The package it is in.
    pub package: Rc<str>,
    /// Its functions count, too, when nobody calls them.
    pub watched: bool,
}

/// All frames of a program.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    frames: Vec<Frame>,
    known: HashMap<Rc<str>, Symbol>,
    names: Vec<Rc<str>>,
}

impl Scopes {
    /// The number of a name.
    pub fn symbol(&mut self, name: &Rc<str>) -> Symbol {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(Rc::clone(name));
        self.known.insert(Rc::clone(name), symbol);
        symbol
    }

    /// The number of a name, where anybody has used it.
    pub fn known(&self, name: &str) -> Option<Symbol> {
        self.known.get(name).copied()
    }

    /// The numbers of all names of a tree.
    pub fn symbols(&mut self, tree: &Tree) -> Vec<Symbol> {
        tree.names().iter().map(|name| self.symbol(name)).collect()
    }

    pub fn name(&self, symbol: Symbol) -> Rc<str> {
        self.names.get(symbol.0 as usize).cloned().unwrap_or_else(|| Rc::from(""))
    }

    /// A new frame within another; one that is within none is a module's.
    pub fn open(&mut self, outer: Option<FrameId>, class: bool) -> FrameId {
        let id = FrameId(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        let module = outer.and_then(|outer| self.frame(outer)).map_or(id, |outer| outer.module);
        self.frames.push(Frame { variables: BTreeMap::new(), outer, class, module });
        id
    }

    fn frame(&self, id: FrameId) -> Option<&Frame> {
        self.frames.get(id.0 as usize)
    }

    /// The module that a frame is in.
    pub fn module(&self, id: FrameId) -> FrameId {
        self.frame(id).map_or(id, |frame| frame.module)
    }

    /// Where a function finds names that it does not have itself: not in the body of its class.
    pub fn around(&self, id: FrameId) -> FrameId {
        match self.frame(id) {
            Some(Frame { class: true, outer: Some(outer), .. }) => self.around(*outer),
            _ => id,
        }
    }

    pub fn declare(&mut self, id: FrameId, symbol: Symbol, cell: Cell) {
        if let Some(frame) = self.frames.get_mut(id.0 as usize) {
            frame.variables.insert(symbol, cell);
        }
    }

    /// The place of a name in a frame itself.
    pub fn own(&self, id: FrameId, symbol: Symbol) -> Option<Cell> {
        self.frame(id)?.variables.get(&symbol).copied()
    }

    /// All names of a frame.
    pub fn all(&self, id: FrameId) -> Vec<(Symbol, Cell)> {
        let all =
            self.frame(id).map(|frame| frame.variables.iter().map(|(name, cell)| (*name, *cell)).collect());
        all.unwrap_or_default()
    }

    /// The places of a name, the nearest first.
    pub fn places(&self, id: FrameId, symbol: Symbol) -> Vec<Cell> {
        let mut places = Vec::new();
        let mut at = Some(id);
        while let Some(frame) = at.and_then(|at| self.frame(at)) {
            places.extend(frame.variables.get(&symbol));
            at = frame.outer;
        }
        places
    }
}

impl Unit {
    pub fn symbol(&self, name: Name) -> Option<Symbol> {
        self.symbols.get(name.index()).copied()
    }
}
