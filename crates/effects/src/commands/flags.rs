//! Options of harmless programs that run or load something else.

mod cargo;
mod clears;
mod cmake;
mod generate;
mod slots;
mod viewers;

use tollgate_model::{EffectKind, FileKind, WriteMode, Zone};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::strangers::possibly;
use super::{Run, interpreters, loads};
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Order, read};
use crate::paths;
use crate::word::Word;

/// Takes down what the command slots of a program's options do.
pub(super) fn notice(run: &mut Run) {
    clears::notice(run);
    let program = run.program;
    let known = catalogue::find(program);
    if let Some(known) = known {
        for value in given(run, known.runs_shell) {
            interpreters::code(run, &piped(&value).value(), value.span);
            loads::tool(run, program, &value.value());
            if known.is_transport {
                loads::unread(run, program, &value.value());
            }
        }
    }
    if let Some(known) = known {
        for setting in given(run, known.sets_command) {
            if program == "cmake" && !cmake::is_code(run, &setting) {
                continue;
            }
            let command = if program == "cmake" { cmake::command(&setting) } else { setting.after('=') };
            let text = command.text.prefix().trim_start_matches('!').len();
            let command = command.from(command.text.prefix().len() - text);
            possibly(run, |run| drop(interpreters::code(run, &command.value(), command.span)));
            // A list of words is written with semicolons there.
            if let Some(list) = command.literal().filter(|list| program == "cmake" && list.contains(';')) {
                let line = Value::text(&list.replace(';', " "));
                possibly(run, |run| drop(interpreters::code(run, &line, command.span)));
            }
            loads::tool(run, program, &command.value());
        }
    }
    special(run);
    slots::notice(run);
    super::trials::notice(run);
}

/// What single programs' options do besides.
fn special(run: &mut Run) {
    match run.program {
        "cargo" => cargo::cargo(run),
        "gh" => {
            gh(run);
            super::openings::forge(run);
        }
        "glab" => super::openings::forge(run),
        "less" | "more" | "most" | "zless" | "pg" => viewers::pager(run),
        "rg" => handed(run),
        "docker" | "podman" | "nerdctl" => {
            for file in given(run, "cidfile= iidfile= metadata-file= pod-id-file= pidfile=") {
                run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
            }
        }
        "snap" => snapped(run),
        "rake" => rake(run),
        "consul" | "etcdctl" | "lerna" => told(run),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => linked(run),
        "ar" | "nm" | "ranlib" | "gcc-ar" | "gcc-nm" => {
            given(run, "plugin=").iter().for_each(|library| loads::load(run, library));
        }
        "gawk" | "awk" => {
            let spec = "F,field-separator= v,assign= f,file= i,include= e,source= l,load= E,exec= o,pretty-print? \
                d,dump-variables? p,profile?";
            let options = read(run.args, spec, Order::First);
            for file in
                ["o", "d", "p"].iter().flat_map(|name| options.values(name)).filter(|file| !file.is("-"))
            {
                run.analyst.write(file, WriteMode::Overwrite, None, run.shell);
            }
        }
        "ctest" => tested(run),
        "ninja" | "samu" | "ninja-build" => super::tasks::ninja(run),
        "lf" | "ranger" | "vifm" | "nnn" | "joshuto" | "yazi" => viewers::manager(run),
        "mvn" | "mvnw" => maven(run),
        "latexmk" => values(run, &["-pdflatex", "-latex", "-xelatex", "-lualatex", "-bibtex", "-e"]),
        "sqlite3" | "sqlite" | "openssl" | "ld" => libraries(run),
        "git" => hooks(run),
        "heroku" => local(run),
        "npm" | "pnpm" | "yarn" => node_options(run),
        _ => {}
    }
}

