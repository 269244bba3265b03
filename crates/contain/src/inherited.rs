//! What the process was handed when it started: an open file, folder or socket is a way around every limit on paths.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

/// Lets no file descriptor go on to the command but the three standard ones, pipes (a shell's `<(…)`, a build's job server), and
/// further names of the standard ones.
pub fn close() {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else {
        tollgate_lastword::close_all_on_exec();
        return;
    };
    let standard: Vec<(u64, u64)> = (0..3).filter_map(identity).collect();
    let open = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for descriptor in open.filter(|descriptor| *descriptor > 2) {
        if !is_pipe(descriptor) && !identity(descriptor).is_some_and(|own| standard.contains(&own)) {
            tollgate_lastword::close_on_exec(descriptor);
        }
    }
}

fn is_pipe(descriptor: i32) -> bool {
    metadata(descriptor).is_some_and(|found| found.file_type().is_fifo())
}

fn identity(descriptor: i32) -> Option<(u64, u64)> {
    metadata(descriptor).map(|found| (found.dev(), found.ino()))
}

fn metadata(descriptor: i32) -> Option<fs::Metadata> {
    fs::metadata(format!("/proc/self/fd/{descriptor}")).ok()
}
