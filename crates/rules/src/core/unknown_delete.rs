use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before a recursive deletion of something that is only known when it runs.
    ///
    /// ## Instead
    /// Write the path out, or check the variable first and name a folder in it: `rm -rf "${DIR:?}/out"`.
    pub struct UnknownDelete;
    id: "unknown-delete", pack: Core, level: Ask,
    instead: ["rm -rf build"],
    examples: [
        hit Shell("rm -rf $TARGET"),
        hit Shell("cat list | xargs rm -rf"),
        pass Shell("rm $FILE"),
        pass Shell("rm -rf build/$NAME"),
    ],
}

impl Rule for UnknownDelete {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Delete { place, recursive: true, .. } if place.zone == Zone::Unknown => Words::new(
                format!(
                    "deletes {} with everything in it, and what that is shows only when it runs",
                    shown(place)
                ),
                "write the path out",
            ),
            _ => None,
        })
    }
}
