//! Programs that run the program named by their arguments. Their options, and how many words stand before the command, are
//! in the catalogue.

pub(super) mod env;
pub(super) mod groups;
pub(super) mod reports;
pub(super) mod sandbox;
pub(super) mod services;
pub(super) mod tmux;

use tollgate_catalogue::{Operands, Program};
use tollgate_model::{EffectKind, Lasting, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::multicall;
use tollgate_shell::value::Value;

use super::{Handler, Run, interpreters, variables};
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

/// Does it run the command that its words name?
pub(super) fn is_wrapper(name: &str) -> bool {
    catalogue::find(name).is_some_and(|known| known.is_wrapper)
}

/// The dynamic loader runs the program it is given.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    let is_loader = program.starts_with("ld-") && program.contains(".so") || program == "ld.so";
    let is_multicall = program.strip_prefix("busybox").is_some_and(|rest| rest.starts_with(['-', '.']));
    is_loader.then_some(loader as Handler).or(is_multicall.then_some(multicall as Handler))
}

pub(super) fn plain(run: &mut Run) -> Outcome {
    let Some(Program { operands: Operands::Runs(before), options, .. }) = catalogue::find(run.program) else {
        return run.derived();
    };
    let options = read(run.args, options.unwrap_or_default(), Order::First);
    if matches!(run.program, "command") && (options.has("v") || options.has("V")) {
        return reports::located(&options.operands);
    }
    // The shell's own prefixes are followed by the shell, which finds functions and builtins behind them.
    if super::is_followed(run) {
        return run.derived();
    }
    if run.program == "screen" && options.has("X") {
        return reports::keys(run, &options.operands);
    }
    if run.program == "systemd-run" || (run.program == "screen" && options.has("d")) {
        run.push(EffectKind::Persist { kind: Lasting::Process, what: run.program.to_owned() });
    }
    if run.program == "systemd-run" && TIMERS.iter().any(|timer| options.has(timer)) {
        run.push(EffectKind::Persist { kind: Lasting::Job, what: "systemd".into() });
    }
    reports::reports(run, &options);
    if run.program == "systemd-run" {
        services::services(run, &options);
    }
    // What stands before the command may be left out.
    let bare = matches!(run.program, "setarch" | "chrt")
        && options.operands.first().and_then(Word::literal).is_some_and(super::is_command);
    let before = if bare { 0 } else { *before };
    let command: Vec<Word> = options.operands.iter().skip(before).cloned().collect();
    if let Some(listens) =
        options.values("socket-property").find(|word| word.shown().starts_with("ListenStream"))
    {
        let address = listens.after('=');
        return super::network::serve(run, Some(&address), &command);
    }
    match services::started_in(run, &options) {
        Some(folder) if !command.is_empty() => inside(run, &folder, &command),
        _ => inner_or_nothing(run, &command, options.unsure),
    }
}

fn inner_or_nothing(run: &mut Run, command: &[Word], unsure: bool) -> Outcome {
    if command.is_empty() {
        return run.derived();
    }
    // A command that is not known at all is judged by what it is given.
    if unsure && command.first().is_some_and(|word| word.splits && word.literal().is_some()) {
        run.analyst.opaque(format!("what `{}` runs is known only at run time", run.program), run.call.span);
    }
    run.inner(command)
}

/// Options of `systemd-run` that make a timer.
const TIMERS: &[&str] =
    &["on-active", "on-boot", "on-startup", "on-unit-active", "on-unit-inactive", "on-calendar"];

/// Runs a command in another directory.
fn inside(run: &mut Run, folder: &Value, command: &[Word]) -> Outcome {
    let before = run.shell.cwd().clone();
    run.shell.set_cwd(folder);
    let outcome = run.inner(command);
    run.shell.set_cwd(&before);
    outcome
}

