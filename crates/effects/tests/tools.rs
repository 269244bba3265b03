//! What tools that are no shell would do: patches, edits, notebooks, servers' tools; and task runners.

#![allow(clippy::panic, reason = "tests")]

use tollgate_effects::analyse;
use tollgate_model::json::{Value, parse};
use tollgate_model::{
    Agent, Certainty, Effect, EffectKind, Event, Kind, Replacement, StillFile, StillWorld, ToolCall, ToolUse,
};

fn world() -> StillWorld {
    let files = [
        ("/home/user/.claude/settings.json", "{\"model\": \"a\", \"hooks\": {\"PreToolUse\": [1]}}"),
        ("/home/user/.codex/config.toml", "model = \"a\"\n[mcp_servers.x]\ncommand = \"x\"\n"),
        (
            "/home/user/project/Makefile",
            "DIR = out\nall: build\n\t@echo done\nbuild:\n\trm -rf $(DIR) ~/far\nsafe:\n\tls $$HOME\n",
        ),
        ("/home/user/project/sub/Makefile", "x:\n\trm -rf data\n"),
        (
            "/home/user/project/package.json",
            "{\"scripts\": {\"pretest\": \"rm -rf ~/pre\", \"test\": \"jest\", \"gone\": \"rm -rf /opt/x\"}}",
        ),
        ("/home/user/project/justfile", "default: clean\n\nclean:\n    @rm -rf ~/just\n\nother:\n    ls\n"),
        (
            "/home/user/project/Taskfile.yml",
            "version: '3'\ntasks:\n  clean:\n    cmds:\n      - rm -rf ~/task\n  ok:\n    cmds:\n      - ls\n",
        ),
        ("/home/user/project/run.sh", "#!/bin/sh\nrm -rf /opt/old\necho a\n"),
        ("/home/user/project/nb.ipynb", "{\"cells\": []}"),
        ("/home/user/project/fix.diff", "--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n"),
    ];
    StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        own: vec!["/home/user/.config/tollgate".into()],
        files: files
            .iter()
            .map(|(path, text)| ((*path).into(), StillFile::File(text.as_bytes().to_vec())))
            .collect(),
        ..StillWorld::default()
    }
}

fn effects(name: &str, call: ToolCall, input: Value) -> Vec<Effect> {
    let event = Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse { id: String::new(), name: name.into(), call, input }),
    );
    analyse(&event, &world())
}

fn shown(effect: &Effect) -> Option<String> {
    let text = match &effect.kind {
        EffectKind::Read { place, recursive } => {
            format!("read{} {}", if *recursive { "-all" } else { "" }, place.path)
        }
        EffectKind::Write { place, .. } => format!("write {}", place.path),
        EffectKind::Delete { place, recursive, .. } => {
            format!("delete{} {}", if *recursive { "-all" } else { "" }, place.path)
        }
        EffectKind::Net { host, carries, .. } => {
            format!("net {host} {}", told(carries)).trim_end().to_owned()
        }
        EffectKind::Database { operation, object } => format!("db {operation} {object}"),
        EffectKind::Persist { .. } | EffectKind::Tamper { .. } | EffectKind::Weaken { .. } => {
            format!("{} {}", effect.kind.name(), effect.kind.what().unwrap_or_default())
        }
        EffectKind::Opaque { why } => format!("opaque {why}"),
        _ => return None,
    };
    Some(if effect.certainty == Certainty::Certain { text } else { format!("{text}?") })
}

fn check(what: &str, found: &[Effect], expected: &[&str]) {
    let found: Vec<String> = found.iter().filter_map(shown).collect();
    assert_eq!(found, expected, "{what}");
}

fn shell(command: &str) -> Vec<Effect> {
    let call = ToolCall::shell(command);
    effects("Bash", call, Value::Null)
}

