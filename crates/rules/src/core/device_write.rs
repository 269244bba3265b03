use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule, shown};

rule! {
    /// Blocks writing to disk devices and creating file systems on them.
    ///
    /// ## Instead
    /// Write to an image file: `dd of=disk.img`.
    pub struct DeviceWrite;
    id: "device-write", pack: Core, level: Deny,
    instead: ["dd if=/dev/zero of=disk.img bs=1M count=64"],
    examples: [
        hit Shell("dd if=/dev/zero of=/dev/sda"),
        hit Shell("mkfs.ext4 /dev/sdb1"),
        hit Shell("cat image > /dev/nvme0n1"),
        hit Shell("cp img /dev/sda"),
        pass Shell("dd if=/dev/zero of=disk.img bs=1M count=1"),
        pass Shell("echo x > /dev/null"),
        pass Shell("mkfs.ext4 disk.img"),
    ],
}

impl Rule for DeviceWrite {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Device { place } => Words::new(
                format!("overwrites the device {}", shown(place)),
                "write to an image file: `dd of=disk.img`",
            ),
            _ => None,
        })
    }
}
