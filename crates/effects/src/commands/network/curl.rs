//! `curl`: what it fetches, sends, writes and reads.

use tollgate_model::{Carried, EffectKind, Protection, WriteMode};
use tollgate_shell::eval::{Outcome, Status};
use tollgate_shell::value::{Hole, HoleSource, Piece, Text, Value};

use super::super::{Run, openings};
use super::address::{connect, host_of, name_of, send};
use super::cargo::{Cargo, is_strange};
use super::request::{self, Request};
use super::{is_stdout, remote_name};
use crate::analyst::taint;
use crate::options::{Options, Order, read};
use crate::url::is_near;
use crate::word::Word;

const SPEC: &str = "a,append A,user-agent= b,cookie= c,cookie-jar= C,continue-at= d,data= data-ascii= data-binary= data-raw= \
    data-urlencode= json= D,dump-header= e,referer= E,cert= cacert= capath= f,fail fail-with-body F,form= form-string= \
    g,globoff G,get H,header= i,include I,head j,junk-session-cookies J,remote-header-name k,insecure K,config= \
    key= L,location location-trusted l,list-only limit-rate= m,max-time= connect-timeout= M,manual n,netrc netrc-optional \
    netrc-file= N,no-buffer o,output= output-dir= O,remote-name remote-name-all p,proxytunnel P,ftp-port= \
    q,disable Q,quote= r,range= R,remote-time s,silent S,show-error T,upload-file= t,telnet-option= u,user= \
    U,proxy-user= url= url-query= v,verbose V,version w,write-out= x,proxy,preproxy= socks5= socks5-hostname= socks4= socks4a= \
    X,request= request-target= y,speed-time= Y,speed-limit= proxy-header= proxy-cacert= proxy-cert= proxy-key= \
    z,time-cond= Z,parallel parallel-max= 0 1,tlsv1 2,sslv2 3,sslv3 4,ipv4 6,ipv6 noproxy= resolve= connect-to= dns-servers= \
    doh-url= retry= retry-delay= retry-max-time= retry-connrefused retry-all-errors compressed create-dirs create-file-mode= \
    tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tls-max= tls13-ciphers= proto= proto-default= proto-redir= max-redirs= max-filesize= \
    post301 post302 post303 oauth2-bearer= aws-sigv4= unix-socket= abstract-unix-socket= interface= local-port= ciphers= \
    curves= crlfile= no-progress-meter progress-bar trace= trace-ascii= trace-time trace-config= stderr= libcurl= cert-type= \
    key-type= pass= pinnedpubkey= ssl-reqd ssl ssl-no-revoke keepalive-time= keepalive-cnt= path-as-is http0.9 http1.0 http1.1 http2 \
    http2-prior-knowledge http3 http3-only no-keepalive no-alpn no-npn no-sessionid etag-save= etag-compare= hsts= alt-svc= \
    variable= expand-data= expand-data-binary= expand-url= expand-header= expand-json= expand-form= expand-output= rate= \
    happy-eyeballs-timeout-ms= expect100-timeout= mail-from= mail-rcpt= mail-auth= login-options= sasl-authzid= service-name= \
    krb= delegation= engine= egd-file= random-file= hostpubmd5= hostpubsha256= pubkey= tftp-blksize= tftp-no-options tr-encoding \
    raw negotiate ntlm digest basic anyauth tcp-nodelay tcp-fastopen styled-output ignore-content-length xattr \
    remove-on-error no-clobber skip-existing fail-early haproxy-protocol metalink false-start suppress-connect-headers h,help? #,progress :,next \
    B cert-status compressed-ssh crlf disable-eprt disable-epsv disallow-username-in-url dns-interface= \
    dns-ipv4-addr= dns-ipv6-addr= doh-cert-status doh-insecure form-escape ftp-account= ftp-alternative-to-user= ftp-create-dirs ftp-method= ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-ccc-mode= ftp-ssl-control mail-rcpt-allowfails ntlm-wb parallel-immediate proxy-anyauth proxy-basic \
    proxy-capath= proxy-cert-type= proxy-ciphers= proxy-crlfile= proxy-digest proxy-insecure proxy-key-type= proxy-negotiate proxy-ntlm proxy-pass= proxy-pinnedpubkey= proxy-service-name= proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tls13-ciphers= proxy-tlsauthtype= proxy-tlspassword= \
    proxy-tlsuser= proxy-tlsv1 proxy1.0= sasl-ir socks5-basic socks5-gssapi socks5-gssapi-nec \
    socks5-gssapi-service= ssl-allow-beast ssl-auto-client-cert ssl-revoke-best-effort tlsauthtype= \
    tlspassword= tlsuser= use-ascii";

