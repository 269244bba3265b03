use tollgate_model::{Card, Case, EffectKind, Hit, Place, Rule, Zone};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Stops recursive changes of permissions or owner on the root, a home or the system.
    ///
    /// ## Instead
    /// Change the files in the workspace that need it.
    pub struct RecursivePermission;
    id: "recursive-permission", pack: Core, level: Deny,
    instead: ["chmod -R u+rwX src"],
    examples: [
        hit Shell("chmod -R 777 /"),
        hit Shell("chown -hR root: ~"),
        hit Shell("chmod -R go-rwx /usr/lib"),
        hit Shell("find / -xdev -writable -exec chmod 0 {} +"),
        pass Shell("chmod -R u+w build"),
        pass Shell("chmod +x run.sh"),
    ],
}

impl Rule for RecursivePermission {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Permission { place, recursive, to }
                if is_everything(place, *recursive) && place.zone != Zone::AgentConfig =>
            {
                Words::new(
                    format!("changes permissions or owner of everything in {} to `{to}`", shown(place)),
                    "change the files in the workspace that need it",
                )
            }
            _ => None,
        })
    }
}

/// A home or a part of the system with all below it, or what a walk over the whole machine finds.
fn is_everything(place: &Place, recursive: bool) -> bool {
    (recursive || place.pattern && place.root) && place.zone >= Zone::Home
        || place.pattern && place.path.starts_with("/*")
}
