//! Methods of libraries by which databases, buckets and clusters lose what they hold: a catalogue.

use tollgate_model::json::Value;
use tollgate_model::{EffectKind, InfraTool};

use super::services::is_service;
use super::value::{Args, Val};
use crate::commands::databases::lua::flushes;
use crate::documents;

/// Methods of the clouds' libraries that take a whole resource away, as their APIs name them.
const REMOVALS: &[&str] = &[
    "delete_bucket",
    "delete_objects",
    "delete_table",
    "delete_db_instance",
    "delete_db_cluster",
    "delete_db_snapshot",
    "delete_stack",
    "delete_cluster",
    "delete_volume",
    "delete_snapshot",
    "delete_hosted_zone",
    "delete_function",
    "delete_user_pool",
    "delete_file_system",
    "delete_vpc",
    "delete_project",
    "delete_instance",
    "delete_database",
    "delete_namespace",
    "delete_namespaced_deployment",
    "delete_namespaced_stateful_set",
    "delete_collection_namespaced_pod",
    "terminate_instances",
    "schedule_key_deletion",
    "deleteBucket",
    "deleteTable",
    "deleteDBInstance",
    "terminateInstances",
];

/// Those that only a library of a service means so, in any spelling: without capitals and `_`.
const SERVICE_REMOVALS: &[&str] = &[
    "deletebucket",
    "deleteobjects",
    "deletefiles",
    "deletetable",
    "deletedbinstance",
    "deletedbcluster",
    "deletestack",
    "deletecluster",
    "deletevolume",
    "deletesnapshot",
    "deletehostedzone",
    "deletefunction",
    "deleteuserpool",
    "deletefilesystem",
    "deletevpc",
    "deleteproject",
    "deleteinstance",
    "deletedatabase",
    "deletedataset",
    "deletecontainer",
    "deleteshare",
    "deletequeue",
    "deletetopic",
    "deletenamespace",
    "deletepersistentvolume",
    "deletenamespacedpersistentvolumeclaim",
    "deletenamespaceddeployment",
    "deletenamespacedstatefulset",
    "terminateinstances",
    "recursivedelete",
    "deleteusers",
    "prunevolumes",
];

/// Methods that take everything a table or a collection holds, when nothing narrows them down; without capitals and `_`.
const WHOLE: &[&str] = &[
    "dropall",
    "deleteall",
    "destroyall",
    "deletemany",
    "dropcollection",
    "truncate",
    "truncateall",
    "truncatetables",
    "dropschema",
    "droptable",
    "droptables",
    "droptableifexists",
    "dropifexists",
    "dropalltables",
    "rawdelete",
];

/// What a method takes away.
pub(super) fn loss(class: &str, name: &str, args: &Args) -> Option<EffectKind> {
    if let Some(operation) = of_database(class, name, args) {
        let object = format!("`{name}`");
        return Some(EffectKind::Database { operation: operation.to_owned(), object });
    }
    of_cloud(class, name, args).then(|| {
        let (tool, operation) = ("a library of a cloud".to_owned(), "delete".to_owned());
        EffectKind::Infra { tool: InfraTool::Named(tool), operation, target: name.to_owned() }
    })
}

/// What is done to a database, in the words of the rules.
fn of_database(class: &str, name: &str, args: &Args) -> Option<&'static str> {
    let folded = plain(name);
    if matches!(folded.as_str(), "dropdatabase" | "flushall" | "flushdb") || sends_flush(name, args) {
        return Some("drop-database");
    }
    let narrows = args.list.first().is_some_and(|value| match value {
        Val::Table(table) => {
            !table.entries.is_empty()
                && value.entry("where").is_none_or(|inner| !is_empty(inner))
                && documents::truth(&plain_value(value, DEPTH)) != Some(true)
        }
        Val::List(list) => !list.items.is_empty(),
        // `Repo.delete_all(User)`: a module, and nothing of it left out.
        Val::Name(name) => !is_module(name),
        _ => true,
    });
    let picks = has(class, &["where", "filter", "exclude"]);
    if is_whole(name, args) && (!narrows || folded.starts_with("drop") || folded == "rawdelete") && !picks {
        return Some(if folded.starts_with("drop") { "drop" } else { "delete-all" });
    }
    of_mapper(class, name, args).or_else(|| of_store(class, name, args))
}

