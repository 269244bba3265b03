//! Clients of databases: the SQL they are given, on the command line, from a file or from standard input.

use tollgate_model::phrase::DATABASE_USE;
use tollgate_model::{Certainty, EffectKind, Zone};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{HoleSource, Value};

use super::{Commands, Run, interpreters};
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::sql::{self, Deed, Flavour, Statement};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("psql", psql),
    ("pgcli", pgcli),
    ("mysql", mysql),
    ("mariadb", mysql),
    ("mycli", mycli),
    ("sqlite3", sqlite),
    ("sqlite", sqlite),
    ("duckdb", sqlite),
    ("litecli", sqlite),
    ("usql", usql),
    ("cockroach", cockroach),
    ("clickhouse-client", clickhouse),
    ("clickhouse", clickhouse),
    ("cqlsh", cqlsh),
    ("sqlcmd", sqlcmd),
    ("bq", bq),
    ("snowsql", snowsql),
    ("snow", snow),
    ("influx", influx),
    ("turso", turso),
    ("wrangler", wrangler),
    ("mongosh", mongo),
    ("mongo", mongo),
    ("redis-cli", redis),
    ("valkey-cli", redis),
    ("keydb-cli", redis),
    ("memcached-tool", memcached),
];

/// What a client was given: where the database is, and what it shall do.
struct Given<'s> {
    /// Texts of SQL.
    texts: Vec<Word>,
    /// Files of SQL.
    files: Vec<Word>,
    /// Names of the database and its host, as shown.
    target: Vec<String>,
    flavour: Flavour,
    /// The client reads SQL from standard input when it is given none.
    stdin: bool,
    program: &'s str,
}

fn psql(run: &mut Run) -> Outcome {
    let spec = "a,echo-all A,no-align b,echo-errors c,command= d,dbname= e,echo-queries E,echo-hidden f,file= F,field-separator= \
        h,host= H,html l,list L,log-file= n,no-readline o,output= p,port= P,pset= q,quiet R,record-separator= s,single-step \
        S,single-line t,tuples-only T,table-attr= U,username= v,set,variable= V,version w,no-password W,password x,expanded \
        X,no-psqlrc z,field-separator-zero 0,record-separator-zero 1,single-transaction csv help?";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("l") || options.has("V") {
        return run.derived();
    }
    if let Some(code) = options.value("o").filter(|word| word.text.prefix().starts_with('|')).cloned() {
        interpreters::code(run, &code.from(1).value(), code.span);
    } else {
        written(run, &options, &["o"]);
    }
    written(run, &options, &["L"]);
    let given = given(&options, &["c"], &["f"], &["d", "h"], Flavour::Postgres, "psql");
    statements(run, &given)
}

/// Files that a client writes what it prints to.
fn written(run: &mut Run, options: &Options, names: &[&str]) {
    for file in names.iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        run.analyst.write(&file, tollgate_model::WriteMode::Overwrite, None, run.shell);
    }
}

fn pgcli(run: &mut Run) -> Outcome {
    let spec = "h,host= p,port= U,username= u,user= W,password w,no-password d,dbname= pgclirc= D,dsn= l,list ping e,execute= \
        c,command= f,file= y,yes init-command=";
    let options = read(run.args, spec, Order::Anywhere);
    let given =
        given(&options, &["e", "c", "init-command"], &["f"], &["d", "h", "D"], Flavour::Postgres, "pgcli");
    statements(run, &given)
}

fn mysql(run: &mut Run) -> Outcome {
    let spec = "A,no-auto-rehash B,batch b c,comments C,compress D,database= E,vertical e,execute= f,force G g H,html h,host= i \
        I,help? L,skip-line-numbers N,skip-column-names n,unbuffered O= o,one-database P,port= p,password? q,quick r,raw \
        S,socket= s,silent T t,table U,safe-updates u,user= V,version v,verbose w,wait X,xml defaults-file= defaults-extra-file= \
        default-character-set= delimiter= init-command= login-path= protocol= ssl-mode= ssl-ca= connect-timeout= max-allowed-packet= \
        tee= ssl skip-ssl";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["tee"]);
    let given = given(&options, &["e", "init-command"], &[], &["D", "h"], Flavour::MySql, "mysql");
    statements(run, &given)
}

