//! Bare connections: netcat and its kin, `/dev/tcp`, and shells that are wired to one.

use tollgate_model::{Carried, Certainty, EffectKind, NetDirection, WriteMode};
use tollgate_shell::eval::{Outcome, Stream};
use tollgate_shell::value::{Text, Value};

use super::super::{Run, interpreters};
use super::address::{connect, host_of, send};
use super::cargo::Cargo;
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Options, Order, read};
use crate::url;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// The host of one of bash's network paths.
pub(crate) fn socket_host(path: &str) -> Option<String> {
    let rest = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|prefix| path.strip_prefix(prefix))?;
    Some(url::normal_host(rest.split('/').next().unwrap_or_default()))
}

/// What any command does whose input or output is a network path.
pub(super) fn wired(run: &mut Run, outcome: &Outcome) {
    let (stdin, stdout) = (stream_host(&run.call.stdin.stream), stream_host(&run.call.stdout));
    let is_shell = catalogue::is(run.program, Tag::Shell);
    let interactive =
        run.args.iter().any(|word| word.text.prefix().starts_with('-') && word.text.prefix().contains('i'));
    if is_shell && let Some(host) = stdin.as_ref().or(stdout.as_ref().filter(|_| interactive)) {
        control(run, host);
    }
    // An interactive shell on descriptors that this call did not open: whoever started it opened them.
    let lent = run.call.stdin.stream == Stream::Closed && run.call.stdout == Stream::Closed;
    if is_shell && interactive && lent && run.call.argv.len() > 1 {
        control(run, "");
    }
    if let Some(port) = stream_port(&run.call.stdout) {
        told(run, port, &outcome.stdout);
        // The shell itself makes the text, and its format holds the words.
        if run.program == "printf" {
            run.args.iter().map(Word::value).for_each(|text| told(run, port, &text));
        }
    }
    if let Some(host) = stdout {
        let mut cargo = Cargo::default();
        cargo.value(&outcome.stdout);
        if !cargo.is_empty() {
            let kind = EffectKind::Net { host, direction: NetDirection::Out, carries: cargo.sure };
            run.push(kind);
        }
    }
}

fn stream_host(stream: &Stream) -> Option<String> {
    let Stream::File(path) = stream else { return None };
    path.any.iter().find_map(|text| socket_host(&crate::word::show(text)))
}

fn stream_port(stream: &Stream) -> Option<u16> {
    let Stream::File(path) = stream else { return None };
    let path = path.as_literal()?;
    path.strip_prefix("/dev/tcp/")?.split('/').nth(1)?.parse().ok()
}

/// What a database is told over a bare connection, by the port it listens on and its own words.
fn told(run: &mut Run, port: u16, text: &Value) {
    const WORDS: &[(&[u16], &str, &str)] = &[
        (&[6379, 6380, 7000], "FLUSHALL", "drop-database"),
        (&[6379, 6380, 7000], "FLUSHDB", "drop-database"),
        (&[6379, 6380, 7000], "SHUTDOWN", "drop-database"),
        (&[11211], "FLUSH_ALL", "drop-database"),
    ];
    let plain = |text: &str| text.replace("\\r", " ").replace("\\n", "\n").to_ascii_uppercase();
    let lines: Vec<String> = text.literals().map(plain).collect();
    for (ports, word, operation) in WORDS {
        let says = lines.iter().flat_map(|line| line.split_whitespace()).any(|said| said == *word);
        if ports.contains(&port) && says {
            let (operation, object) = ((*operation).to_owned(), format!("`{word}` to port {port}"));
            run.push(EffectKind::Database { operation, object });
        }
    }
}

pub(super) fn control(run: &mut Run, host: &str) {
    let carries = vec![Carried::Shell];
    run.push(EffectKind::Net { host: host.to_owned(), direction: NetDirection::Out, carries });
}

