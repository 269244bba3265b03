//! Installing into an agent: the edit of its settings, the backup, and the way back. The half of this crate
//! that touches the disk.

pub mod adopt;
mod backup;
pub mod canary;
pub mod claude;
pub mod codex;
pub mod detect;
mod doc;
mod edit;
mod file;
mod neighbours;
mod plan;
pub mod registration;
pub mod rivals;
pub mod setup;
mod setups;
mod sha256;
pub mod shim;
mod status;
mod status_line;
mod strip;
pub mod toml;

use std::time::Duration;

pub use backup::{Backups, Manifest};
pub use doc::{Doc, EditError};
pub use edit::{Edited, Entry, groups, insert};
pub use file::{FileError, Found, Target};
pub use plan::{Adopt, InstallError, OWN_MARK, Plan, Removal, Repair, Repaired, Site, Undo};
pub use status::{Ours, Status};
pub use status_line::{add_status_line, remove_status_line};
pub use strip::strip;

/// How long an agent waits for the answer to one of its events: as it is told here, unless it keeps to a time of its
/// own. Afterwards most of them let the call run.
#[must_use]
pub fn patience(agent: &str, event: &str) -> Duration {
    if agent == "claude-code" {
        let hooked = claude::EVENTS.iter().find(|hooked| hooked.event == event);
        return Duration::from_secs(hooked.map_or(setups::SHORTEST, |hooked| hooked.timeout));
    }
    setup::Setup::of(agent).map_or(Duration::from_secs(setups::SHORTEST), |setup| setup.patience(event))
}
