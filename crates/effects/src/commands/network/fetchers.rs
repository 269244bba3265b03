//! Programs other than `curl` that fetch and send by address: wget, HTTPie, aria2, text browsers.

use tollgate_model::{EffectKind, InfraTool, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::Value;

use super::super::{Run, interpreters};
use super::address::{connect, host_of};
use super::cargo::Cargo;
use super::request::{self, Request};
use super::{is_stdout, remote_name};
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::word::Word;

pub(in crate::commands) fn wget(run: &mut Run) -> Outcome {
    let spec = "V,version h,help b,background e,execute= o,output-file= a,append-output= d,debug q,quiet v,verbose \
        no-verbose i,input-file= F,force-html B,base= config= t,tries= O,output-document= no-clobber c,continue \
        N,timestamping S,server-response spider T,timeout= w,wait= Q,quota= limit-rate= P,directory-prefix= \
        no-directories x,force-directories no-host-directories cut-dirs= user= password= http-user= http-password= \
        ftp-user= ftp-password= header= U,user-agent= referer= post-data= post-file= body-data= body-file= method= \
        no-check-certificate certificate= certificate-type= private-key= ca-directory= r,recursive l,level= k,convert-links \
        m,mirror p,page-requisites A,accept= R,reject= accept-regex= reject-regex= D,domains= exclude-domains= I,include-directories= \
        X,exclude-directories= no-parent load-cookies= save-cookies= max-redirect= content-disposition use-askpass= ask-password \
        show-progress progress= 4,inet4-only 6,inet6-only K,backup-converted E,adjust-extension H,span-hosts L,relative \
        retry-connrefused retry-on-http-error= waitretry= random-wait read-timeout= connect-timeout= dns-timeout= bind-address= \
        prefer-family= ca-certificate= crl-file= secure-protocol= ciphers= https-only no-proxy no-cache no-cookies no-hsts \
        hsts-file= trust-server-names auth-no-challenge restrict-file-names= local-encoding= remote-encoding= compression= n= \
    backups= content-on-error convert-file-only default-page= delete-after follow-ftp follow-tags= ftps-clear-data-connection ftps-fallback-to-ftp ftps-implicit ftps-resume-ssl ignore-case ignore-length \
    ignore-tags= keep-session-cookies no-config no-dns-cache no-glob no-http-keep-alive no-if-modified-since no-iri no-netrc no-passive-ftp no-remove-listing no-use-server-timestamps no-warc-compression \
    no-warc-digests no-warc-keep-log pinnedpubkey= preserve-permissions private-key-type= protocol-directories proxy-password= proxy-user= regex-type= rejected-log= report-speed= retr-symlinks save-headers start-pos= strict-comments unlink warc-cdx warc-dedup= warc-file= warc-header= warc-max-size= warc-tempdir= xattr";
    let options = read(run.args, spec, Order::Anywhere);
    if options.has("V") || options.has("h") {
        return run.derived();
    }
    let urls = options.operands.clone();
    let host = urls.first().map(host_of).unwrap_or_default();
    let mut cargo = Cargo::default();
    for file in both(&options, "post-file", "body-file") {
        cargo.file(run, &file, false);
    }
    for word in both(&options, "post-data", "body-data") {
        cargo.word(&word, &host);
    }
    options.values("header").for_each(|word| cargo.credential(word, &host));
    both(&options, "U", "referer").iter().for_each(|word| cargo.word(word, &host));
    let settings = settings(run, &options);
    for (name, value) in &settings {
        match name.as_str() {
            "postfile" | "bodyfile" => cargo.file(run, value, false),
            "postdata" | "bodydata" | "useragent" | "referer" => cargo.word(value, &host),
            "header" => cargo.credential(value, &host),
            _ => {}
        }
    }
    helpers(run, &options, &settings);
    let method = options.value("method").map(Word::shown).unwrap_or_default();
    let proven = options.has("user")
        || options.values("header").any(|word| word.text.prefix().to_ascii_lowercase().contains("auth"));
    let body =
        both(&options, "post-data", "body-data").iter().map(Word::shown).collect::<Vec<_>>().join("\n");
    let request = Request { method, proven, body, ..Request::default() };
    let sends = !both(&options, "post-data", "body-data").is_empty();
    for url in &urls {
        connect(run, url, &cargo, sends);
        request::judge(run, url, &request);
    }
    let trusting = |word: &Word| word.is("--no-check-certificate") || word.is("--check-certificate=off");
    if run.args.iter().any(trusting) {
        super::curl::unchecked(run, &urls);
    }
    wget_files(run, &options, &urls)
}

/// What wget is told by `-e` and by files of settings: names as it compares them, with their values.
fn settings(run: &mut Run, options: &Options) -> Vec<(String, Word)> {
    let mut lines: Vec<Word> = options.values("e").cloned().collect();
    let mut files: Vec<Word> = options.values("config").cloned().collect();
    let named = run.variable("WGETRC").and_then(|file| file.as_literal().map(str::to_owned));
    files.extend(named.map(|file| Word::literal_at(&file, run.call.span)));
    for file in files {
        let text = run.analyst.script(&file, run.shell).and_then(|text| text.as_literal().map(str::to_owned));
        let written =
            text.iter().flat_map(|text| text.lines()).filter(|line| !line.trim_start().starts_with('#'));
        lines.extend(written.map(|line| Word::literal_at(line, file.span)));
    }
    let setting = |line: &Word| {
        let shown = line.shown();
        let name = shown.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        let value = line.after('=');
        let start = value.text.prefix().len() - value.text.prefix().trim_start().len();
        (name.replace(['_', '-'], ""), value.from(start))
    };
    lines.iter().map(setting).collect()
}

/// Programs that wget runs, and files it reads and writes besides.
fn helpers(run: &mut Run, options: &Options, settings: &[(String, Word)]) {
    if let Some(program) = options.value("use-askpass").cloned() {
        run.inner(&[program]);
    }
    for (name, value) in settings {
        match name.as_str() {
            "useaskpass" => drop(run.inner(std::slice::from_ref(value))),
            "outputdocument" | "logfile" => {
                run.analyst.write(value, WriteMode::Overwrite, Some(&Value::output(taint::NET)), run.shell)
            }
            "input" => drop(run.read(value, false)),
            _ => {}
        }
    }
    for name in ["i", "load-cookies", "config"] {
        for file in options.values(name).filter(|file| !file.is("-")).cloned().collect::<Vec<_>>() {
            run.read(&file, false);
        }
    }
    for name in ["o", "a", "save-cookies", "hsts-file", "rejected-log"] {
        for file in options.values(name).filter(|file| !is_stdout(file)).cloned().collect::<Vec<_>>() {
            let mode =
                if matches!(name, "o" | "rejected-log") { WriteMode::Overwrite } else { WriteMode::Append };
            let told = Value::output(tollgate_shell::value::Taint::NONE);
            run.analyst.write(&file, mode, (name == "o").then_some(&told), run.shell);
        }
    }
}

fn wget_files(run: &mut Run, options: &Options, urls: &[Word]) -> Outcome {
    let body = Value::output(taint::NET);
    match options.value("O").cloned() {
        Some(file) if is_stdout(&file) => return Outcome::unknown(taint::NET),
        Some(file) => run.analyst.write(&file, WriteMode::Overwrite, Some(&body), run.shell),
        None if options.has("spider") => {}
        None => {
            let folder = options.value("P").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
            for url in urls {
                let name = Word::literal_at(&format!("{folder}{}", remote_name(&url.shown())), url.span);
                run.analyst.write(&name, WriteMode::Overwrite, Some(&body), run.shell);
            }
        }
    }
    Outcome::silent(Status::Either)
}

fn both(options: &Options, one: &'static str, other: &'static str) -> Vec<Word> {
    options.values(one).chain(options.values(other)).cloned().collect()
}

/// HTTPie, xh and curlie: a method, an address, then items, some of which are files.
pub(in crate::commands) fn httpie(run: &mut Run) -> Outcome {
    let spec = "j,json f,form multipart boundary= raw= x,compress pretty= s,style= unsorted sorted response-charset= response-mime= \
        format-options= p,print= h,headers m,meta b,body v,verbose all P,history-print= S,stream o,output= d,download c,continue q,quiet \
        session= session-read-only= a,auth= A,auth-type= bearer= ignore-netrc offline proxy= F,follow max-redirects= max-headers= timeout= \
        check-status path-as-is chunked verify= ssl= ciphers= cert= cert-key= cert-key-pass= I,ignore-stdin default-scheme= debug help version";
    let options = read(run.args, spec, Order::Anywhere);
    let mut items = options.operands.iter().peekable();
    let is_method = |word: &&&Word| {
        let known = ["get", "head", "post", "put", "patch", "delete", "options"];
        word.literal().is_some_and(|text| {
            let upper = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase());
            upper || known.contains(&text.to_ascii_lowercase().as_str())
        })
    };
    let method = items.next_if(|word| is_method(&word)).map(Word::shown).unwrap_or_default();
    let Some(url) = items.next().cloned() else { return run.derived() };
    let items: Vec<Word> = items.cloned().collect();
    let host = host_of(&url);
    let mut cargo = Cargo::default();
    for item in &items {
        httpie_item(run, &mut cargo, item, &host);
    }
    options.values("raw").for_each(|word| cargo.word(word, &host));
    if !options.has("I")
        && matches!(
            run.call.stdin.stream,
            tollgate_shell::eval::Stream::Pipe | tollgate_shell::eval::Stream::File(_)
        )
    {
        cargo.stdin(run);
    }
    let is_header = |word: &Word| {
        word.text.prefix().split_once(':').is_some_and(|(name, _)| name.to_ascii_lowercase().contains("auth"))
    };
    let proven = options.has("a") || options.has("bearer") || items.iter().any(is_header);
    let body = items.iter().map(Word::shown).collect::<Vec<_>>().join("\n");
    let sends = !items.is_empty() || matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
    connect(run, &url, &cargo, sends);
    request::judge(run, &url, &Request { method, proven, body, ..Request::default() });
    let content = Value::output(taint::NET);
    match options.value("o").cloned() {
        Some(file) => run.analyst.write(&file, WriteMode::Overwrite, Some(&content), run.shell),
        None if options.has("d") => {
            let name = Word::literal_at(remote_name(&url.shown()), url.span);
            run.analyst.write(&name, WriteMode::Overwrite, Some(&content), run.shell);
        }
        None => return Outcome::unknown(taint::NET),
    }
    Outcome::silent(Status::Either)
}

