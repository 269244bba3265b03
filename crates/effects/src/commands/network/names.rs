//! Programs that look names up or knock at hosts. The name itself is the message: it reaches whoever owns the
//! domain.

use tollgate_catalogue::{Role, Slot, Tag};
use tollgate_shell::eval::Outcome;

use super::super::Run;
use super::address::{connect, look_up, name_of, send};
use super::cargo::{Cargo, is_strange};
use crate::analyst::taint;
use crate::catalogue;
use crate::options::{Order, read};
use crate::word::Word;

/// `dig`, `drill`, `kdig`, `delv`: names, types, `@server` and `+options` in any order.
pub(in crate::commands) fn dig(run: &mut Run) -> Outcome {
    let options = read(run.args, "b= c= f= k= p= q= t= x= y= 4 6 i m r u v h", Order::Anywhere);
    let mut cargo = Cargo::default();
    for file in options.values("f").cloned().collect::<Vec<_>>() {
        cargo.file(run, &file, false);
    }
    for word in options.operands.iter().chain(options.values("q")) {
        let prefix = word.text.prefix();
        if prefix.starts_with('+') || is_record_type(prefix) {
            continue;
        }
        if prefix.starts_with('@') {
            connect(run, &word.from(1), &cargo, false);
        } else {
            look_up(run, word);
        }
    }
    Outcome::unknown(taint::NET)
}

fn is_record_type(text: &str) -> bool {
    let types = [
        "A", "AAAA", "ANY", "TXT", "MX", "NS", "SOA", "SRV", "CNAME", "PTR", "CAA", "DS", "DNSKEY", "AXFR",
        "IN", "CH",
    ];
    types.iter().any(|known| text.eq_ignore_ascii_case(known))
}

/// `nslookup`, `host`, `ping`, `traceroute` and their like.
pub(in crate::commands) fn knock(run: &mut Run) -> Outcome {
    let spec = match run.program {
        "host" => "a A C d i l n r s T U v V w 4 6 c= m= N= R= t= W= p=",
        "ping" | "ping6" | "arping" => {
            "a A b B d D f h L n O q r R U v V 4 6 c= e= F= i= I= l= m= M= N= p= P= Q= s= S= t= T= w= W= count= interval= timeout="
        }
        "hping3" | "fping" | "nping" => {
            "c= i= I= d= E= e= p= s= t= S 1 2 8 9 data= data-string= data-length= file= C= b= B= H= O= q a g u f="
        }
        "nslookup" => "query= type= q= port= timeout= debug",
        _ => {
            "4 6 b c= C= e d F f= g= I i= l= m= M= n N= p= P= q= r s= t= T U w= z= report report-wide json csv raw no-dns show-ips a= A B D E V v S tcp= udp icmp"
        }
    };
    let options = read(run.args, spec, Order::Anywhere);
    for name in ["file", "E"] {
        for file in options.values(name).cloned().collect::<Vec<_>>() {
            let mut cargo = Cargo::default();
            cargo.file(run, &file, false);
            let host = options.operands.last().map(super::address::host_of).unwrap_or_default();
            send(run, &file, &host, cargo, true);
        }
    }
    let payload: Vec<Word> =
        ["p", "data", "data-string", "e"].iter().flat_map(|name| options.values(name)).cloned().collect();
    let mut cargo = Cargo::default();
    payload.iter().for_each(|word| cargo.value(&word.value()));
    for word in &options.operands {
        look_up(run, word);
        if !cargo.is_empty() {
            send(run, word, &super::address::host_of(word), cargo.clone(), true);
        }
    }
    Outcome::unknown(taint::NET)
}

/// Names among other words: verbs, and options that take a name.
pub(in crate::commands) fn resolve(run: &mut Run) -> Outcome {
    let dotted = |word: &&Word| word.text.suffix().contains('.') && !word.text.prefix().starts_with('-');
    for word in run.args.iter().filter(dotted).cloned().collect::<Vec<_>>() {
        look_up(run, &word);
    }
    Outcome::unknown(taint::NET)
}

/// Programs that fetch from the addresses they are given tell the owners of the names as well.
pub(super) fn asked(run: &mut Run) {
    hosts(run);
    if !catalogue::is(run.program, Tag::FetchesAddresses) {
        return;
    }
    for word in run.args {
        let prefix = word.text.prefix();
        let start = prefix
            .find("://")
            .map(|at| prefix.get(..at).and_then(|text| text.rfind('=')).map_or(0, |at| at + 1));
        let Some(start) = start.filter(|_| word.text.has_holes()) else { continue };
        let address = word.from(start);
        if address.text.prefix().starts_with(|c: char| c.is_ascii_alphabetic()) {
            let (host, mut cargo) = name_of(&address);
            if is_strange(&address.text, &host, true) {
                cargo.maybe.push(tollgate_model::Carried::Secret);
            }
            if !cargo.is_empty() {
                send(run, &address, &host, cargo, false);
            }
        }
    }
}

/// Programs that look up the host that an option names, or every operand.
fn hosts(run: &mut Run) {
    let way = catalogue::uses(run.program).iter().find(|way| way.role == Role::LooksUp);
    let Some(way) = way else { return };
    let options = if let Slot::Options(options) = way.slot { options } else { &[] };
    for (at, word) in run.args.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| run.args.get(at)).map(Word::shown).unwrap_or_default();
        let named =
            options.contains(&before.as_str()) || options.is_empty() && !word.text.prefix().starts_with('-');
        if named && word.text.has_holes() {
            look_up(run, &word.clone());
        }
    }
}

/// `whois`: the whole query goes to the server.
pub(in crate::commands) fn whois(run: &mut Run) -> Outcome {
    let options = read(
        run.args,
        "h,host= p,port= H a A b B c d F g G i= I l L m M Q R r s= S= T= v V= x q= t= w=",
        Order::Anywhere,
    );
    let server = options.value("h").cloned();
    let mut cargo = Cargo::default();
    for word in &options.operands {
        look_up(run, word);
        match &server {
            Some(server) => cargo.word(word, &super::address::host_of(server)),
            None => cargo.value(&word.value()),
        }
    }
    if let Some(server) = server {
        connect(run, &server, &cargo, false);
    }
    Outcome::unknown(taint::NET)
}
