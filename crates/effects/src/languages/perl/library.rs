//! Perl's functions and modules: what they do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// The plain form of a name: without the detours to the same thing.
pub(super) fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in ["CORE.GLOBAL.", "CORE.", "POSIX.", "main."] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    (plain != name).then(|| plain.to_owned())
}

/// Functions that work on `$_` when they are given nothing.
pub(super) fn defaults(name: &str) -> bool {
    matches!(
        name,
        "unlink"
            | "eval"
            | "rmdir"
            | "chr"
            | "ord"
            | "lc"
            | "uc"
            | "glob"
            | "readlink"
            | "reverse"
            | "require"
            | "chomp"
    )
}

/// Functions whose arguments are one flat list.
pub(super) fn takes_list(name: &str) -> bool {
    matches!(name, "unlink" | "system" | "exec" | "chmod" | "chown" | "kill" | "rmtree" | "remove_tree")
}

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| processes(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "system"
        | "exec"
        | "capture"
        | "IPC.System.Simple.system"
        | "IPC.System.Simple.capture"
        | "run"
        | "IPC.Run.run" => Op::System,
        "backtick" | "readpipe" => Op::ShellOut,
        "eval" => Op::Eval,
        "do" | "require" => Op::EvalFile,
        "thaw" | "Storable.thaw" => Op::Unpack,
        "open2" | "IPC.Open2.open2" => Op::ExecWords(2),
        "open3" | "IPC.Open3.open3" => Op::ExecWords(3),
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "unlink" | "rmdir" => Op::Delete,
        "rmtree"
        | "remove_tree"
        | "File.Path.rmtree"
        | "File.Path.remove_tree"
        | "pathrmdir"
        | "File.Remove.remove" => Op::DeleteTree,
        "rename" | "move" | "mv" | "File.Copy.move" | "File.Copy.mv" => Op::Move,
        "copy" | "cp" | "File.Copy.copy" | "File.Copy.cp" => Op::Copy,
        "dircopy" | "rcopy" => Op::CopyTree,
        "symlink" | "link" => Op::Link,
        "truncate" => Op::Truncate,
        "chmod" | "chown" => Op::PermissionOf(false),
        "sysopen" => Op::OpenSecond,
        "IO.File.new" | "IO.File.open" => Op::Open,
        "read_file" | "File.Slurp.read_file" | "slurp" | "read_text" | "read_lines" => Op::Read,
        "Archive.Tar.new.add_files" | "Archive.Zip.new.addFile" | "Archive.Zip.new.addTree" => Op::ReadAll,
        "write_file" | "File.Slurp.write_file" | "write_text" => Op::Write,
        "append_file" | "append_text" => Op::Append,
        "readline" => Op::Pure(Pure::Same),
        "readdir" | "opendir" => Op::ReadDir,
        "glob" | "bsd_glob" | "File.Glob.bsd_glob" => Op::GlobHome,
        "find" | "File.Find.find" | "finddepth" => Op::Find,
        "chdir" => Op::ChangeDir,
        "mkdir" | "make_path" | "mkpath" => Op::MakeDir,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
        "LWP.Simple.get"
        | "LWP.Simple.getprint"
        | "LWP.UserAgent.new.get"
        | "LWP.UserAgent.get"
        | "HTTP.Tiny.new.get"
        | "HTTP.Tiny.get"
        | "get"
        | "head" => Op::Fetch,
        "getstore" | "LWP.Simple.getstore" | "mirror" => Op::Download,
        "LWP.UserAgent.post"
        | "LWP.UserAgent.new.post"
        | "HTTP.Tiny.new.post"
        | "HTTP.Tiny.post"
        | "HTTP.Tiny.new.post_form" => Op::Post,
        "HTTP.Tiny.new.put"
        | "HTTP.Tiny.new.patch"
        | "HTTP.Tiny.new.delete"
        | "LWP.UserAgent.new.put"
        | "LWP.UserAgent.new.delete"
        | "Mojo.UserAgent.new.post"
        | "Mojo.UserAgent.new.put"
        | "WWW.Mechanize.new.post" => Op::Post,
        "Mojo.UserAgent.new.get" | "WWW.Mechanize.new.get" => Op::Fetch,
        "HTTP.Tiny.new.request" | "HTTP.Request.new" => Op::Request,
        "IO.Socket.INET.new" | "IO.Socket.SSL.new" | "IO.Socket.IP.new" | "Net.FTP.new" | "Net.SMTP.new"
        | "Net.Telnet.new" => Op::Dial,
        "connect" => Op::Connect,
        "connection.print" | "connection.send" | "send" => Op::Send,
        "gethostbyname" => Op::Resolve,
        _ => return None,
    })
}