pub(super) fn sudo(run: &mut Run) -> Outcome {
    let spec = "A,askpass a,auth-type= b,background B,bell C,close-from= c,login-class= D,chdir= E,preserve-env? \
        e,edit g,group= H,set-home h,host= i,login K,remove-timestamp k,reset-timestamp l,list n,non-interactive \
        P,preserve-groups p,prompt= R,chroot= r,role= S,stdin s,shell T,command-timeout= t,type= U,other-user= \
        u,user= V,version v,validate disable-internal-agent keep-cwd L";
    let options = read(run.args, spec, Order::First);
    if options.operands.is_empty() && !options.has("s") && !options.has("i") {
        return run.derived();
    }
    run.push(EffectKind::Privilege { how: run.program.to_owned() });
    let mut command = options.operands.clone();
    while command.first().is_some_and(env::is_assignment) {
        let word = command.remove(0);
        let prefix = word.text.prefix().to_owned();
        let name = prefix.split('=').next().unwrap_or_default();
        variables::variable(run.analyst, name, &word.after('=').value(), run.call, run.shell);
    }
    if options.has("e") || run.program == "sudoedit" {
        for word in &command {
            run.analyst.write(word, WriteMode::Edit, None, run.shell);
        }
        return run.derived();
    }
    if let Some(folder) = options.value("D") {
        let folder = folder.value();
        return inside(run, &folder, &command);
    }
    if command.is_empty() {
        return interpreters::stdin_code(run);
    }
    run.inner(&command)
}

/// `-C command` is run for what may be typed next.
pub(super) fn completion(run: &mut Run) -> Outcome {
    let spec = "a b c d e f g j k s u v A= C= D E F= G= I o= P= p r S= V= W= X=";
    let options = read(run.args, spec, Order::Anywhere);
    for command in options.values("C").cloned().collect::<Vec<_>>() {
        interpreters::code(run, &command.value(), command.span);
    }
    // A list of words is expanded first.
    for words in options.values("W").cloned().collect::<Vec<_>>() {
        interpreters::code(run, &Value::text("echo ").concat(&words.value()), words.span);
    }
    run.derived()
}

pub(super) fn su(run: &mut Run) -> Outcome {
    let spec = "c,command= f,fast g,group= G,supp-group= l,login m,p,preserve-environment P,pty s,shell= u,user= \
        w,whitelist-environment= session-command=";
    let options = read(run.args, spec, Order::Anywhere);
    run.push(EffectKind::Privilege { how: run.program.to_owned() });
    if let Some(text) = options.value("c").or(options.value("session-command")) {
        let (text, span) = (text.value(), text.span);
        return interpreters::code(run, &text, span);
    }
    if options.has("u") && !options.operands.is_empty() {
        return run.inner(&options.operands.clone());
    }
    // What follows the user goes to the shell, which may be any program.
    if let (Some(shell), Some(rest)) =
        (options.value("s"), options.operands.get(1..).filter(|rest| !rest.is_empty()))
    {
        let command: Vec<Word> = [shell].into_iter().chain(rest).cloned().collect();
        return run.inner(&command);
    }
    match options.operands.iter().position(|word| word.is("-c")) {
        Some(at) => shell_with(run, options.operands.get(at..).unwrap_or_default()),
        None => interpreters::stdin_code(run),
    }
}

pub(super) fn flock(run: &mut Run) -> Outcome {
    let spec = "c,command= F,no-fork s,shared x,e,exclusive u,unlock n,nb,nonblock w,wait,timeout= E,conflict-exit-code= o,close verbose";
    let options = read(run.args, spec, Order::First);
    if let Some(file) = options.operands.first() {
        run.analyst.cover(file, false, run.shell);
    }
    let rest: Vec<Word> = options.operands.iter().skip(1).cloned().collect();
    if let [flag, text, ..] = rest.as_slice()
        && (flag.is("-c") || flag.is("--command"))
    {
        let (text, span) = (text.value(), text.span);
        return interpreters::code(run, &text, span);
    }
    inner_or_nothing(run, &rest, false)
}

