//! The owner's PIN, if one was set: what an owner command asks for besides a yes. Kept as an Argon2id hash in the
//! state directory, which no tool call may touch.

mod tries;

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tollgate_model::Record;
use tollgate_store::Log;

use crate::{dirs, out, terminal};

const FILE: &str = "owner.pin";
const SHORTEST: usize = 4;
const TRIES: u32 = 3;
/// After a wrong one, so that trying them all takes its time.
const PAUSE: Duration = Duration::from_secs(1);

/// Asks for the PIN where one is set.
///
/// # Errors
/// When it is not given, or cannot be asked for.
pub fn ask(command: &str) -> anyhow::Result<()> {
    for state in places() {
        if let Some(hash) = kept(&state)? {
            ask_for(&hash, &state, command)?;
        }
    }
    Ok(())
}

/// Why a PIN that was given elsewhere than on a terminal opens nothing.
#[derive(Debug)]
pub enum Denied {
    /// None is set, so that nobody can show to be the owner.
    NotSet,
    /// It was wrong.
    Wrong,
    /// Too many were wrong; nobody may try for so long.
    Wait(Duration),
    /// It cannot be looked at.
    Fault(anyhow::Error),
}

/// Checks a PIN that came another way than over the terminal. Wrong ones count with all others.
///
/// # Errors
/// When it does not open `command`.
pub fn check(given: &str, command: &str) -> Result<(), Denied> {
    let mut is_set = false;
    for state in places() {
        let Some(hash) = kept(&state).map_err(Denied::Fault)? else { continue };
        is_set = true;
        let fault = |fault: tollgate_store::LogFault| Denied::Fault(fault.into());
        let right = || Argon2::default().verify_password(given.as_bytes(), hash.as_str()).is_ok();
        match tries::attempt(&state, right).map_err(fault)? {
            Some(true) => {}
            Some(false) => {
                remember(&state, command);
                return Err(Denied::Wrong);
            }
            None => return Err(Denied::Wait(tries::wait(&state).map_err(fault)?.0)),
        }
    }
    if is_set { Ok(()) } else { Err(Denied::NotSet) }
}

/// Is a PIN asked for?
///
/// # Errors
/// When that cannot be read.
pub fn is_set() -> anyhow::Result<bool> {
    let kept: Vec<Option<String>> =
        places().iter().map(|state| kept(state)).collect::<anyhow::Result<_>>()?;
    Ok(kept.iter().any(Option::is_some))
}

/// Did Tollgate ever keep anything for this user?
pub fn was_used() -> bool {
    places().iter().any(|state| state.exists())
}

/// The state directory, and where it is when no variable moves it: a variable does not move the owner.
fn places() -> Vec<PathBuf> {
    let named = dirs::Dirs::find().map(|dirs| dirs.state);
    let usual = dirs::home_by_uid().map(|home| home.join(".local/state/tollgate"));
    let usual = usual.filter(|usual| named.as_ref() != Some(usual));
    named.into_iter().chain(usual).collect()
}

fn ask_for(hash: &str, state: &Path, command: &str) -> anyhow::Result<()> {
    let mut earlier = 0;
    for turn in 0..TRIES {
        let (wait, wrong) = tries::wait(state)?;
        if !wait.is_zero() {
            bail!("{wrong} wrong PINs were given; the next try is possible in {} s", wait.as_secs() + 1);
        }
        if turn == 0 {
            earlier = wrong;
        }
        let Some(given) = terminal::secret("PIN: ") else {
            bail!("`tollgate {command}` asks for the owner's PIN, and there is no terminal to ask on");
        };
        let right = || Argon2::default().verify_password(given.as_bytes(), hash).is_ok();
        match tries::attempt(state, right)? {
            Some(true) => {
                tell_earlier(earlier);
                return Ok(());
            }
            Some(false) => remember(state, command),
            None => bail!("wrong PINs were given elsewhere at the same time; nothing was changed"),
        }
        std::thread::sleep(PAUSE);
    }
    bail!("that was not the owner's PIN; nothing was changed")
}

