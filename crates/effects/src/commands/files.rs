//! Programs that change files: coreutils and their kin.

pub(super) mod beyond;
pub(super) mod dd;
mod joined;
pub(super) mod many;
pub(super) mod over;
pub(super) mod rights;

use tollgate_model::{Certainty, Effect, EffectKind, FileKind, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Piece, Text, Value};

use super::{Run, archives};
use crate::options::{Options, Order, read};
use crate::paths::globbed;
use crate::word::Word;
use rights::is_setuid;

pub(super) fn silent(_: &mut Run) -> Outcome {
    Outcome::silent(Status::Either)
}

/// What is put into the trash can be had back from there, but it is no longer where it was.
pub(super) fn trash(run: &mut Run) -> Outcome {
    run.args.iter().for_each(|word| run.shell.remove_folder(&word.value()));
    Outcome::silent(Status::Either)
}

pub(super) fn mkdir(run: &mut Run) -> Outcome {
    let options = read(run.args, "m,mode= p,parents v,verbose Z context?", Order::Anywhere);
    let plain = rights::is_plain_call(run, "pv");
    for word in &options.operands {
        match plain {
            true => run.analyst.surely_make_dir(word, options.has("p"), run.shell),
            false => run.analyst.make_dir(word, run.shell),
        }
    }
    Outcome::silent(Status::Either)
}

pub(super) fn rm(run: &mut Run) -> Outcome {
    let spec = "r,R,recursive f,force i I interactive? d,dir v,verbose P W x one-file-system no-preserve-root preserve-root?";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("P") {
        options.operands.iter().for_each(|word| beyond::overwritten(run, word, options.has("r")));
        return Outcome::silent(Status::Either);
    }
    delete_all(run, &options, options.has("r"))
}

/// `gio remove`; what `gio trash` takes can be taken back.
pub(super) fn gio(run: &mut Run) -> Outcome {
    match run.args.split_first() {
        Some((verb, rest)) if verb.is("remove") => {
            let options = read(rest, "f,force", Order::Anywhere);
            delete_all(run, &options, true)
        }
        Some((verb, rest)) if verb.is("trash") && rest.iter().any(|word| word.is("--empty")) => {
            many::trash_empty(run)
        }
        Some((verb, _)) if verb.is("trash") => trash(run),
        _ => run.derived(),
    }
}

/// `rm -rf` as packages of npm have it.
pub(super) fn rimraf(run: &mut Run) -> Outcome {
    let spec = "G,g,glob no-glob v,verbose V,no-verbose preserve-root no-preserve-root tmp= max-retries= retry-delay= \
        backoff= i,interactive I,no-interactive impl= f,force d,dry-run dot h,help version";
    let mut options = read(run.args, spec, Order::Anywhere);
    if options.has("d") || options.has("h") || options.has("version") {
        return run.derived();
    }
    // They read patterns themselves, and leave out what begins with `!`.
    let taken = options.operands.iter().filter(|word| !word.text.prefix().starts_with('!'));
    let operands = taken.map(|word| match word.literal() {
        Some(text) if text.contains(['*', '?']) => Word { text: globbed(text), ..word.clone() },
        _ => word.clone(),
    });
    let operands: Vec<Word> = operands.collect();
    options.operands = operands;
    delete_all(run, &options, true)
}

/// Commands of a shell, on systems without one.
pub(super) fn shx(run: &mut Run) -> Outcome {
    let start =
        run.args.iter().position(|word| !word.text.prefix().starts_with('-')).unwrap_or(run.args.len());
    run.inner(run.args.get(start..).unwrap_or_default())
}

pub(super) fn rmdir(run: &mut Run) -> Outcome {
    let options = read(run.args, "p,parents v,verbose ignore-fail-on-non-empty", Order::Anywhere);
    for word in &options.operands {
        run.analyst.alter(word, true, run.shell);
        run.shell.remove_folder(&word.value());
    }
    Outcome::silent(Status::Either)
}

pub(super) fn unlink(run: &mut Run) -> Outcome {
    let options = read(run.args, "", Order::Anywhere);
    delete_all(run, &options, false)
}

fn delete_all(run: &mut Run, options: &Options, recursive: bool) -> Outcome {
    for word in &options.operands {
        // A word that may be options makes the others' fate unsure, not its own.
        let recursive = recursive || (options.unsure && !word.splits);
        run.analyst.remove(word, recursive, run.shell);
    }
    Outcome::silent(Status::Either)
}

