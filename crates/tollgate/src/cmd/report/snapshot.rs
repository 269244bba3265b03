//! Figures that were kept, to compare with.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

use super::data::{Figure, Report, Unit};

/// Keeps the figures of a report under a name. A new file takes the place of the old one at once.
pub fn write(state: &Path, name: &str, report: &Report) -> anyhow::Result<()> {
    let path = path(state, name)?;
    let folder = path.parent().unwrap_or(state);
    if folder.is_symlink() {
        bail!("`{}` is a link, and nothing is written through it", folder.display());
    }
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    // A folder of an older version is open to others where the umask was.
    let closed = made.and_then(|()| std::fs::set_permissions(folder, Permissions::from_mode(0o700)));
    closed.with_context(|| format!("cannot make `{}`", folder.display()))?;
    let temporary = folder.join(format!(".{}-{name}", std::process::id()));
    let open = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
    let written = open
        .and_then(|mut file| file.write_all(report.value().to_string().as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, &path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.with_context(|| format!("cannot write `{}`", path.display()))
}

/// The figures that were kept under a name.
pub fn read(state: &Path, name: &str) -> anyhow::Result<Vec<Figure>> {
    let path = path(state, name)?;
    let text = std::fs::read(&path)
        .with_context(|| format!("nothing was kept under `{name}`; `tollgate report --save {name}` does"))?;
    let value: Value =
        serde_json::from_slice(&text).with_context(|| format!("`{}` is damaged", path.display()))?;
    let figures = value.get("figures").and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(figures.iter().filter_map(figure).collect())
}

fn figure(value: &Value) -> Option<Figure> {
    Some(Figure {
        name: value.get("name")?.as_str()?.to_owned(),
        value: value.get("value")?.as_f64()?,
        unit: Unit::named(value.get("unit")?.as_str()?),
        before: None,
        detail: false,
        least: false,
    })
}

fn path(state: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty()
        || name.len() > 64
        || name.starts_with('.')
        || !name.chars().all(plain)
        || name == "previous"
    {
        bail!("`{name}` is no name for figures; use letters, digits, `-`, `_` and `.`");
    }
    Ok(state.join("reports").join(format!("{name}.json")))
}
