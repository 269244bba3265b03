//! Tools of servers, and tools nobody knows: judged by the names of the tool and of its arguments. A text is
//! only read as code, SQL or a path where a name says that it is one.

mod called;
mod fields;
mod files;
mod guards;
mod keepers;
mod lines;
mod names;
mod opened;
mod outgoing;
mod paid;
mod pushed;
mod shaped;
mod spoken;
mod stands;
mod words;

use tollgate_model::json::Value;
use tollgate_model::{Carried, EffectKind, InfraTool, NetDirection, Span, WriteMode};
use tollgate_shell::eval::{Code, Scope};

use crate::commands::{self, strangers};
use crate::content::Piece;
use crate::languages::Language;
use crate::notebook;
use crate::sql::{self, Deed, Statement};
use crate::tools::Hands;
use crate::url::{Url, is_this_machine};
use fields::Field;
use files::is_remote_file;
use names::{Tool, Verb};

/// How deep arguments are looked into, how many of them, and the longest text among them.
const DEPTH: u32 = 8;
const VALUES: usize = 2000;
const LONGEST: usize = 1 << 20;
/// How often a call may be passed on.
const PASSED_ON: usize = 3;

/// What a call of the tool would do.
pub(crate) fn effects(hands: &mut Hands, server: &str, tool: &str, input: &Value) {
    // A tool that passes calls on is judged as what it calls, too.
    let mut within = input;
    for _ in 0..PASSED_ON {
        let Some((name, given)) = spoken::inner(within) else { break };
        one(hands, server, name, given);
        within = given;
    }
    one(hands, server, tool, input);
}

fn one(hands: &mut Hands, server: &str, name: &str, input: &Value) {
    let tool = Tool::new(server, name);
    let mut texts = Vec::new();
    let whole = flatten("", input, 0, &mut texts);
    if !whole {
        hands.analyst.opaque("the call is too long to be analysed completely", Span::default());
    }
    if tool.patches && texts.iter().any(|given| is_patch(given.text)) {
        texts.iter().filter(|given| is_patch(given.text)).for_each(|given| hands.patch(given.text));
        return one(hands, server, name, &without_patches(input));
    }
    if let Some(folder) = working_folder(&tool, &texts) {
        hands.shell.set_cwd(&tollgate_shell::value::Value::text(folder));
    }
    called::environment(hands, &tool, input);
    if let Some(command) = stands::command(&tool, input, &texts).or_else(|| tool.command(input)) {
        hands.run_words(&command.iter().map(String::as_str).collect::<Vec<_>>());
        // What an editor is told is not all that it is given.
        if command.first().is_some_and(|program| program == "vim") {
            files::touched(hands, &tool, input, &texts);
        }
    } else {
        code(hands, &tool, input, &texts);
        files::touched(hands, &tool, input, &texts);
        addresses(hands, &tool, &texts);
    }
    if let Some((name, target)) = tool.takes_away(input) {
        hands.push(EffectKind::Infra {
            tool: InfraTool::Named(server.to_owned()),
            operation: "delete".to_owned(),
            target: format!("{name} {target}"),
        });
    }
    if let Some((operation, object)) = tool.database(input) {
        hands.push(EffectKind::Database { operation, object });
    }
    if let Some(what) = tool.secrets(input) {
        hands.push(EffectKind::EnvRead { what });
    }
    opened::opens(&tool, input).into_iter().for_each(|kind| hands.push(kind));
    paid::pays(&tool, input).into_iter().for_each(|kind| hands.push(kind));
    if is_remote_file(&tool, input) || tool.is_remote {
        pushed::files(hands, input);
    }
    asked(hands, &tool, input);
    guards::set(hands, &tool, input);
    guards::remembered(hands, &tool, &texts);
    spoken::effects(hands, &tool, input, &texts);
    outgoing::names(hands, &tool, &texts);
    outgoing::files(hands, &tool, &texts);
    outgoing::sent(hands, &tool, &texts);
}

