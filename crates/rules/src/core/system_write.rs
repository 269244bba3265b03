use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before writing a system file.
    ///
    /// ## Instead
    /// Write the file inside the project, and let the person install it.
    pub struct SystemWrite;
    id: "system-write", pack: Core, level: Ask,
    instead: ["cp app.conf.example app.conf"],
    examples: [
        hit Shell("echo x > /etc/hosts"),
        hit Write("/usr/local/bin/ls"),
        hit Shell("cp tool /usr/bin/tool"),
        pass Shell("echo x > out.txt"),
        pass Write("src/main.rs"),
        pass Shell("echo x > /tmp/a"),
    ],
}

impl Rule for SystemWrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Write { place, .. } if place.zone == Zone::System => Words::new(
                format!("writes {}, a system file", shown(place)),
                "write the file inside the project, and let the person install it",
            ),
            _ => None,
        })
    }
}
