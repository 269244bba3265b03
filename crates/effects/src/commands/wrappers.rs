//! Programs that run the program named by their arguments. A catalogue: each one's options, and how many words
//! stand before the command.

use tollgate_model::{EffectKind, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{Commands, Handler, Run, interpreters, system};
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("env", env),
    ("sudo", sudo),
    ("doas", sudo),
    ("su", su),
    ("runuser", su),
    ("pkexec", sudo),
    ("flock", flock),
    ("script", script),
    ("watch", watch),
    ("busybox", multicall),
    ("toybox", multicall),
    ("chroot", chroot),
    ("nix-shell", nix_shell),
    ("tmux", tmux),
    ("screen", plain),
    ("at", delayed),
    ("batch", delayed),
    ("time", plain),
    ("nohup", plain),
    ("nice", plain),
    ("timeout", plain),
    ("gtimeout", plain),
    ("stdbuf", plain),
    ("setsid", plain),
    ("ionice", plain),
    ("chrt", plain),
    ("taskset", plain),
    ("unshare", plain),
    ("nsenter", plain),
    ("prlimit", plain),
    ("setarch", plain),
    ("linux32", plain),
    ("linux64", plain),
    ("setpriv", plain),
    ("capsh", plain),
    ("catchsegv", plain),
    ("strace", plain),
    ("ltrace", plain),
    ("valgrind", plain),
    ("perf", plain),
    ("hyperfine", hyperfine),
    ("systemd-run", plain),
    ("systemd-inhibit", plain),
    ("dbus-run-session", plain),
    ("dbus-launch", plain),
    ("xvfb-run", plain),
    ("fakeroot", plain),
    ("proot", plain),
    ("firejail", plain),
    ("bwrap", plain),
    ("caffeinate", plain),
    ("rlwrap", plain),
    ("unbuffer", plain),
    ("entr", plain),
    ("chpst", plain),
    ("softlimit", plain),
    ("cgexec", plain),
    ("numactl", plain),
    ("eatmydata", plain),
    ("torsocks", plain),
    ("proxychains", plain),
    ("proxychains4", plain),
    ("gosu", plain),
    ("su-exec", plain),
    ("tini", plain),
    ("dumb-init", plain),
    ("exec", plain),
    ("command", plain),
    ("builtin", plain),
    ("noglob", plain),
    ("nocorrect", plain),
];