/// Is it a patch, bare or as a here-document?
fn is_patch(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("*** ") || text.contains("\n*** Begin Patch")
}

/// The arguments but for the patches among them.
fn without_patches(value: &Value) -> Value {
    let stays = |value: &Value| !value.as_str().is_some_and(is_patch);
    match value {
        Value::List(values) => {
            Value::List(values.iter().filter(|value| stays(value)).map(without_patches).collect())
        }
        Value::Map(members) => {
            let members = members.iter().filter(|(_, value)| stays(value));
            Value::Map(members.map(|(key, value)| (key.clone(), without_patches(value))).collect())
        }
        Value::String(text) if is_patch(text) => Value::Null,
        other => other.clone(),
    }
}

/// A request that deletes something at a service, whoever sends it for the agent.
fn asked(hands: &mut Hands, tool: &Tool, input: &Value) {
    let mut maps = Vec::new();
    spoken::collect(input, 0, &mut maps);
    let sends = ["http", "https", "rest", "curl"].iter().any(|word| tool.has(word));
    for map in maps {
        let text = |keys: [&str; 3]| keys.iter().find_map(|key| map.text(key)).unwrap_or_default();
        let address = text(["url", "uri", "endpoint"]);
        let said = text(["method", "httpMethod", "verb"]);
        let deletes =
            said.eq_ignore_ascii_case("DELETE") || said.is_empty() && sends && tool.verb == Verb::Delete;
        if deletes && address.contains("://") && !is_this_machine(&Url::parse(address).host) {
            let (tool, operation) = (InfraTool::WebRequest, "DELETE".to_owned());
            hands.push(EffectKind::Infra { tool, operation, target: address.to_owned() });
        }
    }
}

/// A text among the arguments, with the name it goes by.
struct Given<'v> {
    field: Field,
    key: &'v str,
    text: &'v str,
}

/// Collects the texts. False when there are more, longer or deeper ones than are read.
fn flatten<'v>(key: &'v str, value: &'v Value, depth: u32, out: &mut Vec<Given<'v>>) -> bool {
    match value {
        Value::String(_) | Value::List(_) | Value::Map(_) if depth > DEPTH || out.len() >= VALUES => false,
        Value::String(text) if text.len() <= LONGEST => {
            out.push(Given { field: fields::of(key, text), key, text });
            true
        }
        Value::String(_) => false,
        Value::List(values) => {
            let all = values.iter().map(|value| flatten(key, value, depth + 1, out));
            all.filter(|whole| !whole).count() == 0
        }
        Value::Map(members) => {
            let all = members.iter().map(|(key, value)| flatten(key, value, depth + 1, out));
            all.filter(|whole| !whole).count() == 0
        }
        _ => true,
    }
}

fn working_folder<'v>(tool: &Tool, texts: &[Given<'v>]) -> Option<&'v str> {
    let named =
        |given: &&Given| given.field == Field::Folder || (tool.verb == Verb::Run && given.key == "directory");
    texts.iter().find(named).map(|given| given.text).filter(|text| text.starts_with('/'))
}