pub(super) fn script(run: &mut Run) -> Outcome {
    let spec = "a,append c,command= e,return f,flush force I,log-in= O,log-out= B,log-io= T,log-timing= m,logging-format= o,output-limit= q,quiet t,timing? E,echo=";
    let options = read(run.args, spec, Order::Anywhere);
    let logs = ["I", "O", "B", "T"].into_iter().flat_map(|name| options.values(name));
    let typescript = options.operands.first().filter(|_| !options.has("O") && !options.has("B"));
    for file in logs.chain(typescript).cloned().collect::<Vec<_>>() {
        let mode = if options.has("a") { WriteMode::Append } else { WriteMode::Overwrite };
        run.analyst.write(&file, mode, None, run.shell);
    }
    match options.value("c") {
        Some(text) => {
            let (text, span) = (text.value(), text.span);
            interpreters::code(run, &text, span)
        }
        // The command may stand behind the dashes, with or without a file before them.
        None if run.args.iter().any(|word| word.is("--")) => {
            let command: Vec<Word> =
                run.args.iter().skip_while(|word| !word.is("--")).skip(1).cloned().collect();
            inner_or_nothing(run, &command, false)
        }
        None if options.operands.len() < 2 => interpreters::stdin_code(run),
        // BSD: script [-aq] file command …
        None => inner_or_nothing(run, &options.operands.iter().skip(1).cloned().collect::<Vec<_>>(), false),
    }
}

pub(super) fn watch(run: &mut Run) -> Outcome {
    let spec = "b,beep c,color C,no-color d,differences? e,errexit g,chgexit q,equexit= n,interval= p,precise r,no-rerun t,no-title w,no-wrap x,exec";
    let options = read(run.args, spec, Order::First);
    if options.has("x") { run.inner(&options.operands) } else { interpreters::joined(run, &options.operands) }
}

pub(super) fn hyperfine(run: &mut Run) -> Outcome {
    let spec = "w,warmup= m,min-runs= M,max-runs= r,runs= s,setup= p,prepare= C,conclude= c,cleanup= P,parameter-scan= \
        D,parameter-step-size= L,parameter-list= S,shell= N i,ignore-failure style= sort= u,time-unit= export-json= \
        export-csv= export-markdown= show-output output= input= n,command-name=";
    let options = read(run.args, spec, Order::Anywhere);
    let hooks = ["s", "p", "C", "c"].into_iter().flat_map(|name| options.values(name));
    let texts: Vec<Word> = options.operands.iter().chain(hooks).cloned().collect();
    for text in texts {
        interpreters::code(run, &text.value(), text.span);
    }
    run.derived()
}

pub(super) fn multicall(run: &mut Run) -> Outcome {
    if run.args.first().is_some_and(|word| word.is("--install")) {
        let folder = run.args.iter().skip(1).find(|word| !word.text.prefix().starts_with('-'));
        let folder = folder.cloned().unwrap_or_else(|| Word::literal_at("/bin", run.call.span));
        super::archives::extract(run, &folder);
        return run.derived();
    }
    let command: Vec<Word> =
        run.args.iter().skip_while(|word| word.shown().starts_with('-')).cloned().collect();
    inner_or_nothing(run, &command, false)
}

fn loader(run: &mut Run) -> Outcome {
    let spec = "list verify inhibit-cache library-path= inhibit-rpath= audit= preload= argv0=";
    let options = read(run.args, spec, Order::First);
    if options.has("preload") || options.has("audit") {
        run.analyst.opaque("a library loads other code into the program", run.call.span);
    }
    let command = called(options.value("argv0"), options.operands.clone());
    inner_or_nothing(run, &command, false)
}

/// A command whose program is called by another name, which may make it another tool.
fn called(name: Option<&Word>, mut command: Vec<Word>) -> Vec<Word> {
    if let (Some(name), Some(program)) = (name.and_then(Word::literal), command.first_mut())
        && let Some(tool) = program.literal().and_then(|path| multicall::tool(path, name))
    {
        *program = Word::literal_at(tool, program.span);
    }
    command
}

/// Runs a shell with these words.
fn shell_with(run: &mut Run, words: &[Word]) -> Outcome {
    let mut command = vec![Word::literal_at("bash", run.call.span)];
    command.extend(words.iter().cloned());
    run.inner(&command)
}

/// `capsh -- -c command`: what follows the dashes goes to a shell.
pub(super) fn capsh(run: &mut Run) -> Outcome {
    match run.args.iter().position(|word| word.is("--") || word.is("==")) {
        Some(at) => shell_with(run, run.args.get(at + 1..).unwrap_or_default()),
        None => run.derived(),
    }
}

/// `entr -s` takes shell text.
pub(super) fn entr(run: &mut Run) -> Outcome {
    let options = read(run.args, "a c d n p r s x z", Order::First);
    if options.has("s") {
        return interpreters::joined(run, &options.operands);
    }
    inner_or_nothing(run, &options.operands, options.unsure)
}

