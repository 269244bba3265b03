//! Ansible: single modules, playbooks, and what their templates look up on this machine.

use tollgate_model::{EffectKind, EnvUse, InfraTool, WriteMode, stage};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::containers::remote;
use super::verbs::Line;
use super::{Run, interpreters};
use crate::secret_names::is_secret_name;
use crate::word::Word;

/// Modules that write the file which `path` or `dest` names.
const WRITERS: &[&str] = &[
    "copy",
    "template",
    "lineinfile",
    "blockinfile",
    "replace",
    "get_url",
    "unarchive",
    "assemble",
    "ini_file",
    "xml",
];

/// A module run on hosts; on this machine it does what it says here.
pub(super) fn ansible(run: &mut Run) -> Outcome {
    let values = "m module-name a args i inventory u user l limit f forks e extra-vars private-key become-user c connection t tree \
        vault-id vault-password-file T timeout P poll B background M module-path become-method";
    let line = Line::read(run.args, values, false);
    let module =
        line.values(&["m", "module-name"]).next().map(Word::shown).unwrap_or_else(|| "command".into());
    if line.has("C") || line.has("check") {
        return run.derived();
    }
    if matches!(short(&module), "reboot" | "shutdown" | "win_reboot") {
        super::network::there(run, &Value::text("reboot"), &line.verb(0));
        return run.derived();
    }
    let Some(args) = line.values(&["a", "args"]).last().cloned() else { return run.derived() };
    lookups(run, &args);
    let host = line.verb(0);
    let here = is_local(run) || matches!(host.as_str(), "localhost" | "127.0.0.1");
    module_runs(run, short(&module), &args, here, &host)
}

fn module_runs(run: &mut Run, module: &str, args: &Word, here: bool, host: &str) -> Outcome {
    let shown = args.shown();
    let value = |key: &str| {
        shown.split_whitespace().find_map(|part| part.strip_prefix(key)?.strip_prefix('=').map(unquoted))
    };
    let absent = matches!(value("state"), Some("absent" | "deleted"));
    let path = ["path", "dest", "name"].into_iter().find_map(value);
    let on = format!("on the hosts {host}");
    match (module, path) {
        ("shell" | "command" | "raw" | "script", _) if here => {
            interpreters::code(run, &args.value(), args.span)
        }
        ("shell" | "command" | "raw" | "script", _) => {
            let words = ["sh", "-c"].map(|text| Word::literal_at(text, args.span));
            remote(run, &[&words[..], std::slice::from_ref(args)].concat(), &on)
        }
        ("file", Some(path)) if absent && here => {
            deletes(run, path, args);
            run.derived()
        }
        ("file", Some(path)) if absent => {
            remote(run, &["rm", "-rf", path].map(|text| Word::literal_at(text, args.span)), &on)
        }
        (_, Some(path)) if here && WRITERS.contains(&module) => {
            writes(run, path, args);
            run.derived()
        }
        ("filesystem" | "parted" | "lvg" | "luks_device" | "zpool", _) if here => {
            let device = ["dev", "device", "pvs"].into_iter().find_map(value).unwrap_or_default();
            let command = ["mkfs", device].map(|text| Word::literal_at(text, args.span));
            run.inner(&command)
        }
        // Whatever the module looks after: a volume, a database, a user, a zone.
        _ if !here && absent => {
            let (tool, operation) = (run.program.to_owned(), "delete".to_owned());
            let target = format!("{module} {shown} {on}");
            run.push(EffectKind::Infra { tool: InfraTool::Named(tool), operation, target });
            run.derived()
        }
        _ => run.derived(),
    }
}

pub(super) fn ansible_playbook(run: &mut Run) -> Outcome {
    let line = Line::read(
        run.args,
        "i inventory l limit e extra-vars t tags u user vault-password-file f forks skip-tags c connection",
        false,
    );
    if LOOKS.iter().any(|flag| line.has(flag.trim_start_matches('-'))) {
        return run.derived();
    }
    let target = line
        .values(&["i", "inventory", "l", "limit"])
        .map(Word::shown)
        .find(|name| stage::is_production(name));
    if let Some(target) = target {
        let (tool, operation) = (run.program.to_owned(), "apply".to_owned());
        run.push(EffectKind::Infra {
            tool: InfraTool::Named(tool),
            operation,
            target: format!("ansible-playbook on {target}"),
        });
    }
    run.derived()
}