/// What the mappers of objects to tables call it.
fn of_mapper(class: &str, name: &str, args: &Args) -> Option<&'static str> {
    let set = |option: &str| args.option(option).is_some_and(Val::is_true);
    let picks = has(class, &["where", "filter", "exclude"]);
    match name {
        "delete" if ["objects.all", "query", ".objects"].iter().any(|end| class.ends_with(end)) => {
            Some("delete-all")
        }
        // Each row that there is, one by one.
        "delete" | "destroy" | "destroy!" | "deleteOne" | "remove" | "delete!" | "forceDelete"
        | "delete_instance"
            if class == ROW || args.list.iter().any(is_row) =>
        {
            Some("delete-all")
        }
        "find_each" | "in_batches" | "find_in_batches" | "each" | "map"
            if !picks && args.list.iter().any(is_loss) && (name.starts_with("find") || is_module(class)) =>
        {
            Some("delete-all")
        }
        "del" | "delete" | "truncate"
            if ["knex", "Sequel", "DB.table"].iter().any(|library| class.starts_with(library)) && !picks =>
        {
            Some("delete-all")
        }
        "truncate" if class.ends_with("connection") => Some("delete-all"),
        // `User.delete().execute()`: a query that nothing was added to.
        "execute" if class.ends_with(".delete") && args.list.is_empty() => Some("delete-all"),
        "execute" if class.starts_with(REPOSITORY) && class.contains(".delete") && !picks => {
            Some("delete-all")
        }
        "execute" | "scalars" if args.list.iter().any(is_bare_delete) => Some("delete-all"),
        "clear" if class == REPOSITORY => Some("delete-all"),
        "drop" if class == "Schema" || class.to_ascii_lowercase().ends_with("sequelize") => Some("drop"),
        "sync" if set("force") => Some("drop"),
        "synchronize"
            if args.list.first().is_some_and(|first| matches!(first, Val::Name(_)) && first.is_true()) =>
        {
            Some("drop")
        }
        "destroy" if set("truncate") || args.option("where").is_some_and(is_empty) => Some("delete-all"),
        "rollback"
            if class.contains("migrate")
                && args.list.iter().any(|value| matches!(value, Val::Name(_)) && value.is_true()) =>
        {
            Some("reset")
        }
        "drop_current" | "purge_current" | "purge_all" if class.ends_with("DatabaseTasks") => Some("drop"),
        "clean_with" | "clean" if class.starts_with("DatabaseCleaner") => Some("delete-all"),
        _ => None,
    }
}

/// What the libraries of stores call it.
fn of_store(class: &str, name: &str, args: &Args) -> Option<&'static str> {
    match name {
        "dbRemoveTable" => Some("drop"),
        "to_sql" if replaces_table(args) => Some("drop"),
        "aggregate" | "bulk_write" | "bulkWrite"
            if args.list.first().is_some_and(|stages| {
                let stages = plain_value(stages, DEPTH);
                documents::replaced(stages.as_list().unwrap_or_default(), "").is_some()
            }) =>
        {
            Some("delete-all")
        }
        "delete" if class.ends_with("indices") => Some("drop"),
        "drop" if has(class, &["mongo", "Mongo"]) || class.ends_with("collection") => Some("drop"),
        "reset" if class.starts_with("chromadb") => Some("drop"),
        "delete"
            if ["delete_all", "deleteAll"].iter().any(|name| args.option(name).is_some_and(Val::is_true)) =>
        {
            Some("delete-all")
        }
        "delete_index" | "deleteIndex" | "delete_collection" | "deleteCollection" if is_service(class) => {
            Some("drop")
        }
        "delete_by_query" | "deleteByQuery"
            if args.all().any(|value| mentions(value, "match_all", DEPTH)) =>
        {
            Some("delete-all")
        }
        _ => None,
    }
}

