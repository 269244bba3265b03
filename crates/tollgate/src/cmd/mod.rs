//! One file per subcommand.

pub mod approve;
pub mod canary;
pub mod check;
pub mod doctor;
pub mod explain;
pub mod guard;
pub mod init;
pub mod observe;
pub mod rules;
pub mod trust;
pub mod uninstall;
pub mod validate;
