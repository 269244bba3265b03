//! Programs that ask one address many times over, to see how it holds: what they send is sent.

use tollgate_shell::eval::Outcome;

use super::super::Run;
use super::address::{connect, host_of};
use super::cargo::Cargo;
use crate::options::{Order, read};
use crate::word::Word;

/// Each one's options, those that name a file to send, and those that are sent themselves.
const PROGRAMS: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "ab",
        "n= c= t= s= b= B= p= u= T= v= w i x= y= z= C= H= A= P= X= V k d S q l g= e= r m= h E= I f= Z=",
        &["p", "u"],
        &["C", "H", "A"],
    ),
    (
        "hey",
        "n= q= c= z= o= m= H= t= A= d= D= T= a= U= x= h2 host= disable-compression disable-keepalive disable-redirects cpus=",
        &["D"],
        &["d", "H", "a"],
    ),
    (
        "oha",
        "n= c= p= q= z= m,method= H= t,timeout= A= d= D= T= a= w,wait-ongoing-requests-after-deadline no-tui j,json o,output= \
         host= disable-compression disable-keepalive insecure unix-socket= body-path=",
        &["D", "body-path"],
        &["d", "H", "a"],
    ),
    (
        "h2load",
        "n,requests= c,clients= t,threads= i,input-file= m,max-concurrent-streams= f,max-frame-size= w,window-bits= \
         W,connection-window-bits= H,header= ciphers= p,no-tls-proto= d,data= r,rate= rate-period= D,duration= warm-up-time= \
         T,connection-active-timeout= N,connection-inactivity-timeout= timing-script-file= B,base-uri= npn-list= h1 \
         header-table-size= encoder-header-table-size= log-file= qlog-file-base= connect-to= rps= v,verbose",
        &["d"],
        &["H"],
    ),
    (
        "bombardier",
        "c,connections= n,requests= d,duration= m,method= b,body= f,body-file= s,stream cert= key= k,insecure H,header= \
         t,timeout= l,latencies r,rate= fasthttp http1 http2 p,print= q,no-print o,format=",
        &["f"],
        &["b", "H"],
    ),
    (
        "vegeta",
        "attack body= header= targets= rate= duration= output= timeout= workers= insecure",
        &["body"],
        &["header"],
    ),
];

pub(in crate::commands) fn measure(run: &mut Run) -> Outcome {
    let Some((_, spec, files, texts)) = PROGRAMS.iter().find(|(name, ..)| *name == run.program) else {
        return run.derived();
    };
    // Go's own flags are long with one dash.
    let args: Vec<Word> = run.args.iter().map(doubled).collect();
    let options = read(if run.program == "vegeta" { &args } else { run.args }, spec, Order::Anywhere);
    let is_address = |word: &&Word| word.text.prefix().contains("://") || word.text.prefix().contains('.');
    let address = options.operands.iter().rev().find(is_address).cloned();
    let address = address.unwrap_or_else(|| Word::literal_at("", run.call.span));
    let host = host_of(&address);
    let mut cargo = Cargo::default();
    for file in files.iter().flat_map(|name| options.values(name)).cloned().collect::<Vec<_>>() {
        cargo.file(run, &file, false);
    }
    for text in texts.iter().flat_map(|name| options.values(name)) {
        cargo.word(text, &host);
    }
    connect(run, &address, &cargo, false);
    run.derived()
}

fn doubled(word: &Word) -> Word {
    let text = word.text.prefix();
    if text.len() < 3 || !text.starts_with('-') || text.starts_with("--") {
        return word.clone();
    }
    let mut long = tollgate_shell::value::Text::literal("-");
    long.append(&word.text);
    Word { text: long, ..word.clone() }
}
