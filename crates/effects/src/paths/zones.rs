//! Which paths are protected. A catalogue: each entry is a file's documented place.

use tollgate_model::{FileKind, World, Zone};

use super::pattern::{Component, matches};

/// Entries of the catalogue, and the bytes that they begin with: most paths begin otherwise, and need no further look.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    pub(super) all: &'static [&'static str],
    /// A bit for each ASCII character; all of them where an entry begins with a pattern.
    begins: u128,
}

impl Entries {
    const fn new(all: &'static [&'static str]) -> Self {
        let mut begins = 0;
        let mut rest = all;
        while let [entry, others @ ..] = rest {
            if let [first, ..] = entry.as_bytes() {
                begins |= if *first == b'*' || *first >= 128 { u128::MAX } else { 1 << *first };
            }
            rest = others;
        }
        Self { all, begins }
    }

    /// Those that this path may fit.
    fn like(self, parts: &[Component]) -> std::slice::Iter<'static, &'static str> {
        let first = parts.first().and_then(Component::as_literal).and_then(|name| name.bytes().next());
        let is_known = |byte: u8| byte < 128 && self.begins >> byte & 1 == 0;
        if first.is_some_and(is_known) { [].iter() } else { self.all.iter() }
    }
}

/// Credentials below a home directory, by each program's documentation. `/**` stands for everything below.
pub(super) const HOME_SECRETS: Entries = Entries::new(&[
    ".ssh/**",
    ".gnupg/**",
    ".aws/credentials",
    ".aws/sso/**",
    ".aws/cli/**",
    ".azure/**",
    ".config/gcloud/**",
    ".kube/config*",
    ".kube/cache/oidc*",
    ".docker/config.json",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".git-credentials",
    ".config/git/credentials",
    ".config/gh/hosts.yml",
    ".config/glab-cli/config.yml",
    ".config/hub",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".password-store/**",
    ".vault-token",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".pulumi/credentials.json",
    ".s3cfg",
    ".boto",
    ".config/doctl/config.yaml",
    ".config/heroku/**",
    ".config/op/**",
    ".config/Bitwarden*/**",
    ".config/sops/age/**",
    ".config/age/**",
    ".databrickscfg",
    ".snowsql/config",
    ".config/configstore/**",
    ".local/share/keyrings/**",
    ".local/share/kwalletd/**",
    "Library/Keychains/**",
    ".mozilla/**",
    ".config/google-chrome/**",
    ".config/chromium/**",
    ".config/BraveSoftware/**",
    "Library/Application Support/Google/Chrome/**",
    "Library/Application Support/Firefox/**",
    ".bash_history",
    ".zsh_history",
    ".histfile",
    ".sh_history",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".mongosh/**",
    ".config/anthropic/**",
    ".config/openai/**",
    ".factory/auth.json",
    ".qwen/oauth_creds.json",
    ".augment/session.json",
    ".config/amp/secrets.json",
    ".local/share/amp/secrets.json",
    ".fly/config.yml",
    ".railway/config.json",
    ".config/netlify/config.json",
    ".vercel/auth.json",
    ".local/share/com.vercel.cli/auth.json",
    ".wrangler/config/default.toml",
    ".config/.wrangler/config/default.toml",
    ".supabase/access-token",
    ".kaggle/kaggle.json",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".config/hcloud/cli.toml",
    ".config/linode-cli",
    ".oci/config",
    ".oci/*.pem",
    ".bluemix/config.json",
    ".config/containers/auth.json",
    ".config/helm/registry/config.json",
    ".config/argocd/config",
    ".config/stripe/config.toml",
    ".ngrok2/ngrok.yml",
    ".config/ngrok/ngrok.yml",
    ".nuget/NuGet/NuGet.Config",
    ".config/NuGet/NuGet.Config",
    ".lein/credentials.clj.gpg",
    ".sbt/.credentials",
    ".ivy2/.credentials",
    ".config/rclone/**",
    "Library/Application Support/BraveSoftware/**",
    "Library/Application Support/Microsoft Edge/**",
    "Library/Cookies/**",
    ".config/microsoft-edge/**",
    ".config/vivaldi/**",
    ".thunderbird/**",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot/**",
    ".local/share/opencode/auth.json",
    ".electrum/**",
    ".bitcoin/wallet.dat",
    ".ethereum/keystore/**",
    ".config/solana/id.json",
    ".config/filezilla/*.xml",
    ".cloudflared/*.pem",
    ".cloudflared/*.json",
    ".subversion/auth/**",
    ".msmtprc",
    ".config/msmtp/config",
    ".authinfo",
    ".authinfo.gpg",
    ".mbsyncrc",
    ".offlineimaprc",
    ".fetchmailrc",
    ".config/pypoetry/auth.toml",
    ".sentryclirc",
    ".circleci/cli.yml",
    ".config/io.datasette.llm/keys.json",
    ".config/cursor/auth.json",
    ".near-credentials/**",
    ".foundry/keystores/**",
    ".lnd/data/chain/*/*/*.macaroon",
    ".talos/config",
    ".config/scw/config.yaml",
    ".aliyun/config.json",
    ".config/openstack/clouds.yaml",
    ".config/openstack/secure.yaml",
    ".cf/config.json",
    ".snowflake/connections.toml",
    ".snowflake/config.toml",
    ".dbt/profiles.yml",
    ".modal.toml",
    ".mc/config.json",
    ".tsh/keys/**",
    ".smbcredentials",
    ".passwd-s3fs",
    ".vnc/passwd",
    ".doppler/.doppler.yaml",
    ".clasprc.json",
    ".gitcookies",
    ".arcrc",
    ".local/share/DBeaverData/*/*/.dbeaver/credentials-config.json",
    ".config/*/User/globalStorage/state.vscdb",
    ".config/*/Cookies",
    ".android/adbkey",
    ".aws/login/**",
    ".local/share/atuin/*.db",
    ".local/share/atuin/key",
    ".config/Signal/config.json",
    ".config/Signal/sql/**",
    ".pki/nssdb/key4.db",
]);