pub(super) fn truncate(run: &mut Run) -> Outcome {
    let options = read(run.args, "c,no-create o,io-blocks r,reference= s,size=", Order::Anywhere);
    let nothing = |size: &Word| matches!(size.literal(), Some("0" | "0K" | "0M"));
    let to_nothing = options.value("s").is_some_and(nothing)
        || options.value("r").cloned().is_some_and(|other| run.read(&other, false).is_empty());
    for word in &options.operands {
        let nothing = Value::empty();
        run.analyst.write(word, WriteMode::Overwrite, to_nothing.then_some(&nothing), run.shell);
    }
    Outcome::silent(Status::Either)
}

const COPY: &str = "a,archive attributes-only b backup? copy-contents d f,force i,interactive H l,link L,dereference \
    n,no-clobber P,no-dereference p preserve? parents R,r,recursive reflink? remove-destination sparse= \
    strip-trailing-slashes s,symbolic-link S,suffix= t,target-directory= T,no-target-directory u update? v,verbose \
    x,one-file-system Z context? no-preserve= keep-directory-symlink debug c";

/// Sources and destination of a command that copies, moves or links.
fn ends(options: &Options) -> (Vec<Word>, Option<Word>) {
    if let Some(target) = options.value("t") {
        return (options.operands.clone(), Some(target.clone()));
    }
    match options.operands.split_last() {
        Some((target, sources)) if !sources.is_empty() => (sources.to_vec(), Some(target.clone())),
        // One word that may be many is all of them.
        Some((all, _)) if all.splits && is_printed(all) => (vec![all.clone()], Some(all.clone())),
        _ => (options.operands.clone(), None),
    }
}

/// Does it begin with what a command prints?
fn is_printed(word: &Word) -> bool {
    matches!(word.text.pieces.first(), Some(Piece::Hole(hole)) if hole.source.is_output())
}

/// The file that a source becomes at the target: in it when it is a folder, else the target itself.
fn landing(run: &Run, source: &Word, target: &Word, many: bool) -> Word {
    let (place, _) = match run.analyst.places(target, run.shell).into_iter().next() {
        Some(first) => first,
        None => return target.clone(),
    };
    // A folder that was moved or deleted before is none any more.
    let gone = |effect: &Effect| matches!(&effect.kind, EffectKind::Delete { place: gone, .. } if gone.path == place.path);
    let folder = many
        || target.text.suffix().ends_with('/')
        || (!place.pattern
            && run.analyst.world.kind(&place.path) == FileKind::Dir
            && !(run.analyst.may_have_deleted(&place.path) && run.analyst.searched().iter().any(gone)));
    let shown = source.shown();
    let name = shown.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if !folder || name.is_empty() || matches!(name, "." | "..") {
        return target.clone();
    }
    let mut text: Text = target.text.clone();
    if !text.suffix().ends_with('/') {
        text.push_str("/");
    }
    text.push_str(name);
    Word { text, ..target.clone() }
}

/// Is it a link, on disk or made by this call?
fn is_link(run: &Run, word: &Word) -> bool {
    let resolved = run.shell.resolve(&word.value());
    let Some(path) = resolved.as_literal() else { return false };
    run.analyst.links.is_link(path) || run.analyst.world.real(path).is_some_and(|real| real != path)
}

/// The absolute paths of a name and of what it is made from. The target of a symbolic link is read from the
/// folder that the link lies in.
fn both_ends(run: &Run, name: &Word, source: &Word, symbolic: bool) -> Option<(String, String)> {
    let name = crate::paths::normal(run.shell.resolve(&name.value()).as_literal()?);
    // A program in a folder that is not known is still that program.
    let Some(written) = source.literal() else {
        let program = source.text.suffix().rsplit_once('/')?.1;
        return (!program.is_empty()).then(|| (name, format!("/usr/bin/{program}")));
    };
    if written.is_empty() {
        return None;
    }
    let target = if symbolic && !written.starts_with('/') {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        crate::paths::normal(&format!("{folder}/{written}"))
    } else {
        run.shell.resolve(&source.value()).as_literal()?.to_owned()
    };
    Some((name, target))
}

/// `folder/.`: what is in it, each under its own name.
fn names_contents(source: &Word) -> bool {
    source.text.suffix().ends_with("/.") || source.is(".")
}

