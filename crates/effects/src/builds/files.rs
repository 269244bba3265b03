//! Files whose commands stand behind keys of their own: one reader per form.

use super::texts;
use crate::carriers::quoted;

/// The commands of a file, by its name.
pub(super) fn read(path: &str, name: &str, text: &str) -> Option<Vec<String>> {
    match name {
        ".bazelrc" | "user.bazelrc" => Some(bazel(text)),
        "project.pbxproj" => Some(build_phases(text)),
        "supervisord.conf" => Some(after_key(text, &["command"])),
        ".pylintrc" | "pylintrc" => {
            Some(after_key(text, &["init-hook"]).iter().map(|code| python(code)).collect())
        }
        _ if path.contains("/supervisor/conf.d/") => Some(after_key(text, &["command"])),
        _ => None,
    }
}

/// A piece of Python as a command.
pub(crate) fn python(code: &str) -> String {
    format!("python3 -c {}", quoted(code.trim_matches(['"', '\''])))
}

/// `data "http"` that sends a file: the first file and the first address.
pub(super) fn terraform_request(text: &str) -> Option<String> {
    if !text.contains("\"http\"") || !text.contains("request_body") {
        return None;
    }
    let between = |start: &str| text.split(start).nth(1)?.split('"').next();
    let file = between("file(\"").or_else(|| between("filebase64(\""))?;
    let url = after_key(text, &["url"]).into_iter().next()?;
    Some(format!("cat {file} | curl --data-binary @- {}", quoted(url.trim_matches('"'))))
}

/// `build --workspace_status_command="…"`, `run --run_under=…`: what a build runs besides the build.
fn bazel(text: &str) -> Vec<String> {
    let options = ["--workspace_status_command=", "--run_under=", "--credential_helper="];
    let values = options.into_iter().flat_map(|option| text.split(option).skip(1));
    values
        .map(|rest| match rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
            Some(_) => texts(rest.lines().next().unwrap_or_default()).into_iter().next().unwrap_or_default(),
            None => rest.split_whitespace().next().unwrap_or_default().to_owned(),
        })
        .collect()
}

/// `shellScript = "…";` of an Xcode project.
fn build_phases(text: &str) -> Vec<String> {
    let quoted = text.split("shellScript = ").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?.replace("\\n", "\n");
        texts(&line).into_iter().next().or_else(|| texts(rest).into_iter().next())
    });
    quoted.collect()
}

/// The values of lines that begin with a key.
fn after_key(text: &str, keys: &[&str]) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        keys.contains(&key.trim()).then(|| value.trim().to_owned())
    };
    text.lines().filter_map(value).collect()
}
