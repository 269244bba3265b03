//! Checks and generated pages that need the product's own crates. `cargo xtask` starts them.

pub mod agent_docs;
pub mod clients;
pub mod docs;
pub mod layers;
pub mod syntax;
pub mod tidy;
pub mod workflow_docs;
