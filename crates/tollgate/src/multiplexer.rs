//! Is anybody looking at a terminal of tmux? Its server is nobody's child, so what started it cannot be told. An agent can
//! start one, with a clean environment, and type into it; a person has a client attached.

use std::collections::HashSet;
use std::fs;

/// The name that tmux gives its processes.
const SERVER: &str = "tmux: server";
const CLIENT: &str = "tmux: client";

/// Is this the name of a tmux server?
pub fn is_server(name: &str) -> bool {
    name == SERVER
}

/// How many are attached to a server. None where that cannot be known.
pub fn attached(server: i32) -> Option<usize> {
    let sockets = fs::read_to_string("/proc/net/unix").ok()?;
    let files = fs::read_dir(format!("/proc/{server}/fd")).ok()?;
    let links = files.flatten().filter_map(|file| fs::read_link(file.path()).ok());
    let own: HashSet<String> = links.filter_map(|link| inode(link.to_str()?)).collect();
    Some(connections(&sockets, &own))
}

/// The processes of tmux clients.
pub fn clients() -> Vec<i32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let named =
        |pid: &i32| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == CLIENT);
    pids.filter(named).collect()
}

fn inode(link: &str) -> Option<String> {
    link.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned)
}

/// Connected sockets among these that bear the server's path: one for each client.
fn connections(table: &str, own: &HashSet<String>) -> usize {
    let connected = |line: &&str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        matches!(fields.as_slice(), [_, _, _, _, _, "03", inode, _, ..] if own.contains(*inode))
    };
    table.lines().filter(connected).count()
}

#[cfg(test)]
mod tests {
    use super::{connections, inode};

    #[test]
    fn clients_are_counted_in_the_table_of_sockets() {
        let table = "Num RefCount Protocol Flags Type St Inode Path\n\
            0000: 00000002 00000000 00010000 0001 01 100 /tmp/tmux-0/default\n\
            0000: 00000003 00000000 00000000 0001 03 101 /tmp/tmux-0/default\n\
            0000: 00000003 00000000 00000000 0001 03 102\n\
            0000: 00000003 00000000 00000000 0001 03 103 /run/other\n";
        let own = |numbers: &[&str]| numbers.iter().map(|number| (*number).to_owned()).collect();
        assert_eq!(
            connections(table, &own(&["100", "101", "102"])),
            1,
            "the listening one is none, nor its peer"
        );
        assert_eq!(connections(table, &own(&["100"])), 0);
        assert_eq!(inode("socket:[12]").as_deref(), Some("12"));
        assert_eq!(inode("/dev/null"), None);
    }
}
