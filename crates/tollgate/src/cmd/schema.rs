//! `tollgate schema`: JSON Schema of the files that people write, for editors. Keys come from the parsers' own lists.

use serde_json::{Map, Value, json};
use tollgate_model::{EffectKind, Level, Pack, Phase};
use tollgate_policy::{BUILT_IN, SinkKind, StageKind, keys};
use tollgate_workflow::keys as flow;

use crate::cmd::test::read as tests;
use crate::exit::ExitCode;
use crate::out;

/// Arguments of `tollgate schema`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// File that the schema describes
    #[arg(value_enum, default_value = "policy")]
    file: Kind,
}

/// The files that have a schema.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `tollgate.yaml`
    Policy,
    /// `hook.meta.yaml`
    Hook,
    /// Workflow files
    Workflow,
    /// `tollgate.tests.yaml`
    Tests,
}

/// Prints a schema.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    out::text(&format!("{:#}\n", schema(args.file)));
    Ok(ExitCode::SUCCESS)
}

/// The schema of a kind of file.
pub fn schema(kind: Kind) -> Value {
    let (title, root) = match kind {
        Kind::Policy => ("Tollgate policy", policy()),
        Kind::Hook => ("Tollgate hook", hook()),
        Kind::Workflow => ("Tollgate workflow", workflow()),
        Kind::Tests => ("Tollgate policy tests", test_file()),
    };
    let mut whole = Map::new();
    whole.insert("$schema".into(), "https://json-schema.org/draft/2020-12/schema".into());
    whole.insert("title".into(), title.into());
    whole.extend(root.as_object().cloned().unwrap_or_default());
    if kind == Kind::Workflow {
        whole.insert("$defs".into(), json!({"condition": condition()}));
    }
    Value::Object(whole)
}

fn policy() -> Value {
    let rules: Vec<&str> = tollgate_rules::all().map(|rule| rule.card().id).collect();
    // Only what a snapshot brings back may be saved instead.
    let rule = |id: &str| {
        let restorable =
            tollgate_rules::all().any(|rule| rule.card().id == id && rule.card().is_restorable());
        let levels: Vec<&str> =
            Level::NAMES.into_iter().filter(|name| restorable || *name != "save").collect();
        json!({"anyOf": [words(&levels), object(&keys::RULE_KEYS, &[], |key| match key {
            "level" => words(&levels),
            _ => list(text()),
        })]})
    };
    let packs: Vec<String> =
        Pack::ALL.iter().flat_map(|pack| [pack.name().to_owned(), format!("-{}", pack.name())]).collect();
    object(&keys::KEYS, &["version"], |key| match key {
        "version" => json!({"const": 1, "description": "The version of this format."}),
        "mode" => {
            described(words(&["enforce", "observe"]), "Refuse what is to be refused, or only decide and log.")
        }
        "on_fault" => described(words(&["ask", "deny", "allow"]), "When the gate itself cannot decide."),
        "approve" => described(
            words(&["none", "read-only"]),
            "Skip the agent's prompt for calls understood to be harmless.",
        ),
        "audit" => described(
            words(&["optional", "required", "durable"]),
            "Whether a call may run that cannot be recorded, and whether its record is on the disk first.",
        ),
        "packs" => described(nullable(list(json!({"enum": packs}))), "A name with `-` takes a pack out."),
        "rules" => {
            let each = rules.iter().map(|id| ((*id).to_owned(), rule(id))).collect::<Map<_, _>>();
            described(
                nullable(json!({"type": "object", "properties": each, "additionalProperties": false})),
                "How firmly each rule is held to.",
            )
        }
        "custom" => described(nullable(list(custom())), "Rules of your own."),
        "allow" => described(nullable(list(exception())), "Exceptions; not in a project's file."),
        "workflows" => described(
            nullable(list(json!({"anyOf": [text(), map(map(texts()))]}))),
            "The workflows that are on.",
        ),
        "hooks" => described(map(pipeline()), "Middleware by event."),
        "redact" => described(words(&["secrets", "personal"]), "What is taken out of records."),
        "undo" => described(
            json!({"anyOf": [words(&["off", "save"]), object(&keys::UNDO_KEYS, &[], |key| match key {
                "size" | "store" => json!({"anyOf": [text(), json!({"type": "integer"})]}),
                _ => json!({"type": "integer"}),
            })]}),
            "Whether a call's losses are saved before it runs, and how much that may take.",
        ),
        "contain" => described(contain(), "What a command can reach that `tollgate run` limits."),
        "sinks" => described(nullable(list(sink())), "Where records go besides the log, after the answer."),
        "trust" => described(
            nullable(list(object(&keys::TRUST_KEYS, &keys::TRUST_KEYS, |_| text()))),
            "Projects whose hooks may run; not in a project's file.",
        ),
        "include" => described(texts(), "Patterns of hook files."),
        // Unknown to this list: a test holds that there is none.
        _ => json!(false),
    })
}

