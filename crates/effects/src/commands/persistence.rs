//! Programs that make something stay, or take a protection away: timers, services, rights, checks.

pub(super) mod desktop;
pub(super) mod guards;

use tollgate_model::{Certainty, EffectKind, EnvUse, Lasting, ProcessAction, Protection, Tampered};
use tollgate_shell::eval::{Call, Outcome, Status};
use tollgate_shell::value::Value;

use super::{Run, interpreters};
use crate::analyst::{Analyst, taint};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) use desktop::fish;

fn persist(run: &mut Run, kind: Lasting, what: impl Into<String>) -> Outcome {
    run.push(EffectKind::Persist { kind, what: what.into() });
    Outcome::silent(Status::Either)
}

fn weaken(run: &mut Run, what: &str) -> Outcome {
    run.push(EffectKind::Weaken { protection: Protection::Machine, how: what.to_owned() });
    Outcome::silent(Status::Either)
}

pub(super) fn activation(run: &mut Run) -> Outcome {
    super::variables::lasting(run, run.args)
}

pub(super) fn crontab(run: &mut Run) -> Outcome {
    let options = read(run.args, "l e r i u= s V n= c T= h,help", Order::Anywhere);
    if options.has("h") || options.has("l") || options.has("V") || options.has("T") {
        return run.derived();
    }
    let text = match options.operands.first() {
        Some(file) if !file.is("-") => run.analyst.script(file, run.shell),
        _ => run.stdin().cloned(),
    };
    if let Some(text) = text.as_ref().and_then(Value::as_literal) {
        for command in text.lines().filter_map(cron_command).take(64) {
            interpreters::code(run, &Value::text(command), run.call.span);
        }
    }
    let does = if options.has("r") { "cron (deletes all of them)" } else { "cron" };
    persist(run, Lasting::Job, does)
}

