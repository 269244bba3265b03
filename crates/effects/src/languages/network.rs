//! What programs do on the network.

use tollgate_model::{Carried, Certainty, EffectKind, InfraTool, NetDirection, WriteMode};
use tollgate_shell::value::{Taint, Text, Value};

use super::machine::Machine;
use super::ops::Op;
use super::value::{Args, Val};
use crate::analyst::taint;
use crate::commands::network::{Cargo, is_strange, name_of};
use crate::word::Word;
use crate::word::show;

impl Machine<'_, '_, '_> {
    /// The same, for a function whose name says the method: `requests.delete`.
    pub fn network_by(&mut self, op: Op, name: &str, args: &Args) -> Val {
        if op == Op::Post && name.ends_with(".delete") {
            self.deletes_at(&args.at(0, &["url"]), "DELETE", args);
        }
        self.asks_forge(&args.at(0, &["url"]), name.rsplit('.').next().unwrap_or_default(), args);
        self.network(op, args)
    }

    pub fn network(&mut self, op: Op, args: &Args) -> Val {
        let (address, rest) = addressed(op, args);
        let address = based(address, args);
        self.connected |= matches!(op, Op::Connect | Op::Dial);
        if !matches!(op, Op::Send | Op::Resolve) {
            self.peer = Some(address.clone());
        }
        let method = match op {
            Op::Request => args.literal(0).unwrap_or_default(),
            _ => args.option("method").and_then(Val::literal).unwrap_or_default(),
        };
        let mut rest = self.exposed_args(&rest);
        for (_, value) in &mut rest.named {
            *value = self.exposed(value);
        }
        self.read_for_form(&rest);
        let sent = rest.all().filter(|value| !matches!(value, Val::Function(_)));
        let marks = sent.fold(address.taint(), |marks, value| marks.union(value.taint()));
        self.leaks(marks);
        let aside = taint::has(marks, taint::FILE) && !taint::has(marks, taint::SECRET);
        let carries = match rest.taint() {
            // A part of the address, such as a name or a version.
            body if aside && op == Op::Fetch && !taint::has(body, taint::FILE) => {
                vec![Carried::FileInAddress]
            }
            _ => self.carried(marks),
        };
        let sends = sends(op, &method, args) || !carries.is_empty();
        let direction = if sends { NetDirection::Out } else { NetDirection::In };
        self.connect(&address, direction, &carries);
        self.secrets_sent(&address, &rest);
        self.deletes_at(&address, &method, args);
        self.asks_forge(&address, &method, args);
        self.answered(op, args);
        match op {
            Op::Connect | Op::Dial => {
                Val::object("connection", Args::of(vec![Val::Unknown(taint::NET), address]))
            }
            Op::Resolve => Val::unknown(),
            _ => Val::Unknown(taint::NET),
        }
    }

    /// What comes in goes to the file and to the functions that were given for it.
    fn answered(&mut self, op: Op, args: &Args) {
        let content = Value::output(taint::NET);
        let names = ["filename", "out", "dest"];
        if op == Op::Download && args.has(1, &names) {
            self.write(&args.at(1, &names), WriteMode::Overwrite, Some(&content));
        }
        if let Some(Val::File(file)) = args.list.iter().find(|value| matches!(value, Val::File(_))).cloned() {
            self.file_method(&file, "write", &Args::of(vec![Val::Text(content)]));
        }
        for function in args.list.iter().filter(|value| matches!(value, Val::Function(_))) {
            self.apply(function, &Args::of(vec![Val::Unknown(taint::NET)]));
        }
    }

    /// Secrets that go to a host they do not belong to, in its address or in what is sent.
    fn secrets_sent(&mut self, address: &Val, rest: &Args) {
        let address = address_text(address);
        for text in address.any.iter().take(16) {
            let word = self.word(text, address.taint);
            let (host, cargo) = match library_of(text) {
                Some(library) => (library, Cargo::default()),
                None => name_of(&word),
            };
            let strange = is_strange(text, &host, false)
                || parts(rest).iter().any(|(value, proves)| {
                    value.as_text().any.iter().take(16).any(|text| is_strange(text, &host, *proves))
                });
            let mut maybe = cargo.maybe;
            maybe.extend(strange.then_some(Carried::Secret));
            for (carries, certainty) in [(cargo.sure, Certainty::Certain), (maybe, Certainty::Possible)] {
                if !carries.is_empty() {
                    let host = host.clone();
                    self.push(EffectKind::Net { host, direction: NetDirection::Out, carries }, certainty);
                }
            }
        }
    }

    /// Perl's form with a file in it: `Content => [name => [path]]`.
    fn read_for_form(&mut self, rest: &Args) {
        let fields = rest.option("Content").map(Val::items_or_self).unwrap_or_default();
        for field in fields.iter().take(16) {
            if let Val::List(file) = field
                && let Some(path @ Val::Text(_)) = file.items.first().cloned()
            {
                let content = self.read(&path);
                self.send_to_peer("send", Args::of(vec![Val::Text(content)]));
            }
        }
    }

    /// Headers of the request that was made last are set.
    pub fn send_headers(&mut self, values: Vec<Val>) {
        if values.iter().any(Val::tells) {
            let headers = Val::table(vec![("headers".into(), Val::list(values))]);
            self.send_to_peer("send", Args::of(vec![headers]));
        }
    }

    fn connect(&mut self, address: &Val, direction: NetDirection, carries: &[Carried]) {
        let texts = address_text(address);
        for text in texts.any.iter().take(16) {
            if let Some(path) = text.prefix().strip_prefix("file://") {
                let path = Val::text(path);
                self.read(&path);
                continue;
            }
            let certainty =
                if text.as_literal().is_some() { Certainty::Certain } else { Certainty::Possible };
            let host = library_of(text).unwrap_or_else(|| crate::url::host(&show(text)));
            let kind = EffectKind::Net { host, direction, carries: carries.to_vec() };
            self.push(kind, certainty);
        }
    }

    /// A request that deletes something at a service, in the name of somebody.
    fn deletes_at(&mut self, address: &Val, method: &str, args: &Args) {
        let proves = |value: &Val| {
            ["Authorization", "authorization", "X-Auth-Token", "X-API-Key"]
                .iter()
                .any(|name| value.entry(name).is_some())
        };
        let headers = args
            .option("headers")
            .cloned()
            .or_else(|| args.all().find_map(|value| value.entry("headers").cloned()));
        let proven = headers.as_ref().is_some_and(proves) || args.option("auth").is_some();
        let shown = address.as_text().any.first().map(show).unwrap_or_default();
        let near = crate::url::is_this_machine(&crate::url::host(&shown));
        if method.eq_ignore_ascii_case("DELETE") && proven && !near {
            let (tool, operation) = (InfraTool::WebRequest, "DELETE".to_owned());
            self.push(EffectKind::Infra { tool, operation, target: shown }, Certainty::Certain);
        }
    }

    /// What data with these marks holds, in words.
    fn carried(&self, marks: Taint) -> Vec<Carried> {
        let mut carried = Vec::new();
        if taint::has(marks, taint::FILE) || taint::has(marks, taint::SECRET) {
            carried.extend(self.files.iter().cloned().map(Carried::Named));
        }
        // A program that it started has read them.
        if carried.is_empty() && taint::has(marks, taint::FILE) {
            carried.push(Carried::FileData);
        }
        if carried.is_empty() && taint::has(marks, taint::SECRET) {
            carried.push(Carried::Environment);
        }
        carried
    }
}

