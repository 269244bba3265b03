//! Clouds, clusters and platforms: destruction, open access, rights, secrets.

mod cloud_admin_grant;
mod cloud_public_access;
mod cloud_secret_read;
mod infra_apply;
mod infra_delete;
mod infra_destroy;
mod money_transfer;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &infra_destroy::InfraDestroy,
    &infra_delete::InfraDelete,
    &infra_apply::InfraApply,
    &cloud_public_access::CloudPublicAccess,
    &cloud_admin_grant::CloudAdminGrant,
    &cloud_secret_read::CloudSecretRead,
    &money_transfer::MoneyTransfer,
];
