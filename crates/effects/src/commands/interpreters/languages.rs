//! Interpreters of other languages: where their code comes from, by each one's own options.

use tollgate_model::{Certainty, CodeSource, EffectKind, EnvUse, FileKind, Place};
use tollgate_shell::eval::{Outcome, Stream};
use tollgate_shell::value::{Taint, Value};

use super::given::{Given, read};
use super::modules::{makes_environment, own_module, zipped};
use super::preamble;
use super::script_of;
use crate::analyst::taint;
use crate::catalogue;
use crate::commands::{Handler, Run, loads, stream};
use crate::languages::{self, Language, Program, edits};
use crate::word::Word;

/// An interpreter with its version in its name: `python3.12`.
pub(in crate::commands) fn versioned(program: &str) -> Option<Handler> {
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if plain.len() == program.len() {
        return None;
    }
    let plain = plain.trim_end_matches('-');
    catalogue::find(plain).filter(|known| known.is_versioned)?;
    crate::commands::handlers::find(plain)?.handler
}

pub(in crate::commands) fn python(run: &mut Run) -> Outcome {
    let spec = "c= m= W= X= check-hash-based-pycs=";
    let given = read(run.args, spec, &["c", "m"]);
    if let Some(code) = given.value(&["c"]).cloned() {
        if run.program.starts_with("ipython") {
            for line in super::hosts::bang_lines(&code.shown()) {
                crate::commands::interpreters::code(run, &Value::text(&line), code.span);
            }
        }
        return inline(run, Language::Python, &code.value(), &code, &given.rest);
    }
    if let Some(module) = given.value(&["m"]).cloned() {
        return python_module(run, &module, &given.rest);
    }
    script(run, Language::Python, &given)
}

/// `python -m module`: some modules are commands of their own.
fn python_module(run: &mut Run, module: &Word, rest: &[Word]) -> Outcome {
    let name = module.shown();
    let command = match name.as_str() {
        "pip" | "pip3" | "pytest" | "pipx" | "virtualenv" | "coverage" | "poetry" | "uv" | "twine"
        | "ansible" | "black" | "isort" | "ruff" | "yapf" | "autopep8" | "autoflake" | "docformatter"
        | "pyupgrade" | "ufmt" | "dotenv" | "keyring" | "httpie" | "awscli" | "streamlink" => name.as_str(),
        "pip._internal" | "pip.__main__" => "pip",
        _ => "",
    };
    if !command.is_empty() {
        let mut words = vec![Word::literal_at(command, module.span)];
        words.extend(rest.iter().cloned());
        return run.inner(&words);
    }
    if name == "pdb" {
        for pair in rest.windows(2).filter(|pair| pair.first().is_some_and(|word| word.is("-c"))) {
            if let Some(code) = pair.last() {
                inline(run, Language::Python, &code.value(), code, &[]);
            }
        }
    }
    let operands: Vec<Word> = rest.iter().filter(|word| !word.shown().starts_with('-')).cloned().collect();
    match (name.as_str(), operands.first()) {
        ("timeit", Some(first)) => {
            return inline(run, Language::Python, &joined(&operands), first, &[]);
        }
        ("cProfile" | "profile" | "pdb" | "trace" | "debugpy" | "runpy", Some(file))
            if file.shown().ends_with(".py") =>
        {
            return from_file(run, Language::Python, file, &[]);
        }
        _ => {}
    }
    if name == "zipapp" {
        zipped(run, rest);
    }
    if name == "venv" {
        makes_environment(run, &operands);
    }
    let unpacks = rest.iter().position(|word| word.is("-e") || word.is("--extract"));
    if let (true, Some(at)) = (matches!(name.as_str(), "zipfile" | "tarfile"), unpacks) {
        let here = Word::literal_at(".", module.span);
        let folder = rest.get(at + 2).filter(|word| !word.shown().starts_with('-')).cloned();
        crate::commands::archives::extract(run, &folder.unwrap_or(here));
        return run.derived();
    }
    let reads =
        ["json.tool", "base64", "ast", "tokenize", "zipfile", "tarfile", "gzip", "calendar", "pyclbr"];
    if reads.contains(&name.as_str()) {
        let mut whole = run.stdin().cloned().map_or(Taint::NONE, |value| value.taint);
        for word in rest.iter().filter(|word| !word.shown().starts_with('-')) {
            whole = whole.union(run.read(word, false).taint);
        }
        let decoded = name == "base64" && rest.iter().any(|word| word.is("-d") || word.is("-u"));
        return Outcome::unknown(if decoded { whole.union(taint::DECODED) } else { whole });
    }
    own_module(run, module, rest)
}