pub(in crate::commands) fn curl(run: &mut Run) -> Outcome {
    let mut words = run.args.to_vec();
    words.extend(from_config(run, &read(run.args, SPEC, Order::Anywhere)));
    expand(&mut words);
    let options = read(&words, SPEC, Order::Anywhere);
    if options.has("V") || options.has("M") || (options.has("h") && options.operands.is_empty()) {
        return run.derived();
    }
    let urls: Vec<Word> = options
        .operands
        .iter()
        .chain(options.values("url"))
        .chain(options.values("expand-url"))
        .cloned()
        .collect();
    let host = urls.first().map(host_of).unwrap_or_default();
    let cargo = sent(run, &options, &host);
    let sends = sends(&options);
    let mut content = taint::NET;
    for url in &urls {
        if connect(run, url, &cargo, sends) {
            content = content.union(taint::FILE);
        }
    }
    if options.has("k") {
        unchecked(run, &urls);
    }
    detours(run, &options, &cargo);
    if is_proven(&options) && urls.iter().any(|url| !url.text.prefix().starts_with("https:")) {
        overheard(run, &options);
    }
    let request = Request {
        method: options.value("X").map(Word::shown).unwrap_or_default(),
        instead: options.values("H").map(Word::shown).find_map(|header| {
            let (name, value) = header.split_once(':')?;
            request::is_override(name).then(|| value.to_owned())
        }),
        proven: is_proven(&options),
        socket: options.value("unix-socket").map(Word::shown),
        body: body(run, &options),
    };
    urls.iter().for_each(|url| request::judge(run, url, &request));
    saved(run, &options, &urls, &Value::output(content))
}

/// Servers elsewhere are believed whatever certificate they show. Those of this machine and of a network at home mostly
/// have one that they made themselves.
pub(super) fn unchecked(run: &mut Run, urls: &[Word]) {
    let plain = |url: &&Word| url.text.prefix().starts_with("http://");
    let elsewhere = urls.iter().filter(|url| !plain(url)).map(host_of).any(|host| !is_near(&host));
    if elsewhere {
        let how = format!("{} connects without certificate checks", run.program);
        run.push(EffectKind::Weaken { protection: Protection::Certificates, how });
    }
}

/// `--variable %NAME` with `--expand-url …{{NAME}}…`: the variable stands in the value.
fn expand(words: &mut [Word]) {
    let names: Vec<String> = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(option, _)| option.is("--variable"))
        .filter_map(|(_, value)| value.literal()?.strip_prefix('%'))
        .map(|given| given.split('=').next().unwrap_or_default().to_owned())
        .collect();
    for word in words.iter_mut() {
        let used = names.iter().find(|name| word.text.prefix().contains(&format!("{{{{{name}")));
        if let Some(name) = used {
            word.text.push(Piece::Hole(Hole::new(HoleSource::Variable(name.as_str().into()))));
        }
    }
}

/// Options from the files of `--config` whose text is known.
fn from_config(run: &mut Run, options: &Options) -> Vec<Word> {
    let mut words = Vec::new();
    let own = own_configs(run).into_iter().filter(|_| !options.has("q"));
    for file in options.values("K").cloned().chain(own).collect::<Vec<_>>() {
        let text = if file.is("-") { run.stdin().cloned() } else { run.analyst.script(&file, run.shell) };
        if !file.is("-") {
            run.read(&file, false);
        }
        let Some(text) = text else { continue };
        for line in text.any.iter().take(8).flat_map(lines) {
            let line = Word { text: line, span: file.span, splits: false, taint: text.taint };
            words.extend(configured(&line));
        }
    }
    words
}

/// Where it finds its settings by itself, as far as the call has led it elsewhere.
fn own_configs(run: &Run) -> Vec<Word> {
    const FOLDERS: &[(&str, &str)] = &[
        ("CURL_HOME", ".curlrc"),
        ("XDG_CONFIG_HOME", "curlrc"),
        ("HOME", ".curlrc"),
        ("HOME", ".config/curlrc"),
    ];
    let file = |(variable, name): &(&str, &str)| {
        let folder = run.variable(variable)?;
        Some(Word::literal_at(&format!("{}/{name}", folder.as_literal()?), run.call.span))
    };
    FOLDERS.iter().filter_map(file).collect()
}

