//! Everything that there is, as its own list names it, taken away at once.

use tollgate_model::{Effect, EffectKind};
use tollgate_shell::value::Taint;

use crate::analyst::taint;
use crate::commands::Run;
use crate::commands::verbs::Line;
use crate::word::Word;

/// `rm -f $(docker ps -aq)`: all that is listed goes, whether it runs or not.
pub(super) fn takes_all(run: &Run, verb: &str, line: &Line) -> bool {
    let removes =
        matches!((verb, line.verb(0).as_str()), ("rm" | "remove" | "rmi", _) | ("image", "rm" | "remove"));
    let stopped = |effect: &Effect| match &effect.kind {
        EffectKind::Exec { program, argv, .. } => {
            program == run.program && argv.iter().any(|word| word == "stop" || word == "kill")
        }
        _ => false,
    };
    let all = |word: &Word| word.literal().is_none() && taint::has(word.taint, taint::CONTAINERS);
    let forced = line.has("f") || line.has("force");
    removes && run.args.iter().any(all) && (forced || run.analyst.searched().iter().any(stopped))
}

/// Does a command list all containers, or all images?
pub(in crate::commands) fn listed(words: &[String]) -> Taint {
    let mut verbs = words.iter().filter(|word| !word.starts_with('-')).map(String::as_str);
    let (verb, noun) = (verbs.next().unwrap_or_default(), verbs.next());
    let lists = match verb {
        "ps" | "images" => true,
        "container" | "image" => matches!(noun, Some("ls" | "ps" | "list")),
        _ => false,
    };
    // What is left of them by a test, the last ones, or images of a name.
    let picks = |word: &String| {
        ["--filter", "--last", "--latest", "--pod"].iter().any(|flag| word.starts_with(flag))
            || word.starts_with('-') && !word.starts_with("--") && word.contains(['f', 'n', 'l'])
    };
    let named = verb == "images" && noun.is_some();
    if lists && !named && !words.iter().any(picks) { taint::CONTAINERS } else { Taint::NONE }
}