/// Shell text, programs and SQL among the arguments.
fn code(hands: &mut Hands, tool: &Tool, input: &Value, texts: &[Given]) {
    let words = argv(input);
    words.iter().for_each(|words| called::commanded(hands, tool, input, words));
    called::inner_commands(hands, tool, input);
    let mut ran = input.get("command").is_some() || words.is_some();
    let says_language =
        tool.language.is_some() || input.get("language").is_some() || input.get("lang").is_some();
    for given in texts {
        let is_code = match given.field {
            Field::Shell => {
                (given.key != "command" || input.get("command").is_none())
                    && given.key != "args"
                    && !(given.key == "cmd" && called::is_vector(input.get("cmd")))
                    && !called::is_lines(input.get(given.key))
            }
            Field::Other => given.key == "run" && tool.verb == Verb::Run,
            // What goes to a command was read with it.
            Field::Keys => {
                tool.is_terminal && (words.is_none() || called::stdin(tool, input) != Some(given.text))
            }
            Field::Content => tool.types,
            _ => false,
        };
        if is_code && !tool.is_browser && called::script(hands, tool, input, given) {
            ran = true;
        } else if is_code && !tool.is_browser {
            ran = true;
            match tool.language.filter(|said| *said == "powershell").and_then(Language::of) {
                Some(language) => hands.run_pieces(vec![Piece::Language(language, given.text.to_owned())]),
                None => hands.run(&tool.completed(given.text)),
            }
        }
        let is_program = match given.field {
            Field::Code => true,
            Field::Source | Field::Content => tool.verb == Verb::Run && says_language,
            _ => false,
        };
        if is_program {
            ran = true;
            if !called::script(hands, tool, input, given) {
                hands.run_pieces(pieces(tool, input, given));
            }
        }
        let searches = (tool.has("find") || tool.has("search")) && !shaped::is_statement(given.text);
        let asks = tool.is_database && !searches || fields::says_sql(given.key);
        if given.field == Field::Sql && asks {
            ran = true;
            database(hands, given.text);
        }
    }
    if tool.is_shell && !ran {
        let line =
            |given: &&Given| matches!(given.field, Field::Other | Field::Sql | Field::Content | Field::Keys);
        texts.iter().filter(line).take(1).for_each(|given| hands.run(given.text));
    }
    if !tool.is_remote && !tool.is_browser {
        shaped::code(hands, tool, input, texts, ran);
    }
}

/// How many texts of a call are tried as commands.
const LINES: usize = 16;

/// Runs a text that may never run: only what is grave in it counts, as possible.
fn supposed(hands: &mut Hands, text: &str) {
    let mark = hands.analyst.mark();
    let Hands { analyst, shell } = &mut *hands;
    let code = Code {
        text: tollgate_shell::value::Value::text(text),
        scope: Scope::Child,
        dialect: shell.dialect(),
        name: None,
        args: None,
        span: Span::default(),
    };
    shell.supposed(|shell| shell.run_text(&code, analyst));
    hands.analyst.doubt(mark, strangers::is_grave);
}

/// A command as a list, or as a name with a list of arguments, or as a line.
fn argv(input: &Value) -> Option<Vec<String>> {
    let named = ["command", "cmd", "program", "executable", "argv", "binary", "bin", "exe", "executablePath"];
    let command = named.iter().find_map(|key| input.get(key)).or_else(|| {
        // A file that is a program, where arguments are given to it.
        let file = input.get("file").filter(|_| input.get("args").is_some())?;
        file.as_str().is_some_and(commands::is_command).then_some(file)
    });
    // All words may stand in the list of arguments, the program first.
    let whole = || input.get("args").filter(|words| called::is_vector(Some(words)));
    let Some(command) = command else { return whole().and_then(Value::as_list).map(texts_of) };
    let args = ["args", "arguments", "argv"].iter().find_map(|key| input.get(key)?.as_list());
    let mut words: Vec<String> = match command {
        Value::List(words) => texts_of(words),
        Value::String(text) if is_editor_verb(text) && input.get("path").is_some() => return None,
        Value::String(text) if text.len() <= LONGEST && input.get("command").is_some() || args.is_some() => {
            vec![text.clone()]
        }
        _ => return None,
    };
    let more = args.filter(|_| input.get("argv") != Some(command)).map(texts_of);
    words.extend(more.unwrap_or_default());
    Some(words).filter(|words| !words.is_empty())
}

