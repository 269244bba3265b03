//! The functions that a hook runs through lie side by side in the binary.
//!
//! A program's pages are mapped as they are touched, sixteen at a time. The hook touches a twentieth of its own
//! code, and where that twentieth is spread over the whole, mapping it costs more than running it. `hot.txt` names
//! the functions, in the order of their first use; the linker is told to keep them together. A name that is no more
//! is left out: the list may be old, and then the binary is merely slower.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use xtask::sh;

use crate::{build, hot_data};

/// Set for the linker that rustc starts, which is this program: where the list lies.
pub const VARIABLE: &str = "TOLLGATE_HOT";

/// Set where the binary has to keep the names of its functions: the folder for what the linker tells about it.
const NAMES: &str = "TOLLGATE_NAMES";

/// The list, checked in.
pub fn list() -> PathBuf {
    sh::root().join("xtask/hot.txt")
}

/// Links as `cc` would, with the functions of the list first.
pub fn link(list: &Path, args: &[String]) -> Result<()> {
    let mut linker = Command::new("cc");
    let named = std::env::var_os(NAMES).map(PathBuf::from);
    linker.args(args.iter().filter(|arg| named.is_none() || arg.as_str() != "-Wl,--strip-all"));
    if let Some(order) = order(list, args)? {
        // `-Xlinker` and not `-Wl,`: a folder may have a comma in its name.
        linker.args(["-Xlinker", &format!("--symbol-ordering-file={}", order.display())]);
        linker.args(["-Xlinker", "--no-warn-symbol-ordering"]);
        if let Some(script) = data_order(list, args, &order)? {
            linker.args(["-Xlinker", "-T", "-Xlinker"]).arg(script);
        }
    }
    if let Some(folder) = named {
        hot_data::note(&objects(args), &folder.join(NOTED))?;
        linker.args(["-Xlinker", &format!("-Map={}", folder.join(MAP).display())]);
    }
    let status = linker.status().context("cannot start `cc`")?;
    if !status.success() {
        bail!("`cc` failed ({status})");
    }
    lay_down(args)
}

/// Writes the program that was linked anew, in one piece. The linker fills a mapped file page by page, and the kernel
/// keeps it in its cache just so; a file that is written in one piece lies there in large pieces, each of which is
/// mapped at once: a third of a hook's time.
fn lay_down(args: &[String]) -> Result<()> {
    let named = args.iter().position(|arg| arg == "-o").and_then(|at| args.get(at + 1));
    let program = Path::new(named.context("the linker was told no output")?);
    let piece = program.with_extension("piece");
    std::fs::write(&piece, std::fs::read(program)?)?;
    std::fs::set_permissions(&piece, std::fs::metadata(program)?.permissions())?;
    Ok(std::fs::rename(&piece, program)?)
}

/// What a linker in a recording build leaves: the map of the binary, and what its constants hold.
const MAP: &str = "map";
const NOTED: &str = "constants";

fn objects(args: &[String]) -> Vec<&String> {
    args.iter().filter(|arg| arg.ends_with(".o")).collect()
}

/// The script for the constants, beside the list of symbols.
fn data_order(list: &Path, args: &[String], beside: &Path) -> Result<Option<PathBuf>> {
    let names = std::fs::read_to_string(list)?;
    let hot: HashSet<&str> = names.lines().collect();
    let Some(script) = hot_data::script(&objects(args), |name| hot.contains(name))? else {
        return Ok(None);
    };
    let file = beside.with_extension("ld");
    std::fs::write(&file, script)?;
    Ok(Some(file))
}

