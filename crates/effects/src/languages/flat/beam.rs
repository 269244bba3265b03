//! What the standard libraries of Erlang and Elixir do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    erlang(name).or_else(|| elixir(name))
}

fn erlang(name: &str) -> Option<Op> {
    Some(match name {
        "os.cmd" => Op::ShellOut,
        "open_port" | "erlang.open_port" => Op::Port,
        "file.delete" | "file.del_dir" => Op::Delete,
        "file.del_dir_r" => Op::DeleteTree,
        "file.rename" => Op::Move,
        "file.copy" => Op::Copy,
        "file.make_symlink" | "file.make_link" => Op::Link,
        "file.write_file" => Op::Write,
        "file.truncate" => Op::Truncate,
        "file.read_file"
        | "file.consult"
        | "file.script"
        | "prim_file.read_file"
        | "erl_prim_loader.get_file" => Op::Read,
        "prim_file.delete" => Op::Delete,
        "prim_file.write_file" => Op::Write,
        "file.open" => Op::Open,
        "file.eval" | "file.path_eval" | "c.c" => Op::EvalFile,
        "file.list_dir" | "file.list_dir_all" => Op::ReadDir,
        "file.change_mode" | "file.change_owner" => Op::Permission,
        "file.set_cwd" => Op::ChangeDir,
        "filelib.wildcard" => Op::Glob,
        "filelib.fold_files" => Op::FoldFiles,
        "filename.join" => Op::Pure(Pure::JoinPaths),
        "os.getenv" | "os.env" => Op::Env,
        "init.get_argument" => Op::Known(Known::Arguments),
        "io.put_chars" | "io.fwrite" | "io.format" | "erlang.display" => Op::Print(true),
        "httpc.request" => Op::Fetch,
        "gen_tcp.connect" | "ssl.connect" | "gen_udp.connect" => Op::Connect,
        "inet.gethostbyname"
        | "inet.getaddr"
        | "inet.getaddrs"
        | "inet_res.lookup"
        | "inet_res.resolve"
        | "inet_res.gethostbyname"
        | "inet.gethostbyaddr" => Op::Resolve,
        "halt" | "init.stop" | "timer.sleep" => Op::Calm,
        "base64.decode" => Op::Pure(Pure::Base64),
        "base64.encode" | "binary.encode_hex" => Op::Encode,
        "lists.foreach" | "lists.map" => Op::MapNamed,
        "lists.flatten" | "iolist_to_binary" | "binary_to_list" | "list_to_binary" => Op::Pure(Pure::Same),
        _ => return None,
    })
}

fn elixir(name: &str) -> Option<Op> {
    Some(match name {
        "System.shell" => Op::ShellOut,
        "System.cmd" => Op::Spawn,
        "Port.open" => Op::Port,
        "File.rm" | "File.rmdir" => Op::Delete,
        "File.rm_rf" => Op::DeleteTree,
        "File.rename" => Op::Move,
        "File.cp" | "File.copy" => Op::Copy,
        "File.cp_r" => Op::CopyTree,
        "File.ln_s" | "File.ln" => Op::Link,
        "File.write" => Op::Write,
        "File.touch" => Op::Touch,
        "File.read" => Op::Read,
        "File.stream" => Op::Lines,
        "File.ls" => Op::ReadDir,
        "File.chmod" | "File.chown" => Op::Permission,
        "File.cd" => Op::ChangeDir,
        "File.cwd" => Op::Now(Known::Folder),
        "Path.wildcard" => Op::Glob,
        "System.get_env" | "System.fetch_env" => Op::Env,
        "System.user_home" => Op::Now(Known::Home),
        "System.tmp_dir" => Op::Now(Known::Temp),
        "System.argv" => Op::Now(Known::Arguments),
        "System.halt" | "Process.sleep" => Op::Calm,
        "Code.eval_string" | "Code.compile_string" | "Code.eval_quoted" | "Code.string_to_quoted" => Op::Eval,
        "Code.eval_file" | "Code.require_file" | "Code.compile_file" => Op::EvalFile,
        "Base.encode16" | "Base.encode64" | "Base.encode32" | "Base.url_encode64" | "URI.encode" => {
            Op::Encode
        }
        "Base.decode64" => Op::Pure(Pure::Base64),
        "Base.decode16" => Op::Pure(Pure::Hex),
        "HTTPoison.get" | "Req.get" | "Finch.build" | "Tesla.get" => Op::Fetch,
        "HTTPoison.post" | "Req.post" | "Tesla.post" | "Req.put" => Op::Post,
        "IO.puts" | "IO.write" | "IO.inspect" | "IO.binwrite" => Op::Print(true),
        "Enum.each" | "Enum.map" | "Enum.flat_map" | "Stream.each" | "Task.async_stream" => Op::MapNamed,
        "Enum.sort" | "Enum.to_list" | "Enum.into" | "Enum.reverse" | "Enum.take" | "Enum.uniq"
        | "Enum.sort_by" | "Map.to_list" | "String.trim" => Op::Pure(Pure::Same),
        _ => return None,
    })
}
