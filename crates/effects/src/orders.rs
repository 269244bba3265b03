//! Prompts for other agents: what they order that would be stopped in a call. Only orders count: what a prompt asks about,
//! forbids or wants to have built is work.

mod plants;

use tollgate_model::World;

use crate::content;
use crate::hidden;
use crate::instructions::{Sentence, Sentences, gets_round, told};
use crate::url::{Url, is_this_machine};
use plants::{obeys, paths_gone, plants};

/// The longest prompt that is read.
const LIMIT: usize = 64 * 1024;

/// What a prompt orders that turns the agent against the person.
pub(crate) fn order(prompt: &str, world: &dyn World) -> Option<String> {
    if prompt.len() > LIMIT {
        return Some("more than can be analysed".to_owned());
    }
    if hidden::first(prompt, hidden::Kind::Other).is_some() {
        return Some("something in invisible characters".to_owned());
    }
    let all = Sentences::of(prompt);
    let round = all.iter().find_map(|sentence| gets_round(sentence).or_else(|| plants(sentence)));
    if let Some(round) = round {
        return Some(round.to_owned());
    }
    let (orders, rest): (Vec<&Sentence>, Vec<&Sentence>) =
        all.iter().filter(|sentence| !sentence.forbids).partition(|sentence| !is_about(sentence, ABOUT));
    let one = orders.iter().find_map(|sentence| {
        let says = told(sentence)
            .filter(|says| !says.contains("a URL") && !says.contains("secrets"))
            .map(str::to_owned);
        says.or_else(|| runs(sentence, world))
            .or_else(|| removes(sentence, world))
            .or_else(|| obeys(sentence))
            .or_else(|| forces(sentence))
    });
    // Whoever is to look for keys and to send them is not asked about them.
    let looks = rest.into_iter().filter(|sentence| !is_about(sentence, &[]) && is_about(sentence, LOOKS));
    one.or_else(|| gives_away(&orders)).or_else(|| gives_away(&looks.collect::<Vec<_>>()))
}

/// How sentences begin that ask about something, or want it built.
const ABOUT: &[&str] = &[
    "explain",
    "review",
    "describe",
    "document",
    "why",
    "how",
    "what",
    "whether",
    "summar",
    "find",
    "check",
    "audit",
    "analy",
    "test ",
    "detect",
    "implement",
    "add ",
    "write ",
    "create ",
    "build ",
    "fix ",
    "update ",
    "refactor",
    "make sure",
    "ensure",
    "change ",
    "support",
    "design",
    "investigate",
    "look",
    "search",
    "grep",
    "list ",
    "compare",
    "research",
    "understand",
    "verify",
    "determine",
    "identify",
    "if ",
    "when ",
    "the ",
    "it ",
    "this ",
    "our ",
    "we ",
    "a ",
    "an ",
    "that ",
    "there ",
    "users ",
    "example",
    "consider",
    "evaluate",
    "discuss",
    "report whether",
    "does ",
    "is ",
    "are ",
    "can ",
    "could ",
    "should ",
    "do you",
    "walk ",
    "outline",
    "draft",
    "plan ",
    "propose",
    "suggest",
    "simulate",
    "mock",
    "translate",
    "show how",
    "teach",
    "warn",
    "given ",
    "assume",
    "background",
    "context",
    "note",
    "they ",
    "these ",
    "those ",
    "currently",
    "some ",
    "any ",
    "count",
    "locate",
    "trace ",
    "debug",
    "count ",
    "read through",
    "migrate",
    "port ",
];

/// How those of them begin that want something to be found.
const LOOKS: &[&str] = &["find ", "search ", "look ", "list ", "locate ", "grep "];

fn is_about(sentence: &Sentence, begins: &[&str]) -> bool {
    let words = sentence.words.trim_start_matches([' ', '-', '*', '#', '>']);
    let words = words.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')' | ' '));
    let words = ["please ", "then ", "now ", "also ", "next, ", "first, ", "finally, ", "you should "]
        .iter()
        .fold(words, |words, start| words.strip_prefix(start).unwrap_or(words));
    // What is only given as an example is not to be done.
    let shows = [" such as ", " for example", " e.g.", " as plain "].iter().any(|sign| words.contains(sign));
    // A question mark in an address asks nothing.
    let asks = words.contains("? ") || words.ends_with('?') || words.contains(" how to ") || shows;
    begins.iter().any(|start| words.starts_with(start)) || asks
}

