//! What the second seed's hooks do besides the handoff: what they block, what they measure, and what they do when
//! something goes wrong.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::answer;
use crate::team::{Team, blocked, passes};

#[test]
fn the_commands_that_the_seed_blocks() {
    let team = Team::with("[handoff]");
    for (command, refused) in [
        ("rm -rf ~", true),
        ("rm -rf /", true),
        ("sudo rm -r /usr/lib", true),
        ("cat ../../../../../../../../../../../../etc/shadow", true),
        ("python3 -c 'import os; os.system(\"rm -rf ~\")'", true),
        ("php -r 'exec(\"rm -rf ~\");'", true),
        ("git push --force origin main", true),
        // The seed looks for the words; what is meant is the harm.
        ("rm -rf build/cache", false),
        ("grep -rn 'exec(' src", false),
        ("ls ../../..", false),
        ("echo 'never run rm -rf /'", false),
    ] {
        let call = team.tool("Bash", json!({"command": command}));
        assert_eq!(call.decision() == "none", !refused, "{command}: {}", call.stdout);
        passes(&team.prompt("go on"));
    }
}

#[test]
fn the_files_that_the_seed_protects() {
    let team = Team::with("[handoff]");
    let project = team.scratch.project();
    for (path, refused) in [
        (".env", true),
        (".env.production", true),
        ("web/sites/default/settings.php", true),
        ("web/sites/shop.example/settings.local.php", true),
        ("server.key", true),
        ("keys/private.pem", true),
        ("id_ed25519", true),
        (".env.example", false),
        ("web/sites/default/default.settings.php", false),
        ("src/Form/settings.php", false),
        ("certs/ca.pem", false),
        ("id_ed25519.pub", false),
    ] {
        for (tool, input) in [
            ("Read", json!({"file_path": project.join(path)})),
            ("Grep", json!({"pattern": "password", "path": project.join(path), "output_mode": "content"})),
        ] {
            let call = team.tool(tool, input);
            let expected = if refused { "deny" } else { "none" };
            assert_eq!(call.decision(), expected, "{tool} {path}: {}", call.stdout);
            passes(&team.prompt("go on"));
        }
    }
}

/// A site's settings are protected wherever they lie, once there is a password in them.
#[test]
fn settings_with_credentials_are_protected_in_any_folder() {
    let team = Team::with("[handoff]");
    for (path, text, refused) in [
        ("app/settings.php", "<?php\n$databases['default']['password'] = 'hunter2';\n", true),
        ("settings.local.php", "<?php\n$settings['hash_salt'] = 'abcdef';\n", true),
        ("src/Form/settings.php", "<?php\nclass Settings { public $title = 'Form'; }\n", false),
        ("web/settings.php", "<?php\n$db['password'] = getenv('DB_PASSWORD');\n", false),
    ] {
        let file = team.scratch.project().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        for (tool, input) in [
            ("Read", json!({"file_path": file})),
            ("Grep", json!({"pattern": "x", "path": file, "output_mode": "content"})),
            ("Bash", json!({"command": format!("cat {path}")})),
        ] {
            let call = team.tool(tool, input);
            assert_eq!(
                call.decision(),
                if refused { "deny" } else { "none" },
                "{tool} {path}: {}",
                call.stdout
            );
            passes(&team.prompt("go on"));
        }
    }
}

