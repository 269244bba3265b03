//! Bundles, approvals, accounts, pages.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_fleet::app::now;
use tollgate_fleet::simulate::{Simulated, write_log};
use tollgate_fleet_protocol::{Bundle, Hello, Installed, Policy, SignedBundle, Stage};

use crate::world::{Answer, Server, World, call};

fn upload(world: &World, signed: &SignedBundle) -> Answer {
    world.post("/api/bundles", &world.admin, &serde_json::to_value(signed).unwrap())
}

pub fn only_sound_bundles_are_taken(world: &mut World) {
    let good = world.bundle("sound", 10);
    let signed = world.sign(&good);
    let forged = SignedBundle { bundle: signed.bundle.replace("version: 1", "version: 2"), ..signed.clone() };
    let cut = SignedBundle { bundle: signed.bundle.chars().take(50).collect(), ..signed.clone() };
    let unsigned = SignedBundle { signature: String::new(), ..signed.clone() };
    let expired = world.sign(&Bundle { expires: now() - 1, ..good.clone() });
    let other = world.sign(&Bundle { fleet: "other".into(), ..good.clone() });
    let outside = Bundle { files: [("../x".to_owned(), String::new())].into(), ..good.clone() };
    for wrong in [forged, cut, unsigned, expired, other, world.sign(&outside)] {
        assert_eq!(upload(world, &wrong).status, 400);
    }
    assert_eq!(upload(world, &signed).status, 200);
    assert_eq!(upload(world, &signed).status, 200, "the same one again");
    assert_eq!(upload(world, &world.sign(&world.bundle("sound", 9))).status, 409);
    let changed = Bundle { min_previous: 1, ..good };
    assert_eq!(upload(world, &world.sign(&changed)).status, 409, "another one with its version");
    let wanted = json!({ "group": "lab", "digest": signed.digest() });
    assert_eq!(
        world.post("/api/rollouts", &world.admin, &wanted).status,
        400,
        "it is not signed for this group"
    );
}

fn policies(machine: &Simulated, policy: Policy) -> Vec<(u64, Stage)> {
    let welcome = machine.greet(&Hello { policy, ..Hello::default() }).unwrap();
    welcome.policies.iter().map(|one| (one.bundle.version, one.stage)).collect()
}

fn step(world: &World, rollout: i64, step: &str) -> u16 {
    world.post(&format!("/api/rollouts/{rollout}/{step}"), &world.admin, &json!({})).status
}

pub fn a_bundle_goes_out_in_stages(world: &mut World) {
    let machine = world.machine("stages");
    assert_eq!(policies(&machine, Policy::default()), []);
    let (digest, rollout) = world.roll_out(&world.bundle("stages", 20));
    assert_eq!(policies(&machine, Policy::default()), [(20, Stage::Observe)]);
    let got: SignedBundle =
        machine.request("GET", &format!("/v1/bundles/{digest}"), b"").unwrap().json().unwrap();
    let opened = got.open(&[world.signer.pk.to_base64()]).unwrap();
    assert_eq!(opened.check_update(("fleet", "stages"), &digest, None, now()), Ok(()));
    for _ in 0..3 {
        assert_eq!(step(world, rollout, "advance"), 200);
    }
    assert_eq!(step(world, rollout, "advance"), 409);
    assert_eq!(policies(&machine, Policy::default()), [(20, Stage::Enforce)]);
    let (_, next) = world.roll_out(&world.bundle("stages", 21));
    let enforced = Some(Installed { version: 20, digest });
    let policy = Policy { enforced, ..Policy::default() };
    assert_eq!(policies(&machine, policy.clone()), [(20, Stage::Enforce), (21, Stage::Observe)]);
    assert_eq!(step(world, next, "withdraw"), 200);
    assert_eq!(policies(&machine, policy), [(20, Stage::Enforce)]);
    assert_eq!(machine.request("GET", "/v1/bundles/x", b"").unwrap().status, 404);
}