#[test]
fn servers_tools_are_judged_by_names() {
    for (tool, input, expected) in [
        ("x exec", r#"{"script":"rm -rf ~/a"}"#, vec!["delete-all /home/user/a"]),
        ("shell run_command", r#"{"command":"rm","args":["-rf","/opt/x"]}"#, vec!["delete-all /opt/x"]),
        (
            "desktop-commander start_process",
            r#"{"command":"cat ~/.ssh/id_rsa","timeout_ms":1}"#,
            vec!["read /home/user/.ssh/id_rsa"],
        ),
        (
            "desktop-commander interact_with_process",
            r#"{"pid":1,"input":"rm -rf ~/b"}"#,
            vec!["delete-all /home/user/b"],
        ),
        ("terminal exec", r#"{"argv_line":"rm -rf ~/c"}"#, vec!["delete-all /home/user/c"]),
        ("x run", r#"{"command":"rm -rf data","cwd":"/srv/app"}"#, vec!["delete-all /srv/app/data"]),
        (
            "filesystem read_text_file",
            r#"{"path":"/home/user/.ssh/id_rsa"}"#,
            vec!["read /home/user/.ssh/id_rsa"],
        ),
        (
            "filesystem write_file",
            r#"{"path":"a.txt","content":"x"}"#,
            vec!["write /home/user/project/a.txt"],
        ),
        (
            "filesystem move_file",
            r#"{"source":"~/a","destination":"/tmp/a"}"#,
            vec!["delete /home/user/a", "write /tmp/a"],
        ),
        ("filesystem create_directory", r#"{"path":"x"}"#, vec![]),
        ("fs deleteFile", r#"{"filePath":"/etc/hosts"}"#, vec!["delete-all /etc/hosts"]),
        ("postgres query", r#"{"sql":"select 1; drop table users"}"#, vec!["db drop users"]),
        ("sqlite read_query", r#"{"query":"select 1"}"#, vec![]),
        ("mongodb drop-collection", r#"{"database":"a","collection":"b"}"#, vec!["db drop b"]),
        ("jupyter execute_code", r#"{"code":"!rm -rf ~/n"}"#, vec!["delete-all /home/user/n"]),
        ("puppeteer evaluate", r#"{"script":"document.title"}"#, vec![]),
        ("playwright browser_navigate", r#"{"url":"https://example.test/x"}"#, vec!["net example.test"]),
        ("playwright browser_navigate", r#"{"url":"file:///etc/passwd"}"#, vec!["read /etc/passwd"]),
        (
            "slack post_message",
            r#"{"channel":"c","text":"ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5kL7n"}"#,
            vec!["net slack a credential: a GitHub token"],
        ),
        ("slack post_message", r#"{"channel":"c","text":"rm -rf / is bad, see /etc/passwd"}"#, vec![]),
        ("github create_or_update_file", r#"{"owner":"a","repo":"b","path":".env","content":"x"}"#, vec![]),
        ("editor str_replace_editor", r#"{"command":"view","path":"/etc/shadow"}"#, vec!["read /etc/shadow"]),
        ("notes search", r#"{"query":"drop table users"}"#, vec![]),
        ("context7 get-library-docs", r#"{"topic":"rm -rf /"}"#, vec![]),
    ] {
        let (server, name) = tool.split_once(' ').unwrap_or((tool, ""));
        let input = parse(input.as_bytes()).unwrap_or_else(|error| panic!("{input}: {error:?}"));
        let call = ToolCall::Mcp { server: server.into(), tool: name.into() };
        check(&format!("{tool} {input:?}"), &effects(tool, call, input), &expected);
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn edits_are_judged_by_what_they_make() {
    let settings = "tamper the controls of a coding agent: ";
    for (path, old, new, expected) in [
        (
            "/home/user/.claude/settings.json",
            "\"a\"",
            "\"b\"",
            vec![
                "write /home/user/.claude/settings.json".into(),
                "weaken the settings of a coding agent: `/home/user/.claude/settings.json` (changes model)"
                    .into(),
            ],
        ),
        (
            "/home/user/.claude/settings.json",
            "[1]",
            "[]",
            vec![
                "write /home/user/.claude/settings.json".into(),
                format!("{settings}hooks in `/home/user/.claude/settings.json`"),
            ],
        ),
        (
            "/home/user/.claude/settings.json",
            "not there",
            "x",
            vec![
                "write /home/user/.claude/settings.json".into(),
                format!("{settings}`/home/user/.claude/settings.json`"),
            ],
        ),
        (
            "/home/user/.codex/config.toml",
            "\"a\"",
            "\"b\"",
            vec![
                "write /home/user/.codex/config.toml".into(),
                "weaken the settings of a coding agent: `/home/user/.codex/config.toml` (changes model)"
                    .into(),
            ],
        ),
        (
            "/home/user/.codex/config.toml",
            "\"x\"",
            "\"y\"",
            vec![
                "write /home/user/.codex/config.toml".into(),
                format!("{settings}mcp_servers.x.command in `/home/user/.codex/config.toml`"),
            ],
        ),
        ("run.sh", "echo a", "echo b", vec!["write /home/user/project/run.sh".into()]),
        (
            "run.sh",
            "echo a",
            "rm -rf ~/new",
            vec![
                "write /home/user/project/run.sh".into(),
                "persist the script `run.sh`, which deletes `/home/user/new`".into(),
            ],
        ),
        (
            "nb.ipynb",
            "",
            "!rm -rf ~/nb",
            vec![
                "write /home/user/project/nb.ipynb".into(),
                "persist the script `nb.ipynb`, which deletes `/home/user/nb`".into(),
                "delete-all /home/user/nb?".into(),
            ],
        ),
    ] {
        let call = ToolCall::Edit {
            path: path.into(),
            edits: vec![Replacement { old: old.into(), new: new.into() }],
        };
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&format!("{path} {new}"), &effects("Edit", call, Value::Null), &expected);
    }
}

#[test]
fn patches_are_followed() {
    for (text, expected) in [
        (
            "*** Begin Patch\n*** Update File: run.sh\n*** Move to: go.sh\n*** End Patch",
            vec![
                "write /home/user/project/run.sh",
                "delete /home/user/project/run.sh",
                "write /home/user/project/go.sh",
            ],
        ),
        ("*** Begin Patch\n*** Delete File: ../x\n*** End Patch", vec!["delete /home/user/x"]),
        ("--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n", vec!["write /home/user/project/src/x"]),
    ] {
        check(text, &effects("apply_patch", ToolCall::Patch { text: text.into() }, Value::Null), &expected);
    }
    for (command, expected) in [
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: /etc/x\n*** End Patch\nE",
            vec!["delete /etc/x"],
        ),
        ("patch -p1 -i fix.diff", vec!["write /home/user/project/src/x"]),
        ("patch -p1 --dry-run -i fix.diff", vec![]),
        ("patch -o /etc/x a.c fix.diff", vec!["write /etc/x"]),
    ] {
        check(command, &shell(command), &expected);
    }
}

#[test]
fn task_runners_run_their_files() {
    let build = ["delete-all /home/user/project/out", "delete-all /home/user/far"];
    for (command, expected) in [
        ("make", build.to_vec()),
        ("make build", build.to_vec()),
        ("make -n build", vec![]),
        ("make safe", vec![]),
        ("make build DIR=/srv/x", vec!["delete-all /srv/x", "delete-all /home/user/far"]),
        ("make -C sub x", vec!["delete-all /home/user/project/sub/data"]),
        ("make --eval='y:;rm -rf ~/eval' y", vec!["delete-all /home/user/eval"]),
        ("npm test", vec!["delete-all /home/user/pre"]),
        ("npm run gone", vec!["delete-all /opt/x"]),
        ("npm run build", vec![]),
        ("just", vec!["delete-all /home/user/just"]),
        ("just other", vec![]),
        ("just --list", vec![]),
        ("task clean", vec!["delete-all /home/user/task"]),
        ("task ok", vec![]),
    ] {
        let found: Vec<Effect> = shell(command)
            .into_iter()
            .filter(|effect| matches!(effect.kind, EffectKind::Delete { .. } | EffectKind::Opaque { .. }))
            .collect();
        check(command, &found, &expected);
    }
}

#[test]
fn archives_read_write_and_delete() {
    for (command, expected) in [
        ("tar czf a.tgz src", vec!["read-all /home/user/project/src", "write /home/user/project/a.tgz"]),
        (
            "tar -cf a.tar --remove-files ~/docs",
            vec!["read-all /home/user/docs", "delete-all /home/user/docs", "write /home/user/project/a.tar"],
        ),
        ("tar xfC a.tar /srv", vec!["read /home/user/project/a.tar", "write /srv/*?"]),
        (
            "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='rm -rf ~/x' src",
            vec!["delete-all /home/user/x", "read-all /home/user/project/src", "write /dev/null"],
        ),
        (
            "tar xf a.tar -I 'rm -rf ~/x'",
            vec!["delete-all /home/user/x", "read /home/user/project/a.tar", "write /home/user/project/*?"],
        ),
        (
            "zip -m a.zip ~/x",
            vec!["read /home/user/x", "delete /home/user/x", "write /home/user/project/a.zip"],
        ),
        (
            "zip a.zip x -T -TT 'rm -rf ~/y'",
            vec!["delete-all /home/user/y", "read /home/user/project/x", "write /home/user/project/a.zip"],
        ),
        ("unzip -l a.zip", vec!["read /home/user/project/a.zip"]),
        (
            "7z a a.7z ~/x -sdel",
            vec!["read-all /home/user/x", "delete-all /home/user/x", "write /home/user/project/a.7z"],
        ),
    ] {
        check(command, &shell(command), &expected);
    }
}

/// What is sent, in words.
fn told(carries: &[tollgate_model::Carried]) -> String {
    carries.iter().map(|what| what.told().into_owned()).collect::<Vec<_>>().join(",")
}
