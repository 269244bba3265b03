//! Hooks of whole trees through `trust` and `build`, one's own validators through `validate`, implementation scripts,
//! and what is recorded of middleware. The documents' own files are in `tests/documents`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Answer, Scratch, answer, in_terminal};

const DOCUMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/documents");

fn write(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.project().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A project with a policy that runs one program before tools.
fn project(stage: &str) -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join(".git")).unwrap();
    write(
        &scratch,
        "tollgate.yaml",
        &format!(
            "version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {{id: guard, type: safety, {stage}}}\n"
        ),
    );
    scratch
}

fn tollgate(scratch: &Scratch, args: &[&str], input: &str) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(args);
    scratch.clean(&mut command);
    answer(&mut command, input.as_bytes())
}

fn trust(scratch: &Scratch) -> Answer {
    in_terminal(scratch, &format!("trust {}", scratch.project().display()), "y\n")
}

#[test]
fn the_documents_handler_keeps_its_validators() {
    for stage in [
        "path: .claude/hooks/handlers/pre-tool-use.py",
        "run: [python3, .claude/hooks/handlers/pre-tool-use.py]",
        "run: [python3, ./.claude/hooks/handlers/pre-tool-use.py]",
    ] {
        let scratch = project(stage);
        copy(&Path::new(DOCUMENTS).join("atomic"), &scratch.project().join(".claude/hooks"));
        let trusted = trust(&scratch);
        assert_eq!(trusted.code, Some(0), "{stage}: {}", trusted.stdout);
        assert!(trusted.says("validators/security/bash.py"), "{}", trusted.stdout);
        let refused = scratch.bash("echo 'curl x | bash'");
        assert!(refused.denied().says("curl pipe to bash"), "{stage}: {}", refused.stdout);
        assert_eq!(scratch.bash("ls").decision(), "none");
        // What an agent changes afterwards changes nothing.
        fs::remove_dir_all(scratch.project().join(".claude/hooks/validators")).unwrap();
        assert!(scratch.bash("echo 'curl x | bash'").denied().says("curl pipe to bash"));

        let built = project(stage);
        copy(&Path::new(DOCUMENTS).join("atomic"), &built.project().join(".claude/hooks"));
        let ran = tollgate(&built, &["build", "--agent", "claude-code", "."], "");
        assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
        let copied = "build/claude-code/policy/.claude/hooks/validators/security/bash.py";
        assert!(built.project().join(copied).is_file());
    }
}

#[test]
fn the_documents_handler_without_its_validators_is_an_error() {
    let stage = "path: .claude/hooks/handlers/pre-tool-use.py";
    let scratch = project(stage);
    copy(&Path::new(DOCUMENTS).join("atomic"), &scratch.project().join(".claude/hooks"));
    let check = tollgate(&scratch, &["check"], "");
    assert_eq!(check.code, Some(0), "{} {}", check.stdout, check.stderr);
    fs::remove_dir_all(scratch.project().join(".claude/hooks/validators")).unwrap();
    let says = "needs the folder validators, which is not there";
    let trusted = trust(&scratch);
    assert!(trusted.code != Some(0) && trusted.says(says), "trust: {} {}", trusted.stdout, trusted.stderr);
    let built = tollgate(&scratch, &["build", "--agent", "claude-code", "."], "");
    assert!(built.code != Some(0) && built.says(says), "build: {} {}", built.stdout, built.stderr);
    let check = tollgate(&scratch, &["check"], "");
    assert!(check.code == Some(1) && check.says(says), "check: {} {}", check.stdout, check.stderr);
}

/// Folders that a program makes or only keeps data in need not be there.
#[test]
fn folders_of_code_are_told_from_folders_of_data() {
    let start = "import importlib.util, sys\nfrom pathlib import Path\n";
    let end = "def process(hook_input, config, previous_results):\n    return None\n";
    for (line, needed) in [
        ("sys.path.insert(0, str(Path(__file__).parent.parent / 'lib'))", true),
        ("CHECKS = Path(__file__).parent / 'own'\nFILES = sorted(CHECKS.glob('*.py'))", true),
        ("LOGS = Path(__file__).parent / 'logs'", false),
        ("OUT = Path(__file__).parent / 'modules'\nOUT.mkdir(exist_ok=True)", false),
        ("CACHE = Path(__file__).parent / 'cache.json'", false),
    ] {
        let scratch = project("path: tools/hooks/guard.py");
        write(&scratch, "tools/hooks/guard.py", &format!("{start}{line}\n{end}"));
        let trusted = trust(&scratch);
        assert_eq!(trusted.code != Some(0), needed, "{line}: {} {}", trusted.stdout, trusted.stderr);
    }
}

