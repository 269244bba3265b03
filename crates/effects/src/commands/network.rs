//! Programs that talk to the network.

use tollgate_model::{Certainty, EffectKind, NetDirection, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::{Commands, Run};
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(super) const COMMANDS: Commands = &[
    ("curl", curl),
    ("wget", wget),
    ("wget2", wget),
    ("aria2c", fetch),
    ("axel", fetch),
    ("http", fetch),
    ("https", fetch),
    ("xh", fetch),
    ("lynx", fetch),
    ("links", fetch),
    ("w3m", fetch),
    ("elinks", fetch),
    ("fetch", fetch),
    ("ftp", fetch),
    ("lftp", fetch),
    ("dig", fetch),
    ("drill", fetch),
    ("nslookup", fetch),
    ("host", fetch),
    ("nc", fetch),
    ("ncat", fetch),
    ("netcat", fetch),
    ("socat", fetch),
    ("telnet", fetch),
];

fn curl(run: &mut Run) -> Outcome {
    let spec = "a,append A,user-agent= b,cookie= c,cookie-jar= C,continue-at= d,data= data-ascii= data-binary= data-raw= \
        data-urlencode= json= D,dump-header= e,referer= E,cert= cacert= capath= f,fail fail-with-body F,form= form-string= \
        g,globoff G,get H,header= i,include I,head j,junk-session-cookies J,remote-header-name k,insecure K,config= \
        key= L,location location-trusted l,list-only limit-rate= m,max-time= connect-timeout= M,manual n,netrc \
        netrc-file= N,no-buffer o,output= output-dir= O,remote-name remote-name-all p,proxytunnel P,ftp-port= \
        q,disable Q,quote= r,range= R,remote-time s,silent S,show-error T,upload-file= t,telnet-option= u,user= \
        U,proxy-user= url= v,verbose V,version w,write-out= x,proxy= X,request= y,speed-time= Y,speed-limit= \
        z,time-cond= Z,parallel 0 1 2 3 4 6 noproxy= resolve= connect-to= retry= retry-delay= retry-max-time= \
        retry-connrefused retry-all-errors compressed create-dirs tlsv1.2 tlsv1.3 proto= proto-default= max-redirs= \
        oauth2-bearer= aws-sigv4= unix-socket= interface= ciphers= no-progress-meter progress-bar trace= \
        trace-ascii= stderr= cert-type= pass= pinnedpubkey= ssl-reqd keepalive-time= path-as-is http1.1 http2 \
        no-keepalive etag-save= etag-compare= # :,next";
    let options = read(run.args, spec, Order::Anywhere);
    let sends = uploads(run, &options);
    let urls: Vec<Word> = options.operands.iter().chain(options.values("url")).cloned().collect();
    connect(run, &urls, sends);
    let body = Value::output(taint::NET);
    for file in options.values("o").cloned().collect::<Vec<_>>() {
        run.analyst.write(&file, WriteMode::Overwrite, Some(&body), run.shell);
    }
    if options.has("O") || options.has("remote-name-all") {
        for url in &urls {
            let name = Word::literal_at(remote_name(&url.shown()), url.span);
            run.analyst.write(&name, WriteMode::Overwrite, Some(&body), run.shell);
        }
    }
    let to_file = options.has("o") || options.has("O") || options.has("I");
    if to_file { Outcome::silent(Status::Either) } else { Outcome::unknown(taint::NET) }
}

/// Files that `curl` sends, by the options that take them.
fn uploads(run: &mut Run, options: &Options) -> Vec<String> {
    let mut sent = Vec::new();
    let at = ["d", "data-ascii", "data-binary", "data-urlencode", "json"]
        .into_iter()
        .flat_map(|name| options.values(name));
    let mut files: Vec<Word> =
        at.filter(|word| word.text.prefix().starts_with('@')).map(|word| word.from(1)).collect();
    for form in options.values("F") {
        let prefix = form.text.prefix();
        if prefix.contains("=@") || prefix.contains("=<") {
            let value = form.after('=');
            let whole = value.from(1);
            let cut = whole
                .literal()
                .and_then(|text| text.split(';').next())
                .map(|text| Word::literal_at(text, form.span));
            files.push(cut.unwrap_or(whole));
        }
    }
    files.extend(options.values("T").cloned());
    for file in files.iter().filter(|file| !file.is("-") && !file.is(".")) {
        run.read(file, false);
        sent.push(file.shown());
    }
    sent
}

fn wget(run: &mut Run) -> Outcome {
    let spec = "V,version h,help b,background e,execute= o,output-file= a,append-output= d,debug q,quiet v,verbose \
        nv,no-verbose i,input-file= F,force-html B,base= config= t,tries= O,output-document= nc,no-clobber c,continue \
        N,timestamping S,server-response spider T,timeout= w,wait= Q,quota= limit-rate= P,directory-prefix= \
        nd,no-directories x,force-directories nH,no-host-directories user= password= header= U,user-agent= \
        referer= post-data= post-file= body-data= body-file= method= no-check-certificate certificate= private-key= \
        r,recursive l,level= k,convert-links m,mirror p,page-requisites A,accept= R,reject= D,domains= I= X= np,no-parent \
        load-cookies= save-cookies= max-redirect= content-disposition use-askpass= show-progress progress= 4 6 K E H L \
        retry-connrefused waitretry= read-timeout= connect-timeout= dns-timeout= ca-certificate= secure-protocol= https-only";
    let options = read(run.args, spec, Order::Anywhere);
    let mut sent = Vec::new();
    for file in options.values("post-file").chain(options.values("body-file")).cloned().collect::<Vec<_>>() {
        run.read(&file, false);
        sent.push(file.shown());
    }
    connect(run, &options.operands, sent);
    let body = Value::output(taint::NET);
    match options.value("O").cloned() {
        Some(file) if file.is("-") => return Outcome::unknown(taint::NET),
        Some(file) => run.analyst.write(&file, WriteMode::Overwrite, Some(&body), run.shell),
        None if options.has("spider") => {}
        None => {
            for url in &options.operands {
                let folder =
                    options.value("P").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
                let name = Word::literal_at(&format!("{folder}{}", remote_name(&url.shown())), url.span);
                run.analyst.write(&name, WriteMode::Overwrite, Some(&body), run.shell);
            }
        }
    }
    Outcome::silent(Status::Either)
}

/// Programs of which only this is known: what they print comes from the network.
fn fetch(run: &mut Run) -> Outcome {
    let urls: Vec<Word> =
        run.args.iter().filter(|word| !word.shown().starts_with('-')).take(2).cloned().collect();
    connect(run, &urls, Vec::new());
    Outcome::unknown(taint::NET)
}

fn connect(run: &mut Run, urls: &[Word], carries: Vec<String>) {
    let direction = if carries.is_empty() { NetDirection::In } else { NetDirection::Out };
    for url in urls {
        if let Some(path) = url.text.prefix().strip_prefix("file://") {
            let skip = url.text.prefix().len() - path.len();
            run.read(&url.from(skip), false);
            continue;
        }
        let certainty = if url.literal().is_some() { Certainty::Certain } else { Certainty::Possible };
        let kind =
            EffectKind::Net { host: host(&url.shown()).to_owned(), direction, carries: carries.clone() };
        run.analyst.push(kind, url.span, certainty);
    }
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default()
}

fn remote_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = path.split_once("://").map_or(path, |(_, rest)| rest).rsplit('/').next().unwrap_or_default();
    if name.is_empty() || !path.contains('/') { "index.html" } else { name }
}
