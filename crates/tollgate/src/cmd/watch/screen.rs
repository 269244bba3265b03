//! What `watch` draws. Every text goes through `shown` or `escaped`: a record may hold what a terminal obeys.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, List, ListItem, ListState, Paragraph, Wrap};
use tollgate_store::micros_of;
use tollgate_ui::{Card, Outcome, Row, State};

use super::{Mode, Watch};
use crate::report::{escaped, shown};
use crate::when;

/// Lines of the board.
const BOARD: u16 = 8;

pub fn draw(frame: &mut Frame, watch: &Watch) {
    let board = u16::try_from(watch.cards.len()).unwrap_or(BOARD).clamp(1, BOARD) + 2;
    let [top, middle, bottom] =
        Layout::vertical([Constraint::Length(board), Constraint::Min(3), Constraint::Length(1)])
            .areas(frame.area());
    let now = when::now();
    let cards: Vec<ListItem> = watch.cards.iter().map(|card| ListItem::new(card_line(card, now))).collect();
    let waiting = watch.cards.iter().filter(|card| card.state <= State::Refused).count();
    let title = format!(" Tollgate: {} sessions, {waiting} need you ", watch.cards.len());
    frame.render_widget(List::new(cards).block(Block::bordered().title(title)), top);
    draw_feed(frame, watch, middle);
    if watch.mode != Mode::List {
        draw_details(frame, watch, middle);
    }
    let help = match (&watch.mode, watch.message.as_str()) {
        (Mode::Pin { typed, .. }, _) => {
            format!(
                "PIN: {}  (Enter approves this call once, Esc goes back)",
                "•".repeat(typed.chars().count())
            )
        }
        (_, message) if !message.is_empty() => shown(message),
        (Mode::List, _) => "j/k move  Enter details  a approve  q quit".to_owned(),
        (Mode::Details, _) => "j/k move  a approve  Esc back".to_owned(),
    };
    frame.render_widget(Paragraph::new(help), bottom);
}

fn card_line(card: &Card, now: i64) -> Line<'static> {
    let (name, colour) = match card.state {
        State::Waiting => ("WAITING", Color::Yellow),
        State::Refused => ("REFUSED", Color::Red),
        State::Working => ("working", Color::Green),
        State::Idle => ("idle   ", Color::DarkGray),
    };
    let project = card.project.rsplit('/').next().unwrap_or_default();
    let since = now - micros_of(&card.since).unwrap_or(now);
    Line::from(vec![
        Span::styled(name, Style::new().fg(colour)),
        Span::raw(shown(&format!("  {} {project}  {}  {}", card.agent, since_words(since), card.why))),
    ])
}

fn since_words(micros: i64) -> String {
    let seconds = micros.max(0) / 1_000_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h", seconds / 3600),
    }
}

fn draw_feed(frame: &mut Frame, watch: &Watch, area: Rect) {
    let rows: Vec<ListItem> = watch.rows.iter().map(|row| ListItem::new(row_line(row))).collect();
    let list = List::new(rows)
        .block(Block::bordered().title(" Feed "))
        .highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = ListState::default().with_selected(Some(watch.at()));
    frame.render_stateful_widget(list, area, &mut state);
}

fn row_line(row: &Row) -> Line<'static> {
    let time: String = row.at.chars().skip(11).take(8).collect();
    let (word, colour) = match (row.verdict.as_str(), row.outcome) {
        ("deny" | "halt", _) => ("deny ", Color::Red),
        ("ask", _) => ("ask  ", Color::Yellow),
        (_, Outcome::Failed) => ("fail ", Color::Magenta),
        (_, Outcome::Event) => ("     ", Color::Reset),
        (_, Outcome::Open) => ("…    ", Color::Cyan),
        _ => ("ok   ", Color::Green),
    };
    let name = if row.tool.is_empty() { &row.phase } else { &row.tool };
    Line::from(vec![
        Span::raw(shown(&format!("{time}  "))),
        Span::styled(word, Style::new().fg(colour)),
        Span::raw(shown(&format!(" {:<11} {name} {}", row.agent, row.subject))),
    ])
}

fn draw_details(frame: &mut Frame, watch: &Watch, area: Rect) {
    let Some(row) = watch.row() else { return };
    if let Mode::Pin { call, .. } = &watch.mode {
        let lines = std::iter::once(&call.text).chain(&call.findings);
        return draw_text(
            frame,
            area,
            " Approve this call, once ",
            lines.map(|line| escaped(line)).collect(),
        );
    }
    let mut lines = vec![
        format!("{}  {} in {}", row.at, row.agent, row.cwd),
        String::new(),
        format!("{} {}", row.tool, row.subject),
        String::new(),
        format!("{} {}", row.verdict, row.rules.join(" ")),
        row.reason.clone(),
    ];
    if !row.error.is_empty() {
        lines.push(format!("failed: {}", row.error));
    }
    if !row.code.is_empty() {
        lines.push(format!("code {}", row.code));
    }
    let lines = lines.iter().map(|line| escaped(line)).collect();
    draw_text(frame, area, &format!(" Call {} ", row.seq), lines);
}

fn draw_text(frame: &mut Frame, area: Rect, title: &str, lines: Vec<String>) {
    let text: Vec<Line> = lines.into_iter().map(Line::raw).collect();
    let block = Block::bordered().title(title.to_owned());
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: false }).block(block), area);
}