/// The symbols of the objects that the list names, as a file for the linker beside them. `None` where the linker is
/// not the one that knows such files, or no symbols can be read.
fn order(list: &Path, args: &[String]) -> Result<Option<PathBuf>> {
    let knows = args.iter().any(|arg| arg.contains("fuse-ld=lld") || arg.contains("gcc-ld"));
    let objects = objects(args);
    let Some(place) = objects.first().filter(|_| knows).and_then(|object| Path::new(object).parent()) else {
        return Ok(None);
    };
    let mut symbols: HashMap<String, Vec<String>> = HashMap::new();
    for object in &objects {
        let Ok(names) = sh::output(&["nm", "--defined-only", "--format=just-symbols", object]) else {
            return Ok(None);
        };
        for symbol in names.lines() {
            symbols.entry(plain(symbol)).or_default().push(symbol.to_owned());
        }
    }
    let mut text = String::new();
    for name in std::fs::read_to_string(list)?.lines() {
        // What is not ours is the C library's, and has no other name.
        match symbols.get(name) {
            Some(all) => all.iter().for_each(|symbol| text.push_str(&format!("{symbol}\n"))),
            None => text.push_str(&format!("{name}\n")),
        }
    }
    let file = place.join("hot-order.txt");
    std::fs::write(&file, text)?;
    Ok(Some(file))
}

/// A symbol without what changes from build to build.
pub fn plain(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// Writes the lists anew: every function that ordinary events run through, and every constant they read, by valgrind.
pub fn record() -> Result<()> {
    // The names are read from the binary itself. Cargo knows nothing of that, nor that the binary depends on the lists.
    let fresh = || sh::run(&["cargo", "clean", "--release", "-p", "tollgate", "--target", &build::host()?]);
    fresh()?;
    let scratch = sh::target_dir().join("hot");
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(scratch.join("home/project"))?;
    let hook = build::release_with(&[(NAMES, &scratch.to_string_lossy())])?;
    let places = hot_data::Places::read(&scratch.join(MAP), &scratch.join(NOTED))?;
    let (mut functions, mut constants) = (List::default(), List::default());
    for payload in payloads(&scratch) {
        let trace = scratch.join("trace");
        run(&hook, &scratch, &payload, None)?;
        let out = format!("--callgrind-out-file={}", trace.display());
        run(&hook, &scratch, &payload, Some(&["--tool=callgrind", "--demangle=no", &out]))?;
        called(&std::fs::read_to_string(&trace)?).into_iter().for_each(|name| functions.add(name));
        let out = format!("--log-file={}", trace.display());
        run(&hook, &scratch, &payload, Some(&["--tool=lackey", "--trace-mem=yes", &out]))?;
        let text = std::fs::read_to_string(&trace)?;
        let read = hot_data::reads(&text).filter_map(|address| places.at(address));
        read.for_each(|content| constants.add(content.to_owned()));
    }
    functions.write(&list(), "functions")?;
    constants.write(&hot_data::list(), "constants")?;
    fresh()
}

/// Each once, in the order of first use.
#[derive(Default)]
struct List {
    seen: HashSet<String>,
    text: String,
}

impl List {
    fn add(&mut self, name: String) {
        if !self.seen.contains(&name) {
            self.text.push_str(&name);
            self.text.push('\n');
            self.seen.insert(name);
        }
    }

    fn write(&self, file: &Path, what: &str) -> Result<()> {
        println!("{} {what} in {}", self.seen.len(), file.display());
        Ok(std::fs::write(file, &self.text)?)
    }
}

/// The names in a trace of callgrind, in the order of their first mention.
fn called(trace: &str) -> Vec<String> {
    let names = trace.lines().filter_map(|line| {
        let rest = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn="))?;
        let (_, name) = rest.split_once(") ").filter(|(_, name)| !name.starts_with("0x"))?;
        // Callgrind marks a function that calls itself with its depth.
        Some(plain(name.split('\'').next().unwrap_or(name)))
    });
    names.collect()
}

fn run(
    hook: &Path,
    scratch: &Path,
    (event, payload): &(String, String),
    valgrind: Option<&[&str]>,
) -> Result<()> {
    let home = scratch.join("home");
    let mut command = match valgrind {
        Some(options) => {
            let mut command = Command::new("valgrind");
            command.args(options).arg(hook);
            command
        }
        None => Command::new(hook),
    };
    command.args(["hook", "claude-code", event, "--config"]).arg(home.join("config"));
    command.arg("--state").arg(home.join("state"));
    command.env_clear().env("HOME", &home).env("CLAUDE_PROJECT_DIR", home.join("project"));
    command.env("PATH", "/usr/bin:/bin").current_dir(home.join("project"));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().context("cannot start valgrind")?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, payload.as_bytes())?;
    }
    child.wait()?;
    Ok(())
}

