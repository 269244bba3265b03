//! The real coding-agent clients, driven offline: a scripted model on loopback, a scratch home and
//! project for each run, and a hook that records how it was called and answers as told.
//!
//! Nothing here reads or writes the machine's own configuration, and a client's way out of the
//! machine is closed: its proxy is the scripted model, which refuses and remembers.

pub mod behaviour;
pub mod capture;
pub mod claude;
pub mod client;
pub mod driver;
pub mod drivers;
pub mod mock;
pub mod process;
pub mod record;
pub mod run;
pub mod scratch;
pub mod terminal;

pub use capture::{Answer, Answers, Captured};
pub use claude::{Claude, Hook};
pub use client::Client;
pub use driver::Driver;
pub use mock::{Api, MockModel, Request, ToolResult};
pub use mock::{Conversation, Facts, Input, Script, ToolUse, Turn};
pub use run::{Outcome, Run, Session, tollgate_binary};
pub use scratch::Scratch;
pub use terminal::Terminal;
