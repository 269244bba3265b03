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
    /// Behind `--` alone: other words are its own.
    Dashes,
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
    (&["cf"], &["ssh"], Style::Option("c,command=")),
    (&["nomad"], &["alloc", "exec"], Style::Words(1)),
    (&["nomad"], &["exec"], Style::Words(1)),
    (&["aws"], &["ecs", "execute-command"], Style::Option("c,command=")),
    (&["az"], &["container", "exec"], Style::Option("c,exec-command=")),
    (&["az"], &["containerapp", "exec"], Style::Option("c,command=")),
    (&["gcloud"], &["app", "instances", "ssh"], Style::Words(1)),
    (&["gcloud"], &["cloud-shell", "ssh"], Style::Option("c,command=")),
    (&["doctl"], &["compute", "ssh"], Style::Option("c,ssh-command=")),
    (&["hcloud"], &["server", "ssh"], Style::Words(1)),
    (&["juju"], &["ssh"], Style::Words(1)),
    (&["juju"], &["exec"], Style::Words(0)),
    (&["bosh"], &["ssh"], Style::Option("c,command=")),
    (&["tsh"], &["ssh"], Style::Words(1)),
    (&["tailscale"], &["ssh"], Style::Words(1)),
    (&["podman"], &["machine", "ssh"], Style::Words(1)),
    (&["podman"], &["machine", "ssh"], Style::Words(0)),
    (&["kamal"], &["app", "exec"], Style::Words(0)),
    (&["kamal"], &["server", "exec"], Style::Words(0)),
    (&["fly", "flyctl"], &["machine", "exec"], Style::Words(1)),
    (&["heroku"], &["ps:exec"], Style::Words(0)),
    (&["bolt"], &["command", "run"], Style::Words(0)),
    (&["fab"], &[], Style::Dashes),
    (&["parallel-ssh", "pssh"], &[], Style::After(PSSH)),
    (
        &["pdsh"],
        &[],
        Style::After(
            "w= x= g= X= l= t= u= f= R= M= C= F= G= j= P= p= o= n= S N b a A i v e= h V q d L k K s r=",
        ),
    ),
    (
        &["dsh"],
        &[],
        Style::After(
            "v,verbose q,quiet M,show-machine-names H,hide-machine-names i,duplicate-input b,bufsize= m,machine= n,num-topology= a,all \
             g,group= f,file= r,remoteshell= o,remoteshellopt= w,wait-shell c,concurrent-shell F,forklimit= h,help V,version",
        ),
    ),
    (&["mussh"], &[], Style::Option("c= h= H= l= m? o= p= s= t= q v d b B")),
    (
        &["clush"],
        &[],
        Style::After(
            "w= g,group= a,all x= X= hostfile= topology= pick= G groupsource= f,fanout= t,connect_timeout= u,command_timeout= l,user= \
             o,options= O,option= m,mode= conf= s,groupsource= q,quiet v,verbose d,debug n,nostdin b,dshbak B r,regroup S,maxrc N L \
             p,preserve color= axis= diff outdir= errdir= P worker= remote= nostdin R=",
        ),
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
            // What stands first are its own options.
            Style::After(spec) => joined(&read(run.args, spec, Order::First).operands).into_iter().collect(),
            Style::Dashes => joined(after(words).unwrap_or_default()).into_iter().collect(),
            Style::Words(skip) => {
                let count = verbs.len() + skip;
                let open = (0..=loose(words, count)).map(|more| behind(words, count + more));
                let all: Vec<&[Word]> = after(words).map_or_else(|| open.collect(), |words| vec![words]);
                all.into_iter().filter_map(joined).collect::<Vec<_>>()
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

/// What stands behind `--`.
fn after(words: &[Word]) -> Option<&[Word]> {
    words.iter().position(|word| word.is("--")).and_then(|at| words.get(at + 1..))
}

/// How many options before the command may have a value that is a word of its own.
fn loose(words: &[Word], count: usize) -> usize {
    let before = words.len() - behind(words, count).len();
    let takes = |word: &&Word| word.text.prefix().starts_with('-') && !word.text.prefix().contains('=');
    words.iter().take(before).filter(takes).count().min(3)
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
