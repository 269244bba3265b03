//! Tools that open something of a service to everybody.

use tollgate_model::json::Value;
use tollgate_model::{EffectKind, InfraTool};

use super::names::{Tool, Verb};
use crate::openings::clouds::is_everywhere;

/// What the call opens, if it does.
pub(super) fn opens(tool: &Tool, input: &Value) -> Option<EffectKind> {
    let asks = matches!(tool.verb, Verb::Read | Verb::Delete)
        || ["search", "list", "get", "find", "query"].iter().any(|word| tool.has(word));
    let named = ["make", "set"].iter().any(|word| tool.has(word)) && tool.has("public");
    if asks && !named {
        return None;
    }
    let how = if named { Some("public") } else { in_arguments(tool, input, 0) }?;
    let target = ["repo", "repository", "name", "bucket", "file_id", "fileId", "project", "id", "path"]
        .iter()
        .find_map(|key| input.text(key))
        .unwrap_or_default();
    let target = format!("{how} {target}").trim_end().to_owned();
    Some(EffectKind::Infra {
        tool: InfraTool::Named(tool.server.clone()),
        operation: "public".to_owned(),
        target,
    })
}

/// The argument that says so. What is made anew has nothing in it yet, and whom it is for is chosen then.
fn in_arguments(tool: &Tool, input: &Value, depth: u32) -> Option<&'static str> {
    let members = input.as_map().filter(|_| depth < 4)?;
    let makes = tool.has("create") && !tool.has("permission") && !tool.has("share");
    for (key, value) in members {
        let key: String =
            key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let text = value.as_str().unwrap_or_default().to_ascii_lowercase();
        let found = match (key.as_str(), value) {
            ("visibility" | "access" | "sharing", _) if text == "public" && !makes => {
                Some("visibility public")
            }
            ("acl" | "cannedacl", _) if text.starts_with("public-") => Some("acl public"),
            ("private" | "isprivate", Value::Bool(false)) if keeps(tool) && !makes => Some("private no"),
            ("public" | "ispublic" | "makepublic", Value::Bool(true)) if !makes => Some("public yes"),
            ("type" | "scope" | "sharewith", _) if text == "anyone" => Some("anyone"),
            ("member" | "principal" | "members", _)
                if matches!(text.as_str(), "allusers" | "allauthenticatedusers" | "*") =>
            {
                Some("everybody")
            }
            ("cidr" | "cidrip" | "sourcerange" | "source", _) if is_everywhere(&text) => {
                Some("every address")
            }
            (_, Value::Map(_)) => in_arguments(tool, value, depth + 1),
            (_, Value::List(items)) => {
                items.iter().find_map(|item| in_arguments(tool, item, depth + 1)).or_else(|| {
                    let all = |item: &Value| {
                        item.as_str().is_some_and(|item| item == "allUsers" || is_everywhere(item))
                    };
                    items.iter().any(all).then_some("everybody")
                })
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Things that hold files: a channel that is not private is nothing new.
fn keeps(tool: &Tool) -> bool {
    ["repo", "repository", "bucket", "gist", "project", "snippet", "dataset", "model", "space", "drive"]
        .iter()
        .any(|word| tool.has(word))
}
