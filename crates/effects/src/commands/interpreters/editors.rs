//! Editors that are told what to do: vim, ex, ed.

use tollgate_model::{WriteMode, work};
use tollgate_shell::eval::Outcome;
use tollgate_shell::value::{Taint, Value};

use super::given::read;
use super::languages::inline;
use crate::analyst::taint;
use crate::commands::readers::contents;
use crate::commands::stream;
use crate::commands::{Run, interpreters};
use crate::languages::{Language, edits};
use crate::word::Word;

/// Editors of the `vi` family: files, and commands that may run programs.
const VIM: &str = "c= cmd= S= s= u= U= t= T= w= W= i= r= V# o# O# p# q? d= servername= remote-send= remote-expr= startuptime= listen=";

/// In Ex mode `-s` is silence, and takes nothing.
const EX: &str = "c= cmd= S= s u= U= t= T= w= W= i= r= V# o# O# p# q? d= servername= remote-send= remote-expr= startuptime= listen=";

pub(in crate::commands) fn vim(run: &mut Run) -> Outcome {
    let spec = if run.program == "ex" { EX } else { VIM };
    let mut commands: Vec<Word> = Vec::new();
    let mut files = Vec::new();
    // In Ex mode `-s` is silence, else it names a script.
    let is_ex = |word: &Word| matches!(word.shown().as_str(), "-e" | "-E" | "-es" | "-Es");
    let quiet = run.program == "ex" || run.args.iter().any(is_ex);
    let silence = |word: &&Word| !(quiet && (is_ex(word) || word.is("-s")));
    let mut rest: Vec<Word> = run.args.iter().filter(silence).cloned().collect();
    while work::charge(rest.len() * 4) {
        let given = read(&rest, spec, &[]);
        commands.extend(
            ["c", "cmd", "remote-send", "remote-expr"].iter().flat_map(|name| given.values(name)).cloned(),
        );
        // Some names stand for no file of settings.
        let own = |file: &&Word| !matches!(file.literal(), Some("NONE" | "NORC" | "DEFAULTS"));
        let scripts = ["S", "s", "u", "U"].iter().flat_map(|name| given.values(name)).filter(own);
        for file in scripts.cloned().collect::<Vec<_>>() {
            run.read(&file, false);
            run.analyst.recall(&file, run.shell);
            if let Some(text) = run.analyst.script(&file, run.shell) {
                editor_script(run, &text, &file, &[]);
            }
        }
        let Some((first, others)) = given.rest.split_first() else { break };
        match first.text.prefix().strip_prefix('+') {
            Some(_) => commands.push(first.from(1)),
            None => files.push(first.clone()),
        }
        rest = others.to_vec();
    }
    let whole = contents(run, &files.iter().filter(|file| !file.is("-")).cloned().collect::<Vec<_>>());
    for command in &commands {
        editor_script(run, &command.value(), command, &files);
    }
    changed(run, &commands, &files);
    if let (true, Some(text)) = (quiet, run.stdin().cloned()) {
        let word = Word::literal_at("", run.call.span);
        typed(run, &text, &files);
        editor_script(run, &text, &word, &files);
    }
    Outcome::unknown(whole.taint)
}

