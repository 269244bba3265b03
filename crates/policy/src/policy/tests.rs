use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tollgate_model::{Approve, Card, Level, Mode, OnFault, Pack};

use super::{Audit, Exception, PackSet, Policy, Rank, Redact, Setting, Undo, describe, strictest};
use crate::contain::Contain;
use crate::undo::Budget;

static CARDS: [Card; 5] = [
    card("a", Pack::Core, Level::Deny),
    card("b", Pack::Core, Level::Note),
    card("c", Pack::Cloud, Level::Ask),
    card("d", Pack::Cloud, Level::Deny),
    card("s", Pack::SelfProtection, Level::Deny),
];

const fn card(id: &'static str, pack: Pack, level: Level) -> Card {
    Card {
        id,
        pack,
        level,
        otherwise: level,
        unsure: Level::Ask,
        doc: "",
        instead: &[],
        person: "",
        examples: &[],
    }
}

fn setting(pack: Pack) -> impl Strategy<Value = Setting> {
    let levels = prop::sample::select(vec![Level::Off, Level::Note, Level::Save, Level::Ask, Level::Deny]);
    let except = prop::collection::btree_set(
        ("/p|/q", "x|\\*\\*").prop_map(|(base, pattern)| Exception { base, pattern }),
        0..3,
    );
    (levels, any::<bool>(), except).prop_map(move |(least, or_default, except)| Setting {
        pack: PackSet::of(pack),
        rank: Rank { least, or_default },
        except,
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let rules: Vec<_> = CARDS.iter().map(|card| prop::option::of(setting(card.pack))).collect();
    let switches = (0..2u8, 0..3u8, 0..2u8, 0..2u8, 0..2u8);
    (rules, any::<[bool; 2]>(), switches).prop_map(
        |(rules, off, (mode, on_fault, approve, audit, redact))| {
            let named = CARDS.iter().zip(rules).filter_map(|(card, rule)| Some((card.id.to_owned(), rule?)));
            let bits = |on: bool, pack| if on { PackSet::of(pack).0 } else { 0 };
            Policy {
                mode: [Mode::Observe, Mode::Enforce][usize::from(mode)],
                on_fault: [OnFault::Allow, OnFault::Ask, OnFault::Deny][usize::from(on_fault)],
                approve: [Approve::ReadOnly, Approve::None][usize::from(approve)],
                audit: [Audit::Optional, Audit::Required][usize::from(audit)],
                redact: [Redact::Secrets, Redact::Personal][usize::from(redact)],
                undo: [Undo::Off, Undo::Save][usize::from(redact)],
                budget: Budget {
                    size: 1 + u64::from(audit),
                    days: 2 - u64::from(audit),
                    ..Budget::default()
                },
                contain: Contain {
                    write: [vec![], vec!["/a".to_owned()]][usize::from(audit)].clone(),
                    read: [vec![], vec!["/s".to_owned()]][usize::from(redact)].clone(),
                    hide: [vec![], vec!["/b".to_owned()]][usize::from(redact)].clone(),
                    without_network: audit == 1,
                    with_sockets: redact == 1,
                },
                packs_off: PackSet(bits(off[0], Pack::Core) | bits(off[1], Pack::Cloud)),
                rules: named.collect::<BTreeMap<_, _>>(),
                pipelines: Vec::new(),
                workflows: Vec::new().into(),
                sinks: Vec::new(),
                custom: Vec::new(),
                allow: Vec::new(),
            }
        },
    )
}

/// Is `a` at least as strict as `b` in everything that can be asked of a policy?
fn covers(a: &Policy, b: &Policy) -> bool {
    let paths = ["/p/x", "/q/x", "/p/y/z", "/r"];
    a.mode >= b.mode
        && a.on_fault >= b.on_fault
        && a.approve >= b.approve
        && a.budget.strictest(b.budget) == a.budget
        && a.contain.covers(&b.contain)
        && a.audit >= b.audit
        && a.redact >= b.redact
        && CARDS.iter().all(|card| a.level(card) >= b.level(card))
        && CARDS
            .iter()
            .all(|card| paths.iter().all(|path| b.excepted(card.id, path) || !a.excepted(card.id, path)))
        && Pack::ALL.into_iter().all(|pack| b.is_off(pack) || !a.is_off(pack))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_join_is_a_join(a in policy(), b in policy(), c in policy()) {
        prop_assert_eq!(strictest(&a, &b), strictest(&b, &a));
        prop_assert_eq!(strictest(&a, &strictest(&b, &c)), strictest(&strictest(&a, &b), &c));
        prop_assert_eq!(&strictest(&a, &a), &a);
        let both = strictest(&a, &b);
        prop_assert!(covers(&both, &a) && covers(&both, &b));
        for card in &CARDS {
            prop_assert_eq!(both.level(card), a.level(card).max(b.level(card)), "{}", card.id);
        }
    }

    #[test]
    fn self_protection_holds_in_every_policy(a in policy()) {
        let card = &CARDS[4];
        prop_assert_eq!(a.level(card), Level::Deny);
        prop_assert!(!a.excepted(card.id, "/p/x") && !a.is_off(Pack::SelfProtection));
    }
}

#[test]
fn builtin_is_every_rules_own_level() {
    let builtin = Policy::builtin();
    assert!(CARDS.iter().all(|card| builtin.level(card) == card.level));
    assert_eq!(describe(&builtin), ["mode: enforce", "on_fault: ask", "approve: none", "audit: optional"]);
    assert_eq!(builtin.digest().len(), 12);
}

#[test]
fn exceptions() {
    let except = BTreeSet::from([Exception { base: "/p".into(), pattern: "t/**".into() }]);
    let rank = Rank { least: Level::Deny, or_default: false };
    let mut policy = Policy::builtin();
    policy.rules.insert("a".into(), Setting { pack: PackSet::of(Pack::Core), rank, except });
    for (path, excepted) in [
        ("/p/t/x", true),
        ("/p/t/x/y", true),
        ("/p/t", false),
        ("/p/tt/x", false),
        ("/pp/t/x", false),
        ("/q/p/t/x", false),
        ("p/t/x", false),
        ("/p/t/../x", false),
        ("/p/t/*", false),
        ("", false),
    ] {
        assert_eq!(policy.excepted("a", path), excepted, "{path}");
    }
    assert!(!policy.excepted("b", "/p/t/x"));
    assert!(describe(&policy).contains(&"a: deny, except /p/t/**".to_owned()));
    assert_ne!(policy.digest(), Policy::builtin().digest());
}