/// One binary with all the tools: the first word, or `--coreutils-prog=`, is the tool.
pub(super) fn coreutils(run: &mut Run) -> Outcome {
    let mut command = run.args.to_vec();
    if let Some(first) = command.first_mut().filter(|word| word.text.prefix().starts_with("--coreutils-prog"))
    {
        *first = first.after('=');
    }
    inner_or_nothing(run, &command, false)
}

/// Programs whose every word is shell text.
pub(super) fn texts(run: &mut Run) -> Outcome {
    for text in run.args.iter().filter(|word| !word.text.prefix().starts_with('-')) {
        interpreters::code(run, &text.value(), text.span);
    }
    run.derived()
}

/// `sops exec-env file command`.
pub(super) fn sops(run: &mut Run) -> Outcome {
    let words: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    match words.as_slice() {
        [verb, _, text] if verb.is("exec-env") || verb.is("exec-file") => {
            interpreters::code(run, &text.value(), text.span)
        }
        _ => run.derived(),
    }
}

/// `flatpak run --command=tool app …` runs the tool.
pub(super) fn flatpak(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "command= branch= arch= filesystem= share= socket= env= user system", Order::Anywhere);
    let Some(tool) = options.value("command").cloned() else {
        super::strangers::suspect(run);
        return run.derived();
    };
    let at = run.args.iter().position(|word| word.text.prefix().starts_with("--command")).unwrap_or_default();
    let rest = run.args.iter().skip(at + 1).skip_while(|word| word.text.prefix().starts_with("--")).skip(1);
    let mut command = vec![tool];
    command.extend(rest.cloned());
    run.inner(&command)
}

/// `apply command word…` runs the command with each of the words.
pub(super) fn apply(run: &mut Run) -> Outcome {
    let options = read(run.args, "a= d 0 1 2 3 4 5 6 7 8 9", Order::First);
    match options.operands.split_first() {
        Some((command, words)) => {
            for word in words {
                interpreters::joined(run, &[command.clone(), word.clone()]);
            }
            run.derived()
        }
        None => run.derived(),
    }
}

pub(super) fn chroot(run: &mut Run) -> Outcome {
    let options = read(run.args, "groups= userspec= skip-chdir", Order::First);
    let command: Vec<Word> = options.operands.iter().skip(1).cloned().collect();
    let Some(root) = options.operands.first().map(Word::value) else { return run.derived() };
    if command.is_empty() {
        return interpreters::stdin_code(run);
    }
    inside(run, &root, &command)
}

/// `nix-shell -p '(import (fetchTarball "https://…") {}).x'`: an expression that fetches what it builds.
pub(super) fn nix_fetches(run: &mut Run) {
    for word in run.args {
        let text = word.shown();
        for rest in text.split("fetch").skip(1) {
            let Some(at) = rest.find("://") else { continue };
            let start = rest
                .get(..at)
                .and_then(|before| before.rfind(['"', '\'', ' ', '=']))
                .map_or(0, |start| start + 1);
            let address = rest.get(start..).unwrap_or_default();
            let address = address.split(['"', '\'', ' ', ';', ')']).next().unwrap_or_default();
            super::packages::install(run, "nix", &Word::literal_at(address, word.span));
        }
    }
}

pub(super) fn nix_shell(run: &mut Run) -> Outcome {
    nix_fetches(run);
    let texts: Vec<Word> = run
        .args
        .windows(2)
        .filter_map(|pair| match pair {
            [flag, text] if flag.is("--run") || flag.is("--command") => Some(text.clone()),
            _ => None,
        })
        .collect();
    for text in texts {
        interpreters::code(run, &text.value(), text.span);
    }
    run.derived()
}

pub(super) fn delayed(run: &mut Run) -> Outcome {
    let spec = "f= q= t= m M v l b V c= d= r=";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("l") || options.has("V") || options.has("c") {
        return run.derived();
    }
    run.push(EffectKind::Persist { kind: Lasting::Job, what: run.program.to_owned() });
    if let Some(file) = options.value("f").cloned() {
        return interpreters::file(run, &file, &[]);
    }
    interpreters::stdin_code(run);
    Outcome::silent(Status::Either)
}