/// What lies in those places and is no secret.
pub(super) const HOME_PUBLIC: Entries = Entries::new(&[
    ".ssh/*.pub",
    ".ssh/known_hosts",
    ".ssh/known_hosts.old",
    ".ssh/config",
    ".ssh/authorized_keys",
]);

/// Credentials by name, wherever they lie.
const NAMED_SECRETS: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".envrc.local",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    ".vault_pass",
    ".vault-password",
    "service-account*.json",
    "service_account*.json",
    "application_default_credentials.json",
    "client_secret*.json",
    "credentials.json",
    "*-credentials.json",
    "*_credentials.json",
    "*.secret.*",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "*.agekey",
    "*.tfstate",
    "*.tfstate.backup",
    "wallet.dat",
    "*.ovpn",
    "*.jwk",
    "kubeconfig",
    "*.kubeconfig",
    "firebase-adminsdk*.json",
    "*-firebase-adminsdk-*.json",
    "gcp-key*.json",
    "wp-config.php",
    ".dev.vars",
    ".dev.vars.*",
    "AuthKey_*.p8",
    "id_rsa.*",
    "id_dsa.*",
    "id_ecdsa.*",
    "id_ecdsa_sk.*",
    "id_ed25519.*",
    "id_ed25519_sk.*",
    "serviceAccountKey*.json",
    "secring.gpg",
    "rootkey.csv",
];

/// Credentials whose names say something only where they lie: the settings of a Drupal site, a folder of the home that
/// was copied into a project.
const PLACED_SECRETS: Entries = Entries::new(&[
    "sites/*/settings.php",
    "sites/*/settings.local.php",
    ".aws/credentials",
    ".snowflake/connections.toml",
    ".docker/config.json",
    ".kube/config",
]);

/// How many files of a folder are looked at.
const LISTED: usize = 1000;

/// Names that only look like those: examples, public halves, certificates.
const NAMED_PUBLIC: &[&str] = &[
    "*.example",
    "*.sample",
    "*.template",
    "*.tmpl",
    "*.dist",
    "*.defaults",
    "*.schema",
    ".env.test",
    ".env.testing",
    "*.pub",
    "id_*.md",
    "id_*.rst",
    "id_*.html",
    ".env.example.*",
    ".env.sample.*",
    "example.env",
    "sample.env",
    "template.env",
    "*.example.env",
    "*cert*.pem",
    "*chain*.pem",
    "*bundle*.pem",
    "*public*.pem",
    "*pub*.pem",
    "ca.pem",
    "*-ca.pem",
    "roots.pem",
    "cacert*",
    "*.pub.key",
    "*public*.key",
    "*.test.key",
    "locale*.key",
];