/// `name = value` as words of the command line; what is not known of a value stays open.
fn configured(line: &Word) -> Vec<Word> {
    let known = line.text.prefix();
    let start = known.len() - known.trim_start().len();
    let line = line.from(start);
    let known = line.text.prefix();
    let end = known.find(['=', ':', ' ', '\t']).unwrap_or(known.len());
    let name = known.get(..end).unwrap_or_default().trim_start_matches('-').to_owned();
    if name.is_empty() || known.starts_with('#') {
        return Vec::new();
    }
    let rest = known.get(end..).unwrap_or_default();
    let value = line.from(end + (rest.len() - rest.trim_start_matches(['=', ':', ' ', '\t', '"']).len()));
    let last = value.text.suffix();
    let value = value.without_end(last.len() - last.trim_end_matches(['"', ' ', '\r', '\t']).len());
    let dashes = if name.chars().count() == 1 { "-" } else { "--" };
    let option = Word::literal_at(&format!("{dashes}{name}"), line.span);
    if value.text.is_empty() { vec![option] } else { vec![option, value] }
}

/// The lines of a text that is not known as a whole.
fn lines(text: &Text) -> Vec<Text> {
    let mut lines = vec![Text::default()];
    for piece in &text.pieces {
        let Piece::Text(known) = piece else {
            lines.last_mut().into_iter().for_each(|line| line.push(piece.clone()));
            continue;
        };
        for (at, part) in known.split('\n').enumerate().take(1000) {
            if at > 0 {
                lines.push(Text::default());
            }
            lines.last_mut().into_iter().for_each(|line| line.push_str(part));
        }
    }
    lines
}

const BODIES: &[&str] = &[
    "d",
    "data-ascii",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "json",
    "F",
    "form-string",
    "expand-data",
    "expand-data-binary",
    "expand-json",
    "expand-form",
];

fn sends(options: &Options) -> bool {
    let method = options.value("X").map(Word::shown).unwrap_or_default().to_ascii_uppercase();
    let has_body = BODIES.iter().any(|name| options.has(name)) && !options.has("G");
    has_body || options.has("T") || matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE")
}

/// Everything that goes out: files, bodies, headers, names and passwords.
fn sent(run: &mut Run, options: &Options, host: &str) -> Cargo {
    let mut cargo = Cargo::default();
    for file in files(options) {
        cargo.file(run, &file, false);
    }
    // A cookie without `=` is a file of cookies.
    let is_jar = |word: &&Word| word.literal().is_some_and(|text| !text.contains('=') && !text.is_empty());
    for jar in options.values("b").filter(is_jar).cloned().collect::<Vec<_>>() {
        cargo.jar(run, &jar);
    }
    for body in ["d", "data-ascii", "data-binary", "json", "data-urlencode", "url-query"] {
        let plain = options.values(body).filter(|word| !word.text.prefix().starts_with('@'));
        plain.for_each(|word| cargo.word(word, host));
    }
    for body in ["data-raw", "F", "form-string", "expand-data", "Q", "t", "A", "e", "X", "request-target"] {
        options.values(body).for_each(|word| cargo.word(word, host));
    }
    for word in options.values("H").chain(options.values("expand-header")) {
        cargo.credential(word, host);
    }
    let proxy = options.value("x").map(host_of).unwrap_or_default();
    options.values("proxy-header").for_each(|word| cargo.credential(word, &proxy));
    for name in ["u", "b", "oauth2-bearer"] {
        for word in options.values(name) {
            let named = Word { text: prefixed("authorization: ", word), ..word.clone() };
            cargo.credential(&named, host);
        }
    }
    cargo
}

fn prefixed(start: &str, word: &Word) -> tollgate_shell::value::Text {
    let mut text = tollgate_shell::value::Text::literal(start);
    text.append(&word.text);
    text
}

/// The files whose content is sent.
fn files(options: &Options) -> Vec<Word> {
    let at =
        ["d", "data-ascii", "data-binary", "data-urlencode", "json", "H", "url-query", "proxy-header", "w"];
    let mut files: Vec<Word> = at
        .into_iter()
        .flat_map(|name| options.values(name))
        .filter(|word| word.text.prefix().starts_with('@'))
        .map(|word| word.from(1))
        .collect();
    for name in ["data-urlencode", "variable", "url-query"] {
        // `name@file`, where the name holds no `=`.
        let named = options.values(name).filter(|word| {
            let prefix = word.text.prefix();
            prefix.find('@').is_some_and(|at| at > 0 && !prefix.get(..at).unwrap_or_default().contains('='))
        });
        files.extend(named.map(|word| word.after('@')));
    }
    for form in options.values("F").chain(options.values("expand-form")) {
        let value = form.after('=');
        if value.text.prefix().starts_with(['@', '<']) {
            files.push(without_type(&value.from(1)));
        }
    }
    files.extend(options.values("T").filter(|word| !word.is(".")).cloned());
    files
}

