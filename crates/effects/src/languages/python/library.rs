//! Python's libraries: what their functions do. A catalogue.

use super::super::libc;
use super::super::ops::{Known, Op};
use super::super::pure::Pure;
use super::{modules, writers};

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| files(name))
        .or_else(|| writers::function(name))
        .or_else(|| requests(name))
        .or_else(|| connections(name))
        .or_else(|| code(name))
        .or_else(|| environment(name))
        .or_else(|| paths(name))
        .or_else(|| values(name))
        .or_else(|| program(name))
        .or_else(|| native(name))
        .or_else(|| modules::function(name))
}

/// Functions of C's library, by the libraries that reach for it.
fn native(name: &str) -> Option<Op> {
    let is_native = ["ctypes.", "cffi."].iter().any(|library| name.starts_with(library));
    libc::function(name.rsplit('.').next().filter(|_| is_native)?)
}

/// `sh.rm` and `plumbum.cmd.rm` are the programs of these names.
fn program(name: &str) -> Option<Op> {
    if name == "plumbum.local.cwd" {
        return Some(Op::ChangeDir);
    }
    let rest = ["sh.", "plumbum.cmd.", "plumbum.local."].iter().find_map(|start| name.strip_prefix(start))?;
    let plain = rest.strip_suffix(".bake").unwrap_or(rest);
    (!plain.contains('.') && plain.starts_with(|c: char| c.is_ascii_lowercase())).then_some(Op::Named)
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "os.system"
        | "commands.getstatus"
        | "asyncio.create_subprocess_shell"
        | "asyncio.subprocess.create_subprocess_shell" => Op::Shell,
        "os.popen"
        | "os.popen2"
        | "os.popen3"
        | "os.popen4"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "commands.getoutput"
        | "commands.getstatusoutput"
        | "platform.popen"
        | "invoke.run"
        | "invoke.Context.run"
        | "invoke.Context.sudo"
        | "fabric.Connection.local"
        | "envoy.run"
        | "delegator.run"
        | "pexpect.run" => Op::ShellOut,
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen"
        | "pty.spawn"
        | "pexpect.spawn"
        | "sh.Command"
        | "trio.run_process"
        | "anyio.run_process"
        | "anyio.open_process"
        | "distutils.spawn.spawn"
        | "psutil.Popen" => Op::Program,
        "asyncio.create_subprocess_exec" | "asyncio.subprocess.create_subprocess_exec" => Op::System,
        "os.execv" | "os.execve" | "os.execvp" | "os.execvpe" | "os.posix_spawn" | "os.posix_spawnp" => {
            Op::ExecList(0)
        }
        "os.spawnv" | "os.spawnve" | "os.spawnvp" | "os.spawnvpe" => Op::ExecList(1),
        "os.execl" | "os.execle" | "os.execlp" | "os.execlpe" => Op::ExecWords(0),
        "os.spawnl" | "os.spawnle" | "os.spawnlp" | "os.spawnlpe" => Op::ExecWords(1),
        "os.dup2" => Op::Duplicate,
        "os.mkdir" | "os.makedirs" => Op::MakeDir,
        "os.kill" | "os.killpg" => Op::Kill,
        "os.fork" | "os.forkpty" | "pty.fork" => Op::Fork,
        "os.reboot" => Op::Power,
        "time.sleep" | "os.wait" | "os.waitpid" | "sys.exit" | "os._exit" | "exit" | "quit" => Op::Calm,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        // What is in memory is what is in the file.
        "mmap.mmap" => Op::Pure(Pure::Same),
        "open" | "io.open" | "codecs.open" | "os.open" | "gzip.open" | "bz2.open" | "lzma.open"
        | "aiofiles.open" | "io.FileIO" | "os.fdopen" | "wave.open" => Op::Open,
        "os.remove"
        | "os.unlink"
        | "os.rmdir"
        | "os.removedirs"
        | "pathlib.Path.unlink"
        | "pathlib.Path.rmdir" => Op::Delete,
        "shutil.rmtree" | "send2trash.send2trash" | "distutils.dir_util.remove_tree" => Op::DeleteTree,
        "shutil.move" | "os.rename" | "os.renames" | "os.replace" => Op::Move,
        "shutil.copy" | "shutil.copy2" | "shutil.copyfile" => Op::Copy,
        "shutil.copytree" | "distutils.dir_util.copy_tree" => Op::CopyTree,
        "os.symlink" | "os.link" => Op::Link,
        "os.truncate" => Op::Truncate,
        "os.chmod" | "os.lchmod" | "os.chown" | "os.lchown" | "shutil.chown" => Op::Permission,
        "os.listdir" => Op::ReadDir,
        "psutil.pids" | "psutil.process_iter" => Op::Processes,
        "psutil.Process.name"
        | "psutil.Process.cmdline"
        | "psutil.Process.exe"
        | "psutil.Process.username"
        | "psutil.Process.cwd"
        | "psutil.Process.ppid" => Op::Picks,
        "psutil.Process.environ" => Op::EnvAll,
        "psutil.Process.kill" | "psutil.Process.terminate" | "psutil.Process.send_signal" => Op::KillSelf,
        "os.scandir" => Op::GlobBelow,
        "os.walk" | "os.fwalk" | "pathlib.Path.walk" => Op::Walk,
        "glob.glob" | "glob.iglob" => Op::Glob,
        "os.chdir" | "os.fchdir" | "contextlib.chdir" => Op::ChangeDir,
        "linecache.getlines"
        | "pathlib.Path.read_text"
        | "pathlib.Path.read_bytes"
        | "configparser.ConfigParser.read"
        | "configparser.RawConfigParser.read" => Op::Read,
        "netrc.netrc" => Op::ReadOr("~/.netrc"),
        "dotenv.dotenv_values" => Op::ReadOr(".env"),
        "shutil.unpack_archive" => Op::Extract(1),
        "np.loadtxt"
        | "numpy.loadtxt"
        | "pandas.read_csv"
        | "pd.read_csv"
        | "fileinput.input"
        | "fileinput.FileInput" => Op::Read,
        "pathlib.Path.write_text" | "pathlib.Path.write_bytes" => Op::Write,
        _ => return None,
    })
}

