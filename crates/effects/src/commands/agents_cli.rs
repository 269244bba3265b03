//! Coding agents started from a tool call: with their approvals off, with other hooks, or to change their own
//! settings. Their ordinary use is free.

use tollgate_model::{EffectKind, Protection, Tampered};
use tollgate_shell::eval::Outcome;

use super::{Handler, Run, alter};
use crate::url::{Url, is_this_machine};
use crate::word::Word;

/// Programs whose whole purpose is to give agents further tools and instructions, by the verbs that do so; without any,
/// every run does.
const INSTALLERS: &[(&str, &[&str])] = &[
    ("smithery", &["install", "add", "mcp", "skills"]),
    ("mcp-get", &["install"]),
    ("mcpm", &["install", "add", "import"]),
    ("skills", &["add", "a", "install", "i"]),
    ("openskills", &["install", "sync"]),
    ("claude-plugins", &["install", "enable"]),
];

/// A program that is called for giving agents tools or skills: `mcp-installer`, `setup-mcp-server`, `install-skills`.
pub(super) fn named(program: &str) -> Option<Handler> {
    let mut parts = program.split(['-', '_', '.']);
    let about = |part: &str| matches!(part, "mcp" | "skill" | "skills");
    let puts = |part: &str| matches!(part, "add" | "install" | "installer" | "setup" | "register");
    (parts.clone().any(about) && parts.any(puts)).then_some(installer as Handler)
}

pub(super) fn installer(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(Word::shown).collect();
    let asks = words.iter().any(|word| matches!(word.as_str(), "--help" | "-h" | "--version" | "--list"));
    let verb = plain(&words).first().copied().unwrap_or_default().to_owned();
    let installs = match INSTALLERS.iter().find(|(name, _)| *name == run.program) {
        Some((_, verbs)) => verbs.contains(&verb.as_str()),
        None => !words.is_empty(),
    };
    // Words of another program that are only tried as a command are no command of this name.
    if installs && !asks && !run.analyst.guessing {
        run.push(EffectKind::Weaken {
            protection: Protection::AgentSettings,
            how: format!("its tools (`{} {verb}`)", run.program),
        });
    }
    run.derived()
}

/// `code --add-mcp` gives the editor's agent another server.
pub(super) fn editor(run: &mut Run) -> Outcome {
    if run.args.iter().any(|word| word.text.prefix().starts_with("--add-mcp")) {
        let how = format!("its tools (`{} --add-mcp`)", run.program);
        run.push(EffectKind::Weaken { protection: Protection::AgentSettings, how });
    }
    run.derived()
}

/// Options that take the approvals away. `a b` is an option with a value.
const UNLEASH: &[(&str, &[&str])] = &[
    (
        "claude",
        &[
            "--dangerously-skip-permissions",
            "--allow-dangerously-skip-permissions",
            "--permission-mode bypassPermissions",
        ],
    ),
    (
        "codex",
        &[
            "--yolo",
            "--dangerously-bypass-approvals-and-sandbox",
            "-s danger-full-access",
            "--sandbox danger-full-access",
        ],
    ),
    ("gemini", &["--yolo", "-y", "--approval-mode yolo"]),
    ("qwen", &["--yolo", "-y", "--approval-mode yolo"]),
    ("cursor-agent", &["--force", "-f", "--yolo"]),
    ("copilot", &["--allow-all-tools", "--allow-all-paths", "--allow-all-urls", "--allow-all", "--yolo"]),
    ("opencode", &["--dangerously-skip-permissions", "--yolo"]),
    ("amp", &["--dangerously-allow-all"]),
    ("droid", &["--skip-permissions-unsafe", "--auto high"]),
    ("aider", &["--yes-always", "--yes"]),
    ("crush", &["--yolo", "-y"]),
    ("kiro-cli", &["--trust-all-tools", "-a"]),
    ("q", &["--trust-all-tools", "-a"]),
    ("cline", &["--yolo", "-y"]),
    ("agent", &["--force", "--yolo"]),
    ("cn", &["--auto"]),
    ("interpreter", &["-y", "--auto_run"]),
    ("open-interpreter", &["-y", "--auto_run"]),
    ("plandex", &["set-auto full", "--full"]),
    ("openhands", &["--always-approve", "--yolo"]),
    ("kimi", &["--yolo", "-y", "--yes"]),
    ("iflow", &["--yolo", "-y"]),
];

/// How the options of any agent begin that take its approvals away.
const UNLEASHING: &[&str] = &[
    "--dangerously",
    "--allow-dangerously",
    "--yolo",
    "--skip-permissions",
    "--bypass-permissions",
    "--auto-approve",
    "--trust-all",
    "--no-sandbox",
    "--disable-sandbox",
    "--always-approve",
    "--approve-all",
];