fn mycli(run: &mut Run) -> Outcome {
    let spec = "h,host= P,port= u,user= S,socket= p,password= D,database= d,dsn= e,execute= R,prompt= l,logfile= t,table csv";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["l"]);
    let given = given(&options, &["e"], &[], &["D", "h", "d"], Flavour::MySql, "mycli");
    statements(run, &given)
}

/// `sqlite3 [options] file [sql…]`; its options have one dash.
fn sqlite(run: &mut Run) -> Outcome {
    let takes = [
        "cmd",
        "init",
        "separator",
        "newline",
        "nullvalue",
        "mmap",
        "lookaside",
        "pagecache",
        "heap",
        "maxsize",
        "vfs",
        "c",
        "s",
        "f",
    ];
    let mut texts = Vec::new();
    let mut files = Vec::new();
    let mut operands = Vec::new();
    let mut rest = run.args.iter();
    while let Some(word) = rest.next() {
        let shown = word.shown();
        let name = shown.trim_start_matches('-');
        if name.len() == shown.len() || !operands.is_empty() {
            operands.push(word.clone());
        } else if takes.contains(&name) {
            let value = rest.next().cloned();
            match name {
                "cmd" | "c" | "s" => texts.extend(value),
                "init" | "f" => files.extend(value),
                _ => {}
            }
        } else if name == "version" || name == "help" {
            return run.derived();
        }
    }
    let file = operands.first().cloned();
    texts.extend(operands.into_iter().skip(1));
    if let Some(file) = &file {
        run.read(file, false);
    }
    if file.as_ref().is_none_or(|file| is_passing(run, file)) {
        // Nothing is lost with a database in memory; the client may still run programs.
        return client_only(run, &texts, files);
    }
    let target = file.iter().map(Word::shown).collect();
    let stdin = texts.iter().all(|text| text.shown().starts_with('.')) && files.is_empty();
    statements(run, &Given { texts, files, target, flavour: Flavour::Sqlite, stdin, program: "sqlite3" })
}

/// Is it a database in memory, or one in a temporary directory?
fn is_passing(run: &Run, file: &Word) -> bool {
    let shown = file.shown();
    shown.is_empty()
        || shown.contains(":memory:")
        || run.analyst.places(file, run.shell).iter().all(|(place, _)| place.zone == Zone::Temp)
}

fn client_only(run: &mut Run, texts: &[Word], files: Vec<Word>) -> Outcome {
    let target = vec![":memory:".to_owned()];
    let given = Given {
        texts: texts.to_vec(),
        files,
        target,
        flavour: Flavour::Sqlite,
        stdin: texts.is_empty(),
        program: "sqlite3",
    };
    statements(run, &given)
}

fn usql(run: &mut Run) -> Outcome {
    let options = read(run.args, "c,command= f,file= o,out= v,set= w W 1 q t x X", Order::Anywhere);
    written(run, &options, &["o"]);
    let given = given(&options, &["c"], &["f"], &[], Flavour::Postgres, "usql");
    statements(run, &given)
}

fn cockroach(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute= f,file= d,database= url= h,host= p= u,user= certs-dir= insecure format=",
        Order::Anywhere,
    );
    if !options.operands.first().is_some_and(|verb| verb.is("sql")) {
        return run.derived();
    }
    let given = given(&options, &["e"], &["f"], &["d", "url", "h"], Flavour::Postgres, "cockroach");
    statements(run, &given)
}

fn clickhouse(run: &mut Run) -> Outcome {
    let spec = "q,query= queries-file= h,host= port= u,user= password= d,database= n,multiquery m,multiline f,format= t,time \
        secure c,config-file= E i,interactive";
    let args =
        run.args.iter().skip_while(|word| word.is("client") || word.is("local")).cloned().collect::<Vec<_>>();
    let options = read(&args, spec, Order::Anywhere);
    if run.args.first().is_some_and(|word| word.is("local")) {
        return run.derived();
    }
    let given = given(&options, &["q"], &["queries-file"], &["d", "h"], Flavour::Postgres, "clickhouse");
    statements(run, &given)
}

