//! Tools that bring a machine into a described state: puppet, chef, salt. What a description says is told as the shell
//! would do it.

use std::iter::Peekable;
use std::str::Chars;

use tollgate_shell::eval::Outcome;
use tollgate_shell::value::Value;

use super::containers::remote;
use super::{Run, interpreters};
use crate::languages::Language;
use crate::options::{Order, read};
use crate::word::Word;

/// The most resources of a description that are followed.
const MOST: usize = 256;

/// `puppet apply -e code file…`, `puppet resource type name attribute=value…`.
pub(super) fn puppet(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute= noop no-noop verbose v d,debug t,test modulepath= l,logdest= catalog= environment= hiera_config= \
         detailed-exitcodes h,help V,version L,loadclasses write-catalog-summary to_yaml edit p,param= x",
        Order::Anywhere,
    );
    let verb = options.operands.first().map(Word::shown).unwrap_or_default();
    let rest = options.operands.get(1..).unwrap_or_default().to_vec();
    if options.has("noop") && !options.has("no-noop") || options.has("h") {
        return run.derived();
    }
    match verb.as_str() {
        "apply" => {
            let mut texts: Vec<String> = options.values("e").map(Word::shown).collect();
            texts.extend(described(run, &rest));
            apply(run, &texts, manifest);
        }
        "resource" => {
            let words: Vec<String> = rest.iter().map(Word::shown).collect();
            if let [kind, title, attributes @ ..] = words.as_slice() {
                let set = attributes.iter().filter_map(|word| word.split_once('='));
                let set = set.map(|(name, value)| (name.to_owned(), value.to_owned())).collect::<Vec<_>>();
                let resource = Resource { kind: kind.clone(), title: title.clone(), set };
                told(run, resource.as_shell().filter(|_| !resource.set.is_empty()));
            }
        }
        _ => {}
    }
    run.derived()
}

/// `chef-apply -e code`, `chef-apply file`, `chef-client -z recipe.rb`.
pub(super) fn chef(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "e,execute s,stdin W,why-run l,log_level= c,config= j,json-attributes= r,recipe-url= o,override-runlist= z,local-mode \
         n= N= E= minimal-ohai h,help v,version",
        Order::Anywhere,
    );
    if options.has("W") || options.has("h") || options.has("v") {
        return run.derived();
    }
    // A run list may lie at an address: code from there.
    if options.value("r").is_some_and(|url| url.shown().contains("://")) {
        run.analyst.dynamic_code(crate::analyst::taint::NET, run.call.span);
    }
    let mut texts = match options.has("e") {
        true => options.operands.iter().map(Word::shown).collect(),
        false => described(run, &options.operands),
    };
    if options.has("s") {
        texts.extend(run.stdin().and_then(Value::as_literal).map(str::to_owned));
    }
    apply(run, &texts, recipe);
    // A recipe is a program as well.
    for text in &texts {
        let word = Word::literal_at(text, run.call.span);
        interpreters::languages::inline(run, Language::Ruby, &Value::text(text), &word, &[]);
    }
    run.derived()
}

/// `salt hosts function argument…`.
pub(super) fn salt(run: &mut Run) -> Outcome {
    let Some(text) = function(run.args) else { return run.derived() };
    let span = run.call.span;
    let words = [Word::literal_at("sh", span), Word::literal_at("-c", span), Word::literal_at(&text, span)];
    remote(run, &words, "on the hosts of salt")
}

/// The same on this machine.
pub(super) fn salt_call(run: &mut Run) -> Outcome {
    told(run, function(run.args));
    run.derived()
}

