//! Policy bundles: fetched, checked against the keys that this machine trusts, and put in force by turning one link.
//!
//! Below the folder of the fleet: `bundles/DIGEST/` has the files of a bundle, `bundles/DIGEST.json` its signed text,
//! `trust.json` which one is in force and who may sign the next, and `policy` is a link to the files that count. They are
//! written in this order, so that a machine that fails in between has the old policy or can finish the new one.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tollgate_fleet_protocol::{
    Assignment, Bundle, ErrorCode, Installed, SignedBundle, Stage, Welcome, bundle_digest,
};

use crate::client::{Client, Failure};
use crate::clock::now;
use crate::files::{Error, Files};
use crate::machine::Machine;
use crate::member::Member;
use crate::status::{Observation, RefusedBundle, Status};

/// The policy of a machine whose fleet has not sent one: it sets nothing.
const EMPTY: &str = "version: 1\n";
const NONE: &str = "none";
const TRUST: &str = "trust.json";
const BUNDLES: &str = "bundles";
const LINK: &str = "policy";
/// A bundle that was refused is looked at again after so many seconds.
const AGAIN: u64 = 3600;

/// What is in force, and who may sign what comes next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trust {
    /// The bundle.
    pub installed: Installed,
    /// When it ends, in seconds since 1970.
    pub expires: u64,
    /// The minisign keys that may sign the next one.
    pub keys: Vec<String>,
}

impl Trust {
    /// What is in force on the machine of a state directory; `None` before the first bundle.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(state: &Path) -> Result<Option<Self>, Error> {
        Self::read(&Files::of(state))
    }

    pub(crate) fn read(files: &Files) -> Result<Option<Self>, Error> {
        files.read(TRUST)
    }
}

/// Takes away what an earlier membership trusted, if leaving it was cut off.
pub(crate) fn forget(files: &Files) -> Result<(), Error> {
    match fs::remove_file(files.folder.join(TRUST)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(files.fault(TRUST, &error)),
        _ => Ok(()),
    }
}

/// Puts the empty policy in place, so that hooks know of the fleet.
pub(crate) fn begin(files: &Files) -> Result<(), Error> {
    let folder = files.folder.join(BUNDLES).join(NONE);
    make_folder(&folder).map_err(|error| files.fault(BUNDLES, &error))?;
    let policy = folder.join("tollgate.yaml");
    write_file(&policy, EMPTY).map_err(|error| files.fault(BUNDLES, &error))?;
    turn_link(files, NONE)
}

/// Whoever keeps the bundles of a machine.
pub(crate) struct Keeper<'a> {
    pub(crate) files: &'a Files,
    pub(crate) member: &'a Member,
    pub(crate) machine: &'a dyn Machine,
}

/// Why a bundle is not used.
enum Unused {
    /// It is not good, and will not be.
    Refused(String),
    /// It could not be had.
    Failed(Error),
}

