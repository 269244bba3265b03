//! What the functions of the flat languages do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;
use super::{beam, compiled, functional, managed};

/// The packages that names are written with or without.
const PACKAGES: &[&str] = &[
    "_G.",
    "Kernel.",
    "ffi.C.",
    "std.filesystem.",
    "std.fs.",
    "std.process.",
    "std.",
    "fs.cwd.",
    "io.ioutil.",
    "package.loaded.",
    "sys.process.",
    "System.Process.",
    "System.Directory.",
    "System.Cmd.",
    "base.",
    "vim.uv.",
    "vim.loop.",
    "luv.",
];

/// The plain form of a name: without the packages it stands in. A package itself stays as it is.
pub(super) fn canonical(name: &str) -> Option<String> {
    let all = || managed::PACKAGES.iter().chain(PACKAGES);
    let is_package = |prefix: &&str| prefix.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    if all().any(is_package) {
        return None;
    }
    let plain = all().fold(name, |plain, prefix| plain.strip_prefix(prefix).unwrap_or(plain));
    (plain != name).then(|| plain.to_owned())
}

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    managed::function(name)
        .or_else(|| compiled::function(name))
        .or_else(|| beam::function(name))
        .or_else(|| functional::function(name))
        .or_else(|| commands(name))
        .or_else(|| code(name))
        .or_else(|| deletions(name))
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| machine(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        // Lua; Octave, gnuplot and R; Julia; Elixir and Erlang; Haskell; nvim.
        "Posix.system" | "fpSystem" | "os.execute" | "system" | "shell" | "shell_cmd" | "unix" | "dos"
        | "run" | "shell.exec" | "vim.fn.system" | "vim.fn.systemlist" | "success" | "std.process.system" => {
            Op::Shell
        }
        "io.popen" | "popen" | "readchomp" => Op::ShellOut,
        "system2" | "processx.run" | "subprocess.run" => Op::Spawn,
        "Runtime.getRuntime.exec"
        | "Runtime.runtime.exec"
        | "os.proc"
        | "Seq.execute"
        | "vim.system"
        | "spawn" => Op::System,
        "os.exit" | "quit" | "q" | "sleep" | "Sys.sleep" => Op::Calm,
        _ => return None,
    })
}

fn deletions(name: &str) -> Option<Op> {
    Some(match name {
        "file.remove" | "delete" | "lfs.rmdir" | "file_delete" | "fs.file_delete" | "deleteFileAbsolute"
        | "deleteFile" => Op::Delete,
        "delete_directory_and_contents" => Op::DeleteTree,
        "delete_directory" => Op::Delete,
        "vim.fs.rm" => Op::DeleteMaybe,
        "fs_unlink" | "fs_rmdir" => Op::Delete,
        "vim.fn.delete" => Op::DeleteFlagged,
        "unlink" | "rm" | "rmdir" | "fs.remove" => Op::DeleteMaybe,
        "fs.dir_delete"
        | "confirm_recursive_rmdir"
        | "std.fs.remove_dir_all"
        | "os.rmdir_all"
        | "remove_all"
        | "fs.remove_all"
        | "deleteTreeAbsolute"
        | "deleteTree"
        | "AntBuilder.delete"
        | "ant.delete"
        | "project.delete"
        | "FileUtils.deleteDirectory"
        | "FileUtils.rm_rf" => Op::DeleteTree,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "fs_rename" | "vim.fn.rename" | "os.rename" | "mv" => Op::Move,
        "cp" => Op::Copy,
        "io.input" | "vim.fn.readfile" | "vim.fn.readblob" => Op::Read,
        "io.output" | "file.create" | "ofstream" | "std.ofstream" => Op::Create,
        "RandomAccessFile.setLength" => Op::Truncate,
        "io.open" | "open" | "fopen" | "file" | "File.open" => Op::Open,
        "io.lines" | "readLines" | "readlines" | "eachline" => Op::Lines,
        "File.read!" => Op::Read,
        "upload_file" | "httr.upload_file" | "curl.form_file" | "form_file" => Op::Read,
        "read" | "readRDS" | "read.csv" | "readline" | "fileread" | "scan" | "read_csv" | "readstring" => {
            Op::Read
        }
        "write" | "saveRDS" => Op::Write,
        "writeLines" | "cat" | "write.csv" | "write.csv2" | "write.table" | "write_csv" | "write_tsv"
        | "fwrite" | "write_json" | "write_xlsx" => Op::WriteTo,
        "Sys.chmod" | "chmod" => Op::Permission,
        "list.files" | "dir" | "readdir" | "lfs.dir" => Op::ReadDir,
        "vim.fn.glob" | "Sys.glob" | "glob" | "filepath.Glob" => Op::Glob,
        "walkdir" => Op::Walk,
        "setwd" | "cd" | "lfs.chdir" | "chdir" => Op::ChangeDir,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
        "curl.curl_upload" | "curl_upload" | "RCurl.ftpUpload" | "ftpUpload" => Op::UploadTo,
        "download.file" | "download" | "Downloads.download" | "urlwrite" => Op::Download,
        "url" | "urlread" | "HTTP.get" | "httr.GET" | "GET" | "http.request" | "socket.http.request" => {
            Op::Fetch
        }
        "httr.POST" | "POST" | "HTTP.post" => Op::Post,
        "java.net.Socket" => Op::Connect,
        "socket.connect" | "socketConnection" | "connect" => Op::Connect,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "require" | "import" => Op::Import,
        "apply" => Op::ApplyMember,
        "evaluate" | "load" | "loadstring" | "eval" | "Meta.parse" | "evalin" | "parse" | "Eval.me"
        | "vim.cmd" | "include_string" => Op::Eval,
        "lapply" | "sapply" | "vapply" | "foreach" | "walk" | "pmap" | "filepath.Walk"
        | "filepath.WalkDir" | "nftw" | "ftw" => Op::MapNamed,
        "do.call" => Op::ApplyList,
        "feval" => Op::ApplyNamed,
        "get" | "match.fun" | "getFunction" | "getFromNamespace" | "str2func" => Op::ByName,
        "dofile" | "loadfile" | "source" | "include" | "sys.source" => Op::EvalFile,
        _ => return None,
    })
}