fn contain() -> Value {
    object(&keys::CONTAIN_KEYS, &[], |key| match key {
        "network" | "sockets" => words(&["allow", "deny"]),
        _ => texts(),
    })
}

/// Every kind of sink has its own keys.
fn sink() -> Value {
    let one = |(name, kind): (&str, SinkKind)| {
        let (known, needed) = kind.keys();
        let all: Vec<&str> = std::iter::once("uses").chain(known.iter().copied()).collect();
        let needed: Vec<&str> = std::iter::once("uses").chain(needed).collect();
        object(&all, &needed, |key| match key {
            "uses" => json!({"const": name}),
            "headers" => map(text()),
            "run" => texts(),
            "canaries" => json!({"type": "boolean"}),
            _ => text(),
        })
    };
    json!({"anyOf": SinkKind::ALL.map(one)})
}

fn custom() -> Value {
    let sample = json!({"anyOf": [text(), object(&keys::EXAMPLE_KEYS, &[], |key| match key {
        "input" => json!({"type": "object"}),
        _ => text(),
    })]});
    object(&keys::CUSTOM_KEYS, &["id", "level", "when", "reason"], |key| match key {
        "id" => json!({"type": "string", "pattern": "^[a-z0-9-]{1,64}$"}),
        "level" => words(&Level::NAMES),
        "on" => described(
            one_or_more(phases()),
            "The events it is asked at; `pre-tool` unless it says otherwise.",
        ),
        "when" => described(text(), "A condition in CEL over event, call, effect, effects, facts and state."),
        "reason" => described(text(), "Why: the agent reads it."),
        "instead" => described(text(), "What to do instead."),
        _ => object(&keys::EXAMPLES_KEYS, &[], |_| list(sample.clone())),
    })
}

fn exception() -> Value {
    object(&keys::ALLOW_KEYS, &[], |key| match key {
        "until" => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
        "command" => described(text(), "Words; `*` is any part of one, `**` at the end any more words."),
        _ => text(),
    })
}

fn hook() -> Value {
    object(&keys::META_KEYS, &["event"], |key| match key {
        "kind" => words(&["hook"]),
        "id" | "category" | "summary" => text(),
        "event" => phases(),
        other => pipeline_key(other),
    })
}

fn pipeline() -> Value {
    object(&keys::PIPELINE_KEYS, &[], pipeline_key)
}

fn pipeline_key(key: &str) -> Value {
    match key {
        "execution" => words(&["pipeline", "parallel"]),
        "default_decision" => words(&["allow", "continue", "block", "deny"]),
        "providers" => providers(),
        _ => list(stage()),
    }
}

fn stage() -> Value {
    object(&keys::STAGE_KEYS, &["id", "type"], |key| match key {
        "type" => {
            let aliases = StageKind::ALIASES.map(|(name, _)| name);
            words(&[&StageKind::ALL.map(StageKind::name)[..], &aliases].concat())
        }
        "uses" => words(&BUILT_IN),
        "run" => texts(),
        "enabled" => json!({"type": "boolean"}),
        "config" => nullable(json!({"type": "object"})),
        "timeout" => seconds(),
        "on_error" => words(&["allow", "ask", "deny", "block", "retry"]),
        "providers" => providers(),
        "match" => object(&keys::MATCH_KEYS, &[], |key| match key {
            "agents" => one_or_more(words(&keys::PROVIDERS.map(|(name, _)| name))),
            "effects" => one_or_more(words(&EffectKind::NAMES)),
            _ => texts(),
        }),
        _ => text(),
    })
}

fn seconds() -> Value {
    json!({"type": "number", "exclusiveMinimum": 0, "maximum": keys::LONGEST})
}

