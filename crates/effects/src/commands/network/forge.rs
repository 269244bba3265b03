//! What goes to a forge: words and files that others can read from then on, and what its client is told to keep or undo.

use tollgate_model::git::Repo;
use tollgate_model::{Audience, Carried, Certainty, EffectKind, Lasting, Loss, Place, Zone};

use super::super::Run;
use super::address::send;
use super::cargo::Cargo;
use super::stores::{after, upload};
use crate::options::{Order, read};
use crate::unsaved::unsaved;
use crate::word::Word;

/// What is said on a forge, in words or from a file, is for others to read: a secret in it is out.
pub(super) fn told(run: &mut Run) {
    let words: Vec<String> = run.args.iter().take(2).map(Word::shown).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut files = after(run, &["--body-file", "--notes-file"]);
    if let ["issue" | "pr" | "release", _] = words.as_slice() {
        files.extend(after(run, &["-F"]));
    }
    if let ["release", "upload" | "create"] = words.as_slice() {
        files.extend(run.args.iter().skip(3).filter(|word| !word.text.prefix().starts_with('-')).cloned());
    }
    if matches!(words.as_slice(), ["release", _]) && !files.is_empty() {
        to_strangers(run);
    }
    files
        .iter()
        .filter(|file| !file.is("-"))
        .for_each(|file| shown_to_others(run, file, "the forge's pages"));
    kept(run, &words);
    let mut cargo = Cargo::default();
    let names = [
        "--body",
        "-b",
        "--title",
        "-t",
        "--notes",
        "-n",
        "-d",
        "--description",
        "-f",
        "--raw-field",
        "-F",
        "--field",
        "-m",
        "--message",
    ];
    // Secrets of a forge are where secrets belong; everything else can be read by others.
    let open = !matches!(words.as_slice(), ["secret" | "auth" | "api", ..]);
    for word in after(run, &names) {
        match open {
            true => cargo.word(&word, "."),
            false => cargo.value(&word.value()),
        }
    }
    cargo.sure.retain(|what| matches!(what, Carried::Secret | Carried::Environment | Carried::Credential(_)));
    if !cargo.is_empty() {
        let word = Word::literal_at(run.program, run.call.span);
        send(run, &word, "the forge's pages", cargo, true);
    }
}

/// `gh pr checkout --force` resets the branch that it finds, with what is not committed on it.
fn reset(run: &mut Run) {
    let here = Word::literal_at(".", run.call.span);
    let places = run.analyst.places(&here, run.shell);
    let lost: Vec<String> =
        places.iter().flat_map(|(place, _)| unsaved(place, false, run.analyst.world)).collect();
    if !lost.is_empty() {
        let operation = "gh pr checkout --force".to_owned();
        let kind = EffectKind::WorkLoss { operation, kind: Loss::Files, lost, root: String::new() };
        run.analyst.push(kind, run.call.span, Certainty::Possible);
    }
}

/// `gh extension install owner/gh-name`: a program that runs as a word of `gh`. What lies here is the person's own.
fn extended(run: &mut Run) {
    let Some(name) = run.args.iter().skip(2).find(|word| !word.text.prefix().starts_with('-')) else {
        return;
    };
    let shown = name.shown();
    let official = shown.strip_prefix("https://github.com/").unwrap_or(&shown).starts_with("github/");
    if shown.contains('/') && !shown.starts_with(['.', '/']) && !official {
        let what = format!("an extension of {}, `{shown}`", run.program);
        run.push(EffectKind::Persist { kind: Lasting::StartupFile, what });
    }
}

/// What the client keeps for later calls, or undoes here.
fn kept(run: &mut Run, words: &[&str]) {
    if let ["alias", "set"] = words
        && run
            .args
            .iter()
            .any(|word| word.text.prefix().starts_with('!') || word.is("--shell") || word.is("-s"))
    {
        run.push(EffectKind::Persist {
            kind: Lasting::StartupFile,
            what: format!("an alias of {}", run.program),
        });
    }
    if let ["pr", "checkout" | "co"] = words
        && run.args.iter().any(|word| word.is("--force") || word.is("-f"))
    {
        reset(run);
    }
    if let ["extension" | "extensions" | "ext", "install"] = words {
        extended(run);
    }
}

/// Files go to a project that is none of the repository's remotes.
fn to_strangers(run: &mut Run) {
    let Some(target) = after(run, &["-R", "--repo"]).first().cloned() else { return };
    let world = run.analyst.world;
    let repo = run.shell.cwd().as_literal().and_then(|folder| Repo::find(folder, world));
    let Some(config) = repo.map(|repo| repo.config(world)) else { return };
    let shown = target.shown();
    let path = shown.trim_end_matches(".git").trim_start_matches("https://");
    let known = config.named("remote", "url").any(|(_, url)| url.trim_end_matches(".git").ends_with(path));
    let any = config.named("remote", "url").next().is_some();
    if !known && any && target.literal().is_some() {
        let kind = EffectKind::Publish { target: Audience::ForeignRemote(shown) };
        run.analyst.push(kind, target.span, Certainty::Possible);
    }
}

/// A file that others can read from then on. What belongs to the project is there for that.
pub(super) fn shown_to_others(run: &mut Run, file: &Word, host: &str) {
    let outside = |place: &Place| matches!(place.zone, Zone::Home | Zone::OtherProject | Zone::Secret);
    let private = run.analyst.places(file, run.shell).iter().any(|(place, _)| outside(place));
    let mut cargo = Cargo::default();
    cargo.file(run, file, false);
    if private {
        send(run, file, host, cargo, true);
    }
}

/// `gh gist create`, and files given to `gh api`.
pub(super) fn gist(run: &mut Run) {
    let verbs: Vec<String> = run.args.iter().take(2).map(Word::shown).collect();
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    match verbs.as_slice() {
        ["gist", "create" | "new" | "edit"] => {
            let rest = run.args.get(2..).unwrap_or_default().to_vec();
            let options = read(&rest, "d,desc= f,filename= p,public w,web a,add= r,remove=", Order::Anywhere);
            let files: Vec<Word> = options.operands.iter().chain(options.values("a")).cloned().collect();
            let is_edit = verbs.contains(&"edit");
            let mut cargo = Cargo::default();
            files.iter().skip(usize::from(is_edit)).for_each(|file| cargo.file(run, file, false));
            if files.is_empty() {
                cargo.stdin(run);
            }
            let word = Word::literal_at("gist.github.com", run.call.span);
            send(run, &word, "gist.github.com", cargo, true);
        }
        ["api", ..] => {
            let mut files = after(run, &["--input"]);
            let fields = after(run, &["-F", "--field"]);
            files.extend(
                fields
                    .iter()
                    .map(|word| word.after('='))
                    .filter(|word| word.text.prefix().starts_with('@'))
                    .map(|word| word.from(1)),
            );
            upload(run, &files, "api.github.com");
        }
        _ => {}
    }
}
