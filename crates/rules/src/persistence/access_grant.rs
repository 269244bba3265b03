use tollgate_model::{Card, Case, Hit, Lasting, Rule};

use crate::kit::{left, rule};

rule! {
    /// Blocks changing files that grant access or root rights: login keys, sudo rules, preloaded libraries.
    ///
    /// ## Instead
    /// Write the line to a file inside the project, and let the person install it.
    pub struct AccessGrant;
    id: "access-grant", pack: Persistence, level: Deny,
    instead: ["cp deploy.pub authorized_keys.new"],
    examples: [
        hit Shell("echo 'ssh-ed25519 AAAA me' >> ~/.ssh/authorized_keys"),
        hit Shell("printf '%s\\n' \"$KEY\" | tee -a ~/.ssh/authorized_keys > /dev/null"),
        hit Shell("cat key.pub | sudo tee /home/user/.ssh/authorized_keys2"),
        hit Shell("echo 'user ALL=(ALL) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/user"),
        hit Shell("sudo visudo"),
        hit Shell("cp lib.so.list /etc/ld.so.preload"),
        hit Write("/etc/sudoers.d/agent"),
        hit Shell("python3 -c \"open('/home/user/.ssh/authorized_keys','a').write('x')\""),
        pass Shell("cat ~/.ssh/authorized_keys"),
        pass Shell("sudo visudo -c"),
        pass Shell("echo 'ssh-ed25519 AAAA me' > deploy/authorized_keys"),
        pass Write("docs/authorized_keys.md"),
        pass Shell("grep -c ssh ~/.ssh/authorized_keys"),
        pass Shell("git commit -m 'add to ~/.ssh/authorized_keys'"),
    ],
}

impl Rule for AccessGrant {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        left(
            case,
            Lasting::AccessFile,
            |place| format!("changes {place}, which grants access or root rights"),
            "write the line to a file inside the project, and let the person install it",
        )
    }
}
