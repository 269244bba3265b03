//! Programs that touch the machine itself: devices, processes, power.

pub(super) mod endless;
pub(super) mod listing;
pub(super) mod rotation;
pub(super) mod tmpfiles;

use tollgate_catalogue::{Role, Slot};
use tollgate_model::{EffectKind, FileKind, InfraTool, Place, ProcessAction, Protection, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Value};

use super::{Handler, Run};
use crate::analyst::{HIDDEN_BY_MOUNT, taint};
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

pub(super) use endless::marks as endless;

/// `mkfs.ext4` and its like.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    program.starts_with("mkfs.").then_some(format as Handler)
}

pub(super) fn format(run: &mut Run) -> Outcome {
    // `balena` and `rpi-imager` have other verbs, none of which names a device.
    let dry = run.args.iter().any(|word| word.is("-n") || word.is("--no-act")) && run.program != "mkswap";
    let targets = named_devices(run);
    if dry {
        return run.derived();
    }
    // A file becomes a file system, too, and nothing is left of what it held.
    if run.program.starts_with("mk") {
        let held = |word: &&Word| {
            let is_file = |place: &Place| run.analyst.world.kind(&place.path) == FileKind::File;
            !word.text.prefix().starts_with('-')
                && run.analyst.places(word, run.shell).iter().any(|(place, _)| is_file(place))
        };
        for file in run.args.iter().filter(held).cloned().collect::<Vec<_>>() {
            run.analyst.write(&file, WriteMode::Overwrite, Some(&Value::empty()), run.shell);
        }
    }
    devices(run, &targets)
}

/// Only with `-w` it changes the file system, and only on a device that is somebody's.
pub(super) fn debugfs(run: &mut Run) -> Outcome {
    let options = read(run.args, "D V b= s= c i= w z= f= R= d=", Order::Anywhere);
    if !options.has("w") {
        return run.derived();
    }
    let targets = named_devices(run);
    devices(run, &targets)
}

pub(super) fn mtd_debug(run: &mut Run) -> Outcome {
    if !run.args.first().is_some_and(|verb| verb.is("erase") || verb.is("write")) {
        return run.derived();
    }
    let targets = named_devices(run);
    devices(run, &targets)
}

/// Without `-a` or `-o` it only lists what is there.
pub(super) fn wipefs(run: &mut Run) -> Outcome {
    let spec = "a,all b backup? f,force i,noheadings J,json lock? n,no-act o,offset= O,output= p,parsable q,quiet t,types= h,help V,version";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("n") || !(options.has("a") || options.has("o")) {
        return run.derived();
    }
    devices(run, &options.operands)
}

/// Programs that write partition tables, and the options with which each of them only looks.
const PARTITIONERS: &[(&str, &str)] = &[
    ("parted", "-l --list print p -v --version -h --help"),
    (
        "sgdisk",
        "-p --print -i --info -v --verify -P --pretend -O --print-mbr -D --display-alignment -b --backup -L \
         --list-types -V --version -? --help",
    ),
    ("fdisk", "-l --list -x --list-details -s --getsz -V --version -h --help"),
    (
        "sfdisk",
        "-l --list -d --dump -J --json -g --show-geometry -s --show-size -F --list-free -T --list-types -V \
         --verify -n --no-act -v --version -h --help",
    ),
    ("gdisk", "-l"),
    ("cfdisk", "-h --help -V --version"),
];

pub(super) fn partition(run: &mut Run) -> Outcome {
    let looks = PARTITIONERS.iter().find(|(name, _)| *name == run.program).map_or("", |(_, looks)| *looks);
    let harmless = |word: &Word| looks.split_ascii_whitespace().any(|look| word.is(look));
    if run.args.iter().any(harmless) {
        return run.derived();
    }
    let targets = named_devices(run);
    devices(run, &targets)
}

/// The operands that lie in `/dev`, however they are spelt.
fn named_devices(run: &Run) -> Vec<Word> {
    let is_device = |word: &&Word| {
        run.analyst.places(word, run.shell).iter().any(|(place, _)| place.path.starts_with("/dev/"))
    };
    run.args.iter().filter(is_device).cloned().collect()
}

fn devices(run: &mut Run, targets: &[Word]) -> Outcome {
    for word in targets {
        for (place, certainty) in run.analyst.places(word, run.shell) {
            run.analyst.push(EffectKind::Device { place }, word.span, certainty);
        }
    }
    Outcome::silent(Status::Either)
}

