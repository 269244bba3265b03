//! Code in other languages: one syntax tree for all of them, real parsers as frontends, an abstract machine over the tree that
//! knows no language, and what libraries do as data.

pub mod facts;
pub mod frontends;
pub mod holes;
mod library;
mod machine;
pub mod spelled;
pub mod tree;

pub use machine::run;
