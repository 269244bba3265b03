//! What programs do to databases and services through libraries: seen by the method's name and by what it is
//! given, whatever the library is called. Only in code that is given on the command line or as input: a script
//! of the project that sets its test database up is everyday work.

use tollgate_model::{Certainty, EffectKind, EnvUse};
use tollgate_shell::value::{Piece, Text};

use super::clients::REMOTES;
use super::gits::is_git;
use super::losses;
use super::machine::Machine;
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
    "executeStatement",
    "executeQuery",
    "executeUpdate",
    "executeSql",
    "execute_sql",
    "execute_async",
    "exec_driver_sql",
    "execute_query",
    "fetch",
    "Exec",
    "ExecContext",
    "Query",
];

/// What stands in for a service or a database in tests: nothing is lost there.
const STAND_INS: &[&str] = &[
    "fakeredis",
    "mongomock",
    "ioredis-mock",
    "redis-mock",
    "pg-mem",
    "unittest.mock",
    "sqlmock",
    "mockredis",
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
    "@elastic",
    "opensearchpy",
    "@opensearch-project",
    "firebase",
    "firebase_admin",
    "pinecone",
    "@pinecone-database",
    "qdrant_client",
    "@qdrant",
    "chromadb",
    "weaviate",
    "pymilvus",
    "gorm",
    "cassandra",
    "mongoengine",
    "motor",
    "peewee",
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
        || is_git(class)
        || class.starts_with("crontab.CronTab")
        || class.starts_with("cffi.FFI")
}

/// Is it what a library of SQL calls with a statement: `` sql`…` ``?
pub(super) fn is_query(class: &str) -> bool {
    ["postgres", "@neondatabase/serverless", "@vercel/postgres", "slonik"].contains(&class)
        || class.ends_with(".neon")
}

/// How libraries call what opens a connection.
const OPENERS: &[&str] = &[
    "connect",
    "Connection",
    "create_engine",
    "create_async_engine",
    "create_pool",
    "createConnection",
    "createPool",
    "createClient",
    "Client",
    "Pool",
    "MongoClient",
    "AsyncIOMotorClient",
    "PrismaClient",
    "Sequelize",
    "DataSource",
    "Redis",
    "from_url",
];

impl Machine<'_, '_, '_> {
    /// A connection to a database: one that nothing is lost with, or another.
    pub fn note_connection(&mut self, name: &str, args: &Args) {
        let folders = self.run.analyst.world.temp_dirs();
        let temporary = |text: &Text| {
            let known = text.prefix();
            let file = known.strip_prefix("sqlite:///").or(known.strip_prefix("sqlite:")).unwrap_or(known);
            known.contains(":memory:")
                || matches!(known, "sqlite://" | "sqlite:///" | "sqlite+pysqlite://")
                || folders.iter().any(|folder| crate::paths::within(file, folder))
        };
        let nested = ["connection", "filename", "storage", "url", "database", "path"];
        let entries = nested.iter().filter_map(|key| args.option(key));
        let inner = entries.clone().filter_map(|value| value.entry("filename"));
        let texts = args.all().chain(entries).chain(inner).filter(|value| matches!(value, Val::Text(_)));
        let passing = texts.map(Val::as_text).any(|text| text.any.iter().all(temporary))
            // Without the name of a file, DuckDB keeps all in memory.
            || name == "duckdb.connect" && args.all().next().is_none()
            || name.contains("MongoMemory")
            || name.starts_with("testcontainers");
        let opens = name.rsplit('.').next().is_some_and(|last| OPENERS.contains(&last));
        self.passing |= passing;
        let told = args.all().any(
            |value| matches!(value, Val::Text(text) if text.any.iter().any(|text| !text.prefix().is_empty())),
        );
        self.reached |= !passing && opens && told;
        // A mapper that drops all tables as it connects.
        if args.option("dropSchema").is_some_and(Val::is_true) && !self.is_project_script() {
            let (operation, object) = ("drop".to_owned(), "`dropSchema: true`".to_owned());
            let certainty = if self.unsure > 0 { Certainty::Possible } else { Certainty::Certain };
            self.loses(EffectKind::Database { operation, object }, certainty);
        }
    }

    /// A method of something that is not known: what it would do to a database or a service. `class` is what it is
    /// called on, where that is known.
    pub fn asked_of_service(&mut self, class: &str, name: &str, args: &Args) {
        match name {
            "extractall" => self.unpacks(args.has(0, &["path"]).then(|| args.at(0, &["path"]))),
            "extractTo" | "extract_to" if !args.list.is_empty() => self.unpacks(args.get(0).cloned()),
            _ => {}
        }
        if self.is_project_script() || STAND_INS.iter().any(|library| class.starts_with(library)) {
            return;
        }
        let certainty = if self.unsure > 0 { Certainty::Possible } else { Certainty::Certain };
        match losses::loss(class, name, args) {
            Some(kind) => self.loses(kind, certainty),
            None => self.opens_cloud(class, name, args, certainty),
        }
        self.attached(args);
        if reveals(class, name, args) {
            let what = EnvUse::Store(format!("a keeper of secrets (`{name}`)"));
            self.push(EffectKind::EnvRead { what }, certainty);
        }
        // A connection may stand before it.
        let mut given = args.list.iter().filter(|_| QUERIES.contains(&name));
        let texts = given.find(|value| matches!(value, Val::Text(_))).map(Val::as_text);
        let texts: Vec<String> = texts.iter().flat_map(|text| text.any.iter().take(4).map(filled)).collect();
        for statement in texts.iter().flat_map(|text| sql::scan(text)) {
            if let Some(operation) = statement.deed.operation() {
                let object = format!("`{}`", statement.object);
                self.loses(EffectKind::Database { operation: operation.into(), object }, certainty);
            }
        }
    }

    /// Something is lost, unless what it is lost from only stands in for the real thing.
    fn loses(&mut self, kind: EffectKind, certainty: Certainty) {
        match kind {
            EffectKind::Database { .. } if self.passing && !self.reached => {}
            EffectKind::Database { operation, object } => {
                let stage = ["RAILS_ENV", "RACK_ENV", "MIX_ENV"].iter().find_map(|name| self.said(name));
                let object = stage.map_or_else(|| object.clone(), |stage| format!("{object} in {stage}"));
                self.push(EffectKind::Database { operation, object }, certainty);
            }
            other => self.push(other, certainty),
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
