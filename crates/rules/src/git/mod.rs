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

/// Branches that others build on.
const PROTECTED: &[&str] = &[
    "main",
    "master",
    "trunk",
    "develop",
    "development",
    "production",
    "prod",
    "stable",
    "staging",
    "release",
];

/// Do others build on this branch? One that is not known may be such a branch.
fn is_protected(branch: &str) -> bool {
    let Some((before, _)) = branch.split_once('*') else {
        return branch.is_empty() || PROTECTED.contains(&branch) || is_release(branch);
    };
    PROTECTED.iter().any(|name| name.starts_with(before)) || is_release(before)
}

fn is_release(branch: &str) -> bool {
    ["release/", "releases/", "release-", "hotfix/"].iter().any(|start| branch.starts_with(start))
}

/// A branch and where it is, for people.
fn branch_at(branch: &str, remote: &str) -> String {
    match branch {
        "" => format!("a branch of `{remote}` that is not known"),
        "*" => format!("every branch of `{remote}`"),
        name => format!("`{name}` of `{remote}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_protected;

    #[test]
    fn protected_branches() {
        for branch in ["main", "master", "release/1.2", "", "*", "ma*", "release-*"] {
            assert!(is_protected(branch), "{branch}");
        }
        for branch in ["feature/x", "mainline-fix", "fix-release", "feature/*", "refs/tags/v1", "refs/tags/*"]
        {
            assert!(!is_protected(branch), "{branch}");
        }
    }
}
