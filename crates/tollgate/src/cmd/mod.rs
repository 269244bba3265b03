//! One file per subcommand.

pub mod approve;
pub mod canary;
pub mod check;
pub mod doctor;
pub mod explain;
pub mod init;
pub mod rules;
pub mod state;
pub mod uninstall;
pub mod workflow;
