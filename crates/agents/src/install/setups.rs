//! One row per agent that can be guarded beside Claude Code.

use tollgate_model::Agent;

use super::setup::{Form, Place, Setup};
use super::shim;

const fn home(home: &'static str, file: &'static str) -> Place {
    Place { moved: "", below: "", home, file }
}

const fn config(folder: &'static str, home: &'static str, file: &'static str) -> Place {
    Place { moved: "XDG_CONFIG_HOME", below: folder, home, file }
}

/// Each of these agents lets the call run when its time is up, so the time is long: a gate that hangs holds a call up,
/// and never lets it through. The gate's own deadline comes long before.
const DAY: u64 = 86_400;

/// Where nobody has seen how long the agent waits.
const TEN_MINUTES: u64 = 600;

/// From 1,000 on Qwen Code reads milliseconds, and says that it will read seconds one day. This is over half an hour
/// either way, and no more than its timers can hold. A gate that hangs is nevertheless waited for only a minute: its
/// bus gives up on every hook then.
const QWEN: u64 = 2_000_000;
const QWENS_BUS: u64 = 60;

/// Cline tells nobody how to change it.
const CLINE: u64 = 120;

/// The shortest that any agent is known to wait of itself, for one of which nobody knows.
pub(super) const SHORTEST: u64 = 30;

/// The rows.
pub static TABLE: &[Setup] = &[
    Setup {
        agent: Agent::Codex,
        decides: "PreToolUse",
        patience: DAY,
        most: DAY,
        events: &[
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "UserPromptSubmit",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Interrupt",
        ],
        advice: "the hooks are trusted in config.toml, so that Codex does not ask to review them",
        user: Place { moved: "CODEX_HOME", below: "", home: ".codex", file: "hooks.json" },
        project: ".codex/hooks.json",
        form: Form::Groups,
    },
    Setup {
        agent: Agent::GeminiCli,
        decides: "BeforeTool",
        patience: DAY * 1000,
        most: DAY,
        events: &[
            "BeforeTool",
            "AfterTool",
            "BeforeAgent",
            "AfterAgent",
            "SessionStart",
            "SessionEnd",
            "Notification",
        ],
        advice: "in a folder that Gemini CLI does not trust it skips these hooks too; trust the folder when it asks",
        user: home(".gemini", "settings.json"),
        project: ".gemini/settings.json",
        form: Form::GroupsMillis,
    },
    Setup {
        agent: Agent::QwenCode,
        decides: "PreToolUse",
        patience: QWEN,
        most: QWENS_BUS,
        events: &[
            "PreToolUse",
            "PermissionRequest",
            "PermissionDenied",
            "PostToolUse",
            "PostToolUseFailure",
            "UserPromptSubmit",
            "UserPromptExpansion",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "StopFailure",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Notification",
        ],
        advice: "",
        user: home(".qwen", "settings.json"),
        project: ".qwen/settings.json",
        form: Form::Groups,
    },
    Setup {
        agent: Agent::CopilotCli,
        decides: "preToolUse",
        patience: DAY,
        most: DAY,
        events: &[
            "preToolUse",
            "permissionRequest",
            "postToolUse",
            "postToolUseFailure",
            "userPromptSubmitted",
            "sessionStart",
            "sessionEnd",
            "agentStop",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "errorOccurred",
        ],
        advice: "",
        user: Place { moved: "COPILOT_HOME", below: "", home: ".copilot", file: "hooks/tollgate.json" },
        project: ".github/hooks/tollgate.json",
        form: Form::Copilot,
    },
    Setup {
        agent: Agent::OpenCode,
        decides: "tool.execute.before",
        patience: 0,
        most: shim::LIMIT,
        events: &["tool.execute.before", "tool.execute.after", "chat.message", "event"],
        advice: "`opencode --pure` runs without plug-ins, and so without the gate",
        user: config("opencode", ".config/opencode", "plugin/tollgate.js"),
        project: ".opencode/plugin/tollgate.js",
        form: Form::Plugin,
    },
    Setup {
        agent: Agent::Cursor,
        decides: "preToolUse",
        patience: TEN_MINUTES,
        most: DAY,
        events: &[
            "preToolUse",
            "beforeShellExecution",
            "postToolUse",
            "postToolUseFailure",
            "beforeSubmitPrompt",
            "sessionStart",
            "sessionEnd",
            "stop",
            "subagentStop",
            "preCompact",
        ],
        advice: "",
        user: home(".cursor", "hooks.json"),
        project: ".cursor/hooks.json",
        form: Form::Flat,
    },
    Setup {
        agent: Agent::Droid,
        decides: "PreToolUse",
        patience: TEN_MINUTES,
        most: DAY,
        events: &[
            "PreToolUse",
            "PostToolUse",
            "UserPromptSubmit",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "SubagentStop",
            "PreCompact",
            "Notification",
        ],
        advice: "Droid skips hooks until the folder is trusted",
        user: home(".factory", "settings.json"),
        project: ".factory/settings.json",
        form: Form::Groups,
    },
    Setup {
        agent: Agent::Auggie,
        decides: "PreToolUse",
        patience: TEN_MINUTES * 1000,
        most: DAY,
        events: &[
            "PreToolUse",
            "PostToolUse",
            "PromptSubmit",
            "SessionStart",
            "SessionEnd",
            "Stop",
            "Notification",
        ],
        advice: "",
        user: home(".augment", "settings.json"),
        project: ".augment/settings.json",
        form: Form::GroupsExec,
    },
    Setup {
        agent: Agent::Windsurf,
        decides: "pre_run_command",
        patience: 0,
        most: SHORTEST,
        events: &[
            "pre_run_command",
            "pre_write_code",
            "pre_read_code",
            "pre_mcp_tool_use",
            "pre_user_prompt",
        ],
        advice: "",
        user: home(".codeium/windsurf", "hooks.json"),
        project: ".windsurf/hooks.json",
        form: Form::Flat,
    },
    Setup {
        agent: Agent::Kiro,
        decides: "PreToolUse",
        patience: TEN_MINUTES,
        most: DAY,
        events: &["PreToolUse", "PostToolUse", "SessionStart", "UserPromptSubmit", "Stop"],
        advice: "",
        user: home(".kiro", "hooks/tollgate.json"),
        project: ".kiro/hooks/tollgate.json",
        form: Form::Kiro,
    },
    Setup {
        agent: Agent::Cline,
        decides: "PreToolUse",
        patience: 0,
        most: CLINE,
        events: &["PreToolUse", "PostToolUse"],
        advice: "",
        user: home(".cline", "hooks"),
        project: ".clinerules/hooks",
        form: Form::Scripts,
    },
    Setup {
        agent: Agent::Kilo,
        decides: "tool.execute.before",
        patience: 0,
        most: shim::LIMIT,
        events: &["tool.execute.before", "tool.execute.after", "chat.message", "event"],
        advice: "",
        user: config("kilo", ".config/kilo", "plugin/tollgate.js"),
        project: ".kilo/plugin/tollgate.js",
        form: Form::Plugin,
    },
    Setup {
        agent: Agent::Amp,
        decides: "pre-tool",
        patience: 0,
        most: shim::LIMIT,
        events: &["session.start", "tool.call", "agent.end"],
        advice: "",
        user: config("amp", ".config/amp", "plugins/tollgate.ts"),
        project: ".amp/plugins/tollgate.ts",
        form: Form::Plugin,
    },
];
