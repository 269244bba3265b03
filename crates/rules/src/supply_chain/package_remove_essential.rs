use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks removing packages that the system needs to start or to be repaired.
    ///
    /// ## Instead
    /// Remove only packages that you have installed.
    pub struct PackageRemoveEssential;
    id: "package-remove-essential", pack: SupplyChain, level: Deny,
    instead: ["apt-get remove jq"],
    examples: [
        hit Shell("apt-get remove --purge -y python3 sudo libc6"),
        hit Shell("sudo apt purge -y systemd"),
        hit Shell("dnf remove -y glibc"),
        hit Shell("pacman -Rdd --noconfirm bash"),
        hit Shell("dpkg --purge --force-all dpkg"),
        hit Shell("rpm -e --nodeps openssl"),
        pass Shell("apt-get remove -y nginx"),
        pass Shell("apt-get autoremove -y"),
        pass Shell("apt-get remove -s sudo"),
        pass Shell("pip uninstall -y requests"),
        pass Shell("apt-get install -y python3 sudo"),
        pass Shell("pacman -Rns firefox"),
        pass Shell("dpkg -l bash"),
        pass Shell("docker run debian apt-get remove -y sudo"),
    ],
}

impl Rule for PackageRemoveEssential {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "remove-package" => Words::new(
                format!("removes packages that the system needs: `{target}`"),
                "remove only packages that you have installed",
            ),
            _ => None,
        })
    }
}
