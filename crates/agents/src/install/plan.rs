//! What installing and uninstalling would change in one settings file, and doing it.

use super::adopt::{Adoption, Reading, put_back};
use super::backup::{Backups, Manifest, hash};
use super::doc::{Doc, EditError};
use super::edit::{Edited, Entry, insert};
use super::file::{FileError, Target, io_error};
use super::status::{Ours, Status};
use super::strip::strip;
use super::toml::{self, Table};
use std::path::{Path, PathBuf};
use tollgate_model::json::Value;

/// Why a settings file was left alone.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The file itself.
    #[error(transparent)]
    File(#[from] FileError),
    /// What is in it.
    #[error("{}:{error}; nothing was changed", path.display())]
    Edit {
        /// Which file.
        path: PathBuf,
        /// Where and what.
        error: EditError,
    },
    /// A file of somebody else's is where ours would go.
    #[error("`{}` is there and not Tollgate's; move it away and run the command again", .0.display())]
    NotOurs(PathBuf),
    /// What is in it.
    #[error("{}: {what}; nothing was changed", path.display())]
    Toml {
        /// Which file.
        path: PathBuf,
        /// What.
        what: String,
    },
    /// It is no text, or its name is none.
    #[error("`{}` is not UTF-8 text; nothing was changed", .0.display())]
    NotText(PathBuf),
}

/// What a settings file is for.
#[derive(Clone, Copy, Debug)]
pub struct Site<'a> {
    /// The agent's name.
    pub agent: &'a str,
    /// The settings file.
    pub settings: &'a Path,
    /// The gate's state directory, for the backup.
    pub state: &'a Path,
    /// Which handlers are ours.
    pub ours: Ours,
    /// What a new file holds beside our entries; usually nothing.
    pub blank: &'static str,
    /// Rewrites entries that the agent would skip; none where nothing is known to be skipped.
    pub repair: Option<Repair>,
}

/// Rewrites the entries of a settings file that the agent would skip.
pub type Repair = fn(&str) -> Result<Repaired, EditError>;

/// A settings file in which the agent reads every entry that could be repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// The new text.
    pub text: String,
    /// What was rewritten, one line each; empty when nothing was.
    pub changes: Vec<String>,
}

/// An installation that has not happened yet.
#[derive(Debug)]
pub struct Plan {
    /// The settings file.
    pub target: Target,
    /// How it compares with what is wanted.
    pub status: Status,
    /// The new text; none when everything is as wanted.
    pub edited: Option<Edited>,
    /// The hooks of other people's, as far as the gate takes them over.
    pub adoption: Adoption,
    /// The entries of other people's that are rewritten because the agent would skip them.
    pub repairs: Vec<String>,
    base: Option<Vec<u8>>,
    manifest: Manifest,
    backups: Backups,
}

