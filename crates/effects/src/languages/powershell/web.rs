//! What PowerShell's commands send and fetch.

use std::rc::Rc;

use tollgate_model::WriteMode;
use tollgate_shell::value::Value;

use super::super::machine::Machine;
use super::super::ops::Op;
use super::super::value::{Args, Val};
use super::commands::Given;
use crate::analyst::taint;

/// `Invoke-WebRequest` and its like.
pub(super) fn fetch(m: &mut Machine, given: &Given) -> Val {
    let address = given.or_first(&["uri", "source"]);
    let mut args = Args::of(vec![address]);
    for (name, full) in [
        ("body", "body"),
        ("body", "form"),
        ("method", "method"),
        ("method", "custommethod"),
        ("headers", "headers"),
        ("headers", "useragent"),
        ("headers", "token"),
        ("headers", "websession"),
    ] {
        args.named.extend(given.get(full).cloned().map(|value| (Rc::from(name), value)));
    }
    // A form sends the files that are items of it.
    let form = given.get("form").map(Val::items).unwrap_or_default();
    let files = form.into_iter().flat_map(|item| item.items_or_self());
    for file in files.filter(|item| matches!(item, Val::Text(_))).chain(given.get("infile").cloned()) {
        let content = m.read(&file);
        args.named.push((Rc::from("body"), Val::Text(content)));
    }
    let value = m.network(Op::Fetch, &args);
    if let Some(file) = given.get("outfile").or(given.get("destination")).cloned() {
        m.write(&file, WriteMode::Overwrite, Some(&Value::output(taint::NET)));
    }
    value
}

/// A letter, with files in it.
pub(super) fn mail(m: &mut Machine, given: &Given) -> Val {
    let mut args = Args::of(vec![given.get("smtpserver").cloned().unwrap_or_else(Val::unknown)]);
    args.named.extend(given.get("body").cloned().map(|body| (Rc::from("body"), body)));
    for file in given.get("attachments").map(Val::items_or_self).unwrap_or_default() {
        let content = m.read(&file);
        args.named.push((Rc::from("body"), Val::Text(content)));
    }
    m.network(Op::Post, &args)
}
