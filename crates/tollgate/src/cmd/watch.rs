//! `tollgate watch`: the board and the live feed in a terminal.

mod screen;

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tollgate_ui::{Card, Desk, Feed, Row};

use super::ui::Product;
use crate::dirs::Dirs;
use crate::exit::ExitCode;
use crate::{owner, when};

/// Arguments of `tollgate watch`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// How often the screen is drawn without a key.
const PACE: Duration = Duration::from_millis(250);
/// Rows that can be scrolled through.
const ROWS: usize = 500;

/// Shows until `q`.
pub fn run(_args: &Args) -> anyhow::Result<ExitCode> {
    if !std::io::stdout().is_terminal() {
        bail!("`tollgate watch` needs a terminal; elsewhere use `tollgate log --follow`");
    }
    let dirs = Dirs::find().context("no home directory: set HOME")?;
    let mut watch = Watch::new(Feed::start(&dirs.state), Product::new(dirs)?);
    let mut terminal = ratatui::try_init().context("the terminal cannot be drawn on")?;
    let ended = watch.run(&mut terminal);
    ratatui::restore();
    ended.map(|()| ExitCode::SUCCESS)
}

/// What the keys do now.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mode {
    List,
    /// One call.
    Details,
    /// The PIN that is being typed for a call, which is shown whole.
    Pin {
        call: Offered,
        typed: String,
    },
}

/// A refused call that can be approved.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Offered {
    digest: String,
    text: String,
    findings: Vec<String>,
}

struct Watch {
    feed: Arc<Feed>,
    product: Product,
    cards: Vec<Card>,
    rows: Vec<Row>,
    /// The record of the row that is chosen: rows move as new ones come.
    chosen: Option<u64>,
    mode: Mode,
    message: String,
}

impl Watch {
    fn new(feed: Arc<Feed>, product: Product) -> Self {
        let (cards, rows) = (Vec::new(), Vec::new());
        Self { feed, product, cards, rows, chosen: None, mode: Mode::List, message: String::new() }
    }

    fn run(&mut self, terminal: &mut DefaultTerminal) -> anyhow::Result<()> {
        loop {
            self.cards = self.feed.cards(when::now());
            self.rows = self.feed.last_rows(ROWS);
            terminal.draw(|frame| screen::draw(frame, self))?;
            if event::poll(PACE)?
                && let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && self.is_ended_by(key)
            {
                return Ok(());
            }
        }
    }

    /// Does what a key says. True: it ends.
    fn is_ended_by(&mut self, key: KeyEvent) -> bool {
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            return true;
        }
        match (self.mode.clone(), key.code) {
            (Mode::Pin { call, typed }, key) => self.type_pin(call, typed, key),
            (Mode::Details, KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q')) => {
                self.mode = Mode::List;
                self.message.clear();
            }
            (Mode::List, KeyCode::Char('q') | KeyCode::Esc) => return true,
            (_, KeyCode::Char('j') | KeyCode::Down) => self.step(1),
            (_, KeyCode::Char('k') | KeyCode::Up) => self.step(-1),
            (Mode::List, KeyCode::Char('g') | KeyCode::Home) => self.chosen = None,
            (Mode::List, KeyCode::Enter) => self.mode = Mode::Details,
            (_, KeyCode::Char('a')) => self.begin_approval(),
            _ => {}
        }
        false
    }

    fn at(&self) -> usize {
        self.chosen.and_then(|seq| self.rows.iter().position(|row| row.seq == seq)).unwrap_or(0)
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(self.at())
    }

    fn step(&mut self, by: isize) {
        let at = self.at().saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        self.chosen = self.rows.get(at).map(|row| row.seq);
        self.message.clear();
    }

    /// What is approved is the whole call, so that the whole call is shown.
    fn begin_approval(&mut self) {
        let seq = self.row().map(|row| row.seq);
        match seq.and_then(|seq| self.offered(seq)) {
            Some(call) => {
                self.chosen = seq;
                self.mode = Mode::Pin { call, typed: String::new() };
                self.message.clear();
            }
            None => self.message = "This call does not wait for an approval.".to_owned(),
        }
    }

    /// The refused call of a record, if it still waits.
    fn offered(&self, seq: u64) -> Option<Offered> {
        let waiting = self.product.waiting().ok()?;
        let call = waiting.get("calls")?.as_array()?.iter().find(|call| call["seq"] == seq)?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let findings = call.get("findings")?.as_array().into_iter().flatten().map(text).collect();
        Some(Offered { digest: text(call.get("digest")?), text: text(call.get("text")?), findings })
    }

    fn type_pin(&mut self, call: Offered, mut typed: String, key: KeyCode) {
        match key {
            KeyCode::Esc => self.mode = Mode::Details,
            KeyCode::Enter => {
                self.mode = Mode::Details;
                self.message = self.approve(&call.digest, &typed);
            }
            KeyCode::Backspace => {
                typed.pop();
                self.mode = Mode::Pin { call, typed };
            }
            KeyCode::Char(letter) => {
                typed.push(letter);
                self.mode = Mode::Pin { call, typed };
            }
            _ => {}
        }
    }

    fn approve(&self, digest: &str, pin: &str) -> String {
        if let Some(sign) = owner::agent_sign() {
            return format!("Approvals are for people, and this looks like a coding agent's shell ({sign}).");
        }
        match self.product.approve(digest, pin) {
            Ok(_) => "Approved: this call may run once. Tell the agent to try it again.".to_owned(),
            Err(refusal) => match refusal.hint {
                Some(hint) => format!("{}. {hint}", refusal.message),
                None => refusal.message,
            },
        }
    }
}
