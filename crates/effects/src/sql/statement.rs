//! One statement: what it does, wherever in it that stands.

use std::cell::Cell;

use tollgate_model::stage::is_test_database;

use super::filter::{is_emptied, is_filtered, is_word, table};
use super::token::Token;
use super::{Deed, Flavour, Statement, client};

/// The tokens of one statement.
pub(super) struct Reader<'t> {
    tokens: &'t [Token],
    flavour: Flavour,
    /// How many tokens may still be searched for conditions. When none are left, there is no condition.
    budget: Cell<usize>,
}

impl<'t> Reader<'t> {
    /// A reader of one statement.
    pub fn new(tokens: &'t [Token], flavour: Flavour) -> Self {
        Self { tokens, flavour, budget: Cell::new(tokens.len() * 4 + 10_000) }
    }

    /// True when the statement's first word is this one.
    pub fn is(&self, word: &str) -> bool {
        self.word(0) == Some(word)
    }

    /// `USE name`, which needs nothing that ends it: the database it goes on in, if it is another, and what follows.
    pub fn used(&self) -> Option<(Option<String>, &'t [Token])> {
        if !self.is("use") {
            return None;
        }
        let kinds = self.flavour != Flavour::MySql && self.tokens.len() > 2;
        let (at, kind) = match self.word(1).filter(|_| kinds) {
            Some(kind @ ("role" | "warehouse" | "schema" | "database" | "catalog" | "keyspace")) => (2, kind),
            _ => (1, ""),
        };
        let name = match self.tokens.get(at)? {
            Token::Text(name) => name.clone(),
            _ => self.name(at),
        };
        let mut end = at + 1;
        while self.symbol(end, '.') && end + 1 < self.tokens.len() {
            end += 2;
        }
        // A schema of the same database is no other one.
        let stays = matches!(kind, "role" | "warehouse") || kind == "schema" && end == at + 1;
        Some((Some(name).filter(|name| !stays && !name.is_empty()), self.tokens.get(end..)?))
    }

