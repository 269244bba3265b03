//! System calls that lead around the limits on files. Everything else is allowed: a list of what is allowed would break with
//! every new program, and files are held by Landlock.

use std::collections::BTreeMap;

use libc::{ENOSYS, EPERM, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use crate::Fault;

/// Calls that fail with `EPERM` whatever they are given.
const REFUSED: [c_long; 35] = [
    // Work that the kernel does for the process, past every filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Programs and modules in the kernel.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    // Mounts and namespaces. Landlock refuses changes of mounts as well; what is never started has no mistakes.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_chroot,
    // Files by other ways than their paths.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The keys of the session and of the user, which hold secrets.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine as a whole.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Namespaces: within one, a process has rights that it does not have outside.
const NAMESPACES: [i32; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    // `CLONE_NEWTIME`, for `unshare` only; in the flags of `clone` the bit belongs to a signal's number.
    0x80,
];

/// Types what it is given into the terminal, as if the person did: `TIOCSTI`, and `TIOCLINUX` on a console.
const TYPES_INTO_TERMINAL: [u64; 2] = [0x5412, 0x541C];

/// The bits of a socket's type that are flags lie above.
const SOCKET_TYPE: u64 = 0xf;

/// Filters the calls of this thread and of what it starts.
pub fn restrict(network: bool, sockets: bool) -> Result<(), Fault> {
    let mut refused: Rules = REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    refused.insert(libc::SYS_kexec_file_load, Vec::new());
    refused.extend(conditional(network, sockets)?);
    install(refused, EPERM)?;
    // The flags of `clone3` lie in memory, where no filter can look. Without it, programs use `clone`.
    install([(libc::SYS_clone3, Vec::new())].into(), ENOSYS)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Calls that are refused for some arguments.
fn conditional(network: bool, sockets: bool) -> Result<Rules, Fault> {
    let mut rules = Rules::new();
    let namespace = |bit: &i32| {
        let bit = u64::from(bit.unsigned_abs());
        rule(&[(0, SeccompCmpOp::MaskedEq(bit), bit)])
    };
    rules.insert(libc::SYS_unshare, NAMESPACES.iter().map(namespace).collect::<Result<_, _>>()?);
    let of_clone = NAMESPACES.iter().filter(|bit| **bit != 0x80);
    rules.insert(libc::SYS_clone, of_clone.map(namespace).collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, socket_rules(network, sockets)?);
    if !sockets {
        // A pair for datagrams can be led to any other socket; one for streams stays what it is.
        let datagram = u64::from(libc::SOCK_DGRAM.unsigned_abs());
        let pair = rule(&[(1, SeccompCmpOp::MaskedEq(SOCKET_TYPE), datagram)])?;
        rules.insert(libc::SYS_socketpair, vec![pair]);
    }
    let types = TYPES_INTO_TERMINAL.iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, types.collect::<Result<_, _>>()?);
    // Limits of another process: no time left is as good as a signal.
    rules.insert(libc::SYS_prlimit64, vec![other_limits()?]);
    Ok(rules)
}

/// Only the families that are named: IP with a network, Unix where allowed, and the questions that every program asks about
/// network interfaces.
fn socket_rules(network: bool, sockets: bool) -> Result<Vec<SeccompRule>, Fault> {
    let number = |family: i32| u64::from(family.unsigned_abs());
    let mut families = vec![number(libc::AF_NETLINK)];
    families.extend(network.then_some([number(libc::AF_INET), number(libc::AF_INET6)]).into_iter().flatten());
    families.extend(sockets.then_some(number(libc::AF_UNIX)));
    let others: Vec<_> = families.iter().map(|family| (0, SeccompCmpOp::Ne, *family)).collect();
    let netlink = number(libc::AF_NETLINK);
    let route = number(libc::NETLINK_ROUTE);
    Ok(vec![rule(&others)?, rule(&[(0, SeccompCmpOp::Eq, netlink), (2, SeccompCmpOp::Ne, route)])?])
}

fn other_limits() -> Result<SeccompRule, Fault> {
    let other = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    let new = condition(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    SeccompRule::new(vec![other, new]).map_err(limit)
}

/// A rule over arguments of which the kernel takes the lower 32 bits. All of its conditions must hold.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, Fault> {
    let all = conditions
        .iter()
        .map(|(argument, test, value)| condition(*argument, SeccompCmpArgLen::Dword, test.clone(), *value));
    SeccompRule::new(all.collect::<Result<_, _>>()?).map_err(limit)
}

fn condition(
    argument: u8,
    size: SeccompCmpArgLen,
    test: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, Fault> {
    SeccompCondition::new(argument, size, test, value).map_err(limit)
}

fn install(rules: Rules, errno: i32) -> Result<(), Fault> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(limit)?;
    let action = SeccompAction::Errno(errno.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch).map_err(limit)?;
    let program = BpfProgram::try_from(filter).map_err(limit)?;
    let program: BpfProgram = OTHER_NUMBERS.into_iter().chain(program).collect();
    seccompiler::apply_filter(&program).map_err(limit)
}

/// Refuses the numbers of the x32 interface, by which every call of a 64-bit processor could be named a second time. A
/// 32-bit program has another architecture, which ends it.
const OTHER_NUMBERS: [sock_filter; 3] = [
    // Load the call's number.
    sock_filter { code: 0x20, jt: 0, jf: 0, k: 0 },
    // At or above the bit of that interface?
    sock_filter { code: 0x35, jt: 0, jf: 1, k: 0x4000_0000 },
    // `SECCOMP_RET_ERRNO` with `EPERM`.
    sock_filter { code: 0x06, jt: 0, jf: 0, k: 0x0005_0001 },
];

fn limit(error: impl std::fmt::Display) -> Fault {
    Fault::Limit(error.to_string())
}