/// Secrets of the machine.
pub(super) const SYSTEM_SECRETS: Entries = Entries::new(&[
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    "etc/gshadow-",
    "etc/master.passwd",
    "etc/ssl/private/**",
    "etc/ssh/ssh_host_*_key",
    "etc/krb5.keytab",
    "etc/ppp/chap-secrets",
    "etc/kubernetes/admin.conf",
    "etc/kubernetes/pki/**",
    "run/secrets/**",
    "var/run/secrets/**",
    "proc/*/environ",
    "proc/*/mem",
    "proc/kcore",
    "dev/mem",
    "dev/kmem",
    "etc/rancher/k3s/k3s.yaml",
    "etc/rancher/rke2/rke2.yaml",
    "etc/wireguard/*.conf",
    "etc/NetworkManager/system-connections/**",
    "etc/mysql/debian.cnf",
    "etc/ipsec.secrets",
    "etc/swanctl/swanctl.conf",
    "var/lib/samba/private/**",
    "proc/*/task/*/environ",
    "proc/*/task/*/mem",
]);

/// Settings, hooks and server lists of coding agents, in a home or in a project.
pub(super) const AGENT_SETTINGS: Entries = Entries::new(&[
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/hooks/**",
    ".claude/plugins/**",
    ".claude.json",
    ".mcp.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".codex/rules/**",
    ".gemini/settings.json",
    ".gemini/trustedFolders.json",
    ".gemini/trusted_hooks.json",
    ".gemini/policies/**",
    ".gemini/extensions/**",
    ".cursor/hooks.json",
    ".cursor/mcp.json",
    ".cursor/cli-config.json",
    ".cursor/cli.json",
    ".cursor/permissions.json",
    ".cursor/sandbox.json",
    ".qwen/settings.json",
    ".qwen/extensions/**",
    ".qwen/trustedFolders.json",
    ".copilot/hooks/**",
    ".copilot/config.json",
    ".copilot/settings.json",
    ".copilot/permissions-config.json",
    ".copilot/mcp-config.json",
    ".github/hooks/**",
    ".config/opencode/**",
    ".opencode/plugin/**",
    ".opencode/plugins/**",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    ".config/kilo/**",
    ".kilo/plugin/**",
    ".kilo/plugins/**",
    ".kilo/kilo.json",
    ".kilo/kilo.jsonc",
    "kilo.json",
    "kilo.jsonc",
    ".kilocode/mcp.json",
    ".roo/mcp.json",
    ".config/goose/config.yaml",
    ".config/crush/crush.json",
    ".crush.json",
    "crush.json",
    ".continue/config.json",
    ".continue/config.yaml",
    ".kimi-code/config.toml",
    ".aider.conf.yml",
    ".config/zed/settings.json",
    ".config/Claude/claude_desktop_config.json",
    "Library/Application Support/Claude/claude_desktop_config.json",
    ".factory/settings.json",
    ".factory/settings.local.json",
    ".factory/hooks.json",
    ".factory/config.json",
    ".factory/hooks/**",
    ".factory/mcp.json",
    ".augment/settings.json",
    ".augment/settings.local.json",
    ".windsurf/hooks.json",
    ".windsurf/mcp_config.json",
    ".devin/hooks.json",
    ".config/devin/hooks.json",
    ".codeium/windsurf/hooks.json",
    ".codeium/windsurf/mcp_config.json",
    ".kiro/hooks/**",
    ".kiro/settings/**",
    ".kiro/agents/*.json",
    ".aws/amazonq/cli-agents/*.json",
    ".aws/amazonq/mcp.json",
    ".amazonq/cli-agents/*.json",
    ".amazonq/mcp.json",
    ".amp/settings.json",
    ".amp/plugins/**",
    ".config/amp/settings.json",
    ".config/amp/plugins/**",
    ".clinerules/hooks/**",
    ".cline/hooks/**",
    ".cline/mcp.json",
    ".cline/data/settings/**",
    "Documents/Cline/Hooks/**",
    ".*/mcp.json",
    ".*/*/mcp.json",
    ".*/mcp_config.json",
    ".*/*/mcp_config.json",
    ".config/*/User/mcp.json",
    ".config/*/User/profiles/*/mcp.json",
    "Library/Application Support/*/User/mcp.json",
    ".config/*/User/globalStorage/*/settings/*mcp_settings.json",
    "Library/Application Support/*/User/globalStorage/*/settings/*mcp_settings.json",
    ".config/github-copilot/*/mcp.json",
    ".continue/mcpServers/**",
    ".iflow/settings.json",
    ".local/share/crush/crush.json",
    ".docker/mcp/**",
]);

