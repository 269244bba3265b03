//! Clients of databases that differ in little but the names of their options.

use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::given::{Given, given};
use super::{piece, statements};
use crate::commands::{Run, interpreters, strangers};
use crate::options::{Order, read};
use crate::sql::Flavour;
use crate::word::Word;

/// Oracle's clients: `@file` names a file of SQL, everything else comes from standard input.
pub(in crate::commands) fn sqlplus(run: &mut Run) -> Outcome {
    let options = read(run.args, "S,s L,l M= R= C= F H V nolog", Order::Anywhere);
    let files = options.operands.iter().filter(|word| word.text.prefix().starts_with('@'));
    if let Some(text) = run.stdin().and_then(|text| text.as_literal()).map(str::to_owned) {
        for code in text.lines().filter_map(hosted) {
            interpreters::code(run, &Value::text(code), run.call.span);
        }
    }
    let given = Given {
        texts: Vec::new(),
        files: files.map(|word| word.from(1)).collect(),
        target: vec![run.program.to_owned()],
        hosts: Vec::new(),
        flavour: Flavour::Postgres,
        stdin: true,
        program: run.program,
    };
    statements(run, &given)
}

/// `host command`, `!command`: a line for the system, not for the database.
fn hosted(line: &str) -> Option<&str> {
    let line = line.trim();
    let verb = line.split_whitespace().next().unwrap_or_default();
    let named = ["host", "hos", "ho"].iter().any(|name| verb.eq_ignore_ascii_case(name));
    line.strip_prefix('!').or(named.then(|| line.get(verb.len()..)).flatten())
}

/// `db2 drop table x`: its words are one statement.
pub(in crate::commands) fn words_are_sql(run: &mut Run) -> Outcome {
    let options = read(run.args, "a c d e i l= m n o p q r= s t v w x z= f= td?", Order::First);
    let text = options.operands.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
    let given = Given {
        texts: if text.is_empty() { Vec::new() } else { vec![Word::literal_at(&text, run.call.span)] },
        files: options.values("f").cloned().collect(),
        target: vec![run.program.to_owned()],
        hosts: Vec::new(),
        flavour: Flavour::Postgres,
        stdin: true,
        program: run.program,
    };
    statements(run, &given)
}

pub(in crate::commands) fn dolt(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "q,query= f,file= r,result-format= x,save= b,batch use-db=", Order::Anywhere);
    if !options.operands.first().is_some_and(|verb| verb.is("sql")) {
        return run.derived();
    }
    let given = given(&options, &["q"], &["f"], &["use-db"], Flavour::MySql, "dolt");
    statements(run, &given)
}

/// A client that differs from others only in the names of its options: all of them, those with SQL, those with a file
/// of it, and those that say where.
type Client = (&'static str, &'static str, Names, Names, Names);
type Names = &'static [&'static str];

const CLIENTS: &[Client] = &[
    ("hdbsql", "n= i= u= p= d= U= I= o= c= A a g j m x z C E= V= S=", &[], &["I"], &["d", "@n"]),
    ("isql", "S= U= P= D= i= o= b v d= n w= s= c= t= m=", &[], &["i"], &["D", "@S"]),
    (
        "isql-fb",
        "a,all b,bail d,database= e,echo ex,extract i,input= o,output= m2 p,password= u,user= q,quiet",
        &[],
        &["i"],
        &["d", "."],
    ),
    ("tsql", "S= H= p= U= P= I= D= L C o=", &[], &[], &["D", "@S", "@H"]),
    (
        "vsql",
        "c,command= f,file= d,dbname= h,host= p,port= U,username= w,password= o,output= t A q x",
        &["c"],
        &["f"],
        &["d", ".?", "@h"],
    ),
    ("nzsql", "c= f= d= h= host= u= pw= o= t A q x", &["c"], &["f"], &["d", ".?", "@h"]),
    (
        "beeline",
        "e= f= u= n= p= d= i= hiveconf= hivevar= outputformat= silent= showHeader=",
        &["e"],
        &["f"],
        &["u"],
    ),
    (
        "hive",
        "e= f= i= d,define= database= hiveconf= hivevar= S,silent v,verbose H,help",
        &["e"],
        &["f"],
        &["database"],
    ),
    (
        "spark-sql",
        "e= f= i= d,define= database= master= conf= hiveconf= S,silent v,verbose name= packages=",
        &["e"],
        &["f"],
        &["database"],
    ),
    (
        "impala-shell",
        "q,query= f,query_file= d,database= i,impalad= o,output_file= u,user= B,delimited k,kerberos ssl",
        &["q"],
        &["f"],
        &["d", "@i"],
    ),
    (
        "trino",
        "execute= f,file= server= catalog= schema= user= output-format= password",
        &["execute"],
        &["f"],
        &["catalog", "@server"],
    ),
    (
        "presto",
        "execute= f,file= server= catalog= schema= user= output-format= password",
        &["execute"],
        &["f"],
        &["catalog", "@server"],
    ),
    (
        "mclient",
        "s,statement= d,database= h,host= p,port= u,user= l,language= f,format= i,interactive e,echo",
        &["s"],
        &[],
        &["d", ".", "@h"],
    ),
];

