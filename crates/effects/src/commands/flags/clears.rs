//! Programs that empty a folder before they fill it: builds with a place of their own for what they make, and what
//! makes one folder like another. In the project and in temporary folders that is what they are for, unless work lies there.

use tollgate_catalogue::Role;
use tollgate_model::{Place, Zone};

use super::given;
use crate::catalogue;
use crate::commands::Run;
use crate::unsaved::unsaved;
use crate::word::Word;

/// Takes down the folder that the command empties.
pub(super) fn notice(run: &mut Run) {
    let module = run.program.starts_with("python") && run.args.first().is_some_and(|word| word.is("-m"));
    let args = run.args;
    let program = args.get(1).filter(|_| module).and_then(Word::literal).unwrap_or(run.program);
    if program == "unison" {
        return alike(run);
    }
    if program == "cargo" && args.iter().any(|word| word.is("clean")) {
        // What the option says comes before it.
        let given = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"].iter().find_map(|name| run.variable(name));
        if let Some(folder) = given.as_ref().and_then(|value| value.as_literal()) {
            clear(run, &Word::literal_at(folder, run.call.span));
        }
    }
    // Within the project it empties the folder without being told to.
    if program == "vite"
        && args.iter().any(|word| word.is("build"))
        && !args.iter().any(|word| word.is("--emptyOutDir=false"))
    {
        let inside = |run: &Run, folder: &Word| {
            let places = run.analyst.places(folder, run.shell);
            places.iter().all(|(place, _)| place.zone == Zone::Workspace && !place.root)
        };
        for folder in given(run, "outDir=") {
            if inside(run, &folder) {
                clear(run, &folder);
            }
        }
    }
    for way in catalogue::uses(program).iter().filter(|way| way.role == Role::Empties) {
        if !way.with.is_empty() && !run.args.iter().any(|word| way.with.iter().any(|flag| word.is(flag))) {
            continue;
        }
        for folder in given(run, way.options) {
            clear(run, &folder);
        }
    }
}

/// Options of unison that take the next word.
const UNISON: &str = "-force -prefer -forcepartial -preferpartial -path -ignore -ignorenot -root -sshargs -rshargs -backup \
    -backupdir -backuploc -addprefsto -batchsize -copyprog -diff -merge -follow -key -label -logfile -perms -repeat -retry \
    -servercmd -sortfirst -sortlast -source -include";

/// `unison a b -force b`: what only `a` has is gone.
fn alike(run: &mut Run) {
    let words = run.args.to_vec();
    let Some(forced) = words.windows(2).find_map(|pair| match pair {
        [flag, root] if flag.is("-force") || flag.is("-prefer") => Some(root.shown()),
        _ => None,
    }) else {
        return;
    };
    let valued = |word: &Word| UNISON.split_ascii_whitespace().any(|option| word.is(option));
    let mut skip = false;
    let roots = words.iter().filter(|word| {
        let is_value = std::mem::replace(&mut skip, valued(word));
        !is_value && !word.text.prefix().starts_with('-')
    });
    for root in roots
        .filter(|root| root.shown() != forced && !root.shown().contains("://"))
        .cloned()
        .collect::<Vec<_>>()
    {
        clear(run, &root);
    }
}

fn clear(run: &mut Run, folder: &Word) {
    let world = run.analyst.world;
    let spare = |place: &Place| unsaved(place, true, world).is_empty();
    let own =
        |place: &Place| matches!(place.zone, Zone::Workspace | Zone::Temp) && !place.root && spare(place);
    if run.analyst.places(folder, run.shell).iter().any(|(place, _)| !own(place)) {
        run.analyst.delete(folder, true, run.shell);
    }
}
