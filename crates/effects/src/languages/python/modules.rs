//! Names of Python's modules, the detours that lead to the same thing, and what brings modules in.

use super::super::ops::{Magic, Op};
use super::super::pure::Pure;

/// Functions that bring modules in, and those of the notebook that the program runs in.
pub(super) fn function(name: &str) -> Option<Op> {
    Some(match name {
        "sys.path.insert" | "sys.path.append" | "sys.path.extend" | "site.addsitedir" => Op::SearchIn,
        "importlib.util.spec_from_file_location"
        | "importlib.machinery.SourceFileLoader"
        | "imp.load_source"
        | "importlib.machinery.SourcelessFileLoader" => Op::ModuleAt(1),
        "importlib.reload" | "imp.reload" | "reload" => Op::ModulesAgain,
        "importlib.util.module_from_spec" => Op::Pure(Pure::Same),
        "dotenv.load_dotenv"
        | "dotenv.main.load_dotenv"
        | "environ.Env.read_env"
        | "environs.Env.read_env" => Op::LoadEnv(0),
        "decouple.config" => Op::LoadedEnv(0),
        "dotenv.get_key" => Op::LoadedEnv(1),
        "get_ipython.system"
        | "get_ipython.system_raw"
        | "get_ipython.system_piped"
        | "IPython.utils.process.system" => Op::Shell,
        "get_ipython.getoutput"
        | "get_ipython.getoutput_pexpect"
        | "IPython.utils.process.getoutput"
        | "IPython.utils.process.getoutputerror" => Op::ShellOut,
        "get_ipython.run_cell" | "get_ipython.run_cell_async" => Op::Magic(Magic::Cell),
        "get_ipython.run_line_magic" => Op::Magic(Magic::Line),
        "get_ipython.run_cell_magic" => Op::Magic(Magic::Block),
        "get_ipython.magic" => Op::Magic(Magic::Text),
        _ => return None,
    })
}

/// The plain form of a name: without the detours to the same thing.
pub(super) fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in ["builtins.", "__builtins__.", "sys.modules.", "globals.", "six.moves.", "__main__."] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    let mut owned = plain.replace(".__dict__", "").replace(".__call__", "");
    for (alias, real) in [
        ("posix.", "os."),
        ("nt.", "os."),
        ("posixpath.", "os.path."),
        ("urllib2.", "urllib.request."),
        ("os.os.", "os."),
        ("IPython.get_ipython", "get_ipython"),
        ("IPython.core.getipython.get_ipython", "get_ipython"),
        ("aiofiles.os.", "os."),
        ("aiofiles.ospath.", "os.path."),
        ("aioshutil.", "shutil."),
        ("pathlib2.", "pathlib."),
        ("anyio.Path", "pathlib.Path"),
        ("trio.Path", "pathlib.Path"),
        ("aiopath.AsyncPath", "pathlib.Path"),
        ("path.Path", "pathlib.Path"),
    ] {
        if let Some(rest) = owned.strip_prefix(alias) {
            owned = format!("{real}{rest}");
        }
    }
    if let Some(rest) = owned.strip_prefix("__dict__.") {
        owned = rest.to_owned();
    }
    // What a built-in function belongs to is where all of them are.
    if let Some((_, rest)) = owned.rsplit_once("__self__.") {
        owned = rest.to_owned();
    }
    // The names that a function of a module knows are those of the module.
    if let Some((function, rest)) = owned.split_once(".__globals__.")
        && let Some((module, _)) = function.rsplit_once('.')
    {
        owned = format!("{module}.{rest}");
    }
    if let Some(module) = by_detour(&owned) {
        owned = module.to_owned();
    }
    (owned != name).then_some(owned)
}

/// A module that another one brought in for itself: `shutil.os.system`, `random._os.system`.
fn by_detour(name: &str) -> Option<&str> {
    let mut at = name.find('.')? + 1;
    let mut found = None;
    for part in name.get(at..)?.split('.') {
        let plain = part.strip_prefix('_').unwrap_or(part);
        let end = at + part.len();
        if matches!(plain, "os" | "subprocess" | "shutil" | "sys") && end < name.len() {
            found = Some(end - plain.len());
        }
        at = end + 1;
    }
    found.filter(|_| is_known(name)).and_then(|at| name.get(at..))
}

/// Is it a module that does not lie beside the program?
pub(super) fn is_known(name: &str) -> bool {
    MODULES.contains(&name.split('.').next().unwrap_or_default())
}

/// Modules of the standard library, and those that most programs use.
const MODULES: &[&str] = &[
    "os",
    "sys",
    "re",
    "io",
    "json",
    "time",
    "math",
    "shutil",
    "subprocess",
    "pathlib",
    "glob",
    "tempfile",
    "datetime",
    "collections",
    "itertools",
    "functools",
    "random",
    "string",
    "socket",
    "urllib",
    "http",
    "base64",
    "hashlib",
    "argparse",
    "logging",
    "typing",
    "csv",
    "uuid",
    "platform",
    "threading",
    "multiprocessing",
    "asyncio",
    "struct",
    "copy",
    "pickle",
    "inspect",
    "traceback",
    "contextlib",
    "dataclasses",
    "enum",
    "unittest",
    "pytest",
    "numpy",
    "pandas",
    "requests",
    "yaml",
    "toml",
    "tomllib",
    "importlib",
    "builtins",
    "ctypes",
    "signal",
    "stat",
    "textwrap",
    "operator",
    "codecs",
    "zlib",
    "gzip",
    "zipfile",
    "tarfile",
    "sqlite3",
    "smtplib",
    "ftplib",
    "ssl",
    "getpass",
    "pty",
    "code",
    "ast",
    "types",
    "warnings",
    "abc",
    "decimal",
    "statistics",
    "secrets",
    "configparser",
    "torch",
    "tensorflow",
    "sklearn",
    "scipy",
    "matplotlib",
    "PIL",
    "django",
    "flask",
    "fastapi",
    "setuptools",
    "__future__",
    "posix",
    "fnmatch",
    "shlex",
    "pprint",
    "email",
    "xml",
    "html",
    "heapq",
    "bisect",
    "marshal",
];
