use tollgate_model::{Card, Case, EffectKind, Hit, Place, Rule, World, Zone};

use crate::kit::{OwnSecrets, Words, first, rule, shown};

rule! {
    /// Asks before deleting a file outside the project and the temporary folders.
    ///
    /// ## Instead
    /// Leave the file, or ask the person to delete it.
    pub struct OutsideFileDelete;
    id: "outside-file-delete", pack: Core, level: Save, otherwise: Ask,
    person: "Files outside the project belong to the person.",
    examples: [
        hit Shell("rm ~/notes.txt"),
        hit Shell("rm /etc/hosts"),
        pass Shell("rm src/old.rs"),
        pass Shell("rm /tmp/a"),
        pass Shell("shred -u /tmp/test-key.pem"),
        hit Shell("rm ~/.ssh/id_rsa"),
        pass Shell("openssl genrsa -out key.pem 2048 && rm key.pem"),
    ],
}

impl Rule for OutsideFileDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let own = OwnSecrets::of(case);
        first(case, |effect| match &effect.kind {
            EffectKind::Delete { place, recursive: false, .. }
                if place.zone >= Zone::OtherProject
                    && !is_temporary(place, case.world)
                    && !own.is_deleted_by(effect) =>
            {
                Words::new(
                    format!("deletes {}, a file outside the project", shown(place)),
                    "leave the file, or ask the person to delete it",
                )
            }
            _ => None,
        })
    }
}

/// A key in a temporary folder was put there to go.
fn is_temporary(place: &Place, world: &dyn World) -> bool {
    let within = |root: &str| place.path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'));
    place.zone == Zone::Secret
        && !within(world.workspace())
        && world.temp_dirs().iter().any(|folder| within(folder.trim_end_matches('/')))
}