/// What a function of salt does, as shell text.
fn function(words: &[Word]) -> Option<String> {
    let at = words.iter().position(|word| {
        let shown = word.shown();
        shown.contains('.')
            && !shown.starts_with('-')
            && shown.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
    })?;
    let given: Vec<String> = words.get(at + 1..)?.iter().map(Word::shown).collect();
    let first = given.iter().find(|word| !word.starts_with('-'))?;
    let named = |name: &str| given.iter().find_map(|word| word.strip_prefix(name)).map(str::to_owned);
    let subject = named("name=").or_else(|| named("path=")).unwrap_or_else(|| first.clone());
    let name = words.get(at)?.shown();
    // Only states can say what they would do; functions do it.
    let is_state = name.starts_with("state.");
    if is_state && given.iter().any(|word| word.eq_ignore_ascii_case("test=true")) {
        return None;
    }
    let name = if matches!(name.as_str(), "state.single" | "module.run") { first.clone() } else { name };
    let quoted = quote(&subject);
    Some(match name.as_str() {
        "cmd.has_exec" | "cmd.which" | "cmd.which_bin" | "cmd.shells" | "cmd.shell_info" => return None,
        "cmd.script" | "cmd.script_retcode" => format!("sh {quoted}"),
        "cmd.exec_code" | "cmd.exec_code_all" => format!("{subject} -c {}", quote(given.get(1)?)),
        name if name.starts_with("cmd.") => named("cmd=").unwrap_or(subject),
        "file.remove" | "file.absent" | "file.rmdir" => format!("rm -rf {quoted}"),
        "file.truncate" => format!(": > {quoted}"),
        "service.stop" | "service.dead" | "service.disable" => format!("systemctl stop {quoted}"),
        "pkg.remove" | "pkg.purge" | "pkg.removed" | "pkg.purged" => format!("apt-get remove -y {quoted}"),
        "user.delete" | "user.absent" => format!("userdel -r {quoted}"),
        "disk.format" | "disk.wipe" => format!("mkfs {quoted}"),
        _ => return None,
    })
}

/// The texts of descriptions in files.
fn described(run: &mut Run, files: &[Word]) -> Vec<String> {
    let mut texts = Vec::new();
    for file in files {
        run.read(file, false);
        let text = run.analyst.script(file, run.shell);
        texts.extend(text.as_ref().and_then(Value::as_literal).map(str::to_owned));
    }
    texts
}

fn apply(run: &mut Run, texts: &[String], resources: fn(&[Token]) -> Vec<Resource>) {
    for text in texts {
        let tokens = settled(tokens(text));
        let found = resources(&tokens);
        found.iter().take(MOST).for_each(|resource| told(run, resource.as_shell()));
        if found.len() > MOST || tokens.len() > MOST * 64 {
            run.analyst.opaque("the description is too long to be analysed completely", run.call.span);
        }
    }
}

fn told(run: &mut Run, text: Option<String>) {
    if let Some(text) = text {
        interpreters::code(run, &Value::text(&text), run.call.span);
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// One thing that a description is about.
struct Resource {
    kind: String,
    title: String,
    set: Vec<(String, String)>,
}

impl Resource {
    fn value(&self, names: &[&str]) -> Option<&str> {
        self.set.iter().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.as_str())
    }

    /// What a shell would do for it.
    fn as_shell(&self) -> Option<String> {
        let state = self.value(&["ensure", "action"]).unwrap_or_default();
        let gone = matches!(state, "absent" | "purged" | "delete" | "remove" | "purge");
        let name =
            quote(self.value(&["path", "name", "service_name", "package_name"]).unwrap_or(&self.title));
        let code = self.value(&["command", "code"]);
        match self.kind.trim_start_matches("::") {
            "exec" | "execute" | "bash" | "script" | "sh" | "csh" | "ksh" => {
                Some(code.unwrap_or(&self.title).to_owned())
            }
            "cron" | "cron_d" => Some(format!("echo {} | crontab -", quote(&format!("* * * * * {}", code?)))),
            "file" | "directory" | "remote_directory" | "cookbook_file" | "template" | "link" | "tidy" => {
                let content = || Some(format!("printf '%s' {} > {name}", quote(self.value(&["content"])?)));
                if gone || self.kind == "tidy" { Some(format!("rm -rf {name}")) } else { content() }
            }
            "service" if matches!(state, "stopped" | "stop") => Some(format!("systemctl stop {name}")),
            "package" | "apt_package" | "yum_package" if gone => Some(format!("apt-get remove -y {name}")),
            "user" if gone => Some(format!("userdel -r {name}")),
            _ => None,
        }
    }
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Sign(char),
}

/// The lines behind `<<-MARK`, up to the mark.
fn here_text(rest: &mut Peekable<Chars>) -> String {
    let mut lines = std::iter::from_fn(|| {
        let mut line = String::new();
        rest.peek()?;
        while let Some(c) = rest.next().filter(|c| *c != '\n') {
            line.push(c);
        }
        Some(line)
    });
    let mark = lines.next().unwrap_or_default();
    let mark = mark.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned();
    lines.take_while(|line| line.trim() != mark).collect::<Vec<_>>().join("\n")
}

/// Words, quoted texts and signs of a description.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '#' => while rest.next_if(|c| *c != '\n').is_some() {},
            '"' | '\'' => {
                let mut inner = String::new();
                while let Some(next) = rest.next().filter(|next| *next != c) {
                    inner.push(if next == '\\' { rest.next().unwrap_or_default() } else { next });
                }
                tokens.push(Token::Text(inner));
            }
            '<' if rest.peek() == Some(&'<') => {
                rest.next();
                tokens.push(Token::Text(here_text(&mut rest)));
            }
            _ if c.is_alphanumeric() || matches!(c, '_' | '/' | '$') => {
                let mut word = c.to_string();
                while let Some(next) =
                    rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '/' | '.' | '-'))
                {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            _ if c.is_whitespace() => {}
            _ => tokens.push(Token::Sign(c)),
        }
        if tokens.len() > MOST * 64 {
            break;
        }
    }
    tokens
}

