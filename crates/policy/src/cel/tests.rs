#![allow(clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

use std::cell::Cell;

use proptest::prelude::*;
use tollgate_model::json::{Value, parse};

use super::{Condition, Object, Scope, Stop, Val};

/// What the conditions of the tests look at, as JSON.
struct World(Value);

const WORLD: &str = r#"{
  "event": {"phase": "pre-tool", "agent": "codex", "cwd": "/w", "session": "", "subagent": "", "mode": "default", "attended": "yes", "prompt": ""},
  "call": {"tool": "Bash", "class": "shell", "text": "psql -h prod-db", "paths": ["/w/a", "/w/b"], "server": "", "input": {"command": "psql", "timeout": 5, "on": true, "list": [1, 2.5, "x"], "none": null}},
  "facts": {"project": "/w", "home": "/home/me", "branch": "main"},
  "state": {"plan": {"phase": "draft", "n": 3, "on": true}, "odd": {"x": 1.5, "l": [3, 1], "t": "aé"}},
  "effects": [
    {"kind": "exec", "program": "psql", "path": "", "zone": "unknown", "recursive": false, "argv": ["psql", "-h"], "certainty": "certain"},
    {"kind": "delete", "program": "", "path": "/w/src/a.rs", "zone": "workspace", "recursive": true, "argv": [], "certainty": "possible"},
    {"kind": "read", "program": "", "path": "/w/.env", "zone": "secret", "recursive": false, "argv": [], "certainty": "certain"}
  ]
}"#;

impl World {
    fn new() -> Self {
        Self(parse(WORLD.as_bytes()).unwrap())
    }
}

struct Seen<'a>(&'a World);

impl<'a> Scope<'a> for Seen<'a> {
    fn effects(&self) -> usize {
        self.0.0.get("effects").unwrap().as_list().unwrap().len()
    }

    fn member(&self, of: Object, field: &str) -> Val<'a> {
        let all = &self.0.0;
        let object = match of {
            Object::Event => all.get("event"),
            Object::Call => all.get("call"),
            Object::Facts => all.get("facts"),
            Object::State => all.get("state"),
            Object::Effect(at) => all.get("effects").unwrap().as_list().unwrap().get(at),
        };
        object.unwrap().get(field).map_or(Val::Null, Val::json)
    }
}

