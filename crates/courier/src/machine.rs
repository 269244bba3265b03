//! What the courier asks the rest of the product.

use std::path::Path;

use tollgate_fleet_protocol::{Agent, System};

/// What comes of judging records by a policy that is only observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// How many calls were judged.
    pub calls: u64,
    /// How many of them it would have refused, and the policy in force does not.
    pub refusals: u64,
    /// The last record that was looked at; the one before the first when there was none.
    pub reached: u64,
}

/// This machine, as the rest of the product knows it.
pub trait Machine {
    /// What it is.
    fn system(&self) -> System;

    /// The agents on it.
    fn agents(&self) -> Vec<Agent>;

    /// Does this folder hold a managed policy without mistakes?
    ///
    /// # Errors
    /// When not, with the first mistake.
    fn check_policy(&self, folder: &Path) -> Result<(), String>;

    /// Another policy lies at the fleet's place, or there is none any more.
    fn policy_changed(&self);

    /// Judges records of the log by the managed policy in a folder and by the one in force, from a record on, and for not
    /// too long.
    fn observe(&self, folder: &Path, from: u64) -> Observed;
}
