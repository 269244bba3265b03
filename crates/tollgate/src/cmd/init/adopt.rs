//! The pipeline of hooks that were taken over from an agent's settings: one hook file per event, in the user's policy
//! folder, in the order in which they stood.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tollgate_agents::adapter;
use tollgate_agents::install::Plan;
use tollgate_agents::install::adopt::{Adopted, Adoption};
use tollgate_model::json::{Value, object, write};
use tollgate_policy::HOOK_FILE;

use crate::out;

/// Tells what is taken over, in order, and what stays.
pub fn show(adoption: &Adoption) {
    for (place, taken) in adoption.taken.iter().enumerate() {
        let command = taken.command();
        out::line(&format!(
            "  > {}. {}: `{command}` runs in the gate's pipeline, within {} s",
            place + 1,
            taken.entry.event,
            taken.timeout.div_ceil(1000)
        ));
    }
    adoption.left.iter().for_each(|left| out::line(&format!("  = {left}; it stays")));
}

/// Writes the pipeline of a plan. Before the settings are: a hook that runs twice for a moment is better than one that
/// does not run.
pub fn apply(plan: &Plan, agent: &str, config: &Path) -> anyhow::Result<()> {
    if plan.adoption.taken.is_empty() {
        return Ok(());
    }
    let folder = folder(config, &plan.target.named);
    remove(config, &plan.target.named)?;
    let mut events: Vec<&str> = plan.adoption.taken.iter().map(|taken| taken.entry.event.as_str()).collect();
    events.dedup();
    for event in events {
        let taken = plan.adoption.taken.iter().filter(|taken| taken.entry.event == event);
        let Some(text) = text(agent, event, &plan.target.named, taken) else { continue };
        keep(&folder.join(event).join(HOOK_FILE), &text)?;
    }
    Ok(())
}

/// Takes the pipeline out again.
pub fn remove(config: &Path, settings: &Path) -> anyhow::Result<()> {
    let folder = folder(config, settings);
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot delete `{}`", folder.display()))
        }
        _ => {
            // Fails while something else lives there, as it should.
            let _ = folder.parent().map(fs::remove_dir);
            Ok(())
        }
    }
}

/// Named after the settings, so that those of several files run in the order of the files' names.
fn folder(config: &Path, settings: &Path) -> PathBuf {
    let hash = blake3::hash(settings.as_os_str().as_encoded_bytes()).to_hex();
    let hash: String = hash.chars().take(16).collect();
    let name = settings.file_name().unwrap_or_default().to_string_lossy();
    config.join("hooks/adopted").join(format!("{name}-{hash}"))
}

fn text<'a>(
    agent: &str,
    event: &str,
    settings: &Path,
    taken: impl Iterator<Item = &'a Adopted>,
) -> Option<String> {
    let phase = adapter(agent)?.profile().row(event)?.phase.name();
    let mut text = format!(
        "# Hooks of {}, taken over by `tollgate init --adopt`.\n\
         # `tollgate uninstall` puts them back and takes this file away.\n\
         id: adopted-{agent}-{event}\nkind: hook\nevent: {phase}\nexecution: pipeline\nmiddleware:\n",
        settings.display()
    );
    for (place, adopted) in taken.enumerate() {
        text.push_str("  - ");
        write(&stage(agent, place + 1, adopted), &mut text);
        text.push('\n');
    }
    Some(text)
}

/// As the agent would run it: where the agent goes on after a failure, a failure of it stops nothing.
fn stage(agent: &str, place: usize, adopted: &Adopted) -> Value {
    let list = |words: &[String]| Value::List(words.iter().map(|word| word.as_str().into()).collect());
    let seconds = format!("{}", adopted.timeout as f64 / 1000.0);
    let mut matches = vec![
        ("agents".to_owned(), list(&[agent.to_owned()])),
        ("events".to_owned(), list(std::slice::from_ref(&adopted.entry.event))),
    ];
    if !adopted.tools.is_empty() {
        matches.push(("tools".to_owned(), list(&adopted.tools)));
    }
    object([
        ("id", format!("adopted-{place}").into()),
        ("type", "safety".into()),
        ("run", list(&adopted.words)),
        ("protocol", "agent".into()),
        // The command as it stood there, for messages: `run` may have a shell around it.
        ("config", object([("command", adopted.command().as_str().into())])),
        ("timeout", Value::Number(seconds)),
        ("on_error", if adopted.strict { "deny" } else { "allow" }.into()),
        ("match", Value::Map(matches)),
    ])
}

fn keep(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("cannot write `{}`", path.display());
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).with_context(failed)?;
    }
    let mut file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)
}
