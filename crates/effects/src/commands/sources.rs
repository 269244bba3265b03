//! Languages that are compiled first: what is in a source file that this very session wrote and then builds or runs.

mod macros;

use tollgate_catalogue::Role;
use tollgate_model::{Effect, EffectKind, EnvUse, Zone};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::strangers::{either, is_grave, supposing};
use super::{Run, interpreters};
use crate::analyst::taint;
use crate::catalogue;
use crate::languages::{self, Language, Program};
use crate::word::Word;

/// What a script in a compiled language does.
pub(super) fn notice(run: &mut Run) {
    let builds = run.program == "make"
        || run.program == "dotnet" && run.args.first().is_some_and(|verb| verb.is("run"));
    for name in targets(run).into_iter().filter(|_| builds) {
        written(run, &Word::literal_at(&name, run.call.span));
    }
    let fits = |verbs: &[&str]| {
        verbs.is_empty() || run.args.first().is_some_and(|first| verbs.iter().any(|verb| first.is(verb)))
    };
    let language = catalogue::uses(run.program).iter().find_map(|way| match way.role {
        Role::RunsSource(name) if fits(way.call.first().copied().unwrap_or(way.begins)) => {
            Language::named(name)
        }
        _ => None,
    });
    let Some(language) = language else { return };
    let Some(file) = run.args.iter().find(|word| is_source(word)).cloned() else { return };
    let mark = run.analyst.mark();
    interpreters::languages::from_file(run, language, &file, &[]);
    run.analyst.sift(mark, tells);
}

const EXTENSIONS: &[&str] = &[
    ".go", ".rs", ".c", ".cc", ".cpp", ".cxx", ".java", ".kt", ".kts", ".swift", ".dart", ".zig", ".v",
    ".nim", ".ml", ".cr", ".cs", ".fs", ".fsx", ".jsh", ".scala", ".sc", ".hs", ".d", ".pas", ".f90", ".csx",
    ".vala",
];

pub(super) fn handler(run: &mut Run) -> Outcome {
    super::readers::unknown(run);
    super::strangers::suspect(run);
    self::run(run);
    super::strangers::input_code(run);
    run.derived()
}

/// Runners that take an address as well as a file.
pub(super) fn fetched(run: &mut Run) -> Outcome {
    let operands = run.args.iter().filter(|word| !word.text.prefix().starts_with('-'));
    if let Some(address) = operands.take(2).find(|word| word.text.prefix().contains("://")) {
        run.analyst.dynamic_code(taint::NET, address.span);
    }
    handler(run)
}

/// `chezmoi init --apply address`: the files of a home, and the scripts among them, come from elsewhere.
pub(super) fn dotfiles(run: &mut Run) -> Outcome {
    let says = |name: &str| run.args.iter().any(|word| word.is(name));
    let applies = match run.program {
        "chezmoi" => says("init") && (says("--apply") || says("-a")) || says("update"),
        _ => says("clone") && says("--bootstrap"),
    };
    if applies {
        run.analyst.dynamic_code(taint::NET, run.call.span);
    }
    run.derived()
}

