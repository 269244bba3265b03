//! Files of build tools, services and editors that name commands, each in a form of its own: what runs when they are
//! read or used. A catalogue beside `carriers`.

mod files;

pub(crate) use files::python;

use crate::carriers::quoted;
use crate::content::Piece;
use crate::languages::Language;

/// How many commands of one file are taken out.
const MOST: usize = 256;

/// The code of a file that a build tool, a service or an editor takes commands from.
pub(crate) fn read(path: &str, name: &str, extension: &str, text: &str) -> Option<Vec<Piece>> {
    let shell = |lines: Vec<String>| Some(lines.into_iter().take(MOST).map(Piece::Shell).collect());
    let own = || text.to_owned();
    if matches!(extension, "gyp" | "gypi") {
        return shell(expansions(text));
    }
    if is_quoted(name, extension) {
        return Some(vec![Piece::Quoted(own())]);
    }
    if let Some(language) = extra_language(path, name, extension) {
        return Some(vec![Piece::Language(language, own()), Piece::Quoted(own())]);
    }
    if let Some(lines) = files::read(path, name, text) {
        return shell(lines);
    }
    match (name, extension) {
        (_, "tf" | "hcl")
            if ["local-exec", "external", "shell-local", "_hook", "run_cmd"]
                .iter()
                .any(|word| text.contains(word)) =>
        {
            Some(vec![Piece::Quoted(own())])
        }
        (_, "tf") => files::terraform_requests(text).and_then(shell),
        (_, "go") if text.contains("//go:generate ") => {
            let lines = text.lines().filter_map(|line| line.strip_prefix("//go:generate "));
            shell(lines.map(str::to_owned).collect())
        }
        (_, "pth") => {
            let lines = text.lines().filter(|line| line.starts_with("import "));
            let code = lines.collect::<Vec<_>>().join("\n");
            Some(vec![Piece::Language(Language::Python, code)])
        }
        ("pom.xml" | "build.xml", _) => shell(xml_texts(text)),
        (_, "xml") if path.contains("/.idea/") || name.ends_with(".run.xml") => shell(xml_texts(text)),
        (_, "toml") if path.contains("/.gemini/commands/") || path.contains("/.qwen/commands/") => {
            let parts = text.split("!{").skip(1).filter_map(|rest| rest.split('}').next());
            shell(parts.map(str::to_owned).collect())
        }
        (_, "config") if path.contains("/.ebextensions/") => shell(yaml_values(text)),
        (_, "yml" | "yaml") if is_loose_yaml(path, name, text) => shell(yaml_values(text)),
        _ => None,
    }
}

/// Is it for other machines: a playbook, or the first start of one?
pub(crate) fn is_elsewhere(text: &str) -> bool {
    let playbook =
        text.contains("- hosts:") && !text.contains("localhost") && !text.contains("connection: local");
    playbook || text.starts_with("#cloud-config")
}

/// JSON beside that of `carriers`: the members whose texts are commands; an empty name is all of it.
pub(crate) fn json_members(path: &str, name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "lefthook.json" | ".releaserc" | ".releaserc.json" | "watchman.json" => &[""],
        "tasks.json" if path.contains("/.zed/") || path.contains("/.theia/") => &["", "tasks"],
        "railway.json" | "wrangler.json" | "wrangler.jsonc" | "tauri.conf.json" => &["build", "deploy"],
        "app.json" => &["scripts"],
        "rush.json" => &["eventHooks"],
        "command-line.json" if path.contains("/rush/") => &["commands"],
        "release-it.json" | ".release-it.json" => &["hooks"],
        "angular.json" => &["targets", "targetDefaults", "projects"],
        "workspace.json" => &["projects"],
        "firebase.json" => &["functions", "hosting", "firestore", "storage", "database"],
        "cdk.json" => &["app", "build"],
        "devbox.json" => &["shell"],
        "captainhook.json" | "hooks.json" => &[""],
        "conductor.json" => &["scripts"],
        "environment.json" | "worktrees.json" if path.contains("/.cursor/") => &[""],
        _ if name.ends_with(".code-workspace") => &["tasks", "launch"],
        _ => return None,
    })
}

/// TOML beside that of `carriers`.
pub(crate) fn is_toml(name: &str) -> bool {
    matches!(
        name,
        "pixi.toml"
            | "hatch.toml"
            | "lefthook.toml"
            | ".lefthook.toml"
            | "Makefile.toml"
            | "bacon.toml"
            | "railway.toml"
            | "wrangler.toml"
            | "nixpacks.toml"
            | "cliff.toml"
            | "Trunk.toml"
            | "Dioxus.toml"
            | "prek.toml"
            | "Cross.toml"
            | "mise.local.toml"
            | ".mise.local.toml"
            | "languages.toml"
    )
}

