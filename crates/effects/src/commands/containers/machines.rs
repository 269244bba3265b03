//! Machines and containers of other kinds: LXC, systemd's, development containers.

use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Text;

use super::{infra, inside};
use crate::commands::verbs::Line;
use crate::commands::{Run, interpreters};
use crate::elsewhere::Elsewhere;
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

pub(in crate::commands) fn lxc(run: &mut Run) -> Outcome {
    let line = Line::read(run.args, "project cwd env user group mode c config", false);
    match line.verb(0).as_str() {
        "exec" => {
            let mut command = line.operands.get(2..).unwrap_or_default().to_vec();
            command.extend(line.after);
            return inside(run, Elsewhere::new(run.analyst.world), None, &command);
        }
        // A folder of this machine in the container.
        "config" | "profile" if is_device_of_root(&line, run.analyst.world.home()) => {
            infra(run, "unconfined", "a disk of this machine")
        }
        "delete" | "rm" => infra(run, "delete-data", "an instance with all data in it"),
        "storage" | "snapshot" if line.operands.iter().any(|word| word.is("delete")) => {
            infra(run, "delete-data", "a storage pool, volume or snapshot");
        }
        _ => {}
    }
    run.derived()
}

/// `config device add instance name disk source=/`: all of this machine, or a folder that holds the home.
fn is_device_of_root(line: &Line, home: &str) -> bool {
    let words: Vec<String> = line.operands.iter().map(Word::shown).collect();
    let adds =
        words.get(1).is_some_and(|word| word == "device") && words.get(2).is_some_and(|word| word == "add");
    let mut sources = words.iter().filter_map(|word| word.strip_prefix("source="));
    adds && sources
        .any(|path| paths::within(home, path) || matches!(path, "/etc" | "/root" | "/boot" | "/var"))
}

pub(in crate::commands) fn lxc_attach(run: &mut Run) -> Outcome {
    let options =
        read(run.args, "n,name= P,lxcpath= o= l= u,uid= g,gid= e? s= v= clear-env keep-env", Order::First);
    inside(run, Elsewhere::new(run.analyst.world), None, &options.operands)
}

pub(in crate::commands) fn machinectl(run: &mut Run) -> Outcome {
    let line =
        read(run.args, "M,machine= H,host= E,setenv= uid= q,quiet no-pager no-ask-password", Order::First);
    let verb = line.operands.first().map(Word::shown).unwrap_or_default();
    match verb.as_str() {
        "shell" => {
            let options =
                read(line.operands.get(1..).unwrap_or_default(), "E,setenv= uid= q,quiet", Order::First);
            let command = options.operands.get(1..).unwrap_or_default().to_vec();
            // `.host` is this machine.
            if options
                .operands
                .first()
                .is_none_or(|machine| machine.shown().ends_with(".host") || machine.shown().ends_with('@'))
            {
                return run.inner(&command);
            }
            return inside(run, Elsewhere::new(run.analyst.world), None, &command);
        }
        "remove" | "clean" => infra(run, "delete-data", "a machine with all data in it"),
        _ => {}
    }
    run.derived()
}

pub(in crate::commands) fn devcontainer(run: &mut Run) -> Outcome {
    let spec = "workspace-folder= config= override-config= container-id= id-label= remote-env= docker-path= \
        docker-compose-path= log-level= user-data-folder= terminal-columns= terminal-rows= log-format=";
    let global = read(run.args, spec, Order::First);
    let Some((_, rest)) = global.operands.split_first().filter(|(verb, _)| verb.is("exec")) else {
        return run.derived();
    };
    let options = read(rest, spec, Order::First);
    let command = options.operands.clone();
    if command.is_empty() {
        interpreters::stdin_code(run)
    } else {
        let mut there = Elsewhere::new(run.analyst.world);
        // The project lies there under its own name.
        let here = options.value("workspace-folder").or(global.value("workspace-folder")).cloned();
        let here = here.unwrap_or_else(|| Word::literal_at(".", run.call.span));
        let here = run.shell.resolve(&here.value());
        let folder = here.as_literal().map(paths::normal);
        let Some(folder) = folder.as_deref().filter(|folder| folder.starts_with('/')) else {
            return inside(run, there, None, &command);
        };
        let name = format!("/workspaces/{}", folder.rsplit('/').next().unwrap_or_default());
        there.mount(&name, Text::literal(folder), false);
        inside(run, there, Some(&Word::literal_at(&name, run.call.span)), &command)
    }
}