/// `rg --pre program` runs the program with each file that is searched, those that this call wrote included.
fn handed(run: &mut Run) {
    let Some(program) = given(run, "pre=").pop() else { return };
    let spec = "pre= pre-glob= e,regexp= f,file= g,glob= t,type= T,type-not= A,after-context= B,before-context= C,context= \
        m,max-count= j,threads= M,max-columns= iglob= max-depth= d= E,encoding= r,replace= sort= sortr= colors= color= \
        max-filesize= engine= type-add= context-separator= ignore-file= hostname-bin=";
    let options = read(run.args, spec, Order::Anywhere);
    let skip = usize::from(!options.has("e") && !options.has("f"));
    let roots: Vec<Word> = options.operands.iter().skip(skip).cloned().collect();
    let below = |path: &str, run: &Run| {
        let places = |root| run.analyst.places(root, run.shell);
        roots.iter().flat_map(places).any(|(place, _)| place.path != path && paths::within(path, &place.path))
    };
    let written: Vec<String> = run
        .analyst
        .searched()
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Write { place, .. } if !place.pattern => Some(place.path.clone()),
            _ => None,
        })
        .filter(|path| below(path, run))
        .take(16)
        .collect();
    let written = written.iter().map(|path| Word::literal_at(path, run.call.span));
    let is_folder = |root: &Word| {
        let places = run.analyst.places(root, run.shell);
        places.iter().any(|(place, _)| run.analyst.world.kind(&place.path) == FileKind::Dir)
    };
    let here = Word::literal_at(".", run.call.span);
    let walked = if roots.is_empty() { std::slice::from_ref(&here) } else { &roots };
    let walked =
        walked.iter().map(|root| if is_folder(root) { super::find::all_below(root) } else { root.clone() });
    let mark = run.analyst.mark();
    for file in walked.chain(written).collect::<Vec<_>>() {
        run.inner(&[program.clone(), file]);
    }
    run.analyst.deepen(mark);
}

/// `snap run [options] application words`: with `--shell`, the words are a shell's.
fn snapped(run: &mut Run) {
    let Some((verb, rest)) = run.args.split_first().filter(|(verb, _)| verb.is("run")) else { return };
    let options = read(rest, "shell strace? gdbserver? trace-exec debug-log command= r=", Order::First);
    let words = options.operands.get(usize::from(options.has("shell"))..).unwrap_or_default();
    let shell = options.has("shell").then(|| Word::literal_at("sh", verb.span));
    run.inner(&shell.into_iter().chain(words.iter().cloned()).collect::<Vec<_>>());
}

/// Tools with verbs that run a command which stands behind them.
const TOLD: &[(&str, &[&str], &str, usize)] = &[
    (
        "consul",
        &["lock"],
        "child-exit-code n= name= pass-stdin monitor-retry= shell= timeout= try= verbose http-addr= token=",
        1,
    ),
    (
        "consul",
        &["watch"],
        "type= key= prefix= service= name= state= shell= http-addr= token= stale= tag= passingonly=",
        0,
    ),
    ("consul", &["exec"], "node= service= tag= prefix= shell= wait= wait-repl= verbose http-addr= token=", 0),
    ("etcdctl", &["lock"], "ttl= endpoints= cacert= cert= key= user=", 1),
    ("etcdctl", &["watch"], "prefix rev= i,interactive prev-kv endpoints= cacert= cert= key= user=", 1),
    (
        "lerna",
        &["exec"],
        "stream parallel no-bail no-prefix profile scope= ignore= since= concurrency= loglevel=",
        0,
    ),
];

fn told(run: &mut Run) {
    let program = run.program;
    for (_, verbs, spec, before) in TOLD.iter().filter(|(name, ..)| *name == program) {
        let Some(at) = run.args.iter().position(|word| verbs.iter().any(|verb| word.is(verb))) else {
            continue;
        };
        let rest: Vec<Word> = run.args.iter().skip(at + 1).map(with_two_dashes).collect();
        let options = read(&rest, spec, Order::First);
        let command: Vec<Word> =
            options.operands.iter().skip(*before).skip_while(|word| word.is("--")).cloned().collect();
        // One word is text for a shell.
        interpreters::joined(run, &command);
    }
}

/// `-fuse-ld=tool`, `@file`: a linker, and a file of further options.
fn linked(run: &mut Run) {
    for word in run.args {
        if word.text.prefix().starts_with("-fuse-ld=") {
            loads::tool(run, "-fuse-ld", &word.after('=').value());
        } else if word.text.prefix().starts_with('@') {
            loads::load(run, &word.from(1));
        }
    }
}

