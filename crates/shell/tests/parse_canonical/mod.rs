//! One form of several equal ones: that in which bash lists a function.
#![allow(dead_code, reason = "each test file uses its part")]

use crate::parse_support::dump;
use tollgate_shell::Limits;
use tollgate_shell::ast::*;

/// Reads a text of any size.
pub fn read(text: &str) -> Script {
    let wide = Limits { text: 1 << 24, nodes: 1 << 24, depth: 64 };
    wide.parse(text, Dialect::Bash)
}

/// The dump of a text, in the one form that bash lists of several equal ones.
pub fn canonical(text: &str) -> String {
    let mut script = read(text);
    canonical_script(&mut script);
    dump(&script)
}

fn canonical_script(script: &mut Script) {
    for item in &mut script.items {
        let pipelines =
            std::iter::once(&mut item.first).chain(item.rest.iter_mut().map(|(_, pipeline)| pipeline));
        for stage in pipelines.flat_map(|pipeline| &mut pipeline.stages) {
            canonical_command(&mut stage.command);
            if std::mem::take(&mut stage.stderr_too) {
                let command = match &mut stage.command.kind {
                    CommandKind::Function { body, .. } => body,
                    _ => &mut stage.command,
                };
                command.redirects.push(stderr_to_stdout());
            }
        }
    }
}

fn canonical_command(command: &mut Command) {
    command.redirects.iter_mut().for_each(canonical_redirect);
    match &mut command.kind {
        CommandKind::Group(script) | CommandKind::Subshell(script) => canonical_script(script),
        CommandKind::If { arms, otherwise } => {
            nest_elif(arms, otherwise);
            for (condition, body) in arms {
                canonical_script(condition);
                canonical_script(body);
            }
            otherwise.iter_mut().for_each(canonical_script);
        }
        CommandKind::For { words, body, .. } => {
            words.get_or_insert_with(|| read("\"$@\"").items.first().map(first_words).unwrap_or_default());
            words.iter_mut().flatten().for_each(canonical_word);
            canonical_script(body);
        }
        CommandKind::CFor { header, body } => {
            header.iter_mut().for_each(|expression| trim(&mut expression.word));
            canonical_script(body);
        }
        CommandKind::While { condition, body, .. } => {
            canonical_script(condition);
            canonical_script(body);
        }
        CommandKind::Case { subject, arms } => {
            canonical_word(subject);
            for arm in arms {
                arm.patterns.iter_mut().for_each(canonical_word);
                canonical_script(&mut arm.body);
            }
        }
        CommandKind::Function { body, .. } => canonical_function(body),
        CommandKind::Coproc { body, .. } => canonical_command(body),
        CommandKind::Test(words) => {
            words.retain(|word| !is_text(word, "-n"));
            words.iter_mut().for_each(canonical_word);
        }
        CommandKind::Simple(simple) => canonical_simple(simple),
        CommandKind::Arith(_) | CommandKind::Broken(_) => {}
    }
}

fn canonical_simple(simple: &mut Simple) {
    simple.words.iter_mut().for_each(canonical_word);
    for assign in &mut simple.assigns {
        match &mut assign.value {
            AssignValue::Scalar(word) => canonical_word(word),
            AssignValue::Array(elements) => elements.iter_mut().for_each(|(_, word)| canonical_word(word)),
        }
    }
}

/// bash lists what is in `$( … )` anew as well.
fn canonical_word(word: &mut Word) {
    for part in &mut word.parts {
        match part {
            Part::Command { script, .. } | Part::Process { script, .. } => canonical_script(script),
            Part::Array(elements) => elements.iter_mut().for_each(|(_, word)| canonical_word(word)),
            Part::Param { expansion, .. } => match &mut expansion.op {
                ParamOp::Default { word, .. } => canonical_word(word),
                ParamOp::Trim { pattern, .. } => canonical_word(pattern),
                ParamOp::Replace { pattern, with, .. } => {
                    canonical_word(pattern);
                    canonical_word(with);
                }
                _ => {}
            },
            Part::Text { .. } | Part::Arith { .. } => {}
        }
    }
}

/// bash puts any other body into a group.
fn canonical_function(body: &mut Command) {
    canonical_command(body);
    if !matches!(body.kind, CommandKind::Group(_)) {
        let span = body.span;
        let command =
            std::mem::replace(body, Command { kind: CommandKind::Test(vec![]), redirects: vec![], span });
        body.kind = CommandKind::Group(lone(command));
    }
}

/// `elif` is an `if` in an `else`.
fn nest_elif(arms: &mut Vec<(Script, Script)>, otherwise: &mut Option<Script>) {
    if arms.len() > 1 {
        let rest = arms.split_off(1);
        let kind = CommandKind::If { arms: rest, otherwise: otherwise.take() };
        *otherwise = Some(lone(Command { kind, redirects: vec![], span: tollgate_model::Span::default() }));
    }
}

fn lone(command: Command) -> Script {
    let span = command.span;
    let stages = vec![Stage { command, stderr_too: false }];
    let first = Pipeline { negated: false, stages, span };
    let items = vec![Item { first, rest: vec![], background: false, span }];
    Script { items, problems: vec![], span }
}

fn canonical_redirect(redirect: &mut Redirect) {
    let usual = match &mut redirect.kind {
        RedirectKind::Write(word) | RedirectKind::Append(word) | RedirectKind::Clobber(word) => {
            canonical_word(word);
            1
        }
        RedirectKind::Duplicate { target, output } => {
            redirect.fd.get_or_insert(RedirectFd::Number(u32::from(*output)));
            *output |= is_text(target, "-");
            return;
        }
        RedirectKind::Heredoc { body: word, .. }
        | RedirectKind::HereString(word)
        | RedirectKind::Read(word)
        | RedirectKind::ReadWrite(word)
        | RedirectKind::WriteBoth(word)
        | RedirectKind::AppendBoth(word) => {
            canonical_word(word);
            0
        }
    };
    if redirect.fd == Some(RedirectFd::Number(usual)) {
        redirect.fd = None;
    }
}

fn stderr_to_stdout() -> Redirect {
    let target = Word { parts: vec![Part::Text { text: "1".to_owned(), quoted: false }], ..Word::default() };
    let kind = RedirectKind::Duplicate { target, output: true };
    Redirect { fd: Some(RedirectFd::Number(2)), kind, span: tollgate_model::Span::default() }
}

/// The words of the first command.
pub fn first_words(item: &Item) -> Vec<Word> {
    match item.first.stages.first().map(|stage| &stage.command.kind) {
        Some(CommandKind::Simple(simple)) => simple.words.clone(),
        _ => Vec::new(),
    }
}

fn is_text(word: &Word, expected: &str) -> bool {
    matches!(word.parts.as_slice(), [Part::Text { text, .. }] if text == expected)
}

/// bash lists an empty expression of `for ((…))` as `1`.
fn trim(word: &mut Word) {
    if let Some(Part::Text { text, .. }) = word.parts.first_mut() {
        *text = text.trim_start().to_owned();
    }
    if word.parts.is_empty() || is_text(word, "") {
        word.parts = vec![Part::Text { text: "1".to_owned(), quoted: true }];
    }
}