/// Those that lie at one place only, below a home or a project.
pub(crate) fn agent_settings() -> impl Iterator<Item = &'static str> {
    AGENT_SETTINGS.all.iter().copied().filter(|path| !path.contains('*'))
}

/// Settings of coding agents for the whole machine.
pub(super) const SYSTEM_AGENT_SETTINGS: Entries = Entries::new(&[
    "etc/claude-code/**",
    "etc/codex/**",
    "etc/gemini-cli/**",
    "etc/cursor/**",
    "etc/windsurf/**",
    "etc/augment/**",
    "etc/github-copilot/**",
    "etc/opencode/**",
    "etc/qwen-code/**",
    "Library/Application Support/Windsurf/hooks.json",
    "Library/Application Support/Cursor/hooks.json",
    "Library/Application Support/GeminiCli/**",
    "etc/tollgate/**",
    "Library/Application Support/ClaudeCode/**",
]);

/// Caches below a home directory: whatever made them makes them again.
pub(super) const HOME_CACHES: Entries = Entries::new(&[
    ".cache/**",
    "Library/Caches/**",
    ".npm/_cacache/**",
    ".npm/_logs/**",
    ".npm/_npx/**",
    ".cargo/registry/**",
    ".cargo/git/**",
    ".gradle/caches/**",
    ".m2/repository/**",
    ".pnpm-store/**",
    ".local/share/pnpm/store/**",
    ".bundle/cache/**",
    ".ccache/**",
    ".nuget/packages/**",
    "go/pkg/mod/**",
    "Library/Developer/Xcode/DerivedData/**",
    "Library/Developer/CoreSimulator/Caches/**",
    ".bun/install/cache/**",
    ".yarn/berry/cache/**",
    ".pub-cache/**",
    ".ivy2/cache/**",
    ".conda/pkgs/**",
    ".minikube/cache/**",
    ".cocoapods/repos/**",
    ".terraform.d/plugin-cache/**",
]);

/// Caches and temporary files of the machine.
const SYSTEM_CACHES: Entries = Entries::new(&[
    "var/cache/**",
    "var/lib/apt/lists/**",
    "var/tmp/**",
    "usr/share/doc/**",
    "usr/share/man/**",
    "usr/share/locale/**",
    "usr/src/**",
    "var/log/**",
    "root/.cache/**",
    "root/.npm/**",
]);

/// Directories of the root that hold a system together.
pub(super) const TOP: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
];

/// The zone of a path.
pub(super) fn of(parts: &[Component], world: &dyn World) -> Zone {
    let home = below_home(parts, world);
    if is_secret(parts, home, world) && !is_fixture(parts, world) {
        return Zone::Secret;
    }
    if is_agent_config(parts, home, world) {
        return Zone::AgentConfig;
    }
    if surely_below(parts, world.workspace()).is_some_and(|rest| !rest.is_empty()) {
        return Zone::Workspace;
    }
    if is_temp(parts, home, world) {
        return Zone::Temp;
    }
    match home {
        Some(_) if is_own_home(parts, world) => Zone::Home,
        _ if below(parts, world.workspace()).is_some() => Zone::Home,
        None if !is_system(parts) => Zone::OtherProject,
        _ => Zone::System,
    }
}

/// Is a pattern meant for a secret, whatever lies there?
pub(super) fn means_secret(parts: &[Component], world: &dyn World) -> bool {
    let folder = parts.split_last().map(|(_, folder)| folder).unwrap_or_default();
    let kept: Vec<Component> = folder.iter().cloned().chain([Component::literal("x")]).collect();
    is_meant(parts, below_home(parts, world)) && !is_fixture(parts, world) && !is_fixture(&kept, world)
}

/// The documented places of secrets in the home directory.
pub(super) fn home_secrets(world: &dyn World) -> impl Iterator<Item = String> {
    let home = world.home().to_owned();
    HOME_SECRETS.all.iter().map(move |entry| format!("{home}/{entry}"))
}

