//! What the standard libraries of Haskell, OCaml and Nix do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    haskell(name).or_else(|| ocaml(name)).or_else(|| nix(name))
}

fn haskell(name: &str) -> Option<Op> {
    Some(match name {
        "callCommand" | "spawnCommand" | "Turtle.shell" => Op::Shell,
        "readCreateProcess" => Op::ShellOut,
        "callProcess" | "readProcess" | "readProcessWithExitCode" | "rawSystem" => Op::Spawn,
        "executeFile" => Op::ExecList(0),
        "proc" => Op::Spawn,
        "removeFile" | "removeDirectory" | "removeLink" => Op::Delete,
        "removeDirectoryRecursive" | "removePathForcibly" => Op::DeleteTree,
        "renameFile" | "renameDirectory" | "renamePath" => Op::Move,
        "copyFile" => Op::Copy,
        "createFileLink" | "createSymbolicLink" => Op::Link,
        "writeFile" => Op::Write,
        "appendFile" => Op::Append,
        "withFile" | "openFile" => Op::OpenMode,
        "readFile" | "readFileStrict" => Op::Read,
        "listDirectory" | "getDirectoryContents" => Op::ReadDir,
        "getHomeDirectory" => Op::Known(Known::Home),
        "getTemporaryDirectory" => Op::Known(Known::Temp),
        "getCurrentDirectory" => Op::Known(Known::Folder),
        "setCurrentDirectory" => Op::ChangeDir,
        "getEnvironment" => Op::Known(Known::Environment),
        "lookupEnv" => Op::Env,
        "getArgs" => Op::Known(Known::Arguments),
        "putStrLn" | "putStr" => Op::Print(true),
        "mapM_" | "mapM" | "forM_" | "forM" | "traverse_" | "for_" => Op::MapNamed,
        "httpLBS" | "httpBS" | "simpleHttp" => Op::Fetch,
        "getAddrInfo" => Op::Resolve,
        _ => return None,
    })
}

fn ocaml(name: &str) -> Option<Op> {
    Some(match name {
        "Sys.command" | "Unix.system" => Op::Shell,
        "Unix.open_process_in" | "Unix.open_process" | "Unix.open_process_out" => Op::ShellOut,
        "Unix.execv" | "Unix.execvp" | "Unix.execve" | "Unix.execvpe" | "Unix.create_process" => {
            Op::ExecList(0)
        }
        "Sys.remove" | "Unix.unlink" | "Unix.rmdir" | "Sys.rmdir" | "FileUtil.rm" => Op::Delete,
        "Sys.rename" | "Unix.rename" => Op::Move,
        "Unix.symlink" | "Unix.link" => Op::Link,
        "Unix.truncate" => Op::Truncate,
        "open_out"
        | "open_out_bin"
        | "Out_channel.open_text"
        | "Out_channel.with_open_text"
        | "Out_channel.with_open_bin"
        | "Out_channel.open_bin"
        | "Stdlib.open_out" => Op::Create,
        "open_in"
        | "open_in_bin"
        | "In_channel.open_text"
        | "In_channel.open_bin"
        | "In_channel.with_open_text"
        | "In_channel.with_open_bin"
        | "Stdlib.open_in" => Op::Read,
        "In_channel.input_all" | "really_input_string" | "input_line" | "In_channel.input_lines" => {
            Op::Pure(Pure::Same)
        }
        "Sys.readdir" => Op::ReadDir,
        "Unix.chmod" | "Unix.chown" => Op::Permission,
        "Sys.chdir" | "Unix.chdir" => Op::ChangeDir,
        "Sys.getcwd" | "Unix.getcwd" => Op::Now(Known::Folder),
        "Filename.temp_file" | "Filename.temp_dir" | "Filename.open_temp_file" => Op::Now(Known::TempFile),
        "Filename.get_temp_dir_name" => Op::Now(Known::Temp),
        "Filename.concat" => Op::Pure(Pure::JoinPaths),
        "Filename.quote" => Op::Pure(Pure::ShellQuote),
        "Sys.getenv" | "Unix.getenv" | "Sys.getenv_opt" => Op::Env,
        "Unix.environment" => Op::EnvAll,
        "Sys.argv" => Op::Known(Known::Program),
        "print_string" | "print_endline" | "Printf.printf" | "prerr_endline" | "output_string" => {
            Op::Print(true)
        }
        "Printf.sprintf" => Op::Pure(Pure::Printf),
        "Array.iter" | "List.iter" | "Seq.iter" | "Array.map" | "List.map" => Op::MapNamed,
        "Unix.gethostbyname" | "Unix.getaddrinfo" => Op::Resolve,
        "Unix.connect" => Op::Connect,
        "Unix.kill" => Op::Kill,
        "Unix.fork" => Op::Fork,
        "exit" | "Unix.sleep" => Op::Calm,
        _ => return None,
    })
}

fn nix(name: &str) -> Option<Op> {
    Some(match name {
        "builtins.exec" => Op::System,
        "builtins.readFile" | "lib.fileContents" => Op::Read,
        "builtins.readDir" => Op::ReadDir,
        "builtins.getEnv" => Op::Env,
        "builtins.fetchurl" | "builtins.fetchTarball" | "builtins.fetchGit" | "fetchurl" | "fetchTarball" => {
            Op::Fetch
        }
        "builtins.toString" | "toString" | "builtins.trace" => Op::Pure(Pure::Same),
        "builtins.scopedImport" => Op::EvalFile,
        _ => return None,
    })
}
