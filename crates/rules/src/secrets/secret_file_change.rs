use tollgate_model::{Card, Case, FileKind, Hit, Rule, Zone};

use crate::kit::{Words, changed, first, rule, shown};

rule! {
    /// Asks before an existing file of keys or credentials is changed or deleted. A new one may be made.
    ///
    /// ## Instead
    /// Put the new value into an example file, and let the person fill in the real one.
    pub struct SecretFileChange;
    id: "secret-file-change", pack: Secrets, level: Ask,
    instead: ["printf 'API_URL=\\n' >> .env.example"],
    examples: [
        hit Shell("rm ~/.ssh/id_rsa"),
        hit Shell("echo A=1 >> .env"),
        hit Write(".env"),
        pass Write(".env.example"),
        pass Shell("cp .env.example .env.new"),
    ],
}

impl Rule for SecretFileChange {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| {
            let place = changed(&effect.kind).filter(|place| place.zone == Zone::Secret)?;
            if !place.pattern && case.world.kind(&place.path) == FileKind::Missing {
                return None;
            }
            Words::new(
                format!("changes {}, which holds secrets", shown(place)),
                "let the person change it, or write an example file",
            )
        })
    }
}
