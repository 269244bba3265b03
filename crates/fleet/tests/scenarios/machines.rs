//! Joining, signatures, revocation.

use serde_json::json;
use tollgate_fleet::app::now;
use tollgate_fleet::simulate::Simulated;
use tollgate_fleet_protocol::{Authorization, ErrorAnswer, ErrorCode, MachineKey, System};

use crate::world::{World, call};

pub fn a_token_lets_one_machine_join(world: &mut World) {
    let token = world.token("lab");
    let machine = Simulated::new(&world.server.url, "a").unwrap();
    let joined = machine.enrol(&token).unwrap();
    assert_eq!((joined.fleet.as_str(), joined.group.as_str()), ("fleet", "lab"));
    assert_eq!(joined.policy_keys, [world.signer.pk.to_base64()]);
    assert_eq!(machine.enrol(&token).unwrap(), joined, "the answer may have been lost");
    let other = Simulated::new(&world.server.url, "b").unwrap();
    for wrong in [token.as_str(), "", "0"] {
        let told = other.enrol(wrong).unwrap_err().to_string();
        assert!(told.contains("bad_token"), "{told}");
    }
    world.query("UPDATE tokens SET expires_at = now() WHERE used_by IS NULL").unwrap();
    let late = world.token("lab");
    world.query("UPDATE tokens SET expires_at = now() WHERE used_by IS NULL").unwrap();
    assert!(other.enrol(&late).is_err(), "an expired token");
}

pub fn only_fresh_signed_requests_are_answered(world: &mut World) {
    let machine = world.machine("lab");
    let what = ("GET", "/v1/grants?after=0&wait=0");
    let signed =
        |time: u64, nonce: u8| Authorization::sign(&machine.key, what, b"", time, [nonce; 16]).to_string();
    let ask = |signature: &str| machine.send_signed(what.0, what.1, b"", signature).unwrap();
    let once = signed(now(), 1);
    assert_eq!(ask(&once).status, 200);
    assert_eq!(ask(&once).error(), Some(ErrorCode::Replayed));
    for offset in [-86_400_i64, 86_400] {
        let reply = ask(&signed(now().saturating_add_signed(offset), 2));
        let answer: ErrorAnswer = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(answer.error.code, ErrorCode::ClockSkew);
        assert!(answer.error.server_time.unwrap().abs_diff(now()) < 60);
    }
    let elsewhere = Authorization::sign(&machine.key, ("GET", "/v1/grants"), b"", now(), [3; 16]).to_string();
    assert_eq!(ask(&elsewhere).error(), Some(ErrorCode::BadSignature));
    let stranger = MachineKey::from_seed(&[9; 32]).unwrap();
    let stranger = Authorization::sign(&stranger, what, b"", now(), [4; 16]).to_string();
    assert_eq!(ask(&stranger).error(), Some(ErrorCode::UnknownMachine));
    for header in ["x", "Bearer x", "tollgate-v1 "] {
        assert_eq!(ask(header).error(), Some(ErrorCode::BadSignature));
    }
    assert_eq!(call(&world.server.url, "POST", "/v1/records", &[], "x").status, 401);
}

pub fn a_revoked_key_is_refused_at_once(world: &mut World) {
    let mut machine = world.machine("lab");
    let state = world.state();
    let log = tollgate_fleet::simulate::write_log(&state, 0, 3).unwrap();
    machine.sync(&log).unwrap();
    let revoked = world.post(&format!("/api/machines/{}/revoke", machine.id()), &world.admin, &json!({}));
    assert_eq!(revoked.status, 200);
    for reply in [
        machine.request("GET", "/v1/grants?after=0&wait=0", b"").unwrap(),
        machine.request("POST", "/v1/hello", b"{}").unwrap(),
        machine.send(&[], None).unwrap_or_else(|_| machine.request("POST", "/v1/records", b"").unwrap()),
    ] {
        assert_eq!((reply.status, reply.error()), (403, Some(ErrorCode::Revoked)));
    }
    assert!(machine.enrol(&world.token("lab")).is_err(), "a stolen key does not join again");
    let leaving = world.machine("lab");
    assert_eq!(leaving.request("POST", "/v1/leave", b"").unwrap().status, 200);
    assert!(leaving.hello(None).unwrap_err().to_string().contains("revoked"));
}

pub fn a_key_on_two_machines_is_found(world: &mut World) {
    let mut machine = world.machine("lab");
    machine.hello(None).unwrap();
    machine.hello(None).unwrap();
    assert!(world.incidents(&machine).is_empty());
    machine.system = System { instance: "another disk".into(), ..machine.system };
    machine.hello(None).unwrap();
    assert_eq!(world.incidents(&machine), ["clone"]);
}
