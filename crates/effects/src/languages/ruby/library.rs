//! Ruby's libraries: what their functions do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// The plain form of a name: without the detours to the same thing.
pub(super) fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in ["Kernel.", "Object.", "self.", "Process.spawn"] {
        plain = plain.strip_prefix(prefix).filter(|rest| !rest.is_empty()).unwrap_or(plain);
    }
    let owned = plain.replace("::", ".");
    (owned != name).then_some(owned)
}

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| code(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "system"
        | "exec"
        | "spawn"
        | "Process.spawn"
        | "Process.exec"
        | "IO.popen"
        | "PTY.spawn"
        | "Open3.capture2"
        | "Open3.capture2e"
        | "Open3.capture3"
        | "Open3.popen2"
        | "Open3.popen2e"
        | "Open3.popen3"
        | "TTY.Command.new.run"
        | "TTY.Command.new.run!"
        | "PTY.getpty"
        | "Shellwords.system"
        | "sh" => Op::System,
        "Open3.pipeline"
        | "Open3.pipeline_r"
        | "Open3.pipeline_w"
        | "Open3.pipeline_rw"
        | "Open3.pipeline_start" => Op::Pipeline,
        "Process.kill" => Op::KillFirst,
        "fork" | "Process.fork" => Op::Fork,
        "loop" => Op::Loop,
        "sleep" | "exit" | "exit!" | "abort" | "Process.wait" | "Process.waitall" => Op::Calm,
        "at_exit" | "trap" | "Thread.new" | "Thread.start" | "proc" | "lambda" | "Proc.new"
        | "Signal.trap" | "tap" => Op::Later,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "File.delete"
        | "File.unlink"
        | "Dir.rmdir"
        | "Dir.delete"
        | "Dir.unlink"
        | "FileUtils.rm"
        | "FileUtils.rm_f"
        | "FileUtils.remove"
        | "FileUtils.safe_unlink"
        | "FileUtils.rmdir"
        | "FileUtils.remove_file"
        | "rm"
        | "rm_f" => Op::Delete,
        "FileUtils.rm_rf"
        | "FileUtils.rm_r"
        | "FileUtils.rmtree"
        | "FileUtils.remove_dir"
        | "FileUtils.remove_entry"
        | "FileUtils.remove_entry_secure"
        | "rm_rf"
        | "rm_r"
        | "rmtree" => Op::DeleteTree,
        "File.rename" | "FileUtils.mv" | "FileUtils.move" | "mv" => Op::Move,
        "FileUtils.cp"
        | "FileUtils.copy"
        | "FileUtils.copy_file"
        | "IO.copy_stream"
        | "FileUtils.install" => Op::Copy,
        "FileUtils.cp_r" | "FileUtils.copy_entry" => Op::CopyTree,
        "File.symlink" | "File.link" | "FileUtils.ln" | "FileUtils.ln_s" | "FileUtils.ln_sf" => Op::Link,
        "File.read" | "IO.read" | "File.binread" | "IO.binread" | "Pathname.read" | "YAML.load_file"
        | "JSON.load_file" => Op::Read,
        "File.readlines" | "IO.readlines" | "File.foreach" | "IO.foreach" | "CSV.read" | "CSV.foreach" => {
            Op::Lines
        }
        "File.write" | "IO.write" | "File.binwrite" | "IO.binwrite" => Op::Write,
        "File.open" | "File.new" | "open" | "IO.sysopen" => Op::Open,
        "Dir.mkdir" | "FileUtils.mkdir_p" | "FileUtils.mkdir" | "FileUtils.makedirs" => Op::MakeDir,
        "FileUtils.touch" => Op::Touch,
        "File.truncate" => Op::Truncate,
        "File.chmod" | "File.chown" | "FileUtils.chmod" | "FileUtils.chown" | "File.lchmod" => {
            Op::PermissionOf(false)
        }
        "FileUtils.chmod_R" | "FileUtils.chown_R" => Op::PermissionOf(true),
        "Dir.entries" | "Dir.children" | "Dir.each_child" | "Dir.foreach" => Op::ReadDir,
        "Dir.glob" | "Dir.[]" => Op::Glob,
        "Find.find" => Op::GlobDeep,
        "Dir.chdir" | "FileUtils.cd" | "FileUtils.chdir" => Op::ChangeDir,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
        "URI.open"
        | "Net.HTTP.get"
        | "Net.HTTP.get_response"
        | "Net.HTTP.start"
        | "Net.HTTP.new"
        | "OpenURI.open_uri"
        | "Faraday.new"
        | "Mechanize.new.get" => Op::Fetch,
        "Net.HTTP.post" | "Net.HTTP.post_form" | "Net.HTTP.put" => Op::Post,
        "OpenSSL.SSL.SSLSocket.open"
        | "TCPSocket.new"
        | "TCPSocket.open"
        | "Socket.tcp"
        | "UDPSocket.connect"
        | "Net.FTP.open"
        | "Net.FTP.new"
        | "Net.SMTP.start"
        | "Net.SMTP.new"
        | "Net.SSH.start"
        | "Net.SFTP.start"
        | "Net.SCP.start" => Op::Connect,
        "connection.write"
        | "connection.puts"
        | "connection.print"
        | "connection.send"
        | "connection.send_message"
        | "connection.request"
        | "UDPSocket.new.send" => Op::Send,
        "Resolv.getaddress"
        | "Resolv.getaddresses"
        | "Resolv.each_address"
        | "Resolv.DNS.new.getaddress"
        | "Resolv.DNS.new.getaddresses"
        | "Resolv.DNS.new.getresource"
        | "Resolv.DNS.new.getresources"
        | "Resolv.DNS.new.each_address"
        | "Resolv.DNS.new.each_resource"
        | "Resolv.DNS.open.getaddress"
        | "Resolv.new.getaddress"
        | "Socket.gethostbyname"
        | "Socket.getaddrinfo"
        | "TCPSocket.gethostbyname"
        | "Addrinfo.getaddrinfo"
        | "Addrinfo.tcp"
        | "IPSocket.getaddress" => Op::Resolve,
        _ => {
            let (client, verb) = name.rsplit_once('.')?;
            return CLIENTS.contains(&client).then_some(verb).and_then(Op::request);
        }
    })
}

