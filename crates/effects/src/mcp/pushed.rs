//! Files that go to a repository of a forge: they run there, and here once they are fetched.

use tollgate_model::json::Value;
use tollgate_model::{EffectKind, Lasting};

use super::fields::Field;
use crate::aftermath::planted;
use crate::content::{self, Extent};
use crate::encodings::from_base64;
use crate::tools::Hands;

/// How deep a call is looked into for files.
const DEPTH: u32 = 6;

/// Judges each file of a call as if it were written into the workspace.
pub(super) fn files(hands: &mut Hands, input: &Value) {
    let mut found = Vec::new();
    collect(input, 0, &mut found);
    for (path, text) in found {
        judged(hands, path, &text);
    }
}

fn judged(hands: &mut Hands, path: &str, text: &str) {
    let world = hands.analyst.world;
    let place = format!("{}/{}", world.workspace(), path.trim_start_matches('/'));
    let shown = format!("`{path}`");
    let mut kinds = planted(&place, &shown, text, world);
    if let Some(danger) = content::danger(&place, text, Extent::Whole, world) {
        kinds.push(EffectKind::Persist { kind: Lasting::Script, what: format!("{shown}, which {danger}") });
    }
    kinds.into_iter().for_each(|kind| hands.push(kind));
}

/// The maps of a call that hold a path and a content.
fn collect<'v>(value: &'v Value, depth: u32, found: &mut Vec<(&'v str, String)>) {
    if depth > DEPTH {
        return;
    }
    match value {
        Value::List(items) => items.iter().for_each(|item| collect(item, depth + 1, found)),
        Value::Map(members) => {
            let text = |wanted: Field| {
                members.iter().find_map(|(key, value)| value.as_str().filter(|_| Field::of(key) == wanted))
            };
            if let (Some(path), Some(content)) = (text(Field::Path), text(Field::Content)) {
                found.push((path, decoded(content)));
            }
            members.iter().for_each(|(_, member)| collect(member, depth + 1, found));
        }
        _ => {}
    }
}

/// Some forges take files in base 64.
fn decoded(content: &str) -> String {
    let coded = content.len() >= 16
        && content
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r'));
    let text = coded.then(|| from_base64(content)).flatten().and_then(|bytes| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| content.to_owned())
}