/// `file;type=text/plain` names the file before the semicolon.
fn without_type(word: &Word) -> Word {
    let cut = word.literal().and_then(|text| text.split(';').next()).map(|text| text.trim_matches('"'));
    cut.map_or_else(
        || word.clone(),
        |text| Word { text: tollgate_shell::value::Text::literal(text), ..word.clone() },
    )
}

/// Options that lead the connection somewhere else than the address says.
fn detours(run: &mut Run, options: &Options, cargo: &Cargo) {
    let mut places: Vec<Word> = Vec::new();
    for name in ["x", "socks5", "socks5-hostname", "socks4", "socks4a", "doh-url"] {
        places.extend(options.values(name).cloned());
    }
    for word in options.values("resolve") {
        let shown = word.shown();
        let addresses = shown.splitn(3, ':').nth(2).unwrap_or_default().to_owned();
        places.extend(addresses.split(',').map(|address| Word::literal_at(address, word.span)));
    }
    for word in options.values("connect-to") {
        let shown = word.shown();
        let target = shown.splitn(3, ':').nth(2).unwrap_or_default();
        places.push(Word::literal_at(target, word.span));
    }
    for place in places.iter().filter(|place| !place.text.is_empty()) {
        connect(run, place, cargo, false);
        let (host, mut own) = name_of(place);
        if is_strange(&place.text, &host, true) {
            own.maybe.push(Carried::Secret);
            send(run, place, &host, own, false);
        }
    }
}

/// Without encryption a proxy reads along who asks and what proves it.
fn overheard(run: &mut Run, options: &Options) {
    let set =
        || ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"].iter().find_map(|name| run.variable(name));
    let set = || set().and_then(|value| Some(Word::literal_at(value.as_literal()?, run.call.span)));
    let Some(proxy) = options.value("x").cloned().or_else(set) else { return };
    let (host, mut own) = name_of(&proxy);
    if !request::is_near(&host) {
        own.maybe.push(Carried::Secret);
        send(run, &proxy, &host, own, false);
    }
}

fn is_proven(options: &Options) -> bool {
    let in_header = options.values("H").any(|word| {
        let name = word.text.prefix().split(':').next().unwrap_or_default().to_ascii_lowercase();
        ["authorization", "token", "api-key", "apikey", "x-auth"].iter().any(|part| name.contains(part))
    });
    in_header
        || ["u", "n", "netrc-file", "oauth2-bearer", "aws-sigv4", "E"].iter().any(|name| options.has(name))
}

fn body(run: &mut Run, options: &Options) -> String {
    let words: Vec<Word> = BODIES.iter().flat_map(|name| options.values(name)).cloned().collect();
    let text = |word: Word| {
        let file = word.text.prefix().starts_with('@').then(|| word.from(1));
        file.and_then(|file| openings::given(run, &file)).unwrap_or_else(|| word.shown())
    };
    words.into_iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Writes what was asked to be written.
fn saved(run: &mut Run, options: &Options, urls: &[Word], body: &Value) -> Outcome {
    let folder = options.value("output-dir").map(|folder| format!("{}/", folder.shown())).unwrap_or_default();
    let mut to_stdout = !options.has("o") && !options.has("O") && !options.has("remote-name-all");
    for file in options.values("o").cloned().collect::<Vec<_>>() {
        if is_stdout(&file) {
            to_stdout = true;
            continue;
        }
        let file = if folder.is_empty() { file } else { Word { text: prefixed(&folder, &file), ..file } };
        run.analyst.write(&file, WriteMode::Overwrite, Some(body), run.shell);
    }
    if options.has("O") || options.has("remote-name-all") {
        for url in urls {
            let name = Word::literal_at(&format!("{folder}{}", remote_name(&url.shown())), url.span);
            run.analyst.write(&name, WriteMode::Overwrite, Some(body), run.shell);
        }
    }
    for name in ["D", "c", "trace", "trace-ascii", "stderr", "libcurl", "etag-save", "hsts", "alt-svc"] {
        for file in options.values(name).filter(|file| !is_stdout(file)).cloned().collect::<Vec<_>>() {
            run.analyst.write(&file, WriteMode::Overwrite, None, run.shell);
        }
    }
    if to_stdout || options.values("D").any(is_stdout) {
        return Outcome { stdout: body.clone(), status: Status::Either };
    }
    Outcome::silent(Status::Either)
}
