//! Who may do what with a file.

use tollgate_model::EffectKind;
use tollgate_shell::eval::{Open, OpenMode, Outcome, Status};
use tollgate_shell::value::Text;

use super::super::Run;
use crate::options::{Order, read};
use crate::word::Word;

pub(in crate::commands) fn chmod(run: &mut Run) -> Outcome {
    // A mode may look like an option: `chmod -x file`.
    let (modes, rest): (Vec<Word>, Vec<Word>) = run.args.iter().cloned().partition(|word| {
        let text = word.shown();
        text.starts_with('-')
            && text.len() > 1
            && text.chars().skip(1).all(|c| "rwxXst,+-=ugoa".contains(c))
            && text != "-R"
    });
    let options = read(
        &rest,
        "c,changes f,silent,quiet v,verbose R,recursive reference= preserve-root no-preserve-root",
        Order::Anywhere,
    );
    let mut operands = options.operands.clone();
    let mode = match modes.first() {
        Some(mode) => mode.shown(),
        None if options.has("reference") || operands.is_empty() => String::new(),
        None => operands.remove(0).shown(),
    };
    permissions(run, &operands, &mode, options.has("R"))
}

pub(in crate::commands) fn chown(run: &mut Run) -> Outcome {
    let spec = "c,changes f,silent,quiet v,verbose R,recursive h,no-dereference dereference H L P from= reference= \
        preserve-root no-preserve-root";
    let options = read(run.args, spec, Order::Anywhere);
    let mut operands = options.operands.clone();
    let owner = if options.has("reference") || operands.is_empty() {
        String::new()
    } else {
        operands.remove(0).shown()
    };
    permissions(run, &operands, &owner, options.has("R"))
}

pub(in crate::commands) fn setfacl(run: &mut Run) -> Outcome {
    let spec = "m,modify= M,modify-file= x,remove= X,remove-file= b,remove-all k,remove-default n,no-mask mask d,default \
        R,recursive L,logical P,physical restore= set= set-file= test";
    let options = read(run.args, spec, Order::Anywhere);
    let to = options.value("m").map(Word::shown).unwrap_or_default();
    permissions(run, &options.operands, &to, options.has("R"))
}

pub(super) fn permissions(run: &mut Run, operands: &[Word], to: &str, recursive: bool) -> Outcome {
    for word in operands {
        run.analyst.permission(word, to, recursive, run.shell);
    }
    if to.contains("+s") || is_setuid(to) {
        run.push(EffectKind::Privilege { how: format!("sets the set-user-ID bit ({to})") });
    }
    Outcome::silent(Status::Either)
}

pub(super) fn is_setuid(mode: &str) -> bool {
    mode.len() == 4 && mode.starts_with(['2', '4', '6']) && mode.bytes().all(|byte| byte.is_ascii_digit())
}

/// What rights new files and folders do not get: where their owner may be shut out, nothing is sure to be entered.
pub(in crate::commands) fn umask(run: &mut Run) -> Outcome {
    let mask = run.args.iter().find(|word| !matches!(word.literal(), Some("-S" | "-p" | "--")));
    let open = |word: &Word| {
        word.literal().is_some_and(|mask| {
            let digits = mask.bytes().all(|byte| byte.is_ascii_digit());
            let owner = mask.bytes().rev().nth(2).unwrap_or(b'0');
            digits && owner == b'0' || mask == "u=rwx" || mask.starts_with("u=rwx,g") && !mask.contains(",u")
        })
    };
    run.analyst.hampered |= mask.is_some_and(|mask| !open(mask));
    Outcome::silent(Status::Either)
}

/// Does the shell itself start the program and wait for it, with no options but these letters or their long names,
/// so that it surely does what it is for?
pub(super) fn is_plain_call(run: &Run, letters: &str) -> bool {
    let name = run.call.name().map(|name| name.rsplit('/').next().unwrap_or(name));
    let plain = |word: &Word| {
        let options = word.text.prefix().strip_prefix('-').unwrap_or_default();
        matches!(options, "-" | "-parents" | "-verbose" | "-recursive" | "-archive" | "-directory")
            || options.chars().all(|letter| letters.contains(letter))
    };
    let certain = |word: &Word| !word.splits && plain(word);
    name == Some(run.program)
        && run.analyst.started == 0
        && !run.call.background
        && run.call.assigns.is_empty()
        && finds_programs(run)
        && run.call.redirects.iter().all(opens)
        && run.args.iter().all(certain)
}

/// Are the system's programs still on the path that the call says?
fn finds_programs(run: &Run) -> bool {
    let usual = |path: &str| path.split(':').any(|folder| matches!(folder, "/bin" | "/usr/bin"));
    let keeps = |text: &Text| text.as_literal().is_none_or(usual);
    run.shell.variable("PATH").is_none_or(|path| path.any.iter().all(keeps))
}

/// Does a redirection surely succeed? One that fails keeps the program from being started.
fn opens(open: &Open) -> bool {
    open.mode != OpenMode::Read || open.path.value.as_literal() == Some("/dev/null")
}

/// Limits may keep programs from being started, or from making anything.
pub(in crate::commands) fn ulimit(run: &mut Run) -> Outcome {
    run.analyst.hampered |= run.args.iter().any(|word| !word.text.prefix().starts_with('-'));
    run.derived()
}