fn figures(team: &Team, args: &[&str]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(args);
    team.scratch.clean(&mut command);
    let done = answer(&mut command, b"");
    assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Tool, result and time of every call go into figures, snapshots and reports.
#[test]
fn the_metrics_of_the_seed() {
    let team = Team::with("[handoff]");
    let call = |id: &str, tool: &str, input: Value, response: Value, ms: u64| {
        let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": id});
        passes(&team.send("PreToolUse", fields.clone()));
        let mut after = fields;
        after["tool_response"] = response;
        after["duration_ms"] = ms.into();
        team.send("PostToolUse", after)
    };
    passes(&team.prompt("go"));
    let ran = json!({"stdout": "src", "stderr": "", "interrupted": false, "isImage": false});
    passes(&call("t1", "Bash", json!({"command": "ls"}), ran, 40));
    let spawned = json!({"description": "d", "prompt": "p", "subagent_type": "helper"});
    let said = json!({"status": "completed", "content": [{"type": "text", "text": "I have looked."}]});
    passes(&call("t2", "Agent", spawned, said, 1500));
    team.tool("Bash", json!({"command": "cat ~/.ssh/id_rsa"})).denied();
    blocked(&team.done_saying("helper", "60% complete"), "The work is incomplete.");
    let all = &figures(&team, &["stats", "--json"])[0];
    let calls = &all["calls"];
    assert_eq!((&calls["calls"], &calls["refused"]), (&json!(3), &json!(1)), "{all}");
    assert_eq!(calls["ran_us"], json!(1_540_000), "{all}");
    let tools = figures(&team, &["stats", "--json", "--by", "tool"]);
    let named = |name: &str| tools.iter().find(|row| row["tools"] == json!([name])).unwrap();
    assert_eq!((&named("Bash")["calls"], &named("Agent")["calls"]), (&json!(2), &json!(1)));
    let page = &figures(&team, &["report", "--json", "--save", "before"])[0];
    let value = |page: &Value, name: &str| {
        let all = page["figures"].as_array().unwrap();
        all.iter().find(|figure| figure["name"] == name).unwrap_or_else(|| panic!("{name}: {page}"))["value"]
            .clone()
    };
    assert_eq!((value(page, "calls"), value(page, "handed back")), (json!(3.0), json!(1.0)));
    passes(&team.tool("Bash", json!({"command": "ls src"})));
    let later = &figures(&team, &["report", "--json", "--against", "before"])[0];
    assert_eq!(value(later, "calls"), json!(4.0), "aggregated anew, and compared with the snapshot");
}

/// A workflow with one gate at the end, which asks for a command.
fn asks_for(run: &str, timeout: &str) -> Team {
    let team = Team::with("[own.yaml]");
    let flow = format!(
        "version: 1\nname: own\nabout: a\nstart: {{ always: true }}\ngates:\n  - on: stop\n    need: {{ command: {{ run: \"{run}\", exit: 0, timeout: {timeout} }} }}\n    message: Not so.\n"
    );
    std::fs::write(team.scratch.config().join("own.yaml"), flow).unwrap();
    team
}

/// Parse error, validation error, execution error, time-out: each is answered, and each is in the log.
#[test]
fn the_errors_of_the_seed() {
    let team = asks_for("true", "5s");
    let unread = team.scratch.hook("PreToolUse", b"{\"tool_name\": \"Bash\", ");
    assert!(unread.refused().says("Tollgate could not decide about this call"), "{}", unread.stdout);
    let fault = team.scratch.log().pop().unwrap();
    assert!(fault["fault"].is_string() || fault["fault"].is_object(), "{fault}");
    passes(&team.stop());

    let wrong = asks_for("echo it is not so; exit 3", "5s");
    let told = wrong.stop();
    blocked(&told, "Not so.");
    assert!(told.says("ended with code 3: it is not so"), "{}", told.stdout);
    assert_eq!(wrong.scratch.log().pop().unwrap()["verdict"], "deny");

    // What does not run says nothing, and is asked again at the next stop.
    let missing = asks_for("no-such-program-at-all", "5s");
    blocked(&missing.stop(), "Not so.");
    let flag = "test -e ready";
    let again = asks_for(flag, "5s");
    blocked(&again.stop(), "Not so.");
    again.write("ready", "");
    passes(&again.stop());

    let slow = asks_for("sleep 30", "1s");
    let answer = slow.stop();
    blocked(&answer, "Not so.");
    assert!(answer.says("`sleep 30` did not end within 1 s and counts as failed"), "{}", answer.stdout);
    assert!(answer.says("`timeout:`") && answer.says("tollgate workflow stop own"), "{}", answer.stdout);
    assert!(answer.time < Duration::from_secs(20), "{:?}", answer.time);
    let record = slow.scratch.log().pop().unwrap();
    assert_eq!(record["verdict"], "deny", "the log says so too: {record}");
    assert!(record["waived"].is_null(), "{record}");
}

/// A name that nobody knows is told and logged, and the agent runs.
#[test]
fn a_warning_is_in_the_log() {
    let team = Team::with("[subagent-context]");
    let typo = team.spawn("drupal-architekt");
    passes(&typo);
    assert!(typo.says("unknown agent name `drupal-architekt`"), "{}", typo.stdout);
    let record = team.scratch.log().pop().unwrap();
    assert_eq!(record["verdict"], "note", "{record}");
    assert!(record["findings"].to_string().contains("Did you mean `drupal-architect`?"), "{record}");
}
