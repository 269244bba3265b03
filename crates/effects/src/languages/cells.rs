//! What a program gives the notebook that it runs in: cells, and magics by their names.

use tollgate_shell::value::Value;

use super::machine::Machine;
use super::ops::{Magic, Op};
use super::value::{Args, Val};
use super::{Language, Program};
use crate::content::Piece;
use crate::notebook;

impl Machine<'_, '_, '_> {
    /// Runs a cell or a magic.
    pub fn magic(&mut self, kind: Magic, args: &Args) -> Val {
        let (sign, words) = match kind {
            Magic::Cell => ("", vec![args.text(0)]),
            Magic::Text => ("%", vec![args.text(0).map(without_sign)]),
            Magic::Line => ("%", vec![args.text(0), args.at(1, &["line"]).as_text()]),
            Magic::Block => ("%%", vec![args.text(0), args.at(1, &["line"]).as_text()]),
        };
        let head = Value::text(sign).concat(&Value::joined(&words, " "));
        let body = match kind {
            Magic::Block => args.at(2, &["cell"]).as_text(),
            _ => Value::empty(),
        };
        match (head.as_literal(), body.as_literal()) {
            (Some(head), Some(body)) => self.run_cell(&format!("{head}\n{body}")),
            // What a shell is given counts, even where not all of it is known.
            _ => {
                let name = args.literal(0).unwrap_or_default();
                let text = if kind == Magic::Block { Some(body) } else { words.last().cloned() };
                let shell = matches!(name.as_str(), "bash" | "sh" | "system" | "sx" | "script");
                match text.filter(|_| shell) {
                    _ if kind == Magic::Cell => self.perform(Op::Eval, "run_cell", args),
                    Some(text) => self.perform(Op::ShellOut, "system", &Args::of(vec![Val::Text(text)])),
                    None => Val::unknown(),
                }
            }
        }
    }

    fn run_cell(&mut self, text: &str) -> Val {
        let mut result = Val::unknown();
        for piece in notebook::cell(text) {
            match piece {
                Piece::Shell(command) => {
                    let command = Args::of(vec![Val::text(&command)]);
                    result = self.perform(Op::ShellOut, "system", &command);
                }
                Piece::Language(Language::Python, code) => {
                    self.source(&code);
                }
                Piece::Language(language, code) => {
                    let code = Value::text(&code);
                    let span = self.around.span;
                    let program = Program { code, span, file: None, from_input: true, args: Vec::new() };
                    super::run(self.run, language, &program);
                }
                Piece::Quoted(_) => {}
            }
        }
        result
    }
}

fn without_sign(text: &tollgate_shell::value::Text) -> tollgate_shell::value::Text {
    match text.as_literal() {
        Some(known) => tollgate_shell::value::Text::literal(known.trim_start_matches('%')),
        None => text.clone(),
    }
}
