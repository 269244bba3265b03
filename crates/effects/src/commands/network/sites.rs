//! Folders that are published as they are, and files that an argument names: secrets in them are out.

use tollgate_model::json::{self, Value as Json};
use tollgate_model::{FileKind, Zone};

use super::super::Run;
use super::forge::shown_to_others;
use super::stores::{after, service, upload};
use crate::word::Word;

/// The most names of a folder that are looked at, and the most of a file.
const MOST: usize = 500;
const SIZE: usize = 64 * 1024;

/// `aws … --payload fileb://file`: any argument of it may be a file. What keeps secrets and keys is given them so.
pub(super) fn arguments(run: &mut Run) {
    const KEEPERS: &[&str] = &["secretsmanager", "ssm", "kms", "acm", "iam"];
    if run.args.iter().any(|word| KEEPERS.iter().any(|keeper| word.is(keeper))) {
        return;
    }
    let named = |word: &Word| {
        let value = if word.text.prefix().starts_with("--") { word.after('=') } else { word.clone() };
        let scheme =
            ["file://", "fileb://"].iter().find(|scheme| value.text.prefix().starts_with(**scheme))?;
        Some(value.from(scheme.len()))
    };
    let files: Vec<Word> = run.args.iter().filter_map(named).collect();
    files.iter().for_each(|file| shown_to_others(run, file, "aws"));
}

/// Tools that publish a whole folder, names with a dot included unless an ignore file of theirs says otherwise.
pub(super) fn published(run: &mut Run) {
    let words: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with('-')).cloned().collect();
    let verbs: Vec<String> = words.iter().take(2).map(Word::shown).collect();
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    let here = || Word::literal_at(".", run.call.span);
    match (run.program, verbs.as_slice()) {
        ("wrangler", ["pages", "deploy" | "publish"]) => {
            let folder = words.get(2).cloned();
            folder.into_iter().for_each(|folder| secrets(run, &folder, &[]));
        }
        ("wrangler", ["deploy" | "publish", ..]) => {
            let folders = after(run, &["--assets", "--site"]);
            folders.iter().for_each(|folder| secrets(run, folder, &[".assetsignore"]));
        }
        // Without the option no name with a dot is taken along.
        ("gh-pages", _) if run.args.iter().any(|word| word.is("-t") || word.is("--dotfiles")) => {
            after(run, &["-d", "--dist"]).iter().for_each(|folder| secrets(run, folder, &[]));
        }
        ("vercel" | "vc", [] | ["deploy", ..]) => {
            let folder = after(run, &["--cwd"]).pop().or(words.get(1).cloned()).unwrap_or_else(here);
            // What is built is published, and not what it is built from.
            if !has(run, &folder, "package.json") {
                secrets(run, &folder, &[".vercelignore", ".nowignore"]);
            }
        }
        ("firebase", ["deploy", ..]) => hosted(run),
        _ => {}
    }
}

/// The folder that `firebase.json` names, without what it leaves out.
fn hosted(run: &mut Run) {
    let Some(text) = content(run, &Word::literal_at("firebase.json", run.call.span)) else { return };
    let Ok(settings) = json::parse(text.as_bytes()) else { return };
    let sites = match settings.get("hosting") {
        Some(Json::List(sites)) => sites.clone(),
        Some(site) => vec![site.clone()],
        None => return,
    };
    for site in sites {
        let ignored = site.get("ignore").and_then(Json::as_list).unwrap_or_default();
        let hides = ignored
            .iter()
            .filter_map(Json::as_str)
            .any(|glob| matches!(glob, "**/.*" | ".*" | "**/.env*" | ".env*" | ".env"));
        if let Some(folder) = site.text("public").filter(|_| !hides) {
            secrets(run, &Word::literal_at(folder, run.call.span), &[]);
        }
    }
}

/// The files of secrets that lie in a folder and that no line of the tool's own ignore files names.
fn secrets(run: &mut Run, folder: &Word, ignores: &[&str]) {
    let ignored: Vec<String> = ignores
        .iter()
        .filter_map(|name| content(run, &below(folder, name)))
        .flat_map(|text| {
            text.lines().map(|line| line.trim().trim_start_matches('/').to_owned()).collect::<Vec<_>>()
        })
        .collect();
    let world = run.analyst.world;
    let places = run.analyst.places(folder, run.shell);
    let names = places
        .iter()
        .filter(|(place, _)| !place.pattern)
        .flat_map(|(place, _)| world.list(&place.path, MOST));
    let left_out = |name: &str| {
        ignored.iter().any(|line| {
            line == name
                || line == ".*"
                || line.strip_suffix('*').is_some_and(|start| name.starts_with(start))
        })
    };
    let names: Vec<String> = names.filter(|name| !left_out(name)).collect();
    let is_secret = |file: &Word| {
        let secret = |zone: Zone, path: &str| zone == Zone::Secret && world.kind(path) == FileKind::File;
        run.analyst.places(file, run.shell).iter().any(|(place, _)| secret(place.zone, &place.path))
    };
    let files: Vec<Word> = names.iter().map(|name| below(folder, name)).filter(is_secret).collect();
    let service = service(run);
    upload(run, &files, &service);
}

fn has(run: &Run, folder: &Word, name: &str) -> bool {
    let places = run.analyst.places(&below(folder, name), run.shell);
    places.iter().any(|(place, _)| run.analyst.world.kind(&place.path) == FileKind::File)
}

fn content(run: &Run, file: &Word) -> Option<String> {
    let (place, _) = run.analyst.places(file, run.shell).into_iter().next()?;
    run.analyst.world.read(&place.path, SIZE).and_then(|bytes| String::from_utf8(bytes).ok())
}

fn below(folder: &Word, name: &str) -> Word {
    let mut text = folder.text.clone();
    text.push_str(if text.suffix().ends_with('/') { "" } else { "/" });
    text.push_str(name);
    Word { text, ..folder.clone() }
}