fn requests(name: &str) -> Option<Op> {
    Some(match name {
        "urllib.request.urlopen"
        | "urllib.urlopen"
        | "urllib.request.Request"
        | "urllib.request.build_opener.open"
        | "httpx.stream"
        | "webbrowser.open"
        | "webbrowser.open_new"
        | "webbrowser.open_new_tab" => Op::Fetch,
        "urllib3.request" | "urllib3.PoolManager.urlopen" => Op::Request,
        "urllib.request.urlretrieve" | "urllib.urlretrieve" | "wget.download" => Op::Download,
        _ => {
            let (client, verb) = name.rsplit_once('.')?;
            return CLIENTS.contains(&client).then_some(verb).and_then(|verb| match verb {
                "request" | "stream" => Some(Op::Request),
                "ws_connect" => Some(Op::Connect),
                _ => Op::request(verb),
            });
        }
    })
}

/// What has a method for each method of HTTP.
const CLIENTS: &[&str] = &[
    "requests",
    "requests.api",
    "requests.Session",
    "requests.session",
    "requests.sessions.Session",
    "requests_html.HTMLSession",
    "httpx",
    "httpx.Client",
    "httpx.AsyncClient",
    "aiohttp.ClientSession",
    "urllib3.PoolManager",
    "urllib3.HTTPSConnectionPool",
    "urllib3.HTTPConnectionPool",
    "grequests",
    "treq",
    "niquests",
    "curl_cffi.requests",
    "cloudscraper.create_scraper",
];

