//! The gate itself and the agents' settings: on in every mode.

mod agent_settings_change;
mod gate_tamper;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] =
    &[&gate_tamper::GateTamper, &agent_settings_change::AgentSettingsChange];
