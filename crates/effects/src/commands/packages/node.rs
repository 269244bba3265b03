//! Managers of Node's packages.

use super::indexes::index;
use super::managers::find;
use super::told::Part;
use super::{INDEX, SCRIPTS, install, is_known_index};
use crate::commands::Run;
use crate::commands::verbs::{Deed, GRANT, SECRET};

/// What managers of Node's packages do, each with its own options.
pub(super) const DEEDS: &[(&str, Deed)] = &[
    ("** --dry-run", Deed::Safe),
    ("publish|npm|stage !--help", Deed::Publish("npm")),
    ("unpublish", Deed::Publish("npm")),
    ("deprecate", Deed::Publish("npm")),
    ("dist-tag|dist-tags|tag add|rm|remove|set", Deed::Publish("npm")),
    ("owner|author add|rm", Deed::Publish("npm")),
    ("access set|grant|revoke|public|restricted", Deed::Publish("npm")),
    ("token create", GRANT),
    ("config set yarnPath|yarn-path /*|~*|*://*", INDEX),
    ("set version https://*|http://*|/*", INDEX),
    ("config|c set script-shell|script-shell=*|node-options|node-options=*|init-module|init-module=*", INDEX),
    ("token revoke|delete|rm", Deed::Publish("npm")),
    ("config|c set ignore-scripts=false", SCRIPTS),
    ("config|c set ignore-scripts false", SCRIPTS),
    ("set ignore-scripts=false", SCRIPTS),
    ("config|c set registry|registry=*|*:registry|*:registry=*|strict-ssl|strict-ssl=false", INDEX),
    ("set registry|registry=*|*:registry|*:registry=*|strict-ssl=false", INDEX),
    ("config|c get *authToken*|*AuthToken*|*_auth|*_password|*:_authToken", SECRET),
    ("config set npmRegistryServer|npmRegistries*|enableStrictSsl", INDEX),
];

/// What they install, and from where.
pub(super) fn notice(run: &mut Run) {
    let Some(told) = find(run.program).map(|manager| manager.told(run.args)) else { return };
    let installs = ["install", "i", "in", "ins", "add", "isntall", "ci", "update", "up", "upgrade"];
    let verb = told.verbs.first().map(String::as_str).unwrap_or_default();
    if !installs.contains(&verb) || told.looks_only() {
        return;
    }
    let registries = told.parts.iter().filter_map(|part| match part {
        Part::Source(name, from) if name == "registry" => Some(from.shown()),
        _ => None,
    });
    for from in registries {
        let local = from.contains("://localhost") || from.contains("://127.0.0.1");
        if !is_known_index(&from) && !local {
            index(run, &from);
        }
    }
    let manager = run.program.to_owned();
    told.packages.iter().for_each(|package| install(run, &manager, package));
}