    /// True when the word stands somewhere in it.
    pub fn contains(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| is_word(token, word))
    }

    /// `BEGIN`, but not that of a block of code.
    pub fn begins_transaction(&self) -> bool {
        let first = self.word(0);
        (first == Some("begin")
            && matches!(
                self.word(1),
                None | Some("transaction" | "work" | "immediate" | "deferred" | "exclusive")
            ))
            || (first == Some("start") && self.word(1) == Some("transaction"))
    }

    /// The temporary table that it makes; of a text that ends with its first mistake, any table, for there was none of
    /// that name before.
    pub fn makes_table(&self, strict: bool) -> Option<String> {
        let kind = match (self.is("create"), self.word(1)?) {
            (true, "temp" | "temporary") => 2,
            (true, "table") if strict && self.word(2) != Some("if") => 1,
            _ => return None,
        };
        (self.word(kind) == Some("table")).then(|| self.name(kind + 1))
    }

    /// Does it drop or empty more than one table?
    pub fn names_several(&self) -> bool {
        (self.is("drop") || self.is("truncate")) && self.tokens.contains(&Token::Symbol(','))
    }

    /// Code in strings that this statement runs.
    pub fn inner_code(&self) -> impl Iterator<Item = &'t str> {
        let runs = |token: &Token| matches!(token, Token::Word(word) if matches!(word.as_str(), "execute" | "exec" | "immediate"));
        let wanted =
            self.is("do") || self.is("prepare") || (!self.is("create") && self.tokens.iter().any(runs));
        self.tokens.iter().filter(move |_| wanted).filter_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// The function that it defines, and the texts that may be its code.
    pub fn defines(&self) -> Option<(String, Vec<&'t str>)> {
        let kind = self.tokens.iter().take(6).position(|token| {
            is_word(token, "function") || is_word(token, "procedure") || is_word(token, "proc")
        });
        let name = self.name(kind.filter(|_| self.is("create"))? + 1);
        let texts = self.tokens.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text.as_str()),
            _ => None,
        });
        Some((name.rsplit('.').next().unwrap_or_default().to_owned(), texts.collect()))
    }

    /// Does it call a function of this name?
    pub fn calls(&self, name: &str) -> bool {
        let runs = ["call", "exec", "execute"].iter().any(|word| self.is(word));
        let named = |at: usize| match self.tokens.get(at) {
            Some(Token::Word(word)) => word == name,
            Some(Token::Name(word)) => word.eq_ignore_ascii_case(name),
            _ => false,
        };
        !self.is("create")
            && !self.is("drop")
            && (0..self.tokens.len()).any(|at| named(at) && (runs || self.symbol(at + 1, '(')))
    }

    /// What it is when its time comes: `CREATE EVENT e ON SCHEDULE … DO …`, `CREATE TASK t … AS …`.
    fn planned(&self) -> Option<Self> {
        let near = |word: &str| self.tokens.iter().take(8).any(|token| is_word(token, word));
        let mark = match self.is("create") || self.is("alter") {
            true if near("event") => "do",
            true if near("task") => "as",
            _ => return None,
        };
        let at = self.tokens.iter().position(|token| is_word(token, mark))?;
        Some(Self::new(self.tokens.get(at + 1..)?, self.flavour))
    }

    /// A table that another takes the place of, with no rows: `CREATE OR REPLACE TABLE t (…)`.
    fn replaced(&self) -> Option<Statement> {
        let at = |word: &str| self.tokens.iter().take(6).position(|token| is_word(token, word));
        let replaces = self.is("create") && at("replace").is_some();
        let overwrites = self.is("insert") && at("overwrite").is_some();
        let table = at("table").filter(|_| replaces || overwrites)?;
        let mut name = table + 1;
        while matches!(self.word(name), Some("if" | "not" | "exists")) {
            name += 1;
        }
        let query = self.tokens.iter().position(|token| is_word(token, "select"));
        let rows = query.map(|at| self.tokens.get(at..).unwrap_or_default());
        let copied = self.contains("clone") || self.contains("from") || self.contains("using");
        // Values that stand in the query are none of the rows there were.
        let made_up = |rows: &[Token]| !rows.iter().any(|token| is_word(token, "from"));
        let lost = rows.map_or(replaces && !copied, |rows| is_emptied(rows) || made_up(rows));
        lost.then(|| Statement::new(Deed::Truncate, self.name(name)))
    }

    /// `MERGE INTO t … ON FALSE WHEN NOT MATCHED BY SOURCE THEN DELETE`: no row is matched, all go.
    fn unmatched(&self) -> Option<Statement> {
        let never = (0..self.tokens.len()).any(|at| {
            self.word(at) == Some("on") && matches!(self.word(at + 1), Some("false")) || {
                self.word(at) == Some("on")
                    && self.word(at + 1) == Some("1")
                    && self.word(at + 3) == Some("0")
            }
        });
        let name = if self.word(1) == Some("into") { 2 } else { 1 };
        (self.is("merge") && never && self.contains("delete"))
            .then(|| Statement::new(Deed::Delete, self.name(name)))
    }

    /// All it does.
    pub fn deeds(&self) -> Vec<Statement> {
        if let [Token::Client(line)] = self.tokens {
            return client::client(line, self.flavour).into_iter().collect();
        }
        if let Some(planned) = self.planned() {
            return planned.deeds();
        }
        let mut deeds = Vec::new();
        let explains =
            (self.is("explain") || self.is("describe") || self.is("desc")) && !self.contains("analyze");
        if explains {
            return deeds;
        }
        let defines = matches!(self.word(0), Some("create" | "grant" | "revoke" | "comment" | "merge"));
        for at in 0..self.tokens.len() {
            let deed = if defines { None } else { self.change(at) };
            deeds.extend(deed.iter().flat_map(|first| self.further(at, first)));
            deeds.extend(deed.or_else(|| self.reach(at)));
            deeds.extend(self.reach_listed(at));
        }
        deeds.extend(self.grant());
        deeds.extend(self.replaced());
        deeds.extend(self.unmatched());
        deeds
    }

    fn change(&self, at: usize) -> Option<Statement> {
        let previous = at.checked_sub(1).and_then(|before| self.word(before));
        match self.word(at)? {
            "drop" => self.drop_at(at),
            "truncate" if !self.symbol(at + 1, '(') && self.starts_clause(at) => {
                let name = if self.word(at + 1) == Some("table") { at + 2 } else { at + 1 };
                Some(Statement::new(Deed::Truncate, self.name(name)))
            }
            "delete" if matches!(previous, Some("on" | "for" | "after" | "before" | "or" | "then")) => None,
            "delete" if self.starts_clause(at) => self.delete_at(at),
            // ClickHouse: `ALTER TABLE t DELETE WHERE 1`.
            "delete" if self.is("alter") && self.word(at + 1) == Some("where") => {
                let deed = Statement::new(Deed::Delete, self.name(2));
                (!self.is_filtered(self.clause(at))).then_some(deed)
            }
            "update"
                if matches!(
                    previous,
                    Some("on" | "for" | "do" | "key" | "after" | "before" | "or" | "then")
                ) =>
            {
                None
            }
            "update" if self.starts_clause(at) => self.update_at(at),
            // Large objects of PostgreSQL go by a function: one by its number, or one for every row.
            "lo_unlink" | "lo_truncate" | "lo_truncate64"
                if self.symbol(at + 1, '(') && self.contains("from") =>
            {
                (!is_filtered(self.tokens, &[]))
                    .then(|| Statement::new(Deed::Delete, "large objects".to_owned()))
            }
            _ => None,
        }
    }

    /// A verb stands at the start, behind a bracket (a common table expression), or behind a word of a block.
    fn starts_clause(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return true };
        match self.tokens.get(before) {
            Some(Token::Symbol(mark)) => matches!(mark, '(' | ')'),
            Some(Token::Word(word)) => {
                matches!(
                    word.as_str(),
                    "begin" | "then" | "else" | "loop" | "analyze" | "verbose" | "as" | "declare"
                )
            }
            _ => false,
        }
    }

    fn drop_at(&self, at: usize) -> Option<Statement> {
        let alters = self.is("alter");
        if !alters && !self.starts_clause(at) {
            return None;
        }
        let kind = self.word(at + 1)?;
        let deed = match kind {
            "column" => Deed::DropColumn,
            "database" | "schema" | "keyspace" | "owned" | "tablespace" | "catalog" => Deed::DropDatabase,
            "table" | "view" | "materialized" | "collection" | "sequence" | "type" | "user" | "role"
            | "dictionary" | "stream" | "measurement" | "series" | "dataset" | "partition" | "foreign"
            | "bucket" => Deed::Drop,
            // `ALTER TABLE t DROP name`; indexes, constraints, functions and the like hold no data.
            _ if alters && !is_rebuildable(kind) => Deed::DropColumn,
            _ => return None,
        };
        let mut name = at + 2;
        while matches!(self.word(name), Some("if" | "exists" | "by" | "table" | "view")) {
            name += 1;
        }
        let object = if alters { self.name(2) } else { self.name(name) };
        Some(Statement::new(deed, object))
    }

    /// The other tables of a list, where they are said to lie elsewhere: `drop table a, other.b`.
    fn further(&self, at: usize, first: &Statement) -> Vec<Statement> {
        if !matches!(first.deed, Deed::Drop | Deed::Truncate) {
            return Vec::new();
        }
        let commas = self.clause(at).iter().enumerate().filter(|(_, token)| **token == Token::Symbol(','));
        let names = commas.map(|(comma, _)| self.name(at + comma + 2)).filter(|name| name.contains('.'));
        names.map(|name| Statement::new(first.deed, name)).collect()
    }

    fn delete_at(&self, at: usize) -> Option<Statement> {
        let name = if self.word(at + 1) == Some("from") { at + 2 } else { at + 1 };
        let name = if self.word(name) == Some("only") { name + 1 } else { name };
        let clause = self.clause(at);
        let filtered = self.is_filtered(clause) || clause.iter().any(|token| is_word(token, "join"));
        (!filtered && at + 1 < self.tokens.len()).then(|| Statement::new(Deed::Delete, self.name(name)))
    }

    fn update_at(&self, at: usize) -> Option<Statement> {
        let clause = self.clause(at);
        let sets = clause.iter().any(|token| is_word(token, "set"));
        let wheres = clause.iter().any(|token| is_word(token, "where"));
        let joins = |token: &Token| is_word(token, "join") || !wheres && is_word(token, "from");
        let filtered = self.is_filtered(clause) || clause.iter().any(joins);
        ((sets || clause.is_empty()) && !filtered && at + 1 < self.tokens.len())
            .then(|| Statement::new(Deed::Update, self.name(at + 1)))
    }

    fn is_filtered(&self, clause: &[Token]) -> bool {
        let copies = table(clause).map(|table| self.copies(table)).unwrap_or_default();
        is_filtered(clause, &copies)
    }

    /// The queries of this statement that yield every row of a table: `WITH old AS (SELECT id FROM orders)`.
    fn copies(&self, table: &Token) -> Vec<&'t Token> {
        let is_copy = |at: usize| {
            let query = self.word(at + 1) == Some("as") && self.symbol(at + 2, '(');
            let inner = if query { self.clause(at + 2) } else { &[] };
            let from = inner.iter().position(|token| is_word(token, "from"));
            let whole = from.and_then(|from| inner.get(from + 1..)).is_some_and(|rest| match rest {
                [only] => only == table,
                [only, other] => only == table && matches!(other, Token::Word(_) | Token::Name(_)),
                _ => false,
            });
            inner.first().is_some_and(|first| is_word(first, "select")) && whole
        };
        (0..self.tokens.len()).filter(|at| is_copy(*at)).filter_map(|at| self.tokens.get(at)).collect()
    }

    /// The tokens behind `at` that belong to the same bracket.
    fn clause(&self, at: usize) -> &'t [Token] {
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let left = self.budget.get();
        let rest = rest.get(..left).unwrap_or(rest);
        let mut depth = 0_i32;
        let end = rest.iter().position(|token| {
            match token {
                Token::Symbol('(') => depth += 1,
                Token::Symbol(')') => depth -= 1,
                _ => {}
            }
            depth < 0
        });
        let end = end.unwrap_or(rest.len());
        self.budget.set(left - end);
        rest.get(..end).unwrap_or_default()
    }

    /// `select writefile(name, …) from (values('a'), ('b'))`: every text in the statement may be the file.
    fn reach_listed(&self, at: usize) -> Vec<Statement> {
        let named = matches!(self.tokens.get(at + 2), Some(Token::Word(_) | Token::Name(_)));
        if self.word(at) != Some("writefile") || !self.symbol(at + 1, '(') || !named {
            return Vec::new();
        }
        let texts = self.tokens.iter().filter_map(|token| match token {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        });
        texts.take(16).map(|text| Statement::new(Deed::WriteFile, text)).collect()
    }

    /// Programs and files that a statement reaches out to.
    fn reach(&self, at: usize) -> Option<Statement> {
        let text = |behind: usize| self.text_after(at, behind);
        let (deed, object) = match self.word(at)? {
            "program"
                if matches!(at.checked_sub(1).and_then(|before| self.word(before)), Some("to" | "from")) =>
            {
                (Deed::Run, text(1)?)
            }
            "xp_cmdshell" => (Deed::Run, text(2)?),
            "sys_exec" | "sys_eval" | "system" if self.symbol(at + 1, '(') => (Deed::Run, text(2)?),
            "edit" if self.flavour == Flavour::Sqlite && self.symbol(at + 1, '(') => {
                let mut texts = self.tokens.iter().rev().filter_map(|token| match token {
                    Token::Text(text) => Some(text.clone()),
                    _ => None,
                });
                (Deed::Run, texts.next()?)
            }
            // `alter system set archive_command = '…'`: a server runs it.
            name if self.is("alter") && self.word(1) == Some("system") && name.ends_with("_command") => {
                (Deed::Run, text(3)?)
            }
            "outfile" | "dumpfile" => (Deed::WriteFile, text(1)?),
            "lo_export" => (Deed::WriteFile, text(5)?),
            "writefile" => (Deed::WriteFile, text(2)?),
            "infile"
            | "load_file"
            | "pg_read_file"
            | "pg_read_binary_file"
            | "lo_import"
            | "pg_ls_dir"
            | "readfile"
            | "read_csv"
            | "read_text"
            | "read_json"
            | "read_parquet" => (Deed::ReadFile, text(2)?),
            "to" if self.is("copy") => (Deed::WriteFile, text(1)?),
            "from" if self.is("copy") => (Deed::ReadFile, text(1)?),
            _ => return None,
        };
        // A file that is a pipe is a command.
        let command = object.trim().trim_matches('|').to_owned();
        let piped = matches!(deed, Deed::ReadFile | Deed::WriteFile) && command.len() < object.trim().len();
        Some(if piped { Statement::new(Deed::Run, command) } else { Statement::new(deed, object) })
    }

    fn grant(&self) -> Option<Statement> {
        let on = self.tokens.iter().position(|token| is_word(token, "on")).unwrap_or_default();
        let gives_all = self.is("grant") && self.word(1) == Some("all") && !self.is_on_tests(on);
        let makes_super = matches!(self.word(0), Some("create" | "alter"))
            && matches!(self.word(1), Some("role" | "user"))
            && self.contains("superuser");
        let opens = self.is("alter")
            && self.word(1) == Some("table")
            && self.contains("disable")
            && self.contains("row")
            && self.contains("security");
        let listens = self.is("alter")
            && self.word(1) == Some("system")
            && self.contains("listen_addresses")
            && self
                .tokens
                .iter()
                .any(|token| matches!(token, Token::Text(text) if text == "*" || text == "0.0.0.0"));
        if opens || listens {
            return Some(Statement::new(Deed::Grant, self.name(2)));
        }
        if !gives_all && !makes_super {
            return None;
        }
        let to = self.tokens.iter().rposition(|token| is_word(token, "to")).map_or(2, |at| at + 1);
        let deed = if gives_all && self.is_within(on) { Deed::GrantWithin } else { Deed::Grant };
        Some(Statement::new(deed, self.name(to)))
    }

    /// `ON DATABASE app_test TO`, `ON app_test.* TO`: what is only for tests is anybody's.
    fn is_on_tests(&self, on: usize) -> bool {
        let whole = self.word(on + 1) == Some("database") && self.word(on + 3) == Some("to");
        let tables = self.symbol(on + 2, '.') && self.symbol(on + 3, '*') && self.word(on + 4) == Some("to");
        let name = |at: usize| self.name(at).trim_end_matches('.').to_owned();
        whole && is_test_database(&name(on + 2)) || tables && is_test_database(&name(on + 1))
    }

    /// Is it about what lies in the database that the client works in?
    fn is_within(&self, on: usize) -> bool {
        matches!(self.word(on + 1), Some("schema" | "all" | "table" | "sequence"))
    }

    fn text_after(&self, at: usize, within: usize) -> Option<String> {
        let near = self.tokens.get(at + 1..).unwrap_or_default().iter().take(within);
        near.filter_map(|token| if let Token::Text(text) = token { Some(text.clone()) } else { None }).next()
    }

    /// A name with its dots, as shown.
    fn name(&self, at: usize) -> String {
        let mut name = String::new();
        for token in self.tokens.get(at..).unwrap_or_default().iter().take(5) {
            let part = match token {
                Token::Word(part) | Token::Name(part) if name.is_empty() || name.ends_with('.') => {
                    part.clone()
                }
                Token::Symbol('.') => ".".to_owned(),
                _ => break,
            };
            name.push_str(&part);
        }
        name.to_lowercase()
    }

    fn word(&self, at: usize) -> Option<&'t str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn symbol(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Symbol(mark))
    }
}

/// What can be made again from the schema alone.
fn is_rebuildable(kind: &str) -> bool {
    matches!(
        kind,
        "constraint"
            | "index"
            | "default"
            | "not"
            | "primary"
            | "foreign"
            | "key"
            | "check"
            | "identity"
            | "expression"
            | "attribute"
            | "value"
    )
}