/// Code whose commands stand in quotes.
fn is_quoted(name: &str, extension: &str) -> bool {
    let named = matches!(
        name,
        "BUILD"
            | "BUILD.bazel"
            | "WORKSPACE"
            | "WORKSPACE.bazel"
            | "MODULE.bazel"
            | "rebar.config"
            | "rebar.config.script"
            | "Package.swift"
            | "dune"
            | "build.zig"
            | "xmake.lua"
            | "premake5.lua"
            | "magefile.go"
            | "Setup.hs"
            | "Cakefile"
            | "wscript"
            | "shard.yml"
    );
    named
        || matches!(extension, "bzl" | "sc" | "rockspec" | "pro" | "pri" | "nimble" | "nims")
        || matches!(name, "build.clj" | "project.clj" | "bb.edn" | "deps.edn")
}

/// Files of tools whose own functions run texts, besides what the language does.
fn extra_language(path: &str, name: &str, extension: &str) -> Option<Language> {
    let tests = path.contains("/tests/") || path.contains("/test/");
    match (name, extension) {
        ("noxfile.py" | "tasks.py" | "fabfile.py" | "dodo.py" | "conanfile.py", _)
        | ("SConstruct" | "SConscript" | "Snakefile" | "snakefile", _)
        | ("wsgi.py" | "asgi.py" | "conf.py", _) => Some(Language::Python),
        ("__init__.py", _) if tests => Some(Language::Python),
        ("Vagrantfile" | "Fastfile", _) | (_, "podspec") => Some(Language::Ruby),
        _ => None,
    }
}

/// `<!(…)` and `<!@(…)`, which are run while the file is read, and the commands of actions.
fn expansions(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for mark in ["<!(", "<!@(", ">!(", ">!@(", "^!(", "^!@("] {
        for rest in text.split(mark).skip(1).take(MOST) {
            found.push(inner(rest).replace("\\\"", "\"").replace("\\'", "'"));
        }
    }
    for rest in text.split("action\"").chain(text.split("action'")).skip(1).take(MOST) {
        let Some((_, list)) = rest.split_once('[').filter(|(before, _)| before.trim() == ":") else {
            continue;
        };
        let words = texts(list.split(']').next().unwrap_or_default());
        found.push(words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
    }
    found
}

/// What stands before the parenthesis that closes.
fn inner(rest: &str) -> String {
    let mut depth = 0_u32;
    let end = rest.char_indices().find(|(_, c)| match c {
        '(' => {
            depth += 1;
            false
        }
        ')' if depth == 0 => true,
        ')' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    rest.get(..end.map_or(rest.len(), |(at, _)| at)).unwrap_or_default().to_owned()
}

/// The texts in quotes.
fn texts(list: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = list.chars();
    while let Some(quote) = chars.by_ref().find(|c| matches!(c, '"' | '\'')) {
        let mut text = String::new();
        while let Some(c) = chars.next().filter(|c| *c != quote) {
            if c == '\\' {
                text.extend(chars.next());
            } else {
                text.push(c);
            }
        }
        found.push(text);
    }
    found
}

/// Texts and values of XML that may be commands.
fn xml_texts(text: &str) -> Vec<String> {
    let plain = |text: &str| {
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        text.replace("&apos;", "'").replace("&#10;", "\n").replace("&amp;", "&")
    };
    let values = ["value=", "line=", "command="].into_iter().flat_map(|mark| {
        text.split(mark).skip(1).filter_map(|rest| {
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            rest.get(1..)?.split(quote).next()
        })
    });
    let arguments = ["<argument>", "<commandlineArgs>", "<script>"]
        .into_iter()
        .flat_map(|mark| text.split(mark).skip(1).filter_map(|rest| rest.split("</").next()));
    // Arguments of a shell stand apart from its name.
    let whole = |text: String| if text.starts_with("-c ") { format!("sh {text}") } else { text };
    values.chain(arguments).map(plain).filter(|text| text.contains(' ')).map(whole).take(MOST).collect()
}

/// YAML in which any value may be a command.
fn is_loose_yaml(path: &str, name: &str, text: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let named = matches!(
        stem,
        ".goreleaser"
            | "goreleaser"
            | "heroku"
            | "pubspec"
            | "render"
            | "wercker"
            | "helmfile"
            | "moon"
            | "skaffold"
            | "process-compose"
            | "azure-pipelines"
            | "playbook"
            | "site"
            | "okteto"
            | "devspace"
            | "garden"
            | "captain-definition"
            | "serverless"
            | "_quarto"
    );
    let folders = ["/.ddev/", "/.trunk/", "/.tekton/"];
    let placed = folders.iter().any(|folder| path.contains(folder));
    let tasks = text.contains("hosts:") && (text.contains("tasks:") || text.contains("roles:"));
    named || placed || tasks || text.starts_with("#cloud-config")
}

/// The values of a YAML text, and the items of its lists.
fn yaml_values(text: &str) -> Vec<String> {
    let mut lines = crate::yaml::commands(text);
    for line in text.lines() {
        let plain = line.trim().trim_start_matches("- ").trim();
        let value = match plain.split_once(": ") {
            Some((key, value)) if !key.contains(' ') => value.trim(),
            _ => plain,
        };
        let value = value.trim_matches(['[', ']', '{', '}', ' ']);
        let items = texts(value);
        if value.starts_with(['"', '\'']) && !items.is_empty() {
            lines.push(items.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "));
            lines.extend(items);
        } else if value.contains(' ') && !value.starts_with('#') {
            lines.push(value.to_owned());
        }
    }
    lines
}
