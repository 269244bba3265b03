//! Clouds: the words by which their interfaces open something, in the options of their tools and in the arguments of
//! their libraries alike.

use super::leaves::normal;
use super::{How, Leaves, Opening};

/// Names that open something to everybody by these values. A star stands for any letters.
const PUBLIC: &[(&str, &[&str])] = &[
    ("cidrip", EVERYWHERE),
    ("cidripv6", EVERYWHERE),
    ("cidr", EVERYWHERE),
    ("cidrblock", EVERYWHERE),
    ("cidrblocks", EVERYWHERE),
    ("sourceranges", EVERYWHERE),
    ("publicaccesscidrs", EVERYWHERE),
    ("authorizednetworks", EVERYWHERE),
    ("sourceaddressprefix", ANYBODY),
    ("sourceaddressprefixes", ANYBODY),
    ("acl", &["public-*", "authenticated-read"]),
    ("predefinedacl", &["public*"]),
    ("member", &["allUsers", "allAuthenticatedUsers"]),
    ("members", &["allUsers", "allAuthenticatedUsers"]),
    ("entity", &["allUsers", "allAuthenticatedUsers"]),
    ("uri", &["*/AllUsers", "*/AuthenticatedUsers"]),
    ("publicaccess", &["container", "blob"]),
    ("publiclyaccessible", &["true"]),
    ("allowblobpublicaccess", &["true"]),
    ("blockpublicacls", &["false"]),
    ("ignorepublicacls", &["false"]),
    ("blockpublicpolicy", &["false"]),
    ("restrictpublicbuckets", &["false"]),
    ("publicaccessprevention", &["inherited", "unspecified"]),
    ("authtype", &["NONE"]),
    ("functionurlauthtype", &["NONE"]),
    ("groupnames", &["all"]),
    ("launchpermission.add.group", &["all"]),
    ("group", &["all"]),
];

/// Stands for every net that is wide.
const EVERYWHERE_WIDE: &str = "/";
const EVERYWHERE: &[&str] = &["0.0.0.0/0", "::/0", EVERYWHERE_WIDE];
const ANYBODY: &[&str] = &["0.0.0.0/0", "::/0", "*", "Internet", "Any", EVERYWHERE_WIDE];

/// Names that give all rights by these values.
const GRANTS: &[(&str, &[&str])] = &[
    ("policyarn", &["*AdministratorAccess", "*IAMFullAccess", "*PowerUserAccess"]),
    // The roles of an owner, a contributor and an administrator of access, by their numbers.
    (
        "roledefinitionid",
        &[
            "*8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
            "*b24988ac-6180-42a0-ab88-20f7382dd24c",
            "*18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
        ],
    ),
    (
        "role",
        &[
            "roles/owner",
            "roles/editor",
            "roles/iam.securityAdmin",
            "*8e3af657-a8ff-443c-a75c-2fe8c4bcb635",
            "*b24988ac-6180-42a0-ab88-20f7382dd24c",
            "*18d7d88d-d35e-4fb5-a5c3-7773c20a72d9",
        ],
    ),
];

/// What these values open.
pub(crate) fn opening(given: &Leaves) -> Option<Opening> {
    let fits = |table: &[(&str, &[&str])]| {
        let found = table.iter().find(|(name, values)| {
            given.ending(name).any(|(_, value)| values.iter().any(|pattern| is_like(pattern, value)))
        });
        found.map(|(name, _)| (*name).to_owned())
    };
    if let Some(name) = fits(PUBLIC) {
        return Some(Opening::new(How::Public, name));
    }
    if let Some(name) = fits(GRANTS) {
        return Some(Opening::new(How::Grant, name));
    }
    statement(given)
}

/// A statement of a policy that allows everybody something, or somebody everything. What forbids is no opening.
fn statement(given: &Leaves) -> Option<Opening> {
    let principals = given.ending("principal").chain(given.ending("principal.aws"));
    let mut everybody = principals.filter(|(_, value)| *value == "*").map(|(way, _)| given.below(way));
    if everybody.any(|statement| {
        is_allowed(&statement) && !statement.all().any(|(path, _)| path.starts_with("condition"))
    }) {
        return Some(Opening::new(How::Public, "a policy for everybody"));
    }
    let all = given
        .ending("action")
        .filter(|(_, value)| matches!(*value, "*" | "*:*"))
        .map(|(way, _)| given.below(way));
    let mut all = all.filter(|statement| is_allowed(statement) && statement.has("resource", &["*"]));
    all.next().map(|_| Opening::new(How::Grant, "a policy that allows everything"))
}

/// A statement that does not say `Deny`; permissions of functions say neither.
fn is_allowed(statement: &Leaves) -> bool {
    !statement.has("effect", &["Deny"])
}