/// `nc`, `ncat`, `netcat`.
pub(in crate::commands) fn netcat(run: &mut Run) -> Outcome {
    let spec = "e,exec= c,sh-exec= lua-exec= l,listen L k,keep-open C,crlf n,nodns u,udp v,verbose z w,wait= q= i,idle-timeout,delay= \
        p,source-port= s,source= x= proxy= X= P= proxy-auth= proxy-type= O= I= M= m,max-conns= T= V= W= 4 6 d D F h,help N r R S t \
        U,unixsock b broker chat ssl ssl-verify ssl-cert= ssl-key= ssl-trustfile= ssl-alpn= ssl-servername= ssl-ciphers= allow= \
        allowfile= deny= denyfile= o,output= hex-dump= append-output a= g= G= send-only recv-only no-shutdown vsock version sctp telnet";
    let options = read(run.args, spec, Order::Anywhere);
    let host = options.operands.first().filter(|_| !options.has("l")).map(host_of).unwrap_or_default();
    let mut cargo = Cargo::default();
    let programs: Vec<Word> = ["e", "c"].iter().flat_map(|name| options.values(name)).cloned().collect();
    programs.iter().for_each(|program| runs(run, &mut cargo, program));
    // Toybox gives every caller the command that stands behind its options.
    let serves = options.operands.first().filter(|_| options.has("L") || options.has("l"));
    if let Some(program) = serves.filter(|word| word.text.prefix().starts_with('/')).cloned() {
        runs(run, &mut cargo, &program);
    }
    if options.has("lua-exec") {
        cargo.add(Carried::Shell);
    }
    if is_looped(run) {
        cargo.add(Carried::Shell);
    }
    if !options.has("z") && !options.has("recv-only") {
        cargo.stdin(run);
        let port = options.operands.get(1).and_then(|port| port.literal()?.parse().ok());
        if let (Some(port), Some(text)) = (port, run.stdin().cloned()) {
            told(run, port, &text);
        }
    }
    written(run, &options);
    match options.operands.first().cloned() {
        Some(place) if !options.has("l") && !options.has("U") => drop(connect(run, &place, &cargo, false)),
        _ => {
            let word = Word::literal_at("", run.call.span);
            // Whoever calls at an address of this machine only is of this machine.
            let bound = match options.operands.as_slice() {
                [bound, _] => Some(bound),
                _ => options.value("s"),
            };
            let bound =
                bound.filter(|_| options.has("l")).map(host_of).filter(|bound| url::is_this_machine(bound));
            send(run, &word, &bound.unwrap_or(host), cargo, false);
        }
    }
    Outcome::unknown(taint::NET)
}

fn written(run: &mut Run, options: &Options) {
    for file in ["o", "hex-dump"].iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        let body = Value::output(taint::NET);
        run.analyst.write(&file, tollgate_model::WriteMode::Overwrite, Some(&body), run.shell);
    }
}

/// A program whose input and output are the connection.
fn runs(run: &mut Run, cargo: &mut Cargo, program: &Word) {
    let shown = program.shown();
    let is_shell = shown
        .split([' ', '\t', ';', '|', '&', '"', '\''])
        .any(|part| catalogue::is(part.rsplit('/').next().unwrap_or_default(), Tag::Shell));
    let known = program.literal().is_some();
    cargo.add(if is_shell || !known { Carried::Shell } else { Carried::Tunnel(format!("`{shown}`")) });
    if !is_shell {
        interpreters::code(run, &program.value(), program.span);
    }
}

/// Output goes to a file that a shell reads its commands from, and what the shell prints comes back in: a loop
/// through a named pipe.
fn is_looped(run: &Run) -> bool {
    let Stream::File(path) = &run.call.stdout else { return false };
    let Some(path) = path.as_literal() else { return false };
    let effects = run.analyst.searched();
    let is_read = effects
        .iter()
        .any(|effect| matches!(&effect.kind, EffectKind::Read { place, .. } if place.path == path));
    let has_shell =
        effects.iter().any(|effect| matches!(&effect.kind, EffectKind::Exec { program, .. } if catalogue::is(program, Tag::Shell)));
    run.call.stdin.stream == Stream::Pipe && is_read && has_shell
}

/// `telnet host port`.
pub(in crate::commands) fn telnet(run: &mut Run) -> Outcome {
    let options = read(run.args, "4 6 8 E K L a b= c d e= f F k= l= n= r u x X= S=", Order::Anywhere);
    let mut cargo = Cargo::default();
    cargo.stdin(run);
    if is_looped(run) {
        cargo.add(Carried::Shell);
    }
    if let Some(host) = options.operands.first().cloned() {
        connect(run, &host, &cargo, false);
    }
    Outcome::unknown(taint::NET)
}

/// `openssl s_client`.
pub(crate) fn s_client(run: &mut Run) -> Outcome {
    let mut cargo = Cargo::default();
    cargo.stdin(run);
    if is_looped(run) {
        cargo.add(Carried::Shell);
    }
    let pairs = run.args.windows(2);
    let hosts: Vec<Word> = pairs
        .filter_map(|pair| match pair {
            [flag, host]
                if matches!(flag.shown().as_str(), "-connect" | "--connect" | "-host" | "-proxy") =>
            {
                Some(host.clone())
            }
            _ => None,
        })
        .collect();
    for host in &hosts {
        connect(run, host, &cargo, false);
    }
    Outcome::unknown(taint::NET)
}

/// One end of what `socat` joins.
enum End {
    Net(Word),
    Program(Word),
    File(Word),
    Standard,
    Other,
}