pub(super) fn cp(run: &mut Run) -> Outcome {
    let options = read(run.args, COPY, Order::Anywhere);
    let recursive = options.has("R") || options.has("a");
    let linked = options.has("s") || options.has("l");
    let (sources, target) = ends(&options);
    for source in &sources {
        let content = run.read(source, recursive);
        let Some(target) = &target else { continue };
        if recursive && !options.has("n") {
            let whole = options.has("T").then(|| source.clone());
            if let Some(folder) = whole.or_else(|| over::folder(source)) {
                over::repository(run, &folder, target);
            }
        }
        // `cp -r overlay/* /` puts whatever is in the one below the other.
        let many = source.shown().ends_with("/*");
        if recursive && (options.has("T") || many || names_contents(source)) {
            archives::extract(run, target);
            continue;
        }
        let landing = match options.has("parents") {
            // The whole path of the source is made anew in the folder.
            true => {
                let mut text = target.text.clone();
                text.push_str("/");
                text.append(&source.text);
                Word { text, ..target.clone() }
            }
            false => landing(run, source, target, sources.len() > 1 || options.has("t")),
        };
        if options.has("n") && is_there(run, &landing) {
            continue;
        }
        let kept =
            options.has("P") || options.has("d") || recursive && !options.has("L") && !options.has("H");
        let led = if kept { led(run, source) } else { None };
        run.analyst.write(&landing, replacing(&options), Some(&content), run.shell);
        match both_ends(run, &landing, source, options.has("s")) {
            Some((name, original)) if linked => run.analyst.links.link(&name, &original),
            Some((name, _)) if led.is_some() => led.iter().for_each(|led| leads(run, &name, led)),
            Some((name, original)) => run.analyst.links.copy(&name, &original),
            None => {}
        }
        if recursive {
            over::carried(run, source, &landing, false);
        }
    }
    Outcome::silent(Status::Either)
}

/// Does it leave alone what is there?
fn replacing(options: &Options) -> WriteMode {
    let keeps = options.values("update").any(|how| matches!(how.literal(), Some("none" | "none-fail")));
    if options.has("n") || keeps { WriteMode::Create } else { WriteMode::Overwrite }
}

/// Is there surely such a file, which `-n` leaves alone?
fn is_there(run: &Run, word: &Word) -> bool {
    let places = run.analyst.places(word, run.shell);
    let there = |(place, certainty): &(tollgate_model::Place, Certainty)| {
        *certainty == Certainty::Certain && run.analyst.world.kind(&place.path) == FileKind::File
    };
    !places.is_empty() && places.iter().all(there)
}

pub(super) fn mv(run: &mut Run) -> Outcome {
    let spec = "b backup? f,force i,interactive n,no-clobber strip-trailing-slashes S,suffix= t,target-directory= \
        T,no-target-directory u update? v,verbose Z,context exchange no-copy debug";
    let options = read(run.args, spec, Order::Anywhere);
    let (sources, target) = ends(&options);
    for source in &sources {
        let content = run.analyst.moved(source, run.shell);
        let led = led(run, source);
        let is_file = |place: &tollgate_model::Place| run.analyst.world.kind(&place.path) == FileKind::File;
        let single =
            run.analyst.places(source, run.shell).iter().all(|(place, _)| !place.pattern && is_file(place));
        // What the call itself has put there from its start, by whatever name, is its own: what was there before
        // is lost by that, and not by the move.
        let anew = run.shell.file(&source.value()).is_some_and(|written| written.anew);
        let own = source.text.has_holes() && anew;
        let kept = own || single && target.as_ref().is_some_and(|target| comes_in(run, source, target));
        if kept {
            run.shell.forget_file(&source.value());
        } else {
            run.analyst.move_away(source, !single, target.as_slice(), run.shell);
        }
        if let Some(target) = &target {
            let landing = landing(run, source, target, sources.len() > 1 || options.has("t"));
            run.shell.forget_file(&landing.value());
            if replacing(&options) == WriteMode::Overwrite {
                run.analyst.bury(&landing, run.shell);
            }
            run.analyst.write(&landing, replacing(&options), content.as_ref(), run.shell);
            if !single {
                over::carried(run, source, &landing, true);
            }
            let name = [&landing, target]
                .into_iter()
                .find_map(|word| run.shell.resolve(&word.value()).as_literal().map(str::to_owned));
            if let (Some(name), Some(target)) = (&name, &led) {
                leads(run, name, target);
            }
            if let Some(name) = name {
                let originals = run.shell.resolve(&source.value());
                originals.any.iter().for_each(|original| run.analyst.links.moved(&name, original));
            }
        }
    }
    Outcome::silent(Status::Either)
}

/// The name leads to what is there from now on.
fn leads(run: &mut Run, name: &str, target: &str) {
    run.analyst.links.link(name, target);
    run.shell.name_also(name, target);
}

/// Where a link that is moved leads, from whatever folder it is in.
fn led(run: &Run, source: &Word) -> Option<String> {
    let path = run.shell.resolve(&source.value()).as_literal().map(crate::paths::normal)?;
    if !is_link(run, source) {
        return None;
    }
    let followed = run.analyst.links.follow(&Text::literal(&path)).as_literal()?.to_owned();
    Some(run.analyst.world.real(&followed).unwrap_or(followed))
}

