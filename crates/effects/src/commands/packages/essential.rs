//! Packages that no system can miss.

use crate::paths;

/// Packages without which a system does not start, or cannot be repaired.
const ESSENTIAL: &str = "sudo|libc6|glibc|libc-bin|coreutils|bash|dpkg|apt|systemd|systemd-sysv|init|util-linux|\
    openssh-server|openssh|linux-image*|linux-generic|kernel|kernel-core|grub*|shim*|python3|python3-minimal|python3.*|\
    libssl*|openssl|network-manager|networkmanager|netplan.io|ifupdown|login|passwd|mount|e2fsprogs|base-files|perl-base|\
    dnf|yum|rpm|pacman|filesystem|musl|busybox|apk-tools|alpine-baselayout|base|ca-certificates|tar|gzip|mawk|hostname|findutils";

/// True when a system does not work without this package.
pub(in crate::commands) fn is_essential(package: &str) -> bool {
    let name = package.split([':', '=']).next().unwrap_or_default();
    let fits = |one: &str| name == one || name.contains(['*', '?']) && paths::glob_could_be(name, one);
    ESSENTIAL.split('|').any(|one| match one.strip_suffix('*') {
        Some(start) => name.starts_with(start) || fits(start),
        None => fits(one),
    })
}