pub(in crate::commands) fn node(run: &mut Run) -> Outcome {
    let spec = "e= eval= p= print= r= require= import= C= conditions= loader= experimental-loader= env-file= env-file-if-exists= \
        input-type= O= P= project= compilerOptions= test-name-pattern= title= icu-data-dir= openssl-config= \
        redirect-warnings= report-dir= watch-path= inspect-port= stack-trace-limit= experimental-default-type=";
    // `-pe` is one option, not `-p` with the code `e`.
    let plain = |word: &Word| if word.is("-pe") { Word::literal_at("-p", word.span) } else { word.clone() };
    let args: Vec<Word> = run.args.iter().map(plain).collect();
    let given = read(&args, spec, &["e", "eval", "p", "print"]);
    for name in ["r", "require", "import", "loader", "experimental-loader"] {
        for word in given.values(name).cloned().collect::<Vec<_>>() {
            if word.is("dotenv/config") {
                run.analyst.load_variables(&Word::literal_at(".env", word.span), run.shell);
            }
            if let Some(code) = crate::url::data(&word.shown()) {
                inline(run, Language::JavaScript, &Value::text(&code), &word, &[]);
            }
        }
        for file in given
            .values(name)
            .filter(|file| file.shown().starts_with(['.', '/']))
            .cloned()
            .collect::<Vec<_>>()
        {
            from_file(run, Language::JavaScript, &file, &[]);
            loads::load(run, &file);
        }
    }
    let code = given.value(&["e", "eval", "p", "print"]).cloned();
    match code {
        Some(code) => {
            let prints = given.has("p") || given.has("print");
            inline(run, Language::JavaScript, &preamble::printing(&code.value(), prints), &code, &given.rest)
        }
        None if given.has("check")
            || given.has("c")
            || given.has("v")
            || given.has("version")
            || given.has("test") =>
        {
            run.derived()
        }
        None => script(run, Language::JavaScript, &given),
    }
}

pub(in crate::commands) fn deno(run: &mut Run) -> Outcome {
    let Some((verb, rest)) = run.args.split_first() else { return run.derived() };
    let spec = "c= config= import-map= lock= reload? L= log-level= ext= env-file? seed= location= cert=";
    let given = read(rest, spec, &[]);
    match verb.shown().as_str() {
        "eval" => match given.rest.split_first() {
            Some((code, args)) => inline(run, Language::JavaScript, &code.value(), code, args),
            None => run.derived(),
        },
        "run" | "serve" | "x" => script(run, Language::JavaScript, &given),
        "task" | "test" | "fmt" | "lint" | "check" | "add" | "install" | "init" | "cache" | "bench"
        | "compile" => run.derived(),
        _ if verb.shown().starts_with('-') => {
            let given = read(run.args, spec, &[]);
            script(run, Language::JavaScript, &given)
        }
        file if is_script_name(file) => from_file(run, Language::JavaScript, verb, rest),
        _ => run.derived(),
    }
}

pub(in crate::commands) fn bun(run: &mut Run) -> Outcome {
    let spec = "e= eval= p= print= r= preload= require= cwd= c= config= define= env-file= port= filter= F=";
    let words = run.args.split_first().filter(|(verb, _)| verb.is("run")).map(|(_, rest)| rest);
    let given = read(words.unwrap_or(run.args), spec, &["e", "eval", "p", "print"]);
    if let Some(code) = given.value(&["e", "eval", "p", "print"]).cloned() {
        let prints = given.has("p") || given.has("print");
        return inline(
            run,
            Language::JavaScript,
            &preamble::printing(&code.value(), prints),
            &code,
            &given.rest,
        );
    }
    let given = read(run.args, spec, &["e", "eval"]);
    match given.rest.split_first() {
        Some((verb, rest)) if verb.is("run") => {
            let inner = read(rest, spec, &[]);
            match inner.rest.first() {
                Some(file) if is_script_name(&file.shown()) || file.is("-") => {
                    script(run, Language::JavaScript, &inner)
                }
                _ => run.derived(),
            }
        }
        Some((file, _)) if is_script_name(&file.shown()) || file.is("-") => {
            script(run, Language::JavaScript, &given)
        }
        _ => run.derived(),
    }
}