/// A file of the home that is moved into the workspace is still there.
fn comes_in(run: &Run, source: &Word, target: &Word) -> bool {
    let zones = |word: &Word, zone: Zone| {
        run.analyst.places(word, run.shell).iter().all(|(place, _)| place.zone == zone && !place.root)
    };
    zones(source, Zone::Home) && zones(target, Zone::Workspace)
}

/// What lies behind the new name from now on.
pub(crate) fn remember_link(run: &mut Run, name: &Word, source: &Word, symbolic: bool) {
    if let Some((name, target)) = both_ends(run, name, source, symbolic) {
        // Where a link leads whose folder is not known, nobody knows; only what program it is.
        match source.literal() {
            Some(_) => leads(run, &name, &target),
            None => run.analyst.links.copy(&name, &target),
        }
    }
}

pub(super) fn ln(run: &mut Run) -> Outcome {
    let spec = "b backup? d,F,directory f,force i,interactive L,logical n,no-dereference P,physical r,relative \
        s,symbolic S,suffix= t,target-directory= T,no-target-directory v,verbose";
    let options = read(run.args, spec, Order::Anywhere);
    let (sources, target) = ends(&options);
    for source in &sources {
        if let Some(target) = &target {
            // A link that stands there is replaced, wherever it leads.
            let replaces = options.has("T") || options.has("n") && is_link(run, target);
            let landing = match replaces {
                true => target.clone(),
                false => landing(run, source, target, sources.len() > 1 || options.has("t")),
            };
            // What a symbolic link says is seen from where the link lies.
            let ends =
                both_ends(run, &landing, source, options.has("s")).filter(|_| source.literal().is_some());
            let end = ends.map_or_else(|| source.clone(), |(_, end)| Word::literal_at(&end, source.span));
            let content = run.analyst.read(&end, false, run.shell);
            run.shell.forget_file(&landing.value());
            run.analyst.write(&landing, WriteMode::Overwrite, Some(&content), run.shell);
            remember_link(run, &landing, source, options.has("s"));
        }
    }
    Outcome::silent(Status::Either)
}

/// Two names change places: each gets what the other was.
pub(super) fn exch(run: &mut Run) -> Outcome {
    if let [one, other] = run.args {
        let contents = [one, other].map(|word| run.analyst.moved(word, run.shell));
        for (word, content) in [other, one].into_iter().zip(contents) {
            run.analyst.write(word, WriteMode::Overwrite, content.as_ref(), run.shell);
        }
    }
    Outcome::silent(Status::Either)
}

pub(super) fn install(run: &mut Run) -> Outcome {
    let spec = "b backup? c C,compare d,directory D g,group= m,mode= o,owner= p,preserve-timestamps s,strip \
        strip-program= S,suffix= t,target-directory= T,no-target-directory v,verbose Z context? preserve-context";
    let options = read(run.args, spec, Order::Anywhere);
    if let Some(mode) = options.value("m").map(Word::shown).filter(|mode| is_setuid(mode)) {
        run.push(EffectKind::Privilege { how: format!("sets the set-user-ID bit ({mode})") });
    }
    if let Some(strip) = options.value("strip-program").filter(|_| options.has("s")).cloned() {
        let mut command = vec![strip];
        command.extend(options.operands.last().cloned());
        run.inner(&command);
    }
    if options.has("d") {
        let plain = rights::is_plain_call(run, "dv");
        for word in &options.operands {
            match plain {
                true => run.analyst.surely_make_dir(word, true, run.shell),
                false => run.analyst.make_dir(word, run.shell),
            }
        }
        return Outcome::silent(Status::Either);
    }
    let (sources, target) = ends(&options);
    for source in &sources {
        let content = run.read(source, false);
        if let Some(target) = &target {
            let landing = landing(run, source, target, sources.len() > 1 || options.has("t"));
            run.analyst.write(&landing, WriteMode::Overwrite, Some(&content), run.shell);
            if let Some((name, original)) = both_ends(run, &landing, source, false) {
                run.analyst.links.copy(&name, &original);
            }
        }
    }
    Outcome::silent(Status::Either)
}

pub(super) fn tee(run: &mut Run) -> Outcome {
    let options = read(run.args, "a,append i,ignore-interrupts p output-error?", Order::Anywhere);
    let mode = if options.has("a") { WriteMode::Append } else { WriteMode::Overwrite };
    let content = run.stdin().cloned();
    for word in &options.operands {
        run.analyst.write(word, mode, content.as_ref(), run.shell);
    }
    match content {
        Some(stdout) => Outcome { stdout, status: Status::Either },
        None => run.derived(),
    }
}

pub(super) fn sponge(run: &mut Run) -> Outcome {
    tee(run);
    Outcome::silent(Status::Either)
}
