//! The long tail of programs that run code they are given: other languages, editors, debuggers.

use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::applescript;
use super::given::{Given, read};
use super::languages::{from_file, inline, joined, script};
use crate::analyst::taint;
use crate::commands::readers::contents;
use crate::commands::{Run, interpreters};
use crate::languages::{Language, powershell_command};
use crate::word::Word;

/// Options of the interpreters above: those that take code, those that take a file, and those that only look.
struct Style {
    spec: &'static str,
    code: &'static [&'static str],
    file: &'static [&'static str],
}

const STYLES: &[(&str, Style)] = &[
    ("Rscript", Style { spec: "e= f= file= default-packages=", code: &["e"], file: &["f", "file"] }),
    ("R", Style { spec: "e= f= file= encoding= g= d=", code: &["e"], file: &["f", "file"] }),
    (
        "julia",
        Style {
            spec: "e= E= eval= print= L= load= project? p= t= threads= C= J= sysimage= O# startup-file= color=",
            code: &["e", "E", "eval", "print"],
            file: &["L", "load"],
        },
    ),
    (
        "elixir",
        Style {
            spec: "e= eval= rpc-eval= r= pr= pa= pz= S= name= sname= cookie= erl=",
            code: &["e", "eval", "rpc-eval"],
            file: &["r"],
        },
    ),
    (
        "jshell",
        Style {
            spec: "c= class-path= startup= feedback= execution= add-modules= R? C?",
            code: &[],
            file: &[],
        },
    ),
    ("gnuplot", Style { spec: "e= c= d p persist", code: &["e"], file: &["c"] }),
    ("matlab", Style { spec: "r= batch= sd= logfile=", code: &["r", "batch"], file: &[] }),
    ("octave", Style { spec: "eval= p= path= exec-path= image-path=", code: &["eval"], file: &[] }),
    (
        "sbcl",
        Style {
            spec: "eval= load= script= core= userinit= sysinit= dynamic-space-size=",
            code: &["eval"],
            file: &["load", "script"],
        },
    ),
    ("clisp", Style { spec: "x= i= K= M= c= E=", code: &["x"], file: &["i"] }),
    ("ecl", Style { spec: "eval= load= shell=", code: &["eval"], file: &["load", "shell"] }),
    ("guile", Style { spec: "c= l= e= s= L= x= C=", code: &["c"], file: &["l", "s"] }),
    (
        "racket",
        Style {
            spec: "e= eval= f= load= t= require= l= lib= u= r= k= m",
            code: &["e", "eval"],
            file: &["f", "load", "t", "u", "r"],
        },
    ),
    (
        "clojure",
        Style { spec: "e= eval= i= init= M? X? A? P? Sdeps=", code: &["e", "eval"], file: &["i", "init"] },
    ),
    (
        "bb",
        Style {
            spec: "e= eval= f= file= cp= classpath= m= main=",
            code: &["e", "eval"],
            file: &["f", "file"],
        },
    ),
    ("expect", Style { spec: "c= f= b= D= d i n N", code: &["c"], file: &["f", "b"] }),
    ("ghc", Style { spec: "e= o= package= i? X? odir= hidir=", code: &["e"], file: &[] }),
];

/// What most interpreters have.
const PLAIN: Style =
    Style { spec: "e= eval= l= cp= classpath= D= I= W= X? O?", code: &["e", "eval"], file: &[] };

