//! Containers and other machines: which paths of an inner command are this machine's.

#![allow(clippy::panic, reason = "tests")]

use tollgate_model::json::Value;
use tollgate_model::{Agent, EffectKind, Event, Kind, StillFile, StillWorld, ToolCall, ToolUse};

/// What a command deletes, writes and reads, as `D`, `W` and `R` with the path.
fn touched(command: &str) -> Vec<String> {
    let world = StillWorld {
        home: "/home/user".into(),
        workspace: "/home/user/project".into(),
        temp: vec!["/tmp".into()],
        files: [("/home/user/project/README.md".to_owned(), StillFile::File(Vec::new()))].into(),
        ..StillWorld::default()
    };
    let call = ToolCall::shell(command);
    let event = Event::of(
        Agent::ClaudeCode,
        "PreToolUse",
        "/home/user/project",
        Kind::PreTool(ToolUse { id: String::new(), name: "Bash".into(), call, input: Value::Null }),
    );
    let effects = tollgate_effects::analyse(&event, &world);
    let seen = effects.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Delete { place, .. } => Some(format!("D {}", place.path)),
        EffectKind::Write { place, .. } => Some(format!("W {}", place.path)),
        EffectKind::Read { place, .. } => Some(format!("R {}", place.path)),
        _ => None,
    });
    seen.filter(|one| !one.contains("/tmp/.another-machine")).collect()
}

#[test]
fn mounts_lead_back_to_this_machine() {
    let cases: &[(&str, &str)] = &[
        ("docker run -v /:/m busybox shred -u /m/home/user/x", "D /home/user/x"),
        ("docker run -v /home/user:/data alpine rm -rf /data/docs", "D /home/user/docs"),
        ("docker run -v /home/user:/data/home alpine rm -rf /data", "D /home/user"),
        ("docker run -v $HOME:/d alpine sh -c 'cd /d && rm -rf docs'", "D /home/user/docs"),
        ("docker run -w /d -v $HOME:/d alpine rm -rf docs", "D /home/user/docs"),
        (
            "docker run --mount type=bind,source=/home/user,target=/h alpine cat /h/.netrc",
            "R /home/user/.netrc",
        ),
        ("docker run --entrypoint rm -v /srv:/s alpine -rf /s/www", "D /srv/www"),
        ("docker run -v ~/.ssh:/root/.ssh alpine sh -c 'cat ~/.ssh/id_rsa'", "R /home/user/.ssh/id_rsa"),
        ("docker run -v $PWD:/app alpine rm -rf /app", "D /home/user/project"),
        ("docker compose run --rm -v $PWD:/app web rm -rf /app/src", "D /home/user/project/src"),
        ("docker cp /home/user/.netrc web:/x", "R /home/user/.netrc"),
        ("docker cp web:/x /etc/hosts", "W /etc/hosts"),
        ("docker run -v /:/m alpine bash -c 'echo x > /m/etc/passwd'", "W /etc/passwd"),
    ];
    for (command, expected) in cases {
        let seen = touched(command);
        assert!(seen.iter().any(|one| one == expected), "{command}: {seen:?}");
    }
}

#[test]
fn other_paths_are_not_ours() {
    let cases = [
        "docker run alpine rm -rf /etc /home/user",
        "docker exec web rm -rf /var/www",
        "docker exec web sh -c 'cat /etc/passwd > /etc/x'",
        "docker run -v data:/data alpine rm -rf /data",
        "kubectl exec web-1 -- rm -rf /home/user",
        "docker compose exec web rm -rf /app",
        "lxc exec c1 -- rm -rf /home/user",
    ];
    for command in cases {
        let seen = touched(command);
        assert!(seen.is_empty(), "{command}: {seen:?}");
    }
}

#[test]
fn the_file_system_is_ours_again_afterwards() {
    let seen = touched("docker exec web rm -rf /srv; rm -rf /srv/data");
    assert_eq!(seen, ["D /srv/data"]);
}
