use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before stopping or disabling a service of the machine.
    ///
    /// ## Instead
    /// Show its state with `systemctl status NAME`, or restart it with `systemctl restart NAME`.
    pub struct ServiceStop;
    id: "service-stop", pack: Core, level: Ask,
    instead: ["systemctl status nginx"],
    examples: [
        hit Shell("systemctl stop sshd"),
        hit Shell("sudo systemctl disable --now NetworkManager"),
        hit Shell("systemctl mask cron"),
        hit Shell("service ssh stop"),
        hit Shell("swapoff -a"),
        hit Shell("modprobe -r e1000e"),
        hit Shell("launchctl bootout system/com.apple.audio"),
        pass Shell("systemctl status sshd"),
        pass Shell("systemctl restart nginx"),
        pass Shell("sudo systemctl stop postgresql"),
        pass Shell("systemctl --user stop app"),
        pass Shell("service nginx stop"),
        pass Shell("docker exec c systemctl stop sshd"),
        pass Shell("systemctl list-units"),
        pass Shell("modprobe fuse"),
    ],
}

impl Rule for ServiceStop {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "stop-service" => Words::new(
                format!("stops a service of this machine: `{target}`"),
                "restart it instead, or ask the person to stop it",
            ),
            _ => None,
        })
    }
}