/// One item: `@file`, `name@file`, `name=@file`, `name:=@file`, `Header:value`, `name=value`.
fn httpie_item(run: &mut Run, cargo: &mut Cargo, item: &Word, host: &str) {
    let prefix = item.text.prefix();
    let Some(at) = prefix.find(['@', '=', ':']) else { return cargo.word(item, host) };
    let rest = prefix.get(at..).unwrap_or_default();
    let mark = rest.len() - rest.trim_start_matches(['=', ':', '@']).len();
    if rest.get(..mark).is_some_and(|mark| mark.ends_with('@')) {
        let file = item.from(at + mark);
        let cut = file.literal().and_then(|text| text.split(";type=").next()).map(str::to_owned);
        let file = cut.map_or(file, |text| Word::literal_at(&text, item.span));
        return cargo.file(run, &file, false);
    }
    if rest.starts_with(':') && !rest.starts_with(":=") {
        cargo.credential(item, host)
    } else {
        cargo.word(item, host)
    }
}

pub(in crate::commands) fn aria2(run: &mut Run) -> Outcome {
    let spec = "d,dir= o,out= i,input-file= l,log= x,max-connection-per-server= s,split= k,min-split-size= j,max-concurrent-downloads= c,continue? \
        header= q,quiet? Z,force-sequential? V,check-integrity? D,daemon? n,no-netrc? S,show-files? T,torrent-file= M,metalink-file= \
        on-download-complete= on-download-start= on-download-error= on-download-stop= on-download-pause= on-bt-download-complete= \
        load-cookies= save-session= conf-path= checksum= user-agent= U= all-proxy= allow-overwrite= auto-file-renaming= \
        max-tries= m= retry-wait= timeout= t= seed-time= follow-torrent= file-allocation= a= console-log-level= summary-interval= h,help? v,version";
    let options = read(run.args, spec, Order::Anywhere);
    let hooks = ["start", "complete", "error", "stop", "pause"].map(|when| format!("on-download-{when}"));
    for file in options.values("conf-path").cloned().collect::<Vec<_>>() {
        run.read(&file, false);
        let text = run.analyst.script(&file, run.shell);
        let text = text.as_ref().and_then(Value::as_literal).unwrap_or_default();
        let set = text.lines().filter_map(|line| line.trim().split_once('='));
        for (_, program) in set.filter(|(name, _)| name.starts_with("on-")) {
            run.inner(&[Word::literal_at(program, file.span)]);
        }
    }
    for hook in hooks.iter().map(String::as_str).chain(["on-bt-download-complete"]) {
        for program in options.values(hook).cloned().collect::<Vec<_>>() {
            run.inner(&[program]);
        }
    }
    let body = Value::output(taint::NET);
    for file in options.values("i").cloned().collect::<Vec<_>>() {
        aria2_list(run, &file, &body);
    }
    let folder = options.value("d").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
    for url in &options.operands {
        let (mut cargo, host) = (Cargo::default(), host_of(url));
        options.values("header").for_each(|word| cargo.credential(word, &host));
        both(&options, "U", "user-agent").iter().for_each(|word| cargo.word(word, &host));
        connect(run, url, &cargo, false);
        let name = options.value("o").map_or_else(|| remote_name(&url.shown()).to_owned(), Word::shown);
        run.analyst.write(
            &Word::literal_at(&format!("{folder}{name}"), url.span),
            WriteMode::Overwrite,
            Some(&body),
            run.shell,
        );
    }
    Outcome::silent(Status::Either)
}

