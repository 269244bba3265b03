//! Sizes in words.

/// A size as people read it: `3.4 MB`.
#[must_use]
pub fn size_in_words(bytes: u64) -> String {
    let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    match units.into_iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{}.{} {unit}", bytes / size, bytes % size * 10 / size),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_words() {
        let told: Vec<String> = [0, 999, 1000, 3_449_999, 5_000_000_000].map(size_in_words).to_vec();
        assert_eq!(told, ["0 bytes", "999 bytes", "1.0 kB", "3.4 MB", "5.0 GB"]);
    }
}