/// An interpreter with `-e code`, a script, or its code on standard input.
pub(in crate::commands) fn other(run: &mut Run) -> Outcome {
    let Some(language) = Language::of(run.program) else { return run.derived() };
    let family = match run.program {
        "iex" => "elixir",
        "octave-cli" => "octave",
        "ghci" | "runghc" | "runhaskell" => "ghc",
        "clj" => "clojure",
        other => other,
    };
    let style = STYLES.iter().find(|(name, _)| *name == family).map_or(&PLAIN, |(_, style)| style);
    // Some write long options with one dash.
    let long = |word: &Word| {
        matches!(word.shown().as_str(), "-eval" | "-batch" | "-r" | "-sd" | "-logfile")
            && matches!(run.program, "erl" | "matlab" | "ecl")
    };
    // OCaml loads libraries before its program.
    let library = |word: &Word| run.program == "ocaml" && word.shown().ends_with(".cma");
    let args: Vec<Word> = run
        .args
        .iter()
        .filter(|word| !library(word))
        .map(|word| {
            if long(word) { Word::literal_at(&format!("-{}", word.shown()), word.span) } else { word.clone() }
        })
        .collect();
    let given = read(&args, style.spec, &[]);
    for file in style.file.iter().flat_map(|name| given.values(name)).cloned().collect::<Vec<_>>() {
        from_file(run, language, &file, &given.rest);
    }
    let codes: Vec<Word> = style.code.iter().flat_map(|name| given.values(name)).cloned().collect();
    for code in &codes {
        for line in super::hosts::bang_lines(&code.shown()) {
            interpreters::code(run, &Value::text(&line), code.span);
        }
    }
    match codes.first().cloned() {
        Some(first) => inline(run, language, &joined(&codes), &first, &given.rest),
        None if ["version", "help", "V", "h", "v"].iter().any(|name| given.has(name))
            && given.rest.is_empty() =>
        {
            run.derived()
        }
        None if style.file.iter().any(|name| given.has(name)) => run.derived(),
        None => {
            escapes(run, &given);
            script(run, language, &given)
        }
    }
}

/// Lines that begin with `!` are for the shell, in programs that are typed into.
fn escapes(run: &mut Run, given: &Given) {
    let typed =
        matches!(run.program, "gnuplot" | "ghci") && given.rest.first().is_none_or(|word| word.is("-"));
    let text = run.stdin().and_then(Value::as_literal).filter(|_| typed).map(str::to_owned);
    for line in text.iter().flat_map(|text| super::hosts::bang_lines(text)) {
        interpreters::code(run, &Value::text(&line), run.call.span);
    }
}

/// `-s module function words` and `-run` call a function before anything else is read.
pub(in crate::commands) fn erl(run: &mut Run) -> Outcome {
    let starts = |word: &Word| word.is("-s") || word.is("-run");
    for (at, flag) in run.args.iter().enumerate().filter(|(_, word)| starts(word)) {
        let words = run.args.iter().skip(at + 1).take_while(|word| !word.text.prefix().starts_with('-'));
        let words: Vec<&Word> = words.collect();
        let [module, function, given @ ..] = words.as_slice() else { continue };
        let texts = given.iter().map(|word| format!("{:?}", word.shown())).collect::<Vec<_>>().join(",");
        let code = format!("{}:{}({texts})", module.shown(), function.shown());
        inline(run, Language::Erlang, &Value::text(&code), flag, &[]);
    }
    other(run)
}

pub(in crate::commands) fn emacs(run: &mut Run) -> Outcome {
    let spec = "eval= execute= l= load= script= f= funcall= L= directory= u= user= T= title= d= display= s= socket-name= e=";
    let long = |word: &Word| {
        matches!(
            word.shown().as_str(),
            "-eval" | "-load" | "-script" | "-batch" | "-nw" | "-funcall" | "-execute"
        )
    };
    let args: Vec<Word> = run
        .args
        .iter()
        .map(|word| {
            if long(word) { Word::literal_at(&format!("-{}", word.shown()), word.span) } else { word.clone() }
        })
        .collect();
    let mut rest: &[Word] = &args;
    let mut files = Vec::new();
    // What is evaluated works on the files that were visited before it.
    let mut program = Value::empty();
    let mut told = None;
    let form = |head: &str, inside: &Value, end: &str| {
        Value::text(head).concat(inside).concat(&Value::text(end)).concat(&Value::text("\n"))
    };
    // Files and options may stand in any order.
    while !rest.is_empty() {
        let given = read(rest, spec, &[]);
        for file in
            ["l", "load", "script"].iter().flat_map(|name| given.values(name)).cloned().collect::<Vec<_>>()
        {
            from_file(run, Language::Lisp, &file, &[]);
        }
        for code in ["eval", "execute"].iter().flat_map(|name| given.values(name)) {
            program = program.concat(&form("", &code.value(), ""));
            told = told.or_else(|| Some(code.clone()));
        }
        for name in ["f", "funcall"].iter().flat_map(|name| given.values(name)) {
            program = program.concat(&form("(", &name.value(), ")"));
            told = told.or_else(|| Some(name.clone()));
        }
        if let Some(file) = given.rest.first() {
            program = program.concat(&form("(find-file \"", &file.value(), "\")"));
            files.push(file.clone());
        }
        let next = rest.len() - given.rest.len().saturating_sub(1);
        rest = if given.rest.is_empty() { &[] } else { rest.get(next..).unwrap_or_default() };
    }
    let whole = contents(run, &files);
    match told {
        Some(word) => inline(run, Language::Lisp, &program, &word, &[]),
        None => Outcome::unknown(whole.taint),
    }
}

