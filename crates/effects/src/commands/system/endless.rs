//! Data without end that goes into a file: the disk is full before anybody notices.

use tollgate_model::{EffectKind, ProcessAction};
use tollgate_shell::eval::{Outcome, Stream};
use tollgate_shell::value::Taint;

use super::super::Run;
use super::{HUGE, bytes};
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// Devices that give data for as long as somebody reads.
const DEVICES: &[&str] = &["/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"];

/// Options with which such a program stops by itself.
const BOUNDS: &[&str] = &["count=", "-l", "-N", "-n", "--read-bytes", "--length", "--size", "-S"];

/// The mark of what the command prints, if it never ends. Takes down the file that it goes to.
pub(in crate::commands) fn marks(run: &mut Run) -> Taint {
    let ends = run.args.iter().any(|word| word.text.prefix().starts_with("-c"));
    if catalogue::is(run.program, Tag::KeepsInput) && takes_endless(run) && !ends {
        fills(run, "the memory");
    }
    if !is_endless(run) {
        return Taint::NONE;
    }
    let mut files: Vec<String> = match (&run.call.stdout, run.program) {
        (_, "tee" | "sponge") => operands(run).map(Word::shown).collect(),
        (_, "dd") => run
            .args
            .iter()
            .filter(|word| word.text.prefix().starts_with("of="))
            .map(|word| word.after('=').shown())
            .collect(),
        _ => Vec::new(),
    };
    if let Stream::File(path) = &run.call.stdout {
        files.extend(path.any.iter().map(crate::word::show));
    }
    if let Some(file) = files.into_iter().find(|file| !file.starts_with("/dev/")) {
        fills(run, &file);
    }
    taint::ENDLESS
}

/// A file that takes all the room there is.
pub(super) fn fills(run: &mut Run, file: &str) {
    run.push(EffectKind::Process { action: ProcessAction::FillDisk, target: file.to_owned() });
}

/// Programs that try how much a machine bears: without an end, and with more memory or disk than it has, it is no test.
pub(in crate::commands) fn stress(run: &mut Run) -> Outcome {
    let spec = "t,timeout= c,cpu= i,io= m,vm= d,hdd= vm-bytes= hdd-bytes= vm-hang= vm-keep n,dry-run q,quiet v,verbose all= \
        a= class= sequential= fork= vm-method= metrics metrics-brief bigheap= brk= page-in oomable";
    let options = read(run.args, spec, Order::Anywhere);
    let ends = options.value("t").is_some_and(|time| !time.shown().starts_with('0'));
    let whole = |word: &Word| match word.shown().strip_suffix('%') {
        Some(share) => share.parse::<u32>().is_ok_and(|share| share > 90),
        None => bytes(&word.shown()).is_some_and(|size| size >= HUGE),
    };
    let mut sizes = options.values("vm-bytes").chain(options.values("hdd-bytes"));
    let fills_memory = sizes.any(whole) || options.has("bigheap") || options.has("brk");
    if fills_memory && !ends && !options.has("n") {
        fills(run, "the memory");
    }
    run.derived()
}

fn is_endless(run: &Run) -> bool {
    if run.program == "yes" {
        return !run.args.iter().any(|word| word.is("--help") || word.is("--version"));
    }
    if is_huge(run) {
        return true;
    }
    let bounded = |word: &Word| BOUNDS.iter().any(|bound| word.text.prefix().starts_with(bound));
    if !catalogue::is(run.program, Tag::StreamsInput)
        || run.args.iter().any(bounded) && !matches!(run.program, "sed" | "cat" | "tr" | "nl")
    {
        return false;
    }
    let quits = run.program == "sed" && run.args.iter().any(|word| word.shown().contains('q'));
    !quits && takes_endless(run)
}

/// Is so much taken of it that it might as well be all: `head -c 900G`, `dd bs=1G count=900`?
fn is_huge(run: &Run) -> bool {
    let size = |word: Word| bytes(&word.shown());
    let taken = match run.program {
        "head" => super::super::flags::given(run, "c,bytes=").into_iter().filter_map(size).max(),
        "dd" => {
            let of = |name: &str| {
                let given = run.args.iter().find(|word| word.text.prefix().starts_with(name));
                given.and_then(|word| size(word.after('=')))
            };
            of("count=").map(|count| count.saturating_mul(of("bs=").or_else(|| of("ibs=")).unwrap_or(512)))
        }
        _ => None,
    };
    taken.is_some_and(|taken| taken >= HUGE) && takes_endless(run)
}

fn takes_endless(run: &Run) -> bool {
    let device = |word: &Word| {
        let word = if run.program == "dd" && word.text.prefix().starts_with("if=") {
            word.after('=')
        } else {
            word.clone()
        };
        word.literal().is_some_and(is_device)
    };
    let from_device = match &run.call.stdin.stream {
        Stream::File(path) => path.as_literal().is_some_and(is_device),
        _ => false,
    };
    let given = run.stdin().is_some_and(|input| taint::has(input.taint, taint::ENDLESS));
    run.args.iter().any(device)
        || from_device
        || given && operands(run).next().is_none_or(|_| run.program != "cat")
}

fn is_device(path: &str) -> bool {
    path.starts_with('/') && DEVICES.contains(&paths::normal(path).as_str())
}

fn operands<'r>(run: &'r Run) -> impl Iterator<Item = &'r Word> {
    run.args.iter().filter(|word| !word.text.prefix().starts_with('-'))
}
