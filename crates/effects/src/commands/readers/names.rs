//! Names of files in a search: which secrets a pattern or a glob picks.

use tollgate_model::{Certainty, EffectKind, FileKind, Place, Zone};
use tollgate_shell::eval::{Outcome, Shell, Status};
use tollgate_shell::value::{Taint, Value};

use super::search::{Search, may_hold};
use crate::analyst::{Analyst, taint};
use crate::commands::Run;
use crate::commands::uses::is_flag;
use crate::options::Options;
use crate::paths;
use crate::secrets_scan::asks_for_key;
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
    if run.program == "rg" && !options.has("files") && leaves_nothing_out(run.args, options) {
        let mut found: Vec<Word> = folders.iter().flat_map(|folder| environments(run, folder)).collect();
        found.retain(|file| is_searched(run, options, file));
        found.iter().for_each(|file| drop(run.read(file, false)));
    }
}

/// The secrets whose names a search prints: those that it comes upon and that may hold what it looks for.
pub(super) fn held(run: &Run, search: &Search) -> Vec<Word> {
    let options = search.options;
    let reaches = match run.program {
        "rg" => leaves_nothing_out(run.args, options),
        "ag" => options.has("u") || options.has("hidden") && options.has("U"),
        "ack" => false,
        _ => true,
    };
    if !search.walks || !reaches {
        return Vec::new();
    }
    let whole = options.has("v") || options.has("L") || options.has("files");
    let holds = |file: &Word| {
        let bytes = run.analyst.world.read(&file.shown(), HELD).unwrap_or_default();
        whole || String::from_utf8(bytes).is_ok_and(|text| may_hold(run.program, search, &text))
    };
    let found = search.files.iter().flat_map(|folder| environments(run, folder));
    found.filter(|file| is_wanted(run, options, file) && holds(file)).collect()
}

/// How much of a file is searched for what a pattern fits.
const HELD: usize = 64 * 1024;

/// Do the patterns of names leave a file in?
fn is_wanted(run: &Run, options: &Options, file: &Word) -> bool {
    if run.program == "rg" {
        return is_searched(run, options, file);
    }
    let shown = file.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    let fits = |glob: &Word| paths::finds(&glob.shown(), name);
    !options.values("exclude").any(fits) && (!options.has("include") || options.values("include").any(fits))
}

/// The files of secrets that a walk through a folder comes upon: those right in it, and the project's.
pub(in crate::commands) fn environments(run: &Run, folder: &Word) -> Vec<Word> {
    let world = run.analyst.world;
    let places = run.analyst.places(folder, run.shell).into_iter().filter(|(place, _)| !place.pattern);
    let folders = places.flat_map(|(place, _)| {
        let above = paths::within(world.workspace(), &place.path) && place.path != world.workspace();
        above.then(|| world.workspace().to_owned()).into_iter().chain([place.path])
    });
    let files = folders.flat_map(|folder| {
        let names = world.list(&folder, LISTED).into_iter().filter(|name| name.contains(".env"));
        names.map(|name| format!("{}/{name}", folder.trim_end_matches('/'))).collect::<Vec<_>>()
    });
    let is_secret = |file: &Word| {
        let secret = |(place, _): &(Place, Certainty)| {
            place.zone == Zone::Secret && world.kind(&place.path) == FileKind::File
        };
        run.analyst.places(file, run.shell).iter().any(secret)
    };
    files.map(|file| Word::literal_at(&file, folder.span)).filter(is_secret).collect()
}

/// Types of files with which ripgrep counts `.env` as well.
const WITH_ENVIRONMENTS: &[&str] = &["all", "sh"];

/// Do the types and the globs that ripgrep is given leave a file in? Of the globs that fit it the last one decides.
fn is_searched(run: &Run, options: &Options, file: &Word) -> bool {
    let own = options.has("type-add") || options.has("type-clear");
    let mut types = options.values("t").map(Word::shown).peekable();
    let typed = types.peek().is_none() || own || types.any(|name| WITH_ENVIRONMENTS.contains(&name.as_str()));
    let skipped = |name: &Word| WITH_ENVIRONMENTS.contains(&name.shown().as_str());
    if !typed || !own && options.values("T").any(skipped) {
        return false;
    }
    let here = run.shell.cwd().as_literal().map(|cwd| format!("{}/", cwd.trim_end_matches('/')));
    let path = file.shown();
    let path = here.as_deref().and_then(|here| path.strip_prefix(here)).unwrap_or(&path);
    let folded = options.values("iglob").map(|glob| glob.shown().to_ascii_lowercase());
    let globs: Vec<String> = options.values("g").map(Word::shown).chain(folded).collect();
    let wanted = globs.iter().any(|glob| !glob.starts_with('!'));
    let fitting = globs.iter().rev().find(|glob| paths::finds(glob.trim_start_matches('!'), path));
    fitting.map_or(!wanted, |glob| !glob.starts_with('!'))
}