#[test]
fn modules_and_sourced_files_from_elsewhere_in_the_project_come_along() {
    let module = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent.parent))\n\nfrom utils import word\n\ndef process(event, config, earlier):\n    return {'decision': 'block' if word() in str(event['tool_input']) else 'allow', 'reason': 'the word'}\n";
    let script = "#!/bin/sh\nHERE=$(dirname \"$0\")\n. \"$HERE/../lib/words.sh\"\ncase $(cat) in *$WORD*) echo 'the word' >&2; exit 2;; esac\n";
    let node = "import { word } from '../utils/word.mjs';\nexport const process = (e) => ({ decision: e.tool_input.command.includes(word) ? 'block' : 'allow', reason: 'the word' });\n";
    let loaded = "import importlib.util\nfrom pathlib import Path\nHERE = Path(__file__).resolve().parent\nspec = importlib.util.spec_from_file_location('words', HERE.parent / 'utils' / 'word.py')\nwords = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(words)\n\ndef process(event, config, earlier):\n    return {'decision': 'block' if words.word() in str(event['tool_input']) else 'allow', 'reason': 'the word'}\n";
    for (stage, files) in [
        (
            "path: tools/plan/guard.py",
            &[
                ("tools/plan/guard.py", module),
                ("tools/utils/__init__.py", "from .word import word\n"),
                ("tools/utils/word.py", "def word():\n    return 'forbidden'\n"),
            ][..],
        ),
        (
            "run: [./tools/plan/guard.sh]",
            &[("tools/plan/guard.sh", script), ("tools/lib/words.sh", "WORD=forbidden\n")],
        ),
        (
            "path: tools/plan/guard.mjs",
            &[("tools/plan/guard.mjs", node), ("tools/utils/word.mjs", "export const word = 'forbidden';\n")],
        ),
        (
            "path: tools/plan/guard.py",
            &[
                ("tools/plan/guard.py", loaded),
                ("tools/utils/word.py", "def word():\n    return 'forbidden'\n"),
            ],
        ),
        (
            "path: guard.py",
            &[
                (
                    "guard.py",
                    "from word import word\ndef process(event, config, earlier):\n    return {'decision': 'block' if word() in str(event['tool_input']) else 'allow', 'reason': 'the word'}\n",
                ),
                ("word.py", "def word():\n    return 'forbidden'\n"),
            ],
        ),
    ] {
        let scratch = project(stage);
        files.iter().for_each(|(name, text)| write(&scratch, name, text));
        write(&scratch, "src/unrelated.py", "x = 1\n");
        let trusted = trust(&scratch);
        assert_eq!(trusted.code, Some(0), "{stage}: {}", trusted.stdout);
        assert!(!trusted.says("unrelated.py"), "{}", trusted.stdout);
        let refused = scratch.bash("echo forbidden");
        assert!(refused.denied().says("the word"), "{stage}: {}", refused.stdout);
        assert_eq!(scratch.bash("echo fine").decision(), "none", "{stage}");
    }
}

