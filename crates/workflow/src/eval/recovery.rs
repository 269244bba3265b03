//! What is saved before a conversation is compacted, and told again after it.

use tollgate_model::json::{self, Value};
use tollgate_model::{Change, Kind};

use super::{After, Evaluator};
use crate::asking::{Asking, stands};
use crate::words;

impl Evaluator<'_, '_> {
    pub(super) fn save(&mut self, to: &str, file: &str, fields: &[(String, String)], asking: &Asking) {
        let known =
            fields.iter().filter_map(|(key, text)| Some((key.clone(), words::fill(asking, text)?.into())));
        let saved = Value::Map(known.collect());
        let mut text = String::new();
        json::write(&saved, &mut text);
        self.set(asking.flow, to, text.as_str().into());
        if !file.is_empty() {
            self.out.mirrors.push((file.to_owned(), text));
        }
    }

    pub(super) fn recover(&mut self, from: &str, file: &str, asking: &Asking) {
        let flow = asking.flow;
        let saved = self.case.states.of(flow.scope).text(&flow.name, from);
        let standing = (!file.is_empty()).then(|| stands(self.case, file)).flatten();
        if saved.is_empty() {
            // What somebody else wrote there is not for the agent's ears, but the person should know that it was not used.
            if standing.is_some() && matches!(self.case.event.kind, Kind::SessionStart { .. }) {
                let name = &flow.name;
                self.out
                    .notices
                    .push(format!("`{file}` was ignored: workflow `{name}` did not save it in this session"));
            }
            return;
        }
        if standing.as_deref().is_some_and(|text| text.trim() != saved) {
            self.out.notices.push(format!(
                "`{file}` is not what workflow `{}` saved; only what it saved itself was told to the agent",
                flow.name
            ));
        }
        let Some(Value::Map(fields)) = json::parse(saved.as_bytes()).ok() else { return };
        let mut lines = vec!["Recovered after the compaction (saved before it by Tollgate):".to_owned()];
        lines.extend(fields.iter().map(|(key, value)| format!("- {key}: {}", crate::case::plain(value))));
        self.said.push((0, lines.join("\n")));
        let forget = Change::Remove { space: flow.name.clone(), key: from.to_owned() };
        self.out.after.push(After::Forget(flow.scope, forget));
        if standing.is_some_and(|text| text.trim() == saved) {
            self.out.after.push(After::Delete(file.to_owned()));
        }
    }
}
