//! The key `workflows`: which workflows are on, with their options. What a name means is the `workflow` crate's
//! to know.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::problem::{At, shown};
use crate::yaml::{Node, Value};

/// A workflow that is switched on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowUse {
    /// Its name, or the path of its file relative to the policy file.
    pub name: String,
    /// Its options, by name.
    pub options: BTreeMap<String, Vec<String>>,
    /// The policy file that names it, for messages.
    pub file: String,
    /// Line and column there.
    pub place: (u32, u32),
    /// The folder of that file.
    pub folder: String,
    /// A person's own file names it: its commands may run.
    pub trusted: bool,
}

/// The workflows of a policy. From a snapshot they are read only when somebody asks: most events do not.
#[derive(Clone, Default)]
pub struct Workflows {
    packed: Vec<u8>,
    list: OnceLock<Vec<WorkflowUse>>,
}

impl From<Vec<WorkflowUse>> for Workflows {
    fn from(list: Vec<WorkflowUse>) -> Self {
        Self { packed: Vec::new(), list: OnceLock::from(list) }
    }
}

impl std::ops::Deref for Workflows {
    type Target = [WorkflowUse];

    fn deref(&self) -> &Self::Target {
        // What is packed stands in a snapshot whose hash holds.
        self.list.get_or_init(|| unpack(&self.packed).unwrap_or_default())
    }
}

impl PartialEq for Workflows {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Workflows {}

impl std::fmt::Debug for Workflows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Workflows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = pack(self).ok_or_else(|| serde::ser::Error::custom("cannot be packed"))?;
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for Workflows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let packed = <&[u8]>::deserialize(deserializer)?.to_vec();
        Ok(Self { packed, list: OnceLock::new() })
    }
}

/// What a workflow has of its own, beside the policy file that names it.
type Named = (String, BTreeMap<String, Vec<String>>, (u32, u32));
/// A policy file, its folder, whether it is a person's own, and the workflows it names.
type Group = (String, String, bool, Vec<Named>);

/// File by file, for every byte is hashed at every event.
fn pack(list: &[WorkflowUse]) -> Option<Vec<u8>> {
    if list.is_empty() {
        return Some(Vec::new());
    }
    let mut groups: Vec<Group> = Vec::new();
    for one in list {
        let named = (one.name.clone(), one.options.clone(), one.place);
        match groups.last_mut() {
            Some((file, folder, trusted, all))
                if (&*file, &*folder, *trusted) == (&one.file, &one.folder, one.trusted) =>
            {
                all.push(named);
            }
            _ => groups.push((one.file.clone(), one.folder.clone(), one.trusted, vec![named])),
        }
    }
    postcard::to_allocvec(&groups).ok()
}

fn unpack(packed: &[u8]) -> Option<Vec<WorkflowUse>> {
    let groups: Vec<Group> = postcard::from_bytes(packed).ok()?;
    let of = |(file, folder, trusted, all): Group| {
        all.into_iter().map(move |(name, options, place)| WorkflowUse {
            name,
            options,
            place,
            file: file.clone(),
            folder: folder.clone(),
            trusted,
        })
    };
    Some(groups.into_iter().flat_map(of).collect())
}

/// A workflow as a policy file names it.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub name: String,
    pub options: BTreeMap<String, Vec<String>>,
    pub at: At,
}

/// What is wrong, where, and what to do.
pub(crate) type Wrong = (At, String, &'static str);

/// Reads the list.
pub(crate) fn read(node: &Node) -> (Vec<Chosen>, Vec<Wrong>) {
    const LIST: &str = "write `workflows: [plan, code]`";
    let (mut chosen, mut wrong): (Vec<Chosen>, Vec<Wrong>) = (Vec::new(), Vec::new());
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        _ if node.is_null() => &[],
        _ => {
            wrong.push((node.at, format!("`workflows` must be a list, not {}", node.kind()), LIST));
            &[]
        }
    };
    for item in items {
        match &item.value {
            Value::Scalar { text, .. } if !item.is_null() => {
                chosen.push(Chosen { name: text.clone(), options: BTreeMap::new(), at: item.at });
            }
            Value::Map(entries) => {
                for (key, value) in entries {
                    let name = text_of(key, &mut wrong);
                    chosen.push(Chosen { name, options: options(value, &mut wrong), at: key.at });
                }
            }
            _ => wrong.push((item.at, format!("a workflow must be a name, not {}", item.kind()), LIST)),
        }
    }
    for (index, one) in chosen.iter().enumerate() {
        if chosen.iter().take(index).any(|other| other.name == one.name) {
            wrong.push((one.at, format!("workflow `{}` is named twice", shown(&one.name)), ""));
        }
    }
    (chosen, wrong)
}

fn options(node: &Node, wrong: &mut Vec<Wrong>) -> BTreeMap<String, Vec<String>> {
    match &node.value {
        Value::Map(entries) => {
            entries.iter().map(|(key, value)| (text_of(key, wrong), texts(value, wrong))).collect()
        }
        _ if node.is_null() => BTreeMap::new(),
        _ => {
            wrong.push((
                node.at,
                format!("a workflow's options must be a map, not {}", node.kind()),
                "write `{ session-context: { files: [RULES.md] } }`",
            ));
            BTreeMap::new()
        }
    }
}

fn texts(node: &Node, wrong: &mut Vec<Wrong>) -> Vec<String> {
    match &node.value {
        Value::List(items) => items.iter().map(|item| text_of(item, wrong)).collect(),
        _ => vec![text_of(node, wrong)],
    }
}

fn text_of(node: &Node, wrong: &mut Vec<Wrong>) -> String {
    match &node.value {
        Value::Scalar { text, .. } => text.clone(),
        _ => {
            wrong.push((node.at, format!("must be text, not {}", node.kind()), ""));
            String::new()
        }
    }
}
