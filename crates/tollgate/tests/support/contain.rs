//! Commands under `tollgate run` in a scratch home.

use std::process::{Command, Output, Stdio};

use super::Scratch;

/// `tollgate run` with these options, before the `--`.
pub fn run(scratch: &Scratch, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    scratch.clean(&mut command);
    command.env_remove("CLAUDE_PROJECT_DIR").env("TOLLGATE", env!("CARGO_BIN_EXE_tollgate"));
    command.arg("run").args(options).arg("--");
    command
}

/// The output of a command that reads nothing.
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().unwrap()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Can this kernel contain nothing? Then the test is left out, and says so.
pub fn is_impossible(scratch: &Scratch) -> bool {
    let output = output(run(scratch, &[]).arg("true"));
    let is_impossible = output.status.code() == Some(125);
    if is_impossible {
        eprintln!("left out: {}", text(&output.stderr).trim());
    }
    is_impossible
}