/// What commands of the editor do to the lines of files that are saved.
fn changed(run: &mut Run, commands: &[Word], files: &[Word]) {
    let lines: Vec<String> = commands
        .iter()
        .flat_map(|command| command.shown().lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    // `%s/a/b/|x` is two commands; behind `a|` stands a text.
    let ends = |line: &String| {
        let (first, last) = line.rsplit_once('|')?;
        matches!(last.trim_end_matches('!'), "w" | "wq" | "x" | "up" | "update")
            .then(|| [first.to_owned(), last.to_owned()])
    };
    let lines: Vec<String> = lines
        .into_iter()
        .flat_map(|line| ends(&line).map_or_else(|| vec![line], |both| both.to_vec()))
        .collect();
    let saves: Vec<String> = lines.iter().filter_map(|line| saves_to(line)).collect();
    let scripts: Vec<String> = lines.iter().filter_map(|line| as_sed(line)).collect();
    if scripts.is_empty() || saves.is_empty() {
        return;
    }
    let added = edits::added(&scripts);
    for file in &saved_files(run, &saves, files) {
        let there = run.analyst.script(file, run.shell).is_some();
        stream::in_place(run, file, &|text| edits::edited(&scripts, text, false, false), &added);
        // An editor makes a file that is not there yet, with what comes into it.
        if !there && !added.is_empty() {
            filled_with(run, file, &added.concat());
        }
    }
}

/// A command of the editor as sed has it: `%s/a/b/`, `$a|text`, `g/x/d`.
fn as_sed(line: &str) -> Option<String> {
    let line = line.trim_start_matches([':', ' ']).trim_start_matches('%');
    if let Some(all) = line.strip_prefix("g/") {
        return Some(format!("/{all}"));
    }
    if let Some(text) = put(line) {
        return Some(format!("$a {}", text.replace('\\', "\\\\")));
    }
    let end = line.find(|c: char| !(c.is_ascii_digit() || matches!(c, '$' | ','))).unwrap_or(line.len());
    let (address, rest) = line.split_at_checked(end)?;
    let (letter, text) = rest.split_at_checked(1)?;
    match letter {
        "s" if text.starts_with(['/', '#', ',', '|']) => Some(line.to_owned()),
        "d" if text.is_empty() && !address.is_empty() => Some(line.to_owned()),
        "a" | "i" | "c" => {
            text.strip_prefix('|').map(|text| format!("{address}{letter} {}", text.replace('\\', "\\\\")))
        }
        _ => None,
    }
}

/// `call setline(1, "text")`, `put ='text'`, `normal itext`: a text that comes in.
fn put(line: &str) -> Option<&str> {
    let line = line.trim_start_matches("silent! ").trim_start_matches("silent ");
    if let Some(keys) =
        ["normal! ", "normal ", "norm! ", "norm "].iter().find_map(|verb| line.strip_prefix(verb))
    {
        return keys.strip_prefix(['i', 'a', 'o', 'O', 'A', 'I']);
    }
    let call = line.strip_prefix("call ").or_else(|| line.strip_prefix("cal "));
    let value = match call {
        Some(call) => {
            let call = call.trim_start();
            let given = ["setline(", "append("].iter().find_map(|name| call.strip_prefix(name))?;
            given.split_once(',')?.1.trim_end().trim_end_matches(')')
        }
        None => line.strip_prefix("put")?.trim_start_matches('!').trim_start().strip_prefix('=')?,
    };
    let value = value.trim().trim_start_matches('[').trim_end_matches(']');
    let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
    value.strip_prefix(mark)?.strip_suffix(mark)
}

/// The line editor: its commands are its input.
pub(in crate::commands) fn ed(run: &mut Run) -> Outcome {
    let given = read(run.args, "p= prompt=", &[]);
    let files: Vec<Word> = given.rest.iter().take(1).cloned().collect();
    if let Some(command) = files.first().filter(|file| file.text.prefix().starts_with('!')) {
        let text = command.from(1);
        return interpreters::code(run, &text.value(), text.span);
    }
    let whole = if files.is_empty() { Value::output(Taint::NONE) } else { contents(run, &files) };
    if let Some(text) = run.stdin().cloned() {
        let word = Word::literal_at("", run.call.span);
        typed(run, &text, &files);
        editor_script(run, &text, &word, &files);
    }
    Outcome::unknown(whole.taint)
}

/// What `a`, `i` and `c` put into a file is in it, with what was there before.
fn typed(run: &mut Run, script: &Value, files: &[Word]) {
    let Some(script) = script.as_literal() else { return };
    let (mut text, mut typing) = (String::new(), false);
    let mut saves = Vec::new();
    for line in script.lines() {
        if !typing {
            typing = line.ends_with(['a', 'i', 'c']) && !line.contains(' ');
            saves.extend(saves_to(line));
        } else if line == "." {
            typing = false;
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    if text.is_empty() || saves.is_empty() {
        return;
    }
    for file in &saved_files(run, &saves, files) {
        filled_with(run, file, &text);
    }
}

/// The files that are saved to: those that are named, and the open ones where none is.
fn saved_files(run: &Run, saves: &[String], files: &[Word]) -> Vec<Word> {
    let named = saves.iter().filter(|name| !name.is_empty());
    let open = files.iter().filter(|_| saves.iter().any(String::is_empty)).cloned();
    named.map(|name| Word::literal_at(name, run.call.span)).chain(open).collect()
}

/// `w`, `wq` and their like: the file that is named there, or none for the one that is open; `f` gives that another name.
/// What goes to a command is seen where that runs.
fn saves_to(line: &str) -> Option<String> {
    let line = without_lines(line);
    let end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
    let (verb, rest) = line.split_at_checked(end)?;
    let name = rest.trim_start_matches('!').trim();
    match verb {
        "w" | "W" | "wq" | "x" | "xit" | "write" | "wa" | "wqa" | "xa" | "up" | "update" => {
            (name.is_empty() || !rest.trim_start().starts_with('!')).then(|| name.to_owned())
        }
        "sav" | "saveas" | "f" | "file" => (!name.is_empty()).then(|| name.to_owned()),
        _ => None,
    }
}

/// A command without the lines it works on: `1,$`, `%`, `/a/,/b/`, `g/x/`.
fn without_lines(line: &str) -> &str {
    let mut rest = line.trim_start_matches([':', ' ']);
    for global in ["g/", "v/"] {
        rest = rest.strip_prefix(global).and_then(|rest| rest.split_once('/')).map_or(rest, |(_, rest)| rest);
    }
    loop {
        let plain = rest.trim_start_matches(|c: char| c.is_ascii_digit() || " %,;$.+-".contains(c));
        let sought = ['/', '?'].iter().find_map(|mark| plain.strip_prefix(*mark)?.split_once(*mark));
        match sought {
            Some((_, behind)) => rest = behind,
            None => return plain,
        }
    }
}

/// A text comes into a file, besides what is there.
fn filled_with(run: &mut Run, file: &Word, text: &str) {
    match run.analyst.script(file, run.shell) {
        Some(before) => {
            let all = before.concat(&Value::text("\n")).concat(&Value::text(text));
            run.analyst.write(file, WriteMode::Edit, Some(&all), run.shell);
        }
        None => run.analyst.write(file, WriteMode::Append, Some(&Value::text(text)), run.shell),
    }
}

/// Commands of an editor, one a line.
fn editor_script(run: &mut Run, text: &Value, word: &Word, files: &[Word]) {
    if taint::has(text.taint, taint::NET) {
        run.analyst.dynamic_code(text.taint, word.span);
    }
    for text in text.any.iter().take(16) {
        let shown = crate::word::show(text);
        let mut names: Vec<(String, String)> = Vec::new();
        for line in shown.lines().take(10_000) {
            let line = with_names(line, &names);
            editor_command(run, &line, word, files);
            names.extend(named(&line).filter(|_| names.len() < 32));
        }
    }
}

/// `let name = value`, as it is written.
fn named(line: &str) -> Option<(String, String)> {
    let (name, value) = line.trim().strip_prefix("let ")?.split_once('=')?;
    let name = name.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ':' | '_'));
    is_name.then(|| (name.to_owned(), value.trim().to_owned()))
}

/// A line with the values of names in their places.
fn with_names(line: &str, names: &[(String, String)]) -> String {
    let mut line = line.to_owned();
    if names.is_empty() || line.trim_start().starts_with("let ") {
        return line;
    }
    let part = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_');
    for (name, value) in names.iter().rev() {
        let mut out = String::with_capacity(line.len());
        let mut rest = line.as_str();
        while let Some((before, after)) = rest.split_once(name.as_str()) {
            let inside = before.ends_with(part) || after.starts_with(part) || out.len() > 4096;
            out.push_str(before);
            out.push_str(if inside { name } else { value });
            rest = after;
        }
        out.push_str(rest);
        line = out;
    }
    line
}

/// `[group] Event,Event pattern ++once command`: what is done then.
fn behind_event(text: &str) -> &str {
    let is_event =
        |word: &str| word.split(',').all(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    fn next(text: &str) -> &str {
        text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest).trim_start()
    }
    let named = text.split_whitespace().next().is_some_and(|word| !is_event(word) && word != "*");
    let text = if named { next(text) } else { text };
    let mut command = next(next(text));
    while command.starts_with("++") {
        command = next(command);
    }
    command
}

/// What may stand before a command of an editor and changes only how it is told, or on how many files it works.
const PREFIXES: &[&str] = &[
    "silent! ",
    "silent ",
    "sil! ",
    "sil ",
    "noautocmd ",
    "keepalt ",
    "exe ",
    "execute ",
    "argdo ",
    "bufdo ",
    "windo ",
    "tabdo ",
    "normal! ",
    "normal ",
    "norm! ",
    "norm ",
];

fn editor_command(run: &mut Run, line: &str, word: &Word, files: &[Word]) {
    let mut line = line.trim_start_matches([':', ' ', '\t']);
    for prefix in PREFIXES {
        line = line.strip_prefix(prefix).unwrap_or(line);
    }
    // Typed as keys, or made of a text.
    line = line.strip_prefix(':').unwrap_or(line);
    if let Some(quoted) = line.strip_prefix(['"', '\'']) {
        line = quoted.trim_end_matches(['"', '\'']);
    }
    if deletes_all(line) {
        for file in files {
            run.analyst.write(file, WriteMode::Overwrite, Some(&Value::empty()), run.shell);
        }
        return;
    }
    // The lines it works on.
    let line = line
        .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '%' | ',' | '$' | '.' | '\'' | ' '));
    let (name, rest) = line.split_at(line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len()));
    let rest_text = rest.trim_start_matches('!').trim_start();
    let at = |text: &str| Word::literal_at(text, word.span);
    match name {
        "" | "silent" if rest.starts_with('!') => {
            interpreters::code(run, &Value::text(rest_text), word.span);
        }
        "r" | "read" | "w" | "write" | "e" | "terminal" | "term"
            if rest.trim_start().starts_with('!') && !rest.starts_with("! ") && !rest_text.is_empty() =>
        {
            let command = rest.trim_start().trim_start_matches('!');
            interpreters::code(run, &Value::text(command), word.span);
        }
        "au" | "autocmd" => editor_command(run, behind_event(rest_text), word, files),
        "w" | "write" | "saveas" | "sav" | "wq" | "x" | "xit" | "wa" | "wqa" | "xa" | "up" | "update"
        | "W" => {
            saved(run, rest_text, word, files);
        }
        "terminal" | "term" if !rest_text.is_empty() => {
            interpreters::code(run, &Value::text(rest_text), word.span);
        }
        "r" | "read" | "e" | "edit" | "tabe" | "tabedit" | "sp" | "split" | "vsp"
            if !rest_text.is_empty() =>
        {
            run.read(&at(rest_text), false);
        }
        // Vim fetches an address before it reads it.
        "so" | "source" if rest_text.contains("://") => run.analyst.dynamic_code(taint::NET, word.span),
        "so" | "source" if rest_text.trim() == "%" => source_open(run, word, files),
        "so" | "source" if !rest_text.is_empty() => {
            if let Some(text) = run.analyst.script(&at(rest_text), run.shell) {
                let script = at(rest_text);
                sourced(run, &text, &script);
            }
        }
        _ => scripted(run, name, rest_text, word),
    }
}

