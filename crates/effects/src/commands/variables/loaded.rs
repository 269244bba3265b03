//! What variables put into a program where it can be told: modules by name, files of the project, installed packages.

use tollgate_model::{EffectKind, FileKind, Zone};
use tollgate_shell::value::Value;

use super::is_filled;
use crate::commands::{Run, loads, trials};
use crate::memory;
use crate::paths;
use crate::word::{Word, show};

/// Options of Node that load a module before the program.
const LOADING: &[&str] =
    &["-r", "--require", "--import", "--loader", "--experimental-loader", "--test-reporter"];

/// Options that Node takes from the variable and that load nothing: sizes, warnings, formats and checks. Those that are
/// switched on and off by a word before their name stand here without it.
const PLAIN: &[&str] = &[
    "--abort-on-uncaught-exception",
    "--addons",
    "--conditions",
    "--console-ids",
    "--debug-arraybuffer-allocations",
    "--debug-port",
    "--deprecation",
    "--disallow-code-generation-from-strings",
    "--dns-result-order",
    "--es-module-specifier-resolution",
    "--expose-gc",
    "--extra-info-on-fatal-exception",
    "--frozen-intrinsics",
    "--global-search-paths",
    "--heapsnapshot-near-heap-limit",
    "--heapsnapshot-signal",
    "--http-parser",
    "--icu-data-dir",
    "--input-type",
    "--insecure-http-parser",
    "--inspect",
    "--interpreted-frames-native-stack",
    "--jitless",
    "--max-heap-size",
    "--max-http-header-size",
    "--max-old-space-size",
    "--max-old-space-size-percentage",
    "--max-semi-space-size",
    "--napi-modules",
    "--network-family-autoselection",
    "--network-family-autoselection-attempt-timeout",
    "--node-memory-debug",
    "--node-snapshot",
    "--openssl-legacy-provider",
    "--openssl-shared-config",
    "--pending-deprecation",
    "--preserve-symlinks",
    "--preserve-symlinks-main",
    "--policy-integrity",
    "--prof-process",
    "--semi-space-growth-factor",
    "--stack-trace-limit",
    "--strip-types",
    "--test-only",
    "--test-reporter-destination",
    "--test-shard",
    "--throw-deprecation",
    "--title",
    "--tls-cipher-list",
    "--track-heap-objects",
    "--transform-types",
    "--unhandled-rejections",
    "--use-bundled-ca",
    "--use-env-proxy",
    "--use-largepages",
    "--use-openssl-ca",
    "--use-system-ca",
    "--v8-pool-size",
    "--verify-base-objects",
    "--warnings",
    "--zero-fill-buffers",
    "-C",
];

/// Are they sizes and warnings, or modules that are packages or files which can be looked at? Those are looked at.
pub(in crate::commands) fn node_options(run: &mut Run, value: &Value) -> bool {
    let Some(text) = value.as_literal() else { return false };
    let Some(words) = node_words(text) else { return false };
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let (flag, given) = word.split_once('=').map_or((word, None), |(flag, given)| (flag, Some(given)));
        // Node reads `_` in a name as `-`.
        let flag = flag.replace('_', "-");
        if !LOADING.contains(&flag.as_str()) {
            if !is_plain_option(&flag) {
                return false;
            }
            words.next_if(|next| given.is_none() && !next.starts_with('-'));
            continue;
        }
        let Some(module) = given.or_else(|| words.next()).filter(|module| is_plain(module)) else {
            return false;
        };
        let file = Word::literal_at(module, run.call.span);
        if is_path(module) && !is_there(run, &file) {
            return false;
        }
        loads::load(run, &file);
    }
    true
}

/// The options of the variable as Node parts them: at blanks that stand in no double quotes, with a backslash before a
/// letter of a quoted text taken off. `None` where a quote is left open.
fn node_words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut quoted, mut fresh) = (Vec::<String>::new(), false, true);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' if quoted => letters.next()?,
            ' ' if !quoted => {
                fresh = true;
                continue;
            }
            '"' => {
                quoted = !quoted;
                continue;
            }
            other => other,
        };
        if std::mem::take(&mut fresh) {
            words.push(String::new());
        }
        words.last_mut()?.push(letter);
    }
    (!quoted).then_some(words)
}

/// `--no-warnings`, `--trace-gc`, `--experimental-vm-modules`: it changes how Node works, and brings in no code.
fn is_plain_option(flag: &str) -> bool {
    let name = flag.strip_prefix("--no-").map_or_else(|| flag.to_owned(), |name| format!("--{name}"));
    let families = [
        "--allow-",
        "--cpu-prof",
        "--diagnostic-",
        "--disable-",
        "--enable-",
        "--force-",
        "--heap-prof",
        "--inspect-",
        "--perf-",
        "--report-",
        "--secure-heap",
        "--tls-m",
        "--trace-",
    ];
    let experiment =
        name.starts_with("--experimental-") && !name.contains("loader") && !name.contains("config");
    PLAIN.contains(&name.as_str()) || experiment || families.iter().any(|family| name.starts_with(family))
}

