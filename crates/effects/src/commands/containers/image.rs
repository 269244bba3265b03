//! An image that the call, or the session, has described itself: what its build runs, what it starts, and the files that
//! are put into it.

use tollgate_model::json::{self, Value as Json};
use tollgate_model::{EffectKind, FileKind};
use tollgate_shell::value::{Text, Value};

use super::super::Run;
use crate::commands::verbs::Line;
use crate::elsewhere::Elsewhere;
use crate::options::Options;
use crate::paths;
use crate::word::Word;

/// The names that a description goes by.
const NAMES: [&str; 2] = ["Dockerfile", "Containerfile"];

/// What a container starts: what is named, else what an image of ours does.
pub(super) fn entered(
    run: &mut Run,
    options: &Options,
    command: Vec<Word>,
    there: &mut Elsewhere,
) -> Vec<Word> {
    if command.is_empty() { own_command(run, there) } else { super::reach::entered(options, command) }
}

/// What an image of ours starts when nothing else is named.
fn own_command(run: &mut Run, there: &mut Elsewhere) -> Vec<Word> {
    let Some(text) = described(run) else { return Vec::new() };
    let steps = instructions(&text);
    let mut folder = "/".to_owned();
    steps.iter().for_each(|step| step.fill(run, ".", &mut folder, there));
    let last = |name: &str| steps.iter().rfind(|step| step.name == name).map(|step| words(&step.rest));
    let parts = [last("ENTRYPOINT"), last("CMD")].into_iter().flatten().flatten();
    parts.map(|word| Word::literal_at(&word, run.call.span)).collect()
}

/// The description: one that this session wrote, or any where this call builds.
fn described(run: &mut Run) -> Option<String> {
    let builds = |kind: &EffectKind| matches!(kind, EffectKind::Exec { argv, .. } if argv.iter().any(|word| word == "build"));
    let builds = run.analyst.searched().iter().any(|effect| builds(&effect.kind));
    NAMES.iter().find_map(|name| {
        let file = Word::literal_at(name, run.call.span);
        let own = run.analyst.own_text(&file, run.shell);
        let text = own.or_else(|| if builds { run.analyst.script(&file, run.shell) } else { None });
        text.as_ref().and_then(Value::as_literal).map(str::to_owned)
    })
}

/// A build from a description on standard input, or from one that this session wrote: what its commands send away, of
/// what they are given.
pub(super) fn built(run: &mut Run, line: &Line) {
    let context = line.operands.last().map_or_else(|| ".".to_owned(), Word::shown);
    let Some(text) = given(run, line, &context) else { return };
    let mut there = Elsewhere::new(run.analyst.world);
    for secret in line.values(&["secret"]) {
        let shown = secret.shown();
        let part = |name: &str| shown.split(',').find_map(|part| part.strip_prefix(name).map(str::to_owned));
        if let (Some(id), Some(source)) = (part("id="), part("src=").or_else(|| part("source="))) {
            there.mount(&format!("/run/secrets/{id}"), Text::literal(&source), true);
        }
    }
    let mut folder = "/".to_owned();
    for step in instructions(&text) {
        step.fill(run, &context, &mut folder, &mut there);
        if step.name != "RUN" {
            continue;
        }
        let mark = run.analyst.mark();
        let command: Vec<Word> =
            words(&step.rest).iter().map(|word| Word::literal_at(word, run.call.span)).collect();
        super::inside(run, there.clone(), Some(&Word::literal_at(&folder, run.call.span)), &command);
        run.analyst.sift(mark, |effect| {
            matches!(&effect.kind, EffectKind::Net { carries, .. } if !carries.is_empty())
                || matches!(effect.kind, EffectKind::Read { .. })
        });
    }
}

/// The text of the description. What is committed was read by those who work on it.
fn given(run: &Run, line: &Line, context: &str) -> Option<String> {
    let named = line.values(&["f", "file"]).last().map(Word::shown);
    if context == "-" || named.as_deref() == Some("-") {
        return run.stdin()?.as_literal().map(str::to_owned);
    }
    let usual = NAMES.iter().map(|name| format!("{}/{name}", context.trim_end_matches('/')));
    let files: Vec<String> = named.map_or_else(|| usual.collect(), |name| vec![name]);
    files.iter().find_map(|file| {
        let text = run.analyst.own_text(&Word::literal_at(file, run.call.span), run.shell)?;
        text.as_literal().map(str::to_owned)
    })
}

/// One instruction: its name in capitals, and what follows it but for its options.
struct Instruction {
    name: String,
    rest: String,
    /// What it copies comes from another image.
    from_image: bool,
}

/// The instructions of a description. A backslash at its end goes on with a line.
fn instructions(text: &str) -> Vec<Instruction> {
    let joined = text.replace("\\\n", " ");
    let parted = joined.lines().map(str::trim).filter_map(|line| line.split_once(char::is_whitespace));
    let read = parted.map(|(name, mut rest)| {
        let mut from_image = false;
        while let Some((option, behind)) =
            rest.trim_start().split_once(char::is_whitespace).filter(|(word, _)| word.starts_with("--"))
        {
            from_image |= option.starts_with("--from=");
            rest = behind;
        }
        Instruction { name: name.to_ascii_uppercase(), rest: rest.trim().to_owned(), from_image }
    });
    read.collect()
}

impl Instruction {
    /// `WORKDIR` says where paths begin, `COPY` and `ADD` put files of the build's folder there.
    fn fill(&self, run: &Run, context: &str, folder: &mut String, there: &mut Elsewhere) {
        let inside = |path: &str| match path.starts_with('/') {
            true => paths::normal(path),
            false => paths::normal(&format!("{folder}/{path}")),
        };
        match self.name.as_str() {
            "WORKDIR" => *folder = inside(&self.rest),
            "COPY" | "ADD" if !self.from_image => {
                let listed = json_list(&self.rest);
                let words =
                    listed.unwrap_or_else(|| self.rest.split_whitespace().map(str::to_owned).collect());
                let Some((to, sources)) = words.split_last() else { return };
                for source in sources.iter().filter(|source| !source.contains("://")) {
                    let path =
                        format!("{}/{}", context.trim_end_matches('/'), source.trim_start_matches('/'));
                    let here = run.shell.resolve(&Value::text(&path));
                    let Some(here) = here.as_literal().map(paths::normal) else { continue };
                    let kept = run.analyst.world.kind(&here) == FileKind::Dir;
                    let named = (to.ends_with('/') || to == "." || sources.len() > 1) && !kept;
                    let name = here.rsplit('/').next().unwrap_or_default();
                    let target = if named { inside(&format!("{to}/{name}")) } else { inside(to) };
                    there.mount(&target, Text::literal(&here), true);
                }
            }
            _ => {}
        }
    }
}

/// `["sh", "-c", "x"]`, or a line for the shell.
fn words(text: &str) -> Vec<String> {
    json_list(text).unwrap_or_else(|| ["sh", "-c", text.trim()].map(str::to_owned).to_vec())
}

fn json_list(text: &str) -> Option<Vec<String>> {
    match json::parse(text.trim().as_bytes()) {
        Ok(Json::List(list)) => Some(list.iter().filter_map(Json::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}
