//! Files of a project that carry commands: scripts, recipes, configuration of builds, hooks, tasks and pipelines, by
//! their names. What is in them as shell text or as code. A catalogue.

mod loaded;
mod texts;

use std::collections::HashSet;

use tollgate_model::json::{self, Value as Json};

use texts::{
    after_colons, image_lines, ini_commands, msbuild_commands, nix_hooks, told_to, toml_commands,
    unit_commands,
};

use crate::builds;
use crate::commands::tasks;
use crate::content::{Extent, Piece};
use crate::languages::Language;
use crate::notebook;
use crate::pipelines;
use crate::settings::without_comments;
use crate::yaml;

/// How it comes that the code in a file runs, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// When somebody calls it by its name.
    WhenCalled,
    /// With something else: an install, a build, a test, a commit, a change of folder.
    ByItself,
    /// On a machine that is made for one run.
    InPipeline,
    /// In a container.
    InImage,
    /// Whenever something loads the file, whatever that is for: only what stands outside of functions counts.
    OnLoad,
}

/// The longest test that is read: most long ones are tables.
const TEST_LIMIT: usize = 128 * 1024;
/// How many commands of a file are read one by one.
const COMMANDS: usize = 1024;

/// What a file carries.
pub(crate) struct Carrier {
    pub runs: Runs,
    pub pieces: Vec<Part>,
}

/// A piece of code with the name that it is called by; without one it runs with something else.
pub(crate) struct Part {
    pub name: String,
    pub piece: Piece,
}

/// A command with the name of what it belongs to.
type Named = (String, String);

/// The code that a file carries, by its name and its first line.
pub(crate) fn read(path: &str, text: &str, extent: Extent) -> Option<Carrier> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let own = || {
        let pieces = builds::read(path, name, extension, text)?;
        let part = |piece| Part { name: String::new(), piece };
        let runs = if builds::is_elsewhere(text) { Runs::InPipeline } else { Runs::ByItself };
        Some(Carrier { runs, pieces: pieces.into_iter().map(part).collect() })
    };
    own()
        .or_else(|| code(path, name, extension, text))
        .or_else(|| in_json(path, name, text))
        .or_else(|| in_yaml(path, name, extension, text, extent))
        .or_else(|| in_lines(path, name, extension, text, extent))
        .or_else(|| by_first_line(path, name, text))
        .or_else(|| loaded::read(extension, text, extent))
}

/// Commands as pieces, each once. So many that nobody writes them are read as one text.
fn shell_pieces(lines: Vec<Named>) -> Vec<Part> {
    let mut seen = HashSet::new();
    let mut lines: Vec<Named> = lines.into_iter().filter(|line| seen.insert(line.clone())).collect();
    let rest = lines.split_off(lines.len().min(COMMANDS)).into_iter().map(|(_, line)| line);
    let rest = rest.collect::<Vec<_>>().join("\n");
    lines.push((String::new(), rest));
    let filled = lines.into_iter().filter(|(_, line)| !line.trim().is_empty());
    filled.map(|(name, line)| Part { name, piece: Piece::Shell(line) }).collect()
}

/// Commands that all go by one name.
fn all_named(name: &str, lines: Vec<String>) -> Vec<Named> {
    lines.into_iter().map(|line| (name.to_owned(), line)).collect()
}

