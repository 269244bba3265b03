//! SQL as far as it matters: which statements lose data, give rights, run programs or touch files. A scan over
//! tokens, linear in the text and total: what it cannot read it skips.

mod client;
mod dynamic;
mod filter;
mod statement;
mod token;
mod variables;

use token::Token;
pub(crate) use variables::filled;

/// One statement that does something worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    /// What it does.
    pub deed: Deed,
    /// To what; for code and files, the text.
    pub object: String,
    /// The database that the text has gone on in before, if it says so.
    pub database: Option<String>,
}

impl Statement {
    fn new(deed: Deed, object: String) -> Self {
        Self { deed, object, database: None }
    }
}

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Drops a database, a schema, or all that somebody owns.
    DropDatabase,
    /// Drops a table, a view or another object.
    Drop,
    /// Drops a column.
    DropColumn,
    /// Empties a table.
    Truncate,
    /// Deletes every row.
    Delete,
    /// Changes every row.
    Update,
    /// Puts another database in the place of this one.
    Replace,
    /// Gives all rights.
    Grant,
    /// Gives all rights to something in the database at hand.
    GrantWithin,
    /// Goes on in another database.
    Use,
    /// Runs a shell command.
    Run,
    /// Runs the SQL of a file.
    Include,
    /// Runs the SQL that a shell command prints.
    IncludeOutput,
    /// Reads a file.
    ReadFile,
    /// Writes a file.
    WriteFile,
}

/// Whose SQL it is: they differ in strings and comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// PostgreSQL, and the standard.
    Postgres,
    /// MySQL and MariaDB: backslashes in strings, `#` comments, comments that run.
    MySql,
    /// SQLite and DuckDB: lines that start with a dot are commands.
    Sqlite,
}

impl Deed {
    /// Its name in a `Database` effect; `None` for what is no change of the database.
    pub fn operation(self) -> Option<&'static str> {
        Some(match self {
            Self::DropDatabase => "drop-database",
            Self::Drop => "drop",
            Self::DropColumn => "drop-column",
            Self::Truncate => "truncate",
            Self::Delete => "delete-all",
            Self::Update => "update-all",
            Self::Replace => "reset",
            Self::Grant => "grant-all",
            Self::GrantWithin => "grant-within",
            Self::Use
            | Self::Run
            | Self::Include
            | Self::IncludeOutput
            | Self::ReadFile
            | Self::WriteFile => return None,
        })
    }
}

/// What a text does, whoever reads it: both as PostgreSQL and as MySQL.
pub(crate) fn scan(sql: &str) -> Vec<Statement> {
    let mut found = Found::default();
    text(sql, Flavour::Postgres, 0, &mut found);
    if sql.contains(['\\', '#', '`']) || sql.contains("/*") {
        found.database = None;
        text(sql, Flavour::MySql, 0, &mut found);
    }
    found.statements
}

/// What a text does for one reader, which may end with the first statement that fails. Where it leaves its reader in
/// another database, that is the last.
pub(crate) fn scan_as(sql: &str, flavour: Flavour, strict: bool) -> Vec<Statement> {
    let mut found = Found { strict, ..Found::default() };
    text(sql, flavour, 0, &mut found);
    let left = found.database.map(|name| Statement::new(Deed::Use, name));
    found.statements.into_iter().chain(left).collect()
}

/// What was found so far, and the database that the text is in.
#[derive(Default)]
struct Found {
    statements: Vec<Statement>,
    database: Option<String>,
    /// The text ends with the first statement that fails.
    strict: bool,
}

impl Found {
    /// Takes a statement down. Of more than are read, nothing is known: not even which database they are for.
    fn add(&mut self, statement: Statement) {
        const LIMIT: usize = 512;
        let statement = Statement { database: self.database.clone(), ..statement };
        if self.statements.len() == LIMIT {
            let database = Some("another database".to_owned());
            self.statements
                .push(Statement { database, ..Statement::new(Deed::Drop, "more than is read".into()) });
        } else if self.statements.len() < LIMIT && !self.statements.contains(&statement) {
            self.statements.push(statement);
        }
    }

    /// Changes of rows since the mark are undone by a rollback; programs have run and files are written for good.
    fn take_back(&mut self, mark: usize) {
        let since = self.statements.split_off(mark.min(self.statements.len()));
        self.statements.extend(since.into_iter().filter(|statement| statement.deed.operation().is_none()));
    }
}