/// The command of a line of a crontab: after five fields of time, or after `@daily`.
fn cron_command(line: &str) -> Option<&str> {
    let mut rest = line.trim();
    if rest.is_empty() || rest.starts_with('#') {
        return None;
    }
    let fields = if rest.starts_with('@') { 1 } else { 5 };
    for _ in 0..fields {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    Some(rest)
}

/// Services that guard a machine.
const GUARDS: &[&str] = &[
    "auditd",
    "apparmor",
    "firewalld",
    "ufw",
    "fail2ban",
    "iptables",
    "nftables",
    "selinux",
    "clamav",
    "falcon-sensor",
    "crowdsec",
    "osqueryd",
    "rsyslog",
    "systemd-journald",
    "sshguard",
    "wazuh-agent",
    "mdatp",
];

fn is_guard(unit: &str) -> bool {
    let name = unit.split(['.', '@']).next().unwrap_or_default();
    GUARDS.contains(&name)
}

pub(super) fn systemctl(run: &mut Run) -> Outcome {
    let spec = "user system global now q,quiet no-pager no-block no-ask-password f,force l,full t,type= state= p,property= \
        H,host= M,machine= n,lines= o,output= a,all r,recursive runtime s,signal= kill-whom= root= preset-mode= plain \
        no-legend no-reload failed value wait no-wall h,help version P= T,show-transaction boot-loader-entry= boot-loader-menu= \
        check-inhibitors= dry-run firmware-setup i image= job-mode= legend= marked mkdir read-only reverse show-types \
        timestamp= what= with-dependencies before after no-warn drop-in= stdin cleanup= when=";
    let options = read(run.args, spec, Order::Anywhere);
    let Some((verb, units)) = options.operands.split_first() else { return run.derived() };
    let units: Vec<String> = units.iter().map(Word::shown).collect();
    let named = |test: fn(&str) -> bool| units.iter().any(|unit| test(unit));
    match verb.shown().as_str() {
        "enable" | "reenable" | "link" | "preset" | "edit" | "set-default" | "add-wants" | "add-requires" => {
            persist(run, Lasting::Job, format!("systemd: {}", units.join(" ")))
        }
        "poweroff" | "reboot" | "halt" | "kexec" | "rescue" | "emergency" | "soft-reboot" => {
            run.push(EffectKind::Process { action: ProcessAction::Power, target: "the machine".into() });
            Outcome::silent(Status::Either)
        }
        "stop" | "disable" | "mask" | "kill" | "freeze" if named(|unit| unit.contains("tollgate")) => {
            run.push(EffectKind::Tamper { target: Tampered::Gate, what: "Tollgate's process".into() });
            Outcome::silent(Status::Either)
        }
        "set-environment" => super::variables::lasting(run, &options.operands),
        // A pattern that fits every unit: all that runs for the user, or the machine.
        "stop" | "kill" | "freeze"
            if named(|unit| matches!(unit, "*" | "*.service" | "*.scope" | "*.slice")) =>
        {
            run.push(EffectKind::Process { action: ProcessAction::signal("KILL"), target: "-1".into() });
            Outcome::silent(Status::Either)
        }
        "stop" | "disable" | "mask" | "kill" if named(is_guard) => {
            weaken(run, &format!("stops {}, a security service", units.join(" ")))
        }
        _ => run.derived(),
    }
}

pub(super) fn service(run: &mut Run) -> Outcome {
    match run.args {
        [unit, verb, ..] if verb.is("stop") && is_guard(&unit.shown()) => {
            weaken(run, &format!("stops {}, a security service", unit.shown()))
        }
        _ => run.derived(),
    }
}

pub(super) fn launchctl(run: &mut Run) -> Outcome {
    let Some((verb, rest)) = run.args.split_first() else { return run.derived() };
    let what =
        rest.iter().map(Word::shown).filter(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ");
    match verb.shown().as_str() {
        "load" | "bootstrap" | "submit" | "enable" | "kickstart" => {
            persist(run, Lasting::Job, format!("launchd: {what}"))
        }
        "bootout" | "unload" | "remove" | "stop" | "kill" | "disable" if what.contains("tollgate") => {
            run.push(EffectKind::Tamper { target: Tampered::Gate, what: "Tollgate's process".into() });
            Outcome::silent(Status::Either)
        }
        "setenv" | "config" => persist(run, Lasting::Job, format!("launchd: {} {what}", verb.shown())),
        // `asuser uid command …`, `bsexec pid command …`.
        "asuser" | "bsexec" => run.inner(rest.get(1..).unwrap_or_default()),
        _ => run.derived(),
    }
}

pub(super) fn rc(run: &mut Run) -> Outcome {
    let on = |word: &Word| matches!(word.shown().as_str(), "defaults" | "enable" | "on" | "--add");
    let adds = match run.program {
        "rc-update" => run.args.first().is_some_and(|verb| verb.is("add") || verb.is("-a")),
        "insserv" => run.args.iter().any(|word| !word.text.prefix().starts_with('-')),
        _ => run.args.iter().any(on),
    };
    if adds { persist(run, Lasting::Job, "init") } else { run.derived() }
}

pub(super) fn windows_task(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| matches!(word.shown().to_ascii_lowercase().as_str(), "/create" | "/change"))
    {
        return persist(run, Lasting::Job, "the task scheduler");
    }
    run.derived()
}

/// Keys of the registry that say what runs at every start.
pub(super) fn registry_key(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(|word| word.shown().to_ascii_lowercase()).collect();
    let adds = matches!(words.first().map(String::as_str), Some("add" | "import" | "copy" | "restore"));
    let starts = [
        "\\run",
        "\\runonce",
        "\\winlogon",
        "\\services\\",
        "\\image file execution options\\",
        "\\command processor",
    ];
    let named =
        |word: &&String| starts.iter().any(|key| word.ends_with(key) || word.contains(&format!("{key}\\")));
    match words.iter().find(named) {
        Some(key) if adds => persist(run, Lasting::Job, format!("the registry (`{key}`)")),
        _ => run.derived(),
    }
}

pub(super) fn login_shell(run: &mut Run) -> Outcome {
    let options = read(run.args, "s,shell= l,list-shells R= h v", Order::Anywhere);
    let shell = options.value("s").map(Word::shown).unwrap_or_default();
    let known = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];
    if shell.is_empty() || known.iter().any(|folder| shell.starts_with(folder)) {
        return run.derived();
    }
    persist(run, Lasting::StartupFile, format!("`{shell}`, as the login shell"))
}

/// A user whose services go on after the last session.
pub(super) fn loginctl(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("enable-linger")) {
        return persist(run, Lasting::Job, "systemd, without a session");
    }
    run.derived()
}

/// Hooks of the login window, and programs that start with a session.
pub(super) fn defaults(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(Word::shown).collect();
    let starts = |word: &String| {
        matches!(word.as_str(), "LoginHook" | "LogoutHook" | "AutoLaunchedApplicationDictionary")
    };
    if words.first().is_some_and(|verb| verb == "write") && words.iter().any(starts) {
        return persist(run, Lasting::Job, "the login window");
    }
    run.derived()
}

pub(super) fn login_item(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.shown().contains("add-item")) {
        return persist(run, Lasting::Job, "the login items");
    }
    run.derived()
}