/// Makes files that nobody can change or delete any more, which is no loss of what is in them.
pub(super) fn chattr(run: &mut Run) -> Outcome {
    let options = read(run.args, "R V f v= p=", Order::Anywhere);
    let is_mode = |word: &&Word| word.text.prefix().starts_with(['+', '=']);
    let mode = options.operands.iter().find(is_mode).map_or_else(|| "-".to_owned(), Word::shown);
    for word in options.operands.iter().filter(|word| !is_mode(word)) {
        run.analyst.permission(word, &mode, options.has("R"), run.shell);
    }
    Outcome::silent(Status::Either)
}

/// `mount --bind a b` makes `b` another name of `a`.
/// Shows a folder at another place.
pub(super) fn bindfs(run: &mut Run) -> Outcome {
    let spec = "h,help V,version fuse-help u,force-user= g,force-group= p,perms= m,mirror= M,mirror-only= o= r f d s \
        n,no-allow-other map= create-for-user= create-for-group= create-with-perms= resolve-symlinks";
    let options = read(run.args, spec, Order::Anywhere);
    if let Some(target) = options.operands.get(1) {
        run.analyst.cover(target, true, run.shell);
    }
    let path = |word: &Word| run.shell.resolve(&word.value()).as_literal().map(crate::paths::normal);
    if let [source, target, ..] = options.operands.as_slice()
        && let (Some(source), Some(target)) = (path(source), path(target))
    {
        run.analyst.links.link(&target, &source);
    }
    run.derived()
}

/// Measures a file or a device, by writing to it if so told.
pub(super) fn fio(run: &mut Run) -> Outcome {
    let given = |name: &str| {
        let named = run.args.iter().filter(|word| word.text.prefix().starts_with(name));
        named.map(|word| word.after('=')).collect::<Vec<_>>()
    };
    let how = [given("--rw="), given("--readwrite=")].concat();
    let writes = how.iter().any(|how| !matches!(how.shown().as_str(), "read" | "randread"));
    for file in given("--filename=").into_iter().filter(|_| writes) {
        for name in file.shown().split(':') {
            let word = Word::literal_at(name, file.span);
            run.analyst.write(&word, WriteMode::Overwrite, None, run.shell);
        }
    }
    run.derived()
}

pub(super) fn mount(run: &mut Run) -> Outcome {
    let spec = "a,all B,bind R,rbind M,move r,read-only,ro w,rw,read-write t,types= o,options= L,label= U,uuid= \
        source= target= target-prefix= f,fake F,fork T,fstab= i,internal-only l,show-labels n,no-mtab options-mode= \
        options-source= options-source-force m,mkdir? O,test-opts= v,verbose N,namespace= s c,no-canonicalize h,help \
        V,version make-shared make-slave make-private make-unbindable make-rshared make-rslave make-rprivate \
        make-runbindable onlyonce";
    let options = read(run.args, spec, Order::Anywhere);
    let binds = ["B", "R", "M"].iter().any(|name| options.has(name))
        || options
            .value("o")
            .is_some_and(|list| list.shown().split(',').any(|one| matches!(one, "bind" | "rbind")));
    let locks = |list: &Word| {
        let list = list.shown();
        list.split(',').any(|one| one == "remount") && list.split(',').any(|one| one == "ro")
    };
    if options.values("o").any(locks) {
        let (tool, operation) = (run.program.to_owned(), "stop-service".to_owned());
        run.push(EffectKind::Infra {
            tool: InfraTool::Named(tool),
            operation,
            target: "mount -o remount,ro".to_owned(),
        });
    }
    let named = |name: &str, at: usize| options.value(name).or(options.operands.get(at)).cloned();
    if let Some(target) = named("target", 1) {
        run.analyst.permission(&target, HIDDEN_BY_MOUNT, false, run.shell);
    }
    if let (true, Some(source), Some(target)) = (binds, named("source", 0), named("target", 1)) {
        let path = |word: &Word| run.shell.resolve(&word.value()).as_literal().map(crate::paths::normal);
        if let (Some(source), Some(target)) = (path(&source), path(&target)) {
            run.analyst.links.link(&target, &source);
        }
    }
    run.derived()
}

/// `xhost +` lets everybody in.
pub(super) fn xhost(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.is("+")) {
        run.push(EffectKind::Weaken {
            protection: Protection::Machine,
            how: "lets everybody use the screen and keyboard".into(),
        });
    }
    run.derived()
}

