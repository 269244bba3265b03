//! Databases without SQL: MongoDB, Redis and their like.

use tollgate_model::{EffectKind, stage};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::given::hidden;
use super::lua::flushes;
use super::{piece, stdin, uses};
use crate::commands::Run;
use crate::documents::{self, literal};
use crate::languages::{self, Language, Program};
use crate::options::{Order, read};
use crate::word::Word;

/// Neo4j's client: statements of Cypher as words, from a file or from standard input.
pub(in crate::commands) fn cypher(run: &mut Run) -> Outcome {
    let spec = "a,address,uri= u,username= p,password= d,database= f,file= P,param= format= encryption= fail-fast fail-at-end \
        non-interactive log? history= notifications access-mode= impersonate= change-password v,version h,help";
    let options = read(run.args, spec, Order::Anywhere);
    let mut texts: Vec<Value> = options.operands.iter().map(Word::value).collect();
    for file in options.values("f").cloned().collect::<Vec<_>>() {
        run.read(&file, false);
        texts.extend(run.analyst.script(&file, run.shell));
    }
    if texts.is_empty() {
        texts.extend(stdin(run));
    }
    uses(run, " in neo4j");
    for text in texts.iter().flat_map(|value| &value.any) {
        let code: String = text.pieces.iter().map(piece).collect();
        for statement in code.split(';') {
            if let Some((operation, what)) = cypher_deed(statement) {
                run.push(EffectKind::Database {
                    operation: operation.into(),
                    object: format!("`{what}` in neo4j"),
                });
            }
        }
    }
    run.derived()
}

/// A pattern without label, property or condition stands for every node.
fn cypher_deed(statement: &str) -> Option<(&'static str, &'static str)> {
    let upper = statement.to_ascii_uppercase();
    let words: Vec<&str> = upper.split_whitespace().collect();
    let drops = |what: &str| words.windows(2).any(|pair| matches!(pair, ["DROP", noun] if *noun == what));
    if drops("DATABASE") {
        return Some(("drop-database", "DROP DATABASE"));
    }
    let deletes = words.iter().any(|word| matches!(*word, "DELETE"));
    let dense: String = upper.chars().filter(|c| !c.is_whitespace()).collect();
    let pattern = dense.split_once("MATCH(").map(|(_, rest)| rest.split(')').next().unwrap_or_default())?;
    let all = !pattern.contains([':', '{']) && !words.contains(&"WHERE") && !words.contains(&"LIMIT");
    (deletes && all).then_some(("delete-all", "DETACH DELETE"))
}

/// MongoDB's shell speaks JavaScript: the calls that lose data are looked for by name.
pub(in crate::commands) fn mongo(run: &mut Run) -> Outcome {
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
    let named = options.operands.iter().find(|word| !is_script(word)).map(|word| hidden(&word.shown()));
    let on = options.value("host").map(|host| format!(" on {}", hidden(&host.shown()))).unwrap_or_default();
    uses(run, &format!(" in {}{on}", named.as_deref().unwrap_or("mongo")));
    let codes = texts.iter().flat_map(|value| &value.any);
    let other =
        codes.clone().find_map(|text| mongo_other(&text.pieces.iter().map(piece).collect::<String>()));
    let at = format!(" in {}{on}", other.or(named).unwrap_or_else(|| "mongo".to_owned()));
    script(run, &texts, &at);
    for text in texts.iter().flat_map(|value| &value.any) {
        let code: String = text.pieces.iter().map(piece).filter(|part| !part.is_empty()).collect();
        for (operation, what) in mongo_deeds(&code) {
            run.push(EffectKind::Database { operation: operation.into(), object: format!("`{what}`{at}") });
        }
    }
    run.derived()
}

/// A database that a script goes on in besides the one that the client was given, unless it is for tests, too: its name,
/// or that nothing is known of it.
fn mongo_other(code: &str) -> Option<String> {
    let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix("use ")).map(str::trim);
    let dense: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let dotted = with_dots(&dense);
    let calls = ["getSiblingDB(", "getSisterDB(", "getDB(", "connect(", "use("];
    let asked = calls.iter().flat_map(|call| {
        dotted.match_indices(call).filter_map(|(at, _)| {
            let before = dotted.get(..at)?.chars().next_back();
            let given =
                dotted.get(at + call.len()..)?.strip_prefix('"').and_then(|rest| rest.split('"').next());
            // A longer name ends in the same letters.
            let other = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
            (!other).then(|| given.unwrap_or("another database"))
        })
    });
    let mut names = lines.map(|name| name.trim_end_matches(';')).chain(asked);
    names.find(|name| !stage::is_test_database(name)).map(hidden)
}