/// What has a method for each method of HTTP.
const CLIENTS: &[&str] =
    &["HTTParty", "Faraday", "RestClient", "Excon", "HTTP", "HTTPX", "Typhoeus", "HTTPClient.new", "Unirest"];

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "eval"
        | "instance_eval"
        | "class_eval"
        | "module_eval"
        | "binding.eval"
        | "TOPLEVEL_BINDING.eval"
        | "RubyVM.InstructionSequence.compile" => Op::Eval,
        "load" => Op::EvalFile,
        "require_relative" => Op::ImportBeside,
        "Dotenv.load" | "Dotenv.overload" | "Dotenv.load!" | "Dotenv.overload!" => Op::LoadEnv(0),
        "Dotenv.parse" => Op::Read,
        "$LOAD_PATH.unshift" | "$LOAD_PATH.push" | "$LOAD_PATH.append" | "$LOAD_PATH.prepend"
        | "$:.unshift" | "$:.push" | "$:.append" | "$:.prepend" => Op::SearchIn,
        "require" => Op::Import,
        "Marshal.load" | "YAML.unsafe_load" => Op::Unpack,
        "send" | "public_send" | "__send__" => Op::Dispatch,
        "method" | "const_get" | "instance_method" | "public_method" => Op::ByName,
        "Fiddle.dlopen" | "Fiddle.Function.new" => Op::Hidden,
        "puts" | "p" | "pp" | "STDOUT.puts" => Op::Print(true),
        "print" | "STDOUT.print" | "STDOUT.write" | "printf" | "putc" => Op::Print(false),
        "STDERR.puts" | "STDERR.print" | "STDERR.write" | "STDERR.printf" | "warn" | "raise"
        | "$stderr.puts" | "$stderr.print" | "$stderr.write" | "$stderr.printf" => Op::Tell,
        "gets" | "readline" | "readlines" | "ARGF.read" | "ARGF.gets" | "ARGF.readlines"
        | "ARGF.each_line" | "$<.read" => Op::InputFiles,
        "STDIN.read" | "STDIN.gets" | "STDIN.readlines" => Op::Input,
        "Process.ppid" => Op::Now(Known::Parent),
        "STDIN" => Op::Known(Known::Input),
        "ARGF" => Op::InputFiles,
        "ARGV" => Op::Known(Known::Arguments),
        "ENV" => Op::Known(Known::Environment),
        "ENV.fetch" | "$ENV.fetch" | "$ENV.?" => Op::Env,
        "$ENV.to_h" | "$ENV.to_a" | "$ENV.inspect" | "$ENV.each" | "$ENV.to_hash" | "$ENV.map"
        | "$ENV.values" | "$ENV.each_pair" | "$ENV.select" | "$ENV.to_json" | "$ENV.sort" => Op::EnvAll,
        "$ENV.key?" | "$ENV.has_key?" | "$ENV.include?" | "$ENV.delete" | "$ENV.keys" | "$ENV.update"
        | "$ENV.store" => Op::Nothing,
        "__FILE__" | "__method__" => Op::Known(Known::File),
        "__dir__" => Op::Known(Known::FileFolder),
        "RbConfig.ruby" => Op::Known(Known::Executable),
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "File.join" | "Pathname.new" | "Pathname" => Op::Pure(Pure::JoinPaths),
        "File.expand_path" | "File.absolute_path" | "File.realpath" => Op::Pure(Pure::Absolute),
        "File.dirname" => Op::Pure(Pure::Parent),
        "File.basename" => Op::Pure(Pure::Base),
        "File.extname" => Op::Pure(Pure::Suffix),
        "Dir.pwd" | "Dir.getwd" | "FileUtils.pwd" => Op::Known(Known::Folder),
        "Dir.home" | "Etc.getpwuid.dir" => Op::Known(Known::Home),
        "Dir.tmpdir" => Op::Known(Known::Temp),
        "Dir.mktmpdir" => Op::TempBlock,
        "Tempfile.new" | "Tempfile.create" | "Tempfile.open" => Op::TempHandle(false),
        "Base64.decode64" | "Base64.strict_decode64" | "Base64.urlsafe_decode64" => Op::Pure(Pure::Base64),
        "Zlib.Inflate.inflate" | "Zlib.inflate" | "Zlib.gunzip" => Op::Pure(Pure::Unpacked),
        "format" | "sprintf" => Op::Pure(Pure::Printf),
        "URI" | "URI.parse" | "String" | "String.new" | "StringIO.new" | "Array" => Op::Pure(Pure::Same),
        "URI.encode_www_form"
        | "URI.encode_www_form_component"
        | "CGI.escape"
        | "Base64.encode64"
        | "Base64.strict_encode64"
        | "Base64.urlsafe_encode64"
        | "JSON.generate"
        | "JSON.dump" => Op::Encode,
        "CGI.unescape" | "URI.decode_www_form_component" => Op::Pure(Pure::Percent),
        "pattern.match?" | "pattern.match" | "pattern.===" => Op::Fits,
        "Integer" => Op::Pure(Pure::Int),
        "JSON.parse" => Op::Pure(Pure::Json),
        "Struct.new" | "Data.define" => Op::Record,
        "Shellwords.escape" | "Shellwords.shellescape" => Op::Pure(Pure::ShellQuote),
        "Shellwords.split" | "Shellwords.shellwords" => Op::Pure(Pure::ShellWords),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "each" | "map" | "each_with_index" | "flat_map" | "collect" | "each_entry" | "each_line" | "any?"
        | "all?" | "each_slice" | "times" | "filter_map" | "reverse_each" => Op::Each,
        "find" | "detect" => Op::Seek,
        "then" | "tap" | "yield_self" => Op::Then,
        "reduce" | "inject" => Op::Fold,
        "select" | "filter" | "find_all" => Op::Filter,
        "reject" => Op::Reject,
        "send" | "public_send" | "__send__" => Op::Dispatch,
        "call" | "()" => Op::Apply,
        "children" | "each_child" | "entries" => Op::GlobBelow,
        "unlink" | "rmdir" => Op::Delete,
        "delete" => Op::DeleteSelf,
        "rmtree" => Op::DeleteTree,
        "chars" => Op::Pure(Pure::ToList),
        "join" => Op::Pure(Pure::JoinBy),
        "reverse" => Op::Pure(Pure::Reverse),
        "chr" => Op::Pure(Pure::Chars),
        "ord" => Op::Pure(Pure::Code),
        "pack" => Op::Pure(Pure::Pack),
        "unpack" => Op::Pure(Pure::Unpack),
        "unpack1" => Op::Pure(Pure::UnpackOne),
        "strip" | "chomp" | "lstrip" | "rstrip" => Op::Pure(Pure::Trim),
        "downcase" => Op::Pure(Pure::Lower),
        "upcase" => Op::Pure(Pure::Upper),
        "to_s" | "to_str" | "to_path" | "to_a" | "freeze" | "force_encoding" | "encode" | "to_sym"
        | "body" | "read" | "to_h" | "inspect" | "lazy" => Op::Pure(Pure::Same),
        "sort" | "uniq" | "compact" | "dup" | "flatten" | "shuffle" => Op::Pure(Pure::Copy),
        "gsub" | "sub" | "gsub!" | "sub!" => Op::Pure(Pure::Replace),
        "tr" | "tr_s" | "tr!" => Op::Pure(Pure::Letters),
        "split" => Op::Pure(Pure::Split),
        "lines" => Op::Pure(Pure::Lines),
        "match?" | "match" => Op::Fits,
        "start_with?" => Op::StartsWith,
        "end_with?" => Op::EndsWith,
        "fetch" | "dig" | "at" => Op::Get,
        "first" => Op::Pure(Pure::First),
        "last" => Op::Pure(Pure::Last),
        "concat" => Op::Pure(Pure::Concat),
        "format" => Op::Pure(Pure::Printf),
        "dirname" | "parent" => Op::Pure(Pure::Parent),
        "basename" => Op::Pure(Pure::Base),
        "expand_path" => Op::Pure(Pure::Absolute),
        "hex" => Op::Pure(Pure::Int),
        "values" => Op::Pure(Pure::Values),
        "accept" => Op::Calm,
        "instance_eval" | "class_eval" => Op::Eval,
        _ => return None,
    })
}
