//! Clients of databases: the SQL they are given, on the command line, from a file or from standard input.

pub(super) mod carried;
pub(super) mod clients;
pub(super) mod documents;
mod given;
pub(crate) mod lua;
pub(super) mod sqlite;

use tollgate_model::{Certainty, EffectKind};
use tollgate_shell::eval::{Input, Outcome, Stream};
use tollgate_shell::value::{HoleSource, Taint, Value};

use super::{Run, interpreters};
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Options, Order, read};
use crate::sql::{self, Deed, Flavour, Statement};
use crate::word::Word;
use given::{Given, given};
use tollgate_catalogue::Tag;

pub(super) fn psql(run: &mut Run) -> Outcome {
    let spec = "a,echo-all A,no-align b,echo-errors c,command= d,dbname= e,echo-queries E,echo-hidden f,file= F,field-separator= \
        h,host= H,html l,list L,log-file= n,no-readline o,output= p,port= P,pset= q,quiet R,record-separator= s,single-step \
        S,single-line t,tuples-only T,table-attr= U,username= v,set,variable= V,version w,no-password W,password x,expanded \
        X,no-psqlrc z,field-separator-zero 0,record-separator-zero 1,single-transaction csv help?";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("l") || options.has("V") {
        return run.derived();
    }
    if let Some(code) = options.value("o").filter(|word| word.text.prefix().starts_with('|')).cloned() {
        fed(run, &code.from(1).value());
    } else {
        written(run, &options, &["o"]);
    }
    written(run, &options, &["L"]);
    let given = given(&options, &["c"], &["f"], &["d", ".?", "@h"], Flavour::Postgres, "psql");
    statements(run, &given)
}

/// Files that a client writes what it prints to.
fn written(run: &mut Run, options: &Options, names: &[&str]) {
    for file in names.iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        run.analyst.write(&file, tollgate_model::WriteMode::Overwrite, None, run.shell);
    }
}

pub(super) fn pgcli(run: &mut Run) -> Outcome {
    let spec = "h,host= p,port= U,username= u,user= W,password w,no-password d,dbname= pgclirc= D,dsn= l,list ping e,execute= \
        c,command= f,file= y,yes init-command=";
    let options = read(run.args, spec, Order::Anywhere);
    let given = given(
        &options,
        &["e", "c", "init-command"],
        &["f"],
        &["d", "D", ".", "@h"],
        Flavour::Postgres,
        "pgcli",
    );
    statements(run, &given)
}

pub(super) fn mysql(run: &mut Run) -> Outcome {
    let spec = "A,no-auto-rehash B,batch b c,comments C,compress D,database= E,vertical e,execute= f,force G g H,html h,host= i \
        I,help? L,skip-line-numbers N,skip-column-names n,unbuffered O= o,one-database P,port= p,password? q,quick r,raw \
        S,socket= s,silent T t,table U,safe-updates u,user= V,version v,verbose w,wait X,xml defaults-file= defaults-extra-file= \
        default-character-set= delimiter= init-command= login-path= protocol= ssl-mode= ssl-ca= connect-timeout= max-allowed-packet= \
        tee= ssl skip-ssl";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["tee"]);
    let given = given(&options, &["e", "init-command"], &[], &["D", ".", "@h"], Flavour::MySql, "mysql");
    statements(run, &given)
}

pub(super) fn mycli(run: &mut Run) -> Outcome {
    let spec = "h,host= P,port= u,user= S,socket= p,password= D,database= d,dsn= e,execute= R,prompt= l,logfile= t,table csv";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["l"]);
    let given = given(&options, &["e"], &[], &["D", "d", ".", "@h"], Flavour::MySql, "mycli");
    statements(run, &given)
}

pub(super) fn usql(run: &mut Run) -> Outcome {
    let options = read(run.args, "c,command= f,file= o,out= v,set= w W 1 q t x X", Order::Anywhere);
    written(run, &options, &["o"]);
    let given = given(&options, &["c"], &["f"], &["."], Flavour::Postgres, "usql");
    statements(run, &given)
}

