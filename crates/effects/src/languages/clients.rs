//! Libraries that do the work of a program: Git's, a remote shell's, a container engine's. What they are asked is
//! judged as the program's command.

use std::rc::Rc;

use tollgate_shell::value::Value;

use super::machine::Machine;
use super::value::{Args, Val};

/// Libraries that work on other machines.
pub(super) const REMOTES: &[&str] =
    &["paramiko", "fabric", "pysftp", "asyncssh", "ssh2", "node-ssh", "ssh2-sftp-client"];

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

    /// What a library does in the name of a program: Git's, or a remote shell's.
    pub fn client_call(&mut self, class: &str, name: &str, args: &Args) -> Option<Val> {
        let peer = || self.peer.clone().unwrap_or_else(|| Val::text("host"));
        let words: Vec<Val> = if class.starts_with("git.Repo") && class.ends_with(".git") {
            git_command(name, args)
        } else if class.starts_with("git.Repo") && class.contains(".remote") {
            let force = args.option("force").is_some_and(Val::is_true).then(|| Val::text("--force"));
            let verb = [Val::text("git"), Val::text(name)].into_iter().chain(force);
            verb.chain([Val::text("origin")]).chain(args.list.clone()).collect()
        } else if class.starts_with("crontab.CronTab") && name == "new" {
            let line = Value::text("* * * * * ").concat(&args.at(0, &["command"]).as_text());
            let table = Val::Text(line.concat(&Value::text("\n")));
            self.run_system(
                "",
                &Args { list: vec![Val::text("crontab -")], named: vec![("input".into(), table)] },
            );
            return Some(Val::unknown());
        } else if class.starts_with("git.Repo") && name == "reset" {
            let hard = args.option("working_tree").is_some_and(Val::is_true);
            let mode = Val::text(if hard { "--hard" } else { "--mixed" });
            [Val::text("git"), Val::text("reset"), mode].into_iter().chain(args.list.clone()).collect()
        } else if class.starts_with("simple-git") {
            let flat =
                args.list.iter().flat_map(Val::items_or_self).filter(|word| matches!(word, Val::Text(_)));
            let verb = (name != "raw").then(|| Val::text(name));
            std::iter::once(Val::text("git")).chain(verb).chain(flat).collect()
        } else if class.starts_with("dockerode") && matches!(name, "createContainer" | "run") {
            dockerode_run(args)
        } else if class.starts_with("docker") && class.ends_with(".containers") && name == "run" {
            docker_run(args)
        } else if REMOTES.iter().any(|library| class.starts_with(library)) {
            match name {
                "exec_command" | "run" | "sudo" | "exec" | "execCommand" => {
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

/// `repo.git.reset("HEAD", hard=True)` as a command: what has a name is an option.
fn git_command(name: &str, args: &Args) -> Vec<Val> {
    let option = |(name, value): &(Rc<str>, Val)| {
        let dashes = if name.len() == 1 { "-" } else { "--" };
        let flag = format!("{dashes}{}", name.replace('_', "-"));
        match value {
            Val::Text(text) => Some(Val::Text(Value::text(&format!("{flag}=")).concat(text))),
            value => value.is_true().then(|| Val::text(&flag)),
        }
    };
    let verb = [Val::text("git"), Val::text(&name.replace('_', "-"))];
    verb.into_iter().chain(args.named.iter().filter_map(option)).chain(args.list.clone()).collect()
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
