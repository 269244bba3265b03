//! A command word that is only known when it runs. Most of them are the tools of build scripts, `$CC` and `"$BIN"`,
//! chosen by whoever set the variable. What the call itself made from output, decoded or downloaded data is not
//! let through, nor is any that gets something to do harm with.

use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, Place, World, Zone, is_rebuildable};
use tollgate_shell::ast::ProblemKind;
use tollgate_shell::eval::{Call, Outcome, Shell};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text};

use crate::analyst::{Analyst, call_taint, taint};
use crate::commands::strangers::{either, input, is_text, possibly, suspect};
use crate::commands::{self, Run};
use crate::paths;
use crate::word::Word;

/// Says that a command is not known.
pub(crate) fn unknown(shown: &str) -> String {
    match shown {
        "*" => "the command name is known only at run time".to_owned(),
        shown => format!("the command `{shown}` is known only at run time"),
    }
}

/// Why a part of a text was not understood.
pub(crate) fn unread(kind: ProblemKind) -> String {
    match kind {
        ProblemKind::Budget => {
            "the command is too long or too deeply nested to be analysed completely".into()
        }
        ProblemKind::StrangeByte => "it contains characters that shells interpret differently".into(),
        ProblemKind::Unexpected | ProblemKind::Unclosed | ProblemKind::OpenHeredoc => {
            "part of it is not valid shell syntax".into()
        }
        ProblemKind::Deceptive(c) => {
            format!("it contains U+{:04X}, an invisible or misleading character", u32::from(c))
        }
    }
}

/// Runs a command of which the word is not known.
pub(crate) fn run(
    analyst: &mut Analyst,
    command: &Word,
    args: &[Word],
    call: &Call,
    shell: &mut Shell,
) -> Outcome {
    let shown = command.shown();
    let built = is_built_here(analyst, command, shell);
    let mut run = Run { analyst, shell, call, path: &shown, program: &shown, args };
    let chosen = match guess(command) {
        _ if built => harmless_input(&run) && !threatens(&mut run),
        Guess::Tool(words) => {
            stand_in(&mut run, &words);
            harmless_input(&run)
        }
        Guess::Chosen => harmless_input(&run) && !threatens(&mut run),
        Guess::Glob if programs_here(&mut run, &shown) => return run.derived(),
        Guess::Glob => {
            matches(&mut run, &shown);
            false
        }
        Guess::Made => {
            suspect(&mut run);
            false
        }
    };
    if chosen {
        let argv = std::iter::once(shown).chain(args.iter().map(Word::shown)).collect();
        let program = variable(command).unwrap_or_default();
        let kind = EffectKind::Exec { program, argv, source: CodeSource::Variable };
        analyst.push(kind, call.span, Certainty::Possible);
    } else {
        analyst.opaque(unknown(&shown), command.span);
    }
    let outcome = Outcome::unknown(call_taint(call));
    match analyst.vanished(command, args, call, shell) {
        Some(other) => outcome.or(other),
        None => outcome,
    }
}

/// Is it one of the programs that a build has left in a folder for them, `build/tests/$name`? Not where the call or the
/// session has put anything there itself.
fn is_built_here(analyst: &Analyst, command: &Word, shell: &Shell) -> bool {
    let Some((folder, _)) = command.text.prefix().rsplit_once('/') else { return false };
    let marked =
        [taint::NET, taint::DECODED, taint::FILE].into_iter().any(|mark| taint::has(command.taint, mark));
    let (world, root) = (analyst.world, analyst.world.workspace());
    let written = |path: &str| {
        let within = |effect: &Effect| matches!(&effect.kind, EffectKind::Write { place, .. } if paths::within(&place.path, path));
        analyst.may_have_written_below(path) && analyst.searched().iter().any(within)
            || world.memory().touches(path)
    };
    let built = |(place, _): &(Place, Certainty)| {
        !place.pattern
            && paths::within(&place.path, root)
            && is_rebuildable(&place.path, root, world)
            && !written(&place.path)
    };
    !marked && analyst.places(&Word::literal_at(folder, command.span), shell).iter().all(built)
}

/// What is known of a command word.
enum Guess {
    /// It stands for a tool, by the name of the variable or the end of the path.
    Tool(Vec<String>),
    /// Whoever set a variable or gave an argument chose it.
    Chosen,
    /// It is a pattern.
    Glob,
    /// The call made it.
    Made,
}

