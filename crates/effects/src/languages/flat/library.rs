//! What the functions of the flat languages do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// The plain form of a name: without the packages it stands in.
pub(super) fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in [
        "_G.",
        "Kernel.",
        "ffi.C.",
        "std.filesystem.",
        "std.fs.",
        "std.process.",
        "io.ioutil.",
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

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| code(name))
        .or_else(|| deletions(name))
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| machine(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "Port.open" | "open_port" => Op::Port,
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

fn deletions(name: &str) -> Option<Op> {
    Some(match name {
        "os.remove"
        | "os.Remove"
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
        | "Sys.remove"
        | "remove_file"
        | "fs.remove_file"
        | "deleteFileAbsolute"
        | "deleteFile"
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
        | "remove_all"
        | "fs.remove_all"
        | "deleteTreeAbsolute"
        | "deleteTree"
        | "AntBuilder.delete"
        | "ant.delete"
        | "project.delete"
        | "FileUtils.deleteDirectory"
        | "FileUtils.rm_rf"
        | "FileManager.default.removeItem" => Op::DeleteTree,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "os.Rename" | "os.rename" | "file.rename" | "mv" | "File.rename" | "renameFile" | "File.Move"
        | "Files.move" | "Directory.Move" => Op::Move,
        "file.copy" | "cp" | "File.cp" | "copyFile" | "File.Copy" | "Files.copy" => Op::Copy,
        "File.cp_r" => Op::CopyTree,
        "io.input" => Op::Read,
        "io.output"
        | "os.Create"
        | "File.create"
        | "FileOutputStream"
        | "FileWriter"
        | "PrintWriter"
        | "Files.newOutputStream"
        | "Files.newBufferedWriter"
        | "file.create"
        | "ofstream"
        | "std.ofstream" => Op::Create,
        "os.Truncate" | "RandomAccessFile.setLength" => Op::Truncate,
        "io.open" | "open" | "fopen" | "file" | "File.open" => Op::Open,
        "io.lines" | "readLines" | "readlines" | "eachline" => Op::Lines,
        "os.ReadFile" | "ioutil.ReadFile" | "Files.readAllBytes" | "Files.readAllLines"
        | "fs.read_to_string" | "read_to_string" | "fs.read" | "File.read!" => Op::Read,
        "upload_file" | "httr.upload_file" | "curl.form_file" | "form_file" | "builtins.readFile" => Op::Read,
        "read" | "readRDS" | "read.csv" | "readline" | "fileread" | "readFile" | "File.read"
        | "File.ReadAllText" | "Files.readString" | "scan" | "read_csv" | "file.read_file" | "readstring" => {
            Op::Read
        }
        "os.WriteFile" | "ioutil.WriteFile" | "Files.write" | "fs.write" => Op::Write,
        "write" | "File.write" | "writeFile" | "File.WriteAllText" | "Files.writeString"
        | "file.write_file" | "saveRDS" => Op::Write,
        "appendFile" | "File.AppendAllText" => Op::Append,
        "writeLines" | "cat" | "write.csv" | "write.csv2" | "write.table" | "write_csv" | "write_tsv"
        | "fwrite" | "write_json" | "write_xlsx" => Op::WriteTo,
        "Sys.chmod" | "chmod" => Op::Permission,
        "list.files" | "readdir" | "File.ls" | "listDirectory" | "lfs.dir" => Op::ReadDir,
        "Sys.glob" | "glob" | "Path.wildcard" | "filepath.Glob" => Op::Glob,
        "Files.list" | "Files.newDirectoryStream" => Op::GlobBelow,
        "Files.walk" | "Files.find" => Op::GlobDeep,
        "setwd" | "cd" | "lfs.chdir" | "chdir" => Op::ChangeDir,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
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
        "http.Get" => Op::Fetch,
        "http.Post" | "http.PostForm" => Op::Post,
        "http.NewRequest" => Op::Request,
        "net.LookupHost" | "net.LookupTXT" | "net.LookupAddr" | "InetAddress.getByName" => Op::Resolve,
        "httr.POST" | "POST" | "HTTP.post" | "HTTPoison.post" | "Req.post" => Op::Post,
        "net.Dial" => Op::Connect,
        "TcpStream.connect" | "Socket" | "java.net.Socket" => Op::Connect,
        "socket.connect" | "socketConnection" | "gen_tcp.connect" | "connect" => Op::Connect,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "require" | "import" => Op::Import,
        "apply" => Op::ApplyMember,
        "evaluate" | "load" | "loadstring" | "Code.eval_string" | "eval" | "Meta.parse" | "evalin"
        | "parse" | "Eval.me" | "vim.cmd" | "include_string" => Op::Eval,
        "lapply" | "sapply" | "vapply" | "foreach" | "walk" | "pmap" | "Enum.each" | "Enum.map"
        | "Task.async_stream" | "filepath.Walk" | "filepath.WalkDir" => Op::MapNamed,
        "do.call" => Op::ApplyList,
        "feval" => Op::ApplyNamed,
        "get" | "match.fun" | "getFunction" | "getFromNamespace" | "str2func" => Op::ByName,
        "dofile" | "loadfile" | "source" | "include" | "Code.eval_file" | "sys.source" => Op::EvalFile,
        _ => return None,
    })
}

fn machine(name: &str) -> Option<Op> {
    Some(match name {
        "print" | "println" | "io.write" | "IO.puts" | "puts" | "disp" | "putStrLn" | "message"
        | "IO.inspect" | "IO.write" | "io.format" | "System.out.println" | "System.out.print"
        | "System.out.printf" | "fmt.Println" | "fmt.Print" | "fmt.Printf" | "cat" => Op::Print(true),
        "io.read" | "readInput" | "IO.gets" | "getLine" => Op::Input,
        "arg" | "ARGS" | "args" => Op::Known(Known::Arguments),
        "commandArgs" => Op::Now(Known::Arguments),
        "os.getenv" | "Sys.getenv" | "getenv" | "System.get_env" | "System.getenv" | "os.getenv.all"
        | "lookupEnv" | "vim.env" | "sys.env.get" => Op::Env,
        "ENV" | "environ" | "sys.env" => Op::Known(Known::Environment),
        "System.getProperty" => Op::Property,
        "os.UserHomeDir" | "homedir" | "getHomeDirectory" | "System.user_home" => Op::Now(Known::Home),
        "getwd" | "pwd" | "lfs.currentdir" => Op::Now(Known::Folder),
        "tempdir" | "tempfile" | "tempname" | "os.tmpname" | "mktempdir" => Op::Now(Known::TempFile),
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "string.char" | "intToUtf8" | "rawToChar" | "Char" | "char" => Op::Pure(Pure::Chars),
        "string.reverse" | "reverse" | "rev" | "String.reverse" => Op::Pure(Pure::Reverse),
        "string.format" | "sprintf" | "format" => Op::Pure(Pure::Printf),
        "table.concat" | "join" | "Enum.join" => Op::Pure(Pure::JoinBy),
        "paste0" | "string" | "strcat" | "c_str" => Op::Pure(Pure::Concat),
        "paste" => Op::Pure(Pure::JoinArgs),
        "c" | "list" | "vec" => Op::Pure(Pure::List),
        "Directory" | "filepath.Join" | "PathBuf.from" | "Path.new" => Op::Pure(Pure::JoinPaths),
        "file.path" | "joinpath" | "Path.join" | "fullfile" | "path.join" | "Path.Combine" | "Paths.get"
        | "File" | "java.io.File" | "Path.of" => Op::Pure(Pure::JoinPaths),
        "path.expand" | "expanduser" | "Path.expand" | "normalizePath" | "vim.fn.expand" => {
            Op::Pure(Pure::ExpandUser)
        }
        "ipairs"
        | "pairs"
        | "to_charlist"
        | "String.to_charlist"
        | "String.to_atom"
        | "bytes.NewReader"
        | "bytes.NewBuffer"
        | "bytes.NewBufferString"
        | "strings.NewReader"
        | "URL"
        | "URI"
        | "URI.create" => Op::Pure(Pure::Same),
        "Seq" | "List" | "Vector" | "List.of" | "Arrays.asList" | "listOf" | "arrayOf" => {
            Op::Pure(Pure::List)
        }
        "as.character" | "String" | "tostring" | "to_string" | "Symbol" | "list_to_binary" | "pipeline"
        | "Cmd" => Op::Pure(Pure::Same),
        "base64.decode"
        | "base64decode"
        | "Base.decode64"
        | "base64enc.base64decode"
        | "Base64.getDecoder.decode" => Op::Pure(Pure::Base64),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "execute" => Op::Shell,
        "delete" | "deleteOnExit" => Op::Delete,
        "deleteSync" => Op::DeleteMaybe,
        "deleteDir" | "deleteRecursively" => Op::DeleteTree,
        "eachFile" | "eachDir" | "listFiles" | "listSync" => Op::GlobBelow,
        "eachFileRecurse" | "eachDirRecurse" | "traverse" | "walk" | "walkTopDown" | "walkBottomUp" => {
            Op::GlobDeep
        }
        "each" | "forEach" | "foreach" | "map" | "flatMap" | "collect" | "onEach" => Op::Each,
        "findAll" | "filter" => Op::Filter,
        "text" | "readText" | "getText" | "readLines" | "bytes" => Op::Read,
        "write" | "writeText" | "setText" => Op::Write,
        "append" | "appendText" => Op::Append,
        "renameTo" => Op::Move,
        "reverse" => Op::Pure(Pure::Reverse),
        "toString" | "trim" | "toURL" | "openStream" | "getOutputStream" | "waitFor" | "start" | "lower"
        | "toFile" | "toPath" | "sorted" | "stream" | "toList" | "toArray" | "iterator" | "reversed"
        | "toCharArray" | "getBytes" | "to_string" | "as_bytes" => Op::Pure(Pure::Same),
        _ => return None,
    })
}
