//! Rules of the policy files themselves: their conditions asked about a case.

use std::borrow::Cow;
use std::cell::Cell;

use tollgate_model::git::Repo;
use tollgate_model::{
    Actor, Attended, Case, Certainty, CodeSource, Effect, EffectKind, EnvUse, Finding, Hit, Kind, Level,
    NetDirection, Phase, Place, Span, ToolCall, WriteMode,
};
use tollgate_policy::cel::{Object, Scope, Stop, Val};
use tollgate_policy::{Custom, Policy};

/// What the conditions of one event may take together. Running out is told, and asks.
const STEPS: u32 = 2_000_000;

/// What the policy's own rules find.
pub(crate) fn findings(case: &Case, rules: &[Custom]) -> Vec<Finding> {
    let steps = Cell::new(STEPS);
    rules.iter().filter_map(|rule| finding(rule, case, &steps)).collect()
}

/// What one of the policy's own rules makes of a case, for explanations.
#[derive(Clone, Debug)]
pub struct Own<'p> {
    /// The rule.
    pub rule: &'p Custom,
    /// What it found.
    pub finding: Option<Finding>,
    /// Why its condition has no value, where it has none.
    pub why: Option<String>,
}

/// What each of the policy's own rules says to a case.
#[must_use]
pub fn own_opinions<'p>(case: &Case, policy: &'p Policy) -> Vec<Own<'p>> {
    let opinion = |rule: &'p Custom| {
        let steps = Cell::new(STEPS);
        let why = match ask(rule, case, &steps) {
            Answer::No(why) => why,
            _ => None,
        };
        Own { rule, finding: finding(rule, case, &steps), why }
    };
    policy.custom.iter().map(opinion).collect()
}

fn finding(rule: &Custom, case: &Case, steps: &Cell<u32>) -> Option<Finding> {
    if rule.level == Level::Off || !is_asked(rule, case) {
        return None;
    }
    let whose = rule.whose();
    let (effect, unsure, what) = match ask(rule, case, steps) {
        Answer::No(_) => return None,
        Answer::Yes(effect) => (effect, false, format!("breaks {whose}: {}", rule.reason)),
        Answer::Unsure(effect, why) => (
            effect,
            true,
            format!("breaks {whose} ({}); its condition could not be evaluated: {why}", rule.reason),
        ),
    };
    let certainty = effect.map_or(Certainty::Certain, |effect| effect.certainty);
    let certainty = if unsure { certainty.min(Certainty::Possible) } else { certainty };
    let savable = rule.level == Level::Save;
    let level = if savable { Level::Ask } else { rule.level };
    let level = if certainty == Certainty::Certain { level } else { level.min(Level::Ask) };
    let span = effect.map_or(Span::default(), |effect| effect.span);
    let hit = Hit { what, instead: rule.instead.clone(), span, certainty };
    Some(Finding { rule: rule.id.clone(), verdict: level.verdict(), savable, hit })
}

/// The agent's own question is about the same call.
fn is_asked(rule: &Custom, case: &Case) -> bool {
    let phase = match case.event.phase() {
        Phase::Permission => Phase::PreTool,
        phase => phase,
    };
    rule.on.iter().any(|name| name == phase.name())
}

enum Answer<'a> {
    /// It does not hold; or it has no value, because something it asks for is absent.
    No(Option<String>),
    Yes(Option<&'a Effect>),
    Unsure(Option<&'a Effect>, String),
}

/// A certain effect outweighs a possible one, and that outweighs a failure.
fn ask<'a>(rule: &Custom, case: &Case<'a>, steps: &Cell<u32>) -> Answer<'a> {
    let seen = Seen { case };
    let condition = &rule.condition;
    let one = |at: Option<usize>| {
        let effect = at.and_then(|at| case.effects.get(at));
        match condition.holds(&seen, at, steps) {
            Ok(true) => Answer::Yes(effect),
            Ok(false) => Answer::No(None),
            Err(Stop::Absent(why)) => Answer::No(Some(why)),
            Err(Stop::Failed(why)) => Answer::Unsure(effect, why),
        }
    };
    if !condition.is_about_each_effect() {
        return one(None);
    }
    let mut best = Answer::No(None);
    for at in 0..case.effects.len() {
        let answer = one(Some(at));
        if answer.rank() > best.rank() {
            best = answer;
        }
    }
    best
}

impl Answer<'_> {
    fn rank(&self) -> u8 {
        match self {
            Self::No(None) => 0,
            Self::No(Some(_)) => 1,
            Self::Unsure(..) => 2,
            Self::Yes(Some(effect)) if effect.certainty != Certainty::Certain => 3,
            Self::Yes(_) => 4,
        }
    }
}

