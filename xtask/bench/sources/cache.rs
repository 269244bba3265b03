use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Remembers values for a while.
pub struct Cache<K, V> {
    entries: HashMap<K, (Instant, V)>,
    keep: Duration,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub fn new(keep: Duration) -> Self {
        Self { entries: HashMap::new(), keep }
    }

    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        let now = Instant::now();
        self.entries.retain(|_, (at, _)| now.duration_since(*at) < self.keep);
        self.entries.entry(key).or_insert_with(|| (now, make())).1.clone()
    }
}
