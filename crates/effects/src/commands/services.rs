//! The machine's services, firewall, storage and users.

use super::verbs::{DELETE, Deed, SECRET, Tool};

const STOP: Deed = Deed::Infra("stop-service");
const FIREWALL: Deed = Deed::Weaken("the firewall");
const STORAGE: Deed = Deed::Infra("destroy-storage");
const USER: Deed = Deed::Infra("delete-user");
const LOGIN: Deed = Deed::Infra("change-login");

/// Services that agents start and stop as part of their work.
const OWN: &str = "docker|docker.service|docker.socket|podman*|postgresql*|postgres*|mysql*|mariadb*|redis*|valkey*|mongod*|nginx*|apache2*|\
    httpd*|caddy*|rabbitmq*|elasticsearch*|opensearch*|memcached*|php*-fpm*|ollama*|grafana*|prometheus*|minio*|kafka*|\
    zookeeper*|jenkins*|supervisor*|tomcat*|traefik*|haproxy*|clickhouse*|influxdb*|cassandra*";

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        names: &["systemctl"],
        values: "H host M machine t type state p property s signal n lines o output root kill-whom kill-who job-mode",
        one_dash: false,
        deeds: &[
            ("show -p,--property=*Environment*", SECRET),
            ("** --user", Deed::Safe),
            ("** --dry-run", Deed::Safe),
            ("poweroff|reboot|halt|kexec|suspend|hibernate|soft-reboot", Deed::Power),
            ("isolate rescue*|emergency*|poweroff*|reboot*|halt*", Deed::Power),
            ("rescue|emergency|isolate", STOP),
            ("stop|kill|disable|mask firewalld*|ufw*|nftables*|iptables*", FIREWALL),
            ("set-default", STOP),
            // On another machine it is somebody's service.
            ("stop|kill|disable|mask -H,--host", STOP),
            ("stop|kill|disable|mask|restart|try-restart|reload-or-restart @own", Deed::Safe),
            ("stop|kill|disable|mask", STOP),
            ("edit|revert", STOP),
        ],
    },
    Tool {
        names: &["dconf"],
        values: "",
        one_dash: false,
        deeds: &[("reset /|/org/|/org/gnome/|/org/gnome/desktop/|/com/ -f", Deed::Infra("delete-data"))],
    },
    Tool {
        names: &["service", "rc-service"],
        values: "",
        one_dash: false,
        deeds: &[
            ("firewalld|ufw|nftables|iptables stop", FIREWALL),
            ("@own stop", Deed::Safe),
            ("* stop", STOP),
        ],
    },
    Tool {
        names: &["rc-update", "update-rc.d", "chkconfig"],
        values: "",
        one_dash: false,
        deeds: &[("del|delete", STOP), ("* remove|disable|off", STOP)],
    },
    Tool {
        names: &["launchctl"],
        values: "",
        one_dash: false,
        deeds: &[
            ("bootout|unload|remove|disable|kill ** gui/*|*/Users/*|*~/Library/*", Deed::Safe),
            ("bootout|unload|remove|disable|kill", STOP),
            ("reboot", Deed::Power),
        ],
    },
    Tool {
        names: &["iptables", "ip6tables", "iptables-legacy", "iptables-nft"],
        values: "t table j jump s source src d destination dst i in-interface o out-interface p protocol proto m match A append I insert",
        one_dash: false,
        deeds: &[
            ("** -F,--flush", FIREWALL),
            ("** -X,--delete-chain", FIREWALL),
            ("** -P,--policy", FIREWALL),
            // All that comes in, from anybody and to any port.
            (
                "** -A,--append,-I,--insert=INPUT|FORWARD -j,--jump=ACCEPT !-s,--source,--src=^0.0.0.0/0|::/0 !-i,--in-interface !-p,--protocol,--proto !-m,--match !-d,--destination,--dst",
                FIREWALL,
            ),
        ],
    },
    Tool {
        names: &["iptables-restore", "ip6tables-restore"],
        values: "",
        one_dash: false,
        deeds: &[("** -t,--test", Deed::Safe), ("**", FIREWALL)],
    },
    Tool {
        names: &["nft"],
        values: "f file",
        one_dash: false,
        deeds: &[
            ("** -c,--check", Deed::Safe),
            ("flush|delete ruleset|table|chain", FIREWALL),
            ("add|insert rule ** input|INPUT|forward|FORWARD accept", FIREWALL),
            ("add|insert chain ** policy accept;|accept", FIREWALL),
            ("*add*rule* input accept", FIREWALL),
            ("*flush*ruleset*", FIREWALL),
            ("*delete*table*", FIREWALL),
        ],
    },
    Tool {
        names: &["ufw"],
        values: "",
        one_dash: false,
        deeds: &[
            ("** --dry-run", Deed::Safe),
            ("disable|reset", FIREWALL),
            ("default allow incoming|in", FIREWALL),
            ("default allow", FIREWALL),
            ("allow from any to any port", Deed::Safe),
            ("allow from any", FIREWALL),
            ("allow from 0.0.0.0/0", FIREWALL),
        ],
    },
    Tool {
        names: &["firewall-cmd"],
        values: "zone",
        one_dash: false,
        deeds: &[
            ("** --panic-off", Deed::Safe),
            ("** --set-default-zone=trusted", FIREWALL),
            ("** --set-target=ACCEPT", FIREWALL),
        ],
    },
    Tool {
        names: &["pfctl"],
        values: "f a",
        one_dash: false,
        deeds: &[("** -d", FIREWALL), ("** -F", FIREWALL)],
    },
    Tool {
        names: &["aa-teardown", "aa-disable", "aa-complain"],
        values: "d dir",
        one_dash: false,
        deeds: &[("**", Deed::Weaken("this machine: the confinement of programs"))],
    },
    Tool {
        names: &["update-crypto-policies"],
        values: "",
        one_dash: false,
        deeds: &[
            ("** --show", Deed::Safe),
            ("** --set=LEGACY*|*SHA1*", Deed::Weaken("this machine: its choice of ciphers")),
            ("LEGACY* --set", Deed::Weaken("this machine: its choice of ciphers")),
        ],
    },
    Tool {
        names: &["auditctl"],
        values: "",
        one_dash: false,
        deeds: &[("** -D", FIREWALL), ("0 -e", FIREWALL)],
    },
    Tool {
        names: &["sysctl"],
        values: "p load",
        one_dash: false,
        deeds: &[
            (
                "kernel.randomize_va_space=0|kernel.yama.ptrace_scope=0|kernel.kptr_restrict=0|net.ipv4.tcp_syncookies=0|kernel.core_pattern=*|kernel.modprobe=*|kernel.sysrq=*|net.ipv4.conf.all.rp_filter=0",
                FIREWALL,
            ),
            ("kernel.panic=*|vm.panic_on_oom=*", STOP),
        ],
    },
    Tool {
        names: &["ip"],
        values: "family f l loops n netns b batch",
        one_dash: true,
        deeds: &[
            ("** lo|dummy*|veth*|docker*|br-*|wg*|tun*|tap*|vxlan*", Deed::Safe),
            ("l|li|lin|link set|s * down", STOP),
            ("l|li|lin|link set|s dev * down", STOP),
            ("l|li|lin|link del|delete|d", STOP),
            ("r|ro|rou|route|a|ad|add|addr|address|ru|rule flush|f", STOP),
            ("r|ro|rou|route del|delete|d default", STOP),
        ],
    },
    Tool {
        names: &["ifconfig"],
        values: "",
        one_dash: false,
        deeds: &[("lo|docker*|veth*|br-* **", Deed::Safe), ("* down", STOP)],
    },
    Tool { names: &["ifdown"], values: "", one_dash: false, deeds: &[("**", STOP)] },
    Tool {
        names: &["nmcli"],
        values: "f fields g get-values m mode w wait",
        one_dash: false,
        deeds: &[
            ("c|con|connection show -s,--show-secrets", SECRET),
            ("d|dev|device wifi show-password", SECRET),
            ("n|networking|r|radio off", STOP),
            ("r|radio all|wifi|wwan off", STOP),
            ("c|con|connection delete|down", STOP),
            ("d|dev|device disconnect|delete", STOP),
        ],
    },
    Tool {
        names: &["efibootmgr"],
        values: "b bootnum o bootorder d disk p part l loader L label n bootnext t timeout",
        one_dash: false,
        deeds: &[("** -B,--delete-bootnum", STORAGE), ("** -O,--delete-bootorder", STORAGE)],
    },
    Tool { names: &["swapoff"], values: "", one_dash: false, deeds: &[("** -a,--all", STOP), ("*", STOP)] },
    Tool {
        names: &["modprobe", "kmod"],
        values: "C d S",
        one_dash: false,
        deeds: &[("** -n,--dry-run", Deed::Safe), ("** -r,--remove", STOP)],
    },
    Tool { names: &["rmmod"], values: "", one_dash: false, deeds: &[("*", STOP)] },
    Tool {
        names: &["umount"],
        values: "t O",
        one_dash: false,
        deeds: &[("** -a,--all", STOP), ("/|/home|/boot|/usr|/var|/etc", STOP)],
    },
    Tool {
        names: &["lvremove", "vgremove", "pvremove"],
        values: "",
        one_dash: false,
        deeds: &[("** -t,--test", Deed::Safe), ("**", STORAGE)],
    },
    Tool {
        names: &["lvreduce", "resize2fs"],
        values: "L l size",
        one_dash: false,
        deeds: &[("** -t,--test", Deed::Safe), ("** -P", Deed::Safe), ("** -L,--size,-l", STORAGE)],
    },
    Tool {
        names: &["lvm"],
        values: "",
        one_dash: false,
        deeds: &[("lvremove|vgremove|pvremove|lvreduce", STORAGE)],
    },
    Tool {
        names: &["zfs", "zpool"],
        values: "o t",
        one_dash: false,
        deeds: &[
            ("destroy -n", Deed::Safe),
            ("destroy", STORAGE),
            ("rollback -r", STORAGE),
            ("rollback -R", STORAGE),
            ("rollback", STORAGE),
            ("labelclear", STORAGE),
            ("remove|detach|offline", STORAGE),
        ],
    },
    Tool {
        names: &["btrfs"],
        values: "",
        one_dash: false,
        deeds: &[("subvolume|su|sub delete|del", STORAGE), ("device|dev remove|delete", STORAGE)],
    },
    Tool {
        names: &["cryptsetup"],
        values: "c s h key-file d type",
        one_dash: false,
        deeds: &[("luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt", STORAGE)],
    },
    Tool {
        names: &["mdadm"],
        values: "",
        one_dash: false,
        deeds: &[("** --zero-superblock", STORAGE), ("** --create", STORAGE), ("** --stop,-S", STORAGE)],
    },
    Tool {
        names: &["hdparm"],
        values: "user-master",
        one_dash: false,
        deeds: &[(
            "** --security-erase,--security-erase-enhanced,--sanitize-block-erase,--trim-sector-ranges,--make-bad-sector",
            STORAGE,
        )],
    },
    Tool {
        names: &["nvme"],
        values: "n namespace-id s ses a sanact",
        one_dash: false,
        deeds: &[("format|sanitize|delete-ns|write|write-zeroes|dsm", STORAGE)],
    },
    Tool { names: &["sg_format", "sg_sanitize"], values: "", one_dash: false, deeds: &[("**", STORAGE)] },
    Tool {
        names: &["loginctl"],
        values: "H host M machine s signal",
        one_dash: false,
        deeds: &[("terminate-user|terminate-session|terminate-seat|kill-user|kill-session", STOP)],
    },
    Tool {
        names: &["busctl", "dbus-send", "gdbus", "qdbus"],
        values: "dest d object-path o method m",
        one_dash: false,
        deeds: &[
            ("** *PowerOff|*Reboot|*Halt|*Hibernate|*Suspend|*SoftReboot|*KExec", Deed::Power),
            ("** -m,--method=*PowerOff|*Reboot|*Halt|*Hibernate|*Suspend", Deed::Power),
        ],
    },
    Tool {
        names: &["VBoxManage", "vboxmanage"],
        values: "",
        one_dash: false,
        deeds: &[
            ("unregistervm --delete,--delete-all", STORAGE),
            ("closemedium --delete", STORAGE),
            ("snapshot * delete", STORAGE),
        ],
    },
    Tool {
        names: &["xattr"],
        values: "",
        one_dash: false,
        deeds: &[("com.apple.quarantine -d", Deed::Weaken("this machine: its check of downloaded programs"))],
    },
    Tool {
        names: &["badblocks", "shred-disk"],
        values: "",
        one_dash: false,
        deeds: &[("** -w", STORAGE), ("** --format,-F", STORAGE)],
    },
    Tool {
        names: &["diskutil"],
        values: "",
        one_dash: false,
        deeds: &[
            ("eraseDisk|eraseVolume|partitionDisk|secureErase|zeroDisk|randomDisk|reformat", STORAGE),
            ("apfs|ap deleteContainer|deleteVolume|eraseVolume", STORAGE),
        ],
    },
    Tool {
        names: &["tmutil"],
        values: "",
        one_dash: false,
        deeds: &[("delete|deletelocalsnapshots|disable", STORAGE)],
    },
    Tool {
        names: &["flashrom"],
        values: "p programmer c chip l layout i image r read v verify o output",
        one_dash: false,
        deeds: &[("** -w,--write", STORAGE), ("** -E,--erase", STORAGE)],
    },
    Tool {
        names: &["doveadm"],
        values: "u user c o S F",
        one_dash: false,
        deeds: &[("expunge", DELETE), ("mailbox delete", DELETE)],
    },
    Tool {
        names: &["restic", "borg", "kopia", "duplicity"],
        values: "r repo p password-file tag host keep-last",
        one_dash: false,
        deeds: &[
            ("** -n,--dry-run", Deed::Safe),
            ("forget|delete|prune|unlock|remove-*", STORAGE),
            ("snapshot delete", STORAGE),
        ],
    },
    Tool {
        names: &["snapper"],
        values: "c config r root t type",
        one_dash: false,
        deeds: &[("delete|rm|remove|delete-config", STORAGE), ("cleanup all", STORAGE)],
    },
    Tool {
        names: &["timeshift"],
        values: "snapshot snapshot-device tags comments",
        one_dash: false,
        deeds: &[("--delete-all", STORAGE), ("--delete", STORAGE), ("--restore", STORAGE)],
    },
    Tool {
        names: &["userdel", "deluser"],
        values: "R root P prefix",
        one_dash: false,
        deeds: &[("* *", USER), ("*", USER)],
    },
    Tool { names: &["groupdel", "delgroup"], values: "R root", one_dash: false, deeds: &[("*", USER)] },
    Tool {
        names: &["dscl", "sysadminctl"],
        values: "",
        one_dash: false,
        deeds: &[("** -delete", USER), ("** -deleteUser", USER)],
    },
    Tool {
        names: &["passwd"],
        values: "",
        one_dash: false,
        deeds: &[
            ("** -S,--status", Deed::Safe),
            ("** -d,--delete", LOGIN),
            ("** -l,--lock", USER),
            ("root", LOGIN),
            ("<", LOGIN),
        ],
    },
    Tool { names: &["chpasswd"], values: "", one_dash: false, deeds: &[("**", LOGIN)] },
];

/// Patterns may say `@own` for those services.
pub(super) fn is_own(service: &str) -> bool {
    OWN.split('|').any(|one| super::verbs::glob_fits(one.trim(), service))
}
