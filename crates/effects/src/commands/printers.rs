//! Programs that print a path: what they print is known when what they are given is.

use tollgate_model::{Effect, EffectKind, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Hole, HoleSource, Piece, Taint, Text, Value};

use super::{Run, interpreters};
use crate::options::{Order, read};
use crate::paths::normal;
use crate::word::Word;

/// `history -w file` and `-a file` write down what was entered, or what `history -s` says was.
pub(super) fn history(run: &mut Run) -> Outcome {
    let options = read(run.args, "a c d= n p r s w", Order::First);
    if options.has("a") || options.has("w") {
        let mode = if options.has("w") { WriteMode::Overwrite } else { WriteMode::Append };
        let kept = run.shell.variable("HISTFILE").and_then(|file| file.as_literal().map(str::to_owned));
        let kept = kept.map(|file| Word::literal_at(&file, run.call.span));
        if let Some(file) = options.operands.first().cloned().or(kept) {
            run.analyst.write(&file, mode, None, run.shell);
        }
    }
    run.derived()
}

/// `fc -s` runs a line of the history again, changed or not; without `-s` an editor gets it first.
pub(super) fn fc(run: &mut Run) -> Outcome {
    let options = read(run.args, "e= l n r s", Order::First);
    if options.has("l") {
        return run.derived();
    }
    if let Some(editor) = options.value("e").filter(|editor| !editor.is("-")).cloned() {
        interpreters::code(run, &editor.value(), editor.span);
    }
    let entered = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } if program == "history" => {
            let at = argv.iter().position(|word| word == "-s")?;
            Some(argv.get(at + 1..)?.join(" "))
        }
        _ => None,
    };
    let lines: Vec<String> = run.analyst.searched().iter().filter_map(entered).collect();
    let changed =
        options.operands.iter().filter(|word| word.text.prefix().contains('=')).map(|word| word.after('='));
    let changed: Vec<Value> = changed.map(|word| word.value()).collect();
    for text in lines.iter().map(|line| Value::text(line)).chain(changed) {
        interpreters::code(run, &text, run.call.span);
    }
    run.derived()
}

pub(super) fn pwd(run: &mut Run) -> Outcome {
    printed(run.shell.cwd().clone())
}

pub(super) fn dirname(run: &mut Run) -> Outcome {
    let options = read(run.args, "z,zero", Order::Anywhere);
    each(run, &options.operands, |text| {
        let path = text.trim_end_matches('/');
        match path.rfind('/') {
            _ if path.is_empty() && !text.is_empty() => "/".to_owned(),
            Some(0) => "/".to_owned(),
            Some(at) => path.get(..at).unwrap_or_default().trim_end_matches('/').to_owned(),
            None => ".".to_owned(),
        }
    })
}

pub(super) fn basename(run: &mut Run) -> Outcome {
    let options = read(run.args, "a,multiple s,suffix= z,zero", Order::Anywhere);
    let many = options.has("a") || options.has("s");
    let suffix = if many { options.value("s") } else { options.operands.get(1) };
    let Some(suffix) = suffix.map_or(Some(""), Word::literal).map(str::to_owned) else {
        return run.derived();
    };
    let names =
        if many { options.operands.as_slice() } else { options.operands.get(..1).unwrap_or_default() };
    each(run, names, |text| {
        let path = text.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or_default();
        let cut = name.strip_suffix(suffix.as_str()).filter(|rest| !rest.is_empty()).unwrap_or(name);
        if path.is_empty() && !text.is_empty() { "/".to_owned() } else { cut.to_owned() }
    })
}

pub(super) fn realpath(run: &mut Run) -> Outcome {
    let spec = "e,canonicalize-existing E,canonicalize m,canonicalize-missing L,logical P,physical q,quiet \
        relative-to= relative-base= s,strip,no-symlinks z,zero";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("relative-to") || options.has("relative-base") {
        return run.derived();
    }
    let follow = !options.has("s");
    resolved(run, &options.operands, follow)
}

/// With one of `-f`, `-e`, `-m` it is `realpath`; without, it prints what one link holds.
pub(super) fn readlink(run: &mut Run) -> Outcome {
    let spec = "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero";
    let options = read(run.args, spec, Order::Anywhere);
    resolved(run, &options.operands, true)
}