pub(in crate::commands) fn client(run: &mut Run) -> Outcome {
    let Some((program, spec, texts, files, target)) = CLIENTS.iter().find(|row| row.0 == run.program) else {
        return run.derived();
    };
    let options = read(run.args, spec, Order::Anywhere);
    let mut given = given(&options, texts, files, target, Flavour::Postgres, program);
    if *program == "hdbsql" {
        given.stdin = options.operands.is_empty();
        given.texts.extend(options.operands.iter().cloned());
    }
    statements(run, &given)
}

/// The variables that a command line gives to its client: `-v t=users`, `--set=t=users`, `-D t=users`. Those that the
/// SQL does not name change nothing, so whatever looks like one may be one.
pub(super) fn variables(args: &[Word]) -> Vec<(String, String)> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let mut variables = Vec::new();
    for word in args.iter().take(256) {
        let text: String = word.text.pieces.iter().map(piece).collect();
        let behind = match text.strip_prefix("--") {
            Some(long) => long.split_once('=').map_or("", |(_, value)| value),
            None if text.starts_with('-') => {
                text.trim_start_matches('-').split_once(['v', 'd', 'D']).map_or("", |pair| pair.1)
            }
            None => text.as_str(),
        };
        let pair = behind.split_once('=').filter(|(name, _)| is_name(name));
        variables
            .extend(pair.map(|(name, value)| (name.to_owned(), value.trim_matches(['"', '\'']).to_owned())));
    }
    variables
}

/// `turso db shell name 'sql'`.
pub(in crate::commands) fn turso(run: &mut Run) -> Outcome {
    let words: Vec<Word> = run.args.iter().filter(|word| !word.shown().starts_with('-')).cloned().collect();
    match words.as_slice() {
        [db, shell, name, texts @ ..] if db.is("db") && shell.is("shell") => {
            let given = Given {
                texts: texts.to_vec(),
                files: Vec::new(),
                target: vec![name.shown()],
                hosts: Vec::new(),
                flavour: Flavour::Sqlite,
                stdin: texts.is_empty(),
                program: "turso",
            };
            statements(run, &given)
        }
        _ => run.derived(),
    }
}

/// MySQL's newer shell: JavaScript or Python unless it is told that the text is SQL.
pub(in crate::commands) fn mysqlsh(run: &mut Run) -> Outcome {
    let spec = "sql sqlc sqlx js py e,execute= f,file= uri= h,host= P,port= u,user= p,password? D,schema,database= S,socket= \
        mysql,mc mysqlx,mx json? result-format= interactive? i,quiet-start? log-level= cluster";
    let options = read(run.args, spec, Order::Anywhere);
    let is_sql = ["sql", "sqlc", "sqlx"].iter().any(|name| options.has(name));
    if !is_sql {
        strangers::suspect(run);
        return run.derived();
    }
    let given = given(&options, &["e"], &["f"], &["D", "uri", ".", "@h"], Flavour::MySql, "mysqlsh");
    statements(run, &given)
}

/// `wrangler d1 execute name --command 'sql'`. With `--local` it is a file of the project's own tools.
pub(in crate::commands) fn wrangler(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "c,config= e,env= command= file= remote local y,yes json persist-to= preview",
        Order::Anywhere,
    );
    let off = options.values("local").any(|value| !value.is("true"));
    let far = options.has("remote")
        || options.has("preview")
        || options.unknown.iter().any(|name| name == "--no-local");
    let local = options.has("local") && !off && !far;
    match options.operands.as_slice() {
        [d1, execute, ..] if d1.is("d1") && execute.is("execute") && local => run.derived(),
        [d1, execute, name, ..] if d1.is("d1") && execute.is("execute") => {
            let given = Given {
                texts: options.values("command").cloned().collect(),
                files: options.values("file").cloned().collect(),
                target: vec![name.shown()],
                hosts: Vec::new(),
                flavour: Flavour::Sqlite,
                stdin: false,
                program: "wrangler",
            };
            statements(run, &given)
        }
        _ => run.derived(),
    }
}

/// `bq query 'sql'`; the other verbs are in the table.
pub(in crate::commands) fn bq(run: &mut Run) -> Outcome {
    let spec = "project_id= location= format= dataset_id= use_legacy_sql? nouse_legacy_sql dry_run destination_table= max_rows= n= \
        q,quiet replace? append_table? batch? parameter= label= destination_schema= time_partitioning_field= clustering_fields= \
        schedule= display_name= target_dataset= job_id= allow_large_results? maximum_bytes_billed= write_disposition=";
    let options = read(run.args, spec, Order::Anywhere);
    let Some((verb, rest)) = options.operands.split_first() else { return run.derived() };
    if !verb.is("query") || options.has("dry_run") {
        return run.derived();
    }
    let target: Vec<String> = options.values("project_id").map(Word::shown).collect();
    let off = options.value("replace").is_some_and(|value| value.is("false"));
    let replaces = options.has("replace") && !off
        || options.value("write_disposition").is_some_and(|how| how.is("WRITE_TRUNCATE"));
    if let Some(table) = options.value("destination_table").filter(|_| replaces) {
        let table = table.shown();
        let query: String = rest.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
        if crate::sql::leaves_little(&query, &table) {
            let (operation, object) = ("truncate".to_owned(), format!("`{table}` in bq {table}"));
            run.push(tollgate_model::EffectKind::Database { operation, object });
        }
    }
    let given = Given {
        texts: rest.to_vec(),
        files: Vec::new(),
        target,
        hosts: Vec::new(),
        flavour: Flavour::Postgres,
        stdin: rest.is_empty(),
        program: "bq",
    };
    statements(run, &given)
}
