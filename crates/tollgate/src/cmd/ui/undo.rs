//! What can be taken back, and taking it back. Saved contents never leave the store but for their place on the disk.

use std::path::Path;

use serde_json::{Value, json};
use tollgate_ui::{Code, Refusal};
use tollgate_undo::{Fault, Node, Origin, Plan, Snapshot, Store, is_id};

use crate::cmd::undo::saved_files;
use crate::when;

/// Paths that a listing names.
const LISTED: usize = 20;
/// Snapshots and steps that are sent.
const MOST: usize = 1_000;

/// `UndoList`.
pub fn list(state: &Path) -> Result<Value, Refusal> {
    let all = Store::at(state).list().map_err(Refusal::failed)?;
    Ok(json!({ "snapshots": all.iter().take(MOST).map(value).collect::<Vec<_>>() }))
}

fn value(snapshot: &Snapshot) -> Value {
    let head = &snapshot.manifest.head;
    let paths: Vec<String> =
        saved_files(snapshot).map(|entry| entry.path().to_string_lossy().into_owned()).collect();
    json!({
        "id": snapshot.id, "at": when::stamp(head.time), "agent": head.agent, "session": head.session,
        "call": head.call, "more_paths": paths.len().saturating_sub(LISTED),
        "paths": paths.into_iter().take(LISTED).collect::<Vec<_>>(), "files": head.files, "bytes": head.bytes,
        "undoes": head.undoes,
    })
}

/// `UndoPreview`.
pub fn show(state: &Path, id: &str) -> Result<Value, Refusal> {
    let plan = plan(state, id)?;
    let step = |step: &tollgate_undo::Step| {
        let mut value = json!({
            "path": step.path.to_string_lossy(), "change": step.change.name(), "conflict": step.conflict,
        });
        let entry = plan.snapshot.manifest.entries.iter().find(|entry| entry.path() == step.path);
        if let (Some(Node::File { content, .. }), Some(members)) =
            (entry.map(|entry| &entry.node), value.as_object_mut())
        {
            members.insert("bytes".into(), content.size.into());
        }
        value
    };
    Ok(json!({
        "snapshot": value(&plan.snapshot), "conflicts": plan.conflicts().count(),
        "steps": plan.steps.iter().take(MOST).map(step).collect::<Vec<_>>(),
        "more_steps": plan.steps.len().saturating_sub(MOST),
    }))
}

fn plan(state: &Path, id: &str) -> Result<Plan, Refusal> {
    let none = || Refusal::new(Code::NotFound, "there is no such snapshot");
    if !is_id(id) {
        return Err(none());
    }
    Store::at(state).plan(id, &[]).map_err(|fault| match fault {
        Fault::Unknown(_) => none(),
        fault => Refusal::failed(fault),
    })
}

/// `Restored`. The owner is asked for last, when it is known that there is something to restore.
pub fn restore(
    state: &Path,
    id: &str,
    force: bool,
    admit: impl FnOnce() -> Result<(), Refusal>,
) -> Result<Value, Refusal> {
    let plan = plan(state, id)?;
    let conflicts = plan.conflicts().count();
    if conflicts > 0 && !force {
        return Err(Refusal::new(Code::Conflict, format!("{conflicts} paths were changed after the call"))
            .hint("Restore with `force`: what is there now is saved first"));
    }
    admit()?;
    let origin = Origin {
        agent: "person".to_owned(),
        session: String::new(),
        call: format!("tollgate ui: undo {id}"),
        call_id: String::new(),
    };
    let restored = Store::at(state).restore(&plan, &origin).map_err(Refusal::failed)?;
    let failed: Vec<Value> = restored
        .failed
        .iter()
        .map(|(path, fault)| json!({ "path": path.to_string_lossy(), "why": fault.to_string() }))
        .collect();
    Ok(json!({
        "restored": restored.done, "failed": failed, "undo": restored.saved.as_ref().map(|saved| &saved.id),
    }))
}