fn processes(name: &str) -> Option<Op> {
    Some(match name {
        "kill" => Op::KillFirst,
        "fork" => Op::Fork,
        "sleep" | "wait" | "waitpid" | "exit" | "die" | "accept" => Op::Calm,
        "syscall" => Op::Hidden,
        "getppid" => Op::Now(Known::Parent),
        "cwd" | "getcwd" | "Cwd.cwd" | "Cwd.getcwd" => Op::Now(Known::Folder),
        "tempdir" | "File.Temp.tempdir" => Op::Now(Known::TempFile),
        "tempfile" | "File.Temp.tempfile" => Op::TempHandle(true),
        "File.Temp.new" => Op::TempHandle(false),
        "getenv" => Op::Env,
        "File.Path.can" | "can" => Op::ByName,
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "Dumper" | "Data.Dumper.Dumper" | "uniq" | "local" | "keys_of" | "chomp" | "File.Spec.new" => {
            Op::Pure(Pure::Same)
        }
        "Path.Tiny.path" | "path" => Op::Pure(Pure::ExpandUser),
        "keys" => Op::Pure(Pure::Keys),
        "values" => Op::Pure(Pure::Values),
        "join" => Op::Pure(Pure::JoinRest),
        "reverse" => Op::Pure(Pure::ReverseAll),
        "sprintf" => Op::Pure(Pure::Printf),
        "split" => Op::Pure(Pure::SplitBy),
        "chr" => Op::Pure(Pure::Chars),
        "ord" => Op::Pure(Pure::Code),
        "lc" | "lcfirst" => Op::Pure(Pure::Lower),
        "uc" => Op::Pure(Pure::Upper),
        "pack" => Op::Pure(Pure::PackFirst),
        "unpack" => Op::Pure(Pure::UnpackFirst),
        "hex" | "oct" | "int" => Op::Pure(Pure::Int),
        "decode_base64" | "MIME.Base64.decode_base64" | "MIME.Base64.decode" => Op::Pure(Pure::Base64),
        "uncompress" | "Compress.Zlib.uncompress" | "inflate" | "gunzip" => Op::Pure(Pure::Unpacked),
        "catfile" | "catdir" | "File.Spec.catfile" | "File.Spec.catdir" => Op::Pure(Pure::JoinPaths),
        "dirname" => Op::Pure(Pure::Parent),
        "basename" => Op::Pure(Pure::Base),
        "uri_unescape" => Op::Pure(Pure::Percent),
        "substr" => Op::Pure(Pure::Substring),
        "exists" | "delete" | "close" | "binmode" | "utime" | "bless" | "splice" => Op::Nothing,
        "warn" | "carp" | "cluck" | "confess" | "croak" => Op::Tell,
        "STDIN" => Op::Known(Known::Input),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "remove" | "unlink" => Op::Delete,
        "remove_tree" => Op::DeleteTree,
        "slurp" | "slurp_utf8" | "slurp_raw" => Op::Read,
        "spew" | "spew_utf8" => Op::Write,
        "child" => Op::Pure(Pure::JoinPaths),
        "parent" => Op::Pure(Pure::Parent),
        "decoded_content" | "content" | "stringify" | "getline" | "getlines" => Op::Pure(Pure::Same),
        _ => return None,
    })
}