/// Programs that a tool runs when it is called in the folder, and scripts.
fn code(path: &str, name: &str, extension: &str, text: &str) -> Option<Carrier> {
    let own = || text.to_owned();
    let stem = name.split('.').next().unwrap_or_default();
    let one = |runs, piece| {
        let name = if runs == Runs::WhenCalled { stem.to_owned() } else { String::new() };
        Some(Carrier { runs, pieces: vec![Part { name, piece }] })
    };
    if matches!(extension, "sh" | "bash" | "zsh" | "ksh" | "command") {
        return one(Runs::WhenCalled, Piece::Shell(own()));
    }
    if extension == "ipynb" {
        let part = |piece| Part { name: stem.to_owned(), piece };
        let pieces = notebook::pieces(text).into_iter().map(part).collect();
        return Some(Carrier { runs: Runs::WhenCalled, pieces });
    }
    if let Some(language) = tool_language(name, extension) {
        return one(Runs::ByItself, Piece::Language(language, own()));
    }
    if matches!(extension, "gradle" | "sbt") || name.ends_with(".gradle.kts") || name == "Jenkinsfile" {
        let name = if name == "Jenkinsfile" { name } else { "" };
        let part = |piece| Part { name: name.to_owned(), piece };
        let pieces = vec![part(Piece::Quoted(own())), part(Piece::Language(Language::Slashed, own()))];
        return Some(Carrier { runs: Runs::ByItself, pieces });
    }
    if matches!(name, "build.rs" | "meson.build" | "Tiltfile" | "Earthfile") {
        return one(Runs::ByItself, Piece::Quoted(own()));
    }
    let language = Language::of(extension).or_else(|| language_of(extension))?;
    let hooks = extension == "py" && text.contains("def pytest_");
    if (is_test(path) || hooks) && text.len() <= TEST_LIMIT {
        return one(Runs::ByItself, Piece::Language(language, own()));
    }
    let folders = ["/scripts/", "/script/", "/bin/", "/tools/", "/hack/", "/ci/", "/.github/"];
    let scripts = folders.iter().any(|folder| path.contains(folder));
    if scripts { one(Runs::WhenCalled, Piece::Language(language, own())) } else { None }
}

/// Extensions that are not names of their interpreters too.
fn language_of(extension: &str) -> Option<Language> {
    Some(match extension {
        "cjs" | "mjs" | "cts" | "mts" | "jsx" => Language::JavaScript,
        "pl" | "pm" | "PL" => Language::Perl,
        "ps1" | "psm1" => Language::PowerShell,
        "go" | "rs" | "java" | "kt" | "cs" => Language::Slashed,
        _ => return None,
    })
}

fn tool_language(name: &str, extension: &str) -> Option<Language> {
    Some(match (name, extension) {
        (
            "conftest.py" | "setup.py" | "sitecustomize.py" | "usercustomize.py" | "noxfile.py" | "tasks.py"
            | "fabfile.py" | "dodo.py" | "SConstruct" | "SConscript" | "wscript" | "manage.py"
            | "hatch_build.py" | "gunicorn.conf.py" | "ipython_config.py" | "conanfile.py" | "snakefile"
            | "Snakefile",
            _,
        ) => Language::Python,
        (
            "Rakefile" | "Gemfile" | "Vagrantfile" | "Podfile" | "Fastfile" | "Guardfile" | "Capfile"
            | "Brewfile" | "Dangerfile" | "Berksfile" | "Thorfile" | "Appraisals" | "spec_helper.rb"
            | "rails_helper.rb" | "test_helper.rb" | "config.ru" | "gems.rb" | "extconf.rb" | ".irbrc"
            | ".pryrc" | ".simplecov",
            _,
        )
        | (_, "gemspec" | "rake") => Language::Ruby,
        ("Makefile.PL" | "Build.PL" | ".latexmkrc" | "latexmkrc", _) => Language::Perl,
        ("mix.exs" | ".Rprofile" | ".iex.exs" | ".octaverc", _) => Language::Hashed,
        (".nvim.lua" | ".exrc.lua", _) => Language::Lua,
        (".dir-locals.el" | ".dir-locals-2.el", _) => Language::Lisp,
        (
            "gulpfile.js" | "Gruntfile.js" | ".pnpmfile.cjs" | "gulpfile.mjs" | "gulpfile.ts"
            | "dangerfile.js" | "setupTests.js" | "setupTests.ts" | "setup-jest.js" | "setup-jest.ts"
            | "binding.js" | ".sequelizerc" | ".pnp.cjs",
            _,
        ) => Language::JavaScript,
        (_, "js" | "cjs" | "mjs" | "ts" | "cts" | "mts") if is_config(name) => Language::JavaScript,
        _ => return None,
    })
}

/// `vite.config.ts`, `.eslintrc.cjs`, `karma.conf.js`, `jest.setup.js`.
fn is_config(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.ends_with(".config") || stem.ends_with(".conf") || stem.ends_with("rc") || stem.ends_with(".setup")
}

