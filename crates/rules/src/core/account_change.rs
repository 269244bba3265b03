use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before deleting or locking a user account or changing its password.
    ///
    /// ## Instead
    /// Leave user accounts to the person.
    pub struct AccountChange;
    id: "account-change", pack: Core, level: Ask,
    person: "Only the person may change user accounts.",
    examples: [
        hit Shell("userdel -r bob"),
        hit Shell("sudo deluser bob"),
        hit Shell("groupdel dev"),
        hit Shell("echo root:x | chpasswd"),
        hit Shell("passwd -d root"),
        hit Shell("sudo passwd -l bob"),
        pass Shell("id bob"),
        pass Shell("getent passwd bob"),
        pass Shell("passwd -S bob"),
        pass Shell("useradd --help"),
        pass Shell("docker run alpine deluser bob"),
        pass Shell("grep userdel docs.md"),
    ],
}

impl Rule for AccountChange {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. }
                if operation == "delete-user" || operation == "change-login" =>
            {
                Words::new(
                    format!("changes user accounts of this machine: `{target}`"),
                    "leave user accounts to the person",
                )
            }
            _ => None,
        })
    }
}