/// AppleScript, or JavaScript in its place.
pub(in crate::commands) fn osascript(run: &mut Run) -> Outcome {
    let given = read(run.args, "e= l= s= i", &[]);
    let javascript =
        given.value(&["l"]).is_some_and(|language| language.shown().to_lowercase().starts_with('j'));
    let codes: Vec<Word> = given.values("e").cloned().collect();
    if javascript {
        return match codes.first().cloned() {
            Some(first) => inline(run, Language::JavaScript, &joined(&codes), &first, &given.rest),
            None => script(run, Language::JavaScript, &given),
        };
    }
    let texts: Vec<Value> = match (codes.is_empty(), given.rest.first()) {
        (false, _) => vec![joined(&codes)],
        (true, Some(file)) => {
            let (file, content) = (file.clone(), run.read(&file.clone(), false));
            vec![run.analyst.script(&file, run.shell).unwrap_or(content)]
        }
        (true, None) => run.stdin().cloned().into_iter().collect(),
    };
    let span = codes.first().map_or(run.call.span, |word| word.span);
    for text in texts.iter().filter(|text| taint::has(text.taint, taint::NET)) {
        run.analyst.dynamic_code(text.taint, span);
    }
    for text in texts.iter().filter_map(Value::as_literal) {
        applescript::run(run, text, span);
    }
    run.derived()
}

pub(in crate::commands) fn pwsh(run: &mut Run) -> Outcome {
    let mut args = run.args.iter();
    while let Some(word) = args.next() {
        let name = word.shown().to_lowercase();
        let Some(name) = name.strip_prefix('-').or(name.strip_prefix('/')).filter(|_| !word.is("-")) else {
            let rest: Vec<Word> = args.cloned().collect();
            let is_file = word.shown().ends_with(".ps1")
                || (run.program.starts_with("pwsh") && !word.shown().contains(' '));
            return if is_file {
                from_file(run, Language::PowerShell, &word.clone(), &rest)
            } else {
                command(run, word, &rest)
            };
        };
        match name.trim_start_matches('-') {
            "" => break,
            "c" | "command" | "commandwithargs" | "cwa" => {
                let Some(code) = args.next() else { break };
                let rest: Vec<Word> = args.cloned().collect();
                return if code.is("-") {
                    script(run, Language::PowerShell, &Given::default())
                } else {
                    command(run, &code.clone(), &rest)
                };
            }
            "f" | "file" => {
                let Some(file) = args.next() else { break };
                let rest: Vec<Word> = args.cloned().collect();
                return from_file(run, Language::PowerShell, &file.clone(), &rest);
            }
            name if name.starts_with('e') && "encodedcommand".starts_with(name) || name == "ec" => {
                let Some(code) = args.next() else { break };
                let text = powershell_command(code);
                return inline(run, Language::PowerShell, &text, &code.clone(), &[]);
            }
            "version" | "v" | "help" | "h" | "?" => return run.derived(),
            "ep" | "ex" | "exec" | "executionpolicy" | "w" | "windowstyle" | "wd" | "workingdirectory"
            | "inputformat" | "outputformat" | "psconsolefile" | "configurationname" | "settingsfile"
            | "custompipename" | "o" | "of" | "if" => {
                args.next();
            }
            _ => {}
        }
    }
    script(run, Language::PowerShell, &Given::default())
}

/// All the words that are left are the command.
fn command(run: &mut Run, code: &Word, rest: &[Word]) -> Outcome {
    let blank = Value::text(" ");
    let text = rest.iter().fold(code.value(), |text, word| text.concat(&blank).concat(&word.value()));
    inline(run, Language::PowerShell, &text, code, &[])
}