/// Wrappers that only prefix a command: options, and the number of operands before the command.
const PLAIN: &[(&str, &str, usize)] = &[
    ("time", "a,append f,format= o,output= p,portability v,verbose q,quiet", 0),
    ("nohup", "", 0),
    ("nice", "n,adjustment= 0 1 2 3 4 5 6 7 8 9", 0),
    ("timeout", "f,foreground k,kill-after= p,preserve-status s,signal= v,verbose", 1),
    ("gtimeout", "f,foreground k,kill-after= p,preserve-status s,signal= v,verbose", 1),
    ("stdbuf", "i,input= o,output= e,error=", 0),
    ("setsid", "c,ctty f,fork w,wait", 0),
    ("ionice", "c,class= n,classdata= p,pid= P,pgid= t,ignore u,uid=", 0),
    (
        "chrt",
        "b,batch d,deadline f,fifo i,idle o,other r,rr R,reset-on-fork T,sched-runtime= P,sched-period= D,sched-deadline= a,all-tasks m,max p,pid v,verbose",
        1,
    ),
    ("taskset", "a,all-tasks p,pid c,cpu-list", 1),
    (
        "unshare",
        "i,ipc? m,mount? n,net? p,pid? u,uts? U,user? C,cgroup? T,time? f,fork map-user= map-group= map-auto map-users= map-groups= monotonic= boottime= r,map-root-user c,map-current-user kill-child? mount-proc? propagation= setgroups= R,root= w,wd= S,setuid= G,setgid= keep-caps",
        0,
    ),
    (
        "nsenter",
        "a,all t,target= m,mount? u,uts? i,ipc? n,net? p,pid? C,cgroup? U,user? T,time? S,setuid= G,setgid= preserve-credentials r,root? w,wd? W,wdns= F,no-fork Z,follow-context",
        0,
    ),
    (
        "prlimit",
        "p,pid= o,output= noheadings raw verbose c,core? d,data? e,nice? f,fsize? i,sigpending? l,memlock? m,rss? n,nofile? q,msgqueue? r,rtprio? s,stack? t,cpu? u,nproc? v,as? x,locks? y,rttime?",
        0,
    ),
    (
        "setarch",
        "B,32bit F,fdpic-funcptrs I,short-inode L,addr-compat-layout R,addr-no-randomize S,whole-seconds T,sticky-timeouts X,read-implies-exec Z,mmap-page-zero 3,3gb uname-2.6 v,verbose",
        1,
    ),
    ("linux32", "B R 3 v", 0),
    ("linux64", "B R 3 v", 0),
    (
        "setpriv",
        "d,dump nnp,no-new-privs ambient-caps= inh-caps= bounding-set= ruid= euid= reuid= rgid= egid= regid= clear-groups keep-groups init-groups groups= securebits= pdeathsig= selinux-label= apparmor-profile= reset-env",
        0,
    ),
    ("capsh", "drop= caps= user= uid= gid= groups= chroot= print", 0),
    ("catchsegv", "", 0),
    ("strace", "a= b= c C D d e= E= f F h i I= k n o= O= p= P= q r s= S= t T u= U= v V w x X= y z Z", 0),
    ("ltrace", "a= A= b c C d D= e= f F= g= h i l= L n= o= p= r s= S t T u= V w= x=", 0),
    (
        "valgrind",
        "q,quiet v,verbose tool= leak-check= log-file= xml= xml-file= error-exitcode= suppressions= track-origins= show-leak-kinds= num-callers= callgrind-out-file= trace-children=",
        0,
    ),
    ("perf", "e,event= a o,output= g F,freq= c,count= p,pid= r,repeat= d,detailed x= call-graph=", 1),
    (
        "systemd-run",
        "user system scope unit= u= p,property= description= slice= slice-inherit r,remain-after-exit send-sighup service-type= uid= gid= nice= working-directory= d,same-dir E,setenv= t,pty P,pipe q,quiet G,collect S,shell on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= socket-property= no-block wait no-ask-password H,host= M,machine=",
        0,
    ),
    ("systemd-inhibit", "what= who= why= mode= list no-pager no-legend", 0),
    ("dbus-run-session", "config-file= dbus-daemon=", 0),
    (
        "dbus-launch",
        "sh-syntax csh-syntax auto-syntax exit-with-session exit-with-x11 config-file= autolaunch= close-stderr",
        0,
    ),
    (
        "xvfb-run",
        "a,auto-servernum e,error-file= f,auth-file= l,listen-tcp n,server-num= p,xauth-protocol= s,server-args= w,wait= d",
        0,
    ),
    ("fakeroot", "l,lib= f,faked= s= i= u,unknown-is-real b=", 0),
    (
        "proot",
        "r,rootfs= b,bind= m,mount= q,qemu= w,pwd= cwd= k,kernel-release= 0,root-id i,change-id= S= R= kill-on-exit",
        0,
    ),
    ("firejail", "quiet noprofile private? net= whitelist= blacklist= read-only= profile= name=", 0),
    ("bwrap", "", 0),
    ("caffeinate", "d i m s u t= w=", 0),
    (
        "rlwrap",
        "a? A? b= c C= d= D= e= f= g= h H= i I l= m? M= n N o O= p? P= q= r R s= S= t= T U v w= W? X z=",
        0,
    ),
    ("unbuffer", "p", 0),
    ("entr", "a c d n p r s z", 0),
    ("chpst", "v P 0 1 2 u= U= b= /= C= e= n= l= L= m= d= o= p= f= c=", 0),
    ("softlimit", "a= c= d= f= l= m= o= p= r= s= t=", 0),
    ("cgexec", "g= sticky", 0),
    (
        "numactl",
        "a,all i,interleave= p,preferred= w= m,membind= N,cpunodebind= C,physcpubind= l,localalloc b,balancing",
        0,
    ),
    ("eatmydata", "", 0),
    ("torsocks", "i,isolate u,user= p,pass= a,address= P,port= d,debug q,quiet shell on off", 0),
    ("proxychains", "q f=", 0),
    ("proxychains4", "q f=", 0),
    ("gosu", "", 1),
    ("su-exec", "", 1),
    ("tini", "s p= v w g e= l", 0),
    ("dumb-init", "c,single-child r,rewrite= v,verbose", 0),
    ("exec", "c l a=", 0),
    ("command", "p v V", 0),
    ("builtin", "", 0),
    ("noglob", "", 0),
    ("nocorrect", "", 0),
    ("screen", "a A c= d D e= f fa fn h= i l L m O p= q Q r R s= S= t= T= U v wipe x X", 0),
];

