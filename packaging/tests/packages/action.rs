use std::fs;

use serde_json::Value;

use crate::support::{Answer, Scratch, VERSION, answer, dist, is_there, root};

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(root().join(path)).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A release as the action downloads it: a small tarball of its own, so that a test can change it.
fn publish(scratch: &Scratch) -> String {
    let release = scratch.path().join("releases").join(format!("v{VERSION}"));
    fs::create_dir_all(&release).unwrap();
    for entry in fs::read_dir(dist()).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if name == "SHA256SUMS" || name.ends_with("linux-gnu.tar.gz") {
            fs::copy(entry.path(), release.join(name)).unwrap();
        }
    }
    format!("file://{}", release.parent().unwrap().display())
}

/// Runs a step of the action as GitHub's runner does: expressions are put in, and the script goes to bash.
fn step(scratch: &Scratch, number: usize, inputs: &[(&str, &str)]) -> Answer {
    let action = yaml("packaging/action/action.yml");
    let step = &action["runs"]["steps"][number];
    let value = |text: &str| -> String {
        let name = text.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given = inputs.iter().find(|(input, _)| *input == name).map(|(_, value)| (*value).to_owned());
        given.unwrap_or_else(|| action["inputs"][name]["default"].as_str().unwrap().to_owned())
    };
    let mut bash = scratch.command("bash");
    bash.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()]);
    for (name, text) in step["env"].as_object().unwrap() {
        bash.env(name, value(text.as_str().unwrap()));
    }
    let path = fs::read_to_string(scratch.path().join("github-path")).unwrap_or_default();
    bash.env("PATH", format!("{}:/usr/bin:/bin", path.trim())).env("RUNNER_TEMP", scratch.path());
    answer(bash.env("GITHUB_PATH", scratch.path().join("github-path")), b"")
}

#[test]
fn the_action_installs_and_checks_a_policy() {
    if !is_there("curl", "running the GitHub action") {
        return;
    }
    let scratch = Scratch::new();
    let base = publish(&scratch);
    let installed = step(&scratch, 0, &[("base-url", &base)]);
    assert_eq!(installed.code, Some(0), "{installed:?}");
    fs::write(scratch.project().join("tollgate.yaml"), "version: 1\n").unwrap();
    let checked = step(&scratch, 1, &[("command", "check")]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    fs::write(scratch.project().join("tollgate.yaml"), "version: 1\nmod: enforce\n").unwrap();
    let wrong = step(&scratch, 1, &[("command", "check"), ("args", "tollgate.yaml")]);
    assert!(wrong.code == Some(1) && wrong.stdout.contains("unknown key"), "{wrong:?}");
    let other = step(&scratch, 1, &[("command", "uninstall")]);
    assert_eq!(other.code, Some(2), "{other:?}");
}

#[test]
fn the_action_refuses_a_tarball_with_another_checksum() {
    if !is_there("curl", "running the GitHub action") {
        return;
    }
    let scratch = Scratch::new();
    let base = publish(&scratch);
    let pinned = step(&scratch, 0, &[("base-url", &base), ("sha256", &"0".repeat(64))]);
    assert!(pinned.code == Some(1) && pinned.stdout.contains("::error::the checksum"), "{pinned:?}");
    fs::write(scratch.path().join(format!("releases/v{VERSION}/SHA256SUMS")), "").unwrap();
    let unlisted = step(&scratch, 0, &[("base-url", &base)]);
    assert_eq!(unlisted.code, Some(1), "{unlisted:?}");
    assert!(!scratch.path().join("github-path").exists());
}

#[test]
fn the_action_installs_this_version_and_puts_no_input_into_a_script() {
    let action = yaml("packaging/action/action.yml");
    assert_eq!(action["inputs"]["version"]["default"], VERSION);
    assert_eq!(action["runs"]["using"], "composite");
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash", "{step}");
        assert!(!step["run"].as_str().unwrap().contains("${{"), "{step}");
    }
}

#[test]
fn the_release_workflow_builds_twice_and_publishes_what_it_built() {
    let workflow = yaml(".github/workflows/release.yml");
    assert!(workflow["on"]["push"]["tags"][0].as_str().unwrap().starts_with('v'));
    let jobs = workflow["jobs"].as_object().unwrap();
    let steps = jobs.values().flat_map(|job| job["steps"].as_array().unwrap());
    let mut commands = String::new();
    for step in steps {
        assert!(step.get("uses").is_some() != step.get("run").is_some(), "{step}");
        if let Some(used) = step["uses"].as_str() {
            let commit = used.split_once('@').unwrap().1;
            assert!(
                commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()),
                "not pinned: {used}"
            );
        }
        commands.push_str(step["run"].as_str().unwrap_or_default());
        commands.push('\n');
    }
    for command in ["cargo xtask dist --twice", "cargo deny check advisories", "gh release create"] {
        assert!(commands.contains(command), "{command}: {commands}");
    }
    let only_last_writes = jobs.iter().filter(|(_, job)| job["permissions"]["contents"] == "write").count();
    assert_eq!((only_last_writes, &workflow["permissions"]["contents"]), (1, &"read".into()));
}
