//! The gate itself and the agents' settings: on in every mode.

mod agent_instructions;
mod agent_settings_change;
mod agent_settings_other;
mod agent_unleashed;
mod gate_tamper;

use tollgate_model::Rule;

/// The pack.
pub(crate) const RULES: &[&dyn Rule] = &[
    &gate_tamper::GateTamper,
    &agent_settings_change::AgentSettingsChange,
    &agent_settings_other::AgentSettingsOther,
    &agent_unleashed::AgentUnleashed,
    &agent_instructions::AgentInstructions,
];
