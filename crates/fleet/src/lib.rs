//! `tollgate-server`: many machines, one policy, one audit trail, on PostgreSQL.
//!
//! What machines say is `tollgate-fleet-protocol`. A request goes `server` → `auth` → one of `machine`, `ingest`, `waiting`
//! and `rollout`, or, from people, through `account` and `api` or `pages`. All state is in PostgreSQL, so that any number of
//! servers can run side by side.

pub mod account;
pub mod admin;
pub mod api;
pub mod app;
pub mod audit;
pub mod auth;
pub mod background;
pub mod chain;
pub mod config;
pub mod db;
pub mod demo;
pub mod facts;
pub mod fault;
pub mod incident;
pub mod ingest;
pub mod inventory;
pub mod load;
pub mod machine;
pub mod metrics;
pub mod pages;
pub mod postgres;
pub mod rollout;
pub mod server;
pub mod simulate;
pub mod waiting;
