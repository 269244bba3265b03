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

    /// Are at most half of the slots taken, so that a search ends soon?
    pub(crate) const fn is_roomy(&self) -> bool {
        let (mut slots, mut taken) = (self.slots.as_slice(), 0);
        while let [slot, rest @ ..] = slots {
            if *slot != FREE {
                taken += 1;
            }
            slots = rest;
        }
        taken * 2 <= SLOTS
    }

    /// The table and entry of every name that may be this one.
    pub(crate) fn candidates(&self, name: &str) -> impl Iterator<Item = (usize, usize)> {
        let start = hash(name) as usize % SLOTS;
        let (before, after) = self.slots.split_at(start);
        let taken = after.iter().chain(before).take_while(|place| **place != FREE);
        taken.map(|place| ((*place >> 16) as usize, (*place & 0xffff) as usize))
    }

    /// The rows of an indexed table that name this program, in their order.
    pub(crate) fn rows<'r, R>(
        &'static self,
        rows: &'r [R],
        name: &str,
        names: impl Fn(&R) -> &[&'static str],
    ) -> impl Iterator<Item = &'r R> {
        let named = move |(row, entry): (usize, usize)| {
            let row = rows.get(row)?;
            (*names(row).get(entry)? == name).then_some(row)
        };
        self.candidates(name).filter_map(named)
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

/// Makes the index of a table whose rows are about the programs they name: `index!(ROWS, row => row.programs)`.
macro_rules! index {
    ($rows:expr, $row:pat => $names:expr) => {{
        let mut index = $crate::names::Names::EMPTY;
        let (mut rows, mut at) = ($rows, 0);
        while let [$row, rest @ ..] = rows {
            let (mut names, mut entry) = ($names as &[&str], 0);
            while let [name, others @ ..] = names {
                index.add(name, at, entry);
                (names, entry) = (others, entry + 1);
            }
            (rows, at) = (rest, at + 1);
        }
        assert!(index.is_roomy(), "the index needs more slots");
        index
    }};
}
pub(crate) use index;