fn machine(name: &str) -> Option<Op> {
    Some(match name {
        "print" | "println" | "io.write" | "puts" | "disp" | "message" | "System.out.println"
        | "System.out.print" | "System.out.printf" | "cat" => Op::Print(true),
        "io.read" | "readInput" | "IO.gets" | "getLine" => Op::Input,
        "arg" | "ARGS" | "args" => Op::Known(Known::Arguments),
        "commandArgs" => Op::Now(Known::Arguments),
        "getenv" | "os.getenv.all" | "sys.env.get" => Op::Env,
        "ENV" | "environ" | "vim.env" => Op::Known(Known::Environment),
        "homedir" => Op::Now(Known::Home),
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
        "Directory"
        | "PathBuf.from"
        | "Path.new"
        | "PathBuf.from_iter"
        | "path.PathBuf.from"
        | "path.Path.new"
        | "path.PathBuf.from_iter"
        | "path.PathBuf.new"
        | "DirectoryInfo"
        | "FileInfo"
        | "PathBuf.new" => Op::Pure(Pure::JoinPaths),
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
        | "strings.NewReader" => Op::Pure(Pure::Same),
        "Seq" | "List" | "Vector" | "List.of" | "Arrays.asList" | "listOf" | "arrayOf" => {
            Op::Pure(Pure::List)
        }
        "as.character" | "String" | "tostring" | "to_string" | "Symbol" | "pipeline" | "Cmd" => {
            Op::Pure(Pure::Same)
        }
        "base64decode" | "base64enc.base64decode" => Op::Pure(Pure::Base64),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "execute" => Op::Shell,
        "delete" | "deleteOnExit" | "deleteIfExists" => Op::Delete,
        "Delete" => Op::DeleteMaybe,
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
        "renameTo" | "moveTo" | "MoveTo" => Op::Move,
        "join" => Op::Pure(Pure::JoinBy),
        "resolve" | "appendingPathComponent" | "appending" | "resolveSibling" => Op::Pure(Pure::JoinPaths),
        "reverse" => Op::Pure(Pure::Reverse),
        "asScala" | "toSeq" | "toIndexedSeq" | "entrySet" | "path" | "absolutePath" | "unwrap" | "expect"
        | "unwrap_or_default" | "into_iter" | "iter" | "collect_vec" | "display" | "to_owned" | "as_str"
        | "to_path_buf" | "into_string" | "asList" | "clone" | "unwrap_or" | "unwrap_or_else" | "into"
        | "to_str" | "to_string_lossy" | "as_path" | "as_ref" | "as_os_str" | "into_os_string"
        | "canonicalize" | "ok_or" | "with_context" | "as_deref" | "cloned" | "copied" | "into_owned"
        | "ok" | "normalize" | "toAbsolutePath" | "toRealPath" | "getAbsolutePath" | "getPath"
        | "getCanonicalPath" | "absoluteFile" | "canonicalFile" | "FullName" => Op::Pure(Pure::Same),
        "parent" | "getParent" | "getParentFile" | "parentFile" | "Parent" | "deletingLastPathComponent" => {
            Op::Pure(Pure::Parent)
        }
        "concat" => Op::Pure(Pure::JoinBy),
        "toString" | "trim" | "toURL" | "openStream" | "getOutputStream" | "waitFor" | "start" | "lower"
        | "toFile" | "toPath" | "sorted" | "stream" | "toList" | "toArray" | "iterator" | "reversed"
        | "toCharArray" | "getBytes" | "to_string" | "as_bytes" | "c_str" | "str" | "data" | "string" => {
            Op::Pure(Pure::Same)
        }
        _ => return None,
    })
}

/// What gnuplot's commands do: `set output "file"`, `system "command"`.
pub(super) fn gnuplot(name: &str) -> Option<Op> {
    Some(match name {
        "output" | "out" | "table" | "save" => Op::Create,
        "system" | "shell" => Op::Shell,
        "load" | "call" => Op::EvalFile,
        "print" => Op::Print(true),
        _ => return None,
    })
}
