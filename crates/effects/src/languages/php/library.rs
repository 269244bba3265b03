//! PHP's functions: what they do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// Functions have the same name in any case.
pub(super) fn canonical(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    (lower != name && function(name).is_none() && function(&lower).is_some()).then_some(lower)
}

/// What a function does, by its name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| code(name))
        .or_else(|| machine(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "exec" | "shell_exec" | "expect_popen" => Op::ShellOut,
        "system" | "passthru" | "popen" => Op::Shell,
        "proc_open" => Op::Process,
        "pcntl_exec" => Op::Spawn,
        "posix_kill" => Op::Kill,
        "pcntl_fork" => Op::Fork,
        "sleep" | "pcntl_wait" | "pcntl_waitpid" | "usleep" => Op::Calm,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "unlink" | "rmdir" => Op::Delete,
        "rename" | "move_uploaded_file" => Op::Move,
        "copy" => Op::Copy,
        "symlink" | "link" => Op::Link,
        "file_get_contents"
        | "CURLFile"
        | "curl_file_create"
        | "readfile"
        | "show_source"
        | "highlight_file"
        | "parse_ini_file"
        | "simplexml_load_file" => Op::Read,
        "file" => Op::Lines,
        "file_put_contents" => Op::Write,
        "fopen" | "gzopen" | "SplFileObject" => Op::Open,
        "fwrite" | "fputs" | "fputcsv" => Op::Put,
        "fread" | "fgets" | "stream_get_contents" | "fgetc" | "fpassthru" => Op::Pure(Pure::Same),
        "ftruncate" => Op::Truncate,
        "chmod" | "chown" | "chgrp" => Op::Permission,
        "scandir" | "readdir" | "opendir" => Op::ReadDir,
        "glob" => Op::Glob,
        "RecursiveDirectoryIterator" => Op::GlobDeep,
        "DirectoryIterator" | "FilesystemIterator" => Op::GlobBelow,
        "RecursiveIteratorIterator" | "IteratorIterator" | "CallbackFilterIterator" | "LimitIterator" => {
            Op::Pure(Pure::Same)
        }
        "mkdir" => Op::MakeDir,
        "touch" => Op::Touch,
        "chdir" => Op::ChangeDir,
        "putenv" => Op::SetEnv,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
        "curl_init" | "fetch_url" | "http_get" => Op::Fetch,
        "Client.get" | "Client.head" => Op::Fetch,
        "Client.post" | "Client.put" | "Client.patch" | "Client.delete" => Op::Post,
        "Client.request" | "Client.requestAsync" | "HttpClient.create.request" => Op::Request,
        "curl_exec" => Op::Pure(Pure::Same),
        "curl_setopt_array" => Op::RequestOptions,
        "curl_setopt" => Op::RequestOption,
        "http_build_query" | "base64_encode" | "urlencode" | "rawurlencode" | "bin2hex" => Op::Encode,
        "fsockopen" | "pfsockopen" | "stream_socket_client" | "socket_connect" | "ftp_connect" => Op::Connect,
        "socket_write" | "socket_send" | "socket_sendto" | "mail" => Op::Send,
        "ftp_put" | "ftp_nb_put" => Op::SendThird,
        "gethostbyname" | "gethostbynamel" | "dns_get_record" | "checkdnsrr" | "dns_check_record"
        | "getmxrr" | "dns_get_mx" => Op::Resolve,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "eval" | "assert" | "create_function" => Op::Eval,
        "include" => Op::EvalFile,
        "set_include_path" => Op::SearchIn,
        "FFI.cdef" | "FFI.load" | "FFI.scope" => Op::Hidden,
        "Closure.fromCallable" | "ReflectionFunction" => Op::ByName,
        "unserialize" => Op::Unpack,
        "call_user_func" => Op::ApplyNamed,
        "call_user_func_array" => Op::ApplyList,
        "array_map" | "array_walk" => Op::MapNamed,
        "array_filter" => Op::Filter,
        "str_starts_with" => Op::StartsWith,
        "str_ends_with" => Op::EndsWith,
        "ob_start" | "usort" | "register_shutdown_function" | "set_error_handler" | "iterator_apply" => {
            Op::ApplyNamed
        }
        _ => return None,
    })
}

fn machine(name: &str) -> Option<Op> {
    Some(match name {
        "echo" | "print_r" | "var_dump" | "var_export" => Op::Print(false),
        "phpinfo" => Op::EnvDump,
        "error_log" | "trigger_error" | "user_error" => Op::Tell,
        "printf" | "vprintf" => Op::Print(false),
        "getenv" => Op::Env,
        "$ENV.?" => Op::Env,
        "posix_getppid" => Op::Now(Known::Parent),
        "getcwd" => Op::Now(Known::Folder),
        "sys_get_temp_dir" => Op::Now(Known::Temp),
        "tempnam" | "tmpfile" => Op::Now(Known::TempFile),
        "STDIN" => Op::Known(Known::Input),
        "PHP_BINARY" => Op::Known(Known::Executable),
        "PHP_EOL" => Op::Known(Known::Newline),
        "DIRECTORY_SEPARATOR" => Op::Known(Known::Slash),
        "__FILE__" => Op::Known(Known::File),
        "__DIR__" => Op::Known(Known::FileFolder),
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "base64_decode" => Op::Pure(Pure::Base64),
        "hex2bin" => Op::Pure(Pure::Hex),
        "pack" => Op::Pure(Pure::PackFirst),
        "gzinflate" | "gzuncompress" | "gzdecode" | "convert_uudecode" | "openssl_decrypt" => {
            Op::Pure(Pure::Unpacked)
        }
        "str_rot13" => Op::Pure(Pure::Rot13),
        "urldecode" | "rawurldecode" => Op::Pure(Pure::Percent),
        "strrev" | "array_reverse" => Op::Pure(Pure::Reverse),
        "chr" => Op::Pure(Pure::Chars),
        "ord" => Op::Pure(Pure::Code),
        "implode" | "join" => Op::Pure(Pure::JoinWith),
        "explode" => Op::Pure(Pure::SplitBy),
        "sprintf" => Op::Pure(Pure::Printf),
        "strtr" => Op::Pure(Pure::Letters),
        "str_replace" => Op::Pure(Pure::ReplaceIn),
        "strtolower" => Op::Pure(Pure::Lower),
        "strtoupper" => Op::Pure(Pure::Upper),
        "trim" | "rtrim" | "ltrim" => Op::Pure(Pure::Trim),
        "substr" => Op::Pure(Pure::Substring),
        "dirname" => Op::Pure(Pure::Parent),
        "basename" => Op::Pure(Pure::Base),
        "realpath" => Op::Pure(Pure::Resolve),
        "strval" | "array_values" | "array_merge" | "array_unique" | "iterator_to_array" | "json_decode"
        | "json_encode" => Op::Pure(Pure::Same),
        "escapeshellarg" => Op::Pure(Pure::ShellQuote),
        "intval" | "hexdec" | "octdec" => Op::Pure(Pure::Int),
        "end" => Op::Pure(Pure::Last),
        "reset" | "current" | "array_shift" => Op::Pure(Pure::First),
        "array_keys" => Op::Pure(Pure::Keys),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "getPathname" | "getRealPath" | "__toString" | "getContents" | "getBody" | "getFilename" => {
            Op::Pure(Pure::Same)
        }
        _ => return None,
    })
}
