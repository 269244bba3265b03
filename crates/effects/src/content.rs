//! What is in a file that something will run. Only what is grave is said: the rest is judged when it runs.

use tollgate_model::{
    Carried, Certainty, CodeSource, Effect, EffectKind, EnvUse, Lasting, NetDirection, Place, ProcessAction,
    World, Zone,
};
use tollgate_shell::value::Value;

use crate::TEXT_LIMIT;
use crate::analyst::Analyst;
use crate::cargo;
use crate::carriers::{self, Part, Runs};
use crate::commands::opened;
use crate::gravity::{Purpose, Setting};
use crate::languages::{Budget, Language};
use crate::pipelines;
use crate::search::searched;
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

impl Piece {
    fn text(&self) -> &str {
        match self {
            Self::Shell(text) | Self::Language(_, text) | Self::Quoted(text) => text,
        }
    }
}

/// How much of a file a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it.
    Whole,
    /// What an edit puts into a file whose text is not known.
    Part,
}

/// The gravest thing that the new text of a file would do when it runs and the old text would not.
pub(crate) fn danger(path: &str, text: &str, extent: Extent, world: &dyn World) -> Option<String> {
    let new = dangers(path, text, extent, world);
    if new.is_empty() {
        return None;
    }
    let old = world.read_disk(path, TEXT_LIMIT).and_then(|bytes| String::from_utf8(bytes).ok());
    let old = old.map(|old| dangers(path, &old, Extent::Whole, world)).unwrap_or_default();
    new.into_iter().find(|danger| !old.contains(danger))
}

/// The grave things that shell text would do. Whoever is told to run it is asked about the rest then.
pub(crate) fn shell_dangers(text: &str, world: &dyn World) -> Vec<String> {
    shell_dangers_for(Purpose::Removal, text, world)
}

/// The same, with what nobody expects of everyday work.
pub(crate) fn everyday_dangers(text: &str, world: &dyn World) -> Vec<String> {
    shell_dangers_for(Purpose::Everyday, text, world)
}

fn shell_dangers_for(purpose: Purpose, text: &str, world: &dyn World) -> Vec<String> {
    let runs = Runs::WhenCalled;
    let setting = Setting { runs, purpose, is_test: false, is_program: false, name: "", text, whole: text };
    ran(Piece::Shell(text.to_owned()), &setting, None, world)
}

/// All that shell text would do.
pub(crate) fn shell_effects(text: &str, world: &dyn World) -> Vec<Effect> {
    effects_of(Piece::Shell(text.to_owned()), None, Budget::default(), world)
}

fn dangers(path: &str, text: &str, extent: Extent, world: &dyn World) -> Vec<String> {
    let Some(carrier) = carriers::read(path, text, extent) else { return Vec::new() };
    let is_yaml = path.ends_with(".yml") || path.ends_with(".yaml");
    let mut found = if is_yaml { pipelines::given_away(text) } else { Vec::new() };
    if is_yaml && carrier.runs == Runs::InImage {
        found.extend(opened(text));
    } else if is_yaml {
        found.extend(pipelines::unchecked(text));
    }
    if path.ends_with("/.cargo/config.toml") || path.ends_with("/.cargo/config") {
        found.extend(cargo::programs(text).iter().filter_map(|program| open_tool(program)));
    }
    for Part { name, piece } in carrier.pieces {
        let code = piece.text().to_owned();
        let full = format!("{path} {name}");
        let setting = Setting {
            runs: carrier.runs,
            purpose: Purpose::of(&name),
            is_test: carriers::is_test(path) || path.ends_with("/conftest.py"),
            is_program: !matches!(piece, Piece::Shell(_)),
            name: full.strip_prefix(world.workspace()).unwrap_or(&full),
            text: &code,
            whole: text,
        };
        found.extend(ran(piece, &setting, Some(path), world));
    }
    found
}

/// A program that lies where anybody may write.
fn open_tool(program: &str) -> Option<String> {
    let open = ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| program.starts_with(folder));
    open.then(|| format!("runs the world-writable `{program}`"))
}

/// Runs a piece of a file by itself, and takes down what is grave.
fn ran(piece: Piece, setting: &Setting, file: Option<&str>, world: &dyn World) -> Vec<String> {
    let budget = if setting.runs == Runs::OnLoad { Budget::brief() } else { Budget::default() };
    let effects = effects_of(piece, file, budget, world);
    let grave = |effect| match setting.runs {
        Runs::OnLoad => loaded(effect, &effects),
        runs => grave(effect, &effects, runs).or_else(|| setting.takes(effect, &effects)),
    };
    effects.iter().filter_map(grave).collect()
}

fn effects_of(piece: Piece, file: Option<&str>, budget: Budget, world: &dyn World) -> Vec<Effect> {
    let mut analyst = Analyst::within(world, world.workspace());
    analyst.languages = budget;
    let mut shell = analyst.fresh_shell();
    if let Some(file) = file {
        shell.read_from(file);
    }
    match piece {
        Piece::Shell(text) => drop(shell.run(&text, &mut analyst)),
        Piece::Language(language, text) => {
            run_language(&mut analyst, &mut shell, language, &Value::text(&text));
        }
        Piece::Quoted(text) => run_quoted(&mut analyst, &mut shell, &text),
    }
    analyst.finish(&shell)
}

