//! Variables that are code: commands, options and files that a program takes from its environment. A catalogue.

mod behind;
mod lasting;
pub(super) mod loaded;

use tollgate_model::{Certainty, EffectKind, FileKind, Tampered, WriteMode, Zone};
use tollgate_shell::ast::Dialect;
use tollgate_shell::eval::{Call, Code, Scope, Shell};
use tollgate_shell::value::Value;

use super::strangers::{either, possibly};
use super::tasks::makefile::shells;
use super::{Run, clusters, flags, interpreters, loads, packages, persistence, screens, wrappers};
use crate::analyst::Analyst;
use crate::paths;
use crate::word::{Word, show};
pub(super) use lasting::lasting;

/// Variables whose value a program runs as a command.
const COMMANDS: &[&str] = &[
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "FCEDIT",
    "HGEDITOR",
    "CVSEDITOR",
    "LESSEDIT",
    "LESSOPEN",
    "LESSCLOSE",
    "GIT_SSH",
    "SVN_SSH",
    "DISTCC_SSH",
    "CVS_RSH",
    "RSYNC_RSH",
    "RSYNC_CONNECT_PROG",
    "GIT_EXTERNAL_DIFF",
    "KUBECTL_EXTERNAL_DIFF",
    "PROMPT_COMMAND",
    "FZF_DEFAULT_COMMAND",
    "RUSTC",
    "RUSTDOC",
    "MANROFFSEQ",
    "NIX_PAGER",
    "TERRAGRUNT_TFPATH",
    "AUTOSSH_PATH",
    "SPELL",
];

/// How names of such variables end, by convention.
const COMMAND_ENDS: &[&str] = &[
    "_PAGER",
    "MANPAGER",
    "_EDITOR",
    "_BROWSER",
    "_ASKPASS",
    "_SSH_COMMAND",
    "_PROXY_COMMAND",
    "_RSH",
    "_WRAPPER",
    "_RUNNER",
    "_LINKER",
    "_LAUNCHER",
    "_SCRIPT_SHELL",
    "_script_shell",
    "_editor",
    "_viewer",
    "npm_config_git",
    "npm_config_shell",
];

/// Variables that name the tools of a build: harmful only by what they say.
const TOOLS: &[&str] = &[
    "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "MAKE", "SHELL", "PYTHON", "NODE", "RUBY", "PERL", "GO",
    "CARGO",
];

/// Variables with options for a program.
const OPTIONS: &[(&str, &str)] = &[
    ("TAR_OPTIONS", "tar"),
    ("GREP_OPTIONS", "grep"),
    ("FZF_DEFAULT_OPTS", "fzf"),
    ("LESS", "less"),
    ("MORE", "less"),
    ("MAKEFLAGS", "make"),
    ("PARALLEL", "parallel"),
    ("SYSTEMD_LESS", "less"),
    ("GNUMAKEFLAGS", "make"),
    ("MAKEOVERRIDES", "make"),
    ("GOFLAGS", "go build"),
    ("RUSTFLAGS", "rustc"),
    ("RUBYOPT", "ruby"),
    ("PERL5OPT", "perl"),
    ("_JAVA_OPTIONS", "java"),
    ("JAVA_TOOL_OPTIONS", "java"),
    ("JDK_JAVA_OPTIONS", "java"),
    ("JAVA_OPTS", "java"),
    ("MAVEN_OPTS", "java"),
    ("GRADLE_OPTS", "java"),
    ("SBT_OPTS", "java"),
    ("ERL_FLAGS", "erl"),
    ("ERL_AFLAGS", "erl"),
    ("ERL_ZFLAGS", "erl"),
    ("ELIXIR_ERL_OPTIONS", "erl"),
    ("PYTEST_ADDOPTS", "pytest"),
    ("CMAKE_C_COMPILER_LAUNCHER", "env"),
    ("PIP_INDEX_URL", "pip install x --index-url"),
    ("PIP_EXTRA_INDEX_URL", "pip install x --extra-index-url"),
    ("UV_INDEX_URL", "uv pip install x --index-url"),
    ("npm_config_registry", "npm install x --registry"),
    ("NPM_CONFIG_REGISTRY", "npm install x --registry"),
    ("npm_config_node_options", "node"),
    ("PIP_FIND_LINKS", "pip install x --find-links"),
    ("UV_EXTRA_INDEX_URL", "uv pip install x --extra-index-url"),
    ("UV_DEFAULT_INDEX", "uv pip install x --index-url"),
    ("YARN_NPM_REGISTRY_SERVER", "npm install x --registry"),
];

