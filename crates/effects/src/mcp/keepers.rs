//! Tools that give out secrets, and arguments that are for people.

use tollgate_model::phrase::STORE;

use super::names::Tool;

impl Tool {
    /// What the tool's name says that it shows: a secret from its keeper, or the whole environment.
    pub fn secrets(&self) -> Option<Vec<String>> {
        let own = |words: &[&str]| words.iter().any(|word| self.has(word));
        let shows = own(&["get", "read", "reveal", "show", "fetch", "export", "dump", "retrieve", "decrypt"]);
        let keeper =
            own(&["onepassword", "1password", "bitwarden", "lastpass", "keychain", "keyring", "keepass"]);
        let named = own(&["secret", "secrets", "credential", "credentials", "password", "passwords"]);
        let about =
            own(&["scanning", "list", "search", "describe", "metadata", "policy", "docs", "reset", "alert"]);
        if shows && !about && (named || keeper && own(&["item", "password", "field", "entry", "note"])) {
            return Some(vec![format!("{STORE}a keeper of secrets (`{}`)", self.words.join(" "))]);
        }
        let environment =
            own(&["env", "environ", "environment", "envs"]) && own(&["all", "variables", "vars"]);
        let whole = environment && own(&["get", "list", "dump", "show", "print", "read", "all"]);
        (whole && !self.is_remote && !own(&["set", "update", "create"])).then(Vec::new)
    }
}

/// Arguments that hold text for people, by their names.
pub(super) fn is_prose(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let parts = [
        "title",
        "descr",
        "message",
        "prompt",
        "thought",
        "comment",
        "summary",
        "note",
        "topic",
        "reason",
        "name",
        "question",
        "answer",
        "subject",
        "instruct",
        "goal",
        "task",
        "label",
        "pattern",
        "search",
        "term",
        "jql",
        "keyword",
        "phrase",
        "caption",
        "explan",
        "context",
        "observation",
        "element",
        "value",
        "old",
        "new",
    ];
    parts.iter().any(|part| key.contains(part))
}