/// A compiler: `-wrapper a,b,c` starts its parts.
pub(super) fn compiler(run: &mut Run) -> Outcome {
    super::readers::unknown(run);
    if run.args.iter().any(|word| word.is("-") || word.is("/dev/stdin")) {
        super::strangers::input_code(run);
    }
    for pair in run.args.windows(2) {
        if let [flag, value] = pair
            && matches!(flag.shown().as_str(), "-wrapper" | "--wrapper")
        {
            let words: Vec<Word> =
                value.shown().split(',').map(|word| Word::literal_at(word, value.span)).collect();
            run.inner(&words);
        }
    }
    for (flag, word) in run.args.iter().filter_map(|word| {
        ["-specs=", "--specs=", "-B"]
            .iter()
            .find(|flag| word.text.prefix().starts_with(*flag))
            .map(|flag| (flag, word))
    }) {
        super::loads::load(run, &word.from(flag.len()));
    }
    let loads = |word: &Word| {
        let text = word.shown();
        ["-fplugin=", "-fpass-plugin=", "-load=", "-plugin="].iter().any(|flag| text.starts_with(flag))
    };
    let library = |pair: &[Word]| {
        pair.first().is_some_and(|flag| flag.is("-load"))
            || pair.first().is_some_and(|flag| flag.is("-plugin"))
    };
    if run.args.iter().any(loads) || run.args.windows(2).any(library) {
        run.analyst.opaque("a compiler plugin is code", run.call.span);
    }
    self::run(run);
    if run.args.iter().any(|word| word.is("-"))
        && let Some(text) = run.stdin().and_then(Value::as_literal).map(str::to_owned)
    {
        compiled(run, &Word::literal_at(&text, run.call.span));
        included(run, &text);
    }
    for file in run.args.iter().filter(|word| is_source(word)).take(16).cloned().collect::<Vec<_>>() {
        if let Some(text) =
            run.analyst.own_text(&file, run.shell).and_then(|text| text.as_literal().map(str::to_owned))
        {
            included(run, &text);
            linked(run, &file, &text);
        }
    }
    run.derived()
}

/// What a program that was made of a source is remembered to be run by.
pub(super) const LINKED: &str = "/usr/bin/tcc -run";

/// Runs a program that was made of a source in this call.
pub(super) fn linked_program(run: &mut Run, program: &Word) -> Outcome {
    let mark = run.analyst.mark();
    let outcome = interpreters::languages::from_file(run, Language::Slashed, program, run.args);
    run.analyst.sift(mark, tells);
    outcome
}

/// The program that a compiler makes of a source does what the source says, with what it is given.
fn linked(run: &mut Run, file: &Word, text: &str) {
    let stops = |word: &Word| ["-c", "-E", "-S", "-fsyntax-only"].iter().any(|flag| word.is(flag));
    if run.args.iter().any(stops) {
        return;
    }
    let named = run.args.windows(2).find_map(|pair| match pair {
        [flag, output] if flag.is("-o") => Some(output.value()),
        _ => None,
    });
    let source = macros::expanded(&without_comments(&(headers(run, file, text) + text)));
    let program = Value::text(&format!("#!{LINKED}\n{source}"));
    run.shell.write_file(&named.unwrap_or_else(|| Value::text("a.out")), &program, false);
}

/// Files that a source takes in by their whole path: the compiler prints them, or what is wrong with them.
fn included(run: &mut Run, text: &str) {
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = ["include", "embed", "import"].iter().find_map(|word| rest.strip_prefix(word))?;
        rest.trim_start().strip_prefix('"')?.split('"').next()
    });
    for name in names.filter(|name| name.starts_with('/')).take(16).map(str::to_owned).collect::<Vec<_>>() {
        run.read(&Word::literal_at(&name, run.call.span), false);
    }
}

/// What a source does when it is built and run. One that calls nothing that runs programs runs none of its texts.
fn compiled(run: &mut Run, code: &Word) {
    const RUNNERS: &[&str] = &[
        "exec(",
        "exec.command",
        "execl",
        "execv",
        "execute(",
        "system(",
        "popen(",
        "spawn",
        "command::new",
        "command(",
        "processbuilder",
        "process.",
        "process(",
        "process::",
        "shell(",
        "child.run",
    ];
    let code = &Word::literal_at(&macros::expanded(&without_comments(&code.shown())), code.span);
    let lower = code.shown().to_lowercase();
    let keep = |effect: &Effect| tells(effect) && (is_grave(effect) || is_dump(effect));
    supposing(run, keep, |run| {
        let file = None;
        let program =
            Program { code: code.value(), span: code.span, file, from_input: false, args: Vec::new() };
        languages::run(run, Language::Slashed, &program);
    });
    if RUNNERS.iter().any(|word| lower.contains(word)) {
        supposing(run, |effect| tells(effect) && is_grave(effect), |run| either(run, code));
    }
}

