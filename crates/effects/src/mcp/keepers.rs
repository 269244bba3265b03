//! Tools that give out secrets, and arguments that are for people.

use tollgate_model::EnvUse;
use tollgate_model::json::Value;

use super::names::Tool;
use super::words::KEPT;

impl Tool {
    /// What the tool's name says that it shows: a secret from its keeper, or the whole environment.
    pub fn secrets(&self, input: &Value) -> Option<EnvUse> {
        let own = |words: &[&str]| words.iter().any(|word| self.has(word));
        let shows = own(&[
            "get", "read", "reveal", "show", "fetch", "export", "dump", "retrieve", "decrypt", "lookup",
            "view", "copy", "access",
        ]);
        let keeper = own(KEEPERS);
        let named = own(&["secret", "secrets", "credential", "credentials", "password", "passwords"]);
        let about =
            own(&["scanning", "list", "search", "describe", "metadata", "policy", "docs", "reset", "alert"]);
        let object = ["kind", "resource", "resourceType", "resource_type"].iter().any(|key| {
            input
                .text(key)
                .is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "secret" | "secrets"))
        });
        let named = named || object;
        let kept = own(&["item", "password", "field", "entry", "note", "kv", "value", "totp", "parameter"]);
        let asked = keeper && shows && wants_field(input);
        let revealed = reveals(input) && (keeper || named || shows);
        if revealed || shows && !about && (named || keeper && kept || asked) {
            return Some(EnvUse::Store(format!("a keeper of secrets (`{}`)", self.words.join(" "))));
        }
        let environment =
            own(&["env", "environ", "environment", "envs"]) && own(&["all", "variables", "vars"]);
        let whole = environment && own(&["get", "list", "dump", "show", "print", "read", "all"]);
        (whole && !self.is_remote && !own(&["set", "update", "create"])).then_some(EnvUse::All)
    }
}

/// Programs that keep secrets, as their servers are named.
const KEEPERS: &[&str] = &[
    "onepassword",
    "1password",
    "op",
    "bitwarden",
    "bw",
    "lastpass",
    "keychain",
    "keyring",
    "keepass",
    "keepassxc",
    "dashlane",
    "passbolt",
    "vault",
    "doppler",
    "infisical",
    "akeyless",
    "conjur",
    "secretsmanager",
    "ssm",
    "keyvault",
    "sops",
];

/// A switch that asks for the value of what is kept.
fn reveals(input: &Value) -> bool {
    let switch = |(key, value): &(String, Value)| {
        let key: String =
            key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        let named = [
            "reveal",
            "decrypt",
            "unmask",
            "plaintext",
            "showsecret",
            "showpassword",
            "showvalue",
            "includevalue",
            "includesecret",
            "withdecryption",
            "cleartext",
        ];
        matches!(value, Value::Bool(true)) && named.iter().any(|part| key.contains(part))
    };
    input.as_map().unwrap_or_default().iter().any(switch)
}

/// The field of an item that is its secret.
fn wants_field(input: &Value) -> bool {
    let secret = |text: &str| {
        matches!(
            text.to_ascii_lowercase().as_str(),
            "password"
                | "credential"
                | "credentials"
                | "secret"
                | "private_key"
                | "private key"
                | "token"
                | "totp"
                | "otp"
                | "api_key"
                | "value"
        )
    };
    let fields = ["fields", "field", "properties"].iter().filter_map(|key| input.get(key));
    fields.into_iter().any(|value| match value {
        Value::String(text) => text.split(',').any(|field| secret(field.trim())),
        Value::List(items) => items.iter().filter_map(Value::as_str).any(secret),
        _ => false,
    })
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

/// What an argument says is meant, if it is something that holds what nobody else has: `{"kind": "Namespace"}`.
pub(super) fn kind(input: &Value) -> Option<String> {
    let keys = ["kind", "resource", "resourceType", "resource_type", "type", "object_type"];
    let said = keys.iter().find_map(|key| input.text(key))?.to_ascii_lowercase();
    let one = said.strip_suffix('s').unwrap_or(&said);
    let volumes =
        ["pvc", "pv", "persistentvolumeclaim", "persistentvolume", "node", "ns", "crd", "statefulset"];
    (KEPT.contains(&one) || volumes.contains(&one) || said == "ns").then(|| one.to_owned())
}