/// The protected file that a path is another name of (a hard link), and its zone.
pub(super) fn twin(path: &str, world: &dyn World) -> Option<(String, Zone)> {
    let identity = world.identity(path)?;
    let home = world.home();
    let plain = |entry: &&&str| !entry.contains('*');
    let below = |folder: &str, entries: &[&str]| -> Vec<String> {
        entries.iter().filter(plain).map(|entry| format!("{folder}/{entry}")).collect()
    };
    let keys = world.list(&format!("{home}/.ssh"), 64);
    let mut known: Vec<(String, Zone)> = Vec::new();
    let mut add = |paths: Vec<String>, zone| known.extend(paths.into_iter().map(|path| (path, zone)));
    add(below(home, HOME_SECRETS.all), Zone::Secret);
    add(keys.into_iter().map(|name| format!("{home}/.ssh/{name}")).collect(), Zone::Secret);
    add(below("", SYSTEM_SECRETS.all), Zone::Secret);
    add(vec![format!("{}/.env", world.workspace())], Zone::Secret);
    add(below(home, AGENT_SETTINGS.all), Zone::AgentConfig);
    add(below(world.workspace(), AGENT_SETTINGS.all), Zone::AgentConfig);
    add(world.own_places().to_vec(), Zone::AgentConfig);
    known.into_iter().find(|(known, _)| known != path && world.identity(known) == Some(identity))
}

/// The root, and what lies in the directories that hold a system together. A folder like `/app` is somebody's,
/// and not the system's.
fn is_system(parts: &[Component]) -> bool {
    parts.first().is_none_or(|top| top.could_be_anything() || TOP.iter().any(|name| top.could_be(name)))
}

/// Is it, or does it hold, something that nothing brings back?
pub(super) fn is_root(parts: &[Component], world: &dyn World) -> bool {
    let holds = |path: &str| could_hold(parts, path);
    if parts.is_empty() || holds(world.workspace()) || world.homes().iter().any(|home| holds(home)) {
        return true;
    }
    if parts.len() == 1 && TOP.iter().any(|name| parts.first().is_some_and(|part| part.could_be(name))) {
        return true;
    }
    let temporary = world.temp_dirs().iter().any(|folder| below(parts, folder).is_some())
        && below(parts, world.workspace()).is_none();
    let git = parts.iter().position(|part| part.likely(".git")).filter(|_| !temporary);
    git.is_some_and(|at| is_history(parts.get(at + 1..).unwrap_or_default()))
        || below(parts, "/home").is_some_and(|rest| rest.len() <= 1)
        || below(parts, "/Users").is_some_and(|rest| rest.len() <= 1)
        || below(parts, "/usr").is_some_and(|rest| rest.len() <= 1)
        || below(parts, "/var").is_some_and(|rest| rest.len() <= 1)
        || all_of_a_root(parts, world)
}

/// A whole `.git`, everything in it, or the part of it that holds the commits.
fn is_history(below: &[Component]) -> bool {
    match below {
        [] => true,
        [only] => only.could_be_anything() || matches!(only.as_literal(), Some("objects" | "refs")),
        [folder, all] => matches!(folder.as_literal(), Some("objects" | "refs")) && all.could_be_anything(),
        _ => false,
    }
}

/// `/*`, `~/*`, `~/.*`, `./*` in the workspace: everything directly in a root.
fn all_of_a_root(parts: &[Component], world: &dyn World) -> bool {
    let Some((name, folder)) = parts.split_last() else { return true };
    let everything = name.as_literal().is_none() && (name.could_be_anything() || name.starts_with_dot_glob());
    everything
        && (folder.is_empty()
            || same(folder, world.workspace()) && name.could_be_anything()
            || world.homes().iter().any(|home| same(folder, home))
            || same(folder, "/home")
            || same(folder, "/Users"))
}

fn is_secret(parts: &[Component], home: Option<&[Component]>, world: &dyn World) -> bool {
    let Some(name) = parts.last() else { return false };
    is_meant(parts, home) || !name.is_literal() && meets_secret(name, parts, world) && !is_shared(parts)
}

/// Does its name or its place say that it is a secret?
fn is_meant(parts: &[Component], home: Option<&[Component]>) -> bool {
    let Some(name) = parts.last() else { return false };
    if any(SYSTEM_SECRETS, parts) {
        return true;
    }
    if let Some(rest) = home.filter(|rest| any(HOME_SECRETS, rest)) {
        let literal = rest.iter().all(Component::is_literal);
        let keys = name.ends_with(".pub") && rest.iter().rev().skip(1).all(Component::is_literal);
        return !(keys || literal && any(HOME_PUBLIC, rest));
    }
    let named = NAMED_SECRETS.iter().any(|pattern| may_begin(pattern, name) && name.likely(pattern))
        && !name.as_literal().is_some_and(is_public);
    let placed = || {
        let names = ["settings", "credentials", "connections", "config"];
        names.iter().any(|entry| may_begin(entry, name)) && any_suffix(PLACED_SECRETS, parts)
    };
    (named || placed()) && !is_shared(parts)
}