/// Ordinary events, the most frequent first.
fn payloads(scratch: &Path) -> Vec<(String, String)> {
    let project = scratch.join("home/project").display().to_string();
    let event = |name: &str, rest: &str| {
        let common = format!(
            r#""session_id":"s-1","transcript_path":"{project}/t.jsonl","cwd":"{project}","permission_mode":"default""#
        );
        (name.to_owned(), format!("{{{common},\"hook_event_name\":\"{name}\",{rest}}}\n"))
    };
    let call = |tool: &str, input: &str| {
        let rest = format!(r#""tool_name":"{tool}","tool_input":{input},"tool_use_id":"toolu_01""#);
        event("PreToolUse", &rest)
    };
    let mut all: Vec<_> =
        COMMANDS.iter().map(|command| call("Bash", &format!("{{\"command\":{command:?}}}"))).collect();
    all.push(call("Read", &format!(r#"{{"file_path":"{project}/src/main.rs"}}"#)));
    all.push(call("Edit", &format!(r#"{{"file_path":"{project}/a.rs","old_string":"a","new_string":"b"}}"#)));
    all.push(call("Write", &format!(r#"{{"file_path":"{project}/a.rs","content":"fn main() {{}}"}}"#)));
    all.push(call("Grep", r#"{"pattern":"fn main","path":"src"}"#));
    all.push(event(
        "PostToolUse",
        r#""tool_name":"Bash","tool_input":{"command":"git status"},"tool_response":{"stdout":"clean","stderr":""},"tool_use_id":"toolu_01""#,
    ));
    all.push(event("UserPromptSubmit", r#""prompt":"mend the test""#));
    all.push(event("SessionStart", r#""source":"startup""#));
    all.push(event("Stop", r#""stop_hook_active":false"#));
    all
}

/// Written so that Rust's quoting is JSON's. `bench` measures with others.
pub const COMMANDS: &[&str] = &[
    "git status",
    "ls -la src",
    "cargo test --workspace 2>&1 | tail -20",
    "cd /tmp && pwd",
    "grep -rn \"fn main\" src --include=*.rs | head",
    "git add -A && git commit -m \"mend the test\"",
    "npm run build",
    "python3 -m pytest -x tests/test_a.py",
    "cat > notes.md <<'EOF'\nsome text\nEOF\n",
    "rm -rf target/debug",
    "find . -name '*.rs' -newer Cargo.toml | xargs wc -l",
    "git diff HEAD~1 --stat",
    "for f in a b c; do echo \"$f\"; done",
    "sed -i 's/a/b/' src/main.rs",
    "curl -s http://localhost:8080/health | jq .status",
    "mkdir -p build && cp README.md build/",
    "rm -rf ~",
    "git log --oneline --since='2 weeks ago' --author=\"$(git config user.name)\" | awk '{print $1}' | sort | uniq -c > /tmp/summary.txt",
    "if [ -f Makefile ]; then make -j2; fi",
    "python3 - <<'EOF'\nimport json\nprint(json.dumps({'a': 1}))\nEOF\n",
    "git ls-files -- src docs | grep -v -i test | sort -rn | head -5 | while read -r name rest; do wc -l \"$name\"; done > /tmp/sizes.txt && cat /tmp/sizes.txt",
    "docker ps -a",
    "echo \"PATH is $PATH\"",
    "sed -n '1,80p' src/main.rs; tail -n 20 build.log | cut -d: -f2 | tr a-z A-Z | uniq -c",
    "node -e 'console.log(JSON.parse(require(\"fs\").readFileSync(\"package.json\")).version)'",
    "timeout 60 npx vitest run --reporter=dot 2>&1 | tee /tmp/out.txt; echo $?",
    "for f in $(git diff --name-only main...HEAD); do test -f $f && head -3 $f; done",
];
