use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before turning off git's check of TLS certificates.
    ///
    /// Without the check, anybody on the network path can deliver other code.
    ///
    /// ## Instead
    /// Leave the check on, and let the person install the missing certificate.
    pub struct TlsOff;
    id: "git-tls-off", pack: Git, level: Ask,
    person: "Only the person may install a certificate.",
    examples: [
        hit Shell("git -c http.sslVerify=0 clone https://example.test/x"),
        hit Shell("GIT_SSL_NO_VERIFY=1 git fetch"),
        hit Shell("git config --global http.sslVerify false"),
        pass Shell("git -c http.sslVerify=true fetch"),
        pass Shell("git config http.postBuffer 1000"),
    ],
}

impl Rule for TlsOff {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::GitCertificates, .. } => Words::new(
                "turns off git's check of TLS certificates",
                "leave the check on, and let the person install the missing certificate",
            ),
            _ => None,
        })
    }
}