pub fn a_harmful_rollout_is_held(world: &mut World) {
    let machine = world.machine("harm");
    let (digest, rollout) = world.roll_out(&world.bundle("harm", 30));
    let observed = Some(Installed { version: 30, digest });
    let policy = Policy { observed, observed_calls: 100, observed_refusals: 50, ..Policy::default() };
    policies(&machine, policy.clone());
    let boasts = Policy { observed_calls: u64::MAX, observed_refusals: u64::MAX, ..policy };
    policies(&world.machine("harm"), boasts);
    // A server looks at rollouts when it starts, and every 30 seconds.
    world.restart();
    let held = |world: &World| {
        let all = world.get("/api/rollouts", &world.admin).json();
        let one =
            all["rollouts"].as_array().unwrap().iter().find(|one| one["id"] == rollout).unwrap().clone();
        one["held"].as_str().map(str::to_owned)
    };
    let end = Instant::now() + Duration::from_secs(10);
    while held(world).is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(held(world).as_deref(), Some("would refuse 100050 of 100100 calls that pass now"));
    assert_eq!(step(world, rollout, "advance"), 409);
    assert_eq!(step(world, rollout, "resume"), 200);
}

fn waiting(world: &World, machine: &Simulated) -> Vec<Value> {
    let all = world.get("/api/waiting", &world.admin).json();
    all["waiting"].as_array().unwrap().iter().filter(|one| one["machine"] == machine.id()).cloned().collect()
}

