//! The clients, pinned, and where they are installed.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// One client as npm has it.
#[derive(Debug, PartialEq, Eq)]
pub struct Client {
    /// Tollgate's name for the agent.
    pub agent: &'static str,
    /// The npm package.
    pub package: &'static str,
    /// The version our recorded payloads and tests are about.
    pub version: &'static str,
    /// The program, under `node_modules`. npm does not run install scripts, so where a package brings
    /// its program as an optional package of its own, this is that one and not the stub.
    program: &'static str,
}

/// Every client that the scripted model can drive. Raising a version is one edit here, then `record`.
pub static CLIENTS: [Client; 7] = [
    Client {
        agent: "claude-code",
        package: "@anthropic-ai/claude-code",
        version: "2.1.325",
        program: "@anthropic-ai/claude-code-linux-x64/claude",
    },
    Client { agent: "codex", package: "@openai/codex", version: "0.166.0", program: ".bin/codex" },
    Client { agent: "gemini-cli", package: "@google/gemini-cli", version: "0.61.0", program: ".bin/gemini" },
    Client { agent: "qwen-code", package: "@qwen-code/qwen-code", version: "0.24.4", program: ".bin/qwen" },
    Client {
        agent: "copilot-cli",
        package: "@github/copilot",
        version: "1.0.102",
        program: "@github/copilot-linux-x64/copilot",
    },
    Client {
        agent: "opencode",
        package: "opencode-ai",
        version: "1.18.33",
        program: "opencode-linux-x64/bin/opencode",
    },
    // The newest whose program is on npm too.
    Client {
        agent: "kilo",
        package: "@kilocode/cli-linux-x64",
        version: "7.7.7",
        program: "@kilocode/cli-linux-x64/bin/kilo",
    },
];

/// Names another version of a client to drive, as `codex=0.165.0`.
pub const VERSION: &str = "TOLLGATE_E2E_VERSION";

/// The client of an agent, in the version that is asked for.
pub fn client(agent: &str) -> Result<&'static Client> {
    let pinned = CLIENTS.iter().find(|client| client.agent == agent);
    let pinned = pinned.with_context(|| format!("no client named `{agent}`"))?;
    let asked = env::var(VERSION).unwrap_or_default();
    match asked.split_once('=') {
        Some((name, version)) if name == agent && version != pinned.version => {
            let version = Box::leak(version.to_owned().into_boxed_str());
            Ok(Box::leak(Box::new(Client { version, ..*pinned })))
        }
        _ => Ok(pinned),
    }
}

impl Client {
    /// The row of what was seen of it: its agent's, or its own when it is not the version that is pinned.
    pub fn row(&self) -> String {
        let pinned = CLIENTS.iter().any(|client| client == self);
        if pinned { self.agent.to_owned() } else { format!("{}@{}", self.agent, self.version) }
    }

    /// The program, installed from npm if it is not there yet.
    pub fn install(&self) -> Result<PathBuf> {
        let folder = cache().join(format!("{}-{}", self.agent, self.version));
        fs::create_dir_all(&folder)?;
        let program = folder.join("node_modules").join(self.program);
        // Tests run side by side, each in its own process; the first one installs, the others wait for it.
        let lock = File::create(folder.join(".lock"))?;
        lock.lock()?;
        let done = folder.join(".installed");
        if !done.exists() {
            self.npm_install(&folder)?;
            ensure!(program.exists(), "`{}` brought no `{}`", self.package, program.display());
            fs::write(&done, "")?;
        }
        Ok(program)
    }

    fn npm_install(&self, folder: &Path) -> Result<()> {
        let package = format!("{}@{}", self.package, self.version);
        let home = tempfile::tempdir()?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(folder).arg(&package);
        // npm's own folders would otherwise be those of the person who runs the tests.
        npm.env("HOME", home.path()).env("npm_config_cache", cache().join("npm"));
        // Node.js ignores the machine's own certificate authorities, which a proxy may need.
        let bundle = Path::new("/etc/ssl/certs/ca-certificates.crt");
        if env::var_os("NODE_EXTRA_CA_CERTS").is_none() && bundle.exists() {
            npm.env("NODE_EXTRA_CA_CERTS", bundle);
        }
        let output = npm.output().context("npm does not start")?;
        if !output.status.success() {
            bail!(
                "cannot install `{package}`, which this test drives: is npm's registry reachable? Once installed, a \
                 client is kept in `{}` (or where TOLLGATE_E2E_CLIENTS says). npm says: {}",
                cache().display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(())
    }
}

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_owned()
}

/// Outside git, and kept from run to run: the clients weigh hundreds of megabytes.
fn cache() -> PathBuf {
    match env::var_os("TOLLGATE_E2E_CLIENTS") {
        Some(folder) => folder.into(),
        None => workspace().join("target/e2e-clients"),
    }
}
