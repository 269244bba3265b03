use tollgate_model::{Card, Case, EffectKind, FileKind, Hit, Rule, WriteMode, Zone};

use crate::kit::{OwnSecrets, Words, changed, first, rule, shown};

rule! {
    /// Asks before changing or deleting an existing file with keys or credentials.
    ///
    /// Creating a new one is allowed.
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
        pass Shell("chmod 600 ~/.ssh/id_rsa"),
        hit Shell("[ -f .env ] && cp .env.example .env"),
        hit Shell("yes | ssh-keygen -t rsa -N '' -f ~/.ssh/id_rsa"),
        pass Shell("cp .env.example .env.new"),
        pass Shell("[ -f .env ] || cp .env.example .env"),
        pass Shell("cp -n .env.example .env"),
        pass Shell("test -f ~/.ssh/id_rsa || ssh-keygen -t rsa -N '' -f ~/.ssh/id_rsa"),
    ],
}

impl Rule for SecretFileChange {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let own = OwnSecrets::of(case);
        first(case, |effect| {
            let place = changed(&effect.kind).filter(|place| place.zone == Zone::Secret)?;
            if matches!(&effect.kind, EffectKind::Permission { to, .. } if is_private(to)) {
                return None;
            }
            if matches!(&effect.kind, EffectKind::Write { mode: WriteMode::Create, .. }) {
                return None;
            }
            // A new file of secrets may be made, but not among those of the system.
            if matches!(&effect.kind, EffectKind::Delete { moved: true, .. }) && own.is_deleted_by(effect) {
                return None;
            }
            let of_system = place.path.starts_with("/etc/");
            if !of_system && !place.pattern && case.world.kind(&place.path) == FileKind::Missing {
                return None;
            }
            Words::new(
                format!("changes {}, which contains secrets", shown(place)),
                "tell the person what to change",
            )
        })
    }
}

/// A mode that leaves it to its owner alone, as keys should be.
fn is_private(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    (digits.len() == 3 && matches!(digits, "400" | "500" | "600" | "700"))
        || matches!(
            mode,
            "go=" | "og=" | "go-rwx" | "og-rwx" | "u=rw,go=" | "u=r,go=" | "u=rwx,go=" | "go-w" | "o-rwx"
        )
}
