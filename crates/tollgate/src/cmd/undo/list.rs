//! `tollgate undo list`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::json;
use tollgate_undo::{Entry, Snapshot, size_in_words};

use super::{Desk, text};
use crate::exit::ExitCode;
use crate::listing::Output;
use crate::table::{Table, counted, room};
use crate::{out, when};

/// Arguments of `tollgate undo list`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Only calls of this session
    #[arg(long)]
    session: Option<String>,
    /// Only calls that changed this path or below it
    #[arg(long)]
    path: Option<PathBuf>,
    /// Only calls since: `24h`, `7d`, a date
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    #[command(flatten)]
    output: Output,
}

/// Prints what can be taken back, newest first.
pub fn run(desk: &Desk, args: &Args) -> anyhow::Result<ExitCode> {
    let since = args.since.as_deref().map(when::parse).transpose()?;
    let path = args
        .path
        .as_deref()
        .map(std::path::absolute)
        .transpose()
        .context("the working directory is gone; change to another")?;
    let mut all = desk.snapshots()?;
    all.retain(|snapshot| {
        let head = &snapshot.manifest.head;
        args.session.as_ref().is_none_or(|session| head.session == *session)
            && since.is_none_or(|since| head.time >= since)
            && path.as_ref().is_none_or(|path| touches(snapshot, path))
    });
    if !args.output.is_text() {
        args.output.print(&all.iter().map(object).collect::<Vec<_>>());
    } else if all.is_empty() {
        out::line("Nothing is saved that can be restored here.");
    } else {
        print(&all);
        out::line("\nTo take one back: tollgate undo ID");
    }
    Ok(ExitCode::SUCCESS)
}

fn touches(snapshot: &Snapshot, path: &Path) -> bool {
    files(snapshot).any(|entry| entry.path().starts_with(path) || path.starts_with(entry.path()))
}

/// What a call may have changed, without the folders around it and without git's own files.
pub fn files(snapshot: &Snapshot) -> impl Iterator<Item = &Entry> {
    let repositories = &snapshot.manifest.head.repositories;
    let is_state = |entry: &&Entry| repositories.iter().any(|folder| entry.path.starts_with(folder));
    snapshot.manifest.entries.iter().filter(|entry| entry.is_saved()).filter(move |entry| !is_state(entry))
}

fn object(snapshot: &Snapshot) -> serde_json::Value {
    let head = &snapshot.manifest.head;
    let paths: Vec<String> = files(snapshot).map(|entry| text(entry.path())).collect();
    let lossy = |path: &Vec<u8>| String::from_utf8_lossy(path).into_owned();
    let repositories: Vec<String> = head.repositories.iter().map(lossy).collect();
    json!({
        "id": snapshot.id, "time": when::stamp(head.time), "session": head.session, "agent": head.agent,
        "call": head.call, "paths": paths, "bytes": head.bytes, "files": head.files,
        "repositories": repositories, "undoes": head.undoes,
    })
}

/// Prints snapshots as a table.
pub fn print(all: &[Snapshot]) {
    let mut table = Table::new(&["call", "id", "time (UTC)", "saved"]);
    for Snapshot { id, manifest } in all {
        let head = &manifest.head;
        let saved = format!("{} ({})", counted(head.files, "file"), size_in_words(head.bytes));
        table.row([head.call.clone(), id.clone(), when::minute(head.time), saved]);
    }
    table.lines(room()).iter().for_each(|line| out::line(line));
}