fn cqlsh(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute= f,file= k,keyspace= u,username= p,password= ssl cqlshrc= connect-timeout= request-timeout= C t,tty",
        Order::Anywhere,
    );
    let given = given(&options, &["e"], &["f"], &["k"], Flavour::Postgres, "cqlsh");
    statements(run, &given)
}

fn sqlcmd(run: &mut Run) -> Outcome {
    let spec = "S= d= U= P= E Q= q= i= o= l= t= h= s= w= W b C N v= x y= Y= I G";
    let options = read(run.args, spec, Order::Anywhere);
    written(run, &options, &["o"]);
    let given = given(&options, &["Q", "q"], &["i"], &["S", "d"], Flavour::Postgres, "sqlcmd");
    statements(run, &given)
}

/// `bq query 'sql'`; the other verbs are in the table.
fn bq(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "project_id= location= format= dataset_id= use_legacy_sql? nouse_legacy_sql dry_run destination_table= max_rows= n= q,quiet",
        Order::Anywhere,
    );
    let Some((verb, rest)) = options.operands.split_first() else { return run.derived() };
    if !verb.is("query") || options.has("dry_run") {
        return run.derived();
    }
    let target = options.values("project_id").map(Word::shown).collect();
    let given = Given {
        texts: rest.to_vec(),
        files: Vec::new(),
        target,
        flavour: Flavour::Postgres,
        stdin: rest.is_empty(),
        program: "bq",
    };
    statements(run, &given)
}

fn snowsql(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "a,accountname= u,username= d,dbname= s,schemaname= r,rolename= w,warehouse= q,query= f,filename= o,option= c,connection=",
        Order::Anywhere,
    );
    let given = given(&options, &["q"], &["f"], &["d", "c"], Flavour::Postgres, "snowsql");
    statements(run, &given)
}

/// `snow sql -q 'sql'`; the other verbs are in the table.
fn snow(run: &mut Run) -> Outcome {
    let spec = "q,query= f,filename= i,stdin c,connection= D,variable= database= schema= warehouse= role= format= \
        environment= x,temporary-connection v,verbose debug silent project,p=";
    let options = read(run.args, spec, Order::Anywhere);
    if !options.operands.first().is_some_and(|verb| verb.is("sql")) {
        return run.derived();
    }
    let given = given(&options, &["q"], &["f"], &["c", "database"], Flavour::Postgres, "snow");
    statements(run, &given)
}

/// The first version's client takes InfluxQL behind `-execute`; its options have one dash.
fn influx(run: &mut Run) -> Outcome {
    let texts = run.args.windows(2).filter_map(|pair| match pair {
        [flag, text] if matches!(flag.shown().as_str(), "-execute" | "--execute") => Some(text.clone()),
        _ => None,
    });
    let texts: Vec<Word> = texts.collect();
    let target = vec!["influx".to_owned()];
    let flavour = Flavour::Postgres;
    statements(run, &Given { texts, files: Vec::new(), target, flavour, stdin: false, program: "influx" })
}

/// `turso db shell name 'sql'`.
fn turso(run: &mut Run) -> Outcome {
    let words: Vec<Word> = run.args.iter().filter(|word| !word.shown().starts_with('-')).cloned().collect();
    match words.as_slice() {
        [db, shell, name, texts @ ..] if db.is("db") && shell.is("shell") => {
            let given = Given {
                texts: texts.to_vec(),
                files: Vec::new(),
                target: vec![name.shown()],
                flavour: Flavour::Sqlite,
                stdin: texts.is_empty(),
                program: "turso",
            };
            statements(run, &given)
        }
        _ => run.derived(),
    }
}

/// `wrangler d1 execute name --command 'sql'`; local unless `--remote`.
fn wrangler(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "c,config= e,env= command= file= remote local y,yes json persist-to= preview",
        Order::Anywhere,
    );
    match options.operands.as_slice() {
        [d1, execute, name, ..] if d1.is("d1") && execute.is("execute") => {
            let given = Given {
                texts: options.values("command").cloned().collect(),
                files: options.values("file").cloned().collect(),
                target: vec![name.shown()],
                flavour: Flavour::Sqlite,
                stdin: false,
                program: "wrangler",
            };
            statements(run, &given)
        }
        _ => run.derived(),
    }
}

