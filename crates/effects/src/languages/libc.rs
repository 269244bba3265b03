//! What the functions of C's library do: for programs in C, and for those that reach for it from another language.

use super::ops::Op;

/// What a function does, by its name.
pub(super) fn function(name: &str) -> Option<Op> {
    Some(match name {
        "system" => Op::Shell,
        "popen" => Op::ShellOut,
        "execl" | "execlp" | "execle" => Op::ExecWords(0),
        "execv" | "execvp" | "execve" | "execvpe" => Op::ExecList(0),
        "posix_spawn" | "posix_spawnp" => Op::ExecList(1),
        "unlink" | "remove" | "rmdir" => Op::Delete,
        "rename" => Op::Move,
        "link" | "symlink" => Op::Link,
        "truncate" => Op::Truncate,
        "creat" => Op::Create,
        "fopen" | "freopen" | "open" => Op::Open,
        "chmod" | "chown" => Op::Permission,
        "kill" => Op::Kill,
        "fork" | "vfork" => Op::Fork,
        "reboot" => Op::Power,
        _ => return None,
    })
}