impl From<Error> for Unused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Keeper<'_> {
    /// Does what the server says about policies, as far as the signatures allow. Anything that fails leaves the policy in
    /// force.
    pub(crate) fn follow(
        &self,
        client: &Client,
        welcome: &Welcome,
        status: &mut Status,
    ) -> Result<(), Error> {
        self.repair()?;
        let is_offered = |refused: &RefusedBundle| {
            welcome.policies.iter().any(|assignment| assignment.bundle.digest == refused.digest)
        };
        status.refused.retain(is_offered);
        let find = |stage: Stage| welcome.policies.iter().find(|assignment| assignment.stage == stage);
        let enforced = match find(Stage::Enforce) {
            Some(assignment) => self.enforce(client, assignment, status),
            None => Ok(()),
        };
        let observed = self.observe(client, find(Stage::Observe), status);
        self.note_faults(welcome, status)?;
        self.clean(status)?;
        enforced.and(observed)
    }

    /// Finishes what an earlier courier began, and puts back what is not as it was signed.
    pub(crate) fn repair(&self) -> Result<(), Error> {
        let Some(trust) = Trust::read(self.files)? else {
            return if self.link().is_some() { Ok(()) } else { begin(self.files) };
        };
        let digest = &trust.installed.digest;
        if self.link().as_deref() == Some(digest) && self.is_whole(digest) {
            return Ok(());
        }
        let Some(text) = self.signed_text(digest) else {
            return Err(self.files.fault(BUNDLES, &"the bundle in force is damaged, and its text is gone"));
        };
        let bundle = Bundle::parse(&text).map_err(|error| self.files.fault(BUNDLES, &error))?;
        self.write_bundle(&bundle, digest)?;
        turn_link(self.files, digest)?;
        self.machine.policy_changed();
        Ok(())
    }

    fn enforce(&self, client: &Client, wanted: &Assignment, status: &mut Status) -> Result<(), Error> {
        let trust = Trust::read(self.files)?;
        if trust.as_ref().is_some_and(|trust| trust.installed.digest == wanted.bundle.digest) {
            return Ok(());
        }
        self.use_bundle(client, wanted, (trust.as_ref(), status), |bundle, digest| {
            let installed = Installed { version: bundle.version, digest: digest.to_owned() };
            let own = trust.as_ref().map_or(&self.member.policy_keys, |trust| &trust.keys);
            let keys = if bundle.keys.is_empty() { own.clone() } else { bundle.keys.clone() };
            self.files.keep(TRUST, &Trust { installed, expires: bundle.expires, keys })?;
            turn_link(self.files, digest)?;
            self.machine.policy_changed();
            Ok(())
        })
    }

    fn observe(
        &self,
        client: &Client,
        wanted: Option<&Assignment>,
        status: &mut Status,
    ) -> Result<(), Error> {
        let Some(wanted) = wanted else {
            status.observed = None;
            return Ok(());
        };
        let known = status.observed.as_ref().is_some_and(|one| one.bundle.digest == wanted.bundle.digest);
        let trust = Trust::read(self.files)?;
        if known || trust.as_ref().is_some_and(|trust| trust.installed.digest == wanted.bundle.digest) {
            return Ok(());
        }
        status.observed = None;
        let reached = status.head.seq;
        let mut begun = None;
        self.use_bundle(client, wanted, (trust.as_ref(), status), |bundle, digest| {
            let bundle = Installed { version: bundle.version, digest: digest.to_owned() };
            begun = Some(Observation { bundle, reached, calls: 0, refusals: 0 });
            Ok(())
        })?;
        status.observed = begun;
        Ok(())
    }

    /// Fetches a bundle, checks it, writes its files, and hands it on. One that was refused a moment ago is left alone.
    fn use_bundle(
        &self,
        client: &Client,
        wanted: &Assignment,
        (trust, status): (Option<&Trust>, &mut Status),
        then: impl FnOnce(&Bundle, &str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (digest, over) = (&wanted.bundle.digest, trust.map(|trust| trust.installed.digest.as_str()));
        let over = over.unwrap_or_default();
        let stands = |refused: &RefusedBundle| {
            refused.digest == *digest && refused.over == over && now().abs_diff(refused.at) < AGAIN
        };
        if status.refused.iter().any(stands) {
            return Ok(());
        }
        match self.fetch(client, digest, trust) {
            Ok(bundle) => {
                then(&bundle, digest)?;
                status.refused.retain(|refused| refused.digest != *digest);
                Ok(())
            }
            Err(Unused::Refused(why)) => {
                let (digest, over) = (digest.clone(), over.to_owned());
                status.refused.retain(|refused| refused.digest != digest);
                status.refused.push(RefusedBundle { digest, over, at: now(), why });
                Ok(())
            }
            Err(Unused::Failed(error)) => Err(error),
        }
    }

    fn fetch(&self, client: &Client, digest: &str, trust: Option<&Trust>) -> Result<Bundle, Unused> {
        if !is_digest(digest) {
            return Err(Unused::Refused("the server names a bundle by what is no digest".to_owned()));
        }
        let signed: SignedBundle = match client.get(&format!("/v1/bundles/{digest}")) {
            Ok(signed) => signed,
            Err(failure @ Failure::Unreadable(_)) => return Err(Unused::Refused(failure.to_string())),
            Err(failure) if failure.code() == Some(ErrorCode::NotFound) => {
                return Err(Unused::Refused("the server does not have the bundle that it names".to_owned()));
            }
            Err(failure) => return Err(Unused::Failed(failure.into())),
        };
        let bundle = self.check(&signed, digest, trust).map_err(Unused::Refused)?;
        self.write_bundle(&bundle, digest)?;
        self.machine.check_policy(&self.folder(digest)).map_err(|why| {
            Unused::Refused(format!("version {} is no policy of this Tollgate: {why}", bundle.version))
        })?;
        self.keep_text(digest, &signed.bundle)?;
        Ok(bundle)
    }

    /// Everything that can be said of a bundle without its files: whose it is, and whether it may follow.
    fn check(&self, signed: &SignedBundle, digest: &str, trust: Option<&Trust>) -> Result<Bundle, String> {
        if signed.digest() != digest {
            return Err("the server sent another bundle than it named".to_owned());
        }
        let keys = trust.map_or(&self.member.policy_keys, |trust| &trust.keys);
        let bundle = signed.open(keys).map_err(|error| error.to_string())?;
        let whose = (self.member.fleet.as_str(), self.member.group.as_str());
        let update = bundle.check_update(whose, digest, trust.map(|trust| &trust.installed), now());
        update.map_err(|error| error.to_string())?;
        Ok(bundle)
    }

    fn note_faults(&self, welcome: &Welcome, status: &mut Status) -> Result<(), Error> {
        let trust = Trust::read(self.files)?;
        let expired = trust.filter(|trust| now() >= trust.expires);
        status.set_fault(
            "bundle-expired",
            expired.map(|trust| {
                format!(
                    "version {} of the fleet's policy has expired; it stays in force",
                    trust.installed.version
                )
            }),
        );
        let refused: Vec<&str> = status.refused.iter().map(|refused| refused.why.as_str()).collect();
        let refused = (!refused.is_empty()).then(|| refused.join("; "));
        status.set_fault("bundle-refused", refused);
        let group = &welcome.group;
        let moved = !group.is_empty() && *group != self.member.group;
        status.set_fault(
            "group-changed",
            moved.then(|| {
                format!("the server says group `{group}`, but this machine joined `{}`", self.member.group)
            }),
        );
        Ok(())
    }

    /// Where the files of a bundle are.
    pub(crate) fn folder(&self, digest: &str) -> PathBuf {
        self.files.folder.join(BUNDLES).join(digest)
    }

    /// What the link says.
    fn link(&self) -> Option<String> {
        let target = fs::read_link(self.files.folder.join(LINK)).ok()?;
        Some(target.strip_prefix(BUNDLES).ok()?.to_str()?.to_owned())
    }

    /// The text that was signed, as it was kept; `None` unless it is the one with this digest.
    fn signed_text(&self, digest: &str) -> Option<String> {
        let text = fs::read_to_string(self.text_path(digest)).ok()?;
        (bundle_digest(&text) == digest).then_some(text)
    }

    fn text_path(&self, digest: &str) -> PathBuf {
        self.files.folder.join(BUNDLES).join(format!("{digest}.json"))
    }

    fn keep_text(&self, digest: &str, text: &str) -> Result<(), Error> {
        let path = self.text_path(digest);
        let fresh = path.with_extension(format!("new-{}", std::process::id()));
        let written = write_file(&fresh, text).and_then(|()| fs::rename(&fresh, &path));
        written.map_err(|error| self.files.fault(BUNDLES, &error))
    }

    /// Has the folder of a bundle exactly the files that were signed?
    fn is_whole(&self, digest: &str) -> bool {
        let Some(bundle) = self.signed_text(digest).and_then(|text| Bundle::parse(&text).ok()) else {
            return false;
        };
        let folder = self.folder(digest);
        let same = |(name, text): (&String, &String)| {
            fs::read_to_string(folder.join(name)).is_ok_and(|found| found == *text)
        };
        let more = count_files(&folder).is_none_or(|count| count > bundle.files.len());
        bundle.files.iter().all(same) && !more
    }

    /// Writes the files of a bundle beside the others, and puts the folder in place as a whole.
    fn write_bundle(&self, bundle: &Bundle, digest: &str) -> Result<(), Error> {
        let folder = self.folder(digest);
        let fresh = folder.with_extension(format!("new-{}", std::process::id()));
        let write = || {
            make_folder(&fresh)?;
            for (name, text) in &bundle.files {
                let path = fresh.join(name);
                path.parent().map_or(Ok(()), make_folder)?;
                write_file(&path, text)?;
            }
            if folder.symlink_metadata().is_ok() {
                fs::remove_dir_all(&folder)?;
            }
            fs::rename(&fresh, &folder)
        };
        let outcome = write();
        if outcome.is_err() {
            let _ = fs::remove_dir_all(&fresh);
        }
        outcome.map_err(|error| self.files.fault(BUNDLES, &error))
    }

    /// Takes away the bundles that are neither in force nor observed.
    fn clean(&self, status: &Status) -> Result<(), Error> {
        let mut used: Vec<String> = self.link().into_iter().collect();
        used.extend(Trust::read(self.files)?.map(|trust| trust.installed.digest));
        used.extend(status.observed.as_ref().map(|one| one.bundle.digest.clone()));
        let entries = fs::read_dir(self.files.folder.join(BUNDLES));
        for entry in entries.map_err(|error| self.files.fault(BUNDLES, &error))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let stem = name.split('.').next().unwrap_or_default();
            let is_used = used.iter().any(|used| used == stem) && !name.contains(".new-");
            if !is_used {
                let path = entry.path();
                let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
        Ok(())
    }
}

/// Turns the link to another folder of a bundle, in one step.
fn turn_link(files: &Files, to: &str) -> Result<(), Error> {
    let (link, fresh) =
        (files.folder.join(LINK), files.folder.join(format!("policy.new-{}", std::process::id())));
    let turn = || {
        let _ = fs::remove_file(&fresh);
        std::os::unix::fs::symlink(Path::new(BUNDLES).join(to), &fresh)?;
        fs::rename(&fresh, &link)
    };
    turn().map_err(|error| files.fault(LINK, &error))
}

fn make_folder(path: &Path) -> std::io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Writes a file that only its owner reads, and that is on the disk before anything says so. A program may be started.
fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    let mode = if text.starts_with("#!") { 0o700 } else { 0o600 };
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// How many files are in a folder, without those that programs of hooks write beside themselves.
fn count_files(folder: &Path) -> Option<usize> {
    const WRITTEN: [&str; 4] = ["__pycache__", ".pyc", ".log", ".lock"];
    let mut count = 0;
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        if WRITTEN.iter().any(|end| path.as_os_str().as_encoded_bytes().ends_with(end.as_bytes())) {
            continue;
        }
        let kind = path.symlink_metadata().ok()?;
        count += if kind.is_dir() { count_files(&path)? } else { 1 };
    }
    Some(count)
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
