//! Manifests of clusters: rights for everybody, walls that are taken down.

use super::leaves::normal;
use super::{How, Leaves, Opening};

/// What a document gives away. A list of objects is one of them after the other.
pub(crate) fn openings(document: &Leaves) -> Vec<Opening> {
    document.ending("kind").flat_map(|(way, kind)| of_kind(kind, &document.below(way))).collect()
}

/// What a method of a cluster's library makes: an object that names its kind, or one of the method's own.
pub(crate) fn created(method: &str, given: &Leaves) -> Vec<Opening> {
    let method = normal(method);
    let verb = ["create", "patch", "replace"].iter().find_map(|verb| method.strip_prefix(verb));
    let Some(kind) = verb else { return Vec::new() };
    let mut found = openings(given);
    let own = ["clusterrolebinding", "rolebinding", "clusterrole", "networkpolicy"];
    if let Some(kind) = own.iter().find(|own| kind.trim_start_matches("namespaced") == **own) {
        let body = given.below("body.");
        found.extend(of_kind(kind, if body.is_empty() { given } else { &body }));
    }
    found
}

/// What an object of this kind gives away, or a patch of one.
pub(crate) fn of_kind(kind: &str, object: &Leaves) -> Vec<Opening> {
    let kind = kind.to_ascii_lowercase();
    let kind = kind.split('.').next().unwrap_or_default().trim_end_matches('s');
    let found = match kind {
        "clusterrolebinding" | "rolebinding" => bound(kind, object),
        "clusterrole" => wide(object),
        "validatingwebhookconfiguration" | "mutatingwebhookconfiguration" => {
            object.has("failurepolicy", &["Ignore"]).then(|| {
                Opening::new(How::Weaker, "what checks the cluster's objects lets them pass when it fails")
            })
        }
        "networkpolicy" | "networkpolicie" | "netpol" => object
            .has("spec.ingress", &["{}"])
            .then(|| Opening::new(How::Public, "a NetworkPolicy that lets everybody in")),
        "namespace" | "n" => object
            .has("podsecuritykubernetesioenforce", &["privileged"])
            .then(|| Opening::new(How::Grant, "privileged pods in a whole namespace")),
        _ => None,
    };
    found.into_iter().collect()
}

/// Folders of the machine that the pods of a document are given.
pub(crate) fn host_paths(document: &Leaves) -> Vec<&str> {
    document.ending("hostpath.path").map(|(_, path)| path).collect()
}

/// Roles that are bound to everybody, by the cluster itself.
const OWN: &[&str] = &[
    "system:public-info-viewer",
    "system:service-account-issuer-discovery",
    "system:discovery",
    "system:basic-user",
];

fn bound(kind: &str, object: &Leaves) -> Option<Opening> {
    let role = object.ending("roleref.name").map(|(_, name)| name).next().unwrap_or_default();
    let strangers = object.has("subjects.name", &["system:anonymous", "system:unauthenticated"]);
    let everybody = object.has("subjects.name", &["system:authenticated", "system:serviceaccounts"]);
    let strong = matches!(role, "cluster-admin" | "admin" | "edit");
    let found = (strangers && !OWN.contains(&role))
        || (everybody && strong)
        || (role == "cluster-admin" && kind == "clusterrolebinding");
    found.then(|| {
        let who = if strangers || everybody { "everybody" } else { "somebody" };
        Opening::new(How::Grant, format!("the role {role} of the cluster for {who}"))
    })
}

/// A role that may do anything to everything, or make itself another.
fn wide(object: &Leaves) -> Option<Opening> {
    let all = |name: &str| object.has(name, &["*"]);
    let becomes = object.has("rules.verbs", &["escalate", "bind", "impersonate"]);
    (all("rules.verbs") && all("rules.resources") || becomes)
        .then(|| Opening::new(How::Grant, "a role that may do everything in the cluster"))
}
