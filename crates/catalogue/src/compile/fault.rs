//! What is wrong in a file of the catalogue.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One fault, with its place.
#[derive(Debug)]
pub struct Fault {
    path: PathBuf,
    line: usize,
    column: usize,
    what: String,
}

impl Fault {
    /// A fault at some bytes of a file.
    pub fn at(path: &Path, text: &str, span: Range<usize>, what: impl Into<String>) -> Self {
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { path: path.to_owned(), line, column, what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path.display(), self.line, self.column, self.what)
    }
}

/// All faults of the catalogue.
#[derive(Debug)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}

impl std::error::Error for Faults {}
