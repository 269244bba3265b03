//! Descriptions of containers: compose files and manifests of clusters.

use tollgate_shell::value::Text;

use super::{Mount, infra, inside, is_socket, note_mount};
use crate::commands::Run;
use crate::elsewhere::Elsewhere;
use crate::word::Word;
use crate::yaml;

/// What a description of containers asks for, by the lines that say so in compose files and in manifests: to be let out
/// of the container, or the machine's own folders.
pub(in crate::commands) fn described(run: &mut Run, text: &str) {
    for entry in text.lines().map(dense) {
        let entry = entry.trim_start_matches('-');
        if let Some(wall) = WALLS.iter().find(|wall| entry.split(['{', ',', '}']).any(|part| part == **wall))
        {
            infra(run, "unconfined", wall);
        }
    }
    for mount in mounts(run, text) {
        note_mount(run, &mount);
    }
}

/// Runs the commands of a compose file with the folders that it puts into its containers.
pub(super) fn started(run: &mut Run, text: &str) {
    let mut there = Elsewhere::new(run.analyst.world);
    for mount in mounts(run, text) {
        there.mount(&mount.there, Text::literal(&mount.here.shown()), mount.read_only);
    }
    for command in yaml::commands(text) {
        let words = ["sh", "-c", &command].map(|word| Word::literal_at(word, run.call.span));
        inside(run, there.clone(), None, &words);
    }
}

/// Does a description give a container the whole machine, or a whole home, to write in?
pub(crate) fn opened(text: &str) -> Option<String> {
    let whole = |folder: &Folder| {
        matches!(
            folder.here.trim_end_matches('/'),
            "" | "~" | "$HOME" | "${HOME}" | "/home" | "/root" | "/etc"
        )
    };
    let folders = folders(text);
    if let Some(found) = folders.iter().find(|folder| whole(folder) && !folder.read_only) {
        return Some(format!("gives a container `{}` to write in", found.here));
    }
    // Many a proxy is given the socket to look at; none needs the machine's rights as well.
    let socket = folders.iter().find(|folder| is_socket(&folder.here) && !folder.read_only)?;
    let unconfined = text.lines().map(dense).any(|line| WALLS.contains(&line.trim_start_matches('-')));
    unconfined.then(|| format!("gives a container `{}` and all rights", socket.here))
}

/// Lines that let a container out.
const WALLS: [&str; 4] = ["privileged:true", "pid:host", "hostPID:true", "userns_mode:host"];

/// A folder of the machine, as a description names it.
struct Folder {
    here: String,
    there: String,
    read_only: bool,
}

/// The folders that a description puts into containers: `here:there[:ro]`, `source: here`, `hostPath: path: here`.
fn folders(text: &str) -> Vec<Folder> {
    let mut folders = Vec::new();
    let mut host_path = false;
    for dense in text.lines().map(dense) {
        let entry = dense.trim_start_matches('-');
        let lists = entry.trim_start_matches("volumes:").split(['[', ',', ']']);
        folders.extend(lists.filter_map(short));
        let named = entry.strip_prefix("path:").filter(|_| host_path);
        let source = entry.strip_prefix("source:");
        folders.extend(named.or(source).filter(|here| is_folder(here)).map(|here| Folder {
            here: here.to_owned(),
            there: here.to_owned(),
            read_only: false,
        }));
        host_path = entry.starts_with("hostPath:");
    }
    folders
}

/// `here:there[:options]`.
fn short(mount: &str) -> Option<Folder> {
    let (here, rest) = mount.split_once(":/")?;
    let (there, options) = rest.split_once(':').unwrap_or((rest, ""));
    let read_only = options.split(',').any(|option| option == "ro");
    is_folder(here).then(|| Folder { here: here.to_owned(), there: format!("/{there}"), read_only })
}

/// A name without a slash is a volume.
fn is_folder(here: &str) -> bool {
    here.starts_with(['/', '~', '.'])
        || here.starts_with("$HOME")
        || here.starts_with("${HOME}")
        || here.starts_with("$PWD")
        || here.starts_with("${PWD}")
}

fn mounts(run: &Run, text: &str) -> Vec<Mount> {
    let world = run.analyst.world;
    let full = |here: &str| {
        let home = ["${HOME}", "$HOME", "~"].iter().find_map(|start| here.strip_prefix(start));
        let project = ["${PWD}", "$PWD", "."].iter().find_map(|start| here.strip_prefix(start));
        match (home, project) {
            (Some(rest), _) => format!("{}{rest}", world.home()),
            (None, Some(rest)) => format!("{}/{}", world.workspace(), rest.trim_start_matches('/')),
            (None, None) => here.to_owned(),
        }
    };
    let mount = |folder: Folder| Mount {
        here: Word::literal_at(&full(&folder.here), run.call.span),
        there: folder.there,
        read_only: folder.read_only,
    };
    folders(text).into_iter().map(mount).collect()
}

/// A line without blanks and quotes.
fn dense(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'')).collect()
}
