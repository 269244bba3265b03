//! Names that must exist: phases, artifacts, and the names in templates.

use tollgate_policy::hint;

use super::Reader;
use crate::flow::{Act, Cond, Flow, Gate};
use crate::template::{Piece, pieces};

/// The names that templates know besides artifacts, options, captures and values of the state.
pub(crate) const NAMES: [&str; 19] = [
    "session",
    "date",
    "milestone",
    "agent",
    "project",
    "prompt",
    "task",
    "source",
    "output",
    "tool",
    "path",
    "file",
    "json",
    "toml",
    "line",
    "input",
    "workflows",
    "failing",
    "nearest",
];

/// Checks every reference of a workflow.
pub(super) fn check(reader: &mut Reader, flow: &Flow) {
    let captures = captures(flow);
    let checker = Checker { flow, captures };
    let mut wrong = Vec::new();
    for gate in &flow.gates {
        checker.gate(gate, &mut wrong);
    }
    for (cond, message) in &flow.start.need {
        checker.cond(cond, &mut wrong);
        checker.template(message, &mut wrong);
    }
    flow.start.say.iter().for_each(|line| checker.template(line, &mut wrong));
    let paths = flow.artifacts.iter().flat_map(|(_, paths)| paths);
    paths.for_each(|path| checker.template(path, &mut wrong));
    wrong.dedup();
    for (name, message, hint) in wrong {
        let at = reader.place_of(&name);
        reader.error(at, &message, &hint);
    }
}

struct Checker<'a> {
    flow: &'a Flow,
    captures: Vec<String>,
}

/// The name that is wrong, what is wrong with it, and a hint.
type Wrong = Vec<(String, String, String)>;

impl Checker<'_> {
    fn gate(&self, gate: &Gate, wrong: &mut Wrong) {
        gate.phases.iter().for_each(|phase| self.phase(phase, wrong));
        gate.when.iter().chain(&gate.need).for_each(|cond| self.cond(cond, wrong));
        gate.inside
            .iter()
            .chain(&gate.outside)
            .chain(&gate.except)
            .for_each(|path| self.template(path, wrong));
        self.template(&gate.message, wrong);
        for act in &gate.then {
            match act {
                Act::Phase(phase) => self.phase(phase, wrong),
                Act::Set(_, text) | Act::Say(text) | Act::Tell(text) | Act::Notify { text, .. } => {
                    self.template(text, wrong);
                }
                Act::Remember { value, .. } => self.template(value, wrong),
                Act::Save { fields, .. } => fields.iter().for_each(|(_, text)| self.template(text, wrong)),
                Act::End
                | Act::Start(_)
                | Act::Count(_)
                | Act::Forget(_)
                | Act::Read(_)
                | Act::Recover { .. } => {}
            }
        }
    }

    fn cond(&self, cond: &Cond, wrong: &mut Wrong) {
        match cond {
            Cond::All(all) | Cond::Any(all) => all.iter().for_each(|cond| self.cond(cond, wrong)),
            Cond::Not(inner) => self.cond(inner, wrong),
            Cond::Phase(phase) => self.phase(phase, wrong),
            Cond::Exists(file)
            | Cond::Frontmatter { file, .. }
            | Cond::Contains { file, .. }
            | Cond::MinChars { file, .. }
            | Cond::Committed(file) => self.file(file, wrong),
            Cond::CommittedFiles { inside, except, .. } => {
                inside.iter().chain(except).for_each(|path| self.template(path, wrong));
            }
            Cond::Registered { name, .. } => self.template(name, wrong),
            _ => {}
        }
    }

    fn phase(&self, phase: &str, wrong: &mut Wrong) {
        if !self.flow.phases.iter().any(|known| known == phase) {
            let names: Vec<&str> = self.flow.phases.iter().map(String::as_str).collect();
            wrong.push((phase.to_owned(), format!("unknown phase `{phase}`"), hint(phase, &names)));
        }
    }

    /// A name without anything that a path has must be an artifact.
    fn file(&self, file: &str, wrong: &mut Wrong) {
        if self.flow.artifacts.iter().any(|(name, _)| name == file) {
            return;
        }
        if !file.contains(['/', '.', '*', '{']) {
            let names: Vec<&str> = self.flow.artifacts.iter().map(|(name, _)| name.as_str()).collect();
            wrong.push((file.to_owned(), format!("unknown artifact `{file}`"), hint(file, &names)));
        }
        self.template(file, wrong);
    }

    fn template(&self, template: &str, wrong: &mut Wrong) {
        for piece in pieces(template) {
            let Piece::Name(name, _) = piece else { continue };
            let artifact = self.flow.artifacts.iter().any(|(known, _)| known == name);
            let captured = self.captures.iter().any(|known| known == name);
            if !artifact && !captured && !name.contains('.') && !NAMES.contains(&name) {
                let artifacts = self.flow.artifacts.iter().map(|(name, _)| name.as_str());
                let names: Vec<&str> = NAMES.into_iter().chain(artifacts).collect();
                let message = format!("unknown name `{{{name}}}` in a template");
                wrong.push((format!("{{{name}"), message, hint(name, &names)));
            }
        }
    }
}

/// The names that patterns of `output` bind.
fn captures(flow: &Flow) -> Vec<String> {
    let mut names = Vec::new();
    let needs = flow.gates.iter().flat_map(|gate| gate.when.iter().chain(&gate.need));
    needs.for_each(|cond| collect(cond, &mut names));
    names
}

fn collect(cond: &Cond, names: &mut Vec<String>) {
    match cond {
        Cond::All(all) | Cond::Any(all) => all.iter().for_each(|cond| collect(cond, names)),
        Cond::Not(inner) => collect(inner, names),
        Cond::Output { matches, .. } => {
            for pattern in matches {
                let found = pieces(pattern).into_iter().filter_map(|piece| match piece {
                    Piece::Name(name, _) => Some(name.to_owned()),
                    Piece::Text(_) => None,
                });
                names.extend(found);
            }
        }
        _ => {}
    }
}