/// `socat`: joins two addresses.
pub(in crate::commands) fn socat(run: &mut Run) -> Outcome {
    let mut words = run.args.iter();
    let mut ends = Vec::new();
    while let Some(word) = words.next() {
        let shown = word.shown();
        match shown.as_str() {
            "-t" | "-T" | "-b" | "-L" | "-W" | "-r" | "-R" | "-lf" | "-lp" => drop(words.next()),
            option if option.starts_with('-') && option.len() > 1 => {}
            _ => ends.push(end(word)),
        }
    }
    for file in run.args.iter().filter_map(overwritten).collect::<Vec<_>>() {
        run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
    }
    let mut cargo = Cargo::default();
    for end in &ends {
        match end {
            End::Program(program) => runs(run, &mut cargo, program),
            End::File(file) => cargo.file(run, file, false),
            End::Standard => cargo.stdin(run),
            End::Net(_) | End::Other => {}
        }
    }
    if is_looped(run) {
        cargo.add(Carried::Shell);
    }
    for end in &ends {
        if let End::Net(place) = end {
            connect(run, place, &cargo, false);
        }
    }
    Outcome::unknown(taint::NET)
}

/// What comes in goes out as messages to the address.
pub(in crate::commands) fn websocat(run: &mut Run) -> Outcome {
    let addresses: Vec<Word> = run
        .args
        .iter()
        .filter(|word| word.text.prefix().contains("ws://") || word.text.prefix().contains("wss://"))
        .cloned()
        .collect();
    let mut cargo = Cargo::default();
    cargo.stdin(run);
    for text in read(run.args, "x,execute=", Order::Anywhere).values("x") {
        cargo.word(text, "");
    }
    for address in &addresses {
        connect(run, address, &cargo, false);
    }
    Outcome::unknown(taint::NET)
}

fn end(word: &Word) -> End {
    let prefix = word.text.prefix();
    if prefix == "-" {
        return End::Standard;
    }
    let kind = prefix.split([':', ',']).next().unwrap_or_default().to_ascii_uppercase();
    let value = word.after(':');
    let listens = kind.contains("LISTEN")
        || kind.ends_with("-L")
        || kind.ends_with("RECVFROM")
        || kind.ends_with("RECV");
    let nets = ["TCP", "UDP", "SCTP", "DCCP", "OPENSSL", "SSL", "DTLS", "IP", "SOCKS", "PROXY", "VSOCK"];
    match kind.as_str() {
        "EXEC" | "SYSTEM" | "SHELL" => End::Program(before_comma(&value)),
        "FILE" | "OPEN" | "GOPEN" | "CREATE" | "PIPE" | "FIFO" => End::File(before_comma(&value)),
        "STDIO" | "STDIN" | "FD" => End::Standard,
        _ if listens => End::Net(Word::literal_at("", word.span)),
        _ if nets.iter().any(|net| kind.starts_with(net)) => End::Net(before_comma(&value)),
        _ => End::Other,
    }
}

/// `CREATE:file`, `OPEN:file,trunc`: a file that is written anew.
fn overwritten(word: &Word) -> Option<Word> {
    let shown = word.shown();
    let mut parts = shown.split(',');
    let (kind, _) = parts.next()?.split_once(':')?;
    let cuts = parts.any(|option| matches!(option, "trunc" | "o-trunc" | "truncate=0" | "ftruncate=0"));
    let kind = kind.to_ascii_uppercase();
    let opens = matches!(kind.as_str(), "OPEN" | "GOPEN" | "FILE") && cuts;
    (kind == "CREATE" || kind == "CREAT" || opens).then(|| before_comma(&word.after(':')))
}

fn before_comma(word: &Word) -> Word {
    let text = match word.literal() {
        Some(text) => Text::literal(text.split(',').next().unwrap_or_default()),
        None => word.text.clone(),
    };
    Word { text, ..word.clone() }
}

/// gawk's own network files: `/inet/tcp/0/host/port`.
pub(super) fn inet(run: &mut Run) {
    let program: Vec<String> =
        run.args.iter().map(Word::shown).filter(|text| text.contains("/inet")).collect();
    for text in program {
        let after = text.split("/inet").skip(1);
        for rest in after {
            let mut parts = rest.split('/').skip(1);
            if !matches!(parts.next(), Some("tcp" | "udp")) {
                continue;
            }
            let host = parts.nth(1).map(url::normal_host).unwrap_or_default();
            let tight: String = text.split_whitespace().collect();
            let runs_what_it_hears = tight.contains("|getline")
                || tight.matches("|&getline").count() > 1
                || (tight.contains("getline") && tight.contains("system("));
            let carries = if runs_what_it_hears { vec![Carried::Shell] } else { Vec::new() };
            let kind = EffectKind::Net { host, direction: NetDirection::Out, carries };
            run.analyst.push(kind, run.call.span, Certainty::Certain);
        }
    }
}
