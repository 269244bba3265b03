use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before printing a secret from a secret manager.
    ///
    /// A printed secret becomes part of the conversation.
    ///
    /// ## Instead
    /// Let the program read the secret itself: `op run -- npm start`, `doppler run -- npm start`.
    pub struct CloudSecretRead;
    id: "cloud-secret-read", pack: Cloud, level: Ask,
    instead: ["op run -- npm start"],
    examples: [
        hit Shell("aws secretsmanager get-secret-value --secret-id prod/db"),
        hit Shell("aws ssm get-parameter --name /db/password --with-decryption"),
        hit Shell("kubectl get secret db -o yaml"),
        hit Shell("kubectl -n prod get secrets db -ojson | jq .data"),
        hit Shell("vault kv get secret/app"),
        hit Shell("op read op://vault/item/password"),
        hit Shell("doppler secrets download --no-file --format env"),
        hit Shell("gcloud secrets versions access latest --secret=db"),
        hit Shell("az keyvault secret show --vault-name v --name n"),
        hit Shell("env X=1 bw get password site"),
        hit Shell("sops -d secrets.yaml"),
        pass Shell("aws secretsmanager list-secrets"),
        pass Shell("kubectl get secrets"),
        pass Shell("aws ecr get-login-password | docker login --username AWS --password-stdin 1.dkr.ecr.eu-west-1.amazonaws.com"),
        pass Shell("op run -- npm start"),
        pass Shell("doppler run -- npm start"),
        pass Shell("vault kv list secret/"),
        pass Shell("vault status"),
        pass Shell("aws ssm get-parameter --name /app/flag"),
        pass Shell("sops -e secrets.yaml"),
    ],
}

impl Rule for CloudSecretRead {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "read-secret" => Words::new(
                format!("prints secrets from a secret manager: `{target}`"),
                "let the program that needs the secret read it itself: `op run -- npm start`",
            ),
            _ => None,
        })
    }
}
