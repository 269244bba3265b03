use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks flushing or disabling the firewall.
    ///
    /// ## Instead
    /// Open only the port that is needed: `ufw allow 8080/tcp`.
    pub struct FirewallOff;
    id: "firewall-off", pack: Core, level: Deny,
    instead: ["ufw allow 8080/tcp"],
    examples: [
        hit Shell("iptables -F"),
        hit Shell("sudo ufw disable"),
        hit Shell("sudo ufw --force reset"),
        hit Shell("nft flush ruleset"),
        hit Shell("iptables -P INPUT ACCEPT"),
        hit Shell("systemctl disable --now firewalld"),
        hit Shell("iptables -t nat --flush"),
        pass Shell("iptables -L -n"),
        pass Shell("ufw status"),
        pass Shell("ufw allow 8080/tcp"),
        pass Shell("nft list ruleset"),
        pass Shell("iptables -A INPUT -p tcp --dport 80 -j ACCEPT"),
        pass Shell("systemctl status firewalld"),
        pass Shell("docker run --rm alpine iptables -F"),
    ],
}

impl Rule for FirewallOff {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::Firewall, how } => Words::new(
                format!("weakens or disables the firewall {how}"),
                "open only the port that is needed: `ufw allow 8080/tcp`",
            ),
            _ => None,
        })
    }
}
