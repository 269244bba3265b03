//! For all files: no layer loosens what stands above it, and no fault loosens anything.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::fs;

use common::{CARDS, Machine};
use proptest::prelude::*;
use tollgate_policy::Policy;

/// Is `a` at least as strict as `b` about these rules?
fn covers_rules(a: &Policy, b: &Policy, mut about: impl FnMut(&str) -> bool) -> bool {
    let paths = ["/x", "/x/y", "/z"];
    CARDS.iter().filter(|card| about(card.id)).all(|card| {
        a.level(card) >= b.level(card)
            && paths.iter().all(|path| b.excepted(card.id, path) || !a.excepted(card.id, path))
    })
}

/// Is `a` at least as strict as `b` in everything?
fn covers(a: &Policy, b: &Policy) -> bool {
    let switches =
        a.mode >= b.mode && a.on_fault >= b.on_fault && a.approve >= b.approve && a.audit >= b.audit;
    switches && covers_rules(a, b, |_| true)
}

/// Settings of a good file.
fn settings() -> impl Strategy<Value = String> {
    let one = |key: &'static str, values: &'static [&'static str]| {
        prop::option::of(prop::sample::select(values))
            .prop_map(move |value| value.map_or(String::new(), |value| format!("{key}: {value}\n")))
    };
    let values = &[
        "off",
        "note",
        "ask",
        "deny",
        "{except: ['/x/**']}",
        "{except: ['/x', '/z']}",
        "{except: []}",
        "{level: ask, except: ['/{x,z}']}",
    ][..];
    let rule = |id: &'static str| {
        let value = prop::option::of(prop::sample::select(values));
        value.prop_map(move |value| value.map_or(String::new(), |value| format!("  {id}: {value}\n")))
    };
    let pack = |name: &'static str| {
        prop::option::of(
            prop::bool::ANY.prop_map(move |on| if on { name.to_owned() } else { format!("-{name}") }),
        )
    };
    let switches = (
        one("mode", &["enforce", "observe"]),
        one("on_fault", &["ask", "deny", "allow"]),
        one("approve", &["none", "read-only"]),
        one("audit", &["optional", "required"]),
    );
    let packs = (pack("git"), pack("secrets"), pack("cloud"));
    let rules = (rule("git-force-push"), rule("git-push"), rule("secret-file-read"), rule("cloud-delete"));
    (switches, packs, rules).prop_map(|(switches, packs, rules)| {
        let (mode, on_fault, approve, audit) = switches;
        let packs: Vec<String> = [packs.0, packs.1, packs.2].into_iter().flatten().collect();
        let rules = [rules.0, rules.1, rules.2, rules.3].concat();
        format!("{mode}{on_fault}{approve}{audit}packs: [{}]\nrules:\n{rules}", packs.join(", "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn f07_no_layer_loosens_what_stands_above(etc in settings(), user in settings(), root in settings(), nested in settings()) {
        let machine = Machine::with(&[("etc", &etc)]);
        let managed = machine.load().policy;
        machine.set("config", &user);
        let trusted = machine.load();
        prop_assert!(!trusted.notices.iter().any(|notice| notice.contains("broken")), "{:?}", trusted.notices);
        prop_assert!(covers_rules(&trusted.policy, &managed, |id| etc.contains(&format!("{id}:"))), "{etc}\n{user}");
        machine.set("project", &root);
        let project = machine.load().policy;
        prop_assert!(covers(&project, &trusted.policy), "{etc}\n{user}\n{root}");
        machine.set("project/a", &nested);
        let below = machine.load_in("project/a").policy;
        prop_assert!(covers(&below, &project), "{etc}\n{user}\n{root}\n{nested}");
    }

    #[test]
    fn f06_no_fault_loosens(
        etc in settings(),
        user in settings(),
        root in settings(),
        at in prop::sample::select(&["etc", "config", "project"][..]),
        cut in any::<prop::sample::Index>(),
        junk in prop::sample::select(&["", "]", "\nx: y", "\u{0}", "\n\t"][..]),
    ) {
        let machine = Machine::with(&[("etc", &etc), ("config", &user), ("project", &root)]);
        let good = machine.load().policy;
        let text = fs::read_to_string(machine.file(at)).unwrap();
        let kept = cut.index(text.len() + 1);
        machine.write(at, [text.as_bytes().get(..kept).unwrap(), junk.as_bytes()].concat());
        for cwd in ["project", "project/elsewhere"] {
            let loaded = machine.load_in(cwd);
            if loaded.notices.iter().any(|notice| notice.contains("is broken")) {
                prop_assert!(covers(&loaded.policy, &good), "{at} {kept} {junk:?}\n{text}");
                prop_assert!(covers(&loaded.policy, &Policy::builtin()), "{at} {kept} {junk:?}\n{text}");
            }
        }
        fs::remove_file(machine.file(at)).unwrap();
        let gone = machine.load();
        prop_assert!(covers(&gone.policy, &Policy::builtin()));
        prop_assert!(gone.notices.iter().any(|notice| notice.contains("is gone")));
    }

    #[test]
    fn f06_no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in prop::sample::select(&["etc", "config", "project"][..])) {
        let machine = Machine::new();
        machine.write(at, &bytes);
        prop_assert_eq!(machine.load().policy, machine.load().policy);
    }
}
