//! Completion scripts and manual pages, read by the programs that they are for.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};

use support::{Answer, Scratch, answer};

/// Subcommands that only the gate itself starts.
const HIDDEN: [&str; 3] = ["observe", "deliver", "alive"];

#[test]
fn bash_completes_subcommands_and_their_options() {
    let scratch = Scratch::new();
    let script = tollgate(&scratch, &["completions", "bash"]).stdout;
    std::fs::write(scratch.home().join("tollgate.bash"), script).unwrap();
    assert_eq!(complete(&scratch, &["tollgate", "expl"]), ["explain"]);
    assert_eq!(complete(&scratch, &["tollgate", "rules", "sh"]), ["show"]);
    assert_eq!(complete(&scratch, &["tollgate", "man", "--d"]), ["--dir"]);
    assert_eq!(complete(&scratch, &["tollgate", "completions", "z"]), ["zsh"]);
    let all = complete(&scratch, &["tollgate", ""]);
    assert!(all.contains(&"init".to_owned()) && all.contains(&"hook".to_owned()), "{all:?}");
    assert!(HIDDEN.iter().all(|name| !all.contains(&(*name).to_owned())), "{all:?}");
}

#[test]
fn every_shell_gets_a_script_without_hidden_subcommands() {
    let scratch = Scratch::new();
    for (shell, mark) in [
        ("bash", "complete -F _tollgate"),
        ("zsh", "#compdef tollgate"),
        ("fish", "complete -c tollgate"),
        ("elvish", "edit:completion:arg-completer[tollgate]"),
        ("powershell", "Register-ArgumentCompleter -Native -CommandName 'tollgate'"),
    ] {
        let script = tollgate(&scratch, &["completions", shell]).stdout;
        assert!(script.contains(mark), "{shell}");
        assert!(!script.contains("alive") && !script.contains("deliver"), "{shell}");
    }
    let answer = tollgate(&scratch, &["completions", "tcsh"]);
    assert_eq!(answer.code, Some(2), "{}", answer.stderr);
}

#[test]
fn manual_pages_are_written_for_every_visible_subcommand() {
    let scratch = Scratch::new();
    let folder = scratch.home().join("man/man1");
    let written = tollgate(&scratch, &["man", "--dir", &folder.to_string_lossy()]);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in ["tollgate.1", "tollgate-explain.1", "tollgate-rules-show.1", "tollgate-workflow-stop.1"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    for name in HIDDEN {
        assert!(!names.contains(&format!("tollgate-{name}.1")), "{names:?}");
    }
    assert!(names.iter().all(|name| !name.contains("help")), "{names:?}");
    for name in &names {
        is_well_formed(&folder.join(name));
    }
}

#[test]
fn the_main_page_goes_to_standard_output_and_lists_the_subcommands() {
    let scratch = Scratch::new();
    let page = tollgate(&scratch, &["man"]).stdout;
    let path = scratch.home().join("tollgate.1");
    std::fs::write(&path, &page).unwrap();
    is_well_formed(&path);
    assert!(page.contains(r"tollgate\-explain(1)"), "{page}");
    assert!(HIDDEN.iter().all(|name| !page.contains(&format!(r"tollgate\-{name}(1)"))), "{page}");
    let Some(shown) = formatted(&path) else { return };
    assert!(shown.contains("SYNOPSIS") && shown.contains("tollgate-explain(1)"), "{shown}");
}

fn tollgate(scratch: &Scratch, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(args);
    scratch.clean(&mut command);
    answer(&mut command, b"")
}

/// What bash offers for the last word, once it has sourced the script.
fn complete(scratch: &Scratch, words: &[&str]) -> Vec<String> {
    let driver = r#"
        . "$HOME/tollgate.bash"
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tollgate tollgate "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile", "-c", driver, "bash"]).args(words);
    scratch.clean(&mut command);
    let answer = answer(&mut command, b"");
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""), "{words:?}");
    answer.stdout.lines().map(str::to_owned).collect()
}

/// Has the sections that readers expect, and groff has no complaint, where there is one.
fn is_well_formed(path: &Path) {
    let page = std::fs::read_to_string(path).unwrap();
    for section in [".TH", ".SH NAME", ".SH SYNOPSIS"] {
        assert!(page.lines().any(|line| line.starts_with(section)), "{}: {section}", path.display());
    }
    let groff = Command::new("groff")
        .args(["-Kutf8", "-man", "-Tutf8", "-ww", "-z"])
        .arg(path)
        .stdin(Stdio::null())
        .output();
    if let Ok(output) = groff {
        let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && complaints.is_empty(), "{}: {complaints}", path.display());
    }
}

/// The page as `man` shows it; nothing where there is no `man`.
fn formatted(path: &Path) -> Option<String> {
    let mut command = Command::new("man");
    command.arg("-l").arg(path).env("MANPAGER", "cat").env("MANWIDTH", "100").stdin(Stdio::null());
    let Ok(output) = command.output() else {
        println!("left out: `man` is not installed");
        return None;
    };
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
