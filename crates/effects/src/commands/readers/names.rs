//! Names of files in a search: which secrets a pattern or a glob picks.

use tollgate_model::{Certainty, EffectKind, FileKind, Place, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Taint, Value};

use crate::analyst::taint;
use crate::commands::Run;
use crate::commands::alter::is_flag;
use crate::commands::secrets;
use crate::options::Options;
use crate::paths;
use crate::word::Word;

/// A search below a folder reaches the secrets in it when it asks for files of such a name, or leaves nothing out.
pub(super) fn named_files(run: &mut Run, options: &Options, walks: bool, skip: usize) {
    if !walks {
        return;
    }
    let folders: Vec<Word> = match options.operands.get(skip..) {
        Some(folders) if !folders.is_empty() => folders.to_vec(),
        _ => vec![Word::literal_at(".", run.call.span)],
    };
    let asked = ["include", "g", "glob", "iglob"].iter().flat_map(|name| options.values(name));
    for glob in asked.map(Word::shown).collect::<Vec<_>>() {
        for folder in &folders {
            run.analyst.search(folder, &glob, run.shell);
        }
    }
    let everything = run.program == "rg" && options.has("hidden") && options.has("no-ignore");
    let file = Word::literal_at(".env", run.call.span);
    let secret = |(place, _): &(Place, Certainty)| {
        place.zone == Zone::Secret && run.analyst.world.kind(&place.path) == FileKind::File
    };
    if everything && run.analyst.places(&file, run.shell).iter().any(secret) {
        run.read(&file, false);
    }
}

/// A search through a whole home for what secrets look like shows them, wherever they lie.
pub(super) fn secrets_in_home(run: &mut Run, pattern: &Word, folders: &[Word]) {
    if !looks_for_secrets(&pattern.shown()) {
        return;
    }
    let home = run.analyst.world.home().to_owned();
    for folder in folders {
        for (place, certainty) in run.analyst.places(folder, run.shell) {
            if !place.pattern && paths::within(&home, &place.path) {
                let place = Place { zone: Zone::Secret, ..place };
                run.analyst.push(EffectKind::Read { place, recursive: true }, folder.span, certainty);
            }
        }
    }
}

/// Does it name a variable that holds a secret, or the beginning of a key?
fn looks_for_secrets(pattern: &str) -> bool {
    let mut words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let begins = ["AKIA", "ghp_", "github_pat_", "sk-ant-", "sk-proj-", "xoxb-", "npm_", "glpat-"];
    pattern.contains("PRIVATE KEY")
        || begins.iter().any(|begin| pattern.contains(begin))
        || words.any(|word| word.contains('_') && secrets::is_secret_name(&word.to_ascii_uppercase()))
}

/// `ls`: names of files, which a filter may pick some of. What patterns match is named with its folder, and what is not
/// the project's is worth knowing: `ls ~/Music/*.mp3 | xargs rm`.
pub(in crate::commands) fn ls(run: &mut Run) -> Outcome {
    let marks = run.derived().stdout.taint.union(taint::NAMES);
    let whole = run.args.iter().any(|word| is_flag(word, "-d"));
    let told = |word: &&Word| {
        let shown = word.shown();
        !shown.starts_with('-')
            && (shown.contains(['*', '?', '[']) || whole && shown.contains('/'))
            && run.analyst.places(word, run.shell).iter().all(|(place, _)| place.zone != Zone::Temp)
    };
    let names: Vec<_> = run.args.iter().filter(told).map(|word| word.text.clone()).collect();
    match names.is_empty() || run.args.iter().any(|word| is_flag(word, "-l")) {
        true => Outcome::unknown(marks),
        false => Outcome { stdout: Value::of(names, marks), status: Status::Either },
    }
}

/// Names of files that a pattern picks from a listing: those of secrets are worth knowing.
pub(super) fn picked(run: &Run, pattern: &Word, marks: Taint) -> Outcome {
    let unknown = Value::output(marks);
    let cwd = run.shell.cwd().clone();
    let (Some(folder), Some(pattern)) = (cwd.as_literal(), pattern.literal()) else {
        return Outcome::unknown(marks);
    };
    let secret = |name: &String| {
        let word = Word::literal_at(name, run.call.span);
        run.analyst.places(&word, run.shell).iter().any(|(place, _)| place.zone == Zone::Secret)
    };
    let names = run.analyst.world.list(folder, LISTED).into_iter().filter(|name| asks_for(pattern, name));
    let stdout = names.filter(secret).take(8).fold(unknown, |all, name| all.union(&Value::text(&name)));
    Outcome { stdout, status: Status::Either }
}

/// How many names of a folder are looked at.
const LISTED: usize = 512;

/// Does a pattern ask for a name? Its longest plain part decides, at the end of the name that it is tied to.
fn asks_for(pattern: &str, name: &str) -> bool {
    pattern.split('|').any(|one| {
        let plain: String = one.chars().filter(|c| *c != '\\').collect();
        let (start, end) = (plain.starts_with('^'), plain.ends_with('$'));
        let parts = plain.trim_matches(['^', '$', '(', ')']).split(['*', '+', '?', '[', ']', '(', ')']);
        let Some(part) = parts.max_by_key(|part| part.len()) else { return false };
        let part = part.to_ascii_lowercase();
        let name = name.to_ascii_lowercase();
        // A dot at its edge may stand for any letter.
        let core = part.trim_matches('.');
        core.len() > 1
            && name.contains(core)
            && (!start || name.trim_start_matches('.').starts_with(core))
            && (!end || name.ends_with(core))
    })
}
