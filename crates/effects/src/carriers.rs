//! Files of a project that carry commands: configuration of builds, hooks, tasks and pipelines, by their names. What
//! is in them as shell text or as code.

use tollgate_model::json::{self, Value as Json};

use crate::commands::tasks;
use crate::content::Piece;
use crate::languages::Language;
use crate::settings::without_comments;

/// The code that a file of this name carries; `None` when the name says nothing.
pub(crate) fn pieces(path: &str, name: &str, text: &str) -> Option<Vec<Piece>> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if let Some(language) = language_of(name, extension) {
        return Some(vec![Piece::Language(language, text.to_owned())]);
    }
    let lines = match (name, extension) {
        ("build.rs", _) => return Some(vec![Piece::Quoted(text.to_owned())]),
        (_, "gradle") | ("Jenkinsfile" | "meson.build", _) => {
            return Some(vec![Piece::Quoted(text.to_owned())]);
        }
        _ if name.ends_with(".gradle.kts") => return Some(vec![Piece::Quoted(text.to_owned())]),
        ("CMakeLists.txt", _) | (_, "cmake") => tasks::cmake_commands(text),
        ("configure.ac" | "configure.in", _) | (_, "m4") => tasks::m4_commands(text),
        ("tox.ini", _) => ini_commands(text),
        ("Procfile" | "Procfile.dev", _) => {
            text.lines().filter_map(|line| line.split_once(": ")).map(|(_, line)| line.to_owned()).collect()
        }
        (_, "service") => unit_commands(text),
        ("pyproject.toml" | "mise.toml" | ".mise.toml" | "Cargo.toml", _) => toml_commands(text),
        ("config.toml", _) if path.contains("/.cargo/") => toml_commands(text),
        ("composer.json" | "deno.json" | "deno.jsonc", _) => json_scripts(text),
        ("tasks.json" | "launch.json", _) if path.contains("/.vscode/") => json_commands(text),
        (_, "yml" | "yaml") if carries_yaml(path, name) => yaml_commands(text),
        _ => return None,
    };
    Some(lines.into_iter().map(Piece::Shell).collect())
}

/// Programs that a tool runs when it is called in the folder.
fn language_of(name: &str, extension: &str) -> Option<Language> {
    Some(match (name, extension) {
        (
            "noxfile.py" | "tasks.py" | "fabfile.py" | "dodo.py" | "SConstruct" | "SConscript" | "wscript",
            _,
        ) => Language::Python,
        (
            "Rakefile" | "Gemfile" | "Vagrantfile" | "Podfile" | "Fastfile" | "Guardfile" | "Capfile"
            | "Brewfile" | "Dangerfile" | "Berksfile" | "Thorfile" | "Appraisals",
            _,
        )
        | (_, "gemspec" | "rake") => Language::Ruby,
        ("mix.exs", _) => Language::Hashed,
        ("gulpfile.js" | "Gruntfile.js" | ".pnpmfile.cjs", _) => Language::JavaScript,
        (_, "js" | "cjs" | "mjs" | "ts" | "cts" | "mts") if is_config(name) => Language::JavaScript,
        _ => return None,
    })
}

/// `vite.config.ts`, `.eslintrc.cjs`, `karma.conf.js`, `jest.setup.js`.
fn is_config(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.ends_with(".config") || stem.ends_with(".conf") || stem.ends_with("rc") || stem.ends_with(".setup")
}

/// Pipelines, hooks and tasks in YAML.
fn carries_yaml(path: &str, name: &str) -> bool {
    path.contains("/.github/workflows/")
        || path.contains("/.circleci/")
        || path.contains("/.buildkite/")
        || matches!(
            name,
            ".gitlab-ci.yml"
                | "azure-pipelines.yml"
                | "bitbucket-pipelines.yml"
                | ".travis.yml"
                | ".drone.yml"
                | "appveyor.yml"
                | "lefthook.yml"
                | ".lefthook.yml"
                | "lefthook.yaml"
                | "cloudbuild.yaml"
        )
}