fn connections(name: &str) -> Option<Op> {
    Some(match name {
        "http.client.HTTPConnection"
        | "http.client.HTTPSConnection"
        | "httplib.HTTPConnection"
        | "socket.create_connection"
        | "socket.socket.connect"
        | "socket.socket.connect_ex"
        | "smtplib.SMTP"
        | "smtplib.SMTP_SSL"
        | "ftplib.FTP"
        | "ftplib.FTP_TLS"
        | "telnetlib.Telnet"
        | "paramiko.SSHClient.connect"
        | "websocket.create_connection"
        | "websockets.connect"
        | "websockets.sync.client.connect"
        | "imaplib.IMAP4"
        | "imaplib.IMAP4_SSL"
        | "nntplib.NNTP"
        | "asyncore.dispatcher.connect"
        | "trio.open_tcp_stream"
        | "anyio.connect_tcp"
        | "pwn.remote"
        | "smtplib.LMTP"
        | "asyncio.open_connection"
        | "xmlrpc.client.ServerProxy" => Op::Connect,
        "connection.request"
        | "connection.putheader"
        | "connection.sendfile"
        | "connection.storlines"
        | "connection.send_bytes"
        | "connection.writelines"
        | "connection.drain"
        | "socket.socket.sendfile"
        | "socket.socket.sendmsg"
        | "connection.putrequest"
        | "socket.socket.send"
        | "socket.socket.sendall"
        | "socket.socket.sendto"
        | "connection.sendmail"
        | "connection.send"
        | "connection.sendall"
        | "connection.storbinary"
        | "connection.send_message"
        | "connection.write" => Op::Send,
        "socket.gethostbyname"
        | "socket.getaddrinfo"
        | "socket.gethostbyname_ex"
        | "dns.resolver.resolve" => Op::Resolve,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "exec"
        | "eval"
        | "code.interact"
        | "code.InteractiveInterpreter.runsource"
        | "code.InteractiveInterpreter.runcode"
        | "code.InteractiveConsole.push"
        | "code.InteractiveConsole.runsource"
        | "code.InteractiveConsole.runcode"
        | "types.FunctionType"
        | "types.LambdaType"
        | "get_ipython.ex"
        | "get_ipython.ev"
        | "timeit.timeit" => Op::Eval,
        "execfile" | "runpy.run_path" => Op::EvalFile,
        "pickle.loads" | "pickle.load" | "cPickle.loads" | "cPickle.load" | "dill.loads" | "dill.load"
        | "marshal.loads" | "marshal.load" | "yaml.unsafe_load" | "jsonpickle.decode" | "joblib.load"
        | "shelve.open" => Op::Unpack,
        "yaml.load" | "yaml.load_all" => Op::UnpackBy("Loader"),
        "__import__" | "importlib.import_module" | "importlib.__import__" | "runpy.run_module" => Op::Import,
        "getattr" | "object.__getattribute__" => Op::Part,
        "operator.attrgetter" => Op::Curry("attrgetter"),
        "attrgetter" => Op::PartOf,
        "operator.itemgetter" => Op::Curry("itemgetter"),
        "itemgetter" => Op::ItemOf,
        "ast.literal_eval" => Op::Literal,
        "operator.methodcaller" => Op::Curry("methodcaller"),
        "methodcaller" => Op::CallOf,
        "functools.reduce" => Op::Fold,
        "fnmatch.fnmatch" | "fnmatch.fnmatchcase" => Op::Fits,
        "re.compile.search" | "re.compile.match" | "re.compile.fullmatch" => Op::Fits,
        "vars" | "globals" | "locals" => Op::Names,
        "len" | "sum" | "abs" | "round" | "any" | "all" | "bool" | "hash" | "id" | "type" | "isinstance"
        | "hasattr" | "callable" => Op::Count,
        "map" | "concurrent.futures.ThreadPoolExecutor.map" | "multiprocessing.Pool.map" => Op::Map,
        "filter" => Op::Filter,
        "atexit.register"
        | "asyncio.run"
        | "asyncio.to_thread"
        | "signal.signal"
        | "concurrent.futures.ThreadPoolExecutor.submit"
        | "multiprocessing.Pool.apply" => Op::Apply,
        "threading.Thread" | "multiprocessing.Process" | "threading.Timer" => Op::Thread,
        "functools.partial" | "staticmethod" | "classmethod" => Op::Bind,
        _ => return None,
    })
}