/// Does a cloud, a cluster or an engine of containers lose something?
fn of_cloud(class: &str, name: &str, args: &Args) -> bool {
    let folded = plain(name);
    // One thing by its name is taken away by whoever knows it; whatever a list names is all of them.
    let one = || args.option("Key").is_none_or(|key| key.literal().is_some());
    if matches!(folded.as_str(), "deleteobject" | "deleteobjectcommand") && is_service(class) && !one() {
        return true;
    }
    let all_of_a_kind = || {
        let kept = ["persistentvolumeclaim", "deployment", "statefulset", "pod", "secret", "service"];
        folded.starts_with("deletecollectionnamespaced") && kept.iter().any(|kind| folded.ends_with(kind))
    };
    let command = || {
        name.strip_suffix("Command").filter(|_| class.starts_with("@aws-sdk")).is_some_and(|deed| {
            deed.starts_with("Delete") && deed != "DeleteObject" || deed.starts_with("Terminate")
        })
    };
    if REMOVALS.contains(&name) || all_of_a_kind() || command() || of_amazon(class, &folded) {
        return true;
    }
    if is_service(class) && SERVICE_REMOVALS.contains(&folded.as_str()) {
        return true;
    }
    match name {
        // All of a tree of data, or a whole repository at a forge.
        "delete" if has(class, &["firebase_admin.db.reference", ".get_repo"]) => true,
        "delete" | "terminate" | "remove" | "begin_delete" => {
            (has(class, &["boto3.resource", "google.cloud", "azure."])
                || has(class, &["boto3"]) && has(class, &[".resource"]))
                && !has(class, &["Object", "blob", "message"])
                || name == "remove" && has(class, &["docker"]) && has(class, &["volumes", "getVolume"])
        }
        "prune" => has(class, &["docker"]) && has(class, &["volumes"]),
        _ => false,
    }
}

/// A method of Amazon's library that takes something away that is more than one object, message or row.
fn of_amazon(class: &str, folded: &str) -> bool {
    const SMALL: &[&str] = &[
        "deleteobject",
        "deletemessage",
        "deletemessagebatch",
        "deleteitem",
        "deletetags",
        "deleteobjecttagging",
    ];
    let amazon = ["boto3", "aioboto3", "aws-sdk"].iter().any(|library| class.starts_with(library));
    let takes = |verb: &&str| folded.strip_prefix(*verb).is_some_and(|rest| !rest.is_empty());
    amazon && ["delete", "terminate", "purge"].iter().any(takes) && !SMALL.contains(&folded)
}

/// `frame.to_sql(name, connection, if_exists="replace")` drops the table first. A file of SQLite is mostly made by who
/// fills it.
fn replaces_table(args: &Args) -> bool {
    let replaces =
        args.option("if_exists").or(args.get(3)).and_then(Val::literal).is_some_and(|how| how == "replace");
    let connection = args.option("con").or(args.get(1));
    let local = connection.is_some_and(|connection| match connection {
        Val::Object(object) => {
            let address = object.args.literal(0).unwrap_or_default();
            object.class.starts_with("sqlite3")
                || ["sqlite", "duckdb"].iter().any(|kind| address.starts_with(kind))
        }
        Val::Text(text) => text.any.iter().all(|text| text.prefix().starts_with("sqlite")),
        _ => false,
    });
    replaces && !local
}

