//! What the standard libraries of Go, Rust, Zig, D and Nim do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    go(name).or_else(|| rust(name)).or_else(|| others(name))
}

fn go(name: &str) -> Option<Op> {
    Some(match name {
        "exec.Command" | "os.StartProcess" => Op::System,
        "exec.CommandContext" => Op::ExecWords(1),
        "syscall.Exec" => Op::ExecList(0),
        "os.Remove" | "syscall.Unlink" | "syscall.Rmdir" => Op::Delete,
        "os.RemoveAll" => Op::DeleteTree,
        "os.Rename" => Op::Move,
        "os.Symlink" | "os.Link" => Op::Link,
        "os.Create" => Op::Create,
        "os.Truncate" => Op::Truncate,
        "os.OpenFile" => Op::Open,
        "os.WriteFile" | "ioutil.WriteFile" => Op::Write,
        "os.ReadFile" | "ioutil.ReadFile" | "os.Open" => Op::Read,
        "io.ReadAll" | "ioutil.ReadAll" | "bufio.NewReader" | "bufio.NewScanner" => Op::Pure(Pure::Same),
        "os.ReadDir" | "ioutil.ReadDir" => Op::ReadDir,
        "os.Chmod" | "os.Chown" => Op::Permission,
        "os.Chdir" => Op::ChangeDir,
        "os.Setenv" => Op::SetEnv,
        "os.Getwd" => Op::Now(Known::Folder),
        "os.UserHomeDir" => Op::Now(Known::Home),
        "os.TempDir" => Op::Now(Known::Temp),
        "os.MkdirTemp" | "ioutil.TempDir" | "t.TempDir" => Op::Now(Known::TempFile),
        "os.CreateTemp" | "ioutil.TempFile" => Op::TempHandle(false),
        "os.Getenv" | "os.LookupEnv" | "syscall.Getenv" => Op::Env,
        "os.Environ" | "syscall.Environ" => Op::EnvAll,
        "os.Args" => Op::Known(Known::Program),
        "os.Exit" | "time.Sleep" | "log.Fatal" => Op::Calm,
        "fmt.Println" | "fmt.Print" | "fmt.Printf" | "log.Println" | "log.Printf" => Op::Print(true),
        "fmt.Sprintf" => Op::Pure(Pure::Printf),
        "fmt.Sprint" => Op::Pure(Pure::Concat),
        "filepath.Join" | "path.Join" => Op::Pure(Pure::JoinPaths),
        "filepath.Clean" | "filepath.FromSlash" | "filepath.ToSlash" | "path.Clean" | "os.ExpandEnv" => {
            Op::Pure(Pure::Same)
        }
        "filepath.Abs" | "filepath.EvalSymlinks" => Op::Pure(Pure::Resolve),
        "filepath.Dir" | "path.Dir" => Op::Pure(Pure::Parent),
        "user.Current.HomeDir" => Op::Known(Known::Home),
        "strings.Join" => Op::Pure(Pure::JoinBy),
        "http.Get" | "http.Head" => Op::Fetch,
        "http.Post" | "http.PostForm" => Op::Post,
        "http.NewRequest" => Op::Request,
        "net.Dial" | "net.DialTimeout" | "tls.Dial" => Op::ConnectSecond,
        "net.LookupHost" | "net.LookupTXT" | "net.LookupAddr" | "net.LookupIP" | "net.LookupCNAME"
        | "net.LookupMX" | "net.LookupNS" | "net.ResolveIPAddr" => Op::Resolve,
        "hex.EncodeToString"
        | "base64.StdEncoding.EncodeToString"
        | "base64.URLEncoding.EncodeToString"
        | "url.QueryEscape" => Op::Encode,
        "base64.StdEncoding.DecodeString" | "base64.RawStdEncoding.DecodeString" => Op::Pure(Pure::Base64),
        "byte" => Op::Pure(Pure::Same),
        _ => return None,
    })
}