fn environment(name: &str) -> Option<Op> {
    Some(match name {
        "print"
        | "sys.stdout.write"
        | "sys.stdout.buffer.write"
        | "pprint.pprint"
        | "pprint.pp"
        | "rich.print" => Op::Print(name == "print"),
        "input"
        | "raw_input"
        | "sys.stdin.read"
        | "sys.stdin.readline"
        | "sys.stdin.readlines"
        | "sys.stdin.buffer.read" => Op::Input,
        "sys.stderr.write"
        | "sys.stderr.writelines"
        | "sys.stderr.buffer.write"
        | "logging.debug"
        | "logging.info"
        | "logging.warning"
        | "logging.error"
        | "logging.critical"
        | "logging.exception"
        | "warnings.warn"
        | "SystemExit" => Op::Tell,
        "sys.stdin" | "sys.stdin.buffer" => Op::Known(Known::Input),
        "sys.argv" => Op::Known(Known::Program),
        "os.environ" | "os.environb" | "$ENV._data" => Op::Known(Known::Environment),
        "$ENV.?" | "os.getenv" | "$ENV.get" | "$ENV.pop" => Op::Env,
        "$ENV.items" | "$ENV.values" | "$ENV.copy" => Op::EnvAll,
        "os.putenv" | "$ENV.setdefault" | "$ENV.update" => Op::SetEnv,
        "$ENV.keys" => Op::Nothing,
        "json.dump" | "yaml.dump" | "pickle.dump" => Op::Dump,
        "sys.executable" => Op::Known(Known::Executable),
        "string.ascii_lowercase" => Op::Constant("abcdefghijklmnopqrstuvwxyz"),
        "string.ascii_uppercase" => Op::Constant("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.ascii_letters" => Op::Constant("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        "string.digits" => Op::Constant("0123456789"),
        "__file__" => Op::Known(Known::File),
        "os.sep" | "os.path.sep" => Op::Known(Known::Slash),
        "os.linesep" => Op::Known(Known::Newline),
        _ => return None,
    })
}

fn paths(name: &str) -> Option<Op> {
    Some(match name {
        "os.path.expanduser" | "os.path.expandvars" => Op::Pure(Pure::ExpandUser),
        "os.path.join" | "posixpath.join" | "pathlib.Path" | "pathlib.PosixPath" | "pathlib.PurePath" => {
            Op::Pure(Pure::JoinPaths)
        }
        "os.path.abspath" | "os.path.realpath" => Op::Pure(Pure::Resolve),
        "os.path.normpath"
        | "os.fspath"
        | "str"
        | "bytes"
        | "repr"
        | "bytearray"
        | "os.fsencode"
        | "os.fsdecode"
        | "pathlib.Path.resolve"
        | "memoryview" => Op::Pure(Pure::Same),
        "io.StringIO" | "io.BytesIO" | "tempfile.SpooledTemporaryFile" => Op::Buffer,
        "os.path.dirname" => Op::Pure(Pure::Parent),
        "os.path.basename" => Op::Pure(Pure::Base),
        "os.path.splitext" => Op::Pure(Pure::Ends),
        "os.path.relpath" => Op::Pure(Pure::Relative),
        "os.getppid" => Op::Now(Known::Parent),
        "os.getcwd" | "os.getcwdb" | "pathlib.Path.cwd" => Op::Now(Known::Folder),
        "pathlib.Path.home" => Op::Now(Known::Home),
        "tempfile.gettempdir" => Op::Now(Known::Temp),
        "tempfile.mkdtemp" | "tempfile.TemporaryDirectory" | "tempfile.mktemp" => Op::Now(Known::TempFile),
        "tempfile.NamedTemporaryFile" => Op::TempHandle(false),
        "tempfile.mkstemp" => Op::TempHandle(true),
        "os.write" => Op::Put,
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "chr" | "unichr" | "bytes.decode" => Op::Pure(Pure::Chars),
        "ord" => Op::Pure(Pure::Code),
        "int" => Op::Pure(Pure::Int),
        "types.SimpleNamespace" | "argparse.Namespace" => Op::Pure(Pure::Table),
        "next" | "max" | "min" | "random.choice" => Op::Pure(Pure::Pick),
        "zip" => Op::Pure(Pure::Zip),
        "json.loads" | "json.load" => Op::Pure(Pure::Json),
        "re.search" | "re.match" | "re.fullmatch" | "re.findall" => Op::Pure(Pure::Fragments),
        "collections.namedtuple" => Op::Record,
        "list" | "tuple" | "sorted" | "set" | "iter" | "frozenset" | "collections.deque" => {
            Op::Pure(Pure::ToList)
        }
        "reversed" => Op::Pure(Pure::Reverse),
        "textwrap.dedent" | "inspect.cleandoc" => Op::Pure(Pure::Dedent),
        "copy.copy" => Op::Pure(Pure::Copy),
        "copy.deepcopy" => Op::Pure(Pure::CopyWhole),
        "enumerate" => Op::Pure(Pure::Entries),
        "dict" => Op::Pure(Pure::Merge),
        "range" | "xrange" => Op::Pure(Pure::Range),
        "base64.b64decode"
        | "base64.urlsafe_b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "base64.decodestring"
        | "binascii.a2b_base64" => Op::Pure(Pure::Base64),
        "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify" | "binascii.a2b_hex"
        | "base64.b16decode" => Op::Pure(Pure::Hex),
        "zlib.decompress" | "gzip.decompress" | "bz2.decompress" | "lzma.decompress" | "base64.b32decode"
        | "base64.b85decode" | "base64.a85decode" => Op::Pure(Pure::Unpacked),
        "pycurl.Curl.setopt" => Op::RequestOption,
        "json.dumps"
        | "urllib.parse.urlencode"
        | "urllib.parse.quote"
        | "urllib.parse.quote_plus"
        | "base64.b64encode"
        | "base64.urlsafe_b64encode"
        | "base64.b85encode"
        | "base64.a85encode"
        | "base64.b16encode"
        | "codecs.encode"
        | "zlib.compress"
        | "gzip.compress"
        | "bz2.compress"
        | "lzma.compress"
        | "binascii.hexlify"
        | "base64.b32encode" => Op::Encode,
        "ssl.wrap_socket"
        | "ssl.create_default_context.wrap_socket"
        | "ssl._create_unverified_context.wrap_socket"
        | "ssl.SSLContext.wrap_socket" => Op::Pure(Pure::Same),
        "codecs.decode" => Op::Pure(Pure::Codec),
        "urllib.parse.unquote" | "urllib.unquote" => Op::Pure(Pure::Percent),
        "shlex.split" => Op::Pure(Pure::ShellWords),
        "shlex.quote" | "pipes.quote" => Op::Pure(Pure::ShellQuote),
        "shlex.join" => Op::Pure(Pure::JoinSpaced),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "unlink" | "rmdir" => Op::Delete,
        "mkdir" => Op::MakeDir,
        "touch" => Op::Touch,
        "read" | "readline" | "getvalue" => Op::Pure(Pure::Same),
        "readlines" => Op::Pure(Pure::Lines),
        "buffer" | "path" => Op::Pure(Pure::Itself),
        "rmtree" => Op::DeleteTree,
        "read_text" | "read_bytes" => Op::Read,
        "write_text" | "write_bytes" => Op::Write,
        "open" => Op::Open,
        "rename" => Op::Move,
        "symlink_to" | "hardlink_to" => Op::LinkTo,
        "chmod" => Op::Permission,
        "glob" => Op::GlobBelow,
        "rglob" => Op::GlobDeep,
        "iterdir" => Op::GlobBelow,
        "joinpath" => Op::Pure(Pure::JoinPaths),
        "expanduser" => Op::Pure(Pure::ExpandUser),
        "parent" | "dirname" => Op::Pure(Pure::Parent),
        "parents" => Op::Pure(Pure::Parents),
        "name" => Op::Pure(Pure::Base),
        "stem" => Op::Pure(Pure::Stem),
        "resolve" | "absolute" => Op::Pure(Pure::Resolve),
        "strip" | "rstrip" | "lstrip" => Op::Pure(Pure::Trim),
        "decode" | "encode" | "as_posix" | "__str__" | "tobytes" | "expandtabs" => Op::Pure(Pure::Same),
        "copy" | "__copy__" => Op::Pure(Pure::Copy),
        "lower" | "casefold" => Op::Pure(Pure::Lower),
        "upper" => Op::Pure(Pure::Upper),
        "join" => Op::Pure(Pure::JoinWith),
        "replace" => Op::Replace,
        "split" => Op::Pure(Pure::Split),
        "splitlines" => Op::Pure(Pure::Lines),
        "format" => Op::Pure(Pure::Braces),
        "startswith" => Op::StartsWith,
        "endswith" => Op::EndsWith,
        "get" => Op::Get,
        "group" => Op::Pure(Pure::First),
        "with_name" => Op::Pure(Pure::WithName),
        "with_suffix" => Op::Pure(Pure::WithSuffix),
        "partition" => Op::Pure(Pure::Partition),
        "removeprefix" => Op::Pure(Pure::Prefix),
        "items" => Op::Pure(Pure::Entries),
        "values" => Op::Pure(Pure::Values),
        "keys" => Op::Pure(Pure::Keys),
        "accept" | "wait" => Op::Calm,
        "fileno" | "detach" | "makefile" => Op::Pure(Pure::Same),
        "__getattribute__" => Op::Part,
        "__subclasses__" => Op::Hidden,
        "fromhex" => Op::Pure(Pure::Hex),
        _ => return None,
    })
}