/// The lines that stand under the keys by which pipelines name commands: as a value, a block or a list.
fn yaml_commands(text: &str) -> Vec<String> {
    let keys =
        ["run", "script", "before_script", "after_script", "install", "command", "commands", "cmd", "bash"];
    let mut commands = Vec::new();
    let mut block: Option<(usize, String)> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let plain = line.trim();
        if let Some((outer, lines)) = &mut block {
            if plain.is_empty() || indent > *outer || (indent == *outer && plain.starts_with("- ")) {
                lines.push_str(plain.strip_prefix("- ").unwrap_or(plain).trim_matches(['"', '\'']));
                lines.push('\n');
            } else {
                commands.extend(block.take().map(|(_, lines)| lines));
            }
        }
        let entry = plain.strip_prefix("- ").unwrap_or(plain);
        let value =
            entry.split_once(':').filter(|(key, _)| keys.contains(key)).map(|(_, value)| value.trim());
        match value {
            None => {}
            Some("" | "|" | ">" | "|-" | ">-") if block.is_some() => {}
            Some("" | "|" | ">" | "|-" | ">-") => block = Some((indent, String::new())),
            Some(value) => commands.push(value.trim_matches(['"', '\'']).to_owned()),
        }
    }
    commands.extend(block.map(|(_, lines)| lines));
    commands
}

/// `commands = …` with the lines that belong to it.
fn ini_commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            commands.extend(inside.then(|| line.trim().to_owned()));
            continue;
        }
        inside = line.starts_with("commands");
        let value = line.split_once('=').map(|(_, value)| value.trim().to_owned());
        commands.extend(value.filter(|value| inside && !value.is_empty()));
    }
    commands
}

/// `ExecStart=` and its like.
fn unit_commands(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("Exec"));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(_, line)| line.trim_start_matches(['-', '@', '+', '!']).to_owned())
        .collect()
}

/// Values of sections for tasks, scripts and hooks, and of the keys by which cargo names programs.
fn toml_commands(text: &str) -> Vec<String> {
    let keys = ["runner", "rustc-wrapper", "rustc-workspace-wrapper", "linker", "rustc", "rustdoc"];
    let mut section = String::new();
    let mut commands = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            line.trim_matches(['[', ']']).clone_into(&mut section);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let tasks =
            ["tasks", "scripts", "hooks"].iter().any(|part| section.split('.').any(|name| name == *part));
        if tasks || keys.contains(&key.trim()) {
            let value = value.trim();
            let words: Vec<&str> = value.split('"').skip(1).step_by(2).collect();
            commands.push(words.join(" "));
        }
    }
    commands
}

/// The members of `scripts` or `tasks`: a line each, or a list of them.
fn json_scripts(text: &str) -> Vec<String> {
    let Ok(value) = json::parse(without_comments(text).as_bytes()) else { return Vec::new() };
    let members =
        ["scripts", "tasks"].iter().filter_map(|name| value.get(name).and_then(Json::as_map)).flatten();
    members
        .flat_map(|(_, script)| match script {
            Json::List(lines) => lines.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
            other => other.as_str().map(str::to_owned).into_iter().collect::<Vec<_>>(),
        })
        .collect()
}

/// Every `command` or `runtimeExecutable` in a JSON text, with the words that go with it.
fn json_commands(text: &str) -> Vec<String> {
    let Ok(value) = json::parse(without_comments(text).as_bytes()) else { return Vec::new() };
    let mut commands = Vec::new();
    let mut todo = vec![&value];
    while let Some(value) = todo.pop() {
        match value {
            Json::List(items) => todo.extend(items),
            Json::Map(members) => {
                todo.extend(members.iter().map(|(_, value)| value));
                let word = value.text("command").or_else(|| value.text("runtimeExecutable"));
                let args = value.get("args").or_else(|| value.get("runtimeArgs"));
                if let Some(word) = word {
                    let args = match args {
                        Some(Json::List(args)) => {
                            args.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(" ")
                        }
                        _ => String::new(),
                    };
                    commands.push(format!("{word} {args}"));
                }
            }
            _ => {}
        }
    }
    commands
}
