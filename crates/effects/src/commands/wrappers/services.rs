//! Commands that run as services, or in another folder.

use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use crate::commands::{Run, interpreters};
use crate::options::{Options, Order, read};
use crate::word::Word;

/// Where a wrapper that goes to another folder works: one that it is told, or that of a service.
pub(super) fn started_in(run: &Run, options: &Options) -> Option<Value> {
    if matches!(run.program, "unshare" | "nsenter" | "proot") {
        let named = options.value("w").or(options.value("W")).or(options.value("cwd"));
        return named.map(Word::value);
    }
    if run.program != "systemd-run" || options.has("scope") || options.has("d") {
        return None;
    }
    let property = options.values("p").find(|word| word.text.prefix().starts_with("WorkingDirectory="));
    let named = options.value("working-directory").cloned().or(property.map(|word| word.after('=')));
    let home = if options.has("user") { run.analyst.world.home() } else { "/" };
    Some(named.map_or_else(|| Value::text(home), |word| word.value()))
}

/// What a service is told to run besides its command, or instead of it.
pub(super) fn services(run: &mut Run, options: &Options) {
    for property in
        options.values("p").filter(|word| word.text.prefix().starts_with("Exec")).cloned().collect::<Vec<_>>()
    {
        let command = property.after('=');
        let marks = command.text.prefix().len()
            - command.text.prefix().trim_start_matches(['-', '+', '!', '@', ':']).len();
        let command = command.from(marks);
        interpreters::code(run, &command.value(), command.span);
    }
    if options.has("S") && options.operands.is_empty() {
        interpreters::stdin_code(run);
    }
}

/// `start-stop-daemon`: starts the program that `--startas` or `--exec` names with the operands, or ends those that
/// it finds.
pub(in crate::commands) fn daemon(run: &mut Run) -> Outcome {
    let spec = "S,start K,stop T,status H,help V,version p,pidfile= x,exec= n,name= u,user= g,group= s,signal= R,retry= \
        a,startas= t,test o,oknodo q,quiet c,chuid= r,chroot= d,chdir= b,background notify-await notify-timeout= \
        C,no-close N,nicelevel= P,procsched= I,iosched= k,umask= m,make-pidfile remove-pidfile v,verbose O,output= \
        ppid= pid=";
    let options = read(run.args, spec, Order::First);
    if options.has("t") || options.has("T") {
        return run.derived();
    }
    let program = options.value("a").or(options.value("x"));
    if options.has("K") {
        // It ends what `pkill` would find by the same marks.
        let flag = |text: &str| Word::literal_at(text, run.call.span);
        let mut words = vec![flag("pkill")];
        for (name, meant) in [("u", "-u"), ("n", "-x"), ("x", "-f"), ("a", "-f")] {
            words.extend(options.value(name).into_iter().flat_map(|value| [flag(meant), value.clone()]));
        }
        return run.inner(&words);
    }
    let command: Vec<Word> = program.into_iter().chain(&options.operands).cloned().collect();
    if program.is_none() {
        return run.derived();
    }
    let before = run.shell.cwd().clone();
    let folder = options.value("d").map_or_else(|| Value::text("/"), Word::value);
    run.shell.set_cwd(&folder);
    let outcome = run.inner(&command);
    run.shell.set_cwd(&before);
    outcome
}