fn resolved(run: &mut Run, words: &[Word], follow: bool) -> Outcome {
    let [word] = words else { return run.derived() };
    let value = run.shell.resolve(&word.value());
    let Some(path) = value.as_literal().map(normal) else { return printed(value) };
    let path = run.analyst.links.follow(&Text::literal(&path)).as_literal().map_or(path, str::to_owned);
    let real = run.analyst.world.real(&path).filter(|_| follow);
    printed(Value::text(&real.unwrap_or(path)))
}

/// Paths anywhere on the machine whose last part is the name that is asked for.
pub(super) fn locate(run: &mut Run) -> Outcome {
    let is_regular = |word: &Word| {
        let text = word.shown();
        text.starts_with("--regex") || text.starts_with('-') && !text.starts_with("--") && text.contains('r')
    };
    let regular = run.args.iter().any(is_regular);
    let names = run.args.iter().filter(|word| !word.text.prefix().starts_with('-'));
    let texts: Vec<Text> = names
        .map(|word| {
            let mut text = Text::literal("/");
            text.push(Piece::Hole(Hole::new(HoleSource::Output)));
            text.push_str("/");
            match word.literal().filter(|_| regular) {
                Some(pattern) => text.push_str(&plain_end(pattern)),
                None => text.append(&word.text),
            }
            text
        })
        .collect();
    if texts.is_empty() { run.derived() } else { printed(Value::of(texts, Taint::NONE)) }
}

/// The name that a regular expression ends with: `.env` of `/\.env$`.
fn plain_end(pattern: &str) -> String {
    let plain = pattern.trim_end_matches('$').replace("\\.", ".").replace(['^', '(', ')'], "");
    plain.rsplit(['/', '*', '+', '|', ']']).next().unwrap_or_default().to_owned()
}

/// A new name in a folder for temporary files, or the given one with its last letters made up.
pub(super) fn mktemp(run: &mut Run) -> Outcome {
    let options = read(run.args, "d,directory u,dry-run q,quiet suffix= p= tmpdir? t V", Order::Anywhere);
    let template = options.operands.first();
    let folder = options.value("p").or(options.value("tmpdir"));
    let temporary = ["p", "tmpdir", "t"].iter().any(|name| options.has(name)) || template.is_none();
    let mut text = Text::default();
    if temporary {
        text.append(&folder.map_or_else(|| temp_folder(run), |folder| folder.text.clone()));
        text.push_str("/");
    }
    match template.map(|word| word.text.pieces.as_slice()) {
        Some([start @ .., Piece::Text(end)]) => {
            start.iter().for_each(|piece| text.push(piece.clone()));
            text.push_str(end.trim_end_matches('X'));
        }
        Some(pieces) => pieces.iter().for_each(|piece| text.push(piece.clone())),
        None => text.push_str("tmp."),
    }
    // A name of its own, so that two of them are never taken for one.
    text.push_str(&format!("X{}", run.analyst.next_temporary()));
    let path = Word { text, ..Word::literal_at("", run.call.span) };
    if options.has("d") {
        run.shell.make_folder(&path.value());
        run.analyst.make_dir(&path, run.shell);
    } else if !options.has("u") {
        run.analyst.make_file(&path, run.shell);
    }
    printed(run.shell.resolve(&run.analyst.in_temp(&path)))
}

fn temp_folder(run: &Run) -> Text {
    let set = run.shell.variable("TMPDIR").and_then(|value| value.single().cloned());
    let given = || run.analyst.world.environment("TMPDIR").map(|folder| Text::literal(&folder));
    let usual = || Text::literal(run.analyst.world.temp_dirs().first().map_or("/tmp", String::as_str));
    set.filter(|text| !text.is_empty()).or_else(given).unwrap_or_else(usual)
}

/// Prints what becomes of each word; with an unknown one among them, nothing is known.
fn each(run: &Run, words: &[Word], make: impl Fn(&str) -> String) -> Outcome {
    let texts: Option<Vec<String>> = words.iter().map(|word| word.literal().map(&make)).collect();
    match texts.filter(|texts| !texts.is_empty()) {
        Some(texts) => printed(Value::text(&texts.join("\n"))),
        None => run.derived(),
    }
}

fn printed(mut value: Value) -> Outcome {
    value.any.iter_mut().for_each(|text| text.push_str("\n"));
    Outcome { stdout: value, status: Status::Either }
}
