//! `tollgate undo show`.

use anyhow::Context;
use tollgate_undo::{Node, Plan, Snapshot, size_in_words};

use super::{Desk, Reader, text};
use crate::cmd::suggest::diff::unified;
use crate::exit::ExitCode;
use crate::report::escaped;
use crate::table::counted;
use crate::{out, owner, when};

/// The longest file whose difference is shown.
const LONGEST: u64 = 1 << 20;

/// Arguments of `tollgate undo show`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Snapshot id
    id: String,
    /// Also show a diff of the contents (in your terminal)
    #[arg(long)]
    diff: bool,
}

/// Prints what a snapshot holds, and what restoring it would change.
pub fn run(desk: &Desk, args: &Args) -> anyhow::Result<ExitCode> {
    let snapshot = desk.admit(&args.id)?;
    if args.diff {
        // Saved files may hold secrets of any session.
        owner::admit("undo show --diff")?;
    }
    print_head(&snapshot);
    let plan = desk.store.plan(&args.id, &[])?;
    print_entries(&snapshot, &plan);
    if args.diff && matches!(desk.reader, Reader::Person) {
        print_differences(desk, &plan)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_head(snapshot: &Snapshot) {
    let head = &snapshot.manifest.head;
    out::line(&format!(
        "{}  {}  {} {}",
        snapshot.id,
        when::stamp(head.time),
        head.agent,
        escaped(&head.session)
    ));
    out::line(&escaped(&head.call));
    out::line(&format!("{}, {}\n", counted(head.files, "file"), size_in_words(head.bytes)));
}

fn print_entries(snapshot: &Snapshot, plan: &Plan) {
    for entry in snapshot.manifest.entries.iter().filter(|entry| entry.is_saved()) {
        let step = plan.steps.iter().find(|step| step.path == entry.path());
        let change = step.map_or("same", |step| step.change.name());
        let size = match &entry.node {
            Node::File { content, .. } => size_in_words(content.size),
            Node::Folder { .. } => "folder".to_owned(),
            Node::Symlink { target, .. } => format!("→ {}", escaped(&String::from_utf8_lossy(target))),
            _ => "pipe".to_owned(),
        };
        out::line(&format!("{change:<10}  {}  {size}", escaped(&text(entry.path()))));
        if let Some(why) = step.and_then(|step| step.conflict.as_ref()) {
            out::line(&format!("            conflict: {why}"));
        }
    }
    for step in plan.steps.iter().filter(|step| step.change == tollgate_undo::Change::Remove) {
        out::line(&format!("{:<10}  {}  was not there", "remove", escaped(&text(&step.path))));
    }
}

fn print_differences(desk: &Desk, plan: &Plan) -> anyhow::Result<()> {
    for step in &plan.steps {
        let entry = plan.snapshot.manifest.entries.iter().find(|entry| entry.path() == step.path);
        let Some(Node::File { content, .. }) = entry.map(|entry| &entry.node) else { continue };
        let now = std::fs::read(&step.path).unwrap_or_default();
        if content.size > LONGEST || now.len() as u64 > LONGEST {
            continue;
        }
        let saved = desk.store.read(&plan.snapshot, content).context("a saved copy cannot be read")?;
        if let (Ok(now), Ok(saved)) = (String::from_utf8(now), String::from_utf8(saved)) {
            out::text(&unified(text(&step.path).trim_start_matches('/'), Some(&now), &saved));
        }
    }
    Ok(())
}
