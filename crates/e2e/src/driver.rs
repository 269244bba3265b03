//! What the tests must know of a client to set it up and start it.

use std::fmt;

use anyhow::Result;

use crate::client::Client;
use crate::mock::Turn;
use crate::scratch::Scratch;

/// How a client is set up and started.
pub trait Driver: fmt::Debug + Sync {
    /// The client it drives.
    fn client(&self) -> Result<&'static Client>;
    /// Writes what the client wants to find in its home before its first start; the model is at `url`.
    fn configure(&self, scratch: &Scratch, url: &str) -> Result<()>;
    /// The variables that lead it to the model at `url` and nowhere else.
    fn environment(&self, scratch: &Scratch, url: &str) -> Vec<(&'static str, String)>;
    /// The arguments of a run without a terminal; `unattended` skips the client's own permission prompts.
    fn arguments(&self, prompt: &str, unattended: bool) -> Vec<String>;
    /// The arguments of a run in a terminal that begins with a prompt and skips the client's own permission prompts;
    /// none where that is not driven.
    fn terminal_arguments(&self, _prompt: &str) -> Vec<String> {
        Vec::new()
    }
    /// A call of its shell tool.
    fn shell(&self, command: &str) -> Turn;
    /// Calls of its other tools: one that writes the file, reads it, changes it, searches it and so on.
    fn file_tools(&self, file: &str) -> Vec<Turn>;
    /// The calls that start a subagent and wait for its end.
    fn spawn(&self, prompt: &str) -> Vec<Turn>;
    /// More arguments for a run that starts a subagent.
    fn subagent_arguments(&self) -> Vec<String> {
        Vec::new()
    }
    /// How a subagent ends its work.
    fn subagent_ends(&self) -> Turn {
        Turn::say("HELPER-DONE")
    }
}
