//! Commands in files that are neither JSON nor YAML, form by form.

use super::quoted;
use crate::builds::python;
use crate::cargo::toml_texts;

/// The `RUN` lines of an image, with what they go on in.
pub(super) fn image_lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let steps = joined.lines().map(str::trim_start).filter_map(|line| {
        let (word, rest) = line.split_once(' ')?;
        matches!(word.to_ascii_uppercase().as_str(), "RUN" | "CMD" | "ENTRYPOINT").then_some(rest)
    });
    steps
        .map(|step| {
            let mut words = step.trim_start();
            while words.starts_with("--") {
                words = words.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
            }
            words.to_owned()
        })
        .collect()
}

/// `<Exec Command="…" />`, and what runs before and after a build.
pub(super) fn msbuild_commands(text: &str) -> Vec<String> {
    let tasks = text.split("<Exec").skip(1).filter_map(|task| {
        let (_, value) = task.split_once("Command=")?;
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value.split(quote).nth(1)
    });
    let events = ["PreBuildEvent", "PostBuildEvent", "PreLinkEvent"].into_iter().flat_map(|event| {
        let opened = text.split(&format!("<{event}>")).skip(1).collect::<Vec<_>>();
        opened.into_iter().filter_map(|rest| rest.split("</").next())
    });
    let plain = |line: &str| {
        // A property that nobody set is the variable of that name.
        let line = environment_of(line).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        line.replace("&apos;", "'").replace("&#xA;", "\n").replace("&amp;", "&")
    };
    tasks.chain(events).map(plain).collect()
}

/// `$(HOME)`, as `${HOME}`.
pub(super) fn environment_of(text: &str) -> String {
    let mut parts = text.split("$(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((name, rest)) if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                out.push_str(&format!("${{{name}}}{rest}"));
            }
            _ => out.push_str(&format!("$({part}")),
        }
    }
    out
}

pub(super) fn after_colons(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.split_once(": ")).map(|(_, line)| line.to_owned()).collect()
}

/// What a shell of Nix runs when it starts: the texts in doubled quotes, and those of its hooks.
pub(super) fn nix_hooks(text: &str) -> Vec<String> {
    let doubled = text.split("''").skip(1).step_by(2);
    let hooks = text.split("Hook").skip(1).chain(text.split("enterShell").skip(1)).filter_map(|rest| {
        let value = rest.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?;
        value.split('"').next()
    });
    doubled.chain(hooks).map(str::to_owned).collect()
}

/// `commands = …` with the lines that belong to it.
pub(super) fn ini_commands(text: &str) -> Vec<String> {
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
pub(super) fn unit_commands(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("Exec"));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(_, line)| line.trim_start_matches(['-', '@', '+', '!']).to_owned())
        .collect()
}

/// Keys whose values are commands, wherever they stand.
const COMMAND_KEYS: &[&str] = &[
    "runner",
    "rustc-wrapper",
    "rustc-workspace-wrapper",
    "linker",
    "rustc",
    "rustdoc",
    "command",
    "cmd",
    "release_command",
    "full_bin",
    "run",
    "script",
    "shell",
    "before-all",
    "before-build",
    "before-test",
    "repair-wheel-command",
    "buildCommand",
    "startCommand",
    "cmds",
    "replace_command",
    "postprocessors",
    "preprocessors",
    "pre_build",
    "post_build",
    "pre-build",
    "pre-install-commands",
    "post-install-commands",
];

/// Values of sections for tasks, scripts and hooks, and of the keys by which cargo names programs.
pub(super) fn toml_commands(text: &str) -> Vec<String> {
    let mut section = String::new();
    let mut program = String::new();
    // Long texts are scripts, or the settings of a runner.
    let long = ["\"\"\"", "'''"].into_iter().flat_map(|mark| text.split(mark).skip(1).step_by(2));
    let mut commands: Vec<String> = Vec::new();
    for block in long.take(64) {
        commands.extend(ini_commands(block));
        commands.push(block.to_owned());
    }
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            line.trim_matches(['[', ']']).clone_into(&mut section);
            program.clear();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match key.trim() {
            "init-hook" => commands.extend(toml_texts(value).first().map(|code| python(code))),
            "command" | "program" => program = toml_texts(value).into_iter().next().unwrap_or_default(),
            "args" | "arguments" if !program.is_empty() => {
                let args = toml_texts(value);
                let words = std::iter::once(program.as_str()).chain(args.iter().map(String::as_str));
                commands.push(words.map(quoted).collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
        let tasks = ["tasks", "scripts", "hooks", "jobs", "phases"]
            .iter()
            .any(|part| section.split('.').any(|name| name == *part));
        if tasks || COMMAND_KEYS.contains(&key.trim()) {
            let words = toml_texts(value);
            // A list may be the words of one command, or a command each.
            let many = words.iter().filter(|word| words.len() > 1 && word.contains(' '));
            commands.extend(many.cloned());
            commands.push(match words.as_slice() {
                [line] => line.clone(),
                words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            });
        }
    }
    commands
}

/// The settings of an editor, a debugger or a client are read as what it is told on its input.
pub(super) fn told_to(program: &str, text: &str) -> Vec<String> {
    const END: &str = "end-of-these-settings";
    vec![format!("{program} <<'{END}'\n{text}\n{END}\n")]
}
