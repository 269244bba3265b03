//! Code in other languages: what a command with some of it would do, and what it would not.

mod languages {
    mod bombs;
    mod javascript;
    mod perl;
    mod php;
    mod powershell;
    mod python;
    mod ruby;
    mod stream;
    mod tail;
}

use tollgate_model::json::Value;
use tollgate_model::{
    Agent, Certainty, CodeSource, Effect, EffectKind, EnvUse, Event, Kind, NetDirection, StillFile,
    StillWorld, ToolCall, ToolUse, Zone,
};

fn world() -> StillWorld {
    let files = [
        ("/home/user/.ssh/id_rsa", "key"),
        ("/home/user/notes.txt", "notes"),
        ("/home/user/project/.env", "A=1"),
        ("/home/user/project/README.md", "# readme"),
        ("/home/user/project/src/main.py", "print('hi')\n"),
        ("/home/user/project/wipe.py", "import shutil\nshutil.rmtree('/home/user/docs')\n"),
        ("/home/user/project/tool", "#!/usr/bin/env python3\nimport os\nos.remove('/home/user/notes.txt')\n"),
        ("/home/user/project/wipe.js", "require('fs').rmSync('/home/user/docs', {recursive: true})\n"),
        ("/home/user/project/wipe.rb", "require 'fileutils'\nFileUtils.rm_rf '/home/user/docs'\n"),
        ("/home/user/project/wipe.pl", "use File::Path;\nrmtree('/home/user/docs');\n"),
    ];
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        own: vec!["/home/user/.config/tollgate".into()],
        files: files
            .iter()
            .map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())))
            .collect(),
        ..StillWorld::default()
    }
}

fn effects(command: &str) -> Vec<Effect> {
    let call = ToolCall::shell(command);
    let event = Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse { id: "1".into(), name: "Bash".into(), call, input: Value::Null }),
    );
    tollgate_effects::analyse(&event, &world())
}

/// An effect in a few words: what, where, and a question mark when it is only possible.
fn shown(effect: &Effect) -> String {
    let deep = |deep: bool| if deep { "-tree" } else { "" };
    let text = match &effect.kind {
        EffectKind::Read { place, recursive } => format!("read{} {}", deep(*recursive), place.path),
        EffectKind::Write { place, .. } => format!("write {}", place.path),
        EffectKind::Delete { place, recursive, .. } => format!("delete{} {}", deep(*recursive), place.path),
        EffectKind::Permission { place, to, recursive } => {
            format!("permission{} {to} {}", deep(*recursive), place.path)
        }
        EffectKind::Device { place } => format!("device {}", place.path),
        EffectKind::Exec { source: CodeSource::Literal, program, .. } => format!("exec {program}"),
        EffectKind::Exec { source, program, .. } => format!("{program} {source:?}").to_lowercase(),
        EffectKind::Net { host, direction: NetDirection::Out, carries } => {
            format!("send {host} {}", told(carries))
        }
        EffectKind::Net { host, .. } => format!("fetch {host}"),
        EffectKind::Process { action, target } => format!("{} {target}", action.name()),
        EffectKind::EnvRead { what: EnvUse::All } => "env ".to_owned(),
        EffectKind::EnvRead { what: EnvUse::Used(names) } => format!("env {}", names.join(",")),
        EffectKind::EnvRead { what: EnvUse::Printed(names) } => format!("env printed: {}", names.join(",")),
        EffectKind::EnvRead { what: EnvUse::Store(store) } => format!("env store: {store}"),
        EffectKind::Opaque { .. } => "opaque".to_owned(),
        other => other.name().to_owned(),
    };
    let mark = if effect.certainty == Certainty::Certain || text == "opaque" { "" } else { "?" };
    format!("{}{mark}", text.trim_end())
}

/// Each command does this, among other things.
fn hits(cases: &[(&str, &str)]) {
    let wrong = cases.iter().filter_map(|(command, wanted)| {
        let found: Vec<String> = effects(command).iter().map(shown).collect();
        let right = found.iter().any(|effect| effect == wanted);
        (!right).then(|| format!("{command}\n    must {wanted:?}, does {found:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// None of these does anything that a rule could mind.
fn quiet(cases: &[&str]) {
    let minds = |effect: &&Effect| match &effect.kind {
        EffectKind::Read { place, .. } => !matches!(place.zone, Zone::Workspace | Zone::Temp | Zone::Unknown),
        EffectKind::Write { place, .. } => {
            !matches!(place.zone, Zone::Workspace | Zone::Temp | Zone::Unknown)
        }
        EffectKind::Delete { place, recursive, .. } => {
            place.root || *recursive || !matches!(place.zone, Zone::Workspace | Zone::Temp | Zone::Unknown)
        }
        EffectKind::Exec { source, program, .. } => {
            matches!(source, CodeSource::Downloaded | CodeSource::Decoded)
                || (*source == CodeSource::Variable && program == "code")
        }
        EffectKind::EnvRead { what } => *what == EnvUse::All,
        EffectKind::Net { direction, .. } => *direction == NetDirection::Out,
        EffectKind::Leaves { .. } | EffectKind::Alter { .. } => false,
        _ => true,
    };
    let wrong = cases.iter().filter_map(|command| {
        let found = effects(command);
        let minded: Vec<String> = found.iter().filter(minds).map(shown).collect();
        (!minded.is_empty()).then(|| format!("{command}\n    must be quiet, does {minded:?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is sent, in words.
fn told(carries: &[tollgate_model::Carried]) -> String {
    carries.iter().map(|what| what.told().into_owned()).collect::<Vec<_>>().join(",")
}