fn ask(text: &str, current: Option<usize>) -> Result<bool, Stop> {
    let condition = Condition::compile(text).unwrap_or_else(|wrong| panic!("{text}: {wrong:?}"));
    let world = World::new();
    condition.holds(&Seen(&world), current, &Cell::new(100_000))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn conditions() {
    for (text, holds) in [
        ("true", true),
        ("effects.exists(e, e.kind == 'delete' && e.path.startsWith('/w/'))", true),
        ("effects.all(e, e.zone != 'system')", true),
        ("effects.exists_one(e, e.zone == \"secret\")", true),
        ("effects.filter(e, e.certainty == 'certain').size() == 2", true),
        ("effects.map(e, e.kind) == ['exec', 'delete', 'read']", true),
        ("effects.map(e, e.recursive, e.path)[0].endsWith('.rs')", true),
        ("call.text.contains('prod') && !(event.agent in ['claude-code', 'cursor'])", true),
        ("call.text.matches('^psql .*-h +prod')", true),
        ("'/w/src/a.rs'.glob('/w/**/*.rs') && !call.text.glob('psql')", true),
        ("call.input.timeout * 2 + 1 > 10 ? call.input.on : false", true),
        ("call.input['command'].size() == 4 && size(call.input.list) == 3", true),
        ("has(call.input.command) && !has(call.input.nothing)", true),
        ("has(call.tool) && !has(call.server)", true),
        ("has(state.plan.phase) && !has(state.code)", true),
        ("state.plan.phase == 'draft' && state['plan'].n >= 3", true),
        ("facts.branch in ['main', 'master']", true),
        ("call.input.none == null", true),
        ("'AbC'.lowerAscii() + ' x '.trim() + 'q'.upperAscii() == 'abcxQ'", true),
        ("-call.input.timeout < 0 && 7 % 4 == 3 && 7 / 2 == 3 && 1.5 * 2.0 == 3.0", true),
        ("call.input.nothing == 1 || true", true),
        ("effects.exists(e, call.input.nothing == 1 || e.kind == 'read')", true),
        ("{'a': 1, 'b': 2}.b == 2 && {'a': 1}['a'] == 1 && {1: 'x', 2: 'y'}[2] == 'y'", true),
        ("'a' in {'a': 1} && !('b' in {'a': 1}) && has({'a': 1}.a) && !has({'a': 1}.b)", true),
        ("{'a': 1, 'b': 2} == {'b': 2, 'a': 1} && {'a': 1} != {'a': 2} && {}.size() == 0", true),
        ("{'a': 1, 'b': 2}.all(k, k in ['a', 'b']) && {'a': 1}.map(k, k) == ['a']", true),
        ("{'shell': ['psql'], 'read': []}[call.class].exists(p, call.text.startsWith(p))", true),
        ("state.plan == {'phase': 'draft', 'n': 3, 'on': true}", true),
        ("1u == 1 && 2u > 1u && 7u % 4u == 3u && 1u < 1.5 && -1 < 18446744073709551615u", true),
        ("b'abc' == bytes('abc') && b'a' + b'b' == b'ab' && size(b'é') == 2 && b'a' < b'b'", true),
        (
            "int('7') + int(2.9) == 9 && uint(3) == 3u && double('1.5') == 1.5 && string(12) == '12' && bool('true')",
            true,
        ),
        (
            "dyn(1) == 1 && string(b'x') == 'x' && string(true) == 'true' && int(timestamp('1970-01-01T00:01:00Z')) == 60",
            true,
        ),
        ("timestamp('2026-03-01T00:00:00Z') - timestamp('2026-02-01T00:00:00Z') == duration('672h')", true),
        ("timestamp('2026-01-01T00:00:00Z') + duration('36h') > timestamp('2026-01-02T00:00:00Z')", true),
        ("timestamp('2026-11-16T07:30:05.25Z').getHours() == 7 && duration('90m').getMinutes() == 90", true),
        (
            "timestamp('2026-11-16T07:30:05.25Z').getDayOfWeek() == 1 && timestamp('2026-11-16T00:00:00Z').getMonth() == 10",
            true,
        ),
        (
            "timestamp('2024-12-31T00:00:00Z').getDayOfYear() == 365 && timestamp('2024-12-31T00:00:00Z').getDate() == 31",
            true,
        ),
        (
            "string(duration('1h1.5s')) == '3601.5s' && string(timestamp('2026-01-01T01:00:00+01:00')) == '2026-01-01T00:00:00Z'",
            true,
        ),
        (
            "matches(call.text, '^psql') && 'a,b,c'.split(',') == ['a', 'b', 'c'] && 'a,b,c'.split(',', 2) == ['a', 'b,c']",
            true,
        ),
        (
            "'abé'.charAt(2) == 'é' && 'abé'.charAt(3) == '' && 'abc'.substring(1) == 'bc' && 'abc'.substring(1, 2) == 'b'",
            true,
        ),
        (
            "'éabab'.indexOf('ab') == 1 && 'éabab'.indexOf('ab', 2) == 3 && 'éabab'.lastIndexOf('ab') == 3 && 'x'.indexOf('y') == -1",
            true,
        ),
        ("'abab'.lastIndexOf('ab', 1) == 0 && 'éé'.lastIndexOf('é', 0) == 0 && 'abc'.indexOf('') == 0", true),
        (
            "'aaa'.replace('a', 'b') == 'bbb' && 'aaa'.replace('a', 'b', 2) == 'bba' && 'aaa'.replace('a', 'b', -1) == 'bbb'",
            true,
        ),
        (
            "['a', 'b'].join('-') == 'a-b' && call.paths.join() == '/w/a/w/b' && 'abc'.reverse() == 'cba' && 'ab'.split('') == ['a', 'b']",
            true,
        ),
        ("false && call.input.nothing", false),
        ("'x' in call.input && true", false),
    ] {
        assert_eq!(ask(text, None), Ok(holds), "{text}");
    }
}

#[test]
fn a_condition_about_an_effect_is_asked_about_each() {
    let text = "effect.kind == 'read' && effect.zone == 'secret'";
    assert!(Condition::compile(text).unwrap().is_about_each_effect());
    assert!(!Condition::compile("effects.size() > 0").unwrap().is_about_each_effect());
    let answers: Vec<_> = (0..3).map(|at| ask(text, Some(at))).collect();
    assert_eq!(answers, [Ok(false), Ok(false), Ok(true)]);
    assert!(matches!(ask("effect.recursive", None), Err(Stop::Absent(_))));
}

#[test]
fn absence_is_an_answer_and_failure_is_none() {
    for (text, absent) in [
        ("call.input.nothing == 1", true),
        ("state.code.phase == 'x'", true),
        ("call.input.list[9] == 1", true),
        ("call.input.none.x == 1", true),
        ("{'a': 1}[call.tool] == 1", true),
        ("'abc'.substring(9) == ''", true),
        ("'abc'.substring(2, 1) == ''", false),
        ("0u - 1u == 0u", false),
        ("{call.tool: 1, 'Bash': 2}.Bash == 1", false),
        ("int(call.tool) == 1", false),
        ("uint(call.input.timeout - 9) == 0u", false),
        ("string(b'\\xff') == ''", false),
        ("timestamp(call.tool) > timestamp(0)", false),
        ("timestamp('9999-12-31T00:00:00Z') + duration('48h') > timestamp(0)", false),
        (
            "call.text.replace('', call.text.replace('', call.text.replace('', call.text.replace('', call.text.replace('', call.text))))).size() > 0",
            false,
        ),
        ("call.input.timeout / 0 == 1", false),
        ("9223372036854775807 + call.input.timeout > 0", false),
        ("call.input.command > 1", false),
        ("call.input.on.x == 1", false),
        ("call.input.nothing == 1 && call.input.timeout % 0 == 1", false),
        (
            "effects.all(a, effects.all(b, effects.all(c, effects.all(d, effects.all(e, effects.all(f, effects.all(g, effects.all(h, effects.all(i, effects.all(j, true))))))))))",
            false,
        ),
    ] {
        match ask(text, None) {
            Err(Stop::Absent(_)) => assert!(absent, "{text}"),
            Err(Stop::Failed(_)) => assert!(!absent, "{text}"),
            Ok(answer) => panic!("{text} is {answer}"),
        }
    }
}

/// The text, the part that is marked, and what is said.
#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn what_is_wrong_is_said_where_it_stands() {
    for (text, part, said) in [
        ("", "", "a condition that says nothing"),
        ("effect.kind = 'x'", "=", "not valid CEL"),
        ("effect.kind ==", "", "it ends too early"),
        ("effect.recursive and effect.zone == 'or'", "a", "write `&&` for `and`"),
        ("effect.recursive or effect.zone == 'and'", "o", "write `||` for `or`"),
        ("not effect.recursive", "e", "write `!` for `not`"),
        ("evnt.agent == 'codex'", "evnt", "unknown name `evnt`; did you mean `event`?"),
        ("effect.knd == 'x'", "knd", "`effect` has no `knd`; did you mean `kind`?"),
        ("effect.kind == 'databse'", "'databse'", "it is never `databse`; did you mean `database`?"),
        ("effect.zone in ['secret', 'sytem']", "[", "it is never `sytem`; did you mean `system`?"),
        (
            "effects.kind == 'x'",
            "kind",
            "`effects` is a list; write `effects.exists(e, e.kind …)`, or `effect.kind`",
        ),
        ("effect.path", "effect.path", "the condition is a text, not true or false; compare it: `… == …`"),
        ("effect.path && true", "path", "this must be true or false, not a text"),
        ("effect.recursive == 'yes'", "==", "true or false is never compared with a text"),
        ("effect.recursive > 1", ">", "true or false is never compared with a whole number"),
        ("effect.path.contians('x')", "contians", "unknown function `contians`; did you mean `contains`?"),
        ("effect.path.contains(1)", "1", "`contains` takes a text, not a whole number"),
        (
            "contains(effect.path, 'x')",
            "contains",
            "`contains` is not written so; write `text.contains(other)`",
        ),
        ("call.text.matches('(')", "'('", "this pattern never works"),
        ("call.text.matches(call.tool)", "tool", "a pattern is a text in quotes"),
        ("'x' in call.text", "text", "a text is no list; write `text.contains(part)`"),
        ("call.paths.exists(p, p.x == 1)", "x", "a text has no fields, so no `x`"),
        ("call.text.exists(p, true)", "text", "a text is no list"),
        ("size(1) == 1", "1", "a whole number has no size"),
        ("1u + 1 == 2u", "+", "a number with `u` and a whole number cannot be put together so"),
        ("-1u < 0", "1u", "a number with `u` has no negative; leave the `u` out"),
        ("b'a' == 'a'", "==", "bytes is never compared with a text"),
        ("{'a': 1, 'a': 2}.a == 1", "'a'", "this key is there twice"),
        ("{1.5: 1}[1.5] == 1", "1.5", "a number is no key of a map"),
        ("{'a': 1}[2] == 1", "2", "the keys are a text, not a whole number"),
        ("{1: 2}.a == 1", "a", "a map has no fields, so no `a`"),
        ("{'a': 1}.a == 'x'", "==", "a whole number is never compared with a text"),
        ("T{a: 1} == 1", "T", "messages cannot be written in a condition; write a map"),
        (
            "timestamp('yesterday') < timestamp('2026-01-01T00:00:00Z')",
            "'yesterday'",
            "`yesterday` is no time; write `timestamp(",
        ),
        ("duration('1 hour') > duration('1m')", "'1 hour'", "is no time; write `duration('1h30m')`"),
        ("duration('1h') > timestamp(0)", ">", "a duration is never compared with a timestamp"),
        (
            "timestamp(0) + timestamp(0) == timestamp(0)",
            "+",
            "a timestamp and a timestamp cannot be put together so",
        ),
        ("'a'.int() == 1", "int", "`int` is not written so; write `int(value)`"),
        (
            "call.text.replace('a') == ''",
            "replace",
            "`replace` is not written so; write `text.replace(other, with, number)`",
        ),
        ("call.text.substring('a') == ''", "'a'", "`substring` takes a whole number, not a text"),
        ("call.text.join() == ''", "text", "`join` takes a list of texts, not a text"),
        ("call.text.getHours() == 1", "text", "`getHours` takes a timestamp or a duration, not a text"),
        ("int(effects) == 1", "effects", "`int` takes a single value, not a list"),
        ("call.text + 1 == 'x'", "+", "a text and a whole number cannot be put together so"),
    ] {
        let wrong = Condition::compile(text).expect_err(text);
        let first = &wrong[0];
        let told = if first.hint.is_empty() {
            first.message.clone()
        } else {
            format!("{}; {}", first.message, first.hint)
        };
        assert!(told.contains(said), "{text}: {told}");
        assert_eq!(&text[first.bytes.0..first.bytes.1], part, "{text}: {told}");
    }
    let both = Condition::compile("evnt.x == 1 && efect.y == 2").unwrap_err();
    assert_eq!(both.len(), 2, "all at once: {both:?}");
}