/// A value as JSON, as far as it is known.
pub(super) fn plain_value(value: &Val, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else { return Value::String(String::new()) };
    match value {
        Val::Table(table) => {
            let entries = table.entries.iter().take(64);
            Value::Map(entries.map(|(key, value)| (key.to_string(), plain_value(value, depth))).collect())
        }
        Val::List(list) => {
            Value::List(list.items.iter().take(64).map(|item| plain_value(item, depth)).collect())
        }
        Val::Int(number) => Value::Number(number.to_string()),
        Val::Name(name) => match &**name {
            "True" | "true" => Value::Bool(true),
            "False" | "false" => Value::Bool(false),
            "None" | "null" | "nil" => Value::Null,
            other => Value::String(other.to_owned()),
        },
        other => Value::String(other.literal().unwrap_or_default()),
    }
}

/// How deep arguments are read.
pub(super) const DEPTH: usize = 6;

/// What `getRepository` of a mapper returns.
pub(super) const REPOSITORY: &str = "typeorm.getRepository";

/// A command of Redis that is handed over as words: `execute_command("FLUSHALL")`.
fn sends_flush(name: &str, args: &Args) -> bool {
    let sends = matches!(
        name,
        "execute_command" | "sendCommand" | "send_command" | "call" | "command" | "rawCommand" | "do" | "Do"
    );
    let scripted = matches!(name, "eval" | "eval_ro" | "register_script" | "defineCommand");
    if scripted
        && let Some(code) = args.list.first().and_then(Val::literal).filter(|code| code.contains(".call"))
    {
        let given: Vec<String> = args.list.iter().skip(1).filter_map(Val::literal).collect();
        return flushes(&code, &given);
    }
    let is_flush = |value: &Val| {
        value
            .literal()
            .is_some_and(|text| matches!(text.to_ascii_uppercase().as_str(), "FLUSHALL" | "FLUSHDB"))
    };
    sends && args.list.iter().take(3).flat_map(Val::items_or_self).any(|value| is_flush(&value))
}

/// `delete(User)`, `users.delete()`, to which no condition was added.
fn is_bare_delete(value: &Val) -> bool {
    let Val::Object(object) = value else { return false };
    let whole = match object.args.list.as_slice() {
        [] | [Val::Unknown(_)] => true,
        [Val::Name(name)] => is_module(name),
        _ => false,
    };
    object.class.ends_with(".delete") && (object.class.starts_with("sqlalchemy") || whole)
}

/// One of all the rows of a table.
pub(super) const ROW: &str = "row of all";

fn is_row(value: &Val) -> bool {
    matches!(value, Val::Object(object) if &*object.class == ROW)
}

/// Does a query give all rows of a table, none of them left out?
pub(super) fn is_rows(class: &str, args: &Args) -> bool {
    let all = [".all", ".findAll", ".findMany", ".find_each", ".find", ".list_blobs", ".auto_paging_iter"]
        .iter()
        .any(|end| class.ends_with(end));
    let bare = args.named.is_empty() && args.list.iter().all(is_empty);
    all && bare && !has(class, &["where", "filter", "exclude", "limit"])
}

/// `&:destroy`, for each of them.
fn is_loss(value: &Val) -> bool {
    value.literal().is_some_and(|name| {
        matches!(
            name.trim_end_matches('!'),
            "destroy" | "delete" | "delete_all" | "destroy_all" | "really_destroy"
        )
    })
}

/// Does a key of that name stand anywhere in a value?
fn mentions(value: &Val, key: &str, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Val::Table(table) => {
            table.entries.iter().take(32).any(|(name, value)| **name == *key || mentions(value, key, depth))
        }
        Val::List(list) => list.items.iter().take(16).any(|item| mentions(item, key, depth)),
        _ => false,
    }
}

fn has(class: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| class.contains(part))
}

/// A name without the marks and capitals in which libraries differ.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect()
}

/// Does the method take everything? A table in memory is only cut at a row: `frame.truncate(before=…)`.
fn is_whole(name: &str, args: &Args) -> bool {
    WHOLE.contains(&plain(name).as_str())
        && !["before", "after"].iter().any(|side| args.option(side).is_some())
}

fn is_module(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase))
}

fn is_empty(value: &Val) -> bool {
    matches!(value, Val::Table(table) if table.entries.is_empty())
}