impl Plan {
    /// Works out how to get the entries into a settings file. With a reading, other people's hooks are taken over;
    /// those that were before stay so.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn install(site: Site, entries: &[Entry], adopt: &Adopt) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let old = backups.manifest(site.settings);
        let text = text_of(&target)?;
        let status = Status::of(&settings_value(site.settings, text)?, entries, site.ours);
        let base = match text {
            Some(text) => base(site, &backups, old.as_ref(), text)?,
            None => None,
        };
        let again = old.as_ref().is_some_and(|old| !old.adopted.is_empty());
        let repaired = repaired(site, base.as_deref().unwrap_or(site.blank))?;
        let adoption = match adopt {
            Adopt::Now(reading) => adoption(site, &repaired.text, reading)?,
            Adopt::Again(reading) if again => adoption(site, &repaired.text, reading)?,
            _ => Adoption::default(),
        };
        let bare = adoption.strip(&repaired.text).map_err(in_file(site.settings))?;
        let wanted = insert(&bare, entries).map_err(in_file(site.settings))?;
        let made_dirs = if target.found.is_some() { old.map(|old| old.made_dirs) } else { None };
        let manifest = Manifest {
            events: entries.iter().map(|entry| entry.event.clone()).collect(),
            adopted: adoption.taken.iter().map(|taken| taken.entry.clone()).collect(),
            made_dirs: made_dirs.unwrap_or_else(|| target.missing_dirs()),
            ..manifest(site, base.as_deref(), &wanted)
        };
        let has_more = text.is_some_and(|text| adoption.is_in(text));
        let broken = !repaired.changes.is_empty() && !repaired_already(site, text)?;
        let edited = (!status.is_current() || has_more || broken).then_some(wanted);
        let base = base.map(String::into_bytes);
        let repairs = if edited.is_some() { repaired.changes } else { Vec::new() };
        Ok(Self { target, status, edited, adoption, repairs, base, manifest, backups })
    }

    /// Works out how to get a file there that is all ours.
    ///
    /// # Errors
    /// When somebody else's file is in its place.
    pub fn whole(site: Site, wanted: &str) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let old = backups.manifest(site.settings);
        let text = text_of(&target)?;
        let known =
            |text: &str| is_whole(text) || old.as_ref().is_some_and(|old| old.after == hash(text.as_bytes()));
        if text.is_some_and(|text| !known(text)) {
            return Err(InstallError::NotOurs(site.settings.to_owned()));
        }
        let status = match text {
            Some(text) if text == wanted => {
                Status { ours: 1, current: vec![FILE.to_owned()], ..Status::default() }
            }
            Some(_) => Status { ours: 1, stale: vec![FILE.to_owned()], ..Status::default() },
            None => Status { missing: vec![FILE.to_owned()], ..Status::default() },
        };
        Ok(Self::of(site, target, backups, status, None, wanted.to_owned()))
    }

    /// Works out how to get tables into a TOML file.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn tables(site: Site, tables: &[Table]) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let old = backups.manifest(site.settings);
        let text = text_of(&target)?;
        let headers = toml::headers(tables, old.as_ref());
        let base = text.map(|text| match old.as_ref().filter(|old| old.after == hash(text.as_bytes())) {
            Some(old) => backups.bytes(old).and_then(|bytes| String::from_utf8(bytes).ok()),
            None => Some(toml::without(text, &headers)),
        });
        let base = base.flatten();
        let wanted = toml::with(base.as_deref().unwrap_or(""), tables)
            .map_err(|what| InstallError::Toml { path: site.settings.to_owned(), what })?;
        let names = |found: bool| {
            let held = |table: &&Table| text.is_some_and(|text| toml::holds(text, table)) == found;
            tables.iter().filter(held).map(|table| table.header.clone()).collect::<Vec<_>>()
        };
        let status = Status { current: names(true), missing: names(false), ..Status::default() };
        let mut plan = Self::of(site, target, backups, status, base, wanted);
        plan.manifest.created = tables.iter().map(|table| table.header.clone()).collect();
        Ok(plan)
    }

    fn of(
        site: Site,
        target: Target,
        backups: Backups,
        status: Status,
        base: Option<String>,
        text: String,
    ) -> Self {
        let edited = Edited { text, inserted: Vec::new(), created: Vec::new() };
        let old = backups.manifest(site.settings).filter(|_| target.found.is_some());
        let made_dirs = old.map_or_else(|| target.missing_dirs(), |old| old.made_dirs);
        let manifest = Manifest { made_dirs, ..manifest(site, base.as_deref(), &edited) };
        let edited = (!status.is_current()).then_some(edited);
        let base = base.map(String::into_bytes);
        let (adoption, repairs) = (Adoption::default(), Vec::new());
        Self { target, status, edited, adoption, repairs, base, manifest, backups }
    }

    /// Where the backup goes.
    #[must_use]
    pub fn backup(&self) -> PathBuf {
        self.backups.folder(&self.manifest.path)
    }

    /// Backs up and edits.
    ///
    /// # Errors
    /// When either cannot be done; the settings file is then as it was.
    pub fn apply(&self) -> Result<(), InstallError> {
        let Some(edited) = &self.edited else { return Ok(()) };
        let found = self.target.found.as_ref().map(|found| &found.bytes);
        for bytes in [found, self.base.as_ref()].into_iter().flatten() {
            self.backups.keep(&self.manifest.path, bytes)?;
        }
        self.backups.save(&self.manifest)?;
        for dir in self.target.missing_dirs() {
            std::fs::create_dir(&dir).map_err(io_error("make", &dir))?;
        }
        Ok(self.target.replace(edited.text.as_bytes())?)
    }
}