fn given<'s>(
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
    let mut names: Vec<String> = all(target).iter().map(Word::shown).collect();
    names.extend(options.operands.first().map(Word::shown));
    let stdin = texts.is_empty() && (files.is_empty() || files.iter().any(|file| file.is("-")));
    Given { texts, files, target: names, flavour, stdin, program }
}

/// Whatever it is told: a database is used. No rule of ours minds, but one of a policy may.
fn uses(run: &mut Run, place: &str) {
    let object = place.trim_start().strip_prefix("in ").unwrap_or(place).to_owned();
    run.push(EffectKind::Database { operation: DATABASE_USE.into(), object });
}

/// Takes down what all the SQL does.
fn statements(run: &mut Run, given: &Given) -> Outcome {
    uses(run, &place_of(given));
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
    // Files that the SQL includes join the queue.
    let (mut at, mut built) = (0, Vec::new());
    while let Some(value) = values.get(at).filter(|_| at < 32).cloned() {
        at += 1;
        for text in value.any.iter().take(16) {
            let certainty =
                if text.as_literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            let sql: String = text.pieces.iter().map(piece).collect();
            built.extend(sql::built(&sql, given.flavour));
            for statement in sql::scan_as(&sql, given.flavour) {
                take_down(run, given, &statement, certainty);
                if statement.deed == Deed::Include {
                    let file = Word::literal_at(&statement.object, run.call.span);
                    values.extend(run.analyst.script(&file, run.shell));
                }
            }
        }
    }
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

fn take_down(run: &mut Run, given: &Given, statement: &Statement, certainty: Certainty) {
    let span = run.call.span;
    let file = || Word::literal_at(&statement.object, span);
    match statement.deed {
        Deed::Run => drop(interpreters::code(run, &Value::text(&statement.object), span)),
        Deed::ReadFile | Deed::Include => drop(run.read(&file(), false)),
        Deed::WriteFile => run.analyst.write(&file(), tollgate_model::WriteMode::Overwrite, None, run.shell),
        deed => {
            let in_memory = given.target.iter().any(|name| name.contains(":memory:"));
            if let Some(operation) = deed.operation().filter(|_| !in_memory) {
                let object = format!("`{}`{}", cut(&statement.object), place_of(given));
                run.analyst.push(
                    EffectKind::Database { operation: operation.into(), object },
                    span,
                    certainty,
                );
            }
        }
    }
}

fn place_of(given: &Given) -> String {
    match given.target.first() {
        Some(_) => {
            format!(" in {}", given.target.iter().map(|name| hidden(name)).collect::<Vec<_>>().join(" "))
        }
        None => format!(" in {}", given.program),
    }
}

/// An address without its password.
fn hidden(target: &str) -> String {
    match (target.split_once("://"), target.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => cut(&format!("{scheme}://{host}")),
        _ => cut(target),
    }
}

fn cut(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(80).collect()
}

/// MongoDB's shell speaks JavaScript: the calls that lose data are looked for by name.
fn mongo(run: &mut Run) -> Outcome {
    let spec = "eval= f,file= host= port= u,username= p,password= authenticationDatabase= tls nodb norc quiet json? shell";
    let options = read(run.args, spec, Order::Anywhere);
    let mut texts: Vec<Value> = options.values("eval").map(Word::value).collect();
    let is_script = |word: &&Word| word.shown().ends_with(".js") || word.shown().ends_with(".mongodb");
    let files: Vec<Word> =
        options.values("f").chain(options.operands.iter().filter(is_script)).cloned().collect();
    for file in &files {
        run.read(file, false);
        texts.extend(run.analyst.script(file, run.shell));
    }
    if texts.is_empty() {
        texts.extend(stdin(run));
    }
    let names = options.values("host").chain(options.operands.iter().filter(|word| !is_script(word)));
    let target: Vec<String> = names.map(|word| hidden(&word.shown())).collect();
    let at = if target.is_empty() { " in mongo".to_owned() } else { format!(" in {}", target.join(" ")) };
    uses(run, &at);
    for text in texts.iter().flat_map(|value| &value.any) {
        let code: String = text.pieces.iter().map(piece).filter(|part| !part.is_empty()).collect();
        for (operation, what) in mongo_deeds(&code) {
            run.push(EffectKind::Database { operation: operation.into(), object: format!("`{what}`{at}") });
        }
    }
    run.derived()
}

fn mongo_deeds(code: &str) -> Vec<(&'static str, &'static str)> {
    let dense: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let calls: &[(&str, &str, &str)] = &[
        (".dropDatabase(", "drop-database", "dropDatabase"),
        ("dropDatabase:1", "drop-database", "dropDatabase"),
        (".drop(", "drop", "drop"),
        (".dropUser(", "drop", "dropUser"),
        (".dropAllUsers(", "drop", "dropAllUsers"),
        (".deleteMany({})", "delete-all", "deleteMany({})"),
        (".deleteMany({},", "delete-all", "deleteMany({}, …)"),
        (".deleteMany()", "delete-all", "deleteMany()"),
        (".remove({},", "delete-all", "remove({}, …)"),
        (".remove({})", "delete-all", "remove({})"),
        (".updateMany({},", "update-all", "updateMany({}, …)"),
        (".shutdownServer(", "drop", "shutdownServer"),
    ];
    calls
        .iter()
        .filter(|(call, _, _)| dense.contains(call))
        .map(|(_, operation, what)| (*operation, *what))
        .collect()
}

fn redis(run: &mut Run) -> Outcome {
    let spec = "h= p= s= a= u= r= i= n= x X= d= D= c e user= pass= askpass tls sni= cacert= cacertdir= cert= key= raw no-raw csv json \
        stat latency bigkeys memkeys hotkeys scan pattern= count= pipe pipe-timeout= rdb= replica cluster eval= ldb t= 2 3 no-auth-warning \
        verbose intrinsic-latency= lru-test= quoted-input show-pushes quoted-pattern= functions-rdb= help? version v";
    let options = read(run.args, spec, Order::First);
    let host = options.value("h").or(options.value("u")).map(|word| hidden(&word.shown()));
    let at = format!(" in {}", host.unwrap_or_else(|| "redis".into()));
    let mut lines: Vec<Vec<String>> = Vec::new();
    if options.operands.is_empty() {
        let input = stdin(run);
        let text = input.as_ref().and_then(Value::as_literal).unwrap_or_default();
        lines
            .extend(text.lines().take(1000).map(|line| line.split_whitespace().map(str::to_owned).collect()));
    } else {
        lines.push(options.operands.iter().map(Word::shown).collect());
    }
    uses(run, &at);
    let splits = options.operands.get(1).is_some_and(|word| word.splits || word.literal().is_none());
    for line in lines {
        if let Some((operation, what)) = redis_deed(&line, splits) {
            run.push(EffectKind::Database { operation: operation.into(), object: format!("`{what}`{at}") });
        }
    }
    run.derived()
}

fn redis_deed(line: &[String], many: bool) -> Option<(&'static str, String)> {
    let verb = line.first()?.to_ascii_lowercase();
    let second = line.get(1).map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    let what = || line.iter().take(3).cloned().collect::<Vec<_>>().join(" ");
    Some(match (verb.as_str(), second.as_str()) {
        ("flushall", _) => ("drop-database", "FLUSHALL".to_owned()),
        ("flushdb", _) => ("truncate", "FLUSHDB".to_owned()),
        ("config", "set" | "rewrite") => ("configure", what()),
        ("shutdown", _) => ("configure", "SHUTDOWN".to_owned()),
        ("script" | "function", "flush") => ("truncate", what()),
        ("cluster", "reset") => ("drop-database", "CLUSTER RESET".to_owned()),
        ("slaveof" | "replicaof", to) if to != "no" => ("drop-database", what()),
        ("module", "load") => ("configure", what()),
        // `redis-cli --scan | xargs redis-cli del`: whatever there is.
        ("del" | "unlink", _) if many => ("delete-all", "all keys found".to_owned()),
        ("eval", text) if text.contains("flushall") || text.contains("flushdb") => {
            ("drop-database", "FLUSHALL".to_owned())
        }
        _ => return None,
    })
}

fn memcached(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("flush_all")) {
        run.push(EffectKind::Database {
            operation: "truncate".into(),
            object: "`flush_all` in memcached".into(),
        });
    }
    run.derived()
}
