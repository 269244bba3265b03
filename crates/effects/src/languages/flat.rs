//! Languages that are read flat: Lua, R, Julia, and the long tail. Every statement counts, whatever block it
//! stands in; a variable is everything it was ever set to. One catalogue serves them all: the names of
//! what runs, deletes, writes and sends hardly clash.

use std::rc::Rc;

use super::expr::{ARGUMENT, UNARY};
use super::machine::Machine;
use super::ops::{Known, Op};
use super::pure::Pure;
use super::syntax::{Infix, Syntax, no_block};
use super::token::{
    Parts, Scan, Tok, Token, Tokens, brackets, embedded, escape, is_name, is_stand_in, plain, starts_name,
};
use super::value::Val;

pub(super) static LUA: Syntax = Syntax { lex: |text| lex(text, &["--"], None), ..FLAT };
pub(super) static HASHED: Syntax = Syntax { lex: |text| lex(text, &["#"], Some("#{")), ..FLAT };
pub(super) static SLASHED: Syntax = Syntax { lex: |text| lex(text, &["//"], Some("${")), ..FLAT };
pub(super) static MARKED: Syntax = Syntax { lex: |text| lex(text, &["%", "#"], None), ..FLAT };
pub(super) static DASHED: Syntax = Syntax { lex: |text| lex(text, &["--"], None), ..FLAT };

const FLAT: Syntax = Syntax {
    lex: |text| lex(text, &["#"], None),
    statement,
    primary,
    operator,
    members: &[".", ":", "?.", "->", "::", "@"],
    bare_calls: false,
    flat: true,
    block: no_block,
    slices: false,
    module: |_, name| Val::name(name),
    function,
    method,
    canonical,
    foreign: |_| false,
    risky: &["os"],
    keeps_output: false,
    local: false,
    symbolic: false,
};

const OPS: &[&str] = &[
    "<<-", "...", "===", "!==", "<-", "->", "=>", "|>", "::", "==", "!=", "~=", "<=", ">=", "&&", "||", "++",
    "--", "+=", "-=", "*=", "/=", ".=", "..", "<>", ":=", "?.", "**", "(", ")", "[", "]", "{", "}", ";", ",",
    ".", "=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "&", "|", "^", "~", "@", "$", "#", "\\",
];

fn lex(text: &str, comments: &[&str], code: Option<&str>) -> Rc<[Token]> {
    let mut scan = Scan::new(text);
    let mut tokens = Tokens { fresh: true, ..Tokens::default() };
    if scan.sees("#!") {
        scan.line();
    }
    while !scan.done() {
        step(&mut scan, &mut tokens, comments, code);
    }
    tokens.finish(brackets)
}

fn step(scan: &mut Scan, tokens: &mut Tokens, comments: &[&str], code: Option<&str>) {
    let Some(c) = scan.peek() else { return };
    match c {
        _ if c.is_whitespace() => {
            scan.next();
            tokens.spaced = true;
            tokens.fresh |= c == '\n';
        }
        '-' if scan.sees("--[[") => {
            scan.until("]]");
        }
        '/' if scan.sees("/*") => {
            scan.until("*/");
        }
        _ if comments.iter().any(|mark| scan.sees(mark)) && !scan.sees("#{") => {
            scan.line();
        }
        '[' if scan.sees("[[") && comments == ["--"] => {
            scan.at += 2;
            let text = scan.until("]]");
            tokens.push(Tok::Str(plain(text)));
        }
        '"' | '\'' | '`' => string(scan, tokens, code),
        // Scala runs a text with `"…".!`.
        '.' if scan.sees(".!") => {
            scan.next();
            scan.take(|c| c == '!');
            ["."].into_iter().for_each(|op| tokens.push(Tok::Op(op)));
            tokens.push(Tok::Name(Rc::from("execute")));
            ["(", ")"].into_iter().for_each(|op| tokens.push(Tok::Op(op)));
        }
        '0'..='9' => {
            let number = scan.number();
            tokens.push(number);
        }
        _ if starts_name(c) => {
            let name = scan.take(|c| is_name(c) || c == '!');
            let name = name.trim_end_matches('!');
            let unknown = name.chars().all(is_stand_in);
            tokens.push(if unknown { Tok::Other } else { Tok::Name(Rc::from(name)) });
        }
        _ => match scan.op(OPS) {
            Some(op) => tokens.push(Tok::Op(op)),
            None => {
                scan.next();
            }
        },
    }
}