fn is_script_name(name: &str) -> bool {
    let extensions = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx"];
    extensions.iter().any(|extension| name.ends_with(extension)) || name.starts_with("http")
}

const PERL: &str = "e= E= i? l# 0# F? I= M? m? x? C# D? V?";

pub(in crate::commands) fn perl(run: &mut Run) -> Outcome {
    let given = read(run.args, PERL, &[]);
    let codes: Vec<Word> = given.values("e").chain(given.values("E")).cloned().collect();
    if given.has("c") && codes.is_empty() {
        return run.derived();
    }
    for module in given.values("M").filter(|module| module.literal().is_none()) {
        run.analyst.dynamic_code(module.taint, module.span);
    }
    let before = preamble::perl(&given);
    let Some(first) = codes.first().cloned() else {
        return script_after(run, Language::Perl, &given, &before);
    };
    if given.values("M").any(|module| module.text.prefix().starts_with("ExtUtils::Command"))
        && let Some(words) = made_command(&first, &given.rest)
    {
        return run.inner(&words);
    }
    let code = before.concat(&joined(&codes));
    let loops = given.has("n") || given.has("p");
    let whole = if given.has("p") { code.concat(&Value::text("\n;print $_;")) } else { code.clone() };
    let outcome = inline(run, Language::Perl, &whole, &first, &given.rest);
    if !loops {
        return outcome;
    }
    // The same for every line: nothing of the file is left.
    let replaced = given.has("p") && outcome.stdout.as_literal().is_some();
    let prints =
        !replaced && given.has("p") || shows(&code, &["print", "say", "printf", "write", "syswrite"]);
    edited(run, &given, outcome, prints)
}

/// Does code that is known have one of these words in it? Of what is not known, it may be so.
fn shows(code: &Value, words: &[&str]) -> bool {
    code.as_literal().is_none_or(|text| words.iter().any(|word| text.contains(word)))
}

/// The commands that `ExtUtils::Command` has for makefiles: each takes the words behind it.
fn made_command(code: &Word, words: &[Word]) -> Option<Vec<Word>> {
    let name = code.literal()?.trim().trim_end_matches(';').trim_end_matches("()");
    let command: &[&str] = match name {
        "rm_rf" => &["rm", "-rf"],
        "rm_f" => &["rm", "-f"],
        "cp" => &["cp"],
        "mv" => &["mv"],
        "cat" => &["cat"],
        "chmod" => &["chmod"],
        _ => return None,
    };
    let named = command.iter().map(|word| Word::literal_at(word, code.span));
    Some(named.chain(words.iter().filter(|word| !word.is("--")).cloned()).collect())
}

/// `perl -ne`, `-pe`, `-pi -e` and the same of Ruby: the operands are read, and written with `-i`.
fn edited(run: &mut Run, given: &Given, outcome: Outcome, prints: bool) -> Outcome {
    let mut marks = outcome.stdout.taint.union(run.stdin().map_or(Taint::NONE, |value| value.taint));
    for file in &given.rest {
        marks = marks.union(run.read(file, false).taint);
        if given.has("i") {
            // Plain replacements of one line are what sed makes of them.
            let scripts: Vec<String> =
                given.values("e").filter_map(|code| code.literal().map(str::to_owned)).collect();
            let plain = prints
                && !scripts.is_empty()
                && scripts.iter().all(|code| code.trim_start().starts_with(['s', 'y']));
            match plain {
                true => stream::in_place(
                    run,
                    file,
                    &|text| edits::edited(&scripts, text, true, false),
                    &edits::added(&scripts),
                ),
                false if prints => stream::in_place(run, file, &|_| None, &quoted(&scripts)),
                false => stream::rewritten(run, file, false),
            }
        }
    }
    Outcome::unknown(marks)
}

