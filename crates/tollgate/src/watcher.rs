//! Waits for the process that does the work of a hook, where a file system may never answer: see `lastword::split`.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};
use tollgate_lastword::{self as lastword, Mount, Role, Worker};

/// How much later than its own deadline a worker is given up: it answers by itself if it can.
const MARGIN: Duration = Duration::from_millis(500);
/// The longest wait for a worker that has not set a deadline yet.
const START: Duration = Duration::from_secs(5);
/// The longest answer that is handed on.
const LONGEST: usize = 16 << 20;

/// File systems whose answers come from another program or machine, and so perhaps never.
const REMOTE: [&str; 22] = [
    "9p", "acfs", "afs", "autofs", "beegfs", "ceph", "cifs", "coda", "fuse", "fuseblk", "gfs2", "lustre",
    "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "prl_fs", "smb3", "smbfs", "vboxsf", "virtiofs",
];

/// Where no agent works.
const ELSEWHERE: [&str; 4] = ["/proc/", "/sys/", "/run/user/", "/var/lib/lxcfs"];

/// Goes on as the worker, if any file system here may never answer. The watcher answers for it and ends.
///
/// Which paths a call touches is only known once they were touched, so that any such file system counts. Without one
/// this costs a question about each mount, which touches none of them.
pub fn split_where_needed() {
    if !may_stall() {
        return;
    }
    // Where no second process can be had, one has to do.
    if let Ok(Role::Watcher(worker)) = lastword::split() {
        watch(&worker)
    }
}

/// Numbers of the kinds of file systems that answer by themselves: those of the kernel, and those of disks and images.
const LOCAL: [u64; 33] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x0102_1994, // tmpfs, devtmpfs
    0x1cd1,      // devpts
    0xef53,      // ext2, ext3, ext4
    0x6367_7270, // cgroup2
    0x0027_e0eb, // cgroup
    0x794c_7630, // overlay
    0x9123_683e, // btrfs
    0x5846_5342, // xfs
    0x7371_7368, // squashfs
    0xcafe_4a11, // bpf
    0x7363_6673, // securityfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x1980_0202, // mqueue
    0x9584_58f6, // hugetlbfs
    0x8584_58f6, // ramfs
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x6265_6570, // configfs
    0x6573_5543, // fusectl: lists FUSE's connections, is none itself
    0x4249_4e4d, // binfmt_misc
    0x6e73_6673, // nsfs
    0x6759_6969, // rpc_pipefs
    0xf97c_ff8c, // selinuxfs
    0x4d44,      // vfat
    0x2011_bab0, // exfat
    0x9660,      // iso9660
    0x1501_3346, // udf
    0xf2f5_2010, // f2fs
    0xe0f5_e1e2, // erofs
    0x2fc1_2fc1, // zfs
];

/// May a mounted file system never answer? Only where its kind alone does not say, the table of mounts is read.
fn may_stall() -> bool {
    let is_doubtful = |mount: &Mount| !LOCAL.contains(&mount.kind) && !mount.is_below(&ELSEWHERE);
    lastword::mounts().is_none_or(|mounts| mounts.iter().any(is_doubtful)) && is_any_remote()
}

fn is_any_remote() -> bool {
    let Ok(file) = std::fs::File::open("/proc/self/mountinfo") else { return false };
    // With room for it all: the kernel tells no size, and the standard library would begin with pieces of 32 bytes.
    let mut table = Vec::with_capacity(16 << 10);
    let whole = file.take(LONGEST as u64).read_to_end(&mut table).is_ok();
    let table = String::from_utf8(table)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    !whole || table.lines().any(is_remote)
}

/// A line of the table: `36 35 98:0 / /mnt rw,noatime master:1 - ext3 /dev/root rw`. Spaces in names are escaped.
fn is_remote(line: &str) -> bool {
    let kind = line.rsplit(' ').nth(2).unwrap_or_default();
    let remote = REMOTE.contains(&kind) || kind.starts_with("fuse.");
    // Nearly every desktop has some of these, where no agent works: they would cost each hook a second process.
    let place = || line.split(' ').nth(4).unwrap_or_default();
    remote && !ELSEWHERE.iter().any(|folder| place().starts_with(folder))
}