/// Variables that lead a program to another folder of settings, and the programs whose settings there name code.
const LEADERS: &[(&str, &[&str])] = &[
    (
        "HOME",
        &[
            "git", "hg", "bash", "zsh", "fish", "ksh", "ssh", "vim", "nvim", "emacs", "tmux", "psql", "gdb",
            "sqlite3",
        ],
    ),
    ("XDG_CONFIG_HOME", &["git"]),
    ("GIT_DIR", &["git"]),
    ("GIT_COMMON_DIR", &["git"]),
];

/// Variables with code of a language: the interpreter and its option for code.
const CODE: &[(&str, &str, &str)] = &[
    ("LUA_INIT", "lua", "-e"),
    ("PERL5DB", "perl", "-e"),
    ("VIMINIT", "vim", "-c"),
    ("EXINIT", "vim", "-c"),
    ("GVIMINIT", "vim", "-c"),
    ("NVIM_INIT", "nvim", "-c"),
];

/// Variables that put other code into a program, wherever it lies.
const LOADERS: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "DOTNET_STARTUP_HOOKS",
    "CORECLR_PROFILER_PATH",
    "PYTHONBREAKPOINT",
    "PYTEST_PLUGINS",
    "R_PROFILE_USER",
    "GCONV_PATH",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "GTK_MODULES",
    "GIO_EXTRA_MODULES",
    "SSH_SK_PROVIDER",
];

/// Variables with folders and files that programs take code from: of note when anybody may write there.
const SEARCHED: &[&str] = &[
    "PYTHONPATH",
    "PERL5LIB",
    "RUBYLIB",
    "NODE_PATH",
    "CLASSPATH",
    "LUA_PATH",
    "LUA_CPATH",
    "JULIA_LOAD_PATH",
    "EMACSLOADPATH",
    "TCLLIBPATH",
    "QT_PLUGIN_PATH",
    "PHP_INI_SCAN_DIR",
    "PHPRC",
    "GIT_TEMPLATE_DIR",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "VIMRUNTIME",
    "ZDOTDIR",
    "PSQLRC",
    "RIPGREP_CONFIG_PATH",
    "ANSIBLE_LIBRARY",
    "ANSIBLE_VAULT_PASSWORD_FILE",
    "ANSIBLE_CONFIG",
    "CURL_HOME",
    "HGRCPATH",
    "MAKEFILES",
    "TF_CLI_CONFIG_FILE",
    "ANSIBLE_ROLES_PATH",
    "ANSIBLE_COLLECTIONS_PATH",
    "ANSIBLE_INVENTORY",
    "AWS_CONFIG_FILE",
    "BUNDLE_GEMFILE",
    "COVERAGE_PROCESS_START",
    "GEM_PATH",
    "GEM_HOME",
    "INPUTRC",
    "IRBRC",
    "JUPYTER_CONFIG_DIR",
    "KUBECONFIG",
    "LESSKEY",
    "LESSKEYIN",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_USERCONFIG",
    "OPENSSL_CONF",
    "PIP_CONFIG_FILE",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "SCREENRC",
    "WGETRC",
    "npm_config_globalconfig",
    "npm_config_userconfig",
];

/// Does a build take the name of a tool from this variable?
pub(super) fn names_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

