//! Version control besides git: what throws work away that is not committed.

use tollgate_model::{Certainty, EffectKind, Loss};
use tollgate_shell::eval::{Outcome, Status};

use super::Run;
use crate::options::{Options, Order, read};
use crate::word::Word;

/// What each of them throws away without a question, and what makes it one or only shows it.
pub(super) fn others(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(Word::shown).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let verb = words.iter().find(|word| !word.starts_with('-')).map_or("", String::as_str);
    let loses = !has(&["-n", "--dry-run"])
        && match (run.program, verb) {
            ("fossil", "clean") => has(&["-f", "--force", "-x", "--verily"]),
            ("bzr" | "brz", "clean-tree") => has(&["--force"]),
            ("bzr" | "brz", "revert") => has(&["--no-backup"]),
            ("darcs", "obliterate" | "unpull") => has(&["-a", "--all"]),
            ("pijul", "reset") => true,
            _ => false,
        };
    answer(run, loses, &format!("{} {verb}", run.program))
}

/// Git with the home for its work tree; its own verbs are told with what git is given.
pub(super) fn yadm(run: &mut Run) -> Outcome {
    let home = run.analyst.world.home().to_owned();
    let span = run.call.span;
    let mut words: Vec<Word> = [
        "git".to_owned(),
        format!("--git-dir={home}/.local/share/yadm/repo.git"),
        format!("--work-tree={home}"),
    ]
    .iter()
    .map(|word| Word::literal_at(word, span))
    .collect();
    words.extend(run.args.iter().cloned());
    run.inner(&words)
}

pub(super) fn mercurial(run: &mut Run) -> Outcome {
    let spec = "R,repository= cwd= y,noninteractive q,quiet v,verbose config= debug debugger encoding= traceback time \
        profile version h,help hidden pager= color= C,clean c,check m,merge d,date= r,rev= t,tool= a,all no-backup \
        n,dry-run I,include= X,exclude= p,print 0,print0 dirs files i,interactive f,force k,keep no-commit";
    let options = read(run.args, spec, Order::Anywhere);
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let loses = !options.has("n")
        && match verb.as_str() {
            "update" | "up" | "checkout" | "co" | "goto" => options.has("C"),
            "revert" => options.has("no-backup"),
            "purge" | "clean" => !options.has("p"),
            "strip" => true,
            _ => false,
        };
    answer(run, loses, &format!("hg {verb}"))
}

pub(super) fn subversion(run: &mut Run) -> Outcome {
    let spec = "R,recursive depth= q,quiet N,non-recursive targets= changelist= force remove-unversioned remove-ignored \
        include-externals username= password= non-interactive config-dir= config-option= no-auth-cache r,revision= \
        m,message= F,file= accept= trust-server-cert vacuum-pristines remove-added keep-local dry-run";
    let options = read(run.args, spec, Order::Anywhere);
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let loses = match verb.as_str() {
        "revert" => options.operands.len() > 1 || options.has("targets"),
        "cleanup" => options.has("remove-unversioned") || options.has("remove-ignored"),
        "delete" | "del" | "remove" | "rm" => options.has("force"),
        _ => false,
    };
    answer(run, loses, &format!("svn {verb}"))
}

/// Everything that jj does can be undone from its log of operations, unless that log is cut.
pub(super) fn jujutsu(run: &mut Run) -> Outcome {
    let spec = "R,repository= at-operation,at-op= config= config-file= color= quiet no-pager debug ignore-working-copy \
        ignore-immutable";
    let options = read(run.args, spec, Order::Anywhere);
    let verbs: Vec<String> = options.operands.iter().take(2).map(Word::shown).collect();
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    let loses = matches!(verbs.as_slice(), ["op" | "operation", "abandon"] | ["util", "gc"]);
    answer(run, loses, "jj op abandon")
}

pub(super) fn perforce(run: &mut Run) -> Outcome {
    let options: Options = read(run.args, "c= d= H= p= P= u= x= C= Q= L= z= s q n a w k", Order::Anywhere);
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let loses = !options.has("n") && matches!(verb.as_str(), "revert" | "clean" | "obliterate");
    answer(run, loses, &format!("p4 {verb}"))
}

/// Rewrites every commit of a repository.
pub(super) fn bfg(run: &mut Run) -> Outcome {
    let rewrites = |word: &Word| {
        let text = word.shown();
        let names = ["--delete-f", "--strip-b", "--replace-t", "-D", "-b", "-B", "-rt", "-fi"];
        names.iter().any(|name| text.starts_with(name))
    };
    if run.args.iter().any(rewrites) {
        let (operation, remote, branch) = ("bfg".to_owned(), String::new(), "*".to_owned());
        let how = tollgate_model::Rewrite::Local;
        run.push(EffectKind::HistoryRewrite { operation, how, remote, branch });
    }
    run.derived()
}

fn answer(run: &mut Run, loses: bool, operation: &str) -> Outcome {
    if loses {
        let (operation, root) = (operation.to_owned(), String::new());
        let kind = EffectKind::WorkLoss { operation, kind: Loss::Files, lost: Vec::new(), root };
        run.analyst.push(kind, run.call.span, Certainty::Possible);
        return Outcome::silent(Status::Either);
    }
    run.derived()
}