/// `rake -e code` is Ruby, with what rake adds to it.
fn rake(run: &mut Run) {
    for code in given(run, "e,execute= p,execute-print= E,execute-continue=") {
        let words = ["ruby", "-e"].map(|word| Word::literal_at(word, code.span));
        run.inner(&[words.as_slice(), &[code]].concat());
    }
}

/// `ctest --build-and-test … --test-command tool words`.
fn tested(run: &mut Run) {
    if let Some(at) = run.args.iter().position(|word| word.is("--test-command")) {
        run.inner(run.args.get(at + 1..).unwrap_or_default());
    }
}

/// Aliases that begin with `!` are shell text; so are a few settings.
fn gh(run: &mut Run) {
    let words: Vec<Word> =
        run.args.iter().filter(|word| !word.text.prefix().starts_with("--")).cloned().collect();
    let [group, verb, name, value, ..] = words.as_slice() else { return };
    let alias = group.is("alias") && verb.is("set");
    let setting =
        group.is("config") && verb.is("set") && ["pager", "editor", "browser"].iter().any(|key| name.is(key));
    if setting || (alias && value.text.prefix().starts_with('!')) {
        interpreters::code(run, &piped(value).value(), value.span);
    }
}

/// `mvn exec:exec -Dexec.executable=tool -Dexec.args=…`.
fn maven(run: &mut Run) {
    let value = |name: &str| {
        let start = format!("-Dexec.{name}=");
        run.args
            .iter()
            .find(|word| word.text.prefix().starts_with(&start))
            .map(|word| word.after('=').shown())
    };
    if let Some(tool) = value("executable") {
        let line = format!("{tool} {}", value("args").unwrap_or_default());
        interpreters::code(run, &Value::text(&line), run.call.span);
    }
}

/// A library that is loaded is code.
fn libraries(run: &mut Run) {
    let input = run.stdin().and_then(Value::as_literal).unwrap_or_default().to_owned();
    let texts: Vec<String> = run.args.iter().map(Word::shown).chain([input]).collect();
    let sql = texts.iter().any(|text| {
        text.contains("load_extension(") || text.lines().any(|line| line.trim().starts_with(".load "))
    });
    let other = texts
        .iter()
        .any(|text| text.contains(".so") && (text.starts_with(['.', '/']) || text.starts_with("SO_PATH")));
    let asks =
        texts.iter().any(|text| matches!(text.as_str(), "-engine" | "-plugin" | "engine" | "-provider-path"));
    if sql || (other && asks && !texts.iter().any(|text| text.contains("/usr/lib"))) {
        run.analyst.opaque(format!("`{}` loads a library, which is code", run.program), run.call.span);
    }
}

/// Hooks from a folder where anybody may write.
fn hooks(run: &mut Run) {
    for setting in given(run, "c=") {
        if !setting.text.prefix().to_ascii_lowercase().starts_with("core.hookspath=") {
            continue;
        }
        let folder = setting.after('=');
        let places = run.analyst.places(&folder, run.shell);
        if places.iter().any(|(place, _)| place.zone == Zone::Temp && place.path != "/dev/null") {
            run.analyst.opaque("hooks from a temporary folder would run", setting.span);
        }
    }
}

/// `heroku local:run command`.
fn local(run: &mut Run) {
    if run.args.first().is_some_and(|verb| verb.is("local:run")) {
        run.inner(run.args.get(1..).unwrap_or_default());
    }
}

/// Options that npm hands to node.
fn node_options(run: &mut Run) {
    for options in given(run, "node-options=") {
        if !super::variables::loaded::node_options(run, &options.value()) {
            run.analyst.opaque("`--node-options` loads other code into the program", options.span);
        }
    }
}