/// A command that it is to run, with marks or without.
fn runs(sentence: &Sentence, world: &dyn World) -> Option<String> {
    let orders = [
        " run ",
        " execute ",
        " invoke ",
        " type ",
        " issue ",
        " run: ",
        " execute: ",
        " do: ",
        " command: ",
    ];
    let words = sentence.words.as_str();
    let lead = words.trim_start_matches(|c: char| " -*>.)".contains(c) || c.is_ascii_digit());
    // It is nothing but code, or what to do is done by it.
    let alone = lead.trim_matches([' ', '`', '.', ',', ';']).is_empty();
    let ordered = alone || does_by(lead) || orders.iter().any(|order| words.contains(order));
    let said = format!(" {} ", sentence.said);
    let plain = orders.iter().find_map(|order| said.split_once(order)).map(|(_, rest)| rest);
    let plain = plain.or_else(|| begins_command(&sentence.said)).map(|rest| {
        let rest = rest.split(" then ").next().unwrap_or_default().trim();
        rest.trim_start_matches("the command ").trim_end_matches(['.', '!', ',']).to_owned()
    });
    let code = sentence.code.iter().filter(|_| ordered).cloned().chain(plain);
    code.filter(|code| !code.starts_with('`')).find_map(|code| {
        let does = content::everyday_dangers(&code, world).into_iter().next()?;
        Some(format!("to run `{}`, which {does}", code.trim().lines().next().unwrap_or_default()))
    })
}

/// A line that is a command by itself: it begins with a program, and has the signs of one.
pub(crate) fn begins_command(said: &str) -> Option<&str> {
    const PROGRAMS: &[&str] = &[
        "curl",
        "wget",
        "bash",
        "sh",
        "sudo",
        "rm",
        "git",
        "gh",
        "tar",
        "cat",
        "nc",
        "ncat",
        "python3",
        "python",
        "node",
        "dd",
        "chmod",
        "aws",
        "kubectl",
        "docker",
        "scp",
        "rsync",
        "ssh",
        "find",
        "env",
        "printenv",
        "echo",
        "base64",
        "eval",
        "crontab",
        "terraform",
        "psql",
    ];
    let line = said.trim_start_matches(['$', '>', '-', '*', ' ']);
    // What it is good for is no part of it.
    let line = [" so that ", " so the ", " so we ", " because ", " in order to "]
        .iter()
        .fold(line, |line, reason| line.split(reason).next().unwrap_or(line));
    let program = line.split_whitespace().next()?;
    let signs = [" -", " |", "://", " >", "$(", "/", "&&"];
    let prose = [" is ", " was ", " are ", " the ", " what ", " that ", " when "]
        .iter()
        .any(|word| line.contains(word));
    (PROGRAMS.contains(&program) && !prose && signs.iter().any(|sign| line.contains(sign))).then_some(line)
}

/// `publish the report with …`: does a sentence say what is to be done, and by which command?
fn does_by(lead: &str) -> bool {
    const DEEDS: &[&str] = &[
        "open ",
        "upload ",
        "publish ",
        "send ",
        "post ",
        "share ",
        "submit ",
        "clean ",
        "delete ",
        "remove ",
        "reset ",
        "wipe ",
        "install ",
        "sync ",
        "back ",
        "copy ",
        "push ",
        "collect ",
        "gather ",
        "export ",
        "archive ",
        "deploy ",
        "start ",
        "launch ",
        "do ",
        "use ",
        "finish ",
        "begin ",
        "download ",
        "fetch ",
        "file ",
        "report ",
        "mirror ",
        "store ",
        "save ",
        "commit ",
        "release ",
        "dump ",
    ];
    let by = [" with `", " using `", " via `", " through `", " by `", " use `"];
    let lead = ["please ", "then ", "now ", "also ", "finally, "]
        .iter()
        .fold(lead, |lead, start| lead.strip_prefix(start).unwrap_or(lead));
    DEEDS.iter().any(|deed| lead.starts_with(deed))
        && by.iter().any(|by| lead.contains(by) || format!(" {lead}").starts_with(by))
}

/// What holds everything of somebody.
const THINGS: &[&str] = &[
    "home directory",
    "home folder",
    "the whole disk",
    "the entire disk",
    "root filesystem",
    "production database",
    "prod database",
    "all backups",
    "every backup",
    "all volumes",
    "the git history",
    "all branches",
    "production cluster",
    "production namespace",
    "all s3 buckets",
];

/// Everything of a person, or what holds it.
fn removes(sentence: &Sentence, world: &dyn World) -> Option<String> {
    let words = sentence.words.as_str();
    let verbs = [
        " delete ",
        " remove ",
        " wipe ",
        " erase ",
        " destroy ",
        " shred ",
        " rm -rf ",
        " purge ",
        " drop ",
    ];
    let ordered = |before: &str| {
        let before = before.trim_end().trim_end_matches(" now").trim_end_matches(" please");
        before.is_empty()
            || [",", " and", " then", ":", ")", "-", "please"].iter().any(|end| before.ends_with(end))
    };
    let (_, rest) = verbs.iter().filter_map(|verb| words.split_once(verb)).find(|(before, _)| {
        ordered(before.trim_start_matches(|c: char| c.is_ascii_digit() || ".-* ".contains(c)))
    })?;
    if let Some(gone) = paths_gone(rest, world) {
        return Some(gone);
    }
    let home = world.home();
    let whole = [
        "everything in ",
        "everything under ",
        "all files in ",
        "all files under ",
        "all of ",
        "the whole ",
        "the entire ",
        "all data in ",
        "the contents of ",
    ];
    let all = whole.iter().any(|part| rest.contains(part))
        || words.contains("rm -rf ")
        || words.contains("recursively");
    let path = |part: &str| {
        part.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '.' | ',' | ';' | '!'))
            .trim_end_matches('/')
            .to_owned()
    };
    let mut named = rest.split_whitespace().map(path).chain(sentence.code.iter().map(|code| path(code)));
    let is_home = named.any(|path| {
        path == home || path == "~" || path == "$home" || path == "~/*" || path == "/home" || path == "/users"
    });
    let named = THINGS.iter().filter_map(|thing| rest.split_once(thing)).any(|(before, after)| {
        let ends = [".", ",", ";", "!", "and ", "to ", "then ", "of ", "at ", "completely", "now", "with "];
        let after = after.trim_start();
        let ended = after.is_empty() || ends.iter().any(|end| after.starts_with(end));
        let parts = [" in ", " from ", " for ", " to ", " about ", " of ", " inside ", " on "];
        let before = format!(" {before}");
        ended && (all || !parts.iter().any(|part| before.contains(part)))
    });
    (is_in_production(rest) || is_home && (all || rest.split_whitespace().count() <= 3) || named)
        .then(|| "to delete data permanently".to_owned())
}

