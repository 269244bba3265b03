//! Checks and generated pages that need the product's own crates. `cargo xtask` starts them.

pub mod agent_docs;
pub mod clients;
pub mod docs;
pub mod tidy;
pub mod workflow_docs;
