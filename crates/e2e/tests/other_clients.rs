//! The model's other APIs, proven by the clients that speak them: one tool call each, really run.

use anyhow::Result;
use serde_json::{Value, json};
use tollgate_e2e::client::{Client, client};
use tollgate_e2e::run::Driver;
use tollgate_e2e::{Run, Scratch, Turn};

const KEY: &str = "sk-dummy-0000000000000000000000000000";

/// Speaks OpenAI Responses.
#[derive(Debug)]
struct Codex;

/// Speaks Gemini's streamGenerateContent.
#[derive(Debug)]
struct Gemini;

/// Speaks chat completions.
#[derive(Debug)]
struct Qwen;

impl Driver for Codex {
    fn client(&self) -> Result<&'static Client> {
        client("codex")
    }

    fn configure(&self, scratch: &Scratch, url: &str) -> Result<()> {
        let config = format!(
            r#"
model = "gpt-5.5"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"

[projects."{}"]
trust_level = "trusted"

[analytics]
enabled = false
"#,
            scratch.project().display()
        );
        scratch.write_home(".codex/config.toml", &config)?;
        Ok(())
    }

    fn environment(&self, _url: &str) -> Vec<(&'static str, String)> {
        vec![("MOCK_API_KEY", KEY.to_owned())]
    }

    fn arguments(&self, prompt: &str, _unattended: bool) -> Vec<String> {
        ["exec", "--skip-git-repo-check", prompt].map(str::to_owned).to_vec()
    }
}

impl Driver for Gemini {
    fn client(&self) -> Result<&'static Client> {
        client("gemini-cli")
    }

    fn configure(&self, scratch: &Scratch, _url: &str) -> Result<()> {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
            "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
        });
        scratch.write_home(".gemini/settings.json", &settings.to_string())?;
        Ok(())
    }

    fn environment(&self, url: &str) -> Vec<(&'static str, String)> {
        let fixed = [
            ("GEMINI_API_KEY", KEY),
            ("GOOGLE_GEMINI_BASE_URL", url),
            ("GEMINI_CLI_NO_RELAUNCH", "1"),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
            ("CI", "1"),
        ];
        fixed.map(|(name, value)| (name, value.to_owned())).to_vec()
    }

    fn arguments(&self, prompt: &str, _unattended: bool) -> Vec<String> {
        ["-m", "gemini-2.5-flash", "-p", prompt, "--yolo"].map(str::to_owned).to_vec()
    }
}

impl Driver for Qwen {
    fn client(&self) -> Result<&'static Client> {
        client("qwen-code")
    }

    fn configure(&self, scratch: &Scratch, _url: &str) -> Result<()> {
        let settings = json!({
            "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
            "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false},
            "telemetry": {"enabled": false}, "model": {"name": "mock-model"},
        });
        scratch.write_home(".qwen/settings.json", &settings.to_string())?;
        Ok(())
    }

    fn environment(&self, url: &str) -> Vec<(&'static str, String)> {
        let base = format!("{url}/v1");
        let fixed = [
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &base),
            ("OPENAI_MODEL", "mock-model"),
            ("CI", "1"),
        ];
        fixed.map(|(name, value)| (name, value.to_owned())).to_vec()
    }

    fn arguments(&self, prompt: &str, _unattended: bool) -> Vec<String> {
        ["--auth-type", "openai", "-p", prompt, "--yolo"].map(str::to_owned).to_vec()
    }
}

const COMMAND: &str = "echo ran > tripwire.txt; echo RAN-MARK";

fn check(driver: &'static dyn Driver, tool: &str, input: Value) -> Result<()> {
    let run = Run::new(driver)?;
    let outcome = run.go([Turn::call(tool, input), Turn::say("FINAL-MARK")])?;
    assert!(run.scratch().project().join("tripwire.txt").exists(), "{outcome}");
    assert!(outcome.tool_results().iter().any(|result| result.text.contains("RAN-MARK")), "{outcome}");
    assert!(outcome.finished.stdout.contains("FINAL-MARK"), "{outcome}");
    Ok(())
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn codex_runs_a_command() -> Result<()> {
    check(&Codex, "exec_command", json!({"cmd": COMMAND}))
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn gemini_runs_a_command() -> Result<()> {
    check(&Gemini, "run_shell_command", json!({"command": COMMAND, "description": "run"}))
}

#[test]
#[ignore = "needs npm and the real client; run by cargo xtask e2e"]
fn qwen_runs_a_command() -> Result<()> {
    check(
        &Qwen,
        "run_shell_command",
        json!({"command": COMMAND, "description": "run", "is_background": false}),
    )
}
