//! Programs that listen and start another program for whoever calls, with the connection as its input and output.

use tollgate_shell::eval::Outcome;

use super::sockets::control;
use crate::catalogue;
use crate::commands::{Run, interpreters, loads};
use crate::options::{Order, read};
use crate::url;
use crate::word::Word;
use tollgate_catalogue::Tag;

/// Each with its options, the words before the command, and where the address stands: an option, or one of the words.
const ACTIVATORS: &[(&str, &str, usize, Result<&str, usize>)] = &[
    (
        "systemd-socket-activate",
        "l,listen= a,accept d,datagram seqpacket E,setenv= fdname= inetd now h,help version",
        0,
        Ok("l"),
    ),
    ("tcpserver", TCPSERVER, 2, Err(0)),
    ("sslserver", TCPSERVER, 2, Err(0)),
    ("tcpsvd", TCPSVD, 2, Err(0)),
    ("udpsvd", TCPSVD, 2, Err(0)),
    ("sslsvd", TCPSVD, 2, Err(0)),
    ("ipsvd-tcp", TCPSVD, 2, Err(0)),
    ("s6-tcpserver", S6, 2, Err(0)),
    ("s6-tcpserver4", S6, 2, Err(0)),
    ("s6-tcpserver6", S6, 2, Err(0)),
    ("s6-tlsserver", S6, 2, Err(0)),
    ("faucet", "", 1, Err(9)),
    ("hose", "", 2, Err(0)),
    (
        "websocketd",
        "port= address= sameorigin= origin= dir= staticdir= cgidir= ssl sslcert= sslkey= redirport= passenv= \
         reverselookup= devconsole header= header-ws= header-http= binary= closems= loglevel= maxforks= license version",
        0,
        Ok("address"),
    ),
];

const TCPSERVER: &str =
    "1 b= B= c= d D g= h H i= l= o O p P q Q r R t= u= U v x= X 3 4 6 n= a= A= C= k= e E s S w= y=";
const TCPSVD: &str = "h E v p c= C= b= u= l= i= x= t= 4 6 U= / K= Z= r= T=";
const S6: &str = "q Q v d D 1 c= C= b= g= u= G= U t= h H r R p P 4 6 e E s S y Y k= K= w= W= Z z j J";

/// `tcpserver 0 4444 bash`.
pub(in crate::commands) fn activator(run: &mut Run) -> Outcome {
    let Some((_, spec, before, address)) = ACTIVATORS.iter().find(|(name, ..)| *name == run.program) else {
        return run.derived();
    };
    let options = read(run.args, spec, Order::First);
    let address = match address {
        Ok(name) => options.value(name).cloned(),
        Err(at) => options.operands.get(*at).cloned(),
    };
    // Some have options of their own behind the address.
    let behind = options.operands.iter().skip(*before);
    let command: Vec<Word> = match before {
        0 => behind.cloned().collect(),
        _ => behind.skip_while(|word| word.text.prefix().starts_with("--")).cloned().collect(),
    };
    serve(run, address.as_ref(), &command)
}

/// A command that whoever calls at the address talks to.
pub(in crate::commands) fn serve(run: &mut Run, address: Option<&Word>, command: &[Word]) -> Outcome {
    if command.is_empty() {
        return run.derived();
    }
    if starts_shell(command) {
        let address = address.map(Word::shown).unwrap_or_default();
        let host = address.rsplit_once(':').map_or(address.as_str(), |(host, _)| host);
        control(run, if url::is_this_machine(host) { host } else { "" });
    }
    run.inner(command)
}

/// Is it a shell that waits for commands, rather than one that is given some?
fn starts_shell(command: &[Word]) -> bool {
    let is_shell =
        |word: &&Word| catalogue::is(word.shown().rsplit('/').next().unwrap_or_default(), Tag::Shell);
    let Some(at) = command.iter().rposition(|word| is_shell(&word)) else { return false };
    let rest: Vec<String> = command.iter().skip(at + 1).map(Word::shown).collect();
    rest.iter().all(|word| word.starts_with('-') && !word.ends_with('c'))
}

/// `telnetd -l program` is what whoever calls gets instead of a login.
pub(in crate::commands) fn telnetd(run: &mut Run) -> Outcome {
    let options = read(run.args, "l= p= b= f= F i K S w= h", Order::Anywhere);
    let address = options.value("b").cloned();
    match options.value("l").cloned() {
        Some(program) => serve(run, address.as_ref(), &[program]),
        None => run.derived(),
    }
}

/// `inetd file`, `xinetd -f file`: what the file says is started for whoever calls.
pub(in crate::commands) fn inetd(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "d f,F? e i l q= R= E a= filelog= syslog= syslog_id= pidfile= dontfork stayalive limit= logprocs= \
        version inetd_compat cc=",
        Order::Anywhere,
    );
    let named = run.args.windows(2).filter(|pair| pair.first().is_some_and(|flag| flag.is("-f")));
    let files: Vec<Word> = named.filter_map(|pair| pair.get(1)).chain(&options.operands).cloned().collect();
    for file in files {
        loads::load(run, &file);
        let Some(text) = run.analyst.script(&file, run.shell) else { continue };
        for line in text.literals().flat_map(str::lines).take(512).map(str::to_owned).collect::<Vec<_>>() {
            started(run, &line, &file);
        }
    }
    run.derived()
}

/// One line of such a file: `port stream tcp nowait user program words`, or `server = program`.
fn started(run: &mut Run, line: &str, file: &Word) {
    let line = line.trim();
    let command = match line.split_once('=') {
        Some((key, value)) if key.trim().ends_with("server") => {
            value.trim_matches([' ', '\t', '}']).to_owned()
        }
        _ if line.starts_with('#') => return,
        _ => line.split_whitespace().skip(5).collect::<Vec<_>>().join(" "),
    };
    let words: Vec<Word> = command.split_whitespace().map(|word| Word::literal_at(word, file.span)).collect();
    let Some((program, rest)) = words.split_first() else { return };
    // The name that the program is called by comes first.
    let mut started = vec![program.clone()];
    started.extend(rest.iter().skip(1).cloned());
    if starts_shell(&started) {
        control(run, "");
    } else {
        interpreters::joined(run, &started);
    }
}
