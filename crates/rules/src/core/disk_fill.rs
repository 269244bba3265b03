use tollgate_model::{Card, Case, EffectKind, Hit, ProcessAction, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Asks before writing endless data, or more than a disk holds, to a file or into memory.
    ///
    /// ## Instead
    /// Limit the size: `head -c 10M /dev/urandom > blob`.
    pub struct DiskFill;
    id: "disk-fill", pack: Core, level: Ask,
    instead: ["head -c 10M /dev/urandom > blob"],
    examples: [
        hit Shell("yes > junk"),
        hit Shell("cat /dev/zero > junk"),
        hit Shell("dd if=/dev/zero of=junk bs=1M"),
        hit Shell("tr -d x < /dev/urandom >> junk"),
        hit Shell("yes | gzip > junk.gz"),
        hit Shell("yes 1 | tee junk"),
        hit Shell("fallocate -l 999G junk"),
        hit Shell("tail /dev/zero"),
        hit Shell("head -c 900G /dev/urandom > junk"),
        hit Shell("dd if=/dev/zero of=junk bs=1G count=5000"),
        pass Shell("dd if=/dev/zero of=blob bs=1M count=10"),
        pass Shell("head -c 10M /dev/urandom > blob"),
        pass Shell("tr -dc a-z < /dev/urandom | head -c 32 > name"),
        pass Shell("yes | head -n 100 > lines"),
        pass Shell("yes | ./setup.sh > log"),
        pass Shell("yes > /dev/null"),
        pass Shell("xxd -l 16 -p /dev/urandom > key"),
        pass Shell("fallocate -l 10M blob"),
    ],
}

impl Rule for DiskFill {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Process { action: ProcessAction::FillDisk, target } => Words::new(
                format!("fills the disk or the memory: `{target}` grows without limit"),
                "limit the size: `head -c 10M /dev/urandom > blob`",
            ),
            _ => None,
        })
    }
}