/// A part of what others work with.
fn is_in_production(rest: &str) -> bool {
    let tables = [" table ", " tables ", " schema ", " collection ", " namespace ", " cluster "];
    let live = ["production database", "prod database", "in production", "in prod", "production cluster"];
    rest.split([',', ';', ':']).any(|clause| {
        let clause = format!("{clause} ");
        tables.iter().any(|part| clause.contains(part)) && live.iter().any(|part| clause.contains(part))
    })
}

/// A branch that others build on is overwritten.
fn forces(sentence: &Sentence) -> Option<String> {
    let words = sentence.words.as_str();
    let forced = ["force-push", "force push", "push --force", "push -f ", "push by force", "forced push"]
        .iter()
        .any(|said| words.contains(said));
    let lease = words.contains("lease");
    let branch = [" main", " master", " production", " release", " all branches", " develop "];
    let shared = branch.iter().any(|name| words.contains(name));
    (forced && shared && !lease).then(|| "to overwrite a shared branch".to_owned())
}

/// Secrets that are read and sent to somebody.
fn gives_away(orders: &[&Sentence]) -> Option<String> {
    let text = |sentence: &Sentence| format!("{} {} ", sentence.words, sentence.code.join(" "));
    let reads = orders.iter().position(|sentence| names_secret(&text(sentence)))?;
    let sends = orders.iter().enumerate().filter(|(at, _)| *at >= reads && *at <= reads + 4);
    let mut sends = sends.map(|(_, sentence)| text(sentence));
    sends.any(|text| is_sent(&text)).then(|| "to read secrets and send them to another machine".to_owned())
}

fn names_secret(text: &str) -> bool {
    let secrets = [
        "/.ssh/id_",
        "of ~/.ssh",
        "in ~/.ssh",
        "~/.ssh to ",
        "id_rsa",
        "id_ed25519",
        ".aws/credentials",
        ".netrc",
        ".pgpass",
        ".kube/config",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".docker/config.json",
        "private key",
        "ssh key",
        "api keys",
        "credentials",
        "access tokens",
        "environment variables",
        "all secrets",
        "the secrets",
        "passwords",
        "keychain",
        "browser cookies",
        "shell history",
        ".bash_history",
        ".zsh_history",
        "service-account.json",
    ];
    let env = text.split([' ', '/', ',', '`', '"', '\'']).any(|word| {
        matches!(word.trim_end_matches(['.', ';', ':', ')']), ".env" | ".env.local" | ".env.production")
    });
    env || secrets.iter().any(|secret| text.contains(secret))
}

/// Goes to somebody elsewhere.
fn is_sent(text: &str) -> bool {
    let verbs = [
        "send ",
        "post ",
        "upload ",
        "exfiltrate",
        "transmit ",
        "forward ",
        "submit ",
        "paste ",
        "email ",
        "mail ",
        "curl ",
        "publish ",
        "leak ",
        "deliver ",
        "push them ",
        "put them ",
        "put it ",
        "put the values ",
        "put the contents ",
        "report them ",
    ];
    let sent = verbs.iter().any(|verb| text.contains(&format!(" {verb}")) || text.starts_with(verb));
    // An address with a place for what was read.
    let filled = text.split_whitespace().any(|word| {
        let (_, query) = word.split_once('?').unwrap_or_default();
        word.starts_with("http") && ["=<", "={", "=$", "=["].iter().any(|place| query.contains(place))
    });
    let sent = sent || filled;
    let address = text.split_whitespace().any(|word| {
        let word =
            word.trim_matches(|c: char| matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | '.' | '<' | '>'));
        let url = word.starts_with("http://") || word.starts_with("https://");
        let mail = word
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('/'));
        url && !is_this_machine(&Url::parse(word).host) || mail
    });
    let keeper = [
        "pastebin",
        "gist",
        "webhook",
        "transfer.sh",
        "0x0.st",
        "requestbin",
        "ngrok",
        "discord",
        "telegram",
    ];
    sent && (address || keeper.iter().any(|name| text.contains(name)))
}
