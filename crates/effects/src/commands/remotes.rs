//! Tools with a verb that runs a command on another machine: virtual machines, clouds, devices. A catalogue.

use tollgate_model::json::{self, Value as Json};
use tollgate_shell::value::Value;

use super::Run;
use super::network::there;
use crate::names::{Names, index};
use crate::options::{Order, read};
use crate::word::Word;

/// How a tool is given the command.
enum Style {
    /// After `--`, or after this many words behind the verb.
    Words(usize),
    /// As the value of an option.
    Option(&'static str),
    /// The words behind the options, which this specification names.
    After(&'static str),
}

const TOOLS: &[(&[&str], &[&str], Style)] = &[
    (&["lxc", "incus"], &["exec"], Style::Words(1)),
    (&["multipass"], &["exec"], Style::Words(1)),
    (&["docker-machine"], &["ssh"], Style::Words(1)),
    (&["minikube"], &["ssh"], Style::Words(0)),
    (&["limactl"], &["shell"], Style::Words(1)),
    (&["colima"], &["ssh"], Style::Words(0)),
    (&["vagrant"], &["ssh"], Style::Option("c,command=")),
    (&["gcloud"], &["compute", "ssh"], Style::Option("c,command=")),
    (&["az"], &["vm", "run-command"], Style::Option("c,scripts=")),
    (&["aws"], &["ssm", "send-command"], Style::Option("c,parameters=")),
    (&["aws"], &["ssm", "start-session"], Style::Option("c,parameters=")),
    (&["knife"], &["ssh"], Style::Words(1)),
    (&["fly", "flyctl"], &["ssh", "console"], Style::Option("c,C,command=")),
    (&["eb"], &["ssh"], Style::Option("c,command=")),
    (&["heroku"], &["run"], Style::Words(0)),
    (&["railway"], &["ssh"], Style::Words(0)),
    (&["salt"], &["*", "cmd.run"], Style::Words(0)),
    (&["salt"], &["*", "cmd.shell"], Style::Words(0)),
    (&["adb"], &["shell"], Style::Words(0)),
    (&["parallel-ssh", "pssh"], &[], Style::After(PSSH)),
    (&["pdsh", "dsh"], &[], Style::After("w= x= g= X= l= t= u= f= R= m= M= c o= F= n= N S b a i e h= r=")),
    (
        &["clush"],
        &[],
        Style::After("w= g= a x= X= f= t= u= l= o= S q v b B n r hostfile= topology= groups= pick= options="),
    ),
    (&["ansible"], &[], Style::Option("c,a,args=")),
];

const PSSH: &str = "h,hosts= H,host= l,user= p,par= o,outdir= e,errdir= t,timeout= O,option= v,verbose A,askpass x,extra-args= \
    X,extra-arg= i,inline inline-stdout I,send-input P,print g,host-glob=";

static PROGRAMS: Names<256> = index!(TOOLS, (programs, _, _) => programs);

/// Takes down what a command that runs on another machine destroys there.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    let mut tools = PROGRAMS.rows(TOOLS, program, |(names, ..)| names).peekable();
    if tools.peek().is_none() {
        return;
    }
    let words = behind_globals(run.args, program);
    let is_operand = |word: &&Word| !word.text.prefix().starts_with('-');
    let operands: Vec<Word> =
        words.iter().take_while(|word| !word.is("--")).filter(is_operand).cloned().collect();
    for (_, verbs, style) in tools {
        let fits = |(verb, word): (&&str, &Word)| *verb == "*" || word.is(verb);
        if operands.len() < verbs.len() || !verbs.iter().zip(&operands).all(fits) {
            continue;
        }
        let texts = match style {
            Style::Option(spec) => read(words, spec, Order::Anywhere).values("c").map(Word::value).collect(),
            Style::After(spec) => joined(&read(words, spec, Order::First).operands).into_iter().collect(),
            Style::Words(skip) => {
                let after = words.iter().position(|word| word.is("--")).and_then(|at| words.get(at + 1..));
                let behind = behind(words, verbs.len() + skip);
                joined(after.unwrap_or(behind)).into_iter().collect::<Vec<_>>()
            }
        };
        let host = operands.get(verbs.len()).map(Word::shown).unwrap_or_default();
        for text in texts {
            there(run, &unwrapped(text), &host);
        }
    }
}

/// Options that may stand before the verb and take the next word.
const GLOBALS: &[(&[&str], &str)] = &[
    (&["adb"], "-s -t -H -P -L --one-device"),
    (&["fly", "flyctl"], "-a --app -c --config -t --access-token"),
    (&["heroku", "railway"], "-a --app -r --remote -s --service -e --environment -p --project"),
    (&["gcloud"], "--project --account --configuration --zone --verbosity --format"),
    (&["aws"], "--profile --region --endpoint-url --output --query --cli-read-timeout"),
    (&["az"], "--subscription --output -o --query"),
    (&["minikube", "colima"], "-p --profile"),
    (&["salt"], "-c --config-dir -t --timeout -b --batch-size --out --output"),
    (&["lxc", "incus"], "--project"),
];

fn behind_globals<'a>(words: &'a [Word], program: &str) -> &'a [Word] {
    let listed = GLOBALS.iter().find(|(names, _)| names.contains(&program)).map_or("", |(_, spec)| *spec);
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.text.prefix().starts_with('-')) {
        at += 1 + usize::from(listed.split(' ').any(|option| word.is(option)));
    }
    words.get(at..).unwrap_or_default()
}

/// What follows this many words that are no options.
fn behind(words: &[Word], count: usize) -> &[Word] {
    let mut seen = 0;
    for (at, word) in words.iter().enumerate() {
        if seen == count && !word.text.prefix().starts_with('-') {
            return words.get(at..).unwrap_or_default();
        }
        seen += usize::from(!word.text.prefix().starts_with('-'));
    }
    &[]
}

fn joined(words: &[Word]) -> Option<Value> {
    let blank = Value::text(" ");
    words.iter().map(Word::value).reduce(|left, right| left.concat(&blank).concat(&right))
}

/// `commands=["…"]` of a parameter is the text in it.
fn unwrapped(text: Value) -> Value {
    let known = text.as_literal().unwrap_or_default();
    if let Ok(value) = json::parse(known.as_bytes())
        && let Some(Json::List(lines)) = value.get("commands").or_else(|| value.get("command"))
    {
        return Value::text(&lines.iter().filter_map(Json::as_str).collect::<Vec<_>>().join("\n"));
    }
    match known.strip_prefix("commands=").or_else(|| known.strip_prefix("command=")) {
        Some(inner) => Value::text(&inner.trim_matches(['[', ']', '"', '\'']).replace("\",\"", "\n")),
        None => text,
    }
}
