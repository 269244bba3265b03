//! A compact text form of the syntax tree, for tables of expectations.
//!
//! Quoted text stands in `'…'`, quoted expansions have a `q` before them, simple commands stand in `[…]`.
#![allow(dead_code, reason = "each test file uses its part")]

use tollgate_shell::ast::*;

/// The script and the kinds of its problems.
pub fn dump(script: &Script) -> String {
    let mut out = script_text(script);
    for problem in &script.problems {
        out.push_str(&format!(" !{:?}", problem.kind));
    }
    out
}

fn script_text(script: &Script) -> String {
    join(script.items.iter().map(item), "; ")
}

fn join(pieces: impl Iterator<Item = String>, separator: &str) -> String {
    pieces.collect::<Vec<_>>().join(separator)
}

fn item(item: &Item) -> String {
    let mut out = pipeline(&item.first);
    for (connective, next) in &item.rest {
        out.push_str(if *connective == AndOr::And { " && " } else { " || " });
        out.push_str(&pipeline(next));
    }
    if item.background {
        out.push_str(" &");
    }
    out
}

fn pipeline(pipeline: &Pipeline) -> String {
    let mut out = if pipeline.negated { "! ".to_owned() } else { String::new() };
    let last = pipeline.stages.len() - 1;
    for (index, stage) in pipeline.stages.iter().enumerate() {
        out.push_str(&command(&stage.command));
        if index < last {
            out.push_str(if stage.stderr_too { " |& " } else { " | " });
        }
    }
    out
}

fn command(command: &Command) -> String {
    let redirects = command.redirects.iter().map(redirect);
    match &command.kind {
        CommandKind::Simple(simple) => {
            let pieces =
                simple.assigns.iter().map(assign).chain(simple.words.iter().map(word)).chain(redirects);
            format!("[{}]", join(pieces, " "))
        }
        kind => redirects.fold(compound(kind), |out, redirect| format!("{out} {redirect}")),
    }
}

fn compound(kind: &CommandKind) -> String {
    match kind {
        CommandKind::Simple(_) => String::new(),
        CommandKind::Group(script) => format!("{{{}}}", script_text(script)),
        CommandKind::Subshell(script) => format!("({})", script_text(script)),
        CommandKind::If { arms, otherwise } => {
            let arms =
                arms.iter().map(|(test, body)| format!("({})({})", script_text(test), script_text(body)));
            let otherwise = otherwise.iter().map(|body| format!("else({})", script_text(body)));
            format!("if{}", join(arms.chain(otherwise), ""))
        }
        CommandKind::For { names, words, body, select } => {
            let head = if *select { "select" } else { "for" };
            let list = words.as_ref().map_or(String::new(), |list| {
                format!(" in {}", join(list.iter().map(word), " ")).trim_end().to_owned()
            });
            format!("{head}({}{list})({})", names.join(","), script_text(body))
        }
        CommandKind::CFor { header, body } => {
            format!("for(({}))({})", join(header.iter().map(arith), ";"), script_text(body))
        }
        CommandKind::While { condition, body, until } => {
            let head = if *until { "until" } else { "while" };
            format!("{head}({})({})", script_text(condition), script_text(body))
        }
        CommandKind::Case { subject, arms } => {
            format!("case({}){}", word(subject), join(arms.iter().map(case_arm), ""))
        }
        CommandKind::Function { name, body, .. } => format!("fn({})({})", word(name), command(body)),
        CommandKind::Test(words) => format!("[[{}]]", join(words.iter().map(word), " ")),
        CommandKind::Arith(expression) => format!("(({}))", arith(expression)),
        CommandKind::Coproc { name, body } => {
            format!("coproc({})({})", name.as_deref().unwrap_or_default(), command(body))
        }
        CommandKind::Broken(words) => format!("broken({})", join(words.iter().map(word), " ")),
    }
}

fn case_arm(arm: &CaseArm) -> String {
    let end = match arm.end {
        CaseEnd::Break => ";;",
        CaseEnd::FallThrough => ";&",
        CaseEnd::Continue => ";;&",
    };
    format!("({}: {}{end})", join(arm.patterns.iter().map(word), "|"), script_text(&arm.body))
}

fn assign(assign: &Assign) -> String {
    let subscript =
        assign.subscript.as_ref().map_or(String::new(), |subscript| format!("[{}]", word(subscript)));
    let value = match &assign.value {
        AssignValue::Scalar(value) => word(value),
        AssignValue::Array(elements) => array(elements),
    };
    format!("{}{subscript}{}{value}", assign.name, if assign.append { "+=" } else { "=" })
}

