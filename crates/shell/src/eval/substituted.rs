//! Substitutions in words that braces make many of: each is run once.

use super::expand::Mode;
use super::{Host, Shell};
use crate::ast::Part;
use crate::value::Value;

/// The substitutions of one word, each with whether it is quoted and what it came to.
pub(super) type Substituted<'a> = Vec<(&'a Part, bool, Value)>;

impl Shell {
    /// What a substitution comes to that stands in each of the words that braces make. A shell runs it once for each,
    /// with the same result as far as can be told before it runs.
    pub(super) fn substitute_once<'a>(
        &mut self,
        part: &'a Part,
        known: &mut Substituted<'a>,
        host: &mut dyn Host,
    ) -> (bool, Value) {
        if let Some((_, quoted, value)) = known.iter().find(|(other, ..)| std::ptr::eq(*other, part)) {
            return (*quoted, value.clone());
        }
        let (quoted, expanded) = self.expand_part(part, host);
        let value = self.expanded_value(expanded, Mode::Plain, host);
        known.push((part, quoted, value.clone()));
        (quoted, value)
    }
}

/// Does the part run a script?
pub(super) fn is_substitution(part: &Part) -> bool {
    matches!(part, Part::Command { .. } | Part::Process { .. })
}