#[test]
fn what_would_be_missing_is_an_error_before_anything_is_copied() {
    for (stage, files, says) in [
        (
            "path: tools/guard.py",
            &[("tools/guard.py", "import lost_helper\ndef process(*_):\n    return None\n")][..],
            "lost_helper",
        ),
        (
            "path: tools/guard.py",
            &[("tools/guard.py", "from .lost import x\ndef process(*_):\n    return None\n")],
            ".lost",
        ),
        (
            "path: tools/guard.py",
            &[(
                "tools/guard.py",
                "from pathlib import Path\nGUARD = Path(__file__).parent.parent / 'validators' / 'lost.py'\ndef process(*_):\n    return None\n",
            )],
            "lost.py",
        ),
        (
            "path: tools/guard.mjs",
            &[("tools/guard.mjs", "import x from './lost.mjs';\nexport const process = () => null;\n")],
            "./lost.mjs",
        ),
        (
            "path: tools/guard.mjs",
            &[("tools/guard.mjs", "import x from 'left-pad';\nexport const process = () => null;\n")],
            "left-pad",
        ),
        (
            "run: [./tools/guard.sh]",
            &[("tools/guard.sh", "#!/bin/sh\nsource \"$(dirname \"$0\")/lib/lost.sh\"\n")],
            "lost.sh",
        ),
        (
            "path: tools/guard.py",
            &[
                ("tools/guard.py", "import helper\ndef process(*_):\n    return None\n"),
                ("tools/helper.py", "import lost_below\n"),
            ],
            "lost_below",
        ),
    ] {
        let scratch = project(stage);
        files.iter().for_each(|(name, text)| write(&scratch, name, text));
        for args in [&["trust", "--print", "."][..], &["build", "--agent", "claude-code", "."]] {
            let ran = tollgate(&scratch, args, "");
            assert_ne!(ran.code, Some(0), "{stage} {says}: {}", ran.stdout);
            assert!(ran.says(says), "{stage} must name {says}: {} {}", ran.stdout, ran.stderr);
        }
        assert!(!scratch.project().join("build").exists());
    }
    // What a program can do without is not missing.
    let scratch = project("path: tools/guard.py");
    write(
        &scratch,
        "tools/guard.py",
        "\"\"\"\nimport prose\n\"\"\"\nimport json, os.path\nfrom middleware_base import MiddlewareResult\ntry:\n    import lost\nexcept ImportError:\n    lost = None\nfrom pathlib import Path\nCACHE = Path(__file__).parent / 'cache.json'\ndef process(*_):\n    return None\n",
    );
    let ran = tollgate(&scratch, &["trust", "--print", "."], "");
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
}

#[test]
fn validate_runs_ones_own_file_and_the_configured_middleware() {
    let scratch = Scratch::new();
    let own = "def validate(tool_input, context=None):\n    return {'safe': 'purple' not in tool_input.get('command', ''), 'reason': 'no purple', 'metadata': {'n': 1}}\n";
    write(&scratch, "validators/security/bash.py", own);
    write(&scratch, "security/bash.py", own);
    write(&scratch, "bash.py", own);
    write(&scratch, "guard.sh", "#!/bin/sh\ncase $(cat) in *purple*) echo 'no purple' >&2; exit 2;; esac\n");
    scratch.policy("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: block-dangerous-commands, type: safety, config: {dangerous_patterns: [purple]}}\n      - {id: bash, type: safety, path: own.py}\n  stop:\n    middleware:\n      - {id: at-stop, type: safety, path: stop.py}\n");
    fs::write(scratch.config().join("own.py"), own).unwrap();
    fs::write(scratch.config().join("stop.py"), "def process(event, config, earlier):\n    return {'decision': 'block' if event['last_assistant_message'] == 'purple' else 'allow', 'reason': 'no purple'}\n").unwrap();
    let purple = json!({"command": "echo purple"}).to_string();
    // A built-in would refuse this one, and one's own does not.
    let wipe = json!({"command": "rm -rf ~"}).to_string();
    for name in [
        "validators/security/bash.py",
        "./validators/security/bash.py",
        "security/bash.py",
        "bash.py",
        "guard.sh",
        "./guard.sh",
        "block-dangerous-commands",
        "bash",
    ] {
        for (input, safe) in [(&purple, false), (&wipe, true)] {
            let told = tollgate(&scratch, &["validate", name], input);
            assert_eq!(told.code, Some(0), "{name}: {} {}", told.stdout, told.stderr);
            let told: Value = serde_json::from_str(&told.stdout).unwrap();
            assert_eq!(
                (&told["safe"], told["reason"].is_string()),
                (&json!(safe), !safe),
                "{name} {input}: {told}"
            );
            assert_eq!(told["metadata"]["validator"], name);
        }
    }
    let told = tollgate(
        &scratch,
        &["validate", "at-stop"],
        &json!({"last_assistant_message": "purple"}).to_string(),
    );
    assert!(told.says("\"safe\":false"), "{} {}", told.stdout, told.stderr);
    for name in ["./validators/security/lost.py", "/nowhere/bash.py"] {
        let told = tollgate(&scratch, &["validate", name], &purple);
        assert!(told.code == Some(2) && told.stdout.is_empty(), "{name}: {} {}", told.stdout, told.stderr);
    }
    write(&scratch, "broken.py", "def validate(tool_input, context=None):\n    raise ValueError('boom')\n");
    let told = tollgate(&scratch, &["validate", "broken.py"], &purple);
    assert!(
        told.code == Some(2) && told.stdout.is_empty() && told.says("boom"),
        "{} {}",
        told.stdout,
        told.stderr
    );
    // A middleware of a project that nobody trusted is not replaced by a built-in of its name.
    let untrusted = project("path: guard.py");
    let policy = fs::read_to_string(untrusted.project().join("tollgate.yaml")).unwrap();
    write(&untrusted, "tollgate.yaml", &policy.replace("id: guard", "id: security.bash"));
    let told = tollgate(&untrusted, &["validate", "security.bash"], &purple);
    assert!(told.code == Some(2) && told.says("tollgate trust"), "{} {}", told.stdout, told.stderr);
}

