//! What a machine needs to join: from the command line, or from the file of whoever manages the machine.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tollgate_courier::Invitation;
use tollgate_policy::yaml::{self, Value};

/// The file of an administrator.
pub const SETTINGS: &str = "/etc/tollgate/fleet.yaml";
const MOST: usize = 64 << 10;

/// What was given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    pub server: String,
    pub token: String,
    pub ca: Option<PathBuf>,
    pub policy_keys: Vec<String>,
}

/// What is enough to join.
#[derive(Debug)]
pub struct Complete {
    pub invitation: Invitation,
    /// It comes from a file that only root can have written, so that nobody has to be asked.
    pub by_administrator: bool,
}

/// Does an administrator say that this machine belongs to a fleet?
pub fn is_managed() -> bool {
    Path::new(SETTINGS).exists()
}

impl Settings {
    /// Adds what the settings file says. That of an administrator counts before the command line.
    pub fn with_file(self, named: Option<&Path>) -> anyhow::Result<Complete> {
        let path = named.unwrap_or(Path::new(SETTINGS));
        if named.is_none() && !is_managed() {
            return self.complete(false);
        }
        let text = tollgate_policy::read_text(path, MOST)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let own = Self::parse(&text).with_context(|| format!("`{}`", path.display()))?;
        let by_root = is_roots(path)?;
        if named.is_none() && !by_root {
            bail!("`{}` must belong to root, and nobody else may write it", path.display());
        }
        if !self.server.is_empty() && !own.server.is_empty() && self.server != own.server {
            bail!("`{}` names another server: {}", path.display(), own.server);
        }
        let by_administrator =
            by_root && !own.server.is_empty() && self.policy_keys.is_empty() && self.ca.is_none();
        let merged = Self {
            server: if own.server.is_empty() { self.server } else { own.server },
            token: if self.token.is_empty() { own.token } else { self.token },
            ca: own.ca.or(self.ca),
            policy_keys: if own.policy_keys.is_empty() { self.policy_keys } else { own.policy_keys },
        };
        merged.complete(by_administrator)
    }

    fn complete(self, by_administrator: bool) -> anyhow::Result<Complete> {
        if self.server.is_empty() || self.token.is_empty() {
            bail!(
                "say which fleet: tollgate fleet join URL --token TOKEN (or `server` and `token` in {SETTINGS})"
            );
        }
        let server = tollgate_courier::check_server(&self.server).map_err(|why| anyhow::anyhow!("{why}"))?;
        let read =
            |path: &PathBuf| std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()));
        let ca = self.ca.as_ref().map(read).transpose()?;
        let invitation = Invitation { server, token: self.token, ca, policy_keys: self.policy_keys };
        Ok(Complete { invitation, by_administrator })
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let document = yaml::read(text);
        if let Some((at, problem)) = document.problems.first() {
            bail!("line {}: {problem}", at.line);
        }
        let Some(Value::Map(entries)) = document.root.as_ref().map(|root| &root.value) else {
            bail!("write `server:` and `token:`, a line each");
        };
        let mut settings = Self::default();
        for (key, value) in entries {
            let Value::Scalar { text: name, .. } = &key.value else {
                bail!("line {}: a key is a word", key.at.line)
            };
            let line = value.at.line;
            let word = || match &value.value {
                Value::Scalar { text, .. } => Ok(text.clone()),
                _ => Err(anyhow::anyhow!("line {line}: `{name}` is one value")),
            };
            match name.as_str() {
                "server" => settings.server = word()?,
                "token" => settings.token = word()?,
                "ca" => settings.ca = Some(PathBuf::from(word()?)),
                "policy_keys" => {
                    let Value::List(keys) = &value.value else {
                        bail!("line {line}: `policy_keys` is a list")
                    };
                    settings.policy_keys = keys
                        .iter()
                        .map(|key| match &key.value {
                            Value::Scalar { text, .. } => Ok(text.clone()),
                            _ => bail!("line {}: a key is one value", key.at.line),
                        })
                        .collect::<anyhow::Result<_>>()?;
                }
                other => {
                    bail!("line {line}: unknown key `{other}`; known are server, token, ca and policy_keys")
                }
            }
        }
        Ok(settings)
    }
}

/// Can only root have written this file?
fn is_roots(path: &Path) -> anyhow::Result<bool> {
    let found = path.metadata().with_context(|| format!("cannot look at `{}`", path.display()))?;
    Ok(found.uid() == 0 && found.mode() & 0o022 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_an_administrator_is_read_and_its_mistakes_are_told() {
        let text = "server: https://fleet.example\ntoken: \"abc\"\nca: /etc/ssl/own.pem\npolicy_keys:\n  - RWQ1\n  - RWQ2\n";
        let settings = Settings::parse(text).unwrap();
        assert_eq!((settings.server.as_str(), settings.token.as_str()), ("https://fleet.example", "abc"));
        assert_eq!(settings.ca.as_deref(), Some(Path::new("/etc/ssl/own.pem")));
        assert_eq!(settings.policy_keys, ["RWQ1", "RWQ2"]);
        for (text, says) in [
            ("server: [a]\n", "line 1: `server` is one value"),
            ("sever: a\n", "unknown key `sever`"),
            ("policy_keys: a\n", "is a list"),
            ("", "write `server:`"),
        ] {
            let error = Settings::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn nothing_is_joined_without_a_server_and_a_token() {
        let given = Settings { server: "https://fleet.example".into(), ..Settings::default() };
        assert!(given.complete(false).unwrap_err().to_string().contains("--token"));
        let given =
            Settings { server: "http://fleet.example".into(), token: "x".into(), ..Settings::default() };
        assert!(given.complete(false).unwrap_err().to_string().contains("not encrypted"));
    }
}
