//! Durations as counts in buckets, so that percentiles of any period are sums. Sixteen buckets per power of two:
//! a percentile is off by at most six percent.

const FINE: u32 = 4;

/// The bucket of a duration in microseconds.
#[must_use]
pub fn bucket(micros: u64) -> u32 {
    if micros < 1 << FINE {
        return micros as u32;
    }
    let power = 63 - micros.leading_zeros();
    let within = (micros >> (power - FINE)) as u32 & ((1 << FINE) - 1);
    ((power - FINE + 1) << FINE) | within
}

/// The shortest duration of a bucket.
#[must_use]
pub fn value(bucket: u32) -> u64 {
    if bucket < 1 << FINE {
        return u64::from(bucket);
    }
    let power = (bucket >> FINE) + FINE - 1;
    let within = u64::from(bucket & ((1 << FINE) - 1));
    ((1 << FINE) | within) << (power - FINE).min(58)
}

/// Counts by bucket, lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Bucket and count.
    pub counts: Vec<(u32, u64)>,
}

impl Histogram {
    /// How many durations there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// The duration that a share of all (0 to 1) does not exceed; `None` when there are none.
    #[must_use]
    pub fn percentile(&self, share: f64) -> Option<u64> {
        let rank = ((self.total() as f64) * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        self.counts.iter().find_map(|(bucket, count)| {
            seen += count;
            (seen >= rank).then(|| value(*bucket))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_never_off_by_more_than_a_sixteenth() {
        for micros in (0..100_000).chain([1 << 20, (1 << 20) - 1, 1 << 40, u64::MAX >> 2]) {
            let low = value(bucket(micros));
            assert!(low <= micros && micros - low <= micros / 16, "{micros}: {low}");
        }
        assert!((0..2000).all(|micros| bucket(micros) <= bucket(micros + 1)));
    }

    #[test]
    fn percentiles_are_ranks() {
        let even = Histogram { counts: (1..=10).map(|bucket| (bucket, 10)).collect() };
        let found: Vec<_> = [0.0, 0.1, 0.5, 0.95, 1.0].map(|share| even.percentile(share)).into();
        assert_eq!(found, [1, 1, 5, 10, 10].map(Some));
        assert_eq!(Histogram::default().percentile(0.5), None);
    }
}
