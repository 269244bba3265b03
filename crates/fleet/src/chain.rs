//! Where a batch stands in a machine's chains, and what is wrong with it. Pure: the database is asked before.

use tollgate_store::{Hash, Link};

/// A chain that the server has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Its number in the database.
    pub id: i64,
    /// Its last record.
    pub seq: u64,
    /// That record's hash.
    pub hash: Hash,
}

/// A record of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which line of the batch it is, counted from zero.
    pub index: usize,
    /// Its place in the chain.
    pub link: Link,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `edited`, `removed`, `reordered`, `fork`, `begun-anew`, `rollback`, …
    pub kind: &'static str,
    /// In words.
    pub detail: String,
}

impl Finding {
    /// A finding.
    pub fn new(kind: &'static str, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// How a batch stands to one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It continues the chain: the first so many records are in it already.
    Continues(usize),
    /// It is equal up to so many records, and then differs. The record before the difference has this number.
    Differs(usize, u64),
    /// It begins at a place that the chain does not have.
    Elsewhere,
}

/// Compares a batch with a chain. `stored` are hashes of the chain, by number.
#[must_use]
pub fn compare(
    chain: &Chain,
    after: (u64, Hash),
    items: &[Item],
    stored: &dyn Fn(u64) -> Option<Hash>,
) -> Fit {
    let here = if after.0 == chain.seq { Some(chain.hash) } else { stored(after.0) };
    let begins = after == (0, Hash::GENESIS) || (after.0 <= chain.seq && here == Some(after.1));
    if !begins {
        return Fit::Elsewhere;
    }
    let known = items.iter().take_while(|item| item.link.seq <= chain.seq);
    let mut before = after.0;
    for (index, item) in known.enumerate() {
        // What is no longer stored was dropped with its day. A record whose hash does not fit its line may be the one that
        // was stored, edited since.
        let same = stored(item.link.seq).is_none_or(|hash| hash == item.link.hash) && item.link.sound;
        if !same {
            return Fit::Differs(index, before);
        }
        before = item.link.seq;
    }
    Fit::Continues(items.iter().take_while(|item| item.link.seq <= chain.seq).count())
}

/// Walks new records after a place in a chain. Returns those that have their place, and what is wrong with them.
#[must_use]
pub fn verify(after: (u64, Hash), items: &[Item]) -> (Vec<Item>, Vec<Finding>) {
    let (mut seq, mut hash) = after;
    let (mut kept, mut findings) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        let link = item.link;
        if link.seq <= seq {
            findings
                .push(Finding::new("reordered", format!("record {} stands after record {seq}", link.seq)));
            continue;
        }
        if link.seq > seq + 1 {
            let detail = format!("records {} to {} are missing", seq + 1, link.seq - 1);
            findings.push(Finding::new("removed", detail));
        } else if link.prev != hash {
            let detail = format!("record {seq} is not the one that record {} follows", link.seq);
            findings.push(Finding::new("edited", detail));
        }
        if !link.sound {
            findings.push(Finding::new("edited", format!("record {} was edited", link.seq)));
        }
        (seq, hash) = (link.seq, link.hash);
        kept.push(*item);
    }
    (kept, findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(digit: u8) -> Hash {
        Hash::from_hex(&[digit; 32]).unwrap()
    }

    fn item(seq: u64, prev: Hash, own: Hash) -> Item {
        Item { index: 0, link: Link { seq, prev, hash: own, sound: true } }
    }

    /// A chain of three records with the hashes `1`, `2`, `3`.
    fn chain() -> (Chain, impl Fn(u64) -> Option<Hash>) {
        let chain = Chain { id: 1, seq: 3, hash: hash(b'3') };
        (chain, |seq| (1..=3).contains(&seq).then(|| hash(b'0' + seq as u8)))
    }

    #[test]
    fn a_batch_continues_repeats_differs_or_is_elsewhere() {
        let (chain, stored) = chain();
        let new = item(4, hash(b'3'), hash(b'4'));
        let third = item(3, hash(b'2'), hash(b'3'));
        let other = item(3, hash(b'2'), hash(b'f'));
        let at = |seq: u64, digit: u8, items: &[Item]| compare(&chain, (seq, hash(digit)), items, &stored);
        assert_eq!(at(3, b'3', &[new]), Fit::Continues(0));
        assert_eq!(at(2, b'2', &[third, new]), Fit::Continues(1));
        assert_eq!(at(2, b'2', &[third]), Fit::Continues(1));
        assert_eq!(at(2, b'2', &[other, new]), Fit::Differs(0, 2));
        assert_eq!(at(3, b'f', &[new]), Fit::Elsewhere);
        assert_eq!(at(5, b'5', &[new]), Fit::Elsewhere);
        assert_eq!(at(0, b'0', &[item(1, Hash::GENESIS, hash(b'f'))]), Fit::Differs(0, 0));
    }

    #[test]
    fn every_kind_of_break_is_found_and_nothing_is_lost() {
        let after = (3, hash(b'3'));
        let find = |items: &[Item]| {
            let (kept, findings) = verify(after, items);
            (kept.len(), findings.iter().map(|finding| finding.kind).collect::<Vec<_>>())
        };
        let (four, five) = (item(4, hash(b'3'), hash(b'4')), item(5, hash(b'4'), hash(b'5')));
        assert_eq!(find(&[four, five]), (2, vec![]));
        assert_eq!(find(&[five]), (1, vec!["removed"]));
        assert_eq!(find(&[four, four, five]), (2, vec!["reordered"]));
        assert_eq!(find(&[item(4, hash(b'9'), hash(b'4')), five]), (2, vec!["edited"]));
        let edited = Item { link: Link { sound: false, ..four.link }, ..four };
        assert_eq!(find(&[edited, five]), (2, vec!["edited"]));
    }
}
