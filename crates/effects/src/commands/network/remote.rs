//! Other machines: `ssh` and what copies over it. A command that runs there is read like any other, but its
//! paths are not of this machine: only what would destroy that machine is told.

use tollgate_model::{Carried, EffectKind, InfraTool, Protection, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Text, Value};

use super::super::files::over;
use super::super::{Run, archives, find, interpreters, loads};
use super::address::{connect, host_of, send};
use super::cargo::{Cargo, is_secret_name, variables};
use super::forwards::is_shared;
use super::remote_name;
use super::there::there;
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::url;
use crate::word::Word;

const SSH: &str = "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= P= p= Q= R= S= W= w=";

pub(in crate::commands) fn ssh(run: &mut Run) -> Outcome {
    let args: Vec<Word> = match run.program {
        // Its own option, which ssh reads otherwise: the port it watches.
        "autossh" => run.args.iter().filter(|word| !word.text.prefix().starts_with("-M")).cloned().collect(),
        _ => run.args.to_vec(),
    };
    let before = read(&args, SSH, Order::First);
    settings(run, &before);
    let Some((site, rest)) = before.operands.split_first() else { return run.derived() };
    // Options may also stand behind the host.
    let after = read(rest, SSH, Order::First);
    settings(run, &after);
    if let Some(log) = before.value("E").or(after.value("E")).cloned() {
        run.analyst.write(&log, WriteMode::Append, None, run.shell);
    }
    let mut cargo = Cargo::default();
    handed(&before, &mut cargo);
    handed(&after, &mut cargo);
    let forwards = |options: &Options| {
        options.has("R")
            || options.has("w")
            || options.values("o").any(|setting| {
                let text = setting.text.prefix().to_ascii_lowercase();
                text.starts_with("remoteforward") || text.starts_with("tunnel=yes")
            })
    };
    if forwards(&before) || forwards(&after) || file_forwards(run, &before) || file_forwards(run, &after) {
        cargo.add(Carried::Tunnel("`ssh -R`".to_owned()));
    }
    if is_shared(&before) || is_shared(&after) {
        cargo.add(Carried::Tunnel("`ssh`, which forwards connections of others".to_owned()));
    }
    let command: Option<Value> = after
        .operands
        .iter()
        .map(Word::value)
        .reduce(|left, right| left.concat(&Value::text(" ")).concat(&right));
    let quiet = before.has("n") || before.has("N") || after.has("n") || after.has("N");
    if !quiet {
        cargo.stdin(run);
    }
    let host = host_of(site);
    connect(run, site, &cargo, false);
    match command.or_else(|| run.stdin().cloned().filter(|_| !quiet)) {
        Some(text) if url::is_this_machine(&host) => {
            interpreters::code(run, &text, run.call.span);
        }
        Some(text) => there(run, &text, &host),
        None => {}
    }
    Outcome::unknown(taint::NET)
}

/// Settings that name a program to run here.
pub(super) fn settings(run: &mut Run, options: &Options) {
    for setting in options.values("o").cloned().collect::<Vec<_>>() {
        let prefix = setting.text.prefix();
        let Some(at) = prefix.find(['=', ' ', '\t']) else { continue };
        let name = prefix.get(..at).unwrap_or_default().to_owned();
        let blanks =
            prefix.get(at..).map_or(0, |rest| rest.len() - rest.trim_start_matches(['=', ' ', '\t']).len());
        let value = setting.from(at + blanks);
        setting_code(run, &name, &value);
    }
    for file in options.values("F").filter(|file| !file.is("none")).cloned().collect::<Vec<_>>() {
        let text = run.analyst.script(&file, run.shell);
        run.read(&file, false);
        let Some(text) = text.as_ref().and_then(Value::as_literal) else { continue };
        for line in text.lines().map(str::trim) {
            if let Some((name, value)) = line.split_once(['=', ' ', '\t']) {
                setting_code(
                    run,
                    name,
                    &Word::literal_at(value.trim_start_matches(['=', ' ', '\t']), file.span),
                );
            }
        }
    }
}

/// Does a file of settings that the call names open a way back?
fn file_forwards(run: &mut Run, options: &Options) -> bool {
    let files: Vec<Word> = options.values("F").cloned().collect();
    files.iter().any(|file| {
        let text = run.analyst.script(file, run.shell);
        let opens = |line: &str| {
            let line = line.trim().to_ascii_lowercase();
            line.starts_with("remoteforward")
                || line.starts_with("tunnel yes")
                || line.starts_with("tunnel=yes")
        };
        text.as_ref().and_then(Value::as_literal).is_some_and(|text| text.lines().any(opens))
    })
}