pub(super) fn cockroach(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute= f,file= d,database= url= h,host= p= u,user= certs-dir= insecure format=",
        Order::Anywhere,
    );
    if !options.operands.first().is_some_and(|verb| verb.is("sql")) {
        return run.derived();
    }
    let given = given(&options, &["e"], &["f"], &["d", "url", "@h"], Flavour::Postgres, "cockroach");
    statements(run, &given)
}

pub(super) fn clickhouse(run: &mut Run) -> Outcome {
    let spec = "q,query= queries-file= h,host= port= u,user= password= d,database= n,multiquery m,multiline f,format= t,time \
        secure c,config-file= E i,interactive";
    let args =
        run.args.iter().skip_while(|word| word.is("client") || word.is("local")).cloned().collect::<Vec<_>>();
    let options = read(&args, spec, Order::Anywhere);
    if run.args.first().is_some_and(|word| word.is("local")) {
        return run.derived();
    }
    let given = given(&options, &["q"], &["queries-file"], &["d", "@h"], Flavour::Postgres, "clickhouse");
    statements(run, &given)
}

pub(super) fn cqlsh(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute= f,file= k,keyspace= u,username= p,password= ssl cqlshrc= connect-timeout= request-timeout= C t,tty",
        Order::Anywhere,
    );
    let given = given(&options, &["e"], &["f"], &["k", "@."], Flavour::Postgres, "cqlsh");
    statements(run, &given)
}

pub(super) fn sqlcmd(run: &mut Run) -> Outcome {
    let spec = "S= d= U= P= E Q= q= i= o= l= t= h= s= w= W b C N v= x y= Y= I G";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["o"]);
    let given = given(&options, &["Q", "q"], &["i"], &["d", "@S"], Flavour::Postgres, "sqlcmd");
    statements(run, &given)
}

pub(super) fn snowsql(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "a,accountname= u,username= d,dbname= s,schemaname= r,rolename= w,warehouse= q,query= f,filename= o,option= c,connection=",
        Order::Anywhere,
    );
    let given = given(&options, &["q"], &["f"], &["d", "@c"], Flavour::Postgres, "snowsql");
    statements(run, &given)
}

/// `snow sql -q 'sql'`; the other verbs are in the table.
pub(super) fn snow(run: &mut Run) -> Outcome {
    let spec = "q,query= f,filename= i,stdin c,connection= D,variable= database= schema= warehouse= role= format= \
        environment= x,temporary-connection v,verbose debug silent project,p=";
    let options = read(run.args, spec, Order::Anywhere);
    if !options.operands.first().is_some_and(|verb| verb.is("sql")) {
        return run.derived();
    }
    let given = given(&options, &["q"], &["f"], &["database", "@c"], Flavour::Postgres, "snow");
    statements(run, &given)
}

/// The first version's client takes InfluxQL behind `-execute`; its options have one dash.
pub(super) fn influx(run: &mut Run) -> Outcome {
    let texts = run.args.windows(2).filter_map(|pair| match pair {
        [flag, text] if matches!(flag.shown().as_str(), "-execute" | "--execute") => Some(text.clone()),
        _ => None,
    });
    let texts: Vec<Word> = texts.collect();
    let target = vec!["influx".to_owned()];
    let flavour = Flavour::Postgres;
    let (files, hosts) = (Vec::new(), Vec::new());
    statements(run, &Given { texts, files, target, hosts, flavour, stdin: false, program: "influx" })
}

/// The client that a framework starts for its own database, and what is typed into it.
pub(super) fn console(run: &mut Run, texts: Vec<Word>) {
    let program = run.program.to_owned();
    let (files, target, hosts, stdin) = (Vec::new(), Vec::new(), Vec::new(), texts.is_empty());
    let flavour = Flavour::Postgres;
    statements(run, &Given { texts, files, target, hosts, flavour, stdin, program: &program });
}

/// `prisma db execute --stdin` or `--file f`.
pub(super) fn prisma(run: &mut Run) {
    let options = read(run.args, "stdin file= schema= url= config=", Order::Anywhere);
    let [db, execute, ..] = options.operands.as_slice() else { return };
    if db.is("db") && execute.is("execute") {
        let given = Given {
            texts: Vec::new(),
            files: options.values("file").cloned().collect(),
            target: options.values("url").map(Word::shown).collect(),
            hosts: Vec::new(),
            flavour: Flavour::Postgres,
            stdin: options.has("stdin"),
            program: "prisma",
        };
        statements(run, &given);
    }
}