/// Options that bring in tools, and with them programs, that the person did not choose.
const INJECT: &[(&str, &[&str])] = &[
    ("claude", &["--mcp-config", "--plugin-dir", "--plugin-url"]),
    ("copilot", &["--additional-mcp-config"]),
    ("auggie", &["--mcp-config"]),
    ("amp", &["--mcp-config"]),
    ("goose", &["--with-extension", "--with-remote-extension", "--with-streamable-http-extension"]),
    ("cursor-agent", &["--approve-mcps"]),
    ("agent", &["--approve-mcps"]),
];

/// Variables that send what an agent says and hears to another machine.
const ELSEWHERE: &[&str] = &[
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "OPENAI_API_BASE",
    "GOOGLE_GEMINI_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
];

/// Options that put other hooks, or none, in place of the person's.
const UNHOOK: &[(&str, &[&str])] = &[
    ("claude", &["--settings", "--setting-sources", "--bare", "--safe-mode"]),
    ("codex", &["--dangerously-bypass-hook-trust"]),
];

/// Commands that change an agent's settings.
const MANAGE: &[(&str, &[&str])] = &[
    ("mcp", &["add", "add-json", "add-from-claude-desktop", "enable"]),
    ("config", &["set", "add", "remove", "rm"]),
    ("plugin", &["install", "uninstall", "enable", "disable", "marketplace"]),
    ("plugins", &["install", "uninstall", "enable", "disable"]),
    ("extensions", &["install", "uninstall", "enable", "disable", "link"]),
    ("hooks", &["migrate", "disable", "enable", "remove", "install"]),
];

pub(super) fn agent(run: &mut Run) -> Outcome {
    let words: Vec<String> = run.args.iter().map(Word::shown).take_while(|word| word != "--").collect();
    // Packages are run by names of their own.
    let program = match run.program {
        "claude-code" => "claude",
        "gemini-cli" => "gemini",
        "qwen-code" => "qwen",
        "opencode-ai" => "opencode",
        other => other,
    };
    let program = program.to_owned();
    if let [noun, verb, ..] = plain(&words).as_slice()
        && MANAGE.iter().any(|(name, verbs)| name == noun && verbs.contains(verb))
    {
        run.push(EffectKind::Weaken {
            protection: Protection::AgentSettings,
            how: format!("`{program} {noun} {verb}`"),
        });
    }
    for option in options(UNHOOK, &program).filter(|option| given(&words, option)) {
        run.push(EffectKind::Tamper {
            target: Tampered::AgentControl,
            what: format!("its hooks (`{program} {option}`)"),
        });
    }
    for option in options(INJECT, &program).filter(|option| given(&words, option)) {
        run.push(EffectKind::Weaken {
            protection: Protection::AgentSettings,
            how: format!("its tools (`{program} {option}`)"),
        });
    }
    let unleashing = |word: &&String| UNLEASHING.iter().any(|start| word.starts_with(start));
    let listed = options(UNLEASH, &program).find(|option| given(&words, option)).map(str::to_owned);
    let unleashed = listed.or_else(|| words.iter().find(unleashing).cloned()).or_else(|| tools_freed(&words));
    if let Some(option) = unleashed {
        run.push(EffectKind::Weaken {
            protection: Protection::AgentApprovals,
            how: format!("`{program} {option}`"),
        });
    }
    elsewhere(run, &program);
    if program == "codex" {
        overrides(run, &words);
    }
    environment(run, &program);
    if works(&words) && !run.analyst.guessing {
        // It is bound by what holds for every session, and not by how this one works.
        let here = Word::literal_at(".", run.call.span);
        alter::perhaps(run, &here);
    }
    run.derived()
}

/// Is the agent given work, and not asked about itself or set up?
fn works(words: &[String]) -> bool {
    const ABOUT: [&str; 24] = [
        "mcp",
        "config",
        "doctor",
        "update",
        "upgrade",
        "auth",
        "login",
        "logout",
        "install",
        "completion",
        "completions",
        "extensions",
        "extension",
        "plugin",
        "plugins",
        "models",
        "model",
        "stats",
        "session",
        "sessions",
        "agents",
        "skills",
        "hooks",
        "help",
    ];
    const ASKS: [&str; 4] = ["--help", "-h", "--version", "-v"];
    let about = plain(words).first().is_some_and(|verb| ABOUT.contains(verb));
    !words.is_empty() && !about && !words.iter().any(|word| ASKS.contains(&word.as_str()))
}