/// The dynamic loader runs the program it is given.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    (program.starts_with("ld-linux") || program.starts_with("ld-musl") || program == "ld.so")
        .then_some(loader as Handler)
}

fn plain(run: &mut Run) -> Outcome {
    let Some((_, spec, before)) = PLAIN.iter().find(|(name, _, _)| *name == run.program) else {
        return run.derived();
    };
    let options = read(run.args, spec, Order::First);
    if matches!(run.program, "command") && (options.has("v") || options.has("V")) {
        return run.derived();
    }
    if run.program == "screen" && options.has("X") {
        return keys(run, &options.operands);
    }
    if run.program == "systemd-run" || (run.program == "screen" && options.has("d")) {
        run.push(EffectKind::Persist { place: format!("a process started by {}", run.program) });
    }
    reports(run, &options);
    let command: Vec<Word> = options.operands.iter().skip(*before).cloned().collect();
    inner_or_nothing(run, &command, options.unsure)
}

/// Options by which wrappers write what they saw into a file.
const REPORTS: &[(&str, &[&str])] = &[
    ("time", &["o"]),
    ("strace", &["o"]),
    ("ltrace", &["o"]),
    ("perf", &["o"]),
    ("valgrind", &["log-file", "xml-file", "callgrind-out-file"]),
    ("xvfb-run", &["e"]),
];

/// `strace -o '|command'` runs it.
fn reports(run: &mut Run, options: &Options) {
    let Some((_, names)) = REPORTS.iter().find(|(name, _)| *name == run.program) else { return };
    for file in names.iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        if run.program == "strace" && file.text.prefix().starts_with(['|', '!']) {
            interpreters::code(run, &file.from(1).value(), file.span);
        } else {
            run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
        }
    }
}

/// `screen -X stuff 'text'` types into another terminal, `exec` runs there.
fn keys(run: &mut Run, words: &[Word]) -> Outcome {
    match words.split_first() {
        Some((verb, rest)) if verb.is("stuff") || verb.is("exec") || verb.is("screen") => {
            interpreters::joined(run, rest)
        }
        _ => run.derived(),
    }
}

fn inner_or_nothing(run: &mut Run, command: &[Word], unsure: bool) -> Outcome {
    if command.is_empty() {
        return run.derived();
    }
    if unsure && command.first().is_some_and(|word| word.splits) {
        run.analyst.opaque(format!("what `{}` runs is only known when it runs", run.program), run.call.span);
    }
    run.inner(command)
}

fn env(run: &mut Run) -> Outcome {
    let spec = "i,ignore-environment 0,null u,unset= C,chdir= S,split-string= block-signal? default-signal? \
        ignore-signal? list-signal-handling v,debug a,argv0=";
    let args: Vec<Word> = run.args.iter().filter(|word| !word.is("-")).cloned().collect();
    let options = read(&args, spec, Order::First);
    let mut command = options.operands.clone();
    let mut given: Vec<(String, Value)> = Vec::new();
    while command.first().is_some_and(is_assignment) {
        let word = command.remove(0);
        let (name, value) =
            (word.text.prefix().split('=').next().unwrap_or_default(), word.after('=').value());
        system::variable(run.analyst, name, &value, run.call, run.shell);
        given.push((name.to_owned(), value));
    }
    let Run { analyst, shell, call, path, program, args } = run;
    // The variables hold for the command and nothing after it.
    shell.isolated(|shell| {
        given.into_iter().for_each(|(name, value)| shell.set_variable(&name, value, true));
        env_command(&mut Run { analyst, shell, call, path, program, args }, &options, command)
    })
}

fn env_command(run: &mut Run, options: &Options, command: Vec<Word>) -> Outcome {
    if let Some(folder) = options.value("C") {
        return inside(run, &folder.value(), &command);
    }
    if let Some(text) = options.value("S").cloned() {
        let mut words = vec![text];
        words.extend(command);
        return interpreters::joined(run, &words);
    }
    if command.is_empty() {
        run.push(EffectKind::EnvRead { names: Vec::new() });
        return Outcome::unknown(crate::analyst::taint::ENVIRONMENT);
    }
    run.inner(&command)
}