/// Debuggers: the program they start, and commands that leave them.
pub(in crate::commands) fn gdb(run: &mut Run) -> Outcome {
    let spec = "one-line= one-line-before-file= source= ex= eval-command= iex= x= command= init-command= ix= p= pid= c= core= s= symbols= d= directory= cd= o= O= S= s= f= arch= n= Q";
    let args: Vec<Word> = run.args.iter().map(dashed).collect();
    let given = read(&args, spec, &["args"]);
    let commands: Vec<Word> = ["ex", "eval-command", "iex", "o", "O", "one-line"]
        .iter()
        .flat_map(|name| given.values(name))
        .cloned()
        .collect();
    for command in commands {
        debugger_command(run, &command.shown(), &command);
    }
    for file in ["x", "command", "init-command", "ix", "s"]
        .iter()
        .flat_map(|name| given.values(name))
        .cloned()
        .collect::<Vec<_>>()
    {
        run.read(&file, false);
        let text = run
            .analyst
            .script(&file, run.shell)
            .and_then(|text| text.as_literal().map(str::to_owned))
            .unwrap_or_default();
        text.lines().take(10_000).for_each(|line| debugger_command(run, line, &file));
    }
    let marks = run.stdin().map(|text| text.taint).unwrap_or_default();
    if taint::has(marks, taint::NET) {
        run.analyst.dynamic_code(marks, run.call.span);
    }
    if let Some(text) = run.stdin().and_then(|text| text.as_literal().map(str::to_owned)) {
        let word = Word::literal_at("", run.call.span);
        text.lines().take(10_000).for_each(|line| debugger_command(run, line, &word));
    }
    let behind = run.args.iter().position(|word| word.is("--")).filter(|_| run.program == "lldb");
    if let Some(program) = behind.and_then(|at| run.args.get(at + 1..)).filter(|program| !program.is_empty())
    {
        return run.inner(program);
    }
    if given.has("args") || given.rest.first().is_some_and(|word| word.is("--")) {
        let program: Vec<Word> = given.rest.iter().skip_while(|word| word.is("--")).cloned().collect();
        return if program.is_empty() { run.derived() } else { run.inner(&program) };
    }
    run.derived()
}

/// Long options may be written with one dash.
fn dashed(word: &Word) -> Word {
    let text = word.shown();
    let long = [
        "-ex",
        "-iex",
        "-eval-command",
        "-command",
        "-batch",
        "-args",
        "-nx",
        "-quiet",
        "-x",
        "-pid",
        "-cd",
        "-ix",
    ]
    .contains(&text.split('=').next().unwrap_or_default());
    if long && text.contains('=') {
        let mut dashed = tollgate_shell::value::Text::literal("-");
        dashed.append(&word.text);
        return Word { text: dashed, ..word.clone() };
    }
    if long { Word::literal_at(&format!("-{text}"), word.span) } else { word.clone() }
}

fn debugger_command(run: &mut Run, line: &str, word: &Word) {
    let line = line.trim();
    let (name, rest) =
        line.split_at(line.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(line.len()));
    let rest = rest.trim();
    match name {
        "shell" | "pipe" => drop(interpreters::code(run, &Value::text(rest), word.span)),
        "show" if matches!(rest, "environment" | "env") => {
            run.push(tollgate_model::EffectKind::EnvRead { what: tollgate_model::EnvUse::All });
        }
        "" if line.starts_with('!') => {
            drop(interpreters::code(run, &Value::text(line.trim_start_matches('!')), word.span))
        }
        "platform" => {
            let command = rest.strip_prefix("shell").unwrap_or_default().trim_start_matches(" -h").trim();
            if !command.is_empty() {
                interpreters::code(run, &Value::text(command), word.span);
            }
        }
        "python" | "py" | "pi" | "python-interactive" | "script" => {
            drop(inline(run, Language::Python, &Value::text(rest), word, &[]))
        }
        "compile" => drop(inline(run, Language::Slashed, &Value::text(rest), word, &[])),
        "dump" | "save" | "append" => {
            let file = rest.split_whitespace().find(|word| word.contains('/')).unwrap_or_default();
            written(run, file, word);
        }
        "set" if rest.starts_with("logging file ") || rest.starts_with("log file ") => {
            written(run, rest.rsplit(' ').next().unwrap_or_default(), word);
        }
        "call" | "print" | "p" | "expr" | "expression" | "eval" => {
            drop(inline(run, Language::Slashed, &Value::text(rest), word, &[]))
        }
        _ => {}
    }
}

/// A file that the debugger writes.
fn written(run: &mut Run, file: &str, word: &Word) {
    if !file.is_empty() {
        let file = Word::literal_at(file, word.span);
        run.analyst.write(&file, tollgate_model::WriteMode::Overwrite, None, run.shell);
    }
}