/// Whatever it is told: a database is used. No rule of ours minds, but one of a policy may.
fn uses(run: &mut Run, place: &str) {
    let object = place.trim_start().strip_prefix("in ").unwrap_or(place).to_owned();
    run.push(EffectKind::Database { operation: EffectKind::DATABASE_USE.into(), object });
}

/// Takes down what all the SQL does.
fn statements(run: &mut Run, given: &Given) -> Outcome {
    uses(run, &given.place(None));
    let mut values: Vec<Value> = given.texts.iter().map(Word::value).collect();
    for file in given.files.iter().filter(|file| !file.is("-")) {
        run.read(file, false);
        values.extend(run.analyst.script(file, run.shell));
    }
    if given.stdin {
        let text = stdin(run);
        // A dump that was saved first can be read before it is loaded.
        let piped = run.call.stdin.stream == tollgate_shell::eval::Stream::Pipe;
        if let Some(text) = text.as_ref().filter(|text| piped && taint::has(text.taint, taint::NET)) {
            run.analyst.dynamic_code(text.taint, run.call.span);
        }
        values.extend(text);
    }
    let mut session = Session {
        given,
        database: None,
        variables: clients::variables(run.args),
        built: Vec::new(),
        left: 32,
        strict: false,
    };
    let goes_on = run.args.iter().any(|word| word.is("-f") || word.is("--force"));
    let stops = matches!(given.program, "psql" | "mysql" | "mariadb" | "sqlite3") && !goes_on;
    for (at, value) in values.iter().enumerate() {
        session.strict = stops && at < given.texts.len();
        session.follow(run, value);
    }
    let built = session.built;
    let outcome = run.derived();
    if built.is_empty() || run.call.stdout != tollgate_shell::eval::Stream::Pipe {
        return outcome;
    }
    // Statements that it prints may be run by whoever reads them.
    let name = Value::something(HoleSource::Output);
    let printed = built.iter().map(|text| Value::text(&format!("{text} ")).concat(&name));
    let printed = printed.reduce(|all, next| all.concat(&Value::text(";\n")).concat(&next));
    Outcome { stdout: printed.unwrap_or_else(Value::empty).with_taint(outcome.stdout.taint), ..outcome }
}

/// A client at work, from one text to the next.
struct Session<'g> {
    given: &'g Given<'g>,
    /// The database that a text has gone on in.
    database: Option<String>,
    variables: Vec<(String, String)>,
    /// Statements that queries have made.
    built: Vec<String>,
    /// How many more texts are read.
    left: usize,
    /// The next text comes from the command line, where the first mistake ends it.
    strict: bool,
}

impl Session<'_> {
    /// Takes down what a text does, and the files that it includes where they stand.
    fn follow(&mut self, run: &mut Run, value: &Value) {
        let Some(left) = self.left.checked_sub(1) else {
            return run.analyst.opaque("there are too many SQL files to be analysed", run.call.span);
        };
        self.left = left;
        let given = self.given;
        let strict = std::mem::take(&mut self.strict);
        for text in value.any.iter().take(16) {
            let certainty =
                if text.as_literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            let sql: String = text.pieces.iter().map(piece).collect();
            self.built.extend(sql::built(&sql, given.flavour));
            let filled = sql::filled(&sql, &self.variables);
            let before = self.database.clone();
            self.each(run, sql::scan_as(&sql, given.flavour, strict), certainty);
            if filled != sql {
                self.database = before;
                self.each(run, sql::scan_as(&filled, given.flavour, strict), certainty);
            }
        }
    }

    fn each(&mut self, run: &mut Run, statements: Vec<Statement>, certainty: Certainty) {
        for statement in statements {
            if statement.deed == Deed::Use {
                self.database = Some(statement.object);
                continue;
            }
            let database = statement.database.as_deref().or(self.database.as_deref());
            take_down(run, self.given, &statement, database, certainty);
            if statement.deed != Deed::Include {
                continue;
            }
            if let Some(command) = statement.object.strip_prefix('|') {
                // What a command prints is SQL then.
                let printed = interpreters::code(run, &Value::text(command), run.call.span).stdout;
                if taint::has(printed.taint, taint::NET) {
                    run.analyst.dynamic_code(printed.taint, run.call.span);
                }
                self.follow(run, &printed);
            } else {
                let file = Word::literal_at(&statement.object, run.call.span);
                if let Some(text) = run.analyst.script(&file, run.shell) {
                    self.follow(run, &text);
                }
            }
        }
    }
}

