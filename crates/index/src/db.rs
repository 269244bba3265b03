//! The file: its schema, opening it with care, writing sums down.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::fact::Fact;
use crate::fold::{Fold, Open};

/// Raised whenever the tables or what they count change: an older index is built anew.
const VERSION: i64 = 4;
const NAME: &str = "index.db";

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions(
  id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  cwd TEXT NOT NULL, project TEXT NOT NULL, transcript TEXT NOT NULL, events INTEGER NOT NULL, prompts INTEGER NOT NULL,
  calls INTEGER NOT NULL, asked INTEGER NOT NULL, denied INTEGER NOT NULL, UNIQUE(agent, session));
CREATE INDEX IF NOT EXISTS sessions_last ON sessions(last);
CREATE TABLE IF NOT EXISTS calls(
  seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, session INTEGER NOT NULL, actor TEXT NOT NULL, tool TEXT NOT NULL,
  verdict TEXT NOT NULL, outcome INTEGER NOT NULL, bytes INTEGER NOT NULL, took INTEGER, gate INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS calls_session ON calls(session);
CREATE TABLE IF NOT EXISTS open(
  session INTEGER NOT NULL, call TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
  actor_type TEXT NOT NULL, agent TEXT NOT NULL, tool TEXT NOT NULL, verdict TEXT NOT NULL, asked TEXT NOT NULL,
  tests INTEGER NOT NULL, late INTEGER NOT NULL, PRIMARY KEY(session, call)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tools(agent TEXT, tool TEXT, kind TEXT NOT NULL, PRIMARY KEY(agent, tool)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hours(
  hour INTEGER, agent TEXT, actor TEXT, tool TEXT, verdict TEXT, outcome INTEGER,
  calls INTEGER NOT NULL, bytes INTEGER NOT NULL, took INTEGER NOT NULL,
  PRIMARY KEY(hour, agent, actor, tool, verdict, outcome)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS days(
  hour INTEGER, agent TEXT, actor TEXT, tool TEXT, verdict TEXT, outcome INTEGER,
  calls INTEGER NOT NULL, bytes INTEGER NOT NULL, took INTEGER NOT NULL,
  PRIMARY KEY(hour, agent, actor, tool, verdict, outcome)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events(hour INTEGER, agent TEXT, phase TEXT, n INTEGER NOT NULL, PRIMARY KEY(hour, agent, phase)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latency(
  hour INTEGER, agent TEXT, tool TEXT, bucket INTEGER, n INTEGER NOT NULL,
  PRIMARY KEY(hour, agent, tool, bucket)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latency_days(
  hour INTEGER, agent TEXT, tool TEXT, bucket INTEGER, n INTEGER NOT NULL,
  PRIMARY KEY(hour, agent, tool, bucket)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rules(
  hour INTEGER, agent TEXT, rule TEXT, noted INTEGER NOT NULL, asked INTEGER NOT NULL, denied INTEGER NOT NULL,
  approved INTEGER NOT NULL, declined INTEGER NOT NULL, overridden INTEGER NOT NULL, retried INTEGER NOT NULL,
  PRIMARY KEY(hour, agent, rule)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tests(
  hour INTEGER, agent TEXT, passed INTEGER NOT NULL, failed INTEGER NOT NULL, PRIMARY KEY(hour, agent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS faults(hour INTEGER, agent TEXT, kind TEXT, n INTEGER NOT NULL, PRIMARY KEY(hour, agent, kind)) WITHOUT ROWID;
";

/// The index cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum IndexFault {
    /// SQLite says why.
    #[error("the index `{path}` cannot be used: {error}")]
    Database {
        /// Where.
        path: PathBuf,
        /// Why.
        error: rusqlite::Error,
    },
    /// Something else stands in its place.
    #[error("the index `{path}` {why}")]
    Unsafe {
        /// Where.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl IndexFault {
    /// The file is broken, as opposed to busy or out of reach.
    pub(crate) fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        let Self::Database { error, .. } = self else { return false };
        let missing =
            matches!(error, rusqlite::Error::SqliteFailure(_, Some(why)) if why.contains("no such"));
        missing || matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
    }

    /// The file cannot be written where it is, whatever is in it: the disk is full or may only be read.
    #[must_use]
    pub fn is_out_of_reach(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, DiskFull, PermissionDenied, ReadOnly, SystemIoFailure};
        let Self::Database { error, .. } = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(ReadOnly | CannotOpen | DiskFull | SystemIoFailure | PermissionDenied)
        )
    }
}

/// Which records count. An index that is kept counts all but canary calls; others are built when somebody asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Only {
    /// Canary calls count, too.
    pub canaries: bool,
    /// Only records of projects whose folder has this in its path.
    pub project: Option<String>,
}

impl Only {
    /// Does a record count?
    pub(crate) fn takes(&self, fact: &Fact) -> bool {
        (self.canaries || !fact.is_canary())
            && self.project.as_ref().is_none_or(|project| fact.project().contains(project.as_str()))
    }
}

/// The index of a log.
pub struct Index {
    pub(crate) db: Connection,
    pub(crate) state: PathBuf,
    path: PathBuf,
    /// By agent, then by the agent's id.
    sessions: HashMap<String, HashMap<String, i64>>,
    /// It was broken or of another version, and was built anew.
    pub rebuilt: Option<String>,
    /// The records that count in it.
    pub(crate) only: Only,
}

impl Index {
    /// Opens the index of a state directory, and makes it when it is missing. One that is damaged or of another
    /// version is moved aside: everything in it is still in the log.
    ///
    /// # Errors
    /// When it can neither be opened nor made.
    pub fn open(state: &Path) -> Result<Self, IndexFault> {
        let path = state.join(NAME);
        let _turn = turn(state);
        check(&path)?;
        let (db, rebuilt) = match connect(&path).and_then(|db| is_whole(&db).map(|whole| (db, whole))) {
            Ok((db, true)) => (db, None),
            Ok((db, false)) => {
                drop(db);
                (anew(&path)?, Some("it was of another version".to_owned()))
            }
            Err(error) => {
                let fault = IndexFault::Database { path: path.clone(), error };
                if !fault.is_damage() && !path.is_dir() {
                    return Err(fault);
                }
                (anew(&path)?, Some(fault.to_string()))
            }
        };
        private(&path);
        Ok(Self {
            db,
            state: state.to_owned(),
            path,
            sessions: HashMap::new(),
            rebuilt,
            only: Only::default(),
        })
    }

    /// An index of some records that is nowhere kept.
    ///
    /// # Errors
    /// When there is not even the memory for it.
    pub fn of_some(state: &Path, only: Only) -> Result<Self, IndexFault> {
        Ok(Self { only, ..Self::in_memory(state)? })
    }

    /// An index that is nowhere kept, for where none can be.
    ///
    /// # Errors
    /// When there is not even the memory for it.
    pub fn in_memory(state: &Path) -> Result<Self, IndexFault> {
        let path = PathBuf::from(":memory:");
        let made = Connection::open_in_memory().and_then(|db| is_whole(&db).map(|_| db));
        let db = made.map_err(|error| IndexFault::Database { path: path.clone(), error })?;
        Ok(Self {
            db,
            state: state.to_owned(),
            path,
            sessions: HashMap::new(),
            rebuilt: None,
            only: Only::default(),
        })
    }

    /// The last record that was taken in, and its hash.
    pub(crate) fn reached(&self) -> (u64, String) {
        let get = |key| self.meta(key).unwrap_or_default();
        (get("seq").parse().unwrap_or(0), get("hash"))
    }

    pub(crate) fn meta(&self, key: &str) -> Option<String> {
        let mut statement = self.db.prepare_cached("SELECT value FROM meta WHERE key = ?1").ok()?;
        statement.query_row([key], |row| row.get(0)).optional().ok()?
    }

    /// Throws everything away: the log is another one than that which was taken in.
    pub(crate) fn clear(&mut self, why: &str) -> Result<(), IndexFault> {
        self.db = {
            let placeholder = Connection::open_in_memory().map_err(|error| self.fault(error))?;
            drop(std::mem::replace(&mut self.db, placeholder));
            anew(&self.path)?
        };
        self.sessions.clear();
        self.rebuilt = Some(why.to_owned());
        private(&self.path);
        Ok(())
    }

    /// The number of a session.
    pub(crate) fn session(&mut self, agent: &str, session: &str, at: i64) -> Result<i64, IndexFault> {
        if let Some(id) = self.sessions.get(agent).and_then(|sessions| sessions.get(session)) {
            return Ok(*id);
        }
        let id = self.session_row(agent, session, at).map_err(|error| self.fault(error))?;
        self.sessions.entry(agent.to_owned()).or_default().insert(session.to_owned(), id);
        Ok(id)
    }

    fn session_row(&self, agent: &str, session: &str, at: i64) -> rusqlite::Result<i64> {
        let mut find = self.db.prepare_cached("SELECT id FROM sessions WHERE agent = ?1 AND session = ?2")?;
        if let Some(id) = find.query_row([agent, session], |row| row.get(0)).optional()? {
            return Ok(id);
        }
        let mut insert = self.db.prepare_cached(
            "INSERT INTO sessions(agent, session, first, last, cwd, project, transcript, events, prompts, calls, asked, denied)
             VALUES (?1, ?2, ?3, ?3, '', '', '', 0, 0, 0, 0, 0)",
        )?;
        insert.insert(params![agent, session, at])
    }

    /// The calls that had no result when the index was last written.
    pub(crate) fn open_calls(&self) -> Result<HashMap<i64, HashMap<String, Open>>, IndexFault> {
        let read = || -> rusqlite::Result<HashMap<i64, HashMap<String, Open>>> {
            let mut calls: HashMap<i64, HashMap<String, Open>> = HashMap::new();
            let mut statement = self.db.prepare(
                "SELECT session, call, seq, at, actor, actor_type, agent, tool, verdict, asked, tests, late FROM open",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let asked: String = row.get(9)?;
                let open = Open {
                    seq: row.get(2)?,
                    at: row.get(3)?,
                    actor: row.get(4)?,
                    actor_type: row.get(5)?,
                    agent: row.get(6)?,
                    tool: row.get(7)?,
                    verdict: row.get(8)?,
                    asked: asked.split_whitespace().map(str::to_owned).collect(),
                    tests: row.get(10)?,
                    late: row.get(11)?,
                };
                calls.entry(row.get(0)?).or_default().insert(row.get(1)?, open);
            }
            Ok(calls)
        };
        read().map_err(|error| self.fault(error))
    }

    /// Writes sums down, all or none. `reached` is the last record in them.
    pub(crate) fn write(&mut self, fold: &Fold, reached: (u64, &str)) -> Result<(), IndexFault> {
        self.write_all(fold, reached).map_err(|error| self.fault(error))
    }

    /// Begins a write: sessions get their numbers in it. A reader sees all of it or nothing.
    pub(crate) fn begin(&self) -> Result<(), IndexFault> {
        self.db.execute_batch("BEGIN IMMEDIATE").map_err(|error| self.fault(error))
    }

    fn write_all(&self, fold: &Fold, (seq, hash): (u64, &str)) -> rusqlite::Result<()> {
        self.write_calls(fold)?;
        self.write_sums(fold)?;
        self.write_open(fold)?;
        let mut meta = self.db.prepare_cached("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
        meta.execute(params!["seq", seq.to_string()])?;
        meta.execute(params!["hash", hash])?;
        self.db.execute_batch("COMMIT")
    }

    fn write_calls(&self, fold: &Fold) -> rusqlite::Result<()> {
        let names = &fold.names;
        let mut call = self.db.prepare_cached(
            "INSERT OR REPLACE INTO calls VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?;
        for row in &fold.rows {
            call.execute(params![
                row.seq,
                row.at,
                row.session,
                names.text(row.actor),
                names.text(row.tool),
                names.text(row.verdict),
                row.outcome.number(),
                row.bytes,
                row.took,
                row.gate
            ])?;
        }
        let mut late =
            self.db.prepare_cached("UPDATE calls SET outcome = ?2, bytes = ?3, took = ?4 WHERE seq = ?1")?;
        for (seq, outcome, bytes, took) in &fold.late {
            late.execute(params![seq, outcome.number(), bytes, took])?;
        }
        Ok(())
    }

    fn write_sums(&self, fold: &Fold) -> rusqlite::Result<()> {
        let names = &fold.names;
        let mut session = self.db.prepare_cached(
            "UPDATE sessions SET first = min(first, ?2), last = max(last, ?3), events = events + ?4,
               prompts = prompts + ?5, calls = calls + ?6, asked = asked + ?7, denied = denied + ?8,
               cwd = CASE cwd WHEN '' THEN ?9 ELSE cwd END,
               transcript = CASE transcript WHEN '' THEN ?10 ELSE transcript END,
               project = CASE project WHEN '' THEN ?11 ELSE project END WHERE id = ?1",
        )?;
        for (id, s) in &fold.sessions {
            session.execute(params![
                id,
                s.first,
                s.last,
                s.events,
                s.prompts,
                s.calls,
                s.asked,
                s.denied,
                s.cwd,
                s.transcript,
                s.project
            ])?;
        }
        for (table, hours) in [("hours", 1), ("days", DAY)] {
            let mut sums = self.db.prepare_cached(&format!(
                "INSERT INTO {table} VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO UPDATE SET
                   calls = calls + excluded.calls, bytes = bytes + excluded.bytes, took = took + excluded.took",
            ))?;
            for ((hour, agent, actor, tool, verdict, outcome), sum) in &fold.calls {
                let (agent, actor) = (names.text(*agent), names.text(*actor));
                let (tool, verdict, hour) = (names.text(*tool), names.text(*verdict), start(*hour, hours));
                sums.execute(params![
                    hour, agent, actor, tool, verdict, outcome, sum.calls, sum.bytes, sum.took
                ])?;
            }
        }
        let mut rules = self.db.prepare_cached(
            "INSERT INTO rules VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO UPDATE SET
               noted = noted + excluded.noted, asked = asked + excluded.asked, denied = denied + excluded.denied,
               approved = approved + excluded.approved, declined = declined + excluded.declined,
               overridden = overridden + excluded.overridden, retried = retried + excluded.retried",
        )?;
        for ((hour, agent, rule), [noted, asked, denied, approved, declined, overridden, retried]) in
            &fold.rules
        {
            let (agent, rule) = (names.text(*agent), names.text(*rule));
            rules.execute(params![
                hour, agent, rule, noted, asked, denied, approved, declined, overridden, retried
            ])?;
        }
        self.write_counts(fold)
    }

    fn write_counts(&self, fold: &Fold) -> rusqlite::Result<()> {
        let names = &fold.names;
        let upsert = |table| {
            format!(
                "INSERT INTO {table} VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET n = n + excluded.n"
            )
        };
        let mut tools = self.db.prepare_cached("INSERT OR REPLACE INTO tools VALUES (?1, ?2, ?3)")?;
        for ((agent, tool), kind) in &fold.kinds {
            tools.execute([names.text(*agent), names.text(*tool), names.text(*kind)])?;
        }
        let mut events = self.db.prepare_cached(&upsert("events"))?;
        for ((hour, agent, phase), count) in &fold.events {
            events.execute(params![hour, names.text(*agent), names.text(*phase), count])?;
        }
        let mut faults = self.db.prepare_cached(&upsert("faults"))?;
        for ((hour, agent, kind), count) in &fold.faults {
            faults.execute(params![hour, names.text(*agent), names.text(*kind), count])?;
        }
        for (table, hours) in [("latency", 1), ("latency_days", DAY)] {
            let mut latency = self.db.prepare_cached(&format!(
                "INSERT INTO {table} VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET n = n + excluded.n",
            ))?;
            for ((hour, agent, tool, bucket), count) in &fold.latency {
                let hour = start(*hour, hours);
                latency.execute(params![hour, names.text(*agent), names.text(*tool), bucket, count])?;
            }
        }
        let mut tests = self.db.prepare_cached(
            "INSERT INTO tests VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET
               passed = passed + excluded.passed, failed = failed + excluded.failed",
        )?;
        for ((hour, agent), [passed, failed]) in &fold.tests {
            tests.execute(params![hour, names.text(*agent), passed, failed])?;
        }
        Ok(())
    }

    fn write_open(&self, fold: &Fold) -> rusqlite::Result<()> {
        self.db.execute("DELETE FROM open", [])?;
        let mut insert = self.db.prepare_cached(
            "INSERT OR REPLACE INTO open VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?;
        for (session, calls) in &fold.open {
            for (call, open) in calls {
                insert.execute(params![
                    session,
                    call,
                    open.seq,
                    open.at,
                    open.actor,
                    open.actor_type,
                    open.agent,
                    open.tool,
                    open.verdict,
                    open.asked.join(" "),
                    open.tests,
                    open.late
                ])?;
            }
        }
        Ok(())
    }

    pub(crate) fn fault(&self, error: rusqlite::Error) -> IndexFault {
        IndexFault::Database { path: self.path.clone(), error }
    }
}

/// One process at a time makes an index or takes records in, from looking how far it is to the last write: whoever
/// waited finds nothing left to do. The directory itself is what is locked, so that nothing has to be made for it.
pub(crate) fn turn(state: &Path) -> Option<std::fs::File> {
    let folder = std::fs::File::open(state).ok()?;
    folder.lock().ok().map(|()| folder)
}

/// The last record that an index has taken in and its hash, looked at without changing or making it.
#[must_use]
pub fn reached(state: &Path) -> Option<(u64, String)> {
    let path = state.join(NAME);
    check(&path).ok()?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags).ok()?;
    let get = |key: &str| {
        db.query_row("SELECT value FROM meta WHERE key = ?1", [key], |row| row.get::<_, String>(0)).ok()
    };
    get("seq")?.parse().ok().zip(get("hash")).filter(|(seq, _)| *seq > 0)
}

/// Hours of a day: sums by day stand under the first hour of it.
pub(crate) const DAY: i64 = 24;

/// The first of so many hours.
fn start(hour: i64, hours: i64) -> i64 {
    hour - hour.rem_euclid(hours)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(std::time::Duration::from_secs(30))?;
    // Everything here can be had from the log again, so that a power cut may cost it.
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;")?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(db)
}

/// Is it ours, of this version and readable? An empty one becomes so, whoever else makes it one at the same time.
fn is_whole(db: &Connection) -> rusqlite::Result<bool> {
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if version == 0 && tables == 0 {
        db.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT"))?;
        return Ok(true);
    }
    Ok(version == VERSION)
}

/// Moves what stands there aside, and begins again.
fn anew(path: &Path) -> Result<Connection, IndexFault> {
    let fault = |error| IndexFault::Database { path: path.to_owned(), error };
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    if path.exists() && std::fs::rename(path, path.with_extension("db.old")).is_err() {
        return Err(IndexFault::Unsafe { path: path.to_owned(), why: "is broken and cannot be moved aside" });
    }
    let db = connect(path).map_err(fault)?;
    is_whole(&db).map_err(fault)?;
    Ok(db)
}

/// No link is followed, and nothing but a file of ours is opened.
fn check(path: &Path) -> Result<(), IndexFault> {
    use std::os::unix::fs::MetadataExt;
    let unsafe_ = |why| Err(IndexFault::Unsafe { path: path.to_owned(), why });
    for end in ["", "-wal", "-shm"] {
        let Ok(found) = std::fs::symlink_metadata(format!("{}{end}", path.display())) else { continue };
        let whose =
            std::fs::symlink_metadata(path.parent().unwrap_or(path)).map_or(found.uid(), |dir| dir.uid());
        if found.is_dir() && end.is_empty() {
            continue;
        }
        if !found.is_file() || found.nlink() != 1 || found.uid() != whose {
            return unsafe_("is a link, or no file of ours; it is left alone");
        }
    }
    Ok(())
}

fn private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::set_permissions(
            format!("{}{end}", path.display()),
            std::fs::Permissions::from_mode(0o600),
        );
    }
}
