//! What programs do to databases and services through libraries: seen by the method's name and by what it is
//! given, whatever the library is called. Only in code that is given on the command line or as input: a script
//! of the project that sets its test database up is everyday work.

use tollgate_model::phrase::STORE;
use tollgate_model::{Certainty, EffectKind};
use tollgate_shell::value::{Piece, Text};

use super::clients::REMOTES;
use super::machine::{Machine, Origin};
use super::senders::is_library;
use super::value::{Args, Val};
use crate::commands::archives;
use crate::sql;
use crate::word::Word;

/// Methods that take SQL.
const QUERIES: &[&str] = &[
    "execute",
    "executescript",
    "executemany",
    "execute_batch",
    "exec_query",
    "exec",
    "query",
    "raw",
    "run",
    "do",
    "unsafe",
    "prepare",
    "$queryRaw",
    "$executeRaw",
    "$queryRawUnsafe",
    "$executeRawUnsafe",
    "mysqli_query",
    "mysqli_multi_query",
    "mysqli_real_query",
    "pg_query",
    "pg_send_query",
    "sqlsrv_query",
    "odbc_exec",
    "dbExecute",
    "dbGetQuery",
    "dbSendQuery",
    "dbSendStatement",
    "statement",
    "unprepared",
    "text",
];

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
    "drop_database",
    "dropDatabase",
    "flushall",
    "flushdb",
    "deleteBucket",
    "deleteTable",
    "deleteDBInstance",
    "terminateInstances",
];

/// Methods that take everything a table or a collection holds, when nothing narrows them down.
const WHOLE: &[&str] = &[
    "drop_all",
    "delete_all",
    "destroy_all",
    "deleteMany",
    "delete_many",
    "dropCollection",
    "drop_collection",
    "truncate",
    "truncate_all",
    "dropSchema",
    "dropTable",
    "dropTableIfExists",
    "drop_table",
    "drop_schema",
    "dropIfExists",
    "dropAllTables",
];

/// Methods that give a secret out, whatever they are called on.
const REVEALS: &[&str] = &[
    "get_secret_value",
    "batch_get_secret_value",
    "getSecretValue",
    "GetSecretValueCommand",
    "access_secret_version",
    "accessSecretVersion",
    "read_secret_version",
    "read_secret",
    "get_credentials",
    "get_frozen_credentials",
];

/// Libraries of services and databases, by how the names of their parts begin: what is made with them keeps its
/// name, so that a chain of calls is seen whole.
const LIBRARIES: &[&str] = &[
    "boto3",
    "aioboto3",
    "google.cloud",
    "googleapiclient",
    "azure.",
    "kubernetes",
    "docker",
    "hvac",
    "keyring",
    "keytar",
    "redis",
    "pymongo",
    "@aws-sdk",
    "aws-sdk",
    "@google-cloud",
    "@azure",
    "@kubernetes",
    "dockerode",
    "mongoose",
    "mongodb",
    "@prisma",
    "knex",
    "sequelize",
    "typeorm",
    "ioredis",
    "sqlalchemy",
    "elasticsearch",
    "opensearchpy",
    "postgres",
    "@neondatabase/serverless",
    "@vercel/postgres",
    "slonik",
    "github",
    "octokit",
    "@octokit",
    "gitlab",
    "@gitbeaker",
    "Sequel",
    "ActiveRecord",
    "DB",
    "Schema",
];

/// Is the thing made with a library of a service?
pub(super) fn is_service(class: &str) -> bool {
    LIBRARIES.iter().chain(REMOTES).any(|library| class.starts_with(library))
        || is_library(class)
        || class.starts_with("git.Repo")
        || class.starts_with("crontab.CronTab")
        || class.starts_with("cffi.FFI")
        || class.starts_with("simple-git")
}

/// Is it what a library of SQL calls with a statement: `` sql`…` ``?
pub(super) fn is_query(class: &str) -> bool {
    ["postgres", "@neondatabase/serverless", "@vercel/postgres", "slonik"].contains(&class)
        || class.ends_with(".neon")
}

impl Machine<'_, '_, '_> {
    /// A connection to a database that nothing is lost with.
    pub fn note_connection(&mut self, args: &Args) {
        let folders = self.run.analyst.world.temp_dirs();
        let temporary = |text: &Text| {
            let known = text.prefix();
            known.contains(":memory:") || folders.iter().any(|folder| crate::paths::within(known, folder))
        };
        let texts = args.all().filter(|value| matches!(value, Val::Text(_)));
        self.passing |= texts.map(Val::as_text).any(|text| text.any.iter().all(temporary));
    }

    /// A method of something that is not known: what it would do to a database or a service. `class` is what it is
    /// called on, where that is known.
    pub fn asked_of_service(&mut self, class: &str, name: &str, args: &Args) {
        if name == "extractall" {
            self.unpacks(args.has(0, &["path"]).then(|| args.at(0, &["path"])));
        }
        if self.around.origin == Origin::File || self.passing {
            return;
        }
        let certainty = if self.unsure > 0 { Certainty::Possible } else { Certainty::Certain };
        match loss(class, name, args) {
            Some(kind) => self.push(kind, certainty),
            None => self.opens_cloud(class, name, args, certainty),
        }
        self.attached(args);
        if reveals(class, name, args) {
            let names = vec![format!("{STORE}a keeper of secrets (`{name}`)")];
            self.push(EffectKind::EnvRead { names }, certainty);
        }
        // A connection may stand before it.
        let mut given = args.list.iter().filter(|_| QUERIES.contains(&name));
        let texts = given.find(|value| matches!(value, Val::Text(_))).map(Val::as_text);
        let texts: Vec<String> = texts.iter().flat_map(|text| text.any.iter().take(4).map(filled)).collect();
        for statement in texts.iter().flat_map(|text| sql::scan(text)) {
            if let Some(operation) = statement.deed.operation() {
                let object = format!("`{}`", statement.object);
                self.push(EffectKind::Database { operation: operation.into(), object }, certainty);
            }
        }
    }

    /// The files that go with a letter: `sendMail({attachments: [{path}]})`.
    fn attached(&mut self, args: &Args) {
        let items = args.option("attachments").map(Val::items).unwrap_or_default();
        for path in items.iter().take(16).filter_map(|item| item.entry("path").cloned()) {
            let content = Val::Text(self.read(&path));
            self.send_to_peer("send", Args::of(vec![content]));
        }
    }

    /// An archive is unpacked into a folder, or where the program runs.
    pub fn unpacks(&mut self, folder: Option<Val>) {
        let folder = folder.unwrap_or_else(|| Val::text("."));
        for text in folder.as_text().any.iter().take(4) {
            let word = Word { text: text.clone(), ..Word::literal_at("", self.around.span) };
            archives::extract(self.run, &word);
        }
    }
}

