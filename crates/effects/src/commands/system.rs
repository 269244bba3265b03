//! Programs that touch the machine itself: devices, processes, power.

use tollgate_model::EffectKind;
use tollgate_shell::eval::{Outcome, Status};

use super::{Commands, Handler, Run};
use crate::options::{Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("mkfs", format),
    ("mke2fs", format),
    ("mkswap", format),
    ("wipefs", format),
    ("blkdiscard", format),
    ("fdisk", partition),
    ("sfdisk", partition),
    ("cfdisk", partition),
    ("parted", partition),
    ("sgdisk", partition),
    ("gdisk", partition),
    ("kill", kill),
    ("pkill", kill_by_name),
    ("killall", kill_by_name),
    ("shutdown", power),
    ("reboot", power),
    ("poweroff", power),
    ("halt", power),
    ("init", power),
    ("telinit", power),
];

/// `mkfs.ext4` and its like.
pub(super) fn prefixed(program: &str) -> Option<Handler> {
    program.starts_with("mkfs.").then_some(format as Handler)
}

fn format(run: &mut Run) -> Outcome {
    let dry = run.args.iter().any(|word| word.is("-n") || word.is("--no-act")) && run.program != "mkswap";
    let targets = named_devices(run);
    if dry {
        return run.derived();
    }
    devices(run, &targets)
}

fn partition(run: &mut Run) -> Outcome {
    let lists = |word: &Word| {
        matches!(
            word.shown().as_str(),
            "-l" | "--list" | "-d" | "--dump" | "-J" | "-p" | "print" | "-s" | "--help"
        )
    };
    if run.args.iter().any(lists) {
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

fn kill(run: &mut Run) -> Outcome {
    let mut words = run.args.iter().map(Word::shown).peekable();
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
        run.push(EffectKind::Process { signal: signal.clone(), target });
    }
    Outcome::silent(Status::Either)
}

fn kill_by_name(run: &mut Run) -> Outcome {
    let spec = "e,exact I,ignore-case g,process-group i,interactive q,quiet r,regexp s,signal= u,user= v,verbose w,wait \
        n,ns= y,younger-than= o,older-than= f,full l,list c,count x P,parent= U,uid= G,group= t,terminal= newest oldest \
        1 2 3 6 9 H K T L";
    let options = read(run.args, spec, Order::Anywhere);
    for target in options.operands.iter().chain(options.values("u")) {
        let target = target.shown();
        run.push(EffectKind::Process { signal: run.program.to_owned(), target });
    }
    Outcome::silent(Status::Either)
}

fn power(run: &mut Run) -> Outcome {
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
    run.push(EffectKind::Process { signal: "power".into(), target: "the machine".into() });
    Outcome::silent(Status::Either)
}