/// The script may do anything that JavaScript can. What it does to a database is told with the one that is named here.
fn script(run: &mut Run, texts: &[Value], at: &str) {
    let mark = run.analyst.mark();
    for text in texts {
        let program = Program {
            code: text.clone(),
            span: run.call.span,
            file: None,
            from_input: false,
            args: Vec::new(),
        };
        languages::run(run, Language::JavaScript, &program);
    }
    let told = run.analyst.since(mark).iter().filter_map(|effect| match &effect.kind {
        EffectKind::Database { operation, object } if !object.contains(" in ") => {
            let object = format!("{object}{at}");
            Some((EffectKind::Database { operation: operation.clone(), object }, effect.certainty))
        }
        _ => None,
    });
    let told: Vec<_> = told.collect();
    run.analyst.sift(mark, |effect| !matches!(effect.kind, EffectKind::Database { .. }));
    told.into_iter().for_each(|(kind, certainty)| run.analyst.push(kind, run.call.span, certainty));
}

/// `db["users"]["drop"]()` is `db.users.drop()`, and so is `db.users[f]()` where `f="drop"` stands before it.
fn with_dots(dense: &str) -> String {
    let plain = dense.replace(['\'', '`'], "\"").replace("\"+\"", "");
    let mut dotted = plain.replace("[\"", ".").replace("\"]", "");
    for (at, _) in plain.match_indices('[').take(CALLS) {
        let Some((name, _)) = plain.get(at + 1..).and_then(|rest| rest.split_once(']')) else { continue };
        let is_name =
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let set = plain.split_once(&format!("{name}=\"")).filter(|_| is_name);
        if let Some((text, _)) = set.and_then(|(_, rest)| rest.split_once('"')) {
            dotted = dotted.replace(&format!("[{name}]"), &format!(".{text}"));
        }
    }
    dotted
}

fn mongo_deeds(code: &str) -> Vec<(&'static str, &'static str)> {
    let dense: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
    let dotted = with_dots(&dense);
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
        ("adminCommand({shutdown:1", "drop", "shutdown"),
        ("dropTarget:true", "drop", "renameCollection over another"),
    ];
    let lost = calls
        .iter()
        .filter(|(call, _, _)| dotted.contains(call))
        .map(|(_, operation, what)| (*operation, *what));
    // `renameCollection("other", true)` drops the other.
    let renamed = |rest: &str| {
        let second = rest.split(')').next().and_then(|words| words.split_once(','));
        second.is_some_and(|(_, over)| !matches!(over, "" | "false" | "0" | "null" | "undefined" | "!1"))
    };
    let over = dotted.split(".renameCollection(").skip(1).any(renamed);
    let over = over.then_some(("drop", "renameCollection over another"));
    lost.chain(mongo_rights(&dense)).chain(given(code)).chain(over).collect()
}

/// How many calls of a script are looked at.
const CALLS: usize = 64;

/// Calls whose filter leaves nothing out, commands that are sent as maps, and pipelines that replace a collection.
fn given(code: &str) -> Vec<(&'static str, &'static str)> {
    let calls = |name: &'static str| {
        code.match_indices(name).take(CALLS).filter_map(move |(at, _)| {
            let rest = code.get(at + name.len()..)?.trim_start().strip_prefix('(')?;
            Some((code.get(..at)?, literal(rest)?))
        })
    };
    let mut found = Vec::new();
    for (name, operation, what) in [
        (".deleteMany", "delete-all", "deleteMany of every document"),
        (".remove", "delete-all", "remove of every document"),
        (".updateMany", "update-all", "updateMany of every document"),
    ] {
        let all = calls(name).any(|(_, filter)| documents::truth(&filter) == Some(true));
        found.extend(all.then_some((operation, what)));
    }
    let source = |before: &str| {
        let name = before.trim_end_matches([')', ']', '\'', '"', ' ']);
        name.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned()
    };
    let replaces = calls(".aggregate").any(|(before, stages)| {
        documents::replaced(stages.as_list().unwrap_or_default(), &source(before)).is_some()
    });
    found.extend(replaces.then_some(("delete-all", "$out of a pipeline that leaves nothing")));
    let sent = ["runCommand", "adminCommand"].into_iter().flat_map(calls).map(|(_, map)| map);
    let written = calls(".bulkWrite").flat_map(|(_, list)| list.as_list().unwrap_or_default().to_vec());
    let mut sent = sent.chain(written).filter_map(|map| documents::commanded(&map));
    found.extend(sent.next().map(|(operation, _)| (operation, "a command for every document")));
    let soon = code.contains("expireAfterSeconds")
        && calls(".createIndex").any(|(before, keys)| {
            let rest = code.get(before.len()..).unwrap_or_default();
            let seconds = rest.split("expireAfterSeconds").nth(1).map(|rest| {
                let digits = rest.trim_start_matches(['"', '\'', ':', ' ']);
                digits.chars().take_while(char::is_ascii_digit).collect::<String>()
            });
            // A field that says when a document ends is made for it.
            let ends = keys.as_map().unwrap_or_default().iter().any(|(key, _)| {
                let key = key.to_ascii_lowercase();
                ["expir", "until", "ttl", "delete"].iter().any(|part| key.contains(part))
            });
            !ends && seconds.and_then(|text| text.parse::<u64>().ok()).is_some_and(|seconds| seconds <= 60)
        });
    found.extend(soon.then_some(("delete-all", "an index that ends documents at once")));
    found
}