/// The values of the options that a specification names.
pub(super) fn given(run: &Run, spec: &'static str) -> Vec<Word> {
    if spec.is_empty() {
        return Vec::new();
    }
    let is_operand = |word: &Word| word.literal().is_some_and(|text| !text.starts_with('-'));
    if run.args.iter().all(is_operand) {
        #[cfg(test)]
        crate::options::seen::note(spec);
        return Vec::new();
    }
    let doubled: Vec<Word>;
    let args = match catalogue::find(run.program).is_some_and(|known| known.one_dash) {
        true => {
            doubled = run.args.iter().map(with_two_dashes).collect();
            &doubled
        }
        false => run.args,
    };
    let options = read(args, spec, Order::Anywhere);
    spec.split_ascii_whitespace()
        .filter_map(|group| group.trim_end_matches(['=', '?']).split(',').next())
        .flat_map(|name| options.values(name).cloned().collect::<Vec<_>>())
        .collect()
}

fn with_two_dashes(word: &Word) -> Word {
    let prefix = word.text.prefix();
    if prefix.len() < 3 || !prefix.starts_with('-') || prefix.starts_with("--") {
        return word.clone();
    }
    let mut text = tollgate_shell::value::Text::literal("-");
    text.append(&word.text);
    Word { text, ..word.clone() }
}

/// A command that a `|` or `!` marks.
fn piped(word: &Word) -> Word {
    // `yt-dlp --exec after_move:command` says when.
    let (when, _) = word.text.prefix().split_once(':').unwrap_or_default();
    let named = !when.is_empty() && when.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let word = &if named { word.from(when.len() + 1) } else { word.clone() };
    let marks = word.text.prefix().len() - word.text.prefix().trim_start_matches(['|', '!']).len();
    word.from(marks)
}

pub(super) fn harmless(run: &mut Run) -> Outcome {
    run.derived()
}

pub(super) fn go(run: &mut Run) -> Outcome {
    let verb = run.args.first().map(Word::shown).unwrap_or_default();
    if matches!(verb.as_str(), "test" | "run" | "build" | "vet" | "generate" | "install") {
        values(run, &["-toolexec", "--toolexec", "-vettool", "--vettool"]);
        // The program that was built stands behind what is to run it.
        values_before(run, &["-exec", "--exec"], " ./built");
    }
    if verb == "env" && run.args.iter().any(|word| word.is("-w")) {
        for setting in run.args.iter().skip(1).filter(|word| word.text.prefix().contains('=')) {
            let value = setting.after('=');
            possibly(run, |run| drop(interpreters::code(run, &value.value(), value.span)));
            loads::tool(run, "go env", &value.value());
        }
    }
    if verb == "generate" && !run.args.iter().any(|word| word.is("-n")) {
        generate::generate(run);
    }
    super::sources::run(run);
    run.derived()
}

pub(super) fn ctags(run: &mut Run) -> Outcome {
    values(run, &["--etags-program"]);
    run.derived()
}

/// Commands that the machine runs when the program fails.
pub(super) fn java(run: &mut Run) -> Outcome {
    for word in run.args {
        let text = word.text.prefix();
        if text.starts_with("-XX:OnError=") || text.starts_with("-XX:OnOutOfMemoryError=") {
            let command = word.after('=');
            interpreters::code(run, &command.value(), command.span);
        }
        if changes_java(text) && !text.starts_with("-javaagent:") || text.starts_with("-javaagent:/tmp/") {
            run.analyst.opaque("an agent library loads other code into the program", word.span);
        }
        if text.ends_with(".jar") && !text.starts_with('-') {
            run.analyst.recall_package(word, run.shell);
        }
    }
    super::sources::run(run);
    run.derived()
}

/// Options that bring other code into a Java program, have a command run, or name a file of further options. A
/// debugger that only listens brings none.
pub(super) fn changes_java(option: &str) -> bool {
    let listens = option.starts_with("-agentlib:jdwp") && !option.contains("launch=");
    let starts = [
        "-javaagent:",
        "-agentlib:",
        "-agentpath:",
        "-Xbootclasspath",
        "-XX:OnError=",
        "-XX:OnOutOfMemoryError=",
        "-XX:Flags=",
        "-XX:VMOptionsFile=",
        "-Djava.system.class.loader=",
        "@",
    ];
    !listens && starts.iter().any(|start| option.starts_with(start))
}