/// What setting a variable for a command means.
pub(super) fn variable(analyst: &mut Analyst, name: &str, value: &Value, call: &Call, shell: &mut Shell) {
    if name.starts_with("TOLLGATE_") {
        let what = format!("the Tollgate variable {name}");
        analyst.push(EffectKind::Tamper { target: Tampered::Gate, what }, call.span, Certainty::Certain);
        return;
    }
    if name == "SHELLOPTS" {
        let has = |option: &str| value.literals().any(|text| text.split(':').any(|given| given == option));
        analyst.traced |= has("xtrace");
        analyst.verbose |= has("verbose");
    }
    persistence::variable(analyst, name, value, call);
    let mut run = Run { analyst, shell, call, path: name, program: name, args: &[] };
    commands(&mut run, name, value);
    options(&mut run, name, value);
    code(&mut run, name, value);
    loads(&mut run, name, value);
    packages::addresses::variable(&mut run, name, value);
    // Git writes what it does into a file, if the variable names one.
    if name.starts_with("GIT_TRACE") && value.as_literal().is_some_and(|text| text.starts_with('/')) {
        let file = Word::literal_at(value.as_literal().unwrap_or_default(), call.span);
        run.analyst.write(&file, WriteMode::Append, None, run.shell);
    }
}

fn commands(run: &mut Run, name: &str, value: &Value) {
    let runs = COMMANDS.contains(&name) || COMMAND_ENDS.iter().any(|end| name.ends_with(end));
    if runs && !value.as_literal().is_some_and(screens::is_plain) {
        let text = value.concat(&Value::text(&behind::behind(run, name, value)));
        // A pager is given all that the program prints.
        let pages = name.ends_with("PAGER") && value.as_literal().is_some();
        let text = if pages { Value::text("git diff | ").concat(&text) } else { text };
        let span = run.call.span;
        let code = Code { text, scope: Scope::Child, dialect: Dialect::Posix, name: None, args: None, span };
        run.shell.run_text(&code, run.analyst);
        loads::unread(run, name, value);
    }
    // Bash expands it before each line that it traces, and nothing else of it is code.
    if name == "PS4" {
        let mut text = Value::text(": <<TRACE\n").concat(value).concat(&Value::text("\nTRACE"));
        text.taint = value.taint;
        interpreters::code(run, &text, run.call.span);
    }
    if TOOLS.contains(&name) {
        possibly(run, |run| drop(interpreters::code(run, value, run.call.span)));
        loads::tool(run, name, value);
    }
    // A function that bash takes from the environment.
    if name.starts_with("BASH_FUNC_")
        && let Some(body) = value.as_literal().and_then(|text| text.trim_start().strip_prefix("()"))
    {
        interpreters::code(run, &Value::text(body.trim()), run.call.span);
    }
}

/// Options are read as the program reads them.
fn options(run: &mut Run, name: &str, value: &Value) {
    let Some((_, program)) = OPTIONS.iter().find(|(known, _)| *known == name) else { return };
    let Some(text) = value.as_literal().filter(|text| !text.is_empty()) else { return };
    let line = Value::text(&format!("{program} {text}"));
    possibly(run, |run| drop(interpreters::code(run, &line, run.call.span)));
    if let Some(mut words) = runs(run, &[*program]) {
        let span = run.call.span;
        // Behind its words, for the first of them may be letters without a dash.
        words.extend(text.split_whitespace().map(|word| Word::literal_at(word, span)));
        run.inner(&words);
    }
    // Code in the options holds what a shell would read otherwise.
    if let Some(rest) = ["-eval ", "-e ", "+!"].iter().find_map(|mark| Some(text.split_once(mark)?.1)) {
        let code = Word::literal_at(rest, run.call.span);
        possibly(run, |run| either(run, &code));
    }
    // Make expands its options before it reads them.
    for command in shells(text).into_iter().filter(|_| *program == "make") {
        possibly(run, |run| drop(interpreters::code(run, &Value::text(&command), run.call.span)));
    }
    // The first word of make's own options has no dash.
    let eval = name.ends_with("MAKEFLAGS") && text.contains("--eval");
    let agent = *program == "java" && text.split_whitespace().any(flags::changes_java);
    let tool =
        ["toolexec", "-exec", "linker=/tmp/", "--require", "--import"].iter().any(|flag| text.contains(flag));
    if eval || agent || tool {
        run.analyst.opaque(format!("`{name}` loads other code into the program"), run.call.span);
    }
}

