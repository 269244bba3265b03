//! The rows of FAULTS.md that are about keeping records.

#[cfg(test)]
mod chain;
#[cfg(test)]
mod content;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod crowd;
#[cfg(test)]
mod disk;
#[cfg(test)]
mod places;
#[cfg(test)]
mod support;
#[cfg(test)]
mod turns;