/// Where a system keeps what everybody reads.
fn is_shared(parts: &[Component]) -> bool {
    ["/etc/ssl/certs", "/usr/share", "/usr/lib"].iter().any(|folder| below(parts, folder).is_some())
}

fn is_public(name: &str) -> bool {
    NAMED_PUBLIC.iter().any(|pattern| matches(pattern, name))
}

/// Does a pattern that means nothing in particular, as `*.json`, meet a secret in its folder?
fn meets_secret(name: &Component, parts: &[Component], world: &dyn World) -> bool {
    let weak = NAMED_SECRETS.iter().any(|pattern| name.could_be(&pattern.replace('*', "x")));
    let Some(folder) = parts.split_last().map(|(_, folder)| folder).filter(|_| weak) else { return false };
    let Some(folder) = folder.iter().map(Component::as_literal).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let is_secret =
        |entry: &String| NAMED_SECRETS.iter().any(|pattern| matches(pattern, entry)) && !is_public(entry);
    let entries = world.list(&format!("/{}", folder.join("/")), LISTED);
    entries.iter().any(|entry| is_secret(entry) && name.could_be(entry))
}

/// Keys and certificates that a project keeps for its tests protect nothing. Environment files are not among
/// them: people do fill those in.
fn is_fixture(parts: &[Component], world: &dyn World) -> bool {
    const HOLD: &[&str] =
        &["fixtures", "__fixtures__", "fixture", "testdata", "test-data", "test_data", "mocks", "__mocks__"];
    let Some(rest) = surely_below(parts, world.workspace()) else { return false };
    let Some((name, folders)) = rest.split_last() else { return false };
    let named = |list: &[&str]| {
        folders.iter().any(|folder| folder.as_literal().is_some_and(|name| list.contains(&name)))
    };
    let test = named(&["test", "tests", "spec"])
        && named(&["resources", "certs", "keys", "ssl", "tls", "data", "pki"]);
    let filled_in = match name.as_literal() {
        Some(name) => name.contains(".env"),
        // A pattern stands for what lies there, and a link among it may lead anywhere.
        None => {
            [".env", "x.env", ".env.x"].iter().any(|other| name.could_be(other)) || has_links(folders, world)
        }
    };
    (named(HOLD) || test) && !filled_in && folders.iter().all(Component::is_literal)
}

fn has_links(folders: &[Component], world: &dyn World) -> bool {
    let names: Option<Vec<&str>> = folders.iter().map(Component::as_literal).collect();
    names.is_none_or(|names| {
        !world.links(&format!("{}/{}", world.workspace(), names.join("/")), LISTED).is_empty()
    })
}

/// Does a pattern below the home fit settings that are there? `~/.cl*/sett*.json`.
fn meets_settings(rest: &[Component], world: &dyn World) -> bool {
    if rest.iter().all(Component::is_literal) {
        return false;
    }
    let fits = |entry: &str| {
        let names: Vec<&str> = entry.split('/').collect();
        names.len() == rest.len() && names.iter().zip(rest).all(|(name, part)| part.could_be(name))
    };
    let is_there = |entry: &str| world.kind(&format!("{}/{entry}", world.home())) != FileKind::Missing;
    AGENT_SETTINGS.all.iter().any(|entry| !entry.contains('*') && fits(entry) && is_there(entry))
}

fn is_agent_config(parts: &[Component], home: Option<&[Component]>, world: &dyn World) -> bool {
    let project = below(parts, world.workspace());
    any(SYSTEM_AGENT_SETTINGS, parts)
        || home.is_some_and(|rest| any(AGENT_SETTINGS, rest) || meets_settings(rest, world))
        || project.is_some_and(|rest| any_suffix(AGENT_SETTINGS, rest))
        || world.own_places().iter().any(|own| below(parts, own).is_some())
}

fn is_temp(parts: &[Component], home: Option<&[Component]>, world: &dyn World) -> bool {
    let inside = |folder: &str| surely_below(parts, folder).is_some_and(|rest| !rest.is_empty());
    let in_temp = world.temp_dirs().iter().any(|folder| inside(folder));
    (in_temp && !could_hold(parts, world.workspace()) && !is_own_home(parts, world))
        || any_below(SYSTEM_CACHES, parts)
        || home.is_some_and(|rest| any_below(HOME_CACHES, rest) || is_whole_cache(rest))
        || is_harmless_device(parts)
}