/// The implementation of the wrapper document reads the event with its configuration and prints the result.
#[test]
fn implementation_scripts_run_as_a_path() {
    let python = "import asyncio, json, sys\n\nclass HooksCollectorOrchestrator:\n    def __init__(self, agent_config):\n        self.middleware = agent_config['middleware']\n\n    async def execute(self, hook_event):\n        bad = 'forbidden' in hook_event['tool_input'].get('command', '')\n        return {'action': 'block' if bad else 'allow', 'reason': self.middleware[0]['id'], 'metadata': {}}\n\nasync def main():\n    hook_event = json.loads(sys.stdin.read())\n    agent_config = hook_event.pop('__agent_config__', None)\n    \n    orchestrator = HooksCollectorOrchestrator(agent_config=agent_config)\n    result = await orchestrator.execute(hook_event)\n    print(json.dumps(result))\n\nif __name__ == '__main__':\n    asyncio.run(main())\n";
    let top = "import json, sys\nevent = json.load(sys.stdin)\nif 'forbidden' in event['tool_input']['command']:\n    print('guard', file=sys.stderr)\n    sys.exit(2)\nsys.exit(0)\n";
    let node = "const event = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (event.tool_input.command.includes('forbidden')) console.log(JSON.stringify({ decision: 'block', reason: 'guard' }));\n";
    for (name, text) in [("hooks-collector.impl.py", python), ("top.py", top), ("guard.cjs", node)] {
        let scratch = Scratch::new();
        scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {{id: guard, type: safety, path: {name}}}\n"));
        fs::write(scratch.config().join(name), text).unwrap();
        let refused = scratch.bash("echo forbidden");
        assert!(
            refused.denied().says("middleware `guard` refuses this call: guard"),
            "{name}: {}",
            refused.stdout
        );
        scratch.bash("echo fine").silent();
    }
    // One that has neither a function nor reads its input decides nothing, and that is a fault.
    let scratch = Scratch::new();
    scratch.policy("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: guard, type: safety, path: guard.py}\n");
    fs::write(scratch.config().join("guard.py"), "def validate_bash_command(command):\n    if \"rm -rf /\" in command:\n        return {\"decision\": \"block\", \"reason\": \"Dangerous command\"}\n    return {\"decision\": \"allow\"}\n").unwrap();
    let refused = scratch.bash("ls");
    assert!(refused.refused().says("neither `process` nor `validate`"), "{}", refused.stdout);
    // A script that is not there is told when the policy is checked.
    scratch.policy("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: guard, type: safety, run: [python3, ./lost.py]}\n");
    let checked = tollgate(&scratch, &["check"], "");
    assert!(checked.code != Some(0) && checked.says("lost.py"), "{} {}", checked.stdout, checked.stderr);
}

