//! .NET's types: what their methods do. A catalogue.

use super::super::machine::Machine;
use super::super::network::CLIENT;
use super::super::ops::{ENVIRONMENT, Known, Op};
use super::super::pure::{self, Pure};
use super::super::value::{Args, Val};
use super::commands::evaluate;

/// A type without what all types begin with.
pub(super) fn short_type(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.strip_prefix("system.").unwrap_or(&lower).to_owned()
}

/// A property of a value.
pub(super) fn property(value: &Val, name: &str) -> Val {
    match value {
        Val::Name(owner) => Val::name(&format!("{owner}.{name}")),
        Val::Text(_) | Val::Unknown(_) | Val::Object(_)
            if matches!(
                name,
                "content" | "fullname" | "path" | "value" | "name" | "headers" | "defaultrequestheaders"
            ) =>
        {
            value.clone()
        }
        other => Val::Unknown(other.taint()),
    }
}

/// Calls a method of a value or of a type.
pub(super) fn method(m: &mut Machine, value: &Val, name: &str, args: Args) -> Val {
    let owner = match value {
        Val::Name(owner) => owner.to_string(),
        Val::Object(object) => object.class.to_string(),
        _ => String::new(),
    };
    match (owner.as_str(), name) {
        ("io.file", "delete") => m.files(Op::Delete, &args),
        ("io.directory", "delete") => m.files(
            if args.list.len() > 1 { Op::DeleteTree } else { Op::Delete },
            &Args::of(args.list.into_iter().take(1).collect()),
        ),
        ("io.file", "create" | "createtext" | "openwrite") => m.files(Op::Create, &args),
        ("io.file", "open") => {
            let mode = args.literal(1).unwrap_or_default().to_lowercase();
            let opens = if matches!(mode.as_str(), "truncate" | "create") { Op::Create } else { Op::Open };
            m.files(opens, &Args::of(args.list.into_iter().take(1).collect()))
        }
        ("io.file", "writealltext" | "writealllines" | "writeallbytes") => m.files(Op::Write, &args),
        ("io.file", "appendalltext" | "appendalllines") => m.files(Op::Append, &args),
        ("io.file", "readalltext" | "readalllines" | "readallbytes") => Val::Text(m.read(&args.at(0, &[]))),
        ("io.file" | "io.directory", "move") => m.files(Op::Move, &args),
        ("io.file", "copy") => m.files(Op::Copy, &args),
        ("diagnostics.process", "start") => m.perform(Op::StartText, name, &args),
        ("environment", "getenvironmentvariables") => Val::Unknown(ENVIRONMENT),
        ("environment", "getenvironmentvariable") => m.environment(false, "getenv", &args),
        ("environment", "getfolderpath") => m.known(Known::Home),
        ("convert", "frombase64string") => pure::apply(Pure::Base64, &args),
        ("io.path", "combine") => pure::apply(Pure::JoinPaths, &args),
        ("scriptblock", "create") => evaluate(m, &args.at(0, &[])),
        (_, "invokescript") => evaluate(m, &args.at(0, &[])),
        (
            _,
            "getstring" | "getbytes" | "tostring" | "tochararray" | "readtoend" | "invoke" | "trim"
            | "getenumerator",
        ) => {
            let text = args.get(0).cloned().unwrap_or_else(|| value.clone());
            if matches!(value, Val::Name(_)) { text } else { value.clone() }
        }
        (_, "replace") => {
            pure::apply(Pure::Replace, &Args::of(std::iter::once(value.clone()).chain(args.list).collect()))
        }
        (_, "delete") => m.files(Op::DeleteTree, &Args::of(vec![value.clone()])),
        ("array" | "string", "reverse" | "join") => {
            pure::apply(Pure::Concat, &Args::of(args.list.into_iter().skip(1).collect()))
        }
        _ => talk(m, value, &owner, name, args),
    }
}

/// The same, for types that talk to the network.
fn talk(m: &mut Machine, value: &Val, owner: &str, name: &str, args: Args) -> Val {
    match (owner, name) {
        ("net.webclient", "downloadstring" | "downloaddata" | "openread") => {
            m.network(Op::Fetch, &with_client(value, args))
        }
        ("net.webclient", "downloadfile") => m.network(Op::Download, &args),
        ("net.webclient", "uploadfile") => {
            let content = Val::Text(m.read(&args.at(1, &[])));
            m.network(Op::Post, &Args::of(vec![args.at(0, &[]), content]))
        }
        ("net.webclient", "uploadstring" | "uploaddata") => m.network(Op::Post, &args),
        ("net.sockets.tcpclient" | "net.sockets.udpclient", _) => {
            let made = match value {
                Val::Object(object) if args.list.is_empty() => object.args.clone(),
                _ => args,
            };
            m.network(Op::Connect, &made)
        }
        ("connection", "write" | "writeline" | "writeasync" | "send") => m.send_to_peer(name, args),
        ("net.http.httpclient", "getasync" | "getstringasync" | "getbytearrayasync" | "getstreamasync") => {
            m.network(Op::Fetch, &with_client(value, args))
        }
        ("net.http.httpclient", "postasync" | "putasync" | "patchasync" | "sendasync") => {
            m.network(Op::Post, &with_client(value, args))
        }
        ("net.http.httpclient" | "net.webclient", "add") => {
            value.hold(&args);
            Val::unknown()
        }
        _ => Val::Unknown(value.taint().union(args.taint())),
    }
}

/// What a client was given before goes with its requests.
fn with_client(client: &Val, mut args: Args) -> Args {
    args.named.push((CLIENT.into(), client.clone()));
    args
}
