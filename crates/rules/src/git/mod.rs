//! Work under version control, and the history of repositories.

mod branch_delete;
mod config_code;
mod discard;
mod force_push;
mod force_push_own;
mod foreign_push;
mod global_config_code;
mod history_rewrite;
mod hooks_skip;
mod internals;
mod lease_push;
mod remote_delete;
mod stash_drop;
mod tls_off;
mod worktree_remove;

use tollgate_model::Rule;
use tollgate_model::stage::is_protected_branch as is_protected;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &discard::Discard,
    &force_push::ForcePush,
    &force_push_own::ForcePushOwn,
    &lease_push::LeasePush,
    &remote_delete::RemoteDelete,
    &history_rewrite::HistoryRewrite,
    &branch_delete::BranchDelete,
    &stash_drop::StashDrop,
    &worktree_remove::WorktreeRemove,
    &foreign_push::ForeignPush,
    &hooks_skip::HooksSkip,
    &internals::Internals,
    &tls_off::TlsOff,
    &config_code::ConfigCode,
    &global_config_code::GlobalConfigCode,
];

/// A branch and where it is, for people.
fn branch_at(branch: &str, remote: &str) -> String {
    match branch {
        "" => format!("a branch of `{remote}` that is not known"),
        "*" => format!("every branch of `{remote}`"),
        name => format!("`{name}` of `{remote}`"),
    }
}
