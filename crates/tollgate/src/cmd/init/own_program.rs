//! The program that agents are told to start. One that `npx`, `uvx` and their like put into a cache is gone when the cache is
//! emptied, so `init` copies it to where it stays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::out;
use crate::report::{heading, tilde};

/// Where the program lies, and where it is to stay.
pub struct OwnProgram {
    from: PathBuf,
    to: PathBuf,
}

impl OwnProgram {
    /// `to` is what agents are told to start.
    pub fn new(from: PathBuf, to: PathBuf) -> Self {
        Self { from, to }
    }

    /// Is there something to copy?
    pub fn changes(&self) -> bool {
        self.from != self.to && !has_same_bytes(&self.from, &self.to)
    }

    /// Tells what happens to it.
    pub fn show(&self, home: &Path) {
        if self.changes() {
            heading("Program");
            let (from, to) = (tilde(&self.from, home), tilde(&self.to, home));
            out::line(&format!("  {to}  (copy of {from}, which lies in a cache)"));
        }
    }

    /// Copies it. A hook that is running keeps the old file: it is replaced, never overwritten.
    pub fn write(&self) -> anyhow::Result<()> {
        if !self.changes() {
            return Ok(());
        }
        let failed = || format!("cannot copy this program to `{}`", self.to.display());
        let fresh = self.to.with_file_name(format!(".tollgate-{}", std::process::id()));
        if let Some(folder) = self.to.parent() {
            fs::create_dir_all(folder).with_context(failed)?;
        }
        fs::copy(&self.from, &fresh).with_context(failed)?;
        fs::rename(&fresh, &self.to).with_context(failed)
    }
}

/// Where this program stays for good: where it is, unless that is a cache.
pub fn lasting_place(program: &Path, home: &Path) -> PathBuf {
    if is_in_cache(program) { home.join(".local/bin/tollgate") } else { program.to_owned() }
}

/// Folders that `npx`, `pnpm dlx`, `bunx`, `uvx` and `pipx run` make for one run.
fn is_in_cache(program: &Path) -> bool {
    let folders = program.parent().into_iter().flat_map(Path::components);
    folders.map(|folder| folder.as_os_str().to_string_lossy().into_owned()).any(|name| {
        ["_npx", "dlx", ".cache", "archive-v0"].contains(&name.as_str()) || name.starts_with("bunx-")
    })
}

fn has_same_bytes(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::lasting_place;

    #[test]
    fn only_what_lies_in_a_cache_is_copied() {
        let place = |program: &str| lasting_place(Path::new(program), Path::new("/home/a"));
        for cached in [
            "/home/a/.npm/_npx/0f1e/node_modules/@tollgate/linux-x64/bin/tollgate",
            "/home/a/.cache/uv/archive-v0/Xy/bin/tollgate",
            "/data/uv/archive-v0/Xy/bin/tollgate",
            "/home/a/.cache/pnpm/dlx/1/node_modules/@tollgate/linux-x64/bin/tollgate",
            "/tmp/bunx-0-tollgate@latest/node_modules/@tollgate/linux-x64/bin/tollgate",
        ] {
            assert_eq!(place(cached), Path::new("/home/a/.local/bin/tollgate"), "{cached}");
        }
        for lasting in ["/usr/bin/tollgate", "/home/a/.cargo/bin/tollgate", "/tmp/x/target/debug/tollgate"] {
            assert_eq!(place(lasting), Path::new(lasting));
        }
    }
}