fn string(scan: &mut Scan, tokens: &mut Tokens, code: Option<&str>) {
    let Some(quote) = scan.next() else { return };
    let long = [quote, quote].iter().collect::<String>();
    let end = if scan.eat(&long) { format!("{long}{quote}") } else { quote.to_string() };
    let mut parts = Parts::default();
    while !scan.done() && !scan.eat(&end) {
        match code {
            Some(mark) if quote != '\'' && scan.eat(mark) => {
                let expression = embedded(scan);
                parts.code(expression);
                continue;
            }
            _ => {}
        }
        match scan.next() {
            Some('\\') => escape(scan, &mut parts),
            Some(c) => parts.push(c),
            None => break,
        }
    }
    tokens.push(Tok::Str(parts.finish()));
}

fn operator(tok: &Tok) -> Option<(u8, Infix)> {
    Some(match tok {
        Tok::Name(name) => match &**name {
            "or" | "orelse" => (4, Infix::Either),
            "and" | "andalso" => (5, Infix::Second),
            _ => return None,
        },
        Tok::Op(op) => match *op {
            "=" | "<-" | "<<-" | ":=" => (2, Infix::Assign),
            "+=" | ".=" => (2, Infix::AddAssign),
            "-=" | "*=" | "/=" => (2, Infix::OtherAssign),
            "?" => (3, Infix::Choice),
            "||" => (4, Infix::Either),
            "&&" => (5, Infix::Second),
            "==" | "===" | "!=" | "~=" | "!==" | "<" | ">" | "<=" | ">=" => (10, Infix::Other),
            "|>" => (12, Infix::Feed),
            ".." | "<>" | "++" | "&" => (30, Infix::Join),
            "+" => (30, Infix::Add),
            "-" => (30, Infix::Number('-')),
            "*" => (40, Infix::Number('*')),
            "/" => (40, Infix::Slash),
            "%" => (40, Infix::Format),
            "^" | "**" | "|" => (45, Infix::Other),
            _ => return None,
        },
        _ => return None,
    })
}

/// Words between statements that do nothing on their own.
fn is_structure(word: &str) -> bool {
    matches!(
        word,
        "local"
            | "var"
            | "let"
            | "val"
            | "const"
            | "if"
            | "then"
            | "else"
            | "elseif"
            | "elsif"
            | "end"
            | "while"
            | "do"
            | "for"
            | "in"
            | "return"
            | "begin"
            | "try"
            | "catch"
            | "finally"
            | "repeat"
            | "until"
            | "switch"
            | "case"
            | "foreach"
            | "unless"
            | "when"
            | "new"
            | "not"
            | "static"
            | "public"
            | "private"
            | "await"
            | "async"
            | "println!"
            | "of"
            | "endif"
            | "endfunction"
            | "endwhile"
            | "import"
            | "using"
            | "require"
            | "alias"
            | "throw"
            | "def"
            | "defp"
            | "fun"
            | "fn"
    )
}

fn statement(m: &mut Machine) {
    match m.peek() {
        Some(Tok::Op("{")) => m.at += 1,
        Some(Tok::Op(";" | "}" | ")" | "]" | "," | ":" | "=>" | "->" | "=" | "." | "|" | "<" | ">")) => {
            m.at += 1
        }
        Some(Tok::Name(word)) if is_structure(word) && !matches!(m.ahead(1), Some(Tok::Op("." | "("))) => {
            m.at += 1
        }
        Some(Tok::Name(word)) if &**word == "function" => skip_header(m),
        // Gnuplot's `!command`.
        Some(Tok::Op("!")) => m.at += 1,
        _ => {
            m.expr(0);
        }
    }
}

/// `function name(params)`: what follows runs as if it stood here.
fn skip_header(m: &mut Machine) {
    m.at += 1;
    while matches!(m.peek(), Some(Tok::Name(_) | Tok::Op("." | ":"))) {
        m.at += 1;
    }
    if m.sees("(") {
        m.at = m.pair() + 1;
    }
}

fn primary(m: &mut Machine, tok: &Tok) -> Val {
    match tok {
        Tok::Name(name) if &**name == "function" => {
            skip_header(m);
            Val::unknown()
        }
        Tok::Name(name) if is_structure(name) && !matches!(m.ahead(1), Some(Tok::Op("." | "("))) => {
            m.at += 1;
            m.expr(UNARY)
        }
        Tok::Name(name) => {
            m.at += 1;
            m.lookup(name)
        }
        Tok::Op("(") => {
            let close = m.pair();
            let value = m.range(m.at + 1..close, |m| {
                let value = m.expr(0);
                m.statements();
                value
            });
            m.at = close + 1;
            value
        }
        Tok::Op("[" | "{") => {
            let close = m.pair();
            let args = m.range(m.at + 1..close, Machine::argument_list);
            m.at = close + 1;
            if args.list.is_empty() { Val::table(args.named) } else { Val::list(args.list) }
        }
        // `:os` in Elixir, `%x` in Octave.
        Tok::Op(":" | "%" | "$" | "@") => {
            m.at += 1;
            m.expr(ARGUMENT + UNARY)
        }
        _ => Val::unknown(),
    }
}

fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in [
        "_G.",
        "package.loaded.",
        "java.lang.",
        "java.io.",
        "java.nio.file.",
        "System.IO.",
        "System.Diagnostics.",
        "sys.process.",
        "scala.sys.process.",
        "System.Process.",
        "System.Directory.",
        "kotlin.io.",
        "base.",
    ] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    (plain != name).then(|| plain.to_owned())
}

fn function(name: &str) -> Option<Op> {
    commands(name).or_else(|| files(name)).or_else(|| others(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        // Lua; Octave, gnuplot and R; Julia; Elixir and Erlang; Haskell; nvim.
        "os.execute" | "system" | "shell" | "shell_cmd" | "unix" | "dos" | "run" | "os.cmd"
        | "System.shell" | "callCommand" | "shell.exec" | "vim.fn.system" | "vim.fn.systemlist"
        | "success" | "std.process.system" => Op::Shell,
        "io.popen" | "popen" | "readchomp" | "readProcess" => Op::ShellOut,
        "system2" | "System.cmd" | "callProcess" | "rawSystem" | "processx.run" | "subprocess.run" => {
            Op::Spawn
        }
        "Runtime.getRuntime.exec"
        | "Runtime.runtime.exec"
        | "ProcessBuilder"
        | "Process"
        | "os.proc"
        | "Seq.execute"
        | "exec.Command"
        | "Command.new"
        | "Process.run"
        | "Process.runSync"
        | "vim.system"
        | "vim.loop.spawn" => Op::System,
        "Process.Start" => Op::StartText,
        "exit" | "os.exit" | "quit" | "q" | "sleep" | "Sys.sleep" => Op::Calm,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "os.remove"
        | "file.remove"
        | "delete"
        | "File.rm"
        | "file.delete"
        | "removeFile"
        | "File.Delete"
        | "lfs.rmdir"
        | "Files.delete"
        | "Files.deleteIfExists"
        | "vim.fn.delete"
        | "file_delete"
        | "fs.file_delete"
        | "removeDirectory" => Op::Delete,
        "unlink" | "rm" | "rmdir" | "Directory.Delete" | "fs.remove" => Op::DeleteMaybe,
        "File.rm_rf"
        | "removeDirectoryRecursive"
        | "file.del_dir_r"
        | "removePathForcibly"
        | "fs.dir_delete"
        | "confirm_recursive_rmdir"
        | "os.remove.all"
        | "os.RemoveAll"
        | "std.fs.remove_dir_all"
        | "fs.remove_dir_all"
        | "remove_dir_all"
        | "os.rmdir_all"
        | "removeDir"
        | "FileManager.default.removeItem" => Op::DeleteTree,
        "os.rename" | "file.rename" | "mv" | "File.rename" | "renameFile" | "File.Move" | "Files.move"
        | "Directory.Move" => Op::Move,
        "file.copy" | "cp" | "File.cp" | "copyFile" | "File.Copy" | "Files.copy" => Op::Copy,
        "File.cp_r" => Op::CopyTree,
        "io.input" => Op::Read,
        "io.output" => Op::Create,
        "io.open" | "open" | "fopen" | "file" | "File.open" => Op::Open,
        "io.lines" | "readLines" | "readlines" | "eachline" => Op::Lines,
        "read" | "readRDS" | "read.csv" | "readline" | "fileread" | "readFile" | "File.read"
        | "File.ReadAllText" | "Files.readString" | "scan" | "read_csv" | "file.read_file" | "readstring" => {
            Op::Read
        }
        "write" | "File.write" | "writeFile" | "File.WriteAllText" | "Files.writeString"
        | "file.write_file" | "saveRDS" => Op::Write,
        "appendFile" | "File.AppendAllText" => Op::Append,
        "writeLines" | "cat" => Op::WriteTo,
        "Sys.chmod" | "chmod" => Op::Permission,
        "list.files" | "readdir" | "File.ls" | "listDirectory" | "lfs.dir" => Op::ReadDir,
        "Sys.glob" | "glob" => Op::Glob,
        "setwd" | "cd" | "lfs.chdir" | "chdir" => Op::ChangeDir,
        "download.file" | "download" | "Downloads.download" | "urlwrite" => Op::Download,
        "url"
        | "urlread"
        | "HTTP.get"
        | "httr.GET"
        | "GET"
        | "http.request"
        | "socket.http.request"
        | "httpc.request"
        | "HTTPoison.get"
        | "Req.get" => Op::Fetch,
        "httr.POST" | "POST" | "HTTP.post" | "HTTPoison.post" | "Req.post" => Op::Post,
        "socket.connect" | "socketConnection" | "gen_tcp.connect" | "connect" => Op::Connect,
        _ => return None,
    })
}

