//! What is in a file that something will run. Only what is certain and grave is said: the rest is judged when
//! it runs.

use tollgate_model::phrase::CREDENTIAL;
use tollgate_model::{Certainty, CodeSource, Effect, EffectKind, NetDirection, Place, World, Zone};
use tollgate_shell::value::Value;

use crate::aftermath::TEXT_LIMIT;
use crate::analyst::Analyst;
use crate::carriers;
use crate::commands::tasks;
use crate::languages::Language;
use crate::notebook;
use crate::tools::{run_language, run_quoted};

/// A piece of code in a file.
pub(crate) enum Piece {
    /// Shell text.
    Shell(String),
    /// Code in another language.
    Language(Language, String),
    /// Code of a language that is not read, whose quoted texts may be commands.
    Quoted(String),
}

/// The gravest thing that the new text of a file would do when it runs and the old text would not.
pub(crate) fn danger(path: &str, text: &str, world: &dyn World) -> Option<String> {
    let new = dangers(path, text, world);
    if new.is_empty() {
        return None;
    }
    let old = world.read(path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    let old = old.map(|old| dangers(path, &old, world)).unwrap_or_default();
    new.into_iter().find(|danger| !old.contains(danger))
}

fn dangers(path: &str, text: &str, world: &dyn World) -> Vec<String> {
    let pieces = pieces(path, text);
    let mut analyst = Analyst::new(world, world.workspace());
    for piece in pieces {
        let mut shell = analyst.fresh_shell();
        match piece {
            Piece::Shell(text) => drop(shell.run(&text, &mut analyst)),
            Piece::Language(language, text) => {
                run_language(&mut analyst, &mut shell, language, &Value::text(&text));
            }
            Piece::Quoted(text) => run_quoted(&mut analyst, &mut shell, &text),
        }
    }
    analyst.found().iter().filter_map(grave).collect()
}

/// The code in a file, by its name and its first line.
fn pieces(path: &str, text: &str) -> Vec<Piece> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if let Some(pieces) = carriers::pieces(path, name, text) {
        return pieces;
    }
    match (name, extension) {
        (_, "sh" | "bash" | "zsh" | "ksh" | "command") => vec![Piece::Shell(text.to_owned())],
        (_, "ipynb") => notebook::pieces(text),
        ("Makefile" | "makefile" | "GNUmakefile", _) | (_, "mk") => {
            shell_pieces(tasks::makefile::recipes(text))
        }
        ("justfile" | "Justfile" | ".justfile", _) | (_, "just") => shell_pieces(tasks::justfile_lines(text)),
        ("package.json", _) => shell_pieces(tasks::package_scripts(text)),
        ("Taskfile.yml" | "Taskfile.yaml" | ".pre-commit-config.yaml", _) => {
            shell_pieces(tasks::yaml_commands(text))
        }
        ("devcontainer.json", _) => shell_pieces(tasks::host_commands(text)),
        ("conftest.py" | "setup.py" | "sitecustomize.py" | "usercustomize.py", _) => {
            vec![Piece::Language(Language::Python, text.to_owned())]
        }
        _ => by_first_line(path, name, text),
    }
}

fn by_first_line(path: &str, name: &str, text: &str) -> Vec<Piece> {
    let hook = path.contains("/.git/hooks/") || path.contains("/.husky/");
    let rc = name == ".envrc" || name.ends_with("rc") && name.starts_with('.') || name.ends_with("profile");
    let Some(first) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        let shell =
            hook || (rc && !matches!(name, ".npmrc" | ".yarnrc" | ".eslintrc" | ".prettierrc" | ".babelrc"));
        return if shell { vec![Piece::Shell(text.to_owned())] } else { Vec::new() };
    };
    let mut names = first.split([' ', '/', '\t']);
    if let Some(language) = names.clone().find_map(Language::of) {
        return vec![Piece::Language(language, text.to_owned())];
    }
    if names.any(|part| matches!(part, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash")) {
        return vec![Piece::Shell(text.to_owned())];
    }
    Vec::new()
}

fn shell_pieces(lines: Vec<String>) -> Vec<Piece> {
    lines.into_iter().map(Piece::Shell).collect()
}

/// What an effect would do, when it is certain and grave.
fn grave(effect: &Effect) -> Option<String> {
    if effect.certainty != Certainty::Certain {
        return None;
    }
    Some(match &effect.kind {
        EffectKind::Delete { place, recursive } if is_far(place, *recursive) => {
            format!("deletes {}", shown(place))
        }
        EffectKind::Device { place } => format!("writes to the device {}", shown(place)),
        EffectKind::Exec { source: CodeSource::Downloaded, .. } => "runs code from the network".to_owned(),
        EffectKind::Net { direction: NetDirection::Out, carries, .. } => {
            let secret = carries.iter().find(|what| what.starts_with(CREDENTIAL) || looks_secret(what))?;
            format!("sends {secret} away")
        }
        EffectKind::Tamper { what } => format!("touches {what}"),
        EffectKind::Process { signal, target } => match (signal.as_str(), target.as_str()) {
            ("fork-bomb", _) => "multiplies without end".to_owned(),
            ("power", _) => "turns the machine off".to_owned(),
            (_, "-1") => "ends every process".to_owned(),
            _ => return None,
        },
        EffectKind::Permission { place, recursive: true, .. } if place.root && place.zone >= Zone::Home => {
            format!("changes the permissions of everything in {}", shown(place))
        }
        _ => return None,
    })
}

/// Outside of the workspace, of temporary folders and of caches, or all of the workspace.
fn is_far(place: &Place, recursive: bool) -> bool {
    (place.root && recursive) || matches!(place.zone, Zone::Home | Zone::System)
}

fn looks_secret(what: &str) -> bool {
    [
        ".env",
        ".ssh",
        "id_rsa",
        "id_ed25519",
        ".netrc",
        ".aws",
        ".pem",
        ".pgpass",
        ".kube",
        "credential",
        "secret",
    ]
    .iter()
    .any(|part| what.contains(part))
}

fn shown(place: &Place) -> String {
    format!("`{}`", if place.shown.is_empty() { &place.path } else { &place.shown })
}