/// Texts of several words that stand in code: what it puts into a file may be any of them.
pub(in crate::commands) fn quoted(codes: &[String]) -> Vec<String> {
    let mut texts = Vec::new();
    for code in codes {
        let mut rest = code.as_str();
        while let Some(at) = rest.find(['"', '\'']) {
            let (mark, after) = rest.split_at(at).1.split_at(1);
            let Some((text, behind)) = after.split_once(mark) else { break };
            if text.contains(' ') && texts.len() < 64 {
                texts.push(format!("{}\n", text.replace("\\n", "\n")));
            }
            rest = behind;
        }
    }
    texts
}

const UTILITIES: &[&str] = &["cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"];

pub(in crate::commands) fn ruby(run: &mut Run) -> Outcome {
    let spec = "e= E? F= i? I= r= K? W? x? 0# C= X= T# l a n p s S c d h v w y external-encoding= internal-encoding= \
        encoding= backtrace-limit= dump= prompt= context-mode= back-trace-limit=";
    let given = read(run.args, spec, &[]);
    for file in
        given.values("r").filter(|file| file.shown().starts_with(['.', '/'])).cloned().collect::<Vec<_>>()
    {
        from_file(run, Language::Ruby, &file, &[]);
        loads::load(run, &file);
    }
    let codes: Vec<Word> = given.values("e").cloned().collect();
    let before = preamble::ruby(&given);
    let Some(first) = codes.first().cloned() else {
        return match given.has("c") {
            true => run.derived(),
            false => script_after(run, Language::Ruby, &given, &before),
        };
    };
    // The library `un` has the utilities of files as functions: `ruby -run -e rm -- -rf x`.
    let is_utility = UTILITIES.contains(&first.shown().as_str());
    if is_utility && given.values("r").any(|library| library.is("un")) {
        let words: Vec<Word> = std::iter::once(first).chain(given.rest.iter().cloned()).collect();
        return run.inner(&words);
    }
    let end = Value::text(if given.has("p") { "\nprint $_" } else { "" });
    let code = before.concat(&joined(&codes)).concat(&end);
    let outcome = inline(run, Language::Ruby, &code, &first, &given.rest);
    let replaced = given.has("p") && outcome.stdout.as_literal().is_some();
    let prints = !replaced && given.has("p")
        || shows(&joined(&codes), &["print", "puts", "putc", "write", "p ", "display", "<<"]);
    if given.has("n") || given.has("p") { edited(run, &given, outcome, prints) } else { outcome }
}

pub(in crate::commands) fn php(run: &mut Run) -> Outcome {
    let spec = "r= run= B= process-begin= R= process-code= E= process-end= f= file= F= process-file= d= define= c= \
        php-ini= z= zend-extension= S= server= t= docroot= rf= rc= re= rz= ri=";
    let given = read(run.args, spec, &["r", "run"]);
    for word in given.values("d").chain(given.values("define")).cloned().collect::<Vec<_>>() {
        let shown = word.shown();
        let file = ["auto_prepend_file=", "auto_append_file="].iter().find(|name| shown.starts_with(**name));
        if let Some(name) = file {
            from_file(run, Language::Php, &word.from(name.len()), &[]);
        }
    }
    let codes: Vec<Word> = ["r", "run", "B", "process-begin", "R", "process-code", "E", "process-end"]
        .iter()
        .flat_map(|name| given.values(name))
        .cloned()
        .collect();
    if let Some(first) = codes.first().cloned() {
        return inline(run, Language::Php, &joined(&codes), &first, &given.rest);
    }
    if let Some(file) = given.value(&["f", "file", "F", "process-file"]).cloned() {
        return from_file(run, Language::Php, &file, &given.rest);
    }
    if given.has("i") || given.has("info") {
        run.push(EffectKind::EnvRead { what: EnvUse::All });
    }
    let looks = ["i", "info", "l", "syntax-check", "m", "v", "version", "S", "server", "h", "help", "ini"];
    if looks.iter().any(|name| given.has(name)) { run.derived() } else { script(run, Language::Php, &given) }
}

