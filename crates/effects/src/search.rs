//! Searches through all effects of a call. Each costs what it looks at, or a call with many effects would take the square of
//! their number.

use tollgate_model::{Effect, work};

/// Effects that are looked at for one unit of work.
pub(crate) const EFFECTS_PER_UNIT: usize = 4;

/// All effects, for a search through them, which is paid for. None when the budget is spent.
pub(crate) fn searched(all: &[Effect]) -> &[Effect] {
    if work::charge(all.len() / EFFECTS_PER_UNIT) { all } else { &[] }
}
