//! SQL that another program carries to its database: the tools of clouds and platforms, and those of frameworks.

use tollgate_catalogue::{Role, Use};

use super::given::Given;
use super::statements;
use crate::catalogue;
use crate::commands::Run;
use crate::options::{Options, Order, read};
use crate::sql::Flavour;
use crate::word::Word;

/// Takes down what the SQL does that a program hands on.
pub(in crate::commands) fn notice(run: &mut Run) {
    told(run, run.program, run.args);
}

/// The same for a program that an interpreter runs by its file.
pub(in crate::commands) fn told(run: &mut Run, program: &str, words: &[Word]) {
    for way in catalogue::uses(program) {
        let Role::Sql { texts, files, operand, stdin } = way.role else { continue };
        let options = read(words, way.options, Order::Anywhere);
        let behind = behind(way, &options);
        let Some(behind) = behind.filter(|_| !options.unknown.iter().any(|name| name == "--help")) else {
            continue;
        };
        let all = |names: &[&str]| -> Vec<Word> {
            names.iter().flat_map(|name| options.values(name)).cloned().collect()
        };
        let (mut texts, files) = (all(texts), all(files));
        let behind = options.operands.get(behind).filter(|_| operand);
        texts.extend(behind.cloned());
        let stdin = stdin && texts.is_empty() && files.is_empty();
        let (target, hosts, flavour) = (Vec::new(), Vec::new(), Flavour::Postgres);
        let given = Given { texts, files, target, hosts, flavour, stdin, program };
        statements(run, &given);
    }
}

/// Where the words behind the verbs begin. Among the verbs there may be a site (`@prod`), and the values of options of
/// which nothing is known here.
fn behind(way: &Use, options: &Options) -> Option<usize> {
    let mut left = way.call.iter();
    let mut verb = left.next()?;
    let mut strangers = options.unknown.len();
    for (at, word) in options.operands.iter().enumerate() {
        let shown = word.shown();
        if verb.contains(&shown.as_str()) {
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