#[test]
fn no_condition_overruns_the_stack() {
    for part in ["(", "!", "-", "[", "size(", "a.", "true?true:", "true&&", "1+", "x.exists(e,", "has("] {
        for number in [50, 500, 4096 / part.len()] {
            let _ = Condition::compile(&part.repeat(number));
            let _ = Condition::compile(&format!("{}true", part.repeat(number.min(4000 / part.len()))));
        }
    }
    assert!(Condition::compile(&" ".repeat(5000)).is_err());
    assert!(Condition::compile(&format!("true{}", " || true".repeat(600))).is_err(), "too long");
}

/// What the `cel` crate answers: none for an error.
fn oracle(text: &str) -> Option<bool> {
    let program = cel::Program::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut context = cel::Context::default();
    let json: serde_json::Value = serde_json::from_str(WORLD).unwrap();
    for name in ["event", "call", "facts", "state", "effects"] {
        context.add_variable_from_value(name, value(&json[name]));
    }
    match program.execute(&context) {
        Ok(cel::Value::Bool(truth)) => Some(truth),
        Ok(other) => panic!("{text} is {other:?}"),
        Err(_) => None,
    }
}

/// As CEL means it: a whole number is an `int`.
fn value(json: &serde_json::Value) -> cel::Value {
    match json {
        serde_json::Value::Null => cel::Value::Null,
        serde_json::Value::Bool(truth) => cel::Value::Bool(*truth),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => cel::Value::Int(number),
            None => cel::Value::Float(number.as_f64().unwrap()),
        },
        serde_json::Value::String(text) => text.as_str().into(),
        serde_json::Value::Array(items) => items.iter().map(value).collect::<Vec<_>>().into(),
        serde_json::Value::Object(members) => {
            let members = members.iter().map(|(key, member)| (key.clone(), value(member)));
            members.collect::<std::collections::HashMap<_, _>>().into()
        }
    }
}

fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0i64..9).prop_map(|number| number.to_string()),
        Just("call.input.timeout".to_owned()),
        Just("state.plan.n".to_owned()),
        Just("state.plan.missing".to_owned()),
        Just("size(effects)".to_owned()),
        Just("call.paths.size()".to_owned()),
        Just("state.odd.l[1]".to_owned()),
        Just("state.odd.l[7]".to_owned()),
        Just("9223372036854775807".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "%"]), inner)
            .prop_map(|(a, op, b)| format!("({a} {op} {b})"))
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z/é]{0,3}".prop_map(|text| format!("'{text}'")),
        Just("call.text".to_owned()),
        Just("effects[1].path".to_owned()),
        Just("effects[5].path".to_owned()),
        Just("state.plan.phase".to_owned()),
        Just("state.odd.t".to_owned()),
        Just("(facts.project + '/src')".to_owned()),
        Just("call.input.list[2]".to_owned()),
    ]
}

fn compare() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="])
}

/// Maps, other numbers, bytes and what is made of others, which the crate knows as well.
fn rarer() -> impl Strategy<Value = String> {
    let one = |all: &'static [&'static str]| prop::sample::select(all);
    let reckon = || one(&["+", "-", "*", "/", "%"]);
    let unsigned = || one(&["0u", "1u", "3u", "uint(state.plan.n)", "18446744073709551615u"]);
    let bytes = || one(&["b''", "b'a'", "b'ab'", "bytes(call.tool)", "b'\\xff'"]);
    let map = || one(&["{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}", "state.plan"]);
    let key = || one(&["'a'", "'b'", "'n'", "state.plan.phase", "call.input.nothing"]);
    prop_oneof![
        (unsigned(), reckon(), unsigned(), compare(), unsigned())
            .prop_map(|(a, op, b, than, c)| format!("({a} {op} {b}) {than} {c}")),
        (unsigned(), compare(), number()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        (bytes(), compare(), bytes()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        (bytes(), bytes()).prop_map(|(a, b)| format!("size({a} + {b}) > 2")),
        (map(), map()).prop_map(|(a, b)| format!("{a} == {b}")),
        (key(), map()).prop_map(|(a, b)| format!("{a} in {b}")),
        (map(), key(), number()).prop_map(|(a, b, c)| format!("{a}[{b}] == {c}")),
        (map(), one(&["exists", "all", "exists_one"]), key())
            .prop_map(|(a, name, b)| format!("{a}.{name}(k, k == {b})")),
        text().prop_map(|a| format!("int({a}) > 0")),
        number().prop_map(|a| format!("string({a}) == '3'")),
        number().prop_map(|a| format!("double({a}) > 2.5")),
    ]
}

/// Times. The crate's spans are of 292 years at most.
fn times() -> impl Strategy<Value = String> {
    let one = |all: &'static [&'static str]| prop::sample::select(all);
    let moment = || {
        one(&[
            "timestamp('2026-01-31T12:30:05Z')",
            "timestamp('2024-02-29T00:00:00.5Z')",
            "timestamp('1969-12-31T23:59:59+02:00')",
            "timestamp('1800-06-15T06:00:00Z')",
            "timestamp(call.tool)",
        ])
    };
    let span = || one(&["duration('1h30m')", "duration('-1.5s')", "duration('20ms')", "duration('0s')"]);
    let days = ["getFullYear", "getMonth", "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear"];
    let hours = ["getHours", "getMinutes", "getSeconds", "getMilliseconds"];
    let part = prop::sample::select([&days[..], &hours[..]].concat());
    prop_oneof![
        (moment(), compare(), moment()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        (moment(), span(), compare(), moment()).prop_map(|(a, b, op, c)| format!("{a} + {b} {op} {c}")),
        (moment(), moment(), compare(), span()).prop_map(|(a, b, op, c)| format!("{a} - {b} {op} {c}")),
        (span(), one(&["+", "-"]), span(), compare(), span())
            .prop_map(|(a, sign, b, op, c)| format!("{a} {sign} {b} {op} {c}")),
        (moment(), part, 0i64..60).prop_map(|(a, part, n)| format!("{a}.{part}() >= {n}")),
    ]
}

fn truth() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("state.plan.on".to_owned()),
        Just("state.none.on".to_owned()),
        Just("has(state.plan.n)".to_owned()),
        Just("has(state.plan.zip)".to_owned()),
        Just("'n' in state.plan".to_owned()),
        Just("state.odd.x > 1".to_owned()),
        Just("state.odd.l == [3, 1]".to_owned()),
        Just("call.input.none == null".to_owned()),
        (number(), compare(), number()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        (text(), compare(), text()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
        (text(), text()).prop_map(|(a, b)| format!("{a} in [{b}, 'draft']")),
        (text(), prop::sample::select(vec!["contains", "startsWith", "endsWith"]), text())
            .prop_map(|(a, name, b)| format!("{a}.{name}({b})")),
        rarer(),
        times(),
        (text(), "[a-z.]{1,3}").prop_map(|(a, pattern)| format!("{a}.matches('^{pattern}')")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["&&", "||"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (prop::sample::select(vec!["exists", "all", "exists_one"]), inner.clone())
                .prop_map(|(name, a)| format!("effects.{name}(e, e.recursive || {a})")),
            inner.clone().prop_map(|a| format!("effects.{}(e, {a} && e.path != '').size() > 0", "filter")),
            inner.prop_map(|a| format!("call.paths.map(p, p + 'x' == '/w/bx' && {a})[1]")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn the_cel_crate_answers_the_same(text in truth()) {
        prop_assume!(text.len() < 4000);
        if let Ok(condition) = Condition::compile(&text) {
            let world = World::new();
            let ours = condition.holds(&Seen(&world), None, &Cell::new(1_000_000)).ok();
            prop_assert_eq!(ours, oracle(&text), "{}", text);
        } else {
            // Only the depth may be against an expression of the right types.
            prop_assert!(Condition::compile(&text).unwrap_err()[0].message.contains("deep")
                || Condition::compile(&text).unwrap_err()[0].message.contains("recursion"), "{text}: {:?}", Condition::compile(&text));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a-z.()!&|='\" ,\\[\\]<>?:+0-9é{}@$\\\\]{0,40}|.{0,30}") {
        match Condition::compile(&text) {
            Ok(condition) => {
                let world = World::new();
                let _ = condition.holds(&Seen(&world), Some(0), &Cell::new(10_000));
            }
            Err(wrong) => for one in wrong {
                prop_assert!(text.get(one.bytes.0..one.bytes.1).is_some(), "{text:?} {one:?}");
            },
        }
    }
}