/// The address among the arguments, and what follows it.
fn addressed(op: Op, args: &Args) -> (Val, Args) {
    match op {
        Op::Request => {
            // A method that is not written out may be anything.
            let method = args.get(0).filter(|method| method.literal().is_none()).cloned();
            let mut rest = args.skip(2);
            rest.list.extend(method);
            (args.at(1, &["url", "uri"]), rest)
        }
        // Without a connection before it, all of it is sent.
        Op::Send if matches!(args.get(0), Some(Val::Text(_))) => (Val::text(""), args.clone()),
        Op::Send => (peer(args.get(0)), args.skip(1)),
        Op::Dial => {
            let names = ["PeerAddr", "PeerHost", "Host"];
            let host = names.iter().find_map(|name| args.option(name)).or(args.get(0));
            (host.cloned().unwrap_or_else(Val::unknown), Args::default())
        }
        Op::Connect if matches!(args.get(0), Some(Val::Int(_))) => {
            let host = args.get(1).filter(|host| matches!(host, Val::Text(_)));
            (host.cloned().unwrap_or_else(|| Val::text("localhost")), args.skip(2))
        }
        // All of a request in one table.
        _ if let Some(table @ Val::Table(_)) = args.get(0) => (table.clone(), args.clone()),
        _ => (args.at(0, &["url", "uri", "address", "host", "hostname"]), args.skip(1)),
    }
}

