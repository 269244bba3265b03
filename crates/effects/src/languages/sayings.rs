//! What the names of methods say, whatever they belong to.

use super::value::{Args, Val};
use crate::analyst::taint;

/// Methods that send what they are given on a connection.
pub(super) fn is_sending(name: &str) -> bool {
    matches!(
        name,
        "send"
            | "sendall"
            | "sendfile"
            | "sendBinary"
            | "write"
            | "end"
            | "emit"
            | "put"
            | "puts"
            | "print"
            | "POST"
            | "PUT"
            | "request"
            | "send_request"
            | "send_message"
            | "send_mail"
            | "sendMail"
            | "post"
            | "patch"
    )
}

/// Does a method say what a request that was made holds?
pub(super) fn is_body(name: &str) -> bool {
    matches!(
        name,
        "body" | "json" | "form" | "multipart" | "send_string" | "send_json" | "send_bytes" | "send_form"
    )
}

/// Methods that add something to a request that is not sent yet.
pub(super) fn is_setting(name: &str) -> bool {
    matches!(
        name,
        "add_header"
            | "add_unredirected_header"
            | "putheader"
            | "setHeader"
            | "header"
            | "push_header"
            | "Set"
            | "Add"
            | "appendHeader"
            | "setRequestHeader"
            | "set"
            | "query"
            | "auth"
            | "field"
            | "[]="
    )
}

/// Methods of the environment that tell its names at most.
pub(super) fn names_only(name: &str) -> bool {
    matches!(
        name,
        "hasOwnProperty"
            | "propertyIsEnumerable"
            | "has"
            | "contains"
            | "size"
            | "length"
            | "count"
            | "empty?"
            | "member?"
            | "key?"
            | "key"
            | "each_key"
            | "keys"
            | "clear"
            | "replace"
            | "merge!"
            | "delete"
            | "__contains__"
            | "__len__"
            | "__setitem__"
            | "__delitem__"
            | "unsetenv"
            | "nil?"
            | "is_a?"
            | "class"
            | "object_id"
    )
}

/// Is a method given nothing but another path for what may be one?
pub(super) fn is_new_name(value: &Val, args: &Args) -> bool {
    let is_path = matches!(value, Val::Text(_) | Val::File(_)) && !taint::has(value.taint(), taint::FILE);
    match args.list.as_slice() {
        [] => args.named.iter().any(|(name, _)| &**name == "target"),
        [Val::Text(_) | Val::File(_)] => args.named.is_empty(),
        [Val::Unknown(_) | Val::Object(_)] => is_path && args.named.is_empty(),
        _ => false,
    }
}

/// Methods of texts that answer yes or no, or with a number.
pub(super) fn is_question(name: &str) -> bool {
    name.starts_with("is")
        || name.ends_with('?')
        || matches!(
            name,
            "count"
                | "index"
                | "rindex"
                | "find"
                | "rfind"
                | "indexOf"
                | "lastIndexOf"
                | "includes"
                | "contains"
                | "search"
                | "localeCompare"
                | "equals"
                | "hashCode"
                | "bytesize"
        )
}
