//! What programs do to databases and services through libraries: seen by the method's name and by what it is
//! given, whatever the library is called. Only in code that is given on the command line or as input: a script
//! of the project that sets its test database up is everyday work.

use tollgate_model::{Certainty, EffectKind};

use super::machine::{Machine, Origin};
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
    "$queryRawUnsafe",
    "$executeRawUnsafe",
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

impl Machine<'_, '_, '_> {
    /// A connection to a database that nothing is lost with.
    pub fn note_connection(&mut self, args: &Args) {
        let temporary = |text: String| {
            let folders = self.run.analyst.world.temp_dirs();
            text.contains(":memory:") || folders.iter().any(|folder| crate::paths::within(&text, folder))
        };
        self.passing |= args.all().filter_map(Val::literal).any(temporary);
    }

    /// A method of something that is not known: what it would do to a database or a service.
    pub fn asked_of_service(&mut self, name: &str, args: &Args) {
        if name == "extractall" {
            self.unpacks(args.has(0, &["path"]).then(|| args.at(0, &["path"])));
        }
        if self.around.origin == Origin::File || self.passing {
            return;
        }
        let certainty = if self.unsure > 0 { Certainty::Possible } else { Certainty::Certain };
        if REMOVALS.contains(&name) {
            let operation = if name.to_ascii_lowercase().starts_with("flush") || name.starts_with("drop") {
                EffectKind::Database { operation: "drop-database".into(), object: format!("`{name}`") }
            } else {
                let (tool, operation) = ("a library of a cloud".to_owned(), "delete".to_owned());
                EffectKind::Infra { tool, operation, target: name.to_owned() }
            };
            self.push(operation, certainty);
        }
        let text = args.literal(0).filter(|_| QUERIES.contains(&name));
        for statement in text.iter().flat_map(|text| sql::scan(text)) {
            if let Some(operation) = statement.deed.operation() {
                let object = format!("`{}`", statement.object);
                self.push(EffectKind::Database { operation: operation.into(), object }, certainty);
            }
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
