//! Requests to forges: protections of branches, who may see and push, what runs with which rights. By the interfaces
//! that GitHub, GitLab and Gitea document.

use super::leaves::normal;
use super::{How, Leaves, Opening};

/// What a request to a forge gives away. The path may be an address.
pub(crate) fn opening(method: &str, path: &str, body: &Leaves) -> Option<Opening> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<String> =
        local(path).split('/').filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let method = method.to_ascii_uppercase();
    let changes = matches!(method.as_str(), "PUT" | "PATCH" | "POST");
    if method == "DELETE" {
        return removed(&parts);
    }
    if !changes {
        return None;
    }
    let shown = parts.join("/");
    let grant = |what: &str| Some(Opening::new(How::Grant, format!("{what} (`{shown}`)")));
    match parts.as_slice() {
        ["graphql", ..] => None,
        [.., "collaborators" | "memberships" | "members", _] | [.., "members" | "invitations"] => {
            grant("somebody may change a project of the forge")
        }
        [.., "keys" | "deploy_keys" | "gpg_keys" | "ssh_signing_keys"] => {
            grant("a key that may change a project")
        }
        [.., "personal_access_tokens" | "access_tokens"] => grant("a token"),
        [.., "transfer"] => grant("a project goes to somebody else"),
        [.., "hooks"] => weaker("sends the events of a project to another site", &shown),
        _ => weakened(&parts, body, &shown),
    }
}

/// A GraphQL query that changes what protects a branch or who sees a repository.
pub(crate) fn mutation(query: &str) -> Option<Opening> {
    let dense: String = query.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\\')).collect();
    let lower = dense.to_ascii_lowercase();
    let mutates = lower.starts_with("mutation") || lower.contains("query:mutation");
    let marks = [
        "deletebranchprotectionrule",
        "deleterepositoryruleset",
        "allowsforcepushes:true",
        "allowsdeletions:true",
        "isadminenforced:false",
        "requiresapprovingreviews:false",
        "requiresstatuschecks:false",
        "requiredapprovingreviewcount:0",
        "enforcement:disabled",
        "visibility:public",
    ];
    let found = marks.iter().find(|mark| mutates && lower.contains(**mark))?;
    weaker("a protection of a repository", found)
}

/// Libraries of forges, and their methods that open something whatever they are given.
const LIBRARIES: &[&str] = &["github", "Github", "octokit", "@octokit", "gitlab", "@gitbeaker", "gitea"];
const CALLS: &[(&str, How)] = &[
    ("removeprotection", How::Weaker),
    ("deletebranchprotection", How::Weaker),
    ("deleteadminbranchprotection", How::Weaker),
    ("removeadminenforcement", How::Weaker),
    ("removerequiredpullrequestreviews", How::Weaker),
    ("removerequiredstatuschecks", How::Weaker),
    ("deletereporuleset", How::Weaker),
    ("disablevulnerabilityalerts", How::Weaker),
    ("addtocollaborators", How::Grant),
    ("addcollaborator", How::Grant),
    ("createdeploykey", How::Grant),
    ("createkey", How::Grant),
    ("createhook", How::Weaker),
    ("createwebhook", How::Weaker),
    ("setmembershipforuser", How::Grant),
    ("addtomembers", How::Grant),
];

/// What a call of a forge's library opens.
pub(crate) fn call(class: &str, name: &str, given: &Leaves) -> Option<Opening> {
    if !LIBRARIES.iter().any(|library| class.starts_with(library)) {
        return None;
    }
    let name = normal(name);
    if let Some((call, how)) = CALLS.iter().find(|(call, _)| *call == name) {
        return Some(Opening::new(*how, *call));
    }
    // `protectedbranches.delete("main")`
    if name == "delete"
        && ["protectedbranches", "protectedtags", "pushrules"].iter().any(|part| class.ends_with(part))
    {
        return weaker("a protection of a repository is deleted", class);
    }
    // `request("PATCH /repos/a/b", {…})`
    let asked = given.all().find_map(|(path, value)| value.split_once(' ').filter(|_| path.is_empty()));
    if let Some((method, path)) = asked {
        return opening(method, path, given);
    }
    let edits = ["edit", "update", "create", "set", "put"].iter().any(|verb| name.starts_with(verb));
    if edits
        && (given.has("visibility", &["public"]) || given.has("private", &["false"]))
        && !name.starts_with("create")
    {
        return Some(Opening::new(How::Public, "a repository"));
    }
    let (setting, _) = WEAKER.iter().find(|(name, values)| edits && given.has(name, values))?;
    weaker("a setting of a repository", setting)
}