#[test]
fn a_program_at_the_end_of_a_subagent_sees_who_ends_and_with_what() {
    let scratch = Scratch::new();
    scratch.policy("version: 1\nhooks:\n  subagent-stop:\n    middleware:\n      - {id: guard, type: safety, run: [./guard.sh]}\n");
    let seen = scratch.home().join("seen");
    fs::write(scratch.config().join("guard.sh"), format!("#!/bin/sh\ncat > '{}'\n", seen.display())).unwrap();
    fs::set_permissions(scratch.config().join("guard.sh"), fs::Permissions::from_mode(0o700)).unwrap();
    let payload = json!({
        "session_id": "s1", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(), "permission_mode": "default",
        "hook_event_name": "SubagentStop", "stop_hook_active": false, "agent_id": "a1", "agent_type": "research-agent",
        "agent_transcript_path": "/x/a.jsonl", "last_assistant_message": "Use the drupal-architect subagent to go on",
    });
    scratch.hook("SubagentStop", payload.to_string().as_bytes());
    let event: Value = serde_json::from_str(&fs::read_to_string(&seen).unwrap()).unwrap();
    assert_eq!(event["agent_type"], "research-agent", "{event}");
    assert_eq!(event["agent_id"], "a1");
    assert_eq!(event["last_assistant_message"], "Use the drupal-architect subagent to go on");
    assert_eq!(event["hook_event_name"], "SubagentStop");
}

#[test]
fn built_in_guards_of_a_project_need_no_trust() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join(".git")).unwrap();
    let log = scratch.home().join("operations.jsonl");
    write(
        &scratch,
        "tollgate.yaml",
        &format!(
            "version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {{id: block-dangerous-commands, type: safety, config: {{dangerous_patterns: [purple]}}}}\n      - {{id: log-operations, type: observability, config: {{log_file: '{}'}}}}\n",
            log.display()
        ),
    );
    let ran = tollgate(&scratch, &["build", "--agent", "claude-code", "."], "");
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    let other = Scratch::new();
    copy(&scratch.project().join("build"), &other.project().join("build"));
    let built = |command: &str| {
        let mut hook = other.command(Some("PreToolUse"));
        hook.args(["--policy", "build/claude-code/policy"]);
        answer(&mut hook, &other.payload("Bash", json!({"command": command})))
    };
    let refused = built("echo purple");
    assert!(refused.denied().says("Dangerous command pattern detected: purple"), "{}", refused.stdout);
    assert_eq!(built("echo fine").decision(), "none");
    assert!(!refused.says("nobody has trusted them"), "{}", refused.stdout);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!log.exists(), "a project that nobody trusts writes no files");
}

#[test]
fn metrics_and_observers_are_recorded() {
    let scratch = Scratch::new();
    let guard = "def process(event, config, earlier):\n    bad = 'forbidden' in event['tool_input']['command']\n    return {'decision': 'block' if bad else 'allow', 'reason': 'the word', 'metrics': {'checked_patterns': 5}}\n";
    scratch.policy("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n      - {id: block-all-dangerous-commands-of-the-team, type: safety, path: guard.py}\n      - {id: emit, type: observability, path: observe.py}\n");
    fs::write(scratch.config().join("guard.py"), guard).unwrap();
    fs::write(scratch.config().join("observe.py"), "def process(*_):\n    return {'decision': 'continue', 'reason': 'Logged', 'metrics': {'logged': True}}\n").unwrap();
    let refused = scratch.bash("echo forbidden");
    let said: Value = serde_json::from_str(&refused.denied().stdout).unwrap();
    let id = "block-all-dangerous-commands-of-the-team";
    assert_eq!(said["hookSpecificOutput"]["metrics"][id]["checked_patterns"], 5, "{said}");
    scratch.bash("echo fine").quiet();
    let start = Instant::now();
    let runs =
        || scratch.log().into_iter().filter(|record| record["event"] == "observers").collect::<Vec<_>>();
    while runs().len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(10), "observers are recorded: {:?}", scratch.log());
        std::thread::sleep(Duration::from_millis(20));
    }
    let run = &runs()[0];
    assert_eq!(
        (&run["middleware"][0]["id"], &run["middleware"][0]["metrics"]["logged"]),
        (&json!("emit"), &json!(true)),
        "{run}"
    );
    assert_eq!(
        (&run["of"]["tool_name"], &run["of"]["tool_use_id"]),
        (&json!("Bash"), &json!("toolu_01")),
        "{run}"
    );
    let log = scratch.log();
    let passed = log.iter().find(|record| record["middleware"][0]["decision"] == "allow").unwrap();
    assert_eq!(passed["middleware"][0]["metrics"]["checked_patterns"], 5, "{passed}");
    let stats = tollgate(&scratch, &["stats", "--by", "rule"], "");
    assert!(stats.says(&format!("middleware/{id}")), "{}", stats.stdout);
}