fn array(elements: &[(Option<Word>, Word)]) -> String {
    let element = |(subscript, value): &(Option<Word>, Word)| match subscript {
        Some(subscript) => format!("[{}]={}", word(subscript), word(value)),
        None => word(value),
    };
    format!("({})", join(elements.iter().map(element), " "))
}

fn redirect(redirect: &Redirect) -> String {
    let fd = match &redirect.fd {
        None => String::new(),
        Some(RedirectFd::Number(number)) => number.to_string(),
        Some(RedirectFd::Name(name)) => format!("{{{name}}}"),
    };
    let (operator, operand) = match &redirect.kind {
        RedirectKind::Read(target) => ("<", word(target)),
        RedirectKind::Write(target) => (">", word(target)),
        RedirectKind::Clobber(target) => (">|", word(target)),
        RedirectKind::Append(target) => (">>", word(target)),
        RedirectKind::ReadWrite(target) => ("<>", word(target)),
        RedirectKind::WriteBoth(target) => ("&>", word(target)),
        RedirectKind::AppendBoth(target) => ("&>>", word(target)),
        RedirectKind::Duplicate { target, output } => (if *output { ">&" } else { "<&" }, word(target)),
        RedirectKind::Heredoc { body, literal } => (if *literal { "<<!" } else { "<<" }, word(body)),
        RedirectKind::HereString(target) => ("<<<", word(target)),
    };
    format!("{fd}{operator}{operand}")
}

fn arith(expression: &Arith) -> String {
    word(&expression.word)
}

fn word(word: &Word) -> String {
    join(word.parts.iter().map(part), "")
}

fn mark(quoted: bool) -> &'static str {
    if quoted { "q" } else { "" }
}

fn part(part: &Part) -> String {
    match part {
        Part::Text { text, quoted: true } => format!("'{}'", visible(text)),
        Part::Text { text, quoted: false } => visible(text),
        Part::Param { expansion, quoted, .. } => format!("{}{}", mark(*quoted), param(expansion)),
        Part::Command { script, quoted, .. } => format!("{}$({})", mark(*quoted), script_text(script)),
        Part::Arith { expression, quoted, .. } => format!("{}$(({}))", mark(*quoted), arith(expression)),
        Part::Process { script, output, .. } => {
            format!("{}({})", if *output { ">" } else { "<" }, script_text(script))
        }
        Part::Array(elements) => array(elements),
    }
}

fn visible(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

fn param(param: &Param) -> String {
    let subscript =
        param.subscript.as_ref().map_or(String::new(), |subscript| format!("[{}]", word(subscript)));
    let length = if param.op == ParamOp::Length { "#" } else { "" };
    let indirect = if param.indirect { "!" } else { "" };
    format!("${{{length}{indirect}{}{subscript}{}}}", param.name, operation(&param.op))
}

fn operation(op: &ParamOp) -> String {
    match op {
        ParamOp::None | ParamOp::Length => String::new(),
        ParamOp::Default { kind, colon, word: operand } => {
            format!("{}{kind}{}", if *colon { ":" } else { "" }, word(operand))
        }
        ParamOp::Trim { suffix, longest, pattern } => {
            let operator = if *suffix { "%" } else { "#" };
            format!("{}{}", operator.repeat(1 + usize::from(*longest)), word(pattern))
        }
        ParamOp::Replace { anchor, pattern, with } => {
            let anchor = match anchor {
                ReplaceAnchor::First => "/",
                ReplaceAnchor::All => "//",
                ReplaceAnchor::Start => "/#",
                ReplaceAnchor::End => "/%",
            };
            format!("{anchor}{}/{}", word(pattern), word(with))
        }
        ParamOp::Slice { offset, length } => {
            let length = length.as_ref().map_or(String::new(), |length| format!(":{}", arith(length)));
            format!(":{}{length}", arith(offset))
        }
        ParamOp::Case { upper, all, pattern } => {
            let operator = if *upper { "^" } else { "," };
            let pattern = pattern.as_ref().map_or(String::new(), word);
            format!("{}{pattern}", operator.repeat(1 + usize::from(*all)))
        }
        ParamOp::Transform(letter) => format!("@{letter}"),
        ParamOp::Names => " names".to_owned(),
        ParamOp::Unknown(raw) => format!(" ?{raw}"),
    }
}