/// A case as conditions see it.
struct Seen<'c, 'a> {
    case: &'c Case<'a>,
}

impl<'a> Scope<'a> for Seen<'_, 'a> {
    fn effects(&self) -> usize {
        self.case.effects.len()
    }

    fn member(&self, of: Object, field: &str) -> Val<'a> {
        match of {
            Object::Event => self.event(field),
            Object::Call => self.call(field),
            Object::Facts => self.fact(field),
            Object::State => self.case.world.state().get(field).map_or(Val::Null, Val::json),
            Object::Effect(at) => self.case.effects.get(at).map_or(Val::Null, |effect| member(effect, field)),
        }
    }
}

impl<'a> Seen<'_, 'a> {
    fn event(&self, field: &str) -> Val<'a> {
        let event = self.case.event;
        Val::text(match field {
            "phase" => event.phase().name(),
            "agent" => event.agent.name(),
            "session" => &event.session,
            "cwd" => &event.cwd,
            "mode" => &event.permission_mode,
            "subagent" => match &event.actor {
                Actor::Main => "",
                Actor::Subagent { kind, .. } => kind,
            },
            "attended" => match event.attended {
                Attended::Yes => "yes",
                Attended::No => "no",
                Attended::Unknown => "unknown",
            },
            "prompt" => match &event.kind {
                Kind::Prompt { text } | Kind::Expand { text, .. } => text,
                _ => "",
            },
            _ => return Val::Null,
        })
    }

    fn call(&self, field: &str) -> Val<'a> {
        let Some(tool) = self.case.event.tool() else {
            return match field {
                "input" => Val::Null,
                "paths" => Val::List(Vec::new()),
                _ => Val::text(""),
            };
        };
        match field {
            "tool" => Val::text(&tool.name),
            "class" => Val::text(tool.call.class()),
            "text" => text(&tool.call),
            "paths" => paths(&tool.call),
            "input" => Val::json(&tool.input),
            "server" => match &tool.call {
                ToolCall::Mcp { server, .. } => Val::text(server),
                _ => Val::text(""),
            },
            _ => Val::Null,
        }
    }

    fn fact(&self, field: &str) -> Val<'a> {
        let world = self.case.world;
        match field {
            "project" => Val::text(world.workspace()),
            "home" => Val::text(world.home()),
            "branch" => {
                let branch = Repo::find(world.workspace(), world).and_then(|repo| repo.branch(world));
                Val::Text(Cow::Owned(branch.unwrap_or_default()))
            }
            _ => Val::Null,
        }
    }
}

/// What a call is about, in one text.
fn text(call: &ToolCall) -> Val<'_> {
    Val::text(match call {
        ToolCall::Shell { command, .. } => command,
        ToolCall::Read { paths } => paths.first().map_or("", String::as_str),
        ToolCall::Write { path, .. } | ToolCall::Edit { path, .. } | ToolCall::Delete { path } => path,
        ToolCall::Patch { text } => text,
        ToolCall::Search { pattern, .. } => pattern,
        ToolCall::Fetch { url } => url,
        ToolCall::WebSearch { query } => query,
        ToolCall::Spawn { prompt, .. } => prompt,
        ToolCall::Command { name, args } => return Val::Text(Cow::Owned(format!("{name} {args}"))),
        ToolCall::Mcp { tool, .. } => tool,
        ToolCall::Other => "",
    })
}

fn paths(call: &ToolCall) -> Val<'_> {
    match call {
        ToolCall::Read { paths } => Val::texts(paths),
        ToolCall::Write { path, .. } | ToolCall::Edit { path, .. } | ToolCall::Delete { path } => {
            Val::List(vec![Val::text(path)])
        }
        _ => Val::List(Vec::new()),
    }
}

/// A field of an effect; one that the effect does not have is empty.
fn member<'a>(effect: &'a Effect, field: &str) -> Val<'a> {
    let kind = &effect.kind;
    match field {
        "kind" => Val::text(kind.name()),
        "certainty" => Val::text(match effect.certainty {
            Certainty::Certain => "certain",
            Certainty::Possible => "possible",
            Certainty::Budget => "budget",
        }),
        "text" => Val::Text(Cow::Owned(effect.told())),
        "path" => Val::text(place(kind).map_or("", |place| place.path.as_str())),
        "zone" => Val::text(place(kind).map_or("unknown", |place| place.zone.name())),
        "recursive" => Val::Bool(is_recursive(kind)),
        "what" => Val::Text(what(kind)),
        "target" if let EffectKind::Publish { target } = kind => Val::Text(target.told()),
        "argv" | "carries" | "lost" | "names" => list(kind, field),
        _ => Val::text(word(kind, field)),
    }
}