/// Options with which nothing is changed.
const LOOKS: &[&str] = &["--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts"];

/// Runs a playbook that it fetches first.
pub(super) fn ansible_pull(run: &mut Run) -> Outcome {
    let line = Line::read(run.args, "U url i inventory d directory C checkout", false);
    if line.values(&["U", "url"]).any(|url| url.shown().contains([':', '@'])) {
        run.analyst.dynamic_code(crate::analyst::taint::NET, run.call.span);
    }
    run.derived()
}

/// What the tasks of a playbook write and take away, on this machine.
pub(super) fn playbook(run: &mut Run, file: &Word, text: &str) {
    let named = ["localhost", "connection: local", "127.0.0.1"].iter().any(|name| text.contains(name));
    if !named && !is_local(run) || LOOKS.iter().any(|flag| run.args.iter().any(|word| word.is(flag))) {
        return;
    }
    let text = unfolded(&filled(text, &given(run)));
    arguments(run, file, &text);
    for task in text.split('\n').fold(Vec::<Vec<&str>>::new(), by_item) {
        let lines = || task.iter().map(|line| line.trim_start_matches(['-', ' ']));
        let value = |key: &str| lines().find_map(|line| line.strip_prefix(key).map(unquoted));
        // `file: path=x state=absent` is the short form.
        let short_form =
            lines().filter_map(|line| line.split_once(": ")).filter(|(_, args)| args.contains('='));
        for (module, args) in
            short_form.filter(|(module, _)| short(module) == "file" || WRITERS.contains(&short(module)))
        {
            module_runs(run, short(module), &Word::literal_at(args, file.span), true, "localhost");
        }
        let Some(path) = value("path:").or_else(|| value("dest:")) else { continue };
        let module = lines().filter_map(|line| line.trim_end().strip_suffix(':')).map(short);
        if value("state:") == Some("absent") {
            deletes(run, path, file);
        } else if module.into_iter().any(|name| WRITERS.contains(&name)) {
            writes(run, path, file);
        }
    }
}

/// Variables that the command line sets: `-e name=value`.
fn given(run: &Run) -> Vec<(String, String)> {
    let line = Line::read(run.args, "e extra-vars i inventory c connection l limit u user t tags", false);
    let texts: Vec<String> = line.values(&["e", "extra-vars"]).map(Word::shown).collect();
    let pairs = texts.iter().flat_map(|text| text.split_whitespace()).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), unquoted(value).to_owned())).collect()
}

/// `argv`: the words of a command, one by one.
fn arguments(run: &mut Run, file: &Word, text: &str) {
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some(value) = line.trim_start_matches("- ").strip_prefix("argv:").map(str::trim) else {
            continue;
        };
        let mut words: Vec<&str> = value.trim_matches(['[', ']']).split(',').map(unquoted).collect();
        while let Some(item) = lines.next_if(|line| line.starts_with("- ")) {
            words.push(unquoted(item.trim_start_matches("- ")));
        }
        let words = words.into_iter().filter(|word| !word.is_empty());
        let words: Vec<Word> = words.map(|word| Word::literal_at(word, file.span)).collect();
        if !words.is_empty() {
            run.inner(&words);
        }
    }
}

/// The text with `name: {a: b, c: d}` written in lines of their own.
fn unfolded(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let map = line.trim_end().strip_suffix('}').and_then(|line| line.split_once(": {"));
        let Some((name, inside)) = map.filter(|_| !line.contains("{{")) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        out.push_str(&format!("{name}:\n"));
        inside.split(',').for_each(|pair| out.push_str(&format!("      {}\n", pair.trim())));
    }
    out
}

