//! The hooks of the Claude Code plugin. They are for the same events as those that `init` registers, and come from the
//! same table.

use super::{EVENTS, group};
use tollgate_model::json::{Value, object};

/// The content of the plugin's `hooks/hooks.json`.
///
/// A plugin does not know where the gate is installed, so each hook starts `script` with two arguments: the word `block`
/// or `report`, and the event. Where a call waits for the answer, a gate that is missing must refuse (`block`). Anywhere
/// else it only tells the user (`report`): a refusal there would erase prompts or keep the agent from stopping.
#[must_use]
pub fn hooks(script: &str) -> Value {
    let events = EVENTS.iter().map(|hooked| {
        let mode = if hooked.blocks { "block" } else { "report" };
        let args = [mode, hooked.event].map(str::to_owned).to_vec();
        (hooked.event.to_owned(), Value::List(vec![group(hooked, script, args)]))
    });
    let about = "Every tool call passes Tollgate first";
    object([("description", about.into()), ("hooks", Value::Map(events.collect()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::claude::Registration;

    #[test]
    fn a_plugin_registers_what_init_registers() {
        let value = hooks("/plugin/run");
        let hooks = value.get("hooks").and_then(Value::as_map).unwrap();
        let entries = Registration::built().entries();
        assert_eq!(hooks.len(), entries.len());
        for (entry, (event, groups)) in entries.iter().zip(hooks) {
            assert_eq!(&entry.event, event);
            let group = &groups.as_list().unwrap()[0];
            assert_eq!(group.get("matcher"), entry.group.get("matcher"), "{event}");
            let handler = |group: &Value| group.get("hooks").unwrap().as_list().unwrap()[0].clone();
            let (ours, inits) = (handler(group), handler(&entry.group));
            for key in ["type", "timeout", "onFailure"] {
                assert_eq!(ours.get(key), inits.get(key), "{event} {key}");
            }
            let mode = if ours.text("onFailure") == Some("block") { "block" } else { "report" };
            let args = Value::List(vec![mode.into(), event.as_str().into()]);
            assert_eq!(
                (ours.text("command"), ours.get("args")),
                (Some("/plugin/run"), Some(&args)),
                "{event}"
            );
        }
    }
}
