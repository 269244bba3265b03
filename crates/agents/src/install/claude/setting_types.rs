//! The types of Claude Code's settings. One setting of another type, and it skips the whole file.
//!
//! Observed with 2.1.325 by giving every setting a value of every type. Settings that are missing here are unknown to
//! that version or read without regard to their type.

use tollgate_model::json::Value;

/// What a setting must be.
#[derive(Clone, Copy, Debug)]
enum Type {
    Text,
    Switch,
    Whole,
    Share,
    List,
    Object,
    TextOrList,
    SwitchOrObject,
    OneOf(&'static [&'static str]),
}

/// What is wrong with the type of a setting, if anything: `must be a boolean, not a string`.
pub(super) fn wrong_type(place: &str, value: &Value) -> Option<String> {
    let (expected, null) = expected(place)?;
    if *value == Value::Null && null || expected.allows(value) {
        return None;
    }
    Some(match (expected, value) {
        (Type::OneOf(words), Value::String(word)) => format!("must be {}, not `{word}`", listed(words)),
        _ => format!("must be {}, not {}", expected.name(), value.type_name()),
    })
}

/// The members of these settings have types of their own.
pub(super) const NESTED: [&str; 3] = ["permissions", "sandbox", "statusLine"];

impl Type {
    fn allows(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Text | Self::TextOrList, Value::String(_))
            | (Self::Switch | Self::SwitchOrObject, Value::Bool(_))
            | (Self::List | Self::TextOrList, Value::List(_))
            | (Self::Object | Self::SwitchOrObject, Value::Map(_)) => true,
            (Self::Whole, Value::Number(number)) => {
                number.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
            }
            (Self::Share, Value::Number(number)) => {
                number.parse::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number))
            }
            (Self::OneOf(words), Value::String(word)) => words.contains(&word.as_str()),
            _ => false,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Text => "a string".into(),
            Self::Switch => "a boolean".into(),
            Self::Whole => "a whole number".into(),
            Self::Share => "a number from 0 to 1".into(),
            Self::List => "a list".into(),
            Self::Object => "an object".into(),
            Self::TextOrList => "a string or a list".into(),
            Self::SwitchOrObject => "a boolean or an object".into(),
            Self::OneOf(words) => listed(words),
        }
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
}

/// The type of a setting, and whether it may be null.
fn expected(place: &str) -> Option<(Type, bool)> {
    if let Some((_, kind)) = OTHERS.iter().find(|(name, _)| *name == place) {
        return Some((*kind, OR_NULL.contains(&place)));
    }
    let lists: [(&[&str], Type, bool); 5] = [
        (TEXTS, Type::Text, false),
        (SWITCHES, Type::Switch, false),
        (SWITCHES_OR_NULL, Type::Switch, true),
        (LISTS, Type::List, false),
        (OBJECTS, Type::Object, false),
    ];
    lists.iter().find(|(names, ..)| names.contains(&place)).map(|(_, kind, null)| (*kind, *null))
}

const TEXTS: &[&str] = &[
    "$schema",
    "advisorModel",
    "agent",
    "apiKeyHelper",
    "attributionProject",
    "autoMemoryDirectory",
    "awsAuthRefresh",
    "awsCredentialExport",
    "claudeMd",
    "gcpAuthRefresh",
    "language",
    "minimumVersion",
    "model",
    "otelHeadersHelper",
    "outputStyle",
    "plansDirectory",
    "pluginTrustMessage",
    "prUrlTemplate",
    "processWrapper",
    "proxyAuthHelper",
    "requiredMaximumVersion",
    "requiredMinimumVersion",
    "statusLine.command",
    "timeFormat",
    "timeZone",
];

const SWITCHES: &[&str] = &[
    "agentPushNotifEnabled",
    "allowAllClaudeAiMcps",
    "allowClaudeInChromeWithManagedMcp",
    "alwaysThinkingEnabled",
    "autoCompactEnabled",
    "autoDreamEnabled",
    "autoMemoryEnabled",
    "autoScrollEnabled",
    "bashEditDiffEnabled",
    "disableAllHooks",
    "disableReplyCheck",
    "emojiCompletionEnabled",
    "fastMode",
    "fileCheckpointingEnabled",
    "forceRemoteSettingsRefresh",
    "idleCompaction",
    "includeCoAuthoredBy",
    "includeGitInstructions",
    "inputNeededNotifEnabled",
    "precomputeCompactionEnabled",
    "prefersReducedMotion",
    "promptSuggestionEnabled",
    "respectGitignore",
    "respondToBashCommands",
    "sandbox.allowUnsandboxedCommands",
    "sandbox.autoAllowBashIfSandboxed",
    "sandbox.enabled",
    "showClearContextOnPlanAccept",
    "showMessageTimestamps",
    "showThinkingSummaries",
    "showTurnDuration",
    "spinnerTipsEnabled",
    "switchModelsOnFlag",
    "syntaxHighlightingDisabled",
    "terminalProgressBarEnabled",
    "terminalTitleFromRename",
    "todoFeatureEnabled",
    "verbose",
    "voiceEnabled",
    "wheelScrollAccelerationEnabled",
    "workflowKeywordTriggerEnabled",
    "wslInheritsWindowsSettings",
];

