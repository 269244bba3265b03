//! SQL as far as it matters: which statements lose data, give rights, run programs or touch files. A scan over
//! tokens, linear in the text and total: what it cannot read it skips.

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
            Self::Run | Self::Include | Self::IncludeOutput | Self::ReadFile | Self::WriteFile => {
                return None;
            }
        })
    }
}

/// What a text does, whoever reads it: both as PostgreSQL and as MySQL.
pub(crate) fn scan(sql: &str) -> Vec<Statement> {
    let mut found = scan_as(sql, Flavour::Postgres);
    if sql.contains(['\\', '#', '`']) || sql.contains("/*") {
        let more = scan_as(sql, Flavour::MySql);
        more.into_iter().for_each(|statement| add(&mut found, statement));
    }
    found
}

/// What a text does for one reader.
pub(crate) fn scan_as(sql: &str, flavour: Flavour) -> Vec<Statement> {
    let mut found = Vec::new();
    text(sql, flavour, 0, &mut found);
    found
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

fn text(sql: &str, flavour: Flavour, depth: usize, found: &mut Vec<Statement>) {
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
        let one = statement::Reader::new(part, flavour);
        if one.begins_transaction() {
            begun = Some(found.len());
        } else if one.is("commit") {
            begun = None;
        } else if one.is("rollback") && flavour != Flavour::MySql && !one.contains("to") {
            // Whatever was done since is taken back.
            if let Some(mark) = begun.take() {
                take_back(found, mark);
            }
        }
        own.extend(one.makes_temporary());
        for statement in one.deeds() {
            let temporary = own.contains(&statement.object) && statement.deed.operation().is_some();
            if !temporary {
                add(found, statement);
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

/// Changes of rows are undone by a rollback; programs have run and files are written for good.
fn take_back(found: &mut Vec<Statement>, mark: usize) {
    let since = found.split_off(mark.min(found.len()));
    found.extend(since.into_iter().filter(|statement| statement.deed.operation().is_none()));
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

fn add(found: &mut Vec<Statement>, statement: Statement) {
    const LIMIT: usize = 64;
    if found.len() < LIMIT && !found.contains(&statement) {
        found.push(statement);
    }
}

#[cfg(test)]
mod tests;