/// `--hidden --no-ignore`; `-u` is the second of them, and given twice it is both.
fn leaves_nothing_out(words: &[Word], options: &Options) -> bool {
    let letters = |word: &Word| {
        let text = word.text.prefix();
        let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let plain = |c: char| "uinlcowxqshHFPSUa.N".contains(c);
        short.filter(|rest| rest.chars().all(plain)).map_or(0, |rest| rest.matches('u').count())
            + usize::from(text == "--unrestricted")
    };
    let loosened: usize = words.iter().map(letters).sum();
    let hidden = options.has("hidden") || options.has(".");
    let unignored = ["no-ignore", "no-ignore-vcs"].iter().any(|name| options.has(name));
    loosened > 1 || hidden && (unignored || loosened == 1)
}

/// A search through a whole home for what secrets look like shows them, wherever they lie.
pub(crate) fn secrets_in_home(analyst: &mut Analyst, pattern: &str, folder: &Word, shell: &Shell) {
    if !looks_for_secrets(pattern) {
        return;
    }
    let home = analyst.world.home().to_owned();
    for (place, certainty) in analyst.places(folder, shell) {
        if !place.pattern && paths::within(&home, &place.path) {
            let place = Place { zone: Zone::Secret, ..place };
            analyst.push(EffectKind::Read { place, recursive: true }, folder.span, certainty);
        }
    }
}

/// Does it name a variable that holds a secret, or the beginning of a key?
fn looks_for_secrets(pattern: &str) -> bool {
    let mut words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let begins = ["AKIA", "ghp_", "github_pat_", "sk-ant-", "sk-proj-", "xoxb-", "glpat-"];
    let plain =
        ["password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials", "apikey"];
    pattern.contains("PRIVATE KEY")
        || pattern.split('|').any(|one| plain.contains(&one.trim().to_ascii_lowercase().as_str()))
        || begins.iter().any(|begin| pattern.contains(begin))
        || asks_for_key(pattern)
        || words
            .any(|word| word.contains('_') && crate::secret_names::is_secret_name(&word.to_ascii_uppercase()))
}

/// Of a file its own name is printed, of a folder those in it.
pub(in crate::commands) fn is_file(run: &Run, word: &Word) -> bool {
    let places = run.analyst.places(word, run.shell);
    !places.is_empty()
        && places.iter().all(|(place, _)| run.analyst.world.kind(&place.path) == FileKind::File)
}

/// `ls`: names of files, which a filter may pick some of. What patterns match is named with its folder, and what is not
/// the project's is worth knowing: `ls ~/Music/*.mp3 | xargs rm`.
pub(in crate::commands) fn ls(run: &mut Run) -> Outcome {
    let marks = run.derived().stdout.taint.union(taint::NAMES);
    let whole = run.args.iter().any(|word| is_flag(word, "-d"));
    let told = |word: &&Word| {
        let shown = word.shown();
        // Of a folder that fits, what lies in it is named without it: in a temporary one that says nothing about where.
        let temporary =
            || run.analyst.places(word, run.shell).iter().any(|(place, _)| place.zone == Zone::Temp);
        !shown.starts_with('-')
            && (shown.contains(['*', '?', '[']) || whole && shown.contains('/') || is_file(run, word))
            && (whole || !temporary())
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

/// The secrets that a walk finds which leaves nothing out, by a part of their names.
pub(in crate::commands) fn named_like(run: &Run, folder: &Word, pattern: &str) -> Vec<Word> {
    let mut found = environments(run, folder);
    found.retain(|file| {
        let shown = file.shown();
        pattern.is_empty() || asks_for(pattern, shown.rsplit('/').next().unwrap_or_default())
    });
    found
}

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