/// A file that a test runner finds by its name.
pub(crate) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.starts_with("test_")
        || ["_test", ".test", ".spec", "_spec"].iter().any(|end| stem.ends_with(end))
        || path.contains("/__tests__/")
        || name.ends_with(".rs") && path.contains("/tests/")
        || ["Test.java", "Tests.java", "Test.kt", "Tests.cs", "Test.cs"].iter().any(|end| name.ends_with(end))
}

/// JSON that names commands.
fn in_json(path: &str, name: &str, text: &str) -> Option<Carrier> {
    let parents: &[&str] = match name {
        "package.json" => &[
            "scripts",
            "husky",
            "simple-git-hooks",
            "lint-staged",
            "gitHooks",
            "nodemonConfig",
            "wireit",
            "config",
        ],
        "composer.json" => &["scripts"],
        "deno.json" | "deno.jsonc" => &["tasks"],
        "devcontainer.json" | ".devcontainer.json" => &["initializeCommand"],
        "tasks.json" | "launch.json" if path.contains("/.vscode/") => &["tasks", "configurations"],
        ".lintstagedrc" | ".lintstagedrc.json" | ".huskyrc" | ".huskyrc.json" | "nodemon.json" => &[""],
        "project.json" | "nx.json" => &["targets", "targetDefaults"],
        "vercel.json" => &["buildCommand", "installCommand", "devCommand", "ignoreCommand"],
        "renovate.json" => &["postUpgradeTasks"],
        _ => builds::json_members(path, name)?,
    };
    // A dev container names the variables of this machine in its own way.
    let text = &text.replace("${localEnv:", "${");
    let value = json::parse(without_comments(text).as_bytes()).ok();
    let lines = match value {
        Some(value) => {
            let lines = json_lines(&value, parents).into_iter();
            lines.map(|(name, line)| (name, tasks::with_members(&value, &line))).collect()
        }
        None => all_named("", loose_strings(text)),
    };
    Some(Carrier { runs: Runs::ByItself, pieces: shell_pieces(lines) })
}

/// The commands below these members of a JSON text.
fn json_lines(value: &Json, parents: &[&str]) -> Vec<Named> {
    let mut lines = Vec::new();
    for parent in parents {
        let found = if parent.is_empty() { Some(value) } else { value.get(parent) };
        // Hooks and settings go by no name of their own.
        let named = matches!(*parent, "scripts" | "tasks" | "targets" | "wireit");
        match found {
            Some(Json::Map(members)) if named => {
                members.iter().for_each(|(name, member)| told(name, member, &mut lines));
            }
            found => found.into_iter().for_each(|value| told("", value, &mut lines)),
        }
    }
    lines
}

/// All texts below a value; a command with its arguments is one line, quoted as a shell needs it.
fn told(name: &str, value: &Json, lines: &mut Vec<Named>) {
    let mut push = |line: String| lines.push((name.to_owned(), line));
    match value {
        Json::String(text) => push(text.clone()),
        Json::List(items) => {
            let words: Vec<&str> = items.iter().filter_map(Json::as_str).collect();
            if words.len() == items.len() && words.len() > 1 {
                push(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
            }
            items.iter().for_each(|item| told(name, item, lines));
        }
        Json::Map(members) => {
            let word = value.text("command").or_else(|| value.text("runtimeExecutable"));
            let args = value.get("args").or_else(|| value.get("runtimeArgs")).and_then(Json::as_list);
            if let (Some(word), Some(args)) = (word, args) {
                let args = args.iter().filter_map(Json::as_str).map(quoted);
                push(std::iter::once(word.to_owned()).chain(args).collect::<Vec<_>>().join(" "));
            }
            members.iter().for_each(|(_, member)| told(name, member, lines));
        }
        _ => {}
    }
}

pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The texts in quotes of something that is no JSON by itself: a part of it, or a broken one.
fn loose_strings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once('"') {
        let mut escaped = false;
        let end = after.char_indices().find(|(_, c)| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            ends
        });
        let Some((end, _)) = end else { break };
        let inner = after.get(..end).unwrap_or_default();
        rest = after.get(end + 1..).unwrap_or_default();
        let is_key = rest.trim_start().starts_with(':');
        if let (false, true, Ok(Json::String(line))) =
            (is_key, inner.contains(' '), json::parse(format!("\"{inner}\"").as_bytes()))
        {
            found.push(line);
        }
    }
    found
}