/// Holes in a file are zeros where data was.
pub(super) fn fallocate(run: &mut Run) -> Outcome {
    let spec = "c,collapse-range d,dig-holes i,insert-range l,length= n,keep-size o,offset= p,punch-hole z,zero-range \
        w,write-zeroes x,posix r,report-holes v,verbose h,help V,version";
    let options = read(run.args, spec, Order::Anywhere);
    let destroys = ["c", "p", "z", "w"].iter().any(|name| options.has(name));
    for word in options.operands.iter().filter(|_| destroys) {
        run.analyst.write(word, WriteMode::Overwrite, Some(&Value::empty()), run.shell);
    }
    if !destroys
        && options.value("l").and_then(|size| bytes(&size.shown())).is_some_and(|size| size >= HUGE)
        && let Some(file) = options.operands.first()
    {
        endless::fills(run, &file.shown());
    }
    Outcome::silent(Status::Either)
}

/// More than there is room for on most disks.
const HUGE: u64 = 200 << 30;

/// A size as GNU programs and `fallocate` write it: `512`, `10M`, `5GiB`, `1GB`.
fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let power = match unit.chars().next().map(|letter| letter.to_ascii_uppercase()) {
        None => 0,
        Some(letter) => u32::try_from("BKMGTPEZY".find(letter)?).ok()?,
    };
    let base: u64 = if unit.len() == 2 { 1000 } else { 1024 };
    number.parse::<u64>().ok()?.checked_mul(base.checked_pow(power)?).or(Some(u64::MAX))
}

/// The parent of the shell that an agent runs is the agent.
fn is_parent(word: &Word) -> bool {
    let parent = |piece: &Piece| matches!(piece, Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) if &**name == "PPID");
    matches!(word.text.pieces.as_slice(), [piece] if parent(piece)) || word.is(EffectKind::PARENT)
}

/// Takes down whose process a program takes hold of, besides what else it does.
pub(super) fn hold(run: &mut Run) {
    let Some(way) = catalogue::uses(run.program).iter().find(|way| way.role == Role::Traces) else { return };
    let options = if let Slot::Options(options) = way.slot { options } else { &[] };
    let lists = Taint(taint::PROCESSES.0 | taint::TABLE.0);
    if run.args.iter().any(|word| word.literal().is_none() && taint::has(word.taint, lists)) {
        run.push(EffectKind::Process { action: ProcessAction::signal(run.program), target: "-1".into() });
    }
    let mut held: Vec<String> = Vec::new();
    for (at, word) in run.args.iter().enumerate() {
        let text = word.text.prefix();
        let before = at.checked_sub(1).and_then(|at| run.args.get(at)).map(Word::shown).unwrap_or_default();
        let attached = options.iter().find_map(|name| {
            let rest = text.strip_prefix(name)?;
            (rest.starts_with('=') || !name.starts_with("--") && !rest.is_empty()).then_some(name.len())
        });
        if let Some(start) = attached {
            held.push(target(
                &word.from(start + usize::from(text.get(start..).is_some_and(|rest| rest.starts_with('=')))),
            ));
        } else if options.contains(&before.as_str()) || options.is_empty() && !text.starts_with('-') {
            held.push(target(word));
        }
    }
    for target in held {
        run.push(EffectKind::Process { action: ProcessAction::Trace, target });
    }
}

pub(super) fn kill_all(run: &mut Run) -> Outcome {
    run.push(EffectKind::Process { action: ProcessAction::signal("KILL"), target: "-1".into() });
    Outcome::silent(Status::Either)
}

/// `fuser -km /home`: all that have something open there.
pub(super) fn fuser(run: &mut Run) -> Outcome {
    let spec = "a,all c d i,interactive I,inode k,kill m,mount M,ismountpoint n,namespace= s,silent u,user v,verbose w,writeonly \
        4,ipv4 6,ipv6 l V 1 2 3 9 T H K";
    let options = read(run.args, spec, Order::Anywhere);
    let files = options.value("n").is_none_or(|space| space.is("file"));
    if !options.has("k") || !files {
        return run.derived();
    }
    let wide = |word: &Word| {
        let places = run.analyst.places(word, run.shell);
        places.iter().any(|(place, _)| place.root || options.has("m") && place.zone > Zone::Workspace)
    };
    if options.operands.iter().any(wide) {
        run.push(EffectKind::Process { action: ProcessAction::signal("KILL"), target: "-1".into() });
    }
    for word in &options.operands {
        run.analyst.cover(word, options.has("m"), run.shell);
        if word.text.has_holes() {
            run.push(EffectKind::Process { action: ProcessAction::signal("KILL"), target: target(word) });
        }
    }
    run.derived()
}

