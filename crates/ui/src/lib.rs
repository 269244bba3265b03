//! The dashboard behind `tollgate ui`: a local HTTP server that reads the log, with the page embedded. See the README of
//! this crate.

mod assets;
mod board;
mod desk;
mod diff;
mod export;
mod feed;
mod filter;
mod guard;
mod refusal;
mod row;
mod search;
mod server;
mod story;

pub use board::{Board, Card, State};
pub use desk::Desk;
pub use feed::Feed;
pub use filter::Wanted;
pub use refusal::{Code, Refusal};
pub use row::{Actor, Outcome, Row, session_id};
pub use search::{Page, search};
pub use server::{Server, Token};
