//! The status line in Claude Code's settings.

use std::path::Path;

use anyhow::{Context, anyhow};
use tollgate_agents::install::{Target, add_status_line, remove_status_line};

use crate::out;
use crate::report::tilde;

/// A settings file whose status line is to be changed.
pub struct StatusLine {
    target: Target,
    text: String,
}

impl StatusLine {
    /// Ours, to be added to a settings file, after whichever is there; `None` where ours is there already.
    pub fn adding(settings: &Path, program: &Path) -> anyhow::Result<Option<Self>> {
        Self::changed(settings, |text| add_status_line(text, &program.to_string_lossy()))
    }

    /// Ours, to be taken out of a settings file; `None` where it is not there.
    pub fn removing(settings: &Path) -> anyhow::Result<Option<Self>> {
        Self::changed(settings, remove_status_line)
    }

    fn changed(
        settings: &Path,
        change: impl FnOnce(&str) -> Result<Option<String>, String>,
    ) -> anyhow::Result<Option<Self>> {
        let target = Target::open(settings)?;
        let bytes = target.found.as_ref().map(|found| found.bytes.clone()).unwrap_or_default();
        let after = String::from_utf8(bytes)
            .map_err(|_| "it is not UTF-8 text".to_owned())
            .and_then(|text| change(&text));
        let after = after.map_err(|why| anyhow!("{why}"));
        let text =
            after.with_context(|| format!("cannot change the status line in `{}`", settings.display()))?;
        Ok(text.map(|text| Self { target, text }))
    }

    /// Tells what would change.
    pub fn show(&self, home: &Path) {
        let file = tilde(&self.target.named, home);
        out::line(&format!("  {file}: the status line, after the one that is there"));
    }

    /// Writes it.
    pub fn apply(&self) -> anyhow::Result<()> {
        Ok(self.target.replace(self.text.as_bytes())?)
    }
}