const SWITCHES_OR_NULL: &[&str] = &[
    "allowManagedHooksOnly",
    "allowManagedMcpServersOnly",
    "allowManagedPermissionRulesOnly",
    "autoContinueAtUsageLimit",
    "autoUploadSessions",
    "channelsEnabled",
    "disableAgentView",
    "disableArtifact",
    "disableBundledSkills",
    "disableClaudeAiConnectors",
    "disableCommandPluginSources",
    "disableRemoteControl",
    "disableSideloadFlags",
    "disableSkillShellExecution",
    "disableWindowsBashCommandSplit",
    "disableWorkflows",
    "enableAllProjectMcpServers",
    "enableArtifact",
    "enableWorkflows",
    "enforceAvailableModels",
    "fastModePerSessionOptIn",
    "isolatePeerMachines",
    "remoteControlAtStartup",
    "skipAutoPermissionPrompt",
    "skipWebFetchPreflight",
    "syncClaudeAiPlugins",
    "syncClaudeAiSkills",
    "useAutoModeDuringPlan",
];

const LISTS: &[&str] = &[
    "allowedChannelPlugins",
    "allowedHttpHookUrls",
    "availableModels",
    "claudeMdExcludes",
    "companyAnnouncements",
    "fallbackModel",
    "httpHookAllowedEnvVars",
    "permissions.additionalDirectories",
    "permissions.allow",
    "permissions.ask",
    "permissions.deny",
    "pluginSuggestionMarketplaces",
    "sandbox.excludedCommands",
    "sshConfigs",
];

const OBJECTS: &[&str] = &[
    "autoMode",
    "enabledPlugins",
    "env",
    "fileSuggestion",
    "modelOverrides",
    "permissions",
    "pluginConfigs",
    "remote",
    "sandbox",
    "sandbox.filesystem",
    "sandbox.network",
    "skillOverrides",
    "spinnerVerbs",
    "statusLine",
    "voice",
    "worktree",
];

const OTHERS: &[(&str, Type)] = &[
    ("attribution", Type::SwitchOrObject),
    ("autoUpdatesChannel", Type::OneOf(&["latest", "stable", "rc"])),
    ("blockedMarketplaces", Type::List),
    ("cleanupPeriodDays", Type::Whole),
    ("daemonColdStart", Type::OneOf(&["transient", "ask"])),
    ("defaultShell", Type::OneOf(&["bash", "powershell"])),
    ("defaultView", Type::OneOf(&["chat", "transcript"])),
    ("desktopSessionCleanupPeriodDays", Type::Whole),
    ("disableAutoMode", Type::OneOf(&["disable"])),
    ("disableDeepLinkRegistration", Type::OneOf(&["disable"])),
    ("disabledMcpjsonServers", Type::TextOrList),
    ("enabledMcpjsonServers", Type::TextOrList),
    ("feedbackDrafts", Type::OneOf(&["notify", "quiet", "off"])),
    ("feedbackSurveyRate", Type::Share),
    ("forceLoginOrgUUID", Type::TextOrList),
    ("managedSourcesBehavior", Type::OneOf(&["first-wins", "merge"])),
    ("parentSettingsBehavior", Type::OneOf(&["first-wins", "merge"])),
    ("permissions.defaultMode", Type::OneOf(MODES)),
    ("permissions.disableBypassPermissionsMode", Type::OneOf(&["disable"])),
    ("skillListingBudgetFraction", Type::Share),
    ("skillListingMaxDescChars", Type::Whole),
    ("statusLine.type", Type::OneOf(&["command"])),
    ("strictKnownMarketplaces", Type::List),
    ("tui", Type::OneOf(&["default", "fullscreen"])),
    ("workflowSizeGuideline", Type::OneOf(&["unrestricted", "small", "medium", "large"])),
];

const OR_NULL: &[&str] = &[
    "blockedMarketplaces",
    "disableAutoMode",
    "disableDeepLinkRegistration",
    "feedbackDrafts",
    "strictKnownMarketplaces",
];

const MODES: &[&str] = &["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"];
