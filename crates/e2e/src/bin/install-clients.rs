//! Installs every client that the end-to-end tests drive, all at once, and says which could not be had.

#![allow(clippy::print_stdout, reason = "a program for people")]

use std::process::ExitCode;
use std::thread;

use tollgate_e2e::client::CLIENTS;

fn main() -> ExitCode {
    let downloads: Vec<_> =
        CLIENTS.iter().map(|client| (client, thread::spawn(|| client.install()))).collect();
    let mut all = true;
    for (client, download) in downloads {
        match download.join() {
            Ok(Ok(program)) => println!("{} {}: {}", client.agent, client.version, program.display()),
            Ok(Err(error)) => {
                all = false;
                println!("{} {}: {error:#}", client.agent, client.version);
            }
            Err(_) => all = false,
        }
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
