//! The configuration of `serve`: command line and environment first, then the file.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;

/// Arguments of `serve`. What is not given comes from the file.
#[derive(clap::Args, Debug, Default)]
pub struct Args {
    /// PostgreSQL: `postgresql://user:password@host/database`
    #[arg(long, env = "TOLLGATE_SERVER_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// Address to listen on [default: 127.0.0.1:8642]
    #[arg(long, env = "TOLLGATE_SERVER_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// Folder for the key that signs approvals; shared by all servers of a fleet
    #[arg(long, env = "TOLLGATE_SERVER_DATA")]
    pub data: Option<PathBuf>,
    /// Configuration file
    #[arg(long, env = "TOLLGATE_SERVER_CONFIG")]
    pub config: Option<PathBuf>,
}

/// The configuration file. Each value may also be given in the environment or on the command line where `serve` has an
/// option for it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// PostgreSQL's URL.
    pub database: String,
    /// The address.
    pub listen: SocketAddr,
    /// The folder.
    pub data: PathBuf,
    /// The fleet's name; bundles are signed for it.
    pub fleet: String,
    /// The address that browsers use, when it is not `http://LISTEN`.
    pub public_url: Option<String>,
    /// Connections to PostgreSQL.
    pub connections: usize,
    /// Batches that are taken in at once; more are told to come again.
    pub batches: usize,
    /// Days that records are kept.
    pub keep_days: i32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            database: String::new(),
            listen: SocketAddr::from(([127, 0, 0, 1], 8642)),
            data: PathBuf::from("/var/lib/tollgate-server"),
            fleet: "fleet".to_owned(),
            public_url: None,
            connections: 24,
            batches: 16,
            keep_days: 90,
        }
    }
}

impl Config {
    /// Puts everything together.
    ///
    /// # Errors
    /// When the file cannot be read, or nothing names a database.
    pub fn load(args: Args) -> anyhow::Result<Self> {
        let mut config = args.config.as_deref().map_or_else(|| Ok(Self::default()), Self::read)?;
        config.database = args.database.unwrap_or(config.database);
        config.listen = args.listen.unwrap_or(config.listen);
        config.data = args.data.unwrap_or(config.data);
        anyhow::ensure!(!config.database.is_empty(), "no database; give --database postgresql://…");
        anyhow::ensure!(config.keep_days > 0, "`keep_days` must be at least 1");
        anyhow::ensure!((1..=1000).contains(&config.batches), "`batches` must be 1 to 1000");
        anyhow::ensure!(config.connections > 1, "`connections` must be at least 2");
        Ok(config)
    }

    fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = || format!("`{}`", path.display());
        let text = std::fs::read_to_string(path).with_context(shown)?;
        toml::from_str(&text).with_context(shown)
    }

    /// The origin that forms come from.
    #[must_use]
    pub fn origin(&self) -> String {
        let url = self.public_url.clone().unwrap_or_else(|| format!("http://{}", self.listen));
        url.trim_end_matches('/').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_comes_before_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.toml");
        std::fs::write(&path, "database = \"postgresql://a\"\nlisten = \"127.0.0.1:1\"\nkeep_days = 7\n")
            .unwrap();
        let args = Args {
            config: Some(path.clone()),
            listen: Some(SocketAddr::from(([127, 0, 0, 1], 2))),
            ..Args::default()
        };
        let config = Config::load(args).unwrap();
        assert_eq!(
            (config.database.as_str(), config.listen.port(), config.keep_days),
            ("postgresql://a", 2, 7)
        );
        std::fs::write(&path, "databse = \"x\"\n").unwrap();
        assert!(Config::load(Args { config: Some(path), ..Args::default() }).is_err());
        assert!(Config::load(Args::default()).is_err());
    }
}