fn place(kind: &EffectKind) -> Option<&Place> {
    match kind {
        EffectKind::Leaves { place, .. } | EffectKind::Recalls { place, .. } => Some(place),
        _ => crate::place(kind),
    }
}

fn is_recursive(kind: &EffectKind) -> bool {
    match kind {
        EffectKind::Read { recursive, .. }
        | EffectKind::Delete { recursive, .. }
        | EffectKind::Permission { recursive, .. } => *recursive,
        _ => false,
    }
}

fn list<'a>(kind: &'a EffectKind, field: &str) -> Val<'a> {
    match (kind, field) {
        (EffectKind::Exec { argv, .. }, "argv") => Val::texts(argv),
        (EffectKind::Net { carries, .. }, "carries") => {
            Val::List(carries.iter().map(|what| Val::Text(what.told())).collect())
        }
        (EffectKind::WorkLoss { lost, .. }, "lost") => Val::texts(lost),
        (EffectKind::EnvRead { what: EnvUse::Used(names) | EnvUse::Printed(names) }, "names") => {
            Val::texts(names)
        }
        (EffectKind::EnvRead { what: EnvUse::Store(store) }, "names") => {
            Val::texts(std::slice::from_ref(store))
        }
        _ => Val::List(Vec::new()),
    }
}

fn what(kind: &EffectKind) -> Cow<'_, str> {
    match kind {
        EffectKind::Private { what, .. } => what.told(),
        EffectKind::Privilege { how } => Cow::Borrowed(how),
        EffectKind::Opaque { why } => Cow::Borrowed(why),
        other => Cow::Owned(other.what().unwrap_or_default()),
    }
}

fn word<'a>(kind: &'a EffectKind, field: &str) -> &'a str {
    match (kind, field) {
        (EffectKind::Write { mode, .. }, "mode") => match mode {
            WriteMode::Overwrite | WriteMode::Create => "overwrite",
            WriteMode::Append => "append",
            WriteMode::Edit => "edit",
        },
        (EffectKind::Write { content: Some(content), .. }, "content") => content,
        (EffectKind::Permission { to, .. }, "to") => to,
        (EffectKind::Exec { program, .. }, "program") => program,
        (EffectKind::Exec { source, .. }, "source") => match source {
            CodeSource::Literal => "literal",
            CodeSource::File => "file",
            CodeSource::Downloaded => "downloaded",
            CodeSource::Decoded => "decoded",
            CodeSource::Variable => "variable",
        },
        (EffectKind::Net { host, .. }, "host") => host,
        (EffectKind::Net { direction, .. }, "direction") => match direction {
            NetDirection::In => "in",
            NetDirection::Out => "out",
        },
        (
            EffectKind::WorkLoss { operation, .. }
            | EffectKind::HistoryRewrite { operation, .. }
            | EffectKind::Infra { operation, .. }
            | EffectKind::Database { operation, .. },
            "operation",
        ) => operation,
        (EffectKind::HistoryRewrite { remote, .. }, "remote") => remote,
        (EffectKind::HistoryRewrite { branch, .. }, "branch") => branch,
        (EffectKind::Infra { target, .. } | EffectKind::Process { target, .. }, "target") => target,
        (EffectKind::Install { manager, .. }, "manager") => manager,
        (EffectKind::Install { package, .. }, "package") => package,
        (EffectKind::Infra { tool, .. }, "tool") => tool.name(),
        (EffectKind::Database { object, .. }, "object") => object,
        (EffectKind::Process { action, .. }, "signal") => action.name(),
        (EffectKind::Spawn { agent }, "agent") => agent,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field that conditions may name has a value of its type on every effect.
    #[test]
    fn every_field_of_the_language_is_there() {
        use tollgate_policy::cel::{Type, fields};
        let effect = Effect {
            kind: EffectKind::Opaque { why: "x".into() },
            span: Span::default(),
            certainty: Certainty::Certain,
        };
        for (name, kind, _) in fields("effect") {
            let fits = match member(&effect, name) {
                Val::Text(_) => matches!(kind, Type::Text | Type::Word(_)),
                Val::Bool(_) => kind == Type::Bool,
                Val::List(_) => matches!(kind, Type::List(_)),
                _ => false,
            };
            assert!(fits, "{name}");
        }
    }
}