/// A list of addresses, each with lines of options for it that are set in.
fn aria2_list(run: &mut Run, list: &Word, body: &Value) {
    let content = if list.is("-") { run.stdin().cloned() } else { Some(run.read(list, false)) };
    let written = if list.is("-") { None } else { run.analyst.script(list, run.shell) };
    let Some(text) = written.or(content) else { return };
    let mut cargo = Cargo::default();
    if list.is("-") {
        cargo.stdin(run);
    }
    let lines: Vec<String> = text.literals().flat_map(str::lines).map(str::to_owned).collect();
    let lines = run.first(lines, 1000, "addresses in the list");
    let (mut folder, mut name) = (String::new(), String::new());
    for line in lines.iter().rev() {
        let set = line.strip_prefix([' ', '\t']).map(str::trim_start);
        match set.and_then(|set| set.split_once('=')) {
            Some(("dir", value)) => folder = format!("{}/", value.trim_end_matches('/')),
            Some(("out", value)) => value.clone_into(&mut name),
            Some(_) => {}
            None if line.contains("://") => {
                let url = Word::literal_at(line.split('\t').next().unwrap_or_default(), list.span);
                connect(run, &url, &cargo, false);
                let name = if name.is_empty() {
                    remote_name(&url.shown()).to_owned()
                } else {
                    std::mem::take(&mut name)
                };
                let file = Word::literal_at(&format!("{}{name}", std::mem::take(&mut folder)), list.span);
                run.analyst.write(&file, WriteMode::Overwrite, Some(body), run.shell);
            }
            None => {}
        }
    }
}

