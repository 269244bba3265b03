//! How the other clients are set up and started, and how each names its tools.

use anyhow::Result;
use serde_json::{Value, json};

use crate::client::{Client, client};
use crate::driver::Driver;
use crate::mock::Turn;
use crate::scratch::Scratch;

/// A key that no server knows.
const KEY: &str = "sk-dummy-0000000000000000000000000000";

/// Drives Codex, which speaks OpenAI Responses.
#[derive(Debug)]
pub struct Codex;

/// Drives Gemini CLI, which speaks streamGenerateContent.
#[derive(Debug)]
pub struct Gemini;

/// Drives Qwen Code, which speaks chat completions.
#[derive(Debug)]
pub struct Qwen;

/// Drives Copilot CLI, which speaks chat completions.
#[derive(Debug)]
pub struct Copilot;

/// Drives OpenCode and what is made from it, which speak chat completions.
#[derive(Debug)]
pub struct Plugged {
    agent: &'static str,
    /// Its configuration, under the home folder.
    config: &'static str,
    /// What keeps it from the network.
    switches: &'static [&'static str],
}

/// Drives OpenCode.
pub static OPENCODE: Plugged = Plugged {
    agent: "opencode",
    config: ".config/opencode/opencode.json",
    switches: &[
        "OPENCODE_DISABLE_AUTOUPDATE",
        "OPENCODE_DISABLE_MODELS_FETCH",
        "OPENCODE_DISABLE_LSP_DOWNLOAD",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    ],
};

/// Drives Kilo Code.
pub static KILO: Plugged = Plugged {
    agent: "kilo",
    config: ".config/kilo/kilo.json",
    switches: &[
        "KILO_DISABLE_AUTOUPDATE",
        "KILO_DISABLE_SESSION_INGEST",
        "KILO_DISABLE_MODELS_FETCH",
        "KILO_DISABLE_LSP_DOWNLOAD",
        "KILO_DISABLE_DEFAULT_PLUGINS",
    ],
};