/// Puts a key where it opens a door: on this machine or on another.
pub(super) fn copy_key(run: &mut Run) -> Outcome {
    let options = read(run.args, "f n s x i= p= o= F= t= h", Order::Anywhere);
    if options.has("n") || options.operands.is_empty() {
        return run.derived();
    }
    let site = options.operands.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
    persist(run, Lasting::AccessFile, format!("`authorized_keys` of {site}"))
}

pub(super) fn process_manager(run: &mut Run) -> Outcome {
    let spec = "n,name= i,instances= w,watch ignore-watch= x,execute-command max-memory-restart= l,log= o,output= e,error= \
        time interpreter,exec-interpreter= interpreter-args,node-args= cron,cron-restart= no-autorestart no-daemon f,force \
        c u,user= uid= gid= namespace= env= cwd= a,update-env p,pid= log-date-format= merge-logs attach only= s,silent m,mini-list";
    let (before, after) = split(run.args);
    let options = read(before, spec, Order::Anywhere);
    let Some((verb, rest)) = options.operands.split_first() else { return run.derived() };
    match (verb.shown().as_str(), rest.first().cloned()) {
        ("env", Some(_)) => {
            run.push(EffectKind::EnvRead { what: EnvUse::All });
            Outcome::unknown(taint::ENVIRONMENT)
        }
        ("startup", _) => persist(run, Lasting::Job, "pm2, at every start of the machine"),
        // A whole command line, or a program with the words behind `--`.
        ("start", Some(line)) if line.shown().contains(' ') => {
            interpreters::code(run, &line.value(), line.span)
        }
        ("start", Some(program)) => {
            let mut words: Vec<Word> =
                options.value("interpreter").filter(|with| !with.is("none")).cloned().into_iter().collect();
            words.push(program);
            words.extend(after.iter().cloned());
            run.inner(&words)
        }
        _ => run.derived(),
    }
}

/// The words before and after `--`.
fn split(words: &[Word]) -> (&[Word], &[Word]) {
    let at = words.iter().position(|word| word.is("--")).unwrap_or(words.len());
    (words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default())
}

/// An extension from a file is code that runs whenever the editor does; one by name comes from its market.
pub(super) fn editor(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "install-extension= uninstall-extension= user-data-dir= extensions-dir= g,goto= d,diff m,merge",
        Order::Anywhere,
    );
    let from_file = |word: &&Word| word.shown().ends_with(".vsix") || word.shown().contains('/');
    if let Some(file) = options.values("install-extension").find(from_file).map(Word::shown) {
        return persist(run, Lasting::StartupFile, format!("`{file}`"));
    }
    run.derived()
}

pub(super) fn visudo(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.shown().starts_with("-c") || word.is("--check")) {
        return run.derived();
    }
    persist(run, Lasting::AccessFile, "`/etc/sudoers`")
}

/// Groups whose members may become root.
fn is_root_group(names: &str) -> bool {
    let groups = ["sudo", "wheel", "admin", "root", "docker", "lxd", "libvirt", "disk", "shadow"];
    names.split([',', ' ']).any(|name| groups.contains(&name))
}

pub(super) fn usermod(run: &mut Run) -> Outcome {
    let spec = "a,append b,badname c,comment= d,home= e,expiredate= f,inactive= g,gid= G,groups= h,help l,login= L,lock \
        m,move-home o,non-unique p,password= P,prefix= r,remove R,root= s,shell= u,uid= U,unlock v,add-subuids= \
        V,del-subuids= w,add-subgids= W,del-subgids= Z,selinux-user=";
    let options = read(run.args, spec, Order::Anywhere);
    let groups = ["G", "g"].iter().flat_map(|name| options.values(name)).map(Word::shown);
    match groups
        .into_iter()
        .find(|groups| is_root_group(groups))
        .filter(|groups| is_root_group(groups) && !options.has("r"))
    {
        Some(groups) => weaken(run, &format!("puts a user into {groups}, whose members may become root")),
        None => run.derived(),
    }
}

pub(super) fn adduser(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "system ingroup= home= shell= gecos= uid= gid= group D disabled-password G= S H s= h= g= u= q,quiet comment=",
        Order::Anywhere,
    );
    match options.operands.as_slice() {
        [_, group] if is_root_group(&group.shown()) => {
            weaken(run, &format!("puts a user into {}, whose members may become root", group.shown()))
        }
        _ => run.derived(),
    }
}

