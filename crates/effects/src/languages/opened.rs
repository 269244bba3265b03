//! What programs open at clouds and forges: through libraries by the arguments of a call, and in requests of their own.

use tollgate_model::Certainty;

use super::machine::Machine;
use super::services::is_service;
use super::value::{Args, Val};
use crate::openings::leaves::normal;
use crate::openings::{Leaves, clouds, forges, manifests};
use crate::url;
use crate::word::show;

/// How the names of the clouds' own libraries begin.
const CLOUDS: &[&str] = &[
    "boto3",
    "aioboto3",
    "botocore",
    "@aws-sdk",
    "aws-sdk",
    "AWS",
    "Aws",
    "google",
    "@google-cloud",
    "Google",
    "azure",
    "@azure",
    "Azure",
];

/// How deep values are read.
const DEPTH: usize = 12;

impl Machine<'_, '_, '_> {
    /// A call of a cloud's library.
    pub fn opens_cloud(&mut self, class: &str, name: &str, args: &Args, certainty: Certainty) {
        let own = CLOUDS.iter().any(|library| class.starts_with(library)) || name.ends_with("Command");
        let assigns = own && class.contains("role_assignments") && name.contains("create");
        // Short names of things that are not known are no requests of a cloud.
        if !own && name.len() <= 8 && !is_service(class) || !self.burn(16) {
            return;
        }
        let given = leaves(args);
        for opening in manifests::created(name, &given) {
            self.push(opening.effect("a library of a cluster"), certainty);
        }
        let opening = forges::call(class, name, &given).or_else(|| clouds::call(name, &given, own));
        if let Some(opening) = opening.or_else(|| assigns.then(|| clouds::assignment(name))) {
            self.push(opening.effect("a library of a cloud"), certainty);
        }
    }

    /// A request to a forge.
    pub fn asks_forge(&mut self, address: &Val, method: &str, args: &Args) {
        let shown = address.as_text().any.first().map(show).unwrap_or_default();
        if !forges::is_forge(&shown) {
            return;
        }
        let mut body = Leaves::default();
        for name in ["json", "data", "body"] {
            if let Some(value) = args.option(name) {
                fill(&mut body, "", value, 0);
            }
        }
        args.list.iter().skip(1).for_each(|value| fill(&mut body, "", value, 0));
        if let Some(opening) = forges::opening(method, &shown, &body) {
            self.push(opening.effect("a request"), Certainty::Certain);
        }
    }
}

/// Is it a client of a cloud that runs on this machine, as LocalStack does?
pub(super) fn is_emulated(value: &Val) -> bool {
    let Val::Object(object) = value else { return false };
    let address = ["endpoint_url", "endpoint"].iter().find_map(|name| object.args.option(name)?.literal());
    address.is_some_and(|address| url::is_this_machine(&url::host(&address)))
}

/// The arguments of a call as names with their values; what stands in a table without a name is the call's own.
fn leaves(args: &Args) -> Leaves {
    let mut found = Leaves::default();
    args.list.iter().for_each(|value| fill(&mut found, "", value, 0));
    args.named.iter().for_each(|(name, value)| fill(&mut found, &normal(name), value, 0));
    found
}

fn fill(found: &mut Leaves, path: &str, value: &Val, depth: usize) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        _ if depth > DEPTH || found.is_full() => {}
        Val::Table(table) => {
            table.entries.iter().for_each(|(key, value)| fill(found, &below(&normal(key)), value, depth + 1));
        }
        Val::List(list) => {
            for (at, item) in list.items.iter().enumerate() {
                fill(found, &below(&format!("#{at}")), item, depth + 1);
            }
        }
        // What was encoded, or put into a part of the library.
        Val::Object(object) => {
            object.args.list.iter().for_each(|value| fill(found, path, value, depth + 1));
            object
                .args
                .named
                .iter()
                .for_each(|(name, value)| fill(found, &below(&normal(name)), value, depth + 1));
        }
        Val::Name(name) => match &**name {
            "True" | "true" | "TRUE" | "$true" => found.add(path, "true"),
            "False" | "false" | "FALSE" | "$false" => found.add(path, "false"),
            "None" | "null" | "nil" | "NULL" => found.add(path, "null"),
            _ => {}
        },
        other => other.literal().into_iter().for_each(|text| found.add(path, &text)),
    }
}
