//! Programs of other kinds with a slot for code: consoles of frameworks and databases, and applications that are
//! scripted. What else they do, their own families say.

use tollgate_shell::value::Value;

use super::languages::{from_file, inline};
use crate::commands::frameworks::VALUED;
use crate::commands::{Run, interpreters};
use crate::languages::Language;
use crate::names::{Names, index};
use crate::options::{Order, read};
use crate::word::Word;

/// One slot: the programs that have it, the verbs that must come first, the options that take code (`e`) or a
/// file of it (`f`), and the language. Without options the first word after the verb is the code.
struct Host {
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    spec: &'static str,
    language: Language,
}

const HOSTS: &[Host] = &[
    host(&["jrunscript", "jjs"], &[], "e,eval= f,file=", Language::JavaScript),
    host(&["blender"], &[], "e,python-expr= f,python,P=", Language::Python),
    host(&["sage", "freecadcmd"], &[], "e,c=", Language::Python),
    host(&["pylint"], &[], "e,init-hook=", Language::Python),
    host(&["rails"], &["runner", "r"], "", Language::Ruby),
    host(&["crystal"], &["eval"], "", Language::Ruby),
    host(&["wp"], &["eval"], "", Language::Php),
    host(&["drush"], &["php:eval", "php-eval", "ev", "eval"], "", Language::Php),
    host(&["artisan"], &["tinker"], "e,execute=", Language::Php),
    host(&["manage.py", "django-admin"], &["shell", "shell_plus"], "e,c,command=", Language::Python),
    host(&["redis-cli", "valkey-cli"], &["eval", "EVAL", "eval_ro"], "", Language::Lua),
    host(&["dotnet"], &["script"], "", Language::Slashed),
    host(&["dotnet-script"], &["eval"], "", Language::Slashed),
    host(&["dotnet"], &["fsi"], "f,exec,use,load=", Language::Slashed),
    host(&["nvim"], &[], "f,l=", Language::Lua),
    host(&["nmap"], &[], "f,script=", Language::Lua),
    host(&["pandoc"], &[], "f,lua-filter,L=", Language::Lua),
    host(&["emacsclient"], &[], "e,eval=", Language::Lisp),
    host(&["bb"], &[], "", Language::Lisp),
    host(&["kotlin", "kotlinc", "scala-cli", "jbang"], &[], "e,c,execute-script=", Language::Slashed),
    host(&["mix"], &["run"], "e,eval=", Language::Hashed),
    host(&["nix"], &["eval", "build", "run", "develop", "shell", "repl"], "e,expr=", Language::Nix),
    host(&["nix-instantiate", "nix-build", "nix-shell"], &[], "e,expr,E=", Language::Nix),
    host(&["rust-script"], &[], "e,expr=", Language::Slashed),
    host(&["exiftool"], &[], "e,if=", Language::Perl),
    host(&["cake", "psysh"], &["eval"], "", Language::Php),
];

const fn host(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    spec: &'static str,
    language: Language,
) -> Host {
    Host { names, verbs, spec, language }
}

static PROGRAMS: Names<128> = index!(HOSTS, host => host.names);

/// Takes down what code in such a slot does.
pub(in crate::commands) fn notice(run: &mut Run) {
    let (name, words) = tool(run);
    let mut hosts = PROGRAMS.rows(HOSTS, name, |host| host.names).peekable();
    if hosts.peek().is_none() {
        return;
    }
    // The long options of exiftool have one dash.
    let long = |word: &Word| match name == "exiftool" && word.shown() == "-if" {
        true => Word::literal_at("--if", word.span),
        false => word.clone(),
    };
    let words: Vec<Word> = words.iter().map(long).collect();
    for host in hosts {
        slot(run, host, &words);
    }
    if name == "exiftool" {
        conditions(run, &words);
    }
}

/// `exiftool -if expression`, any number of times: Perl, by which it picks files.
fn conditions(run: &mut Run, words: &[Word]) {
    for pair in words.windows(2) {
        if let [option, code] = pair
            && option
                .literal()
                .is_some_and(|text| text.trim_end_matches(|c: char| c.is_ascii_digit()) == "-if")
        {
            code_of(run, Language::Perl, code);
        }
    }
}

/// The tool that is meant: `python manage.py shell` means `manage.py`.
fn tool<'r>(run: &Run<'r, '_>) -> (&'r str, &'r [Word]) {
    let script = || run.args.first().filter(|_| Language::of(run.program).is_some())?.literal();
    match script().unwrap_or_default().rsplit('/').next() {
        Some(name @ ("manage.py" | "artisan" | "rails" | "wp" | "drush")) => {
            (name, run.args.get(1..).unwrap_or_default())
        }
        _ => (run.program, run.args),
    }
}

fn slot(run: &mut Run, host: &Host, words: &[Word]) {
    let is_operand = |word: &&Word| !word.text.prefix().starts_with('-');
    let verb = words.iter().find(is_operand).map(Word::shown).unwrap_or_default();
    if !host.verbs.is_empty() && !host.verbs.contains(&verb.as_str()) {
        return;
    }
    let skip = usize::from(!host.verbs.is_empty());
    if host.spec.is_empty() {
        let framework = ["rails", "wp", "drush"].iter().any(|name| host.names.contains(name));
        let valued = if framework { VALUED } else { "" };
        let skip = skip + usize::from(host.names.contains(&"dotnet") && host.verbs.contains(&"script"));
        if let Some(code) = read(words, valued, Order::Anywhere).operands.get(skip).cloned() {
            code_of(run, host.language, &code);
        }
        return;
    }
    let options = read(words, host.spec, Order::Anywhere);
    for code in options.values("e").chain(options.operands.first().filter(|_| options.has("e"))) {
        code_of(run, host.language, &code.clone());
    }
    for file in options.values("f").cloned().collect::<Vec<_>>() {
        if file.is("-") {
            if let Some(text) = run.stdin().cloned() {
                inline(run, host.language, &text, &file, &[]);
            }
        } else if is_path(&file) {
            from_file(run, host.language, &file, &[]);
        }
    }
}

fn is_path(word: &Word) -> bool {
    word.shown().contains(['/', '.'])
}

/// Code in a language, or lines that a console gives to a shell: `!command`.
fn code_of(run: &mut Run, language: Language, code: &Word) {
    for line in bang_lines(&code.shown()) {
        interpreters::code(run, &Value::text(&line), code.span);
    }
    inline(run, language, &code.value(), code, &[]);
}

/// The lines that begin with `!`, as consoles write a command of the shell.
pub(super) fn bang_lines(text: &str) -> Vec<String> {
    let lines = text.lines().flat_map(|line| line.split("; ")).map(str::trim);
    let bang =
        |line: &str| line.strip_prefix(":!").or(line.strip_prefix('!')).map(|rest| rest.trim().to_owned());
    lines.filter_map(bang).filter(|line| !line.is_empty()).take(64).collect()
}
