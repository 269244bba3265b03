//! Figures over the log. The log is the truth; this is an SQLite index of it with hourly rollups, built and caught
//! up whenever somebody asks, and built anew when it does not fit the log. Never on the path of an event.

mod db;
mod fact;
mod figures;
mod fold;
mod histogram;
mod ingest;
mod query;
mod subject;
#[cfg(test)]
mod tests;

pub use db::{Index, IndexFault, Only, reached};
pub use fact::{Fact, Outcome};
pub use figures::{Actors, By, CallRow, Ended, Figures, Row, RuleRow, Scope, SessionRow, Tests, Totals};
pub use histogram::{Histogram, bucket, value};
pub use ingest::Progress;
pub use query::Query;
pub use subject::subject;