/// `%pipe%command`, in an option or in PostScript.
pub(super) fn ghostscript(run: &mut Run) -> Outcome {
    for word in run.args {
        for command in word.shown().split("%pipe%").skip(1) {
            let command = command.split(')').next().unwrap_or_default();
            interpreters::code(run, &Value::text(command), word.span);
        }
    }
    run.derived()
}

/// `%(command)` in a macro.
pub(super) fn rpm(run: &mut Run) -> Outcome {
    for word in run.args {
        for command in word.shown().split("%(").skip(1) {
            let command = command.rsplit_once(')').map_or(command, |(command, _)| command);
            interpreters::code(run, &Value::text(command), word.span);
        }
        if word.shown().contains("%{lua:") {
            possibly(run, |run| super::strangers::either(run, word));
        }
    }
    run.derived()
}

/// Previews, and actions of keys: `execute(command)`. The line that is chosen stands for `{}` in them, and is printed.
pub(super) fn fzf(run: &mut Run) -> Outcome {
    let lines = run.stdin().cloned();
    let here = super::find::all_below(&Word::literal_at(".", run.call.span)).value();
    // It is quoted there, so that only what is known of names matters.
    let line = match &lines {
        None => here,
        Some(lines) if lines.any.iter().all(|text| text.has_globs()) => lines.clone(),
        Some(_) => Value::text("{}"),
    };
    let filled = |text: &str| {
        let mut parts = text.split("{}").map(Value::text);
        let first = parts.next().unwrap_or_else(Value::empty);
        parts.fold(first, |all, part| all.concat(&line).concat(&part))
    };
    for value in given(run, "preview=") {
        let text = value.literal().map_or_else(|| value.value(), filled);
        interpreters::code(run, &text, value.span);
    }
    for value in given(run, "bind=") {
        let text = value.shown();
        for start in ["execute", "execute-silent", "become", "reload", "preview", "transform"] {
            for rest in text.split(&format!("{start}(")).skip(1) {
                let command = rest.rsplit_once(')').map_or(rest, |(command, _)| command);
                interpreters::code(run, &filled(command), value.span);
            }
        }
    }
    match lines {
        Some(lines) => Outcome { stdout: lines, status: Status::Either },
        None => run.derived(),
    }
}

/// `cmake -E command …` is a set of tools of its own; `-P` runs a script.
pub(super) fn cmake(run: &mut Run) -> Outcome {
    let at = |flag: &str| run.args.iter().position(|word| word.is(flag));
    if let Some(rest) = at("-E").and_then(|at| run.args.get(at + 1..)).map(<[Word]>::to_vec) {
        return cmake_tool(run, &rest);
    }
    if let Some(file) = at("-P").and_then(|at| run.args.get(at + 1)).cloned() {
        run.read(&file, false);
        let text = run.analyst.script(&file, run.shell);
        for command in
            text.iter().filter_map(Value::as_literal).flat_map(super::tasks::cmake_commands).take(256)
        {
            interpreters::code(run, &Value::text(&command), file.span);
        }
    }
    run.derived()
}

fn cmake_tool(run: &mut Run, words: &[Word]) -> Outcome {
    let Some((verb, rest)) = words.split_first() else { return run.derived() };
    let command: &[&str] = match verb.shown().as_str() {
        "rm" | "remove" => &["rm"],
        "remove_directory" => &["rm", "-r"],
        "copy" | "copy_if_different" => &["cp"],
        "copy_directory" | "copy_directory_if_different" => &["cp", "-r"],
        "rename" => &["mv"],
        "cat" => &["cat"],
        "touch" => &["touch"],
        "create_symlink" => &["ln", "-s"],
        "env" | "environment" => &["env"],
        "time" => &["nohup"],
        "tar" => &["tar"],
        "create_hardlink" => &["ln"],
        "chdir" => {
            let before = run.shell.cwd().clone();
            rest.iter().take(1).for_each(|folder| run.shell.set_cwd(&folder.value()));
            let outcome = run.inner(rest.get(1..).unwrap_or_default());
            run.shell.set_cwd(&before);
            return outcome;
        }
        _ => return run.derived(),
    };
    let mut inner: Vec<Word> = command.iter().map(|word| Word::literal_at(word, verb.span)).collect();
    inner.extend(rest.iter().cloned());
    run.inner(&inner)
}

