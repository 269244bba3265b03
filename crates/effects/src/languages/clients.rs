//! Libraries that do the work of a program: Git's, a remote shell's, a container engine's. What they are asked is
//! judged as the program's command.

use tollgate_model::json;
use tollgate_shell::value::Value;

use super::losses::{DEPTH, plain_value};
use super::machine::Machine;
use super::value::{Args, Val};
use crate::openings::clouds;

/// Libraries that work on other machines.
pub(super) const REMOTES: &[&str] = &[
    "paramiko",
    "fabric",
    "pysftp",
    "asyncssh",
    "ssh2",
    "node-ssh",
    "ssh2-sftp-client",
    "Net.SSH",
    "Net.SFTP",
];

impl Machine<'_, '_, '_> {
    /// Whom a library that works on other machines is told to call.
    pub fn note_peer(&mut self, class: &str, args: &Args) {
        let host = args.option("host").or(args.option("hostname")).or(args.get(0));
        if let Some(host @ Val::Text(_)) =
            host.filter(|_| REMOTES.iter().any(|library| class.starts_with(library)))
        {
            self.peer = Some(host.clone());
        }
    }

    /// Requests that a timer of a cloud is to send.
    fn planned_call(&mut self, class: &str, args: &Args) {
        if !["boto3", "aioboto3", "@aws-sdk", "aws-sdk"].iter().any(|library| class.starts_with(library)) {
            return;
        }
        let mut text = String::new();
        for value in args.all().take(32) {
            json::write(&plain_value(value, DEPTH), &mut text);
        }
        for words in clouds::planned(&text).take(8) {
            let words = words.iter().map(|word| Val::text(word)).collect();
            self.run_spawn(&Args::of(vec![Val::list(words)]));
        }
    }

    /// What a library does in the name of a program: Git's, or a remote shell's.
    pub fn client_call(&mut self, class: &str, name: &str, args: &Args) -> Option<Val> {
        if let Some(result) = self.git_call(class, name, args) {
            return Some(result);
        }
        self.planned_call(class, args);
        let peer = || self.peer.clone().unwrap_or_else(|| Val::text("host"));
        let words: Vec<Val> = if class.starts_with("crontab.CronTab") && name == "new" {
            let line = Value::text("* * * * * ").concat(&args.at(0, &["command"]).as_text());
            let table = Val::Text(line.concat(&Value::text("\n")));
            self.run_system(
                "",
                &Args { list: vec![Val::text("crontab -")], named: vec![("input".into(), table)] },
            );
            return Some(Val::unknown());
        } else if let Some(words) = task(class, name, args) {
            words
        } else if class.starts_with("dockerode") && matches!(name, "createContainer" | "run") {
            dockerode_run(args)
        } else if class.starts_with("docker") && class.ends_with(".containers") && name == "run" {
            docker_run(args)
        } else if REMOTES.iter().any(|library| class.starts_with(library)) || name == "exec!" {
            match name {
                "remove" | "unlink" | "rmdir" | "rmtree" | "delete" if is_files(class) => {
                    let tree = matches!(name, "rmdir" | "rmtree");
                    let start = Value::text(if tree { "rm -rf " } else { "rm -f " });
                    let path = args.at(0, &["path"]).as_text();
                    vec![Val::text("ssh"), peer(), Val::Text(start.concat(&path))]
                }
                "exec_command" | "run" | "sudo" | "exec" | "execCommand" | "exec!" => {
                    vec![Val::text("ssh"), peer(), args.at(0, &["command"])]
                }
                "put" | "upload" | "fastPut" | "putFile" | "putDirectory" | "uploadDir" => {
                    let place = Val::Text(peer().as_text().concat(&Value::text(":upload")));
                    vec![Val::text("scp"), args.at(0, &["localpath", "local"]), place]
                }
                _ => return None,
            }
        } else {
            return None;
        };
        Some(self.run_spawn(&Args::of(vec![Val::list(words)])))
    }
}

/// Is it a view of another machine's files?
fn is_files(class: &str) -> bool {
    class.to_ascii_lowercase().contains("sftp")
}

/// A task of a framework that its own library starts: Django's, Laravel's, Rake's.
fn task(class: &str, name: &str, args: &Args) -> Option<Vec<Val>> {
    let start: &[&str] = match name {
        "call_command" => &["python", "manage.py"],
        "downgrade" if class == "alembic.command" => &["alembic", "downgrade"],
        "call" | "callSilently" if class == "Artisan" || class.ends_with(".Artisan") => &["php", "artisan"],
        "invoke" | "execute" if class.starts_with("Rake.Task.") => &["rake"],
        _ => return None,
    };
    let own = class.strip_prefix("Rake.Task.").map(Val::text);
    let words = args.list.iter().flat_map(Val::items_or_self).filter(|word| matches!(word, Val::Text(_)));
    Some(start.iter().map(|word| Val::text(word)).chain(own).chain(words).collect())
}

/// `createContainer({Image, Cmd, HostConfig: {Binds, Privileged}})` as a command.
fn dockerode_run(args: &Args) -> Vec<Val> {
    let mut words = vec![Val::text("docker"), Val::text("run")];
    let host = args.option("HostConfig").cloned().unwrap_or_else(Val::unknown);
    if host.entry("Privileged").is_some_and(Val::is_true) {
        words.push(Val::text("--privileged"));
    }
    for bind in host.entry("Binds").map(Val::items).unwrap_or_default() {
        words.extend([Val::text("-v"), bind]);
    }
    words.push(args.option("Image").or(args.get(0)).cloned().unwrap_or_else(Val::unknown));
    words.extend(args.option("Cmd").or(args.get(1)).map(Val::items).unwrap_or_default());
    words
}

/// `containers.run(image, command, volumes={…}, privileged=True)` as a command.
fn docker_run(args: &Args) -> Vec<Val> {
    let mut words = vec![Val::text("docker"), Val::text("run")];
    if args.option("privileged").is_some_and(Val::is_true) {
        words.push(Val::text("--privileged"));
    }
    if let Some(Val::Table(table)) = args.option("volumes") {
        for (source, spec) in &table.entries {
            let bound = spec.entry("bind").and_then(Val::literal).unwrap_or_else(|| "/mnt".to_owned());
            words.extend([Val::text("-v"), Val::text(&format!("{source}:{bound}"))]);
        }
    }
    words.push(args.at(0, &["image"]));
    match args.at(1, &["command"]) {
        Val::List(list) => words.extend(list.items.iter().cloned()),
        Val::Text(text) => {
            let line = text.as_literal().unwrap_or_default().to_owned();
            words.extend(line.split_whitespace().map(Val::text));
        }
        _ => {}
    }
    words
}