fn others(name: &str) -> Option<Op> {
    Some(match name {
        "load" | "loadstring" | "Code.eval_string" | "eval" | "Meta.parse" | "evalin" | "parse"
        | "Eval.me" | "vim.cmd" | "include_string" => Op::Eval,
        "dofile" | "loadfile" | "source" | "include" | "Code.eval_file" | "sys.source" => Op::EvalFile,
        "print" | "println" | "io.write" | "IO.puts" | "puts" | "disp" | "putStrLn" | "message" => {
            Op::Print(true)
        }
        "io.read" | "readInput" | "IO.gets" | "getLine" => Op::Input,
        "arg" | "ARGS" | "args" => Op::Known(Known::Arguments),
        "commandArgs" => Op::Now(Known::Arguments),
        "os.getenv" | "Sys.getenv" | "getenv" | "System.get_env" | "System.getenv" | "os.getenv.all"
        | "lookupEnv" | "System.getProperty" | "vim.env" | "sys.env.get" => Op::Env,
        "ENV" | "environ" | "sys.env" => Op::Known(Known::Environment),
        "homedir" | "getHomeDirectory" | "System.user_home" => Op::Now(Known::Home),
        "getwd" | "pwd" | "lfs.currentdir" => Op::Now(Known::Folder),
        "tempdir" | "tempfile" | "tempname" | "os.tmpname" | "mktempdir" => Op::Now(Known::TempFile),
        "string.char" | "intToUtf8" | "rawToChar" | "Char" | "char" => Op::Pure(Pure::Chars),
        "string.reverse" | "reverse" | "rev" | "String.reverse" => Op::Pure(Pure::Reverse),
        "string.format" | "sprintf" | "format" => Op::Pure(Pure::Printf),
        "table.concat" | "join" | "Enum.join" => Op::Pure(Pure::JoinBy),
        "paste0" | "string" | "strcat" | "c_str" => Op::Pure(Pure::Concat),
        "paste" => Op::Pure(Pure::JoinArgs),
        "c" | "list" | "vec" => Op::Pure(Pure::List),
        "file.path" | "joinpath" | "Path.join" | "fullfile" | "path.join" | "Path.Combine" | "Paths.get"
        | "File" | "java.io.File" | "Path.of" => Op::Pure(Pure::JoinPaths),
        "path.expand" | "expanduser" | "Path.expand" | "normalizePath" | "vim.fn.expand" => {
            Op::Pure(Pure::ExpandUser)
        }
        "as.character" | "String" | "tostring" | "to_string" | "Symbol" | "list_to_binary" | "pipeline"
        | "Cmd" => Op::Pure(Pure::Same),
        "base64.decode"
        | "base64decode"
        | "Base.decode64"
        | "base64enc.base64decode"
        | "Base64.getDecoder.decode" => Op::Pure(Pure::Base64),
        "lapply" | "sapply" | "vapply" | "foreach" | "walk" | "pmap" => Op::Each,
        "do.call" => Op::ApplyList,
        "feval" => Op::ApplyNamed,
        "get" | "match.fun" | "getFunction" | "getFromNamespace" | "str2func" => Op::ByName,
        _ => return None,
    })
}

fn method(name: &str) -> Option<Op> {
    Some(match name {
        "execute" => Op::Shell,
        "delete" | "deleteOnExit" => Op::Delete,
        "deleteDir" | "deleteRecursively" => Op::DeleteTree,
        "text" | "readText" | "getText" | "readLines" | "bytes" => Op::Read,
        "write" | "writeText" | "setText" => Op::Write,
        "append" | "appendText" => Op::Append,
        "renameTo" => Op::Move,
        "reverse" => Op::Pure(Pure::Reverse),
        "toString" | "trim" | "toURL" | "openStream" | "getOutputStream" | "waitFor" | "start" | "lower"
        | "each" => Op::Pure(Pure::Same),
        _ => return None,
    })
}
