use tollgate_model::{Card, Case, EffectKind, Hit, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Asks before recursively deleting a path that is known only at run time.
    ///
    /// ## Instead
    /// Write the path out, or check the variable and name a folder below it: `rm -rf "${DIR:?}/out"`.
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
                format!("deletes {} and everything in it; the path is known only at run time", shown(place)),
                "write the path out",
            ),
            _ => None,
        })
    }
}