/// Text browsers and small fetchers: addresses among their operands, what they print comes from there.
pub(in crate::commands) fn browser(run: &mut Run) -> Outcome {
    let spec = "o= output= output-document= O= post= post_data cmd_script= cfg= header= H= auth= useragent= width= cookie_file= \
        dump source listonly nolist T= m= n= q s S v";
    let words: Vec<Word> = run.args.iter().map(long_form).collect();
    let options = read(&words, spec, Order::Anywhere);
    let mut cargo = Cargo::default();
    options.values("post").cloned().collect::<Vec<_>>().iter().for_each(|file| cargo.file(run, file, false));
    if options.has("post_data") {
        cargo.stdin(run);
    }
    for file in options.values("cmd_script").cloned().collect::<Vec<_>>() {
        run.read(&file, false);
    }
    for url in options.operands.iter().filter(|word| !word.shown().starts_with('/')) {
        connect(run, url, &cargo, false);
    }
    let file = ["o", "O", "output", "output-document"].iter().find_map(|name| options.value(name)).cloned();
    match file.filter(|file| !is_stdout(file)) {
        Some(file) if run.program != "w3m" => {
            run.analyst.write(&file, WriteMode::Overwrite, Some(&Value::output(taint::NET)), run.shell);
            Outcome::silent(Status::Either)
        }
        _ => Outcome::unknown(taint::NET),
    }
}