fn texts_of(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The commands of an editor tool, which are no programs.
fn is_editor_verb(text: &str) -> bool {
    matches!(
        text,
        "view"
            | "create"
            | "str_replace"
            | "insert"
            | "undo_edit"
            | "read"
            | "write"
            | "edit"
            | "append"
            | "delete"
    )
}

/// A program, in the language that the call or the tool's name says.
fn pieces(tool: &Tool, input: &Value, given: &Given) -> Vec<Piece> {
    let text = given.text;
    let language =
        input.text("language").or_else(|| input.text("lang")).unwrap_or_default().to_ascii_lowercase();
    let key = given.key.to_ascii_lowercase();
    let by_key =
        ["javascript", "python", "ruby", "php", "perl"].into_iter().find(|name| key.starts_with(name));
    let said = match by_key.or(tool.language) {
        _ if !language.is_empty() => &language,
        Some(said) => said,
        // Code for a page has no modules of this machine, code for what drives the page has.
        None if tool.is_browser && has_modules(text) => "node",
        None if tool.is_browser => "",
        None => guessed(text),
    };
    match said {
        "bash" | "sh" | "shell" | "zsh" => vec![Piece::Shell(text.to_owned())],
        "python" | "ipython" | "jupyter" => notebook::cell(text),
        "" => Vec::new(),
        other => Language::of(other)
            .map(|language| Piece::Language(language, text.to_owned()))
            .into_iter()
            .collect(),
    }
}

fn has_modules(text: &str) -> bool {
    ["require(", "import(", "process.", "child_process"].iter().any(|part| text.contains(part))
}

/// The language that a program is most likely in, when nothing says it.
fn guessed(text: &str) -> &'static str {
    let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    if has(&["require(", "const ", "let ", "=> ", "process.", "console."]) {
        "javascript"
    } else if has(&["import ", "def ", "(", "!"]) {
        "python"
    } else {
        "bash"
    }
}

fn database(hands: &mut Hands, text: &str) {
    for Statement { deed, object, .. } in sql::scan(text) {
        match deed {
            // It may be given what is in the database.
            Deed::Run => hands.run(&format!("pg_dump app | {{ {object}\n}}")),
            Deed::ReadFile | Deed::Include => hands.read(&object, false),
            Deed::WriteFile => hands.write(&object, WriteMode::Overwrite, None),
            other => {
                if let Some(operation) = other.operation() {
                    hands.push(EffectKind::Database { operation: operation.to_owned(), object });
                }
            }
        }
    }
}

fn addresses(hands: &mut Hands, tool: &Tool, texts: &[Given]) {
    for given in texts {
        let is_address =
            given.field == Field::Address || given.field == Field::Path || given.field == Field::Source;
        let text = given.text.strip_prefix("view-source:").unwrap_or(given.text);
        let is_url = text.split_once("://").is_some_and(|(scheme, rest)| {
            !rest.is_empty() && scheme.len() < 12 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        // Some fetching tools take a sentence with addresses in it.
        if tool.fetches && !is_url && matches!(given.field, Field::Other | Field::Content) {
            for url in urls(given.text) {
                hands.fetch(url);
            }
        }
        // A script for a page asks for the addresses in it.
        if tool.is_browser && matches!(given.field, Field::Shell | Field::Code | Field::Other) {
            for url in urls(given.text) {
                hands.fetch(url);
                takes_along(hands, given.text, url);
            }
        }
        if is_address && is_url && !given.text.contains(char::is_whitespace) && !tool.is_database {
            hands.fetch(given.text);
        }
    }
}

/// A script for a page that sends what the page keeps for its user.
fn takes_along(hands: &mut Hands, script: &str, url: &str) {
    let host = Url::parse(url).host;
    let keeps = ["document.cookie", "localStorage", "sessionStorage", "indexedDB"];
    if keeps.iter().any(|name| script.contains(name)) && !is_this_machine(&host) {
        let carries = vec![Carried::Credential("the session of the page".to_owned())];
        hands.push(EffectKind::Net { host, direction: NetDirection::Out, carries });
    }
}

/// The addresses in a script.
fn urls(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '>' | '<');
    let starts = ["http://", "https://", "file://"];
    starts.into_iter().flat_map(move |start| {
        text.match_indices(start)
            .take(50)
            .map(move |(at, _)| text.get(at..).unwrap_or_default().split(ends).next().unwrap_or_default())
    })
}
