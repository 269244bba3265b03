//! Every node of a tree with its span, for checks that hold for any text.
#![allow(dead_code, reason = "each test file uses its part")]

use tollgate_model::Span;
use tollgate_shell::ast::*;

/// What is gathered on the way.
#[derive(Default)]
pub struct Walk {
    /// A span and the one around it.
    pub nested: Vec<(Span, Span)>,
    /// Arguments of simple commands whose span is verbatim source.
    pub words: Vec<Word>,
    fixed: bool,
}

impl Walk {
    /// Goes through the whole script.
    pub fn script(&mut self, script: &Script, around: Span) {
        self.nested.push((script.span, around));
        for item in &script.items {
            self.nested.push((item.span, script.span));
            self.pipeline(&item.first, item.span);
            for (_, pipeline) in &item.rest {
                self.pipeline(pipeline, item.span);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, around: Span) {
        self.nested.push((pipeline.span, around));
        for stage in &pipeline.stages {
            self.command(&stage.command, pipeline.span);
        }
    }

    fn command(&mut self, command: &Command, around: Span) {
        let span = command.span;
        self.nested.push((span, around));
        for redirect in &command.redirects {
            self.nested.push((redirect.span, span));
            self.redirect(&redirect.kind, redirect.span);
        }
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, span),
            CommandKind::Group(script) | CommandKind::Subshell(script) => self.script(script, span),
            CommandKind::If { arms, otherwise } => {
                let scripts = arms.iter().flat_map(|(condition, body)| [condition, body]).chain(otherwise);
                scripts.for_each(|script| self.script(script, span));
            }
            CommandKind::For { words, body, .. } => {
                words.iter().flatten().for_each(|word| self.word(word, span));
                self.script(body, span);
            }
            CommandKind::CFor { header, body } => {
                header.iter().for_each(|expression| self.word(&expression.word, span));
                self.script(body, span);
            }
            CommandKind::While { condition, body, .. } => {
                self.script(condition, span);
                self.script(body, span);
            }
            CommandKind::Case { subject, arms } => {
                self.word(subject, span);
                for arm in arms {
                    arm.patterns.iter().for_each(|pattern| self.word(pattern, span));
                    self.script(&arm.body, span);
                }
            }
            CommandKind::Function { name, body, .. } => {
                self.word(name, span);
                self.command(body, span);
            }
            CommandKind::Coproc { body, .. } => self.command(body, span),
            CommandKind::Arith(expression) => self.word(&expression.word, span),
            CommandKind::Test(words) | CommandKind::Broken(words) => {
                words.iter().for_each(|word| self.word(word, span));
            }
        }
    }

    fn simple(&mut self, simple: &Simple, around: Span) {
        for assign in &simple.assigns {
            self.nested.push((assign.span, around));
            assign.subscript.iter().for_each(|word| self.word(word, assign.span));
            match &assign.value {
                AssignValue::Scalar(word) => self.word(word, assign.span),
                AssignValue::Array(elements) => self.elements(elements, assign.span),
            }
        }
        if !self.fixed {
            self.words.extend(simple.words.iter().skip(1).cloned());
        }
        simple.words.iter().for_each(|word| self.word(word, around));
    }

    fn redirect(&mut self, kind: &RedirectKind, around: Span) {
        match kind {
            // The body lies after the line of the command.
            RedirectKind::Heredoc { body, .. } => self.word(body, body.span),
            RedirectKind::Read(word)
            | RedirectKind::Write(word)
            | RedirectKind::Clobber(word)
            | RedirectKind::Append(word)
            | RedirectKind::ReadWrite(word)
            | RedirectKind::WriteBoth(word)
            | RedirectKind::AppendBoth(word)
            | RedirectKind::HereString(word)
            | RedirectKind::Duplicate { target: word, .. } => self.word(word, around),
        }
    }

    fn elements(&mut self, elements: &[(Option<Word>, Word)], around: Span) {
        for (subscript, value) in elements {
            subscript.iter().for_each(|word| self.word(word, around));
            self.word(value, around);
        }
    }

    fn word(&mut self, word: &Word, around: Span) {
        self.nested.push((word.span, around));
        for part in &word.parts {
            self.part(part, word.span);
        }
    }

    fn part(&mut self, part: &Part, around: Span) {
        match part {
            Part::Text { .. } => {}
            Part::Param { expansion, span, .. } => {
                self.nested.push((*span, around));
                self.param(expansion, *span);
            }
            Part::Command { script, span, .. } | Part::Process { script, span, .. } => {
                self.nested.push((*span, around));
                let outer = self.fixed;
                // Unescaped text has one span for all of it.
                self.fixed |= script.span == *span;
                self.script(script, *span);
                self.fixed = outer;
            }
            Part::Arith { expression, span, .. } => {
                self.nested.push((*span, around));
                self.word(&expression.word, *span);
            }
            Part::Array(elements) => self.elements(elements, around),
        }
    }

    fn param(&mut self, param: &Param, around: Span) {
        param.subscript.iter().for_each(|word| self.word(word, around));
        match &param.op {
            ParamOp::Default { word, .. } => self.word(word, around),
            ParamOp::Trim { pattern, .. } => self.word(pattern, around),
            ParamOp::Replace { pattern, with, .. } => {
                self.word(pattern, around);
                self.word(with, around);
            }
            ParamOp::Slice { offset, length } => {
                self.word(&offset.word, around);
                length.iter().for_each(|length| self.word(&length.word, around));
            }
            ParamOp::Case { pattern, .. } => pattern.iter().for_each(|word| self.word(word, around)),
            ParamOp::None
            | ParamOp::Length
            | ParamOp::Transform(_)
            | ParamOp::Names
            | ParamOp::Unknown(_) => {}
        }
    }
}