fn is_assignment(word: &Word) -> bool {
    let prefix = word.text.prefix();
    prefix.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Runs a command in another directory.
fn inside(run: &mut Run, folder: &Value, command: &[Word]) -> Outcome {
    let before = run.shell.cwd().clone();
    run.shell.set_cwd(folder);
    let outcome = run.inner(command);
    run.shell.set_cwd(&before);
    outcome
}

fn sudo(run: &mut Run) -> Outcome {
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
    while command.first().is_some_and(is_assignment) {
        let word = command.remove(0);
        let prefix = word.text.prefix().to_owned();
        let name = prefix.split('=').next().unwrap_or_default();
        system::variable(run.analyst, name, &word.after('=').value(), run.call, run.shell);
    }
    if options.has("e") {
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

fn su(run: &mut Run) -> Outcome {
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
    interpreters::stdin_code(run)
}

fn flock(run: &mut Run) -> Outcome {
    let spec = "c,command= F,no-fork s,shared x,e,exclusive u,unlock n,nb,nonblock w,wait,timeout= E,conflict-exit-code= o,close verbose";
    let options = read(run.args, spec, Order::First);
    let rest: Vec<Word> = options.operands.iter().skip(1).cloned().collect();
    if let [flag, text, ..] = rest.as_slice()
        && (flag.is("-c") || flag.is("--command"))
    {
        let (text, span) = (text.value(), text.span);
        return interpreters::code(run, &text, span);
    }
    inner_or_nothing(run, &rest, false)
}

fn script(run: &mut Run) -> Outcome {
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
        // BSD: script [-aq] file command …
        None => inner_or_nothing(run, &options.operands.iter().skip(1).cloned().collect::<Vec<_>>(), false),
    }
}

fn watch(run: &mut Run) -> Outcome {
    let spec = "b,beep c,color C,no-color d,differences? e,errexit g,chgexit q,equexit= n,interval= p,precise r,no-rerun t,no-title w,no-wrap x,exec";
    let options = read(run.args, spec, Order::First);
    if options.has("x") { run.inner(&options.operands) } else { interpreters::joined(run, &options.operands) }
}

fn hyperfine(run: &mut Run) -> Outcome {
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

fn multicall(run: &mut Run) -> Outcome {
    let command: Vec<Word> =
        run.args.iter().skip_while(|word| word.shown().starts_with('-')).cloned().collect();
    inner_or_nothing(run, &command, false)
}

fn loader(run: &mut Run) -> Outcome {
    let spec = "list verify inhibit-cache library-path= inhibit-rpath= audit= preload= argv0=";
    let options = read(run.args, spec, Order::First);
    inner_or_nothing(run, &options.operands.clone(), false)
}

fn chroot(run: &mut Run) -> Outcome {
    let options = read(run.args, "groups= userspec= skip-chdir", Order::First);
    let command: Vec<Word> = options.operands.iter().skip(1).cloned().collect();
    let Some(root) = options.operands.first().map(Word::value) else { return run.derived() };
    if command.is_empty() {
        return interpreters::stdin_code(run);
    }
    inside(run, &root, &command)
}

fn nix_shell(run: &mut Run) -> Outcome {
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

fn tmux(run: &mut Run) -> Outcome {
    let spec = "2 C D l N u v V c= f= L= S= T=";
    let options = read(run.args, spec, Order::First);
    let Some((verb, rest)) = options.operands.split_first() else { return run.derived() };
    let verb = verb.shown();
    let spec = "A d D E P X a= b h v f Z c= e= F= n= s= t= x= y= k S p= l= R";
    let inner = read(rest, spec, Order::First);
    let starts = ["new", "neww", "split", "respawn", "run", "popup", "display-popup", "if", "pipe"];
    if starts.iter().any(|start| verb.starts_with(start)) && !inner.operands.is_empty() {
        return interpreters::joined(run, &inner.operands);
    }
    if verb.starts_with("send") && !inner.operands.is_empty() {
        let keys: Vec<Word> = inner
            .operands
            .iter()
            .filter(|word| !matches!(word.shown().as_str(), "Enter" | "C-m" | "KPEnter"))
            .cloned()
            .collect();
        return interpreters::joined(run, &keys);
    }
    run.derived()
}

fn delayed(run: &mut Run) -> Outcome {
    let spec = "f= q= t= m M v l b V c= d= r=";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("l") || options.has("V") || options.has("c") {
        return run.derived();
    }
    run.push(EffectKind::Persist { place: format!("a job of {}", run.program) });
    if let Some(file) = options.value("f").cloned() {
        return interpreters::file(run, &file, &[]);
    }
    interpreters::stdin_code(run);
    Outcome::silent(Status::Either)
}