/// A cache as a whole may go, unless it is the folder that all caches share.
fn is_whole_cache(rest: &[Component]) -> bool {
    let shared = [".cache/**", "Library/Caches/**"];
    let literal = rest.iter().all(Component::is_literal);
    literal
        && HOME_CACHES
            .like(rest)
            .filter(|entry| !shared.contains(entry))
            .any(|entry| fits(entry, rest).is_some_and(<[Component]>::is_empty))
}

/// Devices that swallow or make up data, whoever uses them.
pub(super) const SHARED_DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// Devices that swallow or make up data.
fn is_harmless_device(parts: &[Component]) -> bool {
    let names: Vec<Option<&str>> = parts.iter().map(Component::as_literal).collect();
    matches!(
        names.as_slice(),
        [Some("dev"), Some("stdin" | "stdout" | "stderr" | "ptmx")]
            | [Some("dev"), Some("fd" | "pts" | "shm"), ..]
    ) || matches!(names.as_slice(), [Some("dev"), Some(name)] if SHARED_DEVICES.contains(name))
}

fn is_own_home(parts: &[Component], world: &dyn World) -> bool {
    world.homes().iter().any(|home| below(parts, home).is_some())
}

/// What follows the home directory, this user's or another's.
fn below_home<'a>(parts: &'a [Component], world: &dyn World) -> Option<&'a [Component]> {
    if let Some(rest) = world.homes().iter().find_map(|home| below(parts, home)) {
        return Some(rest);
    }
    let names: Vec<Option<&str>> = parts.iter().take(1).map(Component::as_literal).collect();
    match names.as_slice() {
        [Some("root")] => parts.get(1..),
        [Some("home" | "Users")] if parts.len() >= 2 => parts.get(2..),
        _ => None,
    }
}

/// What follows `folder`, if the path lies at or below it. A pattern counts where it could be that folder.
fn below<'a>(parts: &'a [Component], folder: &str) -> Option<&'a [Component]> {
    let mut rest = parts;
    for name in folder.split('/').filter(|name| !name.is_empty()) {
        let (first, others) = rest.split_first()?;
        if !first.could_be(name) {
            return None;
        }
        rest = others;
    }
    Some(rest)
}

/// What follows `folder`, if the path certainly lies at or below it.
fn surely_below<'a>(parts: &'a [Component], folder: &str) -> Option<&'a [Component]> {
    let literal =
        |rest: &&[Component]| parts.iter().take(parts.len() - rest.len()).all(Component::is_literal);
    below(parts, folder).filter(literal)
}

fn same(parts: &[Component], path: &str) -> bool {
    below(parts, path).is_some_and(<[Component]>::is_empty)
}

/// Is `path` at or below the path that `parts` may be?
fn could_hold(parts: &[Component], path: &str) -> bool {
    let mut names = path.split('/').filter(|name| !name.is_empty());
    parts.iter().all(|part| names.next().is_some_and(|name| part.could_be(name) || part.could_be_anything()))
        && !parts.iter().any(Component::could_be_anything)
}

fn any(entries: Entries, parts: &[Component]) -> bool {
    entries.like(parts).any(|entry| fits(entry, parts).is_some())
}

/// Certainly below the folder of one of these entries.
fn any_below(entries: Entries, parts: &[Component]) -> bool {
    let literal = |rest: &[Component]| parts.iter().take(parts.len() - rest.len()).all(Component::is_literal);
    entries.like(parts).any(|entry| fits(entry, parts).is_some_and(|rest| !rest.is_empty() && literal(rest)))
}

/// Any entry at any depth of a project.
fn any_suffix(entries: Entries, parts: &[Component]) -> bool {
    (0..parts.len()).any(|start| parts.get(start..).is_some_and(|rest| any(entries, rest)))
}

/// Could this component begin like an entry? A look at two bytes, for the catalogue is long and most paths fit none
/// of it.
fn may_begin(entry: &str, first: &Component) -> bool {
    let Some(name) = first.as_literal() else { return true };
    let mut name = name.bytes();
    for wanted in entry.bytes().take(2) {
        match wanted {
            b'*' | b'/' => return true,
            _ if name.next() != Some(wanted) => return false,
            _ => {}
        }
    }
    true
}