/// Programs that show an address to a person ask for it as well.
pub(in crate::commands) fn shown(run: &mut Run) -> Outcome {
    for word in run.args.iter().filter(|word| word.text.prefix().contains("://")) {
        connect(run, word, &Cargo::default(), false);
    }
    run.derived()
}

/// `mosquitto_pub`: a message, or a file as one.
pub(in crate::commands) fn publish(run: &mut Run) -> Outcome {
    let spec = "h,host= p,port= t,topic= m,message= f,file= s,stdin-file l,stdin-line n,null-message u,username= P,pw= i,id= q,qos= \
        r,retain d,debug cafile= cert= key= capath= k= I= V= L,url=";
    let options = read(run.args, spec, Order::Anywhere);
    let site = options
        .value("h")
        .or(options.value("L"))
        .cloned()
        .unwrap_or_else(|| Word::literal_at("localhost", run.call.span));
    let mut cargo = Cargo::default();
    for file in options.values("f").cloned().collect::<Vec<_>>() {
        cargo.file(run, &file, false);
    }
    options.values("m").for_each(|word| cargo.word(word, &host_of(&site)));
    if options.has("s") || options.has("l") {
        cargo.stdin(run);
    }
    connect(run, &site, &cargo, true);
    run.derived()
}

/// Browsers write long options with one dash.
fn long_form(word: &Word) -> Word {
    let prefix = word.text.prefix();
    if prefix.starts_with('-') && !prefix.starts_with("--") && prefix.len() > 2 {
        let mut text = tollgate_shell::value::Text::literal("-");
        text.append(&word.text);
        return Word { text, ..word.clone() };
    }
    word.clone()
}

