//! A short run of the fuzz target, the same each time: programs are changed at random, and nothing may panic.
//!
//! `fuzz/` runs the same target with libFuzzer, for as long as one likes.

#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

#[path = "../../../fuzz/src/code.rs"]
mod code;

/// Programs that use most of what there is.
const SEEDS: &[&str] = &[include_str!("programs/tool.py"), include_str!("programs/odd.py")];

#[test]
fn no_program_makes_a_panic() {
    let mut random = Random(7);
    for round in 0..400 {
        let seed = SEEDS[round % SEEDS.len()].as_bytes();
        let mut bytes = seed.to_vec();
        for _ in 0..1 + random.below(12) {
            change(&mut bytes, seed, &mut random);
        }
        code::python(&bytes);
    }
}

/// Letters that mean something.
const MARKS: &[u8] = b"()[]{}:'\"\n\\ .,=#*\t";

/// Takes a piece out, doubles one, swaps two bytes or puts one in.
fn change(bytes: &mut Vec<u8>, seed: &[u8], random: &mut Random) {
    let at = random.below(bytes.len().max(1));
    let length = random.below(40).min(bytes.len().saturating_sub(at));
    match random.below(4) {
        0 => drop(bytes.drain(at..at + length)),
        1 => {
            let from = random.below(seed.len() - 40);
            let piece = seed[from..from + 40].to_vec();
            bytes.splice(at..at, piece);
        }
        2 if at < bytes.len() => bytes[at] = MARKS[random.below(MARKS.len())],
        _ => bytes.insert(at.min(bytes.len()), MARKS[random.below(MARKS.len())]),
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % end
    }
}