fn setting_code(run: &mut Run, name: &str, value: &Word) {
    match name.trim().to_ascii_lowercase().as_str() {
        "proxycommand" | "localcommand" | "knownhostscommand" if !value.is("none") => {
            interpreters::code(run, &value.value(), value.span);
            loads::unread(run, name, &value.value());
        }
        "xauthlocation" => loads::unread(run, name, &value.value()),
        "pkcs11provider" | "securitykeyprovider" if value.shown().contains('/') => loads::load(run, value),
        "userknownhostsfile" | "controlpath" => {
            run.analyst.write(value, WriteMode::Append, None, run.shell);
        }
        "remotecommand" => there(run, &value.value(), ""),
        "stricthostkeychecking" if value.is("no") || value.is("off") => unknown_host(run),
        _ => {}
    }
}

/// Whoever throws a host's key away and takes whatever answers next talks to anybody. A machine nearby is made anew
/// every day.
fn unknown_host(run: &mut Run) {
    let forgotten = run.analyst.since(0).iter().find_map(|effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } if program == "ssh-keygen" => {
            argv.windows(2).find_map(|pair| match pair {
                [flag, host] if flag == "-R" => Some(host.clone()),
                _ => None,
            })
        }
        _ => None,
    });
    let Some(host) = forgotten.filter(|host| !is_nearby(host)) else { return };
    let how = format!("removes the known key of `{host}`, so that any key is accepted");
    run.push(EffectKind::Weaken { protection: Protection::Machine, how });
}

/// An address of this machine or of a private network, or a name without a domain.
fn is_nearby(host: &str) -> bool {
    let host = host.trim_start_matches('[').split([']', ':']).next().unwrap_or_default();
    match host.parse::<core::net::Ipv4Addr>() {
        Ok(address) => address.is_private() || address.is_loopback() || address.is_link_local(),
        Err(_) => !host.contains('.') || host.ends_with(".local") || url::is_this_machine(host),
    }
}

/// Variables that `SendEnv` and `SetEnv` hand to the other machine.
fn handed(options: &Options, cargo: &mut Cargo) {
    for setting in options.values("o") {
        let shown = setting.shown();
        let Some((name, value)) = shown.split_once(['=', ' ', '\t']) else { continue };
        let secret = match name.trim().to_ascii_lowercase().as_str() {
            "sendenv" => value.split_whitespace().any(is_secret_name),
            "setenv" => variables(&setting.text).any(is_secret_name),
            _ => false,
        };
        if secret {
            cargo.maybe.push(Carried::Secret);
        }
    }
}

/// Gives the password and runs the command.
pub(in crate::commands) fn sshpass(run: &mut Run) -> Outcome {
    let options = read(run.args, "p= f= d= e P= v h V", Order::First);
    if let Some(file) = options.value("f").cloned() {
        run.read(&file, false);
    }
    if options.operands.is_empty() { run.derived() } else { run.inner(&options.operands) }
}

/// `mosh [options] host [-- command]`.
pub(in crate::commands) fn mosh(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "client= server= predict= 4 6 a n family= p,port= bind-server= ssh= no-init local experimental-remote-ip=",
        Order::First,
    );
    for text in options.values("client").chain(options.values("ssh")).cloned().collect::<Vec<_>>() {
        interpreters::code(run, &text.value(), text.span);
    }
    let Some((site, command)) = options.operands.split_first() else { return run.derived() };
    connect(run, site, &Cargo::default(), false);
    let words = command.iter().filter(|word| !word.is("--")).map(Word::value);
    if let Some(text) = words.reduce(|left, right| left.concat(&Value::text(" ")).concat(&right)) {
        there(run, &text, &host_of(site));
    }
    Outcome::unknown(taint::NET)
}

pub(in crate::commands) fn scp(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "3 4 6 A B C O p q R r s T v c= D= F= i= J= l= o= P= S= X=", Order::Anywhere);
    settings(run, &options);
    if let Some(program) = options.value("S").cloned() {
        run.inner(&[program]);
    }
    copy(run, &options.operands, options.has("r"));
    Outcome::silent(Status::Either)
}