/// The tokens with texts for the variables that were given one before: `$name = 'text'`.
fn settled(mut tokens: Vec<Token>) -> Vec<Token> {
    let mut known: Vec<(String, String)> = Vec::new();
    for at in 0..tokens.len() {
        if let Some([Token::Word(name), Token::Sign('='), Token::Text(text)]) = tokens.get(at..at + 3) {
            known.push((name.clone(), text.clone()));
            continue;
        }
        let Some(token) = tokens.get_mut(at) else { break };
        if let Token::Word(name) = &*token
            && let Some((_, text)) = known.iter().rfind(|(known, _)| known == name)
        {
            *token = Token::Text(text.clone());
        }
    }
    tokens
}

/// `type { 'title': name => value, … }` of puppet.
fn manifest(tokens: &[Token]) -> Vec<Resource> {
    let mut found = Vec::new();
    for (at, window) in tokens.windows(3).enumerate() {
        let [Token::Word(kind), Token::Sign('{'), Token::Text(_) | Token::Word(_) | Token::Sign('[')] =
            window
        else {
            continue;
        };
        let inside = tokens.get(at + 2..).unwrap_or_default();
        let colon = inside.iter().position(|token| *token == Token::Sign(':')).unwrap_or(0);
        let end = inside.iter().position(|token| *token == Token::Sign('}')).unwrap_or(inside.len());
        let (titles, body) =
            (inside.get(..colon).unwrap_or_default(), inside.get(colon..end).unwrap_or_default());
        let set = body.windows(4).filter_map(|window| match window {
            [
                Token::Word(name),
                Token::Sign('='),
                Token::Sign('>'),
                Token::Text(value) | Token::Word(value),
            ] => Some((name.clone(), value.clone())),
            _ => None,
        });
        let set: Vec<(String, String)> = set.collect();
        for title in titles {
            if let Token::Text(title) | Token::Word(title) = title {
                found.push(Resource { kind: kind.clone(), title: title.clone(), set: set.clone() });
            }
        }
    }
    found
}

/// `type 'title' do name value … end` of chef.
fn recipe(tokens: &[Token]) -> Vec<Resource> {
    let mut found = Vec::new();
    for (at, window) in tokens.windows(2).enumerate() {
        let [Token::Word(kind), Token::Text(title)] = window else { continue };
        let behind = tokens.get(at + 2..).unwrap_or_default();
        let opens = behind.first().is_some_and(|token| matches!(token, Token::Word(word) if word == "do"));
        let end = behind.iter().position(|token| matches!(token, Token::Word(word) if word == "end"));
        let body = if opens { behind.get(1..end.unwrap_or(behind.len())).unwrap_or_default() } else { &[] };
        let mut set = Vec::new();
        for (at, token) in body.iter().enumerate() {
            let value = match (token, body.get(at + 1), body.get(at + 2)) {
                (Token::Word(name), Some(Token::Sign(':')), Some(Token::Word(value))) => Some((name, value)),
                // `action [:stop, :delete]`: the last one is what is left.
                (Token::Word(name), Some(Token::Sign('[')), _) => {
                    let list = body.get(at + 1..).unwrap_or_default();
                    let list = list.iter().take_while(|token| **token != Token::Sign(']'));
                    list.filter_map(|token| match token {
                        Token::Word(value) => Some((name, value)),
                        _ => None,
                    })
                    .last()
                }
                (Token::Word(name), Some(Token::Text(value)), _) => Some((name, value)),
                _ => None,
            };
            set.extend(value.map(|(name, value)| (name.clone(), value.clone())));
        }
        found.push(Resource { kind: kind.clone(), title: title.clone(), set });
    }
    found
}