/// The words of the command from one of these programs on: it is the command, or a wrapper's.
fn runs(run: &Run, programs: &[&str]) -> Option<Vec<Word>> {
    let words = crate::word::ways(&run.call.argv).into_iter().next()?;
    let name =
        |word: &Word| word.literal().and_then(|text| text.rsplit('/').next()).unwrap_or_default().to_owned();
    let at = words.iter().position(|word| programs.contains(&name(word).as_str()))?;
    let wrapped = || words.first().is_some_and(|first| wrappers::is_wrapper(&name(first)));
    (at == 0 || wrapped()).then(|| words.get(at..).unwrap_or_default().to_vec())
}

fn code(run: &mut Run, name: &str, value: &Value) {
    let known = CODE.iter().find(|(known, _, _)| *known == name || name.starts_with(&format!("{known}_")));
    let Some((_, program, flag)) = known else { return };
    let span = run.call.span;
    let mut words: Vec<Word> = [*program, *flag].iter().map(|word| Word::literal_at(word, span)).collect();
    words.extend(value.any.iter().map(|text| Word {
        text: text.clone(),
        span,
        splits: false,
        taint: value.taint,
    }));
    run.inner(&words);
    let text = Word::literal_at(&value.any.first().map(show).unwrap_or_default(), span);
    possibly(run, |run| either(run, &text));
}

fn loads(run: &mut Run, name: &str, value: &Value) {
    let has_text = value.any.iter().any(|text| !text.is_empty() && text.as_literal() != Some("/dev/null"));
    if !has_text || (run.call.argv.is_empty() && name != "PATH") {
        return;
    }
    let plain = match name {
        "NODE_OPTIONS" => loaded::node_options(run, value),
        "PYTEST_PLUGINS" => loaded::plugins(run, value),
        "RUBYOPT" | "PERL5OPT" => loads::is_plain_option(value),
        // What is known of them is judged with the options.
        "JAVA_TOOL_OPTIONS" => value.as_literal().is_some(),
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => is_of_system(value),
        "BASH_ENV" | "ENV" => loads::is_followed(run, value),
        "PYTHONBREAKPOINT" => {
            value.as_literal().is_some_and(|text| matches!(text, "0" | "ipdb.set_trace" | "pdb.set_trace"))
        }
        _ => false,
    };
    let led = LEADERS.iter().find(|(known, _)| *known == name).and_then(|(_, programs)| runs(run, programs));
    let leads = led.is_some_and(|words| reads_settings(&words));
    let settled = match name {
        "KUBECONFIG" => clusters::is_plain(run, value) || clusters::is_for_later(run, value),
        "MAKEFILES" => loads::written(run, value).is_some(),
        "AWS_CONFIG_FILE" => {
            let runs = |text: &str| text.contains("credential_process") || text.contains("plugin");
            loads::written(run, value).is_some_and(|text| !runs(&text))
        }
        _ => false,
    };
    let temporary = (SEARCHED.contains(&name) && !settled || leads && !is_made(run, value))
        && in_temp(run, &loaded::without_installed(run, value));
    let open = match name {
        "LD_LIBRARY_PATH" | "DYLD_LIBRARY_PATH" => {
            here(value) && !loaded::is_for_own_program(run) || in_temp(run, value)
        }
        // Tools that were put into a temporary folder lie in a `bin` of it.
        "PATH" => here(value) || in_temp(run, &without_own(run, &without_bins(value))),
        "KUBECONFIG" => clusters::is_strange(run, value),
        _ => false,
    };
    let temporary = temporary || open;
    if (LOADERS.contains(&name) && !plain) || temporary {
        run.analyst.opaque(format!("`{name}` loads other code into the program"), run.call.span);
    }
}

