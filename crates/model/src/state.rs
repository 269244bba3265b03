//! What workflows remember: values by namespace and key, and the changes that are made to them.

use std::collections::BTreeMap;

use crate::json::{self, Value, object};

/// The state of workflows: a namespace for each, with values by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    spaces: BTreeMap<String, Space>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Space {
    /// Seconds since 1970 of the last change.
    touched: u64,
    values: BTreeMap<String, Value>,
}

/// One change. Each makes sense whatever other processes change at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets a value.
    Set {
        /// The namespace.
        space: String,
        /// The key.
        key: String,
        /// The value.
        value: Value,
    },
    /// Sets a value, if it is still what it was when that was decided.
    Move {
        /// The namespace.
        space: String,
        /// The key.
        key: String,
        /// What it was; none when there was no value.
        from: Option<Value>,
        /// What it becomes.
        to: Value,
    },
    /// Counts.
    Add {
        /// The namespace.
        space: String,
        /// The key.
        key: String,
        /// By how many.
        by: u64,
    },
    /// Adds to a list of different values, of which the latest are kept.
    Push {
        /// The namespace.
        space: String,
        /// The key.
        key: String,
        /// The value.
        value: Value,
        /// How many are kept.
        most: usize,
    },
    /// Takes a value away.
    Remove {
        /// The namespace.
        space: String,
        /// The key.
        key: String,
    },
    /// Takes a whole namespace away.
    Clear {
        /// The namespace.
        space: String,
    },
}

