use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before a file of the system is written.
    ///
    /// ## Instead
    /// Write inside the workspace, and let the person put it in place.
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
                format!("writes {}, a file of the system", shown(place)),
                "write inside the workspace, and let the person put it in place",
            ),
            _ => None,
        })
    }
}