/// A source without its comments, in the languages with slashes and braces.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let comment = match quote {
            None if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            None if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 0,
        };
        if comment > 0 {
            rest = rest.get(comment..).unwrap_or_default();
            out.push(' ');
            continue;
        }
        let mut length = c.len_utf8();
        match quote {
            Some(open) if c == open => quote = None,
            // What stands behind a backslash closes nothing.
            Some(_) if c == '\\' => length += rest.chars().nth(1).map_or(0, char::len_utf8),
            Some('"') if c == '\n' => quote = None,
            None if matches!(c, '"' | '`') => quote = Some(c),
            _ => {}
        }
        out.push_str(rest.get(..length).unwrap_or_default());
        rest = rest.get(length..).unwrap_or_default();
    }
    out
}

/// Functions are read where they stand, so that what they do to what they are given tells nothing.
fn tells(effect: &Effect) -> bool {
    !matches!(&effect.kind, EffectKind::Delete { place, .. } if place.zone == Zone::Unknown)
}

fn is_dump(effect: &Effect) -> bool {
    matches!(&effect.kind, EffectKind::EnvRead { what: EnvUse::All })
}

/// Source files among the words that this session wrote.
pub(super) fn run(run: &mut Run) {
    let whole = run.args.iter().any(|word| word.is(".") || word.is("./..."));
    let names: &[&str] = if whole { &["main.go", "./main.go"] } else { &[] };
    let usual = names.iter().map(|name| (*name).to_owned()).chain(targets(run));
    let usual = usual.map(|name| Word::literal_at(&name, run.call.span));
    for file in
        run.args.iter().filter(|word| is_source(word)).take(16).cloned().chain(usual).collect::<Vec<_>>()
    {
        written(run, &file);
    }
}

/// What a source file does that this session wrote.
pub(super) fn written(run: &mut Run, file: &Word) {
    let text = run.analyst.own_text(file, run.shell);
    if let Some(text) = text.and_then(|text| text.as_literal().map(str::to_owned)) {
        let whole = headers(run, file, &text) + &text;
        compiled(run, &Word::literal_at(&whole, file.span));
    }
}

/// The files beside a source that it takes in and that this session wrote.
fn headers(run: &Run, file: &Word, text: &str) -> String {
    let shown = file.shown();
    let folder = shown.rsplit_once('/').map_or("", |(folder, _)| folder);
    let quoted = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        rest.trim_start().strip_prefix('"')?.split('"').next()
    });
    let mut whole = String::new();
    for name in quoted.take(16) {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let header = run.analyst.own_text(&Word::literal_at(&path, file.span), run.shell);
        whole.extend(header.as_ref().and_then(Value::as_literal));
        whole.push('\n');
    }
    whole
}

/// The sources of what is named: targets of cargo, folders of go.
pub(super) fn targets(run: &Run) -> Vec<String> {
    if run.program == "dotnet" {
        let project = super::flags::given(run, "project=").into_iter().map(|project| project.shown());
        let folders = project.map(|project| match project.ends_with("proj") {
            true => project.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/")),
            false => format!("{}/", project.trim_end_matches('/')),
        });
        return folders.chain([String::new()]).map(|folder| format!("{folder}Program.cs")).collect();
    }
    // A rule that make has by itself builds a program of its source.
    if run.program == "make" {
        let targets = run.args.iter().map(Word::shown).filter(|name| !name.contains(['=', '/', '-']));
        let ends = [".c", ".cc", ".cpp"];
        return targets.take(8).flat_map(|name| ends.map(|end| format!("{name}{end}"))).collect();
    }
    if run.program == "go" {
        let folders = run.args.iter().map(Word::shown).filter(|name| name.starts_with("./"));
        return folders.map(|folder| format!("{}/main.go", folder.trim_end_matches('/'))).collect();
    }
    let kinds = [("example=", "examples"), ("bin=", "src/bin"), ("test=", "tests"), ("bench=", "benches")];
    let given = kinds.iter().filter(|_| run.program == "cargo").flat_map(|(option, folder)| {
        let names = super::flags::given(run, option);
        names.into_iter().map(move |name| (*folder, name.shown()))
    });
    given
        .flat_map(|(folder, name)| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")])
        .collect()
}

fn is_source(word: &Word) -> bool {
    let name = word.shown();
    name.starts_with("/dev/fd/") || EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}