/// FTP clients: commands on the command line, in a batch file or on standard input.
pub(in crate::commands) fn ftp(run: &mut Run) -> Outcome {
    let spec =
        "c= e= f= u= p= b= P= i= o= F= J= S= l= B= R= D= q r s t v n g d a C 4 6 N m= port= user= norc N V";
    let options = read(run.args, spec, Order::Anywhere);
    let site = options.operands.first().cloned();
    let batch =
        options.value(if run.program == "sftp" { "b" } else { "f" }).filter(|file| !file.is("-")).cloned();
    if run.program == "sftp" {
        super::remote::settings(run, &options);
    }
    let texts: Vec<Value> = match batch {
        Some(file) => {
            run.read(&file, false);
            run.analyst.script(&file, run.shell).into_iter().collect()
        }
        None => run.stdin().cloned().into_iter().collect(),
    };
    let given = options
        .values("c")
        .chain(options.values("e"))
        .filter(|_| matches!(run.program, "lftp" | "smbclient"))
        .map(Word::value);
    let texts: Vec<Value> = given.chain(texts).collect();
    let mut cargo = Cargo::default();
    for text in texts.iter().filter_map(|text| text.as_literal()) {
        text.split(['\n', ';']).for_each(|line| ftp_line(run, &mut cargo, line.trim()));
    }
    if run.program == "tftp" {
        let line = run
            .args
            .iter()
            .skip_while(|word| !word.is("-c"))
            .skip(1)
            .map(Word::shown)
            .collect::<Vec<_>>()
            .join(" ");
        ftp_line(run, &mut cargo, &line);
    }
    let opened = texts.iter().filter_map(|text| text.as_literal()).flat_map(|text| text.split(['\n', ';']));
    let opened = opened.filter_map(|line| line.trim().strip_prefix("open ")).next_back();
    let opened = opened.and_then(|rest| rest.split_whitespace().next_back());
    let site = site.or_else(|| opened.map(|host| Word::literal_at(host, run.call.span)));
    // `ftp -u address file …` sends without a dialogue.
    if let Some(address) = options.value("u").filter(|word| word.shown().contains("://")).cloned() {
        options.operands.iter().for_each(|file| cargo.file(run, file, false));
        connect(run, &address, &cargo, false);
    } else if let Some(site) = site {
        connect(run, &site, &cargo, false);
    }
    Outcome::unknown(taint::NET)
}

fn ftp_line(run: &mut Run, cargo: &mut Cargo, line: &str) {
    if let Some(command) = line.strip_prefix('!').or_else(|| line.strip_prefix("shell ")) {
        interpreters::code(run, &Value::text(command), run.call.span);
        return;
    }
    let mut words = line.split_whitespace();
    let verb = words.next().unwrap_or_default();
    deleted_there(run, verb, line);
    let mirrors_up =
        verb == "mirror" && line.split_whitespace().any(|word| word == "-R" || word == "--reverse");
    let sends = matches!(verb, "put" | "mput" | "send" | "append" | "reput" | "appe");
    if verb == "mirror" && !mirrors_up {
        return mirrored(run, line);
    }
    if !sends && !mirrors_up {
        return;
    }
    let takes_all = mirrors_up || verb == "mput";
    let files = words.filter(|word| !word.starts_with('-')).take(if takes_all { 8 } else { 1 });
    for file in files.map(str::to_owned).collect::<Vec<_>>() {
        cargo.file(run, &Word::literal_at(&file, run.call.span), mirrors_up);
    }
}

/// `mirror [options] there here`: with `--delete`, what is not there goes from here.
fn mirrored(run: &mut Run, line: &str) {
    let deletes = |word: &str| {
        word == "--delete"
            || word == "--delete-first"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
    };
    let mut folders = line.split_whitespace().skip(1).filter(|word| !word.starts_with('-'));
    let (_, here) = (folders.next(), folders.next().unwrap_or("."));
    if line.split_whitespace().skip(1).any(deletes) {
        let folder = Word::literal_at(&home(run, here), run.call.span);
        run.analyst.delete(&folder, true, run.shell);
    }
}

/// lftp reads `~` itself.
fn home(run: &Run, path: &str) -> String {
    match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("{}{rest}", run.analyst.world.home()),
        None => path.to_owned(),
    }
}

/// Files of another machine that go by a pattern, or a folder with all that is in it.
fn deleted_there(run: &mut Run, verb: &str, line: &str) {
    let mut words = line.split_whitespace().skip(1);
    let many = matches!(verb, "rm" | "mrm" | "mdelete" | "mdel" | "delete" | "del")
        && words.any(|word| word.contains(['*', '?']) || word == "-r" || word == "-rf");
    // What is not here goes from there.
    let mirrors = verb == "mirror"
        && (line.contains(" -R") || line.contains(" --reverse"))
        && line.contains(" --delete");
    if many || mirrors || verb == "glob" && line.contains(" rm ") {
        let operation = format!("deletes files there (`{line}`)");
        run.push(EffectKind::Infra { tool: InfraTool::RemoteShell, operation, target: String::new() });
    }
}