/// What code certainly does when it is loaded, where no program has a reason to: whatever its file is for.
fn loaded(effect: &Effect, all: &[Effect]) -> Option<String> {
    if effect.certainty != Certainty::Certain {
        return None;
    }
    let reads_key = || {
        searched(all)
            .iter()
            .any(|effect| matches!(&effect.kind, EffectKind::Read { place, .. } if is_key(place)))
    };
    match &effect.kind {
        EffectKind::Exec { source: CodeSource::Downloaded | CodeSource::Decoded, .. } => {
            grave(effect, all, Runs::OnLoad)
        }
        EffectKind::Net { direction: NetDirection::Out, carries, .. } => {
            let own = |what: &Carried| matches!(what, Carried::Shell | Carried::Environment) || reads_key();
            sent(carries, all, true, Runs::OnLoad).filter(|_| carries.iter().any(own))
        }
        EffectKind::Delete { place, recursive: true, .. } if place.root => grave(effect, all, Runs::OnLoad),
        _ => None,
    }
}

/// What an effect would do, when it is grave.
fn grave(effect: &Effect, all: &[Effect], runs: Runs) -> Option<String> {
    let certain = effect.certainty == Certainty::Certain;
    let here = !matches!(runs, Runs::InPipeline | Runs::InImage);
    Some(match &effect.kind {
        EffectKind::Net { direction: NetDirection::Out, carries, .. } => sent(carries, all, certain, runs)?,
        EffectKind::Exec { source: CodeSource::Downloaded, .. } if runs != Runs::InImage => {
            "runs code from the network".to_owned()
        }
        _ if !here => return None,
        EffectKind::Exec { source: CodeSource::Decoded, .. } if certain => {
            "runs code that is encoded".to_owned()
        }
        EffectKind::Delete { place, recursive, .. }
            if is_far(place, *recursive, certain) || runs == Runs::ByItself && is_every(place) =>
        {
            format!("deletes {}", shown(place))
        }
        EffectKind::Device { place } if certain => format!("writes to the device {}", shown(place)),
        EffectKind::Tamper { .. } => effect.kind.told(),
        EffectKind::Process { action, target } if certain => match (action, target.as_str()) {
            (ProcessAction::ForkBomb, _) => "starts processes without end".to_owned(),
            (ProcessAction::Power, _) => "shuts the machine down".to_owned(),
            (_, "-1") => "ends every process".to_owned(),
            (ProcessAction::FillDisk, target) => format!("fills the disk (`{target}`)"),
            _ => return None,
        },
        EffectKind::Persist { kind, what } => left(*kind, what, runs)?,
        EffectKind::Read { place, .. } if runs == Runs::ByItself && is_key(place) => {
            format!("reads {}", shown(place))
        }
        _ => return None,
    })
}

/// What goes away that must not. A variable with a secret's name goes to its own service in many tests and scripts.
fn sent(carries: &[Carried], all: &[Effect], certain: bool, runs: Runs) -> Option<String> {
    let dumps = || {
        searched(all).iter().any(|effect| matches!(&effect.kind, EffectKind::EnvRead { what: EnvUse::All }))
    };
    let reads_secret = || {
        let secret = |effect: &Effect| matches!(&effect.kind, EffectKind::Read { place, .. } if place.zone == Zone::Secret);
        searched(all).iter().any(secret)
    };
    let counts = |what: &&Carried| match what {
        Carried::Shell | Carried::Environment => true,
        Carried::Output => dumps(),
        Carried::Secret => certain || runs == Runs::InPipeline || runs == Runs::ByItself && reads_secret(),
        Carried::Credential(_) => certain || runs != Runs::WhenCalled,
        other => (certain || runs != Runs::WhenCalled) && looks_secret(&other.told()),
    };
    Some(match carries.iter().find(counts)? {
        Carried::Shell => "gives control of a shell to another machine".to_owned(),
        what => format!("sends {} to another machine", what.told()),
    })
}

/// What stays behind: ways in always, and what starts by itself when the file does so too.
fn left(kind: Lasting, what: &str, runs: Runs) -> Option<String> {
    match kind {
        Lasting::GlobalGitSetting if runs == Runs::ByItself => {
            Some(format!("sets `{what}` for every repository"))
        }
        Lasting::StartupFile if runs == Runs::ByItself && !what.contains("/bin/") => {
            Some(format!("writes {what}"))
        }
        Lasting::AccessFile => Some(format!("writes {what}")),
        _ => None,
    }
}

/// Outside of the workspace, of temporary folders and of caches, or all of the workspace.
fn is_far(place: &Place, recursive: bool, certain: bool) -> bool {
    let outside = matches!(place.zone, Zone::Home | Zone::System);
    (place.root && recursive && certain) || (outside && (certain || recursive || is_walked(place)))
}

/// Files of a folder that a person keeps in the home: not one of its settings, nor one that only a variable names.
fn is_walked(place: &Place) -> bool {
    let mut names = place.path.split('/').skip_while(|name| matches!(*name, "" | "home" | "Users"));
    let folder = names.nth(1).unwrap_or_default();
    place.pattern
        && place.zone == Zone::Home
        && !folder.starts_with('.')
        && !folder.contains(['*', '?'])
        && names.next().is_some()
}

/// All that is in a folder of the user.
fn is_every(place: &Place) -> bool {
    place.pattern && place.zone == Zone::Home && place.path.ends_with("/*")
}

/// A key or credential that lies outside of projects.
fn is_key(place: &Place) -> bool {
    let kept = ["/.ssh/", "/.aws/", "/.gnupg/", "/.kube/", "/.config/gcloud/", "/.docker/"];
    place.zone == Zone::Secret && kept.iter().any(|folder| place.path.contains(folder))
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
        ".npmrc",
        ".pypirc",
        ".gnupg",
        "credential",
        "secret",
    ]
    .iter()
    .any(|part| what.contains(part))
}

fn shown(place: &Place) -> String {
    format!("`{}`", if place.shown.is_empty() { &place.path } else { &place.shown })
}