const RSYNC: &str = "v,verbose q,quiet no-motd c,checksum a,archive no-OPTION r,recursive R,relative no-implied-dirs b,backup backup-dir= \
    suffix= u,update inplace append append-verify d,dirs old-dirs mkpath l,links L,copy-links copy-unsafe-links safe-links munge-links \
    k,copy-dirlinks K,keep-dirlinks H,hard-links p,perms E,executability chmod= A,acls X,xattrs o,owner g,group devices specials D \
    t,times U,atimes open-noatime N,crtimes O,omit-dir-times J,omit-link-times super fake-super S,sparse preallocate write-devices \
    n,dry-run W,whole-file checksum-choice,cc= x,one-file-system B,block-size= e,rsh= rsync-path= existing ignore-existing \
    remove-source-files del delete delete-before delete-during delete-delay delete-after delete-excluded ignore-missing-args \
    delete-missing-args ignore-errors force max-delete= max-size= min-size= max-alloc= partial partial-dir= delay-updates \
    m,prune-empty-dirs numeric-ids usermap= groupmap= chown= timeout= contimeout= I,ignore-times size-only @,modify-window= T,temp-dir= \
    y,fuzzy compare-dest= copy-dest= link-dest= z,compress compress-choice,zc= compress-level,zl= skip-compress= C,cvs-exclude f,filter= \
    F exclude= exclude-from= include= include-from= files-from= 0,from0 s,protect-args,secluded-args trust-sender copy-as= address= port= \
    sockopts= blocking-io outbuf= stats 8,8-bit-output h,human-readable progress P i,itemize-changes M,remote-option= out-format= \
    log-file= log-file-format= password-file= early-input= list-only bwlimit= stop-after= stop-at= fsync write-batch= \
    only-write-batch= read-batch= protocol= iconv= checksum-seed= 4,ipv4 6,ipv6 version V help info= debug= no-inc-recursive,no-i-r";

pub(in crate::commands) fn rsync(run: &mut Run) -> Outcome {
    let options = read(run.args, RSYNC, Order::Anywhere);
    if options.has("version") || options.has("help") {
        return run.derived();
    }
    if let Some(program) = options.value("e").cloned() {
        interpreters::code(run, &program.value(), program.span);
        loads::unread(run, "rsync", &program.value());
    }
    for list in options.values("files-from").cloned().collect::<Vec<_>>() {
        let folder = options.operands.first().cloned();
        for name in find::listed(run, Some(&list)) {
            run.read(
                &folder.as_ref().map_or_else(|| name.clone(), |folder| find::below(folder, &name)),
                true,
            );
        }
    }
    for name in ["exclude-from", "include-from"] {
        for file in options.values(name).filter(|file| !file.is("-")).cloned().collect::<Vec<_>>() {
            run.read(&file, false);
        }
    }
    let Some((target, sources)) = options.operands.split_last() else { return run.derived() };
    if options.has("n") || options.has("list-only") || sources.is_empty() {
        return run.derived();
    }
    if let Some(log) = options.value("log-file").cloned() {
        run.analyst.write(&log, WriteMode::Append, None, run.shell);
    }
    for batch in ["write-batch", "only-write-batch"].iter().flat_map(|name| options.values(name)) {
        run.analyst.write(batch, WriteMode::Overwrite, None, run.shell);
    }
    deletions(run, &options, sources, target);
    brings_repository(run, &options, sources, target);
    copy(run, &options.operands, options.has("a") || options.has("r"));
    Outcome::silent(Status::Either)
}

/// `rsync -a other/ here/` brings the `.git` of the one over that of the other, unless it is left out.
fn brings_repository(run: &mut Run, options: &Options, sources: &[Word], target: &Word) {
    let leaves = options.values("exclude").chain(options.values("filter")).any(|rule| {
        let rule = rule.shown();
        rule.contains(".git") || rule.contains(".*") || rule == "*"
    });
    let keeps = ["ignore-existing", "exclude-from", "files-from", "C", "cvs-exclude"];
    if leaves || keeps.iter().any(|name| options.has(name)) || site(target).is_some() {
        return;
    }
    for source in sources.iter().filter(|source| site(source).is_none()) {
        let whole = source.text.suffix().ends_with('/').then(|| source.clone());
        if let Some(folder) = whole.or_else(|| over::folder(source)) {
            over::repository(run, &folder, target);
        }
    }
}

