use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before a file outside the workspace and the temporary directories is deleted.
    ///
    /// ## Instead
    /// Leave it, or ask the person to delete it.
    pub struct OutsideFileDelete;
    id: "outside-file-delete", pack: Core, level: Ask,
    person: "what lies outside the workspace is the person's to delete",
    examples: [
        hit Shell("rm ~/notes.txt"),
        hit Shell("rm /etc/hosts"),
        pass Shell("rm src/old.rs"),
        pass Shell("rm /tmp/a"),
    ],
}

impl Rule for OutsideFileDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Delete { place, recursive: false } if place.zone >= Zone::OtherProject => Words::new(
                format!("deletes {}, outside the workspace", shown(place)),
                "leave it, or ask the person to delete it",
            ),
            _ => None,
        })
    }
}
