//! `tollgate ui`: serves the dashboard on this machine until it is ended.
//!
//! Reading the log is open to agents (`tollgate log`), so that the token alone only reads. An agent gets none from here all
//! the same: the command refuses to run where one is behind it. What changes something asks for the owner's PIN.

mod call;
mod desk;
mod figures;
mod policy;
mod undo;

use std::process::Stdio;
use std::sync::Arc;

use anyhow::Context;
use tollgate_ui::Server;

use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::{out, owner, pin};
pub use desk::Product;

/// Arguments of `tollgate ui`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Port to listen on; without it any free one
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Print only the URL, on the first line
    #[arg(long)]
    print_url: bool,
}

/// Serves until it is ended.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    owner::refuse_agents("ui")?;
    hide_memory();
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let server = Server::bind(&dirs.state, args.port).with_context(|| match args.port {
        0 => "cannot listen on 127.0.0.1".to_owned(),
        port => format!("cannot listen on 127.0.0.1:{port}"),
    })?;
    out::line(&if args.print_url { server.url() } else { format!("Tollgate: {}", server.url()) });
    if !args.print_url {
        out::line("Whoever has this URL can read the log. To end it: Ctrl-C");
        if !pin::is_set()? {
            out::line(
                "No PIN is set, so that nothing can be approved or restored there. To set one: tollgate init --pin",
            );
        }
    }
    if !args.no_open && !open(&server.once()) {
        out::line("No browser was found to open. Open the URL yourself.");
    }
    server.serve(Arc::new(Product::new(dirs)?))?;
    Ok(ExitCode::SUCCESS)
}

/// Other processes of the same user cannot read this one's memory, where the token is and PINs pass.
fn hide_memory() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A system without it has no such reading, either.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Starts a browser with an address that leads to the page once: command lines can be read by others.
fn open(address: &str) -> bool {
    ["xdg-open", "open", "wslview"].iter().any(|name| {
        let Some(path) = crate::notify::program(name) else { return false };
        let mut command = std::process::Command::new(path);
        command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}
