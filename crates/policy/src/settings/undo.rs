//! The key `undo`: a word, or a map of budgets.

use super::{Reader, shown};
use crate::layers::Marked;
use crate::undo::{Budget, Undo};
use crate::yaml::{Node, Value};

/// The keys of `undo`, where it is a map.
pub const UNDO_KEYS: [&str; 5] = ["size", "files", "ms", "days", "store"];

/// A hook has less than five seconds for everything.
const LONGEST: u64 = 2_000;

impl Reader<'_> {
    /// `undo:`, a word or a map of budgets. A map switches it on.
    pub(super) fn undo(&mut self, node: &Node) {
        let Value::Map(entries) = &node.value else {
            self.settings.undo = self.choice("undo", node, &super::UNDOS);
            return;
        };
        let mut budget = Budget::default();
        for (key, at, value) in self.entries(entries) {
            match key {
                "size" => self.amount(key, value, 1 << 40, &mut budget.size),
                "files" => self.amount(key, value, 1_000_000, &mut budget.files),
                "ms" => self.amount(key, value, LONGEST, &mut budget.ms),
                "days" => self.amount(key, value, 3_650, &mut budget.days),
                "store" => self.amount(key, value, 1 << 50, &mut budget.store),
                unknown => self.unknown("`undo`", unknown, at, &UNDO_KEYS),
            }
        }
        self.settings.undo = Some(Marked { value: Undo::Save, at: node.at });
        self.settings.budget = Some(Marked { value: budget, at: node.at });
    }

    fn amount(&mut self, key: &str, node: &Node, most: u64, amount: &mut u64) {
        let text = match &node.value {
            Value::Scalar { text, .. } => text.as_str(),
            _ => "",
        };
        let is_size = matches!(key, "size" | "store");
        match read_amount(text, is_size).filter(|read| (1..=most).contains(read)) {
            Some(read) => *amount = read,
            None => {
                let hint = if is_size { "write `256 MiB` or `5 GiB`" } else { "write a whole number" };
                let message = format!("`{key}` must be from 1 to {most}, not `{}`", shown(text));
                self.error(node.at, &message, hint);
            }
        }
    }
}

/// A whole number, with a unit where it is a size.
fn read_amount(text: &str, is_size: bool) -> Option<u64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let factor = match unit.trim() {
        "" => 1,
        "KiB" if is_size => 1 << 10,
        "MiB" if is_size => 1 << 20,
        "GiB" if is_size => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::read_amount;

    #[test]
    fn amounts() {
        assert_eq!(read_amount("256 MiB", true), Some(256 << 20));
        assert_eq!(read_amount("5GiB", true), Some(5 << 30));
        assert_eq!(read_amount("300", false), Some(300));
        for wrong in ["", "-1", "1.5", "5 GB", "99999999999999999999", "20000000000 GiB"] {
            assert_eq!(read_amount(wrong, true), None, "{wrong}");
        }
        assert_eq!(read_amount("3 MiB", false), None);
    }
}