/// A name or a path, and no address: `data:text/javascript,…` is code.
fn is_plain(module: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@/._-".contains(c);
    !module.is_empty() && module.chars().all(plain)
}

fn is_path(module: &str) -> bool {
    module.starts_with(['.', '/'])
}

/// Is it a file that can be looked at, on the disk or by this call?
fn is_there(run: &Run, file: &Word) -> bool {
    run.shell.file(&file.value()).is_some()
        || run.analyst.places(file, run.shell).iter().any(|(place, _)| {
            ["", ".js", ".cjs", ".mjs", ".ts", "/index.js"]
                .iter()
                .any(|end| run.analyst.world.kind(&format!("{}{end}", place.path)) == FileKind::File)
        })
}

/// `PYTEST_PLUGINS=a.b,c` is `-p a.b -p c`.
pub(super) fn plugins(run: &mut Run, value: &Value) -> bool {
    let Some(text) = value.as_literal() else { return false };
    let is_module = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    let is_known = |name: &String| {
        let base = name.replace('.', "/");
        let files = [format!("{base}.py"), format!("{base}/__init__.py"), format!("src/{base}.py")];
        name.contains("pytest")
            || files.iter().any(|file| is_there(run, &Word::literal_at(file, run.call.span)))
    };
    if !names.iter().all(|name| is_module(name) && is_known(name)) {
        return false;
    }
    for name in names.iter().filter(|name| !name.is_empty()) {
        trials::plugin(run, name);
    }
    true
}

/// Is the program one of the project, run in the project, with libraries that nobody has fetched?
pub(super) fn is_for_own_program(run: &mut Run) -> bool {
    let span = run.call.span;
    let of_project = |run: &Run, word: &Word| {
        let places = run.analyst.places(word, run.shell);
        !places.is_empty() && places.iter().all(|(place, _)| place.zone == Zone::Workspace)
    };
    let Some(program) =
        crate::word::ways(&run.call.argv).into_iter().next().and_then(|words| words.first().cloned())
    else {
        return false;
    };
    if !is_there(run, &program) && !compiles(run) {
        return false;
    }
    let here = run.shell.cwd().as_literal().map(str::to_owned);
    let Some(here) = here.filter(|_| program.shown().contains('/') && of_project(run, &program)) else {
        return false;
    };
    let inside = Word::literal_at(&format!("{here}/x"), span);
    let fetched = run.analyst.searched().iter().any(|effect| {
        matches!(&effect.kind, EffectKind::Write { place, .. }
            if paths::within(&place.path, &here) && memory::is_from_network(place, run.shell))
    });
    if fetched || !of_project(run, &inside) {
        return false;
    }
    let libraries = run.analyst.world.list(&here, 1000).into_iter().filter(|name| name.contains(".so"));
    for name in libraries.take(64) {
        run.analyst.recall(&Word::literal_at(&format!("{here}/{name}"), span), run.shell);
    }
    true
}

/// Has this call built something before?
fn compiles(run: &Run) -> bool {
    let builds =
        ["make", "cmake", "ninja", "meson", "cc", "gcc", "g++", "c++", "clang", "clang++", "cargo", "go"];
    run.analyst.searched().iter().any(|effect| {
        matches!(&effect.kind, EffectKind::Exec { program, .. }
            if program.rsplit('/').next().is_some_and(|name| builds.contains(&name)))
    })
}

/// Without the folders that pip has filled with packages, and nobody else with anything.
pub(super) fn without_installed(run: &Run, value: &Value) -> Value {
    let text = value.any.first().map(show).unwrap_or_default();
    if value.any.len() != 1 || !text.contains('/') {
        return value.clone();
    }
    let kept: Vec<&str> = text.split(':').filter(|folder| !is_installed(run, folder)).collect();
    Value::text(&kept.join(":"))
}

fn is_installed(run: &Run, folder: &str) -> bool {
    let places = run.analyst.places(&Word::literal_at(folder, run.call.span), run.shell);
    let [(place, _)] = places.as_slice() else { return false };
    let (path, world) = (&place.path, run.analyst.world);
    let found = run.analyst.searched();
    let written = found.iter().any(
        |effect| matches!(&effect.kind, EffectKind::Write { place, .. } if paths::within(&place.path, path)),
    );
    if place.pattern || written || is_filled(run, path) || world.memory().touches(path) {
        return false;
    }
    let installs = found.iter().any(|effect| matches!(&effect.kind, EffectKind::Install { .. }))
        && found
            .iter()
            .any(|effect| matches!(&effect.kind, EffectKind::Alter { place, .. } if place.path == *path));
    match world.kind(path) {
        FileKind::Missing => installs,
        _ => world.list(path, 1000).iter().any(|name| name.ends_with(".dist-info")),
    }
}
