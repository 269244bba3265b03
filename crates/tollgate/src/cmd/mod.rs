//! One file per subcommand.

pub mod allow;
pub mod approve;
pub mod audit;
pub mod canary;
pub mod check;
pub mod doctor;
pub mod explain;
pub mod figures;
pub mod guard;
pub mod init;
pub mod log;
pub mod observe;
pub mod prune;
pub mod replay;
pub mod report;
pub mod rules;
pub mod schema;
pub mod state;
pub mod stats;
pub mod suggest;
pub mod test;
pub mod trust;
pub mod uninstall;
pub mod validate;
pub mod workflow;