fn rust(name: &str) -> Option<Op> {
    Some(match name {
        "Command.new" => Op::Builder,
        "fs.remove_file" | "remove_file" | "fs.remove_dir" | "remove_dir" => Op::Delete,
        "fs.remove_dir_all" | "remove_dir_all" => Op::DeleteTree,
        "fs.rename" => Op::Move,
        "fs.copy" => Op::Copy,
        "fs.hard_link" | "os.unix.fs.symlink" | "unix.fs.symlink" => Op::Link,
        "File.create" | "fs.File.create" => Op::Create,
        "OpenOptions.new" | "fs.OpenOptions.new" | "File.options" => Op::Opening,
        "fs.write" => Op::Write,
        "fs.read_to_string" | "read_to_string" | "fs.read" | "fs.File.open" => Op::Read,
        "fs.read_dir" | "WalkDir.new" => Op::GlobDeep,
        "fs.set_permissions" => Op::Permission,
        "include_str" | "include_bytes" => Op::Read,
        "concat" => Op::Pure(Pure::Concat),
        "env.var" | "env.var_os" | "env" | "option_env" => Op::Env,
        "env.vars" | "env.vars_os" => Op::EnvAll,
        "env.args" => Op::Now(Known::Program),
        "env.home_dir" | "dirs.home_dir" | "home.home_dir" => Op::Now(Known::Home),
        "dirs.document_dir" => Op::Now(Known::Home),
        "env.temp_dir" => Op::Now(Known::Temp),
        "env.current_dir" => Op::Now(Known::Folder),
        "env.set_current_dir" => Op::ChangeDir,
        "env.set_var" => Op::SetEnv,
        "tempfile.tempdir" | "tempfile.TempDir.new" | "TempDir.new" | "NamedTempFile.new" => {
            Op::Now(Known::TempFile)
        }
        "eprintln" => Op::Print(true),
        "TcpStream.connect" | "UdpSocket.connect" => Op::Connect,
        "reqwest.get" | "reqwest.blocking.get" | "ureq.get" => Op::Fetch,
        "ureq.post"
        | "ureq.put"
        | "Client.new.post"
        | "Client.new.put"
        | "reqwest.Client.new.post"
        | "reqwest.Client.new.put"
        | "reqwest.blocking.Client.new.post"
        | "reqwest.blocking.Client.new.put"
        | "blocking.Client.new.post" => Op::Post,
        "Client.new.get" | "reqwest.Client.new.get" | "reqwest.blocking.Client.new.get" => Op::Fetch,
        _ => return None,
    })
}

/// Zig, D and Nim.
fn others(name: &str) -> Option<Op> {
    Some(match name {
        "cwd.deleteTree" | "std.fs.deleteTreeAbsolute" | "fs.deleteTreeAbsolute" => Op::DeleteTree,
        "cwd.deleteFile" | "fs.deleteFileAbsolute" | "cwd.deleteDir" => Op::Delete,
        "cwd.createFile" | "fs.createFileAbsolute" => Op::Create,
        "cwd.openFile" | "cwd.readFileAlloc" | "fs.openFileAbsolute" => Op::Read,
        "process.Child.run" | "ChildProcess.run" | "ChildProcess.exec" => Op::Builder,
        "process.getEnvMap" => Op::EnvAll,
        "rmdirRecurse" | "file.rmdirRecurse" | "removeDir" => Op::DeleteTree,
        "executeShell"
        | "spawnShell"
        | "process.executeShell"
        | "execCmd"
        | "execShellCmd"
        | "execCmdEx"
        | "staticExec"
        | "gorge" => Op::Shell,
        "spawnProcess" | "process.execute" | "startProcess" | "execProcess" => Op::System,
        "readText" | "file.readText" | "staticRead" => Op::Read,
        "getHomeDir" => Op::Now(Known::Home),
        "getTempDir" | "tempDir" => Op::Now(Known::Temp),
        "getEnv" | "environment.get" => Op::Env,
        "envPairs" | "environment.toAA" => Op::EnvAll,
        "walkDirRec" | "dirEntries" => Op::GlobDeep,
        "walkFiles" => Op::Glob,
        _ => return None,
    })
}
