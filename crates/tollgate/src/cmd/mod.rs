//! One file per subcommand.

pub mod check;
pub mod explain;
pub mod rules;
