use super::{How, Leaves, clouds, forges, manifests};

#[test]
fn yaml_and_json_are_read_alike() {
    for text in [
        "a:\n  b: x\n  c:\n  - d: y\n    e: [1, 2]\n",
        "a: {b: x, c: [{d: y, e: [1, 2]}]}",
        "{\"a\": {\"b\": \"x\", \"c\": [{\"d\": \"y\", \"e\": [1, 2]}]}}",
        "a: # why\n  b: 'x'\n  c:\n    - d: \"y\"\n      e:\n        - 1\n        - 2\n",
        "a:\n  b: x\n  c: [\n    {d: y, e: [1, 2]}\n  ]\n",
    ] {
        let documents = Leaves::documents(text);
        let [leaves] = documents.as_slice() else { panic!("{text}") };
        for (name, value) in [("a.b", "x"), ("d", "y"), ("e", "1"), ("e", "2")] {
            assert!(leaves.has(name, &[value]), "{name} of {text}: {leaves:?}");
        }
        assert!(!leaves.has("b", &["y"]), "{text}");
    }
}

#[test]
fn manifests_give_rights_away() {
    let binding = |role: &str, who: &str| {
        format!(
            "kind: ClusterRoleBinding\nroleRef:\n  name: {role}\nsubjects:\n- kind: Group\n  name: {who}\n"
        )
    };
    for (text, expected) in [
        (binding("cluster-admin", "ops"), Some(How::Grant)),
        (binding("view", "system:unauthenticated"), Some(How::Grant)),
        (binding("system:public-info-viewer", "system:unauthenticated"), None),
        (binding("view", "team"), None),
        ("kind: Deployment\nspec: {replicas: 2}".into(), None),
        ("kind: ClusterRole\nrules:\n- verbs: ['*']\n  resources: ['*']".into(), Some(How::Grant)),
        ("kind: ClusterRole\nrules:\n- verbs: [get]\n  resources: ['*']".into(), None),
        ("kind: NetworkPolicy\nspec:\n  ingress:\n  - {}".into(), Some(How::Public)),
        ("kind: NetworkPolicy\nspec:\n  podSelector: {}".into(), None),
        (
            "kind: List\nitems:\n- kind: ClusterRole\n  rules: [{verbs: ['*'], resources: ['*']}]".into(),
            Some(How::Grant),
        ),
    ] {
        let found = Leaves::documents(&text).iter().flat_map(manifests::openings).next();
        assert_eq!(found.map(|opening| opening.how), expected, "{text}");
    }
}

#[test]
fn forges_protect_less() {
    for (method, path, body, expected) in [
        ("PUT", "repos/a/b/branches/main/protection", "{\"enforce_admins\":false}", Some(How::Weaker)),
        (
            "PUT",
            "repos/a/b/branches/main/protection",
            "{\"enforce_admins\":true,\"restrictions\":null}",
            None,
        ),
        ("DELETE", "https://gitlab.com/api/v4/projects/5/protected_branches/main", "", Some(How::Weaker)),
        ("PATCH", "/repos/a/b", "private=false", Some(How::Public)),
        ("PATCH", "/repos/a/b", "description=public", None),
        ("GET", "/repos/a/b/collaborators/x", "", None),
        ("PUT", "/repos/a/b/collaborators/x", "", Some(How::Grant)),
        ("POST", "/repos/a/b/issues", "{\"private\":false}", None),
    ] {
        let found = forges::opening(method, path, &Leaves::body(body));
        assert_eq!(found.map(|opening| opening.how), expected, "{method} {path} {body}");
    }
}

#[test]
fn clouds_are_opened() {
    let policy = |effect: &str, who: &str| {
        format!("{{\"Statement\":[{{\"Effect\":\"{effect}\",\"Principal\":{who},\"Action\":\"s3:*\"}}]}}")
    };
    for (name, text, expected) in [
        ("policy", policy("Allow", "\"*\""), Some(How::Public)),
        ("policy", policy("Allow", "{\"AWS\":\"*\"}"), Some(How::Public)),
        ("policy", policy("Deny", "\"*\""), None),
        ("policy", policy("Allow", "{\"AWS\":\"arn:aws:iam::1:root\"}"), None),
        ("ip-permissions", "IpProtocol=tcp,Ipv6Ranges=[{CidrIpv6=::/0}]".into(), Some(How::Public)),
        ("ip-permissions", "IpProtocol=tcp,IpRanges=[{CidrIp=10.0.0.0/8}]".into(), None),
        ("acl", "public-read".into(), Some(How::Public)),
        ("acl", "private".into(), None),
    ] {
        let mut given = Leaves::default();
        given.option(name, &text);
        assert_eq!(clouds::opening(&given).map(|opening| opening.how), expected, "{name} {text}");
    }
}
