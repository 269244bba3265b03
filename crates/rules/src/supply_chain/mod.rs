//! Packages: where they come from, where they go, which may not be removed.

mod package_from_url;
mod package_index_change;
mod package_publish;
mod package_remove_essential;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &package_publish::PackagePublish,
    &package_from_url::PackageFromUrl,
    &package_index_change::PackageIndexChange,
    &package_remove_essential::PackageRemoveEssential,
];