/// What `rsync` removes besides copying.
fn deletions(run: &mut Run, options: &Options, sources: &[Word], target: &Word) {
    const DELETES: &[&str] = &[
        "del",
        "delete",
        "delete-before",
        "delete-during",
        "delete-delay",
        "delete-after",
        "delete-excluded",
        "delete-missing-args",
    ];
    let far = site(target).or_else(|| sources.iter().find_map(site));
    if let (Some(path), Some(far)) = (options.value("rsync-path").cloned(), far) {
        there(run, &path.value(), &far);
    }
    if DELETES.iter().any(|name| options.has(name)) {
        match site(target) {
            None => run.analyst.delete(target, true, run.shell),
            Some(host) if is_whole(target) => {
                let operation = format!("deletes everything in `{}` that is not here", target.shown());
                run.push(EffectKind::Infra { tool: InfraTool::RemoteShell, operation, target: host });
            }
            Some(_) => {}
        }
    }
    if options.has("remove-source-files") {
        for source in sources.iter().filter(|source| site(source).is_none()) {
            run.analyst.delete(source, true, run.shell);
        }
    }
}

/// The root or a whole home of the other machine.
fn is_whole(target: &Word) -> bool {
    let shown = target.shown();
    let path = shown.split_once(':').map_or("", |(_, path)| path.trim_start_matches(':'));
    let path = path.trim_end_matches('/');
    matches!(path, "" | "." | "~" | "*" | "/root" | "/etc" | "/usr" | "/var" | "/home")
        || path.strip_prefix("/home/").is_some_and(|user| !user.contains('/'))
}

/// The machine that an operand of scp or rsync names, if it names one.
fn site(word: &Word) -> Option<String> {
    let shown = word.shown();
    if shown.starts_with("scp://") || shown.starts_with("rsync://") || shown.starts_with("sftp://") {
        return Some(host_of(word));
    }
    let (before, _) = shown.split_once(':')?;
    let is_site = !before.is_empty() && !before.contains('/') && !before.starts_with('.');
    is_site.then(|| url::normal_host(before.rsplit('@').next().unwrap_or_default()))
}

/// Copies the operands to the last of them.
fn copy(run: &mut Run, operands: &[Word], recursive: bool) {
    let Some((target, sources)) = operands.split_last() else { return };
    let far = site(target);
    let mut cargo = Cargo::default();
    for source in sources {
        match (site(source), &far) {
            (None, Some(_)) => cargo.file(run, source, recursive),
            (None, None) if recursive && source.text.suffix().ends_with('/') => {
                run.read(source, true);
                archives::extract(run, target);
            }
            (None, None) => {
                let content = run.read(source, recursive);
                run.analyst.write(&landing(source, target), WriteMode::Overwrite, Some(&content), run.shell);
            }
            // `host:dir/.` is what is in it, each under its own name.
            (Some(host), None) if recursive && names_contents(source) && is_root(run, target) => {
                send(run, source, &host, Cargo::default(), false);
                archives::extract(run, target);
            }
            (Some(host), None) => {
                send(run, source, &host, Cargo::default(), false);
                let body = Value::output(taint::NET);
                run.analyst.write(&landing(source, target), WriteMode::Overwrite, Some(&body), run.shell);
            }
            (Some(host), Some(_)) => send(run, source, &host, Cargo::default(), false),
        }
    }
    if let Some(host) = far {
        send(run, target, &host, cargo, true);
    }
}

/// A home, or another folder that much depends on.
fn is_root(run: &Run, target: &Word) -> bool {
    let workspace = run.analyst.world.workspace();
    run.analyst.places(target, run.shell).iter().any(|(place, _)| place.root && place.path != workspace)
}

/// Does a source stand for what is in a folder? `rsync` also reads a slash at its end so.
fn names_contents(source: &Word) -> bool {
    let end = source.text.suffix();
    ["/.", "/", ":.", ":", "/*"].iter().any(|tail| end.ends_with(tail))
}

/// Where a source lands: in a target that is written as a folder, else at the target.
pub(super) fn landing(source: &Word, target: &Word) -> Word {
    let shown = source.shown();
    let name = shown.rsplit_once(':').map_or(shown.as_str(), |(_, path)| path);
    let end = target.text.suffix();
    let is_folder = end.ends_with('/') || target.is(".") || target.is("..") || end.ends_with("/.");
    if !is_folder || name.is_empty() || name.ends_with('/') {
        return target.clone();
    }
    let mut text: Text = target.text.clone();
    text.push_str(if end.ends_with('/') { "" } else { "/" });
    text.push_str(remote_name(&format!("/{name}")));
    Word { text, ..target.clone() }
}