/// What follows an entry's folder, if the path fits the entry. An entry without `/**` must fit whole.
fn fits<'a>(entry: &str, parts: &'a [Component]) -> Option<&'a [Component]> {
    if !parts.first().is_some_and(|first| may_begin(entry, first)) {
        return None;
    }
    let (folder, deep) = match entry.strip_suffix("/**") {
        Some(folder) => (folder, true),
        None => (entry, false),
    };
    let mut rest = parts;
    for name in folder.split('/') {
        let (first, others) = rest.split_first()?;
        if name != "*" && !first.likely(name) {
            return None;
        }
        rest = others;
    }
    (deep || rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use tollgate_model::StillWorld;
    use tollgate_shell::value::{Piece, Text};

    use super::*;

    fn zone(path: &str) -> (Zone, bool) {
        let world = StillWorld {
            home: "/home/user".into(),
            workspace: "/home/user/project".into(),
            temp: vec!["/tmp".into()],
            own: vec!["/home/user/.config/tollgate".into()],
            ..StillWorld::default()
        };
        let mut text = Text::default();
        for part in path.split_inclusive(['/']) {
            let (name, slash) = part.strip_suffix('/').map_or((part, ""), |name| (name, "/"));
            if name.contains(['*', '?', '[']) {
                text.push(Piece::Glob(name.into()))
            } else {
                text.push_str(name)
            }
            text.push_str(slash);
        }
        let place = super::super::place(&text, path, &world, &crate::links::Links::default());
        (place.zone, place.root)
    }

    #[test]
    fn zones_of_paths() {
        for (path, expected, root) in [
            ("/", Zone::System, true),
            ("/etc/passwd", Zone::System, false),
            ("/etc", Zone::System, true),
            ("/etc/shadow", Zone::Secret, false),
            ("/app/data", Zone::OtherProject, false),
            ("/home", Zone::System, true),
            ("/home/user", Zone::Home, true),
            ("/home/user/*", Zone::Home, true),
            ("/home/user/.*", Zone::Home, true),
            ("/home/other/x", Zone::System, false),
            ("/home/user/docs", Zone::Home, false),
            ("/home/user/project", Zone::Home, true),
            ("/home/user/project/*", Zone::Workspace, true),
            ("/home/user/project/src", Zone::Workspace, false),
            ("/home/user/project/.git", Zone::Workspace, true),
            ("/home/user/project/../docs", Zone::Home, false),
            ("/proc/self/root/home/user", Zone::Home, true),
            ("/proc/self/cwd/../.netrc", Zone::Secret, false),
            ("/tmp/x", Zone::Temp, false),
            ("/tmp", Zone::OtherProject, false),
            ("/var/lib/apt/lists/*", Zone::Temp, false),
            ("/home/user/.cache/pip", Zone::Temp, false),
            ("/home/user/.ssh/id_rsa", Zone::Secret, false),
            ("/home/user/.ssh/id_rsa.pub", Zone::Home, false),
            ("/home/user/.ss?/id_*", Zone::Secret, false),
            ("/home/guest/.aws/credentials", Zone::Secret, false),
            ("/home/user/project/.env", Zone::Secret, false),
            ("/home/user/project/.env.example", Zone::Workspace, false),
            ("/home/user/project/tests/fixtures/server.key", Zone::Workspace, false),
            ("/home/user/project/pkg/testdata/id_rsa", Zone::Workspace, false),
            ("/home/user/project/src/test/resources/keystore.jks", Zone::Workspace, false),
            ("/home/user/project/tests/fixtures/.env", Zone::Secret, false),
            ("/home/user/project/tests/server.key", Zone::Secret, false),
            ("/home/user/fixtures/server.key", Zone::Secret, false),
            ("/home/user/.ssh/*.pub", Zone::Home, false),
            ("/home/user/.ssh/*", Zone::Secret, false),
            ("/home/user/project/server-cert.pem", Zone::Workspace, false),
            ("/home/user/.claude/settings.json", Zone::AgentConfig, false),
            ("/home/user/project/sub/.claude/settings.local.json", Zone::AgentConfig, false),
            ("/home/user/.config/tollgate/tollgate.yaml", Zone::AgentConfig, false),
            ("/v*/c*/x", Zone::System, false),
            ("/h*/u*/p*/x", Zone::Home, false),
            ("/ho?e/user", Zone::Home, true),
            ("/dev/null", Zone::Temp, false),
            ("/dev/sda", Zone::System, false),
        ] {
            assert_eq!(zone(path), (expected, root), "{path}");
        }
    }
}
