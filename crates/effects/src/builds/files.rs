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

/// `data "http"` with files in its request: all of them go to its address.
pub(super) fn terraform_requests(text: &str) -> Option<Vec<String>> {
    let blocks = text.split("data \"http\"").skip(1).map(|rest| rest.split("\n}").next().unwrap_or(rest));
    let requests: Vec<String> = blocks.filter_map(terraform_request).collect();
    (!requests.is_empty()).then_some(requests)
}

fn terraform_request(block: &str) -> Option<String> {
    // Other functions may stand around the name: `file(pathexpand("…"))`.
    let calls = ["file(", "filebase64("].into_iter().flat_map(|call| block.split(call).skip(1));
    let named = calls.filter_map(|rest| rest.lines().next()?.split('"').nth(1));
    // A home is written as shells write it.
    let plain = |file: &&str| !file.contains(char::is_whitespace);
    let files: Vec<&str> = named.filter(plain).take(16).collect();
    let url = after_key(block, &["url"]).into_iter().next()?;
    let url = url.trim_start_matches('"').split(['"', '$']).next().unwrap_or_default();
    let send = || format!("cat {} | curl --data-binary @- {}", files.join(" "), quoted(url));
    (!files.is_empty()).then(send)
}

/// `build --workspace_status_command="…"`, `run --run_under=…`: what a build runs besides the build.
fn bazel(text: &str) -> Vec<String> {
    let options = ["--workspace_status_command", "--run_under", "--credential_helper"];
    let values = options.into_iter().flat_map(|option| text.split(option).skip(1));
    // The value stands behind a sign or a blank.
    let values = values.filter_map(|rest| rest.strip_prefix(['=', ' ', '\t']));
    values
        .map(|rest| rest.trim_start_matches([' ', '\t']))
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

/// The values of lines that begin with a key, behind `=` or `:`, with the lines that are set in behind them.
fn after_key(text: &str, keys: &[&str]) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once(['=', ':'])?;
        keys.contains(&key.trim()).then(|| value.trim().to_owned())
    };
    let mut values: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let goes_on = open && line.starts_with([' ', '\t']) && !line.trim().is_empty();
        match (value(line), values.last_mut()) {
            (Some(found), _) => values.push(found),
            (None, Some(last)) if goes_on => last.extend(["\n", line.trim()]),
            _ => {
                open = false;
                continue;
            }
        }
        open = true;
    }
    values
}