/// Is it the address of a forge's interface?
pub(crate) fn is_forge(address: &str) -> bool {
    let host = crate::url::host(address);
    let named = ["github", "gitlab", "gitea", "forgejo", "codeberg"].iter().any(|name| host.contains(name));
    let interface = host.starts_with("api.") || address.contains("/api/v");
    interface && (named || address.contains("/api/v4/projects") || address.contains("/api/v3/repos"))
}

/// The path of an address, behind the version of the interface.
fn local(path: &str) -> &str {
    let path =
        path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let versions = ["api/v4/", "api/v3/", "api/v1/"];
    versions.iter().find_map(|version| Some(path.split_once(version)?.1)).unwrap_or(path)
}

/// What is protected no more when this is gone.
fn removed(parts: &[&str]) -> Option<Opening> {
    let guards = [
        "protection",
        "protected_branches",
        "branch_protections",
        "protected_tags",
        "rulesets",
        "vulnerability-alerts",
        "automated-security-fixes",
        "push_rule",
        "approval_rules",
    ];
    let found = parts.iter().any(|part| guards.contains(part));
    found.then(|| weaker("a protection of a repository is deleted", &parts.join("/"))).flatten()
}

/// Names of settings, and the values by which they protect less.
const WEAKER: &[(&str, &[&str])] = &[
    ("enforceadmins", &["false", "null"]),
    ("requiredpullrequestreviews", &["null"]),
    ("requiredstatuschecks", &["null"]),
    ("requiredapprovingreviewcount", &["0"]),
    ("allowforcepushes", &["true"]),
    ("allowforcepushes.enabled", &["true"]),
    ("allowforcepush", &["true"]),
    ("allowdeletions", &["true"]),
    ("enforcement", &["disabled", "evaluate"]),
    ("secretscanning.status", &["disabled"]),
    ("secretscanningpushprotection.status", &["disabled"]),
    ("dependabotsecurityupdates.status", &["disabled"]),
    ("advancedsecurity.status", &["disabled"]),
    ("allowedactions", &["all"]),
    ("defaultworkflowpermissions", &["write"]),
    ("canapprovepullrequestreviews", &["true"]),
    ("onlyallowmergeifpipelinesucceeds", &["false"]),
    ("onlyallowmergeifalldiscussionsareresolved", &["false"]),
    ("approvalsbeforemerge", &["0"]),
    ("approvalsrequired", &["0"]),
    ("secretpushprotectionenabled", &["false"]),
    ("resetapprovalsonpush", &["false"]),
    ("pushaccesslevel", &["30"]),
    ("twofactorrequirementenabled", &["false"]),
    ("requiretwofactorauthentication", &["false"]),
];

/// Parts of a path whose settings protect something.
const GUARDS: &[&str] = &[
    "protection",
    "rulesets",
    "permissions",
    "protected_branches",
    "branch_protections",
    "approvals",
    "approval_rules",
    "push_rule",
];

fn weakened(parts: &[&str], body: &Leaves, shown: &str) -> Option<Opening> {
    let whole = matches!(
        parts,
        ["repos", _, _] | ["projects" | "groups" | "orgs", _] | ["user" | "orgs", .., "repos"]
    );
    if !whole && !parts.iter().any(|part| GUARDS.contains(part)) {
        return None;
    }
    // To make a public repository is to publish it, which is told elsewhere.
    let made = parts.last() == Some(&"repos");
    if whole && !made && (body.has("visibility", &["public"]) || body.has("private", &["false"])) {
        return Some(Opening::new(How::Public, format!("a repository (`{shown}`)")));
    }
    let (name, _) = WEAKER.iter().find(|(name, values)| body.has(name, values))?;
    weaker(&format!("{name} of a repository"), shown)
}

fn weaker(what: &str, shown: &str) -> Option<Opening> {
    Some(Opening::new(How::Weaker, format!("{what} (`{shown}`)")))
}
