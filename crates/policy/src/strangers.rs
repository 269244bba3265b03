//! Can anybody but its owner write a file? Asked of the files that may loosen.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;

const GROUP_WRITES: u32 = 0o020;
const WORLD_WRITES: u32 = 0o002;

/// Why an open policy file cannot be believed where it loosens: whose it is, or who else may write it.
pub(crate) fn doubt(file: &File, metadata: &Metadata) -> Option<String> {
    let (owner, mode) = (metadata.uid(), metadata.mode() & 0o7777);
    if owner != rustix::process::geteuid().as_raw() && owner != 0 {
        return Some(format!("belongs to another user (uid {owner})"));
    }
    if mode & WORLD_WRITES != 0 {
        return Some(format!("can be written by everybody (mode {mode:04o}; `chmod go-w` it)"));
    }
    if mode & GROUP_WRITES != 0 && (has_acl(file) || !is_own_group(owner, metadata.gid())) {
        return Some(format!("can be written by others of its group (mode {mode:04o}; `chmod go-w` it)"));
    }
    None
}

/// An access list may name anybody; with one, the group's bits only say the most that it grants.
fn has_acl(file: &File) -> bool {
    rustix::fs::fgetxattr_query(file, c"system.posix_acl_access").is_ok_and(|length| length > 0)
}

fn is_own_group(owner: u32, group: u32) -> bool {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    is_alone(owner, group, &read("/etc/passwd"), &read("/etc/group"))
}

/// Is the group the owner's own, with nobody else in it? An owner or group that the files do not know is not.
fn is_alone(owner: u32, group: u32, passwd: &str, groups: &str) -> bool {
    let is = |text: &str, number: u32| text.parse() == Ok(number);
    let users = passwd.lines().filter_map(|line| match line.split(':').collect::<Vec<_>>().as_slice() {
        [name, _, uid, gid, ..] if is(gid, group) => Some((*name, is(uid, owner))),
        _ => None,
    });
    let (own, others): (Vec<_>, Vec<_>) = users.partition(|(_, is_owner)| *is_owner);
    let members = groups.lines().find_map(|line| match line.split(':').collect::<Vec<_>>().as_slice() {
        [_, _, gid, members, ..] if is(gid, group) => Some(*members),
        _ => None,
    });
    let is_own = |member: &str| member.is_empty() || own.iter().any(|(name, _)| *name == member);
    !own.is_empty() && others.is_empty() && members.is_some_and(|members| members.split(',').all(is_own))
}

#[cfg(test)]
mod tests {
    use super::is_alone;

    #[test]
    fn f24_who_is_in_a_group() {
        let passwd = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\nbob:x:1001:100::/home/bob:/bin/sh\neve:x:1002:100::/:/bin/sh\nbroken";
        let group = "root:x:0:\nada:x:1000:\nusers:x:100:\nwheel:x:10:ada\nself:x:1003:ada\nbroken:";
        for (owner, gid, alone) in [
            (1000, 1000, true),
            (0, 0, true),
            (1001, 100, false),
            (1000, 10, false),
            (1000, 1003, false),
            (1000, 100, false),
            (4242, 4242, false),
        ] {
            assert_eq!(is_alone(owner, gid, passwd, group), alone, "uid {owner} gid {gid}");
        }
        assert!(is_alone(1000, 1000, passwd, "ada:x:1000:ada"));
        assert!(!is_alone(1000, 1000, passwd, "ada:x:1000:ada,bob"));
        assert!(!is_alone(1000, 1000, passwd, ""));
        assert!(!is_alone(1000, 1000, "", group));
    }

    #[test]
    fn f24_an_access_list_may_name_a_stranger() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::tempfile().unwrap();
        file.set_permissions(PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(super::doubt(&file, &file.metadata().unwrap()), None);
        // Version 2; owner rw, user 4242 rw, group r, mask rw, others r.
        let entries =
            [(1u16, 6u16, u32::MAX), (2, 6, 4242), (4, 4, u32::MAX), (16, 6, u32::MAX), (32, 4, u32::MAX)];
        let mut list = 2u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            list.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            list.extend(id.to_le_bytes());
        }
        let set =
            rustix::fs::fsetxattr(&file, c"system.posix_acl_access", &list, rustix::fs::XattrFlags::empty());
        if set.is_ok() {
            let doubt = super::doubt(&file, &file.metadata().unwrap());
            assert!(doubt.is_some_and(|why| why.contains("others of its group (mode 0664")));
        }
    }
}