/// Roles that hold every right, where a call gives roles to somebody.
fn mongo_rights(code: &str) -> Option<(&'static str, &'static str)> {
    const GIVES: &[&str] =
        &["grantRolesToUser(", "grantRolesToRole(", "createUser(", "updateUser(", "createRole("];
    const ROLES: &[&str] = &[
        "root",
        "__system",
        "userAdminAnyDatabase",
        "dbAdminAnyDatabase",
        "readWriteAnyDatabase",
        "clusterAdmin",
    ];
    let quoted = |role: &str| code.split(['"', '\'']).any(|text| text == role);
    let given =
        ROLES.iter().find(|role| quoted(role)).filter(|_| GIVES.iter().any(|call| code.contains(call)))?;
    Some(("grant-all", given))
}

pub(in crate::commands) fn redis(run: &mut Run) -> Outcome {
    let spec = "h= p= s= a= u= r= i= n= x X= d= D= c e user= pass= askpass tls sni= cacert= cacertdir= cert= key= raw no-raw csv json \
        stat latency bigkeys memkeys hotkeys scan pattern= count= pipe pipe-timeout= rdb= replica cluster eval= ldb t= 2 3 no-auth-warning \
        verbose intrinsic-latency= lru-test= quoted-input show-pushes quoted-pattern= functions-rdb= help? version v";
    let options = read(run.args, spec, Order::First);
    let host = options.value("h").or(options.value("u")).map(|word| hidden(&word.shown()));
    let at = format!(" in {}", host.unwrap_or_else(|| "redis".into()));
    let mut lines: Vec<Vec<String>> = Vec::new();
    if let Some(file) = options.value("eval").cloned() {
        run.read(&file, false);
        let code = run.analyst.script(&file, run.shell);
        let code = code.as_ref().and_then(Value::as_literal).unwrap_or_default().to_owned();
        let given = options.operands.iter().map(Word::shown);
        lines.push(["eval".to_owned(), code].into_iter().chain(given).collect());
    } else if options.operands.is_empty() {
        let input = stdin(run);
        let text = input.as_ref().and_then(Value::as_literal).unwrap_or_default();
        lines.extend(text.lines().map(typed));
    } else {
        // `--cluster call host:port command` tells every node.
        let called = options.has("cluster") && options.operands.first().is_some_and(|word| word.is("call"));
        let skip = if called { 2 } else { 0 };
        lines.push(options.operands.iter().skip(skip).map(Word::shown).collect());
    }
    uses(run, &at);
    let splits = options.operands.get(1).is_some_and(|word| word.splits || word.literal().is_none());
    let deeds: Vec<_> = lines.iter().filter_map(|line| redis_deed(line, splits)).collect();
    for (operation, what) in run.first(deeds, 1000, "commands that change the database") {
        run.push(EffectKind::Database { operation: operation.into(), object: format!("`{what}`{at}") });
    }
    run.derived()
}