/// A second root, or a new member of a group that may become root.
pub(super) fn useradd(run: &mut Run) -> Outcome {
    let spec = "b,base-dir= c,comment= d,home-dir= D,defaults e,expiredate= f,inactive= F,add-subids-for-system g,gid= G,groups= \
        h,help k,skel= K,key= l,no-log-init m,create-home M,no-create-home N,no-user-group o,non-unique p,password= r,system \
        R,root= P,prefix= s,shell= u,uid= U,user-group Z,selinux-user= selinux-range= badname btrfs-subvolume-home";
    let options = read(run.args, spec, Order::Anywhere);
    if options.value("u").is_some_and(|uid| uid.is("0")) {
        return weaken(run, "makes a second root");
    }
    let groups = ["G", "g"].iter().flat_map(|name| options.values(name)).map(Word::shown);
    match groups.into_iter().find(|groups| is_root_group(groups)) {
        Some(groups) => weaken(run, &format!("makes a user in {groups}, whose members may become root")),
        None => run.derived(),
    }
}

pub(super) fn gpasswd(run: &mut Run) -> Outcome {
    let options = read(run.args, "a,add= d,delete= A= M= r R Q=", Order::Anywhere);
    let group = options.operands.first().map(Word::shown).unwrap_or_default();
    if options.has("a") && is_root_group(&group) {
        return weaken(run, &format!("puts a user into {group}, whose members may become root"));
    }
    run.derived()
}

pub(super) fn setenforce(run: &mut Run) -> Outcome {
    match run.args.first().map(Word::shown).as_deref() {
        Some("0" | "Permissive" | "permissive") => weaken(run, "turns SELinux off"),
        _ => run.derived(),
    }
}

pub(super) fn setcap(run: &mut Run) -> Outcome {
    let caps = run.args.iter().map(Word::shown).find(|word| !word.starts_with('-') && is_root_again(word));
    match caps {
        Some(caps) => weaken(run, &format!("gives a program rights of root ({caps})")),
        None => run.derived(),
    }
}

/// Do capabilities, as `setcap` takes them (`cap_a,cap_b+ep cap_c=i`), come to the rights of root? A clause without names
/// stands for all.
fn is_root_again(caps: &str) -> bool {
    let grave = [
        "all",
        "cap_sys_admin",
        "cap_setuid",
        "cap_setgid",
        "cap_setfcap",
        "cap_sys_ptrace",
        "cap_sys_module",
    ];
    caps.split_whitespace().any(|clause| {
        let Some(at) = clause.find(['=', '+']) else { return false };
        let (names, how) = clause.split_at(at);
        let named = |name: &str| grave.contains(&name) || name.starts_with("cap_dac") || name.is_empty();
        how.contains(['e', 'p']) && names.to_ascii_lowercase().split(',').any(named)
    })
}

/// Variables that turn checks of certificates off.
pub(super) fn variable(analyst: &mut Analyst, name: &str, value: &Value, call: &Call) {
    let Some(text) = value.as_literal() else { return };
    // Of Git itself it is told by its own name.
    let told = name == "GIT_SSL_NO_VERIFY" && call.name() == Some("git");
    if is_unchecked(name, text) && !told {
        let how = format!("sets {name}, so that programs connect without certificate checks");
        analyst.push(
            EffectKind::Weaken { protection: Protection::Certificates, how },
            call.span,
            Certainty::Certain,
        );
    }
}

/// Does a variable with this value turn checks of certificates off?
pub(crate) fn is_unchecked(name: &str, text: &str) -> bool {
    match name {
        "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => text == "0",
        "GIT_SSL_NO_VERIFY" => !matches!(text, "" | "0" | "false"),
        "NPM_CONFIG_STRICT_SSL" | "npm_config_strict_ssl" => text == "false",
        // An empty list of authorities is none, and then nothing is checked.
        "CURL_CA_BUNDLE" | "REQUESTS_CA_BUNDLE" => text.is_empty(),
        "GOINSECURE" | "GONOSUMDB" | "GONOSUMCHECK" | "GONOPROXY" => {
            text.split(',').any(|pattern| matches!(pattern, "*" | "*/*"))
        }
        "GOFLAGS" => text.split_whitespace().any(|flag| flag == "-insecure"),
        "PIP_TRUSTED_HOST" | "UV_INSECURE_HOST" => !text.is_empty() && !near(text),
        _ => false,
    }
}

/// Hosts of this machine and of the development network.
fn near(hosts: &str) -> bool {
    hosts.split([' ', ',']).filter(|host| !host.is_empty()).all(|host| {
        let host = host.split(':').next().unwrap_or_default();
        crate::url::is_this_machine(host)
            || !host.contains('.')
            || host.ends_with(".local")
            || host.ends_with(".internal")
    })
}
