//! Lists of servers that an agent starts, by their shape: agents keep them under many names, and all write them alike.

use tollgate_model::json::{self, Value};
use tollgate_model::{EffectKind, Place, World, Zone};

use super::{LIMIT, control, without_comments};

/// The members by which agents name their servers.
const MEMBERS: &[&str] = &["mcpServers", "context_servers", "mcp_servers"];

/// A text that newly names servers, in a hidden folder: examples and documentation lie elsewhere.
pub(crate) fn list_of_servers(place: &Place, texts: &[String], world: &dyn World) -> Option<EffectKind> {
    let is_hidden = |name: &str| name.starts_with('.') && name.len() > 2;
    let readable = [".json", ".jsonc", ".yaml", ".yml"].iter().any(|end| place.path.ends_with(end));
    if !readable || place.pattern || place.zone == Zone::Temp || !place.path.split('/').any(is_hidden) {
        return None;
    }
    let new = texts.iter().filter(|text| text.len() < LIMIT).find_map(|text| servers(text))?;
    let old = world.read_disk(&place.path, LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    let same = old.and_then(|old| servers(&old)).is_some_and(|old| old == new);
    (!same).then(|| control(place, &new.0))
}

/// The member that names servers, with them: each is a program or an address.
fn servers(text: &str) -> Option<(String, Value)> {
    let member = *MEMBERS.iter().find(|member| text.contains(**member))?;
    let value = json::parse(without_comments(text).as_bytes()).ok()?.get(member)?.clone();
    let starts = |server: &Value| {
        ["command", "url", "serverUrl", "httpUrl"].iter().any(|key| server.get(key).is_some())
    };
    let any = value.as_map()?.iter().any(|(_, server)| starts(server));
    any.then(|| (member.to_owned(), value))
}