/// Every client beside Claude Code.
pub static OTHERS: [&dyn Driver; 6] = [&Codex, &Gemini, &Qwen, &Copilot, &OPENCODE, &KILO];

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

    fn environment(&self, _scratch: &Scratch, _url: &str) -> Vec<(&'static str, String)> {
        vec![("MOCK_API_KEY", KEY.to_owned())]
    }

    fn arguments(&self, prompt: &str, _unattended: bool) -> Vec<String> {
        ["exec", "--skip-git-repo-check", prompt].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        Turn::call("exec_command", json!({"cmd": command}))
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+alpha\n*** End Patch\n");
        let mut turn = Turn::call("apply_patch", json!(patch));
        turn.tools.iter_mut().for_each(|tool| tool.custom = true);
        vec![turn]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        let wait = |results: &[crate::ToolResult]| {
            let id = results.iter().rev().find_map(|result| {
                let value: Value = serde_json::from_str(&result.text).ok()?;
                Some(value.get("agent_id")?.as_str()?.to_owned())
            });
            json!({"targets": [id.unwrap_or_default()], "timeout_ms": 20_000})
        };
        let mut turns =
            vec![Turn::call("spawn_agent", json!({"message": prompt})), Turn::call_with("wait_agent", wait)];
        for tool in turns.iter_mut().flat_map(|turn| &mut turn.tools) {
            tool.namespace = Some("multi_agent_v1".to_owned());
        }
        turns
    }

    /// The model of the other tests is not offered subagents.
    fn subagent_arguments(&self) -> Vec<String> {
        ["-m", "gpt-5.4"].map(str::to_owned).to_vec()
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

    fn environment(&self, _scratch: &Scratch, url: &str) -> Vec<(&'static str, String)> {
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

    fn terminal_arguments(&self, prompt: &str) -> Vec<String> {
        ["-m", "gemini-2.5-flash", "--yolo", "-i", prompt].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        Turn::call("run_shell_command", json!({"command": command, "description": "run"}))
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        let change =
            json!({"file_path": file, "old_string": "alpha", "new_string": "gamma", "instruction": "change"});
        vec![
            Turn::call("write_file", json!({"file_path": file, "content": "alpha\n"})),
            Turn::call("read_file", json!({"file_path": file})),
            Turn::call("replace", change),
            Turn::call("grep_search", json!({"pattern": "gamma"})),
            Turn::call("glob", json!({"pattern": "*.txt"})),
            Turn::call("list_directory", json!({"dir_path": "."})),
        ]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        vec![Turn::call("invoke_agent", json!({"agent_name": "generalist", "prompt": prompt}))]
    }

    fn subagent_ends(&self) -> Turn {
        Turn::call("complete_task", json!({"result": {"response": "HELPER-DONE"}}))
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

    fn environment(&self, _scratch: &Scratch, url: &str) -> Vec<(&'static str, String)> {
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

    fn terminal_arguments(&self, prompt: &str) -> Vec<String> {
        ["--auth-type", "openai", "--yolo", "-i", prompt].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        let input = json!({"command": command, "description": "run", "is_background": false});
        Turn::call("run_shell_command", input)
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        vec![
            Turn::call("write_file", json!({"file_path": file, "content": "alpha\n"})),
            Turn::call("read_file", json!({"file_path": file})),
            Turn::call("edit", json!({"file_path": file, "old_string": "alpha", "new_string": "gamma"})),
            Turn::call("grep_search", json!({"pattern": "gamma"})),
            Turn::call("glob", json!({"pattern": "*.txt"})),
        ]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        let input = json!({"description": "help", "prompt": prompt, "subagent_type": "general-purpose",
                           "run_in_background": false});
        vec![Turn::call("agent", input)]
    }
}

impl Driver for Copilot {
    fn client(&self) -> Result<&'static Client> {
        client("copilot-cli")
    }

    fn configure(&self, scratch: &Scratch, _url: &str) -> Result<()> {
        let config = json!({"trusted_folders": [scratch.project()], "banner": "never"});
        scratch.write_home(".copilot/config.json", &config.to_string())?;
        Ok(())
    }

    fn environment(&self, _scratch: &Scratch, url: &str) -> Vec<(&'static str, String)> {
        let base = format!("{url}/v1");
        let fixed = [
            ("COPILOT_PROVIDER_BASE_URL", base.as_str()),
            ("COPILOT_PROVIDER_API_KEY", KEY),
            ("COPILOT_PROVIDER_TYPE", "openai"),
            ("COPILOT_MODEL", "gpt-5.4"),
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
        ];
        fixed.map(|(name, value)| (name, value.to_owned())).to_vec()
    }

    fn arguments(&self, prompt: &str, unattended: bool) -> Vec<String> {
        let mut arguments = vec!["-p".to_owned(), prompt.to_owned()];
        arguments.extend(unattended.then(|| "--allow-all".to_owned()));
        arguments
    }

    fn terminal_arguments(&self, prompt: &str) -> Vec<String> {
        ["-i", prompt, "--allow-all"].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        Turn::call("bash", json!({"command": command, "description": "run"}))
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        vec![
            Turn::call("create", json!({"path": file, "file_text": "alpha\n"})),
            Turn::call("view", json!({"path": file})),
            Turn::call("edit", json!({"path": file, "old_str": "alpha", "new_str": "gamma"})),
            Turn::call("rg", json!({"pattern": "gamma"})),
            Turn::call("glob", json!({"pattern": "*.txt"})),
        ]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        let input = json!({"description": "help", "prompt": prompt, "agent_type": "general-purpose",
                           "name": "helper"});
        vec![Turn::call("task", input)]
    }
}

impl Driver for Plugged {
    fn client(&self) -> Result<&'static Client> {
        client(self.agent)
    }

    fn configure(&self, scratch: &Scratch, url: &str) -> Result<()> {
        let config = json!({
            "autoupdate": false, "share": "disabled", "model": "mock/mock-model", "small_model": "mock/mock-model",
            "provider": {"mock": {"npm": "@ai-sdk/openai-compatible", "name": "mock",
                "options": {"baseURL": format!("{url}/v1"), "apiKey": KEY},
                "models": {"mock-model": {"name": "mock-model", "tool_call": true}}}},
        });
        scratch.write_home(self.config, &config.to_string())?;
        Ok(())
    }

    fn environment(&self, scratch: &Scratch, _url: &str) -> Vec<(&'static str, String)> {
        let home = |path: &str| scratch.home().join(path).display().to_string();
        let mut variables: Vec<_> = self.switches.iter().map(|name| (*name, "1".to_owned())).collect();
        variables.extend([
            // It would fetch a package of types at every start.
            ("npm_config_offline", "true".to_owned()),
            ("KILO_TELEMETRY_LEVEL", "off".to_owned()),
            ("XDG_DATA_HOME", home(".local/share")),
            ("XDG_CONFIG_HOME", home(".config")),
            ("XDG_CACHE_HOME", home(".cache")),
            ("XDG_STATE_HOME", home(".local/state")),
        ]);
        variables
    }

    fn arguments(&self, prompt: &str, _unattended: bool) -> Vec<String> {
        ["run", prompt].map(str::to_owned).to_vec()
    }

    fn shell(&self, command: &str) -> Turn {
        Turn::call("bash", json!({"command": command, "description": "run"}))
    }

    fn file_tools(&self, file: &str) -> Vec<Turn> {
        vec![
            Turn::call("write", json!({"filePath": file, "content": "alpha\n"})),
            Turn::call("read", json!({"filePath": file})),
            Turn::call("edit", json!({"filePath": file, "oldString": "alpha", "newString": "gamma"})),
            Turn::call("grep", json!({"pattern": "gamma"})),
        ]
    }

    fn spawn(&self, prompt: &str) -> Vec<Turn> {
        vec![Turn::call("task", json!({"description": "help", "prompt": prompt, "subagent_type": "general"}))]
    }
}