/// Several texts as one, a line each.
pub(super) fn joined(codes: &[Word]) -> Value {
    let newline = Value::text("\n");
    let code = codes.iter().map(Word::value).reduce(|left, right| left.concat(&newline).concat(&right));
    code.unwrap_or_else(Value::empty)
}

/// Code on the command line.
pub(in crate::commands) fn inline(
    run: &mut Run,
    language: Language,
    code: &Value,
    word: &Word,
    args: &[Word],
) -> Outcome {
    let program =
        Program { code: code.clone(), span: word.span, file: None, from_input: false, args: args.to_vec() };
    languages::run(run, language, &program)
}

/// The first word that is no option, or standard input.
pub(super) fn script(run: &mut Run, language: Language, given: &Given) -> Outcome {
    script_after(run, language, given, &Value::empty())
}

/// The same, after what the options say is run first.
fn script_after(run: &mut Run, language: Language, given: &Given, before: &Value) -> Outcome {
    match given.rest.split_first() {
        Some((file, args)) if !file.is("-") => {
            let file = if language == Language::JavaScript { module(run, file) } else { file.clone() };
            from_file_after(run, language, &file, args, before)
        }
        Some((_, args)) => from_input(run, language, args, before),
        None => from_input(run, language, &[], before),
    }
}

/// The file that node means by a name: with one of its extensions, or the index of a folder.
fn module(run: &Run, file: &Word) -> Word {
    let ends = ["", ".js", ".cjs", ".mjs", ".ts", "/index.js"];
    let named = |end: &str| {
        let mut word = file.clone();
        word.text.push_str(end);
        word
    };
    let is_file = |place: &Place| run.analyst.world.kind(&place.path) == FileKind::File;
    let there = |word: &Word| {
        run.shell.file(&word.value()).is_some()
            || run.analyst.places(word, run.shell).iter().any(|(place, _)| is_file(place))
    };
    ends.iter().map(|end| named(end)).find(there).unwrap_or_else(|| file.clone())
}

/// A script file.
pub(in crate::commands) fn from_file(
    run: &mut Run,
    language: Language,
    file: &Word,
    args: &[Word],
) -> Outcome {
    from_file_after(run, language, file, args, &Value::empty())
}

fn from_file_after(run: &mut Run, language: Language, file: &Word, args: &[Word], before: &Value) -> Outcome {
    let shown = file.shown();
    if shown.starts_with("http://") || shown.starts_with("https://") {
        let host = shown.split('/').nth(2).unwrap_or_default().to_owned();
        run.push(EffectKind::Net { host, direction: tollgate_model::NetDirection::In, carries: Vec::new() });
        run.analyst.dynamic_code(taint::NET, file.span);
        return run.derived();
    }
    if matches!(shown.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
        return from_input(run, language, args, before);
    }
    run.in_files(|run| follow_file(run, language, file, args, before))
}

fn follow_file(run: &mut Run, language: Language, file: &Word, args: &[Word], before: &Value) -> Outcome {
    let shown = file.shown();
    let content = run.read(file, false);
    run.analyst.recall(file, run.shell);
    let Some(code) = run.analyst.program_text(file, run.shell) else {
        if taint::has(content.taint, taint::NET) {
            run.analyst.dynamic_code(content.taint, file.span);
        }
        let kind = EffectKind::Exec { program: shown, argv: Vec::new(), source: CodeSource::File };
        run.analyst.push(kind, file.span, Certainty::Certain);
        return run.derived();
    };
    let code = before.concat(&code);
    let program =
        Program { code, span: file.span, file: Some(file.clone()), from_input: false, args: args.to_vec() };
    languages::run(run, language, &program)
}

/// A program on standard input.
fn from_input(run: &mut Run, language: Language, args: &[Word], before: &Value) -> Outcome {
    let span = run.call.span;
    let Some(code) = run.stdin().cloned() else {
        if run.call.stdin.stream == Stream::Pipe {
            run.analyst.dynamic_code(Taint::NONE, span);
        }
        return run.derived();
    };
    let code = before.concat(&script_of(run, code));
    let program = Program { code, span, file: None, from_input: true, args: args.to_vec() };
    languages::run(run, language, &program)
}
