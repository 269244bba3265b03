//! The user's policy file: written when there is none, and never touched when there is one.

use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tollgate_policy::{FILE_NAME, TEMPLATE};

use super::ModeName;
use crate::out;
use crate::report::tilde;

/// The user's policy file, there or to be written.
pub struct PolicyFile {
    path: PathBuf,
    mode: Option<ModeName>,
    found: bool,
}

impl PolicyFile {
    /// Looks for it.
    pub fn new(config: &Path, mode: Option<ModeName>) -> Self {
        let path = config.join(FILE_NAME);
        // A dangling link, or a file that cannot be looked at, is someone's too.
        let found = !path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        Self { path, mode, found }
    }

    /// Is it to be written?
    pub fn is_new(&self) -> bool {
        !self.found
    }

    fn mode_name(&self) -> &'static str {
        match self.mode {
            Some(ModeName::Observe) => "observe",
            _ => "enforce",
        }
    }

    /// Tells what happens to it.
    pub fn show(&self, home: &Path) {
        let path = tilde(&self.path, home);
        match (self.found, self.mode) {
            (false, _) => out::line(&format!("  {path}  (new file, mode: {})", self.mode_name())),
            (true, None) => out::line(&format!("  {path}  (stays as it is)")),
            (true, Some(_)) => out::line(&format!(
                "  {path}  (stays as it is; set `mode: {}` in it yourself)",
                self.mode_name()
            )),
        }
    }

    fn text(&self) -> String {
        let set = format!("mode: {}", self.mode_name());
        let line = |line: &str| if line.starts_with("# mode: ") { set.clone() } else { line.to_owned() };
        let mut text = TEMPLATE.lines().map(line).collect::<Vec<_>>().join("\n");
        if !text.contains(&format!("\n{set}")) {
            text.push_str(&format!("\n{set}"));
        }
        text.push('\n');
        text
    }

    /// Writes it.
    pub fn write(&self) -> anyhow::Result<()> {
        if self.found {
            return Ok(());
        }
        let failed = || format!("cannot write `{}`", self.path.display());
        if let Some(dir) = self.path.parent() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).with_context(failed)?;
        }
        let mut options = std::fs::OpenOptions::new();
        let mut file =
            options.write(true).create_new(true).mode(0o600).open(&self.path).with_context(failed)?;
        file.write_all(self.text().as_bytes()).with_context(failed)
    }
}