/// Pipelines, hooks, tasks and services in YAML.
fn in_yaml(path: &str, name: &str, extension: &str, text: &str, extent: Extent) -> Option<Carrier> {
    if !matches!(extension, "yml" | "yaml") {
        return None;
    }
    let pipelines = ["/.github/", "/.gitea/", "/.forgejo/", "/.circleci/", "/.buildkite/", "/.gitlab/"];
    let runs = match name {
        "Taskfile.yml" | "Taskfile.yaml" | "taskfile.yml" | "taskfile.yaml" | "dvc.yaml" | "melos.yaml" => {
            Runs::WhenCalled
        }
        ".pre-commit-config.yaml"
        | "lefthook.yml"
        | ".lefthook.yml"
        | "lefthook.yaml"
        | ".lintstagedrc.yml"
        | ".lintstagedrc.yaml"
        | ".huskyrc.yml"
        | "lefthook-local.yml"
        | ".gitpod.yml"
        | ".overcommit.yml" => Runs::ByItself,
        ".gitlab-ci.yml"
        | "azure-pipelines.yml"
        | "bitbucket-pipelines.yml"
        | ".travis.yml"
        | ".drone.yml"
        | "appveyor.yml"
        | ".appveyor.yml"
        | "cloudbuild.yaml"
        | "cloudbuild.yml"
        | "buildspec.yml"
        | ".woodpecker.yml"
        | ".cirrus.yml"
        | "action.yml"
        | "action.yaml"
        | "codemagic.yaml" => Runs::InPipeline,
        _ if pipelines.iter().any(|folder| path.contains(folder)) => Runs::InPipeline,
        _ if name.starts_with("docker-compose") || name.starts_with("compose.") => Runs::InImage,
        _ => return None,
    };
    // A machine of one's own keeps what a run does to it.
    let runs = if runs == Runs::InPipeline && text.contains("self-hosted") { Runs::ByItself } else { runs };
    let mut lines = yaml::commands(text);
    if extent == Extent::Part {
        lines.push(loose_lines(text));
    }
    let programs = if runs == Runs::InPipeline { pipelines::programs(text, &lines) } else { Vec::new() };
    let lines = pipelines::steps(text, lines);
    let lines = match runs {
        Runs::WhenCalled => by_task(text, lines),
        Runs::InPipeline => all_named(name.split('.').next().unwrap_or_default(), lines),
        _ => all_named("", lines),
    };
    let mut pieces = shell_pieces(lines);
    let part = |(language, code)| Part { name: String::new(), piece: Piece::Language(language, code) };
    pieces.extend(programs.into_iter().map(part));
    Some(Carrier { runs, pieces })
}

/// Commands with the names of the tasks that they stand in.
fn by_task(text: &str, lines: Vec<String>) -> Vec<Named> {
    let mut task = String::new();
    let mut starts = Vec::new();
    for line in text.lines() {
        let plain = line.trim();
        if line.len() - line.trim_start().len() == 2 && plain.ends_with(':') && !plain.starts_with(['-', '#'])
        {
            plain.trim_matches(['"', '\'', ':']).clone_into(&mut task);
        }
        starts.push((task.clone(), plain));
    }
    let named = |line: String| {
        let first = line.lines().next().unwrap_or_default().trim();
        let at = starts.iter().find(|(_, plain)| !first.is_empty() && plain.contains(first));
        (at.map_or_else(|| "task".to_owned(), |(task, _)| task.clone()), line)
    };
    lines.into_iter().map(named).collect()
}