/// The count starts again with a right PIN, so that its owner is told what it was.
fn tell_earlier(wrong: u32) {
    if wrong > 0 {
        out::line(&format!("Wrong PINs before this one: {wrong}. `tollgate log` shows when."));
    }
}

/// What the owner should know of wrong PINs: told at the start of a session and by `doctor`.
pub fn wrong_tries(state: &Path) -> Option<String> {
    tries::told(state)
}

/// Offers to set a PIN where none is set. Without a terminal, or without asking, says how to set one.
///
/// # Errors
/// When one is given that cannot be kept.
pub fn offer(state: &Path, asks: bool) -> anyhow::Result<()> {
    if is_set()? {
        return Ok(());
    }
    let question = "\nSet a PIN that owner commands ask for, so that no agent can answer for you.\nNew PIN (empty for none): ";
    let given = if asks { terminal::secret(question) } else { None };
    match given.as_deref() {
        None => out::line(
            "No PIN is set for owner commands. To set one, type in a terminal of your own: tollgate init --pin",
        ),
        Some("") => out::line(
            "No PIN is set: whatever can type into your terminal can approve calls, and owner commands are refused inside \
             tmux, screen and zellij. To set one later: tollgate init --pin",
        ),
        Some(first) => {
            repeat(first)?;
            keep(state, first)?;
        }
    }
    Ok(())
}

/// Asks for a new PIN, twice, and keeps its hash. An empty one takes the PIN away.
///
/// # Errors
/// When there is no terminal, the two differ, or it cannot be kept.
pub fn set(state: &Path) -> anyhow::Result<()> {
    let first = ask_new("New PIN (empty for none): ")?;
    repeat(&first)?;
    if first.is_empty() { take_away(state) } else { keep(state, &first) }
}

fn ask_new(question: &str) -> anyhow::Result<String> {
    terminal::secret(question)
        .context("a PIN needs a terminal, so that a person sets it; nothing was changed")
}

fn repeat(first: &str) -> anyhow::Result<()> {
    if first != ask_new("Again: ")? {
        bail!("the two are not the same; nothing was changed");
    }
    Ok(())
}

fn take_away(state: &Path) -> anyhow::Result<()> {
    let path = state.join(FILE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot delete `{}`", path.display()));
        }
        _ => out::line("No PIN is asked for from now on."),
    }
    Ok(())
}

fn keep(state: &Path, pin: &str) -> anyhow::Result<()> {
    if pin.chars().count() < SHORTEST {
        bail!("a PIN has at least {SHORTEST} characters; nothing was changed");
    }
    let hash = Argon2::default().hash_password(pin.as_bytes());
    let hash = hash.map_err(|error| anyhow::anyhow!("the PIN cannot be kept: {error}"))?;
    write(&state.join(FILE), &hash.to_string())?;
    out::line("The PIN is set: owner commands ask for it from now on.");
    Ok(())
}

/// The hash of the PIN. One that is there and cannot be read is not the same as none.
fn kept(state: &Path) -> anyhow::Result<Option<String>> {
    let path = state.join(FILE);
    match tollgate_policy::read_text(&path, 4096) {
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", path.display())),
    }
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(failed)?;
    }
    let fresh: PathBuf = path.with_extension(format!("new-{}", std::process::id()));
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh).with_context(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).with_context(failed)?;
    fs::rename(&fresh, path).with_context(failed)
}

/// A wrong PIN is worth knowing of.
fn remember(state: &Path, command: &str) {
    let fields = [("agent", "tollgate"), ("event", "wrong-pin"), ("verdict", "note"), ("tool", command)];
    let fields = fields.map(|(key, value)| (key.to_owned(), value.into())).to_vec();
    // What cannot be remembered is still refused.
    let _ = Log::at(state).append(&Record { call: String::new(), fields }, SystemTime::now());
}