/// Are other people's hooks taken over?
#[derive(Clone, Debug)]
pub enum Adopt {
    /// No.
    Never,
    /// If they were before.
    Again(Reading),
    /// Yes.
    Now(Reading),
}

fn adoption(site: Site, text: &str, reading: &Reading) -> Result<Adoption, InstallError> {
    Ok(Adoption::of(&settings_value(site.settings, Some(text))?, reading, site.settings))
}

fn repaired(site: Site, text: &str) -> Result<Repaired, InstallError> {
    match site.repair {
        Some(repair) => repair(text).map_err(in_file(site.settings)),
        None => Ok(Repaired { text: text.to_owned(), changes: Vec::new() }),
    }
}

/// Is there nothing to repair in the file as it stands?
fn repaired_already(site: Site, text: Option<&str>) -> Result<bool, InstallError> {
    Ok(repaired(site, text.unwrap_or_default())?.changes.is_empty())
}

/// How a settings file gets rid of our entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// Nothing of ours is there.
    Nothing,
    /// The file is as we wrote it: its old bytes come back.
    Restore(Vec<u8>),
    /// The file is as we made it: it goes.
    Delete,
    /// The file was changed since: only our entries go.
    Edit(String),
}

/// An uninstallation that has not happened yet.
#[derive(Debug)]
pub struct Removal {
    /// The settings file.
    pub target: Target,
    /// What happens to it.
    pub undo: Undo,
    /// How many handlers of ours are there.
    pub handlers: usize,
    /// How many hooks of other people's come back.
    pub adopted: usize,
    made_dirs: Vec<PathBuf>,
    backups: Backups,
}

impl Removal {
    /// Works out how to get our entries out of a settings file.
    ///
    /// # Errors
    /// When the file cannot be edited safely.
    pub fn plan(site: Site) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let manifest = backups.manifest(site.settings);
        let text = text_of(&target)?;
        let handlers = Status::of(&settings_value(site.settings, text)?, &[], site.ours).ours;
        let adopted = manifest.as_ref().map_or(0, |manifest| manifest.adopted.len());
        let undo = match text {
            Some(text) if handlers + adopted > 0 => undo(site, &backups, manifest.as_ref(), text)?,
            _ => Undo::Nothing,
        };
        let made_dirs = manifest.map(|manifest| manifest.made_dirs).unwrap_or_default();
        Ok(Self { target, undo, handlers, adopted, made_dirs, backups })
    }

    /// Works out how to get rid of a file that is all ours.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn whole(site: Site) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let manifest = backups.manifest(site.settings);
        let ours = text_of(&target)?.is_some_and(|text| {
            is_whole(text) || manifest.as_ref().is_some_and(|old| old.after == hash(text.as_bytes()))
        });
        let made_dirs = manifest.map(|manifest| manifest.made_dirs).unwrap_or_default();
        let undo = if ours { Undo::Delete } else { Undo::Nothing };
        Ok(Self { target, undo, handlers: usize::from(ours), adopted: 0, made_dirs, backups })
    }

    /// Works out how to get our tables out of a TOML file. `tables` are those that would be written now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tables(site: Site, tables: &[Table]) -> Result<Self, InstallError> {
        let target = open(site.settings)?;
        let backups = Backups::in_state(site.state);
        let manifest = backups.manifest(site.settings);
        let headers = toml::headers(tables, manifest.as_ref());
        let text = text_of(&target)?.unwrap_or_default().to_owned();
        let as_written = manifest.as_ref().filter(|old| old.after == hash(text.as_bytes()));
        let without = toml::without(&text, &headers);
        let undo = match as_written {
            Some(old) if old.before.is_none() => Undo::Delete,
            Some(old) => backups.bytes(old).map_or(Undo::Edit(without), Undo::Restore),
            None if without == text => Undo::Nothing,
            None => Undo::Edit(without),
        };
        let made_dirs = manifest.map(|manifest| manifest.made_dirs).unwrap_or_default();
        Ok(Self { target, undo, handlers: headers.len(), adopted: 0, made_dirs, backups })
    }

    /// Does it, and drops the backup. The bytes from before stay when the file was changed since.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn apply(&self) -> Result<(), InstallError> {
        match &self.undo {
            Undo::Nothing => {}
            Undo::Restore(bytes) => self.target.replace(bytes)?,
            Undo::Edit(text) => self.target.replace(text.as_bytes())?,
            Undo::Delete => {
                self.target.delete()?;
                for dir in self.made_dirs.iter().rev() {
                    // Fails when something else lives there by now, as it should.
                    let _ = std::fs::remove_dir(dir);
                }
            }
        }
        Ok(self.backups.forget(&self.target.named, matches!(self.undo, Undo::Edit(_)))?)
    }

    /// Where the bytes from before are, when they stay.
    #[must_use]
    pub fn backup(&self) -> PathBuf {
        self.backups.folder(&self.target.named)
    }
}