/// What a command saves goes to the file it names, or to those that are open.
fn saved(run: &mut Run, target: &str, word: &Word, files: &[Word]) {
    let name = target.trim_start_matches('>').trim();
    let name = match name.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", run.analyst.world.home()),
        None => name.to_owned(),
    };
    let named = Word::literal_at(&name, word.span);
    let targets = if target.is_empty() { files.to_vec() } else { vec![named] };
    for target in targets.iter().filter(|target| !target.shown().starts_with('|')) {
        run.analyst.write(target, WriteMode::Edit, None, run.shell);
    }
}

/// Commands with code of another language.
fn scripted(run: &mut Run, name: &str, rest_text: &str, word: &Word) {
    match name {
        "lua" => drop(inline(run, Language::Lua, &Value::text(rest_text), word, &[])),
        "py" | "python" | "pythonx" | "pyx" => {
            drop(inline(run, Language::Python, &Value::text(rest_text.trim_start_matches('3')), word, &[]))
        }
        "ruby" | "rub" => drop(inline(run, Language::Ruby, &Value::text(rest_text), word, &[])),
        "perl" | "pe" => drop(inline(run, Language::Perl, &Value::text(rest_text), word, &[])),
        "call" | "let" | "echo" | "echom" | "return" | "cal" => {
            // Read as R, which calls these differently.
            let text = rest_text.replace("delete(", "unlink(").replace(" expand(", " path.expand(");
            let text = text.replace("(expand(", "(path.expand(").replace("$HOME", "\"~\"");
            let text = ["\"rf\")", "'rf')"].iter().fold(text, |text, flag| {
                text.replace(&format!(",{flag}"), ", recursive=TRUE)")
                    .replace(&format!(", {flag}"), ", recursive=TRUE)")
            });
            drop(inline(run, Language::Hashed, &Value::text(&text), word, &[]))
        }
        _ => {}
    }
}

/// `%d`, `1,$d`: every line goes.
fn deletes_all(line: &str) -> bool {
    let first = line.split('|').next().unwrap_or_default().trim_end();
    ["%", "1,$", "0,$", ","].iter().any(|all| {
        first.strip_prefix(all).is_some_and(|verb| matches!(verb, "d" | "de" | "del" | "delete" | "d _"))
    })
}

/// A script that is brought in: its lines are commands, and it brings in nothing itself.
/// The file that is open is run as a script: which one that is may only show when the editor is started.
fn source_open(run: &mut Run, word: &Word, files: &[Word]) {
    let texts: Vec<Option<Value>> = files.iter().map(|file| run.analyst.script(file, run.shell)).collect();
    if texts.is_empty() || texts.contains(&None) {
        run.analyst.dynamic_code(word.taint, word.span);
    }
    for (file, text) in files.iter().zip(texts.iter().flatten()) {
        sourced(run, text, file);
    }
}

fn sourced(run: &mut Run, text: &Value, script: &Word) {
    for line in text
        .as_literal()
        .unwrap_or_default()
        .lines()
        .take(10_000)
        .filter(|line| !line.trim_start().starts_with("so"))
    {
        editor_command(run, line, script, &[]);
    }
}