/// The words of a line that is typed into the client; a script in quotes is one of them.
fn typed(line: &str) -> Vec<String> {
    let quoted = line
        .trim_start()
        .split_once(char::is_whitespace)
        .filter(|(verb, _)| matches!(verb.to_ascii_lowercase().as_str(), "eval" | "eval_ro"));
    match quoted {
        Some((verb, rest)) => {
            let rest = rest.trim_start();
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let end = quote.and_then(|quote| rest.rfind(quote)).unwrap_or(rest.len());
            let code = rest.get(..end).unwrap_or_default().trim_start_matches(['"', '\'']);
            let given = rest.get(end..).unwrap_or_default().split_whitespace().map(str::to_owned);
            [verb.to_owned(), code.to_owned()].into_iter().chain(given).collect()
        }
        None => line.split_whitespace().map(str::to_owned).collect(),
    }
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
        ("eval" | "eval_ro", _)
            if line.get(1).is_some_and(|code| flushes(code, line.get(2..).unwrap_or_default())) =>
        {
            ("drop-database", "FLUSHALL".to_owned())
        }
        // A script that goes through all keys.
        ("eval", text) if finds_and_deletes(text) && line.iter().any(|word| word == "*") => {
            ("delete-all", "all keys found".to_owned())
        }
        _ => return None,
    })
}

/// Does a script of redis delete what it looks for?
fn finds_and_deletes(script: &str) -> bool {
    let calls = |names: &[&str]| {
        names
            .iter()
            .any(|name| ['\'', '"'].iter().any(|quote| script.contains(&format!("{quote}{name}{quote}"))))
    };
    calls(&["keys", "scan"]) && calls(&["del", "unlink", "expire", "pexpire", "rename"])
}

pub(in crate::commands) fn memcached(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("flush_all")) {
        run.push(EffectKind::Database {
            operation: "truncate".into(),
            object: "`flush_all` in memcached".into(),
        });
    }
    run.derived()
}

/// ArangoDB's shell speaks JavaScript.
pub(in crate::commands) fn arango(run: &mut Run) -> Outcome {
    let spec = "javascript.execute-string= javascript.execute= server.endpoint= server.database= server.username= \
        server.password= quiet?";
    let options = read(run.args, spec, Order::Anywhere);
    let mut texts: Vec<Value> = options.values("javascript.execute-string").map(Word::value).collect();
    for file in options.values("javascript.execute").cloned().collect::<Vec<_>>() {
        run.read(&file, false);
        texts.extend(run.analyst.script(&file, run.shell));
    }
    if texts.is_empty() {
        texts.extend(stdin(run));
    }
    script(run, &texts, " in arangodb");
    let calls = [("._dropDatabase(", "drop-database"), ("._drop(", "drop"), (".truncate(", "truncate")];
    told(run, &texts, "arangodb", |code| {
        let dense: String = code.chars().filter(|letter| !letter.is_whitespace()).collect();
        calls.iter().find(|(call, _)| dense.contains(call)).map(|(_, operation)| *operation)
    });
    run.derived()
}

/// `hbase shell`: a line or a statement per command.
pub(in crate::commands) fn hbase(run: &mut Run) -> Outcome {
    if run.args.first().is_some_and(|verb| verb.is("shell")) {
        let texts: Vec<Value> = stdin(run).into_iter().collect();
        told(run, &texts, "hbase", |code| {
            code.split([';', '\n']).find_map(|line| match line.split_whitespace().next() {
                Some("drop" | "drop_all" | "drop_namespace") => Some("drop"),
                Some("truncate" | "truncate_preserve") => Some("truncate"),
                Some("disable_all") => Some("drop"),
                _ => None,
            })
        });
    }
    run.derived()
}

/// `surreal sql`: tables and databases that are removed, and records without a condition.
pub(in crate::commands) fn surreal(run: &mut Run) -> Outcome {
    if run.args.first().is_some_and(|verb| verb.is("sql")) {
        let texts: Vec<Value> = stdin(run).into_iter().collect();
        told(run, &texts, "surrealdb", |code| {
            code.split([';', '\n']).find_map(|statement| {
                let lower = statement.to_ascii_lowercase();
                let words: Vec<&str> = lower.split_whitespace().collect();
                match words.as_slice() {
                    ["remove", "database" | "db" | "namespace" | "ns", ..] => Some("drop-database"),
                    ["remove", "table", ..] => Some("drop"),
                    // `delete person:tobie` is one record.
                    ["delete", table] if !table.contains(':') => Some("delete-all"),
                    _ => None,
                }
            })
        });
    }
    run.derived()
}

/// Takes down what `deed` finds in the texts that a client is given.
fn told(run: &mut Run, texts: &[Value], store: &str, deed: impl Fn(&str) -> Option<&'static str>) {
    uses(run, &format!(" in {store}"));
    for text in texts.iter().flat_map(|value| &value.any) {
        let code: String = text.pieces.iter().map(piece).collect();
        if let Some(operation) = deed(&code) {
            let object = format!("`{}` in {store}", super::cut(&code));
            run.push(EffectKind::Database { operation: operation.into(), object });
        }
    }
}
