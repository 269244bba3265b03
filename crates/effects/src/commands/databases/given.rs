//! What a client of databases is given: which database is meant, on which host, and what it shall do there.

use super::cut;
use crate::options::Options;
use crate::sql::Flavour;
use crate::word::Word;

/// What a client was given: where the database is, and what it shall do.
pub(super) struct Given<'s> {
    /// Texts of SQL.
    pub texts: Vec<Word>,
    /// Files of SQL.
    pub files: Vec<Word>,
    /// Names and addresses of the database, as shown.
    pub target: Vec<String>,
    /// Names of its host.
    pub hosts: Vec<String>,
    pub flavour: Flavour,
    /// The client reads SQL from standard input when it is given none.
    pub stdin: bool,
    pub program: &'s str,
}

/// Reads what a client was given. Of an option that names the database the last value counts; `@` stands before those
/// that name a host, `.` is the first operand, and `.?` is it where no option has named the database.
pub(super) fn given<'s>(
    options: &Options,
    texts: &[&str],
    files: &[&str],
    target: &[&str],
    flavour: Flavour,
    program: &'s str,
) -> Given<'s> {
    let all = |names: &[&str]| -> Vec<Word> {
        names.iter().flat_map(|name| options.values(name)).cloned().collect()
    };
    let (texts, files) = (all(texts), all(files));
    let (mut names, mut hosts) = (Vec::new(), Vec::new());
    for way in target {
        let (list, way) = match way.strip_prefix('@') {
            Some(way) => (&mut hosts, way),
            None => (&mut names, *way),
        };
        let value = match way {
            ".?" if !list.is_empty() => None,
            "." | ".?" => options.operands.first(),
            name => options.value(name),
        };
        list.extend(value.map(Word::shown));
    }
    let stdin = texts.is_empty() && (files.is_empty() || files.iter().any(|file| file.is("-")));
    Given { texts, files, target: names, hosts, flavour, stdin, program }
}

impl Given<'_> {
    /// Where something lies: ` in database on host`. What a statement or the client has gone on in counts before what the
    /// command line says.
    pub fn place(&self, database: Option<&str>) -> String {
        let named: Vec<String> = match database {
            Some(name) => vec![named(name, self.program)],
            None => self.target.iter().map(|name| named(name, self.program)).collect(),
        };
        let databases = if named.is_empty() { self.program.to_owned() } else { named.join(" ") };
        let told = self.target.iter().flat_map(|text| connected(text, &["host=", "hostaddr="]));
        let hosts: Vec<String> = self.hosts.iter().cloned().chain(told).map(|host| hidden(&host)).collect();
        let on = if hosts.is_empty() { String::new() } else { format!(" on {}", hosts.join(" ")) };
        format!(" in {databases}{on}")
    }

    /// The database before the dot of a table's name, where that is no schema of the same one.
    pub fn database_of<'o>(&self, object: &'o str) -> Option<&'o str> {
        const QUALIFIED: &[&str] =
            &["clickhouse", "cqlsh", "beeline", "hive", "spark-sql", "impala-shell", "mysqlsh", "dolt"];
        let parts = object.split('.').count();
        let qualifies = match self.flavour {
            Flavour::MySql => parts == 2,
            Flavour::Postgres if QUALIFIED.contains(&self.program) => parts == 2,
            Flavour::Postgres => parts == 3,
            Flavour::Sqlite => false,
        };
        object.split('.').next().filter(|name| qualifies && !name.is_empty())
    }
}

/// The database of a text that names one: `host=db dbname=app` is PostgreSQL's way. Without one it is the client's own.
fn named(text: &str, program: &str) -> String {
    if text.contains("://") || !text.contains('=') {
        return hidden(text);
    }
    let name = connected(text, &["dbname="]).pop();
    name.map_or_else(|| program.to_owned(), |name| hidden(&name))
}

/// The values of these keys in `host=db dbname=app`.
fn connected(text: &str, keys: &[&str]) -> Vec<String> {
    if text.contains("://") {
        return Vec::new();
    }
    let dense = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" =", "=").replace("= ", "=");
    let value = |pair: &str| {
        keys.iter().find_map(|key| pair.strip_prefix(key)).map(|value| value.trim_matches('\'').to_owned())
    };
    dense.split(' ').filter_map(value).collect()
}

/// An address without its password.
pub(super) fn hidden(target: &str) -> String {
    match (target.split_once("://"), target.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => cut(&format!("{scheme}://{host}")),
        _ => cut(target),
    }
}
