//! The work budget of one judgement.
//!
//! Parsers and evaluators charge what each step really costs: bytes copied, words expanded, tokens read, file bytes,
//! programs evaluated. One unit is about 20 ns of an optimised build. All of them share one budget, so that no
//! combination of inputs costs more than its parts may.
//!
//! Nobody has to stop at a certain place when the budget is spent: `limited` tells its caller, who then says that the
//! call could not be judged to its end. Whatever is left out after that point can only be missing from an answer that
//! is a question already.
//!
//! The counter belongs to the thread instead of being passed along: values are copied in hundreds of places that know
//! nothing of the call being judged, and a copy that is not charged is where the next expensive input comes from. It is
//! set and read back only by `limited`, so that the same input always costs the same.

use std::cell::Cell;

/// What is left where nothing is limited.
const UNLIMITED: u64 = u64::MAX;

thread_local! {
    static LEFT: Cell<u64> = const { Cell::new(UNLIMITED) };
}

/// Runs `inside` with this much work to spend. Returns its result, and how much of the budget was left: zero when it
/// ran out. Inside another call of `limited` that one's budget goes on.
pub fn limited<R>(budget: u64, inside: impl FnOnce() -> R) -> (R, u64) {
    if LEFT.get() != UNLIMITED {
        let result = inside();
        return (result, LEFT.get());
    }
    let reset = Reset;
    LEFT.set(budget);
    let result = inside();
    let left = LEFT.get();
    drop(reset);
    (result, left)
}

/// Spends work. False when there is none left.
pub fn charge(units: usize) -> bool {
    let left = LEFT.get();
    if left == UNLIMITED {
        return true;
    }
    let left = left.saturating_sub(units as u64);
    LEFT.set(left);
    left > 0
}

/// Has the budget run out?
#[must_use]
pub fn is_spent() -> bool {
    LEFT.get() == 0
}

/// Ends the limit, also when a panic ends `inside`.
struct Reset;

impl Drop for Reset {
    fn drop(&mut self) {
        LEFT.set(UNLIMITED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_spent_once_and_ends_with_its_call() {
        let (all_paid, left) = limited(10, || charge(4) && charge(5));
        assert_eq!((all_paid, left), (true, 1));
        let (paid, left) = limited(10, || (charge(10), is_spent(), charge(1)));
        assert_eq!((paid, left), ((false, true, false), 0));
        assert!(!is_spent() && charge(usize::MAX));
    }

    #[test]
    fn an_inner_budget_is_the_outer_one() {
        let (inner, left) = limited(10, || limited(1_000, || charge(8)));
        assert_eq!((inner, left), ((true, 2), 2));
    }
}
