//! What a source file refers to, read from its syntax tree.

use anyhow::{Context, Result};
use syn::visit::{self, Visit};
use syn::{Attribute, ItemFn, ItemImpl, ItemMod, ItemUse, UseTree};

/// A path in the source: `std::fs::read`, `crate::word::Word`, or an import of it.
pub struct Reference {
    /// Its segments.
    pub path: Vec<String>,
    /// The line it stands in.
    pub line: usize,
}

/// All paths of a source file outside of its tests.
pub fn references(text: &str) -> Result<Vec<Reference>> {
    let file = syn::parse_file(text).context("not Rust")?;
    let mut collector = Collector { found: Vec::new() };
    collector.visit_file(&file);
    Ok(collector.found)
}

struct Collector {
    found: Vec<Reference>,
}

impl<'f> Visit<'f> for Collector {
    fn visit_item_mod(&mut self, item: &'f ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'f ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'f ItemImpl) {
        if !is_test(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'f ItemUse) {
        if !is_test(&item.attrs) {
            let line = item.use_token.span.start().line;
            self.add_tree(&item.tree, &mut Vec::new(), line);
        }
    }

    fn visit_path(&mut self, path: &'f syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.found.push(Reference { path: names, line });
        visit::visit_path(self, path);
    }
}

impl Collector {
    fn add_tree(&mut self, tree: &UseTree, before: &mut Vec<String>, line: usize) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_tree(&path.tree, before, line);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(tree, before, line)),
            UseTree::Name(name) => self.add_name(&name.ident.to_string(), before, line),
            UseTree::Rename(name) => self.add_name(&name.ident.to_string(), before, line),
            UseTree::Glob(_) => self.add_name("*", before, line),
        }
    }

    fn add_name(&mut self, name: &str, before: &[String], line: usize) {
        let path = before.iter().cloned().chain([name.to_owned()]).collect();
        self.found.push(Reference { path, line });
    }
}

/// Is it compiled for tests only?
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"));
        is_cfg || attribute.path().is_ident("test")
    })
}
