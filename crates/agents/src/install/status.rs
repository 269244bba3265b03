//! How a settings file compares with what should be registered in it.

use super::edit::{Entry, HOOKS, groups};
use tollgate_model::json::Value;

/// Says of a handler whether it is ours.
pub type Ours = fn(&Value) -> bool;

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Events with exactly the wanted handler.
    pub current: Vec<String>,
    /// Events with another handler of ours, with several, or where none is wanted.
    pub stale: Vec<String>,
    /// Events without a handler of ours.
    pub missing: Vec<String>,
    /// How many handlers are ours.
    pub ours: usize,
    /// How many are other people's.
    pub others: usize,
}

impl Status {
    /// Compares.
    #[must_use]
    pub fn of(settings: &Value, wanted: &[Entry], ours: Ours) -> Self {
        let mut status = Self::default();
        for entry in wanted {
            let found: Vec<(&Value, &Value)> = ours_in(settings, &entry.event, ours).collect();
            let list = match found.as_slice() {
                [] => &mut status.missing,
                [(group, handler)]
                    if matches_all(group) && handlers(&entry.group) == [(*handler).clone()] =>
                {
                    &mut status.current
                }
                _ => &mut status.stale,
            };
            list.push(entry.event.clone());
        }
        for (event, _) in settings.get(HOOKS).and_then(Value::as_map).unwrap_or_default() {
            let (mine, theirs): (Vec<_>, Vec<_>) =
                groups(settings, event).iter().flat_map(handlers).partition(|handler| ours(handler));
            status.ours += mine.len();
            status.others += theirs.len();
            if !mine.is_empty() && wanted.iter().all(|entry| entry.event != *event) {
                status.stale.push(event.clone());
            }
        }
        status
    }

    /// Is everything as wanted?
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.stale.is_empty() && self.missing.is_empty()
    }
}

/// The handlers of ours for an event, each with its group.
pub(crate) fn ours_in<'a>(
    settings: &'a Value,
    event: &str,
    ours: Ours,
) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    groups(settings, event).iter().flat_map(move |group| {
        handlers(group).iter().filter(move |handler| ours(handler)).map(move |handler| (group, handler))
    })
}

/// The handlers of a group. Some agents have no groups: there the element is the handler.
pub(super) fn handlers(group: &Value) -> &[Value] {
    group.get(HOOKS).and_then(Value::as_list).unwrap_or(std::slice::from_ref(group))
}

pub(super) fn matches_all(group: &Value) -> bool {
    group.get("matcher").is_none() || matches!(group.text("matcher"), Some("" | "*"))
}