/// `claude --allowedTools Bash` frees every command, `--add-dir /` every file.
fn tools_freed(words: &[String]) -> Option<String> {
    let mut option = "";
    for word in words {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, value),
            _ if word.starts_with('-') => {
                option = word;
                continue;
            }
            _ => (option, word.as_str()),
        };
        let mut tools = value.split([',', ' ']);
        let frees = match name {
            "--allowedTools" | "--allowed-tools" | "--allow-tool" => tools
                .any(|tool| matches!(tool, "Bash" | "Bash(*)" | "Bash(*:*)" | "Bash(:*)" | "*" | "shell")),
            "--add-dir" => matches!(value, "/" | "~" | "/home" | "/etc" | "/root" | "/Users"),
            _ => false,
        };
        if frees {
            return Some(format!("{name} {value}"));
        }
    }
    None
}

/// Does a variable send what an agent says to another machine?
pub(crate) fn leads_away(name: &str, url: &str) -> bool {
    ELSEWHERE.contains(&name) && url.contains("://") && !is_this_machine(&Url::parse(url).host)
}

fn elsewhere(run: &mut Run, program: &str) {
    let far = |name: &&&str| {
        run.variable(name).is_some_and(|value| value.as_literal().is_some_and(|url| leads_away(name, url)))
    };
    if let Some(name) = ELSEWHERE.iter().find(far) {
        let how = format!("where it sends its telemetry (`{name}` for {program})");
        run.push(EffectKind::Weaken { protection: Protection::AgentSettings, how });
    }
}

/// Variables that lead an agent to other settings, or take its approvals away. `HOME` leads all of them.
const VARIABLES: &[(&str, &str)] = &[
    ("claude", "CLAUDE_CONFIG_DIR"),
    ("codex", "CODEX_HOME"),
    ("gemini", "GEMINI_CLI_HOME"),
    ("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"),
    ("qwen", "QWEN_HOME"),
    ("qwen", "QWEN_CODE_SYSTEM_SETTINGS_PATH"),
    ("copilot", "COPILOT_HOME"),
    ("copilot", "XDG_CONFIG_HOME"),
    ("opencode", "OPENCODE_CONFIG"),
    ("opencode", "OPENCODE_CONFIG_DIR"),
    ("opencode", "OPENCODE_CONFIG_CONTENT"),
    ("opencode", "OPENCODE_PERMISSION"),
    ("opencode", "XDG_CONFIG_HOME"),
    ("amp", "AMP_SETTINGS_FILE"),
    ("droid", "FACTORY_HOME"),
    ("goose", "GOOSE_MODE"),
    ("cursor-agent", "CURSOR_CONFIG_DIR"),
];

fn environment(run: &mut Run, program: &str) {
    let set = |name: &str| {
        run.call.assigns.iter().any(|(given, _)| &**given == name)
            || run.shell.exported().any(|(given, _)| given == name)
    };
    let led = VARIABLES.iter().filter(|(agent, _)| *agent == program).map(|(_, name)| *name).chain(["HOME"]);
    let led: Vec<&str> = led.filter(|name| set(name)).collect();
    for name in led {
        run.push(EffectKind::Tamper {
            target: Tampered::AgentControl,
            what: format!("its settings (`{name}` for {program})"),
        });
    }
}

/// `codex -c key=value` sets any key of its settings.
fn overrides(run: &mut Run, words: &[String]) {
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [flag, value] if flag == "-c" || flag == "--config" => Some(value.as_str()),
        _ => None,
    });
    for setting in pairs.chain(words.iter().filter_map(|word| word.strip_prefix("--config="))) {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        let value = value.trim_matches(['"', '\'']);
        if key.contains("hook") || key.starts_with("mcp_servers") {
            run.push(EffectKind::Tamper {
                target: Tampered::AgentControl,
                what: format!("`{key}` of codex"),
            });
        } else if (key == "approval_policy" && value == "never") || value == "danger-full-access" {
            run.push(EffectKind::Weaken {
                protection: Protection::AgentApprovals,
                how: format!("`codex -c {setting}`"),
            });
        }
    }
}

fn options(
    table: &'static [(&'static str, &'static [&'static str])],
    program: &str,
) -> impl Iterator<Item = &'static str> {
    let program = program.to_owned();
    table.iter().filter(move |(name, _)| *name == program).flat_map(|(_, options)| options.iter().copied())
}

/// Is the option among the words, as `--a b`, `--a=b` or `-ab`?
fn given(words: &[String], option: &str) -> bool {
    match option.split_once(' ') {
        Some((name, value)) => {
            words.windows(2).any(|pair| matches!(pair, [flag, given] if flag == name && given == value))
                || words.iter().any(|word| {
                    word.strip_prefix(name).is_some_and(|rest| rest.trim_start_matches('=') == value)
                })
        }
        None => words.iter().any(|word| word.split('=').next() == Some(option)),
    }
}

/// The words that are no options, as far as that can be told without knowing which options take a value.
fn plain(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect()
}