fn providers() -> Value {
    let one = object(&keys::OVERRIDE_KEYS, &[], |key| match key {
        "enabled" => json!({"type": "boolean"}),
        "timeout" => seconds(),
        _ => nullable(json!({"type": "object"})),
    });
    let names = keys::PROVIDERS.map(|(name, _)| (name.to_owned(), one.clone()));
    json!({"type": "object", "properties": names.into_iter().collect::<Map<_, _>>(), "additionalProperties": false})
}

fn workflow() -> Value {
    object(&flow::FLOW, &[], |key| match key {
        "version" => json!({"const": 1}),
        "scope" => words(&["session", "project"]),
        "expires" => json!({"type": ["string", "integer"]}),
        "options" => map(json!({})),
        "start" => object(&flow::START, &[], |key| match key {
            "always" => json!({"type": ["boolean", "string"]}),
            "need" => json!({"type": ["object", "array"]}),
            _ => texts(),
        }),
        "artifacts" => map(texts()),
        "phases" => texts(),
        "gates" => list(gate()),
        _ => text(),
    })
}

fn gate() -> Value {
    let condition = || json!({"$ref": "#/$defs/condition"});
    let acts = || object(&flow::ACTS, &[], |_| json!({}));
    object(&flow::GATE, &["on"], |key| match key {
        "on" => one_or_more(words(&flow::moments())),
        "active" => json!({"enum": [true, false, "true", "false", "any"]}),
        "actor" => words(&["main", "subagent", "any"]),
        "if" | "need" => condition(),
        "message" => text(),
        "level" => words(&["warn", "ask", "block", "fail"]),
        // An option may stand for any of them: `limit: "{limit}"`.
        "limit" => json!({"type": ["integer", "string"]}),
        "once" => json!({"type": ["boolean", "string"]}),
        "then" => json!({"anyOf": [acts(), list(acts())]}),
        _ => texts(),
    })
}

fn condition() -> Value {
    let same = || json!({"$ref": "#/$defs/condition"});
    let one = object(&flow::CONDITIONS, &[], |key| match key {
        "all" | "any" => json!({"anyOf": [same(), list(same())]}),
        "not" => same(),
        "exists" | "expr" => text(),
        "committed" => json!({"type": ["string", "number", "boolean", "object"]}),
        "phase" => texts(),
        "observed" => words(&["red", "green"]),
        _ => json!({"type": "object"}),
    });
    json!({"anyOf": [one, list(same())]})
}

fn test_file() -> Value {
    let step = |key: &str| match key {
        "input" | "payload" => json!({"type": "object"}),
        "event" => words(&tests::EVENTS),
        "expect" => words(&tests::EXPECT),
        _ => text(),
    };
    let all: Vec<&str> = tests::TEST_KEYS.into_iter().chain(tests::STEP_KEYS).collect();
    let test = object(&all, &[], |key| match key {
        "name" => text(),
        "files" | "changed" => map(json!({"type": ["string", "null"]})),
        "git" => json!({"type": "boolean"}),
        "steps" => list(object(&tests::STEP_KEYS, &[], step)),
        other => step(other),
    });
    object(&tests::FILE_KEYS, &["version", "tests"], |key| match key {
        "version" => json!({"const": 1}),
        _ => list(test.clone()),
    })
}

/// A map with these keys and no others.
fn object(keys: &[&str], required: &[&str], of: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), of(key))).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A map of any names.
fn map(of: Value) -> Value {
    json!({"type": "object", "additionalProperties": of})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn one_or_more(of: Value) -> Value {
    json!({"anyOf": [of, list(of.clone())]})
}

/// Numbers and truth values are texts where a text is wanted, as the parser takes them.
fn text() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

fn texts() -> Value {
    one_or_more(text())
}

fn words(all: &[&str]) -> Value {
    json!({"enum": all})
}

fn nullable(of: Value) -> Value {
    json!({"anyOf": [of, {"type": "null"}]})
}

fn phases() -> Value {
    let ours = Phase::ALL.map(Phase::name);
    let theirs = [
        "PreToolUse",
        "PostToolUse",
        "UserPromptSubmit",
        "SessionStart",
        "Stop",
        "SubagentStop",
        "pre-tool-use",
        "post-tool-use",
    ];
    json!({"anyOf": [{"enum": ours.into_iter().chain(theirs).collect::<Vec<_>>()}, {"type": "string"}]})
}

fn described(mut of: Value, what: &str) -> Value {
    if let Some(members) = of.as_object_mut() {
        members.insert("description".into(), what.into());
    }
    of
}