/// The mark of what such a program prints: it is as much of somebody's as a file.
pub(super) fn dumped(run: &Run) -> Taint {
    let prints = run.program.starts_with("sqlite")
        && run.args.iter().any(|word| word.text.prefix().trim_start().starts_with(".dump"));
    if catalogue::is(run.program, Tag::DumpsDatabase) || prints { taint::FILE } else { Taint::NONE }
}

/// What is not known stands for a value: `delete from t where id = $ID` has a condition.
fn piece(piece: &tollgate_shell::value::Piece) -> String {
    use tollgate_shell::value::Piece;
    match piece {
        Piece::Text(known) | Piece::Glob(known) => known.to_string(),
        Piece::Hole(_) => "unknown_value".to_owned(),
    }
}

/// Standard input, read from the file on disk when it is one.
fn stdin(run: &mut Run) -> Option<Value> {
    let value = run.stdin()?.clone();
    if value.is_known() {
        return Some(value);
    }
    match &run.call.stdin.stream {
        tollgate_shell::eval::Stream::File(path) => {
            let text = path.single()?.clone();
            let word = Word { text, span: run.call.span, splits: false, taint: value.taint };
            run.analyst.script(&word, run.shell).or(Some(value))
        }
        _ => Some(value),
    }
}

fn take_down(
    run: &mut Run,
    given: &Given,
    statement: &Statement,
    database: Option<&str>,
    certainty: Certainty,
) {
    let span = run.call.span;
    let file = || Word::literal_at(&statement.object, span);
    match statement.deed {
        Deed::Run => drop(fed(run, &Value::text(&statement.object))),
        Deed::IncludeOutput => {
            let code = Value::text(&statement.object);
            let printed = run.captured(|run| interpreters::code(run, &code, span));
            if taint::has(printed.taint, taint::NET) {
                run.analyst.dynamic_code(printed.taint, span);
            }
        }
        Deed::ReadFile | Deed::Include => drop(run.read(&file(), false)),
        Deed::WriteFile => run.analyst.write(&file(), tollgate_model::WriteMode::Overwrite, None, run.shell),
        // What is not there yet is not lost.
        Deed::Replace if !sqlite::is_there(run, given) => drop(run.read(&file(), false)),
        deed => {
            if deed == Deed::Replace {
                run.read(&file(), false);
            }
            let in_memory = || given.target.iter().any(|name| name.contains(":memory:"));
            if let Some(operation) = deed.operation().filter(|_| !in_memory()) {
                let other = given.database_of(&statement.object).or(database);
                let object = format!("`{}`{}", cut(&statement.object), given.place(other));
                run.analyst.push(
                    EffectKind::Database { operation: operation.into(), object },
                    span,
                    certainty,
                );
            }
        }
    }
}

/// A command that may read what is in the database, which is as much of somebody's as a file.
fn fed(run: &mut Run, code: &Value) -> Outcome {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ./-_=:,+@%".contains(c);
    let span = run.call.span;
    let Some(text) = code.as_literal().filter(|text| text.chars().all(plain)) else {
        // All of a database stands for whatever is asked of it.
        let text = Value::text("pg_dump app | { ").concat(code).concat(&Value::text("\n}"));
        return interpreters::code(run, &text, span);
    };
    let words: Vec<Word> = text.split_whitespace().map(|word| Word::literal_at(word, span)).collect();
    let mut call = run.call.clone();
    call.stdin = Input { stream: Stream::Pipe, value: Some(Value::output(taint::FILE)) };
    let Run { analyst, shell, path, program, args, .. } = run;
    Run { analyst, shell, call: &call, path, program, args }.inner(&words)
}

fn cut(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(80).collect()
}
