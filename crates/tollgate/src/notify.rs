//! Notifications: started when the answer is out, in processes that outlive this one and hold none of its pipes.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tollgate_workflow::Channel;

/// Where the programs that carry notifications are looked for. `PATH` belongs to the agent.
const PLACES: [&str; 5] =
    ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"];

/// Seconds that a delivery over the network may take.
const PATIENCE: &str = "15";

/// The longest text: what goes into a pipe at once, so that nobody has to read it before this process ends.
const LONGEST: usize = 3000;

/// Sends a text. One that cannot be sent is nobody's fault here.
pub fn send(channel: &Channel, text: &str, project: &str) {
    let text: String = text.chars().take(LONGEST).collect();
    let Some(mut command) = command(channel, &text) else { return };
    command.current_dir(project).env("TOLLGATE_TEXT", &text).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn()
        && let Some(mut pipe) = child.stdin.take()
    {
        let _ = pipe.write_all(text.as_bytes());
    }
}

/// A person's command in a shell, the desktop's own program, or curl.
fn command(channel: &Channel, text: &str) -> Option<Command> {
    Some(match channel {
        Channel::Run(run) => shell(run),
        Channel::Desktop => desktop(program, text)?,
        Channel::Ntfy(url) => {
            let args = [
                "-q",
                "-sS",
                "--max-time",
                PATIENCE,
                "-H",
                "Title: Tollgate",
                "--data-binary",
                "@-",
                "--",
                url,
            ];
            unbound(&program("curl")?, &args)
        }
    })
}

/// The program of this desktop, wherever it is found.
fn desktop(find: impl Fn(&str) -> Option<String>, text: &str) -> Option<Command> {
    match find("notify-send") {
        Some(program) => Some(unbound(&program, &["--app-name=Tollgate", "--", "Tollgate", text])),
        None => Some(unbound(&find("osascript")?, &["-e", SCRIPT, text])),
    }
}

/// The text is an argument of the script, never a part of it.
const SCRIPT: &str = "on run argv\ndisplay notification (item 1 of argv) with title \"Tollgate\"\nend run";

/// A person's command. The gate's own limit on memory is not the command's.
pub fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("ulimit -S -v unlimited 2>/dev/null\n{command}"));
    shell
}

/// A program without the gate's own limit on memory. Its words are never read by a shell.
fn unbound(program: &str, args: &[&str]) -> Command {
    let mut command = shell("exec \"$@\"");
    command.arg("sh").arg(program).args(args);
    command
}

/// A program of the system, by its name.
pub fn program(name: &str) -> Option<String> {
    PLACES.iter().map(|folder| format!("{folder}/{name}")).find(|path| Path::new(path).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_word_of_the_desktops_program_whatever_it_holds() {
        let text = "a \"b\"; $(touch /tmp/no) `id` \n-x";
        for known in ["notify-send", "osascript"] {
            // A program that prints its words stands for the desktop's own.
            let find = |name: &str| (name == known).then(|| "/usr/bin/printf".to_owned());
            let mut command = desktop(find, text).unwrap();
            let last = command.get_args().last().unwrap().to_owned();
            assert_eq!(last, text, "{known}");
            assert!(command.output().is_ok(), "{known}");
        }
        assert!(desktop(|_| None, text).is_none(), "there is no desktop");
    }
}