impl State {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, space: &str, key: &str) -> Option<&Value> {
        self.spaces.get(space)?.values.get(key)
    }

    /// The text of a key; empty when it has none.
    #[must_use]
    pub fn text(&self, space: &str, key: &str) -> &str {
        self.get(space, key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Is a key's value `true`?
    #[must_use]
    pub fn is(&self, space: &str, key: &str) -> bool {
        self.get(space, key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// The number of a key; zero when it has none.
    #[must_use]
    pub fn count(&self, space: &str, key: &str) -> u64 {
        match self.get(space, key) {
            Some(Value::Number(number)) => number.parse().unwrap_or_default(),
            _ => 0,
        }
    }

    /// The texts of a list.
    #[must_use]
    pub fn texts(&self, space: &str, key: &str) -> Vec<&str> {
        let list = self.get(space, key).and_then(Value::as_list).unwrap_or_default();
        list.iter().filter_map(Value::as_str).collect()
    }

    /// Every value: namespace, key, value.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.spaces.iter().flat_map(|(name, space)| {
            space.values.iter().map(move |(key, value)| (name.as_str(), key.as_str(), value))
        })
    }

    /// Several states as one object of namespaces; of a key that two have, the later state's value counts.
    #[must_use]
    pub fn merged(all: &[&Self]) -> Value {
        let mut spaces: BTreeMap<&str, BTreeMap<&str, &Value>> = BTreeMap::new();
        for (space, key, value) in all.iter().flat_map(|state| state.all()) {
            spaces.entry(space).or_default().insert(key, value);
        }
        let values = |values: BTreeMap<&str, &Value>| {
            values.into_iter().map(|(key, value)| (key.to_owned(), value.clone())).collect()
        };
        Value::Map(spaces.into_iter().map(|(name, one)| (name.to_owned(), Value::Map(values(one)))).collect())
    }

    /// Is there nothing in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spaces.is_empty()
    }

    /// Makes a change. `now` is in seconds since 1970.
    pub fn apply(&mut self, change: &Change, now: u64) {
        match change {
            Change::Set { space, key, value } => self.set(space, key, value.clone(), now),
            Change::Move { space, key, from, to } => {
                if self.get(space, key) == from.as_ref() {
                    self.set(space, key, to.clone(), now);
                }
            }
            Change::Add { space, key, by } => {
                let count = self.count(space, key).saturating_add(*by);
                self.set(space, key, count.into(), now);
            }
            Change::Push { space, key, value, most } => self.push(space, key, value, *most, now),
            Change::Remove { space, key } => {
                if let Some(space) = self.spaces.get_mut(space) {
                    space.values.remove(key);
                }
                self.spaces.retain(|_, space| !space.values.is_empty());
            }
            Change::Clear { space } => {
                self.spaces.remove(space);
            }
        }
    }

    /// Forgets namespaces in which nothing has changed for so long. A clock that was set back forgets nothing.
    pub fn expire(&mut self, now: u64, life: impl Fn(&str) -> u64) {
        self.spaces.retain(|name, space| now.saturating_sub(space.touched) <= life(name));
    }

    fn set(&mut self, space: &str, key: &str, value: Value, now: u64) {
        let space = self.spaces.entry(space.to_owned()).or_default();
        space.touched = now;
        space.values.insert(key.to_owned(), value);
    }

    fn push(&mut self, space: &str, key: &str, value: &Value, most: usize, now: u64) {
        let mut list = self.get(space, key).and_then(Value::as_list).unwrap_or_default().to_vec();
        list.retain(|other| other != value);
        list.push(value.clone());
        list.drain(..list.len().saturating_sub(most));
        self.set(space, key, Value::List(list), now);
    }

    /// The state as JSON.
    #[must_use]
    pub fn write(&self) -> String {
        let spaces = self.spaces.iter().map(|(name, space)| {
            let values = space.values.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
            let value = object([("touched", space.touched.into()), ("values", Value::Map(values))]);
            (name.clone(), value)
        });
        let mut text = String::new();
        json::write(&Value::Map(spaces.collect()), &mut text);
        text
    }

    /// Reads what `write` wrote; none when it is something else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let value = json::parse(text.as_bytes()).ok()?;
        let spaces = value.as_map()?.iter().map(|(name, space)| {
            let Some(Value::Number(touched)) = space.get("touched") else { return None };
            let values = space.get("values")?.as_map()?.iter().cloned().collect();
            Some((name.clone(), Space { touched: touched.parse().ok()?, values }))
        });
        Some(Self { spaces: spaces.collect::<Option<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(space: &str, key: &str, value: impl Into<Value>) -> Change {
        Change::Set { space: space.into(), key: key.into(), value: value.into() }
    }

    fn moved(from: Option<&str>, to: &str) -> Change {
        let from = from.map(Value::from);
        Change::Move { space: "code".into(), key: "phase".into(), from, to: to.into() }
    }

    #[test]
    fn what_is_written_is_read() {
        let mut state = State::default();
        let push =
            |text: &str| Change::Push { space: "s".into(), key: "files".into(), value: text.into(), most: 2 };
        let add = Change::Add { space: "s".into(), key: "n".into(), by: 2 };
        let changes = [
            set("plan", "is_active", true),
            set("plan", "odd\n\"key", "vä\tl"),
            push("a"),
            push("b"),
            push("a"),
            push("c"),
            add.clone(),
            add,
        ];
        changes.iter().for_each(|change| state.apply(change, 7));
        assert_eq!(State::read(&state.write()), Some(state.clone()));
        assert_eq!(state.texts("s", "files"), ["a", "c"]);
        assert_eq!(state.count("s", "n"), 4);
        assert!(state.is("plan", "is_active") && !state.is("plan", "other"));
        for text in ["", "[]", "{\"a\":1}", "{\"a\":{\"touched\":\"x\",\"values\":{}}}"] {
            assert_eq!(State::read(text), None, "{text}");
        }
    }

    #[test]
    fn of_two_who_move_on_one_does() {
        let mut state = State::default();
        state.apply(&moved(None, "red"), 1);
        state.apply(&moved(Some("red"), "green"), 1);
        state.apply(&moved(Some("red"), "blue"), 1);
        assert_eq!(state.text("code", "phase"), "green");
    }

    #[test]
    fn f16_a_jump_of_the_clock_forgets_too_much_rather_than_too_little() {
        let mut state = State::default();
        state.apply(&set("plan", "is_active", true), 1000);
        let mut back = state.clone();
        back.expire(0, |_| 10);
        assert_eq!(back, state);
        state.expire(1011, |_| 10);
        assert!(state.is_empty());
    }
}