/// The layout of the guide: a hook file for each event, all of which reach one tree of validators through `..`.
#[test]
fn hook_files_that_share_a_tree_are_trusted_together() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join(".git")).unwrap();
    copy(&Path::new(DOCUMENTS).join("atomic"), &scratch.project().join(".claude/hooks"));
    for (name, event) in [("before", "PreToolUse"), ("after", "PostToolUse")] {
        let path = "../../../.claude/hooks/validators/security/bash.py";
        let text = format!(
            "id: {name}\nevent: {event}\nmiddleware:\n  - {{id: {name}, type: safety, path: {path}}}\n"
        );
        write(&scratch, &format!(".tollgate/hooks/{name}/hook.meta.yaml"), &text);
    }
    let trusted = trust(&scratch);
    assert_eq!(trusted.code, Some(0), "{}", trusted.stdout);
    assert!(scratch.bash("echo 'curl x | bash'").denied().says("curl pipe to bash"));
    assert_eq!(scratch.bash("ls").decision(), "none");
}

#[test]
fn what_hooks_write_beside_themselves_does_not_damage_their_copy() {
    let guard = "import json\nfrom pathlib import Path\nCACHE = Path(__file__).parent / 'cache.json'\n\ndef process(hook_input, config, previous_results):\n    seen = json.loads(CACHE.read_text())['seen'] + 1 if CACHE.exists() else 1\n    CACHE.write_text(json.dumps({'seen': seen}))\n    return {'decision': 'block', 'reason': f'call {seen}'}\n";
    let scratch = project("path: hooks/guard.py");
    write(&scratch, "hooks/guard.py", guard);
    write(&scratch, "hooks/cache.json", "{\"seen\": 0}");
    let trusted = trust(&scratch);
    assert_eq!(trusted.code, Some(0), "{}", trusted.stdout);
    assert!(scratch.bash("ls").denied().says("call 1"));
    // A changed policy of the user is compiled anew, and looks at the copies again.
    scratch.policy("version: 1\nmode: enforce\n");
    assert!(scratch.bash("pwd").denied().says("call 2"));
}

#[test]
fn a_broken_hook_file_is_not_trusted_and_never_passes_in_silence() {
    let broken = "id: guard\nevent: PreToolUse\nmiddleware:\n  - {id: a, type: safety, pth: a.py}\n";
    let scratch = Scratch::new();
    fs::create_dir(scratch.project().join(".git")).unwrap();
    write(&scratch, ".tollgate/hooks/a/hook.meta.yaml", broken);
    let checked = tollgate(&scratch, &["check"], "");
    assert_eq!(checked.code, Some(1), "{}", checked.stdout);
    assert!(checked.says("pth"), "{}", checked.stdout);
    assert_ne!(trust(&scratch).code, Some(0));

    let own = Scratch::new();
    fs::create_dir_all(own.config().join("hooks/a")).unwrap();
    fs::write(own.config().join("hooks/a/hook.meta.yaml"), broken).unwrap();
    assert_eq!(tollgate(&own, &["check"], "").code, Some(1));
    for _ in 0..2 {
        let asked = own.bash("ls");
        assert_eq!(asked.decision(), "ask", "{}", asked.stdout);
        assert!(asked.says("tollgate check"), "{}", asked.stdout);
    }
}
