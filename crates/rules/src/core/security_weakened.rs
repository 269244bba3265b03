use tollgate_model::{Card, Case, EffectKind, Hit, Protection, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before weakening the security of the machine.
    ///
    /// Examples are world-writable files, the set-user-ID bit, groups that may become root, and disabled certificate checks.
    ///
    /// ## Instead
    /// Give one user or program the one permission that it needs, and let the person do it.
    pub struct SecurityWeakened;
    id: "security-weakened", pack: Core, level: Ask,
    person: "Only the person may give permissions on this machine.",
    examples: [
        hit Shell("chmod o+w /etc/passwd"),
        hit Shell("chmod 777 ~/.ssh/id_rsa"),
        hit Shell("sudo chmod a+rwx /usr/local/bin"),
        hit Shell("chmod u+s ./helper"),
        hit Shell("chmod 4755 ./helper"),
        hit Shell("sudo usermod -aG docker user"),
        hit Shell("sudo setenforce 0"),
        hit Shell("sudo ufw disable"),
        hit Shell("NODE_TLS_REJECT_UNAUTHORIZED=0 node x.js"),
        hit Shell("export PYTHONHTTPSVERIFY=0"),
        hit Shell("npm config set strict-ssl false"),
        hit Shell("sudo systemctl disable --now auditd"),
        pass Shell("chmod 777 build/out"),
        pass Shell("chmod +x run.sh"),
        pass Shell("chmod 600 ~/.ssh/config"),
        pass Shell("chmod go-w ~/notes.txt"),
        pass Shell("sudo usermod -aG audio user"),
        pass Shell("sudo ufw status"),
        pass Shell("getenforce"),
        pass Shell("NODE_ENV=test node x.js"),
        pass Shell("npm config set save-exact true"),
        pass Shell("systemctl status auditd"),
    ],
}

impl Rule for SecurityWeakened {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        let instead = "ask the person to give one user or program the one permission that it needs";
        first(case, |effect| match &effect.kind {
            EffectKind::Weaken { protection: Protection::Machine | Protection::Certificates, how } => {
                Words::new(format!("weakens security: {how}"), instead)
            }
            EffectKind::Privilege { how } if how.contains("set-user-ID") => Words::new(
                format!("lets everybody run a program with the rights of its owner: {how}"),
                instead,
            ),
            _ => None,
        })
    }
}
