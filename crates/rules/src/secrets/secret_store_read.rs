use tollgate_model::{Card, Case, EffectKind, EnvUse, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before reading a secret from a keychain, a keyring or a password manager.
    ///
    /// ## Instead
    /// Let the person put the one value that is needed into the environment of the command.
    pub struct SecretStoreRead;
    id: "secret-store-read", pack: Secrets, level: Ask,
    person: "Only the person may read their keychain or password manager.",
    examples: [
        hit Shell("security find-generic-password -s github -w"),
        hit Shell("secret-tool lookup service github"),
        hit Shell("gpg --armor --export-secret-keys me@example.test"),
        hit Shell("pass show work/github"),
        hit Shell("TOKEN=$(pass work/github)"),
        hit Shell("keyring get pypi me"),
        hit Shell("security dump-keychain -d login.keychain"),
        pass Shell("security list-keychains"),
        pass Shell("pass ls"),
        pass Shell("gpg --armor --export me@example.test"),
        pass Shell("gpg --verify x.sig x"),
        pass Shell("ssh-add -L"),
        pass Shell("echo pass show"),
    ],
}

impl Rule for SecretStoreRead {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::EnvRead { what: EnvUse::Store(store) } => Words::new(
                format!("reads secrets from {store}"),
                "let the person put the one value that is needed into the environment of the command",
            ),
            _ => None,
        })
    }
}