fn guess(command: &Word) -> Guess {
    let text = &command.text;
    if text.has_globs() {
        return if text.has_holes() { Guess::Made } else { Guess::Glob };
    }
    if taint::sources(command.taint) == taint::SETUP {
        return Guess::Chosen;
    }
    let marked =
        [taint::NET, taint::DECODED, taint::FILE].into_iter().any(|mark| taint::has(command.taint, mark));
    if marked {
        return Guess::Made;
    }
    if let Some(name) = last_name(text).filter(|name| commands::is_command(name)) {
        return Guess::Tool(vec![name.to_owned()]);
    }
    if let Some(words) = variable(command).filter(|_| text.pieces.len() == 1).and_then(|name| tool_of(&name))
    {
        return Guess::Tool(words);
    }
    if let Some(name) = affixed(text) {
        let plain = name.trim_start_matches('-');
        return if commands::is_command(plain) { Guess::Tool(vec![plain.to_owned()]) } else { Guess::Chosen };
    }
    // `$(CROSS)$(CC)`: the last of them is the tool.
    let mut variables = text.pieces.iter().filter_map(|piece| match piece {
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => Some(name),
        _ => None,
    });
    if text.pieces.len() > 1 && variables.clone().count() == text.pieces.len() {
        let words = variables.next_back().and_then(|name| tool_of(name));
        return words.map_or(Guess::Chosen, Guess::Tool);
    }
    if is_chosen(text) || (last_name(text).is_some() && text.pieces.len() == 2) {
        Guess::Chosen
    } else {
        Guess::Made
    }
}

/// `${CROSS_COMPILE}gcc`, `prog${EXE}`: a name with something before or behind it that a build sets, or nobody does.
fn affixed(text: &Text) -> Option<&str> {
    let variable = |piece: &Piece| match piece {
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => Some(name.to_ascii_uppercase()),
        _ => None,
    };
    // Behind a name only its ending is left out: anything else would make another name of it.
    let ends = |name: String| ["EXE", "EXT", "SUFFIX", "VER"].iter().any(|end| name.contains(end));
    let name = match text.pieces.as_slice() {
        [hole, Piece::Text(name)] if variable(hole).is_some() => name,
        [Piece::Text(name), hole] if variable(hole).is_some_and(ends) => name,
        _ => return None,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (name.len() > 1 && name.chars().all(plain)).then_some(&**name)
}

/// The name behind the last `/` of a path that is known at its end.
fn last_name(text: &Text) -> Option<&str> {
    text.suffix().rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty())
}

/// The variable that a word comes from.
fn variable(command: &Word) -> Option<String> {
    command.text.pieces.iter().find_map(|piece| match piece {
        Piece::Hole(Hole { source: HoleSource::Variable(name), .. }) => Some(name.to_string()),
        _ => None,
    })
}

/// One variable or argument, alone or as a part of a path. Anything else was put together.
fn is_chosen(text: &Text) -> bool {
    let mut holes = 0;
    let mut path = true;
    for (at, piece) in text.pieces.iter().enumerate() {
        match piece {
            Piece::Hole(hole) => {
                holes += 1;
                path &= matches!(hole.source, HoleSource::Variable(_) | HoleSource::Input);
            }
            Piece::Text(known) if at == 0 => path &= known.contains('/'),
            Piece::Text(known) => path &= known.starts_with('/') || text.prefix().contains('/'),
            Piece::Glob(_) => return false,
        }
    }
    path && (holes == 1 || text.prefix().contains('/') || text.suffix().contains('/'))
}

/// Names of variables that do not sound like the tool they stand for.
const CONVENTIONS: &[(&str, &str)] = &[
    ("RM", "rm -f"),
    ("CC", "gcc"),
    ("CXX", "g++"),
    ("CPP", "cpp"),
    ("FC", "gfortran"),
    ("LD", "ld"),
    ("EDITOR", "vi"),
    ("VISUAL", "vi"),
    ("GIT_EDITOR", "vi"),
    ("PAGER", "less"),
    ("SHELL", "sh"),
    ("CONFIG_SHELL", "sh"),
    ("LN_S", "ln -s"),
    ("MKDIR_P", "mkdir -p"),
    ("INSTALL_PROGRAM", "install"),
    ("INSTALL_DATA", "install"),
    ("INSTALL_SCRIPT", "install"),
    ("PY", "python"),
];

/// The command that a variable of this name stands for: `$MAKE`, `$PYTHON3`, `$DOCKER_BIN`.
fn tool_of(name: &str) -> Option<Vec<String>> {
    if let Some((_, words)) = CONVENTIONS.iter().find(|(known, _)| *known == name) {
        return Some(words.split(' ').map(str::to_owned).collect());
    }
    let ends = ["_BIN", "_CMD", "_EXE", "_CLI", "_PATH", "_EXEC", "_COMMAND", "_PROGRAM", "CMD", "BIN"];
    let plain = ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    [plain, name].into_iter().find_map(|name| {
        let tool = name.to_ascii_lowercase().replace('_', "-");
        commands::is_command(&tool).then(|| vec![tool])
    })
}

