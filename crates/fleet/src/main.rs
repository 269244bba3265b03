//! The command line of `tollgate-server`.

use std::io::{IsTerminal, Read, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tollgate_fleet::account::Role;
use tollgate_fleet::config::{Args, Config};
use tollgate_fleet::{admin, db, demo, load, server};

/// Collect logs, distribute policies and approve calls for many machines
#[derive(Parser, Debug)]
#[command(name = "tollgate-server", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve machines, programs and browsers
    Serve(Args),
    /// Try it: a server, a throw-away PostgreSQL and three simulated machines
    Demo {
        /// Address to listen on
        #[arg(long, default_value = "127.0.0.1:8642")]
        listen: std::net::SocketAddr,
    },
    /// Measure a server on this machine
    #[command(hide = true)]
    Load(load::Load),
    /// Manage users, tokens and keys
    #[command(subcommand)]
    Admin(Admin),
}

#[derive(clap::Args, Debug)]
struct Database {
    /// PostgreSQL: `postgresql://user:password@host/database`
    #[arg(long, env = "TOLLGATE_SERVER_DATABASE", hide_env_values = true)]
    database: String,
}

#[derive(Subcommand, Debug)]
enum Admin {
    /// Print a token that lets one machine join
    CreateToken {
        #[command(flatten)]
        database: Database,
        /// Group of the machine
        #[arg(long, default_value = "all")]
        group: String,
        /// Hours until the token expires
        #[arg(long, default_value_t = 24)]
        hours: u32,
    },
    /// Create a user or replace password and role; reads the password from stdin
    CreateUser {
        #[command(flatten)]
        database: Database,
        /// Name
        name: String,
        /// What the user may do
        #[arg(long)]
        role: Role,
    },
    /// Remove a user
    RemoveUser {
        #[command(flatten)]
        database: Database,
        /// Name
        name: String,
    },
    /// Print a token for a program that uses the API
    CreateApiToken {
        #[command(flatten)]
        database: Database,
        /// Name
        name: String,
        /// What the program may do
        #[arg(long)]
        role: Role,
        /// Days until the token expires
        #[arg(long, default_value_t = 90)]
        days: u32,
    },
    /// Revoke the token of a program
    RevokeApiToken {
        #[command(flatten)]
        database: Database,
        /// Name
        name: String,
    },
    /// Trust a minisign public key for policy bundles
    AddPolicyKey {
        #[command(flatten)]
        database: Database,
        /// The key, or the text of its `.pub` file
        key: String,
    },
    /// Trust a minisign public key no longer
    RemovePolicyKey {
        #[command(flatten)]
        database: Database,
        /// The key in base64
        key: String,
    },
    /// Verify the chain of the audit trail
    VerifyAudit {
        #[command(flatten)]
        database: Database,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    log_to_stderr();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| {
        let done = runtime.block_on(run(cli.command));
        runtime.shutdown_timeout(std::time::Duration::from_secs(2));
        done
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "tollgate-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// One line of JSON per event: for journald and whatever collects it.
fn log_to_stderr() {
    let log = tracing_subscriber::fmt().json().flatten_event(true).with_writer(std::io::stderr);
    log.with_max_level(tracing::Level::INFO).init();
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => server::serve(Config::load(args)?, asked_to_end()).await,
        Command::Demo { listen } => demo::run(listen, asked_to_end(), say).await,
        Command::Load(load) => say(&load::run(&load).await?),
        Command::Admin(command) => administrate(command).await,
    }
}

/// Comes with SIGTERM or SIGINT.
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
        }
        _ => std::future::pending().await,
    }
}

async fn administrate(command: Admin) -> anyhow::Result<()> {
    const WHO: &str = "command line";
    let pool = |database: &Database| db::pool(&database.database, 2);
    match command {
        Admin::CreateToken { database, group, hours } => {
            say(&admin::create_token(&pool(&database)?, WHO, &group, hours).await?)
        }
        Admin::CreateUser { database, name, role } => {
            let password = read_password()?;
            admin::create_user(&pool(&database)?, WHO, &name, role, &password).await
        }
        Admin::RemoveUser { database, name } => admin::remove_user(&pool(&database)?, WHO, &name).await,
        Admin::CreateApiToken { database, name, role, days } => {
            say(&admin::create_api_token(&pool(&database)?, WHO, &name, role, days).await?)
        }
        Admin::RevokeApiToken { database, name } => {
            admin::revoke_api_token(&pool(&database)?, WHO, &name).await
        }
        Admin::AddPolicyKey { database, key } => admin::add_policy_key(&pool(&database)?, WHO, &key).await,
        Admin::RemovePolicyKey { database, key } => {
            admin::remove_policy_key(&pool(&database)?, WHO, &key).await
        }
        Admin::VerifyAudit { database } => {
            let count = admin::verify_audit(&pool(&database)?).await?;
            say(&format!("{count} entries, unbroken"))
        }
    }
}

fn say(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout(), "{text}")?)
}

/// From standard input, so that it stands in no list of processes. At a terminal it is visible while it is typed.
fn read_password() -> anyhow::Result<String> {
    let mut text = String::new();
    if std::io::stdin().is_terminal() {
        write!(std::io::stderr(), "Password: ")?;
        std::io::stdin().read_line(&mut text)?;
    } else {
        std::io::stdin().take(1024).read_to_string(&mut text)?;
    }
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