/// The name of what a request is made by, among its arguments: what that was made with goes along.
pub(super) const CLIENT: &str = "*client";

/// The address, after the one that the client was made with.
fn based(address: Val, args: &Args) -> Val {
    let Some(Val::Object(client)) = args.option(CLIENT) else { return address };
    let names = ["base_url", "baseURL", "baseUrl", "prefixUrl", "base_uri", "url_base"];
    match names.iter().find_map(|name| client.args.option(name)) {
        Some(Val::Text(base)) if !is_whole(&address) => Val::Text(base.concat(&address.as_text())),
        _ => address,
    }
}

fn is_whole(address: &Val) -> bool {
    address_text(address).any.iter().all(|text| text.prefix().contains("://"))
}

/// Does it send something, by what it is or by what it is given?
fn sends(op: Op, method: &str, args: &Args) -> bool {
    matches!(op, Op::Post | Op::Send)
        || ["data", "json", "files", "body", "content"].iter().any(|name| args.option(name).is_some())
        || ["POST", "PUT", "PATCH"].iter().any(|sending| method.eq_ignore_ascii_case(sending))
}

/// The most values that are looked at in a request.
const PARTS: usize = 256;

/// All values in a request; in its headers a secret may prove who asks.
fn parts(args: &Args) -> Vec<(Val, bool)> {
    let mut all = Vec::new();
    parts_of(args, false, &mut all);
    all
}

fn parts_of(args: &Args, proves: bool, all: &mut Vec<(Val, bool)>) {
    args.list.iter().for_each(|value| part(value, proves, all));
    args.named.iter().for_each(|(name, value)| part(value, proves || is_proof(name), all));
}

fn part(value: &Val, proves: bool, all: &mut Vec<(Val, bool)>) {
    if all.len() >= PARTS {
        return;
    }
    all.push((value.clone(), proves));
    match value {
        Val::Table(table) => {
            table.entries.iter().for_each(|(name, value)| part(value, proves || is_proof(name), all));
        }
        Val::List(list) => list.items.iter().take(16).for_each(|value| part(value, proves, all)),
        Val::Object(object) => {
            parts_of(&object.args, proves, all);
            // What is added to a request are its headers, more often than not.
            object.held.values().iter().for_each(|value| part(value, true, all));
        }
        _ => {}
    }
}

/// A place that is meant for credentials.
fn is_proof(name: &str) -> bool {
    matches!(name, "headers" | "header" | "auth" | "cookies" | "Headers" | "basic_auth")
}

/// A library that stands where a host would: `boto3:`.
pub(super) fn library_of(text: &Text) -> Option<String> {
    text.as_literal().filter(|text| text.ends_with(':')).map(str::to_owned)
}

/// Whom a connection leads to.
fn peer(connection: Option<&Val>) -> Val {
    match connection {
        Some(Val::Object(object)) if &*object.class == "connection" => object.args.at(1, &[]),
        _ => Val::text(""),
    }
}

/// The text of an address, in the forms that libraries take it in.
fn address_text(address: &Val) -> Value {
    match address {
        Val::List(pair) => pair.items.first().map(Val::as_text).unwrap_or_else(Value::empty),
        Val::Object(object) => object.args.get(0).map(Val::as_text).unwrap_or_else(Value::empty),
        Val::Table(_) => {
            let host = ["hostname", "host", "url"].iter().find_map(|name| address.entry(name));
            host.map(Val::as_text).unwrap_or_else(Value::empty)
        }
        other => other.as_text(),
    }
}

/// A shell that is given no command waits for somebody to type one.
pub(super) fn is_bare_shell(words: &[Word]) -> bool {
    let shells =
        ["sh", "bash", "zsh", "dash", "ksh", "ash", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh"];
    let Some((program, rest)) = words.split_first() else { return false };
    let name = program.shown();
    let named = shells.contains(&name.rsplit(['/', '\\']).next().unwrap_or_default());
    named && rest.iter().all(|word| word.text.prefix().starts_with('-') && !word.text.prefix().contains('c'))
}
