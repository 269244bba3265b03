//! Counts of this server, for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the times of a batch, in milliseconds.
const BOUNDS: [u64; 10] = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000];

/// Counts since the server started.
#[derive(Default)]
pub struct Metrics {
    /// Records that were stored.
    pub records: AtomicU64,
    /// Batches that were stored.
    pub batches: AtomicU64,
    /// Requests that were told to come again.
    pub busy: AtomicU64,
    /// Requests that were refused for another reason.
    pub refused: AtomicU64,
    /// Requests that failed.
    pub failed: AtomicU64,
    /// Incidents that were found.
    pub incidents: AtomicU64,
    /// Grants that were handed out.
    pub grants: AtomicU64,
    times: [AtomicU64; BOUNDS.len()],
    time_sum_us: AtomicU64,
}

impl Metrics {
    /// Counts one.
    pub fn add(counter: &AtomicU64, number: u64) {
        counter.fetch_add(number, Ordering::Relaxed);
    }

    /// Counts a batch that was stored.
    pub fn stored(&self, records: u64, took: Duration) {
        Self::add(&self.records, records);
        Self::add(&self.batches, 1);
        Self::add(&self.time_sum_us, took.as_micros() as u64);
        for (bound, count) in BOUNDS.iter().zip(&self.times) {
            if took.as_millis() <= u128::from(*bound) {
                Self::add(count, 1);
            }
        }
    }

    /// The text that Prometheus reads.
    #[must_use]
    pub fn text(&self) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut out = String::new();
        for (name, help, counter) in [
            ("records", "Log records stored", &self.records),
            ("busy_answers", "Requests that were told to come again", &self.busy),
            ("refused_requests", "Requests refused", &self.refused),
            ("failed_requests", "Requests that failed", &self.failed),
            ("incidents", "Incidents found", &self.incidents),
            ("grants", "Approvals handed to machines", &self.grants),
        ] {
            let name = format!("tollgate_server_{name}_total");
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter\n{name} {}", get(counter));
        }
        let name = "tollgate_server_batch_seconds";
        let _ = writeln!(out, "# HELP {name} Time to store a batch\n# TYPE {name} histogram");
        for (bound, count) in BOUNDS.iter().zip(&self.times) {
            let _ = writeln!(out, "{name}_bucket{{le=\"{}\"}} {}", *bound as f64 / 1000.0, get(count));
        }
        let batches = get(&self.batches);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {batches}");
        let _ = writeln!(out, "{name}_sum {}", get(&self.time_sum_us) as f64 / 1e6);
        let _ = writeln!(out, "{name}_count {batches}");
        out
    }
}