/// Does a program look for settings of its own? Of a shell only one that somebody types into or logs in with does.
fn reads_settings(words: &[Word]) -> bool {
    let Some((program, rest)) = words.split_first() else { return false };
    let name = program.shown();
    if !matches!(name.rsplit('/').next(), Some("bash" | "ksh")) {
        return true;
    }
    let typed = |word: &Word| {
        let text = word.shown();
        let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        text == "--login" || letters.is_some_and(|letters| letters.contains(['l', 'i']))
    };
    rest.iter().any(typed)
}

/// Libraries that lie where the system's packages put them: sanitizers, allocators.
fn is_of_system(value: &Value) -> bool {
    let folders = ["/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/", "/opt/homebrew/lib/"];
    value.as_literal().is_some_and(|text| {
        let mut libraries = text.split([':', ' ']).filter(|library| !library.is_empty());
        libraries.all(|library| {
            folders.iter().any(|folder| library.starts_with(folder)) && !library.contains("..")
        })
    })
}

/// Is the present directory, whatever it is, among the folders?
fn here(value: &Value) -> bool {
    value.any.iter().any(|text| {
        let text = show(text);
        text.split(':').next().is_some_and(|first| matches!(first, "." | "./" | ""))
    })
}

/// Has this call made the folder, or written into it? Then what is in it is known.
fn is_made(run: &Run, value: &Value) -> bool {
    let word = Word::literal_at(&value.any.first().map(show).unwrap_or_default(), run.call.span);
    value.as_literal().is_none()
        || run.analyst.places(&word, run.shell).iter().all(|(place, _)| run.analyst.is_made(&place.path))
}

fn without_bins(value: &Value) -> Value {
    let text = value.any.first().map(show).unwrap_or_default();
    let kept: Vec<&str> =
        text.split(':').filter(|folder| !folder.trim_end_matches('/').ends_with("bin")).collect();
    Value::text(&kept.join(":"))
}

/// Without the folders that this call has made and put its own files into: what they hold is known, and it is found
/// there when it is run.
fn without_own(run: &Run, value: &Value) -> Value {
    let is_own = |folder: &&str| {
        let word = Word::literal_at(folder, run.call.span);
        let places = run.analyst.places(&word, run.shell);
        !places.is_empty()
            && places.iter().all(|(place, _)| {
                run.analyst.is_made(&place.path)
                    && run.analyst.world.kind(&place.path) == FileKind::Missing
                    && !is_filled(run, &place.path)
            })
    };
    let text = value.any.first().map(show).unwrap_or_default();
    let kept: Vec<&str> = text.split(':').filter(|folder| !is_own(folder)).collect();
    Value::text(&kept.join(":"))
}

/// Has something come into the folder whose names are not known, as from an archive?
fn is_filled(run: &Run, folder: &str) -> bool {
    run.analyst.trees.iter().any(|(tree, _)| paths::within(tree, folder))
        || run.analyst.searched().iter().any(|effect| {
            matches!(&effect.kind, EffectKind::Write { place, .. } if place.pattern && paths::within(&place.path, folder))
        })
}

/// Is one of the folders a place where anybody may write?
pub(super) fn in_temp(run: &Run, value: &Value) -> bool {
    let texts = value.any.iter().map(show).collect::<Vec<_>>().join(":");
    texts
        .split(':')
        .filter(|folder| folder.starts_with('/') && !folder.contains('*') && *folder != "/dev/null")
        .any(|folder| {
            let word = Word::literal_at(folder, run.call.span);
            loads::is_open(run, &word)
                || run.analyst.places(&word, run.shell).iter().any(|(place, _)| place.zone == Zone::Temp)
        })
}
