use tollgate_model::{Card, Case, EffectKind, Hit, Rule};

use crate::kit::{Words, first, rule};

rule! {
    /// Blocks destroying volumes, storage pools, encrypted disks and backups.
    ///
    /// ## Instead
    /// List them (`lvs`, `zfs list`), and let the person destroy them.
    pub struct StorageDestroy;
    id: "storage-destroy", pack: Core, level: Deny,
    instead: ["lvs", "zfs list"],
    examples: [
        hit Shell("lvremove -f vg0/data"),
        hit Shell("sudo vgremove vg0"),
        hit Shell("zpool destroy tank"),
        hit Shell("zfs destroy -r tank/home"),
        hit Shell("btrfs subvolume delete /mnt/home"),
        hit Shell("cryptsetup luksFormat /dev/sdb1"),
        hit Shell("mdadm --zero-superblock /dev/sdb"),
        hit Shell("hdparm --user-master u --security-erase p /dev/sda"),
        hit Shell("nvme format /dev/nvme0n1"),
        hit Shell("restic forget --keep-last 1 --prune"),
        pass Shell("lvs"),
        pass Shell("zfs list"),
        pass Shell("zfs destroy -n tank/x"),
        pass Shell("zpool status"),
        pass Shell("btrfs subvolume list /"),
        pass Shell("cryptsetup status x"),
        pass Shell("nvme list"),
        pass Shell("restic snapshots"),
        pass Shell("mdadm --detail /dev/md0"),
    ],
}

impl Rule for StorageDestroy {
    fn card(&self) -> &'static Card {
        &Self::CARD
    }

    fn check(&self, case: &Case) -> Option<Hit> {
        first(case, |effect| match &effect.kind {
            EffectKind::Infra { operation, target, .. } if operation == "destroy-storage" => Words::new(
                format!("permanently deletes storage with all its data: `{target}`"),
                "list what is there, and let the person delete it",
            ),
            _ => None,
        })
    }
}