/// SQL with a name where only the program knows what stands there.
fn filled(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(known) | Piece::Glob(known) => known.to_string(),
        Piece::Hole(_) => "x".to_owned(),
    };
    text.pieces.iter().map(piece).collect()
}

/// What a method takes away.
fn loss(class: &str, name: &str, args: &Args) -> Option<EffectKind> {
    let cloud = || {
        let (tool, operation) = ("a library of a cloud".to_owned(), "delete".to_owned());
        Some(EffectKind::Infra { tool, operation, target: name.to_owned() })
    };
    let database = |operation: &str| {
        let object = format!("`{name}`");
        Some(EffectKind::Database { operation: operation.to_owned(), object })
    };
    if REMOVALS.contains(&name) {
        let drops = name.to_ascii_lowercase().starts_with("flush") || name.starts_with("drop");
        return if drops { database("drop-database") } else { cloud() };
    }
    let chained = |parts: &[&str]| parts.iter().any(|part| class.contains(part));
    let first = args.list.first();
    let narrows = first.is_some_and(|value| match value {
        Val::Table(table) => {
            !table.entries.is_empty() && value.entry("where").is_none_or(|inner| !is_empty(inner))
        }
        Val::List(list) => !list.items.is_empty(),
        // `Repo.delete_all(User)`: a module, and nothing of it left out.
        Val::Name(name) => !is_module(name),
        _ => true,
    });
    if is_whole(name, args) && (!narrows || name.starts_with("drop")) && !chained(&["where", "filter"]) {
        return database(if name.starts_with("drop") { "drop" } else { "delete-all" });
    }
    let command = name.strip_suffix("Command").filter(|_| class.starts_with("@aws-sdk"));
    if command.is_some_and(|deed| {
        deed.starts_with("Delete") && deed != "DeleteObject" || deed.starts_with("Terminate")
    }) {
        return cloud();
    }
    match name {
        "delete" if class.ends_with("objects.all") || class.ends_with("query") => database("delete-all"),
        "del" | "delete" | "truncate"
            if ["knex", "Sequel", "DB.table"].iter().any(|library| class.starts_with(library))
                && !chained(&["where", "filter", "exclude"]) =>
        {
            database("delete-all")
        }
        "dbRemoveTable" => database("drop"),
        "delete" if class.ends_with("indices") => database("drop"),
        "truncate" if class.ends_with("connection") => database("delete-all"),
        // `User.delete().execute()`: a query that nothing was added to.
        "execute" if class.ends_with(".delete") && args.list.is_empty() => database("delete-all"),
        "drop" if class == "Schema" || class.starts_with("sequelize") => database("drop"),
        "sync" if class.starts_with("sequelize") && args.option("force").is_some_and(Val::is_true) => {
            database("drop")
        }
        "delete" | "terminate" | "remove" | "begin_delete"
            if chained(&["boto3.resource", "google.cloud", "azure."])
                && !chained(&["Object", "blob", "message"]) =>
        {
            cloud()
        }
        "prune" | "remove" if chained(&["docker"]) && chained(&["volumes"]) => cloud(),
        _ => None,
    }
}

/// Does the method take everything? A table in memory is only cut at a row: `frame.truncate(before=…)`.
fn is_whole(name: &str, args: &Args) -> bool {
    WHOLE.contains(&name) && !["before", "after"].iter().any(|side| args.option(side).is_some())
}

fn is_module(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase))
}

fn is_empty(value: &Val) -> bool {
    matches!(value, Val::Table(table) if table.entries.is_empty())
}

/// Does a method give a secret out?
fn reveals(class: &str, name: &str, args: &Args) -> bool {
    let keeper = || ["keyring", "keytar", "azure.keyvault", "@azure/keyvault", "hvac"];
    let decrypts = || {
        let asks = |value: &Val| value.entry("WithDecryption").is_some_and(Val::is_true);
        args.option("WithDecryption").is_some_and(Val::is_true) || args.all().any(asks)
    };
    REVEALS.contains(&name)
        || matches!(
            name,
            "get_parameter"
                | "get_parameters"
                | "get_parameters_by_path"
                | "getParameter"
                | "GetParameterCommand"
        ) && decrypts()
        || matches!(
            name,
            "get_password"
                | "getPassword"
                | "get_secret"
                | "getSecret"
                | "findCredentials"
                | "get_credential"
        ) && keeper().iter().any(|library| class.starts_with(library))
}
