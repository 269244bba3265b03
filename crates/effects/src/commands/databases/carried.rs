//! SQL that another program carries to its database: the tools of clouds and platforms, and those of frameworks.

use super::given::Given;
use super::statements;
use crate::commands::Run;
use crate::names::{Names, index};
use crate::options::{Options, Order, read};
use crate::sql::Flavour;
use crate::word::Word;

/// A program with a verb that takes SQL.
struct Carrier {
    programs: &'static [&'static str],
    /// Its first words that are no options; one of several is written `a|b`.
    verbs: &'static [&'static str],
    /// Its options.
    spec: &'static str,
    /// Those whose value is SQL, and those that name a file of it.
    texts: &'static [&'static str],
    files: &'static [&'static str],
    /// The word behind the verbs is SQL.
    operand: bool,
    /// Without SQL it reads standard input.
    stdin: bool,
}

const NONE: Carrier =
    Carrier { programs: &[], verbs: &[], spec: "", texts: &[], files: &[], operand: false, stdin: false };

/// By the programs' own manuals.
const CARRIERS: &[Carrier] = &[
    Carrier {
        programs: &["aws"],
        verbs: &["rds-data", "execute-statement|batch-execute-statement"],
        spec: "resource-arn= secret-arn= database= schema= sql= parameters= region= profile= output= query=",
        texts: &["sql"],
        ..NONE
    },
    Carrier {
        programs: &["aws"],
        verbs: &["redshift-data", "execute-statement|batch-execute-statement"],
        spec: "cluster-identifier= workgroup-name= secret-arn= db-user= database= sql= sqls= region= profile= output= query=",
        texts: &["sql", "sqls"],
        ..NONE
    },
    Carrier {
        programs: &["aws"],
        verbs: &["athena", "start-query-execution"],
        spec: "query-string= query-execution-context= result-configuration= work-group= region= profile= output= query=",
        texts: &["query-string"],
        ..NONE
    },
    Carrier {
        programs: &["aws"],
        verbs: &["dynamodb", "execute-statement"],
        spec: "statement= parameters= region= profile= output= query=",
        texts: &["statement"],
        ..NONE
    },
    Carrier {
        programs: &["gcloud"],
        verbs: &["spanner", "databases", "execute-sql"],
        spec: "instance= sql= project= format= timeout=",
        texts: &["sql"],
        ..NONE
    },
    Carrier {
        programs: &["gcloud"],
        verbs: &["sql", "connect"],
        spec: "u,user= d,database= project=",
        stdin: true,
        ..NONE
    },
    Carrier {
        programs: &["az"],
        verbs: &["postgres|mysql", "flexible-server", "execute"],
        spec: "n,name= u,admin-user= p,admin-password= d,database-name= q,querytext= f,file-path=",
        texts: &["q"],
        files: &["f"],
        ..NONE
    },
    Carrier {
        programs: &["heroku"],
        verbs: &["pg:psql|psql"],
        spec: "a,app= r,remote= c,command= f,file= credential=",
        texts: &["c"],
        files: &["f"],
        stdin: true,
        ..NONE
    },
    Carrier {
        programs: &["fly", "flyctl"],
        verbs: &["postgres|pg|mpg", "connect"],
        spec: "a,app= c,config= d,database= p,password= u,user=",
        stdin: true,
        ..NONE
    },
    Carrier { programs: &["pscale"], verbs: &["shell"], spec: "org= role= local-addr=", stdin: true, ..NONE },
    Carrier { programs: &["railway"], verbs: &["connect"], spec: "e,environment=", stdin: true, ..NONE },
    Carrier {
        programs: &["wp"],
        verbs: &["db", "query"],
        spec: "path= url= user= dbuser= dbpass= ssh= http=",
        operand: true,
        stdin: true,
        ..NONE
    },
    Carrier { programs: &["wp"], verbs: &["db", "cli"], spec: "path= url= database=", stdin: true, ..NONE },
    Carrier {
        programs: &["drush"],
        verbs: &["sql-query|sql:query|sqlq"],
        spec: "r,root= l,uri= file= database= result-file=",
        files: &["file"],
        operand: true,
        stdin: true,
        ..NONE
    },
    Carrier {
        programs: &["drush"],
        verbs: &["sql-cli|sql:cli|sqlc"],
        spec: "r,root= l,uri= database=",
        stdin: true,
        ..NONE
    },
    Carrier {
        programs: &["typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm"],
        verbs: &["query"],
        spec: "d,dataSource=",
        operand: true,
        ..NONE
    },
];

static PROGRAMS: Names<128> = index!(CARRIERS, carrier => carrier.programs);

/// Takes down what the SQL does that a program hands on.
pub(in crate::commands) fn notice(run: &mut Run) {
    told(run, run.program, run.args);
}

/// The same for a program that an interpreter runs by its file.
pub(in crate::commands) fn told(run: &mut Run, program: &str, words: &[Word]) {
    for carrier in PROGRAMS.rows(CARRIERS, program, |carrier| carrier.programs) {
        let options = read(words, carrier.spec, Order::Anywhere);
        let behind = behind(carrier.verbs, &options);
        let Some(behind) = behind.filter(|_| !options.unknown.iter().any(|name| name == "--help")) else {
            continue;
        };
        let all = |names: &[&str]| -> Vec<Word> {
            names.iter().flat_map(|name| options.values(name)).cloned().collect()
        };
        let (mut texts, files) = (all(carrier.texts), all(carrier.files));
        let behind = options.operands.get(behind).filter(|_| carrier.operand);
        texts.extend(behind.cloned());
        let stdin = carrier.stdin && texts.is_empty() && files.is_empty();
        let (target, hosts, flavour) = (Vec::new(), Vec::new(), Flavour::Postgres);
        let given = Given { texts, files, target, hosts, flavour, stdin, program };
        statements(run, &given);
    }
}

/// Where the words behind the verbs begin. Among the verbs there may be a site (`@prod`), and the values of options of
/// which nothing is known here.
fn behind(verbs: &[&str], options: &Options) -> Option<usize> {
    let mut left = verbs.iter();
    let mut verb = left.next()?;
    let mut strangers = options.unknown.len();
    for (at, word) in options.operands.iter().enumerate() {
        let shown = word.shown();
        if verb.split('|').any(|one| one == shown) {
            match left.next() {
                Some(next) => verb = next,
                None => return Some(at + 1),
            }
        } else if at > 0 || !shown.starts_with('@') {
            strangers = strangers.checked_sub(1)?;
        }
    }
    None
}

/// `manage.py dbshell -- -c 'sql'`, `rails dbconsole`: the client of the framework's own database.
pub(in crate::commands) fn client(run: &mut Run, words: &[Word]) {
    let behind = words.iter().skip_while(|word| !word.is("--")).skip(1).cloned().collect::<Vec<_>>();
    let options =
        read(&behind, "c,command,e,execute= f,file= d,dbname= h,host= U,username=", Order::Anywhere);
    let texts: Vec<Word> = options.values("c").cloned().collect();
    if !texts.is_empty() || run.stdin().is_some() {
        super::console(run, texts);
    }
}