/// `syscmd` and `esyscmd` of the macro processor.
pub(super) fn m4(run: &mut Run) -> Outcome {
    let whole = super::readers::contents(run, run.args);
    if taint::has(whole.taint, taint::NET) {
        run.analyst.dynamic_code(whole.taint, run.call.span);
    }
    for command in super::tasks::m4_commands(whole.as_literal().unwrap_or_default()) {
        interpreters::code(run, &Value::text(&command), run.call.span);
    }
    Outcome::unknown(whole.taint)
}

/// The calculator runs the rest of a line behind `!`.
pub(super) fn dc(run: &mut Run) -> Outcome {
    let mut texts: Vec<String> = given(run, "e,expression=").iter().map(Word::shown).collect();
    texts.extend(run.stdin().and_then(|text| text.as_literal().map(str::to_owned)));
    for line in texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.trim().strip_prefix('!')) {
        if !line.starts_with(['<', '>', '=']) {
            interpreters::code(run, &Value::text(line), run.call.span);
        }
    }
    run.derived()
}

/// `\write18{command}` where the shell was let in, and Lua.
pub(super) fn tex(run: &mut Run) -> Outcome {
    let open = run.args.iter().any(|word| {
        matches!(word.shown().trim_start_matches('-'), "shell-escape" | "enable-write18" | "shell-restricted")
    });
    for word in run.args {
        let text = word.shown();
        let calls: &[&str] = if open { &["write18{", "ShellEscape{"] } else { &[] };
        for rest in calls.iter().flat_map(|call| text.split(call).skip(1)) {
            let command = rest.split('}').next().unwrap_or_default();
            interpreters::code(run, &Value::text(command), word.span);
        }
        if text.contains("directlua{") {
            possibly(run, |run| super::strangers::either(run, word));
        }
    }
    run.derived()
}

/// `ssh-add -s library`, `ssh-keygen -D library`: the library is code.
pub(super) fn loads(run: &mut Run) -> Outcome {
    for library in given(run, "s,D=") {
        if library.shown().contains(".so") && !library.shown().starts_with("/usr/") {
            run.analyst.opaque(format!("`{}` is loaded as code", library.shown()), library.span);
        }
    }
    run.derived()
}

/// The values of options that name a command: `-P cmd`, `-Pcmd`, `--pager cmd`, `--pager=cmd`.
pub(super) fn values(run: &mut Run, names: &[&str]) {
    values_before(run, names, "");
}

/// The same, where the program puts further words behind the value.
fn values_before(run: &mut Run, names: &[&str], behind: &str) {
    let mut code: Vec<Word> = Vec::new();
    for (at, word) in run.args.iter().enumerate() {
        let prefix = word.text.prefix();
        for name in names {
            if word.is(name) {
                code.extend(run.args.get(at + 1).cloned());
            } else if prefix.starts_with(&format!("{name}=")) {
                code.push(word.after('='));
            } else if name.len() == 2 && prefix.starts_with(name) && prefix.len() > 2 {
                code.push(word.from(2));
            }
        }
    }
    for mut word in code {
        // `$(which tool)` is that tool, wherever it lies.
        if let Some(name) = looked_up(&word) {
            word.text = tollgate_shell::value::Text::literal(&name);
        }
        word.text.append(&tollgate_shell::value::Text::literal(behind));
        interpreters::code(run, &word.value(), word.span);
        loads::tool(run, names.first().copied().unwrap_or_default(), &word.value());
    }
}

/// The name of a program whose folder only shows when it runs.
fn looked_up(word: &Word) -> Option<String> {
    let name = word.text.suffix().strip_prefix('/')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let unknown = matches!(word.text.pieces.as_slice(), [tollgate_shell::value::Piece::Hole(_), _]);
    (unknown && !name.is_empty() && name.chars().all(plain)).then(|| name.to_owned())
}
