use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

use tollgate_model::git::SKIPS_TLS;

rule! {
    /// Asks before git is told not to check certificates: anybody on the way could give it other code.
    ///
    /// ## Instead
    /// Leave the check on; let the person install the certificate that is missing.
    pub struct TlsOff;
    id: "git-tls-off", pack: Git, level: Ask,
    person: "a certificate that is missing is the person's to install",
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
            EffectKind::Weaken { what } if what == SKIPS_TLS => Words::new(
                "turns off git's check of TLS certificates",
                "leave the check on; let the person install the certificate that is missing",
            ),
            _ => None,
        })
    }
}