/// Does a policy name whom it is for?
pub(crate) fn names_principal(given: &Leaves) -> bool {
    given.all().any(|(path, value)| path.contains("principal") && value != "*")
}

/// A net that holds a good part of all addresses: two halves of them are all.
pub(crate) fn is_everywhere(net: &str) -> bool {
    let Some((address, length)) = net.trim().split_once('/') else { return false };
    let Ok(length) = length.parse::<u8>() else { return false };
    // What is private in the old addresses has eight bits at least, in the new ones seven.
    let widest = if address.parse::<core::net::Ipv4Addr>().is_ok() { 7 } else { 6 };
    address.parse::<core::net::IpAddr>().is_ok() && length <= widest
}

fn is_like(pattern: &str, value: &str) -> bool {
    if pattern == EVERYWHERE_WIDE {
        return value.split(',').any(is_everywhere);
    }
    let (pattern, value) = (pattern.to_ascii_lowercase(), value.to_ascii_lowercase());
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (_, _) if pattern == "*" => value == "*",
        (Some(end), _) => value.ends_with(end),
        (None, Some(start)) => value.starts_with(start),
        (None, None) => value.split(',').any(|one| one == pattern),
    }
}

/// Requests of the clouds' interfaces that open or blind something whatever they are given: as methods are called in
/// libraries, without the marks between their words.
const CALLS: &[(&str, How)] = &[
    ("deletepublicaccessblock", How::Public),
    ("deletebucketpublicaccessblock", How::Public),
    ("makepublic", How::Public),
    ("stoplogging", How::Weaker),
    ("deletetrail", How::Weaker),
    ("deleteflowlogs", How::Weaker),
    ("deletedetector", How::Weaker),
    ("disablesecurityhub", How::Weaker),
    ("stopconfigurationrecorder", How::Weaker),
    ("deleteconfigurationrecorder", How::Weaker),
    ("deletedeliverychannel", How::Weaker),
    ("disablekey", How::Weaker),
    ("schedulekeydeletion", How::Weaker),
    ("disableebsencryptionbydefault", How::Weaker),
    ("deletebucketencryption", How::Weaker),
    ("deleteaccountpasswordpolicy", How::Weaker),
    ("deactivatemfadevice", How::Weaker),
    ("deletevirtualmfadevice", How::Weaker),
    ("createaccesskey", How::Grant),
    ("createloginprofile", How::Grant),
    ("updateloginprofile", How::Grant),
    ("createserviceaccountkey", How::Grant),
    ("updateassumerolepolicy", How::Grant),
];

/// Does a request only look?
fn looks(name: &str) -> bool {
    ["get", "list", "describe", "head", "lookup", "simulate", "validate", "search", "query", "batchget"]
        .iter()
        .any(|verb| name.starts_with(verb))
}

/// What a call of a cloud's library opens. `own` says that it is known to be one.
pub(crate) fn call(name: &str, given: &Leaves, own: bool) -> Option<Opening> {
    let name = normal(name.strip_suffix("Command").unwrap_or(name));
    // What goes out may go anywhere.
    if looks(&name) || name.contains("egress") {
        return None;
    }
    let known = CALLS.iter().find(|(call, _)| *call == name && (own || call.len() > 14));
    if let Some((call, how)) = known {
        return Some(Opening::new(*how, *call));
    }
    let opened = opening(given).filter(|_| own || name.len() > 8);
    // A policy that is only known when it runs.
    let unknown = name == "putbucketpolicy" && !names_principal(given);
    opened.or_else(|| unknown.then(|| Opening::new(How::Public, "a policy that is known only at run time")))
}

/// A role that somebody is given, whatever it is.
pub(crate) fn assignment(name: &str) -> Opening {
    Opening::new(How::Grant, format!("{name} of a role"))
}

/// The requests that a plan names, as commands of the cloud's tool.
pub(crate) fn planned(text: &str) -> impl Iterator<Item = [String; 3]> {
    text.match_indices(":aws-sdk:").filter_map(move |(at, mark)| {
        let part = |c: char| c.is_ascii_alphanumeric() || c == ':';
        let rest = text.get(at + mark.len()..)?;
        let named = rest.get(..rest.find(|c| !part(c)).unwrap_or(rest.len()))?;
        let (service, action) = named.split_once(':')?;
        let action = action.split(':').next().unwrap_or_default();
        let service = if service == "s3" { "s3api" } else { service };
        Some(["aws".to_owned(), service.to_ascii_lowercase(), dashed(action)])
    })
}

/// `deleteDBCluster` as the tool calls it, `delete-db-cluster`.
fn dashed(name: &str) -> String {
    let letters: Vec<char> = name.chars().take(80).collect();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let starts = before.is_some_and(|before| {
            let behind = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
            before.is_ascii_lowercase() || before.is_ascii_uppercase() && behind
        });
        if letter.is_ascii_uppercase() && starts {
            out.push('-');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
