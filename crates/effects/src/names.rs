//! An index over tables of names, made by the compiler: there are some two thousand, and every command is looked up.

/// Where the entries of some tables stand, by the hash of their names.
pub(crate) struct Names<const SLOTS: usize> {
    slots: [u32; SLOTS],
}

const FREE: u32 = u32::MAX;

impl<const SLOTS: usize> Names<SLOTS> {
    pub(crate) const EMPTY: Self = Self { slots: [FREE; SLOTS] };

    /// Adds a name that stands in that table, as that entry. The first of two equal names is found first.
    #[expect(clippy::indexing_slicing, reason = "run by the compiler, which tells what is out of bounds")]
    pub(crate) const fn add(&mut self, name: &str, table: usize, entry: usize) {
        let mut slot = hash(name) as usize % SLOTS;
        while self.slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = (table as u32) << 16 | entry as u32;
    }

    /// The table and entry of every name that may be this one.
    pub(crate) fn candidates(&self, name: &str) -> impl Iterator<Item = (usize, usize)> {
        let start = hash(name) as usize % SLOTS;
        let (before, after) = self.slots.split_at(start);
        let taken = after.iter().chain(before).take_while(|place| **place != FREE);
        taken.map(|place| ((*place >> 16) as usize, (*place & 0xffff) as usize))
    }
}

/// FNV-1a.
const fn hash(name: &str) -> u32 {
    let mut sum: u32 = 0x811c_9dc5;
    let mut bytes = name.as_bytes();
    while let [byte, rest @ ..] = bytes {
        sum = (sum ^ *byte as u32).wrapping_mul(0x0100_0193);
        bytes = rest;
    }
    sum
}

/// Which names may stand in a table. Most commands stand in none of the small tables, and one look at a sieve tells.
pub(crate) struct Sieve {
    bits: [u64; 64],
}

impl Sieve {
    pub(crate) const EMPTY: Self = Self { bits: [0; 64] };

    #[expect(clippy::indexing_slicing, reason = "run by the compiler, which tells what is out of bounds")]
    pub(crate) const fn add(&mut self, mut names: &[&str]) {
        while let [name, rest @ ..] = names {
            let (word, bit) = place(name);
            self.bits[word] |= bit;
            names = rest;
        }
    }

    /// The rows of the table, or none of them when the name stands in no row.
    pub(crate) fn sift<'r, R>(&self, rows: &'r [R], name: &str) -> &'r [R] {
        let (word, bit) = place(name);
        if self.bits.get(word).is_some_and(|bits| bits & bit != 0) { rows } else { &[] }
    }
}

/// Makes the sieve of a table whose rows are about the programs they name: `sieve!(ROWS, row => row.programs)`.
macro_rules! sieve {
    ($rows:expr, $row:pat => $names:expr) => {{
        let mut sieve = $crate::names::Sieve::EMPTY;
        let mut rows = $rows;
        while let [$row, rest @ ..] = rows {
            sieve.add($names);
            rows = rest;
        }
        sieve
    }};
}
pub(crate) use sieve;

const fn place(name: &str) -> (usize, u64) {
    let sum = hash(name);
    ((sum >> 6) as usize % 64, 1 << (sum % 64))
}