/// Statements that a query makes out of texts, for somebody to run: `select 'drop table ' || name from …`.
pub(crate) fn built(sql: &str, flavour: Flavour) -> Vec<String> {
    let tokens = token::tokens(sql, flavour);
    let texts = tokens.iter().filter_map(|token| match token {
        Token::Text(text) => Some(text.trim_start()),
        _ => None,
    });
    let verb = |text: &&str| {
        let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        matches!(first.as_str(), "drop" | "truncate" | "delete" | "alter" | "update")
    };
    let asks = tokens.iter().any(|token| matches!(token, Token::Word(word) if word == "select"));
    if asks { texts.filter(verb).map(str::to_owned).collect() } else { Vec::new() }
}

/// Does a query that takes a table's place leave little of it: no rows, rows of its own making, or a part of its own?
pub(crate) fn leaves_little(query: &str, table: &str) -> bool {
    let tokens = token::tokens(query, Flavour::MySql);
    let is = |word: &str| tokens.iter().any(|token| filter::is_word(token, word));
    let plain = |name: &str| name.replace([':', '`'], ".").to_ascii_lowercase();
    let name = plain(table);
    let own = name.rsplit('.').next().unwrap_or_default();
    let itself = tokens.iter().any(|token| match token {
        Token::Word(word) => word == own,
        Token::Name(word) => plain(word).rsplit('.').next() == Some(own),
        _ => false,
    });
    let narrows = itself && (is("where") || is("limit"));
    is("select") && (!is("from") || narrows || filter::is_emptied(&tokens))
}

/// Code within code (`DO $$ … $$`, `EXECUTE '…'`) is followed this deep.
const DEPTH: usize = 4;

fn text(sql: &str, flavour: Flavour, depth: usize, found: &mut Found) {
    let mut own: Vec<String> = Vec::new();
    let mut defined: Vec<(String, Vec<&str>)> = Vec::new();
    let mut begun: Option<usize> = None;
    let tokens = token::tokens(sql, flavour);
    if depth == 0 && (sql.contains("\\gexec") || prepares(&tokens)) {
        // What a query yields, or a variable holds, is run.
        for token in &tokens {
            if let Token::Text(code) = token {
                text(&format!("{code} x"), flavour, depth + 1, found);
            }
        }
    }
    for part in tokens.split(|token| *token == Token::Symbol(';')) {
        let mut one = statement::Reader::new(part, flavour);
        while let Some((name, rest)) = one.used() {
            found.database = name.or_else(|| found.database.take());
            one = statement::Reader::new(rest, flavour);
        }
        if one.begins_transaction() {
            begun = Some(found.statements.len());
        } else if one.is("commit") {
            begun = None;
        } else if one.is("rollback") && flavour != Flavour::MySql && !one.contains("to") {
            // Whatever was done since is taken back.
            if let Some(mark) = begun.take() {
                found.take_back(mark);
            }
        }
        own.extend(one.makes_table(found.strict));
        let drops = one.is("drop");
        for statement in one.deeds() {
            let temporary = own.contains(&statement.object)
                && statement.deed.operation().is_some()
                && !one.names_several();
            // Once it is gone, its name may be another table's.
            own.retain(|name| !drops || *name != statement.object);
            if statement.deed == Deed::Use {
                found.database = Some(statement.object);
            } else if !temporary {
                found.add(statement);
            }
        }
        if depth < DEPTH {
            one.inner_code().for_each(|code| text(code, flavour, depth + 1, found));
            // What was defined before and is called now.
            let called = defined.iter().filter(|(name, _)| one.calls(name)).flat_map(|(_, texts)| texts);
            called.for_each(|code| text(code, flavour, depth + 1, found));
            defined.extend(one.defines());
        }
    }
    if depth < DEPTH {
        dynamic::made(&tokens).iter().for_each(|code| text(code, flavour, depth + 1, found));
    }
}

/// `prepare p from @text`
fn prepares(tokens: &[Token]) -> bool {
    let is = |token: Option<&Token>, name: &str| matches!(token, Some(Token::Word(word)) if word == name);
    let after = |at: usize| tokens.get(at + 1..).unwrap_or_default().iter().take(4);
    let prepare = tokens.iter().position(|token| is(Some(token), "prepare"));
    prepare.is_some_and(|at| {
        after(at).any(|token| is(Some(token), "from"))
            && !after(at).any(|token| matches!(token, Token::Text(_)))
    })
}

#[cfg(test)]
mod tests;