/// The lines of a part of a file without what marks them as items or recipes.
fn loose_lines(text: &str) -> String {
    let plain = |line: &str| {
        let line = line.trim().trim_start_matches(['@', '-', ' ']);
        line.strip_prefix("RUN ").unwrap_or(line).to_owned()
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

/// Recipes and sections, a command a line.
fn in_lines(path: &str, name: &str, extension: &str, text: &str, extent: Extent) -> Option<Carrier> {
    let recipes = match (name, extension) {
        ("Makefile" | "makefile" | "GNUmakefile", _) | (_, "mk") => Some(tasks::makefile::recipes(text)),
        ("justfile" | "Justfile" | ".justfile", _) | (_, "just") => Some(tasks::justfile_lines(text)),
        _ => None,
    };
    if let Some(mut lines) = recipes {
        // Of a part nobody knows which recipe it stands in.
        if extent == Extent::Part {
            lines.push(("recipe".to_owned(), loose_lines(text)));
        }
        return Some(Carrier { runs: Runs::WhenCalled, pieces: shell_pieces(lines) });
    }
    let (runs, mut lines) = match (name, extension) {
        _ if name.starts_with("Dockerfile")
            || extension == "Dockerfile"
            || name.starts_with("Containerfile") =>
        {
            (Runs::InImage, image_lines(text))
        }
        (_, "ninja") => (Runs::WhenCalled, tasks::ninja_commands(text)),
        ("CMakeLists.txt", _) | (_, "cmake") => (Runs::ByItself, tasks::cmake_commands(text)),
        (_, "csproj" | "fsproj" | "vbproj" | "vcxproj" | "proj" | "targets" | "props") => {
            (Runs::ByItself, msbuild_commands(text))
        }
        ("configure.ac" | "configure.in", _) | (_, "m4") => (Runs::ByItself, tasks::m4_commands(text)),
        ("tox.ini" | "setup.cfg", _) => (Runs::ByItself, ini_commands(text)),
        _ if name == "Procfile" || name.starts_with("Procfile.") => (Runs::WhenCalled, after_colons(text)),
        (_, "service") => (Runs::ByItself, unit_commands(text)),
        (".gdbinit", _) => (Runs::ByItself, told_to("gdb", text)),
        (".lldbinit", _) => (Runs::ByItself, told_to("lldb", text)),
        (".exrc" | ".vimrc" | ".nvimrc", _) => (Runs::ByItself, told_to("ex -s", text)),
        (".psqlrc", _) => (Runs::ByItself, told_to("psql", text)),
        (".sqliterc", _) => (Runs::ByItself, told_to("sqlite3", text)),
        (
            "pyproject.toml" | "mise.toml" | ".mise.toml" | "Cargo.toml" | ".air.toml" | "netlify.toml"
            | "fly.toml" | "bunfig.toml" | "Pipfile",
            _,
        ) => (Runs::ByItself, toml_commands(text)),
        _ if builds::is_toml(name) => (Runs::ByItself, toml_commands(text)),
        ("config.toml", _)
            if path.contains("/.cargo/") || path.contains("/mise/") || path.contains("/.mise/") =>
        {
            (Runs::ByItself, toml_commands(text))
        }
        (_, "nix") => (Runs::ByItself, nix_hooks(text)),
        _ => return None,
    };
    if extent == Extent::Part {
        lines.push(loose_lines(text));
    }
    Some(Carrier { runs, pieces: shell_pieces(all_named("", lines)) })
}

/// Hooks and start-up files of shells, and scripts that say in their first line what runs them.
fn by_first_line(path: &str, name: &str, text: &str) -> Option<Carrier> {
    let hook = ["/.git/hooks/", "/.husky/", "/.githooks/"].iter().any(|folder| path.contains(folder));
    let rc = name == ".envrc" || name.ends_with("rc") && name.starts_with('.') || name.ends_with("profile");
    let runs = if hook || rc { Runs::ByItself } else { Runs::WhenCalled };
    let stem = if hook || rc { "" } else { name };
    let one = |piece| Some(Carrier { runs, pieces: vec![Part { name: stem.to_owned(), piece }] });
    let Some(first) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) else {
        let data = matches!(name, ".npmrc" | ".yarnrc" | ".eslintrc" | ".prettierrc" | ".babelrc");
        return if hook || rc && !data { one(Piece::Shell(text.to_owned())) } else { None };
    };
    let mut names = first.split([' ', '/', '\t']);
    if let Some(language) = names.clone().find_map(Language::of) {
        return one(Piece::Language(language, text.to_owned()));
    }
    if names.any(|part| matches!(part, "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash")) {
        return one(Piece::Shell(text.to_owned()));
    }
    None
}