/// The settings without our entries; none when there would be no file.
fn base(
    site: Site,
    backups: &Backups,
    old: Option<&Manifest>,
    text: &str,
) -> Result<Option<String>, InstallError> {
    Ok(match undo(site, backups, old, text)? {
        Undo::Nothing => Some(text.to_owned()),
        Undo::Edit(text) => Some(text),
        Undo::Delete => None,
        Undo::Restore(bytes) => {
            Some(String::from_utf8(bytes).map_err(|_| InstallError::NotText(site.settings.to_owned()))?)
        }
    })
}

fn undo(site: Site, backups: &Backups, old: Option<&Manifest>, text: &str) -> Result<Undo, InstallError> {
    let as_written = old.filter(|old| old.after == hash(text.as_bytes()));
    if let Some(manifest) = as_written {
        if manifest.before.is_none() {
            return Ok(Undo::Delete);
        }
        if let Some(bytes) = backups.bytes(manifest) {
            return Ok(Undo::Restore(bytes));
        }
    }
    let created = old.map(|old| old.created.as_slice());
    let stripped = strip(text, &site.ours, created).map_err(in_file(site.settings))?;
    let adopted = old.map(|old| old.adopted.as_slice()).unwrap_or_default();
    let stripped = put_back(&stripped, adopted).map_err(in_file(site.settings))?;
    if stripped == text {
        return Ok(Undo::Nothing);
    }
    let all_ours = settings_value(site.settings, Some(&stripped))?.as_map().is_some_and(<[_]>::is_empty);
    if all_ours && old.is_some_and(|old| old.before.is_none()) {
        return Ok(Undo::Delete);
    }
    Ok(Undo::Edit(stripped))
}

/// Files that are all ours say so in these words.
pub const OWN_MARK: &str = "written by `tollgate init`";

const FILE: &str = "the file";

fn is_whole(text: &str) -> bool {
    text.contains(OWN_MARK)
}

fn manifest(site: Site, base: Option<&str>, wanted: &Edited) -> Manifest {
    Manifest {
        agent: site.agent.to_owned(),
        path: site.settings.to_owned(),
        before: base.map(|base| hash(base.as_bytes())),
        after: hash(wanted.text.as_bytes()),
        created: wanted.created.clone(),
        made_dirs: Vec::new(),
        events: Vec::new(),
        adopted: Vec::new(),
        time: now(),
    }
}

fn open(settings: &Path) -> Result<Target, InstallError> {
    if settings.to_str().is_none() {
        return Err(InstallError::NotText(settings.to_owned()));
    }
    Ok(Target::open(settings)?)
}

fn text_of(target: &Target) -> Result<Option<&str>, InstallError> {
    let text = target.found.as_ref().map(|found| std::str::from_utf8(&found.bytes)).transpose();
    text.map_err(|_| InstallError::NotText(target.named.clone()))
}

fn settings_value(path: &Path, text: Option<&str>) -> Result<Value, InstallError> {
    Ok(Doc::parse(text.unwrap_or("")).map_err(in_file(path))?.value())
}

fn in_file(path: &Path) -> impl Fn(EditError) -> InstallError {
    move |error| InstallError::Edit { path: path.to_owned(), error }
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
