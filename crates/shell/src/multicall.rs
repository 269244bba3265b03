//! Programs that are several tools: which one they are is the name that they are called by, their `argv[0]`.

/// Each such program, and the names by which it is something else, as their manuals list them. A star stands for
/// any letters.
const PROGRAMS: &[(&str, &[&str])] = &[
    ("busybox", &["*"]),
    ("toybox", &["*"]),
    ("coreutils", &["*"]),
    ("mtools", &["m*"]),
    ("systemctl", &["poweroff", "reboot", "halt", "shutdown", "telinit", "init", "runlevel"]),
    ("upstart", &["poweroff", "reboot", "halt", "shutdown", "telinit"]),
    ("halt", &["poweroff", "reboot"]),
    ("kmod", &["insmod", "rmmod", "modprobe", "depmod", "lsmod", "modinfo"]),
    ("lvm", &["lv*", "vg*", "pv*"]),
    ("mke2fs", &["mkfs.*"]),
    ("mkdosfs", &["mkfs.*"]),
    ("git", &["git-*"]),
    ("bash", &["sh", "rbash"]),
    ("zsh", &["sh", "ksh", "rzsh"]),
    ("vim", &["ex", "vi", "view", "rvim", "rview", "vimdiff"]),
    ("nvim", &["ex", "vi", "view"]),
    ("gzip", &["gunzip", "zcat"]),
    ("bzip2", &["bunzip2", "bzcat"]),
    ("xz", &["unxz", "xzcat", "lzma", "unlzma", "lzcat"]),
    ("zstd", &["unzstd", "zstdcat", "zstdmt"]),
    ("sudo", &["sudoedit"]),
    ("xtables-nft-multi", &["iptables*", "ip6tables*", "ebtables*", "arptables*"]),
    ("xtables-legacy-multi", &["iptables*", "ip6tables*"]),
    ("dropbearmulti", &["ssh", "scp", "dbclient", "dropbear*"]),
];

/// The tool that a program is when it is called by this name; `None` when the name says nothing to it.
pub fn tool<'n>(program: &str, name: &'n str) -> Option<&'n str> {
    let program = last(program);
    // `busybox-static`, `busybox.x86_64`
    let program = match program.strip_prefix("busybox") {
        Some(rest) if rest.starts_with(['-', '.', '_']) => "busybox",
        _ => program,
    };
    let name = last(name).trim_start_matches('-');
    let (_, names) = PROGRAMS.iter().find(|(known, _)| *known == program)?;
    let fits = |pattern: &&&str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => **pattern == name,
    };
    (!name.is_empty() && name != program).then(|| names.iter().find(fits).map(|_| name))?
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs_are_what_they_are_called() {
        for (program, name, expected) in [
            ("/usr/bin/systemctl", "poweroff", Some("poweroff")),
            ("systemctl", "/sbin/reboot", Some("reboot")),
            ("systemctl", "worker", None),
            ("busybox-static", "rm", Some("rm")),
            ("bash", "-sh", Some("sh")),
            ("bash", "-bash", None),
            ("sleep", "rm", None),
            ("lvm", "lvremove", Some("lvremove")),
            ("git", "git-clean", Some("git-clean")),
        ] {
            assert_eq!(super::tool(program, name), expected, "{program} as {name}");
        }
    }
}