/// The text with the values of its variables in their places: those of the command line, and its own.
fn filled(text: &str, given: &[(String, String)]) -> String {
    let unfolded = unfolded(text);
    let mut inside = None;
    let mut known = given.to_vec();
    for line in unfolded.lines() {
        let indent = line.len() - line.trim_start().len();
        let Some((name, value)) = line.trim().split_once(':') else { continue };
        match inside {
            Some(outer) if indent > outer => known.push((name.trim().to_owned(), unquoted(value).to_owned())),
            _ => inside = (name.trim() == "vars").then_some(indent),
        }
    }
    let mut parts = text.split("{{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Behind the name there may be filters.
        let (template, rest) = part.split_once("}}").unwrap_or((part, ""));
        let name = template.split('|').next().unwrap_or_default().trim();
        match known.iter().find(|(known, _)| known == name).filter(|_| out.len() < 4 * text.len() + 65536) {
            Some((_, value)) => out.extend([value, rest]),
            None => out.extend(["{{", part]),
        }
    }
    out
}

/// Puts a line to those of its item; a dash begins the next.
fn by_item<'t>(mut items: Vec<Vec<&'t str>>, line: &'t str) -> Vec<Vec<&'t str>> {
    if line.trim_start().starts_with("- ") || items.is_empty() {
        items.push(Vec::new());
    }
    if let Some(item) = items.last_mut() {
        item.push(line);
    }
    items
}

/// Does the command line say that the hosts are this machine?
fn is_local(run: &Run) -> bool {
    let follows = |flag: &str, values: &[&str]| {
        run.args
            .windows(2)
            .any(|pair| matches!(pair, [option, value] if option.is(flag) && values.iter().any(|known| value.is(known))))
    };
    follows("-c", &["local"])
        || follows("--connection", &["local"])
        || follows("-i", &["localhost,", "127.0.0.1,"])
        || run.args.iter().any(|word| word.is("--connection=local"))
}

fn deletes(run: &mut Run, path: &str, from: &Word) {
    let word = templated(run, path, from);
    run.analyst.delete(&word, true, run.shell);
}

fn writes(run: &mut Run, path: &str, from: &Word) {
    let word = templated(run, path, from);
    run.analyst.write(&word, WriteMode::Edit, None, run.shell);
}

/// A path with its templates: the home directory is known, everything else only when it runs.
fn templated(run: &Run, path: &str, from: &Word) -> Word {
    let home = run.analyst.world.home();
    let mut text = Text::default();
    for (at, part) in path.split("{{").enumerate() {
        let Some((template, rest)) = part.split_once("}}").filter(|_| at > 0) else {
            text.push_str(&part.replacen('~', home, usize::from(at == 0 && part.starts_with('~'))));
            continue;
        };
        let mut names = template.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if names.any(|name| matches!(name, "HOME" | "ansible_user_dir")) {
            text.push_str(home);
        } else {
            text.push(Piece::Hole(Hole::nonempty(HoleSource::Variable(template.trim().into()))));
        }
        text.push_str(rest);
    }
    Word { text, ..from.clone() }
}

/// `{{ lookup("file", "path") }}`: templates look things up on this machine.
fn lookups(run: &mut Run, args: &Word) {
    let shown = args.shown();
    for call in shown.split("lookup(").skip(1).chain(shown.split("query(").skip(1)).take(16) {
        let inside = call.split(')').next().unwrap_or_default();
        let mut words = inside.split(',').map(unquoted);
        let kind = short(words.next().unwrap_or_default());
        for word in words.take_while(|word| !word.contains('=')).map(|word| Word::literal_at(word, args.span))
        {
            match kind {
                "file" | "unvault" | "ini" | "csvfile" | "template" => drop(run.read(&word, false)),
                "pipe" | "lines" => drop(interpreters::code(run, &word.value(), args.span)),
                "env" if is_secret_name(&word.shown()) => {
                    run.push(EffectKind::EnvRead { what: EnvUse::Printed(vec![word.shown()]) })
                }
                _ => {}
            }
        }
    }
}

/// The name of a module or a plug-in without its collection.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or_default()
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}