fn watch(worker: &Worker) -> ! {
    let mut answer = Answer::default();
    let Some(process) = Pid::from_raw(worker.process) else { lastword::give_up(worker, c"worker") };
    let Ok(ended) = rustix::process::pidfd_open(process, PidfdFlags::empty()) else {
        lastword::give_up(worker, c"worker")
    };
    for pipe in [&worker.stdout, &worker.stderr] {
        let _ = rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK);
    }
    loop {
        let ready = wait(worker, &ended);
        answer.collect(worker);
        match ready {
            Ready::Words => {}
            Ready::Late => {
                // It may not even end; nobody waits for it.
                let _ = rustix::process::kill_process(process, Signal::KILL);
                lastword::give_up(worker, c"stalled")
            }
            Ready::Ended => answer.hand_on(worker, process),
        }
    }
}

enum Ready {
    Words,
    Ended,
    Late,
}

fn wait(worker: &Worker, ended: &OwnedFd) -> Ready {
    let left = worker.left().map_or(START, |left| left + MARGIN);
    let timeout = Timespec::try_from(left).ok();
    let mut fds = [worker.stdout.as_fd(), worker.stderr.as_fd(), ended.as_fd()]
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN));
    match poll(&mut fds, timeout.as_ref()) {
        Ok(0) if worker.left().is_none_or(|left| left.is_zero()) => Ready::Late,
        Ok(_) if fds.last().is_some_and(|fd| !fd.revents().is_empty()) => Ready::Ended,
        _ => Ready::Words,
    }
}

#[derive(Default)]
struct Answer {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Answer {
    /// Takes what the worker has written so far.
    fn collect(&mut self, worker: &Worker) {
        collect(&worker.stdout, &mut self.stdout);
        collect(&worker.stderr, &mut self.stderr);
    }

    /// Says what the worker said, if it ended by itself.
    fn hand_on(&self, worker: &Worker, process: Pid) -> ! {
        let status = rustix::process::waitpid(Some(process), WaitOptions::NOHANG);
        let code = status.ok().flatten().and_then(|(_, status): (_, WaitStatus)| status.exit_status());
        let Some(code) = code.and_then(|code| u8::try_from(code).ok()) else {
            lastword::give_up(worker, c"killed")
        };
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        lastword::speak(&text(&self.stdout), &text(&self.stderr), code)
    }
}

fn collect(pipe: &OwnedFd, text: &mut Vec<u8>) {
    let mut piece = [0; 16 << 10];
    while text.len() < LONGEST {
        match rustix::io::read(pipe, &mut piece) {
            Ok(count) if count > 0 => text.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(rustix::io::Errno::INTR) => {}
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On any machine: where the quick look says that nothing can stall, the table says so, too.
    #[test]
    fn kinds_and_table_agree() {
        assert!(may_stall() == is_any_remote());
    }

    #[test]
    fn remote_file_systems_are_known_by_their_line() {
        for (kind, place, remote) in [
            ("ext4", "/", false),
            ("btrfs", "/home", false),
            ("fusectl", "/sys/fs/fuse/connections", false),
            ("autofs", "/proc/sys/fs/binfmt_misc", false),
            ("fuse.gvfsd-fuse", "/run/user/1000/gvfs", false),
            ("autofs", "/net", true),
            ("fuse.sshfs", "/home/u/far", true),
            ("fuse", "/mnt", true),
            ("nfs4", "/home", true),
            ("cifs", "/mnt/a\\040b", true),
        ] {
            let line =
                format!("36 35 98:0 / {place} rw,noatime master:1 shared:2 - {kind} /dev/root rw,errors=x");
            assert_eq!(is_remote(&line), remote, "{line}");
        }
        assert!(!is_remote(""));
    }
}
