//! Scripts on disk that are hard to read: what a shell runs of them is judged, and what is not read is asked about.

#![allow(clippy::panic, reason = "tests")]

mod support;

use support::{event, world};
use tollgate_model::json::Value;
use tollgate_model::{StillFile, ToolCall, Verdict};
use tollgate_pipeline::judge;
use tollgate_policy::Policy;

fn check(script: Vec<u8>, command: &str, least: Verdict) {
    let mut world = world();
    world.files.insert("/home/user/project/x.sh".into(), StillFile::File(script));
    let event = event(ToolCall::shell(command.to_owned()), Value::Null);
    let verdict = judge(&event, &world, &Policy::builtin()).decision.verdict;
    assert!(verdict >= least, "{command}: {}", verdict.name());
    assert!(least.refuses() || !verdict.refuses(), "{command}: {}", verdict.name());
}

#[test]
fn bytes_that_are_no_text_hide_nothing() {
    for script in
        [&b"echo a\nrm -rf ~\n\0\0"[..], b"# caf\xe9\nrm -rf ~\n", b"echo \xff\xfe; rm -rf ~ # \xc3"]
    {
        check(script.to_vec(), "bash x.sh", Verdict::Deny);
        check(script.to_vec(), "./x.sh", Verdict::Deny);
    }
    check(b"\x7fELF\x02\x01\x01\0\0\0\nrm -rf ~\n".to_vec(), "./x.sh", Verdict::Allow);
    check(b"# caf\xe9\necho a\n".to_vec(), "bash x.sh", Verdict::Allow);
}

#[test]
fn what_is_behind_the_limit_is_asked_about() {
    let mut long = b"echo padding\n".to_vec();
    long.resize(1024 * 1024, b'#');
    long.extend(b"\nrm -rf ~\n");
    for command in ["bash x.sh", "./x.sh", ". ./x.sh", "bash < x.sh", "cat x.sh | bash"] {
        check(long.clone(), command, Verdict::Ask);
    }
    check(long, "wc -l x.sh", Verdict::Allow);
}

#[test]
fn after_many_scripts_the_next_is_asked_about() {
    let many = "bash src/old.rs; ".repeat(80);
    check(b"rm -rf ~\n".to_vec(), &format!("{many} bash x.sh"), Verdict::Ask);
}
