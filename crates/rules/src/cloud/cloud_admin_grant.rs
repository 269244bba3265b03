use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks creating access keys and granting administrator rights in a cloud, a cluster or a code forge.
    ///
    /// ## Instead
    /// Ask the person for the one permission that is missing.
    pub struct CloudAdminGrant;
    id: "cloud-admin-grant", pack: Cloud, level: Deny,
    person: "Only the person may grant permissions in an account.",
    examples: [
        hit Shell("aws iam create-access-key --user-name root-ops"),
        hit Shell("aws iam attach-user-policy --user-name me --policy-arn arn:aws:iam::aws:policy/AdministratorAccess"),
        hit Shell("gcloud projects add-iam-policy-binding p --member=user:a@b.test --role=roles/owner"),
        hit Shell("az role assignment create --assignee me --role Owner"),
        hit Shell("kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=me"),
        hit Shell("npm token create"),
        hit Shell("gh ssh-key add key.pub"),
        pass Shell("aws iam list-users"),
        pass Shell("aws iam get-user"),
        pass Shell("aws iam attach-user-policy --user-name me --policy-arn arn:aws:iam::aws:policy/ReadOnlyAccess"),
        pass Shell("kubectl auth can-i --list"),
        pass Shell("kubectl create role reader --verb=get --resource=pods"),
        pass Shell("gh ssh-key list"),
        pass Shell("az role assignment list"),
    ],
}

impl Rule for CloudAdminGrant {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "grant-admin" => Words::new(
                format!("creates access keys or grants administrator rights: `{target}`"),
                "ask the person for the one permission that is missing",
            ),
            _ => None,
        })
    }
}