pub fn an_approval_reaches_its_machine(world: &mut World) {
    let token = world.token("lab");
    let mut machine = Simulated::new(&world.server.url, "waits").unwrap();
    let joined = machine.enrol(&token).unwrap();
    let log = write_log(&world.state(), 0, 10).unwrap();
    machine.sync(&log).unwrap();
    let calls = waiting(world, &machine);
    assert_eq!(calls.len(), 1, "the one call that was refused");
    let digest = calls[0]["digest"].as_str().unwrap().to_owned();
    assert!(calls[0]["call"].as_str().unwrap().starts_with("Bash {\"command\":\"cargo test"));
    assert!(machine.grants(0, 0).unwrap().grants.is_empty());
    // The machine waits at one server; somebody approves at another.
    let other = Server::start(&world.postgres.url(), world.folder.path(), "");
    let path = format!("/api/waiting/{}/{digest}", machine.id());
    let headers =
        [("authorization", format!("Bearer {}", world.admin)), ("content-type", "application/json".into())];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let (grants, took) = std::thread::scope(|scope| {
        let waits = scope.spawn(|| machine.grants(0, 20).map(|grants| (grants, Instant::now())));
        // So that it waits by now; should it not, the test is easier, and passes all the same.
        std::thread::sleep(Duration::from_millis(300));
        let approved = Instant::now();
        assert_eq!(call(&other.url, "POST", &path, &headers, r#"{"approve":true}"#).status, 200);
        let (grants, came) = waits.join().unwrap().unwrap();
        (grants, came.saturating_duration_since(approved))
    });
    assert!(took < Duration::from_secs(2), "{took:?}");
    let grant = &grants.grants[0];
    assert_eq!((grant.digest.as_str(), grant.by.as_str()), (digest.as_str(), "token tests"));
    assert_eq!(grant.check(&joined.grant_key, &machine.id(), now()), Ok(()));
    assert!(machine.grants(grant.id, 0).unwrap().grants.is_empty());
    assert_eq!(world.post(&path, &world.admin, &json!({ "approve": true })).status, 409, "approved once");
    assert!(waiting(world, &machine).is_empty());
    let other = world.machine("lab");
    assert!(other.grants(0, 0).unwrap().grants.is_empty(), "a grant is for one machine");
}

pub fn roles_are_kept(world: &mut World) {
    let token = |role: &str| {
        world.command(&["create-api-token", &format!("role-{role}"), "--role", role], "").unwrap()
    };
    let machine = "0".repeat(32);
    let (viewer, approver, author) = (token("viewer"), token("approver"), token("author"));
    let status =
        |token: &str, path: &str| world.post(path, token, &json!({ "approve": true, "group": "x" })).status;
    let decide = format!("/api/waiting/{machine}/x");
    let revoke = format!("/api/machines/{machine}/revoke");
    assert_eq!(world.get("/api/machines", &viewer).status, 200);
    assert_eq!(status(&viewer, &decide), 403);
    assert_eq!(status(&approver, &decide), 409);
    assert_eq!(status(&approver, "/api/rollouts/1/hold"), 403);
    assert_eq!(status(&author, &revoke), 403);
    assert_eq!(status(&author, "/api/tokens"), 403);
    assert_eq!(status(&world.admin, &revoke), 404);
    for (path, token) in [("/api/machines", ""), ("/api/machines", "x"), ("/api/waiting", "x")] {
        assert_eq!(world.get(path, token).status, 401);
    }
    world.command(&["revoke-api-token", "role-viewer"], "").unwrap();
    assert_eq!(world.get("/api/machines", &viewer).status, 401);
}

pub fn pages_need_a_login_and_their_own_forms(world: &mut World) {
    let url = world.server.url.clone();
    world.command(&["create-user", "ann", "--role", "approver"], "a long password\n").unwrap();
    assert!(world.command(&["create-user", "bob", "--role", "viewer"], "short").is_err());
    let form = ("content-type", "application/x-www-form-urlencoded");
    let page = |path: &str| call(&url, "GET", path, &[], "");
    for path in ["/machines", "/waiting", "/incidents", "/rollouts"] {
        assert_eq!((page(path).status, &page(path).headers["location"]), (303, &"/login".parse().unwrap()));
    }
    assert!(
        page("/login").headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'")
    );
    let log_in = |body: &str| call(&url, "POST", "/login", &[form], body);
    for wrong in ["name=ann&password=x", "name=nobody&password=a+long+password"] {
        assert_eq!(log_in(wrong).status, 401);
    }
    let answer = log_in("name=ann&password=a+long+password");
    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = ("cookie", cookie.split(';').next().unwrap());
    let shown = call(&url, "GET", "/machines", &[cookie], "");
    assert!(shown.status == 200 && shown.text.contains("host-1") && !shown.text.contains("Revoke"));
    for path in ["/waiting", "/incidents", "/rollouts", "/machines?unguarded=true"] {
        assert_eq!(call(&url, "GET", path, &[cookie], "").status, 200, "{path}");
    }
    let csrf = shown.text.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let out = |headers: &[(&str, &str)], csrf: &str| {
        call(&url, "POST", "/logout", headers, &format!("csrf={csrf}")).status
    };
    assert_eq!(out(&[cookie, form], "x"), 403);
    assert_eq!(out(&[cookie, form, ("origin", "https://evil.test")], csrf), 403);
    assert_eq!(out(&[cookie, form, ("sec-fetch-site", "cross-site")], csrf), 403);
    let revoke = format!("/machines/{}/revoke", "0".repeat(32));
    assert_eq!(call(&url, "POST", &revoke, &[cookie, form], &format!("csrf={csrf}")).status, 403, "no admin");
    assert_eq!(out(&[cookie, form], csrf), 303);
    assert_eq!(call(&url, "GET", "/machines", &[cookie], "").status, 303, "the session has ended");
    for _ in 0..5 {
        assert_eq!(log_in("name=ann&password=x").status, 401);
    }
    assert_eq!(log_in("name=ann&password=a+long+password").status, 401, "the account rests");
}

pub fn the_audit_trail_cannot_be_changed(world: &mut World) {
    assert!(world.command(&["verify-audit"], "").unwrap().ends_with("entries, unbroken"));
    for change in ["UPDATE audit SET who = 'x'", "DELETE FROM audit", "TRUNCATE audit"] {
        assert!(world.query(change).unwrap_err().contains("append-only"));
    }
    // The owner of the database can take the guard away; then the chain shows what was done.
    world.query("ALTER TABLE audit DISABLE TRIGGER audit_is_append_only").unwrap();
    let row = world.query("UPDATE audit SET who = who || '!' WHERE seq = 2 RETURNING seq").unwrap();
    assert_eq!(row, ["2"]);
    assert!(world.command(&["verify-audit"], "").unwrap_err().contains("entry 2 was changed"));
    world.query("UPDATE audit SET who = left(who, -1) WHERE seq = 2").unwrap();
    world.query("ALTER TABLE audit ENABLE TRIGGER audit_is_append_only").unwrap();
    assert!(world.command(&["verify-audit"], "").is_ok());
}