/// A process by its number. One that shows only when it runs is some process of the script.
fn target(word: &Word) -> String {
    if is_parent(word) {
        return EffectKind::PARENT.to_owned();
    }
    let mut known = word.text.prefix().to_owned();
    if word.text.has_holes() {
        known.push_str("unknown");
        return known;
    }
    word.shown()
}

pub(super) fn kill(run: &mut Run) -> Outcome {
    let cwd = run.shell.cwd().as_literal().map(str::to_owned);
    // More numbers than anybody knows by heart go through all that there are.
    let swept = run.args.len() > KNOWN_PROCESSES;
    let listed = |word: &Word| {
        let numbers = word.text.has_globs() && listing::is_any_number(&word.shown());
        word.literal().is_none() && taint::has(word.taint, taint::PROCESSES)
            || listing::is_every_process(word)
            || numbers && cwd.as_deref().is_none_or(|cwd| cwd == "/proc" || !word.shown().starts_with('*'))
            || swept && !word.shown().starts_with('-')
    };
    let target = |word: &Word| if listed(word) { EVERY.to_owned() } else { target(word) };
    let mut words = run.args.iter().map(target).peekable();
    let mut signal = "TERM".to_owned();
    if let Some(first) = words.next_if(|word| word.starts_with('-') && word.len() > 1) {
        signal = match first.as_str() {
            "-s" | "-n" | "--signal" => words.next().unwrap_or_default(),
            "-l" | "-L" | "--list" => return run.derived(),
            "--" => "TERM".to_owned(),
            other => other.trim_start_matches('-').to_owned(),
        };
    }
    let targets: Vec<String> = words.filter(|word| word != "--").collect();
    if signal == "0" {
        return run.derived();
    }
    for target in targets {
        let target = if target == EVERY { "-1".to_owned() } else { target };
        run.push(EffectKind::Process { action: ProcessAction::Signal(signal.clone()), target });
    }
    Outcome::silent(Status::Either)
}

/// The most processes that somebody ends by their numbers.
const KNOWN_PROCESSES: usize = 64;

/// Stands for every process of a list; as a first word `-1` is a signal.
const EVERY: &str = "every process";

const PKILL: &str = "signal= q,queue= e,echo c,count f,full g,pgroup= G,group= i,ignore-case n,newest o,oldest O,older= P,parent= \
    s,session= t,terminal= u,euid= U,uid= x,exact F,pidfile= L,logpidfile r,runstates= A,ignore-ancestors cgroup= ns= \
    nslist= I l v h,help V,version 1 2 3 6 9 H K T";

const KILLALL: &str = "e,exact I,ignore-case g,process-group y,younger-than= o,older-than= i,interactive l,list q,quiet r,regexp \
    s,signal= u,user= v,verbose V,version w,wait n,ns= Z,context= m c= t= d h 1 2 3 6 9 H K T";

pub(super) fn kill_by_name(run: &mut Run) -> Outcome {
    let spec = if run.program == "killall" { KILLALL } else { PKILL };
    let options = read(run.args, spec, Order::Anywhere);
    let user = options.value("u").or(options.value("U"));
    // A name with a user is one program of theirs; a user alone is everything they run.
    if let (Some(user), true) = (user, options.operands.is_empty()) {
        let signal = run.program.to_owned();
        run.push(EffectKind::Process {
            action: ProcessAction::Signal(signal),
            target: format!("everything of {}", target(user)),
        });
    }
    for parent in options.values("P").filter(|word| is_parent(word)) {
        run.push(EffectKind::Process { action: ProcessAction::signal(run.program), target: target(parent) });
    }
    for word in options.operands.iter().chain(options.values("u").filter(|user| user.is("root"))) {
        run.push(EffectKind::Process { action: ProcessAction::signal(run.program), target: target(word) });
    }
    Outcome::silent(Status::Either)
}

pub(super) fn power(run: &mut Run) -> Outcome {
    let harmless = |word: &Word| {
        matches!(
            word.shown().as_str(),
            "-c" | "--show" | "--help" | "-k" | "--version" | "-w" | "--wtmp-only"
        )
    };
    if run.args.iter().any(harmless) {
        return run.derived();
    }
    let runlevel = run.args.first().map(Word::shown).unwrap_or_default();
    if matches!(run.program, "init" | "telinit") && !matches!(runlevel.as_str(), "0" | "1" | "6" | "s" | "S")
    {
        return run.derived();
    }
    run.push(EffectKind::Process { action: ProcessAction::Power, target: "the machine".into() });
    Outcome::silent(Status::Either)
}
