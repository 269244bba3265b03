//! Names of Python's modules, and the detours that lead to the same thing.

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
    ] {
        if let Some(rest) = owned.strip_prefix(alias) {
            owned = format!("{real}{rest}");
        }
    }
    (owned != name).then_some(owned)
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