/// Runs the tool that the word stands for; what it does is possible.
fn stand_in(run: &mut Run, words: &[String]) {
    let span = run.call.argv.first().map_or(run.call.span, |field| field.span);
    let mut command: Vec<Word> = words.iter().map(|word| Word::literal_at(word, span)).collect();
    command.extend(run.args.iter().cloned());
    let mark = run.analyst.mark();
    run.inner(&command);
    run.analyst.doubt(mark, |_| true);
}

/// Every known command that the pattern may be. Patterns in what such a command runs are not tried in turn: their
/// number would grow with every level.
fn matches(run: &mut Run, shown: &str) {
    let Some(left) = std::mem::take(&mut run.analyst.patterns).checked_sub(1) else { return };
    let pattern = shown.rsplit('/').next().unwrap_or(shown).to_owned();
    let mark = run.analyst.mark();
    for program in commands::known().filter(|name| paths::glob_could_be(&pattern, name)) {
        let Run { analyst, shell, call, args, .. } = run;
        commands::run(&mut Run { analyst, shell, call, path: program, program, args });
    }
    run.analyst.patterns = left;
    run.analyst.doubt(mark, |_| true);
}

/// More programs than that are not tried one by one.
const PROGRAMS: usize = 16;

/// Runs each program of a folder of the project that a pattern fits. False where it is no such pattern, or where the
/// call itself may have put one there.
fn programs_here(run: &mut Run, shown: &str) -> bool {
    let Some((folder, pattern)) = shown.rsplit_once('/') else { return false };
    let word = Word::literal_at(folder, run.call.span);
    let places = run.analyst.places(&word, run.shell);
    let [(place, _)] = places.as_slice() else { return false };
    let still = |effect: &Effect| match &effect.kind {
        EffectKind::Write { place, .. } => place.path == "/dev/null",
        kind => matches!(kind, EffectKind::Read { .. } | EffectKind::Exec { .. }),
    };
    let unchanged = run.analyst.searched().iter().all(still);
    if place.zone != Zone::Workspace || folder.contains(['*', '?', '[']) || !unchanged {
        return false;
    }
    let names = run.analyst.world.list(&place.path, 4096).into_iter();
    let names: Vec<String> = names.filter(|name| paths::glob_could_be(pattern, name)).collect();
    if names.len() > PROGRAMS {
        return false;
    }
    for name in names {
        let program = Word::literal_at(&format!("{folder}/{name}"), run.call.span);
        let words: Vec<Word> = std::iter::once(program).chain(run.args.iter().cloned()).collect();
        run.inner(&words);
    }
    true
}

/// Nothing downloaded, decoded or secret goes in.
fn harmless_input(run: &Run) -> bool {
    let marks = call_taint(run.call);
    ![taint::NET, taint::DECODED, taint::SECRET].into_iter().any(|mark| taint::has(marks, mark))
}

/// Could some tool do harm with what it is given?
fn threatens(run: &mut Run) -> bool {
    let mark = run.analyst.mark();
    suspect(run);
    input(run);
    for text in run.args.iter().filter(|word| is_text(word)).take(16) {
        possibly(run, |run| either(run, text));
    }
    let recursive = run.args.iter().any(|word| is_recursive(&word.shown()));
    // A path may stand alone or, as in `of=/dev/sda`, behind a name.
    let words = run.args.iter().filter(|word| !word.text.prefix().starts_with('-'));
    let paths = words.flat_map(|word| [word.clone(), word.after('=')]);
    let operands: Vec<Word> = paths.filter(|word| !word.text.is_empty()).collect();
    run.analyst.since(mark).iter().any(|_| true)
        || operands.iter().any(|word| {
            let places = run.analyst.places(word, run.shell);
            places.iter().any(|(place, _)| is_tender(place, recursive, run.analyst.world))
        })
}

/// The options of a recursive deletion.
fn is_recursive(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    text == "--recursive"
        || (letters.contains(['r', 'R']) && letters.chars().all(|letter| "rRfviI".contains(letter)))
}

/// A place that no unknown command should be given: secrets, devices, homes, and what a recursive one would take.
fn is_tender(place: &Place, recursive: bool, world: &dyn World) -> bool {
    let is_workspace = place.path == world.workspace();
    let far = matches!(place.zone, Zone::Unknown) || place.zone >= Zone::OtherProject || place.root;
    matches!(place.zone, Zone::Secret | Zone::AgentConfig)
        || (place.root && place.zone >= Zone::Home && !is_workspace)
        || place.path.starts_with("/dev/")
            && !matches!(place.path.as_str(), "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
        || (recursive && far)
}
